//! Limits read from fake `/proc` and `/sys` trees, one for each way in which containers are set up.

use super::*;
use crate::fixture::Tree;

const V2_MOUNT: &str =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const V1_MOUNTS: &str = "\
    33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
    34 32 0:30 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset\n\
    36 32 0:31 / /sys/fs/cgroup/memory rw shared:11 - cgroup cgroup rw,memory\n";

fn quota(quota_us: u64, period_us: u64) -> Option<CpuQuota> {
    Some(CpuQuota {
        quota_us,
        period_us,
    })
}

#[test]
fn nothing_known_is_no_limit() {
    let tree = Tree::new(&[]);
    assert_eq!(cpu_quota(tree.path()), None);
    assert_eq!(memory(tree.path()).limit_bytes, None);
    assert_eq!(memory_usage_bytes(tree.path()), None);
}

#[test]
fn version_2_keeps_the_least_of_all_parents() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/a/b/c\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
        ("sys/fs/cgroup/a/b/c/cpu.max", "400000 200000\n"),
        ("sys/fs/cgroup/a/memory.max", "max\n"),
        ("sys/fs/cgroup/a/b/memory.max", "1000000\n"),
        ("sys/fs/cgroup/a/b/c/memory.max", "2000000\n"),
        ("sys/fs/cgroup/a/b/c/memory.current", "4096\n"),
    ]);
    assert_eq!(cpu_quota(tree.path()), quota(150_000, 100_000));
    assert_eq!(cpu_quota(tree.path()).unwrap().processors(), 2);
    assert_eq!(memory(tree.path()).limit_bytes, Some(1_000_000));
    assert_eq!(memory_usage_bytes(tree.path()), Some(4096));
}

#[test]
fn version_1_keeps_the_least_of_all_parents() {
    let tree = Tree::new(&[
        (
            "proc/self/cgroup",
            "5:memory:/m/n\n4:cpuset:/x\n3:cpu,cpuacct:/c/d\n0::/\n",
        ),
        ("proc/self/mountinfo", V1_MOUNTS),
        ("sys/fs/cgroup/cpu,cpuacct/c/d/cpu.cfs_quota_us", "-1\n"),
        (
            "sys/fs/cgroup/cpu,cpuacct/c/d/cpu.cfs_period_us",
            "100000\n",
        ),
        ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "50000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "1\n"),
        ("sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n"),
        (
            "sys/fs/cgroup/memory/m/n/memory.limit_in_bytes",
            "9223372036854771712\n",
        ),
        ("sys/fs/cgroup/memory/m/n/memory.usage_in_bytes", "77\n"),
        (
            "sys/fs/cgroup/memory/m/memory.limit_in_bytes",
            "536870912\n",
        ),
    ]);
    assert_eq!(cpu_quota(tree.path()), quota(50_000, 100_000));
    assert_eq!(cpu_quota(tree.path()).unwrap().processors(), 1);
    assert_eq!(memory(tree.path()).limit_bytes, Some(536_870_912));
    assert_eq!(memory_usage_bytes(tree.path()), Some(77));
}

#[test]
fn both_versions_at_once_are_both_asked() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "3:cpu,cpuacct:/c\n0::/u\n"),
        (
            "proc/self/mountinfo",
            &(V1_MOUNTS.to_owned() + "40 32 0:40 / /sys/fs/cgroup/unified rw - cgroup2 none rw\n"),
        ),
        ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "300000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"),
        ("sys/fs/cgroup/unified/u/memory.max", "12345678\n"),
    ]);
    assert_eq!(cpu_quota(tree.path()), quota(300_000, 100_000));
    assert_eq!(memory(tree.path()).limit_bytes, Some(12_345_678));
}

#[test]
fn a_container_that_sees_only_its_own_group_reads_the_mount() {
    // /proc/self/cgroup shows the host's path, and the mount shows only that group, as its top directory.
    let tree = Tree::new(&[
        ("proc/self/cgroup", "3:cpu,cpuacct:/docker/0af3\n"),
        (
            "proc/self/mountinfo",
            "33 32 0:29 /docker/0af3 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
        ),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "20000\n"),
        ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
    ]);
    assert_eq!(cpu_quota(tree.path()), quota(20_000, 100_000));
    // In a namespace that begins below our group, our path begins with `..`.
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/../../outside\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/cpu.max", "100000 100000\n"),
        ("sys/outside/cpu.max", "1 100000\n"),
    ]);
    assert_eq!(cpu_quota(tree.path()), quota(100_000, 100_000));
}

