#!/usr/bin/env python3
"""Random inputs for all that parses: make fuzz [TARGET=NAME] [SECONDS=600]

    scripts/fuzz.py [TARGET]            each target for SECONDS; what is found goes to build/fuzz/found
    scripts/fuzz.py --replay [TARGET]   the inputs of tb/fuzz/corpus once, of the targets that are scripts

Targets in C are those of tb/fuzz/targets (target.h), by libFuzzer; `make test` replays their inputs. Those that are
scripts get mutations of tb/fuzz/corpus/TARGET. A script must end in time, with code 0 or with lines that say what is
wrong, and never by a traceback, a signal, or a complaint of a shell. Inputs that libFuzzer found worth keeping are in
build/fuzz/corpus: the next run begins with them.
"""
import glob
import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import zlib

sys.pycache_prefix = sys.pycache_prefix or "build/pycache"
import tool

CORPUS, WORK, FOUND = "tb/fuzz/corpus", "build/fuzz", "build/fuzz/found"
LIMIT = 60  # [s] for one input of a script
HELD = re.compile(rb"Traceback|^(sh|awk|mawk|gawk|sed|grep|\S+\.sh)?: *(line )?\d+: |syntax error near|: not "
                  rb"found$|[Uu]nbound variable|awk: |: unterminated|core dumped|crashed: code", re.M)
MODELS = {"VERILATOR": os.environ.get("VERILATOR") or "verilator", "PASSES": os.environ.get("PASSES", "")}
# for inputs, and links to the tree, into which block.py writes
OWN = tempfile.TemporaryDirectory(prefix="nicxbar-fuzz-")


def run(command, folder=".", **environment):
    """Code and output of a command that may not take longer than LIMIT; it and what it has started are killed then."""
    child = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        return child.communicate(timeout=LIMIT)[0], child.wait()
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()[0], None
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        raise


def wrong(output, code, refused):
    """What is wrong with the end of a script, or nothing. refused: how a refusal's lines look, one of them at least."""
    if code is None:
        return f"not ended after {LIMIT} s"
    held = HELD.search(output)
    if held:
        return f"'{output[held.start():held.start() + 60].splitlines()[0].decode('latin-1')}'"
    if code < 0 or code > 127:
        return f"ended by a signal, code {code}"
    return "" if not code or re.search(refused, output, re.M) else f"code {code}, and no line that says why"


