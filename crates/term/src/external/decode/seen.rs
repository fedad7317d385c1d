//! Atoms that this thread has decoded before. A text that is found here needs neither to be checked nor to be looked
//! up, and most atoms of a term come again in it. Atoms live for ever, so what is noted stays true.
//!
//! A place is chosen by the text; another text may take it over. Only short texts of ASCII characters are noted, which
//! mean the same atom in Latin-1 and in UTF-8.

use std::cell::Cell;

use layout::Term;

use crate::hash;

/// Longest text that is noted.
const MOST_BYTES: usize = 16;
const PLACES_BITS: u32 = 7;

#[derive(Clone, Copy)]
struct Seen {
    text: Text,
    /// 0 if the place is free.
    atom_plus_one: u32,
}

/// A text of a certain length, from which two words can be made that no other text of that length has.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Text {
    first: u64,
    last: u64,
    length: u32,
}

const FREE: Seen = Seen {
    text: Text {
        first: 0,
        last: 0,
        length: 0,
    },
    atom_plus_one: 0,
};

thread_local! {
    static SEEN: [Cell<Seen>; 1 << PLACES_BITS] = const { [const { Cell::new(FREE) }; _] };
}

/// Where a text is noted, or may be.
pub(super) struct Place {
    text: Text,
    index: usize,
}

/// The place of a text; `None` for one that is not noted.
#[inline]
pub(super) fn place_of(text: &[u8]) -> Option<Place> {
    let text = Text::of(text)?;
    let mixed = text.first ^ text.last.rotate_left(29) ^ u64::from(text.length);
    let index = hash::place(mixed, PLACES_BITS);
    Some(Place { text, index })
}

impl Place {
    /// The atom, if it is noted.
    #[inline]
    pub(super) fn atom(&self) -> Option<Term> {
        let seen = SEEN.with(|seen| seen[self.index].get());
        let number = seen.atom_plus_one.checked_sub(1)?;
        (seen.text == self.text).then(|| Term::atom(number))
    }

    /// Notes the atom of the text.
    pub(super) fn note(self, atom: Term) {
        let seen = Seen {
            text: self.text,
            atom_plus_one: atom.as_atom().map_or(0, |number| number + 1),
        };
        SEEN.with(|all| all[self.index].set(seen));
    }
}

impl Text {
    #[inline]
    fn of(text: &[u8]) -> Option<Text> {
        let length = text.len();
        let (first, last) = if let (Some(first), Some(last)) =
            (text.first_chunk::<8>(), text.last_chunk::<8>())
        {
            if length > MOST_BYTES {
                return None;
            }
            (u64::from_ne_bytes(*first), u64::from_ne_bytes(*last))
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>())
        {
            let (first, last) = (u32::from_ne_bytes(*first), u32::from_ne_bytes(*last));
            (u64::from(first), u64::from(last))
        } else {
            let few = text.iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
            (few, 0)
        };
        let is_ascii = (first | last) & 0x8080_8080_8080_8080 == 0;
        is_ascii.then_some(Text {
            first,
            last,
            length: length as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atom;

    #[test]
    fn only_the_same_text_is_found() {
        let texts: Vec<String> = (0..18)
            .flat_map(|length| {
                (0..length.max(1)).map(move |place| {
                    (0..length)
                        .map(|index| if index == place { 'y' } else { 'x' })
                        .collect()
                })
            })
            .collect();
        for text in &texts {
            if let Some(place) = place_of(text.as_bytes()) {
                place.note(atom::known(text));
            }
            for other in &texts {
                let found = place_of(other.as_bytes()).and_then(|place| place.atom());
                assert!(found.is_none_or(|found| found == atom::known(other)));
            }
            let found = place_of(text.as_bytes()).and_then(|place| place.atom());
            assert_eq!(found.is_some(), text.len() <= MOST_BYTES);
        }
        assert!(place_of("caf\u{e9}".as_bytes()).is_none());
    }
}
