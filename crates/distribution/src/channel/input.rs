//! What comes in from the other node: packets, taken apart, put together if they are fragments, and done.
//!
//! Only control messages are decoded here. The terms that processes send each other are decoded by whoever receives
//! them ([`payload::decode`]), so that one channel keeps all schedulers busy. Nothing is trusted: what makes no sense
//! ends the connection.
//!
//! One thread at a time reads a channel: it holds the lock of the input, and then takes the others.

mod control;
pub(crate) mod payload;

use std::collections::HashMap;
use std::sync::Arc;

use layout::Term;
use parking_lot::Mutex;
use term::copy::Owned;
use term::external::{self, DecodeOptions, tags};
use term::heap::Scratch;
use term::input_buffer::InputBuffer;

use super::Channel;
use super::header::{self, AtomCache, AtomList, Bytes};
use crate::flags::Flags;
use payload::Payload;
use runtime::code::load::CodeResolver;
use runtime::effects::log;
use runtime::effects::port::carrier::{Accepted, Source};

/// What is known of what has come in so far.
pub(crate) struct Input {
    cache: AtomCache,
    /// The other node chooses these numbers, so their hashes are seeded.
    sequences: HashMap<u64, Sequence>,
    /// The fragment that is being read to its place in a message.
    begun: Option<Begun>,
}

/// A fragment of which more is to come.
struct Begun {
    /// That of its message.
    id: u64,
    number: u64,
    rest: usize,
}

/// The fragments of a message that have come in.
struct Sequence {
    atoms: AtomList,
    bytes: Assembly,
    /// The number of the fragment that comes next.
    next: u64,
}

/// Bytes of a message in the block in which they will stay.
struct Assembly {
    block: InputBuffer,
    room: usize,
    filled: usize,
}

/// At most so much room is made for fragments that have not come yet. It costs address space only.
const MOST_ROOM_BYTES: u64 = 64 << 20;
/// And at most so many times as much as there is already, so that a node whose messages never end fills neither the
/// memory nor the address space with what it has only announced.
const MOST_ROOM_TIMES: u64 = 32;

impl Assembly {
    /// For `count` times as many bytes as there are already, or for a good part of them; `None` if there is no memory.
    fn new(first: &[u8], count: u64) -> Option<Assembly> {
        let bytes = (first.len() as u64).saturating_mul(count.min(MOST_ROOM_TIMES));
        let room = (bytes.min(MOST_ROOM_BYTES) as usize).max(first.len());
        let mut assembly = Assembly {
            block: InputBuffer::new(room)?,
            room,
            filled: 0,
        };
        assembly.push(first)?;
        Some(assembly)
    }

    /// Makes room for so many bytes more.
    fn reserve(&mut self, bytes: usize) -> Option<()> {
        let end = self.filled.checked_add(bytes)?;
        if end > self.room {
            self.room = end.checked_mul(2)?;
            let block = std::mem::replace(&mut self.block, InputBuffer::new(0)?);
            self.block = block.grow(self.room)?;
        }
        Some(())
    }

    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        self.reserve(bytes.len())?;
        let room = &mut self.block.room()[self.filled..][..bytes.len()];
        room.write_copy_of_slice(bytes);
        self.filled += bytes.len();
        Some(())
    }

    /// Reads once, at most so many bytes, for which there is room. Returns their number.
    fn read(&mut self, source: &mut dyn Source, most: usize) -> usize {
        let room = &mut self.block.room()[self.filled..][..most];
        let (start, most) = (room.as_ptr(), room.len());
        let read = source.read(room);
        let (count, is_there) = (read.len(), read.as_ptr() == start.cast());
        // These bytes are written, since there is a slice of them.
        assert!(is_there && count <= most, "read to another place");
        self.filled += count;
        count
    }

    /// The bytes as a binary.
    fn into_binary(self) -> Owned {
        let mut scratch = Scratch::new();
        // SAFETY: these bytes were written by `push` and `read`.
        let binary = unsafe { self.block.into_binary(scratch.heap(), self.filled) };
        Owned::new(binary)
    }
}

impl Input {
    pub(crate) fn new() -> Input {
        Input {
            cache: AtomCache::new(),
            sequences: HashMap::new(),
            begun: None,
        }
    }
}

/// The packet cannot be understood.
struct Damaged;

/// A whole message, in external format.
struct Arrived<'a> {
    atoms: &'a [Term],
    bytes: &'a [u8],
    /// Each term begins with the version.
    versioned: bool,
    /// The binary that the bytes are, if it may be kept.
    whole: Option<Term>,
}

