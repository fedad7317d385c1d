//! Light load, under which a node spends most of its life: clients that come and go at a steady rate
//! (`light_churn.erl`), and requests after a rest (`two_sends.erl`).

use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use super::load::{print_slowest, under_load};
use super::programs;
use super::server::{Server, connect};
use super::stage::{Stage, number};
use super::threads::share_out;

const CLIENTS: usize = 4;
const CHANNELS: u8 = 3;
const MESSAGES: usize = 10;
const MESSAGE_BYTES: usize = 200;
/// Each client leaves this way every so often: without having read its last answers, which makes the kernel reset the
/// connection.
const LEAVES_EARLY_EVERY: usize = 3;

const WARM_UP: Duration = Duration::from_secs(3);
/// At least so long, and so many connections: at low rates little is used in a second.
const MEASURED: Duration = Duration::from_secs(6);
const LEAST_CONNECTIONS: u32 = 200;

/// The rest before each request to `two_sends`.
const PAUSE: Duration = Duration::from_millis(30);
const WARM_UP_SESSIONS: u64 = 20;

/// `churn RATE` or `two_sends SESSIONS`.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let log = stage.folder.join("server.log");
    let module = match arguments {
        ["churn", _] => "light_churn",
        ["two_sends", _] => "two_sends",
        _ => bail!("expected churn RATE or two_sends SESSIONS"),
    };
    let mut command = programs::command(stage);
    command.args(["-s", module, "serve"]);
    let (server, mut talk) = Server::start_talking(&mut command, &log)?;
    let port = number(&talk.expect(&server, "port: ")?)?;
    if module == "light_churn" {
        churn(&server, port, number(arguments[1])?)
    } else {
        two_sends(&server, port, number(arguments[1])?)
    }
}

fn churn(server: &Server, port: u16, rate: u32) -> Result<()> {
    connections(port, rate, WARM_UP)?;
    let lasts = MEASURED.max(Duration::from_secs_f64(
        f64::from(LEAST_CONNECTIONS) / f64::from(rate),
    ));
    let (micros, load) = under_load(server, || connections(port, rate, lasts))?;
    // Each connection has as many messages.
    load.print(micros.len() as u64 / u64::from(CHANNELS));
    print_slowest(micros);
    Ok(())
}

/// Opens so many connections a second; returns how long each batch of messages took to be answered.
fn connections(port: u16, rate: u32, lasts: Duration) -> Result<Vec<u32>> {
    let count = (f64::from(rate) * lasts.as_secs_f64()) as usize;
    let began = Instant::now();
    let batches = share_out(CLIENTS, count, |number| {
        let starts = began + Duration::from_secs_f64(number as f64 / f64::from(rate));
        thread::sleep(starts.saturating_duration_since(Instant::now()));
        connection(port, (number / CLIENTS).is_multiple_of(LEAVES_EARLY_EVERY))
    })?;
    Ok(batches.concat())
}

/// One connection: how long each of its batches took.
fn connection(port: u16, leaves_early: bool) -> Result<Vec<u32>> {
    let mut micros = Vec::with_capacity(usize::from(CHANNELS));
    let mut stream = connect(port)?;
    for channel in 0..CHANNELS {
        let asked = Instant::now();
        write_frame(&mut stream, &[0, channel])?;
        read_frame(&mut stream)?;
        for extra in 0..MESSAGES {
            let mut message = vec![0; MESSAGE_BYTES + extra];
            message[..2].copy_from_slice(&[1, channel]);
            write_frame(&mut stream, &message)?;
        }
        let unread = usize::from(leaves_early && channel == CHANNELS - 1);
        for _ in unread..MESSAGES {
            read_frame(&mut stream)?;
        }
        micros.push(u32::try_from(asked.elapsed().as_micros()).unwrap_or(u32::MAX));
    }
    Ok(micros)
}

fn write_frame(stream: &mut TcpStream, body: &[u8]) -> Result<()> {
    let mut frame = u32::try_from(body.len())?.to_be_bytes().to_vec();
    frame.extend_from_slice(body);
    Ok(stream.write_all(&frame)?)
}

fn read_frame(stream: &mut TcpStream) -> Result<()> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    Ok(stream.read_exact(&mut body)?)
}

fn two_sends(server: &Server, port: u16, sessions: u64) -> Result<()> {
    for _ in 0..WARM_UP_SESSIONS {
        first_send_micros(port)?;
    }
    let (mut micros, load) = under_load(server, || {
        let sessions = (0..sessions).map(|_| first_send_micros(port));
        sessions.collect::<Result<Vec<u32>>>()
    })?;
    load.print(sessions);
    micros.sort_unstable();
    println!("p50: {}", micros[micros.len() / 2]);
    print_slowest(micros);
    Ok(())
}

/// One session: how long the server's first send took.
fn first_send_micros(port: u16) -> Result<u32> {
    let mut stream = connect(port)?;
    thread::sleep(PAUSE);
    stream.write_all(b"hello")?;
    let mut answer = Vec::new();
    while answer.last() != Some(&b'.') {
        let mut room = [0; 256];
        match stream.read(&mut room)? {
            0 => bail!("the server has closed a connection"),
            count => answer.extend_from_slice(&room[..count]),
        }
    }
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let micros = answer
        .split("first: ")
        .nth(1)
        .map(|rest| rest.trim_end_matches('.'));
    number(micros.context("the server has answered something else")?)
}
