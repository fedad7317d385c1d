//! A connection to a node: by a hidden node that the other side names.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use md5::{Digest, Md5};

use super::terms::{Reader, Writer};

/// What this side can do: what every node demands, whole terms, and to be given a name.
const CAPABILITIES: u64 = EXTENDED_REFERENCES
    | FUN_TAGS
    | NEW_FUN_TAGS
    | EXTENDED_PIDS_PORTS
    | EXPORT_PTR_TAG
    | BIT_BINARIES
    | NEW_FLOATS
    | SMALL_ATOM_TAGS
    | UTF8_ATOMS
    | MAP_TAG
    | BIG_CREATION
    | HANDSHAKE_23
    | UNLINK_ID
    | NAME_ME
    | V4_NC;
const EXTENDED_REFERENCES: u64 = 0x4;
const FUN_TAGS: u64 = 0x10;
const NEW_FUN_TAGS: u64 = 0x80;
const EXTENDED_PIDS_PORTS: u64 = 0x100;
const EXPORT_PTR_TAG: u64 = 0x200;
const BIT_BINARIES: u64 = 0x400;
const NEW_FLOATS: u64 = 0x800;
const SMALL_ATOM_TAGS: u64 = 0x4000;
const UTF8_ATOMS: u64 = 0x10000;
const MAP_TAG: u64 = 0x20000;
const BIG_CREATION: u64 = 0x40000;
const HANDSHAKE_23: u64 = 0x0100_0000;
const UNLINK_ID: u64 = 0x0200_0000;
const NAME_ME: u64 = 1 << 33;
const V4_NC: u64 = 1 << 34;

/// The messages of control that are used.
const SEND: i32 = 2;
const REG_SEND: u8 = 6;
/// What stands in front of a message that is no tick.
const PASS_THROUGH: u8 = 112;
/// What stands in front of a term.
const VERSION: u8 = 131;
/// A longer message is not an answer that anybody reads.
const MOST_MESSAGE_BYTES: usize = 1 << 30;

/// Where the node with this name listens, as the port mapper says.
pub(super) fn port_of(mapper: SocketAddr, alive: &[u8], end: Instant) -> Result<u16, String> {
    let mut wire = Wire::open(mapper, end).map_err(|why| {
        format!(
            "its host has no port mapper (epmd) at port {}: {why}",
            mapper.port()
        )
    })?;
    wire.send_16(&[b"z", alive].concat())?;
    let answer = wire.read(2)?;
    if answer != [b'w', 0] {
        return Err("no node of that name is registered there".to_owned());
    }
    let port = wire.read(2)?;
    Ok(u16::from_be_bytes([port[0], port[1]]))
}

/// A stream whose every step ends in time.
struct Wire {
    stream: TcpStream,
    end: Instant,
}

impl Wire {
    fn open(at: SocketAddr, end: Instant) -> Result<Wire, String> {
        let stream =
            TcpStream::connect_timeout(&at, left(end)?).map_err(|error| error.to_string())?;
        let _ = stream.set_nodelay(true);
        Ok(Wire { stream, end })
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let left = left(self.end)?;
        self.stream
            .set_write_timeout(Some(left))
            .and_then(|()| self.stream.write_all(bytes))
            .map_err(told)
    }

    /// Sends a message of the handshake.
    fn send_16(&mut self, message: &[u8]) -> Result<(), String> {
        let length = u16::try_from(message.len()).map_err(|_| "its name is too long")?;
        self.send(&[&length.to_be_bytes(), message].concat())
    }

    fn read(&mut self, count: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; count];
        let mut done = 0;
        while done < count {
            let left = left(self.end)?;
            let read = self
                .stream
                .set_read_timeout(Some(left))
                .and_then(|()| self.stream.read(&mut bytes[done..]));
            match read.map_err(told)? {
                0 => return Err("it has closed the connection".to_owned()),
                more => done += more,
            }
        }
        Ok(bytes)
    }

    fn read_16(&mut self) -> Result<Vec<u8>, String> {
        let length = self.read(2)?;
        self.read(usize::from(u16::from_be_bytes([length[0], length[1]])))
    }
}

fn told(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => late(),
        _ => error.to_string(),
    }
}

fn late() -> String {
    "it did not answer in time".to_owned()
}

/// The time that is left.
fn left(end: Instant) -> Result<Duration, String> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        Err(late())
    } else {
        Ok(left)
    }
}

/// A connection after its handshake.
pub(super) struct Connection {
    wire: Wire,
    /// The name that the other node has given to this side.
    name: Vec<u8>,
    creation: u32,
}

