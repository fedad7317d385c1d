//! Points: functions at whose entry there is a breakpoint, and what is done when one is called.
//!
//! The interpreting debugger and tracing of local calls share the breakpoints in code ([`engine::breakpoints`]). Each
//! breakpoint's record leads to its point, so a process that reaches one finds it without a search or a lock: points
//! change only while the world is stopped. A breakpoint that does nothing but count calls does not even come here
//! ([`only_count`]).

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::breakpoints::{self, only_count};
use engine::code::Code;
use engine::native::NoRoom;
use layout::context::{Resume, TRACED_ROOM_WORDS};
use layout::limits::STACK_RESERVE_WORDS;
use layout::{Breakpoint, Context, Term};
use smallvec::SmallVec;
use term::am;

use super::costs::{self, Costs, Measure};
use super::counts::Count;
use super::frames::wish;
use super::{frames, get, is_for_in};
use crate::code::modules;
use crate::code::translation::make;
use crate::effects::{collection, error_handler};
use crate::mail::{observer, world};
use crate::process::tracing::{LEGACY, Tracer, what};
use crate::process::{Flags, Process};
use crate::trace::breakpoints::Pattern;

/// A match specification that decides which calls are reported, if there is one. What it is knows the crate `trace`.
pub type Condition = Option<Arc<dyn Any + Send + Sync>>;

/// What a tracer of a function is told, whatever process calls it.
#[derive(Clone)]
pub struct Meta {
    pub condition: Condition,
    pub tracer: Tracer,
    /// A call has found the tracer gone.
    pub is_gone: Arc<AtomicBool>,
}

/// What one session does when a function is called.
#[derive(Clone)]
pub struct Watch {
    pub session: u32,
    /// Nothing of all this is done: on stock before OTP 29, a pattern that ends something at a BIF silences what else
    /// the session does there, until a pattern begins something.
    pub is_silent: bool,
    /// The tracer of the process is told.
    pub call: Option<Condition>,
    /// Only calls by the full name are reported to it.
    pub is_global: bool,
    /// This tracer is told, whatever process calls.
    pub meta: Option<Meta>,
    pub count: Option<Arc<Count>>,
    pub time: Option<Arc<Costs>>,
    pub memory: Option<Arc<Costs>>,
}

impl Watch {
    /// Nothing.
    #[must_use]
    pub fn new(session: u32) -> Watch {
        Watch {
            session,
            is_silent: false,
            call: None,
            is_global: false,
            meta: None,
            count: None,
            time: None,
            memory: None,
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count.is_none() && self.is_none_but_count()
    }

    fn is_none_but_count(&self) -> bool {
        let Watch {
            session: _,
            is_silent: _,
            call,
            is_global: _,
            meta,
            count: _,
            time,
            memory,
        } = self;
        call.is_none() && meta.is_none() && time.is_none() && memory.is_none()
    }
}

/// What is done when a function is called.
#[derive(Clone, Default)]
pub struct Actions {
    /// The call goes to `error_handler:breakpoint/3` instead.
    pub debugged: bool,
    /// Those of sessions that do something, the latest first.
    watches: SmallVec<[Watch; 1]>,
}

impl Actions {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.debugged && self.watches.is_empty()
    }

    /// What the sessions do, the latest first.
    pub fn iter(&self) -> std::slice::Iter<'_, Watch> {
        self.watches.iter()
    }

    /// What a session does, if it does anything.
    #[must_use]
    pub fn of(&self, session: u32) -> Option<&Watch> {
        self.watches.iter().find(|watch| watch.session == session)
    }

    /// Changes what a session does.
    pub fn change(&mut self, session: u32, change: impl FnOnce(&mut Watch)) {
        let place = self.watches.iter().position(|w| w.session == session);
        match place {
            Some(place) => {
                let was_global = self.watches[place].is_global;
                change(&mut self.watches[place]);
                if self.watches[place].is_empty() {
                    self.watches.remove(place);
                } else if self.watches[place].is_global != was_global {
                    let changed = self.watches.remove(place);
                    self.add(changed);
                }
            }
            None => {
                let mut watch = Watch::new(session);
                change(&mut watch);
                if !watch.is_empty() {
                    self.add(watch);
                }
            }
        }
    }

    fn add(&mut self, watch: Watch) {
        // Those who are told of calls by the full name only come first, as on stock. Only at BIFs they meet others
        // here.
        let is_before = |other: &Watch| other.is_global && !watch.is_global;
        let place = self.watches.iter().take_while(|w| is_before(w)).count();
        self.watches.insert(place, watch);
    }

    /// Ends what a session does.
    pub fn end(&mut self, session: u32) {
        self.watches.retain(|watch| watch.session != session);
    }

    /// The counter of calls, if one session counts them now and nothing else is done.
    fn only_counted(&self) -> Option<&Count> {
        let [watch] = self.watches.as_slice() else {
            return None;
        };
        let count = watch.count.as_deref()?;
        (!self.debugged && watch.is_none_but_count() && !count.is_paused()).then_some(count)
    }
}

