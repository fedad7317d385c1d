//! Expressions whose values cover every kind of term, chosen by hand and generated.

use fastrand::Rng;

const CHOSEN: &[&str] = &[
    "0",
    "1",
    "-1",
    "255",
    "256",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "576460752303423487",
    "576460752303423488",
    "-576460752303423488",
    "-576460752303423489",
    "1 bsl 64",
    "-(1 bsl 64)",
    "(1 bsl 64) - 1",
    "1 bsl 2039",
    "1 bsl 2040",
    "-(1 bsl 5000) + 7",
    "0.0",
    "-0.0",
    "1.0",
    "-1.5",
    "3.141592653589793",
    "1.0e300",
    "1.0e-300",
    "5.0e-324",
    "1.7976931348623157e308",
    "123456789.125",
    "0.1",
    "ok",
    "''",
    "'hello world'",
    "'Åke'",
    "'ÿ'",
    "'ā'",
    "'日本'",
    "'\\n'",
    "'a\\'b'",
    "'A'",
    "a@b",
    "a_B1",
    "list_to_atom(lists:duplicate(255, $x))",
    "list_to_atom(lists:duplicate(255, $ö))",
    "list_to_atom(lists:duplicate(255, 16#65e5))",
    "'if'",
    "'end'",
    "'_x'",
    "'é'",
    "é",
    "[]",
    "[1]",
    "[256]",
    "[1,2,3]",
    "[a|b]",
    "[1|2]",
    "[1,2|3]",
    "\"abc\"",
    "[0]",
    "[1,-1]",
    "[[]]",
    "[[],[]]",
    "\"ab\" ++ [x]",
    "[97,98|c]",
    "lists:seq(1,255)",
    "lists:seq(1,256)",
    "[\"x\",\"\"]",
    "lists:duplicate(65535, $a)",
    "lists:duplicate(65536, $a)",
    "\"a\\nb\\\"c\\\\\"",
    "[$a,10]",
    "[$a,9,13]",
    "[7]",
    "[8,97]",
    "[27,127]",
    "[160,255]",
    "[128]",
    "\"åäö\"",
    "\"日本\"",
    "{}",
    "{1}",
    "{a,{b,[c]}}",
    "list_to_tuple(lists:seq(1,255))",
    "list_to_tuple(lists:seq(1,256))",
    "<<>>",
    "<<1>>",
    "<<1,2,3>>",
    "<<\"abc\">>",
    "<<5:3>>",
    "<<255,5:3>>",
    "<<0:1>>",
    "<<1:1,0:64>>",
    "binary:copy(<<7>>, 64)",
    "binary:copy(<<7>>, 65)",
    "<<(binary:copy(<<200>>, 100))/binary, 3:2>>",
    "begin <<_:3, R/bitstring>> = binary:copy(<<170>>, 80), R end",
    "begin <<_:3, R:16/bitstring, _/bitstring>> = <<1,2,3,4>>, R end",
    "<<\"abc\\n\">>",
    "<<97,0>>",
    "begin <<_:8, R/binary>> = binary:copy(<<\"xyz\">>, 80), R end",
    "<<\"å\">>",
    "<<\"å\"/utf8>>",
    "#{}",
    "#{a=>1}",
    "#{b=>2,a=>1}",
    "#{1=>a,1.0=>b,[]=>c,{}=>d,<<>>=>e,\"x\"=>f}",
    "#{#{a=>1}=>#{}}",
    "maps:from_list([{I, I} || I <- lists:seq(1, 32)])",
    "maps:from_list([{I, I} || I <- lists:seq(1, 33)])",
    "maps:from_list([{{I, <<I>>}, #{I => []}} || I <- lists:seq(1, 500)])",
    "maps:from_list([{integer_to_list(I), -I} || I <- lists:seq(1, 100)])",
    "maps:from_list([{I / 1, x} || I <- lists:seq(1, 50)])",
    "maps:from_list([{I bsl 61, maps:from_list([{{J}, I} || J <- lists:seq(1, 40)])} || I <- lists:seq(1, 50)])",
    "fun lists:map/2",
    "fun 'hello world':'Åke'/255",
    "fun erlang:'+'/2",
    "c:pid(0,0,0)",
    "c:pid(0,1,0)",
    "c:pid(0,1234,5)",
    "c:pid(0,32767,8191)",
    "binary_to_term(<<131,$X,119,3,\"a@b\",1:32,2:32,3:32>>)",
    "binary_to_term(<<131,$X,119,13,\"nonode@nohost\",1:32,2:32,3:32>>)",
    "binary_to_term(<<131,$g,100,0,3,\"a@b\",1:32,2:32,3>>)",
    "binary_to_term(<<131,$Y,119,3,\"a@b\",1:32,3:32>>)",
    "binary_to_term(<<131,$x,119,3,\"a@b\",(1 bsl 40):64,3:32>>)",
    "binary_to_term(<<131,$f,100,0,3,\"a@b\",1:32,3>>)",
    "binary_to_term(<<131,$Y,100,0,13,\"nonode@nohost\",77:32,0:32>>)",
    "binary_to_term(<<131,$Z,0,1,119,3,\"a@b\",1:32,3:32>>)",
    "binary_to_term(<<131,$Z,0,2,119,3,\"a@b\",1:32,(1 bsl 31):32,4:32>>)",
    "binary_to_term(<<131,$Z,0,5,119,3,\"a@b\",1:32,3:32,4:32,5:32,6:32,7:32>>)",
    "binary_to_term(<<131,$Z,0,4,119,3,\"a@b\",1:32,3:32,4:32,5:32,6:32>>)",
    "binary_to_term(<<131,$r,0,3,100,0,3,\"a@b\",1,3:32,4:32,5:32>>)",
    "binary_to_term(<<131,$e,100,0,3,\"a@b\",3:32,1>>)",
    "binary_to_term(<<131,$Z,0,3,100,0,13,\"nonode@nohost\",0:32,262143:32,4000000000:32,5:32>>)",
    "binary_to_term(<<131,$p,0:32,2,1:128,3:32,1:32,119,1,$m,97,3,98,7654321:32,$X,119,13,\"nonode@nohost\",1:32,0:32,0:32,$k,0,1,$x>>)",
    "binary_to_term(<<131,$p,0:32,0,(1 bsl 127):128,3:32,0:32,119,1,$m,97,255,98,300:32,$X,119,3,\"a@b\",1:32,0:32,0:32>>)",
    "lists:foldl(fun(_, A) -> {A} end, x, lists:seq(1, 300))",
    "lists:foldl(fun(_, A) -> [A] end, x, lists:seq(1, 300))",
];

