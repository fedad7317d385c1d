//! Reads every file of the installed OTP, and compares the results with those of OTP's own tools.
//!
//! The installation is that of `erl` on PATH; without one, these tests fail instead of being skipped.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use beamfile::{BeamFile, ChunkId, Code, Function, LabelTarget, Operand};
use spec::Opcode;

#[test]
fn every_file_decodes_and_its_tables_are_those_that_otp_finds() {
    let files = beam_files(&stock::otp().root.join("lib"));
    assert!(
        files.len() > 100,
        "an OTP installation has hundreds of modules, found {}",
        files.len()
    );
    let expected = ask(
        r#"fun(File) ->
               {ok, Beam} = file:read_file(File),
               {ok, {Module, Chunks}} = beam_lib:chunks(Beam, [atoms, imports, exports, locals], [allow_missing_chunks]),
               Lengths = [length(L) || {_, L} <- Chunks, is_list(L)],
               io:format("~s~n~w~n~w~n~w~n", [File, binary_to_list(code:module_md5(Beam)), Lengths,
                                              unicode:characters_to_list(atom_to_list(Module))])
           end"#,
        &files,
    );
    let mut lines = expected.lines();
    let mut answers = HashMap::new();
    while let (Some(file), Some(md5), Some(lengths), Some(module)) =
        (lines.next(), lines.next(), lines.next(), lines.next())
    {
        answers.insert(file, (md5, lengths, module));
    }

    for path in &files {
        let file = read(path);
        let code = file
            .decode()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        surveyed(&file, &code);
        let (md5, lengths, module) = answers[path.to_str().unwrap()];
        assert_eq!(
            format!("{:?}", file.md5).replace(' ', ""),
            md5,
            "{}",
            path.display()
        );
        let found = [
            file.atoms.len(),
            file.imports.len(),
            file.exports.len(),
            file.locals.len(),
        ];
        // For a file without the chunk `LocT`, OTP returns a missing chunk, which is not a list.
        let tables = if file.chunk(ChunkId::LOCALS).is_some() {
            4
        } else {
            3
        };
        assert_eq!(
            format!("{:?}", &found[..tables]).replace(' ', ""),
            lengths,
            "{}",
            path.display()
        );
        let name: Vec<u32> = file.module().chars().map(u32::from).collect();
        assert_eq!(format!("{name:?}").replace(' ', ""), module);
    }
}

/// A look over the code finds the same functions, and keeps what loading asks for.
fn surveyed(file: &BeamFile<'_>, code: &Code) {
    let survey = file.survey().unwrap();
    assert!(survey.extents().eq(code.extents()), "{}", file.module());
    assert_eq!(survey.functions.len(), code.functions.len());
    let mut bifs = HashSet::new();
    for (found, function) in survey.functions.iter().zip(&code.functions) {
        let alike = |function: &Function| {
            let mut function = function.clone();
            function.operations = 0..0;
            function
        };
        assert_eq!(alike(found), alike(function), "{}", file.module());
        let mut kept = survey.body(found).iter();
        for (place, operation) in code.body(function).iter().enumerate() {
            let operands = code.operands(operation);
            let is_wanted = match operation.opcode {
                Opcode::PutMapAssoc | Opcode::PutRecord | Opcode::NifStart | Opcode::OnLoad => true,
                opcode if opcode.name().contains("bif") => {
                    let import = operands.iter().find_map(|operand| match operand {
                        Operand::Import(import) => Some(*import),
                        _ => None,
                    });
                    bifs.insert(import)
                }
                _ => {
                    place == 0
                        || operands
                            .iter()
                            .any(|operand| has_long_integer(code, *operand))
                }
            };
            let found = kept.as_slice().first();
            let found = found.filter(|found| found.offset == operation.offset);
            assert!(
                found.is_some() || !is_wanted,
                "{} {operation:?}",
                file.module()
            );
            if let Some(found) = found {
                assert_eq!(found.opcode, operation.opcode);
                kept.next();
            }
        }
        assert_eq!(kept.len(), 0, "{}", file.module());
    }
}

