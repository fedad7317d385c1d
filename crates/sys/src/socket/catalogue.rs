//! OTP's names of families, options, flags and requests of sockets, and the layout of options' values: the tables
//! behind the modules `socket` and `net`.
//!
//! An option without a number is known by name only: OTP lists it as not supported. Flags are listed in the order in
//! which OTP returns them.

use super::option::Name;

/// Families by name.
pub const FAMILIES: &[(&str, i32)] = &[
    ("inet", libc::AF_INET),
    ("inet6", libc::AF_INET6),
    ("local", libc::AF_UNIX),
    ("unspec", libc::AF_UNSPEC),
];

/// The family of hardware addresses.
pub const PACKET_FAMILY: i32 = libc::AF_PACKET;

/// Types of sockets by name.
pub const KINDS: &[(&str, i32)] = &[
    ("stream", libc::SOCK_STREAM),
    ("dgram", libc::SOCK_DGRAM),
    ("raw", libc::SOCK_RAW),
    ("seqpacket", libc::SOCK_SEQPACKET),
    ("rdm", libc::SOCK_RDM),
];

/// The type of stream sockets.
pub const STREAM: i32 = libc::SOCK_STREAM;
/// The type of datagram sockets.
pub const DATAGRAM: i32 = libc::SOCK_DGRAM;
/// The type of sequenced-packet sockets.
pub const SEQUENCE: i32 = libc::SOCK_SEQPACKET;

/// The level of options that belong to the socket itself.
pub const SOCKET_LEVEL: i32 = libc::SOL_SOCKET;

/// Protocols that are known without the system's database, in the order in which OTP lists them.
pub const PROTOCOLS: &[(&str, i32)] = &[
    ("sctp", SCTP),
    ("udp", libc::IPPROTO_UDP),
    ("tcp", libc::IPPROTO_TCP),
    ("ipv6", libc::IPPROTO_IPV6),
    ("ip", libc::IPPROTO_IP),
];

/// As [`PROTOCOLS`], since OTP 28.
pub const LATER_PROTOCOLS: &[(&str, i32)] = &[("mptcp", libc::IPPROTO_MPTCP)];

/// The number of the protocol SCTP.
pub const SCTP: i32 = libc::IPPROTO_SCTP;
/// The number of the protocol TCP.
pub const TCP: i32 = libc::IPPROTO_TCP;
/// The number of the protocol UDP.
pub const UDP: i32 = libc::IPPROTO_UDP;

/// Flags of messages by name.
pub const MESSAGE_FLAGS: &[(&str, i32)] = &[
    ("cmsg_cloexec", libc::MSG_CMSG_CLOEXEC),
    ("confirm", libc::MSG_CONFIRM),
    ("ctrunc", libc::MSG_CTRUNC),
    ("dontroute", libc::MSG_DONTROUTE),
    ("eor", libc::MSG_EOR),
    ("errqueue", libc::MSG_ERRQUEUE),
    ("more", libc::MSG_MORE),
    ("nosignal", libc::MSG_NOSIGNAL),
    ("oob", libc::MSG_OOB),
    ("peek", libc::MSG_PEEK),
    ("trunc", libc::MSG_TRUNC),
];

/// Flags of messages that came with OTP 28.
pub const LATER_MESSAGE_FLAGS: &[(&str, i32)] = &[("notification", MSG_NOTIFICATION)];
/// Of SCTP.
const MSG_NOTIFICATION: i32 = 0x8000;

/// Flags of interfaces that came with OTP 27, which this system does not have.
pub const LATER_INTERFACE_FLAGS: &[(&str, i32)] = &[("dhcprunning", 0), ("private", 0)];

