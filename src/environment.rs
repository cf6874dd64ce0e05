//! The environment variables that the commands read: each is declared here, and a test finds every
//! other one in the sources. What an engine's command is told by its environment goes into the
//! envelope's `env` and into `input_hash`; secrets and the places of keys do not.

use std::collections::BTreeMap;

/// A variable that some command reads.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Whether an answer records its value: commands that answer in the envelope read it.
    pub recorded: bool,
    /// What it is read for.
    pub about: &'static str,
}

/// Every variable.
pub const VARIABLES: &[Variable] = &[
    Variable {
        name: "RAYON_NUM_THREADS",
        recorded: true,
        about: "threads of the engines; results are the same at any number",
    },
    Variable {
        name: "XDG_DATA_HOME",
        recorded: false,
        about: "where keys lie; no command that answers in the envelope reads it",
    },
    Variable {
        name: "HOME",
        recorded: false,
        about: "where keys lie without XDG_DATA_HOME; no command that answers in the envelope reads it",
    },
    Variable {
        name: "PATH",
        recorded: false,
        about: "where an agent's program is looked for; no command that answers in the envelope reads it",
    },
    Variable {
        name: "CELLWRIGHT_MCP_TOKEN",
        recorded: false,
        about: "the secret of the door over HTTP, which is never recorded",
    },
];

/// The declared environment of a command that answers in the envelope: recorded variables that are
/// set.
#[must_use]
pub fn declared() -> BTreeMap<String, String> {
    let recorded = VARIABLES.iter().filter(|variable| variable.recorded);
    let set = recorded.filter_map(|variable| {
        let value = std::env::var_os(variable.name)?;
        Some((variable.name.to_owned(), value.to_string_lossy().into_owned()))
    });
    set.collect()
}
