//! From a tool's answer to what goes over the wire: the envelope, once as structured content and
//! once as text, never longer than a model can read.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use cellwright_contract::capability::Assertion;
use cellwright_contract::envelope::{
    ENVELOPE_SCHEMA, Engineering, Envelope, EnvelopeError, EnvelopeProvenance, Logs, RunState,
    Verdict, content_hash, input_hash, verdict,
};
use cellwright_contract::event::{Event, Severity};
use cellwright_contract::gate::Maturity;
use cellwright_contract::platform::PlatformError;
use cellwright_contract::result::ToolResult;
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Value, json};

/// Most bytes of an envelope. A token of JSON is three bytes and more, so this stays well below
/// 25,000 tokens.
pub(crate) const MAX_REPLY: usize = 60_000;

/// Why a tool did not do its work: a code for programs, a message that says what would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fail {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Fail {
    pub(crate) fn invalid(message: impl Into<String>) -> Fail {
        Fail { code: "invalid_input", message: message.into() }
    }
    pub(crate) fn not_found(message: impl Into<String>) -> Fail {
        Fail { code: "not_found", message: message.into() }
    }
    pub(crate) fn cancelled() -> Fail {
        Fail { code: "cancelled", message: "cancelled; nothing was changed".to_owned() }
    }
}

impl From<PlatformError> for Fail {
    fn from(error: PlatformError) -> Fail {
        let (code, message) = match error {
            PlatformError::NotFound(text) => ("not_found", text),
            PlatformError::Stale(text) => ("stale", text),
            PlatformError::Invalid(text) => ("invalid_input", text),
            PlatformError::Budget(text) => ("budget_exceeded", text),
            PlatformError::Unsupported(text) => ("unsupported", text),
            PlatformError::Internal(text) => ("internal", text),
        };
        Fail { code, message }
    }
}

/// A resource that holds what a reply only points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) mime: &'static str,
    pub(crate) size: Option<u64>,
}

/// A tool's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    pub(crate) warnings: Vec<String>,
    pub(crate) limitations: Vec<String>,
    /// The claim that a field of the value decides.
    pub(crate) claim: Option<Assertion>,
    pub(crate) links: Vec<Link>,
    pub(crate) png: Option<Vec<u8>>,
    pub(crate) files: BTreeMap<String, [u8; 32]>,
}

impl Answer {
    pub(crate) fn of(value: Value) -> Answer {
        Answer { value, ..Answer::default() }
    }
    /// The claim holds when `field` of the value is `pass_when`; a null field leaves it unknown.
    pub(crate) fn claims(mut self, id: &str, field: &str, pass_when: Value) -> Answer {
        let field = format!("value.{field}");
        self.claim = Some(Assertion { id: id.to_owned(), field, pass_when });
        self
    }
    pub(crate) fn link(mut self, link: Link) -> Answer {
        self.links.push(link);
        self
    }
    pub(crate) fn warn(mut self, text: impl Into<String>) -> Answer {
        self.warnings.push(text.into());
        self
    }
}

/// Keeps what was too long for a reply, under an address of its own.
pub(crate) trait Shelf {
    /// Keeps a value and says where.
    fn keep(&self, value: &Value) -> Link;
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

fn envelope(tool: &str, arguments: &Value, began: Instant, status: RunState) -> Envelope {
    let version = env!("CARGO_PKG_VERSION");
    let env = BTreeMap::new();
    let elapsed = began.elapsed().as_millis() as u64;
    let text = arguments.to_string();
    Envelope {
        schema: ENVELOPE_SCHEMA.to_owned(),
        tool: tool.to_owned(),
        tool_version: version.to_owned(),
        status,
        engineering: verdict(status, None, Maturity::WorkflowValidated, &Value::Null),
        input_hash: input_hash("cellwright mcp", version, &env, &[tool.to_owned(), text]),
        result: Value::Null,
        artifacts: Vec::new(),
        error: None,
        logs: None,
        provenance: EnvelopeProvenance {
            cmd: vec!["cellwright".to_owned(), "mcp".to_owned(), tool.to_owned()],
            duration_ms: elapsed,
            env,
            maturity: Maturity::WorkflowValidated,
            limitations: Vec::new(),
            content_hash: None,
        },
    }
}

/// The envelope of an answer or a failure.
fn enveloped(
    tool: &str,
    arguments: &Value,
    began: Instant,
    outcome: &Result<Answer, Fail>,
) -> Envelope {
    match outcome {
        Ok(answer) => {
            let mut envelope = envelope(tool, arguments, began, RunState::Ok);
            let result = ToolResult {
                value: answer.value.clone(),
                uncertainty: None,
                coverage: None,
                provenance: None,
                warnings: answer.warnings.clone(),
                elapsed_ms: envelope.provenance.duration_ms,
            };
            let events = answer.warnings.iter().map(|text| {
                Event::new(tool, Severity::Warn, now_ms(), text.clone()).with_code("CW-WARNING")
            });
            envelope.logs = Logs::of(events.collect());
            envelope.result = serde_json::to_value(result).unwrap_or_default();
            envelope.engineering = match &answer.claim {
                Some(claim) => verdict(
                    RunState::Ok,
                    Some(claim),
                    Maturity::WorkflowValidated,
                    &envelope.result,
                ),
                None => Engineering {
                    status: Verdict::NotApplicable,
                    assertion: None,
                    summary: "the call establishes no claim about the design".to_owned(),
                },
            };
            envelope.provenance.limitations.clone_from(&answer.limitations);
            envelope.provenance.content_hash = content_hash(&answer.files);
            envelope.finish(now_ms())
        }
        Err(fail) => {
            let mut envelope = envelope(tool, arguments, began, RunState::Error);
            envelope.error = Some(EnvelopeError {
                code: fail.code.to_owned(),
                message: shorten(&fail.message, 4000),
                exit_code: None,
                stderr_tail: None,
            });
            envelope.finish(now_ms())
        }
    }
}

/// A text cut at a character border, with what was left out told.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… ({} bytes more)", &text[..end], text.len() - end)
}

