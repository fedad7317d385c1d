//! Two nodes that run one program, and the port mapper that they find each other by.
//!
//! Each run has a port mapper of its own, on a port that nobody else uses, and a home of its own with a cookie that its
//! first node makes. So runs beside each other may use the same names, which need no place-holders in what is printed.
//!
//! Invariant: when a run returns, everything that it has started is gone, also nodes that the program itself has
//! started: they are found by a mark in their environment. One that would have stayed is named in the output.

use crate::differential::judge::Scratch;
use crate::differential::program::Program;
use crate::project;
use anyhow::{Context, Result, anyhow};
use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;
use watch::{Invocation, Look, Next, Outcome, marked};

/// What both nodes are started with. Only this host can connect to them, and on a busy one it may take its time.
pub(crate) const FLAGS: [&str; 6] = [
    "-kernel",
    "inet_dist_use_interface",
    "{127,0,0,1}",
    "-kernel",
    "net_setuptime",
    "60",
];

const NAMES: [&str; 2] = ["a@localhost", "b@localhost"];
/// What `cluster:up/0` prints when its node can be connected to and has all that programs need.
const UP: &[u8] = b"up\n";
/// The mark of a run, in the environment of all that it starts.
pub(crate) const MARK: &str = "CLUSTER_RUN";
/// How long nodes that the program has started have time to end by themselves.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often those beside the program are looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// What two nodes need to run a program.
pub(crate) struct Nodes<'a> {
    program: &'a Program,
    code: &'a [&'a Path],
    timeout: Duration,
    /// The working directory and the home of both.
    scratch: Scratch,
    /// The port mapper's.
    port: u16,
    mark: String,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(
        program: &'a Program,
        code: &'a [&'a Path],
        timeout: Duration,
    ) -> Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(Nodes {
            program,
            code,
            timeout,
            scratch: Scratch::new(program)?,
            port: unused_port()?,
            mark: format!("{}-{count}", std::process::id()),
        })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.scratch.0
    }

    /// A script that starts `erl` and tells it the port mapper's port by a flag. A release that was unpacked beside the
    /// system may lack the program that makes this flag of the environment.
    pub(crate) fn started_with_port(&self, erl: &Path, which: &str) -> Result<PathBuf> {
        let folder = self.folder().join(which);
        fs::create_dir_all(&folder)?;
        let script = folder.join("erl");
        let erl = erl.display();
        let text = format!("#!/bin/sh\nexec {erl} -epmd_port {} \"$@\"\n", self.port);
        fs::write(&script, text)?;
        fs::set_permissions(&script, Permissions::from_mode(0o755))?;
        Ok(script)
    }

    /// Runs the program on `a`, beside `b`. The outcome is that of `a`, with what `b` printed behind what `a` printed.
    pub(crate) fn run(&self, a: Invocation, b: Invocation) -> Result<Outcome> {
        let paths = [&a, &b].map(|node| node.program.display().to_string());
        let is_over = AtomicBool::new(false);
        let outcome = thread::scope(|scope| {
            let outcome = self.run_between(scope, a, b, &paths, &is_over);
            // Also after an error, or the scope would wait for those beside the program.
            is_over.store(true, Ordering::Release);
            outcome?.finish()
        });
        let left = marked::end(MARK, &self.mark, PATIENCE);
        let mut outcome = outcome?;
        for command in left {
            outcome
                .stdout
                .extend(format!("still there: {command}\n").bytes());
        }
        Ok(outcome)
    }

    fn run_between<'scope>(
        &self,
        scope: &'scope Scope<'scope, '_>,
        a: Invocation,
        b: Invocation,
        paths: &[String; 2],
        is_over: &'scope AtomicBool,
    ) -> Result<Ended<'scope>> {
        let port = self.port;
        let listens = move |_: &Look| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok();
        let mapper = self.with_surroundings(
            Invocation::new(&project::port_mapper()?, self.folder()),
            paths,
        );
        let mapper = Beside::start(scope, "the port mapper", mapper, listens, is_over)?;

        let b = self.node(b, paths, NAMES[1]).arg("-noinput");
        let b = b.args(["-s", "cluster", "up"]);
        let is_up = |look: &Look| look.stdout.starts_with(UP);
        let b = Beside::start(scope, "node b", b, is_up, is_over)?;

        let a = self.node(a, paths, NAMES[0]);
        let a = self.program.main(a, &NAMES[1..]).run()?;
        Ok(Ended { a, b, mapper })
    }

    /// A node with this name, which is yet to be told what to do.
    fn node(&self, invocation: Invocation, paths: &[String; 2], name: &str) -> Invocation {
        let invocation = self.with_surroundings(invocation, paths);
        self.program
            .flags(invocation.args(FLAGS).args(["-sname", name]), self.code)
            .timeout(self.timeout)
    }

    /// With the environment that all processes of the run have: the programs of both nodes are there to start further
    /// nodes.
    fn with_surroundings(&self, invocation: Invocation, paths: &[String; 2]) -> Invocation {
        invocation
            .timeout(self.timeout * 2)
            .look_every(LOOK_INTERVAL)
            .env(MARK, &self.mark)
            .env("ERL_EPMD_PORT", &self.port.to_string())
            .env("ERL_EPMD_ADDRESS", "127.0.0.1")
            // The port mapper runs already, and that of a release unpacked beside the system may not run here.
            .env("ERL_FLAGS", "-start_epmd false")
            .env("CLUSTER_A", &paths[0])
            .env("CLUSTER_B", &paths[1])
    }
}

