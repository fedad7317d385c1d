//! Native records (OTP 29): two that each module defines. The last field of each has no default value.

use std::fmt::Write;

use super::{Type, Writer};

/// The names, and the fields.
const RECORDS: [(&str, &[&str]); 2] = [
    ("r0", &["a", "b", "c"]),
    ("r1", &["value", "a", "b", "d", "e"]),
];

/// The definitions; one record is exported.
pub(super) fn definitions() -> String {
    let mut text = String::new();
    for (name, fields) in RECORDS {
        let (last, others) = fields.split_last().expect("a field");
        let with_defaults: Vec<String> = others
            .iter()
            .zip(["0", "[a, {b}]", "none", "<<\"d\">>"])
            .map(|(field, default)| format!("{field} = {default}, "))
            .collect();
        let _ = writeln!(text, "-record #{name}{{{}{last}}}.", with_defaults.concat());
    }
    text.push_str("-export_record([r1]).\n\n");
    text
}

impl Writer {
    fn any_record(&mut self) -> (&'static str, &'static [&'static str]) {
        self.one_of(&RECORDS)
    }

    /// Some of the fields, in any order.
    fn some_fields(&mut self, fields: &'static [&'static str]) -> Vec<&'static str> {
        let mut some: Vec<&str> = fields.to_vec();
        self.choices.shuffle(&mut some);
        some.truncate(self.choices.usize(0..some.len()));
        some
    }

    /// A new record, whose last field always gets a value, or one that was changed.
    pub(super) fn record(&mut self, depth: u32) -> String {
        let (name, fields) = self.any_record();
        if self.chance(35) {
            let record = self.expression(Type::Record, depth);
            let id = self.id(name);
            let mut changed = self.some_fields(fields);
            if id == "_" {
                // If a record lacks several of the fields, the order of the atoms says which one is named.
                changed.truncate(1);
            }
            if changed.is_empty() {
                changed.push(fields[0]);
            }
            let values = self.values(&changed, depth);
            return format!("({record})#{id}{{{values}}}");
        }
        let (last, others) = fields.split_last().expect("a field");
        let mut given: Vec<&str> = others.to_vec();
        given.truncate(self.choices.usize_up_to(0..=others.len()));
        given.push(last);
        let values = self.values(&given, depth);
        format!("#{name}{{{values}}}")
    }

    /// A field of a record, which may be of another type than that which is wanted, so not too often.
    pub(super) fn field(&mut self, depth: u32) -> String {
        let (name, fields) = self.any_record();
        let field = self.one_of(fields);
        let id = self.id(name);
        format!("({})#{id}.{field}", self.expression(Type::Record, depth))
    }

    /// A record by its name, or any.
    fn id(&mut self, name: &'static str) -> &'static str {
        if self.chance(25) { "_" } else { name }
    }

    fn values(&mut self, fields: &[&str], depth: u32) -> String {
        let mut values = Vec::new();
        for field in fields {
            let of = self.any_type();
            values.push(format!("{field} = {}", self.expression(of, depth)));
        }
        values.join(", ")
    }

    pub(super) fn record_literal(&mut self, depth: u32) -> String {
        let (name, fields) = self.any_record();
        let last = fields.last().expect("a field");
        let of = self.any_type();
        let value = match depth {
            0 => "0".to_owned(),
            _ => self.literal(of, depth - 1),
        };
        format!("#{name}{{{last} = {value}}}")
    }

    pub(super) fn record_pattern(&mut self, depth: u32, bound: &mut Vec<(String, Type)>) -> String {
        let (name, fields) = self.any_record();
        let fields = self.some_fields(fields);
        let id = self.id(name);
        let mut parts = Vec::new();
        for field in fields {
            let of = self.any_type();
            parts.push(format!("{field} = {}", self.pattern(of, depth - 1, bound)));
        }
        format!("#{id}{{{}}}", parts.join(", "))
    }

    /// A test of a variable, which is a record or anything.
    pub(super) fn record_guard(&mut self) -> Option<String> {
        let variable = self.variable(Type::Record)?;
        let (name, fields) = self.any_record();
        let field = self.one_of(fields);
        let value = self.literal(Type::Integer, 0);
        Some(match self.choices.u32(0..3) {
            0 => format!("is_record({variable}, {name})"),
            1 => format!("({variable}#{name}.{field} =:= {value})"),
            _ => format!("is_record({variable})"),
        })
    }
}
