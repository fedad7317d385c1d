//! The last events, in a ring of fixed size. Who has an event holds its lock for as long as it takes to write it.

use std::collections::VecDeque;

use layout::Term;

use crate::processes::unix_ms;

/// The most events that are kept.
pub(super) const MOST: usize = 1_000;
/// What is alike within this time is one event.
const ALIKE_MS: u64 = 60_000;
/// So many events are compared with a new one.
const COMPARED: usize = 64;

/// What else is known of an event; events that differ in it are not alike.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    #[default]
    None,
    /// A port or process.
    Identifier(Term),
    Text(String),
}

/// An event, or several alike; see [`super::EventRow`].
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) number: u64,
    pub(super) first_unix_ms: u64,
    pub(super) last_unix_ms: u64,
    pub(super) count: u64,
    pub(super) kind: &'static str,
    /// An immediate; `NONE` where an event is about the node.
    pub(super) about: Term,
    pub(super) name: Option<Term>,
    pub(super) took_ms: Option<u64>,
    pub(super) words: Option<u64>,
    pub(super) messages: Option<u64>,
    pub(super) is_lasting: bool,
    pub(super) detail: Detail,
}

impl Event {
    /// One that happens now.
    pub(super) fn new(kind: &'static str, about: Term, detail: Detail) -> Event {
        let now = unix_ms();
        Event {
            number: 0,
            first_unix_ms: now,
            last_unix_ms: now,
            count: 1,
            kind,
            about,
            name: None,
            took_ms: None,
            words: None,
            messages: None,
            is_lasting: false,
            detail,
        }
    }

    fn is_like(&self, other: &Event) -> bool {
        self.kind == other.kind
            && self.about == other.about
            && self.detail == other.detail
            && !self.is_lasting
            && other.first_unix_ms.saturating_sub(self.last_unix_ms) <= ALIKE_MS
    }

    /// The event has happened again.
    fn join(&mut self, other: Event) {
        self.count += 1;
        self.last_unix_ms = self.last_unix_ms.max(other.last_unix_ms);
        self.name = other.name.or(self.name);
        self.took_ms = self.took_ms.max(other.took_ms);
        self.words = self.words.max(other.words);
        self.messages = self.messages.max(other.messages);
        self.is_lasting = other.is_lasting;
    }
}

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Ring {
    /// Of successive numbers.
    events: VecDeque<Event>,
    next: u64,
}

impl Ring {
    /// Adds an event; returns its number, or that of one alike that has happened again.
    pub(super) fn add(&mut self, event: Event) -> u64 {
        let mut latest = self.events.iter_mut().rev().take(COMPARED);
        if let Some(alike) = latest.find(|known| known.is_like(&event)) {
            alike.join(event);
            return alike.number;
        }
        if self.events.len() == MOST {
            self.events.pop_front();
        }
        let number = self.next;
        self.next += 1;
        self.events.push_back(Event { number, ..event });
        number
    }

    /// Changes the event of this number, if it is still there.
    pub(super) fn change(&mut self, number: u64, change: impl FnOnce(&mut Event)) {
        let at = number.checked_sub(self.forgotten());
        let at = at.and_then(|at| usize::try_from(at).ok());
        if let Some(event) = at.and_then(|at| self.events.get_mut(at)) {
            change(event);
        }
    }

    /// How many were forgotten.
    pub(super) fn forgotten(&self) -> u64 {
        self.next - self.events.len() as u64
    }

    /// All that are there. What has happened last comes first, be it again or for the first time.
    pub(super) fn newest_first(&self) -> Vec<Event> {
        let mut events: Vec<Event> = self.events.iter().cloned().collect();
        events.sort_by_key(|event| std::cmp::Reverse((event.last_unix_ms, event.number)));
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: i64, unix_ms: u64) -> Event {
        Event {
            first_unix_ms: unix_ms,
            last_unix_ms: unix_ms,
            took_ms: Some(unix_ms),
            ..Event::new("long_gc", Term::small(number), Detail::None)
        }
    }

    #[test]
    fn what_repeats_is_one_event() {
        let mut ring = Ring::default();
        assert_eq!(ring.add(event(1, 10)), 0);
        assert_eq!(ring.add(event(2, 20)), 1);
        assert_eq!(ring.add(event(1, 30)), 0);
        assert_eq!(ring.add(event(1, 20)), 0);
        let [first, second] = &ring.newest_first()[..] else {
            panic!("two events");
        };
        assert_eq!(
            (first.about, second.about),
            (Term::small(1), Term::small(2))
        );
        assert_eq!((first.count, first.took_ms), (3, Some(30)));
        assert_eq!(
            ring.add(event(2, 21 + ALIKE_MS)),
            2,
            "later than one minute"
        );
        let other = Event {
            detail: Detail::Identifier(Term::small(7)),
            ..event(1, 40)
        };
        assert_eq!(ring.add(other), 3);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut ring = Ring::default();
        for number in 0..MOST as u64 + 5 {
            assert_eq!(ring.add(event(number as i64, 0)), number);
        }
        assert_eq!((ring.forgotten(), ring.newest_first().len()), (5, MOST));
        ring.change(4, |_| panic!("it is forgotten"));
        ring.change(MOST as u64 + 5, |_| panic!("it is not there yet"));
        ring.change(5, |event| event.is_lasting = true);
        let lasting = ring
            .newest_first()
            .into_iter()
            .filter(|event| event.is_lasting);
        assert_eq!(lasting.map(|event| event.number).collect::<Vec<_>>(), [5]);
    }
}