fn has_long_integer(code: &Code, operand: Operand) -> bool {
    match operand {
        Operand::BigInteger(_) => true,
        Operand::Integer(integer) => integer.unsigned_abs() >= 1 << 59,
        Operand::List(list) => {
            let mut elements = code.list(list).iter();
            elements.any(|element| has_long_integer(code, *element))
        }
        _ => false,
    }
}

#[test]
fn functions_and_operations_are_those_of_the_disassembler() {
    let stdlib = app("stdlib");
    let kernel = app("kernel");
    let files: Vec<PathBuf> = [&stdlib, &kernel]
        .iter()
        .flat_map(|app| {
            [
                "lists",
                "base64",
                "gen_server",
                "math",
                "inet_dns",
                "file",
                "rand",
            ]
            .map(|m| (app, m))
        })
        .map(|(app, module)| app.join("ebin").join(module).with_extension("beam"))
        .filter(|path| path.exists())
        .collect();
    assert!(files.len() >= 7);
    // The third element is the sum of all register operands; any misread operand would change it.
    let expected = ask(
        r#"fun(File) ->
               Sum = fun Sum({x, N}) when is_integer(N) -> N + 1;
                         Sum({y, N}) when is_integer(N) -> N + 1;
                         Sum({tr, R, _}) -> Sum(R);
                         Sum({literal, _}) -> 0;
                         Sum({raise, _, Args, _}) -> Sum(Args);
                         Sum({atom, _}) -> 0;
                         Sum(T) when is_tuple(T) -> Sum(tuple_to_list(T));
                         Sum([H | T]) -> Sum(H) + Sum(T);
                         Sum(_) -> 0
                     end,
               {beam_file, _, _, _, _, Functions} = beam_disasm:file(File),
               [io:format("~s/~w ~w ~w ~w~n", [Name, Arity, Entry, length(Body), Sum(Body)])
                || {function, Name, Arity, Entry, Code} <- Functions,
                   Body <- [lists:dropwhile(fun(I) -> I =/= {label, Entry} end, Code)]]
           end"#,
        &files,
    );
    let mut found = Vec::new();
    for path in &files {
        let file = read(path);
        let code = file.decode().unwrap();
        for function in &code.functions {
            let body = code.body(function);
            let registers: u64 = body
                .iter()
                .flat_map(|operation| code.operands(operation))
                .map(|o| register_sum(&code, o))
                .sum();
            let (name, arity, entry) = (
                file.atom(function.name),
                function.arity,
                function.entry_label,
            );
            found.push(format!("{name}/{arity} {entry} {} {registers}", body.len()));
        }
    }
    let expected: Vec<&str> = expected.lines().collect();
    assert!(expected.len() > 500);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}

fn register_sum(code: &Code, operand: &Operand) -> u64 {
    match *operand {
        Operand::X(register) | Operand::Y(register) => u64::from(register) + 1,
        Operand::TypedX { register, .. } | Operand::TypedY { register, .. } => {
            u64::from(register) + 1
        }
        Operand::List(list) => code
            .list(list)
            .iter()
            .map(|operand| register_sum(code, operand))
            .sum(),
        _ => 0,
    }
}

#[test]
fn labels_lead_to_functions_and_operations() {
    let file = read(&app("stdlib").join("ebin/lists.beam"));
    let code = file.decode().unwrap();
    for (index, function) in code.functions.iter().enumerate() {
        assert_eq!(
            code.label(function.info_label),
            Some(LabelTarget::FunctionInfo(index as u32))
        );
        assert_eq!(
            code.label(function.entry_label),
            Some(LabelTarget::Operation(function.operations.start))
        );
        assert_eq!(code.function_at(function.entry_label), Some(function));
        assert_eq!(code.function_at(function.info_label), None);
    }
    assert_eq!(code.label(0), None);
    assert_eq!(code.label(u32::MAX), None);
}

