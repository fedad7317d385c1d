//! Heads: which terms match, and what the variables are bound to.
//!
//! A head becomes a sequence of tests, each of which reads one place of the subject. A place is a word counted from a
//! base: the elements of a tuple, the two words of a list cell, or the cell that holds a map's value. Bases are kept
//! in registers, one for each level of the head; the tests go through the head depth first, so a register is free
//! again when everything below it has been tested.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use layout::{Term, no_gc};
use smallvec::{SmallVec, smallvec};

use term::{am, atom, map};

use super::lint::Lint;
use super::{Constants, Invalid};

/// A word of the subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordAddress {
    pub(crate) register: u32,
    pub(crate) index: u32,
}

/// One test; it reads the word at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Test {
    /// A tuple of that many elements; they become the base in `to`.
    Tuple {
        at: WordAddress,
        arity: u32,
        to: u32,
    },
    /// A list cell; it becomes the base in `to`.
    Cons {
        at: WordAddress,
        to: u32,
    },
    /// A map of at least `size` pairs; it is kept in cell `to`.
    Map {
        at: WordAddress,
        size: u32,
        to: u32,
    },
    /// The map in cell `map` has the key that is constant `key`; its value is put into cell `value`, which becomes
    /// the base in `to`.
    Value {
        map: u32,
        key: u32,
        value: u32,
        to: u32,
    },
    /// Binds a variable.
    Bind {
        at: WordAddress,
        variable: u32,
    },
    /// Equals the variable's value.
    Same {
        at: WordAddress,
        variable: u32,
    },
    Immediate {
        at: WordAddress,
        term: Term,
    },
    /// Equals a constant.
    Constant {
        at: WordAddress,
        constant: u32,
    },
    /// A float with these bits.
    Float {
        at: WordAddress,
        bits: u64,
    },
}

/// The variables of a head; a variable's place at run time is its index in the order of binding.
#[derive(Default)]
pub(crate) struct Variables {
    /// Their numbers, in order of binding.
    numbers: Vec<u64>,
    /// The places of all variables, if there are more than are quickly looked through.
    places: HashMap<u64, u32>,
    in_order: OnceCell<Arc<[u32]>>,
}

/// As many variables are looked through one by one.
const FEW_VARIABLES: usize = 16;

impl Variables {
    /// The place of the variable `$number`.
    pub(crate) fn find(&self, number: u64) -> Option<u32> {
        if self.numbers.len() > FEW_VARIABLES {
            return self.places.get(&number).copied();
        }
        let place = self.numbers.iter().position(|known| *known == number);
        place.map(|place| place as u32)
    }

    fn bind(&mut self, number: u64) -> u32 {
        self.numbers.push(number);
        let count = self.numbers.len();
        if count > FEW_VARIABLES {
            let missing = self.numbers.iter().zip(0..).skip(self.places.len());
            self.places
                .extend(missing.map(|(number, place)| (*number, place)));
        }
        count as u32 - 1
    }

    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// All places, in the order of the variables' numbers; to be asked for when all are bound.
    pub(crate) fn in_order(&self) -> Arc<[u32]> {
        let sorted = || {
            let mut places: Vec<u32> = (0..self.numbers.len() as u32).collect();
            places.sort_by_key(|place| self.numbers[*place as usize]);
            places.into()
        };
        Arc::clone(self.in_order.get_or_init(sorted))
    }
}

/// A compiled head.
pub(crate) struct Head {
    pub(crate) tests: SmallVec<[Test; 8]>,
    pub(crate) variables: Variables,
    pub(crate) registers: usize,
    pub(crate) cells: usize,
}

/// The number of a variable: `1` for `'$1'`.
#[must_use]
pub(crate) fn variable(term: Term) -> Option<u64> {
    if !term.is_atom() {
        return None;
    }
    let digits = atom::text(term).strip_prefix('$')?;
    if digits.is_empty()
        || !digits.bytes().all(|byte| byte.is_ascii_digit())
        || (digits.len() > 1 && digits.starts_with('0'))
    {
        return None;
    }
    // Numbers out of range all become one variable; OTP's wrap around.
    Some(digits.parse().unwrap_or(u64::MAX))
}

/// Whether a term is `'_'` or a variable.
#[must_use]
pub(crate) fn is_wildcard(term: Term) -> bool {
    term == am::UNDERSCORE || variable(term).is_some()
}

/// What a pattern contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Contents {
    /// Only constants.
    Ground,
    /// Constants, and maps of constants: more than one term may match.
    GroundMaps,
    Wildcards,
}

/// Examines a whole pattern.
#[must_use]
pub(crate) fn contents(pattern: Term) -> Contents {
    contents_within(pattern, usize::MAX).unwrap_or(Contents::Wildcards)
}

