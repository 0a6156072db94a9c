"""The RoCE v2 chip against software of others, a line with a verdict for each row (make interop).

    ONLY=rping BYTES=64 SEED=1 python3 -S scripts/tool.py interop BIN OUT

BIN: built programs; OUT: folder of what is left. ONLY: rows with it in their name; BYTES: of the chip, per clock (8).
RECORD=1: a few short rows instead, of Linux and the NIC in C; if all are good, the packets of each row become
tb/unit/roce/ROW.pcap, which the unit tests of the RTL replay, and a last line names them.

A row is a line "good  NAME  what was done" or "BAD   NAME  what went wrong" on the screen and in OUT/interop.txt. The
last line sums up.
Exit code 0: each row is good, 1: not all are, 2: no row has such a name, 130: interrupted.

Rows come from PARTS, which run one after the other. A part is a program that takes

  --list           print the names of its rows, one a line, and do nothing else
  --only TEXT      only rows with TEXT in their name, and those that always belong to them

and prints the lines of its rows on standard output; progress and what helps to find an error go to standard error. Or
it is a function here that looks at a recording which a part has left. A row that --list names and that has no line in
the end is bad, and so is an exit code that no bad row explains. To add a row to a part, see its program; to add a part,
a line in PARTS. A part that needs files of another one stands behind it."""
import concurrent.futures, difflib, glob, os, shutil, signal, subprocess, sys, time

from common import BOUND, TOOL, stop

ONLY, SEED, BYTES, RECORD = (os.environ.get(name) or default
                             for name, default in (("ONLY", ""), ("SEED", "1"), ("BYTES", "8"), ("RECORD", "")))
HERE = os.path.dirname(__file__)
LONGEST = 65535  # bytes of a recording
RECORDINGS = ["rping", "verbs", "nic", "nic-rping"]


def tshark(file, out):
    """Wireshark's dissector finds every packet whole. What it guesses of the payload does not count: RPC, or a frame
    behind an Ethertype."""
    def frames(what):
        with open(f"{out}/tshark.log", "a") as log:
            done = subprocess.run(["tshark", "--disable-protocol", "rpcordma", "-r", file, "-Y", what, "-T", "fields",
                                   "-e", "frame.number"],
                                  stdout=subprocess.PIPE, stderr=log, text=True, check=False)
        return done.stdout.split(), done.returncode == 0

    (packets, read_them), (wrong, found) = frames("infiniband"), frames(
        '_ws.malformed && !(frame.protocols contains "infiniband:ethertype")')
    good = packets and not wrong and read_them and found
    return good, f"{len(packets)} packets in {file}" + (
        "" if good else f"; {len(wrong)} malformed, the first is frame {(wrong or [''])[0]}; {out}/tshark.log")


