#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::case::case_of;
use super::design::design_of;
use super::{Files, read_files, write_bookshelf};
use crate::text::testing::mutations;
use crate::text::{MAX_BYTES, Problems, Source};
use cellwright_macros::Kind;
use cellwright_macros::sample::{Size, generate};
use proptest::prelude::*;

const NODES: &str = "UCLA nodes 1.0\nNumNodes : 4\nNumTerminals : 2\na 2 10\nM 40 30\np 0 0 terminal\nF 20 20 terminal\n";
const NETS: &str = "UCLA nets 1.0\nNumNets : 2\nNumPins : 5\nNetDegree : 3 n1\n M I : -20 5\n a O : 1 0\n p I\nNetDegree: 2 n2\nF O:3 4\nM I : 20 -5\n";
const PL: &str =
    "UCLA pl 1.0\na 110 20 : N\nM 120 40 : FS\np 100 10 : N /FIXED\nF 200 20 : N /FIXED\n";
const SCL: &str = "UCLA scl 1.0\nNumRows : 1\nCoreRow Horizontal\n Coordinate : 10\n Height : 10\n Sitespacing : 2\n SubrowOrigin : 100 NumSites : 100\nEnd\nCoreRow Horizontal\n Coordinate : 20\n Height : 80\n SubrowOrigin : 100 NumSites : 100\nEnd\n";

fn files(nodes: &str, nets: &str, pl: &str, scl: &str) -> Files {
    let source = |name: &str, text: &str| Source::new(name, text).unwrap();
    Files {
        nodes: source("nodes", nodes),
        nets: source("nets", nets),
        wts: None,
        pl: source("pl", pl),
        scl: source("scl", scl),
    }
}

#[test]
fn reads_a_mixed_size_case() {
    let (netlist, placement) =
        read_files(&files(NODES, NETS, PL, SCL), &mut Problems::new()).unwrap();
    let kinds: Vec<Kind> = netlist.items.iter().map(|i| i.kind).collect();
    assert_eq!(kinds[..4], [Kind::Cell, Kind::Hard, Kind::Port, Kind::Hard]);
    assert_eq!((placement.settings.width, placement.settings.height), (200.0, 90.0));
    let at = |n: usize| (placement.spots[n].unwrap().x, placement.spots[n].unwrap().y);
    assert_eq!((at(0), at(1), at(2)), ((11.0, 15.0), (40.0, 45.0), (0.0, 0.0)));
    assert!(placement.spots[3].unwrap().fixed && !placement.spots[1].unwrap().fixed);
    // The output drives, wherever it stands.
    assert_eq!(netlist.items[0].sinks.len(), 2);
    let pin = &netlist.items[netlist.items[0].sinks[0] as usize];
    assert_eq!((pin.owner, pin.offset, pin.kind), (1, (-20.0, 5.0), Kind::HardPin));
}

#[test]
fn says_what_is_wrong_and_where() {
    let fails = |nodes: &str, nets: &str, pl: &str, scl: &str, file: &str, line: u32| {
        let error = read_files(&files(nodes, nets, pl, scl), &mut Problems::new()).unwrap_err();
        assert!(error.file == file && error.line == line, "{error}");
    };
    fails("a x 3\n", NETS, PL, SCL, "nodes", 1);
    fails("a 1 3\na 1 3\n", NETS, PL, SCL, "nodes", 2);
    fails(NODES, "NetDegree : 1 n\nz I\n", PL, SCL, "nets", 2);
    fails(NODES, "a I\n", PL, SCL, "nets", 1);
    fails(NODES, NETS, "a 1\n", SCL, "pl", 1);
    fails(NODES, NETS, PL, "NumRows : 0\n", "scl", 1);
}

