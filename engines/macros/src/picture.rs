//! A placement of macros as an SVG picture: congestion per grid cell, soft and hard macros, ports.

use std::fmt::Write;

use crate::engine::Engine;
use crate::netlist::Kind;

/// The picture, about `width` pixels wide. Each grid cell is tinted by the larger of its two
/// congestions, from 0 to 1.2.
#[must_use]
pub fn svg(engine: &Engine, width: u32, title: &str) -> String {
    let model = engine.model();
    let (grid, settings) = (&model.grid, model.settings());
    let scale = f64::from(width) / settings.width;
    let height = settings.height * scale;
    let mut out = String::new();
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{:.0}" viewBox="0 -22 {width} {:.0}">"##,
        height + 24.0,
        height + 24.0
    );
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, r##"<rect y="-22" width="100%" height="100%" fill="#fbfbf8"/>"##);
    let _ = writeln!(
        out,
        r##"<text x="4" y="-7" font-family="sans-serif" font-size="13" fill="#333">{title}</text>"##
    );
    // SVG counts from the top.
    let mut rect = |x: f64, y: f64, w: f64, h: f64, style: &str| {
        let _ = writeln!(
            out,
            r##"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="{:.2}" {style}/>"##,
            x * scale,
            height - (y + h) * scale,
            w * scale,
            h * scale
        );
    };
    let congestion: Vec<f64> = engine.congestions().collect();
    for cell in 0..grid.cells() {
        let most = congestion[cell].max(congestion[grid.cells() + cell]);
        let tint = (most / 1.2).clamp(0.0, 1.0) * 0.6;
        let (row, column) = (cell / grid.columns, cell % grid.columns);
        let style = format!(
            r##"fill="#d9574a" fill-opacity="{tint:.3}" stroke="#e4e2da" stroke-width="0.4""##
        );
        let (x, y) = (column as f64 * grid.cell_width, row as f64 * grid.cell_height);
        rect(x, y, grid.cell_width, grid.cell_height, &style);
    }
    for (kind, style) in [
        (Kind::Cell, r##"fill="#86b98a" fill-opacity="0.7""##),
        (Kind::Soft, r##"fill="#86b98a" fill-opacity="0.35" stroke="#4d7a50" stroke-width="0.4""##),
        (Kind::Hard, r##"fill="#b9a7d6" fill-opacity="0.55" stroke="#4a3a6c" stroke-width="0.8""##),
        (Kind::Port, r##"fill="#222""##),
    ] {
        for body in (0..model.bodies()).filter(|b| model.kind[*b] == kind) {
            let (x, y, _) = engine.at(body);
            let dot = 3.0 / scale;
            let (w, h) = match kind {
                Kind::Port => (dot, dot),
                _ => (model.width[body], model.height[body]),
            };
            rect(x - w / 2.0, y - h / 2.0, w, h, style);
        }
    }
    out.push_str("</svg>\n");
    out
}
