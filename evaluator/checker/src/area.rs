//! Area and leakage of the cells.

use crate::state::State;

/// Area of all living cells by their LEF outlines, DBU².
pub fn total(state: &State) -> i128 {
    let size =
        |master: &cellwright_db::Master| i128::from(master.width) * i128::from(master.height);
    state.cells.iter().map(|cell| size(state.master(cell.master))).sum()
}

/// Leakage of all living cells, fW. Each counts with what its first Liberty view states, rounded to
/// whole femtowatt, so that the sum is exact; 0 where that states nothing.
pub fn leakage(state: &State) -> i64 {
    let library = state.design.library();
    let stated = state.cells.iter().filter_map(|cell| library.logic(cell.master)?.leakage);
    // mW to fW.
    stated.map(|milliwatts| (milliwatts * 1e12).round() as i64).sum()
}
