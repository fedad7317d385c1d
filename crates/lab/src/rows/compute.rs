//! The programs of `experiments/compute`: each file `compute_NAME.erl` or `compute_NAME.ex` becomes a row, described by
//! the first line of the file. Each runs in one process; `compute.erl` starts and times it.

use crate::experiment::{ELIXIR, Experiment, Group, ONE, PLAIN, Set, Unit, printed_micros};
use crate::programs::{self, Language};

/// The programs of the headline set.
const HEADLINE: &[&str] = &["binaries", "fib", "json", "records", "strings"];

/// The programs that the quick set adds: together they cover each sort of work once.
const QUICK: &[&str] = &[
    "csv",
    "elixir_pipelines",
    "ets",
    "external_terms",
    "lists",
    "maps_small",
    "nbody",
    "packets",
    "pidigits",
    "scan_parse",
    "sort",
    "string_functions",
];

fn set_of(name: &str) -> Set {
    if HEADLINE.contains(&name) {
        Set::Headline
    } else if QUICK.contains(&name) {
        Set::Quick
    } else {
        Set::Full
    }
}

pub(super) fn rows() -> impl Iterator<Item = Experiment> {
    programs::sources().filter_map(|source| {
        let name = source.module.strip_prefix("compute_")?;
        let (command, program) = match source.language {
            Language::Erlang => ("-s compute time {NAME} -s erlang halt", None),
            Language::Elixir => (
                "-s elixir_forms compute {NAME} {PROGRAM} -s erlang halt",
                Some(ELIXIR),
            ),
            // A library belongs to the program that loads it.
            Language::C => return None,
        };
        Some(Experiment {
            group: Group::Compute,
            name,
            about: source.about,
            command,
            program,
            cases: &[ONE],
            figures: const { &[printed_micros("time", "compute: ", Unit::Millis)] },
            set: set_of(name),
            ..PLAIN
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_sets_exist() {
        let names: Vec<&str> = rows().map(|row| row.name).collect();
        for name in HEADLINE.iter().chain(QUICK) {
            assert!(names.contains(name), "{name} is in no file");
        }
    }
}
