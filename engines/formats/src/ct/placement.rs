//! The `.plc` file: settings in comments, then one line `index x y orientation fixed` per item.

use cellwright_macros::Orient;
use cellwright_macros::netlist::{Blockage, Netlist, Placement, Settings, Spot};

use crate::text::{FormatError, Problems, Severity, Source, parse_f64, parse_u32};

/// Reads a placement for a netlist.
///
/// # Errors
/// When a line is no placement, names an item that does not exist or is a pin, or stands twice; when
/// a setting is no number.
pub fn read_placement(
    source: &Source,
    netlist: &Netlist,
    problems: &mut Problems,
) -> Result<Placement, FormatError> {
    let mut settings = Settings { columns: 0, rows: 0, ..Settings::default() };
    let mut spots = vec![None; netlist.items.len()];
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim();
        match line.strip_prefix('#') {
            Some(comment) => {
                if let Err(word) = setting(&mut settings, comment) {
                    return Err(source.error(
                        start,
                        format!("`{word}` is no number that fits this setting"),
                        "compare with a header that Circuit Training wrote",
                    ));
                }
            }
            None if line.is_empty() => {}
            None => {
                let (index, spot) = spot(line).ok_or_else(|| {
                    source.error(
                        start,
                        "this is no placement",
                        "a line is `index x y orientation fixed`, such as `12 7.5 30 N 0`",
                    )
                })?;
                let item = netlist.items.get(index as usize).filter(|i| !i.kind.is_pin());
                let Some(item) = item else {
                    return Err(source.error(
                        start,
                        format!("item {index} is a pin or does not exist"),
                        "the placement belongs to another netlist",
                    ));
                };
                if spots[index as usize].replace(spot).is_some() {
                    return Err(source.error(
                        start,
                        format!("item {index} (`{}`) is placed twice", item.name),
                        "leave one of the lines",
                    ));
                }
            }
        }
    }
    let missing =
        |(i, spot): &(usize, &Option<Spot>)| spot.is_none() && !netlist.items[*i].kind.is_pin();
    for (i, _) in spots.iter().enumerate().filter(missing) {
        problems.report(Severity::Warning, "plc-unplaced", source, 0, || {
            format!("`{}` (item {i}) has no line", netlist.items[i].name)
        });
    }
    if settings.columns == 0 || settings.rows == 0 {
        problems.report(Severity::Warning, "plc-no-grid", source, 0, || {
            "no grid is set; the evaluator's default of 10 × 10 is taken".to_owned()
        });
        (settings.columns, settings.rows) = (10, 10);
    }
    if !settings.blockages.is_empty() {
        problems.report(Severity::Info, "plc-blockage", source, 0, || {
            "blockages are carried along; the proxy cost does not know them".to_owned()
        });
    }
    Ok(Placement { settings, spots })
}

fn spot(line: &str) -> Option<(u32, Spot)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let &[index, x, y, orient, fixed] = words.as_slice() else { return None };
    let orient = match orient {
        "-" => None,
        word => Some(word.parse::<Orient>().ok()?),
    };
    let fixed = match fixed {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    Some((parse_u32(index)?, Spot { x: parse_f64(x)?, y: parse_f64(y)?, orient, fixed }))
}

/// One comment line. Keys stand before a colon; several pairs may share a line.
fn setting(settings: &mut Settings, comment: &str) -> Result<(), String> {
    let words: Vec<&str> = comment
        .split(|c: char| c.is_ascii_whitespace() || c == ':' || c == ',')
        .filter(|w| !w.is_empty())
        .collect();
    let real =
        |word: &str| parse_f64(word).filter(|v| v.abs() <= 1e9).ok_or_else(|| word.to_owned());
    let whole = |word: &str| match parse_f64(word) {
        Some(v) if v.fract() == 0.0 && (0.0..=1e9).contains(&v) => Ok(v as u32),
        _ => Err(word.to_owned()),
    };
    match *words.as_slice() {
        ["Columns", columns, "Rows", rows] => {
            (settings.columns, settings.rows) = (whole(columns)?, whole(rows)?);
        }
        ["Width", width, "Height", height] => {
            (settings.width, settings.height) = (real(width)?, real(height)?);
        }
        ["Routes", "per", "micron", "hor", h, "ver", v] => {
            (settings.routes_h, settings.routes_v) = (real(h)?, real(v)?);
        }
        ["Routes", "used", "by", "macros", "hor", h, "ver", v] => {
            (settings.macro_routes_h, settings.macro_routes_v) = (real(h)?, real(v)?);
        }
        ["Smoothing", "factor", range] => settings.smooth_range = whole(range)?,
        ["Overlap", "threshold", share] => settings.overlap_threshold = Some(real(share)?),
        ["Blockage", a, b, c, d, rate] => {
            let rect = [real(a)?, real(b)?, real(c)?, real(d)?];
            settings.blockages.push(Blockage { rect, rate: real(rate)? });
        }
        ["Project", name] => settings.project = Some(name.to_owned()),
        ["Block", name] => settings.block = Some(name.to_owned()),
        _ => {}
    }
    Ok(())
}
