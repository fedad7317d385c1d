//! Fuzzes regular expressions that a program hands back compiled: whatever the bytes are, they are refused, or a
//! pattern that can be searched for within limits.

#![no_main]

use libfuzzer_sys::fuzz_target;
use regex::{CompileOptions, Outcome, RunOptions};

/// Options of a search are these bits of a number.
fn options(bits: u8) -> RunOptions {
    RunOptions {
        anchored: bits & 1 != 0,
        notbol: bits & 2 != 0,
        noteol: bits & 4 != 0,
        notempty: bits & 8 != 0,
        notempty_atstart: bits & 16 != 0,
        match_limit: Some(10_000),
        depth_limit: Some(1_000),
        ..RunOptions::default()
    }
}

fuzz_target!(|input: (u8, u32, Vec<u8>, Vec<u8>, u8)| {
    let (bits, compile_options, bytes, subject, offset) = input;
    let Ok(empty) = regex::compile(b"", CompileOptions::default()) else {
        return;
    };
    let mut forged = empty.to_bytes();
    let head = forged.len() - 4;
    forged[head..].copy_from_slice(&compile_options.to_le_bytes());
    forged.extend_from_slice(&bytes);
    for pattern in [regex::from_bytes(&forged), regex::from_bytes(&bytes)] {
        let Some(pattern) = pattern else { continue };
        assert!(regex::from_bytes(&pattern.to_bytes()).is_some());
        let offset = usize::from(offset).min(subject.len());
        if let Outcome::Match { groups, set } = pattern.run(&subject, offset, &options(bits)) {
            assert!(set <= groups.len());
            assert_eq!(groups.len(), pattern.captures() + 1);
            for (start, end) in groups.into_iter().flatten() {
                assert!(start <= subject.len() && end <= subject.len());
            }
        }
    }
});
