//! The electrostatic field of a charge map by spectral methods.
//!
//! Charge ρ on an nx × ny grid with zero slope at the border is a sum of cosines; each term of the
//! potential is a/(wu² + wv²) and the field its derivative (Lu et al., "ePlace: electrostatics
//! based placement using fast Fourier transform and Nesterov's method", TODAES 2015). Cosine and
//! sine transforms run through complex FFTs of the same length after Makhoul's reordering ("A fast
//! cosine transform in one and two dimensions", IEEE TASSP 1980), two real rows in one FFT.

use std::f64::consts::PI;
use std::sync::Arc;

use rayon::prelude::*;
use rustfft::num_complex::Complex32;
use rustfft::{Fft, FftPlanner};

/// Rows per piece of parallel work; even, since rows go in pairs.
const ROWS: usize = 16;

/// Cosine and sine transforms of one length.
struct Line {
    n: usize,
    forward: Arc<dyn Fft<f32>>,
    inverse: Arc<dyn Fft<f32>>,
    /// e^(−iπk/2n).
    twiddle: Vec<Complex32>,
}

/// Which series to sum in an inverse transform.
#[derive(Clone, Copy, PartialEq)]
enum Series {
    /// Σ Xk cos(πk(2i+1)/2n).
    Cosine,
    /// Σ Xk sin(πk(2i+1)/2n).
    Sine,
}

impl Line {
    fn new(n: usize, planner: &mut FftPlanner<f32>) -> Self {
        let angle = |k: usize| -PI * k as f64 / (2.0 * n as f64);
        let twiddle = (0..n).map(|k| Complex32::new(angle(k).cos() as f32, angle(k).sin() as f32));
        Line {
            n,
            forward: planner.plan_fft_forward(n),
            inverse: planner.plan_fft_inverse(n),
            twiddle: twiddle.collect(),
        }
    }

    /// Unscaled DCT-II of two rows: Xk = Σ x_i cos(πk(2i+1)/2n).
    fn analyse(
        &self,
        a: &mut [f32],
        b: &mut [f32],
        z: &mut [Complex32],
        scratch: &mut [Complex32],
    ) {
        let n = self.n;
        for i in 0..n.div_ceil(2) {
            z[i] = Complex32::new(a[2 * i], b[2 * i]);
        }
        for i in 0..n / 2 {
            z[n - 1 - i] = Complex32::new(a[2 * i + 1], b[2 * i + 1]);
        }
        self.forward.process_with_scratch(z, scratch);
        for k in 0..n {
            let (p, q) = (z[k], z[(n - k) % n].conj());
            // Spectra of the two real rows.
            let va = (p + q) * 0.5;
            let vb = (p - q) * Complex32::new(0.0, -0.5);
            a[k] = (self.twiddle[k] * va).re;
            b[k] = (self.twiddle[k] * vb).re;
        }
    }

    /// Sums the series of two rows of coefficients (that of index 0 counts half as in a DCT-III is
    /// the caller's business: here it counts whole).
    fn sum(
        &self,
        series: Series,
        a: &mut [f32],
        b: &mut [f32],
        z: &mut [Complex32],
        scratch: &mut [Complex32],
    ) {
        let n = self.n;
        // Σ Xk sin(πk(2i+1)/2n) = (−1)^i Σ X(n−k) cos(πk(2i+1)/2n).
        let coefficient = |row: &[f32], k: usize| match series {
            Series::Cosine => row[k],
            Series::Sine if k == 0 => 0.0,
            Series::Sine => row[n - k],
        };
        for (k, z) in z.iter_mut().enumerate() {
            // From Makhoul: V_k = e^(iπk/2n) (X_k − i X_(n−k)) / 2 recovers the reordered row; with
            // the inverse FFT unscaled this sums 2·ΣX cos − X₀, so halves are put right below.
            let (xa, xb) = (coefficient(a, k), coefficient(b, k));
            let (ya, yb) =
                if k == 0 { (0.0, 0.0) } else { (coefficient(a, n - k), coefficient(b, n - k)) };
            let half = if k == 0 { 1.0 } else { 0.5 };
            let w = self.twiddle[k].conj() * half;
            let va = w * Complex32::new(xa, -ya);
            let vb = w * Complex32::new(xb, -yb);
            *z = va + vb * Complex32::new(0.0, 1.0);
        }
        self.inverse.process_with_scratch(z, scratch);
        let sine = series == Series::Sine;
        for i in 0..n.div_ceil(2) {
            a[2 * i] = z[i].re;
            b[2 * i] = z[i].im;
        }
        for i in 0..n / 2 {
            let sign = if sine { -1.0 } else { 1.0 };
            a[2 * i + 1] = sign * z[n - 1 - i].re;
            b[2 * i + 1] = sign * z[n - 1 - i].im;
        }
    }

