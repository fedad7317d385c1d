//! The operations of PCRE 8.44's code, by their numbers.

pub(super) const END: u8 = 0;
pub(super) const NOTPROP: u8 = 15;
pub(super) const PROP: u8 = 16;
pub(super) const CIRCM: u8 = 28;
pub(super) const CHAR: u8 = 29;
pub(super) const CHARI: u8 = 30;
pub(super) const NOT: u8 = 31;
pub(super) const NOTI: u8 = 32;
/// Repeated single characters begin here, in families of [`REPEATS`].
pub(super) const STAR: u8 = 33;
pub(super) const REPEATS: u8 = 13;
pub(super) const CRSTAR: u8 = 98;
pub(super) const CRPOSRANGE: u8 = 109;
pub(super) const CLASS: u8 = 110;
pub(super) const NCLASS: u8 = 111;
pub(super) const XCLASS: u8 = 112;
pub(super) const REF: u8 = 113;
pub(super) const REFI: u8 = 114;
pub(super) const DNREFI: u8 = 116;
pub(super) const RECURSE: u8 = 117;
pub(super) const CALLOUT: u8 = 118;
pub(super) const ALT: u8 = 119;
pub(super) const KETRMAX: u8 = 121;
pub(super) const KETRMIN: u8 = 122;
pub(super) const KETRPOS: u8 = 123;
pub(super) const REVERSE: u8 = 124;
pub(super) const ASSERT: u8 = 125;
pub(super) const ASSERT_NOT: u8 = 126;
pub(super) const ASSERTBACK: u8 = 127;
pub(super) const ASSERTBACK_NOT: u8 = 128;
pub(super) const ONCE: u8 = 129;
pub(super) const ONCE_NC: u8 = 130;
pub(super) const BRA: u8 = 131;
pub(super) const BRAPOS: u8 = 132;
pub(super) const CBRA: u8 = 133;
pub(super) const CBRAPOS: u8 = 134;
pub(super) const COND: u8 = 135;
pub(super) const SBRA: u8 = 136;
pub(super) const SBRAPOS: u8 = 137;
pub(super) const SCBRA: u8 = 138;
pub(super) const SCBRAPOS: u8 = 139;
pub(super) const SCOND: u8 = 140;
pub(super) const CREF: u8 = 141;
pub(super) const DNCREF: u8 = 142;
pub(super) const RREF: u8 = 143;
pub(super) const DNRREF: u8 = 144;
pub(super) const DEF: u8 = 145;
pub(super) const BRAZERO: u8 = 146;
pub(super) const BRAMINZERO: u8 = 147;
pub(super) const BRAPOSZERO: u8 = 148;
pub(super) const MARK: u8 = 149;
pub(super) const PRUNE: u8 = 150;
pub(super) const PRUNE_ARG: u8 = 151;
pub(super) const SKIP: u8 = 152;
pub(super) const SKIP_ARG: u8 = 153;
pub(super) const THEN: u8 = 154;
pub(super) const THEN_ARG: u8 = 155;
pub(super) const COMMIT: u8 = 156;
pub(super) const FAIL: u8 = 157;
pub(super) const ACCEPT: u8 = 158;
pub(super) const ASSERT_ACCEPT: u8 = 159;
pub(super) const CLOSE: u8 = 160;
pub(super) const SKIPZERO: u8 = 161;

/// What the operations from 1 to [`CIRCM`] match; the two that have a property are left out.
const SIMPLE: &str =
    r"\A \G \K \B \b \D \d \S \s \W \w . (?s:.) \C - - \R \H \h \V \v \X \Z \z $ (?m:$) ^ (?m:^)";

/// What an operation from 1 to [`CIRCM`] matches that has no property.
pub(super) fn simple(operation: u8) -> Option<&'static str> {
    SIMPLE
        .split(' ')
        .nth(usize::from(operation).checked_sub(1)?)
}
