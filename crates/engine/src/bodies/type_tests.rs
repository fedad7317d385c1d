//! Tests of a term's type.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::ObjectKind;
use layout::object::offset;
use layout::{Export, FunEntry, Term};

use super::guards::is_boolean;
use super::tags::{KIND_MASK, has_header, header, header_of, is_boxed, is_cons, kind_bits};
use crate::operation::operations;

/// A set of kinds, as a bit mask.
const fn set<const N: usize>(kinds: [ObjectKind; N]) -> u64 {
    let mut set = 0;
    let mut index = 0;
    while index < N {
        set |= 1 << kinds[index] as u32;
        index += 1;
    }
    set
}

#[inline(always)]
unsafe fn is_one_of(term: Term, set: u64) -> bool {
    is_boxed(term) && set >> (unsafe { header(term) } >> 2 & 0b1111) & 1 != 0
}

#[inline(always)]
unsafe fn is_kind(term: Term, kind: ObjectKind) -> bool {
    unsafe { has_header(term, KIND_MASK, kind_bits(kind)) }
}

const BIG: u64 = set([ObjectKind::PositiveBig, ObjectKind::NegativeBig]);
const NUMBER: u64 = set([
    ObjectKind::PositiveBig,
    ObjectKind::NegativeBig,
    ObjectKind::Float,
]);
const REFERENCE: u64 = set([ObjectKind::Reference, ObjectKind::ExternalReference]);
const BIT_STRING: u64 = set([
    ObjectKind::HeapBinary,
    ObjectKind::SharedBinary,
    ObjectKind::SubBinary,
    // From OTP 27 on the compiler asks this of what it matches: a match context is the rest of a bit string.
    ObjectKind::MatchContext,
]);
const FUN: u64 = set([ObjectKind::Fun, ObjectKind::Export]);

/// The arity of a fun, or `None` for another term.
#[inline(always)]
unsafe fn fun_arity(term: Term) -> Option<u64> {
    unsafe {
        if is_kind(term, ObjectKind::Fun) {
            let entry: *const FunEntry =
                term.boxed_unchecked().address_unchecked(offset::FUN_ENTRY);
            Some(u64::from((*entry).arity))
        } else if is_kind(term, ObjectKind::Export) {
            let export: *const Export = term
                .boxed_unchecked()
                .address_unchecked(offset::EXPORT_ENTRY);
            Some(u64::from((*export).arity))
        } else {
            None
        }
    }
}

macro_rules! type_tests {
    ($($(#[$doc:meta])* $name:ident |$term:ident| $test:expr;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: S |m, o: Test| {
                    let $term = m.get(o.term);
                    if !$test {
                        return m.jump(o.fail);
                    }
                    m.next(o.end)
                }
            )*
        }
    };
}

type_tests! {
    /// An integer of any size.
    IsInteger |term| (term.is_small() || is_one_of(term, BIG));
    /// Where no other integer can be.
    IsSmall |term| term.is_small();
    IsFloat |term| is_kind(term, ObjectKind::Float);
    IsNumber |term| (term.is_small() || is_one_of(term, NUMBER));
    IsAtom |term| term.is_atom();
    IsPid |term| (term.is_local_pid() || is_kind(term, ObjectKind::ExternalPid));
    IsPort |term| (term.is_local_port() || is_kind(term, ObjectKind::ExternalPort));
    IsReference |term| is_one_of(term, REFERENCE);
    IsNil |term| term.is_nil();
    IsList |term| (is_cons(term) || term.is_nil());
    IsNonemptyList |term| is_cons(term);
    IsBitstring |term| is_one_of(term, BIT_STRING);
    IsBoolean |term| is_boolean(term);
    IsMap |term| is_kind(term, ObjectKind::Map);
    IsAnyNativeRecord |term| is_kind(term, ObjectKind::NativeRecord);
    IsFunction |term| is_one_of(term, FUN);
}

operations! {
    /// A bit string of whole bytes.
    IsBinary: S |m, o: Test| {
        let term = m.get(o.term);
        let kind = header_of(term) & KIND_MASK;
        if kind == kind_bits(ObjectKind::HeapBinary) || kind == kind_bits(ObjectKind::SharedBinary) {
            return m.next(o.end);
        }
        let is_part = kind == kind_bits(ObjectKind::SubBinary);
        if !is_part || term.boxed_unchecked().word_unchecked(offset::SUB_BINARY_BITS) & 0xff != 0 {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// Tests for a fun of a given arity. The arity is a term; the test fails if it is no valid arity.
    IsFunction2: S |m, o: IsFunction2| {
        let wanted = m.get(o.arity);
        let found = fun_arity(m.get(o.term));
        let is = match found {
            Some(arity) => wanted.is_small() && wanted.small_value() as u64 == arity,
            None => false,
        };
        if !is {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    /// As `IsFunction2`, for an arity that is a constant and valid.
    IsFunctionOfArity: S |m, o: IsFunctionOfArity| {
        let term = m.get(o.term);
        if !is_boxed(term) {
            return m.jump(o.fail);
        }
        let kind = header(term) & KIND_MASK;
        let arity = if kind == kind_bits(ObjectKind::Fun) {
            term.boxed_unchecked().word_unchecked(offset::FUN_ARITY) & 0xff
        } else if kind == kind_bits(ObjectKind::Export) {
            let export: *const Export = term.boxed_unchecked().address_unchecked(offset::EXPORT_ENTRY);
            u64::from((*export).arity)
        } else {
            return m.jump(o.fail);
        };
        if arity != m.word(o.arity) {
            return m.jump(o.fail);
        }
        m.next(o.end)
    }

    Jump: P |m, o: Jump| { m.jump(o.label) }
}
