//! The dashboard's server of a real node: who may ask, what is refused, and that nobody can hold it up. With OTP 25.

#[allow(dead_code, reason = "other tests use all of it")]
mod dashboard {
    pub(crate) mod client;
}

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use dashboard::client::{Node, request};

/// Far more than an answer takes: hosts are busy.
const IN_TIME: Duration = Duration::from_secs(2);

#[test]
fn the_page_and_the_node_are_shown_with_headers_that_protect() {
    let node = Node::start(&[]);
    for path in [
        "/",
        "/js/main.js",
        "/window.css",
        "/api/v1/node",
        "/health/live",
    ] {
        let answer = node.get(path, &[]);
        assert_eq!(answer.status, 200, "{path}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self';",
            "x-content-type-options: nosniff",
            "x-frame-options: DENY",
            "cache-control: no-store",
        ] {
            assert!(answer.head.contains(header), "{path}: {}", answer.head);
        }
    }
    let answer = node.get("/api/v1/node", &[]);
    assert!(
        answer
            .body
            .contains("\"name\":\"nonode@nohost\",\"release\":\"25\"")
    );
    assert_eq!(node.get("/api/v1/nothing", &[]).status, 404);
    assert_eq!(node.get("/../etc/passwd", &[]).status, 404);
    assert_eq!(
        node.get(&format!("/{}", "x".repeat(20_000)), &[]).status,
        431
    );
}

