"""Draws what each sender got in two runs, before and after, as bars (SVG): of the tables "payload [MiB/s] of each flow" that
`make sim SCENARIO=...` prints, the sums of their rows. Of a run with several sizes the last table counts.

    make sim SCENARIO=n-to-one > before; make sim SCENARIO=n-to-one OUTPUT_SCHEDULER=mine RTL=... > after
    python3 -S scripts/tool.py flows BEFORE AFTER > flows.svg"""
import os, re

from common import read, stop
from picture import COLOURS, Panel, picture


def sums(file):
    rows = re.findall(r"^ *(\d+) .*?(\S+)$", "".join(re.findall(r"^payload \[MiB/s\] of each flow.*\n((?:(?! *sum ).*\n)*)", read(file), re.M)), re.M)
    return {int(sender): float(value) for sender, value in rows if value != "-"}


def main(arguments):
    runs = [sums(file) for file in arguments]
    most = max((value for run in runs for value in run.values()), default=0)
    if not most: stop("flows: expected two files with tables of flows", 2)
    hosts, colours = range(max(sender for run in runs for sender in run) + 1), (COLOURS[-1], COLOURS[0])
    panel = Panel(0, 100 + 80 * len(hosts), 320, 1.1 * most, y="MiB/s",
                  names=[(os.path.basename(file), colour, "bar") for file, colour in zip(arguments, colours)])
    panel.bars([(f"host {n}", [[(run.get(n, 0), colour)] for run, colour in zip(runs, colours)]) for n in hosts], 32,
               values=True)
    print(picture("payload that each sender got through", 100 + 80 * len(hosts), 320, panel), end="")
