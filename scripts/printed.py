"""Reads the C++ that Verilator prints for a model, whatever its version, and writes it back with changes.

    scripts/printed.py NAME FOLDER     what is read, a line for each thing; for a look, and for the test
    model = Model(NAME, FOLDER)        the C++ in FOLDER, made with --prefix VNAME; Unknown if no dialect fits
    model.functions['eval_nba']        functions by name, those of the top module without VNAME___024root___
        .body                          the C++ in it, in the words of Verilator 5.006, with its comments
        .plain                         the same without comments, debug code and the lines that every function begins
                                       with
        .cls, .file, .arguments        class of vlSelf, file, the text between its parentheses
    model.function('eval')             the same; Unknown if it is missing
    statements(plain)                  declarations and statements as a tree (Statement); lambdas(expression): those of
                                       lambdas in it
    model.variables                    of the top module, by name (Variable); of another one:
                                       model.classes[CLASS].variables
    model.inputs                       names of inputs, in the order of the module
    model.tables, model.constants      types of the tables of the model; words of its wide constants
    model.triggers()                   what `eval` looks for (Triggers)
    model.calls('eval_nba')            functions called there, of which instance, by which triggers (Call)
    model.loop('ico'), model.loop('nba')   places of the loops of `eval` in its body: (from, to), None if it has none
    model.change(function, body)       another body, in the words of 5.006; model.member(CLASS, TITLE, TEXT) adds
                                       variables
    model.insert(function, text)       puts text in front of a function; model.include(FILE, LINE, BEFORE) a line in
                                       front of a line
    model.declare(CALLED, CALLER)      declares a function in front of another one
    model.move(FUNCTION, OTHER)        puts a function behind another one, if that is in another file with the same
                                       #include lines
    model.file(PATH, TEXT)             another file
    model.write()                      writes the files that have changed, all or none

Files are found by what is in them, not by their names, but for NAME__Slow.cpp: what runs once is left out without
slow=True. What a pass does not recognise is reported as Unknown(place, text): it changes nothing then (passes.py).
DIALECTS has what versions print in another way; a new version is a new row.
"""
import glob
import os
import re

from common import stop


class Unknown(Exception):
    """Something that is printed in another way than expected."""

    def __init__(self, place, text=''):
        super().__init__(f'{place}: not known: {" ".join(text.split())[:120]}' if text else f'{place}: not known')


# ---- dialects ----
# mark: what most functions of this dialect begin with. words: what it prints, and what 5.006 prints instead; to: the
# way back, for triggers only. first: what sets the first trigger of `ico`. loop: the lines in front of the loops of
# `eval`; phase: what the functions called there do, without blanks, where they are functions of their own (R:
# VNAME___024root___).
_TRIGGER = r'vlSelf->(__V(?:ico|act|nba|stl)Triggered)'


def _bits(found):
    mask, trigger, word = int(found[1], 0), found[2], int(found[3])
    at = [f'vlSelf->{trigger}.at({64 * word + k}U)' for k in range(64) if mask >> k & 1]
    return at[0] if len(at) == 1 else '(' + ' | '.join(at) + ')'


class Dialect:
    def __init__(self, version, mark, words, to, first, loop, phase):
        self.version, self.mark, self.first, self.loop, self.phase = version, mark, first, loop, phase
        self.words = [(re.compile(pattern), by) for pattern, by in words]
        self.to = [(re.compile(pattern), by) for pattern, by in to]

    def canonical(self, text):
        for pattern, by in self.words:
            text = pattern.sub(by, text)
        return _without_lambdas(text) if '[&]' in text else text

    def printed(self, text):
        for pattern, by in self.to:
            text = pattern.sub(by, text)
        return text


