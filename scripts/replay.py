"""Replays recorded pins (nicxbar-sim --pins FOLDER) in Icarus, which knows X, and compares the outputs clock by clock;
scripts/pins says which of them count and when.

    [RTL=folder] [SLOT_FOLDER=folder] python3 -S scripts/tool.py replay RECORDING [FILE...]
                                           on the Verilog below rtl/, the modules in FILEs instead
    ... replay --netlist NETLIST RECORDING     on a netlist (scripts/netlist.sh)
    [PINS=file] [WAVES=file.vcd] ...       another table than scripts/pins; waves

Prints the outputs that differ, and one line that ends with GOOD or BAD and what happened; ends with 0 only if all is as
recorded. The bench is written into the folder of the recording (format: sim/core/kernel/pins.c). Before each edge it
sets the inputs and, once the chip has been reset, compares its outputs with those recorded; then its clocks rise. On a
terminal it shows how far it is."""
import os, re, shutil, subprocess, sys

import common
from common import find, read, run, warn, write

E = os.environ.get
BENCH = r"""`timescale 1ps/1ps
module replay;
    integer file, i, got, edges, bad;
    reg [63:0] at;
    reg [8*200-1:0] text;
    reg was_reset, compares, progress;
    reg [63:0] from;
    reg [@last_clock@:0] rising, clocks;
@declared@
    @module@ dut (
@connected@
    );

    initial begin
        progress = $test$plusargs("progress");
        if ($value$plusargs("waves=%s", text)) begin $dumpfile(text); $dumpvars(0, replay); end
        clocks = 0; edges = 0; bad = 0; was_reset = 0; compares = 0; from = 0;
        @low_is_0@
        got = $value$plusargs("pins=%s", text);
        file = $fopen(text, "r");
        for (i = 0; i < @header@; i = i + 1) got = $fgets(text, file);
        @scan@
        while (got == @fields@ && bad < 10) begin
            #(at - $time);
            if (@reset@) begin
                was_reset = 1;
                @count_low@
            end else if (was_reset) begin
                if (!compares@is_reset@) begin compares = 1; from = at; end
                was_reset = 0;
                @low_is_0@
            end
            edges = edges + 1; @always@
            if (compares) compare;
            clocks = rising;
            #1 clocks = 0;
            if (progress && edges % 500 == 0)
                $fwrite(32'h80000002, "\015\033[K@name@: %0d of @edges@ edges", edges);
            @scan@
        end
        if (progress) $fwrite(32'h80000002, "\015\033[K");
        if (bad > 0) $display("BAD: stopped after %0d edges", edges);
        else if (got > 0) $display("BAD: %0d edges, then a line of %0d fields instead of @fields@", edges, got);
        else if (!compares)
            $display("BAD: nothing compared: no reset of at least 8 edges of each clock, and its end, in %0d edges",
                     edges);
        else $display("GOOD: %0d edges, outputs known and as recorded from %0d ps to %0d ps", edges, from, at);
        $finish(0); // says nothing
    end

    task compare;
        begin
@compared@        end
    endtask
endmodule
"""
COMPARED = """\
            care_{0} = ~{1}'d0;
{2}            if ((({0} ^ want_{0}) & care_{0}) !== {1}'d0) begin
                bad = bad + 1;
                $display("at %0d ps, edge %0d: {0} is %h%0s, expected %h", at, edges, {0},
                         ^({0} & care_{0}) === 1'bx ? " (unknown)" : "", want_{0});
            end
"""


def stop(text): common.stop("replay: " + text, 2)


