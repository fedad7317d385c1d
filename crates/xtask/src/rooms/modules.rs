//! The top-level modules of one crate and the arrows between them, read from its sources.
//!
//! A file belongs to the module that its path names first (`port/driver.rs` to `port`), and uses the module that a path
//! from `crate::` or `super::` reaches first, also inside braces and macros. The sources are taken apart into tokens, so
//! comments and texts are no paths. Code for tests alone (`#[cfg(test)]`) is not looked at, and neither is the crate's root, which
//! declares the modules and re-exports from them; a name that it re-exports counts as its module's.

use super::table::Graph;
use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The room of the crate's root (`lib.rs`, `main.rs`).
const ROOT: &str = "root";

pub fn graph(folder: &Path) -> Result<Graph> {
    let mut files = Vec::new();
    for path in super::sources(folder)? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let below = path.strip_prefix(folder)?;
        files.push(Source {
            name: below.display().to_string(),
            module: module_of(below),
            lines: text.lines().count(),
            tokens,
        });
    }
    Ok(arrows(&files))
}

struct Source {
    /// The path below the crate's sources.
    name: String,
    module: Vec<String>,
    lines: usize,
    tokens: TokenStream,
}

/// A path that was found: where it leads, from the crate's root, and where it stands.
struct Found {
    to: Vec<String>,
    from: Vec<String>,
    at: Span,
}

/// What the files of one crate say.
#[derive(Default)]
struct Reading {
    found: Vec<Found>,
    /// Modules that only tests have.
    tests: Vec<Vec<String>>,
    /// The module in which a macro is defined.
    macros: BTreeMap<String, Vec<String>>,
}

fn module_of(path: &Path) -> Vec<String> {
    let mut names: Vec<String> = path
        .with_extension("")
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if matches!(names.as_slice(), [only] if only == "lib" || only == "main") {
        names.clear();
    }
    names
}

fn arrows(files: &[Source]) -> Graph {
    let readings: Vec<Reading> = files
        .iter()
        .map(|file| {
            let mut reading = Reading::default();
            reading.walk(file.tokens.clone(), &file.module);
            reading
        })
        .collect();
    let is_for_tests = |module: &[String]| {
        let mut tests = readings.iter().flat_map(|reading| &reading.tests);
        tests.any(|test| module.starts_with(test))
    };
    let mut graph = Graph::new();
    for file in files.iter().filter(|file| !is_for_tests(&file.module)) {
        let room = graph.entry(room_of(&file.module)).or_default();
        room.lines += file.lines;
    }
    let rooms: BTreeSet<String> = graph.keys().cloned().collect();
    let mut homes = BTreeMap::new();
    for (file, reading) in files.iter().zip(&readings) {
        if file.module.is_empty() {
            re_exports(file.tokens.clone(), &rooms, &mut homes);
        }
        for (name, module) in &reading.macros {
            homes.entry(name.clone()).or_insert_with(|| room_of(module));
        }
    }
    for (file, reading) in files.iter().zip(&readings) {
        for found in &reading.found {
            let from = room_of(&found.from);
            let to = match found.to.first() {
                Some(name) if rooms.contains(name) => name,
                Some(name) => homes.get(name).map_or(ROOT, String::as_str),
                None => ROOT,
            };
            if from != to && from != ROOT && !is_for_tests(&found.from) {
                let place = || format!("{}:{}", file.name, found.at.start().line);
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

/// Names that the root takes from its modules, each with its module.
fn re_exports(tokens: TokenStream, rooms: &BTreeSet<String>, homes: &mut BTreeMap<String, String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        if is_word(Some(token), "use") {
            let mut leaves = Vec::new();
            read_tree(&tokens, at + 1, Vec::new(), &mut leaves);
            for (path, alias) in leaves {
                let path: Vec<&String> = path
                    .iter()
                    .skip_while(|name| ["crate", "self"].contains(&name.as_str()))
                    .collect();
                if let [room, .., name] = path.as_slice()
                    && rooms.contains(*room)
                {
                    let name = alias.unwrap_or_else(|| (*name).clone());
                    homes.insert(name, (*room).clone());
                }
            }
        }
    }
}

impl Reading {
    /// Reads tokens that stand in a module.
    fn walk(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if is_sign(Some(token), '#')
                && let Some(TokenTree::Group(attribute)) = tokens.get(at + 1)
                && is_for_tests(attribute)
            {
                at = self.skip_item(&tokens, at + 2, module);
                continue;
            }
            at += 1;
            match token {
                TokenTree::Group(group) => self.walk(group.stream(), module),
                TokenTree::Ident(word) => match word.to_string().as_str() {
                    "mod" => {
                        if let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) =
                            (tokens.get(at), tokens.get(at + 1))
                        {
                            self.walk(body.stream(), &child(module, &name.to_string()));
                            at += 2;
                        }
                    }
                    "macro_rules" => {
                        if let Some(TokenTree::Ident(name)) = tokens.get(at + 1) {
                            self.macros.insert(name.to_string(), module.to_vec());
                        }
                    }
                    "crate" | "super" | "self" if is_path(&tokens, at) => {
                        let mut leaves = Vec::new();
                        at = read_tree(&tokens, at - 1, Vec::new(), &mut leaves);
                        self.found.extend(leaves.into_iter().map(|(path, _)| Found {
                            to: resolved(&path, module),
                            from: module.to_vec(),
                            at: word.span(),
                        }));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Behind an item that is for tests: at its end, or behind the comma for a field, an arm or a variant.
    fn skip_item(&mut self, tokens: &[TokenTree], mut at: usize, module: &[String]) -> usize {
        let mut is_item = false;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
                TokenTree::Punct(sign) if sign.as_char() == ';' => break,
                TokenTree::Punct(sign) if sign.as_char() == ',' && !is_item => break,
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    if word == "mod"
                        && let Some(TokenTree::Ident(name)) = tokens.get(at)
                    {
                        self.tests.push(child(module, &name.to_string()));
                    }
                    is_item |= [
                        "fn", "impl", "struct", "enum", "trait", "static", "const", "use",
                    ]
                    .contains(&word.as_str());
                }
                _ => {}
            }
        }
        at
    }
}

fn child(module: &[String], name: &str) -> Vec<String> {
    [module, &[name.to_owned()]].concat()
}

/// Whether an attribute (what stands in its brackets) is a `cfg` that names `test`, other than to exclude it.
fn is_for_tests(attribute: &Group) -> bool {
    fn names_test(tokens: TokenStream) -> bool {
        let mut is_negated = false;
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(word) => {
                is_negated = word == "not";
                word == "test"
            }
            TokenTree::Group(group) => !is_negated && names_test(group.stream()),
            _ => false,
        })
    }
    let mut tokens = attribute.stream().into_iter();
    is_word(tokens.next().as_ref(), "cfg") && names_test(tokens.collect())
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(found)) if found == word)
}

fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(found)) if found.as_char() == sign)
}

/// Whether `::` stands here.
fn is_path(tokens: &[TokenTree], at: usize) -> bool {
    is_sign(tokens.get(at), ':') && is_sign(tokens.get(at + 1), ':')
}

/// A path as it is written, and the name it gets by `as`.
type Leaf = (Vec<String>, Option<String>);

/// Reads a path, or a tree of `use`, from `at`; the place behind it.
fn read_tree(
    tokens: &[TokenTree],
    mut at: usize,
    mut path: Vec<String>,
    leaves: &mut Vec<Leaf>,
) -> usize {
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(name)) => path.push(name.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in inner.split(|token| is_sign(Some(token), ',')) {
                    if !branch.is_empty() {
                        read_tree(branch, 0, path.clone(), leaves);
                    }
                }
                return at + 1;
            }
            // `*`, or what follows a path that has ended.
            _ => break,
        }
        at += 1;
        if !is_path(tokens, at) {
            break;
        }
        at += 2;
    }
    let alias = match tokens.get(at + 1) {
        Some(TokenTree::Ident(name)) if is_word(tokens.get(at), "as") => Some(name.to_string()),
        _ => None,
    };
    leaves.push((path, alias));
    at
}

/// A path that begins with `crate`, `self` or `super`, from the crate's root.
fn resolved(path: &[String], module: &[String]) -> Vec<String> {
    let mut to = module.to_vec();
    for name in path {
        match name.as_str() {
            "crate" => to.clear(),
            "self" => {}
            "super" => {
                to.pop();
            }
            name => to.push(name.to_owned()),
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph_of(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<Source> = files
            .iter()
            .map(|(name, text)| Source {
                name: (*name).to_owned(),
                module: module_of(Path::new(name)),
                lines: text.lines().count(),
                tokens: text.parse().unwrap(),
            })
            .collect();
        arrows(&files)
            .iter()
            .flat_map(|(name, room)| {
                room.uses
                    .iter()
                    .map(move |(used, place)| format!("{name} {used} {place}"))
            })
            .collect()
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
