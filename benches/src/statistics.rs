//! What repeated seeds show: mean, spread, and whether a difference can be chance.

/// Mean and standard deviation (of the sample, with n − 1) of a list.
#[must_use]
pub fn spread(list: &[f64]) -> (f64, f64) {
    let n = list.len().max(1) as f64;
    let mean = list.iter().sum::<f64>() / n;
    let sum: f64 = list.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (sum / (n - 1.0).max(1.0)).sqrt())
}

/// The two-sided exact p-value of the rank-sum test (Mann and Whitney 1947) that two lists come from
/// one distribution; equal values share their ranks. Nothing when there are too many to enumerate.
#[must_use]
pub fn rank_sum(a: &[f64], b: &[f64]) -> Option<f64> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    if a.is_empty() || b.is_empty() || all.len() > 24 {
        return None;
    }
    // Twice the rank, so that shared ranks are whole.
    let rank = |v: f64| {
        let below = all.iter().filter(|w| **w < v).count();
        let equal = all.iter().filter(|w| **w == v).count();
        (2 * below + equal + 1) as i64
    };
    let ranks: Vec<i64> = all.iter().map(|v| rank(*v)).collect();
    let middle = a.len() as i64 * (all.len() as i64 + 1);
    let far = |sum: i64| (sum - middle).abs();
    let seen = far(ranks[..a.len()].iter().sum());
    let (mut as_far, mut ways) = (0u64, 0u64);
    for choice in 0u32..1 << all.len() {
        if choice.count_ones() as usize == a.len() {
            let sum = (0..all.len()).filter(|i| choice >> i & 1 == 1).map(|i| ranks[i]).sum();
            ways += 1;
            as_far += u64::from(far(sum) >= seen);
        }
    }
    Some(as_far as f64 / ways as f64)
}

#[cfg(test)]
mod tests {
    use super::{rank_sum, spread};

    #[test]
    fn known_values() {
        // Five against five without overlap: 2 of the 252 choices are as far.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!(rank_sum(&a, &b), Some(2.0 / 252.0));
        assert_eq!(rank_sum(&b, &a), Some(2.0 / 252.0));
        assert_eq!(rank_sum(&[1.0, 1.0], &[1.0, 1.0]), Some(1.0));
        // Three against three with one exchange: sums 7 or less, or 14 or more, of 20.
        assert_eq!(rank_sum(&[1.0, 2.0, 4.0], &[3.0, 5.0, 6.0]), Some(4.0 / 20.0));
        assert_eq!(spread(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).0, 5.0);
        assert_eq!(spread(&[1.0, 3.0]).1, 2f64.sqrt());
    }
}
