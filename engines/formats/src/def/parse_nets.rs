//! `NETS` and `SPECIALNETS`.

use super::net::PackedConnection;
use super::parse::*;
use super::parse_pins::usage;
use super::wiring::Walker;
use super::*;
use crate::lef::Orient;
use crate::text::{LONGEST_KEYWORD, Offset, Severity, Token};

/// A net behind its `-`.
pub(super) fn net<'a>(
    c: &mut Cursor<'a, '_>,
    file: &mut DefFile<'a>,
    special: bool,
) -> Result<Net<'a>> {
    let mut out = Net { at: Offset::new(c.at()), ..Net::default() };
    out.first = count(file.connections.len());
    out.name = c.word("a net's name")?;
    if out.name == "MUSTJOIN" && c.peek().is_some_and(|t| t.is("(")) {
        out.name = "";
        out.extra.get_or_insert_default().must_join = true;
    }
    let mut head = ShapeHead::default();
    loop {
        let token = c.need("`(`, `+` or `;`")?;
        if token.is("(") {
            let packed = connection(c)?;
            file.connections.push(packed);
        } else if token.is("+") {
            clause(c, &mut out, special, &mut head)?;
        } else if token.is_semicolon() {
            break;
        } else {
            return Err(c.error(
                token.at,
                format!("`{}` stands where `(`, `+` or `;` should", token.text),
                "correct the net",
            ));
        }
    }
    if head.shape.is_some() || head.mask.is_some() || !head.status.is_empty() {
        let at = c.at();
        c.note(Severity::Warning, "def-unknown-clause", at, || {
            "ROUTED, SHAPE or MASK without the shape that should follow".into()
        });
    }
    if out.extra.as_deref() == Some(&NetExtra::default()) {
        // Only clauses that are not known were met.
        out.extra = None;
    }
    out.count = count(file.connections.len()) - out.first;
    Ok(out)
}

/// A file is shorter than 4 GiB, so it holds fewer connections than that.
fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// `component pin [+ SYNTHESIZED] )` behind `(`.
#[inline]
fn connection(c: &mut Cursor<'_, '_>) -> Result<PackedConnection> {
    let component = c.word("a component's name")?;
    let component = (c.at(), component);
    let pin = c.word("a pin's name")?;
    let pin = (c.at(), pin);
    let mut synthesized = false;
    let token = c.need("`)`")?;
    if !token.is(")") {
        if !token.is("+") {
            return Err(c.error(
                token.at,
                format!("`{}` stands where `)` should", token.text),
                "correct the connection",
            ));
        }
        c.expect("SYNTHESIZED")?;
        synthesized = true;
        c.expect(")")?;
    }
    PackedConnection::new(component, pin, synthesized)
        .ok_or_else(|| c.error(pin.0, "the name is too long", "shorten it"))
}

/// `ROUTED`, `SHAPE` and `MASK` that stand before a `RECT`, `POLYGON` or `VIA`.
#[derive(Default)]
struct ShapeHead<'a> {
    status: &'a str,
    shield: Option<&'a str>,
    shape: Option<&'a str>,
    mask: Option<u32>,
}

fn wiring_kind<'a>(
    c: &mut Cursor<'a, '_>,
    word: &str,
    special: bool,
) -> Result<Option<WiringKind<'a>>> {
    Ok(Some(match word {
        "ROUTED" => WiringKind::Routed,
        "FIXED" => WiringKind::Fixed,
        "COVER" => WiringKind::Cover,
        "NOSHIELD" if !special => WiringKind::NoShield,
        "SHIELD" => WiringKind::Shield(c.word("a net's name")?),
        _ => return Ok(None),
    }))
}

/// The paths behind a wiring keyword, checked and kept as text.
fn wiring<'a>(c: &mut Cursor<'a, '_>, kind: WiringKind<'a>, special: bool) -> Result<Wiring<'a>> {
    let text = c.source_text();
    let start = c.position();
    let mut walker = Walker::new(text, start, special);
    loop {
        match walker.step() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(e) => {
                let mut shown = crate::text::Lexer::over(text, e.at, text.len());
                let shown = shown.next().map_or("the end of the file", |t| t.text);
                return Err(c.error(
                    e.at,
                    format!("in wiring, `{shown}` stands where {} should", e.wanted),
                    "correct the path",
                ));
            }
        }
    }
    let end = walker.end();
    c.seek(end, end);
    // The blanks before the first layer are not part of it.
    let body = c.text(start, end);
    let blanks = body.len() - body.trim_start().len();
    let at = Offset::new(start + blanks);
    Ok(Wiring { at, kind: Some(kind), special, text: body.trim_start() })
}

fn vpin<'a>(c: &mut Cursor<'a, '_>) -> Result<Vpin<'a>> {
    let mut out = Vpin { name: c.word("a pin's name")?, ..Vpin::default() };
    if c.eat("LAYER") {
        out.layer = Some(c.word("a layer")?);
    }
    out.rect = rect(c)?;
    for word in ["PLACED", "FIXED", "COVER"] {
        if c.eat(word)
            && let Some(status) = status(word)
        {
            out.placement = placement(c, status)?;
        }
    }
    Ok(out)
}

