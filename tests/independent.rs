//! What we write, others read: KLayout our DEF, Debian's `sta` our Verilog, and both say the same
//! of it as we do; and we ourselves read back what we wrote.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers may panic, and say what they skip"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use cellwright_db::{Design, Orient, PlaceStatus};
use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::{Loaded, constraints, load};
use cellwright_formats::save::{write_def, write_netlist};
use cellwright_formats::sdc::{library_units, read_sdc};
use cellwright_formats::spef::{Triplet, read_spef, write_spef};
use cellwright_formats::text::{Problems, Source, open};
use cellwright_place::{PlaceConfig, place};
use cellwright_sta::parasitics::{Annotated, Parasitics, Topology, WireRc};
use cellwright_sta::{Calculator, Config, Side, Timer};

/// A placed design with what was written of it, in a folder that goes with it.
struct Placed {
    folder: PathBuf,
    loaded: Loaded,
    design: Design,
    def: PathBuf,
    verilog: PathBuf,
}

impl Placed {
    fn new(name: &str, bundle: impl FnOnce(&Path) -> PathBuf) -> Placed {
        let folder = std::env::temp_dir()
            .join(format!("cellwright-independent-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let bundle = bundle(&folder);
        let loaded = load(Bundle::read(&bundle).unwrap()).unwrap();
        let mut design = Design::new(&loaded.snapshot);
        let placed = place(&design, &PlaceConfig::default(), &mut ()).unwrap();
        design.apply(&placed.delta).unwrap();
        let (def, verilog) = (folder.join("written.def"), folder.join("written.v"));
        write_def(&loaded, &design, &def).unwrap();
        write_netlist(&design, &verilog).unwrap();
        Placed { folder, loaded, design, def, verilog }
    }

    fn preset(name: &str, test: &str) -> Placed {
        let spec = Spec::preset(name).unwrap();
        Placed::new(&format!("{name}-{test}"), |folder| write_bundle(folder, &spec).unwrap())
    }

    /// A design with names and a library that are not ours.
    fn gcd(test: &str) -> Option<Placed> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
        let corpus = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from);
        let designs = corpus.join("designs");
        let (gcd, tech) = (designs.join("nangate45/gcd"), designs.join("tech/nangate45"));
        if !gcd.is_dir() || !tech.is_dir() {
            println!("skipped: corpus not found");
            return None;
        }
        let text = format!(
            "name = \"gcd\"\ntech = \"nangate45\"\n\
             lef = [\"{tech}/NangateOpenCellLibrary.tech.lef\", \
             \"{tech}/NangateOpenCellLibrary.macro.mod.lef\"]\n\
             verilog = [\"{gcd}/gcd.v.gz\"]\ndef = \"{gcd}/gcd_u60.def.gz\"\n\
             sdc = [\"{gcd}/gcd.sdc\"]\n\
             [[corner]]\nname = \"typ\"\nliberty = [\"{tech}/nangate45_typ.lib.gz\"]\n",
            tech = tech.canonicalize().unwrap().display(),
            gcd = gcd.canonicalize().unwrap().display(),
        );
        Some(Placed::new(&format!("gcd-{test}"), |folder| {
            let file = folder.join("design.toml");
            fs::write(&file, text).unwrap();
            file
        }))
    }

