//! `COMPONENTS`.

use super::parse::*;
use super::*;
use crate::text::{LONGEST_KEYWORD, Offset};

/// A component behind its `-`.
pub(super) fn component<'a>(c: &mut Cursor<'a, '_>, file: &mut DefFile<'a>) -> Result<()> {
    let mut out = Component { at: Offset::new(c.at()), ..Component::default() };
    out.name = c.word("a component's name")?;
    out.master = c.word("a macro's name")?;
    loop {
        let token = c.need("`+` or `;`")?;
        if token.is("+") {
            clause(c, &mut out)?;
        } else if token.is_semicolon() {
            break;
        } else {
            // The oldest versions list the nets of the pins here.
            out.extra.get_or_insert_default().nets.push(token.text);
        }
    }
    if out.extra.as_deref() == Some(&ComponentExtra::default()) {
        // Only clauses that are not known were met.
        out.extra = None;
    }
    file.components.push(out);
    Ok(())
}

fn clause<'a>(c: &mut Cursor<'a, '_>, out: &mut Component<'a>) -> Result<()> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a clause of the component", &mut buffer)?;
    if let Some(status) = status(word) {
        out.placement = placement(c, status)?;
        return Ok(());
    }
    let extra = out.extra.get_or_insert_default();
    match word {
        "SOURCE" => extra.source = Some(c.word("a source")?),
        "WEIGHT" => extra.weight = Some(c.u32("a weight")?),
        "EEQMASTER" => extra.eeq_master = Some(c.word("a macro's name")?),
        "GENERATE" => extra.generate = Some(clause_text(c)?),
        "FOREIGN" => extra.foreign = Some(clause_text(c)?),
        "REGION" => {
            if c.peek().is_some_and(|t| t.is("(")) {
                extra.region_area = Some(rect(c)?);
            } else {
                extra.region = Some(c.word("a region's name")?);
            }
        }
        "HALO" => {
            extra.halo_soft = c.eat("SOFT");
            let what = "a halo distance";
            extra.halo = Some([c.dbu(what)?, c.dbu(what)?, c.dbu(what)?, c.dbu(what)?]);
        }
        "ROUTEHALO" => {
            extra.route_halo = Some(RouteHalo {
                distance: c.dbu("a halo distance")?,
                min_layer: c.word("a layer")?,
                max_layer: c.word("a layer")?,
            });
        }
        "MASKSHIFT" => extra.mask_shift = Some(c.word("mask shift digits")?),
        "PROPERTY" => properties(c, &mut extra.properties)?,
        _ => unknown_clause(c, token, "COMPONENTS")?,
    }
    Ok(())
}
