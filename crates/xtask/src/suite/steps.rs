//! The steps of `make test` and `make test-all`, as data.

pub(super) struct Step {
    pub name: &'static str,
    /// A program and its arguments, between spaces; `xtask` is this program itself.
    pub command: &'static str,
    /// A condition for a shell, and why the step is skipped where that is false.
    pub needs: Option<(&'static str, &'static str)>,
    pub failure: Failure,
}

/// Steps that run one after the other, and then lanes that run side by side.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub steps: &'static [Step],
    pub then: &'static [Lane],
}

impl Lane {
    pub(super) const fn of(steps: &'static [Step]) -> Lane {
        Lane { steps, then: &[] }
    }
}

/// What a step's failure means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The whole has failed; the other steps run all the same.
    Counts,
    /// Later steps of the lane run what this one makes, so they are given up.
    EndsLane,
    /// Nothing: it is told, and not counted.
    IsExpected,
}

const fn step(name: &'static str, command: &'static str) -> Step {
    Step {
        name,
        command,
        needs: None,
        failure: Failure::Counts,
    }
}

const fn build(name: &'static str, command: &'static str) -> Step {
    Step {
        failure: Failure::EndsLane,
        ..step(name, command)
    }
}

const fn only_if(needs: (&'static str, &'static str), step: Step) -> Step {
    Step {
        needs: Some(needs),
        ..step
    }
}

const TMUX: (&str, &str) = ("command -v tmux", "tmux is missing");
const FUZZ: (&str, &str) = (
    "cargo +nightly fuzz --version",
    "Rust nightly or cargo-fuzz is missing",
);
/// Also makes what Miri runs programs with, the first time.
const MIRI: (&str, &str) = (
    "cargo +nightly miri setup",
    "Rust nightly or its components miri and rust-src are missing",
);
const CXX: (&str, &str) = ("command -v c++", "c++ is missing");
const DENY: (&str, &str) = (
    "cargo deny --version",
    "cargo-deny is missing; `cargo xtask dependencies` checks the most of it",
);
const ADVISORIES: (&str, &str) = (
    "cargo deny fetch db",
    "cargo-deny is missing, or its database of advisories is out of reach",
);
const MDBOOK: (&str, &str) = (
    "command -v mdbook || test -x target/tools/bin/mdbook",
    "mdbook is missing, which `make book` builds; the book's text is tested without it",
);
const RELEASES: (&str, &str) = (
    "command -v mix || command -v rebar3",
    "neither mix nor rebar3 is here, which make releases",
);
const MUSL: (&str, &str) = (
    "ls \"$(rustc --print target-libdir --target x86_64-unknown-linux-musl)\" && command -v musl-gcc",
    "Rust's target x86_64-unknown-linux-musl or musl-gcc is missing, which `make static` installs",
);
const AARCH64: (&str, &str) = (
    "ls \"$(rustc --print target-libdir --target aarch64-unknown-linux-gnu)\" && command -v aarch64-linux-gnu-gcc",
    "Rust's target aarch64-unknown-linux-gnu or aarch64-linux-gnu-gcc is missing",
);

/// The first lane: everything that is built without optimisation, which is one folder of cargo's.
pub(super) const TESTS: &[Step] = &[
    step("format", "cargo fmt --all --check"),
    step(
        "clippy",
        "cargo clippy --quiet --profile tests --workspace --all-targets -- -D warnings",
    ),
    step(
        "docs",
        "env RUSTDOCFLAGS=-Dwarnings cargo doc --quiet --profile tests --workspace --no-deps --document-private-items",
    ),
    only_if(MDBOOK, step("book", "make --no-print-directory book")),
    only_if(DENY, step("deny", "cargo deny check licenses bans sources")),
    build(
        "tests built",
        "cargo test --quiet --profile tests --workspace --lib --bins --tests --no-run",
    ),
    step(
        "tests",
        "cargo test --quiet --profile tests --workspace --lib --bins --tests --no-fail-fast",
    ),
    // Of the crates that have any: looking for examples costs as much as checking a crate again.
    step(
        "examples",
        "cargo test --quiet --profile tests --doc -p beamfile -p spec",
    ),
    // Apart from the tests, because it needs another build of `runtime` and `ets`.
    step(
        "interleavings",
        "cargo test --quiet --profile tests -p runtime -p ets --features ets/loom --test interleavings",
    ),
    // What tells most in half a minute; more of it is among the slower steps.
    only_if(
        MIRI,
        step(
            "Miri",
            "cargo +nightly miri test --quiet -p term -p runtime --lib -- copy:: signal:: links:: tasks:: thin_array::",
        ),
    ),
];

