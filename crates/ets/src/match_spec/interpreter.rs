//! Running a program on a subject.

use std::ptr;

use layout::{Term, no_gc};
use smallvec::{SmallVec, smallvec};
use term::{am, build, compare, map};

use super::arena::Arena;
use super::expression::{Operation, make_map};
use super::functions;
use super::pattern::{Test, WordAddress};
use super::tracing::{Effects, NoEffects};
use super::{Clause, Program};

/// The state of a run; made once for many runs. What a small specification needs is in place, because it often runs on
/// one object only, and allocating would take longer than that.
pub struct Interpreter {
    /// `self()` in expressions.
    own: Term,
    variables: SmallVec<[Term; 4]>,
    registers: SmallVec<[*const Term; 4]>,
    cells: Vec<Term>,
    stack: SmallVec<[Term; 4]>,
    arena: Arena,
}

/// An expression that has no value.
struct Failed;

impl Interpreter {
    /// A machine that runs `program` for the process `own`.
    #[must_use]
    pub fn new(program: &Program, own: Term) -> Interpreter {
        Interpreter {
            own,
            variables: smallvec![Term::NIL; program.variables],
            registers: smallvec![ptr::null(); program.registers],
            cells: vec![Term::NIL; program.cells],
            stack: SmallVec::new(),
            arena: Arena::new(),
        }
    }

    /// The value of the first clause that matches. It may share parts with the subject and the program, and is valid
    /// until the next run: the caller copies what it keeps.
    pub fn run(&mut self, program: &Program, subject: Term) -> Option<Term> {
        self.arena.clear();
        program.clauses.iter().find_map(|clause| {
            let none = &mut NoEffects;
            if !self.matches(program, clause, subject)
                || !self.passes(program, clause, subject, none)
            {
                return None;
            }
            self.stack.clear();
            // A body always has a value.
            let _ = self.evaluate(program, &clause.body, subject, true, none);
            self.stack.pop()
        })
    }

    /// Runs the first clause that matches, of a specification of tracing; false if none does. What the effects have got
    /// is valid until the next run.
    pub fn run_tracing(
        &mut self,
        program: &Program,
        subject: Term,
        effects: &mut dyn Effects,
    ) -> bool {
        self.arena.clear();
        program.clauses.iter().any(|clause| {
            if !self.matches(program, clause, subject)
                || !self.passes(program, clause, subject, effects)
            {
                return false;
            }
            self.stack.clear();
            let _ = self.evaluate(program, &clause.body, subject, true, effects);
            true
        })
    }

    fn matches(&mut self, program: &Program, clause: &Clause, subject: Term) -> bool {
        if let Some(first) = self.registers.first_mut() {
            *first = &raw const subject;
        }
        clause.tests.iter().all(|test| self.test(program, test))
    }

    #[inline]
    fn read(&self, at: WordAddress) -> Term {
        // SAFETY: the tests before this one put a base into the register and made sure that it has more than `index`
        // words ("Heads", pattern.rs); the subject does not move meanwhile.
        unsafe { *self.registers[at.register as usize].add(at.index as usize) }
    }

    fn test(&mut self, program: &Program, test: &Test) -> bool {
        match *test {
            Test::Tuple { at, arity, to } => match self.read(at).as_tuple(no_gc!()) {
                Some(elements) if elements.len() == arity as usize => {
                    self.registers[to as usize] = elements.as_ptr();
                    true
                }
                _ => false,
            },
            Test::Cons { at, to } => {
                let cell = self.read(at);
                if cell.is_cons() {
                    self.registers[to as usize] = cell.cons_pointer();
                }
                cell.is_cons()
            }
            Test::Map { at, size, to } => {
                let map = self.read(at);
                self.cells[to as usize] = map;
                map.map_size().is_some_and(|pairs| pairs >= size as usize)
            }
            Test::Value {
                map,
                key,
                value,
                to,
            } => match map::get(self.cells[map as usize], program.constant(key)) {
                Some(found) => {
                    let cell = &mut self.cells[value as usize];
                    *cell = found;
                    self.registers[to as usize] = ptr::from_mut(cell);
                    true
                }
                None => false,
            },
            Test::Bind { at, variable } => {
                self.variables[variable as usize] = self.read(at);
                true
            }
            Test::Same { at, variable } => {
                compare::eq_exact(self.read(at), self.variables[variable as usize])
            }
            Test::Immediate { at, term } => self.read(at) == term,
            Test::Constant { at, constant } => {
                compare::eq_exact(self.read(at), program.constant(constant))
            }
            Test::Float { at, bits } => self
                .read(at)
                .as_float()
                .is_some_and(|value| value.to_bits() == bits),
        }
    }

