//! The bodies as stencils: a separate crate, which `build.rs` compiles to an object file.
//!
//! It includes the engine's own bodies, over a form whose operands are symbols. `NARROW` and `WIDE` list the machine
//! code of every row of `operation_table.rs` (`NARROW_KNOWN` and `WIDE_KNOWN` that of its second table): the narrow
//! form encodes constants in its instructions; the wide one reads them, as 64-bit values, from the instruction's words.
//! The loader (`native.rs`) knows these symbols:
//!
//! | symbol | stands for |
//! |---|---|
//! | `HOLE_0`.. | an operand word |
//! | `TARGET_0`.. | the machine code of the label in an operand word |
//! | `RECORD` | the instruction's words |
//! | `CONT` | the machine code of the next instruction |
//! | `PASS` | the same, to which a term is passed on in the register of the sixth argument |
//! | the name of a slow path | a word that holds its address |
#![allow(dead_code, improper_ctypes, non_upper_case_globals, clippy::all)]

mod bodies;
mod encoding;
mod form;
mod registers;
mod operand;
mod operation;
#[macro_use]
mod operation_table;

/// The slow paths: each is called through a word that holds its address.
mod slow {
    macro_rules! slow_paths_of_the_loader {
        ($($module:ident: $($name:ident($encoding:ident))*;)*) => {
            $(pub mod $module {
                $(
                    pub const $name: crate::operation::HandlerOf<crate::encoding::$encoding> = {
                        #[inline(always)]
                        unsafe extern "C" fn $name(
                            x: *mut layout::Term, s: *mut layout::Term, h: *mut u64, f: i64,
                            c: *mut layout::Context, ip: *const u64,
                        ) -> crate::form::Exit {
                            unsafe { (crate::slow::words::$name)(x, s, h, f, c, ip) }
                        }
                        crate::operation::HandlerOf::new($name)
                    };
                )*
            })*

            mod words {
                unsafe extern "C" {
                    $($(pub static $name: crate::form::Handler;)*)*
                }
            }
        };
    }
    for_each_slow_path!(slow_paths_of_the_loader);
}

use bodies::{
    arith, binaries, building, calls, compare, coverage, debugger, exceptions, floats, guards, lists, maps, messages, moves, records, select, tuples, type_tests,
};
use form::{Exit, Form, Handler};
use layout::{Context, Term};
use registers::Registers;
use operand::{K, N, Passed, Small, X, Y};
use operation::{D, II, Iid, IidFew, P, S, SD, SS, Sdd, Ssd, SsdFew};

/// The machine code of an instruction, which contains its operands.
type MachineCode =
    unsafe extern "C" fn(x: *mut Term, s: *mut Term, h: *mut u64, f: i64, c: *mut Context) -> Exit;

unsafe extern "C" {
    static HOLE_0: u8;
    static HOLE_1: u8;
    static HOLE_2: u8;
    static HOLE_3: u8;
    static HOLE_4: u8;
    static HOLE_5: u8;
    static HOLE_6: u8;
    static HOLE_7: u8;
    static RECORD: u64;
}

/// Machine code within a module does not use the sixth register (`ip`): it knows the address of its words. Without
/// that argument, these functions leave one more register to the bodies.
macro_rules! code {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name(x: *mut Term, s: *mut Term, h: *mut u64, f: i64, c: *mut Context) -> Exit;)*
        }
    };
}

unsafe extern "C" {
    fn PASS(x: *mut Term, s: *mut Term, h: *mut u64, f: i64, c: *mut Context, passed: Term) -> Exit;
}

code!(CONT TARGET_0 TARGET_1 TARGET_2 TARGET_3 TARGET_4 TARGET_5 TARGET_6 TARGET_7);

/// The form in which operands are the addresses of symbols.
#[derive(Clone, Copy)]
pub struct Stencil<const WIDE: bool>;

