//! Compares bit operations with a model made of booleans, and tests growing binaries.

use super::construct::{ConstructError, Segment, SegmentKind, create};
use super::*;
use crate::heap::{Allocate, Scratch};
use crate::{ObjectKind, build, copy, off_heap};
use fastrand::Rng;
use layout::kinds::SharedBinary;
use layout::no_gc;
use layout::object::Bits;

fn random_bytes(random: &mut Rng, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.u8(..)).collect()
}

fn model(bytes: &[u8], start: u64, count: u64) -> Vec<bool> {
    (start..start + count)
        .map(|bit| bytes[(bit / 8) as usize] >> (7 - bit % 8) & 1 == 1)
        .collect()
}

fn model_of(bits: Bits) -> Vec<bool> {
    let end = u64::from(bits.bit_offset()) + bits.bit_len();
    // SAFETY: the bits of a live bit string.
    let bytes = unsafe { std::slice::from_raw_parts(bits.bytes(), end.div_ceil(8) as usize) };
    model(bytes, bits.bit_offset().into(), bits.bit_len())
}

#[test]
fn ranges_agree_with_single_bits() {
    let mut random = Rng::with_seed(1);
    for round in 0..if cfg!(miri) { 100 } else { 20_000 } {
        let most = if round % 20 == 0 { 2000 } else { 150 };
        let (from, to, count) = (random.u64(..40), random.u64(..40), random.u64(..most));
        // Exactly as many bytes as hold bits, so that tools can catch a read past them.
        let source = random_bytes(&mut random, (from + count).div_ceil(8) as usize);
        let mut target = random_bytes(&mut random, (to + count).div_ceil(8) as usize);
        let before = target.clone();
        // SAFETY: sized on the lines above.
        unsafe { range::copy(source.as_ptr(), from, target.as_mut_ptr(), to, count) };
        let copied = model(&source, from, count);
        assert_eq!(model(&target, to, count), copied);
        if count > 0 {
            assert_eq!(model(&target, 0, to), model(&before, 0, to));
            let end = target.len() as u64 * 8;
            assert!(!model(&target, to + count, end - to - count).contains(&true));
        }
        let other = {
            let mut other = target.clone();
            if count > 0 && round % 2 == 0 {
                let flip = to + random.u64(..count);
                other[(flip / 8) as usize] ^= 0x80 >> (flip % 8);
            }
            other
        };
        // SAFETY: as above.
        let order = unsafe { range::compare(source.as_ptr(), from, other.as_ptr(), to, count) };
        assert_eq!(order, copied.cmp(&model(&other, to, count)));
        let width = random.u64(..65).min(count) as u32;
        // SAFETY: as above.
        let value = unsafe { range::load(source.as_ptr(), from, width) };
        let expected = model(&source, from, width.into())
            .iter()
            .fold(0, |value, &bit| value << 1 | u64::from(bit));
        assert_eq!(value, expected);
    }
}

/// The value of bits as the bit syntax defines it, bit by bit.
fn integer_model(bits: &[bool], flags: Flags) -> (bool, Vec<u64>) {
    let mut ordered: Vec<bool> = if flags.is_little() {
        bits.chunks(8).rev().flatten().copied().collect()
    } else {
        bits.to_vec()
    };
    let negative = flags.is_signed() && ordered.first() == Some(&true);
    if negative {
        // The magnitude: invert all bits and add one.
        let last = ordered.iter().rposition(|&bit| bit).unwrap_or(0);
        for bit in &mut ordered[..last] {
            *bit = !*bit;
        }
    }
    let mut limbs = vec![0; ordered.len().div_ceil(64)];
    for (index, &bit) in ordered.iter().rev().enumerate() {
        limbs[index / 64] |= u64::from(bit) << (index % 64);
    }
    (negative, limbs)
}

