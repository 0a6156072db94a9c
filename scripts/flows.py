"""Draws what each sender got in two runs, before and after, as bars (SVG): of the tables "payload [MiB/s] of each flow"
that `make sim SCENARIO=...` prints, the sums of their rows. Of a run with several sizes the last table counts.

    make sim SCENARIO=n-to-one > before; make sim SCENARIO=n-to-one OUTPUT_SCHEDULER=mine RTL=... > after
    python3 -S scripts/tool.py flows before after > flows.svg"""
import os, re

from common import read, stop


def sums(file):
    rows = re.findall(r"^ *(\d+) .*?(\S+)$",
                      "".join(re.findall(r"^payload \[MiB/s\] of each flow.*\n((?:(?! *sum ).*\n)*)", read(file),
                                         re.M)), re.M)
    return {int(sender): float(value) for sender, value in rows if value != "-"}


def main(arguments):
    def box(x, y, width, height, colour):
        print(f'<rect x="{x}" y="{y:.1f}" width="{width}" height="{height:.1f}" fill="{colour}"/>')
    def text(x, y, what, more=""): print(f'<text x="{x}" y="{y:.1f}"{more}>{what}</text>')
    runs = [sums(file) for file in arguments]
    most = max((value for run in runs for value in run.values()), default=0)
    if len(runs) != 2 or not most: stop("flows: expected two files with tables of flows")
    nodes, base, left, colours = max(sender for run in runs for sender in run) + 1, 250, 60, ("#a9b8c9", "#2f6db3")
    width = left + nodes * 80 + 20
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 300" font-family="Helvetica, Arial, '
          f'sans-serif" font-size="12">')
    box(0, 0, width, 300, "#ffffff")
    text(left, 22, "payload that each sender got through [MiB/s]", ' font-weight="bold"')
    for i, file in enumerate(arguments):
        box(left + 430 + 100 * i, 12, 12, 12, colours[i])
        text(left + 448 + 100 * i, 22, os.path.basename(file))
    for n in range(nodes):
        for i, run in enumerate(runs):
            if not run.get(n): continue
            x, y = left + n * 80 + i * 34, run[n] * 200 / most
            box(x, base - y, 32, y, colours[i])
            text(x + 16, base - y - 4, f"{run[n]:.1f}", ' text-anchor="middle" font-size="10"')
        text(left + n * 80 + 33, base + 18, f"host {n}", ' text-anchor="middle"')
    print(f'<line x1="{left - 6}" y1="{base}" x2="{left + nodes * 80}" y2="{base}" stroke="#333"/>\n</svg>')
