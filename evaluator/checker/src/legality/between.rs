//! Rules between two cells: overlap, halo, edge spacing.

use std::collections::BTreeMap;

use super::{Ground, MOST_PAIRS, Rule, Violation};
use crate::area2d::Area;
use crate::state::Cell;
use crate::sweep;

/// What pairs are judged by.
struct Between<'a> {
    ground: &'a Ground<'a>,
    /// Hard halo margins by cell: left, bottom, right, top, DBU.
    halos: BTreeMap<u32, [i64; 4]>,
    /// Distance between two edge types, DBU, both ways round.
    spacing: BTreeMap<(&'a str, &'a str), i64>,
}

/// Checks every pair of near cells; false when there were too many.
pub(super) fn check(ground: &Ground<'_>, found: &mut Vec<Violation>) -> bool {
    let design = &ground.state.design;
    let plan = design.floorplan();
    let hard = plan.halos.iter().filter(|halo| !halo.soft);
    let mut spacing: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for (a, b, distance) in &design.tech().edge_spacing {
        for types in [(a.as_str(), b.as_str()), (b.as_str(), a.as_str())] {
            let known = spacing.entry(types).or_insert(0);
            *known = (*known).max(i64::from(*distance));
        }
    }
    let between = Between {
        ground,
        halos: hard.map(|halo| (halo.cell.0, halo.margins.map(|m| i64::from(m.max(0))))).collect(),
        spacing,
    };
    let reach = between.spacing.values().copied().max().unwrap_or(0);
    let present = ground.present();
    let cell = |at: usize| &ground.state.cells[present[at].0];
    // Two cells can only break a rule together when one's outline with its halo, lengthened by the
    // largest spacing, meets the other's.
    let domains: Vec<Area> = (0..present.len())
        .map(|at| {
            let claim = between.claim(cell(at));
            Area { x1: claim.x1 + reach, ..claim }
        })
        .collect();
    let band = ground.rows.lowest().unwrap_or(1);
    sweep::pairs(&domains, band, MOST_PAIRS, |a, b| {
        let (a, b) = (cell(a), cell(b));
        if let Some(rule) = between.broken(a, b) {
            found.push(Violation {
                rule,
                cells: vec![a.id.min(b.id), a.id.max(b.id)],
                fixed_only: a.place.is_fixed() && b.place.is_fixed(),
                region: between.claim(a).common(&between.claim(b)),
            });
        }
    })
}

impl Between<'_> {
    /// The outline with the hard halo around it.
    fn claim(&self, cell: &Cell) -> Area {
        let [left, bottom, right, top] = self.halos.get(&cell.id.0).copied().unwrap_or_default();
        let Area { x0, y0, x1, y1 } = cell.outline;
        Area { x0: x0 - left, y0: y0 - bottom, x1: x1 + right, y1: y1 + top }
    }
    /// An edge type as the table knows it; one that it does not name counts as DEFAULT.
    fn edge_type<'b>(&self, name: &'b str) -> &'b str {
        if self.spacing.keys().any(|(known, _)| *known == name) { name } else { "DEFAULT" }
    }
    /// The rule that two cells break together.
    fn broken(&self, a: &Cell, b: &Cell) -> Option<Rule> {
        if a.outline.meets(&b.outline) {
            return Some(Rule::Overlap);
        }
        if self.claim(a).meets(&b.outline) || self.claim(b).meets(&a.outline) {
            return Some(Rule::Halo);
        }
        let (left, right) = if a.outline.x0 <= b.outline.x0 { (a, b) } else { (b, a) };
        let beside = left.outline.y0 < right.outline.y1 && right.outline.y0 < left.outline.y1;
        let facts = |cell: &Cell| &self.ground.facts[cell.master.index()];
        if self.spacing.is_empty() || !beside || !facts(left).in_rows || !facts(right).in_rows {
            return None;
        }
        let edges = (
            self.edge_type(facts(left).edge(left.place.orient, true)),
            self.edge_type(facts(right).edge(right.place.orient, false)),
        );
        let asked = self.spacing.get(&edges).copied().unwrap_or(0);
        (right.outline.x0 - left.outline.x1 < asked).then_some(Rule::EdgeSpacing)
    }
}
