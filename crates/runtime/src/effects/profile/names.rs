//! Names for the addresses in samples. Each name has a number, which stays; what an address is called is forgotten when
//! modules are loaded or purged.
//!
//! A slow path of the engine is known by its name in the program's own symbol table, and a BIF or native function by
//! the instruction that calls it. Without symbols (a stripped program) both are called `[runtime]`.

use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use engine::Code;
use rustc_hash::FxHashMap;
use term::print;

use super::parts::{Identifiers, PartNumber};
use super::ring::Sample;
use crate::code::modules::{self, Loaded};
use crate::code::{exports, perf, stubs};

#[derive(Default)]
pub(super) struct Names {
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// [`modules::changes`] when the next four were filled.
    changes: u64,
    words: FxHashMap<u64, Option<u32>>,
    machine_code: FxHashMap<u64, Option<u32>>,
    /// Caller and callee by the instruction that calls a BIF.
    bif_calls: FxHashMap<u64, (Option<u32>, Option<u32>)>,
    /// Modules with machine code, by its address.
    modules: Vec<Arc<Loaded>>,
    program: Option<Program>,
}

/// What functions of the program do for a process.
#[derive(Default)]
pub(super) struct Native {
    /// The Erlang function that has called them, unless that is on the stack already.
    pub caller: Option<u32>,
    pub callee: Option<u32>,
    /// The part of the machine that was at work for it.
    pub part: Option<u32>,
    /// Whether the stack is `Sample::others`.
    keeps_stack: bool,
}

impl Native {
    /// The return addresses of the process.
    pub(super) fn returns<'a>(&self, sample: &'a Sample) -> &'a [u64] {
        match self.keeps_stack && !sample.others.is_empty() {
            true => &sample.others,
            false => &sample.returns,
        }
    }
}

/// The functions of the program.
struct Program {
    symbols: Vec<Symbol>,
    /// Where the program was loaded, less where its file says.
    offset: u64,
}

/// A slow path of the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SlowPath {
    /// The last part of its name.
    name: String,
    /// Whether machine code jumps to it.
    is_handler: bool,
    /// Whether it may run with a stack pointer that it has not saved.
    keeps_stack: bool,
}

struct Symbol {
    start: u64,
    bytes: u64,
    slow: Option<SlowPath>,
    part: Option<PartNumber>,
}

impl Names {
    pub(super) fn text(&self, name: u32) -> &str {
        &self.texts[name as usize]
    }

    /// Forgets addresses if code has come or gone since.
    pub(super) fn refresh(&mut self) {
        let changes = modules::changes();
        if self.changes == changes {
            return;
        }
        self.changes = changes;
        self.words.clear();
        self.machine_code.clear();
        self.bif_calls.clear();
        self.modules = modules::all_with_code();
        self.modules
            .retain(|loaded| !machine_range(loaded).is_empty());
        self.modules
            .sort_unstable_by_key(|loaded| machine_range(loaded).start);
    }

