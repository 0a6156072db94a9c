"""The verdict of make contract: runs the suite of a slot on the block in it, and says what it has found.

    SLOT=name BLOCK=name SEED=1 JOBS=2 STARTED=seconds FULL=folder [FILLED=VARIABLE=name] [SETTINGS='RTL=path'] \
        [SIZE=name] [CLOCKS=n] [WAVES=1] [YOSYS=yosys] \
        python3 -S scripts/tool.py contract OUT PROGRAM

OUT/PROGRAM is a test_SLOT_contract; make builds FULL/PROGRAM, the same with models that record waves, when something is
wrong or WAVES=1. After a good verdict comes what was measured, next to the same of the default block: that one's is in
build/contract/SLOT, and measured again when the Verilog (but for the other blocks that ship), a suite or the seed has
changed. LUTs and flip-flops need Yosys.
A block other than the default then runs in a whole system of mixed sizes and slow receivers, where the rule of every
run checks whole flows (FLOWS): a block alone does not see which queues may go.
Exit code 1 if the block breaks the contract. The program's output (tb/contract/suite.c) is in OUT/log/PROGRAM.log."""
import json, os, re, shlex, shutil, time

from common import BOUND, TOOL, checksum, find, read, run, table, warn, write

E = os.environ.get
SLOT, BLOCK, SEED, CLOCKS, SIZE, SETTINGS = (E(v, "") for v in ("SLOT", "BLOCK", "SEED", "CLOCKS", "SIZE", "SETTINGS"))
MAKE, YOSYS = shlex.split(E("MAKE") or "make"), shutil.which(E("YOSYS") or "yosys")

# By slot: the run that checks flows.
FLOWS = {**dict.fromkeys(("voq_scheduler", "dma_queue_scheduler", "dma_arbiter"), "soak PACKETS=5000"),
         "path_scheduler": "soak LINKS=2 PACKETS=5000",
         **dict.fromkeys(("pm_input_scheduler", "pm_output_scheduler"),
                         "packet-mode ARCH=ppm PORTS=4 LOAD=0.9 CLOCKS=100000"),
         "pm_locks": "packet-mode ARCH=dpm PORTS=4 LOAD=0.9 CLOCKS=100000",
         "pm_matcher": "packet-mode ARCH=iq PORTS=4 LOAD=0.9 CLOCKS=100000"}


def lines_of(log):
    """Fields of each line, eleven at least."""
    return [(line + "\t" * (10 - line.count("\t"))).split("\t") for line in read(log).split("\n")]


def grouped(number):
    return f"{int(number or 0):,}".replace(",", " ")


