//! Tests of the LEF reader: golden values, every kind of statement, odd input, the corpus.

use super::*;
use crate::text::testing::{corpus, mutations, refuses};
use crate::text::{Problem, Severity};
use proptest::prelude::*;

/// Reads text that must be accepted and calls `check` with what came out.
fn check(text: &str, check: impl FnOnce(&LefFile<'_>, &[Problem])) {
    let source = Source::new("t.lef", text).unwrap();
    let mut problems = Problems::with_cap(100);
    let file = parse(&source, &mut problems).unwrap_or_else(|e| panic!("{e}"));
    let problems: Vec<Problem> =
        problems.iter().filter(|p| p.code != "lef-no-end-library").cloned().collect();
    check(&file, &problems);
}

fn refused(text: &str) -> String {
    let source = Source::new("t.lef", text).unwrap();
    parse(&source, &mut Problems::new()).unwrap_err().to_string()
}

const HEAD: &str = r#"VERSION 5.8 ;
BUSBITCHARS "<>" ; DIVIDERCHAR ":" ;
UNITS DATABASE MICRONS 2000 ; TIME NANOSECONDS 100 ; END UNITS
MANUFACTURINGGRID 0.005 ;
PROPERTYDEFINITIONS
  LIBRARY LEF58_CELLEDGESPACINGTABLE STRING "CELLEDGESPACINGTABLE
    EDGETYPE a b 0.4 EDGETYPE a a EXCEPTABUTTED OPTIONAL 0.2 ;" ;
  MACRO weight REAL RANGE 1.0 100.0 ;
END PROPERTYDEFINITIONS
MAXVIASTACK 4 RANGE m1 m7 ;
"#;

#[test]
fn header() {
    check(HEAD, |f, problems| {
        assert_eq!(f.version, Some("5.8"));
        assert_eq!((f.bus_bit_chars, f.divider_char), (Some("<>"), Some(":")));
        assert_eq!((f.units.database, f.units.time), (Some(2000.0), Some(100.0)));
        assert_eq!(f.manufacturing_grid, Some(0.005));
        assert_eq!(f.property_definitions[1].range, Some((1.0, 100.0)));
        let stack = f.max_via_stack.unwrap();
        assert_eq!((stack.value, stack.range), (4, Some(("m1", "m7"))));
        let table = cell_edge_spacings(f).unwrap();
        assert_eq!(table[0].spacing, 0.4);
        assert!(table[1].except_abutted && table[1].optional && table[1].spacing == 0.2);
        assert_eq!(problems, []);
    });
}

#[test]
fn routing_layer() {
    let text = "LAYER m1 TYPE ROUTING ; MASK 2 ; DIRECTION horizontal ; PITCH 0.19 0.14 ;
        OFFSET 0.095 ; WIDTH 0.07 ; AREA 0.01 ; MINWIDTH 0.07 ; MAXWIDTH 4 ;
        SPACING 0.065 ; SPACING 0.5 RANGE 10.0 1000.0 INFLUENCE 1.0 RANGE .28 1.0 ;
        SPACING 0.53 LENGTHTHRESHOLD 0.45 RANGE 0 0.1 ;
        SPACING 1.3 ENDOFLINE 1.4 WITHIN 0.7 PARALLELEDGE 1.1 WITHIN 0.5 TWOEDGES ;
        SPACING 1.0 SAMENET PGONLY ; SPACING 0.12 NOTCHLENGTH 0.15 ;
        SPACING 0.14 ENDOFNOTCHWIDTH 0.15 NOTCHSPACING 0.16 NOTCHLENGTH 0.08 ;
        SPACINGTABLE PARALLELRUNLENGTH 0 0.5 WIDTH 0 0.15 0.16 WIDTH 0.25 0.17 0.18 ;
        SPACINGTABLE TWOWIDTHS WIDTH 0 0.1 0.2 WIDTH 1 PRL 0.5 0.3 0.4 ;
        SPACINGTABLE INFLUENCE WIDTH 1.5 WITHIN 0.5 SPACING 0.6 ;
        RESISTANCE RPERSQ 0.38 ; CAPACITANCE CPERSQDIST 7.7e-05 ; EDGECAPACITANCE 2e-5 ;
        THICKNESS 0.13 ; HEIGHT 0.37 ; WIREEXTENSION 0.75 ;
        MINIMUMCUT 2 WIDTH 1.1 FROMABOVE LENGTH 20.0 WITHIN 5.0 ;
        ANTENNAMODEL OXIDE2 ; ANTENNADIFFAREARATIO PWL ( ( 5 6 ) ( 7 8 ) ) ;
        ANTENNAAREAFACTOR 6.5 DIFFUSEONLY ; ANTENNACUMROUTINGPLUSCUT ;
        ANTENNAAREADIFFREDUCEPWL ( ( 0 1 ) ( 0.1 0.2 ) ) ;
        ACCURRENTDENSITY PEAK FREQUENCY 1E6 100E6 ; WIDTH 1 2 ; TABLEENTRIES 1 2 3 4 ;
        DCCURRENTDENSITY AVERAGE 4.9 ; MINSTEP 0.05 INSIDECORNER LENGTHSUM 0.15 ;
        PROPERTY LEF58_TYPE \"TYPE NWELL ;\" depth 3 ; END m1";
    check(text, |f, problems| {
        let l = &f.layers[0];
        assert_eq!((l.name, l.kind, l.masks), ("m1", LayerKind::Routing, Some(2)));
        assert_eq!(l.direction, Some(Direction::Horizontal));
        assert_eq!((l.pitch, l.offset), (Some((0.19, 0.14)), Some((0.095, 0.095))));
        assert_eq!((l.width, l.area, l.thickness), (Some(0.07), Some(0.01), Some(0.13)));
        assert!(l.spacings[0].is_plain());
        assert!(l.spacings[1..].iter().all(|s| !s.is_plain()));
        assert_eq!(l.spacings[1].influence, Some(1.0));
        assert_eq!(l.spacings[1].second_range, Some((0.28, 1.0)));
        assert_eq!(l.spacings[2].second_range, Some((0.0, 0.1)));
        assert_eq!(l.spacings[3].parallel_edge, Some((1.1, 0.5)));
        assert!(l.spacings[3].two_edges && l.spacings[4].pg_only);
        assert_eq!(l.spacings[6].end_of_notch, Some([0.15, 0.16, 0.08]));
        assert_eq!(
            l.spacing_tables[0],
            SpacingTable::ParallelRunLength {
                lengths: vec![0.0, 0.5],
                rows: vec![(0.0, vec![0.15, 0.16]), (0.25, vec![0.17, 0.18])],
            }
        );
        assert_eq!(
            l.spacing_tables[1],
            SpacingTable::TwoWidths {
                rows: vec![(0.0, None, vec![0.1, 0.2]), (1.0, Some(0.5), vec![0.3, 0.4])],
            }
        );
        assert_eq!(l.spacing_tables[2], SpacingTable::Influence(vec![[1.5, 0.5, 0.6]]));
        assert_eq!((l.resistance, l.capacitance), (Some(0.38), Some(7.7e-5)));
        assert_eq!(l.minimum_cuts[0].length, Some((20.0, 5.0)));
        assert_eq!(l.minimum_cuts[0].side, Some(Side::Above));
        assert!(l.antenna.iter().all(|a| a.oxide == 2));
        assert_eq!(l.antenna[0].pwl, [(5.0, 6.0), (7.0, 8.0)]);
        assert!(l.antenna[1].diffuse_only && l.antenna[2].value.is_none());
        assert_eq!(l.current_densities[0].entries, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(l.current_densities[1].value, Some(4.9));
        let words: Vec<_> = l.statements[0].arguments().collect();
        assert_eq!(words, ["0.05", "INSIDECORNER", "LENGTHSUM", "0.15"]);
        assert_eq!(l.properties[0].value, PropertyValue::Text("TYPE NWELL ;"));
        assert_eq!(l.properties[1].value, PropertyValue::Number(3.0));
        assert_eq!(problems, []);
    });
}

#[test]
fn cut_layer_vias_and_rules() {
    let text = "LAYER v1 TYPE CUT ; WIDTH 0.2 ; SPACING 0.1 ADJACENTCUTS 3 WITHIN 0.25
            EXCEPTSAMEPGNET ; SPACING 0.2 CENTERTOCENTER SAMENET LAYER v0 STACK ;
        SPACINGTABLE ORTHOGONAL WITHIN 0.15 SPACING 0.11 ;
        ENCLOSURE BELOW .03 .01 ; PREFERENCLOSURE ABOVE 0.08 0.2 WIDTH 1 EXCEPTEXTRACUT 0.2 ;
        RESISTANCE 10.0 ; END v1
        VIA a DEFAULT RESISTANCE 1.5 ; LAYER m1 ; RECT MASK 1 0.6 0.6 -0.6 -0.6 ;
            POLYGON 0 0 1 0 1 1 0 0 ; END a
        VIA b VIARULE r ; CUTSIZE 0.1 0.2 ; LAYERS m1 v1 m2 ; CUTSPACING 0.3 0.4 ;
            ENCLOSURE 0.05 0.01 0.02 0.06 ; ROWCOL 5 14 ; ORIGIN .1 .2 ; PATTERN 2_FF ; END b
        VIARULE r GENERATE DEFAULT LAYER m1 ; ENCLOSURE 0.03 0.01 ; WIDTH 0.1 TO 19 ;
            LAYER v1 ; RECT ( -0.1 -0.1 ) ( 0.1 0.1 ) ; SPACING 0.4 by 0.5 ; RESISTANCE 20 ;
            END r
        NONDEFAULTRULE w HARDSPACING ; LAYER m1 WIDTH 1.5 ; SPACING 3 ; END m1
            USEVIA a ; USEVIARULE r ; MINCUTS v1 2 ; SPACING SAMENET m1 m1 0.1 STACK ;
            END SPACING END w";
    check(text, |f, problems| {
        let l = &f.layers[0];
        assert_eq!(l.spacings[0].adjacent_cuts, Some((3, 0.25)));
        assert_eq!((l.spacings[1].layer, l.spacings[1].stack), (Some("v0"), true));
        assert_eq!(l.spacing_tables[0], SpacingTable::Orthogonal(vec![[0.15, 0.11]]));
        assert!(l.enclosures[1].preferred && l.enclosures[1].except_extra_cut == Some(0.2));
        assert_eq!(l.resistance, Some(10.0));
        let shapes = &f.vias[0].layers[0].shapes;
        let square = Rect { x1: -0.6, y1: -0.6, x2: 0.6, y2: 0.6 };
        assert_eq!((shapes[0].mask, &shapes[0].kind), (1, &ShapeKind::Rect(square)));
        // The repeated first point is not kept.
        assert!(matches!(&shapes[1].kind, ShapeKind::Polygon(p) if p.len() == 3));
        let rule = f.vias[1].rule.as_ref().unwrap();
        assert_eq!((rule.rowcol, rule.pattern), (Some((5, 14)), Some("2_FF")));
        assert_eq!(rule.enclosure, [0.05, 0.01, 0.02, 0.06]);
        let r = &f.via_rules[0];
        assert!(r.generate && r.default);
        assert_eq!((r.layers[0].width, r.layers[1].spacing), (Some((0.1, 19.0)), Some((0.4, 0.5))));
        let n = &f.non_default_rules[0];
        assert!(n.hard_spacing && n.same_net_spacings[0].stack);
        assert_eq!((n.layers[0].spacing, n.min_cuts[0]), (Some(3.0), ("v1", 2)));
        assert_eq!(problems, []);
    });
}

#[test]
fn macro_pins_and_geometry() {
    let text = r#"SITE s CLASS CORE ; SIZE 0.19 BY 1.4 ; SYMMETRY y ; ROWPATTERN a N b FS ; END s
        MACRO INV CLASS CORE TIEHIGH ; FOREIGN X 1 2 FN ; ORIGIN 0.1 0.2 ; EEQ BUF ;
        SIZE 0.38 BY 1.4 ; SYMMETRY X Y R90 ; SITE s ; SITE s 1 2 FS DO 3 BY 1 STEP 1 1 ;
        PIN A DIRECTION OUTPUT TRISTATE ; USE CLOCK ; SHAPE ABUTMENT ; MUSTJOIN B ;
            NETEXPR "power VDD" ; SUPPLYSENSITIVITY VDD ; GROUNDSENSITIVITY VSS ;
            ANTENNAGATEAREA 1 LAYER m1 ; ANTENNAMODEL OXIDE2 ; ANTENNAGATEAREA 2 ;
            PORT CLASS BUMP ; LAYER m1 SPACING 0.05 ; WIDTH 0.1 ; PATH MASK 2 0 0 1 0 1 1 ;
                RECT ITERATE 0 0 1 1 DO 2 BY 3 STEP 4 5 ; VIA MASK 103 1 2 v ;
                LAYER m2 DESIGNRULEWIDTH 0.2 ; PATH 0 0 ; END
            PROPERTY p "x" ; END A
        OBS LAYER m1 EXCEPTPGNET ; RECT 0 0 1 1 ; END
        DENSITY LAYER m1 ; RECT 0 0 100 100 45.5 ; END
        TIMING FROMPIN A ; RISE INTRINSIC 1 2 ; END TIMING
        PROPERTY LEF58_EDGETYPE "EDGETYPE RIGHT a ; EDGETYPE LEFT b ;" ; END INV"#;
    check(text, |f, problems| {
        assert_eq!(f.sites[0].row_pattern, [("a", Orient::N), ("b", Orient::FS)]);
        assert_eq!((f.sites[0].size, f.sites[0].symmetry.y), (Some((0.19, 1.4)), true));
        let m = &f.macros[0];
        assert_eq!((m.class, m.subclass, m.eeq), (Some("CORE"), Some("TIEHIGH"), Some("BUF")));
        assert_eq!((m.size, m.origin), (Some((0.38, 1.4)), Point { x: 0.1, y: 0.2 }));
        assert_eq!(m.foreigns[0].orient, Some(Orient::FN));
        assert_eq!(m.sites[1].iterate.unwrap().nx, 3);
        let p = &m.pins[0];
        assert_eq!((p.direction, p.usage), (Some(PinDirection::OutputTristate), Some(Use::Clock)));
        assert_eq!((p.net_expr, p.must_join), (Some("power VDD"), Some("B")));
        assert_eq!((p.antenna[0].oxide, p.antenna[1].oxide), (1, 2));
        assert_eq!(p.ports[0].class, Some("BUMP"));
        let g = &p.ports[0].geometry;
        assert_eq!(g.layers[0].spacing, Some(0.05));
        assert!(matches!(&g.layers[0].shapes[0], Shape { mask: 2, kind: ShapeKind::Path {
            width: Some(0.1), points }, .. } if points.len() == 3));
        assert_eq!(g.layers[0].shapes[1].iterate.unwrap().dy, 5.0);
        // WIDTH holds only to the next LAYER.
        assert!(matches!(g.layers[1].shapes[0].kind, ShapeKind::Path { width: None, .. }));
        assert_eq!((g.vias[0].via, g.vias[0].mask), ("v", 103));
        assert!(m.obs.layers[0].except_pg_net);
        assert_eq!(m.densities[0].areas[0].1, 45.5);
        assert_eq!(edge_types(m).unwrap()[1], EdgeType { edge: "LEFT", name: "b" });
        assert_eq!(problems, []);
    });
}

#[test]
fn unknown_statements_are_told_and_skipped() {
    let text = "FOO 1 2 ;\nLAYER m1 TYPE ROUTING ;\nBAR x ; WIDTH 0.1 ;\nEND m1
        MACRO a\nBAZ ;\nPIN p\nQUX \"; END p\" ;\nEND p END a";
    check(text, |f, problems| {
        let lines: Vec<_> = problems.iter().map(|p| (p.line, p.code)).collect();
        assert_eq!(lines, [1, 3, 6, 8].map(|l| (l, "lef-unknown-statement")));
        assert!(problems.iter().all(|p| p.severity == Severity::Warning));
        assert_eq!((f.layers[0].width, f.macros[0].pins.len()), (Some(0.1), 1));
    });
    // A spacing whose condition is not known must not pass for a plain one.
    check("LAYER m SPACING 1 FOO 2 ; SPACING 3 ; END m", |f, problems| {
        assert_eq!((f.layers[0].spacings.len(), problems.len()), (1, 1));
    });
}

#[test]
fn malformed_statements_refuse_the_file_with_a_place() {
    for (text, wanted) in [
        ("LAYER m1\n WIDTH x ;", "t.lef:2:8: `x` stands where a width should"),
        ("MACRO a\n SIZE 1 2 ;", "t.lef:2:9: `2` stands where BY should"),
        ("MACRO a PIN p PORT\nRECT 0 0 1 1 ;", "t.lef:2:1: RECT without a LAYER"),
        ("LAYER m TYPE FOO ;", "is not a layer type"),
        ("MACRO a SYMMETRY Z ;", "is not a symmetry"),
        ("MACRO a", "the file ends where"),
        ("BUSBITCHARS \"[] ;", "no closing quote"),
        ("UNITS DATABASE MICRONS 0 ;", "a unit of 0"),
        ("LAYER m SPACINGTABLE PARALLELRUNLENGTH 0 1 WIDTH 0 1 ;", "1 spacings for 2 lengths"),
        ("MACRO a SIZE 1e999 BY 1 ;", "stands where a width should"),
        ("MACRO a PIN p USE FOO ;", "is not a use"),
    ] {
        let error = refused(text);
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn ends_without_names_or_with_wrong_ones_are_told() {
    check("NONDEFAULTRULE a END NONDEFAULTRULE b END b", |f, problems| {
        assert_eq!((f.non_default_rules.len(), problems[0].code), (2, "lef-end-name"));
    });
    check("SITE a END b SITE c END c", |f, problems| {
        assert_eq!((f.sites.len(), problems.len()), (2, 1));
    });
    check("SITE a END a SITE a END a", |_, problems| {
        assert_eq!(problems[0].code, "lef-duplicate-name");
    });
}

/// Keywords of LEF that could be mistaken when an object carries them as its name.
const KEYWORDS: &str = "ABUTMENT ANTENNAAREARATIO ANTENNAGATEAREA ARRAY BEGINEXT BUSBITCHARS BY CAPACITANCE \
    CLASS CORE CUT DATABASE DEFAULT DENSITY DESIGNRULEWIDTH DIRECTION DIVIDERCHAR DO EEQ END ENDEXT \
    FIXEDMASK FOREIGN GENERATE INPUT ITERATE LAYER LIBRARY MACRO MANUFACTURINGGRID MASK MAXVIASTACK \
    MUSTJOIN N S FS NETEXPR NONDEFAULTRULE OBS OFFSET ORIGIN OVERLAP PATH PIN PITCH POLYGON PORT \
    PROPERTY PROPERTYDEFINITIONS RECT ROUTING ROWPATTERN SAMENET SHAPE SITE SIZE SPACING \
    SPACINGTABLE STACK STEP SYMMETRY TIMING TYPE UNITS USE VERSION VIA VIARULE WIDTH X Y";

#[test]
fn names_that_read_like_keywords() {
    for word in KEYWORDS.split_whitespace() {
        let text = format!(
            "LAYER {word} TYPE ROUTING ; WIDTH 1 ; END {word}\n\
            VIA {word} LAYER {word} ; RECT 0 0 1 1 ; END {word}\n\
            SITE {word} CLASS CORE ; SIZE 1 BY 2 ; END {word}\n\
            MACRO {word} CLASS CORE ; SIZE 1 BY 2 ; SITE {word} ; EEQ {word} ;\n\
            PIN {word} DIRECTION INPUT ; PORT LAYER {word} ; RECT 0 0 1 1 ; VIA 0 0 {word} ; END\n\
            PORT LAYER {word} ; RECT 0 0 1 1 ; END END {word}\n\
            OBS LAYER {word} ; RECT 0 0 1 1 ; END\nEND {word}\nEND LIBRARY\n"
        );
        check(&text, |f, problems| {
            assert_eq!(problems, [], "{word}");
            assert_eq!((f.layers[0].name, f.vias[0].name, f.sites[0].name), (word, word, word));
            let m = &f.macros[0];
            assert_eq!((m.name, m.sites[0].site, m.eeq), (word, word, Some(word)));
            assert_eq!((m.pins[0].name, m.pins[0].ports.len()), (word, 2));
            assert_eq!(m.obs.layers[0].layer, word);
        });
    }
}

#[test]
fn keywords_in_lower_case() {
    check(&HEAD.to_lowercase(), |f, problems| {
        assert_eq!((f.units.database, problems), (Some(2000.0), &[][..]));
    });
    let text = "layer m type routing ; pitch 1 ; end m macro a size 1 by 2 ; symmetry x y r90 ; \
        pin p direction output ; use clock ; port layer m ; rect 0 0 1 1 ; end end p end a end library";
    check(text, |f, problems| {
        assert!(f.ended && problems.is_empty());
        assert_eq!(
            (f.macros[0].size, f.macros[0].pins[0].usage),
            (Some((1.0, 2.0)), Some(Use::Clock))
        );
    });
}

#[test]
fn micrometres_to_database_units() {
    // Decimal lengths on the grid are exact although the product in floating point may not be.
    for dbu in [100, 1000, 2000, 4000, 10000, 20000] {
        for n in (-50_000..50_000).step_by(37) {
            let micrometres: f64 = format!("{:.6}", f64::from(n) / f64::from(dbu)).parse().unwrap();
            let exact = (f64::from(n) / f64::from(dbu)) == micrometres;
            if exact {
                assert_eq!(to_dbu(micrometres, f64::from(dbu)), Ok(n));
            }
        }
    }
    assert_eq!(to_dbu(0.19, 2000.0), Ok(380));
    let off = to_dbu(0.1901, 2000.0).unwrap_err();
    assert_eq!(off.nearest, 380);
    assert!(to_dbu(1e9, 2000.0).is_err());
    assert!(to_dbu(f64::NAN, 2000.0).is_err());
    assert!(to_dbu(1.0, 0.0).is_err());
}

#[test]
fn corpus_is_read() {
    let Some(files) = corpus(".lef", u64::MAX) else { return };
    let mut refused = Vec::new();
    for path in &files {
        let source = crate::text::open(path).unwrap();
        let mut problems = Problems::new();
        match parse(&source, &mut problems) {
            Ok(_) => {
                let told = problems.count("lef-unknown-statement");
                assert_eq!(told, 0, "{}: {:?}", path.display(), problems.iter().next());
            }
            Err(e) => refused.push(e.to_string()),
        }
    }
    assert!(files.len() > 50, "{} files", files.len());
    assert_eq!(refused, Vec::<String>::new());
}

const SNIPPETS: [&str; 4] = [
    HEAD,
    "LAYER m1 TYPE ROUTING ; PITCH 0.19 ; SPACINGTABLE PARALLELRUNLENGTH 0 WIDTH 0 1 ; END m1",
    "VIA a DEFAULT LAYER m1 ; RECT -1 -1 1 1 ; END a VIARULE r GENERATE LAYER m ; END r",
    "MACRO a CLASS CORE ; SIZE 1 BY 2 ; PIN p PORT LAYER m ; RECT ITERATE 0 0 1 1 DO 1 BY 2 STEP
     3 4 ; POLYGON 0 0 1 0 1 1 ; END PROPERTY x \"y ;\" ; END p OBS LAYER m ; END END a",
];

proptest! {
    #[test]
    fn any_bytes_neither_panic_nor_hang(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        refuses("t.lef", &bytes, |s, p| parse(s, p).map(drop));
    }

    #[test]
    fn mutated_files_neither_panic_nor_hang(text in mutations(&SNIPPETS)) {
        refuses("t.lef", text.as_bytes(), |s, p| parse(s, p).map(drop));
    }
}
