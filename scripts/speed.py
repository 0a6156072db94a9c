#!/usr/bin/env python3
"""How fast the simulator is, and where its instructions go (make speed).

    [NODES='2 4 8 16'] [TURNS=3] [RUNS=recorded] scripts/speed.py PROGRAMS [BASE]
    scripts/speed.py --check BASE          prints why this commit cannot be measured, or nothing

PROGRAMS is the folder of nicxbar-sim*. BASE is a commit: its programs are built in build/speed/BASE, by $MAKE with
$JOBS jobs; both take turns. Every run of the table below is made TURNS times; the best turn counts, because what else
the machine does can only slow it down. "Per core" is by processor time. What is counted does not depend on the
machine's load: instructions per network clock, by callgrind, of saturated systems, by part of the project; in one
thread and one lane, because callgrind does not know the longest vectors. Table on stdout; the same as JSON in
build/speed.json.

With RUNS only the runs with that in their names, and those they are compared with; nothing is counted.

Options of a run must be such as an older BASE knows, too; where it does not, or fails, its column shows "-". A BASE
without --threads or --lanes has one. A host program's short run has FILLING messages: what the NIC records is full
then, and reading it out costs the long run as much."""
import concurrent.futures
import os
import re
import subprocess
import sys

import common
from common import stop, table

# counted: simulated time, behind the start of the nodes
OUT, COUNTED_US, CLOCK_PS, FILLING = "build/speed", 50, 12800, 16
TRAFFIC = "--scenario uniform --sizes 496 --warmup 0 --no-monitor".split()
HOSTS = "--nodes 2 --nic monitored --program $PROGRAMS/programs/"
WAVES = "--nodes 2 --waves build/speed/waves.fst"
# name, ports of the switch (0: any, and it is a figure), simulated [us] or messages, run it is compared with, options
RUNS = (
    ("2 nodes", 2, 1500, "", "--nodes 2"), ("4 nodes", 4, 1000, "", "--nodes 4"),
    ("8 nodes", 8, 500, "8 nodes, 1 thread", "--nodes 8"),
    ("8 nodes, 1 thread", 8, 500, "8 nodes, 1 lane", "--nodes 8 --threads 1"),
    ("8 nodes, 1 lane", 8, 500, "", "--nodes 8 --threads 1 --lanes 1"),
    ("8 nodes, 1 lane, all cores", 8, 500, "8 nodes, 1 lane", "--nodes 8 --lanes 1"),
    ("16 nodes", 16, 200, "", "--nodes 16"), ("8 nodes, idle", 8, 1000, "8 nodes", "--nodes 8 --load 0.001"),
    ("recorded: waves", 2, 300, "2 nodes", WAVES),
    ("recorded: waves of node0", 2, 300, "2 nodes", WAVES + " --wave-scopes node0"),
    ("recorded: waves of xbar", 2, 300, "2 nodes", WAVES + " --wave-scopes xbar"),
    ("recorded: waves of nic0.dma", 2, 300, "2 nodes", WAVES + " --wave-scopes nic0.dma"),
    ("recorded: waves of VOQs", 2, 300, "2 nodes", WAVES + " --wave-scopes nic0.queues,nic1.queues"),
    ("recorded: TRACE=packets", 2, 300, "2 nodes", "--nodes 2 --trace packets --out build/speed"),
    ("recorded: TRACE=1", 2, 300, "2 nodes", "--nodes 2 --trace 1 --trace-size 1G --out build/speed"),
    ("recorded: CAPTURE", 2, 300, "2 nodes", "--nodes 2 --capture build/speed/frames.pcapng"),
    ("recorded: cycles", 2, 300, "2 nodes", "--nodes 2 --cycles"),
    ("recorded: NIC=monitored, off", 2, 300, "2 nodes", "--nodes 2 --nic monitored"),
    ("2 hosts, NIC=monitored", 2, 60, "", HOSTS + "nxsample.so -- --interval 0 --messages"),
    ("recorded: samples", 2, 60, "2 hosts, NIC=monitored", HOSTS + "nxsample.so -- --interval 10 --messages"),
    ("recorded: trace of NIC", 2, 60, "2 hosts, NIC=monitored", HOSTS + "nxtrace.so -- --messages"),
    ("recorded: waves, 4 nodes", 4, 100, "4 nodes", "--nodes 4 --waves build/speed/waves.fst"),
    ("1 NIC at a port in C", 0, 0, "", "--figures sim_1nic_khz"),
    ("2 NICs and a cable", 0, 0, "", "--figures sim_2nic_khz"),
)
PARTS = (("NICs", "Vnic"), ("switch", "Vcrossbar"),
         ("scheduler", r"sim/core/|\(anonymous namespace\)::(model|context)_"),
         ("host", "sim/model/(host|external)/"), ("cable", "sim/model/cable/"), ("rest", "$^"))
