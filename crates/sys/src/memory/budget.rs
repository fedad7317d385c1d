//! How much memory this process may take, and how near to that it is.
//!
//! One thread, the *watcher*, measures and sets the [`level`]; for everybody else the level is one load. A large
//! allocation could pass every mark between two measurements, so it asks first ([`admit`]). What is small cannot: the
//! system hands out some gigabytes a second, and the nearer the marks are the more often the watcher looks
//! ([`Marks::next_look`]). But on a busy host it may not get a processor for tens of milliseconds, while the threads
//! that have one make the process grow. So these look in its stead when it is late ([`look_if_overdue`]).
//!
//! What counts is resident memory, and what is swapped out of it. Memory that was admitted and not touched yet is not
//! resident; it is counted as *granted* until it is or was freed, or for a while ([`grants`]).

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::usage::{resident_bytes, swapped_bytes};
use super::{grants, settling};
use crate::lookout::{self, RestEnd};

/// How near to its budget the process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Below all marks.
    #[default]
    Calm,
    /// What can be given back is given back.
    Soft,
    /// What would grow the process is refused.
    High,
    /// Something has to end.
    Hard,
}

impl Level {
    /// All levels, from the lowest.
    pub const ALL: [Level; 4] = [Level::Calm, Level::Soft, Level::High, Level::Hard];

    fn from_number(number: u8) -> Level {
        Level::ALL[usize::from(number) % Level::ALL.len()]
    }
}

/// The budget, and the marks below it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// From so much on the level is [`Level::Soft`].
    pub soft: u64,
    /// The same for [`Level::High`].
    pub high: u64,
    /// The same for [`Level::Hard`].
    pub hard: u64,
    /// What the process may take.
    pub budget: u64,
}

/// What the marks are, in percent of the budget.
const SOFT_PERCENT: u64 = 70;
const HIGH_PERCENT: u64 = 80;
const HARD_PERCENT: u64 = 90;

/// The hard mark is at least this far below the budget: between two looks of the watcher, and until what it ends has
/// ended, the process may grow by that. A process touches one to two gigabytes of new memory a second on each
/// processor.
const LEAST_MARGIN_BYTES: u64 = 24 << 20;

/// The fastest growth that is expected.
const BYTES_PER_MS: u64 = 4 << 20;

/// Never looks more often, or less often, than this.
const SHORTEST_LOOK: Duration = Duration::from_millis(2);
const LONGEST_LOOK: Duration = Duration::from_millis(500);

impl Marks {
    /// The marks for a budget.
    #[must_use]
    pub fn of(budget: u64) -> Marks {
        let percent = |percent: u64| budget / 100 * percent;
        let hard = percent(HARD_PERCENT).min(budget.saturating_sub(LEAST_MARGIN_BYTES));
        let high = percent(HIGH_PERCENT).min(hard / 100 * 92);
        let soft = percent(SOFT_PERCENT).min(high / 100 * 92);
        Marks {
            soft,
            high,
            hard,
            budget,
        }
    }

    /// Half of the way from the hard mark to the budget: a process that has grown to this does not get the better of
    /// what makes it grow. What is left is for its last words, and for what grows until all threads stand still.
    #[must_use]
    pub fn last(&self) -> u64 {
        u64::midpoint(self.hard, self.budget)
    }

    /// The level of a process of this size. One that falls leaves a level only when it is a little below its mark, so
    /// that a size near a mark does not change the level at every look.
    #[must_use]
    pub fn level(&self, resident: u64, before: Level) -> Level {
        let has_reached = |mark: u64, level: Level| match before >= level {
            true => resident >= mark - mark / 50,
            false => resident >= mark,
        };
        [
            (self.hard, Level::Hard),
            (self.high, Level::High),
            (self.soft, Level::Soft),
        ]
        .into_iter()
        .find(|(mark, level)| has_reached(*mark, *level))
        .map_or(Level::Calm, |(_, level)| level)
    }

    /// When a process of this size should be looked at again: before it can have reached the next mark that it is
    /// below.
    #[must_use]
    pub fn next_look(&self, resident: u64) -> Duration {
        let marks = [self.soft, self.high, self.hard];
        let room = marks.into_iter().find(|mark| *mark > resident);
        let room = room.map_or(0, |mark| mark - resident);
        Duration::from_millis(room / BYTES_PER_MS).clamp(SHORTEST_LOOK, LONGEST_LOOK)
    }
}

