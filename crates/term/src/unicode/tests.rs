//! Character data: the rest after a fault, stopping anywhere, and file names.

use super::filename::{Allowed, from_native, from_native_or_bytes, to_native};
use super::*;
use crate::heap::Scratch;
use crate::{arith, atom};
use layout::no_gc;

fn same(a: Term, b: Term) -> bool {
    crate::compare::eq_exact(a, b)
}

#[test]
fn what_is_left_keeps_its_place() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let bad = build::binary(heap, b"ok\xffrest");
    let rest = build::binary(heap, b"\xffrest");
    let inner = build::list(heap, &[Term::small(97), bad, Term::small(98)]);
    let data = build::list(heap, &[inner, Term::small(99)]);
    let left_inner = build::list(heap, &[rest, Term::small(98)]);
    let left = build::list(heap, &[left_inner, Term::small(99)]);
    let converted = build::binary(heap, b"aok");
    let expected = build::tuple(heap, &[am::ERROR, converted, left]);
    let answer = to_binary(heap, data, Encoding::Utf8).unwrap();
    assert!(same(answer, expected));
}

#[test]
fn only_characters_binaries_and_lists_are_data() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let text = build::binary(heap, b"text");
    let odd = build::sub_bits(heap, text, 0, 9);
    let huge = arith::from_i128(heap, 1 << 70);
    for bad in [am::OK, odd] {
        let element = build::list(heap, &[Term::small(1), bad]);
        let tail = build::list_with_tail(heap, &[text], bad);
        for data in [bad, element, tail] {
            assert_eq!(to_binary(heap, data, Encoding::Utf8), Err(NotCharacters));
            assert_eq!(to_list(heap, data, Encoding::Latin1), Err(NotCharacters));
        }
        // The check ends at a big integer, so the result is a conversion error with the rest.
        let data = build::list(heap, &[huge, bad]);
        let answer = to_binary(heap, data, Encoding::Utf8).unwrap();
        assert_eq!(answer.as_tuple(no_gc!()).unwrap()[2], data);
    }
}

#[test]
fn a_budget_only_delays() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let euro = build::binary(heap, "€uro".as_bytes());
    let first = build::sub_bits(heap, euro, 0, 16);
    let second = build::sub_bits(heap, euro, 16, 32);
    let inner = build::list_with_tail(heap, &[first, Term::NIL, second, Term::small(0x20ac)], euro);
    let data = build::list(heap, &[inner, inner, Term::small(1)]);
    let mut whole = Vec::new();
    assert_eq!(
        convert(heap, data, Encoding::Utf8, usize::MAX, &mut whole),
        Conversion::Done
    );
    assert_eq!(whole, "€uro€€uro€uro€€uro\u{1}".as_bytes());
    for budget in 1..30 {
        let (mut out, mut rest) = (Vec::new(), data);
        while let Conversion::More(left) = convert(heap, rest, Encoding::Utf8, budget, &mut out) {
            rest = left;
        }
        assert_eq!(out, whole, "{budget}");
    }
}

#[test]
fn names_and_native_bytes() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let all = Allowed {
        atoms: true,
        empty: true,
        zeros_in_binaries: false,
    };
    let name = build::string(heap, "å€");
    let nested = build::list(heap, &[name, Term::NIL, name]);
    let utf8 = |name| to_native(name, Encoding::Utf8, all);
    assert_eq!(utf8(nested).unwrap(), "å€å€".as_bytes());
    assert_eq!(to_native(name, Encoding::Latin1, all), None);
    let latin1 = build::string(heap, "å");
    assert_eq!(to_native(latin1, Encoding::Latin1, all).unwrap(), [0xe5]);
    assert_eq!(utf8(atom::known("å")).unwrap(), "å".as_bytes());
    assert_eq!(to_native(am::OK, Encoding::Utf8, Allowed::default()), None);
    assert_eq!(utf8(Term::NIL).unwrap(), b"");
    assert_eq!(
        to_native(Term::NIL, Encoding::Utf8, Allowed::default()),
        None
    );
    let raw = build::binary(heap, b"\xffraw");
    assert_eq!(utf8(raw).unwrap(), b"\xffraw");
    for zero in [build::string(heap, "a\0"), build::binary(heap, b"a\0")] {
        assert_eq!(utf8(zero), None);
    }
    for bad in [Term::small(5), Term::small(-5)] {
        let tail = build::list_with_tail(heap, &[Term::small(97)], bad);
        assert_eq!(utf8(tail), None);
    }
    let surrogate = build::list(heap, &[Term::small(0xd800)]);
    assert_eq!(utf8(surrogate), None);
    assert!(from_native(heap, b"\xff", Encoding::Utf8).is_none());
    let bytes = from_native_or_bytes(heap, b"\xff", Encoding::Utf8);
    assert_eq!(bytes.as_cons().unwrap().0, Term::small(255));
    assert!(same(
        from_native(heap, "å€".as_bytes(), Encoding::Utf8).unwrap(),
        name
    ));
}
