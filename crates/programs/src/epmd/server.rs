//! The connections of the port mapper: one thread, which never waits for one of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use sys::errno::{Errno, Result};
use sys::poll::{Events, Interest, Poller, Token, Trigger};
use sys::socket::address::View;
use sys::socket::{self, Address, Family, SocketKind, option};

use super::names::{MOST_REQUEST_BYTES, Names, Reply};
use super::words::Settings;
use crate::complaint;

/// The system's limit is lower, mostly.
const BACKLOG: i32 = 4096;
const EVENTS: usize = 64;
/// How often connections are looked at that are silent for too long.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long nothing is accepted after the system has refused.
const REST: Duration = Duration::from_millis(50);
/// The bytes of a request's length.
const LENGTH_BYTES: usize = 2;

struct Server {
    settings: Settings,
    names: Names,
    poller: Poller,
    listeners: HashMap<u64, OwnedFd>,
    connections: HashMap<u64, Connection>,
    /// The next token: none is used twice, so that events of a closed connection reach no other one.
    next: u64,
    ends: bool,
}

struct Connection {
    socket: OwnedFd,
    is_local: bool,
    /// What has come of the request.
    request: Vec<u8>,
    /// What is still to be sent.
    answer: Vec<u8>,
    state: State,
    since: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A request is to come.
    Asking,
    /// Closed once all is sent.
    Closing,
    /// Of a registered node.
    Kept,
}

/// Serves until it is told to end. Returns the exit status.
pub(super) fn serve(settings: Settings, in_background: bool) -> u8 {
    match serve_or_fail(settings, in_background) {
        Ok(()) => 0,
        Err(error) => {
            complaint::say(&format!("epmd: {}\n", error.message()));
            1
        }
    }
}

fn serve_or_fail(settings: Settings, in_background: bool) -> Result<()> {
    let Some(mut server) = Server::new(settings)? else {
        return Ok(());
    };
    // Now that it listens: whoever has started it can connect as soon as the foreground ends.
    if in_background {
        if sys::detach::detach()? == sys::detach::Side::Foreground {
            return Ok(());
        }
        // No folder is kept from being unmounted.
        let _ = std::env::set_current_dir("/");
    }
    server.run()
}

/// The addresses to listen at, and whether it must be possible.
fn places(settings: &Settings) -> Vec<(IpAddr, bool)> {
    let (any, loopback) = (
        [IpAddr::from([0; 4]), IpAddr::from([0; 16])],
        [
            IpAddr::from([127, 0, 0, 1]),
            std::net::Ipv6Addr::LOCALHOST.into(),
        ],
    );
    if settings.addresses.is_empty() {
        // A system without IPv6 has only the first.
        return vec![(any[0], true), (any[1], false)];
    }
    let mut places: Vec<_> = settings.addresses.iter().map(|ip| (*ip, true)).collect();
    for loopback in loopback {
        let is_there = settings.addresses.iter().any(|ip| {
            ip.is_ipv4() == loopback.is_ipv4() && (ip.is_loopback() || ip.is_unspecified())
        });
        if !is_there {
            places.push((loopback, false));
        }
    }
    places
}

fn listen(ip: IpAddr, port: u16) -> Result<OwnedFd> {
    let (family, address) = match ip {
        IpAddr::V4(ip) => (Family::Inet, Address::inet(ip.octets(), port)),
        IpAddr::V6(ip) => (Family::Inet6, Address::inet6(ip.octets(), port, 0, 0)),
    };
    let socket = socket::open(family, SocketKind::Stream)?;
    if family == Family::Inet6 {
        option::set_int(socket.as_fd(), option::ONLY_IPV6, 1)?;
    }
    option::set_int(socket.as_fd(), option::REUSE_ADDRESS, 1)?;
    socket::bind(socket.as_fd(), &address)?;
    socket::listen(socket.as_fd(), BACKLOG)?;
    Ok(socket)
}

impl Server {
    /// A server that listens; `None` if another one does already.
    fn new(settings: Settings) -> Result<Option<Server>> {
        let mut server = Server {
            names: Names::new(settings.port, settings.is_relaxed),
            poller: Poller::new()?,
            listeners: HashMap::new(),
            connections: HashMap::new(),
            next: 0,
            ends: false,
            settings,
        };
        for (ip, must) in places(&server.settings) {
            match listen(ip, server.settings.port) {
                Ok(listener) => {
                    let token = server.token();
                    server.watch(listener.as_fd(), token, Interest::READ)?;
                    server.listeners.insert(token, listener);
                }
                Err(Errno::EADDRINUSE) => {
                    let port = server.settings.port;
                    server.tell(&format!(
                        "there is already a epmd running at port {port} on ipaddr {ip}"
                    ));
                    return Ok(None);
                }
                Err(error) if must => return Err(error),
                Err(_) => {}
            }
        }
        Ok(Some(server))
    }

