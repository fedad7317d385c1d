//! Collections of random heaps. What is reachable is recorded as a graph before and after a collection: objects
//! numbered in the order a walk finds them, with everything that must not change. So a change in sharing is noticed
//! too.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicPtr;

use layout::kinds::{MatchContext, SharedBinary};
use layout::object::{binary_flag, offset};
use layout::{Export, FunEntry, no_gc};

use super::*;
use crate::off_heap::{BinaryBlock, Counted, MagicBlock};
use crate::{bits, build, copy, literal, map, node};
use layout::{Header, ObjectKind};

mod random;

// What these tests read after a collection they take from its roots, or with a token that is made afterwards.

fn collect(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    need_words: usize,
    kind: CollectionKind,
) -> Result<Stats, NoMemory> {
    // SAFETY: as said above.
    unsafe { super::collect(heap, roots, need_words, kind) }
}

fn hibernate(heap: &mut Heap, roots: &mut [&mut [Term]]) -> Result<Stats, NoMemory> {
    // SAFETY: as said above.
    unsafe { super::hibernate(heap, roots) }
}

fn collect_literals(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    range: &Range<usize>,
) -> Result<Stats, NoMemory> {
    // SAFETY: as said above.
    unsafe { super::collect_literals(heap, roots, range) }
}

fn run(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
) -> Result<Stats, NoMemory> {
    // SAFETY: as said above.
    unsafe { super::run(heap, roots, request) }
}

/// One object or cell: its header and raw words, its parts, and a binary's bytes. A part is an immediate, a pointer to
/// a literal, or the number of an object.
#[derive(PartialEq, Eq, Debug)]
struct Node {
    words: Vec<u64>,
    parts: Vec<Part>,
    bytes: Vec<u8>,
}

#[derive(PartialEq, Eq, Debug, Clone, Copy)]
enum Part {
    Word(u64),
    Object(usize),
}

/// Everything that roots and stack reach.
#[derive(PartialEq, Eq, Debug, Default)]
struct Graph {
    roots: Vec<Part>,
    nodes: Vec<Node>,
}

struct Grapher {
    numbers: HashMap<u64, usize>,
    order: Vec<u64>,
}

impl Grapher {
    fn part(&mut self, word: u64) -> Part {
        // SAFETY: tests call this for words of a live heap.
        let term = unsafe { Term::from_bits(word) };
        if !(term.is_cons() || term.is_boxed()) || literal::is_literal(term) {
            return Part::Word(word);
        }
        let next = self.order.len();
        let number = *self.numbers.entry(word).or_insert(next);
        if number == next {
            self.order.push(word);
        }
        Part::Object(number)
    }
}

fn graph(heap: &Heap, roots: &[&mut [Term]]) -> Graph {
    let mut grapher = Grapher {
        numbers: HashMap::new(),
        order: Vec::new(),
    };
    let mut graph = Graph::default();
    for slice in roots {
        for root in slice.iter() {
            graph.roots.push(grapher.part(root.bits()));
        }
    }
    for index in 0..stack_words(heap) {
        // SAFETY: a word of the stack.
        graph
            .roots
            .push(grapher.part(unsafe { *heap.stack.add(index) }));
    }
    let mut next = 0;
    while let Some(&word) = grapher.order.get(next) {
        next += 1;
        // SAFETY: as above.
        let term = unsafe { Term::from_bits(word) };
        graph.nodes.push(node_of(&mut grapher, term));
    }
    graph
}

fn node_of(grapher: &mut Grapher, term: Term) -> Node {
    if let Some((head, tail)) = term.as_cons() {
        return Node {
            words: vec![],
            parts: vec![grapher.part(head.bits()), grapher.part(tail.bits())],
            bytes: vec![],
        };
    }
    let object = term.as_boxed().unwrap();
    let header = object.header();
    let mut words = vec![header.0];
    words.extend((0..header.raw_words()).map(|index| object.word(index)));
    let mut bytes = vec![];
    match header.kind() {
        ObjectKind::SharedBinary => {
            bytes = term.as_bits().unwrap().as_bytes(no_gc!()).unwrap().to_vec();
            words[1 + offset::OFF_HEAP_NEXT] = 0;
            if words[1 + offset::SHARED_BINARY_FLAGS] & binary_flag::WRITABLE != 0 {
                words.truncate(2);
            }
        }
        ObjectKind::Reference if header.is_off_heap() => words[1 + offset::OFF_HEAP_NEXT] = 0,
        ObjectKind::MatchContext => words[1 + offset::MATCH_BYTES] = 0,
        _ => {}
    }
    let parts = (header.raw_words()..header.arity())
        .map(|index| grapher.part(object.word(index)))
        .collect();
    Node {
        words,
        parts,
        bytes,
    }
}

