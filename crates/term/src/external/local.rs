//! Terms that only this node can read again (`local` of `term_to_binary/2`): a mark, a check sum that another node
//! would not make, and the term in the external format. Any thread may call.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

const VERSION: u8 = 131;
const LOCAL: u8 = 121;
/// Bytes before the term: version, mark, check sum.
pub const HEAD_BYTES: usize = 2 + 4;

/// Different in each node, so that what another node has made is refused.
static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);

fn check_sum(term: &[u8]) -> [u8; 4] {
    (SEED.hash_one(term) as u32).to_be_bytes()
}

/// Marks what an encoder has written, with its version byte.
#[must_use]
pub fn mark(encoded: &[u8]) -> Vec<u8> {
    let term = encoded.get(1..).unwrap_or_default();
    let mut marked = Vec::with_capacity(HEAD_BYTES + term.len());
    marked.extend([VERSION, LOCAL]);
    marked.extend(check_sum(term));
    marked.extend(term);
    marked
}

/// Whether the bytes are marked so.
#[must_use]
pub fn is_marked(bytes: &[u8]) -> bool {
    bytes.starts_with(&[VERSION, LOCAL])
}

/// What was marked, with its version byte, and perhaps bytes that follow it; [`is_ours`] then tells whether this node
/// has made it.
#[must_use]
pub fn unmark(bytes: &[u8]) -> Option<Vec<u8>> {
    let term = bytes.get(HEAD_BYTES..)?;
    let mut encoded = Vec::with_capacity(1 + term.len());
    encoded.push(VERSION);
    encoded.extend(term);
    Some(encoded)
}

/// Whether this node has made these marked bytes, of whose term `used` bytes were read, the version byte included.
#[must_use]
pub fn is_ours(bytes: &[u8], used: usize) -> bool {
    let term = bytes.get(HEAD_BYTES..HEAD_BYTES + used.saturating_sub(1));
    is_marked(bytes) && term.is_some_and(|term| bytes[2..HEAD_BYTES] == check_sum(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_found_again_and_nothing_else() {
        let marked = mark(b"\x83h\x01a\x05");
        assert!(is_marked(&marked));
        assert_eq!(unmark(&marked).as_deref(), Some(&b"\x83h\x01a\x05"[..]));
        assert!(is_ours(&marked, 5) && !is_ours(&marked, 4) && !is_ours(&marked, 6));
        let mut other = marked.clone();
        other.push(7);
        assert!(is_ours(&other, 5));
        other[5] ^= 1;
        assert!(!is_ours(&other, 5));
        assert_eq!(unmark(&marked[..4]), None);
        assert!(!is_ours(b"\x83a\x01", 3));
    }
}
