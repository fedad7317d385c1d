//! What ties a process to others: its [`links`], [`monitors`] and [`aliases`].
//!
//! Only the thread that owns the process reads or changes them, through the methods here; the process or port at the
//! other end learns of changes through signals (`signal::handle` has their effects), which the callers send.

pub mod aliases;
pub mod links;
pub mod monitors;

use layout::Term;
use term::reference;

use super::Process;
pub use aliases::{AliasKind, Aliases};
pub use links::Links;
pub use monitors::{Monitor, MonitorTarget, Monitors, Watcher, Watchers};

/// The number of a reference, used as the key of its monitor or alias.
pub type ReferenceNumber = (u64, u64);

/// The links, monitors and aliases of one process.
#[derive(Default)]
pub struct Relations {
    pub links: Links,
    /// Monitors that this process set.
    pub monitors: Monitors,
    /// Monitors that others set on this process.
    pub watchers: Watchers,
    /// Active aliases.
    pub aliases: Aliases,
}

impl Relations {
    /// Adds a monitor that this process sets; its reference also is an alias if `alias` says of what kind.
    pub fn add_monitor(
        &mut self,
        number: ReferenceNumber,
        monitor: Monitor,
        alias: Option<AliasKind>,
    ) {
        self.monitors.add(number, monitor);
        if let Some(kind) = alias {
            self.aliases.add(number, kind);
        }
    }

    /// Removes a monitor that this process set, and the alias that ends with it.
    pub fn take_monitor(&mut self, number: ReferenceNumber) -> Option<Monitor> {
        let monitor = self.monitors.take(number)?;
        self.aliases.monitor_ended(number);
        Some(monitor)
    }

    /// The number of links and monitors.
    #[must_use]
    pub fn count(&self) -> usize {
        self.links.count() + self.monitors.count() + self.watchers.count()
    }

    /// Bytes of the tables of links, monitors and watchers.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        self.links.table_bytes() + self.monitors.table_bytes() + self.watchers.table_bytes()
    }
}

/// Makes the reference of a new monitor; if it also is an alias, it names the process.
pub fn new_reference(process: &mut Process, alias: Option<AliasKind>) -> (ReferenceNumber, Term) {
    let own = process.pid();
    let number = reference::fresh_number();
    let reference = match alias {
        Some(_) => reference::with_pid(process.heap(), number, own),
        None => reference::with_number(process.heap(), number, 0),
    };
    ((number, 0), reference)
}
