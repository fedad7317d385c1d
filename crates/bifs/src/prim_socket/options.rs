//! Socket options: those of the operating system, by `sys::socket::catalogue`, and OTP's own.

use std::os::fd::{AsFd, AsRawFd};

use layout::{Heap, Term, no_gc};
use sys::Errno;
use sys::socket::catalogue::{self, Field, Known, Shape};
use sys::socket::option::Name;
use sys::socket::{Descriptor, option};
use term::copy::{self, Owned};
use term::release::{self, Release};
use term::unicode::bytes_of;
use term::{am, atom, build, list, map};

use super::address::{self, Domain, name_of, name_or_number, number_of};
use super::ancillary;
use super::open::note;
use super::outcome::{Answer, Refusal, answer, int, ok};
use super::socket::socket;
use super::socket::{DEFAULT_ANCILLARY_BYTES, DEFAULT_BUFFER_BYTES, Socket, tell_registry};
use runtime::code::bif::BifResult;
use runtime::process::Process;
use term::integer::{int32, uint32, uint64};

/// OTP's own options, with the numbers that its module uses.
mod own {
    pub(super) const DEBUG: i32 = 1001;
    pub(super) const INFORM_ON_WRAP: i32 = 1002;
    pub(super) const OWNER: i32 = 1003;
    pub(super) const BUFFER: i32 = 1004;
    pub(super) const ANCILLARY_IN: i32 = 1006;
    pub(super) const ANCILLARY_OUT: i32 = 1007;
    pub(super) const DESCRIPTOR: i32 = 1008;
    pub(super) const META: i32 = 1009;
    pub(super) const USE_REGISTRY: i32 = 1010;
    pub(super) const SELECT_READ: i32 = 1011;
    pub(super) const DOMAIN: i32 = 1999;
}

/// The option does not take such a value.
const BAD_VALUE: Refusal = Refusal::Invalid(am::VALUE);

/// Reads a level: `socket` or a protocol's number.
pub(crate) fn level(term: Term) -> Option<i32> {
    match term {
        am::SOCKET => Some(catalogue::SOCKET_LEVEL),
        _ => int32(term),
    }
}

/// Reads a type of service, since OTP 28 also as a class of traffic.
pub(crate) fn read_service(term: Term) -> Option<i32> {
    let class = || {
        let class = number_of(catalogue::CLASSES, term)?;
        release::has(Release::OTP_28).then_some(class << CLASS_SHIFT)
    };
    let named = number_of(catalogue::SERVICES, term).or_else(class);
    named
        .or_else(|| read_service_map(term))
        .or_else(|| int32(term))
}

/// Names of precedences that a program may give; each stands for 0, as on stock.
const PRECEDENCES: [&str; 7] = [
    "routine",
    "priority",
    "immediate",
    "flash",
    "flashoverride",
    "internetcontrol",
    "netcontrol",
];

/// Reads a type of service with a precedence, which OTP 28 and later take as a map. Of numbers the bits count for which
/// there is room.
fn read_service_map(term: Term) -> Option<i32> {
    if !term.is_map() || !release::has(Release::OTP_28) {
        return None;
    }
    let bits = |term: Term, mask: i32| Some((uint32(term)? & mask as u32) as i32);
    let service = map::get(term, atom::known("tos"))?;
    let service = match service {
        am::DEFAULT => 0,
        _ => number_of(catalogue::SERVICES, service)
            .or_else(|| Some(bits(service, catalogue::SERVICE_MASK >> 1)? << 1))?,
    };
    let precedence = map::get(term, atom::known("precedence"))?;
    let precedence = match precedence.is_atom() {
        true if PRECEDENCES.contains(&atom::text(precedence)) => 0,
        true => return None,
        false => bits(precedence, PRECEDENCE_MASK)?,
    };
    Some(service | precedence << PRECEDENCE_SHIFT)
}

/// Bits of a type of service below those of its class, and below its precedence.
const CLASS_SHIFT: i32 = 2;
const PRECEDENCE_SHIFT: i32 = 5;
const PRECEDENCE_MASK: i32 = 7;

