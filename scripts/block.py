"""Starts a block: a module, its test, and how its waves are arranged, all good from the first minute.

    python3 -S scripts/tool.py block NAME [FOLDER]      a new one: make block NAME=my_filter FOLDER=rtl/switch
    [NAME=...] [MODULE=...] [PARAMETERS='WIDTH=8...'] ... block --from 'FILE.v [FILE or FOLDER...]'
                                        one that somebody else wrote: make block FROM=~/theirs/fifo.v NAME=their_fifo

A new one is FOLDER/NAME.v (default rtl/blocks), tb/unit/NAME/test_NAME.c and .gtkw, out of scripts/block/*.in. FOLDER
is one of those in the table of rtl/README.md. Nothing is registered anywhere: make finds the files.

FROM is copied as it is into tb/unit/NAME, unless it lies below rtl/ or tb/ already; what it uses of its folder and of
others in FROM into tb/unit/NAME/parts, with a file list MODULE.f; files for $readmemh and $fopen in the same folder. A
part that is a block here already, and the same file, is shared. It gets an empty test (it comes out of reset and runs),
waves, MODULE.vlt, in which all that Verilator warns of is waived, rule by rule, and MODULE.probes, for make cycles
(handshakes.py). Then it is built and the test runs; if it fails, nothing is left. NAME is that of the module in small
letters, with the values of PARAMETERS, unless it is given. MODULE says which one of several in FILE; else it is that of
the name of the file, or the only one that no other one uses.

NAME is a type in C and the head of names in C and C++, and that of a module. Refused: what is no such name or means
something in one of the languages; a module, configuration, header or folder that is there; what C knows already behind
the headers that tests include, and macros (the compiler says so)."""
import atexit, collections, filecmp, os, re, shlex, shutil, sys

import block_test, common
from common import TOOL, find, read, run, warn, write

E = os.environ.get
HERE, NEW = os.path.dirname(__file__), "build/block"
MODEL, TOP, COPY, SAYS = NEW + "/model", NEW + "/top", NEW + "/copy", NEW + "/says"
PARAMETERS = E("PARAMETERS", "").split()
LANGUAGES = {"verilog": "Verilog", "systemverilog": "SystemVerilog", "c": "C or C++"}
HEADERS = "ctype errno fcntl inttypes jansson limits math pthread signal stdarg stdio stdlib string strings sys/stat " \
    "sys/types time ucontext unistd"
