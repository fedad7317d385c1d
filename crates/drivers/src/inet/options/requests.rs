//! Requests to set and to read options of sockets.
//!
//! A request to set options is a sequence of numbers and values, from the end of the program's list to its beginning;
//! a refusal by the system is mostly not reported, as in OTP, except where [`System::is_reported`] says so. A request
//! to get options is a sequence of numbers; options that the system refuses are left out of the answer.

use std::os::fd::BorrowedFd;

use sys::socket::message as ancillary;
use sys::socket::option::{self, Name};
use sys::socket::{Family, SocketKind};

use super::{Active, number};
use crate::inet::protocol::{Answer, Bytes, INVALID, Reader, Refusal, family};
use crate::inet::socket::{Protocol, Socket};
use runtime::effects::port::access::Access;

/// Maximum number of bytes of an answer, its first byte included, which says that it is one.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// Bytes of a raw option in an answer, before its value.
const RAW_HEAD_BYTES: usize = 13;
/// Bytes of an interface's name, including its terminating zero.
const INTERFACE_NAME_BYTES: usize = 16;
/// The maximum length of a datagram.
const MAX_DATAGRAM_BYTES: i32 = 1 << 16;

/// A watermark of a queue of commands. As in OTP, negative numbers are taken as very large ones; 0 and -1 are
/// invalid.
fn queue_mark(value: i32) -> Result<usize, Refusal> {
    match value {
        0 | -1 => Err(INVALID),
        _ => Ok(value as usize),
    }
}

/// An option that the system stores as a number.
struct System {
    name: Name,
    /// Whether a refusal by the system is reported.
    is_reported: bool,
}

/// The system's option for an option number.
fn system(number: u8) -> Option<System> {
    let quiet = |name| (name, false);
    let reported = |name| (name, true);
    let (name, is_reported) = match number {
        number::REUSE_ADDRESS => quiet(option::REUSE_ADDRESS),
        number::REUSE_PORT | number::REUSE_PORT_BALANCED => quiet(option::REUSE_PORT),
        number::KEEP_ALIVE => quiet(option::KEEP_ALIVE),
        number::KEEP_ALIVE_COUNT => quiet(option::KEEP_ALIVE_COUNT),
        number::KEEP_ALIVE_IDLE => quiet(option::KEEP_ALIVE_IDLE),
        number::KEEP_ALIVE_INTERVAL => quiet(option::KEEP_ALIVE_INTERVAL),
        number::USER_TIMEOUT => reported(option::USER_TIMEOUT),
        number::DONT_ROUTE => quiet(option::DONT_ROUTE),
        number::BROADCAST => quiet(option::BROADCAST),
        number::OUT_OF_BAND_INLINE => quiet(option::OUT_OF_BAND_INLINE),
        number::SEND_BUFFER => quiet(option::SEND_BUFFER),
        number::RECEIVE_BUFFER => quiet(option::RECEIVE_BUFFER),
        number::PRIORITY => reported(option::PRIORITY),
        number::TYPE_OF_SERVICE => reported(option::TYPE_OF_SERVICE),
        number::TRAFFIC_CLASS => reported(option::TRAFFIC_CLASS),
        number::TIME_TO_LIVE => reported(option::TIME_TO_LIVE),
        number::RECEIVE_TYPE_OF_SERVICE => reported(option::RECEIVE_TYPE_OF_SERVICE),
        number::RECEIVE_TRAFFIC_CLASS => reported(option::RECEIVE_TRAFFIC_CLASS),
        number::RECEIVE_TIME_TO_LIVE => reported(option::RECEIVE_TIME_TO_LIVE),
        number::NO_DELAY => quiet(option::NO_DELAY),
        number::NO_PUSH => quiet(option::CORK),
        number::MULTICAST_TIME_TO_LIVE => quiet(option::MULTICAST_TIME_TO_LIVE),
        number::MULTICAST_LOOP => quiet(option::MULTICAST_LOOP),
        number::ONLY_IPV6 => reported(option::ONLY_IPV6),
        _ => return None,
    };
    Some(System { name, is_reported })
}

