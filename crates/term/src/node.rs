//! Nodes: a name and a creation, which say of which incarnation of which node an identifier is. They are part of every
//! external identifier, in one word, so that nothing stays behind when the identifiers are gone. Any thread may call.
//!
//! ```text
//! bits  0-31  creation
//! bits 32-63  index of the name, an atom
//! ```

use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use layout::Term;
use layout::kinds::{ExternalIdentifier, ExternalReference};
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
    /// The node that a word of an external identifier says.
    #[must_use]
    pub fn of_word(word: u64) -> Node {
        Node {
            name: Term::atom((word >> 32) as u32),
            creation: word as u32,
        }
    }

    /// The word of an external identifier that says that it is of this node.
    #[must_use]
    pub fn word(self) -> u64 {
        let name = self.name.as_atom().expect("the name of a node is an atom");
        u64::from(name) << 32 | u64::from(self.creation)
    }
}

/// What is known of a name.
struct Heard {
    /// Its place in the order in which names were heard of.
    number: usize,
    /// Since when nothing has referred to it, as far as anybody looked.
    unused_since: Option<Instant>,
}

/// The names of other nodes that identifiers came from. There are no more of them than there are atoms.
static NAMES: LazyLock<RwLock<HashMap<Term, Heard>>> = LazyLock::new(RwLock::default);
/// How many names were ever added.
static HEARD: AtomicUsize = AtomicUsize::new(0);
static OWN_NAME: AtomicU64 = AtomicU64::new(am::NONODE_NOHOST.bits());
static OWN_CREATION: AtomicU32 = AtomicU32::new(0);

/// The node with a name and creation that an identifier came with; notes the name.
#[must_use]
pub fn heard_of(name: Term, creation: u32) -> Node {
    let is_known = NAMES.read().contains_key(&name);
    if !is_known {
        let mut names = NAMES.write();
        names.entry(name).or_insert_with(|| Heard {
            number: HEARD.fetch_add(1, Ordering::Relaxed),
            unused_since: None,
        });
    }
    Node { name, creation }
}

/// Forgets the names that were unused at a look at least `delay` ago, and still are. `is_used` must have looked at
/// everything that may refer to a node. A name that is forgotten too early is heard of again with its next identifier.
pub fn forget_unused(delay: Duration, is_used: impl Fn(Term) -> bool) {
    let now = Instant::now();
    NAMES.write().retain(|name, heard| {
        if is_used(*name) {
            heard.unused_since = None;
            return true;
        }
        let since = *heard.unused_since.get_or_insert(now);
        now.duration_since(since) < delay
    });
}

/// Names of all nodes that were heard of and not forgotten since, the first one first. This node's own name is included
/// only if an external identifier carried it.
#[must_use]
pub fn known_names() -> Vec<Term> {
    let names = NAMES.read();
    let mut sorted: Vec<(usize, Term)> = names
        .iter()
        .map(|(&name, heard)| (heard.number, name))
        .collect();
    sorted.sort_unstable_by_key(|(number, _)| *number);
    sorted.into_iter().map(|(_, name)| name).collect()
}

/// The node that an external pid, port or reference belongs to.
#[must_use]
pub fn of(identifier: Term) -> Node {
    let word = match ExternalIdentifier::of(identifier) {
        Some(identifier) => identifier.node(),
        None => ExternalReference::expect(identifier).node(),
    };
    Node::of_word(word)
}

/// Whether an external pid, port or reference carries this node's name: then it belongs to an earlier incarnation of
/// this node.
#[must_use]
pub fn is_own(identifier: Term) -> bool {
    of(identifier).name == own_name()
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
