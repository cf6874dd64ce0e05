//! Rows, tracks, regions, blockages, halos, places and port locations from DEF.

use cellwright_db::floorplan::{Blockage, BlockageKind, Halo, Region, RegionKind, Row, Tracks};
use cellwright_db::records::NetKind;
use cellwright_db::{
    CellId, DesignBuilder, Floorplan, LayerId, NetId, Orient, Place, PlaceStatus, Point, Rect,
    RegionId,
};
use hashbrown::HashMap;

use super::shapes::polygon_rects;
use crate::def::{self, DefFile};
use crate::lef;
use crate::text::{Problems, Severity, Source};

/// More rows than any die has; a file that asks for more is hostile or broken.
const MAX_ROWS: usize = 100_000;

/// The orientation of LEF/DEF text in the database's terms.
pub fn orient(orient: lef::Orient) -> Orient {
    match orient {
        lef::Orient::N => Orient::N,
        lef::Orient::S => Orient::S,
        lef::Orient::W => Orient::W,
        lef::Orient::E => Orient::E,
        lef::Orient::FN => Orient::FN,
        lef::Orient::FS => Orient::FS,
        lef::Orient::FW => Orient::FW,
        lef::Orient::FE => Orient::FE,
    }
}

fn point(point: def::Point) -> Point {
    Point::new(point.x, point.y)
}

fn rect(rect: def::Rect) -> Rect {
    Rect::new(rect.lo.x, rect.lo.y, rect.hi.x, rect.hi.y)
}

/// Where a DEF placement puts a cell.
pub fn place(placement: def::Placement) -> Place {
    let status = match placement.status {
        def::Status::None | def::Status::Unplaced => PlaceStatus::Unplaced,
        def::Status::Placed => PlaceStatus::Placed,
        def::Status::Fixed => PlaceStatus::Fixed,
        def::Status::Cover => PlaceStatus::Cover,
    };
    if status == PlaceStatus::Unplaced {
        return Place::default();
    }
    let (x, y) = (placement.point.x, placement.point.y);
    Place { x, y, orient: orient(placement.orient), status }
}

/// Applies a DEF to a builder that already holds the cells, nets and ports, and gives its
/// floorplan. Components that the netlist does not have (fillers, taps, …) become cells too.
pub fn link(
    source: &Source,
    file: &DefFile<'_>,
    builder: &mut DesignBuilder,
    problems: &mut Problems,
) -> Floorplan {
    let mut linker = Linker { source, builder, problems, plan: Floorplan::default() };
    linker.die(file);
    linker.rows(file);
    linker.tracks(file);
    let regions = linker.regions(file);
    linker.components(file, &regions);
    linker.groups(file, &regions);
    linker.pins(file);
    linker.blockages(file);
    linker.room(file);
    linker.plan
}

struct Linker<'s, 'b> {
    source: &'s Source,
    builder: &'b mut DesignBuilder,
    problems: &'b mut Problems,
    plan: Floorplan,
}

impl Linker<'_, '_> {
    fn problem(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: usize,
        text: impl FnOnce() -> String,
    ) {
        self.problems.report(severity, code, self.source, at, text);
    }

    fn die(&mut self, file: &DefFile<'_>) {
        self.plan.die_outline = file.die_area.iter().map(|p| point(*p)).collect();
        let corners = self.plan.die_outline.iter().map(|p| Rect { lo: *p, hi: *p });
        self.plan.die = corners.reduce(|a, b| a.union(&b)).unwrap_or_default();
    }

    /// Tells of a die without area or rows, and of rows that reach beyond it.
    fn room(&mut self, file: &DefFile<'_>) {
        let die = self.plan.die;
        if die.is_empty() {
            self.problem(Severity::Warning, "link-empty-die", 0, || {
                "the die has no area; give DIEAREA two corners".to_owned()
            });
            return;
        }
        if self.plan.rows.is_empty() {
            self.problem(Severity::Warning, "link-no-rows", 0, || {
                "there are no rows, so no cell can be placed; give ROW statements".to_owned()
            });
        }
        let tech = self.builder.tech();
        let beyond = |row: &&Row| {
            let site = tech.sites.get(row.site);
            site.is_some_and(|site| {
                !die.contains(&row.rect(row.orient.size(site.width, site.height).1))
            })
        };
        let count = self.plan.rows.iter().filter(beyond).count();
        let Some(first) = self.plan.rows.iter().find(beyond).map(|row| row.name.clone()) else {
            return;
        };
        let at = file.rows.iter().find(|row| row.name == first).map_or(0, |row| row.at.get());
        self.problem(Severity::Warning, "link-row-beyond-die", at, || {
            format!("{count} rows reach beyond the die, `{first}` first; cells there are not legal")
        });
    }