/// Sets an option of the system. This may reset priority and type of service, so these are restored.
fn set_system(fd: BorrowedFd<'_>, name: Name, value: &[u8]) -> sys::Result<()> {
    let priority = option::get_int(fd, option::PRIORITY);
    let type_of_service = option::get_int(fd, option::TYPE_OF_SERVICE);
    option::set(fd, name, value)?;
    if name == option::PRIORITY {
        return Ok(());
    }
    if name != option::TYPE_OF_SERVICE
        && let Ok(value) = type_of_service
    {
        option::set_int(fd, option::TYPE_OF_SERVICE, value)?;
    }
    if let Ok(value) = priority
        && let Err(error) = option::set_int(fd, option::PRIORITY, value)
        && error != sys::Errno::EPERM
    {
        return Err(error);
    }
    Ok(())
}

/// What the driver has to do after options have been set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Follow {
    Nothing,
    /// Deliver packets that are there already.
    Deliver,
    /// Read, and deliver what arrives.
    Receive,
    /// The socket became active, but the peer has gone: report that, and end.
    Ended,
}

impl Socket {
    pub(crate) fn set_options(
        &mut self,
        port: &mut Access<'_>,
        bytes: &[u8],
    ) -> Result<Follow, Refusal> {
        let before = (self.options.active, self.options.packet);
        let mut reader = Reader::new(bytes);
        while reader.len() >= 5 {
            let number = reader.byte()?;
            let value = reader.int()?;
            self.set_option(port, number, value, &mut reader)?;
            let is_gone = self.kind == Some(SocketKind::Stream) && self.status == 0;
            if number == number::ACTIVE && is_gone && self.options.is_active() {
                return Ok(Follow::Ended);
            }
        }
        Ok(self.follow(before))
    }

    fn follow(&self, (active, packet): (Active, i32)) -> Follow {
        let options = &self.options;
        if self.kind == Some(SocketKind::Datagram) {
            return match self.is_open() && options.is_active() && options.active != active {
                true => Follow::Receive,
                false => Follow::Nothing,
            };
        }
        if !self.is_connected() || !options.is_active() {
            return Follow::Nothing;
        }
        let was_passive = active == Active::No;
        let is_same_packet = packet == options.packet;
        if was_passive && options.active != Active::Yes && is_same_packet {
            Follow::Receive
        } else if was_passive || !is_same_packet {
            Follow::Deliver
        } else {
            Follow::Nothing
        }
    }

    fn set_option(
        &mut self,
        port: &mut Access<'_>,
        number: u8,
        value: i32,
        reader: &mut Reader<'_>,
    ) -> Result<(), Refusal> {
        let is_stream = self.kind == Some(SocketKind::Stream);
        let options = &mut self.options;
        match number {
            number::HEADER => options.header_bytes = value as u32 as usize,
            number::MODE => options.binary = value != 0,
            number::DELIVER => options.deliver_port = value == 0,
            number::BUFFER => {
                options.buffer_bytes = value.max(1);
                options.is_buffer_chosen = true;
            }
            number::ACTIVE => return self.set_active(port, value, reader),
            number::PACKET => options.packet = value,
            number::PACKET_SIZE => options.packet_bytes = value as u32,
            number::EXIT_ON_CLOSE => options.exit_on_close = value != 0,
            number::HIGH_WATERMARK => {
                if is_stream {
                    options.watermarks.set_high(value.max(0) as usize);
                }
            }
            number::LOW_WATERMARK => {
                if is_stream {
                    options.watermarks.set_low(value.max(0) as usize);
                }
            }
            number::HIGH_MESSAGE_WATERMARK => {
                let mut watermarks = port.queue_watermarks();
                watermarks.set_high(queue_mark(value)?);
                port.set_queue_watermarks(watermarks);
            }
            number::LOW_MESSAGE_WATERMARK => {
                let mut watermarks = port.queue_watermarks();
                watermarks.set_low(queue_mark(value)?);
                port.set_queue_watermarks(watermarks);
            }
            number::SEND_TIMEOUT => {
                if is_stream {
                    options.send_timeout_ms = value as u32;
                }
            }
            number::SEND_TIMEOUT_CLOSE => {
                if is_stream {
                    options.send_timeout_close = value != 0;
                }
            }
            number::DELAY_SEND => {
                if is_stream {
                    options.delay_send = value != 0;
                }
            }
            number::READ_PACKETS => {
                if self.kind == Some(SocketKind::Datagram) {
                    if value <= 0 {
                        return Err(INVALID);
                    }
                    options.read_packets = value;
                }
            }
            number::NAMESPACE => {
                let length = usize::try_from(value).map_err(|_| INVALID)?;
                options.namespace = Some(reader.bytes(length)?.into());
            }
            number::SHOW_RESET => {
                if self.protocol == Protocol::Tcp {
                    options.show_reset = value != 0;
                }
            }
            number::LINE_DELIMITER => options.delimiter = value as u8,
            number::READ_AHEAD => {
                if is_stream {
                    options.read_ahead = value != 0;
                }
            }
            number::EXCLUSIVE_ADDRESS_USE | number::NON_BLOCKING_SEND => {}
            number::USER_TIMEOUT if self.protocol != Protocol::Tcp => {}
            number::DEBUG => options.debug = value != 0,
            _ => return self.set_in_system(number, value, reader),
        }
        Ok(())
    }

