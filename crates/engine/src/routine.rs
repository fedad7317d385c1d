//! Instructions outside any module: the routines that processes start and end with (`start`), and those that slow paths
//! push as return addresses. Constant data.

use crate::encoding::Encoding;
use crate::form::Handler;
use crate::operation::HandlerOf;

/// An instruction outside any module, whose operands are all 0: no label, no number, x0. It has the layout of a
/// function's entry, preceded by its arity.
#[repr(C)]
pub(crate) struct Routine {
    arity: u64,
    handler: Handler,
    operands: [u64; Routine::OPERANDS],
}

impl Routine {
    const OPERANDS: usize = 4;

    pub(crate) const fn new<W: Encoding>(arity: u64, handler: HandlerOf<W>) -> Routine {
        assert!(W::CLASSES.len() <= Routine::OPERANDS);
        Routine {
            arity,
            handler: handler.handler,
            operands: [0; Routine::OPERANDS],
        }
    }

    /// Its code address.
    pub(crate) fn entry(&'static self) -> *const u64 {
        (&raw const self.handler).cast::<u64>()
    }
}
