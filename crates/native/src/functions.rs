//! The functions of `erl_nif.h`, by family. Libraries call them as symbols of the executable.
//!
//! Their signatures are the header's contract: what must be a valid pointer is a reference here, what may be null is an
//! `Option` or a raw pointer, and a pointer for a result is an [`Out`](crate::abi::Out). A library that breaks the
//! contract breaks the node, as on stock. Terms are handed over as their words.
//!
//! [`FUNCTIONS`] is made from the rows of `spec::nif_functions`: a row without a function does not compile. It also
//! keeps the linker from leaving them out.

pub(crate) mod atoms;
mod binaries;
mod exceptions;
mod external;
mod io_queues;
mod kinds;
mod lists;
mod locks;
mod maps;
pub(crate) mod memory;
mod numbers;
mod options;
mod processes;
mod resources;
mod select;
pub(crate) mod system;
pub(crate) mod time;
mod tuples;
mod variadic;

pub(crate) use io_queues::block_of_binary;
pub use select::selected_descriptors;

/// A function of the interface.
pub struct ExportedFunction {
    pub name: &'static str,
    pub(crate) address: *const (),
}

// SAFETY: the address of a function.
unsafe impl Sync for ExportedFunction {}

impl ExportedFunction {
    /// Where it is.
    #[must_use]
    pub fn address(&self) -> *const () {
        self.address
    }
}

/// Defines the array of the functions that the rows of a table name. Each row begins with the function's family, which
/// is its module here, and its name.
macro_rules! exported_functions {
    ($(($family:ident, $name:ident $(, $more:tt)*),)*) => {
        /// Every function, in the order of the table.
        #[used]
        pub static FUNCTIONS: [$crate::functions::ExportedFunction; [$(stringify!($name)),*].len()] = [$(
            $crate::functions::ExportedFunction {
                name: stringify!($name),
                address: $family::$name as *const (),
            },
        )*];
    };
}
pub(crate) use exported_functions;

spec::for_each_nif_function!(exported_functions);
