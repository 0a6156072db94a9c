"""Finds what there is to build and prints it as make rules, so that no list of files is kept by hand.

    [SLOT_FOLDER=folder] [PORTS_FOLDER=folder] python3 -S scripts/tool.py programs > build/programs.mk
    ... programs --into FILE                     only if a file or folder that it reads has changed since

Models: every Verilog file below rtl/ and tb/ is a configuration of its own name with default parameters; more
configurations stand in files named `models` below tb/ and sim/, one per line (# starts a comment):
    NAME MODULE [PARAMETER=VALUE...]
MODULE is first looked for in the folder of the file `models`. It may be a slot (scripts/slots): then it is the block in
the slot. Instead of a parameter a line may fill a slot for itself, as on the command line:
OUTPUT_SCHEDULER=output_scheduler_wrr.

What lies in a folder `parts` belongs to the module above it (make block FROM=). Of several files of one name that is
taken which lies in a folder of this name.

Faults in a module: NAME.planted below tb/ is a configuration, too, of a Verilog file that scripts/plant.sh makes.

Slots: models with a slot in them that SLOT_FOLDER/blocks fills (slots.py) are built in SLOT_FOLDER/models instead of
build/models; not so those whose line fills slots itself, or whose name does not begin as SLOT_FOLDER/only says.

With COVERED in the environment all are in build/coverage/models.

Programs: every tb/**/test_*.c is one, and every tb/**/long_*.c, which takes too long for make test; every sim/bin/X.c
is X, every line of sim/bin/systems, whose C is written to build/systems, and every sw/tools/X.c. What a program needs
follows from its #include lines, and those of the headers it includes:
  "NAME.h" of a configuration        -> links build/models/NAME/libNAME.a; full/PROGRAM,
                                     build/models/NAME/full/libNAME.a
  "x.h" in tb/ or sim/system/chips/ with an x.c in the same folder -> links x.o
  another header below sim/WING/X/ or sw/X/ -> links the library of that folder (all its C files), and what those
                                     include in turn
  "full_models.h" in a test          -> it links the full models always
PORTS_FOLDER is one more folder with a program X.c and a file `models` (scripts/packet_mode_program.sh).
What includes no model with such a slot is the same with and without, and built once for all, below $(SHARED) instead of
$(BUILT). A model that only tests of a block include runs for less time than it takes to compile: -O1 saves a fifth of
that, and takes 4 % more to run.
A line LANES("NAME") of a program: it links build/models/NAME/lanes/libNAME.a, several instances evaluated together.
A line RUNS("PROGRAM") of a test names another program, below build/, that it starts. Only models that some program
includes are built."""
import functools, os, re, time

from common import find, read, stop, write

SLOTS = os.path.dirname(__file__) + "/slots"
SLOT_FOLDER, PORTS = os.environ.get("SLOT_FOLDER", ""), os.environ.get("PORTS_FOLDER", "")
MODELS = ("build/coverage" if os.environ.get("COVERED") else "build") + "/models"
OF_PORTS = PORTS and "|" + re.escape(PORTS)
# files that are linked only where their own header is included
SINGLE = re.compile("(tb(?!/fuzz/targets/)|sim/system/chips)/")
PROGRAMS = re.compile(f"(sim/bin|build/systems|sw/tools{OF_PORTS})/")  # of their own, not of their folder's library
SYSTEM = """/* Made by scripts/programs.py from sim/bin/systems: do not edit. */
{}#include "nx_program.h"
#include "sim/app/nicxbar/program.h"

{}NX_PROGRAM(NULL);

int main(int argc, char **argv)
{{
    return nicxbar_sim(argc, argv, &(const program_chips){{&{}_config, &{}_config, {}}});
}}
"""


COHERENT = """/* Made by scripts/programs.py from sim/bin/systems: do not edit. */
{}#include "nx_program.h"
#include "sim/app/coherent/coherent_program.h"

NX_PROGRAM(NULL);

int main(int argc, char **argv)
{{
    return coherent_sim(argc, argv, &(const coherent_chips){{&{}_config, &{}_config, &{}_config}});
}}
"""


def lines(path):
    """The words of each line that is no comment."""
    return [line.split() for line in read(path).splitlines() if line.strip() and not line.startswith("#")]


def stem(path): return os.path.splitext(path)[0]


def named(path): return os.path.basename(stem(path))


