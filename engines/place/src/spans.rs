//! Sets of integers on a line as sorted, disjoint, half-open intervals: the free x-ranges of a row.

/// A set of x-coordinates, DBU, as ascending disjoint intervals `lo..hi`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    items: Vec<(i32, i32)>,
}

impl Spans {
    /// The union of any intervals; empty ones are dropped, touching ones joined.
    pub fn union_of(mut items: Vec<(i32, i32)>) -> Spans {
        items.retain(|(lo, hi)| lo < hi);
        items.sort_unstable();
        let mut merged: Vec<(i32, i32)> = Vec::with_capacity(items.len());
        for (lo, hi) in items {
            match merged.last_mut() {
                Some(last) if lo <= last.1 => last.1 = last.1.max(hi),
                _ => merged.push((lo, hi)),
            }
        }
        Spans { items: merged }
    }

    /// One interval, or nothing when it is empty.
    pub fn one(lo: i32, hi: i32) -> Spans {
        Spans::union_of(vec![(lo, hi)])
    }

    /// The intervals.
    pub fn items(&self) -> &[(i32, i32)] {
        &self.items
    }

    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Total length, DBU.
    pub fn length(&self) -> i64 {
        self.items.iter().map(|(lo, hi)| i64::from(*hi) - i64::from(*lo)).sum()
    }

    /// What is in both.
    pub fn intersect(&self, other: &Spans) -> Spans {
        let (mut a, mut b) = (0, 0);
        let mut items = Vec::new();
        while let (Some(&(alo, ahi)), Some(&(blo, bhi))) = (self.items.get(a), other.items.get(b)) {
            let (lo, hi) = (alo.max(blo), ahi.min(bhi));
            if lo < hi {
                items.push((lo, hi));
            }
            if ahi <= bhi {
                a += 1;
            } else {
                b += 1;
            }
        }
        Spans { items }
    }

    /// What is here and not in `other`.
    pub fn subtract(&self, other: &Spans) -> Spans {
        let mut items = Vec::new();
        let mut at = 0;
        for &(lo, hi) in &self.items {
            let mut lo = lo;
            while at < other.items.len() && other.items[at].1 <= lo {
                at += 1;
            }
            let mut cut = at;
            while let Some(&(clo, chi)) = other.items.get(cut).filter(|cut| cut.0 < hi) {
                if lo < clo {
                    items.push((lo, clo));
                }
                lo = lo.max(chi);
                cut += 1;
            }
            if lo < hi {
                items.push((lo, hi));
            }
        }
        Spans { items }
    }

    /// Takes `lo..hi` out.
    pub fn remove(&mut self, lo: i32, hi: i32) {
        *self = self.subtract(&Spans::one(lo, hi));
    }

    /// The interval that holds all of `lo..hi`.
    pub fn holding(&self, lo: i32, hi: i32) -> Option<(i32, i32)> {
        let at = self.items.partition_point(|item| item.1 < hi);
        self.items.get(at).copied().filter(|item| item.0 <= lo && hi <= item.1)
    }

    /// The first interval that ends after `x`.
    pub fn after(&self, x: i32) -> Option<(i32, i32)> {
        self.items.get(self.items.partition_point(|item| item.1 <= x)).copied()
    }

    /// The last interval that starts before `x`.
    pub fn before(&self, x: i32) -> Option<(i32, i32)> {
        let at = self.items.partition_point(|item| item.0 < x);
        at.checked_sub(1).map(|at| self.items[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn members(spans: &Spans) -> Vec<i32> {
        spans.items().iter().flat_map(|(lo, hi)| *lo..*hi).collect()
    }

    fn any_spans() -> impl Strategy<Value = Spans> {
        prop::collection::vec((0..60_i32, 0..9_i32), 0..12)
            .prop_map(|items| Spans::union_of(items.iter().map(|(lo, n)| (*lo, lo + n)).collect()))
    }

    proptest! {
        #[test]
        fn set_operations_agree_with_membership(a in any_spans(), b in any_spans()) {
            let (ma, mb) = (members(&a), members(&b));
            let both: Vec<i32> = ma.iter().copied().filter(|x| mb.contains(x)).collect();
            let only: Vec<i32> = ma.iter().copied().filter(|x| !mb.contains(x)).collect();
            prop_assert_eq!(members(&a.intersect(&b)), both);
            prop_assert_eq!(members(&a.subtract(&b)), only);
            prop_assert_eq!(a.length(), ma.len() as i64);
            for lo in 0..60 {
                let inside = (lo..lo + 3).all(|x| ma.contains(&x));
                prop_assert_eq!(a.holding(lo, lo + 3).is_some(), inside);
            }
        }
    }
}
