//! An agent in another process: any program that reads and writes JSON, one message a line.
//!
//! [`ProcessAgent`] starts the program and is an [`Agent`](cellwright_contract::agent::Agent) to the
//! loop. The program sees what every agent sees, the contract's
//! [`View`](cellwright_contract::platform::View); the messages are in [`message`], their JSON Schema
//! in `agent-api/stdio/schema.json`.
//!
//! The program is hostile until shown otherwise: it runs under [`Limits`], without network and in
//! a process namespace of its own where the machine allows it ([`Confinement`] says what holds),
//! and whatever it does ends in a message to it or in a [`Fault`], never in a run that hangs.

mod agent;
mod call;
mod confine;
mod family;
mod fault;
mod limits;
mod link;
pub mod message;

pub use agent::ProcessAgent;
pub use call::{Call, answer};
pub use confine::{Confinement, confinement};
pub use fault::Fault;
pub use limits::Limits;

/// The JSON Schema of both directions, draft 2020-12.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut generator = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let (from, to) = (
        generator.subschema_for::<message::FromAgent>(),
        generator.subschema_for::<message::ToAgent>(),
    );
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:cellwright:schema:{}", message::PROTOCOL),
        "title": "One line of cellwright-agent/1, in either direction",
        "anyOf": [from, to],
        "$defs": generator.take_definitions(true),
    })
}
