"""Names of FSM states, from the Verilog, for C: #define MODULE_FIRST "NAME", "NAME" ...

    python3 -S scripts/tool.py states FILE.v...

States are localparams of one width that count 0, 1, 2 ...: all in one localparam statement, or one statement each, one
after the other."""
import os, re

from common import read


def machines(file):
    """The names of the states of each state machine, in the order of the file."""
    found, names, values, width = [], [], [], ""
    for line in re.finditer(r"^[ \t]*localparam([^;]*;.*)|^.*\S.*|\Z", re.sub("//.*", "", read(file)), re.M):
        bits = line[1] and re.search(r"\[\d+:0\]", line[1])
        parts = line[1].partition("]")[2].split(",") if bits else []
        if len(parts) != 1 or bits[0] != width:
            found.append((names, values))
            names, values = [], []
        for part in parts:
            name, _, value = re.sub(r"[\s;]", "", part).partition("=")
            names.append(name)
            values.append(re.sub(r"^\d*'d", "", value))
        width = bits and bits[0] if len(parts) == 1 else ""
    return [names for names, values in found if len(names) >= 3 and values == [str(i) for i in range(len(values))]]


def main(arguments):
    for file in arguments:
        os.stat(file)  # it exists
        for names in machines(file):
            print(f"#define {os.path.basename(file)[:-2].upper()}_{names[0]} "
                  + ", ".join(f'"{name}"' for name in names))
