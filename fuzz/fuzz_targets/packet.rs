//! Fuzzes packets in a stream of bytes: the length that is found is the same for more bytes, and what is within it can
//! be made a term and printed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use packet::{Length, Limits, PacketKind};
use term::heap::Scratch;
use term::print;

fuzz_target!(|input: (u8, u16, u16, bool, Vec<u8>)| {
    let (kind, packet_bytes, line_bytes, was_in_headers, bytes) = input;
    let kind = PacketKind::ALL[usize::from(kind) % PacketKind::ALL.len()];
    let limits = Limits {
        packet_bytes: packet_bytes.into(),
        line_bytes: line_bytes.into(),
        ..Limits::default()
    };
    let mut in_headers = was_in_headers;
    let Length::Known(length) = packet::length(kind, &bytes, &limits, &mut in_headers) else {
        return;
    };
    let Some(whole) = bytes.get(..length) else {
        return;
    };
    let body = packet::body(kind, whole);
    assert!(whole.get(body).is_some());
    let mut scratch = Scratch::new();
    if let Some(term) = packet::terms::parsed(scratch.heap(), kind, whole, &mut in_headers) {
        let _ = print::display_limited(term, 1000).to_string();
    }
});
