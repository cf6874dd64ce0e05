//! All metrics as one, and their figures as plain readings.

use cellwright_db::{Design, DirtySet, Stamp};

use crate::congestion::{Congestion, CongestionConfig};
use crate::density::{Density, DensityConfig};
use crate::hpwl::{Hpwl, HpwlConfig};
use crate::legality::{Legality, LegalityConfig, Rule};
use crate::metric::{Metric, Stale};

/// Settings of [`Measures`].
#[derive(Clone, Debug, Default)]
pub struct MeasuresConfig {
    /// Wirelength.
    pub hpwl: HpwlConfig,
    /// Density.
    pub density: DensityConfig,
    /// Congestion; `None` leaves it out.
    pub congestion: Option<CongestionConfig>,
    /// Legality.
    pub legality: LegalityConfig,
}

/// Wirelength, density, legality and, if asked for, congestion.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    hpwl: Hpwl,
    density: Density,
    congestion: Option<Congestion>,
    legality: Legality,
}

/// One figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Its name; never changes its meaning.
    pub name: &'static str,
    /// The value in `unit`.
    pub value: f64,
    /// Its unit; `1` for ratios and counts.
    pub unit: &'static str,
    /// The integer that the value was made from, where there is one: DBU for lengths, a count.
    pub exact: Option<i64>,
}

/// The figures of a state, in a fixed order.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureReport {
    /// The figures.
    pub readings: Vec<Reading>,
    /// Work units spent so far.
    pub work: u64,
}

impl MeasureReport {
    /// The reading of a name.
    pub fn get(&self, name: &str) -> Option<&Reading> {
        self.readings.iter().find(|reading| reading.name == name)
    }
}

impl Measures {
    /// Wirelength.
    pub fn hpwl(&self) -> &Hpwl {
        &self.hpwl
    }
    /// Density.
    pub fn density(&self) -> &Density {
        &self.density
    }
    /// Congestion, if asked for.
    pub fn congestion(&self) -> Option<&Congestion> {
        self.congestion.as_ref()
    }
    /// Legality.
    pub fn legality(&self) -> &Legality {
        &self.legality
    }
    /// The figures. Costs the bins of the grids, not the cells.
    pub fn report(&self, design: &Design) -> MeasureReport {
        let ratio = |name, value| Reading { name, value, unit: "1", exact: None };
        let count =
            |name, count: i64| Reading { name, value: count as f64, unit: "1", exact: Some(count) };
        let wire = self.hpwl.total();
        let mut readings = vec![
            Reading {
                name: "hpwl",
                value: design.tech().microns(wire.length),
                unit: "um",
                exact: Some(wire.length),
            },
            Reading {
                name: "hpwl_weighted",
                value: wire.weighted as f64 / f64::from(design.tech().dbu_per_micron),
                unit: "um",
                exact: i64::try_from(wire.weighted).ok(),
            },
            ratio("density_overflow", self.density.overflow()),
            ratio("density_max", self.density.max_fill()),
            ratio("density_mean", self.density.mean_fill()),
            ratio("utilisation", self.density.utilisation()),
        ];
        if let Some(congestion) = &self.congestion {
            readings.extend([
                ratio("congestion_overflow", congestion.overflow()),
                ratio("congestion_peak", congestion.peak()),
                ratio("congestion_top5", congestion.mean_of_top(0.05)),
            ]);
        }
        let counts = self.legality.counts();
        readings.push(count("legality_violations", counts.movable()));
        readings.push(count("legality_fixed_violations", counts.fixed()));
        let name = |rule: Rule| match rule {
            Rule::Unplaced => "legality_unplaced",
            Rule::NoOutline => "legality_no_outline",
            Rule::OutsideDie => "legality_outside_die",
            Rule::OffRow => "legality_off_row",
            Rule::OffSite => "legality_off_site",
            Rule::Orientation => "legality_orientation",
            Rule::Rail => "legality_rail",
            Rule::Overlap => "legality_overlap",
            Rule::Blockage => "legality_blockage",
            Rule::PartialBlockage => "legality_partial_blockage",
            Rule::Halo => "legality_halo",
            Rule::FenceMember => "legality_fence_member",
            Rule::FenceStranger => "legality_fence_stranger",
            Rule::EdgeSpacing => "legality_edge_spacing",
        };
        readings.extend(Rule::ALL.map(|rule| count(name(rule), counts.of_rule(rule))));
        MeasureReport { readings, work: self.work() }
    }
}

impl Metric for Measures {
    type Config = MeasuresConfig;

    fn full(design: &Design, config: MeasuresConfig) -> Self {
        Measures {
            hpwl: Hpwl::full(design, config.hpwl),
            density: Density::full(design, config.density),
            congestion: config.congestion.map(|config| Congestion::full(design, config)),
            legality: Legality::full(design, config.legality),
        }
    }

    fn update(&mut self, design: &Design, dirty: &DirtySet) -> Result<(), Stale> {
        // All four are of one stamp, so the first refuses for all.
        self.hpwl.update(design, dirty)?;
        self.density.update(design, dirty)?;
        if let Some(congestion) = &mut self.congestion {
            congestion.update(design, dirty)?;
        }
        self.legality.update(design, dirty)
    }

    fn undo(&mut self) -> bool {
        if let Some(congestion) = &mut self.congestion {
            congestion.undo();
        }
        self.density.undo();
        self.legality.undo();
        self.hpwl.undo()
    }

    fn keep(&mut self) {
        if let Some(congestion) = &mut self.congestion {
            congestion.keep();
        }
        self.density.keep();
        self.legality.keep();
        self.hpwl.keep();
    }

    fn stamp(&self) -> Stamp {
        self.hpwl.stamp()
    }

    fn work(&self) -> u64 {
        let congestion = self.congestion.as_ref().map_or(0, Metric::work);
        self.hpwl.work() + self.density.work() + self.legality.work() + congestion
    }
}
