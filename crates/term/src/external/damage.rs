//! Terms in external format, damaged by a generator with fixed seeds: however one is damaged, decoding it ends in a
//! term or an error and takes memory in proportion to the input. A decoded term can be encoded, measured and printed.
//!
//! `fuzz/` does the same for hours, with a nightly compiler.

use super::testing::NoRuntime;
use super::{DecodeOptions, Decoder, EncodeOptions, Step, compress, decode, encode, size};
use crate::heap::Scratch;
use crate::samples::Samples;
use crate::{compare, gc, print};

const SEEDS: u64 = 1000;
const ROUNDS_PER_SEED: usize = 40;
/// A byte may become a cons cell and more. This bound is far below what trusting a false count would allocate.
const WORDS_PER_BYTE: usize = 8;
const FLOOR_WORDS: usize = 4096;

const DETERMINISTIC: EncodeOptions = EncodeOptions {
    text_floats: false,
    utf8_atoms: false,
    local: false,
    deterministic: true,
    atom_cache: None,
};

#[test]
fn damaged_terms_decode_to_something_sound_or_not_at_all() {
    let mut sound = 0;
    let mut refused = 0;
    for seed in 1..=SEEDS {
        let mut samples = Samples::new(seed);
        let whole = encode(samples.any(4).term, &DETERMINISTIC).expect("a small term");
        for length in 0..whole.len().min(200) {
            assert!(
                !check(&whole[..length]),
                "a term cut short: {length} of {whole:?}"
            );
        }
        assert!(check(&whole));
        for _ in 0..ROUNDS_PER_SEED {
            let mut bytes = damage(&mut samples, &whole);
            if samples.random(8) == 0 {
                bytes = compress(&bytes, 6, || true).unwrap_or(bytes);
                if samples.random(2) == 0 {
                    bytes = damage(&mut samples, &bytes);
                }
            }
            if check(&bytes) {
                sound += 1;
            } else {
                refused += 1;
            }
        }
    }
    assert!(sound > 500 && refused > 500, "{sound} sound, {refused} not");
}

/// Changes, inserts, duplicates or removes a few bytes, but never the first, which is the version.
fn damage(samples: &mut Samples, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..1 + samples.random(4) {
        if bytes.len() < 2 {
            break;
        }
        let at = 1 + samples.random(bytes.len() as u64 - 1) as usize;
        match samples.random(6) {
            0 => bytes.insert(at, samples.random(256) as u8),
            1 => drop(bytes.remove(at)),
            2 => bytes[at] = 0xff,
            3 => {
                // Most tags of the format are in this range.
                bytes[at] = 97 + samples.random(23) as u8;
            }
            4 => {
                let end = (at + 1 + samples.random(12) as usize).min(bytes.len());
                let copied = bytes[at..end].to_vec();
                let to = 1 + samples.random(bytes.len() as u64 - 1) as usize;
                bytes.splice(to..to, copied);
            }
            _ => bytes[at] = samples.random(256) as u8,
        }
    }
    bytes
}

/// Decodes at once and in steps; returns whether the bytes are a term.
fn check(bytes: &[u8]) -> bool {
    let mut scratch = Scratch::new();
    // Safe decoding, because atoms are never freed.
    let options = DecodeOptions {
        safe: true,
        ..DecodeOptions::default()
    };
    let decoded = decode(scratch.heap(), bytes, &options, &mut NoRuntime);
    if bytes.get(1) != Some(&super::tags::COMPRESSED) {
        let words = gc::total_words(scratch.heap());
        assert!(
            words <= bytes.len() * WORDS_PER_BYTE + FLOOR_WORDS,
            "{words} words for {bytes:?}"
        );
    }
    let in_steps = decode_in_steps(&mut scratch, bytes, &options);
    let Ok((term, used)) = decoded else {
        assert!(in_steps.is_none(), "only in steps: {bytes:?}");
        return false;
    };
    assert!(used <= bytes.len());
    let stepped = in_steps.unwrap_or_else(|| panic!("not in steps: {bytes:?}"));
    assert!(compare::eq_exact(term, stepped), "{bytes:?}");

    let encoded = encode(term, &DETERMINISTIC).expect("a small term");
    assert_eq!(size(term, &DETERMINISTIC), Ok(encoded.len()), "{bytes:?}");
    assert!(!print::display_limited(term, 1000).to_string().is_empty() || encoded.len() < 8);
    let again = decode(
        scratch.heap(),
        &encoded,
        &DecodeOptions::default(),
        &mut NoRuntime,
    );
    let (again, _) = again.unwrap_or_else(|error| panic!("{error:?} from {bytes:?}"));
    assert!(compare::eq_exact(term, again), "{bytes:?}");
    assert_eq!(encode(again, &DETERMINISTIC), Ok(encoded), "{bytes:?}");
    true
}

fn decode_in_steps(
    scratch: &mut Scratch,
    bytes: &[u8],
    options: &DecodeOptions,
) -> Option<layout::Term> {
    let mut decoder = Decoder::new();
    loop {
        let mut budget = 3;
        match decoder.run(scratch.heap(), bytes, options, &mut NoRuntime, &mut budget) {
            Err(_) => return None,
            Ok(Step::Done(term)) => return Some(term),
            Ok(Step::More) => {}
        }
    }
}
