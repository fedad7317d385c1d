//! A release of mix: its commands, as its scripts `bin/NAME`, `elixir` and `iex` carry them out, without a shell.
//!
//! Those scripts say in a few places what differs between versions of Elixir. [`facts`] reads these when the release is
//! packed, and refuses scripts that have other places; the rest is here.

use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::carried::{Act, Carried, random};
use super::daemon;
use super::env_sh;
use crate::refusal::Refusal;
use crate::words::{Word, at_spaces, os};

/// What is said of commands when one is not known.
pub(super) const COMMANDS: &str = "start, start_iex, daemon, daemon_iex, eval EXPR, rpc EXPR, remote, restart, stop, pid, version";

/// The words with which every start of Elixir begins.
const BEGIN: &str = "mix_begin";
/// The words of a start without IEx, and of one with it.
const CLI: &str = "mix_cli";
const IEX: &str = "mix_iex";
/// The words in front of RELEASE_MODE.
const MODE: &str = "mix_mode";
/// Set if colours are switched on where output goes to a terminal.
const COLOURS: &str = "mix_colours";
/// Set if `eval` passes on what follows its expression.
const EVAL_ARGUMENTS: &str = "mix_eval_arguments";

/// The facts about a release whose scripts are in `root`; `None` if mix has not made it.
pub(super) fn facts(
    root: &Path,
    version: &str,
    name: &str,
) -> Result<Option<Vec<(&'static str, String)>>, String> {
    let folder = root.join("releases").join(version);
    if !folder.join("elixir").is_file() {
        return Ok(None);
    }
    let read = |path: PathBuf| {
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let elixir = read(folder.join("elixir"))?;
    let iex = read(folder.join("iex"))?;
    let script = read(root.join("bin").join(name))?;
    let found = || {
        let begin = between(
            &elixir,
            "set -- \"$ERTS_BIN$ERL_EXEC\" ",
            "$ELIXIR_ERL_OPTIONS $ERL",
        )?;
        let cli = between(&elixir, "\"$MODE\" != \"iex\" ]; then ERL=\"", "$ERL\"")?;
        let iex = between(&iex, "--no-halt --erl \"", "\" +iex \"$@\"")?;
        let mode = between(&script, "--erl \"", "$RELEASE_MODE\"")?;
        let flag = |is_set| if is_set { "yes" } else { "" }.to_owned();
        Some(vec![
            ("tool", "mix".to_owned()),
            (BEGIN, begin.to_owned()),
            (CLI, cli.to_owned()),
            (IEX, iex.to_owned()),
            (MODE, mode.to_owned()),
            (COLOURS, flag(elixir.contains("-elixir ansi_enabled true"))),
            (
                EVAL_ARGUMENTS,
                flag(script.contains("--eval \"$script\" -- \"$@\"")),
            ),
        ])
    };
    found().map(Some).ok_or_else(|| {
        format!(
            "{}: the scripts elixir and iex there are not those of any Elixir that this ferl knows (1.9 to 1.20)",
            folder.display()
        )
    })
}

/// What stands in one line between two texts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| Some(line.split_once(before)?.1.split_once(after)?.0))
}

