//! Processors: how many we may use, which they are, and where threads run.
//!
//! The allowed number of processors, which the number of schedulers follows, is that of the affinity mask, limited by
//! the processor quota of the control groups. Numbers of processors are the kernel's (`cpu0`, `cpu1`...); the masks
//! have no fixed width, so hosts with more than 1024 processors work.

pub mod topology;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use topology::LogicalCpu;

use crate::cgroup;
use crate::errno::{Errno, Result, check_size};

/// A quota is expected to rise to so many times what it is when the node starts, or to so many processors. More
/// threads than that would take memory on a large host for nothing.
const QUOTA_MAY_RISE: usize = 4;
const LEAST_LATER: usize = 8;

/// How many processors there are, for `erlang:system_info(logical_processors)` and its relatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processors {
    /// Processors known to the kernel, even if switched off.
    pub configured: usize,
    /// Processors that are switched on.
    pub online: usize,
    /// Online processors that the affinity mask of this process allows.
    pub available: usize,
    /// Processors that the control groups grant, rounded up; `None` without a quota.
    pub quota: Option<usize>,
}

impl Processors {
    /// Asks the system; cheap enough to be called every time.
    pub fn detect() -> Processors {
        Processors::detect_under(Path::new("/"))
    }

    fn detect_under(root: &Path) -> Processors {
        let configured = count(libc::_SC_NPROCESSORS_CONF);
        let online = count(libc::_SC_NPROCESSORS_ONLN).min(configured);
        // The mask of the main thread, because a scheduler thread may be pinned to one processor.
        let available =
            affinity_of(main_thread()).map_or(online, |cpus| cpus.len().clamp(1, online));
        let quota = cgroup::cpu_quota(root).map(cgroup::CpuQuota::processors);
        Processors {
            configured,
            online,
            available,
            quota,
        }
    }

    /// How many schedulers may make sense later, if the quota rises: at least [`Processors::allowed`].
    pub fn allowed_later(&self) -> usize {
        let most = self.quota.map_or(usize::MAX, |quota| {
            quota.saturating_mul(QUOTA_MAY_RISE).max(LEAST_LATER)
        });
        self.available.min(most).max(1)
    }

    /// How many schedulers make sense: at least 1.
    pub fn allowed(&self) -> usize {
        self.available.min(self.quota.unwrap_or(usize::MAX)).max(1)
    }
}

fn count(name: libc::c_int) -> usize {
    // SAFETY: takes and returns plain numbers.
    usize::try_from(unsafe { libc::sysconf(name) })
        .unwrap_or(1)
        .max(1)
}

/// The number of the main thread, which is that of the process.
fn main_thread() -> libc::pid_t {
    rustix::process::getpid().as_raw_pid()
}

/// The processors that the calling thread may run on now, by ascending numbers.
pub fn affinity() -> Result<Vec<usize>> {
    affinity_of(0)
}

/// The processors that this program could use when it started: what a child gets, whatever happens to our threads. The
/// first call should be made before any thread is pinned.
pub fn initial_affinity() -> &'static [usize] {
    static INITIAL: OnceLock<Vec<usize>> = OnceLock::new();
    INITIAL.get_or_init(|| known().usable.clone())
}

/// What is known of the processors: what the system said when it was last asked, at the start or by [`read_again`].
#[derive(Debug, PartialEq, Eq)]
pub struct Known {
    /// How many there are.
    pub processors: Processors,
    /// The processors that this program may use: the affinity mask of the main thread, which is never pinned.
    pub usable: Vec<usize>,
    /// How they are arranged; empty if the kernel does not say.
    pub topology: Vec<LogicalCpu>,
}

static KNOWN: Mutex<Option<Arc<Known>>> = Mutex::new(None);

impl Known {
    fn read() -> Arc<Known> {
        let all = || (0..count(libc::_SC_NPROCESSORS_ONLN)).collect();
        Arc::new(Known {
            processors: Processors::detect(),
            usable: affinity_of(main_thread()).unwrap_or_else(|_| all()),
            topology: topology::detect(),
        })
    }
}

/// What is known of the processors.
pub fn known() -> Arc<Known> {
    KNOWN.lock().get_or_insert_with(Known::read).clone()
}

/// Asks the system again; whether it says something else than before.
pub fn read_again() -> bool {
    initial_affinity();
    let now = Known::read();
    let before = KNOWN.lock().replace(now.clone());
    before.is_some_and(|before| before != now)
}

/// The number of the calling thread, for [`pin_thread`].
pub fn current_thread() -> i64 {
    i64::from(rustix::thread::gettid().as_raw_pid())
}

/// Lets a thread of this program run on one processor only.
pub fn pin_thread(thread: i64, cpu: usize) -> Result<()> {
    initial_affinity();
    set_affinity_of(thread, &[cpu])
}

