//! Who refers to which node. An external identifier has its node in it, so nothing is counted while programs run; the
//! counts are found by looking at everything that may hold one, while no process runs.
//!
//! What is not looked at, because it is there for a moment only: signals other than messages, messages from other nodes
//! that nobody has decoded yet, and the heaps of processes that are on a dirty scheduler or are ending.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use layout::heap::is_return_address;
use layout::object::offset;
use layout::{ObjectKind, Term};
use parking_lot::Mutex;
use term::literal;
use term::node::{self, Node};

use crate::persistent_term;
use distribution::peers;
use distribution::relations::Kind;
use ets::match_spec;
use runtime::effects::port;
use runtime::mail::{timer, world};
use runtime::process::peer::Peer;
use runtime::process::signal::messages_from;
use runtime::process::{config, epoch, state, table};

/// How long a lock is waited for. Whoever holds one while no process runs is a thread of its own.
const PATIENCE: Duration = Duration::from_secs(1);

/// What holds an identifier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Referrer {
    /// A process or port, or the name that a timer sends to.
    Entity(u64),
    /// The number of a table.
    Table(u64),
    /// The number of a match specification.
    MatchSpec(u64),
    PersistentTerms,
}

/// In what of a referrer the identifiers are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Heap,
    Link,
    Monitor,
    Table,
    Binary,
    Timer,
    System,
}

/// Counts of identifiers, by node, referrer and place.
#[derive(Default)]
pub(crate) struct References(pub BTreeMap<(Referrer, u64, Place), i64>);

impl References {
    /// Looks at everything, while no other thread runs a process.
    #[must_use]
    pub(crate) fn find() -> References {
        let mut references = References::default();
        world::stopped(|| references.look());
        references
    }

    /// The nodes that something refers to.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> {
        let words: BTreeSet<u64> = self.0.keys().map(|(_, word, _)| *word).collect();
        words.into_iter().map(Node::of_word)
    }

    fn look(&mut self) {
        assert!(world::is_stopped_here(), "other threads run processes");
        let (pids, _) = table::list(0, usize::MAX);
        for pid in pids {
            epoch::with_pin(|pinned| {
                if let Some(process) = table::find(pinned, pid) {
                    self.look_at_process(process);
                }
            });
        }
        self.look_at_connections();
        for port in port::all_within(PATIENCE) {
            let referrer = Referrer::Entity(port.id.bits());
            port.with_data(|data| self.add(referrer, Place::Heap, [data]));
        }
        for table in ets::registry::all_within(PATIENCE).unwrap_or_default() {
            let referrer = Referrer::Table(table.number);
            table.each_part_within(PATIENCE, |part| {
                part.each(|object| {
                    self.add(referrer, Place::Table, [object.open().tuple()]);
                });
            });
        }
        timer::messages_within(PATIENCE, &mut |to, message, _| {
            self.add(Referrer::Entity(to.bits()), Place::Timer, [message]);
        });
        let persistent = persistent_term::all_within(PATIENCE).unwrap_or_default();
        let terms = persistent.into_iter().flat_map(|(key, value)| [key, value]);
        self.walk(Referrer::PersistentTerms, Place::System, terms, true);
    }

    fn look_at_process(&mut self, process: Peer<'_>) {
        let word = process.state();
        let is_own = runtime::mail::current::is_running_here(process.pointer());
        if word & state::EXITING != 0
            || (word & (state::RUNNING | state::DIRTY | state::BORROWED) != 0 && !is_own)
        {
            return;
        }
        // SAFETY: the world is stopped, and the process is in no other thread's hands; this thread's own has its
        // registers written back.
        let process = unsafe { &*process.pointer() };
        let mut roots = vec![process.group_leader];
        roots.extend(Some(process.parent).filter(|parent| !parent.is_none()));
        roots.extend(process.dictionary.pairs().flatten());
        let heap = &process.head.heap;
        let mut at = heap.stack.cast_const();
        while at < heap.end.cast_const() {
            // SAFETY: the words between stack and end are return addresses and terms, and the owner does not run.
            let word = unsafe { *at };
            if !is_return_address(word) {
                // SAFETY: a stack word that is not a return address is a term or a catch mark.
                roots.push(unsafe { Term::from_bits(word) });
            }
            at = at.wrapping_add(1);
        }
        let mut next = process.head.messages.first;
        while !next.is_null() {
            // SAFETY: the owner does not run, so the messages stay in its inner queue.
            unsafe {
                roots.push((*next).term);
                next = (*next).next;
            }
        }
        for first in process.unhandled() {
            // SAFETY: only the owner takes signals out, and it does not run.
            roots.extend(unsafe { messages_from(first) });
        }
        self.add(Referrer::Entity(process.id.bits()), Place::Heap, roots);
    }

    /// The links and monitors between nodes, which are rows of the connections.
    fn look_at_connections(&mut self) {
        for channel in peers::channels() {
            for relation in channel.relations.all() {
                let referrer = Referrer::Entity(relation.local.bits());
                let remote = relation.remote.term();
                match &relation.kind {
                    Kind::Link => self.add(referrer, Place::Link, [remote]),
                    Kind::Monitor { .. } => self.add(referrer, Place::Monitor, [remote]),
                    Kind::Watcher { reference, .. } => {
                        self.add(referrer, Place::Monitor, [remote, reference.term()]);
                    }
                    Kind::Spawn(_) | Kind::Node => {}
                }
            }
        }
    }

    fn add(&mut self, referrer: Referrer, place: Place, roots: impl IntoIterator<Item = Term>) {
        self.walk(referrer, place, roots, false);
    }

    /// Counts the identifiers that can be reached from `roots`, each once. Literals belong to others, unless they are
    /// asked for.
    fn walk(
        &mut self,
        referrer: Referrer,
        place: Place,
        roots: impl IntoIterator<Item = Term>,
        literals: bool,
    ) {
        let mut seen = HashSet::new();
        let mut rest: Vec<Term> = roots.into_iter().collect();
        while let Some(term) = rest.pop() {
            if term.is_none()
                || term.is_immediate()
                || (!literals && literal::contains(term.bits() as usize))
                || !seen.insert(term)
            {
                continue;
            }
            if let Some((head, tail)) = term.as_cons() {
                rest.push(head);
                rest.push(tail);
                continue;
            }
            let object = term.expect_boxed();
            if matches!(
                object.kind(),
                ObjectKind::ExternalPid | ObjectKind::ExternalPort | ObjectKind::ExternalReference
            ) {
                let word = object.word(offset::EXTERNAL_NODE);
                *self.0.entry((referrer, word, place)).or_default() += 1;
                continue;
            }
            if let Some(program) = match_spec::from_term(term) {
                self.look_at_program(&program);
                continue;
            }
            rest.extend(object.terms());
        }
    }

    /// A match specification may be held by several references; it is counted once.
    fn look_at_program(&mut self, program: &match_spec::Program) {
        let referrer = Referrer::MatchSpec(program.number());
        if !self.0.keys().any(|(known, ..)| *known == referrer) {
            self.add(referrer, Place::Binary, program.constants().iter().copied());
        }
    }
}

