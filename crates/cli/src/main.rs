//! Placeholder until its first module lands.
fn main() {}
