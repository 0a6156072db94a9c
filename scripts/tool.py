#!/usr/bin/env python3
"""Runs Python scripts of this folder one after the other in one process, whose start takes longer than most of them do.

    python3 -S scripts/tool.py SCRIPT ARGUMENT... [+ SCRIPT ARGUMENT...]

calls main() of SCRIPT.py with its arguments. What Python compiles is kept in build/pycache, whatever
PYTHONDONTWRITEBYTECODE says: it is nothing beside the sources. Ends at the first that does not return 0 or None, with
its exit code.
"""
import sys

sys.dont_write_bytecode, sys.pycache_prefix = False, "build/pycache"
arguments = sys.argv[1:]
while arguments:
    end = arguments.index("+") if "+" in arguments else len(arguments)
    code = __import__(arguments[0]).main(arguments[1:end])
    if code:
        sys.exit(code)
    arguments = arguments[end + 1:]
