//! The bombs: each is a clause of `run/1` in `tests/bombs/bombs.erl`, or in the module `bomb` of the guard's tests.

/// A way to take memory without end.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The beginning of the row in ARCHITECTURE.md's table of memory that it is for.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "tests see that each row has a bomb")
    )]
    pub(crate) memory: &'static str,
    pub(crate) needs_other_node: bool,
}

/// How bombs may end: by the guard, or because they were refused. Others do not end within the time that they have.
pub(crate) const ENDS: &[&str] = &[
    "memory_guard",
    "system_limit",
    "none",
    "refused",
    "emfile",
    "enomem",
    // Of who prints, when `user`, which makes the text, has ended for want of memory.
    "terminated",
];

const fn here(name: &'static str, memory: &'static str) -> Kind {
    Kind {
        name,
        memory,
        needs_other_node: false,
    }
}

const fn between(name: &'static str, memory: &'static str) -> Kind {
    Kind {
        name,
        memory,
        needs_other_node: true,
    }
}

const HEAPS: &str = "heaps, stacks";
const MESSAGES: &str = "messages:";
const BINARIES: &str = "shared binaries";
const OUTPUT: &str = "output that waits";
const PERSISTENT: &str = "persistent terms";

pub(crate) const KINDS: &[Kind] = &[
    here("list", HEAPS),
    here("double", HEAPS),
    here("map", HEAPS),
    here("dictionary", HEAPS),
    here("monitors", HEAPS),
    here("aliases", HEAPS),
    here("links", HEAPS),
    here("print", HEAPS),
    here("flood", MESSAGES),
    here("busy", MESSAGES),
    here("own_queue", MESSAGES),
    here("messages", MESSAGES),
    here("exits", MESSAGES),
    here("trace", MESSAGES),
    here("slow_logger", MESSAGES),
    between("remote_flood", MESSAGES),
    here("binary", BINARIES),
    here("append", BINARIES),
    here("copy", BINARIES),
    here("binaries", BINARIES),
    here("subbinaries", BINARIES),
    here("huge", BINARIES),
    here("external", BINARIES),
    here("zip", BINARIES),
    here("socket", BINARIES),
    here("timers", "timers"),
    here("timers_of_others", "timers"),
    here("tables", "ETS tables"),
    here("table", "ETS tables"),
    here("ordered", "ETS tables"),
    here("objects", "ETS tables"),
    here("processes", "many small processes"),
    here("ports", "ports, sockets"),
    here("sockets", "ports, sockets"),
    here("port", OUTPUT),
    here("never_busy_port", OUTPUT),
    here("tcp", OUTPUT),
    here("tcp_many", OUTPUT),
    between("stopped_node", OUTPUT),
    here("persistent", PERSISTENT),
    here("large_persistent", PERSISTENT),
    here("code", "code and literals"),
    here("atoms", "atoms"),
    here("resources", "native resources"),
    here("counters", "native resources"),
    here("pieces", "`enif_alloc`"),
    here("regex", "regular expressions"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project;

    /// The first cells of the table of memory.
    fn rows() -> Vec<String> {
        let text = std::fs::read_to_string(project::root().join("ARCHITECTURE.md")).unwrap();
        let (_, table) = text.split_once("<!-- ANCHOR: memory -->").unwrap();
        let (table, _) = table.split_once("<!-- ANCHOR_END: memory -->").unwrap();
        let cell = |line: &str| Some(line.strip_prefix("| ")?.split_once(" |")?.0.to_owned());
        table.lines().filter_map(cell).skip(1).collect()
    }

    #[test]
    fn each_row_of_the_table_of_memory_has_a_bomb() {
        let rows = rows();
        assert!(rows.len() > 10);
        for row in &rows {
            let has_bomb = KINDS.iter().any(|kind| row.starts_with(kind.memory));
            assert!(has_bomb, "no bomb for: {row}");
        }
        for kind in KINDS {
            let is_there = rows.iter().any(|row| row.starts_with(kind.memory));
            assert!(is_there, "no row begins with: {}", kind.memory);
        }
    }
}
