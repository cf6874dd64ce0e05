//! What of a design there is to draw, for every door that gives pictures.

use cellwright_db::library::MasterClass;
use cellwright_db::{CellId, Design, Rect};
use cellwright_judge::translate::rect_out;
use cellwright_mcp::desk::{Scene, Shape, ShapeKind};

/// The shapes of a design, with the slacks that `slack` knows.
pub fn scene(design: &Design, slack: &mut dyn FnMut(CellId) -> Option<f64>) -> Scene {
    let floorplan = design.floorplan();
    let die = if floorplan.die.is_empty() { design.core() } else { floorplan.die };
    let mut scene = Scene { die: Some(rect_out(die)), shapes: Vec::new() };
    let shape = |at: Rect, kind: ShapeKind| Shape { at: rect_out(at), kind, slack: None };
    for row in &floorplan.rows {
        let site = &design.tech().sites[row.site];
        scene.shapes.push(shape(row.rect(site.height), ShapeKind::Row));
    }
    for blockage in &floorplan.blockages {
        scene.shapes.push(shape(blockage.rect, ShapeKind::Blockage));
    }
    for cell in design.cells().filter(|cell| design.place(*cell).is_placed()) {
        let logic = design.library().logic(design.master_id(cell));
        let kind = match design.master(cell).class {
            MasterClass::Block | MasterClass::Pad => ShapeKind::Macro,
            _ if logic.is_some_and(|cell| !cell.sequentials.is_empty()) => ShapeKind::Register,
            MasterClass::Core => ShapeKind::Logic,
            _ => ShapeKind::Filler,
        };
        let slack = slack(cell);
        scene.shapes.push(Shape { slack, ..shape(design.outline(cell), kind) });
    }
    let dot = (die.width() / 250).clamp(1, i64::from(i32::MAX)) as i32;
    for (_, port) in design.ports().iter() {
        if let Some(at) = port.location {
            let (x, y) = (at.x.saturating_sub(dot / 2), at.y.saturating_sub(dot / 2));
            let at = Rect::new(x, y, x.saturating_add(dot), y.saturating_add(dot));
            scene.shapes.push(shape(at, ShapeKind::Port));
        }
    }
    scene
}