    fn rows(
        &self,
        map: &mut [f32],
        work: impl Fn(&Line, &mut [f32], &mut [f32], &mut [Complex32], &mut [Complex32]) + Sync,
    ) {
        let n = self.n;
        let scratch =
            self.forward.get_inplace_scratch_len().max(self.inverse.get_inplace_scratch_len());
        map.par_chunks_mut(n * ROWS).for_each(|rows| {
            let mut z = vec![Complex32::default(); n];
            let mut scratch = vec![Complex32::default(); scratch];
            let mut spare = Vec::new();
            for pair in rows.chunks_mut(2 * n) {
                if pair.len() == 2 * n {
                    let (a, b) = pair.split_at_mut(n);
                    work(self, a, b, &mut z, &mut scratch);
                } else {
                    spare.resize(n, 0.0);
                    work(self, pair, &mut spare, &mut z, &mut scratch);
                }
            }
        });
    }
}

/// Solves the field on one grid, again and again.
pub struct Poisson {
    nx: usize,
    ny: usize,
    along_x: Line,
    along_y: Line,
    /// wu per column and wv per row, 1 over the length unit.
    wu: Vec<f32>,
    wv: Vec<f32>,
    scratch: Vec<f32>,
}

impl std::fmt::Debug for Poisson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Poisson({} x {})", self.nx, self.ny)
    }
}

impl Poisson {
    /// A solver for `nx` × `ny` bins of `w` × `h` length units.
    pub fn new(nx: usize, ny: usize, w: f64, h: f64) -> Self {
        let mut planner = FftPlanner::new();
        let frequency = |n: usize, size: f64| -> Vec<f32> {
            (0..n).map(|k| (PI * k as f64 / (n as f64 * size)) as f32).collect()
        };
        Poisson {
            nx,
            ny,
            along_x: Line::new(nx, &mut planner),
            along_y: Line::new(ny, &mut planner),
            wu: frequency(nx, w),
            wv: frequency(ny, h),
            scratch: vec![0.0; nx * ny],
        }
    }

    /// From densities (row-major, `nx` per row; overwritten) the field components along x and y at
    /// bin centres: −∇ψ with ∇²ψ = −(ρ − mean), in density × length units.
    pub fn field(&mut self, density: &mut [f32], ex: &mut [f32], ey: &mut [f32]) {
        let (nx, ny) = (self.nx, self.ny);
        self.along_x.rows(density, |line, a, b, z, s| line.analyse(a, b, z, s));
        transpose(density, &mut self.scratch, nx, ny);
        let transposed = &mut self.scratch;
        self.along_y.rows(transposed, |line, a, b, z, s| line.analyse(a, b, z, s));
        // Coefficients lie at [u · ny + v] now. ex takes (sin u, cos v), ey (cos u, sin v).
        let (wu, wv) = (&self.wu, &self.wv);
        let norm = 1.0 / (nx as f32 * ny as f32);
        ex.par_chunks_mut(ny)
            .zip(ey.par_chunks_mut(ny))
            .zip(transposed.par_chunks(ny))
            .enumerate()
            .for_each(|(u, ((ex, ey), a))| {
                let fu = if u == 0 { norm } else { 2.0 * norm };
                for v in 0..ny {
                    let square = wu[u] * wu[u] + wv[v] * wv[v];
                    let potential = if square > 0.0 {
                        a[v] * fu * (if v == 0 { 1.0 } else { 2.0 }) / square
                    } else {
                        0.0
                    };
                    ex[v] = potential * wu[u];
                    ey[v] = potential * wv[v];
                }
            });
        self.along_y.rows(ex, |line, a, b, z, s| line.sum(Series::Cosine, a, b, z, s));
        self.along_y.rows(ey, |line, a, b, z, s| line.sum(Series::Sine, a, b, z, s));
        transpose(ex, density, ny, nx);
        self.along_x.rows(density, |line, a, b, z, s| line.sum(Series::Sine, a, b, z, s));
        ex.copy_from_slice(density);
        transpose(ey, density, ny, nx);
        self.along_x.rows(density, |line, a, b, z, s| line.sum(Series::Cosine, a, b, z, s));
        ey.copy_from_slice(density);
    }
}

