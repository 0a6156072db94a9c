#!/usr/bin/env python3
"""A wire, reg, integer, genvar or localparam of a module is declared above its first use (lint.py).

    scripts/declared.py FILE.v...

A name that is not declared yet stands for an implicit net (IEEE 1364-2005 4.5). Of the front ends of make lint only
Icarus 13 refuses it."""
import re

import common  # noqa: F401: goes on in tool.py

DECLARATION = re.compile(r"\b(?:wire|reg|integer|genvar|localparam)\b(?:\s|signed\b|\[[^\]]*\])*([^;]*);")
LOCAL = re.compile(r"\b(?:input|reg|integer)\b(?:\s|reg\b|signed\b|\[[^\]]*\])*([^;)]*)")


def blank(pattern, text):
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def without_comments(text):
    """Comments and strings are blank, each character in its place."""
    return blank(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', text)


def names(text):
    """Of `a = f(b, c), d [0:3]`: a and d."""
    depth, found = 0, []
    for word in re.findall(r"[\w$]+|\S", "," + text):
        if word == "," and depth == 0: found.append(None)
        elif found[-1] is None: found[-1] = word
        depth += (word in "([{") - (word in ")]}")
    return [name for name in found if name]


def late(text):
    """(name, where it is used first, where it is declared) for each declaration below a use."""
    text = without_comments(text)
    # its arguments and own names are not the module's
    for function in re.finditer(r"\b(function|task)\b.*?\bend\1\b", text, re.S):
        own = {name for m in LOCAL.finditer(function[0]) for name in names(re.sub(r"\binput\b|\[[^\]]*\]", " ", m[1]))}
        body = re.sub(r"[A-Za-z_]\w*", lambda m: " " * len(m[0]) if m[0] in own or m[0] in ("reg", "integer") else m[0],
                      function[0])
        text = text[:function.start()] + body + text[function.end():]
    for module in re.finditer(r"\bmodule\b.*?\)\s*;(.*?)\bendmodule\b", text, re.S):
        body, declared = module[1], {}
        for m in DECLARATION.finditer(body):
            for name in names(m[1]): declared.setdefault(name, m.start())
        for name, at in declared.items():
            use = re.search(rf"(?<![\w.$`]){re.escape(name)}(?!\w)", body[:at])
            if use: yield name, module.start(1) + use.start(), module.start(1) + at


def main(arguments):
    bad = 0
    for path in arguments:
        source = open(path, encoding="latin-1").read()
        for name, use, declaration in sorted(late(source), key=lambda found: found[1]):
            lines = [source.count("\n", 0, at) + 1 for at in (use, declaration)]
            print(f"{path}:{lines[0]}: {name} is used above its declaration in line {lines[1]}")
            bad = 1
    return bad
