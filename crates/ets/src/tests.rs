//! Tests of tables' parts against a plain model, and of objects.

use layout::{Term, no_gc};
use term::{build, compare, hash};

use super::{Following, New, OwnedObject, TableKind};
use crate::store::lock::PartLock;
use crate::store::object::HASH_MASK;
use crate::store::part::Part;
use crate::store::ranges::{self, Ranges};
use crate::store::shard::Share;
use crate::store::tree;
use term::test_terms::{Numbers, Terms, assert_same};

const KINDS: [TableKind; 4] = [
    TableKind::Set,
    TableKind::OrderedSet,
    TableKind::Bag,
    TableKind::DuplicateBag,
];

/// How much a test does: less under Miri, which takes some thousand times longer.
pub(crate) const fn amount(native: u64, miri: u64) -> u64 {
    if cfg!(miri) { miri } else { native }
}

fn hash_of(kind: TableKind, key: Term) -> u32 {
    if kind == TableKind::OrderedSet {
        0
    } else {
        hash::internal(key, 0) & HASH_MASK
    }
}

/// `{Key, Value}` as the model stores it.
type Pair = (i64, i64);

fn tuple(terms: &mut Terms, (key, value): Pair) -> Term {
    build::tuple(terms.heap(), &[Term::small(key), Term::small(value)])
}

fn pair(tuple: Term) -> Pair {
    let no_gc = no_gc!();
    let elements = tuple.as_tuple(no_gc).expect("a pair");
    (elements[0].small_value(), elements[1].small_value())
}

/// The objects of a table, the oldest first.
struct Model {
    kind: TableKind,
    pairs: Vec<Pair>,
}

impl Model {
    fn insert(&mut self, new: Pair, only_new: bool) -> bool {
        let known = self.pairs.iter().position(|pair| pair.0 == new.0);
        match (known, self.kind) {
            (Some(_), _) if only_new => return false,
            (Some(place), TableKind::Set | TableKind::OrderedSet) => self.pairs[place] = new,
            (Some(_), TableKind::Bag) if self.pairs.contains(&new) => {}
            _ => self.pairs.push(new),
        }
        true
    }

    fn with_key(&self, key: i64) -> Vec<Pair> {
        self.pairs
            .iter()
            .copied()
            .filter(|pair| pair.0 == key)
            .collect()
    }
}

fn with_key(part: &Part, kind: TableKind, key: i64) -> Vec<Pair> {
    let mut found = Vec::new();
    let key = Term::small(key);
    part.each_with_key(key, hash_of(kind, key), |object| {
        found.push(pair(object.open().tuple()))
    });
    found.reverse();
    found
}

/// The keys that a traversal by `first` and `next` finds.
fn keys_by_next(part: &Part, kind: TableKind) -> Vec<i64> {
    let mut keys = Vec::new();
    let mut next = part.first(false);
    while let Some(object) = next {
        let key = object.key(1);
        keys.push(key.small_value());
        next = match part.following(key, hash_of(kind, key), false) {
            Following::Object(object) => Some(object),
            Following::End => None,
            Following::NoSuchKey => panic!("the key {key:?} was just there"),
        };
    }
    keys
}

