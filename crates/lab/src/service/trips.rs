//! Requests of many clients, each of which waits for its answer. The number of requests in flight is limited, and idle
//! clients have their turns in order.
//!
//! One thread, so that many clients cost little beside the server.

use anyhow::{Context, Result, bail};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use sys::poll::{Events, Interest, Poller, Token, Trigger};

use super::load::{WARM_UP_SHARE, print_slowest, rest, under_load};
use super::server::Server;

/// How long nothing may arrive.
pub(super) const SILENCE: Duration = Duration::from_secs(60);
const READ_BYTES: usize = 64 << 10;

/// What clients say, and how they know that they have an answer.
pub(super) trait Protocol {
    /// The request of a client.
    fn request(&self, client: usize) -> Vec<u8>;

    /// How many bytes of what has arrived are the answer; `None` if it is not complete.
    fn answer(&self, arrived: &[u8]) -> Result<Option<usize>>;

    /// The client that gets the answer to this one's request.
    fn answered(&self, client: usize) -> usize {
        client
    }
}

struct Client {
    stream: TcpStream,
    asked: Instant,
    arrived: Vec<u8>,
}

/// Measures a server while clients with these connections make so many requests in all, after some to warm up, and lets
/// it rest.
pub(super) fn measure(
    server: &Server,
    streams: Vec<TcpStream>,
    protocol: &impl Protocol,
    count: u64,
    in_flight: usize,
) -> Result<()> {
    let mut clients = Clients::new(streams)?;
    clients.trips(protocol, count / WARM_UP_SHARE, in_flight)?;
    let (micros, load) = under_load(server, || clients.trips(protocol, count, in_flight))?;
    load.print(count);
    print_slowest(micros);
    rest(server);
    Ok(())
}

struct Clients {
    clients: Vec<Client>,
    poller: Poller,
}

impl Clients {
    fn new(streams: Vec<TcpStream>) -> Result<Clients> {
        let poller = Poller::new().context("epoll")?;
        let mut clients = Vec::with_capacity(streams.len());
        for (index, stream) in streams.into_iter().enumerate() {
            stream.set_nonblocking(true)?;
            poller
                .add(
                    stream.as_fd(),
                    Token(index as u64),
                    Interest::READ,
                    Trigger::Level,
                )
                .context("epoll")?;
            clients.push(Client {
                stream,
                asked: Instant::now(),
                arrived: Vec::new(),
            });
        }
        Ok(Clients { clients, poller })
    }

    /// Makes so many requests in all; returns how long each took in microseconds.
    fn trips(
        &mut self,
        protocol: &impl Protocol,
        count: u64,
        in_flight: usize,
    ) -> Result<Vec<u32>> {
        let mut idle: VecDeque<usize> = (0..self.clients.len()).collect();
        let mut left = count;
        for _ in 0..in_flight.min(self.clients.len()) {
            self.ask(protocol, &mut idle, &mut left)?;
        }
        let mut micros = Vec::with_capacity(count as usize);
        let mut events = Events::with_capacity(256);
        while (micros.len() as u64) < count {
            self.poller
                .wait(&mut events, Some(SILENCE.as_nanos() as u64))
                .context("epoll")?;
            let mut is_silent = true;
            for event in events.iter() {
                is_silent = false;
                let answered = event.token.0 as usize;
                self.clients[answered].read()?;
                while let Some(length) = protocol.answer(&self.clients[answered].arrived)? {
                    self.clients[answered].arrived.drain(..length);
                    // The relation is the same in both directions.
                    let asker = protocol.answered(answered);
                    let took = self.clients[asker].asked.elapsed().as_micros();
                    micros.push(u32::try_from(took).unwrap_or(u32::MAX));
                    idle.push_back(asker);
                    self.ask(protocol, &mut idle, &mut left)?;
                }
            }
            if is_silent {
                bail!("the server has not answered for {} s", SILENCE.as_secs());
            }
        }
        Ok(micros)
    }

    /// Has the next idle client make a request, if any are left to make.
    fn ask(
        &mut self,
        protocol: &impl Protocol,
        idle: &mut VecDeque<usize>,
        left: &mut u64,
    ) -> Result<()> {
        if *left == 0 {
            return Ok(());
        }
        let Some(index) = idle.pop_front() else {
            return Ok(());
        };
        *left -= 1;
        let client = &mut self.clients[index];
        client.asked = Instant::now();
        // A client has one request in flight, for which there is room in the socket's buffer.
        Ok(client.stream.write_all(&protocol.request(index))?)
    }
}

impl Client {
    fn read(&mut self) -> Result<()> {
        let mut room = [0; READ_BYTES];
        match self.stream.read(&mut room) {
            Ok(0) => bail!("the server has closed a connection"),
            Ok(count) => self.arrived.extend_from_slice(&room[..count]),
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Where some bytes begin in others.
pub(super) fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Reads until this text has arrived, or nothing for so long; returns all up to its end. What comes after it must not
/// have been sent yet.
pub(super) fn read_until(stream: &mut TcpStream, text: &str, silence: Duration) -> Result<String> {
    stream.set_read_timeout(Some(silence))?;
    let mut arrived = Vec::new();
    let mut room = [0; 4096];
    loop {
        if position(&arrived, text.as_bytes()).is_some() {
            return Ok(String::from_utf8_lossy(&arrived).into_owned());
        }
        match stream.read(&mut room) {
            Ok(count) if count > 0 => arrived.extend_from_slice(&room[..count]),
            other => bail!(
                "{text} is expected, and {:?} has arrived ({other:?})",
                String::from_utf8_lossy(&arrived)
            ),
        }
    }
}
