//! Many what-ifs at once, on all cores.

use rayon::prelude::*;

use crate::engine::{Engine, Move};
use crate::error::MacroError;

/// A worker copies the engine once and then answers this many questions at least.
const LEAST: usize = 64;

impl Engine {
    /// The proxy cost of moving each item alone to each place, from the placement as it is:
    /// `costs[i]` belongs to item `ids[i]` (its index in the `.plc` file) with its centre at
    /// `(xs[i], ys[i])` in µm, turned as it is now. Runs on rayon's threads; the answers do not
    /// depend on how many there are.
    ///
    /// # Errors
    /// When the lists differ in length, or as [`Engine::apply`].
    pub fn evaluate_moves(
        &self,
        ids: &[u32],
        xs: &[f64],
        ys: &[f64],
    ) -> Result<Vec<f64>, MacroError> {
        if ids.len() != xs.len() || ids.len() != ys.len() {
            return Err(MacroError::Setting {
                what: format!("{} ids, {} xs, {} ys", ids.len(), xs.len(), ys.len()),
                hint: "give as many of each",
            });
        }
        let mut moves = Vec::with_capacity(ids.len());
        for ((&item, &x), &y) in ids.iter().zip(xs).zip(ys) {
            let body = self
                .model()
                .body(item)
                .ok_or(MacroError::NotMovable { item, why: "is a pin or does not exist" })?;
            moves.push([Move { body: body as u32, x, y, orient: self.at(body).2 }]);
        }
        let parts = self.evaluate(&moves)?;
        Ok(parts.into_iter().map(|cost| cost.proxy).collect())
    }

    /// The cost of each group of moves, each from the placement as it is.
    ///
    /// # Errors
    /// As [`Engine::apply`].
    pub fn evaluate<M: AsRef<[Move]> + Sync>(
        &self,
        groups: &[M],
    ) -> Result<Vec<crate::Cost>, MacroError> {
        let share = groups.len().div_ceil(rayon::current_num_threads() * 4).max(LEAST);
        let parts: Result<Vec<Vec<crate::Cost>>, MacroError> = groups
            .par_chunks(share)
            .map_init(
                || self.clone(),
                |engine, groups| {
                    groups.iter().map(|moves| engine.what_if(moves.as_ref())).collect()
                },
            )
            .collect();
        Ok(parts?.concat())
    }
}
