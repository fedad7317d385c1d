#!/bin/bash
# How long programs take that do next to nothing, on ferl and on the `erl` in PATH, by turns:
#
#     benches/starts.sh FERL [RUNS]
#
# Prints a line of Markdown for each: medians and, in brackets, the least of the wall clock and of the processor time
# (of the program and of those that it started and awaited), in ms. What is not installed is left out with a line.
# Then the resident memory of a node that has done nothing for five seconds, all of it and without that of files, in MB.
set -euo pipefail
ferl=$(realpath "${1:?starts.sh FERL [RUNS]}") runs=${2:-20}
place=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; rm -rf "$place"' EXIT
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

# The median of a column, and the least, with so many digits behind the point.
middle() {
    sort -n -k "$2,$2" "$place/$1" |
        awk -v c="$2" -v digits="${3:-0}" '{v[NR] = $c}
            END {m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
            printf "%.*f (%.*f)", digits, m, digits, v[1]}'
}
# What ferl's median of a row and column is of stock's.
share() {
    awk -v f="$(middle "ferl.$1" "$2" 3)" -v s="$(middle "stock.$1" "$2" 3)" 'BEGIN {printf "%.2f", f / s}'
}

row() {
    local name=$1 row=${1//[^a-z0-9]/_} turn
    shift
    if ! PATH=$place/ferl:$PATH command -v "$1" >/dev/null; then
        echo "$name: left out, $1 is not here" >&2
        return
    fi
    # The first run of each reads files from the disk, and is not counted.
    for machine in ferl stock; do run $machine "$row" "$@" && rm "$place/$machine.$row"; done
    for turn in $(seq "$runs"); do
        for machine in ferl stock; do run $machine "$row" "$@"; done
    done
    echo "| $name | $(middle "ferl.$row" 1) | $(middle "stock.$row" 1) | $(share "$row" 1) |" \
        "$(middle "ferl.$row" 2) | $(middle "stock.$row" 2) | $(share "$row" 2) |"
}

otp=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
echo "OTP $otp, $runs runs by turns; load at the start $(cut -d ' ' -f 1-3 /proc/loadavg)"
echo
echo "| OTP $otp | ferl, ms | stock, ms | share | ferl, processor | stock, processor | share |"
echo "|---|---|---|---|---|---|---|"
row "boot and halt" erl -noshell -eval 'halt().'
row "escript, source" escript hello
# One and the same escript, packed into one file with ferl, and as it is.
"$ferl" pack hello -o "$place/ferl/hello" >/dev/null
cp hello "$place/stock"
row "escript, packed; as it is on stock" hello
row "\`elixir -e\`" elixir -e 'IO.puts(1)'
row "\`mix help\`" mix help
row "\`rebar3 version\`" rebar3 version

# Adds the MB that a node has in memory, all of them and those that no file has, to a file.
weigh() {
    awk '/^VmRSS/ {all = $2} /^RssAnon/ {own = $2} END {print all / 1000, own / 1000}' "/proc/$2/status" >>"$1.idle"
}
for turn in $(seq 5); do
    "$place/ferl/erl" -noinput & ferl_pid=$!
    "$place/stock/erl" -noinput & stock_pid=$!
    sleep 5
    weigh ferl $ferl_pid
    weigh stock $stock_pid
    kill -KILL $ferl_pid $stock_pid
    wait $ferl_pid $stock_pid 2>/dev/null || true
done
idle() { echo "| $1 | $(middle ferl.idle "$2" 1) | $(middle stock.idle "$2" 1) | $(share idle "$2") |"; }
echo
echo "| OTP $otp, idle, five times | ferl, MB | stock, MB | share |"
echo "|---|---|---|---|"
idle "resident" 1
idle "of that no file's" 2
echo
echo "load at the end $(cut -d ' ' -f 1-3 /proc/loadavg)"
