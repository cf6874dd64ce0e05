//! A placement as a picture, SVG or PNG: rows, cells by kind, ports.

use std::fmt::Write;

use cellwright_db::library::MasterClass;
use cellwright_db::{CellId, Design, Rect};

/// The picture as a PNG, at most `width` pixels wide.
///
/// # Errors
/// When it cannot be encoded.
pub(crate) fn png(design: &Design, width: u32) -> std::io::Result<Vec<u8>> {
    cellwright_mcp::png(&cellwright::desk::scene(design, &mut |_| None), width)
}

/// The picture, about `width` pixels wide. Cells without place are left out. Cells whose slack is
/// negative are drawn red when `slack` knows them.
pub(crate) fn svg(design: &Design, width: u32, slack: &dyn Fn(CellId) -> Option<f64>) -> String {
    let die = match design.floorplan().die {
        die if die.is_empty() => design.core(),
        die => die,
    };
    let scale = f64::from(width) / (die.width().max(1) as f64);
    let height = (die.height() as f64 * scale).ceil();
    let mut out = String::new();
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">"##
    );
    let _ = writeln!(out, r##"<rect width="{width}" height="{height}" fill="#fbfbf8"/>"##);
    let mut rect = |r: Rect, style: &str| {
        let x = (i64::from(r.lo.x) - i64::from(die.lo.x)) as f64 * scale;
        // SVG counts from the top.
        let y = (i64::from(die.hi.y) - i64::from(r.hi.y)) as f64 * scale;
        let (w, h) = (r.width() as f64 * scale, r.height() as f64 * scale);
        let _ = writeln!(
            out,
            r##"<rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" {style}/>"##
        );
    };
    for row in &design.floorplan().rows {
        let site = &design.tech().sites[row.site];
        rect(row.rect(site.height), r##"fill="none" stroke="#e4e2da" stroke-width="0.4""##);
    }
    for blockage in &design.floorplan().blockages {
        rect(blockage.rect, r##"fill="#d8d8d8" fill-opacity="0.6""##);
    }
    for cell in design.cells().filter(|cell| design.place(*cell).is_placed()) {
        let master = design.master(cell);
        let sequential = design
            .library()
            .logic(design.master_id(cell))
            .is_some_and(|c| !c.sequentials.is_empty());
        let late = slack(cell).is_some_and(|slack| slack < 0.0);
        let style = match master.class {
            MasterClass::Block | MasterClass::Pad => {
                r##"fill="#b9a7d6" stroke="#6a5a8c" stroke-width="0.6""##
            }
            _ if late => r##"fill="#d9574a" stroke="#fbfbf8" stroke-width="0.2""##,
            _ if sequential => r##"fill="#4a8fc9" stroke="#fbfbf8" stroke-width="0.2""##,
            MasterClass::Core => r##"fill="#86b98a" stroke="#fbfbf8" stroke-width="0.2""##,
            _ => r##"fill="#cfcabd" stroke="#fbfbf8" stroke-width="0.2""##,
        };
        rect(design.outline(cell), style);
    }
    let dot = (die.width() / 250).clamp(1, i64::from(i32::MAX)) as i32;
    for (_, port) in design.ports().iter() {
        if let Some(at) = port.location {
            let r = Rect::new(at.x - dot / 2, at.y - dot / 2, at.x + dot / 2, at.y + dot / 2);
            rect(r, r##"fill="#e0a030""##);
        }
    }
    out.push_str("</svg>\n");
    out
}
