//! `prim_net`: names of hosts, services and interfaces, the native functions of OTP's module of that name.
//!
//! Looking up hosts may take long, so dirty schedulers do it.

use layout::{Heap, Term};
use std::sync::atomic::{AtomicBool, Ordering};
use sys::socket::catalogue::{self, FAMILIES, INTERFACE_FLAGS, KINDS, TOLD_INTERFACE_FLAGS};
use sys::socket::interface::{self, Link};
use sys::socket::resolve::{self, Failure};
use sys::socket::service;
use term::release::{self, Release};
use term::{am, atom, build, list, map};

use super::prim_socket::address::{self, name_or_number, number_of};
use super::prim_socket::outcome::{Answer, Refusal, answer, ok};
use runtime::code::bif::{BifResult, notsup};
use runtime::mail::loans::apart;
use runtime::process::Process;
use term::integer::{int32, uint32};

/// The value set by `command({debug, Bool})`.
static DEBUG: AtomicBool = AtomicBool::new(false);

fn einval() -> Refusal {
    Refusal::Error(am::EINVAL)
}

/// `prim_net:nif_info()`
pub(crate) fn nif_info_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let debug = am::boolean(DEBUG.load(Ordering::Relaxed));
    let later = [(am::DEBUG, debug), (atom::known("netns"), am::FALSE)];
    let pairs = match release::has(Release::OTP_28) {
        true => &later[..],
        false => &later[..1],
    };
    Ok(map::from_pairs(process.heap(), pairs))
}

/// `prim_net:nif_command(Command)`
pub(crate) fn nif_command_1(process: &mut Process, [command]: [Term; 1]) -> BifResult {
    let outcome = match command.as_tuple_of() {
        Some([am::DEBUG, am::TRUE]) => {
            DEBUG.store(true, Ordering::Relaxed);
            Ok(am::OK)
        }
        Some([am::DEBUG, am::FALSE]) => {
            DEBUG.store(false, Ordering::Relaxed);
            Ok(am::OK)
        }
        _ => Err(einval()),
    };
    answer(process, outcome)
}

/// `prim_net:nif_gethostname()`
pub(crate) fn nif_gethostname_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let outcome = match sys::socket::host_name() {
        Ok(name) => {
            let name = build::byte_list(process.heap(), &name);
            Ok(ok(process, name))
        }
        Err(error) => Err(error.into()),
    };
    answer(process, outcome)
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Error(atom::known(failure.name()))
    }
}

/// `prim_net:nif_getnameinfo(Address, Flags)`
pub(crate) fn nif_getnameinfo_2(process: &mut Process, [address, flags]: [Term; 2]) -> BifResult {
    let outcome = name_info(process, address, flags);
    answer(process, outcome)
}

fn name_info(process: &mut Process, address: Term, flags: Term) -> Answer {
    let address = address::read(address).ok_or(einval())?;
    let flags = name_flags(flags).ok_or(Refusal::Badarg)?;
    let (host, service) = apart(process, || resolve::names(&address, flags))?;
    let heap = process.heap();
    let host = build::byte_list(heap, &host);
    let service = build::byte_list(heap, &service);
    let names = map::from_pairs(heap, &[(am::HOST, host), (atom::known("service"), service)]);
    Ok(ok(process, names))
}

fn name_flags(list: Term) -> Option<i32> {
    if list == am::UNDEFINED {
        return Some(0);
    }
    let mut flags = 0;
    if !list.is_list() {
        return None;
    }
    // An improper tail is ignored.
    for flag in list::items(list).map_while(Result::ok) {
        flags |= number_of(resolve::FLAGS, flag)?;
    }
    Some(flags)
}

/// `prim_net:nif_getaddrinfo(Host, Service, Hints)`; hints are ignored.
pub(crate) fn nif_getaddrinfo_3(process: &mut Process, [host, service, _]: [Term; 3]) -> BifResult {
    let outcome = address_info(process, host, service);
    answer(process, outcome)
}

fn address_info(process: &mut Process, host: Term, service: Term) -> Answer {
    let name = |term: Term| match term {
        am::UNDEFINED => Ok(None),
        _ => list::bytes(term).map(Some).ok_or(Refusal::Badarg),
    };
    let (host, service) = (name(host)?, name(service)?);
    if host.is_none() && service.is_none() {
        return Err(Refusal::Badarg);
    }
    let ways = apart(process, || {
        resolve::ways(host.as_deref(), service.as_deref())
    })?;
    let heap = process.heap();
    let kind = match release::has(Release::OTP_26) {
        true => atom::known("socktype"),
        false => am::TYPE,
    };
    let mut list = Vec::new();
    for way in ways {
        let address = address::write(heap, &way.address);
        list.push(map::from_pairs(
            heap,
            &[
                (am::FAMILY, name_or_number(FAMILIES, way.family)),
                (kind, name_or_number(KINDS, way.kind)),
                (am::PROTOCOL, Term::small(way.protocol.into())),
                (am::ADDR, address),
            ],
        ));
    }
    let list = build::list(heap, &list);
    Ok(ok(process, list))
}

/// `prim_net:nif_getservbyname(Name, Protocol)`
pub(crate) fn nif_getservbyname_2(process: &mut Process, [name, protocol]: [Term; 2]) -> BifResult {
    let outcome = port_of_service(process, name, protocol);
    answer(process, outcome)
}

fn port_of_service(process: &mut Process, name: Term, protocol: Term) -> Answer {
    let name = list::bytes(name).ok_or(Refusal::Badarg)?;
    let protocol = list::bytes(protocol).ok_or(Refusal::Badarg)?;
    let port = service::port(&name, protocol_of(&protocol)).ok_or(einval())?;
    Ok(ok(process, Term::small(port.into())))
}

