# The commands of the project. `make run` is the fastest way to see what ferl does.

.PHONY: run test test-all bench rings picture book deb build static setup rust applications stock-25 stock-27 stock-29

# What the book is built with, where no mdbook is installed.
MDBOOK = 0.5.4

# The headline experiments on ferl and on stock, side by side: a table that grows line by line, and a page with plots.
# Less than two minutes once ferl is built. `target/release/ferl lab --quick` runs many more.
run: build
	target/release/ferl lab --report target/lab.html

# What a change must pass: the steps in crates/xtask/src/suite/steps.rs, the time that each took, and the count of all
# tests as the last line. Built in the profile of the tests and without `--package`, xtask shares with them what it
# needs.
test: setup applications stock-25 stock-27 stock-29
	@cargo run --quiet --profile tests --bin xtask -- test --since $$(date +%s)

# The same, and the slower ways to run the same programs.
test-all: setup applications stock-25 stock-27 stock-29
	@cargo run --quiet --profile tests --bin xtask -- test --all --since $$(date +%s)

# The experiments at the sizes their authors published, where memory allows; takes hours. The results are kept in
# bench/results.
bench: build
	target/release/ferl lab --full --report target/bench.html --json target/bench.json --markdown target/bench.md --save

# E3's rings on ferl and on stock, and the same in C, which shows what the operating system allows.
rings: build
	mkdir -p target/benches
	cc -O2 -o target/benches/pipe_ring benches/pipe_ring.c
	target/benches/pipe_ring 10 10000 8
	target/release/ferl lab pipe_ring

# Draws the picture of the README, and docs/results.md, from what is kept in bench/results.
picture: build
	target/release/ferl lab results

# The book: target/book/index.html. Without an mdbook in PATH it is built once, under target/tools.
book: rust
	@mdbook=$$(command -v mdbook || echo target/tools/bin/mdbook); \
	if ! [ -x "$$mdbook" ]; then \
	    cargo install --locked --root target/tools --no-default-features --features search \
	        --version $(MDBOOK) mdbook || exit 1; \
	fi; \
	"$$mdbook" build docs/book

# A Debian package in target/.
deb: build
	packaging/deb/build.sh target/release/ferl target

# The first build takes minutes, and shows what it is at; later ones are silent.
build: setup
	@if [ -e target/release/ferl ]; then quiet=--quiet; fi; \
	cargo build $$quiet --release --package cli

# ferl in one file that needs no C library, with musl's in it: target/MACHINE-unknown-linux-musl/release/ferl. What it
# cannot do says the book (shipping.md).
STATIC = $(shell uname -m)-unknown-linux-musl
static: setup
	@if ! command -v musl-gcc >/dev/null; then \
	    missing="musl-gcc is missing: install Debian's musl-tools"; \
	    command -v apt-get >/dev/null || { echo "$$missing" >&2; exit 1; }; \
	    as_root=; \
	    if [ "$$(id -u)" -ne 0 ]; then \
	        command -v sudo >/dev/null || { echo "$$missing" >&2; exit 1; }; \
	        as_root=sudo; \
	    fi; \
	    echo "installing musl-tools, the C library of a static ferl"; \
	    $$as_root apt-get update -qq && \
	        $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends musl-tools; \
	fi
	@ls "$$(rustc --print target-libdir --target $(STATIC))" >/dev/null 2>&1 || rustup target add $(STATIC)
	@if [ -e target/$(STATIC)/release/ferl ]; then quiet=--quiet; fi; \
	cargo build $$quiet --release --package cli --target $(STATIC)

# Rust, in the version that rust-toolchain.toml names: rustup takes it from there. Where Rust is missing and the system
# has rustup as a package, that is installed.
rust:
	@if ! command -v cargo >/dev/null; then \
	    missing="cargo is missing: install Rust 1.95 or later"; \
	    command -v apt-get >/dev/null || { echo "$$missing" >&2; exit 1; }; \
	    as_root=; \
	    if [ "$$(id -u)" -ne 0 ]; then \
	        command -v sudo >/dev/null || { echo "$$missing (as root, apt-get install rustup)" >&2; exit 1; }; \
	        as_root=sudo; \
	    fi; \
	    $$as_root apt-get update -qq; \
	    apt-cache show rustup >/dev/null 2>&1 || { \
	        echo "$$missing (this system has no package rustup)" >&2; exit 1; }; \
	    echo "installing rustup, which brings Rust"; \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends rustup; \
	fi

# What building and running needs. Debian's OTP is installed when there is none.
setup: rust
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

# What tests need besides erlang-base: applications whose behaviour they compare, the header for native libraries, the
# library without which stock has no SCTP, tmux for the terminal and curl for the book. What cannot be installed is
# named, and the tests that need it are left out.
applications: setup
	@root=$$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().'); \
	missing=; \
	for application in debugger reltool mnesia crypto public_key ssl inets ssh; do \
	    ls -d "$$root/lib/$$application"-* >/dev/null 2>&1 || \
	        missing="$$missing erlang-$$(echo $$application | tr _ -)"; \
	done; \
	test -e "$$root/usr/include/erl_nif.h" || missing="$$missing erlang-dev"; \
	for program in tmux curl; do \
	    command -v $$program >/dev/null || missing="$$missing $$program"; \
	done; \
	/sbin/ldconfig -p | grep -q 'libsctp\.so\.1 ' || missing="$$missing libsctp1"; \
	if [ -n "$$missing" ] && command -v apt-get >/dev/null; then \
	    as_root=; \
	    if [ "$$(id -u)" -ne 0 ]; then as_root=sudo; fi; \
	    echo "installing for the tests:$$missing"; \
	    $$as_root apt-get update -qq && \
	        $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing || \
	        echo "not installed: tests that need it are left out"; \
	fi
	@packaging/viewer.sh target/stock >/dev/null || echo "no crashdump viewer: tests that need it are left out"

# Stock OTP 25, 27 and 29, to compare ferl with: unpacked under target/, but for that of the system. Where FERL_STOCK_27
# names a tree of OTP 27, that is taken.
stock-25 stock-27 stock-29: stock-%: setup
	@test -n "$$FERL_STOCK_$*" || packaging/stock.sh $* target/stock >/dev/null || \
	    echo "no stock OTP $*: what compares ferl with it cannot run"
