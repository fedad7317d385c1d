//! Switching on and off that messages say who has sent them: see `mail::senders`.

use super::newcomers;
use crate::mail::senders;

/// There is a pattern that may ask for senders, or none any more. Called while the world is stopped.
pub fn ask(asked: bool) {
    if senders::set_asked(asked) != asked {
        newcomers::PROCESSES.change(|_| {});
        super::for_each_stopped(super::settle_flag);
    }
}
