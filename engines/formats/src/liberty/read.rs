//! Reading a library: files, includes, and everything outside cells.

use super::context::{Budget, Context};
use super::library::{
    BusType, Library, OperatingConditions, Pvt, TreeType, Units, WireLoad, WireLoadSelection,
};
use super::read_cell::read_cell;
use super::syntax::{Files, Kind, Node, Tree, parse};
use super::units::{Quantity, parse_unit};
use crate::text::{FormatError, Problems, Severity, Source, open, parse_i32};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The most files that one library may include, and the deepest nesting of includes.
const MAX_INCLUDES: usize = 64;
const MAX_INCLUDE_DEPTH: u32 = 8;

/// Reads a library. Included files are looked for beside the file.
///
/// # Errors
/// When the text holds no `library` group. Everything else that is wrong goes to `problems`; after
/// one of severity [`Severity::Error`] the library lacks what the problem names.
pub fn read(source: &Source, problems: &mut Problems) -> Result<Library, FormatError> {
    let beside = Path::new(source.name()).parent().map(Path::to_path_buf).unwrap_or_default();
    read_with_includes(source, problems, &mut |name| open(beside.join(name)))
}

/// As [`read`]; `include` finds the files of `include_file` statements.
///
/// # Errors
/// As [`read`].
pub fn read_with_includes(
    source: &Source,
    problems: &mut Problems,
    include: &mut dyn FnMut(&str) -> Result<Source, FormatError>,
) -> Result<Library, FormatError> {
    let (extra, includes) = load_includes(source, problems, include);
    let files = Files { sources: std::iter::once(source).chain(&extra).collect(), includes };
    let tree = parse(&files, problems);
    let root = tree.root();
    let mut libraries =
        tree.children(&root).filter(|n| n.kind == Kind::Group && n.name == "library");
    let Some(library) = libraries.next() else {
        return Err(FormatError::whole_file(
            source.name(),
            "has no `library` group",
            "check that it is a Liberty file",
        ));
    };
    for other in libraries {
        files.report(problems, Severity::Error, "liberty-second-library", other.at, || {
            "a second `library` in one file is not read; give it a file of its own".into()
        });
    }
    Ok(build(source, &files, &tree, library, problems))
}

type Includes = (Vec<Source>, BTreeMap<(u16, u32), u16>);

/// Reads all included files beforehand, each occurrence as a source of its own, so that positions
/// stay simple and circles end at the depth bound.
fn load_includes(
    source: &Source,
    problems: &mut Problems,
    include: &mut dyn FnMut(&str) -> Result<Source, FormatError>,
) -> Includes {
    const WORD: &str = "include_file";
    let mut extra: Vec<Source> = Vec::new();
    let mut depths = vec![0u32];
    let mut map = BTreeMap::new();
    let mut at = 0;
    while at <= extra.len() {
        let here = if at == 0 { Some(source) } else { extra.get(at - 1) };
        let text = here.map_or("", Source::text);
        let depth = depths.get(at).copied().unwrap_or(0);
        let mut found: Vec<(usize, String)> = Vec::new();
        for (offset, _) in text.match_indices(WORD) {
            let rest = text.get(offset + WORD.len()..).unwrap_or("").trim_start();
            let inside = rest.strip_prefix('(').and_then(|r| r.split_once(')'));
            if let Some((name, _)) = inside.filter(|(name, _)| name.len() < 4096) {
                found.push((offset, name.trim().trim_matches('"').to_owned()));
            }
        }
        for (offset, name) in found {
            if extra.len() >= MAX_INCLUDES || depth >= MAX_INCLUDE_DEPTH {
                break;
            }
            match include(&name) {
                Ok(file) => {
                    extra.push(file);
                    depths.push(depth + 1);
                    let keys =
                        (u16::try_from(at), u32::try_from(offset), u16::try_from(extra.len()));
                    if let (Ok(at), Ok(offset), Ok(index)) = keys {
                        map.insert((at, offset), index);
                    }
                }
                Err(error) => {
                    let here = if at == 0 { Some(source) } else { extra.get(at - 1) };
                    if let Some(here) = here {
                        problems.report(Severity::Error, "liberty-include", here, offset, || {
                            error.to_string()
                        });
                    }
                }
            }
        }
        at += 1;
    }
    (extra, map)
}

