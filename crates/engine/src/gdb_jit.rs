//! Debug information for a module's machine code: an ELF object in memory, with a symbol for each function and the
//! rules to unwind from a function to its caller.
//!
//! The return addresses on an Erlang stack are addresses of words, not of machine code, so both the words and the
//! machine code have symbols. The words are in a data section, where debuggers set no breakpoints. A function's
//! symbol begins at its entry: its `func_info` runs only to raise an error.
//!
//! **Callers.** A frame is found without knowing its size ("Frames", `lib.rs`): the return address is the first word,
//! from the stack pointer up, with the low bits `00`. DWARF can express this as a loop, so one rule serves all code.
//! Machine code does not use the native stack. Below the bottom frame, whose return address is
//! [`start::process_end`], unwinding continues with the native frames of the scheduler ([`bottom`]). There are two
//! limits: while a slow path or a BIF runs, only native frames are visible; and while one of the few stencils that
//! save registers on the native stack runs, the native frames are hidden.
//!
//! Pure functions on code that the caller keeps alive; any thread may call them.

use object::elf;
use object::endian::Endianness;
use object::write::elf::{FileHeader, SectionHeader, Sym, SymbolIndex, Writer};

use crate::code::{Code, Function};
use crate::outline::Outline;
use crate::start;

// DWARF's numbers for x86-64 registers; `rsi` holds the Erlang stack pointer (`registers.rs`).
const RSI: u8 = 4;
const RSP: u8 = 7;
const RETURN_ADDRESS: u8 = 16;

// Call frame instructions.
const DW_CFA_OFFSET: u8 = 0x80;
const DW_CFA_SAME_VALUE: u8 = 0x08;
const DW_CFA_DEF_CFA: u8 = 0x0c;
const DW_CFA_DEF_CFA_EXPRESSION: u8 = 0x0f;
const DW_CFA_VAL_OFFSET: u8 = 0x14;
const DW_CFA_NOP: u8 = 0;

// Operations of expressions.
const DW_OP_DEREF: u8 = 0x06;
const DW_OP_DUP: u8 = 0x12;
const DW_OP_AND: u8 = 0x1a;
const DW_OP_PLUS_UCONST: u8 = 0x23;
const DW_OP_BRA: u8 = 0x28;
const DW_OP_LIT3: u8 = 0x33;
const DW_OP_BREG0: u8 = 0x70;

/// `stack - 8; do { + 8 } while (*it & 3 != 0); + 8`: the address after the return address.
const CALLERS_STACK: [u8; 13] = [
    DW_OP_BREG0 + RSI,
    // -8, as a signed LEB128 byte.
    0x78,
    DW_OP_PLUS_UCONST,
    8,
    DW_OP_DUP,
    DW_OP_DEREF,
    DW_OP_LIT3,
    DW_OP_AND,
    DW_OP_BRA,
    // Branch back by nine bytes.
    (-9i8) as u8,
    0xff,
    DW_OP_PLUS_UCONST,
    8,
];

/// The rule from a function to its caller: the return address is just below the caller's stack pointer, and the
/// native stack pointer is unchanged.
fn through_erlang_stack() -> Vec<u8> {
    let mut rules = vec![DW_CFA_DEF_CFA_EXPRESSION, CALLERS_STACK.len() as u8];
    rules.extend(CALLERS_STACK);
    rules.extend([DW_CFA_OFFSET + RETURN_ADDRESS, 1]);
    rules.extend([DW_CFA_VAL_OFFSET, RSI, 0]);
    rules.extend([DW_CFA_SAME_VALUE, RSP]);
    rules
}

/// The rule from the bottom frame to the native function that entered machine code.
fn through_native_stack() -> Vec<u8> {
    vec![DW_CFA_DEF_CFA, RSP, 8, DW_CFA_OFFSET + RETURN_ADDRESS, 1]
}

/// A range of addresses.
#[derive(Clone, Copy)]
struct Extent {
    start: u64,
    bytes: u64,
}

/// Frame information for all of the extents. With `interrupted`, the frames are marked like those of signal handlers:
/// the address of such a frame is not a return address but the place where it continues, and debuggers do not require
/// its caller's frame to be at a higher address.
fn frames(extents: &[Extent], rules: &[u8], interrupted: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let entry = |out: &mut Vec<u8>, mut body: Vec<u8>| {
        body.resize((body.len() + 4).next_multiple_of(8) - 4, DW_CFA_NOP);
        out.extend((body.len() as u32).to_le_bytes());
        out.extend(body);
    };
    let mut common = vec![0; 4];
    common.push(1);
    common.extend(if interrupted { &b"zRS\0"[..] } else { b"zR\0" });
    // Alignment factors for code and stack (-8), the return address register, and the encoding of addresses
    // (absolute, full size).
    common.extend([1, 0x78, RETURN_ADDRESS, 1, 0]);
    common.extend(rules);
    entry(&mut out, common);
    for extent in extents {
        // The distance from this word back to the common entry.
        let mut own = (out.len() as u32 + 4).to_le_bytes().to_vec();
        own.extend(extent.start.to_le_bytes());
        own.extend(extent.bytes.to_le_bytes());
        own.push(0);
        entry(&mut out, own);
    }
    out.extend([0; 4]);
    out
}

