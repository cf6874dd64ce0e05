//! Tests of reading, flattening and writing as a whole.

use super::*;
use crate::liberty;
use crate::text::{FormatError, Problems, Severity, Source, open};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn flatten(text: &str) -> Result<(FlatNetlist, Problems), FormatError> {
    flatten_with(text, None, &NoMasters)
}

fn flatten_with(
    text: &str,
    top: Option<&str>,
    masters: &dyn LeafMasters,
) -> Result<(FlatNetlist, Problems), FormatError> {
    let source = Source::new("test.v", text)?;
    let mut problems = Problems::new();
    let mut design = Design::new();
    design.read(&source, &mut problems)?;
    let tops = design.tops();
    let top = top.or(tops.last().copied()).unwrap_or("");
    let flat = elaborate(top, &design, masters, &mut problems)?;
    Ok((flat, problems))
}

fn net(flat: &FlatNetlist, net: NetRef) -> String {
    match net.connection() {
        Connection::Net(n) => flat.nets.get(n as usize).to_owned(),
        Connection::Const0 => "0".into(),
        Connection::Const1 => "1".into(),
    }
}

/// Each instance as `name cell pin=net …`, pins by name.
fn shown(flat: &FlatNetlist) -> Vec<String> {
    (0..flat.instances.len())
        .map(|i| {
            let mut pins: Vec<String> = flat
                .connections(i)
                .map(|(p, n)| format!("{}={}", flat.pin_names[p as usize], net(flat, n)))
                .collect();
            pins.sort();
            let master = &flat.masters[flat.instance_masters[i] as usize].name;
            format!("{} {master} {}", flat.instances.get(i), pins.join(" "))
        })
        .collect()
}

fn ports(flat: &FlatNetlist) -> Vec<String> {
    let text = |p: &FlatPort| {
        format!("{:?} {} {}", p.direction, p.name, p.net.map_or("-".into(), |n| net(flat, n)))
    };
    flat.ports.iter().map(text).collect()
}

fn nets(flat: &FlatNetlist) -> Vec<String> {
    let mut nets: Vec<String> = (0..flat.nets.len())
        .zip(0u32..)
        .map(|(n, id)| format!("{} {:?}", flat.nets.get(n), flat.tie(id)))
        .collect();
    nets.sort();
    nets
}

