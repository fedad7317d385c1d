//! The server of the window: HTTP/1.1 on a thread of its own, with one more thread for what takes longer than
//! microseconds ([`walker`]).
//!
//! It needs no scheduler and no memory that grows: connections, headers, bodies, the time that each may take and the
//! bytes of all answers together are limited ([`connections`], [`stream`], [`answer`]). Who may ask what is decided in
//! [`access`]; what there is to ask for is the table in [`api`]. Nothing that a request contains is logged or printed.
//!
//! [`open`], [`close`] and [`url`] may be called by any thread; everything below runs on the server's threads.

mod access;
mod answer;
mod api;
mod assets;
mod connections;
mod lease;
mod options;
mod routes;
mod served;
mod stream;
mod timer;
mod token;
mod walker;

use std::fmt::{self, Display};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use sys::errno::Errno;
use sys::standard::tail;
use tokio::net::TcpSocket;
use tokio::sync::Notify;

use crate::events::{self, Own};
use crate::figures;
use crate::profile;
use access::Access;
pub use api::fuzz;
use lease::Lease;
pub use options::Options;
use served::Served;
use token::Token;
use walker::Walker;

/// The stack of the server's thread, which only formats text.
const STACK_BYTES: usize = 512 << 10;
/// Connections that the system keeps until they are accepted.
const BACKLOG: u32 = 128;
/// What the system keeps of an answer that is not read: its own choice may be megabytes for each connection.
const SEND_BUFFER_BYTES: u32 = 256 << 10;

/// How often is looked whether a window is still used that is open only as long.
const LOOK_AT_LEASE: Duration = Duration::from_secs(1);

/// Why the window does not open.
#[derive(Debug)]
pub enum OpenError {
    /// The system refuses the address.
    Listen(SocketAddr, Errno),
    /// There is no token, and why.
    Token(String),
    /// The system gives no thread or no descriptors.
    Thread(Errno),
}

impl Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Listen(address, error) => {
                let what_to_do = match *error {
                    Errno::EADDRINUSE => ": choose another port, or 0 for any that is free",
                    Errno::EACCES if address.port() < 1024 => {
                        ": ports below 1024 need a right that the node does not have; choose a higher one"
                    }
                    Errno::EADDRNOTAVAIL => ": this host has no such address",
                    _ => "",
                };
                let why = error.message();
                write!(
                    out,
                    "the dashboard cannot listen at {address}: {why}{what_to_do}"
                )
            }
            OpenError::Token(why) => write!(out, "the dashboard has no token: {why}"),
            OpenError::Thread(error) => {
                write!(out, "the dashboard cannot be started: {}", error.message())
            }
        }
    }
}

impl std::error::Error for OpenError {}

/// An open window.
struct Open {
    /// As it was asked for: the port may be 0.
    asked: SocketAddr,
    /// As it is.
    address: SocketAddr,
    url: String,
    lease: Arc<Lease>,
    end: Arc<Notify>,
    server: JoinHandle<()>,
}

impl Open {
    /// Ends the server's threads and closes all connections. Returns when the address is free again.
    fn close(self) {
        self.end.notify_one();
        // The thread does nothing that takes longer than a moment.
        let _ = self.server.join();
    }
}

static WINDOW: Mutex<Option<Open>> = Mutex::new(None);

/// Opens the window at this address, where port 0 is any free one, and returns the URL to open. With a token the URL
/// has it in its fragment, which browsers do not send. A window that is open there already stays as it is; one at
/// another address is closed when the new one is open.
pub fn open(address: SocketAddr, options: &Options) -> Result<String, OpenError> {
    let mut window = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = window.as_ref().filter(|open| open.asked == address) {
        open.lease.keep();
        return Ok(open.url.clone());
    }
    let open = begin(address, options, Lease::new(None), window.is_none())?;
    let url = open.url.clone();
    if let Some(before) = window.replace(open) {
        before.close();
    }
    Ok(url)
}

/// Opens the window at a free port of 127.0.0.1 for as long as somebody uses it: until [`leave`] is called as often as
/// this, or nothing has been asked for so long a time. One that is open stays as it is. Returns the URL as [`open`]
/// does.
pub fn open_while_used(patience: Duration, options: &Options) -> Result<String, OpenError> {
    let mut window = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = &*window {
        open.lease.join(patience);
        return Ok(open.url.clone());
    }
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let open = begin(address, options, Lease::new(Some(patience)), true)?;
    Ok(window.insert(open).url.clone())
}

