"""What has changed in a model with waves is found in its memory by lines, not signal by signal. A pass of passes.py.

Verilator's code for waves (--trace) declares each signal, hands on all values at the start, and later compares each
signal with what it was. Most signals are variables of C++, or parts of arrays, and stand side by side: here the
comparisons are taken out, and a function says at the start where each stands (fst_place in sim/core/waves/fst.h).
Signals that are worked out for the waves get a place, too, in arrays that are added to the model: they are worked out
when they were, and not compared then. Declarations and values go to sim_signals (signals.hpp.in), so nothing of
Verilator's recorders is called. A model that is not changed is recorded by its VerilatedVcdC (verilated.cpp.in).

The places of signals must not overlap: a word of a variable that is itself a signal has one in these arrays.
"""
import re

from printed import Model, Unknown

_STATEMENT = re.compile(r'[ ]*bufp->(full|chg)(Bit|[CSIQW]Data)\(oldp\+(\d+),\(([^;]*)\)(?:,(\d+))?\);\n?')
_OLDP = re.compile(r' *uint32_t\* const oldp VL_ATTR_UNUSED = bufp->oldp\(vlSymsp->__Vm_baseCode(?: \+ (\d+))?\);\n')
_PLACE = re.compile(r'(?:vlSelf->|vlSymsp->TOP\w*\.)\w+(?:\[(?:0x)?[0-9a-f]+U?\])*$')
_DECLARE = re.compile(r'tracep->decl(\w+)\((c\+[^,"]+),(?:0,)?("[^"]*"),([^;]*)\);')
_PUSH = re.compile(r'tracep->pushPrefix\((.*), VerilatedTracePrefixType::(\w+)\);')
_TRACE = re.compile(r'VL_ATTR_COLD void (V\w+::trace(?:BaseModel)?\((?:VerilatedVcdC|VerilatedTraceBaseC)\* tfp, int '
                    r'levels, int options\)) \{\n.*?\n\}\n', re.S)
# Kinds and directions of the FST format, by words in a declaration; Verilator before 5.020 has none.
_KINDS = (('SigKind::PARAMETER', 2), ('SigType::INTEGER', 1), ('SigKind::WIRE', 16), ('SigType::LOGIC', 23))
_DIRECTIONS = (('::INPUT', 1), ('::OUTPUT', 2), ('::INOUT', 3))


class _Signals:
    """By code: value is what all values are handed on from, changed what is compared; place is where it stands."""

    def __init__(self):
        self.value, self.changed, self.kind, self.bits, self.place, self.made = {}, {}, {}, {}, {}, set()


def _first(function):
    found = _OLDP.search(function.body)
    if not found:
        raise Unknown(function.name, function.plain)
    return int(found[1] or 0)


def _read(signals, function, which):
    first, known = _first(function), 0
    for kind, data, offset, value, bits in _STATEMENT.findall(function.body):
        code = first + int(offset)
        if kind != which:
            raise Unknown(function.name, value)
        (signals.value if which == 'full' else signals.changed)[code] = re.sub(r'\s+', '', value)
        signals.kind[code], signals.bits[code] = data, int(bits or 1)
        known += 1
    if known != function.body.count('bufp->') - 1:
        raise Unknown(function.name, next(line for line in function.body.split('\n') if 'bufp->' in line
                                          and 'bufp->oldp' not in line and
                                          not _STATEMENT.match(line + '\n')))


def _depth(place):
    return place.count('[')


def _find_places(signals):
    """Those without a place of their own, in the order of codes, have one in arrays: their sizes."""
    whole, taken, count = {}, set(), {}
    for place in filter(_PLACE.match, signals.changed.values()):
        variable = place.split('[')[0]
        whole[variable] = min(_depth(place), whole.get(variable, _depth(place)))
    for code in sorted(signals.changed):
        place = signals.changed[code]
        if (not _PLACE.match(place) or signals.value.get(code) != place
                or _depth(place) > whole[place.split('[')[0]] or place in taken):
            kind = signals.kind[code].replace('Bit', 'CData')
            if kind == 'WData':
                kind = f'VlWide<{(signals.bits[code] + 31) // 32}>'
            place = f'vlSelf->__Vwaves_{re.sub("[<>]", "", kind)}[{count.setdefault(kind, 0)}]'
            count[kind] += 1
            signals.made.add(code)
        taken.add(place)
        signals.place[code] = place
    return count


def _changed(signals, function, writes):
    """A function with what is in it instead of its comparisons, or next to the values that it hands on."""
    first = _first(function)

    def statement(found):
        kind, data, offset, value, _ = found.groups()
        code = first + int(offset)
        put = ''
        if code in signals.made:
            to, bits = signals.place[code], signals.bits[code]
            put = f'    VL_ASSIGN_W({bits}, {to}, {value});\n' if data == 'WData' else f'    {to} = ({value});\n'
        return (found[0].rstrip('\n') + '\n' if writes else '') + put

    body = _STATEMENT.sub(statement, function.body)
    return _OLDP.sub(f'    const uint32_t oldp VL_ATTR_UNUSED = vlSymsp->__Vm_baseCode + {first};\n' if writes else '',
                     body)