#[test]
fn integers_come_out_and_go_back() {
    let mut random = Rng::with_seed(2);
    for round in 0..if cfg!(miri) { 100 } else { 20_000 } {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let most = if round % 10 == 0 { 1500 } else { 140 };
        let (position, width) = (random.u64(..20), random.u64(..most));
        let flags = [0, 2, 4, 6, 16].map(Flags::new)[random.u64(..5) as usize];
        let mut bytes = random_bytes(&mut random, (position + width).div_ceil(8) as usize);
        if random.u64(..4) == 0 {
            let fill = [0, 0xff][random.u64(..2) as usize];
            bytes.fill(fill);
        }
        // SAFETY: sized on the lines above.
        let value = unsafe { integer::get(heap, bytes.as_ptr(), position, width, flags) }.unwrap();
        let bits = model(&bytes, position, width);
        let (negative, limbs) = integer_model(&bits, flags);
        let expected = build::big(heap, negative, &limbs);
        let order = crate::integer::compare_integers(value, expected);
        assert!(order.is_eq(), "{bits:?} {flags:?}");
        let to = random.u64(..20);
        let mut target = vec![0xff; (to + width).div_ceil(8) as usize];
        // SAFETY: sized on the line above.
        let stored = unsafe { integer::put(target.as_mut_ptr(), to, width, value, flags) };
        assert!(stored);
        assert_eq!(model(&target, to, width), bits);
        assert!(width == 0 || !model(&target, 0, to).contains(&false));
    }
}

#[test]
fn contexts_walk_over_bits_at_any_offset() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let whole = build::binary(heap, &(0..200).collect::<Vec<u8>>());
    let string = build::sub_bits(heap, whole, 13, 1500);
    let context = matching::start_match(heap, string).unwrap();
    assert_eq!(matching::start_match(heap, context.term()), Some(context));
    assert_eq!(matching::start_match(heap, Term::NIL), None);
    assert_eq!(matching::left(context), 1500);
    assert!(matching::skip(context, 3));
    assert_eq!(
        matching::get_integer(heap, context, 8, Flags::BIG),
        Some(Term::small(2))
    );
    assert_eq!(matching::get_integer(heap, context, 1490, Flags::BIG), None);
    let place = matching::position_term(context);
    let part = matching::get_binary(heap, context, 16).unwrap();
    assert!(part.is_kind(ObjectKind::HeapBinary));
    assert_eq!(
        part.as_bits().unwrap().as_bytes(no_gc!()),
        Some(&[3, 4][..])
    );
    let long = matching::get_binary(heap, context, 65 * 8).unwrap();
    assert!(long.is_kind(ObjectKind::SubBinary));
    assert_eq!(model_of(long.as_bits().unwrap())[..8], model(&[5], 0, 8));
    let odd = matching::get_binary(heap, context, 5).unwrap();
    assert!(odd.is_kind(ObjectKind::SubBinary));
    assert_eq!(odd.as_bits().unwrap().bit_len(), 5);
    assert!(matching::set_position_term(context, place));
    // SAFETY: two bytes.
    assert!(!unsafe { matching::match_string(context, 16, [3, 5].as_ptr()) });
    // SAFETY: two bytes.
    assert!(unsafe { matching::match_string(context, 15, [3, 5].as_ptr()) });
    assert!(matching::test_unit(context, 1) && !matching::test_unit(context, 8));
    assert_eq!(matching::get_all(heap, context, 8), None);
    let tail = matching::get_tail(heap, context);
    assert_eq!(tail.as_bits().unwrap().bit_len(), 1474);
    assert!(matching::test_tail(context, 1474));
    assert_eq!(
        matching::get_all(heap, context, 2).map(|rest| rest.as_bits().unwrap().bit_len()),
        Some(1474)
    );
    assert!(matching::test_tail(context, 0));
    let old = matching::start_match_with_slots(heap, string, 1).unwrap();
    assert!(matching::skip(old, 7) && matching::save(old, 1) && !matching::save(old, 2));
    assert!(matching::skip(old, 7) && matching::restore(old, 1));
    assert_eq!(matching::left(old), 1493);
    let back = matching::context_to_binary(heap, old.term());
    assert_eq!(back.as_bits().unwrap().bit_len(), 1500);
}

