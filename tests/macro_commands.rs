//! `cellwright proxy` and `cellwright place-macros` as users call them: files in, JSON and files out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use cellwright_formats::ct::{read_netlist, read_placement, write_netlist, write_placement};
use cellwright_formats::text::{Problems, open};
use cellwright_macros::netlist::Item;
use cellwright_macros::sample::{Size, generate};
use cellwright_macros::{
    Boundary, Engine, Kind, Model, Netlist, Options, Orient, Placement, Precision, Settings, gates,
};
use serde_json::Value;

/// A case on disk, removed when dropped.
struct Case {
    folder: PathBuf,
    netlist: Netlist,
    placement: Placement,
}

impl Case {
    fn new(test: &str, (netlist, placement): (Netlist, Placement)) -> Case {
        let folder =
            std::env::temp_dir().join(format!("cellwright-macros-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("case.pb.txt"), write_netlist(&netlist)).unwrap();
        fs::write(folder.join("case.plc"), write_placement(&netlist, &placement, &[])).unwrap();
        Case { folder, netlist, placement }
    }

    /// A few macros on a canvas with room, so that a legal placement is found at once.
    fn roomy(test: &str) -> Case {
        let size = Size { hard: 6, soft: 14, ports: 8, nets: 90, grid: (9, 7) };
        let (netlist, mut placement) = generate(size, 3);
        placement.settings.width *= 1.3;
        placement.settings.height *= 1.3;
        Case::new(test, (netlist, placement))
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn run(&self, command: &str, plc: Option<&str>, more: &[&str]) -> Output {
        let mut run = Command::new(env!("CARGO_BIN_EXE_cellwright"));
        run.arg(command).arg("--netlist").arg(self.path("case.pb.txt"));
        if let Some(plc) = plc {
            run.arg("--plc").arg(self.path(plc));
        }
        run.args(more).output().unwrap()
    }

    fn read(&self, plc: &str) -> Placement {
        let mut problems = Problems::new();
        let read = read_placement(
            &open(Path::new(&self.path(plc))).unwrap(),
            &self.netlist,
            &mut problems,
        );
        assert!(problems.is_empty());
        read.unwrap()
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn value(output: &Output) -> Value {
    json(output)["result"]["value"].clone()
}

#[test]
fn proxy_says_what_the_engine_says_in_every_variant() {
    let case = Case::roomy("proxy");
    let mut seen = Vec::new();
    for (boundary, boundary_name) in
        [(Boundary::Clamped, "clamped"), (Boundary::Published, "published")]
    {
        for (precision, precision_name) in
            [(Precision::Double, "double"), (Precision::Single, "single")]
        {
            for smooth in [0, 2] {
                let range = smooth.to_string();
                let output = case.run(
                    "proxy",
                    Some("case.plc"),
                    &[
                        "--boundary",
                        boundary_name,
                        "--precision",
                        precision_name,
                        "--smooth-range",
                        &range,
                        "--json",
                    ],
                );
                assert_eq!(output.status.code(), Some(0));
                assert_eq!(json(&output)["status"], "ok");
                let said = value(&output);
                let settings = Settings { smooth_range: smooth, ..case.placement.settings.clone() };
                let model = Arc::new(Model::new(&case.netlist, &settings).unwrap());
                let options = Options { boundary, precision, ..Options::default() };
                let cost = Engine::new(model, &case.placement, options).unwrap().cost();
                for (name, ours) in [
                    ("wirelength", cost.wirelength),
                    ("wirelength_um", cost.wirelength_um),
                    ("density", cost.density),
                    ("congestion", cost.congestion),
                    ("proxy", cost.proxy),
                ] {
                    let wanted = ours.is_finite().then_some(ours);
                    match (said[name].as_f64(), wanted) {
                        (Some(a), Some(b)) => assert!((a - b).abs() <= 1e-15 * b.abs(), "{name}"),
                        (a, b) => assert_eq!(a, b, "{name}"),
                    }
                }
                let broken = gates(&case.netlist, &case.placement, None, 0.0);
                assert_eq!(said["overlaps"], broken.overlaps.len());
                seen.push(said["proxy"].to_string());
            }
        }
    }
    // The options reach the engine: smoothing and precision each change the value.
    assert_ne!(seen[0], seen[1]);
    assert_ne!(seen[0], seen[2]);
}

#[test]
fn placed_macros_are_legal_cost_what_is_said_and_do_not_depend_on_threads() {
    let case = Case::roomy("place");
    let place = |out: &str, seed: &str, threads: &str| {
        let (path, svg) = (case.path(out), case.path("best.svg"));
        let png = case.path("best.png");
        let output = case.run(
            "place-macros",
            Some("case.plc"),
            &[
                "--work-units",
                "4000000",
                "--replicas",
                "2",
                "--seed",
                seed,
                "--threads",
                threads,
                "--gap",
                "0.5",
                "--smooth-range",
                "2",
                "--out",
                &path,
                "--svg",
                &svg,
                "--png",
                &png,
                "--json",
            ],
        );
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(json(&output)["engineering"]["status"], "pass");
        value(&output)
    };
    let said = place("one.plc", "1", "1");
    assert_eq!((&said["legal"], &said["overlaps"]), (&Value::Bool(true), &Value::from(0)));
    assert!(said["proxy"].as_f64().unwrap() < said["start"].as_f64().unwrap());

    // The file: sides apart by the gap, inside the canvas, ports where they were. Written out here,
    // not asked of the gates; the slack is for this test's own rounding.
    let placed = case.read("one.plc");
    assert_eq!(placed.settings.smooth_range, 2);
    let side = |i: u32| {
        let (item, spot) = (&case.netlist.items[i as usize], placed.spots[i as usize].unwrap());
        let (w, h) = (item.width / 2.0, item.height / 2.0);
        [spot.x - w, spot.y - h, spot.x + w, spot.y + h]
    };
    let hard: Vec<u32> = case.netlist.of(Kind::Hard).collect();
    for (n, &a) in hard.iter().enumerate() {
        let a = side(a);
        assert!(a[0] >= -1e-9 && a[1] >= -1e-9);
        assert!(a[2] <= placed.settings.width + 1e-9 && a[3] <= placed.settings.height + 1e-9);
        for &b in &hard[n + 1..] {
            let b = side(b);
            let apart = [b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3]];
            assert!(apart.iter().any(|d| *d >= 0.5 - 1e-9), "{apart:?}");
        }
    }
    for port in case.netlist.of(Kind::Port) {
        assert_eq!(placed.spots[port as usize], case.placement.spots[port as usize]);
    }

    // `proxy` on the file says the same cost, with no option but the file's own settings.
    let again = value(&case.run("proxy", Some("one.plc"), &["--gap", "0.5", "--json"]));
    for name in ["wirelength", "wirelength_um", "density", "congestion", "proxy", "overlaps"] {
        assert_eq!(again[name], said[name], "{name}");
    }
    let svg = fs::read_to_string(case.path("best.svg")).unwrap();
    assert!(svg.matches("<rect").count() >= 20);
    assert!(fs::read(case.path("best.png")).unwrap().starts_with(b"\x89PNG"));

    // Work units: the seed alone decides.
    place("two.plc", "1", "2");
    place("other.plc", "2", "2");
    assert!(case.read("two.plc") == placed);
    assert!(case.read("other.plc") != placed);
}

#[test]
fn a_flat_netlist_is_placed_whole() {
    let mut netlist = Netlist { outline: Some((120.0, 90.0)), ..Netlist::default() };
    let mut add = |name: String, kind, (width, height), at| {
        let index = netlist.items.len() as u32;
        let mut item = Item::new(name, kind, index);
        (item.width, item.height, item.at) = (width, height, at);
        item.orient = (kind == Kind::Hard).then_some(Orient::N);
        netlist.items.push(item);
        index
    };
    let port = add("clk".to_owned(), Kind::Port, (0.0, 0.0), Some((0.0, 45.0)));
    let ram = add("ram".to_owned(), Kind::Hard, (30.0, 20.0), Some((60.0, 45.0)));
    let pin = add("ram/q".to_owned(), Kind::HardPin, (0.0, 0.0), None);
    let cells: Vec<u32> = (0..120)
        .map(|n| add(format!("c{n}"), Kind::Cell, (1.0, 1.4), Some((10.0, 10.0))))
        .collect();
    netlist.items[pin as usize].owner = ram;
    netlist.items[pin as usize].sinks = vec![cells[0]];
    netlist.items[port as usize].sinks = vec![cells[60]];
    for (n, &cell) in cells.iter().enumerate() {
        netlist.items[cell as usize].sinks = vec![cells[(n + 1) % 120], cells[(n + 7) % 120]];
    }
    let placement = Placement::of_netlist(&netlist, Settings::default());
    let case = Case::new("flat", (netlist, placement));
    let (out, prefix) = (case.path("out.plc"), case.path("grouped"));
    let output = case.run(
        "place-macros",
        None,
        &[
            "--work-units",
            "200000",
            "--groups",
            "12",
            "--routes",
            "60,50",
            "--macro-routes",
            "20,10",
            "--grouped",
            &prefix,
            "--out",
            &out,
            "--json",
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said = value(&output);

    // Every item that is no pin has its place, and the file's own wirelength is what was said.
    let placed = case.read("out.plc");
    for (item, spot) in case.netlist.items.iter().zip(&placed.spots) {
        assert_eq!(spot.is_none(), item.kind.is_pin(), "{}", item.name);
    }
    let settings = &placed.settings;
    assert_eq!((settings.routes_h, settings.routes_v), (60.0, 50.0));
    assert_eq!((settings.macro_routes_h, settings.macro_routes_v), (20.0, 10.0));
    let whole = value(&case.run("proxy", Some("out.plc"), &["--json"]));
    assert_eq!(whole["wirelength_um"], said["flat_um"]);

    // Cells are in rows, beside each other and beside the macro; seen here, not asked of the gates.
    assert_eq!(
        (&said["flat_violations"], &said["flat_violations_of_fixed"]),
        (&0.into(), &0.into())
    );
    let near = |a: f64, b: f64| (a - b).abs() < 1e-3;
    let side = |i: u32| {
        let (item, spot) = (&case.netlist.items[i as usize], placed.spots[i as usize].unwrap());
        let (w, h) = (item.width / 2.0, item.height / 2.0);
        [spot.x - w, spot.y - h, spot.x + w, spot.y + h]
    };
    let bodies: Vec<u32> = cells.iter().copied().chain([ram]).collect();
    for (n, &a) in bodies.iter().enumerate() {
        let a_side = side(a);
        assert!(a == ram || near(a_side[1] / 1.4, (a_side[1] / 1.4).round()), "{a_side:?}");
        for &b in &bodies[n + 1..] {
            let (a, b) = (a_side, side(b));
            let apart = [b[0] - a[2], a[0] - b[2], b[1] - a[3], a[1] - b[3]];
            assert!(apart.iter().any(|d| *d >= -1e-3), "{a:?} {b:?}");
        }
    }
    for end in ["lef", "def"] {
        assert!(Path::new(&case.path(&format!("out.{end}"))).exists());
    }

    // The grouped case is a case of its own: 12 soft macros at most, all the cells' area.
    let mut problems = Problems::new();
    let source = open(Path::new(&format!("{prefix}.pb.txt"))).unwrap();
    let grouped = read_netlist(&source, &mut problems).unwrap();
    assert_eq!(grouped.count(Kind::Cell), 0);
    assert!((1..=12).contains(&grouped.count(Kind::Soft)));
    let source = open(Path::new(&format!("{prefix}.plc"))).unwrap();
    let spots = read_placement(&source, &grouped, &mut problems).unwrap();
    assert!(gates(&grouped, &spots, None, 0.0).is_legal());
}

#[test]
fn convert_goes_through_bookshelf_and_back_with_weights() {
    let case = Case::roomy("convert");
    assert!(case.netlist.items.iter().any(|item| item.weight.is_some_and(|w| w > 1.0)));
    let call = |command: &str, more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_cellwright"))
            .arg(command)
            .args(more)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        output
    };
    let path = |name: &str| case.path(name);
    call(
        "convert",
        &[
            "--netlist",
            &path("case.pb.txt"),
            "--plc",
            &path("case.plc"),
            "--out-bookshelf",
            &path("b"),
            "--out-lefdef",
            &path("d"),
        ],
    );
    let said = call("check", &[&path("b.aux")]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("0 errors"));
    call(
        "convert",
        &[
            "--bookshelf",
            &path("b.aux"),
            "--out-netlist",
            &path("again.pb.txt"),
            "--out-plc",
            &path("again.plc"),
        ],
    );
    let first = value(&case.run("proxy", Some("case.plc"), &["--json"]));
    let again = value(&call(
        "proxy",
        &["--netlist", &path("again.pb.txt"), "--plc", &path("again.plc"), "--json"],
    ));
    let um = |v: &Value| v["wirelength_um"].as_f64().unwrap();
    assert!((um(&first) - um(&again)).abs() < 1e-9 * um(&first), "{first} {again}");
    // Without the weights it would be another.
    fs::write(path("b.wts"), "UCLA wts 1.0\n").unwrap();
    call(
        "convert",
        &[
            "--bookshelf",
            &path("b.aux"),
            "--out-netlist",
            &path("light.pb.txt"),
            "--out-plc",
            &path("light.plc"),
        ],
    );
    let light = value(&call(
        "proxy",
        &["--netlist", &path("light.pb.txt"), "--plc", &path("light.plc"), "--json"],
    ));
    assert!(um(&light) < 0.99 * um(&first));
    for end in ["lef", "def"] {
        assert!(fs::read_to_string(path(&format!("d.{end}"))).unwrap().contains("END"));
    }
}

#[test]
fn what_is_missing_is_named_and_can_be_given() {
    let case = Case::roomy("bare");
    // A .plc file as some of Circuit Training's own are: a grid and a canvas, no routes.
    let text = fs::read_to_string(case.path("case.plc")).unwrap();
    let bare: Vec<&str> = text.lines().filter(|line| !line.contains("Routes")).collect();
    fs::write(case.path("bare.plc"), bare.join("\n")).unwrap();
    let refused = case.run("proxy", Some("bare.plc"), &[]);
    assert_ne!(refused.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("Routes per micron"));

    let given = ["--routes", "57.031,56.818", "--macro-routes", "39.583,30.303", "--json"];
    let bare = value(&case.run("proxy", Some("bare.plc"), &given));
    let whole = value(&case.run("proxy", Some("case.plc"), &["--json"]));
    assert_eq!(bare, whole);

    for wrong in ["57", "a,b", "-1,5", "nan,5", "57.0,0"] {
        let output = case.run("proxy", Some("bare.plc"), &[&format!("--routes={wrong}")]);
        assert_ne!(output.status.code(), Some(0), "{wrong}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked") && !said.is_empty(), "{wrong}: {said}");
    }

    // A line that is no placement: file and line are named.
    fs::write(case.path("broken.plc"), format!("{text}7 1.0 N\n")).unwrap();
    let output = case.run("proxy", Some("broken.plc"), &[]);
    assert_ne!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("broken.plc:{}", text.lines().count() + 1)), "{said}");
}