    fn set_in_system(
        &mut self,
        number: u8,
        value: i32,
        reader: &mut Reader<'_>,
    ) -> Result<(), Refusal> {
        let fd = self.fd();
        let set = |name, value: &[u8]| fd.and_then(|fd| set_system(fd, name, value));
        match number {
            number::LINGER => {
                let seconds = reader.int()?;
                if self.protocol == Protocol::Tcp {
                    self.options.linger_zero = value != 0 && seconds == 0;
                }
                let mut linger = value.to_ne_bytes().to_vec();
                linger.extend(seconds.to_ne_bytes());
                let fd = self.fd();
                let _ = fd.and_then(|fd| set_system(fd, option::LINGER, &linger));
            }
            number::MULTICAST_INTERFACE => {
                // IPv4: an address, its first byte first. IPv6: the index of an interface.
                let _ = match self.family {
                    Some(Family::Inet) => set(option::MULTICAST_INTERFACE, &value.to_be_bytes()),
                    Some(Family::Inet6) => set(option::MULTICAST_INTERFACE_6, &value.to_ne_bytes()),
                    _ => return Err(INVALID),
                };
            }
            number::ADD_MEMBERSHIP | number::DROP_MEMBERSHIP => {
                let join = number == number::ADD_MEMBERSHIP;
                let index = reader.int()?;
                let (inet, inet6) = (i32::from(family::INET), i32::from(family::INET6));
                match self.family {
                    Some(Family::Inet) if value == inet => {
                        let (group, address) = (reader.array()?, reader.array()?);
                        let _ = fd
                            .and_then(|fd| option::set_membership(fd, join, group, address, index));
                    }
                    Some(Family::Inet6) if value == inet6 => {
                        let group = reader.array()?;
                        let _ = fd.and_then(|fd| option::set_membership_6(fd, join, group, index));
                    }
                    _ => return Err(INVALID),
                }
            }
            number::RAW => {
                let number = reader.int()?;
                let length = usize::try_from(reader.int()?).map_err(|_| INVALID)?;
                let bytes = reader.bytes(length)?;
                let name = Name {
                    level: value,
                    number,
                };
                let _ = set(name, bytes);
            }
            number::BIND_TO_DEVICE => {
                let length = usize::try_from(value).map_err(|_| INVALID)?;
                let name = reader.bytes(length)?;
                if length >= INTERFACE_NAME_BYTES {
                    return Err(INVALID);
                }
                let mut room = [0; INTERFACE_NAME_BYTES];
                room[..length].copy_from_slice(name);
                set(option::BIND_TO_DEVICE, &room).map_err(|_| INVALID)?;
            }
            _ => {
                let System { name, is_reported } = system(number).ok_or(INVALID)?;
                let result = set(name, &value.to_ne_bytes());
                if is_reported && result.is_err() {
                    return Err(INVALID);
                }
                self.note(number, value, result.is_ok());
            }
        }
        Ok(())
    }

    /// Updates the options stored here after the system has set or refused an option.
    fn note(&mut self, number: u8, value: i32, is_set: bool) {
        let options = &mut self.options;
        let ancillary = &mut options.ancillary;
        match number {
            number::RECEIVE_BUFFER if !options.is_buffer_chosen => {
                if value > MAX_DATAGRAM_BYTES && self.kind == Some(SocketKind::Datagram) {
                    options.buffer_bytes = MAX_DATAGRAM_BYTES;
                } else {
                    options.buffer_bytes = options.buffer_bytes.max(value);
                }
            }
            number::RECEIVE_TYPE_OF_SERVICE if is_set => ancillary.type_of_service = value != 0,
            number::RECEIVE_TRAFFIC_CLASS if is_set => ancillary.traffic_class = value != 0,
            number::RECEIVE_TIME_TO_LIVE if is_set => ancillary.time_to_live = value != 0,
            _ => {}
        }
    }

