#!/usr/bin/env python3
"""What Verilator reports of a design: modules with their ports, parameters, instances, assignments and clocks. The only
reader of it.

    design.py files DESIGN            the source files, one per line
    design.py instances DESIGN        PATH MODULE of each instance, as waves name it, without the name of the model
    design.py signals DESIGN CHIP     every signal by its name in waves; CHIP is the name of the model in the simulation
    design.py ports DESIGN            ports, parameters and instances of every module, one per line
    design.py opened DESIGN           files that the design opens for reading: readmem or fopen, place, name ("" if
                                      computed at run time)
    design.py differences DEFAULT BLOCK   ports and parameters in which the top of BLOCK differs; exit code 1 if there
                                      are any. The order of ports does not matter, since blocks are connected by name;
                                      more parameters do no harm

DESIGN comes from report.sh: XML, or JSON, whose source files are in DESIGN.files. The first character shows which one
it is. Both become one tree in the words of XML: `words` and `from_json` hold all that differs between versions.
Python's standard library is enough. """
import re
import sys
import xml.etree.ElementTree as ET

from common import stop

sys.setrecursionlimit(1 << 20)  # an expression may be nested as deep as its author likes

# ---- JSON as the tree of XML ----
# others: in small letters
words = {"CELL": "instance", "PIN": "port", "ASSIGNW": "contassign", "LOOP": "while", "GENBLOCK": "begin"}
ways = {"INPUT": "input", "OUTPUT": "output", "INOUT": "inout"}


def from_json(node, parent, by_address):
    """Adds the node to its parent."""
    kind = node["type"]
    element = parent
    if kind != "ALWAYS" or node.get("keyword") != "cont_assign":  # from 5.042 on around each continuous assignment
        file, line, column = re.match(r"(\w+),(\d+):(\d+)", node["loc"]).groups()
        given = {"loc": f"{file},{line},{column}", "name": node.get("name", "")}
        for theirs, ours in (("origName", "origName"), ("edgeType", "edgeType"), ("dtypep", "dtype_id"),
                             ("refDTypep", "sub_dtype_id")):
            if theirs in node:
                given[ours] = node[theirs]
        if kind.endswith("DTYPE"):
            given["id"] = node["addr"]
            if "range" in node:
                given["left"], given["right"] = node["range"].split(":")
        elif kind == "VAR":
            if node.get("direction") in ways:
                given["dir"] = ways[node["direction"]]
            if node.get("isGParam"):
                given["param"] = "true"
        elif kind == "CELL":
            given["defName"] = by_address.get(node["modp"], {}).get("name", "")
        elif kind == "PIN":
            given["direction"] = by_address.get(node["modVarp"], {}).get("direction", "").lower().replace("put", "")
        element = ET.SubElement(parent, words.get(kind, kind.lower()), given)
    for value in node.values():
        if isinstance(value, list):
            for below in value:
                from_json(below, element, by_address)


def tree_of(path):
    """The report as an XML tree."""
    with open(path, "rb") as file:
        text = file.read()
    if not text.startswith(b"{"):
        return ET.fromstring(text)
    by_address = {}

    def note(node):
        if "addr" in node:
            by_address[node["addr"]] = node
        return node

    import json  # not needed for XML
    netlist = json.loads(text, object_hook=note)
    root = ET.Element("verilator_xml")
    with open(path + ".files", "rb") as file:
        for number, about in json.load(file)["files"].items():
            ET.SubElement(root, "file", {"id": number, "filename": about["filename"]})
    for node in netlist["modulesp"] + netlist["miscsp"]:
        if node["type"] != "CONSTPOOL":
            from_json(node, root, by_address)
    level = {node["name"]: node["level"] for node in netlist["modulesp"] if node["type"] == "MODULE"}
    for module in root.iterfind("module"):
        if level[module.get("name")] == min(level.values()):
            module.set("topModule", "1")
    return root


# ---- the design ----
class Variable:
    """A signal or parameter. `name` is the Verilog name, `cpp` that in C++; `way` is input, output, inout or None."""

    def __init__(self, element):
        self.name, self.cpp = element.get("name"), element.get("origName")
        self.type, self.way, self.parameter = (element.get("dtype_id"), element.get("dir"),
                                               element.get("param") is not None)


class Pin:
    """A port of an instance: `way` in, out or inout; `signals` in its expression. `sign` is 1 for a signal as it is, -1
    for its opposite, 0 for any other expression, None for nothing; `signal` is the one that it is connected to without
    an expression."""

    def __init__(self, way, signals, sign):
        self.way, self.signals, self.sign = way, signals, sign
        self.signal = signals[0] if sign == 1 and signals else None


