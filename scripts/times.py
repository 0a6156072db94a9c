"""The shell of make's recipes with TIMES=1: notes the processor time of each, and at the end shows where it went.

    python3 -S scripts/tool.py times [TARGET] -c 'recipe' [ARGUMENT...]
                                                           runs it; a line "seconds target" in $TIMES_IN, if it is set
    python3 -S scripts/tool.py times --show FILE           sums by kind, and what took longest

Processor time is user and system, of all that the recipe started and waited for. Tests are noted one by one
(run_tests.py), what they start counts as theirs."""
import os, signal

KINDS = ((r"models/.*/bound$", "models: bound, C++ of the fast one"), (r"models/.*/full/lib", "models: full"),
         (r"models/.*/lanes/lib", "models: lanes"), (r"models/verilated|libverilated", "Verilator's runtime"),
         (r"models/.*/lib", "models: fast"), (r"^test: ", "tests run"), (r"\.o$", "C compiled"), (r"^lint$", "lint"),
         ("", "linked, and the rest"))


def show(path):
    import collections, re
    kinds, taken = collections.defaultdict(list), collections.Counter()
    with open(path, errors="surrogateescape") as file:
        for seconds, target in (line.rstrip("\n").split(" ", 1) for line in file):
            if re.fullmatch("tests?|sanitize|report-.*", target.split()[0]): continue  # its parts are noted
            kinds[next(kind for pattern, kind in KINDS if re.search(pattern, target))].append(float(seconds))
            taken[target] += float(seconds)

    def rows(sums, most=None):
        for line in sorted((f"{seconds:9.1f}  {text}" for text, seconds in sums), reverse=True)[:most]: print(line)

    print("processor time [s]")
    rows((f"{kind} ({len(times)})", sum(times)) for kind, times in kinds.items())
    print(f"{sum(taken.values()):9.1f}  all\n\nlongest")
    rows(taken.items(), 40)


def main(arguments):
    if arguments[0] == "--show": return show(arguments[1])
    target = arguments.pop(0) if arguments[0] != "-c" else ""
    shell = os.posix_spawn("/bin/sh", ["/bin/sh", *arguments], {**os.environ, "LC_ALL": "C"},
                           setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    _, status, used = os.wait4(shell, 0)
    seconds, code = used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status)
    file = os.environ.get("TIMES_IN")
    if target and file and seconds >= 0.005:
        with open(file, "a", errors="surrogateescape") as out: out.write(f"{seconds:.2f} {target}\n")
    return code if code >= 0 else 128 - code
