//! `ferl manual DIR`: manual pages and completions for shells, made of the tables that `+help` and the commands are
//! made of. Packages contain what it writes. The same tables make chapters of the book (`chapters`).

#[cfg(test)]
mod chapters;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};
use spec::flags::{EMULATOR_FLAGS, EmulatorFlag, LAUNCHER_FLAGS, ValuePosition};
use spec::variables::{Reader, VARIABLES};

use crate::commands::{self, COMMANDS};
use crate::dashboard::DashboardOptions;
use crate::erts::ErtsOptions;
use crate::image::ImageOptions;
use crate::packed::PackOptions;
use crate::top::TopOptions;

/// Writes ferl's manual pages and the completions for bash, zsh and fish, each where the system looks for it below DIR
/// (as /usr/share).
#[derive(Parser, Debug)]
#[command(name = "ferl manual", max_term_width = 100)]
pub(crate) struct ManualOptions {
    /// The folder to write to.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the command with the words that follow `manual`. Returns 1 if it fails, 2 if the words are wrong.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    commands::run("ferl manual", words, |options: &ManualOptions| {
        write(&options.folder)
    })
}

fn write(folder: &Path) -> Result<String, String> {
    for (name, bytes) in files() {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(String::new())
}

/// The commands that have options. They are typed as two words; a page's name is one.
fn commands() -> Vec<clap::Command> {
    vec![
        lab::command().name("ferl-lab").bin_name("ferl lab"),
        DashboardOptions::command()
            .name("ferl-dashboard")
            .bin_name("ferl dashboard"),
        ErtsOptions::command()
            .name("ferl-erts")
            .bin_name("ferl erts"),
        PackOptions::command()
            .name("ferl-pack")
            .bin_name("ferl pack"),
        ImageOptions::command()
            .name("ferl-image")
            .bin_name("ferl image"),
        TopOptions::command().name("ferl-top").bin_name("ferl top"),
        ManualOptions::command()
            .name("ferl-manual")
            .bin_name("ferl manual"),
    ]
}

/// The name of a command: its second word.
fn second_word(command: &clap::Command) -> String {
    command.get_name().trim_start_matches("ferl-").to_owned()
}

/// All files, with their paths below /usr/share.
fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        ("man/man1/ferl.1".to_owned(), page().into_bytes()),
        (
            "bash-completion/completions/ferl".to_owned(),
            for_bash().into_bytes(),
        ),
        (
            "zsh/vendor-completions/_ferl".to_owned(),
            for_zsh().into_bytes(),
        ),
        (
            "fish/vendor_completions.d/ferl.fish".to_owned(),
            for_fish().into_bytes(),
        ),
    ];
    for command in commands() {
        let page_name = format!("ferl-{}", second_word(&command));
        let mut page = Vec::new();
        // Writing to memory does not fail.
        let _ = Man::new(command).render(&mut page);
        files.push((format!("man/man1/{page_name}.1"), page));
    }
    files
}

/// How a flag of the VM is typed, with its value.
fn spelling(flag: &EmulatorFlag) -> (String, &'static str) {
    let space = match flag.place {
        ValuePosition::Alone | ValuePosition::Whole | ValuePosition::Joined => "",
        ValuePosition::Next | ValuePosition::NextOnly | ValuePosition::Optional => " ",
    };
    (format!("+{}{space}", flag.name), flag.argument)
}

/// The flags of the VM that have a text.
fn emulator_flags() -> impl Iterator<Item = &'static EmulatorFlag> {
    EMULATOR_FLAGS.iter().filter(|flag| !flag.help.is_empty())
}

/// A term of a list, and what it means.
fn item(page: &mut Roff, term: Vec<Inline>, text: &str) {
    page.control("TP", []);
    page.text(term);
    page.text([roman(text)]);
}

