//! Guards and bodies: expressions over the bound variables, compiled to operations on a stack of terms.

use std::sync::Arc;

use layout::{Heap, Term, no_gc};
use smallvec::SmallVec;
use term::{am, build, list, map};

use super::functions::{self, Function};
use super::lint::{Lint, show};
use super::pattern::{Variables, variable};
use super::tracing::{self, Action, Dialect};
use super::{Constants, Invalid};

/// One operation; it takes its operands from the stack, the last on top, and pushes its result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    /// Pushes an immediate. While compiling: any constant.
    Push(Term),
    /// Pushes a constant, by index.
    Constant(u32),
    Variable(u32),
    /// `'$_'`: the subject.
    Subject,
    /// `'$$'`: a list of these variables.
    Bindings(Arc<[u32]>),
    Cons,
    Tuple(u32),
    /// A map of that many pairs; the operands are keys and values in turn.
    Map(u32),
    Call(Function),
    /// Carries out an action with that many operands.
    Act(Action, u32),
    /// Forgets a value.
    Drop,
    /// The conjunction of that many booleans.
    And(u32),
    /// The disjunction of that many booleans.
    Or(u32),
    /// Continues if true; if false, leaves that on the stack and jumps.
    AndAlso(u32),
    /// Continues if false; if true, leaves that on the stack and jumps.
    OrElse(u32),
    /// The target of jumps.
    Join,
    /// The end of a guard: takes a result, which must be `true`.
    Check,
}

enum Work {
    Expression(Term),
    Emit(Operation),
    /// Makes a composite of what was compiled last; if that was constant, a constant.
    Compose(Operation),
    /// The next operation is the target of jumps to this label.
    Label(usize),
}

/// The context for compiling the expressions of a clause.
pub(super) struct Context<'a> {
    pub(crate) variables: &'a Variables,
    pub(crate) constants: &'a mut Constants,
    /// Where composite constants are made.
    pub(crate) scratch: &'a mut Heap,
    pub(crate) lint: &'a mut Lint,
    pub(crate) dialect: Dialect,
}

/// Compiles the guards of a clause.
pub(super) fn guards(guards: Term, context: &mut Context<'_>) -> Result<Vec<Operation>, Invalid> {
    let mut compiler = Compiler::new(context, true);
    for guard in list::items(guards) {
        match guard {
            Ok(guard) => {
                compiler.expression(guard)?;
                compiler.operations.push(Operation::Check);
            }
            Err(_) => compiler.improper_list(guards)?,
        }
    }
    Ok(compiler.finish())
}

/// Compiles the body of a clause: the last expression is its value.
pub(super) fn body(body: Term, context: &mut Context<'_>) -> Result<Vec<Operation>, Invalid> {
    let is_tracing = context.dialect.is_tracing();
    if !body.is_cons() && !is_tracing {
        return Err(context.lint.fatal("Body clause does not return anything."));
    }
    let mut compiler = Compiler::new(context, false);
    for expression in list::items(body) {
        match expression {
            Ok(expression) => {
                if !is_tracing {
                    // Without effects, only the last one counts; but all must be valid.
                    compiler.operations.clear();
                }
                compiler.expression(expression)?;
                if is_tracing {
                    compiler.operations.push(Operation::Drop);
                }
            }
            Err(_) => compiler.improper_list(body)?,
        }
    }
    Ok(compiler.finish())
}

struct Compiler<'a, 'b> {
    context: &'a mut Context<'b>,
    operations: SmallVec<[Operation; 4]>,
    /// The index of the operation that each label stands for.
    labels: Vec<u32>,
    work: SmallVec<[Work; 4]>,
    in_guard: bool,
}

impl<'a, 'b> Compiler<'a, 'b> {
    fn new(context: &'a mut Context<'b>, in_guard: bool) -> Compiler<'a, 'b> {
        Compiler {
            context,
            operations: SmallVec::new(),
            labels: Vec::new(),
            work: SmallVec::new(),
            in_guard,
        }
    }

    /// Reports that the expressions are not in a proper list.
    fn improper_list(&mut self, list: Term) -> Result<(), Invalid> {
        let proper = if list.is_cons() {
            "proper list"
        } else {
            "list"
        };
        self.context
            .lint
            .fault(|| format!("Match expression is not a {proper}."))
    }

