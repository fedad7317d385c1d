//! What goes wrong, told on standard error.

use std::io::Write;

/// Says it, whatever becomes of it.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
