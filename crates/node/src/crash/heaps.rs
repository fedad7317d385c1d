//! The terms of processes: messages, dictionaries, stacks, and every object that is reachable from them, by its
//! address. Then persistent terms, all literals found on the way, and the bytes of shared binaries.
//!
//! Pending objects are kept in a list, so deep terms need no native stack. If there is no memory for that list, the
//! rest of the heap is left out, which the viewer shows as incomplete.

use std::collections::HashSet;
use std::fmt::{self, Write};

use layout::heap::is_return_address;
use layout::kinds::{SharedBinary, SubBinary};
use layout::limits::HEAP_BINARY_BYTES;
use layout::object::{MapShape, offset};
use layout::{Boxed, ObjectKind, Term, no_gc};
use term::bits::range;
use term::external::encode::{self, EncodeOptions};
use term::heap::Scratch;
use term::held::attempt;
use term::off_heap::{self, BinaryBlock};
use term::print::display;
use term::{atom, build, fun, literal, text};

use super::Form;
use super::names;
use super::output::Output;
use super::processes;
use super::tables::{self, View};
use runtime::process::{Process, epoch, state};
use std::sync::atomic::Ordering;

/// Limbs of the longest integer that is written in decimal; for longer ones that takes too long.
const DECIMAL_LIMBS: usize = 64;

pub(super) fn all(out: &mut Output, view: &View, stopped: bool) -> fmt::Result {
    let mut walk = Walk::default();
    let written: fmt::Result = epoch::with_pin(|pinned| {
        // SAFETY: the node ends, and those are skipped whose heap may be changing.
        for process in unsafe { processes::each(pinned) } {
            let state = process.state.load(Ordering::SeqCst);
            let skipped = state & state::EXITING != 0
                || process.is_sensitive()
                || processes::is_taken(process)
                || processes::is_collecting(process)
                // Not all schedulers stopped, and one of them may take up any queued process.
                || (!stopped && state & (state::QUEUED | state::RUNNING) == state::QUEUED);
            if !skipped {
                one(out, view, process, &mut walk)?;
            }
        }
        Ok(())
    });
    written?;
    let persistent = tables::persistent_terms();
    tables::write_persistent_terms(out, &persistent)?;
    for (key, value) in persistent {
        walk.meet(key);
        walk.meet(value);
    }
    out.text("=literals\n")?;
    walk.literals(out)?;
    walk.binaries(out)
}

fn one(out: &mut Output, view: &View, process: &Process, walk: &mut Walk) -> fmt::Result {
    let pid = Form::Dump.name(process.id);
    walk.begin();
    let messages = processes::messages(process);
    if !messages.is_empty() {
        writeln!(out, "=proc_messages:{pid}")?;
        for message in &messages {
            element(out, *message)?;
            // No sequential trace token.
            out.text(":N\n")?;
            walk.meet(*message);
        }
    }
    if !process.dictionary.is_empty() {
        writeln!(out, "=proc_dictionary:{pid}")?;
        let mut scratch = Scratch::new();
        for pair in process.dictionary.pairs() {
            // The viewer expects a tuple on the heap; our pairs are not tuples, so one is built for each.
            let pair = build::tuple(scratch.heap(), &pair);
            element(out, pair)?;
            out.text("\n")?;
            walk.meet(pair);
        }
        stack(out, view, process, walk)?;
        writeln!(out, "=proc_heap:{pid}")?;
        return walk.objects(out);
    }
    stack(out, view, process, walk)?;
    writeln!(out, "=proc_heap:{pid}")?;
    walk.objects(out)
}

