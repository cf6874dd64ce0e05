//! Verifies a certificate offline, in the order of the contract.

use std::path::{Path, PathBuf};

use cellwright_checker::timing::{
    Calculator as PlainCalculator, CornerSetting, PerMicron, Setting, Wires,
};
use cellwright_checker::{CheckReport, Outcome, Subject, apply_chain};
use cellwright_contract::certificate::{Certificate, Statement};
use cellwright_contract::metric::MetricValue;
use cellwright_db::{Delta, Design};
use cellwright_judge::certify::delta_digest;
use cellwright_judge::journal::DeltaLogReader;
use cellwright_judge::keys::TrustList;
use cellwright_judge::run::RunFolder;
use cellwright_judge::seal::{Policy, SealError, open};
use cellwright_sta::Calculator;
use cellwright_sta::parasitics::Parasitics;

use crate::failure::Failure;
use crate::setup::{Ready, ready};

/// Exit codes, one an outcome.
pub mod code {
    /// The signature does not hold.
    pub const SIGNATURE: u8 = 20;
    /// Signed with a key that is not trusted.
    pub const UNTRUSTED: u8 = 21;
    /// Not the schema of a certificate.
    pub const SCHEMA: u8 = 22;
    /// An input file is not the one certified.
    pub const INPUTS: u8 = 23;
    /// The deltas do not lead to the certified snapshots.
    pub const DELTA: u8 = 24;
    /// Recomputed figures differ.
    pub const PHYSICS: u8 = 25;
    /// The chain to the base snapshot is broken.
    pub const CHAIN: u8 = 26;
    /// Nothing disagrees, but not everything was recomputed.
    pub const INCOMPLETE: u8 = 27;
}

/// What is to be verified, and with whose trust.
#[derive(Debug)]
pub struct Request<'a> {
    /// The certificate: a DSSE envelope in a run directory.
    pub certificate: &'a Path,
    /// Keys that are trusted.
    pub trust: TrustList,
    /// Run directory, when the certificate does not lie in one.
    pub run: Option<PathBuf>,
    /// The design, when it is not the copy in the run directory.
    pub design: Option<PathBuf>,
}

/// What was found so far.
#[derive(Debug)]
pub enum Step<'a> {
    /// A check that held, or what is left open, in a sentence.
    Told(String),
    /// Certified figures against recomputed ones.
    Figures(&'a CheckReport),
}

fn read(path: &Path, trust: &TrustList) -> Result<Statement, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
    let opened = open(&bytes, trust, Policy::default());
    opened.map(|(statement, _)| statement).map_err(|error| {
        let text = format!("{}: {error}", path.display());
        match error {
            SealError::Untrusted(_) => Failure::with(
                code::UNTRUSTED,
                format!("UNTRUSTED_KEY {text}; name the issuer's public key with --trust"),
            ),
            SealError::Statement(_) | SealError::Payload(_) => {
                Failure::with(code::SCHEMA, format!("SCHEMA_INVALID {text}"))
            }
            _ => Failure::with(code::SIGNATURE, format!("SIGNATURE_INVALID {text}")),
        }
    })
}

/// The deltas of a run up to and with the one that the certificate names.
fn deltas(folder: &RunFolder, statement: &Statement) -> Result<Vec<Delta>, Failure> {
    let refuse = |text: String| Failure::with(code::DELTA, format!("DELTA_MISMATCH {text}"));
    let path = folder.deltas();
    let mut log = DeltaLogReader::open(&path).map_err(|error| refuse(error.to_string()))?;
    let wanted = subject(statement, "delta")?;
    let mut list = Vec::new();
    while let Some(bytes) = log.next_record().map_err(|error| refuse(error.to_string()))? {
        let delta = Delta::from_canonical_bytes(&bytes)
            .map_err(|error| refuse(format!("{}: {error}", path.display())))?;
        let found = delta_digest(&delta) == wanted;
        list.push(delta);
        if found {
            return Ok(list);
        }
    }
    Err(refuse(format!("{} does not hold the delta that the certificate names", path.display())))
}

fn subject(
    statement: &Statement,
    name: &str,
) -> Result<cellwright_contract::certificate::DigestSet, Failure> {
    let found = statement.subject.iter().find(|subject| subject.name == name);
    found.map(|subject| subject.digest).ok_or_else(|| {
        Failure::with(
            code::SCHEMA,
            format!("SCHEMA_INVALID the certificate has no subject `{name}`"),
        )
    })
}

fn inputs(certificate: &Certificate, ready: &Ready) -> Result<(), Failure> {
    for input in &certificate.inputs {
        let name = Path::new(&input.name);
        let same = |file: &&cellwright_formats::load::FileRead| {
            file.path.file_name() == name.file_name()
                && file.digest == input.digest.blake3.0
                && file.sha256 == input.digest.sha256.0
        };
        if !ready.loaded.files.iter().any(|file| same(&file)) {
            let text =
                format!("INPUT_CHANGED {} is not the file that the certificate names", input.name);
            return Err(Failure::with(code::INPUTS, text));
        }
    }
    Ok(())
}

/// The wires of the run, for the checker.
fn wires(parasitics: &Parasitics, design: &Design) -> Wires {
    match parasitics {
        Parasitics::Placement { wire, .. } => {
            let unit = |(r, c)| PerMicron { resistance: r, capacitance: c };
            Wires::Placement { signal: unit(wire.signal), clock: unit(wire.clock) }
        }
        Parasitics::Annotated(nets) => {
            let network = |net| nets.get(net).map(|network| (net, network.clone()));
            Wires::Networks(design.nets().filter_map(network).collect())
        }
        Parasitics::None | Parasitics::WireLoad(_) => Wires::None,
    }
}

