//! Terms as the VM itself writes them: `erlang:display/1`, crash messages, the logger's last resort. (`io:format` is
//! Erlang code and has its own rules.)
//!
//! What is still to be written is kept on a stack, so depth needs no native stack. Any thread may call, as long as the
//! term does not move.

use std::fmt::{self, Display, Formatter, Write};
use std::rc::Rc;

use layout::object::{Bits, MapShape, offset};
use layout::{Boxed, Cons, ObjectKind, Term, no_gc};

use crate::external::encode::{port_number, reference_words};
use crate::native_record::{self, Definition};
use crate::release::{self, Release};
use crate::{atom, fun, list, map, node, text};

/// Displays a whole term.
#[must_use]
pub fn display(term: Term) -> impl Display {
    Printed {
        term,
        limit: i64::MAX,
    }
}

/// Displays a term up to a limit, roughly in characters; `... ` marks what is left out. The work is bounded by the
/// limit, however large the term is.
#[must_use]
pub fn display_limited(term: Term, limit: usize) -> impl Display {
    Printed {
        term,
        limit: i64::try_from(limit).unwrap_or(i64::MAX),
    }
}

/// The bytes that `erlang:display/1` writes: UTF-8, except that strings are in Latin-1.
#[must_use]
pub fn display_bytes(term: Term) -> Vec<u8> {
    let mut bytes = Bytes(Vec::new());
    let printed = Printed {
        term,
        limit: i64::MAX,
    };
    printed
        .write(&mut bytes)
        .expect("writing to memory cannot fail");
    bytes.0
}

/// So many elements of a list or bytes of a binary are looked at, or as many as the limit lets be written, to see
/// whether it is a text.
const LOOKED_AT: i64 = 1 << 16;
/// An integer of more words than this is left out where there is a limit: its digits would be too much work.
const MOST_INTEGER_WORDS: usize = 1024;

struct Printed {
    term: Term,
    limit: i64,
}

impl Printed {
    fn write(&self, out: &mut impl Sink) -> fmt::Result {
        let mut printer = Printer {
            out,
            left: self.limit,
            is_limited: self.limit != i64::MAX,
            tasks: vec![Task::Term(self.term)],
        };
        if printer.run()?.is_none() || printer.left <= 0 {
            out.write_str("... ")?;
        }
        Ok(())
    }
}

/// An output. A character of a string is written as a Latin-1 byte by some outputs, as a character by others.
trait Sink: Write {
    fn latin1(&mut self, byte: u8) -> fmt::Result {
        self.write_char(char::from(byte))
    }
}

impl Sink for Formatter<'_> {}

struct Bytes(Vec<u8>);

