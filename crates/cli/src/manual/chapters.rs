//! The chapters of the book that list flags, commands and variables. They are made of the same tables as the manual
//! page, and kept in the checkout, so that the book can be built without ferl: the test below holds them equal, and
//! writes them with `BLESS=1`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use spec::Release;
use spec::flags::{EMULATOR_FLAGS, Effect, EmulatorFlag, LAUNCHER_FLAGS, Origin, Value};
use spec::variables::{Reader, VARIABLES};

use super::{commands, spelling};

const WRITTEN: &str = "<!-- Written by `BLESS=1 cargo test -p cli --lib chapters`: change the tables, not this. -->\n";

/// A text for a cell of a table, as it is to be read.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('*', "\\*")
        .replace('_', "\\_")
}

/// A text for a cell of a table, as it is typed.
fn typed(text: &str) -> String {
    format!("`{}`", text.trim().replace('|', "\\|"))
}

/// The values that a flag takes.
fn values(value: Value) -> String {
    let between = |min: i64, max: i64| match max {
        // As large as the machine's numbers are.
        max if max >= i64::from(i32::MAX) => format!("{min} and more"),
        _ => format!("{min} to {max}"),
    };
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| typed(word)).collect();
        words.join(", ")
    };
    match value {
        Value::Nothing | Value::Text => String::new(),
        Value::Name => "a name that does not begin with `-` or `+`".to_owned(),
        Value::Bool => words(&["true", "false"]),
        Value::OneOf(all) | Value::StartsWith(all) => words(all),
        Value::Number { min, max, .. } => between(min, max),
        Value::NumberOr { word, min, max, .. } => {
            format!("{}, or {}", between(min, max), typed(word))
        }
        Value::Pair => "`N`, `N:M` or `:M`".to_owned(),
        Value::Topology => "a topology, as `L0-3c0-3`".to_owned(),
        Value::Budget => "bytes, `N%`, `off`".to_owned(),
        Value::Listen => "`PORT` or `ADDRESS:PORT`".to_owned(),
    }
}

fn flag_rows<'a>(flags: impl Iterator<Item = &'a EmulatorFlag>) -> String {
    let mut text = "| flag | values | what it does |\n|---|---|---|\n".to_owned();
    for flag in flags {
        let (word, argument) = spelling(flag);
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            typed(&format!("{word}{argument}")),
            values(flag.value),
            plain(flag.help)
        );
    }
    text
}

/// The chapter about flags and commands.
fn flags() -> String {
    let described = |flag: &&EmulatorFlag| !flag.help.is_empty();
    let is_own = |flag: &&EmulatorFlag| flag.origin == Origin::Own;
    let does_nothing = |flag: &&EmulatorFlag| {
        matches!(flag.effect, Effect::Ignored) || flag.help.contains("no effect")
    };
    let all = || EMULATOR_FLAGS.iter().filter(described);
    let refused = EMULATOR_FLAGS.iter().filter_map(|flag| match flag.effect {
        Effect::RefusedFor(value) => Some(format!("`+{} {value}`", flag.name)),
        _ => None,
    });
    let refused = refused.collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "# Every flag and command\n\n{WRITTEN}\n\
         ferl takes the flags of `erl`. `ferl +help` lists those of the machine, `ferl help` the commands, and the\n\
         manual pages (`ferl manual DIR` writes them) have all of it. A flag that stock refuses ferl refuses too, with\n\
         the same words, and a command line that works with `erl` works here, but for what ferl cannot do:\n\
         {refused}.\n\n\
         A flag of the machine begins with `+`, and its value may be a word of its own or follow at once: `+P 2000000`\n\
         and `+P2000000` are the same. Flags that begin with `-` are those of the launcher (below) and of OTP's `init`\n\
         (`-eval`, `-s`, `-pa`, `-config` and so on), which are read by OTP itself.\n\n\
         ## Flags that only ferl has\n\n{}\n\
         Two more belong to the search for an OTP, and stand before all others: `+otp` lists the releases on this\n\
         machine and says which one would be booted; `+otp_try` boots a release that this ferl does not know, at your\n\
         own risk.\n\n\
         ## Flags of the machine\n\n{}\n",
        flag_rows(all().filter(is_own)),
        flag_rows(all().filter(|flag| !is_own(flag) && !does_nothing(flag))),
    );
    let _ = write!(
        text,
        "## Flags that are checked and have no effect\n\n\
         They tune a part that ferl does not have, or does in one way only. A wrong value is refused as by stock.\n\n{}\n",
        flag_rows(all().filter(does_nothing)),
    );
    text.push_str(&allocators());
    text.push_str("## Flags of the launcher\n\n| flag | what it does |\n|---|---|\n");
    for flag in LAUNCHER_FLAGS {
        let word = format!("{} {}", flag.name, flag.arguments);
        let _ = writeln!(text, "| {} | {} |", typed(&word), plain(flag.help));
    }
    text.push_str(
        "\n`-args_file FILE` reads more words from a file, and `-smp disable`, which newer versions of stock refuse,\n\
         means one scheduler.\n",
    );
    for command in commands() {
        text.push_str(&command_section(&command));
    }
    text
}

