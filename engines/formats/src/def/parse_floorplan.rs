//! Rows, tracks, vias, rules, regions, blockages, fills, scan chains and groups.

use super::parse::*;
use super::*;
use crate::text::{LONGEST_KEYWORD, Offset};

/// `ROW` behind the keyword.
pub(super) fn row<'a>(c: &mut Cursor<'a, '_>) -> Result<Row<'a>> {
    let mut out = Row { at: Offset::new(c.at()), count: (1, 1), ..Row::default() };
    out.name = c.word("a row's name")?;
    out.site = c.word("a site's name")?;
    out.point = Point { x: c.dbu("an x coordinate")?, y: c.dbu("a y coordinate")? };
    out.orient = orient(c)?;
    if c.eat("DO") {
        let nx = c.u32("a count along x")?;
        c.expect("BY")?;
        out.count = (nx, c.u32("a count along y")?);
        if c.eat("STEP") {
            out.step = Some((c.dbu("a step along x")?, c.dbu("a step along y")?));
        }
    }
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("PROPERTY", &mut buffer)?;
        match word {
            "PROPERTY" => properties(c, &mut out.properties)?,
            _ => unknown_clause(c, token, "ROW")?,
        }
    }
    Ok(out)
}

fn axis(c: &mut Cursor<'_, '_>) -> Result<Axis> {
    if c.eat("X") {
        return Ok(Axis::X);
    }
    c.expect("Y")?;
    Ok(Axis::Y)
}

/// `start DO n STEP s`.
fn lines(c: &mut Cursor<'_, '_>) -> Result<(i32, u32, i32)> {
    let start = c.dbu("a coordinate")?;
    c.expect("DO")?;
    let count = c.u32("a number of lines")?;
    c.expect("STEP")?;
    Ok((start, count, c.dbu("a step")?))
}

/// `TRACKS` behind the keyword.
pub(super) fn track<'a>(c: &mut Cursor<'a, '_>) -> Result<Track<'a>> {
    let at = Offset::new(c.at());
    let axis = axis(c)?;
    let (start, count, step) = lines(c)?;
    let mut out = Track { at, axis, start, count, step, ..Track::default() };
    if c.eat("MASK") {
        out.mask = Some(c.u32("a mask number")?);
        out.same_mask = c.eat("SAMEMASK");
    }
    if c.eat("LAYER") {
        while !c.peek().is_some_and(|t| t.is_semicolon()) {
            out.layers.push(c.word("a layer")?);
        }
    }
    c.semicolon()?;
    Ok(out)
}

/// `GCELLGRID` behind the keyword.
pub(super) fn gcell_grid(c: &mut Cursor<'_, '_>) -> Result<GcellGrid> {
    let at = Offset::new(c.at());
    let axis = axis(c)?;
    let (start, count, step) = lines(c)?;
    c.semicolon()?;
    Ok(GcellGrid { at, axis, start, count, step })
}

/// A via behind its `-`.
pub(super) fn via<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = Via { at: Offset::new(c.at()), ..Via::default() };
    out.name = c.word("a via's name")?;
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the via", &mut buffer)?;
        match word {
            "PATTERNNAME" => out.pattern_name = Some(c.word("a pattern's name")?),
            "RECT" | "POLYGON" => {
                let layer = c.word("a layer")?;
                let mut mask = None;
                if c.eat("+") {
                    c.expect("MASK")?;
                    mask = Some(c.u32("a mask number")?);
                }
                let shape = if word == "RECT" {
                    Shape::Rect(rect(c)?)
                } else {
                    Shape::Polygon(points(c, 3)?)
                };
                out.shapes.push(MaskedShape { layer, mask, shape });
            }
            "VIARULE" => {
                let rule = c.word("a via rule")?;
                out.rule = Some(ViaFromRule { rule, ..ViaFromRule::default() });
            }
            _ => {
                let known = match out.rule.as_mut() {
                    Some(rule) => parameter(c, word, rule)?,
                    None => false,
                };
                if !known {
                    unknown_clause(c, token, "VIAS")?;
                }
            }
        }
    }
    file.vias.push(out);
    Ok(())
}

fn pair(c: &mut Cursor<'_, '_>) -> Result<(i32, i32)> {
    Ok((c.dbu("a distance")?, c.dbu("a distance")?))
}