/// The second lane: the release, and what it does beside stock. Programs wait more than they work, so three run at a
/// time.
pub(super) const RELEASE: Lane = Lane {
    steps: &[build(
        "release built",
        "cargo build --quiet --release --package cli",
    )],
    then: &[
        Lane::of(&[step("differential", "xtask differential --jobs 3")]),
        Lane::of(BESIDE_STOCK),
    ],
};

const BESIDE_STOCK: &[Step] = &[
    step("tails", "xtask tails"),
    // Five programs take as long as all others together when each safepoint collects: left to `make test-all`.
    step(
        "differential, collect always",
        "xtask differential --collect-always --code-calls 0 language maps binaries processes errors memory \
         --skip long_lengths --skip growing_areas --skip schedulers_go_offline --skip long_collections \
         --skip portable_hashes",
    ),
    step(
        "differential, OTP 27",
        "xtask differential --release 27 --code-calls 5 language maps errors processes operations releases",
    ),
    step(
        "differential, OTP 29",
        "xtask differential --release 29 --code-calls 0 language maps errors processes operations releases",
    ),
    // Of each kind of program one; what ends by a node's death or takes seconds is left to `make test-all`.
    step(
        "cluster",
        "xtask cluster connecting cookies sending links monitors exits spawning calls servers process_groups restarted",
    ),
    step("calls", "xtask generate calls --count 60"),
    step("clusters", "xtask generate clusters --count 6"),
    step(
        "programs",
        "xtask generate programs --count 100 --code-calls 0",
    ),
    step("traces", "xtask generate traces --count 200"),
    step("walks", "xtask generate walks --count 200 --schedulers 8"),
    step(
        "patterns",
        "xtask generate patterns --count 500 --schedulers 8",
    ),
    step("native functions", "xtask nif-functions"),
    step("natives", "xtask generate natives --count 60"),
    step("options", "xtask generate options --count 3200"),
    step("packets", "xtask generate packets --count 200000"),
    step("handshakes", "xtask generate handshakes --count 5000"),
    step("peers", "xtask generate peers --count 100"),
    step(
        "processes",
        "xtask generate processes --count 50 --schedulers 8",
    ),
    step("exhaustion", "xtask exhaust --points 2"),
];

/// What waits for screens to come to rest, when nothing else runs.
pub(super) const ALONE: &[Step] = &[only_if(
    TMUX,
    step("terminal", "xtask terminal editing_lines break_tells"),
)];

