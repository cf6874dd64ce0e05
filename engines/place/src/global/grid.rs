//! Bins of one density system and how nodes spread their charge over them.
//!
//! Charges are added up in 64-bit fixed point: whole numbers add to the same sum in any order, so
//! threads may share the work freely.

use std::ops::Range;

use rayon::prelude::*;

/// One unit of density in fixed point. A bin full of cells is about 2²⁰.
const ONE: f32 = 1_048_576.0;

/// A grid of `nx` × `ny` bins over a rectangle, in the length unit of global placement.
#[derive(Clone, Debug)]
pub struct Grid {
    /// Columns.
    pub nx: usize,
    /// Rows.
    pub ny: usize,
    /// Lower-left corner.
    pub origin: [f32; 2],
    /// Bin width and height.
    pub bin: [f32; 2],
}

/// Positions and sizes of a run of nodes.
#[derive(Clone, Copy)]
pub struct Charges<'a> {
    /// Centres.
    pub x: &'a [f32],
    /// Centres.
    pub y: &'a [f32],
    /// Widths.
    pub w: &'a [f32],
    /// Heights.
    pub h: &'a [f32],
    /// Density of each node.
    pub scale: &'a [f32],
}

impl Grid {
    /// How many bins there are.
    pub fn len(&self) -> usize {
        self.nx * self.ny
    }
    /// Whether there is no bin.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bin area.
    pub fn bin_area(&self) -> f32 {
        self.bin[0] * self.bin[1]
    }

    /// Calls `visit` with each bin under a node and the part of the bin that is covered.
    #[inline(always)]
    fn cover(&self, x: f32, y: f32, w: f32, h: f32, mut visit: impl FnMut(usize, f32)) {
        let (inv_w, inv_h) = (1.0 / self.bin[0], 1.0 / self.bin[1]);
        let (nx, ny) = (self.nx as f32, self.ny as f32);
        let left = ((x - 0.5 * w - self.origin[0]) * inv_w).clamp(0.0, nx);
        let right = ((x + 0.5 * w - self.origin[0]) * inv_w).clamp(0.0, nx);
        let low = ((y - 0.5 * h - self.origin[1]) * inv_h).clamp(0.0, ny);
        let high = ((y + 0.5 * h - self.origin[1]) * inv_h).clamp(0.0, ny);
        let (i0, j0) = (left as usize, low as usize);
        let i1 = (right as usize + 1).min(self.nx);
        let j1 = (high as usize + 1).min(self.ny);
        for j in j0..j1 {
            let part_y = high.min(j as f32 + 1.0) - low.max(j as f32);
            let row = j * self.nx;
            for i in i0..i1 {
                let part_x = right.min(i as f32 + 1.0) - left.max(i as f32);
                visit(row + i, part_x * part_y);
            }
        }
    }

    /// Adds the charge of nodes to `out` (densities). `maps` are scratch, one per thread.
    pub fn scatter(&self, nodes: Charges<'_>, maps: &mut Vec<Vec<i64>>, out: &mut [f32]) {
        let len = nodes.x.len();
        let threads = rayon::current_num_threads().clamp(1, 1 + len / 2048);
        maps.resize_with(threads.max(maps.len()), Vec::new);
        let share = len.div_ceil(threads);
        let fill = |map: &mut Vec<i64>, range: Range<usize>| {
            map.clear();
            map.resize(self.len(), 0);
            for i in range {
                let scale = nodes.scale[i] * ONE;
                self.cover(nodes.x[i], nodes.y[i], nodes.w[i], nodes.h[i], |bin, part| {
                    map[bin] += i64::from((part * scale) as i32);
                });
            }
        };
        maps[..threads].par_iter_mut().enumerate().for_each(|(thread, map)| {
            fill(map, (thread * share).min(len)..((thread + 1) * share).min(len));
        });
        let maps = &maps[..threads];
        out.par_chunks_mut(8192).enumerate().for_each(|(chunk, out)| {
            let first = chunk * 8192;
            for (i, out) in out.iter_mut().enumerate() {
                let total: i64 = maps.iter().map(|map| map[first + i]).sum();
                *out += total as f32 * (1.0 / ONE);
            }
        });
    }

    /// The field summed over each node's charge, negated: the gradient of the potential energy.
    pub fn gather(
        &self,
        nodes: Charges<'_>,
        ex: &[f32],
        ey: &[f32],
        gx: &mut [f32],
        gy: &mut [f32],
    ) {
        const PIECE: usize = 1024;
        let area = self.bin_area();
        gx.par_chunks_mut(PIECE).zip(gy.par_chunks_mut(PIECE)).enumerate().for_each(
            |(piece, (gx, gy))| {
                for (k, (gx, gy)) in gx.iter_mut().zip(gy).enumerate() {
                    let i = piece * PIECE + k;
                    let (mut fx, mut fy) = (0.0, 0.0);
                    self.cover(nodes.x[i], nodes.y[i], nodes.w[i], nodes.h[i], |bin, part| {
                        fx += part * ex[bin];
                        fy += part * ey[bin];
                    });
                    let charge = -area * nodes.scale[i];
                    *gx = charge * fx;
                    *gy = charge * fy;
                }
            },
        );
    }
}

/// Powers of two for the bins of a `width` × `height` area so that their number is between a quarter
/// of `ideal` and `ideal`, and bins are about square; at least 4, at most 2048 per side.
pub fn choose_bins(width: f64, height: f64, ideal: f64) -> (usize, usize) {
    let ratio = (width / height.max(f64::MIN_POSITIVE)).clamp(1.0 / 64.0, 64.0);
    let skew = ratio.log2().round() as i32;
    let mut exponent = 1;
    // n·n·2^|skew| bins with n = 2^exponent.
    while exponent < 11 && 4.0_f64.powi(exponent + 1) * 2.0_f64.powi(skew.abs()) <= ideal {
        exponent += 1;
    }
    let (long, short) = (exponent + skew.abs(), exponent);
    let (x, y) = if skew >= 0 { (long, short) } else { (short, long) };
    (1 << x.clamp(2, 11), 1 << y.clamp(2, 11))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charge_is_kept_and_lands_where_the_node_is() {
        let grid = Grid { nx: 8, ny: 4, origin: [10.0, -2.0], bin: [2.0, 1.0] };
        let nodes = Charges {
            x: &[15.0, 18.5, 10.5],
            y: &[0.0, 0.25, 1.0],
            w: &[2.0, 9.0, 1.0],
            h: &[1.0, 2.0, 0.5],
            scale: &[1.0, 0.5, 2.0],
        };
        let mut map = vec![0.0; grid.len()];
        grid.scatter(nodes, &mut Vec::new(), &mut map);
        let total: f32 = map.iter().sum::<f32>() * grid.bin_area();
        assert!((total - (2.0 + 9.0 + 1.0)).abs() < 1e-3, "{total}");
        // The third node lies across the edge of rows 2 and 3 of column 0.
        assert!((map[2 * 8] - 0.25).abs() < 1e-4 && (map[3 * 8] - 0.25).abs() < 1e-4);
    }

    #[test]
    fn bins_follow_the_number_of_cells_and_the_aspect() {
        assert_eq!(choose_bins(100.0, 100.0, 17_000.0), (128, 128));
        assert_eq!(choose_bins(400.0, 100.0, 17_000.0), (256, 64));
        assert_eq!(choose_bins(1.0, 1.0, 0.0), (4, 4));
        assert_eq!(choose_bins(1.0, 0.0, 1e12), (2048, 2048));
    }
}