fn build<'a>(
    source: &Source,
    files: &Files<'a>,
    tree: &Tree<'a>,
    node: &Node<'a>,
    problems: &mut Problems,
) -> Library {
    let mut context = Context {
        files,
        tree,
        problems,
        units: Units::default(),
        templates: Vec::new(),
        template_index: HashMap::new(),
        bus_types: Vec::new(),
        dropped: tree.skipped.clone(),
        budget: Budget::default(),
    };
    let mut library = Library { file: source.name().to_owned(), ..Library::default() };
    library.name = context.string(node);
    read_units(&mut context, node);
    library.units = context.units;
    for child in tree.children(node) {
        match (child.kind, child.name) {
            (Kind::Group, "lu_table_template") => {
                let template = context.template(child);
                context.template_index.insert(template.name.clone(), context.templates.len());
                context.templates.push(template);
            }
            (Kind::Group, "type") => {
                if let Some(bus_type) = read_bus_type(&mut context, child) {
                    context.bus_types.push(bus_type);
                }
            }
            _ => {}
        }
    }
    let mut cells: HashMap<String, usize> = HashMap::new();
    for child in tree.children(node) {
        if child.kind != Kind::Group {
            read_attribute(&mut context, &mut library, child);
        } else if child.name == "cell" {
            let cell = read_cell(&mut context, child);
            if let Some(&first) = cells.get(&cell.name) {
                context.problem(Severity::Warning, "liberty-duplicate-cell", child, || {
                    format!("cell `{}` is there twice; the last one stays", cell.name)
                });
                library.cells[first] = cell;
            } else {
                cells.insert(cell.name.clone(), library.cells.len());
                library.cells.push(cell);
            }
        } else {
            read_group(&mut context, &mut library, child);
        }
    }
    library.templates = context.templates;
    library.bus_types = context.bus_types;
    library.dropped = context.dropped;
    library
}

/// Units come first, wherever they stand, since everything else needs them.
fn read_units<'a>(context: &mut Context<'_, 'a>, library: &Node<'a>) {
    let tree = context.tree;
    for child in tree.children(library) {
        let quantity = match child.name {
            "time_unit" => Quantity::Time,
            "capacitive_load_unit" => Quantity::Capacitance,
            "pulling_resistance_unit" => Quantity::Resistance,
            "voltage_unit" => Quantity::Voltage,
            "current_unit" => Quantity::Current,
            "leakage_power_unit" => Quantity::Power,
            _ => continue,
        };
        let text = tree.words(child).concat();
        let Some(scale) = parse_unit(&text, quantity) else {
            context.problem(Severity::Error, "liberty-unit", child, || {
                format!("`{}` is no unit for `{}`; the default is taken", text, child.name)
            });
            continue;
        };
        let units = &mut context.units;
        *match quantity {
            Quantity::Time => &mut units.time,
            Quantity::Capacitance => &mut units.capacitance,
            Quantity::Resistance => &mut units.resistance,
            Quantity::Voltage => &mut units.voltage,
            Quantity::Current => &mut units.current,
            Quantity::Power => &mut units.leakage_power,
        } = scale;
    }
}

