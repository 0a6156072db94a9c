"""State machines of the RTL, and its events in each state of life, as points of coverage: a module for each module that
has some, bound into it in models that count.

    python3 -S scripts/tool.py watched FILE.v...     prints them

A machine is a register with the states of states.py: the one that gets them most, in a clocked block or an assign. Its
states are points; so are its arcs, if the block has `case (REGISTER)`: from each item's state to the states that the
item assigns.

tb/crosses has events and states of life: MODULE CLOCK at the begin of a line; below it, indented, `life NAME:
EXPRESSION`, of which the first one that holds is the state, and `event NAME: EXPRESSION`, in signals of the module.
Each event in each state is a point.

A point is an `if` whose line says in a comment for what it stands: FILE LINE PAGE NAME, PAGE v_state, v_arc or v_cross
(counters.py takes it from there). The first clocks of a model count as little as those of a reset, which is the first
`if` of the block."""
import functools, re

from common import read, stop
from declared import without_comments
from mutants import closing
from states import machines

CROSSES = "tb/crosses"
CLOCKS = 16  # at the start of a model that do not count
BLOCK = re.compile(r"\balways\s*@\s*\(posedge (\w+)\)(.*?)(?=\n\s*(?:always|assign|wire|reg|initial|endmodule|generate|"
                   r"genvar|function|localparam)\b)", re.S)


def names_in(text, names):
    """States that an expression may give, not those that it compares with."""
    text = re.sub(r"[!=]==?\s*\w+|\w+\s*[!=]==?", "", text)
    return [n for n in dict.fromkeys(re.findall(r"\w+", text)) if n in names]


def arcs_of(block, register, names):
    """(from, to) of the case items of a register."""
    begin = re.search(rf"\bcase\s*\({register}\)", block)
    if not begin:
        return []
    depth, end = 0, len(block)
    for word in re.finditer(r"\b(case|casez|endcase)\b", block[begin.start():]):
        depth += -1 if word[1] == "endcase" else 1
        if not depth:
            end = begin.start() + word.start()
            break
    body = block[begin.end():end]
    label = rf"(?:{'|'.join(names)}|default)"
    items = list(re.finditer(rf"(?<![\w?] )(?<!\w)({label}(?:\s*,\s*{label})*)\s*:(?!:)", body))
    items = [i for i in items if not re.search(r"\?[^;]*$", body[:i.start()].rpartition(";")[2])]
    listed = {n for i in items for n in re.findall(r"\w+", i[1])}
    found = []
    for item, after in zip(items, [*(i.start() for i in items[1:]), len(body)]):
        sources = re.findall(r"\w+", item[1])
        if sources == ["default"]:
            sources = [n for n in names if n not in listed]
        for value in re.findall(rf"\b{register}\s*<=\s*([^;]*);", body[item.end():after]):
            found += [(a, b) for a in sources for b in names_in(value, names) if a != b]
    return list(dict.fromkeys(found))


def machine_of(text, code, names):
    """Register, clock, reset, bits, arcs of a machine; None: no register has its states."""
    best, bits = (0,), int(re.search(rf"\blocalparam\s*\[(\d+):0\][^;]*\b{names[0]}\b", code)[1]) + 1
    blocks = [(block[1], block[2]) for block in BLOCK.finditer(code)]
    blocks += [("clk", one[0]) for one in re.finditer(r"\bassign \w+ = [^;]*;", code)]
    for clock, block in blocks:
        uses = {}
        for use in re.finditer(r"(?<![.\w])(\w+)\s*<?=\s*([^;]*);", block):
            if re.search(rf"\[{bits - 1}:0\]\s*{use[1]}\b", code):
                uses[use[1]] = uses.get(use[1], 0) + len(names_in(use[2], names))
        for register, count in uses.items():
            best = max(best, (count, register, clock, block), key=lambda b: b[0])
    if not best[0]:
        return None
    _, register, clock, block = best
    reset = re.match(r"\s*(?:begin\s*)?if \(", block)
    condition = block[reset.end():closing(block, reset.end() - 1) - 1] if reset else ""
    if not re.search(r"rst|reset|clear", condition):
        condition = "1'b0"
    return register, clock, condition, bits, arcs_of(block, register, names)


