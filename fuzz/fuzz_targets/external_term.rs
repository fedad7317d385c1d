//! Fuzzes terms in the external format: what can be decoded, at once or in steps, can be encoded with all options,
//! measured, printed, and decoded to an equal term.

#![no_main]

use layout::{Export, FunEntry, Term};
use libfuzzer_sys::fuzz_target;
use std::ptr;
use term::atom;
use term::compare::eq_exact;
use term::external::{
    self, DecodeOptions, Decoder, EncodeOptions, Resolver, Step, size,
};
use term::fun::{self, Found, FunIdentity};
use term::heap::Scratch;
use term::print;

/// Units of work between two steps: so few that every kind of pause happens.
const STEP_BUDGET: usize = 3;

/// Gives each fun an entry of its own, which lives as long as one input. Finds no exports, which are never freed.
#[derive(Default)]
struct Funs(Vec<Box<FunEntry>>);

impl Resolver for Funs {
    fn export(&mut self, _: Term, _: Term, _: u32, _: bool) -> Option<&'static Export> {
        None
    }

    fn fun_entry(&mut self, identity: &FunIdentity) -> Option<Found> {
        self.0.push(Box::new(fun::new_entry(identity)));
        let entry = ptr::from_ref(&**self.0.last()?);
        Some(Found {
            entry,
            keeper: None,
        })
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut funs = Funs::default();
    let mut scratch = Scratch::new();
    let cache = ["ok", "error", "undefined"].map(atom::known);
    // Safe mode, which creates no atoms: they are never freed.
    let options = DecodeOptions {
        safe: true,
        atoms: &cache,
        ..DecodeOptions::default()
    };
    let stepped = decode_in_steps(&mut scratch, bytes, &options, &mut funs);
    let decoded = external::decode(scratch.heap(), bytes, &options, &mut funs);
    let Ok((term, used)) = decoded else {
        assert!(stepped.is_none(), "decoded only in steps");
        return;
    };
    assert!(used <= bytes.len());
    let stepped = stepped.expect("what is decoded at once is decoded in steps");
    check_print(term);
    for number in 0..8 {
        check_encode(&mut scratch, &mut funs, &cache, number, [term, stepped]);
    }
});

fn decode_in_steps(
    scratch: &mut Scratch,
    bytes: &[u8],
    options: &DecodeOptions,
    funs: &mut Funs,
) -> Option<Term> {
    let mut decoder = Decoder::new();
    loop {
        let mut budget = STEP_BUDGET;
        match decoder.run(scratch.heap(), bytes, options, funs, &mut budget) {
            Err(_) => return None,
            Ok(Step::Done(term)) => return Some(term),
            Ok(Step::More) => {}
        }
    }
}

fn check_print(term: Term) {
    let _ = print::display_limited(term, 1000).to_string();
}

/// Encodes two terms, made of the same bytes, with the options of a number: one bit for each.
fn check_encode(
    scratch: &mut Scratch,
    funs: &mut Funs,
    cache: &[Term],
    number: u8,
    [term, same]: [Term; 2],
) {
    let index = |wanted: Term| Some(cache.iter().position(|atom| *atom == wanted)? as u8);
    let options = EncodeOptions {
        text_floats: number & 1 != 0,
        utf8_atoms: number & 2 != 0,
        deterministic: true,
        atom_cache: (number & 4 != 0).then_some(&index),
    };
    let encoded = external::encode(term, &options).expect("no binary of 4 GiB");
    assert_eq!(size(term, &options), Ok(encoded.len()));
    assert_eq!(external::encode(same, &options), Ok(encoded.clone()));
    let loose = EncodeOptions {
        deterministic: false,
        ..options
    };
    assert_eq!(
        external::encode(term, &loose).map(|bytes| bytes.len()),
        Ok(encoded.len())
    );
    let options_back = DecodeOptions {
        safe: false,
        atoms: cache,
        ..DecodeOptions::default()
    };
    let (again, used) = external::decode(scratch.heap(), &encoded, &options_back, funs)
        .expect("what was encoded can be decoded");
    assert_eq!(used, encoded.len());
    // Two entries of one fun are two funs.
    assert!(!funs.0.is_empty() || eq_exact(term, again));
    assert_eq!(external::encode(again, &options), Ok(encoded));
}
