//! Modules written by hand, each with one error: they are refused with the right kind of error.

use beamfile::{BeamError, BeamFile, ChunkId, Code, ErrorKind, Operand};
use spec::Opcode;
use spec::opcodes::OperandKind;

/// A module as a list of chunks, which a test case may change before the file is assembled.
struct Module {
    chunks: Vec<([u8; 4], Vec<u8>)>,
}

const MAX_OPCODE: u32 = 191;
const LABEL_COUNT: u32 = 6;

impl Module {
    /// `m:f/0` with this body, and an import `m:m/1`, a literal `[]`, a fun, a string and four types.
    fn with_body(body: &[u8]) -> Module {
        let head = [
            &op(Opcode::Label, &[&u(1)]),
            &op(Opcode::FuncInfo, &[&atom(1), &atom(2), &u(0)])[..],
        ]
        .concat();
        let entry = op(Opcode::Label, &[&u(2)]);
        Module::with_code(
            1,
            &[&head[..], &entry, body, &op(Opcode::IntCodeEnd, &[])].concat(),
        )
    }

    fn with_code(functions: u32, operations: &[u8]) -> Module {
        let mut code = words(&[16, 0, MAX_OPCODE, LABEL_COUNT, functions]);
        code.extend(operations);
        Module {
            chunks: vec![
                (*b"AtU8", b"\0\0\0\x02\x01m\x01f".to_vec()),
                (*b"Code", code),
                (*b"StrT", b"abc".to_vec()),
                (*b"ImpT", words(&[1, 1, 1, 1])),
                (*b"ExpT", words(&[1, 2, 0, 2])),
                (*b"FunT", words(&[1, 2, 0, 2, 0, 0, 7])),
                (*b"LitT", [words(&[0, 1, 2]), vec![131, 106]].concat()),
                (*b"Line", [words(&[0, 0, 0, 1, 0]), vec![0x11]].concat()),
                (*b"Type", [words(&[2, 1]), vec![0x1f, 0xff]].concat()),
            ],
        }
    }

    fn replace(mut self, id: &[u8; 4], data: Vec<u8>) -> Module {
        let chunk = self.chunks.iter_mut().find(|chunk| chunk.0 == *id).unwrap();
        chunk.1 = data;
        self
    }

    fn without(mut self, id: &[u8; 4]) -> Module {
        self.chunks.retain(|chunk| chunk.0 != *id);
        self
    }

    fn file(&self) -> Vec<u8> {
        let mut form = b"BEAM".to_vec();
        for (id, data) in &self.chunks {
            form.extend(id);
            form.extend((data.len() as u32).to_be_bytes());
            form.extend(data);
            form.resize(form.len().next_multiple_of(4), 0);
        }
        [b"FOR1", &(form.len() as u32).to_be_bytes(), &form[..]].concat()
    }

    fn decode(&self) -> Result<(BeamFile<'static>, Code), BeamError> {
        let bytes = self.file();
        let file = BeamFile::parse(&bytes)?.into_owned();
        // A look over the code refuses the same.
        assert_eq!(file.survey().err(), file.decode().err());
        let code = file.decode()?;
        Ok((file, code))
    }

