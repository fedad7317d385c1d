//! Calls and returns.
//!
//! A call pushes the address of the next instruction and jumps to the callee, whose frame is below that address; a
//! return pops it. A tail call jumps with the caller's return address on top of the stack. Every call costs one
//! reduction.
#![allow(clippy::undocumented_unsafe_blocks)]

use core::sync::atomic::Ordering;

use layout::object::offset;
use layout::{Export, FunEntry, Header, ObjectKind, Term};

use super::tuples::header_of;
use crate::form::Form;
use crate::operand::Any;
use crate::operation::operations;
use crate::registers::Registers;
use crate::slow;

/// The current target of calls of an exported function.
#[inline(always)]
pub(crate) unsafe fn export_entry(export: u64) -> *const u64 {
    unsafe { (*(export as *const Export)).code.load(Ordering::Acquire) }
}

/// The entry of `fun` for a call with `arity` arguments; its free variables are copied to the registers after the
/// arguments. Null if the runtime must handle the call.
#[inline(always)]
pub(crate) unsafe fn fun_entry<F: Form>(m: &Registers<F>, fun: Term, arity: u64) -> *const u64 {
    unsafe {
        let header = header_of(fun);
        let object = (fun.bits() as *const u8).wrapping_sub(2).cast::<u64>();
        if header & 0b11_1111 == Header::new(ObjectKind::Fun, 0).0 {
            let shape = *object.add(1 + offset::FUN_ARITY);
            if shape & 0xff != arity {
                return core::ptr::null();
            }
            let entry = *object.add(1 + offset::FUN_ENTRY) as *const FunEntry;
            let free = (shape >> 8) as usize;
            let from = object.add(1 + offset::FUN_FREE).cast::<Term>();
            let to = m.x.add(arity as usize);
            for index in 0..free {
                *to.add(index) = *from.add(index);
            }
            (*entry).code.load(Ordering::Acquire)
        } else if header & 0b11_1111 == Header::new(ObjectKind::Export, 0).0 {
            let export = *object.add(1 + offset::EXPORT_ENTRY);
            if u64::from((*(export as *const Export)).arity) != arity {
                return core::ptr::null();
            }
            export_entry(export)
        } else {
            core::ptr::null()
        }
    }
}

/// As [`fun_entry`], but only for funs with code of their own (not `fun M:F/A`).
#[inline(always)]
unsafe fn local_fun_entry<F: Form>(
    m: &Registers<F>,
    fun: Term,
    arity: u64,
    first: u64,
) -> *const u64 {
    unsafe {
        if header_of(fun) & 0b11_1111 != Header::new(ObjectKind::Fun, 0).0 {
            return core::ptr::null();
        }
        let object = (fun.bits() as *const u8).wrapping_sub(2).cast::<u64>();
        let shape = *object.add(1 + offset::FUN_ARITY);
        if shape & 0xff != arity {
            return core::ptr::null();
        }
        // Read before any register changes, since the fun itself may be in one. Null if its module was unloaded.
        let entry = *object.add(1 + offset::FUN_ENTRY) as *const FunEntry;
        let code = (*entry).code.load(Ordering::Acquire);
        if code.is_null() {
            return code;
        }
        let to = m.x.wrapping_byte_add(first as usize).cast::<u64>();
        let mut index = 0;
        // The count is read again in every iteration: otherwise the compiler would unroll the loop, for which there
        // are too few free registers.
        while index < (object.add(1 + offset::FUN_ARITY).read_volatile() >> 8) as usize {
            let value = *object
                .wrapping_add(1 + offset::FUN_FREE)
                .wrapping_add(index);
            to.wrapping_add(index).write_volatile(value);
            index += 1;
        }
        code
    }
}

