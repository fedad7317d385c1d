//! The terms behind control messages: what processes send each other, the reasons of exits, the arguments of new
//! processes. They are kept as they came in, and decoded by whoever receives them ([`decode`]).
//!
//! Any thread may call; a message is decoded by its receiver.

use std::sync::Arc;

use layout::{Fragment, Heap, Term, no_gc};
use smallvec::{SmallVec, smallvec};
use term::copy::Owned;
use term::external::{self, DecodeError, DecodeOptions, SourceBinary, tags};
use term::heap::{self, Scratch};
use term::integer::uint64;
use term::{am, build, copy};

use crate::channel::Channel;
use crate::{peers, signals};
use runtime::code::load::CodeResolver;
use runtime::effects::log;
use runtime::mail::{senders, signal};
use runtime::process::rank::Rank;
use runtime::process::sequence::Token;
use runtime::process::signal::{PRIORITY, Signal, UNDECODED};
use runtime::process::table;
use runtime::trace::sequence;

/// A message of at least so many bytes may be shared by its binaries.
const SHARED_BYTES: usize = 64 << 10;

/// The message behind a control term.
#[derive(Clone, Copy)]
pub(crate) struct Payload<'a> {
    pub(super) atoms: &'a [Term],
    pub(super) bytes: &'a [u8],
    pub(super) versioned: bool,
    /// The binary that the bytes are the end of, if it may be kept.
    pub(super) whole: Option<Term>,
}

/// How a message reaches its receiver.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Direct,
    /// Through the alias with this number; with priority if that is asked for and the alias is for it.
    Alias((u64, u64), Rank),
    /// It is the arguments that this new process waits for. Without them it must end.
    Arguments(Term),
}

impl Payload<'_> {
    /// Decodes the message here.
    pub(crate) fn decode(&self) -> Option<Owned> {
        let mut scratch = Scratch::new();
        let options = DecodeOptions {
            atoms: self.atoms,
            ..DecodeOptions::default()
        };
        let decoded = decode_term(self.versioned, scratch.heap(), self.bytes, &options);
        Some(Owned::new(decoded.ok()?.0))
    }

    /// Whether its first bytes show that nobody can decode it: it has no version, or is compressed.
    fn is_plainly_damaged(&self) -> bool {
        let term = match self.versioned {
            true => self.bytes.strip_prefix(&[tags::VERSION]),
            false => Some(self.bytes),
        };
        matches!(term, None | Some([] | [tags::COMPRESSED, ..]))
    }

    /// Sends the message to a process, perhaps through an alias. One that is plainly damaged ends the connection here,
    /// since more packets may be handled before its receiver looks at it.
    pub(super) fn send(&self, channel: &Channel, to: Term, alias: Option<((u64, u64), Rank)>) {
        if self.is_plainly_damaged() {
            if table::exists(to) {
                end_damaged(channel, self.bytes, self.atoms);
            }
            return;
        }
        let way = alias.map_or(Way::Direct, |(number, rank)| Way::Alias(number, rank));
        let message = self.into_fragment(channel, way);
        // SAFETY: the fragment is new.
        unsafe { signal::send_prepared(to, message) };
    }

    /// Sends the message with a token of sequential trace. It is decoded here, which so few messages need not avoid.
    pub(super) fn send_traced(
        &self,
        channel: &Channel,
        to: Term,
        alias: Option<((u64, u64), Rank)>,
        token: Term,
    ) -> Option<()> {
        let message = self.decode()?;
        let token = Token::of_term(token)?;
        let number = alias.map(|(number, _)| number);
        let message = sequence::message_from_abroad(message.term(), &token, number);
        // SAFETY: the fragment is new.
        unsafe {
            if let Some((_, Rank::Priority)) = alias {
                (*message).kind |= PRIORITY;
            }
            signal::send_prepared(to, senders::noted(channel.node, message));
        }
        Some(())
    }

    /// The message as its receiver will decode it: `{Node, Connection, Versioned, Atoms, Bytes, Start}`; then for one
    /// through an alias the two words of its number, and `priority` if it asks for that, and for arguments the new
    /// process.
    pub(crate) fn into_fragment(self, channel: &Channel, way: Way) -> *mut Fragment {
        let words = 16 + self.atoms.len() + build::binary_words(self.bytes.len());
        let mut scratch = Scratch::with_room(words);
        let heap = scratch.heap();
        let atoms = build::tuple(heap, self.atoms);
        let (bytes, start) = match self.whole {
            Some(whole) => {
                let length = whole
                    .as_bits()
                    .map_or(0, |bits| bits.bit_len() as usize / 8);
                (copy::copy(heap, whole), length - self.bytes.len())
            }
            None => (build::binary(heap, self.bytes), 0),
        };
        let id = Term::small(i64::from(channel.id));
        let versioned = am::boolean(self.versioned);
        let start = Term::small(start as i64);
        let mut parts: SmallVec<[Term; 8]> =
            smallvec![channel.node, id, versioned, atoms, bytes, start];
        match way {
            Way::Direct => {}
            Way::Alias((low, high), rank) => {
                parts.push(build::unsigned(heap, low));
                parts.push(build::unsigned(heap, high));
                if rank == Rank::Priority {
                    parts.push(am::PRIORITY);
                }
            }
            Way::Arguments(child) => parts.push(child),
        }
        let parts = build::tuple(heap, &parts);
        // SAFETY: all of it was built here or is immediate.
        unsafe {
            let fragment = scratch.into_fragment(parts);
            (*fragment).kind = match way {
                Way::Alias(_, Rank::Priority) => UNDECODED | PRIORITY,
                _ => UNDECODED,
            };
            fragment
        }
    }
}

