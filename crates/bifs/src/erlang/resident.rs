//! `erlang:system_info({ferl, resident})`: where the memory is that the system counts as resident.
//!
//! `erlang:memory/0` tells what programs hold; this tells the rest as well, so that its parts add up to what `ps` shows
//! and the memory guard compares with its marks. What the allocator has is counted while the schedulers stand still: a
//! millisecond or so for a gigabyte.

use layout::{Heap, Term};
use sys::memory::slab::CHUNKS;
use sys::memory::usage;
use sys::{allocator, thread};
use term::held::{self, HeldKind};
use term::{atom, build, map};

use runtime::code::literals;
use runtime::mail::timer::bif_timers;
use runtime::mail::world;
use runtime::process::block;

/// What the pages of the program's allocator hold.
#[derive(Clone, Copy, Default)]
struct Pages {
    used: u64,
    free: u64,
}

impl Pages {
    fn now() -> Pages {
        let mut all = Pages::default();
        for page in world::stopped(allocator::pages) {
            let used = page.used * page.block_bytes;
            all.used += used as u64;
            all.free += page.bytes().saturating_sub(used) as u64;
        }
        all
    }
}

/// The parts of `resident` bytes, by name.
fn parts(resident: u64, of_files: u64) -> Vec<(&'static str, u64)> {
    let pages = Pages::now();
    let bytes = |kind| held::bytes(kind) as u64;
    let [heaps, binaries, objects] =
        [HeldKind::Heap, HeldKind::Binary, HeldKind::Object].map(bytes);
    let processes = (block::bytes_in_use() + held::bytes_of_processes()) as u64;
    let in_chunks = processes.saturating_sub(heaps);
    let chunks: u64 = CHUNKS.iter().map(|chunks| chunks.used_bytes.now()).sum();
    let tables = (ets::memory_bytes() as u64).max(objects);
    let (atoms, _) = atom::memory();
    let timers = bif_timers::bytes_of_all();
    let (foreign, foreign_free) = allocator::foreign_bytes();
    let machine = [heaps, binaries, tables, atoms as u64, timers];
    let mut parts = vec![
        ("processes", processes),
        ("binary", binaries),
        ("ets", tables),
        ("atom", atoms as u64),
        ("timers", timers),
        ("literals", literals::COMMITTED_BYTES.now()),
        ("code", engine::native::AREA_ROOM.now()),
        ("machine", pages.used.saturating_sub(machine.iter().sum())),
        ("free", pages.free + chunks.saturating_sub(in_chunks)),
        ("libraries", foreign),
        ("libraries_free", foreign_free),
        ("stacks", thread::stacks::bytes()),
        ("files", of_files),
    ];
    let known: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
    parts.push(("other", resident.saturating_sub(known)));
    parts.push(("untouched", known.saturating_sub(resident)));
    parts
}

/// `erlang:system_info({ferl, resident})`: a map of bytes. The parts add up to `total`, after `untouched` has been
/// taken away: what is allocated and was never written, so that the system has given no memory for it.
pub(crate) fn info(heap: &mut Heap) -> Term {
    let (resident, of_files) = usage::resident().unwrap_or_default();
    let mut pairs: Vec<(Term, Term)> = parts(resident, of_files)
        .into_iter()
        .map(|(name, bytes)| (atom::known(name), build::unsigned(heap, bytes)))
        .collect();
    pairs.push((atom::known("total"), build::unsigned(heap, resident)));
    map::from_pairs(heap, &pairs)
}