fn subnet<'a>(c: &mut Cursor<'a, '_>) -> Result<Subnet<'a>> {
    let mut out = Subnet { name: c.word("a subnet's name")?, ..Subnet::default() };
    while c.eat("(") {
        out.connections.push((c.word("a component's name")?, c.word("a pin's name")?));
        c.expect(")")?;
    }
    while !c.peek().is_some_and(|t| t.is("+") || t.is_semicolon()) {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the subnet", &mut buffer)?;
        if word == "NONDEFAULTRULE" {
            out.non_default_rule = Some(c.word("a rule")?);
        } else if let Some(kind) = wiring_kind(c, word, false)? {
            out.wiring.push(wiring(c, kind, false)?);
        } else {
            unknown_clause(c, token, "SUBNET")?;
        }
    }
    Ok(out)
}

fn special_shape<'a>(
    c: &mut Cursor<'a, '_>,
    word: &str,
    head: &mut ShapeHead<'a>,
) -> Result<SpecialShape<'a>> {
    let name = c.word("a layer or via")?;
    let kind = match word {
        "RECT" => SpecialShapeKind::Rect(rect(c)?),
        "POLYGON" => SpecialShapeKind::Polygon(points(c, 3)?),
        _ => {
            let turned = if c.peek().is_some_and(|t| t.is("(")) { Orient::N } else { orient(c)? };
            SpecialShapeKind::Via(turned, points(c, 1)?)
        }
    };
    let ShapeHead { status, shield, shape, mask } = std::mem::take(head);
    Ok(SpecialShape { status, shield, shape, mask, name, kind })
}

fn clause<'a>(
    c: &mut Cursor<'a, '_>,
    out: &mut Net<'a>,
    special: bool,
    head: &mut ShapeHead<'a>,
) -> Result<()> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a clause of the net", &mut buffer)?;
    if word == "USE" {
        out.usage = Some(usage(c)?);
        return Ok(());
    }
    let extra = out.extra.get_or_insert_default();
    if let Some(kind) = wiring_kind(c, word, special)? {
        if special && c.peek().is_some_and(|t| t.is("+")) {
            let shield = if let WiringKind::Shield(net) = kind { Some(net) } else { None };
            *head = ShapeHead { status: token.text, shield, ..ShapeHead::default() };
        } else {
            extra.wiring.push(wiring(c, kind, special)?);
        }
        return Ok(());
    }
    match word {
        "SOURCE" => extra.source = Some(c.word("a source")?),
        "WEIGHT" => extra.weight = Some(c.u32("a weight")?),
        "ORIGINAL" => extra.original = Some(c.word("a net's name")?),
        "PATTERN" => extra.pattern = Some(c.word("a pattern")?),
        "ESTCAP" => extra.est_cap = Some(c.f64("a capacitance")?),
        "FIXEDBUMP" => extra.fixed_bump = true,
        "STYLE" => extra.style = Some(c.u32("a style number")?),
        "PROPERTY" => properties(c, &mut extra.properties)?,
        _ => {
            if !rare_clause(c, word, token, extra, special, head)? {
                unknown_clause(c, token, if special { "SPECIALNETS" } else { "NETS" })?;
            }
        }
    }
    Ok(())
}

/// Clauses of only one of the two kinds of nets; whether it was one.
fn rare_clause<'a>(
    c: &mut Cursor<'a, '_>,
    word: &str,
    token: Token<'a>,
    extra: &mut NetExtra<'a>,
    special: bool,
    head: &mut ShapeHead<'a>,
) -> Result<bool> {
    match word {
        "FREQUENCY" if !special => extra.frequency = Some(c.f64("a frequency")?),
        "XTALK" if !special => extra.xtalk = Some(c.u32("a class")?),
        "NONDEFAULTRULE" if !special => extra.non_default_rule = Some(c.word("a rule")?),
        "SHIELDNET" if !special => extra.shield_nets.push(c.word("a net's name")?),
        "VPIN" if !special => extra.vpins.push(vpin(c)?),
        "SUBNET" if !special => extra.subnets.push(subnet(c)?),
        "VOLTAGE" if special => extra.voltage = Some(c.f64("a voltage")?),
        "SHAPE" if special => head.shape = Some(c.word("a shape")?),
        "MASK" if special => head.mask = Some(c.u32("a mask number")?),
        "RECT" | "POLYGON" | "VIA" if special => {
            let shape = special_shape(c, word, head)?;
            extra.shapes.push(shape);
        }
        "WIDTH" | "SPACING" if special => {
            let layer = c.word("a layer")?;
            let value = c.dbu("a distance")?;
            let range = if c.eat("RANGE") {
                Some((c.dbu("the least width")?, c.dbu("the greatest width")?))
            } else {
                None
            };
            let spacing = token.is_keyword("SPACING");
            extra.shield_rules.push(ShieldRule { spacing, layer, value, range });
        }
        _ => return Ok(false),
    }
    Ok(true)
}
