//! Patterns and guards.

use super::{TYPES, Type, Writer};

impl Writer {
    /// A pattern that values of a type may match. Its variables are new and are added to `bound`.
    pub(super) fn pattern(
        &mut self,
        of: Type,
        depth: u32,
        bound: &mut Vec<(String, Type)>,
    ) -> String {
        if depth == 0 || self.chance(25) {
            let name = self.fresh();
            bound.push((name.clone(), of));
            return name;
        }
        let inner = |writer: &mut Self, bound: &mut Vec<(String, Type)>| {
            let of = writer.any_type();
            writer.pattern(of, depth - 1, bound)
        };
        match of {
            Type::Integer | Type::Atom | Type::Boolean | Type::Float => self.literal(of, 0),
            Type::Fun => "_".into(),
            Type::List => match self.choices.u32(0..4) {
                0 => "[]".into(),
                1 => format!("[{}]", inner(self, bound)),
                2 => {
                    let head = inner(self, bound);
                    format!("[{head} | {}]", self.pattern(Type::List, depth - 1, bound))
                }
                _ => {
                    let (first, second) = (inner(self, bound), inner(self, bound));
                    format!("[{first}, {second} | _]")
                }
            },
            Type::Tuple => {
                let parts: Vec<String> = (0..self.choices.usize(0..4))
                    .map(|_| inner(self, bound))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Type::Map => {
                let keys: Vec<String> = (0..self.choices.usize(0..3)).map(|_| self.key()).collect();
                let pairs: Vec<String> = keys
                    .iter()
                    .map(|key| format!("{key} := {}", inner(self, bound)))
                    .collect();
                format!("#{{{}}}", pairs.join(", "))
            }
            Type::Binary => self.binary_pattern(bound),
            Type::Record => self.record_pattern(depth, bound),
        }
    }

    fn binary_pattern(&mut self, bound: &mut Vec<(String, Type)>) -> String {
        let mut parts = Vec::new();
        let mut size: Option<String> = None;
        for _ in 0..self.choices.usize(0..4) {
            let name = self.fresh();
            let part = match self.choices.u32(0..8) {
                0 => {
                    size = Some(name.clone());
                    format!("{name}:4")
                }
                1 => format!("{name}:{}/signed", self.one_of(&[3, 8, 16, 33])),
                2 => format!("{name}:{}/little", self.one_of(&[8, 16, 24, 32, 64])),
                3 => format!("{name}/utf8"),
                4 => self.choices.u8().to_string(),
                5 => {
                    let size = size.clone().unwrap_or("2".into());
                    let text = format!("{name}:{size}/binary");
                    bound.push((name, Type::Binary));
                    parts.push(text);
                    continue;
                }
                6 => {
                    let text = format!("{name}:64/float");
                    bound.push((name, Type::Float));
                    parts.push(text);
                    continue;
                }
                _ => format!("{name}:8"),
            };
            if part.starts_with('V') {
                bound.push((name, Type::Integer));
            }
            parts.push(part);
        }
        if self.chance(60) {
            let rest = self.fresh();
            let unit = self.one_of(&["binary", "bitstring"]);
            parts.push(format!("{rest}/{unit}"));
            bound.push((rest, Type::Binary));
        }
        format!("<<{}>>", parts.join(", "))
    }

    /// ` when ...`, or nothing.
    pub(super) fn when(&mut self) -> String {
        if self.chance(55) {
            return String::new();
        }
        let count = self.choices.usize(1..3);
        let guards: Vec<String> = (0..count).map(|_| self.guard(2)).collect();
        let separator = self.one_of(&[", ", "; "]);
        format!(" when {}", guards.join(separator))
    }

    /// A boolean expression that is allowed in a guard.
    pub(super) fn guard(&mut self, depth: u32) -> String {
        if depth > 0 && self.chance(35) {
            let (a, b) = (self.guard(depth - 1), self.guard(depth - 1));
            let operator = self.one_of(&["andalso", "orelse", "and", "or", "xor"]);
            return format!("({a} {operator} {b})");
        }
        if self.records
            && self.chance(20)
            && let Some(test) = self.record_guard()
        {
            return test;
        }
        match self.choices.u32(0..5) {
            0 => {
                let of = self.one_of(&TYPES);
                let test = self.one_of(&[
                    "is_integer",
                    "is_atom",
                    "is_list",
                    "is_tuple",
                    "is_map",
                    "is_binary",
                    "is_bitstring",
                    "is_float",
                    "is_number",
                    "is_boolean",
                    "is_function",
                ]);
                format!("{test}({})", self.guard_value(of, 1))
            }
            1 => {
                let key = self.key();
                format!("is_map_key({key}, {})", self.guard_value(Type::Map, 1))
            }
            _ => {
                let of = self.one_of(&[
                    Type::Integer,
                    Type::Integer,
                    Type::Float,
                    Type::List,
                    Type::Tuple,
                    Type::Atom,
                ]);
                let operator = self.one_of(&["<", ">", "=<", ">=", "==", "/=", "=:=", "=/="]);
                let (a, b) = (self.guard_value(of, depth), self.guard_value(of, depth));
                format!("({a} {operator} {b})")
            }
        }
    }

    /// An expression that is allowed in a guard.
    fn guard_value(&mut self, of: Type, depth: u32) -> String {
        if let Some(name) = self
            .variable(of)
            .filter(|_| depth == 0 || self.choices.bool())
        {
            return name;
        }
        if of != Type::Integer || depth == 0 {
            return if of == Type::Fun {
                "none".into()
            } else {
                self.literal(of, 0)
            };
        }
        match self.choices.u32(0..6) {
            0 => format!("length({})", self.guard_value(Type::List, 0)),
            1 => format!("byte_size({})", self.guard_value(Type::Binary, 0)),
            2 => format!("tuple_size({})", self.guard_value(Type::Tuple, 0)),
            3 => format!("map_size({})", self.guard_value(Type::Map, 0)),
            4 => format!("hd({})", self.guard_value(Type::List, 0)),
            _ => {
                let operator = self.one_of(&["+", "-", "*", "div", "rem", "band", "bor", "bxor"]);
                let (a, b) = (
                    self.guard_value(of, depth - 1),
                    self.guard_value(of, depth - 1),
                );
                format!("({a} {operator} {b})")
            }
        }
    }
}
