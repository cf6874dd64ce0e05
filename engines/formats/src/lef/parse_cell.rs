//! Macros and pins.

use super::parse::*;
use super::parse_geometry::geometry;
use super::*;
use crate::text::{LONGEST_KEYWORD, parse_u32};

type Result<T> = std::result::Result<T, FormatError>;

/// `FOREIGN name [STRUCTURE] [pt [orient]] ;` behind the keyword.
pub(super) fn foreign<'a>(c: &mut Cursor<'a, '_>) -> Result<Foreign<'a>> {
    let name = c.word("a foreign cell's name")?;
    let at = offset(c.at());
    c.eat("STRUCTURE");
    let (mut at_point, mut turned) = (None, None);
    if c.peek().is_some_and(|t| !t.is_semicolon()) {
        at_point = Some(point(c)?);
        if c.peek().is_some_and(|t| !t.is_semicolon()) {
            turned = Some(orient(c)?);
        }
    }
    c.semicolon()?;
    Ok(Foreign { at, name, point: at_point, orient: turned })
}

/// `ANTENNAMODEL OXIDEn ;` behind the keyword.
pub(super) fn oxide(c: &mut Cursor<'_, '_>) -> Result<u32> {
    let token = c.need("an oxide model")?;
    let number = token
        .text
        .get(..5)
        .filter(|w| w.eq_ignore_ascii_case("OXIDE"))
        .and_then(|_| parse_u32(token.text.get(5..).unwrap_or("")))
        .filter(|n| (1..=32).contains(n));
    let number = number.ok_or_else(|| {
        c.error(
            token.at,
            format!("`{}` is not an oxide model", token.text),
            "use OXIDE1 to OXIDE32",
        )
    })?;
    c.semicolon()?;
    Ok(number)
}

fn macro_site<'a>(c: &mut Cursor<'a, '_>) -> Result<MacroSite<'a>> {
    let site = c.word("a site's name")?;
    let mut out = MacroSite { at: offset(c.at()), site, pattern: None, iterate: None };
    if !c.eat(";") {
        out.pattern = Some((point(c)?, orient(c)?));
        if c.peek().is_some_and(|t| t.is_keyword("DO")) {
            out.iterate = Some(iterate(c)?);
        }
        c.semicolon()?;
    }
    Ok(out)
}

fn densities<'a>(c: &mut Cursor<'a, '_>, out: &mut Vec<Density<'a>>) -> Result<()> {
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a density or END", &mut buffer)?;
        match word {
            "END" => return Ok(()),
            "LAYER" => {
                let layer = name_statement(c, "a layer")?;
                out.push(Density { layer, areas: Vec::new() });
            }
            "RECT" => {
                let area = (rect(c)?, value(c, "a density")?);
                match out.last_mut() {
                    Some(layer) => layer.areas.push(area),
                    None => {
                        return Err(c.error(
                            token.at,
                            "RECT without a LAYER before it",
                            "put a LAYER statement first",
                        ));
                    }
                }
            }
            _ => unknown(c, token, "DENSITY")?,
        }
    }
}

fn direction(c: &mut Cursor<'_, '_>) -> Result<PinDirection> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a direction", &mut buffer)?;
    let out = match word {
        "INPUT" => PinDirection::Input,
        "OUTPUT" if c.eat("TRISTATE") => PinDirection::OutputTristate,
        "OUTPUT" => PinDirection::Output,
        "INOUT" => PinDirection::Inout,
        "FEEDTHRU" => PinDirection::Feedthru,
        _ => {
            return Err(c.error(
                token.at,
                format!("`{}` is not a direction", token.text),
                "use INPUT, OUTPUT, INOUT or FEEDTHRU",
            ));
        }
    };
    c.semicolon()?;
    Ok(out)
}

