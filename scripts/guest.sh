#!/bin/sh
# Makes a Linux guest for PEER=rxe: Debian's own kernel with its software RoCE (rdma_rxe), rping and what these need, and a QEMU to run it.
# Everything comes from Debian's packages, which are downloaded and unpacked below FOLDER; nothing is installed on this machine.
#
#   scripts/guest.sh [FOLDER]       default build/guest
#
# Leaves FOLDER/vmlinuz, FOLDER/initrd.gz, FOLDER/mtu, the longest that the guest takes, and FOLDER/start, a script that starts QEMU:
#
#   FOLDER/start LOCAL REMOTE [NAME=VALUE...]     LOCAL, REMOTE: Unix datagram sockets, one datagram is one Ethernet frame, QEMU binds LOCAL
#
# NAME=VALUE are for the guest's init (scripts/guest/init): ADDR=10.0.0.2/24. Its console is standard input, where it takes commands, and
# standard output. ACCEL=kvm in the environment: with KVM; never by itself, because there are machines where it opens and then hangs. A
# QEMU that is installed is used, else one is unpacked, too.
#
# About 150 MB are downloaded the first time. What is there already is kept as long as the kernel package is the one that Debian offers.
set -eu
export LC_ALL=C
folder=${1:-build/guest}
here=$(cd "$(dirname "$0")/guest" && pwd)
pattern=$here/../../sim/app/roce/traffic/roce_pattern
fail() { echo "guest: $*" >&2; exit 1; }
say() { [ ! -t 2 ] || echo "  GUEST   $*" >&2; }

for tool in apt-get apt-cache dpkg-deb gzip objdump gcc; do
    command -v $tool >/dev/null || fail "$tool is missing: expected Debian 12 with gcc"
done
kernel=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
[ -n "$kernel" ] || fail "apt knows no linux-image-amd64: expected package lists of Debian 12 (apt-get update)"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
made=$(cat "$here"/* "$pattern".[ch] "$here/../guest.sh" | cksum; apt-cache show "$kernel" | sed -n 's/^Version: //p' | head -1)
[ "$made" != "$(cat "$folder/made" 2>/dev/null)" ] || exit 0
exec 9>"$folder/lock"
flock 9
rm -f "$folder/made"

# ---- packages
programs="busybox-static iproute2 rdmacm-utils ibverbs-providers"
closure=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances $programs |
    grep '^lib\|^zlib' | grep -v '^libpam\|^libsemanage\|-common$' | sort -u)
emulator=
command -v qemu-system-x86_64 >/dev/null ||
    emulator=$(apt-get -s install --no-install-recommends qemu-system-x86 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p')
mkdir -p "$folder/packages" "$folder/root" "$folder/host"
cd "$folder/packages"
fetch() { # packages: those that are not here yet
    for p in "$@"; do
        ls "${p}"_*.deb >/dev/null 2>&1 && continue
        say "$p"
        apt-get -qq download "$p" 2>"$folder/apt.log" || { sed 's/^/guest: /' "$folder/apt.log" >&2; fail "cannot download package $p"; }
    done
}
unpack() { # FOLDER PACKAGE...
    into=$1
    shift
    for p in "$@"; do dpkg-deb -x "$(ls -t "${p}"_*.deb | head -1)" "$into" || fail "cannot unpack package $p: is the disk full?"; done
}
rm -f linux-image-*.deb.old
fetch "$kernel" $programs $closure libibverbs-dev $emulator
unpack "$folder/root" "$kernel" $programs $closure libibverbs-dev
[ -z "$emulator" ] || unpack "$folder/host" $emulator
cd "$folder"

# ---- initramfs
release=$(ls root/lib/modules)
rm -rf image
mkdir -p image/bin image/lib/modules image/lib64 image/dev image/proc image/sys image/tmp image/etc/libibverbs.d
modules="virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net crc32_generic
         udp_tunnel ip6_udp_tunnel ib_core ib_uverbs rdma_rxe configfs ib_cm iw_cm rdma_cm rdma_ucm"
: >image/lib/modules/order
for m in $modules; do
    at=$(find "root/lib/modules/$release" -name "$m.ko" -o -name "$m.ko.xz" | head -1)
    case $at in
        '') continue ;; # in the kernel itself
        *.xz) xz -dc "$at" >"image/lib/modules/$m.ko" ;;
        *) cp "$at" "image/lib/modules/$m.ko" ;;
    esac
    echo "$m" >>image/lib/modules/order
done
grep -q rdma_rxe image/lib/modules/order || fail "$kernel has no module rdma_rxe: expected Debian's kernel for amd64"
library() { find root/lib root/usr/lib -name "$1" | head -1; }
needs() { # FILE: copies the libraries it is linked with, and theirs
    for l in $(objdump -p "$1" | sed -n 's/^ *NEEDED *//p'); do
        [ ! -e "image/lib/$l" ] || continue
        at=$(library "$l")
        [ -n "$at" ] || fail "$1 needs $l, which is in no package that was unpacked"
        cp -L "$at" "image/lib/$l"
        needs "image/lib/$l"
    done
}
for p in bin/busybox bin/ip usr/bin/rdma usr/bin/rping; do
    [ ! -e "root/$p" ] || { cp -L "root/$p" image/bin/; needs "root/$p"; }
