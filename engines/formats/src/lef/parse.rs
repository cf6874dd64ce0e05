//! The library level of LEF: units, properties, sites and what calls the other parsers.

use super::parse_cell::macro_;
use super::parse_layer::layer;
use super::parse_via::{non_default_rule, via, via_rule};
use super::*;
use crate::text::{LONGEST_KEYWORD, Offset, Severity, Token, parse_f64};

type Result<T> = std::result::Result<T, FormatError>;

/// Words that may follow a bare `END`, so that it is not mistaken for a block's name.
const LIBRARY_WORDS: [&str; 20] = [
    "VERSION",
    "LAYER",
    "VIA",
    "VIARULE",
    "NONDEFAULTRULE",
    "SITE",
    "MACRO",
    "SPACING",
    "UNITS",
    "PROPERTYDEFINITIONS",
    "BEGINEXT",
    "ARRAY",
    "END",
    "MAXVIASTACK",
    "IRDROP",
    "NOISETABLE",
    "MANUFACTURINGGRID",
    "USEMINSPACING",
    "CLEARANCEMEASURE",
    "PIN",
];

pub(super) fn offset(at: usize) -> Offset {
    Offset::new(at)
}

/// Behind `END`: takes the block's name. A missing or different name is told.
pub(super) fn end_of(c: &mut Cursor<'_, '_>, name: &str) {
    match c.peek() {
        Some(t) if t.text == name => {
            c.next();
        }
        Some(t) if !LIBRARY_WORDS.iter().any(|w| t.is_keyword(w)) && !t.is_semicolon() => {
            c.next();
            c.note(Severity::Warning, "lef-end-name", t.at, || {
                format!("`END {}` ends `{name}`", t.text)
            });
        }
        _ => {
            let at = c.at();
            c.note(Severity::Info, "lef-end-name", at, || format!("`END` without `{name}`"));
        }
    }
}

/// Tells an unknown statement and skips it to its `;`.
pub(super) fn unknown(c: &mut Cursor<'_, '_>, token: Token<'_>, place: &str) -> Result<()> {
    c.note(Severity::Warning, "lef-unknown-statement", token.at, || {
        format!("`{}` is not known in {place}, skipped to its `;`", token.text)
    });
    if token.is_semicolon() {
        return Ok(());
    }
    c.rest(token.at).map(drop)
}

pub(super) fn statement<'a>(c: &mut Cursor<'a, '_>, token: Token<'a>) -> Result<Statement<'a>> {
    let text = c.rest(token.at)?;
    Ok(Statement { at: offset(token.at), keyword: token.text, text })
}

/// Keeps a block as text up to `END word`, or up to a bare `END` if `word` is empty.
pub(super) fn block<'a>(c: &mut Cursor<'a, '_>, token: Token<'a>, word: &str) -> Result<Block<'a>> {
    loop {
        if c.need("END")?.is_keyword("END") && (word.is_empty() || c.eat(word)) {
            let text = c.text(token.at, c.end());
            return Ok(Block { at: offset(token.at), keyword: token.text, text });
        }
    }
}

pub(super) fn point(c: &mut Cursor<'_, '_>) -> Result<Point> {
    let paren = c.eat("(");
    let point = Point { x: c.f64("an x coordinate")?, y: c.f64("a y coordinate")? };
    if paren {
        c.expect(")")?;
    }
    Ok(point)
}

pub(super) fn rect(c: &mut Cursor<'_, '_>) -> Result<Rect> {
    let (a, b) = (point(c)?, point(c)?);
    Ok(Rect { x1: a.x.min(b.x), y1: a.y.min(b.y), x2: a.x.max(b.x), y2: a.y.max(b.y) })
}

/// `DO nx BY ny STEP dx dy`.
pub(super) fn iterate(c: &mut Cursor<'_, '_>) -> Result<Iterate> {
    c.expect("DO")?;
    let nx = c.u32("a count along x")?;
    c.expect("BY")?;
    let ny = c.u32("a count along y")?;
    c.expect("STEP")?;
    Ok(Iterate { nx, ny, dx: c.f64("a step along x")?, dy: c.f64("a step along y")? })
}

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

