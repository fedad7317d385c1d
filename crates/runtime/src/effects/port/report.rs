//! What a crash dump contains about a port. Any thread may call.

use std::collections::HashMap;
use std::fmt::{self, Display, Write};
use std::time::Duration;

use layout::Term;
use term::heap::Scratch;
use term::print::display;
use term::reference;

use super::{Phase, Port};

/// Writes the port's section, in which `identity` displays pids and ports; nothing if the port is not open, or its lock
/// was not acquired within `timeout`.
///
/// # Errors
/// Those of `out`.
pub fn report<D: Display>(
    out: &mut impl Write,
    port: &Port,
    names: &HashMap<Term, Term>,
    identity: impl Fn(Term) -> D,
    timeout: Duration,
) -> fmt::Result {
    let Some(state) = port.state.try_lock_for(timeout) else {
        return Ok(());
    };
    let core = &state.core;
    let Some(driver) = state.driver.as_ref().filter(|_| core.phase == Phase::Open) else {
        return Ok(());
    };
    writeln!(out, "=port:{}", display(port.id))?;
    let binary = if core.binary { "|BINARY_IO" } else { "" };
    writeln!(out, "State: CONNECTED{binary}")?;
    writeln!(out, "Slot: {}", port.id.identifier_index())?;
    writeln!(out, "Connected: {}", identity(core.connected))?;
    let comma = |index: usize| if index > 0 { ", " } else { "" };
    if !core.links.is_empty() {
        out.write_str("Links: ")?;
        for (index, link) in core.links.iter().enumerate() {
            write!(out, "{}{}", comma(index), identity(*link))?;
        }
        out.write_str("\n")?;
    }
    if !core.monitors.is_empty() {
        out.write_str("Monitors: ")?;
        for (index, (&(low, high), (watcher, _))) in core.monitors.iter().enumerate() {
            let mut scratch = Scratch::new();
            let number = reference::with_number(scratch.heap(), low, high);
            let (comma, watcher) = (comma(index), identity(*watcher));
            write!(out, "{comma}(from:{watcher},ref:{})", display(number))?;
        }
        out.write_str("\n")?;
    }
    if let Some(name) = names.get(&port.id) {
        writeln!(out, "Registered as: {}", display(*name))?;
    }
    let name = String::from_utf8_lossy(&core.name);
    writeln!(out, "{}: {name}", driver.description())?;
    writeln!(out, "Input: {}", core.input_bytes)?;
    writeln!(out, "Output: {}", core.output_bytes)?;
    writeln!(out, "Queue: {}", driver.queued_bytes())?;
    if let Some(data) = &core.data {
        writeln!(out, "Port Data: {}", display(data.term()))?;
    }
    Ok(())
}
