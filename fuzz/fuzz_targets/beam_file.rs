//! Fuzzes whole `.beam` files. Copies of any modules are good seeds, in `fuzz/corpus/beam_file`.

#![no_main]

use beamfile::{BeamFile, Code, Operand};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = BeamFile::parse(bytes) else {
        return;
    };
    for literal in file.literals.iter() {
        std::hint::black_box(literal);
    }
    if let Ok(code) = file.decode() {
        walk(&file, &code);
    }
});

/// Follows every index: those that the decoder has validated must not panic.
fn walk(file: &BeamFile, code: &Code) {
    for export in file.exports.iter().chain(&file.locals) {
        assert_eq!(
            code.function_at(export.label)
                .map(|function| function.arity),
            Some(export.arity)
        );
    }
    for function in &code.functions {
        std::hint::black_box((file.atom(function.module), file.atom(function.name)));
        assert!(!code.body(function).is_empty());
        for operation in code.body(function) {
            for operand in code.operands(operation) {
                follow(file, code, *operand);
            }
        }
    }
}

fn follow(file: &BeamFile, code: &Code, operand: Operand) {
    match operand {
        Operand::Atom(atom) => assert!((atom as usize) < file.atoms.len()),
        Operand::Literal(literal) => assert!(file.literals.get(literal).is_some()),
        Operand::BigInteger(integer) => assert!(code.big_integer(integer).len() > 8),
        Operand::Label(label) => assert!(label == 0 || code.label(label).is_some()),
        Operand::Import(import) => assert!((import as usize) < file.imports.len()),
        Operand::Lambda(lambda) => assert!((lambda as usize) < file.lambdas.len()),
        Operand::List(list) => {
            for element in code.list(list) {
                follow(file, code, *element);
            }
        }
        _ => {}
    }
}
