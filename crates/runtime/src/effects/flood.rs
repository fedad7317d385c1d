//! Message queues that fill the node: who fills them, and how those are held back.
//!
//! While the node is above its soft mark, the memory guard marks the processes whose messages take a large part of it
//! (`FLOODED` in the state word). Whoever sends to such a process sees the bit and comes here. Some of the messages are
//! noted with their senders; a message itself does not know its sender. Above the high mark the sender is also *held*:
//! it is suspended after its message, and goes on when the guard looks again, some milliseconds later. So a receiver
//! that works at all gets the better of its senders, and the others are not touched. The guard says for which receivers
//! that is of use; at the hard mark, where somebody ends, it is of use for all: until the receiver has ended its queue
//! must not grow much.
//!
//! Links and monitors reach their other side as signals too, and stay with both sides after that. Who makes many of
//! them is held as the senders of messages are ([`related`]): where thousands of processes link to thousands, no single
//! one's queue is large.
//!
//! Who sends to a process may also be asked for without any flood ([`watch`]), for the window: such a process is marked
//! until some hundreds of messages have come, and nobody is held for it. Any thread may call.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use layout::Term;
use parking_lot::Mutex;
use sys::memory::budget::{self, Level};

use crate::effects::port::busy::{SuspendedSenders, suspend_sender};
use crate::mail::signal::Sent;
use crate::mail::{current, dirty};
use crate::process::epoch::with_pin;
use crate::process::peer::Peer;
use crate::process::{Priority, Process, table};

/// At most so many processes are marked at a time.
pub const MOST_FLOODS: usize = 64;
/// Senders of which the messages are counted, for each receiver.
const PLACES: usize = 16;

/// A marked process, and how many of its noted messages each of some senders has sent. A sender without a place gets
/// that of the least one, with its count; so the largest are among them, and no count is too low.
struct Flood {
    receiver: Term,
    counts: Vec<(Term, u64)>,
    noted: u64,
    /// Whether its senders are held above the high mark already.
    holds: bool,
}

/// A process to be marked, and whether its senders are held above the high mark, or only above the hard one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flooded {
    pub receiver: Term,
    pub holds: bool,
}

/// A process of which somebody wants to know who sends to it.
struct Watched {
    flood: Flood,
    /// When somebody has asked last.
    asked: Instant,
    /// What the processes had sent that were noted when somebody asked last.
    before: Senders,
}

/// Who has sent most of the messages that were noted.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Senders {
    pub noted: u64,
    /// With their share in percent, the largest first.
    pub largest: Vec<(Term, u64)>,
}

#[derive(Default)]
struct Marked {
    floods: Vec<Flood>,
    watched: Vec<Watched>,
}

/// Messages of a watched process that are noted each time that somebody asks.
pub const MOST_NOTED: u64 = 500;
/// At most so many processes are watched.
const MOST_WATCHED: usize = 8;
/// A process that nobody has asked for in this time is no longer watched.
const WATCHED_FOR: Duration = Duration::from_secs(10);

static MARKED: Mutex<Marked> = Mutex::new(Marked {
    floods: Vec::new(),
    watched: Vec::new(),
});
/// Whether any process is marked.
static ARE_ANY: AtomicBool = AtomicBool::new(false);
/// Senders that are suspended until [`release`], the first in front.
static HELD: Mutex<VecDeque<Term>> = Mutex::new(VecDeque::new());

impl Flood {
    fn new(receiver: Term) -> Flood {
        Flood {
            receiver,
            counts: Vec::with_capacity(PLACES),
            noted: 0,
            holds: false,
        }
    }

    fn note(&mut self, sender: Term) {
        self.noted += 1;
        if let Some((_, count)) = self.counts.iter_mut().find(|(other, _)| *other == sender) {
            *count += 1;
        } else if self.counts.len() < PLACES {
            self.counts.push((sender, 1));
        } else if let Some(least) = self.counts.iter_mut().min_by_key(|(_, count)| *count) {
            *least = (sender, least.1 + 1);
        }
    }

    /// The senders of most, and of how many percent of the messages that were noted.
    fn largest(&self, most: usize) -> Vec<(Term, u64)> {
        let mut counts = self.counts.clone();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(most);
        let percent = |(sender, count)| (sender, count * 100 / self.noted.max(1));
        counts.into_iter().map(percent).collect()
    }
}

/// The processes that are marked.
#[must_use]
pub fn marked() -> Vec<Flooded> {
    let flooded = |flood: &Flood| Flooded {
        receiver: flood.receiver,
        holds: flood.holds,
    };
    MARKED.lock().floods.iter().map(flooded).collect()
}

