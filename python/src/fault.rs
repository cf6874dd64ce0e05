//! Errors with a class and a code, on their way to Python.

use cellwright_contract::platform::PlatformError;
use cellwright_contract::wire::WireError;
use cellwright_db::DeltaError;
use cellwright_formats::text::FormatError;
use cellwright_judge::engines::EngineError;
use cellwright_judge::judge::JudgeError;
use cellwright_judge::translate::TranslateError;
use cellwright_place::PlaceError;
use cellwright_service::failure::Failure;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An error that becomes an exception of `cellwright.errors`.
#[derive(Debug)]
pub(crate) struct Fault(Box<Words>);

#[derive(Debug)]
struct Words {
    class: &'static str,
    code: String,
    message: String,
    place: Option<(String, u32)>,
    exit: Option<u8>,
    /// An exception of Python's own that goes through as it is.
    python: Option<PyErr>,
}

/// What a method of the module returns.
pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    fn new(class: &'static str, code: impl Into<String>, message: impl Into<String>) -> Fault {
        let (code, message) = (code.into(), message.into());
        Fault(Box::new(Words { class, code, message, place: None, exit: None, python: None }))
    }
    /// An argument that does not fit.
    pub(crate) fn argument(message: impl Into<String>) -> Fault {
        Fault::new("ArgumentError", "argument", message)
    }
    /// A change that does not apply.
    pub(crate) fn delta(code: &str, message: impl Into<String>) -> Fault {
        Fault::new("DeltaError", code, message)
    }
    /// Timing that is not to be had.
    pub(crate) fn timing(code: &str, message: impl Into<String>) -> Fault {
        Fault::new("TimingError", code, message)
    }
    /// A file that cannot be used.
    pub(crate) fn input(code: &str, file: &str, line: u32, message: impl Into<String>) -> Fault {
        let mut fault = Fault::new("InputError", code, message);
        fault.0.place = Some((file.to_owned(), line));
        fault
    }
    /// A process without the engines' threads.
    pub(crate) fn forked() -> Fault {
        let text = "this process was forked after the engines had started and lacks their threads; start processes with the method `spawn` or `forkserver`";
        Fault::new("RunError", "forked", text)
    }
    /// A fault of the package itself.
    pub(crate) fn internal(message: impl Into<String>) -> Fault {
        Fault::new("InternalError", "internal", message)
    }
    /// A verification that does not come out.
    pub(crate) fn verify(failure: Failure) -> Fault {
        let mut fault = Fault::from(failure);
        fault.0.class = "VerifyError";
        fault
    }
    /// A run that cannot be made or replayed.
    pub(crate) fn run(code: &str, message: impl Into<String>) -> Fault {
        Fault::new("RunError", code, message)
    }
    /// The same with words in front.
    pub(crate) fn within(mut self, text: impl std::fmt::Display) -> Fault {
        self.0.message = format!("{text}: {}", self.0.message);
        self
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        let mut fault = Fault::internal("");
        fault.0.python = Some(error);
        fault
    }
}

impl From<numpy::AsSliceError> for Fault {
    fn from(error: numpy::AsSliceError) -> Fault {
        Fault::internal(error.to_string())
    }
}

impl From<Fault> for PyErr {
    fn from(Fault(fault): Fault) -> PyErr {
        if let Some(error) = fault.python {
            return error;
        }
        Python::attach(|py| {
            let made = || -> PyResult<PyErr> {
                let class = py.import("cellwright.errors")?.getattr(fault.class)?;
                let known = PyDict::new(py);
                known.set_item("code", &fault.code)?;
                if let Some((file, line)) = &fault.place {
                    known.set_item("file", file)?;
                    known.set_item("line", (*line > 0).then_some(*line))?;
                }
                if let Some(exit) = fault.exit {
                    known.set_item("exit_code", exit)?;
                }
                Ok(PyErr::from_value(class.call((&fault.message,), Some(&known))?))
            };
            made().unwrap_or_else(|error| error)
        })
    }
}

impl From<FormatError> for Fault {
    fn from(error: FormatError) -> Fault {
        Fault::input("unreadable", &error.file, error.line, error.to_string())
    }
}

impl From<Failure> for Fault {
    /// A message may begin with its code in capitals, such as `INPUT_CHANGED`.
    fn from(failure: Failure) -> Fault {
        let word = failure.message.split_whitespace().next().unwrap_or_default();
        let is_code =
            word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        let code = if is_code { word.to_owned() } else { "input".to_owned() };
        let class = if failure.code == 2 { "InputError" } else { "RunError" };
        let mut fault = Fault::new(class, code, failure.message);
        fault.0.exit = Some(failure.code);
        fault
    }
}

impl From<DeltaError> for Fault {
    fn from(error: DeltaError) -> Fault {
        let code = match &error {
            DeltaError::Missing { .. } => "missing",
            DeltaError::Precondition { .. } => "precondition",
            DeltaError::OtherPins { .. } => "other-pins",
            DeltaError::NameTaken { .. } => "name-taken",
            DeltaError::SlotTaken { .. } => "slot-taken",
            DeltaError::StillConnected { .. } => "still-connected",
            DeltaError::NoMaster { .. } => "no-master",
            DeltaError::Refused { .. } => "refused",
        };
        Fault::delta(code, error.to_string())
    }
}

impl From<TranslateError> for Fault {
    fn from(error: TranslateError) -> Fault {
        let code = match error {
            TranslateError::Delta(error) => return error.into(),
            TranslateError::NoObject { .. } => "missing",
            TranslateError::NoMaster(_) => "no-master",
            TranslateError::Range(_) => "range",
            TranslateError::Twice(_) => "twice",
        };
        Fault::delta(code, error.to_string())
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Fault {
        match error {
            EngineError::Stale(stale) => Fault::new("StaleError", "stale", stale.to_string()),
            EngineError::Timing(text) => Fault::timing("timing", text),
        }
    }
}

impl From<JudgeError> for Fault {
    fn from(error: JudgeError) -> Fault {
        let code = match error {
            JudgeError::Engine(error) => return error.into(),
            JudgeError::Archive(_) => "archive",
            JudgeError::Objective(..) => "objective",
        };
        Fault::new("JudgeError", code, error.to_string())
    }
}

impl From<PlatformError> for Fault {
    fn from(error: PlatformError) -> Fault {
        let code = match error {
            PlatformError::NotFound(_) => "not-found",
            PlatformError::Stale(_) => "stale",
            PlatformError::Invalid(_) => "invalid",
            PlatformError::Budget(_) => "budget",
            PlatformError::Unsupported(_) => "unsupported",
            PlatformError::Internal(_) => "internal",
        };
        Fault::new("JudgeError", code, error.to_string())
    }
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Fault {
        let code = match error {
            WireError::TooLarge { .. } => "too-large",
            WireError::Json(_) => "json",
            WireError::Type(_) => "schema",
            WireError::Invalid(_) => "invalid",
        };
        Fault::new("ArgumentError", code, error.to_string())
    }
}

impl From<PlaceError> for Fault {
    fn from(error: PlaceError) -> Fault {
        let code = match error {
            PlaceError::NoRows { .. } => "no-rows",
            PlaceError::NoRowFor { .. } => "no-row-for",
            PlaceError::TooFull { .. } => "too-full",
            PlaceError::Fragmented { .. } => "fragmented",
            PlaceError::MacroDoesNotFit { .. } => "macro-does-not-fit",
            PlaceError::NotLegal { .. } => "not-legal",
            PlaceError::Setting { .. } => "setting",
            PlaceError::Cancelled => "cancelled",
        };
        Fault::new("PlaceError", code, error.to_string())
    }
}
