//! Maps, floats and bit strings.

use beamfile::{Generic, Operand as FileOperand, Operation as FileOperation};
use layout::Term;
use spec::Opcode;
use term::bits::{self, Flags};
use term::map as term_map;

use super::convert::{heap_bytes, number_or_source, size};
use super::emit::{Emitter, label};
use super::error::{Result, bad};
use crate::bodies::{binaries, floats, maps};
use crate::encoding::{
    AppendTo, Comparison, FloatLoad, FloatStore, FloatUnary, GetBits, GetCharacter, GetMapElement,
    GetMapElementOf, GetMapElements, GetWindow, Init, MatchBits, MatchString, NewMap, PutMap,
    PutString, SkipUnits, StartMatch, TestBits,
};
use crate::operand::{Operand, OperandKind};
use crate::slow;

/// The operations on maps. Returns whether this is one.
pub(super) fn map(
    emitter: &mut Emitter<'_>,
    operation: &FileOperation,
    generic: Generic<'_>,
) -> bool {
    match generic {
        Generic::PutMapAssoc {
            fail,
            map,
            dest,
            live,
            pairs,
        }
        | Generic::PutMapExact {
            fail,
            map,
            dest,
            live,
            pairs,
        } => {
            if new_map(emitter, operation, dest, pairs, live) {
                return true;
            }
            let words = PutMap {
                map: emitter.source(map),
                dest: emitter.source(dest),
                fail,
                live,
                exact: u64::from(operation.opcode == Opcode::PutMapExact),
                count: pairs.len() as u64 / 2,
            };
            // A field may be there already; other keys are mostly new.
            match words.exact == 1 || are_immediates(emitter, pairs) {
                true => emitter.operation::<maps::UpdateMap>(words),
                false => emitter.instruction(slow::maps::put_map, words),
            }
            more(emitter, pairs);
        }
        Generic::HasMapFields { fail, map, keys } => {
            let map = emitter.source(map);
            has_map_fields(emitter, map, fail, keys);
        }
        Generic::GetMapElements { fail, map, pairs } => {
            let map = emitter.source(map);
            get_map_elements(emitter, map, fail, pairs);
        }
        _ => return false,
    }
    true
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
    operation: &FileOperation,
    dest: FileOperand,
    pairs: &[FileOperand],
    live: u64,
) -> bool {
    let keys = (operation.opcode == Opcode::PutMapAssoc)
        .then(|| (emitter.module.map_keys)(operation))
        .flatten();
    let Some(keys) = keys else {
        return false;
    };
    let given: Option<Vec<Term>> = pairs
        .chunks_exact(2)
        .map(|pair| emitter.constant(pair[0]))
        .collect();
    let Some(order) = given.and_then(|given| term_map::sorted_keys(&given)) else {
        return false;
    };
    let dest = emitter.source(dest);
    emitter.operation::<maps::NewMap>(NewMap {
        bytes: maps::bytes_of_flat(order.len()),
        live,
        dest,
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

/// Whether a key is likely to be an immediate: a constant one, or any that is not a constant. Others are often the
/// constants of a pattern, and adjacent in a map.
fn may_be_immediate(key: Operand) -> bool {
    key.as_constant().is_none_or(Term::is_immediate)
}

/// Looks keys that may be immediates up one by one; this requires that no lookup but the last overwrites the map's
/// register, nor that of a later key.
fn get_map_elements(emitter: &mut Emitter<'_>, map: Operand, fail: u32, pairs: &[FileOperand]) {
    let operands: Vec<Operand> = pairs
        .iter()
        .map(|&operand| emitter.source(operand))
        .collect();
    let pairs = operands.as_chunks::<2>().0;
    let is_simple = |(index, &[key, dest]): (usize, &[Operand; 2])| {
        let mut later = pairs[index + 1..].iter();
        may_be_immediate(key)
            && (dest != map || index + 1 == pairs.len())
            && later.all(|&[key, _]| key != dest)
    };
    if !pairs.iter().enumerate().all(is_simple) {
        let count = pairs.len() as u64;
        let words = GetMapElements { map, fail, count };
        emitter.instruction(slow::maps::get_map_elements, words);
        emitter.more(operands);
        return;
    }
    for &[key, dest] in pairs {
        match key.as_constant() {
            Some(key) => emitter.operation::<maps::GetMapElement>(GetMapElement {
                map,
                dest,
                key,
                fail,
            }),
            None => emitter.operation::<maps::GetMapElementOf>(GetMapElementOf {
                map,
                key,
                dest,
                fail,
            }),
        }
    }
}

/// Tests keys that may be immediates one by one.
fn has_map_fields(emitter: &mut Emitter<'_>, map: Operand, fail: u32, keys: &[FileOperand]) {
    let keys: Vec<Operand> = keys.iter().map(|&key| emitter.source(key)).collect();
    if !keys.iter().all(|&key| may_be_immediate(key)) {
        let count = keys.len() as u64;
        emitter.instruction(
            slow::maps::has_map_fields,
            GetMapElements { map, fail, count },
        );
        return emitter.more(keys);
    }
    for key in keys {
        emitter.operation::<maps::HasMapField>(Comparison {
            a: map,
            b: key,
            fail,
        });
    }
}

/// The moves of floats. Returns whether this is one.
pub(super) fn float(emitter: &mut Emitter<'_>, generic: Generic<'_>) -> Result<bool> {
    let Generic::Fmove { source, dest } = generic else {
        return Ok(false);
    };
    let offset = |register: u32| u64::from(register) * 8;
    match (source, dest) {
        (FileOperand::FloatReg(source), FileOperand::FloatReg(dest)) => {
            let (source, dest) = (offset(source), offset(dest));
            emitter.operation::<floats::FloatCopy>(FloatUnary { source, dest });
        }
        (FileOperand::FloatReg(source), dest) => {
            let (source, dest) = (offset(source), emitter.source(dest));
            if dest.kind() == OperandKind::Constant {
                return Err(bad(Opcode::Fmove, "dest"));
            }
            emitter.operation::<floats::FloatStore>(FloatStore { source, dest });
        }
        (source, FileOperand::FloatReg(dest)) => {
            let (source, dest) = (emitter.source(source), offset(dest));
            emitter.operation::<floats::FloatLoad>(FloatLoad { source, dest });
        }
        _ => return Err(bad(Opcode::Fmove, "dest")),
    }
    Ok(true)
}

/// The operations that match bit strings. Returns whether this is one.
pub(super) fn matching(emitter: &mut Emitter<'_>, generic: Generic<'_>) -> Result<bool> {
    match generic {
        Generic::BsStartMatch4 {
            fail,
            live,
            term,
            dest,
        } => {
            let words = StartMatch {
                term: emitter.source(term),
                dest: emitter.source(dest),
                // The atoms `no_fail` and `resume` mean that the term is known to be a bit string, or a match context.
                fail: label(fail),
                live,
            };
            emitter.operation::<binaries::StartMatch>(words);
        }
        Generic::BsGetInteger2 {
            fail,
            context,
            live,
            size,
            unit,
            flags,
            dest,
        } => {
            let words = get_bits(emitter, (fail, live, unit, flags), context, size, dest);
            match constant_width(emitter.source(size), unit) {
                Some(width) => get_integer(emitter, words, width, Flags::new(flags as u32)),
                None => emitter.instruction(slow::binaries::get_integer, words),
            }
        }
        Generic::BsGetFloat2 {
            fail,
            context,
            live,
            size,
            unit,
            flags,
            dest,
        } => {
            let words = get_bits(emitter, (fail, live, unit, flags), context, size, dest);
            emitter.instruction(slow::binaries::get_float, words);
        }
        Generic::BsGetBinary2 {
            fail,
            context,
            live,
            size,
            unit,
            flags,
            dest,
        } => {
            let words = get_bits(emitter, (fail, live, unit, flags), context, size, dest);
            let is_rest = words.size.as_constant().is_some_and(bits::is_all);
            if is_rest && matches!(words.unit, 1 | 2 | 4 | 8) {
                emitter.operation::<binaries::GetRest>(words);
            } else {
                emitter.instruction(slow::binaries::get_binary, words);
            }
        }
        Generic::BsSkipBits2 {
            fail,
            context,
            size: units,
            unit,
            ..
        } => {
            let context = emitter.source(context);
            let size = size(emitter, units);
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
        Generic::BsTestUnit {
            fail,
            context,
            unit,
        } => {
            let words = |bits| TestBits {
                context: emitter.source(context),
                fail,
                bits,
            };
            match unit {
                0 => return Err(bad(Opcode::BsTestUnit, "unit")),
                1 => (),
                _ if unit.is_power_of_two() => {
                    let words = words(unit - 1);
                    emitter.operation::<binaries::TestPowerUnit>(words);
                }
                _ => {
                    let words = words(unit);
                    emitter.operation::<binaries::TestUnit>(words);
                }
            }
        }
        Generic::BsMatchString {
            fail,
            context,
            bits,
            string,
        } => {
            let context = emitter.source(context);
            let string = emitter
                .string(string, bits.div_ceil(8))
                .ok_or(bad(Opcode::BsMatchString, "string"))?;
            if (1..=binaries::WINDOW_BITS).contains(&bits) {
                // SAFETY: the string has at least `bits` bits.
                let wanted = unsafe { term::bits::range::load(string, 0, bits as u32) };
                emitter.operation::<binaries::MatchBits>(MatchBits {
                    context,
                    fail,
                    width: bits,
                    mask: u64::MAX >> (64 - bits),
                    bits: wanted,
                });
                return Ok(true);
            }
            let words = MatchString {
                context,
                fail,
                bits,
                string: string as u64,
            };
            emitter.instruction(slow::binaries::match_string, words);
        }
        Generic::BsGetUtf8 {
            fail,
            context,
            flags,
            dest,
            ..
        } => {
            let words = character(emitter, fail, context, flags, Some(dest));
            emitter.operation::<binaries::GetUtf8>(words);
        }
        Generic::BsGetUtf16 {
            fail,
            context,
            flags,
            dest,
            ..
        } => {
            let words = character(emitter, fail, context, flags, Some(dest));
            emitter.instruction(slow::binaries::get_utf16, words);
        }
        Generic::BsGetUtf32 {
            fail,
            context,
            flags,
            dest,
            ..
        } => {
            let words = character(emitter, fail, context, flags, Some(dest));
            emitter.instruction(slow::binaries::get_utf32, words);
        }
        Generic::BsSkipUtf16 {
            fail,
            context,
            flags,
            ..
        } => {
            let words = character(emitter, fail, context, flags, None);
            emitter.instruction(slow::binaries::get_utf16, words);
        }
        Generic::BsSkipUtf32 {
            fail,
            context,
            flags,
            ..
        } => {
            let words = character(emitter, fail, context, flags, None);
            emitter.instruction(slow::binaries::get_utf32, words);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The words of an operation that reads a character, or skips it if there is no destination.
fn character(
    emitter: &Emitter<'_>,
    fail: u32,
    context: FileOperand,
    flags: u64,
    dest: Option<FileOperand>,
) -> GetCharacter {
    GetCharacter {
        context: emitter.source(context),
        dest: match dest {
            Some(dest) => emitter.source(dest),
            None => Operand::constant(slow::binaries::NO_DEST),
        },
        fail,
        flags,
    }
}

/// The size in bits, if it is constant.
fn constant_width(size: Operand, unit: u64) -> Option<u64> {
    let size = u64::try_from(size.as_constant()?.as_small()?).ok()?;
    size.checked_mul(unit)
}

/// The words of an operation that takes a segment.
fn get_bits(
    emitter: &Emitter<'_>,
    (fail, live, unit, flags): (u32, u64, u64, u64),
    context: FileOperand,
    units: FileOperand,
    dest: FileOperand,
) -> GetBits {
    GetBits {
        context: emitter.source(context),
        size: size(emitter, units),
        dest: emitter.source(dest),
        fail,
        live,
        unit,
        flags,
    }
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

/// The older operations that build bit strings. Returns whether this is one.
pub(super) fn build(emitter: &mut Emitter<'_>, generic: Generic<'_>) -> Result<bool> {
    match generic {
        Generic::BsInit2 {
            fail,
            size,
            heap,
            live,
            dest,
            ..
        } => init(emitter, Opcode::BsInit2, 8, (fail, size, heap, live, dest))?,
        Generic::BsInitBits {
            fail,
            size,
            heap,
            live,
            dest,
            ..
        } => init(
            emitter,
            Opcode::BsInitBits,
            1,
            (fail, size, heap, live, dest),
        )?,
        Generic::BsAppend {
            fail,
            size,
            heap,
            live,
            unit,
            binary,
            dest,
            ..
        } => {
            let words = AppendTo {
                fail,
                live,
                dest: emitter.source(dest),
                heap: heap_bytes(emitter, heap).ok_or(bad(Opcode::BsAppend, "heap"))?,
                size: emitter.source(size),
                unit,
                binary: emitter.source(binary),
                private: 0,
            };
            emitter.instruction(slow::build::append_to, words);
        }
        Generic::BsPrivateAppend {
            fail,
            size,
            unit,
            binary,
            dest,
            ..
        } => {
            let words = AppendTo {
                fail,
                live: 0,
                dest: emitter.source(dest),
                heap: 0,
                size: emitter.source(size),
                unit,
                binary: emitter.source(binary),
                private: 1,
            };
            emitter.instruction(slow::build::append_privately, words);
        }
        Generic::BsPutString { length, string } => {
            let string = emitter
                .string(string, length)
                .ok_or(bad(Opcode::BsPutString, "string"))?;
            let words = PutString {
                fail: 0,
                string: string as u64,
                length,
            };
            emitter.instruction(slow::build::put_string, words);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// `bs_init2` and `bs_init_bits`, whose sizes have different units.
fn init(
    emitter: &mut Emitter<'_>,
    opcode: Opcode,
    unit: u64,
    (fail, size, heap, live, dest): (u32, FileOperand, FileOperand, u64, FileOperand),
) -> Result {
    let words = Init {
        fail,
        live,
        dest: emitter.source(dest),
        heap: heap_bytes(emitter, heap).ok_or(bad(opcode, "heap"))?,
        size: number_or_source(emitter, size).ok_or(bad(opcode, "size"))?,
        unit,
    };
    emitter.instruction(slow::build::init, words);
    Ok(())
}
