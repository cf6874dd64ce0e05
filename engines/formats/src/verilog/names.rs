//! Names of a design, each stored once and known by a number.

use super::NameId;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Borrowed names by number. Only looked up, never iterated by hash, so that order stays fixed.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    texts: Vec<&'a str>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<'a> Names<'a> {
    pub(super) fn intern(&mut self, text: &'a str) -> NameId {
        let hash = self.hasher.hash_one(text);
        let texts = &mut self.texts;
        let same = |&i: &u32| texts.get(i as usize).is_some_and(|t| *t == text);
        if let Some(&found) = self.table.find(hash, same) {
            return NameId(found);
        }
        // Each name takes a byte of text, and texts are below 4 GiB together in practice; past that
        // the last number is shared, which the caller's size check has refused before.
        let id = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        texts.push(text);
        let hasher = &self.hasher;
        let rehash = |&i: &u32| hasher.hash_one(texts.get(i as usize).copied().unwrap_or(""));
        self.table.insert_unique(hash, id, rehash);
        NameId(id)
    }

    pub(super) fn find(&self, text: &str) -> Option<NameId> {
        let same = |&i: &u32| self.texts.get(i as usize).is_some_and(|t| *t == text);
        self.table.find(self.hasher.hash_one(text), same).map(|&i| NameId(i))
    }

    pub(super) fn get(&self, id: NameId) -> &'a str {
        self.texts.get(id.0 as usize).copied().unwrap_or("")
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }
}
