//! Tests of what the text formats share.

use super::*;
use std::io::Write;

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    e.write_all(bytes).unwrap();
    e.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut e = liblzma::write::XzEncoder::new(Vec::new(), 6);
    e.write_all(bytes).unwrap();
    e.finish().unwrap()
}

#[test]
fn opens_plain_gzip_and_xz_by_their_first_bytes() {
    let text = b"VERSION 5.8 ;\n";
    let mut two = gz(text);
    two.extend(gz(text));
    for (bytes, copies) in [(text.to_vec(), 1), (gz(text), 1), (xz(text), 1), (two, 2)] {
        let s = Source::from_bytes("x", &bytes, MAX_BYTES).unwrap();
        assert_eq!(s.bytes(), text.repeat(copies));
    }
    let marked = Source::from_bytes("x", b"\xef\xbb\xbfVERSION", MAX_BYTES).unwrap();
    assert_eq!(marked.text(), "VERSION");
    for short in [&b""[..], b"a", b"\x1f", b"VERS"] {
        assert_eq!(Source::from_bytes("x", short, 9).unwrap().bytes(), short);
    }
}

#[test]
fn damaged_or_too_large_files_are_refused() {
    let big = vec![b' '; 1 << 20];
    for bytes in [big.clone(), gz(&big), xz(&big)] {
        let e = Source::from_bytes("big", &bytes, 1000).unwrap_err();
        assert!(e.message.contains("more than 1000 bytes"), "{e}");
        Source::from_bytes("big", &bytes, 1 << 20).unwrap();
    }
    for bytes in [gz(b"abc"), xz(b"abc")] {
        let e = Source::from_bytes("cut", &bytes[..bytes.len() - 3], MAX_BYTES).unwrap_err();
        assert!(e.message.contains("cannot be read"), "{e}");
    }
    let e = Source::from_bytes("b", b"BZh91AY", MAX_BYTES).unwrap_err();
    assert!(e.to_string().contains("give it plain"), "{e}");
    assert!(open("/nonexistent/x.def").unwrap_err().to_string().contains("cannot be opened"));
}

#[test]
fn latin1_keeps_different_names_different() {
    let s = Source::from_bytes("x", b"a\xe9\nb\xe8", MAX_BYTES).unwrap();
    assert!(s.was_latin1());
    assert_eq!(s.text(), "a\u{e9}\nb\u{e8}");
}

#[test]
fn positions_agree_with_counting() {
    let text: String = (0..9000).map(|i| "x".repeat(i % 11) + "\n").collect();
    let s = Source::new("x", text.clone()).unwrap();
    for at in (0..text.len()).step_by(997).chain([0, text.len(), text.len() + 5]) {
        let end = at.min(text.len());
        let line = text[..end].matches('\n').count() + 1;
        let column = end - text[..end].rfind('\n').map_or(0, |p| p + 1) + 1;
        let p = s.position(at);
        assert_eq!((p.line as usize, p.column as usize), (line, column), "at {at}");
    }
    assert_eq!(s.error(0, "m", "h").to_string(), "x:1:1: m; h");
    assert_eq!(s.error(0, "m", "").to_string(), "x:1:1: m");
    assert_eq!(FormatError::whole_file("f", "m", "h").to_string(), "f: m; h");
}

#[test]
fn problems_are_capped_per_code_and_counted_exactly() {
    let s = Source::new("x", "a\nb").unwrap();
    let mut p = Problems::with_cap(2);
    for _ in 0..5 {
        p.report(Severity::Warning, "a", &s, 2, || "m".into());
    }
    p.report(Severity::Error, "b", &s, 0, || "n".into());
    assert_eq!(p.iter().count(), 3);
    assert_eq!((p.count("a"), p.count("b"), p.count("c")), (5, 1, 0));
    assert!(p.has_errors());
    assert_eq!(p.iter().next().unwrap().to_string(), "x:2: warning[a]: m");
    let mut q = Problems::with_cap(3);
    q.report(Severity::Warning, "a", &s, 2, || "m".into());
    q.merge(p);
    assert_eq!((q.count("a"), q.iter().count()), (6, 4));
}

fn words(text: &str) -> Vec<&str> {
    Lexer::new(text).map(|t| t.text).collect()
}

#[test]
fn words_of_lef_and_def() {
    assert_eq!(
        words("- u1 NAND2 + PLACED ( 1 -2 ) N ;"),
        ["-", "u1", "NAND2", "+", "PLACED", "(", "1", "-2", ")", "N", ";"]
    );
    assert_eq!(words("(1 2);"), ["(", "1", "2", ")", ";"]);
    assert_eq!(words("a(3) b\\; c; d#e # f\n g"), ["a(3)", "b\\;", "c", ";", "d#e", "g"]);
    assert_eq!(words("a\\\\; ;;"), ["a\\\\", ";", ";", ";"]);
    assert_eq!(words("\"a ; # b\\\" \n c\" d \"\""), ["a ; # b\\\" \n c", "d", ""]);
    assert_eq!(words("a)) b(1)) c;);"), ["a", ")", ")", "b(1))", "c", ";", ")", ";"]);
    let mut l = Lexer::new("x \"abc");
    assert_eq!(l.by_ref().last().unwrap().text, "abc");
    assert_eq!(l.unterminated(), Some(2));
    assert_eq!(words("\"\\é\" \u{a0}é;"), ["\\é", "\u{a0}é", ";"]);
}

#[test]
fn keywords_fold_to_upper_case() {
    let mut b = [0; LONGEST_KEYWORD];
    assert_eq!(keyword("Pin", &mut b), "PIN");
    assert_eq!(keyword("PIN", &mut b), "PIN");
    assert_eq!(keyword("é", &mut b), "é");
    let long = "x".repeat(50);
    assert_eq!(keyword(&long, &mut b), long);
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    assert_eq!(parse_i64("-9223372036854775808"), Some(i64::MIN));
    assert_eq!(parse_i64("9223372036854775808"), None);
    assert_eq!(parse_i32("2147483648"), None);
    assert_eq!(parse_i32("+2147483647"), Some(i32::MAX));
    assert_eq!(parse_u32("-1"), None);
    for bad in ["", "-", "+", "1.0", "1a", "--1", "1 "] {
        assert_eq!(parse_i64(bad), None, "{bad:?}");
    }
    assert_eq!(parse_f64("-.5e-3"), Some(-0.0005));
    for bad in ["", "inf", "-inf", "nan", "1e999", "0x10", "1.2.3", "-", "."] {
        assert_eq!(parse_f64(bad), None, "{bad:?}");
    }
}
