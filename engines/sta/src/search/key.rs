//! What tells two paths at one pin apart.
//!
//! A key packs, from high to low: side (1 = max), edge (1 = fall), whether the path is still a
//! clock, the launching clock edge, the exception state, and the clock tree driver behind which
//! the launching register hangs (for reconvergence pessimism). Two paths with one key merge into
//! the worse one. Keys hold no handle, so they mean the same in every run and on every thread.

use crate::graph::Vertex;

/// A packed path key.
pub(crate) type Key = u64;

const SIDE: u32 = 63;
const EDGE: u32 = 62;
const CLOCK: u32 = 61;
const LAUNCH: u32 = 49;
const STATE: u32 = 33;
/// Low bits: vertex and edge of the clock tree driver.
pub(crate) const CLASS_MASK: Key = (1 << STATE) - 1;
/// Stands for "no clock".
pub(crate) const NO_CLOCK: u16 = 0xfff;

/// Launching clock edges fit into twelve bits.
pub(crate) const MOST_CLOCKS: usize = 2000;

/// Puts a key together; `launch` is clock × 2 + edge or [`NO_CLOCK`].
#[inline]
pub(crate) fn key(side: usize, edge: usize, is_clock: bool, launch: u16, state: u16) -> Key {
    (side as u64) << SIDE
        | (edge as u64) << EDGE
        | u64::from(is_clock) << CLOCK
        | u64::from(launch) << LAUNCH
        | u64::from(state) << STATE
        | CLASS_MASK
}
/// 0 for min, 1 for max.
#[inline]
pub(crate) fn side(key: Key) -> usize {
    (key >> SIDE) as usize
}
/// 0 for rise, 1 for fall.
#[inline]
pub(crate) fn edge(key: Key) -> usize {
    (key >> EDGE & 1) as usize
}
/// `side * 2 + edge`.
#[inline]
pub(crate) fn corner(key: Key) -> usize {
    (key >> EDGE) as usize
}
/// Whether the path is still a clock.
#[inline]
pub(crate) fn is_clock(key: Key) -> bool {
    key >> CLOCK & 1 == 1
}
/// Clock × 2 + edge, or [`NO_CLOCK`].
#[inline]
pub(crate) fn launch(key: Key) -> u16 {
    (key >> LAUNCH & 0xfff) as u16
}
/// Exception state.
#[inline]
pub(crate) fn state(key: Key) -> u16 {
    (key >> STATE & 0xffff) as u16
}
/// The clock tree driver and its edge.
#[inline]
pub(crate) fn class(key: Key) -> Option<(Vertex, usize)> {
    let low = key & CLASS_MASK;
    (low != CLASS_MASK).then_some(((low >> 1) as Vertex, (low & 1) as usize))
}
/// Without side and edge: what paths that differ in these alone share.
#[inline]
pub(crate) fn head(key: Key) -> Key {
    key & !(3 << EDGE)
}
/// A [`head`] with a side and an edge, `side * 2 + edge`.
#[inline]
pub(crate) fn at_corner(head: Key, corner: usize) -> Key {
    head | (corner as u64) << EDGE
}
/// With another edge.
#[inline]
pub(crate) fn with_edge(key: Key, edge: usize) -> Key {
    key & !(1 << EDGE) | (edge as u64) << EDGE
}
/// As data.
#[inline]
pub(crate) fn as_data(key: Key) -> Key {
    key & !(1 << CLOCK)
}
/// With another exception state.
#[inline]
pub(crate) fn with_state(key: Key, state: u16) -> Key {
    key & !(0xffff << STATE) | u64::from(state) << STATE
}
/// Behind another clock tree driver.
#[inline]
pub(crate) fn with_class(key: Key, vertex: Vertex, edge: usize) -> Key {
    key & !CLASS_MASK | u64::from(vertex) << 1 | edge as u64
}
/// Behind no clock tree driver.
#[inline]
pub(crate) fn without_class(key: Key) -> Key {
    key | CLASS_MASK
}
/// Launched by another clock edge.
#[inline]
pub(crate) fn with_launch(key: Key, launch: u16) -> Key {
    key & !(0xfff << LAUNCH) | u64::from(launch) << LAUNCH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap() {
        let k = key(1, 0, true, 0x123, 0x4567);
        assert_eq!((side(k), edge(k), is_clock(k)), (1, 0, true));
        assert_eq!((launch(k), state(k), class(k)), (0x123, 0x4567, None));
        let k = with_class(with_edge(as_data(with_state(with_launch(k, 7), 9)), 1), 0xfeed_beef, 1);
        assert_eq!((side(k), edge(k), corner(k), is_clock(k)), (1, 1, 3, false));
        assert_eq!((launch(k), state(k), class(k)), (7, 9, Some((0xfeed_beef, 1))));
    }
}