/// Carries out a command of the release; `None` if there is none of that name.
pub(super) fn obey(
    carried: &mut Carried,
    command: &str,
    typed: &[Word],
    rest: &[Word],
) -> Result<Option<Act>, Refusal> {
    prepare(carried, command, typed)?;
    let expression = || {
        rest.first()
            .filter(|text| !text.is_empty())
            .cloned()
            .ok_or_else(|| {
                let command = command.to_uppercase();
                Refusal::plain(format!(
                    "ERROR: {command} expects an expression as argument"
                ))
            })
    };
    let words = match command {
        "start" | "foreground" => start(carried, Program::Elixir, rest)?,
        "start_iex" | "console" => start(carried, Program::Iex, rest)?,
        "daemon" | "daemon_iex" => {
            let program = match command {
                "daemon" => Program::Elixir,
                _ => Program::Iex,
            };
            let words = start(carried, program, rest)?;
            let folder = temporary(carried)?;
            return Err(daemon::run(
                carried,
                &folder.join("pipe"),
                &folder.join("log"),
                &words,
            ));
        }
        "eval" => {
            set_config(carried)?;
            let mut words = Elixir::new(carried, Program::Elixir, &[]);
            words.pair(b"-setcookie", &variable(carried, "RELEASE_COOKIE"));
            words.pair(b"-config", &variable(carried, "RELEASE_SYS_CONFIG"));
            words.boot(carried, "RELEASE_BOOT_SCRIPT_CLEAN", "RELEASE_VM_ARGS");
            let mut tail = vec![b"--eval".to_vec(), expression()?];
            if !carried.image.fact(EVAL_ARGUMENTS).is_empty() {
                tail.push(b"--".to_vec());
                tail.extend(rest[1..].iter().cloned());
            }
            words.finish(tail)
        }
        "rpc" => rpc(carried, &expression()?)?,
        "restart" | "stop" => rpc(carried, format!("System.{command}()").as_bytes())?,
        "pid" => rpc(carried, b"IO.puts System.pid()")?,
        "remote" => {
            let mut words = Elixir::new(carried, Program::Iex, &[b"-hidden"]);
            asking(carried, &mut words, "rem")?;
            words.finish(vec![b"--remsh".to_vec(), variable(carried, "RELEASE_NODE")])
        }
        "version" => {
            let text = [
                variable(carried, "RELEASE_NAME"),
                variable(carried, "RELEASE_VSN"),
            ];
            let text = text.map(|word| String::from_utf8_lossy(&word).into_owned());
            return Ok(Some(Act::Answer(format!("{}\n", text.join(" ")), 0)));
        }
        _ => return Ok(None),
    };
    Ok(Some(Act::Node(words)))
}

/// A variable that [`prepare`] has set.
fn variable(carried: &Carried, name: &str) -> Word {
    carried.variable(name).unwrap_or_default()
}

/// Sets the variables of a release as `bin/NAME` does, `env.sh` included.
fn prepare(carried: &mut Carried, command: &str, typed: &[Word]) -> Result<(), Refusal> {
    let root = carried.program.clone();
    let name = carried.image.fact("name").to_owned();
    let release = carried.image.fact("release").to_owned();
    let environment = &mut carried.environment;
    let called = root.file_name().unwrap_or_default().as_bytes().to_vec();
    environment.set(b"RELEASE_ROOT", root.as_os_str().as_bytes());
    environment.set(b"RELEASE_COMMAND", command.as_bytes());
    let mut default = |name: &str, value: &[u8]| {
        if environment.get_non_empty(name).is_none() {
            environment.set(name.as_bytes(), value);
        }
    };
    default("RELEASE_NAME", name.as_bytes());
    default("RELEASE_VSN", release.as_bytes());
    default("RELEASE_PROG", &called);
    let folder = format!("releases/{}", carried.version());
    if let Some(text) = carried.image.text(&format!("{folder}/env.sh")) {
        env_sh::carry_out(&text, &root, typed, &mut carried.environment)?;
    }
    let cookie = carried.image.text("releases/COOKIE").unwrap_or_default();
    let vm_args = carried.path(&format!("{folder}/vm.args"));
    let remote_vm_args = carried.path(&format!("{folder}/remote.vm.args"));
    let node = variable(carried, "RELEASE_NAME");
    for (name, value) in [
        ("RELEASE_COOKIE", cookie.trim_end().as_bytes()),
        ("RELEASE_MODE", b"embedded"),
        ("RELEASE_NODE", &node),
        ("RELEASE_VM_ARGS", &vm_args),
        ("RELEASE_REMOTE_VM_ARGS", &remote_vm_args),
        ("RELEASE_DISTRIBUTION", b"sname"),
        ("RELEASE_BOOT_SCRIPT", b"start"),
        ("RELEASE_BOOT_SCRIPT_CLEAN", b"start_clean"),
    ] {
        if carried.environment.get_non_empty(name).is_none() {
            carried.environment.set(name.as_bytes(), value);
        }
    }
    Ok(())
}

