//! Loaded modules.

use std::cmp::Reverse;
use std::time::Duration;

use layout::Term;
use runtime::code::modules::{self, Versions};
use serde::Serialize;

use crate::listed::{self, ListQuery, Listed, columns};
use crate::printed;

/// How long the table of modules may be locked: it is while code is loaded.
const PATIENCE: Duration = Duration::from_millis(50);

/// A module.
#[derive(Clone, Debug, Serialize)]
pub struct ModuleRow {
    pub name: String,
    pub code_bytes: u64,
    pub literal_bytes: u64,
    /// Of code that has been replaced and not been purged.
    pub old_bytes: u64,
    pub functions: u64,
    pub exports: u64,
    /// The sum by which versions are told apart.
    pub md5: Option<String>,
    /// It has native functions.
    pub has_nifs: bool,
}

columns!(ModuleRow: name, code_bytes, literal_bytes, old_bytes, functions, exports, md5, has_nifs);

/// The modules; without another order the largest come first.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Listed<ModuleRow>, String> {
    let modules = modules::all_within(PATIENCE).unwrap_or_default();
    let mut rows: Vec<ModuleRow> = modules
        .iter()
        .map(|(name, versions)| ModuleRow::of(*name, versions))
        .collect();
    rows.sort_by_key(|row| Reverse(row.code_bytes + row.literal_bytes + row.old_bytes));
    listed::page(rows, 0, query, ModuleRow::clone)
}

impl ModuleRow {
    fn of(name: Term, versions: &Versions) -> ModuleRow {
        let current = versions.current.as_ref();
        let count = |count: usize| count as u64;
        ModuleRow {
            name: printed::name(name),
            code_bytes: current.map_or(0, |loaded| count(loaded.code.size_bytes())),
            literal_bytes: current.map_or(0, |loaded| count(loaded.literals.held_bytes())),
            old_bytes: versions
                .old
                .as_ref()
                .map_or(0, |loaded| count(loaded.held_bytes())),
            functions: current.map_or(0, |loaded| count(loaded.code.functions().count())),
            exports: current.map_or(0, |loaded| count(loaded.exports.len())),
            md5: current.map(|loaded| {
                loaded
                    .md5
                    .iter()
                    .map(|byte| format!("{byte:02x}"))
                    .collect()
            }),
            has_nifs: current.is_some_and(|loaded| !loaded.nifs.is_empty()),
        }
    }
}