/// Marks these processes, at most [`MOST_FLOODS`], and no others. What is noted of those that were marked before stays.
pub fn mark(flooded: &[Flooded]) {
    let mut marked = MARKED.lock();
    let mut before = std::mem::take(&mut marked.floods);
    for &Flooded { receiver, holds } in flooded.iter().take(MOST_FLOODS) {
        let known = before.iter().position(|flood| flood.receiver == receiver);
        let mut flood = match known {
            Some(at) => before.swap_remove(at),
            None => {
                set(receiver, true);
                Flood::new(receiver)
            }
        };
        flood.holds = holds;
        marked.floods.push(flood);
    }
    for flood in before {
        marked.unset(flood.receiver);
    }
    ARE_ANY.store(!marked.floods.is_empty(), Ordering::Relaxed);
}

impl Marked {
    fn flood_of(&mut self, receiver: Term) -> Option<&mut Flood> {
        self.floods
            .iter_mut()
            .find(|flood| flood.receiver == receiver)
    }

    fn watched(&mut self, receiver: Term) -> Option<&mut Watched> {
        let mut watched = self.watched.iter_mut();
        watched.find(|watched| watched.flood.receiver == receiver)
    }

    /// Takes the mark off a process, unless it is still needed.
    fn unset(&mut self, receiver: Term) {
        let counts = |watched: &mut Watched| watched.flood.noted < MOST_NOTED;
        let is_needed =
            self.flood_of(receiver).is_some() || self.watched(receiver).is_some_and(counts);
        if !is_needed {
            set(receiver, false);
        }
    }

    /// Watches those no longer of which `is_over` is true.
    fn end_watches(&mut self, is_over: impl Fn(&Watched) -> bool) {
        let watched = std::mem::take(&mut self.watched);
        let (over, kept) = watched.into_iter().partition(is_over);
        self.watched = kept;
        let over: Vec<Watched> = over;
        for watched in over {
            self.unset(watched.flood.receiver);
        }
    }
}

/// Begins to note who sends to a process, or goes on with it; returns who has sent since somebody asked for it before,
/// or what was returned then if nothing has come. At most [`MOST_NOTED`] messages are noted from one time to the next.
pub fn watch(receiver: Term, most: usize) -> Senders {
    let mut marked = MARKED.lock();
    let now = Instant::now();
    let senders = match marked.watched(receiver) {
        Some(watched) => {
            watched.asked = now;
            let flood = std::mem::replace(&mut watched.flood, Flood::new(receiver));
            if flood.noted > 0 {
                watched.before = Senders {
                    noted: flood.noted,
                    largest: flood.largest(most),
                };
            }
            watched.before.clone()
        }
        None => {
            let longest = marked.watched.iter().map(|watched| watched.asked).min();
            if marked.watched.len() >= MOST_WATCHED {
                marked.end_watches(|watched| Some(watched.asked) == longest);
            }
            marked.watched.push(Watched {
                flood: Flood::new(receiver),
                asked: now,
                before: Senders::default(),
            });
            Senders::default()
        }
    };
    set(receiver, true);
    senders
}

/// Watches no process any more that nobody asks for. To be called now and then.
pub fn end_old_watches() {
    MARKED
        .lock()
        .end_watches(|watched| watched.asked.elapsed() > WATCHED_FOR);
}

/// Watches no process any more.
pub fn end_watches() {
    MARKED.lock().end_watches(|_| true);
}

/// Whether the memory guard has marked this process.
#[must_use]
pub fn is_marked(receiver: Term) -> bool {
    are_any() && MARKED.lock().flood_of(receiver).is_some()
}

fn set(receiver: Term, is_flooded: bool) {
    with_pin(|pinned| {
        if let Some(process) = table::find_if_made(pinned, receiver) {
            process.set_flooded(is_flooded);
        }
    });
}

/// Whether any process is marked.
#[must_use]
pub fn are_any() -> bool {
    ARE_ANY.load(Ordering::Relaxed)
}

/// The processes that have sent most to a marked one since it was marked, with their share of it in percent.
#[must_use]
pub fn largest_senders(receiver: Term, most: usize) -> Vec<(Term, u64)> {
    let mut marked = MARKED.lock();
    let flood = marked.flood_of(receiver);
    flood.map_or(Vec::new(), |flood| flood.largest(most))
}

/// Notes who has sent a message to a marked process; returns whether its senders are held.
pub fn note(sender: Term, receiver: Term) -> bool {
    let mut marked = MARKED.lock();
    if let Some(watched) = marked.watched(receiver)
        && watched.flood.noted < MOST_NOTED
    {
        watched.flood.note(sender);
        if watched.flood.noted == MOST_NOTED {
            marked.unset(receiver);
        }
    }
    let flood = marked.flood_of(receiver);
    flood.is_some_and(|flood| {
        flood.note(sender);
        flood.holds || budget::level() == Level::Hard
    })
}

