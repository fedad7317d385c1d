//! Compares the bit syntax with stock OTP: every type, at any bit, of any width.

use crate::answers::compare;
use fastrand::Rng;
use layout::object::Bits;
use term::bits::construct::{Segment, SegmentKind, create};
use term::bits::{ALL, Flags, matching};
use term::heap::Scratch;
use term::{Term, am, arith, atom, build};

/// Type, its spelling in the bit syntax, and its flags.
const KINDS: [(&str, &str, Flags); 11] = [
    ("integer", "integer-unsigned-big", Flags::BIG),
    ("integer_signed", "integer-signed-big", Flags::SIGNED),
    ("integer_little", "integer-unsigned-little", Flags::LITTLE),
    (
        "integer_signed_little",
        "integer-signed-little",
        Flags::new(6),
    ),
    ("float", "float-big", Flags::BIG),
    ("float_little", "float-little", Flags::LITTLE),
    ("utf8", "utf8", Flags::BIG),
    ("utf16", "utf16-big", Flags::BIG),
    ("utf16_little", "utf16-little", Flags::LITTLE),
    ("utf32", "utf32-big", Flags::BIG),
    ("utf32_little", "utf32-little", Flags::LITTLE),
];

fn kind(name: &str) -> SegmentKind {
    match name.split('_').next().unwrap() {
        "integer" => SegmentKind::Integer,
        "float" => SegmentKind::Float,
        "utf8" => SegmentKind::Utf8,
        "utf16" => SegmentKind::Utf16,
        _ => SegmentKind::Utf32,
    }
}

fn mapper() -> String {
    let mut clauses = Vec::new();
    for (name, spelling, _) in KINDS {
        let size = if name.starts_with("utf") { "" } else { ":W" };
        clauses.push(format!(
            "({{get_{name}, B, S, W}}) -> case B of <<_:S, X{size}/{spelling}, R/bits>> -> {{ok, X, R}}; _ -> nomatch end"
        ));
        clauses.push(format!(
            "({{put_{name}, B, X, W}}) -> try {{ok, <<B/bits, X{size}/{spelling}, 5:3>>}} catch error:Reason -> Reason end"
        ));
    }
    clauses.push(
        "({get_bits, B, S, W}) -> case B of <<_:S, X:W/bits, R/bits>> -> {ok, X, R}; _ -> nomatch end"
            .to_owned(),
    );
    clauses.push(
        "({put_bits, B, X, W}) -> try {ok, <<B/bits, X:W/bits, 5:3>>} catch error:Reason -> Reason end"
            .to_owned(),
    );
    format!("fun{} end", clauses.join("; "))
}

fn bit_string(random: &mut Rng, heap: &mut layout::Heap, most: usize) -> Term {
    let length = random.usize(..most);
    let mut bytes: Vec<u8> = (0..length.div_ceil(8) + 1).map(|_| random.u8(..)).collect();
    match random.usize(..8) {
        0 => bytes.fill(0),
        1 => bytes.fill(0xff),
        _ => {}
    }
    // SAFETY: the bytes outlive what is read of them.
    let bits = unsafe { Bits::new(bytes.as_ptr(), random.usize(..8) as u32, length as u64) };
    build::bit_string(heap, bits)
}

/// Text in one of the encodings, sometimes damaged.
fn text(random: &mut Rng, heap: &mut layout::Heap, name: &str, offset: u64) -> Term {
    let character = match random.usize(..5) {
        0 => random.usize(..0x80),
        1 => random.usize(..0x800),
        2 => random.usize(..0x1_0000),
        _ => random.usize(..0x11_0800),
    };
    let c = char::from_u32(character as u32);
    let little = name.ends_with("little");
    let ordered = |value: u32, bytes: usize| {
        let mut bytes = value.to_be_bytes()[4 - bytes..].to_vec();
        if little {
            bytes.reverse();
        }
        bytes
    };
    let mut bytes = match (kind(name), c) {
        (SegmentKind::Utf32, _) => ordered(character as u32, 4),
        (SegmentKind::Utf16, Some(c)) => {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units).to_vec();
            units
                .iter()
                .flat_map(|&unit| ordered(unit.into(), 2))
                .collect()
        }
        (SegmentKind::Utf16, None) => ordered(character as u32 & 0xffff, 2),
        (_, Some(c)) => c.to_string().into_bytes(),
        // Encode surrogates and numbers that are too large as if they had a UTF-8 form.
        (_, None) if character < 0x1_0000 => {
            vec![
                0xed,
                0x80 | (character >> 6) as u8 & 0x3f,
                0x80 | character as u8 & 0x3f,
            ]
        }
        (_, None) => vec![0xf4, 0x90, 0x80, 0x80 | character as u8 & 0x3f],
    };
    if random.usize(..3) == 0 {
        let at = random.usize(..bytes.len());
        bytes[at] ^= 1 << random.usize(..8);
    }
    if random.usize(..8) == 0 {
        bytes.pop();
    }
    bytes.extend((0..random.usize(..3)).map(|_| random.u8(..)));
    let mut shifted = vec![0; bytes.len() + 3];
    // SAFETY: there is room for the offset, which is below 16.
    unsafe {
        let count = bytes.len() as u64 * 8;
        term::bits::range::copy(bytes.as_ptr(), 0, shifted.as_mut_ptr(), offset, count);
    }
    // SAFETY: the bytes outlive what is read of them.
    let bits = unsafe { Bits::new(shifted.as_ptr(), 0, offset + bytes.len() as u64 * 8) };
    build::bit_string(heap, bits)
}

