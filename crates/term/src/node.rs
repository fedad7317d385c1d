//! Nodes: a name and a creation, which say of which incarnation of which node an identifier is. They are part of every
//! external identifier, in one word, so that nothing stays behind when the identifiers are gone. Any thread may call.
//!
//! ```text
//! bits  0-31  creation
//! bits 32-63  index of the name, an atom
//! ```

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use layout::Term;
use layout::object::offset;
use parking_lot::RwLock;

use crate::am;

/// One incarnation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name, an atom.
    pub name: Term,
    pub creation: u32,
}

impl Node {
    /// The word of an external identifier that says that it is of this node.
    #[must_use]
    pub fn word(self) -> u64 {
        let name = self.name.as_atom().expect("the name of a node is an atom");
        u64::from(name) << 32 | u64::from(self.creation)
    }
}

/// The names of other nodes that identifiers came from, numbered in the order in which they were heard of. There are no
/// more of them than there are atoms.
static NAMES: LazyLock<RwLock<HashMap<Term, usize>>> = LazyLock::new(RwLock::default);
static OWN_NAME: AtomicU64 = AtomicU64::new(am::NONODE_NOHOST.bits());
static OWN_CREATION: AtomicU32 = AtomicU32::new(0);

/// The node with a name and creation that an identifier came with; notes the name.
#[must_use]
pub fn heard_of(name: Term, creation: u32) -> Node {
    let is_known = NAMES.read().contains_key(&name);
    if !is_known {
        let mut names = NAMES.write();
        let number = names.len();
        names.entry(name).or_insert(number);
    }
    Node { name, creation }
}

/// Names of all nodes that were ever heard of, the first one first. This node's own name is included only if an external
/// identifier carried it.
#[must_use]
pub fn known_names() -> Vec<Term> {
    let names = NAMES.read();
    let mut sorted: Vec<(usize, Term)> = names
        .iter()
        .map(|(&name, &number)| (number, name))
        .collect();
    sorted.sort_unstable_by_key(|(number, _)| *number);
    sorted.into_iter().map(|(_, name)| name).collect()
}

/// The node that an external pid, port or reference belongs to.
#[must_use]
pub fn of(identifier: Term) -> Node {
    let word = identifier.word(offset::EXTERNAL_NODE);
    Node {
        name: Term::atom((word >> 32) as u32),
        creation: word as u32,
    }
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
