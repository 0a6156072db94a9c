"""Checks the C below sim/, sw/ and tb/ by clang-tidy, and below sim/ and sw/ by cppcheck, against scripts/rules.

    python3 -S scripts/tool.py static [all]

A file whose text, headers, rules and tool are those of an earlier run is not read again: build/static.json has what was
found then. Files that include the header of a model are checked once that is built. The analyzer (rules
clang-analyzer-*) takes ten times as long as all others: it reads files that differ from the last commit but one; with
`all` every file. Ends with 1 if anything was found."""
import glob, hashlib, json, os, re, subprocess

from common import find, progress, read, write

KNOWN, RULES = "build/static.json", "scripts/rules"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
FOUND = re.compile(r"^(?:[^\s:]*/)?((?:sim|sw|tb)/[^:\s]+:\d+)(?::\d+)?: (?:\w+: )?(.*) \[([\w.,-]+)\]$", re.M)
reached = {}


def version(tool):
    try: return subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError: return ""


def texts_of(file, folders):
    """The files that a C file is made of, itself the first, and names of headers that are not there."""
    if file not in reached:
        reached[file] = {file: None}, set()
        texts, missing = reached[file]
        for name in INCLUDE.findall(read(file)):
            places = (os.path.normpath(f"{d}/{name}") for d in (os.path.dirname(file), *folders, "."))
            at = next(filter(os.path.exists, places), None)
            if not at: missing.add(name)
            else:
                more, less = texts_of(at, folders)
                texts.update(more)
                missing |= less
    return reached[file]


def changed():
    """Files that differ from the last commit but one."""
    names = set()
    for command in (["diff", "--name-only", "HEAD~1"], ["ls-files", "-o", "--exclude-standard"]):
        names.update(subprocess.run(["git", *command], capture_output=True, text=True, check=False).stdout.split("\n"))
    return names


def counts(tool, rule, what, wanted):
    """Not what the compiler warns of, which is another one, nor headers of the system that are not there."""
    if tool == "cppcheck": return rule in wanted
    return rule == "clang-diagnostic-error" and "file not found" not in what or rule[:17] != "clang-diagnostic-"


def main(arguments):
    lines = [line.split(None, 2) for line in read(RULES).splitlines() if line and line[0] != "#"]
    rules = {tool: [r for t, r, _ in lines if t == tool] for tool in ("clang-tidy", "cppcheck")}
    files = [f for f in find("sim", "sw", "tb", name=lambda n: n.endswith(".c"))
             if not re.match("tb/unit/runtime/[pt][^/]*/|sw/linux/[^/]*$", f)]  # the kernel's have make linux
    folders = sorted({os.path.dirname(f) for f in find("sw", "tb", name=lambda n: n.endswith(".h"))})
    folders += ["build/generated", *sorted(glob.glob("build/models/*"))]
    flags = ["-std=gnu11", "-I."] + [w for d in folders for w in ("-iquote", d)]
    try: known = json.loads(read(KNOWN) or "{}")
    except ValueError: known = {}
    new, found, waiting, digests = {}, {}, 0, {}

    def digest(file):
        if file not in digests: digests[file] = hashlib.sha256(read(file).encode("utf-8", "surrogateescape")).digest()
        return digests[file]

    def check(kind, tool, wanted, command, chosen):
        """Each file by a command of its own, if it is not known."""
        nonlocal waiting
        said = chosen and version(tool)
        if chosen and not said and kind != "analyzer":
            print(f"lint: no {tool} here (scripts/setup.sh lint installs it): its rules are not checked")
        if not said: return
        for file in chosen:
            texts, missing = texts_of(file, folders)
            if tool == "clang-tidy" and missing:
                waiting += kind == "rules"
                continue
            key = hashlib.sha256(repr((said, wanted, flags[:2])).encode() + b"".join(map(digest, texts))).hexdigest()
            old = known.get(f"{kind} {file}")
            if not old or old[0] != key:
                progress(f"{tool}: {file}")
                text = subprocess.run([*command, file, *(["--", *flags] if tool == "clang-tidy" else [])],
                                      capture_output=True, text=True, errors="surrogateescape", check=False)
                old = [key, sorted({f"{place}: {what} [{rule}]"
                                    for place, what, rule in FOUND.findall(text.stdout + text.stderr)
                                    if counts(tool, rule, what, wanted)})]
            new[f"{kind} {file}"] = old
            for line in old[1]: found[line] = None
        progress("")

    for kind in "rules", "analyzer":
        wanted = ["-*", *(r for r in rules["clang-tidy"] if r.startswith("clang-analyzer-") == (kind == "analyzer"))]
        only = None if kind == "rules" or arguments else changed()
        check(kind, "clang-tidy", wanted,
              ["clang-tidy", "--quiet", "--header-filter=(sim|sw|tb)/", "--checks=" + ",".join(wanted)],
              [f for f in files if only is None or f in only])
    check("cppcheck", "cppcheck", rules["cppcheck"],
          ["cppcheck", "--quiet", "--enable=warning,portability,style", "--std=c11", "--platform=unix64",
           "--max-configs=1", "--template={file}:{line}: {message} [{id}]", "--template-location=", "-I.",
           *("-I" + d for d in folders if d[:6] != "build/" or d == "build/generated")],
          [f for f in files if f[:3] != "tb/"])
    if os.path.isdir("build"): write(KNOWN, json.dumps({**known, **new}))
    for line in found: print(line)
    if waiting: print(f"lint: {waiting} C files wait for the headers of their models (make tests)")
    return int(bool(found))
