//! Progress on standard error: a bar that moves where there is a terminal, plain lines elsewhere.

use std::time::{Duration, Instant};

use cellwright_judge::engines::value_of;
use cellwright_judge::run::{Note, Observer};
use indicatif::{ProgressBar, ProgressStyle};

use crate::events;

/// Shows a run.
pub(crate) struct RunProgress {
    bar: ProgressBar,
    wall: Option<Duration>,
    last: Instant,
    hidden: bool,
}

impl RunProgress {
    /// A bar over `wall` where the run has a wall-time limit, a spinner elsewhere.
    pub(crate) fn new(wall: Option<Duration>) -> Self {
        let bar = match wall {
            Some(wall) => ProgressBar::new(wall.as_millis() as u64),
            None => ProgressBar::new_spinner(),
        };
        let template = if wall.is_some() { "{bar:30} {msg}" } else { "{spinner} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let hidden = bar.is_hidden();
        RunProgress { bar, wall, last: Instant::now(), hidden }
    }
    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for RunProgress {
    fn note(&mut self, note: &Note<'_>) -> bool {
        let figure = |name: &str| {
            value_of(note.head, name).map(|value| format!("{name} {}", crate::table::number(value)))
        };
        let figures: Vec<String> =
            ["hpwl", "wns_setup", "tns_setup", "area"].into_iter().filter_map(figure).collect();
        let text = format!(
            "{} proposals, {} accepted, {} tried | {}",
            note.proposals,
            note.accepted,
            note.spent.evaluations.unwrap_or(0),
            figures.join(", ")
        );
        events::progress("cw.run", "optimise", note.proposals, text.clone());
        if self.hidden {
            // No terminal: a line every few seconds keeps a log readable.
            if self.last.elapsed() > Duration::from_secs(10) {
                self.last = Instant::now();
                eprintln!("{text}");
            }
        } else {
            if self.wall.is_some() {
                self.bar.set_position(note.elapsed.as_millis() as u64);
            }
            self.bar.set_message(text);
            self.bar.tick();
        }
        true
    }
}