/// A call of a function that is watched.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Module, function, arity.
    pub function: [Term; 3],
    pub arguments: &'a [Term],
    /// Not only calls by the full name are told of.
    pub is_local: bool,
}

/// A function and what is done when it is called.
struct Point {
    /// Module, function, arity.
    function: [Term; 3],
    actions: Actions,
}

/// The point of a breakpoint. The reference must not be kept longer than the thread runs a process, or holds the world
/// stopped.
fn point_of(breakpoint: &Breakpoint) -> Option<&Point> {
    // SAFETY: boxes of `Point` are put here by `put_point`, and freed only while no thread runs a process.
    unsafe {
        breakpoint
            .point
            .load(Ordering::Acquire)
            .cast::<Point>()
            .as_ref()
    }
}

/// As [`point_of`], to change it.
///
/// # Safety
/// The world is stopped, and nobody else has a reference to the point.
#[expect(clippy::mut_from_ref, reason = "the point is behind an atomic pointer")]
unsafe fn point_to_change(breakpoint: &Breakpoint) -> Option<&mut Point> {
    // SAFETY: as in `point_of`; the caller's promise.
    unsafe {
        breakpoint
            .point
            .load(Ordering::Acquire)
            .cast::<Point>()
            .as_mut()
    }
}

/// Gives a breakpoint its point, or takes it away. The world must be stopped.
fn put_point(breakpoint: &Breakpoint, point: Option<Box<Point>>) {
    let new = point.map_or(std::ptr::null_mut(), Box::into_raw);
    let before = breakpoint.point.swap(new.cast(), Ordering::AcqRel);
    if !before.is_null() {
        // SAFETY: put here as a box, and the world is stopped: nobody reads it.
        drop(unsafe { Box::from_raw(before.cast::<Point>()) });
    }
}

/// Has a breakpoint do no more than count, if that is all that is done.
fn settle(breakpoint: &Breakpoint, actions: &Actions) {
    only_count(breakpoint, actions.only_counted().map(Count::counters));
}

/// The entry of a function of current code, if it has a point.
#[must_use]
pub fn entry_of(module: Term, function: Term, arity: u32) -> Option<*const u64> {
    let loaded = modules::current(module)?;
    let code = loaded.code.made()?;
    let breakpoints = code.breakpoints();
    if breakpoints.is_empty() {
        return None;
    }
    let breakpoint = &breakpoints[code.place_of(function, arity)?];
    point_of(breakpoint).map(|_| breakpoint.entry)
}

/// Changes what is done for all matching functions of current code; returns their number.
///
/// # Errors
/// [`NoRoom`] if there is not enough memory; some modules may have been changed by then.
pub fn change(pattern: &Pattern, change: impl Fn(&mut Actions)) -> Result<usize, NoRoom> {
    world::stopped(|| change_in(&modules::all_current(pattern.module), pattern, &change))
}

/// As [`change`], in these versions of modules, while the world is stopped.
///
/// # Errors
/// As [`change`].
pub fn change_in(
    code: &[Arc<modules::Loaded>],
    pattern: &Pattern,
    change: &dyn Fn(&mut Actions),
) -> Result<usize, NoRoom> {
    change_if(code, pattern, change, &|_, _, _| true)
}

