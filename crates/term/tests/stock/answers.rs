//! Compares the results of a function of terms here with those of a fun on stock OTP. Both questions and answers are
//! passed in the external format.

use crate::ask::{ask, unhex};
use crate::runtime::TestRuntime;
use term::external::{self, DecodeOptions, EncodeOptions};
use term::heap::Scratch;
use term::{Term, build};

fn encoded(term: Term) -> Vec<u8> {
    external::encode(term, &EncodeOptions::minor_version(2).unwrap()).unwrap()
}

/// Asks `mapper`, an Erlang fun on stock OTP, every question, and compares its answers with ours.
pub(crate) fn compare(mapper: &str, questions: &[(Term, Term)]) {
    let hex =
        |bytes: Vec<u8>| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let asked: Vec<String> = questions
        .iter()
        .map(|(question, _)| format!("\"{}\"", hex(encoded(*question))))
        .collect();
    let mapper = format!(
        "fun(Hex) -> F = {mapper}, binary:encode_hex(term_to_binary(F(binary_to_term(binary:decode_hex(list_to_binary(Hex)))), [{{minor_version, 2}}])) end"
    );
    let lines = ask(&mapper, &asked);
    for ((question, ours), line) in questions.iter().zip(&lines) {
        let theirs = unhex(line);
        if encoded(*ours) != theirs {
            panic!(
                "{}: here {}, there {}",
                shown(*question),
                shown(*ours),
                shown_bytes(&theirs)
            );
        }
    }
}

fn shown(term: Term) -> String {
    term::print::display_limited(term, 2000).to_string()
}

fn shown_bytes(bytes: &[u8]) -> String {
    let mut scratch = Scratch::new();
    match external::decode(
        scratch.heap(),
        bytes,
        &DecodeOptions::default(),
        &mut TestRuntime,
    ) {
        Ok((term, _)) => shown(term),
        Err(error) => format!("{error}"),
    }
}

/// `{ok, Value}`, or the atom that names the error.
pub(crate) fn outcome(scratch: &mut Scratch, result: Result<Term, Term>) -> Term {
    match result {
        Ok(value) => build::tuple(scratch.heap(), &[term::am::OK, value]),
        Err(reason) => reason,
    }
}
