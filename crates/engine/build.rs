//! Generates the stencils: compiles `src/stencils.rs` to assembly, rewrites that (`build/assembly.rs`), and writes its
//! machine code, operation by operation, as Rust tables for `src/native.rs`.
//!
//! This is done only for x86-64 Linux, and not under Miri; elsewhere the tables are empty and the engine runs
//! threaded. How often the assembly was rewritten in each way, and how many stencils that gives, is written to
//! `rewrites.txt` in the output directory, for `tests/rewrites.rs`. A stencil is left out unless it is a plain sequence
//! of code that ends in jumps; `tests/stencils.rs` defines what that means, and lists those that may be missing.

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

#[path = "build/assembly.rs"]
mod assembly;

use assembly::Rewrites;

/// The tables of stencils in `src/stencils.rs`.
const TABLES: [&str; 4] = ["NARROW", "WIDE", "NARROW_KNOWN", "WIDE_KNOWN"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let variable = |name: &str| env::var(name).unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=../layout/src");
    println!("cargo::rerun-if-changed=../spec/src");
    let native = variable("CARGO_CFG_TARGET_ARCH") == "x86_64"
        && variable("CARGO_CFG_TARGET_OS") == "linux"
        && env::var_os("CARGO_CFG_MIRI").is_none();
    let mut counts = String::new();
    let tables = if native {
        let (object, rewrites) = compile(&out, &variable("TARGET"));
        let bytes = std::fs::read(&object).expect("the compiler wrote it");
        let file = Stencils::new(&bytes);
        let tables = TABLES.map(|name| file.table(name));
        let forms = |what: &str| -> usize {
            let rows = tables.iter().flatten();
            rows.map(|row| row.matches(what).count()).sum()
        };
        writeln!(counts, "{rewrites}stencils: {}", forms("Some(Stencil")).unwrap();
        writeln!(counts, "fall through: {}", forms("falls_through: true")).unwrap();
        writeln!(counts, "pass a term on: {}", forms("passes: true")).unwrap();
        tables
    } else {
        TABLES.map(|_| Vec::new())
    };
    std::fs::write(out.join("rewrites.txt"), counts).expect("the output directory is writable");
    let mut text = String::new();
    for (name, table) in TABLES.iter().zip(&tables) {
        writeln!(
            text,
            "pub(super) static {name}: &[[Option<Stencil>; 2]] = &["
        )
        .unwrap();
        for stencil in table {
            writeln!(text, "    {stencil},").unwrap();
        }
        writeln!(text, "];").unwrap();
    }
    std::fs::write(out.join("stencils.rs"), text).expect("the output directory is writable");
}

/// Compiles the stencil crate; returns the path of the object file, and what was rewritten in the assembly.
fn compile(out: &Path, target: &str) -> (PathBuf, Rewrites) {
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
    for name in ["spec", "layout"] {
        run(&[
            "--crate-type=rlib".into(),
            format!("--crate-name={name}"),
            format!("../{name}/src/lib.rs"),
            "-o".into(),
            library(name).display().to_string(),
        ]);
    }
    let path = |name: &str| out.join(name).display().to_string();
    run(&[
        "--crate-type=lib".into(),
        "--crate-name=stencils".into(),
        "--emit=asm".into(),
        format!("--extern=spec={}", library("spec").display()),
        format!("--extern=layout={}", library("layout").display()),
        "src/stencils.rs".into(),
        "-o".into(),
        path("compiled.s"),
    ]);
    let compiled = std::fs::read_to_string(path("compiled.s")).expect("the compiler wrote it");
    let write = |name: &str, text: &str| {
        std::fs::write(path(name), text).expect("the output directory is writable");
    };
    let (assembly, rewrites) = assembly::rewrite(&compiled);
    write("stencils.s", &assembly);
    // The compiler is an assembler too.
    write(
        "assembled.rs",
        "#![no_std]\ncore::arch::global_asm!(include_str!(\"stencils.s\"), options(raw, att_syntax));\n",
    );
    run(&[
        "--crate-type=lib".into(),
        "--crate-name=assembled".into(),
        "--emit=obj".into(),
        path("assembled.rs"),
        "-o".into(),
        path("stencils.o"),
    ]);
    (out.join("stencils.o"), rewrites)
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
                // The assembler subtracts in 32 bits where `.reloc` names a place before a label.
                let offset = offset & u64::from(u32::MAX);
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

    /// The rows of a table, each as the text of a `[Option<Stencil>; 2]`: the short form and the long one.
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
                let section = self.file.section_by_index(section).expect("a section");
                let name = section.name().expect("a name");
                let forms = [format!("{name}.short"), name.to_owned()];
                let forms = forms.map(|name| self.stencil(&name).unwrap_or("None".to_owned()));
                rows.push(format!("[{}]", forms.join(", ")));
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

    /// The stencil of a function's section and the cold one beside it as text, or `None` if it cannot be copied.
    fn stencil(&self, section: &str) -> Option<String> {
        let mut hot = self.code(section)?;
        let cold = self.code(&format!("{section}.cold"))?;
        let goes_to = |relocation: &Relocation, name: &str| matches!(&relocation.target, Target::Named(other) if other == name);
        let continues =
            |relocation: &Relocation| goes_to(relocation, "CONT") || goes_to(relocation, "PASS");
        let goes_anywhere_to = |name: &str| {
            let mut all = hot.relocations.iter().chain(&cold.relocations);
            all.any(|relocation| goes_to(relocation, name))
        };
        let passes = goes_anywhere_to("PASS") && !goes_anywhere_to("CONT");
        // The final jump to the next instruction is removed: the code falls through instead.
        let mut falls_through = false;
        if let Some(last) = hot.relocations.last()
            && continues(last)
            && last.offset as usize + 4 == hot.bytes.len()
            && hot.bytes[last.offset as usize - 1] == 0xe9
        {
            hot.bytes.truncate(last.offset as usize - 1);
            hot.relocations.pop();
            falls_through = true;
        }
        falls_through |= hot.relocations.iter().any(continues);
        let (hot, cold) = (hot.text(cold.index)?, cold.text(cold.index)?);
        Some(format!(
            "Some(Stencil {{ hot: {hot}, cold: {cold}, falls_through: {falls_through}, passes: {passes} }})"
        ))
    }

    /// The code in a section; `None` if there is no such section.
    fn code(&self, name: &str) -> Option<Code> {
        let section = self.file.section_by_name(name)?;
        let index = section.index();
        let found = self.relocations.iter();
        let found = found.filter(|((other, _), _)| *other == index);
        let mut relocations: Vec<Relocation> =
            found.map(|(_, relocation)| relocation.clone()).collect();
        relocations.sort_by_key(|relocation| relocation.offset);
        let bytes = section.data().expect("its bytes").to_vec();
        Some(Code {
            index,
            bytes,
            relocations,
        })
    }
}

