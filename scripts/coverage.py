"""What of rtl/ the tests run: lines, branches, bits that change, of all test programs or of some.

    make coverage [TEST=tb/unit/link] [MODULE=link_tx] [BASE=older.json] [JOBS=2]

    [SEED=] [JOBS=] [MAKE=] [MODULE=] [BASE=] python3 -S scripts/tool.py coverage PROGRAM...

All is in build/coverage: the programs with models that count (counters.py), for each program that has run a file in the
format of verilator_coverage (run/PROGRAM.dat.gz), a page for each module (html/index.html). build/coverage.json has the
table and all that is not covered. Programs are built and run folder by folder; one whose file is newer than itself is
not run again, so a run goes on where one was stopped. A program that fails counts, and is named.

A point counts as hit if any instance in any model has hit it, whatever its parameters are. Counted by Verilator:
    line      lines of always blocks and functions, by the statements on them
    branch    both ways of each if, each further else if, each item of a case
    toggle    each bit of a port, wire or reg of at most 256 bits in all that has changed since the first evaluations of
              a model (counters.SETTLED), in either direction
    state     values of the registers with named states that waves show (watched.py)
    arc       from one of them to another that the item of a case assigns; not those by a reset
    cross     an event of tb/crosses in a state of life
Left out: initial blocks, which check parameters; probe_..., unused..., integers. ?: and && are no branches: Verilator
counts none in expressions. A generate block without any point is in no model: it is listed as never built, as is a
module without one.

tb/coverage has what cannot be hit, a line each: MODULE | KIND | WHAT | REASON.
    KIND if, else, elsif, case, block    WHAT is the text of the line, blanks as one; what is inside goes with it
    KIND toggle                          WHAT is a signal, NAME, NAME[BIT] or NAME[HIGH:LOW]; * stands for any text
    KIND state, arc, cross               WHAT is REGISTER STATE; REGISTER STATE -> STATE; EVENT, LIFE; * is any text
    KIND all                             WHAT is *: the module
REASON says why; `proof NAME` in it names a proof of tb/proofs/proofs. A line that matches nothing is an error, also one
that matches only what has been hit, as soon as all programs have run.

MODULE: what is not covered in this module, line by line. BASE: what differs from the build/coverage.json of then.
Exit code 1 if a program failed, a line of tb/coverage is wrong, or the run was stopped.
"""
import collections
import concurrent.futures
import fnmatch
import gzip
import html
import json
import os
import re
import shlex
import shutil
import signal
import struct
import tempfile
import time

from common import TOOL, checksum, progress, read, stop, table, warn, write
from declared import without_comments
from mutants import INITIAL, halt, modules, number, run, stopped

ENV = os.environ.get
FOLDER, RESULTS, WAIVERS, PROOFS = "build/coverage", "build/coverage.json", "tb/coverage", "tb/proofs/proofs"
FORMAT, SLOWER, LIMIT = "nicxbar coverage 1", "10", 7200  # times that a test may take; [s] for a build, a program
BRANCHES, KINDS = ("if", "else", "elsif", "case"), ("line", "branch", "toggle", "state", "arc", "cross")
WAIVED = (*BRANCHES, "block", *KINDS[2:], "all")
Point = collections.namedtuple("Point", "file line column page comment lines")


def refuse(text):
    stop(f"coverage: {text}")


# ---- counters of a program, and its file

def points_of(model):
    """The points of a model, NAME or NAME.full, each behind its counter; none: it does not count."""
    name, _, full = model.partition(".")
    try:
        with open(f"{FOLDER}/models/{name}/{full + '/' * bool(full)}points", encoding="latin-1") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return None
    return [(int(counter), Point(file, int(line), int(column), page.partition("/")[0], comment, covered))
            for counter, page, file, line, column, comment, covered in (one.split("\t") for one in lines)]


def counters(path, points):
    """Those in a file of a model, 0 without it; None: they are not of these points."""
    size = 1 + max((counter for counter, _ in points), default=-1)
    if not os.path.exists(path):
        return [0] * size
    with open(path, "rb") as file:
        data = file.read()
    return struct.unpack(f"{size}I", data) if len(data) == 4 * size else None


