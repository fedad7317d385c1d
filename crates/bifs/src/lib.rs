//! The bodies of the BIFs, one file or folder for each Erlang module.
//!
//! `spec::bifs` has a row for each BIF. Its body is a function named `name_arity`; `runtime::code::bif` states what it
//! may do. [`ENTRIES`] is made from the rows: a row without a body does not compile. The other public functions are for
//! the crash dump, which tells what the BIFs tell.

// They panic where the terminal, pipe or disk behind is gone: `sys::standard`.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod atomics;
mod binary;
mod erl_ddll;
mod erl_debugger;
mod erl_tracer;
mod erlang;
mod erts_debug;
mod erts_internal;
mod ets;
mod lists;
mod magic;
mod maps;
mod math;
mod node_table;
mod os;
mod persistent_term;
mod ports;
mod prim_buffer;
mod prim_file;
mod prim_net;
mod prim_socket;
mod prim_tty;
mod re;
mod records;
mod unicode;
mod zlib;
mod zstd;

pub use erlang::system_version;
pub use persistent_term::all_within as persistent_terms_within;

use layout::{Context, Term};
use runtime::code::bif::finish;
use runtime::exec::scheduler::dirty::{self, Policy};
use runtime::mail::hooks::BifEntry;
use runtime::process::Process;
use spec::bifs::Properties;

/// The arguments of a call.
///
/// # Safety
/// `arguments` points to at least `N` terms.
#[inline(always)]
unsafe fn given<const N: usize>(arguments: *const Term) -> [Term; N] {
    // The arguments are read one by one, and volatile so that the compiler does not merge the loads. They were stored
    // one by one just before, and a processor forwards a pending store only to a load of the same width; a wider load
    // would wait for the stores.
    // SAFETY: the caller's promise.
    std::array::from_fn(|index| unsafe { arguments.add(index).read_volatile() })
}

macro_rules! entries {
    ($(($module:literal, $name:literal, $arity:literal, $($body:ident)::+, $($property:ident)|+),)*) => {
        /// Every BIF, in the order of `spec::bifs`.
        pub static ENTRIES: &[BifEntry] = &[$({
            // SAFETY of the calls below: the engine passes its own context, whose process runs on
            // this thread, and as many arguments as the row says.
            unsafe extern "C" fn call(context: *mut Context, arguments: *const Term) -> Term {
                const POLICY: Option<Policy> =
                    Policy::of(Properties::NONE$(.with(Properties::$property))+);
                // SAFETY: see above.
                unsafe {
                    if let Some(policy) = POLICY {
                        return dirty::call(context, arguments, policy, call, |process| {
                            $($body)::+(process, given(arguments))
                        });
                    }
                    let process = &mut *(*context).process.cast::<Process>();
                    let arguments = given(arguments);
                    finish(context, $($body)::+(process, arguments))
                }
            }
            BifEntry {
                module: $module,
                name: $name,
                arity: $arity,
                function: call,
            }
        },)*];
    };
}
spec::for_each_bif!(entries);
