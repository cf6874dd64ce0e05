//! Golden values, and the corpus.

use cellwright_db::Design;
use cellwright_sta::parasitics::{RcNet, RcNode};
use proptest::prelude::*;

use super::{AnnotationReport, Triplet, parse, read_spef, write_spef};
use crate::sdc::cases::{case, chosen, corpus, files};
use crate::sdc::tests::design;
use crate::text::{FormatError, Problems, Source, open};

const HEAD: &str = "*SPEF \"IEEE 1481-1998\"\n*DESIGN \"t\"\n*DATE \"x\"\n*VENDOR \"v\"\n*PROGRAM \"p\"\n\
    *VERSION \"1\"\n*DESIGN_FLOW \"A\" \"B\"\n*DIVIDER /\n*DELIMITER :\n*BUS_DELIMITER [ ]\n\
    *T_UNIT 1.0 PS\n*C_UNIT 1.0 FF\n*R_UNIT 1.0 OHM\n*L_UNIT 1.0 UH\n";

fn read(design: &Design, text: &str) -> Result<(Vec<RcNet>, AnnotationReport), FormatError> {
    let source = Source::new("t.spef", text).unwrap();
    read_spef(design, &[(&source, "")], Triplet::default(), &mut Problems::new())
}

#[test]
fn a_net_with_everything() {
    let design = design();
    let text = format!(
        "{HEAD}*NAME_MAP\n*1 n1\n*2 buf1\n*3 n3\n*PORTS\nin1 I *C 1 2\n\
         // a comment\n*D_NET *1 9 *V 1\n*CONN\n*I *2:Z O *C 1.0 2.0 *L 0 *D BUF_X1\n*I and1:A1 I *L .5\n\
         *I nand1:A1 I *S 1 .1 .9\n*N *1:5 *C 3 4\n*CAP\n1 *2:Z 1\n2 and1:A1 1:2:3\n3 *1:5 *3:7 4\n\
         4 *1:5 5 *SC 1:0.3\n*RES\n1 *2:Z *1:5 100\n2 *1:5 and1:A1 200\n3 *1:5 nand1:A1 300\n\
         *INDUC\n1 *2:Z *1:5 2\n*END\n"
    );
    let (nets, report) = read(&design, &text).unwrap();
    let net = &nets[0];
    assert_eq!((nets.len(), net.net), (1, design.find_net("n1").unwrap()));
    let pin = |name: &str| RcNode::Pin(design.find_pin(name).unwrap());
    assert_eq!(net.nodes, [pin("buf1/Z"), pin("and1/A1"), pin("nand1/A1"), RcNode::Internal(5)]);
    assert_eq!(net.cap, [0.001, 0.002, 0.0, 0.005]);
    assert_eq!(net.res, [(0, 3, 0.1), (3, 1, 0.2), (3, 2, 0.3)]);
    assert_eq!(net.coupling, [(3, 0.004)]);
    assert_eq!(report.nets_annotated, 1);
    assert_eq!(report.unknown_nets.0 + report.unknown_pins.0 + report.strayed_pins.0, 0);
    assert!(report.partial_drivers.is_empty());
}

#[test]
fn names_match_however_they_are_escaped() {
    let design = design();
    for (net, pin) in [
        ("u/q", "u/a/reg[0]:Q"),
        ("u\\/q", "u\\/a\\/reg\\[0\\]:Q"),
        ("u/q", "u/a/reg\\[0\\]:Q"),
        ("other", "u/a/reg[0]:Q"),
    ] {
        let text = format!("{HEAD}*D_NET {net} 1\n*CONN\n*I {pin} O\n*CAP\n1 {pin} 1\n*END\n");
        let (nets, _) = read(&design, &text).unwrap();
        assert_eq!(nets.len(), 1, "{net} {pin}");
        let want = design.find_pin("u/a/reg[0]/Q").unwrap();
        assert_eq!(nets[0].nodes[0], RcNode::Pin(want), "{net} {pin}");
        // The pins that the file leaves out are nodes that nothing leads to.
        let of = design.pin_net(want).unwrap();
        assert_eq!(nets[0].pins().count(), design.net_pins(of).len());
    }
    let other =
        HEAD.replace("*DIVIDER /", "*DIVIDER .").replace("[ ]", "< >").replace("R :", "R |");
    let text =
        format!("{other}*D_NET u.q 1\n*CONN\n*I u.a.reg<0>|Q O\n*CAP\n1 u.a.reg<0>|Q 1\n*END\n");
    let (nets, _) = read(&design, &text).unwrap();
    assert_eq!(nets[0].nodes[0], RcNode::Pin(design.find_pin("u/a/reg[0]/Q").unwrap()));
}

