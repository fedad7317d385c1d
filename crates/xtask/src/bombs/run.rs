//! One bomb in one node, in a control group of its own.

use super::group::{Group, Limit};
use super::kinds::Kind;
use super::witness::Witness;
use crate::cluster::nodes::{self, MARK};
use crate::project;
use crate::stock::Stock;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use watch::{End, Invocation, Next, Outcome, marked};

/// What a node has besides the bomb's time.
const GRACE: Duration = Duration::from_secs(60);
/// What programs that are not of the node have for their end.
const PATIENCE: Duration = Duration::from_millis(500);
const FOLLOWS: &str = "bombs: ";
const OTHER_NODE: &str = "other@127.0.0.1";

/// What the bombs are run on.
pub(crate) struct Machine {
    pub(crate) name: &'static str,
    program: PathBuf,
    environment: Option<(&'static str, String)>,
}

impl Machine {
    pub(crate) fn ferl(program: PathBuf, stock: &Stock) -> Machine {
        let environment = stock.environment();
        Machine {
            name: "ferl",
            program,
            environment: environment.map(|(name, root)| (name, root.display().to_string())),
        }
    }

    pub(crate) fn stock(stock: &Stock) -> Machine {
        Machine {
            name: "stock",
            program: stock.erl.clone(),
            environment: None,
        }
    }
}

/// What a run has shown.
pub(crate) struct Seen {
    pub(crate) end: End,
    /// Processes that the kernel has killed for want of memory.
    pub(crate) kills: u64,
    /// The most that was taken, of what the group has.
    pub(crate) peak_percent: u64,
    pub(crate) silence: Duration,
    /// How long the bomb took, and how it ended.
    pub(crate) bomb: Option<(u64, String)>,
    /// What the guard counted, and the level afterwards.
    pub(crate) guard: Option<(u64, String)>,
    pub(crate) lives: bool,
    pub(crate) last_words: String,
}

/// Where the bombs are, and the port mapper of nodes that are two.
pub(crate) struct Place {
    folder: PathBuf,
    mapper: Child,
    mapper_port: u16,
}

impl Place {
    pub(crate) fn new(folder: PathBuf) -> Result<Place> {
        let mapper_port = nodes::unused_port()?;
        let mapper = Command::new(project::port_mapper()?)
            .env("ERL_EPMD_PORT", mapper_port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            .stderr(Stdio::null())
            .spawn()
            .context("the port mapper does not start")?;
        Ok(Place {
            folder,
            mapper,
            mapper_port,
        })
    }

    /// What a node takes that does nothing, where that matters.
    fn idle_bytes(&self, machine: &Machine, schedulers: u32, limit: Limit) -> Result<u64> {
        if limit != Limit::Idle {
            return Ok(0);
        }
        let mut bytes = 0;
        self.node(machine, schedulers, None)
            .args(["-noshell"])
            .look_every(Duration::from_secs(2))
            .run_looking(|look| {
                bytes = watch::resident_bytes(look.process).unwrap_or(0);
                Next::Enough
            })?;
        Ok(bytes)
    }

    pub(crate) fn explode(
        &self,
        machine: &Machine,
        kind: &Kind,
        limit: Limit,
        schedulers: u32,
    ) -> Result<Seen> {
        let bytes = limit.bytes(self.idle_bytes(machine, schedulers, limit)?);
        let group = Group::new(bytes).context("no memory group can be made")?;
        let witness = Witness::new()?;
        let mark = format!("bombs-{}", std::process::id());
        let mut node = self
            .node(machine, schedulers, Some(&group))
            .env(MARK, &mark);
        let patience = limit.patience();
        let mut arguments = vec![
            kind.name.to_owned(),
            witness.port.to_string(),
            patience.as_secs().to_string(),
        ];
        if kind.needs_other_node {
            self.start_other_node(&mark)?;
            node = node.args(["-name", "bomb@127.0.0.1", "-setcookie", "bombs"]);
            arguments.push(OTHER_NODE.to_owned());
        }
        let outcome = node
            .args(["-noshell", "-s", "bombs", "main", "-extra"])
            .args(arguments)
            .timeout(patience + GRACE)
            .run()?;
        marked::end(MARK, &mark, PATIENCE);
        Ok(Seen {
            kills: group.kills(),
            peak_percent: group.peak() * 100 / bytes,
            silence: witness.longest_silence(),
            ..Seen::printed(&outcome)
        })
    }

    /// A node in a group, or in none; its flags follow.
    fn node(&self, machine: &Machine, schedulers: u32, group: Option<&Group>) -> Invocation {
        let members = group.map_or("/dev/null".into(), Group::members);
        let mut invocation = Invocation::new("sh".as_ref(), &self.folder)
            .args(["-c", "echo $$ > \"$0\"; exec \"$@\""])
            .arg(members)
            .arg(&machine.program)
            .arg("+S")
            .arg(format!("{schedulers}:{schedulers}"))
            .memory_limit_bytes(u64::MAX)
            .env("ERL_EPMD_PORT", &self.mapper_port.to_string());
        if let Some((name, value)) = &machine.environment {
            invocation = invocation.env(name, value);
        }
        invocation
    }

    /// A node of stock outside of the group.
    fn start_other_node(&self, mark: &str) -> Result<()> {
        Command::new(&stock::usual()?.erl)
            .args(["-noinput", "-name", OTHER_NODE, "-setcookie", "bombs"])
            .current_dir(&self.folder)
            .env("HOME", &self.folder)
            .env("ERL_EPMD_PORT", self.mapper_port.to_string())
            .env(MARK, mark)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("the other node does not start")?;
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.mapper.kill();
        let _ = self.mapper.wait();
    }
}

impl Seen {
    fn printed(outcome: &Outcome) -> Seen {
        let printed = String::from_utf8_lossy(&outcome.stdout);
        let errors = String::from_utf8_lossy(&outcome.stderr);
        let told = |what: &str| {
            let mut lines = printed.lines().chain(errors.lines());
            lines.find_map(|line| line.split_once(FOLLOWS)?.1.strip_prefix(what))
        };
        let numbered = |what: &str| {
            let (number, text) = told(what)?.trim().split_once(' ')?;
            Some((number.parse().ok()?, text.to_owned()))
        };
        Seen {
            end: outcome.end,
            kills: 0,
            peak_percent: 0,
            silence: Duration::ZERO,
            bomb: numbered("ended "),
            guard: numbered("guard "),
            lives: told("lives").is_some(),
            last_words: outcome.last_words(3),
        }
    }
}
