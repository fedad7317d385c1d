//! HTTP start lines and headers.

use term::release::{self, Release};

use super::{Length, Limits};

/// Header names that become atoms; the number of a header is its index, from 1.
pub(crate) const HEADERS: &[&str] = &[
    "Cache-Control",
    "Connection",
    "Date",
    "Pragma",
    "Transfer-Encoding",
    "Upgrade",
    "Via",
    "Accept",
    "Accept-Charset",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "From",
    "Host",
    "If-Modified-Since",
    "If-Match",
    "If-None-Match",
    "If-Range",
    "If-Unmodified-Since",
    "Max-Forwards",
    "Proxy-Authorization",
    "Range",
    "Referer",
    "User-Agent",
    "Age",
    "Location",
    "Proxy-Authenticate",
    "Public",
    "Retry-After",
    "Server",
    "Vary",
    "Warning",
    "Www-Authenticate",
    "Allow",
    "Content-Base",
    "Content-Encoding",
    "Content-Language",
    "Content-Length",
    "Content-Location",
    "Content-Md5",
    "Content-Range",
    "Content-Type",
    "Etag",
    "Expires",
    "Last-Modified",
    "Accept-Ranges",
    "Set-Cookie",
    "Set-Cookie2",
    "X-Forwarded-For",
    "Cookie",
    "Keep-Alive",
    "Proxy-Connection",
];

/// Methods that become atoms.
pub(crate) const METHODS: &[&str] = &["OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE"];

/// Longer header names keep their case.
const MAX_CANONICAL_NAME: usize = 50;
/// The version assumed for a request that names none.
const NO_VERSION: (i32, i32) = (0, 9);

/// One parsed line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Line<'a> {
    Response {
        version: (i32, i32),
        status: i32,
        phrase: &'a [u8],
    },
    Request {
        method: &'a [u8],
        uri: Uri<'a>,
        version: (i32, i32),
    },
    Header {
        /// With a capital at the beginning and after each hyphen, the rest in lower case.
        name: Vec<u8>,
        original: &'a [u8],
        value: &'a [u8],
    },
    EndOfHeaders,
}

/// The URI of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Uri<'a> {
    Star,
    Text(&'a [u8]),
    Path(&'a [u8]),
    Scheme(&'a [u8], &'a [u8]),
    Absolute {
        secure: bool,
        host: &'a [u8],
        /// 0 if none is named.
        port: i32,
        path: &'a [u8],
    },
}

/// The line is not HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NotHttp;

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn is_token(byte: u8) -> bool {
    (33..128).contains(&byte) && !b"()<>@,;:\\\"/[]?={} \t".contains(&byte)
}

/// The length of the line that the bytes start with; a header continues in lines that start with a blank.
pub(crate) fn length(bytes: &[u8], limits: &Limits, in_headers: &mut bool) -> Length {
    if bytes == b"\n" || bytes == b"\r\n" {
        return Length::Known(bytes.len());
    }
    // Programs that set `line_length` mean it as a limit here.
    let longest = match limits.packet_bytes {
        0 => limits.line_bytes as usize,
        longest => longest as usize,
    };
    let mut start = 0;
    loop {
        let Some(at) = memchr::memchr(b'\n', &bytes[start..]) else {
            return if longest != 0 && bytes.len() >= longest {
                Length::Invalid
            } else {
                Length::More
            };
        };
        let length = start + at + 1;
        let goes_on = *in_headers && length > 2 && bytes.get(length).copied().is_some_and(is_blank);
        if goes_on {
            start = length;
            continue;
        }
        if longest != 0 && length > longest {
            return Length::Invalid;
        }
        // Only the next byte tells whether a header is complete.
        return if *in_headers && length == bytes.len() {
            Length::More
        } else {
            Length::Known(length)
        };
    }
}

/// Parses one line; `in_headers` is the state before it, and is set to the state after it.
///
/// # Errors
/// [`NotHttp`].
pub(crate) fn parse<'a>(line: &'a [u8], in_headers: &mut bool) -> Result<Line<'a>, NotHttp> {
    let length = line.len();
    let line = match line {
        [.., b'\r', _] => &line[..length - 2],
        [.., b'\n'] => &line[..length - 1],
        _ => line,
    };
    if *in_headers {
        if line.is_empty() {
            *in_headers = false;
            return Ok(Line::EndOfHeaders);
        }
        return header(line);
    }
    let parsed = match line.strip_prefix(b"HTTP/") {
        Some(rest) => response(rest)?,
        None => request(line)?,
    };
    *in_headers = true;
    Ok(parsed)
}

