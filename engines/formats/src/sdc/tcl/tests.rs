//! Golden values of the evaluator, as tclsh gives them.

use std::rc::Rc;

use super::{Fault, Host, Interp, Limits, Meter, Origin, Res, Value};

/// Collects what a script prints with `out`, and every error.
#[derive(Default)]
struct Probe {
    out: Vec<String>,
    errors: Vec<(u32, String)>,
}

impl Host for Probe {
    fn command(&mut self, _: Origin, name: &str, args: &[Value], _: &mut Meter) -> Option<Res> {
        (name == "out").then(|| {
            self.out.extend(args.iter().map(|arg| arg.as_str().into_owned()));
            Ok(args.first().cloned().unwrap_or_default())
        })
    }
    fn report(&mut self, fault: Fault) {
        self.errors.push((fault.at.line, fault.message));
    }
    fn load(&mut self, _: u32, path: &str) -> Result<(u32, Rc<str>), String> {
        match path {
            "self" => Ok((1, "source self".into())),
            "x" => Ok((1, "out sourced; return; out not".into())),
            _ => Err("not there".into()),
        }
    }
    fn file_name(&self, file: u32) -> String {
        format!("f{file}")
    }
}

fn run(text: &str) -> Probe {
    let mut probe = Probe::default();
    let limits = Limits { work: 20_000_000, bytes: 10_000_000, ..Limits::default() };
    Interp::new(&mut probe, limits).run_file(0, text);
    probe
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let probe = run(text);
    assert_eq!(probe.errors, [], "{text}");
    assert_eq!(probe.out, want, "{text}");
}

#[test]
fn substitution() {
    check("set a 1; out $a ${a}b \"$a c\" {$a} [set a]", &["1", "1b", "1 c", "$a", "1"]);
    check("set x(i) 3; set i i; out $x($i) $x(i)", &["3", "3"]);
    check("out a\\ b \\x41 \"\\[\" \\\n  c", &["a b", "A", "[", "c"]);
    check("out {*}{a b} c # no comment", &["a", "b", "c", "#", "no", "comment"]);
    check("# c \\\n still\nout [list a {b c} \"d\"] ;# c\n", &["a {b c} d"]);
    check("out $ a$ \"$\"", &["$", "a$", "$"]);
    check("out [list [list 1 2] [list]] [out q; out r]", &["q", "r", "{1 2} {}", "r"]);
    check("out {a\\\n  b} [lindex {a\\\n  b} 1]", &["a\\\n  b", "b"]);
}

#[test]
fn expressions() {
    for (text, want) in [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3"),
        ("-7 / 2", "-4"),
        ("-7 % 3", "2"),
        ("7.0 / 2", "3.5"),
        ("2 ** 10", "1024"),
        ("0.8 * 10", "8.0"),
        ("1e-3 * 2", "0.002"),
        ("1 ? 2 : 3", "2"),
        ("0 ? [nope] : 3", "3"),
        ("0 && [nope]", "0"),
        ("1 || $nope", "1"),
        ("\"a\" eq {a}", "1"),
        ("\"a\" ne \"b\"", "1"),
        ("\"b\" in {a b}", "1"),
        ("5 == 5.0", "1"),
        ("abc < abd", ""),
        ("{abc} < {abd}", "1"),
        ("max(1, 2.5, 2)", "2.5"),
        ("round(2.5) + int(3.9) + abs(-2)", "8"),
        ("ceil(1.2) ", "2.0"),
        ("!0 && !false", "1"),
        ("1 << 4 | 1", "17"),
        ("0x1F", "31"),
        ("3 > 2 ? \"y\" : \"n\"", "y"),
        ("-2 ** 2", "4"),
        ("1+-1", "0"),
    ] {
        let probe = run(&format!("out [expr {{{text}}}]"));
        if want.is_empty() {
            assert_eq!(probe.errors.len(), 1, "{text}");
        } else {
            assert_eq!(
                (probe.errors.as_slice(), probe.out),
                (&[][..], vec![want.to_owned()]),
                "{text}"
            );
        }
    }
    check("set a 3; out [expr $a * 0.5] [expr {$a==3?1:0}]", &["1.5", "1"]);
}

