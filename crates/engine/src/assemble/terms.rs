//! Maps, floats and bit strings.

use beamfile::Operand as FileOperand;
use isa::Opcode;
use layout::Term;
use term::bits::{self, Flags};
use term::{am, map};

use super::AssembleErrorKind;
use super::emit::{Emitter, label, number};
use super::operations::{Result, heap_bytes};
use super::segments;
use crate::bodies::{binaries, floats, maps};
use crate::encoding::{
    AddSizes, AppendTo, FloatBinary, FloatLoad, FloatStore, FloatUnary, GetBits, GetCharacter,
    GetMapElement, GetMapElements, GetTail, GetWindow, Init, MatchBits, MatchString, NewMap,
    Nothing, PutCharacter, PutMap, PutSegment, PutString, SetPosition, SkipUnits, SourceDest,
    StartMatch, TestBits,
};
use crate::operand::{Operand, OperandKind};
use crate::operation::Operation;
use crate::slow;

/// The error for an operand of an operation.
pub(super) fn bad(opcode: Opcode, operand: u8) -> AssembleErrorKind {
    AssembleErrorKind::BadOperand { opcode, operand }
}

pub(super) fn list<'a>(
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
            let words = PutMap {
                map: emitter.source(operands[1]),
                dest: emitter.source(operands[2]),
                fail: label(operands[0]),
                live,
                exact: u64::from(opcode == Opcode::PutMapExact),
                count: pairs.len() as u64 / 2,
            };
            // A field may be there already; other keys are mostly new.
            match words.exact == 1 || are_immediates(emitter, pairs) {
                true => emitter.operation::<maps::UpdateMap>(words),
                false => emitter.instruction(slow::maps::put_map, words),
            }
            more(emitter, pairs);
        }
        Opcode::HasMapFields => {
            let keys = list(emitter, opcode, operands, 2)?;
            let words = GetMapElements {
                map: emitter.source(operands[1]),
                fail: label(operands[0]),
                count: keys.len() as u64,
            };
            emitter.instruction(slow::maps::has_map_fields, words);
            more(emitter, keys);
        }
        _ => {
            let pairs = list(emitter, opcode, operands, 2)?;
            let map = emitter.source(operands[1]);
            get_map_elements(emitter, map, label(operands[0]), pairs);
        }
    }
    Ok(())
}

/// Whether the keys of these pairs are constants and no objects.
fn are_immediates(emitter: &Emitter<'_>, pairs: &[FileOperand]) -> bool {
    let mut keys = pairs.chunks_exact(2).map(|pair| emitter.constant(pair[0]));
    keys.all(|key| key.is_some_and(Term::is_immediate))
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
    emitter.operation::<maps::NewMap>(NewMap {
        bytes: maps::bytes_of_flat(order.len()),
        live,
        dest: emitter.source(operands[2]),
        keys,
    });
    for place in order {
        more(emitter, &pairs[2 * place + 1..][..1]);
    }
    true
}

/// Writes operands after those of an encoding.
fn more(emitter: &mut Emitter<'_>, operands: &[FileOperand]) {
    for &operand in operands {
        let operand = emitter.source(operand);
        emitter.more([operand]);
    }
}

/// Looks the keys up one by one if all are immediates; this requires that no lookup but the last overwrites the map's
/// register.
fn get_map_elements(emitter: &mut Emitter<'_>, map: Operand, fail: u32, pairs: &[FileOperand]) {
    let operands: Vec<Operand> = pairs
        .iter()
        .map(|&operand| emitter.source(operand))
        .collect();
    let count = operands.len() / 2;
    let keeps_map = |(index, pair): (usize, &[Operand])| pair[1] != map || index + 1 == count;
    let simple =
        are_immediates(emitter, pairs) && operands.chunks_exact(2).enumerate().all(keeps_map);
    if simple {
        for pair in operands.chunks_exact(2) {
            emitter.operation::<maps::GetMapElement>(GetMapElement {
                map,
                dest: pair[1],
                key: pair[0].as_constant().expect("an immediate"),
                fail,
            });
        }
        return;
    }
    let count = count as u64;
    let words = GetMapElements { map, fail, count };
    match count {
        1 => emitter.operation::<maps::GetMapElementOf>(words),
        _ => emitter.instruction(slow::maps::get_map_elements, words),
    }
    emitter.more(operands);
}

