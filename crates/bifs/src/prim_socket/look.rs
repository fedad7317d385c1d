//! What the window sees of all sockets: a list of them, and what each is, without their owners and without a scheduler.
//!
//! A socket is in the list from when it is made until nothing refers to it any more. Any thread may call.

use std::collections::HashMap;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::{Arc, LazyLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use sys::socket::catalogue;
use window::sockets::Looked;

use super::socket::{Line, Socket, Task, state};

/// All sockets, by their addresses.
static ALL: LazyLock<Mutex<HashMap<usize, Weak<Socket>>>> = LazyLock::new(Mutex::default);

/// Adds a new socket to the list.
pub(super) fn add(socket: &Arc<Socket>) {
    let weak = Arc::downgrade(socket);
    ALL.lock().insert(Arc::as_ptr(socket) as usize, weak);
}

/// Takes a socket that is being dropped out of the list.
pub(super) fn remove(socket: &Socket) {
    ALL.lock().remove(&(std::ptr::from_ref(socket) as usize));
}

/// All sockets that are open; those whose locks were not acquired in `timeout` are left out, and counted.
pub(super) fn look_within(timeout: Duration) -> (Vec<Looked>, usize) {
    // One that nobody else refers to any more is dropped by this thread, when the list is not locked.
    let all: Vec<Arc<Socket>> = ALL.lock().values().filter_map(Weak::upgrade).collect();
    let (mut looked, mut left_out) = (Vec::with_capacity(all.len()), 0);
    for socket in all {
        match look(&socket, timeout) {
            Some(socket) => looked.extend(socket),
            None => left_out += 1,
        }
    }
    looked.sort_by_key(|socket| socket.descriptor);
    (looked, left_out)
}

fn named(names: &[(&'static str, i32)], number: i32) -> String {
    let known = names.iter().find(|(_, known)| *known == number);
    known.map_or_else(|| number.to_string(), |(name, _)| (*name).to_owned())
}

/// How many processes wait to do this.
fn waiting(line: &Line, task: Task) -> usize {
    match line.task {
        Some(current) if current == task => usize::from(line.current.is_some()) + line.queue.len(),
        _ => 0,
    }
}

/// `None` if a lock was not acquired in time; then `None` if the socket is closed.
fn look(socket: &Socket, timeout: Duration) -> Option<Option<Looked>> {
    let reading = socket.reading.try_lock_for(timeout)?;
    let writing = socket.writing.try_lock_for(timeout)?;
    let kept = socket.kept.try_lock_for(timeout)?;
    let Ok(descriptor) = reading.open() else {
        return Some(None);
    };
    let fd = descriptor.as_fd();
    let address = |address: sys::Result<sys::socket::Address>| address.ok()?.text();
    let (local, peer) = (
        address(sys::socket::name(fd)),
        address(sys::socket::peer(fd)),
    );
    let is = |bit: u32| (reading.state | writing.state) & bit != 0;
    let status = match () {
        () if is(state::LISTENING) => "listening",
        // An accepted one does not have the bit before OTP 27.
        () if is(state::CONNECTED) || peer.is_some() => "connected",
        () if is(state::CONNECTING) => "connecting",
        () if is(state::BOUND) => "bound",
        () => "open",
    };
    let files = writing.sending.counters.as_ref();
    Some(Some(Looked {
        descriptor: fd.as_raw_fd(),
        owner: kept.owner,
        domain: named(catalogue::FAMILIES, socket.domain),
        kind: named(catalogue::KINDS, socket.kind),
        protocol: named(catalogue::PROTOCOLS, socket.protocol),
        status,
        local,
        peer,
        input_bytes: reading.traffic.bytes,
        output_bytes: writing.traffic.bytes + files.map_or(0, |files| files.bytes),
        readers: waiting(&reading, Task::Read) + waiting(&reading, Task::Accept),
        writers: waiting(&writing, Task::Write) + waiting(&writing, Task::Connect),
    }))
}