/// As [`change_in`], of those functions that `wanted` chooses by module, name and arity.
///
/// # Errors
/// As [`change`].
pub fn change_if(
    code: &[Arc<modules::Loaded>],
    pattern: &Pattern,
    change: &dyn Fn(&mut Actions),
    wanted: &dyn Fn(Term, Term, u32) -> bool,
) -> Result<usize, NoRoom> {
    let each = code.iter();
    each.filter(|loaded| has_match(loaded, pattern, wanted))
        .map(|loaded| {
            let code = make(loaded).map_err(|_| NoRoom)?;
            change_code(code, pattern, change, wanted)
        })
        .sum()
}

/// Whether a function of a module is meant. If none is, its code need not be made for that.
fn has_match(
    loaded: &modules::Loaded,
    pattern: &Pattern,
    wanted: &dyn Fn(Term, Term, u32) -> bool,
) -> bool {
    loaded.code.functions().any(|(function, _)| {
        pattern.is_for(function.function, function.arity)
            && wanted(function.module, function.function, function.arity)
    })
}

fn change_code(
    code: &Code,
    pattern: &Pattern,
    change: &dyn Fn(&mut Actions),
    wanted: &dyn Fn(Term, Term, u32) -> bool,
) -> Result<usize, NoRoom> {
    let mut count = 0;
    let breakpoints = code.breakpoints();
    // The places of functions in the code whose breakpoints are to be set and cleared.
    let (mut set, mut cleared) = (Vec::new(), Vec::new());
    let mut new_points = Vec::new();
    for (place, (function, _)) in code.functions().enumerate() {
        let [module, name] = [function.module, function.function];
        if !pattern.is_for(name, function.arity) || !wanted(module, name, function.arity) {
            continue;
        }
        count += 1;
        let breakpoint = breakpoints.get(place);
        // SAFETY: the world is stopped, and the reference is gone before the next.
        if let Some(point) = breakpoint.and_then(|at| unsafe { point_to_change(at) }) {
            change(&mut point.actions);
            match point.actions.is_empty() {
                true => cleared.push(place),
                false => settle(&breakpoints[place], &point.actions),
            }
            continue;
        }
        let mut actions = Actions::default();
        change(&mut actions);
        if !actions.is_empty() {
            let function = [module, name, Term::small(function.arity.into())];
            set.push(place);
            new_points.push(Box::new(Point { function, actions }));
        }
    }
    // SAFETY: no thread runs code while the world is stopped, and no thread reads words of code meanwhile.
    unsafe {
        code.set_breakpoints(&cleared, false)?;
        code.set_breakpoints(&set, true)?;
    }
    for place in cleared {
        put_point(&breakpoints[place], None);
    }
    if !set.is_empty() {
        observer::tell_of_calls();
    }
    let breakpoints = code.breakpoints();
    for (place, point) in set.into_iter().zip(new_points) {
        settle(&breakpoints[place], &point.actions);
        put_point(&breakpoints[place], Some(point));
    }
    Ok(count)
}

/// Ends all that is done for calls of a version of a module that is no longer current. The world must be stopped.
pub fn clear(code: &Code) {
    if !code.breakpoints().is_empty() {
        let pattern = Pattern {
            module: None,
            function: None,
            arity: None,
        };
        // Restoring code needs no memory but that for making it writable; without that the breakpoints stay, with
        // nothing to do.
        let forget = |actions: &mut Actions| *actions = Actions::default();
        let _ = change_code(code, &pattern, &forget, &|_, _, _| true);
    }
}

/// Forgets the points of code that is removed. The world must be stopped.
pub fn forget(code: &Code) {
    for breakpoint in code.breakpoints() {
        put_point(breakpoint, None);
    }
}

/// What is done at the entry of the function at this place in code.
#[must_use]
pub fn at(code: &Code, place: usize) -> Option<Actions> {
    let point = point_of(code.breakpoints().get(place)?)?;
    Some(point.actions.clone())
}

/// The breakpoint at an instruction; null if that is not the entry of a function that has one.
pub(crate) fn breakpoint_at(entry: *const u64) -> *const Breakpoint {
    let found = modules::find_code(entry).and_then(|loaded| {
        let code = loaded.code.made()?;
        let place = code.place_of_entry(entry)?;
        let breakpoint = code.breakpoints().get(place)?;
        point_of(breakpoint).map(|_| &raw const *breakpoint)
    });
    found.unwrap_or(std::ptr::null())
}

