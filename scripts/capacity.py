#!/usr/bin/env python3
"""Capacity: what is written without a look at its space has an entry in tb/proofs/capacity that says who holds the
bound (make lint).

    capacity.py --top              a module with the chips of tb/proofs/capacity, for report.sh
    capacity.py DESIGN [LIST]      compares what is found in the design with the list (default: tb/proofs/capacity);
                                   exit code 1 if they differ, or a proof of tb/proofs/proofs has no fault or sees
                                   nothing
    capacity.py --all DESIGN       prints what is found, and the channels whose writer looks

Found are
  fill  an instance with a channel (handshakes.py: valid/ready, wr_valid/full ..) whose sender depends on the receiver's
        word neither at once nor over one register. Channels from a chip's own ports are the neighbour's.
  ring  an array that is written at a pointer: its index depends on a register that is advanced (an adder leads from it
        to itself)
"""
import os
import re

import design as designs
import handshakes
from common import read

LIST, PROOFS, TOP = "tb/proofs/capacity", "tb/proofs/proofs", "capacity_all"
STATEMENTS = {"contassign", "assign", "assigndly", "if", "case", "caseitem", "begin", "while", "always", "initial"}


class Drive:
    """An assignment: signals of its value and conditions, those of an array's index; is it clocked, has it an adder."""

    def __init__(self, sources, index, clocked, adds):
        self.sources, self.index, self.clocked, self.adds = sources, index, clocked, adds


