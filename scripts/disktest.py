"""Disks over RDMA used by programs that nobody here wrote, as one table: the workloads of S1, scaled.

    SCALE=4 KILLS=5 SEED=1 python3 -S scripts/tool.py disktest PROGRAM OUT
                                           SCALE: MiB per step; KILLS: of clients, of simulators, and runs with crashes

Each step is a run of PROGRAM with a client as its command, so all that the step moves crosses hosts, NICs and the switch. The table goes
to the screen and to OUT/disk-test.txt. "simulated" is of the simulation; how long a step took by the clock on the wall says nothing of
the hardware. Exit code 0: all steps are good."""
import json, os, shutil, signal, subprocess, sys, tempfile, time

from common import BOUND, number, progress, read, run, table, warn

SCALE, KILLS, SEED = (number(name, os.environ.get(name) or default)
                      for name, default in (("SCALE", 4), ("KILLS", 5), ("SEED", 1)))
MIB = 1 << 20
BYTES = SCALE * MIB
HERE = os.path.dirname(os.path.realpath(__file__))
SHA = 'sha() { sha256sum <"$1" | cut -d" " -f1; }; '


class Table:
    def __init__(self, program, out):
        self.program, self.out, self.bad, self.skipped = program, out, False, ""
        self.file = open(out + "/disk-test.txt", "w")
        self.row = table(("client, what it does".ljust(30), "requests", "    MiB", " ms sim.", "MiB/s sim.", "wall [s]",
                          "verdict"), columns=6, say=self.say)

    def say(self, text):
        print(text)
        print(text, file=self.file, flush=True)

    def step(self, name, nodes, command):
        """One run on the image as the last step left it."""
        if os.path.exists("disk.json"): os.remove("disk.json")
        progress(name + " ...")
        began = time.time()
        code = run("log", *BOUND, self.program, "--image", "disk", "--out", ".", "--seed", str(SEED), "--nodes", str(nodes), "--run", command)
        took, result = time.time() - began, json.loads(read("disk.json") or '{"hosts": [], "nic_words": []}')
        progress("")
        done = [operation for host in result["hosts"] for operation in host["operations"]]
        moved, requests, ms = sum(o["bytes"] for o in done), sum(o["requests"] for o in done), result.get("simulated_ms", 0)
        # Nothing went around: the NICs' own counters saw as many bytes leave as were read and written.
        asked, sent = sum(o["bytes"] for o in done if o["operation"] in ("read", "write")), 8 * sum(nic["out"] for nic in result["nic_words"])
        verdict = f"BAD, code {code}" if code else "good" if sent and sent >= asked else "BAD: the NICs saw less"
        self.row(name, requests, f"{moved / MIB:.1f}", f"{ms:.2f}", f"{moved / 1048.576 / ms if ms else 0:.1f}", f"{took:.1f}", verdict)
        if verdict == "good": return
        self.bad = True
        for file, kept in (("disk", "disk-test.img"), ("disk.record", "disk-test.record")):
            if os.path.exists(file): shutil.copy(file, f"{self.out}/{kept}")
        warn("".join(line for line in read("log").splitlines(True) if not line.startswith("again: ")).rstrip("\n"))
        warn(f"again: make disk IMAGE='{self.out}/disk-test.img' NODES={nodes} SEED={SEED} REPLAY='{self.out}/disk-test.record' WAVES=1")

    def part(self, *command):
        """Another script; what it prints belongs to the table. Its exit code."""
        done = subprocess.run([*BOUND, *command], stdout=subprocess.PIPE, text=True, check=False)
        for line in done.stdout.splitlines(): self.say(line)
        return done.returncode

    def fio(self, name, nodes, options, size):
        parts, uris = min(size, BYTES) // (nodes - 1) // 4096 * 4096, ""  # each initiator has a part of the disk for itself
        for host in range(1, nodes): uris += f' --name=h{host} --uri="$uri{host}" --offset={(host - 1) * parts} --size={parts}'
        self.step(name, nodes, f"fio --ioengine=nbd --direct=1 --randseed={SEED} --minimal {options} {uris} >fio.out")


def new(file, size):
    """A file of zeros."""
    with open(file, "wb") as f: f.truncate(size)


def random(file, size):
    with open(file, "wb") as f: f.write(os.urandom(size))


