//! Names of a design, each stored once and known by a number.

use super::NameId;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Borrowed names by number. Only looked up, never iterated by hash, so that order stays fixed.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    texts: Vec<&'a str>,
    // Half of the hash stands beside the number, so that most misses and all growth do without the
    // texts, which are spread over the whole file.
    table: HashTable<(u32, u32)>,
    hasher: DefaultHashBuilder,
}

/// The hash that the table sees, made from the half that it stores.
fn spread(half: u32) -> u64 {
    u64::from(half).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<'a> Names<'a> {
    fn half(&self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        u32::try_from(hash >> 32).unwrap_or(0)
    }

    fn lookup(&self, half: u32, text: &str) -> Option<u32> {
        let same = |&(h, i): &(u32, u32)| {
            h == half && self.texts.get(i as usize).is_some_and(|t| *t == text)
        };
        self.table.find(spread(half), same).map(|entry| entry.1)
    }

    pub(super) fn intern(&mut self, text: &'a str) -> NameId {
        let half = self.half(text);
        if let Some(found) = self.lookup(half, text) {
            return NameId(found);
        }
        // A name takes at least a byte of a source, so their count stays below that of bytes; past
        // 2^32, which needs many files of 4 GiB, the last number would be shared.
        let id = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text);
        self.table.insert_unique(spread(half), (half, id), |entry| spread(entry.0));
        NameId(id)
    }

    pub(super) fn find(&self, text: &str) -> Option<NameId> {
        self.lookup(self.half(text), text).map(NameId)
    }

    pub(super) fn get(&self, id: NameId) -> &'a str {
        self.texts.get(id.0 as usize).copied().unwrap_or("")
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }
}
