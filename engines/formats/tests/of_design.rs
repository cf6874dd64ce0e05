//! A design becomes a macro placement case: every port, cell and signal net is there, each body at
//! the centre of its outline.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use cellwright_db::{Design, Place};
use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::ct::{of_design, place_design, read_netlist, write_netlist};
use cellwright_formats::load::load;
use cellwright_formats::text::{Problems, Source};
use cellwright_macros::Kind;

#[test]
fn a_generated_design_is_whole() {
    let folder = std::env::temp_dir().join(format!("cellwright-of-design-{}", std::process::id()));
    let bundle = write_bundle(&folder, &Spec::preset("tiny").unwrap()).unwrap();
    let loaded = load(Bundle::read(&bundle).unwrap()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let mut design = Design::new(&loaded.snapshot);
    let row = design.floorplan().rows[0].clone();
    for (n, cell) in design.cells().collect::<Vec<_>>().into_iter().enumerate() {
        let x = row.origin.x + (n as i32 % row.count) * row.step;
        design.move_cell(cell, Place::placed(x, row.origin.y, row.orient)).unwrap();
    }
    let (netlist, placement) = of_design(&design);
    let cells: Vec<_> = design.cells().collect();
    assert_eq!(netlist.count(Kind::Port), design.ports().len());
    assert_eq!(
        netlist.count(Kind::Cell) + netlist.count(Kind::Soft) + netlist.count(Kind::Hard),
        cells.len()
    );
    let die = design.floorplan().die;
    for cell in cells {
        let n = netlist.items.iter().position(|i| i.name == design.cell_name(cell)).unwrap();
        let (item, spot) = (&netlist.items[n], placement.spots[n].unwrap());
        let outline = design.outline(cell);
        let micron = |dbu: i32| design.tech().microns(i64::from(dbu));
        let (left, bottom) = (micron(outline.lo.x - die.lo.x), micron(outline.lo.y - die.lo.y));
        assert!((spot.x - item.width / 2.0 - left).abs() < 1e-9);
        assert!((spot.y - item.height / 2.0 - bottom).abs() < 1e-9);
    }
    // Each signal net of at least two pins is one net with all of them.
    let pins: usize = design
        .nets()
        .filter(|net| design.net(*net).kind.is_routed() && design.net_pins(*net).len() > 1)
        .map(|net| design.net_pins(net).len() - 1)
        .sum();
    assert_eq!(netlist.items.iter().map(|item| item.sinks.len()).sum::<usize>(), pins);
    let text = Source::new("case", write_netlist(&netlist)).unwrap();
    let mut problems = Problems::new();
    assert!(read_netlist(&text, &mut problems).unwrap() == netlist);

    // Places go back into the design: nothing moves first, then every cell by a micrometre.
    assert_eq!(place_design(&mut design, &netlist, &placement).unwrap(), 0);
    let mut shifted = placement.clone();
    for (item, spot) in netlist.items.iter().zip(&mut shifted.spots) {
        if let (Kind::Cell | Kind::Soft | Kind::Hard, Some(spot)) = (item.kind, spot) {
            spot.x += 1.0;
        }
    }
    let moved = place_design(&mut design, &netlist, &shifted).unwrap();
    assert_eq!(moved, design.cells().count());
    let (_, now) = of_design(&design);
    for (is, was) in now.spots.iter().zip(&shifted.spots) {
        match (is, was) {
            (Some(is), Some(was)) => assert!((is.x - was.x).abs() < 1e-3 && is.y == was.y),
            _ => assert_eq!(is, was),
        }
    }
}
