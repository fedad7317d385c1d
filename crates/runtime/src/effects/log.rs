//! Log reports of the machine itself, in the form that OTP's logger expects: a message to the
//! process registered as `logger` or, if there is none, the same message as a line on standard error. While the window
//! is open it sees them too, at once: the logger may be long in coming to it, or never print them.

mod format;

use layout::{Heap, Term};
use parking_lot::Mutex;
use sys::standard::tail::{self, Source};
use sys::standard::to_error;
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, atom, build, map};

use crate::effects::info;
use crate::mail::{registry, signal};
use crate::process::heap_limit::HeapLimit;
use crate::process::{Process, config, table};

/// Reports that a process ended because of an uncaught error.
pub(crate) fn crashed(process: &Process, reason: Term) {
    let on_node = where_it_is();
    let node = if on_node.is_some() { "on node ~p " } else { "" };
    let format = format!("Error in process ~p {node}with exit value:~n~p~n");
    report(process, &format, |_, pid| {
        [pid].into_iter().chain(on_node).chain([reason]).collect()
    });
}

/// The name of this node, which reports tell if it has one.
fn where_it_is() -> Option<Term> {
    Some(term::node::own_name()).filter(|name| *name != am::NONODE_NOHOST)
}

/// Reports that a heap exceeded its `max_heap_size`.
pub(crate) fn over_heap_limit(process: &Process, words: u64, limit: &HeapLimit) {
    let on_node = where_it_is();
    let node = if on_node.is_some() { "on node ~p" } else { "" };
    let format = "~n     Context:            maximum heap size reached~n     \
                  Max Heap Size:      ~p~n     Total Heap Size:    ~p~n     Kill:               ~p~n     \
                  Error Logger:       ~p~n     Message Queue Len:  ~p~n     GC Info:            ~p~n";
    let messages = process.head.messages.sizes.count();
    let has_stack = release::has(Release::OTP_27);
    let stack = match has_stack {
        true => "     Stacktrace:         ~p~n",
        false => "",
    };
    let format = format!("     Process:            ~p {node}{format}{stack}");
    report(process, &format, |heap, pid| {
        let mut arguments = vec![pid];
        arguments.extend(on_node);
        arguments.extend([
            Term::small(limit.words as i64),
            Term::small(words as i64),
            am::boolean(limit.kill),
            am::boolean(limit.log),
            Term::small(messages as i64),
            info::garbage_collection_info(process, heap),
        ]);
        if has_stack {
            arguments.push(info::current_stacktrace(process, heap));
        }
        arguments
    });
}

/// Reports that a process is killed because there is no memory for its heap.
pub(crate) fn out_of_memory(process: &Process, words: usize) {
    let format = "     Process:            ~p~n     Context:            out of memory~n     \
                  Total Heap Size:    ~p~n     Needed:             ~p~n";
    let total = term::gc::total_words(&process.head.heap);
    report(process, format, |_, pid| {
        vec![pid, Term::small(total as i64), Term::small(words as i64)]
    });
}

/// Reports what the memory guard sees or does, as an error or as a warning.
pub fn memory_guard(is_error: bool, text: &str) {
    let level = match is_error {
        true => am::ERROR,
        false => am::WARNING,
    };
    report_as(level, None, "~ts", |heap| vec![build::string(heap, text)]);
}

/// Reports why a file cannot be loaded; the loader's caller gets only `badfile`.
pub fn load_failed(process: &Process, module: Term, why: &str) {
    report(process, "Loading of ~p failed: ~ts~n", |heap, _| {
        vec![module, build::string(heap, why)]
    });
}

