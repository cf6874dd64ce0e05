//! What the rules need of each master.

use cellwright_db::library::MasterClass;
use cellwright_db::tech::Symmetry;
use cellwright_db::{Design, Master, Orient, SiteId};

use super::rows::{Rails, Rows};

/// Facts of one master.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// It must stand on rows.
    pub(super) in_rows: bool,
    /// A macro.
    pub(super) block: bool,
    /// It may overlap anything and is held to nothing.
    pub(super) cover: bool,
    /// Height in orientation N, DBU.
    pub(super) height: i64,
    /// Its height is an even number of the lowest rows.
    pub(super) even: bool,
    symmetry: Symmetry,
    /// Sites on whose rows it may stand.
    pub(super) sites: Vec<SiteId>,
    rails: Rails,
    edges: [String; 2],
}

/// Facts of all masters, by number.
pub(super) fn facts(design: &Design, rows: &Rows) -> Vec<Facts> {
    design.library().masters.iter().map(|(_, master)| of_master(design, rows, master)).collect()
}

fn of_master(design: &Design, rows: &Rows, master: &Master) -> Facts {
    let sites = sites_for(design, rows, master);
    let height = i64::from(master.height);
    let base = rows.lowest().unwrap_or(1);
    // LEF 5.8, CELLEDGESPACINGTABLE: an edge that names no type is of type DEFAULT.
    let unnamed = || ["DEFAULT".to_owned(), "DEFAULT".to_owned()];
    Facts {
        in_rows: match master.class {
            MasterClass::Core | MasterClass::Spacer | MasterClass::WellTap => true,
            MasterClass::Endcap => !sites.is_empty(),
            MasterClass::Block | MasterClass::Pad | MasterClass::Cover => false,
        },
        block: master.class == MasterClass::Block,
        cover: master.class == MasterClass::Cover,
        height,
        even: height % base == 0 && height / base % 2 == 0,
        symmetry: master.symmetry,
        sites,
        rails: [master.bottom_rail(), master.top_rail()],
        edges: master.edge_types.clone().map_or_else(unnamed, |(left, right)| [left, right]),
    }
}

/// Its own site by name, where that has rows. Else a cell of several rows of the same site width,
/// or one that names no site, may stand on any rows whose height divides its own.
fn sites_for(design: &Design, rows: &Rows, master: &Master) -> Vec<SiteId> {
    if let Some(own) = master.site
        && rows.sites().any(|(site, _)| site == own)
    {
        return vec![own];
    }
    let width = |site: SiteId| design.tech().sites.get(site).map(|site| site.width);
    let fits = |(site, row): &(SiteId, i64)| {
        let height = i64::from(master.height);
        let fewest = if master.site.is_some() { 2 } else { 1 };
        let same_width = master.site.and_then(width).is_none_or(|own| Some(own) == width(*site));
        height % row == 0 && height / row >= fewest && same_width
    };
    rows.sites().filter(fits).map(|(site, _)| site).collect()
}

impl Facts {
    /// Whether a row cell may stand in `orient` on a row of orientation `row`. LEF 5.8 gives the
    /// symmetry in which a placer may try a macro before it is matched to the row, so what counts
    /// is the orientation relative to the row's.
    pub(super) fn allowed_in_row(&self, orient: Orient, row: Orient) -> bool {
        // (mirrored along the row, upside down)
        let parts = |orient| match orient {
            Orient::N => Some((false, false)),
            Orient::FN => Some((true, false)),
            Orient::FS => Some((false, true)),
            Orient::S => Some((true, true)),
            Orient::W | Orient::E | Orient::FW | Orient::FE => None,
        };
        let (Some(cell), Some(row)) = (parts(orient), parts(row)) else { return false };
        let mirrored = cell.0 != row.0;
        let upside_down = cell.1 != row.1;
        (!mirrored || self.symmetry.y) && (!upside_down || (self.even && self.symmetry.x))
    }
    /// Whether a macro may stand in `orient`; one that states no symmetry may stand in any.
    pub(super) fn allowed(&self, orient: Orient) -> bool {
        let Symmetry { x, y, r90 } = self.symmetry;
        if !x && !y && !r90 {
            return true;
        }
        match orient {
            Orient::N => true,
            Orient::FS => x,
            Orient::FN => y,
            Orient::S => r90 || (x && y),
            Orient::E | Orient::W => r90,
            Orient::FE | Orient::FW => r90 && (x || y),
        }
    }
    /// Whether rails of the placed cell meet rails of another kind.
    pub(super) fn rails_clash(&self, orient: Orient, row: Rails) -> bool {
        let [bottom, top] = self.rails;
        let own = match orient {
            Orient::S | Orient::FS => [top, bottom],
            _ => [bottom, top],
        };
        let clash =
            |(own, row): (Option<_>, Option<_>)| own.is_some() && row.is_some() && own != row;
        self.even && own.into_iter().zip(row).any(clash)
    }
    /// Type of the left (`right` false) or right edge of the placed cell.
    pub(super) fn edge(&self, orient: Orient, right: bool) -> &str {
        let swapped = matches!(orient, Orient::FN | Orient::S);
        &self.edges[usize::from(right != swapped)]
    }
}
