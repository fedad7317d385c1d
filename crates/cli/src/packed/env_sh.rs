//! `env.sh` of a mix release: a shell script that sets variables before anything is started.
//!
//! One that is all comments, as mix writes it, does nothing. One that only sets variables is carried out here, so that
//! it works where there is no shell. For all others the shell runs it, and then this program again with what it has
//! exported.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, id};

use crate::environment::Environment;
use crate::refusal::Refusal;
use crate::words::Word;

/// Says, by the number of the process, that the shell has run the script; or, by [`SKIP`], that nobody shall.
const DONE: &str = "FERL_ENV_SH";
const SKIP: &[u8] = b"skip";
const SHELL: &str = "/bin/sh";

/// Carries out the script. If the shell must do that, returns only if there is none; else this program is started anew,
/// with the words `typed`.
pub(super) fn carry_out(
    text: &str,
    program: &Path,
    typed: &[Word],
    environment: &mut Environment,
) -> Result<(), Refusal> {
    let done = environment.get(DONE).unwrap_or_default();
    if done == SKIP || done == id().to_string().as_bytes() {
        return Ok(());
    }
    let Err(line) = set(text, environment) else {
        return Ok(());
    };
    environment.set(DONE.as_bytes(), id().to_string().as_bytes());
    let mut shell = Command::new(SHELL);
    shell
        .arg("-c")
        .arg(format!("set -e\n{text}\nexec \"$0\" \"$@\""))
        .arg(program)
        .args(typed.iter().map(|word| crate::words::os(word)));
    environment.give(&mut shell);
    let error = shell.exec();
    Err(Refusal::plain(format!(
        "{}: its env.sh has commands for a shell, and {SHELL} cannot be started ({error}). The first one is: {line}\n\
         Set the variables that it sets in the environment, and {DONE}=skip.",
        program.display()
    )))
}

/// Sets the variables that the script sets, if that is all it does. Otherwise returns the first line that does
/// something else, and sets nothing.
fn set<'a>(text: &'a str, environment: &mut Environment) -> Result<(), &'a str> {
    let mut changed = environment.clone();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let assignment = line.strip_prefix("export ").unwrap_or(line).trim_start();
        match assignment.split_once('=') {
            Some((name, value)) if is_name(name) => {
                let value = value_of(value, &changed).ok_or(line)?;
                changed.set(name.as_bytes(), &value);
            }
            // `export NAME`: all of them are.
            None if is_name(assignment) && assignment != line => {}
            _ => return Err(line),
        }
    }
    *environment = changed;
    Ok(())
}

fn is_name(text: &str) -> bool {
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    begins
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// The value of a word with variables in it; `None` if it is more than that.
fn value_of(word: &str, environment: &Environment) -> Option<Word> {
    let mut value = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        match first {
            '\'' => {
                let (quoted, after) = rest[1..].split_once('\'')?;
                value.extend_from_slice(quoted.as_bytes());
                rest = after;
            }
            '"' => {
                let (quoted, after) = rest[1..].split_once('"')?;
                value.extend(expanded(quoted, environment)?);
                rest = after;
            }
            ' ' | '\t' => {
                // A comment may follow.
                let after = rest.trim_start();
                return (after.is_empty() || after.starts_with('#')).then_some(value);
            }
            _ => {
                let end = rest.find(['\'', '"', ' ', '\t']).unwrap_or(rest.len());
                // A value that the shell would split or match is not split in an assignment.
                value.extend(expanded(&rest[..end], environment)?);
                rest = &rest[end..];
            }
        }
    }
    Some(value)
}

/// A text without quotes with the values of `$NAME`, `${NAME}` and `${NAME:-TEXT}`.
fn expanded(text: &str, environment: &Environment) -> Option<Word> {
    let mut value = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find('$') {
        value.extend(plain(&rest[..place])?);
        rest = &rest[place + 1..];
        let (name, default) = match rest.strip_prefix('{') {
            Some(inside) => {
                let (inside, after) = inside.split_once('}')?;
                rest = after;
                inside.split_once(":-").unwrap_or((inside, ""))
            }
            None => {
                let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
                let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                rest = after;
                (name, "")
            }
        };
        if !is_name(name) {
            return None;
        }
        match environment.get_non_empty(name) {
            Some(found) => value.extend_from_slice(found),
            None => value.extend(plain(default)?),
        }
    }
    value.extend(plain(rest)?);
    Some(value)
}

/// A text that means itself to the shell.
fn plain(text: &str) -> Option<&[u8]> {
    let is_special = |char| "`\\$;&|<>()~*?[\"'".contains(char);
    (!text.contains(is_special)).then_some(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        let mut environment = Environment::default();
        environment.set(b"APP", b"fly");
        environment.set(b"EMPTY", b"");
        environment
    }

    #[test]
    fn plain_settings_mean_what_they_mean_to_the_shell() {
        for value in [
            "name",
            "\"a b\"",
            "'$APP'",
            "$APP",
            "${APP}x",
            "\"$APP@host.$EMPTY\"",
            "${NONE:-d}",
            "${EMPTY:-d}",
            "${APP:-d}",
            "a'b'\"c\"",
            "",
            "x # comment",
            "x#y",
            "a=b",
            "\"${NONE:-a b}\"",
            "1.2.3.4:5",
        ] {
            let mut found = environment();
            let text = format!("#!/bin/sh\n# c\n\n export X={value}\nexport APP\n");
            set(&text, &mut found).unwrap();
            let shell = Command::new(SHELL)
                .args(["-c", &format!("{text}printf %s \"$X\"")])
                .env_clear()
                .env("APP", "fly")
                .env("EMPTY", "")
                .output()
                .unwrap();
            assert_eq!(
                String::from_utf8_lossy(found.get("X").unwrap()),
                String::from_utf8_lossy(&shell.stdout),
                "{value}"
            );
        }
    }

    #[test]
    fn commands_are_left_to_the_shell() {
        for line in [
            "export X=$(hostname)",
            "export X=`hostname`",
            "case $X in",
            "export X=${APP##*-}",
            "ulimit -n 9",
            "export X=a; Y=b",
            "X=a command",
            "export X=\"a\\\"b\"",
            ". other.sh",
            "export X=~",
            "export",
            "1X=2",
            "export X=${APP",
            "export X=\"a",
            "X",
            "export X=$1",
            "export X=a&",
        ] {
            let mut found = environment();
            let text = format!("export Y=1\n{line}\n");
            assert_eq!(set(&text, &mut found), Err(line));
            assert_eq!(found, environment());
        }
    }
}
