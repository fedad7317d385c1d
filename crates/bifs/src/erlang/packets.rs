//! `erlang:decode_packet/3`.

use layout::{NoGc, Term, no_gc};
use term::bits::matching::extract;
use term::release::{self, Release};
use term::{am, atom, build, integer, list, unicode};

use packet::{self, Length, Limits, PacketKind, terms};
use runtime::code::bif::{BifResult, Failure, badarg, badarg_because};
use runtime::process::Process;

fn limits_of(kind: PacketKind, options: Term) -> Option<Limits> {
    let mut limits = Limits::default();
    for option in list::items(options) {
        let [name, value] = option.ok()?.as_tuple_of()?;
        let value = integer::uint32(value)?;
        if !name.is_atom() {
            return None;
        }
        match atom::text(name) {
            "packet_size" => limits.packet_bytes = value,
            "line_length" => limits.line_bytes = value,
            "line_delimiter" if kind == PacketKind::Line => {
                limits.delimiter = u8::try_from(value).ok()?;
            }
            _ => return None,
        }
    }
    Some(limits)
}

/// The whole bytes of a bit string, without the bits left over.
fn whole_bytes<'t>(
    process: &mut Process,
    string: Term,
    no_gc: &'t NoGc,
) -> Option<std::borrow::Cow<'t, [u8]>> {
    let bits = string.is_bitstring().then(|| string.as_bits())??;
    let left = bits.bit_len() % 8;
    if left == 0 {
        return unicode::bytes_of(string, no_gc);
    }
    if release::has(Release::OTP_26) {
        return None;
    }
    let whole = build::sub_bits(process.heap(), string, 0, bits.bit_len() - left);
    unicode::bytes_of(whole, no_gc)
}

/// `erlang:decode_packet(Type, Binary, Options)`:
/// `{ok, Packet, Rest}`, `{more, Length | undefined}` or `{error, invalid}`.
pub(crate) fn decode_packet_3(
    process: &mut Process,
    [kind, string, options]: [Term; 3],
) -> BifResult {
    let kind = terms::kind_of(kind).ok_or_else(|| badarg_because(am::BADOPT))?;
    let no_gc = no_gc!();
    let bytes = whole_bytes(process, string, no_gc).ok_or(badarg(2))?;
    let limits = limits_of(kind, options).ok_or(badarg(3))?;
    let mut in_headers = false;
    let length = packet::length(kind, &bytes, &limits, &mut in_headers);
    let heap = process.heap();
    let length = match length {
        Length::Known(length) if length > 0 && length <= bytes.len() => length,
        Length::Known(length) => {
            let length = match length {
                0 => am::UNDEFINED,
                length => Term::small(length as i64),
            };
            return Ok(build::tuple(heap, &[am::MORE, length]));
        }
        Length::More => return Ok(build::tuple(heap, &[am::MORE, am::UNDEFINED])),
        Length::Invalid => return Ok(build::tuple(heap, &[am::ERROR, am::INVALID])),
    };
    let packet = &bytes[..length];
    let (whole, first) = build::whole_of(string);
    let parsed = match terms::parsed(heap, kind, packet, &mut in_headers) {
        Some(parsed) => parsed,
        None => {
            let body = packet::body(kind, packet);
            let (start, width) = (body.start as u64 * 8, body.len() as u64 * 8);
            extract(heap, whole, first + start, width)
        }
    };
    let bits = string.as_bits().ok_or_else(|| -> Failure { badarg(2) })?;
    let start = length as u64 * 8;
    let rest = extract(heap, whole, first + start, bits.bit_len() - start);
    Ok(build::tuple(heap, &[am::OK, parsed, rest]))
}
