//! How a long piece of work tells where it stands, and hears that it should stop.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared between the work and whoever waits for it.
#[derive(Debug, Default)]
pub struct Ticket {
    cancelled: AtomicBool,
    stands: Mutex<(f64, String)>,
}

impl Ticket {
    /// Says where the work stands: the part done, 0 to 1, and a word for people. The part never
    /// goes back.
    pub fn tell(&self, part: f64, word: impl Into<String>) {
        let mut stands = self.stands.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        stands.0 = part.clamp(stands.0, 1.0);
        stands.1 = word.into();
    }

    /// Where the work stands.
    #[must_use]
    pub fn stands(&self) -> (f64, String) {
        self.stands.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it should stop.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