/// A process has reached the breakpoint at the entry of a function, whose arguments are in x0 onwards.
pub(crate) fn reached(
    process: &mut Process,
    context: &mut Context,
    breakpoint: &Breakpoint,
) -> Resume {
    let Some(point) = point_of(breakpoint) else {
        return breakpoints::resume(breakpoint);
    };
    let [module, function, arity] = point.function;
    let arity = arity.as_small().unwrap_or(0) as usize;
    if point.actions.debugged {
        // If the process had left in the middle of the entry instruction, that instruction begins again.
        process.head.is_counting = false;
        let name = [module, function];
        let at = error_handler::call(process, context, am::BREAKPOINT, name, arity);
        let handler = std::ptr::null();
        return Resume { at, handler };
    }
    // If it had left in the middle of the entry instruction, it has been reported before.
    if !process.head.is_counting {
        act(process, context, &point.actions, point.function);
    }
    breakpoints::resume(breakpoint)
}

/// Does what is to be done for a call of a function, whose arguments are in x0 onwards.
pub(super) fn act(
    process: &mut Process,
    context: &mut Context,
    actions: &Actions,
    function: [Term; 3],
) {
    let arity = function[2].as_small().unwrap_or(0) as usize;
    let arguments = &mut context.x[..arity];
    // The engine has made room for the frames of one session.
    if actions.watches.len() > 1 && !has_room(process, arguments, actions.watches.len()) {
        return;
    }
    for watch in actions.iter().filter(|watch| !watch.is_silent) {
        let call = Call {
            function,
            arguments,
            is_local: !watch.is_global,
        };
        watch.act(process, &call);
    }
}

/// Makes room on the stack for the frames of several sessions; false if the process ends because it would be too large.
#[cold]
fn has_room(process: &mut Process, arguments: &mut [Term], sessions: usize) -> bool {
    let needed = TRACED_ROOM_WORDS * sessions;
    let heap = &process.head.heap;
    let free = (heap.stack as usize - heap.top as usize) / size_of::<u64>();
    if free < needed + STACK_RESERVE_WORDS {
        // SAFETY: a function is about to begin: beside what the process has, only its arguments are live.
        unsafe { collection::collect(process, arguments, needed) };
    }
    !process.flags.contains(Flags::EXIT_PENDING)
}

impl Watch {
    fn act(&self, process: &mut Process, call: &Call<'_>) {
        let session = self.session;
        // One that has just ended may not have been taken off yet.
        if session != LEGACY && !get().is_session(session) {
            return;
        }
        if let Some(count) = &self.count {
            count.add();
        }
        if let Some(condition) = &self.call
            && process.flags.contains(Flags::TRACED)
            && is_for_in(process, session, what::CALL)
        {
            let wishes = get().called(process, call, condition, session, None);
            frames::push(process, call.function, wishes, session, Term::NIL);
        }
        if let Some(meta) = &self.meta {
            let tracer = Some(&meta.tracer);
            let wishes = get().called(process, call, &meta.condition, session, tracer);
            if wishes & wish::TRACER_GONE != 0 {
                meta.is_gone.store(true, Ordering::Relaxed);
            } else if wishes != 0 {
                let tracer = meta.tracer.to_term(process.heap());
                frames::push(process, call.function, wishes, session, tracer);
            }
        }
        if (self.time.is_some() || self.memory.is_some()) && process.flags.contains(Flags::TRACED) {
            self.measure(process, call.function);
        }
    }

    /// Begins to measure what the call costs.
    fn measure(&self, process: &mut Process, function: [Term; 3]) {
        let session = self.session;
        // As on stock, functions that replace each other have one frame, whatever it is for, and even if it is another
        // session's.
        let has_frame = frames::has_frame(process);
        let costs = [(Measure::Time, &self.time), (Measure::Memory, &self.memory)];
        for (measure, costs) in costs {
            if let Some(costs) = costs
                && let Some(before) = costs::called(process, session, function, costs)
                && !has_frame
            {
                frames::push_measured(process, session, measure, before);
            }
        }
    }
}
