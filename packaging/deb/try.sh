#!/bin/sh
# Installs a package in a clean Debian, uses it, removes and purges it, and says what is left:
#
#   packaging/deb/try.sh PACKAGE SUITE FOLDER
#
# FOLDER/SUITE becomes a tree of that suite (bookworm, trixie), if it is none yet. Needs root, debootstrap, and what
# apt-get downloads from, as this system is set up. The last line counts what passed and failed.
set -eu

if [ $# -ne 3 ]; then
    echo "usage: $0 PACKAGE SUITE FOLDER" >&2
    exit 2
fi
package=$(realpath "$1")
suite=$2
mkdir -p "$3"
tree=$(realpath "$3")/$suite
passed=0
failed=0

command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
if ! [ -x "$tree/usr/bin/apt-get" ]; then
    from=$(awk '/^URIs:/ && !/security/ {print $2; exit}
        /^deb / && !/security/ {for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) {print $i; exit}}' \
        /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true)
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$tree" $from >"$tree.log" 2>&1
fi
cp /etc/resolv.conf /etc/hosts "$tree/etc/"
cp /etc/apt/apt.conf.d/* "$tree/etc/apt/apt.conf.d/" 2>/dev/null || true
for name in proc sys dev; do
    mkdir -p "$tree/$name"
    mountpoint -q "$tree/$name" || mount --rbind "/$name" "$tree/$name"
    mount --make-rslave "$tree/$name"
done
ended() {
    for name in proc sys dev; do umount -l "$tree/$name"; done
}
trap ended EXIT

within() {
    chroot "$tree" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

# Runs a command of the tree, which must print a line like this.
shows() {
    wanted=$1
    shift
    if said=$(within "$@" 2>&1) && printf '%s\n' "$said" | grep -q -e "$wanted"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED on %s: %s\nshould show %s, and printed:\n%s\n' "$suite" "$*" "$wanted" "$said"
    fi
}

# All files but those that apt and dpkg keep for themselves.
files() {
    (cd "$tree" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./var/cache \
        -o -path ./var/lib/apt -o -path ./var/log -o -path ./var/lib/dpkg \) -prune -o -print | sort)
}

# What dpkg knows, and what alternatives are set.
known() {
    within sh -c 'dpkg-query -W -f "\${Package} \${db:Status-Status}\n"; ls /var/lib/dpkg/info /etc/alternatives'
}

is_as_before() {
    files >"$tree.files.now"
    known >"$tree.known.now"
    if diff "$tree.files" "$tree.files.now" && diff "$tree.known" "$tree.known.now"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED on $suite: the lines above are left of the package, or gone"
    fi
}

within apt-get update -qq
# What an earlier run has left.
within dpkg --purge ferl >/dev/null 2>&1 || true
within apt-get purge -qq -y --autoremove 'erlang-*' >/dev/null 2>&1 || true
cp "$package" "$tree/tmp/ferl.deb"

files >"$tree.files"
known >"$tree.known"
shows '' apt-get install -qq -y --no-install-recommends /tmp/ferl.deb
shows '^ferl ' ferl version
shows 'install Debian.s erlang-base' sh -c 'ferl -noshell -s init stop; true'
shows 'Usage' ferl +help
shows '' test -s /usr/share/man/man1/ferl.1.gz
shows '' dpkg --verify ferl
shows '' apt-get remove -qq -y ferl
shows '' dpkg --purge ferl
is_as_before

# Beside stock, and in its place.
shows '' apt-get install -qq -y --no-install-recommends erlang-base
files >"$tree.files"
known >"$tree.known"
shows '' apt-get install -qq -y --no-install-recommends /tmp/ferl.deb
ask='io:format("~p~n", [try erlang:system_info({ferl, memory_guard}) of _ -> ferl catch _:_ -> stock end]), halt().'
shows '^ferl$' ferl -noshell -eval "$ask"
shows '^stock$' erl -noshell -eval "$ask"
shows '^ferl$' /usr/lib/ferl/bin/erl -noshell -eval "$ask"
shows '' update-alternatives --quiet --install /usr/local/bin/erl erl /usr/bin/ferl 10
shows '^ferl$' erl -noshell -eval "$ask"
shows '' apt-get remove -qq -y ferl
shows '^stock$' erl -noshell -eval "$ask"
shows '' dpkg --purge ferl
is_as_before

echo "$suite: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
