//! `process_info`, and displaying a process's backtrace.

use layout::{Heap, ObjectKind, Term};
use sys::standard::to_error;
use term::copy::{self, Owned};
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, build, list, node};

use runtime::code::bif::{BifResult, Failure, await_result, badarg};
use runtime::effects::info::{self, Asker, COMMON};
use runtime::effects::signal_handling;
use runtime::mail::{current, signal};
use runtime::process::{Flags, Process, state, table};

/// `process_info(Pid)`.
pub(crate) fn process_info_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    let items = COMMON.iter().map(|item| Item::Named(*item)).collect();
    about(process, pid, Items::List(items, Unnamed::LeftOut))
}

/// `process_info(Pid, ItemOrItems)`.
pub(crate) fn process_info_2(process: &mut Process, [pid, items]: [Term; 2]) -> BifResult {
    if !items.is_list() {
        let item = Item::read(items).ok_or(badarg(2))?;
        return about(process, pid, Items::One(item));
    }
    let known = list::items(items).map(|item| item.ok().and_then(Item::read));
    let items = known.collect::<Option<_>>().ok_or(badarg(2))?;
    about(process, pid, Items::List(items, Unnamed::Wrapped))
}

/// What happens to `registered_name` in a list if the process has no name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unnamed {
    LeftOut,
    Wrapped,
}

enum Item {
    Named(Term),
    /// `{dictionary, Key}`
    Pair(Owned),
}

impl Item {
    fn read(item: Term) -> Option<Item> {
        match item.as_tuple_of() {
            Some([am::DICTIONARY, _]) if release::has(Release::OTP_26) => {
                Some(Item::Pair(Owned::new(item)))
            }
            _ => info::is_item(item).then_some(Item::Named(item)),
        }
    }
}

enum Items {
    One(Item),
    List(Vec<Item>, Unnamed),
}

impl Items {
    fn are_charged(&self) -> bool {
        let is_charged = |item: &Item| match item {
            Item::Named(item) => info::is_charged(*item),
            Item::Pair(_) => true,
        };
        match self {
            Items::One(item) => is_charged(item),
            Items::List(items, _) => items.iter().any(is_charged),
        }
    }

    /// The result about a process, built on `scratch`.
    fn of(&self, process: &Process, asker: Asker, heap: &mut Heap) -> Term {
        let mut steps = match asker {
            Asker::Another { .. } => i64::from(self.are_charged()),
            Asker::Itself => 0,
        };
        let mut pair = |item: &Item, wrapped: bool| {
            let (item, value) = match item {
                Item::Named(item) => {
                    let value = info::value(process, *item, asker, heap, &mut steps);
                    (*item, value)
                }
                Item::Pair(pair) => {
                    let item = copy::copy(heap, pair.term());
                    (item, Some(info::value_in_dictionary(process, item, heap)))
                }
            };
            match value {
                Some(value) => Some(build::tuple(heap, &[item, value])),
                None if wrapped => Some(build::tuple(heap, &[item, Term::NIL])),
                None => None,
            }
        };
        let answer = match self {
            Items::One(item) => pair(item, false).unwrap_or(Term::NIL),
            Items::List(items, unnamed) => {
                let wrapped = *unnamed == Unnamed::Wrapped;
                let pairs: Vec<Term> = items
                    .iter()
                    .filter_map(|item| pair(item, wrapped))
                    .collect();
                build::list(heap, &pairs)
            }
        };
        current::charge(steps);
        answer
    }
}

fn about(process: &mut Process, pid: Term, items: Items) -> BifResult {
    // As on stock, each item about oneself costs a reduction, and the call none.
    let own_items = match &items {
        _ if pid != process.pid() => 0,
        Items::One(_) => 1,
        Items::List(items, _) => items.len() as i64,
    };
    current::charge(own_items - 1);
    if !pid.is_local_pid() {
        let of_this_node =
            pid.is_kind(ObjectKind::ExternalPid) && node::of(pid).name == node::own_name();
        return if of_this_node {
            Ok(am::UNDEFINED)
        } else {
            Err(badarg(1))
        };
    }
    of_process(process, pid, am::UNDEFINED, move |other, asker, heap| {
        items.of(other, asker, heap)
    })
}

/// What `tell` says of a process of this node when it has handled the signals that the caller sent it before; `gone`,
/// an atom, if it is gone. Another process is asked, and the caller waits for its answer.
pub(crate) fn of_process(
    process: &mut Process,
    pid: Term,
    gone: Term,
    tell: impl FnOnce(&Process, Asker, &mut Heap) -> Term + Send + 'static,
) -> BifResult {
    if pid == process.pid() {
        // Signals that were sent to it before must take effect first.
        signal_handling::drain(process);
        if process.flags.contains(Flags::EXIT_PENDING) {
            return Err(Failure::Exit);
        }
        let mut scratch = Scratch::new();
        let answer = tell(process, Asker::Itself, scratch.heap());
        return Ok(copy::copy(process.heap(), answer));
    }
    let Some(word) = table::state_of(pid) else {
        return Ok(gone);
    };
    let saw_it_run = word & state::RUNNING != 0;
    let reference = signal_handling::reference_of_answer(process);
    let (asker, own_reference) = (process.pid(), Owned::new(reference));
    runtime::mail::tasks::ask_to_look(
        pid,
        Box::new(move |other| {
            let mut scratch = Scratch::new();
            let answer = match other {
                Some(other) => tell(other, Asker::Another { saw_it_run }, scratch.heap()),
                None => gone,
            };
            signal::reply(pid, asker, &own_reference, answer);
        }),
    );
    Err(await_result(reference))
}

/// `erts_internal:process_display(Pid, backtrace)`: writes the backtrace to standard error. Returns `true`, `badarg`,
/// `badopt`, or a reference. With a reference, the result arrives later in a message.
pub(crate) fn process_display_2(process: &mut Process, [pid, kind]: [Term; 2]) -> BifResult {
    if kind != am::BACKTRACE {
        return Ok(am::BADOPT);
    }
    if pid == process.pid() {
        to_error(format_args!("{}", info::backtrace(process)));
        return Ok(am::TRUE);
    }
    if !pid.is_local_pid() || !table::exists(pid) {
        return Ok(am::BADARG);
    }
    let reference = signal_handling::reference_of_answer(process);
    let (asker, own_reference) = (process.pid(), Owned::new(reference));
    runtime::mail::tasks::ask_to_look(
        pid,
        Box::new(move |other| {
            let result = match other {
                Some(other) => {
                    to_error(format_args!("{}", info::backtrace(other)));
                    am::TRUE
                }
                None => am::BADARG,
            };
            signal::reply(pid, asker, &own_reference, result);
        }),
    );
    Ok(reference)
}
