//! Writing pins and nets.

use super::ast::SectionKind;
use super::floorplan::PinProperty;
use super::net::{Connection, Net, NetExtra, SpecialShape, SpecialShapeKind, Subnet, Vpin};
use super::pin::{Pin, PinPort, PinShapeKind};
use super::wiring::{Wiring, WiringKind};
use super::write::Writer;
use crate::lef::Orient;
use std::io::{Result, Write};

impl<W: Write> Writer<W> {
    /// Writes one of `PINS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn pin(&mut self, p: &Pin<'_>) -> Result<()> {
        self.item(&[SectionKind::Pins])?;
        write!(self.out, "- {}", p.name)?;
        if let Some(net) = p.net {
            write!(self.out, " + NET {net}")?;
        }
        if p.special {
            write!(self.out, " + SPECIAL")?;
        }
        if let Some(direction) = p.direction {
            write!(self.out, " + DIRECTION {}", direction.name())?;
        }
        if let Some(expression) = p.net_expr {
            write!(self.out, " + NETEXPR \"{expression}\"")?;
        }
        if let Some(pin) = p.supply_sensitivity {
            write!(self.out, " + SUPPLYSENSITIVITY {pin}")?;
        }
        if let Some(pin) = p.ground_sensitivity {
            write!(self.out, " + GROUNDSENSITIVITY {pin}")?;
        }
        if let Some(usage) = p.usage {
            write!(self.out, " + USE {}", usage.name())?;
        }
        for a in &p.antenna {
            if a.keyword.eq_ignore_ascii_case("ANTENNAMODEL") {
                write!(self.out, "\n  + {} OXIDE{}", a.keyword, a.value)?;
            } else {
                write!(self.out, "\n  + {} {}", a.keyword, a.value)?;
            }
            if let Some(layer) = a.layer {
                write!(self.out, " LAYER {layer}")?;
            }
        }
        for port in &p.ports {
            if p.explicit_ports {
                write!(self.out, "\n  + PORT")?;
            }
            self.port(port)?;
        }
        writeln!(self.out, " ;")
    }

    fn port(&mut self, port: &PinPort<'_>) -> Result<()> {
        for s in &port.shapes {
            let word = match s.kind {
                PinShapeKind::Rect(_) => "LAYER",
                PinShapeKind::Polygon(_) => "POLYGON",
                PinShapeKind::Via(_) => "VIA",
            };
            write!(self.out, "\n  + {word} {}", s.name)?;
            if let Some(mask) = s.mask {
                write!(self.out, " MASK {mask}")?;
            }
            if let Some(spacing) = s.spacing {
                write!(self.out, " SPACING {spacing}")?;
            }
            if let Some(width) = s.design_rule_width {
                write!(self.out, " DESIGNRULEWIDTH {width}")?;
            }
            match &s.kind {
                PinShapeKind::Rect(r) => self.rect(*r)?,
                PinShapeKind::Polygon(p) => self.points(p)?,
                PinShapeKind::Via(p) => self.point(*p)?,
            }
        }
        self.placement(port.placement)
    }

    /// Writes one of `PINPROPERTIES`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn pin_property(&mut self, p: &PinProperty<'_>) -> Result<()> {
        self.item(&[SectionKind::PinProperties])?;
        write!(self.out, "- {} {}", p.component, p.pin)?;
        self.properties(&p.properties)?;
        writeln!(self.out, " ;")
    }

    /// ` ( component pin )` for each connection, some to a line.
    pub(super) fn connections<'x>(
        &mut self,
        connections: impl Iterator<Item = Connection<'x>>,
    ) -> Result<()> {
        for (i, c) in connections.enumerate() {
            if i % 8 == 7 {
                write!(self.out, "\n ")?;
            }
            let synthesized = if c.synthesized { " + SYNTHESIZED" } else { "" };
            write!(self.out, " ( {} {}{synthesized} )", c.component, c.pin)?;
        }
        Ok(())
    }

    /// Writes one of `NETS` or `SPECIALNETS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn net<'x>(
        &mut self,
        net: &Net<'_>,
        connections: impl Iterator<Item = Connection<'x>>,
    ) -> Result<()> {
        self.item(&[SectionKind::Nets, SectionKind::SpecialNets])?;
        let must_join = net.extra.as_ref().is_some_and(|e| e.must_join);
        write!(self.out, "- {}", if must_join { "MUSTJOIN" } else { net.name })?;
        self.connections(connections)?;
        if let Some(extra) = &net.extra {
            self.net_extra(extra)?;
        }
        if let Some(usage) = net.usage {
            write!(self.out, " + USE {}", usage.name())?;
        }
        writeln!(self.out, " ;")
    }

    fn net_extra(&mut self, e: &NetExtra<'_>) -> Result<()> {
        for net in &e.shield_nets {
            write!(self.out, " + SHIELDNET {net}")?;
        }
        for vpin in &e.vpins {
            self.vpin(vpin)?;
        }
        for subnet in &e.subnets {
            self.subnet(subnet)?;
        }
        if let Some(v) = e.xtalk {
            write!(self.out, " + XTALK {v}")?;
        }
        if let Some(v) = e.non_default_rule {
            write!(self.out, " + NONDEFAULTRULE {v}")?;
        }
        if let Some(v) = e.voltage {
            write!(self.out, " + VOLTAGE {v}")?;
        }
        for wiring in &e.wiring {
            self.wiring(wiring, "+ ")?;
        }
        for shape in &e.shapes {
            self.special_shape(shape)?;
        }
        if let Some(v) = e.style {
            write!(self.out, " + STYLE {v}")?;
        }
        if let Some(v) = e.source {
            write!(self.out, " + SOURCE {v}")?;
        }
        if e.fixed_bump {
            write!(self.out, " + FIXEDBUMP")?;
        }
        if let Some(v) = e.frequency {
            write!(self.out, " + FREQUENCY {v}")?;
        }
        if let Some(v) = e.original {
            write!(self.out, " + ORIGINAL {v}")?;
        }
        if let Some(v) = e.pattern {
            write!(self.out, " + PATTERN {v}")?;
        }
        if let Some(v) = e.est_cap {
            write!(self.out, " + ESTCAP {v}")?;
        }
        if let Some(v) = e.weight {
            write!(self.out, " + WEIGHT {v}")?;
        }
        for r in &e.shield_rules {
            let word = if r.spacing { "SPACING" } else { "WIDTH" };
            write!(self.out, " + {word} {} {}", r.layer, r.value)?;
            if let Some((least, greatest)) = r.range {
                write!(self.out, " RANGE {least} {greatest}")?;
            }
        }
        self.properties(&e.properties)
    }

    fn wiring(&mut self, w: &Wiring<'_>, plus: &str) -> Result<()> {
        write!(self.out, "\n  {plus}")?;
        match w.kind {
            Some(WiringKind::Fixed) => write!(self.out, "FIXED")?,
            Some(WiringKind::Cover) => write!(self.out, "COVER")?,
            Some(WiringKind::NoShield) => write!(self.out, "NOSHIELD")?,
            Some(WiringKind::Shield(net)) => write!(self.out, "SHIELD {net}")?,
            Some(WiringKind::Routed) | None => write!(self.out, "ROUTED")?,
        }
        write!(self.out, " {}", w.text)
    }

    fn vpin(&mut self, v: &Vpin<'_>) -> Result<()> {
        write!(self.out, "\n  + VPIN {}", v.name)?;
        if let Some(layer) = v.layer {
            write!(self.out, " LAYER {layer}")?;
        }
        self.rect(v.rect)?;
        if v.placement.status.has_position() {
            write!(self.out, " {}", v.placement.status.name())?;
            self.point(v.placement.point)?;
            write!(self.out, " {}", v.placement.orient.name())?;
        }
        Ok(())
    }

    fn subnet(&mut self, s: &Subnet<'_>) -> Result<()> {
        write!(self.out, "\n  + SUBNET {}", s.name)?;
        for (component, pin) in &s.connections {
            write!(self.out, " ( {component} {pin} )")?;
        }
        if let Some(rule) = s.non_default_rule {
            write!(self.out, " NONDEFAULTRULE {rule}")?;
        }
        s.wiring.iter().try_for_each(|w| self.wiring(w, ""))
    }

    fn special_shape(&mut self, s: &SpecialShape<'_>) -> Result<()> {
        write!(self.out, "\n ")?;
        if !s.status.is_empty() {
            write!(self.out, " + {}", s.status)?;
        }
        if let Some(net) = s.shield {
            write!(self.out, " {net}")?;
        }
        if let Some(shape) = s.shape {
            write!(self.out, " + SHAPE {shape}")?;
        }
        if let Some(mask) = s.mask {
            write!(self.out, " + MASK {mask}")?;
        }
        match &s.kind {
            SpecialShapeKind::Rect(r) => {
                write!(self.out, " + RECT {}", s.name)?;
                self.rect(*r)
            }
            SpecialShapeKind::Polygon(p) => {
                write!(self.out, " + POLYGON {}", s.name)?;
                self.points(p)
            }
            SpecialShapeKind::Via(orient, points) => {
                write!(self.out, " + VIA {}", s.name)?;
                if *orient != Orient::N {
                    write!(self.out, " {}", orient.name())?;
                }
                self.points(points)
            }
        }
    }
}