/// Undoes [`pin_thread`].
pub fn unpin_thread(thread: i64) -> Result<()> {
    set_affinity_of(thread, &known().usable)
}

/// Lets the calling thread run on all processors that the program may use.
pub fn unpin_current_thread() -> Result<()> {
    set_affinity_of(0, &known().usable)
}

/// The system's mask for these processors, a bit for each; empty for none.
pub(crate) fn mask(cpus: &[usize]) -> Result<Vec<u64>> {
    /// More than any kernel is configured for; bounds the mask that a caller can ask for.
    const MOST_CPUS: usize = 1 << 16;
    let Some(&highest) = cpus.iter().max() else {
        return Ok(Vec::new());
    };
    if highest >= MOST_CPUS {
        return Err(Errno::EINVAL);
    }
    let mut mask = vec![0u64; highest / 64 + 1];
    for cpu in cpus {
        mask[cpu / 64] |= 1 << (cpu % 64);
    }
    Ok(mask)
}

/// Lets a thread run on these processors, by its number, 0 for the caller; `einval` if none of them exists.
fn set_affinity_of(thread: i64, cpus: &[usize]) -> Result<()> {
    let mask = mask(cpus)?;
    // The wrappers of the C library and of `rustix` take a mask of fixed size, hence the plain system call.
    // SAFETY: the kernel reads as many bytes as the mask has.
    let result = unsafe {
        libc::syscall(
            libc::SYS_sched_setaffinity,
            thread,
            size_of_val(&mask[..]),
            mask.as_ptr(),
        )
    };
    check_size(result as isize).map(drop)
}

/// As [`affinity`], of a thread by its number, 0 for the caller.
fn affinity_of(thread: libc::pid_t) -> Result<Vec<usize>> {
    let mut mask = vec![0u64; 16];
    loop {
        // SAFETY: the kernel writes at most as many bytes as the mask has.
        let result = unsafe {
            libc::syscall(
                libc::SYS_sched_getaffinity,
                thread,
                size_of_val(&mask[..]),
                mask.as_mut_ptr(),
            )
        };
        match check_size(result as isize) {
            Ok(bytes) => {
                mask.truncate(bytes.div_ceil(8));
                break;
            }
            // The kernel's mask is wider than ours.
            Err(Errno::EINVAL) if mask.len() < 1 << 12 => mask.resize(mask.len() * 2, 0),
            Err(error) => return Err(error),
        }
    }
    Ok((0..mask.len() * 64)
        .filter(|cpu| mask[cpu / 64] & (1 << (cpu % 64)) != 0)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    #[test]
    fn the_counts_agree() {
        let found = Processors::detect();
        assert!(
            1 <= found.available
                && found.available <= found.online
                && found.online <= found.configured
        );
        assert!(1 <= found.allowed() && found.allowed() <= found.available);
        assert_eq!(found.available, known().usable.len());
        assert!(!read_again());
    }

    #[test]
    fn a_quota_lowers_what_is_allowed() {
        let tree = Tree::new(&[
            ("proc/self/cgroup", "0::/\n"),
            (
                "proc/self/mountinfo",
                "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            ),
            ("sys/fs/cgroup/cpu.max", "50000 100000\n"),
        ]);
        let found = Processors::detect_under(tree.path());
        assert_eq!(found.quota, Some(1));
        assert_eq!(found.allowed(), 1);
        assert_eq!(found.allowed_later(), found.available.min(8));
        // It may change while the node runs.
        tree.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
        assert_eq!(Processors::detect_under(tree.path()).quota, Some(2));
        tree.write("sys/fs/cgroup/cpu.max", "max 100000\n");
        let found = Processors::detect_under(tree.path());
        assert_eq!((found.quota, found.allowed()), (None, found.available));
    }

    #[test]
    fn a_pinned_thread_stays_and_can_be_unpinned() {
        std::thread::spawn(|| {
            let all = affinity().unwrap();
            let last = *all.last().unwrap();
            pin_thread(current_thread(), last).unwrap();
            assert_eq!(affinity().unwrap(), [last]);
            assert_eq!(rustix::thread::sched_getcpu(), last);
            // Others are not affected, and the program's own mask is still known.
            assert_eq!(Processors::detect().available, all.len());
            unpin_current_thread().unwrap();
            assert_eq!(affinity().unwrap(), all);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn impossible_processors_are_refused() {
        assert_eq!(set_affinity_of(0, &[]), Err(Errno::EINVAL));
        assert_eq!(set_affinity_of(0, &[usize::MAX]), Err(Errno::EINVAL));
        assert_eq!(set_affinity_of(0, &[60_000]), Err(Errno::EINVAL));
    }
}
