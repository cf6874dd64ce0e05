//! Rows by site, height and x, with abutting fragments joined.

use cellwright_db::library::{Master, MasterClass, Rail};
use cellwright_db::{Design, Orient, SiteId};

/// A stretch of sites without a gap.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    lo: i32,
    hi: i32,
    step: i32,
    orient: Orient,
}

/// All stretches of one site at one y, ascending.
#[derive(Clone, Debug)]
struct Level {
    y: i32,
    stretches: Vec<Stretch>,
}

/// Rows of one site.
#[derive(Clone, Debug, Default)]
struct OfSite {
    height: i32,
    levels: Vec<Level>,
    /// Rails along the bottom and top edge of a row of orientation N.
    rails: [Option<Rail>; 2],
}

/// All rows.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    sites: Vec<OfSite>,
}

/// Where a cell stands relative to the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not on a row of the site all along.
    OffRow,
    /// On rows, but between sites.
    OffSite,
    /// On rows and sites; orientation of the lowest row, rails below and above.
    On(Orient, [Option<Rail>; 2]),
}

impl Rows {
    pub(crate) fn new(design: &Design) -> Rows {
        let tech = design.tech();
        let mut sites = vec![OfSite::default(); tech.sites.len()];
        for row in &design.floorplan().rows {
            let Some(of_site) = sites.get_mut(row.site.index()) else { continue };
            of_site.height = tech.sites[row.site].height;
            if of_site.height <= 0 || row.count <= 0 || row.step <= 0 {
                continue;
            }
            let rect = row.rect(of_site.height);
            let next = Stretch { lo: rect.lo.x, hi: rect.hi.x, step: row.step, orient: row.orient };
            // Rows come in ascending (y, x).
            match of_site.levels.last_mut() {
                Some(level) if level.y == row.origin.y => match level.stretches.last_mut() {
                    Some(last)
                        if last.hi == next.lo
                            && last.step == next.step
                            && last.orient == next.orient =>
                    {
                        last.hi = next.hi;
                    }
                    _ => level.stretches.push(next),
                },
                _ => of_site.levels.push(Level { y: row.origin.y, stretches: vec![next] }),
            }
        }
        let mut rows = Rows { sites };
        rows.find_rails(design);
        rows
    }

    /// The rails of each site's rows are those of the first core cell that is one row high.
    fn find_rails(&mut self, design: &Design) {
        for (site, of_site) in self.sites.iter_mut().enumerate() {
            let fits = |master: &&Master| {
                master.class == MasterClass::Core
                    && master.site == Some(SiteId::new(site))
                    && master.height == of_site.height
                    && master.bottom_rail().is_some()
                    && master.top_rail().is_some()
            };
            let masters = design.library().masters.iter().map(|(_, master)| master);
            if let Some(master) = masters.filter(|_| of_site.height > 0).find(fits) {
                of_site.rails = [master.bottom_rail(), master.top_rail()];
            }
        }
    }

    /// The lowest row height, DBU; 0 without rows.
    pub(crate) fn base_height(&self) -> i32 {
        let used = self.sites.iter().filter(|site| !site.levels.is_empty());
        used.map(|site| site.height).min().unwrap_or(0)
    }

    /// The sites on whose rows a master may stand: its own by name; where that has no rows, a cell
    /// of several rows (or one that names no site) may stand on rows whose height divides its own.
    pub(crate) fn sites_for(&self, design: &Design, master: &Master) -> Vec<SiteId> {
        let used = |site: &SiteId| {
            self.sites.get(site.index()).is_some_and(|site| !site.levels.is_empty())
        };
        if let Some(site) = master.site.filter(used) {
            return vec![site];
        }
        let own_width = master.site.and_then(|site| design.tech().sites.get(site)).map(|s| s.width);
        let fits = |site: &SiteId| {
            let height = self.sites[site.index()].height;
            let rows = master.height / height.max(1);
            let width = design.tech().sites[*site].width;
            master.height % height.max(1) == 0
                && rows >= if master.site.is_some() { 2 } else { 1 }
                && own_width.is_none_or(|own| own == width)
        };
        design.tech().sites.ids().filter(used).filter(fits).collect()
    }

    /// How an outline of `width` × `height` at (`x`, `y`) stands on rows of `sites`: on the first
    /// site that fits, else the nearest miss.
    pub(crate) fn standing(
        &self,
        sites: &[SiteId],
        (x, y): (i32, i32),
        (width, height): (i32, i32),
    ) -> Standing {
        let mut best = Standing::OffRow;
        for site in sites {
            match self.sites[site.index()].standing(x, y, width, height) {
                Standing::OffRow => {}
                Standing::OffSite => best = Standing::OffSite,
                on => return on,
            }
        }
        best
    }
}

impl OfSite {
    fn stretch(&self, x: i32, end: i32, y: i32) -> Option<&Stretch> {
        let level = self.levels.binary_search_by_key(&y, |level| level.y).ok()?;
        let stretches = &self.levels[level].stretches;
        let before = stretches.partition_point(|stretch| stretch.lo <= x);
        stretches[..before].iter().rev().find(|stretch| end <= stretch.hi)
    }

    fn standing(&self, x: i32, y: i32, width: i32, height: i32) -> Standing {
        if self.height <= 0 || height < self.height || height % self.height != 0 {
            return Standing::OffRow;
        }
        let end = x.saturating_add(width);
        let mut on_site = true;
        let mut orients = None;
        for row in 0..height / self.height {
            let row_y = y.saturating_add(row.saturating_mul(self.height));
            let Some(stretch) = self.stretch(x, end, row_y) else { return Standing::OffRow };
            on_site &= (i64::from(x) - i64::from(stretch.lo)) % i64::from(stretch.step) == 0;
            let lowest = orients.map_or(stretch.orient, |(lowest, _)| lowest);
            orients = Some((lowest, stretch.orient));
        }
        match orients {
            Some((lowest, highest)) if on_site => {
                let [bottom, top] = self.rails;
                let below = if lowest.flips_y() { top } else { bottom };
                let above = if highest.flips_y() { bottom } else { top };
                Standing::On(lowest, [below, above])
            }
            Some(_) => Standing::OffSite,
            None => Standing::OffRow,
        }
    }
}
