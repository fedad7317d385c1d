//! What `system_info` tells of memory allocators: ferl's, in the shape of stock's.
//!
//! | name | whose blocks | where they lie |
//! |---|---|---|
//! | `eheap_alloc` | heaps and messages of processes | small heaps in chunks (`sys::memory::slab`); large ones in pages of their own |
//! | `fix_alloc` | control blocks of processes, short lists of their relations | other chunks |
//! | `binary_alloc`, `ets_alloc` | shared binaries, objects in tables | large ones in pages of their own |
//! | `std_alloc` | all else, and all that is not large | pages of mimalloc for blocks of one size, which blocks of all kinds share |
//! | `literal_alloc` | literals | their range of addresses |
//! | `ll_alloc` | code of modules | an area of pages for each module |
//!
//! So the carriers of `std_alloc` hold blocks of several types, as stock's may. `temp_alloc`, `sl_alloc` and
//! `driver_alloc` have no blocks: what is for a moment or short-lived lies with the rest, and libraries and drivers
//! have memory of the C library. They are listed because programs expect all of stock's names. The chunks are the
//! segments of `mseg_alloc`. Each allocator has one instance, because all threads use the same.
//!
//! Figures come from counts that are kept anyway, threads being a little late in telling them (`term::held`). What
//! `std_alloc` has is counted when it is asked for, while the schedulers stand still, so its peaks are of those
//! moments.

use std::sync::atomic::Ordering;

use layout::{Heap, Term};
use sys::allocator::{self, Page};
use sys::gauge::{Gauge, Reading};
use sys::memory::slab::{self, CHUNKS, Stay};
use term::heap::Scratch;
use term::held::{self, Account, Blocks, HeldKind};
use term::{am, atom, build, list};

use runtime::code::bif::{BifResult, badarg};
use runtime::code::literals;
use runtime::mail::timer::bif_timers;
use runtime::mail::{schedulers, signal, world};
use runtime::process::{Process, block};

/// What stock accepts as the name of an allocator, and whether there is one here.
const NAMES: [(&str, bool); 15] = [
    ("sys_alloc", true),
    ("temp_alloc", true),
    ("sl_alloc", true),
    ("std_alloc", true),
    ("ll_alloc", true),
    ("eheap_alloc", true),
    ("ets_alloc", true),
    ("fix_alloc", true),
    ("literal_alloc", true),
    ("binary_alloc", true),
    ("driver_alloc", true),
    ("test_alloc", false),
    ("mseg_alloc", true),
    ("alloc_util", false),
    ("erts_mmap", false),
];

/// Those of them with carriers and blocks, in stock.
const OF_BLOCKS: std::ops::RangeInclusive<usize> = 1..=10;

/// Whether it is the name of one of those.
pub(crate) fn is_of_blocks(name: &str) -> bool {
    NAMES[OF_BLOCKS]
        .iter()
        .any(|(of_blocks, _)| *of_blocks == name)
}

fn exists(name: &str) -> bool {
    NAMES.contains(&(name, true))
}

/// How much is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    Everything,
    Sizes,
}

impl Detail {
    pub(super) fn of(what: Term) -> Detail {
        match what {
            am::ALLOCATOR => Detail::Everything,
            _ => Detail::Sizes,
        }
    }
}

/// `system_info(alloc_util_allocators)`
pub(super) fn names(heap: &mut Heap) -> Term {
    let names = NAMES[OF_BLOCKS].iter().map(|(name, _)| atom::known(name));
    build::list(heap, &names.collect::<Vec<Term>>())
}

fn is_name(term: Term) -> bool {
    term.is_atom() && NAMES.iter().any(|(name, _)| *name == atom::text(term))
}

fn names_of(list: Term) -> Result<Vec<Term>, runtime::code::bif::Failure> {
    let names = list::items(list).collect::<Result<Vec<Term>, _>>();
    let names = names.map_err(|_| badarg(1))?;
    match names.iter().all(|&name| is_name(name)) {
        true => Ok(names),
        false => Err(badarg(1)),
    }
}