DIALECTS = (
    Dialect('5.032', '    auto& vlSelfRef = std::ref(*vlSelf).get();\n',
            words=((r'    auto& vlSelfRef = std::ref\(\*vlSelf\)\.get\(\);(?:\n|\Z)', ''),
                   (r'\bvlSelfRef\.', 'vlSelf->'),
                   (_TRIGGER + r'\s*\.set\((\d+U), ([^;]*)\);', r'vlSelf->\1.at(\2) = \3;'),
                   (r'\((\w+)ULL & ' + _TRIGGER + r'\s*\.word\((\d+)U\)\)', _bits)),
            to=((_TRIGGER + r'\.at\((\d+U)\) = ([^;]*);', r'vlSelf->\1.set(\2, \3);'),
                (_TRIGGER + r'\.at\((\d+)U\)',
                 lambda found: f'(1U & (IData)(vlSelf->{found[1]}.word({int(found[2]) // 64}U)'
                               f' >> {int(found[2]) % 64}U))')),
            first='(IData)(vlSelf->__VicoFirstIteration)',
            loop={'ico': '    __VicoIterCount = 0U;\n    vlSelf->__VicoFirstIteration = 1U;\n'
                         '    __VicoContinue = 1U;\n',
                  'nba': '    __VnbaIterCount = 0U;\n    __VnbaContinue = 1U;\n'},
            phase={'ico': 'CData __VicoExecute; Reval_triggers__ico(vlSelf); '
                          '__VicoExecute = vlSelf->__VicoTriggered.any(); '
                          'if (__VicoExecute) { Reval_ico(vlSelf); } return (__VicoExecute);',
                   'act': 'VlTriggerVec __VpreTriggered; CData __VactExecute; Reval_triggers__act(vlSelf); '
                          '__VactExecute = vlSelf->__VactTriggered.any(); if (__VactExecute) { '
                          '__VpreTriggered.andNot(vlSelf->__VactTriggered, vlSelf->__VnbaTriggered); '
                          'vlSelf->__VnbaTriggered.thisOr(vlSelf->__VactTriggered); Reval_act(vlSelf); } '
                          'return (__VactExecute);',
                   'nba': 'CData __VnbaExecute; __VnbaExecute = vlSelf->__VnbaTriggered.any(); '
                          'if (__VnbaExecute) { Reval_nba(vlSelf); vlSelf->__VnbaTriggered.clear(); } '
                          'return (__VnbaExecute);'}),
    Dialect('5.006', '    if (false && vlSelf) {}  // Prevent unused\n', words=(), to=(),
            first='(0U == vlSelf->__VicoIterCount)',
            loop={'ico': '    vlSelf->__VicoIterCount = 0U;\n    __VicoContinue = 1U;\n',
                  'nba': '    __VnbaIterCount = 0U;\n    __VnbaContinue = 1U;\n'},
            phase={}),
)


# ([&]() {STATEMENTS}(), RESULT): a function of Verilog called within an expression. Its statements are put in front of
# the one that it is in, because they write variables of this call only, before they read them. Where they do not, the
# lambda is left.
_LAMBDA = '([&]() {'


def _closing(text, at, brackets):
    """Place of the bracket that closes the one at text[at]."""
    depth = 0
    for found in re.compile('[' + re.escape(brackets) + ']').finditer(text, at):
        depth += 1 if found[0] == brackets[0] else -1
        if not depth:
            return found.start()
    raise Unknown('bracket', text[at:])


def _statement_start(text, at):
    """Where the statement begins that text[at] is in: behind the last ; { or }, before an else its if."""
    start = max(text.rfind(c, 0, at) for c in ';{}') + 1
    while text[start - 1] == '}' and re.match(r'\s*else\b', text[start:at]):
        depth, at = 0, start
        while True:
            at -= 1
            depth += {'}': 1, '{': -1}.get(text[at], 0)
            if not depth:
                break
        start = max(text.rfind(c, 0, at) for c in ';{}') + 1
    return start


