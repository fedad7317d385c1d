//! Loading: turns the bytes of a `.beam` file into code that can be called.
//!
//! *Preparing* does the work and changes nothing that is visible to a process; *committing* switches the
//! exports of one or more modules while the world is stopped.

use crate::mail::observer;
use crate::mail::observer::observer;
use crate::process::config;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use beamfile::{BeamFile, ChunkId, Constant, Operand};
use engine::start::Stub;
use layout::{Export, FunEntry, Term};
use spec::opcodes::Opcode;
use term::external::{self, Resolver};
use term::fun::{Found, FunIdentity};
use term::heap::Scratch;
use term::native_record::{self, Definition};
use term::off_heap::MagicBlock;
use term::{atom, build, map};

use super::literals::Area;
use super::load_error::LoadError;
use super::module_code::ModuleCode;
use super::modules::{self, Address, Loaded};
use super::source::{Known, Source};
use super::{coverage, debugger_lines, exports, funs};
use super::{gdb_jit, literals, perf};

/// Finds exports and fun entries for decoded terms.
pub struct CodeResolver;

impl Resolver for CodeResolver {
    fn export(
        &mut self,
        module: Term,
        function: Term,
        arity: u32,
        create: bool,
    ) -> Option<&'static Export> {
        if create {
            Some(exports::get(module, function, arity))
        } else {
            exports::find_of_code(module, function, arity)
        }
    }

    fn fun_entry(&mut self, identity: &FunIdentity) -> Option<Found> {
        Some(funs::find(identity))
    }

    fn magic(&mut self, low: u64, high: u64) -> Option<*mut MagicBlock> {
        MagicBlock::find_saved(low, high)
    }
}

/// As [`CodeResolver`], for the literals of a file that is loaded.
struct FileResolver;

impl Resolver for FileResolver {
    fn export(
        &mut self,
        module: Term,
        function: Term,
        arity: u32,
        _create: bool,
    ) -> Option<&'static Export> {
        Some(exports::get_for_code(module, function, arity))
    }

    fn fun_entry(&mut self, identity: &FunIdentity) -> Option<Found> {
        CodeResolver.fun_entry(identity)
    }

    fn magic(&mut self, low: u64, high: u64) -> Option<*mut MagicBlock> {
        CodeResolver.magic(low, high)
    }
}

/// Turns a file into code that cannot be called yet.
///
/// # Errors
/// See [`LoadError`].
pub fn prepare(expected: Option<Term>, bytes: &[u8]) -> Result<Arc<Loaded>, LoadError> {
    let mut file = BeamFile::parse(bytes).map_err(LoadError::File)?;
    // Functions are decoded when they are called, unless the module turns out to need more.
    let survey = file.survey().map_err(LoadError::File)?;
    if !config::loads_line_numbers() {
        file.lines = None;
    }
    let atoms = atom::for_code(|| atoms_of(&file))?;
    if let Some(expected) = expected.filter(|expected| *expected != atoms[0]) {
        return Err(LoadError::Name {
            expected,
            found: file.module().to_owned(),
        });
    }
    let constants = atom::for_code(|| Constants::of(&file, &survey, &atoms))?;
    let nifs = declared_nifs(&survey, &atoms);
    let funs = funs_of(&file, &atoms);
    let source = Source {
        known: Known {
            coverage: coverage::mode_for(&file),
            line_breakpoints: debugger_lines::loads_breakpoints(),
            imports: imports_of(&file, &atoms),
            funs: funs.iter().map(|fun| std::ptr::from_ref(*fun)).collect(),
            atoms,
            terms: constants.terms,
            big_integers: constants.big_integers,
            map_keys: constants.map_keys,
            records: constants.records,
        },
        file,
    };
    let prepared = Prepared {
        area: constants.area,
        files: constants.files,
        debugger_lines: constants.debugger_lines,
        nifs,
        funs,
    };
    if is_outlined(&source, &survey, &prepared) {
        let outline = source.outline(&survey)?;
        let loaded = prepared.loaded(&source, |label| outline.label(label));
        return Ok(Arc::new(Loaded {
            code: ModuleCode::outlined(outline, source.for_functions()),
            ..loaded
        }));
    }
    let code = source.file.decode().map_err(LoadError::File)?;
    let generated = source.generate(&code)?;
    perf::loaded(&generated, source.file.lines.as_ref());
    let on_load = generated.on_load().map(Address);
    let loaded = prepared.loaded(&source, |label| generated.label(label));
    let loaded = Loaded {
        on_load,
        code: ModuleCode::whole(generated),
        ..loaded
    };
    gdb_jit::register(&loaded);
    Ok(Arc::new(loaded))
}

