//! Whether a request is admitted: fixed checks in a fixed order, the first that fails answers.
//!
//! | # | check | refusal |
//! |---|---|---|
//! | 1 | issued not too long ago and not in the future | stale-request |
//! | 2 | the design is served | out-of-scope |
//! | 3 | the tool exists | unknown-capability |
//! | 4 | the scope is in the state that the caller commits to | scope-commitment-mismatch |
//! | 5 | the tool has the contract that the caller wrote for | contract-mismatch |
//! | 6 | the caller is who it says, and a grant covers the request | caller-evidence-invalid, grant-* |
//! | 7 | the id was not used for another request | invocation-id-conflict |
//! | 8 | the input fits | invalid-input |
//! | 9 | the engine can work | provider-unavailable |
//! | 10 | room and budget; same activation; deadline not passed | capacity-exhausted, activation-stale, deadline-exceeded |

use std::collections::BTreeMap;

use cellwright_contract::budget::CostBudget;
use cellwright_contract::invocation::RefusalCode;
use cellwright_contract::invoke::{EVIDENCE_TYPE, Evidence, Grant, InvokeRequest};
use cellwright_contract::negotiate::canonical_tool;
use cellwright_contract::refs::Digest;
use cellwright_contract::time::Timestamp;
use cellwright_contract::validate::Validate;
use cellwright_contract::wire;

use super::Service;
use super::grants::{GrantBook, Standing};
use super::ledger::{Book, Record, Started};
use crate::digest::InvocationRequest;
use crate::keys::{PublicKey, TrustList};
use crate::seal;

/// What a host asks of requests.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Who may ask. A caller with a key must sign each request; one without is vouched for by the
    /// connection that it came on.
    pub callers: BTreeMap<String, Option<PublicKey>>,
    /// Grants. `None`: every caller may do everything.
    pub grants: Option<GrantBook>,
    /// Longest time between a request's making and its admission, ms.
    pub max_age_ms: i64,
    /// How far a caller's clock may be ahead, ms.
    pub skew_ms: i64,
    /// Most invocations in flight.
    pub in_flight: usize,
    /// The most that all invocations together may cost.
    pub budget: CostBudget,
}

impl Policy {
    /// A host for one caller that its connection vouches for: five minutes of age, half a minute of
    /// skew, no grants, no limits.
    #[must_use]
    pub fn local(caller: &str) -> Self {
        Policy {
            callers: BTreeMap::from([(caller.to_owned(), None)]),
            grants: None,
            max_age_ms: 300_000,
            skew_ms: 30_000,
            in_flight: 64,
            budget: CostBudget::default(),
        }
    }
}

/// Why a request was not admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The code.
    pub code: RefusalCode,
    /// What is wrong, in a sentence.
    pub message: String,
}

fn refuse(code: RefusalCode, message: impl Into<String>) -> Refusal {
    Refusal { code, message: message.into() }
}

/// What the checks before the ledger found.
pub(super) struct Checked<'a> {
    pub(super) tool: &'a str,
    pub(super) digest: Digest,
    grant: Option<Grant>,
}

/// Checks 1 to 6: they need no record.
pub(super) fn check<'a>(
    request: &'a InvokeRequest,
    policy: &Policy,
    service: &dyn Service,
    now: Timestamp,
) -> Result<Checked<'a>, Refusal> {
    use RefusalCode as Code;
    request.validate().map_err(|error| refuse(Code::InvalidInput, error.to_string()))?;
    let digest = InvocationRequest {
        capability_id: &request.capability_id,
        contract_digest: &request.contract_digest.to_string(),
        issued_at: &request.issued_at.to_string(),
        deadline: &request.deadline.to_string(),
        input: &request.input,
    };
    let digest = digest.digest().map_err(|e| refuse(Code::InvalidInput, e.to_string()))?;
    let age = now.unix_ms() - request.issued_at.unix_ms();
    if age > policy.max_age_ms || age < -policy.skew_ms || request.deadline < request.issued_at {
        let why = format!("issued {age} ms ago; at most {} ms are taken", policy.max_age_ms);
        return Err(refuse(Code::StaleRequest, why));
    }
    let scope = service.scope(&request.scope);
    let scope =
        scope.ok_or_else(|| refuse(Code::OutOfScope, format!("{} is not here", request.scope)))?;
    let name = canonical_tool(&request.capability_id);
    let tool = service
        .tool(name)
        .ok_or_else(|| refuse(Code::UnknownCapability, format!("there is no `{name}`")))?;
    if request.scope_commitment.is_some_and(|claimed| claimed != scope) {
        let why = format!("the scope is at {scope}");
        return Err(refuse(Code::ScopeCommitmentMismatch, why));
    }
    if request.contract_digest != tool.contract {
        let why = format!("the contract of `{name}` is {}", tool.contract);
        return Err(refuse(Code::ContractMismatch, why));
    }
    evidence(request, policy, &digest)?;
    let grant = match &policy.grants {
        Some(book) => Some(granted(request, book, name, &scope, now)?),
        None => None,
    };
    Ok(Checked { tool: name, digest, grant })
}

