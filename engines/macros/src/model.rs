//! A case compiled to flat arrays for the engine.
//!
//! Bodies are the items that have a place: ports, macros, cells. Sites are the places of a body at
//! which nets meet it; pins of one body with one offset share a site, so a soft macro has one.
//! Nets that join the same sites from the same source are one net with added weights, and a net with
//! one site only counts in the number of nets.

use std::collections::HashMap;

use crate::error::MacroError;
use crate::fixed::{LENGTH_BITS, WEIGHT_BITS, fix, scale};
use crate::netlist::{Kind, Netlist, Settings};

/// Coordinates beyond this are refused, in µm.
pub(crate) const FARTHEST: f64 = 1e6;

/// The engine's view of a netlist and its settings; never changed.
#[derive(Debug)]
pub struct Model {
    pub(crate) settings: Settings,
    pub(crate) grid: Grid,
    /// Weighted number of nets.
    pub(crate) net_count: f64,
    // Bodies.
    pub(crate) item: Vec<u32>,
    pub(crate) kind: Vec<Kind>,
    pub(crate) width: Vec<f64>,
    pub(crate) height: Vec<f64>,
    pub(crate) body_sites: Vec<u32>,
    pub(crate) body_nets_at: Vec<u32>,
    pub(crate) body_nets: Vec<u32>,
    // Sites: offset under N, body.
    pub(crate) dx: Vec<f64>,
    pub(crate) dy: Vec<f64>,
    pub(crate) site_body: Vec<u32>,
    // Nets: sites with the source first, weight in wirelength and in routing.
    pub(crate) net_at: Vec<u32>,
    pub(crate) net_sites: Vec<u32>,
    pub(crate) net_weight: Vec<f64>,
    pub(crate) net_demand: Vec<i64>,
    /// Body of an item; `u32::MAX` for none.
    pub(crate) body_of: Vec<u32>,
    pub(crate) names: Vec<String>,
}

/// The grid and what its cells can take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) cell_width: f64,
    pub(crate) cell_height: f64,
    /// Vertical tracks of a cell.
    pub(crate) tracks_v: f64,
    /// Horizontal tracks of a cell.
    pub(crate) tracks_h: f64,
}

impl Grid {
    pub(crate) fn cells(&self) -> usize {
        self.columns * self.rows
    }
}

impl Model {
    /// Compiles a case.
    ///
    /// # Errors
    /// When the settings lack a canvas, a grid or routes, or when the case is too large for exact
    /// sums.
    pub fn new(netlist: &Netlist, settings: &Settings) -> Result<Self, MacroError> {
        let grid = check(settings)?;
        let mut model = Model {
            settings: settings.clone(),
            grid,
            net_count: netlist.net_count(),
            item: Vec::new(),
            kind: Vec::new(),
            width: Vec::new(),
            height: Vec::new(),
            body_sites: vec![0],
            body_nets_at: Vec::new(),
            body_nets: Vec::new(),
            dx: Vec::new(),
            dy: Vec::new(),
            site_body: Vec::new(),
            net_at: vec![0],
            net_sites: Vec::new(),
            net_weight: Vec::new(),
            net_demand: Vec::new(),
            body_of: vec![u32::MAX; netlist.items.len()],
            names: Vec::new(),
        };
        let site_of = model.lay_out(netlist);
        model.join(netlist, &site_of)?;
        model.index_nets();
        let area = netlist.area();
        if area * scale(LENGTH_BITS) >= 2f64.powi(62) {
            return Err(MacroError::TooLarge("the summed area"));
        }
        Ok(model)
    }

    /// Bodies and sites; gives the site of each item that nets can meet.
    fn lay_out(&mut self, netlist: &Netlist) -> Vec<u32> {
        let mut pins: Vec<Vec<u32>> = vec![Vec::new(); netlist.items.len()];
        for (i, item) in netlist.items.iter().enumerate() {
            if item.kind.is_pin()
                && let Some(list) = pins.get_mut(item.owner as usize)
            {
                list.push(i as u32);
            }
        }
        let mut site_of = vec![u32::MAX; netlist.items.len()];
        for (i, item) in netlist.items.iter().enumerate() {
            if item.kind.is_pin() {
                continue;
            }
            let body = self.item.len() as u32;
            self.body_of[i] = body;
            self.item.push(i as u32);
            self.kind.push(item.kind);
            self.width.push(item.width);
            self.height.push(item.height);
            self.names.push(item.name.clone());
            let mut known: HashMap<(u64, u64), u32> = HashMap::new();
            let own = (!matches!(item.kind, Kind::Hard | Kind::Soft)).then_some(i as u32);
            for &pin in pins[i].iter().chain(&own) {
                // The evaluator has pins of soft macros at the centre, whatever the file says.
                let (dx, dy) = match netlist.items[pin as usize].kind {
                    Kind::HardPin => netlist.items[pin as usize].offset,
                    _ => (0.0, 0.0),
                };
                let next = self.dx.len() as u32;
                let site = *known.entry((dx.to_bits(), dy.to_bits())).or_insert(next);
                if site == next {
                    self.dx.push(dx);
                    self.dy.push(dy);
                    self.site_body.push(body);
                }
                site_of[pin as usize] = site;
            }
            self.body_sites.push(self.dx.len() as u32);
        }
        site_of
    }

