//! The top level of DEF: the header, sections and their counts.

use super::parse_cells::component;
use super::parse_floorplan as plan;
use super::parse_nets::net;
use super::parse_pins::{pin, pin_property};
use super::*;
use crate::lef::{Extension, Orient, Property, Statement};
use crate::text::{LONGEST_KEYWORD, Offset, Severity, Token};

pub(super) type Result<T> = std::result::Result<T, FormatError>;

/// Tells an unknown clause behind `+` and skips it to the next `+` or `;`.
#[cold]
pub(super) fn unknown_clause(c: &mut Cursor<'_, '_>, token: Token<'_>, place: &str) -> Result<()> {
    c.note(Severity::Warning, "def-unknown-clause", token.at, || {
        format!("`{}` is not known in {place}, skipped to the next `+` or `;`", token.text)
    });
    if !token.is_semicolon() {
        clause_text(c)?;
    }
    Ok(())
}

/// The text up to the next `+` or `;`, which is not taken.
pub(super) fn clause_text<'a>(c: &mut Cursor<'a, '_>) -> Result<&'a str> {
    let mut span: Option<(usize, usize)> = None;
    while !c.peek().is_some_and(|t| t.is("+") || t.is_semicolon()) {
        let token = c.need("`+` or `;`")?;
        span = Some((span.map_or(token.at, |s| s.0), c.end()));
    }
    Ok(span.map_or("", |(start, end)| c.text(start, end)))
}

/// `x` or `y`, or `*` for the last one.
fn coordinate(c: &mut Cursor<'_, '_>, last: Option<i32>) -> Result<i32> {
    let token = c.need("a coordinate")?;
    match last {
        Some(last) if token.is("*") => Ok(last),
        _ => c.dbu_of(token, "a coordinate"),
    }
}

/// `( x y )`.
#[inline]
pub(super) fn point(c: &mut Cursor<'_, '_>) -> Result<Point> {
    point_after(c, None)
}

#[inline]
pub(super) fn point_after(c: &mut Cursor<'_, '_>, last: Option<Point>) -> Result<Point> {
    c.expect("(")?;
    let x = coordinate(c, last.map(|p| p.x))?;
    let y = coordinate(c, last.map(|p| p.y))?;
    c.expect(")")?;
    Ok(Point { x, y })
}

pub(super) fn rect(c: &mut Cursor<'_, '_>) -> Result<Rect> {
    let a = point(c)?;
    let b = point_after(c, Some(a))?;
    Ok(Rect {
        lo: Point { x: a.x.min(b.x), y: a.y.min(b.y) },
        hi: Point { x: a.x.max(b.x), y: a.y.max(b.y) },
    })
}

/// Points for as long as `(` follows, at least `least`.
pub(super) fn points(c: &mut Cursor<'_, '_>, least: usize) -> Result<Vec<Point>> {
    let at = c.at();
    let mut out: Vec<Point> = Vec::new();
    while c.peek().is_some_and(|t| t.is("(")) {
        let point = point_after(c, out.last().copied())?;
        out.push(point);
    }
    if out.len() < least {
        return Err(c.error(
            at,
            format!("{} points follow", out.len()),
            format!("give at least {least}"),
        ));
    }
    Ok(out)
}

#[inline]
pub(super) fn orient(c: &mut Cursor<'_, '_>) -> Result<Orient> {
    let token = c.need("an orientation")?;
    Orient::parse(token.text).filter(|_| !token.quoted()).ok_or_else(|| {
        c.error(
            token.at,
            format!("`{}` is not an orientation", token.text),
            "use N, S, E, W, FN, FS, FE or FW",
        )
    })
}

/// The status of a placement keyword.
pub(super) fn status(word: &str) -> Option<Status> {
    Some(match word {
        "PLACED" => Status::Placed,
        "FIXED" => Status::Fixed,
        "COVER" => Status::Cover,
        "UNPLACED" => Status::Unplaced,
        _ => return None,
    })
}

/// `( x y ) orient` behind a placement keyword; it may be missing behind `UNPLACED`.
#[inline]
pub(super) fn placement(c: &mut Cursor<'_, '_>, status: Status) -> Result<Placement> {
    if status == Status::Unplaced && !c.peek().is_some_and(|t| t.is("(")) {
        return Ok(Placement { status, ..Placement::default() });
    }
    Ok(Placement { point: point(c)?, status, orient: orient(c)? })
}

/// `PROPERTY name value …` behind the keyword, up to `+` or `;`.
pub(super) fn properties<'a>(c: &mut Cursor<'a, '_>, out: &mut Vec<Property<'a>>) -> Result<()> {
    crate::lef::properties(c, out)
}

