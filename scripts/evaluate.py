"""What Verilator puts around a model's own code is made short: its `eval` is rewritten. A pass of passes.py.

Verilator's eval works out all that follows from inputs without a clock, whether they have changed or not, and then
looks for edges until there are none, three times if there is one. The new one

* compares the inputs with those seen last, and does the first part only where they differ;
* looks for edges once, where all edges are those of inputs: what registers do then cannot make another one.

Results are the same to the bit: after each evaluation all that is combinational has settled, and nobody but the model
itself writes its variables. Code that does (lanes.py, into a model that leaves its lanes) sets __Vico_known to false.
Inputs that only registers look at, and clocks, are not compared.
"""
import glob
import re

from printed import Unknown, text_of


def reads(model, *names):
    """Names of what functions read, with those that they call; None if one of them is missing."""
    found, done, calls = set(), set(), list(names)
    while calls:
        name = calls.pop()
        if name in done:
            continue
        done.add(name)
        if name not in model.functions:
            return None
        body = model.functions[name].body
        found.update(re.findall(r'(?:vlSelf->|TOP\.)(\w+)', body))
        calls += [model.key(f) for f in re.findall(rf'\b(V{model.name}_\w+)\(', body)]
    return found


def edges(model, inputs):
    """The second part; '' where a clock comes from inside, or nothing has one."""
    found = model.triggers()
    if not found or not model.functions.get('eval_act') or model.function('eval_act').short:
        return ''
    if found.other:
        raise Unknown('eval_triggers__act', found.other[0])
    seen = ''
    for variable, of in found.kept.items():
        if of not in inputs:
            return ''
        seen += f'    vlSelf->{variable} = vlSelf->{of};\n'
    for e in found.edges:
        names = re.findall(r'vlSelf->(\w+)', e)
        if any(found.kept.get(n, n) not in inputs for n in names) or \
                re.search(r'[^()&|~ ]', re.sub(r'vlSelf->\w+', '', e).replace('(IData)', '')):
            return ''
    t = [f't{k}' for k in range(len(found.edges))]
    none = ' | '.join(t)
    return ''.join(f'    const bool {n} = {e};\n' for n, e in zip(t, found.edges)) + seen + \
        f'    if (!({none})) return;\n' + \
        ''.join(f'    vlSelf->__VnbaTriggered.at({k}U) = {n};\n' for k, n in enumerate(t)) + \
        f'    {model.root}___eval_nba(vlSelf);\n'


def settles(model, inputs):
    """The first part, and the variables that it keeps."""
    first = model.function('eval_triggers__ico').short
    if first != f'vlSelf->__VicoTriggered.at(0U) = {model.dialect.first};':
        raise Unknown('eval_triggers__ico', first)
    read, kept, take, differ = reads(model, 'eval_ico'), '', '', '!vlSelf->__Vico_known'
    for v in (model.variables[n] for n in inputs if read is None or n in read):
        kept += f'    {v.cpp} __Vico_seen_{v.name};\n'
        take += f'        vlSelf->__Vico_seen_{v.name} = vlSelf->{v.name};\n'
        for word in v.each_word:
            differ += f'\n        | (vlSelf->{v.name}{word} ^ vlSelf->__Vico_seen_{v.name}{word})'
    return f'    if (0U != ({differ})) {{\n        vlSelf->__Vico_known = true;\n{take}' \
        f'        vlSelf->__VicoTriggered.at(0U) = 1U;\n        {model.root}___eval_ico(vlSelf);\n    }}\n', \
        kept + '    bool __Vico_known = false; // what follows from inputs follows from those seen\n'


def ends(model):
    """What Verilator does at the end of each evaluation, for what a model may not have: 5.032 looks, under a lock, for
    objects of classes that are to be deleted, and all versions look for what other threads of the model wanted to
    say."""
    top = f'{model.folder}/V{model.name}.cpp'
    files = [text_of(f) for f in glob.glob(f'{glob.escape(model.folder)}/V{model.name}*') if f.endswith(('.cpp', '.h'))]
    text = was = model.text.get(top, '')
    found = [line.strip() for f in files for line in f.split('\n') if '__Vm_deleter' in line]
    if sorted(found) == ['VlDeleter __Vm_deleter;', 'vlSymsp->__Vm_deleter.deleteAll();']:
        text = text.replace('    vlSymsp->__Vm_deleter.deleteAll();\n', '', 1)
    if not any(re.search(r'mtaskId\((?!0\))|__Vthread|__Vm_threadPool', f) for f in files):
        text = text.replace('    Verilated::endOfEval(vlSymsp->__Vm_evalMsgQp);\n', '', 1)
    if text != was:
        model.file(top, text)


def change(model):
    ends(model)
    inputs = model.inputs
    body = model.function('eval').body
    parts, kept = [], ''
    if place := model.loop('ico'):
        short, kept = settles(model, inputs)
        parts.append((place, short, ('__VicoIterCount', '__VicoContinue')))
    if (place := model.loop('nba')) and (short := edges(model, inputs)):
        parts.append((place, short, ('__VpreTriggered', '__VnbaIterCount', '__VnbaContinue')))
    if not parts:
        return
    for (start, end), short, _ in reversed(parts):
        body = body[:start] + short + body[end:]
    for variable in (v for p in parts for v in p[2]):
        body = re.sub(rf'^    \S+ {variable};\n', '', body, count=1, flags=re.M)
    model.change('eval', body.rstrip())
    for called in 'eval_ico', 'eval_nba': # which 5.032 may have in another file
        if f'{model.root}___{called}(' in body:
            model.declare(called, 'eval')
    own = [f for f in re.findall(rf'\b{model.root}___(\w+)\(', model.function('eval_nba').plain)
           if f in model.functions]
    if own: # a compiler that sees both puts short functions into eval_nba
        model.move('eval_nba', own[-1])
    if kept:
        model.member(model.root, 'INPUTS SEEN LAST (scripts/evaluate.py)', kept)
