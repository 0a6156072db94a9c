#!/usr/bin/env python3
"""Checks every make command of the READMEs and make's help: build/nicxbar reads goals and variables, nothing is built.

    scripts/commands.py [--list] [FILE...]      default: all .md files of the tree, and make's help; --list only prints
                                                them

A command is a code span that begins with make, or stands in an indented or fenced block: at the start of a line, behind
"$ " or behind two spaces; it ends at two spaces or one of # > ; & ( ). In a table `... X=1` continues the last command
of its file; a span of variables alone continues that of its row, or of a table whose head is `make sim ...`. ... is
left out. Of [X=a|b] X=a is taken. A goal without variables must only be one. Values that stand for something of the
reader's (old.json, disk.img, /some/file, X=...) are replaced."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import common  # noqa: F401: goes on in tool.py

STANDS_FOR = {"NODES": "8", "TEST": "tb/unit/voq", "NIC": "default", "LINKS": "2", "SLOT": "output_scheduler",
              "NAME": "mine", "MODULE": "mine", "BLOCK": "mine"}
ALONE = {"run": " PROGRAM=pingpong", "block": " NAME=mine", "contract": " SLOT=output_scheduler",
         "compare": " SLOT=output_scheduler",
         "disk": " IMAGE=@/disk.img"}  # goals that are only named; @: a folder of this run
WORD = re.compile(r"((?:'[^']*'|[^ >#;&()'])*)([ >#;&()])")


def sample(name, value):
    """What a value that is only a name for one stands for; "": the variable is left out."""
    if name == "BASE" and re.fullmatch("commit|[0-9a-f]+", value):
        return "HEAD"
    if value == "..." or name == "OUT":
        return WORK if value != "..." else STANDS_FOR.get(name, "")
    return {"n": "2", "old.json": f"{WORK}/old.json", "disk.img": f"{WORK}/disk.img",
            "/path/mine.c": "sw/programs/pingpong.c", "/some/file": "LICENSE"}.get(value, value)


def words(text, only_variables=False):
    """Those of a command up to where it ends; what is in quotes stays together. With only_variables none if another
    word is among them."""
    out, at, text = "", 0, text + " "
    while at < len(text):
        found = WORD.match(text, at)
        if not found:  # a quote that is not closed
            return ""
        at, word = found.end(), re.sub(r"('[^']*')|[][]", r"\1", found[1])
        variable = re.match("([A-Z][A-Z0-9_]*)=(.*)", word)
        if variable:
            value = sample(variable[1], variable[2] if "'" in word else variable[2].split("|")[0])
            out += f" {variable[1]}={value}" if value else ""
        elif word not in ("", "..."):
            if only_variables:
                return ""
            out += " " + word
        if found[2] != " " or text[at:at + 1] == " ":
            break
    return out


class Text:
    """The commands of one file."""

    def __init__(self, path, is_help):
        self.path, self.commands, self.last, self.table, self.held, self.paragraph = path, [], "", "", "", ""
        self.line, self.in_row, fenced = 0, False, False
        with open(path, encoding="latin-1") as f:
            lines = f.read().split("\n")
        for number, line in enumerate(lines, 1):
            if line[:1] == "|":
                self.flush()
            self.line = self.line if self.paragraph else number
            if is_help:
                self.block(line)
            elif re.match(" *```", line):
                self.flush()
                fenced = not fenced
            elif fenced or line.startswith("    ") and not self.paragraph:
                self.block(line)
            elif not line.strip(" "):
                self.flush()
                self.table = ""
            elif line[0] == "|":
                self.in_row = True
                self.spans(line)
            else:
                self.paragraph += " " + line
        self.flush()

    def flush(self):
        self.in_row = False
        if self.paragraph:
            self.spans(self.paragraph)
        self.paragraph = ""

    def show(self, text):
        if re.search(" [a-z]", text):
            text = text.removeprefix(" ")
            self.commands.append((f"{self.path}:{self.line}:", f"make {text}{ALONE.get(text, '').replace('@', WORK)}"))

    def take(self, text):
        self.last = words(text)
        self.show(self.last)

    def block(self, text):
        """In a block commands stand at the start, behind "$ ", behind && and behind two spaces."""
        text = self.held + text.lstrip(" $")
        self.held = ""
        if text.endswith("\\"):
            self.held = text[:-1].rstrip(" ") + " "
            return
        for found in re.finditer("(?:  |&& |; )make (?=[a-zA-Z-])", "  " + text):
            self.take(("  " + text)[found.end():])

    def spans(self, text):
        own = self.table if re.match(r"\| *`[A-Z][A-Z_]*=", text) else ""
        for part in text.split("`")[1::2]:
            variables = words(part, True)
            if re.match("make ([a-z-]|[A-Z]+=)", part):
                self.take(part[5:])
                own = self.last
                if self.in_row and part.endswith(" ..."):
                    self.table = self.last
                if "&& make " in part:
                    self.take(part.split("&& make ", 1)[1])
            elif re.match(r"\.\.\. [A-Z]", part) and self.in_row:
                own = self.last + words(part[4:], True)
                self.show(own)
            elif re.match("[A-Z][A-Z_]*=", part) and self.in_row and own and variables:  # given anew behind the command
                kept = [w for w in own.split() if "=" not in w or f" {w.split('=')[0]}=" not in " " + part]
                self.show("".join(" " + w for w in kept) + variables)


os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/..")
for variable in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
    os.environ.pop(variable, None)
arguments = sys.argv[1:]
only_list = arguments[:1] == ["--list"]
with tempfile.TemporaryDirectory() as WORK:
    helps = f"{WORK}/help"
    with open(helps, "w", encoding="latin-1") as f:
        for goal in ("help", "help-all"):
            subprocess.run(["scripts/launcher.sh", goal], stdout=f, check=True)
            f.seek(0, 2)
    with open(f"{WORK}/disk.img", "wb") as f:
        f.write(bytes(512))
    with open("sim/observe/cycles/cycles_names.h", encoding="utf-8") as f, \
            open(f"{WORK}/old.json", "w", encoding="utf-8") as old:
        old.write('"%s"\n' % re.search('^.define CYCLES_FORMAT "(.*)"', f.read(), re.M)[1])
    texts = sorted(p for p in glob.glob("**/*.md", recursive=True, include_hidden=True) if not p.startswith("build/"))
    shown = [command for path in arguments[only_list:] or [*texts, helps]
             for command in Text(path, path == helps).commands]
    if only_list:
        print("\n".join(" ".join(command) for command in shown))
        sys.exit()
    once = {command: place for place, command in reversed(shown)}
    asked = "".join(f"{place} {command}\n" for place, command in shown if once[command] == place)
    if subprocess.run(["scripts/launcher.sh", "commands"], input=asked, encoding="latin-1", check=False).returncode:
        sys.exit(1)
    print(f"commands: {len(once)} are as make expects them")
