//! Tests of the DEF reader and writer: golden values, every clause, odd input, the corpus.

use super::*;
use crate::lef::{Orient, PropertyValue, Use};
use crate::text::testing::{corpus, mutations, refuses};
use crate::text::{Problem, Severity};
use proptest::prelude::*;

/// Reads text that must be accepted, checks that writing and reading gives the same, and calls
/// `check` with what came out.
pub(super) fn check(text: &str, check: impl FnOnce(&DefFile<'_>, &[Problem])) {
    let source = Source::new("t.def", text).unwrap();
    let mut problems = Problems::with_cap(100);
    let file = parse(&source, &mut problems).unwrap_or_else(|e| panic!("{e}"));
    round_trip(&file);
    let quiet = ["def-no-design", "def-no-units", "def-no-end-design"];
    let problems: Vec<Problem> =
        problems.iter().filter(|p| !quiet.contains(&p.code)).cloned().collect();
    check(&file, &problems);
}

pub(super) fn round_trip(file: &DefFile<'_>) {
    let written = String::from_utf8(write(file, Vec::new()).unwrap()).unwrap();
    let source = Source::new("written.def", written).unwrap();
    let mut problems = Problems::new();
    let again = parse(&source, &mut problems).unwrap_or_else(|e| panic!("{e}\n{}", source.text()));
    let mut file = file.clone();
    file.header.version = Some("5.8");
    assert!(file.same_content(&again), "{}", source.text());
    assert_eq!(problems.count("def-count"), 0);
    // What was written once is written the same again.
    assert_eq!(write(&again, Vec::new()).unwrap(), source.bytes());
}

fn refused(text: &str) -> String {
    let source = Source::new("t.def", text).unwrap();
    parse(&source, &mut Problems::new()).unwrap_err().to_string()
}

#[test]
fn header_and_floorplan() {
    let text = r#"VERSION 5.7 ; DIVIDERCHAR "/" ; BUSBITCHARS "<>" ; NAMESCASESENSITIVE ON ;
DESIGN top ; TECHNOLOGY t ; UNITS DISTANCE MICRONS 2000 ; HISTORY made "by # hand's" 5" wide ;
PROPERTYDEFINITIONS COMPONENT w INTEGER RANGE 1 9 ; DESIGN s STRING "a b" ;
END PROPERTYDEFINITIONS
DIEAREA ( 100 -200 ) ( -400 600.0 ) ;
ROW r0 site 840 896 FS DO 793 BY 1 STEP 168 0 + PROPERTY s "x" ;
ROW r1 site 0 0 N ;
TRACKS X 10 DO 100 STEP 300 MASK 1 SAMEMASK LAYER m1 m2 ;
TRACKS Y -10 DO 5 STEP 3 ;
GCELLGRID Y 10 DO 120 STEP 400 ;
COMPONENTMASKSHIFT m2 m3 ;
VIAS 2 ;
- a + PATTERNNAME p + RECT m1 + MASK 2 ( 1 2 ) ( 3 4 ) + POLYGON m2 ( 0 0 ) ( 5 * ) ( * 5 ) ;
- b + VIARULE r + CUTSIZE 16 17 + LAYERS m1 v1 m2 + CUTSPACING 56 61 + ENCLOSURE 1 2 3 4
  + ROWCOL 5 14 + ORIGIN 10 -10 + OFFSET 0 1 20 -20 + PATTERN 2_FF ;
END VIAS
STYLES 1 ; - STYLE 1 ( 30 10 ) ( 10 30 ) ( -10 30 ) ; END STYLES
NONDEFAULTRULES 1 ;
- wide + HARDSPACING + LAYER m1 WIDTH 10.1 DIAGWIDTH 1 SPACING 2.2 WIREEXT 3 + VIA a
  + VIARULE r + MINCUTS v1 2 + PROPERTY w 1 ;
END NONDEFAULTRULES
REGIONS 1 ; - f ( 0 0 ) ( 9 9 ) ( 20 20 ) ( 10 10 ) + TYPE FENCE + PROPERTY s "q" ; END REGIONS
BLOCKAGES 3 ;
- LAYER m1 + SLOTS + EXCEPTPGNET + SPACING 5 + MASK 1 + COMPONENT u RECT ( 1 2 ) ( 3 4 )
  POLYGON ( 0 0 ) ( 5 * ) ( * 5 ) ;
- LAYER m2 + FILLS + PUSHDOWN + DESIGNRULEWIDTH 6 RECT ( 1 2 ) ( 3 4 ) ;
- PLACEMENT + SOFT + PARTIAL 12.5 + PUSHDOWN RECT ( 1 2 ) ( 3 4 ) ;
END BLOCKAGES
SLOTS 1 ; - LAYER m1 RECT ( 0 0 ) ( 1 1 ) ; END SLOTS
FILLS 2 ; - LAYER m1 + MASK 2 + OPC RECT ( 1 2 ) ( 3 4 ) ; - VIA a + OPC ( 1 1 ) ( 2 * ) ;
END FILLS
SCANCHAINS 1 ; - c + PARTITION p MAXBITS 3 + COMMONSCANPINS ( IN a ) ( OUT b ) + START u Q
  + FLOATING x ( IN SD ) ( OUT Q ) ( BITS 2 ) + STOP PIN so ; END SCANCHAINS
GROUPS 1 ; - g f1/* u2 + SOFT MAXX 10 + REGION f + PROPERTY w 1 ; END GROUPS
BEGINEXT "tag" anything - goes ; ENDEXT
END DESIGN
"#;
    check(text, |f, problems| {
        assert_eq!(problems, []);
        let h = &f.header;
        assert_eq!((h.version, h.design, h.technology), (Some("5.7"), Some("top"), Some("t")));
        assert_eq!(h.history, ["made \"by # hand's\" 5\" wide"]);
        assert_eq!((f.dbu_per_micron(), h.bus_bit_chars), (2000, Some("<>")));
        let corners = [Point { x: -400, y: -200 }, Point { x: 100, y: 600 }];
        assert_eq!(f.die_area, corners);
        let r = &f.rows[0];
        assert_eq!((r.point, r.orient, r.count), (Point { x: 840, y: 896 }, Orient::FS, (793, 1)));
        assert_eq!((r.step, f.rows[1].step, f.rows[1].count), (Some((168, 0)), None, (1, 1)));
        assert_eq!((f.tracks[0].layers.len(), f.tracks[0].same_mask), (2, true));
        assert_eq!((f.tracks[1].axis, f.tracks[1].start), (Axis::Y, -10));
        let rule = f.vias[1].rule.as_ref().unwrap();
        assert_eq!((rule.rowcol, rule.offset), (Some((5, 14)), Some([0, 1, 20, -20])));
        assert_eq!(f.vias[0].shapes[0].mask, Some(2));
        let polygon = vec![Point { x: 0, y: 0 }, Point { x: 5, y: 0 }, Point { x: 5, y: 5 }];
        assert_eq!(f.vias[0].shapes[1].shape, Shape::Polygon(polygon));
        assert_eq!(f.non_default_rules[0].layers[0].width, 10.1);
        assert_eq!(f.regions[0].rects[1].lo, Point { x: 10, y: 10 });
        assert_eq!(
            f.blockages[2].kind,
            BlockageKind::Placement { soft: true, partial: Some(12.5) }
        );
        assert_eq!(
            f.fills[1].kind,
            FillKind::Via("a", vec![Point { x: 1, y: 1 }, Point { x: 2, y: 1 }])
        );
        assert_eq!(f.scan_chains[0].clauses[3].words.len(), 13);
        assert_eq!((f.groups[0].members.len(), f.groups[0].region), (2, Some("f")));
        assert_eq!(f.extensions[0].text.trim(), "anything - goes ;");
    });
}

#[test]
fn components() {
    let text = "COMPONENTS 5 ;
- a\\[3\\] NAND2 + PLACED ( 10 -20 ) FS ;
- b RAM + EEQMASTER R2 + SOURCE DIST + FIXED ( 1 2 ) W + HALO SOFT 1 2 3 4
  + ROUTEHALO 5 m1 m4 + WEIGHT 9 + REGION r + MASKSHIFT 012 + PROPERTY RE 1.5 IN 2 ;
- c INV + UNPLACED ;
- d INV ;
- e PAD + COVER ( 0 0 ) R180 + GENERATE g p + FOREIGN f ( 1 1 ) N + REGION ( 0 0 ) ( 9 9 ) ;
END COMPONENTS";
    check(text, |f, problems| {
        assert_eq!(problems, []);
        let a = &f.components[0];
        assert_eq!((a.name, &*unescape(a.name), a.master), ("a\\[3\\]", "a[3]", "NAND2"));
        let point = Point { x: 10, y: -20 };
        assert_eq!(a.placement, Placement { point, status: Status::Placed, orient: Orient::FS });
        assert!(a.extra.is_none());
        let b = f.components[1].extra.as_ref().unwrap();
        assert_eq!((b.halo, b.halo_soft, b.weight), (Some([1, 2, 3, 4]), true, Some(9)));
        assert_eq!((b.region, b.mask_shift, b.source), (Some("r"), Some("012"), Some("DIST")));
        assert_eq!(b.properties[1].value, PropertyValue::Number(2.0));
        assert_eq!(f.components[2].placement.status, Status::Unplaced);
        assert_eq!(f.components[3].placement.status, Status::None);
        assert_eq!(f.components[4].placement.orient, Orient::S);
    });
}

#[test]
fn pins() {
    let text = r#"PINS 3 ;
- a + NET n + SPECIAL + DIRECTION INOUT + NETEXPR "power VDD" + SUPPLYSENSITIVITY v
  + GROUNDSENSITIVITY g + USE POWER + ANTENNAPINGATEAREA 5 LAYER m1 + ANTENNAMODEL OXIDE2
  + ANTENNAPINMAXAREACAR 2.5 LAYER m2
  + LAYER m1 MASK 2 SPACING 3 ( -25 0 ) ( 25 50 ) + POLYGON m2 DESIGNRULEWIDTH 4 ( 0 0 ) ( 5 * )
  ( * 5 ) + VIA v1 MASK 123 ( 1 2 ) + FIXED ( 50 50 ) N ;
- b + NET b + PORT + LAYER m1 ( 0 0 ) ( 1 1 ) + PLACED ( 1 2 ) E + PORT + LAYER m2 ( 0 0 ) ( 2 2 )
  + COVER ( 3 4 ) W ;
- c.extra1 + NET c ;
END PINS
PINPROPERTIES 2 ; - PIN a + PROPERTY p 3 ; - u CLK + PROPERTY q "x" ; END PINPROPERTIES"#;
    check(text, |f, problems| {
        assert_eq!(problems, []);
        let a = &f.pins[0];
        assert_eq!((a.net, a.special, a.usage), (Some("n"), true, Some(Use::Power)));
        assert_eq!((a.net_expr, a.antenna[1].value), (Some("power VDD"), 2.0));
        assert_eq!((a.ports.len(), a.ports[0].shapes.len()), (1, 3));
        assert_eq!(a.ports[0].shapes[0].spacing, Some(3));
        let b = &f.pins[1];
        assert!(b.explicit_ports);
        assert_eq!(b.ports[1].placement.status, Status::Cover);
        assert!(f.pins[2].ports.is_empty());
        assert_eq!((f.pin_properties[0].component, f.pin_properties[1].pin), ("PIN", "CLK"));
    });
}

#[test]
fn nets() {
    let text = r#"NETS 3 ;
- n1 ( u1 A ) ( PIN p + SYNTHESIZED ) + SHIELDNET s + VPIN v LAYER m1 ( -1 -1 ) ( 1 1 )
  PLACED ( 5 5 ) N + SUBNET sub ( u1 A ) ( VPIN v ) NONDEFAULTRULE r ROUTED m1 ( 0 0 ) ( * 5 )
  + XTALK 3 + NONDEFAULTRULE wide + ROUTED m1 ( 0 0 7 ) ( 10 * ) via1 E ( * 20 ) MASK 3 via2
  NEW m2 TAPERRULE t STYLE 1 ( 5 5 ) VIRTUAL ( 6 6 ) RECT ( 1 2 3 4 )
  + FIXED m3 TAPER ( 1 1 ) ( 2 * ) + SOURCE TEST + FIXEDBUMP + FREQUENCY 1e6 + ORIGINAL o
  + USE CLOCK + PATTERN STEINER + ESTCAP 0.5 + WEIGHT 2 + PROPERTY q "x" ;
- MUSTJOIN ( u2 B ) ( u3 C ) ;
- n3 ;
END NETS
SPECIALNETS 2 ;
- VDD ( * vdd ) + VOLTAGE 3000 + ROUTED m1 20 + SHAPE RING + STYLE 1 ( 0 0 ) MASK 2 ( 0 20 )
  via1 DO 2 BY 4 STEP 2 5 NEW m2 30 + SHAPE STRIPE ( 20 0 ) ( 0 * )
  + SHIELD clk m3 10 ( 0 0 ) ( 9 * ) + RECT m1 ( 5 5 ) ( 0 0 )
  + ROUTED + SHAPE RING + MASK 1 + VIA v E ( 1 1 ) ( 2 2 ) + POLYGON m1 ( 0 0 ) ( 5 * ) ( * 5 )
  + WIDTH m1 5 + SPACING m1 6 RANGE 1 2 + USE POWER + SOURCE NETLIST + WEIGHT 99 ;
- VSS ( * vss ) + USE GROUND ;
END SPECIALNETS"#;
    check(text, |f, problems| {
        assert_eq!(problems, []);
        let n = &f.nets[0];
        let c: Vec<_> = f.connections(n).collect();
        assert_eq!((c[0].component, c[0].pin, c[0].synthesized), ("u1", "A", false));
        assert!(c[1].is_design_pin() && c[1].synthesized);
        let e = n.extra.as_ref().unwrap();
        assert_eq!((n.usage, e.xtalk, e.weight), (Some(Use::Clock), Some(3), Some(2)));
        assert_eq!(e.subnets[0].connections[1], ("VPIN", "v"));
        let p = |x, y| Point { x, y };
        let point = |x, y| WireItem::Point { point: p(x, y), extension: None };
        let items: Vec<_> = e.wiring[0].items().collect();
        assert_eq!(
            items,
            [
                WireItem::Path { layer: "m1", width: None },
                WireItem::Point { point: p(0, 0), extension: Some(7) },
                point(10, 0),
                WireItem::Via { name: "via1", orient: Some(Orient::E), array: None },
                point(10, 20),
                WireItem::Mask(3),
                WireItem::Via { name: "via2", orient: None, array: None },
                WireItem::Path { layer: "m2", width: None },
                WireItem::TaperRule("t"),
                WireItem::Style(1),
                point(5, 5),
                WireItem::Virtual(p(6, 6)),
                WireItem::Rect([1, 2, 3, 4]),
            ]
        );
        assert_eq!(e.wiring[1].kind, Some(WiringKind::Fixed));
        assert!(f.nets[1].extra.as_ref().unwrap().must_join && f.nets[1].len() == 2);
        assert!(f.nets[2].is_empty());
        let v = f.special_nets[0].extra.as_ref().unwrap();
        let items: Vec<_> = v.wiring[0].items().collect();
        assert_eq!(
            items[..3],
            [
                WireItem::Path { layer: "m1", width: Some(20) },
                WireItem::Shape("RING"),
                WireItem::Style(1),
            ]
        );
        let array = Some((2, 4, 2, 5));
        assert_eq!(items[6], WireItem::Via { name: "via1", orient: None, array });
        assert_eq!(v.wiring[1].kind, Some(WiringKind::Shield("clk")));
        assert_eq!(v.shapes[0].kind, SpecialShapeKind::Rect(Rect { lo: p(0, 0), hi: p(5, 5) }));
        assert_eq!((v.shapes[1].shape, v.shapes[1].mask), (Some("RING"), Some(1)));
        assert_eq!(v.shapes[2].status, "");
        assert_eq!(v.shield_rules[1].range, Some((1, 2)));
    });
}

#[test]
fn counts_that_do_not_match_are_told() {
    check("\nCOMPONENTS 3 ;\n- a B ;\nEND COMPONENTS", |f, problems| {
        assert_eq!((problems[0].code, problems[0].line, f.components.len()), ("def-count", 2, 1));
    });
}

#[test]
fn unknown_things_are_told_and_skipped() {
    let text = "FOO 1 ;\nBARS 2 ;\n- x y ; - z ;\nEND BARS\nCOMPONENTS 1 ;\n- a B + QUX 1 2
        + PLACED ( 1 2 ) N ;\nEND COMPONENTS\nNETS 1 ; - n ( a A ) + XYZ ; END NETS";
    check(text, |f, problems| {
        let told: Vec<_> = problems.iter().map(|p| (p.line, p.code)).collect();
        assert_eq!(
            told,
            [
                (1, "def-unknown-statement"),
                (2, "def-unknown-statement"),
                (6, "def-unknown-clause"),
                (9, "def-unknown-clause"),
            ]
        );
        assert!(problems.iter().all(|p| p.severity == Severity::Warning));
        assert_eq!(f.components[0].placement.point.y, 2);
    });
}

#[test]
fn malformed_statements_refuse_the_file_with_a_place() {
    for (text, wanted) in [
        ("COMPONENTS 1 ;\n- a B + PLACED ( x 1 ) N ;", "t.def:2:18: `x` stands where a coordinate"),
        ("COMPONENTS 1 ;\n- a B + PLACED ( 1 2147483648 ) N ;", "does not fit 32 bits"),
        ("COMPONENTS 1 ; - a B + PLACED ( 1 1 ) Q ;", "is not an orientation"),
        ("COMPONENTS 1 ; a B ;", "where an item of COMPONENTS should begin"),
        ("COMPONENTS 1 ; - a B ; END NETS", "stands where COMPONENTS should"),
        ("NETS 1 ;\n- a ( u A ) + ROUTED m1 v ( 1 1 ) ;", "t.def:2:25: in wiring, `v` stands"),
        ("NETS 1 ; - a + ROUTED m1 ( * 1 ) ;", "needs a point before it"),
        ("NETS 1 ; - a ( u A B ) ;", "`B` stands where `)` should"),
        ("NETS 1 ; - a ( u A", "the file ends where"),
        ("UNITS DISTANCE MICRONS 0 ;", "0 database units"),
        ("DIEAREA ( 0 0 ) ;", "1 points follow"),
        ("BLOCKAGES 1 ; - PLACEMENT + SLOTS RECT ( 0 0 ) ( 1 1 ) ;", "does not belong"),
        ("SPECIALNETS 1 ; - v + ROUTED m1 ( 0 0 ) ;", "a width should"),
        ("TRACKS Z 1 DO 2 STEP 3 ;", "stands where Y should"),
        ("PINS 1 ; - a + DIRECTION UP ;", "is not a direction"),
    ] {
        let error = refused(text);
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn fractions_of_database_units_are_told() {
    check("DIEAREA ( 0 0 ) ( 10.4 20.0 ) ;", |f, problems| {
        assert_eq!(f.die_area[1], Point { x: 10, y: 20 });
        assert_eq!((problems.len(), problems[0].code), (1, "off-dbu-grid"));
    });
}

#[test]
fn long_runs_take_linear_time() {
    // Each of these would take minutes if any step were quadratic.
    let n = 300_000;
    for part in [")", ";", "\\", "(", "\"a\"", "a)", "a;", "+ ", "- ", "( ", "\"", "# ", "\\;"] {
        for head in ["", "x", "NETS 1 ; - a ", "COMPONENTS 1 ; - a b ", "HISTORY ", "FOO "] {
            let text = format!("{head}{}", part.repeat(n));
            refuses("t.def", text.as_bytes(), |s, p| parse(s, p).map(drop));
            refuses("t.lef", text.as_bytes(), |s, p| crate::lef::parse(s, p).map(drop));
        }
    }
}

#[test]
fn names_keep_their_escapes() {
    for (name, plain) in [("a", "a"), ("a\\[3\\]", "a[3]"), ("a\\\\b", "a\\b"), ("a\\", "a")] {
        assert_eq!(unescape(name), plain);
    }
    for plain in ["a[3]", "a/b", "a\\b", ""] {
        assert_eq!(unescape(&escape(plain, "[]/")), plain);
    }
}

#[test]
fn the_writer_checks_sections_and_counts() {
    let header = Header::default();
    let mut w = Writer::new(Vec::new(), &header).unwrap();
    let c = Component { name: "a", master: "B", ..Component::default() };
    assert!(w.component(&c).is_err());
    w.begin(SectionKind::Components, 2).unwrap();
    assert!(w.begin(SectionKind::Nets, 1).is_err());
    w.component(&c).unwrap();
    assert!(w.row(&Row::default()).is_ok());
    assert!(w.end().unwrap_err().to_string().contains("opened for 2 items and holds 1"));
}

#[test]
fn corpus_is_read_and_written_back() {
    // The largest designs take a minute in an unoptimised build; see the ignored test below.
    corpus_round_trip(1_500_000);
}

#[test]
#[ignore = "reads designs of a million cells"]
fn whole_corpus_is_read_and_written_back() {
    corpus_round_trip(u64::MAX);
}

fn corpus_round_trip(largest: u64) {
    let Some(files) = corpus(".def", largest) else { return };
    let mut refused = Vec::new();
    for path in &files {
        let source = crate::text::open(path).unwrap();
        let mut problems = Problems::new();
        match parse(&source, &mut problems) {
            Ok(file) => {
                round_trip(&file);
                for code in ["def-unknown-statement", "def-unknown-clause"] {
                    assert_eq!(problems.count(code), 0, "{}", path.display());
                }
            }
            Err(e) => refused.push(e.to_string()),
        }
    }
    assert!(files.len() > 60, "{} files", files.len());
    // The one that is wrong on purpose: VIRTUAL where a path must begin.
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].contains("or_odb_virtual_route_invalid.def:10:"), "{refused:?}");
}

const SNIPPETS: [&str; 4] = [
    "VERSION 5.8 ; DESIGN t ; UNITS DISTANCE MICRONS 1000 ; DIEAREA ( 0 0 ) ( 9 9 ) ; ROW r s 0 0 N \
     DO 2 BY 1 STEP 3 0 ; END DESIGN",
    "COMPONENTS 2 ; - a B + SOURCE DIST + PLACED ( 1 2 ) FS ; - c D + HALO 1 2 3 4 + PROPERTY p \
     \"x ;\" ; END COMPONENTS",
    "PINS 1 ; - a + NET n + PORT + LAYER m ( 0 0 ) ( 1 1 ) + FIXED ( 1 1 ) N ; END PINS BLOCKAGES 1 \
     ; - PLACEMENT + PARTIAL 5 RECT ( 0 0 ) ( 1 1 ) ; END BLOCKAGES",
    "SPECIALNETS 1 ; - v ( * a ) + ROUTED m 1 + SHAPE RING ( 0 0 ) ( * 1 ) v DO 1 BY 2 STEP 3 4 NEW \
     m 1 ( 0 0 ) ; END SPECIALNETS NETS 1 ; - n ( a B ) + ROUTED m ( 0 0 ) VIRTUAL ( 1 1 ) + USE \
     CLOCK ; END NETS",
];

proptest! {
    #[test]
    fn any_bytes_neither_panic_nor_hang(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        refuses("t.def", &bytes, |s, p| parse(s, p).map(drop));
    }

    #[test]
    fn mutated_files_neither_panic_nor_hang(text in mutations(&SNIPPETS)) {
        refuses("t.def", text.as_bytes(), |s, p| {
            // What was accepted can be written and read again.
            parse(s, p).map(|file| {
                let _ = write(&file, Vec::new()).unwrap();
                for net in file.nets.iter().chain(&file.special_nets) {
                    let _ = file.connections(net).count();
                }
            })
        });
    }
}
