//! Compares the results of this crate with those of stock OTP.

mod answers;
mod arith;
mod ask;
mod bits;
mod expressions;
mod external;
mod iolist;
mod numbers;
mod print;
mod runtime;
mod unicode;
