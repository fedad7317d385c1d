//! The machine's registers as a body sees them.
//!
//! | register | holds |
//! |---|---|
//! | `x` | address of X register 0, in the context |
//! | `s` | the stack pointer: the word pushed last; a frame's Y register 0 |
//! | `h` | the next free word of the heap |
//! | `f` | reductions left |
//! | `c` | the scheduler's context |
//! | `ip` | the running instruction |
//!
//! While bodies run, `h`, `s` and `f` are newer than their fields in the process and the context. [`Registers::save`]
//! writes them back and [`Registers::load`] reads them again; other code may be called only between the two.

use core::marker::PhantomData;

use layout::heap::is_return_address;
use layout::limits::STACK_RESERVE_WORDS;
use layout::{Context, Export, RuntimeTable, Term};

use crate::encoding::{At, BeginsWith, End, ExportRef, Label, Nothing, Operands, PlainWord, Wide};
use crate::form::{Exit, Form};
use crate::operand::{Dest, Knowledge, Operand, Source};
use crate::operation::HandlerOf;

/// The six registers, for one form of the code.
#[derive(Clone, Copy)]
pub(crate) struct Registers<F: Form> {
    pub x: *mut Term,
    pub s: *mut Term,
    pub h: *mut u64,
    pub f: i64,
    pub c: *mut Context,
    pub ip: *const u64,
    form: PhantomData<F>,
}

/// All functions share one contract: the machine runs the instruction at `ip`, whose encoding has the
/// operands that the call names.
#[allow(clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]
impl<F: Form> Registers<F> {
    #[inline(always)]
    pub(crate) fn new(
        x: *mut Term,
        s: *mut Term,
        h: *mut u64,
        f: i64,
        c: *mut Context,
        ip: *const u64,
    ) -> Self {
        Registers {
            x,
            s,
            h,
            f,
            c,
            ip,
            form: PhantomData,
        }
    }

    /// An operand word, uninterpreted.
    #[inline(always)]
    pub(crate) unsafe fn word<T: PlainWord, const I: usize>(&self, _: At<T, I>) -> u64 {
        unsafe { F::word::<I>(self.ip) }
    }

    /// A source operand itself, not its value.
    #[inline(always)]
    pub(crate) unsafe fn operand<A: Source, const I: usize>(&self, _: At<A, I>) -> Operand {
        unsafe { Operand::from_word(F::wide::<I>(self.ip)) }
    }

    /// An operand word that may have any 64-bit value.
    #[inline(always)]
    pub(crate) unsafe fn wide<const I: usize>(&self, _: At<Wide, I>) -> u64 {
        unsafe { F::wide::<I>(self.ip) }
    }

    /// An export.
    #[inline(always)]
    pub(crate) unsafe fn export<const I: usize>(&self, _: At<ExportRef, I>) -> *const Export {
        unsafe { F::wide::<I>(self.ip) as *const Export }
    }

    /// The address of an operand word; that of `end` is the address of the words that follow the named operands.
    #[inline(always)]
    pub(crate) unsafe fn words<T, const I: usize>(&self, _: At<T, I>) -> *const u64 {
        unsafe { F::words::<I>(self.ip) }
    }

    /// The value of an operand.
    #[inline(always)]
    pub(crate) unsafe fn get<A: Source, const I: usize>(&self, _: At<A, I>) -> Term {
        let value = unsafe { A::read::<F, I>(self) };
        debug_assert!(is_term(value), "a register without a term");
        debug_assert!(!A::IS_SMALL || value.is_small());
        value
    }

    /// Whether two operands, whose values are given too, are small integers.
    #[inline(always)]
    pub(crate) fn both_small<A: Source, B: Source, const I: usize, const J: usize>(
        &self,
        (_, a): (At<A, I>, Term),
        (_, b): (At<B, J>, Term),
    ) -> bool {
        match (A::IS_SMALL, B::IS_SMALL) {
            (true, true) => true,
            (true, _) => b.is_small(),
            (_, true) => a.is_small(),
            _ => Term::both_small(a, b),
        }
    }

    /// Whether an operand, whose value is given too, is a small integer.
    #[inline(always)]
    pub(crate) fn is_small<A: Source, const I: usize>(&self, _: At<A, I>, value: Term) -> bool {
        A::IS_SMALL || value.is_small()
    }

    /// Whether an operand is always a constant that is a small integer.
    #[inline(always)]
    pub(crate) fn is_small_constant<A: Source, const I: usize>(&self, _: At<A, I>) -> bool {
        A::IS_SMALL_CONSTANT
    }

    /// Whether an operand was passed on by the machine code before.
    #[inline(always)]
    pub(crate) fn is_passed<A: Source, const I: usize>(&self, _: At<A, I>) -> bool {
        matches!(A::KNOWN, Knowledge::Passed)
    }

    /// Writes the register that an operand names.
    #[inline(always)]
    pub(crate) unsafe fn put<D: Dest, const I: usize>(&self, _: At<D, I>, value: Term) {
        debug_assert!(is_term(value), "no term for a register");
        unsafe { D::write::<F, I>(self, value) }
    }

    /// The value of an operand word that was read through [`Registers::words`].
    #[inline(always)]
    pub(crate) unsafe fn read(&self, word: u64) -> Term {
        unsafe { crate::operand::read(self.x, self.s, word) }
    }

