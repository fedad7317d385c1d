//! Encoding atoms, the identifiers that a node gives out, and functions.

use layout::kinds::{Closure, ExternalIdentifier, ExternalReference};
use layout::object::offset;
use layout::{ObjectKind, Term, no_gc};

use super::super::output::{Pen, ROOM};
use super::super::tags;
use super::pieces::{put_small, put_spelling, tagged};
use super::{EncodeOptions, Encoder, Parts, Rest, Task};
use crate::native_record::Definition;
use crate::off_heap::MagicBlock;
use crate::release::{self, Release};
use crate::{atom, fun, node, reference};

impl Encoder<'_> {
    /// Any atom.
    pub(super) fn atom(&mut self, atom: Term, options: &EncodeOptions) {
        if let Some(place) = options.atom_cache.and_then(|cache| cache(atom)) {
            self.output.extend(&[tags::ATOM_CACHE_REFERENCE, place]);
            return;
        }
        let spelling = atom.as_atom().and_then(atom::spelling);
        if let Some(spelling) = spelling.filter(|_| !options.utf8_atoms) {
            let bytes = spelling.chunks.as_flattened();
            self.output.extend(&bytes[..spelling.length]);
            return;
        }
        let text = atom::text(atom);
        if !options.utf8_atoms && self.latin1(text) {
            return;
        }
        if let Ok(length) = u8::try_from(text.len()) {
            self.output.extend(&[tags::SMALL_ATOM_UTF8, length]);
        } else {
            let [high, low] = (text.len() as u16).to_be_bytes();
            self.output.extend(&[tags::ATOM_UTF8, high, low]);
        }
        self.output.extend(text.as_bytes());
    }

    /// Writes an atom in Latin-1; writes nothing, and returns `false`, if it has other characters.
    fn latin1(&mut self, text: &str) -> bool {
        self.output.reserve(3 + text.len());
        let before = self.output.pen(usize::MAX);
        let (mut pen, mut count) = (before, 0u16);
        // SAFETY: there is room for the head and for as many bytes as the text has, which are not fewer than
        // characters.
        unsafe {
            pen.put([tags::ATOM, 0, 0]);
            let mut bytes = text.bytes();
            while let Some(first) = bytes.next() {
                let byte = match first {
                    0..=0x7f => first,
                    // The first of two bytes has the upper two bits of the character.
                    0xc2 | 0xc3 => first << 6 | bytes.next().unwrap_or_default() & 0x3f,
                    _ => return false,
                };
                pen.put([byte]);
                count += 1;
            }
        }
        self.output.put_back(pen);
        let [high, low] = count.to_be_bytes();
        let begin = self.output.offset_of(before);
        self.output.overwrite(begin, [tags::ATOM, high, low]);
        true
    }

    /// A local pid or port.
    pub(super) fn identifier(&mut self, term: Term, options: &EncodeOptions) {
        if term.is_local_pid() {
            self.pid(term, options);
        } else {
            self.port(term, options);
        }
    }

    /// An identifier, a function or a native record.
    pub(super) fn opaque(&mut self, term: Term, options: &EncodeOptions) -> Parts {
        match term.expect_boxed().kind() {
            ObjectKind::Reference | ObjectKind::ExternalReference => {
                MagicBlock::save(term);
                self.reference(term, options);
            }
            ObjectKind::ExternalPid => self.pid(term, options),
            ObjectKind::ExternalPort => self.port(term, options),
            ObjectKind::Fun => return self.fun(term, options),
            ObjectKind::Export => self.export(term, options),
            ObjectKind::NativeRecord => return self.native_record(term, options),
            _ => unreachable!("a match context is no term of the language"),
        }
        Parts::None
    }

    /// All but the values of a native record, which are returned.
    fn native_record(&mut self, record: Term, options: &EncodeOptions) -> Parts {
        let no_gc = no_gc!();
        let (definition, values) = record.as_native_record(no_gc).expect("a native record");
        let definition = Definition::of(definition, no_gc);
        // A header's arity has 32 bits.
        self.output
            .extend(&tagged(tags::NATIVE_RECORD, values.len() as u32));
        self.output.push(match definition.is_exported {
            true => tags::EXPORTED_RECORD,
            false => 0,
        });
        self.atom(definition.module, options);
        self.atom(definition.name, options);
        for &field in definition.fields {
            self.atom(field, options);
        }
        Parts::Rest(Rest::row(values.as_ptr().cast(), values.len()))
    }

    /// Writes some bytes and an atom; returns a pen with which [`ROOM`] more can be written.
    fn named<const N: usize>(&mut self, head: [u8; N], atom: Term, options: &EncodeOptions) -> Pen {
        self.output.extend(&head);
        self.output.reserve(ROOM);
        let mut pen = self.output.pen(usize::MAX);
        match atom.as_atom().and_then(atom::spelling) {
            Some(spelling) if spelling.length <= ROOM && options.has_plain_atoms() => {
                // SAFETY: there is room for that, and for as much after it.
                unsafe { put_spelling(&mut pen, spelling) };
                pen
            }
            _ => {
                self.atom(atom, options);
                self.output.reserve(ROOM);
                self.output.pen(usize::MAX)
            }
        }
    }

    /// Writes some bytes and the name of the node that an identifier belongs to; returns a pen as [`Encoder::named`]
    /// does, and the node's creation.
    fn of_node<const N: usize>(
        &mut self,
        head: [u8; N],
        identifier: Term,
        options: &EncodeOptions,
    ) -> (Pen, u32) {
        match node_of(identifier, options) {
            Some((name, creation)) => (self.named(head, name, options), creation),
            None => {
                self.output.extend(&head);
                self.output.push(tags::NIL);
                self.output.reserve(ROOM);
                (self.output.pen(usize::MAX), 0)
            }
        }
    }

    fn pid(&mut self, pid: Term, options: &EncodeOptions) {
        let (index, serial) = if pid.is_local_pid() {
            (pid.identifier_index(), pid.identifier_serial())
        } else {
            let id = ExternalIdentifier::expect(pid).id();
            (id as u32, (id >> 32) as u32)
        };
        let (mut pen, creation) = self.of_node([tags::NEW_PID], pid, options);
        // SAFETY: 12 bytes of the room.
        unsafe {
            pen.put(index.to_be_bytes());
            pen.put(serial.to_be_bytes());
            pen.put(creation.to_be_bytes());
        }
        self.output.put_back(pen);
    }

    fn port(&mut self, port: Term, options: &EncodeOptions) {
        let number = port_number(port);
        let narrow = is_narrow_port(number);
        let tag = if narrow {
            tags::NEW_PORT
        } else {
            tags::V4_PORT
        };
        let (mut pen, creation) = self.of_node([tag], port, options);
        // SAFETY: at most 12 bytes of the room.
        unsafe {
            match narrow {
                true => pen.put((number as u32).to_be_bytes()),
                false => pen.put(number.to_be_bytes()),
            }
            pen.put(creation.to_be_bytes());
        }
        self.output.put_back(pen);
    }

    fn reference(&mut self, term: Term, options: &EncodeOptions) {
        let (words, count) = reference_words(term);
        let head = [tags::NEWER_REFERENCE, 0, count as u8];
        let (mut pen, creation) = self.of_node(head, term, options);
        // SAFETY: at most 24 bytes of the room.
        unsafe {
            pen.put(creation.to_be_bytes());
            for word in &words[..count] {
                pen.put(word.to_be_bytes());
            }
        }
        self.output.put_back(pen);
    }

    /// All of a fun but its free variables.
    fn fun(&mut self, fun: Term, options: &EncodeOptions) -> Parts {
        let entry = fun::entry(fun);
        let free = Closure::expect(fun).free_count();
        self.output.push(tags::NEW_FUN);
        let size = Task::FunSize {
            at: self.output.len(),
            apart: self.apart_bytes,
        };
        self.output.extend(&[0, 0, 0, 0, entry.arity as u8]);
        self.output.extend(&entry.unique);
        self.output.extend(&entry.index.to_be_bytes());
        let mut pen = self.named((free as u32).to_be_bytes(), entry.module, options);
        // SAFETY: two integers of the room.
        unsafe {
            put_small(&mut pen, i64::from(entry.old_index));
            put_small(&mut pen, i64::from(entry.old_unique));
        }
        self.output.put_back(pen);
        self.pid(fun::creator(fun), options);
        Parts::Kept(Rest::row(fun.word_pointer(offset::FUN_FREE), free), size)
    }

    fn export(&mut self, fun: Term, options: &EncodeOptions) {
        let entry = fun::export_entry(fun);
        let pen = self.named([tags::EXPORT], entry.module, options);
        self.output.put_back(pen);
        let mut pen = self.named([], entry.function, options);
        // SAFETY: an integer of the room.
        unsafe { put_small(&mut pen, i64::from(entry.arity)) };
        self.output.put_back(pen);
    }
}