def put(data, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    return path


with open("scripts/registers.py", encoding="utf-8") as script:
    REGISTERS = compile(script.read(), "registers.py", "exec")


def registers(data):
    form = ("verilog", "block", "wires", "c", "markdown")[zlib.crc32(data) % 5]
    ours, code, text = (sys.argv, sys.stdout, sys.stderr), 0, ""
    sys.argv = ["registers.py", f"format={form}", put(data, f"{OWN.name}/registers.map")]
    sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    try:  # in this process, a hundred times as fast
        exec(REGISTERS, {"__name__": "__main__"})  # pylint: disable=exec-used
    except SystemExit as end:
        code, text = 1, str(end.code)
    except Exception:  # pylint: disable=broad-except
        code, text = 1, traceback.format_exc()
    finally:
        sys.argv, sys.stdout, sys.stderr = ours
    return wrong(text.encode("latin-1", "replace"), code, rb"^\S+: .*expected")


def verilog(data):
    """Binding of a foreign module, its name that of the first one; behind a line //probes its file .probes."""
    text, _, probes = data.partition(b"//probes\n")
    path = put(text, f"{OWN.name}/foreign.v")
    put(probes, f"{OWN.name}/foreign.probes")
    name = re.search(rb"module\s+([A-Za-z_]\w*)", text)
    module = name[1].decode() if name else "foreign"
    folders = sorted({p for p, _, files in os.walk("rtl") for f in files if f.endswith(".v")})
    return wrong(*run([sys.executable, "-S", "scripts/tool.py", "model", "bind", f"{OWN.name}/model", "foreign", module,
                       path], **MODELS, VERILOG_DIRS=" ".join(folders),
                      VERILATOR_FLAGS="--default-language 1364-2005 -Wall +incdir+build/generated"),
                 rb"^(%Error|foreign|\S+\.probes:\d+): ")


def block(data):
    """make block FROM= in a folder of its own; the build of the test is left out."""
    tree = f"{OWN.name}/tree"
    if not os.path.exists(tree):
        subprocess.run(["scripts/elsewhere.sh", tree], check=True)
        shutil.copytree("build/generated", f"{tree}/build/generated")
    put(data, f"{tree}/build/theirs/foreign.v")
    out, code = run([sys.executable, "-S", "scripts/tool.py", "block", "--from", "build/theirs/foreign.v"], tree,
                    **MODELS, MAKE="false")
    if not code and code is not None:
        return "code 0, but it could not be built"
    return wrong(out, code, rb"^block: .*")


SCRIPTS = {"registers": registers, "verilog": verilog, "block": block}
TARGETS = sorted({os.path.basename(f)[:-2] for f in glob.glob("tb/fuzz/targets/*.c")} - {"target"})


def inputs(target):
    folder = f"{CORPUS}/{target}"
    for name in sorted(os.listdir(folder)):
        with open(f"{folder}/{name}", "rb") as f:
            yield f"{folder}/{name}", f.read()


# ---- mutations

TOKENS = [b"", b"\0", b"\n", b"\r", b"-1", b"0", b"4294967296", b"99999999999999999999", b"0x", b"/*", b"//", b'"',
          b"'", b"\\", b"`", b"$", b"(", b")", b"[", b"]", b"{", b"}", b";", b",", b"=", b":", b"\xff\xfe", b"%s",
          b"A" * 5000, b"(" * 300, b" " * 3000]

NAMES = [b"\\a+b ", b"\\end ", b"int", b"this", b"class", b"x__y", b"a$b", b"_", b"A" * 200, b"clk", b"probe_busy",
         b"nx_probes", b"name_", b"N", b"main", b"VL_IN", b"bits", b"state", b"u", b"eval"]


def mutate(chance, all_inputs):
    data = chance.choice(all_inputs)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        words, at = re.findall(rb"\w+|\s+|[^\w\s]", data), chance.randrange(len(data) + 1)
        kind = chance.randrange(10)
        if kind == 0:
            data = data[:at] + chance.choice(TOKENS) + data[at:]
        elif kind == 1:
            data = data[:at] + data[at + chance.choice((1, 3, 20, 200)):]
        elif kind == 2 and data:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1:]
        elif kind == 3:
            lines = data.splitlines(True) or [b""]
            lines.insert(chance.randrange(len(lines)), chance.choice(lines) * chance.choice((1, 1, 2, 40)))
            data = b"".join(lines)
        elif kind == 4:
            lines = data.splitlines(True) or [b""]
            lines.pop(chance.randrange(len(lines)))
            data = b"".join(lines)
        elif kind in (5, 6) and words:
            other = re.findall(rb"\w+|[^\w\s]", chance.choice(all_inputs)) if kind == 5 else TOKENS
            words[chance.randrange(len(words))] = chance.choice(other or TOKENS)
            data = b"".join(words)
        elif kind == 7:
            other = chance.choice(all_inputs)
            data = data[:at] + other[chance.randrange(len(other) + 1):]
        elif words:  # a name, everywhere
            old, new = chance.choice(words), chance.choice(NAMES + words)
            if re.fullmatch(rb"[A-Za-z_]\w*", old):
                data = re.sub(rb"\b%b\b" % old, lambda _: new, data)
    return data


# ---- one target

def show(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text[:110]:110}" if text else f"\r{'':110}\r")
        sys.stderr.flush()


def fuzz_script(target, seconds):
    """How many runs, and the file of what was found, with why."""
    chance, end, count = random.Random(f"{os.environ.get('SEED', '')}{time.time()}"), time.time() + seconds, 0
    seeds = [data for _, data in inputs(target)]
    while time.time() < end:
        data = mutate(chance, seeds)
        why = SCRIPTS[target](data)
        count += 1
        show(f"{target}: {count} runs, {end - time.time():.0f} s left")
        if why:
            return count, [(put(data, f"{FOUND}/{target}-{zlib.crc32(data):08x}"), why)]
    return count, []


