//! Packets as terms: the results of `erlang:decode_packet/3`, and what sockets send to processes.

use layout::{Heap, Term};
use term::{am, atom, build};

use super::http::{self, HEADERS, Line, METHODS, Uri};
use super::{PacketKind, TLS_HEAD, is_record, is_ssl2_hello};

/// The kind that an atom, or the number of bytes of a length, names.
#[must_use]
pub fn kind_of(term: Term) -> Option<PacketKind> {
    if let Some(bytes) = term.as_small() {
        return match bytes {
            0 => Some(PacketKind::Raw),
            1 => Some(PacketKind::Length1),
            2 => Some(PacketKind::Length2),
            4 => Some(PacketKind::Length4),
            _ => None,
        };
    }
    if !term.is_atom() {
        return None;
    }
    Some(match atom::text(term) {
        "raw" => PacketKind::Raw,
        "asn1" => PacketKind::Asn1,
        "sunrm" => PacketKind::SunRm,
        "cdr" => PacketKind::Cdr,
        "fcgi" => PacketKind::FastCgi,
        "line" => PacketKind::Line,
        "tpkt" => PacketKind::Tpkt,
        "http" => PacketKind::Http { binaries: false },
        "http_bin" => PacketKind::Http { binaries: true },
        "httph" => PacketKind::HttpHeaders { binaries: false },
        "httph_bin" => PacketKind::HttpHeaders { binaries: true },
        "ssl_tls" => PacketKind::SslTls,
        _ => return None,
    })
}

/// The term for a whole packet, if packets of its kind are parsed.
pub fn parsed(
    heap: &mut Heap,
    kind: PacketKind,
    packet: &[u8],
    in_headers: &mut bool,
) -> Option<Term> {
    match kind {
        PacketKind::Http { binaries } | PacketKind::HttpHeaders { binaries } => {
            let text = Text { binaries };
            Some(match http::parse(packet, in_headers) {
                Ok(line) => http_term(heap, text, &line),
                Err(http::NotHttp) => {
                    let line = text.of(heap, packet);
                    build::tuple(heap, &[atom::known("http_error"), line])
                }
            })
        }
        PacketKind::SslTls if is_record(packet) => Some(tls_term(heap, packet)),
        _ => None,
    }
}

/// How strings are built.
#[derive(Clone, Copy)]
struct Text {
    binaries: bool,
}

impl Text {
    fn of(self, heap: &mut Heap, bytes: &[u8]) -> Term {
        if self.binaries {
            build::binary(heap, bytes)
        } else {
            build::byte_list(heap, bytes)
        }
    }

    /// The number and atom of one of the names, or 0 and a string.
    fn name(self, heap: &mut Heap, bytes: &[u8], names: &[&str]) -> (usize, Term) {
        match names.iter().position(|name| name.as_bytes() == bytes) {
            Some(place) => (place + 1, atom::known(names[place])),
            None => (0, self.of(heap, bytes)),
        }
    }
}

fn number(value: i32) -> Term {
    Term::small(i64::from(value))
}

fn http_term(heap: &mut Heap, text: Text, line: &Line) -> Term {
    match line {
        Line::EndOfHeaders => atom::known("http_eoh"),
        Line::Response {
            version: (major, minor),
            status,
            phrase,
        } => {
            let phrase = text.of(heap, phrase);
            let version = build::tuple(heap, &[number(*major), number(*minor)]);
            let tag = atom::known("http_response");
            build::tuple(heap, &[tag, version, number(*status), phrase])
        }
        Line::Request {
            method,
            uri,
            version: (major, minor),
        } => {
            let (_, method) = text.name(heap, method, METHODS);
            let uri = uri_term(heap, text, uri);
            let version = build::tuple(heap, &[number(*major), number(*minor)]);
            build::tuple(heap, &[atom::known("http_request"), method, uri, version])
        }
        Line::Header {
            name,
            original,
            value,
        } => {
            let (place, name) = text.name(heap, name, HEADERS);
            let original = text.of(heap, original);
            let value = text.of(heap, value);
            let place = Term::small(place as i64);
            let tag = atom::known("http_header");
            build::tuple(heap, &[tag, place, name, original, value])
        }
    }
}

fn uri_term(heap: &mut Heap, text: Text, uri: &Uri) -> Term {
    match *uri {
        Uri::Star => am::TIMES,
        Uri::Text(bytes) => text.of(heap, bytes),
        Uri::Path(path) => {
            let path = text.of(heap, path);
            build::tuple(heap, &[am::ABS_PATH, path])
        }
        Uri::Scheme(scheme, rest) => {
            let scheme = text.of(heap, scheme);
            let rest = text.of(heap, rest);
            build::tuple(heap, &[atom::known("scheme"), scheme, rest])
        }
        Uri::Absolute {
            secure,
            host,
            port,
            path,
        } => {
            let scheme = atom::known(if secure { "https" } else { "http" });
            let host = text.of(heap, host);
            let path = text.of(heap, path);
            let port = match port {
                0 => am::UNDEFINED,
                port => number(port),
            };
            build::tuple(heap, &[am::ABSOLUTE_URI, scheme, host, port, path])
        }
    }
}

/// `{ssl_tls, [], ContentType, {Major, Minor}, Data}`; an SSL 2 hello is shown as a handshake record.
fn tls_term(heap: &mut Heap, packet: &[u8]) -> Term {
    const HANDSHAKE: u8 = 22;
    let (kind, version, data) = if is_ssl2_hello(packet) {
        let body = &packet[3..];
        let length = (body.len() as u32).to_be_bytes();
        let mut data = vec![1, length[1], length[2], length[3]];
        data.extend_from_slice(body);
        let version = [packet[3], packet[4]];
        (HANDSHAKE, version, build::binary(heap, &data))
    } else {
        let version = [packet[1], packet[2]];
        (packet[0], version, build::binary(heap, &packet[TLS_HEAD..]))
    };
    let byte = |byte: u8| Term::small(i64::from(byte));
    let version = build::tuple(heap, &[byte(version[0]), byte(version[1])]);
    let tag = atom::known("ssl_tls");
    build::tuple(heap, &[tag, Term::NIL, byte(kind), version, data])
}
