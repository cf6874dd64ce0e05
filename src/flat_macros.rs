//! Flat netlists in macro placement: cells are grouped before, and placed among the macros after.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cellwright_formats::ct::{write_netlist, write_placement};
use cellwright_macros::netlist::Spot;
use cellwright_macros::{
    ClusterConfig, Clustered, Engine, Kind, Model, Options, Placement, Settings, carry_back,
    cluster, global,
};

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
    /// With the cells spread among the macros. Not legalised.
    pub(crate) spread: f64,
    /// Area above density 1 that the spreading left, over all cell area.
    pub(crate) overflow: f64,
}

impl Flat {
    /// How many nets were too large to keep.
    pub(crate) fn dropped(&self) -> usize {
        self.clustered.dropped
    }

    /// The flat netlist's own case.
    pub(crate) fn case(&self) -> &MacroCase {
        &self.case
    }

    /// Carries a placement of the grouped case back and places the cells among its macros.
    pub(crate) fn carry(&self, grouped: &Placement, seed: u64) -> Result<Carried, Failure> {
        let flat = &self.case.netlist;
        let settings = &self.case.placement.settings;
        let model = Arc::new(Model::new(flat, settings)?);
        let given = Engine::new(Arc::clone(&model), &self.case.placement, Options::default());
        let given = given.ok().map(|mut engine| engine.cost().wirelength_um);
        let back = carry_back(flat, &self.clustered, grouped, settings);
        let mut engine = Engine::new(model, &back, Options::default())?;
        let at_groups = engine.cost().wirelength_um;
        let report = global(&mut engine, seed)?;
        Ok(Carried {
            placement: engine.placement(&back),
            given,
            at_groups,
            spread: engine.cost().wirelength_um,
            overflow: report.overflow,
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
