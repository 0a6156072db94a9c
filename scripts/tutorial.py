"""Runs the tutorial as it is written: every command of scripts/tutorial.md, in order, from the clone on.

    [NICXBAR=where to clone from] python3 -S scripts/tool.py tutorial FOLDER     in this folder, which is made
    ... tutorial --check FOLDER     nothing is built: make only says whether it would do it

A block ```sh is what the user types. A block without a language behind it is what he sees: each line of it must come in
that order, however many spaces it has; ... stands for anything. If "make: ***" is in it, the commands must fail, else
they must not. Default for NICXBAR is this tree."""
import os, re

from common import read, run, write

# With --check: what the commands are then.
CHECKED = r"""git() { mkdir nicxbar && (cd "$NICXBAR" && cp -rp Makefile scripts rtl sim sw tb "$OLDPWD/nicxbar"); }
python3() { :; }
make() { command make -q NO_INSTALL=1 "$@" >/dev/null || [ $? = 1 ]; }
"""


def one_space(text): return " ".join(text.split())


def missing(wanted, said):
    """The first line of what is wanted that does not come in its place."""
    lines = map(one_space, said.splitlines())
    for want in filter(None, map(one_space, wanted.splitlines())):
        pattern = re.compile(".*".join(re.escape(part.strip()) for part in want.split("...")))
        if not any(map(pattern.search, lines)): return want


def fail(text):
    print(text)
    return 1


def main(arguments):
    check, folder = arguments[:-1] == ["--check"], os.path.abspath(arguments[-1])
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.environ.setdefault("NICXBAR", here)
    if os.path.exists(folder): return fail(f"tutorial: {arguments[-1]}: expected a folder that is not there yet")
    steps = re.findall(r"^```sh\n(.*?)^```$(?:(?:(?!^```sh$).)*?^```\n(.*?)^```$)?",
                       read(here + "/scripts/tutorial.md"), re.M | re.S)
    if not steps: return fail("tutorial: no commands in scripts/tutorial.md")
    for name in ("said", "work"): os.makedirs(f"{folder}/{name}")
    os.chdir(folder + "/work")
    for n, (commands, wanted) in enumerate(steps, 1):
        said, first = f"{folder}/said/{n}", commands.partition("\n")[0]
        if not check: print("".join("    " + line for line in commands.splitlines(True)), end="")
        write(said + ".sh", CHECKED * check + f"set -e\n{commands}pwd >{said}.cwd\n")
        code = run(said + ".log", "sh", said + ".sh",
                   **dict.fromkeys(("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")))
        text = read(said + ".log")
        if bool(code) != (not check and bool(re.search(r"^make: \*\*\*", wanted, re.M))):
            return fail("\n".join([*text.splitlines()[-20:],
                                   f"tutorial: the commands above ended with {code}: {first}"]))
        if os.path.exists(said + ".cwd"): os.chdir(read(said + ".cwd").strip())
        line = None if check else missing(wanted, text)
        if line: return fail("\n".join([f"tutorial: {first}: expected the line: {line}", *text.splitlines()[-30:]]))
    print(f"tutorial: {len(steps)} steps{' checked' * check}, as they are written")
