//! Points, rectangles and the eight orientations, in integer DBU.

use serde::{Deserialize, Serialize};

/// A point in DBU.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Point {
    /// DBU, to the right.
    pub x: i32,
    /// DBU, upwards.
    pub y: i32,
}

impl Point {
    /// A point from its coordinates, DBU.
    #[inline]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }
}

/// An axis-parallel rectangle in DBU: `lo` inclusive, `hi` exclusive as area.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Rect {
    /// Lower-left corner.
    pub lo: Point,
    /// Upper-right corner.
    pub hi: Point,
}

impl Rect {
    /// The rectangle spanned by two opposite corners in any order.
    #[inline]
    pub fn new(x1: i32, y1: i32, x2: i32, y2: i32) -> Self {
        Self { lo: Point::new(x1.min(x2), y1.min(y2)), hi: Point::new(x1.max(x2), y1.max(y2)) }
    }
    /// Width in DBU.
    #[inline]
    pub fn width(&self) -> i64 {
        i64::from(self.hi.x) - i64::from(self.lo.x)
    }
    /// Height in DBU.
    #[inline]
    pub fn height(&self) -> i64 {
        i64::from(self.hi.y) - i64::from(self.lo.y)
    }
    /// Area in DBU².
    #[inline]
    pub fn area(&self) -> i64 {
        self.width().saturating_mul(self.height())
    }
    /// Whether no area is inside.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.lo.x >= self.hi.x || self.lo.y >= self.hi.y
    }
    /// Whether the two share area (a common edge is no overlap).
    #[inline]
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.lo.x < other.hi.x
            && other.lo.x < self.hi.x
            && self.lo.y < other.hi.y
            && other.lo.y < self.hi.y
    }
    /// Whether `other` lies inside, edges allowed.
    #[inline]
    pub fn contains(&self, other: &Rect) -> bool {
        self.lo.x <= other.lo.x
            && self.lo.y <= other.lo.y
            && other.hi.x <= self.hi.x
            && other.hi.y <= self.hi.y
    }
    /// The common part, possibly empty.
    #[inline]
    pub fn intersection(&self, other: &Rect) -> Rect {
        Rect {
            lo: Point::new(self.lo.x.max(other.lo.x), self.lo.y.max(other.lo.y)),
            hi: Point::new(self.hi.x.min(other.hi.x), self.hi.y.min(other.hi.y)),
        }
    }
    /// The smallest rectangle around both.
    #[inline]
    pub fn union(&self, other: &Rect) -> Rect {
        Rect {
            lo: Point::new(self.lo.x.min(other.lo.x), self.lo.y.min(other.lo.y)),
            hi: Point::new(self.hi.x.max(other.hi.x), self.hi.y.max(other.hi.y)),
        }
    }
    /// The centre, rounded towards the lower left.
    #[inline]
    pub fn center(&self) -> Point {
        let middle = |a: i32, b: i32| ((i64::from(a) + i64::from(b)).div_euclid(2)) as i32;
        Point::new(middle(self.lo.x, self.hi.x), middle(self.lo.y, self.hi.y))
    }
    /// The rectangle moved by (`dx`, `dy`), saturating at the ends of the coordinate range.
    #[inline]
    pub fn shifted(&self, dx: i32, dy: i32) -> Rect {
        let shift = |p: Point| Point::new(p.x.saturating_add(dx), p.y.saturating_add(dy));
        Rect { lo: shift(self.lo), hi: shift(self.hi) }
    }
}

/// The eight orientations by their LEF/DEF names (LEF/DEF 5.8 reference, "Orientation").
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[repr(u8)]
pub enum Orient {
    /// As drawn (R0).
    #[default]
    N,
    /// Rotated by 180° (R180).
    S,
    /// Rotated by 90° counter-clockwise (R90).
    W,
    /// Rotated by 270° counter-clockwise (R270).
    E,
    /// Mirrored about the y axis (MY).
    FN,
    /// Mirrored about the x axis (MX).
    FS,
    /// Mirrored about the x axis, then rotated by 90° (MX90).
    FW,
    /// Mirrored about the y axis, then rotated by 90° (MY90).
    FE,
}

