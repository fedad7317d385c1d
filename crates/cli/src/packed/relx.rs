//! A release of relx (rebar3) or of systools alone: its commands, as the start script of relx carries them out, without
//! a shell. What OTP's `erl_call` does there, ask the running node, [`crate::asked`] does here.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use ship::image::Image;

use super::carried::{Act, Carried};
use super::daemon;
use crate::asked::{Asked, MAPPER_PORT};
use crate::environment::Environment;
use crate::refusal::Refusal;
use crate::words::{self, Word, os};

/// What is said of commands when one is not known.
pub(super) const COMMANDS: &str = "start (also foreground, and without any command), console, daemon, daemon_attach, \
     stop, restart, reboot, pid, ping, rpc MODULE FUNCTION ARGUMENTS, eval EXPRESSIONS, remote, version";

/// How long the node may take for an answer, unless a variable says so.
const ANSWER_SECONDS: u64 = 60;
/// How often a node that was told to stop is looked for.
const STOP_POLL: Duration = Duration::from_millis(100);
/// How many variables are replaced in one line: more mean that one stands for itself.
const MAX_REPLACED: usize = 1_000;

/// Shows the files `vm.args` and `sys.config` that the release's templates (`vm.args.src`, `sys.config.src`) come to
/// with this environment. On stock the start script writes them.
pub(super) fn expand(image: &mut Image, environment: &Environment) {
    let folder = format!("releases/{}", image.fact("release"));
    let replaces = environment.get_non_empty("RELX_REPLACE_OS_VARS").is_some();
    for name in ["vm.args", "sys.config"] {
        let file = format!("{folder}/{name}");
        let template = image
            .text(&format!("{file}.src"))
            .or_else(|| image.text(&file).filter(|_| replaces));
        if let Some(template) = template {
            image.show(&file, with_values(&template, environment));
        }
    }
}

/// A text with the values of `${NAME}` and `${NAME:-DEFAULT}`, also where these have others in them.
fn with_values(text: &str, environment: &Environment) -> Vec<u8> {
    let mut all = Vec::new();
    for line in text.lines() {
        let mut line = line.as_bytes().to_vec();
        for _ in 0..MAX_REPLACED {
            let Some((begin, end)) = variable_in(&line) else {
                break;
            };
            let inside = String::from_utf8_lossy(&line[begin + 2..end]).into_owned();
            let (name, default) = inside.split_once(":-").unwrap_or((&inside, ""));
            let value = environment
                .get_non_empty(name)
                .unwrap_or(default.as_bytes());
            let value = value.to_vec();
            line.splice(begin..=end, value);
        }
        all.extend_from_slice(&line);
        all.push(b'\n');
    }
    all
}

/// Where the first variable of a line begins and ends.
fn variable_in(line: &[u8]) -> Option<(usize, usize)> {
    let begin = line.windows(2).position(|part| part == b"${")?;
    let length = line[begin..].iter().position(|byte| *byte == b'}')?;
    Some((begin, begin + length))
}

/// Carries out a command of the release; `None` if there is none of that name.
pub(super) fn obey(
    carried: &mut Carried,
    command: &str,
    rest: &[Word],
) -> Result<Option<Act>, Refusal> {
    let (name, version) = (carried.image.fact("name").to_owned(), carried.version());
    if carried.image.fact("tool") == "relx" {
        for (variable, value) in [
            ("REL_NAME", name.as_bytes()),
            ("RELEASE_NAME", name.as_bytes()),
            ("RELEASE_VSN", version.as_bytes()),
            ("RELEASE_PROG", &carried.path("")),
        ] {
            carried.environment.set(variable.as_bytes(), value);
        }
    }
    let act = match command {
        "start" | "foreground" => {
            let mut words = start(carried)?;
            words.splice(0..0, [b"-noshell".to_vec(), b"-noinput".to_vec()]);
            finish(words, rest)
        }
        "console" => finish(start(carried)?, rest),
        "daemon" => {
            let words = start(carried)?;
            let (pipes, log) = folders(carried)?;
            let Act::Node(words) = finish(words, rest) else {
                return Ok(None);
            };
            return Err(daemon::run(carried, &pipes, &log, &words));
        }
        "daemon_attach" | "attach" => {
            let (pipes, _) = folders(carried)?;
            return Err(daemon::attach(carried, &pipes));
        }
        "version" => Act::Answer(format!("{version}\n"), 0),
        "ping" | "pid" | "stop" | "restart" | "reboot" | "rpc" | "eval" => {
            let node = Node::of(carried)?;
            node.ask(carried, command, rest)?
        }
        "remote" | "remote_console" | "remsh" => Node::of(carried)?.shell(carried)?,
        "versions" | "upgrade" | "downgrade" | "install" | "unpack" | "uninstall" => {
            return Err(Refusal::plain(format!(
                "{}: a release in one file has one version, and is not upgraded while it runs: put another file in \
                 its place and restart",
                carried.program.display()
            )));
        }
        _ => return Ok(None),
    };
    Ok(Some(act))
}