#[test]
fn weights_are_read_and_what_they_cannot_be_is_told() {
    let read = |wts: &str| {
        let wts = Some(Source::new("wts", wts).unwrap());
        let mut problems = Problems::new();
        let result = read_files(&Files { wts, ..files(NODES, NETS, PL, SCL) }, &mut problems);
        (result.map(|(netlist, _)| netlist), problems)
    };
    let (netlist, problems) = read("UCLA wts 1.0\nn1 3\nn2 2.5\na 7\n");
    let netlist = netlist.unwrap();
    assert_eq!(netlist.items[0].net_weight(), 3.0);
    let driver = netlist.items.iter().find(|i| i.kind == Kind::HardPin && !i.sinks.is_empty());
    assert_eq!(driver.unwrap().net_weight(), 2.5);
    assert_eq!(problems.count("bookshelf-weight"), 1, "`a` is a node");
    let error = read("UCLA wts 1.0\nn1 -3\n").0.unwrap_err();
    assert!(error.file == "wts" && error.line == 2, "{error}");
    assert!(read("n1 x\n").0.is_err());
}

#[test]
fn what_is_written_reads_back() {
    let (netlist, mut placement) = generate(Size::SMALL, 2);
    // Whole numbers for the rows, so that they span the canvas.
    placement.settings.width = placement.settings.width.ceil();
    placement.settings.height = placement.settings.height.ceil();
    let text = write_bookshelf(&netlist, &placement, "case", (1.0, 1.0));
    let mut problems = Problems::new();
    let wts = Some(Source::new("wts", text.wts.as_str()).unwrap());
    let again = Files { wts, ..files(&text.nodes, &text.nets, &text.pl, &text.scl) };
    let (read, places) = read_files(&again, &mut problems).unwrap();
    let weights = |netlist: &cellwright_macros::Netlist| {
        let drivers = netlist.items.iter().filter(|i| !i.sinks.is_empty());
        let mut list: Vec<f64> = drivers.map(|i| i.net_weight()).collect();
        list.sort_by(f64::total_cmp);
        list
    };
    assert_eq!(weights(&read), weights(&netlist));
    assert_eq!(
        (places.settings.width, places.settings.height),
        (placement.settings.width, placement.settings.height)
    );
    assert_eq!(read.nets(), netlist.nets());
    let bodies: Vec<usize> =
        (0..netlist.items.len()).filter(|i| !netlist.items[*i].kind.is_pin()).collect();
    for (n, &i) in bodies.iter().enumerate() {
        let (a, b) = (placement.spots[i].unwrap(), places.spots[n].unwrap());
        assert!((a.x - b.x).abs() < 1e-9 && (a.y - b.y).abs() < 1e-9 && a.fixed == b.fixed);
        assert_eq!(netlist.items[i].name, read.items[n].name);
    }
    // The same wirelength, weights aside, which the reader of nets does not take.
    let plain = |netlist: &cellwright_macros::Netlist, placement: &cellwright_macros::Placement| {
        let mut netlist = netlist.clone();
        netlist.items.iter_mut().for_each(|item| item.weight = None);
        let mut placement = placement.clone();
        (placement.settings.routes_h, placement.settings.routes_v) = (1.0, 1.0);
        let model = std::sync::Arc::new(
            cellwright_macros::Model::new(&netlist, &placement.settings).unwrap(),
        );
        cellwright_macros::Engine::new(model, &placement, Default::default())
            .unwrap()
            .cost()
            .wirelength_um
    };
    let (a, b) = (plain(&netlist, &placement), plain(&read, &places));
    // Ports that drive nets keep them; soft pins lie at the centre either way.
    assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        text in mutations(&[NODES, NETS, PL, SCL]),
        which in 0usize..4,
    ) {
        let mut parts = [NODES, NETS, PL, SCL];
        parts[which] = &text;
        let files = files(parts[0], parts[1], parts[2], parts[3]);
        let _ = read_files(&files, &mut Problems::new());
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        // The error may be another file's, which no longer finds its nodes.
        let Ok(nodes) = Source::from_bytes("nodes", &bytes, MAX_BYTES) else { return Ok(()) };
        let _ = read_files(&Files { nodes, ..files(NODES, NETS, PL, SCL) }, &mut Problems::new());
    }
}

fn design(nodes: &str, nets: &str, pl: &str, scl: &str) -> super::BookshelfDesign {
    let Files { nodes, nets, pl, scl, .. } = files(nodes, nets, pl, scl);
    let case = case_of(&nodes, &nets, &pl, &scl, None).unwrap();
    design_of(case, vec![nodes, nets, pl, scl], "case", &mut Problems::new()).unwrap()
}