/// Whether functions of a module are translated when they are first called. What has native functions, or runs when it
/// is loaded, has its code at once; so has all code while it is counted, or watched, from the start.
fn is_outlined(source: &Source<'_>, code: &beamfile::Code, prepared: &Prepared) -> bool {
    let runs_when_loaded = || {
        let mut operations = code.operations.iter();
        operations.any(|operation| operation.opcode == Opcode::OnLoad)
    };
    engine::native::is_enabled()
        && engine::tiering::counts_calls()
        && source.known.coverage.is_none()
        && !source.known.line_breakpoints
        && prepared.nifs.is_empty()
        && !runs_when_loaded()
}

/// The atoms of a file; the first is the module's name.
fn atoms_of(file: &BeamFile<'_>) -> Result<Vec<Term>, LoadError> {
    let atoms = file.atoms.iter().map(atom::intern_str);
    atoms.collect::<Result<_, _>>().map_err(LoadError::Atom)
}

/// The functions that begin with `nif_start`: those of the attribute `-nifs`.
fn declared_nifs(code: &beamfile::Code, atoms: &[Term]) -> Vec<(Term, u32)> {
    let functions = code.functions.iter().filter(|function| {
        let range = function.operations.start as usize..function.operations.end as usize;
        let is_start = |operation: &beamfile::Operation| operation.opcode == Opcode::NifStart;
        code.operations[range].iter().any(is_start)
    });
    let name =
        |function: &beamfile::Function| (atoms[function.name as usize], u32::from(function.arity));
    functions.map(name).collect()
}

/// The exports that a file calls.
fn imports_of(file: &BeamFile<'_>, atoms: &[Term]) -> Vec<*const Export> {
    let imports = file.imports.iter().map(|import| {
        let (module, function) = (
            atoms[import.module as usize],
            atoms[import.function as usize],
        );
        std::ptr::from_ref(exports::get_for_code(
            module,
            function,
            u32::from(import.arity),
        ))
    });
    imports.collect()
}

