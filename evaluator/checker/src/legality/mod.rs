//! Legality: every broken rule of a placement, from nothing.
//!
//! One pass over the cells for the rules on one cell (`single`), one sweep for the rules between
//! two cells (`between`), one sum per partial blockage. The rules are those of the project's
//! definition of a legal placement:
//!
//! - Core cells, fillers, well taps, and endcaps that some row fits, stand on rows of their site,
//!   on the row's origin and step, one row for each of their heights; row fragments of one kind
//!   that abut count as one row. Macros and pads need no row. Cover cells may overlap anything.
//! - Upside down or mirrored relative to the row only as the master's symmetry allows; upside down
//!   only with an even number of rows. Cells of an even number of rows need rails of their kind.
//! - A pair of cells breaks one rule at most: overlap before halo before edge spacing.
//! - Soft blockages and soft halos bind nothing here.

mod between;
mod masters;
mod rows;
mod single;

use cellwright_db::CellId;
use cellwright_db::floorplan::BlockageKind;

use crate::area2d::Area;
use crate::state::State;
use masters::Facts;
use rows::Rows;

/// A rule of a legal placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// A cell has no location.
    Unplaced,
    /// A placed cell has no outline.
    NoOutline,
    /// A cell reaches beyond the die.
    OutsideDie,
    /// A row cell is not on rows of its site all along.
    OffRow,
    /// A row cell stands between sites.
    OffSite,
    /// An orientation that symmetry or row forbid.
    Orientation,
    /// Rails of a cell of an even number of rows meet others.
    Rail,
    /// Two cells share area.
    Overlap,
    /// A cell in a hard blockage.
    Blockage,
    /// A partial blockage is too full.
    PartialBlockage,
    /// A cell in the hard halo of another.
    Halo,
    /// A member of a fence outside it.
    FenceMember,
    /// Somebody else inside a fence.
    FenceStranger,
    /// Two edges too near for their types.
    EdgeSpacing,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 14] = [
        Rule::Unplaced,
        Rule::NoOutline,
        Rule::OutsideDie,
        Rule::OffRow,
        Rule::OffSite,
        Rule::Orientation,
        Rule::Rail,
        Rule::Overlap,
        Rule::Blockage,
        Rule::PartialBlockage,
        Rule::Halo,
        Rule::FenceMember,
        Rule::FenceStranger,
        Rule::EdgeSpacing,
    ];
    /// Its name; the metric that counts it is `legality_` and this.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Unplaced => "unplaced",
            Rule::NoOutline => "no_outline",
            Rule::OutsideDie => "outside_die",
            Rule::OffRow => "off_row",
            Rule::OffSite => "off_site",
            Rule::Orientation => "orientation",
            Rule::Rail => "rail",
            Rule::Overlap => "overlap",
            Rule::Blockage => "blockage",
            Rule::PartialBlockage => "partial_blockage",
            Rule::Halo => "halo",
            Rule::FenceMember => "fence_member",
            Rule::FenceStranger => "fence_stranger",
            Rule::EdgeSpacing => "edge_spacing",
        }
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The cells, ascending: one or two; none for a partial blockage.
    pub cells: Vec<CellId>,
    /// Whether only fixed cells have a part in it: no placer can mend those.
    pub fixed_only: bool,
    /// Where, DBU.
    pub region: Area,
}

/// All broken rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legality {
    /// The violations in ascending order.
    pub violations: Vec<Violation>,
    /// Pairs of cells beyond [`MOST_PAIRS`] were not looked at.
    pub truncated: bool,
}

impl Legality {
    /// How many violations a movable cell has a part in.
    pub fn movable(&self) -> i64 {
        self.violations.iter().filter(|found| !found.fixed_only).count() as i64
    }
    /// How many violations fixed cells have among themselves.
    pub fn fixed(&self) -> i64 {
        self.violations.iter().filter(|found| found.fixed_only).count() as i64
    }
    /// How many violations of one rule there are.
    pub fn of_rule(&self, rule: Rule) -> i64 {
        self.violations.iter().filter(|found| found.rule == rule).count() as i64
    }
}

/// Most pairs of near cells that are looked at: a legal placement has none that overlap.
pub const MOST_PAIRS: usize = 5_000_000;

/// What the rules need of the design beside the cells.
struct Ground<'a> {
    state: &'a State,
    rows: Rows,
    facts: Vec<Facts>,
}

/// Checks a placement.
pub fn check(state: &State) -> Legality {
    let rows = Rows::new(&state.design);
    let facts = masters::facts(&state.design, &rows);
    let ground = Ground { state, rows, facts };
    let mut found = Legality::default();
    single::check(&ground, &mut found.violations);
    found.truncated = !between::check(&ground, &mut found.violations);
    partial_blockages(&ground, &mut found.violations);
    found.violations.sort();
    found
}

impl Ground<'_> {
    /// Number in [`State::cells`] and outline of the cells that others must heed.
    fn present(&self) -> Vec<(usize, Area)> {
        let cells = self.state.cells.iter().enumerate();
        let heeded = cells.filter(|(_, cell)| {
            let cover = self.facts[cell.master.index()].cover
                || cell.place.status == cellwright_db::PlaceStatus::Cover;
            cell.place.is_placed() && !cover && !cell.outline.is_empty()
        });
        heeded.map(|(number, cell)| (number, cell.outline)).collect()
    }
}

/// A partial blockage holds at most its share of cell area: the share in whole millionths, the
/// limit in whole DBU², both rounded down.
fn partial_blockages(ground: &Ground<'_>, found: &mut Vec<Violation>) {
    let present = ground.present();
    for blockage in &ground.state.design.floorplan().blockages {
        let BlockageKind::Partial(share) = blockage.kind else { continue };
        let region = Area::of(&blockage.rect);
        let millionths = (share.clamp(0.0, 1.0) * 1e6) as i128;
        let limit = region.size() * millionths / 1_000_000;
        let taken = |fixed: bool| -> i128 {
            let of_kind = present
                .iter()
                .filter(|(number, _)| ground.state.cells[*number].place.is_fixed() == fixed);
            of_kind.map(|(_, outline)| outline.common(&region).size()).sum()
        };
        let (movable, fixed) = (taken(false), taken(true));
        if movable + fixed > limit {
            let (rule, cells) = (Rule::PartialBlockage, Vec::new());
            found.push(Violation { rule, cells, fixed_only: movable == 0, region });
        }
    }
}
