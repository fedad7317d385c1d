//! Points: functions at whose entry there is a breakpoint, and what is done when one is called.
//!
//! The interpreting debugger and tracing of local calls share the breakpoints in code ([`engine::breakpoints`]). The points of
//! all code are in one map by the address of the entry. A process that reaches a breakpoint finds its point in the breakpoint's
//! record, without a search or a lock: points change only while the world is stopped. A breakpoint that does nothing but count
//! calls does not even come here ([`only_count`]).

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use engine::breakpoints::{self, Point as CodePoint, only_count};
use engine::native::NoRoom;
use layout::context::{Resume, TRACED_ROOM_WORDS};
use layout::limits::STACK_RESERVE_WORDS;
use layout::{Breakpoint, Context, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::am;

use super::costs::{self, Costs, Measure};
use super::counts::Count;
use super::frames::wish;
use super::{LEGACY, Tracer, frames, get, is_for_in, what};
use crate::code::breakpoints::Pattern;
use crate::code::modules;
use crate::collector;
use crate::error_handler;
use crate::process::{Process, flag};
use crate::scheduler::world;

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
        // Those who are told of calls by the full name only come first, as on stock. Only at BIFs they meet others here.
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
pub struct Point {
    /// Module, function, arity.
    pub function: [Term; 3],
    pub actions: Actions,
    breakpoint: *const Breakpoint,
}

/// By the address of the entry. A box, so that a breakpoint's record can refer to its point.
type Points = FxHashMap<usize, Box<Point>>;

/// Null until there is a point.
static POINTS: AtomicPtr<Points> = AtomicPtr::new(std::ptr::null_mut());

/// The points. The reference must not be kept longer than the thread runs a process, or holds the world stopped.
fn points() -> Option<&'static Points> {
    // SAFETY: the map is never freed, and changes only while no thread runs a process (`change_points`).
    unsafe { POINTS.load(Ordering::Acquire).as_ref() }
}

/// The entry of a function of current code, if it has a point.
#[must_use]
pub fn entry_of(module: Term, function: Term, arity: u32) -> Option<*const u64> {
    let points = points().filter(|points| !points.is_empty())?;
    let entry = modules::current(module)?.code.function(function, arity)?;
    points.contains_key(&(entry as usize)).then_some(entry)
}

/// Changes the points. The world must be stopped.
fn change_points(body: impl FnOnce(&mut Points)) {
    let mut points = POINTS.load(Ordering::Acquire);
    if points.is_null() {
        points = Box::into_raw(Box::default());
        POINTS.store(points, Ordering::Release);
        super::EVER_OF_CALLS.store(true, Ordering::Relaxed);
    }
    // SAFETY: the world is stopped, so nobody else reads or changes the map.
    body(unsafe { &mut *points });
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
    let mut count = 0;
    for loaded in code {
        let matches = |function: &engine::code::Function| {
            let engine::code::Function {
                module,
                function,
                arity,
                ..
            } = *function;
            pattern.is_for(function, arity) && wanted(module, function, arity)
        };
        // The places of functions in the code whose breakpoints are to be set and cleared; what is done at those that stay.
        let (mut set, mut set_actions, mut cleared) = (Vec::new(), Vec::new(), Vec::new());
        let mut kept: Vec<(usize, Actions)> = Vec::new();
        let functions = loaded.code.functions().enumerate();
        for (place, (_, entry)) in functions.filter(|(_, (function, _))| matches(function)) {
            count += 1;
            let entry = entry as usize;
            let before = points().and_then(|points| points.get(&entry));
            let mut actions = before.map_or_else(Actions::default, |point| point.actions.clone());
            change(&mut actions);
            match (before, actions.is_empty()) {
                (None, true) => {}
                (None, false) => {
                    set.push(place);
                    set_actions.push(actions);
                }
                (Some(_), true) => cleared.push((place, entry)),
                (Some(_), false) => kept.push((entry, actions)),
            }
        }
        let places: Vec<usize> = cleared.iter().map(|(place, _)| *place).collect();
        // SAFETY: no thread runs code while the world is stopped, and no thread reads words of code meanwhile.
        unsafe { loaded.code.set_breakpoints(&places, false) }?;
        // SAFETY: as above.
        let set = unsafe { loaded.code.set_breakpoints(&set, true) }?;
        change_points(|points| {
            for (_, entry) in &cleared {
                points.remove(entry);
            }
            points.reserve(set.len());
            for (point, actions) in set.iter().zip(set_actions) {
                points.insert(point.entry as usize, new_point(point, actions));
            }
            for (entry, actions) in kept {
                if let Some(point) = points.get_mut(&entry) {
                    point.change(actions);
                }
            }
        });
    }
    Ok(count)
}