/// Allocations of at least this many bytes ask. Heaps of that size are collected by dirty schedulers, where a process
/// can wait until others have ended.
pub const LARGE_BYTES: usize = 4 << 20;

/// What a program takes at least, with what the kernel keeps for it.
const PROGRAM_BYTES: u64 = 1 << 20;

/// See [`admit_below_last_mark`]. Files of code are smaller.
const MIDDLING_BYTES: usize = 512 << 10;

const NONE: u64 = u64::MAX;

static LEVEL: AtomicU8 = AtomicU8::new(Level::Calm as u8);
/// [`Marks::soft`] and [`Marks::high`], or [`NONE`].
static SOFT: AtomicU64 = AtomicU64::new(NONE);
static HIGH: AtomicU64 = AtomicU64::new(NONE);
/// Where large allocations end: the hard mark, or [`NONE`].
static HARD: AtomicU64 = AtomicU64::new(NONE);
/// [`Marks::last`], or [`NONE`].
static LAST: AtomicU64 = AtomicU64::new(NONE);
static RESIDENT: AtomicU64 = AtomicU64::new(0);
/// What was swapped out when the watcher last asked: it changes slowly, and to ask takes long.
static SWAPPED: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);
static BRAKES: AtomicBool = AtomicBool::new(false);
/// From this monotonic time on the watcher is late.
static OVERDUE_NS: AtomicI64 = AtomicI64::new(i64::MAX);

/// The level that the watcher has set last.
#[inline]
#[must_use]
pub fn level() -> Level {
    Level::from_number(LEVEL.load(Ordering::Relaxed))
}

/// Whether what would grow the process is to be refused.
#[inline]
#[must_use]
pub fn is_high() -> bool {
    LEVEL.load(Ordering::Relaxed) >= Level::High as u8
}

/// Sets the level. For the watcher.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Whether programs should wait: what they run may make the process grow, and memory is about to come back.
#[inline]
#[must_use]
pub fn brakes() -> bool {
    BRAKES.load(Ordering::Relaxed)
}

/// See [`brakes`]. For the watcher.
pub fn set_brakes(brakes: bool) {
    BRAKES.store(brakes, Ordering::Relaxed);
}

/// Sets the marks that large allocations must not pass; `None`: they may. For the watcher.
pub fn set_marks(marks: Option<&Marks>) {
    SOFT.store(marks.map_or(NONE, |marks| marks.soft), Ordering::Relaxed);
    HIGH.store(marks.map_or(NONE, |marks| marks.high), Ordering::Relaxed);
    HARD.store(marks.map_or(NONE, |marks| marks.hard), Ordering::Relaxed);
    LAST.store(marks.map_or(NONE, Marks::last), Ordering::Relaxed);
}

/// Whether there is memory within the budget for an allocation of this size, which then counts as granted: it has to be
/// made next, and told ([`handed_out`]). Small allocations are always admitted.
#[inline]
#[must_use]
pub fn admit(bytes: usize) -> bool {
    bytes < LARGE_BYTES || HARD.load(Ordering::Relaxed) == NONE || admit_large(bytes as u64)
}

#[cold]
fn admit_large(bytes: u64) -> bool {
    let admitted = fits(bytes, RESIDENT.load(Ordering::Relaxed)) || fits_now(bytes);
    if admitted {
        grants::add(bytes);
    }
    admitted
}

fn fits(bytes: u64, resident: u64) -> bool {
    taken(resident).saturating_add(bytes) <= HARD.load(Ordering::Relaxed)
}

/// Nothing is refused for the sake of grants that have become resident unnoticed.
fn fits_now(bytes: u64) -> bool {
    fits(bytes, measure()) || (grants::left() > 0 && fits(bytes, measure_closely()))
}

/// Counts a large block that the allocator has made, or with 0 that it could not make one that was admitted.
#[inline]
pub fn handed_out(block: usize, bytes: usize) {
    if bytes >= LARGE_BYTES && HARD.load(Ordering::Relaxed) != NONE {
        grants::set_block(block, bytes as u64);
    }
}

/// Counts a large block no more, which is about to be freed.
#[inline]
pub fn taken_back(block: usize, bytes: usize) {
    if bytes >= LARGE_BYTES {
        grants::end(block);
    }
}

/// What to ask for if a large block is to grow by so much with its memory: it might grow in small steps.
pub(crate) fn asked_to_grow(more: usize) -> usize {
    if more == 0 { 0 } else { more.max(LARGE_BYTES) }
}

