//! What the sources of one crate say of each other: the paths that each file names, what it re-exports, what is for
//! tests.
//!
//! The sources are taken apart into tokens, so comments and texts are no paths, and paths inside braces and macros
//! count. Code for tests alone (`#[cfg(test)]`) is not looked at.

use crate::project;
use anyhow::{Context, Result, anyhow};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files below a folder, in order.
fn paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in project::entries(folder)? {
        if path.is_dir() {
            found.extend(paths(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// The sources of one crate, and what each file of them says.
pub(super) struct Sources {
    pub files: Vec<Source>,
    /// One for each file, in the same order.
    pub readings: Vec<Reading>,
}

impl Sources {
    /// The Rust files below a folder.
    pub(super) fn below(folder: &Path) -> Result<Sources> {
        Ok(Sources::of(files(folder)?))
    }

    fn of(files: Vec<Source>) -> Sources {
        let readings = files.iter().map(Reading::of).collect();
        Sources { files, readings }
    }

    pub(super) fn lines(&self) -> usize {
        self.files.iter().map(|file| file.lines).sum()
    }

    /// Whether only tests have this module.
    pub(super) fn is_for_tests(&self, module: &[String]) -> bool {
        let mut tests = self.readings.iter().flat_map(|reading| &reading.tests);
        tests.any(|test| module.starts_with(test))
    }
}

/// The Rust files below a folder, each as tokens.
fn files(folder: &Path) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    for path in paths(folder)? {
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
    Ok(files)
}

pub(super) struct Source {
    /// The path below the crate's sources.
    pub name: String,
    pub module: Vec<String>,
    pub lines: usize,
    tokens: TokenStream,
}

/// A path that was found: where it leads, from the crate's root, and where it stands.
pub(super) struct Found {
    pub to: Vec<String>,
    pub from: Vec<String>,
    /// The name under which its file re-exports it, if it does.
    pub exported: Option<String>,
    at: Span,
}

impl Found {
    pub(super) fn line(&self) -> usize {
        self.at.start().line
    }
}

/// What one file of a crate says.
#[derive(Default)]
pub(super) struct Reading {
    pub found: Vec<Found>,
    /// Paths that begin with a name of their own module, which may be that of a child.
    pub below: Vec<Found>,
    /// Names that a `use` brings into a module: the module with the name, and the path behind it. Whoever names the
    /// module may name it there, if it is public or if they are below it.
    pub names: BTreeMap<Vec<String>, Vec<String>>,
    /// How often each word stands in the file.
    pub words: BTreeMap<String, usize>,
    /// Modules that only tests have.
    tests: Vec<Vec<String>>,
    /// The module in which a macro is defined.
    pub macros: BTreeMap<String, Vec<String>>,
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

fn count_words(tokens: TokenStream, words: &mut BTreeMap<String, usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => count_words(group.stream(), words),
            TokenTree::Ident(word) => *words.entry(word.to_string()).or_default() += 1,
            _ => {}
        }
    }
}

impl Reading {
    fn of(file: &Source) -> Reading {
        let mut reading = Reading::default();
        reading.walk(file.tokens.clone(), &file.module);
        count_words(file.tokens.clone(), &mut reading.words);
        reading
    }

    /// Reads tokens that stand in a module.
    fn walk(&mut self, tokens: TokenStream, module: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if is_sign(Some(token), '#')
                && let Some(TokenTree::Group(attribute)) = tokens.get(at + 1)
                && is_test_attribute(attribute)
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
                    first if is_path(&tokens, at) && !is_continued(&tokens, at - 1) => {
                        let begin = at - 1;
                        let use_ = used_by(&tokens, begin);
                        let mut leaves = Vec::new();
                        at = read_tree(&tokens, begin, Vec::new(), &mut leaves);
                        let is_whole = ["crate", "super", "self"].contains(&first);
                        for (path, alias) in leaves {
                            let to = resolved(&path, module);
                            let name = alias.or_else(|| path.last().cloned());
                            if let (Use::Private | Use::Public, Some(name)) = (use_, &name) {
                                self.names.insert(child(module, name), to.clone());
                            }
                            let found = Found {
                                to,
                                from: module.to_vec(),
                                exported: name.filter(|_| use_ == Use::Public),
                                at: word.span(),
                            };
                            if is_whole {
                                self.found.push(found);
                            } else {
                                self.below.push(found);
                            }
                        }
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
fn is_test_attribute(attribute: &Group) -> bool {
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

fn before(tokens: &[TokenTree], at: usize) -> Option<&TokenTree> {
    tokens.get(at.checked_sub(1)?)
}

/// Whether the word at this place continues a path.
fn is_continued(tokens: &[TokenTree], at: usize) -> bool {
    at.checked_sub(2)
        .is_some_and(|start| is_path(tokens, start))
}

/// What stands before a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// No `use`.
    None,
    Private,
    /// `pub use`, also one for the crate alone.
    Public,
}

/// The `use` that the path at this place belongs to.
fn used_by(tokens: &[TokenTree], at: usize) -> Use {
    let Some(used) = at.checked_sub(1) else {
        return Use::None;
    };
    if !is_word(tokens.get(used), "use") {
        return Use::None;
    }
    let is_public = match before(tokens, used) {
        Some(TokenTree::Group(_)) => is_word(before(tokens, used - 1), "pub"),
        token => is_word(token, "pub"),
    };
    if is_public { Use::Public } else { Use::Private }
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
pub(super) mod tests {
    use super::*;
    use crate::rooms::table::Graph;

    /// Files by name and text.
    pub(crate) fn sources_of(files: &[(&str, &str)]) -> Sources {
        let source = |(name, text): &(&str, &str)| Source {
            name: (*name).to_owned(),
            module: module_of(Path::new(name)),
            lines: text.lines().count(),
            tokens: text.parse().unwrap(),
        };
        Sources::of(files.iter().map(source).collect())
    }

    /// Each arrow as `from to place`.
    pub(crate) fn listed(graph: &Graph) -> Vec<String> {
        let arrows = graph.iter().flat_map(|(name, room)| {
            let uses = room.uses.iter();
            uses.map(move |(used, place)| format!("{name} {used} {place}"))
        });
        arrows.collect()
    }
}
