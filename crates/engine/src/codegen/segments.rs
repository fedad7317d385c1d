//! Building a bit string from segments (`bs_create_bin`).
//!
//! If all segments are whole bytes together, and of kinds and sizes that [`bodies::building`](crate::bodies::building)
//! has operations for, these come first. The general operation follows, and they jump to it when a value is not as
//! expected or there is no room:
//!
//! ```text
//!           start_append  string, general     (or start_binary, for a new one)
//!           put_integer_16  x1, 0, general
//!           put_constant_8  255, 2
//!           end_append  string, 3, x0, done
//! general:  create ...
//! done:
//! ```

use beamfile::Operand as FileOperand;
use layout::limits::HEAP_BINARY_BYTES;
use layout::{Header, ObjectKind, Term};
use spec::Opcode;
use term::am;
use term::bits::construct::SegmentKind;
use term::bits::{Flags, float, is_all, utf};

use super::convert::{heap_bytes, number_or_source, size};
use super::emit::{Emitter, number};
use super::error::{Result, bad};
use super::facts::SURE;
use crate::bodies::builder::{
    GATHERED, GATHERED_BITS, HEAP_BINARY_HEAD, SHIFTED, SUB_BINARY_BYTES,
};
use crate::bodies::building::{
    self, EndAppend, EndBinary, EndMeasuredBinary, EndPrivateAppend, ShiftRight,
    StartMeasuredBinary,
};
use crate::encoding::{
    self, Create, Encoding as _, EndBytes, EndGathered, Gather, GatherSized, GatherTwo, PutBytes,
    PutConstant, PutConstantWord, PutFlagged, PutPart, PutValue, Segment, StartAppend, StartBinary,
    StartBinaryAround,
};
use crate::operand::{Operand, OperandKind};
use crate::slow;

/// Segment flags, as older operations encode them in a number.
const LITTLE: u64 = 2;
const SIGNED: u64 = 4;
const NATIVE: u64 = 16;

/// Bytes of segments of known size, at most, that are written by operations of their own.
const MOST_BYTES: u64 = HEAP_BINARY_BYTES as u64;

/// A segment as the file has it.
#[derive(Clone, Copy)]
struct Part {
    kind: FileOperand,
    number: u64,
    unit: u64,
    flags: FileOperand,
    /// Of a string, its offset in the module's strings.
    value: FileOperand,
    size: FileOperand,
}

/// The segments in the list of a `bs_create_bin`.
fn parts(segments: &[FileOperand]) -> impl Iterator<Item = Part> {
    segments.chunks_exact(6).map(|part| match *part {
        [
            kind,
            FileOperand::Number(number),
            FileOperand::Number(unit),
            flags,
            value,
            size,
        ] => Part {
            kind,
            number,
            unit,
            flags,
            value,
            size,
        },
        _ => unreachable!("proven to be a segment: {part:?}"),
    })
}

/// `bs_create_bin`
pub(super) fn create(
    emitter: &mut Emitter<'_>,
    fail: u32,
    heap: FileOperand,
    live: u64,
    dest: FileOperand,
    segments: &[FileOperand],
) -> Result {
    let whole = whole_bits(emitter, segments);
    let heap = heap_bytes(emitter, heap).ok_or(bad(Opcode::BsCreateBin, "heap"))?;
    let dest = emitter.source(dest);
    let done = match Steps::new(emitter, segments) {
        Some(steps) => Some(steps.write(emitter, dest, heap)),
        None => Fields::new(emitter, segments).map(|fields| fields.write(emitter, dest, heap)),
    };
    let body = if whole.is_some() {
        slow::build::create_whole
    } else {
        slow::build::create
    };
    let words = Create {
        fail,
        live,
        dest,
        heap,
        count: segments.len() as u64 / 6,
        bits: whole.unwrap_or(0),
    };
    emitter.instruction(body, words);
    for part in parts(segments) {
        segment(emitter, part)?.write(emitter);
    }
    if let Some(done) = done {
        emitter.define(done);
    }
    Ok(())
}

/// Bits of a value.
#[derive(Clone, Copy)]
struct Field {
    source: Operand,
    bits: u64,
}

