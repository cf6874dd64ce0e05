//! The promises of the database over random edit sequences: undo is exact, a delta and its inverse
//! cancel, every way to a state gives its root, the flat and the shared state agree.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::sync::Arc;

use cellwright_db::library::{MasterClass, PinDirection};
use cellwright_db::logic::Expr;
use cellwright_db::records::NetKind;
use cellwright_db::tech::Symmetry;
use cellwright_db::timing::{Corner, LibUnits, Thresholds, TimingCell, TimingLib, TimingPin};
use cellwright_db::{
    CellId, Delta, Design, DesignBuilder, DirtySet, Floorplan, IdVec, Library, Master, MasterId,
    MasterPin, NetId, Op, Orient, PinId, Place, Point, Rect, Snapshot, Technology,
};
use proptest::prelude::*;

fn tech() -> Arc<Technology> {
    Arc::new(Technology {
        name: "t".into(),
        dbu_per_micron: 1000,
        manufacturing_grid: 5,
        layers: IdVec::new(),
        sites: IdVec::new(),
        edge_spacing: Vec::new(),
        digest: [1; 32],
    })
}

fn master(name: &str, inputs: &[&str], width: i32) -> Master {
    let pin = |name: &str, direction| MasterPin {
        name: name.into(),
        direction,
        is_clock: false,
        shapes: Vec::new(),
        bbox: Rect::default(),
        offset: Point::new(width / 2, 700),
    };
    let mut pins: Vec<_> = inputs.iter().map(|name| pin(name, PinDirection::Input)).collect();
    pins.push(pin("Z", PinDirection::Output));
    Master {
        name: name.into(),
        class: MasterClass::Core,
        width,
        height: 1400,
        site: None,
        symmetry: Symmetry::default(),
        pins,
        supplies: Vec::new(),
        obstructions: Vec::new(),
        edge_types: None,
        has_geometry: true,
        function_class: 0,
    }
}

/// INV, BUF and NAND2, each in two drives.
fn library() -> Arc<Library> {
    let masters: IdVec<MasterId, Master> = vec![
        master("INV_X1", &["A"], 200),
        master("INV_X2", &["A"], 400),
        master("BUF_X1", &["A"], 400),
        master("BUF_X2", &["A"], 600),
        master("NAND2_X1", &["A", "B"], 600),
        master("NAND2_X2", &["A", "B"], 800),
    ]
    .into();
    let var = |v| Box::new(Expr::Var(v));
    let cells = masters
        .iter()
        .map(|(id, master)| {
            let mut pins =
                vec![TimingPin { present: true, ..Default::default() }; master.pins.len()];
            let function = match id.0 / 2 {
                0 => Expr::Not(var(0)),
                1 => Expr::Var(0),
                // The two drives spell the same function in two ways.
                _ if id.0 % 2 == 0 => Expr::Not(Box::new(Expr::And(var(0), var(1)))),
                _ => Expr::Or(Box::new(Expr::Not(var(0))), Box::new(Expr::Not(var(1)))),
            };
            pins.last_mut().unwrap().function = Some(function);
            TimingCell {
                master: id,
                area: 1.0,
                leakage: None,
                dont_use: false,
                dont_touch: false,
                is_macro: false,
                clock_gate: None,
                footprint: None,
                pins,
                arcs: Vec::new(),
                sequentials: Vec::new(),
            }
        })
        .collect();
    let views: Vec<_> = (0..masters.len() as u32).map(|cell| Some((0, cell))).collect();
    let lib = TimingLib {
        name: "l".into(),
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
        early: views.clone(),
        late: views,
        early_libs: vec![0],
        late_libs: vec![0],
    };
    Arc::new(Library::new(masters, vec![lib], vec![corner], [3; 32]))
}

/// A chain-like random netlist with `cells` cells.
fn snapshot(cells: usize, seed: u64) -> Snapshot {
    let mut builder = DesignBuilder::new("top", tech(), library());
    let mut state = seed;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let input = builder.add_net("in", NetKind::Signal);
    builder.add_port("in", PinDirection::Input, input, Some(Point::new(0, 0)), Vec::new(), None);
    let mut nets = vec![input];
    for number in 0..cells {
        let master = MasterId::new(random(6));
        let place = Place::placed(random(100_000) as i32, random(100_000) as i32, Orient::N);
        let cell = builder.add_cell(&format!("u{number}"), master, place);
        let pins = builder.library().masters[master].pins.len();
        for pin in 0..pins - 1 {
            let net = nets[random(nets.len())];
            builder.connect(cell, cellwright_db::MasterPinId::new(pin), net);
        }
        let net = builder.add_net(&format!("n{number}"), NetKind::Signal);
        builder.connect(cell, cellwright_db::MasterPinId::new(pins - 1), net);
        nets.push(net);
    }
    let last = *nets.last().unwrap();
    builder.add_port("out", PinDirection::Output, last, None, Vec::new(), None);
    builder.finish(Floorplan { die: Rect::new(0, 0, 100_000, 100_000), ..Default::default() })
}

