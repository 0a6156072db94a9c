"""Skips the evaluation of gated logic: in a chip whose clocks rest (rtl/README.md), statements are left out that would
change nothing. A pass of passes.py, for models where a clock is called run_clk.

While such a clock is gated, Verilator still evaluates at each edge of the free-running clock the logic behind the
registers of both: most of the logic, from few registers that can have changed. Here the statements of such a function
are divided into parts that have no variable in common that one of them writes. A part that is long stands behind a
comparison of what it finds,

    if (go_1) { ... }       go_1: not at rest, or a variable that it reads is not what it was when it was done last

with those variables only that can change at rest: inputs, and what is written by functions that are called without an
edge of a clock that rests. All others have not changed if none of the clocks whose edges write them has had one, and
the function has been called at rest only: `rest` is a sum of numbers of evaluations with such edges. A part of which
another function at rest writes a variable is always done. So results are the same to the bit, whatever the Verilog.

The parts are marked for lanes.py, which makes the same of them for several instances.
"""
import re

from printed import CALLS, Unknown, lambdas, statements

SMALL = 16 # variables that a part mentions, at least
WORTH = 3  # times as many as it is compared by
VARIABLE = r'(?:vlSelf->|vlSymsp->TOP\w*\.)\w+'
_MENTIONS = re.compile(VARIABLE)
_NAMES = re.compile(VARIABLE + r'|\b[A-Za-z_]\w*')
_PLACE = re.compile(rf'({VARIABLE}|\w+)\s*((?:\[[^=]*\])*)$', re.S)
_KNOWN = re.compile(r'(?:if|[CSIQ]Data|VL_REDXOR_\d+|VL_ZERO_W|VL_ASSIGNSEL_WI|VL_SHIFT[LR]_(?:III|QQI|WWI))$')


class Part:
    """Statements, with what they find and write; reads, for one of them: with what it keeps a part of."""

    def __init__(self, text='', mentions=0):
        self.text, self.mentions, self.reads, self.finds, self.writes = text, mentions, {}, {}, {}


class Function:
    """Its local variables as text, and its statements as parts."""

    def __init__(self, f):
        plain = f.plain
        if found := next((w for w in re.findall(r'\b(\w+)\s*\(', plain) if not _KNOWN.match(w)), None):
            raise Unknown(f.name, found)
        self.name, self.locals, self.names, parts = f.name, '', set(), []
        for s in statements(plain):
            if s.kind == 'declare':
                self.names.add(s.name)
                self.locals += s.text
                continue
            part = Part(s.text, len(_MENTIONS.findall(s.text)))
            self.look(s, part, 0)
            parts.append(part)
        self.statements, self.parts = parts, together(parts)

    def find(self, text, part):
        part.reads.update((n, True) for n in _NAMES.findall(text) if n.startswith('vl') or n in self.names)
        for s in (s for body in lambdas(text) for s in body):
            self.look(s, part, 1)

    def look(self, s, part, level):
        if s.kind == 'if':
            self.find(s.condition, part)
            for inner in s.then + s.otherwise:
                self.look(inner, part, level + 1)
        elif s.kind == 'assign':
            place = _PLACE.match(s.left)
            if not place or not place[1].startswith('vl') and place[1] not in self.names:
                raise Unknown(self.name, s.text)
            part.writes[place[1]] = True
            if place[2] or level: # keeps a part of what it was, or sometimes all
                part.reads[place[1]] = True
            self.find(f'{place[2]} {s.right}', part)
        elif s.kind == 'call':
            self.find(s.right, part)
            part.writes.update(part.reads)
        elif s.kind != 'empty':
            raise Unknown(self.name, s.text)


def together(parts):
    """Statements that share a variable which one of them writes are one part: what it finds and writes that stays."""
    of, writes, whole = list(range(len(parts))), {}, {}

    def first(i):
        while of[i] != i:
            i = of[i]
        return i
    for i, s in enumerate(parts):
        for v in s.writes:
            writes.setdefault(v, []).append(i)
    for i, s in enumerate(parts):
        for v in (*s.reads, *s.writes):
            for w in writes.get(v, ()):
                of[first(i)] = first(w)
    for i, s in enumerate(parts):
        p = whole.setdefault(first(i), Part())
        p.text += s.text
        p.mentions += s.mentions
        p.finds.update((v, True) for v in s.reads if v.startswith('vl') and v not in p.writes)
        p.writes.update((v, True) for v in s.writes if v.startswith('vl'))
    return [whole[k] for k in sorted(whole)]