pub(super) fn value<'a>(c: &mut Cursor<'a, '_>, what: &str) -> Result<f64> {
    let v = c.f64(what)?;
    c.semicolon()?;
    Ok(v)
}

pub(super) fn name_statement<'a>(c: &mut Cursor<'a, '_>, what: &str) -> Result<&'a str> {
    let v = c.word(what)?;
    c.semicolon()?;
    Ok(v)
}

fn property_value<'a>(c: &mut Cursor<'a, '_>) -> Result<PropertyValue<'a>> {
    let token = c.need("a property's value")?;
    if token.is_semicolon() {
        return Err(c.error(token.at, "the property has no value", "give it a value"));
    }
    Ok(match parse_f64(token.text) {
        Some(v) if !token.quoted() => PropertyValue::Number(v),
        _ => PropertyValue::Text(token.text),
    })
}

/// `PROPERTY name value …` behind the keyword; ends before `;`, `+` or the file's end.
pub(crate) fn properties<'a>(c: &mut Cursor<'a, '_>, out: &mut Vec<Property<'a>>) -> Result<()> {
    while c.peek().is_some_and(|t| t.quoted() || !matches!(t.text, ";" | "+")) {
        let name = c.word("a property's name")?;
        let at = offset(c.at());
        out.push(Property { at, name, value: property_value(c)? });
    }
    Ok(())
}

/// `PROPERTYDEFINITIONS` behind the keyword, up to and with its `END`. Shared with DEF.
pub(crate) fn property_definitions<'a>(
    c: &mut Cursor<'a, '_>,
    out: &mut Vec<PropertyDefinition<'a>>,
) -> Result<()> {
    while !c.eat("END") {
        let object = c.word("an object of a property")?;
        let at = offset(c.at());
        let name = c.word("a property's name")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (kind, token) = c.keyword("a property's type", &mut buffer)?;
        let kind = match kind {
            "INTEGER" => PropertyKind::Integer,
            "REAL" => PropertyKind::Real,
            "STRING" => PropertyKind::String,
            "NAMEMAPSTRING" => PropertyKind::NameMapString,
            _ => {
                return Err(c.error(
                    token.at,
                    format!("`{}` is not a property type", token.text),
                    "use INTEGER, REAL or STRING",
                ));
            }
        };
        let range = if c.eat("RANGE") {
            Some((c.f64("the least value")?, c.f64("the greatest value")?))
        } else {
            None
        };
        let value = if c.eat(";") {
            None
        } else {
            let v = property_value(c)?;
            c.semicolon()?;
            Some(v)
        };
        out.push(PropertyDefinition { at, object, name, kind, range, value });
    }
    c.expect("PROPERTYDEFINITIONS")
}

fn units(c: &mut Cursor<'_, '_>, out: &mut Units) -> Result<()> {
    while !c.eat("END") {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (quantity, token) = c.keyword("a unit", &mut buffer)?;
        let slot = match quantity {
            "DATABASE" => &mut out.database,
            "TIME" => &mut out.time,
            "CAPACITANCE" => &mut out.capacitance,
            "RESISTANCE" => &mut out.resistance,
            "POWER" => &mut out.power,
            "CURRENT" => &mut out.current,
            "VOLTAGE" => &mut out.voltage,
            "FREQUENCY" => &mut out.frequency,
            _ => {
                unknown(c, token, "UNITS")?;
                continue;
            }
        };
        c.word("a unit's name")?;
        let at = c.at();
        let factor = value(c, "a factor")?;
        if factor <= 0.0 {
            return Err(c.error(at, format!("a unit of {factor}"), "give a positive factor"));
        }
        *slot = Some(factor);
    }
    c.expect("UNITS")
}

pub(super) fn symmetry(c: &mut Cursor<'_, '_>) -> Result<Symmetry> {
    let mut out = Symmetry::default();
    while !c.eat(";") {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a symmetry", &mut buffer)?;
        match word {
            "X" => out.x = true,
            "Y" => out.y = true,
            "R90" => out.r90 = true,
            _ => {
                return Err(c.error(
                    token.at,
                    format!("`{}` is not a symmetry", token.text),
                    "use X, Y or R90",
                ));
            }
        }
    }
    Ok(out)
}

