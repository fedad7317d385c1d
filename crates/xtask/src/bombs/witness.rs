//! Asks a process of the node every 10 ms, and sees how long it is silent.

use anyhow::Result;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const ASKS_EVERY: Duration = Duration::from_millis(10);

/// The thread that asks. It ends when the node closes the connection, or never if the node has not connected.
pub(crate) struct Witness {
    pub(crate) port: u16,
    thread: JoinHandle<Duration>,
}

impl Witness {
    pub(crate) fn new() -> Result<Witness> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let thread = thread::spawn(move || {
            listener
                .accept()
                .map_or(Duration::ZERO, |(stream, _)| longest_silence(stream))
        });
        Ok(Witness { port, thread })
    }

    /// The longest time between a question and its answer. For when the node is gone.
    pub(crate) fn longest_silence(self) -> Duration {
        // A node that has not booted has not connected either, and the thread waits for that.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        self.thread.join().unwrap_or(Duration::ZERO)
    }
}

fn longest_silence(mut stream: TcpStream) -> Duration {
    let mut longest = Duration::ZERO;
    let mut ask = || -> io::Result<Duration> {
        let asked_at = Instant::now();
        stream.write_all(b"?")?;
        let answered = stream.read_exact(&mut [0]);
        longest = longest.max(asked_at.elapsed());
        answered.map(|()| asked_at.elapsed())
    };
    while let Ok(took) = ask() {
        thread::sleep(ASKS_EVERY.saturating_sub(took));
    }
    longest
}