fn unknown_statement(c: &mut Cursor<'_, '_>, token: Token<'_>) -> Result<()> {
    c.note(Severity::Warning, "def-unknown-statement", token.at, || {
        format!("`{}` is not known, skipped to its `;`", token.text)
    });
    if token.is_semicolon() {
        return Ok(());
    }
    c.rest(token.at)?;
    // An unknown section: its items follow, then its END.
    if c.peek().is_some_and(|t| t.is("-")) {
        while !c.need("END")?.is_keyword("END") {}
        c.eat(token.text);
    }
    Ok(())
}

fn statement<'a>(c: &mut Cursor<'a, '_>, token: Token<'a>) -> Result<Statement<'a>> {
    let text = c.rest(token.at)?;
    Ok(Statement { at: Offset::new(token.at), keyword: token.text, text })
}

/// Keeps a section of an old version as text up to its `END`.
fn old_section<'a>(c: &mut Cursor<'a, '_>, token: Token<'a>) -> Result<Statement<'a>> {
    c.note(Severity::Info, "def-kept-as-text", token.at, || {
        format!("section {} of an old version is kept as text", token.text)
    });
    loop {
        if c.need("END")?.is_keyword("END") && c.eat(token.text) {
            let text = c.text(token.at, c.end());
            return Ok(Statement { at: Offset::new(token.at), keyword: token.text, text });
        }
    }
}

/// A section behind its keyword: head, items, `END`. The count of the head must be that of the items.
fn section<'a>(
    c: &mut Cursor<'a, '_>,
    file: &mut DefFile<'a>,
    kind: SectionKind,
    item: fn(&mut Cursor<'a, '_>, &mut DefFile<'a>) -> Result<()>,
) -> Result<()> {
    let start = c.at();
    let declared = c.u32("the number of items")?;
    c.semicolon()?;
    let body = c.end();
    file.reserve(kind, declared);
    let mut found = 0u32;
    loop {
        let token = c.need("`-` or END")?;
        if token.is("-") {
            item(c, file)?;
            found = found.saturating_add(1);
        } else if token.is_keyword("END") {
            let end = Offset::new(token.at);
            c.expect(kind.name())?;
            file.sections.push(Section {
                kind,
                declared,
                start: Offset::new(start),
                body: Offset::new(body),
                end,
                after: Offset::new(c.end()),
            });
            if found != declared {
                c.note(Severity::Warning, "def-count", start, || {
                    format!("{} declares {declared} items and holds {found}", kind.name())
                });
            }
            return Ok(());
        } else {
            return Err(c.error(
                token.at,
                format!("`{}` stands where an item of {} should begin", token.text, kind.name()),
                "begin items with `-` and end the section with END",
            ));
        }
    }
}

fn name<'a>(c: &mut Cursor<'a, '_>, what: &str) -> Result<&'a str> {
    let name = c.word(what)?;
    c.semicolon()?;
    Ok(name)
}

fn units(c: &mut Cursor<'_, '_>) -> Result<u32> {
    c.expect("DISTANCE")?;
    c.expect("MICRONS")?;
    let value = c.u32("database units per micron")?;
    if value == 0 {
        return Err(c.error(c.at(), "0 database units per micron", "give a positive number"));
    }
    c.semicolon()?;
    Ok(value)
}

fn die_area(c: &mut Cursor<'_, '_>, file: &mut DefFile<'_>) -> Result<()> {
    let at = c.at();
    file.die_area = points(c, 2)?;
    c.semicolon()?;
    if let [a, b] = file.die_area.as_mut_slice() {
        let (lo, hi) = (
            Point { x: a.x.min(b.x), y: a.y.min(b.y) },
            Point { x: a.x.max(b.x), y: a.y.max(b.y) },
        );
        (*a, *b) = (lo, hi);
        if lo.x == hi.x || lo.y == hi.y {
            c.note(Severity::Warning, "def-empty-die", at, || "the die has no area".into());
        }
    }
    Ok(())
}

