//! What requests for a part of a list have in common: which page, in which order, and of what rows.

use std::str::FromStr;

/// See the module's documentation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paging {
    /// The smallest first.
    pub ascending: bool,
    /// Only rows in which this is found, in small letters.
    pub filter: Option<String>,
    /// From 0.
    pub page: usize,
    pub rows: usize,
}

/// The longest filter, in characters.
const LONGEST_FILTER: usize = 200;

impl Paging {
    /// What parameters of a request say, of which `value` gives each by its name: `order`, `filter`, `page` and `rows`,
    /// of which there may be `most`, and are `default` where the request says nothing.
    ///
    /// # Errors
    /// Says which parameter is wrong, and what it may be.
    pub fn parse<'a>(
        value: impl Fn(&str) -> Option<&'a str>,
        default: usize,
        most: usize,
    ) -> Result<Paging, String> {
        let ascending = match value("order") {
            None | Some("desc") => false,
            Some("asc") => true,
            Some(_) => return Err("order: desc or asc".into()),
        };
        let filter = value("filter")
            .map(str::trim)
            .filter(|text| !text.is_empty());
        if filter.is_some_and(|text| text.chars().count() > LONGEST_FILTER) {
            return Err(format!("filter: at most {LONGEST_FILTER} characters"));
        }
        let rows = number(value("rows"), "rows", default)?;
        let page = number(value("page"), "page", 0)?;
        if !(1..=most).contains(&rows) {
            return Err(format!("rows: 1 to {most}"));
        }
        Ok(Paging {
            ascending,
            filter: filter.map(str::to_lowercase),
            page,
            rows,
        })
    }

    /// The items of the page, of all in their order.
    pub fn of_page<T>(&self, all: Vec<T>) -> impl Iterator<Item = T> + use<T> {
        let skipped = self.page.saturating_mul(self.rows);
        all.into_iter().skip(skipped).take(self.rows)
    }
}

fn number(text: Option<&str>, name: &str, default: usize) -> Result<usize, String> {
    text.map_or(Ok(default), |text| {
        usize::from_str(text).map_err(|_| format!("{name}: a number"))
    })
}