def _of_a_call(body):
    """Whether statements write nothing but variables of a call, and none that they have read before."""
    written = set()
    for s in (w for top in statements(body) for w in top.walk()):
        if s.kind == 'assign' and re.match(r'(?:vlSelf->)?__V(?:func|task)_\w+$', s.left):
            written.add(s.left)
        elif s.kind not in ('if', 'empty'):
            return False
    first = {}
    for found in re.finditer(r'(?:vlSelf->)?\b__V(?:func|task)_\w+', body):
        first.setdefault(found[0], re.match(r'\s*=(?!=)', body[found.end():]))
    return all(first[v] for v in written)


def _without_lambdas(text):
    at = text.find(_LAMBDA)
    while at >= 0:
        brace = at + len(_LAMBDA) - 1
        end = _closing(text, brace, '{}')
        inner = text.find(_LAMBDA, brace, end)
        if inner >= 0:
            at = inner
            continue
        body, close = text[brace + 1:end], _closing(text, at, '()')
        result = re.match(r'\}\(\),\s*', text[end:close])
        start = _statement_start(text, at)
        if not result or not _of_a_call(body) or re.match(r'\s*(?:for|while|do)\b', text[start:at]):
            return text
        text = text[:start] + body.rstrip() + text[start:at] + text[end + result.end():close] + text[close + 1:]
        at = text.find(_LAMBDA)
    return text


# ---- statements ----
class Statement:
    """text: all of it, with the blanks in front. kind: 'declare' (type, name), 'assign' (left, right), 'if' (condition,
    then, otherwise), 'call' (left: what is called; right: arguments), 'loop' (condition: its head; then), 'other'."""
    __slots__ = 'kind', 'text', 'type', 'name', 'left', 'right', 'condition', 'then', 'otherwise'

    def __init__(self, kind, text, **parts):
        self.kind, self.text = kind, text
        for name, value in parts.items():
            setattr(self, name, value)

    def walk(self):
        yield self
        if self.kind in ('if', 'loop'):
            for s in self.then + (self.otherwise if self.kind == 'if' else []):
                yield from s.walk()


_PIECE = re.compile(r'([^;{}]*)([;{}])')
_DECLARE = re.compile(r'\s*((?:[CSIQ]Data|VlWide<\d+>)(?:/\*\d+:0\*/)?)\s+(\w+)$')
_ASSIGN = re.compile(r'\s*([^=(]*?(?:\[[^=]*\])*)\s*=(?!=)\s*(.*)$', re.S)
_CALL = re.compile(r'\s*([\w:>.-]+)\s*\((.*)\)\s*$', re.S)


def _simple(text):
    s = text[:-1]
    if found := _DECLARE.match(s):
        return Statement('declare', text, type=found[1], name=found[2])
    if found := _ASSIGN.match(s):
        return Statement('assign', text, left=found[1], right=found[2])
    if found := _CALL.match(s):
        return Statement('call', text, left=found[1], right=found[2])
    return Statement('other' if s.strip() else 'empty', text)


def statements(plain):
    """The statements of a function without comments."""
    out, at, _ = _block(plain, 0)
    if plain[at:].strip():
        raise Unknown('statement', plain[at:])
    return out


def _block(text, at):
    """Statements from text[at] to the } that closes them, or to the end; where that is, and whether there was a }."""
    out = []
    while True:
        start = at
        if found := re.compile(r'\s*(for \()').match(text, at):
            head_end = text.find('{', _closing(text, found.end(1) - 1, '()'))
            inner, at, _ = _block(text, head_end + 1)
            out.append(Statement('loop', text[start:at], condition=text[found.start(1):head_end].strip(), then=inner))
            continue
        piece = _piece(text, at)
        if not piece:
            return out, at, False
        head, end, at = piece
        if end == ';':
            out.append(_simple(text[start:at]))
            continue
        if end == '}':
            if head.strip():
                raise Unknown('statement', text[start:])
            return out, at, True
        head = head.strip()
        inner, at, closed = _block(text, at)
        if not closed:
            raise Unknown('statement', text[start:])
        if head.startswith('else'):
            before = out[-1] if out else None
            while (before is not None and before.kind == 'if' and before.otherwise and before.otherwise[0].kind == 'if'
                   and len(before.otherwise) == 1):
                before.text += text[start:at]
                before = before.otherwise[0]
            if before is None or before.kind != 'if' or before.otherwise:
                raise Unknown('else', text[start:])
            before.text += text[start:at]
            head = head[4:].strip()
            before.otherwise = inner if not head else [
                Statement('if', text[start:at], condition=_condition(head, 'if'), then=inner, otherwise=[])]
        elif head.startswith('if'):
            out.append(Statement('if', text[start:at], condition=_condition(head, 'if'), then=inner, otherwise=[]))
        elif not head:
            out.append(Statement('block', text[start:at]))
        else:
            out.append(Statement('loop', text[start:at], condition=head, then=inner))


