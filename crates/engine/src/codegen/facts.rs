//! What is known about the terms in registers while a function is being translated.
//!
//! Operations are told one after the other, in the order of the file, and each function begins with nothing. A fact
//! follows from operations of the function alone: from constants, from what an operation returns whatever its operands
//! are, and from tests. The types that a file may contain are never asked.
//!
//! A *sure* fact holds wherever the operation behind it is entered: also after a slow path, a collection or an exchange
//! of processes, none of which changes what a term is. Other facts hold on the *straight way* only: small operands and
//! a small result are what an operation's own machine code handles, so the code that it falls into may rely on them,
//! while a slow path may have found a large integer. The straight ways of a function are numbered: a fact of one says
//! nothing in another.
//!
//! A label ends everything, since who jumps there knows nothing: other branches, handlers of exceptions, the scheduler
//! after a wait, callers, other functions of a damaged file. So does every operation that is not known here. That makes
//! one pass over few registers enough. `following.rs` is that pass; here is what it keeps.
//!
//! Used by the thread that loads the module.

use layout::{Term, no_gc};
use spec::atoms;

use super::imports::constant_elements;
use crate::operand::{Operand, OperandKind};

/// What is known about a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Fact {
    #[default]
    Nothing,
    /// A small integer, on the straight way or surely.
    Small { sure: bool },
    /// A float, surely.
    Float,
    /// An immediate, surely: if it is an integer, it is a small one.
    Immediate,
}

pub(super) const SURE: Fact = Fact::Small { sure: true };

/// Larger constant tuples are not looked through.
const TABLE: usize = 1024;

/// More registers than that are not remembered.
const REMEMBERED: usize = 24;

/// The facts at one place.
#[derive(Default, Debug)]
pub(super) struct Facts {
    known: Vec<(Operand, Fact)>,
    way: u32,
}

