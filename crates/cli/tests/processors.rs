//! The schedulers online follow the processor quota of a real control group of version 1, also while it changes. With
//! OTP 25.

use std::path::PathBuf;
use std::process::Command;

use stock::Talking;

/// A control group, and its removal.
struct Group(PathBuf);

impl Group {
    /// `None`, with a line that says so, where there are no such groups or they cannot be made.
    fn new(name: &str) -> Option<Group> {
        let path = PathBuf::from(format!(
            "/sys/fs/cgroup/cpu/ferl-{name}-{}",
            std::process::id()
        ));
        let group = std::fs::create_dir(&path).map(|()| Group(path));
        match group {
            Ok(group) if group.0.join("cpu.cfs_quota_us").exists() => Some(group),
            Ok(_) => {
                println!("left out: /sys/fs/cgroup/cpu is no control group of version 1");
                None
            }
            Err(error) => {
                println!("left out: no control group can be made: {error}");
                None
            }
        }
    }

    /// Allows so many hundredths of a processor.
    fn allow(&self, percent: u32) {
        let quota_us = (percent * 1000).to_string();
        std::fs::write(self.0.join("cpu.cfs_quota_us"), quota_us).unwrap();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// A node in a group that prints its schedulers, those online and the dirty ones online, whenever these change.
struct Node(Talking);

impl Node {
    fn start(group: &Group, flags: &[&str]) -> Node {
        let print = "Items = [schedulers, schedulers_online, dirty_cpu_schedulers_online], \
            Loop = fun Loop(Before) -> \
                Now = [erlang:system_info(Item) || Item <- Items], \
                Now =:= Before orelse io:format(\"~w~n\", [Now]), \
                timer:sleep(50), Loop(Now) \
            end, Loop(none).";
        let ferl = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ > \"$0\"; exec \"$@\""])
            .arg(group.0.join("cgroup.procs"))
            .arg(ferl.get_program())
            .args(ferl.get_args())
            .args(flags)
            .args(["-noshell", "-eval", print]);
        for (name, value) in ferl.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Node(Talking::start(&mut command))
    }

    /// Reads until this line. The numbers do not change all at once.
    #[track_caller]
    fn expect(&mut self, expected: &str) {
        let lines: Vec<String> = (0..3)
            .map(|_| self.0.line())
            .take_while(|line| line != expected)
            .collect();
        assert!(lines.len() < 3, "{lines:?}, not {expected}");
    }
}

#[test]
fn schedulers_follow_a_quota_that_changes() {
    let Some(group) = Group::new("follows") else {
        return;
    };
    let processors = sys::cpu::known().processors.available;
    let most = processors.min(8);
    group.allow(50);
    let mut node = Node::start(&group, &[]);
    node.expect(&format!("[{most},1,1]"));
    let two = processors.min(2);
    if two == 2 {
        group.allow(200);
        node.expect(&format!("[{most},2,2]"));
        group.allow(90);
        node.expect(&format!("[{most},1,1]"));
    } else {
        println!("left out: there is only one processor");
    }
}

#[test]
fn schedulers_that_a_flag_has_set_stay() {
    let Some(group) = Group::new("stays") else {
        return;
    };
    group.allow(200);
    let mut node = Node::start(&group, &["+S", "3:3"]);
    let first = node.0.line();
    assert!(first.starts_with("[3,3,"), "{first}");
    group.allow(50);
    // Nothing more is printed while the schedulers that could change are looked at some times.
    std::thread::sleep(std::time::Duration::from_secs(3));
    drop(node.0.program.kill());
    assert_eq!(node.0.line(), "");
}
