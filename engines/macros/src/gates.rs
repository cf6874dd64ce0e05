//! The rules of the contests: no overlap of hard macros, nothing outside, fixed macros stay, no
//! quarter turns. All comparisons are exact.

use crate::exact::{leaves, nearer};
use crate::netlist::{Kind, Netlist, Placement};

/// What a placement breaks. Empty lists mean that it passes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Broken {
    /// Pairs of hard macros that overlap, or come nearer than the gap that was asked for.
    pub overlaps: Vec<(u32, u32)>,
    /// Hard macros that leave the canvas.
    pub outside: Vec<u32>,
    /// Soft macros and cells that leave the canvas; contests differ on whether they may.
    pub soft_outside: Vec<u32>,
    /// Fixed items and ports that are not where they were, or turned.
    pub moved: Vec<u32>,
    /// Hard macros with a quarter turn.
    pub turned: Vec<u32>,
    /// Macros without a place.
    pub unplaced: Vec<u32>,
}

impl Broken {
    /// Whether all rules for hard macros hold.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        self.overlaps.is_empty()
            && self.outside.is_empty()
            && self.moved.is_empty()
            && self.turned.is_empty()
            && self.unplaced.is_empty()
    }
}

/// Checks a placement. `start` is where fixed items must still be, if there is such a placement.
/// `gap` is the least distance between hard macros in µm; 0 lets them abut.
#[must_use]
pub fn gates(
    netlist: &Netlist,
    placement: &Placement,
    start: Option<&Placement>,
    gap: f64,
) -> Broken {
    let mut broken = Broken::default();
    let spot = |p: &Placement, i: u32| p.spots.get(i as usize).copied().flatten();
    let (width, height) = (placement.settings.width, placement.settings.height);
    let mut hard: Vec<(u32, f64, f64)> = Vec::new();
    for (i, item) in netlist.items.iter().enumerate() {
        let i = i as u32;
        if item.kind.is_pin() {
            continue;
        }
        let Some(at) = spot(placement, i) else {
            broken.unplaced.push(i);
            continue;
        };
        if let Some(was) = start.and_then(|start| spot(start, i))
            && (was.fixed || item.kind == Kind::Port)
            && (was.x != at.x || was.y != at.y || was.orient != at.orient)
        {
            broken.moved.push(i);
        }
        let out = leaves(at.x, item.width, width) || leaves(at.y, item.height, height);
        match item.kind {
            Kind::Hard => {
                hard.push((i, at.x, at.y));
                if out {
                    broken.outside.push(i);
                }
                if at.orient.is_some_and(|o| !o.is_upright()) {
                    broken.turned.push(i);
                }
            }
            Kind::Soft | Kind::Cell if out => broken.soft_outside.push(i),
            _ => {}
        }
    }
    // Sorted by left edge, so that only near ones are compared; the widest bounds the reach.
    let size = |i: u32| {
        let item = &netlist.items[i as usize];
        (item.width, item.height)
    };
    hard.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let widest = hard.iter().map(|(i, _, _)| size(*i).0).fold(0.0, f64::max);
    for (n, &(a, ax, ay)) in hard.iter().enumerate() {
        let (wa, ha) = size(a);
        for &(b, bx, by) in &hard[n + 1..] {
            if bx - ax > (wa + widest) / 2.0 + gap + 1.0 {
                break;
            }
            let (wb, hb) = size(b);
            if nearer((ax, wa), (bx, wb), gap) && nearer((ay, ha), (by, hb), gap) {
                broken.overlaps.push((a.min(b), a.max(b)));
            }
        }
    }
    broken.overlaps.sort_unstable();
    broken
}
