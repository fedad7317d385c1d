//! Packets in a stream of bytes: where one ends, and what it contains. For `erlang:decode_packet/3` and for sockets
//! with the option `packet`.
//!
//! Nothing here depends on sockets, and only [`terms`] on terms; the bytes come from outside, so every length is
//! checked. Any thread may call.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod http;
pub mod terms;

/// The formats of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketKind {
    /// All bytes that are there.
    Raw,
    /// A length of one, two or four bytes comes first.
    Length1,
    Length2,
    Length4,
    /// A BER tag and length.
    Asn1,
    /// A length of four bytes, whose highest bit marks the last fragment.
    SunRm,
    /// CORBA: the header begins with `GIOP`.
    Cdr,
    FastCgi,
    /// Up to a delimiter.
    Line,
    /// RFC 1006.
    Tpkt,
    /// A start line, then headers. `binaries`: strings are binaries, not lists.
    Http {
        binaries: bool,
    },
    /// Headers only.
    HttpHeaders {
        binaries: bool,
    },
    SslTls,
}

impl PacketKind {
    /// Every kind.
    pub const ALL: [PacketKind; 15] = [
        PacketKind::Raw,
        PacketKind::Length1,
        PacketKind::Length2,
        PacketKind::Length4,
        PacketKind::Asn1,
        PacketKind::SunRm,
        PacketKind::Cdr,
        PacketKind::FastCgi,
        PacketKind::Line,
        PacketKind::Tpkt,
        PacketKind::Http { binaries: false },
        PacketKind::Http { binaries: true },
        PacketKind::HttpHeaders { binaries: false },
        PacketKind::HttpHeaders { binaries: true },
        PacketKind::SslTls,
    ];
}

/// Limits of what a receiver accepts; 0 means no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The longest packet; longer ones are invalid.
    pub packet_bytes: u32,
    /// The longest line; longer ones are cut.
    pub line_bytes: u32,
    pub delimiter: u8,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            packet_bytes: 0,
            line_bytes: 0,
            delimiter: b'\n',
        }
    }
}

/// The length of the first packet, including its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Length {
    /// This many bytes, which may be more than are there.
    Known(usize),
    /// More bytes are needed to know the length.
    More,
    Invalid,
}

const ASN1_LONG_TAG: u8 = 0x1f;
const CDR_HEAD: usize = 12;
const FAST_CGI_HEAD: usize = 8;
const FAST_CGI_VERSION: u8 = 1;
const TPKT_HEAD: usize = 4;
const TPKT_VERSION: u8 = 3;
const TLS_HEAD: usize = 5;

fn big16(bytes: &[u8]) -> u32 {
    u32::from(bytes[0]) << 8 | u32::from(bytes[1])
}

fn big32(bytes: &[u8]) -> u32 {
    big16(bytes) << 16 | big16(&bytes[2..])
}

/// The first message of an SSL 2 client, which later versions still understand.
fn is_ssl2_hello(bytes: &[u8]) -> bool {
    bytes[0] & 0x80 != 0 && bytes[2] == 1
}

/// Bytes of the head that says how long a packet is; None where that has no fixed place.
#[must_use]
pub const fn head_bytes(kind: PacketKind) -> Option<usize> {
    match kind {
        PacketKind::Length1 => Some(1),
        PacketKind::Length2 => Some(2),
        PacketKind::Length4 | PacketKind::SunRm => Some(4),
        PacketKind::Cdr => Some(CDR_HEAD),
        PacketKind::FastCgi => Some(FAST_CGI_HEAD),
        PacketKind::Tpkt => Some(TPKT_HEAD),
        PacketKind::SslTls => Some(TLS_HEAD),
        PacketKind::Raw
        | PacketKind::Line
        | PacketKind::Asn1
        | PacketKind::Http { .. }
        | PacketKind::HttpHeaders { .. } => None,
    }
}

