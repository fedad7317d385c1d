//! Processes that are told of all nodes that come and go (`net_kernel:monitor_nodes`).
//!
//! A process subscribes with a set of options, any number of times, and gets a message for each time. Those of a
//! process that has ended are removed when a message does not reach it.

use layout::{Heap, Term};
use parking_lot::Mutex;
use term::heap::Scratch;
use term::{am, build, map};

use runtime::mail::signal;

/// The options of a subscription, as bits.
pub mod option {
    /// Details are in a map; otherwise in a list, if there are any.
    pub const INFO_MAP: u8 = 1;
    pub const CONNECTION_ID: u8 = 1 << 1;
    pub const VISIBLE: u8 = 1 << 2;
    pub const HIDDEN: u8 = 1 << 3;
    pub const REASON: u8 = 1 << 4;
}

/// A process, its options, and how often it has subscribed with them.
struct Subscription {
    pid: Term,
    options: u8,
    count: u32,
}

/// The first one first, as a process that has subscribed with several sets of options gets its messages.
static SUBSCRIPTIONS: Mutex<Vec<Subscription>> = Mutex::new(Vec::new());

/// Subscribes once more; returns how often the process had before.
pub fn subscribe(pid: Term, options: u8) -> u32 {
    let mut subscriptions = SUBSCRIPTIONS.lock();
    let found = subscriptions
        .iter_mut()
        .find(|one| one.pid == pid && one.options == options);
    if let Some(subscription) = found {
        subscription.count += 1;
        return subscription.count - 1;
    }
    let subscription = Subscription {
        pid,
        options,
        count: 1,
    };
    subscriptions.push(subscription);
    0
}

/// Ends all subscriptions with these options; returns how many there were.
pub fn unsubscribe(pid: Term, options: u8) -> u32 {
    let mut subscriptions = SUBSCRIPTIONS.lock();
    let found = subscriptions
        .iter()
        .position(|one| one.pid == pid && one.options == options);
    found.map_or(0, |at| subscriptions.remove(at).count)
}

/// All processes that have subscribed, with their options, once for each time.
#[must_use]
pub fn all() -> Vec<(Term, u8)> {
    let subscriptions = SUBSCRIPTIONS.lock();
    let repeated = subscriptions
        .iter()
        .map(|one| std::iter::repeat_n((one.pid, one.options), one.count as usize));
    repeated.flatten().collect()
}

/// A node that comes or goes.
#[derive(Clone, Copy)]
pub struct Change {
    /// `nodeup` or `nodedown`.
    pub what: Term,
    pub node: Term,
    /// The number of the connection; none for this node itself.
    pub id: Option<u32>,
    pub is_visible: bool,
    pub reason: Term,
}

/// Tells all who have subscribed.
pub fn tell(change: Change) {
    for (pid, options) in all() {
        if !is_of_interest(&change, options) {
            continue;
        }
        let mut scratch = Scratch::new();
        let message = message(scratch.heap(), &change, options);
        if !signal::send_message(am::SYSTEM, pid, message) {
            SUBSCRIPTIONS.lock().retain(|one| one.pid != pid);
        }
    }
}

fn is_of_interest(change: &Change, options: u8) -> bool {
    let types = options & (option::VISIBLE | option::HIDDEN);
    match change.is_visible {
        true => types == 0 || types & option::VISIBLE != 0,
        false => types & option::HIDDEN != 0,
    }
}

fn message(heap: &mut Heap, change: &Change, options: u8) -> Term {
    if options == 0 {
        return build::tuple(heap, &[change.what, change.node]);
    }
    let id = change
        .id
        .map_or(am::UNDEFINED, |id| Term::small(i64::from(id)));
    let kind = match change.is_visible {
        true => am::VISIBLE,
        false => am::HIDDEN,
    };
    let has = |option: u8| options & option != 0;
    let with_type = has(option::VISIBLE) || has(option::HIDDEN);
    let with_reason = change.what == am::NODEDOWN && has(option::REASON);
    let details = [
        (has(option::CONNECTION_ID), am::CONNECTION_ID, id),
        (with_reason, am::NODEDOWN_REASON, change.reason),
        (with_type, am::NODE_TYPE, kind),
    ];
    let pairs: Vec<(Term, Term)> = details
        .into_iter()
        .filter_map(|(wanted, key, value)| wanted.then_some((key, value)))
        .collect();
    let details = if has(option::INFO_MAP) {
        map::from_pairs(heap, &pairs)
    } else {
        let tuples: Vec<Term> = pairs
            .iter()
            .map(|&(key, value)| build::tuple(heap, &[key, value]))
            .collect();
        build::list(heap, &tuples)
    };
    build::tuple(heap, &[change.what, change.node, details])
}