/// The operations on floating-point registers.
pub(super) fn float(emitter: &mut Emitter<'_>, opcode: Opcode, operands: &[FileOperand]) -> Result {
    let register = |place: u8| match operands[place as usize] {
        FileOperand::FloatReg(register) => Ok(u64::from(register) * 8),
        _ => Err(bad(opcode, place)),
    };
    match opcode {
        Opcode::Fmove => match (operands[0], operands[1]) {
            (FileOperand::FloatReg(_), FileOperand::FloatReg(_)) => {
                emitter.operation::<floats::FloatCopy>(FloatUnary {
                    source: register(0)?,
                    dest: register(1)?,
                });
            }
            (FileOperand::FloatReg(_), to) => {
                let dest = emitter.source(to);
                if dest.kind() == OperandKind::Constant {
                    return Err(bad(opcode, 1));
                }
                emitter.operation::<floats::FloatStore>(FloatStore {
                    source: register(0)?,
                    dest,
                });
            }
            (from, _) => emitter.operation::<floats::FloatLoad>(FloatLoad {
                source: emitter.source(from),
                dest: register(1)?,
            }),
        },
        Opcode::Fconv => emitter.operation::<floats::FloatConvert>(FloatLoad {
            source: emitter.source(operands[0]),
            dest: register(1)?,
        }),
        // The first operand of these is a label that is no longer used.
        Opcode::Fnegate => emitter.operation::<floats::FloatNegate>(FloatUnary {
            source: register(1)?,
            dest: register(2)?,
        }),
        _ => {
            let words = FloatBinary {
                a: register(1)?,
                b: register(2)?,
                dest: register(3)?,
            };
            match opcode {
                Opcode::Fadd => emitter.operation::<floats::FloatAdd>(words),
                Opcode::Fsub => emitter.operation::<floats::FloatSubtract>(words),
                Opcode::Fmul => emitter.operation::<floats::FloatMultiply>(words),
                _ => emitter.operation::<floats::FloatDivide>(words),
            }
        }
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
            emitter.operation::<binaries::StartMatch>(StartMatch {
                term: term(emitter, 1),
                dest: term(emitter, 3),
                fail: label(operands[0]),
                live: value(2)?,
            });
        }
        Opcode::BsStartMatch4 => {
            emitter.operation::<binaries::StartMatch>(StartMatch {
                term: term(emitter, 2),
                dest: term(emitter, 3),
                // The atoms `no_fail` and `resume` mean that the term is known to be a bit string, or a match context.
                fail: label(operands[0]),
                live: value(1)?,
            });
        }
        Opcode::BsGetInteger2 => {
            let size = term(emitter, 3);
            let width = constant_width(size, value(4)?);
            let read = Flags::new(value(5)? as u32);
            let words = get_bits(emitter, opcode, operands)?;
            match width {
                Some(width) => get_integer(emitter, words, width, read),
                None => emitter.instruction(slow::binaries::get_integer, words),
            }
        }
        Opcode::BsGetFloat2 => {
            let words = get_bits(emitter, opcode, operands)?;
            emitter.instruction(slow::binaries::get_float, words);
        }
        Opcode::BsGetBinary2 => {
            let words = get_bits(emitter, opcode, operands)?;
            let is_rest = words.size.as_constant().is_some_and(bits::is_all);
            if is_rest && matches!(words.unit, 1 | 2 | 4 | 8) {
                emitter.operation::<binaries::GetRest>(words);
            } else {
                emitter.instruction(slow::binaries::get_binary, words);
            }
        }
        Opcode::BsSkipBits2 => {
            let (context, unit) = (term(emitter, 1), value(3)?);
            let size = size(emitter, operands[2]);
            let fail = label(operands[0]);
            if let Some(bits) = constant_width(size, unit) {
                emitter.operation::<binaries::SkipBits>(TestBits {
                    context,
                    fail,
                    bits,
                });
            } else {
                let words = SkipUnits {
                    context,
                    fail,
                    size,
                    unit,
                };
                emitter.instruction(slow::binaries::skip_bits, words);
            }
        }
        Opcode::BsTestTail2 | Opcode::BsTestUnit => {
            let (context, count) = (term(emitter, 1), value(2)?);
            if opcode == Opcode::BsTestUnit && count == 0 {
                return Err(bad(opcode, 2));
            }
            let words = TestBits {
                context,
                fail: label(operands[0]),
                bits: count,
            };
            match opcode {
                Opcode::BsTestTail2 => emitter.operation::<binaries::TestTail>(words),
                _ if count == 1 => (),
                _ if count.is_power_of_two() => {
                    let bits = count - 1;
                    emitter.operation::<binaries::TestPowerUnit>(TestBits { bits, ..words });
                }
                _ => emitter.operation::<binaries::TestUnit>(words),
            }
        }
        Opcode::BsMatchString => {
            let (context, bits) = (term(emitter, 1), value(2)?);
            let string = emitter
                .string(value(3)?, bits.div_ceil(8))
                .ok_or(bad(opcode, 3))?;
            if (1..=binaries::WINDOW_BITS).contains(&bits) {
                // SAFETY: the string has at least `bits` bits.
                let wanted = unsafe { term::bits::range::load(string, 0, bits as u32) };
                emitter.operation::<binaries::MatchBits>(MatchBits {
                    context,
                    fail: label(operands[0]),
                    width: bits,
                    mask: u64::MAX >> (64 - bits),
                    bits: wanted,
                });
                return Ok(());
            }
            let words = MatchString {
                context,
                fail: label(operands[0]),
                bits,
                string: string as u64,
            };
            emitter.instruction(slow::binaries::match_string, words);
        }
        Opcode::BsGetTail => {
            let words = GetTail {
                context: term(emitter, 0),
                dest: term(emitter, 1),
                live: value(2)?,
            };
            emitter.operation::<binaries::GetTail>(words);
        }
        Opcode::BsGetPosition => {
            emitter.operation::<binaries::GetPosition>(SourceDest {
                source: term(emitter, 0),
                dest: term(emitter, 1),
            });
        }
        Opcode::BsSetPosition => {
            let words = SetPosition {
                context: term(emitter, 0),
                position: term(emitter, 1),
            };
            emitter.operation::<binaries::SetPosition>(words);
        }
        _ => {
            let words = GetCharacter {
                context: term(emitter, 1),
                dest: match operands.get(4) {
                    Some(&to) => emitter.source(to),
                    None => Operand::constant(slow::binaries::NO_DEST),
                },
                fail: label(operands[0]),
                flags: value(3)?,
            };
            let handler = match opcode {
                Opcode::BsGetUtf8 => binaries::GetUtf8::handler(&words),
                Opcode::BsSkipUtf8 => slow::binaries::get_utf8,
                Opcode::BsGetUtf16 | Opcode::BsSkipUtf16 => slow::binaries::get_utf16,
                _ => slow::binaries::get_utf32,
            };
            emitter.instruction(handler, words);
        }
    }
    Ok(())
}

