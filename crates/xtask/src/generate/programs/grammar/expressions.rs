//! Expressions of each type.

use super::{TURNS, Type, Writer};

/// One in this many expressions is of another type than is wanted.
const WRONG_IN: u32 = 40;

impl Writer {
    pub(super) fn expression(&mut self, wanted: Type, depth: u32) -> String {
        self.part(|writer| writer.whole_expression(wanted, depth))
    }

    fn whole_expression(&mut self, wanted: Type, depth: u32) -> String {
        self.cost += self.times;
        if !self.choices.goes_on(depth > 0) {
            return match self.variable(wanted) {
                Some(name) if self.chance(70) => name,
                _ => self.literal(wanted, 1),
            };
        }
        let of = if self.choices.u32(0..WRONG_IN) == 0 {
            self.any_type()
        } else {
            wanted
        };
        let less = depth - 1;
        match self.choices.u32(0..100) {
            0..=14 => {
                if let Some(name) = self.variable(of) {
                    return name;
                }
            }
            15..=24 => {
                if let Some(call) = self.call(of, less) {
                    return call;
                }
            }
            25..=33 => return self.choice(of, less),
            34..=38 => return self.protected(of, less),
            39..=42 if self.processes => {
                let value = self.with_processes(less);
                let of = self.expression(of, less);
                return format!("run:second({value}, {of})");
            }
            43..=46 => {
                let name = self.fresh();
                let argument = self.any_type();
                let value = self.expression(argument, less);
                let body = self.inside(vec![(name.clone(), argument)], |writer| {
                    writer.expression(of, less)
                });
                return format!("(fun({name}) -> {body} end)({value})");
            }
            47..=49 => {
                let name = self.fresh();
                let other = self.any_type();
                let value = self.expression(other, less);
                let body = self.inside(vec![(name.clone(), other)], |writer| {
                    writer.expression(of, less)
                });
                return format!("begin {name} = {value}, {body} end");
            }
            50..=52 if self.records => return self.field(less),
            _ => {}
        }
        match of {
            Type::Integer => self.integer(less),
            Type::Float => self.float(less),
            Type::Atom => self.atom(less),
            Type::Boolean => self.boolean(less),
            Type::List => self.list(less),
            Type::Tuple => self.tuple(less),
            Type::Map => self.map(less),
            Type::Binary => self.binary(less),
            Type::Fun => self.fun(less),
            Type::Record => self.record(less),
        }
    }

    fn two(&mut self, of: Type, depth: u32) -> (String, String) {
        (self.expression(of, depth), self.expression(of, depth))
    }

    fn anything(&mut self, depth: u32) -> String {
        let of = self.any_type();
        self.expression(of, depth)
    }

    /// A `case` or an `if`.
    fn choice(&mut self, of: Type, depth: u32) -> String {
        if self.chance(25) {
            let (guard, other) = (self.guard(2), self.guard(1));
            let (a, b, c) = (
                self.expression(of, depth),
                self.expression(of, depth),
                self.expression(of, depth),
            );
            return format!("if {guard} -> {a}; {other} -> {b}; true -> {c} end");
        }
        let subject = self.any_type();
        let value = self.expression(subject, depth);
        let mut clauses = Vec::new();
        for _ in 0..self.choices.usize(1..4) {
            clauses.extend(self.kept(|writer| {
                let mut bound = Vec::new();
                let pattern = writer.pattern(subject, 2, &mut bound);
                writer.inside(bound, |writer| {
                    let guard = writer.when();
                    format!("{pattern}{guard} -> {}", writer.expression(of, depth))
                })
            }));
        }
        // Mostly with a clause that matches anything.
        if self.chance(85) || clauses.is_empty() {
            clauses.push(format!("_ -> {}", self.expression(of, depth)));
        }
        format!("case {value} of {} end", clauses.join("; "))
    }

