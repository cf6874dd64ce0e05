//! What the rules need to know of each master.

use cellwright_db::library::{MasterClass, Rail};
use cellwright_db::tech::Symmetry;
use cellwright_db::{Design, IdVec, MasterId, Orient, SiteId};

use super::rows::Rows;

/// Facts of one master.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) height: i32,
    /// It must stand on rows.
    pub(crate) in_rows: bool,
    /// It may overlap anything and is checked for nothing.
    pub(crate) cover: bool,
    pub(crate) symmetry: Symmetry,
    /// Rails along the bottom and the top edge in orientation N.
    pub(crate) rails: [Option<Rail>; 2],
    /// Edge types of the left and the right edge in orientation N.
    pub(crate) edges: [u16; 2],
    /// Sites on whose rows it may stand.
    pub(crate) sites: Vec<SiteId>,
    /// Its height is an even number of rows.
    pub(crate) even: bool,
}

/// Facts of all masters, and the spacing between edge types.
#[derive(Clone, Debug)]
pub(crate) struct Masters {
    facts: IdVec<MasterId, Facts>,
    types: usize,
    spacing: Vec<i32>,
    /// The largest spacing, DBU.
    pub(crate) reach: i32,
}

/// The edge type of edges that name none (LEF 5.8, `LEF58_CELLEDGESPACINGTABLE`).
const DEFAULT: &str = "DEFAULT";

impl Masters {
    pub(crate) fn new(design: &Design, rows: &Rows, edge_spacing: bool) -> Masters {
        let table: &[(String, String, i32)] =
            if edge_spacing { &design.tech().edge_spacing } else { &[] };
        let mut names = vec![DEFAULT];
        for (a, b, _) in table {
            for name in [a.as_str(), b.as_str()] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let number = |name: &str| names.iter().position(|known| *known == name).unwrap_or(0);
        let mut spacing = vec![0; names.len() * names.len()];
        for (a, b, distance) in table {
            for (a, b) in [(number(a), number(b)), (number(b), number(a))] {
                let slot = &mut spacing[a * names.len() + b];
                *slot = (*slot).max(*distance);
            }
        }
        let facts = design.library().masters.iter().map(|(_, master)| {
            let sites = rows.sites_for(design, master);
            let in_rows = match master.class {
                MasterClass::Core | MasterClass::Spacer | MasterClass::WellTap => true,
                // Endcaps of pad rings stand in no row.
                MasterClass::Endcap => !sites.is_empty(),
                MasterClass::Block | MasterClass::Pad | MasterClass::Cover => false,
            };
            let (left, right) = match &master.edge_types {
                Some((left, right)) => (number(left), number(right)),
                None => (0, 0),
            };
            let base = rows.base_height().max(1);
            Facts {
                height: master.height,
                in_rows,
                cover: master.class == MasterClass::Cover,
                symmetry: master.symmetry,
                rails: [master.bottom_rail(), master.top_rail()],
                edges: [left as u16, right as u16],
                sites,
                even: master.height % base == 0 && (master.height / base) % 2 == 0,
            }
        });
        let facts = facts.collect();
        let reach = spacing.iter().copied().max().unwrap_or(0).max(0);
        Masters { facts, types: names.len(), spacing, reach }
    }

    #[inline]
    pub(crate) fn get(&self, master: MasterId) -> &Facts {
        &self.facts[master]
    }
    /// The distance that the right edge of `left` keeps from the left edge of `right`, DBU.
    pub(crate) fn spacing(&self, left: (MasterId, Orient), right: (MasterId, Orient)) -> i32 {
        let edge = |(master, orient): (MasterId, Orient), right: bool| {
            let mirrored = matches!(orient, Orient::FN | Orient::S);
            usize::from(self.facts[master].edges[usize::from(right != mirrored)])
        };
        self.spacing[edge(left, true) * self.types + edge(right, false)]
    }
}

impl Facts {
    /// Whether the cell may stand in `orient` in a row of orientation `row`.
    ///
    /// LEF 5.8, macro `SYMMETRY`, says which orientations a placer tries before it matches them to
    /// the row: so what counts is the orientation relative to the row's. Mirroring along the row
    /// takes symmetry Y. Upside down takes symmetry X and an even number of rows, because the
    /// rails of an odd number would swap. No row takes a cell on its side.
    pub(crate) fn allows_in_row(&self, orient: Orient, row: Orient) -> bool {
        let flips = |orient: Orient| match orient {
            Orient::N => Some((false, false)),
            Orient::FN => Some((true, false)),
            Orient::FS => Some((false, true)),
            Orient::S => Some((true, true)),
            _ => None,
        };
        let (Some(cell), Some(row)) = (flips(orient), flips(row)) else { return false };
        let (mirrored, upside_down) = (cell.0 != row.0, cell.1 != row.1);
        (!mirrored || self.symmetry.y) && (!upside_down || (self.even && self.symmetry.x))
    }
    /// Whether a macro may stand in `orient`. One that states no symmetry may stand in any.
    pub(crate) fn allows(&self, orient: Orient) -> bool {
        let Symmetry { x, y, r90 } = self.symmetry;
        let unstated = !x && !y && !r90;
        unstated
            || match orient {
                Orient::N => true,
                Orient::FS => x,
                Orient::FN => y,
                Orient::S => (x && y) || r90,
                Orient::E | Orient::W => r90,
                Orient::FE | Orient::FW => r90 && (x || y),
            }
    }
    /// The rails along the bottom and the top edge of the cell placed in `orient`.
    pub(crate) fn placed_rails(&self, orient: Orient) -> [Option<Rail>; 2] {
        let [bottom, top] = self.rails;
        if orient.flips_y() { [top, bottom] } else { [bottom, top] }
    }
}
