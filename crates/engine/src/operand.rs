//! Operands of instructions: their encoding as words, and their kinds as types.
//!
//! ```text
//! oooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo000  X register: its byte offset from the X base
//! oooooooooooooooooooooooooooooooooooooooooooooooooooooooooooo100  Y register: its byte offset from the stack pointer
//! ..............................................................tt  a constant, tt not 00: the term itself
//! ```
//!
//! Every operand word has this encoding, so [`Any`] can read all of them, and one slow path serves every variant of a
//! body. In a body specialised for a kind, decoding is free: the word of an X register is its offset, and that of a Y
//! register is its offset plus 4, which the processor's addressing mode subtracts at no cost.

use core::marker::PhantomData;

use layout::Term;
use layout::limits::ALL_X_REGISTERS;

use crate::encoding::{In, Out};
use crate::form::Form;
use crate::registers::Registers;

const Y_TAG: u64 = 0b100;

/// An encoded operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand(u64);

/// The kind of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OperandKind {
    X,
    Y,
    Constant,
}

impl Operand {
    #[must_use]
    pub(crate) const fn x(register: u16) -> Operand {
        Operand(register as u64 * 8)
    }

    #[must_use]
    pub(crate) const fn y(slot: u32) -> Operand {
        Operand(slot as u64 * 8 + Y_TAG)
    }

    /// # Panics
    /// If the term is the non-value.
    #[must_use]
    pub(crate) const fn constant(term: Term) -> Operand {
        assert!(term.bits() & 0b11 != 0);
        Operand(term.bits())
    }

    /// The operand that a word of an instruction encodes.
    #[must_use]
    pub(crate) const fn from_word(word: u64) -> Operand {
        Operand(word)
    }

    #[must_use]
    pub(crate) const fn word(self) -> u64 {
        self.0
    }

    #[must_use]
    pub(crate) const fn kind(self) -> OperandKind {
        if self.0 & 0b11 != 0 {
            OperandKind::Constant
        } else if self.0 & Y_TAG != 0 {
            OperandKind::Y
        } else {
            OperandKind::X
        }
    }

    /// Whether it is a constant other than a small integer.
    #[must_use]
    pub(crate) fn is_other_constant(self) -> bool {
        self.as_constant()
            .is_some_and(|constant| !constant.is_small())
    }

    /// The constant, if it is one.
    #[must_use]
    pub(crate) fn as_constant(self) -> Option<Term> {
        match self.kind() {
            // SAFETY: the operand was made from a term.
            OperandKind::Constant => Some(unsafe { Term::from_bits(self.0) }),
            OperandKind::X | OperandKind::Y => None,
        }
    }
}

/// What is known about a source where its instruction runs, beyond what the instruction itself says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) enum Knowledge {
    #[default]
    Nothing,
    /// It is a small integer.
    Small,
    /// It is a small integer, and the machine code before this one has passed it on.
    Passed,
}

/// A kind of operand that can be read.
pub(crate) trait Source {
    /// Whether it is always a small integer.
    const IS_SMALL: bool = false;
    /// Whether it is always a constant that is a small integer.
    const IS_SMALL_CONSTANT: bool = false;
    /// What must be known for an operand to be of this kind, and its kind where that is not known.
    const KNOWN: Knowledge = Knowledge::Nothing;
    type Unknown: Source;

    /// # Safety
    /// Operand word `I` is of this kind, and the register holds a term.
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term;
}

/// A kind of operand that can be written.
pub(crate) trait Dest {
    /// # Safety
    /// Operand word `I` is a register of this kind.
    unsafe fn write<F: Form, const I: usize>(m: &Registers<F>, value: Term);
}

/// An X register.
pub(crate) struct X;
/// A Y register.
pub(crate) struct Y;
/// A constant.
pub(crate) struct K;
/// A constant that is a small integer.
pub(crate) struct N;
/// Any kind, determined when the operand is read.
pub(crate) struct Any;
/// An operand of another kind, known to be a small integer; only in machine code.
pub(crate) struct Small<A>(PhantomData<A>);
/// The same, passed on by the machine code before; the operand has it as well.
pub(crate) struct Passed<A>(PhantomData<A>);

impl Source for X {
    type Unknown = X;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the word is the offset of an X register.
        unsafe { *x_register(m.x, F::word::<I>(m.ip)) }
    }
}

