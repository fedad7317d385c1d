//! The option `active`: when data is sent to the connected process, without being requested (`{active, once}`).
//!
//! ```text
//! false  --set--> true    data is sent as it arrives
//!        --set--> once    after one packet: false
//!        --set--> N       after N packets: false, and the process gets {tcp_passive, Socket} or {udp_passive, Socket}
//! ```
//!
//! Setting N adds to the count (a negative number subtracts). What a driver does when the option changes is
//! [`super::options::requests::Follow`].

use term::am;

use super::message;
use super::options::Active;
use super::protocol::{INVALID, Reader, Refusal};
use super::socket::{Protocol, Socket};
use runtime::effects::port::access::Access;

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
