//! The active aliases of a process: references through which it takes messages until the alias ends.

use std::collections::HashMap;

use super::monitors::Monitor;
use super::{ReferenceNumber, Relations};

/// The event that ends an alias, besides `unalias/1`.
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

#[derive(Default)]
pub struct Aliases(HashMap<ReferenceNumber, AliasKind>);

impl Aliases {
    pub fn add(&mut self, number: ReferenceNumber, kind: AliasKind) {
        self.0.insert(number, kind);
    }

    /// Ends an alias; returns whether it was active.
    pub fn remove(&mut self, number: ReferenceNumber) -> bool {
        self.0.remove(&number).is_some()
    }

    pub(super) fn monitor_ended(&mut self, number: ReferenceNumber) {
        if let Some(AliasKind::Demonitor | AliasKind::ReplyDemonitor) = self.0.get(&number) {
            self.0.remove(&number);
        }
    }
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
    /// A message has arrived through an alias.
    pub fn message_to_alias(&mut self, number: ReferenceNumber) -> Reaches {
        let Some(kind) = self.aliases.0.get(&number) else {
            return Reaches::No;
        };
        match kind {
            AliasKind::ExplicitUnalias | AliasKind::Demonitor => Reaches::Yes,
            AliasKind::Reply => {
                self.aliases.remove(number);
                Reaches::Yes
            }
            AliasKind::ReplyDemonitor => {
                self.aliases.remove(number);
                let monitor = self.take_monitor(number);
                monitor.map_or(Reaches::Yes, Reaches::YesAndEnds)
            }
        }
    }
}
