#!/usr/bin/env python3
"""Sizes by Yosys, next to those of the documents or limits of ours; what is too large is an error, after the last line.

    scripts/sizes.py chips          the NIC and switches of several sizes on Virtex-II Pro (S2 table 2): a minute or two
                                    for a NIC, up to ten for the largest switch
    scripts/sizes.py memories       words and block RAMs of the packet-mode switches (rtl/packet_mode): two minutes
    scripts/sizes.py roce [8|64]    the RoCE v2 chip (rtl/roce.v) on UltraScale+: 8 and 64 bytes per clock, 8 and 128
                                    QPs

Leaves synth-NAME.json of each (scripts/synth.py) in build/, chips in SLOT_FOLDER where other blocks are in slots. BRAM
counts blocks of 18 Kbit. A latch is an error.

Of the 10x10 prototype S3 4.2.1 says that it takes 65 % of the logic of an XC2VP70: of 66176 LUTs. The switches are
without monitor, time stamps and traces (MONITOR=0, MONITORING=0, TRACE=0), as the documents count them; what these cost
are the last lines, the traces also alone: with less without, in the smallest switch and in that of the documents. The
NIC is with its registers and counters; with sampling facility, tracing memories and time stamps (MONITORING=1) it is
the next line. The NICs with several links have limits of ours (two links by packet more: 3400 LUTs); with MONITORING=1
at most what an XC2VP40 has. S2's 14100 LUTs hold four links, multipath and monitoring: that NIC is compared block by
block (BLOCKS). What S2 gives for multipath alone is the sum of what only a NIC with several links by
packet has, one block after the other: the resequencer, the choice of path, how far numbers run ahead (the marks), and
the registers of paths (nic_registers of four links by packet less those by byte). The last columns say what part of the
LUTs and block RAMs of an XC2VP40, the part on that card (S1 3.1.6), a NIC is.

Memories: one crosspoint and one egress card of each kind are synthesised, and multiplied: 256 crosspoints, 16 cards.
That is exact, because each has its memory to itself. What is off the chip does not count: the VOQs of ingress cards.
XPOINT_WORDS are those of S3's Table I: a segment, three of them (DPM), the longest packet and four segments (VPS: 20
for 16). At least a packet and a round trip is needed there."""
import glob
import json
import os
import re
import subprocess
import sys

from common import TOOL, table

KEEP = {"NETLIST": "1"}
KEYS = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs"}
XC2VP40 = 38784, 38784, 192
OUT = os.environ.get("SLOT_FOLDER") or "build"
sizes, too_large = {}, []


def synthesise(name, module, *parameters, **environment):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r  SYNTH   {name:<40}")
    done = subprocess.run([*TOOL, "synth", module, *parameters], stdout=subprocess.PIPE,
                          env={**os.environ, "NAME": name, **environment}, text=True, check=False)
    if done.returncode:
        sys.stdout.write(done.stdout)
        sys.exit(1)
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{'':60}\r")
    with open(f"{OUT}/synth-{name}.json", encoding="latin-1") as f:
        sizes[name] = json.load(f)


# S2 table 2 for the NIC that it describes: four links by packet, multipath, monitoring. Ours: of a block alone, times
# how many; less what is another row's. The limits are ours. S2 counts S1's registers and counters in its monitoring ("a
# suite of benchmark, performance and monitoring sub-blocks") or in its first row: both are printed. What is above S2's:
# split reads, Retry and error reports of PCI-X (first row); check records, remote fault, repair after any loss (links);
# 24 block RAMs of FIFOs for the links (multipath); samples of each link, 33 block RAMs: S2's 32 are the four traces of
# S4 and no more.
BLOCKS = (
    ("PCI-X, DMA engine", (2500, 1400, 22), (6100, 2350, 20), (("pcix", 1), ("dma", 1)), ()),
    ("four links", (1800, 400, 0), (4350, 2600, 0), (("link", 4),), ()),
    ("VOQs", (4100, 2100, 37), (2700, 2100, 45), (("voq", 1),), ()),
    ("registers, counters", (), (3800, 1700, 4), (("registers", 1), ("counters", 1)), ()),
    ("multipath, FIFOs", (2800, 1200, 20), (3100, 1950, 50), (("nic-4packet", 1),),
     (("pcix", 1), ("dma", 1), ("link", 4), ("voq", 1), ("registers", 1), ("counters", 1))),
    ("monitoring", (2900, 2100, 32), (3300, 2900, 66), (("nic-4packet-monitored", 1),), (("nic-4packet", 1),)),
    ("with registers, counters", (2900, 2100, 32), (),
     (("nic-4packet-monitored", 1), ("registers", 1), ("counters", 1)), (("nic-4packet", 1),)))
