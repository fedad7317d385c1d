//! What this crate makes of terms, compared with what the stock machine makes of them.

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
