//! A placement of macros as a picture: congestion per grid cell, soft and hard macros, ports.

mod png;
mod svg;

pub use png::png;
pub use svg::svg;

use crate::engine::Engine;
use crate::netlist::Kind;

/// A congestion that is tinted most.
const MOST: f64 = 1.2;

/// How a rectangle looks: colours as red, green, blue, with opacities.
#[derive(Debug, Clone, Copy)]
struct Look {
    fill: [u8; 3],
    opacity: f64,
    /// Colour and width in pixels.
    edge: Option<([u8; 3], f64)>,
}

/// What is drawn, from back to front: left, bottom, right, top in µm. Each grid cell is tinted by
/// the larger of its two congestions, from 0 to 1.2. Ports are squares of `dot` µm.
fn shapes(engine: &Engine, dot: f64) -> Vec<([f64; 4], Look)> {
    let model = engine.model();
    let grid = &model.grid;
    let mut out = Vec::new();
    let congestion: Vec<f64> = engine.congestions().collect();
    for cell in 0..grid.cells() {
        let most = congestion[cell].max(congestion[grid.cells() + cell]);
        let (row, column) = (cell / grid.columns, cell % grid.columns);
        let (x, y) = (column as f64 * grid.cell_width, row as f64 * grid.cell_height);
        let look = Look {
            fill: [0xd9, 0x57, 0x4a],
            opacity: (most / MOST).clamp(0.0, 1.0) * 0.6,
            edge: Some(([0xe4, 0xe2, 0xda], 0.4)),
        };
        out.push(([x, y, x + grid.cell_width, y + grid.cell_height], look));
    }
    let soft = [0x86, 0xb9, 0x8a];
    for (kind, fill, opacity, edge) in [
        (Kind::Cell, soft, 0.7, None),
        (Kind::Soft, soft, 0.35, Some(([0x4d, 0x7a, 0x50], 0.4))),
        (Kind::Hard, [0xb9, 0xa7, 0xd6], 0.55, Some(([0x4a, 0x3a, 0x6c], 0.8))),
        (Kind::Port, [0x22; 3], 1.0, None),
    ] {
        for body in (0..model.bodies()).filter(|b| model.kind[*b] == kind) {
            let (x, y, _) = engine.at(body);
            let (w, h) = match kind {
                Kind::Port => (dot, dot),
                _ => (model.width[body], model.height[body]),
            };
            let rect = [x - w / 2.0, y - h / 2.0, x + w / 2.0, y + h / 2.0];
            out.push((rect, Look { fill, opacity, edge }));
        }
    }
    out
}
