//! Circles of files: files of one crate that all reach each other by what they import. Whoever changes one of them must
//! keep all of them in mind, so `crates/circles.txt` holds how many files the largest circle of each crate may have.

use super::crates::Member;
use super::files;
use super::table::{self, Graph};
use crate::project;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const OPENING: &str = "\
# How many files of a crate may stand in one circle: files that all reach each other by what they import. A crate without
# a line has no circle. `cargo xtask rooms` shows the circles and checks this table, as `cargo test -p xtask` does;
# `cargo xtask rooms CRATE` shows the arrows in them, and `--write` notes what there is. A smaller number is noted with
# the change that made it so; a greater one is a decision.
";

/// The files of one crate.
pub(super) struct Measured {
    krate: String,
    files: usize,
    /// Largest first.
    circles: Vec<Circle>,
}

struct Circle {
    files: Vec<String>,
    lines: usize,
    /// What its files use of each other, each with a place where they do.
    arrows: Vec<String>,
}

impl Measured {
    fn largest(&self) -> usize {
        self.circles.first().map_or(0, |circle| circle.files.len())
    }
}

/// Every crate of the workspace.
pub(super) fn measured(members: &[Member]) -> Vec<Measured> {
    let measure = |member: &Member| {
        let graph = files::graph(&member.sources);
        Measured {
            krate: member.name.clone(),
            files: graph.len(),
            circles: table::circles(&graph)
                .into_iter()
                .map(|circle| Circle::new(&graph, circle))
                .collect(),
        }
    };
    members.iter().map(measure).collect()
}

impl Circle {
    fn new(graph: &Graph, files: Vec<&str>) -> Circle {
        let mut arrows = Vec::new();
        for from in &files {
            for (to, place) in &graph[*from].uses {
                if files.contains(&to.as_str()) {
                    arrows.push(format!("{from} -> {to}: {place}"));
                }
            }
        }
        Circle {
            lines: files.iter().map(|name| graph[*name].lines).sum(),
            files: files.into_iter().map(str::to_owned).collect(),
            arrows,
        }
    }
}

/// The circles of each crate, with their arrows for the one that is asked for.
pub(super) fn print(crates: &[Measured], asked: Option<&str>) {
    println!("circles of files:");
    for Measured {
        krate,
        files,
        circles,
    } in crates
    {
        println!("  {krate}: {} in {files} files", circles.len());
        for Circle {
            files,
            lines,
            arrows,
        } in circles
        {
            println!("{lines:>7} lines in {}: {}", files.len(), files.join(" "));
            if asked == Some(krate) {
                for arrow in arrows {
                    println!("        {arrow}");
                }
            }
        }
    }
    println!();
}

pub(super) fn write(crates: &[Measured]) -> Result<()> {
    let mut text = OPENING.to_owned();
    for measured in crates.iter().filter(|measured| measured.largest() > 0) {
        text.push_str(&format!("{}: {}\n", measured.krate, measured.largest()));
    }
    let table = table();
    fs::write(&table, text).with_context(|| table.display().to_string())
}

/// Every difference from the table, and lines for crates that are gone.
pub(super) fn complaints(crates: &[Measured]) -> Result<Vec<String>> {
    let table = table();
    let text = fs::read_to_string(&table)
        .with_context(|| format!("{} (`--write` makes it)", table.display()))?;
    Ok(compare(crates, &allowed(&text)?))
}

fn table() -> PathBuf {
    project::root().join("crates/circles.txt")
}

fn allowed(text: &str) -> Result<BTreeMap<String, usize>> {
    let mut allowed = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (krate, files) = line
            .split_once(": ")
            .with_context(|| format!("crates/circles.txt: not `crate: files`: {line}"))?;
        let files = files
            .parse()
            .with_context(|| format!("crates/circles.txt: {line}"))?;
        allowed.insert(krate.to_owned(), files);
    }
    Ok(allowed)
}

fn compare(crates: &[Measured], allowed: &BTreeMap<String, usize>) -> Vec<String> {
    let mut complaints = Vec::new();
    for measured in crates {
        let most = allowed.get(&measured.krate).copied().unwrap_or(0);
        let largest = measured.largest();
        if largest > most {
            complaints.push(format!(
                "crates/circles.txt: a circle of {largest} files in {}, of which {most} may stand in one: {}",
                measured.krate,
                measured.circles[0].files.join(" "),
            ));
        } else if largest < most {
            complaints.push(format!(
                "crates/circles.txt: the largest circle in {} has {largest} files, no longer {most}: \
                 `cargo xtask rooms --write` notes it",
                measured.krate,
            ));
        }
    }
    for krate in allowed.keys() {
        if !crates.iter().any(|measured| measured.krate == *krate) {
            complaints.push(format!(
                "crates/circles.txt: there is no crate {krate}: delete its line"
            ));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(krate: &str, files: &[&str]) -> Measured {
        let circle = files.iter().map(|name| (*name).to_owned()).collect();
        Measured {
            krate: krate.to_owned(),
            files: 9,
            circles: vec![Circle {
                files: circle,
                lines: 100,
                arrows: Vec::new(),
            }],
        }
    }

    #[test]
    fn a_circle_has_the_size_that_the_table_says() {
        let crates = [measured("a", &["x.rs", "y.rs", "z.rs"])];
        let told = |text: &str| compare(&crates, &allowed(text).unwrap());
        assert!(told("# why\na: 3\n").is_empty());
        assert_eq!(told("a: 4\n").len(), 1);
        assert_eq!(
            told("a: 2\nb: 2\n"),
            [
                "crates/circles.txt: a circle of 3 files in a, of which 2 may stand in one: x.rs y.rs z.rs",
                "crates/circles.txt: there is no crate b: delete its line",
            ]
        );
        assert_eq!(told("").len(), 1);
        assert!(allowed("a 3").is_err());
        assert!(allowed("a: many").is_err());
    }
}
