//! Maps, floats and bit strings.

use beamfile::Operand as FileOperand;
use isa::Opcode;
use layout::Term;
use term::bits::Flags;
use term::bits::construct::SegmentKind;
use term::{am, map};

use super::AssembleErrorKind;
use super::emit::{Emitter, label, number};
use super::operations::{Result, heap_bytes};
use crate::bodies::{binaries, floats, maps};
use crate::form::Handler;
use crate::operand::{Operand, OperandKind};
use crate::operation::{plain, source, source_dest};
use crate::slow;

/// Segment flags, as older operations encode them in a number.
const LITTLE: u64 = 2;
const SIGNED: u64 = 4;
const NATIVE: u64 = 16;

/// The error for an operand of an operation.
fn bad(opcode: Opcode, operand: u8) -> AssembleErrorKind {
    AssembleErrorKind::BadOperand { opcode, operand }
}

fn list<'a>(
    emitter: &Emitter<'a>,
    opcode: Opcode,
    operands: &[FileOperand],
    place: u8,
) -> Result<&'a [FileOperand]> {
    match operands[place as usize] {
        FileOperand::List(span) => Ok(emitter.module.code.list(span)),
        _ => Err(bad(opcode, place)),
    }
}

/// The operations on maps.
pub(super) fn map_operation(
    emitter: &mut Emitter<'_>,
    opcode: Opcode,
    operands: &[FileOperand],
) -> Result {
    match opcode {
        Opcode::PutMapAssoc | Opcode::PutMapExact => {
            let pairs = list(emitter, opcode, operands, 4)?;
            let live = number(operands[3]).ok_or(bad(opcode, 3))?;
            if new_map(emitter, opcode, operands, pairs, live) {
                return Ok(());
            }
            let (map, to) = (emitter.source(operands[1]), emitter.source(operands[2]));
            emitter.instruction(slow::maps::put_map, &[map, to]);
            emitter.label(label(operands[0]));
            emitter.word(live);
            emitter.word(u64::from(opcode == Opcode::PutMapExact));
            emitter.word(pairs.len() as u64 / 2);
            sources(emitter, pairs);
        }
        Opcode::HasMapFields => {
            let keys = list(emitter, opcode, operands, 2)?;
            let map = emitter.source(operands[1]);
            emitter.instruction(slow::maps::has_map_fields, &[map]);
            emitter.label(label(operands[0]));
            emitter.word(keys.len() as u64);
            sources(emitter, keys);
        }
        _ => {
            let pairs = list(emitter, opcode, operands, 2)?;
            let map = emitter.source(operands[1]);
            get_map_elements(emitter, map, label(operands[0]), pairs);
        }
    }
    Ok(())
}

/// Writes a map that is made from an empty one and whose keys are constants: the keys are sorted here, and shared by
/// all maps that the instruction makes. Returns false, and writes nothing, for any other map operation.
fn new_map(
    emitter: &mut Emitter<'_>,
    opcode: Opcode,
    operands: &[FileOperand],
    pairs: &[FileOperand],
    live: u64,
) -> bool {
    let FileOperand::List(span) = operands[4] else {
        return false;
    };
    let keys = (opcode == Opcode::PutMapAssoc)
        .then(|| (emitter.module.map_keys)(span))
        .flatten();
    let Some(keys) = keys else {
        return false;
    };
    let given: Option<Vec<Term>> = pairs
        .chunks_exact(2)
        .map(|pair| emitter.constant(pair[0]))
        .collect();
    let Some(order) = given.and_then(|given| map::sorted_keys(&given)) else {
        return false;
    };
    let to = emitter.source(operands[2]);
    emitter.handler(plain::<maps::NewMap>());
    emitter.word(maps::bytes_of_flat(order.len()));
    emitter.word(live);
    emitter.operand(to);
    emitter.term(keys);
    for place in order {
        let value = emitter.source(pairs[2 * place + 1]);
        emitter.operand(value);
    }
    true
}

fn sources(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    for &operand in operands {
        let operand = emitter.source(operand);
        emitter.operand(operand);
    }
}

