//! The links of a process.
//!
//! Two processes add and remove the link between them without a lock, by signals that may cross. A process that
//! removes a link sends an *unlink* signal with a number, and keeps an inactive entry until the other side acknowledges
//! that number: so it recognises a link or exit signal that crossed the unlink signal as void. A port and its processes
//! change their links under the port's lock, so their entries are removed at once.

use std::collections::HashMap;

use layout::Term;
use term::reference;

struct Link {
    other: Term,
    /// The number of an unlink signal that the other side has not yet acknowledged; the link is inactive.
    unlinking: Option<u64>,
}

/// Linked pids and ports; the key is the bits of the immediate term.
#[derive(Default)]
pub struct Links(HashMap<u64, Link>);

impl Links {
    /// Adds a link from this side; false if there was an active one. A link that was being removed becomes active
    /// again.
    pub fn add(&mut self, other: Term) -> bool {
        match self.0.get_mut(&other.bits()) {
            Some(link) => link.unlinking.take().is_some(),
            None => {
                self.accept(other);
                true
            }
        }
    }

    /// Adds a link that the other side has made. A link that is being removed stays inactive: the other side sent its
    /// link signal before it received the unlink signal.
    pub fn accept(&mut self, other: Term) {
        let unlinking = None;
        self.0
            .entry(other.bits())
            .or_insert(Link { other, unlinking });
    }

    /// Makes a link inactive; returns the number of the unlink signal to send, or `None` if no link was active.
    pub fn begin_unlink(&mut self, other: Term) -> Option<u64> {
        let link = self.0.get_mut(&other.bits())?;
        if link.unlinking.is_some() {
            return None;
        }
        let number = reference::fresh_number();
        link.unlinking = Some(number);
        Some(number)
    }

    /// The other side has acknowledged the unlink signal with this number.
    pub fn acknowledged(&mut self, other: Term, number: u64) {
        let unlinking = self.0.get(&other.bits()).and_then(|link| link.unlinking);
        if unlinking == Some(number) {
            self.0.remove(&other.bits());
        }
    }

    /// The other side has removed the link. One that is being removed from this side too stays until that is
    /// acknowledged.
    pub fn unlinked(&mut self, other: Term) {
        if self.is_active(other) {
            self.0.remove(&other.bits());
        }
    }

    /// Removes a link, active or not, because the other side is gone or is a port; returns whether it was active.
    pub fn remove(&mut self, other: Term) -> bool {
        let link = self.0.remove(&other.bits());
        link.is_some_and(|link| link.unlinking.is_none())
    }

    /// Whether there is an active link.
    #[must_use]
    pub fn is_active(&self, other: Term) -> bool {
        let link = self.0.get(&other.bits());
        link.is_some_and(|link| link.unlinking.is_none())
    }

    /// The other sides of the active links.
    pub fn active(&self) -> impl Iterator<Item = Term> {
        let active = self.0.values().filter(|link| link.unlinking.is_none());
        active.map(|link| link.other)
    }

    /// All links, and whether each is active.
    pub fn iter(&self) -> impl Iterator<Item = (Term, bool)> {
        let links = self.0.values();
        links.map(|link| (link.other, link.unlinking.is_none()))
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn table_bytes(&self) -> usize {
        self.0.capacity() * size_of::<(u64, Link)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid() -> Term {
        Term::local_pid(1, 0)
    }

    #[test]
    fn a_link_that_crosses_an_unlink_is_void() {
        let mut links = Links::default();
        assert!(links.add(pid()));
        assert!(!links.add(pid()));
        let number = links.begin_unlink(pid()).unwrap();
        assert_eq!(links.begin_unlink(pid()), None);
        links.accept(pid());
        assert!(!links.is_active(pid()));
        links.acknowledged(pid(), number);
        links.accept(pid());
        assert!(links.is_active(pid()));
    }

    #[test]
    fn an_acknowledgement_of_an_earlier_unlink_removes_nothing() {
        let mut links = Links::default();
        links.add(pid());
        let first = links.begin_unlink(pid()).unwrap();
        assert!(links.add(pid()), "the other side must be told again");
        links.acknowledged(pid(), first);
        assert!(links.is_active(pid()));
        let second = links.begin_unlink(pid()).unwrap();
        links.acknowledged(pid(), first);
        assert!(!links.remove(pid()));
        assert_ne!(first, second);
    }

    #[test]
    fn unlinks_that_cross_wait_for_their_acknowledgements() {
        let mut links = Links::default();
        links.add(pid());
        let number = links.begin_unlink(pid()).unwrap();
        links.unlinked(pid());
        links.accept(pid());
        assert!(!links.is_active(pid()));
        links.acknowledged(pid(), number);
        assert_eq!(links.active().count(), 0);
        links.accept(pid());
        links.unlinked(pid());
        assert!(!links.is_active(pid()));
    }
}
