//! The arguments that many BIFs take: bytes of binaries, numbers in ranges, characters of lists.

use layout::Term;
pub use term::unicode::bytes_of as of_binary;

/// A list of bytes, nothing else.
#[must_use]
pub fn of_list(list: Term) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = list;
    while let Some((head, tail)) = rest.as_cons() {
        bytes.push(u8::try_from(head.as_small()?).ok()?);
        rest = tail;
    }
    rest.is_nil().then_some(bytes)
}

/// As [`of_list`], with no more than `limit` bytes.
#[must_use]
pub fn of_short_list(list: Term, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = list;
    while let Some((head, tail)) = rest.as_cons() {
        if bytes.len() == limit {
            return None;
        }
        bytes.push(u8::try_from(head.as_small()?).ok()?);
        rest = tail;
    }
    rest.is_nil().then_some(bytes)
}

/// An integer from 0 to 2^64 - 1.
#[must_use]
pub fn unsigned(term: Term) -> Option<u64> {
    if let Some(value) = term.as_small() {
        return u64::try_from(value).ok();
    }
    match term.as_big()? {
        (false, [limb]) => Some(*limb),
        _ => None,
    }
}

/// An integer from -2^63 to 2^63 - 1.
#[must_use]
pub fn signed(term: Term) -> Option<i64> {
    if let Some(value) = term.as_small() {
        return Some(value);
    }
    match term.as_big()? {
        (false, [limb]) => i64::try_from(*limb).ok(),
        (true, [limb]) => 0i64.checked_sub_unsigned(*limb),
        _ => None,
    }
}

/// An integer from 0 to 2^32 - 1.
#[must_use]
pub fn word32(term: Term) -> Option<u32> {
    u32::try_from(unsigned(term)?).ok()
}
