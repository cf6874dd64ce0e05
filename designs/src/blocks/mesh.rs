//! A mesh of tiles, as a network on chip has it.
//!
//! A tile has, for each of its four outgoing links and for its core, a multiplexer tree over the words
//! that come in; a register row on each outgoing link and on the core's output; select registers fed by
//! a little routing logic that reads the words' first bits; and a core, a pipeline of random logic.
//! Links run between neighbours, so nets are short if, and only if, the placement keeps the mesh.

use rand_chacha::ChaCha8Rng;

use crate::blocks::cloud::{self, Shape};
use crate::blocks::regfile::select_word;
use crate::netlist::{NetId, Netlist};

/// Shape of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Mesh {
    /// Rows of tiles.
    pub rows: usize,
    /// Columns of tiles.
    pub columns: usize,
    /// Bits of a link.
    pub width: usize,
    /// Cells of a tile's core.
    pub core: usize,
}

const EAST: usize = 0;
const NORTH: usize = 1;
const WEST: usize = 2;
const SOUTH: usize = 3;

impl Mesh {
    /// Cells of one tile: five register rows, five trees of three multiplexers, the selects and their
    /// logic, and the core.
    pub fn tile_cells(width: usize, core: usize) -> usize {
        5 * width + 15 * width + 10 + ROUTE + core
    }

    /// Links that enter the mesh from outside.
    pub fn border_links(&self) -> usize {
        2 * (self.rows + self.columns)
    }
}

/// Cells of a tile's routing logic.
const ROUTE: usize = 40;

/// Builds a mesh. `border` gives the words that enter at the border, in the order west, east (by row),
/// south, north (by column); the words that leave there come back in the same order.
pub fn mesh(
    n: &mut Netlist,
    rng: &mut ChaCha8Rng,
    prefix: &str,
    shape: Mesh,
    border: &[Vec<NetId>],
) -> Vec<Vec<NetId>> {
    let Mesh { rows, columns, width, core } = shape;
    // Nets of every outgoing link exist before the tiles, since neighbours feed each other.
    let mut links: Vec<[Vec<NetId>; 4]> = Vec::with_capacity(rows * columns);
    let mut groups = Vec::with_capacity(rows * columns);
    for r in 0..rows {
        for c in 0..columns {
            groups.push(n.begin_group(format!("{prefix}_{r}_{c}")));
            links.push(std::array::from_fn(|_| (0..width).map(|_| n.net()).collect()));
        }
    }
    let outside = |k: usize| border.get(k).cloned().unwrap_or_default();
    for r in 0..rows {
        for c in 0..columns {
            let at = r * columns + c;
            let west = if c > 0 { links[at - 1][EAST].clone() } else { outside(r) };
            let east =
                if c + 1 < columns { links[at + 1][WEST].clone() } else { outside(rows + r) };
            let south =
                if r > 0 { links[at - columns][NORTH].clone() } else { outside(2 * rows + c) };
            let north = if r + 1 < rows {
                links[at + columns][SOUTH].clone()
            } else {
                outside(2 * rows + columns + c)
            };
            n.enter_group(groups[at]);
            tile(n, rng, [&east, &north, &west, &south], &links[at], core);
        }
    }
    n.enter_group(0);
    let mut leaving = Vec::with_capacity(shape.border_links());
    leaving.extend((0..rows).map(|r| links[r * columns][WEST].clone()));
    leaving.extend((0..rows).map(|r| links[r * columns + columns - 1][EAST].clone()));
    leaving.extend((0..columns).map(|c| links[c][SOUTH].clone()));
    leaving.extend((0..columns).map(|c| links[(rows - 1) * columns + c][NORTH].clone()));
    leaving
}

/// One tile; drives the nets of `outgoing`.
fn tile(
    n: &mut Netlist,
    rng: &mut ChaCha8Rng,
    incoming: [&[NetId]; 4],
    outgoing: &[Vec<NetId>; 4],
    core: usize,
) {
    let width = outgoing[0].len();
    // Links are registered where they leave: one hop a clock.
    let banks: Vec<Vec<NetId>> = incoming.iter().map(|word| word.to_vec()).collect();
    let injected: Vec<NetId> = (0..width).map(|_| n.net()).collect();
    // The first bits of every bank are the header that decides the route.
    let header: Vec<NetId> =
        banks.iter().chain([&injected]).flat_map(|bank| bank.iter().take(2).copied()).collect();
    let shape = Shape { cells: ROUTE, depth: 4, outputs: 10 };
    let route = cloud::cloud(n, rng, &header, shape);
    let selects: Vec<NetId> = route.iter().map(|d| n.reset_flop(*d)).collect();
    for (side, out) in outgoing.iter().enumerate() {
        let sources: Vec<Vec<NetId>> = (0..4)
            .filter(|s| *s != side)
            .map(|s| banks[s].clone())
            .chain([injected.clone()])
            .collect();
        let word = select_word(n, &sources, &selects[2 * side..2 * side + 2]);
        for (d, q) in word.iter().zip(out) {
            n.flop_into(*d, *q);
        }
    }
    let ejected = select_word(n, &banks, &selects[8..10]);
    let stages = if core > 40 * width { 2 } else { 1 };
    let result = cloud::pipeline(n, rng, &ejected, core, width, stages, 7);
    for (d, q) in result.iter().zip(&injected) {
        n.flop_into(*d, *q);
    }
}
