//! Layers and their rules.

use super::parse::*;
use super::parse_cell::oxide;
use super::*;
use crate::text::{LONGEST_KEYWORD, Token};

type Result<T> = std::result::Result<T, FormatError>;

pub(super) fn direction(c: &mut Cursor<'_, '_>) -> Result<Direction> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a direction", &mut buffer)?;
    let out = match word {
        "HORIZONTAL" => Direction::Horizontal,
        "VERTICAL" => Direction::Vertical,
        "DIAG45" => Direction::Diag45,
        "DIAG135" => Direction::Diag135,
        _ => {
            return Err(c.error(
                token.at,
                format!("`{}` is not a direction", token.text),
                "use HORIZONTAL, VERTICAL, DIAG45 or DIAG135",
            ));
        }
    };
    c.semicolon()?;
    Ok(out)
}

fn kind(c: &mut Cursor<'_, '_>) -> Result<LayerKind> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a layer type", &mut buffer)?;
    let out = match word {
        "ROUTING" => LayerKind::Routing,
        "CUT" => LayerKind::Cut,
        "MASTERSLICE" => LayerKind::Masterslice,
        "OVERLAP" => LayerKind::Overlap,
        "IMPLANT" => LayerKind::Implant,
        _ => {
            return Err(c.error(
                token.at,
                format!("`{}` is not a layer type", token.text),
                "use ROUTING, CUT, MASTERSLICE, OVERLAP or IMPLANT",
            ));
        }
    };
    c.semicolon()?;
    Ok(out)
}

/// One number for both axes, or one for each.
fn one_or_two(c: &mut Cursor<'_, '_>, what: &str) -> Result<(f64, f64)> {
    let x = c.f64(what)?;
    let y = if c.at_number() { c.f64(what)? } else { x };
    c.semicolon()?;
    Ok((x, y))
}

/// `( ( a b ) ( a b ) … )`.
fn pwl(c: &mut Cursor<'_, '_>) -> Result<Vec<(f64, f64)>> {
    let mut out = Vec::new();
    c.expect("(")?;
    while c.eat("(") {
        out.push((c.f64("a number")?, c.f64("a number")?));
        c.expect(")")?;
    }
    c.expect(")")?;
    Ok(out)
}

fn range(c: &mut Cursor<'_, '_>) -> Result<(f64, f64)> {
    Ok((c.f64("the least width")?, c.f64("the greatest width")?))
}

/// `SPACING` behind the keyword. `None` if it has a condition that is not known; that is told.
fn spacing<'a>(c: &mut Cursor<'a, '_>, start: Token<'a>) -> Result<Option<Spacing<'a>>> {
    let value = c.f64("a spacing")?;
    let mut s = Spacing { at: offset(start.at), value, ..Spacing::default() };
    while !c.eat(";") {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a condition of the spacing", &mut buffer)?;
        match word {
            "CENTERTOCENTER" => s.center_to_center = true,
            "SAMENET" => s.same_net = true,
            "PGONLY" => s.pg_only = true,
            "LAYER" => s.layer = Some(c.word("a layer")?),
            "STACK" => s.stack = true,
            "ADJACENTCUTS" => {
                let cuts = c.u32("a number of cuts")?;
                c.expect("WITHIN")?;
                s.adjacent_cuts = Some((cuts, c.f64("a distance")?));
            }
            "EXCEPTSAMEPGNET" => s.except_same_pg_net = true,
            "PARALLELOVERLAP" => s.parallel_overlap = true,
            "AREA" => s.area = Some(c.f64("an area")?),
            "RANGE" if s.range.is_none() && s.length_threshold.is_none() => {
                s.range = Some(range(c)?);
            }
            "RANGE" => s.second_range = Some(range(c)?),
            "USELENGTHTHRESHOLD" => s.use_length_threshold = true,
            "INFLUENCE" => s.influence = Some(c.f64("a distance")?),
            "LENGTHTHRESHOLD" => s.length_threshold = Some(c.f64("a length")?),
            "ENDOFLINE" => {
                let width = c.f64("a width")?;
                c.expect("WITHIN")?;
                s.end_of_line = Some((width, c.f64("a distance")?));
            }
            "PARALLELEDGE" => {
                let space = c.f64("a distance")?;
                c.expect("WITHIN")?;
                s.parallel_edge = Some((space, c.f64("a distance")?));
            }
            "TWOEDGES" => s.two_edges = true,
            "NOTCHLENGTH" => s.notch_length = Some(c.f64("a length")?),
            "ENDOFNOTCHWIDTH" => {
                let width = c.f64("a width")?;
                c.expect("NOTCHSPACING")?;
                let space = c.f64("a spacing")?;
                c.expect("NOTCHLENGTH")?;
                s.end_of_notch = Some([width, space, c.f64("a length")?]);
            }
            _ => {
                // A rule with an unknown condition must not pass for one without it.
                unknown(c, token, "SPACING")?;
                return Ok(None);
            }
        }
    }
    Ok(Some(s))
}

