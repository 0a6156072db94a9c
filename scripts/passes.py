#!/usr/bin/env python3
"""Passes over the C++ that Verilator printed for a model: they make it faster, with the same results to the bit.

    python3 scripts/passes.py NAME FOLDER PASS...

changes FOLDER/VNAME*.cpp and .h by each pass, scripts/PASS.py, whose function `change` is called with what printed.py has read. A pass that
does not recognise what it reads changes nothing and says so, once in each build: $PASSES_SAID is a folder with a file for each pass that has
said so. $VERILATOR_IS is the version for the message. Exit status 0 all the same: models without a pass do the same, slower.
"""
import importlib
import os
import sys

import printed


def says(name, what, why):
    folder = os.environ.get('PASSES_SAID')
    try:
        if folder:
            os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    except OSError:
        pass
    version = os.environ.get('VERILATOR_IS', 'this version')
    print(f'{name}: not with Verilator {version} ({what}: {why}); runs without, slower', file=sys.stderr)


def run(name, folder, passes):
    for p in passes:
        try:
            model = printed.Model(name, folder)
            importlib.import_module(p).change(model)
            model.write()
        except printed.Unknown as e:
            says(p, name, e)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit('usage: passes.py NAME FOLDER PASS...')
    sys.setrecursionlimit(100000)
    run(sys.argv[1], sys.argv[2], sys.argv[3:])
