//! Guards and bodies: expressions over the bound variables, compiled to operations on a stack of terms.

use layout::{Heap, Term};
use term::{am, build, map};

use super::functions::{self, Function};
use super::pattern::{Variables, variable};
use super::{Constants, Invalid};

/// One step; it takes its operands from the stack, the last on top, and leaves its result there.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Leaves an immediate. While compiling: any constant.
    Push(Term),
    /// Leaves a constant, by index.
    Constant(u32),
    Variable(u32),
    /// `'$_'`: the subject.
    Subject,
    /// `'$$'`: a list of these variables.
    Bindings(Box<[u32]>),
    Cons,
    Tuple(u32),
    /// A map of that many keys and values, in turn.
    Map(u32),
    Call(Function),
    /// The conjunction of that many booleans.
    And(u32),
    /// The disjunction of that many booleans.
    Or(u32),
    /// Goes on when true; when false leaves it and jumps.
    AndAlso(u32),
    /// Goes on when false; when true leaves it and jumps.
    OrElse(u32),
    /// Where jumps lead.
    Join,
    /// A guard's end: takes a result, which must be `true`.
    Check,
}

enum Work {
    Expression(Term),
    Emit(Operation),
    /// Makes a composite of what was compiled last; a constant, if that was constant.
    Compose(Operation),
    /// The next operation is where jumps with this label lead.
    Label(usize),
}

/// Compiles the guards of a clause.
pub(super) fn guards(
    guards: Term,
    variables: &Variables,
    constants: &mut Constants,
    scratch: &mut Heap,
) -> Result<Vec<Operation>, Invalid> {
    let mut compiler = Compiler::new(variables, scratch);
    let mut rest = guards;
    while let Some((guard, tail)) = rest.as_cons() {
        compiler.expression(guard)?;
        compiler.operations.push(Operation::Check);
        rest = tail;
    }
    if rest.is_nil() {
        Ok(compiler.finish(constants))
    } else {
        Err(Invalid)
    }
}

/// Compiles the body of a clause: the last expression is its value.
pub(super) fn body(
    body: Term,
    variables: &Variables,
    constants: &mut Constants,
    scratch: &mut Heap,
) -> Result<Vec<Operation>, Invalid> {
    if !body.is_cons() {
        return Err(Invalid);
    }
    let mut compiler = Compiler::new(variables, scratch);
    let mut rest = body;
    while let Some((expression, tail)) = rest.as_cons() {
        // Without effects, only the last one counts; but all must be valid.
        compiler.operations.clear();
        compiler.expression(expression)?;
        rest = tail;
    }
    if rest.is_nil() {
        Ok(compiler.finish(constants))
    } else {
        Err(Invalid)
    }
}

struct Compiler<'a> {
    variables: &'a Variables,
    /// Where composite constants are made.
    scratch: &'a mut Heap,
    operations: Vec<Operation>,
    /// The operation that each label stands for.
    labels: Vec<u32>,
    work: Vec<Work>,
}

