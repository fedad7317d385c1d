//! The top-level modules of one crate and the arrows between them, read from its sources.
//!
//! A file belongs to the module that its path names first (`port/driver.rs` to `port`), and uses the module that a path
//! from `crate::` or `super::` reaches first. The crate's root, which declares the modules and re-exports from them, is
//! not looked at; a name that it re-exports counts as its module's.

use super::reading::Sources;
use super::table::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// The room of the crate's root (`lib.rs`, `main.rs`).
const ROOT: &str = "root";

/// The graph of the top-level modules of one crate.
pub(super) fn graph(sources: &Sources) -> Graph {
    let Sources { files, readings } = sources;
    let mut graph = Graph::new();
    for file in files
        .iter()
        .filter(|file| !sources.is_for_tests(&file.module))
    {
        let room = graph.entry(room_of(&file.module)).or_default();
        room.lines += file.lines;
    }
    let rooms: BTreeSet<String> = graph.keys().cloned().collect();
    let mut homes = BTreeMap::new();
    for (file, reading) in files.iter().zip(readings) {
        if file.module.is_empty() {
            for (name, to) in &reading.names {
                if let ([name], [room, _, ..]) = (name.as_slice(), to.as_slice())
                    && rooms.contains(room)
                {
                    homes.insert(name.clone(), room.clone());
                }
            }
        }
        for (name, module) in &reading.macros {
            homes.entry(name.clone()).or_insert_with(|| room_of(module));
        }
    }
    for (file, reading) in files.iter().zip(readings) {
        for found in &reading.found {
            let from = room_of(&found.from);
            let to = match found.to.first() {
                Some(name) if rooms.contains(name) => name,
                Some(name) => homes.get(name).map_or(ROOT, String::as_str),
                None => ROOT,
            };
            if from != to && from != ROOT && !sources.is_for_tests(&found.from) {
                let place = || format!("{}:{}", file.name, found.line());
                let room = graph.entry(from).or_default();
                room.uses.entry(to.to_owned()).or_insert_with(place);
            }
        }
    }
    graph
}

fn room_of(module: &[String]) -> String {
    module.first().map_or(ROOT, String::as_str).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::reading::tests::{listed, sources_of};

    fn graph_of(files: &[(&str, &str)]) -> Vec<String> {
        listed(&graph(&sources_of(files)))
    }

    const ROOT_FILE: (&str, &str) = (
        "lib.rs",
        "mod a; mod b; mod c; pub use b::{Deep as Known, other::*};",
    );

    #[test]
    fn paths_of_every_form_are_arrows() {
        let found = |text: &str| {
            graph_of(&[
                ROOT_FILE,
                ("a.rs", text),
                ("b.rs", ""),
                ("c.rs", "macro_rules! made { () => {} }"),
            ])
        };
        assert_eq!(found("// crate::b\nuse crate::b::X;"), ["a b a.rs:2"]);
        assert_eq!(
            found("use crate::{b::{X, Y}, c};"),
            ["a b a.rs:1", "a c a.rs:1"]
        );
        assert_eq!(found("fn f() { g!(crate::c::h()) }"), ["a c a.rs:1"]);
        assert_eq!(found("use super::b::X;"), ["a b a.rs:1"]);
        assert_eq!(
            found("mod inner { use super::super::b::X; use super::Own; }"),
            ["a b a.rs:1"]
        );
        assert_eq!(found("use crate::Known;"), ["a b a.rs:1"]);
        assert_eq!(found("fn f() { crate::made!() }"), ["a c a.rs:1"]);
        assert_eq!(found("fn f() { crate::unknown() }"), ["a root a.rs:1"]);
        assert_eq!(
            found("fn f<T>() -> crate::b::X<crate::c::Y> {}"),
            ["a b a.rs:1", "a c a.rs:1"]
        );
        assert!(
            found("pub(crate) fn f() { \"crate::b\"; self::own(); crate::a::own() }").is_empty()
        );
    }

    #[test]
    fn files_below_a_module_are_its_own() {
        let files = [
            ROOT_FILE,
            ("a/deep.rs", "use super::x; use super::super::c;"),
            ("b.rs", ""),
            ("c.rs", ""),
        ];
        assert_eq!(graph_of(&files), ["a c a/deep.rs:1"]);
    }

    #[test]
    fn tests_use_what_they_like() {
        let text = "#[cfg(test)] mod tests { use crate::b; } #[cfg(test)] mod more;\n\
            #[cfg(test)] fn f<A, B>(x: crate::b::X) { crate::c::f() }\n\
            struct S { #[cfg(test)] x: crate::b::X, y: crate::c::Y }\n\
            #[cfg(not(test))] use crate::b::Z;";
        let files = [
            ROOT_FILE,
            ("a.rs", text),
            ("a/more.rs", "use crate::b;"),
            ("b.rs", ""),
            ("c.rs", ""),
        ];
        assert_eq!(graph_of(&files), ["a b a.rs:4", "a c a.rs:3"]);
    }
}
