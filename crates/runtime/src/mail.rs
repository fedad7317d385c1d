//! How a process is reached and woken: signals, run queues, timers, names, and what a thread knows of its scheduler.

pub mod bound;
pub mod crowd;
pub mod deferred;
pub mod errands;
pub mod hooks;
pub mod idle;
pub mod io;
pub mod microstate;
pub mod queues;
pub mod registry;
pub mod remote;
pub mod signal;
pub mod time;
pub mod timer;
pub mod unique;
pub mod world;