impl Compiler<'_> {
    fn new<'a>(variables: &'a Variables, scratch: &'a mut Heap) -> Compiler<'a> {
        Compiler {
            variables,
            scratch,
            operations: Vec::new(),
            labels: Vec::new(),
            work: Vec::new(),
        }
    }

    fn expression(&mut self, expression: Term) -> Result<(), Invalid> {
        self.work.push(Work::Expression(expression));
        while let Some(work) = self.work.pop() {
            match work {
                Work::Expression(expression) => self.start(expression)?,
                Work::Emit(operation) => self.operations.push(operation),
                Work::Compose(operation) => self.compose(operation),
                Work::Label(label) => {
                    self.labels[label] = self.operations.len() as u32;
                    // Also keeps what stands before it from becoming part of a constant.
                    self.operations.push(Operation::Join);
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, expression: Term) -> Result<(), Invalid> {
        if let Some((head, tail)) = expression.as_cons() {
            self.work.push(Work::Compose(Operation::Cons));
            self.work.push(Work::Expression(tail));
            self.work.push(Work::Expression(head));
        } else if let Some(elements) = expression.as_tuple() {
            match elements {
                [inner] if inner.is_tuple() => {
                    let parts = inner.as_tuple().unwrap_or(&[]);
                    self.work
                        .push(Work::Compose(Operation::Tuple(parts.len() as u32)));
                    self.all(parts);
                }
                [name, arguments @ ..] if name.is_atom() && variable(*name).is_none() => {
                    self.call(*name, arguments)?;
                }
                _ => return Err(Invalid),
            }
        } else if expression.is_map() {
            let parts: Vec<Term> = map::iter(expression)
                .flat_map(|(key, value)| [key, value])
                .collect();
            self.work
                .push(Work::Compose(Operation::Map(parts.len() as u32 / 2)));
            self.all(&parts);
        } else if let Some(number) = variable(expression) {
            let place = self.variables.find(number).ok_or(Invalid)?;
            self.operations.push(Operation::Variable(place));
        } else if expression == am::DOLLAR_UNDERSCORE {
            self.operations.push(Operation::Subject);
        } else if expression == am::DOLLAR_DOLLAR {
            self.operations
                .push(Operation::Bindings(self.variables.in_order().into()));
        } else {
            self.operations.push(Operation::Push(expression));
        }
        Ok(())
    }

    /// The expressions are to be compiled next, in order.
    fn all(&mut self, expressions: &[Term]) {
        self.work.extend(
            expressions
                .iter()
                .rev()
                .map(|expression| Work::Expression(*expression)),
        );
    }

    fn call(&mut self, name: Term, arguments: &[Term]) -> Result<(), Invalid> {
        let count = arguments.len() as u32;
        match name {
            am::CONST => {
                let &[constant] = arguments else {
                    return Err(Invalid);
                };
                self.operations.push(Operation::Push(constant));
            }
            am::AND | am::OR => {
                if arguments.is_empty() {
                    return Err(Invalid);
                }
                let operation = if name == am::AND {
                    Operation::And(count)
                } else {
                    Operation::Or(count)
                };
                self.work.push(Work::Emit(operation));
                self.all(arguments);
            }
            am::ANDALSO | am::ANDTHEN | am::ORELSE => {
                let (last, others) = arguments.split_last().ok_or(Invalid)?;
                let label = self.labels.len();
                self.labels.push(0);
                self.work.push(Work::Label(label));
                self.work.push(Work::Expression(*last));
                for expression in others.iter().rev() {
                    let jump = label as u32;
                    let operation = if name == am::ORELSE {
                        Operation::OrElse(jump)
                    } else {
                        Operation::AndAlso(jump)
                    };
                    self.work.push(Work::Emit(operation));
                    self.work.push(Work::Expression(*expression));
                }
            }
            _ => {
                let function = functions::find(name, arguments.len()).ok_or(Invalid)?;
                self.work.push(Work::Emit(Operation::Call(function)));
                self.all(arguments);
            }
        }
        Ok(())
    }

    /// Emits a composite; of constants it makes a constant at once.
    fn compose(&mut self, operation: Operation) {
        let count = match operation {
            Operation::Cons => 2,
            Operation::Tuple(count) => count as usize,
            Operation::Map(count) => 2 * count as usize,
            _ => unreachable!("only these are composites"),
        };
        let first = self.operations.len() - count;
        let parts: Option<Vec<Term>> = self.operations[first..]
            .iter()
            .map(|operation| {
                if let Operation::Push(term) = operation {
                    Some(*term)
                } else {
                    None
                }
            })
            .collect();
        let Some(parts) = parts else {
            self.operations.push(operation);
            return;
        };
        let constant = match operation {
            Operation::Cons => build::cons(self.scratch, parts[0], parts[1]),
            Operation::Tuple(_) => build::tuple(self.scratch, &parts),
            _ => make_map(self.scratch, &parts),
        };
        self.operations.truncate(first);
        self.operations.push(Operation::Push(constant));
    }

    fn finish(self, constants: &mut Constants) -> Vec<Operation> {
        let labels = self.labels;
        let resolve = |operation| match operation {
            Operation::Push(term) if !term.is_immediate() => {
                Operation::Constant(constants.add(term))
            }
            Operation::AndAlso(label) => Operation::AndAlso(labels[label as usize]),
            Operation::OrElse(label) => Operation::OrElse(labels[label as usize]),
            operation => operation,
        };
        self.operations.into_iter().map(resolve).collect()
    }
}

/// A map of keys and values in turn.
pub(super) fn make_map<A: term::Allocate + ?Sized>(heap: &mut A, parts: &[Term]) -> Term {
    let pairs: Vec<(Term, Term)> = parts
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect();
    map::from_pairs(heap, &pairs)
}
