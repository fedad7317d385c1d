//! Heads, guards and bodies on terms.
