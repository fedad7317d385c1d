//! A runtime for tests: one process, exports by name, the BIFs that the programs need, and the real collector.

#![allow(clippy::undocumented_unsafe_blocks)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock};

use beamfile::BeamFile;
use engine::{Code, CodegenError, CoverageMode, Exit, Module, generate, run, start};
use layout::context::{Arrived, Next, Resume, Room};
use layout::limits::{ALL_X_REGISTERS, FLOAT_REGISTERS};
use layout::process::{MessageQueue, QueueSizes};
use layout::{
    Abrupt, AbruptKind, BifFunction, Breakpoint, Class, Context, Export, FunEntry, ObjectKind,
    ProcessHead, RuntimeTable, Term, no_gc,
};
use term::external::{self, DecodeOptions, Resolver};
use term::fun::FunIdentity;
use term::gc::stress::Stress;
use term::gc::{self, Request};
use term::{am, atom, build, copy, literal};

pub(crate) struct Node {
    exports: Exports,
    codes: Vec<(String, Box<Code>)>,
    /// Reductions per slice.
    pub reductions: i64,
    /// Number of slices that ended because the reductions were used up.
    pub slices: usize,
    /// With which modules are loaded from now on.
    pub coverage: Option<CoverageMode>,
    shared: Box<Shared>,
}

// Tests move it from the thread that loads modules to the thread that runs.
unsafe impl Send for Node {}

/// The state that the functions of the runtime table access through `Context::scheduler`.
struct Shared {
    collections: usize,
    stress: Stress,
    exports: *const Exports,
    codes: *const Vec<(String, Box<Code>)>,
    trace: Vec<*const u64>,
    uncaught: Option<Term>,
}

#[derive(Default)]
struct Exports(HashMap<(u64, u64, u32), &'static Export>);

impl Exports {
    fn get(&mut self, module: Term, function: Term, arity: u32) -> &'static Export {
        self.0
            .entry((module.bits(), function.bits(), arity))
            .or_insert_with(|| {
                let export = Box::leak(Box::new(Export {
                    code: AtomicPtr::new(ptr::null_mut()),
                    module,
                    function,
                    arity,
                    flags: 0,
                    bif: bif(module, function, arity),
                    called: AtomicPtr::new(
                        bif(module, function, arity).map_or(ptr::null_mut(), |bif| bif as *mut ()),
                    ),
                    stub: [0; 8],
                }));
                let stub = start::stub_for(export);
                unsafe { start::write_stub(export, stub) };
                let entry = unsafe { start::stub_entry(export) };
                export.code.store(entry.cast_mut(), Ordering::Release);
                export
            })
    }
}

