"""Proofs of the hardware, by Yosys and ABC (make prove):

    [YOSYS=yosys] [ABC=yosys-abc] [LIMIT=600] python3 -S scripts/tool.py prove [NAME...]
                                           those of tb/proofs/proofs that begin so (*-room: a pattern); default: all

A proof is a module below tb/proofs that feeds a block of rtl/ and has one output, `bad`. Yosys makes gates of both,
with free values in what no reset has reached, and ABC's pdr searches a reason why `bad` can never be high, however long
the run (or a run in which it is). Each proof stands beside faults of the block with which it must fail; bmc3 finds the
shortest run that does. LIMIT: seconds for one.

Prints each with its seconds; exit code 1 if one is not as tb/proofs/proofs says. What the tools say is in
build/prove/NAME.log, a run that makes `bad` high in build/prove/NAME.cex."""
import filecmp, fnmatch, glob, os, re, subprocess, time

from common import find, number, progress, read, run, stop

YOSYS, ABC, LIMIT = (os.environ.get(name) or default
                     for name, default in (("YOSYS", "yosys"), ("ABC", "yosys-abc"), ("LIMIT", "600")))
number("LIMIT", LIMIT)
OUT = "build/prove"


def verilog(*roots): return find(*roots, name=lambda n: n.endswith(".v"))


def prove(how, name, top, parameters, edits):
    """Whether a proof is as it must be; prints its verdict. edits: (file of rtl/, edit of sed); of `sees` what must be
    seen is the first."""
    base, log = f"{OUT}/{name}", f"{OUT}/{name}.log"
    for old in glob.glob(base + ".*"): os.remove(old)
    sources, module = verilog("rtl"), f"tb/proofs/{top}.v"
    bench = read(module)
    if how == "sees":
        (seen, ), *edits = edits
        bench, module = re.sub(r"assign bad *=[^;]*", lambda _: f"assign bad = {seen} ", bench), f"{base}.0.v"
        with open(module, "w") as out: out.write(bench)
    for n, (file, edit) in enumerate(edits, 1):
        changed, edited = next(f for f in verilog("rtl") if os.path.basename(f) == file), f"{base}.{n}.v"
        with open(edited, "w") as out: subprocess.call(["sed", edit, changed], stdout=out)
        if filecmp.cmp(changed, edited, False): return print(f"prove: {name}: its edit changes nothing in {changed}")
        sources = [f for f in sources if f != changed] + [edited]
    ways = [p for p in parameters if p.startswith(("MEMORIES=", "CLOCKS="))]
    sets = " ".join(f"-set {p.replace('=', ' ', 1)}" for p in parameters if p not in ways)
    free = "MEMORIES=free" in ways  # tables of constants are no memories
    # an edge is a clock in which one is high and was low
    edges = "clk2fflogic" if "CLOCKS=free" in ways else "async2sync"
    began = time.time()
    # an option that newer ones do not have
    helps = subprocess.run([YOSYS, "-Q", "-p", "help abc"], capture_output=True, text=True).stdout
    fast = "-fast" if re.search("^ *-fast$", helps, re.M) else ""
    files = " ".join([module, *sources,
                      *(f for f in verilog("tb/proofs") if f.endswith("_properties.v"))])
    if run(log, YOSYS, "-q", "-p", f"""
            read_verilog {'-mem2reg' * ('MEMORIES=seen' in ways)} -defer -Ibuild/generated {files};
            {sets and f'chparam {sets} {top};'} {f'hierarchy -top {top}; proc -norom;' * free}
            prep -flatten -top {top} -nordff; {'delete t:$mem*; setundef -undriven -anyseq;' * free} memory_map;
            {edges}; opt -fast; techmap; opt -fast; dffunmap;
            abc -g AND {fast}; opt_clean; write_aiger -zinit -no-startoffset -map {base}.aim {base}.aig"""):
        return print("".join(re.findall(".*ERROR.*", read(log))[:1]))
    # a name of the block's that does not exist (hierconn) would be free
    undriven = [w for w in re.findall(r"Warning: Wire [^.\n]*\.(\\[^ ]*).* is used but has no driver", read(log))
                if w + " " in bench]
    if undriven: return print(f"prove: {name}: tb/proofs/{top}.v: the block has no {' '.join(undriven)}")
    clocks = how.removeprefix("holds-")
    # a reason: first what is the same in all clocks; a step: from any clock to the next; a fault: clock by clock
    search = {"step": f"bmc3 -F 4 -T {LIMIT}; ind -F 2 -C 0 -T {LIMIT}", "holds": f"scorr; dc2; lcorr; pdr -T {LIMIT}",
              "fails": f"bmc3 -T {LIMIT}", "sees": f"bmc3 -T {LIMIT}"}.get(
                  how, f"scorr; dc2; lcorr; bmc3 -F {clocks} -T {LIMIT}")
    # gates without a clock: whether any inputs at all make it high
    if not re.search("wire *[a-z_]*clk,", bench): search = "fraig; dc2; fraig; iprove"

    def decide(*commands):
        with open(log, "a") as out:
            subprocess.call(["timeout", str(int(LIMIT) + 60), ABC, "-c",
                             "; ".join([f"read_aiger {base}.aig; fold; strash", *commands])], stdout=out, stderr=out)
        return read(log)

    says = decide(search, f"write_cex -a {base}.cex")
    # newer ABC: pdr says so of gates without a clock, as which scorr may leave them
    if "Property UNDECIDED" in says: says = decide("scorr; dc2; lcorr; iprove")
    seconds = time.time() - began
    clock = re.search(r"was asserted in frame (\d*)", says)
    said = f"fails in clock {clock[1]}" if clock else \
        "holds" if re.search("Property proved|^UNSATISFIABLE", says, re.M) else \
        "fails" if re.search("^SATISFIABLE", says, re.M) else \
        "holds" if "No output asserted in 4 frames" in says and "Networks are equivalent" in says else \
        f"holds for {clocks} clocks" if f"No output asserted in {clocks} frames" in says else \
        f"not decided in {LIMIT} s"
    for left in glob.glob(base + ".ai[gm]") + glob.glob(base + ".cex") * (not clock): os.remove(left)
    if how == "sees": said = said.replace("fails", "seen").replace("holds", "never seen")
    good = said.startswith("fails") if how == "fails" else said.startswith("seen") if how == "sees" else \
        said == ("holds" if clocks in ("holds", "step") else f"holds for {clocks} clocks")
    print(f"{name:<22} {said:<24} {seconds:8.1f} s"
          + ("" if good else f"   WRONG: expected that it {how.partition('-')[0]}, see {log}"))
    return good