#[test]
fn a_case_becomes_a_design_and_its_places_read_back() {
    use cellwright_db::library::MasterClass;
    use cellwright_db::{Design, Place, PlaceStatus, Point};
    // Half units are there, so that one unit becomes two DBU.
    let nodes = NODES.replace("a 2 10", "a 2.5 10");
    let case = design(&nodes, NETS, PL, SCL);
    let mut state = Design::new(&case.snapshot);
    assert_eq!(state.tech().dbu_per_micron, 20);
    let cell = |name: &str| state.find_cell(name).unwrap();
    let class = |name: &str| state.master(cell(name)).class;
    assert_eq!(class("a"), MasterClass::Core);
    // 40 × 30 on rows of 10 is a cell of three rows, the terminals block or not by their area.
    assert_eq!(
        (class("M"), class("p"), class("F")),
        (MasterClass::Core, MasterClass::Cover, MasterClass::Block)
    );
    assert_eq!(state.place(cell("F")).status, PlaceStatus::Fixed);
    assert_eq!(state.floorplan().rows.len(), 2);
    assert_eq!(state.floorplan().rows[0].step, 40);
    // Offsets count from the middle: M at (120, 40), its middle at (140, 55), pin at (-20, 5).
    let pin = state.cell_pins(cell("M")).next().unwrap();
    assert_eq!(state.pin_location(pin), Some(Point::new(120 * 20, 60 * 20)));
    let moved = Place { x: 131 * 20 + 10, y: 10 * 20, ..state.place(cell("a")) };
    let a = cell("a");
    state.move_cell(a, moved).unwrap();
    let pl = case.write_pl(&state);
    assert_eq!(pl.lines().nth(2), Some("a 131.5 10 : N"));
    assert!(pl.contains("\np 100 10 : N /FIXED\n") && pl.contains("\nF 200 20 : N /FIXED\n"));
    // What is written reads back as what stands.
    let again = Design::new(&design(&nodes, NETS, &pl, SCL).snapshot);
    for cell in state.cells() {
        assert_eq!(state.place(cell), again.place(cell), "{}", state.cell_name(cell));
    }
    assert_eq!(case.write_pl(&again), pl);
}

#[test]
fn a_design_wants_rows_and_known_names() {
    let told = |nets: &str, pl: &str, scl: &str| {
        let Files { nodes, nets, pl, scl, .. } = files(NODES, nets, pl, scl);
        case_of(&nodes, &nets, &pl, &scl, None).unwrap_err().to_string()
    };
    assert!(told(NETS, PL, "UCLA scl 1.0\n").contains("no row spans an area"));
    assert!(told("NetDegree : 1 n\nnobody I\n", PL, SCL).contains("`nobody` is no node"));
    assert!(told("a O\n", PL, SCL).contains("a pin stands before any net"));
    assert!(told(NETS, "ghost 1 2\n", SCL).contains("`ghost` is no node"));
    let weights = Source::new("wts", "UCLA wts 1.0\nn2 4\n").unwrap();
    let Files { nodes, nets, pl, scl, .. } = files(NODES, NETS, PL, SCL);
    let case = case_of(&nodes, &nets, &pl, &scl, Some(&weights)).unwrap();
    assert_eq!(case.nets.iter().map(|net| net.weight).collect::<Vec<_>>(), [1.0, 4.0]);
}

proptest! {
    #[test]
    fn no_text_makes_the_design_reader_panic(
        text in mutations(&[NODES, NETS, PL, SCL]),
        which in 0usize..4,
    ) {
        let mut parts = [NODES, NETS, PL, SCL];
        parts[which] = &text;
        let Files { nodes, nets, pl, scl, .. } = files(parts[0], parts[1], parts[2], parts[3]);
        if let Ok(case) = case_of(&nodes, &nets, &pl, &scl, None) {
            let sources = vec![nodes, nets, pl, scl];
            if let Ok(read) = design_of(case, sources, "case", &mut Problems::new()) {
                let _ = read.write_pl(&cellwright_db::Design::new(&read.snapshot));
            }
        }
    }
}