/// Has a window that is open stay so until it is told to close; returns its URL, or `None` if it is closed.
#[must_use]
pub fn keep() -> Option<String> {
    let window = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    window.as_ref().map(|open| {
        open.lease.keep();
        open.url.clone()
    })
}

/// Says that somebody who had [`open_while_used`] called does not use the window any more.
pub fn leave() {
    if let Some(open) = &*WINDOW.lock().unwrap_or_else(PoisonError::into_inner) {
        open.lease.leave();
    }
    close_unused();
}

/// Closes the window if it was open only for those who used it, and none of them is left.
fn close_unused() {
    let mut window = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    let unused = window.take_if(|open| open.lease.is_over());
    drop(window);
    if let Some(unused) = unused {
        watch_no_more();
        unused.close();
    }
}

fn begin(
    address: SocketAddr,
    options: &Options,
    lease: Lease,
    is_first: bool,
) -> Result<Open, OpenError> {
    let open = watch(options.events)
        .map_err(OpenError::Thread)
        .and_then(|()| start(address, options, lease))
        .inspect_err(|_| {
            if is_first {
                watch_no_more();
            }
        })?;
    events::note(Own::Opened(open.address));
    Ok(open)
}

/// Closes the window; false if it was not open.
pub fn close() -> bool {
    let before = WINDOW.lock().unwrap_or_else(PoisonError::into_inner).take();
    watch_no_more();
    before.map(Open::close).is_some()
}

/// Begins to keep what an open window shows of the past.
fn watch(limits: events::Limits) -> sys::Result<()> {
    tail::open();
    figures::open()?;
    events::open(limits)
}

fn watch_no_more() {
    tail::close();
    figures::close();
    events::close();
    profile::close();
}

/// The URL of the window, as [`open`] returned it; `None` if it is closed.
#[must_use]
pub fn url() -> Option<String> {
    let window = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    window.as_ref().map(|open| open.url.clone())
}

fn start(asked: SocketAddr, options: &Options, lease: Lease) -> Result<Open, OpenError> {
    let needs_token = options.control || options.token_file.is_some() || !asked.ip().is_loopback();
    let token = match &options.token_file {
        Some(path) => Some(Token::read(path).map_err(OpenError::Token)?),
        None if needs_token => Some(Token::random().map_err(|error| {
            OpenError::Token(format!(
                "the system has no random bytes: {}",
                error.message()
            ))
        })?),
        None => None,
    };
    let listening = |error: std::io::Error| OpenError::Listen(asked, error.into());
    let socket = match asked {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let socket = socket.map_err(listening)?;
    // So that a node that starts again gets its port. What is only smaller buffers may fail.
    socket.set_reuseaddr(true).map_err(listening)?;
    let _ = socket.set_send_buffer_size(SEND_BUFFER_BYTES);
    socket.bind(asked).map_err(listening)?;
    let thread = |error: std::io::Error| OpenError::Thread(error.into());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build()
        .map_err(thread)?;
    let listener = {
        let _entered = runtime.enter();
        socket.listen(BACKLOG).map_err(listening)?
    };
    let address = listener.local_addr().map_err(listening)?;
    let access = Access::new(address, options, token);
    let url = access.url();
    let walker = Walker::start().map_err(OpenError::Thread)?;
    let lease = Arc::new(lease);
    let shared = Arc::clone(&lease);
    let end = Arc::new(Notify::new());
    let ended = Arc::clone(&end);
    let server = sys::thread::spawn("ferl_window", STACK_BYTES, move || {
        let tasks = tokio::task::LocalSet::new();
        tasks.spawn_local(end_with(Arc::clone(&shared)));
        let served = Served::new(access, walker, shared);
        tasks.spawn_local(connections::serve(listener, served));
        tasks.block_on(&runtime, ended.notified());
        // Dropping its tasks closes the address and all connections.
    });
    Ok(Open {
        asked,
        address,
        url,
        lease,
        end,
        server: server.map_err(OpenError::Thread)?,
    })
}

/// Has the window closed when nobody uses it any more.
async fn end_with(lease: Arc<Lease>) {
    loop {
        tokio::time::sleep(LOOK_AT_LEASE).await;
        if lease.is_over() {
            // Closing waits for this thread.
            let _ = sys::thread::spawn("ferl_window_end", STACK_BYTES, close_unused);
        }
    }
}