def _declared(found):
    kind, code, name, rest = found.groups()
    words = [w.strip() for w in rest.split(',')]
    range_ = words[-2:] if kind in ('Bus', 'Quad', 'Array') else []
    array = words[-4:-2] if range_ else words[-2:]
    if kind not in ('Bit', 'Bus', 'Quad', 'Array') or len(array) != 2 or array[0] not in ('true', 'false'):
        raise Unknown('declaration', found[0])
    number = next((n for word, n in _KINDS if word in rest), 16)
    direction = next((n for word, n in _DIRECTIONS if word in rest), 0)
    return f'tracep->declare({code}, {number}, {direction}, {name}, {", ".join(array + range_)});'


def _prefix(found):
    if found[2].startswith('ARRAY_'):
        return f'tracep->pushNamePrefix({found[1]});'
    return f'tracep->pushNamePrefix(std::string{{{found[1]}}} + \' \');'


def change(model):
    model = Model(model.name, model.folder, slow=True)
    root, signals, functions = model.root, _Signals(), {'full': [], 'chg': []}
    for f in model.functions.values():
        if found := re.search(r'__trace_(full|chg|const)_(?:\d+_)?sub_\d+$', f.name):
            which = 'chg' if found[1] == 'chg' else 'full'
            functions[which].append(f)
            _read(signals, f, which)
    if not functions['full'] or any(f.cls != root for f in functions['full'] + functions['chg']):
        raise Unknown('functions for waves')
    if set(signals.changed) - set(signals.value):
        raise Unknown('signal', str(sorted(set(signals.changed) - set(signals.value))[0]))
    members = _find_places(signals)
    for which, list_ in functions.items():
        for f in list_:
            model.change(model.key(f.name), _changed(signals, f, which == 'full'))

    register = model.function('trace_register' if 'trace_register' in model.functions else f'{root}__trace_register')
    called = {kind: re.findall(rf'tracep->add{kind}Cb\(&(\w+),(?: 0U,)? vlSelf\);', register.body)
              for kind in ('Const', 'Full', 'Chg', 'Cleanup')}
    if register.body.count('tracep->') != sum(map(len, called.values())) or not called['Full']:
        raise Unknown('trace_register', register.plain)
    model.change(model.key(register.name), '    // scripts/places.py')
    top = f'{model.folder}/V{model.name}.cpp'
    for path, text in model.text.items():
        if not re.search(r'tracep|bufp|\bVerilatedVcd\b', text):
            continue
        text = _PUSH.sub(_prefix, _DECLARE.sub(_declared, text)).replace('tracep->popPrefix()',
                                                                         'tracep->popNamePrefix()')
        if odd := re.search(r'(?m)^(?!\s*//).*tracep->'
                            r'(?!declare\(|scopeEscape\(|(?:push|pop)NamePrefix\(|add\w+Cb\().*', text):
            raise Unknown('declaration', odd[0])
        text = re.sub(r'\bVerilatedVcd\b', 'sim_signals', text)
        text = text.replace(f'#include "V{model.name}__Syms.h"\n',
                            f'#include "V{model.name}__Syms.h"\n#include "scripts/signals.hpp.in"\n', 1)
        if '#include "scripts/signals.hpp.in"' not in text:
            text = text.replace('#include "verilated_vcd_c.h"\n',
                                '#include "verilated_vcd_c.h"\n#include "scripts/signals.hpp.in"\n', 1)
        model.text[path], model._added[path] = text, True
    places = ''.join(f'    waves->place({code}, &{place}, sizeof {place});\n'
                     for code, place in sorted(signals.place.items()))
    names = [n for kind in ('Const', 'Full', 'Chg') for n in called[kind]]
    own = ''.join(f'void {n}(void*, sim_signals::Buffer*);\n' for n in names) + \
        ''.join(f'void {n}(void*, sim_signals*);\n' for n in called['Cleanup'])
    for function, calls in (('all', called['Const'] + called['Full'] + called['Cleanup']),
                            ('changed', called['Chg'] + called['Cleanup'])):
        own += f'static void trace_{function}(void* self, sim_signals* waves) {{\n' \
            + ''.join(f'    {c}(self, waves);\n' for c in calls) + '}\n'
    own += 'VL_ATTR_COLD static void trace_declare(void* voidSelf, sim_signals* waves) {\n' \
        '    trace_init(voidSelf, waves, 0);\n    waves->open({});\n' \
        f'    {root}* const vlSelf = static_cast<{root}*>(voidSelf);\n    {model.symbols}\n{places}}}\n' \
        'static const sim_signals_of signals_of = {trace_declare, trace_all, trace_changed};\n\n'
    model.text[top], count = _TRACE.subn(
        lambda found: f'{own}VL_ATTR_COLD void {found[1]} {{\n    (void)levels; (void)options;\n'
        '    sim_recorder_signals(dynamic_cast<VerilatedVcdC*>(tfp), &signals_of, &(vlSymsp->TOP));\n}\n',
        model.text[top])
    if count != 1:
        raise Unknown(f'V{model.name}::trace')
    if members:
        model.member(root, 'SIGNALS OF WAVES (scripts/places.py)',
                     ''.join(f'    {kind} __Vwaves_{re.sub("[<>]", "", kind)}[{n}];\n'
                             for kind, n in sorted(members.items())))
    model.write()
