//! What `instrument` asks for: the carriers of allocators (`crate::erlang::allocators`).

use layout::{Term, no_gc};
use sys::allocator;
use sys::memory::slab::{self, Stay};
use term::heap::Scratch;
use term::release::{self, Release};
use term::{am, atom, build};

use crate::erlang::allocators::is_of_blocks;
use runtime::code::bif::{BifResult, badarg};
use runtime::mail::{schedulers, signal, world};
use runtime::process::Process;

/// What `instrument` asks for: `{Name, Scheduler, Width, Start, Reference}`; since OTP 27 there are flags before the
/// reference.
struct Request {
    name: Term,
    scheduler: i64,
    width: usize,
    start: u64,
    reference: Term,
}

impl Request {
    fn of(term: Term) -> Option<Request> {
        let no_gc = no_gc!();
        let &[name, scheduler, width, start, ref flags @ .., reference] = term.as_tuple(no_gc)?
        else {
            return None;
        };
        // Which of the tags of stock's blocks are to be told apart is no question here, where there are none.
        if flags.len() != usize::from(release::has(Release::OTP_27)) {
            return None;
        }
        let is_known =
            name.is_atom() && (is_of_blocks(atom::text(name)) || atom::text(name) == "test_alloc");
        let request = Request {
            name,
            scheduler: scheduler.as_small()?,
            width: usize::try_from(width.as_small()?).ok()?,
            start: u64::try_from(start.as_small()?).ok()?,
            reference,
        };
        let schedulers = schedulers::schedulers().all.len() as i64;
        let is_sound = is_known
            && (0..=schedulers).contains(&request.scheduler)
            && (1..=32).contains(&request.width)
            && request.start > 0
            && reference.is_reference();
        is_sound.then_some(request)
    }

    /// The histogram's place for a size: the sizes of each place are twice those of the one before.
    fn place(&self, bytes: u64) -> usize {
        let above = (bytes / self.start).checked_ilog2();
        let place = above.map_or(0, |power| power as usize + 1);
        place.min(self.width - 1)
    }
}

/// `gather_alloc_histograms(Request)`: returns how many answers to expect. Blocks here have no tags that say what they
/// are, as stock's under `+Muatags false`; so there are none.
pub(crate) fn gather_alloc_histograms_1(_process: &mut Process, [request]: [Term; 1]) -> BifResult {
    Request::of(request)
        .map(|_| Term::small(0))
        .ok_or(badarg(1))
}

/// `gather_carrier_info(Request)`: the caller gets `{Reference, [{Name, IsInPool, Bytes, NotLookedAt, [{Type, Count,
/// Bytes}], FreeBlocks}]}`. Returns how many such answers to expect.
pub(crate) fn gather_carrier_info_1(process: &mut Process, [request]: [Term; 1]) -> BifResult {
    let request = Request::of(request).ok_or(badarg(1))?;
    if request.scheduler != 0 {
        return Ok(Term::small(0));
    }
    let Some(carriers) = carriers(atom::text(request.name)) else {
        return Ok(Term::small(0));
    };
    let mut scratch = Scratch::new();
    let heap = scratch.heap();
    let mut all = Vec::new();
    for carrier in carriers {
        let used = carrier.used as u64 * carrier.block_bytes;
        let free = carrier.blocks - carrier.used;
        let mut histogram = vec![0; request.width];
        histogram[request.place(carrier.block_bytes)] += free as i64;
        let histogram: Vec<Term> = histogram.into_iter().map(Term::small).collect();
        let histogram = build::tuple(heap, &histogram);
        let allocated = match carrier.used {
            0 => Term::NIL,
            count => {
                let bytes = build::unsigned(heap, used);
                let what = build::tuple(heap, &[request.name, Term::small(count as i64), bytes]);
                build::list(heap, &[what])
            }
        };
        let bytes = build::unsigned(heap, carrier.blocks as u64 * carrier.block_bytes);
        let facts = [
            request.name,
            am::FALSE,
            bytes,
            Term::small(0),
            allocated,
            histogram,
        ];
        all.push(build::tuple(heap, &facts));
    }
    let all = build::list(heap, &all);
    let answer = build::tuple(heap, &[request.reference, all]);
    signal::send_message(am::SYSTEM, process.pid(), answer);
    Ok(Term::small(1))
}

/// A carrier of blocks of one size.
struct Carrier {
    block_bytes: u64,
    blocks: usize,
    used: usize,
}

/// The carriers of an allocator, as far as each is known: all pages of mimalloc are here `std_alloc`'s.
fn carriers(name: &str) -> Option<Vec<Carrier>> {
    let of_chunks = |stay| {
        let chunks = slab::chunks(stay).into_iter();
        let carriers = chunks.map(|(bytes, blocks, used)| Carrier {
            block_bytes: bytes as u64,
            blocks,
            used,
        });
        carriers.collect()
    };
    Some(match name {
        "eheap_alloc" => of_chunks(Stay::Passing),
        "fix_alloc" => of_chunks(Stay::Whole),
        "std_alloc" => {
            let pages = world::stopped(allocator::pages);
            let carriers = pages.into_iter().map(|page| Carrier {
                block_bytes: page.block_bytes as u64,
                blocks: page.blocks,
                used: page.used,
            });
            carriers.collect()
        }
        _ => return None,
    })
}
