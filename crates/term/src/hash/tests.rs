use std::sync::atomic::AtomicPtr;

use super::*;
use crate::build;
use crate::heap::Scratch;
use crate::samples::{Sample, Samples, ask_stock};
use layout::FunEntry;

fn phash(term: Term) -> u32 {
    phash_within(term, usize::MAX).expect("no limit").0
}

fn check(samples: &[Sample]) {
    let fun = "fun(Ts) -> [[integer_to_list(erlang:phash2(T, 1 bsl 32)), $\\s,
        integer_to_list(erlang:phash(T, 1 bsl 32) - 1), $\\n] || T <- Ts] end";
    let expected = ask_stock(samples, fun);
    for (sample, line) in samples.iter().zip(expected.lines()) {
        let (phash, steps) = phash_within(sample.term, usize::MAX).expect("no limit");
        // With as many steps as it took it is the same, and with none there is no hash.
        let again = phash_within(sample.term, steps);
        assert_eq!(again, Some((phash, steps)), "{}", sample.text);
        assert_eq!(phash_within(sample.term, 0), None, "{}", sample.text);
        let ours = format!("{} {phash}", phash2(sample.term));
        assert_eq!(ours, line, "{}", sample.text);
    }
    assert_eq!(samples.len(), expected.lines().count());
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn borders_hash_as_on_stock() {
    let mut samples = Samples::new(1);
    let all = samples.borders();
    check(&all);
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn compounds_hash_as_on_stock() {
    let mut samples = Samples::new(17);
    let all: Vec<Sample> = (0..900).map(|round| samples.any(round % 4)).collect();
    check(&all);
}

#[test]
#[cfg_attr(miri, ignore = "asks stock OTP, a program, which Miri cannot start")]
fn local_funs_hash_as_on_stock() {
    let fun = "fun(_) ->
        Lines = [\"-module(ferl_hash_test).\", \"-export([f/2]).\",
            \"f(A, B) -> [fun() -> ok end, fun(X) -> {X, A} end, fun(X, Y) -> {X, Y, A, B} end].\"],
        Forms = [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end
            || L <- Lines],
        {ok, M, Code} = compile:forms(Forms, []),
        {module, M} = code:load_binary(M, \"\", Code),
        [begin
            I = fun(Item) -> {Item, V} = erlang:fun_info(F, Item), V end,
            io_lib:format(\"~w ~w ~w ~w ~w~n\", [I(new_index), I(uniq), length(I(env)),
                erlang:phash2(F, 1 bsl 32), erlang:phash(F, 1 bsl 32) - 1])
         end || F <- M:f(7, [1, 2])] end";
    let expected = ask_stock(&[], fun);
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let list = build::list(heap, &[Term::small(1), Term::small(2)]);
    let environment = [Term::small(7), list];
    for line in expected.lines() {
        let facts: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let entry = Box::leak(Box::new(FunEntry {
            code: AtomicPtr::new(std::ptr::null_mut()),
            module: atom::known("ferl_hash_test"),
            arity: 0,
            free: facts[2] as u32,
            index: facts[0] as u32,
            old_index: facts[0] as u32,
            old_unique: facts[1] as u32,
            unique: [0; 16],
        }));
        let variables = &environment[..facts[2] as usize];
        // SAFETY: the entry is never freed.
        let fun = unsafe { build::fun(heap, entry, Term::local_pid(1, 0), variables) };
        assert_eq!(
            [u64::from(phash2(fun)), u64::from(phash(fun))],
            facts[3..5],
            "{line}"
        );
    }
    assert_eq!(expected.lines().count(), 3);
}

#[test]
fn equal_terms_hash_equal() {
    let mut samples = Samples::new(23);
    for round in 0..if cfg!(miri) { 6 } else { 300 } {
        let sample = samples.any(round % 5);
        let copy = crate::copy::Owned::new(sample.term);
        assert_eq!(internal(sample.term, 0), internal(copy.term(), 0));
        let hashed = |term| murmur::hash(term, 0, true);
        assert_eq!(hashed(sample.term), hashed(copy.term()));
        assert_eq!(phash2(sample.term), phash2(copy.term()));
    }
    let heap = samples.scratch.heap();
    let zeros = [0.0, -0.0].map(|zero| build::float(heap, zero));
    assert_eq!(internal(zeros[0], 5), internal(zeros[1], 5));
}

#[test]
fn depth_needs_no_native_stack() {
    let mut scratch = Scratch::new();
    let mut deep = Term::NIL;
    for _ in 0..if cfg!(miri) { 200 } else { 1_000_000 } {
        deep = build::tuple(scratch.heap(), &[deep, Term::NIL]);
    }
    assert_ne!(phash2(deep), phash(deep));
    assert_ne!(internal(deep, 0), internal(deep, 1));
    assert_ne!(murmur::hash(deep, 0, false), murmur::hash(deep, 1, false));
}

/// What `erts_debug:get_internal_state({internal_hash, Term})` returns on stock 27.3.4 and 29.1.
#[test]
fn later_releases_hash_as_stock() {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let [one, two] = [1, 2].map(Term::small);
    let terms = [
        one,
        build::float(heap, 1.0),
        build::tuple(heap, &[one, two]),
        build::binary(heap, b"abc"),
        build::list(heap, &[97, 98, 99].map(Term::small)),
        build::list(heap, &[Term::small(1000)]),
        build::big(heap, false, &[0, 1 << 36]),
        crate::map::from_pairs(heap, &[(one, two)]),
    ];
    let on_27: [u64; 8] = [
        7_938_660_269_479_274_665,
        11_847_536_592_895_060_779,
        10_043_369_381_193_841_056,
        3_326_404_742_329_036_495,
        12_634_646_359_926_691_189,
        3_038_219_221_101_199_719,
        16_793_031_905_690_389_638,
        15_430_789_329_323_442_583,
    ];
    let on_29: [u64; 8] = [
        7_938_660_269_479_274_665,
        1_378_904_917_976_523_826,
        10_043_369_381_193_841_056,
        11_766_418_651_593_861_201,
        12_634_646_359_926_691_189,
        3_038_219_221_101_199_719,
        11_226_796_318_007_674_983,
        835_191_004_119_534_807,
    ];
    for (place, &term) in terms.iter().enumerate() {
        assert_eq!(murmur::hash(term, 0, false), on_27[place], "term {place}");
        assert_eq!(murmur::hash(term, 0, true), on_29[place], "term {place}");
    }
}
