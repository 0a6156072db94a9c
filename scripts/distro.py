#!/usr/bin/env python3
"""Builds and tests the last commit in a bare Debian of another release (make distro).

    scripts/distro.py RELEASE [--arch ARCH] [--goals GOALS] [--remove] [--doc] [--check]

RELEASE is bookworm, trixie, sid or what else debootstrap knows. A chroot in build/distro/RELEASE gets make and git,
nothing else, and a clone; every goal is one make command there, which installs what it needs. The mirror is that of
this machine's apt sources. Then comes a table of all releases that have been run: versions, verdicts, and whether the
results of a run whose registers start at 0 are the same. --arch arm64 compiles nicxbar-sim2 for that processor instead,
as Verilator prints the models, and runs it in qemu-user and on this machine. --remove removes the chroot at the end;
logs and results stay. --doc writes the table into README.md. --check only says what is wrong. GOALS: default "sim
test".

The chroot is mounted in a namespace of this process, so nothing stays mounted, however it ends."""
import argparse, glob, json, os, re, shutil, signal, subprocess, sys, time

from common import TOOL, stop

FOLDER = "build/distro"
README, BEGIN, END = "README.md", "<!-- make distro DOC=1 -->\n", "<!-- end -->\n"
TOOLS = {"Verilator": "verilator --version", "gcc": "gcc -dumpfullversion",
         "clang": "$(scripts/setup.sh --clang) -dumpversion",
         "Yosys": "yosys -V", "Icarus": "iverilog -V 2>/dev/null", "check": "dpkg-query -Wf '${Version}' check"}
# The same file everywhere: what make sim sends is /usr/bin/make.
SAME = "--file LICENSE --both --nodes 2 --initial 0 --out build --json"
TIMES = re.compile("wall|khz|rounds")


def mirror():
    """The URI from which this machine has its own release."""
    words = open("/etc/os-release").read()
    own = re.search(r"^VERSION_CODENAME=(\S+)", words, re.M)
    for path in ["/etc/apt/sources.list"] + sorted(glob.glob("/etc/apt/sources.list.d/*")):
        text = open(path).read() if os.path.exists(path) else ""
        for line in re.findall(r"^deb\s+(?:\[.*?\]\s+)?(.*)", text, re.M):
            uri, suite, *parts = line.split()
            if own and suite == own[1] and "main" in parts: return uri
        for block in re.split(r"\n\s*\n|(?=^Types:)", text, flags=re.M):
            field = dict(re.findall(r"^(URIs|Suites):\s*(.*)", block, re.M))
            if own and own[1] in field.get("Suites", "").split(): return field["URIs"].split()[0]
    stop("no mirror: the apt sources of this machine name none for its own release")


def differences(a, b, at=""):
    """Places at which two results differ, without times."""
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted(a.keys() | b.keys()) if not TIMES.search(k)
                for d in differences(a.get(k), b.get(k), f"{at}.{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for i, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{at}[{i}]")]
    return [] if a == b else [at.lstrip(".")]


