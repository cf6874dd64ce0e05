//! Loads a design with its constraints and wires, as several commands need it.

use std::path::Path;
use std::sync::Arc;

use cellwright_db::tech::LayerKind;
use cellwright_db::{CellId, Design, PlaceStatus};
use cellwright_formats::bundle::{Bundle, WireModel, WireUnit};
use cellwright_formats::load::{Loaded, load};
use cellwright_formats::spef::AnnotationReport;
use cellwright_formats::text::Severity;
use cellwright_judge::engines::EngineConfig;
use cellwright_judge::timing::TimingSetup;
use cellwright_sta::parasitics::{Annotated, Parasitics, Topology, WireRc};
use cellwright_sta::{Calculator, Config};

use crate::failure::Failure;

/// A design ready for the engines.
pub struct Ready {
    /// Everything that was read.
    pub loaded: Loaded,
    /// What the engines are told.
    pub config: EngineConfig,
    /// What is only estimated or missing, in words.
    pub notes: Vec<String>,
}

/// Loads a bundle; problems of severity error end it with all of them listed.
pub fn loaded(path: &Path) -> Result<Loaded, Failure> {
    loaded_of(Bundle::read(path)?)
}

/// [`loaded`] of a bundle at hand.
fn loaded_of(bundle: Bundle) -> Result<Loaded, Failure> {
    let loaded = load(bundle)?;
    let errors: Vec<String> = loaded
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    if !errors.is_empty() {
        return Err(Failure::input(format!("the design has errors:\n{}", errors.join("\n"))));
    }
    Ok(loaded)
}

/// [`loaded`], with constraints and wires.
pub fn ready(path: &Path, calculator: Calculator) -> Result<Ready, Failure> {
    ready_of(Bundle::read(path)?, calculator)
}

/// [`ready`] of a bundle at hand.
pub fn ready_of(bundle: Bundle, calculator: Calculator) -> Result<Ready, Failure> {
    let loaded = loaded_of(bundle)?;
    let mut notes = Vec::new();
    let timing = timing(&loaded, calculator, &mut notes)?;
    Ok(Ready { config: EngineConfig::standard(timing), loaded, notes })
}

/// Constraints and parasitics of a design; `None` when it has no library or no constraints.
pub fn timing(
    loaded: &Loaded,
    calculator: Calculator,
    notes: &mut Vec<String>,
) -> Result<Option<TimingSetup>, Failure> {
    let bundle = &loaded.bundle;
    if bundle.corner.is_empty() || bundle.sdc.is_empty() {
        notes.push("no timing: the bundle names no corner or no SDC file".to_owned());
        return Ok(None);
    }
    let design = Design::new(&loaded.snapshot);
    let constraints = cellwright_formats::load::constraints(loaded, &design)?;
    let mut corners = Vec::new();
    for (number, files) in bundle.corner.iter().enumerate() {
        let parasitics = if files.spefs().next().is_some() {
            let (nets, report, problems) =
                cellwright_formats::load::parasitics(loaded, &design, files)?;
            notes.extend(problems.iter().map(ToString::to_string));
            notes.extend(annotation(&files.name, &report));
            Parasitics::Annotated(Arc::new(Annotated::new(nets)))
        } else if bundle.def.is_none() && bundle.wire.is_none() {
            // Without places there is nothing to measure wires on.
            Parasitics::None
        } else {
            match wires(loaded, notes) {
                Some(wire) => {
                    notes.extend(unplaced(&design));
                    Parasitics::Placement { wire, topology: Topology::Steiner }
                }
                None => Parasitics::None,
            }
        };
        corners.push((number, parasitics));
    }
    Ok(Some(TimingSetup {
        constraints: Arc::new(constraints),
        config: Config { corners, calculator },
    }))
}

/// Says when wires are measured on a design that is not placed yet.
fn unplaced(design: &Design) -> Option<String> {
    let open = |cell: &CellId| design.place(*cell).status == PlaceStatus::Unplaced;
    let count = design.cells().filter(open).count();
    (count > 0).then(|| {
        format!(
            "{count} of {} cells are not placed: wires are measured without them; place the design \
             first",
            design.cells().count()
        )
    })
}

/// What a SPEF file leaves open, in words; `None` when it leaves nothing.
fn annotation(corner: &str, report: &AnnotationReport) -> Option<String> {
    let parts = [
        (report.unannotated_drivers.len(), "drivers without parasitics"),
        (report.partial_drivers.len(), "drivers with parasitics that miss some of their loads"),
        (report.unknown_nets.0, "nets that the design does not have"),
        (report.unknown_pins.0, "pins that the design does not have"),
        (report.strayed_pins.0, "pins that are on another net in the design"),
    ];
    let told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!told.is_empty()).then(|| format!("SPEF of corner `{corner}`: {}", told.join(", ")))
}

/// Unit resistance and capacitance: the bundle's, or the mean over the routing layers from the
/// second up to the sixth, which is where most signal wires run.
fn wires(loaded: &Loaded, notes: &mut Vec<String>) -> Option<WireRc> {
    let rc = |unit: WireUnit| (unit.r, unit.c);
    if let Some(WireModel { signal, clock }) = loaded.bundle.wire {
        return Some(WireRc { signal: rc(signal), clock: rc(clock.unwrap_or(signal)) });
    }
    let tech = &loaded.snapshot.context().tech;
    let units: Vec<(f64, f64)> = tech
        .layers
        .iter()
        .filter(|(_, layer)| layer.kind == LayerKind::Routing)
        .skip(1)
        .take(5)
        .filter_map(|(_, layer)| {
            let r = layer.wire_resistance(tech.dbu_per_micron)?;
            Some((r, layer.wire_capacitance(tech.dbu_per_micron)?))
        })
        .collect();
    if units.is_empty() {
        let text = "wires count as ideal: neither the bundle nor LEF gives their resistance and capacitance";
        if !notes.iter().any(|note| note == text) {
            notes.push(text.to_owned());
        }
        return None;
    }
    let count = units.len() as f64;
    let mean =
        units.iter().fold((0.0, 0.0), |sum, unit| (sum.0 + unit.0 / count, sum.1 + unit.1 / count));
    Some(WireRc { signal: mean, clock: mean })
}
