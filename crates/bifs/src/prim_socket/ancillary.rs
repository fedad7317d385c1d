//! Ancillary data as terms: `socket:cmsg()`.

use layout::{Heap, Term, no_gc};
use sys::Errno;
use sys::socket::Address;
use sys::socket::ancillary::{self as system, Ancillaries};
use sys::socket::catalogue::{self, Accompanying, Along};
use sys::socket::option::Name;
use term::unicode::bytes_of;
use term::{am, atom, build, list, map, release};

use super::address;
use super::options::{level, read_service, write_service};
use term::integer::{int32, int64};

/// Encodes a list of control messages to a buffer of at most `most` bytes.
pub(super) fn read(list: Term, most: usize) -> Option<Ancillaries> {
    let mut buffer = Ancillaries::new(most);
    for one in list::items(list) {
        read_one(one.ok()?, &mut buffer)?;
    }
    Some(buffer)
}

fn read_one(one: Term, buffer: &mut Ancillaries) -> Option<()> {
    if !one.is_map() {
        return None;
    }
    let level = level(map::get(one, am::LEVEL)?)?;
    let kind = map::get(one, am::TYPE)?;
    let known = known_by_name(level, kind);
    let bytes = match (map::get(one, am::DATA), map::get(one, am::VALUE)) {
        (Some(_), Some(_)) | (None, None) => return None,
        (None, Some(value)) => read_value(known?, value)?,
        (Some(data), None) => match (bytes_of(data, no_gc!()), data) {
            (Some(bytes), _) => bytes.into_owned(),
            (None, am::TRUE) => number(1),
            (None, am::FALSE) => number(0),
            (None, data) => number(int32(data)?),
        },
    };
    let number = match (int32(kind), known) {
        (Some(number), _) => number,
        (None, Some(known)) => known.number.number,
        (None, None) => return None,
    };
    buffer.add(Name { level, number }, &bytes).then_some(())
}

fn number(value: i32) -> Vec<u8> {
    value.to_ne_bytes().to_vec()
}

fn known_by_name(level: i32, kind: Term) -> Option<&'static Accompanying> {
    if !kind.is_atom() {
        return None;
    }
    let name = atom::text(kind);
    known().find(|known| known.number.level == level && known.name == name)
}

/// What the booted release knows.
fn known() -> impl Iterator<Item = &'static Accompanying> {
    let release = release::get().number();
    let all = catalogue::ANCILLARY.iter();
    all.filter(move |known| known.since <= release)
}

fn read_value(known: &Accompanying, value: Term) -> Option<Vec<u8>> {
    if !known.give {
        return None;
    }
    match known.shape {
        Along::Service => read_service(value).map(number),
        Along::Int => int32(value).map(number),
        Along::Time => read_time(value, am::USEC),
        Along::FineTime => read_time(value, atom::known("nsec")),
        _ => None,
    }
}

/// A time as the system has it: seconds, and parts of a second, which have this key.
fn read_time(value: Term, parts: Term) -> Option<Vec<u8>> {
    if !value.is_map() {
        return None;
    }
    let number = |key| int64(map::get(value, key)?);
    let (seconds, parts) = (number(am::SEC)?, number(parts)?);
    Some([seconds.to_ne_bytes(), parts.to_ne_bytes()].concat())
}

fn write_time(heap: &mut Heap, data: &[u8], parts: Term) -> Option<Term> {
    let [seconds, count] = [long_at(data, 0)?, long_at(data, 8)?];
    let values = [seconds, count].map(|value| build::integer(heap, value));
    Some(map::from_pairs(
        heap,
        &[(am::SEC, values[0]), (parts, values[1])],
    ))
}

/// Decodes the control messages that were received to a list.
pub(super) fn write(heap: &mut Heap, buffer: &[u8]) -> Term {
    let mut list = Vec::new();
    for entry in system::entries(buffer) {
        let Some(entry) = entry else {
            list.push(atom::known("bad_data"));
            break;
        };
        let data = &buffer[entry.data.clone()];
        let known = known().find(|known| known.number == entry.name);
        let level = match entry.name.level {
            catalogue::SOCKET_LEVEL => am::SOCKET,
            level => Term::small(level.into()),
        };
        let kind = known.map_or(Term::small(entry.name.number.into()), |known| {
            atom::known(known.name)
        });
        let bytes = build::binary(heap, data);
        let mut pairs = vec![(am::LEVEL, level), (am::TYPE, kind), (am::DATA, bytes)];
        if let Some(value) = known.and_then(|known| write_value(heap, known.shape, data)) {
            pairs.push((am::VALUE, value));
        }
        list.push(map::from_pairs(heap, &pairs));
    }
    build::list(heap, &list)
}

