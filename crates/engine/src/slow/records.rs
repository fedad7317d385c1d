//! Native records: fields that may be missing, and records whose definition is looked up.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::object::offset;
use layout::{AbruptKind, Context, Term, no_gc};
use term::native_record::{self, Definition};
use term::{am, build};

use crate::encoding::{Encoding, GetRecordField, PutRecord};
use crate::form::Exit;
use crate::operand::read;
use crate::operation::slow_paths;
use crate::slow::bifs::collect_keeping;
use crate::slow::exceptions::{set_tagged_error, unwind_here};

/// What an operation says of a record by its name.
pub(crate) mod scope {
    /// Of the module that asks, by its name.
    pub(crate) const LOCAL: u64 = 0;
    /// Of any module, also that which asks; it must be exported.
    pub(crate) const EXTERNAL: u64 = 1;
    /// Nothing: any record.
    pub(crate) const ANY: u64 = 2;
}

slow_paths! {
    /// Several fields, of which one may replace the record.
    get_record_elements |m, o: GetRecordElements| {
        let record = m.get(o.record);
        let count = m.word(o.count) as usize;
        let words = m.words(o.end);
        let no_gc = no_gc!();
        let Some((definition, values)) = record.as_native_record(no_gc) else {
            return m.jump(o.fail);
        };
        let definition = Definition::of(definition, no_gc);
        for index in 0..count {
            let field = m.read(*words.add(2 * index));
            match definition.place(field) {
                Some(place) => m.write(*words.add(2 * index + 1), values[place]),
                None => return m.jump(o.fail),
            }
        }
        m.next_at(words.add(2 * count))
    }

    /// A field, or an error that says why there is none.
    get_record_field |m, o: GetRecordField| {
        m.save();
        let value = field(m.c, m.x, m.s, m.ip);
        m.load();
        if value.is_none() {
            if m.word(o.fail) != 0 {
                (*m.c).abrupt.kind = AbruptKind::None;
                return m.jump(o.fail);
            }
            return unwind_here(m);
        }
        m.put(o.dest, value);
        m.next(o.end)
    }

    put_record |m, o: PutRecord| {
        let count = m.word(o.count) as usize;
        m.save();
        let result = put(m.c, m.x, m.s, m.ip);
        m.load();
        if result.is_none() {
            if m.word(o.fail) != 0 {
                (*m.c).abrupt.kind = AbruptKind::None;
                return m.jump(o.fail);
            }
            return unwind_here(m);
        }
        let live = m.word(o.live);
        let result = collect_keeping(&mut m, result, live);
        if result.is_none() {
            return Exit::Exited;
        }
        m.put(o.dest, result);
        let end = m.words(o.end).add(2 * count);
        m.next_at(end)
    }
}

/// Raises `{tag, {{Module, Name}, Field}}`.
#[cold]
unsafe fn set_field_error(c: *mut Context, tag: Term, definition: &Definition, field: Term) {
    unsafe {
        let heap = &mut (*(*c).process).heap;
        let id = build::tuple(heap, &[definition.module, definition.name]);
        let place = build::tuple(heap, &[id, field]);
        set_tagged_error(c, tag, place);
    }
}

/// The field of a record, or none after raising `badrecord` or `badfield`.
#[inline(never)]
unsafe fn field(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        let (o, words) = (GetRecordField::OPERANDS, ip.add(1));
        let constant = |word: u64| Term::from_bits(word);
        let record = read(x, s, o.record.of(words));
        let no_gc = no_gc!();
        let found = record.as_native_record(no_gc);
        let found = found.map(|(definition, values)| (Definition::of(definition, no_gc), values));
        let module_and_name = (constant(o.module.of(words)), constant(o.name.of(words)));
        let found = found.filter(|(definition, _)| {
            let (module, name) = module_and_name;
            match o.scope.of(words) {
                // Stock takes a record of that name from any module.
                scope::LOCAL => definition.name == name,
                scope::EXTERNAL => definition.is_of(module, name) && definition.is_exported,
                _ => true,
            }
        });
        let Some((definition, values)) = found else {
            set_tagged_error(c, am::BADRECORD, record);
            return Term::NONE;
        };
        let field = constant(o.field.of(words));
        match definition.place(field) {
            Some(place) => values[place],
            None => {
                set_field_error(c, am::BADFIELD, &definition, field);
                Term::NONE
            }
        }
    }
}

/// A new or updated record, or none after raising `badrecord`, `badfield` or `novalue`.
#[inline(never)]
unsafe fn put(c: *mut Context, x: *mut Term, s: *mut Term, ip: *const u64) -> Term {
    unsafe {
        let (o, words) = (PutRecord::OPERANDS, ip.add(1));
        let constant = |word: u64| Term::from_bits(word);
        let source = read(x, s, o.record.of(words));
        let (scope, count) = (o.scope.of(words), o.count.of(words) as usize);
        let words_of_pairs = words.add(o.end.index());
        let no_gc = no_gc!();
        let before = if source.is_nil() {
            let (module, name) = (constant(o.module.of(words)), constant(o.name.of(words)));
            let found = ((*(*c).runtime).find_record)(module, name);
            let found = (!found.is_none())
                .then(|| found.as_native_record(no_gc))
                .flatten();
            let is_known = |definition: Term| {
                scope != scope::EXTERNAL || Definition::of(definition, no_gc).is_exported
            };
            let Some(before) = found.filter(|(definition, _)| is_known(*definition)) else {
                let id = build::tuple(&mut (*(*c).process).heap, &[module, name]);
                set_tagged_error(c, am::BADRECORD, id);
                return Term::NONE;
            };
            before
        } else if let Some(before) = source.as_native_record(no_gc) {
            before
        } else {
            set_tagged_error(c, am::BADRECORD, source);
            return Term::NONE;
        };
        let (tuple, values) = before;
        let definition = Definition::of(tuple, no_gc);
        let record = native_record::build(&mut (*(*c).process).heap, tuple, values);
        for index in 0..count {
            let field = constant(*words_of_pairs.add(2 * index));
            let value = read(x, s, *words_of_pairs.add(2 * index + 1));
            let Some(place) = definition.place(field) else {
                let fields = (0..count).map(|index| constant(*words_of_pairs.add(2 * index)));
                let missing = fields.filter(|field| definition.place(*field).is_none());
                // If several fields are missing, stock names that with the lowest number.
                let first = missing.min_by_key(|field| field.as_atom());
                set_field_error(c, am::BADFIELD, &definition, first.unwrap_or(field));
                return Term::NONE;
            };
            // The record was just made, and nobody else has seen it.
            record
                .word_pointer(offset::RECORD_VALUES + place)
                .write(value.bits());
        }
        // A record that is there has a value in each field.
        let made = source
            .is_nil()
            .then(|| record.as_native_record(no_gc))
            .flatten();
        let missing = made.and_then(|(_, values)| {
            values
                .iter()
                .position(|value| *value == native_record::NO_VALUE)
        });
        match missing {
            Some(place) => {
                set_field_error(c, am::NOVALUE, &definition, definition.fields[place]);
                Term::NONE
            }
            None => record,
        }
    }
}
