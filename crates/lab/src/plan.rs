//! Which rows are run: those asked for, or those of the set.

use crate::rows::{Case, Experiment, Group, Set};

/// An experiment and the cells of it that are run.
pub struct Planned {
    pub experiment: Experiment,
    pub cells: Vec<(Case, Option<u64>)>,
}

/// Names that fit nothing are added to the problems.
pub fn plan(
    rows: Vec<Experiment>,
    names: &[String],
    set: Set,
    problems: &mut Vec<String>,
) -> Vec<Planned> {
    let fits = |row: &Experiment, name: &String| {
        let (row, name) = (row.key().to_lowercase(), name.to_lowercase());
        let group = row.split('/').next().unwrap_or_default();
        // A group's name is not also taken for a part of other names.
        group == name || (!is_group(&name) && row.contains(&name))
    };
    for name in names {
        if !rows.iter().any(|row| fits(row, name)) {
            problems.push(format!(
                "no experiment is called {name}; `ferl lab --list` shows all of them"
            ));
        }
    }
    rows.into_iter()
        .filter(|row| {
            if names.is_empty() {
                row.in_quick || set == Set::Full
            } else {
                names.iter().any(|name| fits(row, name))
            }
        })
        .map(|experiment| Planned {
            cells: cells(&experiment, set),
            experiment,
        })
        .collect()
}

fn is_group(name: &str) -> bool {
    Group::of_key(name).is_some()
}

fn cells(experiment: &Experiment, set: Set) -> Vec<(Case, Option<u64>)> {
    let sizes: Vec<Option<u64>> = match experiment.sizes(set) {
        [] => vec![None],
        sizes => sizes.iter().copied().map(Some).collect(),
    };
    experiment
        .cases
        .iter()
        .filter(|case| case.in_quick || set == Set::Full)
        .flat_map(|case| sizes.iter().map(|size| (*case, *size)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn keys(names: &[&str], set: Set) -> (Vec<String>, Vec<String>) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut problems = Vec::new();
        let planned = plan(rows::all(), &names, set, &mut problems);
        let keys = planned.iter().map(|planned| planned.experiment.key());
        (keys.collect(), problems)
    }

    #[test]
    fn groups_rows_and_parts_of_names_are_found() {
        let (found, problems) = keys(&["e5", "E1/start_wo_msg", "echo_flow"], Set::Quick);
        let expected = [
            "E1/start_wo_msg",
            "E5/oneway",
            "E5/pingpong",
            "everyday/echo_flow",
            "everyday/echo_flow_over_socket",
        ];
        assert_eq!(found, expected);
        assert!(problems.is_empty());
    }

    #[test]
    fn an_unknown_name_is_a_problem_and_the_rest_is_planned() {
        let (found, problems) = keys(&["E4", "nonsense"], Set::Quick);
        assert_eq!(found, ["E4/limit"]);
        assert!(problems.len() == 1 && problems[0].contains("nonsense"));
    }

    #[test]
    fn the_full_set_has_every_row() {
        assert_eq!(keys(&[], Set::Full).0.len(), rows::all().len());
        assert!(keys(&[], Set::Quick).0.len() < rows::all().len());
    }
}
