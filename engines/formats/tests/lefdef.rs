//! A macro placement case as LEF and DEF, read back by the readers of both: the same bodies, the same
//! wirelength up to the database unit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use cellwright_db::Design;
use cellwright_formats::bundle::Bundle;
use cellwright_formats::ct::{DBU, of_design, write_lefdef};
use cellwright_formats::load::load;
use cellwright_formats::text::Severity;
use cellwright_macros::netlist::Item;
use cellwright_macros::sample::{Size, generate};
use cellwright_macros::{Engine, Kind, Model, Netlist, Options, Placement};

fn around(name: &str, netlist: &Netlist, placement: &Placement) -> (Netlist, Placement) {
    let folder =
        std::env::temp_dir().join(format!("cellwright-lefdef-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let texts = write_lefdef(netlist, placement, "case", 1.4, true);
    std::fs::write(folder.join("case.lef"), texts.lef).unwrap();
    std::fs::write(folder.join("case.def"), texts.def).unwrap();
    let bundle = Bundle {
        name: "case".to_owned(),
        tech: "files".to_owned(),
        lef: vec![folder.join("case.lef")],
        def: Some(folder.join("case.def")),
        ..Bundle::default()
    };
    let loaded = load(bundle).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    for problem in loaded.problems.iter() {
        assert!(problem.severity == Severity::Info, "{problem}");
    }
    of_design(&Design::new(&loaded.snapshot))
}

fn wirelength(netlist: &Netlist, placement: &Placement) -> f64 {
    let mut settings = placement.settings.clone();
    (settings.routes_h, settings.routes_v) = (50.0, 50.0);
    let placement = Placement { settings, ..placement.clone() };
    let model = Arc::new(Model::new(netlist, &placement.settings).unwrap());
    Engine::new(model, &placement, Options::default()).unwrap().cost().wirelength_um
}

#[test]
fn macros_and_their_pins_come_back() {
    let (mut netlist, placement) = generate(Size { nets: 200, ..Size::SMALL }, 7);
    // Readers of designs have no weights.
    netlist.items.iter_mut().for_each(|item| item.weight = None);
    // Whole rows and sites, so that nothing is widened and centres stay.
    for item in netlist.items.iter_mut().filter(|item| item.kind == Kind::Soft) {
        item.width = (item.width / 1.4).ceil() * 1.4;
        item.height = (item.height / 1.4).ceil() * 1.4;
    }
    let (read, places) = around("macros", &netlist, &placement);
    assert_eq!(read.count(Kind::Hard), netlist.count(Kind::Hard));
    assert_eq!(read.nets(), netlist.nets());
    for (item, spot) in netlist.items.iter().zip(&placement.spots) {
        if item.kind != Kind::Hard {
            continue;
        }
        let n = read.items.iter().position(|other| other.name == item.name).unwrap();
        let (was, is) = (spot.unwrap(), places.spots[n].unwrap());
        let unit = 1.0 / f64::from(DBU);
        assert!((was.x - is.x).abs() <= unit && (was.y - is.y).abs() <= unit, "{}", item.name);
        assert!(is.fixed);
    }
    let (ours, again) = (wirelength(&netlist, &placement), wirelength(&read, &places));
    // Each net's ends are rounded to units: of the corner, the size and the offset.
    let bound = 6.0 * netlist.nets() as f64 / f64::from(DBU);
    assert!((ours - again).abs() < bound, "{ours} {again}");
}

#[test]
fn cells_come_back_in_rows_and_sites() {
    let mut netlist = Netlist { outline: Some((60.0, 42.0)), ..Netlist::default() };
    for n in 0..40u32 {
        let mut item = Item::new(format!("u/c[{n}]"), Kind::Cell, n);
        (item.width, item.height) = (0.38 + 0.19 * f64::from(n % 3), 1.4);
        item.at = Some((1.0 + f64::from(n), 2.0 + f64::from(n % 7)));
        item.master = Some(format!("G{}", n % 3));
        item.sinks = vec![(n + 1) % 40, (n * 7 + 2) % 40];
        netlist.items.push(item);
    }
    let placement = Placement::of_netlist(&netlist, Default::default());
    let (read, places) = around("cells", &netlist, &placement);
    assert_eq!((read.count(Kind::Cell), read.nets()), (40, 40));
    for (item, spot) in read.items.iter().zip(&places.spots) {
        let was = netlist.items.iter().position(|other| other.name == item.name).unwrap();
        assert!((item.width - netlist.items[was].width).abs() < 1e-9 && item.height == 1.4);
        let (was, is) = (placement.spots[was].unwrap(), spot.unwrap());
        assert!((was.x - is.x).abs() < 2e-4 && (was.y - is.y).abs() < 2e-4);
    }
    let (ours, again) = (wirelength(&netlist, &placement), wirelength(&read, &places));
    assert!((ours - again).abs() < 6.0 * 40.0 / f64::from(DBU), "{ours} {again}");
}
