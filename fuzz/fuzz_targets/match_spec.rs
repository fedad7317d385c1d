//! Fuzzes match specifications: terms `[Specification | Subjects]` in the external format. Whatever can be decoded is
//! compiled, or refused, in both ways alike; and what is compiled runs on the subjects.

#![no_main]

use ets::match_spec::{self, Dialect, Interpreter, Program};
use layout::{Export, Term};
use libfuzzer_sys::fuzz_target;
use term::atom;
use term::external::{self, DecodeOptions, Resolver};
use term::fun::{Found, FunIdentity};
use term::heap::Scratch;

/// Resolves no functions: their entries are never freed, and would fill the memory.
struct NoRuntime;

impl Resolver for NoRuntime {
    fn export(&mut self, _: Term, _: Term, _: u32, _: bool) -> Option<&'static Export> {
        None
    }

    fn fun_entry(&mut self, _: &FunIdentity) -> Option<Found> {
        None
    }
}

fuzz_target!(|bytes: &[u8]| {
    for name in ["$1", "$2", "$3", "$10", "$_", "$$"] {
        let _ = atom::known(name);
    }
    let mut scratch = Scratch::new();
    // Safe mode, which creates no atoms: they are never freed.
    let options = DecodeOptions {
        safe: true,
        ..DecodeOptions::default()
    };
    let decoded = external::decode(scratch.heap(), bytes, &options, &mut NoRuntime);
    let Some((specification, mut subjects)) = decoded.ok().and_then(|(term, _)| term.as_cons())
    else {
        return;
    };
    let program = match_spec::sources(specification).and_then(|sources| Program::compile(&sources));
    let is_empty = specification.is_nil();
    let aloud = match_spec::compile_aloud(specification, Dialect::Table);
    assert!(is_empty || program.is_ok() == aloud.is_ok());
    let Ok(program) = program else {
        return;
    };
    let mut interpreter = Interpreter::new(&program, Term::NIL);
    while let Some((subject, rest)) = subjects.as_cons() {
        if let Some(result) = interpreter.run(&program, subject) {
            let mut room = Scratch::new();
            let _ = term::copy::copy(room.heap(), result);
        }
        subjects = rest;
    }
});