def put_systems():
    """The C of each line of sim/bin/systems; written only if it changes."""
    os.makedirs("build/systems", exist_ok=True)
    for name, nic, switch, *more in lines("sim/bin/systems"):
        kinds = [word.split("=") for word in more if "=" in word]
        chips = [word for word in more if "=" not in word and word != "lanes"]
        headers = [nic, switch, *("sim/system/chips/" + c for c in chips), *(k[1] for k in kinds)]
        table = "".join(f'{{"{kind}", &{model}_config}}, ' for kind, model in kinds)
        text = SYSTEM.format("".join(f'#include "{h}.h"\n' for h in headers),
                             f'LANES("{switch}");\n\n' * ("lanes" in more)
                             + f"static const nic_kind nics[] = {{{table}{{NULL, NULL}}}};\n\n" * bool(kinds),
                             nic, switch, "nics" if kinds else chips[-1] if chips else "NULL")
        if kinds and kinds[0][0] == "coherent":
            text = COHERENT.format("".join(f'#include "{h}.h"\n' for h in headers), kinds[0][1], nic, switch)
        if read(f"build/systems/{name}.c") != text: write(f"build/systems/{name}.c", text)


def reached(start, more):
    """The start, and all that more() leads to from it."""
    seen, left = {start}, [start]
    while left:
        new = more(left.pop()) - seen
        seen |= new
        left += new
    return seen


class Models:
    """Configurations of modules: self.module has the module of each, in the order in which they are found."""

    def __init__(self, found):
        self.module, self.file, self.parameters, self.own, self.planted, self.in_slot = {}, {}, {}, {}, {}, set()
        self.filled = lines(SLOT_FOLDER + "/blocks") if SLOT_FOLDER else []
        self.block = {variable: name for variable, name, *_ in lines(SLOTS) + self.filled}
        self.block_file = {variable: file for variable, _, file in self.filled}
        verilog = dict.fromkeys(f for f in found if re.match(r"(rtl|tb)/(?!(.*/)?parts/).*\.v$", f))
        for file in verilog: self.add_file(file)
        for file in (f for f in found if re.match(r"tb/.*\.planted$", f)):
            of, path = re.findall("^of (.*)", read(file), re.M), f"build/planted/{named(file)}.v"
            self.add_file(path)
            self.planted[path] = " ".join([file] + [
                f for f in verilog if f.startswith("rtl/") and os.path.basename(f) in of])
        self.source = dict(self.file)
        for file in (f for f in found if re.match(f"(tb|sim{OF_PORTS})/(.*/)?models$", f)):
            for line in lines(file): self.add_line(file, verilog, *line)

    def add_file(self, file):
        name = named(file)
        old = self.file.get(name)
        if not old or (file.endswith(f"/{name}/{name}.v") and not re.search(rf"(^rtl|/{name})/[^/]*$", old)):
            self.module[name], self.file[name], self.parameters[name] = name, file, ""

    def add_line(self, of, verilog, name, module="", *more):
        if not module: stop(f"{of}: {name}: expected NAME MODULE [PARAMETER=VALUE...]")
        if not {module} & (self.source.keys() | self.block.keys()):
            stop(f"{of}: {name}: there is no module file {module}.v below rtl/ or tb/")
        if name in self.module: stop(f"{of}: {name}: this name is taken")
        beside = f"{os.path.dirname(of)}/{module}.v"
        self.module[name] = self.block.get(module, module)
        self.file[name] = self.block_file.get(module) or (beside if beside in verilog
                                                          else self.source.get(self.module[name], ""))
        if module in self.block_file: self.in_slot.add(name)
        self.own[name] = "".join(" " + word for word in more if word.split("=")[0] in self.block)
        # a string keeps its quotes in the shell
        self.parameters[name] = "".join(f" '{word}'" if '"' in word else " " + word
                                        for word in more if word.split("=")[0] not in self.block)

    @functools.cache
    def below(self, module):
        """What a module may instantiate: words outside of comments; a word too much is harmless."""
        words = set(re.findall(r"\w+", re.sub("//.*", "", read(self.source.get(module, ""))), re.A))
        return words & (self.source.keys() | self.block.keys())

    @functools.cache
    def folder(self, name):
        """Where it is built: elsewhere if it is in a slot that is filled, or if one is in it."""
        moved = self.filled and not self.own.get(name) and name.startswith(read(SLOT_FOLDER + "/only").strip()) and (
            name in self.in_slot or self.block_file.keys() & reached(self.module[name],
                                                                     lambda m: self.below(self.block.get(m, m))))
        return f"{SLOT_FOLDER + '/models' if moved else MODELS}/{name}"


