//! Bytes that a read has brought along beyond what was asked for.
//!
//! A socket reads no more at a time than its options say, and what is behind that costs another call, or one that finds
//! nothing. So each call takes more if there is more, and the rest waits here, as if it were still in the system: nothing
//! that is decided by what has been read looks at it. What of that others could see is made up for: a connection that is
//! closed with bytes unread is reset, as the system does it. Sockets whose descriptor others may read from, and local
//! ones, which cannot be reset, read nothing ahead.
//!
//! Belongs to one socket, under its port's lock.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;

use sys::socket;

/// Bytes that a call takes beyond what was asked for.
const AHEAD_BYTES: usize = 64 << 10;

type Room = [MaybeUninit<u8>; AHEAD_BYTES];

thread_local! {
    /// Where what is ahead comes in first; most of the time there is nothing.
    static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
}

/// See the module.
#[derive(Default)]
pub struct Ahead {
    bytes: Vec<u8>,
    /// What stands before has been taken.
    start: usize,
}

/// What a read has brought.
#[derive(Clone, Copy)]
pub struct Read {
    pub count: usize,
    /// The system had less than there was room for.
    pub found_end: bool,
}

impl Ahead {
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes bytes that are here already: as many as there are, or as there is room for.
    fn take(&mut self, room: &mut [MaybeUninit<u8>]) -> usize {
        let here = &self.bytes[self.start..];
        let count = here.len().min(room.len());
        room[..count].write_copy_of_slice(&here[..count]);
        self.start += count;
        if self.start == self.bytes.len() {
            *self = Ahead::default();
        }
        count
    }

    /// Reads: from here, then from the system, and with `may_go_on` more than the room takes.
    ///
    /// # Errors
    /// As [`socket::receive`].
    pub fn read(
        &mut self,
        fd: BorrowedFd<'_>,
        room: &mut [MaybeUninit<u8>],
        may_go_on: bool,
    ) -> sys::Result<Read> {
        if self.is_empty() {
            return self.read_system(fd, room, may_go_on);
        }
        let count = self.take(room);
        // What has come since then would be read as well if it all were in the system, and would not be unread when the
        // connection is closed. An error stays there for the next read.
        if count == room.len() || socket::unread_bytes(fd) == 0 {
            return Ok(Read {
                count,
                found_end: false,
            });
        }
        let more = self.read_system(fd, &mut room[count..], may_go_on);
        Ok(more.map_or(
            Read {
                count,
                found_end: false,
            },
            |more| Read {
                count: count + more.count,
                ..more
            },
        ))
    }

    fn read_system(
        &mut self,
        fd: BorrowedFd<'_>,
        room: &mut [MaybeUninit<u8>],
        may_go_on: bool,
    ) -> sys::Result<Read> {
        // Who takes as much by itself saves no call by more, which would be copied once more.
        if !may_go_on || room.len() >= AHEAD_BYTES {
            let count = socket::receive(fd, room)?;
            return Ok(Read {
                count,
                found_end: count < room.len(),
            });
        }
        let mut ahead = ROOM.take().unwrap_or_else(|| {
            // SAFETY: an array of what need not be initialised.
            unsafe { Box::<Room>::new_uninit().assume_init() }
        });
        let result = socket::receive_into(fd, room, &mut ahead[..]);
        if let Ok(count) = result
            && count > room.len()
        {
            // SAFETY: the system has filled the room and so many bytes of this one.
            let more = unsafe { ahead[..count - room.len()].assume_init_ref() };
            self.bytes = more.to_vec();
        }
        ROOM.set(Some(ahead));
        let count = result?;
        Ok(Read {
            count: count.min(room.len()),
            found_end: count < room.len() + AHEAD_BYTES,
        })
    }

    /// Closing is to look as if the system still had what is here.
    pub fn end(&mut self, fd: sys::Result<BorrowedFd<'_>>) {
        if !self.is_empty()
            && let Ok(fd) = fd
        {
            socket::reset_when_closed(fd);
        }
        *self = Ahead::default();
    }
}