fn header<'a>(
    c: &mut Cursor<'a, '_>,
    word: &str,
    token: Token<'a>,
    file: &mut DefFile<'a>,
) -> Result<bool> {
    let head = &mut file.header;
    match word {
        "VERSION" => head.version = Some(name(c, "a version")?),
        "DIVIDERCHAR" => head.divider_char = Some(name(c, "a character")?),
        "BUSBITCHARS" => head.bus_bit_chars = Some(name(c, "two characters")?),
        "NAMESCASESENSITIVE" => {
            head.names_case_sensitive = Some(
                c.eat("ON") || {
                    c.expect("OFF")?;
                    false
                },
            );
            c.semicolon()?;
        }
        "DESIGN" => head.design = Some(name(c, "the design's name")?),
        "TECHNOLOGY" | "TECH" => head.technology = Some(name(c, "the technology's name")?),
        "UNITS" => head.dbu_per_micron = Some(units(c)?),
        "HISTORY" => head.history.push(c.free_text()?),
        "PROPERTYDEFINITIONS" => {
            crate::lef::property_definitions(c, &mut file.property_definitions)?;
        }
        "DIEAREA" => die_area(c, file)?,
        "ROW" => file.rows.push(plan::row(c)?),
        "TRACKS" => file.tracks.push(plan::track(c)?),
        "GCELLGRID" => file.gcell_grids.push(plan::gcell_grid(c)?),
        "COMPONENTMASKSHIFT" => {
            while !c.eat(";") {
                file.component_mask_shift.push(c.word("a layer")?);
            }
        }
        "BEGINEXT" => {
            let extension: Extension<'a> = crate::lef::extension(c)?;
            file.extensions.push(extension);
        }
        "ARRAY" | "FLOORPLAN" | "CANPLACE" | "CANNOTOCCUPY" | "DEFAULTCAP" => {
            file.statements.push(statement(c, token)?);
        }
        "CONSTRAINTS" | "ASSERTIONS" | "IOTIMINGS" | "TIMINGDISABLES" | "PARTITIONS" => {
            file.statements.push(old_section(c, token)?);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

pub(super) fn design<'a>(c: &mut Cursor<'a, '_>) -> Result<DefFile<'a>> {
    let mut file = DefFile { text: c.source_text(), ..DefFile::default() };
    let mut ended = false;
    while let Some(token) = c.next() {
        let mut buffer = [0; LONGEST_KEYWORD];
        let word =
            if token.quoted() { "\"" } else { crate::text::keyword(token.text, &mut buffer) };
        if header(c, word, token, &mut file)? {
            continue;
        }
        let f = &mut file;
        match word {
            "VIAS" => section(c, f, SectionKind::Vias, plan::via)?,
            "STYLES" => section(c, f, SectionKind::Styles, plan::style)?,
            "NONDEFAULTRULES" => {
                section(c, f, SectionKind::NonDefaultRules, plan::non_default_rule)?;
            }
            "REGIONS" => section(c, f, SectionKind::Regions, plan::region)?,
            "COMPONENTS" => section(c, f, SectionKind::Components, component)?,
            "PINS" => section(c, f, SectionKind::Pins, pin)?,
            "PINPROPERTIES" => section(c, f, SectionKind::PinProperties, pin_property)?,
            "BLOCKAGES" => section(c, f, SectionKind::Blockages, plan::blockage)?,
            "SLOTS" => section(c, f, SectionKind::Slots, plan::slot)?,
            "FILLS" => section(c, f, SectionKind::Fills, plan::fill)?,
            "SPECIALNETS" => section(c, f, SectionKind::SpecialNets, |c, f| {
                let item = net(c, f, true)?;
                f.special_nets.push(item);
                Ok(())
            })?,
            "NETS" => section(c, f, SectionKind::Nets, |c, f| {
                let item = net(c, f, false)?;
                f.nets.push(item);
                Ok(())
            })?,
            "SCANCHAINS" => section(c, f, SectionKind::ScanChains, plan::scan_chain)?,
            "GROUPS" => section(c, f, SectionKind::Groups, plan::group)?,
            "END" if c.eat("DESIGN") => {
                file.end_design = Offset::new(token.at);
                ended = true;
                if let Some(next) = c.peek() {
                    c.note(Severity::Warning, "def-after-end-design", next.at, || {
                        "what stands behind END DESIGN is not read".into()
                    });
                }
                break;
            }
            "END" => {
                let name = c.next().map_or("", |t| t.text);
                c.note(Severity::Warning, "def-unknown-statement", token.at, || {
                    format!("`END {name}` ends nothing that is known")
                });
            }
            _ => unknown_statement(c, token)?,
        }
    }
    if !ended {
        let at = c.end();
        file.end_design = Offset::new(at);
        c.note(Severity::Warning, "def-no-end-design", at, || {
            "END DESIGN is missing, the file may be cut short".into()
        });
    }
    if file.header.design.is_none() {
        c.note(Severity::Warning, "def-no-design", 0, || "DESIGN is missing".into());
    }
    if file.header.dbu_per_micron.is_none() {
        c.note(Severity::Warning, "def-no-units", 0, || {
            "UNITS is missing, 100 database units per micron are taken".into()
        });
    }
    Ok(file)
}