/// The length of the packet that the bytes start with. `in_headers` is the state of HTTP: the start line has been
/// read.
pub fn length(kind: PacketKind, bytes: &[u8], limits: &Limits, in_headers: &mut bool) -> Length {
    // The length of the header, and the length of the payload that is read from it.
    let (head, payload) = match kind {
        PacketKind::Raw => {
            return match bytes.len() {
                0 => Length::More,
                length => Length::Known(length),
            };
        }
        PacketKind::Line => return line_length(bytes, limits),
        PacketKind::Asn1 => match asn1_head(bytes) {
            Ok(Some(lengths)) => lengths,
            Ok(None) => return Length::More,
            Err(()) => return Length::Invalid,
        },
        PacketKind::Http { .. } => return http::length(bytes, limits, in_headers),
        PacketKind::HttpHeaders { .. } => {
            *in_headers = true;
            return http::length(bytes, limits, in_headers);
        }
        PacketKind::Length1 | PacketKind::Length2 | PacketKind::Length4 | PacketKind::SunRm => {
            let head = head_bytes(kind).unwrap_or_default();
            if bytes.len() < head {
                return Length::More;
            }
            let payload = match kind {
                PacketKind::Length1 => u32::from(bytes[0]),
                PacketKind::Length2 => big16(bytes),
                PacketKind::Length4 => big32(bytes),
                _ => big32(bytes) & 0x7fff_ffff,
            };
            (head, payload)
        }
        PacketKind::Cdr => {
            if bytes.len() < CDR_HEAD {
                return Length::More;
            }
            if &bytes[..4] != b"GIOP" {
                return Length::Invalid;
            }
            let size = big32(&bytes[8..]);
            let little = bytes[6] & 1 != 0;
            (CDR_HEAD, if little { size.swap_bytes() } else { size })
        }
        PacketKind::FastCgi => {
            if bytes.len() < FAST_CGI_HEAD {
                return Length::More;
            }
            if bytes[0] != FAST_CGI_VERSION {
                return Length::Invalid;
            }
            (FAST_CGI_HEAD, big16(&bytes[4..]) + u32::from(bytes[6]))
        }
        PacketKind::Tpkt => {
            if bytes.len() < TPKT_HEAD {
                return Length::More;
            }
            if bytes[0] != TPKT_VERSION {
                return Length::Invalid;
            }
            (TPKT_HEAD, big16(&bytes[2..]).wrapping_sub(TPKT_HEAD as u32))
        }
        PacketKind::SslTls => {
            if bytes.len() < TLS_HEAD {
                return Length::More;
            }
            let payload = if is_ssl2_hello(bytes) {
                (big16(bytes) & 0x7fff).wrapping_sub(3)
            } else {
                big16(&bytes[3..])
            };
            (TLS_HEAD, payload)
        }
    };
    if limits.packet_bytes != 0 && payload > limits.packet_bytes {
        return Length::Invalid;
    }
    // In OTP lengths are C `int`s; one that wrapped around is invalid.
    let whole = payload.wrapping_add(head as u32) as i32;
    if whole < head as i32 {
        Length::Invalid
    } else {
        Length::Known(whole as usize)
    }
}

fn line_length(bytes: &[u8], limits: &Limits) -> Length {
    let (longest, cut) = (limits.packet_bytes as usize, limits.line_bytes as usize);
    match memchr::memchr(limits.delimiter, bytes) {
        Some(at) => {
            let length = at + 1;
            if longest != 0 && length > longest {
                Length::Invalid
            } else if cut != 0 && length > cut {
                Length::Known(cut)
            } else {
                Length::Known(length)
            }
        }
        None if longest != 0 && bytes.len() > longest => Length::Invalid,
        None if cut != 0 && bytes.len() >= cut => Length::Known(cut),
        None => Length::More,
    }
}

/// Lengths of the header and the payload of a BER value; `None` if the header is incomplete.
fn asn1_head(bytes: &[u8]) -> Result<Option<(usize, u32)>, ()> {
    if bytes.len() < 2 {
        return Ok(None);
    }
    let mut at = 1;
    if bytes[0] & ASN1_LONG_TAG == ASN1_LONG_TAG {
        while bytes.get(at).is_some_and(|byte| byte & 0x80 != 0) {
            at += 1;
        }
        if bytes.len() - at < 2 {
            return Ok(None);
        }
        at += 1;
    }
    let short = bytes[at] & 0x7f;
    let long = bytes[at] & 0x80 != 0;
    at += 1;
    if !long {
        return Ok(Some((at, u32::from(short))));
    }
    let count = usize::from(short);
    if bytes.len() - at < count {
        return Ok(None);
    }
    if count > 4 {
        return Err(());
    }
    let payload = bytes[at..at + count]
        .iter()
        .fold(0, |sum: u32, &byte| sum << 8 | u32::from(byte));
    Ok(Some((at + count, payload)))
}

/// The part of a packet that is delivered. A packet that is shorter than its kind requires was cut by the rules of
/// another kind; then that is all there is.
#[must_use]
pub fn body(kind: PacketKind, packet: &[u8]) -> std::ops::Range<usize> {
    let (head, padding) = match kind {
        PacketKind::Length1 => (1, 0),
        PacketKind::Length2 => (2, 0),
        PacketKind::Length4 => (4, 0),
        PacketKind::FastCgi => (0, packet.get(6).copied().map_or(0, usize::from)),
        _ => (0, 0),
    };
    let start = head.min(packet.len());
    start..packet.len().saturating_sub(padding).max(start)
}

