//! `cellwright place DESIGN --out F.def`: global placement, legalisation, detailed placement.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use cellwright_db::Design;
use cellwright_formats::save::write_def;
use cellwright_measure::{Hpwl, HpwlConfig, Legality, LegalityConfig, Metric};
use cellwright_place::{PlaceConfig, place};
use clap::Args;

use crate::failure::Failure;
use crate::picture;
use crate::setup::loaded;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A design.toml, or the folder that holds one.
    design: PathBuf,
    /// Where the placed DEF goes.
    #[arg(long)]
    out: PathBuf,
    /// A picture of the placement.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Target density, 0 to 1.
    #[arg(long)]
    density: Option<f64>,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let loaded = loaded(&arguments.design)?;
    let mut design = Design::new(&loaded.snapshot);
    let config =
        PlaceConfig { density: arguments.density, seed: arguments.seed, ..Default::default() };
    let start = Instant::now();
    let placed = place(&design, &config, &mut ())?;
    design.apply(&placed.delta)?;
    say!("placed {} cells in {:.2} s", placed.delta.ops.len(), start.elapsed().as_secs_f64());
    for stage in &placed.report.stages {
        say!(
            "  {:?}: HPWL {:.1} µm, overflow {:.4}, {} iterations, mean displacement {:.3} µm, {:.2} s, {:?}",
            stage.stage,
            design.tech().microns(stage.hpwl),
            stage.overflow,
            stage.iterations,
            design.tech().microns(stage.displacement) / placed.report.cells.max(1) as f64,
            stage.wall.as_secs_f64(),
            stage.stop,
        );
    }
    let wire = Hpwl::full(&design, HpwlConfig::default()).total().length;
    say!("HPWL {:.1} µm", design.tech().microns(wire));
    let legality = Legality::full(&design, LegalityConfig::default());
    let (movable, fixed) = (legality.counts().movable(), legality.counts().fixed());
    say!("{movable} violations of movable cells, {fixed} among fixed ones");
    write_def(&loaded, &design, &arguments.out)?;
    say!("wrote {}", arguments.out.display());
    if let Some(path) = &arguments.svg {
        std::fs::write(path, picture::svg(&design, 900, &|_| None))?;
        say!("wrote {}", path.display());
    }
    Ok(ExitCode::from(u8::from(movable > 0)))
}