/// A type of service as OTP 28 and later show it as an option.
fn write_service_map(heap: &mut Heap, value: i32) -> Term {
    let named = |number: i32, name: Option<Term>| name.unwrap_or(Term::small(number.into()));
    let service = value & catalogue::SERVICE_MASK;
    let service = match service {
        0 => am::DEFAULT,
        _ => named(service >> 1, name_of(catalogue::SERVICES, service)),
    };
    let precedence = value >> PRECEDENCE_SHIFT & PRECEDENCE_MASK;
    let routine = (precedence == 0).then(|| atom::known("routine"));
    let tos = [
        (atom::known("tos"), service),
        (atom::known("precedence"), named(precedence, routine)),
    ];
    let tos = map::from_pairs(heap, &tos);
    let class = value >> CLASS_SHIFT & 0x3f;
    let class = named(class, name_of(catalogue::CLASSES, class));
    let pairs = [
        (atom::known("native"), Term::small(value.into())),
        (atom::known("tos"), tos),
        (atom::known("dscp"), class),
    ];
    map::from_pairs(heap, &pairs)
}

/// The name of a type of service, or its number; from OTP 28 on a map.
pub(crate) fn write_service(heap: &mut Heap, value: i32) -> Term {
    if release::has(Release::OTP_28) {
        return write_service_map(heap, value);
    }
    let name = name_of(catalogue::SERVICES, value & catalogue::SERVICE_MASK);
    name.unwrap_or(Term::small(value.into()))
}

/// Which kind of option this is: the operating system's or OTP's own.
enum SocketOption {
    System(Name),
    Own(i32),
}

fn place(level_term: Term, number: Term, own_too: bool) -> Result<SocketOption, Refusal> {
    let number = int(number)?;
    match level(level_term) {
        Some(level) => Ok(SocketOption::System(Name { level, number })),
        None if level_term == am::OTP && own_too => Ok(SocketOption::Own(number)),
        None => Err(super::outcome::not_in_range(level_term)),
    }
}

/// `prim_socket:nif_setopt(Socket, Level, Option, Value, Native)`
pub(crate) fn nif_setopt_5(process: &mut Process, arguments: [Term; 5]) -> BifResult {
    let outcome = set(process, arguments);
    answer(process, outcome)
}

fn set(process: &mut Process, [reference, level, number, value, native]: [Term; 5]) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let native = int32(native).ok_or(Refusal::Badarg)? != 0;
    let name = match place(level, number, !native)? {
        SocketOption::Own(number) => return set_own(process, reference, number, value),
        SocketOption::System(name) => name,
    };
    let line = socket.writing.lock();
    let descriptor = line.open()?;
    let bytes = if native {
        native_value(value).ok_or(Refusal::ErrorInvalid(am::VALUE))?
    } else {
        let known = catalogue::option(name, release::get().number()).filter(|known| known.write);
        let known = known.ok_or(Refusal::Invalid(am::SOCKET_OPTION))?;
        read_value(known.shape, value).ok_or(BAD_VALUE)?
    };
    set_and_keep(descriptor, name, &bytes)?;
    Ok(am::OK)
}

fn native_value(value: Term) -> Option<Vec<u8>> {
    if let Some(bytes) = bytes_of(value, no_gc!()) {
        return Some(bytes.into_owned());
    }
    let number = int32(value).or_else(|| am::to_boolean(value).map(i32::from))?;
    Some(number.to_ne_bytes().to_vec())
}

/// Sets an option. Setting any option may reset the type of service, and setting the type of service may reset the
/// priority. Both are set again afterwards, so that options look independent of each other.
fn set_and_keep(descriptor: &Descriptor, name: Name, value: &[u8]) -> sys::Result<()> {
    let fd = descriptor.as_fd();
    let priority = option::get_int(fd, option::PRIORITY);
    let service = option::get_int(fd, option::TYPE_OF_SERVICE);
    option::set(fd, name, value)?;
    if name.number == option::PRIORITY.number {
        return Ok(());
    }
    if name.number != option::TYPE_OF_SERVICE.number
        && let Ok(service) = service
    {
        option::set_int(fd, option::TYPE_OF_SERVICE, service)?;
    }
    match priority.map(|priority| option::set_int(fd, option::PRIORITY, priority)) {
        // The process may lack the permission to set a priority that is the default.
        Ok(Err(Errno::EPERM)) | Err(_) => Ok(()),
        Ok(answer) => answer,
    }
}

