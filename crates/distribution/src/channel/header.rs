//! What stands before the terms of a packet: the references to the *atom cache* and the number of a fragment.
//!
//! Atoms of a message are sent as a number of one byte: their place among those that the header lists. The header names
//! each by its place in a cache of 2,048 atoms that both ends keep alike, or with its text if it is new there. So the
//! caches are changed in the order in which headers are put on the wire.
//!
//! ```text
//! 131 68 N flags refs                         a whole message; control term and message follow
//! 131 69 sequence(8) fragment(8) N flags refs  the first fragment, numbered downwards: the last one is 1
//! 131 70 sequence(8) fragment(8)               a later fragment
//! 112                                          without cache: each term begins with 131
//! ```

use std::cell::RefCell;

use layout::Term;
use smallvec::SmallVec;
use term::atom::{self, CACHE_PLACES};

pub(crate) const VERSION: u8 = 131;
pub(crate) const WHOLE: u8 = 68;
pub(crate) const FIRST_FRAGMENT: u8 = 69;
pub(crate) const LATER_FRAGMENT: u8 = 70;
pub(crate) const PASS_THROUGH: u8 = 112;

/// Maximum number of atoms that one header lists.
const MOST_LISTED: usize = 255;
const NEW_ENTRY: u8 = 8;
const LONG_ATOMS: u8 = 1;

/// The atoms of one message, in the order in which they were found.
pub(crate) type AtomList = SmallVec<[Term; 16]>;

/// Collects the atoms of a message while it is encoded.
pub(crate) struct Collector(RefCell<Collected>);

struct Collected {
    atoms: AtomList,
    /// The number of an atom in the list, plus 1, by the atom's hash.
    numbers: [u8; 256],
}

impl Collector {
    pub(crate) fn new() -> Collector {
        Collector(RefCell::new(Collected {
            atoms: AtomList::new(),
            numbers: [0; 256],
        }))
    }

    /// The number of an atom in the list; `None` if it must be spelled out.
    pub(crate) fn number(&self, atom: Term) -> Option<u8> {
        let Collected { atoms, numbers } = &mut *self.0.borrow_mut();
        let index = atom.as_atom().expect("an atom");
        let slot = &mut numbers[(index ^ index >> 8) as u8 as usize];
        if *slot != 0 {
            return (atoms[usize::from(*slot) - 1] == atom).then(|| *slot - 1);
        }
        if atoms.len() == MOST_LISTED {
            return None;
        }
        atoms.push(atom);
        *slot = atoms.len() as u8;
        Some(*slot - 1)
    }

    pub(crate) fn list(&self) -> AtomList {
        self.0.borrow().atoms.clone()
    }
}

/// The places of a cache are made as many at a time as they are needed: most connections are about few atoms.
const BLOCK: usize = 64;
/// A place without an atom.
const EMPTY: u32 = u32::MAX;

/// The cache of one direction: the index of the atom at each place.
pub(crate) struct AtomCache([Option<Box<[u32; BLOCK]>>; CACHE_PLACES / BLOCK]);

impl AtomCache {
    pub(crate) fn new() -> AtomCache {
        AtomCache([const { None }; CACHE_PLACES / BLOCK])
    }

    fn at(&self, place: usize) -> Option<Term> {
        let index = self.0[place / BLOCK].as_ref()?[place % BLOCK];
        (index != EMPTY).then(|| Term::atom(index))
    }

    fn put(&mut self, place: usize, name: Term) {
        let block = self.0[place / BLOCK].get_or_insert_with(|| Box::new([EMPTY; BLOCK]));
        block[place % BLOCK] = name.as_atom().expect("an atom");
    }

