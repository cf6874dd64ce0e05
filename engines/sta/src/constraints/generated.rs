//! Generated clocks and the waveform that follows from their master.

use cellwright_db::PinId;

use super::ClockId;

/// How a generated clock is derived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeneratedClock {
    /// `-source`: the master clock is the one that arrives at this pin.
    pub source: Option<PinId>,
    /// `-master_clock`: the one to take where several arrive.
    pub master: Option<ClockId>,
    /// How its edges follow from the master's.
    pub shape: GeneratedShape,
    /// `-invert`: edges are exchanged.
    pub invert: bool,
    /// `-combinational`: the master passes through combinational logic only.
    pub combinational: bool,
    /// `-pll_output` with its `-pll_feedback`; noted.
    pub pll: Option<(PinId, Option<PinId>)>,
}

/// How the edges of a generated clock follow from its master's.
#[derive(Clone, Debug, PartialEq)]
pub enum GeneratedShape {
    /// `-divide_by n`, n ≥ 1.
    Divide(u32),
    /// `-multiply_by n`, n ≥ 1, with `-duty_cycle` in percent.
    Multiply {
        /// Factor.
        by: u32,
        /// High part of the period in percent.
        duty_cycle: Option<f64>,
    },
    /// `-edges` (numbers of master edges from 1, odd ones rise) with `-edge_shift`, ns; both of
    /// one odd length of at least 3: rise, fall, next rise.
    Edges {
        /// Edge numbers.
        edges: Vec<u32>,
        /// Shift of each edge, ns; empty for none.
        shifts: Vec<f64>,
    },
}

impl Default for GeneratedShape {
    fn default() -> Self {
        GeneratedShape::Divide(1)
    }
}

/// A period with its edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Waveform {
    /// ns.
    pub period: f64,
    /// Edge times, ns, rise first.
    pub edges: Vec<f64>,
}

impl Waveform {
    /// Time of the master's edge number `number`, counted from 1 over all periods.
    fn edge(&self, number: u32) -> f64 {
        let index = number.saturating_sub(1) as usize;
        let count = self.edges.len().max(1);
        let turns = (index / count) as f64;
        self.edges.get(index % count).copied().unwrap_or(0.0) + turns * self.period
    }
    /// Exchanges rise and fall: the first fall becomes the first rise.
    fn inverted(mut self) -> Self {
        if !self.edges.is_empty() {
            let first = self.edges.remove(0);
            self.edges.push(first + self.period);
            // Keep the first rise within the first period, as a waveform is written.
            if self.edges.first().is_some_and(|rise| *rise >= self.period) {
                self.edges.iter_mut().for_each(|edge| *edge -= self.period);
            }
        }
        self
    }
}

impl GeneratedClock {
    /// Period and edges that follow from the master's.
    ///
    /// `divide_by` 2ⁿ takes master edges 1, d+1, 2d+1; other divisors stretch the waveform, as
    /// `multiply_by` shrinks it; a duty cycle sets the fall from the rise. `invert` exchanges the
    /// edges afterwards. Source: SDC 2.1, `create_generated_clock`.
    pub fn waveform(&self, master: &Waveform) -> Waveform {
        let shape = match &self.shape {
            GeneratedShape::Divide(by) if by.is_power_of_two() && *by > 1 => {
                from_edges(master, &[1, by + 1, by.saturating_mul(2).saturating_add(1)], &[])
            }
            GeneratedShape::Divide(by) => scaled(master, f64::from((*by).max(1))),
            GeneratedShape::Multiply { by, duty_cycle } => {
                let mut out = scaled(master, 1.0 / f64::from((*by).max(1)));
                if let Some(duty) = duty_cycle {
                    let rise = out.edges.first().copied().unwrap_or(0.0);
                    out.edges = vec![rise, rise + out.period * duty / 100.0];
                }
                out
            }
            GeneratedShape::Edges { edges, shifts } => from_edges(master, edges, shifts),
        };
        if self.invert { shape.inverted() } else { shape }
    }
}

fn scaled(master: &Waveform, by: f64) -> Waveform {
    Waveform {
        period: master.period * by,
        edges: master.edges.iter().map(|edge| edge * by).collect(),
    }
}

fn from_edges(master: &Waveform, numbers: &[u32], shifts: &[f64]) -> Waveform {
    let time = |index: usize| {
        let shift = shifts.get(index).copied().unwrap_or(0.0);
        numbers.get(index).map_or(0.0, |number| master.edge(*number)) + shift
    };
    let count = numbers.len().saturating_sub(1);
    let first = time(0);
    Waveform { period: time(count) - first, edges: (0..count).map(time).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn master() -> Waveform {
        Waveform { period: 10.0, edges: vec![0.0, 5.0] }
    }

    fn of(shape: GeneratedShape, invert: bool) -> Waveform {
        GeneratedClock { shape, invert, ..Default::default() }.waveform(&master())
    }

    #[test]
    fn waveforms_of_the_sdc_examples() {
        let two = of(GeneratedShape::Divide(2), false);
        assert_eq!((two.period, two.edges), (20.0, vec![0.0, 10.0]));
        let three = of(GeneratedShape::Divide(3), false);
        assert_eq!((three.period, three.edges), (30.0, vec![0.0, 15.0]));
        let same = of(GeneratedShape::Divide(1), true);
        assert_eq!((same.period, same.edges), (10.0, vec![5.0, 10.0]));
        let fast = of(GeneratedShape::Multiply { by: 2, duty_cycle: Some(40.0) }, false);
        assert_eq!((fast.period, fast.edges), (5.0, vec![0.0, 2.0]));
        let edges = GeneratedShape::Edges { edges: vec![1, 3, 5], shifts: vec![0.0, 1.0, 0.0] };
        let edges = of(edges, false);
        assert_eq!((edges.period, edges.edges), (20.0, vec![0.0, 11.0]));
        let edges = of(GeneratedShape::Edges { edges: vec![2, 3, 4], shifts: vec![] }, false);
        assert_eq!((edges.period, edges.edges), (10.0, vec![5.0, 10.0]));
    }
}
