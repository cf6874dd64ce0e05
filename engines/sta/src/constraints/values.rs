//! Values by corner and edge.

use cellwright_db::timing::Edge;

/// Which side of the analysis, used as an index: `[min, max]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MinMax {
    /// Index 0: shortest delay, early, hold.
    Min = 0,
    /// Index 1: longest delay, late, setup.
    Max = 1,
}

impl MinMax {
    /// Both, in index order.
    pub const BOTH: [MinMax; 2] = [MinMax::Min, MinMax::Max];
    /// 0 for min, 1 for max.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
    /// The other side.
    #[inline]
    pub const fn opposite(self) -> MinMax {
        match self {
            MinMax::Min => MinMax::Max,
            MinMax::Max => MinMax::Min,
        }
    }
}

/// A value that a command may give per corner and edge: `by[min|max][rise|fall]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Values {
    /// `[min, max][rise, fall]`; `None` where nothing was given.
    pub by: [[Option<f64>; 2]; 2],
}

impl Values {
    /// The same value everywhere.
    pub const fn all(value: f64) -> Self {
        Values { by: [[Some(value); 2]; 2] }
    }
    /// The value of a corner and edge.
    #[inline]
    pub const fn get(&self, side: MinMax, edge: Edge) -> Option<f64> {
        self.by[side as usize][edge as usize]
    }
    /// Gives `value` to the corners and edges that are chosen.
    pub fn set(&mut self, sides: [bool; 2], edges: [bool; 2], value: f64) {
        for (row, _) in self.by.iter_mut().zip(sides).filter(|(_, chosen)| *chosen) {
            for (slot, _) in row.iter_mut().zip(edges).filter(|(_, chosen)| *chosen) {
                *slot = Some(value);
            }
        }
    }
    /// Forgets the values of the corners and edges that are chosen.
    pub fn clear(&mut self, sides: [bool; 2], edges: [bool; 2]) {
        for (row, _) in self.by.iter_mut().zip(sides).filter(|(_, chosen)| *chosen) {
            for (slot, _) in row.iter_mut().zip(edges).filter(|(_, chosen)| *chosen) {
                *slot = None;
            }
        }
    }
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.by.iter().flatten().all(Option::is_none)
    }
    /// The one value, when it is the same everywhere.
    pub fn uniform(&self) -> Option<f64> {
        let first = self.by[0][0]?;
        self.by.iter().flatten().all(|value| *value == Some(first)).then_some(first)
    }
}