/// Looks the keys up one by one if all are immediates; this requires that no lookup but the last overwrites the map's
/// register.
fn get_map_elements(emitter: &mut Emitter<'_>, map: Operand, fail: u32, pairs: &[FileOperand]) {
    let operands: Vec<Operand> = pairs
        .iter()
        .map(|&operand| emitter.source(operand))
        .collect();
    let immediate = |key: &Operand| key.as_constant().is_some_and(Term::is_immediate);
    let count = operands.len() / 2;
    let simple = operands
        .chunks_exact(2)
        .enumerate()
        .all(|(index, pair)| immediate(&pair[0]) && (pair[1] != map || index + 1 == count));
    if simple {
        for pair in operands.chunks_exact(2) {
            let body = source_dest::<maps::GetMapElement>(map, pair[1]);
            emitter.instruction(body, &[map, pair[1], pair[0]]);
            emitter.label(fail);
        }
        return;
    }
    emitter.instruction(slow::maps::get_map_elements, &[map]);
    emitter.label(fail);
    emitter.word(count as u64);
    for operand in operands {
        emitter.operand(operand);
    }
}

/// The operations on floating-point registers.
pub(super) fn float(emitter: &mut Emitter<'_>, opcode: Opcode, operands: &[FileOperand]) -> Result {
    let register = |place: u8| match operands[place as usize] {
        FileOperand::FloatReg(register) => Ok(u64::from(register) * 8),
        _ => Err(bad(opcode, place)),
    };
    let (body, first): (Handler, usize) = match opcode {
        Opcode::Fmove => match (operands[0], operands[1]) {
            (FileOperand::FloatReg(_), FileOperand::FloatReg(_)) => {
                (plain::<floats::FloatCopy>(), 0)
            }
            (FileOperand::FloatReg(_), to) => {
                emitter.handler(plain::<floats::FloatStore>());
                emitter.word(register(0)?);
                let to = emitter.source(to);
                if to.place() == OperandKind::Constant {
                    return Err(bad(opcode, 1));
                }
                emitter.operand(to);
                return Ok(());
            }
            (from, _) => {
                let from = emitter.source(from);
                emitter.instruction(source::<floats::FloatLoad>(from), &[from]);
                emitter.word(register(1)?);
                return Ok(());
            }
        },
        Opcode::Fconv => {
            let from = emitter.source(operands[0]);
            emitter.instruction(source::<floats::FloatConvert>(from), &[from]);
            emitter.word(register(1)?);
            return Ok(());
        }
        Opcode::Fadd => (plain::<floats::FloatAdd>(), 1),
        Opcode::Fsub => (plain::<floats::FloatSubtract>(), 1),
        Opcode::Fmul => (plain::<floats::FloatMultiply>(), 1),
        Opcode::Fdiv => (plain::<floats::FloatDivide>(), 1),
        _ => (plain::<floats::FloatNegate>(), 1),
    };
    emitter.handler(body);
    for place in first..operands.len() {
        emitter.word(register(place as u8)?);
    }
    Ok(())
}

