//! Boolean functions of cells, as Liberty writes them, over a master's signal pins.

use std::fmt;

/// A Boolean expression. Variables are numbers: pin positions in [`crate::Master::pins`], or state
/// variables (see [`crate::timing::Sequential`]) from [`Expr::STATE`] up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(bool),
    /// A variable.
    Var(u32),
    /// Negation.
    Not(Box<Expr>),
    /// Conjunction.
    And(Box<Expr>, Box<Expr>),
    /// Disjunction.
    Or(Box<Expr>, Box<Expr>),
    /// Exclusive or.
    Xor(Box<Expr>, Box<Expr>),
}

/// A value of three-valued logic: `None` is unknown.
pub type Ternary = Option<bool>;

impl Expr {
    /// State variables (`IQ`, `IQN`, …) are numbered from here.
    pub const STATE: u32 = 1 << 16;

    /// The value when each variable has the value that `value` gives, unknown allowed.
    ///
    /// Pessimistic in the usual way: `a + a'` with unknown `a` is unknown.
    pub fn eval(&self, value: &mut impl FnMut(u32) -> Ternary) -> Ternary {
        match self {
            Expr::Const(constant) => Some(*constant),
            Expr::Var(variable) => value(*variable),
            Expr::Not(a) => a.eval(value).map(|a| !a),
            Expr::And(a, b) => match (a.eval(value), b.eval(value)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Expr::Or(a, b) => match (a.eval(value), b.eval(value)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Expr::Xor(a, b) => match (a.eval(value), b.eval(value)) {
                (Some(a), Some(b)) => Some(a != b),
                _ => None,
            },
        }
    }

    /// The variables in ascending order, each once.
    pub fn variables(&self) -> Vec<u32> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn collect(&self, found: &mut Vec<u32>) {
        match self {
            Expr::Const(_) => {}
            Expr::Var(variable) => found.push(*variable),
            Expr::Not(a) => a.collect(found),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Xor(a, b) => {
                a.collect(found);
                b.collect(found);
            }
        }
    }

    /// Whether both are the same function. Exact up to 16 variables; beyond that only equal
    /// expressions count as equal, so the answer is never a wrong "yes".
    pub fn same_function(&self, other: &Expr) -> bool {
        if self == other {
            return true;
        }
        let mut variables = self.variables();
        variables.extend(other.variables());
        variables.sort_unstable();
        variables.dedup();
        if variables.len() > 16 {
            return false;
        }
        (0..1_u32 << variables.len()).all(|row| {
            let mut value = |variable: u32| {
                variables.binary_search(&variable).ok().map(|bit| row >> bit & 1 == 1)
            };
            self.eval(&mut value) == other.eval(&mut value)
        })
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Const(constant) => write!(f, "{}", u8::from(*constant)),
            Expr::Var(variable) => write!(f, "v{variable}"),
            Expr::Not(a) => write!(f, "!{a}"),
            Expr::And(a, b) => write!(f, "({a} & {b})"),
            Expr::Or(a, b) => write!(f, "({a} | {b})"),
            Expr::Xor(a, b) => write!(f, "({a} ^ {b})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_compare_by_value_not_by_spelling() {
        let var = |v| Box::new(Expr::Var(v));
        let nand = Expr::Not(Box::new(Expr::And(var(0), var(1))));
        let or_of_nots = Expr::Or(Box::new(Expr::Not(var(0))), Box::new(Expr::Not(var(1))));
        assert!(nand.same_function(&or_of_nots));
        assert!(!nand.same_function(&Expr::And(var(0), var(1))));
        assert_eq!(nand.eval(&mut |v| (v == 0).then_some(false)), Some(true));
        assert_eq!(nand.eval(&mut |_| None), None);
    }
}
