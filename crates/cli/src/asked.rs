//! Asking a running node, as OTP's program `erl_call` does, and printing what it answers as that program prints it.
//!
//! Each question is a connection of its own, of a hidden node without an Erlang machine: [`connection`] is the protocol
//! between nodes as OTP's manual has it ("Distribution Protocol"), and [`terms`] the external term format, as far as
//! either is needed here. The other node evaluates and parses; here terms are only passed on and printed.

mod connection;
mod terms;

use std::ffi::OsStr;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use sys::socket::{Family, hosts};

use connection::Connection;
pub(crate) use terms::{Reader, Writer};

use crate::environment::Environment;

/// Where the port mapper listens, unless a variable says so.
pub(crate) const MAPPER_PORT: u16 = 4369;
/// How long a command of ferl's own waits for a node.
const COMMAND_SECONDS: u64 = 10;

/// A node to ask.
pub(crate) struct Asked {
    /// Its name, with or without a host.
    pub(crate) name: Vec<u8>,
    /// Whether hosts have their full names (`-name`).
    pub(crate) is_long: bool,
    /// Where it listens, if no port mapper is to be asked.
    pub(crate) port: Option<u16>,
    /// Where the port mapper listens.
    pub(crate) mapper: u16,
    pub(crate) cookie: Vec<u8>,
    /// How long a question may take.
    pub(crate) timeout: Duration,
}

/// Where a node is.
struct Place {
    /// Its name before the `@`.
    alive: Vec<u8>,
    host: Vec<u8>,
    addresses: Vec<IpAddr>,
}

impl Asked {
    /// The node of this name, for a command of ferl's own: with this cookie, or with the user's.
    pub(crate) fn named(
        node: &str,
        cookie: Option<&str>,
        environment: &Environment,
    ) -> Result<Asked, String> {
        let mapper = environment.get_non_empty("ERL_EPMD_PORT");
        let mapper = mapper.and_then(|port| str::from_utf8(port).ok()?.parse().ok());
        Ok(Asked {
            name: node.as_bytes().to_vec(),
            is_long: false,
            port: None,
            mapper: mapper.unwrap_or(MAPPER_PORT),
            cookie: match cookie {
                Some(cookie) => cookie.as_bytes().to_vec(),
                None => cookie_of_user(environment)?,
            },
            timeout: Duration::from_secs(COMMAND_SECONDS),
        })
    }

    /// Applies a function there to these arguments, a list as a term. Returns the result as a term.
    pub(crate) fn call(
        &self,
        module: &str,
        function: &str,
        arguments: &[u8],
    ) -> Result<Vec<u8>, String> {
        self.connect()?
            .call(module.as_bytes(), function.as_bytes(), arguments)
    }

    /// Applies a function there: `MODULE [FUNCTION [ARGUMENTS]]`, where the arguments are a list as Erlang writes it.
    /// Returns the printed result.
    pub(crate) fn apply(&self, what: &[u8]) -> Result<Vec<u8>, String> {
        let what = what.trim_ascii_start();
        let (module, rest) = word(what);
        if module.is_empty() {
            return Err("what to call is missing: MODULE FUNCTION ARGUMENTS".to_owned());
        }
        let (function, arguments) = word(rest);
        let function = if function.is_empty() {
            b"start"
        } else {
            function
        };
        let mut connection = self.connect()?;
        let arguments = match arguments.is_empty() {
            true => Writer::default().nil().done(),
            false => parsed(&mut connection, arguments)?,
        };
        connection
            .call(module, function, &arguments)
            .map(|result| terms::printed(&result))
    }

    /// Evaluates expressions there. Returns the printed result: `{ok, VALUE}` or what was wrong.
    pub(crate) fn evaluate(&self, expressions: &[u8]) -> Result<Vec<u8>, String> {
        let arguments = Writer::default().list(1).binary(expressions).nil().done();
        let result = self.connect()?.call(b"erl_eval", b"eval_str", &arguments)?;
        Ok(terms::printed(&result))
    }

