//! Ports that carry a connection to another node.
//!
//! From the moment at which the node's distribution hands a [`Channel`] to a port ([`Port::carry`]), packets that come
//! in are for it, and not for the connected process; and the driver takes output from it whenever it can write. The
//! channel learns of the port's end. All this happens under the port's lock, except that the channel may ask from any
//! thread for its output to be taken ([`Port::take_output_soon`]).

use std::mem::MaybeUninit;
use std::sync::Arc;

use layout::Term;
use term::byte_queue::ByteQueue;

use super::access::Access;
use super::{Phase, Port};

/// The connection that a port carries. Calls come under the port's lock, so the channel must not call the port
/// meanwhile.
pub trait Channel: Send + Sync {
    /// A packet has arrived, without its length.
    fn packet(&self, bytes: &[u8]) -> Accepted;

    /// The beginning of a packet of this many bytes has arrived. Returns true if the channel has kept it, and has room
    /// for the others, which are then for [`Channel::fill`]; otherwise the packet will come as a whole.
    fn begin_packet(&self, beginning: &[u8], length: usize) -> bool;

    /// Has more bytes of the packet that was begun read to where they will stay. `None` if even more are to come.
    fn fill(&self, source: &mut dyn Source) -> Option<Accepted>;

    /// Moves output to the back of a queue: whole packets with their lengths, until the queue has at least `enough`
    /// bytes, or `most` bytes if nothing small has gone out for a while, or there is nothing left. Returns the number
    /// of packets.
    fn take_output(&self, queue: &mut ByteQueue, enough: usize, most: usize) -> usize;

    /// The port has closed.
    fn closed(&self, reason: Term);
}

/// What a channel reads from.
pub trait Source {
    /// Reads once. Returns the part of the room that is written now, which is its beginning.
    fn read<'a>(&mut self, room: &'a mut [MaybeUninit<u8>]) -> &'a [u8];
}

/// Whether a packet was understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Accepted {
    Yes,
    /// It is a part of a message, and what comes next probably is one too.
    Part,
    /// It is damaged: the connection must end.
    No,
}

impl Port {
    /// Makes the port carry a connection, if it is open and carries none, and its driver can do that.
    #[must_use]
    pub fn carry(self: &Arc<Port>, channel: Arc<dyn Channel>) -> bool {
        let mut state = self.state.lock();
        if state.core.phase != Phase::Open || state.core.channel.is_some() {
            return false;
        }
        if !state.driver.as_mut().is_some_and(|driver| driver.carry()) {
            return false;
        }
        state.core.channel = Some(channel);
        // Senders to the other node wait for the channel instead.
        self.tasks.set_watermarks(None);
        true
    }

    /// Whether the port carries a connection.
    #[must_use]
    pub fn is_carrier(&self) -> bool {
        self.state.lock().core.channel.is_some()
    }

    /// Has the driver take output from the channel, after what is already queued for the port.
    pub fn take_output_soon(self: &Arc<Port>) {
        self.run_later(|driver, access| driver.channel_has_output(access));
    }
}

impl Access<'_> {
    /// The connection that the port carries.
    #[must_use]
    pub fn channel(&self) -> Option<Arc<dyn Channel>> {
        self.core.channel.clone()
    }
}