    /// Reports a fault; the expression counts as a constant from here on.
    fn fault(&mut self, complaint: impl FnOnce() -> String) -> Result<(), Invalid> {
        self.context.lint.fault(complaint)?;
        self.operations.push(Operation::Push(Term::NIL));
        Ok(())
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
                    // Also keeps the operations before it from becoming part of a constant.
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
        } else if let Some(elements) = expression.as_tuple(no_gc!()) {
            match elements {
                [inner] if inner.is_tuple() => {
                    let no_gc = no_gc!();
                    let parts = inner.as_tuple(no_gc).unwrap_or(&[]);
                    self.work
                        .push(Work::Compose(Operation::Tuple(parts.len() as u32)));
                    self.all(parts);
                }
                [name, arguments @ ..] if name.is_atom() && variable(*name).is_none() => {
                    self.call(expression, *name, arguments)?;
                }
                _ => {
                    return self.fault(|| {
                        let shown = show(expression);
                        format!("{shown} is neither a function call, nor a tuple (tuples are written {{{{ ... }}}}).")
                    });
                }
            }
        } else if expression.is_map() {
            let parts: Vec<Term> = map::iter(expression)
                .flat_map(|(key, value)| [key, value])
                .collect();
            self.work
                .push(Work::Compose(Operation::Map(parts.len() as u32 / 2)));
            self.all(&parts);
        } else if let Some(number) = variable(expression) {
            match self.context.variables.find(number) {
                Some(place) => self.operations.push(Operation::Variable(place)),
                None => return self.fault(|| format!("Variable ${number} is unbound.")),
            }
        } else if expression == am::DOLLAR_UNDERSCORE {
            self.operations.push(Operation::Subject);
        } else if expression == am::DOLLAR_DOLLAR {
            let places = self.context.variables.in_order();
            self.operations.push(Operation::Bindings(places));
        } else {
            self.operations.push(Operation::Push(expression));
        }
        Ok(())
    }

    /// Schedules the expressions to be compiled next, in order.
    fn all(&mut self, expressions: &[Term]) {
        self.work.extend(
            expressions
                .iter()
                .rev()
                .map(|expression| Work::Expression(*expression)),
        );
    }

    fn call(&mut self, call: Term, name: Term, arguments: &[Term]) -> Result<(), Invalid> {
        let count = arguments.len() as u32;
        let form = |fault: &str| {
            let name = term::atom::text(name);
            format!("Special form '{name}' {fault}")
        };
        match name {
            am::CONST => {
                let &[constant] = arguments else {
                    let fault = "called with more than one argument in";
                    return self.fault(|| form(&format!("{fault} {}.", show(call))));
                };
                self.operations.push(Operation::Push(constant));
            }
            am::AND | am::OR | am::ANDALSO | am::ANDTHEN | am::ORELSE if arguments.is_empty() => {
                return self.fault(|| {
                    // One special form with two names.
                    let name = if name == am::ANDTHEN {
                        am::ANDALSO
                    } else {
                        name
                    };
                    let (name, shown) = (term::atom::text(name), show(call));
                    format!("Special form '{name}' called without arguments in {shown}.")
                });
            }
            am::AND => {
                self.work.push(Work::Emit(Operation::And(count)));
                self.all(arguments);
            }
            am::OR => {
                self.work.push(Work::Emit(Operation::Or(count)));
                self.all(arguments);
            }
            am::ANDALSO | am::ANDTHEN => self.lazy(arguments, Operation::AndAlso),
            am::ORELSE => self.lazy(arguments, Operation::OrElse),
            am::SELF if count > 0 => {
                return self.fault(|| form(&format!("called with arguments in {}.", show(call))));
            }
            _ if tracing::is_special(name) && !self.context.dialect.is_tracing() => {
                return self.fault(|| form("used in wrong dialect."));
            }
            _ => {
                let dialect = self.context.dialect;
                if dialect.is_tracing() {
                    match tracing::find(call, name, arguments.len(), dialect, self.in_guard) {
                        Ok(None) => {}
                        Ok(Some(action)) => {
                            self.work.push(Work::Emit(Operation::Act(action, count)));
                            self.all(arguments);
                            return Ok(());
                        }
                        Err(complaint) => return self.fault(|| complaint),
                    }
                }
                let Some(function) = functions::find(name, arguments.len()) else {
                    return self
                        .fault(|| format!("Function {}/{count} does_not_exist.", show(name)));
                };
                self.work.push(Work::Emit(Operation::Call(function)));
                self.all(arguments);
            }
        }
        Ok(())
    }

    /// Operands that are evaluated until one decides the result.
    fn lazy(&mut self, operands: &[Term], jump: fn(u32) -> Operation) {
        let Some((last, others)) = operands.split_last() else {
            return;
        };
        let label = self.labels.len();
        self.labels.push(0);
        self.work.push(Work::Label(label));
        self.work.push(Work::Expression(*last));
        for operand in others.iter().rev() {
            self.work.push(Work::Emit(jump(label as u32)));
            self.work.push(Work::Expression(*operand));
        }
    }

    /// Emits a composite; one of constants becomes a constant at once.
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
            Operation::Cons => build::cons(self.context.scratch, parts[0], parts[1]),
            Operation::Tuple(_) => build::tuple(self.context.scratch, &parts),
            _ => make_map(self.context.scratch, &parts),
        };
        self.operations.truncate(first);
        self.operations.push(Operation::Push(constant));
    }

    fn finish(self) -> Vec<Operation> {
        let (labels, constants) = (self.labels, &mut self.context.constants);
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