/// What is written by one operation, or a few.
enum Step {
    Constant(Vec<u8>),
    /// An integer of whole bytes, at most eight.
    Integer {
        source: Operand,
        bytes: u64,
        little: bool,
    },
    /// Integers that are whole bytes together, at most `GATHERED_BITS`.
    Gathered(Vec<Field>),
    /// A float of four or eight bytes.
    Float {
        source: Operand,
        bytes: u64,
        little: bool,
    },
    Utf8(Operand),
    /// A character in UTF-16 or UTF-32.
    Wide {
        source: Operand,
        kind: SegmentKind,
        flags: u64,
    },
    Bytes(Operand),
    /// `size` times `unit` bytes of a binary.
    Part {
        source: Operand,
        size: Operand,
        unit: u64,
    },
}

impl Step {
    /// Bytes that it writes, at most. A segment of any length checks itself that there is room.
    fn most(&self) -> u64 {
        match self {
            Step::Constant(bytes) => bytes.len() as u64,
            Step::Integer { bytes, .. } | Step::Float { bytes, .. } => *bytes,
            Step::Gathered(fields) => fields.iter().map(|field| field.bits).sum::<u64>() / 8,
            Step::Utf8(_) | Step::Wide { .. } => 4,
            Step::Bytes(_) | Step::Part { .. } => 0,
        }
    }

    fn has_any_length(&self) -> bool {
        matches!(
            self,
            Step::Utf8(_) | Step::Wide { .. } | Step::Bytes(_) | Step::Part { .. }
        )
    }
}

/// The string that segments are appended to, if there is one.
struct Appended {
    string: Operand,
    private: bool,
}

/// The segments of a bit string.
struct Steps {
    appended: Option<Appended>,
    steps: Vec<Step>,
}

impl Steps {
    /// The steps for all segments; none if there is no operation for one of them.
    fn new(emitter: &Emitter<'_>, segments: &[FileOperand]) -> Option<Steps> {
        let mut all = Steps {
            appended: None,
            steps: Vec::new(),
        };
        let mut open = Vec::new();
        for part in parts(segments) {
            all.add(emitter, part, &mut open)?;
        }
        let most: u64 = all.steps.iter().map(Step::most).sum();
        (open.is_empty() && !all.steps.is_empty() && most <= MOST_BYTES).then_some(all)
    }

    /// Adds a segment; `open` are the fields before it that do not end at a byte boundary yet.
    fn add(&mut self, emitter: &Emitter<'_>, part: Part, open: &mut Vec<Field>) -> Option<()> {
        let kind = SegmentKind::from_atom(emitter.constant(part.kind)?)?;
        let little = Flags::new(flags(emitter, part.flags) as u32).is_little();
        if kind != SegmentKind::Integer && !open.is_empty() {
            return None;
        }
        if kind == SegmentKind::String {
            let bytes =
                emitter.string_bytes(number(part.value)?, known_bits(emitter, part)? / 8)?;
            self.constant(bytes);
            return Some(());
        }
        let source = number_or_source(emitter, part.value)?;
        let divides_8 = matches!(part.unit, 1 | 2 | 4 | 8);
        // Literal strings are left to the general operation.
        let is_bytes = divides_8 && source.kind() != OperandKind::Constant;
        match kind {
            SegmentKind::Append | SegmentKind::PrivateAppend
                if is_bytes && self.appended.is_none() && self.steps.is_empty() =>
            {
                self.appended = Some(Appended {
                    string: source,
                    private: kind == SegmentKind::PrivateAppend,
                });
            }
            SegmentKind::Integer => {
                let bits = known_bits(emitter, part).filter(|&bits| bits > 0)?;
                return self.integer(Field { source, bits }, little, open);
            }
            SegmentKind::Float => {
                let bits = size(emitter, part.size).as_constant()?.as_small()?;
                let bits = u64::try_from(bits).ok()?.checked_mul(part.unit)?;
                return self.float(Field { source, bits }, little);
            }
            SegmentKind::Utf8 => match source.as_constant() {
                Some(value) => {
                    let (value, width) = utf::encode_utf8(utf::character(value)?);
                    self.constant(&value.to_be_bytes()[8 - width as usize / 8..]);
                }
                None => self.steps.push(Step::Utf8(source)),
            },
            SegmentKind::Utf16 | SegmentKind::Utf32 => {
                let flags = flags(emitter, part.flags);
                self.steps.push(Step::Wide {
                    source,
                    kind,
                    flags,
                });
            }
            SegmentKind::Binary if source.kind() != OperandKind::Constant => {
                let size = size(emitter, part.size);
                let unit = part.unit;
                if size.as_constant().is_some_and(is_all) {
                    self.steps.push(Step::Bytes(source));
                    return divides_8.then_some(());
                }
                let unit = (unit % 8 == 0).then_some(unit / 8)?;
                self.steps.push(Step::Part { source, size, unit });
            }
            _ => return None,
        }
        Some(())
    }

