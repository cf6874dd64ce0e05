//! Free room for hard macros on an integer grid of 2⁻¹⁰ µm.
//!
//! A macro's outline is widened to an even number of units that holds its size and the gap, so
//! centres on the grid that keep these outlines apart keep the true ones apart exactly, in exact
//! arithmetic and in doubles alike: `x ± w/2` rounds monotonically and the widened edge is a double.
//! Such centres are also exact in single precision up to 8 mm.

use crate::error::MacroError;
use crate::exact::leaves;
use crate::model::Model;
use crate::netlist::Kind;

/// Units per µm.
pub(crate) const UNITS: f64 = 1024.0;

/// Hard macros of a model as widened outlines, and where they are.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// Bodies of the hard macros.
    pub(crate) bodies: Vec<u32>,
    /// Whether each may move.
    pub(crate) free: Vec<bool>,
    /// Half sizes in units, gap included (half of it on each side).
    half: Vec<[i32; 2]>,
    /// Range of centres inside the canvas: low and high of x, then of y.
    range: Vec<[i32; 4]>,
    /// Centres in units. Fixed macros are held by rounded boxes, so their entries are inexact.
    at: Vec<[i32; 2]>,
    /// Whether a macro stands in the way of others yet.
    present: Vec<bool>,
}

impl Room {
    /// All hard macros of a model, none present but the fixed ones.
    ///
    /// # Errors
    /// When a macro is larger than the canvas.
    pub(crate) fn new(
        model: &Model,
        gap: f64,
        place: impl Fn(usize) -> (f64, f64, bool),
    ) -> Result<Self, MacroError> {
        let mut room = Room {
            bodies: Vec::new(),
            free: Vec::new(),
            half: Vec::new(),
            range: Vec::new(),
            at: Vec::new(),
            present: Vec::new(),
        };
        let (width, height) = (model.settings.width, model.settings.height);
        for body in 0..model.bodies() {
            if model.kind[body] != Kind::Hard {
                continue;
            }
            let (x, y, fixed) = place(body);
            let (w, h) = (model.width[body], model.height[body]);
            let half = |size: f64| ((size + gap) / 2.0 * UNITS).ceil() as i32;
            let range = |size: f64, extent: f64| {
                let (mut low, mut high) = (
                    (size / 2.0 * UNITS).ceil() as i32,
                    ((extent - size / 2.0) * UNITS).floor() as i32,
                );
                // The differences above may round; the exact question settles it.
                while low <= high && leaves(f64::from(low) / UNITS, size, extent) {
                    low += 1;
                }
                while low <= high && leaves(f64::from(high) / UNITS, size, extent) {
                    high -= 1;
                }
                (low, high)
            };
            let ((x0, x1), (y0, y1)) = (range(w, width), range(h, height));
            if !fixed && (x0 > x1 || y0 > y1) {
                return Err(MacroError::NoRoom {
                    name: model.names[body].clone(),
                    width: w,
                    height: h,
                    hint: "it is larger than the canvas",
                });
            }
            // A fixed macro need not lie on the grid: one unit more covers its rounding.
            let extra = i32::from(fixed);
            room.bodies.push(body as u32);
            room.free.push(!fixed);
            room.half.push([half(w) + extra, half(h) + extra]);
            room.range.push([x0, x1, y0, y1]);
            room.at.push([(x * UNITS).round() as i32, (y * UNITS).round() as i32]);
            room.present.push(fixed);
        }
        Ok(room)
    }

    pub(crate) fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Centre of a macro in µm.
    pub(crate) fn centre(&self, n: usize) -> (f64, f64) {
        (f64::from(self.at[n][0]) / UNITS, f64::from(self.at[n][1]) / UNITS)
    }

    pub(crate) fn at(&self, n: usize) -> [i32; 2] {
        self.at[n]
    }

    pub(crate) fn size(&self, n: usize) -> [i32; 2] {
        self.half[n]
    }

    /// Area of the widened outline, in a quarter of units².
    pub(crate) fn area(&self, n: usize) -> i64 {
        let [w, h] = self.half[n];
        i64::from(w) * i64::from(h)
    }

    pub(crate) fn put(&mut self, n: usize, at: [i32; 2]) {
        self.at[n] = at;
        self.present[n] = true;
    }

    /// Takes a macro away; it keeps its entry and stands in nobody's way until it is put again.
    pub(crate) fn lift(&mut self, n: usize) {
        self.present[n] = false;
    }

