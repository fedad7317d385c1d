#!/bin/sh
# OTP's ssh, inets and ssl, on stock and on ferl, beside Debian's OpenSSH (ssh, sftp, sshd), curl and openssl; what they
# say is compared:
#
#     packaging/other_programs.sh [FERL]
#
# It must run as root: sshd, which is unpacked into a temporary folder and not installed, wants a user of its own, which
# it gets in a name space of mounts. Exit status 1 if a line differs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
ferl=$(realpath "${1:-$here/../target/release/ferl}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
for package in openssh-server openssh-sftp-server libwrap0 libselinux1; do
    apt-get -q download "$package" > apt.log 2>&1 || { cat apt.log; echo "cannot download $package"; exit 2; }
done
for package in ./*.deb; do dpkg -x "$package" root; done
erlc "$here/other_programs.erl"
cp /etc/passwd passwd
grep -q '^sshd:' passwd || echo 'sshd:x:65000:65534::/run/sshd:/usr/sbin/nologin' >> passwd
mkdir -p /run/sshd
cat > sshd <<END
#!/bin/sh
exec unshare -m sh -c 'mount --bind "\$0" /etc/passwd && exec "\$@"' $place/passwd $place/root/usr/sbin/sshd "\$@"
END
chmod +x sshd
export LD_LIBRARY_PATH="$place/root/usr/lib/x86_64-linux-gnu:$place/root/lib/x86_64-linux-gnu"
run() {
    mkdir "$1"
    (cd "$1" && timeout -s KILL 180 "$2" -noshell -pa "$place" -s other_programs start \
        -extra "$place/sshd" ssh sftp > ../"$1".txt)
}
run stock erl
run ferl "$ferl"
cat stock.txt
diff -a stock.txt ferl.txt && echo "$(wc -l < stock.txt) lines, no difference"
