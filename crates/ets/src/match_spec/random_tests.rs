//! Random specifications on random subjects, by seed. What must hold for all of them: both ways of compiling agree; a
//! second run gives the same; a specification that needs no program means what its program means; and what
//! `replace_check` accepts keeps the key.

use layout::{Term, no_gc};
use term::test_terms::{Numbers, Terms, show};
use term::{atom, build, compare, map};

use super::flat::Flat;
use super::{Dialect, Interpreter, Program, Source, compile_aloud, replace_check, sources};
use crate::OwnedObject;
use crate::tests::amount;

const FUNCTIONS: &[&str] = &[
    "hd",
    "tl",
    "element",
    "is_map_key",
    "map_get",
    "size",
    "+",
    "-",
    "*",
    "div",
    "=:=",
    "==",
    "<",
    "not",
    "and",
    "or",
    "andalso",
    "orelse",
    "xor",
    "is_record",
    "self",
    "abs",
    "round",
    "binary_part",
    "const",
    "no_function",
];
const ATOMS: &[&str] = &[
    "a",
    "b",
    "true",
    "false",
    "$",
    "$x",
    "$01",
    "$18446744073709551616",
];
const VARIABLES: &[&str] = &["$1", "$2", "$3", "$10", "_", "$_", "$$"];

struct Random<'a> {
    numbers: &'a mut Numbers,
    terms: &'a mut Terms,
}

impl Random<'_> {
    fn one_of(&mut self, names: &[&str]) -> Term {
        atom::known(names[self.numbers.below(names.len() as u64) as usize])
    }

    fn some(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> Term) -> Vec<Term> {
        (0..self.numbers.below(most)).map(|_| make(self)).collect()
    }

    /// A term made of the leaves that `leaf` returns.
    fn nested(&mut self, depth: u32, leaf: fn(&mut Self) -> Term) -> Term {
        let choice = if depth == 0 { 0 } else { self.numbers.below(8) };
        let deeper = |random: &mut Self| random.nested(depth - 1, leaf);
        match choice {
            0..=3 => leaf(self),
            4 => {
                let items = self.some(4, deeper);
                let tail = if self.numbers.below(4) == 0 {
                    leaf(self)
                } else {
                    Term::NIL
                };
                build::list_with_tail(self.terms.heap(), &items, tail)
            }
            5 => {
                let keys = self.some(3, |random| Term::small(random.numbers.below(3) as i64));
                let pairs: Vec<_> = keys.into_iter().map(|key| (key, deeper(self))).collect();
                map::from_pairs(self.terms.heap(), &pairs)
            }
            _ => {
                let elements = self.some(4, deeper);
                build::tuple(self.terms.heap(), &elements)
            }
        }
    }

    fn constant(&mut self) -> Term {
        match self.numbers.below(8) {
            0 => Term::NIL,
            1 => build::float(self.terms.heap(), self.numbers.below(3) as f64),
            2 => build::binary(self.terms.heap(), b"binary"),
            3 | 4 => self.one_of(ATOMS),
            _ => Term::small(self.numbers.below(3) as i64),
        }
    }

    fn pattern_leaf(&mut self) -> Term {
        if self.numbers.below(3) == 0 {
            self.constant()
        } else {
            self.one_of(VARIABLES)
        }
    }

    fn expression(&mut self, depth: u32) -> Term {
        let choice = if depth == 0 { 0 } else { self.numbers.below(8) };
        match choice {
            0 | 1 => self.pattern_leaf(),
            2 | 3 => {
                let elements = self.some(4, |random| random.expression(depth - 1));
                let tuple = build::tuple(self.terms.heap(), &elements);
                build::tuple(self.terms.heap(), &[tuple])
            }
            4 => {
                let items = self.some(4, |random| random.expression(depth - 1));
                build::list(self.terms.heap(), &items)
            }
            5 => self.nested(2, Self::pattern_leaf),
            _ => {
                let mut call = vec![self.one_of(FUNCTIONS)];
                call.extend(self.some(4, |random| random.expression(depth - 1)));
                build::tuple(self.terms.heap(), &call)
            }
        }
    }

    /// The body that makes what a pattern has matched, or nearly.
    fn remade(&mut self, pattern: Term) -> Term {
        if self.numbers.below(12) == 0 {
            return self.expression(1);
        }
        match pattern.as_tuple(no_gc!()) {
            Some(elements) => {
                let elements: Vec<Term> = elements.iter().map(|part| self.remade(*part)).collect();
                let tuple = build::tuple(self.terms.heap(), &elements);
                build::tuple(self.terms.heap(), &[tuple])
            }
            None => pattern,
        }
    }

    fn clause(&mut self) -> Term {
        let head = if self.numbers.below(8) == 0 {
            self.nested(3, Self::pattern_leaf)
        } else {
            let elements = self.some(4, |random| random.nested(2, Self::pattern_leaf));
            build::tuple(self.terms.heap(), &elements)
        };
        let guards = if self.numbers.below(2) == 0 {
            Vec::new()
        } else {
            self.some(3, |random| random.expression(2))
        };
        let body = match self.numbers.below(3) {
            0 => vec![self.remade(head)],
            1 => vec![self.one_of(VARIABLES)],
            _ => self.some(3, |random| random.expression(3)),
        };
        let heap = self.terms.heap();
        let (guards, body) = (build::list(heap, &guards), build::list(heap, &body));
        build::tuple(heap, &[head, guards, body])
    }

    /// A term that a pattern may match.
    fn instance(&mut self, pattern: Term) -> Term {
        if let Some(elements) = pattern.as_tuple(no_gc!()) {
            let elements: Vec<Term> = elements.iter().map(|part| self.instance(*part)).collect();
            build::tuple(self.terms.heap(), &elements)
        } else if let Some((head, tail)) = pattern.as_cons() {
            let (head, tail) = (self.instance(head), self.instance(tail));
            build::cons(self.terms.heap(), head, tail)
        } else if super::pattern::is_wildcard(pattern) {
            self.nested(1, Self::constant)
        } else {
            pattern
        }
    }
}