    /// The macros that stand in the way of macro `n` at a centre inside the canvas, in order; nothing
    /// if one of them is fixed or there are more than `most`.
    pub(crate) fn in_way(&self, n: usize, at: [i32; 2], most: usize) -> Option<Vec<usize>> {
        let half = self.half[n];
        let mut found = Vec::new();
        for other in (0..self.at.len()).filter(|o| self.present[*o] && *o != n) {
            let meets = (self.at[other][0] - at[0]).abs() < self.half[other][0] + half[0]
                && (self.at[other][1] - at[1]).abs() < self.half[other][1] + half[1];
            if meets {
                if !self.free[other] || found.len() == most {
                    return None;
                }
                found.push(other);
            }
        }
        Some(found)
    }

    /// The centre inside the canvas that is nearest to one in units.
    pub(crate) fn clip_to(&self, n: usize, at: [i32; 2]) -> [i32; 2] {
        let [x0, x1, y0, y1] = self.range[n];
        [at[0].clamp(x0, x1), at[1].clamp(y0, y1)]
    }

    /// The nearest centre inside the canvas, in units.
    pub(crate) fn clip(&self, n: usize, x: f64, y: f64) -> [i32; 2] {
        let [x0, x1, y0, y1] = self.range[n];
        [((x * UNITS).round() as i32).clamp(x0, x1), ((y * UNITS).round() as i32).clamp(y0, y1)]
    }

    /// Whether macro `n` fits at a centre inside the canvas, the macros of `without` aside.
    #[inline]
    pub(crate) fn fits(&self, n: usize, at: [i32; 2], without: &[usize]) -> bool {
        let [x0, x1, y0, y1] = self.range[n];
        if at[0] < x0 || at[0] > x1 || at[1] < y0 || at[1] > y1 {
            return false;
        }
        let half = self.half[n];
        for other in 0..self.at.len() {
            let meets = (self.at[other][0] - at[0]).abs() < self.half[other][0] + half[0]
                && (self.at[other][1] - at[1]).abs() < self.half[other][1] + half[1];
            if meets && self.present[other] && other != n && !without.contains(&other) {
                return false;
            }
        }
        true
    }

    /// The free centre nearest to a wanted one (Manhattan distance), if there is one within `reach`
    /// units. A nearest one has each coordinate either as wanted or abutting something.
    pub(crate) fn nearest(&self, n: usize, want: [i32; 2], reach: i32) -> Option<[i32; 2]> {
        if self.fits(n, want, &[]) { Some(want) } else { self.search(n, want, reach, None) }
    }

    /// As [`Room::nearest`], but only among some values of y.
    pub(crate) fn nearest_in_rows(
        &self,
        n: usize,
        want: [i32; 2],
        rows: &[i32],
    ) -> Option<[i32; 2]> {
        self.search(n, want, i32::MAX - 1, Some(rows))
    }

    fn search(
        &self,
        n: usize,
        want: [i32; 2],
        reach: i32,
        rows: Option<&[i32]>,
    ) -> Option<[i32; 2]> {
        let [x0, x1, y0, y1] = self.range[n];
        let half = self.half[n];
        let mut lists = [vec![want[0].clamp(x0, x1)], vec![want[1].clamp(y0, y1)]];
        for other in (0..self.at.len()).filter(|o| self.present[*o] && *o != n) {
            for axis in 0..2 {
                let apart = self.half[other][axis] + half[axis];
                for c in [self.at[other][axis] - apart, self.at[other][axis] + apart] {
                    let (low, high) = if axis == 0 { (x0, x1) } else { (y0, y1) };
                    if c >= low && c <= high && (c - want[axis]).abs() <= reach {
                        lists[axis].push(c);
                    }
                }
            }
        }
        if let Some(rows) = rows {
            lists[1] = rows.iter().copied().filter(|y| *y >= y0 && *y <= y1).collect();
        }
        for (axis, list) in lists.iter_mut().enumerate() {
            list.sort_unstable_by_key(|c| ((c - want[axis]).abs(), *c));
            list.dedup();
        }
        let mut best = None;
        let mut least = reach.saturating_add(1);
        for &x in &lists[0] {
            let dx = (x - want[0]).abs();
            if dx >= least {
                break;
            }
            for &y in &lists[1] {
                let far = dx.saturating_add((y - want[1]).abs());
                if far >= least {
                    break;
                }
                if self.fits(n, [x, y], &[]) {
                    least = far;
                    best = Some([x, y]);
                }
            }
        }
        best
    }
}
