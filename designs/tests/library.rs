//! The printed library: tables are monotone and convex, corners are ordered, macros lie on the grid.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use std::collections::BTreeMap;

use cellwright_designs::cells::{FAMILIES, Kind, catalog};
use cellwright_designs::model::Corner;
use cellwright_designs::{lef, liberty, tech};

/// Both axes and the rows.
type Table = (Vec<f64>, Vec<f64>, Vec<Vec<f64>>);

/// A table as printed: (cell, group, ordinal in the cell) to rows.
fn tables(corner: Corner) -> BTreeMap<(String, String, usize), Table> {
    let mut text = Vec::new();
    liberty::write(&mut text, corner).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut found = BTreeMap::new();
    let (mut cell, mut group, mut ordinal) = (String::new(), String::new(), 0);
    let mut axes = Vec::new();
    let mut rows: Option<Vec<Vec<f64>>> = None;
    for line in text.lines().map(str::trim) {
        let inside = |line: &str| -> Vec<f64> {
            let quoted = line.split('"').nth(1).unwrap_or("");
            quoted.split(',').map(|v| v.trim().parse().unwrap()).collect()
        };
        if let Some(rest) = line.strip_prefix("cell (") {
            cell = rest.split(')').next().unwrap().to_string();
            ordinal = 0;
        } else if line.ends_with("(delay_7x7) {") || line.ends_with("(constraint_4x4) {") {
            group = line.split(' ').next().unwrap().to_string();
            axes.clear();
        } else if line.starts_with("index_") {
            axes.push(inside(line));
        } else if line.starts_with("values") {
            rows = Some(vec![inside(line)]);
        } else if line.starts_with('"') {
            rows.as_mut().unwrap().push(inside(line));
        }
        if line.ends_with(");")
            && !line.starts_with("index")
            && let Some(rows) = rows.take()
        {
            let key = (cell.clone(), group.clone(), ordinal);
            found.insert(key, (axes[0].clone(), axes[1].clone(), rows));
            ordinal += 1;
        }
    }
    found
}

#[test]
fn delay_and_slew_tables_are_monotone_and_convex() {
    for corner in Corner::ALL {
        let tables = tables(corner);
        assert!(tables.len() > 800, "{}", tables.len());
        for ((cell, group, _), (first, second, rows)) in &tables {
            assert_eq!(rows.len(), first.len());
            assert!(rows.iter().all(|r| r.len() == second.len()));
            if group.contains("constraint") {
                continue;
            }
            assert_eq!((first.len(), second.len()), (7, 7));
            let columns: Vec<Vec<f64>> =
                (0..second.len()).map(|c| rows.iter().map(|r| r[c]).collect()).collect();
            for (axis, lines) in [(second, rows), (first, &columns)] {
                for line in lines {
                    assert!(line[0] > 0.0);
                    assert!(line.windows(2).all(|w| w[1] >= w[0]), "{cell} {group} {line:?}");
                    let slopes: Vec<f64> = (1..line.len())
                        .map(|i| (line[i] - line[i - 1]) / (axis[i] - axis[i - 1]))
                        .collect();
                    // Rounding to a femtosecond may bend a straight line by that much.
                    for (i, pair) in slopes.windows(2).enumerate() {
                        let grain = 2e-6 / (axis[i + 1] - axis[i]);
                        assert!(pair[1] >= pair[0] - grain, "{cell} {group} {slopes:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn constraints_grow_with_the_slew_that_needs_time() {
    for ((cell, group, _), (_, _, rows)) in tables(Corner::Typ) {
        if !group.contains("constraint") {
            continue;
        }
        // Along a row the data slew grows; setup and recovery rise with it, hold and removal fall. Down
        // a column the clock slew grows, with the opposite effect.
        let rises = rows[0].windows(2).all(|w| w[1] > w[0]);
        let falls = rows[0].windows(2).all(|w| w[1] < w[0]);
        assert!(rises != falls, "{cell}");
        for c in 0..rows[0].len() {
            assert!(rows.windows(2).all(|w| (w[1][c] > w[0][c]) == falls), "{cell}");
        }
    }
}

#[test]
fn slow_is_slower_than_typical_is_slower_than_fast() {
    let [typ, slow, fast] = Corner::ALL.map(tables);
    for (key, (_, _, rows)) in &typ {
        if key.1.contains("constraint") {
            continue;
        }
        for (r, row) in rows.iter().enumerate() {
            for (c, value) in row.iter().enumerate() {
                assert!(slow[key].2[r][c] > *value && *value > fast[key].2[r][c], "{key:?}");
            }
        }
    }
}

#[test]
fn a_stronger_drive_is_faster_into_the_same_load() {
    use cellwright_designs::logic::Sense;
    use cellwright_designs::model::{Edge, stage};
    for family in FAMILIES.iter().filter(|f| f.kind == Kind::Logic) {
        let drives: Vec<_> = catalog().drives(family.gate).map(|m| catalog().master(m)).collect();
        for pair in drives.windows(2) {
            for edge in [Edge::Rise, Edge::Fall] {
                let delay =
                    |m| stage(m, Corner::Typ, 0, 0, Sense::Positive, edge).delay(0.05, 0.03);
                assert!(delay(pair[1]) < delay(pair[0]), "{}", family.name);
            }
        }
    }
}

#[test]
fn lef_pins_stand_on_tracks_and_inside_their_cells() {
    let mut text = Vec::new();
    lef::write_cells(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (mut width, mut pin, mut pins, mut macros) = (0.0, String::new(), 0, 0);
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["MACRO", _] => macros += 1,
            ["SIZE", w, "BY", h, ";"] => {
                width = w.parse::<f64>().unwrap();
                assert_eq!(tech::to_dbu(width) % tech::SITE_WIDTH, 0);
                assert_eq!(tech::to_dbu(h.parse().unwrap()), tech::ROW_HEIGHT);
            }
            ["PIN", name] => pin = (*name).to_string(),
            ["OBS"] => pin = String::from("OBS"),
            ["RECT", a, b, c, d, ";"] => {
                let [x0, y0, x1, y1] = [a, b, c, d].map(|v| tech::to_dbu(v.parse().unwrap()));
                assert!(x0 < x1 && y0 < y1);
                if pin != "VDD" && pin != "VSS" {
                    // The track is the middle of a site, and the bar clears the rails.
                    assert_eq!((x0 + x1) / 2 % tech::SITE_WIDTH, tech::SITE_WIDTH / 2);
                    assert!(x0 >= 0 && x1 <= tech::to_dbu(width));
                    assert!(y0 >= 400 && y1 <= tech::ROW_HEIGHT - 400);
                    pins += 1;
                }
            }
            _ => {}
        }
    }
    assert_eq!(macros, catalog().masters().len());
    assert!(pins > 300);
}