fn written(flat: &FlatNetlist) -> String {
    let mut out = Vec::new();
    write_verilog(flat, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Written and read again, a netlist is the same.
fn check_round_trip(flat: &FlatNetlist, masters: &dyn LeafMasters, what: &str) {
    let text = written(flat);
    let (again, _) = flatten_with(&text, Some(&flat.name), masters).unwrap();
    let open_wires = text.matches("  wire _open_").count();
    assert_eq!(ports(flat), ports(&again), "{what}");
    if open_wires == 0 {
        assert_eq!(nets(flat), nets(&again), "{what}");
        assert_eq!(shown(flat), shown(&again), "{what}");
    } else {
        assert_eq!(flat.nets.len() + open_wires, again.nets.len(), "{what}");
    }
}

const HIERARCHY: &str = r#"
`timescale 1ns/1ps
`define WITH 1
(* top = 1, note = "* ) still a string" *)
module leafy (input [1:0] a, input b, output y, output [0:1] \q[9] );
  wire n; // comment
  AND2 u1 (.A(a[1]), .B(a[0]), .Z(n));
  AND2 u2 (.A(n), .B(b), .Z(y));
  assign \q[9] = {a[0], 1'b1};
endmodule
module top (clk, \esc/aped , bus, out, two, thru);
  input clk, \esc/aped ;
  input [-1:0] bus;
  output [3:0] out;
  output two;
  output thru;
  wire [1:0] t;
  supply0 gnd;
  assign thru = clk;
  leafy \x.y[3] (.a({bus[-1], \esc/aped }), .b(1'b1), .y(out[0]), .\q[9] (t));
  leafy second (bus, gnd, out[1], );
  BUF b1 (.A(t[0]), .Z(implicit)), b2 (.A(implicit), .Z(out[2]), .N());
`ifdef WITH
  BUF b3 (.A(t[1]), .Z(out[3]));
`else
  THIS is not read;
`endif
  RAM #(.W(4)) ram (.D({2{bus}}), .Q({two, three}), .X(4'b1x0z));
endmodule
"#;

#[test]
fn hierarchy_is_flattened() {
    let (flat, problems) = flatten(HIERARCHY).unwrap();
    assert_eq!(problems.total(Severity::Error), 0, "{:?}", problems.iter().next());
    assert_eq!(flat.name, "top");
    assert_eq!(
        ports(&flat),
        [
            "Input clk clk",
            "Input esc/aped esc/aped",
            "Input bus[-1] bus[-1]",
            "Input bus[0] bus[0]",
            "Output out[3] out[3]",
            "Output out[2] out[2]",
            "Output out[1] out[1]",
            "Output out[0] out[0]",
            "Output two two",
            // An input and an output that an assign joins are one net, named by the input.
            "Output thru clk",
        ]
    );
    assert_eq!(problems.count("verilog-tied-ports"), 1);
    assert_eq!(
        shown(&flat),
        [
            // `t` meets `\\q[9] `, whose first bit is a[0], the escaped input, and whose other is 1.
            "b1 BUF A=t[0] Z=implicit",
            "b2 BUF A=implicit Z=out[2]",
            "b3 BUF A=esc/aped Z=out[3]",
            "ram RAM D[0]=bus[0] D[1]=bus[-1] D[2]=bus[0] D[3]=bus[-1] Q[0]=three Q[1]=two X[1]=0 X[3]=1",
            "x.y[3]/u1 AND2 A=bus[-1] B=esc/aped Z=x.y[3]/n",
            "x.y[3]/u2 AND2 A=x.y[3]/n B=x.y[3]/b Z=out[0]",
            "second/u1 AND2 A=bus[-1] B=bus[0] Z=second/n",
            "second/u2 AND2 A=second/n B=gnd Z=out[1]",
        ]
    );
    let ties: Vec<String> = nets(&flat).into_iter().filter(|n| n.contains("Some")).collect();
    assert_eq!(
        ties,
        ["gnd Some(Zero)", "second/q[9][1] Some(One)", "t[0] Some(One)", "x.y[3]/b Some(One)"]
    );
    check_round_trip(&flat, &NoMasters, "hierarchy");
}

#[test]
fn what_is_no_netlist_is_refused_with_its_line() {
    for (item, word) in [
        ("always @(*) x = y;", "synthesise"),
        ("initial x = 0;", "synthesise"),
        ("reg x;", "synthesise"),
        ("and g (x, y, z);", "library cells"),
        ("assign x = y & z;", "library cells"),
        ("assign x = ~y;", "only nets"),
        ("BUF u (.A(y | z));", "library cells"),
        ("BUF u [3:0] (.A(y));", "instances"),
        ("wire x [3:0];", "arrays"),
        ("wire [1<<2:0] x;", "[7:0]"),
        ("wire [9999999:0] x;", "bits"),
        ("BUF u (.A(`MACRO));", "preprocessor"),
        ("`include \"x.v\"", "by name"),
        ("BUF (.A(y));", "name"),
        ("BUF u (.*);", "write"),
        ("assign x = {y, 1};", "size"),
        ("\"text\"", "item"),
    ] {
        let text = format!("module top (y, z);\n input y, z;\n {item}\nendmodule\n");
        let error = flatten(&text).unwrap_err();
        assert_eq!(error.line, 3, "{item}: {error}");
        assert!(error.to_string().contains(word), "{item}: {error}");
    }
    for text in ["module top (y); input y;", "modul x;", "module t; /* ", "module t; `ifdef X"] {
        assert!(flatten(text).is_err(), "{text}");
    }
}

#[test]
fn circles_and_missing_tops_are_errors() {
    let text =
        "module a; b x (); endmodule\nmodule b; c x (); endmodule\nmodule c; a x (); endmodule";
    let error = flatten_with(text, Some("a"), &NoMasters).unwrap_err();
    assert!(error.to_string().contains("a in b in c in a"), "{error}");
    assert!(flatten_with("module m; endmodule", Some("other"), &NoMasters).is_err());
}

#[test]
fn explosions_are_refused_before_they_happen() {
    let mut text = "module m0 (a); input a; BUF x (a), y (a); endmodule\n".to_owned();
    for i in 1..40 {
        let below = i - 1;
        text += &format!("module m{i} (a); input a; m{below} x (a), y (a); endmodule\n");
    }
    let error = flatten(&text).unwrap_err();
    assert!(error.to_string().contains("nets"), "{error}");
    let deep: String = (1..5000)
        .map(|i| format!("module d{i} (a); input a; d{} x (a); endmodule\n", i - 1))
        .collect();
    let text = format!("module d0 (a); input a; BUF x (a); endmodule\n{deep}");
    assert!(flatten(&text).unwrap_err().to_string().contains("deeper"));
}

#[test]
fn small_files_cannot_ask_for_endless_bits() {
    let wide = "B u (.A({1000000{1'bz}})); ".repeat(1000);
    let boxes: String =
        (0..100).map(|i| format!("B{i} u{i} (.P{i}({{1000000{{1'b0}}}})); ")).collect();
    let buses: String = (0..1000).map(|i| format!("wire [1048575:0] w{i}; ")).collect();
    for text in [wide, boxes, buses] {
        assert!(flatten(&format!("module m; {text} endmodule")).is_err());
    }
}

#[test]
fn joins_name_the_net_by_a_rule() {
    let (flat, problems) = flatten(
        "module top (o, i, p); output o, p; input i; wire a, b, c;\n assign b = a; assign c = b;\n \
         assign o = i; assign p = o; BUF u (.A(c), .Z(b));\n endmodule",
    )
    .unwrap();
    assert_eq!(shown(&flat), ["u BUF A=a Z=a"]);
    assert_eq!(ports(&flat), ["Output o i", "Input i i", "Output p i"]);
    assert_eq!(problems.count("verilog-tied-ports"), 2);
    check_round_trip(&flat, &NoMasters, "joins");
}

#[test]
fn equal_flat_names_are_kept_apart() {
    let (flat, problems) = flatten(
        "module top (i); input i; wire [1:0] a; wire \\a[1] ;\n BUF u (.A(a[1]), .B(\\a[1] ));\n \
         endmodule",
    )
    .unwrap();
    assert_eq!(shown(&flat), ["u BUF A=a[1] B=a[1]_1"]);
    assert_eq!(problems.count("verilog-name-clash"), 1);
}

#[test]
fn problems_are_found_and_told() {
    let (_, problems) = flatten(
        "module s (input [1:0] d, output q); BUF b (.A(d[0]), .Z(q)); endmodule\n\
         module top (i, o); input i; output o; wire [3:0] w;\n\
         s x (.d(w), .nix(i));\n s x (.d(i), .q(o));\n\
         BUF y (.A(w[7]), .A(i));\n assign w[3:2] = 1'b1;\n assign w[0] = 1'b0, w[0] = 1'b1;\n\
         endmodule",
    )
    .unwrap();
    for code in [
        "verilog-width",
        "verilog-no-such-port",
        "verilog-duplicate-instance",
        "verilog-no-such-bit",
        "verilog-double-connection",
        "verilog-tie-conflict",
        "verilog-black-box",
    ] {
        assert!(problems.count(code) > 0, "{code}");
    }
}

fn corpus() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
    if !path.is_dir() {
        println!("skipped: corpus not found");
        return None;
    }
    Some(path)
}

