//! The host's interfaces, for `inet:getifaddrs/0`, `inet:getiflist/0`, `inet:ifget/2`, `inet:ifset/2`.

use std::os::fd::BorrowedFd;

use sys::socket::Address;
use sys::socket::address::View;
use sys::socket::interface::{self, Change, Flags, Question};

use super::protocol::{Answer, Bytes, INVALID, Reader, done, family};

/// Properties of an interface that can be read or set.
mod option {
    pub(super) const ADDRESS: u8 = 1;
    pub(super) const BROADCAST: u8 = 2;
    pub(super) const DESTINATION: u8 = 3;
    pub(super) const LARGEST_PACKET: u8 = 4;
    pub(super) const NETMASK: u8 = 5;
    pub(super) const FLAGS: u8 = 6;
    pub(super) const HARDWARE: u8 = 7;
}

/// Flags; those in the second half switch one off.
mod flag {
    pub(super) const UP: u32 = 0x0001;
    pub(super) const BROADCAST: u32 = 0x0002;
    pub(super) const LOOPBACK: u32 = 0x0004;
    pub(super) const POINT_TO_POINT: u32 = 0x0008;
    pub(super) const RUNNING: u32 = 0x0010;
    pub(super) const MULTICAST: u32 = 0x0020;
    pub(super) const DOWN: u32 = 0x0100;
    pub(super) const NO_BROADCAST: u32 = 0x0200;
    pub(super) const NO_POINT_TO_POINT: u32 = 0x0800;
}

fn flags_word(flags: Flags) -> u32 {
    let bit = |on: bool, bit: u32| if on { bit } else { 0 };
    // An interface that is up counts as running.
    bit(flags.is_up(), flag::UP | flag::RUNNING)
        | bit(flags.is_broadcast(), flag::BROADCAST)
        | bit(flags.is_loopback(), flag::LOOPBACK)
        | bit(flags.is_point_to_point(), flag::POINT_TO_POINT)
        | bit(flags.is_multicast(), flag::MULTICAST)
}

fn put_address(bytes: &mut Bytes, option: u8, address: Option<&Address>) {
    match address.map(Address::view) {
        Some(View::Inet { ip, .. }) => {
            bytes.extend_from_slice(&[option, family::INET]);
            bytes.extend_from_slice(&ip);
        }
        Some(View::Inet6 { ip, .. }) => {
            bytes.extend_from_slice(&[option, family::INET6]);
            bytes.extend_from_slice(&ip);
        }
        _ => {}
    }
}

/// Writes a name as UTF-8; its bytes are taken as Latin-1.
fn put_name(bytes: &mut Bytes, name: &[u8]) {
    let name: String = name.iter().map(|&byte| char::from(byte)).collect();
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(0);
}

/// All addresses of all interfaces.
pub(super) fn addresses() -> Answer {
    let mut bytes = Bytes::new();
    for entry in interface::entries()? {
        put_name(&mut bytes, &entry.name);
        bytes.push(option::FLAGS);
        bytes.extend_from_slice(&flags_word(entry.flags).to_be_bytes());
        if entry.address.is_some() {
            put_address(&mut bytes, option::ADDRESS, entry.address.as_ref());
            put_address(&mut bytes, option::NETMASK, entry.netmask.as_ref());
            if entry.flags.is_point_to_point() {
                put_address(&mut bytes, option::DESTINATION, entry.other.as_ref());
            } else if entry.flags.is_broadcast() {
                put_address(&mut bytes, option::BROADCAST, entry.other.as_ref());
            }
        } else if let Some(hardware) = entry.hardware.filter(|hardware| hardware.len() > 1) {
            bytes.push(option::HARDWARE);
            bytes.extend_from_slice(&(hardware.len() as u16).to_be_bytes());
            bytes.extend_from_slice(&hardware);
        }
        bytes.push(0);
    }
    Ok(bytes)
}

