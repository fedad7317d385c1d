//! Datagrams with ancillary data, taken apart into entries.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use super::address::Address;
use super::ancillary::{self, Ancillaries};
use super::call;
use super::option::Name;
use crate::errno::{Errno, Result};

/// Bytes of ancillary data that are received or sent with one datagram.
const CONTROL_BYTES: usize = 1024;

/// One piece of ancillary data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ancillary {
    /// Its level and type.
    pub name: Name,
    /// Its bytes, as the system lays them out.
    pub data: Vec<u8>,
}

impl Ancillary {
    /// A number.
    #[must_use]
    pub fn number(name: Name, value: i32) -> Ancillary {
        Ancillary {
            name,
            data: value.to_ne_bytes().to_vec(),
        }
    }

    /// The data as a number; 0 when its length is not that of a number.
    #[must_use]
    pub fn value(&self) -> u64 {
        match *self.data.as_slice() {
            [byte] => byte.into(),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        }
    }
}

/// Room for ancillary data, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; CONTROL_BYTES]);

/// A datagram that was received.
#[derive(Debug)]
pub struct Received {
    /// Bytes of data.
    pub count: usize,
    /// The address of the sender.
    pub from: Address,
    /// The ancillary data.
    pub ancillary: Vec<Ancillary>,
}

/// Receives one datagram and its ancillary data.
///
/// # Errors
/// As [`super::receive_from`].
pub fn receive(socket: BorrowedFd<'_>, room: &mut [MaybeUninit<u8>]) -> Result<Received> {
    let mut control = Control([0; CONTROL_BYTES]);
    let message = call::receive_message(socket, room, &mut control.0, 0)?;
    Ok(Received {
        count: message.count,
        from: message.from.unwrap_or_else(Address::unspecified),
        ancillary: entries(&control.0[..message.ancillary]),
    })
}

/// Sends one datagram with ancillary data; without an address, on a connected socket.
///
/// # Errors
/// As [`super::send_to`]; `einval` for more ancillary data than there is room for.
pub fn send(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    to: Option<&Address>,
    ancillary: &[Ancillary],
) -> Result<usize> {
    let mut control = Ancillaries::new(CONTROL_BYTES);
    for entry in ancillary {
        if !control.add(entry.name, &entry.data) {
            return Err(Errno::EINVAL);
        }
    }
    call::send_message(socket, &[IoSlice::new(bytes)], to, control.bytes(), 0)
}

/// The entries of a buffer of ancillary data, such as the one that an option of a stream holds, up to the first
/// malformed one.
#[must_use]
pub fn entries(buffer: &[u8]) -> Vec<Ancillary> {
    ancillary::entries(buffer)
        .map_while(|entry| entry)
        .map(|entry| Ancillary {
            name: entry.name,
            data: buffer[entry.data].to_vec(),
        })
        .collect()
}
