"""What a module without probes does, by the names of its ports; part of bindings.py. Nothing in the module is changed:
probes are ports of a module that SystemVerilog's `bind` puts into it, in models with waves and probes only.

Recognised, whatever stands around these words (s_axis_tvalid, S_AXI_AWREADY, valid_i, o_ready), if both have opposite
directions:
  valid, vld         and ready, rdy                    AXI-Stream, AXI and most others
  wr_en, push, we .. and full, full_n                  a FIFO's write side; rd_en, pop, re .. and empty, empty_n: its
                                                       read side
  req, request       and gnt, grant
  cyc, stb           and ack, stall, err, rty          Wishbone
A channel moves in a clock in which both sides agree, and waits while the sender offers and nobody takes. A clock of the
module is stalled for a channel out of it that waits while none moves; busy when a channel moves, or one into it waits
(the module is at work); else idle. An operation is a clock in which something moves in, or, if there is no channel in,
out. A module without channels is busy in a clock in which one of its outputs has changed. A module without a clock is
not counted.

A file MODULE.probes in the folder of MODULE.v asks for this; its lines say better, by expressions of what is in it:
  fifo probe_busy = !empty         # MODULE PROBE [@CLOCK] = EXPRESSION of Verilog; probes: sim/core/kernel/cycles.h
  fifo probe_stall_reader @rd_clk = !empty && !rd_en
"""
import re
import sys

WORDS = [  # the sender's word, the receiver's
    (r"(valid|vld)", r"(ready|rdy)"),
    (r"(wr_en|wren|wr_enable|wr_valid|write_en|write_enable|w_en|wen|wr_req|wrreq|winc|wr_inc|push|enq|enqueue|put|"
     r"write|wr|we)", r"(?:wr_?|w_?|write_?)?(full)"),
    (r"(?:rd_?|r_?|read_?)?(empty)",
     r"(rd_en|rden|rd_enable|read_en|read_enable|r_en|ren|rd_req|rdreq|rinc|rd_inc|pop|deq|dequeue|get|read|rd|re)"),
    (r"(req|request)", r"(gnt|grant)"),
]


class Channel:
    """`into`: into the module; `move`, `wait`: when it does, as Verilog."""

    def __init__(self, name, into, move, wait, ports):
        self.name, self.into, self.move, self.wait, self.ports = name, into, move, wait, ports


def plain_name(name):
    """Without what says the direction: i_, o_ in front, _i, _o, _in, _out behind."""
    return re.sub(r"(?<=.)_(?:[io]|in|out)$", "", re.sub(r"^[io]_(?=.)", "", name.lower()))


def around(port, words, last):
    """(what is around the word, is the port low when the word is true), or None. With last nothing is behind it."""
    name = plain_name(port.name)
    if "invalid" in name:
        return None
    name, low = re.subn(r"(?<=full|mpty)_n$", "", name)
    match = re.match(rf"(?:(.*?)_)??{words}$" if last else rf"(.*?){words}(.*)$", name)
    if not match:
        return None
    return (match[1] or "", bool(low)) if last else (f"{match[1]}/{match[3]}", False)


def escaped(port):
    return f"\\{port.name} "


def channels(design, module):
    found, used = [], set()
    ports = [p for p in module.ports if p.way != "inout"]

    def wide(port):
        return design.width(port.type) or port.type

    def add(sender, move, wait, of):
        name = plain_name(of[1].name if "empty" in sender.name.lower() else sender.name)
        name = re.sub(r"(?:_t|^t|_)?(?:valid|vld)|(?:^|_)cyc$", "", name, count=1)
        into = sender.way == "input"
        used.update(p.name for p in of)
        found.append(Channel(name or ("in" if into else "out"), into, move, wait, of))

    for cyc in ports:  # Wishbone first: its ack belongs to cyc and stb
        match = re.match(r"(.*?)cyc$", plain_name(cyc.name))
        if not match:
            continue

        def find(word, opposite, cyc=cyc, where=match[1]):
            return next((p for p in ports if plain_name(p.name) == where + word and (p.way != cyc.way) == opposite and
                         wide(p) == wide(cyc)), None)

        ack = find("ack", True)
        if not ack:
            continue
        stb, stall = find("stb", False), find("stall", True)
        ends = [p for p in (ack, find("err", True), find("rty", True)) if p]
        asks = " & ".join(escaped(p) for p in (cyc, stb) if p)
        ended = "(" + " | ".join(map(escaped, ends)) + ")"
        moves = f"({asks} & ~{escaped(stall)} | {ended})" if stall else f"({asks} & {ended})"
        add(cyc, moves, f"({escaped(cyc) if stall else asks} & ~{moves})", [p for p in (cyc, stb, stall) if p] + ends)
    for sends, takes in WORDS:
        last = sends != WORDS[0][0]
        for s in ports:
            at = around(s, sends, last) if s.name not in used else None
            if not at:
                continue
            fit = [(t, around(t, takes, last)) for t in ports if t.name not in used and t.way != s.way
                   and wide(t) == wide(s)]
            fit = [(t, t_at[1]) for t, t_at in fit if t_at and t_at[0] == at[0]]
            if not fit:
                continue
            # i_valid goes with o_ready, but in_valid_i with in_ready_o: what is written alike first
            t, low = min(fit, key=lambda f: len(f[0].name))
            offers = ("~" if "empty" in sends and not at[1] else "") + escaped(s)
            no, yes = ("", "~") if "full" in takes and not low else ("~", "")
            add(s, f"({offers} & {yes}{escaped(t)})", f"({offers} & {no}{escaped(t)})", [s, t])
    # names in tables: s_axis; two of one name by their ports
    given = [c.name for c in found]
    for c in found:
        name = plain_name(c.ports[0].name) if given.count(c.name) > 1 else c.name
        c.name = re.sub(r"\W", "_", name, flags=re.A).strip("_")
    return found