NO_MAKE = dict.fromkeys(("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "FROM", "NAME", "MODULE", "PARAMETERS"))
left = {NEW}  # removed at the end


def stop(text): common.stop("block: " + text)


def folders(*roots, ending=".v"):
    return sorted({os.path.dirname(f) for f in find(*roots, name=lambda n: n.endswith(ending))})


def of_block(file):
    """Whether a file belongs to a block of another name."""
    stem = file.removesuffix(".v")
    models = os.path.dirname(file) + "/models"
    return "/parts/" in file or os.path.exists(stem + ".probes") and re.search(
        rf"^[^# ]+ {os.path.basename(stem)}( |$)", read(models), re.M)


def check_name(name, file=""):
    """Refuses a bad name; the file may hold the module of this name."""
    def refuse(text): stop(f"NAME={name} {text}; expected another name")

    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        refuse("is no name of a module here: a small letter, then small letters, digits and _")
    if "__" in name or name.endswith("_"):
        refuse("has __ in it, or _ at its end, which Verilator and C++ keep for themselves")
    if len(name) > 32: refuse(f"has {len(name)} characters, at most 32")
    for line in read(HERE + "/words").splitlines():
        language, *words = line.split()
        if name in words and language != "#": refuse("is a word of " + LANGUAGES[language])
    verilog = [f for f in find("rtl", "tb", name=lambda n: n.endswith(".v")) if f != file and not of_block(f)]
    of_models = find("tb", "sim", name=lambda n: n == "models")
    of_c = find("sim", "sw", "tb", "build/generated", name=lambda n: n in (name + ".c", name + ".h"))
    for others, text in (
            ((f for f in verilog if os.path.basename(f) == name + ".v"), "is a module that is there ({})"),
            ((f for f in verilog if re.search(rf"^\s*(module|primitive)\s+{name}(?!\w)", read(f), re.M)),
             "is a module in {}"),
            ((f for f in of_models if re.search(rf"^{name}\s", read(f), re.M)), "is a configuration in {}"),
            (of_c, f"is that of {{}}, and the block's header would be {name}.h, too"),
            ((f for f in ["tb/unit/" + name] if os.path.exists(f)), "is a folder that is there ({})")):
        for other in others: refuse(text.format(other))
    return refuse


def check_c(name, refuse):
    """The test as C sees it, behind all that a test may include."""
    write(NEW + "/all.h", "".join(f"#include <{h}.h>\n" for h in HEADERS.split()))
    quoted = [w for d in folders("sim", "sw", "tb", ending=".h") + [MODEL] for w in ("-iquote", d)]
    if run(SAYS + ".c", *shlex.split(E("CC") or "gcc"), "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-I.", *quoted,
           "-include", NEW + "/all.h", f"{NEW}/test_{name}.c"):
        place = re.search(rf"^([^ :<\n]*:\d*):\d*: note: .*[^a-z]{name}[^a-z]", read(SAYS + ".c"), re.M)
        refuse("means something in C already" + (f" ({place[1]})" if place else ""))


def show_made(test, files):
    """What it has made and lets one do."""
    for file in files: print("block:", file)
    print(f"    make test TEST={test}                         checks it\n"
          f"    make test TEST={test} WAVES=1; make wave      shows it\n"
          f"    make cycles TEST={test}                       clocks busy, stalled, idle of each module in it")


def start_new(name, folder):
    refuse, test = check_name(name), "tb/unit/" + name
    known = ["rtl/" + f for f in re.findall(r"^\| `([a-z_]*)` \|", read("rtl/README.md"), re.M)]
    if folder not in known: stop(f"FOLDER={folder}: expected one of those in rtl/README.md: {' '.join(known)}")
    files = {"stream.v": f"{folder}/{name}.v", "stream_test.c": f"{test}/test_{name}.c",
             "stream.gtkw": f"{test}/test_{name}.gtkw"}
    for source, to in files.items():
        write(f"{NEW}/{os.path.basename(to)}", read(f"{HERE}/block/{source}.in").replace("@NAME@", name))
    if run(SAYS, *TOOL, "model", "bind", MODEL, name, name, f"{NEW}/{name}.v"): common.stop(read(SAYS).rstrip("\n"))
    check_c(name, refuse)
    for to in files.values():
        os.makedirs(os.path.dirname(to), exist_ok=True)
        os.rename(f"{NEW}/{os.path.basename(to)}", to)
    show_made(test, files.values())
    print(f"    make lint; make synth MODULE={name}           Verilog-2005; its size")


def holds(text, module): return re.search(rf"^\s*module\s+(automatic\s+)?{module}(?!\w)", text, re.M)


def tops(text):
    """Modules of a file that no other one in it uses."""
    text = re.sub(r'//[^\n]*|/\*.*?(\*/|\Z)|"[^"\n]*"', " ", text, flags=re.S)
    declared, used, before = [], set(), ""
    for word in re.findall(r"[\w$`\\]+", re.sub(r"end[a-z]+[ \t]*:[ \t]*[\w$]+", "end ", text), re.A):
        if before in ("module", "macromodule") and word != "automatic": declared.append(word)
        else: used.add(word)
        if before != "module" or word != "automatic": before = word
    return [d for d in declared if d not in used]


def below(place, depth):
    """Folders with their files, not those with a name that begins with a point, so many levels deep."""
    for at, inner, files in os.walk(place, followlinks=True):
        inner[:] = sorted(d for d in inner if d[0] != "." and at.count("/") - place.count("/") < depth)
        yield at, [f for f in files if f[0] != "."]


class Foreign:
    """A block that somebody else wrote: `given` is FROM, of which `file` is the file, in the folder `beside`."""

    def __init__(self, given):
        self.given, self.count, self.near, self.packages, self.others = given, 0, [], [], []
        file = path = ""
        os.mkdir(TOP)
        for word in given.split():  # a path may have spaces
            path = os.path.expanduser(path + " " * bool(path) + word)
            if not file and os.path.isfile(path): file, path = path, ""
            elif file and os.path.exists(path): path = self.link(path)
        if not file or not os.access(file, os.R_OK) or path:
            self.stop(f"{'' if path == given else path and path + ': '}no such file, no regular file, or it cannot be "
                      f"read")
        if not file.endswith((".v", ".sv")): self.stop("expected a file of Verilog, *.v or *.sv")
        self.file, self.beside = file, os.path.dirname(file) or "."
        self.module = self.find_module(read(file), os.path.splitext(os.path.basename(file))[0])
        for p in PARAMETERS:
            said = f"PARAMETERS={' '.join(PARAMETERS)}: {p}: expected "
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*=[^=]+", p): stop(said + "NAME=VALUE")
            name, value = p.split("=")
            if not re.fullmatch(r"""[0-9'][0-9a-zA-Z_.'?+-]*|-[0-9.]+|"[A-Za-z0-9_./+-]*\"""", value):
                stop(f'{said}a number, or a string as in {name}="text", without spaces')
        values = re.sub("[^A-Za-z0-9]+", "_",
                        "".join("_" + p.split("=")[1].replace('"', "") for p in PARAMETERS)).removesuffix("_")
        self.name = E("NAME") or (self.module + values).lower()
        self.test, self.inside = "tb/unit/" + self.name, file if re.match("(rtl|tb)/", file) else ""
        if self.inside and self.count: self.stop("what lies below rtl/ or tb/ stays there; expected it alone")

    def stop(self, text): stop(f"FROM={self.given}: {text}")

    def link(self, path):
        self.count += 1
        os.symlink(os.path.realpath(path), f"{TOP}/{self.count}{'' if os.path.isdir(path) else '.v'}")
        return ""

    def find_module(self, text, of_file):
        asked, found = E("MODULE"), tops(text)
        if asked: return asked if holds(text, asked) else self.stop(f"there is no module {asked} in it")
        if re.fullmatch("[A-Za-z0-9_]+", of_file) and holds(text, of_file): return of_file
        if not found: self.stop("each module in it is used by another one, or there is none; expected MODULE=name")
        return found[0] if len(found) == 1 else self.stop(f"which one is meant? MODULE=name, one of {' '.join(found)}")

    def as_given(self, text):
        return text.replace(f"{TOP}/{self.module}.v", self.file).replace(TOP + "/0/", self.beside + "/")

    def write_list(self):
        """The file list: folders that are searched, packages and files that no module's name leads to."""
        lines = [f"// What Verilator reads besides {self.module}.v; paths are those from here."]
        entries = sorted(os.listdir(TOP))
        for entry in (e for e in entries if os.path.isdir(f"{TOP}/{e}")):
            # the folder of FROM itself alone; others with all below
            for at, _ in sorted(below(f"{TOP}/{entry}", 0 if entry == "0" else 4)):
                if " " not in at: lines += [f"+incdir+{at[len(TOP) + 1:]}", f"-y {at[len(TOP) + 1:]}"]
        lines += ["-v " + e for e in entries if re.fullmatch(r"\d\.v", e) and e not in self.packages]
        write(f"{TOP}/{self.module}.f", "\n".join(lines + self.packages + self.others) + "\n")

    def look(self, place, kind, what):
        """A file in a place that has it."""
        files = sorted(f"{at}/{f}" for at, names in below(place, 5) for f in names)
        if kind == "include": return next((f for f in files if f.endswith("/" + what)), "")
        declared = re.compile(rf"^\s*{kind}\s+(automatic\s+)?{re.escape(what)}(?!\w)", re.M)
        found = [f for f in files if f.endswith((".v", ".sv", ".vh", ".svh")) and declared.search(read(f))]
        return ([""] + found[:1] + [f for f in found if f"/{what}." in f])[-1]

    def find_missing(self):
        """Looks for what is missing in the folders of FROM, then near them: such a folder is added to `near`. Whether
        there is something new."""
        new, says = False, read(SAYS)
        # Packages that are used where there is an error: newer versions find them in a folder, but too late.
        source = {f"{TOP}/{self.module}.v", *re.findall(r"^%Error[^:\n]*: ([^:\n]+):\d+:", says, re.M)}
        used = {("used package", name) for f in source for name in re.findall(r"\b([A-Za-z_]\w*)::", read(f))}
        for kind, what in sorted(used | {(kind, w.strip()) for kind, pattern in (
                ("package", r"[Pp]ackage.*'([A-Za-z_][A-Za-z0-9_$]*)'"),
            ("module", "Cannot find file containing module: '(.*)'"),
                ("include", "Cannot find include file: (.*)")) for w in re.findall(pattern, says)}):
            places = [TOP] if kind == "used package" else [TOP, *(os.path.realpath(self.beside + up)
                                                                  for up in ("/..", "/../.."))]
            kind = kind.removeprefix("used ")
            for place in places:
                file = "" if place in ("/", E("HOME"), "/tmp", "/home") or "/." in place else \
                    self.look(place, kind, what)
                if not file: continue
                folder = file.removesuffix("/" + what) if kind == "include" else os.path.dirname(file)
                if place != TOP:  # a folder that FROM does not have
                    if not self.file.startswith("/"): folder = os.path.relpath(folder)
                    if folder not in self.near:
                        self.near.append(folder)
                        self.link(folder)
                        new = True
                    break
                part, of = file[len(TOP) + 1:], self.packages if kind == "package" else self.others
                line = {"package": part, "module": "-v " + part, "include": "+incdir+" + folder[len(TOP) + 1:]}[kind]
                if line not in of:
                    of.insert(0, line)
                    new = True
                break
        return new

    def bind(self):
        """Whether it can be read, and what belongs to it; the files."""
        source = self.inside or f"{TOP}/{self.module}.v"
        if not self.inside:
            os.symlink(os.path.realpath(self.file), source)
            os.symlink(os.path.realpath(self.beside), TOP + "/0")
            self.write_list()
        while run(SAYS, *TOOL, "model", "bind", MODEL, self.name, self.module, source, *PARAMETERS):
            says = self.as_given(read(SAYS))
            missing = sorted(set(re.findall(r"Parameter without [a-z]* value is never given value.*: '(.*)'", says)))
            if missing: self.stop(f"a value is missing; expected PARAMETERS='{' '.join(p + '=...' for p in missing)}'")
            if not self.inside and self.find_missing():
                self.write_list()
                continue
            errors = re.findall(r"^%Error(?!: Exiting|: Command).*\n(?:(?!%Error|%Warning).*\n){0,3}", says, re.M)
            if len(errors) > 10: errors[10:] = [f"... and {len(errors) - 10} more errors\n"]
            sys.stderr.write("".join(errors) or says)
            self.stop("Verilator cannot read it, see above; what it uses is looked for in the folders of FROM, near "
                      "them and below rtl/")
        given = self.file + self.given.removeprefix(self.file)
        if self.near: self.stop(f"it uses what is in other folders; expected FROM='{given} {' '.join(self.near)}'")
        if not read(f"{MODEL}/{self.name}.ports"):
            self.stop(f"{self.module} has no ports, like a bench; expected the module that it tests")

    def copy(self, file, to):
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(file, to)

    def copy_data(self, opened):
        """Files that it reads."""
        for call, place, what in (line.split(" ", 2) for line in opened):
            at, what = self.as_given(place), what.strip()
            if not what: print(f"block: {at}: ${call} of a name that it makes as it runs; such files are looked for "
                               f"in {self.test}")
            elif what[0] == "/":
                if not os.path.exists(what): self.stop(f"{at} reads {what}, which is not there")
            else:
                file = next((f for d in (self.beside, *(f"{TOP}/{e}" for e in sorted(os.listdir(TOP))), ".")
                             for f in [f"{d}/{what}"] if os.path.isfile(f)), None)
                if not file: self.stop(f"{at} reads {what} (${call}); expected a file {self.beside}/{what}")
                if "/../" in "/" + what: self.stop(f"{at} reads {what}; expected a file in its folder")
                if not self.inside: self.copy(file, f"{COPY}/{what}")

    def copy_parts(self, files):
        """The parts, in the folder `parts` under the names by which they are found, and the file list for them."""
        verilog = [f"{d}/{f}" for d in E("VERILOG_DIRS").split() for f in sorted(os.listdir(d))]
        for file in (f for f in files if f.startswith(TOP + "/")):
            part = file[len(TOP) + 1:]
            if part == self.module + ".v":
                self.copy(file, f"{COPY}/{part}")
                continue
            if "../" in part: self.stop(f"it uses {self.as_given(file)}; expected all that it uses in folders of FROM")
            shared = next((f for f in verilog
                           if os.path.basename(f) == os.path.basename(part).removesuffix(".v") + ".v"), None)
            if shared and part not in self.packages and filecmp.cmp(file, shared, False):
                print("block: shares", shared)
                continue
            name = part.partition("/")[2] or part
            to = f"{COPY}/parts/{name}"
            if os.path.exists(to) and not filecmp.cmp(file, to, False):
                self.stop(f"it uses two files {name}; expected one")
            self.copy(file, to)
        if not os.path.isdir(COPY + "/parts"): return
        first, *lines = read(f"{TOP}/{self.module}.f").splitlines()
        parts = sorted(at[len(COPY) + 1:] for at, *_ in os.walk(COPY + "/parts"))
        named = [re.sub(r"^-v (\d*/)*", "parts/", line) for line in lines if line.startswith("-v ")]
        lines = [first, *(w for d in parts for w in ("+incdir+" + d, "-y " + d)),
                 *("-v " + f for f in named if os.path.exists(f"{COPY}/{f}")),
                 *("parts/" + re.sub(r"^\d*/", "", p) for p in self.packages)]
        write(f"{COPY}/{self.module}.f", "\n".join(dict.fromkeys(lines)) + "\n")

    def start(self):
        import design
        name, module, test = self.name, self.module, self.test
        refuse = check_name(name, self.inside)
        self.bind()
        os.mkdir(COPY)
        reported = design.Design(f"{MODEL}/{name}.design")
        self.copy_data(design.opened(reported))
        rules = []
        if not self.inside:
            self.copy_parts([f for f in design.files(reported) if not f.endswith((".vlt", ".f"))])
            rules = sorted(collections.Counter(re.findall(rf"^%Warning-([A-Z0-9]*): {TOP}/", read(SAYS), re.M)).items())
            if rules:
                write(f"{COPY}/{module}.vlt",
                      "// What Verilator warns of in this folder, which was written elsewhere. Without one of the "
                      "lines the build shows it.\n`verilator_config\n"
                      + "".join(f'lint_off -rule {r} -file "*{test}/*" // {n}\n' for r, n in rules))
            write(f"{COPY}/{module}.probes", f"""\
# With this file make cycles counts the modules of {module}, which have no probes: by the handshakes that their ports
# are called after, or by outputs that change. Lines say better: MODULE PROBE [@CLOCK] = EXPRESSION
# (scripts/handshakes.py), such as
# {module} probe_busy = state != 0
""")
        if name != module or PARAMETERS: write(COPY + "/models", " ".join([name, module, *PARAMETERS]) + "\n")
        # ---- its test
        ports = [line.split() for line in read(f"{MODEL}/{name}.ports").splitlines()]
        top = f"{name}_pins" if os.path.exists(f"{MODEL}/{name}_pins.v") else module
        write(f"{NEW}/test_{name}.c", block_test.test(name, module, ports))
        check_c(name, refuse)
        left.add(test)
        shutil.copytree(COPY, test)
        os.rename(f"{NEW}/test_{name}.c", f"{test}/test_{name}.c")
        write(f"{test}/test_{name}.gtkw", block_test.waves(name, top, test, ports))
        # ---- whether it can be built, and runs; a file that it reads may be in the same folder
        while run(SAYS, *shlex.split(E("MAKE") or "make"), "test", "TEST=" + test, f"PLUSARGS={E('PLUSARGS', '')}",
                  **NO_MAKE):
            says = read(SAYS)
            what = re.search(r"\): (.*): \$readmem finds no such file; ", says)
            if not what:
                warn("\n".join([line for line in says.splitlines() if not re.match("  [A-Z]", line)][:20]))
                self.stop("it cannot be built, or its empty test (it comes out of reset and runs) fails, see above; "
                          "nothing is left of it")
            file, to = f"{self.beside}/{what[1]}", f"{test}/{what[1]}"
            if not os.path.isfile(file) or os.path.exists(to):
                self.stop(f"it reads {what[1]} while it runs; expected a file {file}, or PLUSARGS=+NAME=FILE if it "
                          f"asks for another name so")
            self.copy(file, to)
        left.remove(test)
        show_made(test, find(test))
        print("    built, and its empty test has run")
        if rules:
            print(f"    Verilator's warnings are waived in {test}/{module}.vlt: "
                  f"{' '.join(f'{r} {n}' for r, n in rules)}")
        for port, field, *_ in ports:
            if port != field: print(f"    the port {port} is {field} in C")
        for port, drives, reads in re.findall(r"^    assign \\pins_of_(.*) \[0\] = \\(\S*).* \? \\(\S*)",
                                              read(f"{MODEL}/{top}.v"), re.M):
            print(f"    the port {port} is inout: {port}, {reads}, {drives} in C")


def main(arguments):
    os.environ["VERILATOR"], os.environ["PYTHON"] = E("VERILATOR") or "verilator", E("PYTHON") or "python3"
    os.environ["VERILOG_DIRS"] = E("VERILOG_DIRS") or "\n".join(folders("rtl"))
    os.environ["VERILATOR_FLAGS"] = E("VERILATOR_FLAGS") or "--default-language 1364-2005 -Wall +incdir+build/generated"
    atexit.register(lambda: [shutil.rmtree(d, ignore_errors=True) for d in left])
    shutil.rmtree(NEW, ignore_errors=True)
    os.makedirs(NEW)
    if arguments[0] == "--from": Foreign(arguments[1]).start()
    else: start_new(arguments[0], (arguments[1:] or ["rtl/blocks"])[0].removesuffix("/"))