/// The size of a segment.
pub(super) fn size(emitter: &Emitter<'_>, operand: FileOperand) -> Operand {
    match emitter.constant(operand) {
        Some(am::ALL) => Operand::constant(bits::ALL),
        _ => emitter.source(operand),
    }
}

/// The size in bits, if it is constant.
fn constant_width(size: Operand, unit: u64) -> Option<u64> {
    let size = u64::try_from(size.as_constant()?.as_small()?).ok()?;
    size.checked_mul(unit)
}

/// `fail, context, live, size, unit, flags, dest`
fn get_bits(emitter: &Emitter<'_>, opcode: Opcode, operands: &[FileOperand]) -> Result<GetBits> {
    let value = |place: u8| number(operands[place as usize]).ok_or(bad(opcode, place));
    Ok(GetBits {
        context: emitter.source(operands[1]),
        size: size(emitter, operands[3]),
        dest: emitter.source(operands[6]),
        fail: label(operands[0]),
        live: value(2)?,
        unit: value(4)?,
        flags: value(5)?,
    })
}

/// An integer of constant size.
pub(super) fn get_integer(emitter: &mut Emitter<'_>, words: GetBits, width: u64, read: Flags) {
    let plain_flags = !read.is_little() && !read.is_signed();
    match width {
        8 if plain_flags => emitter.operation::<binaries::GetInteger8>(words),
        16 if plain_flags => emitter.operation::<binaries::GetInteger16>(words),
        32 if plain_flags => emitter.operation::<binaries::GetInteger32>(words),
        _ => match Window::of(width, read) {
            Some(window) => get_window(emitter, words, width, window),
            None => emitter.instruction(slow::binaries::get_integer, words),
        },
    }
}

/// How an integer is read whose bits fit into one window.
#[derive(Clone, Copy)]
pub(super) enum Window {
    Little,
    Signed,
    Unsigned,
}

impl Window {
    /// `None` for an integer that is read otherwise.
    pub(super) fn of(width: u64, read: Flags) -> Option<Window> {
        let fits = (1..=binaries::WINDOW_BITS).contains(&width);
        match (read.is_little(), read.is_signed()) {
            _ if !fits => None,
            (true, is_signed) => (width % 8 == 0 && !is_signed).then_some(Window::Little),
            (false, true) => Some(Window::Signed),
            (false, false) => Some(Window::Unsigned),
        }
    }

    /// The bits of the number, and the last operand of the operation that reads it.
    pub(super) fn mask_and_last(self, width: u64) -> (u64, u64) {
        let last = match self {
            Window::Little => 1 << (64 - width),
            Window::Signed => 1 << (width - 1),
            Window::Unsigned => 0,
        };
        (u64::MAX >> (64 - width), last)
    }
}

