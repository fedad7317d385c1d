//! Compares I/O lists with stock OTP.

use crate::answers::compare;
use fastrand::Rng;
use layout::object::Bits;
use term::heap::Scratch;
use term::iolist::{self, IolistError};
use term::{Term, am, build};

const MAPPER: &str = r#"fun(L) ->
    Try = fun(F) -> try F(L) catch error:Reason -> Reason end end,
    {Try(fun erlang:iolist_size/1), Try(fun erlang:iolist_to_binary/1), Try(fun erlang:iolist_to_iovec/1),
     case is_list(L) of true -> Try(fun erlang:list_to_bitstring/1); false -> none end} end"#;

fn binary(random: &mut Rng, heap: &mut layout::Heap) -> Term {
    let size = match random.usize(..5) {
        0 => 0,
        1 => random.usize(..10),
        2 => random.usize(..80),
        3 => random.usize(..600),
        _ => 200 + random.usize(..120),
    };
    let bytes: Vec<u8> = (0..size + 2).map(|_| random.u8(..)).collect();
    let odd = random.usize(..60) == 0 && size > 0;
    let whole = build::binary(heap, &bytes);
    let bits = size as u64 * 8 - u64::from(odd);
    if random.bool() {
        return build::sub_bits(heap, whole, random.usize(..16) as u64, bits);
    }
    build::bit_string(
        heap,
        // SAFETY: the bytes outlive what is read of them.
        unsafe { Bits::new(bytes.as_ptr(), 0, bits) },
    )
}

fn iolist(random: &mut Rng, heap: &mut layout::Heap, depth: usize) -> Term {
    let length = random.usize(..8);
    let mut elements = Vec::new();
    for _ in 0..length {
        match random.usize(..6) {
            0..2 => {
                let run = if random.usize(..6) == 0 {
                    random.usize(..3000)
                } else {
                    random.usize(..20)
                };
                elements.extend((0..run).map(|_| Term::small(random.usize(..256) as i64)));
            }
            2..4 => elements.push(binary(random, heap)),
            4 if depth > 0 => elements.push(iolist(random, heap, depth - 1)),
            _ if random.usize(..40) == 0 => {
                elements.push([am::OK, Term::small(256), Term::small(-1)][random.usize(..3)]);
            }
            _ => elements.push(Term::NIL),
        }
    }
    let tail = match random.usize(..30) {
        0..4 => binary(random, heap),
        4 if random.usize(..4) == 0 => Term::small(1),
        _ => Term::NIL,
    };
    if elements.is_empty() {
        return tail;
    }
    build::list_with_tail(heap, &elements, tail)
}

fn reason(error: IolistError) -> Term {
    match error {
        IolistError::Bad(_) => am::BADARG,
        IolistError::Limit => am::SYSTEM_LIMIT,
    }
}

#[test]
fn one_binary_of_many_pieces() {
    let (mut random, mut scratch) = (Rng::with_seed(5), Scratch::new());
    let mut asked = Vec::new();
    for _ in 0..1200 {
        let heap = scratch.heap();
        let list = iolist(&mut random, heap, 3);
        let size = iolist::size(list).map(|size| Term::small(size as i64));
        let joined = iolist::to_binary(heap, list);
        let vector = iolist::to_iovec(heap, list);
        let bits = if list.is_list() {
            iolist::to_bitstring(heap, list)
        } else {
            Ok(am::NONE)
        };
        let answers = [size, joined, vector, bits].map(|answer| answer.unwrap_or_else(reason));
        asked.push((list, build::tuple(heap, &answers)));
    }
    compare(MAPPER, &asked);
}