/// A heap as a process begins with it.
struct Process {
    heap: Heap,
    x: Vec<Term>,
    dictionary: Vec<Term>,
}

impl Process {
    fn new(registers: usize) -> Process {
        let mut heap = heap::empty();
        assert!(begin(&mut heap));
        heap.min_words = 32;
        heap.off_heap_limit_words = OFF_HEAP_LIMIT_WORDS;
        Process {
            heap,
            x: vec![Term::NONE; registers],
            dictionary: vec![Term::NIL; 4],
        }
    }

    fn graph(&mut self) -> Graph {
        graph(&self.heap, &[&mut self.x[..], &mut self.dictionary[..]])
    }

    /// Collects, and checks that nothing reachable has changed.
    fn run(&mut self, request: &Request<'_>) -> Stats {
        let before = self.graph();
        let mut roots: [&mut [Term]; 2] = [&mut self.x, &mut self.dictionary];
        let stats = run(&mut self.heap, &mut roots, request).expect("there is memory");
        let after = self.graph();
        assert!(before == after, "a collection changed what is reachable");
        let free = words_between(self.heap.top, self.heap.stack);
        assert!(free >= request.need_words + STACK_RESERVE_WORDS);
        assert_eq!(self.heap.flags & flag::FORCE, 0);
        stats
    }

    fn collect(&mut self, need_words: usize, kind: CollectionKind) -> Stats {
        self.run(&Request::new(kind, need_words))
    }

    fn push(&mut self, word: u64) {
        if words_between(self.heap.top, self.heap.stack) <= STACK_RESERVE_WORDS {
            self.collect(8, CollectionKind::Minor);
        }
        self.heap.stack = self.heap.stack.wrapping_sub(1);
        // SAFETY: there is room above the heap's top.
        unsafe { self.heap.stack.write(word) };
    }

    /// Receives a copy of a term.
    fn receive(&mut self, term: Term) -> Term {
        let message = copy::to_fragment(term);
        // SAFETY: fresh, in no list.
        unsafe {
            let received = (*message).term;
            heap::adopt(&mut self.heap, message);
            received
        }
    }

    fn has_least_block(&self) -> bool {
        block_words(&self.heap) == FIRST_HEAP_WORDS
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        free(&mut self.heap);
    }
}

fn numbers(count: i64) -> Vec<Term> {
    (0..count).map(Term::small).collect()
}

#[test]
fn a_small_heap_keeps_its_first_block() {
    let mut process = Process::new(2);
    process.x[0] = build::list(&mut process.heap, &numbers(3));
    for _ in 0..3 {
        build::tuple(&mut process.heap, &numbers(5));
    }
    let stats = process.collect(10, CollectionKind::Minor);
    assert!(process.has_least_block());
    assert_eq!((stats.words_before, stats.words_after), (24, 6));
    process.collect(30, CollectionKind::Minor);
    assert!(!process.has_least_block());
    assert_eq!(block_words(&process.heap), 90);
}

#[test]
fn the_first_block_is_left_without_a_collection_and_emptied_by_the_next() {
    let mut process = Process::new(2);
    let bytes = build::binary(&mut process.heap, &[7; 20]);
    let inner = build::tuple(&mut process.heap, &[Term::small(1), bytes]);
    process.push(0x1000);
    process.push(inner.bits());
    let stats = process.collect(40, CollectionKind::Minor);
    assert_eq!((stats.moved, stats.words_after), (0, 8));
    assert_eq!(
        (process.heap.left_words, total_words(&process.heap)),
        (8, 122)
    );
    process.x[0] = build::list(&mut process.heap, &[inner, inner]);
    let request = Request {
        tight: true,
        ..Request::new(CollectionKind::Major, 0)
    };
    process.run(&request);
    assert!(process.has_least_block() && process.heap.left.is_null());
    assert_eq!(sizes(&process.heap).heap, 12);
    process.collect(20, CollectionKind::Minor);
    process.collect(500, CollectionKind::Minor);
    assert_eq!(
        (process.heap.left_words, sizes(&process.heap).heap),
        (0, 12)
    );
}

