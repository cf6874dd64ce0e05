//! How things are named across the door: objects, snapshots, designs, dirty sets, intents, scenarios.
//!
//! All are text, so that a 64-bit id or a hash passes any JSON reader without losing digits.

use crate::limits::MAX_NAME_BYTES;
use crate::text::{hex32, is_plain_name, shown, text_type, write_hex};
use crate::validate::name_fault;
use std::fmt;
use std::str::FromStr;

/// A text that is not a reference of the expected kind. The message says what would be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text} is not {expected}")]
pub struct RefError {
    /// The refused text, shortened and quoted.
    pub text: String,
    /// What was expected.
    pub expected: String,
}

fn fault(text: &str, expected: impl Into<String>) -> RefError {
    RefError { text: shown(text), expected: expected.into() }
}

/// What kind of object a [`ObjectRef::Id`] names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// A placed instance, `i:`.
    Instance,
    /// A net, `n:`.
    Net,
    /// A top-level port, `p:`.
    Port,
    /// A pin of an instance, `t:`.
    Pin,
}

impl ObjectKind {
    /// The letter before the colon.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            ObjectKind::Instance => 'i',
            ObjectKind::Net => 'n',
            ObjectKind::Port => 'p',
            ObjectKind::Pin => 't',
        }
    }

    /// The kind's name in messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            ObjectKind::Instance => "an instance",
            ObjectKind::Net => "a net",
            ObjectKind::Port => "a port",
            ObjectKind::Pin => "a pin",
        }
    }
}

/// An object of a design: by stable id (`i:42`, `n:42`, `p:42`, `t:42`) or by name
/// (`name:u_core/u1`, resolved against the parent snapshot).
///
/// A stable id is never reused within a lineage and survives move, resize and rename.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectRef {
    /// By stable id.
    Id(ObjectKind, u64),
    /// By hierarchical name; a pin is `instance/pin`.
    Name(String),
}

impl ObjectRef {
    /// An instance by stable id.
    #[must_use]
    pub fn instance(id: u64) -> Self {
        ObjectRef::Id(ObjectKind::Instance, id)
    }

    /// A net by stable id.
    #[must_use]
    pub fn net(id: u64) -> Self {
        ObjectRef::Id(ObjectKind::Net, id)
    }

    /// A port by stable id.
    #[must_use]
    pub fn port(id: u64) -> Self {
        ObjectRef::Id(ObjectKind::Port, id)
    }

    /// A pin by stable id.
    #[must_use]
    pub fn pin(id: u64) -> Self {
        ObjectRef::Id(ObjectKind::Pin, id)
    }

    /// Any object by name.
    ///
    /// # Errors
    /// When the name is empty, too long or holds control characters.
    pub fn named(name: impl Into<String>) -> Result<Self, RefError> {
        let name = name.into();
        match name_fault(&name, MAX_NAME_BYTES) {
            None => Ok(ObjectRef::Name(name)),
            Some(why) => Err(fault(&name, format!("an object name: {why}"))),
        }
    }

    /// True when this may name an object of `kind`: an id of that kind, or any name.
    #[must_use]
    pub fn may_be(&self, kind: ObjectKind) -> bool {
        match self {
            ObjectRef::Id(k, _) => *k == kind,
            ObjectRef::Name(_) => true,
        }
    }

    /// The stable id when this is one of `kind`.
    #[must_use]
    pub fn id_of(&self, kind: ObjectKind) -> Option<u64> {
        match self {
            ObjectRef::Id(k, id) if *k == kind => Some(*id),
            _ => None,
        }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObjectRef::Id(kind, id) => write!(f, "{}:{id}", kind.letter()),
            ObjectRef::Name(name) => write!(f, "name:{name}"),
        }
    }
}

impl FromStr for ObjectRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        let want = "an object reference: i:42, n:42, p:42, t:42 or name:u_core/u1";
        let (head, tail) = text.split_once(':').ok_or_else(|| fault(text, want))?;
        let kind = match head {
            "i" => ObjectKind::Instance,
            "n" => ObjectKind::Net,
            "p" => ObjectKind::Port,
            "t" => ObjectKind::Pin,
            "name" => return ObjectRef::named(tail),
            _ => return Err(fault(text, want)),
        };
        // One text per id: no sign, no leading zero.
        let digits = tail.bytes().all(|c| c.is_ascii_digit());
        let padded = tail.len() > 1 && tail.starts_with('0');
        match tail.parse() {
            Ok(id) if digits && !padded => Ok(ObjectRef::Id(kind, id)),
            _ => Err(fault(text, "a stable id: a decimal number below 2^64 without leading zeros")),
        }
    }
}