/// The entries of the funs that a file creates.
fn funs_of(file: &BeamFile<'_>, atoms: &[Term]) -> Vec<&'static FunEntry> {
    let entries = file.lambdas.iter().map(|lambda| {
        funs::of_code(FunIdentity {
            module: atoms[0],
            unique: file.md5,
            index: lambda.index,
            old_index: lambda.index,
            old_unique: lambda.old_uniq,
            arity: u32::from(lambda.arity - lambda.free),
            free: u32::from(lambda.free),
        })
    });
    entries.collect()
}

/// What is known of a module besides its code.
struct Prepared {
    area: Area,
    files: Vec<Term>,
    debugger_lines: Vec<Term>,
    nifs: Vec<(Term, u32)>,
    funs: Vec<&'static FunEntry>,
}

impl Prepared {
    /// The module, whose functions have their entries where `entry` says, by the label in the file; its code is still
    /// missing.
    fn loaded(self, source: &Source<'_>, entry: impl Fn(u32) -> Option<*const u64>) -> Loaded {
        let (file, atoms) = (&source.file, &source.known.atoms);
        let entry = |label: u32| entry(label).map(Address);
        let exports = file.exports.iter().filter_map(|export| {
            let function = atoms[export.function as usize];
            Some((function, u32::from(export.arity), entry(export.label)?))
        });
        let funs = self
            .funs
            .iter()
            .zip(&file.lambdas)
            .filter_map(|(fun, lambda)| Some((*fun, entry(lambda.label)?)));
        let chunk = |id| file.chunk(id).unwrap_or_default().to_vec();
        Loaded {
            name: atoms[0],
            exports: exports.collect(),
            funs: funs.collect(),
            on_load: None,
            literals: self.area,
            records: source.known.records.clone(),
            md5: file.md5,
            locations: file
                .lines
                .as_ref()
                .map_or_else(Vec::new, |lines| lines.locations.clone()),
            files: self.files,
            attributes: chunk(ChunkId::ATTRIBUTES),
            compile_info: chunk(ChunkId::COMPILE_INFO),
            debugger_lines: file.debugger_lines.as_ref().map(|_| self.debugger_lines),
            file_atom: atoms[0],
            nifs: self.nifs,
            library: super::native::Slot::default(),
            debugger: OnceLock::new(),
            code: ModuleCode::default(),
        }
    }
}

/// The constants of a module: the file's literals, then the terms that its operations need besides.
struct Constants {
    area: Area,
    terms: Vec<Term>,
    /// The index in `terms` of an integer that is not small, by its bytes.
    big_integers: HashMap<Vec<u8>, usize>,
    /// The index in `terms` of the sorted keys of a map, by the offset of the operation that makes it.
    map_keys: HashMap<u32, usize>,
    /// The native records that the file defines: see [`Loaded::records`].
    records: Vec<Term>,
    /// The names of source files: see [`Loaded::files`].
    files: Vec<Term>,
    /// What debuggers need to know of lines: see [`Loaded::debugger_lines`].
    debugger_lines: Vec<Term>,
}

impl Constants {
    fn of(
        file: &BeamFile<'_>,
        code: &beamfile::Code,
        atoms: &[Term],
    ) -> Result<Constants, LoadError> {
        let mut scratch = Scratch::new();
        let mut terms = Vec::with_capacity(file.literals.len());
        for (index, bytes) in file.literals.iter().enumerate() {
            let options = external::DecodeOptions::default();
            let decoded = external::decode(scratch.heap(), bytes, &options, &mut FileResolver);
            let (term, _) = decoded.map_err(|error| LoadError::Literal { index, error })?;
            terms.push(term);
        }
        let mut big_integers = HashMap::new();
        for operation in &code.operations {
            collect_big_integers(
                code,
                code.operands(operation),
                scratch.heap(),
                &mut terms,
                &mut big_integers,
            );
        }
        let map_keys = collect_map_keys(code, atoms, scratch.heap(), &mut terms);
        let first_record = terms.len();
        let records = records_of(file, atoms, scratch.heap(), &terms);
        terms.extend(records);
        let first_file = terms.len();
        let files = file.lines.iter().flat_map(|lines| &lines.files);
        terms.extend(files.map(|name| build::string(scratch.heap(), name)));
        let first_line = terms.len();
        if debugger_lines::loads_breakpoints() {
            let lines = debugger_lines::of(file, atoms, scratch.heap(), &terms);
            terms.extend(lines);
        }
        let (area, terms) = literals::make(&terms).ok_or(LoadError::NoRoom)?;
        Ok(Constants {
            area,
            big_integers,
            map_keys,
            records: terms[first_record..first_file].to_vec(),
            files: terms[first_file..first_line].to_vec(),
            debugger_lines: terms[first_line..].to_vec(),
            terms,
        })
    }
}

/// Appends integers that are not small to the file's literals; `found` maps their bytes to their index.
fn collect_big_integers(
    code: &beamfile::Code,
    operands: &[Operand],
    heap: &mut layout::Heap,
    terms: &mut Vec<Term>,
    found: &mut HashMap<Vec<u8>, usize>,
) {
    for operand in operands {
        let bytes = match operand {
            Operand::BigInteger(span) => code.big_integer(*span).to_vec(),
            Operand::Integer(value) if Term::try_small(*value).is_none() => {
                value.to_be_bytes().to_vec()
            }
            Operand::List(span) => {
                collect_big_integers(code, code.list(*span), heap, terms, found);
                continue;
            }
            _ => continue,
        };
        if !found.contains_key(&bytes) {
            terms.push(integer_from_bytes(heap, &bytes));
            found.insert(bytes, terms.len() - 1);
        }
    }
}

/// Appends the sorted key tuples of maps that operations build with constant keys to the file's literals; returns their
/// indexes by the offset of the operation.
fn collect_map_keys(
    code: &beamfile::Code,
    atoms: &[Term],
    heap: &mut layout::Heap,
    terms: &mut Vec<Term>,
) -> HashMap<u32, usize> {
    let mut found = HashMap::new();
    for operation in &code.operations {
        let constant = |operand: Operand| match operand {
            Operand::Atom(index) => Some(atoms[index as usize]),
            Operand::Nil => Some(Term::NIL),
            Operand::Integer(value) => Term::try_small(value),
            Operand::Literal(index) => Some(terms[index as usize]),
            _ => None,
        };
        let Some(keys) = engine::constant_keys(code, operation, constant) else {
            continue;
        };
        let Some(order) = map::sorted_keys(&keys) else {
            continue;
        };
        let sorted: Vec<Term> = order.iter().map(|&place| keys[place]).collect();
        terms.push(build::tuple(heap, &sorted));
        found.insert(operation.offset, terms.len() - 1);
    }
    found
}

/// The native records that a file defines, with the default values of their fields.
fn records_of(
    file: &BeamFile<'_>,
    atoms: &[Term],
    heap: &mut layout::Heap,
    literals: &[Term],
) -> Vec<Term> {
    let mut records = Vec::with_capacity(file.records.len());
    for record in &file.records {
        let names: Vec<Term> = record
            .fields
            .iter()
            .map(|field| atoms[field.name as usize])
            .collect();
        let values: Vec<Term> = record
            .fields
            .iter()
            .map(|field| match &field.default {
                None => native_record::NO_VALUE,
                Some(default) => constant(default, atoms, heap, literals),
            })
            .collect();
        let definition = Definition {
            module: atoms[0],
            name: atoms[record.name as usize],
            is_exported: record.is_exported,
            fields: &names,
        };
        let definition = definition.build(heap);
        records.push(native_record::build(heap, definition, &values));
    }
    records
}

/// The term of a constant in one of the file's tables.
pub(super) fn constant(
    constant: &Constant,
    atoms: &[Term],
    heap: &mut layout::Heap,
    literals: &[Term],
) -> Term {
    match constant {
        Constant::Nil => Term::NIL,
        Constant::Atom(index) => atoms[*index as usize],
        Constant::Literal(index) => literals[*index as usize],
        Constant::Integer(bytes) => integer_from_bytes(heap, bytes),
    }
}

/// Decodes an integer from big-endian two's complement.
fn integer_from_bytes(heap: &mut layout::Heap, bytes: &[u8]) -> Term {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let fill = if negative { 0xff } else { 0 };
    let mut limbs = vec![0u64; bytes.len().div_ceil(8)];
    for (index, limb) in limbs.iter_mut().enumerate() {
        let byte = |place: usize| {
            bytes
                .len()
                .checked_sub(1 + index * 8 + place)
                .map_or(fill, |at| bytes[at])
        };
        *limb = u64::from_le_bytes(std::array::from_fn(byte));
    }
    if negative {
        let mut carry = true;
        for limb in &mut limbs {
            let (value, overflow) = (!*limb).overflowing_add(u64::from(carry));
            *limb = value;
            carry = overflow;
        }
    }
    build::big(heap, negative, &limbs)
}

/// Makes prepared modules current, all at once; their previous versions become old. Modules with an
/// `on_load` function become pending instead.
///
/// # Errors
/// Returns the names of modules that still have old code; then nothing was changed. This is checked while the world is
/// stopped, because until then other threads may commit the same modules.
pub fn commit(prepared: &[Arc<Loaded>]) -> Result<(), Vec<Term>> {
    crate::mail::world::stopped(|| {
        prepared.iter().for_each(|loaded| untrace(loaded.name));
        modules::change(|table| {
            let not_purged: Vec<Term> = prepared
                .iter()
                .map(|loaded| loaded.name)
                .filter(|name| !table.is_purged(*name))
                .collect();
            if !not_purged.is_empty() {
                return Err(not_purged);
            }
            for loaded in prepared {
                table.add_range(loaded);
                let versions = table.versions(loaded.name);
                if loaded.on_load.is_some() {
                    versions.pending = Some(Arc::clone(loaded));
                    // The module's funs must work while `on_load` runs.
                    bind_funs(loaded);
                    continue;
                }
                let before = versions.replace(loaded);
                bind_exports(loaded, before.as_deref());
                bind_funs(loaded);
            }
            Ok(())
        })?;
        let current = prepared.iter().filter(|loaded| loaded.on_load.is_none());
        current.for_each(|loaded| observer().is_loaded(loaded.name));
        Ok(())
    })
}

/// Finishes the `on_load` of a pending module: if `keep`, it becomes current; otherwise it stays pending, to be purged.
/// Returns false if there is no pending version.
pub fn finish_on_load(name: Term, keep: bool) -> bool {
    crate::mail::world::stopped(|| {
        let is_pending = modules::versions(name).pending.is_some();
        // Otherwise it stays until it is purged, because processes that it started may still run its code.
        if is_pending && keep {
            untrace(name);
            modules::change(|table| {
                let versions = table.versions(name);
                if let Some(pending) = versions.pending.take() {
                    let before = versions.replace(&pending);
                    bind_exports(&pending, before.as_deref());
                }
            });
            observer().is_loaded(name);
        }
        is_pending
    })
}

/// Ends the tracing of functions of a module whose current version will no longer be that, while the world is stopped.
fn untrace(name: Term) {
    if observer::may_tell_of_calls() {
        observer().clear_exports(name);
    }
    if let Some(current) = modules::current(name)
        && let Some(code) = current.code.made()
        && !code.breakpoints().is_empty()
    {
        observer().clear_points(code);
    }
}

fn bind_exports(loaded: &Loaded, before: Option<&Loaded>) {
    let entry_of = |export: &Export| {
        let here = |(function, arity, _): &&(Term, u32, Address)| {
            *function == export.function && *arity == export.arity
        };
        loaded.exports.iter().find(here)
    };
    if let Some(before) = before {
        for (function, arity, _) in &before.exports {
            let export = exports::get(loaded.name, *function, *arity);
            if entry_of(export).is_none() {
                exports::set_code(export, None);
            }
        }
    }
    for (function, arity, entry) in &loaded.exports {
        let export = exports::get_for_code(loaded.name, *function, *arity);
        // A BIF takes precedence over the exported function of the same name in the file, which only calls it, unless
        // the BIF has an operation, which that function does first.
        let leads_here = match engine::start::stub_for(export) {
            Stub::Undefined => true,
            Stub::Bif => engine::has_operation(export),
            Stub::Apply | Stub::ApplyFun | Stub::Traced => false,
        };
        if leads_here {
            exports::set_code(export, Some(entry.0));
        }
    }
}

fn bind_funs(loaded: &Loaded) {
    for (entry, code) in &loaded.funs {
        entry
            .code
            .store(code.0.cast_mut(), std::sync::atomic::Ordering::Release);
    }
}

/// Makes the current code of a module old and its functions undefined; returns false if it has no current code.
pub fn delete(name: Term) -> bool {
    crate::mail::world::stopped(|| {
        untrace(name);
        modules::change(|table| {
            let versions = table.versions(name);
            let Some(current) = versions.current.take() else {
                return false;
            };
            for (function, arity, _) in &current.exports {
                exports::set_code(exports::get(name, *function, *arity), None);
            }
            versions.old = Some(current);
            true
        })
    })
}
