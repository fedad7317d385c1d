//! What all connections share. For the server's thread.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::access::Access;
use super::lease::Lease;
use super::walker::Walker;

/// See the module's documentation.
pub(super) struct Served {
    pub(super) access: Access,
    pub(super) walker: Walker,
    pub(super) lease: Arc<Lease>,
    /// The bytes of the answers that are being written.
    pub(super) in_flight: Rc<Cell<usize>>,
}

impl Served {
    pub(super) fn new(access: Access, walker: Walker, lease: Arc<Lease>) -> Served {
        Served {
            access,
            walker,
            lease,
            in_flight: Rc::default(),
        }
    }
}