pub(super) fn size(c: &mut Cursor<'_, '_>) -> Result<(f64, f64)> {
    let w = c.f64("a width")?;
    let at = c.at();
    c.expect("BY")?;
    let h = value(c, "a height")?;
    if w < 0.0 || h < 0.0 {
        return Err(c.error(at, "the size is negative", "give a positive width and height"));
    }
    Ok((w, h))
}

fn site<'a>(c: &mut Cursor<'a, '_>) -> Result<Site<'a>> {
    let name = c.word("a site's name")?;
    let mut out = Site { at: offset(c.at()), name, ..Site::default() };
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the site", &mut buffer)?;
        match word {
            "CLASS" => out.class = Some(name_statement(c, "a class")?),
            "SYMMETRY" => out.symmetry = symmetry(c)?,
            "SIZE" => out.size = Some(size(c)?),
            "ROWPATTERN" => {
                while !c.eat(";") {
                    let site = c.word("a site's name")?;
                    out.row_pattern.push((site, orient(c)?));
                }
            }
            "END" => break,
            _ => unknown(c, token, "SITE")?,
        }
    }
    end_of(c, name);
    Ok(out)
}

/// `SPACING` behind the keyword, up to and with `END SPACING`.
pub(super) fn same_net<'a>(
    c: &mut Cursor<'a, '_>,
    out: &mut Vec<SameNetSpacing<'a>>,
) -> Result<()> {
    while !c.eat("END") {
        c.expect("SAMENET")?;
        let at = offset(c.at());
        let (layer1, layer2) = (c.word("a layer")?, c.word("a layer")?);
        let spacing = c.f64("a spacing")?;
        let stack = c.eat("STACK");
        c.semicolon()?;
        out.push(SameNetSpacing { at, layer1, layer2, spacing, stack });
    }
    c.expect("SPACING")
}

/// `BEGINEXT` behind the keyword, up to and with `ENDEXT`. Shared with DEF.
pub(crate) fn extension<'a>(c: &mut Cursor<'a, '_>) -> Result<Extension<'a>> {
    let at = offset(c.at());
    let tag = c.word("the extension's tag")?;
    let start = c.end();
    loop {
        let token = c.need("ENDEXT")?;
        if token.is_keyword("ENDEXT") {
            return Ok(Extension { at, tag, text: c.text(start, token.at) });
        }
    }
}

