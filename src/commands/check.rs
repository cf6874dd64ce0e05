//! `cellwright check DESIGN`: what a bundle holds, and every problem with file and line.

use std::path::PathBuf;
use std::process::ExitCode;

use cellwright_db::{Design, PlaceStatus};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::load;
use cellwright_formats::text::Severity;
use clap::Args;

use crate::failure::Failure;
use crate::table::table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one; or a macro placement case: a Circuit Training
    /// netlist (`.pb.txt`, also `.gz` or `.xz`) or a Bookshelf `.aux`.
    design: PathBuf,
    /// The placement of a Circuit Training netlist.
    #[arg(long)]
    plc: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if crate::macro_case::is_macro_case(&arguments.design) {
        return crate::macro_case::check(&arguments.design, arguments.plc.as_ref());
    }
    let mut loaded = load(Bundle::read(&arguments.design)?)?;
    let design = Design::new(&loaded.snapshot);
    if !loaded.bundle.sdc.is_empty() {
        let problems = cellwright_formats::load::constraint_problems(&loaded, &design);
        loaded.problems.merge(problems);
    }
    let with_status = |status: PlaceStatus| {
        design.cells().filter(|cell| design.place(*cell).status == status).count()
    };
    let library = design.library();
    let area: i64 = design.cells().map(|cell| design.master(cell).area()).sum();
    let core = design.core();
    let rows: Vec<Vec<String>> = [
        ("design", format!("{}@{}", loaded.bundle.name, loaded.bundle.tech)),
        ("snapshot", loaded.snapshot.root().to_string()),
        ("cells", design.cells().count().to_string()),
        ("  unplaced", with_status(PlaceStatus::Unplaced).to_string()),
        ("  placed", with_status(PlaceStatus::Placed).to_string()),
        (
            "  fixed",
            (with_status(PlaceStatus::Fixed) + with_status(PlaceStatus::Cover)).to_string(),
        ),
        ("nets", design.nets().count().to_string()),
        ("pins", design.pin_slots().to_string()),
        ("ports", design.ports().len().to_string()),
        ("rows", design.floorplan().rows.len().to_string()),
        ("regions", design.floorplan().regions.len().to_string()),
        ("blockages", design.floorplan().blockages.len().to_string()),
        ("cell area", format!("{:.3} µm²", design.tech().square_microns(area))),
        ("core area", format!("{:.3} µm²", design.tech().square_microns(core.area()))),
        ("masters", library.masters.len().to_string()),
        ("layers", design.tech().layers.len().to_string()),
        ("corners", library.corners.iter().map(|c| c.name.clone()).collect::<Vec<_>>().join(", ")),
        ("DBU per µm", design.tech().dbu_per_micron.to_string()),
    ]
    .into_iter()
    .map(|(name, value)| vec![name.to_owned(), value])
    .collect();
    put!("{}", table(&["what", "value"], &[false, false], &rows));
    for file in &loaded.files {
        say!("read {} ({} bytes)", file.path.display(), file.bytes);
    }
    for problem in loaded.problems.iter() {
        say!("{problem}");
    }
    let (errors, warnings) =
        (loaded.problems.total(Severity::Error), loaded.problems.total(Severity::Warning));
    say!("{errors} errors, {warnings} warnings");
    Ok(ExitCode::from(u8::from(errors > 0)))
}
