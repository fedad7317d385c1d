//! The size of a term in external format: `erlang:external_size/2`.
//!
//! The result is the same as OTP's, which for funs is an upper bound. No recursion; any thread may call.

use layout::kinds::HeapBinary;
use layout::object::{MapShape, offset};
use layout::{ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use super::encode::{
    self, EncodeOptions, SystemLimit, big_bytes, latin1_length, node_of, string_length,
};
use super::tags;
use crate::native_record::Definition;
use crate::{atom, fun};

/// Bytes of the term in external format, including the version byte.
///
/// # Errors
/// [`SystemLimit`] if encoding would return it too.
pub fn size(term: Term, options: &EncodeOptions) -> Result<usize, SystemLimit> {
    let mut sizing = Sizing {
        options,
        bytes: 1,
        rest: SmallVec::new(),
    };
    sizing.term(term)?;
    while let Some(term) = sizing.rest.pop() {
        sizing.term(term)?;
    }
    Ok(sizing.bytes)
}

struct Sizing<'a> {
    options: &'a EncodeOptions<'a>,
    bytes: usize,
    rest: SmallVec<[Term; 32]>,
}

impl Sizing<'_> {
    fn term(&mut self, term: Term) -> Result<(), SystemLimit> {
        self.bytes += if let Some(value) = term.as_small() {
            small(value)
        } else if term.is_atom() {
            self.atom(term)
        } else if term.is_nil() {
            1
        } else if term.is_cons() {
            self.list(term)
        } else if term.is_local_pid() || term.is_local_port() {
            self.identifier(term)
        } else {
            self.boxed(term)?
        };
        Ok(())
    }

    /// Counts a part of a term: at once if it has no parts of its own and is of a common sort, so that long lists and
    /// tuples take no room in `rest` for these.
    #[inline]
    fn part(&mut self, part: Term) {
        if let Some(value) = part.as_small() {
            self.bytes += small(value);
        } else if part.is_atom() {
            self.bytes += self.atom(part);
        } else if part.is_nil() {
            self.bytes += 1;
        } else if let Some(binary) = HeapBinary::of(part) {
            self.bytes += 5 + binary.size() as usize;
        } else {
            self.rest.push(part);
        }
    }

    fn list(&mut self, list: Term) -> usize {
        if let Some(length) = string_length(list) {
            return 3 + length;
        }
        let mut rest = list;
        while let Some((head, tail)) = rest.as_cons() {
            self.part(head);
            rest = tail;
        }
        self.part(rest);
        5
    }

    fn boxed(&mut self, term: Term) -> Result<usize, SystemLimit> {
        Ok(match term.expect_boxed().kind() {
            ObjectKind::Tuple => {
                let no_gc = no_gc!();
                let elements = term.as_tuple(no_gc).expect("a tuple");
                elements.iter().for_each(|&element| self.part(element));
                if elements.len() < 256 { 2 } else { 5 }
            }
            ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
                let no_gc = no_gc!();
                let (_, limbs) = term.as_big(no_gc).expect("a big integer");
                big(big_bytes(limbs))
            }
            ObjectKind::Float if self.options.text_floats => 1 + tags::FLOAT_TEXT_BYTES,
            ObjectKind::Float => 9,
            ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary => {
                let bits = term.as_bits().expect("a bit string").bit_len();
                let bytes = bits.div_ceil(8);
                u32::try_from(bytes).map_err(|_| SystemLimit)?;
                5 + bytes as usize + usize::from(bits % 8 != 0)
            }
            ObjectKind::Map => self.map(term),
            ObjectKind::Reference
            | ObjectKind::ExternalReference
            | ObjectKind::ExternalPid
            | ObjectKind::ExternalPort => self.identifier(term),
            ObjectKind::Fun => self.fun(term),
            ObjectKind::NativeRecord => self.native_record(term),
            ObjectKind::Export => {
                let entry = fun::export_entry(term);
                1 + self.atom(entry.module)
                    + self.atom(entry.function)
                    + small(i64::from(entry.arity))
            }
            ObjectKind::MatchContext => unreachable!("a match context is no term of the language"),
        })
    }

    fn map(&mut self, map: Term) -> usize {
        let object = map.expect_boxed();
        let header = object.header();
        let (head, first) = match header.map_shape() {
            MapShape::Flat => {
                let keys = object.term_at(offset::FLAT_MAP_KEYS);
                for &key in keys.as_tuple(no_gc!()).unwrap_or(&[]) {
                    self.part(key);
                }
                (5, offset::FLAT_MAP_VALUES)
            }
            MapShape::HashRoot => (5, offset::HASH_ROOT_CHILDREN),
            MapShape::HashNode => (0, 0),
        };
        let leaves = header.map_shape() != MapShape::Flat;
        for part in object.terms_from(first) {
            match part.as_cons() {
                Some((key, value)) if leaves => {
                    self.part(key);
                    self.part(value);
                }
                _ => self.part(part),
            }
        }
        head
    }

    fn fun(&mut self, fun: Term) -> usize {
        let entry = fun::entry(fun);
        for part in fun.expect_boxed().terms_from(offset::FUN_FREE) {
            self.part(part);
        }
        // The two numbers after the module are always counted as long ones.
        let fixed = 30 + 2 * 5;
        fixed + self.atom(entry.module) + self.identifier(fun::creator(fun))
    }

    fn native_record(&mut self, record: Term) -> usize {
        let no_gc = no_gc!();
        let (definition, values) = record.as_native_record(no_gc).expect("a native record");
        values.iter().for_each(|&value| self.part(value));
        let definition = Definition::of(definition, no_gc);
        let names = [definition.module, definition.name];
        let names = names.iter().chain(definition.fields);
        6 + names.map(|name| self.atom(*name)).sum::<usize>()
    }

    fn identifier(&self, identifier: Term) -> usize {
        let name = match node_of(identifier, self.options) {
            Some((name, _)) => self.atom(name),
            None => 1,
        };
        if identifier.is_pid() {
            1 + name + 4 + 4 + 4
        } else if identifier.is_port() {
            let narrow = encode::is_narrow_port(encode::port_number(identifier));
            1 + name + if narrow { 4 } else { 8 } + 4
        } else {
            1 + 2 + name + 4 + 4 * encode::reference_words(identifier).1
        }
    }

    fn atom(&self, atom: Term) -> usize {
        if self
            .options
            .atom_cache
            .is_some_and(|cache| cache(atom).is_some())
        {
            return 2;
        }
        let spelling = atom.as_atom().and_then(atom::spelling);
        if let Some(spelling) = spelling.filter(|_| !self.options.utf8_atoms) {
            return spelling.length;
        }
        let text = atom::text(atom);
        match latin1_length(text).filter(|_| !self.options.utf8_atoms) {
            Some(length) => 3 + length,
            None if text.len() < 256 => 2 + text.len(),
            None => 3 + text.len(),
        }
    }
}

fn small(value: i64) -> usize {
    if u8::try_from(value).is_ok() {
        2
    } else if i32::try_from(value).is_ok() {
        5
    } else {
        big(big_bytes(&[value.unsigned_abs()]))
    }
}

fn big(bytes: usize) -> usize {
    if bytes < 256 { 3 + bytes } else { 6 + bytes }
}
