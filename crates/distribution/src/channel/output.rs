//! What waits to go to the other node: packets in the order of the wire, and the *lanes* of large messages.
//!
//! A message of more than [`FRAGMENT_BYTES`] goes out in fragments. It waits in a lane of its sender, and so does
//! whatever the same sender sends after it, since signals between two processes stay in order. The first [`MOST_TURNS`]
//! lanes put one fragment on the wire in turn, and what other processes send goes between them. Further lanes wait
//! until one of these has sent its message: the other node keeps room for each message that has begun.
//!
//! A sender that is suspended because too much waits goes on as soon as nothing of its own waits. So nobody is kept
//! waiting by the large messages of others, and there is at most one message of each sender above the mark all the
//! same.
//!
//! Guarded by the channel's lock.

use std::collections::VecDeque;

use layout::Term;
use smallvec::SmallVec;
use term::byte_queue::ByteQueue;

use super::header::{self, AtomCache, AtomList};

/// The size of a fragment.
pub(super) const FRAGMENT_BYTES: usize = 64 << 10;
/// After so many bytes of fragments alone, no small message is expected between those that follow.
const ONLY_FRAGMENTS_BYTES: usize = 8 << 20;
/// At most so many large messages are on their way at a time.
const MOST_TURNS: usize = 16;

/// An encoded control term, and the message if there is one.
#[derive(Default)]
pub(super) struct Body {
    pub bytes: ByteQueue,
    pub atoms: AtomList,
    /// Bytes that the first fragment must have: those of the control term.
    pub control_bytes: usize,
}

/// See the module.
#[derive(Default)]
pub(super) struct Output {
    wire: ByteQueue,
    /// The packets on the wire: how many bytes each has, with its length.
    packets: VecDeque<u32>,
    /// None if the other node wants no headers. Without a cache at the other node, it stays empty.
    cache: Option<AtomCache>,
    fragments: bool,
    lanes: VecDeque<Lane>,
    lane_bytes: usize,
    /// Bytes of fragments that were put on the wire since anything else was.
    fragment_bytes: usize,
    last_sequence: u64,
    /// Bytes that have ever been put on the wire.
    wire_end: u64,
    /// Suspended senders, with the position on the wire where their output ends, in this order; others are in `lanes`.
    waiting: VecDeque<(u64, Term)>,
}

/// What one process has sent and waits behind a large message.
struct Lane {
    sender: Term,
    bodies: VecDeque<Body>,
    /// The number of the fragments of the first body, and of those that are left, if it has begun.
    begun: Option<Begun>,
    /// Whether the sender is suspended.
    waits: bool,
}

#[derive(Clone, Copy)]
struct Begun {
    sequence: u64,
    left: u64,
}

type Header = SmallVec<[u8; 64]>;

impl Output {
    pub(super) fn new(has_header: bool, fragments: bool) -> Output {
        Output {
            cache: has_header.then(AtomCache::new),
            fragments,
            ..Output::default()
        }
    }

