//! Generates the stencils: compiles `src/stencils.rs` to an object file and writes its machine code, operation by
//! operation, as Rust tables for `src/native.rs`.
//!
//! This is done only for x86-64 Linux, and not under Miri; elsewhere the tables are empty and the engine runs
//! threaded. A stencil is left out unless it is a plain sequence of code that ends in jumps; `tests/stencils.rs`
//! defines what that means, and lists those that may be missing.

use std::collections::HashMap;
use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::elf;
use object::read::elf::ElfFile64;
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget,
    SectionIndex,
};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let variable = |name: &str| env::var(name).unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=../layout/src");
    println!("cargo::rerun-if-changed=../isa/src");
    let native = variable("CARGO_CFG_TARGET_ARCH") == "x86_64"
        && variable("CARGO_CFG_TARGET_OS") == "linux"
        && env::var_os("CARGO_CFG_MIRI").is_none();
    let (narrow, wide) = if native {
        let object = compile(&out, &variable("TARGET"));
        let bytes = std::fs::read(&object).expect("the compiler wrote it");
        let file = Stencils::new(&bytes);
        (file.table("NARROW"), file.table("WIDE"))
    } else {
        (Vec::new(), Vec::new())
    };
    let mut text = String::new();
    for (name, table) in [("NARROW", &narrow), ("WIDE", &wide)] {
        writeln!(text, "pub(super) static {name}: &[Option<Stencil>] = &[").unwrap();
        for stencil in table {
            writeln!(text, "    {stencil},").unwrap();
        }
        writeln!(text, "];").unwrap();
    }
    std::fs::write(out.join("stencils.rs"), text).expect("the output directory is writable");
}

/// Compiles the stencil crate; returns the path of the object file.
fn compile(out: &Path, target: &str) -> PathBuf {
    let rustc = env::var_os("RUSTC").expect("cargo sets it");
    let library = |name: &str| out.join(format!("lib{name}.rlib"));
    let run = |arguments: &[String]| {
        let mut command = Command::new(&rustc);
        command.args([
            "--edition=2024",
            "-Copt-level=3",
            "-Crelocation-model=static",
            "-Ccode-model=small",
            "-Cpanic=abort",
            "-Ccodegen-units=1",
            "--cap-lints=allow",
            "--target",
            target,
        ]);
        let status = command.args(arguments).status().expect("the compiler runs");
        assert!(status.success(), "stencils do not compile");
    };
    for name in ["isa", "layout"] {
        run(&[
            "--crate-type=rlib".into(),
            format!("--crate-name={name}"),
            format!("../{name}/src/lib.rs"),
            "-o".into(),
            library(name).display().to_string(),
        ]);
    }
    let object = out.join("stencils.o");
    run(&[
        "--crate-type=lib".into(),
        "--crate-name=stencils".into(),
        "--emit=obj".into(),
        format!("--extern=isa={}", library("isa").display()),
        format!("--extern=layout={}", library("layout").display()),
        "src/stencils.rs".into(),
        "-o".into(),
        object.display().to_string(),
    ]);
    object
}

/// The object file and its relocations.
struct Stencils<'a> {
    file: ElfFile64<'a, Endianness>,
    /// Keyed by section and offset.
    relocations: HashMap<(SectionIndex, u64), Relocation>,
}

#[derive(Clone)]
struct Relocation {
    offset: u64,
    kind: u32,
    addend: i64,
    target: Target,
}

#[derive(Clone)]
enum Target {
    /// A location in the object file.
    Here(SectionIndex, u64),
    /// A symbol that the loader knows.
    Named(String),
}

impl<'a> Stencils<'a> {
    fn new(bytes: &'a [u8]) -> Stencils<'a> {
        let file = ElfFile64::parse(bytes).expect("an ELF object");
        let mut relocations = HashMap::new();
        for section in file.sections() {
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else {
                    continue;
                };
                let symbol = file.symbol_by_index(index).expect("a symbol of the file");
                let target = match symbol.section_index() {
                    Some(section) => Target::Here(section, symbol.address()),
                    None => Target::Named(symbol.name().expect("a name").to_owned()),
                };
                let RelocationFlags::Elf { r_type, .. } = relocation.flags() else {
                    unreachable!("an ELF object")
                };
                let addend = relocation.addend();
                let found = Relocation {
                    offset,
                    kind: r_type.0,
                    addend,
                    target,
                };
                relocations.insert((section.index(), offset), found);
            }
        }
        Stencils { file, relocations }
    }

