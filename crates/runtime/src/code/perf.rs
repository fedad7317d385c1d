//! Files that describe the machine code of modules to Linux `perf` (`+JPperf`): a map of names in `/tmp/perf-PID.map`,
//! which `perf report` finds by itself, and a dump of the code with source lines in `/tmp/jit-PID.dump`, for
//! `perf inject --jit`; from OTP 29 on in the folder that `+JPperfdirectory` names. As on stock, functions are named
//! `module:function/arity`, their `func_info` has the suffix `-CodeInfoPrologue`, and names in the map begin with `$`.
//!
//! The thread that loads a module writes its entries, under a lock. If a file cannot be opened, a message says so; if
//! one cannot be written, it is not written any more. Nothing else depends on these files.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use sys::standard::to_error;
use term::print;

/// The files that are being written.
struct Files {
    map: Option<File>,
    dump: Option<Dump>,
}

struct Dump {
    file: File,
    /// Functions so far.
    count: u64,
}

static FILES: Mutex<Files> = Mutex::new(Files {
    map: None,
    dump: None,
});

/// Opens the requested files, in a folder or in `/tmp`.
pub fn open(map: bool, dump: bool, folder: Option<&Path>) {
    let process = sys::host::process_id();
    let folder = folder.unwrap_or(Path::new("/tmp"));
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if map {
        let name = folder.join(format!("perf-{process}.map"));
        files.map = told(&name, create_new(&name));
    }
    if dump {
        let name = folder.join(format!("jit-{process}.dump"));
        let dump = create_new(&name).and_then(|file| Dump::begin(file, process));
        files.dump = told(&name, dump);
    }
}

/// Creates a file in a folder where others may write too. What is there under that name is removed, never followed or
/// written to: it may be a link that somebody else has laid, or what an earlier process with this number has left.
fn create_new(name: &Path) -> io::Result<File> {
    match std::fs::remove_file(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::create_new(name)
}

fn told<T>(name: &Path, result: io::Result<T>) -> Option<T> {
    result
        .inspect_err(|error| to_error(format_args!("ferl: {}: {error}\n", name.display())))
        .ok()
}

/// Adds the machine code of a module to the files, if it has any.
pub fn loaded(code: &engine::Code, lines: Option<&beamfile::Lines>) {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let files = &mut *files;
    if let Some(map) = &mut files.map
        && write_map(map, code).is_err()
    {
        files.map = None;
    }
    if let Some(dump) = &mut files.dump
        && dump.write(code, lines).is_err()
    {
        files.dump = None;
    }
}

/// The name of a function for profilers and debuggers.
pub fn name(function: &engine::code::Function) -> String {
    format!(
        "{}:{}/{}",
        print::display(function.module),
        print::display(function.function),
        function.arity
    )
}

/// The two parts of a function's machine code, with their names.
fn parts<'a>(found: &engine::code::MachineCode<'a>) -> [(String, &'a [u8]); 2] {
    let name = name(found.function);
    [
        (format!("{name}-CodeInfoPrologue"), found.info),
        (name, found.body),
    ]
}

fn write_map(file: &mut File, code: &engine::Code) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    for found in code.machine_code() {
        for (name, bytes) in parts(&found) {
            let (start, length) = (bytes.as_ptr() as usize, bytes.len());
            writeln!(out, "{start:#x} {length:x} ${name}")?;
        }
    }
    out.flush()
}

/// "JiTD", as a number.
const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
/// The ELF machine number of the processor.
const MACHINE: u32 = if cfg!(target_arch = "aarch64") {
    183
} else {
    62
};
/// The type of a record of loaded code, and its size in bytes without name and code.
const CODE_LOAD: u32 = 0;
const RECORD_BYTES: usize = 56;
/// The type of a record of source lines, which precedes the record of the code that it describes; its size in bytes
/// without the lines, and the size of a line without its file name.
const CODE_DEBUG_INFO: u32 = 2;
const LINES_BYTES: usize = 32;
const LINE_BYTES: usize = 16;

impl Dump {
    /// Begins a dump in an empty file, which can be read too.
    fn begin(mut file: File, process: u32) -> io::Result<Dump> {
        let mut header = Vec::with_capacity(HEADER_BYTES as usize);
        for word in [MAGIC, VERSION, HEADER_BYTES, MACHINE, 0, process] {
            header.extend(word.to_le_bytes());
        }
        header.extend(now().to_le_bytes());
        header.extend(0u64.to_le_bytes());
        file.write_all(&header)?;
        // Perf finds the file because the process maps it as executable.
        sys::memory::code::map_for_profilers(&file)
            .map_err(|error| io::Error::other(error.message()))?;
        Ok(Dump { file, count: 0 })
    }

    fn write(&mut self, code: &engine::Code, lines: Option<&beamfile::Lines>) -> io::Result<()> {
        let process = sys::host::process_id();
        let mut out = BufWriter::new(&mut self.file);
        for found in code.machine_code() {
            for (name, bytes) in parts(&found) {
                let address = bytes.as_ptr() as u64;
                if address == found.body.as_ptr() as u64
                    && let Some(lines) = lines
                {
                    write_lines(&mut out, &found, lines)?;
                }
                let total = RECORD_BYTES + name.len() + 1 + bytes.len();
                out.write_all(&CODE_LOAD.to_le_bytes())?;
                out.write_all(&(total as u32).to_le_bytes())?;
                out.write_all(&now().to_le_bytes())?;
                for word in [process, process] {
                    out.write_all(&word.to_le_bytes())?;
                }
                self.count += 1;
                for word in [address, address, bytes.len() as u64, self.count] {
                    out.write_all(&word.to_le_bytes())?;
                }
                out.write_all(name.as_bytes())?;
                out.write_all(&[0])?;
                out.write_all(bytes)?;
            }
        }
        out.flush()
    }
}

/// Writes the source lines of a function, if any are known. An entry without line and file ends the last one.
fn write_lines(
    out: &mut impl Write,
    found: &engine::code::MachineCode<'_>,
    lines: &beamfile::Lines,
) -> io::Result<()> {
    let known = found.lines.iter().filter_map(|&(address, index)| {
        let location = lines.locations.get(index as usize).filter(|_| index != 0)?;
        let file = lines.files.get(location.file as usize)?;
        Some((address, location.line, file.as_str()))
    });
    let mut entries: Vec<(u64, u32, &str)> = known.collect();
    if entries.is_empty() {
        return Ok(());
    }
    entries.push((found.body.as_ptr_range().end as u64, 0, ""));
    let bytes: usize = entries
        .iter()
        .map(|(_, _, file)| LINE_BYTES + file.len() + 1)
        .sum();
    out.write_all(&CODE_DEBUG_INFO.to_le_bytes())?;
    out.write_all(&((LINES_BYTES + bytes) as u32).to_le_bytes())?;
    out.write_all(&now().to_le_bytes())?;
    out.write_all(&(found.body.as_ptr() as u64).to_le_bytes())?;
    out.write_all(&(entries.len() as u64).to_le_bytes())?;
    for (address, line, file) in entries {
        out.write_all(&address.to_le_bytes())?;
        out.write_all(&line.to_le_bytes())?;
        // The column is not known.
        out.write_all(&0u32.to_le_bytes())?;
        out.write_all(file.as_bytes())?;
        out.write_all(&[0])?;
    }
    Ok(())
}

/// The time by the clock that perf uses.
fn now() -> u64 {
    sys::clock::monotonic_ns().unsigned_abs()
}