    pub(crate) fn get_options(&self, port: &Access<'_>, bytes: &[u8]) -> Answer {
        let mut answer = Bytes::new();
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            let number = reader.byte()?;
            match self.local_option(port, number) {
                Some(Some(value)) => put(&mut answer, number, value),
                Some(None) => {}
                None => self.get_from_system(&mut answer, number, &mut reader)?,
            }
            if answer.len() >= MAX_ANSWER_BYTES {
                return Err(INVALID);
            }
        }
        Ok(answer)
    }

    /// An option that is stored here: its value, or `Some(None)` if this kind of socket does not have it. None if it
    /// is not stored here.
    fn local_option(&self, port: &Access<'_>, number: u8) -> Option<Option<i32>> {
        let options = &self.options;
        let stream = |value: i32| (self.kind == Some(SocketKind::Stream)).then_some(value);
        let number_of = |bytes: usize| Some(i32::try_from(bytes).unwrap_or(i32::MAX));
        Some(match number {
            number::BUFFER => Some(options.buffer_bytes),
            number::HEADER => Some(options.header_bytes as i32),
            number::MODE => Some(options.binary.into()),
            number::DELIVER => Some((!options.deliver_port).into()),
            // It may have a count besides.
            number::ACTIVE => return None,
            number::PACKET => Some(options.packet),
            number::PACKET_SIZE => Some(options.packet_bytes as i32),
            number::EXIT_ON_CLOSE => Some(options.exit_on_close.into()),
            number::HIGH_WATERMARK => stream(options.watermarks.high as i32),
            number::LOW_WATERMARK => stream(options.watermarks.low as i32),
            number::HIGH_MESSAGE_WATERMARK => number_of(port.queue_watermarks().high),
            number::LOW_MESSAGE_WATERMARK => number_of(port.queue_watermarks().low),
            number::SEND_TIMEOUT => stream(options.send_timeout_ms as i32),
            number::SEND_TIMEOUT_CLOSE => stream(options.send_timeout_close.into()),
            number::DELAY_SEND => stream(options.delay_send.into()),
            number::READ_PACKETS => {
                (self.kind == Some(SocketKind::Datagram)).then_some(options.read_packets)
            }
            number::SHOW_RESET => {
                (self.protocol == Protocol::Tcp).then_some(options.show_reset.into())
            }
            number::READ_AHEAD => stream(options.read_ahead.into()),
            number::EXCLUSIVE_ADDRESS_USE | number::NON_BLOCKING_SEND => Some(0),
            number::DEBUG => Some(options.debug.into()),
            _ => return None,
        })
    }

    fn get_from_system(
        &self,
        answer: &mut Bytes,
        number: u8,
        reader: &mut Reader<'_>,
    ) -> Result<(), Refusal> {
        let fd = self.fd();
        let get = |name, room: &mut [u8]| fd.and_then(|fd| option::get(fd, name, room));
        let get_int = |name| fd.and_then(|fd| option::get_int(fd, name));
        match number {
            number::ACTIVE => {
                put(answer, number, self.options.active.number());
                if self.options.active == Active::Multi {
                    answer.extend_from_slice(&self.options.active_count.to_be_bytes());
                }
            }
            number::NAMESPACE => {
                if let Some(name) = &self.options.namespace {
                    put(answer, number, name.len() as i32);
                    answer.extend_from_slice(name);
                }
            }
            number::LINGER => {
                let mut room = [0; 8];
                if get(option::LINGER, &mut room).is_ok() {
                    let (on, seconds) = room.split_at(4);
                    let value =
                        |bytes: &[u8]| i32::from_ne_bytes(bytes.try_into().unwrap_or([0; 4]));
                    put(answer, number, value(on));
                    answer.extend_from_slice(&value(seconds).to_be_bytes());
                }
            }
            number::MULTICAST_INTERFACE => {
                let (family, name) = match self.family {
                    Some(Family::Inet) => (family::INET, option::MULTICAST_INTERFACE),
                    Some(Family::Inet6) => (family::INET6, option::MULTICAST_INTERFACE_6),
                    _ => return Err(INVALID),
                };
                let mut value = [0; 4];
                if get(name, &mut value).is_ok() {
                    if family == family::INET6 {
                        value = i32::from_ne_bytes(value).to_be_bytes();
                    }
                    put(answer, number, i32::from_be_bytes(value));
                    answer.extend_from_slice(&i32::from(family).to_be_bytes());
                }
            }
            number::RAW => {
                let level = reader.int()?;
                let option_number = reader.int()?;
                let is_given = reader.byte()? != 0;
                let length = reader.word()? as usize;
                if 1 + answer.len() + RAW_HEAD_BYTES + length > MAX_ANSWER_BYTES {
                    return Err(INVALID);
                }
                let mut room = vec![0; length];
                if is_given {
                    room.copy_from_slice(reader.bytes(length)?);
                }
                let name = Name {
                    level,
                    number: option_number,
                };
                if let Ok(count) = get(name, &mut room) {
                    put(answer, number, level);
                    answer.extend_from_slice(&option_number.to_be_bytes());
                    answer.extend_from_slice(&(count as u32).to_be_bytes());
                    answer.extend_from_slice(&room[..count]);
                }
            }
            number::BIND_TO_DEVICE => {
                let mut room = [0; INTERFACE_NAME_BYTES];
                if let Ok(count) = get(option::BIND_TO_DEVICE, &mut room) {
                    let name = room[..count].split(|&byte| byte == 0).next();
                    let name = name.unwrap_or_default();
                    put(answer, number, name.len() as i32);
                    answer.extend_from_slice(name);
                }
            }
            number::PACKET_OPTIONS => self.get_packet_options(answer)?,
            _ => {
                let System { name, .. } = system(number).ok_or(INVALID)?;
                if let Ok(value) = get_int(name) {
                    put(answer, number, value);
                }
            }
        }
        Ok(())
    }

    fn get_packet_options(&self, answer: &mut Bytes) -> Result<(), Refusal> {
        let name = match self.family {
            Some(Family::Inet) => option::PACKET_OPTIONS,
            Some(Family::Inet6) => option::PACKET_OPTIONS_6,
            _ => return Err(INVALID),
        };
        // Room for two numbers with their headers.
        let mut room = [0; 48];
        let Ok(count) = self.fd().and_then(|fd| option::get(fd, name, &mut room)) else {
            return Ok(());
        };
        let mut values = Bytes::new();
        for entry in ancillary::entries(&room[..count]) {
            if let Some(number) = ancillary_number(entry.name) {
                put(&mut values, number, entry.value() as i32);
            }
        }
        put(answer, number::PACKET_OPTIONS, values.len() as i32);
        answer.extend_from_slice(&values);
        Ok(())
    }
}

