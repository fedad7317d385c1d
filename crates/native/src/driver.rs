//! Linked-in drivers: the C interface of `erl_driver.h` of OTP 25, for drivers that `erl_ddll` loads.
//!
//! A loaded driver ([`loaded`]) is a row of the drivers that `open_port/2` knows. Each of its ports ([`port`]) is a
//! port as any other, whose [`Driver`](runtime::effects::port::driver::Driver) calls the driver's C functions. These
//! call the node through [`functions`], which find the port that they are called for by its handle: the word of its
//! identifier, so that a stale one finds nothing.
//!
//! **Locks.** A port's lock is held while its driver is called; then, for a driver without
//! `ERL_DRV_FLAG_USE_PORT_LOCKING`, the driver's own, which is the innermost: whoever holds it waits for no port. What
//! a driver asks for another port than the one that it is called for is therefore done later, by a scheduler.

pub mod abi;
pub mod functions;
pub mod loaded;
pub mod port;
pub mod queue;
mod term_data;