text_type!(
    ObjectRef,
    "ObjectRef",
    r"^([inpt]:(0|[1-9][0-9]{0,19})|name:[^\x00-\x1f]{1,4096})$",
    "An object by stable id (i: instance, n: net, p: port, t: pin) or by name (name:u_core/u1)."
);

/// A design state: `snap:<64 hex>`, the BLAKE3 Merkle root, or the name of a branch such as `main`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SnapshotRef {
    /// By root.
    Root([u8; 32]),
    /// By branch name, resolved by the platform.
    Branch(String),
}

impl SnapshotRef {
    /// The branch that a request means when it names no snapshot.
    #[must_use]
    pub fn main() -> Self {
        SnapshotRef::Branch("main".into())
    }

    /// The root, when this is not a branch name.
    #[must_use]
    pub fn root(&self) -> Option<&[u8; 32]> {
        match self {
            SnapshotRef::Root(root) => Some(root),
            SnapshotRef::Branch(_) => None,
        }
    }
}

impl fmt::Display for SnapshotRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotRef::Root(root) => {
                f.write_str("snap:")?;
                write_hex(f, root)
            }
            SnapshotRef::Branch(name) => f.write_str(name),
        }
    }
}

impl FromStr for SnapshotRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        if let Some(hex) = text.strip_prefix("snap:") {
            return hex32(hex)
                .map(SnapshotRef::Root)
                .ok_or_else(|| fault(text, "a snapshot: snap: and 64 lower-case hex digits"));
        }
        if is_plain_name(text) {
            return Ok(SnapshotRef::Branch(text.into()));
        }
        Err(fault(text, "a snapshot (snap:<64 hex>) or a branch name"))
    }
}

text_type!(
    SnapshotRef,
    "SnapshotRef",
    r"^(snap:[0-9a-f]{64}|[A-Za-z0-9_][A-Za-z0-9_./+-]{0,255})$",
    "A snapshot by its BLAKE3 Merkle root (snap:<64 hex>), or a branch name such as main."
);

/// The part of a design that a delta can change: `dirty:<64 hex>`, derived only from the parent
/// snapshot and the delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirtySetRef(pub [u8; 32]);

impl fmt::Display for DirtySetRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dirty:")?;
        write_hex(f, &self.0)
    }
}

impl FromStr for DirtySetRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        text.strip_prefix("dirty:")
            .and_then(hex32)
            .map(DirtySetRef)
            .ok_or_else(|| fault(text, "a dirty set: dirty: and 64 lower-case hex digits"))
    }
}

text_type!(
    DirtySetRef,
    "DirtySetRef",
    "^dirty:[0-9a-f]{64}$",
    "A dirty set by the BLAKE3 of (parent snapshot, delta)."
);

/// A design in a technology: `gcd@nangate45`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DesignRef {
    design: String,
    tech: String,
}

impl DesignRef {
    /// A reference from its two names.
    ///
    /// # Errors
    /// When a name is empty, longer than 256 bytes or holds anything but letters, digits and
    /// `_ . - / +`.
    pub fn new(design: &str, tech: &str) -> Result<Self, RefError> {
        if is_plain_name(design) && is_plain_name(tech) {
            return Ok(DesignRef { design: design.into(), tech: tech.into() });
        }
        Err(fault(&format!("{design}@{tech}"), "a design: name@technology, e.g. gcd@nangate45"))
    }

    /// The design's name.
    #[must_use]
    pub fn design(&self) -> &str {
        &self.design
    }

    /// The technology's name.
    #[must_use]
    pub fn tech(&self) -> &str {
        &self.tech
    }
}

impl fmt::Display for DesignRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.design, self.tech)
    }
}

impl FromStr for DesignRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        let (design, tech) = text
            .split_once('@')
            .ok_or_else(|| fault(text, "a design: name@technology, e.g. gcd@nangate45"))?;
        DesignRef::new(design, tech)
    }
}

text_type!(
    DesignRef,
    "DesignRef",
    r"^[A-Za-z0-9_][A-Za-z0-9_./+-]{0,255}@[A-Za-z0-9_][A-Za-z0-9_./+-]{0,255}$",
    "A design in a technology, such as gcd@nangate45."
);

