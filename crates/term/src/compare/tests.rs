use super::*;
use crate::build;
use crate::heap::Scratch;
use crate::samples::{Sample, Samples, ask_stock};

/// Compares every sample with every sample, on stock OTP and here.
fn check(samples: &[Sample]) {
    let fun = "fun(Ts) -> [[begin
            A = if X < Y -> $<; X == Y -> $=; true -> $> end,
            E = if X =:= Y -> $=; true ->
                case maps:keys(#{X => 1, Y => 1}) of [X, Y] -> $<; [Y, X] -> $> end end,
            [A, E] end || Y <- Ts] || X <- Ts] end";
    let expected = ask_stock(samples, fun);
    let sign = |order: Ordering| match order {
        Ordering::Less => '<',
        Ordering::Equal => '=',
        Ordering::Greater => '>',
    };
    let mut expected = expected.chars();
    for x in samples {
        for y in samples {
            let stock = [expected.next(), expected.next()];
            let ours = [compare(x.term, y.term), compare_exact(x.term, y.term)];
            assert_eq!(
                stock,
                ours.map(|order| Some(sign(order))),
                "{} and {}",
                x.text,
                y.text
            );
            let glance = order_at_a_glance(x.term, y.term);
            assert!(
                glance.is_none_or(|order| order == ours[0]),
                "{} beside {}",
                x.text,
                y.text
            );
            assert_eq!(
                eq(x.term, y.term),
                ours[0].is_eq(),
                "{} == {}",
                x.text,
                y.text
            );
            assert_eq!(
                eq_exact(x.term, y.term),
                ours[1].is_eq(),
                "{} =:= {}",
                x.text,
                y.text
            );
        }
    }
    assert_eq!(expected.next(), None);
}

#[test]
fn a_glance_orders_tuples_of_one_size_by_small_integers() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut tuple = |elements: &[i64]| {
        let elements: Vec<Term> = elements.iter().copied().map(Term::small).collect();
        build::tuple(heap, &elements)
    };
    let [a, b, c, other] = [
        tuple(&[1, 2]),
        tuple(&[1, 3]),
        tuple(&[-1, 9]),
        tuple(&[1, 2]),
    ];
    let (long, inner) = (tuple(&[1, 2, 3]), tuple(&[1]));
    let nested = build::tuple(heap, &[Term::small(1), inner]);
    assert_eq!(order_at_a_glance(a, b), Some(Ordering::Less));
    assert_eq!(order_at_a_glance(a, c), Some(Ordering::Greater));
    assert_eq!(order_at_a_glance(a, other), Some(Ordering::Equal));
    for term in [long, nested, Term::small(1), Term::NIL] {
        assert_eq!(order_at_a_glance(a, term), None);
        assert_eq!(order_at_a_glance(term, a), None);
    }
}

#[test]
fn a_glance_orders_short_binaries() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut binary = |bytes: &[u8]| build::binary(heap, bytes);
    let texts: [&[u8]; 6] = [
        b"",
        b"queue-1",
        b"queue-10",
        b"queue-100",
        b"queue-2",
        b"queue-200",
    ];
    let binaries = texts.map(&mut binary);
    let copies = texts.map(binary);
    let keys = copies.map(|name| build::tuple(heap, &[Term::small(1), name, Term::small(2)]));
    let others = binaries.map(|name| build::tuple(heap, &[Term::small(1), name, Term::small(3)]));
    for first in 0..texts.len() {
        for second in 0..texts.len() {
            let order = first.cmp(&second);
            assert_eq!(
                order_at_a_glance(binaries[first], copies[second]),
                Some(order)
            );
            let tuples = order_at_a_glance(keys[first], others[second]);
            assert_eq!(tuples, Some(order.then(Ordering::Less)));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn borders_stand_as_on_stock() {
    let mut samples = Samples::new(1);
    let all = samples.borders();
    check(&all);
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn compounds_stand_as_on_stock() {
    let mut samples = Samples::new(7);
    let mut all: Vec<Sample> = (0..120).map(|_| samples.any(3)).collect();
    // Terms that differ in one place only.
    for _ in 0..20 {
        let parts: Vec<Sample> = (0..3).map(|_| samples.any(2)).collect();
        let twin = samples.any(1);
        all.push(samples.tuple(&parts));
        all.push(samples.tuple(&[parts[0].clone(), parts[1].clone(), twin.clone()]));
        all.push(samples.list(&parts, None));
        all.push(samples.list(&parts, Some(&twin)));
    }
    check(&all);
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn large_maps_stand_as_on_stock() {
    let mut samples = Samples::new(3);
    let mut all = Vec::new();
    let pairs: Vec<(Sample, Sample)> = (0..40)
        .map(|key| {
            let key = if key % 2 == 0 {
                samples.integer(key * 1000)
            } else {
                samples.float(key as f64)
            };
            (key, samples.integer(0))
        })
        .collect();
    for changed in 0..20 {
        let mut pairs = pairs.clone();
        for _ in 0..changed % 4 {
            let place = samples.random(40) as usize;
            let replacement = match samples.random(5) {
                0 => samples.float(0.0),
                1 => samples.float(1.0),
                2 => samples.map(&pairs[..35]),
                _ => samples.integer(-1),
            };
            pairs[place].1 = replacement;
        }
        if changed % 3 == 0 {
            let place = samples.random(40) as usize;
            pairs[place].0 = samples.any(2);
        }
        all.push(samples.map(&pairs));
        let nested: Vec<(Sample, Sample)> = pairs
            .iter()
            .map(|(key, value)| {
                let (key, value) = (key.clone(), value.clone());
                let inner = samples.map(&[(key.clone(), value.clone())]);
                if samples.random(20) == 0 {
                    (inner, key)
                } else {
                    (key, value)
                }
            })
            .collect();
        all.push(samples.map(&nested));
    }
    check(&all);
}

#[test]
fn depth_needs_no_native_stack() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut deep = [Term::small(1), Term::small(1), Term::small(2)];
    for level in 0..if cfg!(miri) { 200 } else { 1_000_000 } {
        for term in &mut deep {
            *term = if level % 2 == 0 {
                build::tuple(heap, &[*term, Term::NIL])
            } else {
                build::cons(heap, *term, Term::NIL)
            };
        }
    }
    let [one, same, other] = deep;
    assert!(eq(one, same) && eq_exact(one, same));
    assert!(!eq(one, other) && !eq_exact(one, other));
    assert_eq!(compare(one, same), Ordering::Equal);
    assert_eq!(compare_exact(one, other), Ordering::Less);
}

#[test]
fn local_references_stand_by_number() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let [low, high, again] =
        [(5, 0), (1, 1), (5, 0)].map(|(low, high)| reference::with_number(heap, low, high));
    assert_eq!(compare(low, high), Ordering::Less);
    assert!(eq_exact(low, again));
    assert!(!eq_exact(low, high));
}
