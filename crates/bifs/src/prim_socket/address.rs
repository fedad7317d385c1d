//! Addresses, families and types as terms. Shared with `prim_net`.

use layout::{Heap, Term, no_gc};
use sys::socket::Address;
use sys::socket::address::View;
use sys::socket::catalogue::{self, FAMILIES, KINDS};
use term::unicode::bytes_of;
use term::{am, atom, build, map};

use term::integer::{int32, uint32};

/// The number that a table gives for a name.
pub(crate) fn number_of<N: Copy>(table: &[(&str, N)], name: Term) -> Option<N> {
    if !name.is_atom() {
        return None;
    }
    let name = atom::text(name);
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, number)| *number)
}

/// The name that a table gives for a number.
pub(crate) fn name_of<N: Copy + PartialEq>(table: &[(&str, N)], number: N) -> Option<Term> {
    table
        .iter()
        .find(|(_, known)| *known == number)
        .map(|(name, _)| atom::known(name))
}

/// The name that a table gives for a number, or else the number.
pub(crate) fn name_or_number(table: &[(&str, i32)], number: i32) -> Term {
    name_of(table, number).unwrap_or(Term::small(number.into()))
}

/// An address family.
pub(crate) enum Domain {
    /// Given by name.
    Known(i32),
    /// Given by number.
    Native(i32),
}

/// Reads an address family.
pub(crate) fn domain(term: Term) -> Option<Domain> {
    number_of(FAMILIES, term)
        .map(Domain::Known)
        .or_else(|| int32(term).map(Domain::Native))
}

/// Reads a socket type.
pub(crate) fn kind(term: Term) -> Option<i32> {
    // `rdm` is only reported, not accepted.
    number_of(&KINDS[..4], term).or_else(|| int32(term))
}

fn inet_ip(term: Term) -> Option<[u8; 4]> {
    match term {
        am::ANY => Some([0; 4]),
        am::LOOPBACK => Some([127, 0, 0, 1]),
        am::BROADCAST => Some([255; 4]),
        _ => {
            let no_gc = no_gc!();
            let parts: &[Term; 4] = term.as_tuple(no_gc)?.try_into().ok()?;
            let mut ip = [0; 4];
            for (byte, part) in ip.iter_mut().zip(parts) {
                *byte = u8::try_from(int32(*part)?).ok()?;
            }
            Some(ip)
        }
    }
}

fn inet6_ip(term: Term) -> Option<[u8; 16]> {
    let mut ip = [0; 16];
    match term {
        am::ANY => {}
        am::LOOPBACK => ip[15] = 1,
        _ => {
            let no_gc = no_gc!();
            let parts: &[Term; 8] = term.as_tuple(no_gc)?.try_into().ok()?;
            for (bytes, part) in ip.chunks_mut(2).zip(parts) {
                let part = u16::try_from(int32(*part)?).ok()?;
                bytes.copy_from_slice(&part.to_be_bytes());
            }
        }
    }
    Some(ip)
}

/// Reads an IPv4 address: a tuple, `any`, `loopback` or `broadcast`.
pub(crate) fn read_inet(term: Term) -> Option<[u8; 4]> {
    inet_ip(term)
}

/// Reads an IPv6 address: a tuple, `any` or `loopback`.
pub(crate) fn read_inet6(term: Term) -> Option<[u8; 16]> {
    inet6_ip(term)
}

/// The tuple of an IPv4 address.
pub(crate) fn write_inet(heap: &mut Heap, ip: [u8; 4]) -> Term {
    build::tuple(heap, &ip.map(|byte| Term::small(byte.into())))
}

/// The tuple of an IPv6 address.
pub(crate) fn write_inet6(heap: &mut Heap, ip: [u8; 16]) -> Term {
    let part = |index: usize| u16::from_be_bytes([ip[2 * index], ip[2 * index + 1]]);
    let parts: [Term; 8] = std::array::from_fn(|index| Term::small(part(index).into()));
    build::tuple(heap, &parts)
}