fn finish(mut words: Vec<Word>, rest: &[Word]) -> Act {
    words.push(b"-extra".to_vec());
    words.extend(rest.iter().cloned());
    Act::Node(words)
}

/// The words that boot from a script that is named without its extension; `None` if the release has none of that name
/// where tools put them.
pub(super) fn boot(carried: &Carried, names: &[&str]) -> Option<Vec<Word>> {
    let version = carried.version();
    let places = names
        .iter()
        .flat_map(|name| [format!("releases/{version}/{name}"), format!("bin/{name}")]);
    let mut places = places.filter(|place| carried.image.has(&format!("{place}.boot")));
    let place = places.next()?;
    let mut words = vec![b"-boot".to_vec(), carried.path(&place)];
    // Boot scripts of tools name the libraries by one of these.
    for variable in [&b"RELEASE_LIB"[..], b"SYSTEM_LIB_DIR"] {
        words.extend([
            b"-boot_var".to_vec(),
            variable.to_vec(),
            carried.path("lib"),
        ]);
    }
    Some(words)
}

/// Where a file of the configuration is: where a variable says, else in the release.
fn configuration(carried: &Carried, variable: &str, name: &str) -> Option<Word> {
    if let Some(path) = carried.variable(variable) {
        return Some(path);
    }
    let places = [
        name.to_owned(),
        format!("releases/{}/{name}", carried.version()),
    ];
    let mut places = places.iter().filter(|place| carried.image.has(place));
    places.next().map(|place| carried.path(place))
}

/// The words that start the release, without arguments of its own.
fn start(carried: &Carried) -> Result<Vec<Word>, Refusal> {
    let name = carried.image.fact("name");
    let mut words = boot(carried, &[name, "start"]).ok_or_else(|| {
        Refusal::plain(format!(
            "{}: the release has no boot script start.boot in releases/{}",
            carried.program.display(),
            carried.version()
        ))
    })?;
    let mode = carried.variable("CODE_LOADING_MODE");
    words.extend([
        b"-mode".to_vec(),
        mode.unwrap_or_else(|| b"embedded".to_vec()),
    ]);
    if let Some(path) = configuration(carried, "RELX_CONFIG_PATH", "sys.config") {
        words.extend([b"-config".to_vec(), path]);
    }
    if let Some(path) = configuration(carried, "VMARGS_PATH", "vm.args") {
        words.extend([b"-args_file".to_vec(), path]);
    }
    words.extend(port_words(carried));
    Ok(words)
}

/// The flags for a node that listens on the port in ERL_DIST_PORT, without a port mapper.
fn port_words(carried: &Carried) -> Vec<Word> {
    match carried.variable("ERL_DIST_PORT") {
        Some(port) => vec![
            b"-erl_epmd_port".to_vec(),
            port,
            b"-start_epmd".to_vec(),
            b"false".to_vec(),
        ],
        None => Vec::new(),
    }
}

/// The folders of the pipes and the log of a release in the background.
fn folders(carried: &Carried) -> Result<(PathBuf, PathBuf), Refusal> {
    let name = carried.image.fact("name");
    let named = |variable| {
        let value = carried.variable(variable)?;
        Some(PathBuf::from(os(&value)))
    };
    let (pipes, log) = (named("PIPE_DIR"), named("RUNNER_LOG_DIR"));
    if let (Some(pipes), Some(log)) = (&pipes, &log) {
        return Ok((pipes.clone(), log.clone()));
    }
    let folder = carried.private_folder(name, "PIPE_DIR and RUNNER_LOG_DIR")?;
    let below = |name| folder.join(name);
    Ok((
        pipes.unwrap_or_else(|| below("pipe")),
        log.unwrap_or_else(|| below("log")),
    ))
}