impl Facts {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.known.clear();
        self.way += 1;
    }

    /// The number of the straight way. It only grows.
    pub(super) fn way(&self) -> u32 {
        self.way
    }

    /// What is known about an operand.
    pub(super) fn of(&self, operand: Operand) -> Fact {
        if let Some(constant) = operand.as_constant() {
            return match constant {
                constant if constant.is_small() => SURE,
                constant if constant.as_float().is_some() => Fact::Float,
                _ => Fact::Nothing,
            };
        }
        let mut known = self.known.iter();
        known
            .find(|(register, _)| *register == operand)
            .map_or(Fact::Nothing, |&(_, fact)| fact)
    }

    /// A register is written.
    pub(super) fn set(&mut self, register: Operand, fact: Fact) {
        self.known.retain(|(other, _)| *other != register);
        if fact != Fact::Nothing && self.known.len() < REMEMBERED {
            self.known.push((register, fact));
        }
    }

    /// Registers are exchanged.
    pub(super) fn swap(&mut self, a: Operand, b: Operand) {
        let (of_a, of_b) = (self.of(a), self.of(b));
        self.set(a, of_b);
        self.set(b, of_a);
    }

    /// The straight way ends; what is sure remains.
    pub(super) fn end_way(&mut self) {
        self.known
            .retain(|(_, fact)| *fact != Fact::Small { sure: false });
        self.way += 1;
    }

    /// From now on the slots of the frame are others.
    pub(super) fn forget_frame(&mut self) {
        self.known
            .retain(|(register, _)| register.kind() == OperandKind::X);
    }

    /// Only the first `live` X registers still have meaning.
    pub(super) fn keep_live(&mut self, live: u64) {
        self.known.retain(|(register, _)| {
            register.kind() == OperandKind::Y || register.word() < live.saturating_mul(8)
        });
    }

    /// Machine code has fallen through that does so for small integers only.
    pub(super) fn fell_through(&mut self, operand: Operand) {
        let may_learn = matches!(self.of(operand), Fact::Nothing | Fact::Immediate);
        if operand.as_constant().is_none() && may_learn {
            self.set(operand, Fact::Small { sure: false });
        }
    }

    /// The result of the operator `name` of module `erlang`, if it returns one. `is_straight` says whether its machine
    /// code falls through for a small result only.
    pub(super) fn result(&self, name: u32, arguments: &[Operand], is_straight: bool) -> Fact {
        let is_sure = |operand: Operand| self.of(operand) == Fact::Small { sure: true };
        let small = |operand: Operand| operand.as_constant()?.as_small();
        // A float makes the result one, whatever number the other argument is.
        if let [a, b] = *arguments
            && matches!(name, atoms::PLUS | atoms::MINUS | atoms::TIMES)
            && [a, b]
                .map(|argument| self.of(argument))
                .contains(&Fact::Float)
        {
            return Fact::Float;
        }
        let has_elements = |tuple: Operand, which: fn(&Term) -> bool| {
            constant_elements(tuple, no_gc!())
                .is_some_and(|elements| elements.len() <= TABLE && elements.iter().all(which))
        };
        // Tables of numbers often have atoms where there is none.
        if let [_, tuple] = *arguments
            && name == atoms::ELEMENT
            && !is_straight
            && has_elements(tuple, |element| element.is_immediate())
            && !has_elements(tuple, |element| element.is_small())
        {
            return Fact::Immediate;
        }
        let sure = match *arguments {
            // Sizes are bounded by the address space.
            [_] => match name {
                atoms::LENGTH | atoms::BYTE_SIZE | atoms::TUPLE_SIZE | atoms::MAP_SIZE => true,
                atoms::BNOT => is_sure(arguments[0]),
                _ => false,
            },
            [a, b] => match name {
                // The bits of a number that is not negative bound the result, whatever the other number is.
                atoms::BAND => {
                    let bounds = |operand| small(operand).is_some_and(|bits| bits >= 0);
                    bounds(a) || bounds(b) || is_sure(a) && is_sure(b)
                }
                atoms::BOR | atoms::BXOR | atoms::MAX | atoms::MIN => is_sure(a) && is_sure(b),
                atoms::BSR => is_sure(a) && small(b).is_some_and(|bits| bits >= 0),
                // The smallest small integer has no negation.
                atoms::DIV => {
                    is_sure(a) && small(b).is_some_and(|divisor| !matches!(divisor, 0 | -1))
                }
                // Nearer to zero than the divisor.
                atoms::REM => is_sure(b),
                atoms::ELEMENT => has_elements(b, |element| element.is_small()),
                _ => false,
            },
            _ => false,
        };
        match (sure, is_straight) {
            (false, false) => Fact::Nothing,
            (sure, _) => Fact::Small { sure },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRAIGHT: Fact = Fact::Small { sure: false };

    fn constant(value: i64) -> Operand {
        Operand::constant(Term::small(value))
    }

    #[test]
    fn a_large_constant_is_not_small() {
        let facts = Facts::default();
        assert_eq!(facts.of(constant(-1)), SURE);
        assert_eq!(facts.of(Operand::constant(Term::NIL)), Fact::Nothing);
        assert_eq!(facts.of(Operand::x(0)), Fact::Nothing);
    }

    #[test]
    fn masks_and_remainders_are_small_whatever_the_other_operand() {
        let facts = Facts::default();
        let x = Operand::x(0);
        for (name, arguments, expected) in [
            (atoms::BAND, [x, constant(255)], SURE),
            (atoms::BAND, [constant(0), x], SURE),
            // All bits of a large integer remain.
            (atoms::BAND, [x, constant(-1)], Fact::Nothing),
            (atoms::REM, [x, constant(-7)], SURE),
            (atoms::REM, [constant(7), x], Fact::Nothing),
            (atoms::BSR, [x, constant(8)], Fact::Nothing),
            (atoms::BSR, [constant(8), constant(1)], SURE),
            (atoms::BSR, [constant(8), constant(-80)], Fact::Nothing),
            (atoms::BSL, [constant(1), constant(1)], Fact::Nothing),
            (atoms::PLUS, [constant(1), constant(1)], Fact::Nothing),
            (atoms::DIV, [constant(1), constant(-1)], Fact::Nothing),
            (atoms::DIV, [constant(1), constant(2)], SURE),
            (atoms::DIV, [x, constant(2)], Fact::Nothing),
            (atoms::BXOR, [x, constant(2)], Fact::Nothing),
        ] {
            assert_eq!(
                facts.result(name, &arguments, false),
                expected,
                "{name} {arguments:?}"
            );
        }
    }

    #[test]
    fn an_immediate_becomes_small_where_only_small_integers_fall_through() {
        let mut facts = Facts::default();
        let x = Operand::x(0);
        facts.set(x, Fact::Immediate);
        facts.end_way();
        assert_eq!(facts.of(x), Fact::Immediate);
        assert_eq!(
            facts.result(atoms::BSR, &[x, constant(8)], false),
            Fact::Nothing
        );
        facts.fell_through(x);
        assert_eq!(facts.of(x), STRAIGHT);
    }

    #[test]
    fn a_float_makes_sums_and_products_floats() {
        let mut facts = Facts::default();
        let [x, y] = [0, 1].map(Operand::x);
        facts.set(x, Fact::Float);
        for arguments in [[x, y], [y, x], [x, constant(1)]] {
            assert_eq!(facts.result(atoms::TIMES, &arguments, true), Fact::Float);
        }
        assert_eq!(facts.result(atoms::PLUS, &[y, y], true), STRAIGHT);
        // That is sure.
        facts.end_way();
        assert_eq!(facts.of(x), Fact::Float);
        facts.fell_through(x);
        assert_eq!(facts.of(x), Fact::Float);
    }

    #[test]
    fn results_of_machine_code_are_small_on_the_straight_way() {
        let mut facts = Facts::default();
        let (x, y) = (Operand::x(0), Operand::y(0));
        assert_eq!(facts.result(atoms::PLUS, &[x, y], true), STRAIGHT);
        facts.set(Operand::x(1), STRAIGHT);
        facts.set(Operand::x(2), SURE);
        facts.fell_through(x);
        // What is sure stays so.
        facts.fell_through(Operand::x(2));
        assert_eq!(
            [0, 1, 2].map(|x| facts.of(Operand::x(x))),
            [STRAIGHT, STRAIGHT, SURE]
        );
        let way = facts.way();
        facts.end_way();
        assert!(facts.way() > way);
        assert_eq!(
            [0, 1, 2].map(|x| facts.of(Operand::x(x))),
            [Fact::Nothing, Fact::Nothing, SURE]
        );
        facts.clear();
        assert_eq!(facts.of(Operand::x(2)), Fact::Nothing);
    }

    #[test]
    fn a_write_replaces_a_fact() {
        let mut facts = Facts::default();
        let [a, b] = [0, 1].map(Operand::x);
        facts.set(a, SURE);
        facts.swap(a, b);
        assert_eq!([a, b].map(|x| facts.of(x)), [Fact::Nothing, SURE]);
        facts.set(b, Fact::Nothing);
        assert_eq!(facts.of(b), Fact::Nothing);
    }

    #[test]
    fn frames_and_dead_registers_are_forgotten() {
        let mut facts = Facts::default();
        let (x0, x1, y0) = (Operand::x(0), Operand::x(1), Operand::y(0));
        for register in [x0, x1, y0] {
            facts.set(register, SURE);
        }
        facts.keep_live(1);
        assert_eq!(
            [x0, x1, y0].map(|r| facts.of(r)),
            [SURE, Fact::Nothing, SURE]
        );
        facts.forget_frame();
        assert_eq!([x0, y0].map(|r| facts.of(r)), [SURE, Fact::Nothing]);
    }

    #[test]
    fn few_registers_are_remembered() {
        let mut facts = Facts::default();
        for x in 0..1000 {
            facts.set(Operand::x(x), SURE);
        }
        assert_eq!(facts.known.len(), REMEMBERED);
        assert_eq!(facts.of(Operand::x(999)), Fact::Nothing);
    }
}