/// A run whose program has ended.
struct Ended<'scope> {
    a: Outcome,
    b: Beside<'scope>,
    mapper: Beside<'scope>,
}

impl Ended<'_> {
    fn finish(self) -> Result<Outcome> {
        let Ended { a, b, mapper } = self;
        let mut whole = a;
        mapper.finish()?;
        let (b, was_ended) = b.finish()?;
        let printed = b.stdout.strip_prefix(UP).unwrap_or(&b.stdout);
        if !printed.is_empty() {
            whole.stdout.extend(b"node b printed:\n");
            whole.stdout.extend(printed);
        }
        if !was_ended {
            whole
                .stdout
                .extend(format!("node b ended: {}\n", b.end).bytes());
        }
        whole.stderr.extend(b.stderr);
        Ok(whole)
    }
}

/// What runs beside the program until that has ended, each watched by a thread of its own.
struct Beside<'scope> {
    name: &'static str,
    thread: ScopedJoinHandle<'scope, Result<(Outcome, bool)>>,
}

impl<'scope> Beside<'scope> {
    /// Returns as soon as it is up.
    fn start(
        scope: &'scope Scope<'scope, '_>,
        name: &'static str,
        invocation: Invocation,
        mut is_up: impl FnMut(&Look) -> bool + Send + 'scope,
        is_over: &'scope AtomicBool,
    ) -> Result<Self> {
        let (sender, came_up) = channel();
        let watch = move || {
            let mut sender = Some(sender);
            let mut was_ended = false;
            let outcome = invocation.run_looking(|look| {
                // Without a receiver nobody waits for it.
                if sender.is_some() && is_up(look) {
                    sender.take().map(|sender| sender.send(()));
                }
                was_ended = is_over.load(Ordering::Acquire);
                if was_ended { Next::Enough } else { Next::GoOn }
            })?;
            Ok((outcome, was_ended))
        };
        let beside = Beside {
            name,
            thread: scope.spawn(watch),
        };
        beside.await_up(&came_up)
    }

    fn await_up(self, came_up: &Receiver<()>) -> Result<Self> {
        if came_up.recv().is_ok() {
            return Ok(self);
        }
        let name = self.name;
        let (outcome, _) = self.finish()?;
        Err(anyhow!(
            "{name} did not come up: {}\n{}",
            outcome.end,
            outcome.last_words(10)
        ))
    }

    /// Its outcome, and whether it was there until the program had ended.
    fn finish(self) -> Result<(Outcome, bool)> {
        self.thread
            .join()
            .map_err(|_| anyhow!("the thread that watched {} died", self.name))?
    }
}

/// A port that nobody listens on.
pub(crate) fn unused_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is unused")?;
    Ok(listener.local_addr()?.port())
}
