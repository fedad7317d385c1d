//! Cowboy, as RabbitMQ's package has it, with the handlers of `web_pages.erl`: pages of JSON, and WebSockets.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;

use super::programs;
use super::server::{Server, connect};
use super::stage::{Stage, installed, number};
use super::trips::{self, Protocol, SILENCE, position, read_until};

const LIBRARIES: &str = "/usr/lib/rabbitmq/lib/rabbitmq_server-*/plugins";
const LIBRARY_NAMES: [&str; 4] = ["cowboy", "cowlib", "ranch", "jsx"];

const PAGE_CLIENTS: usize = 50;
/// Requests of WebSockets that are in flight at the same time.
const SOCKETS_IN_FLIGHT: usize = 100;
const MESSAGES_OF_SOCKET: u64 = 10;
const END_OF_HEADER: &[u8] = b"\r\n\r\n";

/// `pages REQUESTS` or `sockets CLIENTS`.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let mut command = programs::command(stage);
    for name in LIBRARY_NAMES {
        command.arg("-pa").arg(library(name)?);
    }
    command.args(["-s", "web_pages", "serve"]);
    let log = stage.folder.join("web.log");
    let (server, mut talk) = Server::start_talking(&mut command, &log)?;
    let port = number(&talk.expect(&server, "port: ")?)?;
    match arguments {
        ["pages", count] => pages(&server, port, number(count)?),
        ["sockets", count] => sockets(&server, port, number(count)?),
        _ => bail!("expected pages REQUESTS or sockets CLIENTS"),
    }
}

fn library(name: &str) -> Result<PathBuf> {
    installed(&format!("{LIBRARIES}/{name}-*/ebin"))
}

fn pages(server: &Server, port: u16, count: u64) -> Result<()> {
    let streams: Result<Vec<TcpStream>> = (0..PAGE_CLIENTS).map(|_| connect(port)).collect();
    trips::measure(server, streams?, &Pages, count, PAGE_CLIENTS)
}

fn sockets(server: &Server, port: u16, count: usize) -> Result<()> {
    let streams: Result<Vec<TcpStream>> = (0..count).map(|_| web_socket(port)).collect();
    let messages = MESSAGES_OF_SOCKET * count as u64;
    trips::measure(server, streams?, &Sockets, messages, SOCKETS_IN_FLIGHT)
}

struct Pages;

impl Protocol for Pages {
    fn request(&self, client: usize) -> Vec<u8> {
        format!(
            "GET /json/{client} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n"
        )
        .into_bytes()
    }

    fn answer(&self, arrived: &[u8]) -> Result<Option<usize>> {
        let Some(end) = position(arrived, END_OF_HEADER) else {
            return Ok(None);
        };
        let header = String::from_utf8_lossy(&arrived[..end]).to_lowercase();
        if !header.starts_with("http/1.1 200") {
            bail!("the server answers: {header}");
        }
        let length = header
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .context("an answer without a length")?;
        let whole = end + END_OF_HEADER.len() + number::<usize>(length.trim())?;
        Ok(Some(whole).filter(|whole| *whole <= arrived.len()))
    }
}

/// Opens a WebSocket.
fn web_socket(port: u16) -> Result<TcpStream> {
    let mut stream = connect(port)?;
    stream.write_all(
        b"GET /socket HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
          sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    )?;
    let answer = read_until(&mut stream, "\r\n\r\n", SILENCE)?;
    if !answer.starts_with("HTTP/1.1 101") {
        bail!("the server answers: {answer}");
    }
    Ok(stream)
}

/// Text messages that come back. <https://www.rfc-editor.org/rfc/rfc6455#section-5.2>
struct Sockets;

const LAST_TEXT_FRAME: u8 = 0x81;
const IS_MASKED: u8 = 0x80;
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

impl Protocol for Sockets {
    fn request(&self, client: usize) -> Vec<u8> {
        let text = format!(
            "{{\"client\":{client},\"text\":\"a message that comes back to where it came from\"}}"
        );
        let mut frame = vec![LAST_TEXT_FRAME, IS_MASKED | text.len() as u8];
        frame.extend_from_slice(&MASK);
        let masked = text.bytes().zip(MASK.iter().cycle());
        frame.extend(masked.map(|(byte, mask)| byte ^ mask));
        frame
    }

    fn answer(&self, arrived: &[u8]) -> Result<Option<usize>> {
        let [kind, length, ..] = arrived else {
            return Ok(None);
        };
        if *kind != LAST_TEXT_FRAME || *length > 125 {
            bail!("a frame of type {kind:#x} and length {length}");
        }
        let whole = 2 + usize::from(*length);
        Ok(Some(whole).filter(|whole| *whole <= arrived.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_complete_with_their_last_byte() {
        let page = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        for (arrived, expected) in [
            (&page[..20], None),
            (&page[..page.len() - 1], None),
            (page, Some(page.len())),
        ] {
            assert_eq!(Pages.answer(arrived).unwrap(), expected);
        }
        assert!(Pages.answer(b"HTTP/1.1 500 Oh\r\n\r\n").is_err());
        for (arrived, expected) in [
            (&[0x81][..], None),
            (&[0x81, 2, b'a'], None),
            (&[0x81, 1, b'a', 0x81], Some(3)),
        ] {
            assert_eq!(Sockets.answer(arrived).unwrap(), expected);
        }
        assert!(Sockets.answer(&[0x88, 2]).is_err());
    }
}
