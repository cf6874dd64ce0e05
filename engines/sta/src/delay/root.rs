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

/// A root of `f` (value and slope) between `x1` and `x2`, by Newton steps that fall back to
/// bisection when they leave the bracket or converge slowly; the step must come below
/// `tolerance` relative to the root. `None` without a sign change or convergence.
///
/// Method: W. H. Press et al., Numerical Recipes, "Newton-Raphson method using derivatives".
pub(super) fn find(
    f: impl Fn(f64) -> (f64, f64),
    x1: f64,
    x2: f64,
    tolerance: f64,
    iterations: u32,
) -> Option<f64> {
    let (y1, y2) = (f(x1).0, f(x2).0);
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
    let (mut y, mut dy) = f(root);
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

/// Solves `a x = b` in place by elimination with partial pivoting. `false` when singular.
pub(super) fn solve<const N: usize>(a: &mut [[f64; N]; N], b: &mut [f64; N]) -> bool {
    for column in 0..N {
        let mut best = column;
        for row in column + 1..N {
            if a[row][column].abs() > a[best][column].abs() {
                best = row;
            }
        }
        if a[best][column] == 0.0 || !a[best][column].is_finite() {
            return false;
        }
        a.swap(column, best);
        b.swap(column, best);
        for row in column + 1..N {
            let factor = a[row][column] / a[column][column];
            let pivot = a[column];
            for (value, pivot) in a[row].iter_mut().zip(pivot).skip(column) {
                *value -= factor * pivot;
            }
            b[row] -= factor * b[column];
        }
    }
    for row in (0..N).rev() {
        for k in row + 1..N {
            b[row] -= a[row][k] * b[k];
        }
        b[row] /= a[row][row];
    }
    b.iter().all(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_and_systems() {
        let root = find(|x| (x * x - 2.0, 2.0 * x), 0.0, 2.0, 1e-12, 50).unwrap();
        assert!((root - 2.0_f64.sqrt()).abs() < 1e-9);
        assert!(find(|x| (x * x + 1.0, 2.0 * x), 0.0, 2.0, 1e-9, 50).is_none());
        let mut a = [[0.0, 2.0], [3.0, 1.0]];
        let mut b = [4.0, 5.0];
        assert!(solve(&mut a, &mut b));
        assert!((b[0] - 1.0).abs() < 1e-12 && (b[1] - 2.0).abs() < 1e-12);
        assert!(!solve(&mut [[1.0, 1.0], [1.0, 1.0]], &mut [1.0, 2.0]));
    }

    #[test]
    fn the_exponential_is_close_and_bounded() {
        assert_eq!(exp(-13.0), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert!((exp(-1.0) / (-1.0_f64).exp() - 1.0).abs() < 2e-4);
    }
}