impl Write for Bytes {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

impl Sink for Bytes {
    fn latin1(&mut self, byte: u8) -> fmt::Result {
        self.0.push(byte);
        Ok(())
    }
}

impl Display for Printed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

/// What is still to be written.
enum Task {
    Text(&'static str),
    Term(Term),
    /// The list cell's element, and what follows it.
    Cell(Cons),
    /// Words `next..end` of a boxed object, which are terms.
    Words {
        object: Boxed,
        next: usize,
        end: usize,
    },
    /// As `Text`, unless the limit is reached.
    More(&'static str),
    /// An atom whose text counts, but which is no term of its own.
    Name(Term),
    /// The fields of a native record, in an order of their places, from that at `next` on.
    Fields {
        record: Term,
        order: Rc<[usize]>,
        next: usize,
    },
    /// What is left of the pairs of a map.
    Pairs {
        rest: Box<map::Iter>,
        is_first: bool,
    },
}

struct Printer<'a, W> {
    out: &'a mut W,
    /// Counts down; writing stops at 0.
    left: i64,
    is_limited: bool,
    tasks: Vec<Task>,
}

/// `None` means that the limit was reached.
type Progress = Result<Option<()>, fmt::Error>;

impl<W: Sink> Printer<'_, W> {
    fn run(&mut self) -> Progress {
        while let Some(task) = self.tasks.pop() {
            let term = match task {
                Task::Text(text) => {
                    self.out.write_str(text)?;
                    continue;
                }
                Task::More(_) | Task::Name(_) if self.left <= 0 => return Ok(None),
                Task::More(text) => {
                    self.out.write_str(text)?;
                    continue;
                }
                Task::Name(name) => {
                    self.term(name)?;
                    continue;
                }
                Task::Fields {
                    record,
                    order,
                    next,
                } => self.field(record, &order, next),
                Task::Term(term) => term,
                Task::Cell(cell) => self.cell(cell),
                Task::Words { object, next, end } => {
                    if next + 1 < end {
                        let next = next + 1;
                        self.tasks.push(Task::Words { object, next, end });
                        self.tasks.push(Task::Text(","));
                    }
                    object.term_at(next)
                }
                Task::Pairs { mut rest, is_first } => {
                    let Some((key, value)) = rest.next() else {
                        continue;
                    };
                    if !is_first {
                        self.out.write_str(",")?;
                    }
                    let is_first = false;
                    self.tasks.push(Task::Pairs { rest, is_first });
                    self.tasks.push(Task::Term(value));
                    self.tasks.push(Task::Text("=>"));
                    key
                }
            };
            if !self.count(1) {
                return Ok(None);
            }
            if self.term(term)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// Returns the name of a field; what follows it becomes a task.
    fn field(&mut self, record: Term, order: &Rc<[usize]>, next: usize) -> Term {
        let place = order[next];
        if next + 1 < order.len() {
            let (order, next) = (Rc::clone(order), next + 1);
            self.tasks.push(Task::Fields {
                record,
                order,
                next,
            });
            self.tasks.push(Task::Text(","));
        }
        let value = record.expect_boxed().term_at(offset::RECORD_VALUES + place);
        self.tasks.push(Task::Term(value));
        self.tasks.push(Task::More("="));
        Definition::of(native_record::definition(record), no_gc!()).fields[place]
    }

    /// Counts towards the limit; returns whether to continue.
    fn count(&mut self, amount: usize) -> bool {
        let go_on = self.left > 0;
        self.left = self.left.saturating_sub(amount as i64);
        go_on
    }

    fn looked_at(&self) -> usize {
        usize::try_from(self.left.max(LOOKED_AT)).unwrap_or(usize::MAX)
    }

    /// Returns the element of a cell; what follows it becomes a task.
    fn cell(&mut self, cell: Cons) -> Term {
        let tail = cell.tail();
        if let Some(next) = tail.as_cell() {
            self.tasks.push(Task::Cell(next));
            self.tasks.push(Task::Text(","));
        } else if !tail.is_nil() {
            self.tasks.push(Task::Term(tail));
            self.tasks.push(Task::Text("|"));
        }
        cell.head()
    }

    fn term(&mut self, term: Term) -> Progress {
        if let Some(value) = term.as_small() {
            write!(self.out, "{value}")?;
        } else if term.is_atom() {
            let text = atom::text(term);
            self.count(text.len());
            write_atom(self.out, text)?;
        } else if term.is_nil() {
            self.out.write_str("[]")?;
        } else if let Some(cell) = term.as_cell() {
            return self.list(cell);
        } else if term.is_local_pid() {
            let (index, serial) = (term.identifier_index(), term.identifier_serial());
            write!(self.out, "<0.{index}.{serial}>")?;
        } else if term.is_local_port() {
            write!(self.out, "#Port<0.{}>", port_number(term))?;
        } else if let Some(object) = term.as_boxed() {
            return self.boxed(object);
        } else {
            write!(self.out, "<unknown:{:#x}>", term.bits())?;
        }
        Ok(Some(()))
    }

    fn boxed(&mut self, object: Boxed) -> Progress {
        let term = object.term();
        match object.kind() {
            ObjectKind::Tuple => {
                self.out.write_char('{')?;
                self.tasks.push(Task::Text("}"));
                self.words(object, 0);
            }
            ObjectKind::PositiveBig | ObjectKind::NegativeBig => {
                if self.is_limited && object.arity() > MOST_INTEGER_WORDS {
                    return Ok(None);
                }
                self.out.write_str(&text::integer::print(term, 10))?;
            }
            ObjectKind::Float => {
                let value = f64::from_bits(object.word(offset::FLOAT_BITS));
                self.out.write_str(&text::float::scientific(value, 6))?;
            }
            ObjectKind::HeapBinary | ObjectKind::SharedBinary | ObjectKind::SubBinary => {
                return self.bit_string(term.as_bits().expect("a bit string"));
            }
            ObjectKind::Map => self.map(object)?,
            ObjectKind::NativeRecord => self.native_record(term)?,
            ObjectKind::Reference | ObjectKind::ExternalReference => {
                self.reference(term)?;
            }
            ObjectKind::ExternalPid => {
                let (channel, id) = (channel(term), object.word(offset::EXTERNAL_ID));
                write!(self.out, "<{channel}.{}.{}>", id as u32, id >> 32)?;
            }
            ObjectKind::ExternalPort => {
                write!(self.out, "#Port<{}.{}>", channel(term), port_number(term))?;
            }
            ObjectKind::Fun => {
                let entry = fun::entry(term);
                let module = atom::text(entry.module);
                write!(
                    self.out,
                    "#Fun<{module}.{}.{}>",
                    entry.old_index, entry.old_unique
                )?;
            }
            ObjectKind::Export => self.export(term)?,
            ObjectKind::MatchContext => self.out.write_str("#MatchState")?,
        }
        Ok(Some(()))
    }

    fn words(&mut self, object: Boxed, next: usize) {
        let end = object.arity();
        if next < end {
            self.tasks.push(Task::Words { object, next, end });
        }
    }

    fn list(&mut self, first: Cons) -> Progress {
        let list = first.term();
        if !is_printable(list, self.looked_at()) {
            self.out.write_char('[')?;
            self.tasks.push(Task::Text("]"));
            self.tasks.push(Task::Cell(first));
            return Ok(Some(()));
        }
        self.out.write_char('"')?;
        for head in list::items(list).map_while(Result::ok) {
            if !self.count(1) {
                return Ok(None);
            }
            match head.small_value() as u8 {
                b'\n' => self.out.write_str("\\n")?,
                b'"' => self.out.write_str("\\\"")?,
                byte => self.out.latin1(byte)?,
            }
        }
        self.out.write_char('"')?;
        Ok(Some(()))
    }

    fn bit_string(&mut self, bits: Bits) -> Progress {
        let bytes = WholeBytes::new(bits);
        if bits.bit_len() == 0
            || bits.bit_len() % 8 != 0
            || !bytes.clone().take(self.looked_at()).all(is_plain)
        {
            self.out.write_str("<<")?;
            for (index, byte) in bytes.enumerate() {
                let comma = if index > 0 { "," } else { "" };
                write!(self.out, "{comma}{byte}")?;
                if !self.count(1) {
                    return Ok(None);
                }
            }
            self.trailing(bits)?;
            self.out.write_str(">>")?;
            return Ok(Some(()));
        }
        self.out.write_str("<<\"")?;
        for byte in bytes {
            if byte == b'"' {
                self.out.write_char('\\')?;
            }
            self.out.write_char(char::from(byte))?;
            if !self.count(1) {
                return Ok(None);
            }
        }
        self.out.write_str("\">>")?;
        Ok(Some(()))
    }

    /// Writes the bits after the last whole byte.
    fn trailing(&mut self, bits: Bits) -> fmt::Result {
        let trailing = bits.bit_len() % 8;
        if trailing == 0 {
            return Ok(());
        }
        let comma = if bits.bit_len() > 8 { "," } else { "" };
        let whole = bits.bit_len() / 8 * 8;
        let value = (0..trailing).fold(0u8, |value, bit| value << 1 | bit_at(bits, whole + bit));
        write!(self.out, "{comma}{value}:{trailing}")
    }

    fn map(&mut self, map: Boxed) -> fmt::Result {
        let header = map.header();
        match header.map_shape() {
            // Earlier releases show the trie.
            MapShape::HashRoot if !release::has(Release::OTP_27) => {
                write!(self.out, "#<{:x}>{{", header.bitmap())?;
                self.tasks.push(Task::Text("}"));
                self.words(map, offset::HASH_ROOT_CHILDREN);
            }
            MapShape::HashNode => {
                write!(self.out, "<{:x}>{{", header.bitmap())?;
                self.tasks.push(Task::Text("}"));
                self.words(map, 0);
            }
            MapShape::Flat | MapShape::HashRoot => {
                self.out.write_str("#{")?;
                self.tasks.push(Task::Text("}"));
                let rest = Box::new(map::iter(map.term()));
                let is_first = true;
                self.tasks.push(Task::Pairs { rest, is_first });
            }
        }
        Ok(())
    }

    /// The fields come in the order of the numbers of their atoms, as on stock.
    fn native_record(&mut self, record: Term) -> fmt::Result {
        let no_gc = no_gc!();
        let definition = Definition::of(native_record::definition(record), no_gc);
        let mut order: Vec<usize> = (0..definition.fields.len()).collect();
        order.sort_unstable_by_key(|&place| definition.fields[place].as_atom());
        self.out.write_char('#')?;
        self.tasks.push(Task::Text("}"));
        if !order.is_empty() {
            self.tasks.push(Task::Fields {
                record,
                order: order.into(),
                next: 0,
            });
        }
        self.tasks.push(Task::More("{"));
        self.tasks.push(Task::Name(definition.name));
        self.tasks.push(Task::More(":"));
        self.term(definition.module).map(|_| ())
    }

    fn reference(&mut self, term: Term) -> fmt::Result {
        let (words, count) = reference_words(term);
        let external = term.is_kind(ObjectKind::ExternalReference);
        let channel = if external { channel(term) } else { 0 };
        write!(self.out, "#Ref<{channel}")?;
        for word in words[..count].iter().rev() {
            write!(self.out, ".{word}")?;
        }
        self.out.write_char('>')
    }

    fn export(&mut self, term: Term) -> fmt::Result {
        let entry = fun::export_entry(term);
        let (module, function) = (atom::text(entry.module), atom::text(entry.function));
        self.count(module.len() + function.len());
        self.out.write_str("fun ")?;
        write_atom(self.out, module)?;
        self.out.write_char(':')?;
        write_atom(self.out, function)?;
        write!(self.out, "/{}", entry.arity)
    }
}

/// Writes an atom as the language reads it, in quotes where it needs them.
///
/// # Errors
/// Those of `out`.
pub fn write_atom(out: &mut impl Write, text: &str) -> fmt::Result {
    if !needs_quotes(text) {
        return out.write_str(text);
    }
    out.write_char('\'')?;
    for c in text.chars() {
        match c {
            '\'' => out.write_str("\\'")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\x0c' => out.write_str("\\f")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\x08' => out.write_str("\\b")?,
            '\x0b' => out.write_str("\\v")?,
            '\0'..='\x1f' | '\u{80}'..='\u{9f}' => write!(out, "\\{:03o}", u32::from(c))?,
            _ => out.write_char(c)?,
        }
    }
    out.write_char('\'')
}

fn needs_quotes(text: &str) -> bool {
    let is_lower = |c: char| matches!(c, 'a'..='z' | 'ß'..='ÿ') && c != '÷';
    let is_upper = |c: char| matches!(c, 'A'..='Z' | 'À'..='Þ') && c != '×';
    let mut characters = text.chars();
    !characters.next().is_some_and(is_lower)
        || !characters.all(|c| is_lower(c) || is_upper(c) || c.is_ascii_digit() || c == '_')
}

/// Whether a list is written as a string: a proper list of printable Latin-1 characters, as far as it is looked at.
fn is_printable(list: Term, looked_at: usize) -> bool {
    let is_printable =
        |item: Term| matches!(item.as_small(), Some(9 | 10 | 13 | 32..=126 | 160..=255));
    let mut items = list::items(list).take(looked_at);
    items.all(|item| item.is_ok_and(is_printable))
}

fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// The number that is shown for a node: 0 for this node, otherwise the atom index of its name.
fn channel(identifier: Term) -> u32 {
    let name = node::of(identifier).name;
    if name == node::own_name() {
        0
    } else {
        name.as_atom().unwrap_or(0)
    }
}

fn bit_at(bits: Bits, index: u64) -> u8 {
    let at = u64::from(bits.bit_offset()) + index;
    // SAFETY: the callers ask for bits of the string, which the moving rule keeps.
    let byte = unsafe { *bits.bytes().add((at / 8) as usize) };
    byte >> (7 - at % 8) & 1
}

/// The whole bytes of a bit string.
#[derive(Clone)]
struct WholeBytes {
    bits: Bits,
    next: u64,
}

impl WholeBytes {
    fn new(bits: Bits) -> WholeBytes {
        WholeBytes { bits, next: 0 }
    }
}

impl Iterator for WholeBytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let index = self.next;
        if index >= self.bits.bit_len() / 8 {
            return None;
        }
        self.next += 1;
        // SAFETY: the bytes that hold these bits belong to the string, which the moving rule keeps.
        unsafe {
            let first = self.bits.bytes().add(index as usize);
            Some(match self.bits.bit_offset() {
                0 => *first,
                shift => *first << shift | *first.add(1) >> (8 - shift),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use crate::heap::Scratch;

    #[test]
    fn limits_cut_short() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let items: Vec<Term> = (0..10).map(Term::small).collect();
        let list = build::list(heap, &items);
        let tuple = build::tuple(heap, &[list, list]);
        let text = build::string(heap, "hello");
        assert_eq!(display_limited(tuple, 5).to_string(), "{[0,1,2,... ");
        assert_eq!(display_limited(text, 3).to_string(), "\"he... ");
        assert_eq!(display(text).to_string(), "\"hello\"");
        assert_eq!(display_limited(Term::NIL, 0).to_string(), "... ");
    }

    #[test]
    fn work_is_limited_too() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let integer = build::big(heap, false, &[u64::MAX; 1 << 20]);
        assert_eq!(display_limited(integer, 200).to_string(), "... ");
        // That the last byte is none of a text is not seen.
        let mut text = vec![b'a'; 1 << 20];
        text.push(0);
        let (binary, list) = (build::binary(heap, &text), build::byte_list(heap, &text));
        let letters = |count| "a".repeat(count);
        let of_binary = format!("<<\"{}... ", letters(200));
        assert_eq!(display_limited(binary, 200).to_string(), of_binary);
        let of_list = format!("\"{}... ", letters(199));
        assert_eq!(display_limited(list, 200).to_string(), of_list);
        assert!(display(binary).to_string().starts_with("<<97,"));
        assert!(display(list).to_string().starts_with("[97,"));
    }

    #[test]
    fn native_records_are_cut_as_on_stock() {
        let mut scratch = Scratch::new();
        let definition = Definition {
            module: atom::known("My Mod"),
            name: atom::known("Q r"),
            is_exported: false,
            fields: &[crate::am::OK],
        };
        let definition = definition.build(scratch.heap());
        let record = native_record::build(scratch.heap(), definition, &[Term::small(7)]);
        for (limit, text) in [
            (10, "#'My Mod':'Q r'... "),
            (11, "#'My Mod':'Q r'{ok... "),
            (13, "#'My Mod':'Q r'{ok... "),
            (14, "#'My Mod':'Q r'{ok=7}... "),
            (15, "#'My Mod':'Q r'{ok=7}"),
        ] {
            assert_eq!(display_limited(record, limit).to_string(), text);
        }
    }

    #[test]
    fn depth_needs_no_stack() {
        let mut scratch = Scratch::new();
        let mut term = Term::NIL;
        for _ in 0..1_000_000 {
            term = build::tuple(scratch.heap(), &[term]);
        }
        assert_eq!(display(term).to_string().len(), 2_000_002);
    }
}
