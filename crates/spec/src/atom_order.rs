//! The order of the atoms that stock's own code names. Constant data; any thread may read it.
//!
//! From OTP 26 on it shows: the keys of a small map are in the order in which atoms came into the table. Measured on
//! stock of each release, whose table was read from its first number on, by external terms that name an atom by its
//! number. Left out are the names of protocols, which the system tells when they are asked for.

use crate::release::Release;

/// The atoms that come before any module, and those that native libraries of the emulator make behind the preloaded
/// modules. Their words are atoms.
struct Texts {
    first: &'static str,
    natives: &'static str,
}

const OTP_27: Texts = Texts {
    first: include_str!("atom_order/otp_27"),
    natives: include_str!("atom_order/otp_27_natives"),
};

const OTP_29: Texts = Texts {
    first: include_str!("atom_order/otp_29"),
    natives: include_str!("atom_order/otp_29_natives"),
};

/// How the empty atom is written there.
const EMPTY: &str = "''";

/// The order of a release.
#[derive(Clone, Copy)]
pub struct AtomOrder(&'static Texts);

impl AtomOrder {
    /// `None` if the release orders keys by the text of atoms.
    #[must_use]
    pub fn of(release: Release) -> Option<AtomOrder> {
        match release {
            old if !old.has(Release::OTP_26) => None,
            new if new.has(Release::OTP_28) => Some(AtomOrder(&OTP_29)),
            _ => Some(AtomOrder(&OTP_27)),
        }
    }

    /// Those that come before any module.
    pub fn first(self) -> impl Iterator<Item = &'static str> {
        words(self.0.first)
    }

    /// Those that follow the preloaded modules.
    pub fn natives(self) -> impl Iterator<Item = &'static str> {
        words(self.0.natives)
    }
}

fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split_ascii_whitespace().map(|word| match word {
        EMPTY => "",
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_atom_is_named_once() {
        assert!(AtomOrder::of(Release::OTP_25).is_none());
        for &release in Release::KNOWN {
            let Some(order) = AtomOrder::of(release) else {
                continue;
            };
            let mut seen = HashSet::new();
            for atom in order.first().chain(order.natives()) {
                assert!(seen.insert(atom), "{atom} of OTP {release}");
            }
            assert!(seen.contains("") && seen.contains("false"));
        }
    }
}