    fn integer(&mut self, depth: u32) -> String {
        match self.choices.u32(0..14) {
            0..=5 => {
                let operator =
                    self.one_of(&["+", "-", "*", "div", "rem", "band", "bor", "bxor", "+", "-"]);
                let (a, b) = self.two(Type::Integer, depth);
                format!("({a} {operator} {b})")
            }
            6 => {
                let operator = self.one_of(&["bsl", "bsr"]);
                format!(
                    "({} {operator} {})",
                    self.expression(Type::Integer, depth),
                    self.choices.u32(0..70)
                )
            }
            7 => format!(
                "{}({})",
                self.one_of(&["abs", "bnot", "-"]),
                self.expression(Type::Integer, depth)
            ),
            8 => format!("length({})", self.expression(Type::List, depth)),
            9 => format!(
                "{}({})",
                self.one_of(&["byte_size", "bit_size"]),
                self.expression(Type::Binary, depth)
            ),
            10 => format!(
                "{}({})",
                self.one_of(&["trunc", "round", "floor", "ceil"]),
                self.expression(Type::Float, depth)
            ),
            11 => format!("tuple_size({})", self.expression(Type::Tuple, depth)),
            12 => format!("erlang:phash2({})", self.hashable(depth)),
            _ => {
                let name = self.fresh();
                let state = self.fresh();
                let list = self.expression(Type::List, depth);
                let bound = vec![(state.clone(), Type::Integer)];
                let step = self.repeated(TURNS, |writer| {
                    writer.inside(bound, |writer| writer.expression(Type::Integer, depth))
                });
                format!(
                    "lists:foldl(fun({name}, {state}) -> run:bounded({step} + erlang:phash2(run:plain({name}))) end, 0, run:bounded({list}))"
                )
            }
        }
    }

    /// Funs have a hash of their own on each machine.
    fn hashable(&mut self, depth: u32) -> String {
        let value = self.anything(depth);
        format!("run:plain({value})")
    }

    fn float(&mut self, depth: u32) -> String {
        match self.choices.u32(0..6) {
            0..=2 => {
                let operator = self.one_of(&["+", "-", "*", "/"]);
                let (a, b) = self.two(Type::Float, depth);
                format!("({a} {operator} {b})")
            }
            3 => {
                let (a, b) = self.two(Type::Integer, depth);
                format!("({a} / {b})")
            }
            4 => format!("float({})", self.expression(Type::Integer, depth)),
            _ => {
                let function = self.one_of(&["sqrt", "abs", "floor"]);
                let value = self.expression(Type::Float, depth);
                if function == "abs" {
                    format!("abs({value})")
                } else {
                    format!("math:{function}({value})")
                }
            }
        }
    }

    fn atom(&mut self, depth: u32) -> String {
        match self.choices.u32(0..5) {
            0 => {
                let name = self.literal(Type::Atom, 0);
                format!("list_to_atom(atom_to_list({name}))")
            }
            1 => format!(
                "hd([{} | {}])",
                self.literal(Type::Atom, 0),
                self.expression(Type::List, depth)
            ),
            2 => {
                let tag = self.literal(Type::Atom, 0);
                format!("element(1, {{{tag}, {}}})", self.anything(depth))
            }
            _ => self.literal(Type::Atom, 0),
        }
    }

    fn boolean(&mut self, depth: u32) -> String {
        match self.choices.u32(0..8) {
            0..=2 => {
                let operator = self.one_of(&["<", ">", "=<", ">=", "==", "/=", "=:=", "=/="]);
                format!(
                    "(run:plain({}) {operator} run:plain({}))",
                    self.anything(depth),
                    self.anything(depth)
                )
            }
            3 => {
                let operator = self.one_of(&["and", "or", "xor", "andalso", "orelse"]);
                let (a, b) = self.two(Type::Boolean, depth);
                format!("({a} {operator} {b})")
            }
            4 => format!("(not {})", self.expression(Type::Boolean, depth)),
            5 => format!(
                "lists:member({}, {})",
                self.anything(depth),
                self.expression(Type::List, depth)
            ),
            6 => {
                let key = self.key();
                format!("maps:is_key({key}, {})", self.expression(Type::Map, depth))
            }
            _ => {
                let test = self.one_of(&[
                    "is_integer",
                    "is_atom",
                    "is_list",
                    "is_tuple",
                    "is_map",
                    "is_binary",
                    "is_float",
                    "is_boolean",
                ]);
                format!("{test}({})", self.anything(depth))
            }
        }
    }

