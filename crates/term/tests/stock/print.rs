//! Compares `erlang:display/1` with stock OTP.

use term::external::{self, DecodeOptions};
use term::heap::Scratch;
use term::print;

use crate::ask::{run, unhex};
use crate::expressions;
use crate::runtime::TestRuntime;

#[test]
fn terms_look_as_on_stock() {
    let expressions = expressions::all(600);
    let mapper = "fun(V) -> erlang:display(V), binary:encode_hex(term_to_binary(V)) end";
    let answer = run(mapper, &expressions);
    let mut shown = answer.output.split(|&byte| byte == b'\n');
    for (expression, line) in expressions.iter().zip(&answer.lines) {
        let expected = shown.next().unwrap().strip_suffix(b"\r").unwrap_or(b"?");
        let mut scratch = Scratch::new();
        let bytes = unhex(line);
        let options = DecodeOptions::default();
        let (value, _) =
            external::decode(scratch.heap(), &bytes, &options, &mut TestRuntime).unwrap();
        let own = print::display_bytes(value);
        assert_eq!(
            without_channels(&own),
            without_channels(expected),
            "{expression}"
        );
    }
}

/// Replaces the numbers of other nodes: they are atom indexes, which differ.
fn without_channels(text: &[u8]) -> String {
    let text: String = text.iter().map(|&byte| char::from(byte)).collect();
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at + 1);
        result.push_str(before);
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest = after;
        if digits > 0 && after[digits..].starts_with('.') && after[..digits] != *"0" {
            result.push('N');
            rest = &after[digits..];
        }
    }
    result + rest
}
