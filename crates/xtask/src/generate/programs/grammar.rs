//! Random Erlang modules, made from a seed: the same seed makes the same text.
//!
//! Expressions are made for a type in a scope of typed variables, so that most of them are valid. Now and then one of
//! another type is put in, so that errors and their stack traces are compared too. Every module ends: functions call
//! only those before them, recursion counts down or walks along a list, and the cost of a call is added up while it is
//! written. The output depends on the text alone, because messages and signals have one possible order.

mod expressions;
mod patterns;
mod processes;
mod records;

use crate::generate::choices::{Choice, Choices};
use crate::generate::shrink::Made;
use std::fmt::Write;

/// Most expressions that one call of a function may evaluate.
const MOST_COST: u64 = 3000;
/// Iterations of a generated loop.
const TURNS: u64 = 6;

/// The type that an expression is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Integer,
    Float,
    Atom,
    Boolean,
    List,
    Tuple,
    Map,
    Binary,
    /// Of one argument.
    Fun,
    /// A native record; only where the writer knows them.
    Record,
}

const TYPES: [Type; 9] = [
    Type::Integer,
    Type::Float,
    Type::Atom,
    Type::Boolean,
    Type::List,
    Type::Tuple,
    Type::Map,
    Type::Binary,
    Type::Fun,
];

struct Function {
    number: usize,
    parameters: Vec<Type>,
    result: Type,
    cost: u64,
    /// Whether its first argument is a number of iterations, which must stay small.
    counts: bool,
}

/// Writes one module.
struct Writer {
    choices: Choices,
    functions: Vec<Function>,
    /// Variables that can be used where the writer is.
    scope: Vec<(String, Type)>,
    /// Number of the last variable that was named.
    names: usize,
    /// Expressions that the function being written evaluates so far, and how often the current one may be evaluated.
    cost: u64,
    times: u64,
    /// Whether processes and receives may be written here. They may not in guards and in loops.
    processes: bool,
    /// Whether there are native records.
    records: bool,
}

/// A module of random choices, for this release of OTP.
pub(super) fn random(name: &str, seed: u64, release: u8) -> Made {
    module(name, Choices::random(seed), release)
}

/// A module of recorded choices.
pub(super) fn recorded(name: &str, record: Vec<Choice>, release: u8) -> Made {
    module(name, Choices::recorded(record), release)
}

fn module(name: &str, choices: Choices, release: u8) -> Made {
    let mut writer = Writer {
        choices,
        functions: Vec::new(),
        scope: Vec::new(),
        names: 0,
        cost: 0,
        times: 1,
        processes: true,
        records: release >= 29,
    };
    let mut text = format!("-module({name}).\n-compile([export_all, nowarn_export_all]).\n\n");
    if writer.records {
        text.push_str(&records::definitions());
    }
    let count = writer.choices.usize(3..8);
    for number in 0..count {
        if let Some(function) = writer.kept(|writer| writer.function(number)) {
            text.push_str(&function);
            text.push('\n');
        }
    }
    text.push_str("main() ->\n");
    for at in 0..writer.functions.len() {
        let number = writer.functions[at].number;
        for _ in 0..3 {
            if let Some(call) = writer.kept(|writer| writer.call_with_literals(at)) {
                let _ = writeln!(text, "    run:that({number}, fun() -> {call} end),");
            }
        }
    }
    text.push_str("    ok.\n");
    Made {
        text,
        record: writer.choices.into_record(),
    }
}

