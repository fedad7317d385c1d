//! Loading when there is no memory for code left: an error that says so, and all is well again when there is some.

use std::ops::Range;

use engine::assemble::AssembleErrorKind;

use crate::machine::{self, Node};

/// Where code may lie, but for what the kernel gives nobody.
const LOW: Range<usize> = 1 << 20..2 << 30;

/// Memory of which nothing is left for others.
struct Taken(Vec<Range<usize>>);

/// Takes all memory where code may lie: every gap between what is mapped there.
fn take_everything() -> Taken {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let hexadecimal = |text: &str| usize::from_str_radix(text, 16).unwrap();
    let mut taken = Taken(Vec::new());
    let mut free_from = LOW.start;
    for line in maps.lines() {
        let (start, rest) = line.split_once('-').unwrap();
        let (start, end) = (
            hexadecimal(start),
            hexadecimal(rest.split(' ').next().unwrap()),
        );
        let gap = free_from..start.min(LOW.end);
        free_from = free_from.max(end);
        if gap.is_empty() {
            continue;
        }
        // SAFETY: replaces nothing; nobody uses it.
        let at = unsafe {
            libc::mmap(
                gap.start as *mut libc::c_void,
                gap.len(),
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
                -1,
                0,
            )
        };
        assert_eq!(at as usize, gap.start, "{gap:x?}");
        taken.0.push(gap);
    }
    taken
}

impl Drop for Taken {
    fn drop(&mut self) {
        for range in &self.0 {
            // SAFETY: mapped above, used by nobody.
            unsafe { libc::munmap(range.start as *mut libc::c_void, range.len()) };
        }
    }
}

#[test]
fn without_memory_for_code_a_module_is_refused_and_others_go_on() {
    let _alone = crate::alone();
    let basic = machine::compile("basic", &[]);
    let mut node = Node::new();
    node.try_load("basic", &basic).unwrap();
    let taken = take_everything();
    let error = node.try_load("basic", &basic).unwrap_err();
    assert_eq!(error.kind, AssembleErrorKind::NoRoom);
    assert_eq!(node.call("basic", "fib", &[15]), "610");
    drop(taken);
    node.try_load("basic", &basic).unwrap();
    assert!(node.code("basic").native_bytes() > 0);
    assert_eq!(node.call("basic", "fib", &[16]), "987");
}
