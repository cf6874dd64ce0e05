//! Giving a file back with some things changed and everything else byte for byte as it was.
//!
//! Vias, special nets, blockages, comments and properties of a file are not ours to reformat. So the
//! edited file is the original text with single items of `COMPONENTS` and `NETS` replaced, removed
//! or added, and the counts of these two sections set right.

use super::ast::{DefFile, Placement, Section, SectionKind};
use super::net::{Connection, Net};
use crate::lef::Use;
use crate::text::{LONGEST_KEYWORD, Lexer, keyword};
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use thiserror::Error;

/// What happens to a component of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentEdit<'e> {
    /// It goes. Nets that connect to it must be changed or removed too.
    Remove,
    /// It gets another master, another placement, or both; `None` leaves what is written.
    Change {
        /// New macro.
        master: Option<&'e str>,
        /// New placement.
        placement: Option<Placement>,
    },
}

/// What happens to a net of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetEdit<'e> {
    /// It goes.
    Remove,
    /// It gets other connections.
    Change {
        /// All its connections from now on.
        connections: Vec<Connection<'e>>,
        /// Whether its wiring goes, since it leads to pins that moved or are gone.
        drop_wiring: bool,
    },
}

/// A component to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewComponent<'e> {
    /// Its name, escapes as DEF wants them.
    pub name: &'e str,
    /// Its macro.
    pub master: &'e str,
    /// Where it is placed.
    pub placement: Placement,
}

/// A net to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNet<'e> {
    /// Its name, escapes as DEF wants them.
    pub name: &'e str,
    /// Its connections.
    pub connections: Vec<Connection<'e>>,
    /// `USE`.
    pub usage: Option<Use>,
}

/// Changes to a file; indices are those of [`DefFile::components`] and [`DefFile::nets`].
#[derive(Debug, Clone, Default)]
pub struct Edit<'e> {
    /// Components that change.
    pub components: BTreeMap<usize, ComponentEdit<'e>>,
    /// Components that come in addition.
    pub new_components: Vec<NewComponent<'e>>,
    /// Nets that change.
    pub nets: BTreeMap<usize, NetEdit<'e>>,
    /// Nets that come in addition.
    pub new_nets: Vec<NewNet<'e>>,
}

/// Changes that do not fit the file.
#[derive(Debug, Error)]
pub enum EditError {
    /// An index beyond the file's list.
    #[error("{list} has {len} items, there is no number {index}")]
    NoSuchItem {
        /// `COMPONENTS` or `NETS`.
        list: &'static str,
        /// The index given.
        index: usize,
        /// Length of the list.
        len: usize,
    },
    /// A name that DEF cannot hold.
    #[error("`{0}` is no DEF name: it is empty, or holds a blank, or reads as punctuation")]
    BadName(String),
    /// A new name that exists.
    #[error("`{0}` exists already")]
    Duplicate(String),
    /// A net that is left with a connection to a component that went.
    #[error("net `{net}` still connects to `{component}`, which is removed")]
    Dangling {
        /// The net.
        net: String,
        /// The component.
        component: String,
    },
    /// Output failed.
    #[error("the file cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

type Result<T> = std::result::Result<T, EditError>;

impl Edit<'_> {
    /// Writes the file with the changes.
    ///
    /// # Errors
    /// [`EditError`]; all checks come before the first byte is written.
    pub fn write(&self, file: &DefFile<'_>, out: &mut impl Write) -> Result<()> {
        self.check(file)?;
        let text = file.text();
        let mut done = 0;
        let mut out = Splicer { text, out };
        let change_components = !self.components.is_empty() || !self.new_components.is_empty();
        let change_nets = !self.nets.is_empty() || !self.new_nets.is_empty();
        let last = |kind| file.sections.iter().rposition(|s| s.kind == kind);
        let (last_components, last_nets) = (last(SectionKind::Components), last(SectionKind::Nets));
        // A section that is missing goes before the first one that must stand behind it.
        let no_components = !self.new_components.is_empty() && last_components.is_none();
        let components_before = file.sections.iter().position(|s| {
            !matches!(
                s.kind,
                SectionKind::Vias
                    | SectionKind::Styles
                    | SectionKind::NonDefaultRules
                    | SectionKind::Regions
            )
        });
        let no_nets = !self.new_nets.is_empty() && last_nets.is_none();
        let nets_before = file
            .sections
            .iter()
            .position(|s| matches!(s.kind, SectionKind::ScanChains | SectionKind::Groups));
        for (i, section) in file.sections.iter().enumerate() {
            if no_components && components_before == Some(i) {
                out.copy(done, section.start.get())?;
                done = section.start.get();
                self.components_section(&mut out)?;
            }
            if no_nets && nets_before == Some(i) {
                out.copy(done, section.start.get())?;
                done = section.start.get();
                self.nets_section(&mut out)?;
            }
            match section.kind {
                SectionKind::Components if change_components => {
                    out.copy(done, section.start.get())?;
                    self.components(file, section, last_components == Some(i), &mut out)?;
                    done = section.end.get();
                }
                SectionKind::Nets if change_nets => {
                    out.copy(done, section.start.get())?;
                    self.nets(file, section, last_nets == Some(i), &mut out)?;
                    done = section.end.get();
                }
                _ => {}
            }
        }
        out.copy(done, file.end_design.get())?;
        if no_components && components_before.is_none() {
            self.components_section(&mut out)?;
        }
        if no_nets && nets_before.is_none() {
            self.nets_section(&mut out)?;
        }
        out.copy(file.end_design.get(), text.len())
    }

