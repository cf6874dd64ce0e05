#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{read_netlist, read_placement, write_netlist, write_placement};
use crate::text::testing::{corpus, mutations, refuses};
use crate::text::{Problems, Source, open};
use cellwright_macros::netlist::{Kind, Placement, Settings};
use proptest::prelude::*;

const SMALL: &str = r#"# FP bbox: {0.0 0.0} {200.0 100.0}
node { name: "__metadata__" attr { key: "soft_macro_area_bloating_ratio" value { f: 2.0 } } }
node { name: "P" input: "M/i" attr { key: "side" value { placeholder: "LEFT" } }
  attr { key: "type" value { placeholder: "PORT" } }
  attr { key: "x" value { f: 0 } } attr { key: "y" value { f: 50 } } }
node { name: "M" attr { key: "type" value { placeholder: "MACRO" } }
  attr { key: "width" value { f: 30 } } attr { key: "height" value { f: 1.5e1 } }
  attr { key: "orientation" value { placeholder: "FN" } } attr { key: "made_up" value { i: 7 } } }
node { name: "M/i" attr { key: "type" value { placeholder: "MACRO_PIN" } }
  attr { key: "macro_name" value { placeholder: "M" } }
  attr { key: "x_offset" value { f: -15 } } }
node { name: "M/o" input: "G/p" input: "P" attr { key: "type" value { placeholder: "MACRO_PIN" } }
  attr { key: "weight" value { f: 3 } } }
node { name: "G" attr { key: "type" value { placeholder: "macro" } }
  attr { key: "width" value { f: 4 } } attr { key: "height" value { f: 5 } } }
node { name: "G/p" attr { key: "type" value { placeholder: "macro_pin" } }
  attr { key: "macro_name" value { placeholder: "G" } } }
"#;

const PLC: &str = "# Columns : 24  Rows : 21
# Width : 1433.406  Height : 1433.406
# Routes per micron, hor : 57.031  ver : 56.818
# Routes used by macros, hor : 39.583  ver : 30.303
# Smoothing factor : 2
# Blockage : 0 0 10 10 1.0
0 0 50 - 1
1 20.5 30 FN 0
4 7 8 N 0
";

fn source(text: &str) -> Source {
    Source::new("case", text).unwrap()
}

#[test]
fn reads_what_the_format_says() {
    let mut problems = Problems::new();
    let netlist = read_netlist(&source(SMALL), &mut problems).unwrap();
    assert!(problems.is_empty());
    assert_eq!(netlist.outline, Some((200.0, 100.0)));
    let kinds: Vec<Kind> = netlist.items.iter().map(|item| item.kind).collect();
    use Kind::{Hard, HardPin, Port, Soft, SoftPin};
    assert_eq!(kinds, [Port, Hard, HardPin, HardPin, Soft, SoftPin]);
    assert_eq!(netlist.items[3].sinks, [5, 0]);
    assert_eq!(netlist.items[3].owner, 1);
    assert_eq!(netlist.items[2].offset, (-15.0, 0.0));
    assert_eq!(netlist.net_count(), 4.0);
    assert_eq!(netlist.items[1].at, None);
    let placement = read_placement(&source(PLC), &netlist, &mut problems).unwrap();
    assert_eq!(problems.count("plc-blockage"), 1);
    assert_eq!(placement.settings.routes_v, 56.818);
    assert_eq!((placement.settings.columns, placement.settings.smooth_range), (24, 2));
    assert_eq!(placement.spots[1].unwrap().x, 20.5);
    assert!(placement.spots[0].unwrap().fixed);
}

#[test]
fn what_is_written_reads_back_the_same() {
    let mut problems = Problems::new();
    let netlist = read_netlist(&source(SMALL), &mut problems).unwrap();
    let again = read_netlist(&source(&write_netlist(&netlist)), &mut problems).unwrap();
    assert_eq!(netlist, again);
    let placement = read_placement(&source(PLC), &netlist, &mut problems).unwrap();
    let text = write_placement(&netlist, &placement, &["a note".to_owned()]);
    assert_eq!(read_placement(&source(&text), &netlist, &mut problems).unwrap(), placement);
}