    fn rows(&mut self, file: &DefFile<'_>) {
        for row in &file.rows {
            let Some(site) = self.builder.tech().site(row.site) else {
                self.problem(Severity::Error, "link-unknown-site", row.at.get(), || {
                    format!(
                        "row `{}` uses site `{}`, which no LEF file defines; the row is left out",
                        row.name, row.site
                    )
                });
                continue;
            };
            let (width, height) = {
                let site = &self.builder.tech().sites[site];
                (site.width, site.height)
            };
            let (nx, ny) = row.count;
            let (step_x, step_y) = row.step.unwrap_or((width, height));
            // One of the two counts is 1 in DEF; a grid of both is taken as rows one above another.
            for index in 0..ny.max(1) {
                if self.plan.rows.len() >= MAX_ROWS {
                    self.problem(Severity::Error, "link-too-many-rows", row.at.get(), || {
                        format!("more than {MAX_ROWS} rows; the rest is left out")
                    });
                    return;
                }
                let dy = i64::from(index) * i64::from(step_y);
                let y = i32::try_from(i64::from(row.point.y) + dy);
                let (Ok(y), Ok(count)) = (y, i32::try_from(nx)) else {
                    self.problem(Severity::Error, "link-row-range", row.at.get(), || {
                        format!("row `{}` leaves the coordinate range; it is cut there", row.name)
                    });
                    break;
                };
                self.plan.rows.push(Row {
                    name: row.name.to_owned(),
                    site,
                    origin: Point::new(row.point.x, y),
                    orient: orient(row.orient),
                    count,
                    step: if step_x > 0 { step_x } else { width },
                });
            }
        }
    }

    fn layer(&mut self, name: &str, at: usize) -> Option<LayerId> {
        let layer = self.builder.tech().layer(name);
        if layer.is_none() {
            self.problem(Severity::Warning, "link-unknown-layer", at, || {
                format!("layer `{name}` is in no LEF file; what is on it is left out")
            });
        }
        layer
    }

    fn tracks(&mut self, file: &DefFile<'_>) {
        for track in &file.tracks {
            for name in &track.layers {
                let Some(layer) = self.layer(name, track.at.get()) else { continue };
                self.plan.tracks.push(Tracks {
                    layer,
                    along_x: track.axis == def::Axis::X,
                    start: track.start,
                    count: i32::try_from(track.count).unwrap_or(i32::MAX),
                    step: track.step,
                });
            }
        }
    }

