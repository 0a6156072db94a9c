"""Longest paths of a synthesised chip, by OpenSTA (Debian: opensta).

    [FAMILY=xc2vp] [LIMITS='CLOCK=NS ...'] python3 -S scripts/tool.py timing NETLIST.json TOP CONSTRAINTS.sdc

NETLIST.json is what synth.py leaves with NETLIST=1. Prints for each clock of the constraints its period, the longest
path with its setup time [ns], the cells on it, and the first and last register; leaves NETLIST.timing.json with the
five longest of each. A path longer than its limit is an error, with exit code 1 after the last line.

Nothing is placed, so this is a model: assumed delays of cells, of the order of the part's but not taken from its data
sheet, and for each net a delay by its fan-out. Carry chains have dedicated nets. Paths between clocks are left out by
the constraints: they go through the cells made for it. A chip whose longest path is above its period needs pipelining,
or a tool that retimes, before it runs at that clock in the part."""
import json, os, re, shutil, subprocess, sys, tempfile

from common import read, stop, write

E = os.environ.get
# [ns], assumed: LUT, clock to output, setup, block RAM, carry in to out, into the
# chain, out of the chain, multiplier; net: with one load, each more, at most
DELAYS = {"xc2vp": (0.32, 0.40, 0.30, 1.50, 0.04, 0.50, 0.75, 4.0, 0.45, 0.05, 2.0),
          "xcup": (0.10, 0.08, 0.06, 0.90, 0.02, 0.15, 0.15, 2.0, 0.25, 0.02, 1.0)}
PADS = {"IBUF": 1.0, "OBUF": 2.5, "BUFG": 0.0, "INV": 0.02}
HEADER = """library (part) {
  delay_model : table_lookup; time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA";
  capacitive_load_unit (1, pf); pulling_resistance_unit : "1kohm"; leakage_power_unit : "1nW";
  nom_process : 1; nom_voltage : 1; nom_temperature : 85; default_max_transition : 1000; default_fanout_load : 1;
  default_inout_pin_cap : 0; default_input_pin_cap : 1; default_output_pin_cap : 0;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50; output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50; slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  lu_table_template (net) { variable_1 : total_output_net_capacitance; index_1 ("0, 1, FULL, 100000"); }
"""
SCRIPT = """read_liberty {folder}/part.lib
read_verilog {folder}/netlist.v
link_design {top}
read_sdc {sdc}
foreach clock [all_clocks] {{
  set name [get_property $clock full_name]
  puts "clock $name [get_property $clock period]"
  foreach path [find_timing_paths -to $clock -group_count 5 -unique_paths_to_endpoint] {{
    puts "path $name [get_property $path slack] [llength [get_property $path points]]\
 [get_property [get_property $path startpoint] full_name] [get_property [get_property $path endpoint] full_name]"
  }}
}}
"""


def of_cell(kind, ports, delays):
    """The clock pins of a cell, what its other inputs need before the clock, and [output, input, delay] of its arcs."""
    lut, clocked, setup, memory, carry, into, out_of, product, *_ = delays
    inputs = [p for p, (direction, _) in ports.items() if direction == "input"]
    outputs = [p for p, (direction, _) in ports.items() if direction == "output"]
    if kind.startswith("FD"):
        return ["C"], [p for p in inputs if p not in ("C", "PRE", "CLR")], [(o, "C", clocked) for o in outputs]
    if kind.startswith("RAMB"):
        clocks = [p for p in inputs if "CLK" in p and not p.startswith("EN")]
        return clocks, [p for p in inputs if p not in clocks], [(o, c, memory) for o in outputs for c in clocks]
    if re.match(r"RAM\d|SRL", kind):
        clocks = [p for p in inputs if p in ("WCLK", "CLK")]
        arcs = [(o, p, lut) for o in outputs for p in inputs
                if p.startswith("DPRA" if o == "DPO" else "A") and not (o == "SPO" and p.startswith("DPRA"))]
        return clocks, [p for p in inputs if p not in clocks and not p.startswith("DPRA")], arcs
    if kind in ("MUXCY", "XORCY") or kind.startswith("CARRY"):
        return [], [], [(o, p, (out_of if kind == "XORCY" or o == "O" and kind != "MUXCY" else carry) if "CI" in p
                         else into) for o in outputs for p in inputs]
    delay = product if re.match("MULT|DSP", kind) else PADS.get(kind, lut)
    return [], [], [(o, p, delay) for o in outputs for p in inputs if p != "CLK"]