fn read_attribute<'a>(context: &mut Context<'_, 'a>, library: &mut Library, node: &Node<'a>) {
    let units = context.units;
    let thresholds = &mut library.thresholds;
    let defaults = &mut library.defaults;
    let percent = match node.name {
        "input_threshold_pct_rise" => Some(&mut thresholds.input_rise),
        "input_threshold_pct_fall" => Some(&mut thresholds.input_fall),
        "output_threshold_pct_rise" => Some(&mut thresholds.output_rise),
        "output_threshold_pct_fall" => Some(&mut thresholds.output_fall),
        "slew_lower_threshold_pct_rise" => Some(&mut thresholds.slew_lower_rise),
        "slew_lower_threshold_pct_fall" => Some(&mut thresholds.slew_lower_fall),
        "slew_upper_threshold_pct_rise" => Some(&mut thresholds.slew_upper_rise),
        "slew_upper_threshold_pct_fall" => Some(&mut thresholds.slew_upper_fall),
        _ => None,
    };
    if let Some(slot) = percent {
        // Divided in double precision, so that 50 gives 0.5 and 30 the nearest to 0.3.
        if let Some(value) = context.number(node, 0.01) {
            *slot = value;
        }
        return;
    }
    let number = match node.name {
        "default_max_transition" => Some((&mut defaults.max_transition, units.time)),
        "default_max_fanout" => Some((&mut defaults.max_fanout, 1.0)),
        "default_max_capacitance" => Some((&mut defaults.max_capacitance, units.capacitance)),
        "default_fanout_load" => Some((&mut defaults.fanout_load, 1.0)),
        "default_input_pin_cap" => Some((&mut defaults.input_pin_cap, units.capacitance)),
        "default_output_pin_cap" => Some((&mut defaults.output_pin_cap, units.capacitance)),
        "default_inout_pin_cap" => Some((&mut defaults.inout_pin_cap, units.capacitance)),
        "default_cell_leakage_power" => {
            Some((&mut defaults.cell_leakage_power, units.leakage_power))
        }
        "default_leakage_power_density" => {
            Some((&mut defaults.leakage_power_density, units.leakage_power))
        }
        _ => None,
    };
    if let Some((slot, scale)) = number {
        *slot = context.number(node, scale);
        return;
    }
    let text = match node.name {
        "delay_model" => Some(&mut library.delay_model),
        "bus_naming_style" => Some(&mut library.bus_naming_style),
        "default_operating_conditions" => Some(&mut library.default_operating_conditions),
        "default_wire_load" => Some(&mut defaults.wire_load),
        "default_wire_load_mode" => Some(&mut defaults.wire_load_mode),
        "default_wire_load_selection" => Some(&mut defaults.wire_load_selection),
        "default_threshold_voltage_group" => Some(&mut defaults.threshold_voltage_group),
        _ => None,
    };
    if let Some(slot) = text {
        *slot = context.text(node);
        return;
    }
    match node.name {
        "slew_derate_from_library" => {
            if let Some(value) = context.number(node, 1.0) {
                library.thresholds.slew_derate = value;
            }
        }
        "nom_process" | "nom_voltage" | "nom_temperature" => {
            read_pvt(context, &mut library.nominal, node, "nom_");
        }
        "voltage_map" => {
            let words = context.strings(node);
            if let [name, volts, ..] = words.as_slice()
                && let Some(volts) = crate::text::parse_f64(volts.trim())
            {
                let volts = super::context::to_f32(volts * units.voltage);
                library.voltage_map.push((name.clone(), volts));
            } else {
                context.problem(Severity::Error, "liberty-number", node, || {
                    "`voltage_map` needs a name and a number; it is left out".into()
                });
            }
        }
        "define" => {
            if let Ok(define) = <[String; 3]>::try_from(context.strings(node)) {
                library.defines.push(define);
            }
        }
        name if name.starts_with("k_") => {
            if let Some((name, value)) = read_k_factor(context, node) {
                library.k_factors.insert(name, value);
            }
        }
        _ => {}
    }
}

fn read_k_factor<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> Option<(String, f32)> {
    // A factor per volt of the file's unit becomes one per volt.
    let per_volt = node.name.starts_with("k_volt_");
    let scale = if per_volt { 1.0 / context.units.voltage } else { 1.0 };
    context.number(node, scale).map(|value| (node.name.to_owned(), value))
}

fn read_pvt<'a>(context: &mut Context<'_, 'a>, pvt: &mut Pvt, node: &Node<'a>, prefix: &str) {
    let volt = context.units.voltage;
    let (slot, scale) = match node.name.strip_prefix(prefix) {
        Some("process") => (&mut pvt.process, 1.0),
        Some("voltage") => (&mut pvt.voltage, volt),
        Some("temperature") => (&mut pvt.temperature, 1.0),
        _ => return,
    };
    if let Some(value) = context.number(node, scale) {
        *slot = value;
    }
}

