//! Building bit strings of whole bytes, segment by segment. The code generator chooses these operations by the segments
//! of a `bs_create_bin` whose sizes are known when the code is loaded, and puts them in front of the general operation
//! (`slow::build::create`), which they jump to whenever something is not as expected: a value of another type, no
//! room. Until the last of them nothing has changed that anyone can see, so the general operation starts afresh.
//!
//! Between the first operation and the last there is no safepoint. Meanwhile `Context::builder` holds the address to
//! write to and the end of the room. Segments before one of variable length are at constant offsets from that address;
//! such a segment moves the address behind itself.
//!
//! A new binary is built where the next object of the heap will be; its header is written last. One that is appended to
//! has room in its block, behind the bytes that count as used, and the use is recorded last.
#![allow(clippy::undocumented_unsafe_blocks)]

use layout::heap::flag;
use layout::limits::HEAP_BINARY_BYTES;
use layout::object::offset;
use layout::{Header, ObjectKind, Term};

use super::binaries::{BINARY_SIZE, HEAP_BINARY, SHARED_BINARY, word};
use super::builder::{
    GATHERED, HEAP_BINARY_HEAD, SHIFTED, SUB_BINARY, SUB_BINARY_BYTES, bytes_of, extend, in_place,
    lengthen, limit, position, set_limit, set_position, successor, writable,
};
use super::tags::{KIND_MASK, boxed, header_of};
use crate::form::Form;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

const FLOAT: u64 = Header::new(ObjectKind::Float, 1).0;

/// Copies up to 32 bytes, without a call and without touching others.
#[inline(always)]
unsafe fn copy_few(from: *const u8, to: *mut u8, length: u64) {
    unsafe {
        let end = length as usize;
        macro_rules! both_ends {
            ($type:ty) => {{
                // One after the other: fewer registers are needed.
                to.cast::<$type>()
                    .write_unaligned(from.cast::<$type>().read_unaligned());
                let last = end.wrapping_sub(size_of::<$type>());
                let word = from.wrapping_add(last).cast::<$type>().read_unaligned();
                to.wrapping_add(last).cast::<$type>().write_unaligned(word);
            }};
        }
        if end >= 16 {
            both_ends!(u128)
        } else if end >= 8 {
            both_ends!(u64)
        } else if end >= 4 {
            both_ends!(u32)
        } else if end >= 2 {
            both_ends!(u16)
        } else if end == 1 {
            *to = *from;
        }
    }
}

/// Begins a binary of up to `HEAP_BINARY_BYTES` bytes. They are zeroed, since the padding is zero.
#[inline(always)]
unsafe fn start_measured<F: Form>(m: &Registers<F>) {
    unsafe {
        let bytes = m.h.wrapping_byte_add(HEAP_BINARY_HEAD as usize);
        bytes
            .cast::<[u64; HEAP_BINARY_BYTES / 8]>()
            .write([0; HEAP_BINARY_BYTES / 8]);
        set_position(m, bytes.cast());
        set_limit(m, bytes.cast::<u8>().wrapping_add(HEAP_BINARY_BYTES));
    }
}

