//! What this crate makes of terms, compared with what the stock machine makes of them.

mod ask;
mod expressions;
mod external;
mod numbers;
mod print;
mod runtime;
