//! The description of each process, mostly without its terms.

use std::fmt::{self, Write};
use std::sync::atomic::Ordering;

use layout::Term;
use layout::heap::is_return_address;
use term::am;
use term::gc;
use term::heap::Scratch;
use term::held::attempt;
use term::print::display;

use super::Form;
use super::output::Output;
use super::tables::View;
use runtime::effects::{collection, info};
use runtime::mail::{current, remote};
use runtime::process::epoch::{self, Pinned};
use runtime::process::relations::{self, MonitorTarget, reference_of};
use runtime::process::signal::messages_from;
use runtime::process::{Flags, Priority, Process, priority_of, state, table};

/// The most messages that are read from a queue: a queue that is being changed must not keep the dump busy for ever.
const MOST_MESSAGES: usize = 10_000_000;

pub(super) fn all(out: &mut Output, view: &View, form: Form) -> fmt::Result {
    epoch::with_pin(|pinned| {
        // SAFETY: the dump, and the texts for `system_info` and the break menu, are made as `each` asks for.
        for process in unsafe { each(pinned) } {
            one(out, view, process, form)?;
        }
        Ok(())
    })
}

/// Every process in the table.
///
/// # Safety
/// The world is stopped. If the node ends although some threads would not stop, the caller looks at what they may be
/// changing ([`is_taken`]) as far as a dump must, and knows that it may be wrong.
pub(super) unsafe fn each<'p>(pinned: Pinned<'p>) -> impl Iterator<Item = &'p Process> {
    // SAFETY: the caller's promise, and the block stays as long as the pin.
    table::all(pinned).map(|process| unsafe { &*process.pointer() })
}

/// Whether another thread may be changing the process's heap and queues.
pub(super) fn is_taken(process: &Process) -> bool {
    state::is_in_hands(process.state.load(Ordering::SeqCst)) && !current::is_running_here(process)
}

/// Whether this thread was collecting the process's heap, so that nothing on it can be read.
pub(super) fn is_collecting(process: &Process) -> bool {
    collection::is_running() && current::is_running_here(process)
}

fn state_text(process: &Process) -> &'static str {
    let state = process.state.load(Ordering::Relaxed);
    if state & state::EXITING != 0 {
        "Exiting"
    } else if is_collecting(process) {
        "Garbing"
    } else if process.suspend_count > 0 {
        "Suspended"
    } else if state & state::RUNNING != 0 {
        "Running"
    } else if state & state::QUEUED != 0 {
        "Scheduled"
    } else {
        "Waiting"
    }
}

fn internal_state(out: &mut Output, process: &Process) -> fmt::Result {
    let state = process.state.load(Ordering::Relaxed);
    let priority = match priority_of(state) {
        Priority::Max => "MAX",
        Priority::High => "HIGH",
        Priority::Normal => "NORMAL",
        Priority::Low => "LOW",
    };
    write!(
        out,
        "ACT_PRIO_{priority} | USR_PRIO_{priority} | PRQ_PRIO_{priority}"
    )?;
    let active = state::QUEUED | state::RUNNING;
    let facts = [
        (state & state::EXITING != 0, "EXITING"),
        (state & active != 0, "ACTIVE"),
        (state & state::QUEUED != 0, "IN_RUNQ"),
        (state & state::RUNNING != 0, "RUNNING"),
        (process.suspend_count > 0, "SUSPENDED"),
        (is_collecting(process), "GC"),
        (process.flags.contains(Flags::SYSTEM_TASKS), "SYS_TASKS"),
        (state & (state::EVENT | state::SIGNALS) != 0, "SIG_IN_Q"),
        (
            process.flags.contains(Flags::OFF_HEAP_MESSAGES),
            "OFF_HEAP_MSGQ",
        ),
        (state & state::DIRTY != 0, "DIRTY_CPU_PROC"),
    ];
    for (_, name) in facts.iter().filter(|(holds, _)| *holds) {
        write!(out, " | {name}")?;
    }
    out.text("\n")
}

/// The messages that the process has not received yet: those in its inner queue, then those in its signal queue, oldest
/// first.
pub(super) fn messages(process: &Process) -> Vec<Term> {
    let mut terms = Vec::new();
    let has_room = |terms: &mut Vec<Term>| {
        terms.len() < MOST_MESSAGES && attempt(|| terms.try_reserve(1).is_ok())
    };
    let mut next = process.head.messages.first;
    while !next.is_null() && has_room(&mut terms) {
        // SAFETY: the owner does not run, so the messages stay in its inner queue.
        unsafe {
            terms.push((*next).term);
            next = (*next).next;
        }
    }
    let [newest, left] = process.unhandled();
    let mut taken = 0;
    for first in [left, newest] {
        taken = terms.len();
        // SAFETY: only the owner takes signals out, and it does not run.
        for message in unsafe { messages_from(first) } {
            if !has_room(&mut terms) {
                break;
            }
            terms.push(message);
        }
    }
    // Those in the signal queue have the newest in front.
    terms[taken..].reverse();
    terms
}

