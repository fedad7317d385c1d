//! Truncated files and files with random damage: reading any of them returns a value or an error, and uses memory in
//! proportion to the file.
//!
//! The damage comes from a generator with fixed seeds, so failures are reproducible. Long fuzzing is done in `fuzz/`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use beamfile::{BeamFile, ChunkId};

/// Two bytes of a file may become a type (40 bytes); one byte may become an operand and an operation (twice 28
/// bytes), or up to four labels (12 bytes each). Growing vectors included, this is an upper bound; it is far below
/// the memory that would be allocated if a false count were believed.
const MEMORY_PER_BYTE: usize = 200;
const MEMORY_FLOOR_BYTES: usize = 1 << 16;

/// An allocator that counts the allocated bytes, and their peak.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system's allocator; this only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are the ones that the system's allocator requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `pointer` came from `alloc` above, hence from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A single test, because the memory use of tests running in parallel could not be told apart.
#[test]
fn damage_ends_in_an_error_or_a_value_and_costs_little_memory() {
    let file = raw_literals(&sample());
    assert!(read(&file), "the sample itself must be sound");

    let mut sound = 0;
    for length in 0..file.len() {
        sound += usize::from(read(&file[..length]));
    }
    assert_eq!(sound, 0, "a file that is cut short is never sound");

    for chunk in beamfile::chunks(&file).unwrap() {
        for length in 0..chunk.data.len() {
            read(&with_chunk(
                &file,
                chunk.id,
                &file[chunk.data.start..chunk.data.start + length],
            ));
        }
    }

    let mut random = Random(25);
    let mut refused = 0;
    const ROUNDS: usize = 10_000;
    for _ in 0..ROUNDS {
        let mut damaged = file.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(damaged.len());
            damaged[at] = random.byte();
        }
        refused += usize::from(!read(&damaged));
    }
    assert!(
        refused > ROUNDS / 4,
        "damage that is never noticed was not done: {refused}"
    );
}

/// Reads and decodes a file; returns true if it is valid.
fn read(bytes: &[u8]) -> bool {
    let before = ALLOCATED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = BeamFile::parse(bytes).and_then(|file| file.decode());
    let peak = PEAK.load(Ordering::Relaxed) - before;
    assert!(
        peak <= bytes.len() * MEMORY_PER_BYTE + MEMORY_FLOOR_BYTES,
        "{peak} bytes for {}",
        bytes.len()
    );
    let survey = BeamFile::parse(bytes).and_then(|file| file.survey());
    assert_eq!(survey.as_ref().err(), result.as_ref().err());
    if let Err(error) = &result {
        // The error can also be printed.
        assert!(!error.to_string().is_empty());
    }
    result.is_ok()
}

/// A module of OTP that has all kinds of chunks, and is small enough to be read some ten thousand times.
fn sample() -> Vec<u8> {
    let output = stock::erl_25()
        .args([
            "-noshell",
            "-noinput",
            "-eval",
            "io:put_chars(code:which(base64)), halt().",
        ])
        .output()
        .expect("OTP 25 starts");
    std::fs::read(PathBuf::from(String::from_utf8(output.stdout).unwrap())).unwrap()
}

/// The file with uncompressed literals and without the chunks that are not parsed, so that the damage reaches the
/// parsers.
fn raw_literals(file: &[u8]) -> Vec<u8> {
    let parsed = BeamFile::parse(file).unwrap();
    let mut table = vec![0; 4];
    table.extend((parsed.literals.len() as u32).to_be_bytes());
    for literal in parsed.literals.iter() {
        table.extend((literal.len() as u32).to_be_bytes());
        table.extend(literal);
    }
    let mut smaller = with_chunk(file, ChunkId::LITERALS, &table);
    for unread in [
        ChunkId::DEBUG_INFO,
        ChunkId::DOCUMENTATION,
        ChunkId::ATTRIBUTES,
        ChunkId::COMPILE_INFO,
    ] {
        smaller = with_chunk(&smaller, unread, &[]);
    }
    smaller
}

/// The file with the data of one chunk replaced.
fn with_chunk(file: &[u8], id: ChunkId, data: &[u8]) -> Vec<u8> {
    let mut form = b"BEAM".to_vec();
    for chunk in beamfile::chunks(file).unwrap() {
        let data = if chunk.id == id {
            data
        } else {
            &file[chunk.data]
        };
        form.extend(chunk.id.0);
        form.extend((data.len() as u32).to_be_bytes());
        form.extend(data);
        form.resize(form.len().next_multiple_of(4), 0);
    }
    [b"FOR1", &(form.len() as u32).to_be_bytes(), &form[..]].concat()
}

/// The generator splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        // Bytes with many bits set make counts and sizes large.
        match self.below(4) {
            0 => 0xff,
            _ => self.next() as u8,
        }
    }
}