def _piece(text, at):
    """Text from text[at] to the next ; { or } that is not of a lambda; that one, and the place behind it."""
    start = at
    while found := _PIECE.match(text, at):
        if found[2] == ';' or not found[1].endswith(_LAMBDA[1:-1]):
            return text[start:found.start(2)], found[2], found.end()
        at = _closing(text, found.start(2), '{}') + 1
    return None


def lambdas(text):
    """The statements of each lambda in an expression, but of those within others."""
    at = 0
    while (at := text.find(_LAMBDA, at)) >= 0:
        end = _closing(text, at + len(_LAMBDA) - 1, '{}')
        yield statements(text[at + len(_LAMBDA):end])
        at = end


def _condition(head, word):
    found = re.match(word + r'\s*\((.*)\)$', head, re.S)
    if not found:
        raise Unknown('statement', head)
    return found[1]


# ---- a model ----
class Variable:
    """type: CData, SData, IData, QData; words: of a place, 0 for one that is no VlWide; places: of a VlUnpacked, 0 for
    one that is none; bits: of a place; port: IN, OUT, INOUT or None."""
    __slots__ = 'name', 'type', 'words', 'places', 'bits', 'port'

    def __init__(self, name, type_, words, places, bits, port):
        self.name, self.type, self.words, self.places, self.bits, self.port = name, type_, words, places, bits, port

    @property
    def cpp(self):
        """Its type in C++."""
        place = f'VlWide<{self.words}>' if self.words else self.type
        return f'VlUnpacked<{place}, {self.places}>' if self.places else place

    @property
    def each_word(self):
        """What stands behind its name for each word of a VlWide: [0], [1]...; '' for a variable that is none."""
        return [f'[{w}]' for w in range(self.words)] or ['']


_PORT = re.compile(r'\s+VL_(IN|OUT|INOUT)(8|16|64|W|)\(&?(\w+),(\d+),\d+(?:,(\d+))?\);$')
_SIZES = {'8': 'CData', '16': 'SData', '': 'IData', '64': 'QData', 'W': 'IData'}
_TYPE = re.compile(r'(?:VlUnpacked<)?(?:VlWide<(\d+)>|([CSIQ]Data))(?:/\*(\d+):0\*/)?(?:,\s*(\d+)>)?$')


def variable(text, name, port=None):
    """The variable of a type as it is printed; None for types that are not of a signal."""
    found = _TYPE.match(text.strip())
    if not found or text.strip().startswith('VlUnpacked') != (found[4] is not None):
        return None
    return Variable(name, found[2] or 'IData', int(found[1] or 0), int(found[4] or 0), int(found[3] or 0) + 1, port)


class Class:
    _member = re.compile(r'\s+(\S.*?)\s*\b(\w+);$')

    def __init__(self, name, file, text):
        self.name, self.file, self.variables, self.odd_ports = name, file, {}, []
        for line in text.split('\n'):
            if found := _PORT.match(line):
                port, size, name, left, words = found.groups()
                self.variables[name] = Variable(name, _SIZES[size], int(words or 0), 0, int(left) + 1, port)
            elif 'VL_IN' in line or 'VL_OUT' in line:
                self.odd_ports.append(line.strip())
            elif (found := self._member.match(line)) and (v := variable(found[1], found[2])):
                self.variables[found[2]] = v


