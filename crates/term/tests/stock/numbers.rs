//! Compares the conversion of numbers to text and back with stock OTP.

use fastrand::Rng;
use term::external::{self, DecodeOptions};
use term::heap::Scratch;
use term::text::float::{self, Form};
use term::text::integer;

use crate::ask::{ask, unhex};
use crate::runtime::TestRuntime;

fn floats() -> Vec<f64> {
    let mut random = Rng::with_seed(7);
    let mut floats = vec![
        0.0,
        -0.0,
        1.0,
        0.1,
        0.5,
        1.5,
        2.5,
        0.125,
        1.25,
        1.005,
        2.675,
        0.045,
        1e15,
        1e16,
        1e21,
        1e22,
        1e23,
        123456789012345680.0,
        9007199254740991.0,
        9007199254740992.0,
        9007199254740994.0,
        -9007199254740993.0,
        5e-324,
        2.2250738585072014e-308,
        1.7976931348623157e308,
        1e-5,
        1e-4,
        0.001,
        100000.0,
        1000000.0,
        123000.0,
        4503599627370496.5,
        4503599627370497.5,
        0.3,
        2.0 / 3.0,
        99.995,
        999999.9999999,
        0.9999999999999999,
        1e100,
        4.35,
        1e9,
        12e8,
        0.00012,
        1.0e-10,
    ];
    for exponent in -30..30 {
        floats.extend([
            10f64.powi(exponent),
            1.5 * 10f64.powi(exponent),
            -1.25 * 10f64.powi(exponent),
        ]);
        floats.extend([2f64.powi(exponent * 3), 123.0 * 10f64.powi(exponent)]);
    }
    for _ in 0..1500 {
        let any = f64::from_bits(random.u64(..));
        if any.is_finite() {
            floats.push(any);
        }
        floats.push(random.usize(..1_000_000) as f64 / 1000.0);
        floats.push((random.u64(..) >> random.usize(..60)) as f64 / 1024.0);
        floats.push(-(random.usize(..100_000) as f64) / 10f64.powi(random.usize(..12) as i32));
    }
    floats
}

#[test]
fn floats_look_as_on_stock() {
    let floats = floats();
    let expressions: Vec<String> = floats
        .iter()
        .map(|value| format!("<<{}:64>>", value.to_bits()))
        .collect();
    let mapper = "fun(<<F/float>>) -> T = fun(O) -> try float_to_list(F, O) catch error:badarg -> \"badarg\" end end,
        lists:join($ , [T([])] ++ [T([short])]
          ++ [T([{scientific, N}]) || N <- [-1, 0, 1, 5, 17, 30, 248, 249, 250]]
          ++ [T([{decimals, N} | C]) || C <- [[], [compact]], N <- [-1, 0, 1, 2, 3, 7, 15, 18, 19, 40, 251, 252, 253, 254]])
        end";
    let lines = ask(mapper, &expressions);
    let mut forms = vec![Form::default(), Form::Short];
    forms.extend([-1, 0, 1, 5, 17, 30, 248, 249, 250].map(Form::Scientific));
    for compact in [false, true] {
        let decimals = [-1, 0, 1, 2, 3, 7, 15, 18, 19, 40, 251, 252, 253, 254];
        forms.extend(decimals.map(|decimals| Form::Decimals { decimals, compact }));
    }
    for (value, line) in floats.iter().zip(&lines) {
        for (form, expected) in forms.iter().zip(line.split(' ')) {
            let text = float::with_text(*value, *form, <[u8]>::to_vec);
            let text = text.unwrap_or_else(|| b"badarg".to_vec());
            assert_eq!(
                text.as_slice(),
                expected.as_bytes(),
                "{value:e} as {form:?}"
            );
        }
        let read = |whole: &[u8]| float::parse(whole).unwrap();
        let parsed = float::with_text(*value, Form::default(), read).unwrap();
        assert_eq!(parsed.to_bits(), value.to_bits());
    }
}

