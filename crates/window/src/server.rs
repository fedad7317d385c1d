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
mod options;
mod routes;
mod served;
mod stream;
mod timer;
mod token;
mod walker;

use std::fmt::{self, Display};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use sys::errno::Errno;
use tokio::net::TcpSocket;
use tokio::sync::Notify;

use crate::figures;
use access::Access;
pub use api::fuzz;
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
    url: String,
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
        return Ok(open.url.clone());
    }
    figures::open().map_err(OpenError::Thread)?;
    let open = start(address, options).inspect_err(|_| {
        if window.is_none() {
            figures::close();
        }
    })?;
    let url = open.url.clone();
    if let Some(before) = window.replace(open) {
        before.close();
    }
    Ok(url)
}

/// Closes the window; false if it was not open.
pub fn close() -> bool {
    let before = WINDOW.lock().unwrap_or_else(PoisonError::into_inner).take();
    figures::close();
    before.map(Open::close).is_some()
}

/// The URL of the window, as [`open`] returned it; `None` if it is closed.
#[must_use]
pub fn url() -> Option<String> {
    let window = WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
    window.as_ref().map(|open| open.url.clone())
}

fn start(asked: SocketAddr, options: &Options) -> Result<Open, OpenError> {
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
    let end = Arc::new(Notify::new());
    let ended = Arc::clone(&end);
    let server = sys::thread::spawn("ferl_window", STACK_BYTES, move || {
        let tasks = tokio::task::LocalSet::new();
        tasks.spawn_local(connections::serve(listener, Served::new(access, walker)));
        tasks.block_on(&runtime, ended.notified());
        // Dropping its tasks closes the address and all connections.
    });
    Ok(Open {
        asked,
        url,
        end,
        server: server.map_err(OpenError::Thread)?,
    })
}