    fn list(&mut self, depth: u32) -> String {
        match self.choices.u32(0..15) {
            0..=2 => {
                let parts: Vec<String> = (0..self.choices.usize(0..5))
                    .map(|_| self.anything(depth))
                    .collect();
                format!("[{}]", parts.join(", "))
            }
            3 => format!(
                "[{} | {}]",
                self.anything(depth),
                self.expression(Type::List, depth)
            ),
            4 => {
                let (a, b) = self.two(Type::List, depth);
                format!("({a} {} {b})", self.one_of(&["++", "--"]))
            }
            5..=6 => {
                let list = self.expression(Type::List, depth);
                let mut bound = Vec::new();
                let of = self.any_type();
                let pattern = self.pattern(of, 1, &mut bound);
                let element = self.any_type();
                let (guard, body) = self.repeated(TURNS, |writer| {
                    writer.inside(bound, |writer| {
                        let guard = if writer.chance(40) {
                            format!(", {}", writer.guard(1))
                        } else {
                            String::new()
                        };
                        (guard, writer.expression(element, depth))
                    })
                });
                format!("[{body} || {pattern} <- run:bounded({list}){guard}]")
            }
            7 => {
                let name = self.fresh();
                let size = self.one_of(&[3, 8, 13, 16]);
                let binary = self.expression(Type::Binary, depth);
                let body = self.repeated(TURNS, |writer| {
                    writer.inside(vec![(name.clone(), Type::Integer)], |writer| {
                        writer.expression(Type::Integer, depth)
                    })
                });
                format!("[{body} || <<{name}:{size}>> <= run:bounded({binary})]")
            }
            8 => format!("lists:reverse({})", self.expression(Type::List, depth)),
            9 => format!(
                "lists:{}([run:plain(E) || E <- {}])",
                self.one_of(&["sort", "usort"]),
                self.expression(Type::List, depth)
            ),
            10 => {
                let fun = self.expression(Type::Fun, depth);
                format!(
                    "lists:map({fun}, run:bounded({}))",
                    self.expression(Type::List, depth)
                )
            }
            11 => format!("tuple_to_list({})", self.expression(Type::Tuple, depth)),
            12 => format!("lists:seq(1, {})", self.choices.u32(0..9)),
            13 => format!(
                "lists:sort(maps:to_list(maps:map(fun(_, E) -> run:plain(E) end, {})))",
                self.expression(Type::Map, depth)
            ),
            _ => format!(
                "tl([{} | {}])",
                self.anything(depth),
                self.expression(Type::List, depth)
            ),
        }
    }

