//! Whoever sends data through a socket, and waits for the reply.
//!
//! Before OTP 26 the reply names only the socket. From then on the data begin with the size of a reference, in two
//! bytes, and the reference as a term that only this node can read; the reply has it, too.

use layout::{Heap, Term};
use term::external::{self, DecodeOptions};
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build, reference};

use runtime::code::load::CodeResolver;
use runtime::effects::port::access::Access;
use runtime::effects::port::output::Output;

/// Bytes of the reference's size.
const SIZE_BYTES: usize = 2;

#[derive(Clone, Copy)]
pub(super) struct Sender {
    pub pid: Term,
    /// The number of its reference.
    reference: Option<(u64, u64)>,
}

impl Sender {
    /// The process that calls, when it sends no data.
    pub(super) fn without_reference(pid: Term) -> Sender {
        Sender {
            pid,
            reference: None,
        }
    }

    /// The sender of data, and the data themselves if something stands before them. `None` if they do not begin as they
    /// should.
    pub(super) fn of<'t>(
        port: &Access<'_>,
        data: &Output<'t>,
    ) -> Option<(Sender, Option<Output<'t>>)> {
        let sender = Sender::without_reference(port.caller());
        if !release::has(Release::OTP_26) {
            return Some((sender, None));
        }
        let head = data.first(SIZE_BYTES)?;
        let size = usize::from(u16::from_be_bytes([head[0], head[1]]));
        let first = data.first(SIZE_BYTES + size)?;
        let encoded =
            Some(&first[SIZE_BYTES..]).filter(|encoded| external::local::is_marked(encoded))?;
        let mut scratch = Scratch::new();
        let options = DecodeOptions::default();
        let (term, _) =
            external::decode(scratch.heap(), encoded, &options, &mut CodeResolver).ok()?;
        let reference = Some(reference::number(term)?);
        let rest = data.behind(SIZE_BYTES + size);
        Some((
            Sender {
                reference,
                ..sender
            },
            Some(rest),
        ))
    }

    /// The words of what [`Sender::reply`] builds, apart from the status.
    pub(super) fn reply_words(self) -> usize {
        4 + self.reference.map_or(0, |_| 1 + reference::WORDS)
    }

    /// `{inet_reply, Socket, Status}` or `{inet_reply, Socket, Status, Reference}`
    pub(super) fn reply(self, heap: &mut Heap, socket: Term, status: Term) -> Term {
        match self.reference {
            None => build::tuple(heap, &[am::INET_REPLY, socket, status]),
            Some((low, high)) => {
                let reference = reference::with_number(heap, low, high);
                build::tuple(heap, &[am::INET_REPLY, socket, status, reference])
            }
        }
    }
}
