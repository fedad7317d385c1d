//! The configuration of a node, filled in from the command line.

use std::path::PathBuf;
use std::sync::OnceLock;

use spec::flags::{FlagValues, Word};
use term::release::Release;

/// The effect of Ctrl-C. Of several that are asked for, the last of these holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakMode {
    /// Opens the break menu.
    Menu,
    /// Ends the node, by the system's default action (`+B`, `+Bd`).
    Default,
    /// Is an ordinary key for the terminal; the Erlang shell handles it (`+Bc`).
    InterruptShell,
    /// Is ignored, as are the keys that quit and stop (`+Bi`).
    Ignore,
}

/// The settings of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The values of flags that are used as they were given.
    pub flags: FlagValues,
    /// OTP's root directory, with `lib`, `releases` and `bin`.
    pub root_dir: PathBuf,
    /// The OTP release, such as 25.
    pub release: Release,
    /// The version of stock's emulator in that release (`erlang:system_info(version)`).
    pub erts_version: String,
    /// The argument of `erl_init:start/2`: everything after the first `--` of the command line.
    pub init_args: Vec<Vec<u8>>,
    /// The words before the first `--`, with `-` in place of `+` (`erlang:system_info(emu_args)` of stock).
    pub emulator_args: Vec<Vec<u8>>,
    pub schedulers: usize,
    /// At most `schedulers`.
    pub schedulers_online: usize,
    pub dirty_cpu_schedulers: usize,
    /// At most `dirty_cpu_schedulers`.
    pub dirty_cpu_schedulers_online: usize,
    /// Whether the schedulers online follow the processors that the node may use, because no flag has set them.
    pub follows_processors: bool,
    /// The same of the dirty CPU schedulers.
    pub dirty_follow_processors: bool,
    /// As given to `+sbt`.
    pub bind_type: Word,
    /// Whether schedulers may stay unbound if the processor topology is unknown (`+stbt`).
    pub bind_if_possible: bool,
    /// Whether to generate machine code; if false, code runs in the threaded form.
    pub machine_code: bool,
    /// Minor collections before a major one.
    pub fullsweep_after: u16,
    /// Whether the locale that the node was started in encodes text in UTF-8: what a terminal shows.
    pub locale_utf8: bool,
    /// Whether file names are UTF-8; if not, they are Latin-1.
    pub file_names_utf8: bool,
    /// What happens to file names that are not in that encoding: `warning`, `ignore` or `error`.
    pub wrong_file_names: Word,
    pub break_mode: BreakMode,
}

static CONFIG: OnceLock<Config> = OnceLock::new();

/// Stores the node's configuration; the first one stays. Called once, at the node's start.
pub fn set(config: Config) -> &'static Config {
    CONFIG.get_or_init(|| config)
}

/// The node's configuration.
///
/// # Panics
/// Before [`set`].
#[must_use]
pub fn get() -> &'static Config {
    CONFIG.get().expect("the node has started")
}

/// Whether modules are loaded with the names of their source files and line numbers (`+L`: they are not).
#[must_use]
pub fn loads_line_numbers() -> bool {
    CONFIG.get().is_none_or(|config| config.flags.line_numbers)
}

/// Whether internal errors write a crash dump (`+d`: they do not).
#[must_use]
pub fn dumps_own_errors() -> bool {
    CONFIG.get().is_none_or(|config| config.flags.crash_dump)
}
