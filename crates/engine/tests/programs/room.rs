//! Loading without any memory left for code: it fails with a specific error, and works again when there is memory.

use std::ops::Range;

use engine::codegen::CodegenErrorKind;

use crate::harness::{self, Node};

/// The addresses where code may lie, without the lowest ones, which the kernel does not hand out.
const LOW: Range<usize> = 1 << 20..2 << 30;

/// Memory that was reserved so that nobody else can use it.
struct Taken(Vec<Range<usize>>);

/// Reserves all memory where code may lie: every gap between the existing mappings there.
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
        // SAFETY: it replaces no existing mapping, and nobody uses the new one.
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
            // SAFETY: mapped above, and used by nobody.
            unsafe { libc::munmap(range.start as *mut libc::c_void, range.len()) };
        }
    }
}

#[test]
fn without_memory_for_code_a_module_is_refused_and_others_go_on() {
    let _alone = crate::alone();
    let basic = harness::compile("basic", &[]);
    let mut node = Node::new();
    node.try_load("basic", &basic).unwrap();
    let taken = take_everything();
    let error = node.try_load("basic", &basic).unwrap_err();
    assert_eq!(error.kind, CodegenErrorKind::NoRoom);
    assert_eq!(node.call("basic", "fib", &[15]), "610");
    drop(taken);
    node.try_load("basic", &basic).unwrap();
    assert!(node.code("basic").native_bytes() > 0);
    assert_eq!(node.call("basic", "fib", &[16]), "987");
}