class Function:
    def __init__(self, model, name, cls, file, arguments, raw):
        self.model, self.name, self.cls, self.file, self.arguments, self.raw = model, name, cls, file, arguments, raw
        self._body = self._plain = None

    @property
    def body(self):
        if self._body is None:
            self._body = self.model.dialect.canonical(self.raw)
        return self._body

    @property
    def plain(self):
        if self._plain is None:
            self._plain = self.plain_of(self.body)
        return self._plain

    def plain_of(self, body):
        body = re.sub(r'^#if.*?^#endif[^\n]*\n?', '', body, flags=re.M | re.S)
        body = re.sub(r'VL_DEBUG_IF\([^\n]*\);\n?', '', body)
        body = re.sub(r'//[^\n]*', '', body)
        body = re.sub(r'^\s*(?:if \(false && vlSelf\) \{\}|\(void\)vlSelf;)', '', body)
        return body.replace(self.model.symbols, '')

    @property
    def short(self):
        return ' '.join(self.plain.split())


class Triggers:
    """edges: the expression of each trigger; kept: variable with what another one was, in order; other: statements."""

    def __init__(self, edges, kept, other):
        self.edges, self.kept, self.other = edges, kept, other


class Call:
    """A call of a function: cls and name; instance: TOP or TOP__...; at: numbers of the triggers that call it."""

    def __init__(self, function, instance, at):
        self.function, self.instance, self.at = function, instance, at


CALLS = r'((?:        (?:\w+\([^;]*\)|vlSelf->__Vm_traceActivity\[\w+\] = 1U);\n)+)' # behind a condition of triggers
_FUNCTION = re.compile(r'\n(?:[\w*&:<>]+ )+?(\w+)\(([^()]*)\) \{\n(.*?)\n\}(?=\n)', re.S)


def text_of(path):
    with open(path, encoding='latin-1', newline='') as f:
        return f.read()


