//! A window of tmux with one machine in it, closed when dropped.
//!
//! A shell starts the machine, then shows its exit status and the terminal's settings. The shell reads nothing
//! afterwards, because stock may leave the terminal non-blocking. Each window has its own tmux server, home directory
//! and working directory.

use super::screen;
use super::session::{Session, Size, Step};
use anyhow::{Context, Result, bail};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The screen of a window that has been closed.
const CLOSED: &str = "the window is closed\n";

/// Windows opened so far.
static OPENED: AtomicUsize = AtomicUsize::new(0);

/// A window, closed when dropped.
pub(super) struct Window {
    server: String,
    home: PathBuf,
}

impl Window {
    /// `variable` is set for the machine, besides what the session declares.
    pub(super) fn open(
        label: &str,
        machine: &Path,
        variable: Option<(&str, &Path)>,
        session: &Session,
    ) -> Result<Window> {
        // A session that is judged again may find a server of its name that is still ending.
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{number:04}", session.name, std::process::id());
        let server = format!("{label}-{name}");
        // The names of both machines' folders have the same length, because they may appear on the screen.
        let home = env::temp_dir().join(format!("{label:_<8}{name}"));
        fs::create_dir_all(&home)?;
        let window = Window { server, home };
        // Signals that interrupt the machine must not end the shell that started it. A terminal whose machine was
        // killed is restored by another program, which may need a moment.
        let command = format!(
            "trap : INT QUIT; cd '{home}'; export HOME='{home}' ERL='{machine}'; unset XDG_CACHE_HOME XDG_CONFIG_HOME; \
             ({environment} {command}); status=$?; sleep 0.3; echo status $status; stty -a; sleep 600",
            home = window.home.display(),
            machine = machine.display(),
            environment = session
                .environment
                .iter()
                .cloned()
                .chain(variable.map(|(name, value)| format!("{name}='{}'", value.display())))
                .map(|assignment| format!("export {assignment};"))
                .collect::<String>(),
            command = session.command,
        );
        let [columns, rows] = [session.size.columns, session.size.rows].map(|n| n.to_string());
        window.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            &command,
        ])?;
        Ok(window)
    }

    fn tmux(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new("tmux")
            .args(["-u", "-L", &self.server])
            .args(arguments)
            .env("LC_ALL", "C.UTF-8")
            .env("SHELL", "/bin/sh")
            .env_remove("TMUX")
            .output()
            .context("tmux cannot be started")?;
        if !output.status.success() {
            bail!("tmux: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub(super) fn perform(&self, step: &Step) -> Result<()> {
        match step {
            Step::Type(text) => {
                // At the end of an argument, tmux takes a semicolon as the end of its command.
                let text = match text.strip_suffix(';') {
                    Some(text) => format!("{text}\\;"),
                    None => text.clone(),
                };
                self.tmux(&["send-keys", "-l", "--", &text])?;
            }
            Step::Key(key) => {
                self.tmux(&["send-keys", key])?;
            }
            Step::Resize(Size { columns, rows }) => {
                let [columns, rows] = [columns, rows].map(ToString::to_string);
                self.tmux(&["resize-window", "-x", &columns, "-y", &rows])?;
            }
            Step::Kill(signal) => {
                let machine = self.machine()?;
                let name = format!("-{signal}");
                Command::new("kill").args([&name, &machine]).status()?;
            }
        }
        Ok(())
    }

    /// The number of the machine's process, which is a descendant of the shells.
    fn machine(&self) -> Result<String> {
        let shell = self.tmux(&["display-message", "-p", "#{pane_pid}"])?;
        let mut found = shell.trim().to_owned();
        loop {
            let path = format!("/proc/{found}/task/{found}/children");
            let children = fs::read_to_string(&path)?;
            let is_shell = fs::read_to_string(format!("/proc/{found}/comm"))
                .is_ok_and(|name| ["sh", "dash", "bash"].contains(&name.trim()));
            match children.split_whitespace().next() {
                Some(child) if is_shell => found = child.to_owned(),
                _ => return Ok(found),
            }
        }
    }

    /// The text on the screen with its colours, and a line about the cursor.
    pub(super) fn screen(&self) -> String {
        let where_ = "cursor #{cursor_x},#{cursor_y} #{cursor_flag}";
        let asked = [
            "capture-pane",
            "-e",
            "-p",
            ";",
            "display-message",
            "-p",
            where_,
        ];
        match self.tmux(&asked) {
            Ok(shown) => screen::plain(&shown, &self.home),
            Err(_) => CLOSED.to_owned(),
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
        let _ = fs::remove_dir_all(&self.home);
    }
}
