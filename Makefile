# The commands of the project. `make run` is the fastest way to see what ferl does.

.PHONY: run test test-all bench rings picture deb build setup applications

# The headline experiments on ferl and on stock, side by side: a table that grows line by line, and a page with plots. Less
# than two minutes once ferl is built. `target/release/ferl lab --quick` runs many more.
run: build
	target/release/ferl lab --report target/lab.html

# What a change must pass. The last line is the verdict on the differential programs.
test: build applications
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	cargo test --quiet --workspace --no-fail-fast
	cargo xtask differential --brief --collect-always language maps binaries processes errors memory
	cargo xtask generate calls --count 60
	cargo xtask generate programs --count 100
	cargo xtask differential
	@if command -v tmux >/dev/null; then cargo xtask terminal editing_lines break_tells; \
	else echo "the terminal was not tried: that needs tmux"; fi

# The same, and the slower ways to run the same programs.
test-all: test
	@if command -v tmux >/dev/null; then cargo xtask terminal; fi
	cargo xtask differential --collect-always
	cargo xtask differential --emu
	cargo xtask differential --emu --collect-always
	cargo xtask differential --schedulers 1
	cargo xtask differential --schedulers 4
	-cargo xtask differential --later
	LOOM_MAX_PREEMPTIONS=4 cargo test --quiet -p runtime --test interleavings
	cargo xtask bifs
	@if [ -n "$$(rustc --print target-libdir --target aarch64-unknown-linux-gnu | xargs ls 2>/dev/null)" ] && \
	    command -v aarch64-linux-gnu-gcc >/dev/null; then \
	    cargo check --quiet --workspace --target aarch64-unknown-linux-gnu; \
	else echo "not checked for AArch64: that needs Rust's target of that name and aarch64-linux-gnu-gcc"; fi
	cargo xtask generate calls --count 2000 --seed 2
	cargo xtask generate calls --count 200 --emu
	cargo xtask generate calls --count 100 --collect-always
	cargo xtask generate programs --seed 1000 --count 1000
	cargo xtask generate programs --seed 2000 --count 300 --emu --schedulers 1
	cargo xtask generate programs --seed 3000 --count 300 --collect-always
	cargo xtask generate programs --seed 4000 --count 300 --erlc +no_type_opt --erlc +no_copt
	cargo xtask generate programs --seed 5000 --count 300 --erlc +no_ssa_opt --schedulers 4
	@if cargo +nightly fuzz --version >/dev/null 2>&1; then \
	    for target in beam_file beam_code; do \
	        cargo +nightly fuzz run $$target -- -max_total_time=60 || exit 1; \
	    done; \
	else echo "not fuzzed: that needs Rust nightly and cargo-fuzz"; fi

# The experiments at the sizes their authors published, where memory allows; takes hours.
bench: build
	target/release/ferl lab --full --report target/bench.html --json target/bench.json --markdown target/bench.md

# E3's rings on ferl and on stock, and the same in C, which shows what the operating system allows.
rings: build
	mkdir -p target/benches
	cc -O2 -o target/benches/pipe_ring benches/pipe_ring.c
	target/benches/pipe_ring 10 10000 8
	target/release/ferl lab pipe_ring

# Draws the picture of the README again from its stored figures. After a full run the figures are renewed by
# `ferl lab --from target/bench.json --headline docs/headline.json`.
picture: build
	target/release/ferl lab --from docs/headline.json --picture docs/headline.svg

# A Debian package in target/.
deb: build
	packaging/deb/build.sh target/release/ferl target

build: setup
	cargo build --quiet --release --package cli

# What building and running needs. Debian's OTP is installed when there is none.
setup:
	@command -v cargo >/dev/null || { \
	    echo "cargo is missing: install Rust 1.95 or later" >&2; exit 1; }
	@command -v cc >/dev/null || { \
	    echo "a C linker (cc) is missing: install Debian's gcc and libc6-dev" >&2; exit 1; }
	@if ! command -v erl >/dev/null || ! command -v erlc >/dev/null; then \
	    if ! command -v apt-get >/dev/null; then \
	        echo "erl and erlc of OTP 25 are missing, and there is no apt-get to install them" >&2; \
	        exit 1; \
	    fi; \
	    as_root=; \
	    if [ "$$(id -u)" -ne 0 ]; then \
	        command -v sudo >/dev/null || { \
	            echo "erl and erlc are missing: as root, apt-get install erlang-base" >&2; exit 1; }; \
	        as_root=sudo; \
	    fi; \
	    echo "installing erlang-base, whose libraries ferl boots"; \
	    $$as_root apt-get update -qq && \
	        $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y erlang-base; \
	fi

# What tests compare besides erlang-base, and tmux, whose screens they compare. Where one cannot be had, what needs it
# is left out, and named.
applications: setup
	@missing=; \
	if ! erl -noshell -eval 'halt(case code:lib_dir(debugger) of {error, _} -> 1; _ -> 0 end)'; then \
	    missing="$$missing erlang-debugger"; \
	fi; \
	if ! command -v tmux >/dev/null; then missing="$$missing tmux"; fi; \
	if [ -n "$$missing" ] && command -v apt-get >/dev/null; then \
	    as_root=; \
	    if [ "$$(id -u)" -ne 0 ]; then as_root=sudo; fi; \
	    echo "installing for the tests:$$missing"; \
	    $$as_root apt-get update -qq && \
	        $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing || \
	        echo "not installed: tests that need it are left out"; \
	fi
