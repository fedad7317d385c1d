//! The well-known atoms as terms, by the names of `spec::atoms`.

use layout::Term;

macro_rules! constants {
    ($(($name:ident, $text:literal),)*) => {
        $(#[doc = concat!("`'", $text, "'`")] pub const $name: Term = Term::atom(spec::atoms::$name);)*
    };
}
spec::for_each_atom!(constants);

/// `true` or `false`.
#[inline]
#[must_use]
pub const fn boolean(value: bool) -> Term {
    if value { TRUE } else { FALSE }
}

/// The inverse of [`boolean`]; None for other terms.
#[inline]
#[must_use]
pub const fn to_boolean(term: Term) -> Option<bool> {
    match term {
        TRUE => Some(true),
        FALSE => Some(false),
        _ => None,
    }
}
