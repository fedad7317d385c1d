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

# Who builds a package answers for it: DEBEMAIL, or else who made the commit.
mail=$(git -C "$project" log -1 --format=%ae 2>/dev/null || echo ferl@localhost)
maintainer="${DEBFULLNAME:-The ferl developers} <${DEBEMAIL:-$mail}>"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
stage=$work/debian/ferl
doc=$stage/usr/share/doc/ferl
mkdir -p "$stage/DEBIAN" "$stage/usr/bin" "$doc"
install -m 755 "$binary" "$stage/usr/bin/ferl"
# Symbols stay: gdb finds the interface for machine code made at run time by name.
strip --strip-debug "$stage/usr/bin/ferl"
# For whom wants it by the name `erl`: this folder in front of PATH, or an alternative.
mkdir -p "$stage/usr/lib/ferl/bin"
ln -s ../../../bin/ferl "$stage/usr/lib/ferl/bin/erl"
"$stage/usr/bin/ferl" manual "$stage/usr/share"
gzip -9n "$stage"/usr/share/man/man1/*
install -m 644 "$here/copyright" "$doc"
install -m 644 "$here/README.Debian" "$doc"
gzip -9nc "$project/CHANGELOG.md" >"$doc/CHANGELOG.md.gz"
gzip -9n >"$doc/changelog.gz" <<END
ferl ($version) unstable; urgency=medium

  * What changed is told in CHANGELOG.md.gz, beside this file.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
# What users read: the book's chapters, with what they include of other pages.
cp -r "$project/docs/book/src" "$doc/book"
for chapter in "$doc"/book/*.md; do
    awk -v folder="$project/docs/book/src" '
        /^\{\{#include / {
            name = $2
            sub(/\}\}$/, "", name)
            mark = ""
            if (split(name, part, ":") > 1) { name = part[1]; mark = part[2] }
            inside = mark == ""
            path = folder "/" name
            while ((getline line < path) > 0) {
                if (line == "<!-- ANCHOR_END: " mark " -->") inside = 0
                if (inside) print line
                if (line == "<!-- ANCHOR: " mark " -->") inside = 1
            }
            close(path)
            next
        }
        { print }' "$chapter" >"$work/chapter"
    install -m 644 "$work/chapter" "$chapter"
done
chmod -R go=rX "$doc/book"
install -m 755 "$here/prerm" "$stage/DEBIAN/prerm"
mkdir -p "$stage/usr/share/lintian/overrides"
install -m 644 "$here/lintian-overrides" "$stage/usr/share/lintian/overrides/ferl"

# The shared libraries that the binary needs, with the versions of this system's packages.
printf 'Source: ferl\n\nPackage: ferl\nArchitecture: any\n' >"$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O debian/ferl/usr/bin/ferl | sed -n 's/^shlibs:Depends=//p')

sed -e "s/@VERSION@/$version/" \
    -e "s/@ARCHITECTURE@/$architecture/" \
    -e "s/@LIBRARIES@/$libraries/" \
    -e "s/@MAINTAINER@/$maintainer/" \
    -e "s/@SIZE@/$(du -k -s "$stage/usr" | cut -f 1)/" \
    "$here/control.in" >"$stage/DEBIAN/control"
(cd "$stage" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

package=$folder/ferl_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$stage" "$package" >/dev/null
echo "$package"