/// `{allocator, Reference, Names}` and its like: the caller gets an answer
/// `{Reference, Number, [{Name, Instance, Facts}]}` for each scheduler, which `erlang:get_alloc_info/2` puts together.
/// The first has it all.
pub(super) fn tell(
    process: &mut Process,
    detail: Detail,
    reference: Term,
    names: Term,
) -> BifResult {
    let names = names_of(names)?;
    if names.is_empty() {
        return Err(badarg(1));
    }
    for number in 1..=schedulers::schedulers().all.len() {
        let mut scratch = Scratch::new();
        let heap = scratch.heap();
        let mut facts = Vec::new();
        for &name in names.iter().filter(|_| number == 1) {
            match instances(heap, detail, atom::text(name)) {
                None => facts.push(build::tuple(heap, &[name, am::FALSE])),
                Some(all) => {
                    for (key, what) in all {
                        facts.push(build::tuple(heap, &[name, key, what]));
                    }
                }
            }
        }
        let facts = build::list(heap, &facts);
        let answer = build::tuple(heap, &[reference, Term::small(number as i64), facts]);
        signal::send_message(am::SYSTEM, process.pid(), answer);
    }
    Ok(am::TRUE)
}

/// The keys and facts of an allocator's instances or parts; none if there is no such allocator.
fn instances(heap: &mut Heap, detail: Detail, name: &str) -> Option<Vec<(Term, Term)>> {
    let first = Term::small(0);
    Some(match name {
        "sys_alloc" | "alloc_util" => {
            let facts = match detail {
                Detail::Everything => settings_of(heap, name),
                Detail::Sizes => Term::NIL,
            };
            let facts = match name {
                "sys_alloc" if detail == Detail::Everything => {
                    let options = pair(heap, "options", facts);
                    build::list(heap, &[options])
                }
                _ => facts,
            };
            vec![(first, facts)]
        }
        "mseg_alloc" => vec![(first, segments(heap, detail))],
        "erts_mmap" => maps(heap, detail),
        _ => {
            let instance = Instance::of(name)?;
            vec![(first, instance.facts(heap, detail, name))]
        }
    })
}

/// `system_info(allocator)`: name, version and parts of the allocator, and its settings.
pub(super) fn settings(heap: &mut Heap) -> Term {
    let version = allocator::version();
    let version = version.map(|part| Term::small(part as i64));
    let version = build::list(heap, &version);
    let parts = NAMES.iter().filter(|(_, exists)| *exists);
    let parts: Vec<Term> = parts.map(|(name, _)| atom::known(name)).collect();
    let parts = build::list(heap, &parts);
    let mut all = Vec::new();
    for (name, _) in NAMES {
        let settings = settings_of(heap, name);
        all.push(pair(heap, name, settings));
    }
    let locked = atom::known("no");
    all.push(pair(heap, "lock_physical_memory", locked));
    let all = build::list(heap, &all);
    build::tuple(heap, &[atom::known("mimalloc"), version, parts, all])
}

/// What is set, of what can be set of stock's.
fn settings_of(heap: &mut Heap, name: &str) -> Term {
    let exists = am::boolean(exists(name));
    let mut settings = match name {
        "mseg_alloc" | "alloc_util" | "erts_mmap" => Vec::new(),
        _ => vec![pair(heap, "e", exists)],
    };
    match name {
        "sys_alloc" => settings.push(pair(heap, "m", atom::known("mimalloc"))),
        "alloc_util" => settings.push(pair(heap, "sac", am::TRUE)),
        _ if exists == am::TRUE && is_of_blocks(name) => {
            settings.push(pair(heap, "t", am::FALSE));
            settings.push(pair(heap, "atags", am::FALSE));
            // From which size on blocks are carriers of their own.
            let threshold = match name {
                "ll_alloc" => 0,
                "fix_alloc" | "literal_alloc" => u64::MAX,
                _ => allocator::MOST_SHARED_BYTES as u64,
            };
            settings.push(number(heap, "sbct", threshold));
        }
        _ => {}
    }
    build::list(heap, &settings)
}

