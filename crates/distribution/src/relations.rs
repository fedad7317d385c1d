//! Relations between processes of this node and of others: what stands behind the handles of [`runtime::mail::remote`].
//!
//! Each relation is a [`Relation`] of one channel. It is found by its handle, by the channel when a signal comes in
//! (which names both sides), and when the channel ends. Handles are numbers that are never used again.
//!
//! Counting: see [`runtime::mail::remote`]. A count is taken and given back under the lock of the channel's relations,
//! so a relation that the channel finds cannot vanish before it is counted. Once the channel has ended, its relations
//! go one by one, on all schedulers, and that lock would be in their way: then whoever finds one counts it only if
//! somebody still does, and the channel's own table is left as it is, until it goes with the channel.

mod handles;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use layout::Term;
use layout::kinds::{ExternalIdentifier, ExternalReference};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::copy::Owned;
use term::external::encode::reference_words;
use term::reference;

use crate::channel::Channel;
use handles::Found;
use runtime::process::rank::Rank;
use runtime::process::relations::AliasKind;

/// What a relation is, besides its two sides.
pub enum Kind {
    /// Two processes are linked.
    Link,
    /// The local process has set a monitor; the other side is a pid or `{Name, Node}`. Its reference may be an alias
    /// too, and name the local process.
    Monitor { names_owner: bool },
    /// The other side has set a monitor on the local process, with this reference; by its name, if it has one here.
    Watcher {
        reference: Owned,
        name: Option<Term>,
    },
    /// The local process waits for the reply to a spawn request.
    Spawn(SpawnRequest),
    /// The local process monitors the node (`monitor_node`).
    Node,
}

/// What the local process wanted of a process that another node is to spawn.
pub struct SpawnRequest {
    pub reply_tag: Owned,
    pub on_success: bool,
    pub on_error: bool,
    /// That of the exit message of the link that it wants, if it wants one.
    pub link_rank: Rank,
    /// What ends the alias that the reference of its monitor becomes.
    pub alias: Mutex<Option<AliasKind>>,
    /// As [`Kind::Monitor`], of the monitor that it wants, if it wants one.
    pub names_owner: bool,
    /// Why the local process does not want the new one any more: its exit reason, or `abandoned`.
    pub given_up: Mutex<Option<Owned>>,
    /// The reply has come, or the connection was lost. Only the first of them counts, since it uses up the request.
    pub is_answered: AtomicBool,
}

/// See the module.
pub struct Relation {
    pub channel: Arc<Channel>,
    /// A process of this node.
    pub local: Term,
    /// The pid of the other side, or how it is named; this node's name for a monitored node.
    pub remote: Owned,
    /// The number of the monitor, by which the local process keeps it; 0 for a link.
    pub number: u64,
    pub kind: Kind,
    pub handle: Term,
    /// Grows from one relation to the next.
    age: u64,
    /// Where it is among those of its channel. Guarded by their lock.
    position: AtomicUsize,
    counts: AtomicUsize,
}

/// Two linked processes: the local pid, and what tells the pids of the other node apart.
type LinkKey = (u64, u64, u64);
/// A reference of the other node: its words, and its node.
type ReferenceKey = (u64, SmallVec<[u32; 6]>);

#[derive(Default)]
struct Table {
    /// Empty once the channel has ended.
    all: Vec<Arc<Relation>>,
    /// Handles. The other node chooses a part of these keys, so the hashes of the first two are seeded.
    links: HashMap<LinkKey, Term>,
    watchers: HashMap<ReferenceKey, Term>,
    spawns: FxHashMap<u64, Term>,
    /// Those of kind `Node`, by the local pid.
    nodes: FxHashMap<u64, SmallVec<[Term; 1]>>,
}

/// The relations of one channel.
#[derive(Default)]
pub struct Relations {
    table: Mutex<Table>,
    /// The channel has ended. Set under the table's lock.
    is_closed: AtomicBool,
}

