"""Measures the blocks for a slot side by side (make compare): the default, the alternatives that ship, and a block of
one's own.

    [BLOCK=name] [RTL='path...'] [SEED=1] [SETTINGS='other slots'] python3 -S scripts/tool.py compare MODULE

MODULE is the slot's default block, such as output_scheduler. What is measured in the system stands in RUNS below. A
slot that no run names is measured alone. Sizes are those of the module alone with its default parameters; `levels` is
the longest way through LUTs between two registers or pins.

Table on stdout, the same as JSON in build/compare/MODULE.json, and a log of each run in the same folder. A program is
built for each block."""
import json, os, re, shlex

import slots
from common import TOOL, progress, read, run, stop, table, write

# Slots, ports in the name of the program, options of nicxbar-sim.
EIGHT = "output_scheduler voq_scheduler credit_scheduler crosspoint", "8", "--nodes 8 --bridge ideal --nic 4splits"
FOUR = "dma_queue_scheduler dma_arbiter", "", "--nodes 4"
# Name, of which slots, what of the results, us measured, scenario. Saturated, payload in parts of what the links carry
# with the default block where all send to themselves: the first row is the unit.
RUNS = [
    *((f"unb {part}", EIGHT, "payload", 1000, f"unbalanced --part {part}") for part in ("1", "0.6", "0.5", "0.4", "0")),
    ("delay at 0.8", EIGHT, "delay", 1000, "uniform --load 0.8"), ("7 to 1", EIGHT, "unfairness", 2000, "n-to-one"),
    ("own", FOUR, "payload", 1000, "self"), ("to all", FOUR, "payload", 1000, "round-robin"),
    ("8..496", FOUR, "payload", 1000, "round-robin --sizes 8..496"),
    ("4 splits", FOUR, "payload", 1000, "round-robin --nic 4splits"),
    ("delay at 0.6", FOUR, "delay", 1000, "uniform --load 0.6"), ("3 to 1", FOUR, "unfairness", 2000, "three-to-one")]
HEADINGS = {"payload": "[%]", "median": "median us", "p99": "p99 us", "unfair": "unf. [%]"}
OUT = "build/compare"


def results(path, what):
    """Numbers of a run by their headings, as they are in the table's JSON."""
    scenario = json.loads(read(path))["scenario"]
    row = scenario["rows"][-1]
    if what == "payload": numbers = {what: row["payload_mib_per_s"] / scenario["nodes"]}
    elif what == "delay": numbers = {key: (row["latency_ns"][key] or 0) / 1000 for key in ("median", "p99")}
    else: numbers = {"unfair": 100 * row["unfairness"][0]["packets"]}
    return {key: f"{number:.6g}" for key, number in numbers.items()}


def logged(block, what, log, code):
    if code: stop("\n".join(read(log).splitlines()[-5:] + [f"compare: {block} {what}, see {log}"]))


def measure(module, variable, block, settings, rtl, seed):
    """A row of the table: {(run, heading): number}."""
    words, row = settings.split() + [f"{variable}={block}"] * (block != module), {}
    folder = slots.fill(words) if words else "build"
    # make, as if no other make had called it; what stands on that one's command line is handed on where it counts.
    make = dict.fromkeys(("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"))
    for name, (of, ports, options), what, us, scenario in RUNS:
        if module not in of.split(): continue
        options = (f"{options} --no-monitor --warmup 200 --measure {us}{' --sizes 496' * ('--sizes' not in scenario)} "
                   f"--scenario {scenario}")
        log, program = f"{OUT}/{re.sub('[^A-Za-z0-9._-]', '_', f'{block}-{name}')}", f"{folder}/nicxbar-sim{ports}"
        progress(f"{block}: building")
        logged(block, "cannot be built", log + ".log", run(
            log + ".log", *shlex.split(os.environ.get("MAKE") or "make"), "-s", f"JOBS={os.environ.get('JOBS') or 2}",
            f"RTL={rtl}", *words, program, **make))
        progress(f"{block}: {name}")
        logged(block, f"fails in the run {name}", log + ".log",
               run(log + ".log", program, *options.split(), "--seed", seed, "--json", log + ".json"))
        row.update({(name, key): number for key, number in results(log + ".json", what).items()})
    progress(f"{block}: size")
    log = f"{OUT}/{block}-size.log"
    if run(log, *TOOL, "synth", block, SLOT_FOLDER=folder if folder != "build" else "", LEVELS="1"):
        stop(read(log).rstrip())
    size = json.loads(read(f"{folder}/synth-{block}.json"))
    return {**row, **{("size", title): str(size[key])
                      for title, key in (("LUTs", "lut"), ("FFs", "ff"), ("levels", "levels"))}}


def main(arguments):
    module, = arguments
    rtl, own, seed, settings = (os.environ.get(v, "") for v in ("RTL", "BLOCK", "SEED", "SETTINGS"))
    os.makedirs(OUT, exist_ok=True)
    defaults = {default: variable for variable, (default, _) in slots.table().items()}
    if module not in defaults: stop(f"compare: {module}: expected one of {' '.join(sorted(defaults))}", 2)
    variable = defaults[module]
    blocks = dict.fromkeys([name for name, _ in slots.blocks_of(module)] + [own] * bool(own))
    rows = {block: measure(module, variable, block, settings, rtl, seed or "1") for block in blocks}
    progress("")
    columns, unit = list(rows[module]), float(next(iter(rows[module].values())))

    def cell(column, number):
        return (f"{100 * float(number) / unit:.1f}" if column[1] == "payload"
                else f"{float(number):.2f}" if column[1] in HEADINGS else number)

    table(("", *("" if i and columns[i - 1][0] == top else top for i, (top, _) in enumerate(columns))),
          ("block", *(HEADINGS.get(heading, heading) for _, heading in columns)),
          *((block, *map(cell, columns, row.values())) for block, row in rows.items()))
    write(f"{OUT}/{module}.json", f'{{"slot": "{module}", "seed": {seed or 1}, "settings": "{settings}", "blocks": ['
          + ",".join(
              f'\n  {{"block": "{block}"'
              + "".join(f', "{top} {heading}": {number}' for (top, heading), number in row.items()) + "}"
              for block, row in rows.items()) + "\n]}\n")
    if columns[0][1] == "payload":
        print(f"payload saturated, 100 % = {unit:.1f} MiB/s per node{settings and '; ' + settings}; seed {seed or 1}")
    print(f"results in {OUT}/{module}.json, logs in the same folder")
