//! Logic functions of cells, as expressions over the input pins.
//!
//! The same expression is printed into Liberty, evaluated by the simulator and differentiated to find
//! the timing arcs and their sense, so the three cannot disagree.

use std::fmt::Write as _;

/// A Boolean expression over the inputs of a cell.
#[derive(Debug)]
pub enum Expr {
    /// Input pin by its place in the cell's input list.
    Pin(u8),
    /// The stored bit of a flip-flop or latch (`IQ` in Liberty).
    State,
    /// A constant.
    Const(bool),
    /// Complement.
    Not(&'static Expr),
    /// Conjunction.
    And(&'static [Expr]),
    /// Disjunction.
    Or(&'static [Expr]),
    /// Parity.
    Xor(&'static [Expr]),
}

/// How an output answers to one input while the others are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// The output follows.
    Positive,
    /// The output opposes.
    Negative,
}

impl Expr {
    /// Evaluates 64 patterns at once: bit `i` of each word belongs to pattern `i`.
    pub fn eval(&self, pins: &[u64], state: u64) -> u64 {
        match self {
            Expr::Pin(i) => pins.get(usize::from(*i)).copied().unwrap_or(0),
            Expr::State => state,
            Expr::Const(true) => u64::MAX,
            Expr::Const(false) => 0,
            Expr::Not(e) => !e.eval(pins, state),
            Expr::And(es) => es.iter().fold(u64::MAX, |acc, e| acc & e.eval(pins, state)),
            Expr::Or(es) => es.iter().fold(0, |acc, e| acc | e.eval(pins, state)),
            Expr::Xor(es) => es.iter().fold(0, |acc, e| acc ^ e.eval(pins, state)),
        }
    }

    /// The text that Liberty writes, with `names` for the pins and `IQ` for the state.
    pub fn text(&self, names: &[&str]) -> String {
        let mut out = String::new();
        self.print(names, &mut out, true);
        out
    }

    fn print(&self, names: &[&str], out: &mut String, outer: bool) {
        let (op, parts) = match self {
            Expr::Pin(i) => {
                out.push_str(names.get(usize::from(*i)).copied().unwrap_or("?"));
                return;
            }
            Expr::State => {
                out.push_str("IQ");
                return;
            }
            Expr::Const(value) => {
                out.push(if *value { '1' } else { '0' });
                return;
            }
            Expr::Not(e) => {
                out.push('!');
                e.print(names, out, false);
                return;
            }
            Expr::And(es) => (" & ", es),
            Expr::Or(es) => (" | ", es),
            Expr::Xor(es) => (" ^ ", es),
        };
        if !outer {
            out.push('(');
        }
        for (i, e) in parts.iter().enumerate() {
            if i > 0 {
                out.push_str(op);
            }
            e.print(names, out, false);
        }
        if !outer {
            out.push(')');
        }
    }

    /// For each sense that input `pin` can have, the condition on the other inputs, as a list of
    /// (input, value) products; an empty outer list means that the sense does not occur.
    ///
    /// `n` is the number of inputs, at most 6. Positive first.
    pub fn senses(&self, pin: usize, n: usize) -> [Vec<Vec<(usize, bool)>>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        for row in 0..1usize << n {
            if row >> pin & 1 == 1 {
                continue;
            }
            let word = |r: usize| -> Vec<u64> {
                (0..n).map(|i| if r >> i & 1 == 1 { u64::MAX } else { 0 }).collect()
            };
            let low = self.eval(&word(row), 0) & 1;
            let high = self.eval(&word(row | 1 << pin), 0) & 1;
            if low == high {
                continue;
            }
            let product = (0..n).filter(|i| *i != pin).map(|i| (i, row >> i & 1 == 1)).collect();
            found[usize::from(high == 0)].push(product);
        }
        found
    }
}

/// Writes a condition found by [`Expr::senses`] as Liberty's `when` text.
pub fn condition_text(products: &[Vec<(usize, bool)>], names: &[&str]) -> String {
    let mut out = String::new();
    for (k, product) in products.iter().enumerate() {
        if k > 0 {
            out.push_str(" | ");
        }
        let brackets = products.len() > 1 && product.len() > 1;
        if brackets {
            out.push('(');
        }
        for (i, (pin, value)) in product.iter().enumerate() {
            if i > 0 {
                out.push_str(" & ");
            }
            let name = names.get(*pin).copied().unwrap_or("?");
            let bang = if *value { "" } else { "!" };
            let _ = write!(out, "{bang}{name}");
        }
        if brackets {
            out.push(')');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    static AOI21: Expr =
        Expr::Not(&Expr::Or(&[Expr::And(&[Expr::Pin(0), Expr::Pin(1)]), Expr::Pin(2)]));
    static XOR2: Expr = Expr::Xor(&[Expr::Pin(0), Expr::Pin(1)]);

    #[test]
    fn text_and_truth_agree() {
        assert_eq!(AOI21.text(&["A", "B", "C"]), "!((A & B) | C)");
        // Patterns 0..8 in bits: A = 10101010, B = 11001100, C = 11110000.
        assert_eq!(AOI21.eval(&[0xAA, 0xCC, 0xF0], 0) & 0xFF, 0x07);
    }

    #[test]
    fn senses_of_unate_and_binate_inputs() {
        let [positive, negative] = AOI21.senses(0, 3);
        assert!(positive.is_empty());
        assert_eq!(condition_text(&negative, &["A", "B", "C"]), "B & !C");
        let [positive, negative] = XOR2.senses(0, 2);
        assert_eq!(condition_text(&positive, &["A", "B"]), "!B");
        assert_eq!(condition_text(&negative, &["A", "B"]), "B");
    }
}
