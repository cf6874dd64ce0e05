//! The pipes to a program: lines out, lines in, never blocked on either and never without a limit.
//!
//! One thread, no helpers: all three pipes are non-blocking on our side and waited on together, so
//! that a program that writes without reading, or reads without writing, cannot lock the loop.

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;

use crate::family;
use crate::fault::Fault;
use crate::limits::Limits;

/// How much of standard error is kept for the verdict.
const STDERR_KEPT: usize = 4096;
/// How often the family is looked at while the loop waits.
const TICK: Duration = Duration::from_millis(250);
/// How long a program may take to end when it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// A running program.
#[derive(Debug)]
pub(crate) struct Link {
    child: Child,
    mark: String,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// Bytes read and not yet taken; `searched` of them hold no line end.
    inbox: Vec<u8>,
    taken: usize,
    searched: usize,
    /// End of standard error.
    tail: Vec<u8>,
    stderr_bytes: u64,
    turn_bytes: u64,
    looked: Instant,
    ended: bool,
}

/// Number of programs started, for marks that differ.
static STARTED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

impl Link {
    /// Starts a program.
    pub(crate) fn start(words: &[OsString]) -> Result<Link, Fault> {
        let not_started = |error: &dyn std::fmt::Display| Fault::NotStarted(error.to_string());
        let Some((program, rest)) = words.split_first() else {
            return Err(not_started(&"the command is empty"));
        };
        let number = STARTED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let mark = format!(
            "{}-{number}-{}",
            std::process::id(),
            since.map_or(0, |since| since.as_nanos())
        );
        let mut command = Command::new(program);
        command.args(rest).env(family::MARK, &mark).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut link = Link {
            child,
            mark,
            stdin,
            stdout,
            stderr,
            inbox: Vec::new(),
            taken: 0,
            searched: 0,
            tail: Vec::new(),
            stderr_bytes: 0,
            turn_bytes: 0,
            looked: Instant::now(),
            ended: false,
        };
        let unblocked = (|| {
            if let Some(pipe) = &link.stdin {
                ioctl_fionbio(pipe, true)?;
            }
            if let Some(pipe) = &link.stdout {
                ioctl_fionbio(pipe, true)?;
            }
            if let Some(pipe) = &link.stderr {
                ioctl_fionbio(pipe, true)?;
            }
            Ok::<(), rustix::io::Errno>(())
        })();
        if let Err(error) = unblocked {
            link.kill();
            return Err(Fault::Pipe(error.to_string()));
        }
        Ok(link)
    }

    /// A turn begins: what was written so far is forgotten.
    pub(crate) fn turn(&mut self) {
        self.turn_bytes = 0;
    }

