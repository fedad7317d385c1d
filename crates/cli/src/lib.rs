//! The `ferl` command up to the start of the VM: turns the command line into a [`runtime::Config`].
//!
//! A command line passes through `words` (environment variables and argument files are merged in),
//! `launch` (words are split between the VM and Erlang's `init`) and `settings` (the VM's
//! words are checked against the flag table, `spec::flags`), and becomes a `Config`. `otp` finds the
//! libraries to boot. All of this runs on the main thread before any other thread exists, reads no
//! global state (the environment is a value), and does not panic for any input.

#![forbid(unsafe_code)]

mod asked;
pub mod commands;
pub mod dashboard;
pub mod environment;
pub mod erts;
pub mod image;
pub mod launch;
pub mod manual;
pub mod otp;
pub mod packed;
pub mod refusal;
pub mod settings;
pub mod top;
pub mod topology;
pub mod value;
pub mod words;
