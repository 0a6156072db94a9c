"""Lanes: the C++ that Verilator printed for a model -> C++ that evaluates several instances of it at once, one vector
lane for each. A pass of passes.py, as lanes:OUT: writes OUT, of lanes.cpp.in and lanes.hpp.in, and changes nothing
else.

Verilator's functions are kept as they are, statement by statement. Variables become L<type> (lanes.hpp.in), `if`
becomes a mask that assignments obey and that is tested once for all lanes, `?:` selects. Parts that rest.py has marked
are left out where in no lane anything has changed that they find. A word that is not known here is reported with its
place, and nothing is written: the model is then used instance by instance.
"""
import os
import re

from printed import Unknown, statements, text_of, variable

STORED = {'CData': 'uint8_t', 'SData': 'uint16_t', 'IData': 'uint32_t', 'QData': 'uint64_t'}
# C++'s precedence
LEVELS = [['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'], ['+', '-'], ['*']]
LEVEL_OF = {op: i for i, level in enumerate(LEVELS) for op in level}
_TOKEN = re.compile(r'\s*(0x[0-9a-fA-F]+U?L*L*|\d+U?L*|vlSelf->\w+|\w+|<<|>>|<=|>=|==|!=|&&|\|\||'
                    r'[-+*&|^~!<>?:()\[\],])')
_NUMBER = re.compile(r'(?:\d+U?|0x[0-9a-f]+U?)$')
_BIT = re.compile(r'(?:0x0*)?([01])U$')


def power(n):
    """The power of two from n on."""
    return 1 << (n - 1).bit_length() if n > 1 else 1


class Kind:
    """What a variable is here: type as it is stored, number of places, words of a place, bits, is it a memory?"""

    def __init__(self, v):
        self.type = 'uint32_t' if v.words else STORED[v.type]
        self.places, self.words, self.bits, self.memory = v.places or 1, v.words or 1, v.bits, bool(v.places)
        self.one_bit = self.bits == 1 and self.words == 1 and not self.memory
        # what a local variable is, and what keeps one of the model
        self.vector = 'B' if self.one_bit else 'V64' if self.type == 'uint64_t' else 'V32'
        self.kept = 'L1' if self.one_bit else f'L<{self.type}>'
        # a memory of so many places that lanes are read and written one by one
        self.far = self.memory and power(self.places) > 8
        self.each_word = [f'[{w}]' for w in range(self.words)] if self.words > 1 else ['']


def operand(e):
    """0 and 1 next to an operand of one bit are of one bit, too."""
    found = _BIT.match(e)
    return f'K<{found[1]}>()' if found else e


