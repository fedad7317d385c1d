//! Conversion of pids, ports and references to text and back.

use layout::limits::PID_INDEX_BITS;
use layout::{ObjectKind, Term};
use smallvec::{SmallVec, smallvec};
use term::node::{self, Node};
use term::off_heap::MagicBlock;
use term::{build, list, print, reference};

use distribution::channel::Phase;
use distribution::peers;
use runtime::code::bif::{BifResult, Failure, badarg};
use runtime::process::Process;

/// Longest texts, in bytes, of a pid, port or reference.
const PID_TEXT: usize = 64;
const PORT_TEXT: usize = 38;
const REFERENCE_TEXT: usize = 71;
/// As many words has the longest reference that a node may make.
const MOST_REFERENCE_WORDS: usize = 5;

fn printed(process: &mut Process, identifier: Term) -> Term {
    let text = print::display(identifier).to_string();
    build::byte_list(process.heap(), text.as_bytes())
}

/// `erlang:pid_to_list(Pid)`
pub(crate) fn pid_to_list_1(process: &mut Process, [pid]: [Term; 1]) -> BifResult {
    if !pid.is_pid() {
        return Err(badarg(1));
    }
    Ok(printed(process, pid))
}

/// `erlang:port_to_list(Port)`
pub(crate) fn port_to_list_1(process: &mut Process, [port]: [Term; 1]) -> BifResult {
    if !port.is_port() {
        return Err(badarg(1));
    }
    Ok(printed(process, port))
}

/// `erlang:ref_to_list(Reference)`
pub(crate) fn ref_to_list_1(process: &mut Process, [reference]: [Term; 1]) -> BifResult {
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

/// The node that the first number of a text denotes: 0 is this node (`None`); otherwise it is a connected one, in its
/// present life, by the index of its name.
fn node_of(number: u64) -> Result<Option<Node>, Failure> {
    if number == 0 {
        return Ok(None);
    }
    let name = u32::try_from(number).map_err(|_| badarg(1))?;
    let channel = peers::channel(Term::atom(name)).filter(|channel| channel.phase() == Phase::Up);
    let channel = channel.ok_or_else(|| badarg(1))?;
    Ok(Some(node::heard_of(channel.node, channel.creation())))
}

/// An identifier of another node.
fn external(process: &mut Process, kind: ObjectKind, node: Node, words: &[u64]) -> Term {
    let mut object: SmallVec<[u64; 5]> = smallvec![node.word()];
    object.extend_from_slice(words);
    build::object(process.heap(), kind, &object)
}

/// `erlang:list_to_pid(Characters)`: `"<Node.Number.Serial>"`.
pub(crate) fn list_to_pid_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let numbers = numbers(list, PID_TEXT, b"<").ok_or(badarg(1))?;
    let [node, number, serial] = numbers[..] else {
        return Err(badarg(1));
    };
    if let Some(node) = node_of(node)? {
        // Like stock, of larger numbers the low half.
        let id = number & u64::from(u32::MAX) | serial << 32;
        return Ok(external(process, ObjectKind::ExternalPid, node, &[id]));
    }
    let number = u32::try_from(number)
        .ok()
        .filter(|number| number >> PID_INDEX_BITS == 0);
    let serial = u32::try_from(serial).ok();
    match (number, serial) {
        (Some(number), Some(serial)) => Ok(Term::local_pid(number, serial)),
        _ => Err(badarg(1)),
    }
}

/// `erlang:list_to_port(Characters)`: `"#Port<Node.Number>"`.
pub(crate) fn list_to_port_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let numbers = numbers(list, PORT_TEXT, b"#Port<").ok_or(badarg(1))?;
    let [node, number] = numbers[..] else {
        return Err(badarg(1));
    };
    if let Some(node) = node_of(node)? {
        return Ok(external(process, ObjectKind::ExternalPort, node, &[number]));
    }
    if number >> (32 + PID_INDEX_BITS) != 0 {
        return Err(badarg(1));
    }
    let index = (number & ((1 << PID_INDEX_BITS) - 1)) as u32;
    Ok(Term::local_port(index, (number >> PID_INDEX_BITS) as u32))
}

/// `erlang:list_to_ref(Characters)`: `"#Ref<Node.Third.Second.First>"`. Those of other nodes may have any number of
/// words from one to five.
pub(crate) fn list_to_ref_1(process: &mut Process, [list]: [Term; 1]) -> BifResult {
    let numbers = numbers(list, REFERENCE_TEXT, b"#Ref<").ok_or(badarg(1))?;
    let [node, ref words @ ..] = numbers[..] else {
        return Err(badarg(1));
    };
    // The first word is the last in the text.
    let words = words.iter().rev().map(|&word| u32::try_from(word).ok());
    let words: Option<SmallVec<[u32; 5]>> = words.collect();
    let words = words.ok_or(badarg(1))?;
    if words.is_empty() || words.len() > MOST_REFERENCE_WORDS {
        return Err(badarg(1));
    }
    if let Some(node) = node_of(node)? {
        let mut object: SmallVec<[u64; 4]> = smallvec![words.len() as u64];
        object.extend(words.chunks(2).map(|pair| {
            let high = pair.get(1).copied().unwrap_or(0);
            u64::from(pair[0]) | u64::from(high) << 32
        }));
        return Ok(external(
            process,
            ObjectKind::ExternalReference,
            node,
            &object,
        ));
    }
    own_reference(process, &words)
}

fn own_reference(process: &mut Process, words: &[u32]) -> BifResult {
    if !matches!(words.len(), 3 | 5) {
        return Err(badarg(1));
    }
    // SAFETY: `find_saved` has counted the block for its caller.
    let made = unsafe { reference::of_words(process.heap(), words, MagicBlock::find_saved) };
    made.ok_or(badarg(1))
}