    fn regions<'a>(&mut self, file: &DefFile<'a>) -> HashMap<&'a str, RegionId> {
        let mut ids = HashMap::new();
        for region in &file.regions {
            ids.insert(region.name, RegionId::new(self.plan.regions.len()));
            let fence = region.kind.is_some_and(|kind| kind.eq_ignore_ascii_case("FENCE"));
            let guide = region.kind.is_some_and(|kind| kind.eq_ignore_ascii_case("GUIDE"));
            // DEF 5.8: without TYPE the members must be inside, others may be too. That is less
            // than a fence and more than a guide; it is kept as a fence, which never misplaces.
            let kind = if fence || !guide { RegionKind::Fence } else { RegionKind::Guide };
            let rects = region.rects.iter().map(|r| rect(*r)).collect();
            self.plan.regions.push(Region { name: region.name.to_owned(), kind, rects });
        }
        ids
    }

    fn components(&mut self, file: &DefFile<'_>, regions: &HashMap<&str, RegionId>) {
        // The netlist may hold cells that the DEF does not name; they stay unplaced.
        let from_netlist = self.builder.cells_len();
        let mut placed = 0_usize;
        let mut seen = vec![false; from_netlist];
        let mut physical = Vec::new();
        for component in &file.components {
            let name = def::unescape(component.name);
            let cell = match self.builder.find_cell(&name) {
                Some(cell) => {
                    if std::mem::replace(&mut seen[cell.index()], true) {
                        self.problem(
                            Severity::Error,
                            "link-component-twice",
                            component.at.get(),
                            || {
                                format!(
                                    "component `{name}` stands twice; the last one's place counts"
                                )
                            },
                        );
                    } else {
                        placed += 1;
                    }
                    self.same_master(component, cell);
                    cell
                }
                None => {
                    physical.push(component);
                    continue;
                }
            };
            self.builder.place(cell, place(component.placement));
            self.extras(component, cell, regions);
        }
        for component in physical {
            let Some(master) = self.builder.library().master(component.master) else {
                self.problem(Severity::Error, "link-unknown-master", component.at.get(), || {
                    format!(
                        "component `{}` is of master `{}`, which no LEF or Liberty file defines; it is left out",
                        component.name, component.master
                    )
                });
                continue;
            };
            let name = def::unescape(component.name);
            let cell = self.builder.add_cell(&name, master, place(component.placement));
            self.extras(component, cell, regions);
        }
        if placed < from_netlist {
            let missing = from_netlist - placed;
            self.problem(Severity::Warning, "link-not-in-def", 0, || {
                format!("{missing} cells of the netlist are not among the DEF's components; they are unplaced")
            });
        }
    }

    fn same_master(&mut self, component: &def::Component<'_>, cell: CellId) {
        let master = self.builder.master(cell);
        let linked = &self.builder.library().masters[master].name;
        if linked != component.master {
            let linked = linked.clone();
            self.problem(Severity::Warning, "link-other-master", component.at.get(), || {
                format!(
                    "component `{}` is of master `{}` here and of `{linked}` in the netlist; the netlist's stays",
                    component.name, component.master
                )
            });
        }
    }

    fn extras(
        &mut self,
        component: &def::Component<'_>,
        cell: CellId,
        regions: &HashMap<&str, RegionId>,
    ) {
        let Some(extra) = &component.extra else { return };
        if let Some(margins) = extra.halo {
            self.plan.halos.push(Halo { cell, margins, soft: extra.halo_soft });
        }
        if let Some(name) = extra.region {
            self.bind(cell, name, regions, component.at.get());
        }
    }

    fn bind(&mut self, cell: CellId, name: &str, regions: &HashMap<&str, RegionId>, at: usize) {
        match regions.get(name) {
            Some(region) => self.builder.set_region(cell, *region),
            None => self.problem(Severity::Error, "link-unknown-region", at, || {
                format!("region `{name}` is not defined; its members are not bound")
            }),
        }
    }

    fn groups(&mut self, file: &DefFile<'_>, regions: &HashMap<&str, RegionId>) {
        for group in &file.groups {
            let Some(name) = group.region else { continue };
            for member in &group.members {
                if member.contains('*') {
                    for index in 0..self.builder.cells_len() {
                        let cell = CellId::new(index);
                        if glob(member, self.builder.cell_name(cell)) {
                            self.bind(cell, name, regions, group.at.get());
                        }
                    }
                    continue;
                }
                let plain = def::unescape(member);
                match self.builder.find_cell(&plain) {
                    Some(cell) => self.bind(cell, name, regions, group.at.get()),
                    None => self.problem(
                        Severity::Warning,
                        "link-unknown-member",
                        group.at.get(),
                        || format!("group `{}` names `{member}`, which is no cell", group.name),
                    ),
                }
            }
        }
    }

    fn pins(&mut self, file: &DefFile<'_>) {
        for pin in &file.pins {
            let supply = matches!(pin.usage, Some(lef::Use::Power | lef::Use::Ground));
            if pin.special || supply {
                continue;
            }
            let name = def::unescape(pin.name);
            let Some(port) = self.builder.find_port(&name) else {
                self.problem(Severity::Warning, "link-unknown-port", pin.at.get(), || {
                    format!("pin `{name}` is no port of the netlist; it is left out")
                });
                continue;
            };
            let mut shapes = Vec::new();
            let mut location = None;
            for part in pin.ports.iter().filter(|part| part.placement.status.has_position()) {
                let (at, turn) = (point(part.placement.point), orient(part.placement.orient));
                location = location.or(Some(at));
                for shape in &part.shapes {
                    let mut rects = Vec::new();
                    match &shape.kind {
                        def::PinShapeKind::Rect(r) => rects.push(rect(*r)),
                        def::PinShapeKind::Polygon(points) => {
                            let points: Vec<_> = points.iter().map(|p| point(*p)).collect();
                            polygon_rects(&points, &mut rects);
                        }
                        def::PinShapeKind::Via(_) => continue,
                    }
                    let Some(layer) = self.layer(shape.name, pin.at.get()) else { continue };
                    // A pin's shapes turn about its own origin.
                    let placed =
                        rects.iter().map(|r| turn.apply_rect(*r, 0, 0).shifted(at.x, at.y));
                    shapes.extend(placed.map(|r| (layer, r)));
                }
            }
            let bounds = shapes.iter().map(|(_, r)| *r).reduce(|a, b| a.union(&b));
            match bounds.map(|bounds| bounds.center()).or(location) {
                Some(at) => self.builder.place_port(port, at, shapes),
                None => self.problem(Severity::Info, "link-unplaced-port", pin.at.get(), || {
                    format!("pin `{name}` is not placed; wires to it do not count")
                }),
            }
        }
    }

    fn blockages(&mut self, file: &DefFile<'_>) {
        for blockage in &file.blockages {
            let mut rects = Vec::new();
            for shape in &blockage.shapes {
                match shape {
                    def::Shape::Rect(r) => rects.push(rect(*r)),
                    def::Shape::Polygon(points) => {
                        let points: Vec<_> = points.iter().map(|p| point(*p)).collect();
                        polygon_rects(&points, &mut rects);
                    }
                }
            }
            let cell =
                blockage.component.and_then(|name| self.builder.find_cell(&def::unescape(name)));
            let cell = cell.unwrap_or(CellId::NONE);
            match &blockage.kind {
                def::BlockageKind::Placement { soft, partial } => {
                    let kind = match partial {
                        Some(percent) => BlockageKind::Partial((percent / 100.0).clamp(0.0, 1.0)),
                        None if *soft => BlockageKind::Soft,
                        None => BlockageKind::Hard,
                    };
                    self.plan.blockages.extend(rects.into_iter().map(|rect| Blockage {
                        kind,
                        rect,
                        cell,
                    }));
                }
                def::BlockageKind::Layer { layer, .. } => {
                    let Some(layer) = self.layer(layer, blockage.at.get()) else { continue };
                    self.plan.layer_blockages.extend(rects.into_iter().map(|rect| (layer, rect)));
                }
            }
        }
    }
}