fn int_at(data: &[u8], place: usize) -> Option<i32> {
    let bytes = data.get(place..place + 4)?;
    Some(i32::from_ne_bytes(bytes.try_into().ok()?))
}

fn long_at(data: &[u8], place: usize) -> Option<i64> {
    let bytes = data.get(place..place + 8)?;
    Some(i64::from_ne_bytes(bytes.try_into().ok()?))
}

fn write_value(heap: &mut Heap, shape: Along, data: &[u8]) -> Option<Term> {
    Some(match shape {
        Along::Bytes => return None,
        Along::Time => write_time(heap, data, am::USEC)?,
        Along::FineTime => write_time(heap, data, atom::known("nsec"))?,
        Along::Service => write_service(heap, i32::from(*data.first()?)),
        Along::Int => Term::small(int_at(data, 0)?.into()),
        Along::Byte => Term::small((*data.first()?).into()),
        Along::Packet => {
            let data: &[u8; 12] = data.get(..12)?.try_into().ok()?;
            let index = u32::from_ne_bytes([data[0], data[1], data[2], data[3]]);
            let local = address::write_inet(heap, [data[4], data[5], data[6], data[7]]);
            let to = address::write_inet(heap, [data[8], data[9], data[10], data[11]]);
            map::from_pairs(
                heap,
                &[
                    (atom::known("ifindex"), Term::small(index.into())),
                    (atom::known("spec_dst"), local),
                    (am::ADDR, to),
                ],
            )
        }
        Along::Packet6 => {
            let ip: [u8; 16] = data.get(..16)?.try_into().ok()?;
            let index = int_at(data, 16)?;
            let to = address::write_inet6(heap, ip);
            map::from_pairs(
                heap,
                &[
                    (am::ADDR, to),
                    (atom::known("ifindex"), Term::small(index.into())),
                ],
            )
        }
        Along::Address => write_address(heap, data)?,
        Along::Error => write_error(heap, data)?,
    })
}

fn write_address(heap: &mut Heap, data: &[u8]) -> Option<Term> {
    let family = u16::from_ne_bytes(data.get(..2)?.try_into().ok()?);
    let address = Address::native(family, &data[2..]).ok()?;
    Some(address::write(heap, &address))
}

/// Decodes an extended error: its number, origin, type and code, and the address that it comes from.
fn write_error(heap: &mut Heap, data: &[u8]) -> Option<Term> {
    const HEAD_BYTES: usize = 16;
    let head: &[u8; HEAD_BYTES] = data.get(..HEAD_BYTES)?.try_into().ok()?;
    let error = int_at(head, 0)?;
    let (origin, kind, code) = (head[4], head[5], head[6]);
    let byte = |value: u8| Term::small(value.into());
    let origin_name = address::name_of(catalogue::ERROR_ORIGINS, origin).unwrap_or(byte(origin));
    let kind_name = catalogue::ERROR_TYPES
        .iter()
        .find(|row| row.0 == origin && row.2 == kind)
        .map_or(byte(kind), |row| atom::known(row.1));
    let code_name = catalogue::ERROR_CODES
        .iter()
        .find(|row| row.0 == origin && row.1 == kind && row.3 == code)
        .map_or(byte(code), |row| atom::known(row.2));
    let mut pairs = vec![
        (am::ERROR, atom::known(Errno(error).name())),
        (atom::known("origin"), origin_name),
        (am::TYPE, kind_name),
        (am::CODE, code_name),
        (am::INFO, Term::small(int_at(head, 8)?.into())),
        (am::DATA, Term::small(int_at(head, 12)?.into())),
    ];
    if data.len() > HEAD_BYTES {
        let offender = write_address(heap, &data[HEAD_BYTES..])?;
        pairs.push((atom::known("offender"), offender));
    }
    Some(map::from_pairs(heap, &pairs))
}