#[test]
fn says_what_is_wrong_and_where() {
    let fails = |text: &str, line: u32, part: &str| {
        let error = read_netlist(&source(text), &mut Problems::new()).unwrap_err();
        assert!(error.line == line && error.message.contains(part), "{error}");
    };
    fails("node {\n name: \"a\"\n}", 1, "no type");
    fails("node {\n name: \"a\n}", 2, "closing quote");
    fails("nude {", 1, "`node`");
    fails(
        "node { name: \"a\" attr { key: \"type\" value { placeholder: \"MACRO_PIN\" } } }",
        1,
        "pin of",
    );
    fails(&format!("{SMALL}{}", SMALL.replace("__metadata__", "P")), 19, "second node");
    let netlist = read_netlist(&source(SMALL), &mut Problems::new()).unwrap();
    let fails = |text: &str, line: u32, part: &str| {
        let error = read_placement(&source(text), &netlist, &mut Problems::new()).unwrap_err();
        assert!(error.line == line && error.message.contains(part), "{error}");
    };
    fails("0 1 2 N 0\n2 1 2 N 0\n", 2, "pin");
    fails("0 1 2 N 0\n0 1 2 N 0\n", 2, "twice");
    fails("0 1 2 Q 0\n", 1, "no placement");
    fails("# Columns : -3 Rows : 2\n", 1, "no number");
}

#[test]
fn an_unknown_sink_is_told_and_left_out() {
    let text = SMALL.replace("input: \"P\"", "input: \"nobody\"");
    let mut problems = Problems::new();
    let netlist = read_netlist(&source(&text), &mut problems).unwrap();
    assert_eq!(problems.count("ct-unknown-sink"), 1);
    assert_eq!(netlist.items[3].sinks, [5]);
}

#[test]
fn the_corpus_reads_and_survives_writing() {
    let Some(files) = corpus("netlist.pb.txt", 8 << 20) else { return };
    assert!(files.len() >= 7);
    for file in files {
        let mut problems = Problems::new();
        let netlist = read_netlist(&open(&file).unwrap(), &mut problems).unwrap();
        assert!(problems.is_empty(), "{}: {:?}", file.display(), problems.iter().next());
        let again = read_netlist(&source(&write_netlist(&netlist)), &mut problems).unwrap();
        assert!(netlist == again, "{}", file.display());
        for plc in std::fs::read_dir(file.parent().unwrap()).unwrap() {
            let plc = plc.unwrap().path();
            if plc.extension().is_some_and(|e| e == "plc") {
                let placement =
                    read_placement(&open(&plc).unwrap(), &netlist, &mut problems).unwrap();
                assert_eq!(problems.total(crate::text::Severity::Error), 0, "{}", plc.display());
                let text = write_placement(&netlist, &placement, &[]);
                let again = read_placement(&source(&text), &netlist, &mut problems).unwrap();
                assert!(again == placement, "{}", plc.display());
            }
        }
    }
}

fn read_both(source: &Source, problems: &mut Problems) -> Result<(), crate::text::FormatError> {
    let netlist = read_netlist(source, problems)?;
    let _ = Placement::of_netlist(&netlist, Settings::default());
    read_placement(source, &netlist, problems).map(|_| ())
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        refuses("bytes", &bytes, read_both);
        let netlist = read_netlist(&source(SMALL), &mut Problems::new()).unwrap();
        refuses("bytes", &bytes, |s, p| read_placement(s, &netlist, p).map(|_| ()));
    }

    #[test]
    fn no_mutation_makes_a_reader_panic(text in mutations(&[SMALL, PLC])) {
        refuses("text", text.as_bytes(), read_both);
        let netlist = read_netlist(&source(SMALL), &mut Problems::new()).unwrap();
        refuses("text", text.as_bytes(), |s, p| read_placement(s, &netlist, p).map(|_| ()));
    }
}
