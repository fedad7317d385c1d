//! The option `active`: when data is sent to the connected process, without being requested (`{active, once}`).
//!
//! ```text
//! false  --set--> true    data is sent as it arrives
//!        --set--> once    after one packet: false
//!        --set--> N       after N packets: false, and the process gets {tcp_passive, Socket} or {udp_passive, Socket}
//! ```
//!
//! Setting N adds to the count (a negative number subtracts). What a driver does when the option changes is
//! [`super::options::Follow`].

use term::am;

use super::options::SocketOptions;
use super::protocol::{INVALID, Reader, Refusal};
use super::{Protocol, Socket, message};
use runtime::effects::port::access::Access;

/// When data is sent to the connected process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Active {
    /// Only on request.
    No,
    Yes,
    Once,
    /// As many times as counted.
    Multi,
}

impl Active {
    pub(super) fn number(self) -> i32 {
        self as i32
    }

    fn from_number(number: i32) -> Option<Active> {
        [Active::No, Active::Yes, Active::Once, Active::Multi]
            .into_iter()
            .find(|active| active.number() == number)
    }
}

impl SocketOptions {
    pub fn is_active(&self) -> bool {
        self.active != Active::No
    }

    /// Counts a delivered packet; returns true if the socket became passive and its owner must be told.
    pub fn count_active(&mut self) -> bool {
        match self.active {
            Active::Once => self.active = Active::No,
            Active::Multi => {
                self.active_count -= 1;
                if self.active_count == 0 {
                    self.active = Active::No;
                    return true;
                }
            }
            Active::No | Active::Yes => {}
        }
        false
    }
}

impl Socket {
    pub(super) fn set_active(
        &mut self,
        port: &mut Access<'_>,
        value: i32,
        reader: &mut Reader<'_>,
    ) -> Result<(), Refusal> {
        let options = &mut self.options;
        options.active = Active::from_number(value).ok_or(INVALID)?;
        if options.active != Active::Multi {
            options.active_count = 0;
            return Ok(());
        }
        let change = i16::from_be_bytes(reader.array()?);
        let count = options.active_count.checked_add(change);
        options.active_count = count.ok_or(INVALID)?.max(0);
        if options.active_count == 0 {
            options.active = Active::No;
            send_passive(port, self.protocol);
        }
        Ok(())
    }

    /// Counts a packet that was delivered to the connected process.
    pub(super) fn count_active(&mut self, port: &Access<'_>) {
        if self.options.count_active() {
            send_passive(port, self.protocol);
        }
    }
}

/// Reports that the socket has become passive by itself.
fn send_passive(port: &Access<'_>, protocol: Protocol) {
    let tag = match protocol {
        Protocol::Tcp => am::TCP_PASSIVE,
        Protocol::Udp => am::UDP_PASSIVE,
    };
    message::event(port, tag);
}