/// Flags of interfaces by name; 0 for those that this system does not have.
pub const INTERFACE_FLAGS: &[(&str, i32)] = &[
    ("up", libc::IFF_UP),
    ("broadcast", libc::IFF_BROADCAST),
    ("debug", libc::IFF_DEBUG),
    ("loopback", libc::IFF_LOOPBACK),
    ("pointopoint", libc::IFF_POINTOPOINT),
    ("notrailers", libc::IFF_NOTRAILERS),
    ("knowsepoch", 0),
    ("running", libc::IFF_RUNNING),
    ("noarp", libc::IFF_NOARP),
    ("promisc", libc::IFF_PROMISC),
    ("allmulti", libc::IFF_ALLMULTI),
    ("master", libc::IFF_MASTER),
    ("oactive", 0),
    ("slave", libc::IFF_SLAVE),
    ("simplex", 0),
    ("multicast", libc::IFF_MULTICAST),
    ("link0", 0),
    ("link1", 0),
    ("link2", 0),
    ("portsel", libc::IFF_PORTSEL),
    ("automedia", libc::IFF_AUTOMEDIA),
    ("dynamic", libc::IFF_DYNAMIC),
    ("cantconfig", 0),
    ("lower_up", 0x1_0000),
    ("ppromisc", 0),
    ("dormant", 0x2_0000),
    ("monitor", 0),
    ("echo", 0x4_0000),
    ("staticarp", 0),
    ("dying", 0),
    ("renaming", 0),
    ("nogroup", 0),
];

/// The flags of interfaces that `net:getifaddrs` returns.
pub const TOLD_INTERFACE_FLAGS: &[&str] = &[
    "up",
    "broadcast",
    "debug",
    "loopback",
    "pointopoint",
    "notrailers",
    "running",
    "noarp",
    "promisc",
    "master",
    "slave",
    "multicast",
    "portsel",
    "automedia",
    "dynamic",
];

/// The flag of point-to-point interfaces.
pub const POINT_TO_POINT: u32 = libc::IFF_POINTOPOINT as u32;
/// The flag of interfaces with a broadcast address.
pub const BROADCAST: u32 = libc::IFF_BROADCAST as u32;

macro_rules! requests {
    ($($constant:ident = $name:literal: $number:ident,)*) => {
        $(#[doc = concat!("The request `", $name, "`.")] pub const $constant: u64 = libc::$number as u64;)*
        /// Requests about interfaces by name.
        pub const REQUESTS: &[(&str, u64)] = &[$(($name, $constant),)*];
    };
}

requests! {
    GET_NAME = "gifname": SIOCGIFNAME,
    GET_INDEX = "gifindex": SIOCGIFINDEX,
    GET_FLAGS = "gifflags": SIOCGIFFLAGS,
    GET_ADDRESS = "gifaddr": SIOCGIFADDR,
    GET_DESTINATION = "gifdstaddr": SIOCGIFDSTADDR,
    GET_BROADCAST = "gifbrdaddr": SIOCGIFBRDADDR,
    GET_NETMASK = "gifnetmask": SIOCGIFNETMASK,
    GET_MTU = "gifmtu": SIOCGIFMTU,
    GET_HARDWARE = "gifhwaddr": SIOCGIFHWADDR,
    GET_MAP = "gifmap": SIOCGIFMAP,
    GET_QUEUE = "giftxqlen": SIOCGIFTXQLEN,
    LIST = "gifconf": SIOCGIFCONF,
    SET_FLAGS = "sifflags": SIOCSIFFLAGS,
    SET_ADDRESS = "sifaddr": SIOCSIFADDR,
    SET_DESTINATION = "sifdstaddr": SIOCSIFDSTADDR,
    SET_BROADCAST = "sifbrdaddr": SIOCSIFBRDADDR,
    SET_MTU = "sifmtu": SIOCSIFMTU,
    SET_QUEUE = "siftxqlen": SIOCSIFTXQLEN,
}

/// Requests that came with OTP 27.
pub const LATER_REQUESTS: &[(&str, u64)] = &[("atmark", AT_MARK), ("nread", BYTES_TO_READ)];
/// The request `atmark`: whether urgent data comes next.
pub const AT_MARK: u64 = 0x8905;
/// The request `nread`.
pub const BYTES_TO_READ: u64 = 0x541b;

/// Kinds of hardware: the name in addresses, the number, and whether `gifhwaddr` uses the name too.
pub const HARDWARE: &[(&str, u16, bool)] = &[
    ("netrom", 0, true),
    ("ether", 1, true),
    ("eether", 2, false),
    ("ax25", 3, false),
    ("pronet", 4, false),
    ("chaos", 5, false),
    ("ieee802", 6, true),
    ("arcnet", 7, false),
    ("appletlk", 8, false),
    ("dlci", 15, true),
    ("atm", 19, false),
    ("metricom", 23, false),
    ("ieee1394", 24, true),
    ("eui64", 27, false),
    ("infiniband", 32, false),
    ("tunnel", 768, false),
    ("tunnel6", 769, false),
    ("frelay", 770, true),
    ("loopback", 772, true),
    ("localtlk", 773, false),
    ("none", 0xfffe, true),
    ("void", 0xffff, false),
];

/// Kinds of packets: the name in addresses, and the number.
pub const PACKETS: &[(&str, u8)] = &[
    ("host", 0),
    ("broadcast", 1),
    ("multicast", 2),
    ("otherhost", 3),
    ("outgoing", 4),
    ("loopback", 5),
    ("user", 6),
    ("kernel", 7),
];

/// A number in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its size in bytes; negated if it is signed.
    pub bytes: i8,
}

