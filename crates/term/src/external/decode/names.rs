//! Decoding atoms, the identifiers that a node gives out, and functions.

use layout::limits::PID_INDEX_BITS;
use layout::object::offset;
use layout::{ObjectKind, Term};
use smallvec::SmallVec;

use super::super::tags;
use super::{DecodeError, End, Fault, Reading, Row, fail_at, seen};
use crate::atom::{self, AtomError};
use crate::fun::{self, Found, FunIdentity};
use crate::native_record::{self, Definition};
use crate::node::{self, Node};
use crate::{build, reference};

impl Reading<'_> {
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
        let text = self.input.take(length)?;
        if !matches!(tag, tags::ATOM_UTF8 | tags::SMALL_ATOM_UTF8) {
            return self.latin1_atom(self.input.position(), text);
        }
        let place = seen::place_of(text);
        if let Some(atom) = place.as_ref().and_then(seen::Place::atom) {
            return Ok(atom);
        }
        match std::str::from_utf8(text) {
            Ok(text) => self.intern(self.input.position(), text, place),
            Err(_) => self.input.fail(Fault::Atom),
        }
    }

    /// The atom of a text in Latin-1 that ends at `position`.
    #[inline]
    pub(super) fn latin1_atom(&self, position: usize, text: &[u8]) -> Result<Term, DecodeError> {
        let place = seen::place_of(text);
        if let Some(atom) = place.as_ref().and_then(seen::Place::atom) {
            return Ok(atom);
        }
        self.new_latin1_atom(position, text, place)
    }

    #[inline(never)]
    fn new_latin1_atom(
        &self,
        position: usize,
        text: &[u8],
        place: Option<seen::Place>,
    ) -> Result<Term, DecodeError> {
        if let Some(text) = text.is_ascii().then(|| str::from_utf8(text).ok()).flatten() {
            return self.intern(position, text, place);
        }
        // Its form in UTF-8.
        let mut wide: SmallVec<[u8; 64]> = SmallVec::new();
        for &byte in text {
            match byte {
                0..=0x7f => wide.push(byte),
                _ => wide.extend_from_slice(&[0xc0 | byte >> 6, 0x80 | byte & 0x3f]),
            }
        }
        let text = str::from_utf8(&wide).expect("characters of two bytes at most");
        self.intern(position, text, None)
    }

    fn intern(
        &self,
        position: usize,
        text: &str,
        place: Option<seen::Place>,
    ) -> Result<Term, DecodeError> {
        let made = if self.options.safe {
            atom::lookup(text).ok_or(Fault::Unsafe)
        } else {
            atom::intern_str(text).map_err(|error| match error {
                AtomError::TooLong | AtomError::NotUtf8 => Fault::Atom,
                AtomError::Limit => Fault::AtomLimit,
            })
        };
        let atom = made.or_else(|fault| fail_at(position, fault))?;
        if let Some(place) = place {
            place.note(atom);
        }
        Ok(atom)
    }

    /// All but the values of a native record, and the places of these.
    #[inline(never)]
    pub(super) fn native_record(&mut self) -> Result<(Term, Row), DecodeError> {
        let count = self.input.length()?;
        let flags = self.input.u8()?;
        if flags & !tags::EXPORTED_RECORD != 0 {
            return self.input.fail(Fault::NativeRecord);
        }
        let (module, name) = (self.atom()?, self.atom()?);
        // Each field has a name of two bytes at least, and a value.
        if count > self.input.remaining() / 3 {
            return self.input.fail(Fault::Truncated);
        }
        let mut fields: SmallVec<[Term; 16]> = SmallVec::with_capacity(count);
        for _ in 0..count {
            fields.push(self.atom()?);
        }
        if native_record::has_duplicates(&fields) {
            return self.input.fail(Fault::NativeRecord);
        }
        let definition = Definition {
            module,
            name,
            is_exported: flags == tags::EXPORTED_RECORD,
            fields: &fields,
        };
        let definition = definition.build(&mut self.room);
        let (record, first) = native_record::build_uninit(&mut self.room, definition, count);
        Ok((record, Row::of(first, count, End::Complete)))
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

    /// The name of an identifier's node; `None` if it is this node, whatever its name is now.
    fn node_name(&mut self) -> Result<Option<Term>, DecodeError> {
        if self.is_marked && self.input.rest().first() == Some(&tags::NIL) {
            self.input.skip(1);
            return Ok(None);
        }
        self.atom().map(Some)
    }

    pub(super) fn pid(&mut self, tag: u8) -> Result<Term, DecodeError> {
        let name = self.node_name()?;
        let (index, serial) = (self.input.u32()?, self.input.u32()?);
        let creation = self.creation(tag == tags::PID)?;
        if let Some(node) = other_node(name, creation) {
            let id = u64::from(index) | u64::from(serial) << 32;
            return Ok(self.external(ObjectKind::ExternalPid, node, &[id]));
        }
        if index >> PID_INDEX_BITS != 0 {
            return self.input.fail(Fault::Identifier);
        }
        Ok(Term::local_pid(index, serial))
    }

    pub(super) fn port(&mut self, tag: u8) -> Result<Term, DecodeError> {
        let name = self.node_name()?;
        let id = if tag == tags::V4_PORT {
            self.input.u64()?
        } else {
            u64::from(self.input.u32()?)
        };
        let creation = self.creation(tag == tags::PORT)?;
        if let Some(node) = other_node(name, creation) {
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
        let name = self.node_name()?;
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
        let other = other_node(name, creation);
        let wide = words[0] >> tags::REFERENCE_WORD_BITS != 0;
        if wide && (other.is_none() || tag != tags::NEWER_REFERENCE) {
            return self.input.fail(Fault::Identifier);
        }
        let Some(node) = other else {
            return self.own_reference(&words[..count]);
        };
        let mut object = [count as u64, 0, 0, 0];
        for (pair, word) in words.chunks_exact(2).zip(&mut object[1..]) {
            *word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        }
        Ok(self.external(
            ObjectKind::ExternalReference,
            node,
            &object[..1 + count.div_ceil(2)],
        ))
    }

    fn own_reference(&mut self, words: &[u32]) -> Result<Term, DecodeError> {
        let resolver = &mut *self.resolver;
        let magic = |low, high| resolver.magic(low, high);
        // SAFETY: the resolver hands over one count of the block.
        let made = unsafe { reference::of_words(&mut self.room, words, magic) };
        made.map_or_else(|| self.input.fail(Fault::Identifier), Ok)
    }

    fn external(&mut self, kind: ObjectKind, node: Node, words: &[u64]) -> Term {
        let mut object = [0u64; 5];
        object[0] = node.word();
        object[1..=words.len()].copy_from_slice(words);
        build::object(&mut self.room, kind, &object[..=words.len()])
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
            Some(entry) => Ok(build::export(&mut self.room, entry)),
            None => self.input.fail(Fault::Unsafe),
        }
    }

    /// A fun, and the row of its free variables.
    pub(super) fn fun(&mut self) -> Result<(Term, Row), DecodeError> {
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
            Some(keeper) => unsafe { fun::with_keeper(&mut self.room, creator, keeper) },
            None => creator,
        };
        let free = free as usize;
        let variables = [Term::NIL; tags::MAX_FREE_VARIABLES as usize];
        // SAFETY: `creator` keeps the entry if that does not live for ever.
        let fun = unsafe { build::fun(&mut self.room, entry, creator, &variables[..free]) };
        let first = fun.word_pointer(offset::FUN_FREE).cast();
        Ok((fun, Row::of(first, free, End::Complete)))
    }
}

/// The node of a name and creation, unless they are those of this node at present.
fn other_node(name: Option<Term>, creation: u32) -> Option<Node> {
    let name = name?;
    let is_this = name == node::own_name() && creation == node::own_creation();
    (!is_this).then(|| node::heard_of(name, creation))
}