def steps(t):
    new("disk", BYTES)
    # xdd's experiment: one direction, requests of 4 KB to 1 MB.
    for block in ("4k", "16k", "64k", "256k", "1m"):
        for way in ("write", "read"): t.fio(f"fio {way} {block}", 2, f"--rw={way} --bs={block} --iodepth=8", BYTES)
    # A whole disk of at least 16 MiB, both ways; what came back, and what is in the file, is what went in.
    whole = max(SCALE, 16) * MIB
    random("in", whole)
    new("disk", whole)
    t.step("nbdcopy in", 2, SHA + 'nbdcopy --flush in "$uri" && test $(sha in) = $(sha disk)')
    t.step("nbdcopy out", 2, SHA + 'nbdcopy "$uri" back && test $(sha in) = $(sha back)')
    new("disk", BYTES)
    # Random reads and writes, each block with its checksum, from one host and from three at once.
    for hosts in (1, 3):
        for depth in (1, 8, 32):
            t.fio(f"fio verify, depth {depth}, {hosts} host{'s' * (hosts > 1)}", hosts + 1,
                  f"--rw=randrw --bs=4k --verify=crc32c --verify_state_save=0 --iodepth={depth}", BYTES // 4)
    # An image in another format and back.
    random("in", BYTES)
    subprocess.run(["qemu-img", "convert", "-O", "qcow2", "in", "in.qcow2"], check=False)
    new("disk", BYTES)
    t.step("qemu-img qcow2 to disk", 2, 'qemu-img convert -n -f qcow2 -O raw in.qcow2 "$uri" && qemu-img compare -f qcow2 -F raw in.qcow2 "$uri"')
    t.step("qemu-img disk to qcow2", 2, 'qemu-img convert -f raw -O qcow2 "$uri" back.qcow2 && qemu-img check back.qcow2 && '
           "qemu-img compare -f qcow2 -F raw back.qcow2 in")
    # A file system, made and filled on the disk, and read back from it.
    os.mkdir("files")
    random("files/large", BYTES // 4)
    for i in range(1, 9): random(f"files/small{i}", i * 1000)
    new("disk", BYTES)
    if os.access("/dev/fuse", os.R_OK | os.W_OK) and shutil.which("fusermount3"):
        os.mkdir("mnt")
        new("mnt.img", 0)
        fuse = 'nbdfuse mnt.img "$uri" & fuse=$!; i=0; until [ -s mnt.img ] || [ $((i += 1)) -gt 100 ]; do sleep 0.1; done; '
        ended = "; code=$?; fusermount3 -u mnt.img; wait $fuse; exit $code"
        t.step("mke2fs -d through nbdfuse", 2, f"{fuse}mke2fs -q -F -d files mnt.img{ended}")
        t.step("e2fsck through nbdfuse", 2, f"{fuse}e2fsck -fn mnt.img{ended}")
        t.step("debugfs through nbdfuse", 2, f"{fuse}debugfs -R 'dump large large.back' mnt.img && cmp files/large large.back && "
               f"debugfs -R 'dump small3 small3.back' mnt.img && cmp files/small3 small3.back{ended}")
    else:  # Without FUSE, file systems are made in local images and copied; every read is of data that crossed the link.
        t.skipped = "; nbdfuse skipped: /dev/fuse or fusermount3 is not there"
        new("fs", BYTES)
        subprocess.run(["mke2fs", "-q", "-F", "-d", "files", "fs"], check=False)
        t.step("ext2 in and out, e2fsck", 2, 'nbdcopy --flush fs "$uri" && nbdcopy "$uri" back.fs && e2fsck -fn back.fs && '
               "debugfs -R 'dump large large.back' back.fs && cmp files/large large.back")
    t.say(f"rates are of simulated time; {SCALE} MiB a step, nbdcopy 16 at least; seed {SEED}")
    # kill -9 at random moments; then what the clock on the wall says.
    for whom in ("client", "simulator", "target"):
        if t.part(sys.executable, "-S", HERE + "/tool.py", "diskkill", t.program, ".", str(KILLS), str(SEED), whom): t.bad = True
    code = t.part(HERE + "/diskwall.sh", t.program, ".", str(SEED))
    if code == 3: t.skipped += "; slower than wanted: is the machine busy?"
    elif code: t.bad = True


def main(arguments):
    program, out = map(os.path.realpath, arguments)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for s in (signal.SIGINT, signal.SIGTERM): signal.signal(s, lambda *_: sys.exit(130))
    with tempfile.TemporaryDirectory(prefix="disk-test.", dir=out) as work:
        os.chdir(work)
        done = Table(program, out)
        steps(done)
    print(f"{'BAD: see above;' if done.bad else 'GOOD:'} table in {out}/disk-test.txt{done.skipped}")
    return int(done.bad)
