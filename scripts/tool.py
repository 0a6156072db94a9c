#!/usr/bin/env python3
"""Runs Python scripts of this folder one after the other in one process, whose start takes longer than most of them do.

    python3 -S scripts/tool.py SCRIPT [ARGUMENT...]          more scripts with their arguments behind a +

calls main() of SCRIPT.py, if it has one, with its arguments, which are in sys.argv, too. A script that is started
itself goes on here (common.py). The indented lines of its manual that call it say what its arguments are: NAME is any
word that does not begin with -, -c and roce themselves, X|Y one of both, [X] one or none, X... one or more, 'X Y' and
COMMAND... anything. Others are refused in one line, with exit code 2. What Python compiles is kept in build/pycache,
whatever PYTHONDONTWRITEBYTECODE says: it is nothing beside the sources. Ends at the first that does not return 0 or
None, with its exit code."""
import os, re, sys

HERE = os.path.dirname(os.path.abspath(__file__))


def pattern(token):
    """A regular expression for a part of a call; each word begins with a NUL."""
    parts, many = token.strip("[]").removesuffix("..."), "..." in token
    if parts in ("COMMAND", "ARGUMENT") or parts[0] == "'": words = r"\0[^\0]*"
    else:
        words = "|".join("".join(r"\0" + re.sub("[A-Z_]+", r"(?!-)[^\\0]*", re.escape(w)) for w in part.split())
                         for part in parts.split("|"))
    return f"(?:{words})" + ("*" if many else "?") * (token[0] == "[") + "+" * (many and token[0] != "[")


def check(script, given):
    """Ends with exit code 2 if no call in the manual of a script is such."""
    try:
        with open(f"{HERE}/{script}.py", encoding="utf-8") as f: manual = f.read().split('"""')[1]
    except (OSError, IndexError): manual = ""
    before, call = r"^ {4,}(?:(?:\S.*?)?(?:tool\.py |scripts/|\.\.\. ))?", r"(?:\.py)?((?: [^\s>]\S*)*)(?=  | >|$)"
    calls = re.findall(before + script + call, manual, re.M)
    text = "".join("\0" + word for word in given)
    if any(re.fullmatch("".join(map(pattern, re.findall(r"\[.*?\]|'.*?'|\S+", call))), text) for call in calls): return
    print(f"usage: {' | '.join(script + call for call in calls)}; not: {' '.join([script, *given])}" if calls else
          f"{script or 'tool.py'}: expected a script of scripts/ that can be started; see scripts/README.md",
          file=sys.stderr)
    sys.exit(2)


def show_failure(kind, error, trace):
    """A file that cannot be opened takes a line; exit code 2 if an argument names it."""
    if not issubclass(kind, OSError): return sys.__excepthook__(kind, error, trace)
    print(f"{error.filename or sys.argv[0]}: {error.strerror}", file=sys.stderr)
    if any(word and str(error.filename).startswith(word) for word in sys.argv[1:]): sys.exit(2)


if __name__ == "__main__":
    sys.dont_write_bytecode, sys.pycache_prefix, sys.excepthook = False, "build/pycache", show_failure
    arguments = sys.argv[1:] or [""]
    while arguments:
        end = arguments.index("+") if "+" in arguments else len(arguments)
        name, *given = sys.argv = arguments[:end] or [""]
        check(name, given)
        code = getattr(__import__(name), "main", lambda given: 0)(given)
        if code: sys.exit(code)
        arguments = arguments[end + 1:]