#[test]
fn control_flow() {
    check("if {1 > 2} {out a} elseif 1 {out b} else {out c}", &["b"]);
    check("foreach {a b} {1 2 3} {out $a-$b}", &["1-2", "3-"]);
    check("foreach a {1 2} b {x y} {out $a$b}", &["1x", "2y"]);
    check(
        "for {set i 0} {$i < 5} {incr i} {if {$i == 1} continue; if {$i == 3} break; out $i}",
        &["0", "2"],
    );
    check("set i 0; while {$i < 2} {incr i}; out $i", &["2"]);
    check(
        "proc f {a {b 2} args} {return $a$b[llength $args]}; out [f 1] [f 1 3 4 5]",
        &["120", "132"],
    );
    check("set g 1; proc f {} {global g; incr g; set l 2}; f; out $g [info exists l]", &["2", "0"]);
    check("out [catch {error no} m] $m [catch {set q 1}]", &["1", "no", "0"]);
    check("switch -glob abc {b* {out 1} a* {out 2} default {out 3}}", &["2"]);
    check(
        "array set a {x 1 y 2}; out [array names a] [array size a] [info exists a(x)]",
        &["x y", "2", "1"],
    );
    check("source x; out [info script]", &["sourced", "f0"]);
    check("proc f {} {return [g]}; proc g {} {return 4}; out [f] [eval {out 5}]", &["5", "4", "5"]);
}

#[test]
fn lists_and_strings() {
    check("out [lindex {a {b c}} end 0] [lrange {a b c d} 1 end-1]", &["b", "b c"]);
    check("lappend l a {b c}; out $l [llength $l]", &["a {b c}", "2"]);
    check("out [concat {a b} c {}] [join {a b} ,] [split a.b. .]", &["a b c", "a,b", "a b {}"]);
    check(
        "out [lsearch {a b c} b] [lsearch -all -inline -not -exact {a b c} b] [lsearch {a} q]",
        &["1", "a c", "-1"],
    );
    check(
        "out [lsort {b a c}] [lsort -integer -decreasing {2 10 1}] [lsort -dictionary {a10 a2}]",
        &["a b c", "10 2 1", "a2 a10"],
    );
    check(
        "out [string match a?c abc] [string range abcd 1 end] [string map {a 1 b 2} abc]",
        &["1", "bcd", "12c"],
    );
    check(
        "out [string first b abc] [string length é] [string toupper ab] [string equal a a]",
        &["1", "1", "AB", "1"],
    );
    check(
        "out [format %05.2f|%-4s|%x|%d|%g|%e 3.14159 a 255 7 0.0001 12345.678]",
        &["03.14|a   |ff|7|0.0001|1.234568e+04"],
    );
    check(
        "out [regexp {(a+)b} xaab all one] $all $one [regsub -all {a} banana {<&>}]",
        &["1", "aab", "aa", "b<a>n<a>n<a>"],
    );
}

#[test]
fn errors_name_their_line_and_the_next_command_goes_on() {
    let probe = run("out 1\nnope x\n\nforeach i {1} {\n  out $q\n}\nout 2\nset a {");
    let lines: Vec<u32> = probe.errors.iter().map(|e| e.0).collect();
    assert_eq!((probe.out, lines), (vec!["1".to_owned(), "2".to_owned()], vec![2, 5, 8]));
    assert!(probe.errors[0].1.contains("`nope` is not a known command"), "{:?}", probe.errors);
}

#[test]
fn hostile_scripts_end() {
    for text in [
        "while 1 {}",
        "proc f {} {f}; f",
        "set a x; while 1 {append a $a}",
        "source self",
        "set a [string repeat x 1000000000]",
        "set l {}; while 1 {lappend l $l}",
        "lrepeat 1000000000 x",
        "for {set i 0} {1} {incr i} {set v($i) $i}",
        "catch {while 1 {}}; while 1 {catch {while 1 {}}}",
        "set a {a b}; while 1 {set a [concat $a $a]}",
        "format %9999999999d 1; set a [format %*d 99999999 1]; while 1 {append a $a}",
    ] {
        let probe = run(text);
        assert!(!probe.errors.is_empty(), "{text}");
    }
    for (open, close) in
        [("[", "]"), ("{", "}"), ("(", ")"), ("-", ""), ("\"[", "]\""), ("[expr {", "}]")]
    {
        for prefix in ["out ", "expr ", "expr {", "if {1} {"] {
            run(&format!("{prefix}{}1{}", open.repeat(5000), close.repeat(5000)));
        }
    }
}