/// Does what a packet says.
pub(crate) fn packet(channel: &Arc<Channel>, input: &Mutex<Input>, bytes: &[u8]) -> Accepted {
    if channel.refuses_input() {
        return Accepted::No;
    }
    if bytes.is_empty() {
        // A sign of life.
        return Accepted::Yes;
    }
    let mut input = input.lock();
    if input.begun.is_some() {
        return Accepted::No;
    }
    let is_part = matches!(
        bytes,
        [
            header::VERSION,
            header::FIRST_FRAGMENT | header::LATER_FRAGMENT,
            ..
        ]
    );
    let result = take_apart(channel, &mut input, bytes);
    accepted(channel, result, is_part)
}

/// Keeps the beginning of a packet, if it is a fragment of a message whose beginning is here already: there its bytes
/// have their place, and need not be copied. Returns whether it was kept.
pub(crate) fn begin(
    channel: &Channel,
    input: &Mutex<Input>,
    beginning: &[u8],
    length: usize,
) -> bool {
    let mut input = input.lock();
    let rest = length.saturating_sub(beginning.len());
    if channel.refuses_input() || input.begun.is_some() || rest as u64 > MOST_ROOM_BYTES {
        return false;
    }
    rest > 0 && input.begin(beginning, rest).is_some()
}

/// Reads more of the packet that was begun; `None` if it is not whole yet.
pub(crate) fn fill(
    channel: &Arc<Channel>,
    input: &Mutex<Input>,
    source: &mut dyn Source,
) -> Option<Accepted> {
    if channel.refuses_input() {
        return Some(Accepted::No);
    }
    let mut input = input.lock();
    let sequence = input.read(source)?;
    let result = match sequence {
        Some(sequence) => carry_out_whole(channel, sequence),
        None => Ok(()),
    };
    Some(accepted(channel, result, true))
}

fn accepted(channel: &Channel, result: Result<(), Damaged>, is_part: bool) -> Accepted {
    match result {
        Ok(()) if is_part => Accepted::Part,
        Ok(()) => Accepted::Yes,
        Err(Damaged) => {
            channel.refuse_input();
            Accepted::No
        }
    }
}

impl Input {
    /// Keeps the beginning of a fragment, of which `rest` bytes are to come, and makes room for them.
    fn begin(&mut self, beginning: &[u8], rest: usize) -> Option<()> {
        let mut bytes = Bytes(beginning);
        let kind = [bytes.u8()?, bytes.u8()?];
        let (id, number) = (bytes.u64()?, bytes.u64()?);
        let sequence = self.sequences.get_mut(&id)?;
        if kind != [header::VERSION, header::LATER_FRAGMENT] || sequence.next != number {
            return None;
        }
        sequence.bytes.reserve(bytes.0.len() + rest)?;
        sequence.bytes.push(bytes.0)?;
        self.begun = Some(Begun { id, number, rest });
        Some(())
    }

    /// Reads more of the fragment that was begun. If it is whole then, returns the message if that is whole.
    #[allow(clippy::option_option)]
    fn read(&mut self, source: &mut dyn Source) -> Option<Option<Sequence>> {
        let begun = self.begun.as_mut()?;
        let sequence = self.sequences.get_mut(&begun.id)?;
        begun.rest -= sequence.bytes.read(source, begun.rest);
        if begun.rest > 0 {
            return None;
        }
        let (id, number) = (begun.id, begun.number);
        self.begun = None;
        Some(self.fragment_is_there(id, number))
    }

    /// The next fragment of a message is among its bytes; returns the message if that was the last one.
    fn fragment_is_there(&mut self, id: u64, number: u64) -> Option<Sequence> {
        if number > 1 {
            self.sequences.get_mut(&id)?.next = number - 1;
            return None;
        }
        self.sequences.remove(&id)
    }
}

fn take_apart(channel: &Arc<Channel>, input: &mut Input, packet: &[u8]) -> Result<(), Damaged> {
    let mut bytes = Bytes(packet);
    let first = bytes.u8().ok_or(Damaged)?;
    if first == header::PASS_THROUGH {
        if channel.flags().is_some_and(Flags::have_header) {
            return report_damage(channel, packet, &[]);
        }
        let arrived = Arrived {
            atoms: &[],
            bytes: bytes.0,
            versioned: true,
            whole: None,
        };
        return carry_out(channel, &arrived);
    }
    if first != header::VERSION {
        return report_damage(channel, packet, &[]);
    }
    match bytes.u8().ok_or(Damaged)? {
        header::WHOLE => {
            let Some(atoms) = input.cache.read(&mut bytes) else {
                return report_damage(channel, packet, &[]);
            };
            let arrived = Arrived {
                atoms: &atoms,
                bytes: bytes.0,
                versioned: false,
                whole: None,
            };
            carry_out(channel, &arrived)
        }
        kind @ (header::FIRST_FRAGMENT | header::LATER_FRAGMENT) => {
            let done = fragment(input, kind, &mut bytes);
            let Ok(done) = done else {
                return report_damage(channel, packet, &[]);
            };
            match done {
                Some(sequence) => carry_out_whole(channel, sequence),
                None => Ok(()),
            }
        }
        _ => report_damage(channel, packet, &[]),
    }
}