def whose(v, instance):
    """The variable of an instance."""
    return f'{instance}.{v[8:]}' if v.startswith('vlSelf->') else v[len('vlSymsp->'):]


def words_of(words, without):
    return sum(int(t[7:-1]) if '<' in t else 1 for v, t in words.items() if v not in without)


class Pass:
    def __init__(self, model, rests):
        self.model, self.rests = model, rests
        self.inputs, self.edges = model.calls('eval_ico'), model.calls('eval_nba')
        self.parsed, self.writers, self.changes = {}, {}, {f'TOP.{n}' for n in model.inputs}
        for c in self.inputs + self.edges:
            c.name = model.function(c.function).name
            if c.function not in self.parsed:
                self.parsed[c.function] = Function(model.functions[c.function])
            c.always = '___ico_' in c.name or bool(c.at - rests)
            for v in (whose(v, c.instance) for p in self.parsed[c.function].parts for v in p.writes):
                self.writers.setdefault(v, []).append(c)
                if c.always:
                    self.changes.add(v)
        self.class_of = {c.instance: model.functions[c.function].cls for c in self.edges}
        self.counts = self.counters()
        self.kept, self.new, self.at, self.number = {}, {}, {}, 0

    def counters(self):
        """Those that count while the others rest: a comparison would be of no use."""
        counts = set()
        for c in (c for c in self.edges if c.always):
            for s in self.parsed[c.function].statements:
                for v, source in re.findall(r'(?:__Vdly__)?(\w+)\s*=\s([^;]*);', s.text):
                    if re.search(rf'vlSelf->{v}\b', source) and re.search(r'\(1U\)\s*\+|\+\s*\(IData\)\(1U\)', source):
                        counts.add(whose(f'vlSelf->{v}', c.instance))
        return counts

    def type_of(self, v, mine):
        cls = mine if v.startswith('vlSelf->') else self.class_of.get(v[len('vlSymsp->'):v.index('.')], '')
        found = self.model.classes[cls].variables.get(re.sub(r'.*(?:->|\.)', '', v)) \
            if cls in self.model.classes else None
        return found.cpp if found and not found.places and found.port != 'INOUT' else ''

    def compared_by(self, p, sites, mine):
        """What a part is compared by; None for one that is always done."""
        p.words = {}
        for site in sites: # of what it writes nobody else at rest writes anything
            if any(c is not site and c.always for v in p.writes for c in self.writers.get(whose(v, site.instance), ())):
                return None
            for v in p.finds:
                its = whose(v, site.instance)
                if its not in self.changes:
                    continue
                p.words[v] = self.type_of(v, mine)
                if not p.words[v] or its in self.counts:
                    return None
        return p.words

    def groups(self, parts):
        """Those that have a variable to compare in common have one comparison, if they are worth what they add."""
        while parts:
            group, compared, mentions = [], {}, 0
            while True:
                best = max(((p.mentions - WORTH * words_of(p.words, compared), -i) for i, p in enumerate(parts)
                            if not group or any(v in compared for v in p.words)), default=None)
                if best is None or best[0] < 0 and group:
                    break
                p = parts.pop(-best[1])
                group.append(p)
                compared.update(p.words)
                mentions += p.mentions
            yield group, compared, mentions >= SMALL and mentions >= WORTH * len(compared)

    def function(self, name, sites):
        """The new body of a function; None if it stays as it is."""
        model, mine = self.model, self.model.functions[name].cls
        always, parts, guarded, done = [], [], '', []
        for p in self.parsed[name].parts:
            (always if self.compared_by(p, sites, mine) is None else parts).append(p)
        for group, compared, worth in self.groups(parts):
            if not worth:
                always += group
                continue
            done += group
            self.number += 1
            k, names = self.number, sorted(compared)
            differ, take = f'(rest != vlSelf->__Vnba_rest_{k})', f'            vlSelf->__Vnba_rest_{k} = rest;\n'
            kept = f'    QData __Vnba_rest_{k} = 0;\n'
            for i, v in enumerate(names):
                seen = f'vlSelf->__Vnba_rest_{k}_{i}'
                kept += f'    {compared[v]} __Vnba_rest_{k}_{i};\n'
                take += f'            {seen} = {v};\n'
                for w in [f'[{w}]' for w in range(int(compared[v][7:-1]))] if '<' in compared[v] else ['']:
                    differ += f'\n            | ({v}{w} ^ {seen}{w})'
            self.kept[mine] = self.kept.get(mine, '') + kept
            guarded += f'    // PART {k}: {" ".join(names)}\n    bool go_{k} = true;\n    if (0U != rest) {{\n' \
                f'        go_{k} = 0U != ({differ});\n        if (go_{k}) {{\n{take}        }}\n    }}\n' \
                f'    if (go_{k}) {{{"".join(p.text for p in group)}\n    }}\n    // END {k}\n'
        if not guarded:
            return None
        # edges after which it is done anyway: its own, and those that write what it finds or writes
        at = self.at.setdefault(sites[0].name, set())
        for site in sites:
            at |= site.at
            for v in (whose(v, site.instance) for p in done for v in (*p.finds, *p.writes)):
                at.update(k for c in self.writers.get(v, ()) for k in c.at if k in self.rests)
        rest = 'vlSelf->' if mine == model.root else 'vlSymsp->TOP.'
        return f'    {model.symbols}\n    const QData rest = {rest}__Vnba_rest;\n' \
            f'{self.parsed[name].locals}\n{guarded}' + ''.join(p.text for p in always)

    def functions(self):
        sites = {}
        for c in self.edges:
            sites.setdefault(c.function, []).append(c)
        for name in sorted(sites, key=lambda n: self.model.functions[n].name):
            at = sites[name][0].at
            if at & self.rests and at - self.rests and all(c.at == at for c in sites[name]):
                if body := self.function(name, sites[name]):
                    self.new[name] = body

    def eval_nba(self, count):
        """How many evaluations there have been with such edges, but for those in which nothing but clocks that do not
        rest had one."""
        def calls(found):
            of = {str(k) for f in re.findall(r'\b(\w+)\(', found[3]) for k in self.at.get(f, ())}
            times = ' + '.join(f'vlSelf->__Vnba_times[{k}]' for k in sorted(of))
            return found[1] + (f'        vlSelf->__Vnba_rest = resting ? {times} : 0U;\n' if of else '') + found[3]
        body = re.sub(rf'(\n    if \((.*?)\) \{{\n){CALLS}', calls, self.model.function('eval_nba').body, flags=re.S)
        now = 'vlSelf->__VnbaTriggered.at({}U)'
        some = ' | '.join(now.format(k) for k in sorted(self.rests, key=str))
        times = ''.join(f'        vlSelf->__Vnba_times[{k}] += {now.format(k)};\n' for k in range(count))
        body = body.replace('    // Body\n', f'    // Body\n    const bool resting = !({some});\n'
                            f'    if (!resting) {{\n{times}    }}\n', 1)
        # in registers of the processor: functions that are called do not change them
        body = re.sub(r'vlSelf->__VnbaTriggered\.at\((\d+)U\)', r't\1', body)
        return body.replace('    // Body\n', '    // Body\n' + ''.join(
            f'    const bool t{k} = {now.format(k)};\n' for k in range(count)), 1)


def change(model):
    if not any('run_clk' in n for n in model.inputs) or not (triggers := model.triggers()):
        return
    if 'eval_ico' not in model.functions:  # no output follows from an input
        return
    rests = {k for k, e in enumerate(triggers.edges) if 'run_clk' in e}
    if not rests or model.function('eval_act').short:
        return
    work = Pass(model, rests)
    work.functions()
    if not work.new:
        return
    count = len(triggers.edges)
    for name, body in work.new.items():
        f = model.functions[name]
        if f.cls != model.root:
            model.include(f.file, f'#include "V{model.name}__Syms.h"\n', f'#include "{f.cls}.h"\n')
        model.change(name, body)
    model.change('eval_nba', work.eval_nba(count))
    work.kept[model.root] = work.kept.get(model.root, '') + '    QData __Vnba_rest = 0; // 0: not at rest\n' \
        f'    QData __Vnba_times[{count}] = {{{", ".join(["1"] * count)}}};\n'
    for cls, text in work.kept.items():
        model.member(cls, 'PARTS AT REST (scripts/rest.py)', text)