ALONE = (("pcix", "pcix_core"), ("dma", "dma_engine", "SOURCES=8"), ("voq", "voq"),
         ("link", "link_port", "SOURCES=8", "RX_DEPTH=511", "EACH=1", "CRCS=0"),
         ("registers", "nic_registers", "LINKS=4", "BOND=1"), ("counters", "link_counters", "LINKS=4"))


def row(show, title, name, *documents):
    cells = [sizes[name][key] for key in KEYS] + list(documents or ("-", "-", "-"))
    show(title, *cells, *[f"{cells[0] * 100 / 38784:.1f} %", f"{cells[2] * 100 / 192:.1f} %"] * name.startswith("nic"))


def at_most(title, name, *limits):
    for (key, unit), limit in zip(KEYS.items(), limits):
        if sizes[name][key] > limit:
            too_large.append(f"{title}: {sizes[name][key]} {unit}, at most {limit} were expected")


def longest(name, top, constraints, limits, **environment):
    """Longest paths of each clock, of a netlist that was kept; those of today are the limits, a tenth above."""
    done = subprocess.run([*TOOL, "timing", f"{OUT}/synth-{name}.netlist.json", top, constraints], text=True,
                          stdout=subprocess.PIPE, env={**os.environ, "LIMITS": limits, **environment}, check=False)
    sys.stdout.write(done.stdout)
    if done.returncode: too_large.append(f"{name}: a path is longer than its limit, or none was found")


def like_for_like(show):
    for name, module, *parameters in ALONE:
        synthesise(f"alone-{name}", module, *parameters)
        sizes[name] = sizes[f"alone-{name}"]
    for title, documents, limits, parts, less in BLOCKS:
        name = "block-" + title.split()[0].strip(",").lower()
        total(name, *(p for p, times in parts for _ in range(times)),
              less=[p for p, times in less for _ in range(times)])
        row(show, f"... {title}", name, *documents)
        at_most(title, name, *limits)


def total(name, *others, less=()):
    """Sizes of others added, or taken off."""
    sizes[name] = {key: sum(sizes[o][key] for o in others) - sum(sizes[o][key] for o in less) for key in KEYS}
    with open(f"{OUT}/synth-{name}.json", "w", encoding="latin-1") as f:
        f.write(json.dumps({"module": name, **sizes[name]}) + "\n")


