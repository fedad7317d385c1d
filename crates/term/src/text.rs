//! Numbers as text and back, as the BIFs of the language want them.

pub mod float;
pub mod integer;