@functools.cache
def crosses():
    """{module: [(clock, {life: expression}, {event: expression})]}"""
    found = {}
    for number, line in enumerate(read(CROSSES).splitlines(), 1):
        entry = re.fullmatch(r"(?:(\w+) (\w+)|\s+(life|event) +([\w ]+): (.+))", line)
        if not line.strip() or line.startswith("#"):
            continue
        if not entry or entry[3] and not found:
            stop(f"{CROSSES}:{number}: expected MODULE CLOCK, and below it life or event NAME: EXPRESSION")
        if entry[1]:
            last = (entry[2], {}, {})
            found.setdefault(entry[1], []).append(last)
        else:
            last[1 if entry[3] == "life" else 2][entry[4]] = entry[5]
    return found


def crosses_of(name, where, number):
    """Ports, pins and what is inside for the crosses of a module, whose signals are numbered from this on."""
    ports, pins, inside = [], [], []
    for n, (clock, lives, events) in enumerate(crosses().get(name, ()), number):
        ports += [f"input wire clk_{n}", f"input wire [{len(lives) - 1}:0] life_{n}",
                  f"input wire [{len(events) - 1}:0] event_{n}"]
        pins += [f".clk_{n} ({clock})", f".life_{n} ({{{', '.join(f'|({e})' for e in reversed(lives.values()))}}})",
                 f".event_{n} ({{{', '.join(f'|({e})' for e in reversed(events.values()))}}})"]
        inside += [f"reg hit_{n};", f"reg [4:0] clocks_{n} = 5'd0;", f"always @(posedge clk_{n}) begin",
                   f"    if (clocks_{n} != 5'd{CLOCKS}) clocks_{n} <= clocks_{n} + 5'd1;"]
        for i, life in enumerate(lives):
            now = f"clocks_{n} == 5'd{CLOCKS} && life_{n}[{i}]" + (f" && life_{n}[{i - 1}:0] == {i}'d0" if i else "")
            inside += [f"    if ({now} && event_{n}[{e}]) hit_{n} <= 1'b1; // {where} v_cross {event}, {life}"
                       for e, event in enumerate(events)]
        inside.append("end")
    return ports, pins, inside


def module_of(file):
    """The module to bind into that of a file; nothing if it has no machine."""
    text = read(file)
    code = without_comments(text)
    name = re.search(r"\bmodule\s+(\w+)", code)
    ports, pins, inside = [], [], []
    for number, names in enumerate(machines(file) if name else []):
        machine = machine_of(text, code, names)
        if not machine:
            continue
        register, clock, reset, bits, arcs = machine
        value, n = {state: f"{bits}'d{i}" for i, state in enumerate(names)}, number
        line = {s: code.count("\n", 0, re.search(rf"\b{s}\b\s*=[^=]", code).start()) + 1 for s in names}
        ports += [f"input wire clk_{n}", f"input wire rst_{n}", f"input wire [{bits - 1}:0] now_{n}"]
        pins += [f".clk_{n} ({clock})", f".rst_{n} ({reset})", f".now_{n} ({register})"]
        inside += [f"reg [{bits - 1}:0] was_{n};", f"reg was_rst_{n}, hit_{n};", f"reg [4:0] clocks_{n} = 5'd0;",
                   f"wire counts_{n} = clocks_{n} == 5'd{CLOCKS} && !rst_{n};",
                   f"always @(posedge clk_{n}) begin",
                   f"    was_{n} <= now_{n};", f"    was_rst_{n} <= rst_{n};",
                   f"    if (clocks_{n} != 5'd{CLOCKS}) clocks_{n} <= clocks_{n} + 5'd1;"]
        is_at, hit = {s: f"counts_{n} && now_{n} == {value[s]}" for s in names}, f"hit_{n} <= 1'b1; // {file}"
        inside += [f"    if ({is_at[s]}) {hit} {line[s]} v_state {register} {s}" for s in names]
        inside += [f"    if ({is_at[b]} && !was_rst_{n} && was_{n} == {value[a]}) {hit} {line[a]} v_arc "
                   f"{register} {a} -> {b}" for a, b in arcs]
        inside.append("end")
    if name:
        where = f"{file} {code.count(chr(10), 0, name.start()) + 1}"
        ports, pins, inside = (a + b for a, b in zip((ports, pins, inside), crosses_of(name[1], where, 100)))
    if not ports:
        return ""
    return (f"module watched_{name[1]} ({', '.join(ports)});\n" + "\n".join(inside) + "\nendmodule\n"
            f"bind {name[1]} watched_{name[1]} watched ({', '.join(pins)});\n")


def text_of(files):
    text = "".join(map(module_of, files))
    return text and f'`begin_keywords "1800-2017"\n{text}`end_keywords\n'


def main(arguments):
    print(text_of(arguments), end="")
