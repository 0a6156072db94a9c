#!/usr/bin/env python3
"""Register map generator: one description in, one of six texts out.

    scripts/registers.py format=FORMAT [NAME=VALUE...] [MAP]
                            FORMAT  verilog, block, wires, access, c or markdown (nic_registers.vh,
                                    nic_register_block.vh, nic_register_wires.vh, coherent_register_access.vh,
                                    nic_register_map.h, registers.md)

More options (NAME=VALUE):  prefix  first part of every macro (default NIC)
                            window  bytes that registers may take (default 16384: the request queues start at 0x4000)
                            place   where offsets count from, for comments (default BAR1)
                            copy    block: what rw registers read, 32 bits: a copy of the module's own in a memory
                                    (default: their storage, by a multiplexer)

Input, one directive per line, # starts a comment line:

    reg   OFFSET  NAME         ACCESS  RESET  [ATTRIBUTE=VALUE ...] TEXT      a 32-bit register
    array OFFSET  NAME  COUNT  ACCESS  RESET  [ATTRIBUTE=VALUE ...] TEXT      COUNT registers, 4 bytes apart (stride=)
    field MSB:LSB NAME                        [ATTRIBUTE=VALUE ...] TEXT      bits of the register (or array) above

A first line "# SPDX.." is passed on to the C header.

OFFSET is a byte offset 0x.., a multiple of 4; an array has 2, 4, 8.. registers and starts at a multiple of its size.
RESET is 0x.., at most 32 bits; names are capitals, digits and _, starting with a capital; ACCESS is one of rw ro rc nc
w1c (what they mean stands in the map itself). Attributes:

    from=EVENT[,EVENT]  reg rc, reg nc, field of w1c: what is counted, or sets the bit: any of these events, in small
                        letters
    shown=NAME          reg rc, ro or array ro, field of rw: no storage; what is read is the wire NAME (of an array
                        NAME_low and NAME_high, for offsets that are multiples of 8, and the others), written by hand in
                        the folder of the module
    bits=N              reg rc: the counter has N bits, 1..32 (default 32)
    mask=NAME           reg rw: only bits that are 1 in NAME, a constant of the module, are stored (default: all bits of
                        its fields that are not shown=, all 32 of a register without fields)
    reset=NAME          reg rw: the reset value in Verilog, a constant or wire of the module, where it is not the same
                        in every build
    block=NAME          reg rw, reg ro: another block keeps it and looks for its writes itself; what is read are bits of
                        the vector NAME
    error=yes           counter (or reg ro, array ro of counters): stays 0 as long as nothing goes wrong
    compare=NAME        counter: what an independent count of a test compares it with
    links=N             reg nc: there with that many links at least; else it reads 0. After all that have no such
                        attribute
    stride=N            array: N bytes apart, a multiple of 4; such an array has no storage and no read side here
    paths=yes           reg rw, reg ro: there with several links by packet only; else it reads 0 and keeps nothing

Output names, for a register CONTROL with a field HEAD and a one-bit field DIRECT:

    verilog   `NIC_CONTROL 15'h0000   `NIC_CONTROL_RESET 32'h..   `NIC_CONTROL_HEAD_MSB/_LSB
              `NIC_CONTROL_DIRECT_MSB/_LSB/_BIT
              an event x: its bit of the vector of events, `NIC_EVENT_X (rc, w1c) or `NIC_NC_X (nc);
              `NIC_EVENT_COUNT, `NIC_NC_COUNT bits
              a field of rw: its bits of the vector of settings, `NIC_SETTING_CONTROL_HEAD m:l; `NIC_SETTING_BITS in all
              a field of ro that is not shown=: its bits of the vector of views, `NIC_VIEW_.. m:l; `NIC_VIEW_BITS in all
              a field of a register with block=x: its bits of that vector, `NIC_X_.. m:l; `NIC_X_BITS in all
    c          NIC_CONTROL 0x0000u     NIC_CONTROL_RESET 0x..u     NIC_CONTROL_HEAD_MASK/_SHIFT; tables nic_registers[],
                                                                   nic_fields[]
              NIC_EVENT_X, NIC_NC_X, names in nic_events[] and nic_ncs[]; lowest bits NIC_SETTING_.., NIC_VIEW_..
    both      an array Q also has NIC_Q_COUNT; a register without fields is one field without a name
              (NIC_VIEW_DMA_STATES)

    block     text for the inside of a module: storage stored_NAME, counters, copies of counters, multiplexers of the
              read side. What it finds there and what it makes stands at the top of it
    access    a function for the inside of a module: cni_access (offset) = {may be written, may be read}
    wires     text for the inside of the module around that: a wire ev_NAME for each event but nc, view_REGISTER_FIELD
              for each view, and the vectors `events` and `views` made of them

Whatever is wrong in the input is refused as FILE:LINE: what stands there, what was expected. All errors of a file are
reported, the exit code is 1 and nothing is written."""
import re
import sys