# ---- clocks of ports, by what is read and written with them ----
class Uses:
    """Of the signals of a module: clocks of the processes that mention each, what follows it, pins on it."""

    def __init__(self, design, module):
        self.clocks, self.users, self.pins = {}, {}, {}
        for process in module.processes:
            edges = process.edges
            if len(edges) > 1:  # without resets
                edges = [e for e in edges if not any(s in process.read for s in e[1])]
            clocks = {c for _, signals, _ in edges for s in signals for c in design.origins(module, s)}
            for s in process.read:
                self.clocks.setdefault(s, set()).update(clocks)
        for to, follows in module.follows.items():
            for _, sources in follows:
                for s in sources:
                    self.users.setdefault(s, []).append(to)
        for instance in module.instances:
            for name, pin in instance.pins.items() if instance.of in design.modules else []:
                for s in pin.signals:
                    self.pins.setdefault((s, "to" if pin.way == "in" else "from"), []).append((instance, name))


def clocks_at(design, module, signal, way, seen):
    """The clock ports of the module whose registers a signal belongs to; way: from (its driver), to (its users)."""
    if (module.id, signal, way) in seen:
        return set()
    seen.add((module.id, signal, way))
    if not hasattr(module, "uses"):
        module.uses = Uses(design, module)
    found = set(module.uses.clocks.get(signal, ()))
    if found:
        return found
    for instance, name in module.uses.pins.get((signal, way), []):
        for inside in clocks_at(design, design.modules[instance.of], name, way, seen):
            found.update(design.pin_origins(module, instance, inside))
    following = [s for _, sources in module.follows.get(signal, [])
                 for s in sources] if way == "from" else module.uses.users.get(signal, [])
    for s in following:
        found |= clocks_at(design, module, s, way, seen)
    return found


def clock_of(design, module, clocks, ports):
    """The clock that most of these ports have, by name if it is not one: wr_clk of wr_en."""
    if len(clocks) == 1:
        return clocks[0]
    for p in sorted(ports, key=lambda p: p.way, reverse=True):  # outputs first
        at = clocks_at(design, module, p.name, "from" if p.way == "output" else "to", set())
        known = [c for c in clocks if c in at]
        if len(known) == 1:
            return known[0]
    for clock in clocks:
        side = re.sub(r"^[io]_", "", re.sub(r"_?cl(?:oc)?k.*", "", clock.lower(), count=1))
        if side and any(plain_name(p.name).startswith(side) for p in ports):
            return clock
    return clocks[0]


# ---- the file MODULE.probes ----
def read_probes(file, design):
    """Module -> (probe, clock or None, expression, line)."""
    said, there = {}, sorted({m.name for m in design.modules.values()})
    with open(file, encoding="latin-1") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            place = f"{file}:{number}"
            if re.fullmatch(r"\s*(#.*)?", line):
                continue
            match = re.match(r"\s*(\w+)\s+(\w+)\s*(?:@\s*(\w+)\s*)?=(?!=)\s*(.*?)\s*(?:#\s.*)?$", line)
            if not match:
                sys.exit(f"{place}: expected MODULE PROBE [@CLOCK] = EXPRESSION, such as: fifo probe_busy = !empty")
            module, probe, clock, value = match.groups()
            if module not in there:
                sys.exit(f"{place}: there is no module {module} in it; expected one of {' '.join(there)}")
            if not re.match(r"probe_(busy|start|done|level|(?:stall|state)(_\w+)?)$", probe):
                sys.exit(f"{place}: {probe}: expected probe_busy, _stall, _stall_REASON, _start, _done, _level, "
                         f"_state or _state_NAME")
            said.setdefault(module, []).append((probe, clock, value, number))
    return said


# ---- the modules that are bound: DIR/NAME_probes.v ----
def nearest_first(design):
    """Modules nearest to the top first, one for each name, and how many instances of that name there are."""
    order, count, level = [], {}, {design.top.id: 1}
    while level:
        following = {}
        for identity, n in sorted(level.items()):
            module = design.modules[identity]
            if module.name not in count:
                order.append(module)
            count[module.name] = count.get(module.name, 0) + n
            for instance in module.instances:
                if instance.of in design.modules:
                    following[instance.of] = following.get(instance.of, 0) + n
        level = following
    return order, count