#[test]
fn parts_behave_as_a_plain_list() {
    for kind in KINDS {
        for seed in 0..amount(8, 4) {
            let mut numbers = Numbers(seed * 977 + 5);
            // A part with 256 slots is folded at first.
            let first_slots = if seed % 4 < 2 { 4 } else { 256 };
            let mut part = Part::new(kind, 1, first_slots, Share::WHOLE);
            let mut model = Model {
                kind,
                pairs: Vec::new(),
            };
            let mut fixed = false;
            let keys = if seed % 2 == 0 { 12 } else { amount(3000, 60) };
            for step in 0..amount(6000, 200) {
                let mut terms = Terms::new();
                let new = (numbers.below(keys) as i64, numbers.below(4) as i64);
                let key = Term::small(new.0);
                let hash = hash_of(kind, key);
                match numbers.below(10) {
                    0..=4 => {
                        let only_new = numbers.below(4) == 0;
                        let tuple = tuple(&mut terms, new);
                        let object = if step % 3 == 0 {
                            New::from(OwnedObject::new(tuple, hash))
                        } else {
                            let packs = false;
                            New::Tuple { tuple, hash, packs }
                        };
                        assert_eq!(
                            part.insert(object, only_new, fixed),
                            model.insert(new, only_new)
                        );
                    }
                    5 | 6 => {
                        part.remove_key(key, hash, fixed);
                        model.pairs.retain(|pair| pair.0 != new.0);
                    }
                    7 => {
                        part.remove_object(tuple(&mut terms, new), key, hash, fixed);
                        model.pairs.retain(|pair| *pair != new);
                    }
                    8 if step % 50 == 0 => {
                        fixed = !fixed;
                        if !fixed {
                            part.purge(usize::MAX);
                        }
                    }
                    _ => assert_eq!(with_key(&part, kind, new.0), model.with_key(new.0)),
                }
                assert_eq!(
                    part.objects(),
                    model.pairs.len() as i64,
                    "{kind:?} seed {seed} step {step}"
                );
            }
            let mut expected: Vec<i64> = model.pairs.iter().map(|pair| pair.0).collect();
            expected.sort_unstable();
            expected.dedup();
            let mut found = keys_by_next(&part, kind);
            if kind != TableKind::OrderedSet {
                found.sort_unstable();
            }
            assert_eq!(found, expected, "{kind:?} seed {seed}");
        }
    }
}

#[test]
fn a_fixed_table_shows_where_a_deleted_key_was() {
    for kind in [TableKind::Set, TableKind::Bag, TableKind::DuplicateBag] {
        let mut part = Part::new(kind, 1, 4, Share::WHOLE);
        let mut terms = Terms::new();
        for key in 0..100 {
            let object = tuple(&mut terms, (key, 0));
            part.insert(
                OwnedObject::new(object, hash_of(kind, Term::small(key))),
                false,
                false,
            );
        }
        let mut met = 0;
        let mut next = part.first(false).map(|object| object.key(1));
        while let Some(key) = next {
            met += 1;
            part.remove_key(key, hash_of(kind, key), true);
            next = match part.following(key, hash_of(kind, key), false) {
                Following::Object(object) => Some(object.key(1)),
                Following::End => None,
                Following::NoSuchKey => panic!("lost the place"),
            };
        }
        assert_eq!((met, part.objects()), (100, 0), "{kind:?}");
        let full = part.bytes();
        part.purge(usize::MAX);
        assert!(part.bytes() < full);
        let first = Term::small(0);
        assert!(matches!(
            part.following(first, hash_of(kind, first), false),
            Following::NoSuchKey
        ));
    }
}

#[test]
fn objects_deleted_while_a_table_was_fixed_are_freed_though_slots_split_since() {
    let mut part = Part::new(TableKind::Set, 1, 4, Share::WHOLE);
    let keys = amount(2000, 100) as i64;
    let mut terms = Terms::new();
    for number in 0..keys {
        let tuple = tuple(&mut terms, (number, 0));
        let hash = hash_of(TableKind::Set, Term::small(number));
        part.insert(OwnedObject::new(tuple, hash), false, true);
    }
    for number in (0..keys).step_by(3) {
        let key = Term::small(number);
        part.remove_key(key, hash_of(TableKind::Set, key), true);
    }
    // The table is released, and another process inserts before the part is purged.
    for number in keys..2 * keys {
        let tuple = tuple(&mut terms, (number, 0));
        let hash = hash_of(TableKind::Set, Term::small(number));
        part.insert(OwnedObject::new(tuple, hash), false, false);
    }
    part.purge(usize::MAX);
    let Part::Hash(shard) = &part else {
        panic!("a hash table");
    };
    let held: usize = (0..shard.slots())
        .map(|slot| shard.all_in_slot(slot).count())
        .sum();
    assert_eq!(held as i64, part.objects());
    assert_eq!(part.objects(), 2 * keys - (keys + 2) / 3);
}