sys.pycache_prefix = sys.pycache_prefix or "build/pycache"
import tool

WORD = (r"[A-Za-z][A-Za-z0-9_]*", "{0}= and one name")
ATTRIBUTES = {  # where one may stand (directive and access), its values, and how a refusal names them
    "from": ("reg-rc reg-nc field-w1c", r"[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*",
             "from= and events in small letters, digits and _, with commas between them"),
    "shown": ("reg-ro array-ro reg-rc field-rw", *WORD),
    "bits": ("reg-rc", r"0*([1-9]|[12]\d|3[012])", "bits=1 to bits=32"),
    "mask": ("reg-rw", *WORD), "reset": ("reg-rw", r"\S*", ""), "block": ("reg-rw reg-ro", *WORD),
    "error": ("reg-rc reg-nc reg-ro array-ro", "yes", "{0}=yes"), "compare": ("reg-rc reg-nc", *WORD),
    "links": ("reg-nc", "[24]", "links=2 or links=4"), "paths": ("reg-rw reg-ro", "yes", "{0}=yes"),
    "stride": ("array-ro array-rw", r"(4|8|16|32|64|128)", "stride=4, 8, 16 .. 128"),
}
options = {"format": "", "prefix": "NIC", "window": "16384", "place": "BAR1", "copy": ""}
errors, registers, fields, macro_line, licence = [], [], [], {}, []
events = {"EVENT": [], "NC": []}
vectors = {"rw": 0, "ro": 0}  # how many bits each has
slices = []  # what has bits in a vector, in their order
HALVES = {"low": "31:0", "high": "63:32"}  # of a 64-bit word: its registers at multiples of 8, and the others
UNUSED = "__attribute__((unused))"  # in C: a table that not everyone looks at
places = {"rc": {}, "nc": {}}  # {offset bits 9 and 6 to 3: {half: counter}}, in the order of their places
few_copies = 0  # places of those that are there with two links


class Item:
    """A register, an array of them, or a field."""

    def __init__(self, name, line, access):
        self.name, self.line, self.access, self.attributes, self.text = name, line, access, {}, ""

    def get(self, attribute):
        return self.attributes.get(attribute, "")


class Register(Item):
    reset, count, array, offset = "0" * 8, 1, False, 0

    def stride(self):
        return int(self.get("stride") or 4)

    def __init__(self, *item):
        super().__init__(*item)
        self.fields, self.bits = [], {}
        self.half = self.stored = self.vector = None

    def macro(self):
        return f"`{P}_{self.name}"


class Field(Item):
    def place(self):
        return f"{self.msb}:{self.lsb}" if self.msb != self.lsb else f"{self.lsb}"


# ---- reading

