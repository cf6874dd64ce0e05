#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

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
    let text = write_bookshelf(&netlist, &placement, "case", 1.0);
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
