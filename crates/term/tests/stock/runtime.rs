//! Export and fun entries for terms that a test decodes, never freed.

use std::ptr;
use std::sync::atomic::AtomicPtr;

use layout::{Export, Term};
use term::external::Resolver;
use term::fun::{self, Found, FunIdentity};

pub(crate) struct TestRuntime;

impl Resolver for TestRuntime {
    fn export(
        &mut self,
        module: Term,
        function: Term,
        arity: u32,
        _create: bool,
    ) -> Option<&'static Export> {
        Some(Box::leak(Box::new(Export {
            code: AtomicPtr::new(ptr::null_mut()),
            module,
            function,
            arity,
            flags: 0,
            bif: None,
            called: std::sync::atomic::AtomicPtr::new(std::ptr::null_mut()),
            stub: [0; 8],
        })))
    }

    fn fun_entry(&mut self, identity: &FunIdentity) -> Option<Found> {
        let entry = Box::leak(Box::new(fun::new_entry(identity)));
        Some(Found {
            entry,
            keeper: None,
        })
    }
}