/// Ends the connection over which these bytes came, which cannot be decoded.
fn end_damaged(channel: &Channel, bytes: &[u8], atoms: &[Term]) {
    // First of all, since packets may come in meanwhile.
    channel.refuse_input();
    log::corrupted_distribution_term(channel.node, channel.id, bytes, atoms);
    channel.break_off();
}

/// Decodes one term, with a version byte in front or without; returns also how many bytes it took.
fn decode_term(
    versioned: bool,
    heap: &mut Heap,
    bytes: &[u8],
    options: &DecodeOptions,
) -> Result<(Term, usize), DecodeError> {
    let decode = match versioned {
        true => external::decode_plain,
        false => external::decode_bare,
    };
    decode(heap, bytes, options, &mut CodeResolver)
}

/// Decodes a message that [`Payload::into_fragment`] has made, and returns it after the name of its node; if that
/// fails, the connection it came over ends, and so does a process that would wait for its arguments for ever.
///
/// # Safety
/// The fragment is live, and in no list.
pub(crate) unsafe fn decode(fragment: *mut Fragment) -> Option<(Term, *mut Fragment)> {
    // SAFETY: the caller's promise; only `into_fragment` makes fragments of this kind.
    let whole = unsafe { (*fragment).term };
    let no_gc = no_gc!();
    let parts = whole.as_tuple(no_gc).expect("a tuple");
    let &[node, id, versioned, atoms, bytes, offset, ref way @ ..] = parts else {
        unreachable!("six parts or more");
    };
    let mut scratch = Scratch::new();
    let encoded = bytes.as_bits().and_then(|bits| bits.as_bytes(no_gc));
    let encoded = &encoded.expect("a binary")[offset.as_small().expect("a number") as usize..];
    // Large parts of a large message stay where they are.
    let source = (encoded.len() >= SHARED_BYTES).then(|| copy::copy(scratch.heap(), bytes));
    let options = DecodeOptions {
        safe: false,
        atoms: atoms.as_tuple(no_gc).expect("a tuple"),
        source: source.map(|source| SourceBinary {
            binary: source,
            start: offset.as_small().expect("a number") as usize,
        }),
    };
    let decoded = decode_term(versioned == am::TRUE, scratch.heap(), encoded, &options);
    let message = match (decoded, way) {
        (Err(_), _) => {
            let is_wanted = |channel: &Arc<Channel>| id == Term::small(i64::from(channel.id));
            if let Some(channel) = peers::channel(node).filter(is_wanted) {
                end_damaged(&channel, encoded, options.atoms);
            }
            if let &[child] = way {
                let (exit, link) = (signals::exit_pair(node, am::NOCONNECTION), None);
                let _ = signal::send(child, Signal::RemoteExit { exit, link });
            }
            None
        }
        (Ok((message, _)), &[low, high, ref rank @ ..]) => {
            let number = (uint64(low), uint64(high));
            let number = (number.0.expect("a number"), number.1.expect("a number"));
            let message = signal::alias_message(number, message, copy::size(message));
            if let [am::PRIORITY] = rank {
                // SAFETY: the fragment is new.
                unsafe { (*message).kind |= PRIORITY };
            }
            Some(message)
        }
        // SAFETY: all of the message was built in the scratch heap, or is immediate or a literal.
        (Ok((message, _)), _) => Some(unsafe { scratch.into_fragment(message) }),
    };
    // SAFETY: the fragment is in no list, and nothing of the message points into it.
    unsafe { heap::drop_fragment(fragment) };
    Some((node, message?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::header;
    use runtime::effects::port::carrier::Accepted;
    use term::atom;

    /// A sound packet: a message to a process of another node, which is dropped.
    fn packet(node: Term) -> Vec<u8> {
        let name = atom::text(node).as_bytes();
        let mut packet = vec![header::PASS_THROUGH, header::VERSION];
        packet.extend([tags::SMALL_TUPLE, 3, tags::SMALL_INTEGER, 2]);
        packet.extend([tags::SMALL_ATOM_UTF8, 0]);
        packet.extend([tags::NEW_PID, tags::SMALL_ATOM_UTF8, name.len() as u8]);
        packet.extend(name);
        packet.extend([1_u32, 0, 7].map(u32::to_be_bytes).as_flattened());
        packet.extend([header::VERSION, tags::NIL]);
        packet
    }

    fn received(channel: &Channel, bytes: &[u8]) -> bool {
        let payload = Payload {
            atoms: &[],
            bytes,
            versioned: true,
            whole: None,
        };
        let fragment = payload.into_fragment(channel, Way::Direct);
        // SAFETY: the fragment is new, and so is what comes back.
        unsafe { decode(fragment).map(|(_, message)| heap::drop_fragment(message)) }.is_some()
    }

    #[test]
    fn a_message_that_begins_as_none_is_plainly_damaged() {
        const VERSION: u8 = tags::VERSION;
        const NIL: u8 = tags::NIL;
        const COMPRESSED: u8 = tags::COMPRESSED;
        let is_damaged = |versioned: bool, bytes: &[u8]| {
            let payload = Payload {
                atoms: &[],
                bytes,
                versioned,
                whole: None,
            };
            payload.is_plainly_damaged()
        };
        for bytes in [&[][..], &[VERSION], &[NIL], &[VERSION, COMPRESSED, 0]] {
            assert!(is_damaged(true, bytes), "{bytes:?}");
        }
        for bytes in [&[][..], &[COMPRESSED, 0]] {
            assert!(is_damaged(false, bytes), "{bytes:?}");
        }
        assert!(!is_damaged(true, &[VERSION, NIL]) && !is_damaged(false, &[NIL]));
    }

    /// Also before the port or process that carries the connection has ended.
    #[test]
    fn nothing_comes_in_after_a_message_that_cannot_be_decoded() {
        let name = atom::intern_str("damaged@localhost").unwrap();
        let channel = peers::begin(name);
        let packet = packet(name);
        assert_eq!(channel.packet(&packet), Accepted::Yes);
        assert!(received(&channel, &[header::VERSION, tags::NIL]));
        assert_eq!(channel.packet(&packet), Accepted::Yes);
        assert!(!received(&channel, &[header::VERSION, 1]));
        assert_eq!(channel.packet(&packet), Accepted::No);
        assert_eq!(channel.packet(&[]), Accepted::No);
    }
}