/// `prim_net:nif_getservbyport(Port, Protocol)`
pub(crate) fn nif_getservbyport_2(process: &mut Process, [port, protocol]: [Term; 2]) -> BifResult {
    let outcome = service_at_port(process, port, protocol);
    answer(process, outcome)
}

fn service_at_port(process: &mut Process, port: Term, protocol: Term) -> Answer {
    let port = int32(port).ok_or(Refusal::Badarg)?;
    let protocol = list::bytes(protocol).ok_or(Refusal::Badarg)?;
    // The system takes the lower half of the number.
    let name = service::name(port as u16, protocol_of(&protocol)).ok_or(einval())?;
    let name = build::byte_list(process.heap(), &name);
    Ok(ok(process, name))
}

/// `any` stands for every protocol.
fn protocol_of(name: &[u8]) -> Option<&[u8]> {
    (name != b"any").then_some(name)
}

/// `prim_net:nif_getifaddrs(Options)`
pub(crate) fn nif_getifaddrs_1(process: &mut Process, [options]: [Term; 1]) -> BifResult {
    let outcome = interfaces(process, options);
    answer(process, outcome)
}

fn interfaces(process: &mut Process, options: Term) -> Answer {
    if !options.is_map() {
        return Err(Refusal::Badarg);
    }
    let namespace = match map::get(options, am::NETNS) {
        Some(name) if map::size(options) == 1 => Some(list::bytes(name).ok_or(Refusal::Badarg)?),
        _ => None,
    };
    let links = match namespace {
        Some(namespace) => sys::socket::in_namespace(&namespace, interface::links)?,
        None => interface::links()?,
    };
    let heap = process.heap();
    let mut list = Vec::new();
    for link in &links {
        list.push(write_link(heap, link));
    }
    let list = build::list(heap, &list);
    Ok(ok(process, list))
}

fn write_link(heap: &mut Heap, link: &Link) -> Term {
    let name = build::byte_list(heap, &link.name);
    let flags: Vec<Term> = INTERFACE_FLAGS
        .iter()
        .filter(|(name, bit)| link.flags & *bit as u32 != 0 && TOLD_INTERFACE_FLAGS.contains(name))
        .map(|(name, _)| atom::known(name))
        .collect();
    let flags = build::list(heap, &flags);
    let mut pairs = vec![(am::NAME, name), (am::FLAGS, flags)];
    let other = if link.flags & catalogue::POINT_TO_POINT != 0 {
        Some("dstaddr")
    } else if link.flags & catalogue::BROADCAST != 0 {
        Some("broadaddr")
    } else {
        None
    };
    let addresses = [
        (Some("addr"), &link.address),
        (Some("netmask"), &link.netmask),
        (other, &link.other),
    ];
    for (key, address) in addresses {
        if let (Some(key), Some(address)) = (key, address) {
            pairs.push((atom::known(key), address::write(heap, address)));
        }
    }
    map::from_pairs(heap, &pairs)
}

/// `prim_net:nif_if_name2index(Name)`
pub(crate) fn nif_if_name2index_1(process: &mut Process, [name]: [Term; 1]) -> BifResult {
    let outcome = match list::bytes(name).filter(|name| name.len() <= interface::NAME_BYTES) {
        None => Err(einval()),
        Some(name) => match interface::index(&name) {
            Ok(index) => Ok(ok(process, Term::small(index.into()))),
            Err(error) => Err(error.into()),
        },
    };
    answer(process, outcome)
}

/// `prim_net:nif_if_index2name(Index)`
pub(crate) fn nif_if_index2name_1(process: &mut Process, [index]: [Term; 1]) -> BifResult {
    let outcome = match uint32(index) {
        None => Err(Refusal::Badarg),
        Some(index) => match interface::name(index) {
            Ok(name) => {
                let name = build::byte_list(process.heap(), &name);
                Ok(ok(process, name))
            }
            Err(_) => Err(sys::Errno::ENXIO.into()),
        },
    };
    answer(process, outcome)
}

/// `prim_net:nif_if_names()`
pub(crate) fn nif_if_names_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let outcome = match interface::indexes() {
        Ok(found) => {
            let heap = process.heap();
            let mut list = Vec::new();
            for (index, name) in found {
                let name = build::byte_list(heap, &name);
                list.push(build::tuple(heap, &[Term::small(index.into()), name]));
            }
            let list = build::list(heap, &list);
            Ok(ok(process, list))
        }
        Err(error) => Err(error.into()),
    };
    answer(process, outcome)
}

/// `prim_net:nif_get_adapters_addresses(Options)`: for another operating system.
pub(crate) fn nif_get_adapters_addresses_1(_process: &mut Process, [_]: [Term; 1]) -> BifResult {
    Err(notsup())
}

/// `prim_net:nif_get_if_entry(Options)`: for another operating system.
pub(crate) fn nif_get_if_entry_1(_process: &mut Process, [_]: [Term; 1]) -> BifResult {
    Err(notsup())
}

/// `prim_net:nif_get_interface_info(Options)`: for another operating system.
pub(crate) fn nif_get_interface_info_1(_process: &mut Process, [_]: [Term; 1]) -> BifResult {
    Err(notsup())
}

/// `prim_net:nif_get_ip_address_table(Options)`: for another operating system.
pub(crate) fn nif_get_ip_address_table_1(_process: &mut Process, [_]: [Term; 1]) -> BifResult {
    Err(notsup())
}
