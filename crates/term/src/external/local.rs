//! Terms that only this node can read again (`local` of `term_to_binary/2`): a mark, a check sum that another node
//! would not make, and the term in the external format. They may stand wherever a term may. Any thread may call.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::tags;

/// Bytes before the term: version, mark, check sum.
pub const HEAD_BYTES: usize = 2 + 4;

/// Different in each node, so that what another node has made is refused.
static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The check sum of a term in the external format, without a version byte.
pub(super) fn check_sum(term: &[u8]) -> u32 {
    SEED.hash_one(term) as u32
}

/// Marks what an encoder has written, with its version byte.
#[must_use]
pub fn mark(encoded: &[u8]) -> Vec<u8> {
    let term = encoded.get(1..).unwrap_or_default();
    let mut marked = Vec::with_capacity(HEAD_BYTES + term.len());
    marked.extend([tags::VERSION, tags::LOCAL]);
    marked.extend(check_sum(term).to_be_bytes());
    marked.extend(term);
    marked
}

/// Whether the bytes are marked so.
#[must_use]
pub fn is_marked(bytes: &[u8]) -> bool {
    bytes.starts_with(&[tags::VERSION, tags::LOCAL])
}