#[test]
fn a_folded_table_has_the_order_of_its_slots() {
    for kind in [TableKind::Set, TableKind::Bag, TableKind::DuplicateBag] {
        let mut terms = Terms::new();
        let mut part = |others: std::ops::Range<i64>| {
            let mut part = Part::new(kind, 1, 256, Share::WHOLE);
            for key in (0..12).map(|number| number * 37).chain(others.clone()) {
                let object = tuple(&mut terms, (key, key));
                let hash = hash_of(kind, Term::small(key));
                part.insert(OwnedObject::new(object, hash), false, false);
            }
            for key in others {
                part.remove_key(Term::small(key), hash_of(kind, Term::small(key)), false);
            }
            part
        };
        let folded = part(0..0);
        let unfolded = part(1000..1040);
        assert!(folded.bytes() + 1024 < unfolded.bytes());
        assert_eq!(
            keys_by_next(&folded, kind),
            keys_by_next(&unfolded, kind),
            "{kind:?}"
        );
        let (Part::Hash(folded), Part::Hash(unfolded)) = (&folded, &unfolded) else {
            panic!("hash tables");
        };
        assert_eq!(folded.slots(), unfolded.slots());
        for slot in 0..folded.slots() {
            let keys = |objects: Vec<super::ObjectRef<'_>>| -> Vec<Term> {
                objects.iter().map(|object| object.key(1)).collect()
            };
            let there = keys(folded.in_slot(slot).collect());
            assert_eq!(there, keys(unfolded.in_slot(slot).collect()));
            assert_eq!(folded.chain_length(slot), (there.len(), 0));
        }
    }
}

#[test]
fn slots_grow_and_shrink_with_the_objects() {
    let mut part = Part::new(TableKind::Set, 1, 256, Share::WHOLE);
    let mut terms = Terms::new();
    let hash = |key: i64| hash_of(TableKind::Set, Term::small(key));
    let slots = |part: &Part| match part {
        Part::Hash(shard) => shard.slots(),
        Part::Tree(_) => 0,
    };
    let (all, removed) = (amount(20_000, 2600) as i64, amount(19_990, 2590) as i64);
    for key in 0..all {
        let object = tuple(&mut terms, (key, key));
        part.insert(OwnedObject::new(object, hash(key)), false, false);
    }
    assert_eq!(slots(&part), all as usize);
    for key in 0..removed {
        part.remove_key(Term::small(key), hash(key), false);
    }
    assert!(slots(&part) <= 256 + 2048, "{}", slots(&part));
    for key in removed..all {
        assert_eq!(with_key(&part, TableKind::Set, key), [(key, key)]);
    }
}

#[test]
fn ordered_sets_hold_one_of_equal_numbers() {
    let mut part = Part::new(TableKind::OrderedSet, 1, 1, Share::WHOLE);
    let mut terms = Terms::new();
    for text in ["{1,a}", "{2,b}", "{1.0,c}"] {
        part.insert(OwnedObject::new(terms.read(text), 0), false, false);
    }
    assert_eq!(part.objects(), 2);
    // The key that was in the tree was freed with the first object.
    let object = part.get(Term::small(1), 0).expect("a key equal to 1");
    assert_same(object.open().tuple(), terms.read("{1.0,c}"), "the last one");
    part.remove_key(Term::small(1), 0, false);
    assert_eq!(part.objects(), 1);
}