class Code:
    """A function, or an expression, in the words of lanes.hpp.in."""

    def __init__(self, members, model, where):
        self.members, self.tables, self.constants, self.where, self.local, self.masks = (
            members, model.tables, model.constants, where, {}, 0)

    def unknown(self, text):
        raise Unknown(self.where, text)

    # ---- expressions ----
    def start(self, text):
        self.token, self.at, end = [], 0, 0
        for found in _TOKEN.finditer(text):
            if found.start() != end:
                break
            self.token.append(found[1])
            end = found.end()
        if text[end:].strip():
            self.unknown(text)
        self.token.append('')

    def whole(self, text):
        self.start(text)
        e = self.expression()
        if self.token[self.at]:
            self.unknown(text)
        return e

    def take(self, token):
        if self.token[self.at] != token:
            self.unknown(' '.join(self.token))
        self.at += 1

    def expression(self):
        c = self.binary(0)
        if self.token[self.at] != '?':
            return c
        self.at += 1
        then = operand(self.expression())
        self.take(':')
        return f'select({c}, {then}, {operand(self.expression())})'

    def binary(self, level):
        left = self.unary()
        while LEVEL_OF.get(op := self.token[self.at], -1) >= level:
            self.at += 1
            right = self.binary(LEVEL_OF[op] + 1)
            left = f'({operand(left)} {op} {operand(right)})'
        return left

    def unary(self):
        word = self.token[self.at]
        self.at += 1
        if word in ('~', '!', '-'):
            return f'({word}{self.unary()})'
        if word == '(':
            if self.token[self.at] in STORED and self.token[self.at + 1] == ')':
                kind = self.token[self.at][0]
                self.at += 2
                return f'to{kind}({self.unary()})'
            e = self.expression()
            self.take(')')
            return f'({e})'
        if word[:1].isdigit():
            return word
        if re.match(r'VL_REDXOR_\d+$', word):
            self.take('(')
            e = self.expression()
            self.take(')')
            return f'{word}({e})'
        if found := re.match(r'VL_SHIFT([LR])_(III|QQI)$', word): # of any count; one that is a number is in range
            self.take('(')
            for _ in range(3):
                self.at += 1
                self.take(',')
            left = self.expression()
            self.take(',')
            right = self.expression()
            self.take(')')
            to, op = ('to' + found[2][0]), {'L': '<<', 'R': '>>'}[found[1]]
            return (f'({operand(left)} {op} {right})' if _NUMBER.match(right)
                    else f'shift{found[1]}({to}({left}), {right})')
        if word in self.tables:
            self.take('[')
            e = self.expression()
            self.take(']')
            return f'look_up({word}, {e})'
        if word in self.constants:
            self.take('[')
            index = self.expression()
            self.take(']')
            if not _NUMBER.match(index):
                self.unknown(f'{word}[{index}]')
            return f'{self.constants[word][int(index.rstrip("U"), 0)]:#x}U'
        return self.place(word)[0]

    def place(self, word):
        """A variable with its indices: how it is read, and a function of mask and value by which it is written."""
        in_model = word.startswith('vlSelf->')
        name = word[8:] if in_model else word
        kind = (self.members if in_model else self.local).get(name) or self.unknown(word)
        index = []
        while self.token[self.at] == '[':
            self.at += 1
            index.append(self.expression())
            self.take(']')
        if len(index) != kind.memory + (kind.words > 1):
            self.unknown(f'{name} with {len(index)} indices')
        v = f's.{name}' if in_model else name
        # numbers are kept within their bits; what C++ itself would cut off is cut off here
        cast = {'8 uint8_t': 'toC', '16 uint16_t': 'toS'}.get(f'{kind.bits} {kind.type}', '')
        if kind.memory:
            word_of = index[1] if kind.words > 1 else '0'
            if not in_model or not _NUMBER.match(word_of):
                self.unknown(f'{name}[][{word_of}], a memory')
            shape, at = f'{power(kind.places)}, {kind.words}', f'{v}, {index[0]}, {word_of}'
            return f'get_at<{shape}>({at})', lambda mask, x: f'put_at<{shape}>({mask}, {at}, {cast}({x}));'
        if kind.words > 1:
            if not _NUMBER.match(index[0]): # a word per lane
                at, shape = f'{v}, {index[0]}, 0', f'{power(kind.words)}, 1'
                return f'get_at<{shape}>({at})', lambda mask, x: f'put_at<{shape}>({mask}, {at}, {x});'
            v += f'[{index[0]}]'
        if in_model:
            return f'get({v})', lambda mask, x: f'put({mask}, {v}, {cast}({x}));'
        cast = cast or f'as<{kind.vector}>'
        return v, lambda mask, x: f'{v} = {cast}({x});' if mask == 'm0' else f'{v} = blend({mask}, {cast}({x}), {v});'

    # ---- statements ----
    def block(self, block, mask):
        return [line for s in block for line in self.statement(s, mask)]

    def condition(self, s, mask):
        c = self.whole(s.condition)
        self.masks += 1
        k = self.masks
        then, otherwise = self.block(s.then, f'm{k}'), self.block(s.otherwise, f'e{k}')
        out = ['{', f'const B c{k} = bits({c});', f'if (const B m{k} = both({mask}, c{k}); any(m{k})) {{', *then, '}']
        return out + ([f'if (const B e{k} = only({mask}, c{k}); any(e{k})) {{', *otherwise, '}']
                      if otherwise else []) + ['}']

    def statement(self, s, mask):
        if s.kind == 'if':
            return self.condition(s, mask)
        if s.kind == 'loop' and (found := re.match(r'PART_(\d+)$', s.condition)):
            return [f'if (part_{found[1]}(s, {mask})) {{', *self.block(s.then, mask), '}']
        if s.kind == 'declare':
            kind = self.local[s.name] = Kind(variable(s.type, s.name))
            return [f'V32 {s.name}[{power(kind.words)}] = {{}};' if kind.words > 1
                    else f'{kind.vector} {s.name} = {{}};']
        if s.kind == 'empty' or s.kind == 'call' and s.left == 'VL_ZERO_W' and re.match(r'\d+, \w+$', s.right):
            return []
        if s.kind != 'assign':
            self.unknown(s.text)
        self.start(s.left)
        self.at = 1
        write = self.place(self.token[0])[1]
        if self.token[self.at]:
            self.unknown(s.text)
        return [write(mask, self.whole(s.right))]