fn numbers_while(c: &mut Cursor<'_, '_>) -> Result<Vec<f64>> {
    let mut out = Vec::new();
    while c.at_number() {
        out.push(c.f64("a number")?);
    }
    Ok(out)
}

fn spacing_table(c: &mut Cursor<'_, '_>, start: Token<'_>) -> Result<Option<SpacingTable>> {
    let mut buffer = [0; LONGEST_KEYWORD];
    let (word, token) = c.keyword("a kind of spacing table", &mut buffer)?;
    let table = match word {
        "PARALLELRUNLENGTH" => {
            let lengths = numbers_while(c)?;
            let mut rows = Vec::new();
            while c.eat("WIDTH") {
                let row = (c.f64("a width")?, numbers_while(c)?);
                if row.1.len() != lengths.len() {
                    return Err(c.error(
                        start.at,
                        format!("a row has {} spacings for {} lengths", row.1.len(), lengths.len()),
                        "give one spacing per length",
                    ));
                }
                rows.push(row);
            }
            SpacingTable::ParallelRunLength { lengths, rows }
        }
        "TWOWIDTHS" => {
            let mut rows = Vec::new();
            while c.eat("WIDTH") {
                let width = c.f64("a width")?;
                let prl = if c.eat("PRL") { Some(c.f64("a length")?) } else { None };
                rows.push((width, prl, numbers_while(c)?));
            }
            if rows.iter().any(|r| r.2.len() != rows.len()) {
                return Err(c.error(
                    start.at,
                    "the table is not square",
                    "give one spacing per row in every row",
                ));
            }
            SpacingTable::TwoWidths { rows }
        }
        "INFLUENCE" => {
            let mut rows = Vec::new();
            while c.eat("WIDTH") {
                let width = c.f64("a width")?;
                c.expect("WITHIN")?;
                let within = c.f64("a distance")?;
                c.expect("SPACING")?;
                rows.push([width, within, c.f64("a spacing")?]);
            }
            SpacingTable::Influence(rows)
        }
        "ORTHOGONAL" => {
            let mut rows = Vec::new();
            while c.eat("WITHIN") {
                let within = c.f64("a distance")?;
                c.expect("SPACING")?;
                rows.push([within, c.f64("a spacing")?]);
            }
            SpacingTable::Orthogonal(rows)
        }
        _ => {
            unknown(c, token, "SPACINGTABLE")?;
            return Ok(None);
        }
    };
    // LEF 5.7 allows an INFLUENCE part behind PARALLELRUNLENGTH in one statement.
    if !c.eat(";") {
        let token = c.need("`;`")?;
        unknown(c, token, "SPACINGTABLE")?;
        return Ok(None);
    }
    Ok(Some(table))
}

fn enclosure(c: &mut Cursor<'_, '_>, at: usize, preferred: bool) -> Result<Enclosure> {
    let side = if c.eat("ABOVE") {
        Side::Above
    } else if c.eat("BELOW") {
        Side::Below
    } else {
        Side::Both
    };
    let mut out = Enclosure {
        at: offset(at),
        preferred,
        side,
        overhang1: c.f64("an overhang")?,
        overhang2: c.f64("an overhang")?,
        width: None,
        except_extra_cut: None,
        length: None,
    };
    while !c.eat(";") {
        if c.eat("WIDTH") {
            out.width = Some(c.f64("a width")?);
        } else if c.eat("EXCEPTEXTRACUT") {
            out.except_extra_cut = Some(c.f64("a distance")?);
        } else {
            c.expect("LENGTH")?;
            out.length = Some(c.f64("a length")?);
        }
    }
    Ok(out)
}

