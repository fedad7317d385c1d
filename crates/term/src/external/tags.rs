//! The tag bytes of the external format, and the sizes that it fixes.

/// First byte of a stand-alone term.
pub const VERSION: u8 = 131;
pub const COMPRESSED: u8 = 80;
/// Length of the text of a `FLOAT`.
pub const FLOAT_TEXT_BYTES: usize = 31;
/// Maximum number of 32-bit words of a reference.
pub const MAX_REFERENCE_WORDS: usize = 5;
/// Bits of the first word of this node's references, and of references in the older tags.
pub const REFERENCE_WORD_BITS: u32 = 18;
/// Greatest creation in the tags that give it one byte.
pub const MAX_TINY_CREATION: u8 = 3;
/// Longest list of bytes that is written as a `STRING`.
pub const MAX_STRING_BYTES: usize = 65_535;
/// Greatest number that `NEW_PORT` holds; greater ones need `V4_PORT`.
pub const MAX_NEW_PORT: u64 = (1 << 28) - 1;
/// Maximum number of free variables of a fun.
pub const MAX_FREE_VARIABLES: u32 = 255;
/// The flag of a native record that is exported; there is no other.
pub const EXPORTED_RECORD: u8 = 1;
/// Bytes of an atom of 255 characters, each of four bytes.
pub const MAX_ATOM_BYTES: usize = 255 * 4;

/// A native record: number of fields, flags, module, name, names of the fields, values.
pub const NATIVE_RECORD: u8 = b'C';
pub const NEW_FLOAT: u8 = b'F';
pub const BIT_BINARY: u8 = b'M';
pub const ATOM_CACHE_REFERENCE: u8 = b'R';
pub const NEW_PID: u8 = b'X';
pub const NEW_PORT: u8 = b'Y';
pub const NEWER_REFERENCE: u8 = b'Z';
pub const SMALL_INTEGER: u8 = b'a';
pub const INTEGER: u8 = b'b';
pub const FLOAT: u8 = b'c';
pub const ATOM: u8 = b'd';
pub const REFERENCE: u8 = b'e';
pub const PORT: u8 = b'f';
pub const PID: u8 = b'g';
pub const SMALL_TUPLE: u8 = b'h';
pub const LARGE_TUPLE: u8 = b'i';
pub const NIL: u8 = b'j';
pub const STRING: u8 = b'k';
pub const LIST: u8 = b'l';
pub const BINARY: u8 = b'm';
pub const SMALL_BIG: u8 = b'n';
pub const LARGE_BIG: u8 = b'o';
pub const NEW_FUN: u8 = b'p';
pub const EXPORT: u8 = b'q';
pub const NEW_REFERENCE: u8 = b'r';
pub const SMALL_ATOM: u8 = b's';
pub const MAP: u8 = b't';
pub const ATOM_UTF8: u8 = b'v';
pub const SMALL_ATOM_UTF8: u8 = b'w';
pub const V4_PORT: u8 = b'x';
/// A check sum, and a term that only this node reads again ([`super::local`]).
pub const LOCAL: u8 = b'y';
