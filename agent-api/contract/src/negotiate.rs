//! Which versions of which tools an agent and a platform agree on.

use crate::refs::Digest;
use crate::text::shown;
use schemars::JsonSchema;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a platform provides of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provided {
    /// Tool name, such as `cw.sta`.
    pub tool: String,
    /// Version of its contract.
    #[schemars(with = "String")]
    pub version: Version,
    /// BLAKE3 of its contract's schemas.
    pub contract_digest: Digest,
}

/// What both sides agreed on: per requirement as the agent wrote it, what the platform provides.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Agreement {
    /// By the name that the agent used, an alias included.
    pub tools: BTreeMap<String, Provided>,
}

/// One requirement that the platform cannot meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{tool} {requirement}: {reason}")]
pub struct Unmet {
    /// The tool as the agent named it.
    pub tool: String,
    /// The requirement as the agent wrote it.
    pub requirement: String,
    /// Why it is not met.
    pub reason: String,
}

/// Every requirement that the platform cannot meet; at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusals(pub Vec<Unmet>);

impl std::fmt::Display for Refusals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, u) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{u}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusals {}

/// The tool that a name means: `iDB`, `iPL` and `iSTA`, with or without a method as in `iPL.place`,
/// are `cw.db`, `cw.place` and `cw.sta`.
#[must_use]
pub fn canonical_tool(name: &str) -> &str {
    match name.split('.').next().unwrap_or(name) {
        "iDB" => "cw.db",
        "iPL" => "cw.place",
        "iSTA" => "cw.sta",
        _ => name,
    }
}

/// Most requirements of one connection.
pub const MAX_REQUIREMENTS: usize = 256;

/// Matches requirements such as `{"cw.sta": ">=1.0.0, <2.0.0"}` with what is provided.
///
/// # Errors
/// [`Refusals`] with each requirement that cannot be met: unknown tool, malformed requirement, or
/// no version that fits.
pub fn negotiate(
    required: &BTreeMap<String, String>,
    provided: &[Provided],
) -> Result<Agreement, Refusals> {
    let mut agreed = Agreement::default();
    let mut unmet = Vec::new();
    if required.len() > MAX_REQUIREMENTS {
        return Err(Refusals(vec![Unmet {
            tool: "*".into(),
            requirement: String::new(),
            reason: format!("{} requirements, at most {MAX_REQUIREMENTS}", required.len()),
        }]));
    }
    for (tool, requirement) in required {
        match meet(tool, requirement, provided) {
            Ok(p) => {
                agreed.tools.insert(tool.clone(), p.clone());
            }
            Err(reason) => {
                unmet.push(Unmet { tool: tool.clone(), requirement: requirement.clone(), reason });
            }
        }
    }
    if unmet.is_empty() { Ok(agreed) } else { Err(Refusals(unmet)) }
}

fn meet<'a>(
    tool: &str,
    requirement: &str,
    provided: &'a [Provided],
) -> Result<&'a Provided, String> {
    let req = VersionReq::parse(requirement)
        .map_err(|e| format!("{} is not a version requirement: {e}", shown(requirement)))?;
    let name = canonical_tool(tool);
    let offers: Vec<_> = provided.iter().filter(|p| p.tool == name).collect();
    if offers.is_empty() {
        return Err("no such tool".into());
    }
    // The newest that fits; the list may offer several versions of one tool.
    offers
        .iter()
        .filter(|p| req.matches(&p.version))
        .max_by(|a, b| a.version.cmp(&b.version))
        .copied()
        .ok_or_else(|| {
            let have: Vec<_> = offers.iter().map(|p| p.version.to_string()).collect();
            format!("the platform provides {}", have.join(", "))
        })
}

/// Splits the one-line form `iPL.place >= 1.2.0, < 2.0.0` into tool and requirement.
///
/// # Errors
/// [`Unmet`] when there is no tool name or the requirement is malformed.
pub fn parse_dependency(line: &str) -> Result<(String, VersionReq), Unmet> {
    let text = line.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || c == '-'))
        .unwrap_or(text.len());
    let (tool, requirement) = text.split_at(end);
    let refuse = |reason: String| Unmet {
        tool: shown(tool),
        requirement: shown(requirement.trim()),
        reason,
    };
    if tool.is_empty() {
        return Err(refuse("a dependency starts with a tool name".into()));
    }
    VersionReq::parse(requirement.trim())
        .map(|req| (tool.to_owned(), req))
        .map_err(|e| refuse(format!("not a version requirement: {e}")))
}
