//! Opening a text file, plain or compressed, and finding lines in it.

use crate::text::FormatError;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::OnceLock;

/// The most bytes that a file may hold after decompression: 4 GiB less one, so that every offset
/// fits a `u32`.
pub const MAX_BYTES: u64 = u32::MAX as u64;

/// The memory that an xz stream may ask for; `xz -9` needs 65 MiB.
const XZ_MEMORY: u64 = 1 << 30;

/// Bytes between two stored line counts.
const STRIDE: usize = 1 << 15;

/// A line and a column, both counted from 1; the column counts bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in bytes, counted from 1.
    pub column: u32,
}

/// A byte offset into a [`Source`], which is shorter than 4 GiB.
///
/// Any two offsets are equal, so that trees of the same content compare equal wherever it stood in
/// its file. Compare [`Offset::get`] to compare places.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offset(u32);

impl Offset {
    /// From a byte offset; beyond 4 GiB it is the largest offset.
    #[must_use]
    pub fn new(at: usize) -> Self {
        Self(u32::try_from(at).unwrap_or(u32::MAX))
    }

    /// The byte offset.
    #[must_use]
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

impl PartialEq for Offset {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Offset {}

/// The text of one file with its name, always valid UTF-8 and at most [`MAX_BYTES`] long.
///
/// Design files are ASCII in practice. A file that is not UTF-8 (a comment in Latin-1, say) is
/// taken as Latin-1, byte by byte, so that different names stay different;
/// [`Source::was_latin1`] tells.
#[derive(Debug)]
pub struct Source {
    name: String,
    text: String,
    latin1: bool,
    // Newlines before each multiple of STRIDE; filled at the first question about a line.
    lines: OnceLock<Vec<u32>>,
}

impl Source {
    /// A source from text in memory.
    ///
    /// # Errors
    /// When the text is longer than [`MAX_BYTES`].
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Result<Self, FormatError> {
        let (name, text) = (name.into(), text.into());
        if text.len() as u64 > MAX_BYTES {
            return Err(too_big(&name, MAX_BYTES));
        }
        Ok(Self { name, text, latin1: false, lines: OnceLock::new() })
    }

    /// A source from bytes in memory, decompressed if they are gzip or xz.
    ///
    /// # Errors
    /// As [`open_with_limit`].
    pub fn from_bytes(
        name: impl Into<String>,
        bytes: &[u8],
        limit: u64,
    ) -> Result<Self, FormatError> {
        let name = name.into();
        decode(&name, bytes, limit)
    }

    /// The file's name as it was opened.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole text as bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Whether the file was not UTF-8 and was taken as Latin-1.
    #[must_use]
    pub fn was_latin1(&self) -> bool {
        self.latin1
    }

    /// Line and column of a byte offset; an offset past the end gives the end.
    #[must_use]
    pub fn position(&self, at: usize) -> Position {
        let bytes = self.bytes();
        let at = at.min(bytes.len());
        let lines = self.lines.get_or_init(|| {
            let mut sum = 0u32;
            let mut out = vec![0];
            for chunk in bytes.chunks(STRIDE) {
                sum = sum.saturating_add(newlines(chunk));
                out.push(sum);
            }
            out
        });
        let block = at / STRIDE;
        let before = lines.get(block).copied().unwrap_or(0);
        let rest = bytes.get(block * STRIDE..at).map_or(0, newlines);
        let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
        let column = u32::try_from(at - start).unwrap_or(u32::MAX);
        Position {
            line: before.saturating_add(rest).saturating_add(1),
            column: column.saturating_add(1),
        }
    }

    /// An error at a byte offset of this file.
    #[must_use]
    pub fn error(
        &self,
        at: usize,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> FormatError {
        let Position { line, column } = self.position(at);
        FormatError {
            file: self.name.clone(),
            line,
            column,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// Counts newlines; a chunk is at most [`STRIDE`] long, so the sum fits.
fn newlines(chunk: &[u8]) -> u32 {
    chunk.iter().map(|&b| u32::from(b == b'\n')).sum()
}

/// Opens a file that is plain, gzip (also of several members) or xz, told apart by its first bytes.
///
/// # Errors
/// When it cannot be read or decompressed, or holds more than [`MAX_BYTES`].
pub fn open(path: impl AsRef<Path>) -> Result<Source, FormatError> {
    open_with_limit(path, MAX_BYTES)
}

/// As [`open`], with a bound on the decompressed size in bytes (at most [`MAX_BYTES`]).
///
/// # Errors
/// When it cannot be read or decompressed, is in a compression that is not known, or is larger than
/// the limit.
pub fn open_with_limit(path: impl AsRef<Path>, limit: u64) -> Result<Source, FormatError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    // A pipe would block and a device never end.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return Err(FormatError::whole_file(name, "not a regular file", "name a file"));
    }
    let file = File::open(path).map_err(|e| {
        FormatError::whole_file(&name, format!("cannot be opened: {e}"), "check the path")
    })?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(FormatError::whole_file(&name, "is a directory", "name a file"));
    }
    decode(&name, BufReader::with_capacity(1 << 16, file), limit)
}

fn decode(name: &str, mut input: impl Read, limit: u64) -> Result<Source, FormatError> {
    let limit = limit.min(MAX_BYTES);
    let mut head = Vec::with_capacity(6);
    input
        .by_ref()
        .take(6)
        .read_to_end(&mut head)
        .map_err(|e| FormatError::whole_file(name, format!("cannot be read: {e}"), ""))?;
    let whole = head.as_slice().chain(input);
    let bytes = match head.as_slice() {
        [0x1f, 0x8b, ..] => {
            read_bounded(name, "gzip data", flate2::read::MultiGzDecoder::new(whole), limit)
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0] => {
            let stream = liblzma::stream::Stream::new_stream_decoder(
                XZ_MEMORY,
                liblzma::stream::CONCATENATED,
            )
            .map_err(|e| FormatError::whole_file(name, format!("xz cannot start: {e}"), ""))?;
            let decoder = liblzma::read::XzDecoder::new_stream(whole, stream);
            read_bounded(name, "xz data", decoder, limit)
        }
        [b'B', b'Z', b'h', ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'P', b'K', 3, 4, ..] => {
            Err(FormatError::whole_file(
                name,
                "is compressed with bzip2, zstd or zip",
                "give it plain, as gzip or as xz",
            ))
        }
        _ => read_bounded(name, "file", whole, limit),
    }?;
    // A byte order mark is no part of the first word.
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    let (text, latin1) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(e) => (e.into_bytes().iter().map(|&b| char::from(b)).collect::<String>(), true),
    };
    if text.len() as u64 > MAX_BYTES {
        return Err(too_big(name, MAX_BYTES));
    }
    Ok(Source { name: name.to_owned(), text, latin1, lines: OnceLock::new() })
}

fn read_bounded(
    name: &str,
    what: &str,
    input: impl Read,
    limit: u64,
) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes).map_err(|e| {
        FormatError::whole_file(
            name,
            format!("{what} cannot be read: {e}"),
            "the file may be cut short or damaged",
        )
    })?;
    if bytes.len() as u64 > limit { Err(too_big(name, limit)) } else { Ok(bytes) }
}

fn too_big(name: &str, limit: u64) -> FormatError {
    FormatError::whole_file(
        name,
        format!("holds more than {limit} bytes of text"),
        "split it, or raise the limit if the file is to be trusted",
    )
}
