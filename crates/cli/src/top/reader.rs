//! The thread that asks the node again and again. The screen tells it what is wanted, and takes what it has found.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::app::{Deed, Found, Wanted};
use super::client::{Client, Failure};

/// What the screen tells the reader. When it is gone, the reader ends.
pub(super) enum Told {
    Wanted(Option<Wanted>),
    Do(Deed),
}

/// Starts the reader.
pub(super) fn start(client: Client, interval: Duration) -> (Sender<Told>, Receiver<Found>) {
    let (tell, told) = channel();
    let (find, found) = channel();
    let reader = Reader {
        client,
        interval,
        find,
        wanted: None,
        next: 0,
    };
    thread::spawn(move || reader.read(&told));
    (tell, found)
}

struct Reader {
    client: Client,
    interval: Duration,
    find: Sender<Found>,
    wanted: Option<Wanted>,
    /// The first sample of the history that is not known yet.
    next: u64,
}

/// The screen is gone.
struct IsOver;

impl Reader {
    fn read(mut self, told: &Receiver<Told>) {
        let mut due = Instant::now();
        loop {
            let left = due.saturating_duration_since(Instant::now());
            let told = match told.recv_timeout(left) {
                Ok(told) => Some(told),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let told = match told {
                Some(Told::Do(deed)) => self.carry_out(&deed),
                Some(Told::Wanted(wanted)) => {
                    self.wanted = wanted;
                    self.ask_for_wanted()
                }
                None => {
                    due = Instant::now() + self.interval;
                    self.ask_for_all()
                }
            };
            if told.is_err() {
                return;
            }
        }
    }

    fn tell(&self, found: Result<Found, Failure>) -> Result<(), IsOver> {
        let found = found.unwrap_or_else(|failure| Found::Silence(failure.into()));
        self.find.send(found).map_err(|_| IsOver)
    }

    fn ask_for_all(&mut self) -> Result<(), IsOver> {
        let node = self.client.get("/api/v1/node", &[]).map(Found::Node);
        let is_there = node.is_ok();
        self.tell(node)?;
        if !is_there {
            return Ok(());
        }
        let from = [("from", self.next.to_string())];
        let history = self.client.get("/api/v1/history", &from);
        let history = history.map(|history: super::answers::History| {
            // The window was closed and opened again: its history begins anew.
            self.next = match history.next < self.next {
                true => 0,
                false => history.next,
            };
            Found::History(history)
        });
        self.tell(history)?;
        self.ask_for_wanted()
    }

    fn ask_for_wanted(&self) -> Result<(), IsOver> {
        let found = match &self.wanted {
            None => return Ok(()),
            Some(Wanted::Table(query)) => {
                self.client.get("/api/v1/processes", query).map(Found::Page)
            }
            Some(Wanted::Process(pid)) => {
                let found = self
                    .client
                    .get(&format!("/api/v1/process/{}", in_path(pid)), &[]);
                match found {
                    Err(Failure::Gone) => Ok(Found::ProcessIsGone(pid.clone())),
                    found => found.map(Found::Process),
                }
            }
        };
        self.tell(found)
    }

    fn carry_out(&self, deed: &Deed) -> Result<(), IsOver> {
        let (pid, verb, done) = match deed {
            Deed::Kill(pid) => (pid, "kill", "was told to end"),
            Deed::Collect(pid) => (pid, "collect", "was told to collect"),
        };
        let outcome = self
            .client
            .post(&format!("/api/v1/process/{}/{verb}", in_path(pid)));
        let outcome = match outcome {
            Ok(()) => Ok(format!("{pid} {done}")),
            Err(failure) => Err(failure.into()),
        };
        self.tell(Ok(Found::Done(outcome)))
    }
}

/// A pid as a part of a path.
fn in_path(pid: &str) -> String {
    pid.replace('<', "%3C").replace('>', "%3E")
}
