//! Tests of the tree against an ordered map, and of its invariants.

use std::collections::BTreeMap;

use super::digest::Digests;
use super::node::Inner;
use super::*;
use crate::tests::amount;
use layout::no_gc;
use term::test_terms::{Numbers, Terms};

/// What key stands for a number: a small integer or something boxed; either way keys order as the numbers do.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Keys {
    Small,
    Boxed,
    /// Both kinds; the small integers sort first.
    Mixed,
    /// Binaries and lists of characters, also nested in tuples and lists; some have a common prefix, some begin with
    /// the number.
    Texts,
}

impl Keys {
    fn key(self, terms: &mut Terms, number: i64) -> Term {
        let is_boxed = match self {
            Keys::Small => false,
            Keys::Boxed => true,
            Keys::Mixed => number > 200,
            Keys::Texts => return text(terms, number),
        };
        if is_boxed {
            term::build::tuple(terms.heap(), &[Term::small(number)])
        } else {
            Term::small(number)
        }
    }

    fn object(self, terms: &mut Terms, number: i64, value: i64) -> New {
        let key = self.key(terms, number);
        let tuple = term::build::tuple(terms.heap(), &[key, Term::small(value)]);
        if value % 3 == 0 {
            return New::from(OwnedObject::new(tuple, 0));
        }
        New::Tuple {
            tuple,
            hash: 0,
            packs: false,
        }
    }
}

/// A key that contains the number as text, and orders as the number does: a list, a tuple or a binary, depending on
/// how large the number is.
fn text(terms: &mut Terms, number: i64) -> Term {
    use term::build::{binary, list, tuple};
    // The numbers of one thousand begin with the same text, which in some cases is followed by more text.
    let mut text = format!(
        "{:03}{}{number:06}",
        number / 1000,
        "common".repeat((number / 1000) as usize % 4)
    );
    if number % 3 == 0 {
        text.push_str(" and more");
    }
    let heap = terms.heap();
    let characters: Vec<Term> = text
        .bytes()
        .map(|byte| Term::small(i64::from(byte)))
        .collect();
    match number / 1000 % 6 {
        _ if number >= 6000 => binary(heap, text.as_bytes()),
        0 | 1 => {
            let number = Term::small(number);
            let inner = tuple(heap, &[Term::small(7), number]);
            tuple(heap, &[inner])
        }
        2 => {
            let text = binary(heap, text.as_bytes());
            tuple(heap, &[term::am::TRUE, text])
        }
        3 => {
            let text = list(heap, &characters);
            tuple(heap, &[term::am::TRUE, Term::small(0), text])
        }
        4 => {
            let text = binary(heap, text.as_bytes());
            let pair = tuple(heap, &[text, Term::small(number)]);
            list(heap, &[term::am::TRUE, pair])
        }
        _ => {
            // Sorts after the cases above.
            let text = list(heap, &characters);
            let pair = tuple(heap, &[text, Term::small(number)]);
            list(heap, &[pair])
        }
    }
}

/// The number of a key.
fn number(key: Term) -> i64 {
    if let Some(elements) = key.as_tuple(no_gc!()) {
        return number(*elements.last().expect("a key's element"));
    }
    if let Some(bits) = key.as_bits() {
        return number_in(bits.as_bytes(no_gc!()).expect("a binary"));
    }
    if key.is_cons() {
        let mut bytes = Vec::new();
        let mut last = Term::NIL;
        let mut rest = key;
        while let Some((head, tail)) = rest.as_cons() {
            bytes.extend(head.as_small().map(|byte| byte as u8));
            (last, rest) = (head, tail);
        }
        return if last.is_small() {
            number_in(&bytes)
        } else {
            number(last)
        };
    }
    key.small_value()
}

fn number_in(text: &[u8]) -> i64 {
    let text = std::str::from_utf8(text).expect("a key's text");
    let digits = &text.trim_end_matches(" and more");
    digits[digits.len() - 6..].parse().expect("six digits")
}

fn pair(object: ObjectRef<'_>) -> (i64, i64) {
    let elements = object.elements();
    (number(elements[0]), elements[1].small_value())
}