    /// Writes the register that an operand word names.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, word: u64, value: Term) {
        unsafe { crate::operand::write(self.x, self.s, word, value) }
    }

    /// The address after this instruction.
    #[inline(always)]
    pub(crate) unsafe fn after<const N: usize>(&self, _: At<End, N>) -> *const u64 {
        unsafe { F::after::<N>(self.ip) }
    }

    /// Continues with the next instruction.
    #[inline(always)]
    pub(crate) unsafe fn next<const N: usize>(self, _: At<End, N>) -> Exit {
        unsafe { F::next::<N>(self) }
    }

    /// Continues with the next instruction, and passes on the small integer that was written to this one's result, in
    /// case that the next one's machine code begins with it.
    #[inline(always)]
    pub(crate) unsafe fn next_with<const N: usize>(self, _: At<End, N>, result: Term) -> Exit {
        unsafe { F::next_with::<N>(self, result) }
    }

    /// Continues with the next instruction, which is at `end`: for instructions of variable length.
    #[inline(always)]
    pub(crate) unsafe fn next_at(self, end: *const u64) -> Exit {
        unsafe { F::next_at(self, end) }
    }

    /// Continues at a label.
    #[inline(always)]
    pub(crate) unsafe fn jump<const I: usize>(self, _: At<Label, I>) -> Exit {
        unsafe { F::jump::<I>(self) }
    }

    /// Calls the function at a label: uses up one reduction, and leaves the engine by the slow path `preempt`, which
    /// finds the function's entry, if none is left.
    #[inline(always)]
    pub(crate) unsafe fn call_label<const I: usize>(
        mut self,
        label: At<Label, I>,
        preempt: HandlerOf<Nothing>,
    ) -> Exit {
        self.f -= 1;
        if self.f < 0 {
            let target = unsafe { self.word(label) } as *const u64;
            return unsafe { F::slow_at(self, preempt.handler, target) };
        }
        unsafe { F::jump::<I>(self) }
    }

    /// Continues at the label with this index of a jump table of `count` labels.
    #[inline(always)]
    pub(crate) unsafe fn enter_table(self, table: *const u64, index: usize, count: u64) -> Exit {
        unsafe { F::enter_table(self, table, index, count) }
    }

    /// Continues at a code address.
    #[inline(always)]
    pub(crate) unsafe fn enter(self, target: *const u64) -> Exit {
        unsafe { F::enter(self, target) }
    }

    /// Calls the function at the code address `target`; see [`Registers::call_label`].
    #[inline(always)]
    pub(crate) unsafe fn call(mut self, target: *const u64, preempt: HandlerOf<Nothing>) -> Exit {
        self.f -= 1;
        // The word before a function's entry is its arity.
        debug_assert!(unsafe { *target.sub(1) } <= u64::from(u8::MAX), "no entry");
        if self.f < 0 {
            return unsafe { F::slow_at(self, preempt.handler, target) };
        }
        unsafe { F::enter(self, target) }
    }

    /// Continues in a slow path, which finds its operands where this instruction, with the operands `o`, has them.
    #[inline(always)]
    pub(crate) unsafe fn slow<O: Operands, W>(self, _: O, path: HandlerOf<W>) -> Exit
    where
        O::Encoding: BeginsWith<W>,
    {
        unsafe { F::slow(self, path.handler) }
    }

    /// Pushes a word.
    #[inline(always)]
    pub(crate) unsafe fn push(&mut self, address: *const u64) {
        debug_assert!(is_return_address(address as u64));
        unsafe {
            self.s = self.s.sub(1);
            *self.s.cast::<u64>() = address as u64;
        }
    }

    /// Pops the return address.
    #[inline(always)]
    pub(crate) unsafe fn pop(&mut self) -> *const u64 {
        unsafe {
            let address = *self.s.cast::<u64>() as *const u64;
            debug_assert!(is_return_address(address as u64));
            self.s = self.s.add(1);
            address
        }
    }

    /// Whether there is room for `bytes` between heap and stack, in addition to the stack reserve.
    #[inline(always)]
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        // Neither address is near the end of the address space.
        let end = (self.h as u64).wrapping_add(bytes + (STACK_RESERVE_WORDS as u64) * 8);
        end <= self.s as u64
    }

    /// Writes the registers back to the process and the context.
    #[inline(always)]
    pub(crate) unsafe fn save(&self) {
        debug_assert!(
            self.h as usize <= self.s as usize,
            "the heap is in the stack"
        );
        unsafe {
            let process = (*self.c).process;
            (*process).heap.top = self.h;
            (*process).heap.stack = self.s.cast::<u64>();
            (*self.c).reductions_left = self.f;
        }
    }

    /// Reads the registers again that other code may have changed.
    #[inline(always)]
    pub(crate) unsafe fn load(&mut self) {
        unsafe {
            let process = (*self.c).process;
            self.h = (*process).heap.top;
            self.s = (*process).heap.stack.cast::<Term>();
            self.f = (*self.c).reductions_left;
        }
    }

    /// The runtime's functions.
    #[inline(always)]
    pub(crate) unsafe fn runtime(&self) -> &'static RuntimeTable {
        unsafe { &*(*self.c).runtime }
    }
}

/// Whether a word is a term, and no return address.
#[inline(always)]
fn is_term(value: Term) -> bool {
    value.bits() & 0b11 != 0
}
