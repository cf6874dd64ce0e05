//! Matching a file's names with a design's.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use cellwright_db::{CellId, Design, NetId, PinId};

/// How a file writes names.
#[derive(Clone, Debug)]
pub(super) struct Style {
    pub(super) divider: char,
    pub(super) delimiter: char,
    pub(super) bus: (char, Option<char>),
    /// Put before every name.
    pub(super) prefix: String,
}

impl Style {
    /// The design's spelling: a backslash protects the character behind it and goes; a free
    /// divider becomes `/`, free bus delimiters become brackets.
    fn spell(&self, name: &str, free: bool) -> String {
        let mut out = String::with_capacity(self.prefix.len() + name.len());
        out.push_str(&self.prefix);
        let mut chars = name.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' => out.extend(chars.next()),
                char if free && char == self.divider => out.push('/'),
                char if free && char == self.bus.0 => out.push('['),
                char if free && Some(char) == self.bus.1 => out.push(']'),
                char => out.push(char),
            }
        }
        out
    }

    /// Splits `instance:pin` at the last delimiter that is not escaped.
    pub(super) fn split<'t>(&self, name: &'t str) -> Option<(&'t str, &'t str)> {
        let mut end = name.len();
        while let Some(at) = name[..end].rfind(self.delimiter) {
            if !name[..at].ends_with('\\') {
                return Some((&name[..at], &name[at + self.delimiter.len_utf8()..]));
            }
            end = at;
        }
        None
    }
}

/// Names without backslashes, for designs whose own names kept theirs. `None` marks a name that
/// several objects share.
type Loose = HashMap<String, Option<u32>>;

/// Finds a design's objects by a file's names.
pub(super) struct Names<'d> {
    design: &'d Design,
    loose_cells: OnceCell<Loose>,
    loose_nets: OnceCell<Loose>,
    levels: OnceCell<HashSet<String>>,
}

fn add(loose: &mut Loose, name: &str, id: u32) {
    if name.contains('\\') {
        loose.entry(name.replace('\\', "")).and_modify(|slot| *slot = None).or_insert(Some(id));
    }
}

impl<'d> Names<'d> {
    pub(super) fn new(design: &'d Design) -> Self {
        Names {
            design,
            loose_cells: OnceCell::new(),
            loose_nets: OnceCell::new(),
            levels: OnceCell::new(),
        }
    }

    /// Tries the spellings of a name, the standard's own first.
    fn any<T>(&self, style: &Style, name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
        let plain = style.prefix.is_empty() && !name.contains('\\');
        if plain
            && (style.divider == '/' || !name.contains(style.divider))
            && let Some(found) = find(name)
        {
            return Some(found);
        }
        find(&style.spell(name, true)).or_else(|| find(&style.spell(name, false)))
    }

    pub(super) fn cell(&self, style: &Style, name: &str) -> Option<CellId> {
        let found = self.any(style, name, |name| self.design.find_cell(name));
        found.or_else(|| {
            let loose = self.loose_cells.get_or_init(|| {
                let mut loose = Loose::new();
                for cell in self.design.cells() {
                    add(&mut loose, self.design.cell_name(cell), cell.0);
                }
                loose
            });
            loose.get(&style.spell(name, false)).copied().flatten().map(CellId)
        })
    }

    pub(super) fn net(&self, style: &Style, name: &str) -> Option<NetId> {
        let found = self.any(style, name, |name| self.design.find_net(name));
        found.or_else(|| {
            let loose = self.loose_nets.get_or_init(|| {
                let mut loose = Loose::new();
                for net in self.design.nets() {
                    add(&mut loose, self.design.net_name(net), net.0);
                }
                loose
            });
            loose.get(&style.spell(name, false)).copied().flatten().map(NetId)
        })
    }

    /// A port's pin. Below a prefix there are no ports.
    pub(super) fn port(&self, style: &Style, name: &str) -> Option<PinId> {
        if !style.prefix.is_empty() {
            return None;
        }
        let port = self.any(style, name, |name| self.design.find_port(name))?;
        Some(self.design.ports()[port].pin)
    }

    /// A pin by its instance's and its own name.
    pub(super) fn pin(&self, style: &Style, cell: &str, pin: &str) -> Option<PinId> {
        let cell = self.cell(style, cell)?;
        let master = self.design.master(cell);
        let free = Style { prefix: String::new(), ..style.clone() };
        let number = master
            .pin(pin)
            .or_else(|| master.pin(&free.spell(pin, true)))
            .or_else(|| master.pin(&free.spell(pin, false)))?;
        Some(PinId(self.design.cell(cell).first_pin.0 + number.0))
    }

    /// Whether an instance is a level of hierarchy, so that its pins are borders.
    pub(super) fn is_level(&self, style: &Style, cell: &str) -> bool {
        let levels = self.levels.get_or_init(|| {
            let mut levels = HashSet::new();
            let mut last = "";
            for cell in self.design.cells() {
                let Some((path, _)) = self.design.cell_name(cell).rsplit_once('/') else {
                    continue;
                };
                if path != last {
                    levels.extend(path.match_indices('/').map(|(at, _)| path[..at].to_owned()));
                    levels.insert(path.to_owned());
                    last = path;
                }
            }
            levels
        });
        levels.contains(&style.spell(cell, true))
    }

    /// The full name of something below the prefix, for nodes at the border of a module.
    pub(super) fn path(style: &Style, cell: &str, pin: &str) -> String {
        let free = Style { prefix: String::new(), ..style.clone() };
        let pin = free.spell(pin, true);
        // An empty instance is the module itself: the prefix already ends in a divider.
        match cell {
            "" => format!("{}{pin}", style.prefix),
            cell => format!("{}/{pin}", style.spell(cell, true)),
        }
    }
}