    fn check(&self, file: &DefFile<'_>) -> Result<()> {
        let bound = |list, last: Option<&usize>, len| match last {
            Some(&index) if index >= len => Err(EditError::NoSuchItem { list, index, len }),
            _ => Ok(()),
        };
        let last = self.components.last_key_value().map(|x| x.0);
        bound("COMPONENTS", last, file.components.len())?;
        bound("NETS", self.nets.last_key_value().map(|x| x.0), file.nets.len())?;
        let name_ok = |name: &str| {
            let mut words = Lexer::new(name);
            let whole = words.next().is_some_and(|t| !t.quoted() && t.text == name);
            if whole && !matches!(name, ";" | "(" | ")" | "+" | "-" | "*") {
                Ok(())
            } else {
                Err(EditError::BadName(name.to_owned()))
            }
        };
        let connections_ok = |connections: &[Connection<'_>]| {
            connections.iter().try_for_each(|c| {
                name_ok(c.component)?;
                name_ok(c.pin)
            })
        };
        for c in &self.new_components {
            name_ok(c.name)?;
            name_ok(c.master)?;
        }
        for edit in self.components.values() {
            if let ComponentEdit::Change { master: Some(master), .. } = edit {
                name_ok(master)?;
            }
        }
        for n in &self.new_nets {
            name_ok(n.name)?;
            connections_ok(&n.connections)?;
        }
        for edit in self.nets.values() {
            if let NetEdit::Change { connections, .. } = edit {
                connections_ok(connections)?;
            }
        }
        self.check_names(file)?;
        self.check_dangling(file)
    }

    fn check_names(&self, file: &DefFile<'_>) -> Result<()> {
        let unique = |mut old: &mut dyn Iterator<Item = &str>, new: &[&str]| {
            let mut seen = HashSet::with_capacity(new.len());
            if let Some(twice) = new.iter().find(|n| !seen.insert(**n)) {
                return Err(EditError::Duplicate((*twice).to_owned()));
            }
            match (&mut old).find(|n| seen.contains(n)) {
                Some(twice) => Err(EditError::Duplicate(twice.to_owned())),
                None => Ok(()),
            }
        };
        let kept = |i: &usize| self.components.get(i) != Some(&ComponentEdit::Remove);
        let new: Vec<&str> = self.new_components.iter().map(|c| c.name).collect();
        let old = file.components.iter().enumerate().filter(|(i, _)| kept(i));
        unique(&mut old.map(|(_, c)| c.name), &new)?;
        let kept = |i: &usize| self.nets.get(i) != Some(&NetEdit::Remove);
        let new: Vec<&str> = self.new_nets.iter().map(|n| n.name).collect();
        let old = file.nets.iter().enumerate().filter(|(i, _)| kept(i));
        unique(&mut old.map(|(_, n)| n.name).chain(file.special_nets.iter().map(|n| n.name)), &new)
    }