    fn token(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn watch(&self, socket: BorrowedFd<'_>, token: u64, interest: Interest) -> Result<()> {
        self.poller
            .add(socket, Token(token), interest, Trigger::Level)
    }

    /// Says on standard error what happens, if that is wanted.
    fn tell(&self, text: &str) {
        if self.settings.is_told {
            complaint::say(&format!("epmd: {text}\n"));
        }
    }

    fn run(&mut self) -> Result<()> {
        let mut events = Events::with_capacity(EVENTS);
        while !self.ends {
            let timeout = self
                .connections
                .values()
                .any(|one| one.state != State::Kept);
            let timeout = timeout.then_some(LOOK_EVERY.as_nanos() as u64);
            self.poller.wait(&mut events, timeout)?;
            for event in events.iter() {
                let token = event.token.0;
                if self.listeners.contains_key(&token) {
                    self.accept(token);
                } else if event.is_readable() {
                    self.read(token);
                }
                if event.is_writable() {
                    self.write(token);
                }
            }
            let late = self.settings.packet_timeout;
            let is_late = |one: &Connection| one.state != State::Kept && one.since.elapsed() > late;
            let late: Vec<u64> = (self.connections.iter())
                .filter(|(_, one)| is_late(one))
                .map(|(token, _)| *token)
                .collect();
            for token in late {
                self.close(token);
            }
        }
        Ok(())
    }

    /// Takes the connections that wait.
    fn accept(&mut self, listener: u64) {
        loop {
            let Some(listener) = self.listeners.get(&listener) else {
                return;
            };
            let (socket, peer) = match socket::accept(listener.as_fd()) {
                Ok(accepted) => accepted,
                Err(Errno::EAGAIN | Errno::ECONNABORTED) => return,
                Err(_) => {
                    // There are no descriptors, and the connection still waits.
                    std::thread::sleep(REST);
                    return;
                }
            };
            let token = self.token();
            if self.watch(socket.as_fd(), token, Interest::READ).is_err() {
                continue;
            }
            let connection = Connection {
                is_local: is_local(socket.as_fd(), &peer),
                socket,
                request: Vec::new(),
                answer: Vec::new(),
                state: State::Asking,
                since: Instant::now(),
            };
            self.connections.insert(token, connection);
        }
    }

    /// Reads what has come. Whatever comes from a registered node ends its connection, as its end does.
    fn read(&mut self, token: u64) {
        let Some(connection) = self.connections.get_mut(&token) else {
            return;
        };
        let mut room = [0; MOST_REQUEST_BYTES + LENGTH_BYTES];
        match sys::fd::read(connection.socket.as_fd(), &mut room) {
            Ok(0) => return self.close(token),
            Ok(count) => connection.request.extend_from_slice(&room[..count]),
            Err(Errno::EAGAIN) => return,
            Err(_) => return self.close(token),
        }
        if connection.state != State::Asking {
            return self.close(token);
        }
        let Some((length, rest)) = connection.request.split_at_checked(LENGTH_BYTES) else {
            return;
        };
        let length = length_of(length);
        if length == 0 || length > MOST_REQUEST_BYTES || rest.len() > length {
            return self.close(token);
        }
        if rest.len() == length {
            let request = rest.to_vec();
            self.answer(token, &request);
        }
    }

    fn answer(&mut self, token: u64, request: &[u8]) {
        let Some(connection) = self.connections.get_mut(&token) else {
            return;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = now.map_or(0, |now| now.as_secs() as u32);
        let reply = self
            .names
            .answer(token, connection.is_local, request, seconds);
        let (answer, state) = match &reply {
            Reply::Keep(answer) => (answer, State::Kept),
            Reply::Close(answer) | Reply::CloseBoth(answer, _) | Reply::End(answer) => {
                (answer, State::Closing)
            }
        };
        connection.answer = answer.clone();
        connection.state = state;
        connection.since = Instant::now();
        let text = format!("request {:?}", String::from_utf8_lossy(request));
        self.tell(&text);
        self.write(token);
        match reply {
            Reply::CloseBoth(_, other) => self.close(other),
            Reply::End(_) => self.ends = true,
            Reply::Keep(_) | Reply::Close(_) => {}
        }
    }

    /// Sends what is to be sent, as far as that goes now.
    fn write(&mut self, token: u64) {
        let Some(connection) = self.connections.get_mut(&token) else {
            return;
        };
        while !connection.answer.is_empty() {
            match socket::send(connection.socket.as_fd(), &connection.answer) {
                Ok(sent) => drop(connection.answer.drain(..sent)),
                Err(Errno::EAGAIN) => {
                    let socket = connection.socket.as_fd();
                    let _ =
                        self.poller
                            .modify(socket, Token(token), Interest::BOTH, Trigger::Level);
                    return;
                }
                Err(_) => return self.close(token),
            }
        }
        match connection.state {
            State::Closing => self.close(token),
            State::Asking | State::Kept => {
                let socket = connection.socket.as_fd();
                let _ = self
                    .poller
                    .modify(socket, Token(token), Interest::READ, Trigger::Level);
            }
        }
    }

    /// Closes a connection; a node that was registered by it has gone.
    fn close(&mut self, token: u64) {
        if let Some(connection) = self.connections.remove(&token) {
            let _ = self.poller.remove(connection.socket.as_fd());
            self.names.forget(token);
        }
    }
}

fn length_of(bytes: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([bytes[0], bytes[1]]))
}

/// Whether the peer is on this host: at a loopback address, or at the one that it has connected to.
fn is_local(socket: BorrowedFd<'_>, peer: &Address) -> bool {
    let ip = |address: &Address| match address.view() {
        View::Inet { ip, .. } => Some(IpAddr::from(ip)),
        View::Inet6 { ip, .. } => Some(IpAddr::from(ip)),
        _ => None,
    };
    let Some(peer) = ip(peer) else { return false };
    peer.is_loopback() || socket::name(socket).is_ok_and(|own| ip(&own) == Some(peer))
}