/// The operations that match bit strings.
pub(super) fn matching(
    emitter: &mut Emitter<'_>,
    opcode: Opcode,
    operands: &[FileOperand],
) -> Result {
    let value = |place: u8| number(operands[place as usize]).ok_or(bad(opcode, place));
    let term = |emitter: &Emitter<'_>, place: usize| emitter.source(operands[place]);
    match opcode {
        Opcode::BsStartMatch3 => {
            let (from, to) = (term(emitter, 1), term(emitter, 3));
            start_match(emitter, from, to, label(operands[0]), value(2)?);
        }
        Opcode::BsStartMatch4 => {
            let (from, to) = (term(emitter, 2), term(emitter, 3));
            // The atoms `no_fail` and `resume` mean that the term is known to be a bit string, or a match context.
            start_match(emitter, from, to, label(operands[0]), value(1)?);
        }
        Opcode::BsGetInteger2 => {
            let size = term(emitter, 3);
            let width = constant_width(size, value(4)?);
            let read = Flags::new(value(5)? as u32);
            let plain_flags = !read.is_little() && !read.is_signed();
            let (context, to) = (term(emitter, 1), term(emitter, 6));
            let body: Handler = match width {
                Some(8) if plain_flags => source_dest::<binaries::GetInteger8>(context, to),
                Some(16) if plain_flags => source_dest::<binaries::GetInteger16>(context, to),
                Some(32) if plain_flags => source_dest::<binaries::GetInteger32>(context, to),
                Some(width @ 1..=binaries::WINDOW_BITS)
                    if !read.is_little() || width % 8 == 0 && !read.is_signed() =>
                {
                    let (body, last): (Handler, u64) = if read.is_little() {
                        let top = 1 << (64 - width);
                        (source_dest::<binaries::GetLittle>(context, to), top)
                    } else if read.is_signed() {
                        let highest = 1 << (width - 1);
                        (source_dest::<binaries::GetSigned>(context, to), highest)
                    } else {
                        (source_dest::<binaries::GetUnsigned>(context, to), 0)
                    };
                    get(emitter, body, operands, opcode)?;
                    emitter.word(width);
                    emitter.word(u64::MAX >> (64 - width));
                    emitter.word(last);
                    return Ok(());
                }
                _ => slow::binaries::get_integer,
            };
            get(emitter, body, operands, opcode)?;
        }
        Opcode::BsGetFloat2 => get(emitter, slow::binaries::get_float, operands, opcode)?,
        Opcode::BsGetBinary2 => get(emitter, slow::binaries::get_binary, operands, opcode)?,
        Opcode::BsSkipBits2 => {
            let (context, size, unit) = (term(emitter, 1), term(emitter, 2), value(3)?);
            if let Some(bits) = constant_width(size, unit) {
                emitter.instruction(source::<binaries::SkipBits>(context), &[context]);
                emitter.label(label(operands[0]));
                emitter.word(bits);
            } else {
                emitter.instruction(slow::binaries::skip_bits, &[context]);
                emitter.label(label(operands[0]));
                emitter.operand(size);
                emitter.word(unit);
            }
        }
        Opcode::BsTestTail2 | Opcode::BsTestUnit => {
            let (context, count) = (term(emitter, 1), value(2)?);
            if opcode == Opcode::BsTestUnit && count == 0 {
                return Err(bad(opcode, 2));
            }
            let body = if opcode == Opcode::BsTestUnit {
                source::<binaries::TestUnit>(context)
            } else {
                source::<binaries::TestTail>(context)
            };
            emitter.instruction(body, &[context]);
            emitter.label(label(operands[0]));
            emitter.word(count);
        }
        Opcode::BsMatchString => {
            let (context, bits) = (term(emitter, 1), value(2)?);
            let string = emitter
                .string(value(3)?, bits.div_ceil(8))
                .ok_or(bad(opcode, 3))?;
            if (1..=binaries::WINDOW_BITS).contains(&bits) {
                // SAFETY: the string has at least `bits` bits.
                let wanted = unsafe { term::bits::range::load(string, 0, bits as u32) };
                emitter.instruction(source::<binaries::MatchBits>(context), &[context]);
                emitter.label(label(operands[0]));
                emitter.word(bits);
                emitter.word(u64::MAX >> (64 - bits));
                emitter.word(wanted);
                return Ok(());
            }
            emitter.instruction(slow::binaries::match_string, &[context]);
            emitter.label(label(operands[0]));
            emitter.word(bits);
            emitter.word(string as u64);
        }
        Opcode::BsGetTail => {
            let (context, to) = (term(emitter, 0), term(emitter, 1));
            emitter.instruction(slow::binaries::get_tail, &[context, to]);
            emitter.word(value(2)?);
        }
        Opcode::BsGetPosition => {
            let (context, to) = (term(emitter, 0), term(emitter, 1));
            emitter.instruction(
                source_dest::<binaries::GetPosition>(context, to),
                &[context, to],
            );
        }
        Opcode::BsSetPosition => {
            let (context, position) = (term(emitter, 0), term(emitter, 1));
            emitter.instruction(slow::binaries::set_position, &[context, position]);
        }
        _ => {
            let handler: Handler = match opcode {
                Opcode::BsGetUtf8 => {
                    let (context, to) = (term(emitter, 1), term(emitter, 4));
                    source_dest::<binaries::GetUtf8>(context, to)
                }
                Opcode::BsSkipUtf8 => slow::binaries::get_utf8,
                Opcode::BsGetUtf16 | Opcode::BsSkipUtf16 => slow::binaries::get_utf16,
                _ => slow::binaries::get_utf32,
            };
            let context = term(emitter, 1);
            let to = match operands.get(4) {
                Some(&to) => emitter.source(to),
                None => Operand::constant(slow::binaries::NO_DEST),
            };
            emitter.instruction(handler, &[context, to]);
            emitter.label(label(operands[0]));
            emitter.word(value(3)?);
        }
    }
    Ok(())
}