#[test]
fn pieces_of_several_levels_are_joined_and_a_second_read_replaces() {
    let design = design();
    let top = format!(
        "{HEAD}*D_NET d[0] 1\n*CONN\n*P d[0] I\n*I u:din O\n*CAP\n1 d[0] 1\n2 u:din 2\n\
         *RES\n1 d[0] u:din 10\n*END\n"
    );
    let inner = format!(
        "{HEAD}*D_NET din 1\n*CONN\n*P din I\n*I a/reg[0]:D I\n*CAP\n1 din 4\n2 a/reg[0]:D 8\n\
         *RES\n1 din a/reg[0]:D 20\n*END\n"
    );
    let source = |text: &str| Source::new("t.spef", text).unwrap();
    let (top, inner) = (source(&top), source(&inner));
    let orders: [&[(&Source, &str)]; 3] = [
        &[(&top, ""), (&inner, "u")],
        &[(&inner, "u"), (&top, "")],
        &[(&top, ""), (&top, ""), (&inner, "u")],
    ];
    for files in orders {
        let (nets, report) = read_spef(&design, files, Triplet::Typ, &mut Problems::new()).unwrap();
        let net = nets.iter().find(|net| net.net == design.find_net("d[0]").unwrap()).unwrap();
        assert_eq!((net.nodes.len(), net.res.len()), (3, 2));
        let sum: f32 = net.cap.iter().sum();
        assert!((sum - 0.015).abs() < 1e-6);
        assert_eq!(net.cap.iter().filter(|cap| (**cap - 0.006).abs() < 1e-7).count(), 1);
        assert!(report.partial_drivers.is_empty());
    }
}

