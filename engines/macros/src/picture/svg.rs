//! As SVG.

use std::fmt::Write;

use super::shapes;
use crate::engine::Engine;

/// The picture, about `width` pixels wide, with a title above it.
#[must_use]
pub fn svg(engine: &Engine, width: u32, title: &str) -> String {
    let settings = engine.model().settings();
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
    for ([left, bottom, right, top], look) in shapes(engine, 3.0 / scale) {
        let [r, g, b] = look.fill;
        // SVG counts from the top.
        let _ = write!(
            out,
            r##"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="{:.2}" fill="#{r:02x}{g:02x}{b:02x}" fill-opacity="{:.3}""##,
            left * scale,
            height - top * scale,
            (right - left) * scale,
            (top - bottom) * scale,
            look.opacity
        );
        if let Some(([r, g, b], wide)) = look.edge {
            let _ = write!(out, r##" stroke="#{r:02x}{g:02x}{b:02x}" stroke-width="{wide}""##);
        }
        out.push_str("/>\n");
    }
    out.push_str("</svg>\n");
    out
}