fn stack(out: &mut Output, view: &View, process: &Process, walk: &mut Walk) -> fmt::Result {
    writeln!(out, "=proc_stack:{}", Form::Dump.name(process.id))?;
    let heap = &process.head.heap;
    let mut at = heap.stack.cast_const();
    let running = process.state.load(Ordering::SeqCst) & state::RUNNING != 0;
    // The X registers that were live when the process was switched out are on top of the stack.
    let mut registers = if running { 0 } else { process.head.saved_x };
    let (mut x, mut y) = (0, 0);
    while at < heap.end.cast_const() {
        // SAFETY: the words between stack and end are return addresses and terms, and the owner does not run.
        let word = unsafe { *at };
        if is_return_address(word) {
            write!(out, "{at:#018x?}:SReturn addr {word:#X} (")?;
            view.write_place(out, word as *const u64)?;
            out.text(")\n")?;
            y = 0;
        } else {
            // SAFETY: a stack word that is not a return address is a term or a catch mark.
            let term = unsafe { Term::from_bits(word) };
            if registers > 0 {
                write!(out, "x{x}:")?;
                (x, registers) = (x + 1, registers - 1);
            } else {
                write!(out, "y{y}:")?;
                y += 1;
            }
            match term.as_catch() {
                Some(handler) => {
                    write!(out, "SCatch {:#X} (", handler as usize)?;
                    view.write_place(out, handler)?;
                    out.text(")\n")?;
                }
                None => {
                    element(out, term)?;
                    out.text("\n")?;
                    walk.meet(term);
                }
            }
        }
        at = at.wrapping_add(1);
    }
    Ok(())
}

/// The address of a list cell or boxed object.
fn address(term: Term) -> u64 {
    if term.is_cons() {
        term.cons_pointer() as u64
    } else {
        term.boxed_pointer() as u64
    }
}

/// Writes a term as part of another: an immediate in full, otherwise the address of its object.
pub(super) fn element(out: &mut Output, term: Term) -> fmt::Result {
    if let Some(value) = term.as_small() {
        write!(out, "I{value}")
    } else if term.is_atom() {
        let text = atom::text(term);
        write!(out, "A{:X}:{text}", text.len())
    } else if term.is_local_pid() {
        write!(out, "P{}", Form::Dump.name(term))
    } else if term.is_local_port() {
        write!(out, "p<0.{}>", encode::port_number(term))
    } else if term.is_cons() || term.is_boxed() {
        write!(out, "H{:X}", address(term))
    } else {
        out.text("N")
    }
}

#[derive(Default)]
struct Walk {
    /// Addresses of the current process's objects that were found (`seen`), and those of all literals.
    seen: HashSet<u64>,
    seen_literals: HashSet<u64>,
    rest: Vec<Term>,
    rest_literals: Vec<Term>,
    /// Addresses of the reference-counted blocks of shared binaries.
    blocks: HashSet<u64>,
    /// Long parts that begin within a byte of their binary.
    shifted: Vec<Term>,
}

impl Walk {
    fn begin(&mut self) {
        self.seen.clear();
        // Free the memory that one large heap needed.
        if self.seen.capacity() > 1 << 16 {
            self.seen = HashSet::new();
        }
        self.rest.clear();
    }

    /// Writes a part that begins within a byte of another binary, which the viewer cannot refer to. A short one is
    /// written as a binary of its own, a long one refers to a block of its own, which [`Walk::binaries`] writes.
    fn shifted(&mut self, out: &mut Output, part: Term, size: u64) -> fmt::Result {
        if size <= HEAP_BINARY_BYTES as u64 {
            write!(out, "Yh{size:X}:")?;
            return shifted_bytes(out, part);
        }
        if attempt(|| self.shifted.try_reserve(1).is_ok()) {
            self.shifted.push(part);
        }
        write!(out, "Yc{:X}:0:{size:X}", block_of_shifted(part))
    }

    /// Adds the object of a term to those to be written, unless it was already found.
    fn meet(&mut self, term: Term) {
        if !term.is_cons() && !term.is_boxed() {
            return;
        }
        let (seen, rest) = if literal::contains(address(term) as usize) {
            (&mut self.seen_literals, &mut self.rest_literals)
        } else {
            (&mut self.seen, &mut self.rest)
        };
        let has_room = attempt(|| seen.try_reserve(1).is_ok() && rest.try_reserve(1).is_ok());
        if has_room && seen.insert(address(term)) {
            rest.push(term);
        }
    }

    fn objects(&mut self, out: &mut Output) -> fmt::Result {
        while let Some(term) = self.rest.pop() {
            self.object(out, term)?;
        }
        Ok(())
    }

    fn literals(&mut self, out: &mut Output) -> fmt::Result {
        while let Some(term) = self.rest_literals.pop() {
            self.object(out, term)?;
        }
        Ok(())
    }