def chips():
    show = table(("", "", "ours", "", "", "documents", "", "XC2VP40", ""),
                 ("block".ljust(27), "  LUT", "   FF", "BRAM", "  LUT", "   FF", "BRAM", "LUT", "  BRAM"))
    for title, name, parameters, documents, limits in (
            ("NIC, with its counters", "nic", (), (14100, 7200, 111), ()),
            ("NIC, MONITORING=1", "nic-monitored", ("MONITORING=1",), ("-", "-", 111), ()),
            ("NIC, SYNC=1", "nic-sync", ("SYNC=1",), (), ()),
            ("NIC, 2 links by byte", "nic-2links", ("LINKS=2",), (), (15500,)),
            ("NIC, 4 links by byte", "nic-4links", ("LINKS=4",), (), (18500,)),
            ("NIC, 2 links by packet", "nic-2packet", ("LINKS=2", "BOND=1"), (), ()),
            ("NIC, 4 links by packet", "nic-4packet", ("LINKS=4", "BOND=1"), (), (22000, 9500, 111)),
            ("2 links by byte, MONITORING=1", "nic-2links-monitored", ("LINKS=2", "MONITORING=1"), (), XC2VP40),
            ("4 links by byte, MONITORING=1", "nic-4links-monitored", ("LINKS=4", "MONITORING=1"), (), XC2VP40),
            ("4 by packet, MONITORING=1", "nic-4packet-monitored", ("LINKS=4", "BOND=1", "MONITORING=1"),
             (14100, 7200, 111), (23500, 12000, 180))):
        synthesise(name, "nic", *parameters, **KEEP if name == "nic" else {})
        row(show, title, name, *documents)
        at_most(title, name, *limits)
    like_for_like(show)
    total("sync", "nic-sync", less=["nic"])
    row(show, "... SYNC of it alone", "sync")
    at_most("SYNC alone", "sync", 2500)
    total("links-more", "nic-4packet", less=["nic-2packet"])
    row(show, "... two links more", "links-more")
    at_most("two links by packet more", "links-more", 3400)
    for name, module, *parameters in (
            ("resequencer", "dma_resequencer", "SOURCES=8", "PATHS=4"), ("ahead", "voq_ahead", "LANES=8", "PATHS=4"),
            ("choice", "path_scheduler", "PATHS=4"), ("registers", "nic_registers", "LINKS=4", "BOND=1"),
            ("bytes", "nic_registers", "LINKS=4", "BOND=0")):
        synthesise(f"paths-{name}", module, *parameters)
    total("paths", "paths-resequencer", "paths-ahead", "paths-choice", "paths-registers", less=["paths-bytes"])
    row(show, "... multipath of it alone", "paths", 2800, 1200, 20)
    at_most("multipath alone", "paths", 2800, 1200, 20)
    documents = {8: (15800, 13300, 64), 10: (66176 * 65 // 100, "-", "-")}
    plain = ("MONITOR=0", "MONITORING=0")
    for n in (2, 4, 8, 10, 12, 16):
        synthesise(f"crossbar{n}", "crossbar", f"PORTS={n}", *plain, **KEEP if n == 8 else {})
        row(show, f"switch {n}x{n}", f"crossbar{n}", *documents.get(n, ()))
    for name, title, monitor, monitoring in (("monitor", "monitor", 1, 0), ("stamps", "time stamps", 0, 1)):
        synthesise(f"crossbar8-{name}", "crossbar", "PORTS=8", f"MONITOR={monitor}", f"MONITORING={monitoring}")
        row(show, f"switch 8x8 with {title}", f"crossbar8-{name}")
    for n in (2, 8):
        with_traces = f"crossbar{n}-trace"
        synthesise(with_traces, "crossbar", f"PORTS={n}", *plain, "TRACE=1")
        row(show, f"switch {n}x{n} with traces", with_traces)
        show("... the traces alone", *(sizes[with_traces][key] - sizes[f"crossbar{n}"][key] for key in KEYS))
    longest("nic", "nic", "rtl/nic/nic.sdc", "pci=48 net=26")
    longest("crossbar8", "crossbar", "rtl/crossbar.sdc", "clk_a=25 clk_b=25")
    print(f"sizes: no latches; cells of each in {OUT}/synth-NAME.json")


def roce(asked="8 64"):
    limits = {"8": 25000, "64": 70000}
    show = table(("RoCE v2 chip".ljust(27), "  LUT", "   FF", "BRAM", "LUT <="))
    for width in asked.split():
        for qps in (8, 128):
            name, limit = f"roce-{width}-{qps}", limits[width]
            synthesise(name, "roce", f"BYTES={width}", f"NUM_QP={qps}", FAMILY="xcup", **KEEP if qps == 8 else {})
            lut, ff, bram = (sizes[name][key] for key in KEYS)
            show(f"{width} bytes per clock, {qps} QPs", lut, ff, bram, limit)
            at_most(f"{width} bytes, {qps} QPs", name, limit)
    if "8" in asked.split(): longest("roce-8-8", "roce", "rtl/roce.sdc", "clk=13", FAMILY="xcup")
    print("roce sizes: no latches; cells of each in build/synth-roce-BYTES-QPS.json")


def memory(module, *parameters):
    """Words and block RAMs of a module's memory of words, from Yosys; each is synthesised once."""
    name = f"memory-{module}-" + "-".join(parameters).replace("=", "-")
    if name not in sizes:
        synthesise(name, module, *parameters, QUICK="1")
        sets = " ".join("-set " + p.replace("=", " ") for p in parameters)
        files = sorted(f for top in ("rtl/packet_mode", "rtl/common")
                       for f in glob.glob(f"{top}/**/*.v", recursive=True))
        dump = f"build/synth-{name}.dump"
        if subprocess.run([os.environ.get("YOSYS") or "yosys", "-q", "-p",
                           f"read_verilog -defer -Ibuild/generated {' '.join(files)}; chparam {sets} {module}; "
                           f"hierarchy -top {module}; proc; flatten; memory -nomap; tee -o {dump} dump t:$mem_v2"],
                          stdout=subprocess.DEVNULL, check=False).returncode:
            sys.exit(1)
        with open(dump, encoding="latin-1") as f:
            found = re.findall(r"parameter .(SIZE|WIDTH).*?(\d+)$", f.read(), re.M)
        os.remove(dump)
        size = most = 0
        for parameter, value in found:
            size = int(value) if parameter == "SIZE" else size
            if parameter == "WIDTH" and int(value) >= 64:  # the largest memory that is as wide as a word
                most = max(most, size)
        sizes[name]["words"] = most
    return sizes[name]["words"], sizes[name]["bram"]


def memories():
    ports, segment, packets, archs = 16, 64, (192, 1024, 1152), ("sm", "ppm", "dpm", "vps")
    found = {}  # words and block RAMs of a crosspoint, all crosspoints, all egress cards
    for most in packets:
        for arch in archs:
            words = {"dpm": 3 * segment, "vps": most + 4 * segment}.get(arch, segment)
            unit = most if arch == "vps" else segment
            point = memory("pm_crosspoint", f"WIDTH={66 + (unit - 1).bit_length()}", f"WORDS={words}")
            egress = memory("pm_card_out", f"PORTS={ports}", f"MOST_WORDS={most}") if arch in ("sm", "ppm") else (0, 0)
            found[arch, most] = [point, [ports * ports * n for n in point], [ports * n for n in egress]]
    table(("longest packet", *(w for m in packets for w in (f"{m / 128:g} KB", ""))),
          ("memory on the chip", *("words", "BRAM") * len(packets)),
          *((f"{arch.upper()} {part}", *(n for m in packets for n in found[arch, m][p]))
            for arch in archs for p, part in enumerate(("crosspoint", "crossbar 16x16", "16 egress cards"))))
    rows = [f'\n  {{"arch": "{arch}", "packet_words": {m}' + "".join(
        f', "{key}_words": {words}, "{key}_bram": {bram}'
        for key, (words, bram) in zip(("crosspoint", "crossbar", "egress"), found[arch, m])) + "}"
            for arch in archs for m in packets]
    against = []
    for m in packets:
        w, b = (found["vps", m][0][i] / found["dpm", m][0][i] for i in (0, 1))
        more, fewer, more_bram, fewer_bram = 100 * (w - 1), 100 * (1 - 1 / w), 100 * (b - 1), 100 * (1 - 1 / b)
        print(f"crosspoints for {m / 128:g} KB: VPS has {more:.0f} % more words than DPM, DPM {fewer:.0f} % fewer; of "
              f"block RAMs {more_bram:.0f} %, {fewer_bram:.0f} %")
        against.append(f'\n  {{"packet_words": {m}, "more_words_percent": {more:.1f}, "fewer_words_percent": '
                       f'{fewer:.1f}, "more_bram_percent": {more_bram:.1f}, "fewer_bram_percent": {fewer_bram:.1f}}}')
    with open("build/packet-mode-sizes.json", "w", encoding="latin-1") as f:
        f.write(f'{{"ports": {ports}, "rows": [{",".join(rows)}],\n "vps_against_dpm": [{",".join(against)}]}}\n')
    print("packet_mode_sizes: the VOQs of ingress cards are off the chip; as JSON in build/packet-mode-sizes.json")


os.makedirs("build", exist_ok=True)
{"chips": chips, "memories": memories, "roce": roce}[sys.argv[1]](*sys.argv[2:])
if too_large:
    print(f"{'roce sizes' if sys.argv[1] == 'roce' else 'sizes'}: too large: {'; '.join(too_large)}")
    sys.exit(1)
