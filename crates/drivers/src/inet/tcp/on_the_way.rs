//! How much a connection to another node has on its way in the system.
//!
//! What the system has taken goes out before a small message that comes later. The system has at most
//! [`UNSENT_BYTES`] that it has not sent; but what it has sent and the other node has not read yet also lies ahead, and of two
//! nodes of one machine that is most of it: megabytes, with which the other node and this one keep a processor busy each. So
//! while small messages go out beside large ones to a node of the same machine, the system has room for little
//! ([`LITTLE_BYTES`]). Median of a small message there and back beside a stream of 8 MB ones, two processors, E6
//! (`beside_large`): 120 us, 200 with twice the room, 650 with as much as the system likes. For large messages alone that would
//! be the wrong choice: both nodes then wait for each other more often, and megabytes take 1.5 times as long.
//!
//! To a node of another machine the system has on its way what the network needs, which it knows better.

use std::os::fd::BorrowedFd;

use sys::socket::address::View;
use sys::socket::{self, option};

use super::Tcp;

/// Bytes that the system has not sent at which the socket counts as full. Chosen by E6 (`beside_large`).
const UNSENT_BYTES: i32 = 192 << 10;
/// The system's room for what is sent beside small messages; it doubles the number for what it needs itself. Half of it is
/// less than two packets of the loopback interface: then the other node delays its acknowledgements.
const LITTLE_BYTES: i32 = 64 << 10;
/// The room after that. The system allows no more to everyone, and E6 (`binaries`) shows no difference from what it chooses.
const MUCH_BYTES: i32 = 208 << 10;

/// Who decides how much is on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnTheWay {
    /// The system: no other node is connected, it is not on this machine, or the program has chosen.
    #[default]
    SystemDecides,
    /// The system so far.
    Undecided,
    /// We, for small messages beside large ones.
    Little,
    /// We, for large messages alone.
    Much,
}

impl Tcp {
    /// The socket is a connection to another node from now on.
    pub(super) fn begin_to_carry(&mut self) {
        let Ok(fd) = self.socket.fd() else { return };
        // A system without this option takes as much as before.
        let _ = option::set_int(fd, option::NOT_SENT_LOW_WATER, UNSENT_BYTES);
        if is_same_machine(fd) {
            self.on_the_way = OnTheWay::Undecided;
        }
    }

    /// Small messages go out beside large ones, or do not.
    pub(super) fn small_beside_large(&mut self, is_so: bool) {
        let next = match (self.on_the_way, is_so) {
            (OnTheWay::Undecided | OnTheWay::Much, true) => OnTheWay::Little,
            (OnTheWay::Little, false) => OnTheWay::Much,
            _ => return,
        };
        if self.socket.options.is_send_buffer_chosen {
            self.on_the_way = OnTheWay::SystemDecides;
            return;
        }
        let bytes = match next {
            OnTheWay::Little => LITTLE_BYTES,
            _ => MUCH_BYTES,
        };
        if let Ok(fd) = self.socket.fd() {
            // If the system refuses, messages wait longer, no more.
            let _ = option::set_int(fd, option::SEND_BUFFER, bytes);
        }
        self.on_the_way = next;
    }
}

/// Whether both ends of a connection have the same address.
fn is_same_machine(fd: BorrowedFd<'_>) -> bool {
    let (Ok(here), Ok(there)) = (socket::name(fd), socket::peer(fd)) else {
        return false;
    };
    match (here.view(), there.view()) {
        (View::Inet { ip: here, .. }, View::Inet { ip: there, .. }) => here == there,
        (View::Inet6 { ip: here, .. }, View::Inet6 { ip: there, .. }) => here == there,
        _ => false,
    }
}