    fn constant(&mut self, bytes: &[u8]) {
        if let Some(Step::Constant(before)) = self.steps.last_mut() {
            before.extend_from_slice(bytes);
        } else {
            self.steps.push(Step::Constant(bytes.to_vec()));
        }
    }

    fn integer(&mut self, field: Field, little: bool, open: &mut Vec<Field>) -> Option<()> {
        let Field { source, bits } = field;
        if open.is_empty() && bits % 8 == 0 {
            let bytes = bits / 8;
            let Some(value) = source.as_constant() else {
                self.steps.push(Step::Integer {
                    source,
                    bytes,
                    little,
                });
                return (bytes <= 8).then_some(());
            };
            if bytes > MOST_BYTES {
                return None;
            }
            let value = value.as_small()?;
            let mut order: Vec<u8> = (0..bytes)
                .map(|byte| (value >> (byte * 8).min(63)) as u8)
                .collect();
            if !little {
                order.reverse();
            }
            self.constant(&order);
            return Some(());
        }
        if little && bits > 8 || source.as_constant().is_some_and(|value| !value.is_small()) {
            return None;
        }
        open.push(field);
        let total: u64 = open.iter().map(|field| field.bits).sum();
        if total > GATHERED_BITS {
            return None;
        }
        if total % 8 == 0 {
            let fields = std::mem::take(open);
            match gathered_constant(&fields) {
                Some(value) => self.constant(&value.to_be_bytes()[8 - total as usize / 8..]),
                None => self.steps.push(Step::Gathered(fields)),
            }
        }
        Some(())
    }

    fn float(&mut self, field: Field, little: bool) -> Option<()> {
        let Field { source, bits } = field;
        if !matches!(bits, 32 | 64) {
            return None;
        }
        let bytes = bits / 8;
        match source.as_constant() {
            Some(value) => {
                let value = float::encode(value, bits).ok()? << (64 - bits);
                let mut order = value.to_be_bytes()[..bytes as usize].to_vec();
                if little {
                    order.reverse();
                }
                self.constant(&order);
            }
            None => self.steps.push(Step::Float {
                source,
                bytes,
                little,
            }),
        }
        Some(())
    }

    /// Writes the operations. Returns the label to be defined behind the general operation, which comes next.
    fn write(self, emitter: &mut Emitter<'_>, dest: Operand, heap: u64) -> u32 {
        let (general, done) = (emitter.new_label(), emitter.new_label());
        let most: u64 = self.steps.iter().map(Step::most).sum();
        let measured = self.steps.iter().any(Step::has_any_length);
        let padded = most.next_multiple_of(8);
        match &self.appended {
            Some(appended) => emitter.operation::<building::StartAppend>(StartAppend {
                string: appended.string,
                most,
                bytes: heap + SUB_BINARY_BYTES,
                fail: general,
            }),
            None if measured => self.start_measured(emitter, heap, most, general),
            None => {
                emitter.operation::<building::StartBinary>(StartBinary {
                    bytes: heap + HEAP_BINARY_HEAD + padded,
                    fail: general,
                });
                if most < padded {
                    let (value, offset) = (0, padded - 8);
                    emitter.operation::<building::PutConstant64>(PutConstantWord { value, offset });
                }
            }
        }
        let mut writer = StepWriter {
            emitter,
            offset: 0,
            rest: most,
            general,
        };
        for step in &self.steps {
            writer.step(step);
        }
        let offset = writer.offset;
        match self.appended {
            Some(Appended { string, private }) => {
                let words = encoding::EndAppend {
                    string,
                    offset,
                    dest,
                    done,
                };
                if private {
                    emitter.operation::<EndPrivateAppend>(words);
                } else {
                    emitter.operation::<EndAppend>(words);
                }
            }
            None if measured => {
                emitter.operation::<EndMeasuredBinary>(EndBytes { offset, dest, done });
            }
            None => emitter.operation::<EndBinary>(encoding::EndBinary {
                header: Header::new(ObjectKind::HeapBinary, 1 + padded as usize / 8).0,
                size: most,
                bytes: HEAP_BINARY_HEAD + padded,
                dest,
                done,
            }),
        }
        emitter.define(general);
        done
    }
}

