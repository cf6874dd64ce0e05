//! Tests of the edit writer, and of names that read like keywords.

use super::tests::check;
use super::*;
use crate::lef::{Orient, Use};
use crate::text::testing::corpus;
use proptest::prelude::*;

const TEXT: &str = "# a comment\nVERSION 5.6 ;\nDESIGN t ;\nUNITS DISTANCE MICRONS 100 ;\n\
VIAS 1 ;\n - v + RECT m1 ( 0 0 )   ( 1 1 ) ;\nEND VIAS\n\
COMPONENTS 4 ;\n# first\n- a A + SOURCE DIST + PLACED ( 1 2 ) N + WEIGHT 3 ;\n- b B ;\n\
- c C\n   + FIXED ( 5 6 ) S ; # fixed\n- d D + UNPLACED ;\nEND COMPONENTS\n\
SPECIALNETS 1 ;\n- VDD ( * vdd ) + ROUTED m1 5 ( 0 0 ) ( 9 * ) ;\nEND SPECIALNETS\n\
NETS 3 ;\n- n1 ( a X )   ( b Y + SYNTHESIZED )\n  + ROUTED m1 ( 0 0 ) ( 1 * ) v + USE CLOCK ;\n\
- n2 ( c Z ) ; # two\n- n3 ( d X ) + WEIGHT 2 + FIXED m1 ( 0 0 ) ( 1 * ) NEW m2 ( 0 0 ) v ;\n\
END NETS\nEND DESIGN\n# the end\n";