operations! {
    /// Begins a new binary on the heap, if that has room for this many bytes.
    StartBinary: P |m, o: StartBinary| {
        if !m.has_room(m.word(o.bytes)) {
            return m.jump(o.fail);
        }
        set_position(&m, m.h.cast::<u8>().wrapping_add(HEAP_BINARY_HEAD as usize));
        m.next(o.end)
    }

    /// As `StartBinary`, for a size that is not known.
    StartMeasuredBinary: P |m, o: StartBinary| {
        if !m.has_room(m.word(o.bytes)) {
            return m.jump(o.fail);
        }
        start_measured(&m);
        m.next(o.end)
    }

    /// As `StartMeasuredBinary`, for one that has all bytes of a binary, if these are at most `most`. For others the
    /// segments before them need not be written.
    StartBinaryAround: S |m, o: StartBinaryAround| {
        let inner = m.get(o.inner);
        let kind = header_of(inner) & KIND_MASK;
        if !(kind == HEAP_BINARY || kind == SHARED_BINARY || kind == SUB_BINARY & KIND_MASK)
            || *word(inner, BINARY_SIZE) > m.word(o.most)
            || !m.has_room(m.word(o.bytes))
        {
            return m.jump(o.fail);
        }
        start_measured(&m);
        m.next(o.end)
    }

    /// Begins to append to a string, if its block has room for this many bytes, and the heap for what is needed.
    StartAppend: S |m, o: StartAppend| {
        let Some(string) = writable(m.get(o.string)) else {
            return m.jump(o.fail);
        };
        let heap = &raw const (*(*m.c).process).heap;
        // Room is not all that a collection gives back: the general operation makes the one that is due.
        if string.used + m.word(o.most) > string.capacity
            || !m.has_room(m.word(o.bytes))
            || (*heap).flags & flag::FORCE != 0
        {
            return m.jump(o.fail);
        }
        set_position(&m, string.bytes.wrapping_add(string.used as usize));
        set_limit(&m, string.bytes.wrapping_add(string.capacity as usize));
        m.next(o.end)
    }

    /// Completes a new binary of constant size.
    EndBinary: D |m, o: EndBinary| {
        let object = m.h;
        object.write(m.word(o.header));
        object.add(1).write(m.word(o.size));
        m.h = object.wrapping_byte_add(m.word(o.bytes) as usize);
        m.put(o.dest, boxed(object));
        m.jump(o.done)
    }

    /// Completes a new binary that ends at an offset from the position.
    EndMeasuredBinary: D |m, o: EndBytes| {
        let object = m.h;
        let bytes = object.add(2).cast::<u8>();
        let size = (position(&m) as u64).wrapping_add(m.word(o.offset)).wrapping_sub(bytes as u64);
        let words = (size + 7) >> 3;
        object.write(HEAP_BINARY | (words + 1) << 6);
        object.add(1).write(size);
        m.h = object.add(2).wrapping_add(words as usize);
        m.put(o.dest, boxed(object));
        m.jump(o.done)
    }

    /// Completes a string that was appended to, which ends at an offset from the position.
    EndAppend: SD |m, o: EndAppend| {
        let string = m.get(o.string);
        let whole = Term::from_bits(*word(string, offset::SUB_BINARY_WHOLE));
        let start = *word(whole, offset::SHARED_BINARY_BYTES);
        let size = (position(&m) as u64).wrapping_add(m.word(o.offset)).wrapping_sub(start);
        // As in OTP, a string to which nothing was appended is itself what was built.
        if size == *word(string, offset::SUB_BINARY_SIZE) {
            m.put(o.dest, string);
            return m.jump(o.done);
        }
        let part = successor(string, whole, m.h, size);
        m.h = m.h.wrapping_byte_add(SUB_BINARY_BYTES as usize);
        m.put(o.dest, part);
        extend(&raw mut (*(*m.c).process).heap, whole, size);
        m.jump(o.done)
    }

    /// As `EndAppend`, for a string that only this code refers to: it gets longer itself.
    EndPrivateAppend: SD |m, o: EndAppend| {
        let string = m.get(o.string);
        let whole = Term::from_bits(*word(string, offset::SUB_BINARY_WHOLE));
        let start = *word(whole, offset::SHARED_BINARY_BYTES);
        let size = (position(&m) as u64).wrapping_add(m.word(o.offset)).wrapping_sub(start);
        lengthen(string, size);
        m.put(o.dest, string);
        extend(&raw mut (*(*m.c).process).heap, whole, size);
        m.jump(o.done)
    }

    /// Appends the low bits of an integer to those in `GATHERED`, which it multiplies by `factor` to make place; a
    /// factor of 0 drops them.
    Gather: S |m, o: Gather| {
        let value = m.get(o.source);
        if !m.is_small(o.source, value) {
            return m.jump(o.fail);
        }
        let gathered = m.x.add(GATHERED as usize);
        let before = ((*gathered).bits() >> 4).wrapping_mul(m.wide(o.factor));
        let bits = before | value.bits() >> 4 & m.wide(o.mask);
        *gathered = Term::from_bits(bits << 4 | Term::small(0).bits());
        m.next(o.end)
    }

    /// The low bits of an integer, times `factor`: the first of those in `GATHERED`, when the place of each is known.
    /// The mask leaves no bit of the tag.
    GatherFirst: S |m, o: Gather| {
        let value = m.get(o.source);
        if !m.is_small(o.source, value) {
            return m.jump(o.fail);
        }
        let bits = in_place(value, m.wide(o.mask), m.wide(o.factor));
        *m.x.add(GATHERED as usize) = Term::from_bits(bits | Term::small(0).bits());
        m.next(o.end)
    }

    /// Adds the next ones. They wait for those before them only at the end.
    GatherNext: S |m, o: Gather| {
        let value = m.get(o.source);
        if !m.is_small(o.source, value) {
            return m.jump(o.fail);
        }
        let bits = in_place(value, m.wide(o.mask), m.wide(o.factor));
        let gathered = m.x.add(GATHERED as usize);
        *gathered = Term::from_bits((*gathered).bits() | bits);
        m.next(o.end)
    }

    /// As `GatherFirst`, of the first two integers.
    GatherFirstTwo: SS |m, o: GatherTwo| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.jump(o.fail);
        }
        let a = in_place(a, m.wide(o.mask_a), m.wide(o.factor_a));
        let b = in_place(b, m.wide(o.mask_b), m.wide(o.factor_b));
        *m.x.add(GATHERED as usize) = Term::from_bits(a | b | Term::small(0).bits());
        m.next(o.end)
    }

    /// As `GatherNext`, of two integers: what was gathered passes through memory half as often.
    GatherNextTwo: SS |m, o: GatherTwo| {
        let (a, b) = (m.get(o.a), m.get(o.b));
        if !m.both_small((o.a, a), (o.b, b)) {
            return m.jump(o.fail);
        }
        let a = in_place(a, m.wide(o.mask_a), m.wide(o.factor_a));
        let b = in_place(b, m.wide(o.mask_b), m.wide(o.factor_b));
        let gathered = m.x.add(GATHERED as usize);
        *gathered = Term::from_bits((*gathered).bits() | (a | b));
        m.next(o.end)
    }

    /// The higher bits of an integer, for a piece of it.
    ShiftRight: S |m, o: PutValue| {
        let value = m.get(o.source);
        if !m.is_small(o.source, value) {
            return m.jump(o.fail);
        }
        let shifted = value.small_value() >> (m.word(o.offset) & 63);
        *m.x.add(SHIFTED as usize) = Term::small(shifted);
        m.next(o.end)
    }

    /// A character in UTF-8; those of more than one byte are left to the slow path.
    PutUtf8: S |m, o: PutValue| {
        let value = m.get(o.source);
        let to = position(&m).wrapping_add(m.word(o.offset) as usize);
        if !value.is_small() || value.bits() >= Term::small(0x80).bits() {
            return m.slow(o, slow::build::utf8_segment);
        }
        to.write((value.bits() >> 4) as u8);
        set_position(&m, to.wrapping_add(1));
        m.next(o.end)
    }

    /// All bytes of a binary; many are left to the slow path, which finds the position behind them. `rest` bytes must
    /// fit there.
    PutBytes: S |m, o: PutBytes| {
        let Some((bytes, size)) = bytes_of(m.get(o.source)) else {
            return m.jump(o.fail);
        };
        let to = position(&m).wrapping_add(m.word(o.offset) as usize);
        let end = to.wrapping_add(size as usize);
        set_position(&m, end);
        if end.wrapping_add(m.word(o.rest) as usize) > limit(&m) {
            return m.jump(o.fail);
        }
        if size > 32 {
            return m.slow(o, slow::build::bytes_segment);
        }
        copy_few(bytes, to, size);
        m.next(o.end)
    }

    /// Constant bytes: eight of them.
    PutConstant64: P |m, o: PutConstantWord| {
        let to = position(&m).wrapping_add(m.word(o.offset) as usize);
        to.cast::<u64>().write_unaligned(m.wide(o.value));
        m.next(o.end)
    }
}

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident $type:ty;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: P |m, o: PutConstant| {
                    let to = position(&m).wrapping_add(m.word(o.offset) as usize);
                    to.cast::<$type>().write_unaligned(m.word(o.value) as $type);
                    m.next(o.end)
                }
            )*
        }
    };
}

