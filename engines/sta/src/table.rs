//! Lookup in nonlinear delay model (NLDM) tables.
//!
//! Between breakpoints the value is linear per axis (bilinear, trilinear); outside it follows the
//! line of the outermost segment. Arithmetic is `f64`, tables and results are `f32`.

use cellwright_db::timing::{Table, TableVariable};

/// What a table is asked with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query {
    /// Slew of the source (or of the clock pin of a check), ns.
    pub slew: f64,
    /// Output load, pF; for a check the slew of the constrained pin, ns, stands in
    /// [`Query::constrained`].
    pub load: f64,
    /// Slew of the constrained pin of a check, ns.
    pub constrained: f64,
    /// Load of the related output, pF.
    pub related_load: f64,
}

impl Query {
    fn get(&self, variable: TableVariable) -> f64 {
        match variable {
            TableVariable::InputSlew | TableVariable::RelatedSlew => self.slew,
            TableVariable::OutputLoad => self.load,
            TableVariable::ConstrainedSlew => self.constrained,
            TableVariable::RelatedOutputLoad => self.related_load,
            TableVariable::Other => 0.0,
        }
    }
}

/// The segment of `axis` that `x` is read from, and how far along it `x` lies: 0 at its lower
/// end, 1 at its upper end, less or more outside the axis. An axis of one value gives `(0, 0.0)`.
#[inline]
pub fn segment(axis: &[f32], x: f64) -> (usize, f64) {
    let size = axis.len();
    if size < 2 {
        return (0, 0.0);
    }
    let mut low = 0;
    // Few breakpoints: a scan is faster than a binary search and gives the same segment.
    while low + 2 < size && x >= f64::from(axis[low + 1]) {
        low += 1;
    }
    let (a, b) = (f64::from(axis[low]), f64::from(axis[low + 1]));
    if b > a { (low, (x - a) / (b - a)) } else { (low, 0.0) }
}

#[inline]
fn bilinear(values: &[f32], width: usize, (i, u): (usize, f64), (j, v): (usize, f64)) -> f64 {
    let at = |i: usize, j: usize| values.get(i * width + j).map_or(0.0, |v| f64::from(*v));
    // A single row or column has no upper neighbour; its weight is 0.
    let (i1, j1) = (if u == 0.0 { i } else { i + 1 }, if v == 0.0 { j } else { j + 1 });
    (1.0 - u) * (1.0 - v) * at(i, j)
        + u * (1.0 - v) * at(i1, j)
        + u * v * at(i1, j1)
        + (1.0 - u) * v * at(i, j1)
}

/// The value of a table.
pub fn value(table: &Table, query: &Query) -> f64 {
    let coordinate = |axis: usize| {
        table.axes.get(axis).map_or((0, 0.0), |a| segment(&a.values, query.get(a.variable)))
    };
    match table.axes.as_slice() {
        [] => table.values.first().map_or(0.0, |v| f64::from(*v)),
        [only] => bilinear(&table.values, only.values.len(), (0, 0.0), coordinate(0)),
        [_, last] => bilinear(&table.values, last.values.len(), coordinate(0), coordinate(1)),
        [_, middle, last, ..] => {
            let ((i, u), j, k) = (coordinate(0), coordinate(1), coordinate(2));
            let plane = middle.values.len() * last.values.len();
            let slice = |i: usize| {
                let values = table.values.get(i * plane..).unwrap_or(&[]);
                bilinear(values, last.values.len(), j, k)
            };
            if u == 0.0 { slice(i) } else { (1.0 - u) * slice(i) + u * slice(i + 1) }
        }
    }
}

/// Delay and slew tables of one arc and edge.
#[derive(Clone, Debug)]
pub struct Gate {
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// Both tables over the same (slew, load) axes: one search serves both values.
    Pair { slew: Box<[f32]>, load: Box<[f32]>, values: Box<[[f32; 2]]> },
    /// Any other shape.
    Apart { delay: Table, slew: Option<Table> },
}