class Instance:
    """`of`: the module, by Verilator's name for it; `path`: its name with those of the generate blocks around it."""

    def __init__(self, of, path):
        self.of, self.path, self.pins = of, path, {}


class Process:
    """An always block with edges: (POS, NEG or BOTH, signals, is it one signal without an expression); `read`: all
    other signals in it."""

    def __init__(self):
        self.edges, self.read = [], {}


class Module:
    """`id` is Verilator's name, another one for other parameters; `name` that in the source; `file` the source."""

    def __init__(self, element, file):
        self.id, self.name, self.file = element.get("name"), element.get("origName"), file
        self.variables = {}  # by name in C++; those of the module itself
        self.signals = []  # all names in waves, those in generate blocks with their path
        self.instances, self.processes = [], []
        self.alias = {}  # signal -> the one that is assigned to it without an expression
        self.follows = {}  # signal -> [(sign as in Pin, signals)] that it follows without a clock
        self.local = set()  # signals of blocks, with their path
        self.inputs, self.origins_of, self.acts, self.driven = None, {}, None, None

    @property
    def ports(self):
        return [v for v in self.variables.values() if v.way]


def sign_of(tags):
    return 1 if not tags else -1 if tags == ["not"] else 0


class Design:
    """modules: by Verilator's name; top; files: by number; loops: (file, line, column)."""

    def __init__(self, path):
        try:
            self.root = tree_of(path)
        except (ET.ParseError, ValueError, KeyError) as e:
            stop(f"{path}: expected a whole report of Verilator, XML or JSON: {e}")
        except OSError as e:
            stop(f"{e.filename}: {e.strerror}; expected a report of Verilator", 2)
        self.files = {f.get("id"): f.get("filename") for f in self.root.iter("file")}
        self.modules, self.top, self.loops, self.types = {}, None, [], {}
        for element in self.root.iter("module"):
            file = element.get("loc").split(",")[0]
            module = self.modules[element.get("name")] = Module(element, self.files.get(file))
            if element.get("topModule"):
                self.top = module
            for below in element:
                self.statement(module, below, [], None)
        if not self.top:
            stop(f"{path}: no top module")
        for table in self.root.iter("typetable"):
            for t in table:
                self.types[t.get("id")] = t
        for loop in self.root.iter("while"):
            file, line, column = loop.get("loc").split(",")[:3]
            self.loops.append((self.files.get(file), int(line), int(column)))
        self.widths = {}

    def statement(self, module, element, blocks, process):
        tag = element.tag
        if tag == "varref":
            if process:
                process.read[self.meant(module, element.get("name"), blocks)] = True
        elif tag == "var":
            self.declared(module, element, blocks)
        elif tag == "instance":
            self.instantiated(module, element, blocks)
        elif tag == "contassign":
            self.assigned(module, element, blocks)
        elif tag == "senitem":
            kind = element.get("edgeType")
            if process and kind not in ("CHANGED", None):
                signals, tags = self.expression(module, element, blocks)
                process.edges.append((kind, signals, not tags))
        elif tag in ("func", "task"):
            pass
        elif tag == "always":
            process = Process()
            for below in element:
                self.statement(module, below, blocks, process)
            if process.edges:
                module.processes.append(process)
            else:
                for signal in process.read:
                    module.follows.setdefault(signal, []).append((0, list(process.read)))
        else:
            if tag == "begin":
                blocks = blocks + [element.get("name") or ""]
            for below in element:
                self.statement(module, below, blocks, process)

    @staticmethod
    def meant(module, name, blocks):
        """The signal of this name: one of a generate block around it, or one of the module."""
        for depth in range(len(blocks), 0, -1):
            scoped = ".".join(blocks[:depth] + [name])
            if scoped in module.local:
                return scoped
        return name

    def expression(self, module, element, blocks):
        """Signals below an element, and the kinds of all else that there is."""
        signals, tags = [], []
        for e in element.iter():
            if e.tag == "varref":
                signals.append(self.meant(module, e.get("name"), blocks))
            elif e is not element:
                tags.append(e.tag)
        return signals, tags

    @staticmethod
    def declared(module, element, blocks):
        variable = Variable(element)
        module.signals.append(".".join([b for b in blocks if b] + [variable.name]))
        if blocks:
            module.local.add(".".join(blocks + [variable.cpp]))
        else:
            module.variables[variable.cpp] = variable

    def instantiated(self, module, element, blocks):
        instance = Instance(element.get("defName"), ".".join(blocks + [element.get("origName")]))
        module.instances.append(instance)
        for port in element.iterfind("port"):
            signals, tags = self.expression(module, port, blocks)
            instance.pins[port.get("name")] = Pin(port.get("direction"), signals,
                                                  sign_of(tags) if signals or tags else None)

    def assigned(self, module, element, blocks):
        signals, tags = self.expression(module, element, blocks)
        if not signals:
            return
        *sources, target = signals
        if len(sources) == 1 and not tags:
            module.alias[target] = sources[0]
        if sources:
            module.follows.setdefault(target, []).append((sign_of(tags), sources[::-1]))

    # ---- types ----
    def type(self, identity):
        """The type behind the names that it was given."""
        t = self.types.get(identity)
        return self.type(t.get("sub_dtype_id")) if t is not None and t.tag in ("refdtype", "enumdtype") else t

    def range(self, identity):
        """[left:right] of a vector, else None."""
        t = self.type(identity)
        return f"[{t.get('left')}:{t.get('right')}]" if t is not None and t.get("left") is not None else None

    def unpacked(self, identity):
        """Whether values of this type are no bits side by side."""
        t = self.type(identity)
        kind = "" if t is None else t.tag
        return kind == "unpackarraydtype" or (kind == "basicdtype"
                                              and bool(re.match("real|string|chandle|event", t.get("name"))))

    def width(self, identity):
        """Bits, those of types that SystemVerilog packs of others, too; None if the type has none."""
        if identity not in self.widths:
            self.widths[identity] = None  # of a type within itself
            t = self.type(identity)
            self.widths[identity] = None if t is None else self.width_of(t)
        return self.widths[identity]

    def width_of(self, t):
        if t.tag == "basicdtype":
            return abs(int(t.get("left")) - int(t.get("right"))) + 1 if t.get("left") is not None else 1
        if t.tag in ("structdtype", "uniondtype"):
            parts = [self.width(m.get("sub_dtype_id")) for m in t.iterfind("memberdtype")]
            return None if None in parts else (sum if t.tag == "structdtype" else max)(parts)
        width = self.width(t.get("sub_dtype_id")) if t.tag == "packarraydtype" else None
        bounds = [number(c.get("name")) for c in t.iter("const")]
        return width * (abs(bounds[0] - bounds[1]) + 1) if width and len(bounds) == 2 else None

    # ---- what a signal follows, and which ports act by their edges ----
    def origins(self, module, signal):
        """Inputs of the module that a signal follows without a register -> 1 as it is, -1 the opposite, 0 otherwise."""
        if signal in module.origins_of:
            return module.origins_of[signal]
        if module.inputs is None:
            module.inputs = {p.name for p in module.ports if p.way != "output"}
        found = module.origins_of[signal] = {signal: 1} if signal in module.inputs else {}
        if found:
            return found
        for sign, sources in module.follows.get(signal, []):
            for source in sources:
                add(found, self.origins(module, source), sign)
        if module.driven is None:
            module.driven = {}
            for instance in module.instances:
                for name, pin in instance.pins.items():
                    for s in pin.signals if pin.way != "in" else []:
                        module.driven.setdefault(s, []).append((instance, name))
        for instance, name in module.driven.get(signal, []):
            inside = self.origins(self.modules[instance.of], name) if instance.of in self.modules else {}
            for pin, sign in list(inside.items()):
                add(found, self.pin_origins(module, instance, pin), sign * instance.pins[name].sign)
        return found

    def pin_origins(self, module, instance, name):
        found, pin = {}, instance.pins.get(name)
        for signal in pin.signals if pin else []:
            add(found, self.origins(module, signal), pin.sign)
        return found

    def edges(self, module):
        """Ports of the module whose edges matter -> {"clock": of registers, "rise", "fall": which edges}. A clock that
        is an expression (a gated clock) counts as one only if it has the name of one."""
        if module.acts is not None:
            return module.acts
        acts = module.acts = {}

        def act(port, sign, what):
            to = acts.setdefault(port, {"clock": False, "rise": False, "fall": False})
            to["clock"] |= bool(what["clock"] and (sign or re.search("cl(oc)?k", port, re.I)))
            to["rise"] |= what["fall" if sign < 0 else "rise"] or not sign
            to["fall"] |= what["rise" if sign < 0 else "fall"] or not sign

        for process in module.processes:
            for kind, signals, plain in process.edges:
                for signal in signals:
                    reset = len(process.edges) > 1 and signal in process.read
                    what = {"clock": not reset, "rise": kind != "NEG", "fall": kind != "POS"}
                    for port, sign in list(self.origins(module, signal).items()):
                        act(port, plain * sign, what)
        for instance in module.instances:
            inside = self.edges(self.modules[instance.of]) if instance.of in self.modules else {}
            for pin, what in list(inside.items()):
                for port, sign in self.pin_origins(module, instance, pin).items():
                    act(port, sign, what)
        return acts

    def walk(self, module=None, path=None):
        """(path, module) of each instance of a known module, from the top downwards; generate blocks are in paths."""
        module = module or self.top
        path = path or module.name
        yield path, module
        for instance in module.instances:
            if instance.of in self.modules:
                yield from self.walk(self.modules[instance.of], f"{path}.{instance.path}")