/// The layout of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number that is a boolean: 0 or not.
    Bool,
    /// A number.
    Int,
    /// A number without sign.
    Unsigned,
    /// Whether to linger, and for how many seconds.
    Linger,
    /// The number of a family, read only for `domain` and written only for `addrform`.
    Family,
    /// The number of a type.
    Kind,
    /// The number of a protocol.
    Protocol,
    /// A text of at most this many bytes, including its terminator; and whether the terminator is removed on reading.
    Text(usize, bool),
    /// An IPv4 address.
    Address,
    /// A group and an interface, IPv4.
    Membership,
    /// A group, an interface and a source, IPv4.
    Source,
    /// A group, an interface and its sources, IPv4.
    Filter,
    /// A group and the index of an interface, IPv6.
    Membership6,
    /// How the largest packet of a path is discovered (path MTU discovery).
    Discovery,
    /// A type of service.
    Service,
    /// A number of hops, or the default.
    Hops,
    /// Ancillary data.
    Ancillary,
    /// A record of numbers.
    Record(&'static [Field]),
    /// A record of bytes that are 0 or 1.
    Flags(&'static [&'static str]),
}

/// An option that OTP knows.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its name at its level.
    pub name: &'static str,
    /// The system's number, if it has one that OTP supports.
    pub number: Option<i32>,
    /// The layout of its value.
    pub shape: Shape,
    /// Whether it can be read.
    pub read: bool,
    /// Whether it can be written.
    pub write: bool,
    /// The first and the last OTP release that has it so.
    pub releases: (u8, u8),
}

impl Known {
    const fn since(self, release: u8) -> Known {
        Known {
            releases: (release, self.releases.1),
            ..self
        }
    }

    const fn until(self, release: u8) -> Known {
        Known {
            releases: (self.releases.0, release),
            ..self
        }
    }

    /// Whether OTP has it so in this release.
    #[must_use]
    pub const fn counts_in(&self, release: u8) -> bool {
        self.releases.0 <= release && release <= self.releases.1
    }
}

const fn both(name: &'static str, number: i32, shape: Shape) -> Known {
    Known {
        name,
        number: Some(number),
        shape,
        read: true,
        write: true,
        releases: (0, u8::MAX),
    }
}

const fn read(name: &'static str, number: i32, shape: Shape) -> Known {
    Known {
        write: false,
        ..both(name, number, shape)
    }
}

const fn write(name: &'static str, number: i32, shape: Shape) -> Known {
    Known {
        read: false,
        ..both(name, number, shape)
    }
}

const fn not(name: &'static str) -> Known {
    Known {
        name,
        number: None,
        shape: Shape::Int,
        read: false,
        write: false,
        releases: (0, u8::MAX),
    }
}

/// An option that OTP lists as supported, and whose values are not converted.
const fn listed(name: &'static str, number: i32) -> Known {
    Known {
        number: Some(number),
        ..not(name)
    }
}

use Shape::{
    Address, Ancillary, Bool, Discovery, Family, Filter, Flags, Hops, Int, Kind, Linger,
    Membership, Membership6, Protocol, Record, Service, Source, Text,
};

