//! Reading `timing` groups, and expanding them to arcs between pins.

use super::cell::{Cell, Timing, TimingArc, TimingSense, TimingType};
use super::context::Context;
use super::pins::PinGroups;
use super::syntax::{Kind, Node};
use crate::text::Severity;

pub(super) fn read_timings<'a>(
    context: &mut Context<'_, 'a>,
    cell: &mut Cell,
    groups: &PinGroups<'a>,
) {
    let tree = context.tree;
    for (node, pins) in &groups.groups {
        for child in tree.children(node) {
            if child.kind == Kind::Group && child.name == "timing" {
                let timing = read_timing(context, child);
                add_arcs(context, cell, groups, child, &timing, pins);
                cell.timings.push(timing);
            } else if child.kind == Kind::Group
                && !matches!(child.name, "pin" | "min_pulse_width" | "minimum_period")
            {
                context.drop_group(child);
            }
        }
    }
}

fn read_timing<'a>(context: &mut Context<'_, 'a>, node: &Node<'a>) -> Timing {
    let tree = context.tree;
    let (time, kohm) = (context.units.time, context.units.resistance);
    let mut timing = Timing { line: context.line(node), ..Timing::default() };
    for child in tree.children(node) {
        if child.kind == Kind::Group {
            let slot = match child.name {
                "cell_rise" => &mut timing.cell_rise,
                "cell_fall" => &mut timing.cell_fall,
                "rise_transition" => &mut timing.rise_transition,
                "fall_transition" => &mut timing.fall_transition,
                "rise_constraint" => &mut timing.rise_constraint,
                "fall_constraint" => &mut timing.fall_constraint,
                "rise_propagation" => &mut timing.rise_propagation,
                "fall_propagation" => &mut timing.fall_propagation,
                _ => {
                    context.drop_group(child);
                    continue;
                }
            };
            *slot = context.table(child, time);
            continue;
        }
        match child.name {
            "timing_type" => {
                let text = tree.word(child).trim();
                match TimingType::parse(text) {
                    Some(kind) => timing.kind = kind,
                    None => context.problem(Severity::Error, "liberty-timing-type", child, || {
                        format!("`{text}` is no timing_type; taken as combinational")
                    }),
                }
            }
            "timing_sense" => {
                let text = tree.word(child).trim();
                timing.sense = match text {
                    "positive_unate" => Some(TimingSense::Positive),
                    "negative_unate" => Some(TimingSense::Negative),
                    "non_unate" => Some(TimingSense::NonUnate),
                    _ => {
                        context.problem(Severity::Error, "liberty-timing-sense", child, || {
                            format!("`{text}` is no timing_sense; it is left out")
                        });
                        None
                    }
                };
            }
            "when" => timing.when = context.expr(child),
            "sdf_cond" => timing.sdf_cond = context.text(child),
            "mode" => {
                let mut words = context.strings(child).into_iter();
                timing.mode = words.next().map(|name| (name, words.next().unwrap_or_default()));
            }
            "intrinsic_rise" => timing.intrinsic[0] = context.number(child, time),
            "intrinsic_fall" => timing.intrinsic[1] = context.number(child, time),
            "rise_resistance" => timing.resistance[0] = context.number(child, kohm),
            "fall_resistance" => timing.resistance[1] = context.number(child, kohm),
            _ => {}
        }
    }
    timing
}

/// Adds the arcs of a group that belongs to `targets`, the pin or the bits of a bus. A related bus
/// of `related_pin` meets a bus bit by bit; one of `related_bus_pins` meets it each with each.
fn add_arcs<'a>(
    context: &mut Context<'_, 'a>,
    cell: &mut Cell,
    groups: &PinGroups<'a>,
    node: &Node<'a>,
    timing: &Timing,
    targets: &[u32],
) {
    let tree = context.tree;
    let Ok(index) = u32::try_from(cell.timings.len()) else { return };
    let arc = |from: u32, to: u32| TimingArc { from, to, timing: index };
    let mut related = false;
    for child in tree.children(node) {
        let each_with_each = match child.name {
            "related_pin" => false,
            "related_bus_pins" => true,
            _ => continue,
        };
        for text in context.strings(child) {
            for name in text.split([' ', ',', '\t', '\n', '\r']).filter(|n| !n.is_empty()) {
                related = true;
                let Some(sources) = resolve(groups, cell, name) else {
                    if !cell.pg_pins.iter().any(|p| p.name == name) {
                        context.problem(Severity::Error, "liberty-related-pin", child, || {
                            format!(
                                "`{name}` is no pin of cell `{}`; its arcs are left out",
                                cell.name
                            )
                        });
                    }
                    continue;
                };
                let (from, to) = (sources.len(), targets.len());
                let each = each_with_each || from == 1 || to == 1;
                let count = if each { from.saturating_mul(to) } else { from.min(to) };
                let Some(left) = context.budget.arcs.checked_sub(count) else {
                    context.problem(Severity::Error, "liberty-too-many-arcs", child, || {
                        "the library has too many arcs; these are left out".into()
                    });
                    continue;
                };
                context.budget.arcs = left;
                if each {
                    for &to in targets {
                        cell.arcs.extend(sources.iter().map(|&from| arc(from, to)));
                    }
                    continue;
                }
                if from != to {
                    context.problem(Severity::Error, "liberty-bus-width", child, || {
                        format!(
                            "`{name}` has {from} bits and its pin {to}; bits without a partner \
                             have no arcs"
                        )
                    });
                }
                cell.arcs.extend(sources.iter().zip(targets).map(|(&from, &to)| arc(from, to)));
            }
        }
    }
    if !related {
        if !timing.kind.is_own_pin() {
            context.problem(Severity::Warning, "liberty-related-pin", node, || {
                "timing group without related_pin; taken as related to its own pin".into()
            });
        }
        cell.arcs.extend(targets.iter().map(|&pin| arc(pin, pin)));
    }
}

fn resolve(groups: &PinGroups<'_>, cell: &Cell, name: &str) -> Option<Vec<u32>> {
    groups.resolve(cell, name).or_else(|| {
        // `A<3>` names the bit that the model calls `A[3]`.
        let square = name.replace('<', "[").replace('>', "]");
        groups.resolve(cell, &square)
    })
}