def add(to, signs, sign):
    for signal, s in list(signs.items()):
        to[signal] = s * sign if to.get(signal, s * sign) == s * sign else 0


def number(text):
    """Value of a constant, 32'shff."""
    bits, signed, digits = re.match(r"(\d+)'(s?)h([0-9a-f]+)$", text).groups()
    value = int(digits, 16)
    return value - (1 << int(bits)) if signed and value >> int(bits) - 1 else value


# ---- commands ----
def files(design):
    # <built-in> and its like are no files
    return sorted({f for f in design.files.values() if not re.search("[<&]", f)})


def instances(design):
    return [f"{path} {module.name}" for path, module in design.walk()]


def signals(design, chip):
    return [f"{chip}.{path}.{name}" for path, module in design.walk() for name in module.signals]


def ports(design):
    lines = []
    for module in design.modules.values():
        for p in module.ports:
            lines.append(f"{module.id} {p.way} {p.name} {design.width(p.type) or '?'} {design.range(p.type) or '-'}")
        lines += [f"{module.id} parameter {v.name}" for v in module.variables.values() if v.parameter]
        for i in module.instances:
            pins = [f"{n}={p.way}:{'~' if p.sign == -1 else '' if p.sign else '?'}{','.join(p.signals)}"
                    for n, p in i.pins.items()]
            lines.append(" ".join([f"{module.id} instance {i.path} {i.of}"] + pins))
    return lines


