#!/usr/bin/env python3
"""Checks the texts (.md): no README has more than 150 lines, and what a text names is there.

    scripts/texts.py [FOLDER]             default: the tree this file is in; part of make lint

Links must lead to a file, and to a heading of it if they name one. A path in a code span that begins with a folder of
the top level must be there, whole or as a beginning (`tb/contract/output_scheduler`); NAME, SLOT and MODULE in it stand
for any. Make commands are checked by scripts/commands.py.
"""
import glob
import os
import re

import common  # noqa: F401: goes on in tool.py

MOST_LINES = 150
TOP = ("rtl", "sim", "sw", "tb", "scripts")


def anchors(path):
    with open(path, encoding="utf-8") as f:
        heads = re.findall(r"^#+ (.*)$", f.read(), re.M)
    return {re.sub(r"[^a-z0-9_ -]", "", head.lower()).replace(" ", "-") for head in heads}


def faults(path, text):
    folder = os.path.dirname(path)
    if os.path.basename(path) == "README.md" and text.count("\n") > MOST_LINES:
        yield f"{text.count(chr(10))} lines; expected {MOST_LINES} at most, and chapters in the same folder"
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
        if "://" in target:
            continue
        to = os.path.normpath(os.path.join(folder, target)) if target else path
        if not os.path.exists(to):
            yield f"({target}): there is no such file"
        elif anchor and anchor not in anchors(to):
            yield f"({target}#{anchor}): {to} has no such heading"
    for name in re.findall(rf"`((?:{'|'.join(TOP)})/[\w./-]+)`", text):
        if not re.search(r"NAME|SLOT|MODULE", name) and not glob.glob(name.rstrip("/") + "*"):
            yield f"`{name}`: there is no such file or folder"


def main(arguments):
    os.chdir(arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    bad = 0
    for path in glob.glob("README.md") + glob.glob(".github/*.md") + sorted(
            p for top in TOP for p in glob.glob(top + "/**/*.md", recursive=True)):
        with open(path, encoding="utf-8") as f:
            for fault in faults(path, f.read()):
                print(f"texts: {path}: {fault}")
                bad = 1
    return bad
