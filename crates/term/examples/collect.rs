//! Measures what a collection costs for common shapes of heap. Prints nanoseconds per collection: `cargo run --release
//! -p term --example collect [part of a name]`.

use std::time::{Duration, Instant};

use layout::{Heap, Term};
use term::gc::{self, CollectionKind, Request};
use term::{build, heap};

/// The allocator that ferl uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A heap with a block of about `words` words.
fn heap_of(words: usize) -> Heap {
    let mut heap = heap::empty();
    heap.min_words = words as u32;
    heap.fullsweep_after = u16::MAX;
    heap.off_heap_limit_words = u32::MAX;
    collect(&mut heap, &mut [], 0, CollectionKind::Minor).expect("memory");
    heap
}

fn free_words(heap: &Heap) -> usize {
    (heap.stack as usize - heap.top as usize) / 8
}

fn report(name: &str, rounds: u32, mut round: impl FnMut() -> (Duration, usize)) {
    if std::env::args()
        .nth(1)
        .is_some_and(|part| !name.contains(&part))
    {
        return;
    }
    const BATCHES: u32 = 50;
    let rounds = (rounds / BATCHES).max(1);
    let mut moved = 0;
    let mut best = f64::MAX;
    for _ in 0..BATCHES {
        let mut nanoseconds = 0;
        for _ in 0..rounds {
            let (time, words) = round();
            moved += words;
            nanoseconds += time.as_nanos();
        }
        best = best.min(nanoseconds as f64 / f64::from(rounds));
    }
    let moved = moved / (BATCHES * rounds) as usize;
    println!("{name:32} {best:10.0} ns, {moved} words moved");
}

/// A young heap full of garbage, except for `live` small objects.
fn young(name: &str, words: usize, live: usize, rounds: u32) {
    let mut heap = heap_of(words);
    let mut roots = vec![Term::NIL; 8];
    report(name, rounds, || {
        litter(&mut heap, &mut roots, live);
        let start = Instant::now();
        let moved = collect(&mut heap, &mut [&mut roots], 8, CollectionKind::Minor)
            .expect("memory")
            .moved;
        (start.elapsed(), moved)
    });
    gc::free(&mut heap);
}

/// Fills the free words with tuples, `live` of which are kept in a list.
fn litter(heap: &mut Heap, roots: &mut [Term], live: usize) {
    roots.fill(Term::NIL);
    let tuples = free_words(heap) / 4;
    let every = tuples.checked_div(live).unwrap_or(usize::MAX);
    let mut kept = 0;
    for index in 0..tuples {
        if free_words(heap) < 12 {
            break;
        }
        let tuple = build::tuple(heap, &[Term::NIL, Term::small(1), Term::NIL]);
        if kept < live && index % every == 0 {
            roots[0] = build::cons(heap, tuple, roots[0]);
            kept += 1;
        }
    }
}

/// A heap that fills with records that point to each other, as a compiler's do, time and again. Of each twenty records
/// one is kept in a table, in place of another.
fn mixed(name: &str, words: usize, table: usize, rounds: u32) {
    let mut heap = heap_of(words);
    let mut roots = vec![Term::NIL; table];
    let mut random = fastrand::Rng::with_seed(1);
    report(name, rounds, || {
        let mut recent = [Term::NIL; 16];
        while free_words(&heap) > 40 {
            let name = build::tuple(&mut heap, &[Term::NIL, Term::small(random.i64(..1000))]);
            let from = recent[random.usize(..16)];
            let arguments = build::cons(&mut heap, from, Term::NIL);
            let arguments = build::cons(&mut heap, name, arguments);
            let record = build::tuple(
                &mut heap,
                &[Term::NIL, from, name, Term::small(7), arguments],
            );
            // Without an end to the chain everything would stay alive.
            recent[random.usize(..16)] = if random.u8(..4) == 0 { name } else { record };
            if random.u8(..20) == 0 {
                roots[random.usize(..table)] = record;
            }
        }
        let start = Instant::now();
        let moved = collect(&mut heap, &mut [&mut roots], 8, CollectionKind::Minor)
            .expect("memory")
            .moved;
        (start.elapsed(), moved)
    });
    gc::free(&mut heap);
}