/// What an agent is after: `intent:<name>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntentRef(String);

impl IntentRef {
    /// A reference from its name.
    ///
    /// # Errors
    /// When the name is not a plain name (see [`DesignRef::new`]).
    pub fn new(name: &str) -> Result<Self, RefError> {
        if is_plain_name(name) {
            return Ok(IntentRef(name.into()));
        }
        Err(fault(name, "an intent name"))
    }

    /// The name after `intent:`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IntentRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "intent:{}", self.0)
    }
}

impl FromStr for IntentRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        let name = text
            .strip_prefix("intent:")
            .ok_or_else(|| fault(text, "an intent: intent:<name>, e.g. intent:close-setup"))?;
        IntentRef::new(name)
    }
}

text_type!(
    IntentRef,
    "IntentRef",
    r"^intent:[A-Za-z0-9_][A-Za-z0-9_./+-]{0,255}$",
    "What an agent is after, such as intent:close-setup."
);

/// A scenario by name and content: `scenario:<name>@<64 hex>`.
///
/// The digest is [`Scenario::digest`](crate::scenario::Scenario::digest).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScenarioRef {
    name: String,
    digest: [u8; 32],
}

impl ScenarioRef {
    /// A reference from its parts.
    ///
    /// # Errors
    /// When the name is not a plain name (see [`DesignRef::new`]).
    pub fn new(name: &str, digest: [u8; 32]) -> Result<Self, RefError> {
        if is_plain_name(name) {
            return Ok(ScenarioRef { name: name.into(), digest });
        }
        Err(fault(name, "a scenario name"))
    }

    /// The scenario's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The digest of its content.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}

impl fmt::Display for ScenarioRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "scenario:{}@", self.name)?;
        write_hex(f, &self.digest)
    }
}

impl FromStr for ScenarioRef {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        let want = "a scenario: scenario:<name>@<64 hex>";
        let (name, digest) = text
            .strip_prefix("scenario:")
            .and_then(|rest| rest.split_once('@'))
            .ok_or_else(|| fault(text, want))?;
        let digest = hex32(digest).ok_or_else(|| fault(text, want))?;
        ScenarioRef::new(name, digest)
    }
}

text_type!(
    ScenarioRef,
    "ScenarioRef",
    r"^scenario:[A-Za-z0-9_][A-Za-z0-9_./+-]{0,255}@[0-9a-f]{64}$",
    "A scenario by name and BLAKE3 of its canonical JSON."
);

/// A digest with its algorithm: `blake3:<64 hex>` or `sha256:<64 hex>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Digest {
    /// BLAKE3, 256 bits.
    Blake3([u8; 32]),
    /// SHA-256.
    Sha256([u8; 32]),
}

impl Digest {
    /// The BLAKE3 of some bytes.
    #[must_use]
    pub fn blake3_of(bytes: &[u8]) -> Self {
        Digest::Blake3(*blake3::hash(bytes).as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, bytes) = match self {
            Digest::Blake3(b) => ("blake3:", b),
            Digest::Sha256(b) => ("sha256:", b),
        };
        f.write_str(name)?;
        write_hex(f, bytes)
    }
}

impl FromStr for Digest {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        let want = "a digest: blake3:<64 hex> or sha256:<64 hex>";
        let (name, hex) = text.split_once(':').ok_or_else(|| fault(text, want))?;
        let bytes = hex32(hex).ok_or_else(|| fault(text, want))?;
        match name {
            "blake3" => Ok(Digest::Blake3(bytes)),
            "sha256" => Ok(Digest::Sha256(bytes)),
            _ => Err(fault(text, want)),
        }
    }
}

text_type!(
    Digest,
    "Digest",
    "^(blake3|sha256):[0-9a-f]{64}$",
    "A digest with its algorithm: blake3:<64 hex> or sha256:<64 hex>."
);

/// 64 lower-case hexadecimal digits: the bare form of a 256-bit digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex32(pub [u8; 32]);

impl fmt::Display for Hex32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl FromStr for Hex32 {
    type Err = RefError;

    fn from_str(text: &str) -> Result<Self, RefError> {
        hex32(text).map(Hex32).ok_or_else(|| fault(text, "64 lower-case hex digits"))
    }
}

text_type!(Hex32, "Hex32", "^[0-9a-f]{64}$", "64 lower-case hexadecimal digits.");