def bench(recording, table, netlist):
    """The Verilog that replays a recording; a netlist has no parameters any more."""
    lines = read(recording).splitlines()
    ports, module, parameters, reset, care = {"clock": [], "input": [], "output": []}, "", "", "", {}
    for header, (kind, *words) in enumerate((line.split() or [""] for line in lines), 1):
        if kind == "module":
            module, parameters = words[0], ", ".join(".{}({})".format(*p.split("=")) for p in words[1:])
        elif kind in ports: ports[kind].append((words[0], words[-1]))
        elif kind == "edges": break
    else: header = 0
    clocks, outputs = [name for name, *_ in ports["clock"]], dict(ports["output"])
    if not header or not clocks or not outputs: common.stop(f"{recording}: no recording of pins", 2)

    def recorded(words): return re.sub(r"[A-Za-z_]\w*", lambda w: "want_" * (w[0] in outputs) + w[0], " ".join(words))

    for of, port, *words in (rule for line in read(table).splitlines() for rule in [line.partition("#")[0].split()]
                             if rule):
        name = port.partition("[")[0]
        if of != module: continue
        if port == "reset": reset = recorded(words)
        elif name in outputs:
            care[name] = care.get(name, "") + f"            if (!({recorded(words)})) care_{port} = 0;\n"
        else: common.stop(f"scripts/pins: {module} has no output {name}", 2)
    names = ["at", "rising", *(name for name, _ in ports["input"]), *("want_" + name for name in outputs)]
    values = {
        "module": module + f" #({parameters})" * bool(parameters and not netlist), "header": header,
        "fields": len(names), "edges": len(lines), "name": os.path.basename(recording).removesuffix(".pins"),
        "last_clock": len(clocks) - 1, "reset": reset or "0", "always": "" if reset else "compares = 1;",
        "is_reset": "".join(f" && low_{c} >= 8" for c in clocks), "low_is_0": " ".join(f"low_{c} = 0;" for c in clocks),
        "count_low": " ".join(f"if (rising[{i}]) low_{c} = low_{c} + 1;" for i, c in enumerate(clocks)),
        "scan": f'got = $fscanf(file, "{" ".join(["%h"] * len(names))}", {", ".join(names)});',
        "declared": "".join(f"    integer low_{c};\n" for c in clocks)
        + "".join(f"    reg [{int(bits) - 1}:0] {name};\n" for name, bits in ports["input"])
        + "".join(f"    wire [{int(bits) - 1}:0] {name};\n    reg [{int(bits) - 1}:0] want_{name}, care_{name};\n"
                  for name, bits in outputs.items()),
        "connected": ",\n".join([f"        .{c}(clocks[{i}])" for i, c in enumerate(clocks)]
                                + [f"        .{name}({name})" for name in (*dict(ports["input"]), *outputs)]),
        "compared": "".join(COMPARED.format(name, bits, care.get(name, "")) for name, bits in outputs.items())}
    return re.sub("@([a-z_0-9]+)@", lambda m: str(values[m[1]]), BENCH)


def sources_of(netlist, files):
    """What Icarus reads beside the bench."""
    if netlist:
        if not os.path.isfile(netlist): stop(f"{netlist}: no such netlist; scripts/netlist.sh makes one")
        cells = re.match("// cells: (.*)", read(netlist))
        if not cells or not os.access(cells[1], os.R_OK):
            stop(f"{netlist}: its first line names no file of cells that is there; expected a netlist of "
                 f"scripts/netlist.sh")
        return [netlist, cells[1]]
    folder = E("SLOT_FOLDER")
    blocks = [line.split(" ", 2) for line in read(f"{folder}/blocks").splitlines()] if folder else []
    folders = {os.path.dirname(f) for f in
               [f for *_, f in blocks] + find(E("RTL") or "rtl", name=lambda n: n.endswith(".v"))}
    if folder: folders.update(read(f"{folder}/search").split())
    return ["-Ibuild/generated", *(f"-D{variable}={name}" for variable, name, _ in blocks), *files,
            *(w for d in sorted(folders) for w in ("-y", d)), *(f for *_, f in blocks)]


def main(arguments):
    netlist = arguments[1] if arguments[:1] == ["--netlist"] else ""
    recording, *files = arguments[2 if netlist else 0:] or [""]
    icarus = E("IVERILOG") or "iverilog"
    vvp = os.path.dirname(shutil.which(icarus) or icarus) + "/vvp"
    if not shutil.which(icarus) or not os.access(vvp, os.X_OK):
        stop(f"{icarus}, vvp: not found; expected Icarus Verilog (apt-get install iverilog)")
    if not os.path.isfile(recording):
        stop(f"{recording}: no such recording; expected a file of nicxbar-sim --pins FOLDER")
    made, name = (recording.removesuffix(".pins") + (".netlist" if netlist else ".rtl"),
                  f"{recording} on {netlist or 'Verilog'}")
    write(made + ".v", bench(recording, E("PINS") or "scripts/pins", netlist))
    if run(made + ".log", icarus, "-g2005", "-s", "replay", "-o", made + ".vvp", made + ".v",
           *sources_of(netlist, files)):
        warn("\n".join(read(made + ".log").splitlines()[:5]))
        stop(f"see {made}.log")
    to = E("WAVES", "") if E("WAVES") != "0" else ""  # as make has it
    waves, progress = [f"+waves={to}"] * bool(to), ["+progress"] * sys.stderr.isatty()
    with open(made + ".log", "w") as log:
        subprocess.call([vvp, "-n", made + ".vvp", "+pins=" + recording, *progress, *waves], stdout=log)
    said = read(made + ".log").splitlines() or [""]
    for line in said:
        if not line.startswith(("GOOD", "BAD", "VCD")): print(line)
    if said[-1].startswith("GOOD"): return print(f"{name}: {said[-1]}")
    again = f"; waves: WAVES={made}.vcd python3 -S scripts/tool.py replay {' '.join(arguments)}"
    print(f"{name}: " + (said[-1] + again if said[-1].startswith("BAD")
                         else f"BAD: vvp ended without a result, see {made}.log"))
    return 1
