//! How a program is kept in bounds: `prlimit` and `unshare` of util-linux around it, where the
//! machine has them and allows them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::limits::Limits;

/// What holds on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confinement {
    /// The words before the program that take the network away and give it a process namespace of
    /// its own, whose end is the end of all in it.
    isolate: Option<Vec<&'static str>>,
    /// The same with the network left.
    namespace: Option<Vec<&'static str>>,
    /// Whether `prlimit` is there.
    prlimit: bool,
}

impl Confinement {
    /// What a program under these limits is not kept from, in words; empty when all holds.
    #[must_use]
    pub fn gaps(&self, limits: &Limits) -> Vec<String> {
        let mut gaps = Vec::new();
        if !limits.network && self.isolate.is_none() {
            gaps.push(
                "the agent has the network: this machine allows no namespaces (or has no `unshare`)"
                    .to_owned(),
            );
        }
        if !self.prlimit && limits.cpu_seconds.is_some() {
            gaps.push(
                "the agent's processor time is not limited: there is no `prlimit`".to_owned(),
            );
        }
        if !Path::new("/proc/self/stat").exists() {
            gaps.push(
                "the agent's memory is not limited and its daemons may stay: there is no /proc"
                    .to_owned(),
            );
        }
        gaps
    }

    /// The words that start a program.
    pub(crate) fn wrap(&self, limits: &Limits, words: &[OsString]) -> Vec<OsString> {
        let mut all: Vec<OsString> = Vec::new();
        if self.prlimit {
            all.push("prlimit".into());
            all.push("--core=0".into());
            // Private writable memory; address space that is only reserved stays free.
            all.push(format!("--data={}", limits.memory).into());
            if let Some(seconds) = limits.cpu_seconds {
                all.push(format!("--cpu={seconds}").into());
            }
            all.push("--".into());
        }
        let isolate = if limits.network { &self.namespace } else { &self.isolate };
        if let Some(isolate) = isolate {
            all.extend(isolate.iter().map(OsString::from));
            all.push("--".into());
        }
        all.extend(words.iter().cloned());
        all
    }
}

/// Looks once what the machine allows.
#[must_use]
pub fn confinement() -> &'static Confinement {
    static FOUND: OnceLock<Confinement> = OnceLock::new();
    FOUND.get_or_init(|| {
        let works = |words: &[&str]| {
            let Some((program, rest)) = words.split_first() else { return false };
            let mut command = Command::new(program);
            command.args(rest).args(["--", "true"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let first = |candidates: &[&[&'static str]]| {
            candidates.iter().find(|words| works(words)).map(|words| words.to_vec())
        };
        Confinement {
            isolate: first(&[
                &[
                    "unshare",
                    "--user",
                    "--map-current-user",
                    "--net",
                    "--pid",
                    "--fork",
                    "--kill-child",
                ],
                &["unshare", "--net", "--pid", "--fork", "--kill-child"],
                &["unshare", "--user", "--map-current-user", "--net"],
            ]),
            namespace: first(&[
                &["unshare", "--user", "--map-current-user", "--pid", "--fork", "--kill-child"],
                &["unshare", "--pid", "--fork", "--kill-child"],
            ]),
            prlimit: works(&["prlimit", "--core=0"]),
        }
    })
}

/// Finds a program as a shell would.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let runs = |path: &Path| {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        let path = PathBuf::from(program);
        return runs(&path).then_some(path);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| runs(path))
}
