//! What a design *is*: technology, library, netlist and placement; immutable content-addressed
//! [`Snapshot`]s; [`Delta`]s with exact inverses; [`DirtySet`]s that say what a delta touched.
//!
//! # Units
//! Geometry is integer database units (DBU; [`Technology::dbu_per_micron`] of them make a µm).
//! Electrical values are ns, pF, kΩ (so that kΩ × pF = ns), V and mW; areas in reports are µm².
//! Readers convert once, at the door.
//!
//! # Two tiers
//! A [`Snapshot`] is immutable, shared and hashed (copy-on-write chunks under a BLAKE3 Merkle
//! root). A [`Design`] is the flat working state that engines read, with an undo log: what-if
//! edits and their exact undo cost what they touch; [`Design::commit`] makes the next snapshot.
//!
//! # Ids
//! Inside, objects are dense `u32` newtypes ([`CellId`], [`NetId`], [`PinId`], [`PortId`], …). A
//! slot is never reused within a lineage, so the number of a slot *is* the outside [`StableId`]
//! (`i:42`, `n:42`, `t:42`, `p:42`). Removed objects leave an empty slot that hashes as nothing.

pub mod builder;
pub mod cow;
pub mod delta;
pub mod design;
pub mod dirty;
pub mod floorplan;
pub mod geom;
pub mod ids;
pub mod library;
pub mod logic;
pub mod names;
pub mod netchange;
pub mod records;
pub mod snapshot;
mod store;
pub mod tech;
pub mod timing;

pub use builder::DesignBuilder;
pub use delta::{Delta, DeltaError, Op};
pub use design::{Design, Mark, Stamp};
pub use dirty::DirtySet;
pub use floorplan::Floorplan;
pub use geom::{Orient, Point, Rect};
pub use ids::{
    CellId, IdVec, LayerId, MasterId, MasterPinId, NetId, PinId, PortId, RegionId, SiteId, StableId,
};
pub use library::{Library, Master, MasterPin};
pub use records::{Owner, Place, PlaceStatus};
pub use snapshot::{Root, Snapshot};
pub use tech::Technology;