/// `out[x · rows + y] = map[y · cols + x]`, in tiles that fit a cache.
fn transpose(map: &[f32], out: &mut [f32], cols: usize, rows: usize) {
    const TILE: usize = 32;
    out.par_chunks_mut(TILE * rows).enumerate().for_each(|(tile, out)| {
        let x0 = tile * TILE;
        let width = out.len() / rows;
        for y0 in (0..rows).step_by(TILE) {
            for x in 0..width {
                for y in y0..rows.min(y0 + TILE) {
                    out[x * rows + y] = map[y * cols + x0 + x];
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums as the definition has them.
    fn direct(density: &[f32], nx: usize, ny: usize, w: f64, h: f64) -> (Vec<f64>, Vec<f64>) {
        let cu = |u: usize, i: usize| (PI * u as f64 * (i as f64 + 0.5) / nx as f64).cos();
        let su = |u: usize, i: usize| (PI * u as f64 * (i as f64 + 0.5) / nx as f64).sin();
        let cv = |v: usize, j: usize| (PI * v as f64 * (j as f64 + 0.5) / ny as f64).cos();
        let sv = |v: usize, j: usize| (PI * v as f64 * (j as f64 + 0.5) / ny as f64).sin();
        let (mut ex, mut ey) = (vec![0.0; nx * ny], vec![0.0; nx * ny]);
        for u in 0..nx {
            for v in 0..ny {
                if u + v == 0 {
                    continue;
                }
                let mut a = 0.0;
                for j in 0..ny {
                    for i in 0..nx {
                        a += f64::from(density[j * nx + i]) * cu(u, i) * cv(v, j);
                    }
                }
                let factor = |k: usize, n: usize| if k == 0 { 1.0 } else { 2.0 } / n as f64;
                a *= factor(u, nx) * factor(v, ny);
                let (wu, wv) = (PI * u as f64 / (nx as f64 * w), PI * v as f64 / (ny as f64 * h));
                let potential = a / (wu * wu + wv * wv);
                for j in 0..ny {
                    for i in 0..nx {
                        ex[j * nx + i] += potential * wu * su(u, i) * cv(v, j);
                        ey[j * nx + i] += potential * wv * cu(u, i) * sv(v, j);
                    }
                }
            }
        }
        (ex, ey)
    }

    #[test]
    fn the_field_is_the_direct_sum() {
        for (nx, ny) in [(2, 2), (4, 4), (8, 4), (4, 16), (16, 16), (32, 1), (1, 8)] {
            let mut rng = crate::rng::Rng::new(7);
            let density: Vec<f32> = (0..nx * ny).map(|_| rng.unit() as f32).collect();
            let (want_x, want_y) = direct(&density, nx, ny, 1.5, 0.75);
            let (mut ex, mut ey) = (vec![0.0; nx * ny], vec![0.0; nx * ny]);
            Poisson::new(nx, ny, 1.5, 0.75).field(&mut density.clone(), &mut ex, &mut ey);
            for i in 0..nx * ny {
                assert!((f64::from(ex[i]) - want_x[i]).abs() < 1e-4, "{nx} x {ny}: ex[{i}]");
                assert!((f64::from(ey[i]) - want_y[i]).abs() < 1e-4, "{nx} x {ny}: ey[{i}]");
            }
        }
    }

    #[test]
    fn charge_pushes_away() {
        let mut density = vec![0.0; 64];
        density[3 * 8 + 3] = 1.0;
        let (mut ex, mut ey) = (vec![0.0; 64], vec![0.0; 64]);
        Poisson::new(8, 8, 1.0, 1.0).field(&mut density, &mut ex, &mut ey);
        assert!(ex[3 * 8 + 5] > 0.0 && ex[3 * 8 + 1] < 0.0);
        assert!(ey[5 * 8 + 3] > 0.0 && ey[8 + 3] < 0.0);
    }
}