class Netlist:
    def __init__(self, design):
        self.design, self.drives, self.arrays, self.parent, self.outputs, self.module = design, {}, {}, {}, {}, {}
        for element in design.root.iter("module"):
            module = design.modules[element.get("name")]
            self.drives[module.id], self.arrays[module.id], outputs = {}, set(), {}
            for below in element:
                self.statement(module, below, [], [], False)
            for i in module.instances:
                for port, pin in i.pins.items():
                    for s in pin.signals if pin.way != "in" and i.of in design.modules else []:
                        outputs.setdefault(s, []).append((i, port))
            self.outputs[module.id] = outputs
        for path, module in design.walk():
            self.module[path] = module
            for i in module.instances:
                if i.of in design.modules:
                    self.parent[f"{path}.{i.path}"] = path, i

    def read(self, module, elements, blocks):
        return [self.design.meant(module, e.get("name"), blocks) for top in elements for e in top.iter("varref")]

    def targets(self, module, element, blocks):
        """(signal, elements that say where in it) for each that is assigned"""
        if element.tag == "varref":
            return [(self.design.meant(module, element.get("name"), blocks), [])]
        if element.tag in ("sel", "arraysel"):
            return [(s, where + list(element)[1:]) for s, where in self.targets(module, element[0], blocks)]
        return [t for e in element for t in self.targets(module, e, blocks)]

    def statement(self, module, element, blocks, conditions, clocked):
        tag = element.tag
        if tag == "var" and self.design.unpacked(element.get("dtype_id")) and element.get("param") is None:
            self.arrays[module.id].add(".".join(blocks + [element.get("origName")]))
        elif tag in ("contassign", "assign", "assigndly"):
            *values, target = element
            sources = self.read(module, values, blocks) + conditions
            adds = any(e.tag in ("add", "sub") for v in values for e in v.iter())
            for signal, where in self.targets(module, target, blocks):
                drive = Drive(sources, self.read(module, where, blocks), clocked and tag == "assigndly", adds)
                self.drives[module.id].setdefault(signal, []).append(drive)
        elif tag not in ("func", "task", "instance", "initial"):
            if tag == "always":
                clocked = any(e.get("edgeType") in ("POS", "NEG") for e in element.iter("senitem"))
            elif tag == "begin":
                blocks = blocks + [element.get("name") or ""]
            elif tag in ("if", "case", "caseitem", "while"):
                conditions = conditions + self.read(module, [e for e in element if e.tag not in STATEMENTS], blocks)
            for below in element:
                if below.tag in STATEMENTS or tag in ("begin", "always"):
                    self.statement(module, below, blocks, conditions, clocked)

    def followed(self, module, signals):
        """Signals of the module that these follow without a clock; is an adder between"""
        seen, waiting, adds = set(), list(signals), False
        while waiting:
            s = waiting.pop()
            if s not in seen:
                seen.add(s)
                for d in self.drives[module.id].get(s, []):
                    if not d.clocked:
                        adds |= d.adds
                        waiting += d.sources + d.index
        return seen, adds

    def advanced(self, module, signal):
        for d in self.drives[module.id].get(signal, []):
            seen, adds = self.followed(module, d.sources)
            if d.clocked and signal in seen and (adds or d.adds):
                return True
        return False

    def rings(self, turns):
        """{MODULE.ARRAY: signals that every write depends on}"""
        found = {}
        for module in self.design.modules.values():
            for array in self.arrays[module.id]:
                name, writes = plain(f"{module.name}.{array}"), [
                    d for d in self.drives[module.id].get(array, []) if d.clocked and d.index]
                index = set().union(*(self.followed(module, d.index)[0] for d in writes))
                if any(f"{module.name}.{s}" not in turns and self.advanced(module, s) for s in index):
                    on = set.intersection(*(self.followed(module, d.sources)[0] for d in writes))
                    found[name] = found.get(name, on) & on
        return found

    def cone(self, path, signals, clocks):
        """(path, signal) of all that these signals follow within so many clocks, through all instances"""
        seen, level = set(), {(path, s) for s in signals}
        for _ in range(clocks + 1):
            waiting, level = list(level), set()
            while waiting:
                at = waiting.pop()
                if at in seen:
                    continue
                seen.add(at)
                path, signal = at
                module = self.module[path]
                for d in self.drives[module.id].get(signal, []):
                    (level.update if d.clocked else waiting.extend)((path, s) for s in d.sources + d.index)
                waiting += [(f"{path}.{i.path}", port) for i, port in self.outputs[module.id].get(signal, [])]
                above, i = self.parent.get(path, (None, None))
                if above and signal in i.pins and i.pins[signal].way == "in":
                    waiting += [(above, s) for s in i.pins[signal].signals]
        return seen

    def fills(self):
        """({MODULE.INSTANCE (of module): what it is}, those whose sender looks, instances of each module)"""
        found, fine, instances = {}, set(), {}
        into = {m.id: [c for c in handshakes.channels(self.design, m) if c.into] for m in self.design.modules.values()}
        for path, (above, i) in self.parent.items():
            name, of = plain(f"{self.module[above].name}.{i.path}"), self.module[path].name
            instances.setdefault(of, set()).add(name)
            for c in into[i.of]:
                offers, takes = ([p.name for p in c.ports if p.way == w] for w in ("input", "output"))
                if above == self.design.top.name or offers[0] == "request":
                    continue
                pins = {p: i.pins[p].signals if p in i.pins else [] for p in offers + takes}
                sender = [s for p in offers for s in pins[p]]
                if any(at.count(".") == 1 and s in self.parent[at][1].pins and self.parent[at][1].pins[s].way == "in"
                       for at, s in self.cone(above, sender, 0)):
                    continue  # comes from a port of the chip
                looked = {(path, p) for p in takes} | {(above, s) for p in takes for s in pins[p]}
                what = f"{of}, {' '.join(offers)} / {' '.join(takes)}"
                if looked & self.cone(above, sender, 1):
                    fine.add(f"{name} ({what})")
                else:
                    found[name] = what
        return found, fine, instances


def plain(name):
    return re.sub(r"\[\d+\]", "", name)


def rows(file):
    with open(file, encoding="latin-1") as lines:
        for number, line in enumerate(lines, 1):
            words = line.split("#")[0].split()
            if words:
                yield f"{file}:{number}", words