operations! {
    /// `label`
    Call: P<> |m| {
        m.push(m.after::<1>());
        m.call_label::<0>()
    }

    /// `label`
    CallOnly: P<> |m| {
        m.call_label::<0>()
    }

    /// `label, bytes of Y registers`
    CallLast: P<> |m| {
        m.s = m.s.wrapping_byte_add(m.word::<1>() as usize);
        m.call_label::<0>()
    }

    /// A move to an X register and a call: `source, dest, label`
    MoveCall: S<A: Source> |m| {
        m.put::<crate::operand::X, 1>(m.get::<A, 0>());
        m.push(m.after::<3>());
        m.call_label::<2>()
    }

    /// A move to an X register and a tail call: `source, dest, label`
    MoveCallOnly: S<A: Source> |m| {
        m.put::<crate::operand::X, 1>(m.get::<A, 0>());
        m.call_label::<2>()
    }

    /// A move to an X register, the end of a frame and a tail call: `source, dest, label, bytes`
    MoveCallLast: S<A: Source> |m| {
        m.put::<crate::operand::X, 1>(m.get::<A, 0>());
        m.s = m.s.wrapping_byte_add(m.word::<3>() as usize);
        m.call_label::<2>()
    }

    /// `export`
    CallExport: P<> |m| {
        m.push(m.after::<1>());
        let target = export_entry(m.wide::<0>());
        m.call(target)
    }

    /// `export`
    CallExportOnly: P<> |m| {
        let target = export_entry(m.wide::<0>());
        m.call(target)
    }

    /// `export, bytes of Y registers`
    CallExportLast: P<> |m| {
        m.s = m.s.wrapping_byte_add(m.word::<1>() as usize);
        let target = export_entry(m.wide::<0>());
        m.call(target)
    }

    /// No operands.
    Return: P<> |m| {
        let target = m.pop();
        m.enter(target)
    }

    /// `bytes of Y registers`
    DeallocateReturn: P<> |m| {
        m.s = m.s.wrapping_byte_add(m.word::<0>() as usize);
        let target = m.pop();
        m.enter(target)
    }

    /// A move to an X register and a return: `source, dest`
    MoveReturn: S<A: Source> |m| {
        m.put::<crate::operand::X, 1>(m.get::<A, 0>());
        let target = m.pop();
        m.enter(target)
    }

    /// A move to an X register, the end of a frame and a return: `source, dest, bytes`
    MoveDeallocateReturn: S<A: Source> |m| {
        m.put::<crate::operand::X, 1>(m.get::<A, 0>());
        m.s = m.s.wrapping_byte_add(m.word::<2>() as usize);
        let target = m.pop();
        m.enter(target)
    }

    /// `fun, arity, offset of the X register after the arguments`
    CallFun: S<A: Source> |m| {
        let arity = m.word::<1>();
        let target = local_fun_entry(&m, m.get::<A, 0>(), arity, m.word::<2>());
        if target.is_null() {
            return m.slow(slow::calls::call_fun);
        }
        m.push(m.after::<3>());
        m.call(target)
    }

    /// A tail call: `fun, arity, bytes of Y registers, offset of the X register after the arguments`
    CallFunLast: S<A: Source> |m| {
        let arity = m.word::<1>();
        let target = local_fun_entry(&m, m.get::<A, 0>(), arity, m.word::<3>());
        if target.is_null() {
            return m.slow(slow::calls::call_fun_last);
        }
        m.s = m.s.wrapping_byte_add(m.word::<2>() as usize);
        m.call(target)
    }

    /// `dest, entry, arity | free << 8, free variable...`
    MakeFun: P<> |m| {
        let shape = m.word::<2>();
        let free = (shape >> 8) as usize;
        let words = m.words::<3>();
        let object = m.h;
        object.write(Header::new(ObjectKind::Fun, 3 + free).0);
        object.add(1 + offset::FUN_ENTRY).write(m.wide::<1>());
        object.add(1 + offset::FUN_ARITY).write(shape);
        object.add(1 + offset::FUN_CREATOR).write((*(*m.c).process).id.bits());
        for index in 0..free {
            let value = m.read(*words.add(index));
            object.add(1 + offset::FUN_FREE + index).write(value.bits());
        }
        m.h = object.add(1 + 3 + free);
        m.put::<Any, 0>(Term::from_boxed_pointer(object));
        m.next_at(words.add(free))
    }

    /// Part of `MakeFun` in machine code, everything but the free variables: `dest, entry, arity | free << 8, header`
    FunHead: P<> |m| {
        let object = m.h;
        object.write(m.word::<3>());
        object.add(1 + offset::FUN_ENTRY).write(m.wide::<1>());
        object.add(1 + offset::FUN_ARITY).write(m.word::<2>());
        object.add(1 + offset::FUN_CREATOR).write((*(*m.c).process).id.bits());
        m.next::<4>()
    }

    /// `dest`: the pid of the process
    SelfPid: D<A: Dest> |m| {
        let id = (*(*m.c).process).id;
        m.put::<A, 0>(id);
        m.next::<1>()
    }
}
