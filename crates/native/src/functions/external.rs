//! The external term format.

use std::ffi::{c_int, c_uint};
use std::{ptr, slice};

use layout::Term;
use runtime::code::load::CodeResolver;
use term::external::{self, DecodeOptions, EncodeOptions};

use super::binaries::allocate;
use crate::abi::{Binary, Out};
use crate::check;
use crate::env::Env;

#[unsafe(no_mangle)]
pub(super) extern "C" fn enif_term_to_binary(
    env: *const Env,
    term: Term,
    binary: Out<'_, Binary>,
) -> c_int {
    check::read(env, "enif_term_to_binary", term);
    let encoded = external::encode(term, &EncodeOptions::of_release()).ok();
    let made = encoded.and_then(|bytes| {
        let made = allocate(bytes.len())?;
        // SAFETY: the new binary has as many bytes.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), made.data, bytes.len()) };
        Some(made)
    });
    super::numbers::store(binary, made)
}

/// `ErlNifBinaryToTerm`
const SAFE: c_uint = 0x2000_0000;

/// Returns how many bytes the term took; 0 if it could not be decoded.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn enif_binary_to_term(
    env: &mut Env,
    data: *const u8,
    size: usize,
    term: Out<'_, Term>,
    options: c_uint,
) -> usize {
    if size == 0 || options & !SAFE != 0 {
        return 0;
    }
    // SAFETY: the header asks for as many bytes.
    let bytes = unsafe { slice::from_raw_parts(data, size) };
    let options = DecodeOptions {
        safe: options == SAFE,
        ..DecodeOptions::default()
    };
    match external::decode(env.heap(), bytes, &options, &mut CodeResolver) {
        Ok((decoded, used)) => {
            term.write(decoded);
            used
        }
        Err(_) => 0,
    }
}
