//! Odd files of many origins, each through its reader: read, or refused with an error that names
//! file and line. Never a panic, never a hang.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test's helpers may panic, and say what they skip"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use cellwright_db::floorplan::Floorplan;
use cellwright_db::{Design, DesignBuilder, IdVec, Library, Technology};
use cellwright_formats::liberty;
use cellwright_formats::spef::{Triplet, read_spef};
use cellwright_formats::text::{FormatError, Problems, Severity, Source, open};
use cellwright_formats::verilog::{self, LibraryMasters};
use cellwright_formats::{def, lef, sdc};

/// Longest time that one file may take. The slowest needs well under a second, so only a reader
/// whose cost has left the size of its file comes near it.
const BOUND: Duration = Duration::from_secs(20);

/// Files that no reader of ours takes, by extension.
const NO_READER: [&str; 2] = ["sdf", "md"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Lef,
    Def,
    Liberty,
    Verilog,
    Sdc,
    Spef,
}

/// How a reader ended.
enum End {
    Read { errors: u64, warnings: u64 },
    Refused(String),
}

/// What a file's name says of it; `None` for an extension that is not known at all.
fn kind(path: &Path) -> Option<Result<Kind, String>> {
    let name = path.file_name()?.to_str()?;
    let bare = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".xz")).unwrap_or(name);
    let (_, extension) = bare.rsplit_once('.')?;
    Some(Ok(match extension {
        "lef" => Kind::Lef,
        "def" => Kind::Def,
        "lib" => Kind::Liberty,
        "v" => Kind::Verilog,
        "sdc" | "sdcok" => Kind::Sdc,
        "spef" | "dspef" => Kind::Spef,
        other if NO_READER.contains(&other) => return Some(Err(other.to_owned())),
        _ => return None,
    }))
}

fn empty_design() -> Design {
    let tech = Technology {
        name: "none".to_owned(),
        dbu_per_micron: 1000,
        manufacturing_grid: 0,
        layers: IdVec::new(),
        sites: IdVec::new(),
        edge_spacing: Vec::new(),
        digest: [0; 32],
    };
    let builder = DesignBuilder::new("none", Arc::new(tech), Arc::new(Library::default()));
    Design::new(&builder.finish(Floorplan::default()))
}

