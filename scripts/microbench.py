"""Runs the micro-benchmarks and draws what they measured: FOLDER/NAME.svg for each of them in the results.

    python3 -S scripts/tool.py microbench FILE.json FOLDER COMMAND...        nicxbar-sim2 --microbench ..."""
import json, os, re, subprocess

from common import read, write
from picture import COLOURS, Panel, picture, step_of

BLUE, ORANGE, GREEN, _, RED, *_ = COLOURS
# Title, highest y, limits, x, and curves: what the title of one has, the name, colour and mark.
CURVES = {
    "pcix": ("DMA over the bus, from the clocks of each message", 800,
             {762.9: "762.9: 64 bits in each clock of 100 MHz"}, "message [bytes]", (
        ("DMA read; server2004", "read, server2004", BLUE, "line"),
        ("DMA read; server2006", "read, server2006", BLUE, "dashed"),
        ("DMA write; server2004", "write, server2004", RED, "line"),
        ("DMA write; server2006", "write, server2006", RED, "dashed"))),
    "throughput": ("Payload between two NICs on server2004, {links}", 800, {
        762.9: "762.9: the bus, 64 bits in each clock of 100 MHz", 596: "596: the two links of S4",
        298: "298: one link"}, "message [bytes]", (
            ("one way, combined; 4096-byte.*server2004", "one way, combining", BLUE, "line"),
            ("one way, stores; 4096-byte.*server2004", "one way, stores", BLUE, "dashed"),
            ("ping-pong, combined; 4096-byte.*server2004", "ping-pong, combining", RED, "line"),
            ("ping-pong, stores; 4096-byte.*server2004", "ping-pong, stores", RED, "dashed"),
            ("one way, combined; 496-byte.*server2004", "one way, 496-byte packets", GREEN, "line"))),
    "capacity": ("What a conservative estimate of the receiver costs: one way, server2004", 320, {298: "298: one link"},
                 "receiver taken for [link words]", (("4096-byte.*server2004", "4096-byte packets", BLUE, "line"),
                                                     ("496-byte.*server2004", "496-byte packets", GREEN, "line")))}
PARTS = ("send-initiation", "send-NIC, to the read", "send-DMA", "send-NIC, to the link", "transceivers and cable",
         "recv-NIC", "recv-DMA", "both NICs, recv-DMA")
SYSTEMS = [f"({way})\n{system}" for way in "ab" for system in ("S4", "server2004", "server2006")]


def find(curves, words):
    """The points of the first curve whose title has both."""
    return next((points for title, points in curves.items() if all(re.search(p, title) for p in words.split("; "))), [])


def drawn(name, curves, links):
    """A picture of the curves that were measured."""
    if name == "latency":
        parts = [(part, dict(find(curves, f"^{part}")), COLOURS[i]) for i, part in enumerate(PARTS)]
        groups = [(system, [[(values.get(i, 0), colour) for _, values, colour in parts]])
                  for i, system in enumerate(SYSTEMS)]
        most = max(sum(value for value, _ in bars[0]) for _, bars in groups)
        panel = Panel(0, 800, 480, 1.05 * most, names=[(part, colour, "bar") for part, _, colour in parts], y="ns")
        panel.bars(groups, 50)
        return picture("Where the time of a message of 8 bytes goes (S4, figure 4), "
                       + links, 800, 480, panel)
    if name == "distribution":  # for each source a line by the pins and points by the stamps
        panels = []
        for k, (stage, unit) in enumerate((("in NIC", "bus of its sender"), ("in switch", "switch"))):
            shown = [(n, find(curves, f"^{stage}, from {n}, pins; server2004"),
                      find(curves, f"^{stage}, from {n}, stamps; server2004"))
                     for n in range(4)]
            shown = [s for s in shown if s[1] or s[2]]
            most = max((x for _, pins, stamps in shown for x, _ in pins + stamps), default=1)
            most = step_of(most) * -(-most // step_of(most))
            panels.append(Panel(400 * k, 400, 480, 100, stage, [(f"from {n}", COLOURS[n], "line") for n, *_ in shown],
                                most, x=f"clocks of the {unit}; lines: pins, points: stamps", y="packets [%]"))
            for n, pins, stamps in shown:
                if pins: panels[-1].curve(pins, COLOURS[n], "line")
                panels[-1].curve(stamps[::5], COLOURS[n], "points")
        return picture("Share of packets that took so long at most, receiver 0 of four nodes that all send at once "
                       "(S2 5.3)", 800, 480, *panels)
    title, most, limits, x, rows = CURVES[name]
    shown = [(find(curves, words), *how) for words, *how in rows]
    at = [x for points, *_ in shown for x, _ in points] or [1]
    panel = Panel(0, 800, 480, most, names=[tuple(how) for points, *how in shown if points], least_x=min(at),
                  most_x=max(at), x=x, y="MiB/s", powers=x.startswith("message"))
    for y, words in limits.items(): panel.limit(y, words)
    for points, _, colour, mark in shown:
        if points: panel.curve(points, colour, mark)
    return picture(title.format(links=links), 800, 480, panel)


def main(arguments):
    file, folder, *command = arguments
    result = subprocess.call([*command, "--json", file])
    if result not in (0, 1): return result if result > 0 else 128 - result  # nothing was measured, or not all of it
    pictures, measured = {}, json.loads(read(file))
    links = "a pair of links by byte" if measured.get("links") == 2 else "one link"
    for point in measured["points"]:
        pictures.setdefault(point["picture"], {}).setdefault(point["curve"], []).append(
            (float(point["x"]), float(point["y"])))
    os.makedirs(folder, exist_ok=True)
    for name in (*CURVES, "latency", "distribution"):
        if name not in pictures: continue
        write(f"{folder}/{name}.svg", drawn(name, pictures[name], links))
        print(f"{folder}/{name}.svg")
    return result