/// The running node of the release, by what its `vm.args` says.
struct Node {
    /// `-name` or `-sname`.
    kind: Word,
    name: Word,
    cookie: Option<Word>,
    /// The flags for connections.
    connections: Vec<Word>,
}

impl Node {
    fn of(carried: &Carried) -> Result<Node, Refusal> {
        let words = match configuration(carried, "VMARGS_PATH", "vm.args") {
            Some(path) => {
                let typed = [b"-args_file".to_vec(), path];
                words::merge(&typed, &Environment::default(), carried.otp.release)?.flags
            }
            None => Vec::new(),
        };
        let value = |flag: &[u8]| {
            let place = words.iter().position(|word| word == flag)?;
            words.get(place + 1).cloned()
        };
        let name = [&b"-name"[..], b"-sname"]
            .into_iter()
            .find_map(|kind| Some((kind.to_vec(), value(kind)?)));
        let (kind, name) = name.ok_or_else(|| {
            Refusal::plain(format!(
                "{}: the vm.args of the release has neither -name nor -sname, so its node cannot be asked",
                carried.program.display()
            ))
        })?;
        let flags = [&b"-proto_dist"[..], b"-start_epmd", b"-epmd_module"];
        let connections = flags
            .into_iter()
            .filter_map(|flag| Some([flag.to_vec(), value(flag)?]))
            .flatten();
        Ok(Node {
            connections: connections.chain(port_words(carried)).collect(),
            cookie: carried
                .variable("RELX_COOKIE")
                .or_else(|| value(b"-setcookie")),
            kind,
            name,
        })
    }

    /// Carries out a command that asks the node.
    fn ask(&self, carried: &Carried, command: &str, rest: &[Word]) -> Result<Act, Refusal> {
        let asked = self.asked(carried)?;
        let call = |what: &str| asked.apply(what.as_bytes());
        let quietly = |what: &str| {
            let status = u8::from(call(what).is_err());
            Ok(Act::Answer(String::new(), status))
        };
        match command {
            "restart" => return quietly("init restart"),
            "reboot" => return quietly("init reboot"),
            "pid" => {
                return Ok(match call("os getpid") {
                    Ok(answer) => Act::Answer(text(&answer).replace('"', ""), 0),
                    Err(_) => Act::Answer(text(b""), 1),
                });
            }
            "stop" => return Ok(stop(&asked)),
            _ => {}
        }
        if call("erlang is_alive").is_err() {
            return Ok(Act::Answer("Node is not running!\n".to_owned(), 1));
        }
        let words = rest.join(&b' ');
        let answer = match command {
            "ping" => return Ok(Act::Answer("pong\n".to_owned(), 0)),
            "rpc" => asked.apply(&words),
            _ => asked
                .evaluate(&[&words[..], b"\n"].concat())
                .map(|answer| without_ok(&answer)),
        };
        match answer {
            Ok(answer) => Ok(Act::Answer(text(&answer), 0)),
            Err(why) => Err(Refusal::plain(format!(
                "{}: {why}",
                carried.program.display()
            ))),
        }
    }

    /// The node as it is asked, with as much time as relx gives it.
    fn asked(&self, carried: &Carried) -> Result<Asked, Refusal> {
        let number = |name: &str| {
            let value = carried.variable(name)?;
            String::from_utf8_lossy(&value).trim().parse::<u64>().ok()
        };
        let port = |name| number(name).and_then(|number| u16::try_from(number).ok());
        Ok(Asked {
            name: self.name.clone(),
            is_long: self.kind == b"-name",
            port: port("ERL_DIST_PORT"),
            mapper: port("ERL_EPMD_PORT").unwrap_or(MAPPER_PORT),
            cookie: match &self.cookie {
                Some(cookie) => cookie.clone(),
                None => cookie_of_user(carried)?,
            },
            timeout: Duration::from_secs(number("RELX_RPC_TIMEOUT").unwrap_or(ANSWER_SECONDS)),
        })
    }

