/* The replay of recorded pins with X (scripts/replay.py), on one small block: it passes correct models and catches each
 * fault, on the Verilog and on the netlist that scripts/netlist.sh makes of it. Whole chips:
 * tb/system/test_fourstate.c. */
#include "shell.h"
#include "simulation.h"
#include "test.h"
#include "voq_sequence.h"

#define REPLAY "${PYTHON:-python3} -S scripts/tool.py replay "

enum { LANES = 8, CLOCKS = 300 };

struct driver {
    sim *s;
    voq_sequence *v;
    unsigned n;
};

/* Nothing, then each lane cleared, then steps and looks at random. */
static void drive(void *self)
{
    struct driver *d = self;
    unsigned n = d->n++;
    *d->v->clear = n >= 4 && n < 4 + LANES;
    *d->v->clear_lane = (uint8_t)((n - 4) % LANES);
    *d->v->step = sim_random_below(d->s, 2) && n >= 4 + LANES;
    *d->v->step_lane = (uint8_t)sim_random_below(d->s, LANES);
    *d->v->look_lane = (uint8_t)sim_random_below(d->s, LANES);
}

/* A folder with the recording v.pins, scripts/pins of its own, and the block in good/ and, cleared in two wrong ways,
 * in arithmetic/ (as x
 * + ~x + 1) and never/. */
static void set_up(void)
{
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.watchdog = 0;
    p.waves = NULL;
    p.pins = shell_folder();
    sim *s = sim_new(&p);
    struct driver d = {s, voq_sequence_new(s, "v"), 0};
    sim_clock *clock = make_clock(s, "clk", 10000, -1);
    sim_model_clock(d.v->model, clock, d.v->clk);
    *d.v->clear = *d.v->step = 0;
    *d.v->clear_lane = *d.v->step_lane = *d.v->look_lane = 0;
    sim_clock_attach(clock, NULL, drive, &d);
    ck_assert_int_eq(sim_run(s, CLOCKS * 10000), SIM_TIME_LIMIT);
    sim_free(s);
    ck_assert_int_eq(
        shell("f=$PWD/rtl/nic/voq/voq_sequence.v && cd $D && echo 'voq_sequence reset clear' > pins && "
              "mkdir good arithmetic never && cp $f good && "
              "sed 's/= number\\[lane\\] & .*/= number[lane];/; s/<= old + .*/<= old + (~old \\& {9{clear}}) + 1;/' $f "
              "> arithmetic/voq_sequence.v && ! cmp -s $f arithmetic/voq_sequence.v && "
              "sed 's/if (clear || step)/if (step)/' $f > never/voq_sequence.v && ! cmp -s $f never/voq_sequence.v"),
        0);
}

/* Exit code of a replay of `recording`; its output is in the file `out`. */
static int on_verilog(const char *block, const char *recording)
{
    return shell("PINS=$D/pins RTL=$D/%s " REPLAY "$D/%s.pins > $D/out 2>&1", block, recording);
}

static int on_netlist(const char *block, const char *recording)
{
    ck_assert_int_eq(
        shell("n=$D/%s/netlist; test -e $n.v || RTL=$D/%s scripts/netlist.sh $n voq_sequence", block, block), 0);
    return shell("PINS=$D/pins " REPLAY "--netlist $D/%s/netlist.v $D/%s.pins > $D/out 2>&1", block, recording);
}

static int says(const char *text) { return shell("grep -q -e '%s' $D/out || { cat $D/out; false; }", text) == 0; }

/* v.pins with the lowest bit of the only output changed in line 100: wrong.pins. */
static void change_a_bit(void)
{
    ck_assert_int_eq(
        shell("awk 'NR == 100 { x = substr($NF, length($NF)); y = x ~ /[02468ace]/; i = index(\"0123456789abcdef\", x) "
              "+ (y ? 1 : -1); $NF = substr($NF, 1, length($NF) - 1) substr(\"0123456789abcdef\", i, 1) } { print }' "
              "$D/v.pins > $D/wrong.pins; ! cmp -s $D/v.pins $D/wrong.pins"),
        0);
}

typedef int (*replay)(const char *, const char *);
static const replay on[] = {on_verilog, on_netlist};

TEST_CASE("replay", .timeout = 120, .setup = set_up, .teardown = shell_clean);

TEST(what_was_recorded_is_found_again_and_a_changed_bit_is_caught, .to = COUNT(on))
{
    ck_assert_int_eq(on[_i]("good", "v"), 0);
    ck_assert(says("GOOD: 300 edges, outputs known and as recorded from "));
    ck_shell_says(0, "GOOD", "rm -f 0.vcd; PINS=$D/pins RTL=$D/good WAVES=0 " REPLAY "$D/v.pins && [ ! -e 0.vcd ]");
    change_a_bit();
    ck_assert_int_eq(on[_i]("good", "wrong"), 1);
    ck_assert(says("edge 91: look_number is [0-9a-f]*, expected"));
    ck_assert(says("BAD: stopped"));
}

TEST(a_memory_that_is_never_cleared_is_caught, .to = COUNT(on))
{
    ck_assert_int_eq(on[_i]("never", "v"), 1);
    ck_assert(says("look_number is [0-9a-fxX]* (unknown), expected"));
}

/* In gates it is none: a LUT whose output is the same for both values of an input that is X has that output, and x ^ ~x
 * is such a one. */
TEST(a_clear_by_arithmetic_on_the_old_contents_is_caught_on_verilog, .to = COUNT(on))
{
    ck_assert_int_eq(on[_i]("arithmetic", "v"), _i == 0);
    ck_assert(says(_i == 0 ? "look_number is [0-9a-fxX]* (unknown), expected" : "GOOD: 300 edges"));
}

TEST(a_run_without_a_reset_compares_nothing_and_says_so)
{
    ck_assert_int_eq(shell("head -15 $D/v.pins > $D/short.pins"), 0);
    ck_assert_int_eq(on_verilog("good", "short"), 1);
    ck_assert(says("BAD: nothing compared: no reset of at least 8 edges of each clock"));
}

TEST(a_recording_that_is_cut_off_is_refused)
{
    ck_assert_int_eq(shell("head -c 5000 $D/v.pins > $D/cut.pins"), 0);
    ck_assert_int_eq(on_verilog("good", "cut"), 1);
    ck_assert(says("BAD: [0-9]* edges, then a line of [0-9]* fields instead of 8"));
}

TEST(what_is_missing_is_named)
{
    ck_assert_int_eq(on_verilog("good", "none"), 2);
    ck_assert(says("none.pins: no such recording; expected a file of nicxbar-sim --pins FOLDER"));
    ck_assert_int_eq(shell("echo nothing > $D/empty.pins"), 0);
    ck_assert_int_eq(on_verilog("good", "empty"), 2);
    ck_assert(says("empty.pins: no recording of pins"));
    ck_assert_int_eq(shell("IVERILOG=no-such-icarus " REPLAY "$D/v.pins > $D/out 2>&1"), 2);
    ck_assert(says("no-such-icarus, vvp: not found; expected Icarus Verilog"));
    ck_assert_int_eq(shell(REPLAY "--netlist $D/none.v $D/v.pins > $D/out 2>&1"), 2);
    ck_assert(says("none.v: no such netlist; scripts/netlist.sh makes one"));
}
