//! Writing DEF 5.8, piece by piece.
//!
//! The caller opens a section with its count, writes the items and closes it; the count is checked.
//! So a design of any size streams from iterators without a second copy in memory.

use super::ast::{Component, DefFile, Header, Placement, Point, Rect, SectionKind, Status};
use crate::lef::{Extension, Property, PropertyDefinition, PropertyKind, PropertyValue, Statement};
use std::io::{Error, Result, Write};

/// A writer of DEF 5.8. Give it a buffered `W`.
#[derive(Debug)]
pub struct Writer<W> {
    pub(super) out: W,
    open: Option<(SectionKind, usize, usize)>,
}

/// Writes a whole file as DEF 5.8.
///
/// Reading it back gives the same content but for `VERSION`, offsets and comments.
///
/// # Errors
/// What `out` gives.
pub fn write<W: Write>(file: &DefFile<'_>, out: W) -> Result<W> {
    let mut w = Writer::new(out, &file.header)?;
    w.property_definitions(&file.property_definitions)?;
    file.statements.iter().try_for_each(|x| w.statement(x))?;
    w.die_area(&file.die_area)?;
    file.rows.iter().try_for_each(|x| w.row(x))?;
    file.tracks.iter().try_for_each(|x| w.track(x))?;
    file.gcell_grids.iter().try_for_each(|x| w.gcell_grid(x))?;
    w.section(SectionKind::Vias, &file.vias, Writer::via)?;
    w.section(SectionKind::Styles, &file.styles, Writer::style)?;
    w.section(SectionKind::NonDefaultRules, &file.non_default_rules, Writer::non_default_rule)?;
    w.section(SectionKind::Regions, &file.regions, Writer::region)?;
    w.component_mask_shift(&file.component_mask_shift)?;
    w.section(SectionKind::Components, &file.components, Writer::component)?;
    w.section(SectionKind::Pins, &file.pins, Writer::pin)?;
    w.section(SectionKind::PinProperties, &file.pin_properties, Writer::pin_property)?;
    w.section(SectionKind::Blockages, &file.blockages, Writer::blockage)?;
    w.section(SectionKind::Slots, &file.slots, Writer::slot)?;
    w.section(SectionKind::Fills, &file.fills, Writer::fill)?;
    w.section(SectionKind::SpecialNets, &file.special_nets, |w, n| w.net(n, file.connections(n)))?;
    w.section(SectionKind::Nets, &file.nets, |w, n| w.net(n, file.connections(n)))?;
    w.section(SectionKind::ScanChains, &file.scan_chains, Writer::scan_chain)?;
    w.section(SectionKind::Groups, &file.groups, Writer::group)?;
    file.extensions.iter().try_for_each(|x| w.extension(x))?;
    w.finish()
}

impl<W: Write> Writer<W> {
    /// Begins a file with its header; the version written is 5.8.
    ///
    /// # Errors
    /// As every method here: what `out` gives.
    pub fn new(mut out: W, header: &Header<'_>) -> Result<Self> {
        writeln!(out, "VERSION 5.8 ;")?;
        if let Some(on) = header.names_case_sensitive {
            writeln!(out, "NAMESCASESENSITIVE {} ;", if on { "ON" } else { "OFF" })?;
        }
        if let Some(c) = header.divider_char {
            writeln!(out, "DIVIDERCHAR \"{c}\" ;")?;
        }
        if let Some(c) = header.bus_bit_chars {
            writeln!(out, "BUSBITCHARS \"{c}\" ;")?;
        }
        if let Some(name) = header.design {
            writeln!(out, "DESIGN {name} ;")?;
        }
        if let Some(name) = header.technology {
            writeln!(out, "TECHNOLOGY {name} ;")?;
        }
        if let Some(units) = header.dbu_per_micron {
            writeln!(out, "UNITS DISTANCE MICRONS {units} ;")?;
        }
        for line in &header.history {
            writeln!(out, "HISTORY {line} ;")?;
        }
        Ok(Self { out, open: None })
    }

    /// Ends the file and gives the output back, flushed.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn finish(mut self) -> Result<W> {
        writeln!(self.out, "END DESIGN")?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Opens a section of `count` items.
    ///
    /// # Errors
    /// As [`Writer::new`]; another section is still open.
    pub fn begin(&mut self, kind: SectionKind, count: usize) -> Result<()> {
        if let Some((open, ..)) = self.open {
            return Err(Error::other(format!("{} is still open", open.name())));
        }
        self.open = Some((kind, count, 0));
        writeln!(self.out, "{} {count} ;", kind.name())
    }

    /// Closes the open section.
    ///
    /// # Errors
    /// As [`Writer::new`]; none is open, or it has not as many items as it was opened with.
    pub fn end(&mut self) -> Result<()> {
        match self.open.take() {
            Some((kind, declared, written)) if declared == written => {
                writeln!(self.out, "END {}", kind.name())
            }
            Some((kind, declared, written)) => Err(Error::other(format!(
                "{} was opened for {declared} items and holds {written}",
                kind.name()
            ))),
            None => Err(Error::other("no section is open")),
        }
    }

