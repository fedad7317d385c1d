//! A client of RabbitMQ's protocol, AMQP 0-9-1, as small as a measurement needs: queues, publishing with and without
//! confirms, consuming with acknowledgements. It costs little beside the broker, with which it shares the processors.
//!
//! One connection has one channel and belongs to one thread. <https://www.rabbitmq.com/amqp-0-9-1-reference.html>

use anyhow::{Result, bail};
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;

use super::server::connect;

/// A method: its class and its number.
type Method = (u16, u16);

const START: Method = (10, 10);
const START_OK: Method = (10, 11);
const TUNE: Method = (10, 30);
const TUNE_OK: Method = (10, 31);
const OPEN: Method = (10, 40);
const OPEN_OK: Method = (10, 41);
const CHANNEL_OPEN: Method = (20, 10);
const CHANNEL_OPEN_OK: Method = (20, 11);
const CHANNEL_CLOSE: Method = (20, 40);
const CHANNEL_CLOSE_OK: Method = (20, 41);
const DECLARE: Method = (50, 10);
const DECLARE_OK: Method = (50, 11);
const QOS: Method = (60, 10);
const QOS_OK: Method = (60, 11);
const CONSUME: Method = (60, 20);
const CONSUME_OK: Method = (60, 21);
const PUBLISH: Method = (60, 40);
const DELIVER: Method = (60, 60);
const ACK: Method = (60, 80);
const SELECT: Method = (85, 10);
const SELECT_OK: Method = (85, 11);

const METHOD_FRAME: u8 = 1;
const HEADER_FRAME: u8 = 2;
const BODY_FRAME: u8 = 3;
const END_OF_FRAME: u8 = 0xce;
/// The class of messages.
const BASIC: u16 = 60;
/// The only property that is set: the mode of delivery.
const HAS_DELIVERY_MODE: u16 = 0x1000;
const TRANSIENT: u8 = 1;
const PERSISTENT: u8 = 2;
const CHANNEL: u16 = 1;
/// Larger frames are not accepted; the broker proposes 128 KiB.
const MOST_OF_FRAME: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Transient,
    Durable,
    /// Replicated by consensus, on one node here.
    Quorum,
}

pub(super) struct Connection {
    reads: BufReader<TcpStream>,
    writes: TcpStream,
    /// A frame that was read.
    frame: Vec<u8>,
}

impl Connection {
    /// Connects as the user whom each broker knows, and opens a channel. There are no heartbeats.
    pub(super) fn open(port: u16) -> Result<Connection> {
        let writes = connect(port)?;
        let mut connection = Connection {
            reads: BufReader::with_capacity(64 << 10, writes.try_clone()?),
            writes,
            frame: Vec::new(),
        };
        connection.writes.write_all(b"AMQP\0\0\x09\x01")?;
        connection.expect(START)?;
        let answer = Arguments::new()
            .u32(0)
            .short("PLAIN")
            .long(b"\0guest\0guest")
            .short("en_US");
        connection.call(0, START_OK, &answer)?;
        let tune = connection.expect(TUNE)?;
        let Some(limits @ [_, _, _, _, _, _]) = tune.get(..6) else {
            bail!("the broker does not say its limits");
        };
        let no_heartbeats = Arguments(limits.to_vec()).u16(0);
        connection.call(0, TUNE_OK, &no_heartbeats)?;
        connection.call(0, OPEN, &Arguments::new().short("/").short("").u8(0))?;
        connection.expect(OPEN_OK)?;
        connection.ask(CHANNEL_OPEN, &Arguments::new().short(""), CHANNEL_OPEN_OK)?;
        Ok(connection)
    }

    pub(super) fn declare(&mut self, queue: &str, kind: Kind) -> Result<()> {
        const DURABLE: u8 = 2;
        let flags = if kind == Kind::Transient { 0 } else { DURABLE };
        let declare = Arguments::new().u16(0).short(queue).u8(flags);
        let declare = match kind {
            Kind::Quorum => {
                let table = Arguments::new()
                    .short("x-queue-type")
                    .u8(b'S')
                    .long(b"quorum");
                declare.long(&table.0)
            }
            _ => declare.u32(0),
        };
        self.ask(DECLARE, &declare, DECLARE_OK)
    }

    /// From now on the broker confirms what is published.
    pub(super) fn confirm(&mut self) -> Result<()> {
        self.ask(SELECT, &Arguments::new().u8(0), SELECT_OK)
    }

    pub(super) fn consume(&mut self, queue: &str, prefetch: u16) -> Result<()> {
        let qos = Arguments::new().u32(0).u16(prefetch).u8(0);
        self.ask(QOS, &qos, QOS_OK)?;
        let consume = Arguments::new().u16(0).short(queue).short("").u8(0).u32(0);
        self.ask(CONSUME, &consume, CONSUME_OK)
    }

    /// Publishes a message to the queue of that name.
    pub(super) fn publish(&mut self, queue: &str, is_persistent: bool, body: &[u8]) -> Result<()> {
        let mode = if is_persistent { PERSISTENT } else { TRANSIENT };
        let mut bytes = Vec::with_capacity(body.len() + 80);
        let publish = Arguments::new().u16(0).short("").short(queue).u8(0);
        put_method(&mut bytes, CHANNEL, PUBLISH, &publish);
        let header = Arguments::new()
            .u16(BASIC)
            .u16(0)
            .u64(body.len() as u64)
            .u16(HAS_DELIVERY_MODE)
            .u8(mode);
        put_frame(&mut bytes, HEADER_FRAME, CHANNEL, &header.0);
        put_frame(&mut bytes, BODY_FRAME, CHANNEL, body);
        Ok(self.writes.write_all(&bytes)?)
    }