const SOCKET: &[Known] = &[
    both("acceptconn", libc::SO_ACCEPTCONN, Bool),
    not("acceptfilter"),
    both(
        "bindtodevice",
        libc::SO_BINDTODEVICE,
        Text(libc::IFNAMSIZ, false),
    ),
    both("broadcast", libc::SO_BROADCAST, Bool),
    not("bsp_state").since(27),
    not("busy_poll"),
    both("debug", libc::SO_DEBUG, Int),
    read("domain", libc::SO_DOMAIN, Family),
    both("dontroute", libc::SO_DONTROUTE, Bool),
    not("error"),
    not("exclusiveaddruse").since(27),
    both("keepalive", libc::SO_KEEPALIVE, Bool),
    both("linger", libc::SO_LINGER, Linger),
    not("mark"),
    not("max_msg_size").since(27),
    not("maxdg").since(27),
    both("oobinline", libc::SO_OOBINLINE, Bool),
    both("passcred", libc::SO_PASSCRED, Bool),
    both("peek_off", libc::SO_PEEK_OFF, Int),
    not("peercred"),
    both("priority", libc::SO_PRIORITY, Int),
    read("protocol", libc::SO_PROTOCOL, Protocol),
    both("rcvbuf", libc::SO_RCVBUF, Int),
    not("rcvbufforce"),
    both("rcvlowat", libc::SO_RCVLOWAT, Int),
    not("rcvtimeo"),
    both("reuseaddr", libc::SO_REUSEADDR, Bool),
    both("reuseport", libc::SO_REUSEPORT, Bool),
    not("rxq_ovfl"),
    not("setfib"),
    both("sndbuf", libc::SO_SNDBUF, Int),
    not("sndbufforce"),
    both("sndlowat", libc::SO_SNDLOWAT, Int),
    not("sndtimeo"),
    both("timestamp", libc::SO_TIMESTAMP, Bool),
    both("timestampns", libc::SO_TIMESTAMPNS, Bool).since(28),
    read("type", libc::SO_TYPE, Kind),
];

/// Not defined in the headers of all targets.
const IP_PKTOPTIONS: i32 = 9;
const IP_ROUTER_ALERT: i32 = 5;
const IP_RETOPTS: i32 = 7;
const IP_NODEFRAG: i32 = 22;
const IP_MINTTL: i32 = 21;
const IP_MSFILTER: i32 = 41;
const IP_MULTICAST_ALL: i32 = 49;
const IP_RECVOPTS: i32 = 6;

const IP: &[Known] = &[
    write("add_membership", libc::IP_ADD_MEMBERSHIP, Membership),
    write(
        "add_source_membership",
        libc::IP_ADD_SOURCE_MEMBERSHIP,
        Source,
    ),
    write("block_source", libc::IP_BLOCK_SOURCE, Source),
    not("dontfrag"),
    write("drop_membership", libc::IP_DROP_MEMBERSHIP, Membership),
    write(
        "drop_source_membership",
        libc::IP_DROP_SOURCE_MEMBERSHIP,
        Source,
    ),
    both("freebind", libc::IP_FREEBIND, Bool),
    both("hdrincl", libc::IP_HDRINCL, Bool),
    both("minttl", IP_MINTTL, Int),
    write("msfilter", IP_MSFILTER, Filter),
    read("mtu", libc::IP_MTU, Int),
    both("mtu_discover", libc::IP_MTU_DISCOVER, Discovery),
    both("multicast_all", IP_MULTICAST_ALL, Bool),
    both("multicast_if", libc::IP_MULTICAST_IF, Address),
    both("multicast_loop", libc::IP_MULTICAST_LOOP, Bool),
    both("multicast_ttl", libc::IP_MULTICAST_TTL, Int),
    both("nodefrag", IP_NODEFRAG, Bool),
    not("options"),
    both("pktinfo", libc::IP_PKTINFO, Bool),
    read("pktoptions", IP_PKTOPTIONS, Ancillary),
    not("recvdstaddr"),
    both("recverr", libc::IP_RECVERR, Bool),
    not("recvif"),
    both("recvopts", IP_RECVOPTS, Bool),
    both("recvorigdstaddr", libc::IP_RECVORIGDSTADDR, Bool),
    both("recvtos", libc::IP_RECVTOS, Bool),
    both("recvttl", libc::IP_RECVTTL, Bool),
    both("retopts", IP_RETOPTS, Bool),
    both("router_alert", IP_ROUTER_ALERT, Int),
    not("sendsrcaddr"),
    both("tos", libc::IP_TOS, Service),
    both("transparent", libc::IP_TRANSPARENT, Bool),
    both("ttl", libc::IP_TTL, Int),
    write("unblock_source", libc::IP_UNBLOCK_SOURCE, Source),
];

