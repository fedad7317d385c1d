//! What is asked of the table of processes: parameters of a request, checked.

use crate::paging::Paging;

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
    pub group: Group,
    /// The filter leaves those processes in whose pid, name, label or calls it is found.
    pub part: Paging,
}

/// The most rows of a page.
pub const MOST_ROWS: usize = 500;
/// The most rows that are sorted; pages behind them are not shown.
pub const MOST_RANKED: usize = 20_000;
/// The rows of a page, if the request does not say.
const ROWS: usize = 50;

impl Default for Query {
    fn default() -> Query {
        Query {
            sort: Sort::Memory,
            group: Group::None,
            part: Paging {
                ascending: false,
                filter: None,
                page: 0,
                rows: ROWS,
            },
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
        Ok(Query {
            sort,
            group,
            part: Paging::parse(value, ROWS, MOST_ROWS)?,
        })
    }

    /// How many rows must be ranked for the page; at most [`MOST_RANKED`].
    #[must_use]
    pub fn ranked(&self) -> usize {
        let Paging { page, rows, .. } = self.part;
        page.saturating_add(1).saturating_mul(rows).min(MOST_RANKED)
    }
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
            (query.sort, query.part.ascending, query.ranked()),
            (Sort::Queue, true, 21)
        );
        assert_eq!(query.part.filter.as_deref(), Some("gen"));
        let page: Vec<usize> = query.part.of_page((0..21).collect()).collect();
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
        assert_eq!(far.part.of_page(vec![1; 10]).count(), 0);
    }
}