/// As [`taken_back`], for a large block that is about to grow with its memory; what was granted to it and is not used.
pub(crate) fn taken_along(block: usize) -> u64 {
    grants::end(block)
}

/// Counts a large block that has grown with its memory, by so much, for which [`asked_to_grow`] was admitted. `left` is
/// what [`taken_along`] has said.
pub(crate) fn grown(block: usize, bytes: usize, more: usize, left: u64) {
    if HARD.load(Ordering::Relaxed) != NONE {
        grants::set_grown(
            block,
            bytes as u64,
            asked_to_grow(more) as u64,
            left + more as u64,
        );
    }
}

/// Whether there is memory within the budget for another program, which then counts as granted: it takes memory only
/// after it was started, and of what its control group has.
#[must_use]
pub fn admit_program() -> bool {
    HARD.load(Ordering::Relaxed) == NONE || admit_large(PROGRAM_BYTES)
}

/// Whether a binary of this size may be made. Those of 512 KiB and more have to fit below the last mark: many processes
/// that each make one at once would take what is left before others have ended, or before the watcher looks.
#[inline]
#[must_use]
pub fn admit_below_last_mark(bytes: usize) -> bool {
    bytes < MIDDLING_BYTES
        || LAST.load(Ordering::Relaxed) == NONE
        || fits_below_last_mark(bytes as u64)
}

#[cold]
fn fits_below_last_mark(bytes: u64) -> bool {
    let fits = || look().saturating_add(bytes) <= LAST.load(Ordering::Relaxed);
    let admitted = fits() || await_leaving(bytes, fits);
    if !admitted {
        refuse();
    }
    admitted
}

/// Measures, and raises the level if that is higher than the watcher knows; only the watcher lowers it.
fn look() -> u64 {
    let resident = measure();
    let marks = [
        (&HARD, Level::Hard),
        (&HIGH, Level::High),
        (&SOFT, Level::Soft),
    ];
    let reached = marks
        .into_iter()
        .find(|(mark, _)| resident >= mark.load(Ordering::Relaxed));
    if let Some((_, level)) = reached
        && LEVEL.fetch_max(level as u8, Ordering::Relaxed) < level as u8
    {
        if level == Level::Hard {
            set_brakes(true);
        }
        wake_watcher();
    }
    resident
}

/// How late the watcher may be, and for how long nobody else looks when somebody has. From the soft mark on somebody
/// looks as often, whenever the watcher wants to: the next mark is near.
const GRACE_NS: i64 = 1_000_000;

/// Looks in the watcher's stead, if it should have looked by now. For threads that run programs, some times in a
/// millisecond.
#[inline]
pub fn look_if_overdue() {
    let overdue_ns = OVERDUE_NS.load(Ordering::Relaxed);
    if overdue_ns != i64::MAX {
        let now_ns = crate::clock::monotonic_ns();
        if now_ns > overdue_ns {
            look_in_its_stead(overdue_ns, now_ns);
        }
    }
}

#[cold]
fn look_in_its_stead(overdue_ns: i64, now_ns: i64) {
    let next_ns = now_ns + GRACE_NS;
    let order = Ordering::Relaxed;
    if OVERDUE_NS
        .compare_exchange(overdue_ns, next_ns, order, order)
        .is_ok()
    {
        look();
    }
}

/// Large memory that somebody is about to free, until this is dropped: nothing is refused for want of it.
pub struct Leaving(());

/// How many of [`Leaving`] there are.
static LEAVING: AtomicU64 = AtomicU64::new(0);