    /// Bytes that wait.
    pub(super) fn size(&self) -> usize {
        self.wire.size() + self.lane_bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Whether messages of a process wait behind a large one.
    pub(super) fn has_lane(&self, sender: Term) -> bool {
        self.lanes.iter().any(|lane| lane.sender == sender)
    }

    /// Whether so large a message goes out in fragments.
    pub(super) fn divides(&self, bytes: usize) -> bool {
        self.fragments && bytes > FRAGMENT_BYTES
    }

    /// Puts a message that is not divided, of a process without a lane, on the wire.
    pub(super) fn put(&mut self, atoms: &[Term], bytes: &[u8]) {
        self.begin_whole(atoms, bytes.len());
        self.wire.push_bytes(bytes);
    }

    /// As [`Output::put`].
    pub(super) fn put_body(&mut self, body: &mut Body) {
        self.begin_whole(&body.atoms, body.bytes.size());
        body.bytes.move_chunks(&mut self.wire, usize::MAX);
    }

    fn begin_whole(&mut self, atoms: &[Term], size: usize) {
        let mut packet: Header = SmallVec::from_slice(&[0; 4]);
        match &mut self.cache {
            Some(cache) => {
                packet.extend_from_slice(&[header::VERSION, header::WHOLE]);
                cache.write(&mut packet, atoms);
            }
            None => packet.push(header::PASS_THROUGH),
        }
        self.begin_packet(packet, size);
        self.fragment_bytes = 0;
    }

    /// Puts what precedes `size` bytes on the wire: the header, whose first four bytes are free, with the packet's
    /// length.
    fn begin_packet(&mut self, mut packet: Header, size: usize) {
        let length = (packet.len() - 4 + size) as u32;
        packet[..4].copy_from_slice(&length.to_be_bytes());
        self.wire.push_bytes(&packet);
        self.packets.push_back(4 + length);
        self.wire_end += 4 + u64::from(length);
    }

    /// The sender is suspended until nothing of its own waits.
    pub(super) fn wait(&mut self, sender: Term) {
        match self.lanes.iter_mut().find(|lane| lane.sender == sender) {
            Some(lane) => lane.waits = true,
            None => self.waiting.push_back((self.wire_end, sender)),
        }
    }

    /// The senders that go on: those of which nothing waits, or all.
    pub(super) fn relieved(&mut self, all: bool) -> Vec<Term> {
        let taken = self.wire_end - self.wire.size() as u64;
        let is_taken = |&&(end, _): &&(u64, Term)| all || end <= taken;
        let count = self.waiting.iter().take_while(is_taken).count();
        let mut relieved: Vec<Term> = self.waiting.drain(..count).map(|(_, pid)| pid).collect();
        if all {
            for lane in &mut self.lanes {
                if std::mem::take(&mut lane.waits) {
                    relieved.push(lane.sender);
                }
            }
        }
        relieved
    }

    /// Queues a message in its sender's lane.
    pub(super) fn put_in_lane(&mut self, sender: Term, body: Body) {
        self.lane_bytes += body.bytes.size();
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.sender == sender) {
            return lane.bodies.push_back(body);
        }
        self.lanes.push_back(Lane {
            sender,
            bodies: VecDeque::from([body]),
            begun: None,
            waits: false,
        });
    }

    /// Moves packets to the back of a queue until that has `enough` bytes, or `most` where nothing is kept waiting by
    /// that, or nothing is left; returns how many.
    pub(super) fn take(&mut self, queue: &mut ByteQueue, enough: usize, most: usize) -> usize {
        let enough = match self.fragment_bytes < ONLY_FRAGMENTS_BYTES {
            true => enough,
            false => most,
        };
        let mut taken = 0;
        // A lane has its turn each time, even if there is always something on the wire.
        self.advance_lane();
        while queue.size() < enough && (!self.packets.is_empty() || self.advance_lane()) {
            let missing = enough - queue.size();
            let (mut count, mut bytes) = (0, 0);
            for &packet in &self.packets {
                if bytes >= missing {
                    break;
                }
                bytes += packet as usize;
                count += 1;
            }
            self.packets.drain(..count);
            self.wire.move_bytes(queue, bytes);
            taken += count;
        }
        taken
    }

    /// Takes one packet, without its length.
    pub(super) fn take_packet(&mut self) -> Option<ByteQueue> {
        if self.packets.is_empty() && !self.advance_lane() {
            return None;
        }
        let length = self.packets.pop_front()? - 4;
        let mut packet = ByteQueue::default();
        self.wire.skip(4);
        self.wire.move_bytes(&mut packet, length as usize);
        Some(packet)
    }

    /// Puts the next packet of one lane on the wire; returns whether there was any.
    fn advance_lane(&mut self) -> bool {
        let Some(mut lane) = self.lanes.pop_front() else {
            return false;
        };
        let body = lane.bodies.front_mut().expect("a lane is not empty");
        let before = body.bytes.size();
        let is_done = if lane.begun.is_none() && !self.divides(before) {
            self.put_body(body);
            true
        } else {
            self.put_fragment(&mut lane.begun, body)
        };
        self.lane_bytes -= before - body.bytes.size();
        if is_done {
            lane.bodies.pop_front();
        }
        if !is_done {
            let last_turn = self.lanes.len().min(MOST_TURNS - 1);
            self.lanes.insert(last_turn, lane);
        } else if !lane.bodies.is_empty() {
            self.lanes.push_back(lane);
        } else if lane.waits {
            self.waiting.push_back((self.wire_end, lane.sender));
        }
        true
    }

