//! How an operation body is defined, and how the code generator picks the variant for its operands.
//!
//! A body is a function, generic over its [`Form`] and over the kinds of the operands that are worth specialising.
//! The shape traits below name the combinations ([`SD`]: a source and a destination). Each shape has a function `pick`
//! that returns the instance for the given operands; the compiler generates the instances. Which operands of an
//! instruction those are, and what other words it has, says its row in [`crate::encoding`].

use core::marker::PhantomData;

use layout::{Context, Term};

use crate::form::{Exit, Form, Handler, Threaded};
use crate::operand::{Any, Dest, K, N, Operand, OperandKind, Source, X, Y};

/// A handler, and the encoding of the instructions that it can run.
pub(crate) struct HandlerOf<W> {
    pub handler: Handler,
    encoding: PhantomData<fn(W)>,
}

impl<W> HandlerOf<W> {
    pub(crate) const fn new(handler: Handler) -> HandlerOf<W> {
        HandlerOf {
            handler,
            encoding: PhantomData,
        }
    }
}

impl<W> Clone for HandlerOf<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for HandlerOf<W> {}

/// An operation, defined by [`operations!`].
pub(crate) trait Operation {
    type Encoding;

    /// The variant of its body for these operands.
    fn handler(operands: &Self::Encoding) -> HandlerOf<Self::Encoding>;
}