    /// The words of a node with a shell on this one.
    fn shell(&self, carried: &Carried) -> Result<Act, Refusal> {
        let Ok(ticks) = self.asked(carried)?.apply(b"net_kernel get_net_ticktime") else {
            return Ok(Act::Answer("Node is not running!\n".to_owned(), 1));
        };
        let mut words = boot(carried, &["start_clean"]).ok_or_else(|| no_clean_script(carried))?;
        let host = self.name.iter().position(|byte| *byte == b'@');
        let own = [b"undefined", &self.name[host.unwrap_or(self.name.len())..]].concat();
        words.extend([self.kind.clone(), own]);
        for (flag, value) in [("-remsh", &self.name[..]), ("-mode", b"interactive")] {
            words.extend([flag.as_bytes().to_vec(), value.to_vec()]);
        }
        if let Some(cookie) = &self.cookie {
            words.extend([b"-setcookie".to_vec(), cookie.clone()]);
        }
        words.push(b"-hidden".to_vec());
        for word in [
            "-kernel",
            "net_ticktime",
            text(&ticks).trim(),
            "-dist_listen",
            "false",
        ] {
            words.push(word.as_bytes().to_vec());
        }
        words.extend(self.connections.iter().cloned());
        Ok(Act::Node(words))
    }
}

/// Why nothing but the release can be started.
pub(super) fn no_clean_script(carried: &Carried) -> Refusal {
    Refusal::plain(format!(
        "{}: the release has no boot script start_clean, so nothing but the release can be started. Pack it where the \
         OTP is installed that it was made with.",
        carried.program.display()
    ))
}

/// Whether the process with this number is there and has not ended, though nobody may have asked for its status yet.
fn is_running(pid: &str) -> bool {
    if pid.is_empty() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state stands behind the name, which is in parentheses.
    let state = status.rsplit_once(") ").map_or("", |(_, rest)| rest);
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

/// Stops the node and waits for its end.
fn stop(asked: &Asked) -> Act {
    let pid = asked.apply(b"os getpid");
    let answer = asked.apply(b"init stop");
    let (Ok(pid), Ok(_)) = (pid, answer) else {
        return Act::Answer(String::new(), 1);
    };
    let pid = text(&pid).trim().replace('"', "");
    while is_running(&pid) {
        thread::sleep(STOP_POLL);
    }
    Act::Answer(String::new(), 0)
}

/// The cookie of whoever asks, where the release names none.
fn cookie_of_user(carried: &Carried) -> Result<Word, Refusal> {
    let home = carried.variable("HOME").unwrap_or_default();
    let path = PathBuf::from(os(&home)).join(".erlang.cookie");
    let cookie = fs::read(&path).map_err(|error| {
        Refusal::plain(format!(
            "{}: the vm.args of the release names no cookie, and {}: {error}",
            carried.program.display(),
            path.display()
        ))
    })?;
    Ok(cookie.trim_ascii_end().to_vec())
}

/// Of `{ok, VALUE}` the value, as the script of relx cuts it out.
fn without_ok(answer: &[u8]) -> Vec<u8> {
    let inside = answer
        .strip_prefix(b"{ok, ")
        .and_then(|answer| answer.strip_suffix(b"}"));
    inside.unwrap_or(answer).to_vec()
}

/// A text as the shell prints it: with one line break at the end.
fn text(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    format!("{}\n", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_get_the_values_of_variables() {
        let mut environment = Environment::default();
        environment.set(b"HOST", b"h.example");
        environment.set(b"NODE", b"n@${HOST}");
        environment.set(b"SELF", b"${SELF}");
        environment.set(b"EMPTY", b"");
        for (text, expected) in [
            ("-name ${NODE}", "-name n@h.example\n"),
            ("${NONE:-a}${EMPTY:-b}${HOST:-c}\nx", "abh.example\nx\n"),
            ("${NONE}$HOST${open", "$HOST${open\n"),
            ("${SELF}", "${SELF}\n"),
        ] {
            let found = with_values(text, &environment);
            assert_eq!(String::from_utf8(found).unwrap(), expected);
        }
    }
}