def counted(design, module, clocks):
    """Clock -> ((bits, probe, expression, line) of what counts, by what)."""
    sides, by_clock = {}, {}
    for c in channels(design, module):
        by_clock.setdefault(clock_of(design, module, clocks, c.ports), []).append(c)
    for clock, those in by_clock.items():
        def either(what):
            return " || ".join(f"|{w}" for w in what) or "1'b0"

        into = [c for c in those if c.into]
        moves = either(c.move for c in those)
        sides[clock] = ([("", "probe_busy", f"{moves} || {either(c.wait for c in into)}", None),
                         ("", "probe_start", either(c.move for c in into or those), None)] +
                        [("", f"probe_stall_{c.name}", f"|{c.wait} && !({moves})", None) for c in those if not c.into],
                        "handshakes of " + ", ".join(c.name for c in those))
    if sides:
        return sides
    outputs = {}
    for p in module.ports:
        if p.way == "output" and not design.unpacked(p.type):
            outputs.setdefault(clock_of(design, module, clocks, [p]), []).append(p)
    return {clock: ([("changes", "", "{" + ", ".join(map(escaped, those)) + "}", None)],
                    "changes of its outputs, without a handshake")
            for clock, those in outputs.items()}


def asked_for(module, clocks, lines, file):
    """The same, as lines of the file MODULE.probes ask."""
    sides = {}
    for probe, clock, value, line in lines:
        of = clock or (clocks[0] if len(clocks) == 1 else None)
        if of not in clocks:
            sys.exit(f"{file}:{line}: "
                     + (f"@{clock}: {module.name} has no such clock" if clock else f"which clock of {module.name}?") +
                     "; expected " + (" or ".join(f"@{c}" for c in clocks) or "a module with a clock"))
        bits = "[31:0] " if "level" in probe else "[7:0] " if "state" in probe else ""
        sides.setdefault(of, ([], file))[0].append((bits, probe, value, line))
    return sides


def bound(module, clocks, sides, file):
    """Verilog of the bound module: a comment for each clock, then the module, unless it has probes of its own."""
    text, ports, pins, inside, bits_of, taken = [], [], [], [], [], set()
    for clock in (c for c in clocks if c in sides):
        side = "" if len(clocks) == 1 else re.sub(r"_?cl(?:oc)?k(?:_[io])?$|^cl(?:oc)?k_?", "", clock, count=1,
                                                  flags=re.I)
        if (not side and len(clocks) > 1) or side in taken:
            side = clock
        taken.add(side)
        values, by = sides[clock]
        text.append(f"// by {module.name} {side or '-'} {by}")
        side += "_" if side else ""
        ports.append(f"    input {side}clk")
        pins.append(f"    .{side}clk(\\{clock} )")
        for bits, probe, value, line in values:
            if bits == "changes":
                bits_of.append((f"{side}BITS", value))
                ports.append(f"    input [{side}BITS-1:0] {side}now")
                inside.append(f"    reg [{side}BITS-1:0] {side}earlier;\n    always @(posedge {side}clk) "
                              f"{side}earlier <= {side}now;\n    wire {side}probe_busy = {side}earlier != {side}now;\n")
                pins.append(f"    .{side}now({value})")
            else:
                place = f'\n`line {line} "{file}" 0\n' if line else ""
                ports.append(f"    input {bits}{side}{probe}")
                pins.append(f"    .{side}{probe}({place}{value})")
    if not ports or any(re.match(r"(?:\w+_)?probe_", v) for v in module.variables):
        return text
    parameters = ", ".join(f"parameter {n} = 1" for n, _ in bits_of)
    values = ", ".join(f".{n}($bits({v}))" for n, v in bits_of)
    return text + [f"module nx_probes_{module.name}" + (f" #({parameters})" if bits_of else "") + " (\n" +
                   ",\n".join(ports) + "\n);\n" + "".join(inside) + "endmodule",
                   f"bind {module.name} nx_probes_{module.name} " + (f"#({values}) " if bits_of else "") +
                   "nx_probes (\n" + ",\n".join(pins) + "\n);"]


def probes_of(design, file):
    said = read_probes(file, design)
    text, room, left_out = [], 400, 0  # as many instances as a table can show
    order, count = nearest_first(design)
    for module in order:
        if not re.fullmatch(r"\w+", module.name):
            continue
        acts = design.edges(module)
        clocks = [p.name for p in module.ports if p.way == "input" and acts.get(p.name, {}).get("clock")]
        if module.name in said:
            sides = asked_for(module, clocks, said[module.name], file)
        elif clocks:
            room -= count[module.name]
            if room < 0:
                left_out += count[module.name]
                continue
            sides = counted(design, module, clocks)
        else:
            continue
        text += bound(module, clocks, sides, file)
    if left_out:
        print(f"{file}: {left_out} instances far below the top are not counted; a line for their modules counts them",
              file=sys.stderr)
    return "\n".join(["// Generated by scripts/bindings.py: what make cycles counts in modules without probes "
                      "(scripts/handshakes.py).",
                      '`begin_keywords "1800-2017"', *text, "`end_keywords", ""]) if text else ""