fn get_window(emitter: &mut Emitter<'_>, bits: GetBits, width: u64, kind: Window) {
    let (mask, last) = kind.mask_and_last(width);
    let window = GetWindow {
        context: bits.context,
        size: bits.size,
        dest: bits.dest,
        fail: bits.fail,
        live: bits.live,
        unit: bits.unit,
        flags: bits.flags,
        width,
        mask,
        last,
    };
    match kind {
        Window::Little => emitter.operation::<binaries::GetLittle>(window),
        Window::Signed => emitter.operation::<binaries::GetSigned>(window),
        Window::Unsigned => emitter.operation::<binaries::GetUnsigned>(window),
    }
}

/// The operations that build bit strings.
pub(super) fn build(emitter: &mut Emitter<'_>, opcode: Opcode, operands: &[FileOperand]) -> Result {
    let value = |place: u8| number(operands[place as usize]).ok_or(bad(opcode, place));
    let alloc = |place: u8| heap_bytes(operands[place as usize]).ok_or(bad(opcode, place));
    let fail = label(operands.first().copied().unwrap_or(FileOperand::Nil));
    match opcode {
        Opcode::BsCreateBin => segments::create(emitter, opcode, operands)?,
        Opcode::BsInit2 | Opcode::BsInitBits => {
            let words = Init {
                fail,
                live: value(3)?,
                dest: emitter.source(operands[5]),
                heap: alloc(2)?,
                size: number_or_source(emitter, operands[1]).ok_or(bad(opcode, 1))?,
                unit: if opcode == Opcode::BsInit2 { 8 } else { 1 },
            };
            emitter.instruction(slow::build::init, words);
        }
        Opcode::BsAppend => {
            let words = AppendTo {
                fail,
                live: value(3)?,
                dest: emitter.source(operands[7]),
                heap: alloc(2)?,
                size: emitter.source(operands[1]),
                unit: value(4)?,
                binary: emitter.source(operands[5]),
                private: 0,
            };
            emitter.instruction(slow::build::append_to, words);
        }
        Opcode::BsPrivateAppend => {
            let words = AppendTo {
                fail,
                live: 0,
                dest: emitter.source(operands[5]),
                heap: 0,
                size: emitter.source(operands[1]),
                unit: value(2)?,
                binary: emitter.source(operands[3]),
                private: 1,
            };
            emitter.instruction(slow::build::append_privately, words);
        }
        Opcode::BsInitWritable => emitter.instruction(slow::build::init_writable, Nothing {}),
        Opcode::BsPutInteger | Opcode::BsPutFloat | Opcode::BsPutBinary => {
            let body = match opcode {
                Opcode::BsPutInteger => slow::build::put_integer,
                Opcode::BsPutFloat => slow::build::put_float,
                _ => slow::build::put_binary,
            };
            let words = PutSegment {
                fail,
                value: emitter.source(operands[4]),
                size: size(emitter, operands[1]),
                unit: value(2)?,
                flags: value(3)?,
            };
            emitter.instruction(body, words);
        }
        Opcode::BsPutString => {
            let string = emitter.string(value(1)?, value(0)?).ok_or(bad(opcode, 1))?;
            let words = PutString {
                fail: 0,
                string: string as u64,
                length: value(0)?,
            };
            emitter.instruction(slow::build::put_string, words);
        }
        Opcode::BsPutUtf8 | Opcode::BsPutUtf16 | Opcode::BsPutUtf32 => {
            let body = match opcode {
                Opcode::BsPutUtf8 => slow::build::put_utf8,
                Opcode::BsPutUtf16 => slow::build::put_utf16,
                _ => slow::build::put_utf32,
            };
            let words = PutCharacter {
                fail,
                value: emitter.source(operands[2]),
                flags: value(1)?,
            };
            emitter.instruction(body, words);
        }
        Opcode::BsAdd => {
            let words = AddSizes {
                fail,
                a: emitter.source(operands[1]),
                b: emitter.source(operands[2]),
                unit: value(3)?,
                dest: emitter.source(operands[4]),
            };
            emitter.instruction(slow::build::add_sizes, words);
        }
        _ => {
            let words = SourceDest {
                source: emitter.source(operands[1]),
                dest: emitter.source(operands[2]),
            };
            let body = if opcode == Opcode::BsUtf8Size {
                slow::build::utf8_size
            } else {
                slow::build::utf16_size
            };
            emitter.instruction(body, words);
        }
    }
    Ok(())
}

pub(super) fn number_or_source(emitter: &Emitter<'_>, operand: FileOperand) -> Option<Operand> {
    match operand {
        FileOperand::Number(value) => {
            Term::try_small(i64::try_from(value).ok()?).map(Operand::constant)
        }
        other => Some(emitter.source(other)),
    }
}