impl Steps {
    /// Begins a new binary with segments of any length.
    fn start_measured(&self, emitter: &mut Emitter<'_>, heap: u64, most: u64, general: u32) {
        let bytes = heap + HEAP_BINARY_HEAD + HEAP_BINARY_BYTES as u64;
        let fail = general;
        let inner = self.steps.iter().find_map(|step| match step {
            Step::Bytes(source) => Some(*source),
            _ => None,
        });
        match inner {
            Some(inner) => emitter.operation::<building::StartBinaryAround>(StartBinaryAround {
                inner,
                most: MOST_BYTES - most,
                bytes,
                fail,
            }),
            None => emitter.operation::<StartMeasuredBinary>(StartBinary { bytes, fail }),
        }
    }
}

/// The bits of fields that are all constant, as a number.
fn gathered_constant(fields: &[Field]) -> Option<u64> {
    fields.iter().try_fold(0, |before, field| {
        let value = field.source.as_constant()?.as_small()? as u64;
        Some(before << field.bits | value & mask(field.bits))
    })
}

fn mask(bits: u64) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Integers that are short together, at most `GATHERED_BITS`, and perhaps not whole bytes.
struct Fields {
    appended: Option<Appended>,
    fields: Vec<SizedField>,
    /// Bits of the fields whose size is constant.
    bits: u64,
}

/// An integer of `size` times `unit` bits, or of a constant number of bits.
struct SizedField {
    source: Operand,
    size: Operand,
    unit: u64,
    bits: Option<u64>,
}

impl Fields {
    /// The fields of all segments; none if one of them is no integer, or one that begins with its lowest byte.
    fn new(emitter: &Emitter<'_>, segments: &[FileOperand]) -> Option<Fields> {
        let mut all = Fields {
            appended: None,
            fields: Vec::new(),
            bits: 0,
        };
        for part in parts(segments) {
            let kind = SegmentKind::from_atom(emitter.constant(part.kind)?)?;
            if kind == SegmentKind::String {
                return None;
            }
            let source = number_or_source(emitter, part.value)?;
            let unit = part.unit;
            let little = Flags::new(flags(emitter, part.flags) as u32).is_little();
            match kind {
                SegmentKind::Append | SegmentKind::PrivateAppend
                    if unit == 1 && all.appended.is_none() && all.fields.is_empty() =>
                {
                    all.appended = Some(Appended {
                        string: source,
                        private: kind == SegmentKind::PrivateAppend,
                    });
                }
                SegmentKind::Integer if !little => {
                    let bits = known_bits(emitter, part);
                    all.bits = all.bits.checked_add(bits.unwrap_or(0))?;
                    all.fields.push(SizedField {
                        source,
                        size: size(emitter, part.size),
                        unit,
                        bits,
                    });
                }
                _ => return None,
            }
        }
        let is_empty = all.fields.iter().any(|field| field.bits == Some(0));
        (!is_empty && !all.fields.is_empty() && all.bits <= GATHERED_BITS).then_some(all)
    }

