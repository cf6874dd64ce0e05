//! The rules, who breaks them, and how a violation reads.

use cellwright_db::{CellId, Rect};

/// A rule of a legal placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rule {
    /// Every cell has a location.
    Unplaced,
    /// Every placed cell has an outline (its master a LEF macro with an area).
    NoOutline,
    /// A cell lies inside the die.
    OutsideDie,
    /// A row cell stands on rows of its site, from end to end, one for each of its heights.
    OffRow,
    /// A row cell stands on the site grid of its rows.
    OffSite,
    /// The orientation is one that the master's symmetry and the row allow.
    Orientation,
    /// The rails of a cell of an even number of rows meet rails of their kind.
    Rail,
    /// No two cells share area.
    Overlap,
    /// No row cell and no movable macro shares area with a hard blockage.
    Blockage,
    /// A partial blockage is filled to its share at most.
    PartialBlockage,
    /// No cell shares area with another one's hard halo.
    Halo,
    /// A member of a fence lies inside it.
    FenceMember,
    /// Nobody else shares area with a fence.
    FenceStranger,
    /// Edges of two types that face each other keep their distance.
    EdgeSpacing,
}

impl Rule {
    /// How many rules there are.
    pub const COUNT: usize = 14;
    /// All rules, in the order of their numbers.
    pub const ALL: [Rule; Rule::COUNT] = [
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
    /// Its name in reports.
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
    pub(crate) const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// Whose violation it is: a placer can answer only for what it may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Party {
    /// Movable cells only.
    Movable,
    /// A movable and a fixed cell.
    Mixed,
    /// Fixed cells only.
    Fixed,
}

impl Party {
    pub(crate) fn of(fixed: bool) -> Party {
        if fixed { Party::Fixed } else { Party::Movable }
    }
    pub(crate) fn of_pair(a_fixed: bool, b_fixed: bool) -> Party {
        match (a_fixed, b_fixed) {
            (false, false) => Party::Movable,
            (true, true) => Party::Fixed,
            _ => Party::Mixed,
        }
    }
}

/// How many violations there are, by rule and party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([[i64; 3]; Rule::COUNT]);

impl Counts {
    /// Violations of one rule by one party.
    pub fn get(&self, rule: Rule, party: Party) -> i64 {
        self.0[rule as usize][party as usize]
    }
    /// Violations of one rule.
    pub fn of_rule(&self, rule: Rule) -> i64 {
        self.0[rule as usize].iter().sum()
    }
    /// Violations that a movable cell has a part in.
    pub fn movable(&self) -> i64 {
        self.0.iter().map(|[movable, mixed, _]| movable + mixed).sum()
    }
    /// Violations of fixed cells among themselves.
    pub fn fixed(&self) -> i64 {
        self.0.iter().map(|[_, _, fixed]| fixed).sum()
    }
    pub(crate) fn add(&mut self, rule: Rule, party: Party, count: i64) {
        self.0[rule as usize][party as usize] += count;
    }
    pub(crate) fn add_all(&mut self, other: &Counts, sign: i64) {
        for (mine, theirs) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *mine += sign * theirs;
        }
    }
    /// Adds `sign` for each rule whose bit is set.
    pub(crate) fn add_bits(&mut self, bits: u16, party: Party, sign: i64) {
        let mut rest = bits;
        while rest != 0 {
            let rule = rest.trailing_zeros() as usize;
            self.0[rule][party as usize] += sign;
            rest &= rest - 1;
        }
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Whose it is.
    pub party: Party,
    /// The cells in ascending order: one, two, or those that fill a region too far.
    pub cells: Vec<CellId>,
    /// Where, DBU.
    pub region: Rect,
    /// What is wrong, for people.
    pub text: String,
}