/// The digits at the start, and what follows them. Numbers wrap as C's `int` does.
fn digits(bytes: &[u8]) -> (Option<i32>, &[u8]) {
    let count = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = bytes[..count].iter().fold(0i32, |sum, byte| {
        sum.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'))
    });
    ((count > 0).then_some(number), &bytes[count..])
}

fn version(bytes: &[u8]) -> Result<((i32, i32), &[u8]), NotHttp> {
    let (major, rest) = digits(bytes);
    let rest = rest.strip_prefix(b".").ok_or(NotHttp)?;
    let (minor, rest) = digits(rest);
    Ok(((major.ok_or(NotHttp)?, minor.ok_or(NotHttp)?), rest))
}

fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let count = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    &bytes[count..]
}

fn response(line: &[u8]) -> Result<Line<'_>, NotHttp> {
    let (version, rest) = version(line)?;
    let after = skip_blanks(rest);
    if after.len() == rest.len() {
        return Err(NotHttp);
    }
    let (status, rest) = digits(after);
    let phrase = skip_blanks(rest);
    if phrase.len() == rest.len() && !rest.is_empty() {
        return Err(NotHttp);
    }
    Ok(Line::Response {
        version,
        status: status.unwrap_or(0),
        phrase,
    })
}

fn request(line: &[u8]) -> Result<Line<'_>, NotHttp> {
    let count = line.iter().take_while(|byte| is_token(**byte)).count();
    let (method, rest) = line.split_at(count);
    if count == 0 || !rest.first().copied().is_some_and(is_blank) {
        return Err(NotHttp);
    }
    let rest = skip_blanks(rest);
    let count = rest.iter().take_while(|byte| !is_blank(**byte)).count();
    let (uri, rest) = rest.split_at(count);
    if count == 0 {
        return Err(NotHttp);
    }
    let rest = skip_blanks(rest);
    let version = if rest.is_empty() {
        NO_VERSION
    } else {
        let digits = rest.strip_prefix(b"HTTP/").filter(|_| rest.len() >= 8);
        version(digits.ok_or(NotHttp)?)?.0
    };
    Ok(Line::Request {
        method,
        uri: parse_uri(uri),
        version,
    })
}

fn strip_scheme<'a>(uri: &'a [u8], scheme: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = uri.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Parses the second word of a request.
#[must_use]
pub(crate) fn parse_uri(uri: &[u8]) -> Uri<'_> {
    if uri == b"*" {
        return Uri::Star;
    }
    if uri.len() <= 1 || uri[0] == b'/' {
        return Uri::Path(uri);
    }
    if let Some(rest) = strip_scheme(uri, b"http://") {
        return absolute(rest, false);
    }
    if let Some(rest) = strip_scheme(uri, b"https://") {
        return absolute(rest, true);
    }
    match memchr::memchr(b':', uri) {
        Some(at) => Uri::Scheme(&uri[..at], &uri[at + 1..]),
        None => Uri::Text(uri),
    }
}

fn absolute(rest: &[u8], secure: bool) -> Uri<'_> {
    let (place, path) = match memchr::memchr(b'/', rest) {
        Some(at) => rest.split_at(at),
        None => (rest, &b"/"[..]),
    };
    let (host, port) = match end_of_ipv6(place) {
        Some(end) => (&place[..end], place[end..].strip_prefix(b":")),
        None => match memchr::memchr(b':', place) {
            None => (place, None),
            Some(at) => (&place[..at], Some(&place[at + 1..])),
        },
    };
    let port = match port.map(digits) {
        Some((Some(port), [])) => port,
        _ => 0,
    };
    Uri::Absolute {
        secure,
        host,
        port,
        path,
    }
}