def refuses(netlist, place):
    """MODULE.PARAMETER: has the file of the module an elaboration check that names the parameter?"""
    name, _, parameter = place.partition(".")
    module = next((m for m in netlist.module.values() if m.name == name), None)
    if not module or not parameter: return False
    return any(parameter in re.findall(r"\w+", message)
               for message in re.findall(r'\$display\("%m: ([^"]*)"', read(module.file)))


def differences(netlist, file):
    said, turns, given, each = [], set(), {}, set()
    with open(PROOFS, encoding="latin-1") as lines:
        kinds = [w[:3] for w in map(str.split, lines) if len(w) > 2 and re.match(r"(holds|step|sees|fails)\b", w[0])]
    proofs = {name for kind, name, _ in kinds if kind == "step" or kind.startswith("holds")}
    said += [f"{PROOFS}: {top}: expected a line `{kind}` of its: {why}" for top in sorted({k[2] for k in kinds})
             for kind, why in (("fails", "a fault that it notices"), ("sees", "a run, so that it is not vacuous"))
             if [kind, top] not in [[k[0], k[2]] for k in kinds]]
    for place, (kind, *rest) in rows(file):
        if kind == "turns":
            turns.update(rest)
        elif kind in ("fill", "ring") and len(rest) > 2:
            given[kind, rest[0]] = place, rest[2], rest[3:]
        elif kind != "chip":
            said.append(f"{place}: {kind}: expected chip MODULE PARAMETER=VALUE.., turns MODULE.SIGNAL.., or fill or "
                        f"ring NAME BOUND VERDICT ..")
    rings, (fills, _, instances) = netlist.rings(turns), netlist.fills()
    known = {f"{m.name}.{s}" for m in netlist.design.modules.values() for s in netlist.drives[m.id]}
    said += [f"{file}: turns {t}: no module has this signal" for t in sorted(turns - known)]
    for (kind, name), (place, how, what) in given.items():
        if kind == "ring" and how == "each":
            each |= {i for i in instances.get(name.split(".")[0], ())}
        elif how == "proof" and what and not set(what) - proofs or how == "open" and what:
            pass
        elif how == "tested" and what and all(map(os.path.exists, what)):
            pass
        elif how == "check" and what and all(refuses(netlist, w) for w in what):
            pass
        elif not (how == "writer" and kind == "ring" and what and not set(what) - rings.get(name, set(what))):
            said.append(f"{place}: {how} {' '.join(what)}: expected proof NAMES (of {PROOFS}, holds), "
                        "check MODULE.PARAMETER (refused if too small), tested FILES, open REASON, and of a ring each "
                        "(instances have entries) or writer SIGNALS (all its writes depend on them)")
    found = {("ring", r): "an array that is written at a pointer" for r in rings} | {("fill", f): what
                                                                                     for f, what in fills.items()}
    found |= {("fill", i): "an instance of a ring with `each`" for i in each}
    said += [f"{kind} {name}: {what}; expected an entry in {file}" for (kind, name), what in found.items()
             if (kind, name) not in given]
    return said + [f"{place}: {kind} {name}: nothing of that name is written without a look at its space"
                   for (kind, name), (place, _, _)
                   in given.items() if (kind, name) not in found]


def main(arguments):
    if arguments == ["--top"]:
        print(f"/* verilator lint_off PINMISSING */\nmodule {TOP};")
        for number, (_, words) in enumerate(r for r in rows(LIST) if r[1][0] == "chip"):
            print(f"    {words[1]} #(" + ", ".join(".{}({})".format(*w.split("=")) for w in words[2:])
                  + f") chip_{number} ();")
        print("endmodule")
        return 0
    netlist = Netlist(designs.Design(arguments[-1] if arguments[0] == "--all" else arguments[0]))
    if arguments[0] == "--all":
        fills, fine, _ = netlist.fills()
        print(*[f"ring {r}: {' '.join(sorted(on))}" for r, on in sorted(netlist.rings(()).items())],
              *[f"fill {f}: {what}" for f, what in sorted(fills.items())], *[f"looks {f}" for f in sorted(fine)],
              sep="\n")
        return 0
    said = differences(netlist, (arguments + [LIST])[1])
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0
