//! Taking replaced clocks out of finished constraints.

use std::collections::BTreeMap;

use cellwright_sta::constraints::{ClockId, Constraints};

/// Removes the clocks marked `dead`, whatever is said of them, and numbers the others anew.
pub(super) fn compact(out: &mut Constraints, dead: &[bool]) {
    out.input_delays.retain(|delay| !delay.delay.is_empty());
    out.output_delays.retain(|delay| !delay.delay.is_empty());
    if !dead.iter().any(|dead| *dead) {
        return;
    }
    let mut next = 0;
    let new: Vec<Option<ClockId>> = dead
        .iter()
        .map(|dead| {
            let id = (!dead).then_some(ClockId(next));
            next += u32::from(!dead);
            id
        })
        .collect();
    let map = |clock: ClockId| new.get(clock.0 as usize).copied().flatten();
    let living = |clock: Option<ClockId>| clock.is_none_or(|clock| map(clock).is_some());
    let renew = |clock: &mut Option<ClockId>| *clock = clock.and_then(map);
    let list =
        |clocks: &mut Vec<ClockId>| *clocks = clocks.iter().filter_map(|c| map(*c)).collect();

    out.clocks = out
        .clocks
        .iter()
        .filter(|(id, _)| map(*id).is_some())
        .map(|(_, clock)| clock.clone())
        .collect();
    for index in 0..out.clocks.len() {
        let id = ClockId(index as u32);
        if let Some(generated) = &mut out.clocks[id].generated {
            renew(&mut generated.master);
        }
    }
    out.pin_latencies.retain(|entry| living(entry.clock));
    out.pin_latencies.iter_mut().for_each(|entry| renew(&mut entry.clock));
    out.inter_clock_uncertainty = std::mem::take(&mut out.inter_clock_uncertainty)
        .into_iter()
        .filter_map(|((a, b), value)| Some(((map(a)?, map(b)?), value)))
        .collect();
    out.clock_groups.iter_mut().for_each(|groups| {
        groups.groups.iter_mut().for_each(list);
        groups.groups.retain(|group| !group.is_empty());
    });
    out.clock_groups.retain(|groups| !groups.groups.is_empty());
    out.clock_senses.retain(|s| s.clocks.is_empty() || s.clocks.iter().any(|c| map(*c).is_some()));
    out.clock_senses.iter_mut().for_each(|sense| list(&mut sense.clocks));
    for delays in [&mut out.input_delays, &mut out.output_delays] {
        delays.retain(|delay| living(delay.clock));
        delays.iter_mut().for_each(|delay| renew(&mut delay.clock));
    }
    for exception in &mut out.exceptions {
        for point in [&mut exception.from, &mut exception.to].into_iter().flatten() {
            list(&mut point.clocks);
        }
    }
    // A point that named only clocks that are gone matches no path.
    out.exceptions.retain(|exception| {
        [&exception.from, &exception.to].into_iter().flatten().all(|point| !point.is_empty())
    });
    out.data_checks.retain(|check| living(check.clock));
    out.data_checks.iter_mut().for_each(|check| renew(&mut check.clock));
    renumber(&mut out.clock_gating.clocks, map);
    renumber(&mut out.limits.max_transition_clocks, map);
    renumber(&mut out.min_pulse_width.clocks, map);
    renumber(&mut out.max_time_borrow.clocks, map);
}

fn renumber<T>(entries: &mut BTreeMap<ClockId, T>, map: impl Fn(ClockId) -> Option<ClockId>) {
    let old = std::mem::take(entries);
    *entries = old.into_iter().filter_map(|(id, value)| Some((map(id)?, value))).collect();
}