pub(super) fn one(out: &mut Output, view: &View, process: &Process, form: Form) -> fmt::Result {
    let taken = is_taken(process);
    writeln!(out, "=proc:{}", form.name(process.id))?;
    writeln!(out, "State: {}", state_text(process))?;
    if let Some(name) = view.names.get(&process.id) {
        writeln!(out, "Name: {}", display(*name))?;
    }
    let (module, function) = process.initial_call;
    writeln!(
        out,
        "Spawned as: {}:{}/{}",
        display(Term::atom(module)),
        display(Term::atom(function)),
        process.initial_arity
    )?;
    let running = process.state.load(Ordering::Relaxed) & state::RUNNING != 0;
    if !taken && let Some([module, function, arity]) = current_call(view, process) {
        let when = match running {
            true => "Last scheduled in for",
            false => "Current call",
        };
        let (module, function) = (display(module), display(function));
        writeln!(out, "{when}: {module}:{function}/{}", display(arity))?;
    }
    if process.parent.is_none() {
        out.text("Spawned by: []\n")?;
    } else {
        writeln!(out, "Spawned by: {}", form.name(process.parent))?;
    }
    if taken {
        // Its owner may be changing everything else.
        out.text("Message queue length: 0\nReductions: 0\nStack+heap: 0\nInternal State: ")?;
        return internal_state(out, process);
    }
    let queue = messages(process);
    writeln!(out, "Message queue length: {}", queue.len())?;
    let readable = !is_collecting(process) && !process.is_sensitive();
    if form == Form::Live && !queue.is_empty() && readable {
        out.text("Message queue: ")?;
        list(out, "[", &queue, "]\n")?;
    }
    fragments(out, process)?;
    links(out, process, form)?;
    if form == Form::Live && readable {
        dictionary(out, process)?;
    }
    writeln!(out, "Reductions: {}", process.reductions)?;
    sizes(out, process)?;
    match form {
        Form::Live => {
            out.text("Stack dump:\n")?;
            if readable {
                stack_dump(out, process, running)?;
            }
        }
        Form::Dump => program_counter(out, view, process, running)?,
    }
    out.text("Internal State: ")?;
    internal_state(out, process)
}

fn fragments(out: &mut Output, process: &Process) -> fmt::Result {
    let heap = &process.head.heap;
    let mut count = 0;
    let mut fragment = heap.fragments;
    while !fragment.is_null() {
        count += 1;
        // SAFETY: the owner does not run.
        fragment = unsafe { (*fragment).next };
    }
    writeln!(out, "Number of heap fragments: {count}")?;
    writeln!(out, "Heap fragment data: {}", heap.fragment_words)
}

fn program_counter(out: &mut Output, view: &View, process: &Process, running: bool) -> fmt::Result {
    write!(out, "Program counter: {:#018x?} (", process.head.ip)?;
    view.write_place(out, process.head.ip)?;
    out.text(")\n")?;
    if !running {
        writeln!(out, "arity = {}", process.head.saved_x)?;
    }
    Ok(())
}

/// The call at which the process was switched out. As on stock, a process that waits, or was switched out in the middle
/// of a function, has none.
fn current_call(view: &View, process: &Process) -> Option<[Term; 3]> {
    if process.hibernates_without_stack() {
        return Some([am::ERLANG, am::HIBERNATE, Term::small(3)]);
    }
    let arity = |arity: u32| Term::small(i64::from(arity));
    let active = state::RUNNING | state::QUEUED;
    if process.state.load(Ordering::Relaxed) & active == 0 && process.suspend_count == 0 {
        return None;
    }
    if !view.knows_code {
        return None;
    }
    if let Some((module, function, of, offset)) = view.place(process.head.ip) {
        return (offset == 0).then_some([module, function, arity(of)]);
    }
    if let Some(export) = runtime::code::stubs::around(process.head.ip as usize) {
        return Some([export.module, export.function, arity(export.arity)]);
    }
    // It has not begun to run.
    let (module, function) = process.initial_call;
    Some([
        Term::atom(module),
        Term::atom(function),
        arity(process.initial_arity),
    ])
}

/// Writes the stack and, from its second line on, the saved X registers.
fn stack_dump(out: &mut Output, process: &Process, running: bool) -> fmt::Result {
    let text = info::backtrace(process);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    writeln!(out, "{first}")?;
    if !running {
        let count = usize::from(process.head.saved_x);
        writeln!(out, "arity = {count}")?;
        for index in 0..count {
            // SAFETY: the owner does not run, and `saved_x` registers are on top of the stack.
            let register = unsafe { *process.head.heap.stack.cast::<Term>().add(index) };
            writeln!(out, "   {}", display(register))?;
        }
    }
    out.text(rest)
}

fn list(out: &mut Output, open: &str, terms: &[Term], close: &str) -> fmt::Result {
    out.text(open)?;
    for (index, term) in terms.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}{}", display(*term))?;
    }
    out.text(close)
}

