//! Ending the node.

use std::time::Duration;

use layout::Term;
use term::release::{self, Release};
use term::{am, atom, list, unicode};

use runtime::code::bif::{BifResult, badarg, badarg_because};
use runtime::exec::halt::{self, Flush};
use runtime::mail::hooks::CrashCause;
use runtime::process::{Process, config};

/// `erlang:halt(Status, Options)`
pub(crate) fn halt_2(_process: &mut Process, [status, options]: [Term; 2]) -> BifResult {
    let mut flush = true;
    let mut limit = config::get().flags.halt_flush_timeout_ms.map(u64::from);
    for option in list::items(options) {
        let bad = || badarg_because(am::BADOPT);
        let Some([name, value]) = option.map_err(|_| bad())?.as_tuple_of() else {
            return Err(bad());
        };
        if name == atom::known("flush") && (value == am::TRUE || value == am::FALSE) {
            flush = value == am::TRUE;
        } else if name == atom::known("flush_timeout") && release::has(Release::OTP_27) {
            // Stock refuses `infinity`, which its documentation allows.
            let time = value.as_small().and_then(|time| u64::try_from(time).ok());
            limit = Some(time.ok_or_else(bad)?);
        } else {
            return Err(bad());
        }
    }
    let flush = match (flush, limit) {
        (false, _) => Flush::No,
        (true, None) => Flush::All,
        (true, Some(limit)) => Flush::Within(Duration::from_millis(limit)),
    };
    if let Some(code) = status.as_small() {
        if code < 0 {
            return Err(badarg(1));
        }
        halt::halt((code & 0xff) as i32, flush)
    } else if status == am::ABORT {
        halt::abort()
    } else if let Some(slogan) = text_of(status) {
        halt::end_with_dump(CrashCause::Outside, &slogan)
    } else {
        Err(badarg(1))
    }
}

/// Characters of the longest slogan; OTP cuts off the rest.
const SLOGAN_CHARACTERS: usize = 1023;

/// The text of a list of characters.
fn text_of(list: Term) -> Option<String> {
    let mut text = String::new();
    for (count, item) in list::items(list).enumerate() {
        let item = item.ok()?;
        if count == SLOGAN_CHARACTERS {
            return Some(text);
        }
        text.push(unicode::character(item)?);
    }
    Some(text)
}