#[test]
fn literals_are_external_terms() {
    let file = read(&app("stdlib").join("ebin/lists.beam"));
    assert!(!file.literals.is_empty());
    for literal in file.literals.iter() {
        assert_eq!(literal[0], 131);
    }
    let last = file.literals.len() as u32 - 1;
    assert_eq!(file.literals.get(last), file.literals.iter().last());
    assert_eq!(file.literals.get(last + 1), None);
}

#[test]
fn line_operations_are_as_many_as_the_table_says() {
    let file = read(&app("stdlib").join("ebin/lists.beam"));
    let lines = file.lines.as_ref().unwrap();
    assert_eq!(lines.files[0], "lists.erl");
    let code = file.decode().unwrap();
    let line_operations = code
        .operations
        .iter()
        .filter(|operation| operation.opcode == spec::Opcode::Line)
        .count();
    // The compiler emits one in the head of every function.
    assert_eq!(
        lines.operation_count as usize,
        line_operations + code.functions.len()
    );
}

#[test]
fn a_function_that_is_decoded_alone_is_the_same() {
    for path in beam_files(&stock::otp().root.join("lib")).iter().step_by(5) {
        let file = read(path);
        let whole = file.decode().unwrap();
        let file = file.for_functions();
        for (function, extent) in whole.functions.iter().zip(whole.extents()) {
            let alone = file.decode_function(extent).unwrap();
            let [found] = &alone.functions[..] else {
                panic!("{}: {} functions", path.display(), alone.functions.len());
            };
            let head = |of: &beamfile::Function| {
                (
                    of.module,
                    of.name,
                    of.arity,
                    of.line,
                    of.info_label,
                    of.entry_label,
                )
            };
            assert_eq!(head(found), head(function), "{}", path.display());
            let (found, expected) = (alone.body(found), whole.body(function));
            assert_eq!(found.len(), expected.len(), "{}", path.display());
            for (found, expected) in found.iter().zip(expected) {
                assert_eq!(
                    (found.opcode, found.offset),
                    (expected.opcode, expected.offset)
                );
                // Lists and large integers lie elsewhere.
                let list = |code: &Code, operand: &Operand| match *operand {
                    Operand::List(list) => code.list(list).to_vec(),
                    Operand::BigInteger(_) => Vec::new(),
                    operand => vec![operand],
                };
                let found = alone.operands(found).iter().map(|it| list(&alone, it));
                let expected = whole.operands(expected).iter().map(|it| list(&whole, it));
                let big = |operand: &Operand| matches!(operand, Operand::BigInteger(_));
                assert!(
                    found
                        .zip(expected)
                        .all(|(found, expected)| { found == expected || expected.iter().any(big) })
                );
            }
        }
    }
}

#[test]
fn gzipped_files_read_as_plain_ones() {
    let path = app("stdlib").join("ebin/lists.beam");
    let plain = std::fs::read(&path).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&plain).unwrap();
    let bytes = encoder.finish().unwrap();
    let file = BeamFile::parse(&bytes).unwrap();
    assert_eq!(file.bytes(), plain);
    assert_eq!(file.md5, read(&path).md5);
}

fn read(path: &Path) -> BeamFile<'static> {
    let bytes = std::fs::read(path).unwrap();
    let file =
        BeamFile::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    file.into_owned()
}

/// Runs an Erlang fun on each file, and returns its output.
fn ask(fun: &str, files: &[PathBuf]) -> String {
    let program = format!(
        "ok = io:setopts([{{encoding, unicode}}]), lists:foreach({fun}, init:get_plain_arguments()), halt()."
    );
    let output = stock::erl_25()
        .args(["-noshell", "-noinput", "-eval", &program, "-extra"])
        .args(files)
        .output()
        .expect("OTP 25 starts");
    assert!(
        output.status.success(),
        "erl: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The folder of an application, whatever its version.
fn app(name: &str) -> PathBuf {
    let prefix = format!("{name}-");
    std::fs::read_dir(stock::otp().root.join("lib"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(&prefix)
        })
        .unwrap_or_else(|| panic!("no application {name} in {}", stock::otp().root.display()))
}

fn beam_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(beam_files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension == "beam")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}
