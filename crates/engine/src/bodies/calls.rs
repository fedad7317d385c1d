//! Calls and returns.
//!
//! A call pushes the address of the next instruction and jumps to the callee, whose frame is below that address; a
//! return pops it. A tail call jumps with the caller's return address on top of the stack. Every call costs one
//! reduction.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::Ordering;

use layout::object::offset;
use layout::{Export, FunEntry, Header, ObjectKind, Term};

use super::tags::{KIND_MASK, boxed, has_header, kind_bits};
use crate::form::Form;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

/// The current target of calls of an exported function.
#[inline(always)]
pub(crate) unsafe fn export_entry(export: *const Export) -> *const u64 {
    unsafe { (*export).code.load(Ordering::Acquire) }
}

/// The entry of `fun` for a call with `arity` arguments; its free variables are copied to the registers from `first`
/// on, an offset from the first register. Null if the runtime must handle the call: for what is no fun of this arity,
/// and while the code is not loaded.
#[inline(always)]
unsafe fn fun_entry<F: Form>(m: &Registers<F>, fun: Term, arity: u64, first: u64) -> *const u64 {
    // The headers of a fun with code of its own and of a `fun M:F/A` differ in one bit of the kind, and what their
    // first words point to begins alike.
    const EITHER: u64 = kind_bits(ObjectKind::Fun) & kind_bits(ObjectKind::Export);
    const DIFFERENT: u64 = kind_bits(ObjectKind::Fun) ^ kind_bits(ObjectKind::Export);
    const _: () = assert!(DIFFERENT.count_ones() == 1 && offset::FUN_ENTRY == offset::EXPORT_ENTRY);
    unsafe {
        if !has_header(fun, KIND_MASK ^ DIFFERENT, EITHER) {
            return core::ptr::null();
        }
        let object = (fun.bits() as *const u8).wrapping_sub(2).cast::<u64>();
        // Read before any register changes, since the fun itself may be in one.
        let entry = *object.add(1 + offset::FUN_ENTRY) as *const FunEntry;
        if u64::from((*entry).arity) != arity {
            return core::ptr::null();
        }
        let code = (*entry).code.load(Ordering::Acquire);
        if code.is_null() {
            return code;
        }
        let to = m.x.wrapping_byte_add(first as usize).cast::<u64>();
        let mut index = offset::FUN_FREE;
        // The count is read again in every iteration: otherwise the compiler would unroll the loop, for which there
        // are too few free registers. An external fun has fewer words than come before the first free variable.
        while index < (object.read_volatile() >> 6) as usize {
            let value = *object.wrapping_add(1 + index);
            to.wrapping_add(index)
                .wrapping_sub(offset::FUN_FREE)
                .write_volatile(value);
            index += 1;
        }
        code
    }
}

