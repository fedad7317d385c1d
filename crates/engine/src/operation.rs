//! How an operation body is defined, and how the assembler picks the variant for its operands.
//!
//! A body is a function, generic over its [`Form`] and over the kinds of the operands that are worth specialising.
//! The shape traits below name the combinations ([`SD`]: a source and a destination). For each shape, a function
//! picks the instance for the given operands; the compiler generates the instances.

use layout::{Context, Term};

use crate::form::{Exit, Form, Handler, Threaded};
use crate::operand::{Any, Dest, K, Operand, OperandKind, Source, X, Y};

macro_rules! shape {
    ($(#[$doc:meta])* $name:ident [$($kind:ident: $bound:ident),*]) => {
        $(#[$doc])*
        #[allow(clippy::missing_safety_doc)]
        pub trait $name {
            unsafe extern "C" fn run<F: Form, $($kind: $bound),*>(
                x: *mut Term, s: *mut Term, h: *mut u64, f: i64, c: *mut Context, ip: *const u64,
            ) -> Exit;
        }
    };
}

shape!(/// No specialised operand.
    P []);
shape!(/// A source.
    S [A: Source]);
shape!(/// A destination.
    D [A: Dest]);
shape!(/// A source and a destination.
    SD [A: Source, B: Dest]);
shape!(/// Two sources.
    SS [A: Source, B: Source]);
shape!(/// A source and two destinations.
    Sdd [A: Source, B: Dest, C: Dest]);
shape!(/// Two sources and a destination.
    Ssd [A: Source, B: Source, C: Dest]);

/// Defines operations: a name, its specialised operands, and the body over the machine `m`.
///
/// The operand words are numbered in the order that each operation's documentation lists.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident: $shape:ident<$($kind:ident: $bound:ident),*> |$m:ident| $body:block)*) => {
        $(
            $(#[$doc])*
            pub struct $name;

            impl $crate::operation::$shape for $name {
                unsafe extern "C" fn run<F: $crate::form::Form, $($kind: $crate::operand::$bound),*>(
                    x: *mut ::layout::Term,
                    s: *mut ::layout::Term,
                    h: *mut u64,
                    f: i64,
                    c: *mut ::layout::Context,
                    ip: *const u64,
                ) -> $crate::form::Exit {
                    #[allow(unused_mut)]
                    let mut $m = $crate::registers::Registers::<F>::new(x, s, h, f, c, ip);
                    unsafe { $body }
                }
            }
        )*
    };
}
pub(crate) use operations;

/// Defines slow paths: handlers of the threaded form that call ordinary functions before they go on.
///
/// A slow path must not let the address of a local variable escape: its final call would then no longer compile to a
/// jump. Code that needs the address of a local is put into a separate function that is not inlined.
macro_rules! slow_paths {
    ($($(#[$doc:meta])* $name:ident |$m:ident| $body:block)*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// Must run as a handler, on the instruction that the doc comment above describes.
            pub unsafe extern "C" fn $name(
                x: *mut ::layout::Term,
                s: *mut ::layout::Term,
                h: *mut u64,
                f: i64,
                c: *mut ::layout::Context,
                ip: *const u64,
            ) -> $crate::form::Exit {
                #[allow(unused_mut)]
                let mut $m = $crate::registers::Registers::<$crate::form::Threaded>::new(x, s, h, f, c, ip);
                unsafe { $body }
            }
        )*
    };
}
pub(crate) use slow_paths;

#[must_use]
pub fn plain<O: P>() -> Handler {
    O::run::<Threaded>
}

#[must_use]
pub fn source<O: S>(a: Operand) -> Handler {
    match a.place() {
        OperandKind::X => O::run::<Threaded, X>,
        OperandKind::Y => O::run::<Threaded, Y>,
        OperandKind::Constant => O::run::<Threaded, K>,
    }
}

#[must_use]
pub fn dest<O: D>(a: Operand) -> Handler {
    match a.place() {
        OperandKind::Y => O::run::<Threaded, Y>,
        _ => O::run::<Threaded, X>,
    }
}

#[must_use]
pub fn source_dest<O: SD>(a: Operand, d: Operand) -> Handler {
    match (a.place(), d.place()) {
        (OperandKind::X, OperandKind::X) => O::run::<Threaded, X, X>,
        (OperandKind::X, _) => O::run::<Threaded, X, Y>,
        (OperandKind::Y, OperandKind::X) => O::run::<Threaded, Y, X>,
        (OperandKind::Y, _) => O::run::<Threaded, Y, Y>,
        (OperandKind::Constant, OperandKind::X) => O::run::<Threaded, K, X>,
        (OperandKind::Constant, _) => O::run::<Threaded, K, Y>,
    }
}

#[must_use]
pub fn sources<O: SS>(a: Operand, b: Operand) -> Handler {
    use OperandKind::{Constant, X as PX, Y as PY};
    match (a.place(), b.place()) {
        (PX, PX) => O::run::<Threaded, X, X>,
        (PX, PY) => O::run::<Threaded, X, Y>,
        (PX, Constant) => O::run::<Threaded, X, K>,
        (PY, PX) => O::run::<Threaded, Y, X>,
        (PY, PY) => O::run::<Threaded, Y, Y>,
        (PY, Constant) => O::run::<Threaded, Y, K>,
        (Constant, PX) => O::run::<Threaded, K, X>,
        (Constant, PY) => O::run::<Threaded, K, Y>,
        (Constant, Constant) => O::run::<Threaded, Any, Any>,
    }
}

#[must_use]
pub fn source_dests<O: Sdd>(a: Operand, d: Operand, e: Operand) -> Handler {
    use OperandKind::{X as PX, Y as PY};
    match (a.place(), d.place(), e.place()) {
        (PX, PX, PX) => O::run::<Threaded, X, X, X>,
        (PX, PX, PY) => O::run::<Threaded, X, X, Y>,
        (PX, PY, PX) => O::run::<Threaded, X, Y, X>,
        (PX, PY, PY) => O::run::<Threaded, X, Y, Y>,
        (PY, PX, PX) => O::run::<Threaded, Y, X, X>,
        _ => O::run::<Threaded, Any, Any, Any>,
    }
}

#[must_use]
pub fn sources_dest<O: Ssd>(a: Operand, b: Operand, d: Operand) -> Handler {
    use OperandKind::{Constant, X as PX, Y as PY};
    match (a.place(), b.place(), d.place()) {
        (PX, PX, PX) => O::run::<Threaded, X, X, X>,
        (PX, PX, PY) => O::run::<Threaded, X, X, Y>,
        (PX, PY, PX) => O::run::<Threaded, X, Y, X>,
        (PX, PY, PY) => O::run::<Threaded, X, Y, Y>,
        (PX, Constant, PX) => O::run::<Threaded, X, K, X>,
        (PX, Constant, PY) => O::run::<Threaded, X, K, Y>,
        (PY, PX, PX) => O::run::<Threaded, Y, X, X>,
        (PY, PX, PY) => O::run::<Threaded, Y, X, Y>,
        (PY, PY, PX) => O::run::<Threaded, Y, Y, X>,
        (PY, PY, PY) => O::run::<Threaded, Y, Y, Y>,
        (PY, Constant, PX) => O::run::<Threaded, Y, K, X>,
        (PY, Constant, PY) => O::run::<Threaded, Y, K, Y>,
        (Constant, PX, PX) => O::run::<Threaded, K, X, X>,
        (Constant, PX, PY) => O::run::<Threaded, K, X, Y>,
        (Constant, PY, PX) => O::run::<Threaded, K, Y, X>,
        (Constant, PY, PY) => O::run::<Threaded, K, Y, Y>,
        _ => O::run::<Threaded, Any, Any, Any>,
    }
}

/// As [`sources_dest`], for operations that are not worth so many variants.
#[must_use]
pub fn sources_dest_few<O: Ssd>(a: Operand, b: Operand, d: Operand) -> Handler {
    use OperandKind::{Constant, X as PX};
    match (a.place(), b.place(), d.place()) {
        (PX, PX, PX) => O::run::<Threaded, X, X, X>,
        (PX, Constant, PX) => O::run::<Threaded, X, K, X>,
        _ => O::run::<Threaded, Any, Any, Any>,
    }
}
