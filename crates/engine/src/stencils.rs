//! The bodies as stencils: the crate that `tests/stencils.rs` compiles to an object file.
//!
//! It takes the engine's own bodies, over a form whose operands are symbols. What a stencil may hold is the test's to
//! say; here it is only shown that the bodies need no change.
#![allow(dead_code, improper_ctypes)]

mod bodies;
mod form;
mod machine;
mod operand;
mod operation;

/// The slow paths, which are elsewhere.
mod slow {
    macro_rules! elsewhere {
        ($($module:ident: $($name:ident)*;)*) => {
            $(pub mod $module {
                unsafe extern "sysv64" {
                    $(pub fn $name(
                        x: *mut layout::Term, s: *mut layout::Term, h: *mut u64, f: i64,
                        c: *mut layout::Context, ip: *const u64,
                    ) -> crate::form::Exit;)*
                }
            })*
        };
    }
    elsewhere! {
        bifs: guard1 guard2;
        binaries: start_match get_integer;
        calls: preempt call_fun call_fun_last;
        collect: allocate allocate_heap test_heap;
        compare: is_eq_exact is_ne_exact is_eq is_ne is_lt is_ge;
        exceptions: catch_value;
        floats: badarith convert;
        maps: get_map_element;
        messages: loop_rec yield_at_label;
    }
}

use form::{Exit, Form, Handler};
use layout::{Context, Term};
use machine::Machine;
use operand::{K, X, Y};
use operation::{P, S, SD, SS, Ssd};

unsafe extern "C" {
    static HOLE_0: u8;
    static HOLE_1: u8;
    static HOLE_2: u8;
    static HOLE_3: u8;
    /// An operand record of the threaded shape, for the slow paths.
    static RECORD: u8;
}

unsafe extern "sysv64" {
    fn CONT(
        x: *mut Term,
        s: *mut Term,
        h: *mut u64,
        f: i64,
        c: *mut Context,
        ip: *const u64,
    ) -> Exit;
}

/// Operands are the addresses of symbols.
#[derive(Clone, Copy)]
struct Stencil;

impl Form for Stencil {
    #[inline(always)]
    unsafe fn word<const I: usize>(_: *const u64) -> u64 {
        (match I {
            0 => &raw const HOLE_0,
            1 => &raw const HOLE_1,
            2 => &raw const HOLE_2,
            _ => &raw const HOLE_3,
        }) as u64
    }

    #[inline(always)]
    unsafe fn words<const I: usize>(_: *const u64) -> *const u64 {
        (&raw const RECORD).cast::<u64>().wrapping_add(1 + I)
    }

    #[inline(always)]
    unsafe fn after<const N: usize>(_: *const u64) -> *const u64 {
        CONT as *const () as *const u64
    }

    #[inline(always)]
    unsafe fn enter(m: Machine<Self>, target: *const u64) -> Exit {
        unsafe {
            core::mem::transmute::<*const u64, Handler>(target)(m.x, m.s, m.h, m.f, m.c, m.ip)
        }
    }

    #[inline(always)]
    unsafe fn slow(m: Machine<Self>, glue: Handler) -> Exit {
        let record = (&raw const RECORD).cast::<u64>();
        unsafe { glue(m.x, m.s, m.h, m.f, m.c, record) }
    }

    #[inline(always)]
    unsafe fn preempt(m: Machine<Self>, target: *const u64) -> Exit {
        unsafe { slow::calls::preempt(m.x, m.s, m.h, m.f, m.c, target) }
    }
}

macro_rules! stencils {
    ($($name:ident: $operation:path as $shape:ident <$($kind:ident),*>;)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "sysv64" fn $name(
                x: *mut Term, s: *mut Term, h: *mut u64, f: i64, c: *mut Context, ip: *const u64,
            ) -> Exit {
                unsafe { <$operation as $shape>::run::<Stencil, $($kind),*>(x, s, h, f, c, ip) }
            }
        )*
    };
}

stencils! {
    stencil_move_xy: bodies::moves::Move as SD<X, Y>;
    stencil_move_kx: bodies::moves::Move as SD<K, X>;
    stencil_add_xkx: bodies::arith::Add as Ssd<X, K, X>;
    stencil_add_yxx: bodies::arith::Add as Ssd<Y, X, X>;
    stencil_is_eq_immediate_x: bodies::compare::IsEqImmediate as S<X>;
    stencil_is_lt_xx: bodies::compare::IsLt as SS<X, X>;
    stencil_is_nonempty_list_y: bodies::tests::IsNonemptyList as S<Y>;
    stencil_put_list_xxx: bodies::lists::PutList as Ssd<X, X, X>;
    stencil_get_tuple_element_xx: bodies::tuples::GetTupleElement as SD<X, X>;
    stencil_is_tagged_tuple_x: bodies::tuples::IsTaggedTuple as S<X>;
    stencil_allocate: bodies::moves::Allocate as P<>;
    stencil_call: bodies::calls::Call as P<>;
    stencil_call_export: bodies::calls::CallExport as P<>;
    stencil_deallocate_return: bodies::calls::DeallocateReturn as P<>;
    stencil_catch: bodies::exceptions::Catch as P<>;
}
