//! Information about one socket and all sockets, and about what is supported.

use std::sync::atomic::Ordering;

use layout::{Term, no_gc};
use sys::socket::call::MOST_MESSAGE_PARTS;
use sys::socket::{catalogue, resolve};
use term::release::{self, Release};
use term::{am, atom, build, map};

use super::address::name_or_number;
use super::outcome::{Answer, Refusal, answer};
use super::socket::socket;
use super::socket::{COUNT_NAMES, COUNTS, Line, NODE, Task, state};
use runtime::code::bif::BifResult;
use runtime::process::Process;

/// `prim_socket:nif_info()`
pub(crate) fn nif_info_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let mut counters = vec![(atom::known("num_cnt_bits"), Term::small(64))];
    for (name, count) in COUNT_NAMES.iter().zip(&COUNTS) {
        let count = build::unsigned(heap, count.load(Ordering::Relaxed));
        counters.push((atom::known(name), count));
    }
    let counters = map::from_pairs(heap, &counters);
    let node = NODE.lock();
    let mut pairs = vec![
        (am::DEBUG, am::boolean(node.debug)),
        (atom::known("socket_debug"), am::boolean(node.socket_debug)),
        (am::USE_REGISTRY, am::boolean(node.use_registry)),
        (atom::known("iow"), am::FALSE),
        (am::COUNTERS, counters),
        (
            atom::known("iov_max"),
            Term::small(MOST_MESSAGE_PARTS as i64),
        ),
    ];
    if release::has(Release::OTP_26) {
        let backend = [(am::NAME, atom::known("unix_essio"))];
        let backend = map::from_pairs(heap, &backend);
        pairs.push((atom::known("eei"), am::TRUE));
        pairs.push((atom::known("io_backend"), backend));
    }
    Ok(map::from_pairs(heap, &pairs))
}

/// `prim_socket:nif_info(Socket)`
pub(crate) fn nif_info_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    let outcome = info(process, reference);
    answer(process, outcome)
}

/// The names of the bits of a line's state, in the order in which they are reported.
const STATES: &[(&str, u32)] = &[
    ("bound", state::BOUND),
    ("listening", state::LISTENING),
    ("accepting", state::ACCEPTING),
    ("connecting", state::CONNECTING),
    ("connected", state::CONNECTED),
    ("selected", state::SELECTED),
    ("closing", state::CLOSING),
    ("closed", state::CLOSED),
];

fn states(process: &mut Process, line: &Line) -> Term {
    let names: Vec<Term> = STATES
        .iter()
        .filter(|(_, bit)| line.state & bit != 0)
        .map(|(name, _)| atom::known(name))
        .collect();
    build::list(process.heap(), &names)
}

fn in_line(line: &Line, task: Task) -> Term {
    let count = match line.task {
        Some(current) if current == task => usize::from(line.current.is_some()) + line.queue.len(),
        _ => 0,
    };
    Term::small(count as i64)
}

fn info(process: &mut Process, reference: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let (reading, writing, kept) = socket.all();
    let origin = match (socket.origin, socket.is_lent) {
        (None | Some(0), _) => am::NORMAL,
        (Some(_), true) => atom::known("fromfd"),
        (Some(number), false) => {
            let number = Term::small(number.into());
            build::tuple(process.heap(), &[atom::known("fromfd"), number])
        }
    };
    let counters = counters(process, &reading, &writing);
    let reading_states = states(process, &reading);
    let writing_states = states(process, &writing);
    let pairs = [
        (
            am::DOMAIN,
            name_or_number(catalogue::FAMILIES, socket.domain),
        ),
        (am::TYPE, name_or_number(catalogue::KINDS, socket.kind)),
        (am::PROTOCOL, Term::small(socket.protocol.into())),
        (am::OWNER, kept.owner.unwrap_or(am::UNDEFINED)),
        (atom::known("rstates"), reading_states),
        (atom::known("wstates"), writing_states),
        (atom::known("ctype"), origin),
        (am::COUNTERS, counters),
        (atom::known("num_readers"), in_line(&reading, Task::Read)),
        (atom::known("num_writers"), in_line(&writing, Task::Write)),
        (
            atom::known("num_acceptors"),
            in_line(&reading, Task::Accept),
        ),
    ];
    Ok(map::from_pairs(process.heap(), &pairs))
}

fn counters(process: &mut Process, reading: &Line, writing: &Line) -> Term {
    let heap = process.heap();
    let mut pairs = Vec::new();
    let mut add = |name: &str, count: u64| {
        let count = build::unsigned(heap, count);
        pairs.push((atom::known(name), count));
    };
    for (prefix, traffic) in [("read", &reading.traffic), ("write", &writing.traffic)] {
        for (name, count) in [
            ("byte", traffic.bytes),
            ("fails", traffic.fails),
            ("pkg", traffic.packets),
            ("pkg_max", traffic.largest),
            ("tries", traffic.tries),
            ("waits", traffic.waits),
        ] {
            add(&format!("{prefix}_{name}"), count);
        }
    }
    let accepted = &reading.accepted;
    add("acc_success", accepted.taken);
    add("acc_fails", accepted.fails);
    add("acc_tries", accepted.tries);
    add("acc_waits", accepted.waits);
    if let Some(files) = &writing.sending.counters {
        add("sendfile", files.calls);
        add("sendfile_byte", files.bytes);
        add("sendfile_fails", files.fails);
        add("sendfile_max", files.largest);
        add("sendfile_pkg", files.packets);
        add("sendfile_pkg_max", files.packet_max);
        add("sendfile_tries", files.tries);
        add("sendfile_waits", files.waits);
    }
    map::from_pairs(process.heap(), &pairs)
}