impl Tree {
    /// Checks the tree's invariants; returns the number of objects and bytes that it actually has.
    fn verify(&self) -> (i64, i64) {
        let mut leaves = Vec::new();
        let mut bytes = 0;
        if !self.is_empty() {
            assert_eq!(self.root == Node::NONE, self.first.is_null());
            self.verify_node(self.root, self.height, None, None, &mut leaves, &mut bytes);
            assert_eq!(leaves.first(), Some(&self.first));
            assert_eq!(leaves.last(), Some(&self.last));
        }
        let mut objects = 0;
        for (index, leaf) in leaves.iter().enumerate() {
            // SAFETY: a live node or object of the tree.
            let leaf = unsafe { &**leaf };
            objects += leaf.count() as i64;
            let previous = index
                .checked_sub(1)
                .map_or(ptr::null_mut(), |at| leaves[at]);
            let next = leaves.get(index + 1).copied().unwrap_or(ptr::null_mut());
            assert_eq!((leaf.previous, leaf.next), (previous, next));
        }
        if let Some((leaf, _)) = self.fingers.get() {
            assert!(leaves.contains(&leaf), "the finger's leaf is live");
        }
        (objects, bytes)
    }

    fn verify_node(
        &self,
        node: Node,
        height: usize,
        min: Option<Term>,
        above: Option<Term>,
        leaves: &mut Vec<*mut Leaf>,
        bytes: &mut i64,
    ) {
        if height > 0 {
            // SAFETY: a live node or object of the tree.
            let inner = unsafe { &*node.inner() };
            *bytes += size_of::<Inner>() as i64;
            assert!(inner.count > 0);
            assert!(inner.count > 1 || node != self.root, "a root of one child");
            let keys = &inner.keys[1..inner.count];
            assert!(!inner.is_plain || keys.iter().all(|key| key.is_small()));
            if let Some(digests) = &inner.digests
                && inner.count > 1
            {
                assert!(digests.holds_for(keys, 1), "digests of an inner node");
            }
            for index in 0..inner.count {
                let from = if index > 0 {
                    Some(inner.keys[index])
                } else {
                    min
                };
                let to = if index + 1 < inner.count {
                    Some(inner.keys[index + 1])
                } else {
                    above
                };
                self.verify_node(inner.children[index], height - 1, from, to, leaves, bytes);
            }
            return;
        }
        // SAFETY: a live node or object of the tree.
        let leaf = unsafe { &*node.leaf() };
        *bytes += size_of::<Leaf>() as i64;
        assert!(leaf.count() > 0, "an empty leaf");
        let keys = leaf.keys();
        assert!(!leaf.is_plain || keys.iter().all(|key| key.is_small()));
        if let Some(digests) = &leaf.digests {
            *bytes += size_of::<Digests>() as i64;
            assert!(!leaf.is_plain && digests.holds_for(keys, leaf.begin()));
        }
        for index in 0..leaf.count() {
            let object = leaf.object(leaf.begin() + index);
            *bytes += object.bytes() as i64;
            assert_eq!(
                object.key(self.keypos),
                keys[index],
                "the key is its object's"
            );
            assert!(index == 0 || compare::compare(keys[index - 1], keys[index]).is_lt());
        }
        if let Some(min) = min {
            assert!(compare::compare(min, keys[0]).is_le());
            assert!(min.is_immediate() || min == keys[0], "a key that dangles");
        }
        if let Some(above) = above {
            assert!(compare::compare(keys[leaf.count() - 1], above).is_lt());
        }
        leaves.push(node.leaf());
    }
}

