//! Options of sockets: their numbers, and those that are stored here rather than by the system.
//!
//! [`requests`] sets and reads them for programs.

pub(super) mod requests;

use super::input::Framing;
use runtime::effects::port::busy::Watermarks;
use term::release::{self, Release};

/// Numbers of options.
pub(super) mod number {
    pub(crate) const REUSE_ADDRESS: u8 = 0;
    pub(crate) const KEEP_ALIVE: u8 = 1;
    pub(crate) const DONT_ROUTE: u8 = 2;
    pub(crate) const LINGER: u8 = 3;
    pub(crate) const BROADCAST: u8 = 4;
    pub(crate) const OUT_OF_BAND_INLINE: u8 = 5;
    pub(crate) const SEND_BUFFER: u8 = 6;
    pub(crate) const RECEIVE_BUFFER: u8 = 7;
    pub(crate) const PRIORITY: u8 = 8;
    pub(crate) const TYPE_OF_SERVICE: u8 = 9;
    pub(crate) const NO_DELAY: u8 = 10;
    pub(crate) const MULTICAST_INTERFACE: u8 = 11;
    pub(crate) const MULTICAST_TIME_TO_LIVE: u8 = 12;
    pub(crate) const MULTICAST_LOOP: u8 = 13;
    pub(crate) const ADD_MEMBERSHIP: u8 = 14;
    pub(crate) const DROP_MEMBERSHIP: u8 = 15;
    pub(crate) const ONLY_IPV6: u8 = 16;
    pub(crate) const REUSE_PORT: u8 = 17;
    pub(crate) const REUSE_PORT_BALANCED: u8 = 18;
    /// Of Windows; elsewhere it may be set, without effect.
    pub(crate) const EXCLUSIVE_ADDRESS_USE: u8 = 19;
    pub(crate) const BUFFER: u8 = 20;
    pub(crate) const HEADER: u8 = 21;
    pub(crate) const ACTIVE: u8 = 22;
    pub(crate) const PACKET: u8 = 23;
    pub(crate) const MODE: u8 = 24;
    pub(crate) const DELIVER: u8 = 25;
    pub(crate) const EXIT_ON_CLOSE: u8 = 26;
    pub(crate) const HIGH_WATERMARK: u8 = 27;
    pub(crate) const LOW_WATERMARK: u8 = 28;
    pub(crate) const SEND_TIMEOUT: u8 = 30;
    pub(crate) const DELAY_SEND: u8 = 31;
    pub(crate) const PACKET_SIZE: u8 = 32;
    pub(crate) const READ_PACKETS: u8 = 33;
    pub(crate) const RAW: u8 = 34;
    pub(crate) const SEND_TIMEOUT_CLOSE: u8 = 35;
    pub(crate) const HIGH_MESSAGE_WATERMARK: u8 = 36;
    pub(crate) const LOW_MESSAGE_WATERMARK: u8 = 37;
    pub(crate) const NAMESPACE: u8 = 38;
    pub(crate) const SHOW_RESET: u8 = 39;
    pub(crate) const LINE_DELIMITER: u8 = 40;
    pub(crate) const TRAFFIC_CLASS: u8 = 41;
    pub(crate) const BIND_TO_DEVICE: u8 = 42;
    pub(crate) const RECEIVE_TYPE_OF_SERVICE: u8 = 43;
    pub(crate) const RECEIVE_TRAFFIC_CLASS: u8 = 44;
    pub(crate) const PACKET_OPTIONS: u8 = 45;
    pub(crate) const TIME_TO_LIVE: u8 = 46;
    pub(crate) const RECEIVE_TIME_TO_LIVE: u8 = 47;
    pub(crate) const NO_PUSH: u8 = 48;
    pub(crate) const READ_AHEAD: u8 = 49;
    /// Of SCTP; other sockets may set it, without effect.
    pub(crate) const NON_BLOCKING_SEND: u8 = 50;
    pub(crate) const KEEP_ALIVE_COUNT: u8 = 51;
    pub(crate) const KEEP_ALIVE_IDLE: u8 = 52;
    pub(crate) const KEEP_ALIVE_INTERVAL: u8 = 53;
    pub(crate) const USER_TIMEOUT: u8 = 54;
    pub(crate) const DEBUG: u8 = 99;
}

/// Default number of bytes that one read of a socket takes, and that of OTP 28 and later.
const BUFFER_BYTES: i32 = 1460;
const LATER_BUFFER_BYTES: i32 = 9216;
/// Default number of datagrams that are read in a row.
const READ_PACKETS: i32 = 5;

