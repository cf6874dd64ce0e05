//! Why a design cannot be placed.

use thiserror::Error;

/// Why a design cannot be placed. Areas are µm².
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlaceError {
    /// There is no row to stand in.
    #[error("the floorplan has no rows, but {cells} cells need one; add ROW statements to the DEF")]
    NoRows {
        /// Cells that need a row.
        cells: usize,
    },
    /// A cell fits no row.
    #[error(
        "cell `{cell}` (master `{master}`, site `{site}`, {height} DBU high) fits no row: no row repeats its site; add such rows or fix the cell"
    )]
    NoRowFor {
        /// Name of the cell.
        cell: String,
        /// Its master.
        master: String,
        /// Its site.
        site: String,
        /// Its height, DBU.
        height: i32,
    },
    /// The cells need more area than there is.
    #[error(
        "{place}: the movable cells need {movable:.3} µm² but only {free:.3} µm² of {total:.3} µm² are free ({percent:.1} % full); enlarge the core or remove cells"
    )]
    TooFull {
        /// Which part of the core.
        place: String,
        /// Area of the cells that must go there.
        movable: f64,
        /// Area left by fixed cells, blockages and fences.
        free: f64,
        /// Area of all rows there.
        total: f64,
        /// Utilisation in per cent.
        percent: f64,
    },
    /// The area would do, but no arrangement was found.
    #[error(
        "{left} of {cells} cells found no legal place (first: `{first}`, {width} × {height} DBU) although {free:.3} µm² are left for {movable:.3} µm² ({percent:.1} % full): the free area is too fragmented; enlarge the core or join rows"
    )]
    Fragmented {
        /// Cells without place.
        left: usize,
        /// All cells of the run.
        cells: usize,
        /// Name of one.
        first: String,
        /// Its width, DBU.
        width: i32,
        /// Its height, DBU.
        height: i32,
        /// Area of movable cells.
        movable: f64,
        /// Free area for them.
        free: f64,
        /// Utilisation in per cent.
        percent: f64,
    },
    /// Movable macros do not fit.
    #[error(
        "macro `{cell}` ({width} × {height} DBU with halo) found no place beside {placed} macros and the fixed cells; free area {free:.3} µm²"
    )]
    MacroDoesNotFit {
        /// Name of the macro.
        cell: String,
        /// Width with halo, DBU.
        width: i32,
        /// Height with halo, DBU.
        height: i32,
        /// Macros placed before it.
        placed: usize,
        /// Free area.
        free: f64,
    },
    /// Detailed placement needs a legal start.
    #[error(
        "detailed placement starts from a legal placement, but {count} cells are not legal (first: `{first}`: {why}); legalise first"
    )]
    NotLegal {
        /// How many cells.
        count: usize,
        /// Name of the first.
        first: String,
        /// What is wrong with it.
        why: String,
    },
    /// A setting makes no sense.
    #[error("{what}")]
    Setting {
        /// What, and what to give instead.
        what: String,
    },
    /// The caller asked to stop.
    #[error("placement was cancelled")]
    Cancelled,
}