def main(arguments):
    os.makedirs(OUT, exist_ok=True)
    proofs, wanted = [], [a + "*" for a in arguments] or ["*"]
    for line in re.sub(r" *\\\n *", " ", read("tb/proofs/proofs")).splitlines():
        what, _, changed = line.partition("|")
        parts = changed.split("|+") if changed else []
        edits = [(e.strip(), ) if e is parts[0] and what.startswith("sees") else
                 tuple(map(str.strip, e.split("|", 1))) for e in parts]
        if not what.strip() or what[0] == "#": continue
        how, name, top, *parameters = what.split()
        proofs.append((how, name, top, parameters, edits))
    missing = [w[:-1] for w in wanted if not fnmatch.filter((p[1] for p in proofs), w)]
    if missing: stop(f"prove: expected names of tb/proofs/proofs, or how some begin: {' '.join(missing)}", 2)
    verdicts = []
    for proof in proofs:
        if any(fnmatch.fnmatchcase(proof[1], w) for w in wanted):
            progress("PROVE   " + proof[1])
            verdicts.append(prove(*proof))
    progress("")
    if not all(verdicts):
        print(f"prove: {len(verdicts) - sum(map(bool, verdicts))} of {len(verdicts)} are not as tb/proofs/proofs says")
    else: print(f"prove: {len(verdicts)}, each as it must be")
    return int(not all(verdicts))
