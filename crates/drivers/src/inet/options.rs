//! Options of sockets: their numbers, and those that are stored here rather than by the system.
//!
//! [`requests`] sets and reads them for programs.

pub mod requests;

use super::input::Framing;
use runtime::effects::port::busy::Watermarks;
use term::release::{self, Release};

/// Numbers of options.
pub mod number {
    pub const REUSE_ADDRESS: u8 = 0;
    pub const KEEP_ALIVE: u8 = 1;
    pub const DONT_ROUTE: u8 = 2;
    pub const LINGER: u8 = 3;
    pub const BROADCAST: u8 = 4;
    pub const OUT_OF_BAND_INLINE: u8 = 5;
    pub const SEND_BUFFER: u8 = 6;
    pub const RECEIVE_BUFFER: u8 = 7;
    pub const PRIORITY: u8 = 8;
    pub const TYPE_OF_SERVICE: u8 = 9;
    pub const NO_DELAY: u8 = 10;
    pub const MULTICAST_INTERFACE: u8 = 11;
    pub const MULTICAST_TIME_TO_LIVE: u8 = 12;
    pub const MULTICAST_LOOP: u8 = 13;
    pub const ADD_MEMBERSHIP: u8 = 14;
    pub const DROP_MEMBERSHIP: u8 = 15;
    pub const ONLY_IPV6: u8 = 16;
    pub const REUSE_PORT: u8 = 17;
    pub const REUSE_PORT_BALANCED: u8 = 18;
    pub const BUFFER: u8 = 20;
    pub const HEADER: u8 = 21;
    pub const ACTIVE: u8 = 22;
    pub const PACKET: u8 = 23;
    pub const MODE: u8 = 24;
    pub const DELIVER: u8 = 25;
    pub const EXIT_ON_CLOSE: u8 = 26;
    pub const HIGH_WATERMARK: u8 = 27;
    pub const LOW_WATERMARK: u8 = 28;
    pub const SEND_TIMEOUT: u8 = 30;
    pub const DELAY_SEND: u8 = 31;
    pub const PACKET_SIZE: u8 = 32;
    pub const READ_PACKETS: u8 = 33;
    pub const RAW: u8 = 34;
    pub const SEND_TIMEOUT_CLOSE: u8 = 35;
    pub const HIGH_MESSAGE_WATERMARK: u8 = 36;
    pub const LOW_MESSAGE_WATERMARK: u8 = 37;
    pub const NAMESPACE: u8 = 38;
    pub const SHOW_RESET: u8 = 39;
    pub const LINE_DELIMITER: u8 = 40;
    pub const TRAFFIC_CLASS: u8 = 41;
    pub const BIND_TO_DEVICE: u8 = 42;
    pub const RECEIVE_TYPE_OF_SERVICE: u8 = 43;
    pub const RECEIVE_TRAFFIC_CLASS: u8 = 44;
    pub const PACKET_OPTIONS: u8 = 45;
    pub const TIME_TO_LIVE: u8 = 46;
    pub const RECEIVE_TIME_TO_LIVE: u8 = 47;
    pub const NO_PUSH: u8 = 48;
    pub const KEEP_ALIVE_COUNT: u8 = 51;
    pub const KEEP_ALIVE_IDLE: u8 = 52;
    pub const KEEP_ALIVE_INTERVAL: u8 = 53;
    pub const USER_TIMEOUT: u8 = 54;
    pub const DEBUG: u8 = 99;
}

/// Default number of bytes that one read of a socket takes, and that of OTP 28 and later.
const BUFFER_BYTES: i32 = 1460;
const LATER_BUFFER_BYTES: i32 = 9216;
/// Default number of datagrams that are read in a row.
const READ_PACKETS: i32 = 5;

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
    pub fn number(self) -> i32 {
        self as i32
    }

    pub fn from_number(number: i32) -> Option<Active> {
        [Active::No, Active::Yes, Active::Once, Active::Multi]
            .into_iter()
            .find(|active| active.number() == number)
    }
}

/// Options that are stored here.
#[derive(Clone, Debug)]
pub struct SocketOptions {
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
    /// Whether closing discards what has not been sent.
    pub linger_zero: bool,
    pub debug: bool,
    /// Ancillary data that datagrams are to be delivered with.
    pub ancillary: Ancillary,
}

/// See [`SocketOptions::ancillary`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ancillary {
    pub type_of_service: bool,
    pub traffic_class: bool,
    pub time_to_live: bool,
}

impl Ancillary {
    pub fn any(self) -> bool {
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
            linger_zero: false,
            debug: false,
            ancillary: Ancillary::default(),
        }
    }
}

impl SocketOptions {
    /// The options that an accepted connection inherits from its listener.
    pub fn inherited(&self) -> SocketOptions {
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

    /// How packets are delimited.
    pub fn framing(&self) -> Framing {
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
