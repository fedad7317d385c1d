//! A session: the actions of a person at the terminal, read from a file under `tests/terminal`.
//!
//! Lines hold steps: texts in double quotes, typed as they are (`\r`, `\t`, `\e`, `\"`, `\\`, `\u{301}` are known), and
//! keys by tmux's names (`Enter`, `C-a`, `M-b`). `resize 60x30` changes the window, `kill HUP` signals the machine.
//! Lines that begin with `%%` come first and declare how the machine is started:
//!
//! - `args:` its arguments, as a shell reads them
//! - `command:` the whole line for a shell, in which `$ERL` is the machine
//! - `env:` more of the environment, as `NAME=value`
//! - `size:` of the window, 80x30 unless told
//! - `needs:` programs that may be missing; without them the session is left out, which is reported
//! - `releases:` the releases of OTP that it is for, if it is not for all
//!
//! Other lines that begin with `%` are comments.

use anyhow::{Context, Result, bail};
use std::env;
use std::fmt;
use std::fs;
use std::path::Path;

/// A session as its file describes it.
pub(super) struct Session {
    pub name: String,
    /// The command line that starts the machine, for a shell.
    pub command: String,
    pub environment: Vec<String>,
    pub size: Size,
    pub needs: Vec<String>,
    /// The releases that it is for; none for all.
    pub releases: Vec<u8>,
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub columns: u16,
    pub rows: u16,
}

/// One action; the screens are compared after each. There is only one at a time because a key that arrives while the
/// shell still handles the one before has an effect that depends on timing, on both machines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Text, typed as it is.
    Type(String),
    /// A key by tmux's name.
    Key(String),
    Resize(Size),
    /// The name of a signal for the machine.
    Kill(String),
}

/// The sessions of a folder, by name.
pub(super) fn discover(folder: &Path) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "keys")
        {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = fs::read_to_string(&path)?;
            let session = parse(&name, &text).with_context(|| path.display().to_string())?;
            sessions.push(session);
        }
    }
    sessions.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(sessions)
}

fn parse(name: &str, text: &str) -> Result<Session> {
    let mut session = Session {
        name: name.to_owned(),
        command: "$ERL".to_owned(),
        environment: Vec::new(),
        size: parse_size("80x30")?,
        needs: Vec::new(),
        releases: Vec::new(),
        steps: Vec::new(),
    };
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let parsed = if let Some(declaration) = line.strip_prefix("%%") {
            declare(&mut session, declaration.trim())
        } else if line.is_empty() || line.starts_with('%') {
            Ok(())
        } else {
            parse_steps(line).map(|steps| session.steps.extend(steps))
        };
        parsed.with_context(|| format!("line {}: {line}", index + 1))?;
    }
    Ok(session)
}

fn declare(session: &mut Session, declaration: &str) -> Result<()> {
    let (key, value) = declaration.split_once(':').context("no colon")?;
    let value = value.trim();
    match key {
        "args" => session.command = format!("$ERL {value}"),
        "command" => session.command = value.to_owned(),
        "env" => session.environment.push(value.to_owned()),
        "size" => session.size = parse_size(value)?,
        "releases" => {
            let numbers = value.split_whitespace().map(str::parse);
            session.releases = numbers.collect::<Result<_, _>>().context("releases")?;
        }
        "needs" => session.needs = value.split_whitespace().map(str::to_owned).collect(),
        _ => bail!("nothing is called {key}"),
    }
    Ok(())
}

fn parse_size(text: &str) -> Result<Size> {
    let (columns, rows) = text.split_once('x').context("a size is such as 80x30")?;
    Ok(Size {
        columns: columns.parse()?,
        rows: rows.parse()?,
    })
}

fn parse_steps(line: &str) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('"') {
            let (text, after) = unquote(quoted)?;
            steps.push(Step::Type(text));
            rest = after.trim_start();
            continue;
        }
        let (word, after) = next_word(rest);
        rest = after;
        steps.push(match word {
            "resize" | "kill" => {
                let (value, after) = next_word(rest);
                rest = after;
                match word {
                    "resize" => Step::Resize(parse_size(value)?),
                    _ => Step::Kill(value.to_owned()),
                }
            }
            key => Step::Key(key.to_owned()),
        });
    }
    Ok(steps)
}

fn next_word(text: &str) -> (&str, &str) {
    let end = text.find(' ').unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// The text up to the closing quote, and what follows it.
fn unquote(quoted: &str) -> Result<(String, &str)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((text, &quoted[at + 1..])),
            '\\' => match characters.next().map(|(_, escaped)| escaped) {
                Some('r') => text.push('\r'),
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('e') => text.push('\x1b'),
                Some(same @ ('"' | '\\')) => text.push(same),
                Some('u') => {
                    let rest = characters.as_str().strip_prefix('{').context("\\u{...}")?;
                    let (digits, _) = rest.split_once('}').context("\\u{...}")?;
                    let number = u32::from_str_radix(digits, 16)?;
                    text.push(char::from_u32(number).context("no character")?);
                    characters.nth(digits.len() + 1);
                }
                _ => bail!("an escape that is not known"),
            },
            other => text.push(other),
        }
    }
    bail!("no closing quote")
}

impl Session {
    /// The first program that it needs and that is not in PATH.
    pub(super) fn missing(&self) -> Option<&str> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = env::split_paths(&path).collect();
        let is_missing = |name: &&String| !folders.iter().any(|f| f.join(name.as_str()).is_file());
        self.needs.iter().find(is_missing).map(String::as_str)
    }
}

impl Step {
    /// The same in steps of one key each.
    pub(super) fn every_key(self) -> Vec<Step> {
        match self {
            Step::Type(text) => text.chars().map(|c| Step::Type(c.to_string())).collect(),
            other => vec![other],
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Type(text) => write!(f, "{text:?}"),
            Step::Key(key) => f.write_str(key),
            Step::Resize(size) => write!(f, "resize {}x{}", size.columns, size.rows),
            Step::Kill(signal) => write!(f, "kill {signal}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read() {
        let text = "%% args: +Bd -s 'a b'\n%% size: 40x10\n% why\n\n\
            \"X = \\\"1\\u{e9}\\\".\" Enter C-a\nresize 60x20 kill HUP\n";
        let session = parse("name", text).unwrap();
        assert_eq!(session.command, "$ERL +Bd -s 'a b'");
        let size = |columns, rows| Size { columns, rows };
        assert_eq!(session.size, size(40, 10));
        let key = |name: &str| Step::Key(name.to_owned());
        let typed = |text: &str| Step::Type(text.to_owned());
        let resized = Step::Resize(size(60, 20));
        let killed = Step::Kill("HUP".to_owned());
        assert_eq!(
            session.steps,
            [
                typed("X = \"1é\"."),
                key("Enter"),
                key("C-a"),
                resized,
                killed
            ]
        );
        assert_eq!(typed("ab").every_key(), [typed("a"), typed("b")]);
        assert_eq!(key("Up").every_key(), [key("Up")]);
        for wrong in [
            "\"a",
            "\"\\q\"",
            "resize 3",
            "%% what: 1",
            "\"\\u{110000}\"",
        ] {
            assert!(parse("name", wrong).is_err(), "{wrong}");
        }
    }
}
