//! Grouping of a flat netlist: standard cells to soft macros, and back.
//!
//! First-choice coarsening, as multilevel hypergraph partitioners do it (Karypis and Kumar,
//! "Multilevel k-way hypergraph partitioning", 1999): each vertex joins the neighbour that it shares
//! most net weight with, level by level, until few enough groups are left. No group grows beyond a
//! bound on its area.

use std::collections::HashMap;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::netlist::{Item, Kind, Netlist, Placement, Settings, Spot};

/// How to group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterConfig {
    /// Wanted number of soft macros.
    pub groups: usize,
    /// Largest area of a group, in means.
    pub largest: f64,
    /// Nets of more pins than this do not pull cells together.
    pub pulling_net: usize,
    /// Nets of more pins than this are left out of the grouped netlist, as clocks and resets are.
    pub kept_net: usize,
    /// Seed of the order in which vertices choose.
    pub seed: u64,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        ClusterConfig { groups: 800, largest: 3.0, pulling_net: 60, kept_net: 300, seed: 1 }
    }
}

/// A grouped netlist.
#[derive(Debug, Clone)]
pub struct Clustered {
    /// Ports, hard macros and soft macros.
    pub netlist: Netlist,
    /// By item of the flat netlist: its item here. Cells have their soft macro, pins of hard macros
    /// their pin, ports their port.
    pub item_of: Vec<u32>,
    /// Nets that were left out because of their size.
    pub dropped: usize,
}

struct Graph {
    area: Vec<f64>,
    nets: Vec<(Vec<u32>, f64)>,
}

/// Groups the cells of a flat netlist. The same netlist and seed give the same groups.
#[must_use]
pub fn cluster(flat: &Netlist, config: &ClusterConfig) -> Clustered {
    let cells: Vec<u32> = flat.of(Kind::Cell).collect();
    let mut vertex = vec![u32::MAX; flat.items.len()];
    for (v, &cell) in cells.iter().enumerate() {
        vertex[cell as usize] = v as u32;
    }
    let mut graph = Graph {
        area: cells.iter().map(|c| flat.items[*c as usize].area().max(1e-6)).collect(),
        nets: Vec::new(),
    };
    for (driver, item) in flat.items.iter().enumerate() {
        if item.sinks.is_empty() || item.sinks.len() >= config.pulling_net {
            continue;
        }
        let ends = item.sinks.iter().copied().chain([driver as u32]);
        let mut pins: Vec<u32> =
            ends.map(|i| vertex[i as usize]).filter(|v| *v != u32::MAX).collect();
        pins.sort_unstable();
        pins.dedup();
        if pins.len() > 1 {
            graph.nets.push((pins, item.net_weight()));
        }
    }
    let mut group: Vec<u32> = (0..cells.len() as u32).collect();
    let groups = config.groups.max(1);
    let cap = graph.area.iter().sum::<f64>() / groups as f64 * config.largest.max(1.0);
    let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
    while graph.area.len() > groups {
        let before = graph.area.len();
        let (map, count) = coarsen(&graph, groups, cap, &mut rng);
        for g in &mut group {
            *g = map[*g as usize];
        }
        graph = contract(graph, &map, count);
        // Hardly anything left to share: neighbours in file order, which share a module, join.
        if count * 50 > before * 49 {
            let (map, count) = in_order(&graph.area, groups);
            for g in &mut group {
                *g = map[*g as usize];
            }
            graph = contract(graph, &map, count);
            break;
        }
    }
    grouped(flat, &cells, &vertex, &group, &graph.area, config)
}