class Lanes:
    def __init__(self, model):
        self.model, self.parts = model, {}
        self.members = {v.name: Kind(v) for v in model.variables.values()
                        if v.port != 'INOUT' and not re.match(r'__V(?:ico|stl|act|nba)|__Vm_', v.name)}
        self.ports = [v for v in model.variables.values() if v.port in ('IN', 'OUT')]
        self.evaluation()
        self.code = {f: self.function(f) for f in self.functions}
        self.input_code = ''.join(self.code[f] for f in self.input_calls)
        self.text = dict.fromkeys(('tables', 'lane_bits', 'lane_clocks', 'of_one_bit', 'variables', 'far', 'each',
                                   'parts', 'joins', 'rests', 'shown_ports', 'bind', 'pins', 'pins_in', 'bits_in',
                                   'clocks_in', 'from_model', 'to_model', 'differ',
                                   'join_shown', 'pass_in', 'pass_out', 'pass_settled'), '')

    def function(self, name):
        """A function's lines; parts that rest.py has marked, in self.parts: variables that they are compared by."""
        f = self.model.function(name)

        def part(found):
            self.parts[int(found[1])] = re.findall(r'vlSelf->(\w+)', found[2])
            return f'PART_{found[1]} {found[3]}\n'
        body = re.sub(r'    // PART (\d+):([^\n]*)\n.*?\n    if \(go_\1\) (\{.*?\n    \})\n    // END \1\n', part,
                      f.body, flags=re.S)
        body = re.sub(r'    const QData rest = [^\n]*\n', '', body)
        return '\n'.join('    ' + line for line in
                         Code(self.members, self.model, name).block(statements(f.plain_of(body)), 'm0'))

    # ---- the order of evaluation: inputs, then edges until there are none ----
    def evaluation(self):
        model, root = self.model, self.model.root
        self.functions, self.passes = [], []
        self.input_calls = [c.function for c in model.calls('eval_ico')]
        if model.function('eval_act').short:
            raise Unknown('eval_act', model.function('eval_act').short)
        nba = model.function('eval_nba').body
        resting = re.search(r'    const bool resting = !\((.*?)\);\n.*?\n    \}\n', nba, re.S)
        self.resting = re.findall(r'\bt(\d+)', resting[1]) if resting else []
        nba = nba.replace(resting[0], '') if resting else nba
        for found in re.finditer(r'\n    if \((.*?)\) \{\n(?:        vlSelf->__Vnba_rest = (.*?);\n)?'
                                 r'((?:        ROOT\(vlSelf\);\n)+)    \}'
                                 .replace('ROOT', rf'{root}___\w+'), nba, re.S):
            self.passes.append((re.findall(r'(?:__VnbaTriggered\.at\(|\bt)(\d+)', found[1]),
                                re.findall(rf'{root}___(\w+)\(', found[3]),
                                re.findall(r'times\[(\d+)\]', found[2] or '')))
        called = [f for p in self.passes for f in p[1]]
        if len(called) != len(re.findall(r'\bV\w+\(', model.function('eval_nba').plain)):
            raise Unknown('eval_nba', 'a call that no trigger guards')
        self.functions = list(dict.fromkeys(self.input_calls + called))
        triggers = model.triggers()
        if not triggers or not self.passes:
            raise Unknown('eval_triggers__act', 'no edges')
        if triggers.other:
            raise Unknown('eval_triggers__act', triggers.other[0])
        inputs = set(model.inputs)
        self.inside = any(n not in triggers.kept and n not in inputs for e in triggers.edges
                          for n in re.findall(r'vlSelf->(\w+)', e))
        self.triggers = [Code(self.members, model, 'eval_triggers__act').whole(e) for e in triggers.edges]
        self.seen = [f'put(active, s.{k}, get(s.{of}));' for k, of in triggers.kept.items()]
        self.edge = set(triggers.kept.values())

    def clock_only(self, n):
        """An input that only makes edges."""
        return n in self.edge and not re.search(rf'\bs\.{n}\b', self.input_code)

    def variables(self):
        t, inputs = self.text, set(self.model.inputs)
        for n, k in self.members.items():
            count = (power(k.places) if k.memory else 1) * (k.words if k.memory else power(k.words))
            i = 'i' if k.words == 1 else f'i * {k.words} + w'
            mine = f's.{n}.v[k][{i}]' if k.far else f's.{n}[{i}].v[k]'
            if k.far:
                t['far'] += f'    far<{k.type}, {count}> {n};\n'
            elif k.one_bit:
                t[('lane_clocks' if self.clock_only(n) else 'lane_bits') if n in inputs
                  else 'of_one_bit'] += f'    L1 {n};\n'
            else:
                t['variables'] += f'    L<{k.type}> {n}' + (f'[{count}]' if k.memory or k.words > 1 else '') + ';\n'
            if k.memory:
                place = (f'f("{n}", {mine}, r->{n}[i]);' if k.words == 1
                         else f'for (int w = 0; w < {k.words}; w++) f("{n}", {mine}, r->{n}[i][w]);')
                t['each'] += f'    for (int i = 0; i < {k.places}; i++) {place}\n'
            elif k.words > 1:
                t['each'] += f'    for (int w = 0; w < {k.words}; w++) f("{n}", s.{n}[w].v[k], r->{n}[w]);\n'
            else:
                t['each'] += f'    f("{n}", s.{n}.v[k], r->{n});\n'

    def pins(self):
        """Ports as users see them are separate variables, instance by instance: what goes in, of which clocks, and what
        comes out. Most of them are at an edge what they were at the one before, so `seen` and `shown` are what was
        copied last."""
        t = self.text
        for v in self.ports:
            n, k = v.name, self.members[v.name]
            wide, each = k.words > 1, f'for (int w = 0; w < {k.words}; w++) ' if k.words > 1 else ''
            in_pins, in_model, in_lane, shown = (f'{of}{n}' + ('[w]' if wide else '')
                                                 for of in ('p.', 'm->', 'g->s.', 'g->shown.'))
            pin = f'    {k.type} {n}' + (f'[{k.words}]' if wide else '') + ';\n'
            t['bind'] += f'    {each}{in_pins} = {in_model};\n    b->{n} = {"" if wide else "&"}p.{n};\n'
            if v.port == 'OUT':
                copy = f'    {each}pass(g, mask, {in_lane}, {shown}, [=](pins &p) -> auto & {{ return {in_pins}; }});\n'
                t['shown_ports'] += f'    {k.kept} {n}' + (f'[{k.words}]' if wide else '') + ';\n'
                t['pins'] += pin
                t['from_model'] += f'    {each}{in_pins} = {in_model};\n'
                t['differ'] += f'    {each}compare("{n}", {in_pins}, {in_model});\n'
                t['join_shown'] += f'    {each}{shown}.v[k] = {in_lane}.v[k];\n'
                t['pass_out'] += copy
                if re.search(rf'\bput\(\w+, s\.{n}\b', self.input_code):
                    t['pass_settled'] += copy
                continue
            t['to_model'] += f'    {each}{in_model} = {in_pins};\n'
            if n in self.edge and not k.one_bit:
                raise Unknown('eval_triggers__act', f'edges of {n}, more than one bit')
            if self.clock_only(n):
                t['clocks_in'] += pin
            elif k.one_bit:
                t['bits_in'] += pin
            else:
                t['pins_in'] += pin
                t['pass_in'] += f'        {each}{in_lane}.v[k] = {in_pins};\n'

    def rest(self):
        """Parts of functions that are left out at rest (rest.py): `rest` and `seen` as there, for all lanes; in `known`
        those that `seen` is of."""
        t, count = self.text, len(self.triggers)
        if self.resting:
            some = ' | '.join(f't{k}' for k in self.resting)
            t['rests'] = f'        const bool resting = !any({some});\n        if (!resting) {{\n' + \
                ''.join(f'            s.times[{k}] += any(t{k});\n' for k in range(count)) + '        }\n'
            t['variables'] += f'    uint64_t rest = 0, times[{count}] = {{{", ".join(["1"] * count)}}};\n'
            t['joins'] = '    for (uint64_t &t : g->s.times) t++;\n'
        for k, compared in sorted(self.parts.items()):
            differ = take = ''
            t['variables'] += f'    uint64_t rest_{k} = 0;\n    B known_{k} = {{}};\n'
            for i, n in enumerate(compared):
                kind, seen = self.members[n], f'seen_{k}_{i}'
                t['variables'] += f'    {kind.kept} {seen}' + (f'[{kind.words}]' if kind.words > 1 else '') + ';\n'
                for w in kind.each_word:
                    differ += f'    note(differ, ones, get(s.{n}{w}), get(s.{seen}{w}));\n'
                    take += f'    put(m, s.{seen}{w}, get(s.{n}{w}));\n'
            t['parts'] += f'template <class MASK> IN bool part_{k}(S &s, const MASK m)\n{{\n' \
                f'    if (!s.rest) return true;\n    if (s.rest_{k} != s.rest) s.known_{k} = {{}};\n' \
                f'    s.rest_{k} = s.rest;\n    V32 differ = {{}};\n    B ones = {{}};\n{differ}' \
                f'    if (!any(both(m, bits(differ) | ones | B{{s.known_{k}.v ^ FULL}}))) return false;\n{take}' \
                f'    s.known_{k} = s.known_{k} | both(m, B{{FULL}});\n    return true;\n}}\n'

    def calls(self, indent, mask, functions):
        every, some = (' '.join(f'{f}(s, {m});' for f in functions) for m in ('every()', mask))
        return f'{indent}if (all({mask} | unused)) {{ {every} }}\n{indent}else {{ {some} }}\n'

    def written(self):
        self.variables()
        self.pins()
        self.rest()
        t, model = self.text, self.model
        t['tables'] = ''.join(f'extern const {kind} {n};\n' for n, kind in sorted(model.tables.items())
                              if any(n in c for c in self.code.values()))
        t['functions'] = ''.join(f'template <class MASK> __attribute__((noinline)) void {f}(S &s, const MASK m0)\n'
                                 f'{{\n{self.code[f]}\n}}\n' for f in self.functions)
        t['settle'] = self.calls('    ', 'active', self.input_calls)
        t['triggers'] = ''.join(f'        const B t{k} = both(active, bits({e}));\n'
                                for k, e in enumerate(self.triggers)) + \
            ''.join(f'        {s}\n' for s in self.seen)
        t['none'] = ' | '.join(f't{k}' for k in range(len(self.triggers)))
        t['passes'] = ''.join(
            '        if (const B t = ' + ' | '.join(f't{k}' for k in at) + '; any(t)) {\n' +
            ('            s.rest = resting ? ' + ' + '.join(f's.times[{k}]' for k in times) + ' : 0;\n' if times
             else '') +
            self.calls('            ', 't', called) + '        }\n' for at, called, times in self.passes)
        # where all edges are those of inputs, what registers do cannot make another one
        t['again'] = '' if self.inside else '        return true;\n'
        # evaluate.py, rest.py: what the model's own functions have seen is not what its state has followed from here
        t['forget'] = ('    r->__Vico_known = false;\n' if '__Vico_known' in model.text[model.classes[model.root].file]
                       else '') + \
            ('    for (QData &t : r->__Vnba_times) t++;\n' if self.resting else '')
        # a struct without members would take no room of its own
        for pins, lanes in ('bits_in', 'lane_bits'), ('clocks_in', 'lane_clocks'):
            t[pins] = t[pins] or '    uint8_t none = 0;\n'
            t[lanes] = t[lanes] or '    L1 none = {};\n'
        here = os.path.dirname(os.path.abspath(__file__))
        t.update(name=model.name, root=model.root, vectors=text_of(f'{here}/lanes.hpp.in'))
        return re.sub(r'@([A-Z_]+)@', lambda found: t[found[1].lower()], text_of(f'{here}/lanes.cpp.in'))


def change(model, out):
    model.file(out, Lanes(model).written())