def liberty(cells, delays):
    """The cells that occur, {type: {port: (direction, width)}}, as a library of OpenSTA."""
    setup, (one, more, most) = delays[2], delays[-3:]
    text, widths = [HEADER.replace("FULL", str(1 + (most - one) / more))], set()
    zeros = 'values ("0, 0, 0, 0");'
    for kind, ports in sorted(cells.items()):
        clocks, before, arcs = of_cell(kind, ports, delays)
        body = ""
        if kind.startswith("FD"): body += '    ff (IQ, IQN) { clocked_on : "C"; next_state : "D"; }\n'
        for port, (direction, width) in ports.items():
            # nets into the carry chain are dedicated: no load
            chain = port in clocks or kind.startswith(("BUFG", "IBUF", "XORCY")) or kind == "MUXCY" and port != "DI"
            pin = f"direction : {direction}; "
            if direction == "input": pin += f"capacitance : {0 if chain else 1}; "
            if port in clocks: pin += "clock : true; "
            if port == "Q" and kind.startswith("FD"): pin += 'function : "IQ"; '
            if port in before:
                must = f'(scalar) {{ values ("{setup}"); }} '
                pin += "".join(f'timing () {{ related_pin : "{c}"; timing_type : setup_rising; rise_constraint {must}'
                               f"fall_constraint {must}}} " for c in clocks)
            for out, source, delay in arcs:
                if out != port: continue
                values = f'values ("{delay:.3f}, {delay + one:.3f}, {delay + most:.3f}, {delay + most:.3f}");'
                sense = "timing_type : rising_edge;" if source in clocks else "timing_sense : positive_unate;"
                bits = [f"{source}[{i}]" for i in range(ports[source][1])] if ports[source][1] > 1 else [source]
                pin += (f'timing () {{ related_pin : "{" ".join(bits)}"; {sense} cell_rise (net) {{ {values} }} '
                        f"cell_fall (net) {{ {values} }} rise_transition (net) {{ {zeros} }} "
                        f"fall_transition (net) {{ {zeros} }} }} ")
            if width > 1:
                widths.add(width)
                body += f"    bus ({port}) {{ bus_type : b{width}; {pin}}}\n"
            else: body += f"    pin ({port}) {{ {pin}}}\n"
        text.append(f"  cell ({kind}) {{\n{body}  }}\n")
    text[1:1] = [f"  type (b{w}) {{ base_type : array; data_type : bit; bit_width : {w}; bit_from : {w - 1}; "
                 "bit_to : 0; }\n" for w in sorted(widths)]
    return "".join(text) + "}\n"


def netlist(module, top):
    """The cells and nets of Yosys' JSON as Verilog, and the types of the cells. A register has the name of its net."""
    name = {}
    for net, of in module["netnames"].items():
        for i, bit in enumerate(of["bits"]):
            full = (of["hide_name"], len(net), f"{net}[{i}]" if len(of["bits"]) > 1 else net)
            if isinstance(bit, int) and (bit not in name or full < name[bit]): name[bit] = full
    def net(bit): return f"\\{name[bit][2]} " if isinstance(bit, int) else f"1'b{bit if bit in '01' else 0}"
    text, ports = [f"module {top} ({', '.join(module['ports'])});"], {}
    for port, of in module["ports"].items():
        width = len(of["bits"])
        text.append(f"{of['direction']} {f'[{width - 1}:0] ' if width > 1 else ''}{port};")
        for i, bit in enumerate(of["bits"]): ports[f"{port}[{i}]" if width > 1 else port] = of["direction"], bit
    text += [f"wire \\{full} ;" for _, _, full in sorted(name.values()) if full not in ports]
    for port, (direction, bit) in ports.items():
        if net(bit) != f"\\{port} ":
            text.append(f"assign {port} = {net(bit)};" if direction == "output" else f"assign {net(bit)} = {port};")
    cells, used = {}, set()
    for cell, of in module["cells"].items():
        kind, links = of["type"], {p: bits for p, bits in of["connections"].items() if bits}
        cells.setdefault(kind, {}).update({p: (of["port_directions"][p], len(bits)) for p, bits in links.items()})
        label = name[links["Q"][0]][2] if "Q" in links and links["Q"][0] in name else cell
        label = cell if label in used else label
        used.add(label)
        links = ", ".join(f".{p} ({'{' if len(bits) > 1 else ''}{', '.join(map(net, reversed(bits)))}"
                          f"{'}' if len(bits) > 1 else ''})" for p, bits in links.items())
        text.append(f"{kind} \\{label} ({links});")
    return "\n".join(text + ["endmodule", ""]), cells


def main(arguments):
    file, top, sdc = arguments
    if not shutil.which(E("STA") or "sta"): stop("timing: OpenSTA is missing; Debian: apt-get install opensta")
    try: module = json.loads(read(file))["modules"][top]
    except (OSError, ValueError, KeyError): stop(f"timing: {file}: expected Yosys' JSON with a module {top}")
    limits = dict(pair.split("=") for pair in (E("LIMITS") or "").split())
    text, cells = netlist(module, top)
    clocks, too_long = {}, []
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/netlist.v", text)
        write(f"{folder}/part.lib", liberty(cells, DELAYS[E("FAMILY") or "xc2vp"]))
        write(f"{folder}/script", SCRIPT.format(folder=folder, top=top, sdc=sdc))
        done = subprocess.run([E("STA") or "sta", "-exit", f"{folder}/script"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
    for line in done.stdout.splitlines():
        words = line.split()
        if words[:1] == ["clock"]: clocks[words[1]] = {"period": round(float(words[2]), 3), "paths": []}
        if words[:1] == ["path"]:
            of = clocks[words[1]]
            of["paths"].append({"ns": round(of["period"] - float(words[2]), 2), "cells": int(words[3]) // 2,
                                "from": words[4], "to": words[5]})
    if done.returncode or not clocks or not all(c["paths"] for c in clocks.values()):
        sys.stdout.write(done.stdout)
        stop(f"timing: OpenSTA found no path of each clock in {file}; expected clocks of {sdc} at its registers")
    for clock, of in clocks.items():
        worst = of["paths"][0]
        limit = limits.pop(clock, None)
        print(f"{top}, {clock}: period {of['period']} ns; longest path {worst['ns']} ns, {worst['cells']} cells: "
              f"{worst['from']} to {worst['to']}")
        if limit and worst["ns"] > float(limit): too_long.append(f"{clock}: {worst['ns']} ns, at most {limit} expected")
    if limits: stop(f"timing: LIMITS: {', '.join(limits)}: expected clocks of {sdc}: {', '.join(clocks)}")
    write(re.sub(r"(\.json)?$", ".timing.json", file, count=1), json.dumps(clocks, indent=1) + "\n")
    for text in too_long: print(f"timing: {top}: {text}")
    return int(bool(too_long))