/// All chosen expressions, and `count` generated ones.
pub(crate) fn all(count: usize) -> Vec<String> {
    let mut random = Rng::with_seed(0x9e37_79b9_7f4a_7c15);
    let chosen = CHOSEN.iter().map(|text| (*text).to_owned());
    let made = (0..count).map(|_| make(&mut random, 4));
    chosen.chain(made).collect()
}

fn make(random: &mut Rng, depth: usize) -> String {
    let several = |random: &mut Rng| -> String {
        let count = random.usize(..5);
        let parts: Vec<String> = (0..count).map(|_| make(random, depth - 1)).collect();
        parts.join(",")
    };
    let kind = random.usize(..if depth == 0 { 7 } else { 12 });
    match kind {
        0 => (random.usize(..600) as i64 - 300).to_string(),
        1 => (random.u64(..) as i64 >> random.usize(..64)).to_string(),
        2 => format!("{}{}", random.u64(..), random.u64(..)),
        3 => ["a", "b", "ok", "'X y'", "'ö'", "true", "'日'"][random.usize(..7)].to_owned(),
        4 => {
            let value = f64::from_bits(random.u64(..));
            let value = if value.is_finite() { value } else { 0.5 };
            format!("{value:e}").replace(
                'e',
                if format!("{value:e}").contains('.') {
                    "e"
                } else {
                    ".0e"
                },
            )
        }
        5 => format!("\"{}\"", "xyzzy plugh".get(..random.usize(..11)).unwrap()),
        6 => {
            let bytes: Vec<String> = (0..random.usize(..90))
                .map(|_| random.usize(..256).to_string())
                .collect();
            let end = ["", "5:3", "1:1", "100:7"][random.usize(..4)];
            let comma = if bytes.is_empty() || end.is_empty() {
                ""
            } else {
                ","
            };
            format!("<<{}{comma}{end}>>", bytes.join(","))
        }
        7 | 8 => format!("[{}]", several(random)),
        9 => format!("{{{}}}", several(random)),
        10 => format!("[{}|{}]", make(random, depth - 1), make(random, depth - 1)),
        _ => {
            let pairs: Vec<String> = (0..random.usize(..6))
                .map(|_| {
                    format!(
                        "{}=>{}",
                        make(random, depth.min(2) - 1),
                        make(random, depth - 1)
                    )
                })
                .collect();
            format!("#{{{}}}", pairs.join(","))
        }
    }
}