fn library(path: &Path) -> liberty::Library {
    liberty::read(&open(path).unwrap(), &mut Problems::new()).unwrap()
}

/// The timing cases: files as their scripts name them, counts as the reference timer gives them.
#[test]
fn corpus_cases_have_the_right_counts_and_round_trip() {
    let Some(corpus) = corpus() else { return };
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(corpus.join("timing")).unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    let mut count = 0;
    for case in cases.iter().filter(|c| c.join("golden.tcl").is_file()) {
        let script = std::fs::read_to_string(case.join("golden.tcl")).unwrap();
        let summary = std::fs::read_to_string(case.join("golden/summary.txt")).unwrap();
        let number = |key: &str| -> usize {
            let line = summary.lines().find(|l| l.starts_with(key)).unwrap();
            line.split_whitespace().nth(1).unwrap().parse().unwrap()
        };
        let words = |command: &str| -> Vec<&str> {
            let lines = script.lines().filter(|l| l.starts_with(command));
            lines.filter_map(|l| l.split_whitespace().last()).collect()
        };
        let libraries: Vec<_> =
            words("read_liberty").iter().map(|l| library(&case.join(l))).collect();
        let masters = LibraryMasters::new(&libraries);
        let sources: Vec<_> =
            words("read_verilog").iter().map(|v| open(case.join(v)).unwrap()).collect();
        let mut problems = Problems::new();
        let mut design = Design::new();
        for source in &sources {
            design.read(source, &mut problems).unwrap();
        }
        let top = words("link_design")[0];
        let flat = elaborate(top, &design, &masters, &mut problems).unwrap();
        let name = case.file_name().unwrap().to_string_lossy();
        assert!(!problems.has_errors(), "{name}: {:?}", problems.iter().next());
        assert_eq!(flat.instances.len(), number("leaf_instances"), "{name}");
        // The reference counts a net once per level of hierarchy, and the nets of constants, but no
        // net without pins; so only flat designs without either can be compared.
        let comparable =
            design.modules().len() == 1 && !matches!(&*name, "map9v3_osu018" | "feat_gated_clk");
        if comparable {
            assert_eq!(flat.nets.len(), number("nets"), "{name}");
        }
        check_round_trip(&flat, &masters, &name);
        count += 1;
    }
    assert_eq!(count, 35);
}