/// A process that holds a tuple of 20 numbers without room, and is called; its state is on the stack.
fn called() -> Process {
    let mut process = Process::new(2);
    let state = build::tuple(&mut process.heap, &numbers(20));
    process.push(0x1000);
    process.push(state.bits());
    process.run(&waiting(false));
    // SAFETY: the word that was pushed.
    let state = unsafe { Term::from_bits(*process.heap.stack) };
    process.receive(state);
    process.collect(40, CollectionKind::Minor);
    assert_eq!(process.heap.left_words, 21);
    process
}

fn waiting(may_go_back: bool) -> Request<'static> {
    Request {
        tight: true,
        may_go_back,
        ..Request::new(CollectionKind::Major, 0)
    }
}

#[test]
fn a_called_process_that_kept_nothing_new_goes_back_to_its_block() {
    let mut process = called();
    let left = process.heap.left;
    build::list(&mut process.heap, &numbers(10));
    let stats = process.run(&waiting(true));
    assert_eq!((stats.moved, stats.words_after), (0, 21));
    assert_eq!(
        (process.heap.start, process.heap.left),
        (left, ptr::null_mut())
    );
    assert!(process.heap.fragments.is_null());
    // It can be called again, and be collected.
    process.collect(40, CollectionKind::Minor);
    assert_eq!((process.heap.left, process.heap.left_words), (left, 21));
    assert_eq!(process.run(&waiting(false)).moved, 21);
}

#[test]
fn a_called_process_that_kept_something_new_does_not_go_back() {
    // On the stack, in a register, in a message, a shared binary; and garbage that was asked to be collected.
    let changes: [fn(&mut Process) -> usize; 5] = [
        |process| {
            let pair = build::tuple(&mut process.heap, &numbers(2));
            process.push(pair.bits());
            24
        },
        |process| {
            process.x[0] = build::cons(&mut process.heap, Term::NIL, Term::NIL);
            23
        },
        |process| {
            let number = build::float(&mut process.heap, 1.5);
            process.x[0] = process.receive(number);
            23
        },
        |process| {
            build::binary(&mut process.heap, &[1; 1000]);
            21
        },
        |process| {
            process.heap.flags |= flag::FORCE;
            21
        },
    ];
    for change in changes {
        let mut process = called();
        let words = change(&mut process);
        assert_eq!(process.run(&waiting(true)).moved, words);
    }
}

#[test]
fn a_block_that_refers_to_a_message_is_not_gone_back_to() {
    let mut process = Process::new(2);
    process.x[0] = build::tuple(&mut process.heap, &numbers(20));
    process.x[1] = build::float(&mut process.heap, 1.5);
    process.run(&waiting(false));
    let message = process.receive(process.x[1]);
    let pair = build::cons(&mut process.heap, message, Term::NIL);
    process.push(pair.bits());
    process.collect(40, CollectionKind::Minor);
    assert_eq!(process.heap.left_words, 25);
    assert_eq!(process.run(&waiting(true)).moved, 27);
}

#[test]
fn a_new_process_leaves_its_first_block_for_a_roomy_one() {
    let beginning = Request {
        is_new: true,
        ..Request::new(CollectionKind::Minor, 10)
    };
    let mut process = Process::new(1);
    build::tuple(&mut process.heap, &numbers(20));
    let stats = process.run(&beginning);
    assert_eq!((stats.moved, process.heap.left_words), (0, 21));
    assert_eq!(block_words(&process.heap), beside::BEGINNING_WORDS);
    // Once only: what it then makes is garbage, or it needs still more.
    process.x[0] = build::list(&mut process.heap, &numbers(60));
    let stats = process.run(&beginning);
    assert_eq!((stats.moved, process.heap.left_words), (120, 0));
}