/// Compares trees of neighbouring ranges with a model: changed at random, split and merged.
fn trees_behave_as_a_map(keys: Keys, seed: u64, range: u64, steps: usize) {
    let mut numbers = Numbers(seed);
    let mut trees = vec![Tree::new(1)];
    // The number from which each tree is responsible.
    let mut from = vec![i64::MIN];
    let mut model: BTreeMap<i64, i64> = BTreeMap::new();
    let mut next = 0;
    for step in 0..steps {
        let mut terms = Terms::new();
        let phase = step / (steps / 4) % 4;
        let wanted = match phase {
            0 => numbers.below(range) as i64,
            1 => {
                next = (next + 1) % range as i64;
                next
            }
            2 => {
                next = (next + range as i64 - 1) % range as i64;
                next
            }
            _ => numbers.below(range) as i64,
        };
        let at = from.partition_point(|first| *first <= wanted) - 1;
        let is_last = at + 1 == trees.len();
        let tree = &mut trees[at];
        let key = keys.key(&mut terms, wanted);
        match numbers.below(if phase == 3 { 20 } else { 12 }) {
            0..=6 => {
                let value = numbers.below(1000) as i64;
                let only_new = numbers.below(3) == 0;
                let is_new = !model.contains_key(&wanted);
                let object = keys.object(&mut terms, wanted, value);
                assert_eq!(tree.insert(object, only_new), is_new || !only_new);
                if is_new || !only_new {
                    model.insert(wanted, value);
                }
            }
            7 => {
                let found = tree.get(key).map(pair);
                assert_eq!(found, model.get(&wanted).map(|value| (wanted, *value)));
            }
            8 => {
                let backwards = numbers.below(2) == 0;
                let mut place = wanted;
                for _ in 0..5 {
                    let key = keys.key(&mut terms, place);
                    let found = tree.neighbour(key, backwards).map(pair);
                    let limit = from.get(at + 1).copied().unwrap_or(i64::MAX);
                    let expected = if backwards {
                        model.range(from[at]..place).next_back()
                    } else {
                        model.range(place + 1..limit.max(place + 1)).next()
                    };
                    assert_eq!(found, expected.map(|(key, value)| (*key, *value)));
                    let Some((found, _)) = found else { break };
                    place = found;
                }
            }
            9 | 10 if numbers.below(50) == 0 => {
                let limit = wanted + numbers.below(range / 4 + 1) as i64;
                let count = 1 + numbers.below(400) as usize;
                let (divisor, replaces) = (2 + numbers.below(3) as i64, numbers.below(2) == 0);
                let mut visited = 0;
                let mut judged = Vec::new();
                let outcome = tree.judge(
                    WalkStart::At(key),
                    |key| number(key) > limit,
                    |object| {
                        let (key, value) = pair(object);
                        visited += 1;
                        judged.push(key);
                        let verdict = if value % divisor == 0 {
                            Verdict::Keep
                        } else if replaces {
                            let New::Object(new) = keys.object(&mut terms, key, 3 * value) else {
                                panic!("an object by its value")
                            };
                            Verdict::Replace(new)
                        } else {
                            Verdict::Remove
                        };
                        (verdict, (visited == count).then_some(key))
                    },
                );
                let end = from.get(at + 1).copied().unwrap_or(i64::MAX);
                let expected: Vec<i64> = model
                    .range(wanted..end.min(limit + 1))
                    .map(|(key, _)| *key)
                    .take(count)
                    .collect();
                assert_eq!(judged, expected);
                assert_eq!(matches!(outcome, Visited::Stopped(_)), visited == count);
                for key in judged {
                    let value = model[&key];
                    if value % divisor != 0 && replaces {
                        model.insert(key, 3 * value);
                    } else if value % divisor != 0 {
                        model.remove(&key);
                    }
                }
                tree.verify();
            }
            9 if numbers.below(40) == 0 => {
                if let Some((upper, parting)) = tree.split_off() {
                    from.insert(at + 1, number(parting));
                    trees.insert(at + 1, upper);
                }
            }
            10 if numbers.below(40) == 0 && !is_last => {
                let upper = trees.remove(at + 1);
                from.remove(at + 1);
                trees[at].append(upper);
            }
            11.. => {
                let is_there = model.remove(&wanted).is_some();
                let mut removed = false;
                tree.remove_key(key, |_| {
                    removed = true;
                    true
                });
                assert_eq!(removed, is_there);
            }
            _ => {}
        }
        if step % 97 == 0 {
            let found: Vec<(i64, i64)> = trees
                .iter()
                .flat_map(|tree| tree.walk(WalkStart::Edge, false))
                .map(pair)
                .collect();
            let expected: Vec<(i64, i64)> =
                model.iter().map(|(key, value)| (*key, *value)).collect();
            assert_eq!(found, expected);
            let mut backwards: Vec<(i64, i64)> = trees
                .iter()
                .rev()
                .flat_map(|tree| tree.walk(WalkStart::Edge, true))
                .map(pair)
                .collect();
            backwards.reverse();
            assert_eq!(backwards, expected);
            let (objects, bytes) = trees
                .iter()
                .map(Tree::verify)
                .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
            assert_eq!(objects, trees.iter().map(Tree::objects).sum::<i64>());
            assert_eq!(bytes, trees.iter().map(Tree::bytes).sum::<i64>());
        }
    }
    let mut whole = trees.remove(0);
    for tree in trees {
        whole.append(tree);
    }
    whole.verify();
    assert_eq!(whole.objects(), model.len() as i64);
    let all: Vec<i64> = model.keys().copied().collect();
    for (index, key) in all.iter().enumerate() {
        assert_eq!(whole.nth(index).map(|object| pair(object).0), Ok(*key));
    }
    assert_eq!(whole.nth(all.len()).map(pair), Err(all.len()));
    let mut freed = 0;
    while !whole.is_empty() {
        freed += whole.free_some(SPARSE);
        whole.verify();
    }
    assert_eq!(freed, all.len());
    assert_eq!((whole.objects(), whole.bytes()), (0, 0));
}