    /// As [`Steps::write`].
    fn write(self, emitter: &mut Emitter<'_>, dest: Operand, heap: u64) -> u32 {
        let (general, done) = (emitter.new_label(), emitter.new_label());
        let known = self.fields.iter().map(|field| {
            let source = field.source;
            field.bits.map(|bits| Field { source, bits })
        });
        let known: Option<Vec<Field>> = known.collect();
        let sized = known.is_none();
        match known {
            Some(fields) => gather_all(emitter, &fields, general),
            None => self.gather_each(emitter, general),
        }
        let (string, kind) = match self.appended {
            Some(Appended { string, private }) if private => (string, SegmentKind::PrivateAppend),
            Some(Appended { string, .. }) => (string, SegmentKind::Append),
            None => (Operand::constant(Term::NIL), SegmentKind::Integer),
        };
        let words = EndGathered {
            string,
            kind: index_of(kind),
            bits: self.bits,
            sized: u64::from(sized),
            dest,
            // For a heap binary of eight bytes, and a sub-binary.
            bytes: heap + HEAP_BINARY_HEAD + 8 + SUB_BINARY_BYTES,
            fail: general,
            done,
        };
        emitter.instruction(slow::build::end_gathered, words);
        emitter.define(general);
        done
    }

    /// Gathers the fields one behind the other, as the sizes of some are known only when the code runs.
    fn gather_each(&self, emitter: &mut Emitter<'_>, general: u32) {
        let mut sized = false;
        for (index, field) in self.fields.iter().enumerate() {
            if let Some(bits) = field.bits {
                gather(emitter, field.source, bits, index == 0, general);
                continue;
            }
            let words = GatherSized {
                source: field.source,
                size: field.size,
                unit: field.unit,
                first: u64::from(index == 0),
                first_sized: u64::from(!sized),
                most: GATHERED_BITS - self.bits,
                fail: general,
            };
            emitter.instruction(slow::build::gather_sized, words);
            sized = true;
        }
    }
}

/// Appends bits of a value to those gathered before, among others whose number is not known.
fn gather(emitter: &mut Emitter<'_>, source: Operand, bits: u64, first: bool, general: u32) {
    emitter.operation::<building::Gather>(Gather {
        source,
        factor: if first { 0 } else { 1 << bits },
        mask: mask(bits),
        fail: general,
    });
}

/// Gathers the bits of values, each in its place.
fn gather_all(emitter: &mut Emitter<'_>, fields: &[Field], general: u32) {
    let mut behind: u64 = fields.iter().map(|field| field.bits).sum();
    let mut gathers = Vec::with_capacity(fields.len());
    for &Field { source, bits } in fields {
        behind -= bits;
        gathers.push(Gather {
            source,
            factor: 1 << behind,
            mask: mask(bits) << Term::SMALL_TAG_BITS,
            fail: general,
        });
    }
    let mut rest = gathers.into_iter().peekable();
    let mut is_first = true;
    while let Some(words) = rest.next() {
        let in_x = |words: &Gather| words.source.kind() == OperandKind::X;
        let other = match in_x(&words) {
            true => rest.next_if(in_x),
            false => None,
        };
        match other {
            Some(other) => gather_two(emitter, words, other, is_first),
            None => {
                known_if_sure(emitter, &[words.source]);
                match is_first {
                    true => emitter.operation::<building::GatherFirst>(words),
                    false => emitter.operation::<building::GatherNext>(words),
                }
            }
        }
        is_first = false;
    }
    emitter.facts.set(Operand::x(GATHERED), SURE);
}

fn gather_two(emitter: &mut Emitter<'_>, a: Gather, b: Gather, is_first: bool) {
    let words = GatherTwo {
        a: a.source,
        b: b.source,
        factor_a: a.factor,
        mask_a: a.mask,
        factor_b: b.factor,
        mask_b: b.mask,
        fail: a.fail,
    };
    known_if_sure(emitter, &[a.source, b.source]);
    match is_first {
        true => emitter.operation::<building::GatherFirstTwo>(words),
        false => emitter.operation::<building::GatherNextTwo>(words),
    }
}

/// Has the next instruction leave out the tests whether these are small integers, if that is surely so.
fn known_if_sure(emitter: &mut Emitter<'_>, sources: &[Operand]) {
    if sources
        .iter()
        .all(|&source| emitter.facts.of(source) == SURE)
    {
        emitter.integers(sources);
    }
}

/// The kind as operands have it.
fn index_of(kind: SegmentKind) -> u64 {
    let place = slow::build::SEGMENT_KINDS
        .iter()
        .position(|&other| other == kind);
    place.expect("the table has all kinds") as u64
}

/// Writes the operations of steps.
struct StepWriter<'a, 'b> {
    emitter: &'a mut Emitter<'b>,
    /// Where the next step writes, from the position.
    offset: u64,
    /// Bytes that the steps that are left write, at most.
    rest: u64,
    general: u32,
}

