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

use fastrand::Rng;
use std::fmt::Write;

/// Most expressions that one call of a function may evaluate.
const MOST_COST: u64 = 3000;
/// Iterations of a generated loop.
const TURNS: u64 = 6;

/// The type that an expression is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
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
    parameters: Vec<Type>,
    result: Type,
    cost: u64,
    /// Whether its first argument is a number of iterations, which must stay small.
    counts: bool,
}

/// Writes one module.
struct Writer {
    random: Rng,
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

/// The text of a module, for this release of OTP.
pub fn module(name: &str, seed: u64, release: u8) -> String {
    let mut writer = Writer {
        random: Rng::with_seed(seed),
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
    let count = writer.random.usize(3..8);
    for number in 0..count {
        text.push_str(&writer.function(number));
        text.push('\n');
    }
    text.push_str("main() ->\n");
    for number in 0..count {
        for _ in 0..3 {
            let call = writer.call_with_literals(number);
            let _ = writeln!(text, "    run:that({number}, fun() -> {call} end),");
        }
    }
    text.push_str("    ok.\n");
    text
}

impl Writer {
    fn chance(&mut self, percent: u32) -> bool {
        self.random.u32(0..100) < percent
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.random.usize(0..choices.len())]
    }

    fn any_type(&mut self) -> Type {
        if self.records && self.chance(15) {
            return Type::Record;
        }
        self.one_of(&TYPES)
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
        (!fitting.is_empty()).then(|| fitting[self.random.usize(0..fitting.len())].clone())
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
        match self.random.u32(0..10) {
            0..=5 => self.plain_function(number, result),
            6..=7 => self.counting_function(number, result),
            _ => self.walking_function(number, result),
        }
    }

    /// A function of a few clauses with patterns and guards; the last clause matches anything.
    fn plain_function(&mut self, number: usize, result: Type) -> String {
        let parameters: Vec<Type> = (0..self.random.usize(1..4))
            .map(|_| self.any_type())
            .collect();
        let mut text = String::new();
        for _ in 0..self.random.usize(0..3) {
            let mut bound = Vec::new();
            let patterns: Vec<String> = parameters
                .iter()
                .map(|&of| self.pattern(of, 2, &mut bound))
                .collect();
            let clause = self.inside(bound, |writer| {
                let guard = writer.when();
                format!(
                    "f{number}({}){guard} ->\n{};\n",
                    patterns.join(", "),
                    writer.body(result)
                )
            });
            text.push_str(&clause);
        }
        let names: Vec<String> = parameters.iter().map(|_| self.fresh()).collect();
        let bound = names
            .iter()
            .cloned()
            .zip(parameters.iter().copied())
            .collect();
        let body = self.inside(bound, |writer| writer.body(result));
        let _ = write!(text, "f{number}({}) ->\n{body}.\n", names.join(", "));
        self.add(parameters, result, false);
        text
    }

    /// A function that counts down, with a state of bounded size.
    fn counting_function(&mut self, number: usize, result: Type) -> String {
        let (count, state) = (self.fresh(), self.fresh());
        let bound = vec![(count.clone(), Type::Integer), (state.clone(), result)];
        let step = self.repeated(TURNS, |writer| {
            writer.inside(bound, |writer| writer.expression(result, 4))
        });
        self.add(vec![Type::Integer, result], result, true);
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
        self.add(vec![Type::List, result], result, false);
        let go_on = if self.chance(50) {
            format!("f{number}({tail}, run:bounded({step}))")
        } else {
            format!("[run:bounded({step}) | f{number}({tail}, {state})]")
        };
        format!(
            "f{number}([{head} | {tail}], {state}) ->\n    {go_on};\nf{number}([], {state}) ->\n    {state}.\n"
        )
    }

    fn add(&mut self, parameters: Vec<Type>, result: Type, counts: bool) {
        let cost = self.cost;
        self.functions.push(Function {
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
        for _ in 0..self.random.usize(0..4) {
            let of = self.any_type();
            let value = self.expression(of, 3);
            let name = self.fresh();
            lines.push(format!("    {name} = {value}"));
            self.scope.push((name, of));
        }
        lines.push(format!("    {}", self.expression(result, 5)));
        self.scope.truncate(known);
        lines.join(",\n")
    }

    /// A call of an earlier function with this result, if its cost stays below the limit.
    fn call(&mut self, result: Type, depth: u32) -> Option<String> {
        let number = (0..self.functions.len()).rev().find(|&number| {
            let function = &self.functions[number];
            function.result == result && self.cost + function.cost * self.times < MOST_COST
        })?;
        self.cost += self.functions[number].cost * self.times;
        let parameters = self.functions[number].parameters.clone();
        let counts = self.functions[number].counts;
        let mut arguments: Vec<String> = parameters
            .iter()
            .map(|&of| self.expression(of, depth.saturating_sub(1)))
            .collect();
        if counts {
            arguments[0] = self.random.u64(0..TURNS).to_string();
        }
        if parameters[0] == Type::List {
            arguments[0] = format!("run:bounded({})", arguments[0]);
        }
        Some(format!("f{number}({})", arguments.join(", ")))
    }

    /// A call from `main/0`.
    fn call_with_literals(&mut self, number: usize) -> String {
        let parameters = self.functions[number].parameters.clone();
        let counts = self.functions[number].counts;
        let mut arguments: Vec<String> = parameters
            .iter()
            .map(|&of| {
                let of = if self.chance(10) { self.any_type() } else { of };
                format!("run:id({})", self.literal(of, 2))
            })
            .collect();
        if counts {
            arguments[0] = self.random.u64(0..TURNS).to_string();
        }
        format!("f{number}({})", arguments.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_text() {
        assert_eq!(module("m", 7, 25), module("m", 7, 25));
        assert_ne!(module("m", 7, 25), module("m", 8, 25));
    }

    #[test]
    fn texts_stay_small() {
        for seed in 0..200 {
            let length = module("m", seed, 29).len();
            assert!(length < 200_000, "seed {seed}: {length} bytes");
        }
    }
}
