"""Makes the second guest for PEER=rxe: User-mode Linux, of the sources of Debian's kernel, a program of this machine
that boots in two seconds. Its network takes an MTU of 1500 at most, hence a path MTU of 1024. guest.py has made FOLDER,
whose initramfs it runs.

    python3 -S scripts/tool.py uml [FOLDER]         default build/guest
    python3 -S scripts/tool.py uml FOLDER mtu       only FOLDER/uml/mtu, by which options are checked before anything is
                                                    made

Leaves FOLDER/uml/linux and FOLDER/uml/start, which is called as FOLDER/start is (guest.py). The first time this
downloads 140 MB and compiles for 10 to 20 minutes of processor time; meanwhile it needs 2 GB below FOLDER/uml, of which
20 MB are left. Tools that are not installed (flex, bison) are unpacked there, too. JOBS: compilers at a time."""
import glob, os, shutil

from common import checksum, code_of, need, read, warn, write
from guest import Maker

PACKAGE, OFFSETS = "linux-source-6.1", "arch/x86/um/user-offsets.c"
OFF = """MODULES DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT DEBUG_KERNEL IKCONFIG CGROUPS IO_URING EXT4_FS REISERFS_FS
         ISO9660_FS AUTOFS_FS QUOTA SOUND UML_SOUND BLK_DEV_UBD WIRELESS WLAN ETHERNET IPV6_SIT HOSTFS SLIP PPP TUN
         DUMMY USB_SUPPORT HID_SUPPORT INPUT"""
ON = """DEBUG_INFO_NONE VIRTIO VIRTIO_UML PCI UML_PCI_OVER_VIRTIO UML_NET_VECTOR IPV6 INFINIBAND INFINIBAND_USER_ACCESS
        INFINIBAND_ADDR_TRANS RDMA_RXE CONFIGFS_FS DEVTMPFS BLK_DEV_INITRD NET INET CRYPTO_CRC32"""
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
uml = Maker("uml")


def unpack_tools(folder):
    tools = [t for t in ("flex", "bison", "m4", "bc") if not shutil.which(t)]
    if not tools: return
    uml.fetch([*tools, "libfl2"], "apt.log")
    for p in (*tools, "libfl2"): uml.unpack(p, "tools")
    usr = folder + "/tools/usr"
    os.environ.update(PATH=f"{usr}/bin:{os.environ['PATH']}", BISON_PKGDATADIR=usr + "/share/bison",
                      LD_LIBRARY_PATH=usr + "/lib/x86_64-linux-gnu")
    if os.access(usr + "/bin/m4", os.X_OK): os.environ["M4"] = usr + "/bin/m4"
    else: os.environ.pop("M4", None)


def compile_linux(log):
    """In its sources; leaves ../linux."""
    def make(mode, *goal, nice=()):
        with open("../build.log", mode) as out: return code_of(*nice, "make", *goal, stdout=out, stderr=out)

    # The state of a CPU with AMX, 11 KB, does not fit into the buffer that these sources have for it; it lies on the
    # stack, too.
    write(OFFSETS, read(OFFSETS).replace("DEFINE_LONGS(HOST_FP_SIZE, 2696)", "DEFINE_LONGS(HOST_FP_SIZE, 16384)"))
    if "HOST_FP_SIZE, 16384" not in read(OFFSETS): uml.fail(f"{PACKAGE}: expected HOST_FP_SIZE, 2696 in {OFFSETS}")
    if make("w", "-s", "ARCH=um", "defconfig"): uml.fail("cannot set up the sources, see " + log)
    for c in OFF.split(): need("./scripts/config", "-d", c)
    for c in ON.split(): need("./scripts/config", "-e", c)
    # rxe depends on PCI, and PCI on a number for its bridge
    need("./scripts/config", "--set-val", "UML_PCI_OVER_VIRTIO_DEVICE_ID", "1234", "--set-val", "KERNEL_STACK_ORDER",
         "4")
    if make("a", "-s", "ARCH=um", "olddefconfig"): uml.fail("cannot set up the sources, see " + log)
    if "\nCONFIG_RDMA_RXE=y" not in "\n" + read(".config"):
        uml.fail(PACKAGE + " has no RDMA_RXE for User-mode Linux: expected Debian's 6.1")
    uml.say("compiles Linux (10 to 20 minutes of processor time), see " + log)
    if make("a", "ARCH=um", f"-j{os.environ.get('JOBS') or len(os.sched_getaffinity(0))}", "linux", nice=["nice"]):
        warn("\n".join(read(log).splitlines()[-5:]))
        uml.fail("cannot compile Linux, see " + log)
    need("strip", "-o", "../linux", "linux")


def main(arguments):
    guest, here = (arguments or ["build/guest"])[0], os.path.realpath(os.path.dirname(__file__)) + "/guest"
    os.makedirs(guest + "/uml", exist_ok=True)
    write(guest + "/uml/mtu", "1500\n")
    if arguments[1:2] == ["mtu"]: return
    if not os.path.exists(guest + "/initrd.gz"):
        uml.fail(guest + "/initrd.gz is missing: expected a guest that scripts/guest.py has made")
    version = uml.version(PACKAGE)
    if not version: uml.fail(f"apt knows no {PACKAGE}: expected package lists of Debian 12 (apt-get update)")
    folder, made = (os.path.realpath(guest + "/uml"),
                    f"{checksum(read(here + '/on_socket.c'), read(__file__))}\n{version}\n")
    if not uml.begin(folder, made): return
    os.chdir(folder)
    if shutil.disk_usage(".").free <= 2500000 * 1024:
        uml.fail(folder + ": expected 2.5 GB of room while Linux is compiled")
    unpack_tools(folder)
    # documentation and tests are half of the sources
    if not glob.glob(PACKAGE + "_*.deb"): uml.fetch([PACKAGE], "apt.log")
    uml.say("unpacks the sources of Linux")
    shutil.rmtree("source", ignore_errors=True)
    os.mkdir("source")
    if code_of("sh", "-c", f"""dpkg-deb --fsys-tarfile "$(ls -t {PACKAGE}_*.deb | head -1)" |
               tar -xO ./usr/src/{PACKAGE}.tar.xz | xz -dc |
               tar -x -C source --strip-components=1 --exclude='*/Documentation/*/*' --exclude='*/tools/testing/*'"""):
        uml.fail(f"cannot unpack {PACKAGE}: is the disk full?")
    os.chdir("source")
    compile_linux(folder + "/build.log")
    os.chdir(folder)
    need("gcc", "-Wall", "-Wextra", "-O2", "-o", "on_socket", here + "/on_socket.c")
    write("start", START)
    os.chmod("start", 0o755)
    for left in ("source", "tools"): shutil.rmtree(left, ignore_errors=True)
    for left in glob.glob("*.deb"): os.remove(left)
    write("made", made)
    print(f"uml: Linux {version} in {folder}")
