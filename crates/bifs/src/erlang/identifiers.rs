//! Conversion of pids, ports and references to text and back.

use layout::Term;
use layout::limits::PID_INDEX_BITS;
use term::off_heap::MagicBlock;
use term::{build, list, print, reference};

use runtime::bif::{BifResult, badarg};
use runtime::process::Process;

/// Longest texts, in bytes, of a pid, port or reference.
const PID_TEXT: usize = 64;
const PORT_TEXT: usize = 38;
const REFERENCE_TEXT: usize = 71;

fn printed(process: &mut Process, identifier: Term) -> Term {
    let text = print::display(identifier).to_string();
    build::byte_list(process.heap(), text.as_bytes())
}

/// `erlang:pid_to_list(Pid)`
pub fn pid_to_list_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !pid.is_pid() {
        return Err(badarg(1));
    }
    Ok(printed(process, pid))
}

/// `erlang:port_to_list(Port)`
pub fn port_to_list_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    if !port.is_port() {
        return Err(badarg(1));
    }
    Ok(printed(process, port))
}

/// `erlang:ref_to_list(Reference)`
pub fn ref_to_list_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
    if !reference.is_reference() {
        return Err(badarg(1));
    }
    MagicBlock::save(reference);
    Ok(printed(process, reference))
}

/// The numbers, separated by points, between `open` and `>`.
fn numbers(list: Term, longest: usize, open: &[u8]) -> Option<Vec<u64>> {
    let text = list::bytes_at_most(list, longest)?;
    let inner = text.strip_prefix(open)?.strip_suffix(b">")?;
    inner
        .split(|&byte| byte == b'.')
        .map(|digits| {
            if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                return None;
            }
            std::str::from_utf8(digits).ok()?.parse().ok()
        })
        .collect()
}

/// Whether the first number of a text denotes this node. Other numbers denote connections, of which there are none yet.
fn is_own(channel: u64) -> bool {
    channel == 0
}

/// `erlang:list_to_pid(Characters)`: `"<Node.Number.Serial>"`.
pub fn list_to_pid_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let numbers = numbers(list, PID_TEXT, b"<").ok_or(badarg(1))?;
    let [node, number, serial] = numbers[..] else {
        return Err(badarg(1));
    };
    let number = u32::try_from(number)
        .ok()
        .filter(|number| number >> PID_INDEX_BITS == 0);
    let serial = u32::try_from(serial).ok();
    match (number, serial) {
        (Some(number), Some(serial)) if is_own(node) => Ok(Term::local_pid(number, serial)),
        _ => Err(badarg(1)),
    }
}

/// `erlang:list_to_port(Characters)`: `"#Port<Node.Number>"`.
pub fn list_to_port_1(_process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let numbers = numbers(list, PORT_TEXT, b"#Port<").ok_or(badarg(1))?;
    let [node, number] = numbers[..] else {
        return Err(badarg(1));
    };
    if !is_own(node) || number >> (32 + PID_INDEX_BITS) != 0 {
        return Err(badarg(1));
    }
    let index = (number & ((1 << PID_INDEX_BITS) - 1)) as u32;
    Ok(Term::local_port(index, (number >> PID_INDEX_BITS) as u32))
}

/// `erlang:list_to_ref(Characters)`: `"#Ref<Node.Third.Second.First>"`.
pub fn list_to_ref_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let numbers = numbers(list, REFERENCE_TEXT, b"#Ref<").ok_or(badarg(1))?;
    let [node, third, second, first] = numbers[..] else {
        return Err(badarg(1));
    };
    let words = [first, second, third].map(|word| u32::try_from(word).ok());
    let [Some(first), Some(second), Some(third)] = words else {
        return Err(badarg(1));
    };
    if !is_own(node) || first >> 18 != 0 {
        return Err(badarg(1));
    }
    let (low, high) = reference::from_words([first, second, third]);
    Ok(match MagicBlock::find_saved(low, high) {
        // SAFETY: `find_saved` has counted the block for its caller; that count goes to the reference.
        Some(block) => unsafe { build::magic_reference(process.heap(), low, high, block) },
        None => reference::with_number(process.heap(), low, high),
    })
}