impl Point {
    fn change(&mut self, actions: Actions) {
        self.actions = actions;
        // SAFETY: a breakpoint's record lives as long as its code, which is loaded.
        let record = unsafe { &*self.breakpoint };
        only_count(record, self.actions.only_counted().map(Count::counters));
    }
}

fn new_point(point: &CodePoint, actions: Actions) -> Box<Point> {
    let function = point.function;
    let new = Box::new(Point {
        function: [
            function.module,
            function.function,
            Term::small(function.arity.into()),
        ],
        actions,
        breakpoint: point.record,
    });
    // SAFETY: a breakpoint's record lives as long as its code, which is loaded.
    let record = unsafe { &*point.record };
    let of_point = (&raw const *new).cast_mut().cast();
    record.point.store(of_point, Ordering::Release);
    only_count(record, new.actions.only_counted().map(Count::counters));
    new
}

/// Ends all that is done for calls of a version of a module that is no longer current. The world must be stopped.
pub fn clear(code: &Arc<modules::Loaded>) {
    if points().is_some() {
        let pattern = Pattern {
            module: None,
            function: None,
            arity: None,
        };
        // Restoring code needs no memory but that for making it writable; without that the breakpoints stay.
        let _ = change_in(std::slice::from_ref(code), &pattern, &|actions| {
            *actions = Actions::default();
        });
    }
}

/// Forgets the points of code that is removed. The world must be stopped.
pub fn forget(range: &std::ops::Range<*const u64>) {
    if points().is_some() {
        change_points(|points| {
            points.retain(|entry, _| !range.contains(&(*entry as *const u64)));
        });
    }
}

/// What is done at the entry of a function.
#[must_use]
pub fn at(entry: *const u64) -> Option<Actions> {
    let point = points()?.get(&(entry as usize))?;
    Some(point.actions.clone())
}

/// The breakpoint at an entry, for code in the threaded form.
pub(crate) fn breakpoint_at(entry: *const u64) -> *const Breakpoint {
    let point = points().and_then(|points| points.get(&(entry as usize)));
    point.expect("a breakpoint has a point").breakpoint
}

/// A process has reached the breakpoint at the entry of a function, whose arguments are in x0 onwards.
pub(crate) fn reached(
    process: &mut Process,
    context: &mut Context,
    breakpoint: &Breakpoint,
) -> Resume {
    let point = breakpoint.point.load(Ordering::Acquire).cast::<Point>();
    // SAFETY: `new_point` has set it, and the box lives as long as the breakpoint is set.
    let point = unsafe { &*point };
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
    for watch in actions.iter() {
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
        collector::collect(process, arguments, needed);
    }
    process.flags & flag::EXIT_PENDING == 0
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
            && process.flags & flag::OBSERVED != 0
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
        if (self.time.is_some() || self.memory.is_some()) && process.flags & flag::OBSERVED != 0 {
            self.measure(process, call.function);
        }
    }

    /// Begins to measure what the call costs.
    fn measure(&self, process: &mut Process, function: [Term; 3]) {
        let session = self.session;
        // As on stock, functions that replace each other have one frame, whatever it is for, and even if it is another session's.
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
