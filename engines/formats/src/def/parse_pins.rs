//! `PINS` and `PINPROPERTIES`.

use super::parse::*;
use super::*;
use crate::lef::Use;
use crate::text::{LONGEST_KEYWORD, Offset};

/// A pin behind its `-`.
pub(super) fn pin<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = Pin { at: Offset::new(c.at()), ..Pin::default() };
    out.name = c.word("a pin's name")?;
    while !c.eat(";") {
        c.expect("+")?;
        clause(c, &mut out)?;
    }
    file.pins.push(out);
    Ok(())
}

pub(super) fn usage(c: &mut Cursor<'_, '_>) -> Result<Use> {
    let word = c.word("a use")?;
    Use::parse(word).ok_or_else(|| {
        c.error(
            c.at(),
            format!("`{word}` is not a use"),
            "use SIGNAL, POWER, GROUND, CLOCK, TIEOFF, ANALOG, SCAN or RESET",
        )
    })
}

fn direction(c: &mut Cursor<'_, '_>) -> Result<PinDirection> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a direction", &mut buffer)?;
    Ok(match word {
        "INPUT" => PinDirection::Input,
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
    })
}

fn shape<'a>(c: &mut Cursor<'a, '_>, word: &str) -> Result<PinShape<'a>> {
    let name = c.word("a layer or via")?;
    let (mut mask, mut spacing, mut design_rule_width) = (None, None, None);
    while !c.peek().is_some_and(|t| t.is("(")) {
        if c.eat("MASK") {
            mask = Some(c.u32("a mask number")?);
        } else if c.eat("SPACING") {
            spacing = Some(c.dbu("a spacing")?);
        } else {
            c.expect("DESIGNRULEWIDTH")?;
            design_rule_width = Some(c.dbu("a width")?);
        }
    }
    let kind = match word {
        "LAYER" => PinShapeKind::Rect(rect(c)?),
        "POLYGON" => PinShapeKind::Polygon(points(c, 3)?),
        _ => PinShapeKind::Via(point(c)?),
    };
    Ok(PinShape { name, mask, spacing, design_rule_width, kind })
}

fn clause<'a>(c: &mut Cursor<'a, '_>, out: &mut Pin<'a>) -> Result<()> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a clause of the pin", &mut buffer)?;
    if let Some(status) = status(word) {
        let placement = placement(c, status)?;
        port(out).placement = placement;
        return Ok(());
    }
    match word {
        "NET" => out.net = Some(c.word("a net's name")?),
        "SPECIAL" => out.special = true,
        "DIRECTION" => out.direction = Some(direction(c)?),
        "USE" => out.usage = Some(usage(c)?),
        "NETEXPR" => out.net_expr = Some(c.word("a net expression")?),
        "SUPPLYSENSITIVITY" => out.supply_sensitivity = Some(c.word("a pin's name")?),
        "GROUNDSENSITIVITY" => out.ground_sensitivity = Some(c.word("a pin's name")?),
        "PORT" => {
            out.explicit_ports = true;
            out.ports.push(PinPort::default());
        }
        "LAYER" | "POLYGON" | "VIA" => {
            let shape = shape(c, word)?;
            port(out).shapes.push(shape);
        }
        "ANTENNAMODEL" => {
            let word = c.word("an oxide model")?;
            let number = word.get(5..).and_then(crate::text::parse_u32);
            let number = number.filter(|_| word.to_ascii_uppercase().starts_with("OXIDE"));
            let value = number.ok_or_else(|| {
                c.error(c.at(), format!("`{word}` is not an oxide model"), "use OXIDE1 to OXIDE32")
            })?;
            let value = f64::from(value);
            out.antenna.push(PinAntenna { keyword: token.text, value, layer: None });
        }
        _ if word.starts_with("ANTENNAPIN") => {
            let value = c.f64("an antenna value")?;
            let layer = if c.eat("LAYER") { Some(c.word("a layer")?) } else { None };
            out.antenna.push(PinAntenna { keyword: token.text, value, layer });
        }
        _ => unknown_clause(c, token, "PINS")?,
    }
    Ok(())
}

/// The port that shapes and placements belong to; one without `PORT` is made at need.
fn port<'x, 'a>(pin: &'x mut Pin<'a>) -> &'x mut PinPort<'a> {
    let last = pin.ports.len().saturating_sub(1);
    if pin.ports.is_empty() {
        pin.ports.push(PinPort::default());
    }
    &mut pin.ports[last]
}

/// A pin's properties behind `-`.
pub(super) fn pin_property<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = PinProperty { at: Offset::new(c.at()), ..PinProperty::default() };
    out.component = c.word("a component's name or PIN")?;
    out.pin = c.word("a pin's name")?;
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("PROPERTY", &mut buffer)?;
        match word {
            "PROPERTY" => properties(c, &mut out.properties)?,
            _ => unknown_clause(c, token, "PINPROPERTIES")?,
        }
    }
    file.pin_properties.push(out);
    Ok(())
}