class Map:
    def __init__(self, path):
        self.path, self.line, self.current = path, 0, None
        kinds = {"reg": self.register, "array": self.register, "field": self.field}
        for text in open(path, encoding="latin-1", newline="\n") if path else ():
            self.line, self.text = self.line + 1, text.rstrip("\n").removesuffix("\r")
            self.words = self.text.split()
            if self.line == 1 and self.text.startswith("# SPDX"):
                licence.append(f"/* {self.text[2:]} */")
            if self.words and not self.words[0].startswith("#"):
                kinds.get(self.words[0], self.unknown)()
        if not errors and not registers:
            errors.append(f"{path or 'registers.py'}: no register found, expected at least one reg or array line")
        if not errors:
            self.settle()

    def refuse(self, message, line=None):
        errors.append(f"{self.path}:{line or self.line}: {message}")

    def unknown(self):
        self.refuse(f"unknown directive '{self.words[0]}', expected reg, array or field")

    def claim(self, *macros, line=None):
        """Two different names of the map must not meet in one macro (register A_B with a field C, register A with a
        field B_C)."""
        for macro in (f"{P}_{m}" for m in macros):
            if macro in macro_line:
                self.refuse(f"macro {macro} is already made by line {macro_line[macro]}, expected a name that gives a "
                            "new one", line)
            else:
                macro_line[macro] = line or self.line

    def good(self, name):
        if re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            return True
        return self.refuse(f"name '{name}', expected capitals, digits and _, starting with a capital")

    def attributes(self, item, where, n):
        """The attributes of the line, behind n words, and the text behind them."""
        while n < len(self.words) and re.match("[a-z]+=.", self.words[n]):
            word = self.words[n]
            name, value = word.split("=", 1)
            n += 1
            allowed, values, expected = ATTRIBUTES.get(name, ("", "", ""))
            if not allowed:
                self.refuse(f"unknown attribute '{word}', expected from, shown, bits, mask, reset, block, error, "
                            "compare, links, stride or paths")
            elif where not in allowed.split():
                self.refuse(f"attribute '{word}' does not belong to {where}, expected it with "
                            + allowed.replace(" ", ", "))
            elif name in item.attributes:
                self.refuse(f"attribute '{word}' is the second of its kind, expected one {name}=")
            elif not re.fullmatch(values, value):
                self.refuse(f"attribute '{word}', expected {expected.format(name)}")
            else:
                item.attributes[name] = value
                for event in value.split(",") if name == "from" else ():
                    self.event("NC" if where == "reg-nc" else "EVENT", event)
        if n >= len(self.words):
            self.refuse("no text, expected what it is")
        item.text = re.sub(r"^(\s*\S+){0,%d}\s*" % n, "", self.text, count=1).rstrip()

    def event(self, kind, name):
        """Its place in its vector: in the order of the map. A network event is counted in one place, by one counter."""
        if name not in events[kind]:
            events[kind].append(name)
            self.claim(f"{kind}_{name.upper()}")
        elif kind == "NC":
            self.refuse(f"event {name} is counted already, expected one nc counter for each event")

    def register(self):
        words, array = self.words, self.words[0] == "array"
        form = "array OFFSET NAME COUNT ACCESS RESET TEXT" if array else "reg OFFSET NAME ACCESS RESET TEXT"
        if len(words) < len(form.split()):
            self.current = None
            return self.refuse(f"{len(words)} words, expected {form}")
        _, offset, name, *count, access, reset = words[:6 if array else 5]
        self.current = r = Register(name, self.line, access)
        registers.append(r)
        r.array = array
        self.attributes(r, f"{words[0]}-{access}", len(form.split()) - 1)
        if not array and access in ("rc", "nc") and not r.get("from") and not r.get("shown"):
            self.refuse(f"counter {name} counts nothing, expected from=EVENT" + " or shown=NAME" * (access == "rc"))
        if access not in ("rw", "ro", "rc", "nc", "w1c"):
            self.refuse(f"unknown access '{access}', expected rw, ro, rc, nc or w1c")
        if is_hex(reset):
            r.reset = reset[2:].lower().zfill(8)
        else:
            self.refuse(f"reset value '{reset}', expected 0x and at most 8 hexadecimal digits")
        if array:
            if re.fullmatch(r"\d+", count[0]) and 1 <= int(count[0]) <= window // 4:
                r.count = int(count[0])
            else:
                self.refuse(f"count '{count[0]}', expected a decimal number from 1 to {window // 4}")
            self.claim(f"{name}_COUNT")
        if self.good(name):
            first = next((other for other in registers if other is not r and other.name == name), None)
            if first:
                self.refuse(f"duplicate name {name}, expected a new one (line {first.line} has it)")
            else:
                self.claim(name, f"{name}_RESET")
        if not is_hex(offset):
            return self.refuse(f"offset '{offset}', expected 0x and hexadecimal digits")
        r.offset = int(offset, 16)
        r.half = "high" if r.offset // 4 % 2 else "low"
        end = r.offset + r.stride() * (r.count - 1) + 4
        if r.offset % 4:
            return self.refuse(f"unaligned offset {offset}, expected a multiple of 4")
        if end > window:
            return self.refuse(f"{name} ends at 0x{end:04x}, expected it to end at or below 0x{window:04x}")
        for word in range(r.offset, end, r.stride()):
            other = self.owner.setdefault(word, r)
            if other is not r:
                return self.refuse(f"{name} overlaps {other.name} (line {other.line}) at 0x{word:04x}, expected a free "
                                   "offset")
        if array and (r.count < 2 or r.count & r.count - 1 or r.stride() == 4 and r.offset % (4 * r.count)):
            self.refuse(f"array of {r.count} at {offset}, expected 2, 4, 8.. registers at a multiple of their size")
        return None
    owner = {}

    def field(self):
        words, r = self.words, self.current
        if len(words) < 4:
            return self.refuse(f"{len(words)} words, expected field MSB:LSB NAME TEXT")
        bits, name = words[1:3]
        if not r:
            return self.refuse(f"field {name} belongs to no register, expected a reg or array line before it")
        if not re.fullmatch(r"\d+:\d+", bits):
            return self.refuse(f"bits '{bits}', expected MSB:LSB in decimal")
        f = Field(name, self.line, r.access)
        f.msb, f.lsb = map(int, bits.split(":"))
        if f.msb > 31 or f.lsb > f.msb:
            return self.refuse(f"bits {bits} of field {name} are out of range, expected 31 >= MSB >= LSB >= 0")
        if not self.good(name):
            return None
        for other in r.fields:
            if other.name == name:
                return self.refuse(f"duplicate name {name} in register {r.name}, expected a new one (line {other.line} "
                                   "has it)")
        if r.access == "w1c" and f.msb != f.lsb:
            self.refuse(f"field {name} of a w1c register has bits {bits}, expected one bit")
        for i in range(f.lsb, f.msb + 1):
            if i in r.bits:
                return self.refuse(f"field {name} overlaps {r.bits[i].name} of register {r.name} in bit {i}, expected "
                                   "free bits")
        r.bits.update(dict.fromkeys(range(f.lsb, f.msb + 1), f))
        r.fields.append(f)
        fields.append((r, f))
        self.attributes(f, f"field-{r.access}", 3)
        if r.access == "w1c" and not f.get("from"):
            self.refuse(f"nothing sets the bit {name}, expected from=EVENT")
        self.claim(*(f"{r.name}_{name}_{part}" for part in ("MASK", "SHIFT", "MSB", "LSB", "BIT")))
        return None

    def settle(self):
        """When all is read: the bits of settings and views, and where the counters are kept.

        Counters stand in memories, those at multiples of 8 in one, the others in a second; two counters in one 64-bit
        word have the same place in both. The place is found from offset bits 9 and 6 to 3; the same for the copies of
        the network counters."""
        global few_copies
        for r in registers:
            r.vector = r.get("block") or "views"
            r.stored = r.access == "rw" and not r.get("block") and not r.get("stride")
            if r.access == "rw" or r.access == "ro" and not r.get("shown") and not r.array:
                kind = r.get("block") or r.access
                macro = {"rw": "SETTING", "ro": "VIEW"}.get(kind, kind.upper()) + f"_{r.name}"
                for f in r.fields or [r]:
                    if not f.get("shown"):
                        self.slice(kind, f, macro if f is r else f"{macro}_{f.name}",
                                   32 if f is r else f.msb - f.lsb + 1, r)
            if r.access in places and r.get("from"):
                kept = places[r.access]
                at = (r.offset // 512 % 2, r.offset // 8 % 16)
                if at not in kept and (not r.get("links") or int(r.get("links")) < 4) and r.access == "nc":
                    few_copies = len(kept) + 1
                other = next(iter(kept.get(at, {}).values()), r)
                if other.offset // 8 != r.offset // 8:
                    self.refuse(f"counter {r.name} has offset bits 9 and 6 to 3 like {other.name} (line {other.line}), "
                                "expected an offset where they differ", r.line)
                kept.setdefault(at, {})[r.half] = r

    def slice(self, kind, item, macro, bits, r):
        if kind not in vectors:
            vectors[kind] = 0
            self.claim(f"{kind.upper()}_BITS", line=r.line)
        item.low, item.slice, item.owner = vectors[kind], f"{P}_{macro}", r
        vectors[kind] += bits
        item.high = vectors[kind] - 1
        self.claim(macro, line=r.line)
        slices.append(item)


def is_hex(word):
    return re.fullmatch("0[xX][0-9a-fA-F]{1,8}", word)


def mask(msb, lsb):
    return f"{(2 << msb) - (1 << lsb):08x}"


def width(count):
    return max((count - 1).bit_length(), 1)


# ---- writing

def define(mark, name, value):
    print(f"{mark}define {P + '_' + name:<44} {value}")


def define_events(mark):
    for kind, names in events.items():
        define(mark, f"{kind}_COUNT", len(names))
        for i, name in enumerate(names):
            define(mark, f"{kind}_{name.upper()}", i)


def define_vectors(mark, bits):
    for kind, count in vectors.items():
        define(mark, {"rw": "SETTING", "ro": "VIEW"}.get(kind, kind.upper()) + "_BITS", count)
    for item in slices:
        print(f"{mark}define {item.slice:<44} {bits(item)}")


def write_verilog():
    print("// Made by scripts/registers.py from the register map; edit the map, not this file.\n"
          f"`ifndef {P}_REGISTERS_VH\n"
          f"`define {P}_REGISTERS_VH")
    for r in registers:
        print(f"\n// {r.access}: {r.text}")
        define("`", r.name, f"15'h{r.offset:04x}")
        define("`", f"{r.name}_RESET", f"32'h{r.reset}")
        if r.array:
            define("`", f"{r.name}_COUNT", r.count)
        for f in r.fields:
            define("`", f"{r.name}_{f.name}_MSB", f.msb)
            define("`", f"{r.name}_{f.name}_LSB", f.lsb)
            if f.msb == f.lsb:
                define("`", f"{r.name}_{f.name}_BIT", f.lsb)
    print("\n// events, one bit each")
    define_events("`")
    print("\n// bits of settings and views")
    define_vectors("`", lambda item: f"{item.high}:{item.low}")
    print("\n`endif")


def write_block():
    """The inside of a module. `low` and `high` are the registers at multiples of 8 and the others."""
    print("""// Made by scripts/registers.py from the register map; edit the map, not this file.
//
// The inside of a module with the registers of the map. It finds there:
//     clk, rst; the vectors events, views and settings; what the map names by shown=, mask= and reset=
//     w_valid, w_low, w_high: the 64-bit write of this clock, offsets of its two registers
//     w_data, w_mask, w_set: its data, the bits that it writes, those of them that it sets
//     r_low, r_high: offsets of the two registers that are read in this clock
//     rd_addr: what they become, in 64-bit words
//     copy_clk, copy_update, copy_index, copy_value: the copy of an nc counter, numbered in the order of the map
// and makes: stored_NAME of the registers rw and w1c, settings, and low and high, what r_low and r_high read.

// ---- set-up registers""")
    stored = [r for r in registers if r.stored]
    for r in registers:
        if r.stored or r.access == "w1c":
            print(f"reg  [31:0] stored_{r.name.lower()};")
    print("\nalways @(posedge clk)\n    if (rst) begin")
    for r in stored:
        print(f"        stored_{r.name.lower()} <= {r.get('reset') or r.macro() + '_RESET'};")
    print("    end else if (w_valid) begin")
    for half, bits in HALVES.items():
        print(f"        case (w_{half})")
        for r in (r for r in stored if r.half == half):
            n = f"stored_{r.name.lower()}"
            kept = sum((2 << f.msb) - (1 << f.lsb) for f in r.fields if not f.get("shown")) if r.fields else 0xffffffff
            print(f"        {r.macro()}:\n            {n} <= (({n} & ~w_mask[{bits}]) | w_set[{bits}])"
                  + (f" & 32'h{kept:08x}" if kept != 0xffffffff else "")
                  + (f" & {r.get('mask')}" if r.get("mask") else "") + ";")
        print("        default: ;\n        endcase")
    print("    end\n")
    for item in slices:
        if item.slice.startswith(f"{P}_SETTING_"):
            bits = f"[{item.place()}]" if isinstance(item, Field) else ""
            print(f"assign settings[`{item.slice}] = stored_{item.owner.name.lower()}{bits};")
    for r in registers:
        if r.access == "w1c":
            n, bits = r.name.lower(), HALVES[r.half]
            print(f"""
// ---- {r.name}: what the hardware sets wins
wire [31:0] set_{n} =
    {{{pieces(r, lambda f: any_of(f.get('from')), ',' + chr(10) + '     ')}}};

wire [31:0] cleared_{n} = (w_valid && w_{r.half} == {r.macro()}) ? w_set[{bits}] : 32'd0;

always @(posedge clk)
    if (rst) stored_{n} <= {r.macro()}_RESET;
    else     stored_{n} <= (stored_{n} & ~cleared_{n}) | set_{n};""")
    if places["rc"]:
        print("\n// ---- counters: a bank for each half of a 64-bit word; a write of all four bytes loads one")
        write_place_function("counter_place", "rc")
        n = width(len(places["rc"]))
        print(f"\nwire [{n - 1}:0] w_place = counter_place(w_low);\nwire [{n - 1}:0] r_place = counter_place(r_low);")
        halves = [h for h in HALVES if any(h in pair for pair in places["rc"].values())]
        for h in halves:
            write_bank(h, "3:0" if h == "low" else "7:4")
        print(f"\nwire unused_totals = &{{1'b0, {', '.join(f'{h}_loaded' for h in halves)}}};")
    if places["nc"]:
        write_copies()
    print("\n// ---- read side\nreg  [31:0] low, high;")
    for half in ("low", "high"):
        write_multiplexer(half)


def write_wires():
    print("// Made by scripts/registers.py from the register map; edit the map, not this file.\n"
          "// A wire for each event and each view, to be driven, and the vectors of them.")
    views = [item for item in slices if item.slice.startswith(f"{P}_VIEW_")]
    for vector, size, wires in (("events", "EVENT_COUNT", [(1, f"ev_{name}") for name in events["EVENT"]]),
                                ("views", "VIEW_BITS",
                                 [(v.high - v.low + 1, v.slice[len(P) + 1:].lower()) for v in views])):
        print()
        for bits, name in wires:
            print(f"wire {f'[{bits - 1}:0] ' if bits > 1 else '':<7}{name};")
        names = (",\n    ").join(name for _, name in reversed(wires))
        print(f"wire [`{P}_{size}-1:0] {vector} = {{{names}}};")


def write_access():
    def value(r):
        return f"2'b{int(r.access != 'ro')}1"
    n = f"{P.lower()}_access"
    print(f"// Made by scripts/registers.py from the register map; edit the map, not this file.\n"
          f"// What may be done with the 32-bit word at an offset: [1] written, [0] read.\n"
          f"function automatic [1:0] {n} (input [14:0] offset);\n    reg unused_low;\n    begin\n"
          f"        unused_low = &{{1'b0, offset[1:0]}};\n        {n} = 2'b00;\n"
          f"        case ({{offset[14:2], 2'b00}})")
    for kind in ("2'b01", "2'b11"):
        ones = [f"15'h{r.offset:04x}" for r in registers if not r.array and value(r) == kind]
        if ones:
            lines = [", ".join(ones[i:i + 8]) for i in range(0, len(ones), 8)]
            print(f"            {(',' + chr(10) + '            ').join(lines)}: {n} = {kind};")
    print("            default: ;\n        endcase")
    for r in registers:
        if r.array:
            free = r.stride() * (r.count - 1)  # bits of the offset that number the array
            print(f"        if ((offset & 15'h{0x7ffc & ~free:04x}) == 15'h{r.offset & ~free:04x}) {n} = {value(r)};")
    print("    end\nendfunction")


def write_place_function(name, kind):
    """The places of counters by their offsets."""
    n = width(len(places[kind]))
    print(f"function automatic [{n - 1}:0] {name} (input [14:0] offset);\n    reg unused;\n    begin\n"
          "        unused = &{1'b0, offset};\n"
          "        case ({offset[9], offset[6:3]})")
    for k, (nine, rest) in enumerate(places[kind]):
        print(f"            {{1'b{nine}, 4'd{rest}}}: {name} = {n}'d{k};")
    print(f"            default: {name} = {n}'d0;\n        endcase\n    end\nendfunction")


def write_bank(h, enables):
    counters = [pair.get(h) for pair in places["rc"].values()]
    words, built = len(counters), sum(1 << k for k, r in enumerate(counters) if r)
    print(f"\nwire [{words - 1}:0] {h}_events;")
    for k, r in enumerate(counters):
        print(f"assign {h}_events[{k}] = {any_of(r.get('from')) if r else chr(49) + chr(39) + 'b0'};")
    loads = "" if not built else f"""
    if (w_valid)
        case (w_{h})
        {("," + chr(10) + "        ").join(r.macro() for r in counters if r)}: {h}_load = &w_be[{enables}];
        default: {h}_load = 1'b0;
        endcase"""
    print(f"""
reg         {h}_load;
wire [31:0] {h}_count, {h}_loaded;

always @* begin
    {h}_load = 1'b0;{loads}
end

counter_bank #(.PLACES({words}), .BUILT({words}'h{built:x}), .PENDING_BITS(7)) {h}_counters (
    .clk (clk), .rst (rst), .clear (1'b0), .event_vector ({h}_events), .twice_vector ({words}'d0),
    .visit ({h}_load), .visit_place (w_place), .load ({h}_load),
    .load_value (w_data[{HALVES[h]}]), .total ({h}_loaded),
    .read_place (r_place), .read_total ({h}_count)
);""")


def write_copies():
    """A half is enough where those of four links are not built; all of them are in block RAMs, which are read a clock
    before."""
    n = width(len(places["nc"]))
    halves = n > 1 and few_copies <= 1 << n - 1
    print("\n// ---- copies of the network counters")
    write_place_function("copy_place", "nc")
    print("\n// {there is one, high, place} of the counter with that number\n"
          f"function [{n + 1}:0] copy_address (input [5:0] index);\n"
          "    case (index)")
    for i, event in enumerate(events["NC"]):
        for k, pair in enumerate(places["nc"].values()):
            for h in ("low", "high"):
                if h in pair and pair[h].get("from") == event:
                    print(f"        6'd{i}: copy_address = {{2'b1{int(h == 'high')}, {n}'d{k}}};   // {pair[h].name}")
    print(f"        default: copy_address = {n + 2}'d0;\n    endcase\nendfunction\n")
    bits, offset = (f"(LINKS < 4) ? {n - 1} : {n}", "(LINKS < 4) ? r_low : {1'b0, rd_addr, 3'b000}") if halves else (
        n, "r_low")
    print(f"""localparam COPY_BITS = {bits};
reg  [31:0] low_copies [0:(1<<COPY_BITS)-1];
reg  [31:0] high_copies [0:(1<<COPY_BITS)-1];
wire [{n + 1}:0] copy_at = copy_address(copy_index);
wire [{n - 1}:0] read_copy = copy_place({offset});
wire unused_places = &{{1'b0, copy_at[{n - 1}], read_copy[{n - 1}]}};
""")
    for i, h in enumerate(("low", "high")):
        print(f"always @(posedge copy_clk)\n    if (copy_update && copy_at[{n + 1}:{n}] == 2'b1{i}) "
              f"{h}_copies[copy_at[COPY_BITS-1:0]] <= copy_value;\n")
    if halves:
        print("""wire [31:0] low_copy, high_copy;
generate
    if (LINKS < 4) begin : few_copies
        assign low_copy  = low_copies[read_copy[COPY_BITS-1:0]];
        assign high_copy = high_copies[read_copy[COPY_BITS-1:0]];
    end else begin : all_copies
        reg [31:0] low_read, high_read;
        always @(posedge copy_clk) begin
            low_read  <= low_copies[read_copy[COPY_BITS-1:0]];
            high_read <= high_copies[read_copy[COPY_BITS-1:0]];
        end
        assign low_copy  = low_read;
        assign high_copy = high_read;
    end
endgenerate""")
    else:
        print("wire [31:0] low_copy  = low_copies[read_copy[COPY_BITS-1:0]];\n"
              "wire [31:0] high_copy = high_copies[read_copy[COPY_BITS-1:0]];")


def write_multiplexer(h):
    print(f"\nalways @* begin\n    {h} = 32'd0;\n    case (r_{h})")
    for r in registers:
        if not r.array and r.half == h:
            print(f"        {r.macro()}: {h} = {what_is_read(r, h)};")
    start = "        default:\n            "
    for r in registers:
        if r.array and not r.get("stride"):
            shift = width(r.count) + 2
            print(f"{start}if (r_{h}[14:{shift}] == {15 - shift}'d{r.offset >> shift}) {h} = {r.get('shown')}_{h};")
            start = "            else "
    if "default" in start:
        print("        default: ;")
    print("    endcase\nend")


def what_is_read(r, h):
    if r.get("shown"):
        return r.get("shown")
    if r.access == "w1c":
        return f"stored_{r.name.lower()}"
    if r.access == "nc":
        return f"(LINKS >= {r.get('links')}) ? {h}_copy : 32'd0" if r.get("links") else f"{h}_copy"
    if r.access == "rc":
        return f"{h}_count" + (f" & 32'h{mask(int(r.get('bits')) - 1, 0)}" if r.get("bits") else "")
    if not r.stored and not r.fields:
        return f"{r.vector}[`{r.slice}]"
    if not r.stored:
        return "{" + pieces(r, lambda f: f.get("shown") or f"{r.vector}[`{f.slice}]", ",\n            ") + "}"
    shown = pieces(r, lambda f: f.get("shown"), ", ")
    return (options["copy"] or f"stored_{r.name.lower()}") + ("" if shown == "32'd0" else f" | {{{shown}}}")


def pieces(r, expression, between):
    """The fields of a register from bit 31 down to 0 as pieces of a concatenation, zeros for what has no expression."""
    out, zeros, i = [], 0, 31
    while i >= -1:
        f = r.bits.get(i)
        text = expression(f) if f else ""
        if zeros and (text or i < 0):
            out.append(f"{zeros}'d0")
            zeros = 0
        if text:
            out.append(text)
            i = f.lsb
        elif i >= 0:
            zeros += 1
        i -= 1
    return between.join(out)


def any_of(names):
    return " || ".join(f"events[`{P}_EVENT_{name.upper()}]" for name in names.split(","))


def quoted(text):
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def write_c():
    n = P.lower()
    print(*licence, sep="\n", end="\n" * len(licence))
    print(f"""/* Made by scripts/registers.py from the register map; edit the map, not this file.
 *
 * Byte offsets in {options['place']}, reset values, masks and shifts of fields; and two tables for tools and tests:
 * {n}_registers[]
 * ({P}_REGISTER_TABLE_COUNT entries, in the order of the map) and {n}_fields[] ({P}_FIELD_TABLE_COUNT entries). */
#ifndef {P}_REGISTERS_H
#define {P}_REGISTERS_H

#include <stdint.h>""")
    for r in registers:
        print(f"\n/* {r.access}: {r.text.replace('*/', '* /').replace('/*', '/ *')} */")
        define("#", r.name, f"0x{r.offset:04x}u")
        define("#", f"{r.name}_RESET", f"0x{r.reset}u")
        if r.array:
            define("#", f"{r.name}_COUNT", f"{r.count}u")
        for f in r.fields:
            define("#", f"{r.name}_{f.name}_MASK", f"0x{mask(f.msb, f.lsb)}u")
            define("#", f"{r.name}_{f.name}_SHIFT", f.lsb)
    print()
    define("#", "REGISTER_TABLE_COUNT", f"{len(registers)}u")
    define("#", "FIELD_TABLE_COUNT", f"{len(fields)}u")
    print("\n/* Events: their bits in the vectors of the Verilog, and their names by bit. */")
    define_events("#")
    print("\n/* How many bits, and the lowest bits of settings and views in the vectors of the Verilog. */")
    define_vectors("#", lambda item: item.low)
    for kind, names in events.items():
        print(f"static const char *const {n}_{kind.lower()}s[{len(names) or 1}] {UNUSED} = {{")
        print("\n".join(f'    "{name}",' for name in names) or "    0,")
        print("};")
    print(f"""
/* One register, or an array of `count` registers `stride` bytes apart; access: rw, ro, rc, nc or w1c. error: 1 for a
 * counter that stays 0 as long as nothing goes wrong. compare: what a test compares a counter with, "" for none. */
struct {n}_register {{
  const char *name;
  unsigned offset; /* [bytes] from the start of {options['place']} */
  const char *access;
  uint32_t reset;
  unsigned count;
  unsigned stride; /* [bytes] */
  unsigned links; /* of a device that has it, at least */
  int paths; /* only one with several links by packet has it */
  int error;
  const char *compare;
  const char *text;
}};

/* Bits msb..lsb of the register (or of each register of the array) at `offset`. */
struct {n}_field {{
  unsigned offset; /* [bytes] */
  const char *name;
  unsigned msb, lsb;
  const char *text;
}};

static const struct {n}_register {n}_registers[{len(registers)}] {UNUSED} = {{""")
    for r in registers:
        print(f'    {{"{r.name}", 0x{r.offset:04x}u, "{r.access}", 0x{r.reset}u, {r.count}u, {r.stride()}u, '
              f'{r.get("links") or 1}u, '
              f'{int(bool(r.get("paths")))}, {int(bool(r.get("error")))}, "{r.get("compare")}", {quoted(r.text)}}},')
    print(f"}};\n\nstatic const struct {n}_field {n}_fields[{len(fields) or 1}] {UNUSED} = {{")
    for r, f in fields:
        print(f'    {{0x{r.offset:04x}u, "{f.name}", {f.msb}u, {f.lsb}u, {quoted(f.text)}}},')
    print(("" if fields else "    {0, 0, 0, 0, 0},\n") + "};\n\n#endif")


def write_markdown():
    def cell(text):
        return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")
    print("| offset | register | bits | field | access | reset | what it is |\n|---|---|---|---|---|---|---|")
    for r in registers:
        span = f"0x{r.offset:03x}" + (f"..0x{r.offset + r.stride() * (r.count - 1):03x}" if r.count > 1 else "")
        print(f"| {span} | `{r.name}`{f' [{r.count}]' if r.array else ''} | | | {r.access} | 0x{r.reset} | "
              f"{cell(r.text)} |")
        for f in r.fields:
            print(f"| | | {f.place()} | `{f.name}` | | | {cell(f.text)} |")


writers = {"verilog": write_verilog, "block": write_block, "wires": write_wires, "access": write_access,
           "c": write_c, "markdown": write_markdown}
paths = []
tool.check("registers", sys.argv[1:])
for argument in sys.argv[1:]:
    option, given, value = argument.partition("=")
    if given and option in options:
        options[option] = value
    else:
        paths.append(argument)
if not re.fullmatch(r"[A-Z][A-Z0-9_]*", options["prefix"]):
    sys.exit(f"registers.py: prefix is '{options['prefix']}', expected capitals, digits and _, starting with a capital")
if not re.fullmatch(r"[0-9]{1,9}", options["window"]):
    sys.exit(f"registers.py: window is '{options['window']}', expected a number of bytes")
P, window = options["prefix"], int(options["window"])
if options["format"] not in writers:
    sys.exit(f"registers.py: format is '{options['format']}', expected format=verilog, block, wires, access, c or "
             "markdown")
sys.stdout.reconfigure(encoding="latin-1")
sys.stderr.reconfigure(encoding="latin-1")
try:
    Map(paths[0] if paths else "/dev/stdin")
except OSError as error:
    sys.exit(f"{error.filename}: {error.strerror}; expected a register map that can be read")
if errors:
    sys.exit("\n".join(errors))
writers[options["format"]]()
