//! Checks which handlers the programs under `tests/programs/operations` use: all that have stencils, for every
//! combination of operands, except those listed here with a reason, and those that come from a generic operation of a
//! later release than 25.

use std::collections::HashSet;
use std::path::Path;

use spec::Opcode;
use spec::opcodes::Status;

use crate::harness::Node;

/// Rows that the programs do not use, or use only in part: the operation, and the indexes of the unused combinations.
const HOLES: &[(&str, &[usize])] = &[
    // A tuple that is overwritten is not a constant.
    ("tuples::SetTupleElement", &[2, 5]),
    // Parts of `put_tuple2`, `make_fun3`, `select_val` and `select_tuple_arity` in machine code. The threaded form,
    // which this test examines, uses a single handler for each of them.
    ("tuples::PutHeader", &[0]),
    ("tuples::PutElement", &[0, 1, 2]),
    // Of `update_record`, likewise.
    ("tuples::CopyElement", &[0, 1, 2]),
    ("tuples::EndTuple", &[0, 1]),
    ("select::SelectNode", &[0, 1]),
    ("select::IsBoxed", &[0, 1]),
    ("select::SelectHeader", &[0, 1]),
    // Calls of a function by itself, and returns to itself (`language/recursion_to_itself` of the corpus): in the
    // programs each operation has a function of its own.
    ("calls::CallWithin", &[0]),
    ("calls::MoveCallWithin", &[0, 1, 2]),
    // From a Y register, where there is no frame that could have one.
    ("calls::MoveCallOnly", &[1]),
    // As above.
    ("calls::ReturnWithin", &[0]),
    ("calls::MoveReturn", &[1]),
    ("calls::FunHead", &[0]),
    // From OTP 26 on they may be called in guards: run with 27 and 29.
    ("arith::Max", &[0, 1]),
    ("arith::Min", &[0, 1]),
    // Of native records and of `bs_match`, likewise.
    ("records::IsRecordAccessible", &[0, 1]),
    ("records::GetRecordElement", &[0, 1, 2, 3]),
    ("binaries::ReadUnsigned", &[0, 1, 2, 3]),
    ("binaries::ReadSigned", &[0, 1, 2, 3]),
    ("binaries::ReadLittle", &[0, 1, 2, 3]),
    ("binaries::OpenWindow", &[0, 1]),
    ("binaries::TakeByte", &[0, 1]),
    ("binaries::TakeUnsigned", &[0, 1]),
    ("binaries::TakeSigned", &[0, 1]),
    ("binaries::TakeLittle", &[0, 1]),
    ("binaries::Advance", &[0, 1]),
    ("binaries::TestAtLeast", &[0, 1]),
    ("binaries::TestRest", &[0, 1]),
    // Only where coverage is wanted.
    ("coverage::Mark", &[0]),
    ("coverage::Count", &[0]),
    // Only in what is loaded for debuggers.
    ("debugger::LineBreakpoint", &[0]),
    // OTP's compiler always receives into x0.
    ("messages::LoopRec", &[1]),
];

/// Writes the modules of all families to the working directory.
const WRITE: &str = "[ok = file:write_file(atom_to_list(Name) ++ \".beam\", Beam)
    || Family <- operations:families(), {Name, Beam} <- operations:beams(Family)], halt().";

#[test]
fn the_programs_of_operations_use_every_handler() {
    let _alone = crate::alone();
    let folder = std::env::temp_dir().join(format!("ferl-operations-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compile = stock::erlc_25();
    compile.arg(root.join("tests/support/operations.erl"));
    let mut write = stock::erl_25();
    write.args(["-noshell", "-eval", WRITE]);
    for mut command in [compile, write] {
        let output = command
            .current_dir(&folder)
            .output()
            .expect("OTP 25 starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
    }
    engine::native::set_enabled(false);
    let mut node = Node::new();
    let mut used = HashSet::new();
    let mut modules = 0;
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("operation_") {
            continue;
        }
        modules += 1;
        let loaded = node.try_load(&name, &std::fs::read(&path).unwrap());
        loaded.unwrap_or_else(|error| panic!("{name}: {error}"));
        let words = node.code(&name).range();
        let mut at = words.start;
        while at < words.end {
            // SAFETY: the words belong to code that is alive.
            used.insert(unsafe { *at } as usize);
            at = at.wrapping_add(1);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    engine::native::set_enabled(true);
    assert!(modules > 250, "{modules} modules");

    let mut found = Vec::new();
    let mut combinations = 0;
    for row in engine::native::rows() {
        combinations += row.handlers.len();
        let is_used = |index: &usize| used.contains(&(row.handlers[*index] as usize));
        let unused: Vec<usize> = (0..row.handlers.len())
            .filter(|index| !is_used(index))
            .collect();
        if is_newer(row.generic) {
            assert_eq!(
                unused.len(),
                row.handlers.len(),
                "{} is of a later release",
                row.name
            );
        } else if !unused.is_empty() {
            found.push((row.name, unused));
        }
    }
    println!("{modules} modules, {combinations} combinations of operation and operands");
    let expected: Vec<_> = HOLES
        .iter()
        .map(|(title, list)| (*title, list.to_vec()))
        .collect();
    assert_eq!(found, expected);
}

/// Whether the assembler of OTP 25, with which the programs are made, does not know an operation: it is run with later
/// ones.
fn is_newer(generic: Option<Opcode>) -> bool {
    generic.is_some_and(|opcode| matches!(opcode.status(), Status::Later(_)))
}
