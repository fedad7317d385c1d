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