/// As [`contents`]; `None` if the pattern has more than `max` parts.
fn contents_within(pattern: Term, max: usize) -> Option<Contents> {
    let mut contents = Contents::Ground;
    let mut rest: SmallVec<[Term; 16]> = smallvec![pattern];
    let mut seen = 0;
    while let Some(term) = rest.pop() {
        seen += 1;
        if seen > max {
            return None;
        }
        if term.is_atom() {
            if is_wildcard(term) {
                return Some(Contents::Wildcards);
            }
        } else if let Some((head, tail)) = term.as_cons() {
            rest.push(tail);
            rest.push(head);
        } else if let Some(elements) = term.as_tuple(no_gc!()) {
            rest.extend_from_slice(elements);
        } else if term.is_map() {
            contents = Contents::GroundMaps;
            rest.extend(map::iter(term).flat_map(|(key, value)| [key, value]));
        }
    }
    Some(contents)
}

/// A pattern without wildcards is compared as one constant if it has at most this many parts.
const CONSTANT_PARTS: usize = 64;

enum Work {
    Pattern {
        pattern: Term,
        at: WordAddress,
        level: u32,
    },
    Test(Test),
}

/// Compiles a head.
pub(super) fn compile(
    head: Term,
    constants: &mut Constants,
    lint: &mut Lint,
) -> Result<Head, Invalid> {
    let mut compiler = HeadCompiler {
        head: Head {
            tests: SmallVec::new(),
            variables: Variables::default(),
            registers: 1,
            cells: 0,
        },
        work: SmallVec::new(),
        constants,
        lint,
    };
    compiler.later(head, 0, 0, 1);
    while let Some(next) = compiler.work.pop() {
        match next {
            Work::Test(test) => compiler.test(test),
            Work::Pattern { pattern, at, level } => compiler.pattern(pattern, at, level)?,
        }
    }
    Ok(compiler.head)
}

struct HeadCompiler<'a> {
    head: Head,
    /// What is still to be compiled; the next is last.
    work: SmallVec<[Work; 8]>,
    constants: &'a mut Constants,
    lint: &'a mut Lint,
}

impl HeadCompiler<'_> {
    fn test(&mut self, test: Test) {
        self.head.tests.push(test);
    }

    /// Leaves the pattern of a word of the object in `register` for later.
    fn later(&mut self, pattern: Term, register: u32, index: u32, level: u32) {
        self.work.push(Work::Pattern {
            pattern,
            at: WordAddress { register, index },
            level,
        });
    }

    fn pattern(&mut self, pattern: Term, at: WordAddress, level: u32) -> Result<(), Invalid> {
        self.head.registers = self.head.registers.max(level as usize + 1);
        if let Some(number) = variable(pattern) {
            let test = match self.head.variables.find(number) {
                Some(variable) => Test::Same { at, variable },
                None => Test::Bind {
                    at,
                    variable: self.head.variables.bind(number),
                },
            };
            self.test(test);
        } else if pattern == am::UNDERSCORE {
            // Anything.
        } else if pattern.is_immediate() {
            self.test(Test::Immediate { at, term: pattern });
        } else if let Some(value) = pattern.as_float() {
            let bits = value.to_bits();
            self.test(Test::Float { at, bits });
        } else if contents_within(pattern, CONSTANT_PARTS) == Some(Contents::Ground) {
            self.constant(pattern, at);
        } else if let Some((first, rest)) = pattern.as_cons() {
            self.test(Test::Cons { at, to: level });
            // The pattern of the tail reads its cell's register before it reuses that register for the next cell.
            self.later(rest, level, 1, level);
            self.later(first, level, 0, level + 1);
        } else if let Some(elements) = pattern.as_tuple(no_gc!()) {
            let arity = elements.len() as u32;
            let to = level;
            self.test(Test::Tuple { at, arity, to });
            for (index, element) in elements.iter().enumerate().rev() {
                self.later(*element, level, index as u32, level + 1);
            }
        } else if pattern.is_map() {
            self.map(pattern, at, level)?;
        } else {
            self.constant(pattern, at);
        }
        Ok(())
    }

    fn constant(&mut self, pattern: Term, at: WordAddress) {
        let constant = self.constants.add(pattern);
        self.test(Test::Constant { at, constant });
    }

    fn map(&mut self, pattern: Term, at: WordAddress, level: u32) -> Result<(), Invalid> {
        let size = pattern.map_size().unwrap_or(0) as u32;
        let kept = self.new_cell();
        self.test(Test::Map { at, size, to: kept });
        let pairs: Vec<(Term, Term)> = map::iter(pattern).collect();
        for (key, value) in pairs.into_iter().rev() {
            if is_wildcard(key) {
                return Err(self.lint.fatal(if key == am::UNDERSCORE {
                    "Underscore found in map key."
                } else {
                    "Variable found in map key."
                }));
            }
            self.later(value, level, 0, level + 1);
            let test = Test::Value {
                map: kept,
                key: self.constants.add(key),
                value: self.new_cell(),
                to: level,
            };
            self.work.push(Work::Test(test));
        }
        Ok(())
    }

    fn new_cell(&mut self) -> u32 {
        let cell = self.head.cells;
        self.head.cells += 1;
        cell as u32
    }
}