/// Reports why a function, or all those of a module, cannot be translated: who called it gets `system_limit`.
pub fn not_translated(module: Term, why: &str) {
    let name = term::print::display(module);
    let text = format!("Module {name} cannot be translated: {why}\n");
    report_as(am::ERROR, None, "~ts", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that a module cannot be deleted before its old code is purged; the caller gets only `badarg`.
pub fn not_purged(process: &Process, module: Term) {
    let name = term::print::display(module);
    let text = format!("Module {name} must be purged before deleting\n");
    report(process, "~s~n", |heap, _| vec![build::string(heap, &text)]);
}

/// Reports that a process cannot be traced by another tracer than the one it has; the caller gets only `badarg`.
pub fn one_tracer_only(process: &Process) {
    let text = "** can only have one tracer per process\n";
    report(process, "~s~n", |heap, _| vec![build::string(heap, text)]);
}

/// Reports that a port was opened for input from a descriptor that is not open; `name` holds the input and the output
/// descriptor.
pub fn bad_input(port: Term, name: (i32, i32)) {
    let port = term::print::display(port);
    let (input, output) = name;
    let text = format!(
        "Bad input fd in erts_poll()! fd={input}, port={port}, driver=fd, name={input}/{output}\n"
    );
    report_as(am::ERROR, None, "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that a port was given what is no output for it; `name` is the port's.
pub(crate) fn bad_output(name: &[u8]) {
    let name = String::from_utf8_lossy(name);
    let text = format!("Bad value on output port '{name}'\n");
    report_as(am::ERROR, None, "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports the use of a deprecated flag of `system_flag`.
pub fn deprecated_flag(process: &Process, name: &str) {
    let text = format!(
        "A call to erlang:system_flag({name}, _) was made.\n\
         The {name} argument is deprecated. For more information\n\
         see the erlang:system_flag/2 documentation.\n"
    );
    let level = match config::get().flags.warnings {
        "e" => am::ERROR,
        "i" => am::INFO,
        _ => am::WARNING,
    };
    report_as(level, Some(process), "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that a program has enabled `erts_debug`'s internal state.
pub fn internal_state_enabled(process: &Process) {
    let pid = term::print::display(process.pid());
    let node = where_it_is()
        .map(|name| format!(" on node {}", term::print::display(name)))
        .unwrap_or_default();
    let text = format!(
        "Process {pid}{node} enabled access to the emulator internal state.\n\
         NOTE: This is an erts internal test feature and should *only* be used by OTP test-suites.\n"
    );
    report_as(am::WARNING, Some(process), "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that a node which lacks mandatory capabilities was to be connected.
pub fn incapable_node(process: &Process, node: Term) {
    let pid = term::print::display(process.pid());
    let name = registry::name_of(process.pid())
        .map(|name| format!(" ({})", term::print::display(name)))
        .unwrap_or_default();
    let node = term::print::display(node);
    let text = format!(
        "{pid}{name} attempted to enable connection to node {node} \
         which does not support all mandatory capabilities.\n"
    );
    report_as(am::ERROR, Some(process), "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that another node sent a control message that makes no sense. It may be of any size, so no more of it is
/// printed than is told, and that is not much.
pub fn invalid_distribution_message(control: Term) {
    use std::fmt::Write;
    let mut text = Shortened(String::new());
    let control = term::print::display_limited(control, 200);
    let _ = write!(text, "Invalid distribution message: {control}");
    let Shortened(text) = text;
    report_as(am::ERROR, None, "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that another node sent a term that cannot be decoded; `atoms` are those of the message's header.
pub fn corrupted_distribution_term(node: Term, channel: u32, bytes: &[u8], atoms: &[Term]) {
    use std::fmt::Write;
    let own = term::print::display(term::node::own_name());
    let node = term::print::display(node);
    let mut text = format!(
        "{own} got a corrupted external term from {node} on distribution channel {channel}\n<<..."
    );
    let numbers = bytes.iter().take(MOST_BYTES_SHOWN);
    numbers.for_each(|byte| write!(text, ",{byte}").expect("strings grow"));
    text.push_str(if bytes.len() > MOST_BYTES_SHOWN {
        ",...>>\nATOM_CACHE_REF translations: "
    } else {
        ">>\nATOM_CACHE_REF translations: "
    });
    let names = atoms.iter().enumerate();
    let names = names.map(|(number, &name)| format!("{number}={}", term::print::display(name)));
    let names: Vec<String> = names.collect();
    text.push_str(match &names[..] {
        [] => "none",
        _ => "",
    });
    text.push_str(&names.join(", "));
    report_as(am::WARNING, None, "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// Reports that what a process asked a node to spawn has ended, although the node has not told of its start.
pub fn missing_spawn_reply(parent: Term, node: Term) {
    let own = term::print::display(term::node::own_name());
    let (parent, node) = (term::print::display(parent), term::print::display(node));
    let text = format!(
        "Missing 'spawn_reply' signal from the node {node} detected by {parent} on the node {own}. \
         The node {node} probably suffers from the bug with ticket id OTP-17737."
    );
    report_as(am::ERROR, None, "~s~n", |heap| {
        vec![build::string(heap, &text)]
    });
}

/// A text that takes no more once it has [`MOST_TEXT_BYTES`].
struct Shortened(String);

/// The most bytes of the text about a control message that makes no sense: what counts little towards the limit of what
/// is printed may be long.
const MOST_TEXT_BYTES: usize = 64 << 10;

impl std::fmt::Write for Shortened {
    fn write_str(&mut self, more: &str) -> std::fmt::Result {
        if self.0.len() + more.len() > MOST_TEXT_BYTES {
            return Err(std::fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

/// The most bytes of a damaged packet that a report has.
const MOST_BYTES_SHOWN: usize = 1024;

/// The receiver of log reports (`system_flag(system_logger, _)`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receiver {
    /// The process registered as `logger`.
    Logger,
    Process(Term),
    /// Reports are dropped.
    Nobody,
}

static RECEIVER: Mutex<Receiver> = Mutex::new(Receiver::Logger);

impl Receiver {
    /// The value that `system_info(system_logger)` returns.
    #[must_use]
    pub fn term(self) -> Term {
        match self {
            Receiver::Logger => am::LOGGER,
            Receiver::Process(pid) => pid,
            Receiver::Nobody => am::UNDEFINED,
        }
    }
}

/// The current receiver of log reports.
#[must_use]
pub fn receiver() -> Receiver {
    *RECEIVER.lock()
}

/// Changes the receiver of log reports; returns the previous one.
pub fn set_receiver(receiver: Receiver) -> Receiver {
    std::mem::replace(&mut *RECEIVER.lock(), receiver)
}

fn report(process: &Process, format: &str, arguments: impl FnOnce(&mut Heap, Term) -> Vec<Term>) {
    let pid = process.pid();
    report_as(am::ERROR, Some(process), format, |heap| {
        arguments(heap, pid)
    });
}

fn report_as(
    level: Term,
    process: Option<&Process>,
    format: &str,
    arguments: impl FnOnce(&mut Heap) -> Vec<Term>,
) {
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let arguments = arguments(heap);
    if tail::is_open() {
        let text = format::text(format, &arguments);
        tail::wrote(Source::Report(term::atom::text(level)), text.as_bytes());
    }
    let list = build::list(heap, &arguments);
    let format = build::string(heap, format);
    let time = build::integer(heap, sys::clock::system_ns() / 1000);
    let tag = match level {
        am::WARNING => am::WARNING_MSG,
        am::INFO => am::INFO_MSG,
        _ => level,
    };
    let error_logger =
        map::from_pairs(heap, &[(atom::known("tag"), tag), (am::EMULATOR, am::TRUE)]);
    let mut metadata = vec![
        (atom::known("time"), time),
        (am::ERROR_LOGGER, error_logger),
    ];
    if let Some(process) = process {
        metadata.push((am::PID, process.pid()));
        metadata.push((atom::known("gl"), process.group_leader));
    }
    let metadata = map::from_pairs(heap, &metadata);
    let message = build::tuple(heap, &[am::LOG, level, format, list, metadata]);
    match addressee() {
        Addressee::Process(logger) => {
            signal::send_message(am::SYSTEM, logger, message);
        }
        Addressee::Nobody => {}
        Addressee::StandardError => to_error(format_args!(
            "(no logger present) unexpected logger message: {}\n",
            term::print::display(message)
        )),
    }
}

/// The destination of one report.
enum Addressee {
    Process(Term),
    Nobody,
    StandardError,
}

/// The destination of the next report. If the receiver has ended, the receiver is changed to the process registered as
/// `logger`.
fn addressee() -> Addressee {
    let mut receiver = RECEIVER.lock();
    if let Receiver::Process(pid) = *receiver {
        if table::exists(pid) {
            return Addressee::Process(pid);
        }
        *receiver = Receiver::Logger;
    }
    match *receiver {
        Receiver::Nobody => Addressee::Nobody,
        _ => match registry::whereis_process(am::LOGGER) {
            Some(logger) => Addressee::Process(logger),
            None => Addressee::StandardError,
        },
    }
}