/// The machine code in a section.
struct Code {
    index: SectionIndex,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Code {
    /// As the text of a `Code` of the loader, or `None` if it cannot be copied. `cold` is the section that it may jump
    /// to.
    fn text(&self, cold: SectionIndex) -> Option<String> {
        let mut text = String::from("Code { bytes: &[");
        for byte in &self.bytes {
            write!(text, "{byte},").unwrap();
        }
        text.push_str("], relocations: &[");
        for relocation in &self.relocations {
            let symbol = symbol(relocation, &self.bytes, cold)?;
            let kind = match relocation.kind {
                kind if kind == elf::R_X86_64_32.0 => "Zero",
                kind if kind == elf::R_X86_64_32S.0 => "Sign",
                kind if kind == elf::R_X86_64_PC32.0 || kind == elf::R_X86_64_PLT32.0 => "Relative",
                kind if kind == elf::R_X86_64_8.0 => {
                    self.check_short_offset(relocation);
                    "Byte"
                }
                _ => return None,
            };
            let (offset, addend) = (relocation.offset, relocation.addend);
            write!(
                text,
                "Relocation {{ offset: {offset}, kind: PatchKind::{kind}, addend: {addend}, symbol: Symbol::{symbol} }},"
            )
            .unwrap();
        }
        text.push_str("] }");
        Some(text)
    }

    /// The rewritten assembly says where the offset of one byte is; the bytes must agree.
    fn check_short_offset(&self, relocation: &Relocation) {
        let at = relocation.offset as usize;
        let (form, offset) = (self.bytes[at - 1], self.bytes[at]);
        // A memory operand of one register and an offset of one byte.
        let is_short = form >> 6 == 0b01 && form & 0b111 != 0b100;
        assert!(
            is_short && offset == assembly::SHORT_PLACEHOLDER,
            "no short offset at byte {at}: {form:02x} {offset:02x}"
        );
    }
}

/// The loader's name for a symbol; `None` if the relocation should be in a jump but is not, or if the symbol is
/// unknown.
fn symbol(relocation: &Relocation, code: &[u8], cold: SectionIndex) -> Option<String> {
    let name = match &relocation.target {
        Target::Named(name) => name,
        Target::Here(section, 0) if *section == cold => return Some("Cold".to_owned()),
        Target::Here(..) => return None,
    };
    let at = relocation.offset as usize;
    let number = |prefix: &str| name.strip_prefix(prefix).map(str::to_owned);
    let jumps =
        code[at - 1] == 0xe9 || at >= 2 && code[at - 2] == 0x0f && code[at - 1] & 0xf0 == 0x80;
    if name == "CONT" || name == "PASS" {
        return jumps.then(|| "Continue".to_owned());
    }
    if let Some(number) = number("TARGET_") {
        if code[at - 1] == 0xe8 {
            return Some(format!("Entry({number})"));
        }
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
