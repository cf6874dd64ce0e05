//! A module with all its expressions turned into bits, once, before it is instantiated any number
//! of times.
//!
//! The bits of a module are numbered from 0: first those of input ports, then inouts, outputs,
//! other nets in order of declaration, and nets that no declaration names in order of first use.
//! Since joined nets keep the lowest number, a net that reaches a port is known by the port, and
//! one that joins an input with an output is known by the input.

use super::ast::{Design, Expr, Module, NameId, Signal, Tie};
use super::masters::PortDirection;
use super::number;
use crate::text::{FormatError, Problems, Severity, Source};

/// A bit of the module, or one of the values below.
pub(super) type Bit = u32;
pub(super) const OPEN: Bit = u32::MAX;
pub(super) const ONE: Bit = u32::MAX - 1;
pub(super) const ZERO: Bit = u32::MAX - 2;

/// The most bits of one expression.
const MAX_EXPR: usize = 1 << 20;

/// The most bits of all expressions of a design together.
const MAX_WORK: u64 = 1 << 27;

/// A net or bus with its place among the bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) name: NameId,
    pub(super) range: Option<(i32, i32)>,
    pub(super) first: u32,
}

impl Placed {
    pub(super) fn width(&self) -> u32 {
        self.range.map_or(1, |(from, to)| from.abs_diff(to) + 1)
    }

    /// The place of a bit of the bus.
    fn bit(&self, index: i32) -> Option<u32> {
        let (from, to) = self.range?;
        let inside = (from.min(to)..=from.max(to)).contains(&index);
        inside.then(|| self.first + index.abs_diff(from))
    }
}

/// The nets of one module.
pub(super) struct Scope<'d, 'a> {
    pub(super) design: &'d Design<'a>,
    pub(super) module: &'d Module,
    /// In the order of their bits.
    pub(super) placed: Vec<Placed>,
    pub(super) bits: u32,
    /// Whether two nets of different spelling may have one flat name.
    pub(super) suspect: bool,
    /// How many bits the expressions of this and all earlier modules had.
    pub(super) work: u64,
    // By name: (index in `placed` + 1); shared by all scopes and cleared after each.
    index: Vec<u32>,
}

impl<'d, 'a> Scope<'d, 'a> {
    /// `index` is scratch space, all zeros.
    pub(super) fn new(
        design: &'d Design<'a>,
        module: &'d Module,
        mut index: Vec<u32>,
        work: u64,
    ) -> Result<Self, FormatError> {
        index.resize(design.names.len(), 0);
        let mut scope =
            Self { design, module, placed: Vec::new(), bits: 0, suspect: false, work, index };
        scope.placed.reserve(module.signals.len());
        let class = |s: &Signal| match s.direction {
            Some(PortDirection::Input) => 0,
            Some(PortDirection::Inout) => 1,
            Some(PortDirection::Output) => 2,
            None => 3,
        };
        for wanted in 0..4 {
            for signal in module.signals.iter().filter(|s| class(s) == wanted) {
                scope.place(signal.name, signal.range, signal.at)?;
            }
        }
        scope.suspect = scope.placed.iter().any(|p| scope.may_clash(p));
        Ok(scope)
    }

    /// Gives the scratch space back, all zeros again.
    pub(super) fn finish(mut self) -> (Vec<Placed>, Vec<u32>) {
        for placed in &self.placed {
            if let Some(slot) = self.index.get_mut(placed.name.0 as usize) {
                *slot = 0;
            }
        }
        (self.placed, self.index)
    }

