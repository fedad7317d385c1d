//! The programs of `experiments/compute`: every `compute_NAME.erl` there is a row, and its opening comment says what
//! it is. They run in one process each; `compute.erl` starts and times them.

use super::{Better, Experiment, Figure, Group, ONE, PLAIN, Scale, Source, Unit};
use crate::programs;

/// Those of the quick set: one of each kind of work.
const QUICK: &[&str] = &[
    "fib",
    "lists",
    "strings",
    "nbody",
    "pidigits",
    "maps_small",
    "ets",
    "sort",
    "records",
    "json",
    "binaries",
    "packets",
];

pub fn rows() -> impl Iterator<Item = Experiment> {
    programs::sources().filter_map(|source| {
        let name = source.module.strip_prefix("compute_")?;
        Some(Experiment {
            group: Group::Compute,
            name,
            about: source.about,
            command: "-s compute time {NAME} -s erlang halt",
            cases: &[ONE],
            figures: &[Figure {
                label: "time",
                source: Source::Printed("compute: "),
                scale: Scale::By(1e-3),
                unit: Unit::Millis,
                better: Better::Less,
                slope: None,
            }],
            in_quick: QUICK.contains(&name),
            ..PLAIN
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_quick_set_exist() {
        let names: Vec<&str> = rows().map(|row| row.name).collect();
        for name in QUICK {
            assert!(names.contains(name), "{name} is in no file");
        }
    }
}