/// Moves all of a structure, again and again.
fn major(name: &str, rounds: u32, make: impl Fn(&mut Heap) -> Term) {
    let mut heap = heap_of(4_000_000);
    let mut roots = [make(&mut heap)];
    heap.min_words = 0;
    report(name, rounds, || {
        let start = Instant::now();
        let moved = collect(&mut heap, &mut [&mut roots], 8, CollectionKind::Major)
            .expect("memory")
            .moved;
        (start.elapsed(), moved)
    });
    gc::free(&mut heap);
}

/// A heap that grows from nothing to a list of `count` cells, with as much garbage; prints the total cost.
fn growing(name: &str, count: i64) {
    if std::env::args()
        .nth(1)
        .is_some_and(|part| !name.contains(&part))
    {
        return;
    }
    let mut heap = heap_of(32);
    let mut roots = [Term::NIL];
    let (mut collections, mut majors, mut moved) = (0, 0, 0);
    let mut largest = 0;
    let mut time = Duration::ZERO;
    for index in 0..count {
        if free_words(&heap) < 8 {
            let start = Instant::now();
            let stats =
                collect(&mut heap, &mut [&mut roots], 4, CollectionKind::Minor).expect("memory");
            time += start.elapsed();
            collections += 1;
            majors += usize::from(stats.was_major);
            moved += stats.moved;
            largest = largest.max(gc::total_words(&heap));
        }
        build::cons(&mut heap, Term::small(index), Term::NIL);
        roots[0] = build::cons(&mut heap, Term::small(index), roots[0]);
    }
    println!(
        "{name}: {collections} collections, {majors} major, {moved} words moved for {} that stay, \
         {:.1} ms, at most {largest} words",
        count * 2,
        time.as_secs_f64() * 1000.0
    );
    gc::free(&mut heap);
}

fn main() {
    growing("growing to 50 cells", 50);
    growing("growing to 10k cells", 10_000);
    growing("growing to 1M cells", 1_000_000);
    growing("growing to 10M cells", 10_000_000);
    report("(the clock)", 100_000, || (Instant::now().elapsed(), 0));
    young("first block, 3 live objects", 38, 3, 200_000);
    young("233 words, 4 live objects", 233, 4, 200_000);
    young("233 words, 20 live objects", 233, 20, 200_000);
    young("987 words, 20 live objects", 987, 20, 100_000);
    young("10k words, 1/10 live", 10_000, 160, 10_000);
    young("10k words, half live", 10_000, 800, 10_000);
    young("1M words, 1/10 live", 1_000_000, 16_000, 100);
    mixed("records, 4k words", 4_000, 50, 10_000);
    mixed("records, 70k words", 70_000, 500, 1_000);
    mixed("records, 1M words", 1_000_000, 4_000, 100);
    let mut heap = heap_of(400);
    let request = Request::new(CollectionKind::Minor, 8);
    report("nothing to collect", 200_000, || {
        let start = Instant::now();
        let moved = run(&mut heap, &mut [], &request).expect("memory").moved;
        (start.elapsed(), moved)
    });
    gc::free(&mut heap);
    major("list of 1M, all", 20, |heap| {
        let items: Vec<Term> = (0..1_000_000).map(Term::small).collect();
        build::list(heap, &items)
    });
    major("100k tuples of 4 in a list", 20, |heap| {
        let mut list = Term::NIL;
        for index in 0..100_000 {
            let tuple = build::tuple(heap, &[Term::small(index), list, Term::NIL, Term::NIL]);
            list = build::cons(heap, tuple, list);
        }
        list
    });
    major("binary tree of 2^17 leaves", 20, |heap| {
        let mut level: Vec<Term> = (0..1 << 17).map(Term::small).collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| build::tuple(heap, &[Term::NIL, pair[0], pair[1]]))
                .collect();
        }
        level[0]
    });
}

fn collect(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    words: usize,
    kind: CollectionKind,
) -> Result<gc::Stats, gc::NoMemory> {
    run(heap, roots, &Request::new(kind, words))
}

/// A collection of this program: afterwards it uses the roots alone.
fn run(
    heap: &mut Heap,
    roots: &mut [&mut [Term]],
    request: &Request<'_>,
) -> Result<gc::Stats, gc::NoMemory> {
    // SAFETY: as said above; nothing here holds a token.
    unsafe { gc::run(heap, roots, request) }
}