    pub(super) fn of_text(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The function that an instruction's words belong to.
    pub(super) fn of_words(&mut self, address: u64) -> Option<u32> {
        if let Some(&name) = self.words.get(&address) {
            return name;
        }
        let name = modules::place_in_module(address as *const u64).map(|place| {
            self.of_text(&format!(
                "{}:{}/{}",
                print::display(place.module),
                print::display(place.function),
                place.arity
            ))
        });
        self.words.insert(address, name);
        name
    }

    /// The function that machine code belongs to.
    pub(super) fn of_machine_code(&mut self, address: u64) -> Option<u32> {
        if let Some(&name) = self.machine_code.get(&address) {
            return name;
        }
        let after = self
            .modules
            .partition_point(|loaded| machine_range(loaded).start <= address as usize);
        let text = after
            .checked_sub(1)
            .and_then(|index| {
                let code = self.modules[index].code.made()?;
                code.function_of_machine_code(address as usize)
            })
            .map(perf::name);
        let name = text.map(|text| self.of_text(&text));
        self.machine_code.insert(address, name);
        name
    }

    /// What the functions of the program do in a sample.
    pub(super) fn of_native(&mut self, sample: &Sample) -> Native {
        let program = self.program.get_or_insert_with(Program::read);
        let is_function = |&word: &u64| word >= 1 << 31;
        let natives = &sample.natives;
        // A return address may be the end of its function.
        let slow_path = |&word: &u64| program.symbol(word - 1)?.slow.clone();
        let is_slow_path = |word: &u64| is_function(word) && slow_path(word).is_some();
        let found = (0..natives.len())
            .filter(|&at| is_slow_path(&natives[at]))
            .find(|&at| program.has_called(natives[at], &natives[at + 1..], sample.ip));
        let at_place = |at: usize| slow_path(&natives[at]).map(|path| (at, path));
        // Machine code jumps to a handler. So where one runs that has called nothing, all others on the stack are over.
        let here = slow_path(&(sample.ip + 1)).map(|path| (natives.len(), path));
        let found = match &here {
            Some((_, path)) if path.is_handler => here,
            _ => found.and_then(at_place).or(here).or_else(|| {
                let first = natives.iter().position(is_slow_path);
                first.and_then(at_place)
            }),
        };
        // What is further in than the slow path.
        let inner = found
            .as_ref()
            .map_or(0, |(at, _)| at + 1)
            .min(natives.len());
        let part = program.part(sample, inner);
        let part = part.map(|part| self.of_text(part.name()));
        let Some((at, path)) = found else {
            return Native {
                callee: Some(self.of_text("[runtime]")),
                part,
                ..Native::default()
            };
        };
        if path.name.starts_with("call_bif") {
            let (caller, callee) = self.of_bif_call(sample.process_ip);
            return Native {
                caller,
                callee: callee.or_else(|| Some(self.of_text("[BIF]"))),
                part,
                keeps_stack: false,
            };
        }
        // The slow path's frame, or that of what it has called, has the instruction that it serves.
        let outer = natives[..at]
            .iter()
            .rev()
            .take_while(|word| !is_function(word));
        let inner = natives[(at + 1).min(natives.len())..]
            .iter()
            .take_while(|word| !is_function(word));
        let instructions: Vec<u64> = outer.chain(inner).copied().collect();
        let callee = Some(self.of_text(&format!("[{}]", path.name)));
        Native {
            caller: instructions
                .into_iter()
                .find_map(|address| self.of_words(address)),
            callee,
            part,
            keeps_stack: path.keeps_stack,
        }
    }

    /// What a scheduler does that runs no process.
    pub(super) fn of_scheduling(&mut self, sample: &Sample) -> Native {
        let program = self.program.get_or_insert_with(Program::read);
        let part = program.part(sample, 0);
        Native {
            part: part.map(|part| self.of_text(part.name())),
            ..Native::default()
        }
    }

    /// The function that an instruction is in, and the BIF, or native function, that it calls.
    fn of_bif_call(&mut self, address: u64) -> (Option<u32>, Option<u32>) {
        if let Some(&call) = self.bif_calls.get(&address) {
            return call;
        }
        let instruction = address as *const u64;
        // Either an instruction of a module, whose operand is the export, or the stub of one.
        let operand = modules::find_code(instruction)
            .and_then(|loaded| loaded.code.first_operand(instruction));
        let export = match operand {
            Some(operand) => exports::at(operand),
            None => stubs::around(address as usize),
        };
        let callee = export.map(|export| {
            self.of_text(&format!(
                "{}:{}/{}",
                print::display(export.module),
                print::display(export.function),
                export.arity
            ))
        });
        let call = (self.of_words(address), callee);
        self.bif_calls.insert(address, call);
        call
    }
}

impl Program {
    fn read() -> Program {
        let file = std::fs::File::open("/proc/self/exe").ok();
        let symbols = file.and_then(|file| symbols_of(|place, bytes| part_of(&file, place, bytes)));
        Program {
            symbols: symbols.unwrap_or_default(),
            offset: sys::sampling::program_text().start as u64,
        }
    }

    /// Whether what was called just before this return address is in progress: it is where the sample was taken, or has
    /// called something in turn. What an earlier slow path has left on the stack is told apart by this, if it is a call
    /// of a known function.
    fn has_called(&self, returns_to: u64, inner: &[u64], ip: u64) -> bool {
        let start_of = |address| self.symbol(address).map(|symbol| symbol.start);
        let called = sys::sampling::called_before(returns_to as usize);
        let Some(called) = called.and_then(|called| start_of(called as u64)) else {
            return false;
        };
        let mut places = inner.iter().map(|word| word - 1).chain([ip]);
        places.any(|place| start_of(place) == Some(called))
    }

    /// The part of the machine that a sample is of, by its functions from one of `natives` on inwards. A word that an
    /// earlier call has left on the stack is told apart by what it would have called ([`Program::has_called`]).
    fn part(&self, sample: &Sample, outermost: usize) -> Option<PartNumber> {
        let mut places = vec![sample.ip];
        for &word in sample.natives[outermost..].iter().rev() {
            if self.has_called(word, &[], places[places.len() - 1]) {
                places.push(word - 1);
            }
        }
        let parts = places
            .into_iter()
            .filter_map(|place| self.symbol(place)?.part);
        PartNumber::of_stack(parts)
    }