/// ferl(1).
fn page() -> String {
    let mut page = Roff::new();
    let version = format!("ferl {}", env!("CARGO_PKG_VERSION"));
    page.control("TH", ["ferl", "1", "", &version]);
    let section = |page: &mut Roff, name: &str| {
        page.control("SH", [name]);
    };
    section(&mut page, "NAME");
    page.text([roman(
        "ferl - Erlang virtual machine for very many processes",
    )]);
    section(&mut page, "SYNOPSIS");
    page.text([bold("ferl"), roman(" [FLAGS] [ARGUMENTS]")]);
    page.control("br", []);
    page.text([bold("ferl"), roman(" COMMAND [OPTIONS]")]);
    section(&mut page, "DESCRIPTION");
    page.text([roman(
        "ferl runs .beam files as they are, with the libraries of an OTP that is installed, in place of the command \
         erl. It takes erl's flags and environment variables. It looks for the OTP in FERL_OTP, in the release that \
         it is in, in ROOTDIR, where the erl in PATH belongs, and in the usual folders.",
    )]);
    section(&mut page, "COMMANDS");
    for (name, does) in COMMANDS {
        item(&mut page, vec![bold(*name)], does);
    }
    section(&mut page, "FLAGS OF THE EMULATOR");
    for flag in emulator_flags() {
        let (word, value) = spelling(flag);
        item(&mut page, vec![bold(word), roman(value)], flag.help);
    }
    item(
        &mut page,
        vec![bold("+otp")],
        "list the OTP releases on this machine, and which one would be booted",
    );
    item(
        &mut page,
        vec![bold("+otp_try")],
        "boot a release that this ferl does not know, at your own risk",
    );
    section(&mut page, "FLAGS OF THE LAUNCHER");
    for flag in LAUNCHER_FLAGS {
        let term = vec![bold(flag.name), roman(format!(" {}", flag.arguments))];
        item(&mut page, term, flag.help);
    }
    section(&mut page, "ENVIRONMENT");
    for variable in VARIABLES
        .iter()
        .filter(|variable| variable.reader != Reader::Test)
    {
        item(
            &mut page,
            vec![bold(variable.names.join(", "))],
            variable.help,
        );
    }
    section(&mut page, "EXIT STATUS");
    page.text([roman(
        "That of the program that is run (halt/1). 1 if the node cannot start or ends with a crash dump; 2 if the \
         options of a command are wrong.",
    )]);
    section(&mut page, "SEE ALSO");
    let others: Vec<String> = commands()
        .iter()
        .map(|command| format!("ferl-{}(1)", second_word(command)))
        .chain(["erl(1)".to_owned()])
        .collect();
    page.text([roman(others.join(", "))]);
    page.to_roff()
}

/// What may be typed behind `ferl`: the word and what it does.
fn first_words() -> Vec<(String, String)> {
    let commands = COMMANDS.iter().map(|&(name, does)| (name.to_owned(), does));
    let emulator = emulator_flags()
        .filter(|flag| !flag.name.contains(['?', '@']))
        .map(|flag| (format!("+{}", flag.name), flag.help));
    let launcher = LAUNCHER_FLAGS
        .iter()
        .map(|flag| (flag.name.to_owned(), flag.help));
    let own = [("+otp", "list the OTP releases on this machine")];
    let own = own.map(|(name, does)| (name.to_owned(), does));
    let words = commands.chain(own).chain(emulator).chain(launcher);
    words.map(|(name, does)| (name, does.to_owned())).collect()
}

/// The options of a command and what each does, and its own commands.
fn options(command: &clap::Command) -> Vec<(String, String)> {
    let arguments = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set());
    let mut words: Vec<(String, String)> = arguments
        .filter_map(|argument| {
            let name = argument.get_long()?;
            let help = argument.get_help().map(ToString::to_string);
            Some((format!("--{name}"), help.unwrap_or_default()))
        })
        .collect();
    for below in command.get_subcommands() {
        let about = below.get_about().map(ToString::to_string);
        words.push((below.get_name().to_owned(), about.unwrap_or_default()));
    }
    words.push(("--help".to_owned(), "says more".to_owned()));
    words
}

fn names(words: &[(String, String)]) -> String {
    let names: Vec<&str> = words.iter().map(|(name, _)| &**name).collect();
    names.join(" ")
}

fn for_bash() -> String {
    let mut text = String::from(
        "# Completion of ferl for bash. Names of files complete as well.\n_ferl() {\n    local words\n    \
         case ${COMP_WORDS[1]} in\n",
    );
    for command in commands() {
        let words = names(&options(&command));
        let _ = writeln!(
            text,
            "        {}) words='{words}' ;;",
            second_word(&command)
        );
    }
    let _ = write!(
        text,
        "        *) words='{}' ;;\n    esac\n    [ \"$COMP_CWORD\" = 1 ] && words='{}'\n    \
         COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n}}\n\
         complete -o default -F _ferl ferl\n",
        names(&flags_alone()),
        names(&first_words())
    );
    text
}

