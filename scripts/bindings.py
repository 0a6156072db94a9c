#!/usr/bin/env python3
"""Binding generator: what Verilator reports of a module (design.py) -> C header and C++ glue.

    bindings.py NAME MODULE DESIGN DIR [PARAMETER=VALUE...]
        writes DIR/NAME.h, DIR/NAME_glue.cpp (only if they change), DIR/NAME.ports, DIR/NAME.instances and DIR/NAME.d
    bindings.py --split NAME MODULE DESIGN DIR [PARAMETER=VALUE...]   writes DIR/NAME_pins.v if MODULE has inout ports
    bindings.py --probes NAME MODULE DESIGN DIR FILE
        writes DIR/NAME_probes.v for modules without probes, as the file MODULE.probes asks (handshakes.py)

Bound are the ports of the top module with their widths, and every instance whose module declares probe_busy
(sim/core/kernel/cycles.h lists all probes). The clock of a probe is the instance's `clk`, followed upwards through port
connections and plain assignments to a port of the top. Probes wr_probe_* are those of a side with the clock `wr_clk`.
Names of states are what states.py finds in the file of the module. The loops of the design are for the message about
one that does not end. sim/core/kernel/model.h describes what the header offers. The names of the ports in C++ are read
from DIR/cpp/VNAME.h.

NAME_pins.v is MODULE with three ports in the place of each inout one, which Verilator cannot do without (model.h
describes them).

NAME.ports has a line for each port, for scripts: VERILOG C DIRECTION BITS RANGE ROLE. ROLE is clock, reset_low,
reset_high (those that act without a clock), or -. NAME.instances has what `design.py instances` prints. NAME.d tells
make on which Verilog files DIR/bound depends. """
import os
import re
import sys

import design as designs
import handshakes

here = os.path.dirname(os.path.abspath(__file__))


def put(path, text):
    """Writes a file, if it changes."""
    try:
        with open(path, encoding="latin-1") as old:
            if old.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="latin-1") as new:
        new.write(text)


# ---- probes, and the clock of the top that each runs on ----
kinds = "probe_busy, _stall, _stall_REASON, _start, _done, _level, _state or _state_NAME"


