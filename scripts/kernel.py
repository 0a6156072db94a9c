"""How User-mode Linux is made of the sources of Debian's kernel, a program of this machine: for uml.py and linux.py.

All of it happens in one folder, which is the current one: the sources are in `source`, tools that are not installed
(flex, bison) in `tools`, what compilers say in build.log."""
import glob, os, re, shutil

from common import code_of, need, read, warn
from guest import Maker

PATCHES = os.path.realpath(os.path.dirname(__file__)) + "/linux/"


class Kernel(Maker):
    PACKAGE, ROOM_MB = "linux-source-6.1", 2500

    def known(self):
        """The version of the package: of what is installed, or of what apt has; what follows from there not being one
        is the caller's to say."""
        return self.installed(self.PACKAGE) or self.version(self.PACKAGE)

    def archive(self):
        """The sources as the package has them installed, if it is."""
        path = f"/usr/src/{self.PACKAGE}.tar.xz"
        return path if self.installed(self.PACKAGE) and os.path.exists(path) else ""

    def tools(self):
        packages = {"flex": "flex", "bison": "bison", "m4": "m4", "bc": "bc", "patch": "patch", "xz": "xz-utils"}
        tools = [p for t, p in packages.items() if not shutil.which(t)]
        if not tools: return
        self.fetch([*tools, "libfl2"], "apt.log")
        for p in (*tools, "libfl2"): self.unpack(p, "tools")
        usr = os.getcwd() + "/tools/usr"
        os.environ.update(PATH=f"{usr}/bin:{os.environ['PATH']}", BISON_PKGDATADIR=usr + "/share/bison",
                          LD_LIBRARY_PATH=usr + "/lib/x86_64-linux-gnu")
        if os.access(usr + "/bin/m4", os.X_OK): os.environ["M4"] = usr + "/bin/m4"
        else: os.environ.pop("M4", None)

    def patches(self, *begin):
        """Those whose names begin so; all."""
        return [p for p in sorted(glob.glob(PATCHES + "*.patch")) if os.path.basename(p).startswith(begin or "")]

    def sources(self, patches):
        """Unpacked and patched."""
        if shutil.disk_usage(".").free <= self.ROOM_MB * 1000 * 1024:
            self.fail(f"{os.getcwd()}: expected {self.ROOM_MB / 1000:.1f} GB of room while Linux is compiled")
        self.tools()
        archive, out = self.archive(), f"cat '{self.archive()}'"
        if not archive:
            if not glob.glob(self.PACKAGE + "_*.deb"): self.fetch([self.PACKAGE], "apt.log")
            out = f"""dpkg-deb --fsys-tarfile "$(ls -t {self.PACKAGE}_*.deb | head -1)" |
                      tar -xO ./usr/src/{self.PACKAGE}.tar.xz"""
        self.say("unpacks the sources of Linux")
        shutil.rmtree("source", ignore_errors=True)
        os.mkdir("source")
        # documentation and tests are half of the sources
        if code_of("sh", "-c", f"{out} | xz -dc | tar -x -C source --strip-components=1 "
                               "--exclude='*/Documentation/*/*' --exclude='*/tools/testing/*'"):
            self.fail(f"cannot unpack {self.PACKAGE}: is the disk full?")
        for patch in patches:
            with open("patch.log", "w") as log:
                code = code_of("patch", "-d", "source", "-p1", "--fuzz=0", "-s", "-f", "-i", patch, stdout=log)
            if code: self.fail(f"{os.path.basename(patch)} does not fit {self.PACKAGE} {self.known()}, see "
                               f"{os.getcwd()}/patch.log: expected the kernel of Debian 12")

    def make(self, *arguments, mode="a", nice=()):
        with open("build.log", mode) as out:
            return code_of(*nice, "make", "-C", "source", "ARCH=um", *arguments, stdout=out, stderr=out)

    def configure(self, off, on, values, needed):
        """Debian's defaults for User-mode Linux with these differences; `needed`: what must be there then."""
        wrong = f"cannot set up the sources, see {os.getcwd()}/build.log"
        if self.make("-s", "defconfig", mode="w"): self.fail(wrong)
        words = [w for flag, names in (("-d", off), ("-e", on)) for c in names for w in (flag, c)]
        need("source/scripts/config", "--file", "source/.config", *words,
             *(w for c, v in values.items() for w in ("--set-val", c, str(v))))
        if self.make("-s", "olddefconfig"): self.fail(wrong)
        config = read("source/.config")
        for c in needed:
            if not re.search(f"^CONFIG_{c}=y", config, re.M):
                self.fail(f"{self.PACKAGE} has no {c} for User-mode Linux: expected the kernel of Debian 12")

    def compile(self, *goals):
        """Leaves ./linux."""
        self.say(f"compiles Linux (10 to 20 minutes of processor time), see {os.getcwd()}/build.log")
        cache = ["CC=ccache gcc"] if shutil.which("ccache") else []
        if self.make(f"-j{os.environ.get('JOBS') or len(os.sched_getaffinity(0))}", *cache, *goals, nice=["nice"]):
            warn("\n".join(read("build.log").splitlines()[-5:]))
            self.fail(f"cannot compile Linux, see {os.getcwd()}/build.log")
        need("strip", "-o", "linux", "source/linux")

    def clean(self, *left):
        for folder in ("tools", *left): shutil.rmtree(folder, ignore_errors=True)
        for package in glob.glob("*.deb"): os.remove(package)