fn resource(link: &Link) -> Resource {
    let mut resource = Resource::new(link.uri.clone(), link.name.clone());
    resource.mime_type = Some(link.mime.to_owned());
    resource.size = link.size;
    resource
}

/// What goes over the wire. A reply that is too long is kept on the shelf whole, and goes out with
/// its longest lists cut.
pub(crate) fn reply(
    tool: &str,
    arguments: &Value,
    began: Instant,
    mut outcome: Result<Answer, Fail>,
    shelf: &dyn Shelf,
) -> CallToolResult {
    let mut text = serde_json::to_value(enveloped(tool, arguments, began, &outcome))
        .unwrap_or_else(|error| json!({"status": "error", "error": {"code": "internal", "message": error.to_string()}}));
    if text.to_string().len() > MAX_REPLY {
        if let Ok(answer) = &mut outcome {
            let link = shelf.keep(&answer.value);
            answer.warnings.push(format!(
                "the reply was too long; lists are cut, the whole is the resource {}",
                link.uri
            ));
            answer.links.push(link);
            let mut most = 64;
            loop {
                cut(&mut answer.value, most);
                if answer.value.to_string().len() <= MAX_REPLY - 8000 || most == 0 {
                    break;
                }
                most /= 2;
            }
            if answer.value.to_string().len() > MAX_REPLY - 8000 {
                answer.value = json!({ "cut": true });
            }
        }
        text =
            serde_json::to_value(enveloped(tool, arguments, began, &outcome)).unwrap_or_default();
    }
    let mut content = vec![ContentBlock::text(text.to_string())];
    if let Ok(answer) = &outcome {
        if let Some(png) = &answer.png {
            let data = base64::engine::general_purpose::STANDARD.encode(png);
            content.push(ContentBlock::image(data, "image/png"));
        }
        content.extend(answer.links.iter().map(|link| ContentBlock::resource_link(resource(link))));
    }
    let mut result = match &outcome {
        Ok(_) => CallToolResult::success(content),
        Err(_) => CallToolResult::error(content),
    };
    result.structured_content = Some(text);
    result
}

/// Cuts every list and text inside a value.
fn cut(value: &mut Value, most: usize) {
    match value {
        Value::Array(list) => {
            list.truncate(most);
            list.iter_mut().for_each(|item| cut(item, most));
        }
        Value::Object(map) => map.iter_mut().for_each(|(_, item)| cut(item, most)),
        Value::String(text) if text.len() > 400 => *text = shorten(text, 200),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    struct Nowhere;
    impl Shelf for Nowhere {
        fn keep(&self, value: &Value) -> Link {
            let size = Some(value.to_string().len() as u64);
            Link {
                uri: "cellwright://x".to_owned(),
                name: "x".to_owned(),
                mime: "application/json",
                size,
            }
        }
    }

    #[test]
    fn no_reply_is_too_long_whatever_the_answer() {
        let deep = (0..3000).fold(json!("x"), |inner, _| json!([inner]));
        let _ = deep;
        for value in [
            json!((0..100_000).collect::<Vec<_>>()),
            json!({"a": "y".repeat(1 << 20)}),
            json!(
                (0..500)
                    .map(|i| (format!("key{i}"), json!((0..500).collect::<Vec<_>>())))
                    .collect::<serde_json::Map<_, _>>()
            ),
            json!(
                (0..50_000)
                    .map(|i| (format!("key{i}"), json!(i)))
                    .collect::<serde_json::Map<_, _>>()
            ),
        ] {
            let sent = reply("cw.db", &json!({}), Instant::now(), Ok(Answer::of(value)), &Nowhere);
            let text = sent.structured_content.unwrap();
            assert!(text.to_string().len() <= MAX_REPLY);
            let envelope: Envelope = serde_json::from_value(text).unwrap();
            assert_eq!(envelope.status, RunState::Ok);
            assert!(sent.content.iter().any(|block| block.as_resource_link().is_some()));
        }
        let fail = Err(Fail::invalid("ä".repeat(1 << 20)));
        let sent = reply("cw.db", &json!({}), Instant::now(), fail, &Nowhere);
        assert_eq!(sent.is_error, Some(true));
        assert!(sent.structured_content.unwrap().to_string().len() <= MAX_REPLY);
    }
}