pub(super) fn library<'a>(c: &mut Cursor<'a, '_>) -> Result<LefFile<'a>> {
    let mut out = LefFile::default();
    while let Some(token) = c.next() {
        let mut buffer = [0; LONGEST_KEYWORD];
        let word =
            if token.quoted() { "\"" } else { crate::text::keyword(token.text, &mut buffer) };
        match word {
            "VERSION" => out.version = Some(name_statement(c, "a version")?),
            "BUSBITCHARS" => out.bus_bit_chars = Some(name_statement(c, "two characters")?),
            "DIVIDERCHAR" => out.divider_char = Some(name_statement(c, "a character")?),
            "NAMESCASESENSITIVE" => {
                out.names_case_sensitive = Some(
                    c.eat("ON") || {
                        c.expect("OFF")?;
                        false
                    },
                );
                c.semicolon()?;
            }
            "FIXEDMASK" => {
                c.semicolon()?;
                out.fixed_mask = true;
            }
            "MANUFACTURINGGRID" => {
                out.manufacturing_grid = Some(value(c, "the manufacturing grid")?);
            }
            "UNITS" => units(c, &mut out.units)?,
            "PROPERTYDEFINITIONS" => property_definitions(c, &mut out.property_definitions)?,
            "LAYER" => out.layers.push(layer(c)?),
            "MAXVIASTACK" => {
                let at = offset(token.at);
                let value = c.u32("a number of vias")?;
                let range = if c.eat("RANGE") {
                    Some((c.word("a layer")?, c.word("a layer")?))
                } else {
                    None
                };
                c.semicolon()?;
                out.max_via_stack = Some(MaxViaStack { at, value, range });
            }
            "VIA" => out.vias.push(via(c)?),
            "VIARULE" => out.via_rules.push(via_rule(c)?),
            "NONDEFAULTRULE" => out.non_default_rules.push(non_default_rule(c)?),
            "SPACING" => same_net(c, &mut out.same_net_spacings)?,
            "SITE" => out.sites.push(site(c)?),
            "MACRO" => out.macros.push(macro_(c)?),
            "BEGINEXT" => out.extensions.push(extension(c)?),
            "ARRAY" => {
                let name = c.word("an array's name")?;
                out.blocks.push(block(c, token, name)?);
            }
            "IRDROP" | "NOISETABLE" | "CORRECTIONTABLE" => out.blocks.push(block(c, token, word)?),
            "USEMINSPACING"
            | "CLEARANCEMEASURE"
            | "NOWIREEXTENSIONATPIN"
            | "MINFEATURE"
            | "DIELECTRIC"
            | "UNIVERSALNOISEMARGIN"
            | "EDGERATETHRESHOLD1"
            | "EDGERATETHRESHOLD2"
            | "EDGERATESCALEFACTOR"
            | "INPUTPINANTENNASIZE"
            | "OUTPUTPINANTENNASIZE"
            | "INOUTPINANTENNASIZE"
            | "ANTENNAINPUTGATEAREA"
            | "ANTENNAINOUTDIFFAREA"
            | "ANTENNAOUTPUTDIFFAREA" => {
                out.statements.push(statement(c, token)?);
            }
            "&ALIAS" => {
                c.note(Severity::Warning, "lef-alias", token.at, || {
                    "&ALIAS is skipped, aliases are not expanded".into()
                });
                while !c.need("&ENDALIAS")?.is_keyword("&ENDALIAS") {}
            }
            "&DEFINE" | "&DEFINES" | "&DEFINEB" => {
                c.note(Severity::Warning, "lef-alias", token.at, || {
                    format!("{} is skipped, definitions are not expanded", token.text)
                });
                c.rest(token.at)?;
            }
            "END" if c.eat("LIBRARY") => {
                out.ended = true;
                // More than one library in one file is common after `cat`.
                if let Some(next) = c.peek() {
                    c.note(Severity::Info, "lef-after-end-library", next.at, || {
                        "reading goes on behind END LIBRARY".into()
                    });
                }
            }
            "END" => {
                // The end of a block that was not known.
                let name = c.next().map_or("", |t| t.text);
                c.note(Severity::Warning, "lef-unknown-statement", token.at, || {
                    format!("`END {name}` ends nothing that is known")
                });
            }
            _ => unknown(c, token, "the library")?,
        }
    }
    if !out.ended {
        let at = c.end();
        c.note(Severity::Info, "lef-no-end-library", at, || "END LIBRARY is missing".into());
    }
    duplicates(c, &out);
    Ok(out)
}

/// Tells names that a list holds twice.
fn duplicates(c: &mut Cursor<'_, '_>, file: &LefFile<'_>) {
    let mut check = |kind: &str, mut names: Vec<(&str, Offset)>| {
        names.sort_unstable_by_key(|(name, at)| (*name, at.get()));
        for pair in names.windows(2) {
            if let [(first, _), (second, at)] = pair
                && first == second
            {
                c.note(Severity::Warning, "lef-duplicate-name", at.get(), || {
                    format!("{kind} `{first}` is defined more than once")
                });
            }
        }
    };
    check("layer", file.layers.iter().map(|x| (x.name, x.at)).collect());
    check("via", file.vias.iter().map(|x| (x.name, x.at)).collect());
    check("site", file.sites.iter().map(|x| (x.name, x.at)).collect());
    check("macro", file.macros.iter().map(|x| (x.name, x.at)).collect());
    for cell in &file.macros {
        check("pin", cell.pins.iter().map(|x| (x.name, x.at)).collect());
    }
}
