//! Selects the rows, cases and sizes to run: the named rows, or else those of the set.

use crate::experiment::{Case, Experiment, Group, Set, is_missing};

/// An experiment and those of its cells that are run.
pub(crate) struct Planned {
    pub experiment: Experiment,
    pub cells: Vec<(Case, Option<u64>)>,
}

/// The rows with the given names, or all rows of the set if no name is given. A name that matches no row is added to
/// `problems`.
pub(crate) fn plan(
    rows: Vec<Experiment>,
    names: &[String],
    set: Set,
    problems: &mut Vec<String>,
) -> Vec<Planned> {
    for name in names {
        if !rows.iter().any(|row| matches(row, name)) {
            let groups = Group::ALL.map(Group::key).join(", ");
            problems.push(format!(
                "no experiment is called {name}: there are the groups {groups}, and `ferl lab --list` lists the rows \
                 of each"
            ));
        }
    }
    rows.into_iter()
        .filter(|row| {
            if names.is_empty() {
                row.set <= set
            } else {
                names.iter().any(|name| matches(row, name))
            }
        })
        .map(|experiment| Planned {
            cells: cells(&experiment, set),
            experiment,
        })
        .collect()
}

/// A name matches a row if it is the row's group or a part of the row's name. The name of a group matches no other
/// group's rows.
fn matches(row: &Experiment, name: &str) -> bool {
    match Group::of_key(name) {
        Some(group) => row.group == group,
        None => row.key().to_lowercase().contains(&name.to_lowercase()),
    }
}

/// The rows for which everything is installed, and one sentence for all others. What is asked for is a program or a
/// place, as in [`Need::place`](crate::experiment::Need::place).
pub(crate) fn runnable(
    plan: Vec<Planned>,
    is_installed: impl Fn(&str) -> bool,
) -> (Vec<Planned>, Option<String>) {
    let mut left_out = Vec::new();
    let kept = plan.into_iter().filter(|planned| {
        let experiment = &planned.experiment;
        let program = experiment.program.iter();
        let needs = experiment.needs.iter();
        let missing = program
            .map(|program| (program.name, program.name, program.package))
            .chain(needs.map(|need| (need.place, need.name, need.package)))
            .find(|(place, _, _)| !is_installed(place));
        if let Some((_, name, package)) = missing {
            let key = experiment.key();
            left_out.push(format!("{key}, because {}", is_missing(name, package)));
        }
        missing.is_none()
    });
    let kept = kept.collect();
    let said = (!left_out.is_empty()).then(|| format!("Left out: {}.", left_out.join("; ")));
    (kept, said)
}

/// Whether this is the name of a group, of which those rows are meant that can be run.
pub(crate) fn is_group(name: &str) -> bool {
    Group::of_key(name).is_some()
}

fn cells(experiment: &Experiment, set: Set) -> Vec<(Case, Option<u64>)> {
    let sizes: Vec<Option<u64>> = match experiment.sizes(set) {
        sizes if sizes.is_empty() => vec![None],
        sizes => sizes.into_iter().map(Some).collect(),
    };
    experiment
        .cases
        .iter()
        .filter(|case| case.set <= set)
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
    fn rows_are_left_out_if_their_program_is_not_installed() {
        let names = ["compute/elixir".to_owned(), "compute/fib".to_owned()];
        let planned = plan(rows::all(), &names, Set::Quick, &mut Vec::new());
        let (kept, said) = runnable(planned, |_| false);
        assert_eq!(kept.len(), 1);
        assert!(said.unwrap().contains("apt-get install elixir"));
        let planned = plan(rows::all(), &names, Set::Quick, &mut Vec::new());
        let (kept, said) = runnable(planned, |_| true);
        assert!(kept.len() > 1 && said.is_none());
    }

    #[test]
    fn services_are_in_no_set_but_the_full_one_and_are_left_out_by_what_they_need() {
        for set in [Set::Headline, Set::Quick] {
            let planned = keys(&[], set).0;
            assert!(!planned.iter().any(|key| key.starts_with("services/")));
        }
        let names = ["services".to_owned()];
        let planned = plan(rows::all(), &names, Set::Quick, &mut Vec::new());
        assert!(planned.len() > 10);
        let (kept, said) = runnable(planned, |place| place.contains("mnesia"));
        let kept: Vec<String> = kept.iter().map(|row| row.experiment.key()).collect();
        for key in ["services/mnesia", "services/light", "services/erlc"] {
            assert!(kept.iter().any(|kept| kept == key), "{key}");
        }
        let said = said.unwrap();
        for package in [
            "rabbitmq-server",
            "ejabberd",
            "postgresql",
            "erlang-dialyzer",
            "rebar3",
        ] {
            assert!(
                said.contains(&format!("apt-get install {package}")),
                "{package}"
            );
        }
    }

    #[test]
    fn each_set_contains_the_one_before() {
        let headline = keys(&[], Set::Headline).0;
        let quick = keys(&[], Set::Quick).0;
        let full = keys(&[], Set::Full).0;
        assert!(headline.iter().all(|key| quick.contains(key)));
        assert!(headline.len() < quick.len() && quick.len() < full.len());
        assert_eq!(full.len(), rows::all().len());
    }

    #[test]
    fn the_headline_set_shows_every_published_experiment_and_more() {
        let planned = plan(rows::all(), &[], Set::Headline, &mut Vec::new());
        for group in Group::ALL {
            let is_shown = planned.iter().any(|row| row.experiment.group == group);
            assert!(is_shown || !group.is_published(), "{}", group.key());
        }
        for row in &planned {
            assert!(!row.cells.is_empty(), "{}", row.experiment.key());
        }
        // Growth needs two sizes.
        let memory = planned
            .iter()
            .find(|row| row.experiment.key() == "E2/memory");
        assert_eq!(memory.unwrap().cells.len(), 2);
    }
}
