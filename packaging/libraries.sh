#!/bin/sh
# Loads the native libraries of Debian's Erlang packages on stock and on ferl, and compares what their functions return:
#
#     packaging/libraries.sh [FERL]
#
# The packages are unpacked into a temporary folder, not installed. Exit status 1 if a line differs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ferl=$(realpath "${1:-$here/../target/release/ferl}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
packages="erlang-jiffy erlang-p1-cache-tab erlang-p1-eimp erlang-p1-iconv erlang-p1-mqtree erlang-p1-sip
    erlang-p1-sqlite3 erlang-p1-stringprep erlang-p1-tls erlang-p1-utils erlang-p1-xml erlang-p1-xmpp erlang-p1-yaml
    erlang-p1-zlib erlang-bitcask erlang-goldrush
    erlang-lager erlang-cl erlang-yaws erlang-idna erlang-unicode-util-compat yaws"
cd "$place"
for package in $packages; do
    apt-get -q download "$package" > apt.log 2>&1 || { cat apt.log; echo "cannot download $package"; exit 2; }
done
for package in ./*.deb; do dpkg -x "$package" root; done
erlc "$here/debian_libraries.erl"
ERL_LIBS=$place/root/usr/lib/erlang/lib
YAWS_LIBRARIES=$(dirname "$(find root -name setuid_drv.so | head -n 1)")
YAWS_LIBRARIES=$place/$YAWS_LIBRARIES
export ERL_LIBS YAWS_LIBRARIES
run() {
    mkdir "$1"
    (cd "$1" && timeout -s KILL 120 "$2" -noshell -pa "$place" -s debian_libraries start > ../"$1".txt)
}
run stock erl
run ferl "$ferl"
cat stock.txt
diff -a stock.txt ferl.txt && echo "$(wc -l < stock.txt) calls, no difference"