/// Names of the interfaces that have an IPv4 address.
pub(super) fn names() -> Answer {
    let mut bytes = Bytes::new();
    for entry in interface::entries()? {
        if matches!(
            entry.address.as_ref().map(Address::view),
            Some(View::Inet { .. })
        ) {
            bytes.extend_from_slice(&entry.name);
            bytes.push(0);
        }
    }
    Ok(bytes)
}

/// Returns properties of one interface; those that it does not have are left out.
pub(super) fn get(socket: BorrowedFd<'_>, request: &[u8]) -> Answer {
    let mut reader = Reader::new(request);
    let name = reader.counted()?;
    let mut bytes = Bytes::new();
    for &asked in reader.rest() {
        let question = match asked {
            option::ADDRESS => Question::Address,
            option::BROADCAST => Question::Broadcast,
            option::DESTINATION => Question::Destination,
            option::NETMASK => Question::Netmask,
            option::HARDWARE => {
                if let Ok(hardware) = interface::hardware(socket, name) {
                    bytes.extend_from_slice(&[asked, 0, hardware.len() as u8]);
                    bytes.extend_from_slice(&hardware);
                }
                continue;
            }
            option::LARGEST_PACKET => {
                if let Ok(max) = interface::largest_packet(socket, name) {
                    bytes.push(asked);
                    bytes.extend_from_slice(&max.to_be_bytes());
                }
                continue;
            }
            option::FLAGS => {
                let flags = interface::flags(socket, name).unwrap_or_default();
                bytes.push(asked);
                bytes.extend_from_slice(&flags_word(flags).to_be_bytes());
                continue;
            }
            _ => return Err(INVALID),
        };
        if let Ok(ip) = interface::ask(socket, name, question) {
            bytes.extend_from_slice(&[asked, family::INET]);
            bytes.extend_from_slice(&ip);
        }
    }
    Ok(bytes)
}

/// Changes properties of one interface. A refusal by the system is not reported, as in OTP.
pub(super) fn set(socket: BorrowedFd<'_>, request: &[u8]) -> Answer {
    let mut reader = Reader::new(request);
    let name = reader.counted()?;
    while !reader.is_empty() {
        let change = match reader.byte()? {
            option::ADDRESS => address_change(&mut reader, Question::Address)?,
            option::BROADCAST => address_change(&mut reader, Question::Broadcast)?,
            option::DESTINATION => address_change(&mut reader, Question::Destination)?,
            option::NETMASK => address_change(&mut reader, Question::Netmask)?,
            option::LARGEST_PACKET => Some(Change::LargestPacket(reader.int()?)),
            option::HARDWARE => {
                let count = reader.short()?;
                let bytes = reader.bytes(usize::from(count))?;
                bytes.try_into().ok().map(Change::Hardware)
            }
            option::FLAGS => {
                let word = reader.word()?;
                let change = |on: u32, off: u32| match (word & on != 0, word & off != 0) {
                    (_, true) => Some(false),
                    (true, false) => Some(true),
                    (false, false) => None,
                };
                Some(Change::Flags {
                    up: change(flag::UP, flag::DOWN),
                    broadcast: change(flag::BROADCAST, flag::NO_BROADCAST),
                    point_to_point: change(flag::POINT_TO_POINT, flag::NO_POINT_TO_POINT),
                })
            }
            _ => return Err(INVALID),
        };
        if let Some(change) = change {
            let _ = interface::change(socket, name, change);
        }
    }
    done()
}

/// The system accepts only IPv4 addresses here; others are ignored.
fn address_change(
    reader: &mut Reader<'_>,
    question: Question,
) -> Result<Option<Change>, super::protocol::Refusal> {
    match reader.byte()? {
        family::INET => Ok(Some(Change::Address(question, reader.array()?))),
        family::INET6 => reader.array::<16>().map(|_| None),
        _ => Err(INVALID),
    }
}
