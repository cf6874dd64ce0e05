//! Numerics of the waveform solver: a bounded exponential, a safeguarded Newton root finder and
//! small linear systems.

/// `exp(x)` for `x ≤ 0`, as `(1 + x / 4096)^4096` by twelve squarings; 0 below −12.
///
/// The approximation is part of the model: its error shows in the fourth digit of delays, and
/// timers that are compared digit by digit must share it.
#[inline]
pub(super) fn exp(x: f64) -> f64 {
    if x < -12.0 {
        return 0.0;
    }
    let mut y = 1.0 + x / 4096.0;
    for _ in 0..12 {
        y *= y;
    }
    y
}

/// Where a root is looked for, with what is known there.
#[derive(Clone, Copy)]
pub(super) struct Bracket {
    /// The ends.
    pub(super) x: [f64; 2],
    /// The values at the ends.
    pub(super) y: [f64; 2],
    /// Value and slope in the middle, at `(x[0] + x[1]) * 0.5`.
    pub(super) middle: (f64, f64),
}

/// A root of `f` (value and slope) in a bracket, by Newton steps that fall back to bisection when
/// they leave the bracket or converge slowly; the step must come below `tolerance` relative to the
/// root. `None` without a sign change or convergence.
///
/// Method: W. H. Press et al., Numerical Recipes, "Newton-Raphson method using derivatives".
#[inline]
pub(super) fn find(
    f: impl Fn(f64) -> (f64, f64),
    bracket: &Bracket,
    tolerance: f64,
    iterations: u32,
) -> Option<f64> {
    let ([x1, x2], [y1, y2]) = (bracket.x, bracket.y);
    if !(y1.is_finite() && y2.is_finite()) || (y1 > 0.0 && y2 > 0.0) || (y1 < 0.0 && y2 < 0.0) {
        return None;
    }
    if y1 == 0.0 {
        return Some(x1);
    }
    if y2 == 0.0 {
        return Some(x2);
    }
    let (mut low, mut high) = if y1 > 0.0 { (x2, x1) } else { (x1, x2) };
    let mut root = (x1 + x2) * 0.5;
    let mut before = (x2 - x1).abs();
    let mut step = before;
    let (mut y, mut dy) = bracket.middle;
    for _ in 0..iterations {
        let outside = ((root - high) * dy - y) * ((root - low) * dy - y) > 0.0;
        if outside || (2.0 * y).abs() > (before * dy).abs() {
            before = step;
            step = (high - low) * 0.5;
            root = low + step;
        } else {
            before = step;
            step = y / dy;
            root -= step;
        }
        if step.abs() <= tolerance * root.abs() {
            return Some(root);
        }
        (y, dy) = f(root);
        if y < 0.0 {
            low = root;
        } else {
            high = root;
        }
    }
    None
}

/// Brings the row that is larger in `column` (the first of equals) to the front; `false` when neither
/// can be divided by.
#[inline]
fn pivot<const N: usize>(column: usize, first: &mut [f64; N], second: &mut [f64; N]) -> bool {
    if second[column].abs() > first[column].abs() {
        std::mem::swap(first, second);
    }
    first[column] != 0.0 && first[column].is_finite()
}

/// The rest of `row` after `pivot` was taken out of it in `column`.
#[inline]
fn eliminate<const N: usize>(column: usize, pivot: &[f64; N], row: &mut [f64; N]) {
    let factor = row[column] / pivot[column];
    for k in column..N {
        row[k] -= factor * pivot[k];
    }
}

/// Solves two equations `a x = b`, rows `[a, b]`, by elimination with partial pivoting. `None` when
/// singular.
#[inline]
pub(super) fn solve2([mut p, mut q]: [[f64; 3]; 2]) -> Option<[f64; 2]> {
    if !pivot(0, &mut p, &mut q) {
        return None;
    }
    eliminate(0, &p, &mut q);
    if q[1] == 0.0 || !q[1].is_finite() {
        return None;
    }
    let y = q[2] / q[1];
    let x = (p[2] - p[1] * y) / p[0];
    (x.is_finite() && y.is_finite()).then_some([x, y])
}

/// Likewise three equations.
#[inline]
pub(super) fn solve3([mut p, mut q, mut r]: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    if q[0].abs() > p[0].abs() {
        if r[0].abs() > q[0].abs() {
            std::mem::swap(&mut p, &mut r);
        } else {
            std::mem::swap(&mut p, &mut q);
        }
    } else if r[0].abs() > p[0].abs() {
        std::mem::swap(&mut p, &mut r);
    }
    if p[0] == 0.0 || !p[0].is_finite() {
        return None;
    }
    eliminate(0, &p, &mut q);
    eliminate(0, &p, &mut r);
    if !pivot(1, &mut q, &mut r) {
        return None;
    }
    eliminate(1, &q, &mut r);
    if r[2] == 0.0 || !r[2].is_finite() {
        return None;
    }
    let z = r[3] / r[2];
    let y = (q[3] - q[2] * z) / q[1];
    let x = (p[3] - p[1] * y - p[2] * z) / p[0];
    (x.is_finite() && y.is_finite() && z.is_finite()).then_some([x, y, z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_and_systems() {
        let f = |x: f64| (x * x - 2.0, 2.0 * x);
        let bracket = Bracket { x: [0.0, 2.0], y: [-2.0, 2.0], middle: f(1.0) };
        let root = find(f, &bracket, 1e-12, 50).unwrap();
        assert!((root - 2.0_f64.sqrt()).abs() < 1e-9);
        let above = Bracket { y: [1.0, 5.0], middle: (2.0, 2.0), ..bracket };
        assert!(find(|x| (x * x + 1.0, 2.0 * x), &above, 1e-9, 50).is_none());
        let [x, y] = solve2([[0.0, 2.0, 4.0], [3.0, 1.0, 5.0]]).unwrap();
        assert!((x - 1.0).abs() < 1e-12 && (y - 2.0).abs() < 1e-12);
        assert!(solve2([[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]]).is_none());
        // Every order of the rows, so that every pivot is met.
        let rows = [[2.0, 1.0, -1.0, 1.0], [4.0, -6.0, 0.0, -8.0], [-2.0, 7.0, 2.0, 18.0]];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let found = solve3(order.map(|at| rows[at])).unwrap();
            for (value, want) in found.into_iter().zip([1.0, 2.0, 3.0]) {
                assert!((value - want).abs() < 1e-12, "{order:?} {found:?}");
            }
        }
        assert!(solve3([rows[0], rows[0], rows[1]]).is_none());
    }

    #[test]
    fn the_exponential_is_close_and_bounded() {
        assert_eq!(exp(-13.0), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert!((exp(-1.0) / (-1.0_f64).exp() - 1.0).abs() < 2e-4);
    }
}
