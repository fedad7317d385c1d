//! ejabberd as Debian packs it, with a configuration and folders of its own: sessions of anonymous users, messages and
//! presence between two of them each.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use super::load::{WARM_UP_SHARE, rest, under_load};
use super::programs;
use super::server::{Server, connect, free_port};
use super::stage::{Stage, installed, number};
use super::threads::share_out;
use super::trips::{self, Protocol, SILENCE, position, read_until};

const LIBRARY: &str = "/usr/lib/*/ejabberd-*/ebin";
/// Threads that log in.
const LOGINS: usize = 8;
const IN_FLIGHT: usize = 50;
const PAIRS: usize = 100;
/// Whoever connects before the node has started all of its parts is never answered.
const SILENCE_AT_START: Duration = Duration::from_secs(2);

/// `sessions COUNT`, `messages COUNT` or `presence COUNT`.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let [what, count] = arguments[..] else {
        bail!("expected sessions, messages or presence, and a number");
    };
    let (server, port) = start(stage)?;
    match what {
        "sessions" => sessions(&server, port, number(count)?)?,
        "messages" => talk(&server, port, number(count)?, "message")?,
        "presence" => talk(&server, port, number(count)?, "presence")?,
        _ => bail!("ejabberd is not asked for {what}"),
    }
    server.stop();
    Ok(())
}

fn configuration(port: u16) -> String {
    format!(
        "loglevel: warning\n\
         hosts:\n  - localhost\n\
         auth_method: anonymous\n\
         anonymous_protocol: sasl_anon\n\
         allow_multiple_connections: true\n\
         listen:\n  -\n    port: {port}\n    ip: \"127.0.0.1\"\n    module: ejabberd_c2s\n    backlog: 1000\n    \
         shaper: none\n    access: all\n\
         modules:\n  mod_disco: {{}}\n  mod_roster: {{}}\n"
    )
}

/// Starts the node as `ejabberdctl foreground` does, which itself knows one `erl` only.
fn start(stage: &Stage) -> Result<(Server, u16)> {
    let port = free_port()?;
    let ebin = installed(LIBRARY)?;
    let libraries = ebin.ancestors().nth(2).context("a folder of libraries")?;
    let configuration = stage.write("ejabberd.yml", &configuration(port))?;
    let spool = stage.new_folder("spool")?;
    let logs = stage.new_folder("logs")?;
    let mut command: Command = programs::command(stage);
    command
        .args(["-noinput", "+K", "true", "+P", "250000", "-mnesia", "dir"])
        .arg(format!("\"{}\"", spool.display()))
        .args(["-s", "ejabberd"])
        .env("ERL_LIBS", libraries)
        .env("ERL_MAX_PORTS", "32000")
        .env("EJABBERD_CONFIG_PATH", configuration)
        .env("EJABBERD_LOG_PATH", logs.join("ejabberd.log"));
    let mut server = Server::start(&mut command, &stage.folder.join("server.log"))?;
    server.wait_for(|| login(port, SILENCE_AT_START))?;
    Ok((server, port))
}

/// A session: its connection, and the name by which others reach it.
struct Session {
    stream: TcpStream,
    name: String,
}

fn login(port: u16, silence: Duration) -> Result<Session> {
    const STREAM: &str = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' \
                          version='1.0' to='localhost'>";
    const BIND: &str =
        "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>";
    let mut stream = connect(port)?;
    let mut ask = |words: &str, until: &str| -> Result<String> {
        stream.write_all(words.as_bytes())?;
        read_until(&mut stream, until, silence)
    };
    ask(STREAM, "</stream:features>")?;
    ask(
        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='ANONYMOUS'/>",
        "<success",
    )?;
    ask(STREAM, "</stream:features>")?;
    let bound = ask(BIND, "</iq>")?;
    let name = bound
        .split("<jid>")
        .nth(1)
        .and_then(|rest| rest.split("</jid>").next());
    let name = name
        .with_context(|| format!("no name in {bound}"))?
        .to_owned();
    // A session that is present gets its own presence.
    ask("<presence><status>here</status></presence>", "</presence>")?;
    Ok(Session { stream, name })
}

fn log_in(port: u16, count: usize) -> Result<Vec<Session>> {
    share_out(LOGINS, count, |_| login(port, SILENCE))
}

fn sessions(server: &Server, port: u16, count: usize) -> Result<()> {
    drop(log_in(port, count / WARM_UP_SHARE as usize)?);
    let (sessions, load) = under_load(server, || log_in(port, count))?;
    load.print(count as u64);
    rest(server);
    drop(sessions);
    Ok(())
}

/// Pairs of sessions send each other stanzas.
fn talk(server: &Server, port: u16, count: u64, stanza: &'static str) -> Result<()> {
    let sessions = log_in(port, 2 * PAIRS)?;
    let (streams, names) = sessions
        .into_iter()
        .map(|session| (session.stream, session.name))
        .unzip();
    let pairs = Pairs { stanza, names };
    trips::measure(server, streams, &pairs, count, IN_FLIGHT)
}

struct Pairs {
    stanza: &'static str,
    names: Vec<String>,
}

impl Protocol for Pairs {
    fn request(&self, client: usize) -> Vec<u8> {
        let to = &self.names[self.answered(client)];
        let text = match self.stanza {
            "message" => format!(
                "<message type='chat' to='{to}'><body>a word to somebody whom I know</body></message>"
            ),
            _ => format!("<presence to='{to}'><status>{client} is here</status></presence>"),
        };
        text.into_bytes()
    }

    fn answer(&self, arrived: &[u8]) -> Result<Option<usize>> {
        if position(arrived, b"type='error'").is_some()
            || position(arrived, b"</stream:stream>").is_some()
        {
            bail!("the server answers {}", String::from_utf8_lossy(arrived));
        }
        let end = format!("</{}>", self.stanza);
        Ok(position(arrived, end.as_bytes()).map(|at| at + end.len()))
    }

    fn answered(&self, client: usize) -> usize {
        client ^ 1
    }
}
