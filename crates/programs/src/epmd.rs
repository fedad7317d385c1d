//! `epmd`, the port mapper: tells nodes at which port a node of this host listens. The protocol is that of OTP's manual
//! ("Distribution Protocol").
//!
//! [`words`] reads what is asked of it. [`names`] knows who is registered and what requests are answered with,
//! [`server`] has the connections, [`client`] asks the one that runs (`-names`, `-kill`, `-stop`).

mod client;
mod names;
mod server;
mod words;

use words::Task;

/// Runs it; returns the exit status.
pub(crate) fn run(words: &[Vec<u8>]) -> u8 {
    let variable = |name: &str| std::env::var(name).ok();
    match words::read(words, variable) {
        Ok((settings, Task::Serve { in_background })) => server::serve(settings, in_background),
        Ok((settings, Task::Ask(question))) => client::ask(settings.port, &question),
        Err(complaint) => {
            crate::complaint::say(&complaint);
            1
        }
    }
}