/// The size in bits, if it is constant.
fn constant_width(size: Operand, unit: u64) -> Option<u64> {
    let size = u64::try_from(size.as_constant()?.as_small()?).ok()?;
    size.checked_mul(unit)
}

fn start_match(emitter: &mut Emitter<'_>, from: Operand, to: Operand, fail: u32, live: u64) {
    emitter.instruction(source_dest::<binaries::StartMatch>(from, to), &[from, to]);
    emitter.label(fail);
    emitter.word(live);
}

/// `fail, context, live, size, unit, flags, dest`
fn get(
    emitter: &mut Emitter<'_>,
    handler: Handler,
    operands: &[FileOperand],
    opcode: Opcode,
) -> Result {
    let value = |place: u8| number(operands[place as usize]).ok_or(bad(opcode, place));
    let terms = [1, 3, 6].map(|place| emitter.source(operands[place]));
    emitter.instruction(handler, &terms);
    emitter.label(label(operands[0]));
    emitter.word(value(2)?);
    emitter.word(value(4)?);
    emitter.word(value(5)?);
    Ok(())
}

/// The operations that build bit strings.
pub(super) fn build(emitter: &mut Emitter<'_>, opcode: Opcode, operands: &[FileOperand]) -> Result {
    let value = |place: u8| number(operands[place as usize]).ok_or(bad(opcode, place));
    let alloc = |place: u8| heap_bytes(operands[place as usize]).ok_or(bad(opcode, place));
    let fail = label(operands.first().copied().unwrap_or(FileOperand::Nil));
    match opcode {
        Opcode::BsCreateBin => {
            let segments = list(emitter, opcode, operands, 5)?;
            let to = emitter.source(operands[4]);
            let whole = whole_bits(emitter, segments);
            emitter.handler(if whole.is_some() {
                slow::build::create_whole
            } else {
                slow::build::create
            });
            emitter.label(fail);
            emitter.word(value(2)?);
            emitter.operand(to);
            emitter.word(alloc(1)?);
            emitter.word(segments.len() as u64 / 6);
            emitter.word(whole.unwrap_or(0));
            for part in segments.chunks_exact(6) {
                segment(emitter, opcode, part)?;
            }
        }
        Opcode::BsInit2 | Opcode::BsInitBits => {
            let size = number_or_source(emitter, operands[1]).ok_or(bad(opcode, 1))?;
            let to = emitter.source(operands[5]);
            emitter.handler(slow::build::init);
            emitter.label(fail);
            emitter.word(value(3)?);
            emitter.operand(to);
            emitter.word(alloc(2)?);
            emitter.operand(size);
            emitter.word(if opcode == Opcode::BsInit2 { 8 } else { 1 });
        }
        Opcode::BsAppend => {
            let [size, binary, to] = [1, 5, 7].map(|place| emitter.source(operands[place]));
            emitter.handler(slow::build::append_to);
            emitter.label(fail);
            emitter.word(value(3)?);
            emitter.operand(to);
            emitter.word(alloc(2)?);
            emitter.operand(size);
            emitter.word(value(4)?);
            emitter.operand(binary);
            emitter.word(0);
        }
        Opcode::BsPrivateAppend => {
            let [size, binary, to] = [1, 3, 5].map(|place| emitter.source(operands[place]));
            emitter.handler(slow::build::append_privately);
            emitter.label(fail);
            emitter.word(0);
            emitter.operand(to);
            emitter.word(0);
            emitter.operand(size);
            emitter.word(value(2)?);
            emitter.operand(binary);
            emitter.word(1);
        }
        Opcode::BsInitWritable => emitter.handler(slow::build::init_writable),
        Opcode::BsPutInteger | Opcode::BsPutFloat | Opcode::BsPutBinary => {
            let (size, from) = (emitter.source(operands[1]), emitter.source(operands[4]));
            emitter.handler(match opcode {
                Opcode::BsPutInteger => slow::build::put_integer,
                Opcode::BsPutFloat => slow::build::put_float,
                _ => slow::build::put_binary,
            });
            emitter.label(fail);
            emitter.operand(from);
            emitter.operand(size);
            emitter.word(value(2)?);
            emitter.word(value(3)?);
        }
        Opcode::BsPutString => {
            let string = emitter.string(value(1)?, value(0)?).ok_or(bad(opcode, 1))?;
            emitter.handler(slow::build::put_string);
            emitter.word(0);
            emitter.word(string as u64);
            emitter.word(value(0)?);
        }
        Opcode::BsPutUtf8 | Opcode::BsPutUtf16 | Opcode::BsPutUtf32 => {
            let from = emitter.source(operands[2]);
            emitter.handler(match opcode {
                Opcode::BsPutUtf8 => slow::build::put_utf8,
                Opcode::BsPutUtf16 => slow::build::put_utf16,
                _ => slow::build::put_utf32,
            });
            emitter.label(fail);
            emitter.operand(from);
            emitter.word(value(1)?);
        }
        Opcode::BsAdd => {
            let [a, b, to] = [1, 2, 4].map(|place| emitter.source(operands[place]));
            emitter.handler(slow::build::add_sizes);
            emitter.label(fail);
            emitter.operand(a);
            emitter.operand(b);
            emitter.word(value(3)?);
            emitter.operand(to);
        }
        _ => {
            let (from, to) = (emitter.source(operands[1]), emitter.source(operands[2]));
            let handler: Handler = if opcode == Opcode::BsUtf8Size {
                slow::build::utf8_size
            } else {
                slow::build::utf16_size
            };
            emitter.instruction(handler, &[from, to]);
        }
    }
    Ok(())
}

