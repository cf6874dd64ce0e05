//! Area and leakage of the cells.

use crate::state::State;

/// Area of all living cells by their LEF outlines, DBU².
pub fn total(state: &State) -> i128 {
    let size = |master: &cellwright_db::Master| {
        i128::from(master.width) * i128::from(master.height)
    };
    state.cells.iter().map(|cell| size(state.master(cell.master))).sum()
}

/// Leakage of all living cells in a corner, nW, by the late libraries; and how many cells state
/// none there.
pub fn leakage(state: &State, corner: usize) -> (f64, usize) {
    let library = state.design.library();
    let (mut total, mut silent) = (0.0, 0);
    for cell in &state.cells {
        let timing = library.timing(corner, true, cell.master);
        match timing.and_then(|(_, timing)| timing.leakage) {
            Some(milliwatts) => total += milliwatts * 1e6,
            None => silent += 1,
        }
    }
    (total, silent)
}
