"""Synthesises one module for Virtex-II Pro (FAMILY=xcup: UltraScale+) and prints its size; fails on a latch.

    [FAMILY=xc2vp] [RTL=folder] [SLOT_FOLDER=folder] [NAME=name] [LEVELS=1] [NETLIST=1] [QUICK=1] \\
        python3 -S scripts/tool.py synth MODULE [PARAMETER=VALUE...]            e.g. synth fifo_async WIDTH=36

With SLOT_FOLDER (slots.py) other blocks are in slots, MODULE may be in one of its folders, and what is left goes there
instead of into build/. Leaves build/synth-NAME.json (NAME is MODULE unless given): {"module", "lut", "ff", "bram",
"cells": {...}}. lut counts LUTs of logic plus those used as memory (SRL16 and RAM16X1S: 1, RAM16X1D: 2; twice as many
for 32 words, four times for 64; on UltraScale+, whose LUTs hold 64 bits, what Xilinx' UG974 says); bram counts blocks
of 18 Kbit, one of 36 Kbit as two. Yosys' log stays in the same folder in synth-NAME.log. With LEVELS also "levels":
LUTs, carry and memory cells on the longest way between registers and pins. NETLIST=1 leaves synth-NAME.netlist.json for
timing.py.

With QUICK, for a MODULE with its default parameters, nothing else of what is read is worked on: 2 s instead of 10 s for
a small one. Nets get other names then, which moves the number of LUTs by some in a hundred: compare such numbers with
each other.

Mapped to LUTs alone (-nowidelut): with the multiplexers behind them (MUXF5 to MUXF8) Yosys looks for the shortest paths
and spends up to half as many LUTs more."""
import json, os, re, subprocess

from common import read, run, write

E = os.environ.get
ULTRASCALE = (("lut", "(RAM(32|64)X1S|SRL(16E?|C16E|C32E))$", 1), ("lut", "RAM(128X1S|32X1D|64X1D)$", 2),
              ("lut", "RAM(256X1S|128X1D|32M|64M)$", 4), ("lut", "RAM(512X1S|256X1D|32M16|64M8)$", 8))
SIZES = (("lut", "LUT[1-6]$", 1), ("bram", "RAMB36", 2), ("lut", "RAM16X1S|SRL16", 1), ("lut", "RAM16X1D|RAM32X1S", 2),
         ("lut", "RAM32X1D|RAM64X1S", 4), ("lut", "RAM64X1D|RAM128X1S", 8), ("ff", "FD", 1), ("bram", "RAMB1[68]", 1))


def sizes(name, family, says):
    """Of what Yosys' stat -json and ltp say, or none."""
    found = re.findall(r'"num_cells_by_type":.*\n((?:\s*"\S+": +\d+,?\n)*)', says)
    if not found: return None
    size = {"module": name, "lut": 0, "ff": 0, "bram": 0}
    # of the module, then of the whole, which is the same
    size["cells"] = {cell: int(number) for cell, number in re.findall(r'"([^":]*)": +(\d+)', found[-1])}
    for cell, number in size["cells"].items():
        known = (s for s in ULTRASCALE * (family == "xcup") + SIZES if re.match(s[1], cell))
        kind, _, each = next(known, ("lut", "", 0))
        size[kind] += number * each
    levels = re.findall(r"^Longest topological path.*\D(\d+)\D*$", says, re.M)
    return {**size, **({"levels": int(levels[-1])} if levels else {})}


def main(arguments):
    module, *parameters = arguments
    name, out, family = E("NAME") or module, E("SLOT_FOLDER") or "build", E("FAMILY") or "xc2vp"
    base = f"{out}/synth-{name}"
    log, stat = base + ".log", base + ".stat"
    os.makedirs(out, exist_ok=True)
    rtl, files, defines = subprocess.check_output(
        ["sh", "-euc", '. scripts/verilog_files.sh; printf "%s\\n" "$RTL" "$files" "$defines"'], text=True).splitlines()
    if not any(re.search(rf"^\s*module\s+{module}(?!\w)", read(file), re.M) for file in files.split()):
        print(f"synth: there is no module {module} below {rtl}/; RTL=path says where another is")
        return 1
    if os.path.exists(base + ".json"): os.remove(base + ".json")
    sets = "".join(" -set " + p.replace("=", " ", 1) for p in parameters)
    if run(log + ".err", E("YOSYS") or "yosys", "-q", "-l", log, "-p", f"""
            read_verilog {'-defer' if E('QUICK') else ''} -Ibuild/generated {defines} {files};
            {sets and f'chparam{sets} {module};'} hierarchy -check -top {module}; proc;
            select -assert-none t:$dlatch t:$adlatch; synth_xilinx -family {family} -nowidelut -flatten -top {module};
            tee -q -o {stat} stat -json
            {f'; tee -q -a {stat} ltp t:FD* t:RAMB* %u t:*BUF* %u %n' if E('LEVELS') else ''}
            {f'; clean; write_json {base}.netlist.json' if E('NETLIST') else ''}"""):
        wrong = [f"{f}:{line}" for f in (log, log + ".err") for line in re.findall(".*(?:ERROR|Assertion).*", read(f))]
        last = (read(log) + read(log + ".err")).splitlines()[-5:]
        print(*wrong or last, f"synth: {name} failed, log in {log}", sep="\n")
        return 1
    os.remove(log + ".err")
    size = sizes(name, family, read(stat))
    if not size: return print(f"synth: {name}: Yosys' stat -json has no num_cells_by_type, see {stat}") or 1
    write(base + ".json.tmp", json.dumps(size) + "\n")
    os.rename(base + ".json.tmp", base + ".json")
    os.remove(stat)
    print(f"synth: {name}: {size['lut']} LUTs, {size['ff']} flip-flops, {size['bram']} block RAMs, no latches")
    return 0