#[test]
fn trees_behave_as_a_map_of_small_keys() {
    for seed in 0..amount(6, 1) {
        trees_behave_as_a_map(Keys::Small, seed, 12_000, amount(40_000, 300) as usize);
    }
}

#[test]
fn trees_behave_as_a_map_of_keys_in_objects() {
    for seed in 0..amount(6, 1) {
        trees_behave_as_a_map(Keys::Boxed, seed + 100, 6000, amount(25_000, 300) as usize);
    }
}

#[test]
fn trees_behave_as_a_map_of_all_sorts_of_keys() {
    for seed in 0..amount(6, 1) {
        trees_behave_as_a_map(Keys::Mixed, seed + 200, 400, amount(12_000, 300) as usize);
    }
}

#[test]
fn trees_behave_as_a_map_of_texts() {
    for seed in 0..amount(6, 1) {
        trees_behave_as_a_map(Keys::Texts, seed + 300, 9000, amount(30_000, 300) as usize);
    }
}

#[test]
fn words_of_keys_are_in_their_order() {
    let mut terms = Terms::new();
    for rows in [
        &[
            "<<>>",
            "<<\"a\">>",
            "<<\"ab\">>",
            "<<\"abcdefgh\">>",
            "<<\"abcdefghi\">>",
            "<<\"b\">>",
        ][..],
        &[
            "[]",
            "[0]",
            "[0,0]",
            "[0,1]",
            "[0,1,0]",
            "[1]",
            "[1,2,3]",
            "[1,2,3,4]",
            "[2]",
        ],
        &["{a,1}", "{a,2}", "{a,300}"],
        &["{a,{b,-2}}", "{a,{b,-1}}", "{a,{b,0}}", "{a,{b,1}}"],
        &["[{a,1},1]", "[{a,1},2]", "[{a,1},3]"],
        &["[x,{a,-1},1]", "[x,{a,2},0]", "[x,{a,2},3]"],
    ] {
        let keys: Vec<Term> = rows.iter().map(|row| terms.read(row)).collect();
        let digests = Digests::of(&keys, 3).expect("keys with digests");
        let words = &digests.words[3..3 + keys.len()];
        assert!(words.is_sorted(), "{rows:?}: {words:?}");
        assert!(words[0] < words[keys.len() - 1], "{rows:?}: {words:?}");
    }
    // Keys of other kinds, or of more than one kind.
    for rows in [
        &["a", "b"][..],
        &["1", "2.5", "3"],
        &["{a,1}", "{b,2}"],
        &["{1}", "{1,2}"],
        &["[1]", "[2.5]", "[3]"],
        &["{a,[1]}", "{a,[1|b]}", "{a,[2]}"],
        &["[1,2]", "[a,2]"],
        &["#{a => 1}", "#{a => 2}"],
    ] {
        let mut keys: Vec<Term> = rows.iter().map(|row| terms.read(row)).collect();
        keys.sort_by(|a, b| compare::compare(*a, *b));
        assert!(Digests::of(&keys, 0).is_none(), "{rows:?}");
    }
}