#[test]
fn what_survives_twice_is_promoted_and_then_stays() {
    let mut process = Process::new(2);
    process.collect(5000, CollectionKind::Minor);
    process.x[0] = build::list(&mut process.heap, &numbers(1000));
    process.collect(0, CollectionKind::Minor);
    assert!(process.heap.old.is_null());
    let young = process.x[0];
    process.collect(0, CollectionKind::Minor);
    assert_eq!(sizes(&process.heap).old_heap, 2000);
    assert_eq!(sizes(&process.heap).heap, 0);
    assert_ne!(young, process.x[0]);
    let promoted = process.x[0];
    process.x[1] = build::cons(&mut process.heap, Term::NIL, promoted);
    let stats = process.collect(0, CollectionKind::Minor);
    assert_eq!((stats.moved, process.x[0]), (2, promoted));
    process.x[0] = Term::NIL;
    process.x[1] = Term::NIL;
    process.collect(0, CollectionKind::Minor);
    assert_eq!(sizes(&process.heap).old_heap, 2000);
    let stats = process.collect(0, CollectionKind::Major);
    assert_eq!(stats.reclaimed(), 2000);
    assert!(process.heap.old.is_null());
}

#[test]
fn fullsweep_after_makes_minor_collections_major() {
    let mut process = Process::new(1);
    process.heap.fullsweep_after = 2;
    let kinds: Vec<bool> = (0..6)
        .map(|_| process.collect(0, CollectionKind::Minor).was_major)
        .collect();
    assert_eq!(kinds, [false, false, true, false, false, true]);
    process.heap.flags |= flag::NEED_FULLSWEEP;
    assert!(process.collect(0, CollectionKind::Minor).was_major);
    assert_eq!(process.heap.flags & flag::NEED_FULLSWEEP, 0);
}

#[test]
fn small_heaps_grow_until_they_collect_seldom() {
    for fullsweep_after in [0, 1, u16::MAX] {
        let mut process = Process::new(1);
        process.heap.fullsweep_after = fullsweep_after;
        process.x[0] = build::list(&mut process.heap, &numbers(10));
        let mut collections = 0;
        for _ in 0..10_000 {
            if words_between(process.heap.top, process.heap.stack) < 2 + STACK_RESERVE_WORDS {
                let mut roots: [&mut [Term]; 1] = [&mut process.x];
                collect(&mut process.heap, &mut roots, 2, CollectionKind::Minor).unwrap();
                collections += 1;
            }
            build::cons(&mut process.heap, Term::NIL, Term::NIL);
        }
        assert!(collections < 700, "{collections} for {fullsweep_after}");
    }
}

#[test]
fn lists_come_to_lie_in_order() {
    let length = if cfg!(miri) { 1000 } else { 1_000_000 };
    let mut process = Process::new(1);
    process.collect(2 * length, CollectionKind::Minor);
    process.x[0] = build::list(&mut process.heap, &numbers(length as i64));
    let mut roots: [&mut [Term]; 1] = [&mut process.x];
    collect(&mut process.heap, &mut roots, 0, CollectionKind::Minor).unwrap();
    let mut list = process.x[0];
    let first = list.cons_pointer();
    for index in 0..length {
        assert_eq!(list.cons_pointer(), first.wrapping_add(2 * index));
        list = list.as_cons().unwrap().1;
    }
    assert!(list.is_nil());
}

/// Checks that the leaves of each node below a hash map's root lie right behind it, and their keys, which are tuples,
/// behind them; returns the number of leaves.
fn leaves_in_place(node: Term, is_root: bool) -> usize {
    let children = map::children(node);
    let mut place = children.as_ptr_range().end.cast::<u64>();
    let leaves: Vec<Term> = children.iter().copied().filter(|c| c.is_cons()).collect();
    if !is_root {
        for leaf in &leaves {
            assert_eq!(leaf.cons_pointer().cast::<u64>().cast_const(), place);
            place = place.wrapping_add(2);
        }
        for leaf in &leaves {
            let key = leaf.as_cons().unwrap().0;
            assert_eq!(key.word_pointer(0).cast_const(), place.wrapping_add(1));
            place = place.wrapping_add(1 + key.expect_boxed().arity());
        }
    }
    let below = children.iter().filter(|child| !child.is_cons());
    leaves.len()
        + below
            .map(|&child| leaves_in_place(child, false))
            .sum::<usize>()
}

