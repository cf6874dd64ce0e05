//! Flat netlists in macro placement: cells are grouped before, and placed among the macros after.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_db::Design;
use cellwright_formats::bundle::Bundle;
use cellwright_formats::ct::{lefdef_name, write_lefdef, write_netlist, write_placement};
use cellwright_formats::load::load;
use cellwright_formats::save::write_def;
use cellwright_formats::text::Severity;
use cellwright_macros::netlist::Spot;
use cellwright_macros::{
    ClusterConfig, Clustered, Engine, Kind, Model, Options, Placement, Settings, carry_back,
    cluster,
};
use cellwright_measure::{Hpwl, HpwlConfig, Legality, LegalityConfig, Metric};
use cellwright_place::{PlaceConfig, place};

use crate::failure::Failure;
use crate::macro_case::MacroCase;

/// A flat case and its grouped one.
pub(crate) struct Flat {
    case: MacroCase,
    clustered: Clustered,
}

/// Whether a case has cells to group.
pub(crate) fn is_flat(case: &MacroCase) -> bool {
    case.netlist.count(Kind::Cell) > 0
}

/// Fills in what a flat netlist does not say: a grid of about 500 square cells and the routes that
/// Circuit Training takes where it is told nothing.
pub(crate) fn complete(settings: &mut Settings, has_plc: bool) {
    if !has_plc {
        let side = (settings.width * settings.height / 500.0).sqrt();
        settings.columns = (settings.width / side).round().max(1.0) as u32;
        settings.rows = (settings.height / side).round().max(1.0) as u32;
    }
    if settings.routes_h <= 0.0 || settings.routes_v <= 0.0 {
        (settings.routes_h, settings.routes_v) = (70.33, 74.51);
        (settings.macro_routes_h, settings.macro_routes_v) = (51.79, 51.79);
    }
}

/// Groups the cells; gives the grouped case to place, too.
pub(crate) fn group(case: MacroCase, groups: usize, seed: u64) -> (Flat, MacroCase) {
    let config = ClusterConfig { groups, seed, ..ClusterConfig::default() };
    let clustered = cluster(&case.netlist, &config);
    let netlist = clustered.netlist.clone();
    let settings = case.placement.settings.clone();
    let (x, y) = (settings.width / 2.0, settings.height / 2.0);
    let mut placement = Placement::of_netlist(&netlist, settings);
    for (flat, &item) in case.placement.spots.iter().zip(&clustered.item_of) {
        let kind = netlist.items.get(item as usize).map(|i| i.kind);
        if matches!(kind, Some(Kind::Port | Kind::Hard)) {
            placement.spots[item as usize] = *flat;
        }
    }
    for (item, spot) in netlist.items.iter().zip(&mut placement.spots) {
        if !item.kind.is_pin() && spot.is_none() {
            *spot = Some(Spot { x, y, orient: item.orient, fixed: false });
        }
    }
    let problems = cellwright_formats::text::Problems::new();
    (Flat { case, clustered }, MacroCase { netlist, placement, problems })
}

/// What carrying back came to; lengths in µm, the netlist's weights applied.
pub(crate) struct Carried {
    pub(crate) placement: Placement,
    /// Of the given placement, if it is complete.
    pub(crate) given: Option<f64>,
    /// With each cell at the centre of its soft macro.
    pub(crate) at_groups: f64,
    /// With the cells placed and legalised among the macros, as the evaluator measures it: pins of
    /// cells at their centres.
    pub(crate) placed: f64,
    /// The same as the placer measures it, every net once.
    pub(crate) hpwl: f64,
    /// Rules of legality that placed cells break.
    pub(crate) violations: i64,
    /// Rules that fixed ones break.
    pub(crate) violations_of_fixed: i64,
    /// What was written: LEF, and DEF with all placed.
    pub(crate) files: [PathBuf; 2],
}

/// Row height of a flat netlist without cells, µm: that of Nangate45.
const ROW: f64 = 1.4;

impl Flat {
    /// How many nets were too large to keep.
    pub(crate) fn dropped(&self) -> usize {
        self.clustered.dropped
    }

    /// The flat netlist's own case.
    pub(crate) fn case(&self) -> &MacroCase {
        &self.case
    }

    /// Carries a placement of the grouped case back, writes it as LEF and DEF beside `out` with the
    /// macros fixed, and places and legalises the cells among them.
    pub(crate) fn carry(
        &self,
        grouped: &Placement,
        seed: u64,
        out: &Path,
    ) -> Result<Carried, Failure> {
        let flat = &self.case.netlist;
        let settings = &self.case.placement.settings;
        let model = Arc::new(Model::new(flat, settings)?);
        let given = Engine::new(Arc::clone(&model), &self.case.placement, Options::default());
        let given = given.ok().map(|mut engine| engine.cost().wirelength_um);
        let mut back = carry_back(flat, &self.clustered, grouped, settings);
        let at_groups =
            Engine::new(Arc::clone(&model), &back, Options::default())?.cost().wirelength_um;
        let name = out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let texts = write_lefdef(flat, &back, &name, ROW, true);
        let files = [out.with_extension("lef"), out.with_extension("def")];
        std::fs::write(&files[0], texts.lef)?;
        std::fs::write(&files[1], texts.def)?;
        let bundle = Bundle {
            name,
            tech: "files".to_owned(),
            lef: vec![files[0].clone()],
            def: Some(files[1].clone()),
            ..Bundle::default()
        };
        let loaded = load(bundle)?;
        if let Some(problem) = loaded.problems.iter().find(|p| p.severity == Severity::Error) {
            return Err(Failure::input(problem));
        }
        let mut design = Design::new(&loaded.snapshot);
        let placed = place(&design, &PlaceConfig { seed, ..PlaceConfig::default() }, &mut ())?;
        design.apply(&placed.delta)?;
        for (item, spot) in flat.items.iter().zip(&mut back.spots) {
            let cell = (item.kind == Kind::Cell).then(|| lefdef_name(&item.name));
            if let Some(cell) = cell.and_then(|name| design.find_cell(&name))
                && let Some(spot) = spot.as_mut()
            {
                let low = design.outline(cell).lo;
                let um = |v: i32| design.tech().microns(i64::from(v));
                (spot.x, spot.y) = (um(low.x) + item.width / 2.0, um(low.y) + item.height / 2.0);
            }
        }
        write_def(&loaded, &design, &files[1])?;
        let wire = Hpwl::full(&design, HpwlConfig::default()).total().length;
        let counts = *Legality::full(&design, LegalityConfig::default()).counts();
        Ok(Carried {
            given,
            at_groups,
            placed: Engine::new(model, &back, Options::default())?.cost().wirelength_um,
            hpwl: design.tech().microns(wire),
            violations: counts.movable(),
            violations_of_fixed: counts.fixed(),
            placement: back,
            files,
        })
    }

    /// Writes the grouped case as `PREFIX.pb.txt` and `PREFIX.plc`.
    pub(crate) fn write_grouped(
        &self,
        prefix: &Path,
        placement: &Placement,
    ) -> Result<[PathBuf; 2], Failure> {
        let with = |end: &str| {
            let mut name = prefix.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        };
        let files = [with(".pb.txt"), with(".plc")];
        std::fs::write(&files[0], write_netlist(&self.clustered.netlist))?;
        std::fs::write(&files[1], write_placement(&self.clustered.netlist, placement, &[]))?;
        Ok(files)
    }
}
