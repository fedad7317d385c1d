//! Parts of the machine, by the names of its own functions: what the program does besides running Erlang code.

/// A part, and the paths of modules whose functions are of it. A path is the crate's name, and as many modules as it
/// takes. What is *shared* serves the other parts, and is named only where none of these has called it.
struct Part {
    name: &'static str,
    paths: &'static [&'static str],
    is_shared: bool,
}

const fn part(name: &'static str, paths: &'static [&'static str]) -> Part {
    Part {
        name,
        paths,
        is_shared: false,
    }
}

const fn shared(name: &'static str, paths: &'static [&'static str]) -> Part {
    Part {
        is_shared: true,
        ..part(name, paths)
    }
}

const PARTS: [Part; 15] = [
    part("[ETS]", &["ets", "bifs::ets"]),
    part(
        "[external terms]",
        &["term::external", "bifs::erlang::external"],
    ),
    part("[distribution]", &["distribution"]),
    part(
        "[ports]",
        &["drivers", "runtime::effects::port", "runtime::mail::ports"],
    ),
    part("[sockets]", &["bifs::prim_socket"]),
    part("[files]", &["bifs::prim_file", "sys::file"]),
    part(
        "[waiting for events]",
        &[
            "runtime::mail::io",
            "runtime::mail::idle",
            "sys::poll",
            "sys::park",
        ],
    ),
    part("[timers]", &["runtime::mail::timer"]),
    part("[regular expressions]", &["regex", "bifs::re"]),
    part(
        "[loading code]",
        &[
            "beamfile",
            "runtime::code::load",
            "runtime::code::source",
            "engine::codegen",
        ],
    ),
    part("[making machine code]", &["engine::native"]),
    part(
        "[spawning and exiting]",
        &["runtime::exec::spawn", "runtime::exec::exit"],
    ),
    part(
        "[messages]",
        &[
            "runtime::mail::signal",
            "runtime::mail::wake",
            "runtime::effects::send",
            "runtime::effects::receive",
            "runtime::effects::signal_handling",
        ],
    ),
    shared("[copying terms]", &["term::copy", "term::size"]),
    shared(
        "[allocating]",
        &["mi_", "_mi_", "sys::allocator", "sys::memory", "term::heap"],
    ),
];

/// A part of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PartNumber(u8);

impl PartNumber {
    pub(super) fn name(self) -> &'static str {
        PARTS[usize::from(self.0)].name
    }

    fn is_shared(self) -> bool {
        PARTS[usize::from(self.0)].is_shared
    }

    /// The part that a function is of, by its mangled name.
    pub(super) fn of_symbol(mangled: &[u8]) -> Option<PartNumber> {
        let mangled = std::str::from_utf8(mangled).ok()?;
        let path = path_of(mangled);
        let is_of = |prefix: &&&str| match path.strip_prefix(**prefix) {
            // `mi_` begins a name; others are whole.
            Some(rest) => prefix.ends_with('_') || rest.is_empty() || rest.starts_with("::"),
            None => false,
        };
        let longest = |part: &Part| part.paths.iter().filter(is_of).map(|path| path.len()).max();
        let found = (0..).zip(&PARTS);
        let found = found.filter_map(|(number, part)| Some((longest(part)?, number)));
        found.max().map(|(_, number)| PartNumber(number))
    }

    /// Of the parts of functions on a stack, innermost first, the one that is named.
    pub(super) fn of_stack(parts: impl Iterator<Item = PartNumber>) -> Option<PartNumber> {
        let mut of_shared = None;
        for part in parts {
            if !part.is_shared() {
                return Some(part);
            }
            of_shared.get_or_insert(part);
        }
        of_shared
    }
}

/// The path of a function, as far as its mangled name has it: crate and modules between `::`. A method's is that of its
/// type.
fn path_of(mangled: &str) -> String {
    let Some(identifiers) = mangled
        .strip_prefix("_ZN")
        .or_else(|| mangled.strip_prefix("_R"))
    else {
        return mangled.to_owned();
    };
    let mut path = String::new();
    for name in Identifiers(identifiers) {
        if !path.is_empty() {
            path.push_str("::");
        }
        let Some(of_type) = name.strip_prefix("$LT$") else {
            path.push_str(name);
            continue;
        };
        // `<impl T>`, or `<T as Trait>`: the type's path, with dots.
        let of_type = of_type.trim_start_matches("impl$u20$");
        let end = of_type.find('$').unwrap_or(of_type.len());
        path.push_str(&of_type[..end].replace("..", "::"));
        break;
    }
    path
}

/// The identifiers in a mangled name, or in a part of one, as far as they can be read.
pub(super) struct Identifiers<'a>(pub(super) &'a str);

impl<'a> Iterator for Identifiers<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        // A number of bytes and then so many. In the newer form a hash is before a crate's name, and ends with `_`.
        let begin = self.0.find(|letter: char| letter.is_ascii_digit())?;
        let rest = match self.0[..begin].rfind("Cs") {
            Some(hash) => self.0[hash..].split_once('_')?.1,
            None => &self.0[begin..],
        };
        let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let bytes: usize = rest[..digits].parse().ok()?;
        let name = rest.get(digits..digits.checked_add(bytes)?)?;
        self.0 = &rest[digits + bytes..];
        Some(name.trim_start_matches('_'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_of_the_part_that_their_module_is_of() {
        let part = |name: &str| PartNumber::of_symbol(name.as_bytes()).map(PartNumber::name);
        for (name, expected) in [
            (
                "_ZN3ets5store5shard6insert17h0123456789abcdefE",
                Some("[ETS]"),
            ),
            (
                "_ZN4bifs3ets5table8insert_217h0123456789abcdefE",
                Some("[ETS]"),
            ),
            (
                "_ZN4bifs6erlang8external16term_to_binary_117h0123456789abcdefE",
                Some("[external terms]"),
            ),
            (
                "_ZN4term8external6encode3run17h0123456789abcdefE",
                Some("[external terms]"),
            ),
            (
                "_ZN7runtime4mail6signal10send_built17h0123456789abcdefE",
                Some("[messages]"),
            ),
            ("_ZN7runtime4mail7signals3one17h0123456789abcdefE", None),
            (
                "_ZN60_$LT$ets..store..Shard$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
                Some("[ETS]"),
            ),
            (
                "_RNvNtNtCsgEmfK2I1SDS_7runtime4mail6signal4send",
                Some("[messages]"),
            ),
            ("_RNvNtCs1234_3ets5store3get", Some("[ETS]")),
            ("_mi_malloc_generic", Some("[allocating]")),
            ("mi_free", Some("[allocating]")),
            ("main", None),
            ("_ZN99x", None),
            ("_ZN", None),
            ("_R", None),
        ] {
            assert_eq!(part(name), expected, "{name}");
        }
    }

    #[test]
    fn what_serves_a_part_is_of_that_part() {
        let of = |names: &[&str]| {
            let parts = names
                .iter()
                .filter_map(|name| PartNumber::of_symbol(name.as_bytes()));
            PartNumber::of_stack(parts).map(PartNumber::name)
        };
        let (copy, insert) = ("_ZN4term4copy4copyE", "_ZN3ets5store6insertE");
        assert_eq!(of(&["mi_malloc", copy, insert]), Some("[ETS]"));
        assert_eq!(of(&["mi_malloc", copy]), Some("[allocating]"));
        assert_eq!(of(&[]), None);
    }
}