    /// Writes how many atoms there are and which, and puts those that are new into the cache.
    pub(crate) fn write(&mut self, header: &mut SmallVec<[u8; 64]>, atoms: &[Term]) {
        header.push(atoms.len() as u8);
        if atoms.is_empty() {
            return;
        }
        let flags_at = header.len();
        header.resize(flags_at + atoms.len() / 2 + 1, 0);
        let is_long = atoms
            .iter()
            .any(|&name| atom::text(name).len() > usize::from(u8::MAX));
        let set_flags = |header: &mut SmallVec<[u8; 64]>, number: usize, flags: u8| {
            header[flags_at + number / 2] |= flags << (number % 2 * 4);
        };
        for (number, &name) in atoms.iter().enumerate() {
            let place = atom::cache_place(name);
            let segment = (place >> 8) as u8;
            header.push(place as u8);
            if self.at(place) == Some(name) {
                set_flags(header, number, segment);
                continue;
            }
            self.put(place, name);
            set_flags(header, number, segment | NEW_ENTRY);
            let text = atom::text(name);
            let length = (text.len() as u16).to_be_bytes();
            header.extend_from_slice(if is_long { &length } else { &length[1..] });
            header.extend_from_slice(text.as_bytes());
        }
        if is_long {
            set_flags(header, atoms.len(), LONG_ATOMS);
        }
    }

    /// Reads what [`AtomCache::write`] has written; `None` if it is damaged.
    pub(crate) fn read(&mut self, bytes: &mut Bytes<'_>) -> Option<AtomList> {
        let count = usize::from(bytes.u8()?);
        let mut atoms = AtomList::new();
        if count == 0 {
            return Some(atoms);
        }
        let flags = bytes.take(count / 2 + 1)?;
        let flags_of = |number: usize| flags[number / 2] >> (number % 2 * 4) & 15;
        let is_long = flags_of(count) & LONG_ATOMS != 0;
        for number in 0..count {
            let flags = flags_of(number);
            let place = usize::from(flags & 7) << 8 | usize::from(bytes.u8()?);
            if flags & NEW_ENTRY != 0 {
                let length = match is_long {
                    true => usize::from(bytes.u16()?),
                    false => usize::from(bytes.u8()?),
                };
                self.put(place, atom::intern(bytes.take(length)?).ok()?);
            }
            atoms.push(self.at(place)?);
        }
        Some(atoms)
    }
}

/// A cursor over the bytes of a packet.
pub(crate) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn u16(&mut self) -> Option<u16> {
        let bytes = self.take(2)?;
        Some(u16::from_be_bytes(bytes.try_into().expect("two bytes")))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        let bytes = self.take(8)?;
        Some(u64::from_be_bytes(bytes.try_into().expect("eight bytes")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_caches_stay_alike() {
        let (mut sender, mut receiver) = (AtomCache::new(), AtomCache::new());
        let mut random = fastrand::Rng::with_seed(3);
        let names: Vec<Term> = (0..5000)
            .map(|number| {
                let long = "é".repeat(if number % 50 == 0 { 200 } else { 3 });
                atom::intern_str(&format!("{number}{long}")).expect("room for atoms")
            })
            .collect();
        for round in 0..3000 {
            let collector = Collector::new();
            let span = [3, 300, 5000][round % 3];
            let mut expected = Vec::new();
            for _ in 0..random.usize(0..300) {
                let name = names[random.usize(0..span)];
                if let Some(number) = collector.number(name) {
                    expected.push((number, name));
                }
            }
            let atoms = collector.list();
            assert!(atoms.len() <= MOST_LISTED);
            let mut header = SmallVec::new();
            sender.write(&mut header, &atoms);
            header.extend_from_slice(b"rest");
            let mut bytes = Bytes(&header);
            let read = receiver.read(&mut bytes).expect("a sound header");
            assert_eq!(bytes.0, b"rest");
            assert_eq!(read, atoms);
            for (number, name) in expected {
                assert_eq!(read[usize::from(number)], name);
            }
        }
    }

    #[test]
    fn damaged_headers_are_refused() {
        let name = atom::intern_str("some_atom").expect("room for atoms");
        let mut header = SmallVec::new();
        AtomCache::new().write(&mut header, &[name, term::am::OK]);
        for length in 0..header.len() {
            let mut bytes = Bytes(&header[..length]);
            assert!(AtomCache::new().read(&mut bytes).is_none(), "{length}");
        }
        // An entry that was never sent.
        let mut bytes = Bytes(&[1, 0, 17]);
        assert!(AtomCache::new().read(&mut bytes).is_none());
        let mut bytes = Bytes(&[1, NEW_ENTRY, 17, 2, 0xc3, 0x28]);
        assert!(AtomCache::new().read(&mut bytes).is_none());
    }
}
