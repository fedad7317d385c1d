//! The rarely used part of a process, allocated when first needed, and freed when a process that is seldom called goes
//! to wait with nothing in it ([`collection::trim`](crate::effects::collection::trim)). What few processes need is in
//! [`Extras`]. Only the owner of the process accesses it.

use term::copy::Owned;

use super::extras::Extras;
use crate::process::receive_markers::ReceiveMarkers;
use crate::process::timer_key::TimerKey;

/// The rarely used fields of a process: those that ordinary processes, such as a `gen_server` that calls another or has
/// an ETS table, do use.
#[derive(Default)]
pub struct Cold {
    /// The exit reason, once `EXIT_PENDING` is set.
    pub exit_reason: Option<Owned>,
    /// The timer of the current `receive ... after`, if one is set.
    pub receive_timer: Option<TimerKey>,
    pub receive_markers: ReceiveMarkers,
    /// Numbers of the ETS tables that it owns or has fixed, and perhaps of some that it once did: the tables' own
    /// records are authoritative.
    pub tables: Vec<u64>,
    /// Numbers of the timers that it set to send to itself; expired ones are dropped from time to time.
    pub timers: Vec<u64>,
    pub extras: Option<Box<Extras>>,
}

// Many processes have one: each byte counts.
const _: () = assert!(size_of::<Cold>() <= 128);

impl Cold {
    /// What few processes need, allocated if it does not exist yet.
    pub fn extras(&mut self) -> &mut Extras {
        self.extras.get_or_insert_default()
    }

    /// Bytes of memory, without those of lists.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Cold>() + self.extras.as_ref().map_or(0, |_| size_of::<Extras>())
    }

    /// Whether the process would be the same without it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // All fields are named, so that a new one is not forgotten here.
        let Cold {
            exit_reason,
            receive_timer,
            receive_markers,
            tables,
            timers,
            extras,
        } = self;
        exit_reason.is_none()
            && receive_timer.is_none()
            && receive_markers.is_empty()
            && tables.is_empty()
            && timers.is_empty()
            && extras.as_ref().is_none_or(|extras| extras.is_empty())
    }
}
