//! A node with a dashboard, and a client that sends what it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use stock::Running;

/// A node with a dashboard at a port of its own.
pub(crate) struct Node {
    running: Running,
    /// The line that says where the dashboard is.
    pub(crate) printed: String,
    /// Where it is, on this host.
    pub(crate) address: String,
}

/// What was answered: the first answer's status and head, and everything that followed.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header, whose name is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A whole request.
pub(crate) fn request(
    method: &str,
    path: &str,
    host: &str,
    headers: &[&str],
    body: &str,
) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for header in headers {
        text.push_str(&format!("{header}\r\n"));
    }
    if method == "POST" {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}")
}

impl Node {
    /// A node that waits for ever.
    pub(crate) fn start(flags: &[&str]) -> Node {
        Node::start_at("0", flags)
    }

    /// The same at an address, whose port is 0.
    pub(crate) fn start_at(address: &str, flags: &[&str]) -> Node {
        Node::with(&["+dashboard", address], "ok", flags)
    }

    /// A node that evaluates this.
    pub(crate) fn run(expression: &str, flags: &[&str]) -> Node {
        Node::with(&["+dashboard", "0"], expression, flags)
    }

    fn with(address: &[&str], expression: &str, flags: &[&str]) -> Node {
        let mut command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
        command
            .args(address)
            .args(flags)
            .args(["-noshell", "-eval", &format!("{expression}.")])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped());
        let mut running = Running::start(&mut command);
        let mut lines = BufReader::new(running.stderr.take().unwrap());
        let mut printed = String::new();
        lines.read_line(&mut printed).unwrap();
        // What else it prints is shown.
        thread::spawn(move || std::io::copy(&mut lines, &mut std::io::stderr()));
        let port = printed
            .split(['/', '#', ':'])
            .find_map(|part| part.parse::<u16>().ok())
            .unwrap_or_else(|| panic!("no port: {printed}"));
        Node {
            running,
            printed,
            address: format!("127.0.0.1:{port}"),
        }
    }

    /// Waits until it has evaluated what it was started with.
    pub(crate) fn ready(self) -> Node {
        let end = Instant::now() + Duration::from_secs(60);
        while self.get("/health/ready", &[]).status != 200 {
            assert!(Instant::now() < end, "the node does not become ready");
            thread::sleep(Duration::from_millis(50));
        }
        self
    }

    pub(crate) fn type_in(&mut self, text: &str) {
        let input = self.running.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn get(&self, path: &str, headers: &[&str]) -> Answer {
        self.send(&request("GET", path, &self.address, headers, ""))
    }

    /// Sends this and reads until the node closes the connection.
    pub(crate) fn send(&self, text: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // A request that is too long is answered before all of it is read.
        let _ = stream.write_all(text.as_bytes());
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let all = String::from_utf8_lossy(&all);
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let status = head
            .strip_prefix("HTTP/1.1 ")
            .and_then(|rest| rest.get(..3));
        Answer {
            status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn resident_bytes(&self) -> u64 {
        let path = format!("/proc/{}/statm", self.running.id());
        let text = std::fs::read_to_string(path).unwrap();
        let pages = text.split(' ').nth(1).unwrap();
        pages.parse::<u64>().unwrap() * 4096
    }
}

/// What a node shows at a path.
pub(crate) fn shown(node: &Node, path: &str) -> Value {
    let answer = node.get(&format!("/api/v1/{path}"), &[]);
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// As [`shown`], when something is so: the node begins while the tests ask.
pub(crate) fn shown_when(node: &Node, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let shown = shown(node, path);
        if is_so(&shown) {
            return shown;
        }
        assert!(Instant::now() < until, "{path}: {shown:#}");
        thread::sleep(Duration::from_millis(100));
    }
}

pub(crate) fn rows(shown: &Value) -> &[Value] {
    shown["rows"].as_array().expect("rows")
}

pub(crate) fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}