/// The folder for what must be written: RELEASE_TMP, or one that only this user can reach. A plain release has `tmp` in
/// its own folder.
fn temporary(carried: &mut Carried) -> Result<PathBuf, Refusal> {
    if let Some(folder) = carried.variable("RELEASE_TMP") {
        let folder = PathBuf::from(os(&folder));
        fs::create_dir_all(&folder).map_err(|error| {
            Refusal::plain(format!(
                "ERROR: RELEASE_TMP names {}, which cannot be made: {error}. Name a folder that can be written to.",
                folder.display()
            ))
        })?;
        return Ok(folder);
    }
    let name = String::from_utf8_lossy(&variable(carried, "RELEASE_NAME")).into_owned();
    let folder = carried.private_folder(&name, "RELEASE_TMP")?;
    carried
        .environment
        .set(b"RELEASE_TMP", folder.as_os_str().as_bytes());
    Ok(folder)
}

/// Sets RELEASE_SYS_CONFIG. A configuration that providers write before the node is rebooted with it is copied to where
/// it can be written.
fn set_config(carried: &mut Carried) -> Result<(), Refusal> {
    let own = carried.path(&format!("releases/{}/sys", carried.version()));
    let name = carried.variable("RELEASE_SYS_CONFIG").unwrap_or(own);
    let contents = carried.read(&[&name, &b".config"[..]].concat());
    let contents = contents.unwrap_or_default();
    let mark = b"RUNTIME_CONFIG=true";
    let name = match contents.windows(mark.len()).any(|part| part == mark) {
        true => {
            let folder = temporary(carried)?;
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let copy = folder.join(format!(
                "{}-{}-{}-{}.runtime",
                String::from_utf8_lossy(&variable(carried, "RELEASE_NAME")),
                carried.version(),
                now.map_or(0, |now| now.as_secs()),
                random()
            ));
            let mut file = copy.clone().into_os_string();
            file.push(".config");
            write_new(Path::new(&file), &contents).map_err(|error| {
                Refusal::plain(format!(
                    "ERROR: Cannot start release because it could not write {}: {error}. Make room for it, or name \
                     another folder by RELEASE_TMP.",
                    file.display()
                ))
            })?;
            copy.as_os_str().as_bytes().to_vec()
        }
        false => name,
    };
    carried.environment.set(b"RELEASE_SYS_CONFIG", &name);
    Ok(())
}