/// Every other netlist of the corpus, without its library.
#[test]
fn corpus_netlists_are_read() {
    let Some(corpus) = corpus() else { return };
    for (file, cells) in [
        ("designs/nangate45/mempool_tile/mempool_tile.v.xz", 137_427),
        ("designs/nangate45/own_noc2x2/own_noc2x2.v.gz", 18_118),
        ("designs/osu018/own_systolic8/own_systolic8.v.gz", 56_518),
        ("designs/sky130hd/gcd/gcd.v.gz", 1292),
        ("designs/asap7/aes_or/aes_or.v.gz", 15_621),
    ] {
        let source = open(corpus.join(file)).unwrap();
        let mut problems = Problems::new();
        let mut design = Design::new();
        design.read(&source, &mut problems).unwrap();
        let flat = elaborate(design.tops()[0], &design, &NoMasters, &mut problems).unwrap();
        assert_eq!(flat.instances.len(), cells, "{file}");
        assert!(!problems.has_errors(), "{file}: {:?}", problems.iter().next());
    }
    for path in odd_files(&corpus) {
        let source = open(&path).unwrap();
        let mut problems = Problems::new();
        let mut design = Design::new();
        design.read(&source, &mut problems).unwrap();
        for top in design.tops() {
            let flat = elaborate(top, &design, &NoMasters, &mut problems).unwrap();
            check_round_trip(&flat, &NoMasters, &path.to_string_lossy());
        }
        assert!(!problems.has_errors(), "{path:?}: {:?}", problems.iter().next());
    }
}

fn odd_files(corpus: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(corpus.join("odd/net")).unwrap().map(|e| e.unwrap().path());
    let is_verilog = |p: &PathBuf| {
        let name = p.to_string_lossy();
        name.ends_with(".v") || name.ends_with(".v.gz")
    };
    let mut files: Vec<PathBuf> = files.filter(is_verilog).collect();
    files.sort();
    files
}

/// Reads, flattens, writes and reads again whatever comes; only panics and hangs can fail.
fn survive(text: &str) {
    if let Ok((flat, _)) = flatten(text) {
        let mut out = Vec::new();
        if write_verilog(&flat, &mut out).is_ok() {
            let text = String::from_utf8(out).unwrap();
            let again = flatten_with(&text, Some(&flat.name), &NoMasters);
            assert!(again.is_ok(), "{}\n{text}", again.err().unwrap());
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text: String = bytes.iter().map(|&b| char::from(b)).collect();
        survive(&text);
        survive(&format!("module m (a); input a; {text} endmodule"));
    }

    #[test]
    fn no_words_panic(words in prop::collection::vec(
        prop::sample::select(vec!["module", "endmodule", "m", "a", "\\b[1] ", "(", ")", "[", "]", "{",
            "}", ",", ";", ":", ".", "=", "input", "output", "wire", "assign", "3", "0", "4'b01xz", "#",
            "supply1", "parameter", "(*", "*)", "`ifdef", "`endif", "`define", "X\n", "-", "+"]), 0..60)) {
        survive(&format!("module m (a); input [3:0] a; {}", words.join(" ")));
        survive(&format!("module m (a); input [3:0] a; C u ({}); endmodule", words.join(" ")));
    }

    /// Random flat netlists with awkward names survive writing and reading.
    #[test]
    fn written_is_read_again(
        names in prop::collection::hash_set("[a-z\\[\\]0-9/.$\\\\]{1,6}", 1..12),
        wires in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..12),
    ) {
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        let mut text = String::from("module t (p, q); input [2:0] p; output q;\n");
        for (i, (a, b)) in wires.iter().enumerate() {
            let (a, b) = (a.get(&names), b.get(&names));
            text += &format!(" CELL \\i{i}/{a} (.A(\\{a} ), .\\{b} (p[1]), .Z(\\{b} ), .V({{p, q}}));\n");
        }
        text += "endmodule\n";
        let (flat, _) = flatten(&text).unwrap();
        check_round_trip(&flat, &NoMasters, &text);
    }
}

#[test]
fn mutated_files_neither_panic_nor_hang() {
    let mut seeds = vec![HIERARCHY.to_owned()];
    if let Some(corpus) = corpus() {
        let texts = odd_files(&corpus).into_iter().filter_map(|f| std::fs::read_to_string(f).ok());
        seeds.extend(texts.filter(|t| t.len() < 10_000));
    }
    let mut rng = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |n: usize| {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        usize::try_from(rng % n.max(1) as u64).unwrap()
    };
    for _ in 0..3000 {
        let mut bytes = seeds[random(seeds.len())].clone().into_bytes();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 if at < bytes.len() => bytes[at] = u8::try_from(random(128)).unwrap(),
                1 => {
                    let end = (at + random(100)).min(bytes.len());
                    bytes.drain(at..end);
                }
                2 => {
                    let end = (at + random(100)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(at..at, piece);
                }
                _ => bytes.insert(at, b"{}();:[]\\,.'\""[random(13)]),
            }
        }
        survive(&String::from_utf8_lossy(&bytes));
    }
}
