"""Puts other blocks into slots: prints the folder in which everything that holds one of them is built.

    [RTL='path...'] [ONLY=PREFIX] python3 -S scripts/tool.py slots [VARIABLE=NAME...]
                                           e.g. RTL=~/mine and OUTPUT_SCHEDULER=my_wrr
    ... slots --defaults                   the Verilog macros of the slots, with the default blocks
    ... slots --list                       slots, their contracts and the blocks that ship (make slots)
    ... slots --blocks MODULE              blocks of the slot whose default one is MODULE, that one first: name, file

In Verilog a slot is a macro: `OUTPUT_SCHEDULER #(...) scheduler (...). Its value is a module, the default one unless
the build defines another (slots.vh, included wherever a slot is). NAME is a module. Its file is looked for in RTL
(files, or folders with NAME.v in them), then below rtl/ and tb/. FOLDER/blocks says per line VARIABLE NAME FILE,
FOLDER/search which folders to search for further modules, FOLDER/only where a name of a model has to begin if the
blocks are to be in it (ONLY; empty: any).

Refused, with the reason on stderr: a name that is nowhere, ports or parameters that do not fit (design.py names them),
and a file in RTL that has the name of a module of the tree but fills no slot (whoever instantiates that one would get
either). What Verilator warns of in a block that is new or has changed is shown on stderr, each place once, and stops
nothing."""
import fcntl, glob, os, re, shutil, sys

from common import checksum, find, read, run, stop, write

HERE = os.path.dirname(__file__)


def table():
    """Default modules and parameters of the slots, by their variables."""
    rows = [line.split() for line in read(HERE + "/slots").splitlines() if not line.startswith("#")]
    return {variable: (module, parameters) for variable, module, *parameters in filter(None, rows)}


def modules(module, *folders):
    return find(*folders or ("rtl", "tb"), name=lambda n: n == module + ".v")


def folders_of(*roots):
    """Those that hold Verilog."""
    return sorted({os.path.dirname(f) for f in find(*roots, name=lambda n: n.endswith(".v"))})


def default_of(variable, module):
    return next(iter(modules(module, "rtl")), None) or stop(
        f"{variable}: its default block {module} is not in this tree")


def blocks_of(module):
    """The default block, and modules below rtl/ or tb/ whose name begins with its name and _: name, file."""
    others = find("rtl", "tb", name=lambda n: n.startswith(module + "_") and n.endswith(".v"))
    return [(os.path.basename(f)[:-2], f)
            for f in modules(module, "rtl") + sorted(others, key=lambda f: (os.path.basename(f), f))]


def show_all():
    for variable, (module, _) in table().items():
        default = default_of(variable, module)
        contracts = [f for f in find("rtl", name=lambda n: n.endswith(".md"))
                     if re.search(rf"^### {module}", read(f), re.M)]
        print(f"{variable}: contract in {' '.join(contracts) or 'head of ' + default}")
        for name, path in blocks_of(module):
            what = re.sub(" *[:.(].*", "", re.sub("^// *", "", read(path).partition("\n")[0]))
            print(f"    {name:<28} {what}{' (default)' * (name == module)}")
    print("in a run: make sim VARIABLE=name; checked alone: make contract SLOT=default BLOCK=name\n"
          "side by side: make compare SLOT=default; with a block of one's own: BLOCK=name RTL=path")


def holds(file, module):
    return re.search(rf"^\s*module\s+{module}(?![A-Za-z0-9_])", read(file), re.M)


def file_of(module, rtl):
    for place in rtl:
        found = modules(module, place) if os.path.isdir(place) else [place] * bool(holds(place, module))
        if found: return found[0]
    return next(iter(modules(module)), None)


def report(design, module, file, search, parameters):
    """Reads a block, or says in DESIGN.log what is wrong with it; Verilator's exit code."""
    search = search[::-1]
    return run(design + ".log", HERE + "/report.sh", design, "-Mdir", os.path.dirname(design) + "/report",
               "--default-language", "1364-2005", "-Wno-fatal", "-Wall", "-Wno-DECLFILENAME", "-Wno-ASSIGNDLY",
               "-Wno-TIMESCALEMOD", "-Wno-SYMRSVDWORD", "--no-timing", "+incdir+build/generated",
               *(f"+incdir+{d}" for d in search), *(w for d in search + folders_of("rtl", "tb") for w in ("-y", d)),
               *("-G" + p for p in parameters), "--top-module", module, file)


