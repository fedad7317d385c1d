//! Encoding and decoding the external term format, which `term_to_binary` makes, in which `.beam` files hold literals,
//! and which nodes send each other.
//!
//! Decoding trusts nothing: it never panics, never recurses, and the words it builds are bounded by the length of its
//! input. Both directions keep their state in a struct, so that work can stop after a budget of steps and continue
//! later. Any thread may call.
//!
//! A reference of this node is encoded as the words of `reference::to_words`; an alias adds the index and the serial of
//! its process.

mod compression;
#[cfg(test)]
mod damage;
pub mod decode;
pub mod encode;
mod input;
pub mod local;
mod output;
mod segments;
mod size;
pub mod tags;

use layout::{Export, Term};

pub use compression::compress;
pub use decode::{DecodeError, Decoder, Fault, Step, decode, decode_bare, decode_plain};
pub use encode::{EncodeBuffers, EncodeOptions, Encoder, SystemLimit, encode, encode_bare};
pub use segments::{Segment, encode_segments, segments_to_list};
pub use size::size;

use crate::fun::{self, FunIdentity};
use crate::off_heap::MagicBlock;

/// How to decode.
#[derive(Clone, Copy, Default)]
pub struct DecodeOptions<'a> {
    /// Create no new atom and no new export entry.
    pub safe: bool,
    /// The atoms that the atom cache references of a distribution message refer to.
    pub atoms: &'a [Term],
    /// Where the bytes are, if large parts of them may be shared instead of copied.
    pub source: Option<SourceBinary>,
}

/// A shared binary whose bytes from `start` on are decoded.
#[derive(Clone, Copy, Debug)]
pub struct SourceBinary {
    pub binary: Term,
    pub start: usize,
}

/// Finds or creates the objects that terms point to but the runtime owns.
pub trait Resolver {
    /// The entry of `fun module:function/arity`; a missing one is created only if `create` is set.
    fn export(
        &mut self,
        module: Term,
        function: Term,
        arity: u32,
        create: bool,
    ) -> Option<&'static Export>;

    /// The entry of a fun; created, without code, if its module is not loaded.
    fn fun_entry(&mut self, identity: &FunIdentity) -> Option<fun::Found>;

    /// The Rust object behind a magic reference of this node, counted once more for the caller.
    fn magic(&mut self, _low: u64, _high: u64) -> Option<*mut MagicBlock> {
        None
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    /// A runtime without any function.
    pub(super) struct NoRuntime;

    impl Resolver for NoRuntime {
        fn export(&mut self, _: Term, _: Term, _: u32, _: bool) -> Option<&'static Export> {
            None
        }

        fn fun_entry(&mut self, _: &FunIdentity) -> Option<fun::Found> {
            None
        }
    }
}