/// Verifies a certificate and tells each step as it is done.
///
/// # Errors
/// With one of [`code`], or 2 when something cannot be read. [`Outcome::Incomplete`] is an answer:
/// nothing disagrees, but it is no pass.
pub fn verify(
    request: &Request<'_>,
    tell: &mut dyn FnMut(Step<'_>),
) -> Result<CheckReport, Failure> {
    let trust = &request.trust;
    let statement = read(request.certificate, trust)?;
    let certificate = &statement.predicate;
    tell(Step::Told(format!(
        "signature and schema: ok ({}, {})",
        certificate.signed_by, certificate.id
    )));

    let whole = std::fs::canonicalize(request.certificate)?;
    let around = whole.parent().and_then(Path::parent).map(Path::to_owned);
    let folder = RunFolder::open(&request.run.clone().or(around).unwrap_or_default());
    let design = request.design.clone().unwrap_or_else(|| folder.design());
    let ready = ready(&design, Calculator::LumpedElmore)?;
    inputs(certificate, &ready)?;
    tell(Step::Told(format!("inputs: {} files as certified", certificate.inputs.len())));

    let list = deltas(&folder, &statement)?;
    let mismatch = |text: String| Failure::with(code::DELTA, format!("DELTA_MISMATCH {text}"));
    let (_, roots) =
        apply_chain(&ready.loaded.snapshot, &list).map_err(|error| mismatch(error.to_string()))?;
    let root = |back: usize| roots.len().checked_sub(back).map(|at| roots[at].0);
    for (name, found) in [("child", root(1)), ("parent", root(2))] {
        if found != Some(subject(&statement, name)?.blake3.0) {
            let text = format!(
                "applying {} deltas to the base does not give the certified {name}",
                list.len()
            );
            return Err(mismatch(text));
        }
    }
    tell(Step::Told(format!(
        "deltas: {} applied, parent and child roots as certified",
        list.len()
    )));

    let report = physics(&ready, &list, certificate, tell)?;
    chain(&folder, &statement, &ready, trust)?;
    tell(Step::Told("chain: complete to the base snapshot".to_owned()));
    for text in &certificate.not_proven {
        tell(Step::Told(format!("not proven: {text}")));
    }
    for text in &report.not_checked {
        tell(Step::Told(format!("not checked: {text}")));
    }
    Ok(report)
}

fn physics(
    ready: &Ready,
    list: &[Delta],
    certificate: &Certificate,
    tell: &mut dyn FnMut(Step<'_>),
) -> Result<CheckReport, Failure> {
    let claims: Vec<MetricValue> = certificate
        .metrics
        .iter()
        .filter_map(|change| {
            Some(MetricValue {
                metric: change.metric.clone(),
                value: change.after?,
                unit: change.unit.clone(),
                corner: change.corner.clone(),
            })
        })
        .collect();
    let mut subject = Subject::of(&ready.loaded);
    let design = Design::new(&ready.loaded.snapshot);
    if let Some(setup) = &ready.config.timing {
        // The checker has plain code for these two; another calculator's delays stay unchecked.
        let calculator = match setup.config.calculator {
            Calculator::Lumped => Some(PlainCalculator::Lumped),
            Calculator::LumpedElmore => Some(PlainCalculator::LumpedElmore),
            other => {
                let text = format!("timing: {other:?} is not recomputed by the checker");
                subject.not_checked.push(text);
                None
            }
        };
        if calculator.is_some() {
            subject.not_checked.clear();
        }
        subject.timing = calculator.map(|calculator| Setting {
            constraints: &setup.constraints,
            corners: setup
                .config
                .corners
                .iter()
                .map(|(corner, parasitics)| CornerSetting {
                    corner: *corner,
                    wires: wires(parasitics, &design),
                })
                .collect(),
            calculator,
        });
    }
    let report = subject
        .check(list, &claims)
        .map_err(|error| Failure::with(code::DELTA, format!("DELTA_MISMATCH {error}")))?;
    tell(Step::Figures(&report));
    if report.outcome == Outcome::Disagrees {
        for problem in &report.problems {
            tell(Step::Told(problem.clone()));
        }
        return Err(Failure::with(
            code::PHYSICS,
            "PHYSICS_DISAGREES the recomputed figures are not those certified",
        ));
    }
    Ok(report)
}

/// Every earlier certificate up to the base: signed, and each one's child the next one's parent.
fn chain(
    folder: &RunFolder,
    statement: &Statement,
    ready: &Ready,
    trust: &TrustList,
) -> Result<(), Failure> {
    let broken = |text: String| Failure::with(code::CHAIN, format!("CHAIN_BROKEN {text}"));
    let mut parent = subject(statement, "parent")?;
    let mut previous = statement.predicate.parent_certificate.clone();
    let mut seen = Vec::new();
    while let Some(id) = previous {
        if seen.contains(&id) || id.contains(['/', '\\']) {
            return Err(broken(format!("`{id}` does not lead to the base")));
        }
        let earlier =
            read(&folder.certificate(&id), trust).map_err(|failure| broken(failure.message))?;
        if earlier.predicate.id != id || subject(&earlier, "child")? != parent {
            return Err(broken(format!(
                "`{id}` certifies another snapshot than the next one starts from"
            )));
        }
        parent = subject(&earlier, "parent")?;
        previous = earlier.predicate.parent_certificate.clone();
        seen.push(id);
    }
    if parent.blake3.0 != ready.loaded.snapshot.root().0 {
        return Err(broken(
            "the first certificate does not start from the base snapshot".to_owned(),
        ));
    }
    Ok(())
}
