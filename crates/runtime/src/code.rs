//! Code: exports, fun entries, modules and their two versions, literal areas, loading and purging.
//!
//! Exports live for ever, as do the fun entries of loaded code, and both are found by name; a module's current and old
//! code come and go.
//! Changes are made under one lock, and changes that are visible to processes while the world is stopped.

pub mod bif;
pub mod coverage;
pub mod debugger_lines;
pub mod exports;
pub mod funs;
pub mod gdb_jit;
pub mod literal_collector;
pub mod literals;
pub mod load;
pub mod load_error;
pub mod module_code;
pub mod modules;
pub mod native;
pub mod perf;
pub mod permission;
pub mod preloaded;
pub mod purge;
mod source;
pub mod stack;
pub mod stubs;
pub mod tiering;
pub mod translation;

pub use modules::{Loaded, find_code, place_in_module, place_of};