/// Where carriers come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Segments,
    System,
}

/// Carriers of one sort, and the blocks in them by type.
struct Carriers {
    blocks: Vec<(&'static str, Blocks)>,
    count: Reading,
    bytes: Reading,
    source: Source,
}

impl Carriers {
    const NONE: Carriers = Carriers {
        blocks: Vec::new(),
        count: NOTHING,
        bytes: NOTHING,
        source: Source::System,
    };

    /// Blocks that are each a page.
    fn of_large(name: &'static str, account: &Account) -> Carriers {
        Carriers {
            blocks: vec![(name, account.large)],
            count: account.large.count,
            bytes: account.large_room,
            source: Source::System,
        }
    }

    fn in_chunks(name: &'static str, blocks: Blocks, stay: Stay) -> Carriers {
        let chunks = &CHUNKS[stay as usize];
        Carriers {
            blocks: vec![(name, blocks)],
            count: chunks.used.read(),
            bytes: chunks.used_bytes.read(),
            source: Source::Segments,
        }
    }
}

const NOTHING: Reading = Reading {
    now: 0,
    recent_peak: 0,
    peak: 0,
};

/// One allocator.
struct Instance {
    /// Those of many blocks, and those of one.
    shared: Carriers,
    single: Carriers,
    /// How often blocks were allocated, freed and resized, where that is counted.
    calls: Option<[u64; 3]>,
}

impl Instance {
    fn of(name: &str) -> Option<Instance> {
        Some(match name {
            "std_alloc" => standard(),
            "eheap_alloc" => {
                let large = held::account(HeldKind::Heap);
                let small = held::account(HeldKind::PassingSlab);
                let calls = [0, 1, 2].map(|at| large.calls[at] + small.calls[at]);
                Instance {
                    shared: Carriers::in_chunks("eheap_alloc", small.shared, Stay::Passing),
                    single: Carriers::of_large("eheap_alloc", &large),
                    calls: Some(calls),
                }
            }
            "binary_alloc" => only_large("binary_alloc", HeldKind::Binary),
            "ets_alloc" => only_large("ets_alloc", HeldKind::Object),
            "fix_alloc" => {
                let lists = held::account(HeldKind::WholeSlab).shared;
                let processes = processes();
                let blocks = Blocks {
                    count: lists.count + processes.count,
                    bytes: lists.bytes + processes.bytes,
                };
                Instance {
                    shared: Carriers::in_chunks("fix_alloc", blocks, Stay::Whole),
                    single: Carriers::NONE,
                    calls: None,
                }
            }
            "literal_alloc" => {
                let blocks = Blocks {
                    count: literals::AREAS.read(),
                    bytes: literals::AREA_BYTES.read(),
                };
                let one = Reading {
                    now: 1,
                    recent_peak: 1,
                    peak: 1,
                };
                Instance {
                    shared: Carriers {
                        blocks: vec![("literal_alloc", blocks)],
                        count: one,
                        bytes: literals::COMMITTED_BYTES.read(),
                        source: Source::System,
                    },
                    single: Carriers::NONE,
                    calls: None,
                }
            }
            "ll_alloc" => {
                let count = engine::native::AREAS.read();
                let blocks = Blocks {
                    count,
                    bytes: engine::native::AREA_BYTES.read(),
                };
                Instance {
                    shared: Carriers::NONE,
                    single: Carriers {
                        blocks: vec![("ll_alloc", blocks)],
                        count,
                        bytes: engine::native::AREA_ROOM.read(),
                        source: Source::System,
                    },
                    calls: None,
                }
            }
            "temp_alloc" | "sl_alloc" | "driver_alloc" => Instance {
                shared: Carriers::NONE,
                single: Carriers::NONE,
                calls: None,
            },
            _ => return None,
        })
    }