/// Adds a fragment to those before it; returns the message if it is the last one.
fn fragment(
    input: &mut Input,
    kind: u8,
    bytes: &mut Bytes<'_>,
) -> Result<Option<Sequence>, Damaged> {
    let id = bytes.u64().ok_or(Damaged)?;
    let number = bytes.u64().ok_or(Damaged)?;
    if number == 0 {
        return Err(Damaged);
    }
    if kind == header::FIRST_FRAGMENT {
        let atoms = input.cache.read(bytes).ok_or(Damaged)?;
        let sequence = Sequence {
            atoms,
            bytes: Assembly::new(bytes.0, number).ok_or(Damaged)?,
            next: number - 1,
        };
        if input.sequences.insert(id, sequence).is_some() {
            return Err(Damaged);
        }
    } else {
        let sequence = input.sequences.get_mut(&id).ok_or(Damaged)?;
        if sequence.next != number {
            return Err(Damaged);
        }
        sequence.bytes.push(bytes.0).ok_or(Damaged)?;
    }
    Ok(input.fragment_is_there(id, number))
}

/// Carries out a message that came in fragments.
fn carry_out_whole(channel: &Arc<Channel>, sequence: Sequence) -> Result<(), Damaged> {
    let whole = sequence.bytes.into_binary();
    let bits = whole.term().as_bits();
    let no_gc = whole.no_gc();
    let arrived = Arrived {
        atoms: &sequence.atoms,
        bytes: bits
            .and_then(|bits| bits.as_bytes(no_gc))
            .expect("a binary"),
        versioned: false,
        whole: Some(whole.term()),
    };
    carry_out(channel, &arrived)
}

/// Reports bytes that cannot be understood.
fn report_damage(channel: &Channel, bytes: &[u8], atoms: &[Term]) -> Result<(), Damaged> {
    log::corrupted_distribution_term(channel.node, channel.id, bytes, atoms);
    Err(Damaged)
}

/// A message that is shorter is decoded whatever it begins with, so that the report shows the term.
const LONG_BYTES: usize = 4096;

/// How each control term begins in external format: a tuple of less than 256 elements, whose first one is a byte.
fn begins_as_control(arrived: &Arrived<'_>) -> bool {
    let term = &arrived.bytes[usize::from(arrived.versioned).min(arrived.bytes.len())..];
    matches!(term, [tags::SMALL_TUPLE, _, tags::SMALL_INTEGER, ..])
}

