"""Proofs of the hardware, by Yosys and ABC (make prove):

    [YOSYS=yosys] [ABC=yosys-abc] [LIMIT=600] [JOBS=1] [QUICK=1] python3 -S scripts/tool.py prove [NAME...]
                                           those of tb/proofs/proofs that begin so (*-room: a pattern); default: all

A proof is a module below tb/proofs that feeds a block of rtl/ and has one output, `bad`. Yosys makes gates of both,
with free values in what no reset has reached, and ABC's pdr searches a reason why `bad` can never be high, however long
the run (or a run in which it is). Each proof stands beside faults of the block with which it must fail; bmc3 finds the
shortest run that does. LIMIT: seconds for one. JOBS: at a time. QUICK: the third of them that took the fewest seconds
when tb/proofs/seconds was written.

Prints each with the processor's seconds; exit code 1 if one is not as tb/proofs/proofs says. What the tools say is in
build/prove/NAME.log, a run that makes `bad` high in build/prove/NAME.cex."""
import concurrent.futures, filecmp, fnmatch, functools, glob, os, re, signal, subprocess

from common import find, number, progress, read, stop
from declared import without_comments

YOSYS, ABC, LIMIT = (os.environ.get(name) or default
                     for name, default in (("YOSYS", "yosys"), ("ABC", "yosys-abc"), ("LIMIT", "600")))
number("LIMIT", LIMIT)
OUT, MEASURED = "build/prove", "tb/proofs/seconds"


class Timed:
    """Commands with their output in a file, and the seconds of processor time that they take together."""
    running, stopped, seconds = set(), False, 0.0

    @classmethod
    def stop(cls, *_):
        cls.stopped = True
        for child in list(cls.running): os.kill(child, signal.SIGTERM)

    def run(self, log, how, *command):
        with open(log, how) as out:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.running.add(child.pid)
        if self.stopped: child.terminate()
        code, usage = os.wait4(child.pid, 0)[1:]
        self.running.remove(child.pid)
        child.returncode = os.waitstatus_to_exitcode(code)
        self.seconds += usage.ru_utime + usage.ru_stime
        return child.returncode


@functools.cache
def modules():
    """The files of rtl/ and of properties by the names of their modules, and the words in each, with the modules that
    slots have."""
    files = find("rtl", name=lambda n: n.endswith(".v")) + glob.glob("tb/proofs/*_properties.v")
    return {os.path.basename(f)[:-2]: (f, words_in(without_comments(read(f)))) for f in files}


def words_in(text):
    slots = dict(re.findall(r"`define (\w+) (\w+)", read("build/generated/slots.vh")))
    return {slots.get(w, w) for w in re.findall(r"\w+", text)}


def needed(bench):
    """The files of the modules that a text names, and of those that these name."""
    found, words = set(), words_in(bench)
    while new := words & modules().keys() - found:
        found |= new
        words = set().union(*(modules()[m][1] for m in new))
    return [modules()[m][0] for m in sorted(found)]


@functools.cache
def fast():
    """An option of Yosys' abc that newer ones do not have."""
    helps = subprocess.run([YOSYS, "-Q", "-p", "help abc"], capture_output=True, text=True).stdout
    return "-fast" if re.search("^ *-fast$", helps, re.M) else ""


