//! Shapes and vias of ports, obstructions and vias.

use super::parse::{iterate, offset, point, rect, unknown, value};
use super::*;
use crate::text::{LONGEST_KEYWORD, Token};

type Result<T> = std::result::Result<T, FormatError>;

/// `MASK n` and `ITERATE` in either order, as files differ.
fn mask_and_iterate(c: &mut Cursor<'_, '_>) -> Result<(u32, bool)> {
    let (mut mask, mut iterated) = (0, false);
    loop {
        if c.eat("MASK") {
            mask = c.u32("a mask number")?;
        } else if c.eat("ITERATE") {
            iterated = true;
        } else {
            return Ok((mask, iterated));
        }
    }
}

/// Points up to `;` or `DO`.
fn points(c: &mut Cursor<'_, '_>, at: usize, least: usize, what: &str) -> Result<Vec<Point>> {
    let mut out = Vec::new();
    while c.peek().is_some_and(|t| !t.is_semicolon() && !t.is_keyword("DO")) {
        out.push(point(c)?);
    }
    if out.len() < least {
        return Err(c.error(
            at,
            format!("{what} has {} points", out.len()),
            format!("give it at least {least}"),
        ));
    }
    Ok(out)
}

/// A shape behind its keyword `word`, if that is one.
pub(super) fn shape(
    c: &mut Cursor<'_, '_>,
    word: &str,
    token: Token<'_>,
    width: Option<f64>,
) -> Result<Option<Shape>> {
    if !matches!(word, "RECT" | "POLYGON" | "PATH") {
        return Ok(None);
    }
    let (mask, iterated) = mask_and_iterate(c)?;
    let kind = match word {
        "RECT" => ShapeKind::Rect(rect(c)?),
        "POLYGON" => {
            let mut points = points(c, token.at, 3, "POLYGON")?;
            if points.len() > 3 && points.first() == points.last() {
                points.pop();
            }
            ShapeKind::Polygon(points)
        }
        // A path of one point is a square of the wire's width.
        _ => ShapeKind::Path { width, points: points(c, token.at, 1, "PATH")? },
    };
    let iterate = if iterated { Some(iterate(c)?) } else { None };
    c.semicolon()?;
    Ok(Some(Shape { mask, kind, iterate }))
}

fn layer_of_geometry<'a>(c: &mut Cursor<'a, '_>) -> Result<LayerGeometry<'a>> {
    let layer = c.word("a layer")?;
    let mut out = LayerGeometry { at: offset(c.at()), layer, ..LayerGeometry::default() };
    while !c.eat(";") {
        if c.eat("EXCEPTPGNET") {
            out.except_pg_net = true;
        } else if c.eat("SPACING") {
            out.spacing = Some(c.f64("a spacing")?);
        } else {
            c.expect("DESIGNRULEWIDTH")?;
            out.design_rule_width = Some(c.f64("a width")?);
        }
    }
    Ok(out)
}

/// Geometry up to and with `END`. `CLASS` statements of a port go to `class`.
pub(super) fn geometry<'a>(
    c: &mut Cursor<'a, '_>,
    place: &str,
    class: &mut Option<&'a str>,
) -> Result<Geometry<'a>> {
    let mut out = Geometry::default();
    let mut width = None;
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a shape or END", &mut buffer)?;
        match word {
            "END" => return Ok(out),
            "LAYER" => {
                out.layers.push(layer_of_geometry(c)?);
                width = None;
            }
            "WIDTH" => width = Some(value(c, "a width")?),
            "CLASS" => *class = Some(parse::name_statement(c, "a class")?),
            "VIA" => {
                let (mask, iterated) = mask_and_iterate(c)?;
                let point = point(c)?;
                let via = c.word("a via's name")?;
                let iterate = if iterated { Some(iterate(c)?) } else { None };
                c.semicolon()?;
                let at = offset(token.at);
                out.vias.push(ViaPlacement { at, via, point, mask, iterate });
            }
            _ => match shape(c, word, token, width)? {
                Some(shape) => match out.layers.last_mut() {
                    Some(layer) => layer.shapes.push(shape),
                    None => {
                        return Err(c.error(
                            token.at,
                            format!("{word} without a LAYER before it"),
                            "put a LAYER statement first",
                        ));
                    }
                },
                None => unknown(c, token, place)?,
            },
        }
    }
}