done
rxe=$(find root/usr/lib -name 'librxe-rdmav*.so' | head -1)
mkdir -p "image/$(dirname "${rxe#root/}")"
cp -L "$rxe" "image/${rxe#root/}"
needs "$rxe"
cp root/etc/libibverbs.d/rxe.driver image/etc/libibverbs.d/
[ -e image/lib/libgcc_s.so.1 ] || cp -L "$(library libgcc_s.so.1)" image/lib/ # rping ends a thread with it
cp -L "$(library ld-linux-x86-64.so.2)" image/lib64/
gcc -Wall -Wextra -O2 -I root/usr/include -iquote "$(dirname "$pattern")" -o image/bin/verbs "$here/verbs.c" "$pattern.c" \
    "$(library libibverbs.so.1)" -Wl,--allow-shlib-undefined || fail "cannot compile $here/verbs.c"
needs image/bin/verbs
gcc -Wall -Wextra -O2 -shared -fPIC -o image/lib/rping_end.so "$here/rping_end.c"
cp "$here/init" image/init
chmod 755 image/init
ln -sf busybox image/bin/sh
(cd image && find . | ../root/bin/busybox cpio -o -H newc 2>/dev/null | gzip -1) >initrd.part ||
    fail "cannot write $folder/initrd.gz: is the disk full?"
mv initrd.part initrd.gz
cp "root/boot/vmlinuz-$release" vmlinuz

# ---- how to start it
{
    echo '#!/bin/sh'
    echo "# Starts the guest of this folder (scripts/guest.sh)."
    if [ -n "$emulator" ]; then
        echo "host='$folder/host'"
        echo 'export LD_LIBRARY_PATH=$host/usr/lib/x86_64-linux-gnu:$host/lib/x86_64-linux-gnu'
        echo 'set -- "$host/usr/bin/qemu-system-x86_64" "$host" "$@"'
    else
        echo "set -- '$(command -v qemu-system-x86_64)' '' \"\$@\""
    fi
    # One CPU, but a place for a second one: else QEMU leaves memory barriers out (before 8.1), and with them now and then a packet's kick.
    # no_timer_check: on a busy machine Linux finds its timer too slow when it looks whether it works at all, and gives up.
    cat <<'END'
qemu=$1 host=$2 local=$3 remote=$4
shift 4
guest=$(dirname "$0")
exec "$qemu" ${host:+-L "$host/usr/share/qemu" -L "$host/usr/share/seabios" -L "$host/usr/lib/ipxe/qemu"} \
    -accel "${ACCEL:-tcg}" -cpu max -m 512 -smp 1,maxcpus=2 -nodefaults -display none -serial stdio -monitor none -no-reboot \
    -kernel "$guest/vmlinuz" -initrd "$guest/initrd.gz" -append "console=ttyS0 quiet panic=-1 no_timer_check $*" \
    -netdev dgram,id=n0,local.type=unix,local.path="$local",remote.type=unix,remote.path="$remote" \
    -device virtio-net-pci,netdev=n0,mac=52:54:00:00:00:02,host_mtu=4400,csum=off,guest_csum=off
END
} >start
chmod 755 start
echo 4400 >mtu
printf '%s\n' "$made" >made
echo "guest: $release in $folder"
