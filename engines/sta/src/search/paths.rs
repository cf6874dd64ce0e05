//! Where the paths of all vertices are kept.
//!
//! At most vertices the paths differ in side and edge alone: one launching clock edge, no exception
//! told apart. Their key is then stored once and their arrivals side by side, 24 bytes a vertex; the
//! propagation reads several vertices per gate, and memory is what bounds it. Other vertices have
//! lists of their own.

use smallvec::SmallVec;

use super::key::{self, Key};
use crate::graph::Vertex;

/// One path that arrives at a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Path {
    pub(crate) key: Key,
    /// ns.
    pub(crate) arrival: f32,
}

impl Path {
    /// Slack where the path must be there at `required` (ns), ns: infinite where nothing requires it.
    #[inline]
    pub(crate) fn slack(&self, required: f32) -> f32 {
        if key::side(self.key) == 1 { required - self.arrival } else { self.arrival - required }
    }
}

/// The paths of a vertex in ascending key order.
pub(crate) type Paths = SmallVec<[Path; 4]>;

/// Paths that differ in side and edge alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// The key without side and edge; [`MANY`] where the paths are in a list.
    pub(crate) head: Key,
    /// Arrivals by `side * 2 + edge`, ns; NaN where there is no path. For [`MANY`] the first holds
    /// the bits of the list's number.
    pub(crate) at: [f32; 4],
}

/// No key: the paths are in a list.
const MANY: Key = Key::MAX;

impl Plain {
    /// No path.
    pub(crate) const NONE: Plain = Plain { head: 0, at: [f32::NAN; 4] };

    /// Whether there is no path.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.at.iter().all(|at| at.is_nan())
    }

    /// Whether both hold the same bits.
    #[inline]
    pub(crate) fn same(&self, other: &Plain) -> bool {
        self.head == other.head && self.at.map(f32::to_bits) == other.at.map(f32::to_bits)
    }

    /// Whether both have paths of the same keys.
    #[inline]
    pub(crate) fn same_keys(&self, other: &Plain) -> bool {
        self.head == other.head && self.at.map(f32::is_nan) == other.at.map(f32::is_nan)
    }
}

/// The paths of one vertex, apart from where they are kept.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Plain(Plain),
    /// A list that is not plain.
    Many(Paths),
}

impl Found {
    /// Packs a list where its paths differ in side and edge alone.
    pub(crate) fn new(paths: &Paths) -> Found {
        let mut plain = Plain::NONE;
        if let Some(first) = paths.first() {
            plain.head = key::head(first.key);
        }
        for path in paths {
            let at = &mut plain.at[key::corner(path.key)];
            if key::head(path.key) != plain.head || !at.is_nan() || path.arrival.is_nan() {
                return Found::Many(paths.clone());
            }
            *at = path.arrival;
        }
        Found::Plain(plain)
    }

    /// The paths in ascending key order.
    pub(crate) fn iter(&self) -> Iter<'_> {
        match self {
            Found::Plain(plain) => Iter { plain: *plain, corner: 0, list: &[] },
            Found::Many(list) => Iter { plain: Plain::NONE, corner: 4, list },
        }
    }
}

/// The paths of a vertex in ascending key order.
#[derive(Clone, Debug)]
pub(crate) struct Iter<'a> {
    plain: Plain,
    corner: usize,
    list: &'a [Path],
}

impl Iterator for Iter<'_> {
    type Item = Path;
    #[inline]
    fn next(&mut self) -> Option<Path> {
        while self.corner < 4 {
            let corner = self.corner;
            self.corner += 1;
            if !self.plain.at[corner].is_nan() {
                let key = key::at_corner(self.plain.head, corner);
                return Some(Path { key, arrival: self.plain.at[corner] });
            }
        }
        let (first, rest) = self.list.split_first()?;
        self.list = rest;
        Some(*first)
    }
}

/// The paths of all vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllPaths {
    plain: Vec<Plain>,
    lists: Vec<Paths>,
    free: Vec<u32>,
}