/// The words behind `ferl` that are no command.
fn flags_alone() -> Vec<(String, String)> {
    let mut words = first_words();
    words.retain(|(name, _)| name.starts_with(['+', '-']));
    words
}

/// A text in quotes of zsh or fish.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "'\\''"))
}

fn for_zsh() -> String {
    let list = |words: &[(String, String)]| {
        let lines: Vec<String> = words
            .iter()
            .map(|(name, does)| quoted(&format!("{}:{does}", name.replace(':', "\\:"))))
            .collect();
        lines.join("\n        ")
    };
    // `words` and `CURRENT` are what was typed, and the place in it.
    let mut text = String::from(
        "#compdef ferl\n# Completion of ferl for zsh.\nlocal -a found\nif (( CURRENT == 2 )); then\n",
    );
    let _ = writeln!(text, "    found=(\n        {})", list(&first_words()));
    text.push_str("else\n    case $words[2] in\n");
    for command in commands() {
        let _ = writeln!(
            text,
            "    {}) found=(\n        {}) ;;",
            second_word(&command),
            list(&options(&command))
        );
    }
    let _ = writeln!(
        text,
        "    *) found=(\n        {}) ;;\n    esac\nfi",
        list(&flags_alone())
    );
    text.push_str("_describe -V ferl found\n_files\n");
    text
}

fn for_fish() -> String {
    let mut text = String::from("# Completion of ferl for fish.\n");
    let commands = commands();
    let seconds: Vec<String> = commands.iter().map(second_word).collect();
    let none = format!("not __fish_seen_subcommand_from {}", seconds.join(" "));
    for (name, does) in first_words() {
        let _ = writeln!(
            text,
            "complete -c ferl -n {} -a {} -d {}",
            quoted(&none),
            quoted(&name),
            quoted(&does)
        );
    }
    for command in commands {
        let seen = format!("__fish_seen_subcommand_from {}", second_word(&command));
        for (name, does) in options(&command) {
            let _ = writeln!(
                text,
                "complete -c ferl -n {} -a {} -d {}",
                quoted(&seen),
                quoted(&name),
                quoted(&does)
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    fn file(name: &str) -> String {
        let files = files();
        let (_, bytes) = files.iter().find(|(path, _)| path.ends_with(name)).unwrap();
        String::from_utf8(bytes.clone()).unwrap()
    }

    #[test]
    fn the_page_names_every_flag_and_command() {
        let page = file("man1/ferl.1").replace("\\-", "-");
        for flag in emulator_flags() {
            assert!(page.contains(&format!("+{}", flag.name)), "{}", flag.name);
        }
        for flag in LAUNCHER_FLAGS {
            assert!(page.contains(flag.name), "{}", flag.name);
        }
        for (name, _) in COMMANDS {
            assert!(page.contains(name), "{name}");
        }
        assert!(file("man1/ferl-erts.1").contains("replace"));
        assert!(file("man1/ferl-lab.1").contains("against"));
    }

    #[test]
    fn bash_completes_flags_commands_and_their_options() {
        let script = file("completions/ferl");
        let complete = |line: &[&str]| {
            let words: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
            let ask = format!(
                "{script}\nCOMP_WORDS=({}); COMP_CWORD={}; _ferl; echo \"${{COMPREPLY[*]}}\"",
                words.join(" "),
                line.len() - 1
            );
            let output = Command::new("bash")
                .args(["-c", &ask])
                .stderr(Stdio::inherit())
                .output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        assert_eq!(complete(&["ferl", "er"]), "erts\n");
        assert_eq!(complete(&["ferl", "erts", "--rep"]), "--replace\n");
        assert_eq!(complete(&["ferl", "+Mgu"]), "+Mguard\n");
        assert_eq!(complete(&["ferl", "+S", "4", "-sna"]), "-sname\n");
        assert!(complete(&["ferl", "lab", "--aga"]).contains("--against"));
    }

    /// Where these shells are installed, they read what is meant for them.
    #[test]
    fn shells_read_their_completions() {
        for (shell, name) in [("zsh", "_ferl"), ("fish", "ferl.fish")] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("script");
            fs::write(&path, file(name)).unwrap();
            let Ok(output) = Command::new(shell).arg("-n").arg(&path).output() else {
                continue;
            };
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                output.status.success() && errors.is_empty(),
                "{shell}: {errors}"
            );
        }
    }
}