def opened(design):
    found = set()
    for call in design.root.iter():
        if call.tag not in ("readmem", "fopen", "fopenmcd"):
            continue
        given = []  # the name of the file, then what it is opened for
        for argument in call:
            if argument.tag == "const":
                given.append(text_of(argument.get("name")))
            elif len(argument) or (call.tag == "readmem" and argument.tag == "varref" and not given):
                given.append("")
        reads = call.tag == "readmem" or (call.tag == "fopen" and (given[1:2] or ["r"])[0].startswith("r"))
        if reads:
            file, line = call.get("loc").split(",")[:2]
            found.add(f"{call.tag} {design.files.get(file)}:{line} {given[0] if given else ''}")
    return sorted(found)


def text_of(constant):
    """A string as a constant, 40'h782e686578, or "x.hex" with or without backslashes."""
    quoted = re.fullmatch(r'\\?"(.*?)\\?"', constant, re.S)
    if quoted:
        return quoted[1]
    digits = constant.split("h", 1)[1]
    return bytes.fromhex("0" * (len(digits) % 2) + digits).replace(b"\0", b"").decode("latin-1")


# ports of modules in plug-in points: their name now, and the one before
renamed = {"wr_poisoned": "wr_spoiled", "rd_poisoned": "rd_spoiled"}


def differences(default, block):
    def interface(design):
        return ({p.cpp: (p.way, design.width(p.type) or 0) for p in design.top.ports},
                {v.cpp for v in design.top.variables.values() if v.parameter})

    def bits(width):
        return "1 bit" if width == 1 else f"{width} bits"

    (wanted, parameters), (own, own_parameters) = interface(default), interface(block)
    said = []
    for name, (way, width) in sorted(wanted.items()):
        if name not in own and own.pop(renamed.get(name), None):
            said.append(f"port {renamed[name]} is called {name} now")
        elif name not in own:
            said.append(f"port {name} is missing ({way}, {bits(width)})")
        elif own[name][0] != way:
            said.append(f"port {name} is an {own[name][0]}, expected an {way}")
        elif own[name][1] != width:
            said.append(f"port {name} has {bits(own[name][1])}, expected {bits(width)}")
    for name, (way, width) in sorted(own.items()):
        if name not in wanted:
            said.append(f"port {name} ({way}, {bits(width)}) is none of the slot")
    return said + [f"parameter {p} is missing" for p in sorted(parameters - own_parameters)]


commands = {"files": files, "instances": instances, "signals": signals, "ports": ports, "opened": opened,
            "differences": differences}


def main(arguments):
    command = commands[arguments[0]]
    lines = command(Design(arguments[1]), *(Design(a) if command is differences else a for a in arguments[2:]))
    sys.stdout.writelines(line + "\n" for line in lines)
    return 1 if command is differences and lines else 0
