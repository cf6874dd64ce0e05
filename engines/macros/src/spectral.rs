//! The electric field of a density map on a square of bins with closed walls.
//!
//! Poisson's equation by cosine series, as ePlace has it (Lu et al., "ePlace: electrostatics based
//! placement using fast Fourier transform and Nesterov's method", 2015). The maps are small, so the
//! transforms are products with tables.

/// Tables for maps of `side` × `side` bins.
#[derive(Debug)]
pub(crate) struct Field {
    side: usize,
    /// `cos(π u (i + ½) / side)` at `[u][i]`.
    cos: Vec<f64>,
    sin: Vec<f64>,
    /// The field along x, row by row.
    pub(crate) x: Vec<f64>,
    /// The field along y.
    pub(crate) y: Vec<f64>,
}

impl Field {
    pub(crate) fn new(side: usize) -> Self {
        let step = std::f64::consts::PI / side as f64;
        let table = |f: fn(f64) -> f64| {
            (0..side * side)
                .map(|n| f(step * (n / side) as f64 * ((n % side) as f64 + 0.5)))
                .collect()
        };
        let zero = vec![0.0; side * side];
        Field { side, cos: table(f64::cos), sin: table(f64::sin), x: zero.clone(), y: zero }
    }

    /// Computes the field of a map `density[row][column]`. A charge feels `charge × field` and is
    /// pushed to where there is less.
    pub(crate) fn solve(&mut self, density: &[f64]) {
        let n = self.side;
        // a[v][u]: amplitude of cos(u x) cos(v y).
        let along = times_transposed(density, &self.cos, n);
        let amplitude = times(&self.cos, &along, n);
        let step = std::f64::consts::PI / n as f64;
        let (mut ax, mut ay) = (vec![0.0; n * n], vec![0.0; n * n]);
        for v in 0..n {
            for u in 0..n {
                if u == 0 && v == 0 {
                    continue;
                }
                let norm = if u == 0 || v == 0 { 2.0 } else { 4.0 } / (n * n) as f64;
                let (wu, wv) = (step * u as f64, step * v as f64);
                let potential = norm * amplitude[v * n + u] / (wu * wu + wv * wv);
                ax[v * n + u] = potential * wu;
                ay[v * n + u] = potential * wv;
            }
        }
        // E = -∇φ: sines along the axis of the derivative.
        self.x = transposed_times(&self.cos, &times(&ax, &self.sin, n), n);
        self.y = transposed_times(&self.sin, &times(&ay, &self.cos, n), n);
    }
}

/// `a · b`.
fn times(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for (row, out) in a.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        for (factor, line) in row.iter().zip(b.chunks_exact(n)) {
            for (o, v) in out.iter_mut().zip(line) {
                *o += factor * v;
            }
        }
    }
    out
}

/// `a · bᵀ`.
fn times_transposed(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut out = Vec::with_capacity(n * n);
    for row in a.chunks_exact(n) {
        for line in b.chunks_exact(n) {
            out.push(row.iter().zip(line).map(|(x, y)| x * y).sum());
        }
    }
    out
}

/// `aᵀ · b`.
fn transposed_times(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for (row, line) in a.chunks_exact(n).zip(b.chunks_exact(n)) {
        for (factor, out) in row.iter().zip(out.chunks_exact_mut(n)) {
            for (o, v) in out.iter_mut().zip(line) {
                *o += factor * v;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Field;

    #[test]
    fn a_cosine_has_its_own_field() {
        let n = 16;
        let step = std::f64::consts::PI / n as f64;
        let (u, v) = (3.0 * step, 2.0 * step);
        let at = |i: usize| i as f64 + 0.5;
        let density: Vec<f64> =
            (0..n * n).map(|c| (u * at(c % n)).cos() * (v * at(c / n)).cos()).collect();
        let mut field = Field::new(n);
        field.solve(&density);
        for c in 0..n * n {
            let (x, y) = (at(c % n), at(c / n));
            let scale = 1.0 / (u * u + v * v);
            let ex = scale * u * (u * x).sin() * (v * y).cos();
            let ey = scale * v * (u * x).cos() * (v * y).sin();
            assert!((field.x[c] - ex).abs() < 1e-9 && (field.y[c] - ey).abs() < 1e-9);
        }
    }
}