    fn join(&mut self, netlist: &Netlist, site_of: &[u32]) -> Result<(), MacroError> {
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut demand_bound = 0.0;
        for (driver, item) in netlist.items.iter().enumerate() {
            if item.sinks.is_empty() || site_of[driver] == u32::MAX {
                continue;
            }
            let source = site_of[driver];
            let mut sites: Vec<u32> = item
                .sinks
                .iter()
                .map(|&s| site_of[s as usize])
                .filter(|&s| s != u32::MAX)
                .collect();
            sites.sort_unstable();
            sites.dedup();
            sites.retain(|&s| s != source);
            if sites.is_empty() {
                continue;
            }
            sites.insert(0, source);
            let weight = item.net_weight();
            // The evaluator takes a weight into routing only where it is above 1.
            let demand = if weight > 1.0 { weight } else { 1.0 };
            demand_bound += demand * sites.len() as f64;
            if !(weight.abs() <= 1e6 && demand_bound < 2f64.powi(30)) {
                return Err(MacroError::TooLarge("the summed weight of nets"));
            }
            let demand = fix(demand, WEIGHT_BITS);
            let next = self.net_weight.len() as u32;
            let net = *known.entry(sites).or_insert_with_key(|sites| {
                self.net_sites.extend_from_slice(sites);
                self.net_at.push(self.net_sites.len() as u32);
                next
            }) as usize;
            if net == next as usize {
                self.net_weight.push(weight);
                self.net_demand.push(demand);
            } else {
                self.net_weight[net] += weight;
                self.net_demand[net] += demand;
            }
        }
        // Twice 2·FARTHEST plus offsets is the longest that a net can be.
        if self
            .net_weight
            .iter()
            .any(|w| w.abs() * 8.0 * FARTHEST * scale(LENGTH_BITS) >= 2f64.powi(62))
        {
            return Err(MacroError::TooLarge("the weight of a net"));
        }
        Ok(())
    }

    fn index_nets(&mut self) {
        let bodies = self.item.len();
        let mut of: Vec<Vec<u32>> = vec![Vec::new(); bodies];
        for net in 0..self.net_weight.len() {
            for &site in self.sites_of(net) {
                let list = &mut of[self.site_body[site as usize] as usize];
                if list.last() != Some(&(net as u32)) {
                    list.push(net as u32);
                }
            }
        }
        self.body_nets_at = vec![0];
        for list in of {
            self.body_nets.extend(list);
            self.body_nets_at.push(self.body_nets.len() as u32);
        }
    }

    #[inline]
    pub(crate) fn sites_of(&self, net: usize) -> &[u32] {
        &self.net_sites[self.net_at[net] as usize..self.net_at[net + 1] as usize]
    }

    #[inline]
    pub(crate) fn nets_of(&self, body: usize) -> &[u32] {
        &self.body_nets[self.body_nets_at[body] as usize..self.body_nets_at[body + 1] as usize]
    }

    #[inline]
    pub(crate) fn sites_of_body(&self, body: usize) -> std::ops::Range<usize> {
        self.body_sites[body] as usize..self.body_sites[body + 1] as usize
    }

    /// How many bodies there are.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.item.len()
    }

    /// How many nets are left after merging those that join the same sites.
    #[must_use]
    pub fn nets(&self) -> usize {
        self.net_weight.len()
    }

    /// How many sites nets meet.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.dx.len()
    }

    /// The settings that it was compiled for.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The body of an item, if it has a place of its own.
    #[must_use]
    pub fn body(&self, item: u32) -> Option<usize> {
        self.body_of.get(item as usize).filter(|b| **b != u32::MAX).map(|b| *b as usize)
    }
}

fn check(settings: &Settings) -> Result<Grid, MacroError> {
    let bad = |what: String, hint| Err(MacroError::Setting { what, hint });
    let (columns, rows) = (settings.columns as usize, settings.rows as usize);
    if columns == 0 || rows == 0 || columns > 10_000 || rows > 10_000 || columns * rows > 1 << 22 {
        return bad(
            format!("a grid of {columns} columns and {rows} rows"),
            "give `# Columns : C  Rows : R` in the .plc file, at most 4,194,304 cells",
        );
    }
    let (width, height) = (settings.width, settings.height);
    if !(width > 0.0 && height > 0.0 && width <= FARTHEST && height <= FARTHEST) {
        return bad(
            format!("a canvas of {width} × {height} µm"),
            "give `# Width : W  Height : H` in the .plc file, in µm",
        );
    }
    let grid = Grid {
        columns,
        rows,
        cell_width: width / columns as f64,
        cell_height: height / rows as f64,
        tracks_v: width / columns as f64 * settings.routes_v,
        tracks_h: height / rows as f64 * settings.routes_h,
    };
    let routes = [settings.routes_h, settings.routes_v];
    if !routes.iter().all(|r| *r > 0.0 && *r < 1e6) {
        return bad(
            format!("{} horizontal and {} vertical routes per µm", routes[0], routes[1]),
            "give `# Routes per micron, hor : H  ver : V` in the .plc file",
        );
    }
    let taken = [settings.macro_routes_h, settings.macro_routes_v];
    if !taken.iter().all(|r| *r >= 0.0 && *r < 1e6) {
        return bad(
            format!("{} and {} routes used by macros", taken[0], taken[1]),
            "give `# Routes used by macros, hor : H  ver : V` in the .plc file",
        );
    }
    Ok(grid)
}