/// Writes a file that only this user can read, for it may hold secrets. What cannot be written wholly is removed.
fn write_new(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let written = file.write_all(contents);
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// The flag and name of a node; nothing if nodes are not to have one.
fn distribution(carried: &Carried, name: &[u8]) -> Result<Vec<Word>, Refusal> {
    let kind = variable(carried, "RELEASE_DISTRIBUTION");
    match kind.as_slice() {
        b"none" => Ok(Vec::new()),
        b"name" | b"sname" => Ok(vec![[b"-", &kind[..]].concat(), name.to_vec()]),
        other => Err(Refusal::plain(format!(
            "ERROR: Expected sname, name, or none in RELEASE_DISTRIBUTION, got: {}",
            String::from_utf8_lossy(other)
        ))),
    }
}

/// The words that start the release.
fn start(carried: &mut Carried, program: Program, rest: &[Word]) -> Result<Vec<Word>, Refusal> {
    set_config(carried)?;
    let mode = variable(carried, "RELEASE_MODE");
    let flags: Vec<Word> = at_spaces(carried.image.fact(MODE).as_bytes())
        .chain(at_spaces(&mode))
        .collect();
    let flags: Vec<&[u8]> = flags.iter().map(Vec::as_slice).collect();
    let mut words = Elixir::new(carried, program, &flags);
    words.pair(b"-setcookie", &variable(carried, "RELEASE_COOKIE"));
    words.several(distribution(carried, &variable(carried, "RELEASE_NODE"))?);
    words.pair(b"-config", &variable(carried, "RELEASE_SYS_CONFIG"));
    words.boot(carried, "RELEASE_BOOT_SCRIPT", "RELEASE_VM_ARGS");
    let mut tail = Vec::new();
    if let Program::Elixir = program {
        tail.push(b"--no-halt".to_vec());
    }
    // The scripts of mix pass on none.
    if !rest.is_empty() {
        tail.push(b"--".to_vec());
        tail.extend(rest.iter().cloned());
    }
    Ok(words.finish(tail))
}

/// The words of a node that asks the running one to carry out this.
fn rpc(carried: &Carried, expression: &[u8]) -> Result<Vec<Word>, Refusal> {
    let mut words = Elixir::new(carried, Program::Elixir, &[b"-hidden"]);
    asking(carried, &mut words, "rpc")?;
    Ok(words.finish(vec![
        b"--rpc-eval".to_vec(),
        variable(carried, "RELEASE_NODE"),
        expression.to_vec(),
    ]))
}

fn asking(carried: &Carried, words: &mut Elixir, kind: &str) -> Result<(), Refusal> {
    words.pair(b"-setcookie", &variable(carried, "RELEASE_COOKIE"));
    let node = variable(carried, "RELEASE_NODE");
    let own = [format!("{kind}-{}-", random()).as_bytes(), &node].concat();
    words.several(distribution(carried, &own)?);
    words.boot(
        carried,
        "RELEASE_BOOT_SCRIPT_CLEAN",
        "RELEASE_REMOTE_VM_ARGS",
    );
    Ok(())
}

/// A script of Elixir's.
#[derive(Clone, Copy)]
enum Program {
    Elixir,
    Iex,
}

/// The words that a script of Elixir's makes, so far.
struct Elixir {
    program: Program,
    words: Vec<Word>,
}

impl Elixir {
    fn new(carried: &Carried, program: Program, flags: &[&[u8]]) -> Elixir {
        let fact = |key| at_spaces(carried.image.fact(key).as_bytes());
        let mut words: Vec<Word> = fact(BEGIN).collect();
        words.extend(at_spaces(&variable(carried, "ELIXIR_ERL_OPTIONS")));
        let is_terminal = || io::stdout().is_terminal() && io::stderr().is_terminal();
        let colours = !carried.image.fact(COLOURS).is_empty();
        if colours && carried.variable("NO_COLOR").is_none() && is_terminal() {
            words.extend(at_spaces(b"-elixir ansi_enabled true"));
        }
        words.extend(fact(match program {
            Program::Elixir => CLI,
            Program::Iex => IEX,
        }));
        words.extend(flags.iter().map(|flag| flag.to_vec()));
        Elixir { program, words }
    }

    fn pair(&mut self, flag: &[u8], value: &[u8]) {
        self.words.extend([flag.to_vec(), value.to_vec()]);
    }

    fn several(&mut self, words: Vec<Word>) {
        self.words.extend(words);
    }

    /// Adds the boot script and the arguments file that these variables name.
    fn boot(&mut self, carried: &Carried, script: &str, vm_args: &str) {
        let folder = carried.path(&format!("releases/{}/", carried.version()));
        self.pair(b"-boot", &[folder, variable(carried, script)].concat());
        self.pair(b"-boot_var", b"RELEASE_LIB");
        self.words.push(carried.path("lib"));
        self.pair(b"-args_file", &variable(carried, vm_args));
    }

    fn finish(mut self, tail: Vec<Word>) -> Vec<Word> {
        self.words.push(b"-extra".to_vec());
        if let Program::Iex = self.program {
            self.words.extend([b"--no-halt".to_vec(), b"+iex".to_vec()]);
        }
        self.words.extend(tail);
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_versions_is_read_from_the_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let found = || facts(folder.path(), "1", "app");
        assert_eq!(found(), Ok(None));
        write(
            "releases/1/iex",
            "exec elixir --no-halt --erl \"-user elixir\" +iex \"$@\"\n",
        );
        write(
            "bin/app",
            "  --erl \"-mode $RELEASE_MODE\" \\\n --eval \"$2\"\n",
        );
        write(
            "releases/1/elixir",
            "if [ \"$MODE\" != \"iex\" ]; then ERL=\"-s elixir start_cli $ERL\"; fi\n\
             set -- \"$ERTS_BIN$ERL_EXEC\" -noshell $ELIXIR_ERL_OPTIONS $ERL \"$@\"\n",
        );
        let facts = found().unwrap().unwrap();
        let fact = |key| &*facts.iter().find(|(name, _)| *name == key).unwrap().1;
        assert_eq!(fact(BEGIN), "-noshell ");
        assert_eq!(fact(CLI), "-s elixir start_cli ");
        assert_eq!(fact(IEX), "-user elixir");
        assert_eq!(fact(MODE), "-mode ");
        assert_eq!((fact(COLOURS), fact(EVAL_ARGUMENTS)), ("", ""));
        write("releases/1/elixir", "another script\n");
        assert!(found().unwrap_err().contains("not those of any Elixir"));
    }
}