#[test]
fn leaves_and_keys_of_a_hash_map_come_to_lie_behind_their_node() {
    let count = if cfg!(miri) { 100 } else { 5000 };
    let mut process = Process::new(2);
    process.collect(40 * count, CollectionKind::Minor);
    let heap = &mut process.heap;
    // Values that are cells: they must not be taken for the rest of a list.
    let pairs: Vec<(Term, Term)> = (0..count as i64)
        .map(|number| {
            let key = build::tuple(heap, &[Term::small(number), Term::NIL]);
            let value = build::list(heap, &numbers(number % 3));
            (key, value)
        })
        .collect();
    process.x[0] = map::from_pairs(heap, &pairs);
    for kind in [
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Major,
    ] {
        process.collect(0, kind);
        assert_eq!(leaves_in_place(process.x[0], true), count);
    }
}

#[test]
fn a_map_whose_keys_are_maps_is_collected() {
    let mut process = Process::new(2);
    process.collect(20_000, CollectionKind::Minor);
    let heap = &mut process.heap;
    let pairs: Vec<_> = numbers(40).into_iter().map(|n| (n, n)).collect();
    let mut deep = map::from_pairs(heap, &pairs);
    for _ in 0..20 {
        let all: Vec<_> = pairs.iter().copied().chain([(deep, Term::NIL)]).collect();
        deep = map::from_pairs(heap, &all);
    }
    process.x = vec![deep, pairs[0].0];
    for kind in [
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Major,
    ] {
        process.collect(0, kind);
    }
}

#[test]
fn what_follows_a_run_of_numbers_is_found() {
    let mut process = Process::new(40);
    process.collect(40 * 60, CollectionKind::Minor);
    // More runs than are remembered, shorter and longer ones, some with an object among the heads.
    for index in 0..40 {
        let heap = &mut process.heap;
        let behind = build::tuple(heap, &[Term::small(index), Term::NIL]);
        let mut heads = numbers(6 + index % 13);
        if index % 5 == 0 {
            heads[index as usize % 6] = build::tuple(heap, &[Term::NIL]);
        }
        let list = build::list_with_tail(heap, &heads, behind);
        process.x[index as usize] = build::list_with_tail(heap, &numbers(9), list);
    }
    for kind in [
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Major,
    ] {
        process.collect(0, kind);
    }
}

#[test]
fn depth_needs_no_stack() {
    let depth = if cfg!(miri) { 200 } else { 200_000 };
    let mut process = Process::new(2);
    process.collect(6 * depth, CollectionKind::Minor);
    let (mut tuples, mut heads) = (Term::NIL, Term::NIL);
    for _ in 0..depth {
        tuples = build::tuple(&mut process.heap, &[tuples]);
        heads = build::cons(&mut process.heap, heads, Term::NIL);
    }
    process.x[0] = tuples;
    process.x[1] = heads;
    for kind in [
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Major,
    ] {
        process.collect(0, kind);
    }
}

#[test]
fn messages_and_what_did_not_fit_move_in() {
    let mut process = Process::new(3);
    let list = build::list(&mut process.heap, &numbers(40));
    process.x[0] = process.receive(list);
    process.x[1] = build::tuple(&mut process.heap, &numbers(300));
    process.x[2] = build::binary(&mut process.heap, &[5; 1000]);
    assert!(process.heap.fragment_words > 400);
    process.collect(0, CollectionKind::Minor);
    assert_eq!(process.heap.fragment_words, 0);
    process.collect(0, CollectionKind::Minor);
}

