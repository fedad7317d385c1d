//! Node entries: a name and a creation, shared by all identifiers of one incarnation of a node. Entries live for ever,
//! one for each incarnation that was ever heard of. Any thread may call.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use layout::Term;
use layout::object::offset;
use parking_lot::RwLock;

use crate::am;

/// One incarnation of a node.
#[derive(Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name, an atom.
    pub name: Term,
    pub creation: u32,
}

static NODES: RwLock<Vec<&'static Node>> = RwLock::new(Vec::new());
static OWN_NAME: AtomicU64 = AtomicU64::new(am::NONODE_NOHOST.bits());
static OWN_CREATION: AtomicU32 = AtomicU32::new(0);

/// The entry for a name and creation.
#[must_use]
pub fn entry(name: Term, creation: u32) -> &'static Node {
    let find = |nodes: &[&'static Node]| {
        nodes
            .iter()
            .copied()
            .find(|node| node.name == name && node.creation == creation)
    };
    if let Some(node) = find(&NODES.read()) {
        return node;
    }
    let mut nodes = NODES.write();
    if let Some(node) = find(&nodes) {
        return node;
    }
    let node: &'static Node = Box::leak(Box::new(Node { name, creation }));
    nodes.push(node);
    node
}

/// Names of all nodes that were ever heard of, each once. This node's own name is included only if an external
/// identifier carried it.
#[must_use]
pub fn known_names() -> Vec<Term> {
    let mut names: Vec<Term> = Vec::new();
    for node in NODES.read().iter() {
        if !names.contains(&node.name) {
            names.push(node.name);
        }
    }
    names
}

/// The node that an external pid, port or reference belongs to.
#[must_use]
pub fn of(identifier: Term) -> &'static Node {
    // SAFETY: that word of every external identifier is the address of an entry, which lives for ever.
    unsafe { &*(identifier.word(offset::EXTERNAL_NODE) as *const Node) }
}

/// This node's name.
#[must_use]
pub fn own_name() -> Term {
    // SAFETY: only atoms are stored.
    unsafe { Term::from_bits(OWN_NAME.load(Ordering::Acquire)) }
}

/// This node's creation; 0 while it is not distributed.
#[must_use]
pub fn own_creation() -> u32 {
    OWN_CREATION.load(Ordering::Acquire)
}

/// Gives this node its name.
pub fn set_own(name: Term, creation: u32) {
    OWN_NAME.store(name.bits(), Ordering::Release);
    OWN_CREATION.store(creation, Ordering::Release);
}