fn read_group<'a>(context: &mut Context<'_, 'a>, library: &mut Library, node: &Node<'a>) {
    let tree = context.tree;
    match node.name {
        "operating_conditions" => {
            let mut conditions =
                OperatingConditions { name: context.string(node), ..Default::default() };
            for child in tree.children(node) {
                read_pvt(context, &mut conditions.pvt, child, "");
                if child.name == "tree_type" {
                    conditions.tree_type = match tree.word(child).trim() {
                        "best_case_tree" => Some(TreeType::BestCase),
                        "balanced_tree" => Some(TreeType::Balanced),
                        "worst_case_tree" => Some(TreeType::WorstCase),
                        _ => None,
                    };
                }
            }
            library.operating_conditions.push(conditions);
        }
        "wire_load" => {
            let wire_load = read_wire_load(context, node);
            library.wire_loads.push(wire_load);
        }
        "wire_load_selection" => {
            let mut selection =
                WireLoadSelection { name: context.string(node), ..Default::default() };
            for child in tree.children(node).filter(|c| c.name == "wire_load_from_area") {
                let words = context.strings(child);
                let number = |i: usize| {
                    words
                        .get(i)
                        .and_then(|w| crate::text::parse_f64(w.trim()))
                        .map(super::context::to_f32)
                };
                match (number(0), number(1), words.get(2)) {
                    (Some(least), Some(most), Some(name)) => {
                        selection.from_area.push((least, most, name.clone()));
                    }
                    _ => context.problem(Severity::Error, "liberty-number", child, || {
                        "`wire_load_from_area` needs two areas and a name; it is left out".into()
                    }),
                }
            }
            library.wire_load_selections.push(selection);
        }
        "scaling_factors" => {
            let factors: BTreeMap<String, f32> = tree
                .children(node)
                .filter(|c| c.name.starts_with("k_"))
                .filter_map(|child| read_k_factor(context, child))
                .collect();
            library.scaling_factors.push((context.string(node), factors));
        }
        "lu_table_template" | "type" => {}
        _ => context.drop_group(node),
    }
}

fn read_wire_load<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> WireLoad {
    let tree = context.tree;
    let units = context.units;
    let mut wire_load = WireLoad { name: context.string(node), ..WireLoad::default() };
    for child in tree.children(node) {
        match child.name {
            "resistance" => {
                wire_load.resistance = context.number(child, units.resistance).unwrap_or(0.0);
            }
            "capacitance" => {
                wire_load.capacitance = context.number(child, units.capacitance).unwrap_or(0.0);
            }
            "area" => wire_load.area = context.number(child, 1.0).unwrap_or(0.0),
            "slope" => wire_load.slope = context.number(child, 1.0).unwrap_or(0.0),
            "fanout_length" => {
                // Further numbers (average capacitance, deviation, count of nets) are statistics.
                if let [fanout, length, ..] = context.numbers(child, 1.0).as_slice() {
                    wire_load.fanout_length.push((*fanout, *length));
                }
            }
            _ => {}
        }
    }
    wire_load.fanout_length.sort_by(|a, b| a.0.total_cmp(&b.0));
    wire_load
}

/// A `type` group, of the library or of a cell.
pub(super) fn read_bus_type<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> Option<BusType> {
    let tree = context.tree;
    let (mut from, mut to, mut width, mut down) = (None, None, None, true);
    for child in tree.children(node) {
        let value = parse_i32(tree.word(child).trim());
        match child.name {
            "bit_from" => from = value,
            "bit_to" => to = value,
            "bit_width" => width = value,
            "downto" => down = context.boolean(child),
            _ => {}
        }
    }
    let (from, to) = match (from, to, width) {
        (Some(from), Some(to), _) => (from, to),
        (None, None, Some(width)) if width > 0 => {
            if down {
                (width - 1, 0)
            } else {
                (0, width - 1)
            }
        }
        _ => {
            context.problem(Severity::Error, "liberty-bus-type", node, || {
                "`type` needs bit_from and bit_to; it is left out".into()
            });
            return None;
        }
    };
    Some(BusType { name: context.string(node), from, to })
}
