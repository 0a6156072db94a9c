#!/bin/sh
# Makes the second guest for PEER=rxe: User-mode Linux, of the sources of Debian's kernel, a program of this machine that boots in two
# seconds. Its network takes an MTU of 1500 at most, hence a path MTU of 1024. scripts/guest.sh has made FOLDER, whose initramfs it runs.
#
#   scripts/uml.sh [FOLDER]         default build/guest
#   scripts/uml.sh FOLDER mtu       only FOLDER/uml/mtu, by which options are checked before anything is made
#
# Leaves FOLDER/uml/linux and FOLDER/uml/start, which is called as FOLDER/start is (scripts/guest.sh). The first time this downloads
# 140 MB and compiles for 10 to 20 minutes of processor time; meanwhile it needs 2 GB below FOLDER/uml, of which 20 MB are left. Tools that
# are not installed (flex, bison) are unpacked there, too. JOBS: compilers at a time.
set -eu
export LC_ALL=C
folder=${1:-build/guest}
here=$(cd "$(dirname "$0")/guest" && pwd)
fail() { echo "uml: $*" >&2; exit 1; }
say() { [ ! -t 2 ] || echo "  UML     $*" >&2; }

mkdir -p "$folder/uml"
echo 1500 >"$folder/uml/mtu"
[ "${2:-}" != mtu ] || exit 0
package=linux-source-6.1
[ -e "$folder/initrd.gz" ] || fail "$folder/initrd.gz is missing: expected a guest that scripts/guest.sh has made"
version=$(apt-cache show $package 2>/dev/null | sed -n 's/^Version: //p' | head -1)
[ -n "$version" ] || fail "apt knows no $package: expected package lists of Debian 12 (apt-get update)"
folder=$(cd "$folder/uml" && pwd)
made=$(cat "$here/on_socket.c" "$here/../uml.sh" | cksum; echo "$version")
[ "$made" != "$(cat "$folder/made" 2>/dev/null)" ] || exit 0
exec 9>"$folder/lock"
flock 9
rm -f "$folder/made"
cd "$folder"
[ "$(df -Pk . | awk 'NR == 2 { print $4 }')" -gt 2500000 ] || fail "$folder: expected 2.5 GB of room while Linux is compiled"

fetch() { # packages
    for p in "$@"; do
        say "$p"
        apt-get -qq download "$p" 2>apt.log || { sed 's/^/uml: /' apt.log >&2; fail "cannot download package $p"; }
    done
}

# ---- tools
tools=
for t in flex bison m4 bc; do command -v $t >/dev/null || tools="$tools $t"; done
if [ -n "$tools" ]; then
    fetch $tools libfl2
    for p in $tools libfl2; do dpkg-deb -x "$p"_*.deb tools || fail "cannot unpack package $p: is the disk full?"; done
    PATH=$folder/tools/usr/bin:$PATH
    export PATH M4="$folder/tools/usr/bin/m4" BISON_PKGDATADIR="$folder/tools/usr/share/bison"
    export LD_LIBRARY_PATH="$folder/tools/usr/lib/x86_64-linux-gnu"
    [ -x "$M4" ] || unset M4
fi

# ---- sources; documentation and tests are half of them
ls "$package"_*.deb >/dev/null 2>&1 || fetch $package
say "unpacks the sources of Linux"
rm -rf source
mkdir source
dpkg-deb --fsys-tarfile "$(ls -t ${package}_*.deb | head -1)" | tar -xO "./usr/src/$package.tar.xz" | xz -dc |
    tar -x -C source --strip-components=1 --exclude='*/Documentation/*/*' --exclude='*/tools/testing/*' ||
    fail "cannot unpack $package: is the disk full?"

# ---- Linux
cd source
# The state of a CPU with AMX, 11 KB, does not fit into the buffer that these sources have for it; it lies on the stack, too.
sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 16384)/' arch/x86/um/user-offsets.c
grep -q 'HOST_FP_SIZE, 16384' arch/x86/um/user-offsets.c || fail "$package: expected HOST_FP_SIZE, 2696 in arch/x86/um/user-offsets.c"
make -s ARCH=um defconfig >../build.log 2>&1 || fail "cannot set up the sources, see $folder/build.log"
off="MODULES DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT DEBUG_KERNEL IKCONFIG CGROUPS IO_URING EXT4_FS REISERFS_FS ISO9660_FS AUTOFS_FS QUOTA
     SOUND UML_SOUND BLK_DEV_UBD WIRELESS WLAN ETHERNET IPV6_SIT HOSTFS SLIP PPP TUN DUMMY USB_SUPPORT HID_SUPPORT INPUT"
on="DEBUG_INFO_NONE VIRTIO VIRTIO_UML PCI UML_PCI_OVER_VIRTIO UML_NET_VECTOR IPV6 INFINIBAND INFINIBAND_USER_ACCESS INFINIBAND_ADDR_TRANS
    RDMA_RXE CONFIGFS_FS DEVTMPFS BLK_DEV_INITRD NET INET CRYPTO_CRC32"
for c in $off; do ./scripts/config -d "$c"; done
for c in $on; do ./scripts/config -e "$c"; done
# rxe depends on PCI, and PCI on a number for its bridge
./scripts/config --set-val UML_PCI_OVER_VIRTIO_DEVICE_ID 1234 --set-val KERNEL_STACK_ORDER 4
make -s ARCH=um olddefconfig >>../build.log 2>&1 || fail "cannot set up the sources, see $folder/build.log"
grep -q '^CONFIG_RDMA_RXE=y' .config || fail "$package has no RDMA_RXE for User-mode Linux: expected Debian's 6.1"
say "compiles Linux (10 to 20 minutes of processor time), see $folder/build.log"
nice make ARCH=um -j"${JOBS:-$(nproc)}" linux >>../build.log 2>&1 || {
    tail -5 ../build.log >&2
    fail "cannot compile Linux, see $folder/build.log"
}
strip -o ../linux linux
cd ..
gcc -Wall -Wextra -O2 -o on_socket "$here/on_socket.c"
cat >start <<'END'
#!/bin/sh
# Starts the User-mode Linux of this folder (scripts/uml.sh).
local=$1 remote=$2
shift 2
guest=$(cd "$(dirname "$0")" && pwd)
rm -rf "$guest/run" # of those that were killed
exec "$guest/on_socket" "$local" "$remote" "$guest/linux" linux mem=256M initrd="$guest/../initrd.gz" con=null con0=fd:0,fd:1 con1=null \
    quiet panic=-1 uml_dir="$guest/run/" vec0:transport=fd,fd=9,mac=52:54:00:00:00:02,depth=64,gro=0 BUILTIN=1 "$@"
END
chmod 755 start
rm -rf source tools ./*.deb
printf '%s\n' "$made" >made
echo "uml: Linux $version in $folder"