    /// The rows of a table, each as the text of an `Option<Stencil>`.
    fn table(&self, name: &str) -> Vec<String> {
        let symbol = self
            .file
            .symbols()
            .find(|symbol| symbol.name() == Ok(name))
            .expect("the table is there");
        let place = (symbol.section_index().expect("defined"), symbol.address());
        let mut rows = Vec::new();
        let (lists, count) = self.slice(place);
        for index in 0..count {
            let (handlers, count) = self.slice((lists.0, lists.1 + index * 16));
            for index in 0..count {
                let (section, offset) = self.pointer((handlers.0, handlers.1 + index * 8));
                assert_eq!(offset, 0, "each function has a section of its own");
                rows.push(self.stencil(section));
            }
        }
        rows
    }

    /// The location that the slice at `place` points to, and the slice's length.
    fn slice(&self, place: (SectionIndex, u64)) -> ((SectionIndex, u64), u64) {
        let section = self.file.section_by_index(place.0).expect("a section");
        let data = section.data().expect("its bytes");
        let length = &data[place.1 as usize + 8..][..8];
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
        (self.pointer(place), length)
    }

    fn pointer(&self, place: (SectionIndex, u64)) -> (SectionIndex, u64) {
        let relocation = &self.relocations[&place];
        let Target::Here(section, offset) = relocation.target else {
            panic!("a pointer within the file");
        };
        (section, offset.wrapping_add_signed(relocation.addend))
    }

    /// The code of one function as text, or `None` if it cannot be copied.
    fn stencil(&self, section: SectionIndex) -> String {
        let code = self.file.section_by_index(section).expect("a section");
        let mut code = code.data().expect("its bytes").to_vec();
        let mut found: Vec<&Relocation> = self
            .relocations
            .iter()
            .filter(|((other, _), _)| *other == section)
            .map(|(_, relocation)| relocation)
            .collect();
        found.sort_by_key(|relocation| relocation.offset);
        // The final jump to the next instruction is removed: the code falls through instead.
        if let Some(last) = found.last()
            && matches!(&last.target, Target::Named(name) if name == "CONT")
            && last.offset as usize + 4 == code.len()
            && code[last.offset as usize - 1] == 0xe9
        {
            code.truncate(last.offset as usize - 1);
            found.pop();
        }
        let mut text = String::from("Some(Stencil { code: &[");
        for byte in &code {
            write!(text, "{byte},").unwrap();
        }
        text.push_str("], relocations: &[");
        for relocation in found {
            let Some(symbol) = symbol(relocation, &code) else {
                return "None".to_owned();
            };
            let kind = match relocation.kind {
                kind if kind == elf::R_X86_64_32.0 => "Zero",
                kind if kind == elf::R_X86_64_32S.0 => "Sign",
                kind if kind == elf::R_X86_64_PC32.0 || kind == elf::R_X86_64_PLT32.0 => "Relative",
                _ => return "None".to_owned(),
            };
            let (offset, addend) = (relocation.offset, relocation.addend);
            write!(
                text,
                "Relocation {{ offset: {offset}, kind: PatchKind::{kind}, addend: {addend}, symbol: Symbol::{symbol} }},"
            )
            .unwrap();
        }
        text.push_str("] })");
        text
    }
}

/// The loader's name for a symbol; `None` if the relocation should be in a jump but is not, or if the symbol is
/// unknown.
fn symbol(relocation: &Relocation, code: &[u8]) -> Option<String> {
    let Target::Named(name) = &relocation.target else {
        return None;
    };
    let at = relocation.offset as usize;
    let number = |prefix: &str| name.strip_prefix(prefix).map(str::to_owned);
    let jumps =
        code[at - 1] == 0xe9 || at >= 2 && code[at - 2] == 0x0f && code[at - 1] & 0xf0 == 0x80;
    if name == "CONT" {
        return jumps.then(|| "Continue".to_owned());
    }
    if let Some(number) = number("TARGET_") {
        return jumps.then(|| format!("Target({number})"));
    }
    if let Some(number) = number("HOLE_") {
        return Some(format!("Hole({number})"));
    }
    if name == "RECORD" {
        return Some("Record".to_owned());
    }
    // A slow path, by name. A call (instead of a jump) through its word would be `ff /2`.
    let calls = at >= 2 && code[at - 2] == 0xff && code[at - 1] >> 3 & 7 == 2;
    (!name.contains("panic") && !name.starts_with('_') && !calls)
        .then(|| format!("SlowPath(crate::native::SlowPath::{name})"))
}