#[test]
fn a_pattern_bounds_the_walk_through_a_tree() {
    let mut tree = tree::Tree::new(1);
    let mut terms = Terms::new();
    for first in 0..20 {
        for second in 0..5 {
            let object = terms.read(&format!("{{{{{first},[{second}]}},x}}"));
            tree.insert(OwnedObject::new(object, 0), false);
        }
    }
    for text in ["{zz,y}", "{a,b,c}", "{{1,2,3},x}", "{\"s\",x}"] {
        tree.insert(OwnedObject::new(terms.read(text), 0), false);
    }
    for (pattern, expected) in [
        ("{7,'_'}", 5),
        ("{7,['$1'|'_']}", 5),
        ("{'_',[3]}", 100),
        ("{7,[3|'$1']}", 1),
        ("{99,'_'}", 0),
        ("{7,[4]}", 1),
    ] {
        let pattern = terms.read(pattern);
        for backwards in [false, true] {
            let keys: Vec<Term> = tree
                .walk(tree::WalkStart::Pattern(pattern), backwards)
                .map(|object| object.key(1))
                .take_while(|key| !tree::Tree::is_past(*key, pattern, backwards))
                .collect();
            assert_eq!(keys.len(), expected, "{pattern:?} {backwards}");
            assert!(keys.is_sorted_by(|a, b| {
                let order = compare::compare(*a, *b);
                if backwards {
                    order.is_gt()
                } else {
                    order.is_lt()
                }
            }));
        }
    }
}

#[test]
fn objects_copy_whole_and_give_binaries_back() {
    let mut terms = Terms::new();
    let text =
        terms.read(r#"{key,[1,2.5,"text"|#{a => {<<"short">>,1180591620717411303424}}],{}}"#);
    let big = vec![7; amount(1 << 20, 1 << 14) as usize];
    let heap = terms.heap();
    let before = term::held::bytes(term::held::HeldKind::Binary);
    let binary = build::binary(heap, &big);
    let part = build::sub_bits(heap, binary, 3, 77);
    let whole = build::tuple(heap, &[text, binary, part]);
    let object = OwnedObject::new(whole, 1);
    let mut reader = Terms::new();
    let copied = object.get().copy_to(reader.heap());
    assert_same(copied, whole, "the copy");
    assert_eq!(
        object.get().binaries().len(),
        2,
        "the binary, and the one under its part"
    );
    // Tests that run in parallel also allocate and free binaries, all far smaller.
    assert!(term::held::bytes(term::held::HeldKind::Binary) >= before + big.len() / 2);
    drop(object);
    assert_same(copied, whole, "the copy without the object");
}

#[test]
fn packed_objects_are_smaller_and_the_same_again() {
    let mut terms = Terms::new();
    let text = "\"text, and a good deal of it: it is what compression is for\"";
    let bytes = vec![7; 300];
    let binary = build::binary(terms.heap(), &bytes);
    let part = build::sub_bits(terms.heap(), binary, 3, 77);
    let contents = [
        text.to_owned(),
        format!("[{text},{text}|tail]"),
        "[-1,0,1,255,256,-576460752303423488,576460752303423487,1180591620717411303424]".to_owned(),
        format!("#{{a => 2.5, {text} => [[]], <<\"short\">> => {{}}}}"),
        format!("{{{{{{{text}}}}},[{{a,b,1}},{{a,b,2}},{{a,b,3}},{{a,b,4}},{{a,b,5}}]}}"),
    ];
    let mut packed = 0;
    for first in &contents {
        for second in &contents {
            for keypos in 1..=3 {
                let (first, second) = (terms.read(first), terms.read(second));
                let elements = [first, Term::NIL, second, binary, part, Term::small(3)];
                let tuple = build::tuple(terms.heap(), &elements);
                let object = OwnedObject::packed(tuple, 9, keypos);
                packed += usize::from(object.get().is_packed());
                assert!(object.get().bytes() <= OwnedObject::new(tuple, 9).get().bytes());
                assert_eq!(object.get().hash(), 9);
                assert_same(object.get().key(keypos), elements[keypos - 1], "the key");
                assert_same(object.get().open().tuple(), tuple, "what was packed");
                // Two: the binary itself, and the one that `part` refers to.
                assert_eq!(object.get().binaries().len(), 2);
                let mut reader = Terms::new();
                let copied = object.get().copy_to(reader.heap());
                drop(object);
                assert_same(copied, tuple, "the copy without the object");
            }
        }
    }
    assert!(
        packed > contents.len() * contents.len(),
        "only {packed} are packed"
    );
    let small = terms.read("{key,1,{}}");
    assert!(!OwnedObject::packed(small, 0, 1).get().is_packed());
}

#[test]
fn threads_share_a_part() {
    const KEYS: i64 = 64;
    let kind = TableKind::Set;
    for (places, schedulers) in [(1, 2), (4, 4), (1, 1)] {
        let lock = PartLock::new(Part::new(kind, 1, 4, Share::WHOLE), places, schedulers);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let lock = &lock;
                scope.spawn(move || {
                    let mut numbers = Numbers(thread);
                    let mut terms = Terms::new();
                    for _ in 0..amount(5000, 40) {
                        let key = numbers.below(KEYS as u64) as i64;
                        let hash = hash_of(kind, Term::small(key));
                        match numbers.below(4) {
                            0 => {
                                // Readers must see the key and its double together.
                                let object =
                                    OwnedObject::new(tuple(&mut terms, (key, 2 * key)), hash);
                                lock.write().insert(object, false, false);
                            }
                            1 => lock.write().remove_key(Term::small(key), hash, false),
                            _ => {
                                let found = with_key(&lock.read(), kind, key);
                                assert!(found.is_empty() || found == [(key, 2 * key)]);
                            }
                        }
                    }
                });
            }
        });
        let part = lock.read();
        let there = (0..KEYS).filter(|key| !with_key(&part, kind, *key).is_empty());
        assert_eq!(there.count() as i64, part.objects());
    }
}

