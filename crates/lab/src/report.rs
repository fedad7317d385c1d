//! The report: one self-contained HTML file without scripts, for wide and narrow screens, light and dark.
//!
//! Plots are drawn with fixed colours. The style sheet in `templates/page.html` replaces those of ink and grid, so that
//! the same drawing serves a light and a dark page. Each plot is drawn once for wide and once for narrow screens, and
//! the style sheet shows one of the two.

mod canvas;
mod charts;

use anyhow::Result;
use minijinja::Environment;
use minijinja::value::Serde;

use crate::experiment::Group;
use crate::results::{Found, Session};
use crate::view::{self, PlotView};

const TEMPLATE: &str = include_str!("../templates/page.html");

pub(crate) fn page(session: &Session) -> Result<String> {
    let mut view = view::view(session);
    for group in &mut view.groups {
        let is_published = Group::of_key(&group.key).is_some_and(Group::is_published);
        if !is_published {
            group.plots.extend(charts::ratios(session, &group.key)?);
        }
        for shown in &mut group.experiments {
            let found = session
                .experiments
                .iter()
                .find(|found| found.key == shown.key);
            if let Some(found) = found {
                shown.plots = plots(session, found, is_published)?;
            }
        }
    }
    let mut environment = Environment::new();
    // The ending of the name makes minijinja escape what it inserts.
    environment.add_template("page.html", TEMPLATE)?;
    Ok(environment
        .get_template("page.html")?
        .render(Serde(&view))?)
}

/// The plots of one experiment. Figures that the plot of the group's ratios shows have no plot here, except for growth.
fn plots(session: &Session, found: &Found, is_published: bool) -> Result<Vec<PlotView>> {
    let mut plots = Vec::new();
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
            if lines.iter().any(|line| line.better.is_compared()) {
                plots.push(charts::growth(session, found, &figure, &lines)?);
            }
        } else if is_published {
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
