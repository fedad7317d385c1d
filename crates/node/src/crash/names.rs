//! The text of a pid where a dump says whose a section is, or which process is meant.
//!
//! The viewer of OTP 25 and 26 makes a pid from that text again, and there a pid has a number of 15 bits and a serial
//! of 13; ours has 28 bits and 32. Where ours does not fit, a process is given a pid that no other process of the dump
//! has: the index's upper bits become the serial, above every serial that fits. Pids of ended processes keep their
//! text, so that nobody takes them for a process that uses the same entry of the table now.

use std::fmt::Display;

use layout::Term;
use runtime::process::{epoch, table};
use term::print::display;
use term::release::{self, Release};

use super::Form;

/// Bits of a pid's number in the viewer of OTP 25.
const NUMBER_BITS: u32 = 15;
/// The serials from here on, up to 8191, stand for the index's upper bits: up to 12 of them, since the process table
/// has at most 2^27 entries.
const FIRST_MADE_SERIAL: u32 = 4096;

impl Form {
    /// Displays a term that says which process, port or name is meant.
    pub(super) fn name(self, term: Term) -> impl Display {
        let is_running = || epoch::with_pin(|pinned| table::find_if_made(pinned, term).is_some());
        let readable = match self {
            Form::Dump => readable(term).filter(|_| is_running()),
            Form::Live => None,
        };
        display(readable.unwrap_or(term))
    }
}

/// The pid in place of one that the viewer of the booted release cannot read.
pub(super) fn readable(pid: Term) -> Option<Term> {
    if !pid.is_local_pid() || release::has(Release::OTP_27) {
        return None;
    }
    let (number, serial) = made(pid.identifier_index(), pid.identifier_serial())?;
    Some(Term::local_pid(number, serial))
}

/// Number and serial that the viewer of OTP 25 can read, if it cannot read these.
fn made(index: u32, serial: u32) -> Option<(u32, u32)> {
    let upper = index >> NUMBER_BITS;
    if upper == 0 && serial < FIRST_MADE_SERIAL {
        return None;
    }
    let number = index & ((1 << NUMBER_BITS) - 1);
    Some((number, FIRST_MADE_SERIAL + upper))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::made;

    #[test]
    fn each_entry_of_the_process_table_has_a_pid_of_its_own() {
        let mut seen = HashSet::new();
        let most = (1 << 27) - 1;
        for index in [
            0,
            1,
            79,
            32_767,
            32_768,
            32_847,
            65_536,
            65_615,
            most - 32_768,
            most,
        ] {
            for serial in [0, 1, 4_095, 4_096, u32::MAX] {
                let (number, made_serial) = made(index, serial).unwrap_or((index, serial));
                assert!(
                    number < 1 << 15 && made_serial < 1 << 13,
                    "{index}.{serial}"
                );
                seen.insert(((number, made_serial), index));
            }
        }
        let pids: HashSet<_> = seen.iter().map(|(pid, _)| *pid).collect();
        assert_eq!(pids.len(), seen.len(), "two entries have the same pid");
    }
}