impl StepWriter<'_, '_> {
    fn step(&mut self, step: &Step) {
        self.rest -= step.most();
        match step {
            Step::Constant(bytes) => self.constant(bytes),
            &Step::Integer {
                source,
                bytes,
                little,
            } => self.integer(source, bytes, little),
            Step::Gathered(fields) => {
                gather_all(self.emitter, fields, self.general);
                self.integer(Operand::x(GATHERED), step.most(), false);
            }
            &Step::Float {
                source,
                bytes,
                little,
            } => {
                let words = self.value(source, self.offset);
                match (bytes, little) {
                    (4, false) => self.emitter.operation::<building::PutFloat32>(words),
                    (4, true) => self.emitter.operation::<building::PutFloat32Little>(words),
                    (_, false) => self.emitter.operation::<building::PutFloat64>(words),
                    (_, true) => self.emitter.operation::<building::PutFloat64Little>(words),
                }
            }
            &Step::Utf8(source) => {
                let words = self.value(source, self.offset);
                self.emitter.operation::<building::PutUtf8>(words);
            }
            &Step::Wide {
                source,
                kind,
                flags,
            } => {
                let words = PutFlagged {
                    source,
                    offset: self.offset,
                    flags,
                    fail: self.general,
                };
                let body = if kind == SegmentKind::Utf16 {
                    slow::build::utf16_segment
                } else {
                    slow::build::utf32_segment
                };
                self.emitter.instruction(body, words);
            }
            &Step::Bytes(source) => self.emitter.operation::<building::PutBytes>(PutBytes {
                source,
                offset: self.offset,
                rest: self.rest,
                fail: self.general,
            }),
            &Step::Part { source, size, unit } => {
                let words = PutPart {
                    source,
                    size,
                    unit,
                    offset: self.offset,
                    rest: self.rest,
                    fail: self.general,
                };
                self.emitter.instruction(slow::build::part_segment, words);
            }
        }
        self.offset = if step.has_any_length() {
            0
        } else {
            self.offset + step.most()
        };
    }

    fn value(&self, source: Operand, offset: u64) -> PutValue {
        PutValue {
            source,
            offset,
            fail: self.general,
        }
    }

    fn constant(&mut self, mut bytes: &[u8]) {
        let mut offset = self.offset;
        while !bytes.is_empty() {
            let length = 1 << bytes.len().min(8).ilog2();
            let (now, later) = bytes.split_at(length);
            let value = now
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u64::from(byte));
            match length {
                8 => self
                    .emitter
                    .operation::<building::PutConstant64>(PutConstantWord { value, offset }),
                4 => self
                    .emitter
                    .operation::<building::PutConstant32>(PutConstant { value, offset }),
                2 => self
                    .emitter
                    .operation::<building::PutConstant16>(PutConstant { value, offset }),
                _ => self
                    .emitter
                    .operation::<building::PutConstant8>(PutConstant { value, offset }),
            }
            bytes = later;
            offset += length as u64;
        }
    }

    /// An integer, in pieces that a machine can store.
    fn integer(&mut self, source: Operand, bytes: u64, little: bool) {
        let mut done = 0;
        while done < bytes {
            let left = bytes - done;
            let piece = match left {
                3 => 3,
                _ => 1 << left.ilog2(),
            };
            let shift = 8 * if little { done } else { left - piece };
            let words = self.value(source, shift);
            let from = if shift == 0 {
                source
            } else {
                known_if_sure(self.emitter, &[source]);
                self.emitter.operation::<ShiftRight>(words);
                self.emitter.facts.set(Operand::x(SHIFTED), SURE);
                Operand::x(SHIFTED)
            };
            self.piece(from, self.offset + done, piece, little);
            done += piece;
        }
    }

    fn piece(&mut self, source: Operand, offset: u64, bytes: u64, little: bool) {
        let words = self.value(source, offset);
        known_if_sure(self.emitter, &[source]);
        match (bytes, little) {
            (1, _) => self.emitter.operation::<building::PutInteger8>(words),
            (2, false) => self.emitter.operation::<building::PutInteger16>(words),
            (2, true) => self
                .emitter
                .operation::<building::PutInteger16Little>(words),
            (3, false) => self.emitter.operation::<building::PutInteger24>(words),
            (3, true) => self
                .emitter
                .operation::<building::PutInteger24Little>(words),
            (4, false) => self.emitter.operation::<building::PutInteger32>(words),
            (4, true) => self
                .emitter
                .operation::<building::PutInteger32Little>(words),
            (_, false) => self.emitter.operation::<building::PutInteger64>(words),
            (_, true) => self
                .emitter
                .operation::<building::PutInteger64Little>(words),
        }
    }
}