fn dictionary(out: &mut Output, process: &Process) -> fmt::Result {
    if process.dictionary.is_empty() {
        return Ok(());
    }
    out.text("Dictionary: [")?;
    for (index, pair) in process.dictionary.pairs().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}{{{},{}}}", display(pair[0]), display(pair[1]))?;
    }
    out.text("]\n")
}

fn links(out: &mut Output, process: &Process, form: Form) -> fmt::Result {
    let relations = &process.relations;
    let mut scratch = Scratch::new();
    let mut reference_text = |number: u64, owner: Option<Term>| {
        display(reference_of(scratch.heap(), number, owner)).to_string()
    };
    let mut any = false;
    let mut comma = |out: &mut Output| {
        let text = if any { ", " } else { "Link list: [" };
        any = true;
        out.text(text)
    };
    let mut others = Scratch::new();
    let mut seen = |other: Term| match relations::is_handle(other) {
        true => remote::get().identity(other, others.heap()),
        false => Some(other),
    };
    for other in relations.linked().filter_map(&mut seen) {
        comma(out)?;
        write!(out, "{}", form.name(other))?;
    }
    for (number, target, names_owner) in relations.monitors() {
        let reference = reference_text(number, names_owner.then_some(process.id));
        match target {
            MonitorTarget::Process {
                name: Some(name), ..
            }
            | MonitorTarget::Port {
                name: Some(name), ..
            } => {
                comma(out)?;
                let own = display(term::node::own_name());
                write!(out, "{{to,{{{},{own}}},{reference}}}", display(name))?;
            }
            MonitorTarget::Process { pid: other, .. } | MonitorTarget::Port { port: other, .. } => {
                comma(out)?;
                write!(out, "{{to,{},{reference}}}", form.name(other))?;
            }
            MonitorTarget::Remote { handle } => {
                if let Some(other) = seen(handle) {
                    comma(out)?;
                    write!(out, "{{to,{},{reference}}}", form.name(other))?;
                }
            }
            MonitorTarget::TimeOffset => {}
        }
    }
    for (number, watcher) in relations.watchers() {
        let Some(other) = seen(watcher.watcher) else {
            continue;
        };
        comma(out)?;
        let owner = watcher.names_owner.then_some(other);
        let reference = reference_text(number, owner);
        write!(out, "{{from,{},{reference}}}", form.name(other))?;
    }
    if any { out.text("]\n") } else { Ok(()) }
}

fn sizes(out: &mut Output, process: &Process) -> fmt::Result {
    let sizes = gc::sizes(&process.head.heap);
    let unused = sizes.heap_block.saturating_sub(sizes.heap);
    let old_unused = sizes.old_heap_block.saturating_sub(sizes.old_heap);
    let rows = [
        ("Stack+heap", sizes.heap_block),
        ("OldHeap", sizes.old_heap_block),
        ("Heap unused", unused),
        ("OldHeap unused", old_unused),
        ("BinVHeap", sizes.off_heap),
        ("OldBinVHeap", sizes.old_off_heap),
        (
            "BinVHeap unused",
            sizes.off_heap_limit.saturating_sub(sizes.off_heap),
        ),
        (
            "OldBinVHeap unused",
            sizes.off_heap_limit.saturating_sub(sizes.old_off_heap),
        ),
        ("Memory", info::memory_bytes(process)),
    ];
    for (name, value) in rows {
        writeln!(out, "{name}: {value}")?;
    }
    Ok(())
}

/// Describes the process that this thread's scheduler runs, if it runs one.
pub(super) fn current(out: &mut Output, view: &View) -> fmt::Result {
    epoch::with_pin(|pinned| {
        let running = current::running_pid().and_then(|pid| table::find_if_made(pinned, pid));
        match running {
            None => out.text("Current Process: \n"),
            // SAFETY: this thread runs the process, and its registers are written back, as during a BIF call.
            Some(process) => current_one(out, view, unsafe { &*process.pointer() }),
        }
    })
}

fn current_one(out: &mut Output, view: &View, process: &Process) -> fmt::Result {
    writeln!(out, "Current Process: {}", Form::Dump.name(process.id))?;
    writeln!(out, "Current Process State: {}", state_text(process))?;
    out.text("Current Process Internal State: ")?;
    internal_state(out, process)?;
    let ip = process.head.ip;
    write!(out, "Current Process Program counter: {ip:#018x?} (")?;
    view.write_place(out, ip)?;
    out.text(")\n")?;
    out.text("Current Process Limited Stack Trace:\n")?;
    if process.is_sensitive() {
        return Ok(());
    }
    let heap = &process.head.heap;
    let mut at = heap.stack.cast_const();
    let mut frames = 0;
    while at < heap.end.cast_const() && frames < 512 {
        // SAFETY: the words between stack and end are return addresses and terms; this thread runs the process.
        let word = unsafe { *at };
        if is_return_address(word) {
            write!(out, "{at:#018x?}:SReturn addr {word:#X} (")?;
            view.write_place(out, word as *const u64)?;
            out.text(")\n")?;
            frames += 1;
        }
        at = at.wrapping_add(1);
    }
    Ok(())
}
