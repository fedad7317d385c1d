//! What specifications of tracing have more than those of tables: functions that ask about the process, and that have
//! effects.
//!
//! The subject is the list of a call's arguments, or of the parts of another event. The value of a body does not count:
//! an event matches, and `message` says what is told of that.

use layout::{Heap, Term, no_gc};
use term::release::{self, Release};
use term::{am, build};

use super::lint::{Lint, show};
use super::{Invalid, pattern};

/// What a specification is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Table,
    /// Calls.
    Call,
    /// Messages that are sent.
    Send,
    /// Messages that are received.
    Receive,
}

impl Dialect {
    #[must_use]
    pub fn is_tracing(self) -> bool {
        self != Dialect::Table
    }
}

/// The head of a clause as a list of patterns, one for each argument or part of the event, or as one pattern for all of
/// them. A tuple stands for the list of its elements. From OTP 28 on `'_'` may be the tail of a list, for all that
/// follow.
pub(super) fn arguments(head: Term, heap: &mut Heap, lint: &mut Lint) -> Result<Term, Invalid> {
    if let Some(patterns) = head.as_tuple(no_gc!()) {
        return Ok(build::list(heap, patterns));
    }
    if head == Term::NIL || pattern::is_wildcard(head) {
        return Ok(head);
    }
    let mut tail = head;
    while let Some((_, rest)) = tail.as_cons() {
        tail = rest;
    }
    if head.is_cons() && (tail == Term::NIL || is_rest(tail)) {
        return Ok(head);
    }
    lint.fault(|| match head.is_cons() {
        true => format!("Match expression part {} is not a proper list.", show(head)),
        false => "Match head is invalid in this context.".to_owned(),
    })?;
    lint.is_clean()?;
    Ok(head)
}

fn is_rest(tail: Term) -> bool {
    tail == am::UNDERSCORE && release::has(Release::OTP_28)
}

macro_rules! actions {
    ($(($action:ident, $name:ident, $least:literal..=$most:literal, $events:ident, $guard:literal),)*) => {
        /// A function that only specifications of tracing may call.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Action {
            $($action,)*
        }

        /// Name, numbers of arguments, events, and whether a guard may call it.
        const ACTIONS: &[Row] = &[$(Row {
            name: am::$name,
            action: Action::$action,
            least: $least,
            most: $most,
            events: Events::$events,
            in_guards: $guard,
        },)*];
    };
}

struct Row {
    name: Term,
    action: Action,
    least: usize,
    most: usize,
    events: Events,
    in_guards: bool,
}

/// For which events an action exists. As on stock, a traced return can be asked for by any, and says nothing but for
/// calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Events {
    All,
    NotReceive,
    CallsOnly,
}

actions! {
    (Message, MESSAGE, 1..=1, All, false),
    (ReturnTrace, RETURN_TRACE, 0..=0, All, false),
    (ExceptionTrace, EXCEPTION_TRACE, 0..=0, All, false),
    (Display, DISPLAY, 1..=1, All, false),
    (IsSeqTrace, IS_SEQ_TRACE, 0..=0, NotReceive, true),
    (SetSeqToken, SET_SEQ_TOKEN, 2..=2, NotReceive, false),
    (GetSeqToken, GET_SEQ_TOKEN, 0..=0, NotReceive, false),
    (ProcessDump, PROCESS_DUMP, 0..=0, NotReceive, false),
    (EnableTrace, ENABLE_TRACE, 1..=2, NotReceive, false),
    (DisableTrace, DISABLE_TRACE, 1..=2, NotReceive, false),
    (Trace, TRACE, 2..=3, NotReceive, false),
    (Caller, CALLER, 0..=0, CallsOnly, false),
    (CallerLine, CALLER_LINE, 0..=0, CallsOnly, false),
    (CurrentStacktrace, CURRENT_STACKTRACE, 0..=1, CallsOnly, false),
    (Silent, SILENT, 1..=1, NotReceive, false),
    (GetControlWord, GET_TCW, 0..=0, All, true),
    (SetControlWord, SET_TCW, 1..=1, All, false),
}

/// The rows of the release that was booted.
fn rows() -> impl Iterator<Item = &'static Row> {
    let is_there = |row: &&Row| match row.action {
        Action::CurrentStacktrace => release::has(Release::OTP_26),
        _ => true,
    };
    ACTIONS.iter().filter(is_there)
}

/// Whether a form of this name exists only in specifications of tracing.
pub(super) fn is_special(name: Term) -> bool {
    rows().any(|row| row.name == name) && !matches!(name, am::GET_TCW | am::SET_TCW)
}

/// The action that a call stands for; `None` if there is none of that name and number of arguments.
///
/// # Errors
/// What is wrong with the call.
pub(super) fn find(
    call: Term,
    name: Term,
    count: usize,
    dialect: Dialect,
    in_guard: bool,
) -> Result<Option<Action>, String> {
    let Some(row) = rows().find(|row| row.name == name) else {
        return Ok(None);
    };
    if matches!(name, am::GET_TCW | am::SET_TCW) {
        if count != row.least {
            return Ok(None);
        }
        if in_guard && !row.in_guards {
            let name = show(name);
            return Err(format!(
                "Function {name}/{count} cannot be called in this context."
            ));
        }
        return Ok(Some(row.action));
    }
    let form = |fault: &str| Err(format!("Special form '{}' {fault}", term::atom::text(name)));
    let exists = match row.events {
        Events::All => true,
        Events::NotReceive => dialect != Dialect::Receive,
        Events::CallsOnly => dialect == Dialect::Call,
    };
    if !exists {
        return form("not allow for this trace event.");
    }
    if in_guard && !row.in_guards {
        return form("called in guard context.");
    }
    if !(row.least..=row.most).contains(&count) {
        let shown = show(call);
        return match (row.action, row.most) {
            (Action::CurrentStacktrace, _) => {
                form(&format!("called with wrong number of arguments in {shown}"))
            }
            (_, 0) => form(&format!("called with arguments in {shown}.")),
            _ => form(&format!(
                "called with wrong number of arguments in {shown}."
            )),
        };
    }
    if row.action == Action::CurrentStacktrace
        && let Some([_, depth]) = call.as_tuple_of()
    {
        match depth.as_small() {
            None => return form("called with non small argument."),
            Some(..0) => return form("called with negative integer argument."),
            Some(_) => {}
        }
    }
    Ok(Some(row.action))
}

/// What carries out the actions.
pub trait Effects {
    /// Carries out an action; `None` if it fails. What it returns must stay valid until the run is over.
    fn perform(&mut self, action: Action, arguments: &[Term]) -> Option<Term>;
}

/// For specifications of tables, which have no actions.
pub(super) struct NoEffects;

impl Effects for NoEffects {
    fn perform(&mut self, _action: Action, _arguments: &[Term]) -> Option<Term> {
        None
    }
}
