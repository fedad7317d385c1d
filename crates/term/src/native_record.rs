//! Native records (OTP 29): terms with a definition, which names their module, their name and their fields, and a value
//! for each field.
//!
//! The definition is a tuple `{Module, Name, IsExported, Field...}` of atoms. For records that code makes it is a
//! literal of their module; others bring their own. So two definitions are the same if their elements are, and a record
//! is what it is whatever its module defines now. Any thread may call, with terms it may read.

use std::cmp::Ordering;

use layout::kinds::NativeRecord;
use layout::object::offset;
use layout::{Header, NoGc, ObjectKind, Term, no_gc};
use smallvec::SmallVec;

use crate::copy::copy_terms;
use crate::heap::Allocate;
use crate::{am, atom};

/// Stands for the default value of a field that has none. No variable can hold it.
pub const NO_VALUE: Term = Term::NO_CATCH;

/// What a definition says.
#[derive(Clone, Copy)]
pub struct Definition<'a> {
    pub module: Term,
    pub name: Term,
    pub is_exported: bool,
    /// The names of the fields, in the order of their declaration.
    pub fields: &'a [Term],
}

impl<'a> Definition<'a> {
    /// Of a record's definition.
    ///
    /// # Panics
    /// For another term.
    #[must_use]
    pub fn of(definition: Term, no_gc: &'a NoGc) -> Definition<'a> {
        match definition.as_tuple(no_gc) {
            Some(&[module, name, exported, ref fields @ ..]) => Definition {
                module,
                name,
                is_exported: exported == am::TRUE,
                fields,
            },
            _ => panic!("no definition of a native record"),
        }
    }

    /// Whether it is that of the records with this module and name.
    #[must_use]
    pub fn is_of(&self, module: Term, name: Term) -> bool {
        self.module == module && self.name == name
    }

    /// The place of a field among the values.
    #[must_use]
    pub fn place(&self, field: Term) -> Option<usize> {
        self.fields.iter().position(|name| *name == field)
    }

    /// Where the fields are, in the order in which the node met their names.
    pub(crate) fn places_by_name(&self) -> SmallVec<[usize; 16]> {
        let mut places: SmallVec<[usize; 16]> = (0..self.fields.len()).collect();
        places.sort_unstable_by(|&a, &b| atom::compare_keys(self.fields[a], self.fields[b]));
        places
    }

    /// The tuple.
    pub fn build<A: Allocate + ?Sized>(&self, heap: &mut A) -> Term {
        let count = offset::DEFINITION_FIELDS + self.fields.len();
        let object = heap.allocate(1 + count);
        // SAFETY: fresh words for the header and for each element.
        unsafe {
            object.write(Header::new(ObjectKind::Tuple, count).0);
            let elements = object.add(1).cast::<Term>();
            elements.add(offset::DEFINITION_MODULE).write(self.module);
            elements.add(offset::DEFINITION_NAME).write(self.name);
            let exported = am::boolean(self.is_exported);
            elements.add(offset::DEFINITION_EXPORTED).write(exported);
            elements
                .add(offset::DEFINITION_FIELDS)
                .copy_from_nonoverlapping(self.fields.as_ptr(), self.fields.len());
            Term::from_boxed_pointer(object)
        }
    }
}

/// The definition of a term that is known to be a native record.
#[inline]
#[must_use]
pub fn definition(record: Term) -> Term {
    NativeRecord::expect(record).definition()
}

/// A record with these values, one for each field of the definition.
#[inline]
pub fn build<A: Allocate + ?Sized>(heap: &mut A, definition: Term, values: &[Term]) -> Term {
    let (record, places) = build_uninit(heap, definition, values.len());
    // SAFETY: as many places as values.
    unsafe { copy_terms(places, values) };
    record
}

/// A record of `count` values that the caller fills in, and where the first goes.
pub fn build_uninit<A: Allocate + ?Sized>(
    heap: &mut A,
    definition: Term,
    count: usize,
) -> (Term, *mut Term) {
    debug_assert_eq!(Definition::of(definition, no_gc!()).fields.len(), count);
    let arity = offset::RECORD_VALUES + count;
    let object = heap.allocate(1 + arity);
    // SAFETY: fresh words for the header and the definition.
    unsafe {
        object.write(Header::new(ObjectKind::NativeRecord, arity).0);
        object
            .add(1 + offset::RECORD_DEFINITION)
            .write(definition.bits());
        let places = object.add(1 + offset::RECORD_VALUES).cast();
        (Term::from_boxed_pointer(object), places)
    }
}

/// The order of the definitions of two records: by module, name, whether they are exported, number of fields, and names
/// of the fields.
#[must_use]
pub fn compare_definitions(a: Term, b: Term) -> Ordering {
    let no_gc = no_gc!();
    let (a, b) = (Definition::of(a, no_gc), Definition::of(b, no_gc));
    atom::compare(a.module, b.module)
        .then_with(|| atom::compare(a.name, b.name))
        .then_with(|| a.is_exported.cmp(&b.is_exported))
        .then_with(|| a.fields.len().cmp(&b.fields.len()))
        .then_with(|| {
            let pairs = a.fields.iter().zip(b.fields);
            pairs
                .map(|(a, b)| atom::compare(*a, *b))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
}

/// Whether a name stands twice among names of fields.
#[must_use]
pub fn has_duplicates(fields: &[Term]) -> bool {
    /// Above this, sorting is faster than comparing each with each.
    const FEW: usize = 16;
    if fields.len() <= FEW {
        return (1..fields.len()).any(|index| fields[..index].contains(&fields[index]));
    }
    let mut sorted: Vec<u64> = fields.iter().map(|field| field.bits()).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{compare, eq, eq_exact};
    use crate::heap::Scratch;
    use crate::{atom, copy, hash, print};

    fn record(scratch: &mut Scratch, name: &str, exported: bool, pairs: &[(&str, i64)]) -> Term {
        let fields: Vec<Term> = pairs.iter().map(|(name, _)| atom::known(name)).collect();
        let values: Vec<Term> = pairs.iter().map(|(_, value)| Term::small(*value)).collect();
        let definition = Definition {
            module: atom::known("m"),
            name: atom::known(name),
            is_exported: exported,
            fields: &fields,
        };
        let definition = definition.build(scratch.heap());
        build(scratch.heap(), definition, &values)
    }

    #[test]
    fn the_definition_comes_before_the_values() {
        let mut scratch = Scratch::new();
        let ascending = [
            record(&mut scratch, "n", false, &[("b", 9)]),
            record(&mut scratch, "n", true, &[]),
            record(&mut scratch, "n", true, &[("b", 1)]),
            record(&mut scratch, "n", true, &[("a", 1), ("b", 7)]),
            record(&mut scratch, "n", true, &[("a", 2), ("b", 1)]),
            record(&mut scratch, "n", true, &[("b", 1), ("a", 1)]),
            record(&mut scratch, "o", false, &[]),
        ];
        for (index, &one) in ascending.iter().enumerate() {
            for (other_index, &other) in ascending.iter().enumerate() {
                assert_eq!(compare(one, other), index.cmp(&other_index));
                assert_eq!(eq(one, other), index == other_index);
            }
        }
    }

    #[test]
    fn equal_records_need_not_share_a_definition() {
        let mut scratch = Scratch::new();
        let one = record(&mut scratch, "n", true, &[("a", 1), ("b", 2)]);
        let other = record(&mut scratch, "n", true, &[("a", 1), ("b", 2)]);
        assert_ne!(definition(one), definition(other));
        assert!(eq_exact(one, other));
        assert_eq!(hash::internal(one, 7), hash::internal(other, 7));
        let copy = copy::Owned::new(one);
        assert!(eq_exact(copy.term(), one));
        assert_eq!(print::display(one).to_string(), "#m:n{a=1,b=2}");
    }

    #[test]
    fn many_fields_are_looked_through_for_duplicates() {
        let mut names: Vec<Term> = (0..40).map(Term::atom).collect();
        assert!(!has_duplicates(&names) && !has_duplicates(&names[..5]));
        names.push(Term::atom(17));
        assert!(has_duplicates(&names) && has_duplicates(&[names[0], names[0]]));
    }
}
