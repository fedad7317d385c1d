//! The loop between keyboard, reader and screen. The terminal is put back as it was, whatever happens; a signal that
//! would end the program ends the loop.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::Duration;

use crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;
use sys::signal::{self, Disposition, Signal};

use super::app::{After, App, Found};
use super::client::Client;
use super::reader::{self, Told};
use super::screen;

/// How long a key may wait for what the reader has found.
const TURN: Duration = Duration::from_millis(50);

/// Signals that end it.
const ENDING: [Signal; 4] = [
    Signal::Hangup,
    Signal::Interrupt,
    Signal::Quit,
    Signal::Terminate,
];

/// Shows the node until the user has seen enough.
pub(super) fn run(client: Client, app: App, interval: Duration) -> Result<(), String> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err("this is no terminal: use --once".to_owned());
    }
    for signal in ENDING {
        signal::set(signal, Disposition::Handle).map_err(|error| error.message())?;
    }
    let mut terminal = ratatui::try_init().map_err(|error| error.to_string())?;
    let (tell, found) = reader::start(client, interval);
    let outcome = turns(&mut terminal, app, &tell, &found);
    ratatui::restore();
    outcome.map_err(|error| error.to_string())
}

fn turns(
    terminal: &mut DefaultTerminal,
    mut app: App,
    tell: &Sender<Told>,
    found: &Receiver<Found>,
) -> io::Result<()> {
    let mut is_changed = true;
    let mut wanted = None;
    loop {
        if is_changed {
            terminal.draw(|frame| screen::draw(frame, &mut app))?;
        }
        // The screen says how many rows it has room for.
        if app.wanted() != wanted {
            wanted = app.wanted();
            let _ = tell.send(Told::Wanted(wanted.clone()));
        }
        is_changed = false;
        if !signal::take_pending().is_empty() {
            return Ok(());
        }
        if event::poll(TURN)? {
            is_changed = true;
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                match app.key(key) {
                    After::Quit => return Ok(()),
                    After::Do(deed) => _ = tell.send(Told::Do(deed)),
                    After::Ask | After::Nothing => {}
                }
            }
        }
        loop {
            match found.try_recv() {
                Ok(found)
                    if app.is_paused && matches!(found, Found::Page(_) | Found::Process(_)) => {}
                Ok(found) => {
                    app.take(found);
                    is_changed = true;
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Ok(()),
            }
        }
        // How long ago the node answered is shown in seconds.
        is_changed |= app.silence.is_some();
    }
}
