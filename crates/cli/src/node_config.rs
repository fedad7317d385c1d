//! Converts the configuration from the command line to the machine's configuration.

use isa::flags;

use runtime::process::config::CoverageMode;

use crate::config::{
    BreakMode, BusyWait, Config, FileNameEncoding, FileNameWarning, MessageQueueData, PerfSupport,
    PrintableRange,
};
use crate::launch::Flavor;

/// How many times a scheduler looks for work before it sleeps, for a value of `+sbwt`; each time takes about a
/// microsecond.
fn busy_wait_spins(wait: BusyWait) -> usize {
    match wait {
        BusyWait::None => 0,
        BusyWait::VeryShort => 5,
        BusyWait::Short => 20,
        BusyWait::Medium => 100,
        BusyWait::Long => 500,
        BusyWait::VeryLong => 2_000,
    }
}

/// The mode of coverage for a value of `+JPcover`.
fn coverage(word: &str) -> Option<CoverageMode> {
    let mut modes = CoverageMode::ALL.into_iter();
    match word {
        "true" => Some(CoverageMode::LineCounters),
        name => modes.find(|mode| mode.name() == name),
    }
}

/// The machine's configuration.
#[must_use]
pub fn config(config: Config) -> runtime::Config {
    let one_if_not_smp = |count: u32| if config.smp { count as usize } else { 1 };
    runtime::Config {
        schedulers: one_if_not_smp(config.schedulers),
        schedulers_online: one_if_not_smp(config.schedulers_online),
        dirty_cpu_schedulers: one_if_not_smp(config.dirty_cpu_schedulers),
        dirty_cpu_schedulers_online: one_if_not_smp(config.dirty_cpu_schedulers_online),
        dirty_io_schedulers: config.dirty_io_schedulers as usize,
        root_dir: config.root_dir,
        preloaded_dir: config.preloaded_dir,
        release: config.release,
        erts_version: config.erts_version,
        init_args: config.init_args,
        emulator_args: config.emulator_args,
        boot_module: config.boot_module,
        smp: config.smp,
        bind_type: flags::BIND_TYPES[config.bind_type as usize].to_owned(),
        bind_if_possible: config.bind_if_possible,
        machine_code: config.flavor != Flavor::Emu,
        code_calls: config.code_calls,
        perf_map: matches!(config.perf, PerfSupport::Both | PerfSupport::Map),
        perf_dump: matches!(config.perf, PerfSupport::Both | PerfSupport::Dump),
        coverage: coverage(config.coverage),
        debugger: config.debugger,
        line_breakpoints: config.line_breakpoints,
        profile: config.profile.map(|path| (path, config.profile_hz)),
        busy_wait_spins: busy_wait_spins(config.busy_wait),
        async_threads: config.async_threads as usize,
        process_limit: config.process_limit as usize,
        port_limit: config.port_limit as usize,
        atom_limit: config.atom_limit as usize,
        ets_limit: config.ets_limit as usize,
        min_heap_words: config.min_heap_size_words,
        min_binary_words: u64::from(config.min_bin_vheap_size_words),
        max_heap_words: config.max_heap_size_words,
        max_heap_kill: config.max_heap_kill,
        max_heap_log: config.max_heap_log,
        off_heap_messages: config.message_queue_data == MessageQueueData::OffHeap,
        fullsweep_after: config.fullsweep_after,
        port_parallelism: config.port_parallelism,
        native_checks: config.native_checks,
        native_libraries: config.native_libraries,
        dist_busy_limit_bytes: config.dist_busy_limit_bytes as usize,
        node_table_gc_delay_s: config.node_table_gc_delay_s,
        time_warp_mode: flags::TIME_WARPS[config.time_warp_mode as usize].to_owned(),
        time_correction: config.time_correction,
        printable_range: match config.printable_range {
            PrintableRange::Latin1 => "latin1".to_owned(),
            PrintableRange::Unicode => "unicode".to_owned(),
        },
        file_names_utf8: match config.file_name_encoding {
            FileNameEncoding::Latin1 => false,
            FileNameEncoding::Utf8 => true,
            FileNameEncoding::Default | FileNameEncoding::Locale => sys::locale::is_utf8(),
        },
        wrong_file_names: match config.file_name_warning {
            FileNameWarning::Warn => "warning",
            FileNameWarning::Ignore => "ignore",
            FileNameWarning::Error => "error",
        }
        .to_owned(),
        break_mode: match config.break_mode {
            BreakMode::Menu => runtime::process::config::BreakMode::Menu,
            BreakMode::Default => runtime::process::config::BreakMode::Default,
            BreakMode::InterruptShell => runtime::process::config::BreakMode::InterruptShell,
            BreakMode::Ignore => runtime::process::config::BreakMode::Ignore,
        },
        crash_dump: config.crash_dump,
        warnings: flags::WARNING_LEVELS[config.warnings_map as usize].to_owned(),
    }
}
