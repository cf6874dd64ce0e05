//! Liberty: what library cells are, how fast they are and what they load.
//!
//! [`read`] gives a [`Library`]: plain data in this project's units (ns, pF, kΩ, V, mA, mW, µm²),
//! converted once by the file's own unit statements. Buses and bundles are expanded to bits, lists
//! of related pins to arcs, and Boolean strings to [`Expr`]. Delay, transition and constraint
//! tables are kept; power, current-source, noise and statistical data is stepped over and counted
//! in [`Library::dropped`].
//!
//! The reader takes what is found in the wild: missing `;`, quoted numbers and attribute names,
//! `\` at line ends or not, comments of both kinds, `include_file`. Unknown attributes are no
//! problem, since Liberty lets users define their own. Whatever is wrong is a problem with file and
//! line; only a file without a `library` group is an error.
//!
//! Source of names, defaults and meanings: Liberty User Guide and Reference Manual 2017.06.

mod cell;
mod context;
mod expr;
mod library;
mod pins;
mod read;
mod read_cell;
mod syntax;
mod table;
mod timing;
mod units;

pub use cell::{
    Bus, Cell, ClockGateRole, Direction, Leakage, ModeDefinition, PgPin, Pin, PulseCheck,
    Sequential, SequentialKind, StateTable, Timing, TimingArc, TimingSense, TimingType,
};
pub use expr::{Expr, ExprError, ExprNode, MAX_NAMES};
pub use library::{
    BusType, Defaults, Library, OperatingConditions, Pvt, Thresholds, TreeType, Units, WireLoad,
    WireLoadSelection,
};
pub use read::{read, read_with_includes};
pub use table::{Axis, AxisVariable, Table, TableTemplate};

#[cfg(test)]
mod tests;
