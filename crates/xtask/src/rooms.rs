//! `cargo xtask rooms`: which crate may use which, inside a crate which top-level module may use which, and how many files
//! of a crate may stand in one circle.
//!
//! What is allowed is data: `crates/rooms.txt` for the crates of the workspace, `rooms.txt` beside the `Cargo.toml`
//! of each crate whose modules are held too ([`table`] says how a line reads), and `crates/circles.txt` for files
//! ([`circles`]). What is used is read from `cargo metadata` ([`crates`]) and from the sources ([`modules`], [`files`]). An
//! arrow that is used and not allowed is an error, and so is one that is allowed and no longer used; a circle may become
//! smaller than its table says, not larger. The tests of this module make `cargo test` check all tables.

mod circles;
mod crates;
mod files;
mod modules;
mod picture;
mod reading;
mod table;

use crate::project;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use table::{Graph, Table};

const TABLE_NAME: &str = "rooms.txt";
/// The graph of crates as ARCHITECTURE.md shows it.
const PICTURE: &str = "docs/rooms.svg";

#[derive(clap::Args)]
pub struct RoomsOptions {
    /// Write what is used into the tables, and draw the picture of the crates, instead of checking.
    #[arg(long)]
    write: bool,
}

/// One graph of the workspace and the table that says what is allowed in it.
struct House {
    /// "crates", or the name of the crate whose modules these are.
    name: String,
    table: PathBuf,
    graph: Graph,
}

pub fn run(options: &RoomsOptions) -> Result<ExitCode> {
    let houses = houses()?;
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
    let circles = circles::measured()?;
    circles::print(&circles);
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
fn houses() -> Result<Vec<House>> {
    let root = project::root();
    let members = crates::members(&root)?;
    let mut houses = vec![House {
        name: "crates".into(),
        table: root.join("crates").join(TABLE_NAME),
        graph: crates::graph(&members)?,
    }];
    for member in &members {
        let table = member.folder.join(TABLE_NAME);
        if table.is_file() {
            houses.push(House {
                name: member.name.clone(),
                graph: modules::graph(&member.folder.join("src"))?,
                table,
            });
        }
    }
    Ok(houses)
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

    #[test]
    fn crates_and_modules_use_what_their_tables_allow() {
        let mut complaints = Vec::new();
        for house in houses().unwrap() {
            complaints.extend(house.complaints().unwrap());
        }
        assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    }

    #[test]
    fn circles_of_files_are_no_larger_than_their_table_says() {
        let complaints = circles::complaints(&circles::measured().unwrap()).unwrap();
        assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    }

    #[test]
    fn the_picture_shows_the_crates() {
        let drawn = fs::read_to_string(project::root().join(PICTURE)).unwrap_or_default();
        let crates = &houses().unwrap()[0];
        assert!(
            drawn == picture::svg(&crates.graph),
            "{PICTURE} is out of date: cargo xtask rooms --write draws it"
        );
    }
}
