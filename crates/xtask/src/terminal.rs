//! `cargo xtask terminal`: the shell in a real terminal, key by key, on ferl and on stock.
//!
//! Both machines get a window of tmux of the same size. After each step the screens must be equal, apart from
//! what changes from run to run (versions, pids); the first that are not end the session and are shown side by side.
//! Needs `tmux`, which is why it is a chore and no test of cargo's.

use crate::project;
use anyhow::{Context, Result, bail};
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

/// A screen that has not changed for so long is taken for final.
const SETTLED: Duration = Duration::from_millis(700);
const DEADLINE: Duration = Duration::from_secs(12);

#[derive(clap::Args)]
pub struct Options {
    /// The machine under test [default: target/release/ferl].
    #[arg(long, value_name = "PATH")]
    ferl: Option<PathBuf>,
    /// Only sessions whose name contains this.
    filter: Option<String>,
}

/// What a person does at the terminal.
struct Session {
    name: &'static str,
    arguments: &'static [&'static str],
    columns: u16,
    steps: &'static [Step],
}

enum Step {
    /// Text, typed as it is.
    Type(&'static str),
    /// Keys by tmux's names.
    Keys(&'static [&'static str]),
    /// The window gets so many columns.
    Resize(u16),
}

use Step::{Keys, Resize, Type};

