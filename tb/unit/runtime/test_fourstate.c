/* The replay of recorded pins with X (scripts/replay.sh), on one small block: it passes what is right and catches each fault, on the
 * Verilog and on the netlist that scripts/netlist.sh makes of it. Whole chips: tb/system/test_fourstate.c. */
#include <stdlib.h>
#include <unistd.h>

#include "shell.h"
#include "simulation.h"
#include "test.h"
#include "voq_sequence.h"

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

static char folder[] = "build/fourstate-XXXXXX";

/* A folder with the recording v.pins, scripts/pins of its own, and the block in good/ and, cleared in two wrong ways, in arithmetic/ (as x
 * + ~x + 1) and never/. */
static void set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.watchdog = 0;
    p.waves = NULL;
    p.pins = folder;
    sim *s = sim_new(&p);
    struct driver d = {s, voq_sequence_new(s, "v"), 0};
    sim_clock *clock = make_clock(s, "clk", 10000, -1);
    sim_model_clock(d.v->model, clock, d.v->clk);
    *d.v->clear = *d.v->step = 0;
    *d.v->clear_lane = *d.v->step_lane = *d.v->look_lane = 0;
    sim_clock_attach(clock, NULL, drive, &d);
    ck_assert_int_eq(sim_run(s, CLOCKS * 10000), SIM_TIME_LIMIT);
    voq_sequence_free(d.v);
    sim_free(s);
    ck_assert_int_eq(shell("cd %s && echo 'voq_sequence reset clear' > pins && mkdir good arithmetic never && "
                           "f=../../rtl/voq/voq_sequence.v && cp $f good && "
                           "sed 's/= number\\[lane\\] & .*/= number[lane];/; s/<= old + .*/<= old + (~old \\& {9{clear}}) + 1;/' $f "
                           "> arithmetic/voq_sequence.v && ! cmp -s $f arithmetic/voq_sequence.v && "
                           "sed 's/if (clear || step)/if (step)/' $f > never/voq_sequence.v && ! cmp -s $f never/voq_sequence.v",
                           folder),
                     0);
}

static void tear_down(void)
{
    shell("rm -rf %s", folder);
}

/* Exit code of a replay of `recording`; what it prints is in the file `out`. */
static int on_verilog(const char *block, const char *recording)
{
    return shell("PINS=%s/pins RTL=%s/%s scripts/replay.sh %s/%s.pins > %s/out 2>&1", folder, folder, block, folder, recording, folder);
}

static int on_netlist(const char *block, const char *recording)
{
    ck_assert_int_eq(shell("test -e %s/%s/netlist.v || RTL=%s/%s scripts/netlist.sh %s/%s/netlist voq_sequence", folder, block, folder,
                           block, folder, block),
                     0);
    return shell("PINS=%s/pins scripts/replay.sh --netlist %s/%s/netlist.v %s/%s.pins > %s/out 2>&1", folder, folder, block, folder,
                 recording, folder);
}

static int says(const char *text)
{
    return shell("grep -q -e '%s' %s/out || { cat %s/out; false; }", text, folder, folder) == 0;
}

/* v.pins with the lowest bit of the only output changed in line 100: wrong.pins. */
static void change_a_bit(void)
{
    ck_assert_int_eq(shell("awk 'NR == 100 { x = substr($NF, length($NF)); y = x ~ /[02468ace]/; i = index(\"0123456789abcdef\", x) "
                           "+ (y ? 1 : -1); $NF = substr($NF, 1, length($NF) - 1) substr(\"0123456789abcdef\", i, 1) } { print }' "
                           "%s/v.pins > %s/wrong.pins; ! cmp -s %s/v.pins %s/wrong.pins",
                           folder, folder, folder, folder),
                     0);
}

typedef int (*replay)(const char *, const char *);
static const replay on[] = {on_verilog, on_netlist};

TEST_CASE("replay", .timeout = 120, .setup = set_up, .teardown = tear_down);

TEST(what_was_recorded_is_found_again_and_a_changed_bit_is_caught, .to = COUNT(on))
{
    ck_assert_int_eq(on[_i]("good", "v"), 0);
    ck_assert(says("GOOD: 300 edges, outputs known and as recorded from "));
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

/* In gates it is none: a LUT whose output is the same for both values of an input that is X has that output, and x ^ ~x is such a one. */
TEST(a_clear_by_arithmetic_on_the_old_contents_is_caught_on_verilog, .to = COUNT(on))
{
    ck_assert_int_eq(on[_i]("arithmetic", "v"), _i == 0);
    ck_assert(says(_i == 0 ? "look_number is [0-9a-fxX]* (unknown), expected" : "GOOD: 300 edges"));
}

TEST(a_run_without_a_reset_compares_nothing_and_says_so)
{
    ck_assert_int_eq(shell("head -15 %s/v.pins > %s/short.pins", folder, folder), 0);
    ck_assert_int_eq(on_verilog("good", "short"), 1);
    ck_assert(says("BAD: nothing compared: no reset of at least 8 edges of each clock"));
}

TEST(a_recording_that_is_cut_off_is_refused)
{
    ck_assert_int_eq(shell("head -c 5000 %s/v.pins > %s/cut.pins", folder, folder), 0);
    ck_assert_int_eq(on_verilog("good", "cut"), 1);
    ck_assert(says("BAD: [0-9]* edges, then a line of [0-9]* fields instead of 8"));
}

TEST(what_is_missing_is_named)
{
    ck_assert_int_eq(on_verilog("good", "none"), 2);
    ck_assert(says("none.pins: no such recording; expected a file of nicxbar-sim --pins FOLDER"));
    ck_assert_int_eq(shell("echo nothing > %s/empty.pins", folder), 0);
    ck_assert_int_eq(on_verilog("good", "empty"), 2);
    ck_assert(says("empty.pins: no recording of pins"));
    ck_assert_int_eq(shell("IVERILOG=no-such-icarus scripts/replay.sh %s/v.pins > %s/out 2>&1", folder, folder), 2);
    ck_assert(says("no-such-icarus, vvp: not found; expected Icarus Verilog"));
    ck_assert_int_eq(shell("scripts/replay.sh --netlist %s/none.v %s/v.pins > %s/out 2>&1", folder, folder, folder), 2);
    ck_assert(says("none.v: no such netlist; scripts/netlist.sh makes one"));
}