#[test]
fn floats_of_every_half_come_back() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    for half in 0..=u16::MAX {
        let bytes = half.to_le_bytes();
        // SAFETY: two bytes.
        let value = unsafe { float::get(bytes.as_ptr(), 0, 16, Flags::LITTLE) };
        assert_eq!(value.is_none(), half & 0x7c00 == 0x7c00);
        if let Some(value) = value {
            let term = build::float(heap, value);
            assert_eq!(float::encode(term, 16), Ok(half.into()));
        }
    }
    let mut half = |value: f64| float::encode(build::float(heap, value), 16).unwrap();
    assert_eq!(half(65519.99), 0x7bff);
    assert_eq!(half(65520.0), 0x7c00);
    assert_eq!(half(1e300), 0x7c00);
    // Rounded once, not by way of 32 bits.
    assert_eq!(half(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), 0x3c01);
    assert_eq!(half(2f64.powi(-25)), 0);
    assert_eq!(half(2f64.powi(-25) * 1.0001), 1);
    assert_eq!(half(-0.0), 0x8000);
    assert_eq!(float::encode(Term::small(1), 33), Err(Fault::Invalid));
    assert_eq!(float::encode(Term::NIL, 32), Err(Fault::Type));
}

#[test]
fn characters_are_scalar_values_only() {
    let get8 = |bytes: &[u8]| {
        // SAFETY: as many bytes as said.
        unsafe { utf::get_utf8(bytes.as_ptr(), 0, bytes.len() as u64 * 8) }
    };
    for character in (0..=0x11_0000)
        .step_by(7)
        .chain([0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x1_0000])
    {
        let term = Term::small(i64::from(character));
        assert_eq!(
            utf::character(term).is_some(),
            char::from_u32(character).is_some()
        );
        let Some(text) = char::from_u32(character) else {
            continue;
        };
        let text = text.to_string();
        let bits = text.len() as u32 * 8;
        assert_eq!(get8(text.as_bytes()), Some((character, bits)));
        assert_eq!(utf::utf8_bits(term), u64::from(bits));
        let value = text
            .bytes()
            .fold(0, |value, byte| value << 8 | u64::from(byte));
        assert_eq!(utf::encode_utf8(character), (value, bits));
        assert_eq!(get8(&text.as_bytes()[..text.len() - 1]), None);
        for flags in [Flags::BIG, Flags::LITTLE] {
            let (value, width) = utf::encode_utf16(character, flags);
            let bytes = value.to_be_bytes();
            // SAFETY: within eight bytes.
            let got = unsafe {
                utf::get_utf16(bytes.as_ptr(), 64 - u64::from(width), width.into(), flags)
            };
            assert_eq!(got, Some((character, width)));
        }
    }
    for bad in [
        &[0x80][..],
        &[0xc0, 0x80],
        &[0xc1, 0xbf],
        &[0xe0, 0x9f, 0xbf],
        &[0xed, 0xa0, 0x80],
        &[0xf0, 0x8f, 0xbf, 0xbf],
        &[0xf4, 0x90, 0x80, 0x80],
        &[0xf5, 0x80, 0x80, 0x80],
        &[0xe2, 0x28, 0xa1],
    ] {
        assert_eq!(get8(bad), None, "{bad:x?}");
    }
}

fn segment(kind: SegmentKind, source: Term, size: Term, unit: u32) -> Segment {
    Segment {
        kind,
        number: 1,
        unit,
        flags: Flags::BIG,
        source,
        size,
        string: std::ptr::null(),
    }
}

fn built<A: Allocate>(heap: &mut A, segments: &[Segment]) -> Result<Term, ConstructError> {
    // SAFETY: the tests' strings are as long as said.
    unsafe { create(heap, segments) }
}