class Chroot:
    def __init__(self, release):
        self.path, self.log = f"{FOLDER}/{release}", f"{FOLDER}/{release}.log"

    def host(self, *command):
        with open(self.log, "a") as log:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            if subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log):
                stop(f"{' '.join(command)} failed, see {self.log}")

    def make(self, release, uri):
        if os.path.exists(self.path): shutil.rmtree(self.path)
        open(self.log, "w").close()
        print(f"  CHROOT  {release} from {uri}", flush=True)
        self.host("debootstrap", "--variant=minbase", release, self.path, uri)
        self.mount()
        shutil.copy("/etc/resolv.conf", f"{self.path}/etc/resolv.conf")
        with open(f"{self.path}/etc/apt/apt.conf.d/valid", "w") as f:
            f.write('Acquire::Check-Valid-Until "false";\n') # the mirror may be a snapshot
        self.run("apt-get update && apt-get install -y --no-install-recommends make git ca-certificates", must=True)
        self.host("git", "-c", "safe.directory=*", "clone", "-q", "--no-hardlinks", ".", f"{self.path}/root/nicxbar")

    def mount(self):
        self.host("mount", "-t", "proc", "proc", f"{self.path}/proc")
        self.host("mount", "--rbind", "/dev", f"{self.path}/dev")

    def end(self):
        """Ends what still runs there."""
        for root in glob.glob("/proc/[0-9]*/root"):
            try:
                if os.readlink(root).startswith(os.path.abspath(self.path)):
                    os.kill(int(root.split("/")[2]), signal.SIGKILL)
            except OSError: pass

    def run(self, command, log=None, must=False):
        """In the clone; its exit code."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        environment.update({k: v for k, v in os.environ.items() if k.lower().endswith("_proxy")})
        with open(log or self.log, "a") as f:
            code = subprocess.call(["chroot", self.path, "sh", "-c", f"cd /root/nicxbar 2>/dev/null; {command}"],
                                   env=environment, stdin=subprocess.DEVNULL, stdout=f, stderr=f)
        if code and must: stop(f"{command} failed, see {log or self.log}")
        return code

    def says(self, command):
        p = subprocess.run(["chroot", self.path, "sh", "-c", f"cd /root/nicxbar; {command}"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
        return p.stdout.strip()


def version(text):
    found = re.search(r"\d+(\.\d+)*", text)
    return found[0] if found else "not installed"


def result_of(name):
    try:
        return json.load(open(name)) if os.path.exists(name) else None
    except ValueError:
        sys.exit(f"distro: {name}: it is no JSON, or cut off; expected a result of make distro RELEASE=..., which "
                 f"rewrites it")


def run_release(c, release, goals):
    r = {"release": release, "date": time.strftime("%Y-%m-%d"), "goals": {}}
    r["commit"] = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE,
                                 text=True).stdout.strip()
    for goal in goals:
        log, began = f"{FOLDER}/{release}-{re.sub('[^A-Za-z0-9]+', '-', goal)}.log", time.time()
        open(log, "w").close()
        print(f"  MAKE    {goal} in {release}, log in {log}", flush=True)
        code = c.run("make " + goal, log)
        checks = re.findall(r"^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$", open(log).read(), re.M)
        r["goals"][goal] = "good" if not code else f"BAD, code {code}"
        if checks: r["goals"][goal] += f"; {checks[-1][0]} checks, {int(checks[-1][1]) + int(checks[-1][2])} wrong"
        print(f"          {r['goals'][goal]}, {(time.time() - began) / 60:.0f} min", flush=True)
    r["versions"] = {tool: version(c.says(command)) for tool, command in TOOLS.items()}
    if not c.run(f"[ -x build/nicxbar-sim ] && build/nicxbar-sim {SAME} build/same.json"):
        r["result"] = result_of(f"{c.path}/root/nicxbar/build/same.json")
    with open(f"{FOLDER}/{release}.part", "w") as part:
        json.dump(r, part, indent=1)
    os.replace(part.name, f"{FOLDER}/{release}.json")


def run_arm64(c):
    """Plain models, no lanes; one small system in both worlds."""
    print("  ARM64   nicxbar-sim2", flush=True)
    libraries = " ".join(f"{p} {p}:arm64" for p in ("zlib1g-dev", "liblz4-dev", "libjansson-dev", "nettle-dev"))
    c.run("dpkg --add-architecture arm64 && apt-get update && apt-get install -y --no-install-recommends "
          "g++-aarch64-linux-gnu qemu-user "
          + libraries, must=True)
    cross = "aarch64-linux-gnu-"
    c.run("make FAST=0 build/nicxbar-sim2 && cp build/nicxbar-sim2 /root/native && make clean && "
          f"make FAST=0 CC={cross}gcc CXX={cross}g++ MODEL_CXX={cross}g++ AR={cross}ar OBJCOPY={cross}objcopy V=1 "
          f"build/nicxbar-sim2", must=True)
    c.run(f"/root/native {SAME} build/here.json && qemu-aarch64 build/nicxbar-sim2 {SAME} build/arm64.json", must=True)
    flags = sorted(set(re.findall(r" -m(?:avx|sse|arch|prefer)\S*", open(c.log).read())))
    other = differences(*(result_of(f"{c.path}/root/nicxbar/build/{n}.json") for n in ("here", "arm64")))
    print(f"arm64: nicxbar-sim2 without lanes in qemu-user; results "
          f"{'equal' if not other else 'differ: ' + ', '.join(other[:5])}"
          + "".join(f"; the flag{x} is of x86" for x in flags))
    return bool(other or flags)


def table():
    runs = [result_of(n) for n in sorted(glob.glob(FOLDER + "/*.json"))]
    reference = next((r for r in runs if r.get("result")), None)
    rows = [["", *(r["release"] for r in runs)], ["---"] * (len(runs) + 1)]
    rows += [[tool, *(r["versions"][tool] for r in runs)] for tool in TOOLS]
    for goal in dict.fromkeys(g for r in runs for g in r["goals"]):
        rows.append([f"`make {goal}`", *(r["goals"].get(goal, "not run") for r in runs)])
    same = []
    for r in runs:
        d = differences(reference["result"], r["result"]) if reference and r.get("result") else None
        same.append("the reference" if r is reference else "no result" if d is None else
                    f"differ in {len(d)}: {', '.join(d[:3])}" if d else "equal")
    rows.append(["results with registers at 0", *same])
    rows.append(["commit, date", *(f"{r['commit']}, {r['date']}" for r in runs)])
    missing = [n for n in ("bookworm", "trixie", "sid") if n not in rows[0]]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows) + \
        "\nOf bookworm, trixie and sid " + (f"these were not run: {', '.join(missing)}.\n" if missing
                                            else "all were run.\n")


def document(text):
    readme = open(README).read()
    at = readme.index(BEGIN) + len(BEGIN)
    open(README, "w").write(readme[:at] + text + readme[readme.index(END, at):])


def main(arguments):
    p = argparse.ArgumentParser()
    p.add_argument("release")
    p.add_argument("--arch", default="")
    p.add_argument("--goals", default="sim test")
    p.add_argument("--remove", action="store_true")
    p.add_argument("--doc", action="store_true")
    p.add_argument("--check", action="store_true")
    o = p.parse_args(arguments)
    if not re.fullmatch("[a-z]+", o.release):
        stop(f"RELEASE={o.release}: expected the name of a release of Debian, such as trixie")
    if o.arch not in ("", "arm64"): stop(f"ARCH={o.arch}: expected arm64, or none: this machine's own")
    if os.geteuid(): stop("expected to run as root: debootstrap and chroot need it")
    if not shutil.which("debootstrap"): stop("debootstrap is missing: apt-get install debootstrap")
    uri = mirror()
    if o.check: return
    if "DISTRO_APART" not in os.environ:
        os.execvpe("unshare", ["unshare", "--mount", "--propagation", "private", *TOOL, "distro", *arguments],
                   dict(os.environ, DISTRO_APART="1"))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.makedirs(FOLDER, exist_ok=True)
    c, bad = Chroot(o.release), False
    try:
        c.make(o.release, uri)
        if o.arch:
            bad = run_arm64(c)
        else:
            # `sim` and `test` are two commands; a goal with variables is written with commas: 'sim
            # test,TEST=tb/unit/link'
            run_release(c, o.release, [g.replace(",", " ") for g in o.goals.split()])
    except KeyboardInterrupt:
        stop("interrupted")
    finally:
        c.end()
        subprocess.call(["umount", "-R", f"{c.path}/dev"], stderr=subprocess.DEVNULL)
        subprocess.call(["umount", f"{c.path}/proc"], stderr=subprocess.DEVNULL)
        if o.remove and not os.path.ismount(f"{c.path}/proc"): shutil.rmtree(c.path, ignore_errors=True)
    if o.arch: sys.exit(bad)
    text = table()
    print("\n" + text, end="")
    if o.doc: document(text)
    sys.exit(any(v.startswith("BAD") for v in result_of(f"{FOLDER}/{o.release}.json")["goals"].values()))