fn edited(text: &str, edit: &Edit<'_>) -> std::result::Result<String, EditError> {
    let source = Source::new("t.def", text).unwrap();
    let file = parse(&source, &mut Problems::new()).unwrap();
    let mut out = Vec::new();
    edit.write(&file, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn placed(x: i32, y: i32) -> Placement {
    Placement { point: Point { x, y }, status: Status::Placed, orient: Orient::FN }
}

fn change(placement: Option<Placement>, master: Option<&str>) -> ComponentEdit<'_> {
    ComponentEdit::Change { master, placement }
}

#[test]
fn an_empty_edit_gives_the_file_back() {
    assert_eq!(edited(TEXT, &Edit::default()).unwrap(), TEXT);
}

#[test]
fn only_what_changes_changes() {
    let mut edit = Edit::default();
    edit.components.insert(0, change(Some(placed(7, 8)), None));
    edit.components.insert(1, change(Some(placed(-7, 8)), Some("BB")));
    edit.components.insert(2, change(None, Some("CC")));
    edit.components.insert(3, change(Some(placed(1, 1)), None));
    let wanted = TEXT
        .replace("PLACED ( 1 2 ) N", "PLACED ( 7 8 ) FN")
        .replace("- b B ;", "- b BB + PLACED ( -7 8 ) FN ;")
        .replace("- c C\n", "- c CC\n")
        .replace("+ UNPLACED", "+ PLACED ( 1 1 ) FN");
    assert_eq!(edited(TEXT, &edit).unwrap(), wanted);
}

#[test]
fn nets_change_and_wiring_may_go() {
    let to = |component, pin| Connection { component, pin, synthesized: false };
    let mut edit = Edit::default();
    let connections = vec![to("a", "X")];
    edit.nets.insert(0, NetEdit::Change { connections, drop_wiring: true });
    edit.nets.insert(1, NetEdit::Remove);
    let connections = vec![to("d", "X"), to("PIN", "p")];
    edit.nets.insert(2, NetEdit::Change { connections, drop_wiring: true });
    let connections = vec![to("a", "X"), to("b", "Y")];
    edit.new_nets.push(NewNet { name: "n4", connections, usage: Some(Use::Signal) });
    let out = edited(TEXT, &edit).unwrap();
    let nets = &out[out.find("\nNETS").unwrap()..];
    let wanted = "\nNETS 3 ;\n- n1 ( a X ) + USE CLOCK ;\n\
        - n3 ( d X ) ( PIN p ) + WEIGHT 2 ;\n- n4 ( a X ) ( b Y ) + USE SIGNAL ;\n\
        END NETS\nEND DESIGN\n# the end\n";
    // Blanks before a dropped clause stay.
    assert_eq!(nets.replace("\n  + USE", " + USE"), wanted, "{nets}");
}

#[test]
fn a_buffer_is_inserted() {
    let to = |component, pin| Connection { component, pin, synthesized: false };
    let mut edit = Edit::default();
    edit.new_components.push(NewComponent { name: "buf", master: "BUF", placement: placed(3, 4) });
    let connections = vec![to("a", "X"), to("buf", "A")];
    edit.nets.insert(0, NetEdit::Change { connections, drop_wiring: false });
    edit.new_nets.push(NewNet { name: "nb", connections: vec![to("buf", "Z")], usage: None });
    let out = edited(TEXT, &edit).unwrap();
    check(&out, |file, problems| {
        assert_eq!(problems, []);
        assert_eq!((file.components.len(), file.nets.len()), (5, 4));
        assert_eq!(file.components[4].master, "BUF");
        assert_eq!(file.connections(&file.nets[3]).next(), Some(to("buf", "Z")));
        assert_eq!(file.nets[0].extra.as_ref().unwrap().wiring.len(), 1);
    });
}

#[test]
fn sections_that_are_missing_are_made() {
    let mut edit = Edit::default();
    edit.new_components.push(NewComponent { name: "u", master: "M", placement: placed(1, 2) });
    edit.new_nets.push(NewNet { name: "n", connections: Vec::new(), usage: None });
    for text in [
        "DESIGN t ;\nEND DESIGN\n",
        "DESIGN t ;\nPINS 0 ;\nEND PINS\nGROUPS 0 ;\nEND GROUPS\nEND DESIGN\n",
        "DESIGN t ;\n",
    ] {
        let out = edited(text, &edit).unwrap();
        check(&out, |file, problems| {
            assert_eq!((file.components.len(), file.nets.len(), problems.len()), (1, 1, 0));
            let kinds: Vec<_> = file.sections.iter().map(|s| s.kind.name()).collect();
            let order = ["COMPONENTS", "PINS", "NETS", "GROUPS"];
            let wanted: Vec<_> = order.iter().filter(|k| kinds.contains(k)).copied().collect();
            assert_eq!(kinds, wanted, "{out}");
        });
    }
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    let remove = |i| {
        let mut edit = Edit::default();
        edit.components.insert(i, ComponentEdit::Remove);
        edit
    };
    let error = |edit: &Edit<'_>| edited(TEXT, edit).unwrap_err().to_string();
    assert!(error(&remove(9)).contains("COMPONENTS has 4 items"));
    assert!(error(&remove(2)).contains("net `n2` still connects to `c`"));
    let mut edit = remove(2);
    edit.nets.insert(1, NetEdit::Remove);
    assert!(!edited(TEXT, &edit).unwrap().contains("- c "));
    for (name, wanted) in [("a", "exists"), ("a b", "no DEF name"), ("", "no DEF name")] {
        let mut edit = Edit::default();
        edit.new_components.push(NewComponent { name, master: "M", placement: placed(0, 0) });
        assert!(error(&edit).contains(wanted), "{name:?}");
    }
    let mut edit = Edit::default();
    edit.new_nets.push(NewNet { name: "VDD", connections: Vec::new(), usage: None });
    assert!(error(&edit).contains("`VDD` exists already"));
}

proptest! {
    /// Moving any cells of a file gives a file with these cells moved and nothing else changed.
    #[test]
    fn moves_come_back(moves in proptest::collection::btree_map(0usize..4, any::<(i32, i32)>(), 0..4)) {
        let mut edit = Edit::default();
        for (&i, &(x, y)) in &moves {
            edit.components.insert(i, change(Some(placed(x, y)), None));
        }
        let out = edited(TEXT, &edit).unwrap();
        let (before, after) = (Source::new("a", TEXT).unwrap(), Source::new("b", out).unwrap());
        let mut wanted = parse(&before, &mut Problems::new()).unwrap();
        let got = parse(&after, &mut Problems::new()).unwrap();
        for (&i, &(x, y)) in &moves {
            wanted.components[i].placement = placed(x, y);
        }
        prop_assert!(got.same_content(&wanted));
    }
}

#[test]
fn corpus_cells_move() {
    let Some(files) = corpus("gcd", 100_000) else { return };
    for path in files.iter().filter(|p| p.to_string_lossy().contains(".def")) {
        let source = crate::text::open(path).unwrap();
        let mut file = parse(&source, &mut Problems::new()).unwrap();
        let mut edit = Edit::default();
        for i in (0..file.components.len()).step_by(3) {
            let to = placed(i as i32, -(i as i32));
            edit.components.insert(i, change(Some(to), None));
        }
        let mut out = Vec::new();
        edit.write(&file, &mut out).unwrap();
        for i in (0..file.components.len()).step_by(3) {
            file.components[i].placement = placed(i as i32, -(i as i32));
        }
        let after = Source::new("after", String::from_utf8(out).unwrap()).unwrap();
        let got = parse(&after, &mut Problems::new()).unwrap();
        assert!(got.same_content(&file), "{}", path.display());
    }
}

/// Keywords of DEF that could be mistaken when an object carries them as its name. `MUSTJOIN` is
/// missing: the standard itself makes it no name of a net.
const KEYWORDS: &str = "ALIGN ARRAY BLOCKAGES BUSBITCHARS BY COMPONENT COMPONENTS COVER DEFAULTCAP \
    DESIGN DIEAREA DIRECTION DIVIDERCHAR DO END EEQMASTER ESTCAP EXCEPTPGNET EXTENSIONS FENCE FILLS \
    FIXED FIXEDBUMP FLOATING FOLLOWPIN FREQUENCY GCELLGRID GENERATE GROUND GROUP GROUPS GUIDE HALO \
    HISTORY IN INPUT LAYER LAYERS MASK MAXBITS NET NETEXPR NETLIST NETS NEW NOSHIELD \
    NONDEFAULTRULE N S E W FN FS FE FW OFF ON OPC ORDERED ORIGINAL OUT OUTPUT PARTIAL PATTERN PIN \
    PINPROPERTIES PINS PLACED PLACEMENT POLYGON PORT POWER PROPERTY PUSHDOWN RECT REGION REGIONS \
    ROUTED ROUTEHALO ROW SAMEMASK SCANCHAINS SHAPE SHIELD SHIELDNET SIGNAL SITE SLOTS SOFT SOURCE \
    SPACING SPECIAL SPECIALNETS START STEP STOP STYLE STYLES SUBNET SYNTHESIZED TAPER TAPERRULE \
    TECHNOLOGY TRACKS TYPE UNITS UNPLACED USE VERSION VIA VIARULE VIAS VIRTUAL VOLTAGE VPIN WEIGHT \
    WIDTH X XTALK Y";

#[test]
fn names_that_read_like_keywords() {
    for word in KEYWORDS.split_whitespace() {
        let text = format!(
            "DESIGN {word} ;\nROW {word} {word} 0 0 N DO 2 BY 1 STEP 3 0 ;\n\
            REGIONS 1 ; - {word} ( 0 0 ) ( 1 1 ) + TYPE FENCE ; END REGIONS\n\
            COMPONENTS 1 ; - {word} {word} + PLACED ( 1 2 ) N + REGION {word} ; END COMPONENTS\n\
            PINS 1 ; - {word} + NET {word} + DIRECTION INPUT + LAYER {word} ( 0 0 ) ( 1 1 ) \
            + FIXED ( 3 4 ) N ; END PINS\n\
            NETS 1 ; - {word} ( {word} {word} ) ( PIN {word} ) + USE CLOCK ; END NETS\n\
            GROUPS 1 ; - {word} {word} + REGION {word} ; END GROUPS\nEND DESIGN\n"
        );
        check(&text, |f, problems| {
            assert_eq!(problems, [], "{word}");
            assert_eq!(f.header.design, Some(word));
            let c = &f.components[0];
            assert_eq!((c.name, c.master, c.placement.point.y), (word, word, 2));
            assert_eq!((f.pins[0].name, f.pins[0].net), (word, Some(word)));
            let n = &f.nets[0];
            assert_eq!((n.name, n.len(), n.usage), (word, 2, Some(Use::Clock)));
            assert_eq!(f.connections(n).next().unwrap().pin, word);
            assert_eq!((f.groups[0].members[0], f.rows[0].site), (word, word));
        });
    }
}
