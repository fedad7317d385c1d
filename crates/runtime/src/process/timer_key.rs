//! What identifies a timer to those who may cancel it. The wheels are in `mail::timer`.

/// Identifies a timer, even among those that ended before: its wheel and its key there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimerKey {
    pub wheel: u32,
    pub key: Key,
}

/// Identifies an entry. The generation ensures that an old key never removes a later entry in the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    pub index: u32,
    pub generation: u32,
}