/// A Latin-1 text that fits in `most` bytes with its terminating zero; returned without it.
fn text(list: Term, most: usize) -> Option<Vec<u8>> {
    list::bytes_at_most(list, most.saturating_sub(1))
}

/// Encodes the value of an option.
fn read_value(shape: Shape, value: Term) -> Option<Vec<u8>> {
    let number = |number: i32| number.to_ne_bytes().to_vec();
    let get = |key: Term| {
        if value.is_map() {
            map::get(value, key)
        } else {
            None
        }
    };
    let inet = |key: Term| address::read_inet(get(key)?);
    Some(match shape {
        Shape::Bool => number(i32::from(am::to_boolean(value)?)),
        Shape::Int => number(int32(value)?),
        Shape::Unsigned => uint32(value)?.to_ne_bytes().to_vec(),
        Shape::Linger => {
            let (on, seconds) = match (get(am::ONOFF), get(am::LINGER)) {
                (Some(on), Some(seconds)) => (am::to_boolean(on)?, int32(seconds)?),
                _ if value == am::ABORT => (true, 0),
                _ => return None,
            };
            if seconds < 0 {
                return None;
            }
            [number(i32::from(on)), number(seconds)].concat()
        }
        Shape::Family => match address::domain(value)? {
            Domain::Known(family) | Domain::Native(family) => number(family),
        },
        Shape::Kind | Shape::Protocol | Shape::Ancillary => return None,
        Shape::Text(most, _) if value.is_bitstring() && release::has(Release::OTP_27) => {
            bytes_of(value, no_gc!())
                .filter(|bytes| bytes.len() < most)?
                .into_owned()
        }
        Shape::Text(most, _) => text(value, most)?,
        Shape::Address => address::read_inet(value)?.to_vec(),
        Shape::Membership => [inet(am::MULTIADDR)?, inet(am::INTERFACE)?].concat(),
        Shape::Source => [
            inet(am::MULTIADDR)?,
            inet(am::INTERFACE)?,
            inet(am::SOURCEADDR)?,
        ]
        .concat(),
        Shape::Filter if value == am::NULL => Vec::new(),
        Shape::Filter => {
            let mode = match get(am::MODE)? {
                am::EXCLUDE => 0,
                am::INCLUDE => 1,
                _ => return None,
            };
            let sources = list::items(get(am::SLIST)?);
            let sources = sources.map(|source| address::read_inet(source.ok()?));
            let sources: Vec<_> = sources.collect::<Option<_>>()?;
            let count = i32::try_from(sources.len()).ok()?;
            let head = [inet(am::MULTIADDR)?, inet(am::INTERFACE)?].concat();
            [head, number(mode), number(count), sources.concat()].concat()
        }
        Shape::Membership6 => {
            let group = address::read_inet6(get(am::MULTIADDR)?)?;
            let index = uint32(get(am::INTERFACE)?)?;
            [&group[..], &index.to_ne_bytes()].concat()
        }
        Shape::Discovery => {
            let named = number_of(catalogue::DISCOVERIES, value);
            number(named.or_else(|| int32(value))?)
        }
        Shape::Service => number(read_service(value)?),
        Shape::Hops if value == am::DEFAULT => number(-1),
        Shape::Hops => number(int32(value).filter(|hops| (0..256).contains(hops))?),
        Shape::Record(fields) => {
            let mut bytes = Vec::new();
            for field in fields {
                let value = get(term::atom::known(field.name))?;
                let value = match uint32(value) {
                    Some(value) => value,
                    None if field.bytes < 0 => int32(value)? as u32,
                    None => return None,
                };
                // Longer numbers are truncated, as in OTP.
                let width = usize::from(field.bytes.unsigned_abs());
                bytes.extend_from_slice(&value.to_ne_bytes()[..width]);
            }
            bytes
        }
        Shape::Flags(names) => {
            let flag = |name: &&str| get(term::atom::known(name)).and_then(am::to_boolean);
            let flags: Option<Vec<bool>> = names.iter().map(flag).collect();
            flags?.into_iter().map(u8::from).collect()
        }
    })
}