#[test]
fn segments_are_measured_and_written() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let inner = build::binary(heap, &[1, 2, 3]);
    let text = *b"xyz";
    let half = build::float(heap, 1.5);
    let segments = [
        segment(SegmentKind::Integer, Term::small(5), Term::small(3), 1),
        segment(SegmentKind::Binary, inner, ALL, 8),
        Segment {
            string: text.as_ptr(),
            ..segment(SegmentKind::String, Term::NIL, Term::small(3), 8)
        },
        segment(SegmentKind::Utf8, Term::small(0xe5), Term::NIL, 0),
        segment(SegmentKind::Float, half, Term::small(16), 1),
        segment(SegmentKind::Utf16, Term::small(0x1_0000), Term::NIL, 0),
        segment(SegmentKind::Utf32, Term::small(65), Term::NIL, 0),
        segment(SegmentKind::Binary, inner, Term::small(2), 4),
    ];
    let string = built(heap, &segments).unwrap();
    let mut expected = model(&[0b1010_0000], 0, 3);
    for bytes in [
        &[1, 2, 3][..],
        b"xyz",
        &[0xc3, 0xa5, 0x3e, 0, 0xd8, 0, 0xdc, 0, 0, 0, 0, 65, 1],
    ] {
        expected.extend(model(bytes, 0, bytes.len() as u64 * 8));
    }
    assert_eq!(model_of(string.as_bits().unwrap()), expected);
    let empty = built(heap, &[]).unwrap();
    assert_eq!(empty.as_bits().unwrap().bit_len(), 0);
}

#[test]
fn faults_name_the_segment() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let three = build::binary(heap, &[1, 2, 3]);
    let odd = build::sub_bits(heap, three, 1, 3);
    let float = build::float(heap, 1.0);
    let huge = build::big(heap, false, &[0, 1]);
    let minus_huge = build::big(heap, true, &[0, 1]);
    let too_large = build::big(heap, false, &[[0; 16].as_slice(), &[1]].concat());
    use SegmentKind::{Append, Binary, Float, Integer, Utf8, Utf16, Utf32};
    let (a, all, eight) = (am::OK, ALL, Term::small(8));
    // segment, system_limit?, fault, value
    let cases = [
        (segment(Integer, a, eight, 1), false, Fault::Type, a),
        (segment(Integer, float, eight, 1), false, Fault::Type, float),
        (
            segment(Integer, a, Term::small(-1), 1),
            false,
            Fault::Size,
            Term::small(-1),
        ),
        (segment(Integer, a, a, 1), false, Fault::Size, a),
        (segment(Integer, a, huge, 1), true, Fault::Size, huge),
        (
            segment(Integer, a, minus_huge, 1),
            false,
            Fault::Size,
            minus_huge,
        ),
        (
            segment(Integer, a, Term::small(1 << 58), 32),
            true,
            Fault::Size,
            Term::small(1 << 58),
        ),
        (
            segment(Integer, a, Term::small(1 << 58), 8),
            true,
            Fault::Size,
            Term::small(1 << 58),
        ),
        (segment(Float, a, Term::small(32), 1), false, Fault::Type, a),
        (
            segment(Float, float, Term::small(11), 3),
            false,
            Fault::Invalid,
            Term::small(33),
        ),
        (
            segment(Float, too_large, Term::small(64), 1),
            false,
            Fault::NoFloat,
            too_large,
        ),
        (segment(Binary, a, all, 8), false, Fault::Type, a),
        (segment(Binary, odd, all, 8), false, Fault::Unit, odd),
        (
            segment(Binary, three, Term::small(4), 8),
            false,
            Fault::Short,
            three,
        ),
        (segment(Binary, a, Term::small(4), 8), false, Fault::Type, a),
        (
            segment(Utf8, Term::small(0xd800), Term::NIL, 0),
            false,
            Fault::Type,
            Term::small(0xd800),
        ),
        (
            segment(Utf16, Term::small(-1), Term::NIL, 0),
            false,
            Fault::Type,
            Term::small(-1),
        ),
        (segment(Utf32, a, Term::NIL, 0), false, Fault::Type, a),
        (segment(Append, a, all, 8), false, Fault::Type, a),
        (segment(Append, odd, all, 8), false, Fault::Unit, odd),
    ];
    for (segment, limit, fault, value) in cases {
        let expected = ConstructError {
            limit,
            segment: 1,
            kind: segment.kind,
            fault,
            value,
        };
        assert_eq!(built(heap, &[segment]), Err(expected));
    }
}

