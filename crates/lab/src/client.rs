//! The client of the network experiments: its connections send a message and wait for the answer, or stay idle. The
//! experiments start it as `ferl lab --client ...`, so every VM is measured with the same client.
//!
//! One thread. Each connection has at most one message in flight; latencies are reported over all connections together.

use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Instant;
use sys::poll::{Events, Interest, Poller, Token, Trigger};

const MESSAGE: &[u8; 64] = b"sixty-four bytes, sent and answered, again and again and again..";
/// Round trips of each connection before the measurement begins.
const WARM_UP_TRIPS: u64 = 2;

/// `echo PORT CONNECTIONS TRIPS` makes `TRIPS` round trips in all, and prints `rate: ` (per second), `p50: `, `p99: `
/// and `p999: ` (microseconds). `idle PORT CONNECTIONS` connects, prints `ready`, and ends when its standard input
/// ends.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<String> = arguments
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("client: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<()> {
    let number = |word: &String| word.parse::<u64>().context("a number is expected");
    match words {
        [what, port, connections, trips] if what == "echo" => {
            let mut connections = connect(number(port)?, number(connections)?)?;
            let (seconds, mut micros) = ask(&mut connections, number(trips)?)?;
            micros.sort_unstable();
            let share =
                |per_mille: usize| micros[(micros.len() * per_mille / 1000).min(micros.len() - 1)];
            println!("rate: {:.0}", micros.len() as f64 / seconds);
            println!(
                "p50: {}\np99: {}\np999: {}",
                share(500),
                share(990),
                share(999)
            );
            Ok(())
        }
        [what, port, connections] if what == "idle" => {
            let _connections = connect(number(port)?, number(connections)?)?;
            println!("ready");
            io::stdout().flush()?;
            io::copy(&mut io::stdin(), &mut io::sink())?;
            Ok(())
        }
        _ => bail!("expected echo PORT CONNECTIONS TRIPS, or idle PORT CONNECTIONS"),
    }
}

struct Connection {
    stream: TcpStream,
    asked: Instant,
    /// Bytes of the answer received so far.
    answered: usize,
    trips_left: u64,
}

fn connect(port: u64, connections: u64) -> Result<Vec<Connection>> {
    let port = u16::try_from(port).context("not a port number")?;
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    (0..connections)
        .map(|number| {
            let stream =
                TcpStream::connect(server).with_context(|| format!("connection {number}"))?;
            stream.set_nodelay(true)?;
            Ok(Connection {
                stream,
                asked: Instant::now(),
                answered: 0,
                trips_left: 0,
            })
        })
        .collect()
}

/// Makes the round trips; returns the seconds that they took together and the microseconds of each.
fn ask(connections: &mut [Connection], trips: u64) -> Result<(f64, Vec<u32>)> {
    let each = trips / connections.len() as u64;
    if each == 0 {
        bail!("fewer round trips than connections");
    }
    let poller = Poller::new().context("epoll")?;
    for (index, connection) in connections.iter_mut().enumerate() {
        connection.stream.set_nonblocking(true)?;
        let fd = connection.stream.as_fd();
        poller
            .add(fd, Token(index as u64), Interest::READ, Trigger::Edge)
            .context("epoll")?;
    }
    run_trips(connections, &poller, WARM_UP_TRIPS, &mut Vec::new())?;
    let mut micros = Vec::with_capacity(connections.len() * each as usize);
    let began = Instant::now();
    run_trips(connections, &poller, each, &mut micros)?;
    Ok((began.elapsed().as_secs_f64(), micros))
}

/// Makes `each` round trips on every connection, and appends their microseconds.
fn run_trips(
    connections: &mut [Connection],
    poller: &Poller,
    each: u64,
    micros: &mut Vec<u32>,
) -> Result<()> {
    for connection in connections.iter_mut() {
        connection.trips_left = each;
        send(connection)?;
    }
    let mut busy = connections.len();
    let mut events = Events::with_capacity(256);
    while busy > 0 {
        poller.wait(&mut events, None).context("epoll")?;
        for event in events.iter() {
            let connection = &mut connections[event.token.0 as usize];
            if !answered(connection)? {
                continue;
            }
            micros.push(u32::try_from(connection.asked.elapsed().as_micros()).unwrap_or(u32::MAX));
            connection.trips_left -= 1;
            if connection.trips_left > 0 {
                send(connection)?;
            } else {
                busy -= 1;
            }
        }
    }
    Ok(())
}

fn send(connection: &mut Connection) -> Result<()> {
    connection.asked = Instant::now();
    // Nothing else is in flight, so the socket's buffer has room for the whole message.
    connection.stream.write_all(MESSAGE)?;
    Ok(())
}

/// Reads what has arrived; returns whether the answer is complete.
fn answered(connection: &mut Connection) -> Result<bool> {
    let mut room = [0; 2 * MESSAGE.len()];
    match connection.stream.read(&mut room) {
        Ok(0) => bail!("the server has closed a connection"),
        Ok(count) => {
            let at = connection.answered;
            if MESSAGE.get(at..at + count) != Some(&room[..count]) {
                bail!("the answer is not what was sent");
            }
            connection.answered = (at + count) % MESSAGE.len();
            Ok(connection.answered == 0)
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