/// `prim_socket:nif_getopt(Socket, Level, Option)`
pub(crate) fn nif_getopt_3(
    process: &mut Process,
    [reference, level, number]: [Term; 3],
) -> BifResult {
    let outcome = get(process, [reference, level, number]);
    answer(process, outcome)
}

fn get(process: &mut Process, [reference, level, number]: [Term; 3]) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let name = match place(level, number, true)? {
        SocketOption::Own(number) => return get_own(process, socket, number),
        SocketOption::System(name) => name,
    };
    let line = socket.reading.lock();
    let descriptor = line.open()?;
    let known = catalogue::option(name, release::get().number()).filter(|known| known.read);
    let known = known.ok_or(Refusal::Invalid(am::SOCKET_OPTION))?;
    let value = write_value(
        process.heap(),
        socket,
        descriptor,
        name,
        known,
        line.ancillary_bytes,
    )?;
    Ok(ok(process, value))
}

/// Reads an option and decodes its value.
fn write_value(
    heap: &mut Heap,
    socket: &Socket,
    descriptor: &Descriptor,
    name: Name,
    known: &Known,
    ancillary_bytes: usize,
) -> Result<Term, Errno> {
    let fd = descriptor.as_fd();
    let number = || option::get_int(fd, name);
    let small = |number: i32| Term::small(number.into());
    Ok(match known.shape {
        Shape::Bool => am::boolean(number()? != 0),
        Shape::Int | Shape::Hops => small(number()?),
        Shape::Unsigned => Term::small((number()? as u32).into()),
        Shape::Linger => {
            let mut value = [0; 8];
            option::get(fd, name, &mut value)?;
            let on = value[..4] != [0; 4];
            let seconds = i32::from_ne_bytes([value[4], value[5], value[6], value[7]]);
            map::from_pairs(
                heap,
                &[(am::ONOFF, am::boolean(on)), (am::LINGER, small(seconds))],
            )
        }
        Shape::Family => name_or_number(catalogue::FAMILIES, number()?),
        Shape::Kind => name_or_number(catalogue::KINDS, number()?),
        Shape::Protocol => match number()? {
            0 if Some(am::LOCAL) == name_of(catalogue::FAMILIES, socket.domain) => am::DEFAULT,
            protocol => small(protocol),
        },
        Shape::Text(most, strip) => {
            let mut room = vec![0; most + 1];
            let length = option::get(fd, name, &mut room)?;
            let mut text = &room[..length];
            if strip && text.last() == Some(&0) {
                text = &text[..length - 1];
            }
            build::byte_list(heap, text)
        }
        Shape::Address => {
            let mut ip = [0; 4];
            option::get(fd, name, &mut ip)?;
            address::write_inet(heap, ip)
        }
        Shape::Discovery => name_or_number(catalogue::DISCOVERIES, number()?),
        Shape::Service => write_service(heap, number()?),
        Shape::Ancillary => {
            let mut room = vec![0; ancillary_bytes.min(MOST_ANCILLARY_BYTES)];
            let length = option::get(fd, name, &mut room)?;
            ancillary::write(heap, &room[..length])
        }
        Shape::Record(fields) => write_record(heap, descriptor, name, fields)?,
        // The table says that these cannot be read.
        Shape::Membership
        | Shape::Source
        | Shape::Filter
        | Shape::Membership6
        | Shape::Flags(_) => return Err(Errno::ENOTSUP),
    })
}

/// Upper limit for ancillary data, in bytes; more is never received.
pub(crate) const MOST_ANCILLARY_BYTES: usize = 1 << 20;

fn write_record(
    heap: &mut Heap,
    descriptor: &Descriptor,
    name: Name,
    fields: &[Field],
) -> Result<Term, Errno> {
    let width = |field: &Field| usize::from(field.bytes.unsigned_abs());
    let mut room = vec![0; fields.iter().map(width).sum()];
    option::get(descriptor.as_fd(), name, &mut room)?;
    let mut rest = &room[..];
    let mut pairs = Vec::new();
    for field in fields {
        let (bytes, behind) = rest.split_at(width(field));
        let mut whole = [0; 4];
        whole[..bytes.len()].copy_from_slice(bytes);
        let value = u32::from_ne_bytes(whole);
        pairs.push((term::atom::known(field.name), Term::small(value.into())));
        rest = behind;
    }
    Ok(map::from_pairs(heap, &pairs))
}

