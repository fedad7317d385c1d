//! ETS tables.

use std::cmp::Reverse;
use std::sync::Arc;

use ets::Table;
use ets::options::WriteConcurrency;
use ets::registry;
use runtime::mail::registry as names;
use serde::Serialize;
use term::atom;

use crate::listed::{self, ListQuery, Listed, PATIENCE, columns};
use crate::printed;

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct TableRow {
    pub name: String,
    pub is_named: bool,
    pub owner: String,
    pub owner_name: Option<String>,
    pub kind: &'static str,
    pub protection: &'static str,
    pub objects: u64,
    /// Without shared binaries.
    pub memory_bytes: u64,
    /// Parts that others had locked are left out of both numbers.
    pub is_partial: bool,
    pub is_compressed: bool,
    pub read_concurrency: bool,
    pub write_concurrency: bool,
    /// The low word of its reference.
    pub number: u64,
}

columns!(TableRow: name, is_named, owner, owner_name, kind, protection, objects, memory_bytes, is_partial,
    is_compressed, read_concurrency, write_concurrency, number);

struct Sizes {
    objects: u64,
    bytes: u64,
    is_partial: bool,
}

/// The tables; without another order those that take most memory come first.
///
/// # Errors
/// As [`listed::page`].
pub fn page(query: &ListQuery) -> Result<Listed<TableRow>, String> {
    let tables = registry::all_within(PATIENCE).unwrap_or_default();
    let mut tables: Vec<(Sizes, Arc<Table>)> = tables
        .into_iter()
        .map(|table| (Sizes::of(&table), table))
        .collect();
    tables.sort_by_key(|(sizes, table)| (Reverse(sizes.bytes), table.number));
    listed::page(tables, 0, query, |(sizes, table)| {
        TableRow::of(table, sizes)
    })
}

impl Sizes {
    fn of(table: &Table) -> Sizes {
        let (mut objects, mut bytes) = (0, 0);
        let is_whole = table.each_part_within(PATIENCE, |part| {
            objects += part.objects();
            bytes += part.bytes();
        });
        Sizes {
            objects: u64::try_from(objects).unwrap_or(0),
            bytes: u64::try_from(bytes).unwrap_or(0) + size_of::<Table>() as u64,
            is_partial: !is_whole,
        }
    }
}

impl TableRow {
    fn of(table: &Table, sizes: &Sizes) -> TableRow {
        let (options, owner) = (&table.options, table.owner());
        TableRow {
            name: printed::name(table.name()),
            is_named: options.named,
            owner: printed::identifier(owner),
            owner_name: names::name_of(owner).map(printed::name),
            kind: atom::text(options.kind.atom()),
            protection: atom::text(table.protection().atom()),
            objects: sizes.objects,
            memory_bytes: sizes.bytes,
            is_partial: sizes.is_partial,
            is_compressed: options.compressed,
            read_concurrency: options.read_concurrency,
            write_concurrency: options.write_concurrency != WriteConcurrency::No,
            number: table.number,
        }
    }
}
