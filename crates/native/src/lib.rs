//! Native libraries: the C interfaces of NIFs and of linked-in drivers ([`driver`]), as `erl_nif.h` and `erl_driver.h`
//! of OTP 25 define them. Shared objects that were compiled for stock are loaded as they are.
//!
//! A library calls the node through [`functions`], which are symbols of the executable; the node calls a library
//! through pointers to its functions ([`call`]). A term's word is its handle in C: it is valid as long as its
//! environment ([`mod@env`]). Resources ([`resource`]) are objects of a library behind references.
//!
//! Whoever loads a library trusts it with the node. Here, unsafe code relies on what the header asks of a library.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod abi;
mod call;
mod check;
pub mod driver;
mod ending;
mod env;
pub mod functions;
mod library;
mod resource;

pub use ending::node_ends;
pub use functions::selected_descriptors;
pub use library::{load_nif, taints};

/// Has a fault in a library say where it was.
pub fn watch_faults() {
    sys::fault::watch(|out| call::describe(out) || driver::port::describe(out));
}