    fn facts(&self, heap: &mut Heap, detail: Detail, name: &str) -> Term {
        let mut facts = Vec::new();
        if detail == Detail::Everything {
            let version = build::string(heap, env!("CARGO_PKG_VERSION"));
            let shape = build::string(heap, "3.0");
            facts.push(build::tuple(
                heap,
                &[atom::known("versions"), version, shape],
            ));
            let options = settings_of(heap, name);
            facts.push(pair(heap, "options", options));
        }
        if name == "fix_alloc" {
            let (there, used) = control_blocks();
            let [there, used] = [there, used].map(|bytes| build::unsigned(heap, bytes));
            let processes = build::tuple(heap, &[atom::known("proc"), there, used]);
            let timers = build::unsigned(heap, bif_timers::bytes_of_all());
            let timers = build::tuple(heap, &[atom::known("bif_timer"), timers, timers]);
            let types = build::list(heap, &[processes, timers]);
            facts.push(pair(heap, "fix_types", types));
        }
        for (key, carriers) in [("mbcs", &self.shared), ("sbcs", &self.single)] {
            let carriers = carriers.facts(heap, detail);
            facts.push(pair(heap, key, carriers));
        }
        if let (Detail::Everything, Some(calls)) = (detail, self.calls) {
            let kind = name.trim_end_matches("_alloc");
            let names = ["alloc", "free", "realloc"].map(|what| format!("{kind}_{what}"));
            let calls = calls_of(heap, &names.each_ref().map(String::as_str), &calls);
            facts.push(pair(heap, "calls", calls));
        }
        build::list(heap, &facts)
    }
}

impl Carriers {
    fn facts(&self, heap: &mut Heap, detail: Detail) -> Term {
        let mut typed = Vec::new();
        for (name, blocks) in &self.blocks {
            if blocks.count.peak == 0 {
                continue;
            }
            let size = reading(heap, "size", blocks.bytes);
            let facts = match detail {
                Detail::Sizes => build::list(heap, &[size]),
                Detail::Everything => {
                    let count = reading(heap, "count", blocks.count);
                    build::list(heap, &[count, size])
                }
            };
            typed.push(pair(heap, name, facts));
        }
        let typed = build::list(heap, &typed);
        let blocks = pair(heap, "blocks", typed);
        let bytes = reading(heap, "carriers_size", self.bytes);
        if detail == Detail::Sizes {
            return build::list(heap, &[blocks, bytes]);
        }
        let is_from = |source| u64::from(self.source == source);
        let (segments, system) = (is_from(Source::Segments), is_from(Source::System));
        let facts = [
            blocks,
            reading(heap, "carriers", self.count),
            number(heap, "mseg_alloc_carriers", segments * self.count.now),
            number(heap, "sys_alloc_carriers", system * self.count.now),
            bytes,
            number(heap, "mseg_alloc_carriers_size", segments * self.bytes.now),
            number(heap, "sys_alloc_carriers_size", system * self.bytes.now),
        ];
        build::list(heap, &facts)
    }
}

fn only_large(name: &'static str, kind: HeldKind) -> Instance {
    let account = held::account(kind);
    Instance {
        shared: Carriers::NONE,
        single: Carriers::of_large(name, &account),
        calls: Some(account.calls),
    }
}

/// The kinds whose blocks come from mimalloc, and how their types are called.
const SHARING: [(&str, HeldKind); 3] = [
    ("eheap_alloc", HeldKind::Heap),
    ("binary_alloc", HeldKind::Binary),
    ("ets_alloc", HeldKind::Object),
];

/// A gauge that is set when it is asked.
struct Looked {
    count: Gauge,
    bytes: Gauge,
}

impl Looked {
    const fn new() -> Looked {
        Looked {
            count: Gauge::new(),
            bytes: Gauge::new(),
        }
    }

