//! Walking over lists.
//!
//! Any thread that may read the list may walk over it; the moving rule (`layout::term`) holds for what it yields.

use layout::Term;

use crate::integer::uint8;

/// The end of a list that is not `[]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImproperTail(pub Term);

/// The elements of `list`, first to last. An improper list yields its tail as an error, once and last, so that
/// `?` in the loop refuses such lists. A term that is not a list is an empty list with an improper tail.
#[must_use]
#[inline]
pub fn items(list: Term) -> Items {
    Items { rest: list }
}

/// See [`items`].
#[derive(Clone, Debug)]
pub struct Items {
    rest: Term,
}

impl Iterator for Items {
    type Item = Result<Term, ImproperTail>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some((head, tail)) = self.rest.as_cons() {
            self.rest = tail;
            return Some(Ok(head));
        }
        let tail = std::mem::replace(&mut self.rest, Term::NIL);
        (!tail.is_nil()).then_some(Err(ImproperTail(tail)))
    }
}

/// The elements of a proper list.
#[must_use]
pub fn to_vec(list: Term) -> Option<Vec<Term>> {
    items(list).collect::<Result<_, _>>().ok()
}

/// The number of elements of a proper list.
#[must_use]
pub fn length(list: Term) -> Option<usize> {
    items(list).try_fold(0, |count, item| item.ok().map(|_| count + 1))
}

/// A proper list of bytes.
#[must_use]
pub fn bytes(list: Term) -> Option<Vec<u8>> {
    items(list).map(|item| uint8(item.ok()?)).collect()
}

/// A proper list of at most `limit` bytes.
#[must_use]
pub fn bytes_at_most(list: Term, limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for item in items(list) {
        if bytes.len() == limit {
            return None;
        }
        bytes.push(uint8(item.ok()?)?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use crate::heap::Scratch;

    #[test]
    fn improper_tails_come_last_and_once() {
        let mut scratch = Scratch::new();
        let [one, two] = [Term::small(1), Term::small(2)];
        let proper = build::list(scratch.heap(), &[one, two]);
        assert_eq!(to_vec(proper), Some(vec![one, two]));
        assert_eq!(length(proper), Some(2));
        assert_eq!(
            (to_vec(Term::NIL), length(Term::NIL)),
            (Some(vec![]), Some(0))
        );
        let improper = build::cons(scratch.heap(), one, two);
        let found: Vec<_> = items(improper).collect();
        assert_eq!(found, [Ok(one), Err(ImproperTail(two))]);
        assert_eq!(
            (to_vec(improper), length(improper), length(one)),
            (None, None, None)
        );
        assert_eq!(items(one).next(), Some(Err(ImproperTail(one))));
    }

    #[test]
    fn bytes_are_small_integers_below_256() {
        let mut scratch = Scratch::new();
        let mut list = |values: &[i64]| {
            let items: Vec<Term> = values.iter().map(|value| Term::small(*value)).collect();
            build::list(scratch.heap(), &items)
        };
        assert_eq!(bytes(list(&[0, 255])), Some(vec![0, 255]));
        assert_eq!((bytes(list(&[256])), bytes(list(&[-1]))), (None, None));
        assert_eq!(bytes_at_most(list(&[1, 2]), 2), Some(vec![1, 2]));
        assert_eq!(bytes_at_most(list(&[1, 2, 3]), 2), None);
    }
}
