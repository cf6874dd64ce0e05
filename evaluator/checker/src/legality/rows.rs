//! Rows as stretches of sites without a gap.

use cellwright_db::library::{MasterClass, Rail};
use cellwright_db::{Design, Orient, SiteId};
use std::collections::BTreeMap;

/// A stretch of sites.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    x0: i64,
    x1: i64,
    step: i64,
    orient: Orient,
}

/// Rails along the bottom and the top edge.
pub(super) type Rails = [Option<Rail>; 2];

/// The rows of one site.
#[derive(Clone, Debug)]
struct OfSite {
    height: i64,
    /// Stretches by y, each list from left to right.
    at: BTreeMap<i64, Vec<Stretch>>,
    /// Rails of a row that is not upside down.
    rails: Rails,
}

/// All rows by site.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    sites: BTreeMap<SiteId, OfSite>,
}

/// How a cell stands on rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    OffRow,
    OffSite,
    /// On rows and sites: orientation of the lowest row, rails below and above the cell.
    On(Orient, Rails),
}

impl Rows {
    pub(super) fn new(design: &Design) -> Rows {
        let mut rows = Rows::default();
        let mut list: Vec<_> = design.floorplan().rows.iter().collect();
        list.sort_by_key(|row| (row.origin.y, row.origin.x));
        for row in list {
            let Some(site) = design.tech().sites.get(row.site) else { continue };
            if site.height <= 0 || row.count <= 0 || row.step <= 0 {
                continue;
            }
            let (x0, step) = (i64::from(row.origin.x), i64::from(row.step));
            let x1 = x0 + step * i64::from(row.count);
            let of_site = rows.sites.entry(row.site).or_insert_with(|| OfSite {
                height: site.height.into(),
                at: BTreeMap::new(),
                rails: rails_of(design, row.site, site.height),
            });
            let stretches = of_site.at.entry(row.origin.y.into()).or_default();
            let next = Stretch { x0, x1, step, orient: row.orient };
            match stretches.last_mut() {
                Some(last) if (last.x1, last.step, last.orient) == (x0, step, row.orient) => {
                    last.x1 = x1;
                }
                _ => stretches.push(next),
            }
        }
        rows
    }

    /// Height of the lowest rows, DBU.
    pub(super) fn lowest(&self) -> Option<i64> {
        self.sites.values().map(|site| site.height).min()
    }
    /// Sites that have rows.
    pub(super) fn sites(&self) -> impl Iterator<Item = (SiteId, i64)> {
        self.sites.iter().map(|(id, site)| (*id, site.height))
    }
    /// How a cell of `width` × `height` at (`x`, `y`) stands: on the first site that fits, else
    /// the nearest miss.
    pub(super) fn standing(&self, sites: &[SiteId], at: (i64, i64), size: (i64, i64)) -> Standing {
        let mut nearest = Standing::OffRow;
        for of_site in sites.iter().filter_map(|site| self.sites.get(site)) {
            match of_site.standing(at, size) {
                Standing::OffRow => {}
                Standing::OffSite => nearest = Standing::OffSite,
                on => return on,
            }
        }
        nearest
    }
}

/// The rails of a site's rows are those of the first core cell of the site that is one row high
/// and shows both.
fn rails_of(design: &Design, site: SiteId, height: i32) -> Rails {
    let masters = design.library().masters.iter().map(|(_, master)| master);
    let mut fitting = masters.filter(|master| {
        master.class == MasterClass::Core && master.site == Some(site) && master.height == height
    });
    let shown = fitting.find_map(|master| Some([master.bottom_rail()?, master.top_rail()?]));
    shown.map_or([None; 2], |rails| rails.map(Some))
}

impl OfSite {
    fn standing(&self, (x, y): (i64, i64), (width, height): (i64, i64)) -> Standing {
        if height < self.height || height % self.height != 0 {
            return Standing::OffRow;
        }
        let mut under = Vec::new();
        for level in 0..height / self.height {
            let stretches = self.at.get(&(y + level * self.height));
            let holding = stretches.and_then(|stretches| {
                stretches.iter().rev().find(|s| s.x0 <= x && x + width <= s.x1)
            });
            let Some(stretch) = holding else { return Standing::OffRow };
            under.push(stretch);
        }
        let (Some(low), Some(high)) = (under.first(), under.last()) else {
            return Standing::OffRow;
        };
        if under.iter().any(|stretch| (x - stretch.x0) % stretch.step != 0) {
            return Standing::OffSite;
        }
        let upside_down = |orient| matches!(orient, Orient::S | Orient::FS);
        let [bottom, top] = self.rails;
        let below = if upside_down(low.orient) { top } else { bottom };
        let above = if upside_down(high.orient) { bottom } else { top };
        Standing::On(low.orient, [below, above])
    }
}
