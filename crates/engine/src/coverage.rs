//! Native coverage (OTP 27 and later): what of a module has run, or how often.
//!
//! The mode is chosen when a module is loaded, and code that is loaded without one has no instruction for it. With one,
//! an instruction (`bodies::coverage`) stands at the entry of each function, or at each line that the file calls
//! executable. It writes to its *place*, a byte or a counter, which lives as long as the code.
//!
//! Any scheduler that runs the code writes, and any thread may read or clear the places meanwhile. A byte is only ever
//! set, so whoever comes second writes the same. A counter is added to in one step of the processor, as on stock: no
//! call is lost when several schedulers run the same line. Places say nothing about other memory, so all accesses are
//! relaxed.

use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use beamfile::{Code as FileCode, Function, Generic, Operation};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageMode {
    /// Whether a function has been called.
    Function,
    /// How often.
    FunctionCounters,
    /// Whether a line has run.
    Line,
    /// How often.
    LineCounters,
}

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    HasRun(bool),
    Times(u64),
}

/// A place of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoveredLine {
    /// Index into [`beamfile::Lines::locations`].
    pub location: u32,
    /// The number by which `cover` knows the line.
    pub cover_id: u32,
    /// The function that the line counts for, by its place in the code.
    function: u32,
}

/// The places of a module's code.
#[derive(Debug)]
pub struct Coverage {
    mode: CoverageMode,
    /// The number of functions.
    functions: usize,
    places: Places,
    /// In the modes of lines: what each place stands for, in the order of the code.
    lines: Vec<CoveredLine>,
}

/// Vectors, since their elements may be pointed to while they are moved.
#[derive(Debug)]
enum Places {
    Marks(Vec<AtomicU8>),
    Counters(Vec<AtomicU64>),
}

/// The address of a place.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Mark(*const AtomicU8),
    Counter(*const AtomicU64),
}

impl CoverageMode {
    pub const ALL: [CoverageMode; 4] = [
        CoverageMode::Function,
        CoverageMode::FunctionCounters,
        CoverageMode::Line,
        CoverageMode::LineCounters,
    ];

    /// As programs and flags call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CoverageMode::Function => "function",
            CoverageMode::FunctionCounters => "function_counters",
            CoverageMode::Line => "line",
            CoverageMode::LineCounters => "line_counters",
        }
    }

    /// Whether it counts lines, of which only files that say which are executable have any.
    #[must_use]
    pub fn is_of_lines(self) -> bool {
        matches!(self, CoverageMode::Line | CoverageMode::LineCounters)
    }

    fn counts(self) -> bool {
        matches!(
            self,
            CoverageMode::FunctionCounters | CoverageMode::LineCounters
        )
    }
}

impl Coverage {
    fn new(mode: CoverageMode, functions: usize, lines: Vec<CoveredLine>) -> Coverage {
        let places = if mode.is_of_lines() {
            lines.len()
        } else {
            functions
        };
        let places = if mode.counts() {
            Places::Counters((0..places).map(|_| AtomicU64::new(0)).collect())
        } else {
            Places::Marks((0..places).map(|_| AtomicU8::new(0)).collect())
        };
        Coverage {
            mode,
            functions,
            places,
            lines,
        }
    }

    #[must_use]
    pub fn mode(&self) -> CoverageMode {
        self.mode
    }

    /// What is known of each function, in the order of the code. A mode of lines only tells whether any line of it has
    /// run.
    #[must_use]
    pub fn functions(&self) -> Vec<Covered> {
        if !self.mode.is_of_lines() {
            return (0..self.functions).map(|number| self.at(number)).collect();
        }
        let mut functions = vec![Covered::HasRun(false); self.functions];
        for (place, line) in self.lines.iter().enumerate() {
            if !matches!(self.at(place), Covered::HasRun(false) | Covered::Times(0)) {
                functions[line.function as usize] = Covered::HasRun(true);
            }
        }
        functions
    }

    /// The lines, in the order of the code; empty in the modes of functions.
    pub fn lines(&self) -> impl Iterator<Item = (&CoveredLine, Covered)> {
        let lines = self.lines.iter().enumerate();
        lines.map(|(place, line)| (line, self.at(place)))
    }

