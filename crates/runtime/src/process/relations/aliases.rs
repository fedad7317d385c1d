//! The active aliases of a process: references through which it takes messages until the alias ends.
//!
//! An alias that is the reference of an active monitor is part of that monitor's entry; any other has its own entry.

use layout::Term;

use super::entries::{Entry, EntryKind};
use super::monitors::Monitor;
use super::{ReferenceNumber, Relations, low_number};
use crate::process::rank::Rank;

/// The event that ends an alias, besides `unalias/1`.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AliasKind {
    /// None.
    ExplicitUnalias,
    /// The end of the monitor with the same reference.
    Demonitor,
    /// The end of the monitor, or the first message, which ends the monitor too.
    ReplyDemonitor,
    /// The first message.
    Reply,
}

/// Whether a message through an alias reaches the process.
#[must_use]
pub enum Reaches {
    No,
    Yes,
    /// It does, and ends this monitor, whose target is to be told.
    YesAndEnds(Monitor),
}

impl Relations {
    /// Adds an alias that is not the reference of an active monitor.
    pub fn add_alias(&mut self, number: ReferenceNumber, kind: AliasKind, rank: Rank) {
        let number = low_number(number).expect("a new reference");
        let entry = Entry {
            alias: Some(kind),
            ..Entry::new(EntryKind::Alias, number, Term::NONE)
        };
        self.0.add(entry.ranked(rank));
    }

    /// The rank of messages through an alias that ask for priority. The alias of a monitor has none for them.
    pub fn alias_rank(&mut self, number: ReferenceNumber) -> Rank {
        let entry = low_number(number).and_then(|number| self.0.get(EntryKind::Alias, number));
        entry.map_or(Rank::Ordinary, Entry::rank)
    }

    /// Ends an alias; returns whether it was active.
    pub fn remove_alias(&mut self, number: ReferenceNumber) -> bool {
        let Some(number) = low_number(number) else {
            return false;
        };
        if let Some(monitor) = self.0.get_mut(EntryKind::Monitor, number) {
            return monitor.alias.take().is_some();
        }
        self.0.remove(EntryKind::Alias, number).is_some()
    }

    /// What ends an alias, if it is active.
    pub fn alias(&mut self, number: ReferenceNumber) -> Option<AliasKind> {
        let number = low_number(number)?;
        if let Some(monitor) = self.0.get(EntryKind::Monitor, number) {
            return monitor.alias;
        }
        self.0.get(EntryKind::Alias, number)?.alias
    }

    /// A message has arrived through an alias.
    pub fn message_to_alias(&mut self, number: ReferenceNumber) -> Reaches {
        match self.alias(number) {
            None => Reaches::No,
            Some(AliasKind::ExplicitUnalias | AliasKind::Demonitor) => Reaches::Yes,
            Some(AliasKind::Reply) => {
                self.remove_alias(number);
                Reaches::Yes
            }
            Some(AliasKind::ReplyDemonitor) => {
                self.remove_alias(number);
                let monitor = self.take_monitor(number);
                monitor.map_or(Reaches::Yes, Reaches::YesAndEnds)
            }
        }
    }
}