fn width(random: &mut Rng, kind: SegmentKind) -> u64 {
    match (kind, random.usize(..10)) {
        (SegmentKind::Float, 0) => random.usize(..70) as u64,
        (SegmentKind::Float, _) => [16, 32, 64][random.usize(..3)],
        (_, 0) => random.usize(..1500) as u64,
        (_, _) => random.usize(..140) as u64,
    }
}

#[test]
fn values_are_read_alike() {
    let (mut random, mut scratch) = (Rng::with_seed(3), Scratch::new());
    let mut asked = Vec::new();
    for _ in 0..5000 {
        let heap = scratch.heap();
        let choice = random.usize(..KINDS.len() + 1);
        let skip = random.usize(..16) as u64;
        let (name, flags) = KINDS
            .get(choice)
            .map_or(("bits", Flags::BIG), |kind| (kind.0, kind.2));
        let string = if name.starts_with("utf") {
            text(&mut random, heap, name, skip)
        } else {
            let most = if random.usize(..10) == 0 { 2000 } else { 150 };
            bit_string(&mut random, heap, most)
        };
        let width = width(
            &mut random,
            if name == "bits" {
                SegmentKind::Binary
            } else {
                kind(name)
            },
        );
        let context = matching::start_match(heap, string).unwrap();
        let value = if !matching::skip(context, skip) {
            None
        } else if name == "bits" {
            matching::get_binary(heap, context, width)
        } else {
            match kind(name) {
                SegmentKind::Integer => matching::get_integer(heap, context, width, flags),
                SegmentKind::Float => matching::get_float(context, width, flags)
                    .map(|value| build::float(heap, value)),
                SegmentKind::Utf8 => matching::get_utf8(context),
                SegmentKind::Utf16 => matching::get_utf16(context, flags),
                _ => matching::get_utf32(context, flags),
            }
        };
        let answer = match value {
            Some(value) => {
                let rest = matching::get_tail(heap, context);
                build::tuple(heap, &[am::OK, value, rest])
            }
            None => atom::known("nomatch"),
        };
        let operation = atom::known(&format!("get_{name}"));
        let question = [
            operation,
            string,
            Term::small(skip as i64),
            Term::small(width as i64),
        ];
        asked.push((build::tuple(heap, &question), answer));
    }
    compare(&mapper(), &asked);
}

fn value(random: &mut Rng, heap: &mut layout::Heap, kind: SegmentKind) -> Term {
    let limbs: Vec<u64> = (0..1 + random.usize(..4)).map(|_| random.u64(..)).collect();
    match (kind, random.usize(..10)) {
        (_, 0) => am::OK,
        (_, 1) => build::big(heap, random.bool(), &limbs),
        (_, 2) => build::float(heap, -1.5),
        (SegmentKind::Float, 3) => {
            let limbs = vec![u64::MAX; 15 + random.usize(..3)];
            build::big(heap, random.bool(), &limbs)
        }
        (SegmentKind::Float, 4..7) => loop {
            let value = f64::from_bits(random.u64(..));
            if value.is_finite() {
                return build::float(heap, value);
            }
        },
        (SegmentKind::Float, 7) => {
            let value = f32::from_bits(random.u64(..) as u32);
            build::float(heap, if value.is_finite() { value.into() } else { 0.0 })
        }
        (SegmentKind::Float, 8) => {
            let value =
                (random.u64(..4096)) as f64 / 2048.0 * 2f64.powi(-(random.usize(..26) as i32));
            build::float(heap, value)
        }
        (SegmentKind::Utf8 | SegmentKind::Utf16 | SegmentKind::Utf32, _) => {
            Term::small(random.usize(..0x11_0100) as i64 >> random.usize(..20))
        }
        (SegmentKind::Binary, _) => bit_string(random, heap, 200),
        _ => {
            let value = (random.u64(..) as i64) >> random.usize(..64);
            arith::from_i128(heap, i128::from(value) << random.usize(..60))
        }
    }
}

#[test]
fn values_are_written_alike() {
    let (mut random, mut scratch) = (Rng::with_seed(4), Scratch::new());
    let mut asked = Vec::new();
    for _ in 0..5000 {
        let heap = scratch.heap();
        let choice = random.usize(..KINDS.len() + 1);
        let (name, kind, flags) = match KINDS.get(choice) {
            Some(&(name, _, flags)) => (name, kind(name), flags),
            None => ("bits", SegmentKind::Binary, Flags::BIG),
        };
        let before = bit_string(&mut random, heap, 600);
        let value = value(&mut random, heap, kind);
        let width = width(&mut random, kind);
        let segment = |kind, source, size, unit| Segment {
            kind,
            number: 1,
            unit,
            flags,
            source,
            size,
            string: std::ptr::null(),
        };
        let first = [SegmentKind::Append, SegmentKind::Binary][random.usize(..2)];
        let segments = [
            segment(first, before, ALL, 1),
            segment(kind, value, Term::small(width as i64), 1),
            segment(SegmentKind::Integer, Term::small(5), Term::small(3), 1),
        ];
        // SAFETY: no strings.
        let answer = match unsafe { create(heap, &segments) } {
            Ok(string) => build::tuple(heap, &[am::OK, string]),
            Err(error) => error.reason(),
        };
        let operation = atom::known(&format!("put_{name}"));
        let question = [operation, before, value, Term::small(width as i64)];
        asked.push((build::tuple(heap, &question), answer));
    }
    compare(&mapper(), &asked);
}