fn parameter<'a>(c: &mut Cursor<'a, '_>, word: &str, rule: &mut ViaFromRule<'a>) -> Result<bool> {
    match word {
        "CUTSIZE" => rule.cut_size = pair(c)?,
        "LAYERS" => rule.layers = [c.word("a layer")?, c.word("a layer")?, c.word("a layer")?],
        "CUTSPACING" => rule.cut_spacing = pair(c)?,
        "ENCLOSURE" => {
            let (a, b) = (pair(c)?, pair(c)?);
            rule.enclosure = [a.0, a.1, b.0, b.1];
        }
        "ROWCOL" => rule.rowcol = Some((c.u32("a number of rows")?, c.u32("a number of columns")?)),
        "ORIGIN" => rule.origin = Some(pair(c)?),
        "OFFSET" => {
            let (a, b) = (pair(c)?, pair(c)?);
            rule.offset = Some([a.0, a.1, b.0, b.1]);
        }
        "PATTERN" => rule.pattern = Some(c.word("a cut pattern")?),
        _ => return Ok(false),
    }
    Ok(true)
}

/// A style behind its `-`.
pub(super) fn style<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let at = Offset::new(c.at());
    c.expect("STYLE")?;
    let number = c.u32("a style number")?;
    let points = points(c, 1)?;
    c.semicolon()?;
    file.styles.push(Style { at, number, points });
    Ok(())
}

/// A non-default rule behind its `-`.
pub(super) fn non_default_rule<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = NonDefaultRule { at: Offset::new(c.at()), ..NonDefaultRule::default() };
    out.name = c.word("a rule's name")?;
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the rule", &mut buffer)?;
        match word {
            "HARDSPACING" => out.hard_spacing = true,
            "LAYER" => {
                let mut layer = RuleLayer { layer: c.word("a layer")?, ..RuleLayer::default() };
                c.expect("WIDTH")?;
                layer.width = c.f64("a width")?;
                loop {
                    if c.eat("DIAGWIDTH") {
                        layer.diag_width = Some(c.f64("a width")?);
                    } else if c.eat("SPACING") {
                        layer.spacing = Some(c.f64("a spacing")?);
                    } else if c.eat("WIREEXT") {
                        layer.wire_extension = Some(c.f64("an extension")?);
                    } else {
                        break;
                    }
                }
                out.layers.push(layer);
            }
            "VIA" => out.vias.push(c.word("a via")?),
            "VIARULE" => out.via_rules.push(c.word("a via rule")?),
            "MINCUTS" => {
                let layer = c.word("a cut layer")?;
                out.min_cuts.push((layer, c.u32("a number of cuts")?));
            }
            "PROPERTY" => properties(c, &mut out.properties)?,
            _ => unknown_clause(c, token, "NONDEFAULTRULES")?,
        }
    }
    file.non_default_rules.push(out);
    Ok(())
}

/// A region behind its `-`.
pub(super) fn region<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = Region { at: Offset::new(c.at()), ..Region::default() };
    out.name = c.word("a region's name")?;
    while c.peek().is_some_and(|t| t.is("(")) {
        out.rects.push(rect(c)?);
    }
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the region", &mut buffer)?;
        match word {
            "TYPE" => out.kind = Some(c.word("FENCE or GUIDE")?),
            "PROPERTY" => properties(c, &mut out.properties)?,
            _ => unknown_clause(c, token, "REGIONS")?,
        }
    }
    file.regions.push(out);
    Ok(())
}

/// `RECT` and `POLYGON` up to `;`, which is taken.
fn shapes(c: &mut Cursor<'_, '_>, out: &mut Vec<Shape>) -> Result<()> {
    while !c.eat(";") {
        if c.eat("POLYGON") {
            out.push(Shape::Polygon(points(c, 3)?));
        } else {
            c.expect("RECT")?;
            out.push(Shape::Rect(rect(c)?));
        }
    }
    Ok(())
}

