//! The sections about the whole node: the header, schedulers, memory, the VM's tables, loaded code, and atoms.

use std::fmt::{self, Write};
use std::sync::atomic::Ordering;

use term::print::display;
use term::{atom, node};

use super::output::Output;
use super::tables::View;
use super::{Form, LOCK_PATIENCE, processes};
use layout::FunEntry;
use runtime::code;
use runtime::code::modules::Loaded;
use runtime::mail::{current, schedulers};
use runtime::process::{Priority, table};
use window::figures::memory;

/// The version of the crash dump format.
const VERSION: &str = "0.5";

pub(super) fn header(out: &mut Output, slogan: &str) -> fmt::Result {
    writeln!(out, "=erl_crash_dump:{VERSION}")?;
    let seconds = sys::clock::system_ns().div_euclid(1_000_000_000);
    writeln!(out, "{}", sys::clock::calendar::local_text(seconds))?;
    writeln!(out, "Slogan: {slogan}")?;
    write!(out, "System version: {}", bifs::system_version())?;
    out.text("Taints: \n")?;
    writeln!(out, "Atoms: {}", atom::count())?;
    match current::current_number() {
        0 => {
            let thread = std::thread::current();
            writeln!(
                out,
                "Calling Thread: {}",
                thread.name().unwrap_or("without a name")
            )
        }
        number => writeln!(out, "Calling Thread: scheduler:{number}"),
    }
}

pub(super) fn schedulers(out: &mut Output, view: &View) -> fmt::Result {
    let Some(schedulers) = schedulers::schedulers_if_made() else {
        return Ok(());
    };
    for shared in &schedulers.all {
        writeln!(out, "=scheduler:{}", shared.index + 1)?;
        let sleeps = shared.asleep_since_ns.load(Ordering::Relaxed) != 0;
        let flags = if sleeps { "SLEEPING | WAITING" } else { "" };
        writeln!(out, "Scheduler Sleep Info Flags: {flags}")?;
        out.text("Scheduler Sleep Info Aux Work: \nCurrent Port: \n")?;
        let lengths = shared.queue_lengths();
        for (name, priority) in [
            ("Max", Priority::Max),
            ("High", Priority::High),
            ("Normal", Priority::Normal),
            ("Low", Priority::Low),
        ] {
            let length = lengths[priority as usize];
            writeln!(out, "Run Queue {name} Length: {length}")?;
        }
        out.text("Run Queue Port Length: 0\n")?;
        let work = if lengths.iter().any(|length| *length > 0) {
            "NONEMPTY"
        } else {
            "OUT_OF_WORK"
        };
        writeln!(out, "Run Queue Flags: {work}")?;
        match shared.index + 1 == current::current_number() {
            true => processes::current(out, view)?,
            false => out.text("Current Process: \n")?,
        }
    }
    Ok(())
}

/// The sections that are also the result of `system_info(info)`.
pub(super) fn info(out: &mut Output, view: &View) -> fmt::Result {
    out.text("=memory\n")?;
    let ets = memory::ets_bytes(&view.tables, LOCK_PATIENCE);
    let code: usize = view
        .modules
        .iter()
        .flat_map(|(_, versions)| [&versions.current, &versions.old])
        .flatten()
        .map(|loaded| loaded.code.size_bytes())
        .sum();
    for (name, bytes) in memory::figures_of(code as u64, ets) {
        writeln!(out, "{name}: {bytes}")?;
    }
    let modules = view.modules.len();
    let mut funs = 0;
    code::funs::each_within(LOCK_PATIENCE, |_| funs += 1);
    let hashes = [
        ("atom_tab", atom::count()),
        ("module_code", modules),
        (
            "export_list",
            code::exports::count_within(LOCK_PATIENCE).unwrap_or(0),
        ),
        ("process_reg", view.names.len()),
        ("fun_table", funs),
        ("node_table", 1),
        ("dist_table", 1),
    ];
    for (name, entries) in hashes {
        // Hash tables of the standard library grow once they are seven eighths full.
        let size = (entries * 8 / 7).next_power_of_two();
        writeln!(
            out,
            "=hash_table:{name}\nsize: {size}\nused: {entries}\nobjs: {entries}\ndepth: 1"
        )?;
        let limit = match name {
            "atom_tab" => atom::limit(),
            "module_code" => 65_536,
            "export_list" => 524_288,
            _ => continue,
        };
        writeln!(
            out,
            "=index_table:{name}\nsize: {entries}\nlimit: {limit}\nentries: {entries}"
        )?;
    }
    out.text("=allocated_areas\n")?;
    let (atoms, texts) = atom::memory();
    writeln!(out, "atom_space: {texts} {texts}")?;
    writeln!(out, "atom_table: {}", atoms - texts)?;
    writeln!(out, "loaded_code: {code}")?;
    writeln!(out, "process_table: {}", table::limit() * 8)?;
    out.text("=allocator:mimalloc\noption e: true\noption m: mimalloc\n")
}