impl Writer {
    fn chance(&mut self, percent: u32) -> bool {
        self.choices.u32(0..100) < percent
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.choices.usize(0..choices.len())]
    }

    fn any_type(&mut self) -> Type {
        if self.records && self.chance(15) {
            return Type::Record;
        }
        self.one_of(&TYPES)
    }

    /// What is written by choices of its own.
    fn part<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.choices.enter();
        let made = write(self);
        self.choices.leave();
        made
    }

    /// As [`part`](Writer::part), of something that can be left out.
    fn kept<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.part(|writer| writer.choices.goes_on(true).then(|| write(writer)))
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("V{}", self.names)
    }

    /// A variable of this type in scope, chosen at random.
    fn variable(&mut self, wanted: Type) -> Option<String> {
        let fitting: Vec<&String> = self
            .scope
            .iter()
            .filter(|(_, of)| *of == wanted)
            .map(|(name, _)| name)
            .collect();
        (!fitting.is_empty()).then(|| fitting[self.choices.usize(0..fitting.len())].clone())
    }

    /// The result of `write` with more variables in scope.
    fn inside<T>(&mut self, more: Vec<(String, Type)>, write: impl FnOnce(&mut Self) -> T) -> T {
        let known = self.scope.len();
        self.scope.extend(more);
        let made = write(self);
        self.scope.truncate(known);
        made
    }

    /// The result of `write` for code that runs several times.
    fn repeated<T>(&mut self, times: u64, write: impl FnOnce(&mut Self) -> T) -> T {
        let (before, processes) = (self.times, self.processes);
        self.times *= times;
        self.processes = false;
        let made = write(self);
        (self.times, self.processes) = (before, processes);
        made
    }

    fn function(&mut self, number: usize) -> String {
        self.cost = 0;
        self.scope.clear();
        let result = self.any_type();
        match self.choices.u32(0..10) {
            0..=5 => self.plain_function(number, result),
            6..=7 => self.counting_function(number, result),
            _ => self.walking_function(number, result),
        }
    }

    /// A function of a few clauses with patterns and guards; the last clause matches anything.
    fn plain_function(&mut self, number: usize, result: Type) -> String {
        let parameters: Vec<Type> = (0..self.choices.usize(1..4))
            .map(|_| self.any_type())
            .collect();
        let mut text = String::new();
        for _ in 0..self.choices.usize(0..3) {
            let clause = self.kept(|writer| writer.clause(number, &parameters, result));
            text.push_str(&clause.unwrap_or_default());
        }
        let names: Vec<String> = parameters.iter().map(|_| self.fresh()).collect();
        let bound = names
            .iter()
            .cloned()
            .zip(parameters.iter().copied())
            .collect();
        let body = self.inside(bound, |writer| writer.body(result));
        let _ = write!(text, "f{number}({}) ->\n{body}.\n", names.join(", "));
        self.add(number, parameters, result, false);
        text
    }

    fn clause(&mut self, number: usize, parameters: &[Type], result: Type) -> String {
        let mut bound = Vec::new();
        let patterns: Vec<String> = parameters
            .iter()
            .map(|&of| self.pattern(of, 2, &mut bound))
            .collect();
        self.inside(bound, |writer| {
            let guard = writer.when();
            let body = writer.body(result);
            format!("f{number}({}){guard} ->\n{body};\n", patterns.join(", "))
        })
    }

    /// A function that counts down, with a state of bounded size.
    fn counting_function(&mut self, number: usize, result: Type) -> String {
        let (count, state) = (self.fresh(), self.fresh());
        let bound = vec![(count.clone(), Type::Integer), (state.clone(), result)];
        let step = self.repeated(TURNS, |writer| {
            writer.inside(bound, |writer| writer.expression(result, 4))
        });
        self.add(number, vec![Type::Integer, result], result, true);
        format!(
            "f{number}({count}, {state}) when {count} > 0 ->\n    f{number}({count} - 1, run:bounded({step}));\nf{number}(_, {state}) ->\n    {state}.\n"
        )
    }

    /// A function that walks along a list. Half of these are not tail-recursive.
    fn walking_function(&mut self, number: usize, result: Type) -> String {
        let (head, tail, state) = (self.fresh(), self.fresh(), self.fresh());
        let of = self.any_type();
        let bound = vec![(head.clone(), of), (state.clone(), result)];
        let step = self.repeated(TURNS, |writer| {
            writer.inside(bound, |writer| writer.expression(result, 4))
        });
        self.add(number, vec![Type::List, result], result, false);
        let go_on = if self.chance(50) {
            format!("f{number}({tail}, run:bounded({step}))")
        } else {
            format!("[run:bounded({step}) | f{number}({tail}, {state})]")
        };
        format!(
            "f{number}([{head} | {tail}], {state}) ->\n    {go_on};\nf{number}([], {state}) ->\n    {state}.\n"
        )
    }

    fn add(&mut self, number: usize, parameters: Vec<Type>, result: Type, counts: bool) {
        let cost = self.cost;
        self.functions.push(Function {
            number,
            parameters,
            result,
            cost,
            counts,
        });
    }

    /// Up to three matches, then an expression of the type.
    fn body(&mut self, result: Type) -> String {
        let mut lines = Vec::new();
        let known = self.scope.len();
        for _ in 0..self.choices.usize(0..4) {
            let line = self.kept(|writer| {
                let of = writer.any_type();
                let value = writer.expression(of, 3);
                let name = writer.fresh();
                (format!("    {name} = {value}"), (name, of))
            });
            if let Some((line, variable)) = line {
                lines.push(line);
                self.scope.push(variable);
            }
        }
        lines.push(format!("    {}", self.expression(result, 5)));
        self.scope.truncate(known);
        lines.join(",\n")
    }

    /// A call of an earlier function with this result, if its cost stays below the limit.
    fn call(&mut self, result: Type, depth: u32) -> Option<String> {
        let at = (0..self.functions.len()).rev().find(|&at| {
            let function = &self.functions[at];
            function.result == result && self.cost + function.cost * self.times < MOST_COST
        })?;
        self.cost += self.functions[at].cost * self.times;
        let number = self.functions[at].number;
        let parameters = self.functions[at].parameters.clone();
        let counts = self.functions[at].counts;
        let mut arguments: Vec<String> = parameters
            .iter()
            .map(|&of| self.expression(of, depth.saturating_sub(1)))
            .collect();
        if counts {
            arguments[0] = self.choices.u64(0..TURNS).to_string();
        }
        if parameters[0] == Type::List {
            arguments[0] = format!("run:bounded({})", arguments[0]);
        }
        Some(format!("f{number}({})", arguments.join(", ")))
    }

    /// A call from `main/0`.
    fn call_with_literals(&mut self, at: usize) -> String {
        let number = self.functions[at].number;
        let parameters = self.functions[at].parameters.clone();
        let counts = self.functions[at].counts;
        let mut arguments: Vec<String> = parameters
            .iter()
            .map(|&of| {
                let of = if self.chance(10) { self.any_type() } else { of };
                format!("run:id({})", self.literal(of, 2))
            })
            .collect();
        if counts {
            arguments[0] = self.choices.u64(0..TURNS).to_string();
        }
        format!("f{number}({})", arguments.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_text() {
        assert_eq!(random("m", 7, 25).text, random("m", 7, 25).text);
        assert_ne!(random("m", 7, 25).text, random("m", 8, 25).text);
    }

    #[test]
    fn texts_stay_small() {
        for seed in 0..200 {
            let length = random("m", seed, 29).text.len();
            assert!(length < 200_000, "seed {seed}: {length} bytes");
        }
    }

    #[test]
    fn a_record_makes_the_same_text() {
        for seed in 0..50 {
            let made = random("m", seed, 29);
            let again = recorded("m", made.record.clone(), 29);
            assert_eq!(again.text, made.text);
            assert_eq!(again.record, made.record);
        }
    }

    #[test]
    fn without_choices_a_module_has_no_functions() {
        let text = recorded("m", Vec::new(), 25).text;
        assert!(text.ends_with("\nmain() ->\n    ok.\n"), "{text}");
        assert!(!text.contains("f0"), "{text}");
    }
}
