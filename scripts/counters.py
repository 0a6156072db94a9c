"""Counters of a model's coverage in memory that the processes of a test program share; called by model.py if COVERED is
in the environment.

    python3 -S scripts/tool.py counters CPP NAME POINTS

CPP holds what Verilator printed with --coverage-line --coverage-toggle, and is changed in place: counters are those of
sim_coverage() (verilated.cpp.in) for NAME, without atomic operations; the points, which each new model would register
with its names, go into the file POINTS instead, a line each: COUNTER, PAGE, FILE, LINE, COLUMN, COMMENT, LINES, by
tabs. A signal and the ports that it is connected to share a counter. What watched.py has bound into modules is there as
that for which it stands. A toggle is counted only after the first SETTLED evaluations of a model, since a register that
gets its reset value has not been used. Ends with code 1 if a part of it cannot be found: another Verilator prints
something else."""
import glob, re

from common import read, stop, write

SETTLED = 32
# the counters, in the class of all symbols
ARRAY = re.compile(r"(?:std::atomic<uint32_t>|uint32_t) __Vcoverage\[(\d+)\];")
# from 5.036 on toggles of all bits of a signal at once, two counters for each
INSERT = re.compile(r"\w+->__vlCover(?:Toggle)?Insert\((?:(\d+), (\d+), (\d+), )?&\(vlSymsp->__Vcoverage\[(\d+)\]\), "
                    r'(?:first|true|false), "(.*?)", (\d+), (\d+), "(?:.*?)", "(.*?)", "(.*?)"(?:, "(.*?)")?'
                    r'(?:, ".*?")*\);')
INSERTS = re.compile(r"(::__vlCover(?:Toggle)?Insert\([^{]*\{).*?\n\}", re.S)
COUNT = re.compile(r"(?:\+\+\(?)?vlSymsp->__Vcoverage(?:\[(\d+)\](?:\)|\.fetch_add\(1,\s*std::memory_order_relaxed\))"
                   r"| \+ (\d+))")
EVALUATE = re.compile(r"(void V\w+::eval_step\(\) \{\n)")


def main(arguments):
    folder, name, points_file = arguments
    files = sorted(glob.glob(folder + "/*.cpp"))
    symbols = next(iter(glob.glob(folder + "/*__Syms.h")), "")
    size, points, texts, counted, steps = ARRAY.search(read(symbols)), {}, {}, 0, 0
    if not size: return write(points_file, "")

    def insert(found):
        first, last, many, index, file, line, column, page, comment, lines = found.groups()
        step = 1 if int(last or 0) >= int(first or 0) else -1
        names = [comment] if first is None else [
            f"{comment}[{i}]" if many != "0" else comment
            for i in range(int(first), int(last) + step, step) for _ in range(2)]
        if file.endswith("_watched.sv"):  # what the line says that it stands for
            lines_of = texts.setdefault(file, read(file).split("\n"))
            stands = re.search(r"// (\S+) (\d+) (v_\w+) (.*)", lines_of[int(line) - 1])
            if stands and comment == "if":
                file, line, page, column, lines, names = *stands.groups()[:3], "0", "", [stands[4]]
        for at, name_of in enumerate(names, int(index)):
            points.setdefault(at, []).append("\t".join((str(at), page, file, line, column, name_of, lines or "")))
        return ""

    text = {}
    for file in files:
        text[file] = INSERT.sub(insert, read(file))

    def count(found):
        nonlocal counted
        counted += 1
        index = int(found[1] or found[2])
        of = "__Vtoggled" if any("\tv_toggle/" in p for p in points.get(index, ())) else "__Vcoverage"
        return f"++vlSymsp->{of}[{index}]" if found[1] else f"vlSymsp->{of} + {index}"

    for file, old in text.items():
        new = COUNT.sub(count, INSERTS.sub(r"\1}", old))
        new, found = EVALUATE.subn(r"\1    vlSymsp->__Vevaluated();\n", new)
        steps += found
        if "->__Vcoverage" in COUNT.sub("", INSERTS.sub("", old)): steps = -1000
        write(file, new)
    if len(points) != int(size[1]) or not counted or steps != 1:
        stop(f"{name}: counters of coverage are not known as this Verilator prints them: scripts/counters.py")
    write(symbols, ARRAY.sub(
        f'uint32_t* const __Vcoverage = sim_coverage("{name}", {size[1]});\n'
        f"    uint32_t* __Vtoggled = sim_coverage(nullptr, {size[1]});\n"
        f"    unsigned __Vsettles = {SETTLED};\n"
        "    void __Vevaluated() { if (__Vsettles && !--__Vsettles) __Vtoggled = __Vcoverage; }",
        read(symbols)).replace("\n// SYMS CLASS", "\nuint32_t* sim_coverage(const char*, unsigned);\n// SYMS CLASS", 1))
    return write(points_file, "".join(p + "\n" for i in range(len(points)) for p in points[i]))
