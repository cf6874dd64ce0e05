//! The eight orientations of LEF/DEF and what they do to pin offsets.

use std::fmt;
use std::str::FromStr;

/// An orientation of a macro, named as LEF/DEF and Circuit Training name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Orient {
    /// As drawn.
    #[default]
    N,
    /// Turned by 180°.
    S,
    /// Turned by 90° clockwise.
    E,
    /// Turned by 90° counter-clockwise.
    W,
    /// Mirrored left to right.
    FN,
    /// Mirrored upside down.
    FS,
    /// As the open evaluator has it: `(dx, dy)` becomes `(-dy, -dx)`.
    FE,
    /// As the open evaluator has it: `(dx, dy)` becomes `(dy, dx)`.
    FW,
}

impl Orient {
    /// All orientations.
    pub const ALL: [Orient; 8] = [
        Orient::N,
        Orient::S,
        Orient::E,
        Orient::W,
        Orient::FN,
        Orient::FS,
        Orient::FE,
        Orient::FW,
    ];

    /// The four that keep width and height, which are those that the contests allow.
    pub const UPRIGHT: [Orient; 4] = [Orient::N, Orient::FN, Orient::S, Orient::FS];

    /// The pin offset from the centre under this orientation, from the one under `N`, as the open
    /// evaluator turns it (`update_macro_orientation`). It turns pins only; width and height stay.
    #[must_use]
    pub fn turn(self, dx: f64, dy: f64) -> (f64, f64) {
        match self {
            Orient::N => (dx, dy),
            Orient::FN => (-dx, dy),
            Orient::S => (-dx, -dy),
            Orient::FS => (dx, -dy),
            Orient::E => (dy, -dx),
            Orient::FE => (-dy, -dx),
            Orient::W => (-dy, dx),
            Orient::FW => (dy, dx),
        }
    }

    /// Whether width and height keep their places.
    #[must_use]
    pub fn is_upright(self) -> bool {
        Self::UPRIGHT.contains(&self)
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Orient::N => "N",
            Orient::S => "S",
            Orient::E => "E",
            Orient::W => "W",
            Orient::FN => "FN",
            Orient::FS => "FS",
            Orient::FE => "FE",
            Orient::FW => "FW",
        }
    }
}

impl fmt::Display for Orient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no orientation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no orientation; N, S, E, W, FN, FS, FE and FW are")]
pub struct NoOrient(pub String);

impl FromStr for Orient {
    type Err = NoOrient;

    fn from_str(word: &str) -> Result<Self, NoOrient> {
        Self::ALL
            .into_iter()
            .find(|orient| orient.name() == word)
            .ok_or_else(|| NoOrient(word.to_owned()))
    }
}
