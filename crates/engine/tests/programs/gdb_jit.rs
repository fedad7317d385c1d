//! Reads the objects for debuggers as a debugger does, with an ELF reader and a DWARF evaluator that are not part of
//! ferl.

use std::collections::HashMap;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, Encoding, EvaluationResult, Format, LittleEndian,
    Register, RegisterRule, UnwindContext, UnwindSection, Value,
};
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};
use term::atom;

use crate::harness::Node;

type Elf<'a> = ElfFile64<'a, Endianness>;

const RSI: Register = Register(4);
const RSP: Register = Register(7);
const RETURN_ADDRESS: Register = Register(16);

fn name(function: &engine::code::Function) -> String {
    format!("{}/{}", atom::text(function.function), function.arity)
}

/// The symbols of one kind: name, address, size in bytes.
fn symbols(file: &Elf<'_>, kind: SymbolKind) -> Vec<(String, u64, u64)> {
    let of_kind = file.symbols().filter(|symbol| symbol.kind() == kind);
    of_kind
        .map(|symbol| {
            let section = symbol.section_index().unwrap();
            // In object files, symbol values are relative to the section; here, the section's address is the real
            // one.
            let section = file.section_by_index(section).unwrap().address();
            let name = symbol.name().unwrap().to_owned();
            (name, section + symbol.address(), symbol.size())
        })
        .collect()
}

#[test]
fn functions_have_symbols_for_their_words_and_their_code() {
    let _alone = crate::alone();
    let mut node = Node::new();
    node.load("basic");
    let code = node.code("basic");
    let bytes = engine::gdb_jit::module(code, None, name).unwrap();
    let file = Elf::parse(bytes.as_slice()).unwrap();

    let machine_code: Vec<_> = code
        .machine_code()
        .map(|found| {
            let (start, bytes) = (found.body.as_ptr() as u64, found.body.len() as u64);
            (name(found.function), start, bytes)
        })
        .collect();
    assert!(machine_code.len() > 40, "{} functions", machine_code.len());
    assert_eq!(symbols(&file, SymbolKind::Text), machine_code);

    let words = symbols(&file, SymbolKind::Data);
    assert_eq!(words.len(), machine_code.len());
    let mut next = code.range().start as u64;
    for (name, start, bytes) in words {
        assert_eq!(start, next);
        next = start + bytes;
        let last = (next - 8) as *const u64;
        for address in [start as *const u64, last] {
            let place = code.place(address).unwrap();
            let found = format!("{}/{}", atom::text(place.function), place.arity);
            assert_eq!(found, name);
        }
    }
    assert_eq!(next, code.range().end as u64);
}

/// Unwinds one frame with the rules for `address`: returns the caller's `rsi` and the return address. The native
/// stack pointer must not change.
fn caller(file: &Elf<'_>, address: u64, memory: &HashMap<u64, u64>, rsi: u64) -> (u64, u64) {
    let section = file.section_by_name(".eh_frame").unwrap();
    let frames = EhFrame::new(section.data().unwrap(), LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame(section.address());
    let mut context = UnwindContext::new();
    let row = frames
        .unwind_info_for_address(&bases, &mut context, address, EhFrame::cie_from_offset)
        .unwrap();
    let CfaRule::Expression(expression) = row.cfa() else {
        panic!("{:?}", row.cfa());
    };
    let encoding = Encoding {
        address_size: 8,
        format: Format::Dwarf32,
        version: 4,
    };
    let expression = expression.get(&frames).unwrap();
    let mut evaluation = expression.evaluation(encoding);
    let mut result = evaluation.evaluate().unwrap();
    let cfa = loop {
        result = match result {
            EvaluationResult::Complete => {
                let piece = &evaluation.as_result()[0];
                let gimli::Location::Address { address } = piece.location else {
                    panic!("{piece:?}");
                };
                break address;
            }
            EvaluationResult::RequiresRegister { register, .. } => {
                assert_eq!(register, RSI);
                let value = Value::Generic(rsi);
                evaluation.resume_with_register(value).unwrap()
            }
            EvaluationResult::RequiresMemory { address, size, .. } => {
                assert_eq!(size, 8);
                let value = Value::Generic(memory[&address]);
                evaluation.resume_with_memory(value).unwrap()
            }
            other => panic!("{other:?}"),
        };
    };
    assert!(matches!(row.register(RSP), Some(RegisterRule::SameValue)));
    let Some(RegisterRule::Offset(offset)) = row.register(RETURN_ADDRESS) else {
        panic!("the return address is on the stack");
    };
    let Some(RegisterRule::ValOffset(after)) = row.register(RSI) else {
        panic!("the caller's stack is known");
    };
    let return_address = memory[&cfa.wrapping_add_signed(offset)];
    (cfa.wrapping_add_signed(after), return_address)
}

/// Unwinding finds the return address in frames of any size, with terms of all kinds in them.
#[test]
fn frames_lead_to_their_callers() {
    let _alone = crate::alone();
    let mut node = Node::new();
    node.load("basic");
    let code = node.code("basic");
    let bytes = engine::gdb_jit::module(code, None, name).unwrap();
    let file = Elf::parse(bytes.as_slice()).unwrap();

    // A frame without slots; then one with a cons (01), a boxed term (10) and immediates (11); then one with a single
    // term.
    let (first, second, third) = (code.range().start as u64 + 80, 0x4444_0008, 0x5555_5550);
    let stack = [
        first,
        0x1001,
        0x2002,
        0x0f,
        0x3b,
        second,
        0x7fff_ffff,
        third,
    ];
    let base = 0x7000_0000u64;
    let memory: HashMap<u64, u64> = (base..).step_by(8).zip(stack).collect();
    let machine_code = code.machine_code().next().unwrap().body.as_ptr() as u64;
    let (stack, address) = caller(&file, machine_code, &memory, base);
    assert_eq!((stack, address), (base + 8, first));
    let (stack, address) = caller(&file, address, &memory, stack);
    assert_eq!((stack, address), (base + 48, second));
    // The last byte of the code has the same rules.
    let last = code.machine_code().last().unwrap().body.as_ptr_range().end as u64 - 1;
    let (stack, address) = caller(&file, last, &memory, stack);
    assert_eq!((stack, address), (base + 64, third));
}

/// Below the bottom frame, unwinding continues on the native stack.
#[test]
fn the_bottom_frame_leads_to_native_code() {
    let bytes = engine::gdb_jit::bottom().unwrap();
    let file = Elf::parse(bytes.as_slice()).unwrap();
    let end = engine::start::process_end() as u64;
    let found = symbols(&file, SymbolKind::Data);
    assert_eq!(found, [("the end of the process".to_owned(), end, 8)]);
    let section = file.section_by_name(".eh_frame").unwrap();
    let frames = EhFrame::new(section.data().unwrap(), LittleEndian);
    let bases = BaseAddresses::default().set_eh_frame(section.address());
    let signal = frames.entries(&bases).find_map(|entry| {
        let CieOrFde::Cie(common) = entry.ok()? else {
            return None;
        };
        Some(common.is_signal_trampoline())
    });
    assert_eq!(signal, Some(true));
    let mut context = UnwindContext::new();
    let row = frames
        .unwind_info_for_address(&bases, &mut context, end, EhFrame::cie_from_offset)
        .unwrap();
    let expected = CfaRule::RegisterAndOffset {
        register: RSP,
        offset: 8,
    };
    assert_eq!(*row.cfa(), expected);
    assert!(matches!(
        row.register(RETURN_ADDRESS),
        Some(RegisterRule::Offset(-8))
    ));
}
