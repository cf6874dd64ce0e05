//! Each rule of the contracts, in our own words, and the test that shows it; and what no test shows
//! yet. `cellwright conformance` prints it, and a test checks that every named test is there.

/// A rule and its test.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its id; begins with a prefix of [`TEXTS`].
    pub id: &'static str,
    /// What it asks.
    pub says: &'static str,
    /// `file::test`, from the top of the repository.
    pub test: &'static str,
}

/// Prefix of rule ids, and the text that they are of.
pub const TEXTS: [(&str, &str); 4] = [
    ("loom", "loom-result/1.1"),
    ("output", "the output contracts: journal, verdict, digests"),
    ("invoke", "package-capability-invoke-result.v1"),
    ("tool", "the tool contract: requests, results, proposals, certificates, versions"),
];

const fn rule(id: &'static str, says: &'static str, test: &'static str) -> Rule {
    Rule { id, says, test }
}

/// Every rule that a test shows.
pub const RULES: &[Rule] = &[
    rule(
        "loom-shape",
        "every invocation answers with the same members, a failure too",
        "agent-api/contract/tests/envelope.rs::every_answer_has_the_same_members",
    ),
    rule(
        "loom-unknown-fields",
        "a reader ignores fields that it does not know",
        "agent-api/contract/tests/envelope.rs::unknown_fields_are_ignored",
    ),
    rule(
        "loom-verbatim",
        "the result is the tool's own value, carried as it is",
        "tests/timer_command.rs::json_says_what_the_table_says",
    ),
    rule(
        "loom-axes",
        "whether it ran and what it shows are independent",
        "agent-api/contract/tests/envelope.rs::the_two_axes_do_not_imply_each_other",
    ),
    rule(
        "loom-verdict-derived",
        "the verdict follows from the declared field alone",
        "agent-api/contract/tests/words.rs::a_verdict_is_never_inferred",
    ),
    rule(
        "loom-unknown-cases",
        "no assertion, no success, a missing, null or mistyped field, a malformed assertion and maturity discovered are each unknown",
        "agent-api/contract/tests/envelope.rs::each_listed_case_is_unknown",
    ),
    rule(
        "loom-unknown-not-supported",
        "what the engine does not do makes the verdict unknown",
        "tests/timer_command.rs::what_is_not_supported_makes_the_verdict_unknown",
    ),
    rule(
        "loom-not-applicable",
        "a tool without any claim says not_applicable",
        "agent-api/contract/tests/envelope.rs::the_two_axes_do_not_imply_each_other",
    ),
    rule(
        "loom-assertion-named",
        "the claim is named, and null when none was declared",
        "agent-api/contract/tests/envelope.rs::the_claim_is_named_and_null_when_there_is_none",
    ),
    rule(
        "loom-error-shape",
        "a failure is an envelope with status error and a structured error",
        "tests/contracts.rs::a_failed_command_answers_in_the_envelope",
    ),
    rule(
        "loom-error-unknown",
        "an error pairs with unknown, never with fail",
        "agent-api/contract/tests/envelope.rs::an_error_is_unknown_and_never_fail",
    ),
    rule(
        "loom-input-hash",
        "input_hash covers binary, version, environment and the whole argument vector",
        "agent-api/contract/tests/envelope.rs::input_hash_covers_binary_version_environment_and_arguments",
    ),
    rule(
        "loom-input-hash-environment",
        "the command line records its declared environment in env and input_hash",
        "tests/environment.rs::the_declared_environment_is_recorded_and_hashed",
    ),
    rule(
        "loom-environment-declared",
        "every variable that a command reads is declared",
        "tests/environment.rs::every_variable_that_a_source_reads_is_declared",
    ),
    rule(
        "loom-content-hash",
        "content_hash covers what input_hash leaves out: every file read",
        "agent-api/contract/tests/envelope.rs::content_hash_covers_what_was_read",
    ),
    rule(
        "loom-limitations",
        "provenance carries the tool's limitations beside the hash, and its maturity from a closed set",
        "agent-api/contract/tests/envelope.rs::provenance_carries_maturity_and_limitations",
    ),
    rule(
        "loom-discovered",
        "at maturity discovered a verdict is suppressed to unknown",
        "agent-api/contract/tests/envelope.rs::each_listed_case_is_unknown",
    ),
    rule(
        "loom-artifact-paths",
        "paths inside the workspace are relative, others as given",
        "agent-api/contract/tests/envelope.rs::artifact_paths_are_workspace_relative",
    ),
    rule(
        "loom-validated",
        "an envelope is checked on its way out; a violation is an event and the envelope is returned",
        "agent-api/contract/tests/envelope.rs::a_violation_is_told_in_an_event_and_the_envelope_is_returned",
    ),
    rule(
        "loom-logs",
        "logs hold the events, counts by severity and distinct codes; null without events",
        "agent-api/contract/tests/envelope.rs::logs_hold_events_counts_and_codes_and_are_null_without_events",
    ),
    rule(
        "loom-events",
        "an event has five required and seven optional fields and no others",
        "agent-api/contract/tests/envelope.rs::an_event_has_these_fields_and_no_others",
    ),
    rule(
        "loom-streamed",
        "events of a long run stream as they happen, also from the command line",
        "tests/events.rs::events_of_a_long_run_stream_as_they_happen",
    ),
    rule(
        "output-14-fields",
        "an entry has exactly the 14 fields",
        "evaluator/judge/tests/journals.rs::exactly_fourteen_fields_and_the_next_seq",
    ),
    rule(
        "output-seq",
        "seq counts from 1 without a gap and commit_seq equals it; anything else is not appended",
        "evaluator/judge/tests/journals.rs::exactly_fourteen_fields_and_the_next_seq",
    ),
    rule(
        "output-append-only",
        "a journal goes on where it stopped",
        "evaluator/judge/tests/journals.rs::the_chain_goes_on_where_it_stopped",
    ),
    rule(
        "output-durable",
        "what was acknowledged survives a kill at any byte",
        "evaluator/judge/tests/journals.rs::a_kill_at_any_byte_is_survived",
    ),
    rule(
        "output-group-commit",
        "only durable entries are acknowledged",
        "evaluator/judge/tests/journals.rs::group_commit_acknowledges_only_what_is_durable",
    ),
    rule(
        "output-line-faults",
        "a line that no kill could have left is refused with its number",
        "evaluator/judge/tests/journals.rs::anything_but_a_torn_end_is_refused_with_its_line",
    ),
    rule(
        "output-wall",
        "wall clock is for people and part of no digest",
        "evaluator/judge/tests/digests.rs::wall_time_is_not_behaviour_and_everything_else_is",
    ),
    rule(
        "output-jcs",
        "digests cover canonical JSON; what has none is refused",
        "evaluator/judge/tests/digests.rs::what_has_no_canonical_form_is_refused",
    ),
    rule(
        "output-digests",
        "journal, world and run digests and repro_id are those of eval-mock",
        "evaluator/judge/tests/digests.rs::equal_to_eval_mock",
    ),
    rule(
        "output-peer",
        "eval-mock reads our journal and comes to our digests",
        "evaluator/judge/tests/python_peers.rs::eval_mock_recomputes_our_digests_from_our_file",
    ),
    rule(
        "output-delta-log",
        "a batch in the binary log is bound by its root",
        "evaluator/judge/tests/journals.rs::a_delta_log_holds_its_batches_and_nothing_else",
    ),
    rule(
        "output-status",
        "budget_exceeded over invalid over fail over pass",
        "evaluator/judge/tests/verdicts.rs::the_status_ladder_fails_closed",
    ),
    rule(
        "output-exit-codes",
        "pass 0, fail 1, invalid 2, budget exceeded 3",
        "evaluator/judge/tests/verdicts.rs::rates_and_exit_codes_of_a_set",
    ),
    rule(
        "output-set",
        "a verdict is of a set of runs, with rates",
        "evaluator/judge/tests/verdicts.rs::rates_and_exit_codes_of_a_set",
    ),
    rule(
        "output-rings",
        "a failed assertion names the earliest ring, with references",
        "evaluator/judge/tests/verdicts.rs::the_earliest_ring_wins",
    ),
    rule(
        "output-world-diff",
        "the world difference is added, removed and changed by collection",
        "evaluator/judge/tests/digests.rs::the_difference_of_two_worlds",
    ),
    rule(
        "output-diff-command",
        "cellwright diff shows what a run changed and how two runs differ",
        "tests/contracts.rs::a_run_tells_no_secret_is_checked_by_its_issuer_and_differs_from_another",
    ),
    rule(
        "output-divergence",
        "the first divergence is the first entry that differs, wall time left out",
        "evaluator/judge/tests/verdicts.rs::first_divergence_is_the_first_difference_or_the_shorter_end",
    ),
    rule(
        "output-repeats",
        "one command runs a scenario several times into one verdict with the first divergence",
        "tests/contracts.rs::repeats_come_to_one_verdict_with_the_first_divergence",
    ),
    rule(
        "output-replay-order",
        "replay answers scenario, engine, packs, trajectory, in that order",
        "evaluator/judge/tests/verdicts.rs::replay_is_refused_in_order",
    ),
    rule(
        "output-replay",
        "replay of an untouched run is VERIFIED and of each touched part is not",
        "tests/demo.rs::a_run_is_replayed_verified_and_every_tampering_refused",
    ),
    rule(
        "output-replay-issuer",
        "a run whose issuer key is missing or another one is not verified",
        "tests/contracts.rs::a_run_tells_no_secret_is_checked_by_its_issuer_and_differs_from_another",
    ),
    rule(
        "output-self-contained",
        "a run directory is checked from its own copies of everything",
        "tests/demo.rs::a_run_is_replayed_verified_and_every_tampering_refused",
    ),
    rule(
        "output-reproducible",
        "the same scenario, seed and budget give the same journal",
        "tests/demo.rs::the_same_seed_and_budget_give_the_same_run",
    ),
    rule(
        "invoke-fields",
        "the fields, their names and what is required are the schema's",
        "agent-api/contract/tests/fields.rs::invocation_results",
    ),
    rule(
        "invoke-outcomes",
        "there are six outcomes",
        "agent-api/contract/tests/fields.rs::invocation_results",
    ),
    rule(
        "invoke-codes",
        "there are eighteen refusal codes, three of them retryable",
        "agent-api/contract/tests/fields.rs::invocation_results",
    ),
    rule(
        "invoke-rule-1",
        "a diagnostic stands in a refusal alone",
        "agent-api/contract/tests/words.rs::invocation_results_keep_the_conditional_rules",
    ),
    rule(
        "invoke-rule-2",
        "a refusal has code and retryable, and no result, output, cause or request digest",
        "agent-api/contract/tests/words.rs::invocation_results_keep_the_conditional_rules",
    ),
    rule(
        "invoke-rule-3",
        "a completed result has a result status and no cause",
        "agent-api/contract/tests/words.rs::invocation_results_keep_the_conditional_rules",
    ),
    rule(
        "invoke-rule-4",
        "a retained result has its output and the digest of it",
        "agent-api/contract/tests/words.rs::invocation_results_keep_the_conditional_rules",
    ),
    rule(
        "invoke-rule-5",
        "an unknown result has a cause",
        "agent-api/contract/tests/words.rs::invocation_results_keep_the_conditional_rules",
    ),
    rule(
        "invoke-each-code",
        "every refusal code is reached",
        "evaluator/judge/tests/invocations.rs::every_refusal_code_is_reached",
    ),
    rule(
        "invoke-order",
        "checks have a fixed order and the first that fails answers",
        "evaluator/judge/tests/invocations.rs::the_first_check_that_fails_answers",
    ),
    rule(
        "invoke-nothing-before",
        "a refusal records nothing and does not use up the id",
        "evaluator/judge/tests/invocations.rs::nothing_is_recorded_before_admission",
    ),
    rule(
        "invoke-replay",
        "the same request of the same caller is answered from the record",
        "evaluator/judge/tests/invocations.rs::a_replay_is_answered_from_the_record",
    ),
    rule(
        "invoke-conflict",
        "an id used for another request is a conflict",
        "evaluator/judge/tests/invocations.rs::every_refusal_code_is_reached",
    ),
    rule(
        "invoke-started",
        "started is a read and never runs again",
        "evaluator/judge/tests/invocations.rs::started_is_a_read_and_never_runs_again",
    ),
    rule(
        "invoke-unavailable",
        "a result that is gone is unavailable",
        "evaluator/judge/tests/invocations.rs::a_replay_is_answered_from_the_record",
    ),
    rule(
        "invoke-aborted",
        "aborted stays so and needs a new id",
        "evaluator/judge/tests/invocations.rs::a_replay_is_answered_from_the_record",
    ),
    rule(
        "invoke-compensated",
        "an undone completion is compensated; unknown stays unknown",
        "evaluator/judge/tests/invocations.rs::compensated_and_unknown_stay_so",
    ),
    rule(
        "invoke-output-validated",
        "only output that keeps its contract is kept and gets a digest",
        "evaluator/judge/tests/invocations.rs::output_is_kept_only_when_it_fits_its_contract",
    ),
    rule(
        "invoke-engine-fails",
        "an engine that fails is answered, and then unavailable",
        "evaluator/judge/tests/invocations.rs::an_engine_that_fails_is_answered_and_then_unavailable",
    ),
    rule(
        "invoke-kill",
        "a kill between any two steps is settled: reads aborted, commits decided from the journal, else unknown",
        "evaluator/judge/tests/kills.rs::a_kill_between_any_two_steps_is_settled",
    ),
    rule(
        "invoke-kill-any",
        "a kill at any moment loses nothing acknowledged and runs nothing twice",
        "evaluator/judge/tests/kills.rs::a_kill_at_any_moment_loses_nothing_acknowledged",
    ),
    rule(
        "invoke-race",
        "of identical or conflicting requests at once exactly one starts",
        "evaluator/judge/tests/invocations.rs::of_many_at_once_exactly_one_starts",
    ),
    rule(
        "invoke-ledger",
        "a changed, removed or doubled line of the ledger is noticed",
        "evaluator/judge/tests/invocations.rs::a_ledger_that_was_changed_is_refused",
    ),
    rule(
        "invoke-ledger-torn",
        "a ledger cut at any byte goes on",
        "evaluator/judge/tests/invocations.rs::a_ledger_cut_at_any_byte_goes_on",
    ),
    rule(
        "invoke-grant",
        "a grant limits tools, designs and budget, expires and is taken back",
        "evaluator/judge/tests/invocations.rs::a_grant_limits_budget_and_is_taken_back",
    ),
    rule(
        "invoke-grant-signed",
        "a changed byte of a grant is a refusal",
        "evaluator/judge/tests/invocations.rs::every_changed_byte_of_a_grant_is_refused",
    ),
    rule(
        "tool-request",
        "a request has the seven shared fields, and a tool adds its own",
        "agent-api/contract/tests/fields.rs::tool_requests",
    ),
    rule(
        "tool-request-closed",
        "a request is flat and takes no unknown field",
        "agent-api/contract/tests/words.rs::a_tool_call_is_flat_and_closed",
    ),
    rule(
        "tool-result",
        "a result has value, uncertainty, coverage, provenance, warnings, elapsed_ms",
        "agent-api/contract/tests/fields.rs::tool_results",
    ),
    rule(
        "tool-timing",
        "a timing result has wns, tns, critical paths and clock domains",
        "agent-api/contract/tests/fields.rs::tool_results",
    ),
    rule(
        "tool-proposal",
        "a proposal has the fields that the text lists",
        "agent-api/contract/tests/fields.rs::proposals_and_deltas",
    ),
    rule(
        "tool-proposal-checked",
        "what is wrong with a proposal is named with its place",
        "agent-api/contract/tests/words.rs::what_is_wrong_is_named_with_its_place",
    ),
    rule(
        "tool-goals",
        "\"-5%\" means improve by 5 pct against the parent",
        "agent-api/contract/tests/words.rs::goals",
    ),
    rule(
        "tool-delta",
        "a delta has moves, resizes, net, timing and DRC changes and a summary",
        "agent-api/contract/tests/fields.rs::proposals_and_deltas",
    ),
    rule(
        "tool-refs",
        "every kind of reference has one text",
        "agent-api/contract/tests/words.rs::references_have_one_text_each",
    ),
    rule(
        "tool-grid",
        "microns off the DBU grid are refused, not rounded",
        "agent-api/contract/tests/words.rs::microns_are_refused_off_the_grid",
    ),
    rule(
        "tool-budget",
        "each cost has its limit, and consumption adds up",
        "agent-api/contract/tests/words.rs::budgets",
    ),
    rule(
        "tool-budget-zero",
        "a budget of nothing is refused, and one that is too small spends nothing",
        "tests/contracts.rs::a_budget_of_nothing_spends_nothing",
    ),
    rule(
        "tool-budget-reserve",
        "a call reserves what it asks for, or all that is left, and nothing beyond",
        "agent-api/contract/tests/words.rs::a_budget_is_used_up_and_reserved_by_its_parts",
    ),
    rule(
        "tool-work-units",
        "work units are the same at any thread count",
        "tests/contracts.rs::work_units_are_the_same_at_any_thread_count",
    ),
    rule(
        "tool-certificate",
        "a certificate has the fields that the text lists",
        "agent-api/contract/tests/fields.rs::certificates",
    ),
    rule(
        "tool-gate",
        "one failing gate fails, an unknown one makes the whole unknown",
        "agent-api/contract/tests/words.rs::one_gate_decides",
    ),
    rule(
        "tool-gate-mutants",
        "each gate rejects its mutants",
        "evaluator/judge/tests/gates.rs::every_mutant_is_rejected_by_its_gate",
    ),
    rule(
        "tool-exact",
        "incremental equals full bit for bit and undo is exact",
        "evaluator/judge/tests/gates.rs::following_equals_full_and_undo_is_exact",
    ),
    rule(
        "tool-pareto",
        "fronts are those of the definition",
        "evaluator/judge/tests/paretos.rs::incremental_fronts_are_the_definition",
    ),
    rule(
        "tool-regret",
        "hypervolume, from which regret detail comes, is the union of boxes",
        "evaluator/judge/tests/paretos.rs::hypervolume_is_the_union_of_the_boxes",
    ),
    rule(
        "tool-signed",
        "a certificate is DSSE around an in-toto statement, Ed25519",
        "evaluator/judge/tests/seals.rs::what_is_sealed_opens",
    ),
    rule(
        "tool-signed-peer",
        "securesystemslib verifies a certificate as it is",
        "evaluator/judge/tests/python_peers.rs::securesystemslib_verifies_our_envelope",
    ),
    rule(
        "tool-tamper-envelope",
        "each member of the envelope changed is refused",
        "evaluator/judge/tests/tampering.rs::each_member_of_the_envelope_changed_is_refused",
    ),
    rule(
        "tool-tamper-payload",
        "each field of the payload changed or removed breaks the signature",
        "evaluator/judge/tests/tampering.rs::each_field_of_the_payload_changed_breaks_the_signature",
    ),
    rule(
        "tool-tamper-stranger",
        "each field changed and signed by a stranger is untrusted",
        "evaluator/judge/tests/tampering.rs::each_field_changed_and_signed_by_a_stranger_is_untrusted",
    ),
    rule(
        "tool-tamper-schema",
        "each field of another type, signed by the issuer, is no certificate",
        "evaluator/judge/tests/tampering.rs::each_field_of_another_type_signed_by_the_issuer_is_no_certificate",
    ),
    rule(
        "tool-tamper-below",
        "deltas, inputs, chain and journal changed are refused, each with its outcome",
        "tests/demo.rs::a_run_is_replayed_verified_and_every_tampering_refused",
    ),
    rule(
        "tool-recomputed",
        "the checker recomputes legality, wirelength and timing and refuses false claims",
        "evaluator/checker/tests/claims.rs::true_claims_agree_and_each_false_one_is_refused",
    ),
    rule(
        "tool-keys",
        "keys are made, shown and trusted; mode 0600; never told",
        "tests/contracts.rs::keys_are_made_shown_and_trusted_and_never_told",
    ),
    rule(
        "tool-keys-unseen",
        "no file of a run holds the secret key",
        "tests/contracts.rs::a_run_tells_no_secret_is_checked_by_its_issuer_and_differs_from_another",
    ),
    rule(
        "tool-capability",
        "a capability and a descriptor have the fields that the text lists",
        "agent-api/contract/tests/fields.rs::tool_capabilities",
    ),
    rule(
        "tool-semver",
        "removal, rename and type change are MAJOR, additions MINOR, words PATCH",
        "agent-api/contract/tests/versions.rs::each_kind_of_change_asks_for_its_bump",
    ),
    rule(
        "tool-semver-guard",
        "no schema changes without its bump against the stored versions",
        "agent-api/contract/tests/versions.rs::no_schema_changes_without_its_version_bump",
    ),
    rule(
        "tool-semver-fields",
        "each published field is guarded",
        "agent-api/contract/tests/versions.rs::every_field_of_every_schema_is_guarded",
    ),
    rule(
        "tool-schemas-fresh",
        "the schema files are those of the types",
        "agent-api/contract/tests/schemas.rs::schema_files_are_fresh",
    ),
    rule(
        "tool-schemas-closed",
        "what an agent sends refuses unknown fields at every level",
        "agent-api/contract/tests/schemas.rs::what_an_agent_sends_refuses_unknown_fields_at_every_level",
    ),
    rule(
        "tool-negotiation",
        "connecting answers version and digest per tool, or names each requirement that is not met; aliases are taken",
        "agent-api/contract/tests/words.rs::negotiation_names_each_requirement_that_cannot_be_met",
    ),
    rule(
        "tool-hostile",
        "no bytes make a reader of the contract panic",
        "agent-api/contract/tests/hostile.rs::any_bytes",
    ),
];

/// A rule that no test shows yet, and what is missing.
#[derive(Debug, Clone, Copy)]
pub struct Open {
    /// Its id.
    pub id: &'static str,
    /// What it asks.
    pub says: &'static str,
    /// What is missing.
    pub missing: &'static str,
}

/// Every rule that no test shows yet.
pub const OPEN: &[Open] = &[
    Open {
        id: "tool-describe",
        says: "cellwright tools --describe gives every tool's descriptor",
        missing: "no such command yet; MCP lists its tools with their schemas",
    },
    Open {
        id: "tool-profiles",
        says: "performance profiles come from a measuring command",
        missing: "no such command yet",
    },
    Open {
        id: "output-fault-injection",
        says: "a scenario declares faults, and an entry says that one fired",
        missing: "fault_injected is always false",
    },
    Open {
        id: "output-resume",
        says: "an interrupted run is gone on with",
        missing: "the journal resumes; the loop does not",
    },
    Open {
        id: "invoke-service",
        says: "the run's own judge serves invocations through the ledger",
        missing: "the desk is a library; stdio and MCP call the judge without it",
    },
];