/// One level: gives the new vertex of each vertex, and how many there are.
fn coarsen(graph: &Graph, groups: usize, cap: f64, rng: &mut ChaCha8Rng) -> (Vec<u32>, usize) {
    let count = graph.area.len();
    let mut of: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (net, (pins, _)) in graph.nets.iter().enumerate() {
        for &pin in pins {
            of[pin as usize].push(net as u32);
        }
    }
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.shuffle(rng);
    let mut leader = vec![u32::MAX; count];
    let mut area = graph.area.clone();
    let mut left = count;
    // Not below half at a level, so that groups grow evenly.
    let least = groups.max(count / 2);
    let mut score = vec![0.0; count];
    let mut seen: Vec<u32> = Vec::new();
    for &v in &order {
        if leader[v as usize] != u32::MAX {
            continue;
        }
        leader[v as usize] = v;
        if left <= least {
            continue;
        }
        for &net in &of[v as usize] {
            let (pins, weight) = &graph.nets[net as usize];
            let share = weight / (pins.len() - 1) as f64;
            for &other in pins.iter().filter(|o| **o != v) {
                let to = match leader[other as usize] {
                    u32::MAX => other,
                    leader => leader,
                };
                if to != v {
                    if score[to as usize] == 0.0 {
                        seen.push(to);
                    }
                    score[to as usize] += share;
                }
            }
        }
        let mut best: Option<(f64, u32)> = None;
        for &to in &seen {
            let sum = area[v as usize] + area[to as usize];
            let value = score[to as usize] / sum.sqrt();
            score[to as usize] = 0.0;
            let wins = best.is_none_or(|b| value > b.0 || (value == b.0 && to < b.1));
            if sum <= cap && wins {
                best = Some((value, to));
            }
        }
        seen.clear();
        if let Some((_, to)) = best {
            leader[to as usize] = to;
            leader[v as usize] = to;
            area[to as usize] += area[v as usize];
            left -= 1;
        }
    }
    let mut index = vec![u32::MAX; count];
    let mut next = 0;
    for v in 0..count {
        if leader[v] as usize == v {
            index[v] = next;
            next += 1;
        }
    }
    // A leader may itself have joined another later; it then is no leader, so follow the chain.
    let map = (0..count)
        .map(|mut v| {
            while leader[v] as usize != v {
                v = leader[v] as usize;
            }
            index[v]
        })
        .collect();
    (map, next as usize)
}

/// Consecutive vertices to groups of like area.
fn in_order(area: &[f64], groups: usize) -> (Vec<u32>, usize) {
    let share = area.iter().sum::<f64>() / groups as f64;
    let mut sum = 0.0;
    let mut map: Vec<u32> = Vec::with_capacity(area.len());
    for a in area {
        map.push(((sum / share) as u32).min(groups as u32 - 1));
        sum += a;
    }
    // Numbers without gaps.
    let mut next = 0;
    let mut last = None;
    for g in &mut map {
        if last.is_some_and(|l| l != *g) {
            next += 1;
        }
        last = Some(*g);
        *g = next;
    }
    (map, next as usize + 1)
}

fn contract(graph: Graph, map: &[u32], count: usize) -> Graph {
    let mut area = vec![0.0; count];
    for (v, a) in graph.area.iter().enumerate() {
        area[map[v] as usize] += a;
    }
    let mut nets = graph.nets;
    for (pins, _) in &mut nets {
        for pin in pins.iter_mut() {
            *pin = map[*pin as usize];
        }
        pins.sort_unstable();
        pins.dedup();
    }
    nets.retain(|(pins, _)| pins.len() > 1);
    Graph { area, nets }
}