class Sources:
    """C files and what they include."""

    def __init__(self, found, models):
        self.models, self.files = models, [f for f in found
                                           if re.match(rf"(tb|sim|sw|build/systems{OF_PORTS})/.*\.[ch]$", f)]
        self.exists, self.called, self.members, self.include, self.runs, self.lanes, self.rules = (
            set(self.files), {}, {}, {}, {}, {}, [])
        for file in self.files:
            text = read(file)
            self.include[file] = sorted(re.findall(r'^\s*#\s*include\s*"([^"]*)"', text, re.M))
            self.runs[file], self.lanes[file] = (re.findall(rf'^{word}\("([^"]*)"\)', text, re.M)
                                                 for word in ("RUNS", "LANES"))
            self.called.setdefault(os.path.basename(file), []).append(file)
            if file.endswith(".c") and not PROGRAMS.match(file):
                self.members.setdefault(self.folder(file), []).append(file)

    def folder(self, file):
        part = file.split("/")
        if SINGLE.match(file) or len(part) < 3 or part[0] not in ("sim", "sw", "tb"): return ""
        return "/".join(part[:2] if part[0] == "sw" or part[1] in ("core", "bin") or len(part) < 4 else part[:3])

    @functools.cache
    def named(self, file):
        """Models and files that the include lines of a file name; a file in the same folder, or from the root, or the
        first of that name."""
        models, files = [], []
        for what in self.include[file]:
            here, name = f"{os.path.dirname(file)}/{what}", what.removesuffix(".h")
            if name in self.models.module and name != what and here not in self.exists: models.append(name)
            else:
                near = [f for f in (here, what) if f in self.exists] or [
                    f for f in self.called.get(os.path.basename(what), ()) if f.endswith("/" + what)]
                files += near[:1]
        return models, files

    def companions(self, file):
        """The C files of headers that it includes, which are linked one by one."""
        return [c for h in self.named(file)[1] if SINGLE.match(h) and not os.path.basename(h).startswith("test_")
                for c in [stem(h) + ".c"] if c in self.exists]

    @functools.cache
    def parts(self, file):
        """What else a program with this file has: folders of libraries, files."""
        models, files = self.named(file)
        folders = {"" if PROGRAMS.match(file) else self.folder(file), "sim/core" if models else ""} - {""}
        return folders, {*files, *self.companions(file), *(m for f in folders for m in self.members.get(f, ()))}

    def place(self, needs):
        return "$(BUILT)" if not SLOT_FOLDER or needs else "$(SHARED)"

    @functools.cache
    def object(self, file):
        """The object of a C file, behind the headers of models that the file includes, directly or not."""
        models = {m for f in reached(file, lambda f: set(self.named(f)[1])) for m in self.named(f)[0]}
        headers = [f"{self.models.folder(m)}/{m}.h" for m in sorted(models)]
        path = f"{self.place(any(h.startswith(SLOT_FOLDER) for h in headers))}/obj/{stem(file)}.o"
        if headers: self.rules.append(f"{path}: | {' '.join(headers)}")
        return path

    @functools.cache
    def library(self, folder):
        objects = [self.object(f) for f in self.members.get(folder, ())]
        path = f"{self.place(any('$(BUILT)' in o for o in objects))}/lib/{folder}.a"
        self.rules.append(" ".join([path + ":", *objects]))
        return path

    def program(self, out, file):
        """The rules of a program; its models."""
        seen = sorted(reached(file, lambda f: self.parts(f)[1]))
        objects = sorted({file, *(c for f in seen for c in self.companions(f))})
        folders, models = (sorted({d for f in seen for d in self.parts(f)[0]}),
                           sorted({m for f in seen for m in self.named(f)[0]}))
        text = "".join(" " + part for part in [*map(self.object, objects), *map(self.library, folders)])
        fast, full = ("".join(f" {self.models.folder(m)}{of(m)}/lib{m}.a" for m in models) for of in (
            lambda m: "/lanes" * (m in self.lanes[file]), lambda m: "/full"))
        self.rules.append(f"$(BUILT)/{out}:{text}{full if 'tb/full_models.h' in seen else fast}")
        if re.match("(sim/bin|build/systems)/", file): self.rules.append(f"needs_{out} :={text}{fast}")
        self.rules.append(f"$(BUILT)/full/{out}:{text}{full}")
        if self.runs[file]:
            self.rules.append(f"$(BUILT)/{out} $(BUILT)/full/{out}: |"
                              + "".join(f" $(BUILT)/{program}" for program in self.runs[file]))
        return models


