//! `erts_debug`: internals that OTP's tools and test suites look at.
//!
//! There are no lock counters, no interpreter loop and no emulator breakpoints here. The BIFs for these return what a
//! stock emulator without them returns.

mod dirty_tests;
mod internal_state;
mod node_references;
mod relations;

pub(crate) use dirty_tests::{dirty_3, dirty_cpu_2, dirty_io_2};
pub(crate) use internal_state::{
    BINARY_LOOP, UNICODE_LOOP, get_internal_state_1, set_internal_state_2,
};

use layout::{Term, no_gc};
use sys::standard::to_output;
use term::external::{self, DecodeOptions};
use term::{am, atom, build, iolist, map, print, size, unicode};

use runtime::code::bif::{BifResult, badarg, badmap, error};
use runtime::code::load::CodeResolver;
use runtime::mail::current::charge;
use runtime::process::Process;
use runtime::trace::breakpoints;

/// Words looked at that count as one reduction.
const WORDS_PER_REDUCTION: usize = 64;

/// `erts_debug:same(A, B)`: whether they are the identical term, not just equal.
pub(crate) fn same_2(_process: &mut Process, [a, b]: [Term; 2]) -> BifResult {
    Ok(am::boolean(a == b))
}

fn words(process: &mut Process, words: usize) -> BifResult {
    charge((words / WORDS_PER_REDUCTION) as i64);
    Ok(build::unsigned(process.heap(), words as u64))
}

/// `erts_debug:flat_size(Term)`
pub(crate) fn flat_size_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    words(process, size::flat_size(term))
}

/// `erts_debug:size_shared(Term)`
pub(crate) fn size_shared_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    words(process, size::shared_size(term))
}

/// `erts_debug:copy_shared(Term, CopyLiterals)`: terms are immutable, so the copy that shares most is the term itself.
pub(crate) fn copy_shared_2(_process: &mut Process, [term, literals]: [Term; 2]) -> BifResult {
    match literals {
        am::TRUE | am::FALSE => Ok(term),
        _ => Err(badarg(2)),
    }
}

/// `erts_debug:unaligned_bitstring(Bits, Offset)`: the same bits, which begin 1 to 7 bits behind the beginning of a
/// byte.
pub(crate) fn unaligned_bitstring_2(
    process: &mut Process,
    [string, offset]: [Term; 2],
) -> BifResult {
    let skipped = offset.as_small().and_then(|bits| u8::try_from(bits).ok());
    let skipped = skipped
        .filter(|bits| (1..8).contains(bits))
        .ok_or(badarg(2))?;
    let length = string.as_bits().ok_or(badarg(1))?.bit_len();
    let heap = process.heap();
    let byte = build::binary(heap, &[0]);
    let before = build::sub_bits(heap, byte, 0, skipped.into());
    let both = build::list(heap, &[before, string]);
    let shifted = iolist::to_bitstring(heap, both).map_err(|_| badarg(1))?;
    Ok(build::sub_bits(heap, shifted, skipped.into(), length))
}

/// `erts_debug:display(Term)`: prints the term, and returns the text as characters.
pub(crate) fn display_1(process: &mut Process, [term]: [Term; 1]) -> BifResult {
    let text = format!("{}\n", print::display(term));
    to_output(format_args!("{text}"));
    Ok(build::byte_list(process.heap(), text.as_bytes()))
}

/// `erts_debug:map_info(Map)`: the shape of a hash map's trie.
pub(crate) fn map_info_1(process: &mut Process, [map]: [Term; 1]) -> BifResult {
    if !map.is_map() {
        return Err(badmap(process, map));
    }
    if map::is_flat(map) {
        return Err(badarg(1));
    }
    let (mut depth, mut arrays, mut bitmaps, mut leaves) = (0, 0, 0, 0);
    let (mut nodes_by_size, mut leaves_by_level) = ([0; 16], [0; 16]);
    let mut rest = vec![(map, 0usize)];
    while let Some((node, level)) = rest.pop() {
        depth = depth.max(level);
        if node.is_cons() {
            leaves += 1;
            leaves_by_level[level.min(15)] += 1;
            continue;
        }
        let children = map::children(node);
        // In OTP only a full root is an array; other full nodes are bitmaps with all bits set.
        if node == map && children.len() == 16 {
            arrays += 1;
        } else {
            bitmaps += 1;
            nodes_by_size[children.len() - 1] += 1;
        }
        rest.extend(children.iter().map(|&child| (child, level + 1)));
    }
    let heap = process.heap();
    let usage =
        |heap: &mut layout::Heap, counts: [i64; 16]| build::tuple(heap, &counts.map(Term::small));
    let nodes_by_size = usage(heap, nodes_by_size);
    let leaves_by_level = usage(heap, leaves_by_level);
    let depth = [atom::known("depth"), Term::small(depth as i64)];
    let arrays = [atom::known("arrays"), Term::small(arrays), Term::NIL];
    let bitmaps = [atom::known("bitmaps"), Term::small(bitmaps), nodes_by_size];
    let leaves = [atom::known("leafs"), Term::small(leaves), leaves_by_level];
    let entries = [
        build::tuple(heap, &depth),
        build::tuple(heap, &arrays),
        build::tuple(heap, &bitmaps),
        build::tuple(heap, &leaves),
    ];
    Ok(build::list(heap, &entries))
}

