//! I/O lists: invalid elements, depth, and stopping anywhere.

use super::*;
use crate::am;
use crate::bits::construct::start;
use crate::heap::Scratch;
use layout::{Heap, no_gc};

fn bytes_of(term: Term) -> Vec<u8> {
    term.as_bits().unwrap().as_bytes(no_gc!()).unwrap().to_vec()
}

#[test]
fn only_bytes_binaries_and_lists_are_elements() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let text = build::binary(heap, b"text");
    let odd = build::sub_bits(heap, text, 1, 9);
    for bad in [am::OK, Term::small(256), Term::small(-1), odd] {
        let element = build::list(heap, &[Term::small(1), bad]);
        let tail = build::list_with_tail(heap, &[Term::small(1)], bad);
        let inner_tail = build::list(heap, &[tail, text]);
        let after_list = build::list_with_tail(heap, &[Term::NIL, element], bad);
        for iolist in [bad, element, tail, inner_tail, after_list] {
            assert_eq!(size(iolist), Err(IolistError::Bad(bad)));
            assert_eq!(to_binary(heap, iolist), Err(IolistError::Bad(bad)));
            assert_eq!(to_vec(iolist, 99), Err(IolistError::Bad(bad)));
            assert_eq!(to_iovec(heap, iolist), Err(IolistError::Bad(bad)));
        }
    }
    // A byte is valid as an element, but not as a tail; stopping in a list must not turn its tail into an element.
    let byte_tail = build::list_with_tail(heap, &[Term::small(1)], Term::small(2));
    assert_eq!(size(byte_tail), Err(IolistError::Bad(Term::small(2))));
    let inner = build::list(heap, &[Term::small(9), Term::small(9)]);
    let bad = build::list_with_tail(heap, &[inner], Term::small(2));
    let step = size_step(heap, bad, Wanted::Bytes, &mut 1);
    assert_eq!(step, Err(IolistError::Bad(Term::small(2))));
    let bits = build::list(heap, &[odd, Term::small(1), odd]);
    let joined = to_bitstring(heap, bits).unwrap();
    assert_eq!(joined.as_bits().unwrap().bit_len(), 26);
    assert_eq!(to_vec(text, 3), Err(IolistError::Limit));
}

#[test]
fn depth_needs_no_stack() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut heads = Term::NIL;
    let mut tails = Term::NIL;
    let depth: usize = if cfg!(miri) { 300 } else { 1_000_000 };
    for _ in 0..depth {
        heads = build::cons(heap, heads, Term::NIL);
        heads = build::list_with_tail(heap, &[heads], heads);
        heads = heads.as_cons().unwrap().0;
        tails = build::list(heap, &[tails, Term::small(7)]);
    }
    assert_eq!(size(heads), Ok(0));
    assert_eq!(size(tails), Ok(depth as u64));
    assert_eq!(to_vec(tails, depth).unwrap().len(), depth);
}

#[test]
fn steps_add_up_to_the_whole() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let bytes = [5; if cfg!(miri) { 500 } else { 10_000 }];
    let text = build::binary(heap, &bytes);
    let deep = build::list_with_tail(heap, &[Term::small(1), text, Term::small(2)], text);
    let list = build::list(heap, &[Term::small(3), deep, Term::NIL, deep]);
    let iolist = build::list_with_tail(heap, &[list, list, Term::small(4)], text);
    let whole = to_vec(iolist, usize::MAX).unwrap();
    for budget in 1..20 {
        let (mut counted, mut rest) = (0, iolist);
        loop {
            match size_step(heap, rest, Wanted::Bytes, &mut { budget }).unwrap() {
                Step::Done(bits) => {
                    counted += bits;
                    break;
                }
                Step::More(bits, left) => (counted, rest) = (counted + bits, left),
            }
        }
        assert_eq!(counted, whole.len() as u64 * 8);
        let (binary, mut builder) = start(heap, counted).unwrap();
        let mut rest = iolist;
        loop {
            // SAFETY: nothing collects a scratch.
            let step = unsafe { write_step(heap, &mut builder, rest, Wanted::Bytes, budget) };
            match step.unwrap() {
                Step::Done(_) => break,
                Step::More(_, left) => rest = left,
            }
        }
        assert_eq!(bytes_of(binary), whole);
    }
}

#[test]
fn what_is_one_binary_is_not_copied() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let text = build::binary(heap, &[5; 100]);
    let shifted = build::sub_bits(heap, text, 3, 80);
    let alone = build::list(heap, &[text]);
    assert_eq!(to_binary(heap, text), Ok(text));
    assert_eq!(to_binary(heap, alone), Ok(text));
    let alone = build::list(heap, &[shifted]);
    let copied = to_binary(heap, alone).unwrap();
    assert_eq!(copied.as_bits().unwrap().bit_offset(), 0);
    assert_eq!(to_bitstring(heap, alone), Ok(shifted));
    let empty = to_binary(heap, Term::NIL).unwrap();
    assert_eq!(bytes_of(empty), []);
}

#[test]
fn the_front_of_a_list_is_taken_in_one_pass() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let text = build::binary(heap, b"text");
    let list = build::list(heap, &[Term::small(1), text, Term::NIL]);
    let list = build::list_with_tail(heap, &[list, Term::small(2)], text);
    let taken = |heap: &mut Heap, list| {
        let mut front = Front::new();
        let rest = front.take(heap, list);
        (front.bytes().to_vec(), rest)
    };
    let whole = b"\x01text\x02text".to_vec();
    assert_eq!(taken(heap, list), (whole, Ok(Term::NIL)));
    assert_eq!(taken(heap, Term::NIL), (vec![], Ok(Term::NIL)));
    for size in [FRONT_BYTES - 1, FRONT_BYTES, FRONT_BYTES + 1] {
        // The last piece is a binary, and then a byte.
        for first in [1, size - 1] {
            let bytes = |heap: &mut Heap, count| match count {
                1 => Term::small(7),
                _ => build::binary(heap, &vec![7; count]),
            };
            let pieces = [bytes(heap, first), bytes(heap, size - first)];
            let list = build::list(heap, &pieces);
            let (front, rest) = taken(heap, list);
            let rest = bytes_of(to_binary(heap, rest.unwrap()).unwrap());
            assert_eq!(rest.is_empty(), size <= FRONT_BYTES);
            assert_eq!([front, rest].concat(), vec![7; size]);
            assert_eq!(bytes_of(to_binary(heap, list).unwrap()), vec![7; size]);
        }
    }
    let empty = build::binary(heap, b"");
    let many = build::list_with_tail(heap, &vec![empty; FRONT_BYTES + 1], text);
    let (front, rest) = taken(heap, many);
    assert_eq!((front, rest.unwrap().is_nil()), (vec![], false));
    assert_eq!(bytes_of(to_binary(heap, many).unwrap()), b"text");
    let odd = build::sub_bits(heap, text, 0, 9);
    let list = build::list_with_tail(heap, &[text, odd], text);
    let (front, rest) = taken(heap, list);
    assert_eq!(front, b"text");
    assert_eq!(to_binary(heap, rest.unwrap()), Err(IolistError::Bad(odd)));
    for other in [am::OK, Term::small(256)] {
        let list = build::list(heap, &[text, other]);
        assert_eq!(taken(heap, list).1, Err(IolistError::Bad(other)));
    }
}
