//! Specifications that need no program: one clause without guards, whose head is a tuple of variables and constants,
//! and whose result is the subject, the variables, one of them, or a constant. `ets:match(T, {Key, '$1'})` is one.
//!
//! They mean the same as the program that `Program::compile` would make of them. When only the few objects of a key
//! are looked at, making that program would take longer than everything else.

use layout::{Term, no_gc};
use smallvec::SmallVec;
use term::heap::Allocate;
use term::{am, build, compare, copy};

use super::Source;
use super::pattern::{self, Contents};
use crate::ObjectRef;

/// Maximum number of elements of a head.
const MAX_ELEMENTS: usize = 16;

#[derive(Clone, Copy)]
enum Part {
    Anything,
    /// The next variable.
    Bind,
    /// Equals the variable with this index, which was bound before.
    Same(usize),
    Constant(Term),
}

#[derive(Clone, Copy)]
enum Body {
    Subject,
    Bindings,
    Variable(usize),
    Immediate(Term),
}

/// A specification that needs no program.
pub(crate) struct Flat {
    parts: SmallVec<[Part; MAX_ELEMENTS]>,
    /// The numbers of the variables, in order of binding.
    variables: SmallVec<[u64; MAX_ELEMENTS]>,
    body: Body,
}

/// The values of a head's variables.
pub(crate) type Bound = SmallVec<[Term; MAX_ELEMENTS]>;

impl Flat {
    /// Returns `None` if the specification is of another kind, or invalid.
    #[must_use]
    pub(crate) fn of([head, guards, body]: &Source) -> Option<Flat> {
        let no_gc = no_gc!();
        let elements = head.as_tuple(no_gc)?;
        let (result, end) = body.as_cons()?;
        if elements.len() > MAX_ELEMENTS || !guards.is_nil() || !end.is_nil() {
            return None;
        }
        let mut flat = Flat {
            parts: SmallVec::new(),
            variables: SmallVec::new(),
            body: Body::Subject,
        };
        for element in elements {
            let part = flat.part(*element)?;
            flat.parts.push(part);
        }
        flat.body = match result {
            am::DOLLAR_UNDERSCORE => Body::Subject,
            am::DOLLAR_DOLLAR => Body::Bindings,
            _ if !result.is_immediate() => return None,
            _ => match pattern::variable(result) {
                Some(number) => Body::Variable(flat.place_of(number)?),
                None => Body::Immediate(result),
            },
        };
        Some(flat)
    }

    fn place_of(&self, number: u64) -> Option<usize> {
        self.variables.iter().position(|known| *known == number)
    }

    fn part(&mut self, element: Term) -> Option<Part> {
        if element == am::UNDERSCORE {
            return Some(Part::Anything);
        }
        if let Some(number) = pattern::variable(element) {
            return Some(match self.place_of(number) {
                Some(place) => Part::Same(place),
                None => {
                    self.variables.push(number);
                    Part::Bind
                }
            });
        }
        // A head distinguishes floats more strictly than `=:=` does.
        let is_constant = element.is_immediate()
            || (element.as_float().is_none() && pattern::contents(element) == Contents::Ground);
        is_constant.then_some(Part::Constant(element))
    }

    /// The constant that the element at `index` (from 0) must equal.
    #[must_use]
    pub(crate) fn constant(&self, index: usize) -> Option<Term> {
        match self.parts.get(index) {
            Some(Part::Constant(term)) => Some(*term),
            _ => None,
        }
    }

    /// The values of the variables if a tuple of these elements matches.
    #[must_use]
    pub(crate) fn matches(&self, elements: &[Term]) -> Option<Bound> {
        if elements.len() != self.parts.len() {
            return None;
        }
        let mut bound = Bound::new();
        for (part, element) in self.parts.iter().zip(elements) {
            let fits = match *part {
                Part::Anything => true,
                Part::Bind => {
                    bound.push(*element);
                    true
                }
                Part::Same(place) => compare::eq_exact(*element, bound[place]),
                Part::Constant(term) => compare::eq_exact(*element, term),
            };
            if !fits {
                return None;
            }
        }
        Some(bound)
    }

    /// Whether the result is `true`.
    #[must_use]
    pub(crate) fn is_true(&self, bound: &Bound) -> bool {
        match self.body {
            Body::Subject | Body::Bindings => false,
            Body::Variable(place) => bound[place] == am::TRUE,
            Body::Immediate(term) => term == am::TRUE,
        }
    }

    /// Makes the result on a heap.
    pub(crate) fn result<A: Allocate>(
        &self,
        object: ObjectRef<'_>,
        bound: &Bound,
        heap: &mut A,
    ) -> Term {
        match self.body {
            Body::Subject => object.copy_to(heap),
            Body::Variable(place) => copy::copy(heap, bound[place]),
            Body::Immediate(term) => term,
            Body::Bindings => {
                let mut order: SmallVec<[usize; MAX_ELEMENTS]> = (0..bound.len()).collect();
                order.sort_unstable_by_key(|place| self.variables[*place]);
                order.iter().rev().fold(Term::NIL, |tail, place| {
                    let value = copy::copy(heap, bound[*place]);
                    build::cons(heap, value, tail)
                })
            }
        }
    }
}
