"""Small changes of the RTL, one at a time, and whether the tests notice:

    make mutants [MODULE=NAME] [COUNT=40] [SEED=1] [SECONDS=120] [QUICK=1]

    [MODULE=] [COUNT=] [SEED=] [QUICK=] [SECONDS=] [JOBS=] [MAKE=] [YOSYS=] python3 -S scripts/tool.py mutants
    ... mutants --list FILE.v               the changes of a file: line, column, what is there, what comes instead

A change: an operator, a constant by one, a condition negated or stuck, the choices of ?: exchanged, a negation or an
assignment left out, an index by one. Left alone: comments, ports, parameters, initial blocks, wires of measurement
(probe_...).

Each module of more than 100 lines gets COUNT changes, chosen by SEED. A change is built in a copy of the tree (links,
in the folder for temporary files) with the test programs whose models have the module in them, those first for which
least is built. Verdicts:
    killed        a program failed, or ran ten times as long as without the change and a minute more
    equivalent    no run can tell it from the module as it is (Yosys and ABC, parameters' defaults, from 0)
    explained     tb/survivors says why no test can notice; there a line that matches nothing is an error
    survived      all programs were good that ran in SECONDS
    not built     the tools refuse it; another one is taken instead
QUICK=1: up to a hundred changes of all modules, in ten minutes. Results are kept in build/mutants.json by the text of a
module: a run goes on where one was stopped. Exit code 1 if a change survived.
"""
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from common import progress, read, stop, table, warn, write
from declared import blank, without_comments

ENV = os.environ.get
RESULTS, EXPLAINED = "build/mutants.json", "tb/survivors"
BUILD_LIMIT, PROOF_LIMIT, HANGS, BATCH = 300, 60, 60, 4  # [s]; programs built at once
PAIRS = {"&&": "||", "||": "&&", "==": "!=", "!=": "==", "<": "<=", ">": ">=", ">=": ">", "<=": "<", "+": "-",
         "-": "+", "&": "|", "|": "&", "^": "~^"}
BLOCK = r"\bbegin\b.*?\bend\b(?=\s*\n\s*\n)"
INITIAL = rf"\binitial\b\s*({BLOCK}|[^\n]*\n[^\n]*{BLOCK}|[^;]*;)"
stopped = threading.Event()
running, lock = set(), threading.Lock()


def refuse(text):
    stop(f"mutants: {text}")


# ---- changes

def code_of(text):
    """The text with what is left alone blank, each character in its place."""
    code = without_comments(text)
    for pattern in (r"(?m)^[ \t]*`[^\n]*", r"\bmodule\b.*?\)\s*;", INITIAL, r"\(\*[^\n]*?\*\)|\bfor \([^)]*\)",
                    r"(?m)^[^\n;]*\b(probe_\w+|unused\w*|parameter|genvar|integer)\b[^;]*;"):
        code = blank(pattern, code)
    return code


