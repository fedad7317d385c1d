#!/bin/bash
# How long programs take that do next to nothing, on ferl and on the `erl` in PATH, by turns:
#
#     benches/starts.sh FERL [RUNS]
#
# Prints a line of Markdown for each: medians and, in brackets, the least of the wall clock and of the processor time
# (of the program and of those that it started and awaited), in ms. What is not installed is left out with a line.
set -euo pipefail
ferl=$(realpath "${1:?starts.sh FERL [RUNS]}") runs=${2:-20}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/ferl" "$place/stock" "$place/home"
ln -s "$ferl" "$place/ferl/erl"
ln -s "$(command -v erl)" "$place/stock/erl"
export HOME=$place/home LC_ALL=C.UTF-8
cd "$place"
cat >hello <<'END'
#!/usr/bin/env escript
main(_) -> io:format("hello~n").
END
chmod +x hello

TIMEFORMAT='%R %U %S'
# One run: milliseconds of the clock and of the processor are added to a file.
run() {
    local machine=$1 row=$2
    shift 2
    # `escript` starts what its variable names; Elixir's scripts start `erl`.
    { time PATH=$place/$machine:$PATH ESCRIPT_EMULATOR=$place/$machine/erl "$@" >"$place/said" 2>&1 </dev/null; } \
        2>"$place/time" || { echo "$row, $machine: failed" && cat "$place/said" && exit 1; } >&2
    awk '{print $1 * 1000, ($2 + $3) * 1000}' "$place/time" >>"$place/$machine.$row"
}

# The median of a column, and the least.
middle() {
    sort -n -k "$2,$2" "$place/$1" |
        awk -v c="$2" '{v[NR] = $c} END {m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
            printf "%.0f (%.0f)", m, v[1]}'
}

row() {
    local name=$1 row=${1//[^a-z0-9]/_} turn
    shift
    if ! command -v "$1" >/dev/null; then
        echo "$name: left out, $1 is not here" >&2
        return
    fi
    # The first run of each reads files from the disk, and is not counted.
    for machine in ferl stock; do run $machine "$row" "$@" && rm "$place/$machine.$row"; done
    for turn in $(seq "$runs"); do
        for machine in ferl stock; do run $machine "$row" "$@"; done
    done
    local times
    times=$(middle "ferl.$row" 1) && times+=" | $(middle "stock.$row" 1)"
    local share
    share=$(awk -v f="$(middle "ferl.$row" 1)" -v s="$(middle "stock.$row" 1)" 'BEGIN {printf "%.2f", f / s}')
    times+=" | $share | $(middle "ferl.$row" 2) | $(middle "stock.$row" 2)"
    share=$(awk -v f="$(middle "ferl.$row" 2)" -v s="$(middle "stock.$row" 2)" 'BEGIN {printf "%.2f", f / s}')
    echo "| $name | $times | $share |"
}

otp=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
echo "OTP $otp, $runs runs by turns; load at the start $(cut -d ' ' -f 1-3 /proc/loadavg)"
echo
echo "| OTP $otp | ferl, ms | stock, ms | share | ferl, processor | stock, processor | share |"
echo "|---|---|---|---|---|---|---|"
row "boot and halt" erl -noshell -eval 'halt().'
row "escript, source" escript hello
row "\`elixir -e\`" elixir -e 'IO.puts(1)'
row "\`mix help\`" mix help
row "\`rebar3 version\`" rebar3 version
echo
echo "load at the end $(cut -d ' ' -f 1-3 /proc/loadavg)"