/// `prim_socket:nif_getopt(Socket, Level, Option, ValueSpec)`: the value as the operating system returns it.
pub(crate) fn nif_getopt_4(process: &mut Process, arguments: [Term; 4]) -> BifResult {
    let outcome = get_native(process, arguments);
    answer(process, outcome)
}

/// `prim_socket:nif_getopt(Socket, Level, Option, native, ValueSpec)`, or with `value` and what the option is read
/// with, which only options of SCTP take.
pub(crate) fn nif_getopt_5(
    process: &mut Process,
    [reference, level, number, kind, wanted]: [Term; 5],
) -> BifResult {
    if kind == atom::known("native") {
        return nif_getopt_4(process, [reference, level, number, wanted]);
    }
    let no_gc = no_gc!();
    let outcome = socket(reference, no_gc).and(Err(Refusal::System(Errno::ENOTSUP)));
    answer(process, outcome)
}

/// Upper limit for the value of an option, in bytes; values are never longer.
const MOST_VALUE_BYTES: usize = 1 << 20;

fn get_native(process: &mut Process, [reference, level, number, wanted]: [Term; 4]) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let SocketOption::System(name) = place(level, number, false)? else {
        unreachable!("only the system's are asked for")
    };
    let line = socket.reading.lock();
    let fd = line.open()?.as_fd();
    let value = match (wanted, int32(wanted), bytes_of(wanted, no_gc!())) {
        (am::INTEGER, ..) => Term::small(option::get_int(fd, name)?.into()),
        (am::BOOLEAN, ..) => am::boolean(option::get_int(fd, name)? != 0),
        (_, Some(0), _) => {
            // Stock passes no buffer for the value.
            option::get(fd, name, &mut [])?;
            return Err(Errno::EFAULT.into());
        }
        (_, Some(size), _) => {
            // The system takes the size as an unsigned length of 32 bits, and writes no more than the value has.
            let size = usize::try_from(size).map_err(|_| Errno::EINVAL)?;
            let mut room = vec![0; size.min(MOST_VALUE_BYTES)];
            let length = option::get(fd, name, &mut room)?;
            build::binary(process.heap(), &room[..length])
        }
        (_, None, Some(bytes)) => {
            let mut room = bytes.into_owned();
            let length = option::get(fd, name, &mut room)?;
            build::binary(process.heap(), &room[..length])
        }
        _ => return Err(BAD_VALUE),
    };
    drop(line);
    Ok(ok(process, value))
}

/// The exception for a number that OTP's module does not know.
fn unknown(process: &mut Process, number: i32) -> Refusal {
    let number = Term::small(number.into());
    let name = term::atom::known("otp_socket_option");
    Refusal::Raise(build::tuple(process.heap(), &[name, number]))
}

/// A buffer size, or the default one.
fn buffer_size(term: Term, default: usize) -> Option<usize> {
    match term {
        am::DEFAULT => Some(default),
        _ => {
            let size = uint64(term).filter(|size| *size > 0)?;
            usize::try_from(i64::try_from(size).ok()?).ok()
        }
    }
}

