//! The limits that control groups put on this process, under version 1, version 2 and both at once.
//!
//! Groups nest, and every group on the path from ours to the root limits us, so each query walks that
//! path and takes the lowest limit. A limit of a parent that a container hides is not visible, except
//! where version 1 sums up the hierarchy (`hierarchical_memory_limit`).
//!
//! All functions take the directory that contains `/proc` and `/sys`, which is `/` outside tests. Missing or malformed
//! files count as "no limit": they must never keep the program from starting.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

/// Version 1 shows "unlimited" as the largest page-aligned 63-bit number; limits from here on count as none.
const UNLIMITED_BYTES: u64 = 1 << 62;

/// Processor time per period, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuQuota {
    /// Processor time that all threads together may use in one period.
    pub quota_us: u64,
    /// The length of a period; never 0.
    pub period_us: u64,
}

impl CpuQuota {
    /// How many processors can use up the quota: rounded up, at least 1.
    pub(crate) fn processors(self) -> usize {
        usize::try_from(self.quota_us.div_ceil(self.period_us))
            .unwrap_or(usize::MAX)
            .max(1)
    }

    /// Whether this is a smaller share of a processor than `other`.
    fn is_less_than(self, other: CpuQuota) -> bool {
        u128::from(self.quota_us) * u128::from(other.period_us)
            < u128::from(other.quota_us) * u128::from(self.period_us)
    }
}

/// The lowest processor quota on the path from this process's group to the root, if there is any.
pub(crate) fn cpu_quota(root: &Path) -> Option<CpuQuota> {
    let found = groups(root);
    let quotas = found.cpu.iter().filter_map(|group| match group.version {
        Version::One => quota_v1(&group.path),
        Version::Two => quota_v2(&group.path),
    });
    quotas.reduce(|least, quota| {
        if quota.is_less_than(least) {
            quota
        } else {
            least
        }
    })
}

/// What memory groups say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryGroup {
    /// The lowest limit, in bytes, on the path from this process's group to the root, if there is any: `memory.max`,
    /// or `memory.high`, above which the kernel lets the programs of the group wait for memory.
    pub limit_bytes: Option<u64>,
    /// Bytes charged to the innermost group, other processes included, without those of files that the kernel can
    /// drop; `None` if there is no such group.
    pub taken_bytes: Option<u64>,
}

/// What this process's memory group and its parents say. Every file is read once.
pub(crate) fn memory(root: &Path) -> MemoryGroup {
    let groups = groups(root);
    let mut found = MemoryGroup::default();
    for (index, group) in groups.memory.iter().enumerate() {
        let is_innermost = index == 0;
        let of_one = group.version == Version::One;
        let statistics = match of_one || is_innermost {
            true => read(&group.path.join("memory.stat")).unwrap_or_default(),
            false => String::new(),
        };
        let limit = match group.version {
            Version::One => read_number(&group.path.join("memory.limit_in_bytes")),
            Version::Two => least(
                read_number(&group.path.join("memory.max")),
                read_number(&group.path.join("memory.high")),
            ),
        };
        // Only version 1 sums up the hierarchy.
        let inherited = field(&statistics, "hierarchical_memory_limit");
        let limit = least(limit, inherited).filter(|limit| *limit < UNLIMITED_BYTES);
        found.limit_bytes = least(found.limit_bytes, limit);
        if is_innermost {
            found.taken_bytes = taken_bytes(group, &statistics);
        }
    }
    found
}

fn taken_bytes(group: &Group, statistics: &str) -> Option<u64> {
    let (usage, files) = match group.version {
        // Memory that files have in common with programs (`shmem`) is in the page cache's sum under version 1, and
        // cannot be dropped.
        Version::One => (
            "memory.usage_in_bytes",
            ["total_inactive_file ", "total_active_file "],
        ),
        Version::Two => ("memory.current", ["inactive_file ", "active_file "]),
    };
    let usage = read_number(&group.path.join(usage))?;
    let files = files.map(|name| field(statistics, name).unwrap_or(0));
    Some(usage.saturating_sub(files.iter().sum()))
}

/// Bytes charged to the innermost memory group, page cache included, if there is such a group.
pub(crate) fn memory_usage_bytes(root: &Path) -> Option<u64> {
    let found = groups(root);
    let group = found.memory.first()?;
    read_number(&group.path.join(match group.version {
        Version::One => "memory.usage_in_bytes",
        Version::Two => "memory.current",
    }))
}