/// Name and creation of the node that an identifier belongs to, as they are written; `None` if nothing is.
pub(crate) fn node_of(identifier: Term, options: &EncodeOptions) -> Option<(Term, u32)> {
    match identifier.boxed_kind() {
        Some(
            ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::ExternalReference,
        ) => {
            let node = node::of(identifier);
            Some((node.name, node.creation))
        }
        _ if options.local => None,
        _ => Some((node::own_name(), node::own_creation())),
    }
}

/// The number of a port, as the external format and printing show it.
#[must_use]
pub fn port_number(port: Term) -> u64 {
    if port.is_local_port() {
        let serial = u64::from(port.identifier_serial());
        u64::from(port.identifier_index()) | serial << layout::limits::PID_INDEX_BITS
    } else {
        ExternalIdentifier::expect(port).id()
    }
}

/// Whether a port is written with four bytes for its number. From OTP 27 on all have eight.
pub(in super::super) fn is_narrow_port(number: u64) -> bool {
    number <= tags::MAX_NEW_PORT && !release::has(Release::OTP_27)
}

/// The words of a reference, and how many there are.
#[must_use]
pub fn reference_words(term: Term) -> ([u32; tags::MAX_REFERENCE_WORDS + 1], usize) {
    let mut words = [0; tags::MAX_REFERENCE_WORDS + 1];
    if let Some((own, count)) = reference::words(term) {
        words[..own.len()].copy_from_slice(&own);
        return (words, count);
    }
    let reference = ExternalReference::expect(term);
    let count = reference.count() as usize;
    for (index, word) in words[..count].iter_mut().enumerate() {
        let both = reference.word(offset::EXTERNAL_REFERENCE_WORDS + index / 2);
        *word = (both >> (index % 2 * 32)) as u32;
    }
    (words, count)
}

/// Length of a text in Latin-1, if all its characters are in Latin-1.
pub(crate) fn latin1_length(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return Some(text.len());
    }
    text.chars()
        .all(|c| u32::from(c) < 256)
        .then(|| text.chars().count())
}