#[test]
fn damage_is_refused_with_its_line() {
    let design = design();
    for (body, line, what) in [
        ("*D_NET n1 1\n*CONN\n*I buf1:Z O\n", 18, "where *END should follow"),
        ("*D_NET n1 x\n*END\n", 15, "the total capacitance"),
        ("*D_NET n1 1\n*CAP\n1 buf1:Z and1:A1\n*END\n", 18, "a capacitance should"),
        ("*D_NET n1 1\n*BOO\n*END\n", 16, "a section of a net"),
        ("nonsense\n", 15, "where a keyword should"),
        ("*C_UNIT 1 XF\n", 15, "is no unit"),
    ] {
        let error = read(&design, &format!("{HEAD}{body}")).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn what_is_written_reads_back() {
    let design = design();
    let odd = design.find_pin("odd{\\ name;$x/A").unwrap();
    let net = design.find_net("u/q").unwrap();
    let nets = vec![RcNet {
        net,
        nodes: vec![
            RcNode::Pin(design.find_pin("u/a/reg[0]/Q").unwrap()),
            RcNode::Internal(2),
            RcNode::Pin(design.find_pin("u/b/A").unwrap()),
            RcNode::Internal(4),
        ],
        cap: vec![0.1, 0.2, 0.3, 1e-9],
        res: vec![(0, 1, 0.5), (1, 2, 0.25), (1, 3, 0.0)],
        coupling: vec![],
    }];
    let (mut back, report) = read(&design, &write_spef(&design, &nets)).unwrap();
    // The reader lists the pin that the network leaves out.
    assert_eq!((back[0].nodes.pop(), back[0].cap.pop()), (Some(RcNode::Pin(odd)), Some(0.0)));
    let by_node = |net: &RcNet| {
        let mut list: Vec<_> =
            net.nodes.iter().zip(&net.cap).map(|(node, cap)| (format!("{node:?}"), *cap)).collect();
        list.sort_by(|a, b| a.partial_cmp(b).unwrap());
        list
    };
    assert_eq!(by_node(&nets[0]), by_node(&back[0]));
    assert_eq!(back[0].res.len(), 3);
    assert!(report.partial_drivers.iter().any(|(_, missing)| *missing == 1), "{odd:?}");
}

fn drivers(report: &AnnotationReport) -> (usize, usize) {
    (report.unannotated_drivers.len(), report.partial_drivers.len())
}

/// The reference timer counts the same drivers without and with partial parasitics.
#[test]
fn corpus_annotation_equals_the_golden_counts() {
    let Some(corpus) = corpus() else { return };
    for golden in files(&corpus.join("timing"), &["golden/annotation.rpt"]) {
        let folder = golden.parent().unwrap().parent().unwrap();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !chosen(&name) {
            continue;
        }
        let case = case(folder);
        let sources: Vec<(Source, String)> =
            case.spef.iter().map(|(path, at)| (open(path).unwrap(), at.clone())).collect();
        let list: Vec<(&Source, &str)> = sources.iter().map(|(s, at)| (s, at.as_str())).collect();
        let start = std::time::Instant::now();
        let mut problems = Problems::new();
        let (nets, report) = read_spef(&case.design, &list, Triplet::Typ, &mut problems).unwrap();
        let text = std::fs::read_to_string(&golden).unwrap();
        let mut counts = text.lines().filter_map(|l| l.split_whitespace().nth(1)?.parse().ok());
        let want: (usize, usize) = (counts.next().unwrap_or(0), counts.next().unwrap_or(0));
        println!(
            "{name}: {} nets of {} annotated, unknown nets {}, pins {}, strayed {}, drivers {:?} \
             golden {want:?}, {:?}",
            nets.len(),
            report.nets_read,
            report.unknown_nets.0,
            report.unknown_pins.0,
            report.strayed_pins.0,
            drivers(&report),
            start.elapsed()
        );
        assert_eq!(report.unknown_nets.0, 0, "{name}: {:?}", report.unknown_nets);
        // The reference timer drops a resistor at a pin that it does not find, and with it the way
        // to the loads behind it. Here the node stays a node of the wire.
        let want = if name == "i2c_ihp" { (want.0, 0) } else { want };
        assert_eq!(drivers(&report), want, "{name}");
    }
}

#[test]
fn every_parasitics_file_of_the_corpus_reads() {
    let Some(corpus) = corpus() else { return };
    let design = design();
    for path in files(&corpus.join("odd"), &[".spef", ".spef.gz"]) {
        let source = open(&path).unwrap();
        read_spef(&design, &[(&source, "")], Triplet::Max, &mut Problems::new()).unwrap();
    }
}

#[test]
fn a_net_of_many_pins_takes_linear_time() {
    // Nodes only; the design has none of the pins, so every lookup misses, which costs most.
    let net = |pins: usize| {
        let mut text = format!("{HEAD}*D_NET n1 1\n*CONN\n*I buf1:Z O\n");
        for pin in 0..pins {
            text.push_str(&format!("*I x{pin}:CK I\n"));
        }
        text.push_str("*CAP\n");
        for pin in 0..pins {
            text.push_str(&format!("{} x{pin}:CK 1\n", pin + 1));
        }
        text.push_str("*RES\n");
        for pin in 0..pins {
            text.push_str(&format!("{} buf1:Z x{pin}:CK 1\n", pin + 1));
        }
        text + "*END\n"
    };
    let design = design();
    let time = |pins| {
        let text = net(pins);
        let start = std::time::Instant::now();
        let (nets, _) = read(&design, &text).unwrap();
        assert!(nets[0].nodes.len() > pins);
        start.elapsed().as_secs_f64()
    };
    let (small, large) = (time(6_000).max(1e-3), time(60_000));
    println!("6k pins {small:.4} s, 60k pins {large:.4} s");
    // Ten times the pins; a quadratic reader would need a hundred times as long.
    assert!(large < 40.0 * small, "{small} {large}");
}

struct Nothing;

impl<'a> super::Visitor<'a> for Nothing {
    fn header(&mut self, _: &super::Header<'a>) -> Result<(), FormatError> {
        Ok(())
    }
    fn net(&mut self, _: &super::Header<'a>, _: &super::NetSection<'a>) -> Result<(), FormatError> {
        Ok(())
    }
}

const WORDS: &[&str] = &[
    "*D_NET ",
    "*END\n",
    "*CONN\n",
    "*CAP\n",
    "*RES\n",
    "*I ",
    "*P ",
    "*N ",
    "buf1:Z ",
    "n1 ",
    "*1 ",
    "*1:3 ",
    "1 ",
    "2 ",
    "0.5 ",
    "1:2:3 ",
    "I ",
    "O ",
    "*C ",
    "*L ",
    "*S ",
    "*D ",
    "\n",
    "*NAME_MAP\n",
    "*PORTS\n",
    "*R_NET ",
    "*DRIVER ",
    "*C2_R1_C1 ",
    "*LOADS ",
    "*RC ",
    "\"",
    "//",
    "/*",
    "*/",
    "\\",
    "*DELIMITER ",
    ": ",
    "*BUS_DELIMITER ",
    "[] ",
    "*INDUC\n",
    "*V ",
    "*SC ",
    "*DEFINE ",
    "*Q ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_panic(text in ".{0,300}") {
        let source = Source::new("x", text).unwrap();
        let _ = parse(&source, &mut Problems::new(), &mut Nothing);
    }

    #[test]
    fn no_shuffled_file_panics(head: bool, words in prop::collection::vec(prop::sample::select(WORDS), 0..80)) {
        let text = format!("{}{}", if head { HEAD } else { "" }, words.concat());
        let _ = read(&design(), &text);
    }
}
