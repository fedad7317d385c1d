//! `memory/0,1`: bytes of memory that the node uses, by purpose ([`window::figures::memory`]).

use layout::Term;
use term::{atom, build, list};

use runtime::code::bif::{BifResult, badarg};
use runtime::process::Process;
use window::figures::memory::figures;

/// `erlang:memory()`
pub(crate) fn memory_0(process: &mut Process, []: [Term; 0]) -> BifResult {
    let heap = process.heap();
    let pairs: Vec<Term> = figures()
        .into_iter()
        .map(|(name, bytes)| {
            let bytes = build::unsigned(heap, bytes);
            build::tuple(heap, &[atom::known(name), bytes])
        })
        .collect();
    Ok(build::list(heap, &pairs))
}

/// `erlang:memory(Type | [Type])`
pub(crate) fn memory_1(process: &mut Process, [types]: [Term; 1]) -> BifResult {
    let figures = figures();
    let bytes_of = |name: Term| {
        let text = name.as_atom().map(|_| atom::text(name))?;
        figures
            .iter()
            .find(|(known, _)| *known == text)
            .map(|(_, bytes)| *bytes)
    };
    if types.is_atom() {
        let bytes = bytes_of(types).ok_or(badarg(1))?;
        return Ok(build::unsigned(process.heap(), bytes));
    }
    let heap = process.heap();
    let mut pairs = Vec::new();
    for name in list::items(types) {
        let name = name.map_err(|_| badarg(1))?;
        let bytes = build::unsigned(heap, bytes_of(name).ok_or(badarg(1))?);
        pairs.push(build::tuple(heap, &[name, bytes]));
    }
    Ok(build::list(heap, &pairs))
}
