//! `package-capability-invoke-result.v1`: the answer to one invocation.
//!
//! `refused` happens before admission and records nothing. Every other outcome is the journal's
//! record. `started` is a read of an invocation in flight, never permission to run it again.

use crate::limits::MAX_ID_BYTES;
use crate::refs::Digest;
use crate::validate::{At, Report, Validate};
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

/// `schema` of an [`InvokeResult`].
pub const INVOKE_SCHEMA: &str = "package-capability-invoke-result.v1";

/// How an invocation ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Not admitted; nothing was recorded.
    Refused,
    /// In flight.
    Started,
    /// Done; the result was recorded.
    Completed,
    /// Ended without effect; needs a new id.
    Aborted,
    /// Its effect was undone.
    Compensated,
    /// Nothing can be said of its effect.
    Unknown,
}

macro_rules! codes {
    ($($variant:ident $code:literal $doc:literal,)+) => {
        /// Why an invocation was refused.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum RefusalCode {
            $(#[doc = $doc] #[serde(rename = $code)] $variant,)+
        }

        impl RefusalCode {
            /// Every code, in the order of the published schema.
            pub const ALL: &'static [RefusalCode] = &[$(RefusalCode::$variant,)+];

            /// The written code.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(RefusalCode::$variant => $code,)+
                }
            }
        }
    };
}

codes! {
    StaleRequest "package-capability/stale-request" "Outside its time window.",
    OutOfScope "package-capability/out-of-scope" "Outside the scope of this platform.",
    UnknownCapability "package-capability/unknown-capability" "No such tool.",
    ScopeCommitmentMismatch "package-capability/scope-commitment-mismatch" "Commits to another scope.",
    ContractMismatch "package-capability/contract-mismatch" "Written for another contract.",
    CallerEvidenceInvalid "package-capability/caller-evidence-invalid" "The caller is not shown to be who it says.",
    GrantMissing "package-capability/grant-missing" "No grant covers it.",
    GrantInvalid "package-capability/grant-invalid" "The grant is malformed or wrongly signed.",
    GrantRevokedOrExpired "package-capability/grant-revoked-or-expired" "The grant no longer holds.",
    GrantHolderMismatch "package-capability/grant-holder-mismatch" "The grant is another caller's.",
    GrantBindingStale "package-capability/grant-binding-stale" "The grant is bound to an older state.",
    GrantVoidedByTombstone "package-capability/grant-voided-by-tombstone" "The grant was voided for good.",
    InvocationIdConflict "package-capability/invocation-id-conflict" "The id was used for another request.",
    InvalidInput "package-capability/invalid-input" "The input does not fit, or its parent snapshot is unknown or stale.",
    ActivationStale "package-capability/activation-stale" "The platform changed since the request was made.",
    ProviderUnavailable "package-capability/provider-unavailable" "The engine is not ready.",
    CapacityExhausted "package-capability/capacity-exhausted" "No budget is left now.",
    DeadlineExceeded "package-capability/deadline-exceeded" "The deadline passed before it could start.",
}

impl RefusalCode {
    /// True when the same request may succeed later.
    #[must_use]
    pub fn retryable(self) -> bool {
        matches!(
            self,
            RefusalCode::ProviderUnavailable
                | RefusalCode::CapacityExhausted
                | RefusalCode::DeadlineExceeded
        )
    }
}

/// Whether a completed invocation's result is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResultStatus {
    /// It is; `output` holds it.
    Retained,
    /// It is not.
    Unavailable,
}

/// Why an invocation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It started and no outcome was recorded.
    NoOutcome,
    /// Its output did not fit its contract.
    OutputContractViolation,
    /// What it left is not yet disposed of.
    PendingDisposal,
}

/// The answer to one invocation. Build it with the functions named like the outcomes; they keep
/// the rules between the fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = conditional_rules)]
pub struct InvokeResult {
    /// Always [`INVOKE_SCHEMA`].
    #[schemars(extend("const" = INVOKE_SCHEMA))]
    pub schema: String,
    /// Always 1.
    #[serde(rename = "schema/v")]
    #[schemars(extend("const" = 1))]
    pub schema_v: u32,
    /// The caller's id of the invocation.
    #[serde(rename = "invocation/id")]
    #[schemars(length(min = 1, max = 256))]
    pub invocation_id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What the host can say about a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<Map<String, Value>>,
    /// Why it was refused.
    #[serde(default, rename = "refusal/code", skip_serializing_if = "Option::is_none")]
    pub refusal_code: Option<RefusalCode>,
    /// Whether the same request may succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// SHA-256 of the canonical request.
    #[serde(default, rename = "request/digest", skip_serializing_if = "Option::is_none")]
    pub request_digest: Option<Digest>,
    /// Whether the result is still there.
    #[serde(default, rename = "result/status", skip_serializing_if = "Option::is_none")]
    pub result_status: Option<ResultStatus>,
    /// The result; may be null, which is not the same as absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Digest of the result; only for a result that the host validated.
    #[serde(default, rename = "output/digest", skip_serializing_if = "Option::is_none")]
    pub output_digest: Option<Digest>,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// Keeps a null that is written apart from a field that is absent.
fn present<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(d).map(Some)
}

impl InvokeResult {
    fn new(id: impl Into<String>, outcome: Outcome) -> Self {
        InvokeResult {
            schema: INVOKE_SCHEMA.into(),
            schema_v: 1,
            invocation_id: id.into(),
            outcome,
            diagnostic: None,
            refusal_code: None,
            retryable: None,
            request_digest: None,
            result_status: None,
            output: None,
            output_digest: None,
            cause: None,
        }
    }