/// `prim_socket:nif_command(Command)`
pub(crate) fn nif_command_1(process: &mut Process, [command]: [Term; 1]) -> BifResult {
    let outcome = run_command(process, command);
    answer(process, outcome)
}

fn run_command(process: &mut Process, command: Term) -> Answer {
    if !command.is_map() {
        return Err(Refusal::Badarg);
    }
    let get = |key: Term| map::get(command, key).ok_or(Refusal::Badarg);
    let (name, data) = (get(atom::known("command"))?, get(am::DATA)?);
    let mut node = NODE.lock();
    let known = ["debug", "socket_debug", "use_registry"].map(atom::known);
    let [debug, socket_debug, use_registry] = known.map(|known| known == name);
    if !debug && !socket_debug && !use_registry {
        let what = build::tuple(process.heap(), &[atom::known("command"), name]);
        return Err(Refusal::Raise(what));
    }
    let flag = match data {
        am::TRUE => true,
        am::FALSE => false,
        _ => {
            let what = build::tuple(process.heap(), &[am::DATA, data]);
            return Err(Refusal::Raise(what));
        }
    };
    if debug {
        node.debug = flag;
    } else if socket_debug {
        node.socket_debug = flag;
    } else {
        node.use_registry = flag;
    }
    Ok(am::OK)
}

/// `prim_socket:nif_supports()`
pub(crate) fn nif_supports_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let pairs: Vec<Term> = ["sctp", "ipv6", "local", "netns", "sendfile"]
        .iter()
        .map(|name| build::tuple(heap, &[atom::known(name), am::TRUE]))
        .collect();
    Ok(build::list(heap, &pairs))
}

/// `prim_socket:nif_supports(What)`
pub(crate) fn nif_supports_1(process: &mut Process, [what]: [Term; 1]) -> BifResult {
    let name = if what.is_atom() { atom::text(what) } else { "" };
    Ok(match name {
        "msg_flags" => {
            let later = (Release::OTP_28, catalogue::LATER_MESSAGE_FLAGS);
            numbers(process, catalogue::MESSAGE_FLAGS, later)
        }
        "ioctl_flags" => {
            let later = (Release::OTP_27, catalogue::LATER_INTERFACE_FLAGS);
            numbers(process, catalogue::INTERFACE_FLAGS, later)
        }
        "ioctl_requests" => {
            let later = (Release::OTP_27, catalogue::LATER_REQUESTS);
            numbers(process, catalogue::REQUESTS, later)
        }
        "protocols" => protocols(process),
        "options" => options(process),
        _ => Term::NIL,
    })
}

/// A table, with what a later release has besides.
fn numbers<N: Copy + TryInto<i64>>(
    process: &mut Process,
    table: &[(&str, N)],
    (since, later): (Release, &[(&str, N)]),
) -> Term {
    let heap = process.heap();
    let pairs: Vec<Term> = table
        .iter()
        .chain(later.iter().filter(|_| release::has(since)))
        .map(|(name, number)| {
            let number = Term::small((*number).try_into().unwrap_or(0));
            build::tuple(heap, &[atom::known(name), number])
        })
        .collect();
    build::list(heap, &pairs)
}

/// The built-in protocols, followed by those of the system's database with the last one first: of two entries with the
/// same name the module uses the later one.
fn protocols(process: &mut Process) -> Term {
    let mut listed = Vec::new();
    let later = catalogue::LATER_PROTOCOLS.iter();
    let later = later.filter(|_| release::has(Release::OTP_28));
    for (name, number) in later.chain(catalogue::PROTOCOLS) {
        listed.push((vec![atom::known(name)], *number));
    }
    for protocol in resolve::protocols().into_iter().rev() {
        let names = std::iter::once(&protocol.name).chain(protocol.aliases.iter().rev());
        let names: Vec<Term> = names
            .filter_map(|name| atom::intern_latin1(name).ok())
            .collect();
        if !names.is_empty() {
            listed.push((names, protocol.number));
        }
    }
    let heap = process.heap();
    let pairs: Vec<Term> = listed
        .into_iter()
        .map(|(names, number)| {
            let names = build::list(heap, &names);
            build::tuple(heap, &[names, Term::small(number.into())])
        })
        .collect();
    build::list(heap, &pairs)
}

/// `[{Level, Options}]`, since OTP 28 `[{Name, Level, Options}]`.
fn options(process: &mut Process) -> Term {
    let heap = process.heap();
    let mut levels = Vec::new();
    for (level, options) in catalogue::OPTIONS {
        let options: Vec<Term> = options
            .iter()
            .filter(|known| known.counts_in(release::get().number()))
            .map(|known| match known.number {
                Some(number) => {
                    let number = Term::small(number.into());
                    build::tuple(heap, &[atom::known(known.name), number])
                }
                None => atom::known(known.name),
            })
            .collect();
        let options = build::list(heap, &options);
        let name = match *level {
            catalogue::SOCKET_LEVEL => am::SOCKET,
            libc_level => {
                let name = catalogue::PROTOCOLS.iter().find(|row| row.1 == libc_level);
                name.map_or(am::UNDEFINED, |row| atom::known(row.0))
            }
        };
        let number = Term::small((*level).into());
        levels.push(if release::has(Release::OTP_28) {
            build::tuple(heap, &[name, number, options])
        } else if name == am::SOCKET {
            build::tuple(heap, &[name, options])
        } else {
            build::tuple(heap, &[number, options])
        });
    }
    build::list(heap, &levels)
}
