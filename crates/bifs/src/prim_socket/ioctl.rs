//! Requests about network interfaces, made through a socket (`ioctl`).

use std::os::fd::AsFd;

use layout::{Heap, Term, no_gc};
use sys::socket::Address;
use sys::socket::address::View;
use sys::socket::catalogue::{self, INTERFACE_FLAGS};
use sys::socket::interface::{self, Request};
use term::release::{self, Release};
use term::{am, atom, build, list, map};

use super::address;
use super::outcome::{Answer, Refusal, answer, ok};
use super::socket::socket;
use runtime::code::bif::BifResult;
use runtime::process::Process;
use term::integer::{int32, uint64};

fn not_supported() -> Refusal {
    Refusal::System(sys::Errno::ENOTSUP)
}

/// Calls `body` with the descriptor of an open socket and the request's number.
fn with<T>(
    reference: Term,
    number: Term,
    body: impl FnOnce(std::os::fd::BorrowedFd<'_>, u64) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let no_gc = no_gc!();
    let socket = socket(reference, no_gc)?;
    let number = uint64(number).ok_or(Refusal::Badarg)?;
    let line = socket.reading.lock();
    body(line.open()?.as_fd(), number)
}

/// `prim_socket:nif_ioctl(Socket, Request)`
pub(crate) fn nif_ioctl_2(process: &mut Process, [reference, number]: [Term; 2]) -> BifResult {
    let later = matches!(
        uint64(number),
        Some(catalogue::BYTES_TO_READ | catalogue::AT_MARK)
    );
    if later && release::has(Release::OTP_27) {
        let found = with(reference, number, |fd, number| {
            let value = interface::number_of(fd, number)?;
            Ok(match number {
                catalogue::AT_MARK => am::boolean(value != 0),
                _ => Term::small(value.into()),
            })
        });
        let outcome = found.map(|value| ok(process, value));
        return answer(process, outcome);
    }
    let found = with(reference, number, |fd, number| match number {
        catalogue::LIST => Ok(interface::list(fd)?),
        _ => Err(not_supported()),
    });
    let outcome = found.map(|found| {
        let heap = process.heap();
        let mut list = Vec::new();
        for request in found {
            let name = build::byte_list(heap, request.name());
            let address = address::write(heap, &request.address());
            list.push(map::from_pairs(
                heap,
                &[(am::NAME, name), (am::ADDR, address)],
            ));
        }
        let list = build::list(heap, &list);
        ok(process, list)
    });
    answer(process, outcome)
}

/// `prim_socket:nif_ioctl(Socket, Request, NameOrIndex)`
pub(crate) fn nif_ioctl_3(
    process: &mut Process,
    [reference, number, about]: [Term; 3],
) -> BifResult {
    let outcome = get(process, reference, number, about);
    answer(process, outcome)
}

fn get(process: &mut Process, reference: Term, number: Term, about: Term) -> Answer {
    let (number, request) = with(reference, number, |fd, number| {
        let mut request = match number {
            catalogue::GET_NAME => {
                let mut request = Request::default();
                let index = int32(about).ok_or(Refusal::Badarg)?;
                request.value[..4].copy_from_slice(&index.to_ne_bytes());
                request
            }
            catalogue::GET_INDEX
            | catalogue::GET_FLAGS
            | catalogue::GET_ADDRESS
            | catalogue::GET_DESTINATION
            | catalogue::GET_BROADCAST
            | catalogue::GET_NETMASK
            | catalogue::GET_MTU
            | catalogue::GET_HARDWARE
            | catalogue::GET_MAP
            | catalogue::GET_QUEUE => Request::about(&list::bytes(about).ok_or(Refusal::Badarg)?),
            _ => return Err(not_supported()),
        };
        interface::request_by_number(fd, number, &mut request)?;
        Ok((number, request))
    })?;
    let heap = process.heap();
    let value = match number {
        catalogue::GET_NAME => build::byte_list(heap, request.name()),
        catalogue::GET_FLAGS => flags(heap, &request),
        catalogue::GET_ADDRESS
        | catalogue::GET_DESTINATION
        | catalogue::GET_BROADCAST
        | catalogue::GET_NETMASK => address::write(heap, &request.address()),
        catalogue::GET_HARDWARE => {
            let value: &[u8; 16] = request.value.first_chunk().expect("sixteen bytes");
            address::write_hardware(heap, value)
        }
        catalogue::GET_MAP => memory_map(heap, &request.value),
        _ => Term::small(request.number().into()),
    };
    Ok(ok(process, value))
}

fn flags(heap: &mut Heap, request: &Request) -> Term {
    let mut flags = i32::from(i16::from_ne_bytes([request.value[0], request.value[1]]));
    let mut names = Vec::new();
    for (name, bit) in INTERFACE_FLAGS {
        if *bit != 0 && flags & bit == *bit {
            flags &= !bit;
            names.push(atom::known(name));
        }
    }
    if flags != 0 {
        names.push(Term::small(flags.into()));
    }
    build::list(heap, &names)
}

fn memory_map(heap: &mut Heap, value: &[u8; interface::VALUE_BYTES]) -> Term {
    let word = |at: usize| u64::from_ne_bytes(value[at..at + 8].try_into().expect("eight bytes"));
    let start = build::unsigned(heap, word(0));
    let end = build::unsigned(heap, word(8));
    let base = u16::from_ne_bytes([value[16], value[17]]);
    let byte = |at: usize| Term::small(value[at].into());
    map::from_pairs(
        heap,
        &[
            (atom::known("mem_start"), start),
            (atom::known("mem_end"), end),
            (atom::known("base_addr"), Term::small(base.into())),
            (atom::known("irq"), byte(18)),
            (atom::known("dma"), byte(19)),
            (am::PORT, byte(20)),
        ],
    )
}

/// `prim_socket:nif_ioctl(Socket, Request, Name, Value)`
pub(crate) fn nif_ioctl_4(process: &mut Process, arguments: [Term; 4]) -> BifResult {
    let outcome = set(arguments);
    answer(process, outcome)
}

fn set([reference, number, about, value]: [Term; 4]) -> Answer {
    with(reference, number, |fd, number| {
        let name = || list::bytes(about).ok_or(Refusal::Badarg);
        let mut request = match number {
            catalogue::SET_FLAGS => {
                let mut request = Request::about(&name()?);
                interface::request_by_number(fd, catalogue::GET_FLAGS, &mut request)?;
                let before = i16::from_ne_bytes([request.value[0], request.value[1]]);
                let after = change(before, value).ok_or(Refusal::Badarg)?;
                request.value[..2].copy_from_slice(&after.to_ne_bytes());
                request
            }
            catalogue::SET_ADDRESS | catalogue::SET_DESTINATION | catalogue::SET_BROADCAST => {
                let mut request = Request::about(&name()?);
                let address = address::read(value).ok_or(Refusal::Invalid(am::SOCKADDR))?;
                put_address(&mut request, &address);
                request
            }
            catalogue::SET_MTU | catalogue::SET_QUEUE => {
                let mut request = Request::about(&name()?);
                let what = match number {
                    catalogue::SET_MTU => "mtu",
                    _ => "txqlen",
                };
                let value = int32(value).ok_or_else(|| Refusal::Invalid(atom::known(what)))?;
                request.value[..4].copy_from_slice(&value.to_ne_bytes());
                request
            }
            _ => return Err(not_supported()),
        };
        interface::request_by_number(fd, number, &mut request)?;
        Ok(am::OK)
    })
}

fn put_address(request: &mut Request, address: &Address) {
    let family = match address.view() {
        View::Other(family) => family,
        _ => address.family() as u16,
    };
    request.value[..2].copy_from_slice(&family.to_ne_bytes());
    let data = address.data();
    let length = data.len().min(interface::VALUE_BYTES - 2);
    request.value[2..2 + length].copy_from_slice(&data[..length]);
}

/// Applies a map of bits that are switched on or off to flags.
fn change(flags: i16, changes: Term) -> Option<i16> {
    if !changes.is_map() {
        return None;
    }
    let mut flags = i32::from(flags);
    for (bit, on) in map::iter(changes) {
        let bit = int32(bit)?;
        if on == am::TRUE {
            flags |= bit;
        } else {
            flags &= !bit;
        }
    }
    Some(flags as i16)
}