    pub(super) fn source(&self) -> Option<&'a Source> {
        self.design.sources.get(self.module.source as usize).copied()
    }

    pub(super) fn report(
        &self,
        problems: &mut Problems,
        severity: Severity,
        code: &'static str,
        at: u32,
        message: impl FnOnce() -> String,
    ) {
        if let Some(source) = self.source() {
            problems.report(severity, code, source, at as usize, message);
        }
    }

    fn place(
        &mut self,
        name: NameId,
        range: Option<(i32, i32)>,
        at: u32,
    ) -> Result<Placed, FormatError> {
        let placed = Placed { name, range, first: self.bits };
        match self.bits.checked_add(placed.width()).filter(|&b| b < super::elaborate::MAX_NETS) {
            Some(bits) => self.bits = bits,
            None => {
                let text = self.design.name(self.module.name);
                return Err(super::elaborate::error_in(
                    self.source(),
                    at,
                    format!("module `{text}` has too many nets"),
                    "check the ranges of its buses",
                ));
            }
        }
        self.placed.push(placed);
        if let Some(slot) = self.index.get_mut(name.0 as usize) {
            *slot = u32::try_from(self.placed.len()).unwrap_or(0);
        }
        Ok(placed)
    }

    pub(super) fn find(&self, name: NameId) -> Option<Placed> {
        let index = self.index.get(name.0 as usize).copied()?;
        self.placed.get((index as usize).checked_sub(1)?).copied()
    }

    /// Whether an escaped name looks like a bit of a bus that is there as well.
    fn may_clash(&self, placed: &Placed) -> bool {
        let text = self.design.name(placed.name);
        if placed.range.is_some() || !text.ends_with(']') {
            return false;
        }
        let base = text.rsplit_once('[').and_then(|(base, _)| self.design.names.find(base));
        base.and_then(|b| self.find(b)).is_some_and(|b| b.range.is_some())
    }

    /// The net of a name; one that is not declared comes into being as a single wire.
    fn net(
        &mut self,
        name: NameId,
        at: u32,
        problems: &mut Problems,
    ) -> Result<Placed, FormatError> {
        if let Some(placed) = self.find(name) {
            return Ok(placed);
        }
        if self.module.strict_nets {
            let text = self.design.name(name);
            self.report(problems, Severity::Error, "verilog-undeclared", at, || {
                format!("net `{text}` is not declared, and `default_nettype none` is in force")
            });
        }
        let placed = self.place(name, None, at)?;
        self.suspect |= self.may_clash(&placed);
        Ok(placed)
    }

    /// The bits of an expression, the most significant first. `width` is that of its place, for
    /// constants without a size.
    pub(super) fn bits_of(
        &mut self,
        expr: Expr,
        width: usize,
        at: u32,
        problems: &mut Problems,
        out: &mut Vec<Bit>,
    ) -> Result<(), FormatError> {
        let too_wide = |scope: &Self| {
            Err(super::elaborate::error_in(
                scope.source(),
                at,
                format!("the expression has more than {MAX_EXPR} bits"),
                "check its repetitions",
            ))
        };
        match expr {
            Expr::None => {}
            Expr::Net(name) => {
                let placed = self.net(name, at, problems)?;
                if out.len() + placed.width() as usize > MAX_EXPR {
                    return too_wide(self);
                }
                out.extend(placed.first..placed.first + placed.width());
            }
            Expr::Bit(name, index) => out.push(self.select(name, index, at, problems)?),
            Expr::Part(name, from, to) => self.part(name, from, to, at, problems, out)?,
            Expr::Const(text) => {
                let text = self.design.name(text);
                let bits = number::bits(text).unwrap_or_default();
                if out.len() + bits.len() > MAX_EXPR {
                    return too_wide(self);
                }
                if bits.contains(&number::Bit::X) {
                    self.report(problems, Severity::Warning, "verilog-unknown-value", at, || {
                        format!("`{text}` has unknown bits; they are left open")
                    });
                }
                out.extend(bits.iter().map(|b| match b {
                    number::Bit::Zero => ZERO,
                    number::Bit::One => ONE,
                    number::Bit::X | number::Bit::Z => OPEN,
                }));
            }
            Expr::Unsized(value) => {
                let bit = |i: usize| if i < 32 && value >> i & 1 == 1 { ONE } else { ZERO };
                out.extend((0..width.min(MAX_EXPR)).rev().map(bit));
            }
            Expr::Concat(first, count) => {
                for i in 0..count {
                    let part = self.design.parts(first + i, 1).first().copied();
                    self.bits_of(part.unwrap_or(Expr::None), 0, at, problems, out)?;
                }
            }
            Expr::Repeat(times, first, count) => {
                let start = out.len();
                self.bits_of(Expr::Concat(first, count), 0, at, problems, out)?;
                let once = out.len() - start;
                if once.saturating_mul(times as usize) > MAX_EXPR {
                    return too_wide(self);
                }
                if times == 0 {
                    out.truncate(start);
                }
                for _ in 1..times {
                    out.extend_from_within(start..start + once);
                }
            }
        }
        self.work += out.len() as u64;
        if self.work > MAX_WORK {
            return Err(super::elaborate::error_in(
                self.source(),
                at,
                "the connections of the design have too many bits together",
                "check its repetitions",
            ));
        }
        if out.len() > MAX_EXPR { too_wide(self) } else { Ok(()) }
    }

    fn select(
        &mut self,
        name: NameId,
        index: i32,
        at: u32,
        problems: &mut Problems,
    ) -> Result<Bit, FormatError> {
        if let Some(bit) = self.find(name).and_then(|p| p.bit(index)) {
            return Ok(bit);
        }
        // Some writers forget the backslash of `\a[3] `; the net of that name is meant.
        let text = format!("{}[{index}]", self.design.name(name));
        let escaped = self.design.names.find(&text).and_then(|n| self.find(n));
        if let Some(placed) = escaped.filter(|p| p.range.is_none()) {
            return Ok(placed.first);
        }
        self.report(problems, Severity::Error, "verilog-no-such-bit", at, || {
            format!("there is no `{text}`; it is left open")
        });
        Ok(OPEN)
    }

    fn part(
        &mut self,
        name: NameId,
        from: i32,
        to: i32,
        at: u32,
        problems: &mut Problems,
        out: &mut Vec<Bit>,
    ) -> Result<(), FormatError> {
        let placed = self.find(name);
        let ends = placed.and_then(|p| Some((p.bit(from)?, p.bit(to)?)));
        let Some((first, last)) = ends else {
            let text = self.design.name(name);
            self.report(problems, Severity::Error, "verilog-no-such-bit", at, || {
                format!("there is no `{text}[{from}:{to}]`; it is left open")
            });
            let width = from.abs_diff(to) as usize;
            out.extend(std::iter::repeat_n(OPEN, width.saturating_add(1).min(MAX_EXPR)));
            return Ok(());
        };
        // Bits run from the bus's first to its last; a selection written the other way round is
        // taken in the bus's order.
        out.extend(first.min(last)..=first.max(last));
        Ok(())
    }

    /// Nets that a `supply0` or `supply1` ties.
    pub(super) fn supplies(&self) -> Vec<(Bit, Tie)> {
        let mut out = Vec::new();
        for signal in &self.module.signals {
            if let (Some(tie), Some(placed)) = (signal.tie, self.find(signal.name)) {
                out.extend((placed.first..placed.first + placed.width()).map(|b| (b, tie)));
            }
        }
        out
    }
}
