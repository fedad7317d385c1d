#!/bin/sh
# Builds a Debian package of ferl:
#
#   packaging/deb/build.sh BINARY FOLDER
#
# writes FOLDER/ferl_VERSION_ARCHITECTURE.deb with BINARY as /usr/bin/ferl, and prints its path. The same binary and
# commit give the same package. `make deb` calls this with the release build.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 BINARY FOLDER" >&2
    exit 2
fi
for tool in dpkg-deb dpkg-shlibdeps strip; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing: apt-get install dpkg-dev" >&2
        exit 1
    }
done
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")

version=$(cd "$project" && cargo pkgid --package cli | sed 's/.*[@#]//')
architecture=$(dpkg --print-architecture)
# dpkg-deb stamps files no later than this.
SOURCE_DATE_EPOCH=$(git -C "$project" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
stage=$work/debian/ferl
doc=$stage/usr/share/doc/ferl
mkdir -p "$stage/DEBIAN" "$stage/usr/bin" "$doc"
install -m 755 "$binary" "$stage/usr/bin/ferl"
# Symbols stay: gdb finds the interface for machine code made at run time by name.
strip --strip-debug "$stage/usr/bin/ferl"
install -m 644 "$here/copyright" "$project/README.md" "$doc"
mkdir "$doc/docs"
install -m 644 "$project/docs/results.md" "$project/docs/findings.md" "$project/docs/headline.svg" "$doc/docs"
install -m 644 "$project/ARCHITECTURE.md" "$project/CONTRIBUTING.md" "$doc"

# The shared libraries that the binary needs, with the versions of this system's packages.
printf 'Source: ferl\n\nPackage: ferl\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O debian/ferl/usr/bin/ferl | sed -n 's/^shlibs:Depends=//p')

sed -e "s/@VERSION@/$version/" \
    -e "s/@ARCHITECTURE@/$architecture/" \
    -e "s/@LIBRARIES@/$libraries/" \
    -e "s/@MAINTAINER@/${DEBFULLNAME:-The ferl developers} <${DEBEMAIL:-ferl@localhost}>/" \
    -e "s/@SIZE@/$(du -k -s "$stage/usr" | cut -f 1)/" \
    "$here/control.in" >"$stage/DEBIAN/control"
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

package=$folder/ferl_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$stage" "$package" >/dev/null
echo "$package"