/// When data is sent to the connected process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Active {
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

    pub(super) fn from_number(number: i32) -> Option<Active> {
        [Active::No, Active::Yes, Active::Once, Active::Multi]
            .into_iter()
            .find(|active| active.number() == number)
    }
}

/// Options that are stored here.
#[derive(Clone, Debug)]
pub(super) struct SocketOptions {
    pub buffer_bytes: i32,
    /// Whether the program chose `buffer_bytes`; otherwise it follows the system's buffer.
    pub is_buffer_chosen: bool,
    pub header_bytes: usize,
    pub active: Active,
    pub active_count: i16,
    /// As the program set it; [`SocketOptions::framing`] is what it means.
    pub packet: i32,
    pub packet_bytes: u32,
    pub delimiter: u8,
    pub binary: bool,
    pub deliver_port: bool,
    pub exit_on_close: bool,
    /// When a stream's output makes its port busy. Numbers that programs give and see are of 32 bits.
    pub watermarks: Watermarks,
    pub send_timeout_ms: u32,
    pub send_timeout_close: bool,
    pub delay_send: bool,
    pub read_packets: i32,
    pub namespace: Option<Box<[u8]>>,
    pub show_reset: bool,
    /// Whether a stream may read beyond the packet that it delivers.
    pub read_ahead: bool,
    /// Whether closing discards what has not been sent.
    pub linger_zero: bool,
    pub debug: bool,
    /// Ancillary data that datagrams are to be delivered with.
    pub ancillary: Ancillary,
}

/// See [`SocketOptions::ancillary`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Ancillary {
    pub type_of_service: bool,
    pub traffic_class: bool,
    pub time_to_live: bool,
}

impl Ancillary {
    pub(super) fn any(self) -> bool {
        self != Ancillary::default()
    }
}

impl Default for SocketOptions {
    fn default() -> SocketOptions {
        SocketOptions {
            buffer_bytes: match release::has(Release::OTP_28) {
                true => LATER_BUFFER_BYTES,
                false => BUFFER_BYTES,
            },
            is_buffer_chosen: false,
            header_bytes: 0,
            active: Active::No,
            active_count: 0,
            packet: 0,
            packet_bytes: 0,
            delimiter: b'\n',
            binary: false,
            deliver_port: false,
            exit_on_close: true,
            watermarks: Watermarks::DEFAULT,
            send_timeout_ms: super::protocol::INFINITY,
            send_timeout_close: false,
            delay_send: false,
            read_packets: READ_PACKETS,
            namespace: None,
            show_reset: false,
            read_ahead: true,
            linger_zero: false,
            debug: false,
            ancillary: Ancillary::default(),
        }
    }
}

impl SocketOptions {
    /// The options that an accepted connection inherits from its listener.
    pub(super) fn inherited(&self) -> SocketOptions {
        SocketOptions {
            active: Active::No,
            active_count: 0,
            delimiter: b'\n',
            is_buffer_chosen: false,
            delay_send: false,
            namespace: None,
            debug: false,
            ancillary: Ancillary::default(),
            ..self.clone()
        }
    }

    pub(super) fn is_active(&self) -> bool {
        self.active != Active::No
    }

    /// Counts a delivered packet; returns true if the socket became passive and its owner must be told.
    pub(super) fn count_active(&mut self) -> bool {
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

    /// How packets are delimited.
    pub(super) fn framing(&self) -> Framing {
        Framing {
            kind: packet_kind(self.packet),
            packet_bytes: self.packet_bytes,
            delimiter: self.delimiter,
        }
    }
}

fn packet_kind(number: i32) -> packet::PacketKind {
    use packet::PacketKind;
    match number {
        1 => PacketKind::Length1,
        2 => PacketKind::Length2,
        3 => PacketKind::Length4,
        4 => PacketKind::Asn1,
        5 => PacketKind::SunRm,
        6 => PacketKind::Cdr,
        7 => PacketKind::FastCgi,
        8 => PacketKind::Line,
        9 => PacketKind::Tpkt,
        10 => PacketKind::Http { binaries: false },
        11 => PacketKind::HttpHeaders { binaries: false },
        12 => PacketKind::SslTls,
        13 => PacketKind::Http { binaries: true },
        14 => PacketKind::HttpHeaders { binaries: true },
        _ => PacketKind::Raw,
    }
}
