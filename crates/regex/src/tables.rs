//! Character classes of Latin-1, in PCRE2's format. They decide what `\w` and `caseless` mean without the option
//! `unicode`, and are the same as in the tables that OTP gives to its PCRE.
//!
//! ```text
//! bytes    0-255   the lower case of a character
//! bytes  256-511   the other case
//! bytes  512-831   classes, 32 bytes of bits each: space, xdigit, digit, upper, lower, word, graph, print,
//!                  punct, cntrl
//! bytes  832-1087  kinds of a character: 1 space, 2 letter, 4 small letter, 8 digit, 16 word
//! ```

use std::sync::LazyLock;

const LENGTH: usize = 1088;

static LATIN1: LazyLock<[u8; LENGTH]> = LazyLock::new(make);

/// The tables; they live forever.
pub(crate) fn latin1() -> &'static [u8; LENGTH] {
    &LATIN1
}

fn is_upper(c: u8) -> bool {
    matches!(c, b'A'..=b'Z' | 0xc0..=0xd6 | 0xd8..=0xde)
}

fn is_lower(c: u8) -> bool {
    matches!(c, b'a'..=b'z' | 0xaa | 0xb5 | 0xba | 0xdf..=0xf6 | 0xf8..=0xff)
}

fn is_space(c: u8) -> bool {
    matches!(c, 0x09..=0x0d | b' ')
}

fn is_letter(c: u8) -> bool {
    is_upper(c) || is_lower(c)
}

fn is_word(c: u8) -> bool {
    is_letter(c) || c.is_ascii_digit() || c == b'_'
}

fn is_graphic(c: u8) -> bool {
    matches!(c, 0x21..=0x7e | 0xa0..=0xff)
}

fn lower(c: u8) -> u8 {
    if is_upper(c) { c + 0x20 } else { c }
}

/// Lower-case letters without an upper case in Latin-1 stay as they are.
fn other_case(c: u8) -> u8 {
    match c {
        _ if is_upper(c) => c + 0x20,
        b'a'..=b'z' | 0xe0..=0xf6 | 0xf8..=0xfe => c - 0x20,
        _ => c,
    }
}

fn make() -> [u8; LENGTH] {
    const CLASSES: [fn(u8) -> bool; 10] = [
        is_space,
        |c| c.is_ascii_hexdigit(),
        |c| c.is_ascii_digit(),
        is_upper,
        is_lower,
        is_word,
        is_graphic,
        |c| is_graphic(c) || c == b' ',
        |c| is_graphic(c) && !is_letter(c) && !c.is_ascii_digit(),
        |c| matches!(c, 0x00..=0x1f | 0x7f..=0x9f),
    ];
    let mut tables = [0; LENGTH];
    for c in 0..=255u8 {
        let at = usize::from(c);
        tables[at] = lower(c);
        tables[256 + at] = other_case(c);
        for (class, belongs) in CLASSES.iter().enumerate() {
            if belongs(c) {
                tables[512 + 32 * class + at / 8] |= 1 << (at % 8);
            }
        }
        let kinds = [
            is_space(c),
            is_letter(c),
            is_lower(c),
            c.is_ascii_digit(),
            is_word(c),
        ];
        for (bit, belongs) in kinds.into_iter().enumerate() {
            tables[832 + at] |= u8::from(belongs) << bit;
        }
    }
    tables
}