/// Reads a `socket:sockaddr()` with all its keys.
pub(crate) fn read(term: Term) -> Option<Address> {
    if !term.is_map() {
        return None;
    }
    let get = |key: Term| map::get(term, key);
    let port = || get(am::PORT).and_then(int32).map(|port| port as u16);
    let native = |family: i32| {
        let no_gc = no_gc!();
        let data = bytes_of(get(am::ADDR)?, no_gc)?;
        Address::native(family as u16, &data).ok()
    };
    match (get(am::FAMILY)?, domain(get(am::FAMILY)?)?) {
        (_, Domain::Native(family)) => native(family),
        (am::INET, _) => {
            let port = port()?;
            Some(Address::inet(inet_ip(get(am::ADDR)?)?, port))
        }
        (am::INET6, _) => {
            let port = port()?;
            let flow = uint32(get(am::FLOWINFO)?)?;
            let scope = uint32(get(am::SCOPE_ID)?)?;
            Some(Address::inet6(inet6_ip(get(am::ADDR)?)?, port, flow, scope))
        }
        (am::LOCAL, _) => Address::local(&bytes_of(get(am::PATH)?, no_gc!())?).ok(),
        (_, Domain::Known(family)) => native(family),
    }
}

/// The `socket:sockaddr()` of an address.
pub(crate) fn write(heap: &mut Heap, address: &Address) -> Term {
    match address.view() {
        View::Inet { ip, port } => {
            let ip = write_inet(heap, ip);
            map::from_pairs(
                heap,
                &[
                    (am::FAMILY, am::INET),
                    (am::PORT, Term::small(port.into())),
                    (am::ADDR, ip),
                ],
            )
        }
        View::Inet6 {
            ip,
            port,
            flow,
            scope,
        } => {
            let ip = write_inet6(heap, ip);
            // OTP gives these as signed numbers.
            let number = |value: u32| Term::small(i64::from(value as i32));
            map::from_pairs(
                heap,
                &[
                    (am::FAMILY, am::INET6),
                    (am::PORT, Term::small(port.into())),
                    (am::ADDR, ip),
                    (am::FLOWINFO, number(flow)),
                    (am::SCOPE_ID, number(scope)),
                ],
            )
        }
        View::Local(name) => {
            let path = build::binary(heap, name);
            map::from_pairs(heap, &[(am::FAMILY, am::LOCAL), (am::PATH, path)])
        }
        View::Unspecified => native(heap, am::UNSPEC, address.data()),
        View::Other(family) => {
            let family = i32::from(family);
            if family == catalogue::PACKET_FAMILY
                && let Some(term) = packet(heap, address.data())
            {
                return term;
            }
            native(heap, name_or_number(FAMILIES, family), address.data())
        }
    }
}

fn native(heap: &mut Heap, family: Term, data: &[u8]) -> Term {
    let data = build::binary(heap, data);
    map::from_pairs(heap, &[(am::FAMILY, family), (am::ADDR, data)])
}

/// A hardware address: protocol, interface index, hardware type, packet type, and the address bytes.
fn packet(heap: &mut Heap, data: &[u8]) -> Option<Term> {
    let data: &[u8; 18] = data.get(..18)?.try_into().ok()?;
    let protocol = u16::from_be_bytes([data[0], data[1]]);
    let index = i32::from_ne_bytes([data[2], data[3], data[4], data[5]]);
    let hardware = u16::from_ne_bytes([data[6], data[7]]);
    let length = usize::from(data[9]).min(8);
    let bytes = build::binary(heap, &data[10..10 + length]);
    let hardware_name = catalogue::HARDWARE
        .iter()
        .find(|(_, number, _)| *number == hardware)
        .map(|(name, ..)| atom::known(name));
    Some(map::from_pairs(
        heap,
        &[
            (am::FAMILY, atom::known("packet")),
            (atom::known("protocol"), Term::small(protocol.into())),
            (atom::known("ifindex"), Term::small(index.into())),
            (
                atom::known("hatype"),
                hardware_name.unwrap_or(Term::small(hardware.into())),
            ),
            (
                atom::known("pkttype"),
                name_of(catalogue::PACKETS, data[8]).unwrap_or(Term::small(data[8].into())),
            ),
            (am::ADDR, bytes),
        ],
    ))
}

/// The hardware address of an interface, as `gifhwaddr` returns it.
pub(crate) fn write_hardware(heap: &mut Heap, value: &[u8; 16]) -> Term {
    let number = u16::from_ne_bytes([value[0], value[1]]);
    let name = catalogue::HARDWARE
        .iter()
        .find(|(_, known, told)| *known == number && *told)
        .map_or(Term::small(number.into()), |(name, ..)| atom::known(name));
    native(heap, name, &value[2..])
}
