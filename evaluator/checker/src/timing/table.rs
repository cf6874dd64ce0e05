//! Lookup in Liberty tables: linear between breakpoints along each axis, and beyond the ends along
//! the line of the outermost segment.

use cellwright_db::timing::{Table, TableVariable};

/// What a table is asked with, ns and pF.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Query {
    /// Slew of the source, or of the clock pin of a check.
    pub(super) slew: f64,
    /// Load of the output.
    pub(super) load: f64,
    /// Slew of the constrained pin of a check.
    pub(super) constrained: f64,
}

/// The value of a table, ns.
pub(super) fn value(table: &Table, query: &Query) -> f64 {
    // Each axis as its two weighted neighbours: the value is the sum over all choices of one
    // neighbour per axis, each times its weights.
    let neighbours: Vec<[(usize, f64); 2]> = table
        .axes
        .iter()
        .map(|axis| {
            let x = match axis.variable {
                TableVariable::InputSlew | TableVariable::RelatedSlew => query.slew,
                TableVariable::OutputLoad => query.load,
                TableVariable::ConstrainedSlew => query.constrained,
                TableVariable::RelatedOutputLoad | TableVariable::Other => 0.0,
            };
            around(&axis.values, x)
        })
        .collect();
    let mut sum = 0.0;
    for choice in 0..1_usize << neighbours.len() {
        let (mut at, mut weight) = (0, 1.0);
        for (axis, around) in neighbours.iter().enumerate() {
            let (index, part) = around[choice >> axis & 1];
            at = at * table.axes[axis].values.len() + index;
            weight *= part;
        }
        if weight != 0.0 {
            sum += weight * table.values.get(at).map_or(0.0, |value| f64::from(*value));
        }
    }
    sum
}

/// The two breakpoints that `x` is read from, with their weights.
fn around(axis: &[f32], x: f64) -> [(usize, f64); 2] {
    if axis.len() < 2 {
        return [(0, 1.0), (0, 0.0)];
    }
    // The last breakpoint not above x, but no further out than the outermost segments.
    let below = axis.partition_point(|point| f64::from(*point) <= x);
    let low = below.saturating_sub(1).min(axis.len() - 2);
    let (a, b) = (f64::from(axis[low]), f64::from(axis[low + 1]));
    let part = if b > a { (x - a) / (b - a) } else { 0.0 };
    [(low, 1.0 - part), (low + 1, part)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellwright_db::timing::Axis;

    #[test]
    fn a_bilinear_function_is_met_inside_and_outside() {
        let (slews, loads) = ([0.5_f32, 1.0, 4.0], [0.25_f32, 0.5]);
        let f = |s: f64, c: f64| 1.0 + 2.0 * s + 3.0 * c + 4.0 * s * c;
        let axis = |variable, values: &[f32]| Axis { variable, values: values.into() };
        let by_slew = Table {
            axes: vec![
                axis(TableVariable::InputSlew, &slews),
                axis(TableVariable::OutputLoad, &loads),
            ],
            values: slews
                .iter()
                .flat_map(|s| loads.map(|c| f(f64::from(*s), f64::from(c)) as f32))
                .collect(),
        };
        let by_load = Table {
            axes: by_slew.axes.iter().rev().cloned().collect(),
            values: loads
                .iter()
                .flat_map(|c| slews.map(|s| f(f64::from(s), f64::from(*c)) as f32))
                .collect(),
        };
        for (slew, load) in [(0.5, 0.25), (0.7, 0.3), (0.0, 0.0), (9.0, 2.0), (4.0, 0.5)] {
            let query = Query { slew, load, ..Query::default() };
            for table in [&by_slew, &by_load] {
                assert!((value(table, &query) - f(slew, load)).abs() < 1e-5, "{slew} {load}");
            }
        }
        let scalar = Table { axes: vec![], values: [0.5].into() };
        assert_eq!(value(&scalar, &Query::default()), 0.5);
    }
}
