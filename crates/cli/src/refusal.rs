//! The error messages with which ferl refuses to start, worded as on stock where stock has the same error, and the
//! usage texts, which are generated from the flag tables. A refusal ends the program with status 1. Any thread.

use std::fmt::{self, Display, Write as _};

use spec::flags::{EMULATOR_FLAGS, LAUNCHER_FLAGS, ValuePosition};

/// Why ferl does not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error message; empty if only the usage text is printed.
    pub message: String,
    pub usage: Usage,
}

/// Which usage text follows the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    None,
    Launcher,
    Emulator,
}

impl Refusal {
    pub fn plain(message: impl Into<String>) -> Refusal {
        Refusal {
            message: message.into(),
            usage: Usage::None,
        }
    }

    pub fn launcher(message: impl Into<String>) -> Refusal {
        Refusal {
            message: message.into(),
            usage: Usage::Launcher,
        }
    }

    pub fn emulator(message: impl Into<String>) -> Refusal {
        Refusal {
            message: message.into(),
            usage: Usage::Emulator,
        }
    }

    /// A flag without its value.
    pub fn missing_argument(flag: &[u8]) -> Refusal {
        let flag = String::from_utf8_lossy(flag);
        Refusal::launcher(format!("Missing argument(s) for '{flag}'."))
    }
}

impl Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.message.is_empty() {
            writeln!(out, "{}", self.message)?;
        }
        match self.usage {
            Usage::None => Ok(()),
            Usage::Launcher => writeln!(out, "{}", launcher_usage()),
            Usage::Emulator => out.write_str(&emulator_usage()),
        }
    }
}

impl std::error::Error for Refusal {}

/// The usage text for errors that the launcher finds: one line.
pub fn launcher_usage() -> String {
    let mut text = String::from("Usage: ferl [-args_file file]");
    for flag in LAUNCHER_FLAGS {
        let space = if flag.arguments.is_empty() { "" } else { " " };
        let _ = write!(text, " [{}{space}{}]", flag.name, flag.arguments);
    }
    text.push_str(" [+flags, see ferl +help] [arguments ...]");
    text
}

/// The usage text for the emulator flags: one flag per line.
pub fn emulator_usage() -> String {
    let mut text = String::from("Usage: ferl [flags] [arguments ...]\nThe flags are:\n\n");
    for flag in EMULATOR_FLAGS.iter().filter(|flag| !flag.help.is_empty()) {
        let space = match flag.place {
            ValuePosition::Alone | ValuePosition::Whole | ValuePosition::Joined => "",
            ValuePosition::Next | ValuePosition::NextOnly | ValuePosition::Optional => " ",
        };
        let spelling = format!("+{}{space}{}", flag.name, flag.argument);
        let _ = writeln!(text, "{spelling:<24} {}", flag.help);
    }
    let _ = writeln!(
        text,
        "{:<24} memory allocators; checked, no effect\n",
        "+M<flag> value"
    );
    let _ = writeln!(
        text,
        "{:<24} list the OTP releases on this machine, and which one would be booted\n\
         {:<24} boot a release that this ferl does not know, at your own risk\n",
        "+otp", "+otp_try"
    );
    text.push_str(
        "Flags of the launcher, besides those that Erlang's init reads (see init(3)):\n\n",
    );
    for flag in LAUNCHER_FLAGS {
        let spelling = format!("{} {}", flag.name, flag.arguments);
        let _ = writeln!(text, "{spelling:<24} {}", flag.help);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_lists_every_documented_flag() {
        let text = emulator_usage();
        for flag in EMULATOR_FLAGS.iter().filter(|flag| !flag.help.is_empty()) {
            assert!(text.contains(&format!("\n+{}", flag.name)), "{}", flag.name);
        }
        for flag in LAUNCHER_FLAGS {
            assert!(text.contains(flag.name) && launcher_usage().contains(flag.name));
        }
    }
}
