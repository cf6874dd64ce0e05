//! Writing rows, tracks, vias, rules, regions, blockages, fills, scan chains and groups.

use super::ast::SectionKind;
use super::floorplan::*;
use super::write::Writer;
use std::io::{Result, Write};

impl Axis {
    fn name(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::Y => "Y",
        }
    }
}

impl<W: Write> Writer<W> {
    /// Writes `ROW`.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn row(&mut self, r: &Row<'_>) -> Result<()> {
        let orient = r.orient.name();
        write!(self.out, "ROW {} {} {} {} {orient}", r.name, r.site, r.point.x, r.point.y)?;
        if r.count != (1, 1) || r.step.is_some() {
            write!(self.out, " DO {} BY {}", r.count.0, r.count.1)?;
        }
        if let Some((dx, dy)) = r.step {
            write!(self.out, " STEP {dx} {dy}")?;
        }
        self.properties(&r.properties)?;
        writeln!(self.out, " ;")
    }

    /// Writes `TRACKS`.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn track(&mut self, t: &Track<'_>) -> Result<()> {
        let axis = t.axis.name();
        write!(self.out, "TRACKS {axis} {} DO {} STEP {}", t.start, t.count, t.step)?;
        if let Some(mask) = t.mask {
            write!(self.out, " MASK {mask}{}", if t.same_mask { " SAMEMASK" } else { "" })?;
        }
        if !t.layers.is_empty() {
            write!(self.out, " LAYER {}", t.layers.join(" "))?;
        }
        writeln!(self.out, " ;")
    }

    /// Writes `GCELLGRID`.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn gcell_grid(&mut self, g: &GcellGrid) -> Result<()> {
        let axis = g.axis.name();
        writeln!(self.out, "GCELLGRID {axis} {} DO {} STEP {} ;", g.start, g.count, g.step)
    }

    fn shape(&mut self, shape: &Shape) -> Result<()> {
        match shape {
            Shape::Rect(r) => self.rect(*r),
            Shape::Polygon(p) => self.points(p),
        }
    }

    fn shapes(&mut self, shapes: &[Shape]) -> Result<()> {
        for shape in shapes {
            let polygon = matches!(shape, Shape::Polygon(_));
            write!(self.out, " {}", if polygon { "POLYGON" } else { "RECT" })?;
            self.shape(shape)?;
        }
        writeln!(self.out, " ;")
    }

    /// Writes one of `VIAS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn via(&mut self, v: &Via<'_>) -> Result<()> {
        self.item(&[SectionKind::Vias])?;
        write!(self.out, "- {}", v.name)?;
        if let Some(name) = v.pattern_name {
            write!(self.out, " + PATTERNNAME {name}")?;
        }
        if let Some(r) = &v.rule {
            let [bottom, cut, top] = r.layers;
            let (size, space, e) = (r.cut_size, r.cut_spacing, r.enclosure);
            write!(self.out, " + VIARULE {} + CUTSIZE {} {}", r.rule, size.0, size.1)?;
            write!(self.out, " + LAYERS {bottom} {cut} {top}")?;
            write!(self.out, " + CUTSPACING {} {}", space.0, space.1)?;
            write!(self.out, " + ENCLOSURE {} {} {} {}", e[0], e[1], e[2], e[3])?;
            if let Some((rows, columns)) = r.rowcol {
                write!(self.out, " + ROWCOL {rows} {columns}")?;
            }
            if let Some((x, y)) = r.origin {
                write!(self.out, " + ORIGIN {x} {y}")?;
            }
            if let Some([a, b, c, d]) = r.offset {
                write!(self.out, " + OFFSET {a} {b} {c} {d}")?;
            }
            if let Some(pattern) = r.pattern {
                write!(self.out, " + PATTERN {pattern}")?;
            }
        }
        for s in &v.shapes {
            let polygon = matches!(s.shape, Shape::Polygon(_));
            let word = if polygon { "POLYGON" } else { "RECT" };
            write!(self.out, "\n  + {word} {}", s.layer)?;
            if let Some(mask) = s.mask {
                write!(self.out, " + MASK {mask}")?;
            }
            self.shape(&s.shape)?;
        }
        writeln!(self.out, " ;")
    }

    /// Writes one of `STYLES`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn style(&mut self, s: &Style) -> Result<()> {
        self.item(&[SectionKind::Styles])?;
        write!(self.out, "- STYLE {}", s.number)?;
        self.points(&s.points)?;
        writeln!(self.out, " ;")
    }

    /// Writes one of `NONDEFAULTRULES`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn non_default_rule(&mut self, r: &NonDefaultRule<'_>) -> Result<()> {
        self.item(&[SectionKind::NonDefaultRules])?;
        write!(self.out, "- {}", r.name)?;
        if r.hard_spacing {
            write!(self.out, " + HARDSPACING")?;
        }
        for l in &r.layers {
            write!(self.out, "\n  + LAYER {} WIDTH {}", l.layer, l.width)?;
            let parts = [
                ("DIAGWIDTH", l.diag_width),
                ("SPACING", l.spacing),
                ("WIREEXT", l.wire_extension),
            ];
            for (word, value) in parts {
                if let Some(value) = value {
                    write!(self.out, " {word} {value}")?;
                }
            }
        }
        for via in &r.vias {
            write!(self.out, "\n  + VIA {via}")?;
        }
        for rule in &r.via_rules {
            write!(self.out, "\n  + VIARULE {rule}")?;
        }
        for (layer, cuts) in &r.min_cuts {
            write!(self.out, "\n  + MINCUTS {layer} {cuts}")?;
        }
        self.properties(&r.properties)?;
        writeln!(self.out, " ;")
    }

    /// Writes one of `REGIONS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn region(&mut self, r: &Region<'_>) -> Result<()> {
        self.item(&[SectionKind::Regions])?;
        write!(self.out, "- {}", r.name)?;
        r.rects.iter().try_for_each(|x| self.rect(*x))?;
        if let Some(kind) = r.kind {
            write!(self.out, " + TYPE {kind}")?;
        }
        self.properties(&r.properties)?;
        writeln!(self.out, " ;")
    }

    /// Writes one of `BLOCKAGES`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn blockage(&mut self, b: &Blockage<'_>) -> Result<()> {
        self.item(&[SectionKind::Blockages])?;
        match &b.kind {
            BlockageKind::Layer {
                layer,
                slots,
                fills,
                except_pg_net,
                spacing,
                design_rule_width,
                mask,
            } => {
                write!(self.out, "- LAYER {layer}")?;
                let flags = [("SLOTS", slots), ("FILLS", fills), ("EXCEPTPGNET", except_pg_net)];
                for (word, _) in flags.iter().filter(|f| *f.1) {
                    write!(self.out, " + {word}")?;
                }
                if let Some(v) = spacing {
                    write!(self.out, " + SPACING {v}")?;
                }
                if let Some(v) = design_rule_width {
                    write!(self.out, " + DESIGNRULEWIDTH {v}")?;
                }
                if let Some(v) = mask {
                    write!(self.out, " + MASK {v}")?;
                }
            }
            BlockageKind::Placement { soft, partial } => {
                write!(self.out, "- PLACEMENT")?;
                if *soft {
                    write!(self.out, " + SOFT")?;
                }
                if let Some(density) = partial {
                    write!(self.out, " + PARTIAL {density}")?;
                }
            }
        }
        if b.pushdown {
            write!(self.out, " + PUSHDOWN")?;
        }
        if let Some(component) = b.component {
            write!(self.out, " + COMPONENT {component}")?;
        }
        self.shapes(&b.shapes)
    }

    /// Writes one of `SLOTS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn slot(&mut self, s: &Slot<'_>) -> Result<()> {
        self.item(&[SectionKind::Slots])?;
        write!(self.out, "- LAYER {}", s.layer)?;
        self.shapes(&s.shapes)
    }

    /// Writes one of `FILLS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn fill(&mut self, f: &Fill<'_>) -> Result<()> {
        self.item(&[SectionKind::Fills])?;
        match &f.kind {
            FillKind::Layer(name, _) => write!(self.out, "- LAYER {name}")?,
            FillKind::Via(name, _) => write!(self.out, "- VIA {name}")?,
        }
        if let Some(mask) = f.mask {
            write!(self.out, " + MASK {mask}")?;
        }
        if f.opc {
            write!(self.out, " + OPC")?;
        }
        match &f.kind {
            FillKind::Layer(_, shapes) => self.shapes(shapes),
            FillKind::Via(_, points) => {
                self.points(points)?;
                writeln!(self.out, " ;")
            }
        }
    }

    /// Writes one of `SCANCHAINS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn scan_chain(&mut self, s: &ScanChain<'_>) -> Result<()> {
        self.item(&[SectionKind::ScanChains])?;
        write!(self.out, "- {}", s.name)?;
        for clause in &s.clauses {
            write!(self.out, "\n  + {} {}", clause.keyword, clause.words.join(" "))?;
        }
        writeln!(self.out, " ;")
    }

    /// Writes one of `GROUPS`.
    ///
    /// # Errors
    /// As [`Writer::new`]; the section is not open.
    pub fn group(&mut self, g: &Group<'_>) -> Result<()> {
        self.item(&[SectionKind::Groups])?;
        write!(self.out, "- {} {}", g.name, g.members.join(" "))?;
        if let Some(soft) = g.soft {
            write!(self.out, " + SOFT {soft}")?;
        }
        self.properties(&g.properties)?;
        if let Some(region) = g.region {
            write!(self.out, " + REGION {region}")?;
        }
        if let Some(area) = g.region_area {
            write!(self.out, " + REGION")?;
            self.rect(area)?;
        }
        writeln!(self.out, " ;")
    }
}