/// Seconds after which the name of an unused node is forgotten, if a program has set them; negative if none has.
static DELAY_S: AtomicI64 = AtomicI64::new(-1);

/// Sets the seconds after which the name of an unused node is forgotten; with `None` those of `+zdntgc` count.
pub(crate) fn set_delay(seconds: Option<u32>) {
    DELAY_S.store(seconds.map_or(-1, i64::from), Ordering::Relaxed);
}

/// After what time the name of an unused node is forgotten; `None` is never.
fn delay() -> Option<Duration> {
    let seconds = match u64::try_from(DELAY_S.load(Ordering::Relaxed)) {
        Ok(set) => set,
        Err(_) => u64::from(config::get().flags.node_table_gc_delay_s?),
    };
    Some(Duration::from_secs(seconds))
}

/// With more processes than this nothing is looked for: all of them would stand still for too long, for the sake of a
/// name.
const MOST_PROCESSES: usize = 100_000;

/// Forgets the names of nodes that have long been unused. As it has to look at everything, it does so once in the time
/// that a name has to be unused, so that a name is kept for at most twice that time once somebody asks; and not at all
/// while every name is that of a connected node.
pub(crate) fn forget_unused() {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let Some(delay) = delay() else {
        return;
    };
    let connected: HashSet<Term> = peers::channels()
        .iter()
        .map(|channel| channel.node)
        .collect();
    let all_connected = || {
        node::known_names()
            .iter()
            .all(|name| connected.contains(name))
    };
    if table::count() > MOST_PROCESSES || all_connected() {
        return;
    }
    {
        let mut last = LAST.lock();
        if last.is_some_and(|last| last.elapsed() < delay) {
            return;
        }
        *last = Some(Instant::now());
    }
    let references = References::find();
    let mut used: HashSet<Term> = references.nodes().map(|node| node.name).collect();
    used.extend(peers::channels().iter().map(|channel| channel.node));
    node::forget_unused(delay, |name| used.contains(&name));
}

/// The smallest creation that a node takes for itself: the smaller ones are of nodes that know but those.
const FIRST_CREATION: u32 = 4;

/// The creation, or the next one with which nothing in this node refers to a node of the name.
#[must_use]
pub(crate) fn unused_creation(name: Term, creation: u32) -> u32 {
    let creation = creation.max(FIRST_CREATION);
    if !node::known_names().contains(&name) {
        return creation;
    }
    let references = References::find();
    let of_name = references.nodes().filter(|node| node.name == name);
    let used: HashSet<u32> = of_name.map(|node| node.creation).collect();
    (creation..=u32::MAX)
        .chain(FIRST_CREATION..creation)
        .find(|creation| !used.contains(creation))
        .expect("fewer identifiers than creations")
}
