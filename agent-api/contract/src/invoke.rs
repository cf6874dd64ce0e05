//! What a caller sends to have a tool run, and the grants that let it.
//!
//! A request names what it wants twice over: in words (`capability/id`, `scope`) and by digest
//! (`contract/digest`, `scope/commitment`), so that a platform that has changed since says so
//! instead of doing something else. Admission is the host's; see
//! [`RefusalCode`](crate::invocation::RefusalCode) for its answers.

use crate::budget::CostBudget;
use crate::limits::{MAX_ID_BYTES, MAX_NAME_BYTES};
use crate::refs::{DesignRef, Digest};
use crate::time::Timestamp;
use crate::validate::{At, Report, Validate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `schema` of an [`InvokeRequest`].
pub const REQUEST_SCHEMA: &str = "package-capability-invoke.v1";
/// `schema` of a [`Grant`].
pub const GRANT_SCHEMA: &str = "cellwright-grant/1";
/// DSSE payload type of a [`Grant`].
pub const GRANT_TYPE: &str = "application/vnd.cellwright.grant+json";
/// `schema` of a [`Withdrawal`].
pub const WITHDRAWAL_SCHEMA: &str = "cellwright-grant-withdrawal/1";
/// DSSE payload type of a [`Withdrawal`].
pub const WITHDRAWAL_TYPE: &str = "application/vnd.cellwright.grant-withdrawal+json";
/// `schema` of an [`Evidence`].
pub const EVIDENCE_SCHEMA: &str = "cellwright-caller-evidence/1";
/// DSSE payload type of an [`Evidence`].
pub const EVIDENCE_TYPE: &str = "application/vnd.cellwright.caller-evidence+json";

/// A request to run a tool once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvokeRequest {
    /// Always [`REQUEST_SCHEMA`].
    #[schemars(extend("const" = REQUEST_SCHEMA))]
    pub schema: String,
    /// The caller's id of the invocation; one id, one run.
    #[serde(rename = "invocation/id")]
    #[schemars(length(min = 1, max = 256))]
    pub invocation_id: String,
    /// Who asks.
    #[schemars(length(min = 1, max = 256))]
    pub caller: String,
    /// The tool, such as `cw.evaluate`.
    #[serde(rename = "capability/id")]
    pub capability_id: String,
    /// The contract that the request is written for, as negotiated.
    #[serde(rename = "contract/digest")]
    pub contract_digest: Digest,
    /// The design that it is about.
    pub scope: DesignRef,
    /// The state of the scope that the caller knows; absent when it does not care.
    #[serde(default, rename = "scope/commitment", skip_serializing_if = "Option::is_none")]
    pub scope_commitment: Option<Digest>,
    /// The platform's activation that the caller connected to; absent when it does not care.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<String>,
    /// When the caller made the request.
    #[serde(rename = "issued-at")]
    pub issued_at: Timestamp,
    /// When starting it stops being of use.
    pub deadline: Timestamp,
    /// The tool's input.
    pub input: Value,
    /// A DSSE envelope around an [`Evidence`], signed by the caller.
    #[serde(default, rename = "caller/evidence", skip_serializing_if = "Option::is_none")]
    pub caller_evidence: Option<String>,
    /// A DSSE envelope around a [`Grant`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<String>,
}

impl Validate for InvokeRequest {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != REQUEST_SCHEMA {
            r.push(&at.field("schema"), format!("must be {REQUEST_SCHEMA}"));
        }
        r.name(&at.field("invocation/id"), &self.invocation_id, MAX_ID_BYTES);
        r.name(&at.field("caller"), &self.caller, MAX_ID_BYTES);
        r.name(&at.field("capability/id"), &self.capability_id, MAX_NAME_BYTES);
    }
}

/// What a caller signs to show that a request is its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Always [`EVIDENCE_SCHEMA`].
    #[schemars(extend("const" = EVIDENCE_SCHEMA))]
    pub schema: String,
    /// Who asks.
    pub caller: String,
    /// The invocation.
    #[serde(rename = "invocation/id")]
    pub invocation_id: String,
    /// Digest of the request.
    #[serde(rename = "request/digest")]
    pub request_digest: Digest,
}

impl Validate for Evidence {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != EVIDENCE_SCHEMA {
            r.push(&at.field("schema"), format!("must be {EVIDENCE_SCHEMA}"));
        }
        r.name(&at.field("caller"), &self.caller, MAX_ID_BYTES);
        r.name(&at.field("invocation/id"), &self.invocation_id, MAX_ID_BYTES);
    }
}

/// What a caller may do: these tools on these designs, within this budget, in this time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Always [`GRANT_SCHEMA`].
    #[schemars(extend("const" = GRANT_SCHEMA))]
    pub schema: String,
    /// Its id; budget is counted under it.
    #[schemars(length(min = 1, max = 256))]
    pub id: String,
    /// The caller that it is for.
    #[schemars(length(min = 1, max = 256))]
    pub holder: String,
    /// Tools by their names; aliases are taken too.
    pub tools: Vec<String>,
    /// Designs.
    pub designs: Vec<DesignRef>,
    /// Most that may be spent under it; absent parts are unlimited.
    #[serde(default)]
    pub budget: CostBudget,
    /// From when.
    pub not_before: Timestamp,
    /// Until when; at this moment it no longer holds.
    pub expires: Timestamp,
    /// The state of the scope that it is bound to; absent when it is to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Digest>,
}

impl Validate for Grant {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != GRANT_SCHEMA {
            r.push(&at.field("schema"), format!("must be {GRANT_SCHEMA}"));
        }
        r.name(&at.field("id"), &self.id, MAX_ID_BYTES);
        r.name(&at.field("holder"), &self.holder, MAX_ID_BYTES);
        self.budget.check(&at.field("budget"), r);
        if self.not_before >= self.expires {
            r.push(&at.field("expires"), "must be after not_before");
        }
    }
}

/// Takes a grant back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Withdrawal {
    /// Always [`WITHDRAWAL_SCHEMA`].
    #[schemars(extend("const" = WITHDRAWAL_SCHEMA))]
    pub schema: String,
    /// Id of the grant.
    #[schemars(length(min = 1, max = 256))]
    pub grant: String,
    /// True for a tombstone: the grant's id is void for good, also for a grant issued anew.
    pub tombstone: bool,
}

impl Validate for Withdrawal {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != WITHDRAWAL_SCHEMA {
            r.push(&at.field("schema"), format!("must be {WITHDRAWAL_SCHEMA}"));
        }
        r.name(&at.field("grant"), &self.grant, MAX_ID_BYTES);
    }
}
