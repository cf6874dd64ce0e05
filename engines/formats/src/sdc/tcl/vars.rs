//! Variables, arrays and frames.

use std::collections::{BTreeMap, HashMap};

use super::eval::Interp;
use super::meter::Res;
use super::value::Value;

pub(crate) enum Var {
    Scalar(Value),
    Array(BTreeMap<String, Value>),
    /// A name of the outermost frame.
    Global,
}

#[derive(Default)]
pub(crate) struct Frame {
    pub(crate) vars: HashMap<String, Var>,
}

impl Interp<'_> {
    fn frame_of(&self, name: &str) -> usize {
        let top = self.frames.len() - 1;
        match self.frames[top].vars.get(name) {
            Some(Var::Global) => 0,
            _ => top,
        }
    }

    fn key(name: &str) -> (&str, Option<&str>) {
        match name.split_once('(') {
            Some((array, index)) if index.ends_with(')') => {
                (array, Some(&index[..index.len() - 1]))
            }
            _ => (name, None),
        }
    }

    fn locate<'n>(&self, name: &'n str) -> (usize, &'n str, Option<&'n str>) {
        let (base, index) = Self::key(name);
        match base.strip_prefix("::") {
            Some(global) => (0, global, index),
            None => (self.frame_of(base), base, index),
        }
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<&Value> {
        let (frame, base, index) = self.locate(name);
        match (self.frames[frame].vars.get(base)?, index) {
            (Var::Scalar(value), None) => Some(value),
            (Var::Array(items), Some(index)) => items.get(index),
            _ => None,
        }
    }

    pub(crate) fn get(&mut self, name: &str) -> Res {
        match self.lookup(name) {
            Some(value) => Ok(value.clone()),
            None => Err(self.err(format!("variable `{name}` has no value"))),
        }
    }

    pub(crate) fn array(&self, name: &str) -> Option<&BTreeMap<String, Value>> {
        let (frame, base, _) = self.locate(name);
        match self.frames[frame].vars.get(base)? {
            Var::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) -> Res<()> {
        self.meter.bytes(64 + name.len() as u64)?;
        let (frame, base, index) = self.locate(name);
        let (base, vars) = (base.to_owned(), &mut self.frames[frame].vars);
        let fits = match (vars.get_mut(&base), index) {
            (Some(Var::Array(items)), Some(index)) => {
                items.insert(index.to_owned(), value);
                true
            }
            (Some(Var::Array(_)), None) | (Some(Var::Scalar(_)), Some(_)) => false,
            (_, None) => {
                vars.insert(base, Var::Scalar(value));
                true
            }
            (_, Some(index)) => {
                vars.insert(base, Var::Array(BTreeMap::from([(index.to_owned(), value)])));
                true
            }
        };
        if fits { Ok(()) } else { Err(self.err(format!("`{name}` is an array, or is none"))) }
    }

    pub(crate) fn unset(&mut self, name: &str) -> bool {
        let (frame, base, index) = self.locate(name);
        let vars = &mut self.frames[frame].vars;
        match (vars.get_mut(base), index) {
            (Some(Var::Array(items)), Some(index)) => items.remove(index).is_some(),
            (Some(_), None) => vars.remove(base).is_some(),
            _ => false,
        }
    }
}
