//! What all builders of the Liberty model share: the tree, problems, units, numbers and strings.

use super::syntax::{Files, Node, Tree};
use super::{Axis, AxisVariable, BusType, Expr, Table, TableTemplate, Units};
use crate::text::{Problems, Severity, parse_f64};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

pub(super) struct Context<'c, 'a> {
    pub(super) files: &'c Files<'a>,
    pub(super) tree: &'c Tree<'a>,
    pub(super) problems: &'c mut Problems,
    pub(super) units: Units,
    pub(super) templates: Vec<TableTemplate>,
    pub(super) template_index: HashMap<String, usize>,
    pub(super) bus_types: Vec<BusType>,
    pub(super) dropped: BTreeMap<String, u64>,
    /// What this library may still take, so that no small file can ask for endless buses.
    pub(super) budget: Budget,
}

/// Bounds over a whole library, far above what real ones need.
pub(super) struct Budget {
    pub(super) pins: usize,
    /// Groups times the pins that each stands for.
    pub(super) applied: usize,
    pub(super) arcs: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { pins: 1 << 20, applied: 1 << 23, arcs: 1 << 24 }
    }
}

impl<'a> Context<'_, 'a> {
    pub(super) fn problem(
        &mut self,
        severity: Severity,
        code: &'static str,
        node: &Node<'a>,
        message: impl FnOnce() -> String,
    ) {
        self.files.report(self.problems, severity, code, node.at, message);
    }

    /// The line of a node in its file.
    pub(super) fn line(&self, node: &Node<'a>) -> u32 {
        self.files.source(node.at).map_or(0, |source| source.position(node.at.offset as usize).line)
    }

    pub(super) fn drop_group(&mut self, node: &Node<'a>) {
        match self.dropped.get_mut(node.name) {
            Some(count) => *count += 1,
            None => {
                self.dropped.insert(node.name.to_owned(), 1);
            }
        }
    }

    /// The node's first word without its escapes.
    pub(super) fn string(&self, node: &Node<'a>) -> String {
        unescaped(self.tree.word(node)).into_owned()
    }

    /// As [`Self::string`], `None` if empty.
    pub(super) fn text(&self, node: &Node<'a>) -> Option<String> {
        Some(self.string(node)).filter(|t| !t.is_empty())
    }

    /// All words without their escapes.
    pub(super) fn strings(&self, node: &Node<'a>) -> Vec<String> {
        self.tree.words(node).iter().map(|w| unescaped(w).into_owned()).collect()
    }

    /// The node's first word as a number times `scale`.
    pub(super) fn number(&mut self, node: &Node<'a>, scale: f64) -> Option<f32> {
        let text = self.tree.word(node).trim();
        let value = parse_f64(text).map(|v| to_f32(v * scale)).filter(|v| v.is_finite());
        if value.is_none() {
            self.problem(Severity::Error, "liberty-number", node, || {
                format!("`{}` needs a number, not `{text}`; it is left out", node.name)
            });
        }
        value
    }

    pub(super) fn boolean(&mut self, node: &Node<'a>) -> bool {
        let text = self.tree.word(node).trim();
        if text.eq_ignore_ascii_case("true") || text == "1" {
            return true;
        }
        if !text.eq_ignore_ascii_case("false") && text != "0" {
            self.problem(Severity::Warning, "liberty-boolean", node, || {
                format!("`{}` needs true or false, not `{text}`; taken as false", node.name)
            });
        }
        false
    }

    /// The node's first word as a Boolean expression.
    pub(super) fn expr(&mut self, node: &Node<'a>) -> Option<Expr> {
        let text = unescaped(self.tree.word(node));
        if text.trim().is_empty() {
            return None;
        }
        match Expr::parse(&text) {
            Ok(expr) => Some(expr),
            Err(error) => {
                self.problem(Severity::Error, "liberty-expression", node, || {
                    format!("`{}` is no Boolean expression: {error}; it is left out", node.name)
                });
                None
            }
        }
    }

    /// All numbers in all words of a node, each times `scale`.
    pub(super) fn numbers(&mut self, node: &Node<'a>, scale: f64) -> Vec<f32> {
        let mut out = Vec::new();
        let mut bad = None;
        for word in self.tree.words(node) {
            for token in number_tokens(word) {
                match parse_f64(token).map(|v| to_f32(v * scale)).filter(|v| v.is_finite()) {
                    Some(value) => out.push(value),
                    None => bad = Some(token),
                }
            }
        }
        if let Some(token) = bad {
            self.problem(Severity::Error, "liberty-number", node, || {
                format!("`{}` needs numbers, not `{token}`; it is passed over", node.name)
            });
        }
        out
    }

    /// What one unit of an axis in the file is in ours.
    fn axis_scale(&self, variable: AxisVariable) -> f64 {
        match variable {
            AxisVariable::InputTransition
            | AxisVariable::ConstrainedTransition
            | AxisVariable::RelatedTransition
            | AxisVariable::Time => self.units.time,
            AxisVariable::OutputCapacitance
            | AxisVariable::RelatedOutputCapacitance
            | AxisVariable::EqualOrOppositeCapacitance
            | AxisVariable::WireCapacitance
            | AxisVariable::PinCapacitance => self.units.capacitance,
            AxisVariable::NetLength | AxisVariable::Other => 1.0,
        }
    }

    fn axis_points(&mut self, node: &Node<'a>, variable: AxisVariable) -> Vec<f32> {
        let scale = self.axis_scale(variable);
        let points = self.numbers(node, scale);
        if points.windows(2).any(|w| w[0] >= w[1]) {
            self.problem(Severity::Warning, "liberty-axis-order", node, || {
                format!("the points of `{}` do not rise", node.name)
            });
        }
        points
    }

    /// A `lu_table_template` group.
    pub(super) fn template(&mut self, node: &Node<'a>) -> TableTemplate {
        let tree = self.tree;
        let mut variables = [None; 3];
        for child in tree.children(node) {
            if let Some(slot) = variable_slot(child.name, "variable_") {
                variables[slot] = Some(AxisVariable::parse(tree.word(child).trim()));
            }
        }
        let mut axes: Vec<Axis> = variables
            .iter()
            .map_while(|v| v.map(|variable| Axis { variable, points: Vec::new() }))
            .collect();
        for child in tree.children(node) {
            let Some(slot) = variable_slot(child.name, "index_") else { continue };
            if let Some(variable) = axes.get(slot).map(|a| a.variable) {
                let points = self.axis_points(child, variable);
                axes[slot].points = points;
            }
        }
        TableTemplate { name: self.string(node), axes }
    }

    /// A table group such as `cell_rise (TEMPLATE)`, its values times `scale`. What does not fit
    /// its template is a problem and gives no table.
    pub(super) fn table(&mut self, node: &Node<'a>, scale: f64) -> Option<Table> {
        let tree = self.tree;
        let name = unescaped(tree.word(node));
        let template = self.template_index.get(name.as_ref()).copied();
        let scalar = name == "scalar" || name.is_empty();
        let mut axes = match template.and_then(|t| self.templates.get(t)) {
            Some(template) => template.axes.clone(),
            None => Vec::new(),
        };
        let mut values = None;
        for child in tree.children(node) {
            if child.name == "values" {
                values = Some(self.numbers(child, scale));
            } else if let Some(slot) = variable_slot(child.name, "index_")
                && let Some(variable) = axes.get(slot).map(|a| a.variable)
            {
                axes[slot].points = self.axis_points(child, variable);
            }
        }
        let Some(values) = values.filter(|v| !v.is_empty()) else {
            self.problem(Severity::Error, "liberty-table", node, || {
                format!("table `{}` has no values; it is left out", node.name)
            });
            return None;
        };
        if template.is_none() && !scalar && values.len() > 1 {
            self.problem(Severity::Error, "liberty-table", node, || {
                format!("`{}` names the unknown template `{name}`; it is left out", node.name)
            });
            return None;
        }
        if axes.iter().any(|a| a.points.is_empty()) && values.len() == 1 {
            axes.clear();
        }
        let wanted = axes.iter().fold(1usize, |n, a| n.saturating_mul(a.points.len()));
        if wanted != values.len() {
            self.problem(Severity::Error, "liberty-table", node, || {
                let have = values.len();
                let name = node.name;
                format!(
                    "table `{name}` has {have} values where its axes give {wanted}; it is left out"
                )
            });
            return None;
        }
        Some(Table { axes, values })
    }
}

/// 0, 1 or 2 for `index_1`, `index_2`, `index_3`.
fn variable_slot(name: &str, prefix: &str) -> Option<usize> {
    match name.strip_prefix(prefix)? {
        "1" => Some(0),
        "2" => Some(1),
        "3" => Some(2),
        _ => None,
    }
}

/// The words of a list of numbers: commas, blanks, backslashes and line ends part them.
fn number_tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c <= ' ' || c == ',' || c == '\\').filter(|t| !t.is_empty())
}

/// Nearest single-precision number; every number of the model goes through here.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn to_f32(value: f64) -> f32 {
    value as f32
}

/// The text of a string without escapes: a backslash before a line end vanishes with it, one
/// before a quote or a backslash leaves that character.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.peek() {
            Some('"' | '\\') => out.extend(chars.next()),
            Some('\n') => {
                chars.next();
            }
            Some('\r') => {
                chars.next();
                chars.next_if_eq(&'\n');
            }
            // Anything else is kept as written: pin names may hold backslashes.
            _ => out.push('\\'),
        }
    }
    Cow::Owned(out)
}