/// What is said of the flags of OTP's allocators: their names, folded into lines.
fn allocators() -> String {
    let mut text = "The flags of OTP's memory allocators are checked too and have no effect, because ferl has other \
                    allocators\n(`?` and `@` stand for the letter of an allocator, `u` for all of them):\n\n"
        .to_owned();
    let names = EMULATOR_FLAGS
        .iter()
        .filter(|flag| flag.name.starts_with('M') && flag.help.is_empty())
        .map(|flag| format!("`+{}`", flag.name));
    let names = names.collect::<Vec<_>>().join(", ");
    for line in folded(&names, 118) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push('\n');
    text
}

/// A text in lines of at most `width` columns, parted at spaces.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one from the start");
        match line.is_empty() {
            true => line.push_str(word),
            false if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            false => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A command of ferl's own, and those below it.
fn command_section(command: &clap::Command) -> String {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let mut text = format!("\n## {name}\n\n");
    if let Some(about) = command.get_about() {
        text.push_str(&folded(&sentence(&about.to_string()), 118).join("\n"));
        text.push_str("\n\n");
    }
    text.push_str(&argument_rows(command));
    for below in command.get_subcommands() {
        let _ = write!(text, "\n### {name} {}\n\n", below.get_name());
        if let Some(about) = below.get_about() {
            text.push_str(&folded(&sentence(&about.to_string()), 118).join("\n"));
            text.push_str("\n\n");
        }
        text.push_str(&argument_rows(below));
    }
    text
}

/// With the full stop that clap takes away.
fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

fn argument_rows(command: &clap::Command) -> String {
    let mut text = "| word | what it does |\n|---|---|\n".to_owned();
    for argument in command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
    {
        let value = argument
            .get_value_names()
            .filter(|_| argument.get_action().takes_values())
            .and_then(|names| names.first())
            .map(ToString::to_string)
            .unwrap_or_default();
        let word = match (argument.get_long(), argument.get_short()) {
            (Some(long), _) => format!("--{long} {value}"),
            (None, Some(short)) => format!("-{short} {value}"),
            (None, None) => value,
        };
        let help = argument.get_help().map(ToString::to_string);
        let _ = writeln!(
            text,
            "| {} | {} |",
            typed(&word),
            plain(&help.unwrap_or_default())
        );
    }
    text
}

/// The chapter about environment variables.
fn variables() -> String {
    let mut text = format!(
        "# Every environment variable\n\n{WRITTEN}\n\
         What is set in the environment counts for every node below it. `ferl -env NAME VALUE` sets a variable for one\n\
         node and the programs that it starts.\n"
    );
    for (reader, title) in [
        (Reader::Start, "Read when ferl starts"),
        (Reader::Packed, "Read when a packed file starts"),
        (Reader::Node, "Read by a node that runs"),
        (Reader::Otp, "Read by OTP's libraries and programs"),
        (Reader::Lab, "Read by ferl lab"),
        (Reader::Test, "Read by tests of ferl"),
    ] {
        let _ = write!(
            text,
            "\n## {title}\n\n| variable | what it says |\n|---|---|\n"
        );
        for variable in VARIABLES
            .iter()
            .filter(|variable| variable.reader == reader)
        {
            let names: Vec<String> = variable.names.iter().map(|name| typed(name)).collect();
            let _ = writeln!(text, "| {} | {} |", names.join(", "), plain(variable.help));
        }
    }
    text
}

#[test]
fn chapters_are_those_of_the_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src");
    for (name, text) in [("flags.md", flags()), ("environment.md", variables())] {
        let path = folder.join(name);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == text,
            "{name} is not what the tables say: BLESS=1 cargo test -p cli --lib chapters"
        );
    }
}

/// No row of a table is lost between the sections.
#[test]
fn every_flag_is_in_a_section() {
    let text = flags();
    for flag in EMULATOR_FLAGS
        .iter()
        .filter(|flag| flag.is_in(Release::OTP_29))
    {
        assert!(text.contains(&format!("`+{}", flag.name)), "{}", flag.name);
    }
}