def analyse(log, again, waves):
    """What the suite's log says: the verdict (0 good, 1 broken, 2 nothing checked), the first such size if broken."""
    sizes, refused, kept, broken, ended, names = [], [], [], [], set(), {}
    now = said = check = words = ""

    def end():
        # A size that has ended without a word: what was the last that it said?
        if now and now not in ended:
            broken.append((now, "the simulation goes on", check, "", said or "the program ended"))

    for kind, *field in lines_of(log):
        if kind == "size": sizes.append(field[0])
        elif kind == "checking":
            if field[0] != now:
                end()
                now, said = field[0], ""
            names[now], check = field[1:3]
        elif kind == "refused": refused.append(field[1])
        elif kind == "kept":
            ended.add(field[0])
            kept.append(field)
            words = field[6]
        elif kind == "broken":
            size, names[field[0]], at, rule, clock, ended_at, what, words = field[:8]
            ended.add(size)
            broken.append((size, rule, f"{clock} of {at}", ended_at, what))
        elif re.match("sim: |%Error", kind): said = kind.removeprefix("sim: ")
        elif not said: said = "".join(re.findall(r":E:slot:[^:]*:\d*: *(.*)", kind))
    end()
    if not kept and not broken:
        print(f"SIZE={SIZE}: expected one of {' '.join(sizes)}" if SIZE and sizes else
              f"{BLOCK} refuses every size of {SLOT} (by $finish): {'; '.join(refused)}" if refused else
              f"the suite of {SLOT} has checked nothing")
        return 2, ""
    rows = []
    if kept:
        table(*(("    " + name, grouped(turns), unit, f"longest wait {passed} of others, limit {limit}" * (limit > "0"))
                for _, name, turns, passed, limit, unit, *_ in kept), columns=2, say=rows.append)
    if not broken:
        # the one that comes nearest to its limit
        passed, limit = max(((int(k[3] or 0), int(k[4] or 0)) for k in kept), key=lambda w: w[0] / w[1] if w[1] else -1)
        turns, unit = sum(int(k[2] or 0) for k in kept), kept[-1][5]
        print(f"{BLOCK} keeps the contract of {SLOT}: {grouped(turns)} {unit} in "
              f"{len(kept)} size{'s' * (len(kept) > 1)}"
              + f"; longest wait {passed} {unit} of others (limit {limit})" * bool(limit))
        print(*rows, sep="\n")
    else:
        size, rule, at, ended_at, what = broken[0]
        print(f"{BLOCK} breaks the contract of {SLOT}{words and f' ({words})'}\n    rule     {rule}\n"
              f"    size     {names[size]}\n    clock    {at} (seed {SEED})\n    found    {what}\n"
              f"    waves    {waves}-{size}.fst{ended_at and f', which ends at {ended_at} us'}\n"
              f"    again    {again} SIZE={size}")
        for other, rule, *_ in broken[1:]: print(f"    also     {names[other]}: {rule}")
        if rows: print("  it keeps the contract in", *rows, sep="\n")
    if refused: print("  it is not for: " + "; ".join(refused))
    return int(bool(broken)), broken[0][0] if broken else ""


def measured(log, block, folder):
    """Of a block, from the suite's log and from Yosys: lines "kept", and the sizes."""
    rows = [f for f in lines_of(log) if f[0] == "kept"]
    if YOSYS:
        if run(log + ".synth", *TOOL, "synth", block, QUICK="1", NAME="contract-" + block,
               SLOT_FOLDER=folder if folder != "build" else ""):
            warn(f"Yosys cannot synthesise {block}, see {log}.synth")
        else:
            size = json.loads(read(f"{folder}/synth-contract-{block}.json"))
            rows += [["LUTs", str(size["lut"])], ["flip-flops", str(size["ff"])]]
    return rows


def of_default(program):
    """The same of the default block, in all sizes, in build/contract/SLOT behind a line of its key; None: it fails."""
    kept = "build/contract/" + SLOT
    files = find("rtl", "tb/contract", "sim/core",
                 name=lambda n: not re.fullmatch(rf"{SLOT}_.*\.v", n)) + ["scripts/synth.py"]
    of = checksum(SEED, CLOCKS, YOSYS or "", *map(read, files))
    if not read(kept).startswith(of + "\n"):
        os.makedirs("build/contract", exist_ok=True)
        log = kept + ".log"
        if (run(log, *MAKE, f"-j{E('JOBS')}", "build/" + program, MAKEFLAGS="")
                or run(log, *BOUND, "build/" + program, CONTRACT_SIZE=None)):
            return print(f"nothing of {SLOT} to compare with, see {log}")
        write(kept + ".part", "\n".join([of, *("\t".join(row) for row in measured(log, SLOT, "build"))]) + "\n")
        os.rename(kept + ".part", kept)
    return lines_of(kept)[1:]