impl AllPaths {
    /// Makes room for vertices up to `count`; new ones have no path.
    pub(crate) fn grow(&mut self, count: usize) {
        self.plain.resize(count.max(self.plain.len()), Plain::NONE);
    }
    /// Forgets vertices from `count` on.
    pub(crate) fn shrink(&mut self, count: usize) {
        for vertex in count..self.plain.len() {
            self.set(vertex as Vertex, Found::Plain(Plain::NONE));
        }
        self.plain.truncate(count);
    }
    /// How many vertices there is room for.
    pub(crate) fn len(&self) -> usize {
        self.plain.len()
    }
    /// The paths of a vertex in ascending key order.
    #[inline]
    pub(crate) fn of(&self, vertex: Vertex) -> Iter<'_> {
        let plain = self.plain[vertex as usize];
        if plain.head == MANY {
            let list = &self.lists[plain.at[0].to_bits() as usize];
            return Iter { plain, corner: 4, list };
        }
        Iter { plain, corner: 0, list: &[] }
    }
    /// The paths of a vertex where they are plain.
    #[inline]
    pub(crate) fn plain(&self, vertex: Vertex) -> Option<&Plain> {
        let plain = &self.plain[vertex as usize];
        (plain.head != MANY).then_some(plain)
    }
    /// Some of what is kept for a vertex, to have it near.
    #[inline]
    pub(crate) fn touch(&self, vertex: Vertex) -> u64 {
        self.plain[vertex as usize].head
    }
    /// Whether no path arrives at a vertex.
    #[inline]
    pub(crate) fn is_empty(&self, vertex: Vertex) -> bool {
        self.of(vertex).next().is_none()
    }
    /// Puts paths in the place of others, which are given back.
    pub(crate) fn set(&mut self, vertex: Vertex, found: Found) -> Found {
        let slot = &mut self.plain[vertex as usize];
        if let (Found::Plain(new), true) = (&found, slot.head != MANY) {
            return Found::Plain(std::mem::replace(slot, *new));
        }
        let old = if slot.head == MANY {
            let number = slot.at[0].to_bits();
            self.free.push(number);
            Found::Many(std::mem::take(&mut self.lists[number as usize]))
        } else {
            Found::Plain(*slot)
        };
        match found {
            Found::Plain(new) => *slot = new,
            Found::Many(list) => {
                let number = self.free.pop().unwrap_or_else(|| {
                    self.lists.push(Paths::new());
                    (self.lists.len() - 1) as u32
                });
                self.lists[number as usize] = list;
                let mut at = [f32::NAN; 4];
                at[0] = f32::from_bits(number);
                *slot = Plain { head: MANY, at };
            }
        }
        old
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_as_they_were_put() {
        let path = |side, edge, launch, arrival| Path {
            key: key::key(side, edge, false, launch, 0),
            arrival,
        };
        let lists: [&[Path]; 5] = [
            &[],
            &[path(0, 1, 3, 0.5)],
            &[path(0, 0, 2, 0.1), path(0, 1, 2, 0.2), path(1, 0, 2, 0.3), path(1, 1, 2, 0.4)],
            &[path(0, 0, 2, 0.1), path(0, 0, 3, 0.2)],
            &[path(1, 0, 0, f32::INFINITY), path(1, 1, 4, -1.0)],
        ];
        let mut all = AllPaths::default();
        all.grow(3);
        for (number, list) in lists.iter().chain(lists.iter().rev()).enumerate() {
            let vertex = number as Vertex % 3;
            let before: Vec<Path> = all.of(vertex).collect();
            let old = all.set(vertex, Found::new(&Paths::from_slice(list)));
            assert_eq!(old.iter().collect::<Vec<_>>(), before);
            assert_eq!(all.of(vertex).collect::<Vec<_>>(), *list);
            assert_eq!(all.is_empty(vertex), list.is_empty());
            let heads: Vec<Key> = list.iter().map(|path| key::head(path.key)).collect();
            let plain = heads.windows(2).all(|pair| pair[0] == pair[1]);
            assert_eq!(all.plain(vertex).is_some(), plain);
        }
    }
}
