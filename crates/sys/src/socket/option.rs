//! Options of sockets, by the system's numbers.

use std::os::fd::{AsRawFd, BorrowedFd};

use crate::errno::{Errno, Result, check};

/// The level of an option, and its number at that level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The level: the socket itself or a protocol.
    pub level: i32,
    /// The number at that level.
    pub number: i32,
}

const fn socket(number: i32) -> Name {
    Name {
        level: libc::SOL_SOCKET,
        number,
    }
}

const fn ip(number: i32) -> Name {
    Name {
        level: libc::IPPROTO_IP,
        number,
    }
}

const fn ipv6(number: i32) -> Name {
    Name {
        level: libc::IPPROTO_IPV6,
        number,
    }
}

const fn tcp(number: i32) -> Name {
    Name {
        level: libc::IPPROTO_TCP,
        number,
    }
}

/// `IP_PKTOPTIONS`, which the C library's headers do not define on some targets.
const IP_PKTOPTIONS: i32 = 9;
/// `IPV6_2292PKTOPTIONS`.
const IPV6_PKTOPTIONS: i32 = 6;

macro_rules! names {
    ($($(#[$comment:meta])* $name:ident = $value:expr,)*) => {
        $($(#[$comment])* pub const $name: Name = $value;)*
    };
}

names! {
    /// The pending error; reading clears it.
    ERROR = socket(libc::SO_ERROR),
    /// The protocol's number.
    PROTOCOL = socket(libc::SO_PROTOCOL),
    /// Binding to an address that was used recently is allowed.
    REUSE_ADDRESS = socket(libc::SO_REUSEADDR),
    /// Several sockets may be bound to one port.
    REUSE_PORT = socket(libc::SO_REUSEPORT),
    /// Probes of an idle connection before it counts as broken.
    KEEP_ALIVE_COUNT = tcp(libc::TCP_KEEPCNT),
    /// Seconds after which a connection counts as idle.
    KEEP_ALIVE_IDLE = tcp(libc::TCP_KEEPIDLE),
    /// Seconds between probes.
    KEEP_ALIVE_INTERVAL = tcp(libc::TCP_KEEPINTVL),
    /// Milliseconds that data may stay unacknowledged.
    USER_TIMEOUT = tcp(libc::TCP_USER_TIMEOUT),
    /// Probes are sent on idle connections.
    KEEP_ALIVE = socket(libc::SO_KEEPALIVE),
    /// Sends only to directly connected networks.
    DONT_ROUTE = socket(libc::SO_DONTROUTE),
    /// Closing waits for unsent data.
    LINGER = socket(libc::SO_LINGER),
    /// Broadcasts may be sent.
    BROADCAST = socket(libc::SO_BROADCAST),
    /// Urgent data is received among other data.
    OUT_OF_BAND_INLINE = socket(libc::SO_OOBINLINE),
    /// Bytes of the kernel's send buffer.
    SEND_BUFFER = socket(libc::SO_SNDBUF),
    /// Bytes of the kernel's receive buffer.
    RECEIVE_BUFFER = socket(libc::SO_RCVBUF),
    /// The priority of packets.
    PRIORITY = socket(libc::SO_PRIORITY),
    /// The only interface that is used.
    BIND_TO_DEVICE = socket(libc::SO_BINDTODEVICE),
    /// The type of service.
    TYPE_OF_SERVICE = ip(libc::IP_TOS),
    /// Hops that a packet may take.
    TIME_TO_LIVE = ip(libc::IP_TTL),
    /// Received packets come with their type of service.
    RECEIVE_TYPE_OF_SERVICE = ip(libc::IP_RECVTOS),
    /// Received packets come with the number of hops left.
    RECEIVE_TIME_TO_LIVE = ip(libc::IP_RECVTTL),
    /// The ancillary data of a stream, IPv4.
    PACKET_OPTIONS = ip(IP_PKTOPTIONS),
    /// The interface of multicasts, IPv4.
    MULTICAST_INTERFACE = ip(libc::IP_MULTICAST_IF),
    /// Hops that a multicast may take.
    MULTICAST_TIME_TO_LIVE = ip(libc::IP_MULTICAST_TTL),
    /// Multicasts are also delivered on this host.
    MULTICAST_LOOP = ip(libc::IP_MULTICAST_LOOP),
    /// Joins a group, IPv4.
    ADD_MEMBERSHIP = ip(libc::IP_ADD_MEMBERSHIP),
    /// Leaves a group, IPv4.
    DROP_MEMBERSHIP = ip(libc::IP_DROP_MEMBERSHIP),
    /// IPv4 is disabled on this socket.
    ONLY_IPV6 = ipv6(libc::IPV6_V6ONLY),
    /// The traffic class.
    TRAFFIC_CLASS = ipv6(libc::IPV6_TCLASS),
    /// Received packets come with their traffic class.
    RECEIVE_TRAFFIC_CLASS = ipv6(libc::IPV6_RECVTCLASS),
    /// The ancillary data of a stream, IPv6.
    PACKET_OPTIONS_6 = ipv6(IPV6_PKTOPTIONS),
    /// The interface of multicasts, IPv6.
    MULTICAST_INTERFACE_6 = ipv6(libc::IPV6_MULTICAST_IF),
    /// Joins a group, IPv6.
    ADD_MEMBERSHIP_6 = ipv6(libc::IPV6_ADD_MEMBERSHIP),
    /// Leaves a group, IPv6.
    DROP_MEMBERSHIP_6 = ipv6(libc::IPV6_DROP_MEMBERSHIP),
    /// Small packets are sent at once.
    NO_DELAY = tcp(libc::TCP_NODELAY),
    /// Bytes that the system may hold without having sent them before the socket counts as full.
    NOT_SENT_LOW_WATER = tcp(libc::TCP_NOTSENT_LOWAT),
    /// Partial packets are held back until it is cleared.
    CORK = tcp(libc::TCP_CORK),
}

/// Sets an option to bytes, as the system lays them out.
///
/// # Errors
/// `enoprotoopt`, `einval`, `eperm`...
pub fn set(socket: BorrowedFd<'_>, option: Name, value: &[u8]) -> Result<()> {
    let length = libc::socklen_t::try_from(value.len()).map_err(|_| Errno::EINVAL)?;
    // SAFETY: the kernel reads as many bytes as the value has.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            option.level,
            option.number,
            value.as_ptr().cast(),
            length,
        )
    })
    .map(drop)
}

/// Sets an option that is a number.
///
/// # Errors
/// As [`set`].
pub fn set_int(socket: BorrowedFd<'_>, option: Name, value: i32) -> Result<()> {
    set(socket, option, &value.to_ne_bytes())
}

/// Reads an option into the room, and returns the number of bytes. For some options the room's content is an argument.
///
/// # Errors
/// As [`set`].
pub fn get(socket: BorrowedFd<'_>, option: Name, room: &mut [u8]) -> Result<usize> {
    let mut length = libc::socklen_t::try_from(room.len()).map_err(|_| Errno::EINVAL)?;
    // SAFETY: the kernel writes at most as many bytes as the room has.
    check(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            option.level,
            option.number,
            room.as_mut_ptr().cast(),
            &mut length,
        )
    })?;
    Ok((length as usize).min(room.len()))
}