impl Leaving {
    /// Counts one piece of memory.
    #[must_use]
    pub fn begin() -> Leaving {
        LEAVING.fetch_add(1, Ordering::Relaxed);
        Leaving(())
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        LEAVING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How long memory that is about to be freed is waited for: no longer, because who frees it may wait for something that
/// this thread holds.
const LEAVES_WITHIN: Duration = Duration::from_millis(200);
const LOOKS_EVERY: Duration = Duration::from_millis(1);
const LOOKS_BETWEEN_SETTLING: u32 = 10;

/// Has free memory go back to the system, and waits for that and while memory is about to be freed, until `fits` holds,
/// which says whether there is room for so many bytes. Whether it does; at once not for what could never fit.
pub fn await_leaving(bytes: u64, fits: impl Fn() -> bool) -> bool {
    if bytes > LAST.load(Ordering::Relaxed) {
        return false;
    }
    settling::settle();
    if fits() {
        return true;
    }
    ask_to_give_back();
    let leaves = || LEAVING.load(Ordering::Relaxed) > 0 || is_given_back();
    // To settle takes a while where this thread has much.
    let mut looks = 0;
    let fits = || {
        looks += 1;
        if looks % LOOKS_BETWEEN_SETTLING == 0 {
            settling::settle();
        }
        fits()
    };
    let has_come = wait_while(leaves, fits);
    if has_come {
        WAS_IN_VAIN.store(false, Ordering::Relaxed);
    }
    has_come
}

fn wait_while(leaves: impl Fn() -> bool, mut fits: impl FnMut() -> bool) -> bool {
    let since = Instant::now();
    let mut may_leave = leaves();
    while may_leave && since.elapsed() < LEAVES_WITHIN {
        std::thread::sleep(LOOKS_EVERY);
        // Read before the look, which then sees what has left meanwhile.
        may_leave = leaves();
        if fits() {
            return true;
        }
    }
    false
}

/// When the watcher was last asked to give free memory back, as a monotonic time.
static ASKED_TO_GIVE_BACK_NS: AtomicI64 = AtomicI64::new(i64::MIN);
/// Whether the watcher has not seen that yet.
static IS_TO_GIVE_BACK: AtomicBool = AtomicBool::new(false);
/// All threads have given back what they kept when this time is over, also on a busy host.
const GIVES_BACK_WITHIN_NS: i64 = LEAVES_WITHIN.as_nanos() as i64;
/// Whether nothing has come of it so far.
static WAS_IN_VAIN: AtomicBool = AtomicBool::new(false);
/// Then it is asked at most once in this time.
const ASKS_IN_VAIN_EVERY_NS: i64 = 1_000_000_000;

/// Threads keep the pages of small things that were freed for those to come: below the soft mark nobody has asked for
/// them yet, but something large may need them.
fn ask_to_give_back() {
    let now_ns = crate::clock::monotonic_ns();
    let asked_ns = ASKED_TO_GIVE_BACK_NS.load(Ordering::Relaxed);
    let is_due = !WAS_IN_VAIN.load(Ordering::Relaxed)
        || now_ns.saturating_sub(asked_ns) >= ASKS_IN_VAIN_EVERY_NS;
    let order = Ordering::Relaxed;
    if is_due
        && ASKED_TO_GIVE_BACK_NS
            .compare_exchange(asked_ns, now_ns, order, order)
            .is_ok()
    {
        WAS_IN_VAIN.store(true, Ordering::Relaxed);
        IS_TO_GIVE_BACK.store(true, Ordering::Relaxed);
        wake_watcher();
    }
}

fn is_given_back() -> bool {
    let asked_ns = ASKED_TO_GIVE_BACK_NS.load(Ordering::Relaxed);
    crate::clock::monotonic_ns().saturating_sub(asked_ns) < GIVES_BACK_WITHIN_NS
}

/// Whether somebody has asked that free memory be given back since the last call. For the watcher.
pub fn is_to_give_back() -> bool {
    IS_TO_GIVE_BACK.swap(false, Ordering::Relaxed)
}

/// Counts an allocation that was refused, and has the watcher look for who holds the memory.
#[cold]
pub fn refuse() {
    REFUSED.fetch_add(1, Ordering::Relaxed);
    wake_watcher();
}

/// Whether there would be memory for an allocation of this size; nothing is granted.
#[must_use]
pub fn has_room(bytes: u64) -> bool {
    HARD.load(Ordering::Relaxed) == NONE || fits_now(bytes)
}

/// Whether there is memory within the budget for what is made next; it is granted only when it is allocated. Small
/// things always have it. A refusal counts ([`refuse`]).
#[inline]
#[must_use]
pub fn allows(bytes: usize) -> bool {
    let has_room = || has_room(bytes as u64);
    let allows = bytes < LARGE_BYTES || has_room() || await_leaving(bytes as u64, has_room);
    if !allows {
        refuse();
    }
    allows
}

/// Bytes that the process could grow by before it reached the hard mark when it was last measured; `None` without one.
#[must_use]
pub fn room_lately() -> Option<u64> {
    let mark = HARD.load(Ordering::Relaxed);
    let taken = taken(RESIDENT.load(Ordering::Relaxed));
    (mark != NONE).then(|| mark.saturating_sub(taken))
}

/// Resident memory with what may be added to it at any time.
fn taken(resident: u64) -> u64 {
    resident.saturating_add(grants::left())
}

/// How many large allocations were not admitted.
#[must_use]
pub fn refused() -> u64 {
    REFUSED.load(Ordering::Relaxed)
}

/// Resident memory now with what is swapped out, in bytes; the size of last time where the system does not tell. Growth
/// since the last measurement is taken to be granted memory that was touched.
pub fn measure() -> u64 {
    let resident = resident_or(RESIDENT.load(Ordering::Relaxed));
    let before = RESIDENT.swap(resident, Ordering::Relaxed);
    grants::spend(resident.saturating_sub(before));
    resident
}

/// As [`measure`], but asks what of the granted memory was touched.
fn measure_closely() -> u64 {
    grants::recount();
    let resident = resident_or(RESIDENT.load(Ordering::Relaxed));
    RESIDENT.store(resident, Ordering::Relaxed);
    resident
}

fn resident_or(before: u64) -> u64 {
    let swapped = SWAPPED.load(Ordering::Relaxed);
    resident_bytes().map_or(before, |bytes| bytes.saturating_add(swapped))
}

/// Asks how much is swapped out. For the watcher, some times a second.
pub fn measure_swapped() {
    SWAPPED.store(swapped_bytes(), Ordering::Relaxed);
}

/// Forgets what was granted long ago. For the watcher, some times a second.
pub fn forget_old_grants() {
    grants::end_old();
}

/// Bytes that were granted and are not resident yet.
#[must_use]
pub fn granted() -> u64 {
    grants::left()
}

/// Has the watcher look at once.
pub fn wake_watcher() {
    lookout::MEMORY.wake();
}

/// Sleeps until somebody wakes the watcher, at most so long. Only the watcher may call this.
pub fn wait_to_look(longest: Duration) {
    let ns = i64::try_from(longest.as_nanos()).unwrap_or(i64::MAX);
    let late_ns = match level() {
        Level::Calm => ns.saturating_add(GRACE_NS),
        _ => GRACE_NS,
    };
    let now_ns = crate::clock::monotonic_ns();
    OVERDUE_NS.store(now_ns.saturating_add(late_ns), Ordering::Relaxed);
    lookout::MEMORY.wait(longest);
}

/// Sleeps while `nothing_runs`, at most so long, unless somebody wakes the watcher. Whoever runs something then looks
/// in its stead at first. Only the watcher may call this.
pub fn rest(longest: Duration, nothing_runs: impl Fn() -> bool) -> RestEnd {
    lookout::MEMORY.rest(longest, nothing_runs)
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout};

    use super::*;
    use crate::allocator::{Allocator, attempt};

    const ALLOCATOR: Allocator = Allocator::WITH_HANDLER;
    const MIB: u64 = 1 << 20;

    #[test]
    fn marks_rise_and_leave_a_margin() {
        for budget in [0, 1, 20 * MIB, 64 * MIB, 100 * MIB, 512 * MIB, 1 << 40] {
            let marks = Marks::of(budget);
            let Marks {
                soft, high, hard, ..
            } = marks;
            assert!(
                soft <= high && high <= hard && hard <= budget,
                "{budget}: {marks:?}"
            );
            assert!(hard == 0 || budget - hard >= LEAST_MARGIN_BYTES);
        }
        assert_eq!(Marks::of(1000 * MIB).hard / MIB, 900);
        assert_eq!(Marks::of(100 * MIB).hard / MIB, 76);
    }

    #[test]
    fn a_level_is_left_a_little_below_its_mark() {
        let marks = Marks::of(1000 * MIB);
        let mut level = Level::Calm;
        let mut seen = Vec::new();
        for resident in [100, 700, 699, 690, 680, 801, 799, 900, 890, 881, 100] {
            level = marks.level(resident * MIB, level);
            seen.push(level);
        }
        use Level::{Calm, Hard, High, Soft};
        assert_eq!(
            seen,
            [
                Calm, Soft, Soft, Soft, Calm, High, High, Hard, Hard, High, Calm
            ]
        );
    }

    #[test]
    fn the_watcher_looks_more_often_near_a_mark() {
        let marks = Marks::of(1000 * MIB);
        assert_eq!(marks.next_look(0), Duration::from_millis(175));
        assert_eq!(marks.next_look(699 * MIB), SHORTEST_LOOK);
        assert_eq!(marks.next_look(700 * MIB), Duration::from_millis(25));
        assert_eq!(marks.next_look(2000 * MIB), SHORTEST_LOOK);
        assert_eq!(Marks::of(1 << 40).next_look(0), LONGEST_LOOK);
    }

    /// Many more bytes than the mark allows are granted, but few at a time, and used or not.
    fn blocks_come_and_go() {
        const BYTES: usize = 256 << 20;
        let layout = Layout::from_size_align(BYTES, 4096).unwrap();
        let take = |touched: usize| {
            // SAFETY: the size is not zero, and freed as it was allocated.
            unsafe {
                let block = attempt(|| ALLOCATOR.alloc(layout));
                assert!(!block.is_null(), "{} bytes are granted", granted());
                block.write_bytes(1, touched);
                ALLOCATOR.dealloc(block, layout);
            }
        };
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || (0..1000).for_each(|_| take(number * 8192)));
            }
        });
        assert_eq!(granted(), 0);
        // What a block used before this one is resident, so that the process does not grow.
        let mut pages = vec![1u8; BYTES];
        let start = pages.as_mut_ptr() as usize;
        measure();
        grants::end(start);
        assert!(admit(BYTES));
        handed_out(start, BYTES);
        assert_eq!(granted(), BYTES as u64);
        measure_closely();
        assert_eq!(granted(), 0);
        drop(pages);
    }

    #[test]
    fn what_is_about_to_be_freed_is_waited_for() {
        let is_gone = || LEAVING.load(Ordering::Relaxed) == 0;
        assert!(!wait_while(|| false, is_gone), "nothing is waited for");
        let leaving = Leaving::begin();
        let others = std::thread::spawn(move || {
            std::thread::sleep(LEAVES_WITHIN / 4);
            drop(leaving);
        });
        assert!(await_leaving(0, is_gone));
        others.join().unwrap();
        let leaving = Leaving::begin();
        assert!(!await_leaving(0, is_gone), "not for ever");
        drop(leaving);
    }

    /// One test, because the mark is the process's.
    #[test]
    fn large_allocations_end_at_the_mark() {
        assert!(
            admit(usize::MAX),
            "without a mark everything is within the budget"
        );
        let resident = measure();
        assert_eq!(
            Some(resident / (64 * MIB)),
            resident_bytes().map(|bytes| bytes / (64 * MIB))
        );
        // Other tests take memory at the same time.
        let hard = resident + 3584 * MIB;
        set_marks(Some(&Marks {
            hard,
            ..Marks::of(hard)
        }));
        assert!(admit(1 << 30), "less than the room");
        assert!(
            !admit(3 << 30),
            "what was granted counts before it is touched"
        );
        assert!(admit(LARGE_BYTES - 1));
        refuse();
        assert_eq!(refused(), 1);
        let forget = || {
            std::thread::sleep(Duration::from_nanos(grants::LASTS_NS as u64 + 1));
            forget_old_grants();
            assert_eq!(granted(), 0);
        };
        forget();
        assert!(admit(3 << 30), "old grants are forgotten");
        forget();
        assert!(admit(3 << 30));
        handed_out(0, 3 << 30);
        assert_eq!(granted(), 0, "the block was not made");
        blocks_come_and_go();
        assert_eq!(level(), Level::Calm);
        assert!(!admit_below_last_mark(1 << 40));
        assert!(
            admit_below_last_mark(1 << 20),
            "there is room below the last mark"
        );
        assert!(admit_below_last_mark(MIDDLING_BYTES - 1));
        set_marks(Some(&Marks {
            // Any process has more, also when other tests have freed what they had.
            soft: MIB,
            high: MIB,
            ..Marks::of(hard)
        }));
        look_if_overdue();
        assert_eq!(level(), Level::Calm, "nobody has said when it is due");
        wait_to_look(Duration::from_millis(1));
        std::thread::sleep(Duration::from_millis(10));
        look_if_overdue();
        assert_eq!(level(), Level::High);
        assert!(!brakes());
        set_marks(Some(&Marks {
            hard: MIB,
            budget: MIB,
            ..Marks::of(hard)
        }));
        assert!(
            !admit_below_last_mark(MIDDLING_BYTES),
            "above the last mark"
        );
        assert_eq!((level(), brakes()), (Level::Hard, true));
        set_brakes(false);
        set_level(Level::Calm);
        set_marks(None);
        assert!(admit_below_last_mark(1 << 40));
    }
}
