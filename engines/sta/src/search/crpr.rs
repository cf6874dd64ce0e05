//! Clock reconvergence pessimism: launch and capture share part of the clock tree, which cannot be
//! late and early at once. The difference at the last shared tree driver is given back.

use cellwright_db::Owner;

use super::arrival::{self, InstanceArc};
use super::key::{self, Key};
use super::{Context, Paths, Values};
use crate::graph::{Vertex, flag};

/// A tree driver with its edge.
type Class = (Vertex, usize);

/// Late minus early arrival of a clock edge at a tree driver, ns.
fn spread(values: &Values, (vertex, edge): Class, launch: u16) -> f32 {
    let at = |side: usize| {
        values.paths.of(vertex).find(|path| {
            key::is_clock(path.key)
                && key::launch(path.key) == launch
                && key::side(path.key) == side
                && key::edge(path.key) == edge
        })
    };
    match (at(0), at(1)) {
        (Some(early), Some(late)) => (late.arrival - early.arrival).abs(),
        _ => 0.0,
    }
}

/// The tree driver before `class` on the clock path of `launch` and `side`, with the clock edge that
/// comes by it: at the source of a generated clock that is the master's.
fn parent(
    context: &Context<'_>,
    values: &Values,
    class: Class,
    launch: u16,
    side: usize,
) -> Option<(Class, u16)> {
    let (vertex, edge) = class;
    let view = &context.view;
    let setup = context.setup;
    if setup.sources.get(&vertex).is_some_and(|clocks| clocks.contains(&(launch / 2))) {
        let (clock_edge, source) = (usize::from(launch % 2), view.pin(vertex));
        let master = setup.insertion(launch / 2, clock_edge, side, source)?;
        let mut incoming = Paths::new();
        context.incoming(values, vertex, &mut incoming);
        let path = arrival::insertion(&incoming, master, side, clock_edge)?;
        return Some((key::class(path.key)?, key::launch(path.key)));
    }
    let own = values.paths.of(vertex).find(|path| {
        key::is_clock(path.key)
            && key::launch(path.key) == launch
            && key::side(path.key) == side
            && key::edge(path.key) == edge
    })?;
    let Owner::Cell(cell, number) = view.design.owner(view.pin(vertex)) else { return None };
    let model = view.model(cell)?;
    let first = view.design.cell(cell).first_pin;
    for &arc in &model.pins[number.index()].fanin {
        let pairs = view.pairs(cell, model, arc);
        let from = view.arc_from(first, model.arcs[arc as usize].from);
        let arc = InstanceArc { cell, model, arc, pairs, from, to: vertex };
        for path in values.paths.of(from) {
            if !key::is_clock(path.key) || key::side(path.key) != side {
                continue;
            }
            if let Some((to_key, add)) = context.through_arc(values, &arc, &path, edge)
                && to_key == own.key
                && path.arrival + add == own.arrival
            {
                return Some((key::class(path.key)?, launch));
            }
        }
    }
    None
}

/// What is given back to a check between a data path and a capturing clock path, ns.
pub(crate) fn credit(context: &Context<'_>, values: &Values, data: Key, clock: Key) -> f32 {
    if !context.setup.crpr {
        return 0.0;
    }
    let (Some(mut a), Some(mut b)) = (key::class(data), key::class(clock)) else { return 0.0 };
    let (mut launch_a, mut launch_b) = (key::launch(data), key::launch(clock));
    let (side_a, side_b) = (key::side(data), key::side(clock));
    let level = |class: Class| context.view.graph.level[class.0 as usize];
    // Each step goes strictly up the tree.
    while a.0 != b.0 {
        let up = if level(a) >= level(b) {
            parent(context, values, a, launch_a, side_a).map(|up| (a, launch_a) = up)
        } else {
            parent(context, values, b, launch_b, side_b).map(|up| (b, launch_b) = up)
        };
        if up.is_none() {
            return 0.0;
        }
    }
    let (from_a, from_b) = (spread(values, a, launch_a), spread(values, b, launch_b));
    from_a.min(from_b)
}

/// Drops paths that cannot become the worst: another path with the same key but the tree driver
/// is worse even after the most that it could be given back.
pub(crate) fn prune(context: &Context<'_>, values: &Values, vertex: Vertex, found: &mut Paths) {
    let mut from = 0;
    let mut keep: Paths = Paths::new();
    while from < found.len() {
        let head = found[from].key & !key::CLASS_MASK;
        let mut to = from + 1;
        while to < found.len() && found[to].key & !key::CLASS_MASK == head {
            to += 1;
        }
        let group = &found[from..to];
        if group.len() == 1 || key::is_clock(head) {
            keep.extend_from_slice(group);
        } else {
            let side = key::side(head);
            let launch = key::launch(head);
            // The bound that the strongest path sets.
            let bound = group.iter().map(|path| {
                let give = key::class(path.key).map_or(0.0, |class| spread(values, class, launch));
                if side == 1 { path.arrival - give } else { path.arrival + give }
            });
            let bound = if side == 1 {
                bound.fold(f32::NEG_INFINITY, f32::max)
            } else {
                bound.fold(f32::INFINITY, f32::min)
            };
            let stays = |arrival: f32| if side == 1 { arrival >= bound } else { arrival <= bound };
            // Where nothing can be given back, equal paths would all stay: the first does.
            let mut exact_kept = false;
            // A path without tree driver is never given anything back: it stays, or what others are
            // given back would count for it in required times.
            let bare = |path: &super::Path| key::class(path.key).is_none();
            for path in group.iter().filter(|path| stays(path.arrival) || bare(path)) {
                let give = key::class(path.key).map_or(0.0, |class| spread(values, class, launch));
                if give == 0.0 && path.arrival == bound {
                    if exact_kept {
                        continue;
                    }
                    exact_kept = true;
                }
                keep.push(*path);
            }
        }
        from = to;
    }
    let _ = (context, vertex, flag::DRIVER);
    *found = keep;
}