/// How much of the last ten seconds, in percent, all programs stood still because they waited for memory: those of this
/// process's group under version 2, else those of the host. `None` where the kernel does not tell.
pub(crate) fn memory_pressure(root: &Path) -> Option<f64> {
    let groups = groups(root);
    let of_two = |group: &&Group| group.version == Version::Two;
    let of_group = groups.memory.iter().find(of_two).and_then(|group| {
        let text = read(&group.path.join("memory.pressure"))?;
        stalled_percent(&text)
    });
    of_group.or_else(|| stalled_percent(&read(&root.join("proc/pressure/memory"))?))
}

/// The line `full avg10=0.00 avg60=0.00 avg300=0.00 total=0` says it.
fn stalled_percent(text: &str) -> Option<f64> {
    let full = text.lines().find_map(|line| line.strip_prefix("full "))?;
    let mut fields = full.split_ascii_whitespace();
    let percent: f64 = fields
        .find_map(|item| item.strip_prefix("avg10="))?
        .parse()
        .ok()?;
    (0.0..=100.0).contains(&percent).then_some(percent)
}

fn quota_v2(directory: &Path) -> Option<CpuQuota> {
    let text = read(&directory.join("cpu.max"))?;
    let mut fields = text.split_ascii_whitespace();
    // "max" instead of a quota means no limit.
    let quota_us = fields.next()?.parse().ok()?;
    let period_us = fields.next()?.parse().ok()?;
    (period_us > 0).then_some(CpuQuota {
        quota_us,
        period_us,
    })
}

fn quota_v1(directory: &Path) -> Option<CpuQuota> {
    // -1 means no limit, and does not parse as an unsigned number.
    let quota_us = read_number(&directory.join("cpu.cfs_quota_us"))?;
    let period_us = read_number(&directory.join("cpu.cfs_period_us"))?;
    (period_us > 0).then_some(CpuQuota {
        quota_us,
        period_us,
    })
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    [one, other].into_iter().flatten().min()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A directory of the control group file system for a group that this process is in.
#[derive(Debug)]
struct Group {
    version: Version,
    path: PathBuf,
}

/// A mounted hierarchy, from `/proc/self/mountinfo`.
struct Mount {
    version: Version,
    /// The number of the hierarchy's device, which all its mounts have in common.
    device: String,
    /// The group that the mount shows as its top directory.
    top_group: String,
    mount_point: String,
    /// Super block options; for version 1 the controllers are among them.
    options: String,
}

/// The groups of this process that limit memory and processors, innermost first.
#[derive(Debug, Default)]
struct Groups {
    memory: Vec<Group>,
    cpu: Vec<Group>,
}

/// The groups that were found last. They are asked for several times a second, and a host has hundreds of mounts, so
/// they are looked for anew only when the process's memberships have changed.
#[derive(Debug, Default)]
struct Kept {
    root: PathBuf,
    memberships: String,
    groups: Arc<Groups>,
}

impl Kept {
    fn groups(&mut self, root: &Path) -> Arc<Groups> {
        let memberships = read(&root.join("proc/self/cgroup")).unwrap_or_default();
        if self.root != root || self.memberships != memberships {
            let hierarchies = Hierarchies::of_this_process(root, &memberships);
            let groups = Groups {
                memory: hierarchies.directories("memory"),
                cpu: hierarchies.directories("cpu"),
            };
            *self = Kept {
                root: root.to_owned(),
                memberships,
                groups: Arc::new(groups),
            };
        }
        self.groups.clone()
    }
}

/// The groups of this process.
fn groups(root: &Path) -> Arc<Groups> {
    static KEPT: Mutex<Option<Kept>> = Mutex::new(None);
    KEPT.lock().get_or_insert_default().groups(root)
}

/// This process's place in every hierarchy: `/proc/self/cgroup` and `/proc/self/mountinfo`.
struct Hierarchies<'a> {
    root: &'a Path,
    /// Controllers (empty for version 2) and path of the group.
    memberships: Vec<(String, String)>,
    mounts: Vec<Mount>,
}

