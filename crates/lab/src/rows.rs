//! The experiments that the lab can run, one row each. These are tables; nothing here runs anything.
//!
//! To add an experiment, add an `.erl` file to `experiments/` and a row here. Each program in `experiments/compute`
//! becomes a row without being listed, whether it is written in Erlang or in Elixir.

mod answers;
mod between;
mod compute;
mod everyday;
mod pauses;
mod processes;
mod published;
mod secure;
mod served;
mod services;
mod tables;
mod tracing;

use crate::experiment::Experiment;

/// Every experiment, in the order in which they are run and shown.
pub(crate) fn all() -> Vec<Experiment> {
    let mut rows: Vec<Experiment> = published::ROWS.to_vec();
    rows.extend_from_slice(between::ROWS);
    rows.extend_from_slice(secure::ROWS);
    rows.extend_from_slice(everyday::ROWS);
    rows.extend_from_slice(served::ROWS);
    rows.extend_from_slice(processes::ROWS);
    rows.extend(compute::rows());
    rows.extend_from_slice(tables::ROWS);
    rows.extend_from_slice(answers::ROWS);
    rows.extend_from_slice(pauses::ROWS);
    rows.extend_from_slice(tracing::ROWS);
    rows.extend_from_slice(services::ROWS);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_can_be_named_and_run() {
        let mut keys = HashSet::new();
        for row in all() {
            let key = row.key();
            assert!(keys.insert(key.clone()), "{key} is listed twice");
            assert!(!row.about.is_empty() && !row.figures.is_empty(), "{key}");
            assert!(row.cases.iter().any(|case| case.set <= row.set), "{key}");
            assert_eq!(
                row.command.contains("{N}"),
                !row.full.is_empty(),
                "{key}: a command with a size needs sizes"
            );
            assert_eq!(
                row.command.contains("{PROGRAM}"),
                row.program.is_some(),
                "{key}"
            );
            assert_eq!(row.quick.is_empty(), row.full.is_empty(), "{key}");
            for sizes in [row.quick, row.full] {
                assert!(sizes.is_sorted(), "{key}: sizes ascend");
            }
        }
    }

    #[test]
    fn every_published_figure_belongs_to_a_case_and_a_figure() {
        for row in all() {
            for published in row.published {
                let what = format!("{} {}", row.key(), published.figure);
                assert!(
                    row.figures
                        .iter()
                        .any(|f| f.label == published.figure || f.slope == Some(published.figure)),
                    "{what}"
                );
                assert!(
                    row.cases.iter().any(|c| c.label == published.case),
                    "{what}"
                );
                assert!(published.value > 0.0, "{what}");
            }
        }
    }
}
