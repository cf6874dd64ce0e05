//! From nodes as written to a netlist.

use cellwright_macros::Orient;
use cellwright_macros::netlist::{Item, Kind, Netlist};
use hashbrown::HashMap;

use super::nodes::{self, Node};
use crate::text::{FormatError, Problems, Severity, Source, parse_f64};

/// Attributes that have a field of their own.
const KNOWN: [&str; 12] = [
    "type",
    "width",
    "height",
    "x",
    "y",
    "x_offset",
    "y_offset",
    "macro_name",
    "weight",
    "orientation",
    "side",
    "ref_name",
];

/// Reads a netlist. A lower-case `macro` is a soft macro, unless it has an orientation or a master,
/// as hard macros have in flat netlists that write all types in lower case.
///
/// A sink that names no node is left out and told; so are attributes whose value cannot be used.
///
/// # Errors
/// When the text is no netlist, a node has no type that is known, two nodes share a name, or a pin
/// has no macro.
pub fn read_netlist(source: &Source, problems: &mut Problems) -> Result<Netlist, FormatError> {
    let mut netlist = Netlist { outline: outline(source.text()), ..Netlist::default() };
    let mut nodes: Vec<Node> = Vec::new();
    let mut metadata = None;
    nodes::read(source, |node| {
        if node.name == "__metadata__" {
            metadata = Some(node);
        } else {
            nodes.push(node);
        }
        Ok(())
    })?;
    if let Some(node) = metadata {
        netlist.metadata = node.attributes.into_iter().map(|(k, v, _)| (k, v)).collect();
    }
    let mut index: HashMap<&str, u32> = HashMap::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        if node.name.is_empty() {
            return Err(source.error(node.at, "a node has no name", "give it `name: \"…\"`"));
        }
        if index.insert(&node.name, i as u32).is_some() {
            return Err(source.error(
                node.at,
                format!("a second node is called `{}`", node.name),
                "names must differ",
            ));
        }
    }
    let mut items = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        items.push(item(source, problems, node, i as u32, &index)?);
    }
    for i in 0..items.len() {
        let Item { kind, owner, .. } = items[i];
        let owner = items[owner as usize].kind;
        let fits = match kind {
            Kind::HardPin | Kind::SoftPin => matches!(owner, Kind::Hard | Kind::Soft),
            _ => true,
        };
        if !fits {
            return Err(source.error(
                nodes[i].at,
                format!("`{}` is a pin of something that is no macro", nodes[i].name),
                "`macro_name` must name a macro",
            ));
        }
        // A pin is as hard as its macro, whatever its own letters say.
        if kind.is_pin() {
            items[i].kind = if owner == Kind::Hard { Kind::HardPin } else { Kind::SoftPin };
        }
    }
    netlist.items = items;
    Ok(netlist)
}

fn item(
    source: &Source,
    problems: &mut Problems,
    node: &Node,
    own: u32,
    index: &HashMap<&str, u32>,
) -> Result<Item, FormatError> {
    let has = |key| node.attribute(key).is_some();
    let kind = match node.text("type") {
        Some("PORT" | "port") => Kind::Port,
        Some("MACRO") => Kind::Hard,
        Some("macro") if has("orientation") || has("ref_name") => Kind::Hard,
        Some("macro") => Kind::Soft,
        Some("MACRO_PIN") => Kind::HardPin,
        Some("macro_pin") => Kind::SoftPin,
        Some("STDCELL" | "stdcell") => Kind::Cell,
        other => {
            return Err(source.error(
                node.at,
                match other {
                    Some(word) => format!("`{}` has the type `{word}`", node.name),
                    None => format!("`{}` has no type", node.name),
                },
                "types are PORT, MACRO, macro, MACRO_PIN, macro_pin and STDCELL",
            ));
        }
    };
    let mut out = Item::new(node.name.as_str(), kind, own);
    if kind.is_pin() {
        let by_name = || node.name.rsplit_once('/').map(|(owner, _)| owner);
        let owner = node.text("macro_name").or_else(by_name).unwrap_or("");
        out.owner = *index.get(owner).ok_or_else(|| {
            source.error(
                node.at,
                format!("`{}` is a pin of `{owner}`, which does not exist", node.name),
                "`macro_name` must name a macro of this file",
            )
        })?;
    }
    let mut number = |key: &str| {
        let (_, _, at) = node.attribute(key)?;
        let value = node.text(key).and_then(parse_f64).filter(|v| v.abs() <= 1e9);
        if value.is_none() {
            problems.report(Severity::Warning, "ct-attribute", source, *at, || {
                format!("`{key}` of `{}` is no usable number and is left out", node.name)
            });
        }
        value
    };
    out.width = number("width").unwrap_or(0.0);
    out.height = number("height").unwrap_or(0.0);
    out.at = number("x").zip(number("y"));
    out.offset = (number("x_offset").unwrap_or(0.0), number("y_offset").unwrap_or(0.0));
    out.weight = number("weight").filter(|w| *w >= 0.0);
    if out.width < 0.0 || out.height < 0.0 {
        return Err(source.error(
            node.at,
            format!("`{}` has a negative size", node.name),
            "give width and height in µm",
        ));
    }
    if let Some((_, _, at)) = node.attribute("orientation") {
        let word = node.text("orientation").unwrap_or("");
        // `-` stands for none.
        if word != "-" {
            out.orient = word.parse::<Orient>().ok();
            if out.orient.is_none() {
                problems.report(Severity::Warning, "ct-orientation", source, *at, || {
                    format!("`{word}` is no orientation; `{}` stays as drawn", node.name)
                });
            }
        }
    }
    out.side = node.text("side").map(str::to_owned);
    out.master = node.text("ref_name").map(str::to_owned);
    out.extra = node
        .attributes
        .iter()
        .filter(|(key, _, _)| !KNOWN.contains(&key.as_str()))
        .map(|(key, value, _)| (key.clone(), value.clone()))
        .collect();
    if matches!(kind, Kind::Hard | Kind::Soft) && !node.inputs.is_empty() {
        problems.report(Severity::Warning, "ct-macro-inputs", source, node.at, || {
            format!("`{}` is a macro and drives a net; only pins do, left out", node.name)
        });
        return Ok(out);
    }
    for (name, at) in &node.inputs {
        match index.get(name.as_str()) {
            Some(sink) => out.sinks.push(*sink),
            None => problems.report(Severity::Error, "ct-unknown-sink", source, *at, || {
                format!("`{}` drives `{name}`, which does not exist; left out", node.name)
            }),
        }
    }
    Ok(out)
}

/// The block's size from the comment `# FP bbox: {0.0 0.0 W H}` or `{0.0 0.0} {W H}`, which starts
/// at the origin.
fn outline(text: &str) -> Option<(f64, f64)> {
    let comments = text.lines().take_while(|line| line.is_empty() || line.starts_with('#'));
    let words = comments.filter_map(|line| line.split_once("FP bbox:")).next()?.1;
    let numbers: Vec<f64> =
        words.split(|c: char| "{} \t,".contains(c)).filter_map(parse_f64).collect();
    match numbers[..] {
        [0.0, 0.0, width, height] if width > 0.0 && height > 0.0 => Some((width, height)),
        _ => None,
    }
}
