//! The `ferl` command up to the machine: from what the user typed to a [`config::Config`].
//!
//! A command line passes through `words` (environment variables and argument files are merged in),
//! `launch` (words are split between the machine and Erlang's `init`), `settings` (the machine's
//! words are checked against the one table, `isa::flags`) and ends as a `Config`. `otp` finds the
//! libraries to boot. All of it runs on the main thread before any other thread exists, reads no
//! global state (the environment is a value) and never panics on what it is given.

#![forbid(unsafe_code)]

pub mod config;
pub mod environment;
pub mod launch;
pub mod machine;
pub mod otp;
pub mod refusal;
pub mod settings;
pub mod topology;
pub mod value;
pub mod words;
