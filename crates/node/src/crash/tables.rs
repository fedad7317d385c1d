//! A snapshot of the shared tables from the beginning of the dump, each read under its lock if that was acquired in
//! time; and the sections about ETS tables, timers and ports.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use layout::Term;
use term::heap::Scratch;
use term::print::display;

use super::Form;
use super::output::Output;
use super::{LOCK_PATIENCE, heaps};
use ets::ObjectRef;
use ets::Part;
use ets::options::WriteConcurrency;
use ets::table::{Table, Words};
use runtime::code;
use runtime::code::modules::Versions;
use runtime::effects::port::{self, Port};
use runtime::mail::{registry, timer};

/// The snapshot of the shared tables; those whose lock was not acquired are empty.
pub(super) struct View {
    /// Registered names by pid or port.
    pub names: HashMap<Term, Term>,
    /// Loaded modules, in the order in which they were first loaded.
    pub modules: Vec<(Term, Versions)>,
    /// Whether code addresses can be looked up.
    pub knows_code: bool,
    pub ports: Vec<Arc<Port>>,
    pub tables: Vec<Arc<Table>>,
}

impl View {
    pub(super) fn take() -> View {
        let modules = code::modules::all_within(LOCK_PATIENCE);
        View {
            names: registry::all_within(LOCK_PATIENCE).unwrap_or_default(),
            knows_code: modules.is_some() && code::exports::count_within(LOCK_PATIENCE).is_some(),
            modules: modules.unwrap_or_default(),
            ports: port::all_within(LOCK_PATIENCE),
            tables: ets::registry::all_within(LOCK_PATIENCE).unwrap_or_default(),
        }
    }

    /// Module, function, arity and offset in bytes of a code address.
    pub(super) fn place(&self, address: *const u64) -> Option<(Term, Term, u32, usize)> {
        if !self.knows_code {
            return None;
        }
        let loaded = code::find_code(address)?;
        let place = loaded.code.place(address)?;
        let offset = (address as usize).saturating_sub(place.entry as usize);
        Some((place.module, place.function, place.arity, offset))
    }

    /// Writes a code address as `M:F/A + Offset`.
    pub(super) fn write_place(&self, out: &mut Output, address: *const u64) -> fmt::Result {
        if address as u64 == engine::start::process_end() as u64 {
            return out.text("<terminate process normally>");
        }
        match self.place(address) {
            Some((module, function, arity, offset)) => write!(
                out,
                "{}:{}/{arity} + {offset}",
                display(module),
                display(function)
            ),
            None => out.text("unknown function"),
        }
    }
}

pub(super) fn ports(out: &mut Output, view: &View, form: Form) -> fmt::Result {
    for port in &view.ports {
        let name = |term| form.name(term);
        port::report(out, port, &view.names, name, LOCK_PATIENCE)?;
    }
    Ok(())
}

pub(super) fn ets(out: &mut Output, view: &View, form: Form) -> fmt::Result {
    for table in &view.tables {
        one_table(out, table, form)?;
    }
    Ok(())
}

/// Describes one ETS table; for a live node, also the contents of a hash table, slot by slot.
fn one_table(out: &mut Output, table: &Arc<Table>, form: Form) -> fmt::Result {
    let mut chains = Chains::default();
    let (mut objects, mut kept, mut first_slot) = (0, 0, 0);
    let mut contents = String::new();
    let mut words = Words::of(table);
    // With a timeout, because this thread itself may have been changing the table when it crashed.
    table.each_part_within(LOCK_PATIENCE, |part| {
        objects += part.objects();
        words.add(part);
        if let Part::Hash(shard) = part {
            for slot in 0..shard.slots() {
                let (live, marked) = shard.chain_length(slot);
                chains.add(live + marked);
                kept += marked;
                if matches!(form, Form::Live) && live + marked > 0 {
                    let number = first_slot + slot;
                    show_slot(&mut contents, number, shard.all_in_slot(slot), table);
                }
            }
            first_slot += shard.slots();
        }
    });
    let options = &table.options;
    writeln!(out, "=ets:{}", form.name(table.owner()))?;
    writeln!(out, "Slot: {}", table.number)?;
    if options.named {
        writeln!(out, "Table: {}", display(table.name()))?;
    } else {
        let mut scratch = Scratch::new();
        let reference = term::reference::with_number(scratch.heap(), table.number, 0);
        writeln!(out, "Table: {}", display(reference))?;
    }
    writeln!(out, "Name: {}", display(table.name()))?;
    if options.kind == ets::TableKind::OrderedSet {
        out.text("Ordered set (AVL tree), Elements: ")?;
        writeln!(out, "{objects}")?;
    } else {
        chains.write(out)?;
        match table.fixation.is_fixed() {
            true => writeln!(out, "Fixed: {kept}")?,
            false => out.text("Fixed: false\n")?,
        }
        out.text(&contents)?;
    }
    writeln!(out, "Objects: {objects}")?;
    writeln!(out, "Words: {}", words.total(table))?;
    writeln!(out, "Type: {}", display(options.kind.atom()))?;
    writeln!(out, "Protection: {}", display(table.protection().atom()))?;
    writeln!(out, "Compressed: {}", options.compressed)?;
    let concurrency = match options.write_concurrency {
        WriteConcurrency::No => "false",
        WriteConcurrency::Yes | WriteConcurrency::Locks(_) => "true",
        WriteConcurrency::Auto => "auto",
    };
    writeln!(out, "Write Concurrency: {concurrency}")?;
    writeln!(out, "Read Concurrency: {}", options.read_concurrency)
}

