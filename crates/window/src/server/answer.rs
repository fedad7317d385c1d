//! Answers: their status, their headers, and a body of limited size.
//!
//! An answer is made whole before it is sent. All that are being sent have [`MOST_IN_FLIGHT`] bytes together; what
//! would be more is refused, so that clients which read slowly, or not at all, hold no more than that.

use std::cell::Cell;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// Bytes of the body of one answer.
const MOST_BYTES: usize = 16 << 20;
/// Bytes of all answers that are being sent.
const MOST_IN_FLIGHT: usize = 48 << 20;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Only what the server itself sends is shown and run, and in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const ALWAYS: [(HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// What is answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    kind: &'static str,
    body: Bytes,
    /// One more header.
    more: Option<(HeaderName, String)>,
    /// Whether nothing more is read from this client.
    closes: bool,
}

#[derive(Serialize)]
struct Fault<'a> {
    error: &'a str,
}

/// A buffer that takes no more than [`MOST_BYTES`].
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Answer {
    fn new(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
        Answer {
            status,
            kind,
            body: body.into(),
            more: None,
            closes: false,
        }
    }

    /// A value as JSON.
    pub(super) fn json(value: &(impl Serialize + ?Sized)) -> Answer {
        let mut body = Bounded(Vec::new());
        match serde_json::to_writer(&mut body, value) {
            Ok(()) => Answer::new(StatusCode::OK, JSON, body.0),
            Err(_) => Answer::fault(
                StatusCode::INSUFFICIENT_STORAGE,
                "this answer is too long; ask for fewer rows",
            ),
        }
    }

    /// An error, as JSON.
    pub(super) fn fault(status: StatusCode, why: &str) -> Answer {
        let body = serde_json::to_vec(&Fault { error: why }).unwrap_or_default();
        Answer::new(status, JSON, body)
    }

    pub(super) fn text(status: StatusCode, text: impl Into<Bytes>) -> Answer {
        Answer::new(status, TEXT, text)
    }

    /// Something of another type.
    pub(super) fn of_type(kind: &'static str, body: impl Into<Bytes>) -> Answer {
        Answer::new(StatusCode::OK, kind, body)
    }

    pub(super) fn with(mut self, name: HeaderName, value: impl Into<String>) -> Answer {
        self.more = Some((name, value.into()));
        self
    }

    /// The connection is closed behind this answer, so that nothing that follows is taken for a request.
    pub(super) fn closing(mut self) -> Answer {
        self.closes = true;
        self
    }

    /// The answer for the HTTP library.
    pub(super) fn into_response(mut self, in_flight: &Rc<Cell<usize>>) -> Response<Sent> {
        if in_flight.get() + self.body.len() > MOST_IN_FLIGHT {
            self = Answer::fault(
                StatusCode::SERVICE_UNAVAILABLE,
                "too much is being sent to others; ask again",
            )
            .with(header::RETRY_AFTER, "1");
        }
        let mut response = Response::new(Sent::new(self.body, in_flight));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in ALWAYS {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if let Some((name, value)) = self.more
            && let Ok(value) = HeaderValue::from_str(&value)
        {
            headers.insert(name, value);
        }
        if self.closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// A body that is being sent, and counted until it is gone.
pub(super) struct Sent {
    bytes: Bytes,
    /// What it counts for.
    charge: usize,
    in_flight: Rc<Cell<usize>>,
}

impl Sent {
    fn new(bytes: Bytes, in_flight: &Rc<Cell<usize>>) -> Sent {
        in_flight.update(|so_far| so_far + bytes.len());
        Sent {
            charge: bytes.len(),
            bytes,
            in_flight: Rc::clone(in_flight),
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        self.in_flight.update(|so_far| so_far - self.charge);
    }
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    /// A piece at a time, each cut from the whole without a copy: the body is dropped when all has been taken, and the
    /// last piece is what then is left to be written.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        const PIECE_BYTES: usize = 64 << 10;
        let length = self.bytes.len().min(PIECE_BYTES);
        let piece = (length > 0).then(|| Ok(Frame::data(self.bytes.split_to(length))));
        Poll::Ready(piece)
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_refused() {
        let rows = vec!["0123456789"; MOST_BYTES / 12];
        assert_eq!(Answer::json(&rows).status, StatusCode::INSUFFICIENT_STORAGE);
        assert_eq!(Answer::json(&rows[..10]).status, StatusCode::OK);
    }

    #[test]
    fn bytes_are_counted_until_they_are_sent() {
        let in_flight = Rc::default();
        let many = |count: usize| {
            Answer::text(StatusCode::OK, vec![b' '; count]).into_response(&in_flight)
        };
        let first = many(MOST_IN_FLIGHT - 10);
        assert_eq!(many(11).status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(many(10).status(), StatusCode::OK);
        drop(first);
        assert_eq!(in_flight.get(), 0);
    }

    #[test]
    fn every_answer_says_how_it_may_be_shown() {
        let response = Answer::fault(StatusCode::NOT_FOUND, "<b>").into_response(&Rc::default());
        for (name, value) in ALWAYS {
            assert_eq!(response.headers()[&name], value);
        }
        assert_eq!(response.headers()[header::CONTENT_TYPE], JSON);
        assert!(!POLICY.contains("unsafe"));
    }
}