    fn check_dangling(&self, file: &DefFile<'_>) -> Result<()> {
        let added: HashSet<&str> = self.new_components.iter().map(|c| c.name).collect();
        let gone: HashSet<&str> = self
            .components
            .iter()
            .filter(|(_, edit)| **edit == ComponentEdit::Remove)
            .filter_map(|(i, _)| file.components.get(*i))
            .map(|c| c.name)
            .filter(|name| !added.contains(name))
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        let fine = |net: &str, c: Connection<'_>| {
            if gone.contains(c.component) {
                let (net, component) = (net.to_owned(), c.component.to_owned());
                return Err(EditError::Dangling { net, component });
            }
            Ok(())
        };
        for (i, net) in file.nets.iter().enumerate() {
            match self.nets.get(&i) {
                Some(NetEdit::Remove) => {}
                Some(NetEdit::Change { connections, .. }) => {
                    connections.iter().try_for_each(|c| fine(net.name, *c))?;
                }
                None => file.connections(net).try_for_each(|c| fine(net.name, c))?,
            }
        }
        for net in &file.special_nets {
            file.connections(net).try_for_each(|c| fine(net.name, c))?;
        }
        self.new_nets
            .iter()
            .try_for_each(|n| n.connections.iter().try_for_each(|c| fine(n.name, *c)))
    }

    fn components_section<W: Write>(&self, out: &mut Splicer<'_, '_, W>) -> Result<()> {
        writeln!(out.out, "COMPONENTS {} ;", self.new_components.len())?;
        self.added_components(out)?;
        writeln!(out.out, "END COMPONENTS")?;
        Ok(())
    }

    fn nets_section<W: Write>(&self, out: &mut Splicer<'_, '_, W>) -> Result<()> {
        writeln!(out.out, "NETS {} ;", self.new_nets.len())?;
        self.added_nets(out)?;
        writeln!(out.out, "END NETS")?;
        Ok(())
    }

    fn added_components<W: Write>(&self, out: &mut Splicer<'_, '_, W>) -> Result<()> {
        for c in &self.new_components {
            write!(out.out, "- {} {}", c.name, c.master)?;
            out.placement(c.placement)?;
            writeln!(out.out, " ;")?;
        }
        Ok(())
    }

    fn added_nets<W: Write>(&self, out: &mut Splicer<'_, '_, W>) -> Result<()> {
        for n in &self.new_nets {
            write!(out.out, "- {}", n.name)?;
            out.connections(&n.connections)?;
            if let Some(usage) = n.usage {
                write!(out.out, " + USE {}", usage.name())?;
            }
            writeln!(out.out, " ;")?;
        }
        Ok(())
    }

    /// A section up to its `END`.
    fn components<W: Write>(
        &self,
        file: &DefFile<'_>,
        section: &Section,
        last: bool,
        out: &mut Splicer<'_, '_, W>,
    ) -> Result<()> {
        let range = within(section, &file.components, |c| c.at.get());
        let starts: Vec<usize> =
            file.components[range.clone()].iter().map(|c| c.at.get()).collect();
        let gone = self
            .components
            .range(range.clone())
            .filter(|(_, edit)| **edit == ComponentEdit::Remove)
            .count();
        let added = if last { self.new_components.len() } else { 0 };
        let first = starts.first().copied().unwrap_or(section.end.get());
        writeln!(out.out, "COMPONENTS {} ;", starts.len() - gone + added)?;
        out.copy_line(section.body.get(), first)?;
        let mut done = first;
        for (&i, edit) in self.components.range(range.clone()) {
            let (start, end) = span(&starts, i - range.start, section);
            out.copy(done, start)?;
            match edit {
                ComponentEdit::Remove => {}
                ComponentEdit::Change { master, placement } => {
                    out.component(start, end, *master, *placement)?;
                }
            }
            done = end;
        }
        out.copy(done, section.end.get())?;
        if last { self.added_components(out) } else { Ok(()) }
    }

    fn nets<W: Write>(
        &self,
        file: &DefFile<'_>,
        section: &Section,
        last: bool,
        out: &mut Splicer<'_, '_, W>,
    ) -> Result<()> {
        let range = within(section, &file.nets, |n| n.at.get());
        let starts: Vec<usize> = file.nets[range.clone()].iter().map(|n| n.at.get()).collect();
        let gone =
            self.nets.range(range.clone()).filter(|(_, edit)| **edit == NetEdit::Remove).count();
        let added = if last { self.new_nets.len() } else { 0 };
        let first = starts.first().copied().unwrap_or(section.end.get());
        writeln!(out.out, "NETS {} ;", starts.len() - gone + added)?;
        out.copy_line(section.body.get(), first)?;
        let mut done = first;
        for (&i, edit) in self.nets.range(range.clone()) {
            let (start, end) = span(&starts, i - range.start, section);
            out.copy(done, start)?;
            if let (NetEdit::Change { connections, drop_wiring }, Some(net)) =
                (edit, file.nets.get(i))
            {
                out.net(net, start, end, connections, *drop_wiring)?;
            }
            done = end;
        }
        out.copy(done, section.end.get())?;
        if last { self.added_nets(out) } else { Ok(()) }
    }
}

/// Indices of the items that stand in a section.
fn within<T>(section: &Section, items: &[T], at: impl Fn(&T) -> usize) -> std::ops::Range<usize> {
    let start = items.partition_point(|x| at(x) < section.body.get());
    let end = items.partition_point(|x| at(x) < section.end.get());
    start..end
}