fn put(answer: &mut Bytes, number: u8, value: i32) {
    answer.push(number);
    answer.extend_from_slice(&value.to_be_bytes());
}

/// The option that a piece of ancillary data is about.
pub(crate) fn ancillary_number(name: Name) -> Option<u8> {
    match name {
        option::TYPE_OF_SERVICE | option::RECEIVE_TYPE_OF_SERVICE => Some(number::TYPE_OF_SERVICE),
        option::TRAFFIC_CLASS | option::RECEIVE_TRAFFIC_CLASS => Some(number::TRAFFIC_CLASS),
        option::TIME_TO_LIVE | option::RECEIVE_TIME_TO_LIVE => Some(number::TIME_TO_LIVE),
        _ => None,
    }
}

/// Reads the options that a datagram is to be sent with.
pub(crate) fn read_ancillary(bytes: &[u8]) -> Result<Vec<ancillary::Ancillary>, Refusal> {
    let mut reader = Reader::new(bytes);
    let mut entries = Vec::new();
    while !reader.is_empty() {
        let name = match reader.byte()? {
            number::TYPE_OF_SERVICE => option::TYPE_OF_SERVICE,
            number::TRAFFIC_CLASS => option::TRAFFIC_CLASS,
            number::TIME_TO_LIVE => option::TIME_TO_LIVE,
            _ => return Err(INVALID),
        };
        entries.push(ancillary::Ancillary::number(name, reader.int()?));
        // A datagram has use for at most two: a type of service or traffic class, and a time to live.
        if entries.len() > 2 {
            return Err(INVALID);
        }
    }
    Ok(entries)
}
