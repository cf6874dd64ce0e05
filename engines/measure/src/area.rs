//! Exact areas of unions of rectangles, by a sweep over y.

use cellwright_db::{Point, Rect};

/// Parts per million: shares are integers.
pub(crate) const PPM: i64 = 1_000_000;

/// A share as ppm, rounded down; what is no share of 0..=1 counts as its nearest end.
pub(crate) fn ppm(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * PPM as f64) as u32
}

/// A rectangle of which only a share may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cap {
    pub(crate) rect: Rect,
    /// Usable share, ppm; 0 where nothing may stand.
    pub(crate) share: u32,
}

/// Usable area of `window` in DBU² × ppm: what lies in at least one of `grounds`, each point times
/// the least share of the caps over it.
pub(crate) fn usable(window: Rect, grounds: &[Rect], caps: &[Cap]) -> i128 {
    // One list: grounds have no share.
    let clip = |rect: &Rect| Some(rect.intersection(&window)).filter(|rect| !rect.is_empty());
    let mut parts: Vec<(Rect, Option<u32>)> = Vec::with_capacity(grounds.len() + caps.len());
    parts.extend(grounds.iter().filter_map(clip).map(|rect| (rect, None)));
    if parts.is_empty() {
        return 0;
    }
    parts.extend(caps.iter().filter_map(|cap| Some((clip(&cap.rect)?, Some(cap.share)))));
    let mut total = 0_i128;
    let mut xs = Vec::new();
    each_slab(
        &mut parts,
        |(rect, _)| *rect,
        |lo, hi, active| {
            xs.clear();
            xs.extend(active.iter().flat_map(|(rect, _)| [rect.lo.x, rect.hi.x]));
            xs.sort_unstable();
            xs.dedup();
            let mut width = 0_i128;
            for pair in xs.windows(2) {
                let over =
                    |part: &&(Rect, Option<u32>)| part.0.lo.x <= pair[0] && pair[1] <= part.0.hi.x;
                let grounded = active.iter().filter(over).any(|(_, share)| share.is_none());
                if grounded {
                    let shares = active.iter().filter(over).filter_map(|(_, share)| *share);
                    let share = shares.min().map_or(PPM, |share| i64::from(share).min(PPM));
                    width +=
                        i128::from(i64::from(pair[1]) - i64::from(pair[0])) * i128::from(share);
                }
            }
            total += width * i128::from(i64::from(hi) - i64::from(lo));
        },
    );
    total
}

/// The union of rectangles as rectangles that do not overlap, in ascending (y, x).
pub(crate) fn disjoint(rects: &[Rect]) -> Vec<Rect> {
    let mut parts: Vec<Rect> = rects.iter().filter(|rect| !rect.is_empty()).copied().collect();
    let mut out: Vec<Rect> = Vec::new();
    let mut spans: Vec<(i32, i32)> = Vec::new();
    each_slab(
        &mut parts,
        |rect| *rect,
        |lo, hi, active| {
            spans.clear();
            spans.extend(active.iter().map(|rect| (rect.lo.x, rect.hi.x)));
            spans.sort_unstable();
            let mut run: Option<(i32, i32)> = None;
            let mut put = |run: (i32, i32)| {
                out.push(Rect { lo: Point::new(run.0, lo), hi: Point::new(run.1, hi) });
            };
            for &(from, to) in &spans {
                match &mut run {
                    Some(run) if from <= run.1 => run.1 = run.1.max(to),
                    _ => {
                        run.replace((from, to)).into_iter().for_each(&mut put);
                    }
                }
            }
            run.into_iter().for_each(&mut put);
        },
    );
    out
}

