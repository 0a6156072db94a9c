"""Makes the guests of make linux: User-mode Linux, of the sources of Debian's kernel, with a PCI bus whose one device
is a NIC of the simulation, and the module that drives it (sw/linux). Programs for the guests' user space are make's.

    python3 -S scripts/tool.py linux [FOLDER]           default build/linux
    python3 -S scripts/tool.py linux FOLDER debug       FOLDER/debug: the same with KASAN and lockdep, ten times slower
    python3 -S scripts/tool.py linux FOLDER check       the module by sparse and with W=1: silent, or it fails

Leaves FOLDER/linux, FOLDER/nicxbar.ko, and FOLDER/source, what modules are compiled with. Register maps in C are those
of FOLDER/../generated. The first time it compiles Linux for 5 to 10 minutes of processor time, and needs 2 GB
meanwhile; what is there already is kept as long as package, configuration and patches (scripts/linux, each with its
reason) are the same. Tools that are not installed are unpacked in FOLDER/tools. JOBS: compilers at a time."""
import filecmp, glob, os, re, shutil, tempfile

import kernel
from common import checksum, code_of, find, lock, read, says, warn, write

OFF = """DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT IKCONFIG CGROUPS NAMESPACES IO_URING INET SOUND UML_SOUND NETDEVICES
         WIRELESS UML_NET HID HID_SUPPORT USB_SUPPORT INPUT INPUT_MOUSE INPUT_KEYBOARD SERIO SUSPEND SWAP QUOTA
         AUTOFS_FS ISO9660_FS BINFMT_MISC BLK_DEV_UBD BLK_DEV_NBD IOSCHED_BFQ EFI_PARTITION MSDOS_PARTITION
         NETWORK_FILESYSTEMS HW_RANDOM FTRACE BSD_PROCESS_ACCT POSIX_MQUEUE LEGACY_PTYS XTERM_CHAN PORT_CHAN CRYPTO_HW
         IOMMU_SUPPORT VHOST_MENU RUNTIME_TESTING_MENU SYSFS_DEPRECATED LOCALVERSION_AUTO PTP_1588_CLOCK""".split()
ON = """DEBUG_INFO_NONE MODULES MODULE_UNLOAD VIRTIO VIRTIO_UML PCI UML_PCI_OVER_VIRTIO UML_TIME_TRAVEL_SUPPORT HOSTFS
        EXT4_FS REISERFS_FS DEVTMPFS TMPFS BLK_DEV_LOOP""".split()
# FRAME_WARN: as many bytes as Debian's own kernels allow
VALUES = {"UML_PCI_OVER_VIRTIO_DEVICE_ID": 1234, "FRAME_WARN": 2048}
NEEDED = "MODULES VIRTIO_UML UML_PCI_OVER_VIRTIO UML_TIME_TRAVEL_SUPPORT HOSTFS EXT4_FS REISERFS_FS".split()
DEBUG = """KASAN KASAN_VMALLOC PROVE_LOCKING DEBUG_ATOMIC_SLEEP DEBUG_LIST DEBUG_SG DMA_API_DEBUG DEBUG_OBJECTS
           DEBUG_OBJECTS_TIMERS DEBUG_OBJECTS_WORK""".split()
CONFIGS = [(OFF, ON, VALUES, NEEDED),
           # order, warn: what KASAN puts around variables lies on the stack
           (OFF, ON + DEBUG, {**VALUES, "KERNEL_STACK_ORDER": 4, "FRAME_WARN": 0}, NEEDED + ["KASAN", "PROVE_LOCKING"])]
HERE = os.path.realpath(os.path.dirname(__file__) + "/..")
# What the module is made of: folder of the build, and of the sources.
PARTS = {"driver": "sw/driver", "disk": "sw/disk", "linux": "sw/linux"}
linux = kernel.Kernel("linux")


