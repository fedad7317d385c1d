//! A server that runs for as long as it is measured. What it says goes to a file, of which the end is shown if it
//! fails.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(300);
/// How long a server may take to end by itself.
const END_TIMEOUT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);
/// The most that is shown of what a server said.
const LAST_WORDS_LINES: usize = 5;

pub(super) struct Server {
    child: Child,
    log: PathBuf,
}

/// The last lines of what a program has written.
pub(super) fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(LAST_WORDS_LINES)..].join(" | ")
}

impl Server {
    /// Starts a server that is spoken to through its sockets.
    pub(super) fn start(command: &mut Command, log: &Path) -> Result<Server> {
        command.stdin(Stdio::null()).stdout(errors(log)?);
        Server::started(command, log)
    }

    /// Starts a server that prints lines to be read, and waits for lines.
    pub(super) fn start_talking(command: &mut Command, log: &Path) -> Result<(Server, Talk)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = Server::started(command, log)?;
        let says = server.child.stdout.take().context("no output")?;
        let hears = server.child.stdin.take().context("no input")?;
        let says = BufReader::new(says);
        Ok((server, Talk { says, hears }))
    }

    fn started(command: &mut Command, log: &Path) -> Result<Server> {
        command.stderr(errors(log)?);
        // It must not outlive this program, which may be killed.
        sys::child::bound::bind(command);
        let program = command.get_program().to_owned();
        let child = command
            .spawn()
            .with_context(|| program.display().to_string())?;
        Ok(Server {
            child,
            log: log.to_path_buf(),
        })
    }

    /// The process id.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the server does what is asked of it.
    pub(super) fn wait_for<T>(&mut self, mut ask: impl FnMut() -> Result<T>) -> Result<T> {
        let began = Instant::now();
        loop {
            let error = match ask() {
                Ok(found) => return Ok(found),
                Err(error) => error,
            };
            if let Some(status) = self.child.try_wait()? {
                bail!("the server has ended: {status}: {}", self.last_words());
            }
            if began.elapsed() > READY_TIMEOUT {
                return Err(
                    error.context(format!("the server is not ready: {}", self.last_words()))
                );
            }
            thread::sleep(PAUSE);
        }
    }

    /// The last lines that the server has written.
    pub(super) fn last_words(&self) -> String {
        last_words(&self.log)
    }

    /// Has the server end by the signal that it takes for that.
    pub(super) fn stop(mut self) {
        let _ = Command::new("kill").arg(self.id().to_string()).status();
        let began = Instant::now();
        while began.elapsed() < END_TIMEOUT && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What is said between a program and whoever measures it.
pub(super) struct Talk {
    says: BufReader<ChildStdout>,
    hears: ChildStdin,
}

impl Talk {
    /// Reads up to the line that begins with this text, and returns what follows it.
    pub(super) fn expect(&mut self, server: &Server, beginning: &str) -> Result<String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.says.read_line(&mut line)? == 0 {
                // What it has to say is written by the time it has ended.
                thread::sleep(PAUSE);
                bail!("the program has ended: {}", server.last_words());
            }
            if let Some(rest) = line.strip_prefix(beginning) {
                return Ok(rest.trim().to_owned());
            }
        }
    }

    pub(super) fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.hears, "{line}").context("the program does not listen")
    }
}

fn errors(log: &Path) -> Result<File> {
    let file = File::options().create(true).append(true).open(log);
    file.with_context(|| log.display().to_string())
}

/// A port number that nobody uses now.
pub(super) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("a free port")?;
    Ok(listener.local_addr()?.port())
}

pub(super) fn connect(port: u16) -> Result<TcpStream> {
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect(server).with_context(|| format!("port {port}"))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
