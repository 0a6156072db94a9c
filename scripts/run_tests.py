"""Runs test programs (libcheck), some at a time; ends with the sum in Check's own words.

    SEED=1 JOBS=2 [WAVES=1|scopes] [CASE=name] [SETTINGS='other variables of make'] [FULL=folder] \
        python3 -S scripts/tool.py run_tests OUT PROGRAM...
    REPORTED=folder ... run_tests --step NAME COMMAND...

OUT/PROGRAM is the executable; make builds FULL/PROGRAM, the same with models that record waves, when it is wanted.

Each program's output goes to OUT/log/PROGRAM.log. For every failure: what failed, the one line that reruns its case,
and where the waves of the rerun are that was made at once, with the full models. Exit code 1 if anything failed, if a
program ended without a summary, or none ran. With SIM_CYCLES=folder each program writes what was counted to a folder of
its own in there (tb/simulation.h).

With REPORT=junit or tap, and with REPORTED=folder and REPORT_TO=file, that file says what each test did (report.py),
also if this ends early. What comes before the tests is then a step, which is noted in that folder and has exit code 0:
a step that has failed fails the tests, and after a failed step "build" none is run."""
import concurrent.futures, glob, os, re, shlex, signal, subprocess, sys, threading, time

from common import BOUND, TOOL, read, run, says, write

E = os.environ.get
HERE = os.path.dirname(__file__)
CASE, WAVES, SEED, REPORT, REPORTED = (E("CASE", ""), E("WAVES") or "0", E("SEED", ""), E("REPORT", ""),
                                       E("REPORTED", ""))
SETTINGS = E("SETTINGS", "") and " " + E("SETTINGS", "")
MAKE, JOBS = shlex.split(E("MAKE") or "make"), E("JOBS") or "2"
failed, why, summaries, builds = [], [], [], threading.Lock()


def step(name, *command):
    at, began = f"{REPORTED}/{name}", time.time()
    with open(at + ".log", "wb") as log, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                                          close_fds=False) as child:
        for line in child.stdout:
            log.write(line)
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
    code = child.returncode if child.returncode >= 0 else 128 - child.returncode
    write(at + ".step", f"{name} {code} {time.time() - began:.3f}\n")


def files(path, by=None):
    """The waves of a run, which are one file or several, as lines."""
    return "".join(f"\n    waves: {f}" for f in sorted(glob.glob(glob.escape(path) + ".fst")
                                                       + glob.glob(glob.escape(path) + "-*.fst"), key=by))


def indented(lines):
    return "".join("\n    " + line for line in lines)


def one(out, program):
    """Runs a program, prints what became of it, and notes it for the end."""
    log, flat = f"{out}/log/{program}.log", program.replace("/", "-")
    waves, reported, cycles = (f"build/waves/{flat}", REPORT and f"{REPORTED}/{program}",
                               E("SIM_CYCLES") and f"{E('SIM_CYCLES')}/{flat}")
    set_here = {"SIM_CYCLES": cycles} if cycles else {}
    for folder in filter(None, ("build/waves", os.path.dirname(log), os.path.dirname(reported), cycles)):
        os.makedirs(folder, exist_ok=True)
    if WAVES != "0":
        for old in re.findall(r"\S+\.fst", files(waves)): os.remove(old)
        set_here.update(SIM_WAVES=waves, CK_FORK="no", **{"SIM_WAVES_SCOPES": WAVES} if WAVES != "1" else {})
    if reported:
        write(reported + ".list", says(f"{out}/{program}", "--list"))
        set_here.update(CK_XML_LOG_FILE_NAME=reported + ".xml", TEST_STARTS=reported + ".starts")
    timed = [*TOOL, "times", "test: " + program, "-c", 'exec env -u TIMES_IN "$0"'] if E("TIMES_IN") else []
    began = time.time()
    code = run(log, *BOUND, *timed, f"{out}/{program}", REPORT=None, MAKEFLAGS=None, MFLAGS=None, MAKELEVEL=None,
               **set_here)
    seconds, said = f"{time.time() - began:.3f}", read(log)
    # the first one, because a failure that is quoted behind it may have its own
    summary = (re.findall(r"^\d*%: Checks: .*", said.partition("Running suite(s):")[2] or said, re.M) or [""])[0]
    text = f"{summary or f'no summary, exit code {code}'}  {program}  {seconds[:-2]} s" + files(waves) * (WAVES != "0")
    if code or not summary:
        failed.append(program)
        lines = re.findall(r"^[^: \n]*:\d*:[FE]:.*", said, re.M)
        cases = sorted({line.split(":")[3] for line in lines if line.count(":") > 3})
        reason = lines if cases else f"{program}: {text}".split("\n")
        if not cases:
            text += indented(said.splitlines()[-20:]) + f"\n    rerun: make test TEST={program} SEED={SEED}{SETTINGS}"
        else:
            text += indented(lines) + indented(re.findall("^sim: .*", said, re.M)[-5:])
            again = f"{out}/{program}"
            if WAVES == "0" and E("FULL"):
                again = f"{E('FULL')}/{program}"
                with builds:
                    if run(log + ".full", *MAKE, "REPORT=", "TIMES=", "-j" + JOBS, again):
                        text += f"\n    no waves: {again} cannot be built, see {log}.full"
        for case in cases:
            text += f"\n    rerun: make {E('GOAL') or 'test'} TEST={program} CASE={case} SEED={SEED}{SETTINGS} WAVES=1"
            if WAVES != "0": continue
            for old in re.findall(r"\S+\.fst", files(f"{waves}-{case}")): os.remove(old)
            run(os.devnull, *BOUND, "timeout", "120", again, CK_FORK="no", CK_RUN_CASE=case,
                SIM_WAVES=f"{waves}-{case}")
            text += "\n".join(files(f"{waves}-{case}", os.path.getmtime).split("\n")[:6])
        why.extend([line[:300] for line in reason[:4]]
                   + [f"{program}: ... and {len(reason) - 4} more"] * (len(reason) > 4))
    if summary: summaries.append(summary)
    if reported:
        write(reported + ".log", f"{said}{text}\n")
        write(reported + ".ended", f"{program} {code} {seconds}\n")
    if cycles and not os.listdir(cycles):
        text += "\n    no module of its models declares probe_busy and runs on a clock: nothing to count"
    print(text, flush=True)


