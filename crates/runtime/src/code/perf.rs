//! Files that tell Linux `perf` what the machine code of a module is (`+JPperf`): a map of names in
//! `/tmp/perf-PID.map`, which `perf report` reads by itself, and a dump of the code in `/tmp/jit-PID.dump` for
//! `perf inject --jit`. Functions are called `$module:function/arity`, as on stock.
//!
//! Written when a module is loaded, by the thread that loads it, under a lock. A file that cannot be written is left
//! alone after one line that says so; nothing else depends on it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Mutex, PoisonError};

use term::atom;

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

/// Opens the files that are asked for.
pub fn open(map: bool, dump: bool) {
    let process = sys::host::process_id();
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if map {
        let name = format!("/tmp/perf-{process}.map");
        files.map = told(&name, File::create(&name));
    }
    if dump {
        let name = format!("/tmp/jit-{process}.dump");
        files.dump = told(&name, Dump::create(&name, process));
    }
}

fn told<T>(name: &str, result: io::Result<T>) -> Option<T> {
    result
        .inspect_err(|error| eprintln!("ferl: {name}: {error}"))
        .ok()
}

/// Writes down the machine code of a module; nothing if it has none.
pub fn loaded(code: &engine::Code) {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let files = &mut *files;
    if let Some(map) = &mut files.map
        && write_map(map, code).is_err()
    {
        files.map = None;
    }
    if let Some(dump) = &mut files.dump
        && dump.write(code).is_err()
    {
        files.dump = None;
    }
}

fn name(function: &engine::code::Function) -> String {
    format!(
        "${}:{}/{}",
        atom::text(function.module),
        atom::text(function.function),
        function.arity
    )
}

fn write_map(file: &mut File, code: &engine::Code) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    for (function, bytes) in code.machine_code() {
        let (start, length) = (bytes.as_ptr() as usize, bytes.len());
        writeln!(out, "{start:x} {length:x} {}", name(function))?;
    }
    out.flush()
}

/// "JiTD", as a number.
const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
/// The number that ELF gives the processor.
const MACHINE: u32 = if cfg!(target_arch = "aarch64") {
    183
} else {
    62
};
/// A record of loaded code, and its bytes without name and code.
const CODE_LOAD: u32 = 0;
const RECORD_BYTES: usize = 56;

impl Dump {
    fn create(name: &str, process: u32) -> io::Result<Dump> {
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(name)?;
        let mut header = Vec::with_capacity(HEADER_BYTES as usize);
        for word in [MAGIC, VERSION, HEADER_BYTES, MACHINE, 0, process] {
            header.extend(word.to_le_bytes());
        }
        header.extend(now().to_le_bytes());
        header.extend(0u64.to_le_bytes());
        file.write_all(&header)?;
        // Perf learns of the file by its being mapped as code.
        sys::memory::code::map_for_profilers(&file)
            .map_err(|error| io::Error::other(error.message()))?;
        Ok(Dump { file, count: 0 })
    }

    fn write(&mut self, code: &engine::Code) -> io::Result<()> {
        let process = sys::host::process_id();
        let mut out = BufWriter::new(&mut self.file);
        for (function, bytes) in code.machine_code() {
            let name = name(function);
            let total = RECORD_BYTES + name.len() + 1 + bytes.len();
            let address = bytes.as_ptr() as u64;
            out.write_all(&CODE_LOAD.to_le_bytes())?;
            out.write_all(&(total as u32).to_le_bytes())?;
            out.write_all(&now().to_le_bytes())?;
            for word in [process, process] {
                out.write_all(&word.to_le_bytes())?;
            }
            for word in [address, address, bytes.len() as u64, self.count] {
                out.write_all(&word.to_le_bytes())?;
            }
            out.write_all(name.as_bytes())?;
            out.write_all(&[0])?;
            out.write_all(bytes)?;
            self.count += 1;
        }
        out.flush()
    }
}

/// Perf's clock.
fn now() -> u64 {
    sys::clock::monotonic_ns().unsigned_abs()
}
