//! What is asked of the table of processes: parameters of a request, checked.

use std::str::FromStr;

/// By what processes, or groups of them, are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Memory,
    Reductions,
    ReductionsRate,
    Queue,
    QueueGrowth,
    Binaries,
    /// Of groups alone: how many processes are in one.
    Count,
}

/// What processes are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    None,
    InitialCall,
    Label,
    Current,
}

/// One page of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    pub sort: Sort,
    /// The smallest first.
    pub ascending: bool,
    /// Only those processes in whose pid, name, label or calls this is found, in small letters.
    pub filter: Option<String>,
    pub group: Group,
    /// From 0.
    pub page: usize,
    pub rows: usize,
}

/// The most rows of a page.
pub const MOST_ROWS: usize = 500;
/// The most rows that are sorted; pages behind them are not shown.
pub const MOST_RANKED: usize = 20_000;
/// The longest filter, in characters.
const LONGEST_FILTER: usize = 200;

impl Default for Query {
    fn default() -> Query {
        Query {
            sort: Sort::Memory,
            ascending: false,
            filter: None,
            group: Group::None,
            page: 0,
            rows: 50,
        }
    }
}

impl Query {
    /// The query that parameters stand for, of which `value` gives each by its name.
    ///
    /// # Errors
    /// Says which parameter is wrong, and what it may be.
    pub fn parse<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<Query, String> {
        let group = match value("group") {
            None | Some("none") => Group::None,
            Some("initial_call") => Group::InitialCall,
            Some("label") => Group::Label,
            Some("current") => Group::Current,
            Some(_) => return Err("group: none, initial_call, label or current".into()),
        };
        let sort = match value("sort") {
            None | Some("memory") => Sort::Memory,
            Some("reductions") => Sort::Reductions,
            Some("reductions_rate") => Sort::ReductionsRate,
            Some("queue") => Sort::Queue,
            Some("queue_growth") => Sort::QueueGrowth,
            Some("binaries") => Sort::Binaries,
            Some("count") if group != Group::None => Sort::Count,
            Some(_) => {
                return Err(
                    "sort: memory, reductions, reductions_rate, queue, queue_growth, binaries, \
                            or count of groups"
                        .into(),
                );
            }
        };
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
        let rows = number(value("rows"), "rows", 50)?;
        let page = number(value("page"), "page", 0)?;
        if !(1..=MOST_ROWS).contains(&rows) {
            return Err(format!("rows: 1 to {MOST_ROWS}"));
        }
        Ok(Query {
            sort,
            ascending,
            filter: filter.map(str::to_lowercase),
            group,
            page,
            rows,
        })
    }

    /// How many rows must be ranked for the page; at most [`MOST_RANKED`].
    #[must_use]
    pub fn ranked(&self) -> usize {
        (self.page.saturating_add(1).saturating_mul(self.rows)).min(MOST_RANKED)
    }

    /// The rows of the page, of those that are ranked.
    pub fn of_page<T>(&self, ranked: Vec<T>) -> impl Iterator<Item = T> + use<T> {
        let skipped = self.page.saturating_mul(self.rows);
        ranked.into_iter().skip(skipped).take(self.rows)
    }
}

fn number(text: Option<&str>, name: &str, default: usize) -> Result<usize, String> {
    text.map_or(Ok(default), |text| {
        usize::from_str(text).map_err(|_| format!("{name}: a number"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(parameters: &[(&str, &'static str)]) -> Result<Query, String> {
        let find = |name: &str| {
            let found = parameters.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| *value)
        };
        Query::parse(find)
    }

    #[test]
    fn parameters_have_defaults_and_limits() {
        assert_eq!(parse(&[]), Ok(Query::default()));
        let query = parse(&[
            ("sort", "queue"),
            ("order", "asc"),
            ("filter", " Gen "),
            ("page", "2"),
            ("rows", "7"),
        ]);
        let query = query.unwrap();
        assert_eq!(
            (query.sort, query.ascending, query.ranked()),
            (Sort::Queue, true, 21)
        );
        assert_eq!(query.filter.as_deref(), Some("gen"));
        let page: Vec<usize> = query.of_page((0..21).collect()).collect();
        assert_eq!(page, [14, 15, 16, 17, 18, 19, 20]);
        for wrong in [
            ("sort", "size"),
            ("sort", "count"),
            ("order", "up"),
            ("group", "node"),
            ("rows", "0"),
            ("rows", "501"),
            ("rows", "-1"),
            ("page", "x"),
        ] {
            let error = parse(&[wrong]).unwrap_err();
            assert!(error.starts_with(wrong.0), "{wrong:?}: {error}");
        }
        assert!(parse(&[("sort", "count"), ("group", "label")]).is_ok());
        let far = parse(&[("page", "18446744073709551615"), ("rows", "500")]).unwrap();
        assert_eq!(far.ranked(), MOST_RANKED);
        assert_eq!(far.of_page(vec![1; 10]).count(), 0);
    }
}