impl<const WIDE: bool> Form for Stencil<WIDE> {
    #[inline(always)]
    unsafe fn word<const I: usize>(_: *const u64) -> u64 {
        (match I {
            0 => &raw const HOLE_0,
            1 => &raw const HOLE_1,
            2 => &raw const HOLE_2,
            3 => &raw const HOLE_3,
            4 => &raw const HOLE_4,
            5 => &raw const HOLE_5,
            6 => &raw const HOLE_6,
            7 => &raw const HOLE_7,
            _ => unreachable!(),
        }) as u64
    }

    #[inline(always)]
    unsafe fn constant<const I: usize>(ip: *const u64) -> u64 {
        unsafe { if WIDE { Self::wide::<I>(ip) } else { Self::word::<I>(ip) } }
    }

    #[inline(always)]
    unsafe fn wide<const I: usize>(ip: *const u64) -> u64 {
        unsafe { *Self::words::<I>(ip) }
    }

    #[inline(always)]
    unsafe fn words<const I: usize>(_: *const u64) -> *const u64 {
        (&raw const RECORD).wrapping_add(1 + I)
    }

    #[inline(always)]
    unsafe fn after<const N: usize>(_: *const u64) -> *const u64 {
        (&raw const RECORD).wrapping_add(1 + N)
    }

    #[inline(always)]
    unsafe fn next<const N: usize>(m: Registers<Self>) -> Exit {
        unsafe { CONT(m.x, m.s, m.h, m.f, m.c) }
    }

    #[inline(always)]
    unsafe fn next_with<const N: usize>(m: Registers<Self>, passed: Term) -> Exit {
        unsafe { PASS(m.x, m.s, m.h, m.f, m.c, passed) }
    }

    #[inline(always)]
    unsafe fn passed(ip: *const u64) -> u64 {
        ip as u64
    }

    #[inline(always)]
    unsafe fn next_at(m: Registers<Self>, _: *const u64) -> Exit {
        unsafe { CONT(m.x, m.s, m.h, m.f, m.c) }
    }

    #[inline(always)]
    unsafe fn jump<const I: usize>(m: Registers<Self>) -> Exit {
        let target = match I {
            0 => TARGET_0,
            1 => TARGET_1,
            2 => TARGET_2,
            3 => TARGET_3,
            4 => TARGET_4,
            5 => TARGET_5,
            6 => TARGET_6,
            7 => TARGET_7,
            _ => unreachable!(),
        };
        unsafe { target(m.x, m.s, m.h, m.f, m.c) }
    }

    #[inline(always)]
    unsafe fn enter_table(m: Registers<Self>, table: *const u64, index: usize, _: u64) -> Exit {
        unsafe { (*table.add(index).cast::<MachineCode>())(m.x, m.s, m.h, m.f, m.c) }
    }

    #[inline(always)]
    unsafe fn enter(m: Registers<Self>, target: *const u64) -> Exit {
        // Volatile: otherwise the compiler would join this load with that of a slow path's address, and what is a
        // branch that is never taken would become a load that waits for its address.
        unsafe { (target.cast::<Handler>().read_volatile())(m.x, m.s, m.h, m.f, m.c, target) }
    }

    #[inline(always)]
    unsafe fn slow(m: Registers<Self>, path: Handler) -> Exit {
        unsafe { path(m.x, m.s, m.h, m.f, m.c, &raw const RECORD) }
    }

    #[inline(always)]
    unsafe fn slow_at(m: Registers<Self>, path: Handler, ip: *const u64) -> Exit {
        unsafe { path(m.x, m.s, m.h, m.f, m.c, ip) }
    }
}

#[unsafe(no_mangle)]
pub static NARROW: &[&[Handler]] = stencil_table!(Stencil<false>);
#[unsafe(no_mangle)]
pub static WIDE: &[&[Handler]] = stencil_table!(Stencil<true>);
#[unsafe(no_mangle)]
pub static NARROW_KNOWN: &[&[Handler]] = known_table!((code Stencil<false>));
#[unsafe(no_mangle)]
pub static WIDE_KNOWN: &[&[Handler]] = known_table!((code Stencil<true>));
