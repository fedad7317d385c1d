//! The machine code that PCRE2 makes of patterns finds what its interpreter finds, and its pages are never writable and
//! executable at once.

use std::rc::Rc;

use fastrand::Rng;
use regex::{CompileOptions, Outcome, Pattern, RunOptions, compile};

/// What a pattern is put together from, without quantifiers.
const PIECES: [&str; 34] = [
    "a",
    "b",
    "c",
    "ab",
    "abc",
    "é",
    ".",
    "[ab]",
    "[^a]",
    "[a-c1]",
    "\\w",
    "\\W",
    "\\d",
    "\\s",
    "\\b",
    "\\B",
    "^",
    "$",
    "\\A",
    "\\Z",
    "\\G",
    "\\1",
    "\\K",
    "(?=b)",
    "(?!a)",
    "(?<=a)",
    "(?<!b)",
    "[[:alpha:]]",
    "\\R",
    "\\h",
    "\\N",
    "(?i)",
    "\\x{e9}",
    "\\X",
];
const QUANTIFIERS: [&str; 12] = [
    "", "", "", "*", "+", "?", "*?", "+?", "++", "{1,2}", "{2}", "{0,3}?",
];
const OPENINGS: [&str; 5] = ["(", "(?:", "(?>", "(?=", "(?<x>"];
const CHARACTERS: [&str; 10] = ["a", "a", "b", "b", "c", "A", "1", " ", "\r\n", "é"];
const OPTIONS: [u32; 11] = [
    CompileOptions::UNICODE,
    CompileOptions::ANCHORED,
    CompileOptions::CASELESS,
    CompileOptions::DOLLAR_ENDONLY,
    CompileOptions::DOTALL,
    CompileOptions::FIRSTLINE,
    CompileOptions::MULTILINE,
    CompileOptions::NO_START_OPTIMIZE,
    CompileOptions::UCP,
    CompileOptions::UNGREEDY,
    CompileOptions::PCRE2,
];

fn text_of_pattern(rng: &mut Rng, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..rng.u32(1..5) {
        if depth > 0 && rng.u32(0..4) == 0 {
            text += rng.choice(OPENINGS).unwrap();
            text += &text_of_pattern(rng, depth - 1);
            text += ")";
        } else {
            text += rng.choice(PIECES).unwrap();
        }
        text += rng.choice(QUANTIFIERS).unwrap();
        if rng.u32(0..8) == 0 {
            text += "|";
        }
    }
    text
}

fn searched_by_machine_code(pattern: &Pattern, subject: &[u8]) -> Outcome {
    pattern.run(subject, 0, &hidden())
}

fn hidden() -> RunOptions {
    RunOptions {
        limit_is_hidden: true,
        match_limit: Some(5000),
        ..RunOptions::default()
    }
}

/// A pattern of which PCRE2 has made machine code.
fn translated(text: &str, options: CompileOptions) -> Option<Rc<Pattern>> {
    let pattern = compile(text.as_bytes(), options).ok()?;
    let _ = searched_by_machine_code(&pattern, &b"a".repeat(30_000));
    Some(pattern)
}

fn starts_behind(last_start: Option<usize>, outcome: &Outcome) -> bool {
    match (last_start, outcome) {
        (Some(last), Outcome::Match { groups, .. }) => {
            groups[0].is_some_and(|(start, _)| start > last)
        }
        _ => false,
    }
}

#[test]
fn machine_code_finds_what_the_interpreter_finds() {
    let mut rng = Rng::with_seed(1);
    let (mut found, mut missed) = (0, 0);
    for _ in 0..5000 {
        let text = text_of_pattern(&mut rng, 3);
        let chosen = OPTIONS.iter().filter(|_| rng.u32(0..5) == 0);
        let options = CompileOptions(chosen.fold(0, |all, option| all | option));
        let Some(pattern) = translated(&text, options) else {
            continue;
        };
        for _ in 0..8 {
            let length = rng.usize(0..12);
            let subject: String = (0..length).filter_map(|_| rng.choice(CHARACTERS)).collect();
            let subject = subject.as_bytes();
            let offset = rng.usize(0..=subject.len());
            let run = RunOptions {
                notbol: rng.u32(0..8) == 0,
                noteol: rng.u32(0..8) == 0,
                notempty: rng.u32(0..8) == 0,
                notempty_atstart: rng.u32(0..8) == 0,
                anchored: rng.u32(0..8) == 0,
                last_start: (rng.u32(0..8) == 0).then_some(offset + 2),
                ..hidden()
            };
            let interpreted = |last_start| {
                let interpreted = RunOptions {
                    limit_is_hidden: false,
                    last_start,
                    ..run
                };
                pattern.run(subject, offset, &interpreted)
            };
            let outcome = pattern.run(subject, offset, &run);
            let mut expected = interpreted(run.last_start);
            if expected == Outcome::NoMatch && starts_behind(run.last_start, &outcome) {
                // Machine code may look further than it must.
                expected = interpreted(None);
            }
            if expected != Outcome::MatchLimit && outcome != Outcome::MatchLimit {
                assert_eq!(
                    outcome, expected,
                    "{text} {options:?} {run:?} in {subject:?} from {offset}"
                );
            }
            match outcome {
                Outcome::Match { .. } => found += 1,
                _ => missed += 1,
            }
        }
    }
    assert!(
        found > 2000 && missed > 2000,
        "{found} found, {missed} missed"
    );
}

#[test]
fn machine_code_is_never_writable() {
    let pattern = translated("(a|b)*c", CompileOptions::default()).unwrap();
    let found = searched_by_machine_code(&pattern, b"abac");
    assert!(matches!(found, Outcome::Match { .. }));
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let both: Vec<&str> = maps.lines().filter(|line| line.contains(" rwx")).collect();
    assert!(both.is_empty(), "{both:?}");
}

#[test]
fn steps_are_limited() {
    let subject = b"a".repeat(40);
    let pattern = translated(
        "(a+)+b|(a*)*c",
        CompileOptions(CompileOptions::NO_START_OPTIMIZE),
    )
    .unwrap();
    assert_eq!(
        searched_by_machine_code(&pattern, &subject),
        Outcome::MatchLimit
    );
    let runs = translated(
        "x*x*x*x*x*y|x",
        CompileOptions(CompileOptions::NO_START_OPTIMIZE),
    )
    .unwrap();
    assert_eq!(
        searched_by_machine_code(&runs, &b"x".repeat(300)),
        Outcome::MatchLimit
    );
}

/// What a subject needs beyond the machine code's stack is left to the interpreter.
#[test]
fn deep_matches_end() {
    let pattern = translated("^(?:(a)|b)*$", CompileOptions::default()).unwrap();
    let options = RunOptions {
        match_limit: Some(10_000_000),
        ..hidden()
    };
    let found = pattern.run(&b"ab".repeat(200_000), 0, &options);
    assert!(matches!(found, Outcome::Match { .. }), "{found:?}");
}