def rules():
    if os.path.exists("sim/bin/systems"): put_systems()
    found = find("rtl", "tb", "sim", "sw", "build/systems", *[PORTS] * bool(PORTS))
    models = Models(found)
    sources, used, long, lists = Sources(found, models), set(), set(), {
        "TESTS": [], "TOOL_PROGRAMS": [], "SIM_PROGRAMS": []}
    for file in (f for f in sources.files if f.endswith(".c")):
        out = stem(file)
        if re.match(r"tb/(.*/)?test_[^/]*$", file): lists["TESTS"].append(out)
        elif PROGRAMS.match(file) and (file.count("/") == 2 or file.startswith(PORTS or " ")):
            lists["TOOL_PROGRAMS" if file.startswith("sw") else "SIM_PROGRAMS"].append(out := named(file))
        elif not re.match(r"tb/(.*/)?long_[^/]*$", file): continue
        its = sources.program(out, file)
        used.update(its)
        if not re.match(r"tb/(unit|contract)/(.*/)?test_", file): long.update(its)
    yield from sources.rules
    for path, of in models.planted.items():
        yield f"{path}: {of} scripts/plant.sh\n\t$(Q)mkdir -p $(@D) && scripts/plant.sh $< $@"
    for title, names in lists.items(): yield " ".join([title + " :=", *names])
    kept = [name for name in models.module if name in used]
    for name in kept:
        at, file, own, optimize = (models.folder(name), models.file[name], models.own.get(name, ""),
                                   "-O2" if name in long else "-O1")
        steps = " ".join([at + "/bound"] + [f"{at}/{kind}lib{name}.a"
                                            for kind in ("", "full/", "lanes/", "training/", "guided/")])
        module, parameters, beside = f"{name} {models.module[name]}", models.parameters[name], stem(file)
        if own: yield f"{steps}: BLOCKS :={own}"
        elif not at.startswith(MODELS):
            yield " ".join([f"{steps}: BLOCKS :=", *(f"{v}={m}" for v, m, _ in models.filled)])
            yield " ".join([f"{steps}: BLOCK_FILES :=", *models.block_file.values()])
        yield f"{steps}: OPTIMIZE := {optimize}"
        yield f"{steps}: MODEL := {module} {file}{parameters}"
        yield f"{at}/bound: {file} $(wildcard {beside}.vlt {beside}.probes {beside}.f) {at}/config"
        yield f"{at}/lib{name}.a {at}/full/lib{name}.a: {at}/bound"
        yield f"{at}/lanes/lib{name}.a: {at}/lib{name}.a"
        yield f"{at}/config: CONFIG := {module}{parameters}{own} {optimize}"
        yield f"{at}/{name}.h: {at}/bound ;"
        yield f"-include {at}/{name}.d"
    yield " ".join(["MODEL_FOLDERS :=", *map(models.folder, kept)])


def unchanged(path, key):
    """Whether nothing that was read has changed since."""
    try:
        kept, files = os.stat(path + ".key").st_mtime_ns, [__file__, SLOTS] + [
            f"{SLOT_FOLDER}/{name}" for name in ("blocks", "only") if SLOT_FOLDER]
        for root in filter(None, ("rtl", "tb", "sim", "sw", PORTS)):
            for at, _, names in os.walk(root, followlinks=True): files += [at, *(f"{at}/{name}" for name in names)]
        return os.path.exists(path) and read(path + ".key") == key and all(os.stat(f).st_ctime_ns <= kept
                                                                           for f in files)
    except OSError: return False


def main(arguments):
    if arguments[:1] != ["--into"]: return print("\n".join(rules()))
    path, key = arguments[1], f"folders: {SLOT_FOLDER} {PORTS} {MODELS}\n"
    if unchanged(path, key): return
    began, part = time.time() - 1, f".{os.getpid()}"
    for name, text in ((path, "\n".join(rules()) + "\n"), (path + ".key", key)):
        write(name + part, text)
        os.utime(name + part, (began, began))
        os.rename(name + part, name)
