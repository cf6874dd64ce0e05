//! What the macro placement commands share: reading a case, choosing the evaluator's variant.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cellwright_formats::bookshelf::read_bookshelf;
use cellwright_formats::ct::{read_netlist, read_placement};
use cellwright_formats::text::{Problems, Severity, open};
use cellwright_macros::{
    Boundary, Cost, Engine, Kind, Model, Netlist, Options, Placement, Precision, Settings, gates,
};
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::table::table;

/// Which reading of the open evaluator.
#[derive(Debug, Args)]
pub(crate) struct Variant {
    /// What happens outside the grid: cell indices clamped into it, or as published, where Python's
    /// list indexing wraps or fails.
    #[arg(long, value_enum, default_value_t = BoundaryName::Clamped)]
    boundary: BoundaryName,
    /// How positions are held: as written, or rounded to single precision.
    #[arg(long, value_enum, default_value_t = PrecisionName::Double)]
    precision: PrecisionName,
    /// Range of the congestion smoothing in cells, instead of the .plc file's.
    #[arg(long)]
    smooth_range: Option<u32>,
    /// Routes per µm, horizontal and vertical, instead of the .plc file's.
    #[arg(long, value_name = "H,V", value_parser = pair)]
    routes: Option<(f64, f64)>,
    /// Routes per µm that hard macros take, horizontal and vertical, instead of the .plc file's.
    #[arg(long, value_name = "H,V", value_parser = pair)]
    macro_routes: Option<(f64, f64)>,
    /// Whose orientations turn the pins of hard macros. The open evaluator takes the netlist's and
    /// does not turn pins by what the .plc file says.
    #[arg(long, value_enum, default_value_t = Orientations::Netlist)]
    orientations: Orientations,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BoundaryName {
    Clamped,
    Published,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PrecisionName {
    Double,
    Single,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Orientations {
    Netlist,
    Plc,
}

/// `57.031,56.818`. What numbers make sense is the model's to say.
fn pair(text: &str) -> Result<(f64, f64), String> {
    let both = text
        .split_once(',')
        .and_then(|(h, v)| Some((h.trim().parse::<f64>().ok()?, v.trim().parse::<f64>().ok()?)));
    both.ok_or_else(|| format!("`{text}` is no pair; give H,V such as 57.031,56.818"))
}

impl Variant {
    /// Puts what the user gave into the settings, so that what is computed and what is written
    /// out hold the same ones.
    pub(crate) fn overrule(&self, settings: &mut Settings) {
        if let Some(range) = self.smooth_range {
            settings.smooth_range = range;
        }
        if let Some((h, v)) = self.routes {
            (settings.routes_h, settings.routes_v) = (h, v);
        }
        if let Some((h, v)) = self.macro_routes {
            (settings.macro_routes_h, settings.macro_routes_v) = (h, v);
        }
    }

    /// The engine on a case.
    pub(crate) fn engine(&self, case: &MacroCase, flips: bool) -> Result<Engine, Failure> {
        let mut placement = case.placement.clone();
        if self.orientations == Orientations::Netlist && !flips {
            for (item, spot) in case.netlist.items.iter().zip(&mut placement.spots) {
                if let (Kind::Hard, Some(spot)) = (item.kind, spot.as_mut()) {
                    spot.orient = item.orient;
                }
            }
        }
        let options = Options {
            boundary: match self.boundary {
                BoundaryName::Clamped => Boundary::Clamped,
                BoundaryName::Published => Boundary::Published,
            },
            precision: match self.precision {
                PrecisionName::Double => Precision::Double,
                PrecisionName::Single => Precision::Single,
            },
            ..Options::default()
        };
        let model = Arc::new(Model::new(&case.netlist, &placement.settings)?);
        Ok(Engine::new(model, &placement, options)?)
    }
}

/// A case with what its readers noticed.
pub(crate) struct MacroCase {
    pub(crate) netlist: Netlist,
    pub(crate) placement: Placement,
    pub(crate) problems: Problems,
}

/// Reads a netlist and, if there is one, its placement; without one the netlist's own positions and
/// default settings are taken.
pub(crate) fn read(
    netlist: &Path,
    plc: Option<&PathBuf>,
    answer: &mut Answer,
) -> Result<MacroCase, Failure> {
    let mut problems = Problems::new();
    let source = open(netlist)?;
    answer.read_text(netlist, source.bytes());
    let netlist = read_netlist(&source, &mut problems)?;
    let mut placement = match plc {
        Some(path) => {
            let source = open(path)?;
            answer.read_text(path, source.bytes());
            read_placement(&source, &netlist, &mut problems)?
        }
        None => Placement::of_netlist(&netlist, Settings::default()),
    };
    // A .plc file may leave the canvas to the netlist.
    if placement.settings.width <= 0.0 || placement.settings.height <= 0.0 {
        let settings = Placement::of_netlist(&netlist, placement.settings.clone()).settings;
        placement.settings = settings;
    }
    for problem in problems.iter().filter(|p| p.severity != Severity::Info) {
        answer.warn(problem);
    }
    Ok(MacroCase { netlist, placement, problems })
}

/// A cost as the commands tell it.
pub(crate) fn value(cost: &Cost, overlaps: usize) -> serde_json::Value {
    json!({
        "wirelength": cost.wirelength,
        "wirelength_um": cost.wirelength_um,
        "density": cost.density,
        "congestion": cost.is_defined().then_some(cost.congestion),
        "proxy": cost.is_defined().then_some(cost.proxy),
        "overlaps": overlaps,
    })
}

/// What breaks a rule, in words; empty if nothing does.
pub(crate) fn broken(
    case: &MacroCase,
    placement: &Placement,
    start: Option<&Placement>,
    gap: f64,
) -> (usize, Vec<String>) {
    let broken = gates(&case.netlist, placement, start, gap);
    let name = |i: &u32| case.netlist.items[*i as usize].name.clone();
    let mut out = Vec::new();
    if let Some((a, b)) = broken.overlaps.first() {
        out.push(format!(
            "{} pairs of hard macros overlap, such as `{}` and `{}`",
            broken.overlaps.len(),
            name(a),
            name(b)
        ));
    }
    for (list, what) in [
        (&broken.outside, "hard macros leave the canvas"),
        (&broken.soft_outside, "soft macros leave the canvas"),
        (&broken.moved, "fixed items moved"),
        (&broken.turned, "hard macros have a quarter turn"),
        (&broken.unplaced, "items have no place"),
    ] {
        if let Some(first) = list.first() {
            out.push(format!("{} {what}, such as `{}`", list.len(), name(first)));
        }
    }
    (broken.overlaps.len(), out)
}

/// Whether a path names a macro placement case and not a bundle.
pub(crate) fn is_macro_case(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(".pb.txt") || name.ends_with(".aux")
}

/// `cellwright check` on a macro placement case: what it holds, problems, broken rules.
pub(crate) fn check(path: &Path, plc: Option<&PathBuf>) -> Result<ExitCode, Failure> {
    let case = if path.extension().is_some_and(|end| end == "aux") {
        let mut problems = Problems::new();
        let (netlist, placement) = read_bookshelf(path, &mut problems)?;
        MacroCase { netlist, placement, problems }
    } else {
        read(path, plc, &mut Answer::new("cw.check"))?
    };
    say_what_it_holds(&case);
    for problem in case.problems.iter() {
        say!("{problem}");
    }
    for line in broken(&case, &case.placement, None, 0.0).1 {
        say!("note: {line}");
    }
    let errors = case.problems.total(Severity::Error);
    say!("{errors} errors, {} warnings", case.problems.total(Severity::Warning));
    Ok(ExitCode::from(u8::from(errors > 0)))
}

/// The counts of a case, as a table.
pub(crate) fn say_what_it_holds(case: &MacroCase) {
    let (netlist, settings) = (&case.netlist, &case.placement.settings);
    let count = |kind| netlist.count(kind).to_string();
    let rows: Vec<Vec<String>> = [
        ("ports", count(Kind::Port)),
        ("hard macros", count(Kind::Hard)),
        ("  pins", count(Kind::HardPin)),
        ("soft macros", count(Kind::Soft)),
        ("  pins", count(Kind::SoftPin)),
        ("standard cells", count(Kind::Cell)),
        ("nets", netlist.nets().to_string()),
        ("  weighted", netlist.net_count().to_string()),
        ("area", format!("{:.3} µm²", netlist.area())),
        ("canvas", format!("{} × {} µm", settings.width, settings.height)),
        ("grid", format!("{} columns, {} rows", settings.columns, settings.rows)),
        (
            "routes per µm",
            format!("{} horizontal, {} vertical", settings.routes_h, settings.routes_v),
        ),
    ]
    .into_iter()
    .map(|(name, value)| vec![name.to_owned(), value])
    .collect();
    put!("{}", table(&["what", "value"], &[false, false], &rows));
}