    fn symbol(&self, address: u64) -> Option<&Symbol> {
        let address = address.checked_sub(self.offset)?;
        let after = self
            .symbols
            .partition_point(|symbol| symbol.start <= address);
        let symbol = &self.symbols[after.checked_sub(1)?];
        (address - symbol.start < symbol.bytes).then_some(symbol)
    }
}

/// The functions in the symbol table of an ELF file of 64 bits, little end first, that begins at address 0. `read`
/// returns a number of bytes at a place of the file: only what is needed is read, for the file is large.
fn symbols_of(read: impl Fn(u64, u64) -> Option<Vec<u8>>) -> Option<Vec<Symbol>> {
    const FILE_HEADER_BYTES: u64 = 64;
    const SECTION_HEADER_BYTES: u64 = 64;
    const SYMBOL_TABLE: u64 = 2;
    const FUNCTION: u8 = 2;
    const ENTRY_BYTES: usize = 24;
    let number = |bytes: &[u8], at: usize, length: usize| {
        let mut number = [0; 8];
        number[..length].copy_from_slice(bytes.get(at..at + length)?);
        Some(u64::from_le_bytes(number))
    };
    let file = read(0, FILE_HEADER_BYTES)?;
    let (first, count) = (number(&file, 0x28, 8)?, number(&file, 0x3c, 2)?);
    let headers = read(first, count * SECTION_HEADER_BYTES)?;
    let mut headers = headers.chunks_exact(SECTION_HEADER_BYTES as usize);
    let all = headers.clone();
    let table = headers.find(|header| number(header, 4, 4) == Some(SYMBOL_TABLE))?;
    let names = all.clone().nth(number(table, 0x28, 4)? as usize)?;
    let part = |header: &[u8]| read(number(header, 0x18, 8)?, number(header, 0x20, 8)?);
    let (entries, names) = (part(table)?, part(names)?);
    let mut symbols = Vec::new();
    for entry in entries.chunks_exact(ENTRY_BYTES) {
        if entry[4] & 0xf != FUNCTION {
            continue;
        }
        let name = names
            .get(number(entry, 0, 4)? as usize..)
            .unwrap_or_default();
        let name = &name[..memchr::memchr(0, name).unwrap_or(name.len())];
        symbols.push(Symbol {
            start: number(entry, 8, 8)?,
            bytes: number(entry, 16, 8)?,
            slow: slow_path(name),
            part: PartNumber::of_symbol(name),
        });
    }
    symbols.sort_unstable_by_key(|symbol| symbol.start);
    Some(symbols)
}

/// Reads a part of a file; `None` if it is not there.
fn part_of(file: &std::fs::File, place: u64, bytes: u64) -> Option<Vec<u8>> {
    // A damaged header may ask for more than there is.
    if place.checked_add(bytes)? > file.metadata().ok()?.len() {
        return None;
    }
    let mut part = vec![0; bytes as usize];
    file.read_exact_at(&mut part, place).ok()?;
    Some(part)
}

/// The last identifier of a mangled name, if it is that of a slow path of the engine.
fn slow_path(mangled: &[u8]) -> Option<SlowPath> {
    let mangled = std::str::from_utf8(mangled).ok()?;
    let (_, path) = mangled.split_once("6engine4slow")?;
    // A hash of the old form is no identifier of interest.
    let (mut last, mut is_handler) = (None, false);
    for name in Identifiers(path).filter(|name| !(name.len() == 17 && name.starts_with('h'))) {
        // A handler is in a module of its own name.
        is_handler = last == Some(name);
        last = Some(name);
    }
    let lookers = ["5arith", "7compare", "6floats", "4maps"];
    Some(SlowPath {
        name: last?.to_owned(),
        is_handler,
        keeps_stack: lookers.iter().any(|module| path.starts_with(module)),
    })
}

/// The addresses of a module's machine code.
fn machine_range(loaded: &Loaded) -> Range<usize> {
    loaded.code.made().map_or(0..0, Code::machine_range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_paths_are_known_by_mangled_names_of_both_forms() {
        let found = |name: &str| slow_path(name.as_bytes()).map(|path| path.name);
        let old = "_ZN6engine4slow4bifs8call_bif8call_bif17h0123456789abcdefE";
        assert_eq!(found(old).as_deref(), Some("call_bif"));
        let is_handler = |name: &str| slow_path(name.as_bytes()).map(|path| path.is_handler);
        assert_eq!(is_handler(old), Some(true));
        let helper = "_ZN6engine4slow5build9construct17h0123456789abcdefE";
        assert_eq!(is_handler(helper), Some(false));
        assert_eq!(
            found("_RNvNtNtCs1234_6engine4slow8messages4send").as_deref(),
            Some("send")
        );
        assert_eq!(found("_ZN4term4copy4copy17h0123456789abcdefE"), None);
        assert_eq!(found("_ZN6engine4slow99x"), None);
    }

    #[test]
    fn damaged_files_have_no_symbols() {
        let symbols_in = |file: &[u8]| {
            symbols_of(|place, bytes| {
                let place = usize::try_from(place).ok()?;
                let end = place.checked_add(usize::try_from(bytes).ok()?)?;
                file.get(place..end).map(<[u8]>::to_vec)
            })
        };
        assert!(symbols_in(b"").is_none());
        assert!(symbols_in(&[0xff; 200]).is_none());
        // Under Miri the running program is Miri, which is large and has other symbols.
        if cfg!(miri) {
            return;
        }
        let own = std::fs::read("/proc/self/exe").unwrap();
        let symbols = symbols_in(&own).unwrap();
        assert!(symbols.len() > 100 && symbols.is_sorted_by_key(|symbol| symbol.start));
        for length in [10, 64, 1000, own.len() / 2] {
            let _ = symbols_in(&own[..length]);
        }
    }
}
