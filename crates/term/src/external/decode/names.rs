//! Decoding atoms, the identifiers that a node gives out, and functions.

use layout::limits::PID_INDEX_BITS;
use layout::{ObjectKind, Term};

use super::super::{FunIdentity, tags};
use super::{DecodeError, Fault, Read, Reading, Shape};
use crate::atom::{self, AtomError};
use crate::fun::{self, Found};
use crate::heap::Allocate;
use crate::node::{self, Node};
use crate::{build, reference};

impl<A: Allocate + ?Sized> Reading<'_, A> {
    /// An atom, tag first.
    pub(super) fn atom(&mut self) -> Result<Term, DecodeError> {
        let tag = self.input.u8()?;
        self.atom_of(tag)
    }

    pub(super) fn atom_of(&mut self, tag: u8) -> Result<Term, DecodeError> {
        let length = match tag {
            tags::ATOM | tags::ATOM_UTF8 => usize::from(self.input.u16()?),
            tags::SMALL_ATOM | tags::SMALL_ATOM_UTF8 => usize::from(self.input.u8()?),
            tags::ATOM_CACHE_REFERENCE => {
                let index = usize::from(self.input.u8()?);
                return match self.options.atoms.get(index) {
                    Some(atom) => Ok(*atom),
                    None => self.input.fail(Fault::Atom),
                };
            }
            _ => return self.input.fail(Fault::UnknownTag(tag)),
        };
        let bytes = self.input.take(length)?;
        let made = if matches!(tag, tags::ATOM_UTF8 | tags::SMALL_ATOM_UTF8) {
            let Ok(text) = std::str::from_utf8(bytes) else {
                return self.input.fail(Fault::Atom);
            };
            self.intern(text)
        } else if bytes.is_ascii() {
            self.intern(std::str::from_utf8(bytes).expect("ASCII"))
        } else {
            let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
            self.intern(&text)
        };
        made.or_else(|fault| self.input.fail(fault))
    }

    fn intern(&mut self, text: &str) -> Result<Term, Fault> {
        if self.options.safe {
            return atom::lookup(text).ok_or(Fault::Unsafe);
        }
        atom::intern_str(text).map_err(|error| match error {
            AtomError::TooLong | AtomError::NotUtf8 => Fault::Atom,
            AtomError::Limit => Fault::AtomLimit,
        })
    }

    /// A creation of one byte or of four.
    fn creation(&mut self, tiny: bool) -> Result<u32, DecodeError> {
        if !tiny {
            return self.input.u32();
        }
        match self.input.u8()? {
            creation if creation <= tags::MAX_TINY_CREATION => Ok(u32::from(creation)),
            _ => self.input.fail(Fault::Identifier),
        }
    }

    pub(super) fn pid(&mut self, tag: u8) -> Result<Term, DecodeError> {
        let name = self.atom()?;
        let (index, serial) = (self.input.u32()?, self.input.u32()?);
        let creation = self.creation(tag == tags::PID)?;
        if !is_this_node(name, creation) {
            let id = u64::from(index) | u64::from(serial) << 32;
            let node = node::heard_of(name, creation);
            return Ok(self.external(ObjectKind::ExternalPid, node, &[id]));
        }
        if index >> PID_INDEX_BITS != 0 {
            return self.input.fail(Fault::Identifier);
        }
        Ok(Term::local_pid(index, serial))
    }

    pub(super) fn port(&mut self, tag: u8) -> Result<Term, DecodeError> {
        let name = self.atom()?;
        let id = if tag == tags::V4_PORT {
            self.input.u64()?
        } else {
            u64::from(self.input.u32()?)
        };
        let creation = self.creation(tag == tags::PORT)?;
        if !is_this_node(name, creation) {
            let node = node::heard_of(name, creation);
            return Ok(self.external(ObjectKind::ExternalPort, node, &[id]));
        }
        match u32::try_from(id >> PID_INDEX_BITS) {
            Ok(serial) => Ok(Term::local_port(
                (id & ((1 << PID_INDEX_BITS) - 1)) as u32,
                serial,
            )),
            Err(_) => self.input.fail(Fault::Identifier),
        }
    }

    pub(super) fn reference(&mut self, tag: u8) -> Result<Term, DecodeError> {
        let count = match tag {
            tags::REFERENCE => 1,
            _ => usize::from(self.input.u16()?),
        };
        if count == 0 || count > tags::MAX_REFERENCE_WORDS {
            return self.input.fail(Fault::Identifier);
        }
        let name = self.atom()?;
        let mut words = [0u32; tags::MAX_REFERENCE_WORDS + 1];
        // The oldest tag has its creation last.
        let creation = if tag == tags::REFERENCE {
            words[0] = self.input.u32()?;
            self.creation(true)?
        } else {
            let creation = self.creation(tag == tags::NEW_REFERENCE)?;
            for word in &mut words[..count] {
                *word = self.input.u32()?;
            }
            creation
        };
        let this_node = is_this_node(name, creation);
        let wide = words[0] >> tags::REFERENCE_WORD_BITS != 0;
        if wide && (this_node || tag != tags::NEWER_REFERENCE) {
            return self.input.fail(Fault::Identifier);
        }
        if this_node {
            return self.own_reference(&words, count);
        }
        let mut object = [count as u64, 0, 0, 0];
        for (pair, word) in words.chunks_exact(2).zip(&mut object[1..]) {
            *word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        }
        let node = node::heard_of(name, creation);
        Ok(self.external(
            ObjectKind::ExternalReference,
            node,
            &object[..1 + count.div_ceil(2)],
        ))
    }

    /// A reference of this node; words past `count` are 0.
    fn own_reference(&mut self, words: &[u32], count: usize) -> Result<Term, DecodeError> {
        let (low, high) = reference::from_words([words[0], words[1], words[2]]);
        if count == tags::MAX_REFERENCE_WORDS {
            let (index, serial) = (words[3], words[4]);
            if high != 0 || index >> PID_INDEX_BITS != 0 {
                return self.input.fail(Fault::Identifier);
            }
            let pid = Term::local_pid(index, serial);
            return Ok(reference::with_pid(self.heap, low, pid));
        }
        if count > 3 {
            return self.input.fail(Fault::Identifier);
        }
        if let Some(block) = self.resolver.magic(low, high) {
            // SAFETY: the resolver hands over one count of the block.
            return Ok(unsafe { build::magic_reference(self.heap, low, high, block) });
        }
        Ok(reference::with_number(self.heap, low, high))
    }

    fn external(&mut self, kind: ObjectKind, node: Node, words: &[u64]) -> Term {
        let mut object = [0u64; 5];
        object[0] = node.word();
        object[1..=words.len()].copy_from_slice(words);
        build::object(self.heap, kind, &object[..=words.len()])
    }

    /// Reads a number that the format encodes as a term.
    fn number(&mut self) -> Result<u32, DecodeError> {
        match self.input.u8()? {
            tags::SMALL_INTEGER => Ok(u32::from(self.input.u8()?)),
            // A stock node writes numbers above 2^31 as big integers; see below.
            tags::INTEGER => self.input.u32(),
            tags::SMALL_BIG => {
                let size = usize::from(self.input.u8()?);
                let sign = self.input.u8()?;
                let mut value = [0; 4];
                match self.input.take(size)? {
                    bytes if sign == 0 && size <= 4 => value[..size].copy_from_slice(bytes),
                    _ => return self.input.fail(Fault::Fun),
                }
                Ok(u32::from_le_bytes(value))
            }
            _ => self.input.fail(Fault::Fun),
        }
    }

    pub(super) fn export(&mut self) -> Result<Term, DecodeError> {
        let (module, function) = (self.atom()?, self.atom()?);
        let arity = self.number()?;
        if i32::try_from(arity).is_err() {
            return self.input.fail(Fault::Fun);
        }
        let create = !self.options.safe;
        match self.resolver.export(module, function, arity, create) {
            Some(entry) => Ok(build::export(self.heap, entry)),
            None => self.input.fail(Fault::Unsafe),
        }
    }

    pub(super) fn fun(&mut self) -> Result<Read, DecodeError> {
        // The size field of a fun is not used: it is known to be wrong sometimes.
        self.input.u32()?;
        let arity = u32::from(self.input.u8()?);
        let unique = self.input.unique()?;
        let index = self.input.u32()?;
        let free = self.input.u32()?;
        if free > tags::MAX_FREE_VARIABLES {
            return self.input.fail(Fault::Fun);
        }
        let module = self.atom()?;
        let (old_index, old_unique) = (self.number()?, self.number()?);
        let creator = match self.input.u8()? {
            tag @ (tags::PID | tags::NEW_PID) => self.pid(tag)?,
            _ => return self.input.fail(Fault::Fun),
        };
        let identity = FunIdentity {
            module,
            unique,
            index,
            old_index,
            old_unique,
            arity,
            free,
        };
        let Some(Found { entry, keeper }) = self.resolver.fun_entry(&identity) else {
            return self.input.fail(Fault::Fun);
        };
        let creator = match keeper {
            // SAFETY: the resolver hands over one count of the keeper.
            Some(keeper) => unsafe { fun::with_keeper(self.heap, creator, keeper) },
            None => creator,
        };
        if free == 0 {
            // SAFETY: `creator` keeps the entry if that does not live for ever.
            let fun = unsafe { build::fun(self.heap, entry, creator, &[]) };
            return Ok(Read::Term(fun));
        }
        Ok(Read::Parts(free as usize, Shape::Fun { entry, creator }))
    }
}

/// Whether a name and creation are those of this node at present.
fn is_this_node(name: Term, creation: u32) -> bool {
    name == node::own_name() && creation == node::own_creation()
}
