//! Compares the external format with stock OTP: what it encodes is decoded and encoded again, to the same bytes; and
//! damaged bytes never do harm.

use crate::ask::{ask, unhex};
use crate::expressions;
use crate::runtime::TestRuntime;
use fastrand::Rng;
use layout::no_gc;
use term::external::{self, DecodeOptions, EncodeOptions};
use term::heap::Scratch;
use term::list;

const MAPPER: &str = r#"fun(V) -> Hex = fun(B) -> binary:encode_hex(B) end,
    lists:join($ , [[Hex(term_to_binary(V, [{minor_version, N}])), $ ,
                     case N of 2 -> "-"; _ -> integer_to_list(erlang:external_size(V, [{minor_version, N}])) end] || N <- [0, 1, 2]]
                   ++ [Hex(term_to_binary(V, [deterministic])), Hex(iolist_to_binary(term_to_iovec(V))),
                       Hex(term_to_binary(V, [compressed]))]) end"#;

#[test]
fn stock_bytes_come_back_the_same() {
    let expressions = expressions::all(600);
    let lines = ask(MAPPER, &expressions);
    for (expression, line) in expressions.iter().zip(&lines) {
        check(expression, line);
    }
}

fn check(expression: &str, line: &str) {
    let fields: Vec<&str> = line.split(' ').collect();
    let mut scratch = Scratch::new();
    let bytes = unhex(fields[2]);
    let decode = |scratch: &mut Scratch, bytes: &[u8]| {
        external::decode(
            scratch.heap(),
            bytes,
            &DecodeOptions::default(),
            &mut TestRuntime,
        )
        .unwrap_or_else(|error| panic!("{expression}: {error}"))
    };
    let (value, used) = decode(&mut scratch, &bytes);
    assert_eq!(used, bytes.len(), "{expression}");
    for version in 0..=2 {
        let options = EncodeOptions::minor_version(version).unwrap();
        let expected = unhex(fields[usize::from(version) * 2]);
        let size = fields[usize::from(version) * 2 + 1];
        assert_eq!(
            external::encode(value, &options).unwrap(),
            expected,
            "{expression}, {version}"
        );
        if size != "-" {
            let own = external::size(value, &options).unwrap();
            assert_eq!(own.to_string(), size, "{expression}, {version}");
        }
        let (again, _) = decode(&mut scratch, &expected);
        assert_eq!(
            external::encode(again, &options).unwrap(),
            expected,
            "{expression}, {version}"
        );
    }
    let options = EncodeOptions {
        deterministic: true,
        ..EncodeOptions::default()
    };
    assert_eq!(
        external::encode(value, &options).unwrap(),
        unhex(fields[6]),
        "{expression}"
    );
    let (buffer, segments) = external::encode_segments(value, &EncodeOptions::default()).unwrap();
    let list = external::segments_to_list(scratch.heap(), &buffer, &segments);
    let mut joined = Vec::new();
    for segment in list::to_vec(list).unwrap() {
        joined.extend_from_slice(segment.as_bits().unwrap().as_bytes(no_gc!()).unwrap());
    }
    assert_eq!(joined, unhex(fields[7]), "{expression}");
    let stock_compressed = unhex(fields[8]);
    let compressed = external::compress(&bytes, 6, || true).unwrap_or(bytes.clone());
    // The results of the two compressors differ by a few percent, which matters only near the limit.
    if (compressed[1] == 80) != (stock_compressed[1] == 80) {
        let shorter = compressed.len().min(stock_compressed.len());
        assert!(
            shorter + 24 + bytes.len() / 10 >= bytes.len(),
            "{expression}"
        );
    }
    for bytes in [stock_compressed, compressed] {
        let (again, used) = decode(&mut scratch, &bytes);
        assert_eq!(used, bytes.len(), "{expression}");
        assert_eq!(
            external::encode(again, &EncodeOptions::default()).unwrap(),
            unhex(fields[2]),
            "{expression}"
        );
    }
}

#[test]
fn broken_bytes_do_no_harm() {
    let expressions = expressions::all(100);
    let lines = ask(
        "fun(V) -> binary:encode_hex(term_to_binary(V)) end",
        &expressions,
    );
    let mut random = Rng::with_seed(42);
    let options = DecodeOptions {
        safe: true,
        ..DecodeOptions::default()
    };
    for line in lines {
        let whole = unhex(&line);
        let attempt = |bytes: &[u8]| {
            let mut scratch = Scratch::new();
            if let Ok((term, used)) =
                external::decode(scratch.heap(), bytes, &options, &mut TestRuntime)
            {
                assert!(used <= bytes.len());
                let _ = external::encode(term, &EncodeOptions::default()).unwrap();
            }
        };
        let step = (whole.len() / 200).max(1);
        for end in (0..whole.len()).step_by(step) {
            attempt(&whole[..end]);
        }
        for _ in 0..200 {
            let mut bytes = whole.clone();
            for _ in 0..=random.usize(..3) {
                let at = 1 + random.usize(..bytes.len() - 1);
                bytes[at] = if random.bool() {
                    random.u8(..)
                } else {
                    b"FMXYZabcdefghijklmnopqrstvwx"[random.usize(..28)]
                };
            }
            attempt(&bytes);
        }
    }
}
