//! `ferl dashboard NODE`: opens the dashboard of a node that runs already, and closes it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use spec::flags::listen_address;

use crate::asked::{Asked, Reader, Writer};
use crate::commands;
use crate::environment::Environment;

/// Opens the dashboard of a running node and prints its address; a token that it needs is in it. Asked again, it prints
/// where the dashboard is.
#[derive(Parser, Debug)]
#[command(name = "ferl dashboard", max_term_width = 100)]
pub(crate) struct DashboardOptions {
    /// The node: the name that -sname or -name gave it, with or without its host.
    #[arg(value_name = "NODE")]
    node: String,
    /// Where to listen: PORT of 127.0.0.1, or ADDRESS:PORT; any free port without this.
    #[arg(long, value_name = "[ADDRESS:]PORT", conflicts_with = "off", value_parser = address)]
    port: Option<String>,
    /// Closes the dashboard.
    #[arg(long)]
    off: bool,
    /// The node's cookie, if it is not the one in .erlang.cookie.
    #[arg(long, value_name = "COOKIE")]
    cookie: Option<String>,
}

/// Runs the command with the words that follow `dashboard`. Returns 1 if it fails, 2 if the words are wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    commands::run("ferl dashboard", words, ask)
}

fn address(text: &str) -> Result<String, String> {
    match listen_address(text.as_bytes()) {
        Some(_) => Ok(text.to_owned()),
        None => Err("it is PORT or ADDRESS:PORT, as 8080, 0.0.0.0:8080 or [::1]:8080".to_owned()),
    }
}

fn ask(options: &DashboardOptions) -> Result<String, String> {
    let dashboard = Dashboard::of(&options.node, options.cookie.as_deref())?;
    match options.off {
        true => dashboard.close().map(|()| String::new()),
        false => dashboard
            .open(options.port.as_deref())
            .map(|url| format!("{url}\n")),
    }
}

/// The dashboard of a running node, open or not.
pub(crate) struct Dashboard {
    name: String,
    node: Asked,
}

impl Dashboard {
    /// Of the node of this name, with this cookie or the user's.
    pub(crate) fn of(node: &str, cookie: Option<&str>) -> Result<Dashboard, String> {
        Ok(Dashboard {
            name: node.to_owned(),
            node: Asked::named(node, cookie, &Environment::inherited())?,
        })
    }

    /// Opens it at this address or any free port, unless it is open; returns its URL.
    pub(crate) fn open(&self, address: Option<&str>) -> Result<String, String> {
        let url = self.call(|call| match address {
            Some(address) => call.binary(address.as_bytes()),
            None => call.atom(b"true"),
        })?;
        url.ok_or_else(|| self.is_strange())
    }

    pub(crate) fn close(&self) -> Result<(), String> {
        self.call(|call| call.atom(b"false")).map(|_| ())
    }

    /// Opens it for as long as it is asked at least once in so many seconds, unless it is open; returns its URL.
    pub(crate) fn open_while_used(&self, seconds: i32) -> Result<String, String> {
        let url = self.call(|call| call.tuple(2).atom(b"while_used").integer(seconds))?;
        url.ok_or_else(|| self.is_strange())
    }

    /// Closes it if it was opened like that and nobody else uses it.
    pub(crate) fn leave(&self) -> Result<(), String> {
        self.call(|call| call.atom(b"unused")).map(|_| ())
    }

    /// Calls `erlang:system_flag({ferl, dashboard}, Value)`.
    fn call(&self, value: impl FnOnce(Writer) -> Writer) -> Result<Option<String>, String> {
        let call = Writer::default()
            .list(2)
            .tuple(2)
            .atom(b"ferl")
            .atom(b"dashboard");
        let answer = self
            .node
            .call("erlang", "system_flag", &value(call).nil().done())?;
        told(&answer).ok_or_else(|| self.is_strange())?
    }

    fn is_strange(&self) -> String {
        format!("{} is no node of this version of ferl", self.name)
    }
}

/// What the node says: `false`, `{ok, Url}` or `{error, Reason}`; `None` if it is something else.
fn told(answer: &[u8]) -> Option<Result<Option<String>, String>> {
    if Reader::new(answer).atom() == Some(b"false") {
        return Some(Ok(None));
    }
    let mut answer = Reader::new(answer);
    answer.tuple()?;
    let is_error = match answer.atom()? {
        b"ok" => false,
        b"error" => true,
        _ => return None,
    };
    let rest = answer.rest();
    let text = Reader::new(rest).binary().or_else(|| answer.atom())?;
    let text = String::from_utf8_lossy(text).into_owned();
    Some(match (is_error, &*text) {
        (false, _) => Ok(Some(text)),
        (true, "eaddrinuse") => {
            Err("the port is in use: choose another one, or none for any that is free".to_owned())
        }
        (true, "eacces") => {
            Err("the node has no right to that port: choose one above 1023".to_owned())
        }
        (true, "eaddrnotavail") => Err("the node's host has no such address".to_owned()),
        (true, _) => Err(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told() {
        let of = |is_ok: bool, text: &[u8]| {
            let word: &[u8] = if is_ok { b"ok" } else { b"error" };
            told(&Writer::default().tuple(2).atom(word).binary(text).done())
        };
        assert_eq!(
            of(true, b"http://x/"),
            Some(Ok(Some("http://x/".to_owned())))
        );
        assert_eq!(of(false, b"no token"), Some(Err("no token".to_owned())));
        let in_use = Writer::default()
            .tuple(2)
            .atom(b"error")
            .atom(b"eaddrinuse")
            .done();
        assert!(told(&in_use).unwrap().unwrap_err().contains("in use"));
        assert_eq!(
            told(&Writer::default().atom(b"false").done()),
            Some(Ok(None))
        );
        let strange = Writer::default()
            .tuple(2)
            .atom(b"badrpc")
            .atom(b"nodedown")
            .done();
        assert_eq!(told(&strange), None);
        assert_eq!(told(b""), None);
    }
}