#[test]
fn a_peeked_message_stays_and_is_not_left_behind() {
    let mut process = Process::new(2);
    let message = copy::to_fragment(build::tuple(&mut process.heap, &numbers(2)));
    // SAFETY: a live message.
    let term = unsafe { (*message).term };
    let peeking = Request {
        peeked: message,
        ..Request::new(CollectionKind::Minor, 600)
    };
    process.x[0] = term;
    // Enough that the next collection would promote it.
    for _ in 0..200 {
        let tail = process.x[1];
        process.x[1] = build::cons(
            &mut process.heap,
            term,
            if tail.is_none() { Term::NIL } else { tail },
        );
    }
    process.run(&peeking);
    assert_eq!(process.x[0], term);
    assert_eq!(process.heap.high_water, process.heap.start);
    // SAFETY: it is the message's term that the register holds; now the message is the heap's.
    unsafe { heap::adopt(&mut process.heap, message) };
    process.collect(0, CollectionKind::Minor);
    assert_ne!(process.x[0], term);
    process.collect(0, CollectionKind::Minor);
    process.collect(0, CollectionKind::Minor);
}

#[test]
fn match_contexts_follow_their_binary() {
    let mut process = Process::new(2);
    let bytes: Vec<u8> = (0..60).collect();
    let binary = build::binary(&mut process.heap, &bytes);
    let context = bits::matching::start_match(&mut process.heap, binary).unwrap();
    process.x[0] = context.term();
    for kind in [
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Major,
    ] {
        process.collect(500, kind);
        let context = MatchContext::of(process.x[0]).unwrap();
        let expected = context.binary().as_bits().unwrap().bytes();
        assert_eq!(context.bytes().cast_const(), expected);
    }
}

#[test]
fn a_context_keeps_the_room_of_a_writable_binary() {
    let mut process = Process::new(2);
    let string = bits::append::init_writable(&mut process.heap, Term::small(10_000));
    let (string, mut builder) =
        bits::append::append(&mut process.heap, string, 64, 1).expect("there is room");
    // SAFETY: the builder was just made.
    unsafe { builder.put_integer(Term::small(77), 64, bits::Flags::BIG) }.unwrap();
    process.x[0] = bits::matching::start_match(&mut process.heap, string)
        .unwrap()
        .term();
    process.x[1] = string;
    let capacity = |string: Term| {
        let (whole, _) = build::whole_of(string);
        let block = SharedBinary::of(whole)
            .unwrap()
            .block()
            .cast::<off_heap::BinaryBlock>();
        // SAFETY: the live binary's block.
        unsafe { (*block).capacity }
    };
    for kind in [
        CollectionKind::Minor,
        CollectionKind::Minor,
        CollectionKind::Major,
        CollectionKind::Major,
    ] {
        process.collect(500, kind);
        assert_eq!(capacity(process.x[1]), 10_000);
    }
    let context = MatchContext::of(process.x[0]).unwrap();
    let value = bits::matching::get_integer(&mut process.heap, context, 64, bits::Flags::BIG);
    assert_eq!(value, Some(Term::small(77)));
    process.x[0] = Term::NIL;
    process.collect(0, CollectionKind::Major);
    process.collect(0, CollectionKind::Major);
    assert_eq!(capacity(process.x[1]), 8);
}

#[test]
fn hibernation_leaves_no_room() {
    let mut process = Process::new(1);
    process.collect(3000, CollectionKind::Minor);
    process.x[0] = build::list(&mut process.heap, &numbers(100));
    let mut roots: [&mut [Term]; 1] = [&mut process.x];
    hibernate(&mut process.heap, &mut roots).unwrap();
    assert_eq!(
        block_words(&process.heap),
        block::tight_size(200 + STACK_RESERVE_WORDS)
    );
    process.collect(50, CollectionKind::Minor);
    assert!(block_words(&process.heap) > 250);
}

/// A collection that was asked for gives large blocks of both generations to the system, and only what nobody needs.
#[test]
fn a_large_heap_shrinks_when_asked() {
    let many = if cfg!(miri) { 300 } else { 200_000 };
    let mut process = Process::new(2);
    process.collect(4 * many, CollectionKind::Minor);
    process.x[0] = build::list(&mut process.heap, &numbers(5));
    process.x[1] = build::list(&mut process.heap, &numbers(many as i64));
    process.collect(0, CollectionKind::Minor);
    process.collect(0, CollectionKind::Minor);
    assert!(!process.heap.old.is_null());
    process.collect(0, CollectionKind::Major);
    assert!(block_words(&process.heap) > 2 * many);
    process.x[1] = Term::NIL;
    process.collect(0, CollectionKind::Major);
    assert!(block_words(&process.heap) < 100 && process.heap.old.is_null());
}

