//! Relations between processes of this node and of others: what stands behind the handles of [`runtime::remote`].
//!
//! Each relation is a [`Relation`] of one channel. It is found by its handle, by the channel when a signal comes in (which names
//! both sides), and when the channel ends. Handles are numbers that are never used again.
//!
//! Counting: see [`runtime::remote`]. A count is taken and given back under the lock of the channel's relations, so a
//! relation that the channel finds cannot vanish before it is counted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use layout::object::offset;
use layout::{ObjectKind, Term};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::copy::Owned;
use term::external::encode::reference_words;
use term::reference;

use crate::channel::Channel;

/// What a relation is, besides its two sides.
pub enum Kind {
    /// Two processes are linked.
    Link,
    /// The local process has set a monitor; the other side is a pid or `{Name, Node}`. Its reference may be an alias too,
    /// and name the local process.
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
    pub link: bool,
    pub monitor: bool,
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
    counts: AtomicUsize,
}

/// Two linked processes: the local pid, and what tells the pids of the other node apart.
type LinkKey = (u64, u64, u64);
/// A reference of the other node: its words, and its node.
type ReferenceKey = (u64, SmallVec<[u32; 6]>);

#[derive(Default)]
struct Table {
    is_closed: bool,
    all: FxHashMap<u64, Arc<Relation>>,
    links: FxHashMap<LinkKey, u64>,
    watchers: HashMap<ReferenceKey, u64>,
    spawns: FxHashMap<u64, u64>,
    /// Those of kind `Node`, by the local pid.
    nodes: FxHashMap<u64, SmallVec<[u64; 1]>>,
}

/// The relations of one channel.
#[derive(Default)]
pub struct Relations(Mutex<Table>);

/// Every relation, by its handle. Divided so that threads seldom wait for each other.
static ALL: LazyLock<[Mutex<FxHashMap<u64, Arc<Relation>>>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| Mutex::default()));
const SHARDS: usize = 16;

fn shard(id: u64) -> &'static Mutex<FxHashMap<u64, Arc<Relation>>> {
    &ALL[id as usize % SHARDS]
}

fn handle_of(id: u64) -> Term {
    Term::small(id as i64)
}

fn id_of(handle: Term) -> u64 {
    handle.as_small().expect("a handle") as u64
}

/// The relation with a handle that the caller owns a count of.
///
/// # Panics
/// If the caller does not.
#[must_use]
pub fn get(handle: Term) -> Arc<Relation> {
    let id = id_of(handle);
    shard(id)
        .lock()
        .get(&id)
        .cloned()
        .expect("a counted handle")
}

/// Gives a count back.
pub fn release(handle: Term) {
    let id = id_of(handle);
    let relation = get(handle);
    let mut table = relation.channel.relations.0.lock();
    if relation.counts.fetch_sub(1, Ordering::Relaxed) == 1 {
        table.remove(id, &relation);
        shard(id).lock().remove(&id);
    }
}

/// Takes another count of a handle that the caller owns a count of.
pub fn retain(handle: Term) {
    get(handle).counts.fetch_add(1, Ordering::Relaxed);
}

impl Table {
    fn insert(&mut self, id: u64, relation: Arc<Relation>) {
        match &relation.kind {
            Kind::Link => {
                self.links
                    .insert(link_key(relation.local, relation.remote.term()), id);
            }
            Kind::Watcher { reference, .. } => {
                self.watchers.insert(reference_key(reference.term()), id);
            }
            Kind::Spawn(_) => {
                self.spawns.insert(relation.number, id);
            }
            Kind::Node => {
                let ids = self.nodes.entry(relation.local.bits()).or_default();
                ids.push(id);
            }
            Kind::Monitor { .. } => {}
        }
        self.all.insert(id, relation);
    }

    fn remove(&mut self, id: u64, relation: &Relation) {
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
                if let Entry::Occupied(mut ids) = self.nodes.entry(relation.local.bits()) {
                    ids.get_mut().retain(|one| *one != id);
                    if ids.get().is_empty() {
                        ids.remove();
                    }
                }
            }
            Kind::Monitor { .. } => {}
        }
        self.all.remove(&id);
    }

    fn counted(&self, id: Option<&u64>) -> Option<Term> {
        let id = *id?;
        let relation = self.all.get(&id)?;
        relation.counts.fetch_add(1, Ordering::Relaxed);
        Some(handle_of(id))
    }
}

fn link_key(local: Term, remote: Term) -> LinkKey {
    let word = |index| remote.word(index);
    (
        local.bits(),
        word(offset::EXTERNAL_NODE),
        word(offset::EXTERNAL_ID),
    )
}

fn reference_key(reference: Term) -> ReferenceKey {
    let (words, count) = reference_words(reference);
    let node = match reference.is_kind(ObjectKind::ExternalReference) {
        true => reference.word(offset::EXTERNAL_NODE),
        false => 0,
    };
    (node, SmallVec::from_slice(&words[..count]))
}

impl Relations {
    /// The link between two processes; it is made if there is none. The caller owns a count. `None` if the channel has ended.
    pub fn link(&self, channel: &Arc<Channel>, local: Term, remote: Term) -> Option<Term> {
        let mut table = self.0.lock();
        if let Some(handle) = table.counted(table.links.get(&link_key(local, remote))) {
            return Some(handle);
        }
        table.add(channel, local, remote, 0, Kind::Link)
    }

    /// The link between two processes, if there is one. The caller owns a count.
    pub fn find_link(&self, local: Term, remote: Term) -> Option<Term> {
        let table = self.0.lock();
        table.counted(table.links.get(&link_key(local, remote)))
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
        self.0.lock().add(channel, local, remote, number, kind)
    }

    /// The monitor that the other node has set with a reference. The caller owns a count.
    pub fn find_watcher(&self, reference: Term) -> Option<Term> {
        let table = self.0.lock();
        table.counted(table.watchers.get(&reference_key(reference)))
    }

    /// The spawn request with this number. The caller owns a count.
    pub fn find_spawn(&self, number: u64) -> Option<Term> {
        let table = self.0.lock();
        table.counted(table.spawns.get(&number))
    }

    /// The latest relation between a process and the node that the process monitors. The caller owns a count.
    pub fn find_node(&self, local: Term) -> Option<Term> {
        let table = self.0.lock();
        let ids = table.nodes.get(&local.bits())?;
        table.counted(ids.last())
    }

    /// All relations that there are now.
    #[must_use]
    pub fn all(&self) -> Vec<(Term, Arc<Relation>)> {
        let table = self.0.lock();
        let all = table.all.iter();
        all.map(|(&id, relation)| (handle_of(id), relation.clone()))
            .collect()
    }

    /// Accepts no more relations, and returns a counted handle of each.
    pub fn close(&self) -> Vec<Term> {
        let mut table = self.0.lock();
        table.is_closed = true;
        let mut handles: Vec<u64> = table.all.keys().copied().collect();
        handles.sort_unstable();
        handles
            .iter()
            .filter_map(|id| table.counted(Some(id)))
            .collect()
    }
}

impl Table {
    fn add(
        &mut self,
        channel: &Arc<Channel>,
        local: Term,
        remote: Term,
        number: u64,
        kind: Kind,
    ) -> Option<Term> {
        if self.is_closed {
            return None;
        }
        let id = reference::fresh_number();
        let relation = Arc::new(Relation {
            channel: channel.clone(),
            local,
            remote: Owned::new(remote),
            number,
            kind,
            counts: AtomicUsize::new(1),
        });
        shard(id).lock().insert(id, relation.clone());
        self.insert(id, relation);
        Some(handle_of(id))
    }
}
