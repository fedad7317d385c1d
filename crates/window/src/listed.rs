//! Lists of what a node has some hundreds of, as a rule: sorted by any of their columns, filtered and cut into pages
//! here, so that a list of a hundred thousand is no more work for whoever looks at it.
//!
//! A row is text, and is made of what was found only to be compared or shown: of all rows nothing is kept but the
//! column by which they are sorted.

use std::cmp::Ordering;
use std::time::Duration;

use serde::Serialize;

use crate::paging::Paging;
use crate::processes::unix_ms;

/// How long the window waits for one lock of a table: who has it for longer is left out.
pub(crate) const PATIENCE: Duration = Duration::from_millis(5);
/// The most rows of a page, and those of a request that does not say how many.
pub const MOST: usize = 2_000;

/// A page of a list.
#[derive(Clone, Debug, Serialize)]
pub struct Listed<T> {
    pub as_of_unix_ms: u64,
    /// How many there are.
    pub total: u64,
    /// Those of them that the filter leaves.
    pub matched: u64,
    pub rows: Vec<T>,
}

/// What is asked of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListQuery {
    /// A column of the rows; without one they come in the order that the list has by itself.
    sort: Option<String>,
    part: Paging,
}

impl ListQuery {
    /// The query that parameters stand for, of which `value` gives each by its name.
    ///
    /// # Errors
    /// Says which parameter is wrong, and what it may be.
    pub fn parse<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<ListQuery, String> {
        Ok(ListQuery {
            sort: value("sort")
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
            part: Paging::parse(value, MOST, MOST)?,
        })
    }
}

/// The value of a column, as it is compared.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Key {
    /// Comes last in either order.
    Unknown,
    Number(f64),
    Text(String),
}

/// What may stand in a column.
pub(crate) trait Value {
    fn key(&self) -> Key;
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Value for $number {
            fn key(&self) -> Key {
                Key::Number(*self as f64)
            }
        })*
    };
}

numbers!(u32, u64, f64);

impl Value for bool {
    fn key(&self) -> Key {
        Key::Number(f64::from(u8::from(*self)))
    }
}

impl Value for String {
    fn key(&self) -> Key {
        Key::Text(self.to_lowercase())
    }
}

impl Value for &'static str {
    fn key(&self) -> Key {
        Key::Text(self.to_lowercase())
    }
}

impl<T: Value> Value for Option<T> {
    fn key(&self) -> Key {
        self.as_ref().map_or(Key::Unknown, Value::key)
    }
}

/// A column of rows.
pub(crate) struct Column<R> {
    pub(crate) name: &'static str,
    pub(crate) key: fn(&R) -> Key,
}

/// A row whose columns are known.
pub(crate) trait Columns: Sized + 'static {
    const COLUMNS: &'static [Column<Self>];
}

/// Says that these are the columns of a row, which are all of its fields.
macro_rules! columns {
    ($row:ident: $($field:ident),* $(,)?) => {
        impl $crate::listed::Columns for $row {
            const COLUMNS: &'static [$crate::listed::Column<$row>] = &[$($crate::listed::Column {
                name: stringify!($field),
                key: |$row { $field, .. }| $crate::listed::Value::key($field),
            }),*];
        }

        const _: fn(&$row) = |$row { $($field: _),* }| ();
    };
}
pub(crate) use columns;

impl Key {
    /// Compares in the order that is asked for; what is unknown comes last in both.
    fn compare(&self, other: &Key, ascending: bool) -> Ordering {
        let order = match (self, other) {
            (Key::Unknown, Key::Unknown) => return Ordering::Equal,
            (Key::Unknown, _) => return Ordering::Greater,
            (_, Key::Unknown) => return Ordering::Less,
            (Key::Number(a), Key::Number(b)) => a.total_cmp(b),
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (Key::Number(_), Key::Text(_)) => Ordering::Less,
            (Key::Text(_), Key::Number(_)) => Ordering::Greater,
        };
        if ascending { order } else { order.reverse() }
    }
}

