//! The sum of the largest values of a grid, exactly.

/// Sums the largest `count` values of lists that change little between two questions.
///
/// Values that reach the guard are gathered in one pass, the rest of the choice works on those few.
/// The guard only decides how many are gathered, never what comes out.
#[derive(Debug, Clone)]
pub(crate) struct Top {
    count: usize,
    guard: i64,
    buffer: Vec<i64>,
}

impl Top {
    pub(crate) fn new(count: usize, len: usize) -> Self {
        Top { count, guard: i64::MIN, buffer: vec![0; len + 1] }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The sum of the largest `count` values; all of them if there are fewer.
    pub(crate) fn sum(&mut self, values: &[i64]) -> i64 {
        if self.count == 0 {
            return 0;
        }
        let mut n = self.gather(values);
        if n < self.count || n > 2 * self.count + 64 {
            // Set the guard a little below what is wanted, so that it holds for a while.
            self.buffer[..values.len()].copy_from_slice(values);
            let want = (self.count + self.count / 4 + 8).min(values.len());
            let at = values.len() - want;
            self.guard = *self.buffer[..values.len()].select_nth_unstable(at).1;
            n = self.gather(values);
        }
        let found = &mut self.buffer[..n];
        if n > self.count {
            let (_, _, above) = found.select_nth_unstable(n - self.count - 1);
            above.iter().sum()
        } else {
            found.iter().sum()
        }
    }

    fn gather(&mut self, values: &[i64]) -> usize {
        let mut n = 0;
        for &value in values {
            self.buffer[n] = value;
            n += usize::from(value >= self.guard);
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use super::Top;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_sorting(
            lists in proptest::collection::vec(proptest::collection::vec(-5i64..50, 40), 1..8),
            count in 0usize..45,
        ) {
            let mut top = Top::new(count, 40);
            for list in lists {
                let got = top.sum(&list);
                let mut sorted = list;
                sorted.sort_unstable_by(|a, b| b.cmp(a));
                prop_assert_eq!(got, sorted.iter().take(count).sum::<i64>());
            }
        }
    }
}