    fn connect(&self) -> Result<Connection, String> {
        let end = Instant::now() + self.timeout;
        let place = self.place()?;
        let failed = |why: &str| {
            let node = [&place.alive[..], b"@", &place.host].concat();
            format!(
                "failed to connect to node {}: {why}",
                String::from_utf8_lossy(&node)
            )
        };
        let mut last = "its host has no address".to_owned();
        for address in &place.addresses {
            let port = match self.port {
                Some(port) => Ok(port),
                None => {
                    connection::port_of(SocketAddr::new(*address, self.mapper), &place.alive, end)
                }
            };
            let connected = port.and_then(|port| {
                let at = SocketAddr::new(*address, port);
                Connection::open(at, &place.host, &self.cookie, end)
            });
            match connected {
                Ok(connection) => return Ok(connection),
                Err(why) => last = why,
            }
        }
        Err(failed(&last))
    }

    /// Where the node is. A node without a host is on this one, and is found here even where the system does not know
    /// its own host's address.
    fn place(&self) -> Result<Place, String> {
        let mut parts = self.name.splitn(2, |byte| *byte == b'@');
        let alive = parts.next().unwrap_or_default().to_vec();
        let own = sys::socket::host_name().map_err(|error| error.message())?;
        let host = match parts.next() {
            Some(host) if !host.is_empty() => host.to_vec(),
            _ if self.is_long => full_name(&own),
            _ => short(&own).to_vec(),
        };
        let mut addresses = addresses(&host);
        if addresses.is_empty() && short(&host) == short(&own) {
            addresses.push(IpAddr::from([127, 0, 0, 1]));
        }
        Ok(Place {
            alive,
            host,
            addresses,
        })
    }
}

/// The cookie of whoever asks, which OTP keeps in one of two files.
fn cookie_of_user(environment: &Environment) -> Result<Vec<u8>, String> {
    let home = environment.get_non_empty("HOME").unwrap_or_default();
    let home = Path::new(OsStr::from_bytes(home));
    let usual = home.join(".erlang.cookie");
    let other = home.join(".config/erlang/.erlang.cookie");
    let cookie = fs::read(&usual).or_else(|_| fs::read(other));
    let cookie = cookie.map_err(|error| {
        format!(
            "no cookie is known, give one by --cookie: {}: {error}",
            usual.display()
        )
    })?;
    Ok(cookie.trim_ascii_end().to_vec())
}

/// The addresses of a host.
fn addresses(host: &[u8]) -> Vec<IpAddr> {
    let inet = hosts::by_name(host, Family::Inet);
    let inet6 = || hosts::by_name(host, Family::Inet6);
    let found = inet.or_else(|_| inet6());
    let bytes = found.map(|host| host.addresses).unwrap_or_default();
    let address = |bytes: &Vec<u8>| match bytes.len() {
        4 => <[u8; 4]>::try_from(&bytes[..]).ok().map(IpAddr::from),
        _ => <[u8; 16]>::try_from(&bytes[..]).ok().map(IpAddr::from),
    };
    bytes.iter().filter_map(address).collect()
}

/// The name of this host with its domain.
fn full_name(own: &[u8]) -> Vec<u8> {
    let found = hosts::by_name(own, Family::Inet);
    let name = found.ok().and_then(|host| host.names.into_iter().next());
    name.unwrap_or_else(|| own.to_vec())
}

fn short(host: &[u8]) -> &[u8] {
    let end = host.iter().position(|byte| *byte == b'.');
    &host[..end.unwrap_or(host.len())]
}

/// A text's first word, and what follows the space behind it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace);
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (word, rest.trim_ascii_start())
}

/// A term that the other node reads from this text.
fn parsed(connection: &mut Connection, text: &[u8]) -> Result<Vec<u8>, String> {
    let wrong = || {
        format!(
            "these are no arguments, which are a list of Erlang terms: {}",
            String::from_utf8_lossy(text)
        )
    };
    let text_of = String::from_utf8_lossy(text);
    let characters: Vec<char> = text_of.chars().chain(['.']).collect();
    let mut arguments = Writer::default().list(1).list(characters.len());
    for character in characters {
        arguments = arguments.integer(character as i32);
    }
    let scanned = connection.call(b"erl_scan", b"string", &arguments.nil().nil().done())?;
    let tokens = second_of_ok(&scanned).ok_or_else(wrong)?;
    let arguments = Writer::default().list(1).raw(tokens).nil().done();
    let parsed = connection.call(b"erl_parse", b"parse_term", &arguments)?;
    second_of_ok(&parsed).map(<[u8]>::to_vec).ok_or_else(wrong)
}

/// The second element of a tuple that begins with `ok`.
fn second_of_ok(term: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(term);
    reader.tuple()?;
    (reader.atom()? == b"ok").then(|| reader.term())?
}
