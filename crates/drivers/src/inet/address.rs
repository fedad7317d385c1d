//! Addresses in the encoding of `prim_inet`, and as terms.

use layout::{Heap, Term};
use sys::Errno;
use sys::socket::address::View;
use sys::socket::{Address, Family};
use term::{am, atom, build};

use super::protocol::{Bytes, INVALID, Reader, Refusal, family};

const NO_FAMILY: Refusal = Refusal::System(Errno::EAFNOSUPPORT);

/// Reads an address: its family, then the fields of that. `own` is the socket's family, for *any* and *loopback*.
pub(super) fn read(reader: &mut Reader<'_>, own: Option<Family>) -> Result<Address, Refusal> {
    match reader.byte()? {
        family::INET => {
            let port = reader.short()?;
            Ok(Address::inet(reader.array()?, port))
        }
        family::INET6 => {
            let port = reader.short()?;
            let ip = reader.array()?;
            // Older requests end here.
            let flow = reader.word().unwrap_or(0);
            let scope = reader.word().unwrap_or(0);
            Ok(Address::inet6(ip, port, flow, scope))
        }
        family::LOCAL => Ok(Address::local(reader.counted()?)?),
        tag @ (family::ANY | family::LOOPBACK) => {
            let port = reader.short()?;
            let is_any = tag == family::ANY;
            match own {
                Some(Family::Inet) => {
                    let ip = if is_any { [0; 4] } else { [127, 0, 0, 1] };
                    Ok(Address::inet(ip, port))
                }
                Some(Family::Inet6) => {
                    let mut ip = [0; 16];
                    ip[15] = u8::from(!is_any);
                    Ok(Address::inet6(ip, port, 0, 0))
                }
                _ => Err(INVALID),
            }
        }
        _ => Err(NO_FAMILY),
    }
}

/// Writes an address: its family, then the fields of that.
pub(super) fn write(bytes: &mut Bytes, address: &Address) {
    match address.view() {
        View::Inet { ip, port } => {
            bytes.push(family::INET);
            bytes.extend_from_slice(&port.to_be_bytes());
            bytes.extend_from_slice(&ip);
        }
        View::Inet6 { ip, port, .. } => {
            bytes.push(family::INET6);
            bytes.extend_from_slice(&port.to_be_bytes());
            bytes.extend_from_slice(&ip);
        }
        View::Local(name) => {
            bytes.push(family::LOCAL);
            bytes.push(name.len() as u8);
            bytes.extend_from_slice(name);
        }
        View::Unspecified => bytes.push(family::UNSPECIFIED),
        View::Other(_) => bytes.push(family::UNDEFINED),
    }
}

/// The words of what [`terms`] builds.
pub(super) fn terms_words(address: &Address) -> usize {
    match address.view() {
        View::Inet { .. } => 5,
        View::Inet6 { .. } => 9,
        View::Local(name) => 3 + build::binary_words(name.len()),
        View::Unspecified | View::Other(_) => 3 + build::binary_words(0),
    }
}

/// The two elements of a message that give the sender of a datagram.
pub(super) fn terms(heap: &mut Heap, address: &Address) -> (Term, Term) {
    let number = |value: u16| Term::small(i64::from(value));
    match address.view() {
        View::Inet { ip, port } => {
            let elements = ip.map(|byte| number(u16::from(byte)));
            (build::tuple(heap, &elements), number(port))
        }
        View::Inet6 { ip, port, .. } => {
            let elements: [Term; 8] = std::array::from_fn(|index| {
                number(u16::from_be_bytes([ip[2 * index], ip[2 * index + 1]]))
            });
            (build::tuple(heap, &elements), number(port))
        }
        View::Local(name) => {
            let name = build::binary(heap, name);
            let tag = atom::known("local");
            (build::tuple(heap, &[tag, name]), number(0))
        }
        View::Unspecified => named(heap, atom::known("unspec")),
        View::Other(_) => named(heap, am::UNDEFINED),
    }
}

fn named(heap: &mut Heap, family: Term) -> (Term, Term) {
    let none = build::binary(heap, b"");
    (build::tuple(heap, &[family, none]), Term::small(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], own: Family, expected: Result<&[u8], Refusal>) {
        let found = read(&mut Reader::new(bytes), Some(own)).map(|address| {
            let mut bytes = Bytes::new();
            write(&mut bytes, &address);
            bytes.to_vec()
        });
        assert_eq!(found, expected.map(<[u8]>::to_vec), "{bytes:?}");
    }

    #[test]
    fn addresses_are_read_and_written() {
        let inet = &[1, 0, 80, 127, 0, 0, 1][..];
        check(inet, Family::Inet, Ok(inet));
        check(&[4, 0, 80], Family::Inet, Ok(inet));
        check(&[3, 1, 2], Family::Inet, Ok(&[1, 1, 2, 0, 0, 0, 0]));
        let mut six = vec![2, 0, 80];
        six.extend([0; 15]);
        six.push(1);
        check(&[4, 0, 80], Family::Inet6, Ok(&six));
        let mut long = six.clone();
        long.extend([0; 8]);
        check(&long, Family::Inet6, Ok(&six));
        check(&[5, 2, b'a', b'b'], Family::Local, Ok(&[5, 2, b'a', b'b']));
        check(&[4, 0, 80], Family::Local, Err(INVALID));
        check(&[1, 0, 80, 127], Family::Inet, Err(INVALID));
        check(&[5, 3, b'a', b'b'], Family::Local, Err(INVALID));
        check(&[9, 0], Family::Inet, Err(NO_FAMILY));
        check(&[], Family::Inet, Err(INVALID));
    }
}