/// A symbol. `name` and `section` are indexes into the lists of names and sections.
struct Symbol {
    name: usize,
    section: usize,
    extent: Extent,
}

/// A section without contents: it describes memory of this process.
struct Section {
    name: &'static str,
    is_code: bool,
    extent: Extent,
}

impl Symbol {
    /// Its row in the symbol table, without its name.
    fn entry(&self, section: &Section) -> Sym {
        let kind = if section.is_code {
            elf::STT_FUNC
        } else {
            elf::STT_OBJECT
        };
        Sym {
            section: None,
            st_name: 0,
            st_info: elf::SymbolInfo::new(elf::STB_GLOBAL, kind),
            st_other: elf::SymbolOther(0),
            st_shndx: elf::SymbolSection(0),
            st_value: self.extent.start - section.extent.start,
            st_size: self.extent.bytes,
        }
    }
}

impl Section {
    /// Its header, without its name.
    fn header(&self) -> SectionHeader {
        let access = if self.is_code {
            elf::SHF_EXECINSTR
        } else {
            elf::SHF_WRITE
        };
        SectionHeader {
            sh_name: 0,
            sh_type: elf::SHT_NOBITS,
            sh_flags: elf::SHF_ALLOC | access,
            sh_addr: self.extent.start,
            sh_offset: 0,
            sh_size: self.extent.bytes,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: 8,
            sh_entsize: 0,
        }
    }
}

const FILE_HEADER: FileHeader = FileHeader {
    os_abi: elf::ELFOSABI_NONE,
    abi_version: 0,
    e_type: elf::ET_REL,
    e_machine: elf::EM_X86_64,
    e_entry: 0,
    e_flags: elf::FileFlags(0),
};

/// The contents of a string table, and the offset of each string in it.
///
/// The writer's own string table would be sorted so that strings can share their ends, which takes more time than
/// everything else together.
fn string_table(strings: &[String]) -> Option<(Vec<u8>, Vec<u32>)> {
    let mut table = vec![0];
    let offsets = strings
        .iter()
        .map(|string| {
            let offset = table.len();
            table.extend(string.as_bytes());
            table.push(0);
            u32::try_from(offset).ok()
        })
        .collect::<Option<_>>()?;
    Some((table, offsets))
}

/// Writes the object; `None` only if it would be too large for the format.
fn object(
    sections: &[Section],
    names: &[String],
    symbols: &[Symbol],
    frames: &[u8],
) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut bytes);
    writer.reserve_file_header();
    writer.reserve_null_section_index();
    let places: Vec<_> = sections
        .iter()
        .map(|section| {
            let name = writer.add_section_name(section.name.as_bytes());
            (name, writer.reserve_section_index())
        })
        .collect();
    let frames_name = writer.add_section_name(b".eh_frame");
    writer.reserve_section_index();
    let strings_name = writer.add_section_name(b".strtab");
    let strings_index = writer.reserve_section_index();
    let (strings, string_offsets) = string_table(names)?;
    let symbols_name = writer.add_section_name(b".symtab");
    writer.reserve_symtab_section_index();
    writer.reserve_shstrtab_section_index();
    let frames_at = writer.reserve(frames.len() as u64, 8);
    let strings_at = writer.reserve(strings.len() as u64, 1);
    writer.reserve_null_symbol_index();
    for symbol in symbols {
        let _: SymbolIndex = writer.reserve_symbol_index(Some(places[symbol.section].1));
    }
    let symbols_at = writer.reserved_len().next_multiple_of(8);
    writer.reserve_symtab();
    let symbols_bytes = writer.reserved_len() - symbols_at;
    writer.reserve_shstrtab().ok()?;
    writer.reserve_section_headers();

    writer.write_file_header(&FILE_HEADER).ok()?;
    writer.write_align(8);
    writer.write(frames);
    writer.write(&strings);
    writer.write_null_symbol();
    for symbol in symbols {
        let section = &sections[symbol.section];
        writer.write_symbol(&Sym {
            section: Some(places[symbol.section].1.0),
            st_name: string_offsets[symbol.name],
            ..symbol.entry(section)
        });
    }
    writer.write_shstrtab();
    writer.write_null_section_header();
    for (section, (name, _)) in sections.iter().zip(&places) {
        writer.write_section_header(&SectionHeader {
            sh_name: writer.section_name_offset(Some(*name)),
            ..section.header()
        });
    }
    let contents = SectionHeader {
        sh_name: writer.section_name_offset(Some(frames_name)),
        sh_type: elf::SHT_PROGBITS,
        sh_flags: elf::SHF_ALLOC,
        sh_addr: 0,
        sh_offset: frames_at,
        sh_size: frames.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: 8,
        sh_entsize: 0,
    };
    writer.write_section_header(&contents);
    writer.write_section_header(&SectionHeader {
        sh_name: writer.section_name_offset(Some(strings_name)),
        sh_type: elf::SHT_STRTAB,
        sh_flags: elf::SectionFlags(0),
        sh_offset: strings_at,
        sh_size: strings.len() as u64,
        sh_addralign: 1,
        ..contents
    });
    writer.write_section_header(&SectionHeader {
        sh_name: writer.section_name_offset(Some(symbols_name)),
        sh_type: elf::SHT_SYMTAB,
        sh_flags: elf::SectionFlags(0),
        sh_offset: symbols_at,
        sh_size: symbols_bytes,
        sh_link: strings_index.0,
        // Of the symbols, only the empty first one is local.
        sh_info: 1,
        sh_entsize: 24,
        ..contents
    });
    writer.write_shstrtab_section_header();
    Some(bytes)
}

