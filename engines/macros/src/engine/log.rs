//! What an application changed, so that it can be taken back.

use crate::cell::Cell;
use crate::orient::Orient;

/// Which grid an undo record belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layer {
    Area,
    RouteV,
    RouteH,
    TrackV,
    TrackH,
    Density,
    Congestion,
}

/// What the last application changed, with what was there.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) bodies: Vec<(u32, f64, f64, Orient)>,
    pub(super) sites: Vec<(u32, f64, f64, Cell)>,
    pub(super) nets: Vec<(u32, i64)>,
    pub(super) cells: Vec<(Layer, u32, i64)>,
    pub(super) wirelength: i128,
    pub(super) stray: i64,
    pub(super) open: bool,
}