def scapy(file, _):
    """Scapy recomputes the ICRC of each IPv4 packet (it cannot for IPv6: there it is rxe's word). It must find one that
    is wrong, too."""
    done = subprocess.run([HERE + "/icrc.py", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode == 0, ";".join(done.stdout.splitlines())


PARTS = {
    # rping in Linux (QEMU), the RTL and its software (sim/app/roce/linux/roce_rping_program.c). Leaves OUT/rping.pcap.
    "rping": "{bin}/roce-rping --guest build/guest --console {out}/rping-console.log --pcap {out}/rping.pcap "
             "--seed {seed} --bytes {bytes}",
    # The same Linux, where a program of ours works queue pairs (scripts/guest/verbs.c) with data and faults that rping
    # does not have. Leaves OUT/verbs.pcap.
    "verbs": "{bin}/roce-verbs --guest build/guest --console {out}/verbs-console.log --pcap {out}/verbs.pcap "
             "--seed {seed} --bytes {bytes}",
    # The same with the NIC in C (sim/model/rnic) in the chip's place, the checker of the chip in other tests. Leaves
    # OUT/nic.pcap.
    "nic": "{bin}/roce-verbs --end nic --guest build/guest --console {out}/nic-console.log --pcap {out}/nic.pcap "
           "--seed {seed}",
    # rping of Linux with that NIC as its server, by the same software that drives the chip (sw/roce). Leaves
    # OUT/nic-rping.pcap.
    "nic_rping": "{bin}/roce-rping --end nic --guest build/guest --console {out}/nic-rping-console.log "
                 "--pcap {out}/nic-rping.pcap --seed {seed}",
    "tshark": tshark, "scapy": scapy}
# Its rows leave OUT/recorded/ROW.pcap. Not the chip: what Linux says must not come from what it is to check.
TO_RECORD = {"record": "{bin}/roce-verbs --end nic --record {out}/recorded --guest build/guest --console "
                       "{out}/record-console.log --seed {seed}"}


class Rows:
    def __init__(self, bin_folder, out):
        self.bin, self.out, self.parts, self.lines = bin_folder, out, TO_RECORD if RECORD == "1" else PARTS, []
        self.table = open(f"{out}/interop.txt", "w")

    def command(self, part, *more):
        return [*BOUND, *(word.format(bin=self.bin, out=self.out, seed=SEED, bytes=BYTES)
                          for word in self.parts[part].split()), *more]

    def names(self, part, only):
        if callable(self.parts[part]): return [f"{part}-{name}" for name in RECORDINGS if only in f"{part}-{name}"]
        done = subprocess.run(self.command(part, "--list", *(["--only", only] if only else [])), stdout=subprocess.PIPE,
                              text=True, check=False)
        if done.returncode: stop(f"interop: part {part} cannot list its rows")
        return done.stdout.split() if only in done.stdout else []

    def say(self, line):
        self.lines.append(line)
        print(line)
        print(line, file=self.table, flush=True)

    def run(self, part, names):
        """The exit code of a part."""
        if callable(self.parts[part]):
            with concurrent.futures.ThreadPoolExecutor() as threads:
                files = (f"{self.out}/{name.partition('-')[2]}.pcap" for name in names)
                for name, (good, text) in zip(names, threads.map(lambda file: self.parts[part](file, self.out), files)):
                    self.say(f"{'good' if good else 'BAD':<4}  {name:<28}  {text}")
            return 0
        with subprocess.Popen(self.command(part, *(["--only", ONLY] if ONLY else [])), stdout=subprocess.PIPE,
                              text=True) as child:
            try:
                for line in child.stdout: self.say(line.rstrip("\n"))
            except BaseException:
                child.terminate()
                raise
        return child.returncode if child.returncode >= 0 else 128 - child.returncode


def main(arguments):
    began, (bin_folder, out) = time.time(), arguments
    for s in (signal.SIGINT, signal.SIGTERM): signal.signal(s, lambda *_: sys.exit(130))
    os.makedirs(out, exist_ok=True)
    rows = Rows(bin_folder, out)
    if RECORD == "1":
        shutil.rmtree(f"{out}/recorded", ignore_errors=True)
        os.mkdir(f"{out}/recorded")
    names = {part: rows.names(part, ONLY) for part in rows.parts}
    if not any(names.values()):
        ratio = {name: difflib.SequenceMatcher(None, ONLY, name).ratio() for part in rows.parts
                 for name in rows.names(part, "")}
        near = sorted(sorted(ratio), key=lambda name: -ratio[name])[:3]
        stop("interop: ONLY=" + ONLY + ": expected a part of the name of a row; the nearest: "
             + ", ".join(name for name in near if ratio[name] >= ratio[near[0]] - 0.05), 2)
    if subprocess.call([*TOOL, "guest", "build/guest"], stdout=sys.stderr): return 1
    for part in filter(names.get, rows.parts):
        code = rows.run(part, names[part])
        if code == 130: return code
        for name in names[part]:
            if all(line.split()[1:2] != [name] for line in rows.lines):
                rows.say(f"BAD   {name:<28}  no verdict: its program ended with code {code}")
        if code and not any(line.startswith("BAD   ") for line in rows.lines):
            rows.say(f"BAD   {part:<28}  ended with code {code}")
    bad = sum(line.startswith("BAD   ") for line in rows.lines)
    count = bad + sum(line.startswith("good  ") for line in rows.lines)
    print(f"interop: {count} rows, {bad} bad, {int(time.time() - began)} s: {out}/interop.txt")
    if bad: return 1
    if RECORD == "1":
        files = sorted(glob.glob(glob.escape(out) + "/recorded/*.pcap"))
        for file in files:
            if os.path.getsize(file) > LONGEST:
                stop(f"interop: {file}: {os.path.getsize(file)} bytes, expected at most {LONGEST}")
        for file in files: shutil.copy(file, "tb/unit/roce/")
        print(f"interop: recorded: {' '.join(map(os.path.basename, files))} are in tb/unit/roce")
