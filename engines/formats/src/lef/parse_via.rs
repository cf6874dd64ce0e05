//! Vias, via rules and non-default rules.

use super::parse::*;
use super::parse_geometry::shape;
use super::parse_layer::direction;
use super::*;
use crate::text::LONGEST_KEYWORD;

type Result<T> = std::result::Result<T, FormatError>;

fn pair(c: &mut Cursor<'_, '_>, what: &str) -> Result<(f64, f64)> {
    Ok((c.f64(what)?, c.f64(what)?))
}

fn four(c: &mut Cursor<'_, '_>, what: &str) -> Result<[f64; 4]> {
    Ok([c.f64(what)?, c.f64(what)?, c.f64(what)?, c.f64(what)?])
}

/// `VIA` behind the keyword, up to and with its `END`.
pub(super) fn via<'a>(c: &mut Cursor<'a, '_>) -> Result<Via<'a>> {
    let name = c.word("a via's name")?;
    let mut out = Via { at: offset(c.at()), name, ..Via::default() };
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the via", &mut buffer)?;
        match word {
            "DEFAULT" => out.default = true,
            "GENERATED" => out.generated = true,
            "TOPOFSTACKONLY" => out.top_of_stack_only = true,
            "RESISTANCE" => out.resistance = Some(value(c, "a resistance")?),
            "LAYER" => {
                let layer = name_statement(c, "a layer")?;
                out.layers.push(ViaLayer { layer, shapes: Vec::new() });
            }
            "VIARULE" => {
                let rule = name_statement(c, "a via rule")?;
                out.rule = Some(ViaFromRule { rule, ..ViaFromRule::default() });
            }
            "PROPERTY" => {
                properties(c, &mut out.properties)?;
                c.semicolon()?;
            }
            "FOREIGN" => out.statements.push(statement(c, token)?),
            "END" => break,
            _ => {
                if let Some(rule) = out.rule.as_mut()
                    && parameter(c, word, rule)?
                {
                    continue;
                }
                match (shape(c, word, token, None)?, out.layers.last_mut()) {
                    (Some(shape), Some(layer)) => layer.shapes.push(shape),
                    (Some(_), None) => {
                        return Err(c.error(
                            token.at,
                            format!("{word} without a LAYER before it"),
                            "put a LAYER statement first",
                        ));
                    }
                    (None, _) => unknown(c, token, "VIA")?,
                }
            }
        }
    }
    end_of(c, name);
    Ok(out)
}

/// A parameter of a via from a rule, behind its keyword; whether it was one.
fn parameter<'a>(c: &mut Cursor<'a, '_>, word: &str, rule: &mut ViaFromRule<'a>) -> Result<bool> {
    match word {
        "CUTSIZE" => rule.cut_size = pair(c, "a size")?,
        "LAYERS" => rule.layers = [c.word("a layer")?, c.word("a layer")?, c.word("a layer")?],
        "CUTSPACING" => rule.cut_spacing = pair(c, "a spacing")?,
        "ENCLOSURE" => rule.enclosure = four(c, "an enclosure")?,
        "ROWCOL" => rule.rowcol = Some((c.u32("a number of rows")?, c.u32("a number of columns")?)),
        "ORIGIN" => rule.origin = Some(point(c)?),
        "OFFSET" => rule.offset = Some(four(c, "an offset")?),
        "PATTERN" => rule.pattern = Some(c.word("a cut pattern")?),
        _ => return Ok(false),
    }
    c.semicolon()?;
    Ok(true)
}