def models_of(program):
    """The models that a program is linked with."""
    needs = re.search(rf"^\$\(BUILT\)/{re.escape(program)}:(.*)", read(FOLDER + "/programs.mk"), re.M)
    return [name + ".full" * bool(full)
            for name, full in re.findall(r"/models/(\w+)/(full/)?lib\w+\.a", needs[1] if needs else "")]


def collect(program, folder):
    """{point: count} of a program that has counted in this folder; models that did not count."""
    total, without = collections.Counter(), []
    for model in sorted({*models_of(program), *os.listdir(folder)}):
        points = points_of(model)
        counts = points is not None and counters(f"{folder}/{model}", points)
        if not counts and points != []:
            without.append(model)
            continue
        for counter, point in points:
            if point.file.startswith("rtl/"):
                total[point] += counts[counter]
    return total, without


def dat(program):
    return f"{FOLDER}/run/{program}.dat.gz"


def put(program, total, said):
    """In the format of verilator_coverage; behind its first line what the program said."""
    path = dat(program)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with gzip.open(path + ".part", "wt", compresslevel=1, encoding="latin-1") as file:
        file.write(f"# SystemC::Coverage-3\n# {said}\n")
        for p, count in total.items():
            keys = (("f", p.file), ("l", p.line), ("n", p.column), ("page", p.page), ("o", p.comment), ("S", p.lines))
            text = "".join(f"\1{key}\2{value}" for key, value in keys if value != "")
            file.write(f"C '{text}' {count}\n")
    os.rename(path + ".part", path)


def get(program):
    """{point: count}, and what the program said."""
    total, said, seen = {}, "", {}
    with gzip.open(dat(program), "rt", encoding="latin-1") as file:
        for line in file:
            if line[0] == "#":
                said = line[2:].strip()
                continue
            text, _, count = line.rpartition(" ")
            keys = dict(part.split("\2", 1) for part in text[4:-1].split("\1"))
            name = seen.setdefault(keys["f"], keys["f"])
            total[Point(name, int(keys["l"]), int(keys["n"]), keys["page"], keys["o"], keys.get("S", ""))] = int(count)
    return total, said


# ---- running

class Run:
    def __init__(self, programs):
        self.programs, self.jobs, self.began = programs, number("JOBS", 1, 1, 256), time.monotonic()
        self.failed, self.ran = {}, 0

    def due(self, program):
        """Whether it has not run since it was built."""
        try:
            return os.path.getmtime(dat(program)) < os.path.getmtime(f"{FOLDER}/{program}")
        except FileNotFoundError:
            return True

    def show(self, text):
        progress(f"{sum(not self.due(p) for p in self.programs)} of {len(self.programs)}, "
                 f"{time.monotonic() - self.began:.0f} s: {text}")

    def build(self, programs):
        """By a make of its own, which knows nothing of this one."""
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "TEST", "MODULE", "BASE")}
        command = [*shlex.split(ENV("MAKE") or "make"), "--no-print-directory", "-k", f"JOBS={self.jobs}",
                   "NO_INSTALL=1", "tests", "TEST=" + " ".join(programs)]
        out, code = run(command, ".", LIMIT, {**environment, "COVERED": "1"})
        os.makedirs(FOLDER, exist_ok=True)
        write(FOLDER + "/build.log", out)
        for program in programs:
            if not os.path.exists(f"{FOLDER}/{program}"):
                self.failed[program] = f"cannot be built, see {FOLDER}/build.log"
        return code

    def one(self, program):
        if stopped.is_set() or program in self.failed or not self.due(program):
            return
        self.show(program)
        began = time.time()
        with tempfile.TemporaryDirectory(prefix="nicxbar-coverage-") as folder:
            environment = {**os.environ, "SIM_COVERAGE": folder, "JOBS": "1", "CK_TIMEOUT_MULTIPLIER": SLOWER,
                           "CK_DEFAULT_TIMEOUT": "7200", "SEED": ENV("SEED") or "1"}
            try:
                out, code = run([*TOOL, "run_tests", FOLDER, program], ".", LIMIT, environment)
            except KeyboardInterrupt:
                return
            total, without = collect(program, folder)
        for model in without:
            warn(f"coverage: {program}: model {model} was not built to count: nothing is known of it")
        said = (re.findall(r"^\d+%: Checks: .*", out, re.M) or ["no summary"])[-1]
        put(program, total, said if code == 0 else said + "; failed")
        os.utime(dat(program), (began, began))
        self.ran += 1

    def all(self):
        folders = {}
        for program in self.programs:
            folders.setdefault(os.path.dirname(program), []).append(program)
        for folder, its in folders.items():
            if stopped.is_set():
                break
            self.show(f"builds {folder}")
            try:
                self.build(its)
            except KeyboardInterrupt:
                break
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as threads:
                for _ in threads.map(self.one, its):
                    pass
        progress("")