fn has<R: Columns>(row: &R, filter: &str) -> bool {
    let mut keys = R::COLUMNS.iter().map(|column| (column.key)(row));
    keys.any(|key| matches!(key, Key::Text(text) if text.contains(filter)))
}

/// The page that is asked for of these items, of which `row` makes rows. So many more there are that could not be
/// looked at.
///
/// # Errors
/// If the rows have no such column; names those that they have.
pub(crate) fn page<I, R: Columns>(
    mut items: Vec<I>,
    left_out: usize,
    query: &ListQuery,
    row: impl Fn(&I) -> R,
) -> Result<Listed<R>, String> {
    let column = match &query.sort {
        None => None,
        Some(name) => Some(
            R::COLUMNS
                .iter()
                .find(|column| column.name == name)
                .ok_or_else(|| {
                    let names: Vec<&str> = R::COLUMNS.iter().map(|column| column.name).collect();
                    format!("sort: {}", names.join(", "))
                })?,
        ),
    };
    let total = items.len() + left_out;
    if let Some(filter) = &query.part.filter {
        items.retain(|item| has(&row(item), filter));
    }
    let matched = items.len();
    if let Some(column) = column {
        let mut keyed: Vec<(Key, I)> = items
            .into_iter()
            .map(|item| ((column.key)(&row(&item)), item))
            .collect();
        keyed.sort_by(|(a, _), (b, _)| a.compare(b, query.part.ascending));
        items = keyed.into_iter().map(|(_, item)| item).collect();
    }
    Ok(Listed {
        as_of_unix_ms: unix_ms(),
        total: total as u64,
        matched: matched as u64,
        rows: query.part.of_page(items).map(|item| row(&item)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug)]
    struct Animal {
        name: String,
        legs: Option<u64>,
        flies: bool,
    }

    columns!(Animal: name, legs, flies);

    const ANIMALS: [(&str, Option<u64>, bool); 4] = [
        ("Ant", Some(6), false),
        ("bee", Some(6), true),
        ("Owl", Some(2), true),
        ("worm", None, false),
    ];

    fn asked(parameters: &[(&str, &'static str)]) -> Result<(u64, Vec<String>), String> {
        let query = ListQuery::parse(|name| {
            let found = parameters.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| *value)
        })?;
        let listed = page(ANIMALS.to_vec(), 1, &query, |&(name, legs, flies)| Animal {
            name: name.to_owned(),
            legs,
            flies,
        })?;
        assert_eq!(listed.total, 5, "with the one that was left out");
        let names = listed.rows.into_iter().map(|row| row.name).collect();
        Ok((listed.matched, names))
    }

    #[test]
    fn lists_are_sorted_filtered_and_cut() {
        let names = |parameters| asked(parameters).unwrap().1;
        assert_eq!(names(&[]), ["Ant", "bee", "Owl", "worm"]);
        assert_eq!(names(&[("sort", "name")]), ["worm", "Owl", "bee", "Ant"]);
        assert_eq!(
            names(&[("sort", "legs"), ("order", "asc")]),
            ["Owl", "Ant", "bee", "worm"],
            "what is unknown comes last"
        );
        assert_eq!(names(&[("sort", "legs")]), ["Ant", "bee", "Owl", "worm"]);
        assert_eq!(names(&[("sort", "flies"), ("rows", "2")]), ["bee", "Owl"]);
        let part = asked(&[("filter", "E"), ("rows", "1"), ("page", "0")]);
        assert_eq!(part, Ok((1, vec!["bee".to_owned()])));
        assert_eq!(names(&[("rows", "3"), ("page", "1")]), ["worm"]);
        assert_eq!(
            names(&[("rows", "3"), ("page", "18446744073709551615")]),
            [""; 0]
        );
    }

    #[test]
    fn what_is_no_column_is_told() {
        assert_eq!(
            asked(&[("sort", "wings")]),
            Err("sort: name, legs, flies".to_owned())
        );
        assert!(asked(&[("rows", "2001")]).unwrap_err().starts_with("rows"));
    }
}
