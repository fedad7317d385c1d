//! What happens to a process: what signals do, receiving, collection, exceptions, calls of funs, ports, and what is
//! told of it.

pub mod apply;
pub mod collection;
pub mod debugger;
pub(crate) mod error_handler;
pub mod exception;
pub(crate) mod farewell;
pub mod flood;
pub mod holdings;
pub mod info;
pub mod log;
pub mod looking;
pub mod port;
pub mod profile;
pub(crate) mod receive;
pub mod send;
pub mod signal_handling;
pub mod time_offset;

pub mod system_monitor;
pub mod tasks;