nodes, turns = os.environ.get("NODES", "2 4 8 16").split(), common.number("TURNS", os.environ.get("TURNS") or 3)


def git(*words):
    try:
        done = subprocess.run(["git", *words], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if not done.returncode else None


def commit(name):
    return git("rev-parse", "--verify", "--quiet", "--short", name + "^{commit}")


def build(base):
    """Builds the programs of a commit in a folder of its own, once."""
    folder = f"{OUT}/{base}"
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(f"{folder}/Makefile"):
        subprocess.run(f"git archive {base} | tar -x -C {folder}", shell=True, check=True)
    print(f"  BASE    {base} in {folder}", flush=True)
    goals = [f"build/nicxbar-sim{n if n != '4' else ''}" for n in nodes]
    if os.path.exists(f"{folder}/scripts/probes.vlt"):
        goals += [g.replace("build/", "build/full/") for g in goals if not g.endswith(("sim8", "sim16"))]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    with open(f"{folder}.log", "w") as log:
        failed = subprocess.call([os.environ.get("MAKE", "make"), "-j" + os.environ.get("JOBS", "2"), "-C", folder,
                                  *goals],
                                 env=environment, stdout=log, stderr=log)
    if failed:
        sys.exit("".join(open(f"{folder}.log", errors="replace").readlines()[-5:]) +
                 f"BASE={base} cannot be built, see {folder}.log")
    return f"{folder}/build"


def program(folder, ports, options):
    """The program with a switch of so many ports, and these options."""
    if re.search("--waves|--trace 1|--cycles", options) and os.path.isdir(f"{folder}/full"):
        folder += "/full"
    ports = str(ports or nodes[0])
    return f"{folder}/nicxbar-sim{ports if ports != '4' else ''}"


def known(program, options):
    """The options as the program knows them: one that has no threads, or no lanes, has 1."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
    for o in ("threads", "lanes"):
        if f" --{o} " not in text:
            options = re.sub(rf" --{o} 1\b", "", options)
    return options.split()


def fail(what, log):
    sys.stderr.write("".join(open(log, errors="replace").readlines()[-5:]))
    sys.exit(f"speed: {what} failed, see above")


def run(*command):
    """One run: network clocks, seconds on the wall, of processor time, bytes that it recorded, rounds per window; None
    if it fails."""
    files = [f"{OUT}/{name}" for name in ("waves.fst", "trace.json", "frames.pcapng")]
    for f in files:
        if os.path.exists(f):
            os.remove(f)
    with open(f"{OUT}/run.log", "w") as log:
        child = subprocess.Popen([command[0], "--json", f"{OUT}/run.json", *command[1:]], stdout=log, stderr=log)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
    if status:
        return None
    said = {name: float(value) for name, value in re.findall(
        r'^[\s{]*"(wall_s|net_khz|simulated_ms|value|rounds_per_window)": *([-+.\de]+)', open(f"{OUT}/run.json").read(),
        re.M)}
    if said.get("value"):
        return 1000, 1 / said["value"], 0, 0, 0
    clocks = 1000 * said["net_khz"] * said["wall_s"] if said.get("net_khz") else 1e9 * said["simulated_ms"] / CLOCK_PS
    recorded = sum(os.path.getsize(f) for f in files if os.path.exists(f))
    return clocks, said["wall_s"], used.ru_utime + used.ru_stime, recorded, said.get("rounds_per_window", 0)


def measure(who, folder, row, taken):
    """Takes a run, and a very short one, which starts the nodes, too: of the turns so far the least time."""
    name, ports, us, _, options = row
    options = options.replace("$PROGRAMS", PROGRAMS)
    binary = program(folder, ports, options)
    if "--figures" in options:
        lengths, more = {"long": None}, []
    elif " -- " in options:
        lengths, more = {"long": us + FILLING, "short": FILLING}, []
    else:
        lengths, more = {"long": us, "short": 1}, [*TRAFFIC, "--measure"]
    for length, value in lengths.items():
        got = run(binary, *known(binary, options), *more, *([] if value is None else [str(value)]))
        if not got:
            return who == "base" or fail(f"{binary} {options}", f"{OUT}/run.log")
        old = taken.get((name, who, length), got)
        taken[name, who, length] = got[0], min(old[1], got[1]), min(old[2], got[2]), *got[3:]
    return True


def count(who, folder, n):
    """Instructions per network clock by part of the project. Counting begins where a scenario opens its window, which
    is where its senders begin, and ends where it closes it."""
    profile, binary = f"{OUT}/callgrind.{who}.{n}", program(folder, n, "")
    for f in os.listdir(OUT):
        if f.startswith(os.path.basename(profile) + "."):
            os.remove(f"{OUT}/{f}")
    with open(f"{profile}.log", "w") as log:
        failed = subprocess.call(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--zero-before=statistics_open",
             "--dump-before=statistics_cut", binary, *TRAFFIC, *known(binary, f"--nodes {n} --threads 1 --lanes 1"),
             "--outstanding", "4", "--measure", str(COUNTED_US), "--json", f"{profile}.json"], stdout=log, stderr=log)
    if failed or not os.path.exists(f"{profile}.1"):
        return {} if who == "base" else fail(f"callgrind, {n} nodes,", f"{profile}.log")
    sums, total = dict.fromkeys((name for name, _ in PARTS), 0), 0
    for line in subprocess.run(["callgrind_annotate", "--auto=no", "--threshold=100", f"{profile}.1"],
                               capture_output=True, text=True).stdout.splitlines():
        if "%)" not in line:
            continue
        of_line = int(line.split()[0].replace(",", ""))
        if "PROGRAM TOTALS" in line:
            total = sums["rest"] = of_line
        elif of_line <= 0.9 * total:
            # more is around the place where counting began: callgrind gives it all that it called
            part = next((name for name, words in PARTS if re.search(words, line)), "rest")
            sums[part] += of_line
            sums["rest"] -= of_line
    return {name: value * CLOCK_PS / (COUNTED_US * 1e6) for name, value in sums.items()}


# ---- the table ----

def least(taken, r, who, kind):
    """What a run takes without the start of its nodes: of the best turns of the long run and of the short one."""
    zero = (0, 0, 0, 0, 0)
    long, short = taken.get((r, who, "long"), zero), taken.get((r, who, "short"), zero)
    return [a - b for a, b in zip(long, short)][kind]


def khz(taken, r, who, kind):
    taking = least(taken, r, who, kind)
    return least(taken, r, who, 0) / taking / 1000 if taking > 0 else 0


def number(value):
    return f"{value:.4g}" if value else "null"


def quoted(text):
    return f'"{text}"' if text else "null"


def row_of(taken, row, base):
    """A run's line of the table, and the same as JSON; nothing of one that was not made."""
    r, _, _, a, _ = row
    speed, core = khz(taken, r, "now", 1), khz(taken, r, "now", 2)
    if not speed:
        return None
    base_speed, base_core = khz(taken, r, "base", 1), khz(taken, r, "base", 2)
    by, by_core = base_speed and speed / base_speed, base_core and core / base_core
    of_other = a and khz(taken, a, "now", 1)
    other = speed / of_other if of_other else 0
    other_core = khz(taken, a, "now", 2) / core if a and core else 0
    clocks = least(taken, r, "now", 0)
    recorded = least(taken, r, "now", 3) / 1e6 / (clocks * CLOCK_PS / 1e9) if clocks > 0 else 0
    rounds = taken[r, "now", "long"][4]

    def cell(form, value):
        return format(value, form) if value else "-"
    cells, recording = [r, f"{speed:.1f}", cell(".1f", core)], r.startswith("recorded: ")
    if base:
        cells += [cell(".1f", base_speed), cell(".2f", by), cell(".2f", by_core)]
    line = ""
    if other and recording:
        line = f"time of {a} {1 / other:.2f}, of processors {other_core:.2f}"
    elif other:
        line = f"{other:.2f} of {a}"
    if rounds > 0:
        line += f"{', ' * bool(other)}{rounds:.2f} rounds a window"
    if recording:
        line += f", {recorded:.1f} MB per simulated ms"
    values = {"khz": speed, "khz_per_core": core, "base_khz": base_speed, "ratio": by, "ratio_per_core": by_core,
              "against": a, "ratio_against": other, "processors_against": other_core, "rounds_per_window": rounds,
              "recorded_mb_per_ms": recorded}
    return [*cells, line], f'{{"run": {quoted(r)}, ' + ", ".join(
        f'"{k}": {quoted(v) if k == "against" else number(v)}' for k, v in values.items()) + "}"


def report(taken, counts, rows, now, base):
    made = [both for both in (row_of(taken, row, base) for row in rows) if both]
    titles = ["network clock [kHz]", "now", "per core"] + ["base", "ratio", "per core"] * bool(base)
    table([*titles, "against another run"], *(cells for cells, _ in made), columns=len(titles))
    json = f'{{\n  "commit": {quoted(now)},\n  "base": {quoted(base)},\n  "runs": [' \
        + ",".join("\n    " + text for _, text in made)
    json += '\n  ],\n  "instructions": ['
    instructions = [("instructions per clock", *(name for name, _ in PARTS), "all", "per node",
                     *("base", "ratio") * bool(base))]
    for i, n in enumerate(counts):
        sums, of_base = counts[n]["now"], sum(counts[n].get("base", {}).values())
        total = sum(sums.values())
        against = (f"{of_base:.0f}", f"{of_base / total:.2f}") if of_base else ("-", "-")
        instructions += [(n + " nodes, saturated", *(f"{v:.0f}" for v in (*sums.values(), total, total / int(n))),
                          *against * bool(base)),
                         ("", *(f"{100 * v / total:.1f}%" for v in sums.values()),
                          *("", "", "", "")[:2 + 2 * bool(base)])]
        json += f'{"," if i else ""}\n    {{"nodes": {n}' + "".join(f', "{k.lower()}": {v:.0f}'
                                                                    for k, v in sums.items())
        json += f', "all": {total:.0f}, "base": {f"{of_base:.0f}" if of_base else "null"}}}'
    if counts:
        print()
        table(*instructions)
    with open("build/speed.json", "w") as f:
        f.write(json + "\n  ]\n}\n")
    print(f"\ncommit {now}{' (with what is not committed)' if '+' in now else ''}{', base ' + base if base else ''}; "
          f"results in build/speed.json")


def measure_all():
    wanted, rows = os.environ.get("RUNS"), RUNS
    if wanted:
        names = {name for row in RUNS if wanted in row[0] for name in (row[0], row[3])}
        rows = [row for row in RUNS if row[0] in names]
        if not rows:
            stop(f"speed: RUNS={wanted}: no run has that in its name; see the head of scripts/speed.py")
    os.makedirs(OUT, exist_ok=True)
    now = git("rev-parse", "--short", "HEAD")
    # +: not all is committed
    now = now + ("+" if git("status", "--porcelain", "--untracked-files=no") else "") if now else "unknown"
    base = commit(sys.argv[2]) if len(sys.argv) > 2 else ""
    folders = {"base": build(base), "now": PROGRAMS} if base else {"now": PROGRAMS}
    counts, taken = {}, {}
    for n in () if wanted else nodes:
        print(f"speed: counting instructions, {n} nodes", file=sys.stderr)
        with concurrent.futures.ThreadPoolExecutor() as both:
            counts[n] = dict(zip(folders, both.map(lambda who: count(who, folders[who], n), folders)))
    for turn in range(1, turns + 1):
        for row in rows:
            if str(row[1]) in [*nodes, "0"]:
                print(f"speed: turn {turn} of {turns}: {row[0]}", file=sys.stderr)
                for who, folder in folders.items():
                    measure(who, folder, row, taken)
    report(taken, counts, rows, now, base)


if sys.argv[1] == "--check":
    if git("rev-parse", "--is-inside-work-tree") != "true":
        print(f"BASE={sys.argv[2]}: this is no clone of a git repository, or git is missing; expected both")
    elif not commit(sys.argv[2]):
        print(f"BASE={sys.argv[2]}: no such commit here; expected one that git log shows")
else:
    PROGRAMS = sys.argv[1]
    measure_all()