    fn passes(
        &mut self,
        program: &Program,
        clause: &Clause,
        subject: Term,
        effects: &mut dyn Effects,
    ) -> bool {
        self.stack.clear();
        self.evaluate(program, &clause.guards, subject, false, effects)
            .is_ok()
    }

    /// Runs operations. In a body, an expression that fails has the value 'EXIT'.
    fn evaluate(
        &mut self,
        program: &Program,
        operations: &[Operation],
        subject: Term,
        in_body: bool,
        effects: &mut dyn Effects,
    ) -> Result<(), Failed> {
        let mut next = 0;
        while let Some(operation) = operations.get(next) {
            next += 1;
            let value = match operation {
                Operation::Push(term) => Some(*term),
                Operation::Constant(index) => Some(program.constant(*index)),
                Operation::Variable(place) => Some(self.variables[*place as usize]),
                Operation::Subject => Some(subject),
                Operation::Bindings(places) => {
                    let values = places
                        .iter()
                        .rev()
                        .map(|place| self.variables[*place as usize]);
                    let arena = &mut self.arena;
                    Some(values.fold(Term::NIL, |tail, value| build::cons(arena, value, tail)))
                }
                Operation::Cons => {
                    let tail = self.pop();
                    let head = self.pop();
                    Some(build::cons(&mut self.arena, head, tail))
                }
                Operation::Tuple(count) => {
                    let first = self.stack.len() - *count as usize;
                    let tuple = build::tuple(&mut self.arena, &self.stack[first..]);
                    self.stack.truncate(first);
                    Some(tuple)
                }
                Operation::Map(count) => {
                    let first = self.stack.len() - 2 * *count as usize;
                    let map = make_map(&mut self.arena, &self.stack[first..]);
                    self.stack.truncate(first);
                    Some(map)
                }
                Operation::Call(function) => {
                    let first = self.stack.len() - function.arity();
                    let value =
                        functions::call(*function, &self.stack[first..], self.own, &mut self.arena);
                    self.stack.truncate(first);
                    value
                }
                Operation::Act(action, count) => {
                    let first = self.stack.len() - *count as usize;
                    let value = effects.perform(*action, &self.stack[first..]);
                    self.stack.truncate(first);
                    value
                }
                Operation::Drop => {
                    self.pop();
                    continue;
                }
                Operation::And(count) | Operation::Or(count) => {
                    let first = self.stack.len() - *count as usize;
                    let value =
                        junction(&self.stack[first..], matches!(operation, Operation::And(_)));
                    self.stack.truncate(first);
                    value
                }
                Operation::AndAlso(target) | Operation::OrElse(target) => {
                    let decided = am::boolean(matches!(operation, Operation::OrElse(_)));
                    let condition = self.pop();
                    if condition == decided {
                        next = *target as usize;
                        Some(condition)
                    } else if condition == am::TRUE || condition == am::FALSE {
                        continue;
                    } else {
                        next = *target as usize;
                        None
                    }
                }
                Operation::Join => continue,
                Operation::Check => {
                    if self.pop() != am::TRUE {
                        return Err(Failed);
                    }
                    continue;
                }
            };
            match value {
                Some(value) => self.stack.push(value),
                None if in_body => self.stack.push(am::UC_EXIT),
                None => return Err(Failed),
            }
        }
        Ok(())
    }

    fn pop(&mut self) -> Term {
        self.stack.pop().expect("an operand for every operation")
    }
}

/// `and` or `or` of operands; `None` if one is not a boolean.
fn junction(operands: &[Term], all: bool) -> Option<Term> {
    if operands
        .iter()
        .any(|operand| *operand != am::TRUE && *operand != am::FALSE)
    {
        return None;
    }
    let found = operands.contains(&am::boolean(!all));
    Some(am::boolean(found != all))
}