#[test]
fn contents_are_freed_piece_by_piece() {
    for kind in KINDS {
        let mut part = Part::new(kind, 1, 16, Share::WHOLE);
        let mut terms = Terms::new();
        for key in 0..1000 {
            let object = tuple(&mut terms, (key, key));
            part.insert(
                OwnedObject::new(object, hash_of(kind, Term::small(key))),
                false,
                false,
            );
        }
        let mut contents = super::Contents {
            objects: part.objects() as usize,
            parts: vec![part.take(), part],
        };
        let mut pieces = 1;
        while contents.free_some(100) {
            pieces += 1;
        }
        assert!((8..=11).contains(&pieces), "{kind:?}: {pieces}");
    }
}

/// The keys of all ranges, as found by a walk that continues at each bound.
fn keys_of_ranges(ranges: &Ranges, backwards: bool) -> Vec<i64> {
    let mut keys = Vec::new();
    let mut from = tree::WalkStart::Edge;
    let mut bound;
    loop {
        let (span, part) = ranges.read_from(from, backwards);
        let Part::Tree(tree) = &*part else {
            panic!("no tree")
        };
        keys.extend(
            tree.walk(from, backwards)
                .map(|object| key_number(object.key(1))),
        );
        let Some(next) = ranges.bound_of(span, backwards) else {
            return keys;
        };
        drop(part);
        bound = next;
        from = ranges::beyond(&bound, backwards);
    }
}

/// Every third number is the key `{Number}`, all others are the number itself; the latter sort first.
fn key_of(terms: &mut Terms, number: i64) -> Term {
    if number % 3 == 0 {
        build::tuple(terms.heap(), &[Term::small(number)])
    } else {
        Term::small(number)
    }
}

fn key_number(key: Term) -> i64 {
    key.as_tuple(no_gc!())
        .map_or(key, |elements| elements[0])
        .small_value()
}

