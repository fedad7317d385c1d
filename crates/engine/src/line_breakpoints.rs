//! Breakpoints at lines (OTP 28 and later): where a debugger may stop a process in the middle of a function.
//!
//! Code has them only if it is loaded for debuggers, from a file that was compiled for them. Then an instruction
//! (`bodies::debugger`) stands at each line that the file names, and reads its *place*: whether the breakpoint is set.
//! Places live as long as the code. Any thread may set or clear them while others run the code; they say nothing about
//! other memory, so all accesses are relaxed.

use core::sync::atomic::{AtomicBool, Ordering};

use beamfile::{Code as FileCode, Generic, Operand, Operation};

/// A line at which a process can be stopped. Several may have the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopLine {
    /// Index into [`beamfile::Lines::locations`].
    pub location: u32,
    /// What the file's table for debuggers says about it; counted from 0.
    pub index: u32,
    /// The function, by its place in the code.
    pub function: u32,
}

/// The breakpoints of a module's code.
#[derive(Debug)]
pub struct LineBreakpoints {
    /// In the order of the code.
    lines: Vec<StopLine>,
    /// Whether the breakpoint at each of them is set. A vector, since its elements are pointed to while it is moved.
    places: Vec<AtomicBool>,
}

impl LineBreakpoints {
    /// The lines, in the order of the code, and whether their breakpoints are set.
    pub fn lines(&self) -> impl Iterator<Item = (&StopLine, bool)> {
        let places = self
            .places
            .iter()
            .map(|place| place.load(Ordering::Relaxed));
        self.lines.iter().zip(places)
    }

    /// Sets or clears the breakpoints at all lines of which `is_meant` is true. Returns whether there is any.
    pub fn set(&self, is_set: bool, is_meant: impl Fn(&StopLine) -> bool) -> bool {
        let mut found = false;
        for (line, place) in self.lines.iter().zip(&self.places) {
            if is_meant(line) {
                place.store(is_set, Ordering::Relaxed);
                found = true;
            }
        }
        found
    }
}

/// The breakpoints of code that is being generated.
pub(crate) struct Plan {
    pub(crate) breakpoints: LineBreakpoints,
    /// The offset of the operation of each, in ascending order.
    offsets: Vec<u32>,
}

/// What an instruction needs.
pub(crate) struct Stop {
    pub(crate) place: *const AtomicBool,
    pub(crate) location: u32,
    /// As in [`StopLine::index`].
    pub(crate) index: u32,
    /// Number of live X registers.
    pub(crate) live: u64,
}

impl Plan {
    /// `is_line` says whether an atom of the file is `line`: the operation at the entry of a function, which is of
    /// another kind, is no place to stop.
    pub(crate) fn new(code: &FileCode, is_line: impl Fn(u32) -> bool) -> Plan {
        let mut lines = Vec::new();
        let mut offsets = Vec::new();
        for (function, number) in code.functions.iter().zip(0..) {
            for operation in code.body(function) {
                let Some((location, index, _)) = stop(code, operation, &is_line) else {
                    continue;
                };
                lines.push(StopLine {
                    location,
                    index,
                    function: number,
                });
                offsets.push(operation.offset);
            }
        }
        let places = lines.iter().map(|_| AtomicBool::new(false)).collect();
        Plan {
            breakpoints: LineBreakpoints { lines, places },
            offsets,
        }
    }

    /// What the instruction for an operation needs, if it is a place to stop.
    pub(crate) fn of(&self, code: &FileCode, operation: &Operation) -> Option<Stop> {
        let number = self.offsets.binary_search(&operation.offset).ok()?;
        let Generic::DebugLine { live, .. } = code.generic(operation) else {
            return None;
        };
        let line = &self.breakpoints.lines[number];
        Some(Stop {
            place: &raw const self.breakpoints.places[number],
            location: line.location,
            index: line.index,
            live,
        })
    }
}

/// The location, the index and the live registers of a `debug_line` operation at which a process can be stopped.
fn stop(
    code: &FileCode,
    operation: &Operation,
    is_line: impl Fn(u32) -> bool,
) -> Option<(u32, u32, u64)> {
    let Generic::DebugLine {
        kind: Operand::Atom(kind),
        line: location,
        index,
        live,
    } = code.generic(operation)
    else {
        return None;
    };
    // Without a location nobody can name it.
    let index = u32::try_from(index).ok()?.checked_sub(1)?;
    (is_line(kind) && location != 0).then_some((location, index, live))
}
