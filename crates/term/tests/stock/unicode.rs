//! Compares character data with stock OTP: whole, damaged, and split at any place.

use crate::answers::compare;
use fastrand::Rng;
use term::heap::Scratch;
use term::unicode::{self, Encoding};
use term::{Term, am, arith, build};

const MAPPER: &str = r#"fun({Encoding, Data}) ->
    Try = fun(F) -> try F() catch error:Reason -> Reason end end,
    {Try(fun() -> unicode:characters_to_binary(Data, Encoding) end),
     Try(fun() -> unicode:characters_to_list(Data, Encoding) end),
     Try(fun() -> unicode:bin_is_7bit(Data) end)} end"#;

fn character(random: &mut Rng) -> u32 {
    match random.usize(..5) {
        0 | 1 => random.usize(..0x80) as u32,
        2 => random.usize(..0x800) as u32,
        3 => random.usize(..0x1_0000) as u32,
        _ => random.usize(..0x11_0100) as u32,
    }
}

fn text(random: &mut Rng, damage: bool) -> Vec<u8> {
    let length = random.usize(..12);
    let text: String = (0..length)
        .filter_map(|_| char::from_u32(character(random)))
        .collect();
    let mut bytes = text.into_bytes();
    if damage && !bytes.is_empty() {
        match random.usize(..6) {
            0 => {
                bytes.pop();
            }
            1 => {
                bytes.remove(0);
            }
            2 => {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            _ => {}
        }
    }
    bytes
}

fn binary(random: &mut Rng, heap: &mut layout::Heap, bytes: &[u8]) -> Term {
    if random.usize(..3) > 0 {
        return build::binary(heap, bytes);
    }
    let shift = random.usize(..8) as u64;
    let mut shifted = vec![0; bytes.len() + 1];
    let bits = bytes.len() as u64 * 8;
    // SAFETY: one byte more holds the shift.
    unsafe { term::bits::range::copy(bytes.as_ptr(), 0, shifted.as_mut_ptr(), shift, bits) };
    let whole = build::binary(heap, &shifted);
    build::sub_bits(heap, whole, shift, bits)
}

fn data(random: &mut Rng, heap: &mut layout::Heap, depth: usize, damage: bool) -> Term {
    if depth == 0 || random.usize(..6) == 0 {
        let bytes = text(random, damage);
        return binary(random, heap, &bytes);
    }
    let mut elements = Vec::new();
    for _ in 0..random.usize(..6) {
        match random.usize(..8) {
            0..2 => {
                let run = random.usize(..5);
                elements.extend((0..run).filter_map(|_| {
                    let character = char::from_u32(character(random));
                    character.map(|character| Term::small(i64::from(u32::from(character))))
                }));
            }
            2 if damage => elements.push(match random.usize(..12) {
                0 => am::OK,
                1 => arith::from_i128(heap, i128::from(random.u64(..)) << 20),
                2 => Term::small(-1),
                3 => {
                    let whole = build::binary(heap, b"abc");
                    build::sub_bits(heap, whole, 0, 9)
                }
                _ => Term::small(character(random) as i64),
            }),
            3..5 => {
                let bytes = text(random, damage);
                elements.push(binary(random, heap, &bytes));
            }
            5 => {
                // A character split between binaries.
                let bytes = text(random, false);
                let at = random.usize(..bytes.len() + 1);
                elements.push(binary(random, heap, &bytes[..at]));
                elements.push(binary(random, heap, &bytes[at..]));
            }
            6 => elements.push(Term::NIL),
            _ => elements.push(data(random, heap, depth - 1, damage)),
        }
    }
    let tail = match random.usize(..12) {
        0 => {
            let bytes = text(random, damage);
            binary(random, heap, &bytes)
        }
        1 if damage && random.usize(..4) == 0 => Term::small(65),
        _ => Term::NIL,
    };
    if elements.is_empty() {
        return Term::NIL;
    }
    build::list_with_tail(heap, &elements, tail)
}

#[test]
fn characters_become_binaries_and_lists() {
    let (mut random, mut scratch) = (Rng::with_seed(6), Scratch::new());
    let mut asked = Vec::new();
    for round in 0..4000 {
        let heap = scratch.heap();
        let depth = random.usize(..4);
        let data = data(&mut random, heap, depth, round % 2 == 0);
        let name = [am::UTF8, am::UNICODE, am::LATIN1][random.usize(..3)];
        let encoding = Encoding::from_atom(name).unwrap();
        let binary = unicode::to_binary(heap, data, encoding).unwrap_or(am::BADARG);
        let list = unicode::to_list(heap, data, encoding).unwrap_or(am::BADARG);
        let answer = [binary, list, am::boolean(unicode::is_7bit(data))];
        let question = build::tuple(heap, &[name, data]);
        asked.push((question, build::tuple(heap, &answer)));
    }
    compare(MAPPER, &asked);
}