constants! {
    /// A constant byte.
    PutConstant8 u8;
    /// Two constant bytes.
    PutConstant16 u16;
    /// Four constant bytes.
    PutConstant32 u32;
}

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident |$to:ident, $bits:ident| $store:expr;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: S |m, o: PutValue| {
                    let value = m.get(o.source);
                    if !m.is_small(o.source, value) {
                        return m.jump(o.fail);
                    }
                    let $to = position(&m).wrapping_add(m.word(o.offset) as usize);
                    let $bits = value.small_value();
                    $store;
                    m.next(o.end)
                }
            )*
        }
    };
}

integers! {
    /// The low bits of an integer.
    PutInteger8 |to, bits| to.write(bits as u8);
    /// As `PutInteger8`, big-endian
    PutInteger16 |to, bits| to.cast::<u16>().write_unaligned((bits as u16).to_be());
    /// As `PutInteger8`: three bytes, big-endian
    PutInteger24 |to, bits| {
        to.cast::<u16>().write_unaligned(((bits >> 8) as u16).to_be());
        to.wrapping_add(2).write(bits as u8);
    };
    /// As `PutInteger8`, big-endian
    PutInteger32 |to, bits| to.cast::<u32>().write_unaligned((bits as u32).to_be());
    /// As `PutInteger8`, big-endian
    PutInteger64 |to, bits| to.cast::<u64>().write_unaligned((bits as u64).to_be());
    /// As `PutInteger8`, little-endian
    PutInteger16Little |to, bits| to.cast::<u16>().write_unaligned((bits as u16).to_le());
    /// As `PutInteger8`: three bytes, little-endian
    PutInteger24Little |to, bits| {
        to.cast::<u16>().write_unaligned((bits as u16).to_le());
        to.wrapping_add(2).write((bits >> 16) as u8);
    };
    /// As `PutInteger8`, little-endian
    PutInteger32Little |to, bits| to.cast::<u32>().write_unaligned((bits as u32).to_le());
    /// As `PutInteger8`, little-endian
    PutInteger64Little |to, bits| to.cast::<u64>().write_unaligned((bits as u64).to_le());
}

macro_rules! floats {
    ($($(#[$doc:meta])* $name:ident $float:ty, $order:ident;)*) => {
        operations! {
            $(
                $(#[$doc])*
                $name: S |m, o: PutValue| {
                    let value = m.get(o.source);
                    // Rounded only once, if at all.
                    let number = if header_of(value) == FLOAT {
                        f64::from_bits(*word(value, 0)) as $float
                    } else if value.is_small() {
                        value.small_value() as $float
                    } else {
                        return m.jump(o.fail);
                    };
                    let to = position(&m).wrapping_add(m.word(o.offset) as usize);
                    let bits = number.to_bits().$order();
                    to.cast::<[u8; size_of::<$float>()]>().write_unaligned(bits.to_ne_bytes());
                    m.next(o.end)
                }
            )*
        }
    };
}

floats! {
    /// A number as a float.
    PutFloat32 f32, to_be;
    /// As `PutFloat32`
    PutFloat64 f64, to_be;
    /// As `PutFloat32`, little-endian
    PutFloat32Little f32, to_le;
    /// As `PutFloat32`, little-endian
    PutFloat64Little f64, to_le;
}