/// Decodes the control term of a message, and does what it says. What cannot be one is not decoded if it may be long,
/// because decoding it would keep this thread from others' input.
fn carry_out(channel: &Arc<Channel>, arrived: &Arrived<'_>) -> Result<(), Damaged> {
    if arrived.bytes.len() > LONG_BYTES && !begins_as_control(arrived) {
        return report_damage(channel, arrived.bytes, arrived.atoms);
    }
    let mut scratch = Scratch::new();
    let options = DecodeOptions {
        atoms: arrived.atoms,
        ..DecodeOptions::default()
    };
    let decode = match arrived.versioned {
        true => external::decode_plain,
        false => external::decode_bare,
    };
    let decoded = decode(scratch.heap(), arrived.bytes, &options, &mut CodeResolver);
    let Ok((control, used)) = decoded else {
        return report_damage(channel, arrived.bytes, arrived.atoms);
    };
    let payload = Payload {
        atoms: arrived.atoms,
        bytes: &arrived.bytes[used..],
        versioned: arrived.versioned,
        whole: arrived.whole,
    };
    if control::execute(channel, control, payload).is_none() {
        log::invalid_distribution_message(control);
        return Err(Damaged);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout::no_gc;
    use std::mem::MaybeUninit;

    /// Hands out the rest of a packet in pieces.
    struct Pieces<'a> {
        rest: &'a [u8],
        most: usize,
    }

    impl Source for Pieces<'_> {
        fn read<'a>(&mut self, room: &'a mut [MaybeUninit<u8>]) -> &'a [u8] {
            let count = self.most.min(self.rest.len()).min(room.len());
            let (piece, rest) = self.rest.split_at(count);
            self.rest = rest;
            room[..count].write_copy_of_slice(piece)
        }
    }

    fn later_fragment(id: u64, number: u64, bytes: &[u8]) -> Vec<u8> {
        let mut packet = vec![header::VERSION, header::LATER_FRAGMENT];
        packet.extend_from_slice(&id.to_be_bytes());
        packet.extend_from_slice(&number.to_be_bytes());
        packet.extend_from_slice(bytes);
        packet
    }

    fn input_with(id: u64, first: &[u8], fragments: u64) -> Input {
        let mut input = Input::new();
        let sequence = Sequence {
            atoms: AtomList::default(),
            bytes: Assembly::new(first, fragments).unwrap(),
            next: fragments - 1,
        };
        input.sequences.insert(id, sequence);
        input
    }

    #[test]
    fn fragments_are_read_to_their_place_in_any_pieces() {
        let message: Vec<u8> = (0..9_000_u32).map(|byte| byte as u8).collect();
        for (known, most) in [(0, 1), (1, 7), (100, 1000), (2999, 1)] {
            let mut input = input_with(7, &message[..3000], 3);
            let mut whole = None;
            for (number, bytes) in [(2, &message[3000..6000]), (1, &message[6000..])] {
                let packet = later_fragment(7, number, bytes);
                let (beginning, rest) = packet.split_at(18 + known);
                assert!(input.begin(beginning, rest.len()).is_some());
                let mut pieces = Pieces { rest, most };
                whole = loop {
                    if let Some(whole) = input.read(&mut pieces) {
                        break whole;
                    }
                };
                assert!(pieces.rest.is_empty() && whole.is_some() == (number == 1));
            }
            let whole = whole.expect("the last fragment").bytes.into_binary();
            let bits = whole.term().as_bits().unwrap();
            assert_eq!(bits.as_bytes(no_gc!()).unwrap(), message);
        }
    }

    #[test]
    fn room_is_made_by_what_is_there_and_not_by_what_is_announced() {
        let mut input = input_with(7, &[1; 10], u64::MAX);
        assert!(input.sequences[&7].bytes.room <= 320);
        let sequence = input.sequences.get_mut(&7).unwrap();
        for _ in 0..100 {
            sequence.bytes.push(&[1; 10]).unwrap();
        }
        let whole = input.sequences.remove(&7).unwrap().bytes.into_binary();
        let bits = whole.term().as_bits().unwrap();
        assert_eq!(bits.as_bytes(no_gc!()).unwrap(), [1; 1010]);
    }

    /// Numbers of sequences that agree in the bits by which a multiplication, which hashes without a seed are, places
    /// them.
    #[test]
    fn sequences_are_found_however_their_numbers_were_chosen() {
        const COUNT: u64 = 30_000;
        // What undoes the multiplication of rustc-hash.
        let factor = 0xf135_7aea_2e62_a9c5_u64;
        let inverse = (0..6).fold(factor, |inverse, _| {
            inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)))
        });
        assert_eq!(factor.wrapping_mul(inverse), 1);
        let time_of = |number: fn(u64, u64) -> u64| {
            let start = std::time::Instant::now();
            let mut input = Input::new();
            for id in (1..=COUNT).map(|nth| number(nth, inverse)) {
                let sequence = Sequence {
                    atoms: AtomList::default(),
                    bytes: Assembly::new(&[], 2).unwrap(),
                    next: 1,
                };
                assert!(input.sequences.insert(id, sequence).is_none());
            }
            assert_eq!(input.sequences.len() as u64, COUNT);
            start.elapsed()
        };
        let plain = time_of(|nth, _| nth);
        let chosen = time_of(|nth, inverse| (nth << 6).wrapping_mul(inverse));
        assert!(
            chosen < 10 * plain + std::time::Duration::from_millis(200),
            "{chosen:?} instead of {plain:?}"
        );
    }

    #[test]
    fn what_is_no_next_fragment_comes_as_a_whole() {
        let mut input = input_with(7, &[0; 100], 3);
        for packet in [
            later_fragment(8, 2, &[0; 50]),
            later_fragment(7, 1, &[0; 50]),
            later_fragment(7, 2, &[0; 50])[..17].to_vec(),
            vec![header::VERSION, header::FIRST_FRAGMENT],
            Vec::new(),
        ] {
            assert!(input.begin(&packet, 10_000).is_none());
        }
        assert!(input.begun.is_none() && input.sequences[&7].bytes.filled == 100);
    }
}
