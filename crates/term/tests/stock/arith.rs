//! Compares arithmetic with stock OTP: numbers of all sizes, near every edge, in every combination.

use crate::answers::{compare, outcome};
use fastrand::Rng;
use term::arith::{self, ArithError};
use term::heap::Scratch;
use term::{Term, am, atom, build, integer};

const MAPPER: &str = r#"fun({compare, [A, B]}) -> {A < B, A == B, A =:= B};
    ({Op, Args}) -> try {ok, apply(erlang, Op, Args)} catch error:Reason -> Reason end end"#;

type Binary = fn(&mut layout::Heap, Term, Term) -> Result<Term, ArithError>;
type Unary = fn(&mut layout::Heap, Term) -> Result<Term, ArithError>;

const BINARY: [(&str, Binary); 11] = [
    ("+", arith::add),
    ("-", arith::subtract),
    ("*", arith::multiply),
    ("/", arith::divide),
    ("div", arith::int_div),
    ("rem", arith::remainder),
    ("band", arith::band),
    ("bor", arith::bor),
    ("bxor", arith::bxor),
    ("bsl", arith::bsl),
    ("bsr", arith::bsr),
];

const UNARY: [(&str, Unary); 2] = [("-", arith::negate), ("bnot", arith::bnot)];

type Guard = fn(&mut layout::Heap, Term) -> Option<Term>;

const GUARDS: [(&str, Guard); 6] = [
    ("abs", arith::abs),
    ("trunc", arith::trunc),
    ("round", arith::round),
    ("floor", arith::floor),
    ("ceil", arith::ceil),
    ("float", float),
];

fn float(heap: &mut layout::Heap, number: Term) -> Option<Term> {
    if number.is_float() {
        return Some(number);
    }
    let value = arith::float_of_integer(number)?;
    Some(build::float(heap, value))
}

fn integer(random: &mut Rng, heap: &mut layout::Heap) -> Term {
    let length = match random.usize(..10) {
        0..4 => 1,
        4..7 => 2,
        7..9 => 1 + random.usize(..6),
        _ => 1 + random.usize(..80),
    };
    let mut limbs: Vec<u64> = (0..length)
        .map(|_| match random.usize(..6) {
            0 => 0,
            1 => u64::MAX,
            _ => random.u64(..),
        })
        .collect();
    let bits = random.usize(..65) as u32;
    let top = limbs.last_mut().unwrap();
    *top = match random.usize(..4) {
        0 => 1u64
            .checked_shl(bits)
            .unwrap_or(0)
            .wrapping_add(random.u64(..3)),
        1 => 1u64
            .checked_shl(bits)
            .unwrap_or(0)
            .wrapping_sub(1 + random.u64(..3)),
        _ => top.checked_shr(bits).unwrap_or(0),
    };
    build::big(heap, random.bool(), &limbs)
}

fn number(random: &mut Rng, heap: &mut layout::Heap) -> Term {
    match random.usize(..12) {
        0..8 => integer(random, heap),
        8 => loop {
            let value = f64::from_bits(random.u64(..));
            if value.is_finite() {
                return build::float(heap, value);
            }
        },
        9 => {
            let value = (random.u64(..) as i64 >> random.usize(..64)) as f64 / 8.0;
            build::float(heap, value)
        }
        10 => {
            let term = integer(random, heap);
            float(heap, term).unwrap_or(Term::small(0))
        }
        _ => {
            let odd = [
                0.0,
                -0.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                9_007_199_254_740_993.0,
                1e308,
                -1e22,
            ];
            build::float(heap, odd[random.usize(..odd.len())])
        }
    }
}

fn reason(error: ArithError) -> Term {
    match error {
        ArithError::BadArith => am::BADARITH,
        ArithError::SystemLimit => am::SYSTEM_LIMIT,
    }
}

/// Makes questions until there are `count`; the scratch keeps their terms.
fn questions(
    scratch: &mut Scratch,
    count: usize,
    mut ask: impl FnMut(&mut Scratch) -> (&'static str, Vec<Term>, Term),
) -> Vec<(Term, Term)> {
    (0..count)
        .map(|_| {
            let (name, operands, answer) = ask(scratch);
            let heap = scratch.heap();
            let operands = build::list(heap, &operands);
            let question = build::tuple(heap, &[atom::known(name), operands]);
            (question, answer)
        })
        .collect()
}

#[test]
fn operators_on_two_numbers() {
    let (mut random, mut scratch) = (Rng::with_seed(7), Scratch::new());
    let asked = questions(&mut scratch, 6000, |scratch| {
        let (name, operation) = BINARY[random.usize(..BINARY.len())];
        let heap = scratch.heap();
        let a = number(&mut random, heap);
        let b = match name {
            "bsl" | "bsr" if random.usize(..10) > 0 => {
                Term::small(random.usize(..300) as i64 - 150)
            }
            _ => number(&mut random, heap),
        };
        let result = operation(heap, a, b).map_err(reason);
        (name, vec![a, b], outcome(scratch, result))
    });
    compare(MAPPER, &asked);
}

#[test]
fn operators_and_guards_on_one_number() {
    let (mut random, mut scratch) = (Rng::with_seed(8), Scratch::new());
    let asked = questions(&mut scratch, 3000, |scratch| {
        let a = number(&mut random, scratch.heap());
        let choice = random.usize(..UNARY.len() + GUARDS.len());
        let (name, result) = match UNARY.get(choice) {
            Some(&(name, operation)) => (name, operation(scratch.heap(), a).map_err(reason)),
            None => {
                let (name, operation) = GUARDS[choice - UNARY.len()];
                (name, operation(scratch.heap(), a).ok_or(am::BADARG))
            }
        };
        (name, vec![a], outcome(scratch, result))
    });
    compare(MAPPER, &asked);
}

#[test]
fn order_of_numbers() {
    let (mut random, mut scratch) = (Rng::with_seed(9), Scratch::new());
    let asked = questions(&mut scratch, 3000, |scratch| {
        let heap = scratch.heap();
        let a = integer(&mut random, heap);
        let b = match random.usize(..3) {
            0 => integer(&mut random, heap),
            1 => number(&mut random, heap),
            _ => float(heap, a).unwrap_or(Term::small(0)),
        };
        let order = match b.as_float() {
            Some(value) => arith::compare_with_float(a, value),
            None => integer::compare_integers(a, b),
        };
        let exact = order.is_eq() && !b.is_float();
        let answer = [order.is_lt(), order.is_eq(), exact].map(am::boolean);
        ("compare", vec![a, b], build::tuple(scratch.heap(), &answer))
    });
    compare(MAPPER, &asked);
}
