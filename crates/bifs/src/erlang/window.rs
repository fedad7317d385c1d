//! The window into the node, as programs open and close it: `erlang:system_flag({ferl, dashboard}, _)`, and what they
//! say about the node there, `{ferl, ready}`.

use std::time::Duration;

use layout::Term;
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::process::Process;
use term::{am, atom, build, iolist};
use window::health;
use window::server::{self, OpenError, Options};

/// The longest text of an address.
const MOST_BYTES: usize = 64;

/// Opens the dashboard at a port of 127.0.0.1, or at an address as `+dashboard` takes it; with `true` where it is open,
/// or at any free port. Returns `{ok, Url}`, where a token is in the fragment if one is needed, or `{error, Reason}`.
/// `false` closes it, and is returned.
///
/// `{while_used, Seconds}` opens it, if it is not open, for as long as something is asked of it at least once in so
/// many seconds, or until `unused` is set as often. That returns `false`.
pub(super) fn dashboard(process: &mut Process, value: Term) -> BifResult {
    if let Some(patience) = patience(value) {
        let opened = server::open_while_used(patience?, &Options::configured());
        return Ok(where_opened(process, opened));
    }
    if value == atom::known("unused") {
        server::leave();
        return Ok(am::FALSE);
    }
    let url = match value {
        am::FALSE => {
            server::close();
            return Ok(am::FALSE);
        }
        am::TRUE => server::keep(),
        _ => None,
    };
    let opened = match url {
        Some(url) => Ok(url),
        None => server::open(address(value).ok_or(badarg(2))?, &Options::configured()),
    };
    Ok(where_opened(process, opened))
}

/// The time in `{while_used, Seconds}`; `None` if the value is something else.
fn patience(value: Term) -> Option<Result<Duration, Failure>> {
    const LONGEST: i64 = 24 * 3600;
    let [name, seconds] = value.as_tuple_of()?;
    if name != atom::known("while_used") {
        return None;
    }
    let seconds = seconds
        .as_small()
        .filter(|seconds| (1..=LONGEST).contains(seconds));
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    Some(seconds.map(Duration::from_secs).ok_or(badarg(2)))
}

fn where_opened(process: &mut Process, opened: Result<String, OpenError>) -> Term {
    let heap = process.heap();
    match opened {
        Ok(url) => {
            let url = build::binary(heap, url.as_bytes());
            build::tuple(heap, &[am::OK, url])
        }
        Err(error) => {
            let reason = match &error {
                OpenError::Listen(_, errno) | OpenError::Thread(errno) => atom::known(errno.name()),
                OpenError::Token(_) => build::binary(heap, error.to_string().as_bytes()),
            };
            build::tuple(heap, &[am::ERROR, reason])
        }
    }
}

/// `erlang:system_info({ferl, dashboard})`: `{ok, Url}` as above if it is open, else `false`.
pub(super) fn where_it_is(process: &mut Process) -> Term {
    let Some(url) = server::url() else {
        return am::FALSE;
    };
    let heap = process.heap();
    let url = build::binary(heap, url.as_bytes());
    build::tuple(heap, &[am::OK, url])
}

fn address(value: Term) -> Option<std::net::SocketAddr> {
    let text = match value {
        am::TRUE => b"0".to_vec(),
        _ => match value.as_small() {
            Some(port) => port.to_string().into_bytes(),
            None => iolist::to_vec(value, MOST_BYTES).ok()?,
        },
    };
    spec::flags::listen_address(&text)
}

/// Says whether the node's programs are ready for work, for `/health/ready`; returns what was said before.
pub(super) fn ready(value: Term) -> BifResult {
    match value {
        am::TRUE | am::FALSE => Ok(am::boolean(health::set_ready(value == am::TRUE))),
        _ => Err(badarg(2)),
    }
}