fn is_named(term: Term, name: &str) -> bool {
    term.is_atom() && atom::text(term) == name
}

/// `erts_debug:lcnt_clear()`: locks are not counted.
pub(crate) fn lcnt_clear_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::ERROR)
}

/// `erts_debug:lcnt_collect()`
pub(crate) fn lcnt_collect_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(am::ERROR)
}

/// `erts_debug:lcnt_control(Option)`
pub(crate) fn lcnt_control_1(_process: &mut Process, [_option]: [Term; 1]) -> BifResult {
    Err(badarg(1))
}

/// `erts_debug:lcnt_control(Option, Value)`
pub(crate) fn lcnt_control_2(_process: &mut Process, [_option, _value]: [Term; 2]) -> BifResult {
    Err(badarg(1))
}

/// `erts_debug:dist_ext_to_term(AtomCache, Binary)`
pub(crate) fn dist_ext_to_term_2(process: &mut Process, [cache, binary]: [Term; 2]) -> BifResult {
    let no_gc = no_gc!();
    let atoms = cache.as_tuple(no_gc).ok_or(badarg(1))?;
    if atoms.len() > 255 || !atoms.iter().all(|term| term.is_atom()) {
        return Err(badarg(1));
    }
    let bytes = unicode::bytes_of(binary, no_gc).ok_or(badarg(2))?;
    let options = DecodeOptions {
        atoms,
        ..DecodeOptions::default()
    };
    let decoded = external::decode(process.heap(), &bytes, &options, &mut CodeResolver);
    Ok(decoded.map_err(|_| badarg(2))?.0)
}

/// `erts_debug:disassemble(Function)`: `false`, as on stock with native code.
pub(crate) fn disassemble_1(_process: &mut Process, [_function]: [Term; 1]) -> BifResult {
    Ok(am::FALSE)
}

/// `erts_debug:interpreter_size()`
pub(crate) fn interpreter_size_0(_process: &mut Process, []: [Term; 0]) -> BifResult {
    Ok(Term::small(0))
}

/// `erts_debug:instructions()`: the names of the instructions that code is made of.
pub(crate) fn instructions_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let names = spec::opcodes::Opcode::ALL.iter().rev();
    Ok(names.fold(Term::NIL, |list, opcode| {
        let name = build::string(heap, opcode.name());
        build::cons(heap, name, list)
    }))
}

/// `erts_debug:breakpoint({Module, Function, Arity}, Flag)`: sets or clears breakpoints of the interpreting debugger,
/// and returns how many functions matched. `'_'` matches anything, and may be used only for the last one, two or all
/// three elements of the tuple.
pub(crate) fn breakpoint_2(_process: &mut Process, [pattern, flag]: [Term; 2]) -> BifResult {
    let on = match flag {
        am::TRUE => true,
        am::FALSE => false,
        _ => return Err(badarg(2)),
    };
    let Some([module, function, arity]) = pattern.as_tuple_of() else {
        return Err(badarg(1));
    };
    let is_number = arity.as_small().is_some();
    if !module.is_atom() || !function.is_atom() || !(is_number || arity == am::UNDERSCORE) {
        return Err(badarg(1));
    }
    let open = [module, function, arity].map(|part| part == am::UNDERSCORE);
    if open.is_sorted() {
        let given = |part: Term| Some(part).filter(|part| *part != am::UNDERSCORE);
        let pattern = breakpoints::Pattern {
            module: given(module),
            function: given(function),
            arity: given(arity).and_then(Term::as_small),
        };
        let count = breakpoints::set(&pattern, on).map_err(|_| error(am::SYSTEM_LIMIT))?;
        return Ok(Term::small(count as i64));
    }
    Err(badarg(1))
}
