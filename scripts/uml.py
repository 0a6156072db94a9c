"""Makes the second guest for PEER=rxe: User-mode Linux, of the sources of Debian's kernel, a program of this machine
that boots in two seconds. Its network takes an MTU of 1500 at most, hence a path MTU of 1024. guest.py has made FOLDER,
whose initramfs it runs.

    python3 -S scripts/tool.py uml [FOLDER]         default build/guest
    python3 -S scripts/tool.py uml FOLDER mtu       only FOLDER/uml/mtu, by which options are checked before anything is
                                                    made

Leaves FOLDER/uml/linux and FOLDER/uml/start, which is called as FOLDER/start is (guest.py). The first time this
downloads 140 MB and compiles for 10 to 20 minutes of processor time; meanwhile it needs 2 GB below FOLDER/uml, of which
20 MB are left. Tools that are not installed (flex, bison) are unpacked there, too. JOBS: compilers at a time."""
import os

import kernel
from common import checksum, need, read, write

OFF = """MODULES DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT DEBUG_KERNEL IKCONFIG CGROUPS IO_URING EXT4_FS REISERFS_FS
         ISO9660_FS AUTOFS_FS QUOTA SOUND UML_SOUND BLK_DEV_UBD WIRELESS WLAN ETHERNET IPV6_SIT HOSTFS SLIP PPP TUN
         DUMMY USB_SUPPORT HID_SUPPORT INPUT""".split()
ON = """DEBUG_INFO_NONE VIRTIO VIRTIO_UML PCI UML_PCI_OVER_VIRTIO UML_NET_VECTOR IPV6 INFINIBAND INFINIBAND_USER_ACCESS
        INFINIBAND_ADDR_TRANS RDMA_RXE CONFIGFS_FS DEVTMPFS BLK_DEV_INITRD NET INET CRYPTO_CRC32""".split()
START = r"""#!/bin/sh
# Starts the User-mode Linux of this folder (scripts/uml.py).
local=$1 remote=$2
shift 2
guest=$(cd "$(dirname "$0")" && pwd)
rm -rf "$guest/run" # of those that were killed
exec "$guest/on_socket" "$local" "$remote" "$guest/linux" linux mem=256M initrd="$guest/../initrd.gz" con=null \
    con0=fd:0,fd:1 con1=null quiet panic=-1 uml_dir="$guest/run/" \
    vec0:transport=fd,fd=9,mac=52:54:00:00:00:02,depth=64,gro=0 BUILTIN=1 "$@"
"""
uml = kernel.Kernel("uml")


def main(arguments):
    guest, here = (arguments or ["build/guest"])[0], os.path.realpath(os.path.dirname(__file__)) + "/guest"
    os.makedirs(guest + "/uml", exist_ok=True)
    write(guest + "/uml/mtu", "1500\n")
    if arguments[1:2] == ["mtu"]: return
    if not os.path.exists(guest + "/initrd.gz"):
        uml.fail(guest + "/initrd.gz is missing: expected a guest that scripts/guest.py has made")
    version = uml.known()
    if not version: uml.fail(f"apt knows no {uml.PACKAGE}: expected package lists of Debian 12 (apt-get update)")
    patches = uml.patches("0002")  # the others are about a PCI bus, which this guest has not
    folder, sources = os.path.realpath(guest + "/uml"), [here + "/on_socket.c", __file__, kernel.__file__, *patches]
    made = f"{checksum(*map(read, sources))}\n{version}\n"
    if not uml.begin(folder, made): return
    os.chdir(folder)
    uml.sources(patches)
    # rxe depends on PCI, and PCI on a number for its bridge
    uml.configure(OFF, ON, {"UML_PCI_OVER_VIRTIO_DEVICE_ID": 1234}, ["RDMA_RXE"])
    uml.compile("linux")
    need("gcc", "-Wall", "-Wextra", "-O2", "-o", "on_socket", here + "/on_socket.c")
    write("start", START)
    os.chmod("start", 0o755)
    uml.clean("source")
    write("made", made)
    print(f"uml: Linux {version} in {folder}")
