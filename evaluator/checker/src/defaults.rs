//! How a bundle is timed when nobody says otherwise.

use cellwright_db::tech::{LayerKind, Technology};
use cellwright_formats::bundle::WireUnit;
use cellwright_formats::constraints::Constraints;
use cellwright_formats::load::Loaded;

use crate::timing::{Calculator, CornerSetting, PerMicron, Setting, Wires};

/// All corners of the bundle, wires from the placement, Elmore delays; and what that leaves open.
///
/// Resistance and capacitance per µm are the bundle's `[wire]`; else, on LEF's figures for wires of
/// default width, the mean of the routing layers from the second to the sixth; else none.
pub fn setting<'a>(loaded: &Loaded, constraints: &'a Constraints) -> (Setting<'a>, Vec<String>) {
    let mut left_open = Vec::new();
    let wires = wires(loaded);
    if matches!(wires, Wires::None) {
        left_open.push("timing: neither bundle nor LEF says what a wire weighs".to_owned());
    }
    for corner in loaded.bundle.corner.iter().filter(|corner| corner.spefs().next().is_some()) {
        left_open.push(format!("timing: the SPEF file of corner `{}`", corner.name));
    }
    let corners = (0..loaded.bundle.corner.len())
        .map(|corner| CornerSetting { corner, wires: wires.clone() })
        .collect();
    (Setting { constraints, corners, calculator: Calculator::LumpedElmore }, left_open)
}

fn wires(loaded: &Loaded) -> Wires {
    if let Some(model) = &loaded.bundle.wire {
        let unit = |unit: WireUnit| PerMicron { resistance: unit.r, capacitance: unit.c };
        let signal = unit(model.signal);
        return Wires::Placement { signal, clock: model.clock.map_or(signal, unit) };
    }
    match mean_of_layers(&loaded.snapshot.context().tech) {
        Some(unit) => Wires::Placement { signal: unit, clock: unit },
        None => Wires::None,
    }
}

fn mean_of_layers(tech: &Technology) -> Option<PerMicron> {
    let routing = tech.layers.iter().filter(|(_, layer)| layer.kind == LayerKind::Routing);
    let known: Vec<(f64, f64)> = routing
        .skip(1)
        .take(5)
        .filter_map(|(_, layer)| {
            let width = f64::from(layer.width) / f64::from(tech.dbu_per_micron);
            let resistance = layer.resistance.filter(|_| width > 0.0)? / width;
            let area = layer.capacitance.map(|per_area| per_area * width);
            let edges = layer.edge_capacitance.map(|edge| 2.0 * edge);
            let capacitance = match (area, edges) {
                (None, None) => return None,
                (area, edges) => area.unwrap_or(0.0) + edges.unwrap_or(0.0),
            };
            Some((resistance, capacitance))
        })
        .collect();
    let count = known.len() as f64;
    (!known.is_empty()).then(|| PerMicron {
        resistance: known.iter().map(|unit| unit.0).sum::<f64>() / count,
        capacitance: known.iter().map(|unit| unit.1).sum::<f64>() / count,
    })
}