/// The part of the bounding box `frame` that a rectilinear outline leaves out, as rectangles.
///
/// The outline is a closed polygon of alternating horizontal and vertical edges; two points span a
/// rectangle. Fewer leave nothing out.
pub(crate) fn outside(outline: &[Point], frame: Rect) -> Vec<Rect> {
    if outline.len() < 4 {
        return Vec::new();
    }
    let next = outline.iter().cycle().skip(1);
    let edges: Vec<(Point, Point)> =
        outline.iter().copied().zip(next.copied()).filter(|(a, b)| a.x == b.x).collect();
    let mut ys: Vec<i32> = outline.iter().map(|point| point.y).collect();
    ys.extend([frame.lo.y, frame.hi.y]);
    ys.sort_unstable();
    ys.dedup();
    let mut out = Vec::new();
    for slab in ys.windows(2) {
        let crosses = |(a, b): &&(Point, Point)| a.y.min(b.y) <= slab[0] && slab[1] <= a.y.max(b.y);
        let mut xs: Vec<i32> = edges.iter().filter(crosses).map(|(a, _)| a.x).collect();
        xs.sort_unstable();
        // Inside lies between crossings 0 and 1, 2 and 3, …; outside in between.
        let mut from = frame.lo.x;
        let mut gap = |from: i32, to: i32| {
            if from < to {
                out.push(Rect { lo: Point::new(from, slab[0]), hi: Point::new(to, slab[1]) });
            }
        };
        for pair in xs.chunks(2) {
            gap(from, pair[0]);
            from = pair.get(1).copied().unwrap_or(pair[0]);
        }
        gap(from, frame.hi.x);
    }
    out
}

/// Cuts at every y at which a part begins or ends, and calls `each` with the cut's y range and the
/// parts over it. Sorts `parts`.
fn each_slab<T: Copy>(
    parts: &mut [T],
    rect: impl Fn(&T) -> Rect,
    mut each: impl FnMut(i32, i32, &[T]),
) {
    let mut ys: Vec<i32> =
        parts.iter().flat_map(|part| [rect(part).lo.y, rect(part).hi.y]).collect();
    ys.sort_unstable();
    ys.dedup();
    parts.sort_by_key(|part| rect(part).lo.y);
    let mut waiting = parts.iter().peekable();
    let mut active: Vec<T> = Vec::new();
    for slab in ys.windows(2) {
        active.retain(|part| rect(part).hi.y > slab[0]);
        while let Some(part) = waiting.next_if(|part| rect(part).lo.y <= slab[0]) {
            active.push(*part);
        }
        if !active.is_empty() {
            each(slab[0], slab[1], &active);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rect() -> impl Strategy<Value = Rect> {
        (0..12, 0..12, 0..12, 0..12).prop_map(|(a, b, c, d)| Rect::new(a, b, c, d))
    }

    fn unit(x: i32, y: i32) -> Rect {
        Rect::new(x, y, x + 1, y + 1)
    }

    proptest! {
        #[test]
        fn areas_agree_with_counting_unit_squares(
            grounds in prop::collection::vec(rect(), 0..5),
            caps in prop::collection::vec((rect(), prop::sample::select(vec![0, 250_000, 600_000])), 0..5),
            window in rect(),
        ) {
            let caps: Vec<Cap> = caps.into_iter().map(|(rect, share)| Cap { rect, share }).collect();
            let mut counted = 0_i128;
            for (x, y) in (0..12).flat_map(|x| (0..12).map(move |y| (x, y))) {
                let square = unit(x, y);
                if window.contains(&square) && grounds.iter().any(|g| g.contains(&square)) {
                    let shares = caps.iter().filter(|cap| cap.rect.contains(&square));
                    counted += i128::from(shares.map(|cap| cap.share).min().unwrap_or(1_000_000));
                }
            }
            prop_assert_eq!(usable(window, &grounds, &caps), counted);
            let parts = disjoint(&grounds);
            for (x, y) in (0..12).flat_map(|x| (0..12).map(move |y| (x, y))) {
                let square = unit(x, y);
                let over = parts.iter().filter(|part| part.contains(&square)).count();
                prop_assert_eq!(over, usize::from(grounds.iter().any(|g| g.contains(&square))));
            }
        }
    }

    #[test]
    fn a_notched_die_leaves_its_notch_out() {
        let p = Point::new;
        let outline =
            [p(0, 0), p(10, 0), p(10, 10), p(6, 10), p(6, 4), p(3, 4), p(3, 10), p(0, 10)];
        let frame = Rect::new(0, 0, 10, 10);
        assert_eq!(outside(&outline, frame), [Rect::new(3, 4, 6, 10)]);
        assert_eq!(outside(&[p(0, 0), p(10, 10)], frame), []);
    }
}
