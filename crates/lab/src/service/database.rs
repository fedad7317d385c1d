//! A pool of connections of `p1_pgsql`, a driver in Erlang, before PostgreSQL (`database.erl`). The database is not
//! measured.

use anyhow::{Context, Result, bail};
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::programs;
use super::server::{Server, connect, free_port};
use super::stage::{Stage, installed, number};

const PROGRAMS: &str = "/usr/lib/postgresql/*/bin";
/// PostgreSQL refuses to be started by root; the package has made this user.
const USER: &str = "postgres";

/// `QUERIES`.
pub(super) fn run(stage: &Stage, arguments: &[&str]) -> Result<()> {
    let [queries] = arguments[..] else {
        bail!("expected a number of queries");
    };
    let (database, port) = start(stage)?;
    let done = programs::measure(
        stage,
        number(queries)?,
        &["-s", "database", "run", queries, &port.to_string()],
    );
    database.stop();
    done
}

fn start(stage: &Stage) -> Result<(Server, u16)> {
    let folder = stage.new_folder("database")?;
    let owner = Owner::of(&stage.folder, &folder)?;
    let programs = installed(PROGRAMS)?;
    let made = owner
        .command(&programs.join("initdb"))
        .args([
            "--no-sync",
            "--auth=trust",
            "--username=lab",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
        ])
        .arg(&folder)
        .current_dir(&folder)
        .output()?;
    if !made.status.success() {
        bail!("initdb: {}", String::from_utf8_lossy(&made.stderr));
    }
    let port = free_port()?;
    let mut command = owner.command(&programs.join("postgres"));
    command
        .arg("-D")
        .arg(&folder)
        .args(["-h", "127.0.0.1", "-p", &port.to_string()])
        .args(["-c", "fsync=off", "-c", "unix_socket_directories="])
        .current_dir(&folder);
    let mut server = Server::start(&mut command, &stage.folder.join("database.log"))?;
    server.wait_for(|| connect(port))?;
    Ok((server, port))
}

/// Who runs the database.
struct Owner(Option<(u32, u32)>);

impl Owner {
    /// The user who runs this, or if that is root the database's, to whom the folder is given.
    fn of(parent: &Path, folder: &Path) -> Result<Owner> {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        if fs::metadata(folder)?.uid() != 0 {
            return Ok(Owner(None));
        }
        let users = fs::read_to_string("/etc/passwd")?;
        let user = users
            .lines()
            .map(|line| line.split(':').collect::<Vec<_>>())
            .find(|fields| fields[0] == USER)
            .context("there is no user for the database")?;
        let (id, group) = (number(user[2])?, number(user[3])?);
        chown(folder, Some(id), Some(group))?;
        fs::set_permissions(parent, fs::Permissions::from_mode(0o755))?;
        Ok(Owner(Some((id, group))))
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some((id, group)) = self.0 {
            command.uid(id).gid(group);
        }
        command
    }
}