#[test]
fn what_digests_do_not_know_is_found_where_it_belongs() {
    let mut terms = Terms::new();
    let mut tree = Tree::new(1);
    let mut keys: Vec<Term> = Vec::new();
    for number in 0..amount(200, 12) {
        for text in [
            format!("{{user, {number}}}"),
            format!("<<\"user:{number}\">>"),
            format!("\"user:{number}\""),
            format!("{{user, <<\"{number} and so on\">>}}"),
        ] {
            keys.push(terms.read(&text));
        }
    }
    let odd = [
        "{user, 17.0}",
        "{user, 17.5}",
        "{user, a}",
        "{user, -1}",
        "{usen, 5}",
        "{zser, 5}",
        "{user}",
        "{user, 1, 2}",
        "<<>>",
        "<<\"user\">>",
        "<<\"user:\">>",
        "<<\"user:1z\">>",
        "<<\"zser:1\">>",
        "<<\"a\">>",
        "[]",
        "\"user\"",
        "\"zser:1\"",
        "[117, a]",
        "[117, 115, 101, 114, 58, a]",
        "[117, 115, 101, 114, 58, 49.0]",
        "[1.5]",
        "17",
        "a",
        "{user, <<\"1\">>}",
        "{user, <<>>}",
        "#{}",
        "[117 | 115]",
    ];
    let odd: Vec<Term> = odd.iter().map(|text| terms.read(text)).collect();
    for (index, key) in keys.iter().enumerate() {
        let tuple = term::build::tuple(terms.heap(), &[*key, Term::small(index as i64)]);
        tree.insert(OwnedObject::new(tuple, 0), false);
    }
    tree.verify();
    keys.sort_by(|a, b| compare::compare(*a, *b));
    for key in &odd {
        let at = keys.partition_point(|other| compare::compare(*other, *key).is_lt());
        let is_there = keys.get(at).is_some_and(|other| compare::eq(*other, *key));
        assert_eq!(tree.get(*key).is_some(), is_there);
        let behind = keys.get(at + usize::from(is_there));
        let next = tree.neighbour(*key, false).map(|object| object.key(1));
        match (behind, next) {
            (None, None) => {}
            (Some(one), Some(other)) => assert!(compare::eq_exact(*one, other)),
            _ => panic!("one behind the last"),
        }
    }
    for (index, key) in odd.iter().enumerate() {
        let tuple = term::build::tuple(terms.heap(), &[*key, Term::small(index as i64)]);
        tree.insert(OwnedObject::new(tuple, 0), false);
        for key in &odd[..=index] {
            assert!(tree.get(*key).is_some());
        }
        for key in &keys {
            assert!(tree.get(*key).is_some());
        }
    }
    for key in keys.iter().chain(&odd) {
        tree.remove_key(*key, |_| true);
        assert!(tree.get(*key).is_none());
    }
    assert_eq!((tree.objects(), tree.bytes()), (0, 0));
}

#[test]
fn rising_and_falling_keys_fill_the_leaves() {
    for rising in [true, false] {
        let mut tree = Tree::new(1);
        let mut terms = Terms::new();
        let all = amount(10_000, 1000) as i64;
        for number in 0..all {
            let number = if rising { number } else { all - number };
            tree.insert(Keys::Small.object(&mut terms, number, 0), false);
        }
        let (objects, _) = tree.verify();
        let mut leaves = 0;
        let mut leaf = tree.first;
        while !leaf.is_null() {
            leaves += 1;
            // SAFETY: a live node or object of the tree.
            leaf = unsafe { (*leaf).next };
        }
        assert_eq!(objects, all);
        assert!(leaves * ROOM * 4 < all as usize * 5, "{leaves} leaves");
    }
}

#[test]
fn a_table_that_empties_gives_its_nodes_back() {
    let mut tree = Tree::new(1);
    let mut numbers = Numbers(3);
    let mut terms = Terms::new();
    let (all, left) = (amount(20_000, 1000) as i64, amount(1000, 50) as usize);
    for number in 0..all {
        tree.insert(Keys::Boxed.object(&mut terms, number, 0), false);
    }
    let mut all: Vec<i64> = (0..all).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, numbers.below(at as u64 + 1) as usize);
    }
    for number in all.drain(..all.len() - left) {
        let key = Keys::Boxed.key(&mut terms, number);
        tree.remove_key(key, |_| true);
    }
    tree.verify();
    let mut leaves = 0;
    let mut leaf = tree.first;
    while !leaf.is_null() {
        leaves += 1;
        // SAFETY: a live node or object of the tree.
        leaf = unsafe { (*leaf).next };
    }
    assert!(leaves < left / 5, "{leaves} leaves for {left} objects");
}
