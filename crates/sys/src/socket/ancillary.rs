//! The layout of ancillary data in a buffer: headers, each followed by its data.

use super::option::Name;

const HEAD_BYTES: usize = size_of::<libc::cmsghdr>();

/// Bytes that data of this length takes with its header.
fn space(data_bytes: usize) -> usize {
    HEAD_BYTES + data_bytes.next_multiple_of(8)
}

/// A buffer that ancillary data is written to; it never exceeds its maximum.
#[derive(Debug)]
pub struct Ancillaries {
    bytes: Vec<u8>,
    most: usize,
}

impl Ancillaries {
    /// An empty buffer for at most this many bytes.
    #[must_use]
    pub fn new(most: usize) -> Ancillaries {
        Ancillaries {
            bytes: Vec::new(),
            most,
        }
    }

    /// Adds an entry; false if it does not fit.
    pub fn add(&mut self, name: Name, data: &[u8]) -> bool {
        let space = space(data.len());
        if space > self.most - self.bytes.len() {
            return false;
        }
        let end = self.bytes.len() + space;
        self.bytes
            .extend_from_slice(&(HEAD_BYTES + data.len()).to_ne_bytes());
        self.bytes.extend_from_slice(&name.level.to_ne_bytes());
        self.bytes.extend_from_slice(&name.number.to_ne_bytes());
        self.bytes.extend_from_slice(data);
        self.bytes.resize(end, 0);
        true
    }

    /// The buffer in the system's layout.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// One entry of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its level and type.
    pub name: Name,
    /// The place of its data in the buffer.
    pub data: std::ops::Range<usize>,
}

/// The entries of a buffer; `None` stands for a malformed rest.
pub fn entries(buffer: &[u8]) -> impl Iterator<Item = Option<Entry>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let head = buffer.get(at..)?.get(..HEAD_BYTES)?;
        let length = usize::from_ne_bytes(head[..8].try_into().expect("eight bytes"));
        let number =
            |from: usize| i32::from_ne_bytes(head[from..from + 4].try_into().expect("four bytes"));
        if length < HEAD_BYTES {
            // The system's own macros take this for the end.
            return None;
        }
        if length > buffer.len() - at {
            at = buffer.len();
            return Some(None);
        }
        let entry = Entry {
            name: Name {
                level: number(8),
                number: number(12),
            },
            data: at + HEAD_BYTES..at + length,
        };
        at += length.next_multiple_of(8);
        Some(Some(entry))
    })
}

const _: () = assert!(HEAD_BYTES == 16, "a head is a length and two numbers");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_found_and_nonsense_is_told() {
        let name = |number| Name { level: 1, number };
        let mut buffer = Ancillaries::new(64);
        assert!(buffer.add(name(7), &[1, 2, 3]));
        assert!(buffer.add(name(8), &[9; 8]));
        assert!(!buffer.add(name(9), &[0]), "no room");
        let bytes = buffer.bytes().to_vec();
        let found: Vec<_> = entries(&bytes).map(Option::unwrap).collect();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].name, name(7));
        assert_eq!(bytes[found[0].data.clone()], [1, 2, 3]);
        assert_eq!(bytes[found[1].data.clone()], [9; 8]);
        let mut damaged = bytes.clone();
        damaged[24..32].copy_from_slice(&usize::MAX.to_ne_bytes());
        let found: Vec<_> = entries(&damaged).collect();
        assert_eq!((found.len(), &found[1]), (2, &None));
        assert_eq!(entries(&[0; 40]).count(), 0);
        assert_eq!(entries(&bytes[..18]).filter(Option::is_some).count(), 0);
    }
}
