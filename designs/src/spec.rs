//! What a caller asks of the generator, and the named presets.

use crate::error::Error;
use crate::model::Corner;

/// Share of each kind of block, as relative weights of cell counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// Registered adders and accumulators.
    pub adder: f64,
    /// Registered multipliers.
    pub multiplier: f64,
    /// Register files.
    pub register_file: f64,
    /// Pipelines of random logic.
    pub pipeline: f64,
    /// Meshes of tiles.
    pub mesh: f64,
}

/// The kinds of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// See [`Mix::adder`].
    Adder,
    /// See [`Mix::multiplier`].
    Multiplier,
    /// See [`Mix::register_file`].
    RegisterFile,
    /// See [`Mix::pipeline`].
    Pipeline,
    /// See [`Mix::mesh`].
    Mesh,
}

impl Kind {
    /// All kinds, in the order of [`Mix`].
    pub const ALL: [Kind; 5] =
        [Kind::Adder, Kind::Multiplier, Kind::RegisterFile, Kind::Pipeline, Kind::Mesh];
}

impl Mix {
    /// Nothing of anything.
    const NONE: Mix =
        Mix { adder: 0.0, multiplier: 0.0, register_file: 0.0, pipeline: 0.0, mesh: 0.0 };

    /// A bit of everything but the mesh.
    pub const DATAPATH: Mix =
        Mix { adder: 0.15, multiplier: 0.25, register_file: 0.25, pipeline: 0.35, mesh: 0.0 };

    /// The same with small shares for the large kinds, so that a few hundred cells have one of each.
    pub const SMALL: Mix =
        Mix { adder: 0.3, multiplier: 0.2, register_file: 0.25, pipeline: 0.25, mesh: 0.0 };

    /// Everything.
    pub const ALL: Mix =
        Mix { adder: 0.1, multiplier: 0.15, register_file: 0.2, pipeline: 0.35, mesh: 0.2 };

    /// One kind alone; what it cannot fill to the cell count is a small pipeline.
    pub fn only(kind: Kind) -> Mix {
        let mut mix = Mix::NONE;
        match kind {
            Kind::Adder => mix.adder = 1.0,
            Kind::Multiplier => mix.multiplier = 1.0,
            Kind::RegisterFile => mix.register_file = 1.0,
            Kind::Pipeline => mix.pipeline = 1.0,
            Kind::Mesh => mix.mesh = 1.0,
        }
        mix
    }

    /// The weights in the order of [`Kind::ALL`].
    pub fn weights(&self) -> [f64; 5] {
        [self.adder, self.multiplier, self.register_file, self.pipeline, self.mesh]
    }
}

/// Form of the Verilog, and with it the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hierarchy {
    /// One module; names join with `_`.
    Flat,
    /// A module for each block, with bus ports, concatenations and `assign`; flat names join with `/`.
    Modules,
}

/// Whether constants occur, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// None occur.
    None,
    /// Some adders take a constant carry, from tie cells.
    Tied,
    /// The same, as `1'b1` in the Verilog.
    Literal,
}

/// How registers get their clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockStyle {
    /// One net from the port to every register; the constraints leave it ideal.
    Ideal,
    /// A tree of clock buffers; the constraints propagate it.
    Tree,
}

/// Compression of the netlist and floorplan files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Plain text.
    None,
    /// `.gz`.
    Gzip,
}

/// A request to the generator.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Design name: a letter, then letters, digits and `_`, at most 64.
    pub name: String,
    /// Cells wanted, 200 to 4,000,000; met within 2 %.
    pub cells: usize,
    /// Seed of every random choice.
    pub seed: u64,
    /// Kinds of block.
    pub mix: Mix,
    /// Cell area over core area, 0.05 to 0.95.
    pub utilisation: f64,
    /// Clock period in ns; `None` estimates the period at which one endpoint in a hundred is late after
    /// placement, and multiplies it by [`Spec::tightness`].
    pub period: Option<f64>,
    /// See [`Spec::period`]; 0.1 to 10.
    pub tightness: f64,
    /// Form of the Verilog.
    pub hierarchy: Hierarchy,
    /// Constants.
    pub constants: Constants,
    /// Clock distribution.
    pub clock: ClockStyle,
    /// Register files gate their clock for each word instead of feeding back.
    pub gated_clocks: bool,
    /// Corners named by the bundle, in order; at least one.
    pub corners: Vec<Corner>,
    /// Compression of Verilog and DEF.
    pub compression: Compression,
}

