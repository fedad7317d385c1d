//! The *stub* of each export: instructions that stand for a function, for as long as no module defines it or because it
//! is native. They are found by address here: a process that has not run yet is at one, and stack traces hold their
//! addresses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::start;
pub use engine::start::Stub;
use layout::Export;
use parking_lot::RwLock;

use crate::process::Process;

/// The export of each stub, by the stub's first address.
static STUBS: LazyLock<RwLock<BTreeMap<usize, &'static Export>>> = LazyLock::new(RwLock::default);

/// Makes an export's stub, where calls of it lead.
///
/// # Safety
/// The export is never freed or moved, and no other thread refers to it yet.
///
/// # Panics
/// As [`start::write_stub`].
pub unsafe fn make(export: *mut Export, stub: Stub) -> &'static Export {
    // SAFETY: the caller's promises; from here on the export is only read.
    let export = unsafe {
        start::write_stub(export, stub);
        *(*export).code.get_mut() = start::stub_entry(export).cast_mut();
        &*export
    };
    STUBS.write().insert(export.stub.as_ptr() as usize, export);
    export
}

/// The export whose stub contains an address.
#[must_use]
pub fn around(address: usize) -> Option<&'static Export> {
    let stubs = STUBS.read();
    let (_, export) = stubs.range(..=address).next_back()?;
    let end = export.stub.as_ptr_range().end as usize;
    (address < end).then_some(*export)
}

/// The export at whose stub a process is: the one whose BIF is being called.
///
/// # Safety
/// The process runs the BIF of a stub.
#[must_use]
#[inline(always)]
pub unsafe fn called(process: &Process) -> *const Export {
    // SAFETY: the instruction is "call this BIF", whose operand is the export.
    unsafe { *process.head.ip.add(1) as *const Export }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicPtr;

    use layout::Term;

    use super::*;

    fn export(arity: u32) -> &'static Export {
        let export = Box::leak(Box::new(Export {
            code: AtomicPtr::new(std::ptr::null_mut()),
            module: Term::NONE,
            function: Term::NONE,
            arity,
            flags: 0,
            bif: None,
            called: AtomicPtr::new(std::ptr::null_mut()),
            stub: [0; 8],
        }));
        // SAFETY: leaked just now, and nobody else refers to it.
        unsafe { make(export, Stub::Undefined) }
    }

    #[test]
    fn an_export_is_found_by_each_address_of_its_stub() {
        let made: Vec<_> = (0..129).map(export).collect();
        for export in made {
            let stub = export.stub.as_ptr_range();
            let (start, end) = (stub.start as usize, stub.end as usize);
            for address in [start, end - 1] {
                let found = around(address).map(|found| found.arity);
                assert_eq!(found, Some(export.arity));
            }
            // The words before a stub and behind it belong to no stub.
            assert!(around(start - 1).is_none());
            assert!(around(end).is_none());
        }
    }
}