class Model:
    def __init__(self, name, folder, slow=False):
        self.name, self.folder = name, folder
        self.root = f'V{name}___024root'
        self.symbols = f'V{name}__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;'
        self.text, self.functions, self.classes, self.tables, self.constants, self.dialect = {}, {}, {}, {}, {}, None
        self._changed, self._added, self._before, self._moved = {}, {}, {}, {}
        for path in sorted(glob.glob(f'{glob.escape(folder)}/V{name}*.cpp')
                           + glob.glob(f'{glob.escape(folder)}/V{name}*.h')):
            if not slow and path.endswith('__Slow.cpp') and not path.endswith(f'V{name}___024root__Slow.cpp'):
                continue
            text = self.text[path] = text_of(path)
            if path.endswith('.h'):
                found = re.search(r'^class (?:alignas\(\w+\) )?(\w+) final : public VerilatedModule', text, re.M)
                if found:
                    self.classes[found[1]] = Class(found[1], path, text)
                continue
            for found in re.finditer(rf'extern const (VlUnpacked<[^;]*?>)\s+(V{name}__ConstPool__TABLE_\w+);', text):
                self.tables[found[2]] = found[1]
            for found in re.finditer(rf'extern const VlWide<\d+>(?:/\*\d+:0\*/)?\s+(V{name}__ConstPool__CONST_\w+) = '
                                     rf'\{{\{{(.*?)\}}\}};', text, re.S):
                self.constants[found[1]] = [int(w.strip().rstrip('U'), 0) for w in found[2].split(',')]
            for found in _FUNCTION.finditer(text):
                cls = re.match(r'(\w+)\* vlSelf\b', found[2])
                f = Function(self, found[1], cls and cls[1], path, found[2], found[3])
                self.functions[self.key(found[1])] = f
        if self.root not in self.classes:
            raise Unknown(f'class {self.root}')
        self.function('eval')
        found = [d for d in DIALECTS if any(d.mark in t for t in self.text.values())]
        if len(found) != 1:
            raise Unknown('beginning of functions', self.function('eval').raw)
        self.dialect = found[0]

    def key(self, name):
        return name[len(self.root) + 3:] if name.startswith(self.root + '___') else name

    def function(self, name):
        if name not in self.functions:
            raise Unknown(f'function {name}')
        return self.functions[name]

    @property
    def variables(self):
        return self.classes[self.root].variables

    @property
    def inputs(self):
        if self.classes[self.root].odd_ports:
            raise Unknown('port', self.classes[self.root].odd_ports[0])
        return [v.name for v in self.variables.values() if v.port == 'IN']

    # ---- evaluation ----
    def triggers(self):
        """What `eval` looks for; None if it looks for nothing."""
        short = self.functions['eval_triggers__act'].short if 'eval_triggers__act' in self.functions else ''
        if not short:
            return None
        edges, kept, other = [], {}, []
        for s in short.split(';'):
            s = s.strip()
            if found := re.match(r'vlSelf->__VactTriggered\.at\((\d+)U\) = (.*)$', s):
                if int(found[1]) != len(edges):
                    raise Unknown('eval_triggers__act', s)
                edges.append(found[2])
            elif found := re.match(r'vlSelf->(__Vtrig\w*prev\w*) = vlSelf->(\w+)$', s):
                kept[found[1]] = found[2]
            elif s:
                other.append(s)
        if not edges:
            raise Unknown('eval_triggers__act', short)
        return Triggers(edges, kept, other)

    def calls(self, name):
        f, calls = self.function(name), []
        for found in re.finditer(rf'\n    if \((.*?)\) \{{\n{CALLS}    \}}', f.body, re.S):
            at = {int(k) for k in re.findall(r'Triggered\.at\((\d+)U\)', found[1])}
            for called in re.finditer(r'\b(\w+)\((?:vlSelf|\(&vlSymsp->(\w+)\))\);', found[2]):
                calls.append(Call(self.key(called[1]), called[2] or 'TOP', at))
        if len(calls) != len(re.findall(r'\bV\w+\(', f.plain)):
            raise Unknown(name, f.plain)
        return calls

    def loop(self, which):
        """Place of a loop of `eval` in its body, with what sets it up: (from, to); None if there is no such loop."""
        f, d = self.function('eval'), self.dialect
        if f'__V{which}Continue' not in f.body:
            return None
        at = f.body.find(d.loop[which])
        found = re.compile(r'    while \(__V\w+Continue\) \{\n.*?\n    \}(?:\n|\Z)', re.S).match(
            f.body, at + len(d.loop[which])) if at >= 0 else None
        if not found or f'while (__V{which}Continue)' not in found[0]:
            raise Unknown('eval', f.short)
        for phase in [which] if which == 'ico' else ['act', 'nba']:
            if phase in d.phase:
                does = self.function(f'eval_phase__{phase}').short.replace(f'{self.root}___', 'R')
                does = re.sub(r'/\*\d+:0\*/|(?<=VlTriggerVec)<\d+>', '', does)
                if does != d.phase[phase]:
                    raise Unknown(f'eval_phase__{phase}', does)
        return at, found.end()

    # ---- changes ----
    def change(self, name, body):
        f = self.function(name)
        f._body, f._plain = body, None
        self._changed[name] = body

    def insert(self, name, text):
        self._before[name] = self._before.get(name, '') + text

    def declare(self, called, caller):
        f = self.function(called)
        self.insert(caller, f'void {f.name}({f.arguments});\n')

    def move(self, name, behind):
        files = [self.function(n).file for n in (name, behind)]
        if files[0] != files[1] and len({tuple(re.findall('#include.*', self.text[f])) for f in files}) == 1:
            self._moved[name] = behind

    def member(self, cls, title, text):
        if cls not in self.classes or '\n    // INTERNAL VARIABLES\n' not in self.text[self.classes[cls].file]:
            raise Unknown(f'class {cls}')
        file = self.classes[cls].file
        self.text[file] = self.text[file].replace('\n    // INTERNAL VARIABLES\n',
                                                  f'\n    // {title}\n{text}\n    // INTERNAL VARIABLES\n', 1)
        self._added[file] = True

    def file(self, path, text):
        self.text[path], self._added[path] = text, True

    def include(self, file, line, before):
        if line not in self.text[file]:
            if before not in self.text[file]:
                raise Unknown(os.path.basename(file), before)
            self.text[file] = self.text[file].replace(before, line + before, 1)
            self._added[file] = True

    def _place(self, name):
        f = self.functions[name]
        places = [m for m in _FUNCTION.finditer(self.text[f.file]) if m[1] == f.name]
        if len(places) != 1:
            raise Unknown(f'function {name}')
        return f, self.text[f.file], places[0]

    def write(self):
        for name in {**self._changed, **self._before}:
            f, text, m = self._place(name)
            body = self.dialect.printed(self._changed[name]) if name in self._changed else m[3]
            self.text[f.file] = text[:m.start()] + ('\n' + self._before[name] if name in self._before else '') + \
                text[m.start():m.start(3)] + body + text[m.end(3):]
            self._added[f.file] = True
        for name, behind in self._moved.items():
            f, text, m = self._place(name)
            # with what is declared in front of it
            start = re.search(r'(?:\n[^\n(){}#]+\([^\n(){}]*\);)*\n*\Z', text[:m.start()]).start()
            self.text[f.file], self._added[f.file] = text[:start] + text[m.end():], True
            f.file = self.functions[behind].file
            end = self._place(behind)[2].end()
            self.text[f.file], self._added[f.file] = (
                self.text[f.file][:end] + '\n' + text[start:m.end()] + self.text[f.file][end:], True)
        for file in self._added: # all are first written under new names
            with open(file + '.part', 'w', encoding='latin-1', newline='') as f:
                f.write(self.text[file])
        for file in self._added:
            os.replace(file + '.part', file)
        self._changed, self._added, self._before, self._moved = {}, {}, {}, {}