impl Gate {
    /// Makes the pair; without a slew table the slew is that of the input (wires of macros) as 0.
    pub fn new(delay: &Table, slew: Option<&Table>) -> Self {
        if let Some(slew) = slew
            && let [a, b] = delay.axes.as_slice()
            && delay.axes == slew.axes
            && delay.values.len() == slew.values.len()
            && delay.values.len() == a.values.len() * b.values.len()
            && a.values.len() > 1
            && b.values.len() > 1
        {
            let is = |axis: &cellwright_db::timing::Axis, v| axis.variable == v;
            let values: Vec<[f32; 2]> =
                delay.values.iter().zip(&slew.values).map(|(d, s)| [*d, *s]).collect();
            if is(a, TableVariable::InputSlew) && is(b, TableVariable::OutputLoad) {
                let (slew, load) = (a.values.clone(), b.values.clone());
                let form = Form::Pair { slew, load, values: values.into() };
                return Gate { form };
            }
            if is(a, TableVariable::OutputLoad) && is(b, TableVariable::InputSlew) {
                let (rows, columns) = (a.values.len(), b.values.len());
                let turned = (0..columns)
                    .flat_map(|c| (0..rows).map(move |r| r * columns + c))
                    .map(|at| values[at])
                    .collect();
                let (slew, load) = (b.values.clone(), a.values.clone());
                return Gate { form: Form::Pair { slew, load, values: turned } };
            }
        }
        Gate { form: Form::Apart { delay: delay.clone(), slew: slew.cloned() } }
    }

    /// Delay and slew, ns, at input slew `slew` (ns) and load `load` (pF). The slew is at least 0,
    /// the delay is what the table says.
    #[inline]
    pub fn delay_slew(&self, slew: f64, load: f64) -> (f64, f64) {
        self.row(slew).delay_slew(load)
    }

    /// The tables at input slew `slew` (ns), to be asked for several loads.
    #[inline]
    pub fn row(&self, slew: f64) -> Row<'_> {
        match &self.form {
            Form::Pair { slew: slews, load: loads, values } => {
                let (i, u) = segment(slews, slew);
                let width = loads.len();
                let rows = &values[i * width..(i + 2) * width];
                Row::Pair { loads, rows, u }
            }
            Form::Apart { delay, slew: slews } => Row::Apart { delay, slews: slews.as_ref(), slew },
        }
    }
}

/// Delay and slew tables of one arc and edge at one input slew.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// Two rows of the tables, and how far between them the slew lies.
    Pair {
        /// Load axis.
        loads: &'a [f32],
        /// Delay and slew by load, of the lower and of the upper slew.
        rows: &'a [[f32; 2]],
        /// 0 at the lower row, 1 at the upper one.
        u: f64,
    },
    /// Tables that are asked one by one.
    Apart {
        /// Delay.
        delay: &'a Table,
        /// Slew.
        slews: Option<&'a Table>,
        /// Input slew, ns.
        slew: f64,
    },
}