/// Where an address of IPv6 in brackets ends, if a place begins with one. OTP 25 knows none.
fn end_of_ipv6(place: &[u8]) -> Option<usize> {
    if place.first() != Some(&b'[') || !release::has(Release::OTP_26) {
        return None;
    }
    memchr::memchr(b']', place).map(|at| at + 1)
}

fn header(line: &[u8]) -> Result<Line<'_>, NotHttp> {
    let count = line.iter().take_while(|byte| is_token(**byte)).count();
    let (original, rest) = line.split_at(count);
    let value = skip_blanks(rest.strip_prefix(b":").ok_or(NotHttp)?);
    Ok(Line::Header {
        name: canonical(original),
        original,
        value,
    })
}

fn canonical(original: &[u8]) -> Vec<u8> {
    if original.len() > MAX_CANONICAL_NAME {
        return original.to_vec();
    }
    let mut upper = true;
    let change = |byte: &u8| {
        if upper {
            upper = false;
            return byte.to_ascii_uppercase();
        }
        upper = *byte == b'-';
        byte.to_ascii_lowercase()
    };
    original.iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, mut in_headers: bool, expected: Result<Line, NotHttp>) {
        assert_eq!(
            parse(line.as_bytes(), &mut in_headers),
            expected,
            "{line:?}"
        );
    }

    #[test]
    fn start_lines() {
        let response = |status, phrase: &'static str| {
            Ok(Line::Response {
                version: (1, 1),
                status,
                phrase: phrase.as_bytes(),
            })
        };
        check("HTTP/1.1 200 OK\r\n", false, response(200, "OK"));
        check("HTTP/1.1 404\n", false, response(404, ""));
        check("HTTP/1.1 \r\n", false, response(0, ""));
        check("HTTP/1.1x 200 OK\r\n", false, Err(NotHttp));
        check("HTTP/1 200 OK\r\n", false, Err(NotHttp));
        let request = |uri, version| {
            Ok(Line::Request {
                method: b"GET",
                uri,
                version,
            })
        };
        check(
            "GET /x HTTP/1.0\r\n",
            false,
            request(Uri::Path(b"/x"), (1, 0)),
        );
        check("GET  *\r\n", false, request(Uri::Star, (0, 9)));
        let absolute = Uri::Absolute {
            secure: true,
            host: b"a",
            port: 99,
            path: b"/p",
        };
        check(
            "GET HTTPS://a:99/p HTTP/1.1\n",
            false,
            request(absolute, (1, 1)),
        );
        check(
            "GET mailto:x HTTP/1.1\n",
            false,
            request(Uri::Scheme(b"mailto", b"x"), (1, 1)),
        );
        check("GET / FTP/1.1\r\n", false, Err(NotHttp));
        check("G(T / HTTP/1.1\r\n", false, Err(NotHttp));
    }

    #[test]
    fn headers() {
        let header = |name: &str, original: &'static str, value: &'static str| {
            Ok(Line::Header {
                name: name.as_bytes().to_vec(),
                original: original.as_bytes(),
                value: value.as_bytes(),
            })
        };
        check(
            "cONTENT-length:  5\r\n",
            true,
            header("Content-Length", "cONTENT-length", "5"),
        );
        check("X:\n", true, header("X", "X", ""));
        check("no colon\r\n", true, Err(NotHttp));
        check("\r\n", true, Ok(Line::EndOfHeaders));
        let length = |bytes: &[u8]| length(bytes, &Limits::default(), &mut true);
        assert_eq!(length(b"A: b\r\n"), Length::More);
        assert_eq!(length(b"A: b\r\nC"), Length::Known(6));
        assert_eq!(length(b"A: b\r\n c\r\nC"), Length::Known(10));
        assert_eq!(length(b"\r\n"), Length::Known(2));
    }
}