pub(super) fn distribution(out: &mut Output) -> fmt::Result {
    let name = node::own_name();
    writeln!(out, "=node:{}", display(name))?;
    if name == term::am::NONODE_NOHOST {
        out.text("=no_distribution\n")?;
    }
    Ok(())
}

pub(super) fn loaded(out: &mut Output, view: &View, form: Form) -> fmt::Result {
    let size = |loaded: &Loaded| loaded.code.size_bytes() + loaded.literals.words * 8;
    let sum = |old: bool| -> usize {
        view.modules
            .iter()
            .filter_map(|(_, versions)| {
                let version = if old {
                    &versions.old
                } else {
                    &versions.current
                };
                version.as_deref().map(size)
            })
            .sum()
    };
    writeln!(out, "Current code: {}", sum(false))?;
    writeln!(out, "Old code: {}", sum(true))?;
    for (name, versions) in &view.modules {
        let (current, old) = (versions.current.as_deref(), versions.old.as_deref());
        let current_size = current.map_or(0, size);
        if form == Form::Live {
            write!(out, "{} {current_size}", display(*name))?;
            if let Some(old) = old {
                write!(out, " ({} old)", size(old))?;
            }
            out.text("\n")?;
            continue;
        }
        writeln!(out, "=mod:{}", display(*name))?;
        writeln!(out, "Current size: {current_size}")?;
        if let Some(current) = current {
            chunk(out, "Current attributes: ", &current.attributes)?;
            chunk(out, "Current compilation info: ", &current.compile_info)?;
        }
        if let Some(old) = old {
            writeln!(out, "Old size: {}", size(old))?;
            chunk(out, "Old attributes: ", &old.attributes)?;
            chunk(out, "Old compilation info: ", &old.compile_info)?;
        }
    }
    Ok(())
}

fn chunk(out: &mut Output, name: &str, bytes: &[u8]) -> fmt::Result {
    if bytes.is_empty() {
        return Ok(());
    }
    out.text(name)?;
    out.base64(bytes)?;
    out.text("\n")
}

pub(super) fn funs(out: &mut Output) -> fmt::Result {
    let mut result = Ok(());
    code::funs::each_within(LOCK_PATIENCE, |entry| {
        if result.is_ok() {
            result = fun(out, entry);
        }
    });
    result
}

fn fun(out: &mut Output, entry: &FunEntry) -> fmt::Result {
    writeln!(out, "=fun\nModule: {}", display(entry.module))?;
    writeln!(
        out,
        "Uniq: {}\nIndex: {}",
        entry.old_unique, entry.old_index
    )?;
    let code = entry.code.load(Ordering::Relaxed);
    // The funs that code makes are not counted.
    writeln!(out, "Address: {code:#018x?}\nRefc: 1")
}

pub(super) fn atoms(out: &mut Output) -> fmt::Result {
    out.text("=atoms\n")?;
    for index in (0..atom::count() as u32).rev() {
        writeln!(out, "{}", display(layout::Term::atom(index)))?;
    }
    Ok(())
}
