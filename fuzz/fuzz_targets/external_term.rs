//! Fuzzes terms in the external format: every term that can be decoded can be encoded, measured and printed.

#![no_main]

use layout::{Export, FunEntry, Term};
use libfuzzer_sys::fuzz_target;
use term::external::{self, DecodeOptions, EncodeOptions, FunIdentity, Resolver};
use term::heap::Scratch;
use term::print;

/// Resolves no functions: their entries are never freed, and would fill the memory.
struct NoRuntime;

impl Resolver for NoRuntime {
    fn export(&mut self, _: Term, _: Term, _: u32, _: bool) -> Option<&'static Export> {
        None
    }

    fn fun_entry(&mut self, _: &FunIdentity) -> Option<&'static FunEntry> {
        None
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut scratch = Scratch::new();
    // Safe mode, which creates no atoms: they are never freed.
    let options = DecodeOptions {
        safe: true,
        ..DecodeOptions::default()
    };
    let decoded = external::decode(scratch.heap(), bytes, &options, &mut NoRuntime);
    let Ok((term, used)) = decoded else {
        return;
    };
    assert!(used <= bytes.len());
    let options = EncodeOptions {
        deterministic: true,
        ..EncodeOptions::default()
    };
    let encoded = external::encode(term, &options).expect("no binary of 4 GiB");
    assert_eq!(external::size(term, &options), Ok(encoded.len()));
    let _ = print::display_limited(term, 1000).to_string();
    let (again, _) = external::decode(
        scratch.heap(),
        &encoded,
        &DecodeOptions::default(),
        &mut NoRuntime,
    )
    .expect("what was encoded can be decoded");
    assert!(term::compare::eq_exact(term, again));
    assert_eq!(external::encode(again, &options), Ok(encoded));
});
