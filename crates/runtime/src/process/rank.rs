//! The two ranks of messages (OTP 28).

/// Which messages of its receiver a message is received before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Rank {
    /// Those that come later.
    #[default]
    Ordinary,
    /// All but those with priority that came earlier.
    Priority,
}
