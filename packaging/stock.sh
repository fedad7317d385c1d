#!/bin/bash
# Unpacks stock OTP of another release, for tests that compare ferl with it (`cargo xtask differential --release 27`).
#   packaging/stock.sh 27 FOLDER    makes FOLDER/otp-27/erl
# Nothing is installed: packages of a later suite of Debian, from where this system has its own, are unpacked with the C
# library they need. Their programs are started through that library's loader.
set -euo pipefail
release=${1:?stock.sh RELEASE FOLDER} folder=${2:?stock.sh RELEASE FOLDER}
case $release in
    27) suite=trixie ;;
    29) suite=forky ;;
    *) echo "stock.sh: no suite of Debian is known for OTP $release" >&2; exit 2 ;;
esac
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "stock.sh: this is no Debian" >&2; exit 1; }
place=$(mkdir -p "$folder" && cd "$folder" && pwd)/otp-$release
[ -x "$place/erl" ] && exit 0
making=$place.making
rm -rf "$making" "$place"
mkdir -p "$making/apt/lists/partial" "$making/packages" "$making/root"

source=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
[ -n "$source" ] || { echo "stock.sh: apt has no source of Debian's packages" >&2; exit 1; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $source $suite main" >"$making/apt/sources.list"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$making/apt/sources.list" -o Dir::Etc::SourceParts=/nonexistent
     -o "Dir::State::Lists=$making/apt/lists" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$making/packages" && "${apt[@]}" download $(printf "%s/$suite " \
    erlang-{base,asn1,crypto,debugger,inets,mnesia,parsetools,public-key,runtime-tools,ssh,ssl,syntax-tools,tools} \
    libc6 libcap2 libgcc-s1 libsctp1 libssl3t64 libstdc++6 libsystemd0 libtinfo6 zlib1g))
for package in "$making"/packages/*.deb; do dpkg-deb -x "$package" "$making/root"; done
rm -r "$making/packages" "$making/apt"
mv "$making" "$place"

root=$place/root/usr/lib/erlang
libraries=$(dirname "$(find "$place/root" -name 'libc.so.6' | head -n 1)")
loader=$(find "$libraries" -name 'ld-linux-*.so.*' | head -n 1)
programs=$(dirname "$(find "$root" -name beam.smp)")
for name in beam.smp erl_child_setup inet_gethost; do
    mv "$programs/$name" "$programs/$name.program"
    printf '#!/bin/sh\nexec %s --library-path %s %s.program "$@"\n' "$loader" "$libraries" "$programs/$name" >"$programs/$name"
    chmod +x "$programs/$name"
done
cat >"$place/erl" <<END
#!/bin/sh
export ROOTDIR=$root BINDIR=$programs EMU=beam PROGNAME=erl
exec $loader --library-path $libraries $programs/erlexec "\$@"
END
chmod +x "$place/erl"