    /// Puts the next fragment of a message on the wire; returns whether it was the last one.
    fn put_fragment(&mut self, begun: &mut Option<Begun>, body: &mut Body) -> bool {
        let first_bytes = FRAGMENT_BYTES.max(body.control_bytes);
        let (kind, bytes) = match begun {
            None => (header::FIRST_FRAGMENT, first_bytes),
            Some(_) => (header::LATER_FRAGMENT, FRAGMENT_BYTES),
        };
        let Begun { sequence, left } = *begun.get_or_insert_with(|| {
            self.last_sequence += 1;
            let later = body.bytes.size().saturating_sub(first_bytes);
            Begun {
                sequence: self.last_sequence,
                left: 1 + later.div_ceil(FRAGMENT_BYTES) as u64,
            }
        });
        let mut packet: Header = SmallVec::from_slice(&[0; 4]);
        packet.extend_from_slice(&[header::VERSION, kind]);
        packet.extend_from_slice(&sequence.to_be_bytes());
        packet.extend_from_slice(&left.to_be_bytes());
        if kind == header::FIRST_FRAGMENT {
            let cache = self.cache.as_mut().expect("fragments need the cache");
            cache.write(&mut packet, &body.atoms);
        }
        let bytes = bytes.min(body.bytes.size());
        self.begin_packet(packet, bytes);
        self.fragment_bytes = self.fragment_bytes.saturating_add(bytes);
        body.bytes.move_bytes(&mut self.wire, bytes);
        *begun = (left > 1).then_some(Begun {
            sequence,
            left: left - 1,
        });
        left == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(bytes: usize) -> Body {
        let mut body = Body::default();
        body.bytes.push_bytes(&vec![0; bytes]);
        body
    }

    /// A sender of a large message waits for its last fragment, and one of a small message only for that, which goes
    /// between.
    #[test]
    fn senders_go_on_when_nothing_of_their_own_waits() {
        let [large, small] = [Term::small(1), Term::small(2)];
        let mut output = Output::new(true, true);
        output.put_in_lane(large, body(10 * FRAGMENT_BYTES));
        output.wait(large);
        output.put(&[], &[0; 10]);
        output.wait(small);
        assert!(output.relieved(false).is_empty());

        let mut queue = ByteQueue::default();
        output.take(&mut queue, 1, 1);
        assert_eq!(output.relieved(false), [small]);
        while !output.is_empty() {
            assert!(output.relieved(false).is_empty());
            let enough = queue.size() + FRAGMENT_BYTES;
            output.take(&mut queue, enough, enough);
        }
        assert_eq!(output.relieved(false), [large]);
        assert!(output.relieved(true).is_empty());
    }

    /// However many large messages wait, few of them have begun.
    #[test]
    fn few_large_messages_are_on_their_way() {
        let mut output = Output::new(true, true);
        let senders = 5 * MOST_TURNS;
        for sender in 0..senders {
            output.put_in_lane(Term::small(sender as i64), body(3 * FRAGMENT_BYTES));
        }
        let (mut queue, mut most_begun) = (ByteQueue::default(), 0);
        while !output.is_empty() {
            let enough = queue.size() + 1;
            output.take(&mut queue, enough, enough);
            let begun = output.lanes.iter().filter(|lane| lane.begun.is_some());
            most_begun = most_begun.max(begun.count());
        }
        assert_eq!(most_begun, MOST_TURNS);
    }

    #[test]
    fn all_go_on_when_little_waits() {
        let [first, second] = [Term::small(1), Term::small(2)];
        let mut output = Output::new(true, true);
        output.put_in_lane(first, body(2 * FRAGMENT_BYTES));
        output.wait(first);
        output.put(&[], &[0; 10]);
        output.wait(second);
        assert_eq!(output.relieved(true), [second, first]);
        assert!(output.relieved(true).is_empty());
    }
}