    fn file(&self, path: &Path) -> String {
        self.loaded.bundle.path(path).display().to_string()
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The first few differences of two lists that should be one.
fn same(what: &str, ours: &BTreeSet<String>, theirs: &BTreeSet<String>) {
    let few =
        |list: Vec<&String>| list.into_iter().take(5).cloned().collect::<Vec<_>>().join("\n  ");
    let only_ours = few(ours.difference(theirs).collect());
    let only_theirs = few(theirs.difference(ours).collect());
    assert!(
        ours == theirs,
        "{what}: {} of ours, {} of theirs\nonly ours:\n  {only_ours}\nonly theirs:\n  {only_theirs}",
        ours.len(),
        theirs.len()
    );
}

// ---- KLayout ----

fn python() -> Option<&'static str> {
    static PYTHON: OnceLock<Option<String>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| {
        let python = std::env::var("CELLWRIGHT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let tried = Command::new(&python).args(["-c", "import klayout.db"]).output();
        tried.is_ok_and(|output| output.status.success()).then_some(python)
    });
    if found.is_none() {
        println!("skipped: the Python of CELLWRIGHT_PYTHON has no module klayout.db");
    }
    found.as_deref()
}

/// Every instance of a DEF as KLayout has it: name, master, orientation, and the placed outline
/// that it makes of the macro's size. Arguments: DBU per µm, DEF, LEF files.
const KLAYOUT: &str = r#"
import sys
import klayout.db as db
options = db.LoadLayoutOptions()
config = options.lefdef_config
config.dbu = 1.0 / float(sys.argv[1])
config.lef_files = sys.argv[3:]
config.read_lef_with_def = False
config.macro_resolution_mode = 1
layout = db.Layout()
layout.read(sys.argv[2], options)
outline = layout.find_layer(layout.get_info(next(
    i for i in layout.layer_indexes() if layout.get_info(i).name == "OUTLINE")))
names = {"r0": "N", "r90": "W", "r180": "S", "r270": "E", "m90": "FN", "m0": "FS", "m45": "FW", "m135": "FE"}
top = layout.top_cell()
for instance in top.each_inst():
    if instance.property(1) is None:
        continue
    box = instance.trans * instance.cell.bbox(outline)
    orient = names[str(instance.trans).split(" ")[0]]
    print(instance.property(1), instance.cell.name, orient, box.left, box.bottom, box.right, box.top)
"#;

fn orient(orient: Orient) -> &'static str {
    match orient {
        Orient::N => "N",
        Orient::S => "S",
        Orient::W => "W",
        Orient::E => "E",
        Orient::FN => "FN",
        Orient::FS => "FS",
        Orient::FW => "FW",
        Orient::FE => "FE",
    }
}

fn klayout_agrees(placed: &Placed) {
    let Some(python) = python() else { return };
    let design = &placed.design;
    let mut command = Command::new(python);
    command.args(["-c", KLAYOUT]).arg(design.tech().dbu_per_micron.to_string()).arg(&placed.def);
    command.args(placed.loaded.bundle.lef.iter().map(|path| placed.file(path)));
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "KLayout does not read our DEF:\n{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let theirs: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let ours = design.cells().filter(|cell| design.place(*cell).status != PlaceStatus::Unplaced);
    let ours: BTreeSet<String> = ours
        .map(|cell| {
            let (place, outline) = (design.place(cell), design.outline(cell));
            let (lo, hi) = (outline.lo, outline.hi);
            let (name, master) = (design.cell_name(cell), &design.master(cell).name);
            let orient = orient(place.orient);
            format!("{name} {master} {orient} {} {} {} {}", lo.x, lo.y, hi.x, hi.y)
        })
        .collect();
    assert!(ours.len() > 100, "only {} cells are placed", ours.len());
    same("instances that KLayout sees", &ours, &theirs);
    println!("{}: {} instances agree with KLayout", design.name(), ours.len());
}

// ---- sta ----

fn has_sta() -> bool {
    let found = Path::new("/usr/bin/sta").exists();
    if !found {
        println!("skipped: /usr/bin/sta not found");
    }
    found
}

/// Slack of every endpoint of one side, worst over path groups, from an `-format end` report.
fn slacks(report: &str) -> BTreeMap<String, f64> {
    let mut list: BTreeMap<String, f64> = BTreeMap::new();
    for line in report.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, .., slack, "(MET)" | "(VIOLATED)"] = words.as_slice() else { continue };
        let slack: f64 = slack.parse().unwrap();
        // Names come escaped as in the tool's own language.
        let worst = list.entry(name.replace('\\', "")).or_insert(slack);
        *worst = worst.min(slack);
    }
    list
}

/// What both timers compute with.
#[derive(Clone, Copy, PartialEq)]
enum Wires {
    /// Pins alone.
    None,
    /// Our wires of the placement as SPEF, all capacitance at the driver.
    Lumped,
    /// The same, effective capacitance.
    Dmp,
}

