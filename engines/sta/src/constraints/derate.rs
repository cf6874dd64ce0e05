//! Timing derates.

use std::collections::BTreeMap;

use cellwright_db::timing::Edge;
use cellwright_db::{CellId, MasterId, NetId};

use super::MinMax;

/// What is derated, used as an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DerateKind {
    /// `-cell_delay`.
    CellDelay = 0,
    /// `-cell_check`.
    CellCheck = 1,
    /// `-net_delay`.
    NetDelay = 2,
}

impl DerateKind {
    /// All, in index order.
    pub const ALL: [DerateKind; 3] =
        [DerateKind::CellDelay, DerateKind::CellCheck, DerateKind::NetDelay];
}

/// On which paths, used as an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DeratePath {
    /// `-clock`.
    Clock = 0,
    /// `-data`.
    Data = 1,
}

/// Factors of one object: `factor[kind][clock|data][early|late][rise|fall]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DerateSet {
    /// `None` where nothing was given.
    pub factor: [[[[Option<f64>; 2]; 2]; 2]; 3],
}

impl DerateSet {
    /// The factor of one case.
    #[inline]
    pub const fn get(
        &self,
        kind: DerateKind,
        path: DeratePath,
        side: MinMax,
        edge: Edge,
    ) -> Option<f64> {
        self.factor[kind as usize][path as usize][side as usize][edge as usize]
    }
}

/// `set_timing_derate`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derates {
    /// For everything.
    pub design: DerateSet,
    /// By library cell.
    pub masters: BTreeMap<MasterId, DerateSet>,
    /// By instance.
    pub cells: BTreeMap<CellId, DerateSet>,
    /// By net (net delays only).
    pub nets: BTreeMap<NetId, DerateSet>,
}

impl Derates {
    /// The factor for a cell's delay or check; 1 where none was given. An instance goes before
    /// its library cell, that before the design.
    pub fn of_cell(
        &self,
        cell: CellId,
        master: MasterId,
        kind: DerateKind,
        path: DeratePath,
        side: MinMax,
        edge: Edge,
    ) -> f64 {
        let own = self.cells.get(&cell).and_then(|set| set.get(kind, path, side, edge));
        own.or_else(|| self.masters.get(&master).and_then(|set| set.get(kind, path, side, edge)))
            .or_else(|| self.design.get(kind, path, side, edge))
            .unwrap_or(1.0)
    }
    /// The factor for a net's delay; 1 where none was given. The net goes before the design.
    pub fn of_net(&self, net: NetId, path: DeratePath, side: MinMax, edge: Edge) -> f64 {
        let kind = DerateKind::NetDelay;
        let own = self.nets.get(&net).and_then(|set| set.get(kind, path, side, edge));
        own.or_else(|| self.design.get(kind, path, side, edge)).unwrap_or(1.0)
    }
    /// Whether nothing is derated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