def prove(how, name, top, parameters, edits):
    """Whether a proof is as it must be, and a line that says so. edits: (file of rtl/, edit of sed); of `sees` what
    must be seen is the first."""
    base, log = f"{OUT}/{name}", f"{OUT}/{name}.log"
    for old in glob.glob(base + ".*"): os.remove(old)
    module, timed = f"tb/proofs/{top}.v", Timed()
    bench = read(module)
    sources = needed(bench)
    if how == "sees":
        (seen, ), *edits = edits
        bench, module = re.sub(r"assign bad *=[^;]*", lambda _: f"assign bad = {seen} ", bench), f"{base}.0.v"
        with open(module, "w") as out: out.write(bench)
    for n, (file, edit) in enumerate(edits, 1):
        changed, edited = modules()[file[:-2]][0], f"{base}.{n}.v"
        with open(edited, "w") as out: subprocess.call(["sed", edit, changed], stdout=out)
        if filecmp.cmp(changed, edited, False): return False, f"prove: {name}: its edit changes nothing in {changed}"
        sources = [f for f in sources if f != changed] + [edited]
    ways = [p for p in parameters if p.startswith(("MEMORIES=", "CLOCKS="))]
    sets = " ".join(f"-set {p.replace('=', ' ', 1)}" for p in parameters if p not in ways)
    free = "MEMORIES=free" in ways  # tables of constants are no memories
    # an edge is a clock in which one is high and was low
    edges = "clk2fflogic" if "CLOCKS=free" in ways else "async2sync"
    files = " ".join([module, *sources])
    if timed.run(log, "w", YOSYS, "-q", "-p", f"""
            read_verilog {'-mem2reg' * ('MEMORIES=seen' in ways)} -defer -Ibuild/generated {files};
            {sets and f'chparam {sets} {top};'} {f'hierarchy -top {top}; proc -norom;' * free}
            prep -flatten -top {top} -nordff; {'delete t:$mem*; setundef -undriven -anyseq;' * free} memory_map;
            {edges}; opt -fast; techmap; opt -fast; dffunmap;
            abc -g AND {fast()}; opt_clean; write_aiger -zinit -no-startoffset -map {base}.aim {base}.aig"""):
        return False, "".join(re.findall(".*ERROR.*", read(log))[:1])
    # a name of the block's that does not exist (hierconn) would be free
    undriven = [w for w in re.findall(r"Warning: Wire [^.\n]*\.(\\[^ ]*).* is used but has no driver", read(log))
                if w + " " in bench]
    if undriven: return False, f"prove: {name}: tb/proofs/{top}.v: the block has no {' '.join(undriven)}"
    clocks = how.removeprefix("holds-")
    # a reason: first what is the same in all clocks; a step: from any clock to the next; a fault: clock by clock
    search = {"step": f"bmc3 -F 4 -T {LIMIT}; ind -F 2 -C 0 -T {LIMIT}", "holds": f"scorr; dc2; lcorr; pdr -T {LIMIT}",
              "fails": f"bmc3 -T {LIMIT}", "sees": f"bmc3 -T {LIMIT}"}.get(
                  how, f"scorr; dc2; lcorr; bmc3 -F {clocks} -T {LIMIT}")
    # gates without a clock: whether any inputs at all make it high
    if not re.search("wire *[a-z_]*clk,", bench): search = "fraig; dc2; fraig; iprove"

    def decide(*commands):
        timed.run(log, "a", "timeout", str(int(LIMIT) + 60), ABC, "-c",
                  "; ".join([f"read_aiger {base}.aig; fold; strash", *commands]))
        return read(log)

    says = decide(search, f"write_cex -a {base}.cex")
    # newer ABC: pdr says so of gates without a clock, as which scorr may leave them
    if "Property UNDECIDED" in says: says = decide("scorr; dc2; lcorr; iprove")
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
    return good, f"{name:<22} {said:<24} {timed.seconds:8.1f} s" + (
        "" if good else f"   WRONG: expected that it {how.partition('-')[0]}, see {log}")


def quick(proofs):
    took = sorted((float(seconds), name)
                  for name, seconds in re.findall(r"^(\S+) .* ([\d.]+) s$", read(MEASURED), re.M))
    names = {name for _, name in took[:len(took) // 3]}
    return [p for p in proofs if p[1] in names]


def listed():
    proofs = []
    for line in re.sub(r" *\\\n *", " ", read("tb/proofs/proofs")).splitlines():
        what, _, changed = line.partition("|")
        parts = changed.split("|+") if changed else []
        edits = [(e.strip(), ) if e is parts[0] and what.startswith("sees") else
                 tuple(map(str.strip, e.split("|", 1))) for e in parts]
        if not what.strip() or what[0] == "#": continue
        how, name, top, *parameters = what.split()
        proofs.append((how, name, top, parameters, edits))
    return proofs


def main(arguments):
    os.makedirs(OUT, exist_ok=True)
    proofs, wanted = listed(), [a + "*" for a in arguments] or ["*"]
    missing = [w[:-1] for w in wanted if not fnmatch.filter((p[1] for p in proofs), w)]
    if missing: stop(f"prove: expected names of tb/proofs/proofs, or how some begin: {' '.join(missing)}", 2)
    if os.environ.get("QUICK") == "1": proofs = quick(proofs)
    proofs = [p for p in proofs if any(fnmatch.fnmatchcase(p[1], w) for w in wanted)]
    for sign in signal.SIGINT, signal.SIGTERM: signal.signal(sign, Timed.stop)
    done = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(number("JOBS", os.environ.get("JOBS") or 1)) as threads:
        for good, said in threads.map(lambda p: (None, "") if Timed.stopped else prove(*p), proofs):
            if Timed.stopped: continue
            progress("")
            print(said, flush=True)
            done, wrong = done + 1, wrong + (not good)
            progress(f"PROVE   {done} of {len(proofs)}")
    progress("")
    if done < len(proofs): stop(f"prove: stopped; {done} of {len(proofs)} done, {wrong} of them wrong", 130)
    print(f"prove: {wrong} of {len(proofs)} are not as tb/proofs/proofs says" if wrong else
          f"prove: {len(proofs)}, each as it must be")
    return int(wrong > 0)