/// Reads an option that is a number; a shorter value is extended by zeros.
///
/// # Errors
/// As [`set`].
pub fn get_int(socket: BorrowedFd<'_>, option: Name) -> Result<i32> {
    let mut value = [0; 4];
    get(socket, option, &mut value)?;
    Ok(i32::from_ne_bytes(value))
}

/// Joins or leaves an IPv4 group on an interface, given by its own address, its index, or both.
///
/// # Errors
/// As [`set`].
pub fn set_membership(
    socket: BorrowedFd<'_>,
    join: bool,
    group: [u8; 4],
    address: [u8; 4],
    index: i32,
) -> Result<()> {
    let option = if join {
        ADD_MEMBERSHIP
    } else {
        DROP_MEMBERSHIP
    };
    // As `struct ip_mreqn`.
    let mut request = [0; 12];
    request[..4].copy_from_slice(&group);
    request[4..8].copy_from_slice(&address);
    request[8..].copy_from_slice(&index.to_ne_bytes());
    set(socket, option, &request)
}

/// Joins or leaves an IPv6 group on an interface, given by its index.
///
/// # Errors
/// As [`set`].
pub fn set_membership_6(
    socket: BorrowedFd<'_>,
    join: bool,
    group: [u8; 16],
    index: i32,
) -> Result<()> {
    let option = if join {
        ADD_MEMBERSHIP_6
    } else {
        DROP_MEMBERSHIP_6
    };
    // As `struct ipv6_mreq`.
    let mut request = [0; 20];
    request[..16].copy_from_slice(&group);
    request[16..].copy_from_slice(&index.to_ne_bytes());
    set(socket, option, &request)
}