#[test]
fn a_hidden_parent_of_version_1_is_known_by_the_sum() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "5:memory:/\n"),
        ("proc/self/mountinfo", V1_MOUNTS),
        (
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "9223372036854771712\n",
        ),
        (
            "sys/fs/cgroup/memory/memory.stat",
            "cache 5\nhierarchical_memory_limit 268435456\nrss 1\n",
        ),
    ]);
    assert_eq!(memory(tree.path()).limit_bytes, Some(268_435_456));
}

#[test]
fn groups_are_looked_for_when_memberships_change() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/a\n"),
        ("proc/self/mountinfo", V2_MOUNT),
    ]);
    let mut kept = Kept::default();
    let mut path = || {
        let groups = kept.groups(tree.path());
        let first = groups.memory.first().map(|group| group.path.clone());
        first.and_then(|path| path.strip_prefix(tree.path()).ok().map(PathBuf::from))
    };
    assert_eq!(path(), Some("sys/fs/cgroup/a".into()));
    tree.write("proc/self/mountinfo", "");
    assert_eq!(
        path(),
        Some("sys/fs/cgroup/a".into()),
        "mounts are not read again"
    );
    tree.write("proc/self/mountinfo", V2_MOUNT);
    tree.write("proc/self/cgroup", "0::/b\n");
    assert_eq!(path(), Some("sys/fs/cgroup/b".into()));
}

#[test]
fn escaped_mount_points_are_found() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/\n"),
        (
            "proc/self/mountinfo",
            "30 23 0:26 / /sys/with\\040space rw - cgroup2 cgroup2 rw\n",
        ),
        ("sys/with space/cpu.max", "100000 50000\n"),
    ]);
    assert_eq!(cpu_quota(tree.path()), quota(100_000, 50_000));
    assert_eq!(unescape("a\\134b\\9\\04"), "a\\b\\9\\04");
}

#[test]
fn nonsense_is_no_limit() {
    for text in [
        "",
        "max",
        "0 0",
        "100000",
        "-5 100000",
        "1e5 100000",
        "99999999999999999999 1",
    ] {
        let tree = Tree::new(&[
            ("proc/self/cgroup", "garbage\n0::/\n:\n"),
            (
                "proc/self/mountinfo",
                &("- \n - cgroup2\n1 - cgroup2 x\n".to_owned() + V2_MOUNT),
            ),
            ("sys/fs/cgroup/cpu.max", text),
            ("sys/fs/cgroup/memory.max", text),
        ]);
        assert_eq!(cpu_quota(tree.path()), None, "{text}");
        if text != "100000" {
            assert_eq!(memory(tree.path()).limit_bytes, None, "{text}");
        }
    }
}

#[test]
fn what_files_take_can_be_dropped() {
    let one = Tree::new(&[
        ("proc/self/cgroup", "5:memory:/m\n"),
        ("proc/self/mountinfo", V1_MOUNTS),
        ("sys/fs/cgroup/memory/m/memory.usage_in_bytes", "1000\n"),
        (
            "sys/fs/cgroup/memory/m/memory.stat",
            "inactive_file 1\nhierarchical_memory_limit 5000\ntotal_inactive_file 100\ntotal_active_file 20\n",
        ),
    ]);
    let found = memory(one.path());
    assert_eq!(
        (found.limit_bytes, found.taken_bytes),
        (Some(5000), Some(880))
    );
    let two = Tree::new(&[
        ("proc/self/cgroup", "0::/a/b\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/a/memory.max", "5000\n"),
        ("sys/fs/cgroup/a/memory.current", "4000\n"),
        ("sys/fs/cgroup/a/b/memory.current", "1000\n"),
        (
            "sys/fs/cgroup/a/b/memory.stat",
            "anon 7\ninactive_file 100\nactive_file 20\n",
        ),
    ]);
    let found = memory(two.path());
    assert_eq!(
        (found.limit_bytes, found.taken_bytes),
        (Some(5000), Some(880))
    );
}