/// Text of one item: from its `-` to the next item's, or to the section's END.
fn span(starts: &[usize], index: usize, section: &Section) -> (usize, usize) {
    let end = section.end.get();
    (starts.get(index).copied().unwrap_or(end), starts.get(index + 1).copied().unwrap_or(end))
}

/// Copies pieces of the original text and writes new ones between them.
struct Splicer<'t, 'o, W> {
    text: &'t str,
    out: &'o mut W,
}

impl<W: Write> Splicer<'_, '_, W> {
    fn copy(&mut self, start: usize, end: usize) -> Result<()> {
        Ok(self.out.write_all(self.text.as_bytes().get(start..end).unwrap_or(&[]))?)
    }

    /// Copies what stands between a head that was written anew and the first item.
    fn copy_line(&mut self, start: usize, end: usize) -> Result<()> {
        let text = self.text.get(start..end).unwrap_or("");
        // The head ended its own line already.
        let text = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
        Ok(self.out.write_all(text.as_bytes())?)
    }

    fn placement(&mut self, p: Placement) -> Result<()> {
        let (point, orient, name) = (p.point, p.orient.name(), p.status.name());
        if p.status.has_position() {
            write!(self.out, " + {name} ( {} {} ) {orient}", point.x, point.y)?;
        } else if !name.is_empty() {
            write!(self.out, " + {name}")?;
        }
        Ok(())
    }

    fn connections(&mut self, connections: &[Connection<'_>]) -> Result<()> {
        for c in connections {
            let synthesized = if c.synthesized { " + SYNTHESIZED" } else { "" };
            write!(self.out, " ( {} {}{synthesized} )", c.component, c.pin)?;
        }
        Ok(())
    }

    /// A component with another master or placement; its other clauses stay as they are.
    fn component(
        &mut self,
        start: usize,
        end: usize,
        master: Option<&str>,
        placement: Option<Placement>,
    ) -> Result<()> {
        let mut lexer = Lexer::over(self.text, start, end);
        let (mut done, mut before) = (start, start);
        let mut index = 0;
        let mut placed = placement.is_none();
        while let Some(token) = lexer.next() {
            if index == 2
                && let Some(master) = master
            {
                self.copy(done, token.at)?;
                write!(self.out, "{master}")?;
                done = lexer.end_of_last();
            } else if token.is_semicolon() {
                if !placed && let Some(p) = placement {
                    self.copy(done, before)?;
                    self.placement(p)?;
                    done = before;
                }
                break;
            } else if token.is("+")
                && let Some(p) = placement
                && is_placement(&lexer)
            {
                // The new clause takes the place of the first old one; further ones go.
                self.copy(done, before)?;
                if !placed {
                    self.placement(p)?;
                    placed = true;
                }
                lexer.next();
                if lexer.peek().is_some_and(|t| t.is("(")) {
                    lexer.nth(4);
                }
                done = lexer.end_of_last();
            }
            before = lexer.end_of_last();
            index += 1;
        }
        self.copy(done, end)
    }

    /// A net with other connections; its other clauses stay as they are.
    fn net(
        &mut self,
        net: &Net<'_>,
        start: usize,
        end: usize,
        connections: &[Connection<'_>],
        drop_wiring: bool,
    ) -> Result<()> {
        let mut lexer = Lexer::over(self.text, start, end);
        lexer.next();
        lexer.next();
        self.copy(start, lexer.end_of_last())?;
        self.connections(connections)?;
        let mut done = lexer.end_of_last();
        while lexer.peek().is_some_and(|t| t.is("(")) {
            while lexer.next().is_some_and(|t| !t.is(")")) {}
            done = lexer.end_of_last();
        }
        let wiring = net.extra.as_ref().filter(|_| drop_wiring).map_or(&[][..], |e| &e.wiring);
        for w in wiring {
            let at = w.at.get();
            let mut plus = at;
            // The clause's `+` is the last one before its first layer.
            while let Some(token) = lexer.peek().filter(|t| t.at < at) {
                if token.is("+") {
                    plus = lexer.end_of_last();
                }
                lexer.next();
            }
            self.copy(done, plus)?;
            done = at + w.text.len();
            lexer.seek(done);
        }
        self.copy(done, end)
    }
}

/// Whether the next word is a placement keyword.
fn is_placement(lexer: &Lexer<'_>) -> bool {
    let mut buffer = [0; LONGEST_KEYWORD];
    lexer.peek().is_some_and(|t| {
        let word = keyword(t.text, &mut buffer);
        !t.quoted() && matches!(word, "PLACED" | "FIXED" | "COVER" | "UNPLACED")
    })
}