impl Resolver for Exports {
    fn export(&mut self, m: Term, f: Term, arity: u32, _: bool) -> Option<&'static Export> {
        Some(self.get(m, f, arity))
    }

    fn fun_entry(&mut self, _: &FunIdentity) -> Option<term::fun::Found> {
        None
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Compiles a program with OTP's compiler; returns the bytes of the file.
pub(crate) fn compile(name: &str, options: &[&str]) -> Vec<u8> {
    let out = std::env::temp_dir().join(format!(
        "ferl-engine-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&out).unwrap();
    let source = directory().join(name).with_extension("erl");
    let status = stock::erlc_25()
        .args(options)
        .args(["-o".as_ref(), out.as_os_str(), source.as_os_str()])
        .status()
        .expect("the compiler of OTP 25 starts");
    assert!(status.success());
    let bytes = std::fs::read(out.join(name).with_extension("beam")).unwrap();
    std::fs::remove_dir_all(&out).unwrap();
    bytes
}

impl Node {
    pub(crate) fn new() -> Node {
        Node {
            exports: Exports::default(),
            codes: Vec::new(),
            reductions: 4000,
            slices: 0,
            coverage: None,
            shared: Box::new(Shared {
                collections: 0,
                stress: Stress::None,
                exports: ptr::null(),
                codes: ptr::null(),
                trace: Vec::new(),
                uncaught: None,
            }),
        }
    }

    /// From now on, collects at every safepoint, and checks the heap each time.
    pub(crate) fn stress(&mut self) {
        self.shared.stress = Stress::Verify;
    }

    pub(crate) fn collections(&self) -> usize {
        self.shared.collections
    }

    pub(crate) fn source(&self, name: &str) -> String {
        std::fs::read_to_string(directory().join(name).with_extension("erl")).unwrap()
    }

    /// Compiles a program with OTP's compiler and loads it.
    pub(crate) fn load(&mut self, name: &str) {
        self.load_with(name, &[]);
    }

    /// As `load`, with options for the compiler.
    pub(crate) fn load_with(&mut self, name: &str, options: &[&str]) {
        let loaded = self.try_load(name, &compile(name, options));
        loaded.unwrap_or_else(|error| panic!("{error}"));
    }

    /// The code of a loaded module.
    pub(crate) fn code(&self, name: &str) -> &Code {
        let found = self.codes.iter().rfind(|(loaded, _)| loaded == name);
        &found.expect("it was loaded").1
    }

    /// The results that OTP's VM returns for the same calls.
    pub(crate) fn stock(&self, module: &str, calls: &[(&str, i64)]) -> Vec<String> {
        let calls: Vec<String> = calls
            .iter()
            .map(|(function, argument)| format!("{module}:{function}({argument})"))
            .collect();
        let eval = format!(
            "{{ok, M, B}} = compile:file(\"{}\", [binary]), code:load_binary(M, \"\", B), \
             [io:format(\"~w~n\", [Answer]) || Answer <- [{}]], halt().",
            directory().join(module).display(),
            calls.join(", ")
        );
        let output = stock::erl_25()
            .args(["-noshell", "-eval", &eval])
            .output()
            .expect("OTP 25 starts");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// The time in seconds that OTP's VM takes for each call.
    pub(crate) fn stock_times(&self, module: &str, calls: &[(&str, i64)]) -> Vec<f64> {
        let calls: Vec<String> = calls
            .iter()
            .map(|(function, argument)| format!("{{{function}, {argument}}}"))
            .collect();
        let eval = format!(
            "{{ok, M, B}} = compile:file(\"{}\", [binary]), code:load_binary(M, \"\", B), \
             [io:format(\"~w~n\", [element(1, timer:tc({module}, F, [A]))]) || {{F, A}} <- [{}]], halt().",
            directory().join(module).display(),
            calls.join(", ")
        );
        let output = stock::erl_25()
            .args(["-noshell", "-eval", &eval])
            .output()
            .expect("OTP 25 starts");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| line.parse::<f64>().unwrap() / 1e6)
            .collect()
    }

    /// Loads a module from the bytes of a file.
    pub(crate) fn try_load(&mut self, name: &str, bytes: &[u8]) -> Result<(), CodegenError> {
        let file = BeamFile::parse(bytes).unwrap();
        let code = file.decode().unwrap();
        let atoms: Vec<Term> = file.atoms.iter().map(atom::known).collect();
        let imports: Vec<*const Export> = file
            .imports
            .iter()
            .map(|row| {
                let (module, function) = (atoms[row.module as usize], atoms[row.function as usize]);
                ptr::from_ref(self.exports.get(module, function, row.arity.into()))
            })
            .collect();
        let funs: Vec<*const FunEntry> = file
            .lambdas
            .iter()
            .map(|row| {
                ptr::from_ref(&*Box::leak(Box::new(FunEntry {
                    code: AtomicPtr::new(ptr::null_mut()),
                    module: atoms[0],
                    arity: u32::from(row.arity - row.free),
                    free: row.free.into(),
                    index: row.index,
                    old_index: row.index,
                    old_unique: row.old_uniq,
                    unique: file.md5,
                })))
            })
            .collect();
        let mut literals = term::heap::Scratch::new();
        let literal_terms: Vec<Term> = file
            .literals
            .iter()
            .map(|bytes| {
                let options = DecodeOptions::default();
                let decoded = external::decode(literals.heap(), bytes, &options, &mut self.exports);
                make_literal(decoded.unwrap().0)
            })
            .collect();
        let integer = |bytes: &[u8]| {
            let mut scratch = term::heap::Scratch::new();
            let negative = bytes[0] & 0x80 != 0;
            let fill = if negative { 0xff } else { 0 };
            let mut limbs: Vec<u64> = bytes
                .rchunks(8)
                .map(|chunk| {
                    let mut limb = [fill; 8];
                    limb[8 - chunk.len()..].copy_from_slice(chunk);
                    u64::from_be_bytes(limb)
                })
                .collect();
            if negative {
                let mut carry = true;
                for limb in &mut limbs {
                    (*limb, carry) = (!*limb).overflowing_add(carry.into());
                }
            }
            make_literal(build::big(scratch.heap(), negative, &limbs))
        };
        let plus = Term::atom(spec::atoms::PLUS);
        let addition = self.exports.get(am::ERLANG, plus, 2);
        let addition = ptr::from_ref(addition);
        let module = Module {
            file: &file,
            code: &code,
            atoms: &atoms,
            literals: &literal_terms,
            imports: &imports,
            funs: &funs,
            integer: &integer,
            map_keys: &|_| None,
            records: &|_| None,
            bif: &|_, _| None,
            erlang: &|_, _| addition,
            coverage: self.coverage,
            line_breakpoints: false,
        };
        let generated = Box::new(generate(&module)?);
        for row in &file.exports {
            let export = self
                .exports
                .get(atoms[0], atoms[row.function as usize], row.arity.into());
            let entry = generated.label(row.label).unwrap();
            export.code.store(entry.cast_mut(), Ordering::Release);
        }
        for (row, entry) in file.lambdas.iter().zip(&funs) {
            let code = generated.label(row.label).unwrap();
            unsafe { (**entry).code.store(code.cast_mut(), Ordering::Release) };
        }
        self.codes.push((name.to_owned(), generated));
        Ok(())
    }

    /// Runs a process that applies the function to integers, until it ends. Returns the result as text, or the reason
    /// of an uncaught exception.
    pub(crate) fn call(&mut self, module: &str, function: &str, arguments: &[i64]) -> String {
        let mut heap = term::heap::empty();
        unsafe { gc::collect(&mut heap, &mut [], 60, gc::CollectionKind::Minor) }.unwrap();
        let mut process = Box::new(ProcessHead {
            heap,
            ip: start::apply(),
            messages: MessageQueue {
                first: ptr::null_mut(),
                last: ptr::null_mut(),
                save: ptr::null_mut(),
                sizes: QueueSizes::EMPTY,
            },
            id: Term::local_pid(1, 0),
            saved_x: 3,
            is_counting: false,
            receive_state: 0,
            catches: 0,
        });
        process.messages.last = &raw mut process.messages.first;
        process.messages.save = &raw mut process.messages.first;
        let arguments: Vec<Term> = arguments.iter().map(|&n| Term::small(n)).collect();
        let list = build::list(&mut process.heap, &arguments);
        let push = |process: &mut ProcessHead, word: u64| unsafe {
            process.heap.stack = process.heap.stack.sub(1);
            *process.heap.stack = word;
        };
        push(&mut process, start::process_end() as u64);
        push(&mut process, list.bits());
        push(&mut process, atom::known(function).bits());
        push(&mut process, atom::known(module).bits());

        self.shared.exports = &raw const self.exports;
        self.shared.codes = &raw const self.codes;
        self.shared.uncaught = None;
        self.shared.trace.clear();
        let mut context = Box::new(Context {
            process: &raw mut *process,
            runtime: &raw const TABLE,
            reductions_left: 0,
            abrupt: Abrupt {
                kind: AbruptKind::None,
                class: Class::Error,
                reason: Term::NONE,
                trace: Term::NONE,
                target: ptr::null(),
                arguments: Term::NONE,
            },
            searches_tries: term::map::searched_by_code(),
            number: 0,
            scheduler: (&raw mut *self.shared).cast(),
            f: [0.0; FLOAT_REGISTERS],
            builder: [0; 3],
            x: [Term::NONE; ALL_X_REGISTERS],
            aliased: std::marker::PhantomPinned,
        });
        loop {
            context.reductions_left = self.reductions;
            match unsafe { run(&raw mut *context) } {
                Exit::Preempted => self.slices += 1,
                Exit::Exited => break,
                other => panic!("{other:?}"),
            }
        }
        let answer = match self.shared.uncaught {
            Some(reason) => format!("uncaught {}", text(reason)),
            None => text(context.x[0]),
        };
        gc::free(&mut process.heap);
        answer
    }

    /// Function and line of each frame at the time of the last exception, down to the function that was applied.
    pub(crate) fn last_trace(&self) -> Vec<(String, u32)> {
        let mut trace = Vec::new();
        for &address in &self.shared.trace {
            for (_, code) in &self.codes {
                if let Some(place) = code.place(address) {
                    let name = format!("{}/{}", atom::text(place.function), place.arity);
                    trace.push((name, self.line(place.line)));
                }
            }
        }
        trace
    }

    /// The source line of a location index.
    fn line(&self, location: u32) -> u32 {
        let source = directory().join("basic.erl");
        let out = std::env::temp_dir().join(format!("ferl-engine-lines-{}", std::process::id()));
        std::fs::create_dir_all(&out).unwrap();
        stock::erlc_25()
            .arg("-o")
            .arg(&out)
            .arg(source)
            .status()
            .unwrap();
        let bytes = std::fs::read(out.join("basic.beam")).unwrap();
        let file = BeamFile::parse(&bytes).unwrap();
        file.lines.unwrap().locations[location as usize].line
    }
}

/// Copies a term to the area where literals must be in this test process.
fn make_literal(term: Term) -> Term {
    const AREA_WORDS: usize = 1 << 20;
    static AREA: OnceLock<Mutex<(usize, usize)>> = OnceLock::new();
    let area = AREA.get_or_init(|| {
        let start = vec![0_u64; AREA_WORDS].leak().as_mut_ptr() as usize;
        literal::set_range(start, AREA_WORDS * 8);
        Mutex::new((start, start + AREA_WORDS * 8))
    });
    let mut area = area.lock().unwrap();
    let words = copy::size(term);
    assert!(area.0 + words * 8 <= area.1, "more literals than expected");
    let room = area.0 as *mut u64;
    area.0 += words * 8;
    unsafe { copy::copy_to(room, words, &mut ptr::null_mut(), term, false) }
}

/// The text of a term, for the kinds of terms that tests need.
pub(crate) fn text(term: Term) -> String {
    if let Some(value) = term.as_small() {
        value.to_string()
    } else if term.is_atom() {
        let text = atom::text(term);
        if text.starts_with(|c: char| c.is_lowercase()) {
            text.to_owned()
        } else {
            format!("'{text}'")
        }
    } else if term.is_list() {
        let (mut items, mut rest) = (Vec::new(), term);
        while let Some((head, tail)) = rest.as_cons() {
            items.push(text(head));
            rest = tail;
        }
        assert!(rest.is_nil());
        format!("[{}]", items.join(","))
    } else if let Some(elements) = term.as_tuple(no_gc!()) {
        let elements: Vec<String> = elements.iter().map(|&element| text(element)).collect();
        format!("{{{}}}", elements.join(","))
    } else if let Some(value) = term.as_float() {
        format!("{value:?}")
    } else if let Some((negative, limbs)) = term.as_big(no_gc!()) {
        let value = limbs
            .iter()
            .rev()
            .fold(0u128, |value, &limb| value << 64 | u128::from(limb));
        format!("{}{value}", if negative { "-" } else { "" })
    } else if let Some(bits) = term.as_bits() {
        let no_gc = no_gc!();
        let bytes = bits.as_bytes(no_gc).expect("whole bytes");
        let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
        format!("<<{}>>", bytes.join(","))
    } else {
        format!("{term:?}")
    }
}

// BIFs.

fn raise(context: *mut Context, reason: Term) -> Term {
    let raise = unsafe { &mut (*context).abrupt };
    raise.kind = AbruptKind::Exception;
    raise.class = Class::Error;
    raise.reason = reason;
    raise.trace = Term::NONE;
    raise.arguments = Term::NONE;
    Term::NONE
}

macro_rules! operators {
    ($($name:ident($($argument:ident),*) $function:ident;)*) => {
        $(unsafe extern "C" fn $name(context: *mut Context, mut arguments: *const Term) -> Term {
            $(let $argument = unsafe { *arguments };
            arguments = arguments.wrapping_add(1);)*
            let _ = arguments;
            let heap = unsafe { &mut (*(*context).process).heap };
            match term::arith::$function(heap, $($argument),*) {
                Ok(value) => value,
                Err(_) => raise(context, am::BADARITH),
            }
        })*
    };
}

operators! {
    plus(a, b) add;
    minus(a, b) subtract;
    times(a, b) multiply;
    divide(a, b) divide;
    div(a, b) int_div;
    rem(a, b) remainder;
    band(a, b) band;
    bsl(a, b) bsl;
    bsr(a, b) bsr;
    negate(a) negate;
    bnot(a) bnot;
}

unsafe extern "C" fn error_1(context: *mut Context, arguments: *const Term) -> Term {
    raise(context, unsafe { *arguments })
}

unsafe extern "C" fn byte_size_1(_: *mut Context, arguments: *const Term) -> Term {
    let bits = unsafe { *arguments }.as_bits().expect("a bit string");
    Term::small(bits.bit_len().div_ceil(8) as i64)
}

unsafe extern "C" fn bit_size_1(_: *mut Context, arguments: *const Term) -> Term {
    Term::small(
        unsafe { *arguments }
            .as_bits()
            .expect("a bit string")
            .bit_len() as i64,
    )
}

unsafe extern "C" fn map_size_1(context: *mut Context, arguments: *const Term) -> Term {
    let map = unsafe { *arguments };
    match map.map_size() {
        Some(size) => Term::small(size as i64),
        None => {
            let heap = unsafe { &mut (*(*context).process).heap };
            let reason = build::tuple(heap, &[am::BADMAP, map]);
            raise(context, reason)
        }
    }
}

/// For BIFs whose successful cases are operations.
unsafe extern "C" fn badarg(context: *mut Context, _: *const Term) -> Term {
    raise(context, am::BADARG)
}

unsafe extern "C" fn length_1(_: *mut Context, arguments: *const Term) -> Term {
    let (mut length, mut rest) = (0, unsafe { *arguments });
    while let Some((_, tail)) = rest.as_cons() {
        (length, rest) = (length + 1, tail);
    }
    Term::small(length)
}

macro_rules! comparisons {
    ($($name:ident |$a:ident, $b:ident| $result:expr;)*) => {
        $(unsafe extern "C" fn $name(_: *mut Context, arguments: *const Term) -> Term {
            let ($a, $b) = unsafe { (*arguments, *arguments.add(1)) };
            am::boolean($result)
        })*
    };
}

comparisons! {
    lt |a, b| term::compare::compare(a, b).is_lt();
    ge |a, b| term::compare::compare(a, b).is_ge();
    le |a, b| term::compare::compare(a, b).is_le();
    gt |a, b| term::compare::compare(a, b).is_gt();
    same |a, b| term::compare::eq_exact(a, b);
    differ |a, b| !term::compare::eq_exact(a, b);
    equal |a, b| term::compare::eq(a, b);
    unequal |a, b| !term::compare::eq(a, b);
}

/// BIFs that no program here calls: only their names are needed, to generate code.
const ONLY_NAMED: [(&str, u32); 26] = [
    ("abs", 1),
    ("float", 1),
    ("round", 1),
    ("trunc", 1),
    ("floor", 1),
    ("ceil", 1),
    ("size", 1),
    ("binary_part", 3),
    ("self", 0),
    ("node", 0),
    ("get", 1),
    ("map_get", 2),
    ("is_map_key", 2),
    ("is_list", 1),
    ("is_boolean", 1),
    ("and", 2),
    ("or", 2),
    ("xor", 2),
    ("bor", 2),
    ("bxor", 2),
    ("+", 1),
    ("raise", 3),
    ("setelement", 3),
    ("atom_to_list", 1),
    ("send", 2),
    ("apply", 3),
];

fn bif(module: Term, function: Term, arity: u32) -> Option<BifFunction> {
    if module != am::ERLANG {
        return None;
    }
    if ONLY_NAMED.contains(&(atom::text(function), arity)) {
        return Some(badarg);
    }
    let body: BifFunction = match (atom::text(function), arity) {
        ("+", 2) => plus,
        ("-", 2) => minus,
        ("*", 2) => times,
        ("div", 2) => div,
        ("rem", 2) => rem,
        ("band", 2) => band,
        ("bsl", 2) => bsl,
        ("bsr", 2) => bsr,
        ("-", 1) => negate,
        ("bnot", 1) => bnot,
        ("error", 1) => error_1,
        ("byte_size", 1) => byte_size_1,
        ("bit_size", 1) => bit_size_1,
        ("map_size", 1) => map_size_1,
        ("length", 1) => length_1,
        ("element" | "hd" | "tl" | "tuple_size" | "not", _) => badarg,
        ("/", 2) => divide,
        ("<", 2) => lt,
        (">=", 2) => ge,
        ("=<", 2) => le,
        (">", 2) => gt,
        ("=:=", 2) => same,
        ("==", 2) => equal,
        ("/=", 2) => unequal,
        ("=/=", 2) => differ,
        _ => return None,
    };
    Some(body)
}

// The runtime table.

unsafe extern "C" fn native_function(_entry: *const u64) -> *const u64 {
    unreachable!("no native library is loaded")
}

static TABLE: RuntimeTable = RuntimeTable {
    collect,
    collect_at,
    defer_collection,
    leave_midway,
    unwind,
    send: unexpected_send,
    fetch_messages: no_messages,
    seek_message: unexpected,
    remove_message: unexpected,
    set_timeout: unexpected_timeout,
    timed_out: unexpected,
    marker_reserve: unexpected_marker,
    marker_bind: unexpected_2,
    marker_clear: unexpected_1,
    marker_use: unexpected_1,
    undefined_function,
    native_function,
    translate,
    is_warm,
    breakpoint,
    breakpoint_at,
    traced_export,
    traced_return,
    timed_return,
    stop_at_line,
    call_fun,
    apply,
    apply_list,
    apply_fun_list,
    build_stacktrace,
    raw_raise,
    catch_value,
    find_record,
    other,
};

fn shared<'a>(context: *mut Context) -> &'a mut Shared {
    unsafe { &mut *(*context).scheduler.cast::<Shared>() }
}

unsafe extern "C" fn collect(context: *mut Context, words: usize, live: usize) -> bool {
    shared(context).collections += 1;
    let request = Request {
        stress: shared(context).stress,
        ..Request::new(gc::CollectionKind::Minor, words)
    };
    unsafe {
        let heap = &mut (*(*context).process).heap;
        let x = &mut (&mut (*context).x)[..live];
        gc::run(heap, &mut [x], &request).is_ok()
    }
}

/// After every second collection the process leaves the engine; its registers are saved on the stack.
unsafe extern "C" fn collect_at(
    context: *mut Context,
    words: usize,
    live: usize,
    ip: *const u64,
) -> Room {
    unsafe {
        if !collect(context, words + live, live) {
            return Room::Ended;
        }
        if shared(context).collections.is_multiple_of(2) {
            return Room::Made;
        }
        let process = &mut *(*context).process;
        process.heap.stack = process.heap.stack.sub(live);
        let x = &mut (*context).x;
        process
            .heap
            .stack
            .cast::<Term>()
            .copy_from_nonoverlapping(x.as_ptr(), live);
        x.fill(am::UNDEFINED);
        process.saved_x = live as u16;
        process.ip = ip;
        Room::Deferred
    }
}

/// Postpones every collection, except under stress, where it postpones none.
unsafe extern "C" fn defer_collection(context: *mut Context) -> bool {
    if shared(context).stress != Stress::None {
        return false;
    }
    unsafe {
        (*(*context).process).heap.flags |= layout::heap::flag::FORCE;
        (*context).reductions_left = 0;
    }
    true
}

unsafe extern "C" fn leave_midway(_: *mut Context, _: *const u64, live: usize) -> usize {
    live
}

unsafe extern "C" fn unwind(
    context: *mut Context,
    ip: *const u64,
    _failed: *const Export,
    _arguments: *const Term,
) -> *const u64 {
    unsafe {
        let process = &mut *(*context).process;
        let shared = shared(context);
        shared.trace.clear();
        shared.trace.push(ip);
        let (class, reason) = ((*context).abrupt.class, (*context).abrupt.reason);
        let (mut at, mut frame, mut found) = (process.heap.stack, process.heap.stack, None);
        while at < process.heap.end {
            let word = Term::from_bits(*at);
            at = at.add(1);
            if word.bits() & 0b11 == 0 {
                shared
                    .trace
                    .push((word.bits() as *const u64).wrapping_sub(1));
                if found.is_none() {
                    frame = at;
                }
            } else if let (Some(handler), None) = (word.as_catch(), found) {
                found = Some((handler, frame));
            }
        }
        let Some((handler, frame)) = found else {
            shared.uncaught = Some(reason);
            return ptr::null();
        };
        process.heap.stack = frame;
        let x = &mut (*context).x;
        x[0] = Term::NONE;
        x[1] = [am::ERROR, am::EXIT, am::THROW][class as usize];
        x[2] = reason;
        x[3] = Term::NIL;
        handler
    }
}

unsafe extern "C" fn unexpected_send(_: *mut Context) -> Next {
    panic!("send")
}

unsafe extern "C" fn no_messages(_: *mut Context) -> Arrived {
    Arrived::Nothing
}

unsafe extern "C" fn unexpected(_: *mut Context) {
    panic!("a receive")
}

unsafe extern "C" fn unexpected_timeout(_: *mut Context, _: Term) -> Next {
    panic!("a timeout")
}

unsafe extern "C" fn unexpected_marker(_: *mut Context) -> Term {
    panic!("a marker")
}

unsafe extern "C" fn unexpected_1(_: *mut Context, _: Term) {
    panic!("a marker")
}

unsafe extern "C" fn unexpected_2(_: *mut Context, _: Term, _: Term) {
    panic!("a marker")
}

unsafe extern "C" fn undefined_function(
    context: *mut Context,
    _export: *const Export,
) -> *const u64 {
    raise(context, am::UNDEF);
    ptr::null()
}

unsafe extern "C" fn translate(_: *const u64) -> *const u64 {
    panic!("modules of tests are translated whole")
}

unsafe extern "C" fn is_warm(_: *const u64) {
    unreachable!("all modules get machine code when they are loaded")
}

unsafe extern "C" fn breakpoint(context: *mut Context, _: *const Breakpoint) -> Resume {
    raise(context, am::UNDEF);
    Resume {
        at: ptr::null(),
        handler: ptr::null(),
    }
}

unsafe extern "C" fn breakpoint_at(_: *const u64) -> *const Breakpoint {
    unreachable!("there are no breakpoints")
}

unsafe extern "C" fn traced_export(_: *mut Context, _: *const Export) -> *const u64 {
    unreachable!("nothing is traced")
}

unsafe extern "C" fn stop_at_line(_: *mut Context, _: *const u64) -> *const u64 {
    unreachable!("nothing is loaded for debuggers")
}

unsafe extern "C" fn timed_return(_: *mut Context) {
    unreachable!("nothing is traced")
}

unsafe extern "C" fn traced_return(_: *mut Context) {
    unreachable!("nothing is traced")
}

unsafe extern "C" fn call_fun(context: *mut Context, fun: Term, arity: usize) -> *const u64 {
    assert!(!fun.is_kind(ObjectKind::Fun) || arity > 0);
    raise(context, am::BADFUN);
    ptr::null()
}

unsafe extern "C" fn apply(
    context: *mut Context,
    module: Term,
    function: Term,
    arity: usize,
) -> *const u64 {
    let exports = unsafe { &*shared(context).exports };
    match exports
        .0
        .get(&(module.bits(), function.bits(), arity as u32))
    {
        Some(export) => export.code.load(Ordering::Acquire),
        None => {
            raise(context, am::UNDEF);
            ptr::null()
        }
    }
}

fn spread(context: *mut Context, mut list: Term) -> usize {
    let mut arity = 0;
    while let Some((head, tail)) = list.as_cons() {
        unsafe { (*context).x[arity] = head };
        (arity, list) = (arity + 1, tail);
    }
    arity
}

unsafe extern "C" fn apply_list(
    context: *mut Context,
    module: Term,
    function: Term,
    arguments: Term,
) -> *const u64 {
    let arity = spread(context, arguments);
    unsafe { apply(context, module, function, arity) }
}

unsafe extern "C" fn apply_fun_list(
    context: *mut Context,
    fun: Term,
    arguments: Term,
) -> *const u64 {
    let arity = spread(context, arguments);
    let entry = layout::kinds::Closure::expect(fun).entry();
    unsafe {
        assert_eq!((*entry).arity as usize, arity);
        assert_eq!((*entry).free, 0);
        (*entry).code.load(Ordering::Acquire)
    }
}

unsafe extern "C" fn build_stacktrace(_: *mut Context, raw: Term) -> Term {
    raw
}

unsafe extern "C" fn raw_raise(context: *mut Context, _: Term, reason: Term, _: Term) -> bool {
    raise(context, reason);
    true
}

unsafe extern "C" fn catch_value(
    context: *mut Context,
    _class: Term,
    reason: Term,
    _raw: Term,
) -> Term {
    let heap = unsafe { &mut (*(*context).process).heap };
    build::tuple(heap, &[am::UC_EXIT, reason])
}

unsafe extern "C" fn find_record(_: Term, _: Term) -> Term {
    Term::NONE
}

unsafe extern "C" fn other(_: *mut Context, opcode: u32, _: *const u64) -> Next {
    panic!("operation {opcode}")
}