/// The total bits of the segments of known size, if `create_whole` can handle all segments.
fn whole_bits(emitter: &Emitter<'_>, segments: &[FileOperand]) -> Option<u64> {
    let mut bits = 0u64;
    for (index, part) in parts(segments).enumerate() {
        let kind = SegmentKind::from_atom(emitter.constant(part.kind)?)?;
        let divides_8 = matches!(part.unit, 1 | 2 | 4 | 8);
        let all = emitter.constant(part.size) == Some(am::ALL);
        match kind {
            SegmentKind::Append | SegmentKind::PrivateAppend if index == 0 && divides_8 => (),
            SegmentKind::Binary if bits % 8 == 0 && (divides_8 || !all) => (),
            SegmentKind::Integer => {
                let width = known_bits(emitter, part)?;
                let little = Flags::new(flags(emitter, part.flags) as u32).is_little();
                if width > GATHERED_BITS && !(width == 64 && bits % 8 == 0)
                    || little && width % 8 != 0
                {
                    return None;
                }
                bits = bits.checked_add(width)?;
            }
            SegmentKind::String if bits % 8 == 0 => {
                bits = bits.checked_add(known_bits(emitter, part)?)?;
            }
            SegmentKind::Utf8 => (),
            _ => return None,
        }
    }
    (!segments.is_empty() && bits % 8 == 0).then_some(bits)
}

/// The size in bits of an integer or a string segment, if it is known.
fn known_bits(emitter: &Emitter<'_>, part: Part) -> Option<u64> {
    let size = u64::try_from(emitter.constant(part.size)?.as_small()?).ok()?;
    let kind = SegmentKind::from_atom(emitter.constant(part.kind)?)?;
    match kind {
        SegmentKind::Integer => size.checked_mul(part.unit),
        SegmentKind::String => size.checked_mul(8),
        _ => None,
    }
}

/// The words of a segment behind those of `Create`.
fn segment(emitter: &Emitter<'_>, part: Part) -> Result<Segment> {
    let bad = || bad(Opcode::BsCreateBin, "segments");
    let kind = emitter
        .constant(part.kind)
        .and_then(SegmentKind::from_atom)
        .ok_or(bad())?;
    let size = size(emitter, part.size);
    let (source, string, bits) = if kind == SegmentKind::String {
        let bytes = size
            .as_constant()
            .and_then(Term::as_small)
            .and_then(|bytes| u64::try_from(bytes).ok())
            .ok_or(bad())?;
        let offset = number(part.value).ok_or(bad())?;
        let string = emitter.string(offset, bytes).ok_or(bad())?;
        let none = Operand::constant(Term::NIL);
        (none, string as u64, bytes.saturating_mul(8))
    } else {
        let source = number_or_source(emitter, part.value).ok_or(bad())?;
        (source, 0, known_bits(emitter, part).unwrap_or(0))
    };
    Ok(Segment {
        kind: index_of(kind),
        number: part.number,
        unit: part.unit,
        flags: flags(emitter, part.flags),
        source,
        size,
        string,
        bits,
    })
}

/// The flags of a segment. In newer code they are a list of atoms. Files that no compiler has written may name a
/// register, which stands for none.
fn flags(emitter: &Emitter<'_>, operand: FileOperand) -> u64 {
    let mut flags = number(operand).unwrap_or(0);
    let mut rest = emitter.constant(operand).unwrap_or(Term::NIL);
    while let Some((flag, tail)) = rest.as_cons() {
        flags |= match flag {
            am::LITTLE => LITTLE,
            am::SIGNED => SIGNED,
            am::NATIVE => NATIVE,
            _ => 0,
        };
        rest = tail;
    }
    flags
}
