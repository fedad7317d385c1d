//! The functions of `erl_driver.h`, by family. Libraries call them as symbols of the executable.
//!
//! As with those of NIFs ([`crate::functions`]), the header is the contract, and [`FUNCTIONS`] is made from the rows of
//! `spec::driver_functions`.

mod binaries;
mod events;
mod locks;
mod memory;
mod output;
mod ports;
mod processes;
mod queues;
mod system;
mod terms;
pub(super) mod threads;

use crate::functions::exported_functions;

spec::for_each_driver_function!(exported_functions);