    fn binaries(&mut self, out: &mut Output) -> fmt::Result {
        for &block in &self.blocks {
            let block = block as *mut BinaryBlock;
            // SAFETY: an object that was found holds a reference to the block, and nothing is freed while the dump is
            // written.
            let bytes = unsafe {
                let used = (*block).used.load(Ordering::Relaxed);
                std::slice::from_raw_parts(BinaryBlock::bytes(block), used.min((*block).capacity))
            };
            writeln!(out, "=binary:{:X}", block as u64)?;
            write!(out, "{:X}:", bytes.len())?;
            out.base64(bytes)?;
            out.text("\n")?;
        }
        for &part in &self.shifted {
            writeln!(out, "=binary:{:X}", block_of_shifted(part))?;
            write!(out, "{:X}:", SubBinary::expect(part).size())?;
            shifted_bytes(out, part)?;
            out.text("\n")?;
        }
        Ok(())
    }

    /// Writes terms as elements, and adds their objects to those to be written.
    fn elements(&mut self, out: &mut Output, terms: impl Iterator<Item = Term>) -> fmt::Result {
        for (index, term) in terms.enumerate() {
            if index > 0 {
                out.text(",")?;
            }
            element(out, term)?;
            self.meet(term);
        }
        Ok(())
    }

    fn object(&mut self, out: &mut Output, term: Term) -> fmt::Result {
        write!(out, "{:X}:", address(term))?;
        if let Some((head, tail)) = term.as_cons() {
            out.text("l")?;
            element(out, head)?;
            out.text("|")?;
            element(out, tail)?;
            self.meet(head);
            self.meet(tail);
            return out.text("\n");
        }
        let object = term.expect_boxed();
        match object.kind() {
            ObjectKind::Tuple => {
                write!(out, "t{:X}:", object.arity())?;
                self.elements(out, object.terms())?;
            }
            ObjectKind::Float => {
                let digits =
                    text::float::scientific(f64::from_bits(object.word(offset::FLOAT_BITS)), 20);
                write!(out, "F{:X}:{digits}", digits.len())?;
            }
            ObjectKind::PositiveBig | ObjectKind::NegativeBig => big(out, term)?,
            ObjectKind::Map => self.map(out, object)?,
            ObjectKind::HeapBinary => {
                let no_gc = no_gc!();
                let bytes = term
                    .as_bits()
                    .and_then(|bits| bits.as_bytes(no_gc))
                    .unwrap_or(&[]);
                write!(out, "Yh{:X}:", bytes.len())?;
                out.base64(bytes)?;
            }
            ObjectKind::SharedBinary => {
                let size = object.word(offset::SHARED_BINARY_SIZE);
                let (block, start) = self.block(term);
                write!(out, "Yc{block:X}:{start:X}:{size:X}")?;
            }
            ObjectKind::SubBinary => {
                let bits = object.word(offset::SUB_BINARY_BITS);
                let size = object.word(offset::SUB_BINARY_SIZE);
                if bits & 0xff != 0 {
                    // Not a whole number of bytes: the viewer has no special form for these.
                    external(out, term)?;
                } else if bits & 0xff00 != 0 {
                    self.shifted(out, term, size)?;
                } else {
                    let start = object.word(offset::SUB_BINARY_OFFSET);
                    self.part(out, object.terms(), start, size)?;
                }
            }
            ObjectKind::MatchContext => {
                let start = object.word(offset::MATCH_POSITION) / 8;
                let size = object.word(offset::MATCH_END) / 8;
                self.part(out, object.terms(), start, size.saturating_sub(start))?;
            }
            ObjectKind::ExternalPid => write!(out, "P{}", display(term))?,
            ObjectKind::ExternalPort => {
                let text = display(term).to_string();
                write!(out, "p{}", text.trim_start_matches("#Port"))?;
            }
            ObjectKind::Fun => {
                // The viewer does not show free variables, and the external form would contain them in full.
                let mut scratch = Scratch::new();
                let creator = fun::creator(term);
                let creator = names::readable(creator).unwrap_or(creator);
                // SAFETY: the fun stays for as long as the dump is written, the copy until it is written.
                let fun = unsafe { build::without_free_variables(scratch.heap(), term, creator) };
                external(out, fun)?;
            }
            // The viewer has no form for native records.
            ObjectKind::NativeRecord
            | ObjectKind::Reference
            | ObjectKind::ExternalReference
            | ObjectKind::Export => external(out, term)?,
        }
        out.text("\n")
    }