def main(arguments):
    try:
        m = Model(*arguments)
    except Unknown as e:
        stop(f'{arguments[0]}: {e}')
    print(f'dialect {m.dialect.version}: {" ".join(m.classes)}')
    print('variables ' + ', '.join(f'{v.cpp} {v.name} {v.bits}{" " + v.port if v.port else ""}'
                                   for v in m.variables.values() if not v.name.startswith('__V')))
    for table, kind in m.tables.items():
        print(f'table {table} {kind}')
    found = m.triggers()
    for k, e in enumerate(found.edges if found else ()):
        for n, (prev, of) in enumerate(found.kept.items()):
            e = e.replace(prev, f'KEPT_{of}')
        print(f'edge {k}: {e}')
    for which in 'eval_ico', 'eval_nba':
        for c in m.calls(which):
            print(f'{which}: {c.function} of {c.instance} at {sorted(c.at)}')
    print('loops ' + ' '.join(w for w in ('ico', 'nba') if m.loop(w)))

    def show(block, indent):
        for s in block:
            parts = {'declare': 'type name', 'assign': 'left right', 'call': 'left right', 'if': 'condition',
                     'loop': 'condition'}.get(s.kind, 'text')
            print(indent + s.kind + ' ' + ' | '.join(' '.join(getattr(s, p).split()) for p in parts.split()))
            show(getattr(s, 'then', ()), indent + '    ')
            if getattr(s, 'otherwise', ()):
                print(indent + 'else')
                show(s.otherwise, indent + '    ')
    for c in {c.function: c for c in m.calls('eval_ico') + m.calls('eval_nba')}:
        if c in m.functions:
            print(f'{c}:')
            show(statements(m.functions[c].plain), '    ')
