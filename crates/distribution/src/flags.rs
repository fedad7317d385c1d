//! The distribution flags, by which nodes tell each other what they are capable of when they connect. The numbers are
//! public: the documentation of the distribution protocol has them.

use term::release::{self, Release};

/// One flag, by bit number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flag {
    /// The node is visible: others connect to it of their own accord.
    Published = 0,
    AtomCache = 1,
    ExtendedReferences = 2,
    Monitor = 3,
    FunTags = 4,
    MonitorName = 5,
    HiddenAtomCache = 6,
    NewFunTags = 7,
    ExtendedPidsPorts = 8,
    ExportTag = 9,
    BitBinaries = 10,
    NewFloats = 11,
    UnicodeIo = 12,
    HeaderAtomCache = 13,
    SmallAtomTags = 14,
    Utf8Atoms = 16,
    MapTag = 17,
    BigCreation = 18,
    SendSender = 19,
    BigSequentialTraceLabels = 20,
    ExitPayload = 22,
    Fragments = 23,
    Handshake23 = 24,
    UnlinkId = 25,
    /// Stands for all of [`MANDATORY`] as of release 25.
    Mandatory25 = 26,
    Spawn = 32,
    Version4 = 34,
    Alias = 35,
    /// Messages and exit signals with priority, and exit signals to aliases, of OTP 28 and later.
    AlternativeSend = 37,
    /// Native records. Stock sends them to every node; one that lacks this takes them for damaged and disconnects.
    NativeRecords = 38,
}

use Flag as C;

/// A node without one of these is refused, or without one of [`MANDATORY_26`].
const MANDATORY: &[Flag] = &[
    C::ExtendedReferences,
    C::FunTags,
    C::NewFunTags,
    C::ExtendedPidsPorts,
    C::ExportTag,
    C::BitBinaries,
    C::NewFloats,
    C::Utf8Atoms,
    C::MapTag,
    C::BigCreation,
    C::Handshake23,
];

/// What other nodes must have besides, from OTP 26 on.
const MANDATORY_26: &[Flag] = &[C::UnlinkId, C::Version4];

/// What another node must have, for one of the release that was booted.
#[must_use]
pub fn mandatory() -> Flags {
    let mut mandatory = Flags::of(MANDATORY).0;
    if release::has(Release::OTP_26) {
        mandatory |= Flags::of(MANDATORY_26).0;
    }
    Flags(mandatory)
}

/// What this node offers whatever its release.
pub const DEFAULT: &[Flag] = &[
    C::ExtendedReferences,
    C::Monitor,
    C::FunTags,
    C::MonitorName,
    C::NewFunTags,
    C::ExtendedPidsPorts,
    C::ExportTag,
    C::BitBinaries,
    C::NewFloats,
    C::UnicodeIo,
    C::HeaderAtomCache,
    C::SmallAtomTags,
    C::Utf8Atoms,
    C::MapTag,
    C::BigCreation,
    C::SendSender,
    C::BigSequentialTraceLabels,
    C::ExitPayload,
    C::Fragments,
    C::Handshake23,
    C::UnlinkId,
    C::Mandatory25,
    C::Spawn,
    C::Version4,
    C::Alias,
];

/// What this node offers, of the release that was booted.
#[must_use]
pub fn offered() -> Flags {
    let mut offered = Flags::of(DEFAULT).0;
    if release::has(Release::OTP_28) {
        offered |= Flags::of(&[C::AlternativeSend]).0;
    }
    if release::has(Release::OTP_29) {
        offered |= Flags::of(&[C::NativeRecords]).0;
    }
    Flags(offered)
}

/// What a carrier may take back.
pub const REJECTABLE: &[Flag] = &[
    C::AtomCache,
    C::HiddenAtomCache,
    C::HeaderAtomCache,
    C::Fragments,
];

/// What needs a carrier that keeps packets in order.
pub const STRICT_ORDER: &[Flag] = &[C::HeaderAtomCache];

/// A set of flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u64);

impl Flags {
    #[must_use]
    pub fn of(list: &[Flag]) -> Flags {
        let bits = list.iter().fold(0, |bits, one| bits | 1 << *one as u8);
        Flags(bits)
    }

    #[must_use]
    pub fn has(self, one: Flag) -> bool {
        self.0 & 1 << one as u8 != 0
    }

    /// Whether packets have a header, and terms in them no version. The header's atoms are those of the cache, if both
    /// nodes have one.
    #[must_use]
    pub fn have_header(self) -> bool {
        self.has(Flag::HeaderAtomCache) || self.has(Flag::Fragments)
    }

    /// Whether these are all that another node must have.
    #[must_use]
    pub fn suffice(self) -> bool {
        let mandatory = mandatory().0;
        self.0 & mandatory == mandatory
    }
}
