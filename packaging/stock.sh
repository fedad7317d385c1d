#!/bin/bash
# Unpacks stock OTP of a release that is not the system's, for tests that compare ferl with it.
#   packaging/stock.sh 27 FOLDER    makes FOLDER/otp-27/erl
# Where the `erl` in PATH is of that release, nothing is made. Nothing is installed: packages of another suite of
# Debian, from where this system has its own, are unpacked. If they need a newer C library than the system's, they are
# started through the loader of the one that comes with them.
set -euo pipefail
release=${1:?stock.sh RELEASE FOLDER} folder=${2:?stock.sh RELEASE FOLDER}
case $release in
    25) suite=bookworm libssl=libssl3 ;;
    27) suite=trixie libssl=libssl3t64 ;;
    29) suite=forky libssl=libssl3t64 ;;
    *) echo "stock.sh: no suite of Debian is known for OTP $release" >&2; exit 2 ;;
esac
place=$(mkdir -p "$folder" && cd "$folder" && pwd)/otp-$release
[ -x "$place/erl" ] && exit 0
tell='io:put_chars(erlang:system_info(otp_release)), halt().'
[ "$(erl -noshell -eval "$tell" 2>/dev/null || true)" = "$release" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "stock.sh: this is no Debian" >&2; exit 1; }
making=$place.making
rm -rf "$making" "$place"
mkdir -p "$making/apt/lists/partial" "$making/packages" "$making/root"

source=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
    grep -v security | head -n 1)
[ -n "$source" ] || { echo "stock.sh: apt has no source of Debian's packages" >&2; exit 1; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $source $suite main" >"$making/apt/sources.list"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$making/apt/sources.list" -o Dir::Etc::SourceParts=/nonexistent
     -o "Dir::State::Lists=$making/apt/lists" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$making/packages" && "${apt[@]}" download $(printf "%s/$suite " \
    erlang-{base,asn1,crypto,debugger,dev,inets,mnesia,observer,parsetools,public-key,reltool,runtime-tools} \
    erlang-{ssh,ssl,syntax-tools,tools} \
    libc6 libcap2 libgcc-s1 libsctp1 "$libssl" libstdc++6 libsystemd0 libtinfo6 zlib1g))
for package in "$making"/packages/*.deb; do dpkg-deb -x "$package" "$making/root"; done
rm -r "$making/packages" "$making/apt"
mv "$making" "$place"

root=$place/root/usr/lib/erlang
programs=$(dirname "$(find "$root" -name beam.smp)")
own_loader=
# Not a pipe into `grep -q`, which ends `find` by a signal at its first match, so that the pipe fails.
needs=$(find "$programs" "$root/lib" \( -name '*.so' -o -name beam.smp \) -exec ldd {} + 2>&1 || true)
if grep -q 'not found' <<<"$needs"; then
    libraries=$(dirname "$(find "$place/root" -name 'libc.so.6' | head -n 1)")
    own_loader="$(find "$libraries" -name 'ld-linux-*.so.*' | head -n 1) --library-path $libraries "
    for name in beam.smp erl_child_setup inet_gethost; do
        mv "$programs/$name" "$programs/$name.program"
        printf '#!/bin/sh\nexec %s%s.program "$@"\n' "$own_loader" "$programs/$name" >"$programs/$name"
        chmod +x "$programs/$name"
    done
fi
for name in epmd erlc erl; do
    program=$programs/$name machine=
    [ $name = erl ] && program=$programs/erlexec
    [ $name = erlc ] && machine=" ERLC_EMULATOR=$place/erl"
    cat >"$place/$name" <<END
#!/bin/sh
export ROOTDIR=$root BINDIR=$programs EMU=beam PROGNAME=$place/erl$machine
exec $own_loader$program "\$@"
END
    chmod +x "$place/$name"
done