/// The slower ways to run the same, for `make test-all`.
pub(super) const SLOWER: &[Step] = &[
    only_if(TMUX, step("terminal, all", "xtask terminal")),
    step(
        "differential, all collect always",
        "xtask differential --collect-always --code-calls 0",
    ),
    step("differential, emu", "xtask differential --emu"),
    step(
        "differential, machine code at once",
        "xtask differential --code-calls 0",
    ),
    step(
        "differential, emu, collect always",
        "xtask differential --emu --collect-always",
    ),
    step(
        "differential, one scheduler",
        "xtask differential --schedulers 1",
    ),
    step(
        "differential, four schedulers",
        "xtask differential --schedulers 4 --code-calls 3",
    ),
    step(
        "differential, all on OTP 27",
        "xtask differential --release 27",
    ),
    Step {
        failure: Failure::IsExpected,
        ..step(
            "differential, all on OTP 29",
            "xtask differential --release 29",
        )
    },
    Step {
        failure: Failure::IsExpected,
        ..step("differential, later", "xtask differential --later later")
    },
    step("differential, long", "xtask differential long/"),
    step(
        "differential, long on OTP 27",
        "xtask differential long/ --release 27",
    ),
    step(
        "differential, long on OTP 29",
        "xtask differential long/ --release 29",
    ),
    step("cluster, all", "xtask cluster"),
    step(
        "cluster, collect always",
        "xtask cluster --collect-always --pairs ferl-stock,stock-ferl",
    ),
    step(
        "interleavings, four preemptions",
        "env LOOM_MAX_PREEMPTIONS=4 cargo test --quiet --profile tests -p runtime -p ets --features ets/loom --test interleavings",
    ),
    only_if(
        MIRI,
        step(
            "Miri, terms",
            "cargo +nightly miri test --quiet -p term --lib --no-fail-fast -- compare:: copy:: hash:: iolist::",
        ),
    ),
    only_if(
        MIRI,
        step(
            "Miri, processes",
            "cargo +nightly miri test --quiet -p runtime --lib --no-fail-fast",
        ),
    ),
    only_if(
        ADVISORIES,
        step("advisories", "cargo deny check advisories"),
    ),
    step("BIFs", "xtask bifs"),
    step("BIFs of OTP 27", "xtask bifs --release 27"),
    step("BIFs of OTP 29", "xtask bifs --release 29"),
    step(
        "wall clock of stock",
        "cargo test --quiet --profile tests -p cli --test wall_clock -- --ignored",
    ),
    step(
        "exhaustion, more points",
        "xtask exhaust --points 40 --seed 2 --beside-stock",
    ),
    step(
        "exhaustion, programs",
        "xtask exhaust --points 3 --programs files/ --programs ports/ --programs sockets/ --programs socket/ \
         --programs code/ --programs native/",
    ),
    only_if(
        RELEASES,
        step("releases", "packaging/releases.sh target/release/ferl"),
    ),
    step("soak", "xtask soak --minutes 5 --schedulers 8"),
    step("load", "xtask load --minutes 5"),
    only_if(
        AARCH64,
        step(
            "check for AArch64",
            "cargo check --quiet --workspace --target aarch64-unknown-linux-gnu",
        ),
    ),
    // Takes minutes, and is what the steps after it run.
    only_if(
        MUSL,
        step("static built", "make --no-print-directory static"),
    ),
    only_if(
        MUSL,
        step(
            "packed, static",
            "cargo test --quiet --profile tests -p cli --test packed_static",
        ),
    ),
    only_if(
        RELEASES,
        step(
            "packed, in trees of their own",
            "packaging/packed.sh target/release/ferl \"$(ls target/x86_64-unknown-linux-musl/release/ferl)\" 3",
        ),
    ),
    only_if(
        MUSL,
        step(
            "differential, static",
            "xtask differential --ferl target/x86_64-unknown-linux-musl/release/ferl --skip native/ \
             --skip drivers_by_name --skip cryptography --skip secure_channels --skip tracer_modules \
             --skip tracer_order --skip net_names --skip socket_table",
        ),
    ),
    step(
        "calls, seed 2",
        "xtask generate calls --count 2000 --seed 2",
    ),
    step("calls, emu", "xtask generate calls --count 200 --emu"),
    step(
        "calls, collect always",
        "xtask generate calls --count 100 --collect-always",
    ),
    step(
        "walks, seed 2",
        "xtask generate walks --seed 2 --count 10000",
    ),
    step(
        "walks, eight schedulers",
        "xtask generate walks --seed 3 --count 10000 --schedulers 8",
    ),
    step(
        "walks, collect always",
        "xtask generate walks --seed 4 --count 500 --collect-always",
    ),
    step(
        "processes, seed 1000",
        "xtask generate processes --seed 1000 --count 500",
    ),
    step(
        "processes, one scheduler",
        "xtask generate processes --seed 2000 --count 200 --schedulers 1",
    ),
    step(
        "processes, collect always",
        "xtask generate processes --seed 3000 --count 50 --schedulers 8 --collect-always",
    ),
    // With all assertions, which a release does not have. Stencils carry none: the threaded form runs those of the
    // operations' bodies.
    step(
        "checked built",
        "cargo build --quiet --profile checked --package cli",
    ),
    step(
        "differential, checked",
        "xtask differential --ferl target/checked/ferl",
    ),
    step(
        "differential, checked, emu",
        "xtask differential --ferl target/checked/ferl --emu",
    ),
    step(
        "differential, checked, collect always",
        "xtask differential --ferl target/checked/ferl --emu --collect-always language maps binaries errors tracing",
    ),
    step(
        "calls, checked",
        "xtask generate calls --ferl target/checked/ferl --emu --seed 6 --count 200",
    ),
    step(
        "programs, checked",
        "xtask generate programs --ferl target/checked/ferl --emu --seed 7000 --count 100",
    ),
    step(
        "processes, checked",
        "xtask generate processes --ferl target/checked/ferl --seed 7000 --count 200 --schedulers 8",
    ),
    step(
        "walks, checked",
        "xtask generate walks --ferl target/checked/ferl --seed 7 --count 1000 --schedulers 8",
    ),
    step(
        "patterns, checked",
        "xtask generate patterns --ferl target/checked/ferl --seed 7 --count 500 --schedulers 8",
    ),
    step(
        "traces, checked",
        "xtask generate traces --ferl target/checked/ferl --seed 8000 --count 300",
    ),
    step(
        "clusters, checked",
        "xtask generate clusters --ferl target/checked/ferl --seed 4000 --count 20",
    ),
    // Delays are a feature that a release does not have.
    step(
        "delays built",
        "cargo build --quiet --profile quick --package cli --features delays --target-dir target/delays",
    ),
    step(
        "processes, delays",
        "xtask generate processes --seed 4000 --count 300 --schedulers 8 --delays 1 --ferl target/delays/quick/ferl",
    ),
    step(
        "processes, two schedulers, delays",
        "xtask generate processes --seed 5000 --count 300 --schedulers 2 --delays 2 --ferl target/delays/quick/ferl",
    ),
    step(
        "natives, eight schedulers",
        "xtask generate natives --seed 1000 --count 2000 --schedulers 8",
    ),
    step(
        "natives, one scheduler",
        "xtask generate natives --seed 4000 --count 500 --schedulers 1",
    ),
    step(
        "natives, collect always",
        "xtask generate natives --seed 5000 --count 100 --collect-always",
    ),
    step(
        "crypto, seed 1000",
        "xtask generate crypto --seed 1000 --count 20000",
    ),
    step(
        "patterns, two schedulers",
        "xtask generate patterns --seed 2 --minutes 3 --schedulers 2",
    ),
    step(
        "patterns, eight schedulers",
        "xtask generate patterns --seed 3 --minutes 3 --schedulers 8",
    ),
    step(
        "patterns, collect always",
        "xtask generate patterns --seed 4 --count 200 --collect-always",
    ),
    step(
        "traces, seed 1000",
        "xtask generate traces --seed 1000 --count 5000",
    ),
    step(
        "clusters, seed 1000",
        "xtask generate clusters --seed 1000 --count 500",
    ),
    step(
        "clusters, collect always",
        "xtask generate clusters --seed 2000 --count 50 --collect-always --pairs ferl-stock,stock-ferl",
    ),
    step(
        "handshakes, seed 2",
        "xtask generate handshakes --seed 2 --count 1000000",
    ),
    step(
        "peers, seed 2",
        "xtask generate peers --seed 2 --count 3000",
    ),
    step(
        "peers, one scheduler",
        "xtask generate peers --seed 3 --count 1000 --schedulers 1",
    ),
    step(
        "packets, seed 2",
        "xtask generate packets --seed 2 --count 10000000",
    ),
    step(
        "packets, eight schedulers",
        "xtask generate packets --seed 3 --count 2000000 --schedulers 8",
    ),
    step(
        "packets, collect always",
        "xtask generate packets --seed 4 --count 100000 --collect-always",
    ),
    step(
        "programs, seed 1000",
        "xtask generate programs --seed 1000 --count 1000",
    ),
    step(
        "programs, emu",
        "xtask generate programs --seed 2000 --count 300 --emu --schedulers 1",
    ),
    step(
        "programs, collect always",
        "xtask generate programs --seed 3000 --count 300 --collect-always",
    ),
    step(
        "programs, no types",
        "xtask generate programs --seed 4000 --count 300 --erlc +no_type_opt --erlc +no_copt",
    ),
    step(
        "programs, no SSA",
        "xtask generate programs --seed 5000 --count 300 --erlc +no_ssa_opt --schedulers 4",
    ),
    // What the other releases do differently, as far as they are installed.
    step(
        "calls, OTP 27",
        "xtask generate calls --seed 4 --count 100 --release 27",
    ),
    step(
        "calls, OTP 29",
        "xtask generate calls --seed 4 --count 100 --release 29",
    ),
    step(
        "programs, OTP 27",
        "xtask generate programs --seed 6000 --count 100 --release 27",
    ),
    // The compiler of 29 fails in program 6042.
    step(
        "programs, OTP 29",
        "xtask generate programs --seed 6000 --count 40 --release 29",
    ),
    step(
        "traces, OTP 27",
        "xtask generate traces --seed 7000 --count 300 --release 27",
    ),
    step(
        "traces, OTP 29",
        "xtask generate traces --seed 7000 --count 300 --release 29",
    ),
    step(
        "processes, OTP 27",
        "xtask generate processes --seed 6000 --count 50 --schedulers 8 --release 27",
    ),
    step(
        "processes, OTP 29",
        "xtask generate processes --seed 6000 --count 50 --schedulers 8 --release 29",
    ),
    step(
        "patterns, OTP 27",
        "xtask generate patterns --seed 5 --count 300 --schedulers 8 --release 27",
    ),
    step(
        "patterns, OTP 29",
        "xtask generate patterns --seed 5 --count 300 --schedulers 8 --release 29",
    ),
    step(
        "walks, OTP 27",
        "xtask generate walks --seed 5 --count 200 --schedulers 8 --release 27",
    ),
    step(
        "walks, OTP 29",
        "xtask generate walks --seed 5 --count 200 --schedulers 8 --release 29",
    ),
    step(
        "clusters, OTP 27",
        "xtask generate clusters --seed 3000 --count 10 --release 27",
    ),
    step(
        "clusters, OTP 29",
        "xtask generate clusters --seed 3000 --count 10 --release 29",
    ),
    step(
        "packets, OTP 27",
        "xtask generate packets --seed 5 --count 200000 --release 27",
    ),
    step(
        "packets, OTP 29",
        "xtask generate packets --seed 5 --count 200000 --release 29",
    ),
    step(
        "options, OTP 27",
        "xtask generate options --count 4000 --release 27",
    ),
    step(
        "options, OTP 29",
        "xtask generate options --count 4000 --release 29",
    ),
    step(
        "handshakes, OTP 27",
        "xtask generate handshakes --seed 3 --count 5000 --release 27",
    ),
    step(
        "handshakes, OTP 29",
        "xtask generate handshakes --seed 3 --count 5000 --release 29",
    ),
    // Also where nothing can run them, so that they are not forgotten when something else changes.
    only_if(
        CXX,
        step(
            "check of the fuzz targets",
            "cargo check --quiet --manifest-path fuzz/Cargo.toml",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz files",
            "cargo +nightly fuzz run beam_file -- -max_total_time=60",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz code",
            "cargo +nightly fuzz run beam_code -- -max_total_time=60",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz terms",
            "cargo +nightly fuzz run external_term -- -max_total_time=60",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz packets",
            "cargo +nightly fuzz run packet -- -max_total_time=60",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz patterns",
            "cargo +nightly fuzz run compiled_pattern -- -max_total_time=60",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz match specifications",
            "cargo +nightly fuzz run match_spec -- -max_total_time=60",
        ),
    ),
    only_if(
        FUZZ,
        step(
            "fuzz the dashboard",
            "cargo +nightly fuzz run dashboard -- -max_total_time=60",
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = project::entries(folder).unwrap();
        let (folders, files): (Vec<PathBuf>, _) =
            entries.into_iter().partition(|path| path.is_dir());
        let below = folders.iter().flat_map(|folder| sources(folder));
        files.into_iter().chain(below).collect()
    }

    /// Whether a comment opens a block of code that is not of another language, and so is compiled and run.
    fn has_examples(text: &str) -> bool {
        let comments = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("//"));
        let fences = comments
            .filter_map(|line| line.trim_start_matches(['/', '!', ' ']).strip_prefix("```"));
        let mut is_open = false;
        fences.into_iter().any(|language| {
            is_open = !is_open;
            is_open && ["", "rust", "no_run", "should_panic"].contains(&language.trim())
        })
    }

    #[test]
    fn examples_of_all_crates_that_have_any_are_run() {
        let step = TESTS.iter().find(|step| step.name == "examples").unwrap();
        let named: BTreeSet<&str> = step.command.split("-p ").skip(1).map(str::trim).collect();
        for folder in project::entries(&project::root().join("crates")).unwrap() {
            let name = folder.file_name().unwrap().to_str().unwrap();
            if !folder.is_dir() || name == "xtask" {
                continue;
            }
            let texts = sources(&folder.join("src"))
                .into_iter()
                .map(|file| fs::read_to_string(file).unwrap_or_default());
            let has_any = texts.into_iter().any(|text| has_examples(&text));
            assert_eq!(has_any, named.contains(name), "{name}");
        }
    }
}