/// Check 6, first half: the caller is who it says.
fn evidence(request: &InvokeRequest, policy: &Policy, digest: &Digest) -> Result<(), Refusal> {
    let fault = |why: String| refuse(RefusalCode::CallerEvidenceInvalid, why);
    let key = policy.callers.get(&request.caller);
    let key = key.ok_or_else(|| fault(format!("`{}` is not known here", request.caller)))?;
    let Some(key) = key else { return Ok(()) };
    let envelope = request.caller_evidence.as_ref();
    let envelope = envelope.ok_or_else(|| fault("this caller signs its requests".to_owned()))?;
    let mut trust = TrustList::new();
    trust.add(key).map_err(fault)?;
    let opened =
        seal::open_bytes(envelope.as_bytes(), EVIDENCE_TYPE, &trust, seal::Policy::default());
    let opened = opened.map_err(|error| fault(error.to_string()))?;
    let found: Evidence = wire::parse(&opened.payload).map_err(|error| fault(error.to_string()))?;
    let fits = found.caller == request.caller
        && found.invocation_id == request.invocation_id
        && found.request_digest == *digest;
    if fits { Ok(()) } else { Err(fault("it is for another request".to_owned())) }
}

/// Check 6, second half: a grant covers the request.
fn granted(
    request: &InvokeRequest,
    book: &GrantBook,
    tool: &str,
    scope: &Digest,
    now: Timestamp,
) -> Result<Grant, Refusal> {
    use RefusalCode as Code;
    let envelope = request.grant.as_ref();
    let envelope =
        envelope.ok_or_else(|| refuse(Code::GrantMissing, "the request names no grant"))?;
    let grant = book.open(envelope).map_err(|e| refuse(Code::GrantInvalid, e.to_string()))?;
    let standing = book.standing(&grant.id);
    if standing == Standing::Withdrawn || now < grant.not_before || now >= grant.expires {
        let why = match standing {
            Standing::Withdrawn => "it was withdrawn".to_owned(),
            _ => format!("it holds from {} until {}", grant.not_before, grant.expires),
        };
        return Err(refuse(Code::GrantRevokedOrExpired, why));
    }
    if grant.holder != request.caller {
        return Err(refuse(Code::GrantHolderMismatch, format!("it is for `{}`", grant.holder)));
    }
    if grant.binding.is_some_and(|bound| bound != *scope) {
        return Err(refuse(Code::GrantBindingStale, format!("the scope is at {scope}")));
    }
    if standing == Standing::Void {
        return Err(refuse(Code::GrantVoidedByTombstone, "its id is void for good"));
    }
    let covers = grant.tools.iter().any(|granted| canonical_tool(granted) == tool)
        && grant.designs.contains(&request.scope);
    if !covers {
        let why = format!("it does not cover `{tool}` on {}", request.scope);
        return Err(refuse(Code::GrantMissing, why));
    }
    Ok(grant)
}

/// What keeps a request from being started.
pub(super) enum Halt {
    /// It was not admitted.
    Refused(Refusal),
    /// It was admitted before; this is its record.
    Replayed(Box<Record>),
}

impl From<Refusal> for Halt {
    fn from(refusal: Refusal) -> Self {
        Halt::Refused(refusal)
    }
}

/// Checks 7 to 10, while no other process decides.
pub(super) fn admit(
    book: &Book,
    checked: &Checked<'_>,
    request: &InvokeRequest,
    policy: &Policy,
    service: &dyn Service,
    broken: bool,
    now: Timestamp,
) -> Result<Started, Halt> {
    use RefusalCode as Code;
    if let Some(record) = book.get(&request.caller, &request.invocation_id) {
        if record.started.request != checked.digest {
            let why = "this id was used for another request; take a new one";
            return Err(refuse(Code::InvocationIdConflict, why).into());
        }
        return Err(Halt::Replayed(Box::new(record.clone())));
    }
    let asked = match request.input.get("budget") {
        None => CostBudget::default(),
        Some(value) => serde_json::from_value(value.clone())
            .map_err(|error| refuse(Code::InvalidInput, format!("budget: {error}")))?,
    };
    let input = service.check_input(checked.tool, &request.input);
    input.map_err(|why| refuse(Code::InvalidInput, why))?;
    let ready = service.ready(checked.tool);
    ready.map_err(|why| refuse(Code::ProviderUnavailable, why))?;
    if broken {
        let why = "the engine failed before; start the platform anew";
        return Err(refuse(Code::ProviderUnavailable, why).into());
    }

    let busy = book.open().count();
    if busy >= policy.in_flight {
        let why = format!("{busy} invocations are in flight, at most {}", policy.in_flight);
        return Err(refuse(Code::CapacityExhausted, why).into());
    }
    let mut reserved = asked;
    let grant = checked.grant.as_ref();
    let accounts = [
        (policy.budget, book.spent(None)),
        grant.map_or_else(Default::default, |grant| (grant.budget, book.spent(Some(&grant.id)))),
    ];
    for (limit, spent) in accounts {
        reserved = limit.reserve(&spent, &reserved).map_err(|kind| {
            refuse(Code::CapacityExhausted, format!("not enough {kind:?} is left"))
        })?;
    }
    if let Some(named) = &request.activation
        && named != service.activation()
    {
        let why = "the platform was started anew; connect again".to_owned();
        return Err(refuse(Code::ActivationStale, why).into());
    }
    if now >= request.deadline {
        let why = format!("the deadline was {}", request.deadline);
        return Err(refuse(Code::DeadlineExceeded, why).into());
    }
    Ok(Started {
        caller: request.caller.clone(),
        invocation: request.invocation_id.clone(),
        request: checked.digest,
        tool: checked.tool.to_owned(),
        grant: grant.map(|grant| grant.id.clone()),
        reserved,
        owner: String::new(),
    })
}