operations! {
    Call: P |m, o: Jump| {
        m.push(m.after(o.end));
        m.call_label(o.label, slow::leave::preempt)
    }

    /// As `Call`, by which a function comes back to itself: not a call for the processor (`codegen::recursion`).
    CallWithin: P |m, o: CallWithin| {
        m.push(m.word(o.behind) as *const u64);
        m.call_label(o.label, slow::leave::preempt)
    }

    CallOnly: P |m, o: Jump| {
        m.call_label(o.label, slow::leave::preempt)
    }

    CallLast: P |m, o: CallLast| {
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call_label(o.label, slow::leave::preempt)
    }

    /// A move to an X register and a call.
    MoveCall: S |m, o: MoveCall| {
        m.put(o.dest, m.get(o.source));
        m.push(m.after(o.end));
        m.call_label(o.label, slow::leave::preempt)
    }

    MoveCallWithin: S |m, o: MoveCallWithin| {
        m.put(o.dest, m.get(o.source));
        m.push(m.word(o.behind) as *const u64);
        m.call_label(o.label, slow::leave::preempt)
    }

    /// A move to an X register and a tail call.
    MoveCallOnly: S |m, o: MoveCall| {
        m.put(o.dest, m.get(o.source));
        m.call_label(o.label, slow::leave::preempt)
    }

    /// A move to an X register, the end of a frame and a tail call.
    MoveCallLast: S |m, o: MoveCallLast| {
        m.put(o.dest, m.get(o.source));
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call_label(o.label, slow::leave::preempt)
    }

    CallExport: P |m, o: CallExport| {
        m.push(m.after(o.end));
        let target = export_entry(m.export(o.export));
        m.call(target, slow::leave::preempt)
    }

    CallExportOnly: P |m, o: CallExport| {
        let target = export_entry(m.export(o.export));
        m.call(target, slow::leave::preempt)
    }

    CallExportLast: P |m, o: CallExportLast| {
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        let target = export_entry(m.export(o.export));
        m.call(target, slow::leave::preempt)
    }

    /// Ends a frame and returns, if that leads behind a `CallWithin`, which is at the label. That uses up a reduction,
    /// as the call did: a function that has called itself a million times returns as often, without a call in between.
    ReturnWithin: P |m, o: ReturnWithin| {
        let address = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        if address.cast::<u64>().read() != m.word(o.label) {
            return m.next(o.end);
        }
        m.s = address.add(1);
        m.call_label(o.label, slow::leave::preempt_behind)
    }

    Return: P |m, o: Nothing| {
        let target = m.pop();
        m.enter(target)
    }

    DeallocateReturn: P |m, o: Frame| {
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        let target = m.pop();
        m.enter(target)
    }

    /// A move to an X register and a return.
    MoveReturn: S |m, o: MoveReturn| {
        m.put(o.dest, m.get(o.source));
        let target = m.pop();
        m.enter(target)
    }

    /// A move to an X register, the end of a frame and a return.
    MoveDeallocateReturn: S |m, o: MoveDeallocateReturn| {
        m.put(o.dest, m.get(o.source));
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        let target = m.pop();
        m.enter(target)
    }

    CallFun: S |m, o: CallFun| {
        let arity = m.word(o.arity);
        let target = fun_entry(&m, m.get(o.fun), arity, m.word(o.behind));
        if target.is_null() {
            return m.slow(o, slow::calls::call_fun);
        }
        m.push(m.after(o.end));
        m.call(target, slow::leave::preempt)
    }

    /// A tail call.
    CallFunLast: S |m, o: CallFunLast| {
        let arity = m.word(o.arity);
        let target = fun_entry(&m, m.get(o.fun), arity, m.word(o.behind));
        if target.is_null() {
            return m.slow(o, slow::calls::call_fun_last);
        }
        m.s = m.s.wrapping_byte_add(m.word(o.frame) as usize);
        m.call(target, slow::leave::preempt)
    }

    MakeFun: P |m, o: MakeFun| {
        let shape = m.word(o.shape);
        let free = (shape >> 8) as usize;
        let words = m.words(o.end);
        let object = m.h;
        object.write(Header::new(ObjectKind::Fun, 3 + free).0);
        object.add(1 + offset::FUN_ENTRY).write(m.wide(o.entry));
        object.add(1 + offset::FUN_ARITY).write(shape);
        object.add(1 + offset::FUN_CREATOR).write((*(*m.c).process).id.bits());
        for index in 0..free {
            let value = m.read(*words.add(index));
            object.add(1 + offset::FUN_FREE + index).write(value.bits());
        }
        m.h = object.add(1 + 3 + free);
        m.put(o.dest, boxed(object));
        m.next_at(words.add(free))
    }

    /// Part of `MakeFun` in machine code, everything but the free variables.
    FunHead: P |m, o: FunHead| {
        let object = m.h;
        object.write(m.word(o.header));
        object.add(1 + offset::FUN_ENTRY).write(m.wide(o.entry));
        object.add(1 + offset::FUN_ARITY).write(m.word(o.shape));
        object.add(1 + offset::FUN_CREATOR).write((*(*m.c).process).id.bits());
        m.next(o.end)
    }

    /// `dest`: the pid of the process
    SelfPid: D |m, o: Destination| {
        let id = (*(*m.c).process).id;
        m.put(o.dest, id);
        m.next(o.end)
    }
}