const IPV6: &[Known] = &[
    write("addrform", libc::IPV6_ADDRFORM, Family),
    write("add_membership", libc::IPV6_ADD_MEMBERSHIP, Membership6),
    both("authhdr", IPV6_AUTHHDR, Bool),
    not("auth_level"),
    not("checksum"),
    write("drop_membership", libc::IPV6_DROP_MEMBERSHIP, Membership6),
    both("dstopts", libc::IPV6_DSTOPTS, Bool),
    not("esp_network_level"),
    not("esp_trans_level"),
    not("faith"),
    both("flowinfo", IPV6_FLOWINFO, Bool),
    both("hoplimit", libc::IPV6_HOPLIMIT, Bool),
    both("hopopts", libc::IPV6_HOPOPTS, Bool),
    not("ipcomp_level"),
    not("join_group"),
    not("leave_group"),
    both("mtu", libc::IPV6_MTU, Int),
    both("mtu_discover", libc::IPV6_MTU_DISCOVER, Discovery),
    Known {
        shape: Hops,
        ..both("multicast_hops", libc::IPV6_MULTICAST_HOPS, Int)
    },
    both("multicast_if", libc::IPV6_MULTICAST_IF, Int),
    both("multicast_loop", libc::IPV6_MULTICAST_LOOP, Bool),
    not("portrange"),
    not("pktoptions"),
    both("recverr", libc::IPV6_RECVERR, Bool),
    both("recvhoplimit", libc::IPV6_RECVHOPLIMIT, Bool),
    both("recvpktinfo", libc::IPV6_RECVPKTINFO, Bool),
    both("recvtclass", libc::IPV6_RECVTCLASS, Bool),
    both("router_alert", libc::IPV6_ROUTER_ALERT, Int),
    both("rthdr", libc::IPV6_RTHDR, Bool),
    both("tclass", libc::IPV6_TCLASS, Int),
    both("unicast_hops", libc::IPV6_UNICAST_HOPS, Hops),
    not("use_min_mtu"),
    both("v6only", libc::IPV6_V6ONLY, Bool),
];

const IPV6_AUTHHDR: i32 = 10;
const IPV6_FLOWINFO: i32 = 11;

const fn field(name: &'static str, bytes: i8) -> Field {
    Field { name, bytes }
}

const SCTP_OPTIONS: &[Known] = &[
    not("adaption_layer").until(28),
    listed("adaptation_layer", 7).since(29),
    both(
        "associnfo",
        1,
        Record(&[
            field("assoc_id", -4),
            field("asocmaxrxt", 2),
            field("number_peer_destinations", 2),
            field("peer_rwnd", 4),
            field("local_rwnd", 4),
            field("cookie_life", 4),
        ]),
    ),
    not("auth_active_key"),
    not("auth_chunk"),
    not("auth_delete_key"),
    not("auth_key"),
    both("autoclose", 4, Int),
    not("context"),
    not("default_send_params").until(28),
    listed("default_send_param", 10).since(29),
    not("delayed_ack_time"),
    both("disable_fragments", 8, Bool),
    not("hmac_ident"),
    write(
        "events",
        11,
        Flags(&[
            "data_io",
            "association",
            "address",
            "send_failure",
            "peer_error",
            "shutdown",
            "partial_delivery",
            "adaptation_layer",
            "authentication",
            "sender_dry",
        ]),
    ),
    not("explicit_eor"),
    not("fragment_interleave"),
    listed("get_assoc_stats", 112).since(29),
    not("get_peer_addr_info").until(28),
    listed("get_peer_addr_info", 15).since(29),
    both(
        "initmsg",
        2,
        Record(&[
            field("num_outstreams", 2),
            field("max_instreams", 2),
            field("max_attempts", 2),
            field("max_init_timeo", 2),
        ]),
    ),
    not("i_want_mapped_v4_addr").until(28),
    listed("i_want_mapped_v4_addr", 12).since(29),
    not("local_auth_chunks"),
    both("maxseg", 13, Int),
    not("maxburst"),
    both("nodelay", 3, Bool),
    not("partial_delivery_point").until(28),
    not("partial_delivery").since(29),
    not("peer_addr_params"),
    not("peer_auth_chunks"),
    not("primary_addr").until(28),
    listed("primary_addr", 6).since(29),
    not("reset_streams"),
    both(
        "rtoinfo",
        0,
        Record(&[
            field("assoc_id", -4),
            field("initial", 4),
            field("max", 4),
            field("min", 4),
        ]),
    ),
    not("set_peer_primary_addr").until(28),
    listed("set_peer_primary_addr", 5).since(29),
    not("status").until(28),
    listed("status", 14).since(29),
    not("use_ext_recvinfo"),
];

const UDP_CORK: i32 = 1;
const TCP_CA_NAME_MAX: usize = 16;