fn minimum_cut(c: &mut Cursor<'_, '_>, at: usize) -> Result<MinimumCut> {
    let cuts = c.u32("a number of cuts")?;
    c.expect("WIDTH")?;
    let width = c.f64("a width")?;
    let mut out =
        MinimumCut { at: offset(at), cuts, width, within: None, side: None, length: None };
    while !c.eat(";") {
        if c.eat("WITHIN") {
            out.within = Some(c.f64("a distance")?);
        } else if c.eat("FROMABOVE") {
            out.side = Some(Side::Above);
        } else if c.eat("FROMBELOW") {
            out.side = Some(Side::Below);
        } else {
            c.expect("LENGTH")?;
            let length = c.f64("a length")?;
            c.expect("WITHIN")?;
            out.length = Some((length, c.f64("a distance")?));
        }
    }
    Ok(out)
}

fn antenna_kind(word: &str) -> Option<AntennaKind> {
    Some(match word {
        "ANTENNAAREARATIO" => AntennaKind::AreaRatio,
        "ANTENNADIFFAREARATIO" => AntennaKind::DiffAreaRatio,
        "ANTENNACUMAREARATIO" => AntennaKind::CumAreaRatio,
        "ANTENNACUMDIFFAREARATIO" => AntennaKind::CumDiffAreaRatio,
        "ANTENNAAREAFACTOR" => AntennaKind::AreaFactor,
        "ANTENNASIDEAREARATIO" => AntennaKind::SideAreaRatio,
        "ANTENNADIFFSIDEAREARATIO" => AntennaKind::DiffSideAreaRatio,
        "ANTENNACUMSIDEAREARATIO" => AntennaKind::CumSideAreaRatio,
        "ANTENNACUMDIFFSIDEAREARATIO" => AntennaKind::CumDiffSideAreaRatio,
        "ANTENNASIDEAREAFACTOR" => AntennaKind::SideAreaFactor,
        "ANTENNACUMROUTINGPLUSCUT" => AntennaKind::CumRoutingPlusCut,
        "ANTENNAGATEPLUSDIFF" => AntennaKind::GatePlusDiff,
        "ANTENNAAREAMINUSDIFF" => AntennaKind::AreaMinusDiff,
        "ANTENNAAREADIFFREDUCEPWL" => AntennaKind::AreaDiffReduce,
        "ANTENNALENGTHFACTOR" => AntennaKind::LengthFactor,
        _ => return None,
    })
}

fn antenna(
    c: &mut Cursor<'_, '_>,
    at: usize,
    kind: AntennaKind,
    oxide: u32,
) -> Result<AntennaRule> {
    let (mut value, mut points) = (None, Vec::new());
    if kind == AntennaKind::AreaDiffReduce || c.eat("PWL") {
        points = pwl(c)?;
    } else if kind != AntennaKind::CumRoutingPlusCut {
        value = Some(c.f64("an antenna value")?);
    }
    let diffuse_only = c.eat("DIFFUSEONLY");
    c.semicolon()?;
    Ok(AntennaRule { at: offset(at), oxide, kind, value, pwl: points, diffuse_only })
}

/// `ACCURRENTDENSITY` or `DCCURRENTDENSITY`: one value, or a table whose parts end in `;` each.
fn current_density<'a>(c: &mut Cursor<'a, '_>, at: usize, ac: bool) -> Result<CurrentDensity<'a>> {
    let kind = c.word("PEAK, AVERAGE or RMS")?;
    let mut out = CurrentDensity { at: offset(at), ac, kind, ..CurrentDensity::default() };
    if c.at_number() {
        out.value = Some(value(c, "a current density")?);
        return Ok(out);
    }
    if c.eat("FREQUENCY") {
        out.frequencies = c.numbers("a frequency")?;
    }
    if c.eat("WIDTH") || c.eat("CUTAREA") {
        out.sizes = c.numbers("a width or area")?;
    }
    c.expect("TABLEENTRIES")?;
    out.entries = c.numbers("a current density")?;
    let want = out.frequencies.len().max(1) * out.sizes.len().max(1);
    if out.entries.len() != want {
        let have = out.entries.len();
        c.note(crate::text::Severity::Warning, "lef-table-size", at, || {
            format!("the table of current densities has {have} entries, {want} belong to its axes")
        });
    }
    Ok(out)
}