/// `VIARULE` behind the keyword, up to and with its `END`.
pub(super) fn via_rule<'a>(c: &mut Cursor<'a, '_>) -> Result<ViaRule<'a>> {
    let name = c.word("a via rule's name")?;
    let mut out = ViaRule { at: offset(c.at()), name, ..ViaRule::default() };
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the via rule", &mut buffer)?;
        match word {
            "GENERATE" => out.generate = true,
            "DEFAULT" => out.default = true,
            "LAYER" => {
                let layer = name_statement(c, "a layer")?;
                out.layers.push(ViaRuleLayer { layer, ..ViaRuleLayer::default() });
            }
            "VIA" => out.vias.push(name_statement(c, "a via")?),
            "PROPERTY" => {
                properties(c, &mut out.properties)?;
                c.semicolon()?;
            }
            "END" => break,
            _ => {
                let known = match out.layers.last_mut() {
                    Some(layer) => rule_layer_statement(c, word, layer)?,
                    None => false,
                };
                if !known {
                    unknown(c, token, "VIARULE")?;
                }
            }
        }
    }
    end_of(c, name);
    Ok(out)
}

fn rule_layer_statement<'a>(
    c: &mut Cursor<'a, '_>,
    word: &str,
    layer: &mut ViaRuleLayer<'a>,
) -> Result<bool> {
    match word {
        "DIRECTION" => {
            layer.direction = Some(direction(c)?);
            return Ok(true);
        }
        "ENCLOSURE" => layer.enclosure = Some(pair(c, "an enclosure")?),
        "WIDTH" => {
            let least = c.f64("a width")?;
            c.expect("TO")?;
            layer.width = Some((least, c.f64("a width")?));
        }
        "OVERHANG" => layer.overhang = Some(c.f64("an overhang")?),
        "METALOVERHANG" => layer.metal_overhang = Some(c.f64("an overhang")?),
        "RECT" => layer.rect = Some(rect(c)?),
        "SPACING" => {
            let x = c.f64("a spacing")?;
            c.expect("BY")?;
            layer.spacing = Some((x, c.f64("a spacing")?));
        }
        "RESISTANCE" => layer.resistance = Some(c.f64("a resistance")?),
        _ => return Ok(false),
    }
    c.semicolon()?;
    Ok(true)
}

fn rule_layer<'a>(c: &mut Cursor<'a, '_>) -> Result<RuleLayer<'a>> {
    let layer = c.word("a layer")?;
    let mut out = RuleLayer { layer, ..RuleLayer::default() };
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the rule's layer", &mut buffer)?;
        match word {
            "WIDTH" => out.width = Some(value(c, "a width")?),
            "DIAGWIDTH" => out.diag_width = Some(value(c, "a width")?),
            "SPACING" => out.spacing = Some(value(c, "a spacing")?),
            "WIREEXTENSION" => out.wire_extension = Some(value(c, "an extension")?),
            "RESISTANCE" | "CAPACITANCE" | "EDGECAPACITANCE" => {
                out.statements.push(statement(c, token)?);
            }
            "END" => break,
            _ => unknown(c, token, "a layer of NONDEFAULTRULE")?,
        }
    }
    end_of(c, layer);
    Ok(out)
}

/// `NONDEFAULTRULE` behind the keyword, up to and with its `END`.
pub(super) fn non_default_rule<'a>(c: &mut Cursor<'a, '_>) -> Result<NonDefaultRule<'a>> {
    let name = c.word("a rule's name")?;
    let mut out = NonDefaultRule { at: offset(c.at()), name, ..NonDefaultRule::default() };
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the rule", &mut buffer)?;
        match word {
            "HARDSPACING" => {
                c.semicolon()?;
                out.hard_spacing = true;
            }
            "LAYER" => out.layers.push(rule_layer(c)?),
            "VIA" => out.vias.push(via(c)?),
            "SPACING" => same_net(c, &mut out.same_net_spacings)?,
            "USEVIA" => out.use_vias.push(name_statement(c, "a via")?),
            "USEVIARULE" => out.use_via_rules.push(name_statement(c, "a via rule")?),
            "MINCUTS" => {
                let layer = c.word("a cut layer")?;
                out.min_cuts.push((layer, c.u32("a number of cuts")?));
                c.semicolon()?;
            }
            "PROPERTY" => {
                properties(c, &mut out.properties)?;
                c.semicolon()?;
            }
            "END" => break,
            _ => unknown(c, token, "NONDEFAULTRULE")?,
        }
    }
    end_of(c, name);
    Ok(out)
}
