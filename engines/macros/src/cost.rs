//! The proxy cost and its parts.

/// Weights of the three parts in the proxy cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of wirelength.
    pub wirelength: f64,
    /// Of density.
    pub density: f64,
    /// Of congestion.
    pub congestion: f64,
}

impl Default for Weights {
    /// 1, ½, ½: those of Circuit Training and of the challenges.
    fn default() -> Self {
        Weights { wirelength: 1.0, density: 0.5, congestion: 0.5 }
    }
}

/// A cost, all parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Wirelength over (canvas width + height) over the weighted number of nets.
    pub wirelength: f64,
    /// Weighted half-perimeter wirelength in µm.
    pub wirelength_um: f64,
    /// Half the mean density of the densest tenth of the grid cells; of all occupied cells where the
    /// grid has fewer than ten.
    pub density: f64,
    /// Mean congestion of the most congested twentieth of all cells, vertical and horizontal
    /// counted apart.
    pub congestion: f64,
    /// The weighted sum. Not a number where the published evaluator fails: a route leaves the grid
    /// and no wrapped index exists for it.
    pub proxy: f64,
}

impl Cost {
    /// Whether the evaluator has an answer.
    #[must_use]
    pub fn is_defined(&self) -> bool {
        self.proxy.is_finite()
    }
}