/// The relation with a handle that the caller owns a count of.
///
/// # Panics
/// If the caller does not.
#[must_use]
pub fn get(handle: Term) -> Arc<Relation> {
    handles::find(handle).expect("a counted handle")
}

/// Gives a count back.
pub fn release(handle: Term) {
    let _ = take(handle, 1);
}

/// The relation with a handle that the caller owns so many counts of, which are given back.
///
/// # Panics
/// If the caller does not.
pub fn take(handle: Term, counts: usize) -> Arc<Relation> {
    let relation = {
        let found = Found::lock(handle).expect("a counted handle");
        if found.relation().channel.relations.is_closed() {
            return match found.relation().give_back(counts) {
                Left::None => found.remove(),
                Left::Some => found.relation().clone(),
            };
        }
        found.relation().clone()
    };
    let mut table = relation.channel.relations.table.lock();
    if relation.give_back(counts) == Left::None {
        table.remove(&relation);
        let _ = Found::lock(handle).map(Found::remove);
    }
    drop(table);
    relation
}

/// Takes another count of a handle that the caller owns a count of.
pub fn retain(handle: Term) {
    get(handle).counts.fetch_add(1, Ordering::Relaxed);
}

/// What is left of a relation's counts.
#[derive(PartialEq, Eq)]
enum Left {
    None,
    Some,
}

impl Relation {
    fn give_back(&self, counts: usize) -> Left {
        match self.counts.fetch_sub(counts, Ordering::AcqRel) == counts {
            true => Left::None,
            false => Left::Some,
        }
    }

    /// Takes a count, if somebody owns one.
    fn count_if_counted(&self) -> bool {
        let one_more = |counts| (counts > 0).then_some(counts + 1);
        self.counts
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more)
            .is_ok()
    }
}

impl Table {
    fn insert(&mut self, relation: &Arc<Relation>) {
        let handle = relation.handle;
        match &relation.kind {
            Kind::Link => {
                self.links
                    .insert(link_key(relation.local, relation.remote.term()), handle);
            }
            Kind::Watcher { reference, .. } => {
                self.watchers
                    .insert(reference_key(reference.term()), handle);
            }
            Kind::Spawn(_) => {
                self.spawns.insert(relation.number, handle);
            }
            Kind::Node => {
                let handles = self.nodes.entry(relation.local.bits()).or_default();
                handles.push(handle);
            }
            Kind::Monitor { .. } => {}
        }
        relation.position.store(self.all.len(), Ordering::Relaxed);
        self.all.push(relation.clone());
    }

    fn remove(&mut self, relation: &Relation) {
        match &relation.kind {
            Kind::Link => {
                self.links
                    .remove(&link_key(relation.local, relation.remote.term()));
            }
            Kind::Watcher { reference, .. } => {
                self.watchers.remove(&reference_key(reference.term()));
            }
            Kind::Spawn(_) => {
                self.spawns.remove(&relation.number);
            }
            Kind::Node => {
                if let Entry::Occupied(mut handles) = self.nodes.entry(relation.local.bits()) {
                    handles.get_mut().retain(|one| *one != relation.handle);
                    if handles.get().is_empty() {
                        handles.remove();
                    }
                }
            }
            Kind::Monitor { .. } => {}
        }
        if self.all.is_empty() {
            // The channel has ended.
            return;
        }
        let position = relation.position.load(Ordering::Relaxed);
        self.all.swap_remove(position);
        if let Some(moved) = self.all.get(position) {
            moved.position.store(position, Ordering::Relaxed);
        }
        if self.all.len() < self.all.capacity() / 8 {
            self.all.shrink_to(self.all.len() * 2);
        }
    }
}

fn link_key(local: Term, remote: Term) -> LinkKey {
    let remote = ExternalIdentifier::expect(remote);
    (local.bits(), remote.node(), remote.id())
}