#[test]
fn a_sleeper_goes_back_to_the_least_block() {
    let mut process = Process::new(2);
    process.collect(3000, CollectionKind::Minor);
    process.x[0] = build::list(&mut process.heap, &numbers(5));
    process.push(0x1000);
    let request = Request {
        tight: true,
        ..Request::new(CollectionKind::Major, 0)
    };
    for _ in 0..2 {
        process.run(&request);
        assert!(process.has_least_block());
    }
    process.collect(100, CollectionKind::Minor);
    assert!(!process.has_least_block());
    process.x[1] = build::list(&mut process.heap, &numbers(12));
    process.run(&request);
    assert!(!process.has_least_block());
    // Also from a heap that is too large to be collected by way of the native stack.
    process.collect(3000, CollectionKind::Minor);
    process.x[1] = build::list(&mut process.heap, &numbers(1000));
    process.x[1] = Term::NIL;
    process.run(&request);
    assert!(process.has_least_block());
    assert_eq!(crate::list::items(process.x[0]).count(), 5);
}

#[test]
#[cfg_attr(miri, ignore = "Miri ends when it has no memory")]
fn a_need_that_no_memory_meets_leaves_the_heap_whole() {
    let mut process = Process::new(1);
    process.x[0] = build::list(&mut process.heap, &numbers(5));
    let before = process.graph();
    for need in [usize::MAX, 1 << 60, 1 << 48] {
        let mut roots: [&mut [Term]; 1] = [&mut process.x];
        let answer = collect(&mut process.heap, &mut roots, need, CollectionKind::Minor);
        assert_eq!(answer.unwrap_err(), NoMemory);
        verify::verify(&process.heap, &[&mut process.x], ptr::null_mut());
        assert!(process.graph() == before);
    }
}

#[test]
fn doomed_literals_are_copied_once() {
    let (area, words) = take_literal_area();
    let (base, count) = (area.wrapping_add(1024), 1024);
    let mut process = Process::new(3);
    let list = build::list(&mut process.heap, &numbers(20));
    let binary = build::binary(&mut process.heap, &[3; 500]);
    let term = build::tuple(&mut process.heap, &[list, binary, list]);
    let size = copy::size(term);
    let mut held = ptr::null_mut();
    // SAFETY: no other test writes to this part of the area.
    let literal = unsafe { copy::copy_to(base, size, &mut held, term, false) };
    process.x.fill(literal);
    let inner = literal.as_tuple(no_gc!()).unwrap()[0];
    process.x[1] = build::tuple(&mut process.heap, &[inner, literal]);
    let message = copy::to_fragment(process.x[1]);
    // SAFETY: the area's end.
    let range = base as usize..base.wrapping_add(count) as usize;
    assert!(range.end <= area.wrapping_add(words) as usize);
    let mut roots: [&mut [Term]; 1] = [&mut process.x];
    collect_literals(&mut process.heap, &mut roots, &range).unwrap();
    // SAFETY: the message is the test's alone.
    let message = unsafe { message::without_literals(message, &range) }.unwrap();
    for term in process.x.iter().copied() {
        assert!(!message::reaches(term, &range));
    }
    // SAFETY: live.
    assert!(!message::reaches(unsafe { (*message).term }, &range));
    assert_eq!(process.x[0], process.x[2]);
    let no_gc = no_gc!();
    let pair = process.x[1].as_tuple(no_gc).unwrap();
    assert_eq!(pair[1], process.x[0]);
    assert_eq!(pair[0], process.x[0].as_tuple(no_gc!()).unwrap()[0]);
    // The area is overwritten; the copies keep the binary alive.
    // SAFETY: the literal's own list.
    unsafe {
        off_heap::release(held);
        for index in 0..size {
            base.add(index).write(block::POISON);
        }
    }
    let tuple = process.x[0].as_tuple(no_gc).unwrap();
    assert_eq!(
        tuple[1].as_bits().unwrap().as_bytes(no_gc!()).unwrap(),
        [3; 500]
    );
    process.collect(0, CollectionKind::Minor);
    // SAFETY: the message is the test's alone.
    unsafe {
        let elements = (*message).term.as_tuple(no_gc).unwrap();
        let binary = elements[1].as_tuple(no_gc!()).unwrap()[1];
        assert_eq!(
            off_heap::references(off_heap::block_of(binary.boxed_pointer())),
            2
        );
        assert!(message::without_literals(message, &range).is_none());
        heap::drop_fragment(message);
    }
}