fn append_byte<A: Allocate>(heap: &mut A, string: Term, byte: u8) -> Term {
    let segments = [
        segment(SegmentKind::Append, string, ALL, 8),
        segment(
            SegmentKind::Integer,
            Term::small(byte.into()),
            Term::small(8),
            1,
        ),
    ];
    built(heap, &segments).unwrap()
}

fn bytes_of(term: Term) -> Vec<u8> {
    term.as_bits().unwrap().as_bytes(no_gc!()).unwrap().to_vec()
}

fn block_of(term: Term) -> u64 {
    SharedBinary::expect(build::whole_of(term).0).block() as u64
}

#[test]
fn appending_in_a_loop_reuses_the_block() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut string = build::binary(heap, &[]);
    let (mut moves, mut whole) = (0, Term::NIL);
    let bytes = if cfg!(miri) { 3000 } else { 300_000 };
    for index in 0..bytes {
        string = append_byte(heap, string, index as u8);
        if build::whole_of(string).0 != whole {
            whole = build::whole_of(string).0;
            moves += 1;
        }
    }
    assert_eq!(moves, 1, "one object, reallocated as it grows");
    let expected: Vec<u8> = (0..bytes).map(|index| index as u8).collect();
    assert_eq!(bytes_of(string), expected);
}

#[test]
fn older_parts_keep_their_bytes_and_do_not_write() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let empty = build::binary(heap, &[]);
    let first = append_byte(heap, empty, 1);
    let second = append_byte(heap, first, 2);
    assert_eq!(build::whole_of(first), build::whole_of(second));
    // Appending to the older one makes a new binary.
    let other = append_byte(heap, first, 3);
    assert_ne!(build::whole_of(other).0, build::whole_of(second).0);
    assert_eq!(
        (bytes_of(first), bytes_of(second), bytes_of(other)),
        (vec![1], vec![1, 2], vec![1, 3])
    );
    // Append a binary to itself: the bytes that are copied may move while it grows.
    let mut doubled = second;
    for _ in 0..10 {
        let segments = [
            segment(SegmentKind::Append, doubled, ALL, 8),
            segment(SegmentKind::Binary, doubled, ALL, 8),
        ];
        doubled = built(heap, &segments).unwrap();
    }
    assert_eq!(bytes_of(doubled), [1, 2].repeat(1024));
}

#[test]
fn a_context_or_another_process_keeps_the_block_where_it_is() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let empty = build::binary(heap, &[]);
    let mut string = append_byte(heap, empty, 1);
    let context = matching::start_match(heap, string).unwrap();
    let block = block_of(string);
    string = append_byte(heap, string, 2);
    assert_eq!(block_of(string), block, "there is room");
    for byte in 3..=255 {
        string = append_byte(heap, string, byte);
    }
    let mut longer = string;
    for byte in 0..100 {
        longer = append_byte(heap, longer, byte);
    }
    assert_ne!(block_of(longer), block, "moved to a new object");
    assert_eq!(
        matching::get_integer(heap, context, 8, Flags::BIG),
        Some(Term::small(1))
    );
    let sent = copy::Owned::new(longer);
    let held = block_of(longer);
    let before = bytes_of(longer);
    let mut again = longer;
    for _ in 0..1000 {
        again = append_byte(heap, again, 9);
    }
    assert_eq!(bytes_of(sent.term()), before);
    assert_ne!(block_of(again), held);
    assert_eq!(bytes_of(again).len(), before.len() + 1000);
    // A copy is not writable, though what it was made of is.
    let (copied, _) = build::whole_of(sent.term());
    assert_eq!(SharedBinary::expect(copied).flags(), 0);
}