    fn map(&mut self, out: &mut Output, map: Boxed) -> fmt::Result {
        let header = map.header();
        match header.map_shape() {
            MapShape::Flat => {
                write!(out, "Mf{:X}:", map.word(offset::MAP_SIZE))?;
                let keys = map.terms().take(1);
                self.elements(out, keys)?;
                out.text(":")?;
                self.elements(out, map.terms_from(offset::FLAT_MAP_VALUES))
            }
            MapShape::HashRoot => {
                let children = header.arity() - 1;
                write!(out, "Mh{:X}:{children:X}:", map.word(offset::MAP_SIZE))?;
                self.elements(out, map.terms())
            }
            MapShape::HashNode => {
                write!(out, "Mn{:X}:", header.arity())?;
                self.elements(out, map.terms())
            }
        }
    }

    /// The reference-counted block of a shared binary, and the offset of the binary in it.
    fn block(&mut self, shared: Term) -> (u64, u64) {
        // SAFETY: a shared binary holds a reference to its block.
        let block = unsafe { off_heap::block_of(shared.boxed_pointer()) } as u64;
        if attempt(|| self.blocks.try_reserve(1).is_ok()) {
            self.blocks.insert(block);
        }
        // SAFETY: as above.
        let bytes = unsafe { BinaryBlock::bytes(block as *mut BinaryBlock) } as u64;
        let first = SharedBinary::expect(shared).bytes() as u64;
        (block, first.saturating_sub(bytes))
    }

    /// Writes a reference to a part of a binary: of the block of a shared one, or of a heap binary.
    fn part(
        &mut self,
        out: &mut Output,
        mut whole: impl Iterator<Item = Term>,
        start: u64,
        size: u64,
    ) -> fmt::Result {
        let Some(whole) = whole.next() else {
            return Err(fmt::Error);
        };
        let (of, start) = if whole.is_kind(ObjectKind::SharedBinary) {
            let (block, first) = self.block(whole);
            (block, first + start)
        } else {
            self.meet(whole);
            (address(whole), start)
        };
        write!(out, "Ys{of:X}:{start:X}:{size:X}")
    }
}

/// The address under which the bytes of a part are written. Nothing else has it: it is that of the part's first field.
fn block_of_shifted(part: Term) -> u64 {
    address(part) + 8
}

/// Writes the whole bytes of a bit string in base 64, wherever it begins.
fn shifted_bytes(out: &mut Output, part: Term) -> fmt::Result {
    // Only the last piece may be padded.
    let mut piece = [0; 3 << 10];
    let Some(mut rest) = part.as_bits() else {
        return Err(fmt::Error);
    };
    while rest.bit_len() >= 8 {
        let count = (rest.bit_len() / 8).min(piece.len() as u64);
        // SAFETY: `rest` has that many bits, the piece that many bytes, which overlap with no heap; and no heap changes
        // while the dump is written.
        unsafe {
            let first = u64::from(rest.bit_offset());
            range::copy(rest.bytes(), first, piece.as_mut_ptr(), 0, count * 8);
        }
        out.base64(&piece[..count as usize])?;
        rest = rest.without_bytes(count);
    }
    Ok(())
}

fn big(out: &mut Output, term: Term) -> fmt::Result {
    let no_gc = no_gc!();
    let Some((negative, limbs)) = term.as_big(no_gc) else {
        return Err(fmt::Error);
    };
    if limbs.len() <= DECIMAL_LIMBS {
        return write!(out, "B{}", text::integer::print(term, 10));
    }
    out.text(if negative { "B-16#" } else { "B16#" })?;
    for (index, limb) in limbs.iter().rev().enumerate() {
        if index == 0 {
            write!(out, "{limb:X}")?;
        } else {
            write!(out, "{limb:016X}")?;
        }
    }
    Ok(())
}

fn external(out: &mut Output, term: Term) -> fmt::Result {
    let bytes = encode::encode(term, &EncodeOptions::default()).unwrap_or_else(|_| vec![131, 106]);
    write!(out, "E{:X}:", bytes.len())?;
    out.base64(&bytes)
}