fn set_own(process: &mut Process, reference: Term, number: i32, value: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let flag = || am::to_boolean(value).ok_or(BAD_VALUE);
    match number {
        own::BUFFER => {
            let mut line = socket.reading.lock();
            line.open()?;
            let (most, size) = match value.as_tuple(no_gc!()) {
                Some(&[most, size]) => {
                    let most = uint32(most).filter(|most| *most > 0);
                    (most.ok_or(BAD_VALUE)?, size)
                }
                Some(_) => return Err(BAD_VALUE),
                None => (0, value),
            };
            line.buffer_bytes = buffer_size(size, DEFAULT_BUFFER_BYTES).ok_or(BAD_VALUE)?;
            line.most_buffers = most;
        }
        own::ANCILLARY_IN | own::ANCILLARY_OUT => {
            let side = match number {
                own::ANCILLARY_IN => &socket.reading,
                _ => &socket.writing,
            };
            let mut line = side.lock();
            line.open()?;
            let size = buffer_size(value, DEFAULT_ANCILLARY_BYTES);
            line.ancillary_bytes = size.ok_or(BAD_VALUE)?;
        }
        own::DEBUG => {
            let line = socket.writing.lock();
            line.open()?;
            socket.kept.lock().debug = flag()?;
        }
        own::INFORM_ON_WRAP => {
            let line = socket.writing.lock();
            line.open()?;
            socket.kept.lock().inform_on_wrap = flag()?;
        }
        own::META => {
            let line = socket.writing.lock();
            line.open()?;
            let mut kept = socket.kept.lock();
            if kept.owner != Some(process.pid()) {
                return Err(Refusal::ErrorInvalid(am::NOT_OWNER));
            }
            kept.meta = Some(Owned::new(value));
        }
        own::USE_REGISTRY => {
            let line = socket.writing.lock();
            line.open()?;
            if !flag()? {
                // A registered socket stays registered.
                return Err(BAD_VALUE);
            }
            let mut kept = socket.kept.lock();
            if !kept.use_registry {
                kept.use_registry = true;
                kept.farewell = Some(note(process, am::DEL, reference));
                tell_registry(note(process, am::ADD, reference));
            }
        }
        own::SELECT_READ if release::has(Release::OTP_28) => {
            let mut line = socket.reading.lock();
            line.open()?;
            line.reads_on = flag()?;
        }
        own::OWNER => return give_away(process, reference, value),
        _ => return Err(unknown(process, number)),
    }
    Ok(am::OK)
}

fn give_away(process: &mut Process, reference: Term, owner: Term) -> Answer {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    {
        let (reading, writing, mut kept) = socket.all();
        writing.open()?;
        if kept.owner != Some(process.pid()) {
            return Err(Refusal::ErrorInvalid(am::NOT_OWNER));
        }
        if !owner.is_local_pid() {
            return Err(BAD_VALUE);
        }
        if owner == process.pid() {
            return Ok(am::OK);
        }
        kept.owner = Some(owner);
        if !reading.holds(process.pid()) && !writing.holds(process.pid()) {
            socket.unwatch(process, &mut kept);
        }
    }
    // Called without locks: if there is no such process, the socket is closed here.
    socket.give_to(owner);
    Ok(am::OK)
}

fn get_own(process: &mut Process, socket: &Socket, number: i32) -> Answer {
    let size = |process: &mut Process, size: usize| build::unsigned(process.heap(), size as u64);
    let value = match number {
        own::USE_REGISTRY => am::boolean(socket.kept.lock().use_registry),
        own::SELECT_READ if release::has(Release::OTP_28) => {
            let line = socket.reading.lock();
            line.open()?;
            am::boolean(line.reads_on)
        }
        own::META => {
            let line = socket.writing.lock();
            line.open()?;
            let kept = socket.kept.lock();
            let meta = kept.meta.as_ref().map(|meta| meta.term());
            meta.map_or(am::UNDEFINED, |meta| copy::copy(process.heap(), meta))
        }
        own::ANCILLARY_OUT => {
            let line = socket.writing.lock();
            line.open()?;
            size(process, line.ancillary_bytes)
        }
        own::DEBUG
        | own::INFORM_ON_WRAP
        | own::OWNER
        | own::BUFFER
        | own::ANCILLARY_IN
        | own::DESCRIPTOR
        | own::DOMAIN => {
            let line = socket.reading.lock();
            let descriptor = line.open()?;
            match number {
                own::DEBUG => am::boolean(socket.kept.lock().debug),
                own::INFORM_ON_WRAP => am::boolean(socket.kept.lock().inform_on_wrap),
                own::OWNER => socket.kept.lock().owner.unwrap_or(am::UNDEFINED),
                own::ANCILLARY_IN => size(process, line.ancillary_bytes),
                own::DESCRIPTOR => Term::small(descriptor.as_fd().as_raw_fd().into()),
                own::DOMAIN => name_or_number(catalogue::FAMILIES, socket.domain),
                _ => {
                    let bytes = size(process, line.buffer_bytes);
                    match line.most_buffers {
                        0 => bytes,
                        most => build::tuple(process.heap(), &[Term::small(most.into()), bytes]),
                    }
                }
            }
        }
        _ => return Err(unknown(process, number)),
    };
    Ok(ok(process, value))
}
