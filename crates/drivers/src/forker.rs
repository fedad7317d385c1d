//! The machine's own port, `#Port<0.0>`, by which stock asks its helper process to start programs.
//!
//! Here programs need no helper, but the port is there, so that programs find what they find on stock: at least one
//! port on any node, with this name, owned by `init`. What is sent to it is counted and otherwise lost, and nobody can
//! close it. It is made once, by the thread that starts the node, before any process runs.

use layout::Term;
use runtime::effects::port::Port;
use runtime::effects::port::driver::{Access, Command, Driver, Output};

struct Forker;

impl Driver for Forker {
    fn output(&mut self, _port: &mut Access<'_>, _data: &Output) -> Command {
        Command::Done
    }

    fn is_permanent(&self) -> bool {
        true
    }

    fn description(&self) -> &'static str {
        "Port controls forker process"
    }

    fn stop(self: Box<Self>, _port: &mut Access<'_>) {}
}

/// Makes the port; `owner` is the node's first process.
pub fn make(owner: Term) {
    Port::make_own(owner, (*b"forker").into(), Box::new(Forker));
}