def report(programs):
    """What has become of each step and program, also of those that did not run; its exit code."""
    if not REPORT: return 0
    steps = [read(f) for f in sorted(glob.glob(glob.escape(REPORTED) + "/*.step"))]
    try:
        write(REPORTED + "/all", "".join(steps + [read(f"{REPORTED}/{p}.ended") or f"{p} - 0\n" for p in programs]))
        with open(E("REPORT_TO") + ".part", "w") as out:
            subprocess.run([sys.executable, "-S", HERE + "/report.py", REPORT, REPORTED, SEED], stdout=out, check=True)
        os.rename(E("REPORT_TO") + ".part", E("REPORT_TO"))
    except (OSError, subprocess.CalledProcessError):
        print(f"REPORT={REPORT}: {E('REPORT_TO')} cannot be written")
        return 1
    print("report: " + E("REPORT_TO"))


def run_all(out, programs):
    if not programs: return print("no test programs") or 1
    steps = [line.split() for f in sorted(glob.glob(glob.escape(REPORTED) + "/*.step"))
             for line in [read(f)]] if REPORT else []
    bad = " ".join(name for name, code, _ in steps if code != "0")
    if bad: bad = f"Failed: {bad} "
    if " build " in bad: return print(bad) or 1
    with concurrent.futures.ThreadPoolExecutor(int(JOBS)) as threads:
        for _ in threads.map(lambda p: one(out, p), programs): pass
    if bad: print(bad)
    if failed:
        # Once more, because some CI machines keep only the last lines.
        print("\n".join(why[:12] + [f"... and {len(why) - 12} lines more, above"] * (len(why) > 12)))
        print(f"Failed: {' '.join(sorted(failed))} ")
    if not summaries: return print("no program ended with a summary") or 1
    n, failures, errors = (sum(map(int, numbers))
                           for numbers in zip(*(re.findall(r" (\d+)", s)[:3] for s in summaries)))
    if CASE and not n:
        cases = sorted({line.split(" ")[0] for p in programs for line in says(f"{out}/{p}", "--list").splitlines()})
        return print(f"CASE={CASE}: no test case of that name; there are: {' '.join(cases)} ") or 1
    print(f"{100 * (n - failures - errors) // n if n else 0}%: Checks: {n}, Failures: {failures}, Errors: {errors}")
    return int(bool(bad or failed or not n))


def main(arguments):
    if arguments[0] == "--step": return step(*arguments[1:])
    out, *programs = arguments

    def interrupted(*_):
        print("interrupted")
        os._exit(report(programs) or 130)

    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(s, interrupted)
    os.makedirs(out + "/log", exist_ok=True)
    os.environ.update({"MODEL_HEADERS": "",  # in the small trees of tests that would cost more than it gains
                       "SIM_SEED": SEED, "CASE": CASE, "WAVES": WAVES,
                       "CK_DEFAULT_TIMEOUT": E("CK_DEFAULT_TIMEOUT") or "900",
                       "ASAN_OPTIONS": E("ASAN_OPTIONS") or "detect_leaks=0",
                       "UBSAN_OPTIONS": E("UBSAN_OPTIONS") or "print_stacktrace=1"})
    if CASE: os.environ["CK_RUN_CASE"] = CASE
    code = run_all(out, programs)
    return report(programs) or code