/// One edit as numbers, so that proptest can shrink it.
type Edit = (u8, u32, u32, u32);

fn carry_out(design: &mut Design, (kind, a, b, c): Edit) {
    let cell = CellId(a % design.cell_slots() as u32);
    let net = NetId(b % design.net_slots() as u32);
    let pin = PinId(c % design.pin_slots() as u32);
    let place =
        Place::placed((b % 90_000) as i32, (c % 90_000) as i32, Orient::ALL[a as usize % 8]);
    let mark = design.mark();
    let done = match kind % 8 {
        0 | 1 => design.move_cell(cell, place),
        2 => design.resize_cell(cell, MasterId(b % 6)),
        3 | 4 => {
            let sinks = design.net_pins(net).to_vec();
            let driver = design.driver(net);
            let sinks: Vec<_> = sinks
                .into_iter()
                .filter(|pin| Some(*pin) != driver)
                .take(1 + c as usize % 3)
                .collect();
            design.insert_buffer(net, &sinks, MasterId(2 + c % 2), None, place).map(drop)
        }
        5 => design.remove_buffer(cell),
        6 => design.swap_pins(pin, PinId(b % design.pin_slots() as u32)),
        _ => design.connect(pin, net),
    };
    if done.is_err() {
        design.undo_to(mark);
    }
}

fn consistent(design: &Design) {
    for net in design.nets() {
        let pins = design.net_pins(net);
        assert!(pins.is_sorted_by(|a, b| a < b));
        assert!(pins.iter().all(|pin| design.pin_net(*pin) == Some(net)));
        let drives = |pin: &&PinId| design.pin_direction(**pin) == PinDirection::Output;
        assert_eq!(design.driver(net), pins.iter().find(drives).copied());
    }
    let on_nets: usize = design.nets().map(|net| design.net_pins(net).len()).sum();
    let connected =
        (0..design.pin_slots()).filter(|pin| design.pin_net(PinId::new(*pin)).is_some());
    assert_eq!(on_nets, connected.count());
}