impl Connection {
    /// Connects to the node that listens there, and proves to know its cookie, as it must.
    pub(super) fn open(
        at: SocketAddr,
        host: &[u8],
        cookie: &[u8],
        end: Instant,
    ) -> Result<Connection, String> {
        let mut wire = Wire::open(at, end)?;
        let mut hello = vec![b'N'];
        hello.extend(CAPABILITIES.to_be_bytes());
        hello.extend(0_u32.to_be_bytes());
        hello.extend((host.len() as u16).to_be_bytes());
        hello.extend(host);
        wire.send_16(&hello)?;
        let strange = || "what it says is no handshake of a node".to_owned();
        let status = wire.read_16()?;
        let Some(named) = status.strip_prefix(b"snamed:") else {
            let status = String::from_utf8_lossy(status.get(1..).unwrap_or_default()).into_owned();
            return Err(format!("it refuses the connection ({status})"));
        };
        let mut named = Reader::new(named);
        let length = named.number_16().ok_or_else(strange)?;
        let name = named.bytes(length).ok_or_else(strange)?.to_vec();
        let creation = u32::from_be_bytes(named.array().ok_or_else(strange)?);
        let challenge = wire.read_16()?;
        let mut challenge = Reader::new(challenge.strip_prefix(b"N").ok_or_else(strange)?);
        challenge.bytes(8).ok_or_else(strange)?;
        let theirs = u32::from_be_bytes(challenge.array().ok_or_else(strange)?);
        let ours = random();
        let mut reply = vec![b'r'];
        reply.extend(ours.to_be_bytes());
        reply.extend(digest(cookie, theirs));
        wire.send_16(&reply)?;
        let cookies = || "it has another cookie, or accepts no connection from here".to_owned();
        let proof = wire.read_16().map_err(|_| cookies())?;
        if proof.strip_prefix(b"a") != Some(&digest(cookie, ours)[..]) {
            return Err(cookies());
        }
        Ok(Connection {
            wire,
            name,
            creation,
        })
    }

    /// Has the node apply a function to these arguments, a list as a term. Returns the result as a term.
    pub(super) fn call(
        &mut self,
        module: &[u8],
        function: &[u8],
        arguments: &[u8],
    ) -> Result<Vec<u8>, String> {
        let own = || Writer::default().pid(&self.name, self.creation).done();
        let control = Writer::default()
            .tuple(4)
            .integer(i32::from(REG_SEND))
            .raw(&own())
            .atom(b"")
            .atom(b"rex");
        let question = Writer::default()
            .tuple(2)
            .raw(&own())
            .tuple(5)
            .atom(b"call")
            .atom(module)
            .atom(function)
            .raw(arguments)
            .atom(b"user");
        let message = [
            &[PASS_THROUGH, VERSION][..],
            &control.done(),
            &[VERSION],
            &question.done(),
        ]
        .concat();
        let length = u32::try_from(message.len()).map_err(|_| "what to ask is too long")?;
        self.wire
            .send(&[&length.to_be_bytes()[..], &message].concat())?;
        loop {
            if let Some(answer) = self.next_message()?.as_deref().and_then(result) {
                return Ok(answer.to_vec());
            }
        }
    }

    /// The next message that is no tick, which is answered; `None` for one that is passed over.
    fn next_message(&mut self) -> Result<Option<Vec<u8>>, String> {
        let length = self.wire.read(4)?;
        let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        if length == 0 {
            self.wire.send(&[0; 4])?;
            return Ok(None);
        }
        if length > MOST_MESSAGE_BYTES {
            return Err(format!("its answer has {length} bytes, which is too much"));
        }
        self.wire.read(length).map(Some)
    }
}

/// What the server of remote calls has sent, if the message is from it.
fn result(message: &[u8]) -> Option<&[u8]> {
    let mut control = Reader::new(message.strip_prefix(&[PASS_THROUGH, VERSION])?);
    control.tuple()?;
    if control.integer()? != SEND {
        return None;
    }
    control.term()?;
    control.term()?;
    let mut answer = Reader::new(control.rest().strip_prefix(&[VERSION])?);
    answer.tuple()?;
    (answer.atom()? == b"rex").then(|| answer.rest())
}

/// What proves that one knows the cookie.
fn digest(cookie: &[u8], challenge: u32) -> [u8; 16] {
    Md5::new()
        .chain_update(cookie)
        .chain_update(challenge.to_string())
        .finalize()
        .into()
}

/// A number that cannot be foreseen.
fn random() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::process::id()) as u32
}