def fuzz_c(target, seconds):
    own = f"{WORK}/corpus/{target}"
    os.makedirs(own, exist_ok=True)
    command = [f"{WORK}/fuzzer", f"--target={target}", f"-max_total_time={seconds}", "-timeout=20",
               "-rss_limit_mb=2048", "-max_len=8192", f"-artifact_prefix={FOUND}/{target}-", own, f"{CORPUS}/{target}"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    count, end, why, found = 0, time.time() + seconds, "", []
    try:
        for line in child.stderr:
            text = line.decode("latin-1").rstrip()
            number = re.match(r"#(\d+)\s.*", text)
            if number:
                count = int(number[1])
                show(f"{target}: {count} runs, {max(end - time.time(), 0):.0f} s left")
            said = re.search(r"not met: .*|runtime error: .*|ERROR: \w+: .*", text)
            why = why or (said[0] if said else "")
            kept = re.search(r"Test unit written to (\S+)", text)
            if kept:
                found.append((kept[1], why))
        if child.wait() and not found:
            found.append((f"{WORK}/fuzzer --target={target}", f"ended with code {child.returncode}: {why}"))
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGINT)
            child.wait()
    return count, found


# ---- all

def build():
    """The program of the targets in C, or the end with one line."""
    clang = subprocess.run(["scripts/setup.sh", "--clang"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.strip().replace("++", "")
    version = subprocess.run([clang, "-dumpversion"], stdout=subprocess.PIPE, text=True,
                             check=False).stdout.split(".")[0] if clang else "16"
    os.makedirs(WORK, exist_ok=True)
    put(b"int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 99; }\n", f"{WORK}/try.c")
    if not clang or subprocess.run([clang, "-fsanitize=fuzzer,address,undefined", f"{WORK}/try.c", "-o", f"{WORK}/try"],
                                   stderr=subprocess.DEVNULL, check=False).returncode:
        sys.exit(f"fuzz: expected clang with libFuzzer: apt-get install clang-{version} libclang-rt-{version}-dev")
    make = [os.environ.get("MAKE") or "make", "-s", "-f", "scripts/mk/launcher.mk", f"CLANG={clang}",
            f"-j{os.environ.get('JOBS') or 1}"]
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    if subprocess.run([*make, f"{WORK}/fuzzer"], env=clean, check=False).returncode:
        sys.exit(f"fuzz: {WORK}/fuzzer cannot be built, see above")


def main(arguments):
    replay = arguments[:1] == ["--replay"]
    names = arguments[replay:] or (list(SCRIPTS) if replay else [*TARGETS, *SCRIPTS])
    for name in names:
        if name not in TARGETS and name not in SCRIPTS:
            sys.exit(f"TARGET={name}: expected one of {', '.join([*TARGETS, *SCRIPTS])}")
    if replay:
        bad = [f"{path}: {why}" for name in names for path, data in inputs(name) for why in [SCRIPTS[name](data)]
               if why]
        sys.exit("\n".join(bad) or 0)
    seconds, total, found = os.environ.get("SECONDS") or "600", 0, []
    if not seconds.isdigit():
        sys.exit(f"SECONDS={seconds}: expected a number")
    seconds = int(seconds)
    if set(names) & set(TARGETS):
        build()
    os.makedirs(FOUND, exist_ok=True)
    for k, name in enumerate(names):
        try:
            count, of_target = (fuzz_c if name in TARGETS else fuzz_script)(name, seconds)
        except KeyboardInterrupt:
            show("")
            print(f"fuzz: stopped in {name}; inputs are kept in {WORK}/corpus; found so far: {len(found)}; left: "
                  f"{' '.join(names[k:])}: make fuzz TARGET='{' '.join(names[k:])}' SECONDS={seconds} goes on")
            sys.exit(130)
        show("")
        total += count
        found += of_target
        print(f"{name:10} {count:9} runs, {'; '.join(f'{why}: {path}' for path, why in of_target) or 'nothing found'}",
              flush=True)
    if found:
        sys.exit(f"fuzz: {len(found)} found in {total} runs of {len(names)} targets: "
                 + " ".join(path for path, _ in found))
    print(f"fuzz: nothing found in {total} runs of {len(names)} targets, {seconds} s each")


if __name__ == "__main__":
    tool.check("fuzz", sys.argv[1:])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main(sys.argv[1:])
