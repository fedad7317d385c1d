//! What runs processes: the schedulers' loops, what the engine calls, spawning and exit, and the end of the node.

mod engine_calls;
pub mod exit;
pub mod halt;
pub mod scheduler;
pub mod spawn;