#[test]
fn shared_bits_are_not_touched_by_appending_bits() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let empty = build::binary(heap, &[]);
    let bit = |heap: &mut layout::Heap, string, value| {
        let segments = [
            segment(SegmentKind::Append, string, ALL, 1),
            segment(SegmentKind::Integer, Term::small(value), Term::small(1), 1),
        ];
        built(heap, &segments).unwrap()
    };
    let mut string = empty;
    let bits = if cfg!(miri) { 1003 } else { 10_003 };
    for index in 0..bits {
        string = bit(heap, string, index % 3 & 1);
    }
    let expected: Vec<bool> = (0..bits).map(|index| index % 3 & 1 == 1).collect();
    assert_eq!(model_of(string.as_bits().unwrap()), expected);
    let sent = copy::Owned::new(string);
    let longer = bit(heap, string, 1);
    assert_ne!(block_of(longer), block_of(string));
    assert_eq!(model_of(sent.term().as_bits().unwrap()), expected);
}

#[test]
fn comprehensions_fill_one_binary_in_place() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let string = append::init_writable(heap, Term::small(10));
    let mut now = string;
    let numbers: u32 = if cfg!(miri) { 1000 } else { 100_000 };
    for index in 0..numbers.into() {
        let segments = [
            segment(SegmentKind::PrivateAppend, now, ALL, 1),
            segment(SegmentKind::Integer, Term::small(index), Term::small(16), 1),
        ];
        now = built(heap, &segments).unwrap();
    }
    assert_eq!(now, string);
    let expected: Vec<u8> = (0..numbers)
        .flat_map(|index| (index as u16).to_be_bytes())
        .collect();
    assert_eq!(bytes_of(now), expected);
    let whole = build::whole_of(now).0;
    let capacity = |whole: Term| {
        let block = SharedBinary::expect(whole)
            .block()
            .cast::<off_heap::BinaryBlock>();
        // SAFETY: the live binary's block.
        unsafe { (*block).capacity }
    };
    assert!(capacity(whole) > expected.len() + 8);
    append::after_collection(whole);
    append::after_collection(whole);
    assert_eq!(capacity(whole), expected.len());
    assert_eq!(bytes_of(now), expected);
    let longer = append_byte(heap, now, 1);
    assert_eq!(bytes_of(longer).len(), expected.len() + 1);
    for size in [Term::small(-1), Term::small(1 << 58), Term::NIL] {
        let empty = append::init_writable(heap, size);
        assert_eq!(empty.as_bits().unwrap().bit_len(), 0);
    }
}

#[test]
fn sizes_add_up_or_say_why_not() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let huge = build::big(heap, false, &[0, 1]);
    let add = |heap: &mut layout::Heap, a, b, unit| construct::add_sizes(heap, a, b, unit);
    assert_eq!(
        add(heap, Term::small(3), Term::small(2), 8),
        Ok(Term::small(19))
    );
    assert_eq!(add(heap, Term::small(-3), huge, 8), Err(false));
    assert_eq!(add(heap, huge, Term::NIL, 8), Err(false));
    assert_eq!(add(heap, huge, Term::small(0), 8), Err(true));
    assert_eq!(
        add(heap, Term::small(0), Term::small(1 << 58), 256),
        Err(true)
    );
    assert_eq!(construct::start_size(Term::small(7)), Ok(7));
    assert_eq!(construct::start_size(huge), Err(true));
    assert_eq!(construct::start_size(Term::small(-7)), Err(false));
    assert_eq!(construct::start_size(Term::NIL), Err(false));
}
