//! What waits to go to the other node: packets in the order of the wire, and the *lanes* of large messages.
//!
//! A message of more than [`FRAGMENT_BYTES`] goes out in fragments. It waits in a lane of its sender, and so does whatever the
//! same sender sends after it, since signals between two processes stay in order. Each lane in turn puts one fragment on the wire,
//! and what other processes send goes between them.
//!
//! Guarded by the channel's lock.

use std::collections::VecDeque;

use layout::Term;
use smallvec::SmallVec;
use term::byte_queue::ByteQueue;

use super::header::{self, AtomCache, AtomList};

/// The size of a fragment.
pub const FRAGMENT_BYTES: usize = 64 << 10;

/// An encoded control term, and the message if there is one.
#[derive(Default)]
pub struct Body {
    pub bytes: ByteQueue,
    pub atoms: AtomList,
    /// Bytes that the first fragment must have: those of the control term.
    pub control_bytes: usize,
}

/// See the module.
#[derive(Default)]
pub struct Output {
    wire: ByteQueue,
    /// The packets on the wire: how many bytes each has, with its length.
    packets: VecDeque<u32>,
    /// None if the other node wants no atom cache; then there are no fragments either.
    cache: Option<AtomCache>,
    fragments: bool,
    lanes: VecDeque<Lane>,
    lane_bytes: usize,
    last_sequence: u64,
}

/// What one process has sent and waits behind a large message.
struct Lane {
    sender: Term,
    bodies: VecDeque<Body>,
    /// The number of the fragments of the first body, and of those that are left, if it has begun.
    begun: Option<Begun>,
}

#[derive(Clone, Copy)]
struct Begun {
    sequence: u64,
    left: u64,
}

type Header = SmallVec<[u8; 64]>;

impl Output {
    pub fn new(has_cache: bool, fragments: bool) -> Output {
        Output {
            cache: has_cache.then(AtomCache::new),
            fragments: fragments && has_cache,
            ..Output::default()
        }
    }

    /// Bytes that wait.
    pub fn size(&self) -> usize {
        self.wire.size() + self.lane_bytes
    }

    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Whether messages of a process wait behind a large one.
    pub fn has_lane(&self, sender: Term) -> bool {
        self.lanes.iter().any(|lane| lane.sender == sender)
    }

    /// Whether so large a message goes out in fragments.
    pub fn divides(&self, bytes: usize) -> bool {
        self.fragments && bytes > FRAGMENT_BYTES
    }

    /// Puts a message that is not divided, of a process without a lane, on the wire.
    pub fn put(&mut self, atoms: &[Term], bytes: &[u8]) {
        self.begin_whole(atoms, bytes.len());
        self.wire.push_bytes(bytes);
    }

    /// As [`Output::put`].
    pub fn put_body(&mut self, body: &mut Body) {
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
    }

    /// Puts what precedes `size` bytes on the wire: the header, whose first four bytes are free, with the packet's length.
    fn begin_packet(&mut self, mut packet: Header, size: usize) {
        let length = (packet.len() - 4 + size) as u32;
        packet[..4].copy_from_slice(&length.to_be_bytes());
        self.wire.push_bytes(&packet);
        self.packets.push_back(4 + length);
    }

    /// Queues a message in its sender's lane.
    pub fn put_in_lane(&mut self, sender: Term, body: Body) {
        self.lane_bytes += body.bytes.size();
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.sender == sender) {
            return lane.bodies.push_back(body);
        }
        self.lanes.push_back(Lane {
            sender,
            bodies: VecDeque::from([body]),
            begun: None,
        });
    }

    /// Moves packets to the back of a queue until that has `enough` bytes or nothing is left; returns how many.
    pub fn take(&mut self, queue: &mut ByteQueue, enough: usize) -> usize {
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
    pub fn take_packet(&mut self) -> Option<ByteQueue> {
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
        if !lane.bodies.is_empty() {
            self.lanes.push_back(lane);
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
        body.bytes.move_bytes(&mut self.wire, bytes);
        *begun = (left > 1).then_some(Begun {
            sequence,
            left: left - 1,
        });
        left == 1
    }
}
