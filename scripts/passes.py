#!/usr/bin/env python3
"""Passes over the C++ that Verilator printed for a model: they make it faster, with the same results to the bit.

    scripts/passes.py NAME FOLDER PASS...

changes FOLDER/VNAME*.cpp and .h by each pass, scripts/PASS.py, whose function `change` is called with what printed.py
has read (with SLOW = True: with the functions that run once, too). PASS:OUT is a pass that writes the file OUT:
`change` is called with OUT.

A pass that does not recognise what it reads changes nothing and says so, once in each build: a file in the folder
$PASSES_SAID holds what $PASSES_BUILD was then. $VERILATOR_IS is the version for the message. The exit status is 0:
models without a pass do the same, slower.

    scripts/passes.py --not-compiled PASS NAME

says the same of a pass that writes what the compiler refuses (model.py).
"""
import fcntl
import importlib
import os
import sys

import printed
from common import stop


def said(name):
    """Whether this build has printed it before; from now on it has."""
    folder, build = os.environ.get('PASSES_SAID'), os.environ.get('PASSES_BUILD', '')
    if not folder:
        return False
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), 'a+') as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            f.seek(0)
            before = f.read()
            f.truncate(0)
            f.write(build)
            return before == build
    except OSError:
        return False


def says(name, model, why):
    if not said(name):
        version = os.environ.get('VERILATOR_IS', 'this version')
        print(f'{name}: not with Verilator {version} ({model}: {why}); runs without, slower', file=sys.stderr)


def run(name, folder, passes):
    for p in passes:
        p, *out = p.split(':', 1)
        try:
            module = importlib.import_module(p)
        except ImportError:
            stop(f'passes: {p}: expected a pass, scripts/NAME.py', 2)
        try:
            model = printed.Model(name, folder, getattr(module, 'SLOW', False))
            module.change(model, *out)
            model.write()
        except printed.Unknown as e:
            says(p, name, e)


def main(arguments):
    sys.setrecursionlimit(100000)
    if arguments[0] == '--not-compiled':
        says(arguments[1], arguments[2], 'what it writes does not compile')
    else:
        run(arguments[0], arguments[1], arguments[2:])