impl Orient {
    /// All eight, in the order of their numbers.
    pub const ALL: [Orient; 8] = [
        Orient::N,
        Orient::S,
        Orient::W,
        Orient::E,
        Orient::FN,
        Orient::FS,
        Orient::FW,
        Orient::FE,
    ];

    /// The DEF name.
    pub const fn name(self) -> &'static str {
        match self {
            Orient::N => "N",
            Orient::S => "S",
            Orient::W => "W",
            Orient::E => "E",
            Orient::FN => "FN",
            Orient::FS => "FS",
            Orient::FW => "FW",
            Orient::FE => "FE",
        }
    }
    /// The orientation of a DEF name.
    pub fn from_name(name: &str) -> Option<Orient> {
        Orient::ALL.into_iter().find(|orient| orient.name() == name)
    }
    /// Whether width and height change places.
    #[inline]
    pub const fn swaps_axes(self) -> bool {
        matches!(self, Orient::W | Orient::E | Orient::FW | Orient::FE)
    }
    /// Whether the cell's bottom edge points up or down but reversed (its rails swap).
    #[inline]
    pub const fn flips_y(self) -> bool {
        matches!(self, Orient::S | Orient::FS)
    }
    /// The orientation mirrored about the y axis: what a cell flip in its row does.
    pub const fn mirrored_y(self) -> Orient {
        match self {
            Orient::N => Orient::FN,
            Orient::FN => Orient::N,
            Orient::S => Orient::FS,
            Orient::FS => Orient::S,
            Orient::W => Orient::FW,
            Orient::FW => Orient::W,
            Orient::E => Orient::FE,
            Orient::FE => Orient::E,
        }
    }
    /// Width and height of a `width` × `height` master placed in this orientation.
    #[inline]
    pub const fn size(self, width: i32, height: i32) -> (i32, i32) {
        if self.swaps_axes() { (height, width) } else { (width, height) }
    }
    /// Where the point `p` of a `width` × `height` master (lower-left at the origin) lies, from
    /// the lower-left corner of the placed cell.
    #[inline]
    pub const fn apply(self, p: Point, width: i32, height: i32) -> Point {
        match self {
            Orient::N => p,
            Orient::S => Point::new(width - p.x, height - p.y),
            Orient::W => Point::new(height - p.y, p.x),
            Orient::E => Point::new(p.y, width - p.x),
            Orient::FN => Point::new(width - p.x, p.y),
            Orient::FS => Point::new(p.x, height - p.y),
            Orient::FW => Point::new(p.y, p.x),
            Orient::FE => Point::new(height - p.y, width - p.x),
        }
    }
    /// [`Orient::apply`] on both corners of a rectangle.
    pub fn apply_rect(self, rect: Rect, width: i32, height: i32) -> Rect {
        let a = self.apply(rect.lo, width, height);
        let b = self.apply(rect.hi, width, height);
        Rect::new(a.x, a.y, b.x, b.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_compose_as_their_names_say() {
        let (w, h, p) = (10, 4, Point::new(1, 1));
        assert_eq!(Orient::W.apply(p, w, h), Point::new(3, 1));
        assert_eq!(Orient::E.apply(p, w, h), Point::new(1, 9));
        for orient in Orient::ALL {
            assert_eq!(Orient::from_name(orient.name()), Some(orient));
            assert_eq!(orient.mirrored_y().mirrored_y(), orient);
            let placed = orient.apply(p, w, h);
            let (pw, _) = orient.size(w, h);
            let mirrored = orient.mirrored_y().apply(p, w, h);
            assert_eq!(mirrored, Point::new(pw - placed.x, placed.y), "{orient:?}");
        }
    }

    #[test]
    fn touching_rectangles_do_not_overlap() {
        let a = Rect::new(0, 0, 10, 10);
        assert!(!a.overlaps(&Rect::new(10, 0, 20, 10)));
        assert!(a.overlaps(&Rect::new(9, 9, 20, 20)));
        assert!(a.contains(&a));
    }
}