fn sta_agrees(placed: &Placed, wires: Wires) {
    if !has_sta() {
        return;
    }
    let (design, bundle) = (&placed.design, &placed.loaded.bundle);
    let calculator =
        if wires == Wires::Dmp { Calculator::DmpCeffElmore } else { Calculator::Lumped };
    let parasitics = match wires {
        Wires::None => Parasitics::None,
        _ => {
            let wire = WireRc { signal: (0.0036, 7.5e-5), clock: (0.0036, 7.5e-5) };
            Parasitics::Placement { wire, topology: Topology::Steiner }
        }
    };
    let sdc: Vec<PathBuf> = bundle
        .sdc
        .iter()
        .enumerate()
        .map(|(number, path)| {
            // This version leaves the load of a port out where the port's net has parasitics, the
            // current one (and the golden cases) add it: with parasitics, no port has a load.
            let source = open(bundle.path(path)).unwrap();
            let kept = |line: &&str| wires == Wires::None || !line.contains("set_load");
            let text: Vec<&str> = source.text().lines().filter(kept).collect();
            let copy = placed.folder.join(format!("{number}.sdc"));
            fs::write(&copy, text.join("\n")).unwrap();
            copy
        })
        .collect();
    let sources: Vec<Source> = sdc.iter().map(|path| open(path).unwrap()).collect();
    let (constraints, _) = read_sdc(design, library_units(design), &sources).unwrap();
    let config = Config { corners: vec![(0, parasitics)], calculator };
    let timer = Timer::new(design, constraints, config).unwrap();
    let name = if wires == Wires::Dmp { "dmp_ceff_elmore" } else { "lumped_cap" };
    let mut script = format!("set_delay_calculator {name}\n");
    for (number, path) in bundle.corner[0].liberty.iter().enumerate() {
        // This `sta` reads no packed libraries, and where a library names a default wire load it
        // cannot be asked for timing without wires.
        let plain = placed.folder.join(format!("{number}.lib"));
        let source = open(bundle.path(path)).unwrap();
        let lines = source.text().lines().filter(|line| !line.contains("default_wire_load"));
        fs::write(&plain, lines.collect::<Vec<_>>().join("\n")).unwrap();
        script += &format!("read_liberty {}\n", plain.display());
    }
    script +=
        &format!("read_verilog {}\nlink_design {}\n", placed.verilog.display(), design.name());
    for path in &sdc {
        script += &format!("read_sdc {}\n", path.display());
    }
    if wires != Wires::None {
        let spef = placed.folder.join("written.spef");
        fs::write(&spef, write_spef(design, &timer.networks(design, 0))).unwrap();
        script += &format!("read_spef {}\n", spef.display());
    }
    script += "puts \"cells [llength [get_cells *]]\"\nputs \"nets [llength [get_nets *]]\"\n";
    for side in ["max", "min"] {
        // An endpoint count of one gives the worst path of each endpoint.
        script += &format!(
            "puts \"side {side}\"\nreport_checks -path_delay {side} -group_count 1000000 \
             -endpoint_count 1 -format end -digits 6 -no_line_splits\n"
        );
    }
    let file = placed.folder.join("check.tcl");
    fs::write(&file, script + "exit\n").unwrap();
    let output =
        Command::new("/usr/bin/sta").args(["-no_init", "-no_splash", "-exit"]).arg(&file).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!text.contains("Error") && !errors.contains("Error"), "{text}\n{errors}");
    let count = |what: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(what));
        line.unwrap_or_else(|| panic!("no `{what}` in {text}")).trim().parse().unwrap()
    };
    assert_eq!(count("cells "), design.cells().count(), "cells");
    let pinned = design.nets().filter(|net| !design.net_pins(*net).is_empty()).count();
    assert_eq!(count("nets "), pinned, "nets");

    let (_, reports) = text.split_once("side max").unwrap();
    let (max, min) = reports.split_once("side min").unwrap();
    for (side, report) in [(Side::Max, max), (Side::Min, min)] {
        let theirs = slacks(report);
        let ours: BTreeMap<String, f64> = timer
            .endpoints(side)
            .into_iter()
            .map(|(pin, slack)| (design.pin_name(pin), f64::from(slack)))
            .collect();
        assert!(!ours.is_empty(), "{side:?}: no endpoints");
        let names = |list: &BTreeMap<String, f64>| list.keys().cloned().collect::<BTreeSet<_>>();
        same(&format!("{side:?} endpoints"), &names(&ours), &names(&theirs));
        let arrivals: BTreeMap<String, f64> = timer
            .endpoint_table(design, side)
            .into_iter()
            .rev()
            .map(|end| (design.pin_name(end.pin), f64::from(end.arrival)))
            .collect();
        let mut worst: f64 = 0.0;
        for (name, slack) in &ours {
            let difference = (slack - theirs[name]).abs();
            // Version 2.0.17 passes a table slew on, where ours (and the current version, with which
            // the golden cases agree) pass on the slew of the waveform at the effective
            // capacitance; so stages differ by some percent of their delay, both ways.
            let relative = if wires == Wires::Dmp { 0.02 } else { 0.001 };
            let allowed = (0.0005_f64).max(relative * arrivals[name].abs());
            assert!(difference <= allowed, "{side:?} {name}: {slack} ns, sta {}", theirs[name]);
            worst = worst.max(difference);
        }
        let least = theirs.values().copied().fold(f64::INFINITY, f64::min);
        let ours_least = f64::from(timer.worst_slack(side).unwrap());
        assert!((ours_least - least).abs() <= worst, "{side:?} worst");
        println!(
            "{} {side:?}: {} endpoints agree with sta, worst slack {least} ns, largest difference {worst:.6} ns",
            design.name(),
            ours.len()
        );
    }
}

