//! For tests: reads terms from text (atoms, integers, floats, strings, binaries, tuples, lists and maps), and generates
//! pseudo-random numbers.

use crate::heap::Scratch;
use crate::{atom, build, compare, map};
use layout::{Heap, Term};

/// A heap for terms, which live as long as this value.
#[derive(Default)]
pub struct Terms {
    scratch: Scratch,
}

impl Terms {
    pub fn new() -> Terms {
        Terms::default()
    }

    pub fn heap(&mut self) -> &mut Heap {
        self.scratch.heap()
    }

    /// Reads one term.
    ///
    /// # Panics
    /// If the text is not exactly one term.
    pub fn read(&mut self, text: &str) -> Term {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
            heap: self.scratch.heap(),
        };
        let term = reader.term();
        reader.blank();
        assert_eq!(reader.at, text.len(), "text behind the term: {text}");
        term
    }
}

/// Asserts that two terms are exactly equal.
pub fn assert_same(found: Term, expected: Term, what: &str) {
    assert!(
        compare::eq_exact(found, expected),
        "{what}: found {}, expected {}",
        show(found),
        show(expected)
    );
}

/// A term as text.
pub fn show(term: Term) -> String {
    crate::print::display(term).to_string()
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    heap: &'a mut Heap,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> u8 {
        self.blank();
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self, text: &str) -> bool {
        self.blank();
        let found = self.bytes[self.at..].starts_with(text.as_bytes());
        if found {
            self.at += text.len();
        }
        found
    }

    fn quoted(&mut self, quote: u8) -> String {
        self.at += 1;
        let start = self.at;
        while self.bytes[self.at] != quote {
            self.at += 1;
        }
        self.at += 1;
        String::from_utf8(self.bytes[start..self.at - 1].to_vec()).expect("text")
    }

    fn items(&mut self, end: &str) -> Vec<Term> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.term());
            self.take(",");
        }
        items
    }

    fn term(&mut self) -> Term {
        match self.peek() {
            b'{' => {
                self.at += 1;
                let elements = self.items("}");
                build::tuple(self.heap, &elements)
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    if self.take("]") {
                        return build::list(self.heap, &items);
                    }
                    if self.take("|") {
                        let tail = self.term();
                        assert!(self.take("]"));
                        return build::list_with_tail(self.heap, &items, tail);
                    }
                    items.push(self.term());
                    self.take(",");
                }
            }
            b'#' => {
                self.at += 2;
                let mut pairs = Vec::new();
                while !self.take("}") {
                    let key = self.term();
                    assert!(self.take("=>"));
                    pairs.push((key, self.term()));
                    self.take(",");
                }
                map::from_pairs(self.heap, &pairs)
            }
            b'"' => {
                let text = self.quoted(b'"');
                build::string(self.heap, &text)
            }
            b'<' => {
                self.at += 2;
                let bytes = if self.peek() == b'"' {
                    let text = self.quoted(b'"').into_bytes();
                    assert!(self.take(">>"));
                    text
                } else {
                    let byte = |term: &Term| u8::try_from(term.small_value()).expect("a byte");
                    self.items(">>").iter().map(byte).collect()
                };
                build::binary(self.heap, &bytes)
            }
            b'\'' => atom::known(&self.quoted(b'\'')),
            b'-' | b'0'..=b'9' => self.number(),
            _ => {
                let word = self.word(|byte| byte.is_ascii_alphanumeric() || b"_@".contains(&byte));
                assert!(!word.is_empty(), "a term at {}", self.at);
                atom::known(&word)
            }
        }
    }

    fn word(&mut self, belongs: impl Fn(u8) -> bool) -> String {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| belongs(*byte)) {
            self.at += 1;
        }
        String::from_utf8(self.bytes[start..self.at].to_vec()).expect("text")
    }

    fn number(&mut self) -> Term {
        let word = self.word(|byte| byte.is_ascii_digit() || b".-e".contains(&byte));
        if word.contains('.') {
            return build::float(self.heap, word.parse().expect("a float"));
        }
        let value: i128 = word.parse().expect("an integer");
        crate::arith::from_i128(self.heap, value)
    }
}

/// A generator of pseudo-random numbers.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}
