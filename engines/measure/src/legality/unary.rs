//! Rules on one cell: placed, in the die, on row and site, orientation, rails, blockages, fences.

use cellwright_db::library::MasterClass;
use cellwright_db::{CellId, Design, PlaceStatus};

use super::ground::{Ground, Patch};
use super::masters::Masters;
use super::rows::{Rows, Standing};
use super::rule::Rule;

/// What decides a cell besides the cell.
pub(crate) struct Unary<'a> {
    pub(crate) masters: &'a Masters,
    pub(crate) rows: &'a Rows,
    pub(crate) ground: &'a Ground,
}

impl Unary<'_> {
    /// The bits of the rules that the cell breaks by itself, and whether it is fixed.
    pub(crate) fn broken(&self, design: &Design, cell: CellId) -> (u16, bool) {
        if !design.has_cell(cell) {
            return (0, false);
        }
        let place = design.place(cell);
        let fixed = place.is_fixed();
        let facts = self.masters.get(design.master_id(cell));
        if facts.cover || place.status == PlaceStatus::Cover {
            return (0, fixed);
        }
        if !place.is_placed() {
            return (Rule::Unplaced.bit(), false);
        }
        let outline = design.outline(cell);
        if outline.is_empty() {
            return (Rule::NoOutline.bit(), fixed);
        }
        let mut bits = 0;
        if !self.ground.die.contains(&outline) {
            bits |= Rule::OutsideDie.bit();
        }
        let master = design.master(cell);
        if facts.in_rows {
            let size = (outline.hi.x.saturating_sub(outline.lo.x), facts.height);
            bits |= if place.orient.swaps_axes() {
                Rule::Orientation.bit()
            } else {
                match self.rows.standing(&facts.sites, (place.x, place.y), size) {
                    Standing::OffRow => Rule::OffRow.bit(),
                    Standing::OffSite => Rule::OffSite.bit(),
                    Standing::On(row, rails) => {
                        let mut bits = 0;
                        if !facts.allows_in_row(place.orient, row) {
                            bits |= Rule::Orientation.bit();
                        }
                        // An odd number of rows is right when its orientation is.
                        let own = facts.placed_rails(place.orient);
                        let clash = |(own, row)| matches!((own, row), (Some(a), Some(b)) if a != b);
                        if facts.even && own.into_iter().zip(rails).any(clash) {
                            bits |= Rule::Rail.bit();
                        }
                        bits
                    }
                }
            };
        } else if master.class == MasterClass::Block && !facts.allows(place.orient) {
            bits |= Rule::Orientation.bit();
        }
        // A blockage over a fixed macro or a pad is how floorplans are drawn.
        let heeds_blockages =
            facts.in_rows || (!fixed && matches!(master.class, MasterClass::Block));
        let region = design.cell(cell).region;
        let mut home = 0_i64;
        self.ground.each(&outline, |patch, kind| match kind {
            Patch::Notch => bits |= Rule::OutsideDie.bit(),
            Patch::Hard(number) if heeds_blockages && !self.ground.belongs(number, cell) => {
                bits |= Rule::Blockage.bit();
            }
            Patch::Fence(fence) if fence == region => {
                home = home.saturating_add(patch.intersection(&outline).area());
            }
            Patch::Fence(_) => bits |= Rule::FenceStranger.bit(),
            Patch::Hard(_) | Patch::Partial(_) => {}
        });
        if self.ground.is_fence(region) && home != outline.area() {
            bits |= Rule::FenceMember.bit();
        }
        (bits, fixed)
    }
}
