#!/bin/bash
# Packed programs in trees with nothing but the file, and the C library where that is needed, beside the same on stock:
#
#     packaging/packed.sh FERL [STATIC [RUNS]]
#
# `mix release` makes a web service of `packaging/releases/web`, and rebar3 an escript of `packaging/releases/tool`.
# FERL packs both twice, which must give the same bytes, then once more with the ferl of `make static` in front. Prints
# a line of Markdown for each: seconds from the start to the first page, or to the end, and the processor time until
# then (medians of the runs, taken by turns, in brackets the least), and bytes. Stock's are those of the plain release,
# and of `escript` on an installed OTP, for which no bytes are said. Needs root, and in a chroot a root that is a mount
# point (`mount --bind`). Exit status 1 if something is wrong.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ferl=$(realpath "${1:?packed.sh FERL [STATIC [RUNS]]}") static=${2:+$(realpath "$2")} runs=${3:-11}
# /proc is mounted in a name space of this script's own.
[ -n "${IN_OWN_SPACE-}" ] || IN_OWN_SPACE=yes exec unshare -m "$0" "$ferl" "$static" "$runs"
place=$(mktemp -d)
trap 'umount "$place"/*/proc 2> /dev/null; rm -rf "$place"' EXIT
export HOME=$place LC_ALL=C.UTF-8 PORT=14731 RELEASE_DISTRIBUTION=none RELEASE_COOKIE=c TERM=dumb
unset ERL_LIBS ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS FERL_OTP ROOTDIR BINDIR
failed() { echo "$*" >&2; exit 1; }

# A tree with a program, what the system loads for it, and what is loaded for native libraries of this folder.
tree() {
    local tree=$1 program=$2 folder=$3 library
    mkdir -p "$tree/proc"
    cp "$program" "$tree/app"
    mount -t proc proc "$tree/proc"
    { ldd "$program" || true; find "$folder" -name '*.so' -exec ldd {} +; } 2> /dev/null |
        grep -o '/[^ :]*\.so[^ :]*' | grep -v "^$folder" | sort -u | while read -r library; do
        mkdir -p "$tree/$(dirname "$library")"
        cp -L "$library" "$tree/$library"
    done
}
# A static program needs no other file.
bare_tree() {
    mkdir -p "$1/proc"
    cp "$2" "$1/app"
    mount -t proc proc "$1/proc"
}

now() { date +%s%N; }
# Adds the nanoseconds since then and the hundredths of a second of processor time of a process to a file.
note() { echo "$2 $3" >> "$place/times.$1"; }
processor() { sed 's/.*) //' "/proc/$1/stat" | awk '{print $12 + $13 + $14 + $15}'; }

page() {
    local line
    { exec 3<> "/dev/tcp/127.0.0.1/$PORT"; } 2> /dev/null || return 1
    printf 'GET /page HTTP/1.0\r\n\r\n' >&3
    line=$(cat <&3)
    exec 3>&-
    [[ $line == *"visit 0 of /page on OTP "* ]]
}

# Starts a service, asks it for its first page, ends it.
serve() {
    local name=$1 begin pid
    shift
    begin=$(now)
    "$@" > "$place/said" 2>&1 < /dev/null &
    pid=$!
    until page; do
        kill -0 $pid 2> /dev/null || { cat "$place/said" >&2; failed "$name: it has ended"; }
        [ $(($(now) - begin)) -lt 60000000000 ] || { kill -KILL $pid; failed "$name: no page in a minute"; }
        sleep 0.005
    done
    note "$name" $(($(now) - begin)) "$(processor $pid)"
    kill -TERM $pid
    wait $pid || failed "$name: status $?"
}

count() {
    local name=$1 begin before
    shift
    begin=$(now) before=$(awk '{print $16 + $17}' /proc/$$/stat)
    "$@" "one two" two > "$place/said" 2>&1 < /dev/null || { cat "$place/said" >&2; failed "$name: status $?"; }
    note "$name" $(($(now) - begin)) $(($(awk '{print $16 + $17}' /proc/$$/stat) - before))
    [ "$(cat "$place/said")" = $'one 1\ntwo 2' ] || { cat "$place/said" >&2; failed "$name: it said something else"; }
}

# The median of a column in seconds, and the least.
middle() {
    sort -n -k "$2,$2" "$place/times.$1" | awk -v c="$2" -v unit="$3" '{v[NR] = $c / unit}
        END {m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; printf "%.2f (%.2f)", m, v[1]}'
}
row() { echo "| $otp | $1 | $(middle "$2" 1 1000000000) | $(middle "$2" 2 100) | $3 |"; }
bytes() { stat -c %s "$1"; }

# Packs an input, twice by ferl and once with the static one.
packs() {
    local name=$1 input=$2
    for copy in "$name" again; do
        "$ferl" pack "$input" -o "$place/$copy" > /dev/null || failed "$name is not packed"
    done
    cmp "$place/$name" "$place/again" || failed "$name: two packs differ"
    echo "$name: two packs have the sum $(sha256sum < "$place/$name" | cut -c 1-16)…" >&2
    [ -z "$static" ] || "$ferl" pack --target "$static" "$input" -o "$place/$name.static" > /dev/null
}

otp=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
if command -v mix > /dev/null; then
    cp -r "$here/releases/web" "$place/project"
    (cd "$place/project" && MIX_ENV=prod mix release --quiet --path "$place/plain") > "$place/said" 2>&1 ||
        { cat "$place/said" >&2; failed "mix makes no release"; }
    packs web "$place/plain"
    tree "$place/tree" "$place/web" "$place/plain"
    [ -z "$static" ] || bare_tree "$place/bare" "$place/web.static"
    for turn in $(seq "$runs"); do
        serve web chroot "$place/tree" /app start
        [ -z "$static" ] || serve web.static chroot "$place/bare" /app start
        serve web.stock "$place/plain/bin/web" start
    done
    row "web service, packed" web "$(bytes "$place/web")"
    [ -z "$static" ] || row "web service, packed, static" web.static "$(bytes "$place/web.static")"
    row "web service, plain release on stock" web.stock "$(find "$place/plain" -type f -printf '%s\n' |
        awk '{sum += $1} END {printf "%d", sum}') (tar.gz $(tar -C "$place/plain" -cz . | wc -c))"
    umount "$place"/*/proc
    rm -rf "$place/tree" "$place/bare" "$place/project"
else
    echo "no mix here: the web service is left out" >&2
fi
if command -v rebar3 > /dev/null; then
    cp -r "$here/releases/tool" "$place/project"
    (cd "$place/project" && rebar3 escriptize) > "$place/said" 2>&1 || { cat "$place/said" >&2; failed "no escript"; }
    tool=$place/project/_build/default/bin/tool
    packs tool "$tool"
    tree "$place/tree" "$place/tool" "$place/project"
    [ -z "$static" ] || bare_tree "$place/bare" "$place/tool.static"
    for turn in $(seq "$runs"); do
        count tool chroot "$place/tree" /app
        [ -z "$static" ] || count tool.static chroot "$place/bare" /app
        count tool.stock escript "$tool"
    done
    row "escript, packed" tool "$(bytes "$place/tool")"
    [ -z "$static" ] || row "escript, packed, static" tool.static "$(bytes "$place/tool.static")"
    row "escript, on an installed stock" tool.stock ""
else
    echo "no rebar3 here: the escript is left out" >&2
fi
