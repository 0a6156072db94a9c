"""Makes a Linux guest for PEER=rxe: Debian's own kernel with its software RoCE (rdma_rxe), rping and what these need,
and a QEMU to run it. Everything comes from Debian's packages, which are downloaded and unpacked below FOLDER; nothing
is installed on this machine.

    python3 -S scripts/tool.py guest [FOLDER]       default build/guest

Leaves FOLDER/vmlinuz, FOLDER/initrd.gz, FOLDER/mtu, the longest that the guest takes, and FOLDER/start, for QEMU:

    FOLDER/start LOCAL REMOTE [NAME=VALUE...]     LOCAL, REMOTE: Unix datagram sockets, one datagram is one Ethernet
                                                  frame, QEMU binds LOCAL

NAME=VALUE are for the guest's init (scripts/guest/init): ADDR=10.0.0.2/24. Its console is standard input, where it
takes commands, and standard output. ACCEL=kvm in the environment: with KVM; never by itself, because there are machines
where it opens and then hangs. A QEMU that is installed is used, else one is unpacked, too.

About 150 MB are downloaded the first time. What is there already is kept as long as the kernel package is the one that
Debian offers."""
import glob, os, re, shutil, subprocess, sys

import common
from common import checksum, code_of, find, lock, need, read, says, write

PROGRAMS = "busybox-static iproute2 rdmacm-utils ibverbs-providers".split()
MODULES = """virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net
    crc32_generic udp_tunnel ip6_udp_tunnel ib_core ib_uverbs rdma_rxe configfs ib_cm iw_cm rdma_cm rdma_ucm""".split()
NO = "recommends suggests conflicts breaks replaces enhances".split()
# One CPU, but a place for a second one: else QEMU leaves memory barriers out (before 8.1), and with them now and then a
# packet's kick. no_timer_check: on a busy machine Linux finds its timer too slow when it looks whether it works at all,
# and then fails.
START = r"""#!/bin/sh
# Starts the guest of this folder (scripts/guest.py).
%s
qemu=$1 host=$2 local=$3 remote=$4
shift 4
guest=$(dirname "$0")
exec "$qemu" ${host:+-L "$host/usr/share/qemu" -L "$host/usr/share/seabios" -L "$host/usr/lib/ipxe/qemu"} \
    -accel "${ACCEL:-tcg}" -cpu max -m 512 -smp 1,maxcpus=2 -nodefaults -display none -serial stdio -monitor none \
    -no-reboot -kernel "$guest/vmlinuz" -initrd "$guest/initrd.gz" \
    -append "console=ttyS0 quiet panic=-1 no_timer_check $*" \
    -netdev dgram,id=n0,local.type=unix,local.path="$local",remote.type=unix,remote.path="$remote" \
    -device virtio-net-pci,netdev=n0,mac=52:54:00:00:00:02,host_mtu=4400,csum=off,guest_csum=off
"""
UNPACKED = """host='%s/host'
export LD_LIBRARY_PATH=$host/usr/lib/x86_64-linux-gnu:$host/lib/x86_64-linux-gnu
set -- "$host/usr/bin/qemu-system-x86_64" "$host" "$@\""""