/// Writes a line with the objects of a slot: only the keys if the table is compressed; a star marks deleted objects.
fn show_slot<'a>(
    text: &mut String,
    number: usize,
    objects: impl Iterator<Item = ObjectRef<'a>>,
    table: &Table,
) {
    let _ = write!(text, "{number}: [");
    for (place, object) in objects.enumerate() {
        let mut scratch = Scratch::new();
        let before = if place > 0 { "," } else { "" };
        let star = if object.is_deleted() { "*" } else { "" };
        let _ = if table.options.compressed {
            let key = object.key(table.options.keypos);
            write!(text, "{before}{star}key={}", display(key))
        } else {
            let tuple = object.copy_to(scratch.heap());
            write!(text, "{before}{star}{}", display(tuple))
        };
    }
    text.push_str("]\n");
}

/// Statistics of the chain lengths of a hash table.
#[derive(Default)]
struct Chains {
    count: usize,
    sum: usize,
    squares: usize,
    least: Option<usize>,
    most: usize,
}

impl Chains {
    fn add(&mut self, length: usize) {
        self.count += 1;
        self.sum += length;
        self.squares += length * length;
        self.least = Some(self.least.map_or(length, |least| least.min(length)));
        self.most = self.most.max(length);
    }

    fn write(&self, out: &mut Output) -> fmt::Result {
        let count = self.count.max(1) as f64;
        let mean = self.sum as f64 / count;
        let variance = (self.squares as f64 / count - mean * mean).max(0.0);
        writeln!(out, "Buckets: {}", self.count)?;
        writeln!(out, "Chain Length Avg: {mean:.6}")?;
        writeln!(out, "Chain Length Max: {}", self.most)?;
        writeln!(out, "Chain Length Min: {}", self.least.unwrap_or(0))?;
        writeln!(out, "Chain Length Std Dev: {:.6}", variance.sqrt())?;
        let expected = (mean * (1.0 - 1.0 / count)).max(0.0).sqrt();
        writeln!(out, "Chain Length Expected Std Dev: {expected:.6}")
    }
}

pub(super) fn timers(out: &mut Output) -> fmt::Result {
    let now_ns = runtime::mail::time::clock_ns();
    let mut result = Ok(());
    timer::messages_within(LOCK_PATIENCE, &mut |to, message, deadline_ns| {
        if result.is_err() {
            return;
        }
        let left_ms = (deadline_ns - now_ns).max(0) / 1_000_000;
        result = write!(out, "=timer:{}\nMessage: ", Form::Dump.name(to))
            .and_then(|()| write!(out, "{}", display(message)))
            .and_then(|()| writeln!(out, "\nTime left: {left_ms}"));
    });
    result
}

/// The keys and values of persistent terms, if their lock was acquired in time.
pub(super) fn persistent_terms() -> Vec<(Term, Term)> {
    bifs::persistent_terms_within(LOCK_PATIENCE).unwrap_or_default()
}

pub(super) fn write_persistent_terms(out: &mut Output, pairs: &[(Term, Term)]) -> fmt::Result {
    out.text("=persistent_terms\n")?;
    for (key, value) in pairs {
        heaps::element(out, *key)?;
        out.text("|")?;
        heaps::element(out, *value)?;
        out.text("\n")?;
    }
    Ok(())
}
