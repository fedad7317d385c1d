//! `cargo xtask rooms`: which crate may use which, inside a crate which top-level module may use which, and how many
//! files of a crate may stand in one circle.
//!
//! What is allowed is data: `crates/rooms.txt` for the crates of the workspace, `rooms.txt` beside the `Cargo.toml`
//! of each crate whose modules are held too ([`table`] says how a line reads), and `crates/circles.txt` for files
//! ([`circles`]). What is used is read from `cargo metadata` ([`crates`]) and from the sources ([`modules`],
//! [`files`]). An arrow that is used and not allowed is an error, and so is one that is allowed and no longer used; the
//! same holds for the sizes of circles. The tests of this module make `cargo test` check all tables.

mod circles;
mod crates;
mod files;
mod modules;
mod picture;
mod reading;
mod table;

use crate::project;
use anyhow::{Context, Result};
use crates::Member;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use table::{Graph, Table};

const TABLE_NAME: &str = "rooms.txt";
/// The graph of crates as ARCHITECTURE.md shows it.
const PICTURE: &str = "docs/rooms.svg";

#[derive(clap::Args)]
pub(crate) struct RoomsOptions {
    /// Write what is used into the tables, and draw the picture of the crates, instead of checking.
    #[arg(long)]
    write: bool,
    /// The crate of which the arrows in its circles of files are shown, too.
    name: Option<String>,
}

/// One graph of the workspace and the table that says what is allowed in it.
struct House {
    /// "crates", or the name of the crate whose modules these are.
    name: String,
    table: PathBuf,
    graph: Graph,
}

pub(crate) fn run(options: &RoomsOptions) -> Result<ExitCode> {
    let members = crates::members(&project::root())?;
    let houses = houses(&members);
    let mut complaints = Vec::new();
    for house in &houses {
        print(house);
        if options.write {
            let old = fs::read_to_string(&house.table).unwrap_or_default();
            fs::write(&house.table, table::written(&house.graph, &old))
                .with_context(|| house.table.display().to_string())?;
        } else {
            complaints.extend(house.complaints()?);
        }
    }
    if options.write {
        fs::write(
            project::root().join(PICTURE),
            picture::svg(&houses[0].graph),
        )
        .context(PICTURE)?;
    }
    let circles = circles::measured(&members);
    circles::print(&circles, options.name.as_deref());
    if options.write {
        circles::write(&circles)?;
    } else {
        complaints.extend(circles::complaints(&circles)?);
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(ExitCode::from(u8::from(!complaints.is_empty())))
}

/// The crates of the workspace, then the modules of each crate that has a table.
fn houses(members: &[Member]) -> Vec<House> {
    let mut houses = vec![House {
        name: "crates".into(),
        table: project::root().join("crates").join(TABLE_NAME),
        graph: crates::graph(members),
    }];
    for member in members {
        let table = member.folder.join(TABLE_NAME);
        if table.is_file() {
            houses.push(House {
                name: member.name.clone(),
                graph: modules::graph(&member.sources),
                table,
            });
        }
    }
    houses
}

impl House {
    fn complaints(&self) -> Result<Vec<String>> {
        let text = fs::read_to_string(&self.table)
            .with_context(|| format!("{} (`--write` makes it)", self.table.display()))?;
        let shown = self
            .table
            .strip_prefix(project::root())
            .unwrap_or(&self.table);
        let allowed = Table::read(&text).with_context(|| shown.display().to_string())?;
        let complaints = table::compare(&self.graph, &allowed);
        Ok(complaints
            .into_iter()
            .map(|complaint| format!("{}: {complaint}", shown.display()))
            .collect())
    }
}

/// Lines, name and what it uses of each room; then the circles.
fn print(house: &House) {
    let lines: usize = house.graph.values().map(|room| room.lines).sum();
    println!(
        "{}: {lines} lines in {} rooms",
        house.name,
        house.graph.len()
    );
    for (name, room) in &house.graph {
        let uses: Vec<&str> = room.uses.keys().map(String::as_str).collect();
        println!("{:>7} {name}: {}", room.lines, uses.join(" "));
    }
    for circle in table::circles(&house.graph) {
        println!("        a circle of {}: {}", circle.len(), circle.join(" "));
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test for all tables, because the sources are read for it.
    #[test]
    fn the_workspace_is_as_its_tables_and_its_picture_say() {
        let members = crates::members(&project::root()).unwrap();
        let houses = houses(&members);
        let mut complaints = circles::complaints(&circles::measured(&members)).unwrap();
        for house in &houses {
            complaints.extend(house.complaints().unwrap());
        }
        let drawn = fs::read_to_string(project::root().join(PICTURE)).unwrap_or_default();
        if drawn != picture::svg(&houses[0].graph) {
            complaints.push(format!("{PICTURE} is out of date"));
        }
        assert!(
            complaints.is_empty(),
            "\n{}\n`cargo xtask rooms --write` notes what there is",
            complaints.join("\n")
        );
    }
}
