//! What there is to ask for: one table, from the path to the function that makes the answer.

use form_urlencoded::parse;
use hyper::StatusCode;
use hyper::header::CONTENT_DISPOSITION;
use layout::Term;

use super::answer::Answer;
use super::assets;
use crate::listed::ListQuery;
use crate::log::files::Fault;
use crate::processes::{self, Query};
use crate::profile::{self, Settings};
use crate::{
    atoms, control, events, figures, health, log, modules, node, nodes, ports, process_page,
    sockets, supervision, tables, timers,
};
use runtime::effects::looking::WorldIsStopped;

/// Makes an answer.
pub(super) type Make = fn(&Asked) -> Answer;

/// A row of the table.
pub(super) struct Route {
    /// The path. A `*` in it stands for one segment: [`Asked::named`].
    pub(super) path: &'static str,
    pub(super) thread: Thread,
    pub(super) needs: Needs,
    pub(super) make: Make,
}

/// The thread that makes an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Thread {
    /// The server's: takes microseconds, and no lock that a scheduler holds for longer.
    Here,
    /// The walker's.
    Walker,
}

/// What a request needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing, whatever it calls the server: it says nothing about the node but that it is there.
    Nothing,
    /// A name of the server: files of the page, which are the same everywhere.
    Name,
    /// The token, if there is one.
    Token,
    /// As `Token`; it makes the node do something, though nothing that a program sees, so it is a POST from the
    /// server's own page, or with the token in a header.
    Action,
    /// As `Token`; it changes something, so it is a POST from the server's own page, or with the token in a header, and
    /// `+dashboard_control true` allows it.
    Control,
}

const fn row(path: &'static str, thread: Thread, needs: Needs, make: Make) -> Route {
    Route {
        path,
        thread,
        needs,
        make,
    }
}

/// A row for numbers that are there already.
const fn here(path: &'static str, make: Make) -> Route {
    row(path, Thread::Here, Needs::Token, make)
}

/// A row for what is looked for in the node's tables.
const fn walk(path: &'static str, make: Make) -> Route {
    row(path, Thread::Walker, Needs::Token, make)
}

/// What was found, unless nobody could look: the world is stopped, as by the break menu.
fn found<T: serde::Serialize>(what: Result<T, WorldIsStopped>) -> Answer {
    match what {
        Ok(what) => Answer::json(&what),
        Err(WorldIsStopped) => {
            Answer::fault(StatusCode::SERVICE_UNAVAILABLE, "the node stands still")
        }
    }
}

/// A row for a list.
macro_rules! list {
    ($path:literal, $page:path) => {
        walk($path, |asked| {
            let page = ListQuery::parse(|name| asked.text(name)).and_then(|query| $page(&query));
            match page {
                Ok(page) => Answer::json(&page),
                Err(why) => Answer::fault(StatusCode::BAD_REQUEST, &why),
            }
        })
    };
}

/// A row for what changes a process.
const fn change(path: &'static str, make: Make) -> Route {
    row(path, Thread::Walker, Needs::Control, make)
}

/// What came of a change to the process that is named.
fn changed(asked: &Asked, change: fn(Term) -> bool) -> Answer {
    match processes::named(asked.named()).is_some_and(change) {
        true => Answer::text(StatusCode::NO_CONTENT, ""),
        false => Answer::fault(StatusCode::NOT_FOUND, "there is no such process"),
    }
}

/// All of it, but the login and the page.
pub(super) static ROUTES: &[Route] = &[
    row("/health/live", Thread::Here, Needs::Nothing, |_| {
        Answer::text(StatusCode::OK, "live\n")
    }),
    row(
        "/health/ready",
        Thread::Here,
        Needs::Nothing,
        |_| match health::readiness() {
            Ok(()) => Answer::text(StatusCode::OK, "ready\n"),
            Err(why) => Answer::text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
        },
    ),
    here("/metrics", |asked| {
        let format = figures::Format::asked_for(asked.accepted());
        Answer::of_type(format.content_type(), figures::metrics(format))
    }),
    here("/api/v1", |_| Answer::json(&paths())),
    here("/api/v1/node", |_| Answer::json(&node::summary())),
    here("/api/v1/series", |_| Answer::json(&figures::series())),
    here("/api/v1/history", |asked| {
        Answer::json(&figures::history(asked.number("from").unwrap_or(0)))
    }),
    walk("/api/v1/processes", |asked| {
        match Query::parse(|name| asked.text(name)) {
            Ok(query) => found(
                processes::page(&query)
                    .as_deref()
                    .map_err(|stopped| *stopped),
            ),
            Err(why) => Answer::fault(StatusCode::BAD_REQUEST, &why),
        }
    }),
    walk("/api/v1/process/*", |asked| {
        match process_page::page(asked.named()) {
            Ok(None) => Answer::fault(StatusCode::NOT_FOUND, "there is no such process"),
            page => found(page),
        }
    }),
    change("/api/v1/process/*/collect", |asked| {
        changed(asked, control::collect)
    }),
    change("/api/v1/process/*/kill", |asked| {
        changed(asked, control::kill)
    }),
    walk("/api/v1/supervision", |_| found(supervision::page())),
    list!("/api/v1/tables", tables::page),
    list!("/api/v1/ports", ports::page),
    list!("/api/v1/sockets", sockets::page),
    list!("/api/v1/nodes", nodes::page),
    list!("/api/v1/modules", modules::page),
    list!("/api/v1/atoms", atoms::page),
    list!("/api/v1/timers", timers::page),
    list!("/api/v1/events", events::page),
    walk("/api/v1/profile", |_| Answer::json(&profile::latest())),
    walk("/api/v1/profile/folded", |_| {
        Answer::text(StatusCode::OK, profile::latest().folded).with(
            CONTENT_DISPOSITION,
            "attachment; filename=\"profile.folded\"",
        )
    }),
    row(
        "/api/v1/profile/start",
        Thread::Here,
        Needs::Action,
        |asked| match Settings::parse(|name| asked.text(name)).map(profile::start) {
            Ok(Ok(())) => Answer::text(StatusCode::NO_CONTENT, ""),
            Ok(Err(why)) => Answer::fault(StatusCode::CONFLICT, &why),
            Err(why) => Answer::fault(StatusCode::BAD_REQUEST, &why),
        },
    ),
    list!("/api/v1/log", log::page),
    walk("/api/v1/log/*", |asked| {
        let query = ListQuery::parse(|name| asked.text(name)).map_err(Fault::Query);
        match query.and_then(|query| log::files::page(asked.named(), &query)) {
            Ok(page) => Answer::json(&page),
            Err(Fault::Unknown) => Answer::fault(
                StatusCode::NOT_FOUND,
                "no handler of the logger has this name and a file",
            ),
            Err(Fault::File(why)) => Answer::fault(StatusCode::CONFLICT, &why),
            Err(Fault::Query(why)) => Answer::fault(StatusCode::BAD_REQUEST, &why),
        }
    }),
];