def closing(code, at):
    """Behind the bracket that closes the one at this place."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if not depth:
            return i + 1
    return len(code)


def depths(code):
    """How many ( are open at each place since the last ;."""
    depth, out = 0, []
    for c in code:
        depth = 0 if c == ";" else depth + (c == "(") - (c == ")")
        out.append(depth)
    return out


def part(code, at):
    """End of an operand of ?: that begins here: a , ; : or closing bracket that is not inside of it."""
    depth = choices = 0
    for i in range(at, len(code)):
        c = code[i]
        if not depth and (c in ",;)]}" or c == ":" and not choices):
            return i
        depth += (c in "([{") - (c in ")]}")
        choices += not depth and (c == "?") - (c == ":")
    return len(code)


def constants(found):
    size, base, digits = int(found[1]), found[2].lower(), found[3].replace("_", "")
    radix = {"b": 2, "d": 10, "h": 16}[base]
    try:
        value = int(digits, radix)
    except ValueError:
        return
    for other in {(value + 1) % (1 << size), (value - 1) % (1 << size)} - {value}:
        yield f"{size}'{base}{other:{ {2: 'b', 10: 'd', 16: 'x'}[radix]}}"


def changes(text):
    """(from, to, what comes there instead), in the order of the text."""
    code, out = code_of(text), []
    depth = depths(code)

    def add(begin, end, new):
        if text[begin:end] != new:
            out.append((begin, end, new))
    for found in re.finditer(r" (&&|\|\||==|!=|<=|>=|<|>|\+|-|&|\||\^) ", code):
        if found[1] != "<=" or depth[found.start(1)] > 0:
            add(found.start(1), found.end(1), PAIRS[found[1]])
    for found in re.finditer(r"[!~](?=[\w({&|^])", code):
        if code[found.start() - 1] not in "&|^~":
            add(found.start(), found.end(), "")
    for found in re.finditer(r"\bif \(", code):
        begin, end = found.end(), closing(code, found.end() - 1) - 1
        inside = code[begin:end]
        if re.search(r"\b[a-z]\w*", re.sub(r"\d*'[bdh]\w+|\$\w+", "", inside)):  # not of parameters only
            add(begin, end, f"!({text[begin:end]})")
            add(begin, end, "1'b1")
            add(begin, end, "1'b0")
    for found in re.finditer(r" \? ", code):
        middle = part(code, found.end())
        end = part(code, middle + 1)
        if code[middle:middle + 1] == ":":
            first, second = text[found.end():middle], text[middle + 1:end]
            add(found.end(), end, f"{second.strip()} : {first.strip()}")
    for found in re.finditer(r"\b(\d+)'([bdh])([0-9a-fA-F_]+)\b", code):
        for new in constants(found):
            add(found.start(), found.end(), new)
    for found in re.finditer(r"\[(\d+)\]", code):
        if int(found[1]):
            add(found.start(1), found.end(1), str(int(found[1]) - 1))
    for found in re.finditer(r"(?:^[ \t]*|\bbegin\s+|\belse\s+|\)\s*|;\s*)([A-Za-z_]\w*(?:\[[^;=]*?\])? <= [^;]*;)",
                             code, re.M):
        if not depth[found.start(1)]:
            add(found.start(1), found.end(1), ";")
    return sorted(set(out))


def place(text, at):
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def shown(text, change):
    """A change as a line of the report and of tb/survivors has it: the line before and after, without blanks around."""
    begin, end, new = change
    first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
    line = text[first:begin] + new + text[end:last]
    return " ".join(text[first:last].split()), " ".join(line.split())


# ---- which tests

def modules():
    found = {}
    for folder, _, names in sorted(os.walk("rtl")):
        for name in sorted(names):
            if name.endswith(".v"):
                found[name[:-2]] = f"{folder}/{name}"
    return found


def programs_of(files):
    """{module: test programs whose models have it in them, those first of which least is built for a change}"""
    rules = read("build/programs.mk")
    words = {name: files.keys() & re.findall(r"\w+", re.sub("//.*", "", read(path))) for name, path in files.items()}
    within, model = {}, dict(re.findall(r"^\S*models/(\w+)/bound .*: MODEL := \S+ (\w+)", rules, re.M))

    def below(name):
        seen, left = set(), [name]
        while left:
            one = left.pop()
            if one in files and one not in seen:
                seen.add(one)
                left += words[one]
        return seen
    closure = {name: below(top) for name, top in model.items()}
    for program, needs in re.findall(r"^\$\(BUILT\)/(tb/(?:unit|contract|system)/\S*test_\w+):(.*)", rules, re.M):
        its = [closure.get(m, set()) for m in set(re.findall(r"models/(\w+)/(?:full/)?lib", needs))]
        for name in set().union(*its):
            size = sum(len(c) for c in its if name in c)
            within.setdefault(name, []).append((program.startswith("tb/system"), size, program))
    return {name: [p[-1] for p in sorted(found)] for name, found in within.items()}


# ---- one change

def run(command, folder, limit, environment=None):
    """What a command in a folder printed, and its exit code, None if it took too long."""
    if stopped.is_set():
        raise KeyboardInterrupt
    child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                             errors="replace")
    with lock:
        running.add(child)
    try:
        return child.communicate(timeout=limit)[0], child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()[0], None
    finally:
        with lock:
            running.discard(child)
        if stopped.is_set():
            raise KeyboardInterrupt


class Broken(Exception):
    """Nothing can be said of any change."""


class Tree:
    """A copy of the tree, in which one worker builds."""

    def __init__(self, number):
        self.folder = tempfile.mkdtemp(prefix=f"nicxbar-mutants-{number}-")
        subprocess.run(["scripts/elsewhere.sh", self.folder], check=True)
        self.good = {}  # seconds that a program takes without a change; None: it fails

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def build(self, programs):
        make = [ENV("MAKE") or "make", "--no-print-directory", "JOBS=1", "NO_INSTALL=1", "tests"]
        out, code = run([*make, "TEST=" + " ".join(programs)], self.folder, BUILD_LIMIT)
        return not code and code is not None, out

    def test(self, program, limit):
        """Whether it is good, and its seconds."""
        began = time.monotonic()
        _, code = run([f"build/{program}"], self.folder, limit)
        return code == 0, time.monotonic() - began

    def known(self, programs):
        """Those that are good without a change."""
        new = [p for p in programs if p not in self.good]
        built, out = self.build(new) if new else (True, "")
        if not built:
            raise Broken(f"{' '.join(new)} cannot be built without a change: " + (out.splitlines() or [""])[-1])
        for p in new:
            good, seconds = self.test(p, BUILD_LIMIT)
            self.good[p] = seconds if good else warn(f"mutants: {p} fails without a change, and is left out")
        return [p for p in programs if self.good.get(p) is not None]

    def write(self, path, text):
        """A file in place of the link; it is newer than what was built of the one before."""
        os.remove(f"{self.folder}/{path}")
        write(f"{self.folder}/{path}", text)

    def judge(self, path, text, change, programs, seconds):
        """Verdict, how many programs ran, and the one that noticed."""
        changed = text[:change[0]] + change[2] + text[change[1]:]
        ran, left = 0, seconds
        while programs and left > 0:
            batch, programs = self.known(programs[:BATCH if ran else 1]), programs[BATCH if ran else 1:]
            if not batch:
                continue
            try:
                self.write(path, changed)
                if not self.build(batch)[0]:
                    return "not built", ran, ""
                for p in batch:
                    good, took = self.test(p, HANGS + 10 * self.good[p])
                    ran, left = ran + 1, left - took
                    if not good:
                        return "killed", ran, p
            finally:
                self.write(path, text)
        return "survived", ran, ""


def equivalent(name, path, text, change):
    """Whether Yosys and ABC find that no run can tell them apart."""
    with tempfile.TemporaryDirectory(prefix="nicxbar-equal-") as at:
        write(f"{at}/{name}.v", text[:change[0]] + change[2] + text[change[1]:])
        others = " ".join(p for p in modules().values() if p != path)
        gates = ("prep -flatten -top {0} -nordff; memory_map; async2sync; setundef -undriven -zero; opt -fast; "
                 "rename {0} {1}; design -stash {1}; ")
        yosys = "".join(f"read_verilog -defer -Ibuild/generated {others} {file}; " + gates.format(name, as_)
                        for file, as_ in ((path, "gold"), (f"{at}/{name}.v", "gate")))
        yosys += ("design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; "
                  "miter -equiv -flatten gold gate both; hierarchy -top both; prep -flatten -top both -nordff; "
                  f"techmap; opt -fast; dffunmap; abc -g AND; opt_clean; write_aiger -zinit {at}/both.aig")
        if run([ENV("YOSYS") or "yosys", "-q", "-p", yosys], ".", 2 * PROOF_LIMIT)[1] != 0:
            return False
        # newer ABC: pdr says UNDECIDED of gates without a clock, as which scorr may leave them
        prove = f"read_aiger {at}/both.aig; fold; strash; scorr; dc2; pdr -T {PROOF_LIMIT}; iprove"
        says = run([ENV("ABC") or "yosys-abc", "-c", prove], ".", 2 * PROOF_LIMIT)[0]
        return bool(re.search("Property proved|^UNSATISFIABLE", says, re.M))


# ---- all

class Explained:
    """tb/survivors: MODULE | line | the line changed | reason."""

    def __init__(self, files):
        self.reason = {}
        for number, line in enumerate(read(EXPLAINED).splitlines(), 1):
            words = [" ".join(w.split()) for w in line.split(" | ", 3)]
            if not line.strip() or line.startswith("#"):
                continue
            if len(words) < 4 or words[0] not in files:
                refuse(f"{EXPLAINED}:{number}: expected MODULE | LINE | LINE CHANGED | REASON, MODULE a file of rtl/")
            text = read(files[words[0]])
            if not any(shown(text, c) == (words[1], words[2]) for c in changes(text)):
                refuse(f"{EXPLAINED}:{number}: {words[0]} has no such change, expected one of "
                       f"scripts/tool.py mutants --list {files[words[0]]}")
            self.reason[tuple(words[:3])] = words[3]


def number(name, value, least, most):
    text = ENV(name) or str(value)
    if not text.isdecimal() or not least <= int(text) <= most:
        refuse(f"{name}={text}: expected a number from {least} to {most}")
    return int(text)


class Run:
    def __init__(self):
        self.files = modules()
        self.one, self.quick = ENV("MODULE") or "", ENV("QUICK") == "1"
        if self.one and self.one not in self.files:
            near = [m for m in self.files if self.one in m or m in self.one]
            refuse(f"MODULE={self.one}: expected a module of rtl/" + (f", such as {near[0]}" if near else ""))
        self.count, self.seed = number("COUNT", 40, 1, 100000), number("SEED", 1, 0, 2**32 - 1)
        self.seconds = number("SECONDS", 20 if self.quick else 120, 1, 86400)
        self.explained = Explained(self.files).reason
        self.programs = programs_of(self.files)
        try:
            self.results = json.loads(read(RESULTS) or "{}")
        except ValueError:
            refuse(f"{RESULTS}: expected what an earlier run has written, or no such file")
        self.until = time.monotonic() + 600 if self.quick else float("inf")
        self.text, self.queue, self.taken = {}, [], {}
        for name in [self.one] if self.one else [n for n, p in self.files.items() if read(p).count("\n") > 100]:
            text = self.text[name] = read(self.files[name])
            digest = hashlib.sha1(text.encode(errors="surrogateescape")).hexdigest()
            if self.results.get(name, {}).get("text") != digest:
                self.results[name] = {"text": digest, "lines": text.count("\n"), "changes": {}}
            found = changes(text)
            random.Random(f"{self.seed} {name}").shuffle(found)
            self.results[name]["possible"] = len(found)
            self.queue.append((name, found))
        random.Random(self.seed).shuffle(self.queue)
        self.began, self.done = time.monotonic(), 0
        self.wanted = 100 if self.quick else self.count * len(self.queue)

    def counted(self, name):
        return sum(c["verdict"] != "not built" for c in self.results[name]["changes"].values())

    def next(self):
        """The next change of the module that has fewest; or nothing."""
        with lock:
            if time.monotonic() > self.until or self.quick and self.done >= self.wanted:
                return None
            order = sorted(self.queue, key=lambda q: self.counted(q[0]))
            for name, found in order:
                while found and self.counted(name) + self.taken.get(name, 0) < self.count:
                    change = found.pop()
                    if self.key(name, change) not in self.results[name]["changes"]:
                        self.taken[name] = self.taken.get(name, 0) + 1
                        return name, change
            return None

    def key(self, name, change):
        line, column = place(self.text[name], change[0])
        return f"{line}:{column} {change[1] - change[0]} {change[2]}"

    def judge(self, tree, name, change):
        text, path = self.text[name], self.files[name]
        was, now = shown(text, change)
        programs = self.programs.get(name, [])
        if (name, was, now) in self.explained:
            verdict, ran, by = "explained", 0, ""
        elif not programs:
            verdict, ran, by = "survived", 0, ""
        else:
            verdict, ran, by = tree.judge(path, text, change, list(programs), self.seconds)
        if verdict == "survived" and equivalent(name, path, text, change):
            verdict = "equivalent"
        return {"verdict": verdict, "line": place(text, change[0])[0], "was": was, "now": now, "programs": ran,
                "of": len(programs), "by": by}

    def work(self, worker):
        tree = Tree(worker)
        try:
            while not stopped.is_set():
                job = self.next()
                if not job:
                    break
                result = self.judge(tree, *job)
                with lock:
                    self.results[job[0]]["changes"][self.key(*job)] = result
                    self.taken[job[0]] -= 1
                    self.done += result["verdict"] != "not built"
                    self.keep()
                    self.tell(job[0], result)
        except KeyboardInterrupt:
            pass
        except (Broken, OSError) as why:
            warn(f"mutants: {why}")
            halt()
        finally:
            tree.end()

    def keep(self):
        os.makedirs("build", exist_ok=True)
        write(RESULTS + ".part", json.dumps(self.results, indent=1))
        os.rename(RESULTS + ".part", RESULTS)

    def tell(self, name, result):
        progress(f"{self.done} of {self.wanted}, {time.monotonic() - self.began:.0f} s: "
                 f"{name}:{result['line']} {result['verdict']}")

    def report(self):
        progress("")
        kinds = ("killed", "equivalent", "explained", "survived")
        total, bad, rows = dict.fromkeys(kinds, 0), [], [("module", "lines", "changes", "tried", *kinds, "killed [%]")]
        for name, _ in sorted(self.queue):
            r = self.results[name]
            n = {k: sum(c["verdict"] == k for c in r["changes"].values()) for k in kinds}
            tried = sum(n.values())
            if not tried:
                continue
            for k in kinds:
                total[k] += n[k]
            differ = tried - n["equivalent"]
            rows.append((name, r["lines"], r["possible"], tried, *n.values(),
                         f"{100 * n['killed'] / differ:.1f}" if differ else ""))
            bad += [(name, c) for c in r["changes"].values() if c["verdict"] == "survived"]
        table(*rows)
        for name, c in sorted(bad, key=lambda b: (b[0], b[1]["line"])):
            print(f"survived: {self.files[name]}:{c['line']}, {c['programs']} of {c['of']} programs:\n"
                  f"    {c['was']}\n    {c['now']}")
        tried = sum(total.values())
        print(f"mutants: {tried} tried, " + ", ".join(f"{total[k]} {k}" for k in kinds)
              + f"; {self.done} in this run, {time.monotonic() - self.began:.0f} s"
              + ("; stopped: the same command goes on" if stopped.is_set() else "") + f": {RESULTS}")
        return 1 if stopped.is_set() or total["survived"] else 0


def halt(*_):
    stopped.set()
    for child in list(running):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main(arguments):
    if arguments:
        if not os.path.exists(arguments[1]):
            refuse(f"{arguments[1]}: expected a file of Verilog")
        text = read(arguments[1])
        for change in changes(text):
            line, column = place(text, change[0])
            print(f"{line}:{column}: {' '.join(text[change[0]:change[1]].split())} -> {change[2] or 'nothing'}")
        return 0
    os.environ["MUTATED"] = "1"  # warnings of Verilator do not stop a build: scripts/mk/models.mk
    whole = Run()
    for s in (signal.SIGINT, signal.SIGTERM):
        signal.signal(s, halt)
    workers = [threading.Thread(target=whole.work, args=(i,)) for i in range(number("JOBS", 1, 1, 256))]
    for w in workers:
        w.start()
    for w in workers:
        while w.is_alive():
            w.join(0.2)
    return whole.report()