def check_fit(folder, asked, module, file, size, search):
    """With default parameters, then with others, so that a block of one size only is found out. Only if something has
    changed."""
    variable, name = asked.split("=")
    default, kept, warnings = default_of(variable, module), f"{folder}/fits-{module}", ""
    stamp = checksum(*map(read, (file, default, HERE + "/design.py", HERE + "/report.sh", HERE + "/slots")))
    if read(kept) == stamp: return
    import design
    for parameters in [[], size] if size else [[]]:
        one, other = f"{folder}/default.design", f"{folder}/block.design"
        if report(one, module, default, search, parameters):
            stop(f"{read(one + '.log')}{variable}: its default block {default} cannot be read")
        # a parameter that is not there is refused by name; anything else is the block's own fault
        if report(other, name, file, search, parameters) and report(other, name, file, search, []):
            stop(f"{read(other + '.log')}{asked}: {file} cannot be read")
        warnings += read(other + ".log")
        said = design.differences(design.Design(one), design.Design(other))
        if said:
            stop("".join(f"{asked}: {file}: {s}\n" for s in said)
                 + f"{asked} does not fit into the slot of "
                   f"{module}{parameters and ' with ' + ' '.join(parameters) or ''}")
    # parameters change what a warning says, not where it is; modules of the tree are checked by make lint
    places = {" ".join(w.split()[:2]): w for w in re.findall(r"^%Warning.*\n(?:(?!%).*\n)*", warnings, re.M)[::-1]}
    for place, text in reversed(places.items()):
        if not re.match(r"\S+ (rtl|tb)/", place):
            sys.stderr.write(re.sub(r'.*\.\.\. (For warning|Use "|In instance).*\n', "", text))
    write(kept, stamp)


def fill(asked):
    """The folder of such blocks in their slots, when they fit."""
    slots, only = table(), os.environ.get("ONLY", "")
    rtl = [f for word in os.environ.get("RTL", "").split() for f in sorted(glob.glob(os.path.expanduser(word)))
           or [word]]
    given = " ".join(rtl)
    for place in rtl:
        if not os.path.exists(place): stop(f"RTL={given}: there is no {place}")
    search = [d for r in rtl for d in (folders_of(r) if os.path.isdir(r) else [os.path.dirname(r) or "."])]
    blocks = []
    for word in asked:
        variable, _, name = word.partition("=")
        if variable not in slots: stop(f"{variable} is no slot; there are: {' '.join(slots)} ")
        default_of(variable, slots[variable][0])
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name): stop(f"{word}: expected the name of a Verilog module")
        file = file_of(name, rtl)
        if not file: stop(f"{word}: there is no module {name}{f' in RTL={given}, nor' * bool(rtl)} below rtl/ or tb/; "
                          f"RTL=path says where it is")
        if not holds(file, name): stop(f"{word}: {file} holds no module {name}")
        blocks.append((word, *slots[variable], file))
    files, key = [b[-1] for b in blocks], ".".join(f"{module}-{word.split('=')[1]}" for word, module, *_ in blocks)
    folder = f"build/slots/{(key or 'rtl')[:80]}-{checksum(key, *files, *search, only)}"
    for f in (f"{d}/{name}" for d in search for name in sorted(os.listdir(d)) if name.endswith(".v")):
        other = f not in files and next(iter(modules(os.path.basename(f)[:-2])), None)
        if other and not os.path.samefile(f, other):
            stop(f"RTL={given}: {f} has the name of {other} and fills no slot; expected another name")
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write(folder + "/blocks", "".join(f"{word.replace('=', ' ')} {file}\n" for word, *_, file in blocks))
        for word, module, size, file in blocks: check_fit(folder, word, module, file, size, search)
        shutil.rmtree(folder + "/report", ignore_errors=True)
        write(folder + "/search", " ".join(search) + "\n")
        write(folder + "/only", only + "\n")
    return folder


def main(arguments):
    if arguments == ["--defaults"]:
        for variable, (module, _) in table().items(): print(f"`ifndef {variable}\n`define {variable} {module}\n`endif")
    elif arguments == ["--list"]: show_all()
    elif arguments[:1] == ["--blocks"]:
        if not modules(arguments[1], "rtl"): stop(f"slots: {arguments[1]}: there is no such module below rtl/", 2)
        for block in blocks_of(arguments[1]): print(*block)
    else: print(fill(arguments))