/// The object for a module's machine code, and for the code of its outline, where calls that were made before may come
/// back to; `name` returns the name of each function. `None` if the code runs threaded, or if the processor is not the
/// one whose register numbers are above.
#[must_use]
pub fn module(
    code: &Code,
    outline: Option<&Outline>,
    name: impl Fn(&Function) -> String,
) -> Option<Vec<u8>> {
    let machine_code = code.words.machine_code()?;
    if !cfg!(target_arch = "x86_64") {
        return None;
    }
    let extent = |bytes: &[u8]| Extent {
        start: bytes.as_ptr() as u64,
        bytes: bytes.len() as u64,
    };
    let words_at = code.words.as_ptr() as u64;
    let mut sections = vec![
        Section {
            name: ".text",
            is_code: true,
            extent: extent(machine_code.all()),
        },
        Section {
            name: ".words",
            is_code: false,
            extent: Extent {
                start: words_at,
                bytes: code.words.len() as u64 * 8,
            },
        },
    ];
    let mut names = Vec::with_capacity(code.functions.len());
    let mut symbols = Vec::with_capacity(code.functions.len() * 2);
    for (index, function) in code.functions.iter().enumerate() {
        let end = code.functions.get(index + 1).map(|next| next.start);
        let words_end = end.unwrap_or(code.words.len() as u32);
        names.push(name(function));
        symbols.push(Symbol {
            name: index,
            section: 0,
            extent: extent(code.code_of(machine_code, function.entry(), end)),
        });
        symbols.push(Symbol {
            name: index,
            section: 1,
            extent: Extent {
                start: words_at + u64::from(function.start) * 8,
                bytes: u64::from(words_end - function.start) * 8,
            },
        });
    }
    let translated = outline.map_or_else(Vec::new, Outline::translated);
    if let [(_, first), .., (_, last)] | [(_, first @ last)] = &translated[..] {
        let start = first.start as u64;
        sections.push(Section {
            name: ".outline",
            is_code: false,
            extent: Extent {
                start,
                bytes: last.end as u64 - start,
            },
        });
    }
    for (place, range) in translated {
        let start = range.start as u64;
        symbols.push(Symbol {
            name: place,
            section: 2,
            extent: Extent {
                start,
                bytes: range.end as u64 - start,
            },
        });
    }
    let extents: Vec<Extent> = sections.iter().map(|section| section.extent).collect();
    let frames = frames(&extents, &through_erlang_stack(), false);
    object(&sections, &names, &symbols, &frames)
}

/// The object for the bottom frame of every process.
#[must_use]
pub fn bottom() -> Option<Vec<u8>> {
    let section = Section {
        name: ".words",
        is_code: false,
        extent: Extent {
            start: start::process_end() as u64,
            bytes: 8,
        },
    };
    let symbol = Symbol {
        name: 0,
        section: 0,
        extent: section.extent,
    };
    let frames = frames(&[section.extent], &through_native_stack(), true);
    object(
        &[section],
        &["the end of the process".to_owned()],
        &[symbol],
        &frames,
    )
    .filter(|_| cfg!(target_arch = "x86_64"))
}
