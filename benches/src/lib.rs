//! What the benches share: generated designs, loaded and spread over their rows.

pub mod case;
pub mod process;
pub mod statistics;

use std::error::Error;
use std::path::PathBuf;

use cellwright_db::{Design, Place, Snapshot};
use cellwright_designs::{Spec, write_bundle};
use cellwright_formats::bundle::Bundle;
use cellwright_formats::load::load;

/// A generated design with its cells set row by row, in netlist order: not a good placement, but one
/// with every cell on a site and neighbours in the netlist near each other.
///
/// # Errors
/// When the preset is unknown or the temporary folder cannot be written.
pub fn rows(preset: &str) -> Result<Snapshot, Box<dyn Error>> {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("cellwright-bench-{}", std::process::id()));
    let loaded = load(Bundle::read(&write_bundle(&folder, &Spec::preset(preset)?)?)?)?;
    std::fs::remove_dir_all(&folder)?;
    let mut design = Design::new(&loaded.snapshot);
    let rows: Vec<_> = design.floorplan().rows.clone();
    let mut free = rows.iter().map(|row| (row, row.origin.x));
    let mut at = free.next();
    for cell in design.cells().collect::<Vec<_>>() {
        if design.place(cell).is_fixed() {
            continue;
        }
        let width = design.master(cell).width;
        while let Some((row, x)) = at {
            if x + width <= row.origin.x + row.count * row.step {
                design.move_cell(cell, Place::placed(x, row.origin.y, row.orient))?;
                at = Some((row, x + width));
                break;
            }
            at = free.next();
        }
    }
    Ok(design.commit())
}
