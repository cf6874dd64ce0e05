//! A BLAKE3 Merkle tree over a list.
//!
//! The shape is that of RFC 6962, section 2.1: leaf `H(0x00 ‖ data)`, node `H(0x01 ‖ left ‖ right)`,
//! a list of n splits at the largest power of two below n. The prefixes keep a node from being
//! taken for a leaf. The root of nothing is `H(0x02)`.

use cellwright_contract::refs::Hex32;

type Hash = [u8; 32];

fn leaf(data: &[u8]) -> Hash {
    *blake3::Hasher::new().update(&[0]).update(data).finalize().as_bytes()
}

fn node(left: &Hash, right: &Hash) -> Hash {
    *blake3::Hasher::new().update(&[1]).update(left).update(right).finalize().as_bytes()
}

/// Builds a root leaf by leaf, in O(log n) memory.
#[derive(Debug, Clone, Default)]
pub struct Merkle {
    /// Roots of full subtrees, largest first; sizes are the set bits of `count`.
    peaks: Vec<Hash>,
    count: u64,
}

impl Merkle {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Merkle::default()
    }

    /// Adds a leaf.
    pub fn push(&mut self, data: &[u8]) {
        let mut hash = leaf(data);
        // Each trailing one of the count is a full subtree as large as the new one.
        for _ in 0..self.count.trailing_ones() {
            if let Some(left) = self.peaks.pop() {
                hash = node(&left, &hash);
            }
        }
        self.peaks.push(hash);
        self.count += 1;
    }

    /// Leaves so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }

    /// True when there is no leaf.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The root over the leaves so far.
    #[must_use]
    pub fn root(&self) -> Hex32 {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else {
            return Hex32(*blake3::hash(&[2]).as_bytes());
        };
        Hex32(peaks.fold(*last, |right, left| node(left, &right)))
    }
}

/// The root over a list.
pub fn root<T: AsRef<[u8]>>(leaves: impl IntoIterator<Item = T>) -> Hex32 {
    let mut tree = Merkle::new();
    for l in leaves {
        tree.push(l.as_ref());
    }
    tree.root()
}

/// The hashes that lead from leaf `index` to the root, from the leaf up; none when there is no such
/// leaf.
#[must_use]
pub fn proof<T: AsRef<[u8]>>(leaves: &[T], index: usize) -> Option<Vec<Hex32>> {
    if index >= leaves.len() {
        return None;
    }
    let mut path = Vec::new();
    let (mut part, mut at) = (leaves, index);
    while part.len() > 1 {
        let (left, right) = part.split_at(split(part.len()));
        if at < left.len() {
            path.push(root(right));
            part = left;
        } else {
            path.push(root(left));
            at -= left.len();
            part = right;
        }
    }
    path.reverse();
    Some(path)
}

/// True when `data` is leaf `index` of the tree of `count` leaves with this root.
#[must_use]
pub fn proves(root: Hex32, count: usize, index: usize, data: &[u8], proof: &[Hex32]) -> bool {
    if index >= count {
        return false;
    }
    // Which side each step comes from, from the root down.
    let mut sides = Vec::new();
    let (mut n, mut at) = (count, index);
    while n > 1 {
        let left = split(n);
        if at < left {
            sides.push(false);
            n = left;
        } else {
            sides.push(true);
            at -= left;
            n -= left;
        }
    }
    if sides.len() != proof.len() {
        return false;
    }
    let steps = sides.iter().rev().zip(proof);
    let found = steps.fold(leaf(data), |hash, (from_left, other)| {
        if *from_left { node(&other.0, &hash) } else { node(&hash, &other.0) }
    });
    found == root.0
}

/// The largest power of two below `n`, for `n ≥ 2`.
fn split(n: usize) -> usize {
    1 << (n - 1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_definition(leaves: &[Vec<u8>]) -> Hash {
        match leaves {
            [] => *blake3::hash(&[2]).as_bytes(),
            [one] => leaf(one),
            many => {
                let (l, r) = many.split_at(split(many.len()));
                node(&by_definition(l), &by_definition(r))
            }
        }
    }

    #[test]
    fn streaming_equals_the_definition_and_every_leaf_is_provable() {
        for n in 0..70usize {
            let leaves: Vec<Vec<u8>> = (0..n).map(|i| vec![i as u8; i % 5]).collect();
            let root = root(&leaves);
            assert_eq!(root.0, by_definition(&leaves));
            for (i, data) in leaves.iter().enumerate() {
                let p = proof(&leaves, i).unwrap();
                assert!(proves(root, n, i, data, &p));
                assert!(!proves(root, n, i, b"other", &p));
                assert!(!proves(root, n, n, data, &p));
                assert!(n < 2 || !proves(root, n, i, data, &p[1..]));
            }
            assert_eq!(proof(&leaves, n), None);
        }
    }
}
