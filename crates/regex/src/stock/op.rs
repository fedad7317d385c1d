//! The operations of PCRE 8.44's code, by their numbers.

pub const END: u8 = 0;
pub const NOTPROP: u8 = 15;
pub const PROP: u8 = 16;
pub const CIRCM: u8 = 28;
pub const CHAR: u8 = 29;
pub const CHARI: u8 = 30;
pub const NOT: u8 = 31;
pub const NOTI: u8 = 32;
/// Repeated single characters begin here, in families of [`REPEATS`].
pub const STAR: u8 = 33;
pub const REPEATS: u8 = 13;
pub const CRSTAR: u8 = 98;
pub const CRPOSRANGE: u8 = 109;
pub const CLASS: u8 = 110;
pub const NCLASS: u8 = 111;
pub const XCLASS: u8 = 112;
pub const REF: u8 = 113;
pub const REFI: u8 = 114;
pub const DNREFI: u8 = 116;
pub const RECURSE: u8 = 117;
pub const CALLOUT: u8 = 118;
pub const ALT: u8 = 119;
pub const KETRMAX: u8 = 121;
pub const KETRMIN: u8 = 122;
pub const KETRPOS: u8 = 123;
pub const REVERSE: u8 = 124;
pub const ASSERT: u8 = 125;
pub const ASSERT_NOT: u8 = 126;
pub const ASSERTBACK: u8 = 127;
pub const ASSERTBACK_NOT: u8 = 128;
pub const ONCE: u8 = 129;
pub const ONCE_NC: u8 = 130;
pub const BRA: u8 = 131;
pub const BRAPOS: u8 = 132;
pub const CBRA: u8 = 133;
pub const CBRAPOS: u8 = 134;
pub const COND: u8 = 135;
pub const SBRA: u8 = 136;
pub const SBRAPOS: u8 = 137;
pub const SCBRA: u8 = 138;
pub const SCBRAPOS: u8 = 139;
pub const SCOND: u8 = 140;
pub const CREF: u8 = 141;
pub const DNCREF: u8 = 142;
pub const RREF: u8 = 143;
pub const DNRREF: u8 = 144;
pub const DEF: u8 = 145;
pub const BRAZERO: u8 = 146;
pub const BRAMINZERO: u8 = 147;
pub const BRAPOSZERO: u8 = 148;
pub const MARK: u8 = 149;
pub const PRUNE: u8 = 150;
pub const PRUNE_ARG: u8 = 151;
pub const SKIP: u8 = 152;
pub const SKIP_ARG: u8 = 153;
pub const THEN: u8 = 154;
pub const THEN_ARG: u8 = 155;
pub const COMMIT: u8 = 156;
pub const FAIL: u8 = 157;
pub const ACCEPT: u8 = 158;
pub const ASSERT_ACCEPT: u8 = 159;
pub const CLOSE: u8 = 160;
pub const SKIPZERO: u8 = 161;

/// What the operations from 1 to [`CIRCM`] match; the two that have a property are left out.
const SIMPLE: &str =
    r"\A \G \K \B \b \D \d \S \s \W \w . (?s:.) \C - - \R \H \h \V \v \X \Z \z $ (?m:$) ^ (?m:^)";

/// What an operation from 1 to [`CIRCM`] matches that has no property.
pub fn simple(operation: u8) -> Option<&'static str> {
    SIMPLE
        .split(' ')
        .nth(usize::from(operation).checked_sub(1)?)
}