    /// Waits for a confirm; returns the number of the message, and whether all before it are confirmed, too.
    pub(super) fn confirmed(&mut self) -> Result<(u64, bool)> {
        let ack = self.expect(ACK)?;
        match ack {
            [tag @ .., multiple] if tag.len() == 8 => Ok((u64_of(tag), *multiple & 1 == 1)),
            _ => bail!("the broker confirms nothing"),
        }
    }

    /// Waits for a message; returns its tag. The body is put into `body`.
    pub(super) fn delivered(&mut self, body: &mut Vec<u8>) -> Result<u64> {
        let deliver = self.expect(DELIVER)?;
        let consumer = usize::from(*deliver.first().unwrap_or(&0));
        let Some(tag) = deliver.get(1 + consumer..9 + consumer) else {
            bail!("a delivery without a tag");
        };
        let tag = u64_of(tag);
        body.clear();
        if self.read_frame()? != HEADER_FRAME || self.frame.len() < 12 {
            bail!("a delivery without a header");
        }
        let length = u64_of(&self.frame[4..12]);
        while (body.len() as u64) < length {
            if self.read_frame()? != BODY_FRAME {
                bail!("a delivery without its body");
            }
            body.extend_from_slice(&self.frame);
        }
        Ok(tag)
    }

    /// Acknowledges a message and all before it.
    pub(super) fn acknowledge(&mut self, tag: u64) -> Result<()> {
        self.call(CHANNEL, ACK, &Arguments::new().u64(tag).u8(1))
    }

    /// Closes the channel, when the broker has done all that was asked before. What is on its way when a connection
    /// just ends is lost.
    pub(super) fn finish(mut self) -> Result<()> {
        let close = Arguments::new().u16(200).short("").u16(0).u16(0);
        self.ask(CHANNEL_CLOSE, &close, CHANNEL_CLOSE_OK)
    }

    fn ask(&mut self, method: Method, arguments: &Arguments, answer: Method) -> Result<()> {
        self.call(CHANNEL, method, arguments)?;
        self.expect(answer).map(|_| ())
    }

    fn call(&mut self, channel: u16, method: Method, arguments: &Arguments) -> Result<()> {
        let mut bytes = Vec::new();
        put_method(&mut bytes, channel, method, arguments);
        Ok(self.writes.write_all(&bytes)?)
    }

    /// Reads a method, which must be this one; returns its arguments.
    fn expect(&mut self, expected: Method) -> Result<&[u8]> {
        let kind = self.read_frame()?;
        let [a, b, c, d, arguments @ ..] = &self.frame[..] else {
            bail!("a frame of {} bytes", self.frame.len());
        };
        let method = (u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d]));
        if kind != METHOD_FRAME || method != expected {
            let text = String::from_utf8_lossy(arguments);
            bail!("the broker sends {method:?} instead of {expected:?}: {text}");
        }
        Ok(arguments)
    }

    /// Reads a frame, and returns its type.
    fn read_frame(&mut self) -> Result<u8> {
        let mut head = [0; 7];
        self.reads.read_exact(&mut head)?;
        let [kind, _, _, length @ ..] = head;
        let length = u32::from_be_bytes(length) as usize;
        if length > MOST_OF_FRAME {
            bail!("a frame of {length} bytes");
        }
        self.frame.resize(length + 1, 0);
        self.reads.read_exact(&mut self.frame)?;
        match self.frame.pop() {
            Some(END_OF_FRAME) => Ok(kind),
            _ => bail!("a frame without its end"),
        }
    }
}

/// The arguments of a method, in the form that they are sent in.
struct Arguments(Vec<u8>);

impl Arguments {
    fn new() -> Arguments {
        Arguments(Vec::new())
    }

    fn bytes(mut self, bytes: &[u8]) -> Arguments {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u8(self, number: u8) -> Arguments {
        self.bytes(&[number])
    }

    fn u16(self, number: u16) -> Arguments {
        self.bytes(&number.to_be_bytes())
    }

    fn u32(self, number: u32) -> Arguments {
        self.bytes(&number.to_be_bytes())
    }

    fn u64(self, number: u64) -> Arguments {
        self.bytes(&number.to_be_bytes())
    }

    /// A name, of at most 255 bytes.
    fn short(self, text: &str) -> Arguments {
        debug_assert!(text.len() < 256);
        self.u8(text.len() as u8).bytes(text.as_bytes())
    }

    fn long(self, text: &[u8]) -> Arguments {
        self.u32(text.len() as u32).bytes(text)
    }
}

fn put_method(bytes: &mut Vec<u8>, channel: u16, method: Method, arguments: &Arguments) {
    let payload = Arguments::new().u16(method.0).u16(method.1);
    put_frame(bytes, METHOD_FRAME, channel, &payload.bytes(&arguments.0).0);
}

fn put_frame(bytes: &mut Vec<u8>, kind: u8, channel: u16, payload: &[u8]) {
    bytes.push(kind);
    bytes.extend_from_slice(&channel.to_be_bytes());
    bytes.extend_from_slice(&(payload.len() as u32).to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes.push(END_OF_FRAME);
}

/// The number in eight bytes.
fn u64_of(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_type_channel_length_and_end() {
        let mut bytes = Vec::new();
        put_method(&mut bytes, 1, QOS, &Arguments::new().u32(0).u16(300).u8(0));
        let expected = [
            1, 0, 1, 0, 0, 0, 11, 0, 60, 0, 10, 0, 0, 0, 0, 1, 44, 0, 0xce,
        ];
        assert_eq!(bytes, expected);
    }
}