/// `LAYER` behind the keyword, up to and with its `END`.
pub(super) fn layer<'a>(c: &mut Cursor<'a, '_>) -> Result<Layer<'a>> {
    let name = c.word("a layer's name")?;
    let mut out = Layer { at: offset(c.at()), name, ..Layer::default() };
    let mut oxide_model = 1;
    loop {
        let mut buffer = [0; LONGEST_KEYWORD];
        let (word, token) = c.keyword("a statement of the layer", &mut buffer)?;
        match word {
            "TYPE" => out.kind = kind(c)?,
            "MASK" => {
                out.masks = Some(c.u32("a number of masks")?);
                c.semicolon()?;
            }
            "DIRECTION" => out.direction = Some(direction(c)?),
            "PITCH" => out.pitch = Some(one_or_two(c, "a pitch")?),
            "DIAGPITCH" => out.diag_pitch = Some(one_or_two(c, "a pitch")?),
            "OFFSET" => out.offset = Some(one_or_two(c, "an offset")?),
            "WIDTH" => out.width = Some(value(c, "a width")?),
            "MINWIDTH" => out.min_width = Some(value(c, "a width")?),
            "MAXWIDTH" => out.max_width = Some(value(c, "a width")?),
            "AREA" => out.area = Some(value(c, "an area")?),
            "SPACING" => out.spacings.extend(spacing(c, token)?),
            "SPACINGTABLE" => out.spacing_tables.extend(spacing_table(c, token)?),
            "RESISTANCE" => {
                if c.eat("RPERSQ") && c.eat("PWL") {
                    out.resistance_pwl = pwl(c)?;
                } else {
                    out.resistance = Some(c.f64("a resistance")?);
                }
                c.semicolon()?;
            }
            "CAPACITANCE" => {
                if c.eat("CPERSQDIST") && c.eat("PWL") {
                    out.capacitance_pwl = pwl(c)?;
                } else {
                    out.capacitance = Some(c.f64("a capacitance")?);
                }
                c.semicolon()?;
            }
            "EDGECAPACITANCE" => out.edge_capacitance = Some(value(c, "a capacitance")?),
            "THICKNESS" => out.thickness = Some(value(c, "a thickness")?),
            "HEIGHT" => out.height = Some(value(c, "a height")?),
            "WIREEXTENSION" => out.wire_extension = Some(value(c, "an extension")?),
            "ENCLOSURE" => out.enclosures.push(enclosure(c, token.at, false)?),
            "PREFERENCLOSURE" => out.enclosures.push(enclosure(c, token.at, true)?),
            "MINIMUMCUT" => out.minimum_cuts.push(minimum_cut(c, token.at)?),
            "ANTENNAMODEL" => oxide_model = oxide(c)?,
            "ACCURRENTDENSITY" | "DCCURRENTDENSITY" => {
                let ac = word == "ACCURRENTDENSITY";
                out.current_densities.push(current_density(c, token.at, ac)?);
            }
            "PROPERTY" => {
                properties(c, &mut out.properties)?;
                c.semicolon()?;
            }
            "MINSTEP"
            | "MINSIZE"
            | "MINENCLOSEDAREA"
            | "ARRAYSPACING"
            | "PROTRUSIONWIDTH"
            | "DIAGWIDTH"
            | "DIAGSPACING"
            | "DIAGMINEDGELENGTH"
            | "SHRINKAGE"
            | "CAPMULTIPLIER"
            | "SLOTWIREWIDTH"
            | "SLOTWIRELENGTH"
            | "SLOTWIDTH"
            | "SLOTLENGTH"
            | "MAXADJACENTSLOTSPACING"
            | "MAXCOAXIALSLOTSPACING"
            | "MAXEDGESLOTSPACING"
            | "SPLITWIREWIDTH"
            | "MINIMUMDENSITY"
            | "MAXIMUMDENSITY"
            | "DENSITYCHECKWINDOW"
            | "DENSITYCHECKSTEP"
            | "FILLACTIVESPACING"
            | "CURRENTDEN" => {
                out.statements.push(statement(c, token)?);
            }
            "END" => break,
            _ => match antenna_kind(word) {
                Some(kind) => out.antenna.push(antenna(c, token.at, kind, oxide_model)?),
                None => unknown(c, token, "LAYER")?,
            },
        }
    }
    end_of(c, name);
    Ok(out)
}