impl Dest for X {
    #[inline(always)]
    unsafe fn write<F: Form, const I: usize>(m: &Registers<F>, value: Term) {
        // SAFETY: the word is the offset of an X register.
        unsafe { *x_register(m.x, F::word::<I>(m.ip)) = value }
    }
}

impl Source for Y {
    type Unknown = Y;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the word is the tagged offset of a slot of the current frame.
        unsafe { *y_register(m.s, F::word::<I>(m.ip)) }
    }
}

impl Dest for Y {
    #[inline(always)]
    unsafe fn write<F: Form, const I: usize>(m: &Registers<F>, value: Term) {
        // SAFETY: the word is the tagged offset of a slot of the current frame.
        unsafe { *y_register(m.s, F::word::<I>(m.ip)) = value }
    }
}

impl Source for K {
    type Unknown = K;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the word is a term.
        unsafe { Term::from_bits(F::constant::<I>(m.ip)) }
    }
}

impl Source for N {
    const IS_SMALL: bool = true;
    const IS_SMALL_CONSTANT: bool = true;
    type Unknown = N;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the word is a term.
        unsafe { Term::from_bits(F::constant::<I>(m.ip)) }
    }
}

impl<A: Source> Source for Small<A> {
    const IS_SMALL: bool = true;
    const KNOWN: Knowledge = Knowledge::Small;
    type Unknown = A;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the caller's promise.
        unsafe { A::read::<F, I>(m) }
    }
}

impl<A: Source> Source for Passed<A> {
    const IS_SMALL: bool = true;
    const KNOWN: Knowledge = Knowledge::Passed;
    type Unknown = A;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the code before has passed a term on.
        unsafe { Term::from_bits(F::passed(m.ip)) }
    }
}

impl Source for Any {
    type Unknown = Any;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the word is an operand.
        unsafe { read(m.x, m.s, F::word::<I>(m.ip)) }
    }
}

impl Dest for Any {
    #[inline(always)]
    unsafe fn write<F: Form, const I: usize>(m: &Registers<F>, value: Term) {
        // SAFETY: the word is a register.
        unsafe { write(m.x, m.s, F::word::<I>(m.ip), value) }
    }
}

impl<A: Source> Source for In<A> {
    const IS_SMALL: bool = A::IS_SMALL;
    const IS_SMALL_CONSTANT: bool = A::IS_SMALL_CONSTANT;
    const KNOWN: Knowledge = A::KNOWN;
    type Unknown = A::Unknown;

    #[inline(always)]
    unsafe fn read<F: Form, const I: usize>(m: &Registers<F>) -> Term {
        // SAFETY: the caller's promise.
        unsafe { A::read::<F, I>(m) }
    }
}

impl<A: Dest> Dest for Out<A> {
    #[inline(always)]
    unsafe fn write<F: Form, const I: usize>(m: &Registers<F>, value: Term) {
        // SAFETY: the caller's promise.
        unsafe { A::write::<F, I>(m, value) }
    }
}

#[inline(always)]
fn x_register(x: *mut Term, word: u64) -> *mut Term {
    debug_assert!(word % 8 == 0 && word < 8 * ALL_X_REGISTERS as u64);
    x.wrapping_byte_add(word as usize)
}

#[inline(always)]
fn y_register(s: *mut Term, word: u64) -> *mut Term {
    debug_assert!(word % 8 == Y_TAG);
    s.wrapping_byte_add(word as usize)
        .wrapping_byte_sub(Y_TAG as usize)
}

/// The value of an operand word.
///
/// # Safety
/// `word` is an operand of the instruction that runs, and `x` and `s` are the machine's registers.
#[inline(always)]
#[must_use]
pub(crate) unsafe fn read(x: *mut Term, s: *mut Term, word: u64) -> Term {
    if word & 0b11 != 0 {
        // SAFETY: the word of a constant is the term itself.
        return unsafe { Term::from_bits(word) };
    }
    // SAFETY: the word names a register, which is in the X array or the current frame.
    unsafe { *register(x, s, word) }
}

/// Writes to a register operand.
///
/// # Safety
/// As for [`read`]; `word` names a register.
#[inline(always)]
pub(crate) unsafe fn write(x: *mut Term, s: *mut Term, word: u64, value: Term) {
    // SAFETY: the word names a register, which is in the X array or the current frame.
    unsafe { *register(x, s, word) = value }
}

#[inline(always)]
fn register(x: *mut Term, s: *mut Term, word: u64) -> *mut Term {
    let base = if word & Y_TAG != 0 { s } else { x };
    base.wrapping_byte_add((word & !0b111) as usize)
}
