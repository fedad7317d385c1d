//! The files of one crate and the arrows between them, read from its sources; and the size of the largest circle that
//! each crate may have.
//!
//! A path leads to the file of the longest module that it names. A name that a file re-exports counts as the file's
//! that defines it, and as the re-exporting file's own arrow only where that file uses the name itself. Paths that
//! begin with the name of a child (`table::find` in `process.rs`) count too.

use super::reading::Sources;
use super::table::Graph;
use std::collections::BTreeMap;

/// The graph of the files of one crate.
pub(super) fn graph(sources: &Sources) -> Graph {
    let Sources { files, readings } = sources;
    let homes: BTreeMap<&[String], &str> = files
        .iter()
        .filter(|file| !sources.is_for_tests(&file.module))
        .map(|file| (file.module.as_slice(), file.name.as_str()))
        .collect();
    let names: BTreeMap<&[String], &[String]> = readings
        .iter()
        .flat_map(|reading| &reading.names)
        .map(|(name, behind)| (name.as_slice(), behind.as_slice()))
        .collect();
    let macros: BTreeMap<&str, &[String]> = readings
        .iter()
        .flat_map(|reading| &reading.macros)
        .map(|(name, module)| (name.as_str(), module.as_slice()))
        .collect();
    let mut graph = Graph::new();
    for file in files
        .iter()
        .filter(|file| homes.contains_key(file.module.as_slice()))
    {
        graph.entry(file.name.clone()).or_default().lines = file.lines;
    }
    for reading in readings {
        let is_passed_on = |name: &String| reading.words.get(name).is_some_and(|times| *times < 2);
        let children = reading.below.iter().filter(|found| {
            let end = found.from.len() + 1;
            found
                .to
                .get(..end)
                .is_some_and(|first| homes.contains_key(first))
        });
        for found in reading.found.iter().chain(children) {
            if found.exported.as_ref().is_some_and(is_passed_on) {
                continue;
            }
            if sources.is_for_tests(&found.from) {
                continue;
            }
            let (Some(from), Some(to)) = (
                home(&homes, &found.from),
                home(&homes, &behind(&names, &macros, found.to.clone())),
            ) else {
                continue;
            };
            if from != to {
                let place = || format!("{from}:{}", found.line());
                let room = graph.entry(from.to_owned()).or_default();
                room.uses.entry(to.to_owned()).or_insert_with(place);
            }
        }
    }
    graph
}

/// The file of the longest module that a path names.
fn home<'a>(homes: &BTreeMap<&[String], &'a str>, path: &[String]) -> Option<&'a str> {
    (0..=path.len())
        .rev()
        .find_map(|end| homes.get(&path[..end]).copied())
}

/// The path behind the names that a `use` brought there, or the module of the macro that is meant.
fn behind(
    names: &BTreeMap<&[String], &[String]>,
    macros: &BTreeMap<&str, &[String]>,
    mut path: Vec<String>,
) -> Vec<String> {
    if let [name] = path.as_slice()
        && let Some(module) = macros.get(name.as_str())
    {
        return module.to_vec();
    }
    // Each round follows one name; a name that leads to itself ends it.
    for _ in 0..8 {
        let Some((end, to)) =
            (1..=path.len()).find_map(|end| names.get(&path[..end]).map(|to| (end, *to)))
        else {
            break;
        };
        path = [to, &path[end..]].concat();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rooms::reading::tests::{listed, sources_of};

    fn graph_of(files: &[(&str, &str)]) -> Vec<String> {
        listed(&graph(&sources_of(files)))
    }

    #[test]
    fn a_path_leads_to_the_longest_module_that_it_names() {
        let files = [
            ("lib.rs", "mod a; mod b; mod d;"),
            ("a.rs", "use crate::b::deep::X;"),
            ("b.rs", "pub mod deep; fn f() { deep::g() }"),
            ("b/deep.rs", "use super::Own;"),
            ("d.rs", "fn f() { crate::b::unknown(); std::deep::g() }"),
        ];
        let expected = [
            "a.rs b/deep.rs a.rs:1",
            "b.rs b/deep.rs b.rs:1",
            "b/deep.rs b.rs b/deep.rs:1",
            "d.rs b.rs d.rs:1",
        ];
        assert_eq!(graph_of(&files), expected);
    }

    #[test]
    fn a_re_exported_name_is_that_of_the_file_that_defines_it() {
        let passed_on = [
            ("lib.rs", "mod a; mod b; pub use b::Deep as Known;"),
            ("a.rs", "use crate::{b::Deep, Known};"),
            ("b.rs", "mod deep; pub use deep::Deep;"),
            ("b/deep.rs", ""),
        ];
        assert_eq!(graph_of(&passed_on), ["a.rs b/deep.rs a.rs:1"]);
        let used = [
            ("lib.rs", "mod b;"),
            (
                "b.rs",
                "mod deep; pub(crate) use deep::Deep; struct Whole(Deep);",
            ),
            ("b/deep.rs", ""),
        ];
        assert_eq!(graph_of(&used), ["b.rs b/deep.rs b.rs:1"]);
    }

    #[test]
    fn a_name_that_is_exported_in_a_circle_ends() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub use crate::b::X; use crate::a::X;"),
            ("b.rs", "pub use crate::a::X;"),
        ];
        assert!(graph_of(&files).len() <= 2);
    }
}