impl<'a> Hierarchies<'a> {
    fn of_this_process(root: &'a Path, memberships: &str) -> Hierarchies<'a> {
        let mounts = read(&root.join("proc/self/mountinfo")).unwrap_or_default();
        Hierarchies {
            root,
            memberships: memberships.lines().filter_map(parse_membership).collect(),
            mounts: mounts.lines().filter_map(parse_mount).collect(),
        }
    }

    /// Our group and its parents in every hierarchy that may carry `controller`, innermost first.
    fn directories(&self, controller: &str) -> Vec<Group> {
        let mut chosen: Vec<(&Mount, &str)> = Vec::new();
        for mount in &self.mounts {
            let Some(group) = self.group_of(mount, controller) else {
                continue;
            };
            match chosen
                .iter_mut()
                .find(|(other, _)| other.device == mount.device)
            {
                Some((other, _)) if mount.shows_more_of(group, other) => *other = mount,
                Some(_) => {}
                None => chosen.push((mount, group)),
            }
        }
        let mut groups = Vec::new();
        for (mount, group) in chosen {
            let top = self.root.join(mount.mount_point.trim_start_matches('/'));
            for path in path_below(group, &mount.top_group).ancestors() {
                groups.push(Group {
                    version: mount.version,
                    path: top.join(path),
                });
            }
        }
        groups
    }

    /// Our group in the hierarchy of a mount, if that may carry `controller`.
    fn group_of(&self, mount: &Mount, controller: &str) -> Option<&str> {
        let is_ours = |items: &str| match mount.version {
            Version::One => has_item(&mount.options, controller) && has_item(items, controller),
            Version::Two => items.is_empty(),
        };
        let found = self.memberships.iter().find(|(items, _)| is_ours(items));
        found.map(|(_, group)| group.as_str())
    }
}

impl Mount {
    /// Whether this mount of a hierarchy shows `group` with more of its parents than `other` does. A mount that shows
    /// another part of the hierarchy shows nothing of it; one that was mounted later hides what was mounted there
    /// before.
    fn shows_more_of(&self, group: &str, other: &Mount) -> bool {
        let top_of = |mount: &Mount| {
            let is_above = Path::new(group).starts_with(&mount.top_group);
            (!is_above, mount.top_group.len())
        };
        self.mount_point == other.mount_point || top_of(self) < top_of(other)
    }
}

/// Our group as a path below the mount's top directory. Where the mount shows another part of the hierarchy
/// than the one we are in (a container that sees only its own group, or a namespace that begins below it),
/// the top directory is the nearest visible group.
fn path_below(group: &str, top_group: &str) -> PathBuf {
    let below = Path::new(group)
        .strip_prefix(top_group)
        .unwrap_or(Path::new(""));
    let mut relative = PathBuf::new();
    for component in below.components() {
        match component {
            Component::Normal(name) => relative.push(name),
            Component::ParentDir => return PathBuf::new(),
            _ => {}
        }
    }
    relative
}

/// `hierarchy-ID:controller-list:path`
fn parse_membership(line: &str) -> Option<(String, String)> {
    let mut fields = line.splitn(3, ':').skip(1);
    let controllers = fields.next()?;
    let path = fields.next()?;
    Some((controllers.to_owned(), path.to_owned()))
}

/// `ID parent major:minor root mount-point options [tags...] - type source super-options`
fn parse_mount(line: &str) -> Option<Mount> {
    let (place, kind) = line.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let version = match kind.next()? {
        "cgroup" => Version::One,
        "cgroup2" => Version::Two,
        _ => return None,
    };
    let options = kind.nth(1).unwrap_or_default().to_owned();
    let mut place = place.split(' ').skip(2);
    let device = place.next()?.to_owned();
    let top_group = unescape(place.next()?);
    let mount_point = unescape(place.next()?);
    Some(Mount {
        version,
        device,
        top_group,
        mount_point,
        options,
    })
}

/// mountinfo writes space, tab, newline and backslash as a backslash and three octal digits.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        match after
            .get(..3)
            .and_then(|digits| u8::from_str_radix(digits, 8).ok())
        {
            Some(byte) if byte.is_ascii() => {
                plain.push(char::from(byte));
                rest = &after[3..];
            }
            _ => {
                plain.push('\\');
                rest = after;
            }
        }
    }
    plain + rest
}

fn has_item(list: &str, item: &str) -> bool {
    list.split(',').any(|each| each == item)
}

fn read_number(path: &Path) -> Option<u64> {
    read(path)?.trim().parse().ok()
}

fn field(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// What a file says. The kernel makes up the text at each read, so room for all of it saves reads, and its size is not
/// known before.
fn read(path: &Path) -> Option<String> {
    const MOSTLY_ENOUGH_BYTES: usize = 4096;
    let mut text = String::with_capacity(MOSTLY_ENOUGH_BYTES);
    let mut unsized_file = File::open(path).ok()?.take(u64::MAX);
    unsized_file.read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests;