/// Takes cells, nets and ports from a DEF when there is no netlist.
pub fn link_netlist(
    source: &Source,
    file: &DefFile<'_>,
    builder: &mut DesignBuilder,
    problems: &mut Problems,
) {
    for component in &file.components {
        match builder.library().master(component.master) {
            Some(master) => {
                builder.add_cell(&def::unescape(component.name), master, Place::default());
            }
            None => problems.report(
                Severity::Error,
                "link-unknown-master",
                source,
                component.at.get(),
                || {
                    format!(
                        "component `{}` is of master `{}`, which no LEF or Liberty file defines; it is left out",
                        component.name, component.master
                    )
                },
            ),
        }
    }
    let mut nets: HashMap<String, NetId> = HashMap::new();
    for (special, net) in file
        .special_nets
        .iter()
        .map(|net| (true, net))
        .chain(file.nets.iter().map(|net| (false, net)))
    {
        let name = def::unescape(net.name).into_owned();
        let kind = match net.usage {
            Some(lef::Use::Power) => NetKind::Power,
            Some(lef::Use::Ground) => NetKind::Ground,
            Some(lef::Use::Clock) => NetKind::Clock,
            _ => NetKind::Signal,
        };
        let id = *nets.entry(name).or_insert_with_key(|name| builder.add_net(name, kind));
        for connection in file.connections(net) {
            // `( * VDD )` joins supplies, which are not part of the signal netlist.
            if connection.is_design_pin() || connection.component == "*" {
                continue;
            }
            let found = builder.find_cell(&def::unescape(connection.component)).and_then(|cell| {
                let master = &builder.library().masters[builder.master(cell)];
                Some((cell, master.pin(&def::unescape(connection.pin))?))
            });
            match found {
                Some((cell, pin)) => builder.connect(cell, pin, id),
                None if special => {}
                None => problems.report(
                    Severity::Error,
                    "link-unknown-pin",
                    source,
                    net.at.get(),
                    || {
                        format!(
                            "net `{}` connects `{} {}`, which does not exist; the connection is left out",
                            net.name, connection.component, connection.pin
                        )
                    },
                ),
            }
        }
    }
    for pin in &file.pins {
        if pin.special || matches!(pin.usage, Some(lef::Use::Power | lef::Use::Ground)) {
            continue;
        }
        use cellwright_db::library::PinDirection;
        let direction = match pin.direction {
            Some(def::PinDirection::Input) => PinDirection::Input,
            Some(def::PinDirection::Output) => PinDirection::Output,
            Some(def::PinDirection::Inout) => PinDirection::Inout,
            Some(def::PinDirection::Feedthru) | None => PinDirection::Unknown,
        };
        let net = pin.net.map(|net| def::unescape(net).into_owned());
        let id = match net {
            Some(net) => {
                *nets.entry(net).or_insert_with_key(|name| builder.add_net(name, NetKind::Signal))
            }
            None => NetId::NONE,
        };
        builder.add_port(&def::unescape(pin.name), direction, id, None, Vec::new(), None);
    }
}

/// Whether `name` matches a pattern in which `*` stands for anything.
fn glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(glob("u/*", "u/a/b") && glob("*", "") && glob("a*b*c", "a1b2c") && glob("x", "x"));
        assert!(
            !glob("u/*", "v/a") && !glob("a*b", "a") && !glob("x", "xy") && !glob("ab*ba", "aba")
        );
    }
}