/// Whether the packet is long enough to be a TLS record.
#[must_use]
pub fn is_record(packet: &[u8]) -> bool {
    packet.len() >= TLS_HEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: PacketKind, bytes: &[u8], expected: Length) {
        let mut in_headers = false;
        let found = length(kind, bytes, &Limits::default(), &mut in_headers);
        assert_eq!(found, expected, "{kind:?} {bytes:?}");
    }

    #[test]
    fn what_is_too_short_is_handed_out_as_it_is() {
        assert_eq!(body(PacketKind::Length4, b"\x00\x00\x00\x01x"), 4..5);
        assert_eq!(body(PacketKind::Length4, b"\x00"), 1..1);
        assert_eq!(body(PacketKind::FastCgi, b"\x01\x02\x00"), 0..3);
        assert_eq!(
            body(PacketKind::FastCgi, b"\x01\x02\x00\x00\x00\x00\xff"),
            0..0
        );
        let mut scratch = term::heap::Scratch::new();
        let parsed = terms::parsed(scratch.heap(), PacketKind::SslTls, b"\x80", &mut false);
        assert!(parsed.is_none());
    }

    #[test]
    fn heads_tell_the_length() {
        check(PacketKind::Length2, b"\x00", Length::More);
        check(PacketKind::Length2, b"\x00\x03ab", Length::Known(5));
        check(PacketKind::Length4, b"\xff\xff\xff\xff", Length::Invalid);
        check(PacketKind::SunRm, b"\x80\x00\x00\x01", Length::Known(5));
        check(
            PacketKind::Cdr,
            b"GIOP\x01\x00\x01\x00\x05\x00\x00\x00",
            Length::Known(17),
        );
        check(
            PacketKind::Cdr,
            b"GIOQ\x01\x00\x01\x00\x05\x00\x00\x00",
            Length::Invalid,
        );
        check(
            PacketKind::FastCgi,
            b"\x01\x00\x00\x00\x01\x00\x02\x00",
            Length::Known(266),
        );
        check(PacketKind::Tpkt, b"\x03\x00\x00\x02", Length::Invalid);
        check(PacketKind::Tpkt, b"\x03\x00\x00\x09", Length::Known(9));
        check(
            PacketKind::SslTls,
            b"\x16\x03\x01\x00\x10",
            Length::Known(21),
        );
        check(PacketKind::Asn1, b"\x30\x03", Length::Known(5));
        check(PacketKind::Asn1, b"\x30\x82\x01\x00", Length::Known(260));
        check(PacketKind::Asn1, b"\x3f\x81\x01\x02", Length::Known(6));
        check(
            PacketKind::Asn1,
            b"\x30\x85\x01\x00\x00\x00\x00",
            Length::Invalid,
        );
    }

    #[test]
    fn lines_are_cut_or_refused() {
        let limits = |packet_bytes, line_bytes| Limits {
            packet_bytes,
            line_bytes,
            ..Limits::default()
        };
        let line =
            |bytes: &[u8], limits: Limits| length(PacketKind::Line, bytes, &limits, &mut false);
        assert_eq!(line(b"abc\nd", limits(0, 0)), Length::Known(4));
        assert_eq!(line(b"abc", limits(0, 0)), Length::More);
        assert_eq!(line(b"abcdef\n", limits(0, 3)), Length::Known(3));
        assert_eq!(line(b"abc", limits(0, 3)), Length::Known(3));
        assert_eq!(line(b"abc\n", limits(3, 0)), Length::Invalid);
        assert_eq!(line(b"abcd", limits(3, 0)), Length::Invalid);
    }

    #[test]
    fn any_bytes_are_safe() {
        const LETTERS: &[u8] = b"\x01\x03\x1f\x80\x82\xff\r\n: /GIOPHT1.*";
        let mut seed = 1u32;
        for round in 0..20_000 {
            let mut bytes = Vec::new();
            for _ in 0..round % 23 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                bytes.push(LETTERS[(seed >> 24) as usize % LETTERS.len()]);
            }
            for kind in PacketKind::ALL {
                let mut in_headers = round % 2 == 0;
                let found = length(kind, &bytes, &Limits::default(), &mut in_headers);
                if let Length::Known(length) = found
                    && length <= bytes.len()
                {
                    let _ = body(kind, &bytes[..length]);
                    let _ = http::parse(&bytes[..length], &mut in_headers);
                }
            }
        }
    }
}