fn number_or_source(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Operand> {
    match operand {
        FileOperand::Number(value) => {
            Term::try_small(i64::try_from(value).ok()?).map(Operand::constant)
        }
        other => Some(emitter.source(other)),
    }
}

/// Integers of at most this many bits can be written at any bit position.
const GATHERED_BITS: u64 = 56;

/// The total bits of the segments of known size, if `create_whole` can handle all segments.
fn whole_bits(emitter: &Emitter<'_>, segments: &[FileOperand]) -> Option<u64> {
    let mut bits = 0u64;
    for (index, part) in segments.chunks_exact(6).enumerate() {
        let kind = SegmentKind::from_atom(emitter.constant(part[0])?)?;
        let divides_8 = matches!(number(part[2])?, 1 | 2 | 4 | 8);
        let all = emitter.constant(part[5]) == Some(am::ALL);
        match kind {
            SegmentKind::Append | SegmentKind::PrivateAppend if index == 0 && divides_8 => (),
            SegmentKind::Binary if bits % 8 == 0 && (divides_8 || !all) => (),
            SegmentKind::Integer => {
                let width = known_bits(emitter, part)?;
                let little = Flags::new(flags(emitter, part[3]) as u32).is_little();
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
fn known_bits(emitter: &Emitter<'_>, part: &[FileOperand]) -> Option<u64> {
    let size = u64::try_from(emitter.constant(part[5])?.as_small()?).ok()?;
    let kind = SegmentKind::from_atom(emitter.constant(part[0])?)?;
    match kind {
        SegmentKind::Integer => size.checked_mul(number(part[2])?),
        SegmentKind::String => size.checked_mul(8),
        _ => None,
    }
}

/// `type, number, unit, flags, value (for a string: its offset), size`
fn segment(emitter: &mut Emitter<'_>, opcode: Opcode, part: &[FileOperand]) -> Result {
    let number = |place: u8| number(part[place as usize]).ok_or(bad(opcode, 5));
    let kind = emitter
        .constant(part[0])
        .and_then(SegmentKind::from_atom)
        .ok_or(bad(opcode, 5))?;
    let code = slow::build::SEGMENT_KINDS
        .iter()
        .position(|&other| other == kind);
    emitter.word(code.ok_or(bad(opcode, 5))? as u64);
    emitter.word(number(1)?);
    emitter.word(number(2)?);
    emitter.word(flags(emitter, part[3]));
    let size = emitter.source(part[5]);
    if kind == SegmentKind::String {
        let bytes = size
            .as_constant()
            .and_then(Term::as_small)
            .and_then(|bytes| u64::try_from(bytes).ok())
            .ok_or(bad(opcode, 5))?;
        let string = emitter.string(number(4)?, bytes).ok_or(bad(opcode, 5))?;
        emitter.term(Term::NIL);
        emitter.operand(size);
        emitter.word(string as u64);
        emitter.word(bytes.saturating_mul(8));
    } else {
        let from = number_or_source(emitter, part[4]).ok_or(bad(opcode, 5))?;
        emitter.operand(from);
        emitter.operand(size);
        emitter.word(0);
        emitter.word(known_bits(emitter, part).unwrap_or(0));
    }
    Ok(())
}

/// The flags of a segment. In newer code they are a list of atoms.
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
