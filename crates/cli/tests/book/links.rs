//! The links of the book: to other chapters, to places in them, and to nothing else that is not in the book.

use std::collections::BTreeMap;
use std::path::Path;

/// Each link that leads nowhere.
pub(crate) fn faults(chapters: &BTreeMap<String, String>, folder: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, text) in chapters {
        for target in targets(text) {
            if let Some(fault) = fault(name, target, chapters, folder) {
                faults.push(format!("{name}: {target}: {fault}"));
            }
        }
    }
    faults
}

fn fault(
    from: &str,
    target: &str,
    chapters: &BTreeMap<String, String>,
    folder: &Path,
) -> Option<&'static str> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, place) = match target.split_once('#') {
        Some((file, place)) => (file, Some(place)),
        None => (target, None),
    };
    if file.contains("..") {
        return Some("it is outside of the book");
    }
    let file = if file.is_empty() { from } else { file };
    match (chapters.get(file), place) {
        (Some(text), Some(place)) if !headings(text).iter().any(|heading| heading == place) => {
            Some("no heading is called so")
        }
        (Some(_), _) => None,
        // A picture, or a file to be taken.
        (None, None) if folder.join(file).is_file() => None,
        (None, _) => Some("there is no such file"),
    }
}

/// What a text links to, outside of its code.
fn targets(text: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if is_code {
            continue;
        }
        for part in line.split("](").skip(1) {
            targets.extend(part.split_once(')').map(|(target, _)| target));
        }
    }
    targets
}

/// The names by which the headings of a text are linked to, as mdBook makes them.
fn headings(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let heading = line.trim_start_matches('#');
        if is_code || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let name: String = heading
            .trim()
            .chars()
            .filter_map(|letter| match letter {
                ' ' => Some('-'),
                letter if letter.is_alphanumeric() || "_-".contains(letter) => {
                    Some(letter.to_ascii_lowercase())
                }
                _ => None,
            })
            .collect();
        let same = found.iter().filter(|other| **other == name).count();
        found.push(match same {
            0 => name,
            number => format!("{name}-{number}"),
        });
    }
    found
}

#[test]
fn links_are_found_outside_of_code() {
    let text = "see [a](b.md#c) and [d](e.md)\n```text\n[x](y)\n```\n## A `b`, c\n## A b c\n";
    assert_eq!(targets(text), ["b.md#c", "e.md"]);
    assert_eq!(headings(text), ["a-b-c", "a-b-c-1"]);
}
