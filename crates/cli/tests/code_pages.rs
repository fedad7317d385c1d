//! The pages of machine code of a real node, as the system lists them.
#![cfg(target_arch = "x86_64")]

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use stock::Talking;

/// A node that runs an expression and says `ready` in it; it ends with this.
struct Node(Talking);

impl Node {
    fn start(expression: &str) -> Node {
        let mut command: Command = stock::ferl_on_25(env!("CARGO_BIN_EXE_ferl"));
        command
            .args(["+code_calls", "0", "-noshell", "-eval", expression])
            .stdin(Stdio::null());
        let mut node = Talking::start(&mut command);
        assert_eq!(node.line(), "ready");
        Node(node)
    }

    /// Start, access and name of each range of memory.
    fn ranges(&self) -> Vec<(u64, String, String)> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.0.program.id())).unwrap();
        let range = |line: &str| {
            let mut fields = line.split_whitespace();
            let start = fields.next()?.split('-').next()?;
            let start = u64::from_str_radix(start, 16).ok()?;
            let access = fields.next()?.to_owned();
            Some((start, access, fields.nth(3).unwrap_or_default().to_owned()))
        };
        maps.lines().map(|line| range(line).expect(line)).collect()
    }
}

#[test]
fn no_page_is_writable_and_executable_while_breakpoints_are_set() {
    let node = Node::start(
        r#"Trace = fun(On) -> [erlang:trace_pattern({M, '_', '_'}, On, [local]) || M <- [lists, maps, io_lib, string]] end,
        io:put_chars("ready\n"), (fun Again() -> Trace(true), Trace(false), Again() end)()."#,
    );
    let mut has_code = false;
    for _ in 0..1500 {
        for (start, access, name) in node.ranges() {
            let is_both = access.contains('w') && access.contains('x');
            assert!(!is_both, "{start:#x} is {access} ({name})");
            has_code |= access.contains('x') && start < 1 << 31;
        }
    }
    assert!(has_code, "no machine code was seen");
}

#[test]
fn code_lies_elsewhere_in_each_run() {
    let firsts: BTreeSet<u64> = (0..4)
        .map(|_| {
            let node = Node::start("io:put_chars(\"ready\\n\"), timer:sleep(infinity).");
            let ranges = node.ranges();
            let code = ranges
                .iter()
                .find(|(start, access, _)| access.contains('x') && (*start) < 1 << 31);
            code.expect("machine code").0
        })
        .collect();
    // Of 2^18 pages each.
    assert!(firsts.len() > 2, "{firsts:x?}");
}