/// The result on a subject, as a program that was compiled for one run gives it.
fn result(program: &Program, subject: Term) -> Option<String> {
    let mut interpreter = Interpreter::new(program, Term::NIL);
    let first = interpreter.run(program, subject).map(show);
    assert_eq!(interpreter.run(program, subject).map(show), first);
    first
}

fn check_key(program: &Program, source: &Source, subject: Term) -> bool {
    let no_gc = no_gc!();
    let Some(elements) = subject.as_tuple(no_gc) else {
        return false;
    };
    let mut kept = false;
    for keypos in 1..=elements.len() {
        if replace_check::keeps_key(source, keypos) {
            let mut interpreter = Interpreter::new(program, Term::NIL);
            let Some(result) = interpreter.run(program, subject) else {
                continue;
            };
            let key = result
                .as_tuple(no_gc)
                .and_then(|parts| parts.get(keypos - 1));
            let is_kept = key.is_some_and(|key| compare::eq_exact(*key, elements[keypos - 1]));
            let shown: Vec<String> = source.iter().copied().map(show).collect();
            assert!(
                is_kept,
                "{shown:?} makes {} of {}",
                show(result),
                show(subject)
            );
            kept = true;
        }
    }
    kept
}

fn check_flat(source: &Source, subject: Term, expected: &Option<String>) -> bool {
    let is_object = subject
        .as_tuple(no_gc!())
        .is_some_and(|elements| !elements.is_empty());
    let (Some(flat), true) = (Flat::of(source), is_object) else {
        return false;
    };
    let object = OwnedObject::new(subject, 0);
    let mut room = Terms::new();
    let bound = flat.matches(object.get().open().elements());
    let found = bound.map(|bound| show(flat.result(object.get(), &bound, room.heap())));
    let shown: Vec<String> = source.iter().copied().map(show).collect();
    assert_eq!(&found, expected, "{shown:?} on {}", show(subject));
    found.is_some()
}

#[test]
fn what_holds_for_all_specifications() {
    let (mut compiled, mut matched, mut kept, mut flat) = (0, 0, 0, 0);
    for seed in 0..amount(60_000, 15) {
        let mut numbers = Numbers(seed * 2_654_435_761 + 1);
        let mut terms = Terms::new();
        let mut random = Random {
            numbers: &mut numbers,
            terms: &mut terms,
        };
        let mut clauses = vec![random.clause()];
        clauses.extend(random.some(2, Random::clause));
        let specification = build::list(random.terms.heap(), &clauses);
        let sources = sources(specification).expect("a list of triples");
        let program = Program::compile(&sources);
        let aloud = compile_aloud(specification, Dialect::Table);
        assert_eq!(program.is_ok(), aloud.is_ok(), "{}", show(specification));
        let Ok(program) = program else {
            continue;
        };
        compiled += 1;
        for _ in 0..4 {
            let subject = match random.numbers.below(3) {
                0 => random.nested(2, Random::constant),
                _ => random.instance(sources[0][0]),
            };
            let found = result(&program, subject);
            matched += usize::from(found.is_some());
            if let [source] = &sources[..] {
                kept += usize::from(check_key(&program, source, subject));
                flat += usize::from(check_flat(source, subject, &found));
            }
        }
    }
    // The generator reaches what is checked.
    if !cfg!(miri) {
        assert!(compiled > 10_000, "{compiled} specifications were valid");
        assert!(
            matched > 10_000 && kept > 1_000 && flat > 1_000,
            "{matched} {kept} {flat}"
        );
    }
}