// ---- ourselves ----

fn cells(design: &Design) -> BTreeSet<String> {
    design
        .cells()
        .map(|cell| {
            let place = design.place(cell);
            let (name, master) = (design.cell_name(cell), &design.master(cell).name);
            let at = (place.x, place.y, orient(place.orient));
            format!("{name} {master} {at:?} {:?}", place.status)
        })
        .collect()
}

fn nets(design: &Design) -> BTreeSet<String> {
    design
        .nets()
        .filter(|net| !design.net_pins(*net).is_empty())
        .map(|net| {
            let mut pins: Vec<String> =
                design.net_pins(net).iter().map(|pin| design.pin_name(*pin)).collect();
            pins.sort();
            format!("{}: {}", design.net_name(net), pins.join(" "))
        })
        .collect()
}

fn comes_back(placed: &Placed) {
    let design = &placed.design;
    let mut both = placed.loaded.bundle.clone();
    both.verilog = vec![placed.verilog.clone()];
    both.def = Some(placed.def.clone());
    let mut bundles = vec![("Verilog and DEF", both.clone())];
    if fs::read_to_string(&placed.def).unwrap().contains("\nNETS ") {
        both.verilog.clear();
        bundles.push(("DEF alone", both));
    }
    for (what, bundle) in bundles {
        let again = load(bundle).unwrap();
        assert!(!again.problems.has_errors(), "{what}: {:?}", again.problems);
        let back = Design::new(&again.snapshot);
        same(&format!("{what}: cells"), &cells(design), &cells(&back));
        same(&format!("{what}: nets"), &nets(design), &nets(&back));
        println!("{}: {what} read back", design.name());
    }
}

#[test]
fn klayout_reads_our_def() {
    klayout_agrees(&Placed::preset("tiny", "klayout"));
    klayout_agrees(&Placed::preset("demo", "klayout"));
}

#[test]
fn sta_reads_our_verilog_and_finds_our_slacks() {
    for name in ["tiny", "demo"] {
        let placed = Placed::preset(name, "sta");
        sta_agrees(&placed, Wires::None);
        sta_agrees(&placed, Wires::Lumped);
        sta_agrees(&placed, Wires::Dmp);
    }
}

/// The SPEF that we write makes our own timer say what it said with wires from the placement.
fn spef_comes_back(placed: &Placed) {
    let design = &placed.design;
    let wire = WireRc { signal: (0.0036, 7.5e-5), clock: (0.0036, 7.5e-5) };
    let time = |parasitics: Parasitics| {
        let config = Config { corners: vec![(0, parasitics)], ..Config::default() };
        let constraints = constraints(&placed.loaded, design).unwrap();
        Timer::new(design, constraints, config).unwrap()
    };
    let first = time(Parasitics::Placement { wire, topology: Topology::Steiner });
    let file = placed.folder.join("back.spef");
    fs::write(&file, write_spef(design, &first.networks(design, 0))).unwrap();
    let mut problems = Problems::new();
    let source = open(&file).unwrap();
    let (nets, report) =
        read_spef(design, &[(&source, "")], Triplet::default(), &mut problems).unwrap();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!((report.unknown_nets.0, report.unknown_pins.0, report.strayed_pins.0), (0, 0, 0));
    assert!(report.partial_drivers.is_empty());
    let second = time(Parasitics::Annotated(Arc::new(Annotated::new(nets))));
    for side in [Side::Max, Side::Min] {
        let (a, b) = (first.endpoints(side), second.endpoints(side));
        assert!(!a.is_empty());
        assert_eq!(a, b, "{} {side:?}", design.name());
    }
}

#[test]
fn what_we_write_comes_back() {
    for name in ["tiny", "demo"] {
        let placed = Placed::preset(name, "back");
        comes_back(&placed);
        spef_comes_back(&placed);
    }
}

#[test]
fn a_design_of_others_goes_the_same_way() {
    let Some(placed) = Placed::gcd("all") else { return };
    klayout_agrees(&placed);
    comes_back(&placed);
    spef_comes_back(&placed);
    sta_agrees(&placed, Wires::None);
    sta_agrees(&placed, Wires::Lumped);
    sta_agrees(&placed, Wires::Dmp);
}