#[test]
fn other_names_and_other_pages_are_refused() {
    let node = Node::start(&["+dashboard_hosts", "ops.example, b.example"]);
    let with_host = |host: &str| {
        let text =
            format!("GET /api/v1/node HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        node.send(&text).status
    };
    for own in [
        "localhost",
        "127.0.0.1:1",
        "[::1]",
        "OPS.example:443",
        "b.example",
    ] {
        assert_eq!(with_host(own), 200, "{own}");
    }
    for other in [
        "evil.example",
        "ops.example.evil.example",
        "127.0.0.1.evil.example",
        "a@localhost",
        "",
    ] {
        assert_eq!(with_host(other), 421, "{other}");
    }
    let own_page = format!("Origin: http://{}", node.address);
    for (header, status) in [
        (own_page.as_str(), 200),
        ("Sec-Fetch-Site: same-origin", 200),
        ("Sec-Fetch-Site: none", 200),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Sec-Fetch-Site: cross-site", 403),
    ] {
        assert_eq!(
            node.get("/api/v1/node", &[header]).status,
            status,
            "{header}"
        );
    }
    // The health of a node is nobody's secret.
    let probe = "GET /health/live HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n";
    assert_eq!(node.send(probe).status, 200);
}

#[test]
fn without_the_token_nothing_is_shown() {
    let token = "0123456789abcdefghij";
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dashboard_token");
    std::fs::write(&path, format!("{token}\n")).unwrap();
    let node = Node::start(&["+dashboard_token_file", path.to_str().unwrap()]);
    assert!(!node.printed.contains(token), "{}", node.printed);
    let bearer = format!("Authorization: Bearer {token}");
    let wrong = format!("Authorization: Bearer {token}x");
    for (headers, status) in [
        (&[][..], 401),
        (&[wrong.as_str()], 401),
        (&["Authorization: Basic Zm9vOmJhcg=="], 401),
        (&[bearer.as_str()], 200),
        (&[bearer.as_str(), "Sec-Fetch-Site: cross-site"], 200),
    ] {
        assert_eq!(
            node.get("/api/v1/node", headers).status,
            status,
            "{headers:?}"
        );
    }
    assert_eq!(node.get("/health/live", &[]).status, 200);
    assert_eq!(node.get("/", &[]).status, 200);
    let own_page = format!("Origin: http://{}", node.address);
    let login = |token: &str, header: &str| {
        let body = format!("token={token}");
        node.send(&request("POST", "/login", &node.address, &[header], &body))
    };
    assert_eq!(login("something else", &own_page).status, 401);
    assert_eq!(login(token, "Origin: http://evil.example").status, 403);
    assert_eq!(login(token, "Accept: */*").status, 403);
    assert_eq!(login(&"x".repeat(5000), &own_page).status, 413);
    let answer = login(token, &own_page);
    assert_eq!(answer.status, 204);
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    assert!(!cookie.contains(token));
    let pair = format!("Cookie: {}", cookie.split(';').next().unwrap());
    assert_eq!(node.get("/api/v1/node", &[&pair]).status, 200);
    assert_eq!(
        node.get("/api/v1/node", &[&pair, "Origin: http://evil.example"])
            .status,
        403
    );
}

/// A random token is printed once, where it is needed.
#[test]
fn an_address_for_others_has_a_token() {
    let node = Node::start_at("0.0.0.0:0", &[]);
    let (_, token) = node
        .printed
        .trim_end()
        .split_once("#token=")
        .expect("a token");
    assert_eq!(token.len(), 48);
    assert_eq!(node.get("/api/v1/node", &[]).status, 401);
    let bearer = format!("Authorization: Bearer {token}");
    assert_eq!(node.get("/api/v1/node", &[&bearer]).status, 200);
}

/// Requests of which two readers could think differently where they end: each gets one answer, which refuses it, and
/// the connection is closed.
#[test]
fn requests_that_could_be_smuggled_are_refused() {
    let node = Node::start(&[]);
    let live = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
    for (name, text) in [
        (
            "both lengths",
            "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
        (
            "chunks",
            "POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
        (
            "strange coding",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n",
        ),
        (
            "hidden coding",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n",
        ),
        (
            "two lengths",
            "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\n",
        ),
        (
            "a signed length",
            "POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\n",
        ),
        (
            "a length of nothing",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n",
        ),
        ("line feeds", "GET /health/live HTTP/1.1\nHost: a\n\n"),
        (
            "one line feed",
            "GET /health/live HTTP/1.1\r\nHost: a\nA: b\r\n\r\n",
        ),
        (
            "folded",
            "GET /health/live HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n",
        ),
        (
            "a zero",
            "GET /health/live HTTP/1.1\r\nHost: a\r\nA: \0\r\n\r\n",
        ),
        ("no host", "GET / HTTP/1.1\r\n\r\n"),
        (
            "two hosts",
            "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        ),
        (
            "whole address",
            "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ),
        (
            "tunnel",
            "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n",
        ),
        ("two spaces", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("garbage", "\x16\x03\x01\x02\r\n\r\n"),
    ] {
        let answer = node.send(&format!("{text}{live}"));
        assert!(
            (400..=405).contains(&answer.status),
            "{name}: {}",
            answer.head
        );
        assert!(!answer.body.contains("HTTP/1.1"), "{name}: {}", answer.body);
    }
    let many: String = (0..100).map(|number| format!("A{number}: b\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n");
    assert_eq!(node.send(&many).status, 431);
}

#[test]
fn thousands_of_connections_keep_nobody_out() {
    let node = Node::start(&[]).ready();
    node.get("/", &[]);
    let before = node.resident_bytes();
    let mut held = Vec::new();
    for number in 0..3_000 {
        let Ok(mut stream) = TcpStream::connect(&node.address) else {
            continue;
        };
        // Some say nothing, some begin a request.
        if number % 2 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: loc");
        }
        held.push(stream);
        // Those that were given up need not be held.
        if held.len() > 400 {
            held.remove(0);
        }
        if number % 500 == 499 {
            let asked = Instant::now();
            assert_eq!(node.get("/api/v1/node", &[]).status, 200);
            assert!(asked.elapsed() < IN_TIME, "{:?}", asked.elapsed());
        }
    }
    let grown = node.resident_bytes().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown}");
}

#[test]
fn who_is_slow_is_not_waited_for() {
    let node = Node::start(&[]).ready();
    // One that never ends its request, one that asks nothing, and one that never reads what it asks for again and
    // again.
    let mut slow = TcpStream::connect(&node.address).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        .unwrap();
    let silent = TcpStream::connect(&node.address).unwrap();
    let mut deaf = TcpStream::connect(&node.address).unwrap();
    let before = node.resident_bytes();
    deaf.set_write_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    let asked = "GET /api/v1/node HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    let mut sent = 0;
    while sent < 64 << 20 && deaf.write_all(asked.as_bytes()).is_ok() {
        sent += asked.len();
    }
    assert!(sent < 64 << 20, "everything was read");
    let grown = node.resident_bytes().saturating_sub(before);
    assert!(grown < 16 << 20, "{grown}");
    for mut stream in [slow, silent] {
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut rest = Vec::new();
        // It is closed, with or without an answer that says why.
        let _ = stream.read_to_end(&mut rest);
        let rest = String::from_utf8_lossy(&rest);
        assert!(
            rest.is_empty() || rest.starts_with("HTTP/1.1 408"),
            "{rest}"
        );
    }
    let end = Instant::now() + Duration::from_secs(60);
    while deaf.write_all(asked.as_bytes()).is_ok() || !is_closed(&deaf) {
        assert!(
            Instant::now() < end,
            "who does not read keeps the connection"
        );
        thread::sleep(Duration::from_millis(200));
    }
}

/// Whether the other side has ended the connection, so that writing to it fails for another reason than time.
fn is_closed(stream: &TcpStream) -> bool {
    let mut stream = stream;
    let failed = stream.write(b"x").err().map(|error| error.kind());
    !matches!(
        failed,
        None | Some(std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
    )
}

/// Every scheduler runs processes of the highest priority that never wait, so no other process ever runs.
#[test]
fn a_node_that_does_nothing_else_any_more_is_seen() {
    let node = Node::run(
        "Spin = fun Spin(N) -> Spin(N + 1) end, \
         [erlang:spawn_opt(fun() -> Spin(0) end, [{priority, max}]) || _ <- lists:seq(1, 8)]",
        &["+S", "2", "+SDcpu", "1"],
    );
    thread::sleep(Duration::from_secs(1));
    let mut slowest = Duration::ZERO;
    for path in ["/health/live", "/api/v1/node", "/"].repeat(10) {
        let asked = Instant::now();
        assert_eq!(node.get(path, &[]).status, 200, "{path}");
        slowest = slowest.max(asked.elapsed());
    }
    println!("the slowest answer took {slowest:?}");
    assert!(slowest < IN_TIME, "{slowest:?}");
}

#[test]
fn readiness_is_that_of_init_and_of_programs() {
    // What `-eval` names is run while the node starts.
    let node = Node::run(
        "file:read(standard_io, 1), \
         spawn(fun() -> \
             file:read(standard_io, 1), erlang:system_flag({ferl, ready}, false), \
             file:read(standard_io, 1), erlang:system_flag({ferl, ready}, true), \
             receive after infinity -> ok end \
         end)",
        &[],
    );
    let mut node = node;
    let is_ready = |node: &Node| node.get("/health/ready", &[]).status;
    let becomes = |node: &Node, status: u16| {
        let end = Instant::now() + Duration::from_secs(30);
        while is_ready(node) != status {
            assert!(Instant::now() < end, "it does not become {status}");
            thread::sleep(Duration::from_millis(50));
        }
    };
    assert_eq!(is_ready(&node), 503);
    for status in [200, 503, 200] {
        node.type_in("x");
        becomes(&node, status);
    }
}

#[test]
fn programs_open_and_close_it() {
    let output = Command::new("sh")
        .args(["-c", "exec \"$0\" \"$@\" 2>&1"])
        .arg(env!("CARGO_BIN_EXE_ferl"))
        .envs(stock::otp().environment())
        .args(["-noshell", "-eval"])
        .arg(
            "Set = fun(Where) -> catch erlang:system_flag({ferl, dashboard}, Where) end, \
             io:format(\"~p~n\", [Set(false)]), \
             {ok, Url} = Set(true), {ok, Url} = Set(true), \
             [_, _, Port] = string:lexemes(Url, \":/\"), \
             {ok, Socket} = gen_tcp:listen(0, []), {ok, Used} = inet:port(Socket), \
             io:format(\"~p~n\", [Set(Used)]), \
             {ok, _} = gen_tcp:connect({127,0,0,1}, binary_to_integer(Port), []), \
             {ok, Other} = Set(\"127.0.0.2:0\"), \
             io:format(\"~p~n\", [Other =/= Url]), \
             io:format(\"~p~n\", [gen_tcp:connect({127,0,0,1}, binary_to_integer(Port), [])]), \
             io:format(\"~p~n\", [[element(1, element(2, Set(Bad))) || Bad <- [-1, 65536, foo, \"x\", {1}, []]]]), \
             io:format(\"~p~n\", [Set(\"9.9.9.9:0\")]), \
             io:format(\"~p~n\", [Set(false)]), \
             halt().",
        )
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "false\n{error,eaddrinuse}\ntrue\n{error,econnrefused}\n\
         [badarg,badarg,badarg,badarg,badarg,badarg]\n{error,eaddrnotavail}\nfalse\n"
    );
}

#[test]
fn a_node_does_not_start_where_its_dashboard_cannot() {
    let held = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = held.local_addr().unwrap().port().to_string();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let short = folder.join("short_token");
    std::fs::write(&short, "short").unwrap();
    for (flags, line) in [
        (
            &["+dashboard", taken.as_str()][..],
            format!("ferl: the dashboard cannot listen at 127.0.0.1:{taken}: Address already in use: choose another port"),
        ),
        (
            &["+dashboard", "9.9.9.9:8080"],
            "ferl: the dashboard cannot listen at 9.9.9.9:8080: Cannot assign requested address: this host has no".to_owned(),
        ),
        (
            &["+dashboard", "0", "+dashboard_token_file", "/nowhere/token"],
            "ferl: the dashboard has no token: /nowhere/token: No such file".to_owned(),
        ),
        (
            &["+dashboard", "0", "+dashboard_token_file", short.to_str().unwrap()],
            format!("ferl: the dashboard has no token: {}: a token has 16 to 512", short.display()),
        ),
        (&["+dashboard", "8080x"], "bad +dashboard address 8080x: it is PORT or ADDRESS:PORT".to_owned()),
        (&["+dashboard_control", "yes"], "bad +dashboard_control flag yes".to_owned()),
    ] {
        let output = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"))
            .args(flags)
            .args(["-noshell", "-eval", "halt()."])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.starts_with(&line), "{flags:?}: {said}");
    }
}

/// Names that would be something else in a page, or that no terminal shows, stay what they are: texts in JSON.
#[test]
fn names_of_any_kind_are_texts() {
    let node = Node::run(
        "Names = ['<script>alert(1)</script>', '\"&\\'', 'a\\n\\0\\e[31mb', \
             list_to_atom(lists:duplicate(255, 16#1F600))], \
         [register(Name, spawn(fun() -> receive stop -> ok end end)) || Name <- Names]",
        &[],
    )
    .ready();
    for (filter, name) in [
        ("script", "'<script>alert(1)</script>'"),
        ("%22%26", r#"'\"&\\''"#),
        ("31mb", r"'a\\n\\000\\033[31mb'"),
        ("%F0%9F%98%80", "😀😀😀"),
    ] {
        let answer = node.get(&format!("/api/v1/processes?filter={filter}"), &[]);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.body.contains(name), "{filter}: {}", answer.body);
        assert!(
            answer.body.contains("\"matched\":1,"),
            "{filter}: {}",
            answer.body
        );
    }
    let name = "%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    assert_eq!(
        node.get(&format!("/api/v1/process/{name}"), &[]).status,
        200
    );
    for gone in ["%3C0.99999.0%3E", "nobody", "%FF", "%3C0.1.2.3%3E", "%00"] {
        let answer = node.get(&format!("/api/v1/process/{gone}"), &[]);
        assert_eq!(answer.status, 404, "{gone}: {}", answer.body);
    }
    for wrong in ["sort=x", "rows=0", "rows=100000", "order=up", "group=x"] {
        let answer = node.get(&format!("/api/v1/processes?{wrong}"), &[]);
        assert_eq!(answer.status, 400, "{wrong}: {}", answer.body);
    }
}

#[test]
fn processes_are_ended_only_by_who_may() {
    let start = "register(victim, spawn(fun() -> receive stop -> ok end end))";
    let kill = "/api/v1/process/victim/kill";
    let plain = Node::run(start, &[]).ready();
    let own_page = format!("Origin: http://{}", plain.address);
    let post = |node: &Node, path: &str, headers: &[&str]| {
        node.send(&request("POST", path, &node.address, headers, ""))
            .status
    };
    assert_eq!(post(&plain, kill, &[&own_page]), 403);
    assert_eq!(plain.get(kill, &[]).status, 405);
    let node = Node::run(start, &["+dashboard_control", "true"]).ready();
    let (_, token) = node
        .printed
        .trim_end()
        .split_once("#token=")
        .expect("a token");
    let bearer = format!("Authorization: Bearer {token}");
    let own_page = format!("Origin: http://{}", node.address);
    assert_eq!(post(&node, kill, &[&own_page]), 401);
    let body = format!("token={token}");
    let login = node.send(&request(
        "POST",
        "/login",
        &node.address,
        &[&own_page],
        &body,
    ));
    let cookie = login.header("set-cookie").expect("a cookie");
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
    // A browser that says nothing of the page that asks could be a tricked one.
    assert_eq!(post(&node, kill, &[&cookie]), 403);
    assert_eq!(
        post(&node, kill, &[&cookie, "Origin: http://evil.example"]),
        403
    );
    let is_there = |name: &str| {
        node.get(&format!("/api/v1/process/{name}"), &[&bearer])
            .status
            == 200
    };
    assert!(is_there("victim"));
    assert_eq!(
        post(
            &node,
            "/api/v1/process/victim/collect",
            &[&cookie, &own_page]
        ),
        204
    );
    assert!(is_there("victim"));
    assert_eq!(post(&node, kill, &[&cookie, &own_page]), 204);
    let end = Instant::now() + Duration::from_secs(30);
    while is_there("victim") {
        assert!(Instant::now() < end, "it was not killed");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(post(&node, kill, &[&bearer]), 404);
    assert_eq!(post(&node, "/api/v1/process/init/collect", &[&bearer]), 204);
}