class Maker:
    """How a guest is made; uml.py makes the other one."""

    def __init__(self, name): self.name = name

    def fail(self, text): common.stop(f"{self.name}: {text}")

    def say(self, text):
        if sys.stderr.isatty(): common.warn(f"  {self.name.upper():<7} {text}")

    def version(self, package):
        # without one of that name apt shows others that match it as a pattern: linux-source-6.12
        shown = says("apt-cache", "show", package)
        found = re.search(rf"^Package: {re.escape(package)}\n(?:.+\n)*?Version: (.*)", shown, re.M)
        return found[1] if found else ""

    def installed(self, package):
        found = re.search("^installed (.*)", says("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package))
        return found[1] if found else ""

    def begin(self, folder, made):
        """Whether what is there is not that; from here on no other one makes it."""
        if read(folder + "/made") == made: return False
        lock(folder + "/lock")
        if os.path.exists(folder + "/made"): os.remove(folder + "/made")
        return True

    def fetch(self, packages, log):
        for p in packages:
            self.say(p)
            with open(log, "w") as out: code = code_of("apt-get", "-qq", "download", p, stderr=out)
            if not code: continue
            for line in read(log).splitlines(): common.warn(f"{self.name}: {line}")
            self.fail("cannot download package " + p)

    def unpack(self, package, into):
        newest = max(glob.glob(package + "_*.deb"), key=os.path.getmtime)
        if code_of("dpkg-deb", "-x", newest, into): self.fail(f"cannot unpack package {package}: is the disk full?")


make = Maker("guest")


def library(name, *roots):
    return next(iter(find(*(roots or ("root/lib", "root/usr/lib")), name=re.compile(name).fullmatch)), "")


def needs(file):
    """Copies the libraries it is linked with, and theirs."""
    dump = subprocess.run(["objdump", "-p", file], stdout=subprocess.PIPE, errors="surrogateescape", check=False).stdout
    for name in re.findall("^ *NEEDED *(.*)", dump, re.M):
        if os.path.exists("image/lib/" + name): continue
        at = library(re.escape(name))
        if not at: make.fail(f"{file} needs {name}, which is in no package that was unpacked")
        needs(shutil.copy(at, "image/lib/" + name))


def image(kernel, here, tree, pattern):
    """The initramfs, of what has been unpacked."""
    release = " ".join(sorted(os.listdir("root/lib/modules")))
    shutil.rmtree("image", ignore_errors=True)
    for folder in "bin lib/modules lib64 dev proc sys tmp etc/libibverbs.d".split(): os.makedirs("image/" + folder)
    order = []
    for m in MODULES:
        at = library(m + r"\.ko(\.xz)?", "root/lib/modules/" + release)
        if not at: continue  # in the kernel itself
        if at.endswith(".xz"):
            with open(f"image/lib/modules/{m}.ko", "wb") as out: need("xz", "-dc", at, stdout=out)
        else: shutil.copy(at, f"image/lib/modules/{m}.ko")
        order.append(m)
    write("image/lib/modules/order", "".join(m + "\n" for m in order))
    if "rdma_rxe" not in order: make.fail(f"{kernel} has no module rdma_rxe: expected Debian's kernel for amd64")
    for p in filter(os.path.exists, ("root/bin/busybox", "root/bin/ip", "root/usr/bin/rdma", "root/usr/bin/rping")):
        shutil.copy(p, "image/bin/")
        needs(p)
    rxe = library(r"librxe-rdmav.*\.so", "root/usr/lib")
    os.makedirs(os.path.dirname(rxe.replace("root", "image", 1)), exist_ok=True)
    shutil.copy(rxe, rxe.replace("root", "image", 1))
    needs(rxe)
    shutil.copy("root/etc/libibverbs.d/rxe.driver", "image/etc/libibverbs.d/")
    if not os.path.exists("image/lib/libgcc_s.so.1"):
        shutil.copy(library(r"libgcc_s\.so\.1"), "image/lib/libgcc_s.so.1")  # rping ends a thread with it
    shutil.copy(library(r"ld-linux-x86-64\.so\.2"), "image/lib64/ld-linux-x86-64.so.2")
    gcc = ["gcc", "-Wall", "-Wextra", "-O2"]
    if code_of(*gcc, "-I", "root/usr/include", "-iquote", tree, "-o", "image/bin/verbs",
               here + "/verbs.c", pattern + ".c", library(r"libibverbs\.so\.1"), "-Wl,--allow-shlib-undefined"):
        make.fail(f"cannot compile {here}/verbs.c")
    needs("image/bin/verbs")
    need(*gcc, "-shared", "-fPIC", "-o", "image/lib/rping_end.so", here + "/rping_end.c")
    shutil.copy(here + "/init", "image/init")
    os.chmod("image/init", 0o755)
    os.symlink("busybox", "image/bin/sh")
    if code_of("sh", "-c", "cd image && find . | ../root/bin/busybox cpio -o -H newc 2>/dev/null | gzip -1 "
                           ">../initrd.part"):
        make.fail(f"cannot write {os.getcwd()}/initrd.gz: is the disk full?")
    os.rename("initrd.part", "initrd.gz")
    shutil.copy("root/boot/vmlinuz-" + release, "vmlinuz")
    return release


def main(arguments):
    folder = os.path.realpath((arguments or ["build/guest"])[0])
    here = os.path.realpath(os.path.dirname(__file__)) + "/guest"
    tree = os.path.dirname(os.path.dirname(here))
    pattern = tree + "/sim/app/roce/traffic/roce_pattern"
    for tool in "apt-get apt-cache dpkg-deb gzip objdump gcc".split():
        if not shutil.which(tool): make.fail(f"{tool} is missing: expected Debian 12 with gcc")
    kernel = re.search("^ *Depends: (linux-image-[0-9].*)", says("apt-cache", "depends", "linux-image-amd64"), re.M)
    if not kernel: make.fail("apt knows no linux-image-amd64: expected package lists of Debian 12 (apt-get update)")
    kernel = kernel[1]
    os.makedirs(folder, exist_ok=True)
    made = f"{checksum(*map(read, [*find(here), pattern + '.c', pattern + '.h', __file__]))}\n{make.version(kernel)}\n"
    if not make.begin(folder, made): return
    # ---- packages
    known = says("apt-cache", "depends", "--recurse", *("--no-" + kind for kind in NO), *PROGRAMS)
    closure = sorted(set(re.findall("^(?!libpam|libsemanage)(?:lib|zlib).*(?<!-common)$", known, re.M)))
    qemu, emulator = shutil.which("qemu-system-x86_64"), ""
    if not qemu: emulator = says("apt-get", "-s", "install", "--no-install-recommends", "qemu-system-x86")
    emulator = re.findall("^Inst ([^ \n]*)", emulator, re.M)
    for part in ("packages", "root", "host"): os.makedirs(f"{folder}/{part}", exist_ok=True)
    os.chdir(folder + "/packages")
    for old in glob.glob("linux-image-*.deb.old"): os.remove(old)
    packages = [kernel, *PROGRAMS, *closure, "libibverbs-dev"]
    make.fetch((p for p in packages + emulator if not glob.glob(p + "_*.deb")), folder + "/apt.log")
    for p in packages: make.unpack(p, folder + "/root")
    for p in emulator: make.unpack(p, folder + "/host")
    os.chdir(folder)
    release = image(kernel, here, tree, pattern)
    # ---- how to start it
    write("start", START % (UNPACKED % folder if emulator else f"set -- '{qemu or ''}' '' \"$@\""))
    os.chmod("start", 0o755)
    write("mtu", "4400\n")
    write("made", made)
    print(f"guest: {release} in {folder}")