    /// Not admitted. `retryable` follows from the code.
    #[must_use]
    pub fn refused(id: impl Into<String>, code: RefusalCode, message: Option<&str>) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Refused);
        out.refusal_code = Some(code);
        out.retryable = Some(code.retryable());
        out.diagnostic = message.map(|m| {
            let mut map = Map::new();
            map.insert("message".into(), m.into());
            map
        });
        out
    }

    /// In flight.
    #[must_use]
    pub fn started(id: impl Into<String>, request: Digest) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Started);
        out.request_digest = Some(request);
        out
    }

    /// Done, with a result that the host validated and its digest.
    #[must_use]
    pub fn completed(
        id: impl Into<String>,
        request: Digest,
        output: Value,
        digest: Digest,
    ) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Completed);
        out.request_digest = Some(request);
        out.result_status = Some(ResultStatus::Retained);
        out.output = Some(output);
        out.output_digest = Some(digest);
        out
    }

    /// Done, but the result is no longer there.
    #[must_use]
    pub fn completed_unavailable(id: impl Into<String>, request: Digest) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Completed);
        out.request_digest = Some(request);
        out.result_status = Some(ResultStatus::Unavailable);
        out
    }

    /// Ended without effect.
    #[must_use]
    pub fn aborted(id: impl Into<String>, request: Digest, cause: Cause) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Aborted);
        out.request_digest = Some(request);
        out.cause = Some(cause);
        out
    }

    /// Its effect was undone.
    #[must_use]
    pub fn compensated(id: impl Into<String>, request: Digest) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Compensated);
        out.request_digest = Some(request);
        out
    }

    /// Nothing can be said of its effect.
    #[must_use]
    pub fn unknown(id: impl Into<String>, request: Digest, cause: Cause) -> Self {
        let mut out = InvokeResult::new(id, Outcome::Unknown);
        out.request_digest = Some(request);
        out.cause = Some(cause);
        out
    }
}

impl Validate for InvokeResult {
    fn check(&self, at: &At<'_>, r: &mut Report) {
        if self.schema != INVOKE_SCHEMA {
            r.push(&at.field("schema"), format!("must be {INVOKE_SCHEMA}"));
        }
        if self.schema_v != 1 {
            r.push(&at.field("schema/v"), "must be 1");
        }
        r.name(&at.field("invocation/id"), &self.invocation_id, MAX_ID_BYTES);
        let present = [
            ("result/status", self.result_status.is_some()),
            ("output", self.output.is_some()),
            ("output/digest", self.output_digest.is_some()),
            ("cause", self.cause.is_some()),
            ("request/digest", self.request_digest.is_some()),
        ];
        if self.outcome == Outcome::Refused {
            for (name, there) in present {
                if there {
                    r.push(&at.field(name), "must be absent from a refusal");
                }
            }
            let needs = [
                ("refusal/code", self.refusal_code.is_some()),
                ("retryable", self.retryable.is_some()),
            ];
            for (name, there) in needs {
                if !there {
                    r.push(&at.field(name), "must stand in a refusal");
                }
            }
        } else if self.diagnostic.is_some() {
            r.push(&at.field("diagnostic"), "only a refusal has one");
        }
        if let (Some(code), Some(retryable)) = (self.refusal_code, self.retryable)
            && retryable != code.retryable()
        {
            r.push(&at.field("retryable"), format!("must be {} for this code", code.retryable()));
        }
        if self.outcome == Outcome::Completed {
            if self.result_status.is_none() {
                r.push(&at.field("result/status"), "must stand in a completed result");
            }
            if self.cause.is_some() {
                r.push(&at.field("cause"), "must be absent from a completed result");
            }
        }
        if self.result_status == Some(ResultStatus::Retained) {
            for (name, there) in
                [("output", self.output.is_some()), ("output/digest", self.output_digest.is_some())]
            {
                if !there {
                    r.push(&at.field(name), "must stand with a retained result");
                }
            }
        }
        if self.outcome == Outcome::Unknown && self.cause.is_none() {
            r.push(&at.field("cause"), "must stand in an unknown result");
        }
    }
}

/// The conditional rules of the published schema, rule by rule.
fn conditional_rules(schema: &mut Schema) {
    let when = |field: &str, value: &str| json!({"properties": {field: {"const": value}}, "required": [field]});
    let absent = |fields: &[&str]| -> Value {
        let any: Vec<Value> = fields.iter().map(|f| json!({"required": [f]})).collect();
        json!([{"not": {"anyOf": any}}])
    };
    let rules = json!([
        {
            "if": {"required": ["diagnostic"]},
            "then": when("outcome", "refused"),
        },
        {
            "if": when("outcome", "refused"),
            "then": {
                "required": ["refusal/code", "retryable"],
                "allOf": absent(&[
                    "result/status", "output", "output/digest", "cause", "request/digest",
                ]),
            },
        },
        {
            "if": when("outcome", "completed"),
            "then": {"required": ["result/status"], "allOf": absent(&["cause"])},
        },
        {
            "if": when("result/status", "retained"),
            "then": {"required": ["output", "output/digest"]},
        },
        {
            "if": when("outcome", "unknown"),
            "then": {"required": ["cause"]},
        },
    ]);
    schema.insert("allOf".into(), rules);
}