macro_rules! shape {
    ($(#[$doc:meta])* $name:ident [$($kind:ident: $bound:ident),*] |$operands:pat_param| $pick:expr) => {
        $(#[$doc])*
        #[allow(clippy::missing_safety_doc)]
        pub(crate) trait $name {
            unsafe extern "C" fn run<F: Form, $($kind: $bound),*>(
                x: *mut Term, s: *mut Term, h: *mut u64, f: i64, c: *mut Context, ip: *const u64,
            ) -> Exit;

            /// The variant for these operands.
            #[must_use]
            fn pick($operands: [Operand; <[&str]>::len(&[$(stringify!($kind)),*])]) -> Handler
            where
                Self: Sized,
            {
                $pick
            }
        }
    };
}

use OperandKind::{Constant as PK, X as PX, Y as PY};

shape!(/// No specialised operand.
    P [] |[]| Self::run::<Threaded>);
shape!(/// A source.
S [A: Source] |[a]| match a.kind() {
    PX => Self::run::<Threaded, X>,
    PY => Self::run::<Threaded, Y>,
    PK => Self::run::<Threaded, K>,
});
shape!(/// A destination.
D [A: Dest] |[a]| match a.kind() {
    PY => Self::run::<Threaded, Y>,
    _ => Self::run::<Threaded, X>,
});
shape!(/// A source and a destination.
SD [A: Source, B: Dest] |[a, d]| match (a.kind(), d.kind()) {
    (PX, PX) => Self::run::<Threaded, X, X>,
    (PX, _) => Self::run::<Threaded, X, Y>,
    (PY, PX) => Self::run::<Threaded, Y, X>,
    (PY, _) => Self::run::<Threaded, Y, Y>,
    (PK, PX) => Self::run::<Threaded, K, X>,
    (PK, _) => Self::run::<Threaded, K, Y>,
});
shape!(/// Two sources.
SS [A: Source, B: Source] |[a, b]| match (a.kind(), b.kind()) {
    (PX, PX) => Self::run::<Threaded, X, X>,
    (PX, PY) => Self::run::<Threaded, X, Y>,
    (PX, PK) => Self::run::<Threaded, X, K>,
    (PY, PX) => Self::run::<Threaded, Y, X>,
    (PY, PY) => Self::run::<Threaded, Y, Y>,
    (PY, PK) => Self::run::<Threaded, Y, K>,
    (PK, PX) => Self::run::<Threaded, K, X>,
    (PK, PY) => Self::run::<Threaded, K, Y>,
    (PK, PK) => Self::run::<Threaded, Any, Any>,
});
shape!(/// A source and two destinations.
Sdd [A: Source, B: Dest, C: Dest] |[a, d, e]| match (a.kind(), d.kind(), e.kind()) {
    (PX, PX, PX) => Self::run::<Threaded, X, X, X>,
    (PX, PX, PY) => Self::run::<Threaded, X, X, Y>,
    (PX, PY, PX) => Self::run::<Threaded, X, Y, X>,
    (PX, PY, PY) => Self::run::<Threaded, X, Y, Y>,
    (PY, PX, PX) => Self::run::<Threaded, Y, X, X>,
    _ => Self::run::<Threaded, Any, Any, Any>,
});
shape!(/// Two sources and a destination.
Ssd [A: Source, B: Source, C: Dest] |[a, b, d]| match (a.kind(), b.kind(), d.kind()) {
    (PX, PX, PX) => Self::run::<Threaded, X, X, X>,
    (PX, PX, PY) => Self::run::<Threaded, X, X, Y>,
    (PX, PY, PX) => Self::run::<Threaded, X, Y, X>,
    (PX, PY, PY) => Self::run::<Threaded, X, Y, Y>,
    (PX, PK, PX) => Self::run::<Threaded, X, K, X>,
    (PX, PK, PY) => Self::run::<Threaded, X, K, Y>,
    (PY, PX, PX) => Self::run::<Threaded, Y, X, X>,
    (PY, PX, PY) => Self::run::<Threaded, Y, X, Y>,
    (PY, PY, PX) => Self::run::<Threaded, Y, Y, X>,
    (PY, PY, PY) => Self::run::<Threaded, Y, Y, Y>,
    (PY, PK, PX) => Self::run::<Threaded, Y, K, X>,
    (PY, PK, PY) => Self::run::<Threaded, Y, K, Y>,
    (PK, PX, PX) => Self::run::<Threaded, K, X, X>,
    (PK, PX, PY) => Self::run::<Threaded, K, X, Y>,
    (PK, PY, PX) => Self::run::<Threaded, K, Y, X>,
    (PK, PY, PY) => Self::run::<Threaded, K, Y, Y>,
    _ => Self::run::<Threaded, Any, Any, Any>,
});
shape!(/// Two sources and a destination, in an operation that is not worth as many variants as [`Ssd`] has.
SsdFew [A: Source, B: Source, C: Dest] |[a, b, d]| match (a.kind(), b.kind(), d.kind()) {
    (PX, PX, PX) => Self::run::<Threaded, X, X, X>,
    (PX, PK, PX) => Self::run::<Threaded, X, K, X>,
    _ => Self::run::<Threaded, Any, Any, Any>,
});
shape!(/// As [`Ssd`], of integers.
Iid [A: Source, B: Source, C: Dest] |[a, b, d]| match (a.kind(), b.kind(), d.kind()) {
    _ if a.is_other_constant() || b.is_other_constant() => Self::run::<Threaded, Any, Any, Any>,
    (PX, PX, PX) => Self::run::<Threaded, X, X, X>,
    (PX, PX, PY) => Self::run::<Threaded, X, X, Y>,
    (PX, PY, PX) => Self::run::<Threaded, X, Y, X>,
    (PX, PY, PY) => Self::run::<Threaded, X, Y, Y>,
    (PX, PK, PX) => Self::run::<Threaded, X, N, X>,
    (PX, PK, PY) => Self::run::<Threaded, X, N, Y>,
    (PY, PX, PX) => Self::run::<Threaded, Y, X, X>,
    (PY, PX, PY) => Self::run::<Threaded, Y, X, Y>,
    (PY, PY, PX) => Self::run::<Threaded, Y, Y, X>,
    (PY, PY, PY) => Self::run::<Threaded, Y, Y, Y>,
    (PY, PK, PX) => Self::run::<Threaded, Y, N, X>,
    (PY, PK, PY) => Self::run::<Threaded, Y, N, Y>,
    (PK, PX, PX) => Self::run::<Threaded, N, X, X>,
    (PK, PX, PY) => Self::run::<Threaded, N, X, Y>,
    (PK, PY, PX) => Self::run::<Threaded, N, Y, X>,
    (PK, PY, PY) => Self::run::<Threaded, N, Y, Y>,
    _ => Self::run::<Threaded, Any, Any, Any>,
});
shape!(/// As [`SsdFew`], of integers.
IidFew [A: Source, B: Source, C: Dest] |[a, b, d]| match (a.kind(), b.kind(), d.kind()) {
    _ if b.is_other_constant() => Self::run::<Threaded, Any, Any, Any>,
    (PX, PX, PX) => Self::run::<Threaded, X, X, X>,
    (PX, PK, PX) => Self::run::<Threaded, X, N, X>,
    _ => Self::run::<Threaded, Any, Any, Any>,
});
shape!(/// As [`SS`], of terms that are integers as a rule.
II [A: Source, B: Source] |[a, b]| match (a.kind(), b.kind()) {
    (PX, PK) if b.is_other_constant() => Self::run::<Threaded, X, K>,
    (PY, PK) if b.is_other_constant() => Self::run::<Threaded, Y, K>,
    _ if a.is_other_constant() => Self::run::<Threaded, Any, Any>,
    (PX, PX) => Self::run::<Threaded, X, X>,
    (PX, PY) => Self::run::<Threaded, X, Y>,
    (PX, PK) => Self::run::<Threaded, X, N>,
    (PY, PX) => Self::run::<Threaded, Y, X>,
    (PY, PY) => Self::run::<Threaded, Y, Y>,
    (PY, PK) => Self::run::<Threaded, Y, N>,
    (PK, PX) => Self::run::<Threaded, N, X>,
    (PK, PY) => Self::run::<Threaded, N, Y>,
    (PK, PK) => Self::run::<Threaded, Any, Any>,
});

/// Defines operations: a name, its shape, and the body over the machine `m` and the operands `o` of its encoding.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident: $shape:ident |$m:ident, $o:ident: $encoding:ident| $body:block)*) => {
        $($crate::operation::operation! { $shape [$(#[$doc])* $name] |$m, $o: $encoding| $body })*
    };
}
pub(crate) use operations;

macro_rules! operation {
    (P $($rest:tt)*) => { $crate::operation::operation! { @ P [] $($rest)* } };
    (S $($rest:tt)*) => { $crate::operation::operation! { @ S [A: Source] $($rest)* } };
    (D $($rest:tt)*) => { $crate::operation::operation! { @ D [A: Dest] $($rest)* } };
    (SD $($rest:tt)*) => { $crate::operation::operation! { @ SD [A: Source, B: Dest] $($rest)* } };
    (SS $($rest:tt)*) => { $crate::operation::operation! { @ SS [A: Source, B: Source] $($rest)* } };
    (Sdd $($rest:tt)*) => { $crate::operation::operation! { @ Sdd [A: Source, B: Dest, C: Dest] $($rest)* } };
    (Ssd $($rest:tt)*) => { $crate::operation::operation! { @ Ssd [A: Source, B: Source, C: Dest] $($rest)* } };
    (SsdFew $($rest:tt)*) => { $crate::operation::operation! { @ SsdFew [A: Source, B: Source, C: Dest] $($rest)* } };
    (II $($rest:tt)*) => { $crate::operation::operation! { @ II [A: Source, B: Source] $($rest)* } };
    (Iid $($rest:tt)*) => { $crate::operation::operation! { @ Iid [A: Source, B: Source, C: Dest] $($rest)* } };
    (IidFew $($rest:tt)*) => { $crate::operation::operation! { @ IidFew [A: Source, B: Source, C: Dest] $($rest)* } };
    (@ $shape:ident [$($kind:ident: $bound:ident),*] [$(#[$doc:meta])* $name:ident]
        |$m:ident, $o:ident: $encoding:ident| $body:block) => {
        $(#[$doc])*
        pub(crate) struct $name;

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
                #[allow(unused_variables)]
                let $o = <$crate::encoding::$encoding as $crate::encoding::OperandsOf<($($kind,)*)>>::OPERANDS;
                unsafe { $body }
            }
        }

        impl $crate::operation::Operation for $name {
            type Encoding = $crate::encoding::$encoding;

            // Inline, so that the stencil crate, which does not use it, does not compile the variants either.
            #[inline]
            fn handler(operands: &Self::Encoding) -> $crate::operation::HandlerOf<Self::Encoding> {
                let handler = <Self as $crate::operation::$shape>::pick(operands.specialised());
                $crate::operation::HandlerOf::new(handler)
            }
        }
    };
}
pub(crate) use operation;

/// Defines slow paths: handlers of the threaded form that call ordinary functions before they go on.
///
/// A slow path must not let the address of a local variable escape: its final call would then no longer compile to a
/// jump. Code that needs the address of a local is put into a separate function that is not inlined.
macro_rules! slow_paths {
    ($($(#[$doc:meta])* $name:ident |$m:ident, $o:ident: $encoding:ident| $body:block)*) => {
        $(
            $(#[$doc])*
            #[allow(non_upper_case_globals)]
            pub(crate) const $name: $crate::operation::HandlerOf<$crate::encoding::$encoding> = {
                unsafe extern "C" fn $name(
                    x: *mut ::layout::Term,
                    s: *mut ::layout::Term,
                    h: *mut u64,
                    f: i64,
                    c: *mut ::layout::Context,
                    ip: *const u64,
                ) -> $crate::form::Exit {
                    #[allow(unused_mut)]
                    let mut $m = $crate::registers::Registers::<$crate::form::Threaded>::new(x, s, h, f, c, ip);
                    #[allow(unused_variables)]
                    let $o = <$crate::encoding::$encoding as $crate::encoding::Encoding>::OPERANDS;
                    unsafe { $body }
                }
                $crate::operation::HandlerOf::new($name)
            };
        )*
    };
}
pub(crate) use slow_paths;