const TCP_OPTIONS: &[Known] = &[
    both(
        "congestion",
        libc::TCP_CONGESTION,
        Text(TCP_CA_NAME_MAX + 1, true),
    ),
    both("cork", libc::TCP_CORK, Bool),
    not("info"),
    not("keepcnt").until(26),
    both("keepcnt", libc::TCP_KEEPCNT, Int).since(27),
    not("keepidle").until(26),
    both("keepidle", libc::TCP_KEEPIDLE, Int).since(27),
    not("keepintvl").until(26),
    both("keepintvl", libc::TCP_KEEPINTVL, Int).since(27),
    both("maxseg", libc::TCP_MAXSEG, Int),
    not("md5sig"),
    both("nodelay", libc::TCP_NODELAY, Bool),
    not("noopt"),
    not("nopush"),
    not("syncnt"),
    not("user_timeout").until(27),
    both("user_timeout", libc::TCP_USER_TIMEOUT, Shape::Unsigned).since(28),
];

/// All options by level.
pub const OPTIONS: &[(i32, &[Known])] = &[
    (SOCKET_LEVEL, SOCKET),
    (libc::IPPROTO_IP, IP),
    (libc::IPPROTO_IPV6, IPV6),
    (SCTP, SCTP_OPTIONS),
    (UDP, &[both("cork", UDP_CORK, Bool)]),
    (TCP, TCP_OPTIONS),
];

/// The option of a level and number, in an OTP release.
#[must_use]
pub fn option(name: Name, release: u8) -> Option<&'static Known> {
    let (_, options) = OPTIONS.iter().find(|(level, _)| *level == name.level)?;
    options
        .iter()
        .find(|known| known.number == Some(name.number) && known.counts_in(release))
}

/// Types of service by name.
pub const SERVICES: &[(&str, i32)] = &[
    ("lowdelay", libc::IPTOS_LOWDELAY as i32),
    ("throughput", libc::IPTOS_THROUGHPUT as i32),
    ("reliability", libc::IPTOS_RELIABILITY as i32),
    ("mincost", libc::IPTOS_MINCOST as i32),
];

/// Classes of traffic by name: what the upper six bits of a type of service say.
pub const CLASSES: &[(&str, i32)] = &[
    ("cs0", 0),
    ("le", 1),
    ("cs1", 8),
    ("af11", 10),
    ("af12", 12),
    ("af13", 14),
    ("cs2", 16),
    ("af21", 18),
    ("af22", 20),
    ("af23", 22),
    ("cs3", 24),
    ("af31", 26),
    ("af32", 28),
    ("af33", 30),
    ("cs4", 32),
    ("af41", 34),
    ("af42", 36),
    ("af43", 38),
    ("cs5", 40),
    ("voice_admit", 44),
    ("nqb", 45),
    ("ef", 46),
    ("cs6", 48),
    ("cs7", 56),
];

/// The bits of a type of service.
pub const SERVICE_MASK: i32 = 0x1e;

/// Ways of path MTU discovery by name; IPv6 has the same numbers.
pub const DISCOVERIES: &[(&str, i32)] = &[
    ("want", libc::IP_PMTUDISC_WANT),
    ("dont", libc::IP_PMTUDISC_DONT),
    ("do", libc::IP_PMTUDISC_DO),
    ("probe", libc::IP_PMTUDISC_PROBE),
];

/// The layout of ancillary data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Bytes that are not decoded.
    Bytes,
    /// Seconds and microseconds.
    Time,
    /// Seconds and nanoseconds.
    FineTime,
    /// A type of service: one byte when received, a number when sent.
    Service,
    /// A number.
    Int,
    /// A byte.
    Byte,
    /// An index, the local address and the destination, IPv4.
    Packet,
    /// A destination and an index, IPv6.
    Packet6,
    /// An address.
    Address,
    /// An error with its origin.
    Error,
}

/// A kind of ancillary data.
#[derive(Clone, Copy, Debug)]
pub struct Accompanying {
    /// Its level and type.
    pub number: Name,
    /// Its name at its level.
    pub name: &'static str,
    /// The layout of its data.
    pub shape: Along,
    /// Whether it may be given as a term, not only as bytes, when it is sent.
    pub give: bool,
    /// The first release of OTP that knows it.
    pub since: u8,
}

