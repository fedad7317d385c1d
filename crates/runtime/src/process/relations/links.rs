//! The links of a process.
//!
//! Two processes add and remove the link between them without a lock, by signals that may cross. A process that
//! removes a link sends an *unlink* signal with a number, and keeps an inactive entry until the other side acknowledges
//! that number: so it recognises a link or exit signal that crossed the unlink signal as void. A port and its processes
//! change their links under the port's lock, so their entries are removed at once.

use layout::Term;
use term::reference;

use super::Relations;
use super::entries::{Entry, EntryKind};
use crate::process::rank::Rank;

/// The `number` of an active link; the others are those of unlink signals.
const ACTIVE: u64 = 0;

/// A link that was removed.
pub struct Link {
    pub is_active: bool,
    /// That of the exit message.
    pub rank: Rank,
}

impl Relations {
    fn link(&mut self, other: Term) -> Option<&mut Entry> {
        self.0.get_mut(EntryKind::Link, other.bits())
    }

    /// Adds a link from this side; false if there was an active one, which then has this rank. A link that was being
    /// removed becomes active again.
    pub fn add_link(&mut self, other: Term, rank: Rank) -> bool {
        match self.link(other) {
            Some(link) => {
                *link = link.ranked(rank);
                std::mem::replace(&mut link.number, ACTIVE) != ACTIVE
            }
            None => {
                self.link_new(other, rank);
                true
            }
        }
    }

    /// Adds a link that the other side has made; returns whether there was none. A link that is being removed stays
    /// inactive: the other side sent its link signal before it received the unlink signal.
    pub fn accept_link(&mut self, other: Term) -> bool {
        let is_new = self.link(other).is_none();
        if is_new {
            self.link_new(other, Rank::Ordinary);
        }
        is_new
    }

    /// Adds the link between a process and one that it spawns: neither can have it yet.
    pub fn link_new(&mut self, other: Term, rank: Rank) {
        self.0
            .add(Entry::new(EntryKind::Link, ACTIVE, other).ranked(rank));
    }

    /// Makes a link inactive, and without priority. Returns the number of the unlink signal to send,
    /// or `None` if no link was active.
    pub fn begin_unlink(&mut self, other: Term) -> Option<u64> {
        let link = self.link(other)?;
        if link.number != ACTIVE {
            return None;
        }
        *link = link.ranked(Rank::Ordinary);
        link.number = reference::fresh_number();
        Some(link.number)
    }

    /// The other side has acknowledged the unlink signal with this number. Returns whether that removed the link.
    pub fn unlink_acknowledged(&mut self, other: Term, number: u64) -> bool {
        let is_awaited =
            number != ACTIVE && self.link(other).is_some_and(|link| link.number == number);
        is_awaited && self.take_link(other).is_some()
    }

    /// The other side has removed the link. One that is being removed from this side too stays until that is
    /// acknowledged. Returns whether the link was active.
    pub fn unlinked(&mut self, other: Term) -> bool {
        self.is_linked(other) && self.remove_link(other)
    }

    /// Removes a link, active or not, because the other side is gone or is a port; returns whether it was active.
    pub fn remove_link(&mut self, other: Term) -> bool {
        self.take_link(other).is_some_and(|link| link.is_active)
    }

    /// As [`Relations::remove_link`]; `None` if there was no link.
    pub fn take_link(&mut self, other: Term) -> Option<Link> {
        let link = self.0.remove(EntryKind::Link, other.bits())?;
        Some(Link {
            is_active: link.number == ACTIVE,
            rank: link.rank(),
        })
    }

    /// Whether there is a link, active or not.
    pub fn has_link(&mut self, other: Term) -> bool {
        self.link(other).is_some()
    }

    /// Whether there is an active link.
    #[must_use]
    pub fn is_linked(&mut self, other: Term) -> bool {
        let link = self.0.get(EntryKind::Link, other.bits());
        link.is_some_and(|link| link.number == ACTIVE)
    }

    /// The other sides of the active links.
    pub fn linked(&self) -> impl Iterator<Item = Term> {
        self.links()
            .filter(|(_, active)| *active)
            .map(|(other, _)| other)
    }

    /// All links, and whether each is active.
    pub fn links(&self) -> impl Iterator<Item = (Term, bool)> {
        let links = self.0.of_kind(EntryKind::Link);
        links.map(|link| (link.other, link.number == ACTIVE))
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
        let mut relations = Relations::default();
        assert!(relations.add_link(pid(), Rank::Ordinary));
        assert!(!relations.add_link(pid(), Rank::Ordinary));
        let number = relations.begin_unlink(pid()).unwrap();
        assert_eq!(relations.begin_unlink(pid()), None);
        relations.accept_link(pid());
        assert!(!relations.is_linked(pid()));
        relations.unlink_acknowledged(pid(), number);
        relations.accept_link(pid());
        assert!(relations.is_linked(pid()));
    }

    #[test]
    fn a_link_that_is_being_removed_has_no_priority() {
        let mut relations = Relations::default();
        relations.add_link(pid(), Rank::Priority);
        assert!(relations.have_priority());
        relations.begin_unlink(pid());
        assert!(!relations.have_priority());
        relations.add_link(pid(), Rank::Priority);
        assert!(relations.have_priority());
    }

    #[test]
    fn an_acknowledgement_of_an_earlier_unlink_removes_nothing() {
        let mut relations = Relations::default();
        relations.add_link(pid(), Rank::Ordinary);
        let first = relations.begin_unlink(pid()).unwrap();
        assert!(
            relations.add_link(pid(), Rank::Ordinary),
            "the other side must be told again"
        );
        relations.unlink_acknowledged(pid(), first);
        assert!(relations.is_linked(pid()));
        let second = relations.begin_unlink(pid()).unwrap();
        relations.unlink_acknowledged(pid(), first);
        assert!(!relations.remove_link(pid()));
        assert_ne!(first, second);
    }

    #[test]
    fn unlinks_that_cross_wait_for_their_acknowledgements() {
        let mut relations = Relations::default();
        relations.add_link(pid(), Rank::Ordinary);
        let number = relations.begin_unlink(pid()).unwrap();
        relations.unlinked(pid());
        relations.accept_link(pid());
        assert!(!relations.is_linked(pid()));
        relations.unlink_acknowledged(pid(), number);
        assert_eq!(relations.linked().count(), 0);
        relations.accept_link(pid());
        relations.unlinked(pid());
        assert!(!relations.is_linked(pid()));
    }
}
