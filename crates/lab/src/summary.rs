//! The summary in Markdown: every line of the table, and a list of the lines in which ferl is behind.

use anyhow::Result;
use minijinja::Environment;
use minijinja::value::Serde;

use crate::view::View;

const TEMPLATE: &str = include_str!("../templates/summary.md");

pub(crate) fn summary(view: &View) -> Result<String> {
    let mut environment = Environment::new();
    environment.add_template("summary.md", TEMPLATE)?;
    Ok(environment
        .get_template("summary.md")?
        .render(Serde(view))?)
}