fn edits(most: usize) -> impl Strategy<Value = Vec<Edit>> {
    proptest::collection::vec(any::<Edit>(), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn undo_brings_back_every_bit(first in edits(30), second in edits(30), seed in 0_u64..1000) {
        let mut design = Design::new(&snapshot(40, seed));
        first.into_iter().for_each(|edit| carry_out(&mut design, edit));
        let (root, stamp, mark) = (design.snapshot().root(), design.stamp(), design.mark());
        let twin = design.clone();
        second.into_iter().for_each(|edit| carry_out(&mut design, edit));
        consistent(&design);
        design.undo_to(mark);
        prop_assert_eq!(design.stamp(), stamp);
        prop_assert_eq!(design.snapshot().root(), root);
        prop_assert_eq!(design.next_cell(), twin.next_cell());
        prop_assert_eq!(design.pin_slots(), twin.pin_slots());
        prop_assert_eq!(design.commit().root(), root);
        consistent(&design);
    }

    #[test]
    fn a_delta_and_its_inverse_cancel(list in edits(40), seed in 0_u64..1000) {
        let parent = snapshot(40, seed);
        let mut design = Design::new(&parent);
        let mark = design.mark();
        list.into_iter().for_each(|edit| carry_out(&mut design, edit));
        let delta = design.delta_since(mark);
        let child = parent.apply(&delta).unwrap();
        prop_assert_eq!(child.root(), design.snapshot().root());
        prop_assert_eq!(child.apply(&delta.inverse()).unwrap().root(), parent.root());
        prop_assert_eq!(&delta.inverse().inverse(), &delta);
        let bytes = delta.canonical_bytes();
        prop_assert_eq!(&Delta::from_canonical_bytes(&bytes).unwrap(), &delta);
        prop_assert!(bytes.is_empty() || Delta::from_canonical_bytes(&bytes[..bytes.len() - 1]).is_err() || delta.ops.is_empty());
        let committed = design.commit();
        prop_assert_eq!(committed.root(), child.root());
        // The flat state made anew from the snapshot is the same state.
        let fresh = Design::new(&committed);
        prop_assert_eq!(fresh.snapshot().root(), child.root());
        consistent(&fresh);
        // And the difference of the two snapshots leads from one to the other, both ways.
        let there = parent.diff(&child).unwrap();
        prop_assert_eq!(parent.apply(&there).unwrap().root(), child.root());
        let back = child.diff(&parent).unwrap();
        prop_assert_eq!(child.apply(&back).unwrap().root(), parent.root());
    }

    #[test]
    fn a_dirty_set_is_a_function_of_parent_and_delta(list in edits(20), seed in 0_u64..1000) {
        let parent = snapshot(40, seed);
        let mut design = Design::new(&parent);
        let mark = design.mark();
        list.into_iter().for_each(|edit| carry_out(&mut design, edit));
        let dirty = design.dirty_since(mark);
        let mut again = Design::new(&parent);
        let mark_again = again.mark();
        again.apply(&design.delta_since(mark)).unwrap();
        prop_assert_eq!(&again.dirty_since(mark_again), &dirty);
        // Nothing outside the set has changed.
        let before = Design::new(&parent);
        for cell in before.cells() {
            if dirty.cells.binary_search(&cell).is_err() {
                prop_assert_eq!(before.cell(cell), design.cell(cell));
                prop_assert_eq!(before.place(cell), design.place(cell));
            }
        }
        for net in before.nets() {
            if dirty.nets.binary_search(&net).is_err() {
                prop_assert_eq!(before.net_pins(net), design.net_pins(net));
            }
        }
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut framed = b"cellwright delta v1".to_vec();
        framed.extend(&bytes);
        for bytes in [&bytes, &framed] {
            if let Ok(delta) = Delta::from_canonical_bytes(bytes) {
                prop_assert_eq!(&delta.canonical_bytes(), bytes);
            }
        }
    }

    #[test]
    fn a_failing_delta_changes_nothing(list in edits(10), seed in 0_u64..1000) {
        let parent = snapshot(40, seed);
        let mut design = Design::new(&parent);
        let mark = design.mark();
        list.into_iter().for_each(|edit| carry_out(&mut design, edit));
        let mut delta = design.delta_since(mark);
        design.undo_to(mark);
        let lie = Place::placed(-1, -1, Orient::N);
        delta.ops.push(Op::Move { cell: CellId(0), from: lie, to: lie });
        prop_assert!(design.apply(&delta).is_err());
        prop_assert!(parent.apply(&delta).is_err());
        prop_assert_eq!(design.snapshot().root(), parent.root());
    }
}

#[test]
fn a_resize_needs_the_same_pins_and_a_class_the_same_function() {
    let library = library();
    assert!(library.same_function(MasterId(4), MasterId(5)));
    assert!(!library.same_function(MasterId(0), MasterId(2)));
    assert_eq!(library.buffers(), [MasterId(2), MasterId(3)]);
    let mut design = Design::new(&snapshot(10, 1));
    let inverter = design.cells().find(|cell| design.master_id(*cell).0 < 2).unwrap();
    assert!(design.resize_cell(inverter, MasterId(4)).is_err());
    assert!(design.resize_cell(inverter, MasterId(77)).is_err());
}

#[test]
fn ids_outside_the_design_are_refused() {
    let mut design = Design::new(&snapshot(10, 1));
    let far = u32::MAX - 1;
    assert!(design.move_cell(CellId(far), Place::default()).is_err());
    assert!(design.resize_cell(CellId(far), MasterId(0)).is_err());
    assert!(design.connect(PinId(far), NetId(0)).is_err());
    assert!(design.connect(PinId(0), NetId(far)).is_err());
    assert!(design.remove_buffer(CellId(far)).is_err());
    assert!(design.insert_buffer(NetId(far), &[], MasterId(2), None, Place::default()).is_err());
    assert!(design.swap_pins(PinId(far), PinId(0)).is_err());
    assert!(
        design
            .apply(&Delta {
                ops: vec![Op::Move {
                    cell: CellId(far),
                    from: Place::default(),
                    to: Place::default()
                }]
            })
            .is_err()
    );
    assert!(DirtySet::empty(design.stamp()).is_empty());
}