impl Spec {
    /// A flat design of everything at 70 % utilisation with an ideal clock and the typical corner.
    pub fn new(name: impl Into<String>, cells: usize, seed: u64) -> Self {
        Self {
            name: name.into(),
            cells,
            seed,
            mix: Mix::ALL,
            utilisation: 0.7,
            period: None,
            tightness: 0.97,
            hierarchy: Hierarchy::Flat,
            constants: Constants::None,
            clock: ClockStyle::Ideal,
            gated_clocks: false,
            corners: vec![Corner::Typ],
            compression: Compression::None,
        }
    }

    /// A named preset, see [`PRESETS`].
    ///
    /// # Errors
    /// [`Error::UnknownPreset`] names those that exist.
    pub fn preset(name: &str) -> Result<Self, Error> {
        let mut spec = match name {
            "tiny" => Self { mix: Mix::SMALL, ..Self::new(name, 300, 1) },
            "demo" => Self { mix: Mix::DATAPATH, ..Self::new(name, 2600, 2) },
            "mesh20k" => Self { mix: Mix::only(Kind::Mesh), ..Self::new(name, 20_000, 3) },
            "mix100k" => Self::new(name, 100_000, 4),
            "mix1m" => Self::new(name, 1_000_000, 5),
            _ => {
                let known: Vec<&str> = PRESETS.iter().map(|p| p.0).collect();
                return Err(Error::UnknownPreset { name: name.into(), known: known.join(", ") });
            }
        };
        if spec.cells >= 1_000_000 {
            spec.compression = Compression::Gzip;
        }
        Ok(spec)
    }

    /// Checks the ranges that the fields document.
    ///
    /// # Errors
    /// [`Error::Spec`] names the field.
    pub fn validate(&self) -> Result<(), Error> {
        let mut letters = self.name.chars();
        let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
        if !starts
            || self.name.len() > 64
            || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
            || RESERVED.contains(&self.name.as_str())
        {
            let allowed = "a letter, then letters, digits and `_`, at most 64, no Verilog keyword";
            return Err(Error::spec("name", format!("`{}` is not {allowed}", self.name)));
        }
        if !(200..=4_000_000).contains(&self.cells) {
            let problem = format!("{} is outside 200 to 4000000", self.cells);
            return Err(Error::spec("cells", problem));
        }
        let weights = self.mix.weights();
        let sum: f64 = weights.iter().sum();
        if !(sum.is_finite() && sum > 0.0 && weights.iter().all(|w| *w >= 0.0)) {
            return Err(Error::spec("mix", "weights must be at least 0 and not all 0"));
        }
        if !(0.05..=0.95).contains(&self.utilisation) {
            let problem = format!("{} is outside 0.05 to 0.95", self.utilisation);
            return Err(Error::spec("utilisation", problem));
        }
        if !(0.1..=10.0).contains(&self.tightness) {
            let problem = format!("{} is outside 0.1 to 10", self.tightness);
            return Err(Error::spec("tightness", problem));
        }
        if let Some(period) = self.period
            && !(0.01..=1000.0).contains(&period)
        {
            return Err(Error::spec("period", format!("{period} ns is outside 0.01 to 1000")));
        }
        if self.corners.is_empty() {
            return Err(Error::spec("corners", "name at least one corner"));
        }
        let repeated = self.corners.iter().enumerate().any(|(i, c)| self.corners[..i].contains(c));
        if repeated {
            return Err(Error::spec("corners", "a corner is named twice"));
        }
        Ok(())
    }
}

/// Keywords that a design name would collide with.
const RESERVED: [&str; 9] =
    ["module", "endmodule", "input", "output", "inout", "wire", "assign", "reg", "begin"];

/// Preset names and what they are.
pub const PRESETS: [(&str, &str); 5] = [
    ("tiny", "about 300 cells: a little of each datapath block"),
    ("demo", "about 2,600 cells: adders, multipliers, a register file, pipelines"),
    ("mesh20k", "about 20,000 cells: a mesh of tiles"),
    ("mix100k", "about 100,000 cells of everything"),
    ("mix1m", "about 1,000,000 cells of everything, files compressed"),
];