def ready():
    """What User-mode Linux needs of this machine when it runs."""
    import ctypes, mmap
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if not child: os._exit(libc.ptrace(0, 0, 0, 0) != 0)
    if os.waitpid(child, 0)[1]: linux.fail("this machine allows no ptrace, by which User-mode Linux runs its processes "
                                           "(a container: --cap-add=SYS_PTRACE)")
    at = os.environ.get("TMPDIR") or next(f for f in ("/dev/shm", "/tmp") if os.path.isdir(f))
    try:
        with tempfile.TemporaryFile(dir=at) as memory:
            memory.truncate(mmap.PAGESIZE)
            mmap.mmap(memory.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
    except OSError as error:
        linux.fail(f"{at}: {error.strerror}, expected a folder that is not mounted with noexec: the memory of guests "
                   "lies there (TMPDIR names another one)")


def patches(debug):
    """Those in `debug` are for what only lockdep sees."""
    return linux.patches() + sorted(glob.glob(kernel.PATCHES + "debug/*.patch")) * debug


def make_kernel(version, debug):
    """In the current folder."""
    linux.sources(patches(debug))
    linux.configure(*CONFIGS[debug])
    linux.compile("linux", "modules_prepare", "modules")
    # What modules are compiled with: headers, and the scripts of the build.
    for at, folders, files in os.walk("source", topdown=True):
        depth = at.count("/")
        for f in list(folders):
            if ((depth == 0 and f not in ("arch", "include", "scripts"))
                    or (at == "source/arch" and f not in ("um", "x86"))):
                shutil.rmtree(f"{at}/{f}")
                folders.remove(f)
        for f in files:
            kept = at.startswith(("source/scripts", "source/include"))
            if (re.search(r"\.(o|a|c|S|cmd|ko|mod)$|^\.tmp_", f) and not kept
                    or depth == 0 and f in ("linux", "vmlinux", "vmlinux.o")):
                os.remove(f"{at}/{f}")
    linux.clean()
    print(f"linux: Linux {version} in {os.getcwd()}")


def copy(source, target):
    """Only what changed: else it would be compiled again."""
    if os.path.exists(target) and filecmp.cmp(source, target, shallow=False): return
    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
    shutil.copyfile(source, target)


def copy_parts(maps):
    """The sources of the module, and the register map, into ./module: kbuild puts objects beside them."""
    wanted = {"module/Kbuild": HERE + "/sw/linux/Kbuild"}
    for part, folder in PARTS.items():
        for f in find(f"{HERE}/{folder}", name=lambda n: n.endswith((".c", ".h"))):
            inside = os.path.relpath(f, f"{HERE}/{folder}")
            if not inside.startswith("user/"): wanted[f"module/{part}/{inside}"] = f
    wanted["module/linux/nic_register_map.h"] = maps + "/nic_register_map.h"
    if not os.path.exists(maps + "/nic_register_map.h"):
        linux.fail(maps + "/nic_register_map.h is missing: expected what make linux makes first")
    for old in find("module", name=lambda n: n.endswith((".c", ".h")) and not n.endswith(".mod.c")):
        if old not in wanted: os.remove(old)
    for target, source in wanted.items(): copy(source, target)


def module(*more):
    """Compiles it; what make and the compiler say."""
    with open("module.log", "w") as out:
        cache = ["CC=ccache gcc"] if shutil.which("ccache") else []
        code = code_of("make", "-s", "-C", "source", "ARCH=um", f"M={os.getcwd()}/module", *cache, *more, "modules",
                       stdout=out, stderr=out)
    said = "\n".join(filter(str.strip, read("module.log").splitlines())).replace(os.getcwd() + "/module/", "")
    if code or more and said:
        if said: warn(said)
        linux.fail(f"cannot compile sw/linux, see {os.getcwd()}/module.log" if code else
                   "sw/linux: expected a module without a warning")


def check():
    """All of it anew, with everything that warns."""
    if not shutil.which("sparse"): linux.fail("sparse is missing: apt-get install sparse")
    for old in find("module", name=lambda n: n.endswith(".o")): os.remove(old)
    module("W=1", "C=2", "CHECK=sparse -Wbitwise -Wno-pointer-arith")
    print("linux: nicxbar.ko, no warning from gcc W=1 and sparse")


def main(arguments):
    folder, what = os.path.realpath((arguments or ["build/linux"])[0]), arguments[1:2]
    if what not in ([], ["debug"], ["check"]): linux.fail(f"{what[0]}: expected debug or check")
    debug, maps = what == ["debug"], os.path.dirname(folder) + "/generated"
    if debug: folder += "/debug"
    version = linux.known()
    if not version:
        others = re.findall("^(linux-source-[0-9.]+) ", says("apt-cache", "search", "--names-only", "^linux-source-"),
                            re.M)
        linux.fail(f"there is no package {linux.PACKAGE}: expected Debian 12 and its package lists (apt-get update)"
                   + (f"; for {others[0]} there are no patches" if others else ""))
    ready()
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"): os.environ.pop(name, None)  # CC=clang of ours is not the kernel's
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    made = f"{checksum(str(CONFIGS[debug]), *map(read, [kernel.__file__, *patches(debug)]))}\n{version}\n"
    if linux.begin(folder, made):
        make_kernel(version, debug)
        write("made", made)
    else: lock("lock")
    copy_parts(maps)
    if what == ["check"]: return check()
    module()
    copy("module/nicxbar.ko", "nicxbar.ko")