def show(columns):
    """What was measured: a column for each (block, lines), a row for what the first one has."""
    values, names, last = [{} for _ in columns], {"": "alone"}, None
    for value, (_, rows) in zip(values, columns):
        for kind, *f in rows:
            if kind == "kept":
                size, name, _, passed, limit, unit, _, average, most, share = f
                names.setdefault(size, name)
                if average: value[size, "latency [clocks]"] = f"{average}, most {most}"
                if limit > "0": value[size, f"longest wait [{unit}]"] = passed
                if share: value[size, "share off [%]"] = share
            elif kind: value["", kind] = f[0]
    shown = [("  measured", "", *(title for title, _ in columns))]
    for size, what in values[0]:
        shown.append(("" if size == last else "    " + names[size], what, *(v.get((size, what), "") for v in values)))
        last = size
    table(*shown, left=2)


def flows(log, settings):
    """Runs the block in a system; whether no flow has starved there."""
    words = [*FLOWS[SLOT].split(), *settings, *([f"SEED={SEED}"] * (SEED != "1"))]
    good = not run(log, *MAKE, f"-j{E('JOBS')}", *words, "OUT=build/contract/flows", MAKEFLAGS="", SIM_SEED=None)
    print(f"  whole flows: {'good' if good else 'BROKEN'}, make {' '.join(words)}")
    if not good:
        print("\n".join("    " + line for line in [
            x for x in read(log).split("\n") if x and not x.startswith("make")][-5:]))
    return good


def main(arguments):
    out, program = arguments
    log, waves = f"{out}/log/{program}.log", "build/waves/contract-" + SLOT
    for folder in (os.path.dirname(log), "build/waves"): os.makedirs(folder, exist_ok=True)
    os.environ.update(CK_RUN_CASE="slot", CK_DEFAULT_TIMEOUT="1000000", SIM_SEED=SEED, CONTRACT_CLOCKS=CLOCKS or "0")
    if SIZE: os.environ["CONTRACT_SIZE"] = SIZE
    run(log, *BOUND, f"{out}/{program}")
    again = (f"make contract SLOT={SLOT} BLOCK={BLOCK}{SETTINGS and ' ' + SETTINGS}{f' SEED={SEED}' * (SEED != '1')}"
             f"{CLOCKS and f' CLOCKS={CLOCKS}'}")
    verdict, size = analyse(log, again, waves)
    if not verdict:
        columns = [(BLOCK, measured(log, BLOCK, out))]
        file = re.search(rf"^\S+ {BLOCK} (.*)", read(out + "/blocks"), re.M)
        # not beside itself, unless a copy has kept the name
        default = of_default(program) if BLOCK != SLOT or file and not file[1].startswith("rtl/") else None
        show(columns + [("default: " + SLOT, default)] * (default is not None))
        if not YOSYS: print(f"    no LUTs and flip-flops: there is no {E('YOSYS') or 'yosys'} (scripts/setup.sh synth "
                            f"installs it)")
    settings = E("FILLED", "").split() + [SETTINGS] * bool(SETTINGS)
    if not verdict and SLOT in FLOWS and BLOCK != SLOT and not SIZE and not flows(log + ".flows", settings): verdict = 1
    # One size once more, with waves: the one that breaks the contract, or the one asked for.
    if size or (E("WAVES") or "0") != "0" and verdict == 0:
        size = size or SIZE or [f[1] for f in lines_of(log) if f[0] == "kept"][-1]
        if run(log + ".full", *MAKE, f"-j{E('JOBS')}", *settings, f"{E('FULL')}/{program}", MAKEFLAGS=""):
            print(f"no waves: {E('FULL')}/{program} cannot be built, see {log}.full")
        else:
            file = f"{waves}-{size}.fst"
            if os.path.exists(file): os.remove(file)
            run(log + ".waves", *BOUND, "timeout", "120", f"{E('FULL')}/{program}", CONTRACT_SIZE=size, CK_FORK="no",
                SIM_WAVES=file[:-4])
            if not os.path.exists(file): print(f"no waves, see {log}.waves")
            if not verdict: print("waves of the long run's begin in " + file)
    if verdict != 2: print(f"verdict in {int(time.time()) - int(E('STARTED') or time.time())} s")
    return verdict