    fn read(&self, count: usize, bytes: usize) -> Blocks {
        self.count.set(count as i64);
        self.bytes.set(bytes as i64);
        Blocks {
            count: self.count.read(),
            bytes: self.bytes.read(),
        }
    }
}

/// mimalloc: what its pages hold, less what is known of the kinds.
fn standard() -> Instance {
    static SHARED: Looked = Looked::new();
    static SHARED_PAGES: Looked = Looked::new();
    static SINGLE: Looked = Looked::new();
    static SINGLE_PAGES: Looked = Looked::new();

    let pages = world::stopped(allocator::pages);
    let accounts = SHARING.map(|(name, kind)| (name, held::account(kind)));
    let (single, shared): (Vec<Page>, Vec<Page>) =
        pages.into_iter().partition(|page| page.is_single());
    let sum = |of: &dyn Fn(&Account) -> Reading| {
        let sum: u64 = accounts.iter().map(|(_, account)| of(account).now).sum();
        sum as usize
    };
    let used = |pages: &[Page]| pages.iter().map(|page| page.used).sum::<usize>();
    let used_bytes = |pages: &[Page]| {
        let bytes = pages.iter().map(|page| page.used * page.block_bytes);
        bytes.sum::<usize>()
    };
    let taken = |pages: &[Page]| pages.iter().map(Page::bytes).sum::<usize>();

    let rest = SHARED.read(
        used(&shared).saturating_sub(sum(&|account| account.shared.count)),
        used_bytes(&shared).saturating_sub(sum(&|account| account.shared.bytes)),
    );
    let mut blocks = vec![("std_alloc", rest)];
    blocks.extend(accounts.map(|(name, account)| (name, account.shared)));
    let room = SHARED_PAGES.read(shared.len(), taken(&shared));

    let count = used(&single).saturating_sub(sum(&|account| account.large.count));
    let others = SINGLE.read(
        count,
        used_bytes(&single).saturating_sub(sum(&|account| account.large_room)),
    );
    let other_room = SINGLE_PAGES.read(count, others.bytes.now as usize);
    Instance {
        shared: Carriers {
            blocks,
            count: room.count,
            bytes: room.bytes,
            source: Source::System,
        },
        single: Carriers {
            blocks: vec![("std_alloc", others)],
            count: other_room.count,
            bytes: other_room.bytes,
            source: Source::System,
        },
        calls: None,
    }
}

/// Control blocks of processes.
fn processes() -> Blocks {
    static PROCESSES: Looked = Looked::new();
    let bytes = block::bytes_in_use();
    PROCESSES.read(bytes / block::BLOCK_BYTES, bytes)
}

/// Bytes of control blocks that have left their chunks, and of those that processes use.
fn control_blocks() -> (u64, u64) {
    let taken = slab::chunks(Stay::Whole)
        .into_iter()
        .filter(|&(bytes, _, _)| bytes == block::BLOCK_BYTES)
        .map(|(bytes, _, used)| bytes * used);
    let used = block::bytes_in_use();
    (taken.sum::<usize>().max(used) as u64, used as u64)
}

/// `mseg_alloc`: the chunks of both kinds. An empty one keeps its memory for a moment, as a cached segment does.
fn segments(heap: &mut Heap, detail: Detail) -> Term {
    let [whole, passing] = &CHUNKS;
    let bytes = whole.used_bytes.read() + passing.used_bytes.read();
    let size = reading(heap, "segments_size", bytes);
    if detail == Detail::Sizes {
        return build::list(heap, &[size]);
    }
    let sum = |of: fn(&slab::Chunks) -> &std::sync::atomic::AtomicU64| {
        CHUNKS
            .iter()
            .map(|chunks| of(chunks).load(Ordering::Relaxed))
            .sum::<u64>()
    };
    let (filled, reused) = (sum(|all| &all.filled), sum(|all| &all.reused));
    let (emptied, released) = (sum(|all| &all.emptied), sum(|all| &all.released));
    let used = whole.used.read() + passing.used.read();
    let status = [
        number(
            heap,
            "cached_segments",
            whole.empty.now() + passing.empty.now(),
        ),
        number(heap, "cache_hits", reused),
        reading(heap, "segments", used),
        number(heap, "segments_watermark", used.recent_peak),
        size,
    ];
    let status = build::list(heap, &status);
    let names = ["mseg_alloc", "mseg_dealloc", "mseg_create", "mseg_destroy"];
    let calls = calls_of(heap, &names, &[filled + reused, emptied, filled, released]);
    let name = build::string(heap, "all memory");
    let kind = [
        pair(heap, "name", name),
        pair(heap, "status", status),
        pair(heap, "calls", calls),
    ];
    let kind = build::list(heap, &kind);
    let version = build::string(heap, env!("CARGO_PKG_VERSION"));
    let facts = [
        pair(heap, "version", version),
        pair(heap, "options", Term::NIL),
        pair(heap, "memkind", kind),
    ];
    build::list(heap, &facts)
}

/// `erts_mmap`: memory of the system in all, and the range of literals.
fn maps(heap: &mut Heap, detail: Detail) -> Vec<(Term, Term)> {
    let keys = ["default_mmap", "literal_mmap"].map(atom::known);
    if detail == Detail::Sizes {
        return keys.map(|key| (key, Term::NIL)).to_vec();
    }
    let chunks: u64 = CHUNKS.iter().map(|chunks| chunks.used_bytes.now()).sum();
    let committed = allocator::committed_bytes();
    let code = engine::native::AREA_ROOM.now();
    let used = number(heap, "used", chunks + committed + code);
    let no_range = number(heap, "scs", 0);
    let default = sized(heap, "os", no_range, &[used]);
    let total = literals::range_bytes() as u64;
    let sizes = [
        number(heap, "total", total),
        number(heap, "used", literals::COMMITTED_BYTES.now()),
    ];
    let range = number(heap, "scs", total);
    let literal = sized(heap, "supercarrier", range, &sizes);
    vec![(keys[0], default), (keys[1], literal)]
}

/// `[{options, [Option]}, {Key, [{sizes, Sizes}]}]`
fn sized(heap: &mut Heap, key: &str, option: Term, sizes: &[Term]) -> Term {
    let options = build::list(heap, &[option]);
    let options = pair(heap, "options", options);
    let sizes = build::list(heap, sizes);
    let sizes = pair(heap, "sizes", sizes);
    let inner = build::list(heap, &[sizes]);
    let inner = pair(heap, key, inner);
    build::list(heap, &[options, inner])
}

fn pair(heap: &mut Heap, key: &str, value: Term) -> Term {
    build::tuple(heap, &[atom::known(key), value])
}

fn number(heap: &mut Heap, key: &str, value: u64) -> Term {
    let value = build::unsigned(heap, value);
    pair(heap, key, value)
}

/// `{Key, Now, PeakSinceLastTime, Peak}`
fn reading(heap: &mut Heap, key: &str, reading: Reading) -> Term {
    let numbers = [reading.now, reading.recent_peak, reading.peak];
    let [now, recent, peak] = numbers.map(|value| build::unsigned(heap, value));
    build::tuple(heap, &[atom::known(key), now, recent, peak])
}

/// `[{Name, Giga, Ones}]`
fn calls_of(heap: &mut Heap, names: &[&str], counts: &[u64]) -> Term {
    const GIGA: u64 = 1_000_000_000;
    let calls = names.iter().zip(counts).map(|(name, count)| {
        let parts = [count / GIGA, count % GIGA].map(|part| Term::small(part as i64));
        build::tuple(heap, &[atom::known(name), parts[0], parts[1]])
    });
    let calls: Vec<Term> = calls.collect();
    build::list(heap, &calls)
}