#[test]
fn float_texts_are_read_as_on_stock() {
    let mut random = Rng::with_seed(11);
    let mut texts: Vec<String> = [
        "1.0",
        "1",
        "1.",
        ".5",
        "1,5",
        "+1.0",
        "-1.0",
        "1.0e5",
        "1.0E+05",
        "1e5",
        "1.0e",
        "1.0e-400",
        "1.0e400",
        "inf",
        "nan",
        "",
        "1.0 ",
        "0.1e1x",
        "00.50",
        "1.7976931348623159e308",
        "2.4703282292062328e-324",
        "2.4703282292062327e-324",
        "9007199254740993.0",
        "-0.0",
        "0.0e999999999999",
    ]
    .map(str::to_owned)
    .into();
    for _ in 0..1500 {
        let length = random.usize(..12);
        texts.push(
            (0..length)
                .map(|_| char::from(b"0159..,e+-E "[random.usize(..12)]))
                .collect(),
        );
        let digits: String = (0..=random.usize(..30))
            .map(|_| char::from(b'0' + random.usize(..10) as u8))
            .collect();
        let fraction: String = (0..=random.usize(..30))
            .map(|_| char::from(b'0' + random.usize(..10) as u8))
            .collect();
        texts.push(format!(
            "{digits}.{fraction}e{}",
            random.usize(..640) as i64 - 330
        ));
    }
    let expressions: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
    let mapper = "fun(T) -> L = try <<(list_to_float(T))/float>> catch error:badarg -> <<>> end,
        B = try <<(binary_to_float(list_to_binary(T)))/float>> catch error:badarg -> <<>> end, L = B,
        P = case string:list_to_float(T) of {error, _} -> \"-\"; {F, R} ->
              [binary:encode_hex(<<F/float>>), $:, integer_to_list(length(R))] end,
        [binary:encode_hex(L), $ , P] end";
    let lines = ask(mapper, &expressions);
    let hex = |value: f64| format!("{:016X}", value.to_bits());
    for (text, line) in texts.iter().zip(&lines) {
        let (whole, prefix) = line.split_once(' ').unwrap();
        let own = float::parse(text.as_bytes()).map_or(String::new(), hex);
        assert_eq!(own, whole, "{text:?}");
        let own = float::parse_prefix(text.as_bytes()).map_or("-".to_owned(), |(value, length)| {
            format!("{}:{}", hex(value), text.len() - length)
        });
        assert_eq!(own, prefix, "{text:?}");
    }
}

#[test]
fn integers_look_and_read_as_on_stock() {
    let mut random = Rng::with_seed(13);
    let mut expressions: Vec<String> = Vec::new();
    for _ in 0..300 {
        let digits = random.usize(..100);
        let digits: String = (0..=digits)
            .map(|_| char::from(b'0' + random.usize(..10) as u8))
            .collect();
        let sign = ["", "-"][random.usize(..2)];
        expressions.push(format!("{{{sign}{digits}, {}}}", 2 + random.usize(..35)));
    }
    let mapper = "fun({N, B}) -> T = integer_to_list(N, B), N = list_to_integer(T, B),
        [T, $ , integer_to_list(B), $ , binary:encode_hex(term_to_binary(N))] end";
    let lines = ask(mapper, &expressions);
    for line in lines {
        let fields: Vec<&str> = line.split(' ').collect();
        let base: u32 = fields[1].parse().unwrap();
        let mut scratch = Scratch::new();
        let bytes = unhex(fields[2]);
        let (value, _) = external::decode(
            scratch.heap(),
            &bytes,
            &DecodeOptions::default(),
            &mut TestRuntime,
        )
        .unwrap();
        assert_eq!(integer::print(value, base), fields[0]);
        let lower = fields[0].to_lowercase();
        let read = integer::parse(scratch.heap(), lower.as_bytes(), base).unwrap();
        assert_eq!(external::encode(read, &Default::default()).unwrap(), bytes);
    }
}
