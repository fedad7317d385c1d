//! What is shown of one process in a table.

use layout::{Term, no_gc};
use runtime::effects::holdings;
use runtime::effects::info::{self, Asker};
use runtime::effects::looking::Seen;
use runtime::mail::registry;
use runtime::process::{Process, state};
use serde::Serialize;
use term::am;

use super::calls;
use crate::printed;

/// A process; what is not known of one that runs just now is null.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub pid: String,
    pub name: Option<String>,
    pub label: Option<String>,
    pub initial_call: Option<String>,
    pub current_function: Option<String>,
    /// `waiting`, `runnable`, `running`, `suspended`, `exiting`, or `dirty` where a dirty scheduler has it.
    pub status: String,
    pub memory_bytes: Option<u64>,
    pub reductions: Option<u64>,
    pub reductions_per_s: Option<f64>,
    pub messages: Option<u64>,
    pub messages_per_s: Option<f64>,
    pub binary_bytes: Option<u64>,
}

/// As all terms: `<0.Index.Serial>`.
pub(crate) fn pid_text(pid: Term) -> String {
    format!("<0.{}.{}>", pid.identifier_index(), pid.identifier_serial())
}

/// The label that a process has given itself (`proc_lib:set_label/1`).
pub(crate) fn label(process: &Process) -> Option<String> {
    if process.is_sensitive() {
        return None;
    }
    let label = process.dictionary.get(am::DOLLAR_PROCESS_LABEL)?;
    // A text is shown without quotes, as the shell does.
    Some(
        match label.as_cell().is_some() || label.as_bits().is_some() {
            true => {
                let quoted = printed::term(label, printed::MOST_IN_ROW);
                let inner = quoted.strip_prefix("<<").unwrap_or(&quoted);
                let inner = inner.strip_suffix(">>").unwrap_or(inner);
                match inner
                    .strip_prefix('"')
                    .and_then(|inner| inner.strip_suffix('"'))
                {
                    Some(inner) => inner.to_owned(),
                    None => quoted,
                }
            }
            false => printed::term(label, printed::MOST_IN_ROW),
        },
    )
}

/// Messages that a process has not received yet; of those that it has not fetched at most so many are counted.
const MOST_UNFETCHED: usize = 10_000;

/// How many messages a process has that it has not received yet.
pub(crate) fn messages(process: &Process) -> u64 {
    process.head.messages.sizes.count() + holdings::unfetched(process, MOST_UNFETCHED)
}

/// So many references to binaries are added up; what a process with more of them holds is estimated.
const MOST_BINARIES: usize = 10_000;

/// About how many bytes of shared binaries a process holds.
pub(crate) fn binary_bytes(process: &Process) -> u64 {
    holdings::binary_bytes(process, MOST_BINARIES)
}

impl Row {
    /// All of a process that this thread holds still, or whose own thread calls this, which `runs` it then.
    pub fn of(process: &Process, runs: bool) -> Row {
        let asker = Asker::Another { saw_it_run: runs };
        let name = registry::name_of_process(process).map(printed::name);
        Row {
            pid: pid_text(process.pid()),
            name,
            label: label(process),
            initial_call: Some(calls::initial(process).to_string()),
            current_function: calls::current(process).map(|call| call.to_string()),
            status: term::atom::text(info::status(process, asker)).to_owned(),
            memory_bytes: Some(info::memory_bytes(process) as u64),
            reductions: Some(process.reductions),
            reductions_per_s: None,
            messages: Some(messages(process)),
            messages_per_s: None,
            binary_bytes: Some(binary_bytes(process)),
        }
    }

    /// What is known of a process that another thread has.
    pub fn unknown(pid: Term, word: u32) -> Row {
        let status = match () {
            () if word & (state::EXITING | state::GONE) != 0 => "exiting",
            () if word & state::DIRTY != 0 => "dirty",
            () => "running",
        };
        Row {
            pid: pid_text(pid),
            name: registry::name_of(pid).map(printed::name),
            label: None,
            initial_call: None,
            current_function: None,
            status: status.into(),
            memory_bytes: None,
            reductions: None,
            reductions_per_s: None,
            messages: None,
            messages_per_s: None,
            binary_bytes: None,
        }
    }

    /// A process as it was met.
    pub fn seen(seen: Seen<'_>) -> Row {
        match seen {
            Seen::Still(process) => Row::of(process, false),
            Seen::InHands { pid, word } => Row::unknown(pid, word),
        }
    }
}

/// The ancestors that `proc_lib` has noted: pids, and names.
pub(crate) fn ancestors(process: &Process) -> Vec<Term> {
    if process.is_sensitive() {
        return Vec::new();
    }
    let noted = process.dictionary.get(am::DOLLAR_ANCESTORS);
    let items = noted
        .into_iter()
        .flat_map(|list| term::list::items(list).take(MOST_ANCESTORS));
    let is_one = |item: &Term| item.is_atom() || item.is_local_pid();
    items.map_while(Result::ok).filter(is_one).collect()
}

const MOST_ANCESTORS: usize = 100;

/// Whether `proc_lib` says that this is a supervisor: what it was started with is a callback of `supervisor`.
pub(crate) fn is_supervisor(process: &Process) -> bool {
    let noted = process.dictionary.get(am::DOLLAR_INITIAL_CALL);
    let module = noted.and_then(|call| call.as_tuple(no_gc!())?.first().copied());
    !process.is_sensitive() && module == Some(term::atom::known("supervisor"))
}
