"""A GTKWave save file for any waves, out of the Verilog: signals by headings of ports, FSMs with states by name.

    fst2vcd FILE.fst | [MODULE=voq] python3 -S scripts/tool.py arrange [--window] FOLDER MODEL.instances...

MODULE: all instances of it, their ports and what is inside them. Without: all models, their pins, their FSMs, and the
ports of their blocks. Filters with the names of states, FOLDER/MODULE.FIRST.txt, are written. --window: also the size
of the window and where it begins, which a save file says once. build/models/*/*.instances say which module an instance
is (design.py). The first lines on stdin, up to $enddefinitions, say what is in the waves; if MODULE is none of theirs,
the exit code is 1."""
import collections, os, re, sys

import states
from common import find, read, stop, write


class Module:
    def __init__(self):
        # heading of each port; names of states, and how often a register is used with them
        self.ports, self.machines, self.uses = {}, [], []


Instance = collections.namedtuple("Instance", "path module around")


def parse(file, modules):
    own = modules[os.path.basename(file)[:-2]]
    own.machines = states.machines(file)
    own.uses = [collections.Counter() for _ in own.machines]
    module, inside, heading, blank = None, False, "", False
    for line in read(file).splitlines():
        head = re.match(r"module +(\w+).*?(?<!#)(\($)?$|\) *\($", line, re.A)
        if head:
            if head[1]: module = modules[head[1]]
            inside, heading = inside or not head[1] or bool(head[2]), ""
        elif inside and re.match(" *//", line):
            if not heading or blank: heading = re.sub("^ *// *", "", line)
            blank = False
        elif inside and not line.strip(" "): blank, heading = True, ""
        elif inside and re.match(" *(input|output|inout)", line):
            text = re.sub(r"//.*|^ *(input|output|inout)|\[[^]]*\]|\b(wire|reg|signed)\b|[ \t);]", "", line)
            for port in filter(None, text.split(",")):
                module.ports[port] = heading
                heading = ""
        elif module:
            if line.startswith(");"): inside = False
            line = re.sub("//.*", "", line)
            for use in re.finditer(r"([A-Za-z_]\w*) *(<=|=+) *", line, re.A) if module.machines else ():
                words = set(re.findall(r"\w+", line[use.end():].partition(";")[0], re.A))
                for uses, names in zip(module.uses, module.machines): uses[use[1]] += len(words.intersection(names))


def waves(lines, made):
    """What is in the waves: instances of modules, signals of scopes, width and range of each signal, their begin."""
    names, inside, instances, signals, shape = [], [None], [], collections.defaultdict(list), {}
    for kind, *words in (line.split() or [""] for line in lines):
        path = ".".join(names)
        if kind[:1] == "#": return instances, signals, shape, kind[1:]
        if kind == "$scope":
            names.append(words[1])
            place = ".".join(names[1:])  # the first one is the name of the model
            if place in made: instances.append(Instance(".".join(names), made[place], inside[-1]))
            inside.append(instances[-1] if place in made else inside[-1])
        elif kind == "$upscope":
            names.pop()
            inside.pop()
        elif kind == "$var" and len(names) > 1 and words[0] not in ("parameter", "integer"):
            signals[path].append(words[3])
            shape[f"{path}.{words[3]}"] = words[1], words[4] if words[4][0] == "[" else ""
    return instances, signals, shape, ""


def main(arguments):
    window, asked = arguments[0] == "--window", os.environ.get("MODULE", "")
    folder, *files = arguments[window:]
    modules, filters, machines, opened = collections.defaultdict(Module), {}, collections.defaultdict(list), False
    for file in find("rtl", "tb", name=lambda n: n.endswith(".v")): parse(file, modules)
    made = dict(line.split()[:2] for file in files for line in read(file).splitlines())
    instances, signals, shape, begin = waves(sys.stdin, made)

    def show(name):
        if name not in shape: return
        print(f"@2022\n^1 {filters[name]}" if name in filters else "@28" if shape[name][0] == "1" else "@22")
        print(name + shape[name][1])

    def group(title, what, first=False):
        print(f"{'@800200' if first else '@c00200'}\n-{title}")
        what()
        print(f"{'@1000200' if first else '@1401200'}\n-{title}")

    def show_ports(instance):
        for port, heading in modules[instance.module].ports.items():
            if heading: print("@200\n-" + heading)
            show(f"{instance.path}.{port}")

    def show_all(instance):
        show_ports(instance)
        print("@200\n-inside")
        for name in signals[instance.path]:
            if name not in modules[instance.module].ports: show(f"{instance.path}.{name}")

    def show_machines(of):
        for at in of:
            for name in machines[at.path]: show(name)

    for name, module in modules.items():
        for names in module.machines:
            write(f"{folder}/{name}.{names[0]}.txt", "".join(f"{i:x} {state}\n" for i, state in enumerate(names)))
    for path, name, _ in instances:  # the register of each machine: the one that is used with its states most
        for names, uses in zip(modules[name].machines, modules[name].uses):
            best = max(signals[path], key=lambda signal: uses[signal], default=None)
            if best and uses[best]:
                machines[path].append(f"{path}.{best}")
                filters[f"{path}.{best}"] = f"{folder}/{name}.{names[0]}.txt"
    print("[*] Made by scripts/arrange.py out of the Verilog" + (asked and ": " + asked))
    if window: print(f"[timestart] {begin}\n[size] 1820 1050\n[pos] -1 -1\n*-19.000000 {begin}\n[sst_width] 40\n"
                     f"[signals_width] 330")
    for at in instances:
        if asked:
            if at.module != asked: continue
            group(at.path, lambda: show_all(at), not opened)
            opened = True
        elif not at.around:
            below = [i for i in instances if f"{i.path}.".startswith(at.path + ".")]
            group(at.path + ": pins", lambda: show_ports(at))
            group(at.path + ": state machines", lambda: show_machines(below))
            for inner in (i for i in below if i.around is at and signals[i.path]):
                group(inner.path, lambda: show_ports(inner))
    if asked and not opened:
        stop(f"wave: MODULE={asked}: no instance of it is in these waves; there are "
             f"{', '.join(dict.fromkeys(i.module for i in instances))}")