#[test]
fn threads_share_ranges_that_are_cut_and_put_together() {
    const THREADS: i64 = 4;
    const KEYS: i64 = amount(600, 60) as i64;
    for places in [1, 2] {
        let ranges = Ranges::new(1, places, 2);
        let mut terms = Terms::new();
        let mut insert = |number: i64, value: i64| {
            let key = key_of(&mut terms, number);
            let tuple = build::tuple(terms.heap(), &[key, Term::small(value)]);
            ranges
                .write(key)
                .insert(OwnedObject::new(tuple, 0), false, false);
        };
        // These keys are never removed.
        (0..KEYS).for_each(|number| insert(number * (THREADS + 1), 0));
        let max_ranges = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (ranges, max_ranges) = (&ranges, &max_ranges);
                scope.spawn(move || {
                    let mut numbers = Numbers(thread as u64 + 7);
                    let mut own: std::collections::BTreeMap<i64, i64> = Default::default();
                    for step in 0..amount(12_000, 150) as i64 {
                        let mut terms = Terms::new();
                        let number = numbers.below(KEYS as u64) as i64 * (THREADS + 1) + thread + 1;
                        let key = key_of(&mut terms, number);
                        match numbers.below(8) {
                            0..=2 => {
                                let tuple = build::tuple(terms.heap(), &[key, Term::small(step)]);
                                let object = OwnedObject::new(tuple, 0);
                                ranges.write(key).insert(object, false, false);
                                own.insert(number, step);
                            }
                            3 | 4 => {
                                ranges.write(key).remove_key(key, 0, false);
                                own.remove(&number);
                            }
                            5 => ranges.provoke(key, numbers.below(5) < 3),
                            6 if step % 64 == 0 => {
                                let backwards = numbers.below(2) == 0;
                                let mut keys = keys_of_ranges(ranges, backwards);
                                if backwards {
                                    keys.reverse();
                                }
                                assert!(keys.is_sorted_by_key(|key| (key % 3 == 0, *key)));
                                let mut lasting = 0;
                                let mut mine = Vec::new();
                                for key in keys {
                                    match key % (THREADS + 1) {
                                        0 => lasting += 1,
                                        owner if owner == thread + 1 => mine.push(key),
                                        _ => {}
                                    }
                                }
                                mine.sort_unstable();
                                assert_eq!(lasting, KEYS, "what is there all the time is met");
                                assert!(mine.iter().eq(own.keys()), "and what is one's own");
                                max_ranges.fetch_max(
                                    ranges.count(),
                                    std::sync::atomic::Ordering::Relaxed,
                                );
                            }
                            _ => {
                                let part = ranges.read(key);
                                let found = part.get(key, 0);
                                let found = found.map(|object| object.elements()[1].small_value());
                                assert_eq!(found, own.get(&number).copied());
                            }
                        }
                    }
                });
            }
        });
        let max_ranges = max_ranges.into_inner();
        assert!(cfg!(miri) || max_ranges > 3, "ranges were cut");
        let mut objects = 0;
        ranges.each(|part| {
            objects += part.objects();
            None::<()>
        });
        let mut all = ranges.write_all();
        assert_eq!(objects, all.parts.iter().map(|part| part.objects()).sum());
        let emptied: Vec<Part> = all.parts.iter_mut().map(|part| part.take()).collect();
        all.collapse();
        drop(all);
        assert_eq!(ranges.count(), 1);
        assert!(keys_of_ranges(&ranges, false).is_empty());
        let mut contents = super::Contents {
            objects: objects as usize,
            parts: emptied,
        };
        assert!(!contents.free_some(usize::MAX));
        insert(1, 1);
        assert_eq!(keys_of_ranges(&ranges, false), [1]);
    }
}

#[test]
fn ranges_that_nobody_changes_together_become_one() {
    let ranges = Ranges::new(1, 1, 2);
    let mut terms = Terms::new();
    let mut insert = |number: i64| {
        let object = OwnedObject::new(tuple(&mut terms, (number, 0)), 0);
        let key = object.get().key(1);
        ranges.write(key).insert(object, false, false);
    };
    let count = amount(1000, 300) as i64;
    (0..count).for_each(&mut insert);
    for number in (0..count).step_by(count as usize / 10) {
        ranges.provoke(Term::small(number), true);
        insert(number);
    }
    assert!(ranges.count() > 5);
    if cfg!(miri) {
        // Half a million changes would take hours.
        return;
    }
    for number in (0..1_000_000).map(|number| number % count) {
        insert(number);
    }
    assert_eq!(ranges.count(), 1);
    assert_eq!(keys_of_ranges(&ranges, true).len(), count as usize);
}