    #[track_caller]
    fn check(&self, chunk: &[u8; 4], kind: ErrorKind) {
        let error = self.decode().map(|_| ()).unwrap_err();
        assert_eq!(
            (error.chunk, &error.kind),
            (Some(ChunkId(*chunk)), &kind),
            "{error}"
        );
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn op(opcode: Opcode, operands: &[&[u8]]) -> Vec<u8> {
    [&[opcode.number()], &operands.concat()[..]].concat()
}

/// Encodes a compact number below 2048.
fn tagged(tag: u8, number: u32) -> Vec<u8> {
    match number {
        0..16 => vec![(number as u8) << 4 | tag],
        16..2048 => vec![((number >> 3) & 0xe0) as u8 | 0x08 | tag, number as u8],
        _ => panic!("{number} is not below 2048"),
    }
}

fn u(number: u32) -> Vec<u8> {
    tagged(0, number)
}
fn integer(number: u32) -> Vec<u8> {
    tagged(1, number)
}
fn atom(number: u32) -> Vec<u8> {
    tagged(2, number)
}
fn x(number: u32) -> Vec<u8> {
    tagged(3, number)
}
fn y(number: u32) -> Vec<u8> {
    tagged(4, number)
}
fn label(number: u32) -> Vec<u8> {
    tagged(5, number)
}
fn extended(which: u32, rest: &[&[u8]]) -> Vec<u8> {
    [&tagged(7, which), &rest.concat()[..]].concat()
}
fn list(elements: &[&[u8]]) -> Vec<u8> {
    extended(1, &[&u(elements.len() as u32), &elements.concat()])
}
fn literal(number: u32) -> Vec<u8> {
    extended(4, &[&u(number)])
}

fn out_of_range(what: &'static str, value: u64, limit: u64) -> ErrorKind {
    ErrorKind::OutOfRange { what, value, limit }
}

#[test]
fn the_unspoilt_module_is_read() {
    let body = [
        op(Opcode::Move, &[&extended(5, &[&x(3), &u(0)]), &y(4)]),
        op(Opcode::Move, &[&literal(0), &x(1)]),
        op(
            Opcode::TestHeap,
            &[&extended(3, &[&u(2), &u(0), &u(5), &u(1), &u(2)]), &u(1)],
        ),
        op(Opcode::TestHeap, &[&u(7), &u(0)]),
        op(Opcode::CallExt, &[&u(1), &u(0)]),
        op(
            Opcode::PutTuple2,
            &[
                &x(0),
                &list(&[&atom(0), &atom(2), &[0xf9, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 9]]),
            ],
        ),
        op(Opcode::BsPutString, &[&u(2), &u(1)]),
        op(Opcode::MakeFun2, &[&u(0)]),
        op(Opcode::Line, &[&u(1)]),
        op(Opcode::Return, &[]),
    ]
    .concat();
    let (file, code) = Module::with_body(&body).decode().unwrap();
    assert_eq!((file.module(), file.strings()), ("m", &b"abc"[..]));
    assert_eq!(file.literals.get(0), Some(&[131, 106][..]));
    let function = &code.functions[0];
    assert_eq!((function.module, function.name, function.arity), (0, 1, 0));
    assert_eq!(
        (function.info_label, function.entry_label, function.line),
        (1, 2, 0)
    );

    let body = code.body(function);
    let operands = |place: usize| code.operands(&body[place]);
    assert_eq!(
        operands(1),
        [
            Operand::TypedX {
                register: 3,
                type_index: 0
            },
            Operand::Y(4)
        ]
    );
    assert_eq!(operands(2), [Operand::Literal(0), Operand::X(1)]);
    assert_eq!(
        operands(3),
        [
            Operand::Alloc {
                words: 5,
                floats: 2,
                funs: 0
            },
            Operand::Number(1)
        ]
    );
    assert_eq!(
        operands(4),
        [
            Operand::Alloc {
                words: 7,
                floats: 0,
                funs: 0
            },
            Operand::Number(0)
        ]
    );
    assert_eq!(operands(5), [Operand::Number(1), Operand::Import(0)]);
    let &[Operand::X(0), Operand::List(elements)] = operands(6) else {
        panic!("{:?}", operands(6));
    };
    let &[Operand::Nil, Operand::Atom(1), Operand::BigInteger(big)] = code.list(elements) else {
        panic!("{:?}", code.list(elements));
    };
    assert_eq!(code.big_integer(big), [1, 0, 0, 0, 0, 0, 0, 0, 9]);
    assert_eq!(operands(8), [Operand::Lambda(0)]);
    assert_eq!(operands(9), [Operand::Line(1)]);
    assert_eq!(body.len(), 11);
}

#[test]
fn registers_are_plain_where_types_were_stripped() {
    let body = op(Opcode::Move, &[&extended(5, &[&x(3), &u(9)]), &x(0)]);
    let (_, code) = Module::with_body(&body).without(b"Type").decode().unwrap();
    assert_eq!(
        code.operands(&code.operations[1]),
        [Operand::X(3), Operand::X(0)]
    );
}

#[test]
fn indexes_out_of_range_are_refused() {
    let move_from = |source: Vec<u8>| op(Opcode::Move, &[&source, &x(0)]);
    for (body, kind) in [
        (move_from(atom(3)), out_of_range("atom", 2, 2)),
        (move_from(x(1024)), out_of_range("register", 1024, 1024)),
        (move_from(y(1500)), out_of_range("register", 1500, 1024)),
        (move_from(literal(1)), out_of_range("literal", 1, 1)),
        (
            move_from(extended(5, &[&x(0), &u(1)])),
            out_of_range("type", 1, 1),
        ),
        (
            op(Opcode::CallExt, &[&u(1), &u(1)]),
            out_of_range("import", 1, 1),
        ),
        (
            op(Opcode::CallExt, &[&u(256), &u(0)]),
            out_of_range("arity", 256, 256),
        ),
        (op(Opcode::MakeFun2, &[&u(1)]), out_of_range("fun", 1, 1)),
        (op(Opcode::Line, &[&u(2)]), out_of_range("location", 2, 2)),
        (op(Opcode::Jump, &[&label(6)]), out_of_range("label", 6, 6)),
        (op(Opcode::Label, &[&u(6)]), out_of_range("label", 6, 6)),
        (op(Opcode::Label, &[&u(0)]), out_of_range("label", 0, 6)),
        (
            op(Opcode::Deallocate, &[&u(1025)]),
            out_of_range("number of registers", 1025, 1025),
        ),
        (
            op(Opcode::Fconv, &[&x(0), &extended(2, &[&u(1024)])]),
            out_of_range("float register", 1024, 1024),
        ),
        (
            op(Opcode::BsPutString, &[&u(3), &u(1)]),
            out_of_range("end of string", 4, 4),
        ),
        (
            op(
                Opcode::TestHeap,
                &[&extended(3, &[&u(1), &u(3), &u(1)]), &u(0)],
            ),
            out_of_range("allocation", 3, 3),
        ),
    ] {
        Module::with_body(&body).check(b"Code", kind);
    }
}

#[test]
fn strings_of_matches_and_constructions_stay_inside_the_table() {
    let matches = |bits, start| {
        op(
            Opcode::BsMatchString,
            &[&label(1), &x(0), &u(bits), &u(start)],
        )
    };
    Module::with_body(&matches(17, 0)).decode().unwrap();
    Module::with_body(&matches(17, 1)).check(b"Code", out_of_range("end of string", 4, 4));

    let creates = |start: Vec<u8>, size: Vec<u8>| {
        let segment = list(&[&atom(1), &u(1), &u(8), &atom(0), &start, &size]);
        op(
            Opcode::BsCreateBin,
            &[&label(0), &u(0), &u(0), &u(1), &x(0), &segment],
        )
    };
    Module::with_body(&creates(u(0), integer(3)))
        .decode()
        .unwrap();
    Module::with_body(&creates(u(1), integer(3)))
        .check(b"Code", out_of_range("end of string", 4, 4));
    let error = Module::with_body(&creates(u(1), x(3)))
        .decode()
        .map(|_| ())
        .unwrap_err();
    assert!(
        matches!(error.kind, ErrorKind::BadOperand { operand: 5, .. }),
        "{error}"
    );
}

#[test]
fn operands_of_the_wrong_kind_are_refused() {
    let bad = |opcode, operand, expected| ErrorKind::BadOperand {
        opcode,
        operand,
        expected,
    };
    for (body, kind) in [
        (
            op(Opcode::Move, &[&u(1), &x(0)]),
            bad(Opcode::Move, 0, OperandKind::Source),
        ),
        (
            op(Opcode::Move, &[&x(0), &atom(1)]),
            bad(Opcode::Move, 1, OperandKind::Dest),
        ),
        (
            op(Opcode::Jump, &[&label(0)]),
            bad(Opcode::Jump, 0, OperandKind::Label),
        ),
        (
            op(Opcode::Jump, &[&x(0)]),
            bad(Opcode::Jump, 0, OperandKind::Label),
        ),
        (
            op(Opcode::Init, &[&x(0)]),
            bad(Opcode::Init, 0, OperandKind::Slot),
        ),
        (
            op(Opcode::FuncInfo, &[&atom(1), &atom(0), &u(0)]),
            bad(Opcode::FuncInfo, 1, OperandKind::Atom),
        ),
        (
            op(
                Opcode::SelectVal,
                &[&x(0), &label(1), &list(&[&integer(1)])],
            ),
            bad(
                Opcode::SelectVal,
                2,
                OperandKind::List(&[OperandKind::Constant, OperandKind::Label]),
            ),
        ),
        (
            op(
                Opcode::SelectVal,
                &[&x(0), &label(1), &list(&[&integer(1), &label(0)])],
            ),
            bad(Opcode::SelectVal, 2, OperandKind::Label),
        ),
        (
            op(Opcode::InitYregs, &[&y(1)]),
            bad(
                Opcode::InitYregs,
                0,
                OperandKind::List(&[OperandKind::Slot]),
            ),
        ),
    ] {
        Module::with_body(&body).check(b"Code", kind);
    }
}

#[test]
fn unknown_encodings_and_opcodes_are_refused() {
    let move_from = |source: Vec<u8>| op(Opcode::Move, &[&source, &x(0)]);
    for (body, kind) in [
        (move_from(tagged(6, 65)), ErrorKind::BadTag(6)),
        (move_from(extended(0, &[])), ErrorKind::BadTag(0)),
        (move_from(extended(6, &[])), ErrorKind::BadTag(6)),
        (
            move_from(extended(5, &[&atom(0), &u(0)])),
            ErrorKind::BadTag(2),
        ),
        (vec![0], ErrorKind::UnknownOpcode(0)),
        (vec![200], ErrorKind::UnknownOpcode(200)),
        (
            op(Opcode::BsInit, &[]),
            ErrorKind::ObsoleteOpcode(Opcode::BsInit),
        ),
    ] {
        Module::with_body(&body).check(b"Code", kind);
    }
    let mut module = Module::with_body(&op(Opcode::Badrecord, &[&x(0)]));
    module.chunks[1].1[8..12].copy_from_slice(&179u32.to_be_bytes());
    module.check(b"Code", ErrorKind::OpcodeAboveMaximum(Opcode::Badrecord));
}

#[test]
fn code_is_made_of_functions() {
    let head = |info, entry| {
        let func_info = op(Opcode::FuncInfo, &[&atom(1), &atom(2), &u(0)]);
        [
            op(Opcode::Label, &[&u(info)]),
            func_info,
            op(Opcode::Label, &[&u(entry)]),
        ]
        .concat()
    };
    let end = op(Opcode::IntCodeEnd, &[]);
    let twice = [head(1, 2), head(3, 4), end.clone()].concat();
    Module::with_code(2, &twice).decode().unwrap();
    for (functions, code, kind) in [
        (
            1,
            twice.clone(),
            ErrorKind::FunctionCount {
                header: 1,
                found: 2,
            },
        ),
        (
            3,
            twice,
            ErrorKind::FunctionCount {
                header: 3,
                found: 2,
            },
        ),
        (
            0,
            end.clone(),
            ErrorKind::FunctionCount {
                header: 0,
                found: 0,
            },
        ),
        (1, head(1, 2), ErrorKind::Truncated),
        (
            1,
            [op(Opcode::Return, &[]), end.clone()].concat(),
            ErrorKind::NotAFunction,
        ),
        (
            2,
            [head(1, 2), head(3, 4)[2..].to_vec(), end.clone()].concat(),
            ErrorKind::NotAFunction,
        ),
        (
            1,
            [head(1, 1), end.clone()].concat(),
            ErrorKind::LabelTwice(1),
        ),
        (
            2,
            [head(1, 2), head(1, 3), end.clone()].concat(),
            ErrorKind::LabelTwice(1),
        ),
        (
            1,
            [head(1, 2), op(Opcode::Jump, &[&label(5)]), end.clone()].concat(),
            ErrorKind::LabelUndefined(5),
        ),
    ] {
        Module::with_code(functions, &code).check(b"Code", kind);
    }
}

#[test]
fn exports_and_funs_name_entries_of_their_arity() {
    let module = || Module::with_body(&[]);
    module()
        .replace(b"ExpT", words(&[1, 2, 1, 2]))
        .check(b"ExpT", ErrorKind::NotAnEntry(2));
    module()
        .replace(b"ExpT", words(&[1, 2, 0, 1]))
        .check(b"ExpT", ErrorKind::NotAnEntry(1));
    module()
        .replace(b"ExpT", words(&[1, 2, 0, 5]))
        .check(b"ExpT", ErrorKind::NotAnEntry(5));
    module()
        .replace(b"FunT", words(&[1, 2, 1, 2, 0, 0, 0]))
        .check(b"FunT", ErrorKind::NotAnEntry(2));
}

#[test]
fn damaged_tables_are_refused() {
    let module = || Module::with_body(&[]);
    let range = out_of_range;
    for (id, data, kind) in [
        (b"ImpT", words(&[2, 1, 1, 1]), ErrorKind::BadCount(2)),
        (b"ImpT", words(&[1, 3, 1, 1]), range("atom", 3, 3)),
        (b"ImpT", words(&[1, 0, 1, 1]), range("atom", 0, 2)),
        (b"ImpT", words(&[1, 1, 1, 256]), range("arity", 256, 256)),
        (b"ExpT", words(&[1, 1, 0, 6]), range("label", 6, 6)),
        (
            b"ExpT",
            words(&[u32::MAX]),
            ErrorKind::BadCount(i64::from(u32::MAX)),
        ),
        (
            b"FunT",
            words(&[1, 2, 0, 2, 0, 1, 0]),
            range("number of free variables", 1, 1),
        ),
        (b"FunT", words(&[1, 2, 0, 2, 0, 0, 0, 0]), ErrorKind::Excess),
        (b"LitT", words(&[0, 1, 3]), ErrorKind::Truncated),
        (b"LitT", words(&[0, 9]), ErrorKind::BadCount(9)),
        (b"LitT", words(&[9, 9]), ErrorKind::BadCompression),
        (b"Line", words(&[0, 0, 0, 9, 0]), ErrorKind::BadCount(9)),
        (b"Line", words(&[0, 0, 0, 0, 1]), ErrorKind::BadCount(1)),
        (
            b"Line",
            [words(&[0, 0, 0, 1, 0]), u(1)].concat(),
            ErrorKind::BadTag(0),
        ),
        (
            b"Line",
            [words(&[0, 0, 0, 2, 0]), atom(1), integer(1)].concat(),
            range("file", 1, 0),
        ),
        (b"Type", words(&[2, 0]), ErrorKind::BadType),
        (
            b"Code",
            words(&[16, 1, 191, 6, 1]),
            ErrorKind::UnknownVersion(1),
        ),
        (b"Code", words(&[17, 0, 191, 6, 1]), ErrorKind::Truncated),
        (b"Code", words(&[8, 0, 191]), ErrorKind::BadCount(8)),
        (
            b"Code",
            words(&[16, 0, 191, u32::MAX, 1]),
            ErrorKind::BadCount(i64::from(u32::MAX)),
        ),
    ] {
        module().replace(id, data).check(id, kind);
    }
    for id in [b"AtU8", b"Code", b"ImpT", b"ExpT"] {
        module().without(id).check(id, ErrorKind::Missing);
        module()
            .replace(id, Vec::new())
            .check(id, ErrorKind::Missing);
    }
}

#[test]
fn literals_may_not_inflate_to_more_than_they_say() {
    use std::io::Write;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 1 << 20]).unwrap();
    let bomb = [words(&[1 << 10]), encoder.finish().unwrap()].concat();
    Module::with_body(&[])
        .replace(b"LitT", bomb)
        .check(b"LitT", ErrorKind::BadCompression);
}

#[test]
fn the_last_of_two_chunks_counts_and_the_container_is_checked() {
    let mut module = Module::with_body(&[]);
    module.chunks.push((*b"StrT", b"second".to_vec()));
    let file = module.file();
    assert_eq!(BeamFile::parse(&file).unwrap().strings(), b"second");
    assert_eq!(
        beamfile::find_chunk(&file, ChunkId::STRINGS),
        Ok(Some(&b"second"[..]))
    );
    assert_eq!(
        beamfile::find_chunk(&file, ChunkId::DOCUMENTATION),
        Ok(None)
    );

    for (bytes, kind) in [
        (&b""[..], ErrorKind::NotBeam),
        (b"FOR1\0\0\0\x04BEAN", ErrorKind::NotBeam),
        (b"FOR1\0\0\0\x05BEAM", ErrorKind::Truncated),
        (b"FOR1\0\0\0\x08BEAMAtU8", ErrorKind::Truncated),
        (b"\x1f\x8bnot gzip", ErrorKind::BadCompression),
    ] {
        let error = BeamFile::parse(bytes).unwrap_err();
        assert_eq!((error.chunk, error.kind), (None, kind), "{bytes:?}");
    }
}
