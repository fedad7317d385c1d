//! Numbers as text and back, in the forms that the BIFs need.

pub mod float;
pub mod integer;