fn reference_key(reference: Term) -> ReferenceKey {
    let (words, count) = reference_words(reference);
    let node = ExternalReference::of(reference).map_or(0, ExternalReference::node);
    (node, SmallVec::from_slice(&words[..count]))
}

impl Relations {
    fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// The handle, counted, if the relation is still there. Called under the table's lock.
    fn counted(handle: Option<&Term>) -> Option<Term> {
        let handle = *handle?;
        let is_counted = Found::lock(handle)?.relation().count_if_counted();
        is_counted.then_some(handle)
    }

    /// The link between two processes; it is made if there is none. The caller owns a count. `None` if the channel has
    /// ended.
    pub fn link(&self, channel: &Arc<Channel>, local: Term, remote: Term) -> Option<Term> {
        let mut table = self.table.lock();
        let known = table.links.get(&link_key(local, remote));
        if let Some(handle) = Self::counted(known) {
            return Some(handle);
        }
        self.add_to(&mut table, channel, (local, remote, 0), Kind::Link)
    }

    /// The link between two processes, if there is one. The caller owns a count.
    pub fn find_link(&self, local: Term, remote: Term) -> Option<Term> {
        let table = self.table.lock();
        Self::counted(table.links.get(&link_key(local, remote)))
    }

    /// Adds a relation other than a link. The caller owns its only count. `None` if the channel has ended.
    pub fn add(
        &self,
        channel: &Arc<Channel>,
        local: Term,
        remote: Term,
        number: u64,
        kind: Kind,
    ) -> Option<Term> {
        let mut table = self.table.lock();
        self.add_to(&mut table, channel, (local, remote, number), kind)
    }

    fn add_to(
        &self,
        table: &mut Table,
        channel: &Arc<Channel>,
        (local, remote, number): (Term, Term, u64),
        kind: Kind,
    ) -> Option<Term> {
        if self.is_closed() {
            return None;
        }
        let relation = handles::add(|handle| Relation {
            channel: channel.clone(),
            local,
            remote: Owned::new(remote),
            number,
            kind,
            handle,
            age: reference::fresh_number(),
            position: AtomicUsize::new(0),
            counts: AtomicUsize::new(1),
        });
        table.insert(&relation);
        Some(relation.handle)
    }

    /// The monitor that the other node has set with a reference. The caller owns a count.
    pub fn find_watcher(&self, reference: Term) -> Option<Term> {
        let table = self.table.lock();
        Self::counted(table.watchers.get(&reference_key(reference)))
    }

    /// The spawn request with this number. The caller owns a count.
    pub fn find_spawn(&self, number: u64) -> Option<Term> {
        let table = self.table.lock();
        Self::counted(table.spawns.get(&number))
    }

    /// The latest relation between a process and the node that the process monitors. The caller owns a count.
    pub fn find_node(&self, local: Term) -> Option<Term> {
        let table = self.table.lock();
        let handles = table.nodes.get(&local.bits())?;
        handles
            .iter()
            .rev()
            .find_map(|handle| Self::counted(Some(handle)))
    }

    /// All relations that there are now; none if the channel has ended.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Relation>> {
        self.table.lock().all.clone()
    }

    /// The channel has ended: accepts no more relations, and returns all that there are, oldest first. The caller owns
    /// a count of each that [`Kind::is_passed_on`].
    pub fn close(&self) -> Vec<Arc<Relation>> {
        let mut all = {
            let mut table = self.table.lock();
            for relation in &table.all {
                if relation.kind.is_passed_on() {
                    relation.counts.fetch_add(1, Ordering::Relaxed);
                }
            }
            self.is_closed.store(true, Ordering::Release);
            std::mem::take(&mut table.all)
        };
        all.sort_unstable_by_key(|relation| relation.age);
        all
    }
}

impl Kind {
    /// Whether the signal that tells the local process of the channel's end carries the handle.
    fn is_passed_on(&self) -> bool {
        matches!(self, Kind::Link | Kind::Spawn(_))
    }
}