#[test]
fn stress_moves_everything_and_leaves_no_room() {
    let mut process = Process::new(1);
    process.x[0] = build::list(&mut process.heap, &numbers(3));
    let request = Request {
        stress: Stress::Verify,
        ..Request::new(CollectionKind::Minor, 5)
    };
    for round in 0..3 {
        let before = (process.heap.start, process.x[0]);
        process.run(&request);
        let free = words_between(process.heap.top, process.heap.stack);
        assert_eq!(free, 5 + STACK_RESERVE_WORDS);
        assert_ne!(before.0, process.heap.start);
        assert!(round > 1 || before.1 != process.x[0]);
    }
    assert_eq!(sizes(&process.heap).old_heap, 6);
}

#[test]
fn dead_holders_give_back_what_they_held() {
    let held = Arc::new(());
    let mut process = Process::new(3);
    process.collect(100, CollectionKind::Minor);
    let block = BinaryBlock::new(1000);
    let make = |process: &mut Process, register: usize| {
        let magic = MagicBlock::new(Box::new(held.clone()));
        // SAFETY: the counts of both blocks are handed over.
        process.x[register] = unsafe {
            off_heap::retain(block.cast::<Counted>());
            let binary = build::shared_binary(&mut process.heap, block, 1000, 0);
            let magic = build::magic_reference(&mut process.heap, 1, 2, magic);
            build::tuple(&mut process.heap, &[binary, magic])
        };
    };
    for register in 0..3 {
        make(&mut process, register);
    }
    // SAFETY: the test holds a count itself.
    let count = || unsafe { off_heap::references(block.cast()) };
    // SAFETY: the block of 1000 bytes.
    unsafe { BinaryBlock::bytes(block).write_bytes(7, 1000) };
    assert_eq!((count(), Arc::strong_count(&held)), (4, 4));
    process.x[0] = Term::NIL;
    process.collect(0, CollectionKind::Minor);
    assert_eq!((count(), Arc::strong_count(&held)), (3, 3));
    assert_eq!(process.heap.off_heap_words, 250);
    process.x[1] = build::list(&mut process.heap, &numbers(500));
    process.collect(0, CollectionKind::Minor);
    assert_eq!((count(), Arc::strong_count(&held)), (2, 2));
    process.collect(0, CollectionKind::Minor);
    assert_eq!(sizes(&process.heap).old_off_heap, 125);
    process.x[2] = Term::NIL;
    process.collect(0, CollectionKind::Minor);
    assert_eq!(count(), 2);
    process.collect(0, CollectionKind::Major);
    assert_eq!((count(), Arc::strong_count(&held)), (1, 1));
    make(&mut process, 0);
    drop(process);
    assert_eq!((count(), Arc::strong_count(&held)), (1, 1));
    // SAFETY: the test's own count.
    unsafe { off_heap::drop_reference(block.cast()) };
}

#[test]
fn off_heap_bytes_ask_for_collections_but_not_for_ever() {
    let mut process = Process::new(2);
    let mut forced = 0;
    process.x[0] = build::binary(&mut process.heap, &vec![1; 8 * 100_000]);
    for _ in 0..1000 {
        process.x[1] = build::binary(&mut process.heap, &[2; 100]);
        if process.heap.flags & flag::FORCE != 0 {
            forced += 1;
            process.collect(0, CollectionKind::Minor);
        }
    }
    assert_eq!(forced, 1);
}

fn take_literal_area() -> (*mut u64, usize) {
    static AREA: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let words = 1 << 12;
    let address = *AREA.get_or_init(|| {
        let area = Box::leak(vec![0_u64; words].into_boxed_slice()).as_mut_ptr();
        literal::set_range(area as usize, words * 8);
        area as usize
    });
    literal::share_here(true);
    (address as *mut u64, words)
}
