//! All that a cost can depend on, for comparisons bit by bit.

use super::Engine;

impl Engine {
    /// Everything that a cost can depend on, for comparisons bit by bit.
    #[must_use]
    pub fn state(&self) -> State {
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        State {
            length: self.length,
            stray: self.stray,
            sites: [bits(&self.sx), bits(&self.sy)],
            grids: [
                self.area.clone(),
                self.route_v.clone(),
                self.route_h.clone(),
                self.track_v.clone(),
                self.track_h.clone(),
                self.density.clone(),
                self.congestion.clone(),
                self.net_length.clone(),
            ],
        }
    }
}

/// All sums of an engine and all values derived from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    length: i128,
    stray: i64,
    sites: [Vec<u64>; 2],
    grids: [Vec<i64>; 8],
}
