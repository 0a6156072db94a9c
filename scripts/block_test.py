"""The empty test of a module that somebody else wrote, and its waves, of its ports (bindings.py: Verilog, C, way, bits,
range, what it is)."""
import re

WAVES = """[*] GTKWave save file of the test of {}: make test TEST={} WAVES=1 && make wave.
[size] 1400 800
[pos] -1 -1
*-16.000000 0{}
[sst_width] 200
[signals_width] 200
[sst_expanded] 1
[sst_vpaned_height] 300
"""
TEST = """/* {title}, which was written elsewhere: it comes out of reset and runs.
 * That is all that is checked so far; what it is to do belongs here. */
#include "{name}.h"
#include "simulation.h"
#include "test.h"

static sim *s;
static {name} *m;
{table}
static void setup(void)
{{
    s = loud_sim(0);
    m = MODEL_AS({name}, make_model(s, &{name}_config, "dut"), NULL);
    clear_inputs(m->model);
{clocks}{resets}}}

TEST_CASE("{name}", .setup = setup);

TEST(it_comes_out_of_reset_and_runs)
{{
{run}}}
"""


def test(name, module, ports):
    clocks = [(p[0], p[1]) for p in ports if p[2] == "input" and p[5] == "clock"]
    resets = []  # field, whether it is low, whether it acts at its edge
    for port, field, way, bits, _, kind in ports:
        if kind in ("reset_low", "reset_high"): resets.append((field, kind == "reset_low", True))
        elif way == "input" and bits == "1" and kind == "-" and re.search("(^|_)[as]?(rst|reset)(_|n|$)", port.lower()):
            resets.append((field, bool(re.search("(rst|reset)_?(n|ni|b|l)(_|$)", port.lower())), False))

    def run(n): return f"    run_clocks(s, clocks[0], {n});\n" if clocks else "    sim_model_eval(m->model);\n"

    def put(field, value, why=""): return f"    *m->{field} = {int(value)};{why}\n"

    return TEST.format(
        title=name if name == module else f"{name}, the module {module}", name=name,
        table=f"static sim_clock *clocks[{len(clocks)}];\n" * bool(clocks),
        clocks="".join(f'    clocks[{i}] = make_clock(s, "{port}", 10 * SIM_NS, {-1 if i else 0});\n'
                       f"    sim_model_clock(m->model, clocks[{i}], m->{field});\n"
                       for i, (port, field) in enumerate(clocks)),
        resets="".join([put(f, low, " /* it acts without a clock, at its edge */") for f, low, edge in resets if edge]
                       + ["    sim_model_eval(m->model);\n"] * any(edge for *_, edge in resets)
                       + [put(f, not low, "" if edge else " /* a reset by its name */") for f, low, edge in resets]
                       + [run(10)] * bool(resets) + [put(f, low) for f, low, _ in resets]),
        run=run(1000) + '    ck_assert_str_eq(sim_error(s), "");\n' * (not clocks))


def waves(name, top, test, ports):
    def shown(chosen):
        return "".join(f"{'@28' if p[3] == '1' else '@22'}\ndut.{top}.{p[0]}{'' if p[4] == '-' else p[4]}\n"
                       for p in ports if chosen(p))

    return WAVES.format(name, test, " -1" * 26) + shown(lambda p: p[5] != "-") + "@200\n-inputs\n" + shown(
        lambda p: p[5] == "-" and p[2] != "output") + "@200\n-outputs\n" + shown(
            lambda p: p[5] == "-" and p[2] == "output")