    /// Begins anew. What runs meanwhile counts or not.
    pub fn reset(&self) {
        match &self.places {
            Places::Marks(marks) => marks
                .iter()
                .for_each(|mark| mark.store(0, Ordering::Relaxed)),
            Places::Counters(counters) => counters
                .iter()
                .for_each(|counter| counter.store(0, Ordering::Relaxed)),
        }
    }

    fn at(&self, place: usize) -> Covered {
        match &self.places {
            Places::Marks(marks) => Covered::HasRun(marks[place].load(Ordering::Relaxed) != 0),
            Places::Counters(counters) => Covered::Times(counters[place].load(Ordering::Relaxed)),
        }
    }

    fn place(&self, place: usize) -> Place {
        match &self.places {
            Places::Marks(marks) => Place::Mark(&raw const marks[place]),
            Places::Counters(counters) => Place::Counter(&raw const counters[place]),
        }
    }
}

/// The places of code that is being generated, and where they are written to.
pub(crate) struct Plan {
    pub(crate) coverage: Coverage,
    /// The places of `executable_line` operations, by the offset of the operation, in ascending order.
    by_operation: Vec<(u32, usize)>,
}

impl Plan {
    pub(crate) fn new(mode: CoverageMode, code: &FileCode) -> Plan {
        let mut rows = Rows::default();
        for (number, function) in code.functions.iter().enumerate() {
            if mode.is_of_lines() {
                rows.function(number as u32, code, function);
            }
        }
        Plan {
            coverage: Coverage::new(mode, code.functions.len(), rows.lines),
            by_operation: rows.by_operation,
        }
    }

    /// The place that the entry of a function writes to.
    pub(crate) fn of_function(&self, number: usize) -> Option<Place> {
        (!self.coverage.mode.is_of_lines()).then(|| self.coverage.place(number))
    }

    /// The place that an `executable_line` operation writes to.
    pub(crate) fn of_line(&self, operation: &Operation) -> Option<Place> {
        let offset = |&(offset, _): &(u32, usize)| offset;
        let found = self
            .by_operation
            .binary_search_by_key(&operation.offset, offset);
        let (_, place) = self.by_operation[found.ok()?];
        Some(self.coverage.place(place))
    }
}

/// Gives places to lines as stock does. It has a table of the lines of all code, in which a line that follows itself
/// has one row, and a place for each row that an `executable_line` refers to. So clauses on one line may share a place,
/// also those that `cover` numbers differently: the last number counts.
#[derive(Default)]
struct Rows {
    lines: Vec<CoveredLine>,
    by_operation: Vec<(u32, usize)>,
    latest: Option<Row>,
}

struct Row {
    location: u32,
    function: u32,
    place: Option<usize>,
}

impl Rows {
    fn function(&mut self, number: u32, code: &FileCode, function: &Function) {
        if function.line != 0 {
            // The beginning of a function has a row of its own.
            self.latest = None;
            self.row(number, function.line);
        }
        for operation in code.body(function) {
            match code.generic(operation) {
                Generic::Line { line } if line != 0 => {
                    self.row(number, line);
                }
                Generic::ExecutableLine { line, index } => {
                    let place = self.place(number, line, index as u32);
                    self.by_operation.push((operation.offset, place));
                }
                _ => (),
            }
        }
    }

    /// The row of a line.
    fn row(&mut self, function: u32, location: u32) -> &mut Row {
        self.latest.take_if(|row| row.location != location);
        self.latest.get_or_insert(Row {
            location,
            function,
            place: None,
        })
    }

    /// The place of an executable line.
    fn place(&mut self, function: u32, location: u32, cover_id: u32) -> usize {
        let next = self.lines.len();
        let row = self.row(function, location);
        let place = *row.place.get_or_insert(next);
        let line = CoveredLine {
            location,
            cover_id,
            function: row.function,
        };
        if place == next {
            self.lines.push(line);
        } else {
            self.lines[place] = line;
        }
        place
    }
}
