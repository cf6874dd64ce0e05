//! Rectangles in 64-bit integers, and where a pin lies on a turned cell.
//!
//! Written anew and not taken from the data model: a wrong orientation there must not be wrong here
//! in the same way.

use cellwright_db::{Orient, Point, Rect};

/// An axis-parallel rectangle, DBU; `x1` and `y1` are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Area {
    /// Left edge.
    pub x0: i64,
    /// Lower edge.
    pub y0: i64,
    /// Right edge.
    pub x1: i64,
    /// Upper edge.
    pub y1: i64,
}

impl Area {
    /// The rectangle with this lower-left corner and size, DBU.
    pub fn at(x: i64, y: i64, width: i64, height: i64) -> Area {
        Area { x0: x, y0: y, x1: x + width, y1: y + height }
    }
    /// The same rectangle as the data model holds it.
    pub fn of(rect: &Rect) -> Area {
        Area {
            x0: rect.lo.x.into(),
            y0: rect.lo.y.into(),
            x1: rect.hi.x.into(),
            y1: rect.hi.y.into(),
        }
    }
    /// Whether nothing is inside.
    pub fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }
    /// DBU²; 0 when empty.
    pub fn size(&self) -> i128 {
        if self.is_empty() {
            return 0;
        }
        i128::from(self.x1 - self.x0) * i128::from(self.y1 - self.y0)
    }
    /// Whether the two share area; a common edge is none.
    pub fn meets(&self, other: &Area) -> bool {
        !self.common(other).is_empty()
    }
    /// The common part, perhaps empty.
    pub fn common(&self, other: &Area) -> Area {
        Area {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }
    /// Whether `other` lies inside, edges allowed.
    pub fn holds(&self, other: &Area) -> bool {
        self.x0 <= other.x0 && self.y0 <= other.y0 && other.x1 <= self.x1 && other.y1 <= self.y1
    }
}

/// Area of the union of rectangles, DBU²: cut the plane at every edge and count the covered pieces.
pub fn union_size(areas: &[Area]) -> i128 {
    let cuts = |of: fn(&Area) -> [i64; 2]| {
        let mut cuts: Vec<i64> = areas.iter().filter(|a| !a.is_empty()).flat_map(of).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    };
    let (xs, ys) = (cuts(|a| [a.x0, a.x1]), cuts(|a| [a.y0, a.y1]));
    let mut total = 0;
    for y in ys.windows(2) {
        for x in xs.windows(2) {
            let piece = Area { x0: x[0], y0: y[0], x1: x[1], y1: y[1] };
            if areas.iter().any(|area| area.holds(&piece)) {
                total += piece.size();
            }
        }
    }
    total
}

/// Width and height of a master in an orientation.
pub fn turned_size(orient: Orient, width: i64, height: i64) -> (i64, i64) {
    match orient {
        Orient::N | Orient::S | Orient::FN | Orient::FS => (width, height),
        Orient::W | Orient::E | Orient::FW | Orient::FE => (height, width),
    }
}

/// Where a point of a `width` × `height` master lies from the lower-left corner of the placed cell.
///
/// LEF/DEF 5.8, "Orientation": R90 takes (x, y) to (−y, x); MX takes it to (x, −y), MY to (−x, y);
/// MX90 and MY90 mirror first and rotate then. Each is moved back so that the corner is the origin.
pub fn turned_point(orient: Orient, point: Point, width: i64, height: i64) -> (i64, i64) {
    let (x, y) = (i64::from(point.x), i64::from(point.y));
    match orient {
        Orient::N => (x, y),
        Orient::S => (width - x, height - y),
        Orient::W => (height - y, x),
        Orient::E => (y, width - x),
        Orient::FN => (width - x, y),
        Orient::FS => (x, height - y),
        Orient::FW => (y, x),
        Orient::FE => (height - y, width - x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_four_times_by_ninety_degrees_is_nothing() {
        // R90 on a 10 × 4 master, then R90 on the 4 × 10 result, and so on.
        let mut at = (3, 1);
        let mut size = (10, 4);
        for _ in 0..4 {
            let point = Point::new(at.0 as i32, at.1 as i32);
            at = turned_point(Orient::W, point, size.0, size.1);
            size = turned_size(Orient::W, size.0, size.1);
        }
        assert_eq!((at, size), ((3, 1), (10, 4)));
    }

    #[test]
    fn every_orientation_agrees_with_the_data_model() {
        for orient in Orient::ALL {
            let point = Point::new(3, 1);
            let theirs = orient.apply(point, 10, 4);
            let ours = turned_point(orient, point, 10, 4);
            assert_eq!(ours, (i64::from(theirs.x), i64::from(theirs.y)), "{orient:?}");
        }
    }

    #[test]
    fn a_union_counts_common_parts_once() {
        let areas = [Area::at(0, 0, 4, 4), Area::at(2, 2, 4, 4), Area::at(3, 3, 0, 9)];
        assert_eq!(union_size(&areas), 16 + 16 - 4);
        assert_eq!(union_size(&[]), 0);
    }
}