/// A blockage behind its `-`.
pub(super) fn blockage<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let at = Offset::new(c.at());
    let kind = if c.eat("LAYER") {
        BlockageKind::Layer {
            layer: c.word("a layer")?,
            slots: false,
            fills: false,
            except_pg_net: false,
            spacing: None,
            design_rule_width: None,
            mask: None,
        }
    } else {
        c.expect("PLACEMENT")?;
        BlockageKind::Placement { soft: false, partial: None }
    };
    let mut out = Blockage { at, kind, pushdown: false, component: None, shapes: Vec::new() };
    while c.eat("+") {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the blockage", &mut buffer)?;
        match (word, &mut out.kind) {
            ("PUSHDOWN", _) => out.pushdown = true,
            ("COMPONENT", _) => out.component = Some(c.word("a component's name")?),
            ("SOFT", BlockageKind::Placement { soft, .. }) => *soft = true,
            ("PARTIAL", BlockageKind::Placement { partial, .. }) => {
                *partial = Some(c.f64("a density in percent")?);
            }
            ("SLOTS", BlockageKind::Layer { slots, .. }) => *slots = true,
            ("FILLS", BlockageKind::Layer { fills, .. }) => *fills = true,
            ("EXCEPTPGNET", BlockageKind::Layer { except_pg_net, .. }) => *except_pg_net = true,
            ("SPACING", BlockageKind::Layer { spacing, .. }) => {
                *spacing = Some(c.dbu("a spacing")?);
            }
            ("DESIGNRULEWIDTH", BlockageKind::Layer { design_rule_width, .. }) => {
                *design_rule_width = Some(c.dbu("a width")?);
            }
            ("MASK", BlockageKind::Layer { mask, .. }) => *mask = Some(c.u32("a mask number")?),
            _ => {
                // A blockage that is taken for another would mislead the placer.
                return Err(c.error(
                    token.at,
                    format!("`{}` does not belong to this blockage", token.text),
                    "correct the blockage",
                ));
            }
        }
    }
    shapes(c, &mut out.shapes)?;
    file.blockages.push(out);
    Ok(())
}

/// A slot behind its `-`.
pub(super) fn slot<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = Slot { at: Offset::new(c.at()), ..Slot::default() };
    c.expect("LAYER")?;
    out.layer = c.word("a layer")?;
    shapes(c, &mut out.shapes)?;
    file.slots.push(out);
    Ok(())
}

/// A fill behind its `-`.
pub(super) fn fill<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let at = Offset::new(c.at());
    let by_via = c.eat("VIA");
    if !by_via {
        c.expect("LAYER")?;
    }
    let name = c.word("a layer or via")?;
    let (mut mask, mut opc) = (None, false);
    while c.eat("+") {
        if c.eat("MASK") {
            mask = Some(c.u32("a mask number")?);
        } else {
            c.expect("OPC")?;
            opc = true;
        }
    }
    let kind = if by_via {
        let points = points(c, 1)?;
        c.semicolon()?;
        FillKind::Via(name, points)
    } else {
        let mut out = Vec::new();
        shapes(c, &mut out)?;
        FillKind::Layer(name, out)
    };
    file.fills.push(Fill { at, kind, mask, opc });
    Ok(())
}

/// A scan chain behind its `-`.
pub(super) fn scan_chain<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = ScanChain { at: Offset::new(c.at()), ..ScanChain::default() };
    out.name = c.word("a scan chain's name")?;
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the scan chain", &mut buffer)?;
        match word {
            "PARTITION" | "COMMONSCANPINS" | "START" | "STOP" | "FLOATING" | "ORDERED" => {
                let mut clause = ScanClause { keyword: token.text, words: Vec::new() };
                while !c.peek().is_some_and(|t| t.is("+") || t.is_semicolon()) {
                    clause.words.push(c.need("`+` or `;`")?.text);
                }
                out.clauses.push(clause);
            }
            _ => unknown_clause(c, token, "SCANCHAINS")?,
        }
    }
    file.scan_chains.push(out);
    Ok(())
}

/// A group behind its `-`.
pub(super) fn group<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = Group { at: Offset::new(c.at()), ..Group::default() };
    out.name = c.word("a group's name")?;
    while !c.peek().is_some_and(|t| t.is("+") || t.is_semicolon()) {
        out.members.push(c.word("a component's name or pattern")?);
    }
    while !c.eat(";") {
        c.expect("+")?;
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a clause of the group", &mut buffer)?;
        match word {
            "REGION" => {
                if c.peek().is_some_and(|t| t.is("(")) {
                    out.region_area = Some(rect(c)?);
                } else {
                    out.region = Some(c.word("a region's name")?);
                }
            }
            "SOFT" => out.soft = Some(clause_text(c)?),
            "PROPERTY" => properties(c, &mut out.properties)?,
            _ => unknown_clause(c, token, "GROUPS")?,
        }
    }
    file.groups.push(out);
    Ok(())
}
