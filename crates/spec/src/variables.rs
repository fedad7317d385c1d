//! The environment variables that ferl, the libraries that it boots and its commands read: one row each. The manual
//! page and a chapter of the book are made of it, and a test compares it with what the sources read.
//!
//! A constant table; any thread may read it.

/// Environment variables that are read for one purpose.
pub struct Variable {
    /// Their names.
    pub names: &'static [&'static str],
    pub reader: Reader,
    pub help: &'static str,
}

/// Who reads a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// ferl, while it starts.
    Start,
    /// A program that `ferl pack` has made, while it starts.
    Packed,
    /// A node that runs.
    Node,
    /// OTP's own libraries and programs, which are the same as under stock.
    Otp,
    /// `ferl lab`.
    Lab,
    /// Tests of ferl itself, or a build that is made for them.
    Test,
}

macro_rules! variables {
    ($($reader:ident $($name:literal),+ => $help:literal;)*) => {
        /// All of them.
        pub const VARIABLES: &[Variable] = &[$(Variable {
            names: &[$($name),+],
            reader: Reader::$reader,
            help: $help,
        }),*];
    };
}

variables! {
    Start "FERL_OTP" =>
        "the root of the OTP to boot, such as /usr/lib/erlang, or the folder that it is installed under";
    Start "ROOTDIR" =>
        "the same, as start scripts set it, and nodes for the programs that they start; passed over if that OTP cannot \
         be booted";
    Start "BINDIR" =>
        "the folder of OTP's programs, as start scripts of releases set it together with ROOTDIR";
    Start "PROGNAME" =>
        "the name by which nodes start other nodes, as start scripts set it";
    Start "PATH" =>
        "where the erl is looked for whose OTP is booted; a node puts OTP's own programs in front of it";
    Start "ERL_AFLAGS" => "more flags, before those that are typed";
    Start "ERL_FLAGS", "ERL_ZFLAGS" => "more flags, behind those that are typed";
    Start "ERL_OTP25_FLAGS", "ERL_OTP27_FLAGS", "ERL_OTP29_FLAGS" =>
        "more flags for nodes that boot this release, before all others";
    Start "ERL_THREAD_POOL_SIZE" => "as +A, which comes before it";
    Start "ERL_MAX_PORTS" => "as +Q, which comes before it";
    Start "ERL_MAX_ETS_TABLES" => "as +e, which comes before it";
    Start "ERL_FULLSWEEP_AFTER" => "how many small collections a process has before a whole one, 65535";
    Start "ERL_EPMD_PORT" => "the port of the port mapper, 4369; the port mapper reads it too";
    Start "HOME" => "the user's folder, where OTP looks for .erlang and .erlang.cookie";
    Start "LC_ALL", "LC_CTYPE", "LANG" =>
        "whether names of files, and the terminal, are UTF-8 (see +fn)";
    Packed "RELEASE_NAME", "RELEASE_VSN", "RELEASE_NODE", "RELEASE_COOKIE", "RELEASE_DISTRIBUTION", "RELEASE_MODE" =>
        "of a release of mix: as its start script reads them";
    Packed "RELEASE_BOOT_SCRIPT", "RELEASE_BOOT_SCRIPT_CLEAN", "RELEASE_VM_ARGS", "RELEASE_REMOTE_VM_ARGS",
        "RELEASE_SYS_CONFIG" => "of a release of mix: as its start script reads them";
    Packed "RELEASE_TMP", "XDG_RUNTIME_DIR", "TMPDIR" =>
        "where files are written that must be: into the first of these, or else into /tmp or /dev/shm, in a folder of \
         this user that is closed to others";
    Packed "FERL_ENV_SH" => "skip: env.sh of a release of mix is left out; set by ferl when the shell has run it";
    Packed "ELIXIR_ERL_OPTIONS", "NO_COLOR" => "as Elixir's start scripts read them";
    Packed "VMARGS_PATH", "RELX_CONFIG_PATH", "CODE_LOADING_MODE", "PIPE_DIR", "RUNNER_LOG_DIR" =>
        "of a release of relx: as its start script reads them";
    Packed "RELX_COOKIE", "RELX_RPC_TIMEOUT", "RELX_REPLACE_OS_VARS", "ERL_DIST_PORT" =>
        "of a release of relx: as its start script reads them";
    Node "TERM", "TERMINFO" => "the kind of terminal, for the shell's line editing";
    Node "ERL_CRASH_DUMP" => "the file of the crash dump, erl_crash.dump";
    Node "ERL_CRASH_DUMP_SECONDS" =>
        "how long a crash dump may take; 0: none is written. Under heart a dump is only written if this is set";
    Node "ERL_CRASH_DUMP_BYTES" => "how large a crash dump may become; 0: none is written";
    Node "ERL_CRASH_DUMP_NICE" => "the niceness at which a crash dump is written, 0 to 39";
    Node "FERL_COLLECT_ALWAYS" =>
        "collects garbage wherever it could be collected, to find faults in native libraries and in ferl; slow";
    Otp "ERL_LIBS" => "folders with more applications, as lib of OTP";
    Otp "ERL_EPMD_ADDRESS" => "the addresses on which the port mapper listens, if a node starts it";
    Otp "ERL_EPMD_RELAXED_COMMAND_CHECK" => "lets the port mapper be ended while nodes are registered";
    Otp "ERL_EPMD_DIST_LOW", "ERL_EPMD_DIST_HIGH" => "the range of ports for connections between nodes";
    Otp "ERL_INETRC", "ERL_INET_ETC_DIR" => "how names of hosts are resolved (the user's guide of erts, inet_config)";
    Otp "ERL_COMPILER_OPTIONS" => "options of the compiler, as Erlang terms";
    Otp "ERLC_EMULATOR" => "the program that erlc starts in place of erl: ferl compiles if it is named here";
    Otp "HEART_COMMAND", "HEART_BEAT_TIMEOUT", "HEART_KILL_SIGNAL", "HEART_NO_KILL" =>
        "how heart watches a node and starts it again (-heart)";
    Otp "RUN_ERL_LOG_MAXSIZE", "RUN_ERL_LOG_GENERATIONS" => "the logs of run_erl, which daemons of releases write";
    Lab "XDG_CACHE_HOME" => "where ferl lab keeps the programs that it has compiled, ~/.cache";
    Test "FERL_STOCK_25", "FERL_STOCK_27", "FERL_STOCK_29" =>
        "trees of stock OTP to compare with, in place of the one in PATH or under target/stock";
    Test "FERL_DELAYS" => "in a build with the feature delays: the seed of delays between steps of threads";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_row() {
        let mut names: Vec<&str> = VARIABLES
            .iter()
            .flat_map(|variable| variable.names)
            .copied()
            .collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
