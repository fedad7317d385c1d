//! The tables of allowed arrows, and the graphs that are compared with them.
//!
//! A line of a table is `room: rooms it may use`, in the order of the names. Lines that begin with `#` are comments;
//! those above the first room stay when the table is written anew.

use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};

/// What is used: every room, by name.
pub(super) type Graph = BTreeMap<String, Room>;

#[derive(Default, Debug)]
pub(super) struct Room {
    /// Of all its sources.
    pub lines: usize,
    /// The rooms it uses, each with a place where it does.
    pub uses: BTreeMap<String, String>,
}

/// What is allowed.
#[derive(Debug)]
pub(super) struct Table(BTreeMap<String, BTreeSet<String>>);

impl Table {
    pub(super) fn read(text: &str) -> Result<Table> {
        let mut rooms = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((room, uses)) = line.split_once(':') else {
                bail!("line {}: no colon behind the room", index + 1);
            };
            let uses = uses.split_whitespace().map(str::to_owned).collect();
            if rooms.insert(room.trim().to_owned(), uses).is_some() {
                bail!("line {}: a second line for {room}", index + 1);
            }
        }
        Ok(Table(rooms))
    }
}

/// The text of a table that allows exactly what is used, below the opening comment of the old one.
pub(super) fn written(graph: &Graph, old: &str) -> String {
    let mut text: String = old
        .lines()
        .take_while(|line| line.starts_with('#') || line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    for (name, room) in graph {
        let uses: String = room.uses.keys().map(|used| format!(" {used}")).collect();
        text.push_str(&format!("{name}:{uses}\n"));
    }
    text
}

/// Every difference between what is used and what is allowed, one line each.
pub(super) fn compare(graph: &Graph, allowed: &Table) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, room) in graph {
        let Some(allowed) = allowed.0.get(name) else {
            complaints.push(format!("{name} has no line"));
            continue;
        };
        for (used, place) in &room.uses {
            if !allowed.contains(used) {
                complaints.push(format!("{name} must not use {used}, but does: {place}"));
            }
        }
        for idle in allowed.iter().filter(|used| !room.uses.contains_key(*used)) {
            complaints.push(format!(
                "{name} may use {idle}, but no longer does: delete it"
            ));
        }
    }
    for name in allowed.0.keys().filter(|name| !graph.contains_key(*name)) {
        complaints.push(format!("there is no {name}: delete its line"));
    }
    complaints
}

/// The groups of rooms in which each reaches each other, largest first.
pub(super) fn circles(graph: &Graph) -> Vec<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|name| (name.as_str(), reached_from(graph, name)))
        .collect();
    let mut circles: Vec<Vec<&str>> = Vec::new();
    for name in graph.keys().map(String::as_str) {
        if circles.iter().any(|circle| circle.contains(&name)) {
            continue;
        }
        let circle: Vec<&str> = graph
            .keys()
            .map(String::as_str)
            .filter(|other| reached[name].contains(other) && reached[other].contains(name))
            .collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

fn reached_from<'a>(graph: &'a Graph, start: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![start];
    while let Some(name) = next.pop() {
        let uses = graph.get(name).into_iter().flat_map(|room| &room.uses);
        for used in uses.map(|(used, _)| used.as_str()) {
            if reached.insert(used) {
                next.push(used);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arrows: &[(&str, &[&str])]) -> Graph {
        let room = |uses: &[&str]| Room {
            lines: 1,
            uses: uses
                .iter()
                .map(|used| ((*used).to_owned(), "a.rs:1".to_owned()))
                .collect(),
        };
        arrows
            .iter()
            .map(|(name, uses)| ((*name).to_owned(), room(uses)))
            .collect()
    }

    #[test]
    fn what_is_written_is_what_is_allowed() {
        let graph = graph(&[("a", &["b", "c"]), ("b", &[]), ("c", &["b"])]);
        let text = written(&graph, "# why\n\nold: a\n");
        assert_eq!(text, "# why\n\na: b c\nb:\nc: b\n");
        assert!(compare(&graph, &Table::read(&text).unwrap()).is_empty());
    }

    #[test]
    fn arrows_too_many_and_too_few_are_told() {
        let graph = graph(&[("a", &["b"]), ("b", &["a"]), ("d", &[])]);
        let allowed = Table::read("a: b c\nb:\nc:\n").unwrap();
        assert_eq!(
            compare(&graph, &allowed),
            [
                "a may use c, but no longer does: delete it",
                "b must not use a, but does: a.rs:1",
                "d has no line",
                "there is no c: delete its line",
            ]
        );
        assert!(Table::read("a b").is_err());
        assert!(Table::read("a: b\na: c").is_err());
    }

    #[test]
    fn circles_are_found() {
        let graph = graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &["d"])]);
        assert_eq!(circles(&graph), [["b", "c"]]);
    }
}
