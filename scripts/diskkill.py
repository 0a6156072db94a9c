"""Kills clients of a disk over RDMA and the whole simulator, crashes the target, at random moments; checks the disk.

    python3 -S scripts/tool.py diskkill PROGRAM OUT KILLS SEED client|simulator|target     in a folder below OUT
    ... diskkill check OLD NEW DISK                                   each sector of DISK is that of OLD or that of NEW

In each run a client copies image after image onto the disk, each with a flush. After the first answer to a flush comes
SIGKILL. Then each sector is as it was flushed last, or as the copy under way has it; as a whole. The second half of all
images of a run is the same file system: e2fsck must agree. When the client was killed, another one must still be
served.
The target crashes 12 times in a run. A client copies an image again until its flush ends well, while another one
flushes all the time. Each time the flush of a copy ends well, the file holds the image.
Prints what was killed and found; exit code 0: all as it must be."""
import contextlib, itertools, os, random, shutil, signal, subprocess, sys, tempfile, time

from common import BOUND, progress, read, run, stop, write

HALF, IMAGES = 131072, 9  # bytes; in each run, of which a fast machine must not copy all before it is killed
CLIENT = """image=1
while nbdcopy --request-size=8192 --connections=1 --requests=2 --flush image.$image "$uri" & echo $! >pid; wait $!; do
    echo $image >acknowledged.part && mv acknowledged.part acknowledged
    image=$((image + 1))
done
nbdcopy "$uri" back
"""
COPIES = """: >reported
: >empty
while :; do nbdcopy --flush empty "$uri" 2>flushes; done &
flusher=$!
for image in 1 2 3 4; do
    until nbdcopy --request-size=8192 --connections=1 --requests=2 --flush image.$image "$uri"
    do echo $image >>reported; done
    cmp image.$image disk >differs || { echo "image $image was flushed, and is not in the file" >lost; break; }
done
kill $flusher
"""


def blob(path):
    with open(path, "rb") as file: return file.read()


def check(*paths):
    """How many sectors of the disk are not the old ones; a text if one is neither the old one nor the new one."""
    old, new, disk = ([data[at:at + 512] for at in range(0, len(data), 512)] for data in map(blob, paths))
    if len(old) != len(disk): return "the disk has another size"
    wrong = [i for i, sector in enumerate(disk) if sector not in (old[i], new[i])]
    return (f"sector {wrong[0]} is neither the old one nor the new one" if wrong
            else sum(a != b for a, b in zip(old, disk)))


def prepare(number, fail):
    """The images: sectors that say which they are and of which image, and behind them as many of a file system."""
    for name in set(os.listdir()) - {"client", "copies", "disk", "files"}: os.remove(name)
    shutil.copy("disk", "image.0")
    with open("files/random", "wb") as file: file.write(os.urandom(40000 + 100 * number))
    with open("fs", "wb") as file: file.truncate(HALF)
    if run("checked", "mke2fs", "-q", "-F", "-d", "files", "fs"): fail("no file system can be made")
    for i in range(1, IMAGES + 1):
        with open(f"image.{i}", "wb") as file:
            file.write(b"".join(b"%-511s\n" % f"sector {n} of image {number}.{i}".encode() for n in range(HALF // 512))
                       + blob("fs"))


def crash(command, draw, fail):
    """The target crashes in a run; how many copies were reported lost."""
    times = itertools.accumulate(draw.randrange(300, 1200) for _ in range(12))
    code = run("log", *command, "--faults", "; ".join(f"crash target at {at}us for 100us" for at in times), "--run",
               "sh ./copies")
    if code or os.path.exists("lost"): fail(read("lost").strip() or f"the service ended with code {code}")
    return read("reported").count("\n")


def kill(command, whom, fail):
    """A client or the simulator is killed in a run; how many sectors of the copy under way are on the disk."""
    def verify(disk, before=""):
        found = check(f"image.{flushed}", f"image.{flushed + 1}", disk)
        return found if isinstance(found, int) else fail(before + found)
    with open("log", "w") as log:
        server = subprocess.Popen([*BOUND, *command, "--run", "sh ./client"], stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=log)
    try:
        while not read("acknowledged"):
            if server.poll() is not None: fail("it has ended before")
            time.sleep(0.05)
        until = time.monotonic() + os.urandom(1)[0] / 125
        while time.monotonic() < until and int(read("acknowledged")) < IMAGES - 2: time.sleep(0.01)
        # again, if that copy was just ending
        while whom == "client" and not os.path.exists("back") and server.poll() is None:
            with contextlib.suppress(OSError, ValueError): os.kill(int(read("pid")), signal.SIGKILL)
            time.sleep(0.02)
        if whom == "client" and server.wait(): fail(f"the service ended with code {server.returncode}")
    finally: server.kill()
    server.wait()
    flushed = int(read("acknowledged"))
    new = verify("disk")
    with open("fs", "wb") as file: file.write(blob("disk")[HALF:])
    if run("checked", "e2fsck", "-fn", "fs"): fail("e2fsck found errors")
    if whom == "client": verify("back", "what the next client read: ")
    return new


def main(arguments):
    if arguments[0] == "check":
        said = check(*arguments[1:])
        return isinstance(said, str) and (print(said) or 1)
    program, out, kills, seed, whom = arguments
    if not (kills + seed).isdigit(): stop(f"diskkill: {kills} {seed}: expected numbers, KILLS and SEED", 2)
    work = tempfile.mkdtemp(prefix="blockkill.", dir=os.path.realpath(out))
    command = [os.path.realpath(program), "--image", "disk", "--out", ".", "--seed", seed, "--record", "/dev/null"]
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for s in (signal.SIGINT, signal.SIGTERM): signal.signal(s, lambda *_: sys.exit(130))
    os.chdir(work)
    os.mkdir("files")
    for name, text in (("client", CLIENT), ("copies", COPIES), ("disk", "")): write(name, text)
    os.truncate("disk", 2 * HALF)
    kept, number, found = [], 0, 0
    def fail(text):
        kept.append(work)  # the log, and what else there is
        print(f"kill {number} of the {whom}: {text}; files in {work}")
        sys.exit(1)
    try:
        for number in range(1, int(kills) + 1):
            progress(f"kill {number} of {kills} of the {whom}")
            prepare(number, fail)
            # Written through, parts of a copy are in the file; written back, nothing until the flush.
            cache = ["--cache", "writeback" if number % 2 else "writethrough"]
            found += (crash(command, random.Random(int(seed) * 1000 + number), fail) if whom == "target"
                      else kill([*command, *cache], whom, fail))
        progress("")
    finally:
        if not kept: shutil.rmtree(work)
    print(f"{'crashes of the target':<30} {kills} of {kills} good: flushed data are on the disk; {found} copies were "
          f"reported lost" if whom == "target" else
          f"{'kill -9 of the ' + whom:<30} {kills} of {kills} good: what was flushed is there; {found} sectors of the "
          "copy under way, none torn; e2fsck agrees")