# ---- what is known of a module

def numbers_of(text):
    """13-15,18 as numbers."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def squeezed(text):
    return " ".join(text.split())


class Module:
    """A file of rtl/ and its points."""

    def __init__(self, name, file):
        self.name, self.file, self.text = name, file, read(file)
        self.source = self.text.split("\n")
        self.code = without_comments(self.text)
        self.initial = {line for found in re.finditer(INITIAL, self.code, re.S)
                        for line in range(self.line_at(found.start()), self.line_at(found.end()) + 1)}
        self.integers = set(re.findall(r"\w+", " ".join(re.findall(r"\b(?:integer|genvar)\b([^;]*);", self.code))))
        self.count, self.waived, self.reason = {}, set(), {}

    def line_at(self, at):
        return self.code.count("\n", 0, at) + 1

    def left_out(self, point):
        signal_name = re.match(r"\w*", point.comment)[0]
        return point.line in self.initial or point.page == "v_toggle" and (
            re.match("probe_|unused|[A-Z]", signal_name) or "probe_" in signal_name or signal_name in self.integers)

    def add(self, point, count):
        if not self.left_out(point):
            self.count[point] = self.count.get(point, 0) + count

    def text_of(self, line):
        return squeezed(re.sub("//.*", "", self.source[line - 1]))

    def inside(self, point):
        """The lines of a branch, from its first to its last."""
        lines = list(numbers_of(point.lines))
        return range(min(lines), max(lines) + 1) if lines else range(0)

    def waive(self, kind, what, reason):
        """Points that a line of tb/coverage means; None: there is no such text in the module."""
        if kind == "all":
            found = set(self.count)
        elif kind in KINDS[3:]:
            found = {p for p in self.count if p.page == "v_" + kind and fnmatch.fnmatchcase(p.comment, what)}
        elif kind == "toggle":
            signal_name, _, bits = what.partition("[")
            if not re.search(fnmatch.translate(signal_name).replace(r"\Z", "").replace("(?s:", r"\b(?:", 1) + r"\b",
                             self.code):
                return None
            low, high = (int(n) for n in (re.findall(r"\d+", bits) * 2)[-1:] + re.findall(r"\d+", bits)[:1]) \
                if bits else (0, 1 << 30)
            found = set()
            for p in self.count:
                own, _, bit = p.comment.partition("[")
                if p.page == "v_toggle" and fnmatch.fnmatchcase(own, signal_name) and (
                        not bits or bit and low <= int(bit.rstrip("]").split("][")[-1]) <= high):
                    found.add(p)
        else:
            if what not in map(self.text_of, range(1, len(self.source) + 1)):
                return None
            found = {p for p in self.count if p.page != "v_toggle" and p.comment == kind
                     and self.text_of(p.line) == what}
            within = {line for p in found for line in self.inside(p) if line != p.line}
            found |= {p for p in self.count if p.page != "v_toggle" and p.line in within}
        self.waived |= found
        for p in found:
            self.reason[p] = reason
        return found

    def count_hits(self):
        """Of each kind how many are hit and how many there are, without what is waived; and what is not hit."""
        lines, result, self.missed = {}, {}, []
        for p, count in self.count.items():
            for line in numbers_of(p.lines):
                hit, waived = lines.get(line, (0, True))
                lines[line] = (max(hit, count), waived and p in self.waived)
        self.lines = lines
        asked = [line for line, (_, waived) in lines.items() if not waived]
        result["line"] = [sum(lines[line][0] > 0 for line in asked), len(asked)]
        self.missed += [("line", line, self.text_of(line)) for line in asked if not lines[line][0]]
        asked = [p for p in self.count if p.comment in BRANCHES and p.page != "v_toggle" and p not in self.waived]
        result["branch"] = [sum(self.count[p] > 0 for p in asked), len(asked)]
        self.missed += [("branch", p.line, f"{p.comment}: {self.text_of(p.line)}") for p in asked if not self.count[p]]
        asked = [p for p in self.count if p.page == "v_toggle" and p not in self.waived]
        result["toggle"] = [sum(self.count[p] > 0 for p in asked), len(asked)]
        bits = {}
        for kind in KINDS[3:]:
            its = [p for p in self.count if p.page == "v_" + kind and p not in self.waived]
            result[kind] = [sum(self.count[p] > 0 for p in its), len(its)]
            self.missed += [(kind, p.line, p.comment) for p in its if not self.count[p]]
        for p in asked:
            if not self.count[p]:
                name, _, bit = p.comment.rpartition("[")
                bits.setdefault((p.line, name or p.comment), []).append(int(bit[:-1]) if name else None)
        for (line, name), its in bits.items():
            self.missed.append(("toggle", line, name + ranges(its)))
        self.missed.sort(key=lambda m: (m[1], KINDS.index(m[0])))
        self.result = result

    def never_built(self):
        """Generate blocks without a point, the outer ones: first line, last line, name."""
        have, found = {p.line for p in self.count}, []
        for block in re.finditer(r"\bbegin\s*:\s*(\w+)", self.code):
            depth, end = 0, len(self.code)
            for word in re.finditer(r"\b(begin|end)\b", self.code[block.start():]):
                depth += 1 if word[1] == "begin" else -1
                if not depth:
                    end = block.start() + word.end()
                    break
            first, last = self.line_at(block.start()), self.line_at(end)
            body = self.code[block.end():end]
            if first in self.initial or found and last <= found[-1][1] or not re.search(r"\balways\b|\breg\b", body):
                continue
            if not have.intersection(range(first, last + 1)):
                found.append((first, last, block[1]))
        return found


def ranges(bits):
    """[7:4,0] of bits."""
    if bits == [None]:
        return ""
    bits, parts = sorted(bits, reverse=True), []
    for bit in bits:
        if parts and parts[-1][1] == bit + 1:
            parts[-1][1] = bit
        else:
            parts.append([bit, bit])
    return "[" + ",".join(f"{high}:{low}" if high != low else str(high) for high, low in parts) + "]"


def waive(known, whole):
    """What tb/coverage says; its errors."""
    proofs, wrong = set(re.findall(r"^(?:holds|step)\S* +(\S+)", read(PROOFS), re.M)), []
    for number_of, line in enumerate(read(WAIVERS).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        at, words = f"{WAIVERS}:{number_of}", [squeezed(w) for w in line.split(" | ", 3)]
        if len(words) < 4 or words[0] not in known or words[1] not in WAIVED:
            wrong.append(f"{at}: expected MODULE | KIND | WHAT | REASON, MODULE a file of rtl/, KIND one of "
                         f"{', '.join(WAIVED)}")
            continue
        name, kind, what, reason = words
        module = known[name]
        found = module.waive(kind, what, reason)
        for proof in re.findall(r"\bproof (\S+)", reason):
            if proof.rstrip(".,;)") not in proofs:
                wrong.append(f"{at}: there is no proof {proof.rstrip('.,;)')} in {PROOFS}")
        if found is None or not found and module.count:
            wrong.append(f"{at}: {name} has no such {kind}: {what}")
        elif whole and found and all(module.count[p] for p in found):
            wrong.append(f"{at}: {name}: all of it has been hit: {what}")
    return wrong


# ---- the report

def percent(hit, of):
    return f"{100 * hit / of:.1f}" if of else "-"


def row(name, result, waived):
    shares = (f"{hit}/{of}" if of else "-" for hit, of in (result[k] for k in KINDS))
    return [name, *shares, *(percent(*result[k]) for k in KINDS[:3]), waived]


def row_of(module):
    return row(module.name, module.result, len(module.waived))


HEAD = ("module", "lines", "branches", "bits", "states", "arcs", "crosses", *(f"{k} [%]" for k in KINDS[:3]), "waived")


def total_of(with_points):
    total = {k: [sum(m.result[k][i] for m in with_points) for i in (0, 1)] for k in KINDS}
    return row("all", total, sum(len(m.waived) for m in with_points))


def compare(path, known):
    """What differs from an older result."""
    try:
        old = json.loads(read(path) or "{}")
    except ValueError:
        old = {}
    if old.get("format") != FORMAT:
        refuse(f"BASE={path}: expected a build/coverage.json of make coverage")
    rows = [("module", *(f"{k} [%]" for k in KINDS), "not hit any more", "hit now")]
    for name, module in known.items():
        was = old["modules"].get(name)
        if not module.count and not was:
            continue
        before = {tuple(m[::2]) for m in was["missed"]} if was else set()
        now = {tuple(m[::2]) for m in module.missed} if module.count else set()
        cells = []
        for kind in KINDS:
            a, b = percent(*was[kind]) if was else "-", percent(*module.result[kind]) if module.count else "-"
            cells.append(f"{a} -> {b}" if a != b else b)
        if any("->" in c for c in cells) or before != now:
            rows.append((name, *cells, len(now - before) if was else "", len(before - now) if module.count else ""))
    print(f"\nsince {path}:" + " nothing differs" * (len(rows) == 1))
    if len(rows) > 1:
        table(*rows)


STYLE = """body { margin: 0 18px 40px } table { width: auto } td, th { cursor: default }
td:first-child { position: static }
pre { margin: 0; white-space: pre } .code td { border: 0; padding: 0 8px; font: 12px/1.5 "DejaVu Sans Mono", monospace }
.code td:nth-child(n+3) { text-align: left } .code td:first-child { background: none }
.miss { background: #c0392b44 } .partly { background: #c96f1244 }
.hit { background: #2e8b5722 } .waived { background: #64708533 } a { color: inherit }
@media (prefers-color-scheme: dark) { :root { --ground: #11151b; --card: #1a2029; --inner: #222a35; --line: #343e4c;
--text: #e4e9f1; --quiet: #93a0b4 } }"""


def page(path, title, body):
    style = read("sim/observe/cycles/page.css") + STYLE
    write(path, f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content='
                f'"width=device-width"><title>{html.escape(title)}</title><style>{style}</style>\n<body>{body}</body>'
                f'</html>\n')


def html_table(head, rows):
    def cells(tag, row):
        return "".join(f"<{tag}{' class=text' * (i == 0)}>{c}</{tag}>" for i, c in enumerate(row))
    return (f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>"
            + "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows) + "</tbody></table>")


def module_page(module):
    """The text of a module, each line with how often it ran and what of it did not."""
    missed, notes, rows = {}, {}, []
    for kind, line, what in module.missed:
        missed.setdefault(line, []).append(kind)
        if kind != "line":
            notes.setdefault(line, []).append(("not taken: " if kind != "toggle" else "never changes: ")
                                              + (what.partition(":")[0] if kind == "branch" else what))
    for p, reason in module.reason.items():
        if not module.count[p]:
            notes.setdefault(p.line, []).append("waived: " + reason)
    for number_of, text in enumerate(module.source[:-1], 1):
        hit, waived = module.lines.get(number_of, (None, False))
        kind = ("miss" if "line" in missed.get(number_of, ()) else "partly" if number_of in missed else
                "waived" if waived and not hit else "hit" if hit else "")
        note = "; ".join(dict.fromkeys(notes.get(number_of, ())))
        rows.append(f'<tr class="{kind}" id="{number_of}"><td>{"" if hit is None else hit}</td><td>{number_of}</td><td>'
                    f'<pre>{html.escape(text)}</pre></td><td class="quiet">{html.escape(note)}</td></tr>')
    page(f"{FOLDER}/html/{module.name}.html", module.name,
         f'<h1>{module.name}</h1><p class="quiet">{module.file}; <a href="index.html">all modules</a></p>'
         + html_table(HEAD, [row_of(module)])
         + '<table class="code"><tbody>' + "\n".join(rows) + "</tbody></table>")


def pages(known, summary):
    shutil.rmtree(FOLDER + "/html", ignore_errors=True)
    os.makedirs(FOLDER + "/html")
    with_points = [m for m in known.values() if m.count]
    for module in with_points:
        module_page(module)
    rows = [[f'<a href="{m.name}.html">{m.name}</a>', *row_of(m)[1:]] for m in with_points]
    never = "".join(f"<p>never built: {m.file}:{first}-{last} ({name})</p>"
                    for m in with_points for first, last, name in m.never_built())
    never += "".join(f"<p>in no model: {m.file}</p>" for m in known.values() if not m.count)
    page(FOLDER + "/html/index.html", "coverage",
         f'<h1>Coverage of rtl/ by the tests</h1><p class="quiet">{summary}</p>'
         + html_table(HEAD, [total_of(with_points), *rows]) + never)


def report(work, one):
    known = {name: Module(name, file) for name, file in sorted(modules().items())}
    by_file, newest, there, stale, results = {m.file: m for m in known.values()}, {}, [], [], {}
    for file in by_file:
        newest[file] = os.path.getmtime(file)
    for program in work.programs:
        if not os.path.exists(dat(program)):
            continue
        total, said = get(program)
        made = os.path.getmtime(dat(program))
        if any(newest.get(file, made + 1) > made for file in {p.file for p in total}):
            stale.append(program)
            continue
        there.append(program)
        results[program] = said
        if said.endswith("failed") or said == "no summary":
            work.failed.setdefault(program, said)
        for point, count in total.items():
            by_file[point.file].add(point, count)
    left = len(work.programs) - len(there)
    all_programs = re.search("^TESTS :=(.*)", read(FOLDER + "/programs.mk"), re.M)
    everything = all_programs and set(work.programs) >= set(all_programs[1].split())
    wrong = waive(known, everything and not left)
    for module in known.values():
        module.count_hits()
    with_points = [m for m in known.values() if m.count]
    shown = [known[one]] if one else with_points
    if one and not known[one].count:
        print(f"{one}: no model of these programs has it")
    if with_points and any(m.count for m in shown):
        table(HEAD, *map(row_of, (m for m in shown if m.count)), *[total_of(with_points)] * (not one))
    for module in shown if one else ():
        for kind, line, what in module.missed:
            print(f"{module.file}:{line}: {kind}: {what}")
    for module in shown:
        for first, last, name in module.never_built() if module.count else ():
            print(f"never built: {module.file}:{first}-{last} ({name})")
    nowhere = [m.name for m in known.values() if not m.count]
    if everything and not left and nowhere and not one:
        print("in no model: " + " ".join(nowhere))
    write(RESULTS, json.dumps({
        "format": FORMAT, "sources": checksum(*(m.text for m in known.values())), "programs": results,
        "failed": work.failed, "in no model": nowhere,
        "modules": {m.name: {**m.result, "file": m.file, "waived": len(m.waived), "missed": m.missed,
                             "never built": m.never_built()} for m in with_points}}, indent=1) + "\n")
    summary = f"{len(there)} of {len(work.programs)} programs" + f", {len(work.failed)} failed" * bool(work.failed)
    pages(known, summary)
    if ENV("BASE"):
        compare(ENV("BASE"), known)
    for program in stale:
        print(f"left out: {program} ran before its Verilog was changed")
    for program, why in work.failed.items():
        print(f"failed: {program}: {why}")
    for line in wrong:
        print(line)
    print(f"coverage: {summary}, {work.ran} in this run, {time.monotonic() - work.began:.0f} s"
          + (f"; stopped, {left} left: the same command goes on" if stopped.is_set() else "")
          + f": {RESULTS}, {FOLDER}/html/index.html")
    return 1 if work.failed or wrong or stopped.is_set() else 0


def main(arguments):
    one = ENV("MODULE") or ""
    if one and one not in modules():
        near = [m for m in modules() if one in m or m in one]
        refuse(f"MODULE={one}: expected a module of rtl/" + (f", such as {near[0]}" if near else ""))
    if ENV("BASE"):
        base = read(ENV("BASE"))
        if f'"{FORMAT}"' not in base:
            refuse(f"BASE={ENV('BASE')}: expected a {RESULTS} of make coverage")
    work = Run(arguments)
    for s in (signal.SIGINT, signal.SIGTERM):
        signal.signal(s, halt)
    work.all()
    return report(work, one)
