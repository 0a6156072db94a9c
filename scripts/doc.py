#!/usr/bin/env python3
"""Runs a command that measures, and writes what it prints into the texts.

    scripts/doc.py GOAL COMMAND...        make figures DOC=1: GOAL is "make figures"

A text (.md, or a file `seconds`) has a place for it between two lines:

    <!-- GOAL -->                         the whole table, or
    <!-- GOAL: NAME ... -->               its head and the rows whose first word is one of the NAMEs

    <!-- end -->

Between them stands then, as a fenced block, what the command printed, and below it commit and tools. Nothing is written
if the command fails (its exit code is that of this script), if a NAME is no row, or if no text has a place for it. Run
in the root of the repository. """
import os
import re
import subprocess

from common import stop


def texts():
    for folder, folders, files in os.walk("."):
        folders[:] = [f for f in folders if not f.startswith(".") and os.path.join(folder, f) != "./build"]
        yield from (os.path.join(folder, f)[2:] for f in files if f.endswith(".md") or f == "seconds")


def version(command, pattern):
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(pattern, said)
    return found and found.group(0)


def measured_by():
    tools = (version([os.environ.get("VERILATOR", "verilator"), "--version"], r"Verilator [0-9.]+"),
             version([*os.environ.get("YOSYS", "yosys").split(), "-V"], r"Yosys [0-9.]+"))
    commit = version(["git", "describe", "--always", "--dirty", "--tags"], r"\S+")
    return ", ".join(t for t in (commit and "commit " + commit, *tools) if t)


def block(place, rows, names):
    names = set(names)
    chosen = [row for i, row in enumerate(rows) if not names or i == 0 or row.split(" ")[0] in names]
    missing = names - {row.split(" ")[0] for row in rows}
    if missing:
        stop(f"{place}: no row {' '.join(sorted(missing))}; expected rows that the command prints")
    return "\n".join(["```"] + chosen + ["```", "", f"Measured at {measured_by()}."])


def main(arguments):
    goal, *command = arguments
    opening = re.compile(rf"(<!-- {re.escape(goal)}(?::\s([^>]*))? -->\n).*?(\n<!-- end -->)", re.S)
    found = {path: text for path in texts() for text in [open(path, encoding="utf-8").read()] if opening.search(text)}
    if not found:
        stop(f"{goal}: no text has a place <!-- {goal} --> .. <!-- end -->")
    rows = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            print(line, end="", flush=True)
            rows.append(line.rstrip())
    if run.returncode:
        return run.returncode
    if rows and re.match(r"[A-Za-z ]+: ", rows[-1]):  # the verdict
        rows.pop()
    written = {}
    for path, text in sorted(found.items()):
        written[path] = opening.sub(lambda m: m.group(1) + block(path, rows, (m.group(2) or "").split()) + m.group(3),
                                    text)
    for path, text in written.items():
        with open(path + ".part", "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(path + ".part", path)
        print(f"written into {path}")