/// The text of a refusal, or a complaint when it does not say where.
fn refusal(error: &FormatError, file: &Path) -> Result<End, String> {
    let shown = error.to_string();
    if error.line == 0 || !error.file.ends_with(name(file)) || error.message.is_empty() {
        return Err(format!("a refusal without file or line: {shown}"));
    }
    Ok(End::Refused(shown))
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Problems in hand, whether each error says where it is.
fn read_with(problems: &Problems, file: &Path) -> Result<End, String> {
    for problem in problems.iter() {
        let placed = problem.line > 0 && problem.file.ends_with(name(file));
        if problem.severity == Severity::Error && !placed {
            return Err(format!("an error without file or line: {problem}"));
        }
    }
    let (errors, warnings) = (problems.total(Severity::Error), problems.total(Severity::Warning));
    Ok(End::Read { errors, warnings })
}

fn verilog_file(source: &Source, file: &Path) -> Result<End, String> {
    let mut problems = Problems::new();
    let mut design = verilog::Design::new();
    if let Err(error) = design.read(source, &mut problems) {
        return refusal(&error, file);
    }
    // Without a library every leaf is unknown, which elaboration must survive or refuse as well.
    for top in design.tops() {
        let masters = LibraryMasters::new([]);
        if let Err(error) = verilog::elaborate(top, &design, &masters, &mut problems) {
            return refusal(&error, file);
        }
    }
    read_with(&problems, file)
}

fn through(kind: Kind, file: &Path) -> Result<End, String> {
    // The corpus holds no broken archive, so a file that does not open is a fault of ours.
    let source = open(file).map_err(|error| format!("does not open: {error}"))?;
    let mut problems = Problems::new();
    let read = match kind {
        Kind::Lef => lef::parse(&source, &mut problems).map(drop),
        Kind::Def => def::parse(&source, &mut problems).map(drop),
        Kind::Liberty => liberty::read(&source, &mut problems).map(drop),
        Kind::Verilog => return verilog_file(&source, file),
        Kind::Sdc => {
            let design = empty_design();
            let units = sdc::library_units(&design);
            return match sdc::read_sdc(&design, units, std::slice::from_ref(&source)) {
                Ok((_, problems)) => read_with(&problems, file),
                Err(problems) if !problems.has_errors() => {
                    Err("refused without an error".to_owned())
                }
                Err(problems) => {
                    read_with(&problems, file)?;
                    // The design is empty, so names may be unknown; commands and options may not.
                    let unknown = problems.iter().find(|p| p.message.contains("is not a known"));
                    if let Some(unknown) = unknown {
                        return Err(unknown.to_string());
                    }
                    let error = problems.iter().find(|p| p.severity == Severity::Error);
                    Ok(End::Refused(error.map(ToString::to_string).unwrap_or_default()))
                }
            };
        }
        Kind::Spef => {
            let design = empty_design();
            read_spef(&design, &[(&source, "")], Triplet::Typ, &mut problems).map(drop)
        }
    };
    match read {
        Ok(()) => read_with(&problems, file),
        Err(error) => refusal(&error, file),
    }
}

/// Reads on a thread of its own; a thread that does not come back in time is left behind.
fn bounded(kind: Kind, file: &Path) -> Result<End, String> {
    let (sender, receiver) = channel();
    let path = file.to_owned();
    let worker = thread::spawn(move || {
        // The receiver is gone only when the bound has passed, which is told already.
        let _ = sender.send(through(kind, &path));
    });
    match receiver.recv_timeout(BOUND) {
        Ok(end) => end,
        Err(RecvTimeoutError::Timeout) => Err(format!("not back after {BOUND:?}")),
        Err(RecvTimeoutError::Disconnected) => {
            let cause = worker.join().expect_err("a thread without answer has panicked");
            let text = cause.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| cause.downcast_ref::<&str>().copied());
            Err(format!("panic: {}", text.unwrap_or("without words")))
        }
    }
}

fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for path in entries {
        if path.is_dir() { files(&path, list) } else { list.push(path) }
    }
}

#[test]
fn every_odd_file_is_read_or_refused_with_file_and_line() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folder = std::env::var_os("CELLWRIGHT_CORPUS").map_or(here, PathBuf::from).join("odd");
    if !folder.is_dir() {
        println!("skipped: corpus not found");
        return;
    }
    let mut list = Vec::new();
    files(&folder, &mut list);
    list.sort();
    let mut faults = Vec::new();
    let mut read: Vec<Kind> = Vec::new();
    let (mut refused, mut skipped) = (0, 0);
    for file in &list {
        let kind = match kind(file) {
            Some(Ok(kind)) => kind,
            Some(Err(extension)) => {
                skipped += 1;
                println!("no reader for .{extension}: {}", name(file));
                continue;
            }
            None => {
                faults.push(format!("{}: neither read nor listed as without reader", name(file)));
                continue;
            }
        };
        let start = Instant::now();
        match bounded(kind, file) {
            Ok(End::Read { errors, warnings }) => {
                read.push(kind);
                let spent = start.elapsed().as_secs_f64();
                println!(
                    "read {} ({spent:.3} s, {errors} errors, {warnings} warnings)",
                    name(file)
                );
            }
            Ok(End::Refused(text)) => {
                refused += 1;
                println!("refused {text}");
            }
            Err(fault) => faults.push(format!("{}: {fault}", file.display())),
        }
    }
    println!("{} read, {refused} refused, {skipped} without reader", read.len());
    // Constraints need their own design; on an empty one all of these are refused, and rightly.
    for kind in [Kind::Lef, Kind::Def, Kind::Liberty, Kind::Verilog, Kind::Spef] {
        if !read.contains(&kind) {
            faults.push(format!("{kind:?}: not one file was read, so refusing is all it can do"));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
