//! Control groups with a limit of memory, of version 1 or 2 as the host has them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// What a node may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Limit {
    #[value(name = "512M")]
    Small,
    #[value(name = "idle+64M")]
    Idle,
    #[value(name = "machine")]
    Machine,
}

impl Limit {
    pub(crate) const ALL: [Limit; 3] = [Limit::Small, Limit::Idle, Limit::Machine];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Limit::Small => "512M",
            Limit::Idle => "idle+64M",
            Limit::Machine => "machine",
        }
    }

    /// How long a bomb has to fill it.
    pub(crate) fn patience(self) -> Duration {
        Duration::from_secs(match self {
            Limit::Small | Limit::Idle => 12,
            // What adds millions of small things takes a minute or two for gigabytes.
            Limit::Machine => 120,
        })
    }

    /// In bytes, if an idle node takes so many.
    pub(crate) fn bytes(self, idle_bytes: u64) -> u64 {
        match self {
            Limit::Small => 512 << 20,
            Limit::Idle => idle_bytes + (64 << 20),
            // A group stands for the machine, so that others on it are spared.
            Limit::Machine => 6 << 30,
        }
    }
}

/// Where groups of memory are, with the names of the files in each.
struct Hierarchy {
    root: &'static str,
    limit: &'static str,
    /// The most that was taken.
    peak: &'static str,
    /// A line `oom_kill N` in it counts whom the kernel has killed.
    events: &'static str,
}

const HIERARCHIES: [Hierarchy; 2] = [
    Hierarchy {
        root: "/sys/fs/cgroup/memory",
        limit: "memory.limit_in_bytes",
        peak: "memory.max_usage_in_bytes",
        events: "memory.oom_control",
    },
    Hierarchy {
        root: "/sys/fs/cgroup",
        limit: "memory.max",
        peak: "memory.peak",
        events: "memory.events",
    },
];

/// A group, which is removed when it is dropped; nothing may run in it then.
pub(crate) struct Group {
    path: PathBuf,
    hierarchy: &'static Hierarchy,
}

impl Group {
    pub(crate) fn new(limit_bytes: u64) -> io::Result<Group> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let [one, two] = &HIERARCHIES;
        let hierarchy = match Path::new(one.root).is_dir() {
            true => one,
            false => two,
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ferl-bombs-{}-{number}", std::process::id());
        let path = Path::new(hierarchy.root).join(name);
        fs::create_dir(&path)?;
        let group = Group { path, hierarchy };
        fs::write(group.path.join(hierarchy.limit), limit_bytes.to_string())?;
        Ok(group)
    }

    /// The file that a process joins the group by.
    pub(crate) fn members(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// The most that its processes have taken at a time, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        let text = fs::read_to_string(self.path.join(self.hierarchy.peak)).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }

    /// How many processes of the group the kernel has killed because it had no more memory.
    pub(crate) fn kills(&self) -> u64 {
        let text = fs::read_to_string(self.path.join(self.hierarchy.events)).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count.and_then(|count| count.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Those that were killed are members until they are gone.
        for _ in 0..500 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        println!("still there: {}", self.path.display());
    }
}
