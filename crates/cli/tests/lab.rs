//! `ferl lab` as users run it, with shell scripts as machines: its behaviour with good and bad machines and with bad
//! arguments; and its page in a browser, if there is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A script that prints every figure that an experiment may look for.
const GOOD: &str = "echo 'timed: 120000'; echo '1 in 2 us, 5000 messages/s'; echo 'compute: 900 us'\n\
                    case \"$*\" in *start_proc*) exec sleep 5;; esac";

/// A folder with two machines in it, removed when dropped.
struct Bench(PathBuf);

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = std::env::temp_dir().join(format!("ferl-lab-{name}-{}", std::process::id()));
        let bench = Bench(folder);
        fs::create_dir_all(bench.0.join("otp/bin")).unwrap();
        // A compiler that creates the expected files.
        bench.script(
            "otp/bin/erlc",
            "for f in \"$@\"; do : > \"${f%.erl}.beam\"; done",
        );
        bench
    }

    fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.0.join(name);
        stock::write_program(&path, format!("#!/bin/sh\n{body}\n"));
        path
    }

    /// A machine that reports its version, and otherwise runs `body`.
    fn machine(&self, name: &str, body: &str) -> PathBuf {
        let root = self.0.join("otp");
        let root = root.display();
        self.script(
            name,
            &format!("case \"$*\" in *'lab|'*) echo 'lab|25|13.1.5|script|{root}|'; exit 0;; esac\n{body}"),
        )
    }

    fn lab(&self, ferl: &Path, other: &Path, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_ferl"))
            .arg("lab")
            .args(arguments)
            .arg("--ferl")
            .arg(ferl)
            .arg("--against")
            .arg(other)
            .env("XDG_CACHE_HOME", self.0.join("cache"))
            .output()
            .unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn two_machines_are_compared() {
    let bench = Bench::new("compared");
    let fast = bench.machine("fast", "echo 'us, 5000 messages/s'");
    let slow = bench.machine("slow", "echo 'us, 2500 messages/s'");
    let json = bench.0.join("found.json");
    let markdown = bench.0.join("found.md");
    let done = bench.lab(
        &fast,
        &slow,
        &[
            "E5/oneway",
            "--runs",
            "3",
            "--json",
            json.to_str().unwrap(),
            "--markdown",
            markdown.to_str().unwrap(),
        ],
    );
    let said = text(&done);
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(
        said.contains("2.00 (2.00-2.00)") && said.contains("better 2 times"),
        "{said}"
    );
    let found = fs::read_to_string(&json).unwrap();
    assert!(
        found.contains("\"better\": 2") || found.contains("\"verdict\": \"better\""),
        "{found}"
    );
    let summary = fs::read_to_string(&markdown).unwrap();
    assert!(
        summary.contains("| oneway, SMP on, 1M | rate | /s | 5,000 | 2,500 |"),
        "{summary}"
    );
    // The written results can be shown again.
    let shown = Command::new(env!("CARGO_BIN_EXE_ferl"))
        .args(["lab", "--from"])
        .arg(&json)
        .output()
        .unwrap();
    assert!(
        text(&shown).contains("2.00 (2.00-2.00)"),
        "{}",
        text(&shown)
    );
}

#[test]
fn bad_machines_are_told_of_and_bounded() {
    for (name, body, reason) in [
        (
            "crash",
            "echo 'no such luck' >&2; exit 3",
            "exit status 3: no such luck",
        ),
        ("hang", "sleep 100", "timed out after 1 s"),
        (
            "silent",
            "echo nothing to see",
            "no figure in its output: nothing to see",
        ),
        ("killed", "kill -9 $$", "killed by signal 9"),
        // `tail` buffers a line that never ends.
        ("hog", "exec tail /dev/zero", "MB of memory"),
    ] {
        let bench = Bench::new(name);
        let bad = bench.machine("bad", body);
        let good = bench.machine("good", GOOD);
        let bounds = [
            "pingpong",
            "--runs",
            "2",
            "--timeout",
            "1",
            "--memory",
            "150",
        ];
        let done = bench.lab(&bad, &good, &bounds);
        let said = text(&done);
        assert_eq!(done.status.code(), Some(1), "{name}: {said}");
        assert!(
            said.contains(reason) || (name == "hog" && said.contains("timed out")),
            "{name}: {said}"
        );
        assert!(
            said.contains("5,000"),
            "{name}: the other machine has its figure: {said}"
        );
    }
}

#[test]
fn bad_wishes_are_problems_and_the_rest_is_done() {
    let bench = Bench::new("wishes");
    let good = bench.machine("good", GOOD);
    let missing = bench.0.join("missing");
    let nowhere = "/nowhere/at/all.html";
    let done = bench.lab(
        &good,
        &good,
        &["oneway", "nonsense", "--runs", "1", "--report", nowhere],
    );
    let said = text(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    for part in [
        "no experiment is called nonsense",
        "/nowhere/at/all.html cannot be written",
        "5,000",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let done = bench.lab(&missing, &good, &["oneway"]);
    assert_eq!(done.status.code(), Some(2), "{}", text(&done));
    let done = bench.lab(&good, &good, &["--runs", "0"]);
    assert_eq!(done.status.code(), Some(2), "{}", text(&done));
}

#[test]
fn nothing_is_measured_where_nothing_would_come_of_it() {
    let bench = Bench::new("stopped");
    let good = bench.machine("good", GOOD);
    let stops = |other: &Path, arguments: &[&str], parts: &[&str]| {
        let done = bench.lab(&good, other, arguments);
        let said = text(&done);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(!said.contains("5,000") && !said.contains("Runs"), "{said}");
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    };
    let gone = bench.0.join("gone");
    stops(
        &gone,
        &["oneway"],
        &["--against", "no other Erlang", "gone was not found"],
    );
    let dead = bench.script("dead", "echo 'not today' >&2; exit 1");
    stops(
        &dead,
        &["oneway"],
        &["--against", "does not start", "not today"],
    );
    stops(
        &good,
        &["E9"],
        &["no experiment is called E9", "E1, E2", "--list"],
    );
}

#[test]
fn a_service_is_started_measured_and_ended() {
    let bench = Bench::new("service");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/two_sends.erl");
    let compiled = Command::new("erlc")
        .arg("-o")
        .arg(&bench.0)
        .arg(source)
        .status();
    assert!(compiled.unwrap().success());
    let service = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_ferl"))
            .args(["lab", "--service"])
            .arg(&bench.0)
            .args(words)
            .arg("--")
            .arg(env!("CARGO_BIN_EXE_ferl"))
            .args(["+S", "1"])
            .current_dir(&bench.0)
            .output()
            .unwrap()
    };
    let done = service(&["light", "two_sends", "5"]);
    let said = text(&done);
    assert_eq!(done.status.code(), Some(0), "{said}");
    for figure in ["processor: ", "kernel: ", "p50: ", "p99: "] {
        let number = said.lines().find_map(|line| line.strip_prefix(figure));
        assert!(
            number.is_some_and(|number| number.parse::<f64>().is_ok()),
            "{figure}{said}"
        );
    }
    // A program that ends too early shows what it said.
    let done = service(&["light", "churn", "74"]);
    let said = text(&done);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the program has ended") && said.contains("light_churn"),
        "{said}"
    );
}

#[test]
fn the_page_is_drawn_in_a_browser() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names
        .iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
    else {
        eprintln!("not looked at in a browser: there is no Chromium");
        return;
    };
    let bench = Bench::new("page");
    let good = bench.machine("good", GOOD);
    let bad = bench.machine(
        "bad",
        &format!("case \"$*\" in *oneway*) exit 3;; esac\n{GOOD}"),
    );
    let page = bench.0.join("page.html");
    let rows = ["E1/start", "E2/load", "E5", "fan_in", "compute/fib"];
    let options = ["--runs", "1", "--report", page.to_str().unwrap()];
    let done = bench.lab(&good, &bad, &[&rows[..], &options].concat());
    assert_eq!(done.status.code(), Some(1), "{}", text(&done));
    let html = fs::read_to_string(&page).unwrap();
    assert!(!html.contains("<script"), "the page needs no script");
    let drawn = html.matches("<figure class=\"plot\">").count();
    assert!(drawn >= 7, "{drawn} plots");

    // A copy of the page with a script checks how the browser shows each plot, so that the real page needs no script.
    let probe = "<script>addEventListener('load', () => {
        const plots = [...document.querySelectorAll('figure.plot')].map(figure => {
            const shown = [...figure.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().width > 100);
            const marks = shown.length == 1 ? shown[0].querySelectorAll('polyline,circle,rect,polygon,line').length : 0;
            return marks > 2 ? 'drawn' : 'empty';
        });
        const wide = document.documentElement.scrollWidth > innerWidth ? 'overflows' : 'fits';
        document.title = 'PROBE ' + wide + ' ' + plots.join(' ') + ' END';
    });</script></body>";
    let probed = bench.0.join("probe.html");
    fs::write(&probed, html.replace("</body>", probe)).unwrap();
    for size in ["--window-size=1300,900", "--window-size=390,900"] {
        let seen = Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-logging=stderr",
                "--v=0",
            ])
            .args([size, "--dump-dom"])
            .arg(format!(
                "--user-data-dir={}",
                bench.0.join("browser").display()
            ))
            .arg(format!("file://{}", probed.display()))
            .output()
            .unwrap();
        let dom = String::from_utf8_lossy(&seen.stdout);
        let answer = dom
            .split_once("<title>PROBE ")
            .and_then(|(_, rest)| rest.split_once(" END"))
            .unwrap_or_else(|| panic!("{size}: no answer from the page: {}", text(&seen)))
            .0;
        let plots = vec!["drawn"; drawn].join(" ");
        assert_eq!(answer, format!("fits {plots}"), "{size}");
        let log = String::from_utf8_lossy(&seen.stderr);
        assert!(!log.contains("CONSOLE"), "{size}: {log}");
    }
}