fn grouped(
    flat: &Netlist,
    cells: &[u32],
    vertex: &[u32],
    group: &[u32],
    area: &[f64],
    config: &ClusterConfig,
) -> Clustered {
    let mut netlist = Netlist { outline: flat.outline, ..Netlist::default() };
    let mut item_of = vec![u32::MAX; flat.items.len()];
    for (i, item) in flat.items.iter().enumerate().filter(|(_, item)| item.kind != Kind::Cell) {
        item_of[i] = netlist.items.len() as u32;
        netlist.items.push(Item { sinks: Vec::new(), ..item.clone() });
    }
    for item in &mut netlist.items {
        item.owner = item_of[item.owner as usize];
    }
    // Soft macros start in the middle of their cells.
    let mut middle = vec![([0.0; 2], 0.0); area.len()];
    for (v, &cell) in cells.iter().enumerate() {
        let item = &flat.items[cell as usize];
        if let Some((x, y)) = item.at {
            let (sum, weight) = &mut middle[group[v] as usize];
            let share = item.area().max(1e-6);
            *sum = [sum[0] + x * share, sum[1] + y * share];
            *weight += share;
        }
    }
    let (mut soft, mut input) = (Vec::new(), Vec::new());
    for (g, &area) in area.iter().enumerate() {
        let index = netlist.items.len() as u32;
        let mut item = Item::new(format!("Grp_{g}"), Kind::Soft, index);
        (item.width, item.height) = (area.sqrt(), area.sqrt());
        let (sum, weight) = middle[g];
        item.at = (weight > 0.0).then(|| (sum[0] / weight, sum[1] / weight));
        netlist.items.push(item);
        netlist.items.push(Item::new(format!("Grp_{g}/Pinput"), Kind::SoftPin, index));
        soft.push(index);
        input.push(index + 1);
    }
    for &cell in cells {
        item_of[cell as usize] = soft[group[vertex[cell as usize] as usize] as usize];
    }
    // Nets: those that a group drives to the same others become one with their summed weight.
    let mut known: HashMap<(u32, Vec<u32>), u32> = HashMap::new();
    let mut outputs = vec![0u32; area.len()];
    let mut dropped = 0;
    for (driver, item) in flat.items.iter().enumerate().filter(|(_, item)| !item.sinks.is_empty()) {
        if item.sinks.len() >= config.kept_net {
            dropped += 1;
            continue;
        }
        let from = match vertex[driver] {
            u32::MAX => None,
            v => Some(group[v as usize]),
        };
        let mut sinks: Vec<u32> = item
            .sinks
            .iter()
            .filter_map(|&s| match vertex[s as usize] {
                u32::MAX => Some(item_of[s as usize]),
                v if Some(group[v as usize]) == from => None,
                v => Some(input[group[v as usize] as usize]),
            })
            .collect();
        sinks.sort_unstable();
        sinks.dedup();
        if sinks.is_empty() {
            continue;
        }
        let Some(from) = from else {
            netlist.items[item_of[driver] as usize].sinks = sinks;
            continue;
        };
        let next = netlist.items.len() as u32;
        let pin = *known.entry((from, sinks)).or_insert_with_key(|(_, sinks)| {
            let number = outputs[from as usize];
            outputs[from as usize] += 1;
            let owner = soft[from as usize];
            let name = format!("Grp_{from}/Poutput_{number}");
            let mut pin = Item::new(name, Kind::SoftPin, owner);
            pin.sinks.clone_from(sinks);
            netlist.items.push(pin);
            next
        });
        let weight = &mut netlist.items[pin as usize].weight;
        *weight = Some(weight.unwrap_or(0.0) + item.net_weight());
    }
    Clustered { netlist, item_of, dropped }
}

/// A placement of the flat netlist from one of the grouped: ports and hard macros where they are,
/// each cell at the centre of its soft macro. Hard macros are fixed, so that cells can be placed
/// among them.
#[must_use]
pub fn carry_back(
    flat: &Netlist,
    clustered: &Clustered,
    placement: &Placement,
    settings: &Settings,
) -> Placement {
    let spots = flat
        .items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            if item.kind.is_pin() {
                return None;
            }
            let at = *clustered.item_of.get(i)?;
            let spot = placement.spots.get(at as usize).copied().flatten()?;
            Some(match item.kind {
                Kind::Cell => Spot { orient: None, fixed: false, ..spot },
                _ => Spot { fixed: true, ..spot },
            })
        })
        .collect();
    Placement { settings: settings.clone(), spots }
}
