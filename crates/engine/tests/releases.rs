//! Every module of OTP 25 can be translated, and the address tables of the result agree with the file.
#![allow(clippy::undocumented_unsafe_blocks)]

use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::AtomicPtr;

use beamfile::BeamFile;
use engine::{Module, generate};
use layout::{Context, Export, Term};
use term::external::{self, DecodeOptions, Resolver};
use term::fun::FunIdentity;
use term::{am, atom};

unsafe extern "C" fn never(_: *mut Context, _: *const Term) -> Term {
    panic!("nothing runs here")
}

struct Exports;

impl Exports {
    fn make(module: Term, function: Term, arity: u32) -> &'static Export {
        Box::leak(Box::new(Export {
            code: AtomicPtr::new(ptr::null_mut()),
            module,
            function,
            arity,
            flags: 0,
            // Guards call BIFs of these two modules.
            bif: (module == am::ERLANG || module == am::MAPS).then_some(never),
            called: AtomicPtr::new(std::ptr::null_mut()),
            stub: [0; 8],
        }))
    }
}

impl Resolver for Exports {
    fn export(&mut self, m: Term, f: Term, arity: u32, _: bool) -> Option<&'static Export> {
        Some(Exports::make(m, f, arity))
    }

    fn fun_entry(&mut self, _: &FunIdentity) -> Option<term::fun::Found> {
        None
    }
}

fn beams(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            beams(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "beam")
        {
            found.push(path);
        }
    }
}

#[test]
fn every_module_of_the_release_becomes_code() {
    let mut found = Vec::new();
    beams(&stock::otp().root.join("lib"), &mut found);
    assert!(found.len() > 200, "{} modules", found.len());
    let (mut words, mut native, mut functions) = (0, 0, 0);
    for path in &found {
        let bytes = std::fs::read(path).unwrap();
        let file = BeamFile::parse(&bytes).unwrap();
        let code = file.decode().unwrap();
        let atoms: Vec<Term> = file.atoms.iter().map(atom::known).collect();
        let imports: Vec<*const Export> = file
            .imports
            .iter()
            .map(|row| {
                let (module, function) = (atoms[row.module as usize], atoms[row.function as usize]);
                ptr::from_ref(Exports::make(module, function, row.arity.into()))
            })
            .collect();
        let funs = vec![ptr::null(); file.lambdas.len()];
        let literals = Box::leak(Box::new(term::heap::Scratch::new()));
        let literal_terms: Vec<Term> = file
            .literals
            .iter()
            .map(|bytes| {
                let options = DecodeOptions::default();
                external::decode(literals.heap(), bytes, &options, &mut Exports)
                    .unwrap()
                    .0
            })
            .collect();
        let module = Module {
            file: &file,
            code: &code,
            atoms: &atoms,
            literals: &literal_terms,
            imports: &imports,
            funs: &funs,
            integer: &|_| Term::small(0),
            map_keys: &|_| None,
            records: &|_| None,
            bif: &|_, _| None,
            erlang: &|function, arity| Exports::make(am::ERLANG, function, arity),
            coverage: None,
            line_breakpoints: false,
        };
        let generated =
            generate(&module).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        words += (generated.size_bytes() - generated.native_bytes()) / 8;
        native += generated.native_bytes();
        assert!(generated.native_bytes() > 0 || !engine::native::is_enabled());
        functions += code.functions.len();
        for function in &code.functions {
            let entry = generated.label(function.entry_label).unwrap();
            let place = generated.place(entry).unwrap();
            assert_eq!(place.function, atoms[function.name as usize]);
            assert_eq!(place.arity, u32::from(function.arity));
            assert_eq!(place.entry, entry);
            // The arity is in the word before the entry.
            assert_eq!(unsafe { *entry.sub(1) }, u64::from(function.arity));
            let before = generated.label(function.info_label).unwrap();
            assert_eq!(generated.place(before).unwrap().line, function.line);
        }
    }
    println!(
        "{} modules, {functions} functions, {words} words, {native} bytes of machine code",
        found.len()
    );
}