    /// Writes a line. A program that no longer reads hears nothing; what it said before it stopped
    /// is still read, and the end of that says what became of it.
    pub(crate) fn write(&mut self, line: &[u8], limits: &Limits) -> Result<(), Fault> {
        let until = Instant::now() + limits.reply;
        let mut rest = line;
        while !rest.is_empty() {
            let Some(stdin) = &mut self.stdin else { return Ok(()) };
            match stdin.write(rest) {
                Ok(0) => self.stdin = None,
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if Instant::now() >= until {
                        return Err(Fault::Deaf(limits.reply));
                    }
                    self.wait(true, until, limits)?;
                }
                Err(error) if error.kind() == ErrorKind::BrokenPipe => self.stdin = None,
                Err(error) => return Err(Fault::Pipe(error.to_string())),
            }
        }
        Ok(())
    }

    /// The next line, without its end; `None` when `deadline` came first.
    pub(crate) fn read(
        &mut self,
        limits: &Limits,
        deadline: Option<Instant>,
    ) -> Result<Option<&[u8]>, Fault> {
        let silent_at = Instant::now() + limits.reply;
        loop {
            let start = self.taken + self.searched;
            if let Some(at) = self.inbox[start..].iter().position(|byte| *byte == b'\n') {
                let (from, to) = (self.taken, start + at);
                self.taken = to + 1;
                self.searched = 0;
                return Ok(Some(&self.inbox[from..to]));
            }
            self.searched = self.inbox.len() - self.taken;
            if self.searched > limits.line_bytes {
                return Err(Fault::Flood(format!(
                    "a line longer than {} bytes",
                    limits.line_bytes
                )));
            }
            if self.stdout.is_none() {
                return Err(self.died());
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Ok(None);
            }
            if now >= silent_at {
                return Err(Fault::Silent(limits.reply));
            }
            let until = deadline.map_or(silent_at, |deadline| deadline.min(silent_at));
            self.wait(false, until, limits)?;
        }
    }

    /// Waits until a pipe is ready, `until`, or a tick; takes what came in.
    fn wait(&mut self, writing: bool, until: Instant, limits: &Limits) -> Result<(), Fault> {
        let left = until.saturating_duration_since(Instant::now()).min(TICK);
        let timeout = Timespec::try_from(left).unwrap_or_default();
        let mut pipes = Vec::with_capacity(3);
        // What is read ahead while writing is bounded by one line.
        let full = self.inbox.len() - self.taken > limits.line_bytes;
        if let (Some(pipe), false) = (&self.stdout, full) {
            pipes.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let Some(pipe) = &self.stderr {
            pipes.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let (Some(pipe), true) = (&self.stdin, writing) {
            pipes.push(PollFd::new(pipe, PollFlags::OUT));
        }
        match poll(&mut pipes, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Fault::Pipe(error.to_string())),
        }
        if !full {
            self.take_stdout(limits)?;
        }
        self.take_stderr(limits)?;
        if self.looked.elapsed() >= TICK {
            self.looked = Instant::now();
            self.look(limits)?;
        }
        Ok(())
    }

    fn take_stdout(&mut self, limits: &Limits) -> Result<(), Fault> {
        let Some(pipe) = &mut self.stdout else { return Ok(()) };
        if self.taken > 0 {
            self.inbox.drain(..self.taken);
            self.taken = 0;
        }
        let mut chunk = [0; 1 << 16];
        match pipe.read(&mut chunk) {
            Ok(0) => self.stdout = None,
            Ok(count) => {
                self.inbox.extend_from_slice(&chunk[..count]);
                self.turn_bytes += count as u64;
                if self.turn_bytes > limits.turn_bytes {
                    return Err(Fault::Flood(format!(
                        "more than {} bytes in one turn",
                        limits.turn_bytes
                    )));
                }
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(Fault::Pipe(error.to_string())),
        }
        Ok(())
    }

    fn take_stderr(&mut self, limits: &Limits) -> Result<(), Fault> {
        let Some(pipe) = &mut self.stderr else { return Ok(()) };
        let mut chunk = [0; 1 << 16];
        match pipe.read(&mut chunk) {
            Ok(0) => self.stderr = None,
            Ok(count) => {
                self.tail.extend_from_slice(&chunk[..count]);
                let excess = self.tail.len().saturating_sub(STDERR_KEPT);
                self.tail.drain(..excess);
                self.stderr_bytes += count as u64;
                if self.stderr_bytes > limits.stderr_bytes {
                    return Err(Fault::Flood(format!(
                        "more than {} bytes on standard error",
                        limits.stderr_bytes
                    )));
                }
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(Fault::Pipe(error.to_string())),
        }
        Ok(())
    }

    /// Looks at what the family holds.
    fn look(&self, limits: &Limits) -> Result<(), Fault> {
        let family = family::members(self.root(), &self.mark);
        if family.len() > limits.processes {
            return Err(Fault::Processes(family.len(), limits.processes));
        }
        let held = family::memory(&family);
        if held > limits.memory {
            return Err(Fault::Memory { held, limit: limits.memory });
        }
        Ok(())
    }

    fn root(&self) -> i32 {
        i32::try_from(self.child.id()).unwrap_or(i32::MAX)
    }

    /// Waits a little for the program to end.
    fn exit(&mut self, within: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + within;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Why a pipe ended: the program died, or closed it and went on.
    fn died(&mut self) -> Fault {
        let status = self.exit(Duration::from_millis(500));
        let generous = Limits { stderr_bytes: u64::MAX, ..Limits::default() };
        for _ in 0..64 {
            let before = self.stderr_bytes;
            let _ = self.take_stderr(&generous);
            if self.stderr_bytes == before {
                break;
            }
        }
        match status {
            None => Fault::Closed,
            Some(status) if status.success() => Fault::Left,
            Some(status) => Fault::Died { how: status.to_string(), stderr: self.stderr() },
        }
    }

    /// End of standard error so far.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.tail).into_owned()
    }

    /// Ends the program: closes its input, waits a little, then ends all that it started.
    pub(crate) fn close(&mut self) {
        if self.ended {
            return;
        }
        self.stdin = None;
        let until = Instant::now() + GRACE;
        // Its output is read away, or it could not end for a full pipe.
        let generous = Limits { turn_bytes: u64::MAX, stderr_bytes: u64::MAX, ..Limits::default() };
        while self.stdout.is_some() && Instant::now() < until {
            self.inbox.clear();
            (self.taken, self.searched) = (0, 0);
            if self.wait(false, until, &generous).is_err() {
                break;
            }
        }
        let _ = self.exit(until.saturating_duration_since(Instant::now()));
        self.kill();
    }

    /// Ends the program and all that it started, now.
    pub(crate) fn kill(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        (self.stdin, self.stdout, self.stderr) = (None, None, None);
        family::end(self.root(), &self.mark);
        let _ = self.child.kill();
        let _ = self.exit(GRACE);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.close();
    }
}