impl Row<'_> {
    /// [`Gate::delay_slew`] at `load` (pF).
    #[inline]
    pub fn delay_slew(&self, load: f64) -> (f64, f64) {
        match *self {
            Row::Pair { loads, rows, u } => {
                let (j, v) = segment(loads, load);
                let width = loads.len();
                let (low, high) = (&rows[j..j + 2], &rows[width + j..width + j + 2]);
                let (a, b, c, d) = (low[0], high[0], high[1], low[1]);
                let weight = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
                let mix = |k: usize| {
                    weight[0] * f64::from(a[k])
                        + weight[1] * f64::from(b[k])
                        + weight[2] * f64::from(c[k])
                        + weight[3] * f64::from(d[k])
                };
                (mix(0), mix(1).max(0.0))
            }
            Row::Apart { delay, slews, slew } => {
                let query = Query { slew, load, ..Query::default() };
                let out = slews.map_or(0.0, |table| value(table, &query));
                (value(delay, &query), out.max(0.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellwright_db::timing::Axis;

    fn axis(variable: TableVariable, values: &[f32]) -> Axis {
        Axis { variable, values: values.into() }
    }

    #[test]
    fn a_plane_is_met_inside_and_outside() {
        // value = 1 + 2 s + 3 c is bilinear, so every reading must be exact.
        let (s, c) = ([0.1_f32, 0.5, 2.0], [0.25_f32, 1.0]);
        let plane = |s: f64, c: f64| 1.0 + 2.0 * s + 3.0 * c;
        let values: Vec<f32> = s
            .iter()
            .flat_map(|s| c.iter().map(move |c| plane(f64::from(*s), f64::from(*c)) as f32))
            .collect();
        let table = Table {
            axes: vec![axis(TableVariable::InputSlew, &s), axis(TableVariable::OutputLoad, &c)],
            values: values.into(),
        };
        let gate = Gate::new(&table, Some(&table));
        for (s, c) in [(0.1, 0.25), (0.3, 0.7), (0.0, 0.0), (5.0, 9.0), (2.0, 0.1)] {
            let query = Query { slew: s, load: c, ..Query::default() };
            assert!((value(&table, &query) - plane(s, c)).abs() < 1e-5);
            let (delay, slew) = gate.delay_slew(s, c);
            assert!((delay - plane(s, c)).abs() < 1e-5 && (slew - plane(s, c)).abs() < 1e-5);
        }
    }

    #[test]
    fn axis_order_makes_no_difference() {
        let (s, c) = ([0.1_f32, 0.5, 2.0], [0.25_f32, 1.0]);
        let f = |s: f32, c: f32| 1.0 + s * c + s;
        let a: Vec<f32> = s.iter().flat_map(|s| c.iter().map(move |c| f(*s, *c))).collect();
        let b: Vec<f32> = c.iter().flat_map(|c| s.iter().map(move |s| f(*s, *c))).collect();
        let slew = || axis(TableVariable::InputSlew, &s);
        let load = || axis(TableVariable::OutputLoad, &c);
        let a = Table { axes: vec![slew(), load()], values: a.into() };
        let b = Table { axes: vec![load(), slew()], values: b.into() };
        let (a, b) = (Gate::new(&a, Some(&a)), Gate::new(&b, Some(&b)));
        for (s, c) in [(0.2, 0.3), (0.0, 2.0), (3.0, 0.1)] {
            assert_eq!(a.delay_slew(s, c), b.delay_slew(s, c));
        }
    }

    #[test]
    fn scalars_and_short_axes() {
        let scalar = Table { axes: vec![], values: vec![0.5].into() };
        assert_eq!(value(&scalar, &Query::default()), 0.5);
        let one = Table {
            axes: vec![
                axis(TableVariable::InputSlew, &[0.1]),
                axis(TableVariable::OutputLoad, &[1.0, 2.0]),
            ],
            values: vec![1.0, 2.0].into(),
        };
        let query = Query { load: 3.0, slew: 9.0, ..Query::default() };
        assert_eq!(value(&one, &query), 3.0);
        assert_eq!(Gate::new(&one, Some(&one)).delay_slew(9.0, 3.0), (3.0, 3.0));
        let cube = Table {
            axes: vec![
                axis(TableVariable::RelatedSlew, &[0.0, 1.0]),
                axis(TableVariable::ConstrainedSlew, &[0.0, 1.0]),
                axis(TableVariable::RelatedOutputLoad, &[0.0, 1.0]),
            ],
            values: (0..8).map(|v| v as f32).collect(),
        };
        let query = Query { slew: 0.5, constrained: 0.5, related_load: 0.5, load: 0.0 };
        assert_eq!(value(&cube, &query), 3.5);
    }
}
