//! Names of objects: one shared byte arena, and an index from name to number built on first use.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashTable};

/// An append-only list of names, stored end to end.
#[derive(Debug, Default)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
    index: OnceLock<(HashTable<u32>, DefaultHashBuilder)>,
}

impl Clone for Names {
    fn clone(&self) -> Self {
        Names { text: self.text.clone(), ends: self.ends.clone(), index: OnceLock::new() }
    }
}

impl Names {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a name and returns its number, or `None` when the arena is full (4 GiB of text).
    pub fn push(&mut self, name: &str) -> Option<u32> {
        let end = u32::try_from(self.text.len() + name.len()).ok()?;
        self.index.take();
        self.text.push_str(name);
        self.ends.push(end);
        u32::try_from(self.ends.len() - 1).ok()
    }

    /// The name of a number; empty when there is none.
    pub fn get(&self, number: u32) -> &str {
        let Some(&end) = self.ends.get(number as usize) else { return "" };
        let start = match number {
            0 => 0,
            _ => self.ends[number as usize - 1],
        };
        &self.text[start as usize..end as usize]
    }

    /// The number of a name; of equal names the first. The first call builds the index.
    pub fn find(&self, name: &str) -> Option<u32> {
        let (table, hasher) = self.index.get_or_init(|| {
            let hasher = DefaultHashBuilder::default();
            let mut table = HashTable::with_capacity(self.ends.len());
            for number in 0..self.ends.len() as u32 {
                let name = self.get(number);
                let hash = hasher.hash_one(name);
                if table.find(hash, |&other| self.get(other) == name).is_none() {
                    table.insert_unique(hash, number, |&other| hasher.hash_one(self.get(other)));
                }
            }
            (table, hasher)
        });
        table.find(hasher.hash_one(name), |&other| self.get(other) == name).copied()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again() {
        let mut names = Names::new();
        for name in ["a", "", "u/b[3]", "a"] {
            names.push(name).unwrap();
        }
        assert_eq!(
            (names.get(0), names.get(1), names.get(2), names.get(9)),
            ("a", "", "u/b[3]", "")
        );
        assert_eq!(
            (names.find("a"), names.find("u/b[3]"), names.find("c")),
            (Some(0), Some(2), None)
        );
        names.push("c").unwrap();
        assert_eq!(names.find("c"), Some(4));
    }
}