    fn tuple(&mut self, depth: u32) -> String {
        match self.choices.u32(0..5) {
            0 => {
                let place = self.choices.u32(1..4);
                format!(
                    "setelement({place}, {}, {})",
                    self.expression(Type::Tuple, depth),
                    self.anything(depth)
                )
            }
            1 => format!("list_to_tuple({})", self.expression(Type::List, depth)),
            2 => format!(
                "erlang:append_element({}, {})",
                self.expression(Type::Tuple, depth),
                self.anything(depth)
            ),
            _ => {
                let parts: Vec<String> = (0..self.choices.usize(0..5))
                    .map(|_| self.anything(depth))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    fn map(&mut self, depth: u32) -> String {
        match self.choices.u32(0..7) {
            0..=1 => {
                let pairs: Vec<String> = (0..self.choices.usize(0..5))
                    .map(|_| format!("{} => {}", self.key(), self.anything(depth)))
                    .collect();
                format!("#{{{}}}", pairs.join(", "))
            }
            2 => {
                let operator = self.one_of(&["=>", "=>", ":="]);
                let key = self.key();
                format!(
                    "({})#{{{key} {operator} {}}}",
                    self.expression(Type::Map, depth),
                    self.anything(depth)
                )
            }
            3 => {
                let (a, b) = self.two(Type::Map, depth);
                format!("maps:merge({a}, {b})")
            }
            4 => format!(
                "maps:remove({}, {})",
                self.key(),
                self.expression(Type::Map, depth)
            ),
            5 => format!(
                "maps:from_list([{{run:plain(K), V}} || {{K, V}} <- [{{{}, {}}}]])",
                self.anything(depth),
                self.anything(depth)
            ),
            // More keys than a flatmap holds.
            _ => format!(
                "maps:from_list([{{K, K * K}} || K <- lists:seq(1, {})])",
                self.choices.u32(30..40)
            ),
        }
    }

    fn binary(&mut self, depth: u32) -> String {
        match self.choices.u32(0..8) {
            0..=2 => {
                let parts: Vec<String> = (0..self.choices.usize(1..5))
                    .map(|_| match self.choices.u32(0..7) {
                        0 => format!("({})/binary", self.expression(Type::Binary, depth)),
                        1 => format!("({})/bitstring", self.expression(Type::Binary, depth)),
                        2 => format!("({}):64/float", self.expression(Type::Float, depth)),
                        3 => format!(
                            "({}):{}/little",
                            self.expression(Type::Integer, depth),
                            self.one_of(&[8, 16, 31, 32, 64])
                        ),
                        4 => format!(
                            "(abs({}) rem 50000)/utf8",
                            self.expression(Type::Integer, depth)
                        ),
                        5 => format!(
                            "({}):{}",
                            self.expression(Type::Integer, depth),
                            self.one_of(&[1, 3, 7, 12, 70])
                        ),
                        _ => format!("({})", self.expression(Type::Integer, depth)),
                    })
                    .collect();
                format!("<<{}>>", parts.join(", "))
            }
            3 => {
                let name = self.fresh();
                let list = self.expression(Type::List, depth);
                let size = self.one_of(&[5, 8, 16]);
                format!(
                    "<< <<{name}:{size}>> || {name} <- run:bounded({list}), is_integer({name}) >>"
                )
            }
            4 => format!(
                "integer_to_binary({})",
                self.expression(Type::Integer, depth)
            ),
            5 => format!(
                "list_to_binary([E || E <- {}, is_integer(E), E >= 0, E < 256])",
                self.expression(Type::List, depth)
            ),
            6 => format!(
                "binary:part({}, 0, {})",
                self.expression(Type::Binary, depth),
                self.choices.u32(0..3)
            ),
            _ => format!("atom_to_binary({})", self.expression(Type::Atom, depth)),
        }
    }

    fn fun(&mut self, depth: u32) -> String {
        let of = self.any_type();
        let unary = (self.functions.iter())
            .find(|function| function.parameters.len() == 1 && function.cost < 100)
            .map(|function| function.number);
        match unary {
            Some(number) if self.chance(20) => format!("fun f{number}/1"),
            _ => {
                let name = self.fresh();
                let argument = self.any_type();
                let body = self.repeated(TURNS, |writer| {
                    writer.inside(vec![(name.clone(), argument)], |writer| {
                        writer.expression(of, depth)
                    })
                });
                format!("fun({name}) -> {body} end")
            }
        }
    }

    pub(super) fn key(&mut self) -> String {
        self.one_of(&[
            "a",
            "b",
            "c",
            "1",
            "2",
            "\"k\"",
            "{a, 1}",
            "<<\"bin\">>",
            "1.0",
        ])
        .to_owned()
    }

    pub(super) fn literal(&mut self, of: Type, depth: u32) -> String {
        match of {
            Type::Integer => {
                let edge = self.one_of(&[0, 1, 2, 7, 59, 60, 63, 64]);
                match self.choices.u32(0..6) {
                    0..=2 => self.choices.i32(-20..300).to_string(),
                    3 => ((1_i128 << edge) - 1).to_string(),
                    4 => (-(1_i128 << edge)).to_string(),
                    _ => self
                        .one_of(&[
                            "576460752303423487",
                            "576460752303423488",
                            "-576460752303423489",
                            "1267650600228229401496703205376",
                        ])
                        .to_owned(),
                }
            }
            Type::Float => self
                .one_of(&["0.5", "-1.25", "3.0", "1.0e10", "2.5e-3", "1.0e300", "42.0"])
                .to_owned(),
            Type::Atom => self
                .one_of(&["a", "b", "ok", "error", "undefined", "'an atom'"])
                .to_owned(),
            Type::Boolean => self.one_of(&["true", "false"]).to_owned(),
            Type::Fun => "fun(X) -> [X] end".into(),
            Type::Record => self.record_literal(depth),
            Type::Binary => self
                .one_of(&[
                    "<<>>",
                    "<<1, 2, 3>>",
                    "<<\"text\">>",
                    "<<5:3>>",
                    "<<255, 254, 3:4>>",
                    "<<\"\\x{f6}\"/utf8, 7>>",
                ])
                .to_owned(),
            Type::List if depth == 0 || self.chance(30) => {
                self.one_of(&["[]", "[1, 2, 3]", "\"abc\""]).to_owned()
            }
            Type::List => format!("[{}]", self.literals(depth, 4).join(", ")),
            Type::Tuple => format!("{{{}}}", self.literals(depth, 4).join(", ")),
            Type::Map => {
                let pairs: Vec<String> = self
                    .literals(depth, 3)
                    .into_iter()
                    .map(|value| format!("{} => {value}", self.key()))
                    .collect();
                // The same key may appear twice, because this is not a pattern.
                format!("#{{{}}}", pairs.join(", "))
            }
        }
    }

    fn literals(&mut self, depth: u32, most: usize) -> Vec<String> {
        if depth == 0 {
            return Vec::new();
        }
        (0..self.choices.usize(0..most))
            .map(|_| {
                let of = self.any_type();
                self.literal(of, depth - 1)
            })
            .collect()
    }
}
