//! The violations one by one, for people and certificates.

use cellwright_db::{CellId, Design, Point, Rect, RegionId};

use super::ground::Patch;
use super::pairs::CROWD;
use super::rule::{Party, Rule, Violation};
use super::{Legality, NAME};
use crate::metric::{Metric, Stale};

impl Legality {
    /// Up to `limit` violations in ascending order of rule and cells. Costs all cells and buckets.
    ///
    /// # Errors
    /// [`Stale`] when this state is not of the design's state.
    pub fn violations(&self, design: &Design, limit: usize) -> Result<Vec<Violation>, Stale> {
        let at = design.stamp();
        if at != self.stamp() {
            return Err(Stale { metric: NAME, held: self.stamp(), from: at, to: at, design: at });
        }
        let mut out = Vec::new();
        for (number, own) in self.own.iter().enumerate().filter(|(_, own)| own.bits != 0) {
            let cell = CellId::new(number);
            for rule in self.broken_by(cell) {
                out.push(self.of_cell(design, cell, rule, own.fixed));
            }
        }
        self.add_pairs(design, &mut out);
        for (number, taken) in self.taken.iter().enumerate() {
            if let Some(party) = self.rules.overfull(number, *taken) {
                out.push(self.of_partial(design, number, party));
            }
        }
        out.sort_by(|a, b| (a.rule, &a.cells, a.region).cmp(&(b.rule, &b.cells, b.region)));
        out.truncate(limit);
        Ok(out)
    }

    fn of_cell(&self, design: &Design, cell: CellId, rule: Rule, fixed: bool) -> Violation {
        let (place, master) = (design.place(cell), design.master(cell));
        let outline = design.outline(cell);
        let (name, orient) = (design.cell_name(cell), place.orient.name());
        let (x, y) = (place.x, place.y);
        let sites = &self.rules.masters.get(design.master_id(cell)).sites;
        let site = |site: &cellwright_db::SiteId| design.tech().sites[*site].name.as_str();
        let sites: Vec<&str> = sites.iter().map(site).collect();
        let sites = sites.join("`, `");
        let text = match rule {
            Rule::Unplaced => format!("{name} has no location"),
            Rule::NoOutline => {
                format!("{name}: master `{}` has no outline; read its LEF", master.name)
            }
            Rule::OutsideDie => format!("{name} reaches beyond the die"),
            Rule::OffRow if sites.is_empty() => {
                let own = master.site.map_or("(none)", |site| &design.tech().sites[site].name);
                format!("{name}: no row fits master `{}` of site `{own}`", master.name)
            }
            Rule::OffRow => {
                format!("{name} at ({x}, {y}) does not stand on rows of `{sites}` from end to end")
            }
            Rule::OffSite => format!("{name} at x {x} stands between sites of `{sites}`"),
            Rule::Orientation => format!(
                "{name}: master `{}` may not stand in orientation {orient} here",
                master.name
            ),
            Rule::Rail => {
                format!("{name} at y {y}, {orient}: its rails meet rails of another kind")
            }
            Rule::Blockage => format!("{name} stands in a hard blockage"),
            Rule::FenceMember => {
                let region = self.region_name(design, design.cell(cell).region);
                format!("{name} belongs to fence `{region}` and reaches beyond it")
            }
            Rule::FenceStranger => {
                let mut fence = RegionId::NONE;
                let own = design.cell(cell).region;
                self.rules.ground.each(&outline, |_, patch| {
                    if let Patch::Fence(region) = patch
                        && region != own
                    {
                        fence = fence.min(region);
                    }
                });
                format!(
                    "{name} stands in fence `{}` without belonging",
                    self.region_name(design, fence)
                )
            }
            Rule::Overlap | Rule::PartialBlockage | Rule::Halo | Rule::EdgeSpacing => {
                format!("{name} breaks {}", rule.name())
            }
        };
        Violation { rule, party: Party::of(fixed), cells: vec![cell], region: outline, text }
    }

    fn region_name<'a>(&self, design: &'a Design, region: RegionId) -> &'a str {
        design.floorplan().regions.get(region.index()).map_or("", |region| &region.name)
    }

    fn add_pairs(&self, design: &Design, out: &mut Vec<Violation>) {
        let pairs = self.pairs();
        for bucket in 0..self.buckets.len() {
            let list = self.buckets.list(bucket);
            if list.len() > CROWD {
                let cells: Vec<CellId> = list.iter().map(|cell| CellId(*cell)).collect();
                let outlines = cells.iter().map(|cell| self.shapes[cell.index()].outline);
                let region = outlines.reduce(|a, b| a.union(&b)).unwrap_or_default();
                let party = pairs.crowd_party(bucket);
                // One entry for each that is counted.
                for cell in &cells {
                    let text = format!(
                        "{} stands in a heap of {} cells",
                        design.cell_name(*cell),
                        cells.len()
                    );
                    let cells = vec![*cell];
                    out.push(Violation { rule: Rule::Overlap, party, cells, region, text });
                }
                continue;
            }
            pairs.list(bucket, |a, b, rule| {
                let (first, second) = (&self.shapes[a as usize], &self.shapes[b as usize]);
                let cells = vec![CellId(a), CellId(b)];
                let [name, other] = [a, b].map(|cell| design.cell_name(CellId(cell)));
                let (region, text) = match rule {
                    Rule::Overlap => {
                        let region = first.outline.intersection(&second.outline);
                        let (width, height) = (region.width(), region.height());
                        (region, format!("{name} and {other} overlap by {width} x {height} DBU"))
                    }
                    Rule::Halo => (
                        self.buckets.claim(first).intersection(&self.buckets.claim(second)),
                        format!("{name} and {other}: one stands in the halo of the other"),
                    ),
                    _ => {
                        let gap = between(&first.outline, &second.outline);
                        let width = gap.width();
                        (gap, format!("{name} and {other} are {width} DBU apart, too near for their edge types"))
                    }
                };
                let party = Party::of_pair(first.fixed, second.fixed);
                out.push(Violation { rule, party, cells, region, text });
            });
        }
    }

    fn of_partial(&self, design: &Design, number: usize, party: Party) -> Violation {
        let partial = self.rules.ground.partials[number];
        let taken: i64 = self.taken[number].iter().sum();
        let over = |(_, shape): &(usize, &super::Shape)| {
            shape.present && shape.outline.overlaps(&partial.rect)
        };
        let cells = self.shapes.iter().enumerate().filter(over);
        let cells = cells.map(|(cell, _)| CellId::new(cell)).collect();
        let tech = design.tech();
        let text = format!(
            "partial blockage takes {} um2 of cells, {} um2 allowed",
            tech.square_microns(taken),
            tech.square_microns(partial.limit)
        );
        Violation { rule: Rule::PartialBlockage, party, cells, region: partial.rect, text }
    }
}

/// The gap between two outlines side by side.
fn between(a: &Rect, b: &Rect) -> Rect {
    let (left, right) = if a.lo.x <= b.lo.x { (a, b) } else { (b, a) };
    Rect {
        lo: Point::new(left.hi.x, left.lo.y.max(right.lo.y)),
        hi: Point::new(right.lo.x, left.hi.y.min(right.hi.y)),
    }
}