class Probes:
    def __init__(self, name, module, design, folder):
        self.name, self.module, self.design = name, module, design
        self.found, self.machines = [], {}
        self.counted_by = {}  # what was bound (handshakes.py): module, side -> by what it counts
        try:
            with open(f"{folder}/{name}_probes.v", encoding="latin-1") as bound:
                for module_name, side, by in re.findall(r"^// by (\S+) (\S+) (.*)", bound.read(), re.M):
                    self.counted_by[module_name, "" if side == "-" else side] = by
        except FileNotFoundError:
            pass
        top = design.top
        self.walk(top, top.name, {p.name: p.name for p in top.ports if p.way == "input"}, None)

    def machines_of(self, module):
        """State machines of a module: the names of the states of each, in the order of the file."""
        if not module.file:
            return []
        if module.name not in self.machines:
            import states  # few models have any
            self.machines[module.name] = states.machines(module.file)
        return list(self.machines[module.name])

    def sides(self, m, path, source):
        """The probes of a module: side -> (signal, kind, label, states), those of one kind in the order of the file."""
        sides, machines = {}, None
        for signal, variable in m.variables.items():
            match = re.match(r"(?:(\w+?)_)?probe_(\w+)$", signal)
            if not match:
                continue
            side, what = match.groups("")
            kind = re.match(r"(busy|start|done|level|stall(?=_|$)|state(?=_|$))_?(\w*)$", what)
            if not kind or (kind[2] and kind[1] not in ("stall", "state")):
                sys.exit(f"{self.name}: {path}.{signal}: expected {kinds}")
            kind, label = kind.groups()
            bits, most = self.design.width(variable.type) or 0, 8 if kind == "state" else 32
            if bits != 1 and kind not in ("level", "state"):
                sys.exit(f"{self.name}: {path}.{signal} must be one bit wide")
            if bits > most:
                sys.exit(f"{self.name}: {path}.{signal} has {bits} bits, at most {most}")
            states = []
            if kind == "state":  # the next machine whose states it can count
                machines = self.machines_of(source) if machines is None else machines
                while machines:
                    machine = machines.pop(0)
                    if len(machine) <= 1 << bits and not (m is source and len(machine) <= (1 << bits) // 4):
                        states = machine
                        break
            sides.setdefault(side, []).append((signal, kind.upper(), label, " ".join(states)))
        for side, signals in sorted(sides.items()):
            if all(s[1] != "BUSY" for s in signals):
                sys.exit(f"{self.name}: {path} ({m.name}) declares {signals[0][0]}, but no "
                         f"{side and side + '_'}probe_busy")
        return sides

    def walk(self, m, path, clock_of, into):
        """into: the module that this one was bound into."""

        def resolve(signal):
            for _ in range(50):
                if signal is None or signal in clock_of:
                    break
                signal = m.alias.get(signal)
            return clock_of.get(signal)

        for side, signals in sorted(self.sides(m, path, into or m).items()):
            prefix = side and side + "_"
            clock = resolve(prefix + "clk")
            if not clock and into:
                print(f"{self.name}: {path} is not counted: its clock cannot be followed to a port of {self.module}",
                      file=sys.stderr)
                continue
            if not clock:
                sys.exit(f"{self.name}: {path} ({m.name}) declares {prefix}probe_busy, but its port `{prefix}clk` "
                         f"cannot be followed to a port of {self.module}")
            at = into or m
            self.found.append((re.sub(r"\.nx_probes$", "", path) if into else path, path, at.name, side, clock,
                               self.counted_by.get((at.name, side), "") if into else "", signals))
        for instance in m.instances:
            child = self.design.modules.get(instance.of)
            if not child:
                continue
            below = {name: clock for name, clock in ((n, resolve(p.signal)) for n, p in instance.pins.items()) if clock}
            if "clk" not in child.variables:  # a combinational block counts the clocks of the block around it
                below["clk"] = resolve("clk")
            self.walk(child, f"{path}.{instance.path}", below, m if instance.path == "nx_probes" else None)


# ---- loops: Verilator reports all as `while`; those that count are named only if there are no others ----
def loops_of(design):
    counting, other = set(), set()
    for file, line, column in design.loops:
        try:
            with open(file or "", encoding="latin-1") as verilog:
                text = verilog.read().split("\n")[line - 1]
        except (OSError, IndexError):
            continue
        (counting if re.match(r"for\b", text[column - 1:]) else other).add(f"{file}:{line}")
    places = sorted(other or counting)
    return ", ".join(places if len(places) <= 4 else places[:4] + ["..."])


# ---- inout ports: a module around this one that has inputs and outputs only ----
def split(name, module, design, folder, parameters):
    ports, wires, pins = [], [], []
    taken = {p.name for p in design.top.ports}

    def declare(way, msb, port):
        ports.append(f"    {way} wire" + (f" [{msb}:0]" if msb else "") + f" \\{port} ")

    def free(port):
        while port in taken:
            port += "_"
        taken.add(port)
        return port

    for p in design.top.ports:
        n, msb, what = p.name, design.width(p.type) - 1, f"\\{p.name} "
        if p.way == "inout":
            value, enable = free(n + "_i"), free(n + "_ie")
            declare("output", msb, n)
            declare("input", msb, value)
            declare("input", msb, enable)
            what = f"\\pins_of_{n} "
            wires.append(f"    wire [{msb}:0] {what};\n    assign \\{n} = {what};\n")
            for bit in range(msb + 1):
                select = f"[{bit}]" if msb else ""
                wires.append(f"    assign {what}[{bit}] = \\{enable} {select} ? \\{value} {select} : 1'bz;\n")
        else:
            declare(p.way, msb, n)
        pins.append(f"        .\\{n} ({what})")
    if not wires:
        return
    values = ", ".join(f".{key}({value})" for key, value in (p.split("=", 1) for p in parameters)
                       if re.fullmatch(r"\w+", key))
    inner = f"{module} " + (f"#({values}) " if values else "") + module
    put(f"{folder}/{name}_pins.v", "\n".join([
        f"// Generated by scripts/bindings.py: {module}, its inout ports split.", f"module {name}_pins (",
        ",\n".join(ports), ");", "".join(wires) + f"    {inner} (", ",\n".join(pins), "    );", "endmodule", ""]))


# ---- the header and the glue ----
HEADER = """\
/* Binding of Verilog module @module@, generated by scripts/bindings.py. What it offers: sim/core/kernel/model.h. */
#ifndef @guard@
#define @guard@

#include "sim/core/kernel/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct @name@ {
    sim_model *model;
@fields@
} @name@;

typedef struct @name@_ports {
    sim_port @ports@;
} @name@_ports;

extern const sim_config @name@_config;
@name@ *@name@_new(sim *s, const char *instance);
void @name@_free(@name@ *b);

#ifdef __cplusplus
}
#endif
#endif
"""

GLUE = """\
// Generated by scripts/bindings.py: the model of Verilog module @module@ behind the C functions of @name@.h.
#include <cstddef>
#include <cstdlib>

#include "@name@.h"
#include "V@name@.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

#ifdef LANES
extern "C" const sim_lanes @name@_lanes;
#define LANES_OF_MODEL &@name@_lanes
#else
#define LANES_OF_MODEL nullptr
#endif

namespace {
@signals@const sim_probe probes[] = {
@probes@
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0},
};
const sim_config_port ports[] = {
@rows@
    {nullptr, 0, 0, 0},
};

int model_eval(void *m, void *context, uint64_t time)
{
    auto *c = static_cast<VerilatedContext *>(context);
    Verilated::threadContextp(c);
    c->time(time);
    static_cast<V@name@ *>(m)->eval();
    return c->gotError() ? 2 : c->gotFinish() ? 1 : 0;
}
#if VM_TRACE
void model_waves(void *m, void *waves) { static_cast<V@name@ *>(m)->trace(static_cast<VerilatedVcdC *>(waves), 99); }
#else
constexpr void (*model_waves)(void *, void *) = nullptr;
#endif
void model_free(void *m)
{
    static_cast<V@name@ *>(m)->final();
    delete static_cast<V@name@ *>(m);
}

sim_model *make(sim *s, const char *instance)
{
    void *context = sim_model_prepare(s, &sim_verilated, instance);
    if (!context) return nullptr;
    sim_model_folder(context, "@folder@");
    @name@ *b = static_cast<@name@ *>(calloc(1, sizeof *b));
    if (!b) return nullptr;
    V@name@ *m = new V@name@(static_cast<VerilatedContext *>(context), instance);
@fill@
    return b->model = sim_model_new(s, &@name@_config, m, b, instance);
}
}

extern "C" {
const sim_config @name@_config = {
    "@name@", "@module@", "@parameters@", make, ports, sizeof ports / sizeof ports[0] - 1, "@falling@",
    sizeof(@name@), model_eval, model_waves, model_free, probes, sizeof probes / sizeof probes[0] - 1,
    LANES_OF_MODEL, "@loops@", "@blocks@",
};

@name@ *@name@_new(sim *s, const char *instance)
{
    sim_model *m = make(s, instance);
    return m ? static_cast<@name@ *>(sim_model_binding(m)) : nullptr;
}

void @name@_free(@name@ *b)
{
    if (b) sim_model_free(b->model);
}
}
"""


def names(name, ports, folder):
    """Port -> its name in C and in C++."""
    with open(f"{here}/words", encoding="latin-1") as file:
        words = {"model"}.union(*(line.split()[1:] for line in file if line.split()[:1] == ["c"]))
    class_file = f"{folder}/cpp/V{name}.h"
    with open(class_file, encoding="latin-1") as file:
        members = set(re.findall(r"^\s*VL_(?:IN|OUT)\w*\(&(\w+)", file.read(), re.M))
    verilog, fields, found = {p.name for p in ports}, set(), {}
    for p in ports:
        c = re.sub(r"\W", "_", p.name, flags=re.A)
        while c in words or c in fields or (c != p.name and c in verilog):
            c += "_"
        fields.add(c)
        cpp = next((n for n in (p.cpp, f"__SYM__{p.cpp}") if n in members), None)
        if not cpp:
            sys.exit(f"{name}: port {p.name} is not in {class_file}")
        found[p.name] = c, cpp
    return found


def bind(name, module, design, folder, parameters):
    probes, ports = Probes(name, module, design, folder).found, design.top.ports
    acts, called = design.edges(design.top), names(name, design.top.ports, folder)

    def role(port):
        act = acts.get(port)
        if not act:
            return "-"
        both = act["rise"] and act["fall"]
        return "clock" if act["clock"] else "-" if both else "reset_high" if act["rise"] else "reset_low"

    fields, fill, rows, listed = [], [], [], []
    for p in ports:
        w, (c, cpp) = design.width(p.type), called[p.name]
        of_type = next((f"uint{t}_t" for t in (8, 16, 32, 64) if w <= t), "uint32_t")
        note = f"{w} bits, {(w + 31) // 32} words, lowest first" if w > 64 else "1 bit" if w == 1 else f"{w} bits"
        declared = ("const " if p.way == "output" else "") + f"{of_type} *{c};"
        fields.append(f"    {declared:<40} /* {p.way}, {note}{'' if c == p.name else f'; {p.name} in Verilog'} */")
        fill.append(f"    b->{c} = m->{cpp}.data();" if w > 64 else f"    b->{c} = &m->{cpp};")
        rows.append(f'    {{"{p.name}", {w}, {int(p.way == "output")}, offsetof({name}, {c})}},')
        listed.append(f"{p.name} {c} {p.way} {w} {design.range(p.type) or '-'} {role(p.name)}\n")
    put(f"{folder}/{name}.ports", "".join(listed))
    put(f"{folder}/{name}.instances", "".join(line + "\n" for line in designs.instances(design)))

    put(f"{folder}/{name}.d", "".join(f"{folder}/bound: {file}\n{file}:\n" for file in designs.files(design)))

    tables, signals, probe_rows = {}, [], []  # instances of one module have the same signals
    for *about, of_probe in probes:
        text = "".join(f'    {{"{s}", SIM_PROBE_{kind}, "{label}", "{states}"}},\n'
                       for s, kind, label, states in of_probe)
        if text not in tables:
            tables[text] = f"signals_{len(tables)}"
            signals.append(f"const sim_probe_signal {tables[text]}[] = {{\n{text}}};\n")
        probe_rows.append("    {" + ", ".join(f'"{a}"' for a in about) + f", {tables[text]}, {len(of_probe)}}},")

    source = os.environ.get("VERILOG_FILE", "")
    said = {"module": module, "name": name, "guard": f"MODEL_{name.upper()}_H", "fields": "\n".join(fields),
            "ports": ", ".join(called[p.name][0] for p in ports), "signals": "".join(signals),
            "probes": "\n".join(probe_rows), "rows": "\n".join(rows), "folder": source[:source.rfind("/") + 1],
            "fill": "\n".join(fill), "parameters": " ".join(parameters).replace('"', '\\"'), "loops": loops_of(design),
            "blocks": os.environ.get("BLOCKS", ""),
            "falling": " ".join(p.name for p in ports if acts.get(p.name, {}).get("fall"))}
    for file, text in ((f"{name}.h", HEADER), (f"{name}_glue.cpp", GLUE)):
        put(f"{folder}/{file}", re.sub("@([a-z]+)@", lambda m: said[m[1]], text))


def main(arguments):
    mode = arguments.pop(0) if arguments[:1] in (["--split"], ["--probes"]) else ""
    name, module, path, folder, *parameters = arguments
    design = designs.Design(path)
    for p in design.top.ports:
        if not design.width(p.type):
            sys.exit(f"{name}: port {p.name} has a type without a width")
    if mode == "--split":
        split(name, module, design, folder, parameters)
    elif mode == "--probes":
        text = handshakes.probes_of(design, parameters[0])
        if text:
            put(f"{folder}/{name}_probes.v", text)
        elif os.path.exists(f"{folder}/{name}_probes.v"):
            os.remove(f"{folder}/{name}_probes.v")
    else:
        bind(name, module, design, folder, parameters)
