//! Fuzzes the operations of one function in an otherwise valid file, so that all work goes into the decoder.

#![no_main]

use beamfile::BeamFile;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let module = module(body);
    let file = BeamFile::parse(&module).expect("all but the code is sound");
    assert_eq!(file.survey().err(), file.decode().err());
});

/// A module `m` with the function `m:f/0`, which has this body, and one of everything that operands can refer to.
fn module(body: &[u8]) -> Vec<u8> {
    const LABELS: u32 = 16;
    // label 1, func_info m f 0, label 2.
    const HEAD: &[u8] = &[1, 0x10, 2, 0x12, 0x22, 0x00, 1, 0x20];
    const INT_CODE_END: u8 = 3;
    let mut code = words(&[16, 0, 191, LABELS, 1]);
    code.extend(HEAD);
    code.extend(body);
    code.push(INT_CODE_END);

    let mut form = b"BEAM".to_vec();
    for (id, data) in [
        (b"AtU8", &b"\0\0\0\x02\x01m\x01f"[..]),
        (b"Code", &code),
        (b"StrT", b"some text"),
        (b"ImpT", &words(&[1, 1, 2, 0])),
        (b"ExpT", &words(&[1, 2, 0, 2])),
        (b"FunT", &words(&[1, 2, 0, 2, 0, 0, 0])),
        (b"LitT", b"\0\0\0\0\0\0\0\x01\0\0\0\x02\x83j"),
        (b"Line", b"\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\0\x11"),
        (b"Type", b"\0\0\0\x02\0\0\0\x01\x1f\xff"),
    ] {
        form.extend(id);
        form.extend((data.len() as u32).to_be_bytes());
        form.extend(data);
        form.resize(form.len().next_multiple_of(4), 0);
    }
    [b"FOR1", &(form.len() as u32).to_be_bytes(), &form[..]].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}
