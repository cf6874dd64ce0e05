//! A technology, a library and designs of a few cells, built by hand.
#![allow(dead_code, clippy::unwrap_used, reason = "helpers of several test programs")]

use std::sync::Arc;

use cellwright_db::floorplan::{Floorplan, Row};
use cellwright_db::library::{Master, MasterClass, MasterPin, PinDirection, Rail, SupplyPin};
use cellwright_db::logic::Expr;
use cellwright_db::tech::{Layer, LayerKind, Site, Symmetry};
use cellwright_db::timing::{
    ArcKind, Axis, Corner, Edge, LibUnits, Sense, Sequential, Table, TableVariable, Thresholds,
    TimingArc, TimingCell, TimingLib, TimingPin,
};
use cellwright_db::{
    DesignBuilder, IdVec, LayerId, Library, MasterId, MasterPinId, Orient, Point, Rect, SiteId,
    Technology,
};

/// DBU per µm.
pub(crate) const SCALE: i32 = 1000;
/// Site width and row height, DBU.
pub(crate) const SITE: i32 = 100;
pub(crate) const ROW: i32 = 1000;

pub(crate) fn technology(edge_spacing: Vec<(String, String, i32)>) -> Technology {
    let layer = Layer {
        name: "m1".into(),
        kind: LayerKind::Routing,
        direction: None,
        pitch: (0, 0),
        width: 0,
        spacing: 0,
        resistance: None,
        capacitance: None,
        edge_capacitance: None,
    };
    let symmetry = Symmetry { x: false, y: true, r90: false };
    let site = Site { name: "core".into(), width: SITE, height: ROW, symmetry };
    Technology {
        name: "small".into(),
        dbu_per_micron: SCALE,
        manufacturing_grid: 5,
        layers: vec![layer].into(),
        sites: vec![site].into(),
        edge_spacing,
        digest: [1; 32],
    }
}

fn pin(name: &str, direction: PinDirection) -> MasterPin {
    MasterPin {
        name: name.into(),
        direction,
        is_clock: name == "CK",
        shapes: Vec::new(),
        bbox: Rect::default(),
        offset: Point::new(0, 0),
    }
}

/// A master of `sites` × `rows` with the given pins (in byte order); names that start with `Y` or
/// `Q` are outputs. The ground rail runs along the bottom.
pub(crate) fn master(
    name: &str,
    class: MasterClass,
    sites: i32,
    rows: i32,
    pins: &[&str],
) -> Master {
    let (width, height) = (sites * SITE, rows * ROW);
    let rail = |rail, y: i32| SupplyPin {
        name: format!("{rail:?}"),
        rail,
        shapes: vec![(LayerId(0), Rect::new(0, y - 50, width, y + 50))],
    };
    let top = if rows % 2 == 0 { Rail::Ground } else { Rail::Power };
    Master {
        name: name.into(),
        class,
        width,
        height,
        site: Some(SiteId(0)),
        symmetry: Symmetry { x: true, y: true, r90: false },
        pins: pins
            .iter()
            .map(|name| {
                let output = name.starts_with('Y') || name.starts_with('Q');
                pin(name, if output { PinDirection::Output } else { PinDirection::Input })
            })
            .collect(),
        supplies: vec![rail(Rail::Ground, 0), rail(top, height)],
        obstructions: Vec::new(),
        edge_types: None,
        has_geometry: true,
        function_class: 0,
    }
}

/// A table `a + b · load + s · slew`, exact by linear interpolation.
pub(crate) fn plane(a: f32, by_slew: f32, by_load: f32) -> Table {
    let (slews, loads) = ([0.0_f32, 1.0], [0.0_f32, 1.0]);
    let axis = |variable, values: &[f32]| Axis { variable, values: values.into() };
    Table {
        axes: vec![axis(TableVariable::InputSlew, &slews), axis(TableVariable::OutputLoad, &loads)],
        values: slews.iter().flat_map(|s| loads.map(|c| a + by_slew * s + by_load * c)).collect(),
    }
}

/// A constant table.
pub(crate) fn constant(value: f32) -> Table {
    Table { axes: Vec::new(), values: [value].into() }
}

fn arc(
    from: u32,
    to: u32,
    kind: ArcKind,
    sense: Sense,
    value: Table,
    slew: Option<Table>,
) -> TimingArc {
    TimingArc {
        from: MasterPinId(from),
        to: MasterPinId(to),
        kind,
        sense,
        when: None,
        sdf_cond: None,
        mode: None,
        value: [Some(value.clone()), Some(value)],
        slew: [slew.clone(), slew],
    }
}

/// Input capacitance of every pin, pF.
pub(crate) const PIN_CAP: f32 = 0.01;
/// Clock to output, ns; setup and hold, ns.
pub(crate) const CK_TO_Q: f32 = 0.2;
pub(crate) const SETUP: f32 = 0.05;
pub(crate) const HOLD: f32 = 0.02;

/// Inverter, buffer, two-input and-gate, flip-flop, a double-height buffer, a macro.
pub(crate) fn masters() -> Vec<Master> {
    vec![
        master("INV", MasterClass::Core, 2, 1, &["A", "Y"]),
        master("BUF", MasterClass::Core, 2, 1, &["A", "Y"]),
        master("BUF2", MasterClass::Core, 3, 1, &["A", "Y"]),
        master("AND", MasterClass::Core, 3, 1, &["A", "B", "Y"]),
        master("DFF", MasterClass::Core, 6, 1, &["CK", "D", "Q"]),
        master("TALL", MasterClass::Core, 2, 2, &["A", "Y"]),
        master("RAM", MasterClass::Block, 10, 3, &["A", "Y"]),
    ]
}

