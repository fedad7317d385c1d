//! OTP releases: what differs between them is a fact about one release number, and rows of the tables say for which
//! releases they count.
//!
//! A node has one release, fixed when it starts (`term::release`). It is asked while tables are built and code is
//! loaded, and by what is rarely called; hot paths never ask. Constant data; any thread may read it.

use std::fmt;

/// An OTP release, by its number: 25 for OTP 25.2.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(u8);

/// How much of a release ferl has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Everything that ferl has is measured against this release.
    Whole,
    /// It boots, but what programs see differs in places.
    Partial,
    /// Nothing is known about it, or it is known not to boot.
    None,
}

impl Release {
    pub const OTP_25: Release = Release(25);
    pub const OTP_26: Release = Release(26);
    pub const OTP_27: Release = Release(27);
    pub const OTP_28: Release = Release(28);
    pub const OTP_29: Release = Release(29);

    /// The releases that ferl knows, in order.
    pub const KNOWN: &'static [Release] = &[
        Release::OTP_25,
        Release::OTP_26,
        Release::OTP_27,
        Release::OTP_28,
        Release::OTP_29,
    ];

    /// The release of this number, known or not.
    #[must_use]
    pub const fn of(number: u8) -> Release {
        Release(number)
    }

    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    #[must_use]
    pub const fn support(self) -> Support {
        match self {
            Release::OTP_25 => Support::Whole,
            Release::OTP_27 | Release::OTP_29 => Support::Partial,
            _ => Support::None,
        }
    }

    /// Whether it is newer than all that ferl knows.
    #[must_use]
    pub const fn is_unknown_newer(self) -> bool {
        self.0 > Release::OTP_29.0
    }

    /// The minor version of the interface of native libraries that it has; the major one is 2.
    #[must_use]
    pub const fn nif_minor(self) -> u8 {
        match self.0 {
            29.. => 18,
            26.. => 17,
            _ => 16,
        }
    }

    /// Whether what came with `other` is in this release.
    #[must_use]
    pub const fn has(self, other: Release) -> bool {
        self.0 >= other.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_releases_are_in_order_and_without_a_gap() {
        for pair in Release::KNOWN.windows(2) {
            assert_eq!(pair[0].number() + 1, pair[1].number());
        }
        assert!(
            !Release::KNOWN
                .iter()
                .any(|release| release.is_unknown_newer())
        );
        assert!(Release::of(30).is_unknown_newer());
    }

    #[test]
    fn a_release_has_what_came_before_it() {
        assert!(Release::OTP_27.has(Release::OTP_26) && Release::OTP_27.has(Release::OTP_27));
        assert!(!Release::OTP_27.has(Release::OTP_28));
    }
}