#[test]
fn a_group_that_is_to_wait_from_some_size_on_is_limited_to_it() {
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/a/b\n"),
        ("proc/self/mountinfo", V2_MOUNT),
        ("sys/fs/cgroup/a/memory.max", "9000\n"),
        ("sys/fs/cgroup/a/memory.high", "max\n"),
        ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ("sys/fs/cgroup/a/b/memory.high", "7000\n"),
    ]);
    assert_eq!(memory(tree.path()).limit_bytes, Some(7000));
    tree.write("sys/fs/cgroup/a/b/memory.high", "max\n");
    assert_eq!(memory(tree.path()).limit_bytes, Some(9000));
    tree.write("sys/fs/cgroup/a/memory.high", "nonsense\n");
    assert_eq!(memory(tree.path()).limit_bytes, Some(9000));
}

#[test]
fn the_pressure_of_the_group_goes_before_that_of_the_host() {
    let host = "some avg10=90.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=1.50 avg60=2.00 avg300=0.00 total=7\n";
    let tree = Tree::new(&[
        ("proc/self/cgroup", "0::/a\n"),
        ("proc/self/mountinfo", V2_MOUNT),
    ]);
    assert_eq!(memory_pressure(tree.path()), None);
    tree.write("proc/pressure/memory", host);
    assert_eq!(memory_pressure(tree.path()), Some(1.5));
    let of_group = "some avg10=3.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=45.25 avg60=0 avg300=0 total=0\n";
    tree.write("sys/fs/cgroup/a/memory.pressure", of_group);
    assert_eq!(memory_pressure(tree.path()), Some(45.25));
    for nonsense in [
        "",
        "full\n",
        "full avg10=\n",
        "full avg10=-1 x\n",
        "full avg10=NaN\n",
        "full avg10=900\n",
        "some avg10=5\n",
    ] {
        tree.write("sys/fs/cgroup/a/memory.pressure", nonsense);
        assert_eq!(memory_pressure(tree.path()), Some(1.5), "{nonsense}");
    }
}

#[test]
fn quotas_round_up_to_processors() {
    for (quota_us, period_us, processors) in [
        (1, 100_000, 1),
        (100_000, 100_000, 1),
        (100_001, 100_000, 2),
        (350_000, 100_000, 4),
        (0, 5, 1),
    ] {
        assert_eq!(
            CpuQuota {
                quota_us,
                period_us
            }
            .processors(),
            processors
        );
    }
}

#[test]
fn of_many_mounts_of_a_hierarchy_the_one_that_shows_most_is_asked() {
    let mount = |device: &str, top: &str, point: &str| {
        format!("30 23 {device} {top} {point} rw - cgroup2 none rw\n")
    };
    let other_part = mount("0:26", "/b", "/other");
    let ours_only = mount("0:26", "/a/c", "/ours");
    let all = mount("0:26", "/", "/all");
    let again = mount("0:26", "/", "/again");
    let hidden = mount("0:26", "/", "/ours");
    let files = [
        ("other/memory.max", "1\n"),
        ("ours/memory.max", "3000\n"),
        ("all/a/c/memory.max", "3000\n"),
        ("all/a/memory.max", "2000\n"),
        ("again/a/memory.max", "5\n"),
    ];
    for (mounts, expected) in [
        (vec![&other_part, &ours_only, &all, &again], 2000),
        (vec![&all, &again, &ours_only, &other_part], 2000),
        (vec![&other_part, &ours_only], 3000),
        (vec![&hidden, &ours_only], 3000),
    ] {
        let mounts: String = mounts.into_iter().map(String::as_str).collect();
        let mut all_files = vec![
            ("proc/self/cgroup", "0::/a/c\n"),
            ("proc/self/mountinfo", mounts.as_str()),
        ];
        all_files.extend(files);
        let tree = Tree::new(&all_files);
        assert_eq!(memory(tree.path()).limit_bytes, Some(expected), "{mounts}");
    }
}