fn pin<'a>(c: &mut Cursor<'a, '_>) -> Result<Pin<'a>> {
    let name = c.word("a pin's name")?;
    let mut out = Pin { at: offset(c.at()), name, ..Pin::default() };
    let mut oxide_model = 1;
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the pin", &mut buffer)?;
        match word {
            "DIRECTION" => out.direction = Some(direction(c)?),
            "USE" => {
                let word = c.word("a use")?;
                let usage = Use::parse(word).ok_or_else(|| {
                    c.error(
                        c.at(),
                        format!("`{word}` is not a use"),
                        "use SIGNAL, ANALOG, POWER, GROUND or CLOCK",
                    )
                })?;
                c.semicolon()?;
                out.usage = Some(usage);
            }
            "SHAPE" => out.shape = Some(name_statement(c, "a shape")?),
            "MUSTJOIN" => out.must_join = Some(name_statement(c, "a pin")?),
            "TAPERRULE" => out.taper_rule = Some(name_statement(c, "a rule")?),
            "NETEXPR" => out.net_expr = Some(name_statement(c, "a net expression")?),
            "SUPPLYSENSITIVITY" => out.supply_sensitivity = Some(name_statement(c, "a pin")?),
            "GROUNDSENSITIVITY" => out.ground_sensitivity = Some(name_statement(c, "a pin")?),
            "FOREIGN" => out.foreigns.push(foreign(c)?),
            "PORT" => {
                let at = offset(token.at);
                let mut class = None;
                let geometry = geometry(c, "PORT", &mut class)?;
                out.ports.push(Port { at, class, geometry });
            }
            "PROPERTY" => {
                properties(c, &mut out.properties)?;
                c.semicolon()?;
            }
            "ANTENNAMODEL" => oxide_model = oxide(c)?,
            _ if word.starts_with("ANTENNA") => {
                let value = c.f64("an antenna value")?;
                let layer = if c.eat("LAYER") { Some(c.word("a layer")?) } else { None };
                c.semicolon()?;
                let (at, keyword) = (offset(token.at), token.text);
                out.antenna.push(PinAntenna { at, keyword, oxide: oxide_model, value, layer });
            }
            "LEQ"
            | "INPUTNOISEMARGIN"
            | "OUTPUTNOISEMARGIN"
            | "OUTPUTRESISTANCE"
            | "POWER"
            | "LEAKAGE"
            | "CAPACITANCE"
            | "RESISTANCE"
            | "PULLDOWNRES"
            | "TIEOFFR"
            | "VHI"
            | "VLO"
            | "RISEVOLTAGETHRESHOLD"
            | "FALLVOLTAGETHRESHOLD"
            | "RISETHRESH"
            | "FALLTHRESH"
            | "RISESATCUR"
            | "FALLSATCUR"
            | "CURRENTSOURCE"
            | "RISESLEWLIMIT"
            | "FALLSLEWLIMIT"
            | "MAXDELAY"
            | "MAXLOAD"
            | "IV_TABLES"
            | "RISESATT1"
            | "FALLSATT1" => out.statements.push(statement(c, token)?),
            "END" => break,
            _ => unknown(c, token, "PIN")?,
        }
    }
    end_of(c, name);
    Ok(out)
}

/// `MACRO` behind the keyword, up to and with its `END`.
pub(super) fn macro_<'a>(c: &mut Cursor<'a, '_>) -> Result<Macro<'a>> {
    let name = c.word("a macro's name")?;
    let mut out = Macro { at: offset(c.at()), name, ..Macro::default() };
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the macro", &mut buffer)?;
        match word {
            "CLASS" => {
                out.class = Some(c.word("a class")?);
                out.subclass = None;
                if c.peek().is_some_and(|t| !t.is_semicolon()) {
                    out.subclass = Some(c.word("a class")?);
                }
                c.semicolon()?;
            }
            "FIXEDMASK" => {
                c.semicolon()?;
                out.fixed_mask = true;
            }
            "FOREIGN" => out.foreigns.push(foreign(c)?),
            "ORIGIN" => {
                out.origin = point(c)?;
                c.semicolon()?;
            }
            "EEQ" => out.eeq = Some(name_statement(c, "a macro")?),
            "LEQ" => out.leq = Some(name_statement(c, "a macro")?),
            "SIZE" => out.size = Some(size(c)?),
            "SYMMETRY" => out.symmetry = symmetry(c)?,
            "SITE" => out.sites.push(macro_site(c)?),
            "PIN" => out.pins.push(pin(c)?),
            "OBS" => {
                let mut class = None;
                let more = geometry(c, "OBS", &mut class)?;
                if let Some(class) = class {
                    c.note(
                        crate::text::Severity::Warning,
                        "lef-unknown-statement",
                        token.at,
                        || format!("CLASS {class} does not belong in OBS"),
                    );
                }
                out.obs.layers.extend(more.layers);
                out.obs.vias.extend(more.vias);
                c.eat("OBS");
            }
            "DENSITY" => densities(c, &mut out.densities)?,
            "PROPERTY" => {
                properties(c, &mut out.properties)?;
                c.semicolon()?;
            }
            "TIMING" => {
                let Block { at, keyword, text } = block(c, token, "TIMING")?;
                out.statements.push(Statement { at, keyword, text });
            }
            "BEGINEXT" => {
                let Extension { at, text, .. } = extension(c)?;
                out.statements.push(Statement { at, keyword: token.text, text });
            }
            "SOURCE" | "POWER" | "GENERATE" | "GENERATOR" | "FUNCTION" | "CLOCKTYPE" => {
                out.statements.push(statement(c, token)?);
            }
            "END" => break,
            _ => unknown(c, token, "MACRO")?,
        }
    }
    end_of(c, name);
    Ok(out)
}