const SESSIONS: &[Session] = &[
    Session {
        name: "editing",
        arguments: &[],
        columns: 80,
        steps: &[
            Type("X = 12.\r"),
            Type("abcdef"),
            Keys(&["Left", "Left", "Left"]),
            Type("XY"),
            Keys(&["BSpace", "C-d", "Home"]),
            Type("["),
            Keys(&["End"]),
            Type("]."),
            Keys(&["Enter"]),
            Keys(&["Up", "Up"]),
            Keys(&["C-a", "C-k"]),
            Type("lists:seq(1, 40).\r"),
            Keys(&["Up", "M-b", "M-b", "C-w", "C-y", "C-t"]),
            Keys(&["C-u"]),
            Type("lists:sub"),
            Keys(&["Tab", "Tab"]),
            Keys(&["C-u"]),
            Type("\"a\tb\".\r"),
            Type("1 +\r2\r.\r"),
            Keys(&["C-r"]),
            Type("seq"),
            Keys(&["Enter"]),
        ],
    },
    Session {
        name: "wide",
        arguments: &[],
        columns: 40,
        steps: &[
            Type("\"λäöü日本語ée\u{301}\".\r"),
            Type("{aaaaaaaaaa, bbbbbbbbbb, cccccccccc, dddddddddd, eeeeeeeeee}"),
            Keys(&["C-a"]),
            Type("{日本, "),
            Keys(&["C-e"]),
            Type("}."),
            Keys(&["Left", "Left", "BSpace", "BSpace", "Enter"]),
            Type("io:format(\"~ts~n\", [[955, 26085, 7, 27, 91, 49, 109, 66]]).\r"),
            Resize(60),
            Type("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            Keys(&["C-a", "C-d", "C-e", "BSpace"]),
            Keys(&["C-u"]),
            Type("io:columns().\r"),
        ],
    },
    Session {
        name: "jobs",
        arguments: &[],
        columns: 80,
        steps: &[
            Keys(&["C-g"]),
            Type("h\r"),
            Type("j\r"),
            Type("s\r"),
            Type("j\r"),
            Type("c\r"),
            Type("A = 1.\r"),
            Keys(&["C-g"]),
            Type("k 1\r"),
            Type("j\r"),
            Type("c 2\r"),
            Type("A.\r"),
            Type("timer:sleep(100000).\r"),
            Keys(&["C-g"]),
            Type("i\r"),
            Type("c\r"),
        ],
    },
    Session {
        name: "break",
        arguments: &[],
        columns: 80,
        steps: &[
            Type("1."),
            Keys(&["C-c"]),
            Type("x\r"),
            Type("c\r"),
            Keys(&["Enter"]),
            Keys(&["C-c"]),
            Type("a\r"),
        ],
    },
    Session {
        name: "break_tells",
        arguments: &[],
        columns: 80,
        steps: &[
            Keys(&["C-c"]),
            Type("v\r"),
            Type("X = 2.\r"),
            Keys(&["C-c"]),
            Type("\r"),
            Type("d\r"),
            Type("X.\r"),
            Keys(&["C-c"]),
            Type("m\r"),
            Keys(&["C-c"]),
            Type("q\r"),
        ],
    },
    Session {
        name: "break_twice",
        arguments: &[],
        columns: 80,
        steps: &[Keys(&["C-c"]), Keys(&["C-c"])],
    },
    Session {
        name: "break_default",
        arguments: &["+Bd"],
        columns: 80,
        steps: &[Type("1.\r"), Keys(&["C-c"])],
    },
    Session {
        name: "break_interrupts_shell",
        arguments: &["+Bc"],
        columns: 80,
        steps: &[Type("receive x -> y end.\r"), Keys(&["C-c"]), Type("1.\r")],
    },
    Session {
        name: "break_ignored",
        arguments: &["+Bi"],
        columns: 80,
        steps: &[Type("1."), Keys(&["C-c"]), Keys(&["Enter"])],
    },
    Session {
        name: "old_shell",
        arguments: &["-oldshell"],
        columns: 80,
        steps: &[Type("X = 1.\r"), Type("X + 1.\r"), Type("q().\r")],
    },
    Session {
        name: "no_input",
        arguments: &[
            "-noinput",
            "-eval",
            "io:format(\"here~n\"), timer:sleep(500), halt()",
        ],
        columns: 80,
        steps: &[Type("x\r")],
    },
    Session {
        name: "quit",
        arguments: &[],
        columns: 80,
        steps: &[
            Type("io:get_line(\"name? \").\r"),
            Type("me\r"),
            Type("q().\r"),
        ],
    },
];

pub fn run(options: &Options) -> Result<ExitCode> {
    let ferl = project::ferl(options.ferl.as_deref())?;
    let stock = project::stock("erl")?;
    let mut failed = 0;
    for session in SESSIONS {
        let wanted = options.filter.as_deref();
        if wanted.is_some_and(|part| !session.name.contains(part)) {
            continue;
        }
        match compare(session, &ferl, &stock)? {
            None => println!("passed {}", session.name),
            Some(difference) => {
                failed += 1;
                println!("FAILED {}: {difference}", session.name);
            }
        }
    }
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// The first step after which the screens differ, and how.
fn compare(session: &Session, ferl: &Path, stock: &Path) -> Result<Option<String>> {
    let ours = Window::open("ferl", ferl, session)?;
    let theirs = Window::open("stock", stock, session)?;
    for (number, step) in std::iter::once(None)
        .chain(session.steps.iter().map(Some))
        .enumerate()
    {
        if let Some(step) = step {
            // A window that is closed takes no keys, and says so below.
            let _ = (theirs.perform(step), ours.perform(step));
        }
        let expected = theirs.screen(None)?;
        let found = ours.screen(Some(&expected))?;
        if expected != found {
            let diff = TextDiff::from_lines(&expected, &found);
            let diff = diff.unified_diff().header("stock", "ferl").to_string();
            return Ok(Some(format!("after step {number}\n{diff}")));
        }
    }
    Ok(None)
}

/// A window with one machine; closed when dropped.
struct Window {
    server: String,
}

impl Window {
    fn open(label: &str, machine: &Path, session: &Session) -> Result<Window> {
        let server = format!("{label}-{}-{}", session.name, std::process::id());
        let window = Window { server };
        let quoted: Vec<String> = session
            .arguments
            .iter()
            .map(|argument| format!("'{}'", argument.replace('\'', "'\\''")))
            .collect();
        // The shell behind it shows how the machine ended, and that the terminal is as it was.
        let command = format!(
            "cd /; HOME=/nowhere {} {}; echo status $?; stty -a | tr ' ' '\\n' | grep -E '^-?(icanon|echo|isig|opost|icrnl)'; sleep 60",
            machine.display(),
            quoted.join(" ")
        );
        window.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &session.columns.to_string(),
            "-y",
            "30",
            &command,
        ])?;
        Ok(window)
    }

    fn tmux(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new("tmux")
            .args(["-u", "-L", &self.server])
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .output()
            .context("tmux cannot be started")?;
        if !output.status.success() {
            bail!("tmux: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn perform(&self, step: &Step) -> Result<()> {
        match step {
            Type(text) => self.tmux(&["send-keys", "-l", text])?,
            Keys(keys) => {
                let mut arguments = vec!["send-keys"];
                arguments.extend_from_slice(keys);
                self.tmux(&arguments)?
            }
            Resize(columns) => {
                self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", "30"])?
            }
        };
        Ok(())
    }

    /// The screen once it shows what is expected, or nothing new for a while.
    fn screen(&self, expected: Option<&str>) -> Result<String> {
        let start = Instant::now();
        let mut last = String::new();
        let mut since = Instant::now();
        loop {
            let shown = self.tmux(&["capture-pane", "-p"]);
            let cursor = self.tmux(&["display-message", "-p", "#{cursor_x},#{cursor_y}"]);
            let (Ok(shown), Ok(cursor)) = (shown, cursor) else {
                // Ctrl-C ended the machine and the shell behind it.
                return Ok("the window is closed\n".to_owned());
            };
            let text = plain(&shown);
            let now = format!("{text}cursor {cursor}");
            if expected == Some(now.as_str()) || start.elapsed() > DEADLINE {
                return Ok(now);
            }
            if now != last {
                last = now;
                since = Instant::now();
            } else if !text.trim().is_empty()
                && since.elapsed() > SETTLED * (1 + u32::from(expected.is_some()) * 3)
            {
                return Ok(last);
            }
            thread::sleep(Duration::from_millis(40));
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

/// A screen without what changes from run to run: the banner's details, and numbers of pids and ports.
fn plain(screen: &str) -> String {
    let mut text = String::new();
    let mut is_banner = screen.lines().any(|line| line.starts_with("Eshell"));
    for line in screen.lines() {
        // The banner may go over several lines, the first of which may have left the screen; each is kept as an empty one.
        is_banner &= !line.starts_with("Eshell");
        if is_banner {
            text.push('\n');
            continue;
        }
        let mut rest = line;
        while let Some(start) = rest.find("<0.")
            && let Some(end) = rest[start..].find('>')
        {
            text.push_str(&rest[..start]);
            text.push_str("<pid>");
            rest = &rest[start + end + 1..];
        }
        text.push_str(rest);
        text.push('\n');
    }
    text
}
