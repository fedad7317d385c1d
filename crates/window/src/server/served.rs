//! What all connections share. For the server's thread.

use std::cell::Cell;
use std::rc::Rc;

use super::access::Access;
use super::walker::Walker;

/// See the module's documentation.
pub(super) struct Served {
    pub(super) access: Access,
    pub(super) walker: Walker,
    /// The bytes of the answers that are being written.
    pub(super) in_flight: Rc<Cell<usize>>,
}

impl Served {
    pub(super) fn new(access: Access, walker: Walker) -> Served {
        Served {
            access,
            walker,
            in_flight: Rc::default(),
        }
    }
}
