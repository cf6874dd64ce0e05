//! Helpers for the tests of all readers: the corpus, mutated text, "never a panic".

use crate::text::{FormatError, MAX_BYTES, Problems, Source};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Files of the corpus whose name holds `part` and that are at most `largest` bytes on disk, sorted.
/// `None` if there is no corpus.
pub(crate) fn corpus(part: &str, largest: u64) -> Option<Vec<PathBuf>> {
    let near = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("CELLWRIGHT_CORPUS").map_or(near, PathBuf::from);
    if !root.is_dir() {
        println!("skipped: corpus not found");
        return None;
    }
    let mut out = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.contains(part) && path.metadata().unwrap().len() <= largest {
                out.push(path);
            }
        }
    }
    out.sort();
    Some(out)
}

/// Reads bytes that may be anything; an error must name the file.
pub(crate) fn refuses(
    name: &str,
    bytes: &[u8],
    read: impl FnOnce(&Source, &mut Problems) -> Result<(), FormatError>,
) {
    let Ok(source) = Source::from_bytes(name, bytes, MAX_BYTES) else { return };
    if let Err(e) = read(&source, &mut Problems::new()) {
        assert!(e.file == name && !e.message.is_empty());
    }
}

/// Snippets put together from random words of each other: cut short, doubled, swapped, dropped.
pub(crate) fn mutations(snippets: &'static [&'static str]) -> impl Strategy<Value = String> {
    let pick = proptest::sample::select(snippets);
    let edits = proptest::collection::vec((0..5u8, any::<u16>(), any::<u16>()), 0..8);
    (pick.clone(), pick, edits).prop_map(|(text, other, edits)| {
        let mut words: Vec<&str> = text.split_inclusive(' ').collect();
        let others: Vec<&str> = other.split_inclusive(' ').collect();
        for (what, i, j) in edits {
            if words.is_empty() {
                break;
            }
            let (i, j) = (i as usize % words.len(), j as usize);
            match what {
                0 => words.truncate(i),
                1 => words.insert(i, words[j % words.len()]),
                2 => {
                    let j = j % words.len();
                    words.swap(i, j);
                }
                3 => drop(words.remove(i)),
                _ => words.insert(i, others[j % others.len()]),
            }
        }
        words.concat()
    })
}
