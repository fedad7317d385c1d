//! The words and variables that tell the port mapper what to do.

use std::net::IpAddr;
use std::time::Duration;

use super::client::Question;

/// The port, unless a variable or a word names another one.
const PORT: u16 = 4369;
/// How long a request may take.
const PACKET_TIMEOUT: Duration = Duration::from_secs(60);

const USAGE: &str = "usage: epmd [-d|-debug] [-address LIST] [-port NO] [-daemon] [-relaxed_command_check]
            [-packet_timeout SECONDS]
       epmd [-port NO] [-names|-started|-dump|-kill|-stop NAME]
This epmd is part of ferl; it does what the epmd of OTP does, but for -systemd and the delays for tests.
";

/// How to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) port: u16,
    /// Where to listen, besides the loopback addresses; everywhere if empty.
    pub(super) addresses: Vec<IpAddr>,
    /// Also while nodes are registered it may be ended, and nodes taken out of its list.
    pub(super) is_relaxed: bool,
    pub(super) packet_timeout: Duration,
    /// Tell on standard error who registers.
    pub(super) is_told: bool,
}

/// What is asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Serve { in_background: bool },
    Ask(Question),
}

/// Reads the words. Later ones count more than earlier ones, and all more than variables.
pub(super) fn read(
    words: &[Vec<u8>],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<(Settings, Task), String> {
    let number = |text: &str| text.trim().parse().ok().filter(|number| *number != 0);
    let mut settings = Settings {
        port: variable("ERL_EPMD_PORT")
            .map_or(Some(PORT), |text| number(&text))
            .unwrap_or(PORT),
        addresses: addresses(&variable("ERL_EPMD_ADDRESS").unwrap_or_default())?,
        is_relaxed: variable("ERL_EPMD_RELAXED_COMMAND_CHECK").is_some(),
        packet_timeout: PACKET_TIMEOUT,
        is_told: false,
    };
    let mut in_background = false;
    let mut rest = words.iter().map(|word| String::from_utf8_lossy(word));
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| USAGE.to_owned());
        let question = match &*word {
            "-d" | "-debug" => {
                settings.is_told = true;
                continue;
            }
            "-daemon" => {
                in_background = true;
                continue;
            }
            "-relaxed_command_check" => {
                settings.is_relaxed = true;
                continue;
            }
            "-port" => {
                settings.port = number(&value()?).ok_or(USAGE)?;
                continue;
            }
            "-packet_timeout" => {
                let seconds = value()?.trim().parse().ok().filter(|seconds| *seconds > 0);
                settings.packet_timeout = Duration::from_secs(seconds.ok_or(USAGE)?);
                continue;
            }
            "-address" => {
                settings.addresses = addresses(&value()?)?;
                continue;
            }
            "-names" => Question::Names,
            "-started" => Question::Started,
            "-dump" => Question::Dump,
            "-kill" => Question::Kill,
            "-stop" => Question::Stop(value()?.into_owned()),
            _ => return Err(USAGE.to_owned()),
        };
        return match rest.next() {
            None => Ok((settings, Task::Ask(question))),
            Some(_) => Err(USAGE.to_owned()),
        };
    }
    Ok((settings, Task::Serve { in_background }))
}

/// Reads a list of addresses between commas.
fn addresses(text: &str) -> Result<Vec<IpAddr>, String> {
    text.split([',', ' '])
        .filter(|part| !part.is_empty())
        .map(|part| {
            part.parse()
                .map_err(|_| format!("epmd: cannot parse IP address \"{part}\"\n"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_words(words: &str, variables: &[(&str, &str)]) -> Result<(Settings, Task), String> {
        let words: Vec<Vec<u8>> = words.split_whitespace().map(|word| word.into()).collect();
        read(&words, |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn words_count_more_than_variables() {
        let (settings, task) = read_words(
            "-daemon -port 5 -address 10.0.0.1,::2",
            &[("ERL_EPMD_PORT", "7"), ("ERL_EPMD_ADDRESS", "127.0.0.1")],
        )
        .unwrap();
        assert_eq!(settings.port, 5);
        assert_eq!(settings.addresses.len(), 2);
        assert_eq!(
            task,
            Task::Serve {
                in_background: true
            }
        );
        let (settings, task) = read_words("-names", &[("ERL_EPMD_PORT", "7")]).unwrap();
        assert_eq!((settings.port, task), (7, Task::Ask(Question::Names)));
    }

    #[test]
    fn wrong_words_show_what_there_is() {
        for words in [
            "-port",
            "-port x",
            "-names more",
            "-stop",
            "-other",
            "-packet_timeout 0",
        ] {
            assert_eq!(read_words(words, &[]), Err(USAGE.to_owned()), "{words}");
        }
        let error = read_words("-address 1.2.3", &[]).unwrap_err();
        assert!(
            error.contains("cannot parse IP address \"1.2.3\""),
            "{error}"
        );
    }
}
