//! The report: one HTML file with everything in it, no script, readable wide and narrow, by day and by night.
//!
//! Plots are drawn in a few fixed colours for ink, grid and VMs; the style sheet in `templates/page.html` gives ink
//! and grid their values, so that a dark page needs no second drawing. Each plot is drawn for wide and for narrow
//! screens, and the style sheet shows one of them.

mod canvas;
mod charts;

use anyhow::Result;
use minijinja::Environment;
use minijinja::value::Serde;

use crate::results::{Found, Session};
use crate::rows::{Better, Group};
use crate::view::{self, PlotView};

const TEMPLATE: &str = include_str!("../templates/page.html");

pub fn page(session: &Session) -> Result<String> {
    let mut view = view::view(session);
    for group in &mut view.groups {
        let known = Group::of_key(&group.key);
        if matches!(
            known,
            Some(Group::Everyday | Group::Compute | Group::Tables | Group::Answers)
        ) {
            group.plots = charts::ratios(session, &group.key)?;
        }
        for shown in &mut group.experiments {
            let found = session
                .experiments
                .iter()
                .find(|found| found.key == shown.key);
            if let Some(found) = found {
                shown.plots = plots(session, found, known)?;
            }
        }
    }
    let mut environment = Environment::new();
    // The name's ending switches the escaping of HTML on.
    environment.add_template("page.html", TEMPLATE)?;
    Ok(environment
        .get_template("page.html")?
        .render(Serde(&view))?)
}

/// What is worth drawing of one experiment.
fn plots(session: &Session, found: &Found, group: Option<Group>) -> Result<Vec<PlotView>> {
    let mut plots = Vec::new();
    let in_group_plot = matches!(
        group,
        Some(Group::Everyday | Group::Compute | Group::Tables | Group::Answers)
    );
    for figure in figures(found) {
        let lines: Vec<_> = found
            .lines
            .iter()
            .filter(|line| line.figure == figure)
            .collect();
        if lines
            .iter()
            .all(|line| line.on.iter().all(|on| on.summary().is_none()))
        {
            continue;
        }
        let mut sizes: Vec<u64> = lines.iter().filter_map(|line| line.size).collect();
        sizes.dedup();
        if sizes.len() > 1 {
            let is_contest = lines.iter().any(|line| line.better != Better::Neither);
            if is_contest {
                plots.push(charts::growth(session, found, &figure, &lines)?);
            }
        } else if !in_group_plot {
            plots.push(charts::bars(session, found, &figure, &lines)?);
        }
    }
    plots.extend(charts::load(session, found)?);
    Ok(plots)
}

fn figures(found: &Found) -> Vec<String> {
    let mut figures: Vec<String> = Vec::new();
    for line in &found.lines {
        if !figures.contains(&line.figure) {
            figures.push(line.figure.clone());
        }
    }
    figures
}