/// Delay of an inverter or gate: `base + 0.1 · slew + 2 · load`, ns.
pub(crate) const LOAD_DELAY: f32 = 2.0;
pub(crate) const SLEW_DELAY: f32 = 0.1;
/// Slew at every output: 0.03 + 1 · load, ns.
pub(crate) const SLEW: f32 = 0.03;

fn cell(number: u32, master: &Master) -> TimingCell {
    let pins = master.pins.len();
    let mut cell = TimingCell {
        master: MasterId(number),
        area: 1.0,
        leakage: Some(1e-6),
        dont_use: false,
        dont_touch: false,
        is_macro: false,
        clock_gate: None,
        footprint: None,
        pins: vec![TimingPin::default(); pins],
        arcs: Vec::new(),
        sequentials: Vec::new(),
    };
    for (pin, of) in cell.pins.iter_mut().zip(&master.pins) {
        pin.present = true;
        if of.direction == PinDirection::Input {
            pin.cap_min = [PIN_CAP; 2];
            pin.cap_max = [PIN_CAP; 2];
        }
    }
    let var = |v| Box::new(Expr::Var(v));
    let slew = || Some(plane(SLEW, 0.0, 1.0));
    let gate = |from, to, sense, base| {
        let delay = plane(base, SLEW_DELAY, LOAD_DELAY);
        arc(from, to, ArcKind::Combinational(None), sense, delay, slew())
    };
    match master.name.as_str() {
        "INV" => {
            cell.pins[1].function = Some(Expr::Not(var(0)));
            cell.arcs.push(gate(0, 1, Sense::Negative, 0.1));
        }
        "BUF" | "BUF2" | "TALL" => {
            cell.pins[1].function = Some(Expr::Var(0));
            let base = if master.name == "BUF2" { 0.05 } else { 0.1 };
            cell.arcs.push(gate(0, 1, Sense::Positive, base));
        }
        "AND" => {
            cell.pins[2].function = Some(Expr::And(var(0), var(1)));
            cell.arcs.push(gate(0, 2, Sense::Positive, 0.1));
            cell.arcs.push(gate(1, 2, Sense::Positive, 0.15));
        }
        "DFF" => {
            cell.pins[2].function = Some(Expr::Var(Expr::STATE));
            cell.pins[0].is_clock = true;
            cell.sequentials.push(Sequential {
                is_latch: false,
                clock: Some(Expr::Var(0)),
                data: Some(Expr::Var(1)),
                clear: None,
                preset: None,
                state: Expr::STATE,
            });
            let launch = ArcKind::ClockToOutput(Edge::Rise);
            cell.arcs.push(arc(0, 2, launch, Sense::NonUnate, constant(CK_TO_Q), slew()));
            let (setup, hold) = (ArcKind::Setup(Edge::Rise), ArcKind::Hold(Edge::Rise));
            cell.arcs.push(arc(0, 1, setup, Sense::NonUnate, constant(SETUP), None));
            cell.arcs.push(arc(0, 1, hold, Sense::NonUnate, constant(HOLD), None));
        }
        _ => {}
    }
    cell
}

/// The library with one corner, `typ`.
pub(crate) fn library(masters: Vec<Master>) -> Library {
    let cells: Vec<TimingCell> =
        masters.iter().enumerate().map(|(number, master)| cell(number as u32, master)).collect();
    let view: Vec<_> = (0..cells.len()).map(|number| Some((0, number as u32))).collect();
    let lib = TimingLib {
        name: "small".into(),
        digest: [2; 32],
        units: LibUnits { time: 1.0, capacitance: 1.0, resistance: 1.0 },
        voltage: 1.0,
        thresholds: Thresholds::default(),
        slew_derate: 1.0,
        default_max_slew: None,
        default_max_cap: None,
        default_max_fanout: None,
        default_fanout_load: None,
        wire_loads: Vec::new(),
        default_wire_load: None,
        cells,
    };
    let corner = Corner {
        name: "typ".into(),
        early: view.clone(),
        late: view,
        early_libs: vec![0],
        late_libs: vec![0],
    };
    let masters: IdVec<MasterId, Master> = masters.into();
    Library::new(masters, vec![lib], vec![corner], [3; 32])
}

/// A builder on the small technology and library.
pub(crate) fn builder() -> DesignBuilder {
    DesignBuilder::new("small", Arc::new(technology(Vec::new())), Arc::new(library(masters())))
}

/// A die with `rows` rows of `sites` sites, alternately N and FS.
pub(crate) fn floorplan(rows: i32, sites: i32) -> Floorplan {
    let die = Rect::new(0, 0, sites * SITE, rows * ROW);
    let row = |number: i32| Row {
        name: format!("row_{number}"),
        site: SiteId(0),
        origin: Point::new(0, number * ROW),
        orient: if number % 2 == 0 { Orient::N } else { Orient::FS },
        count: sites,
        step: SITE,
    };
    Floorplan {
        die_outline: vec![die.lo, die.hi],
        die,
        rows: (0..rows).map(row).collect(),
        ..Floorplan::default()
    }
}