impl Accompanying {
    const fn since(self, release: u8) -> Accompanying {
        Accompanying {
            since: release,
            ..self
        }
    }
}

const fn along(
    level: i32,
    number: i32,
    name: &'static str,
    shape: Along,
    give: bool,
) -> Accompanying {
    Accompanying {
        number: Name { level, number },
        name,
        shape,
        give,
        since: 0,
    }
}

/// Ancillary data by name.
pub const ANCILLARY: &[Accompanying] = &[
    along(
        SOCKET_LEVEL,
        libc::SCM_CREDENTIALS,
        "credentials",
        Along::Bytes,
        false,
    ),
    along(
        SOCKET_LEVEL,
        libc::SCM_RIGHTS,
        "rights",
        Along::Bytes,
        false,
    ),
    along(
        SOCKET_LEVEL,
        libc::SCM_TIMESTAMP,
        "timestamp",
        Along::Time,
        true,
    ),
    along(
        SOCKET_LEVEL,
        libc::SO_TIMESTAMPNS,
        "timestampns",
        Along::FineTime,
        true,
    )
    .since(29),
    along(0, libc::IP_TOS, "tos", Along::Service, true),
    along(0, libc::IP_TTL, "ttl", Along::Int, true),
    along(0, libc::IP_RECVTTL, "recvttl", Along::Byte, false),
    along(0, libc::IP_PKTINFO, "pktinfo", Along::Packet, false),
    along(
        0,
        libc::IP_ORIGDSTADDR,
        "origdstaddr",
        Along::Address,
        false,
    ),
    along(0, libc::IP_RECVTOS, "recvtos", Along::Service, false),
    along(0, libc::IP_RECVERR, "recverr", Along::Error, false),
    along(41, libc::IPV6_PKTINFO, "pktinfo", Along::Packet6, false),
    along(41, libc::IPV6_HOPLIMIT, "hoplimit", Along::Int, true),
    along(41, libc::IPV6_TCLASS, "tclass", Along::Int, true),
    along(41, libc::IPV6_RECVTCLASS, "recvtclass", Along::Int, false),
    along(41, libc::IPV6_RECVERR, "recverr", Along::Error, false),
    along(41, IPV6_FLOWINFO, "flowinfo", Along::Int, false).since(28),
];
const _: () = assert!(libc::IPPROTO_IP == 0 && libc::IPPROTO_IPV6 == 41);

/// Origins of errors in ancillary data, by name.
pub const ERROR_ORIGINS: &[(&str, u8)] = &[
    ("none", 0),
    ("local", 1),
    ("icmp", ORIGIN_ICMP),
    ("icmp6", ORIGIN_ICMP6),
    ("txstatus", 4),
    ("zerocopy", 5),
    ("txtime", 6),
];

/// The origin of errors reported by ICMP.
const ORIGIN_ICMP: u8 = 2;
/// The origin of errors reported by ICMPv6.
const ORIGIN_ICMP6: u8 = 3;

/// Types of errors by origin.
pub const ERROR_TYPES: &[(u8, &str, u8)] = &[
    (ORIGIN_ICMP, "dest_unreach", 3),
    (ORIGIN_ICMP, "time_exceeded", 11),
    (ORIGIN_ICMP6, "dest_unreach", 1),
    (ORIGIN_ICMP6, "pkt_toobig", 2),
    (ORIGIN_ICMP6, "time_exceeded", 3),
];

/// Codes of errors by origin and type.
pub const ERROR_CODES: &[(u8, u8, &str, u8)] = &[
    (ORIGIN_ICMP, 3, "net_unreach", 0),
    (ORIGIN_ICMP, 3, "host_unreach", 1),
    (ORIGIN_ICMP, 3, "port_unreach", 3),
    (ORIGIN_ICMP, 3, "frag_needed", 4),
    (ORIGIN_ICMP, 3, "net_unknown", 6),
    (ORIGIN_ICMP, 3, "host_unknown", 7),
    (ORIGIN_ICMP6, 1, "noroute", 0),
    (ORIGIN_ICMP6, 1, "adm_prohibited", 1),
    (ORIGIN_ICMP6, 1, "not_neighbour", 2),
    (ORIGIN_ICMP6, 1, "addr_unreach", 3),
    (ORIGIN_ICMP6, 1, "port_unreach", 4),
    (ORIGIN_ICMP6, 1, "policy_fail", 5),
    (ORIGIN_ICMP6, 1, "reject_route", 6),
];