    /// Writes a whole section, or nothing if it is empty.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn section<T>(
        &mut self,
        kind: SectionKind,
        items: &[T],
        mut item: impl FnMut(&mut Self, &T) -> Result<()>,
    ) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        self.begin(kind, items.len())?;
        items.iter().try_for_each(|x| item(self, x))?;
        self.end()
    }

    /// Counts an item of the open section, which must be of this kind.
    pub(super) fn item(&mut self, kinds: &[SectionKind]) -> Result<()> {
        match &mut self.open {
            Some((kind, _, written)) if kinds.contains(kind) => {
                *written += 1;
                Ok(())
            }
            _ => {
                let name = kinds.first().map_or("", |k| k.name());
                Err(Error::other(format!("an item of {name} outside of its section")))
            }
        }
    }

    /// Writes `PROPERTYDEFINITIONS`, or nothing if there are none.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn property_definitions(&mut self, all: &[PropertyDefinition<'_>]) -> Result<()> {
        if all.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "PROPERTYDEFINITIONS")?;
        for p in all {
            let kind = match p.kind {
                PropertyKind::Integer => "INTEGER",
                PropertyKind::Real => "REAL",
                PropertyKind::String => "STRING",
                PropertyKind::NameMapString => "NAMEMAPSTRING",
            };
            write!(self.out, "  {} {} {kind}", p.object, p.name)?;
            if let Some((least, greatest)) = p.range {
                write!(self.out, " RANGE {least} {greatest}")?;
            }
            if let Some(value) = p.value {
                self.value(value)?;
            }
            writeln!(self.out, " ;")?;
        }
        writeln!(self.out, "END PROPERTYDEFINITIONS")
    }

    fn value(&mut self, value: PropertyValue<'_>) -> Result<()> {
        match value {
            PropertyValue::Number(v) => write!(self.out, " {v}"),
            PropertyValue::Text(v) => write!(self.out, " \"{v}\""),
        }
    }

    pub(super) fn properties(&mut self, all: &[Property<'_>]) -> Result<()> {
        for p in all {
            write!(self.out, "\n  + PROPERTY {}", p.name)?;
            self.value(p.value)?;
        }
        Ok(())
    }

    /// Writes a statement or section that was kept as text.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn statement(&mut self, statement: &Statement<'_>) -> Result<()> {
        let Statement { text, keyword, .. } = statement;
        // A section ends with END and its keyword, a statement lost its `;`.
        let is_section = text.len() > keyword.len() && text.ends_with(keyword);
        if is_section { writeln!(self.out, "{text}") } else { writeln!(self.out, "{text} ;") }
    }

    /// Writes `BEGINEXT` … `ENDEXT`.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn extension(&mut self, extension: &Extension<'_>) -> Result<()> {
        writeln!(self.out, "BEGINEXT \"{}\"{}ENDEXT", extension.tag, extension.text)
    }

    /// Writes `DIEAREA`, or nothing without points.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn die_area(&mut self, points: &[Point]) -> Result<()> {
        if points.is_empty() {
            return Ok(());
        }
        write!(self.out, "DIEAREA")?;
        self.points(points)?;
        writeln!(self.out, " ;")
    }

    /// Writes `COMPONENTMASKSHIFT`, or nothing without layers.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn component_mask_shift(&mut self, layers: &[&str]) -> Result<()> {
        if layers.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "COMPONENTMASKSHIFT {} ;", layers.join(" "))
    }

    pub(super) fn point(&mut self, p: Point) -> Result<()> {
        write!(self.out, " ( {} {} )", p.x, p.y)
    }

    pub(super) fn points(&mut self, points: &[Point]) -> Result<()> {
        points.iter().try_for_each(|p| self.point(*p))
    }

    pub(super) fn rect(&mut self, rect: Rect) -> Result<()> {
        self.points(&[rect.lo, rect.hi])
    }

    /// ` + PLACED ( x y ) N`, or nothing for [`Status::None`].
    pub(super) fn placement(&mut self, p: Placement) -> Result<()> {
        match p.status {
            Status::None => Ok(()),
            Status::Unplaced if p == (Placement { status: p.status, ..Placement::default() }) => {
                write!(self.out, " + UNPLACED")
            }
            _ => write!(
                self.out,
                " + {} ( {} {} ) {}",
                p.status.name(),
                p.point.x,
                p.point.y,
                p.orient.name()
            ),
        }
    }

    /// Writes one of `COMPONENTS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn component(&mut self, c: &Component<'_>) -> Result<()> {
        self.item(&[SectionKind::Components])?;
        write!(self.out, "- {} {}", c.name, c.master)?;
        if let Some(extra) = &c.extra {
            for net in &extra.nets {
                write!(self.out, " {net}")?;
            }
            if let Some(master) = extra.eeq_master {
                write!(self.out, " + EEQMASTER {master}")?;
            }
            if let Some(generate) = extra.generate {
                write!(self.out, " + GENERATE {generate}")?;
            }
            if let Some(source) = extra.source {
                write!(self.out, " + SOURCE {source}")?;
            }
        }
        self.placement(c.placement)?;
        if let Some(extra) = &c.extra {
            if let Some(digits) = extra.mask_shift {
                write!(self.out, " + MASKSHIFT {digits}")?;
            }
            if let Some(foreign) = extra.foreign {
                write!(self.out, " + FOREIGN {foreign}")?;
            }
            if let Some([l, b, r, t]) = extra.halo {
                let soft = if extra.halo_soft { " SOFT" } else { "" };
                write!(self.out, " + HALO{soft} {l} {b} {r} {t}")?;
            }
            if let Some(h) = extra.route_halo {
                let (min, max) = (h.min_layer, h.max_layer);
                write!(self.out, " + ROUTEHALO {} {min} {max}", h.distance)?;
            }
            if let Some(weight) = extra.weight {
                write!(self.out, " + WEIGHT {weight}")?;
            }
            if let Some(region) = extra.region {
                write!(self.out, " + REGION {region}")?;
            }
            if let Some(area) = extra.region_area {
                write!(self.out, " + REGION")?;
                self.rect(area)?;
            }
            self.properties(&extra.properties)?;
        }
        writeln!(self.out, " ;")
    }
}
