//! Dense typed ids and the vectors that they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense `u32` index of one kind of object.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug {
    /// The id of slot `index`.
    fn new(index: usize) -> Self;
    /// The slot of this id.
    fn index(self) -> usize;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                Self(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $name {
            /// Stands for "none" where an `Option` would cost a word.
            pub const NONE: Self = Self(u32::MAX);

            /// The id of slot `index`.
            #[inline]
            pub fn new(index: usize) -> Self {
                <Self as Id>::new(index)
            }
            /// The slot of this id.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
            /// Whether this is [`Self::NONE`].
            #[inline]
            pub fn is_none(self) -> bool {
                self.0 == u32::MAX
            }
            /// `None` for [`Self::NONE`].
            #[inline]
            pub fn some(self) -> Option<Self> {
                if self.is_none() { None } else { Some(self) }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.is_none() { write!(f, concat!($prefix, ":none")) } else { write!(f, concat!($prefix, ":{}"), self.0) }
            }
        }
    };
}

id!(/// A cell instance.
    CellId, "i");
id!(/// A net.
    NetId, "n");
id!(/// A pin of a cell instance, or the inside of a top-level port.
    PinId, "t");
id!(/// A top-level port.
    PortId, "p");
id!(/// A library master (LEF macro and Liberty cell of one name).
    MasterId, "master");
id!(/// A signal pin of a master: its position in [`crate::Master::pins`].
    MasterPinId, "mpin");
id!(/// A technology layer.
    LayerId, "layer");
id!(/// A placement site.
    SiteId, "site");
id!(/// A region (fence or guide).
    RegionId, "region");

/// The kind of object that a [`StableId`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// A cell instance, written `i:`.
    Instance,
    /// A net, written `n:`.
    Net,
    /// A top-level port, written `p:`.
    Port,
    /// A pin, written `t:`.
    Pin,
}

/// The outside name of an object: kind and number, never reused within a lineage.
///
/// Written `i:42`, `n:42`, `p:42` or `t:42`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StableId {
    /// What kind of object it names.
    pub kind: ObjectKind,
    /// The object's number.
    pub number: u64,
}

impl fmt::Display for StableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.kind {
            ObjectKind::Instance => 'i',
            ObjectKind::Net => 'n',
            ObjectKind::Port => 'p',
            ObjectKind::Pin => 't',
        };
        write!(f, "{prefix}:{}", self.number)
    }
}

impl fmt::Debug for StableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for StableId {
    type Err = StableIdError;

    fn from_str(text: &str) -> Result<Self, StableIdError> {
        let refuse = || StableIdError(text.chars().take(64).collect());
        let (prefix, number) = text.split_once(':').ok_or_else(refuse)?;
        let kind = match prefix {
            "i" => ObjectKind::Instance,
            "n" => ObjectKind::Net,
            "p" => ObjectKind::Port,
            "t" => ObjectKind::Pin,
            _ => return Err(refuse()),
        };
        // One spelling per id: no sign, no leading zero.
        let canonical = number.bytes().all(|b| b.is_ascii_digit())
            && !number.is_empty()
            && (number.len() == 1 || !number.starts_with('0'));
        let number = if canonical { number.parse().ok() } else { None };
        number.map(|number| StableId { kind, number }).ok_or_else(refuse)
    }
}

/// A text that is no [`StableId`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a stable id; write i:<n> (instance), n:<n> (net), p:<n> (port) or t:<n> (pin)"
)]
pub struct StableIdError(String);

macro_rules! stable {
    ($id:ident, $kind:ident) => {
        impl From<$id> for StableId {
            fn from(id: $id) -> Self {
                StableId { kind: ObjectKind::$kind, number: u64::from(id.0) }
            }
        }
        impl TryFrom<StableId> for $id {
            type Error = StableIdError;
            fn try_from(id: StableId) -> Result<Self, StableIdError> {
                match u32::try_from(id.number) {
                    Ok(number) if id.kind == ObjectKind::$kind && number != u32::MAX => {
                        Ok($id(number))
                    }
                    _ => Err(StableIdError(id.to_string())),
                }
            }
        }
    };
}
stable!(CellId, Instance);
stable!(NetId, Net);
stable!(PortId, Port);
stable!(PinId, Pin);

/// A vector indexed by one kind of id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    kind: PhantomData<I>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), kind: PhantomData }
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::default()
    }
    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }
    /// Removes and returns the last item.
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }
    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The item of `id`, if the slot exists.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// All ids and items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }
    /// The items as a slice in id order.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
    /// The items as a mutable slice in id order.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<I: Id, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, kind: PhantomData }
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Vec::from_iter(items).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stable_id_has_one_spelling() {
        for text in ["i:0", "n:42", "p:7", "t:18446744073709551615"] {
            assert_eq!(text.parse::<StableId>().unwrap().to_string(), text);
        }
        for text in ["", "i", "i:", "i:-1", "i:+1", "i:01", "x:1", "i:1 ", "i:18446744073709551616"]
        {
            assert!(text.parse::<StableId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_stable_id_of_another_kind_is_refused() {
        let net: StableId = NetId(3).into();
        assert!(CellId::try_from(net).is_err());
        assert_eq!(NetId::try_from(net).unwrap(), NetId(3));
        let huge = StableId { kind: ObjectKind::Net, number: u64::from(u32::MAX) };
        assert!(NetId::try_from(huge).is_err());
    }
}
