//! What processes that have ended still have to tell the other node while the channel is busy: that links and monitors
//! ended, each with the reason.
//!
//! The reason is kept once for all signals of a process, and encoded for one signal at a time, when less than the busy
//! limit waits in the output. So a process with a large reason takes the memory of that reason, however many
//! processes of the other node are told, and nobody waits for it: the process has ended for everyone on this node. A
//! thread for what the machine owes to others does the encoding.
//!
//! Signals of one process stay in order: once some of its signals wait here, so does whatever is sent in its name.
//!
//! Guarded by the channel's lock.

use std::collections::VecDeque;
use std::sync::Arc;

use layout::Term;
use rustc_hash::FxHashMap;
use term::copy::Owned;

/// See the module.
#[derive(Default)]
pub(super) struct Endings {
    /// What waits in the name of each process. An entry stays until its last signal is in the output.
    waiting: FxHashMap<Term, VecDeque<Ending>>,
    /// The processes of the entries, in the order in which they ended.
    order: VecDeque<Term>,
    /// Whether a thread encodes them, or is about to.
    pub is_attended: bool,
}

/// One signal.
pub(super) struct Ending {
    pub control: Owned,
    pub reason: Option<Arc<Owned>>,
}

impl Endings {
    pub(super) fn has(&self, sender: Term) -> bool {
        self.waiting.contains_key(&sender)
    }

    pub(super) fn push(&mut self, sender: Term, ending: Ending) {
        let signals = self.waiting.entry(sender).or_insert_with(|| {
            self.order.push_back(sender);
            VecDeque::new()
        });
        signals.push_back(ending);
    }

    /// The next signal and its sender, which [`Endings::sent`] is told of afterwards.
    pub(super) fn next(&mut self) -> Option<(Term, Ending)> {
        let sender = *self.order.front()?;
        let signals = self.waiting.get_mut(&sender)?;
        Some((sender, signals.pop_front()?))
    }

    /// The signal that [`Endings::next`] returned is in the output.
    pub(super) fn sent(&mut self, sender: Term) {
        if self.waiting.get(&sender).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(&sender);
            self.order.pop_front();
        }
    }

    /// Whether a thread must be asked to encode signals; the caller does so. `is_busy` is the channel's state.
    pub(super) fn wants_attention(&mut self, is_busy: bool) -> bool {
        !is_busy && !self.order.is_empty() && !std::mem::replace(&mut self.is_attended, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending(number: i64) -> Ending {
        Ending {
            control: Owned::new(Term::small(number)),
            reason: None,
        }
    }

    /// Signals leave in the order of the processes' ends, and those of one process in their own order, also one that
    /// comes while the last one before it is on its way.
    #[test]
    fn signals_of_a_process_stay_in_order() {
        let [first, second] = [Term::small(1), Term::small(2)];
        let mut endings = Endings::default();
        endings.push(first, ending(10));
        endings.push(second, ending(20));
        endings.push(first, ending(11));
        let mut order = Vec::new();
        while let Some((sender, Ending { control, .. })) = endings.next() {
            if control.term() == Term::small(11) {
                assert!(endings.has(first));
                endings.push(first, ending(12));
            }
            endings.sent(sender);
            order.push((sender, control.term()));
        }
        let expected = [(first, 10), (first, 11), (first, 12), (second, 20)];
        assert_eq!(
            order,
            expected.map(|(sender, number)| (sender, Term::small(number)))
        );
        assert!(!endings.has(first) && !endings.has(second));
    }

    /// One thread is asked, once less waits than makes the channel busy.
    #[test]
    fn one_thread_attends() {
        let mut endings = Endings::default();
        assert!(!endings.wants_attention(false));
        endings.push(Term::small(1), ending(1));
        assert!(!endings.wants_attention(true));
        assert!(endings.wants_attention(false));
        assert!(!endings.wants_attention(false));
    }
}