/// The paths of all rows, for whoever wants to know what there is.
fn paths() -> Vec<&'static str> {
    ROUTES.iter().map(|route| route.path).collect()
}

/// The row for a path.
pub(super) fn find(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| named_by(route, path).is_some())
}

/// What a path has where the row's has a `*`; nothing if the row has none.
fn named_by<'a>(route: &Route, path: &'a str) -> Option<&'a str> {
    match route.path.split_once('*') {
        None => (path == route.path).then_some(""),
        Some((before, after)) => {
            let named = path.strip_prefix(before)?.strip_suffix(after)?;
            (!named.is_empty() && !named.contains('/')).then_some(named)
        }
    }
}

/// A request, as far as an answer depends on it.
pub(super) struct Asked {
    named: String,
    pairs: Vec<(String, String)>,
    accepted: String,
}

impl Asked {
    /// The request for a path and a query, for this row, by a client that accepts these types.
    pub(super) fn new(route: &Route, path: &str, query: &str, accepted: &str) -> Asked {
        Asked {
            named: decoded(named_by(route, path).unwrap_or_default()),
            pairs: parse(query.as_bytes()).into_owned().collect(),
            accepted: accepted.to_owned(),
        }
    }

    /// The types that the client accepts, as its header has them.
    pub(super) fn accepted(&self) -> &str {
        &self.accepted
    }

    /// What the path names where the row's has a `*`.
    pub(super) fn named(&self) -> &str {
        &self.named
    }

    /// The value of this name in the query.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut pairs = self.pairs.iter();
        pairs
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// The same as a number; `None` if it is none.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

/// A part of a path without its `%XX`; what is no UTF-8 is replaced.
fn decoded(text: &str) -> String {
    // In a form a plus sign is a space, in a path it is itself.
    let text = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    let first = parse(text.as_bytes()).next();
    first
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

/// The token in the body of a login.
pub(super) fn token_of(body: &[u8]) -> Option<Vec<u8>> {
    let mut pairs = parse(body);
    pairs
        .find(|(name, _)| name == "token")
        .map(|(_, value)| value.trim().as_bytes().to_vec())
}

/// Everything here that parses what a client sends, for the fuzzer.
#[doc(hidden)]
pub fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (path, query) = text.split_once('?').unwrap_or((&text, ""));
    for route in ROUTES {
        let asked = Asked::new(route, path, query, &text);
        let _ = (asked.named(), asked.number("from"));
        let _ = Query::parse(|name| asked.text(name));
        let _ = ListQuery::parse(|name| asked.text(name)).map(|query| log::page(&query));
        let _ = Settings::parse(|name| asked.text(name));
    }
    let _ = log::plain::without_escapes(&text);
    let _ = (find(path), assets::find(path), token_of(bytes));
    super::access::fuzz(&text);
    super::stream::Lines::default().refuse_bare(&mut bytes.to_vec());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_unique_and_found() {
        for (index, route) in ROUTES.iter().enumerate() {
            let path = route.path.replace('*', "%3C0.1.0%3E");
            let found = find(&path).unwrap();
            assert!(std::ptr::eq(found, &ROUTES[index]), "{path}");
        }
        for path in [
            "",
            "/",
            "/health/live/",
            "/api/v1/",
            "//health/live",
            "*",
            "/api/v1/process//kill",
            "/api/v1/process/a/b/kill",
        ] {
            assert!(find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn queries_are_decoded() {
        const ROUTE: Route = here("/p/*/q", |_| Answer::text(StatusCode::OK, ""));
        let asked = Asked::new(
            &ROUTE,
            "/p/%3C0.1+2.0%3E&a=b%2F/q",
            "a=1&b=x+y%26&a=2&c&page=99999999999999999999",
            "",
        );
        assert_eq!(asked.named(), "<0.1+2.0>&a=b/");
        assert_eq!(asked.number("a"), Some(1));
        assert_eq!(asked.text("b"), Some("x y&"));
        assert_eq!(asked.text("c"), Some(""));
        assert_eq!((asked.number("page"), asked.text("d")), (None, None));
        assert_eq!(token_of(b"x=1&token=+a%2Bb"), Some(b"a+b".to_vec()));
        assert_eq!(token_of(b"\xff"), None);
    }
}
