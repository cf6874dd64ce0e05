//! The loop over one scenario, its run directory, and its replay.
//!
//! A run directory holds all that is needed to check the run elsewhere:
//!
//! | file | what |
//! |---|---|
//! | `manifest.json` | what the run was made from |
//! | `scenario.json` | the scenario |
//! | `design/` | the bundle with copies of its files |
//! | `journal.jsonl` | one entry a proposal |
//! | `deltas.bin` | what each proposal changed, in canonical bytes |
//! | `certificates/` | one DSSE envelope a child that passed |
//! | `issuer.pub` | the key that the certificates are signed with |
//! | `subject.json` | who proposed |
//! | `verdict.json` | how it ended |

mod folder;
mod record;
mod replay;
mod session;

pub use folder::{FolderError, RunFolder, copy_bundle};
pub use record::{Outcome, Reply, proposal_of_delta};
pub use replay::{ReplayError, replay};
pub use session::{Limits, Note, Observer, Plan, RunError, StopReason, Summary, run};
