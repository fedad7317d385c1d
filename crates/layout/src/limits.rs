//! Limits that several crates share, with assertions for the relations between them.

/// X registers a module may use; the limit of the instruction set.
pub const X_REGISTERS: usize = 1024;
/// All X registers that there are: behind those of modules are some in which operations leave something to the next
/// ones.
pub const ALL_X_REGISTERS: usize = X_REGISTERS + 8;
/// Floating-point registers a module may use.
pub const FLOAT_REGISTERS: usize = 1024;
/// Words kept free between heap top and stack at every safepoint, so that a call can push its return address, and a
/// few more words, without a check. The word at the heap top also serves one operation to leave something to the next
/// (`OpenWindow` of the engine).
pub const STACK_RESERVE_WORDS: usize = 4;
/// Reductions before a process must yield; the value OTP documents.
pub const REDUCTIONS_PER_SLICE: i64 = 4_000;
/// Size in words of a process's first heap, and the least size of its heap when it waits.
pub const FIRST_HEAP_WORDS: usize = 32;
/// Bits of a pid that select the slot in the process table.
pub const PID_INDEX_BITS: u32 = 28;
/// The greatest `+P` accepted; the value OTP documents.
pub const MAX_PROCESSES: usize = (1 << 27) - 1;
/// The least small integer.
pub const SMALL_MIN: i64 = -(1 << 59);
/// The greatest small integer.
pub const SMALL_MAX: i64 = (1 << 59) - 1;
/// The greatest tuple arity; the value OTP documents.
pub const MAX_TUPLE_ARITY: usize = (1 << 24) - 1;
/// Binaries up to this many bytes live on the process heap.
pub const HEAP_BINARY_BYTES: usize = 64;
/// Maps with at most this many pairs are flat.
pub const FLAT_MAP_PAIRS: usize = 32;
/// The largest big integer, in 64-bit limbs (one limb less than 32 Mibit, as in OTP 25); a larger result raises
/// `system_limit`.
pub const BIG_LIMBS: usize = (1 << 19) - 1;
/// The same from OTP 27 on.
pub const BIG_LIMBS_27: usize = 65_535;
/// Maximum number of characters in an atom; the value OTP documents.
pub const ATOM_CHARACTERS: usize = 255;

const _: () = assert!(BIG_LIMBS_27 < BIG_LIMBS);
const _: () = assert!(MAX_PROCESSES < 1 << PID_INDEX_BITS);
const _: () = assert!(STACK_RESERVE_WORDS < FIRST_HEAP_WORDS);