/// A running process has sent a message to a marked one. Returns what its caller makes of it: [`Sent::Flooding`] if it
/// is to be held. What has priority is not held, and a process that fills its own queue has to empty it.
#[cold]
pub(crate) fn sent(from: &Process, receiver: Term) -> Sent {
    let holds = note(from.pid(), receiver) && budget::is_high() && from.pid() != receiver;
    match holds && may_be_held(from) {
        true => Sent::Flooding,
        false => Sent::Done,
    }
}

/// Not what has priority, nor a process for which the machine itself has sent something meanwhile.
fn may_be_held(from: &Process) -> bool {
    from.priority() >= Priority::Normal
        && (current::is_running_here(from) || dirty::is_called_by(from))
}

/// What a process has done to its relation to another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relating {
    Linked,
    Monitored,
    /// It has ended the link or monitor.
    Parted,
}

/// Who has no more relations than this is not held for making another one.
const FEW_RELATIONS: usize = 16;

/// A running process has told another one of a link or monitor that it has made or ended. Returns [`Sent::Flooding`] if
/// it is to be held for that: because it has many relations already, or because the other one's signals fill the node.
///
/// Links are seldom made but for what is spawned, which is refused above the high mark; but every call of a server
/// makes a monitor and ends it. So who has many relations and monitors more is held at the hard mark only.
#[inline]
pub fn related(from: &Process, other: Term, relating: Relating) -> Sent {
    match budget::is_high() {
        true => related_when_high(from, other, relating),
        false => Sent::Done,
    }
}

#[cold]
fn related_when_high(from: &Process, other: Term, relating: Relating) -> Sent {
    let adds = match relating {
        Relating::Linked => true,
        Relating::Monitored => budget::level() == Level::Hard,
        Relating::Parted => false,
    };
    match adds && from.relations.count() > FEW_RELATIONS && may_be_held(from) {
        true => Sent::Flooding,
        false => reached(from, other),
    }
}

/// As a message to a marked process, if it is one, for another signal.
pub fn reached(from: &Process, receiver: Term) -> Sent {
    let is_marked = with_pin(|pinned| table::find(pinned, receiver).is_some_and(Peer::is_flooded));
    match is_marked {
        true => sent(from, receiver),
        false => Sent::Done,
    }
}

/// Holds a sender from the end of its slice, or of its dirty call, until the next [`release`].
pub fn hold(sender: &mut Process) {
    suspend_sender(sender);
    HELD.lock().push_back(sender.pid());
}

/// Lets at most so many senders go on, those that have been held for the longest time.
pub fn release(most: usize) {
    let released = {
        let mut held = HELD.lock();
        let count = held.len().min(most);
        held.drain(..count).collect()
    };
    SuspendedSenders(released).resume();
}

/// Whether any senders are held.
#[must_use]
pub fn are_any_held() -> bool {
    !HELD.lock().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_senders_are_known() {
        let mut flood = Flood::new(Term::local_pid(1, 0));
        for number in 0..10_000 {
            flood.note(Term::local_pid(100 + number % 50, 0));
            flood.note(Term::local_pid(7, 0));
            if number % 2 == 0 {
                flood.note(Term::local_pid(8, 0));
            }
        }
        let largest = flood.largest(2);
        assert_eq!(largest[0], (Term::local_pid(7, 0), 40));
        assert_eq!(largest[1].0, Term::local_pid(8, 0));
        assert!((20..30).contains(&largest[1].1), "{largest:?}");
        assert_eq!(Flood::new(Term::NIL).largest(3), []);
    }

    #[test]
    fn senders_to_a_watched_process_are_told_once_and_nobody_is_held() {
        let (receiver, sender) = (Term::local_pid(900_001, 0), Term::local_pid(900_002, 0));
        assert!(!note(sender, receiver), "nobody watches yet");
        assert_eq!(watch(receiver, 3), Senders::default());
        for _ in 0..2 * MOST_NOTED {
            assert!(!note(sender, receiver));
        }
        let expected = Senders {
            noted: MOST_NOTED,
            largest: vec![(sender, 100)],
        };
        assert_eq!(watch(receiver, 3), expected);
        assert_eq!(watch(receiver, 3), expected, "nothing has come since");
        assert!(!is_marked(receiver));
        note(receiver, receiver);
        assert_eq!(watch(receiver, 3).largest, [(receiver, 100)]);
        for number in 0..2 * MOST_WATCHED as u32 {
            watch(Term::local_pid(910_000 + number, 0), 3);
        }
        assert_eq!(
            watch(receiver, 3),
            Senders::default(),
            "others took its place"
        );
        end_watches();
        assert_eq!(MARKED.lock().watched.len(), 0);
    }
}
