#!/bin/bash
# Unpacks OTP 25's crashdump viewer, with which a test reads crash dumps, unless it is installed. Where the system's OTP
# is another, stock.sh has unpacked it.
#   packaging/viewer.sh FOLDER    makes FOLDER/observer
# Nothing is installed: the package that has it needs a desktop's libraries, and the viewer's parser none of them.
set -euo pipefail
folder=${1:?viewer.sh FOLDER}
place=$(mkdir -p "$folder" && cd "$folder" && pwd)/observer
[ -e "$place/crashdump_viewer.beam" ] && exit 0
release=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().')
[ "$release" = 25 ] || exit 0
root=$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')
installed=("$root"/lib/observer-*/ebin/crashdump_viewer.beam)
[ -e "${installed[0]}" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "viewer.sh: this is no Debian" >&2; exit 1; }
making=$place.making
rm -rf "$making" "$place"
mkdir -p "$making"
(cd "$making" && apt-get -qq -o APT::Sandbox::User=root download erlang-observer)
dpkg-deb -x "$making"/*.deb "$making/root"
mv "$(dirname "$(find "$making/root" -name crashdump_viewer.beam)")" "$place"
rm -r "$making"
