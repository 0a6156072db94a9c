/* Models in the lanes of vectors (scripts/lanes.py, sim/core/parallel/lanes.c) do what they do one by one, in all their
 * state; a lane that differs is reported, and so is C++ that the translator does not know. */
#include <string.h>

#include "fifo_sync.h"
#include "shell.h"
#include "sim/app/nicxbar/program.h"
#include "simulation.h"
#include "test.h"

LANES("fifo_sync");

TEST_CASE("lanes", .teardown = shell_clean);

enum { FIFOS = 5, CLOCKS = 2000 };

struct bench {
    sim *s;
    sim_clock *clk;
    fifo_sync *fifo[FIFOS];
    uint64_t random, seen;
    int corrupt; /* clock from which a lane is reset behind the back of its model; 0: never */
};

/* An edge with reset that the lane sees, and not the model that it is compared with. */
static void corrupt(fifo_sync *f)
{
    const uint8_t clk = *f->clk, rst = *f->rst;
    *f->rst = 1;
    for (uint8_t i = 0; i < 2; i++) {
        *f->clk = i;
        sim_model_eval(f->model);
    }
    *f->clk = clk;
    *f->rst = rst;
}

/* Each FIFO full, empty and in reset at other times; all that comes out is hashed. */
static void drive(void *self)
{
    struct bench *b = self;
    for (int i = 0; i < FIFOS; i++) {
        fifo_sync *f = b->fifo[i];
        uint64_t r = b->random = b->random * 6364136223846793005u + 1442695040888963407u;
        b->seen = (b->seen ^ *f->rd_data ^ (unsigned)*f->count << 8 ^ (unsigned)*f->full << 16) * 0x100000001b3u;
        b->seen ^= (unsigned)*f->overflow << 1 | (unsigned)*f->underflow;
        *f->rst = sim_clock_cycles(b->clk) < 3 || r >> 55 == (uint64_t)i;
        *f->wr_valid = (r >> 40 & 7) > 2 + (r >> 30 & 1);
        *f->rd_pop = (r >> 44 & 7) > 2;
        *f->wr_data = (uint8_t)(r >> 48);
    }
    if (b->corrupt && sim_clock_cycles(b->clk) >= (uint64_t)b->corrupt) corrupt(b->fifo[2]);
}

static int run(struct bench *b, int lanes, uint64_t *seen)
{
    sim_params p;
    sim_params_default(&p);
    p.lanes = lanes;
    p.quiet = 1;
    p.watchdog = 0;
    b->s = sim_of(&p);
    b->clk = make_clock(b->s, "clk", 10000, 0);
    for (int i = 0; i < FIFOS; i++) {
        const char *const names[FIFOS] = {"a", "b", "c", "d", "e"};
        sim_model *m = make_clocked(b->s, b->clk, &fifo_sync_config, names[i]);
        b->fifo[i] = sim_model_binding(m);
    }
    b->random = sim_seed(b->s);
    sim_clock_attach(b->clk, NULL, drive, b);
    int result = sim_run(b->s, CLOCKS * 10000);
    if (seen) *seen = b->seen;
    return result;
}

/* 0 where none are built: no vectors, or another compiler than clang (scripts/lanes.sh). */
static int built(void)
{
    if (!fifo_sync_config.lanes) printf("lanes: none are built here\n");
    return fifo_sync_config.lanes != NULL;
}

/* From the pins of one to those of the next [bytes]. */
static long apart(const struct bench *b, int i)
{
    return (const char *)b->fifo[i + 1]->count - (const char *)b->fifo[i]->count;
}

TEST(lanes_do_what_models_do_alone)
{
    if (!built()) return;
    struct bench alone = {0}, together = {0}, checked = {0};
    uint64_t seen[3];
    ck_assert_int_eq(run(&alone, SIM_LANES_OFF, &seen[0]), SIM_TIME_LIMIT);
    ck_assert_int_eq(run(&together, SIM_LANES_ON, &seen[1]), SIM_TIME_LIMIT);
    ck_assert_int_eq(run(&checked, SIM_LANES_CHECK, &seen[2]), SIM_TIME_LIMIT);
    ck_assert_uint_eq(seen[0], seen[1]);
    ck_assert_uint_eq(seen[0], seen[2]);
    /* pins side by side: these have lanes */
    ck_assert_int_eq(apart(&together, 0) % 64, 0);
    ck_assert_int_eq(apart(&together, 0), apart(&together, 1));
    ck_assert_int_ne(apart(&together, 0), apart(&alone, 0));
}

TEST(a_lane_that_goes_wrong_is_reported)
{
    if (!built()) return;
    struct bench b = {.corrupt = 100};
    ck_assert_int_eq(run(&b, SIM_LANES_CHECK, NULL), SIM_FAILED);
    ck_assert_msg(strstr(sim_error(b.s), "in lane 2 of fifo_sync is not as in a model that is evaluated alone") != NULL,
                  "%s", sim_error(b.s));
}

TEST(what_the_translator_does_not_know_is_named_with_its_place)
{
#define LANES_OF "PASSES_SAID= \"${PYTHON:-python3}\" scripts/passes.py fifo_sync $D/cpp lanes:$D/"
    ck_assert_int_eq(shell_says("cp -r build/models/fifo_sync/cpp $D/cpp && " LANES_OF "good.cpp"), 0);
    const int fits = shell_pass_fits("lanes");
    ck_assert_int_eq(!shell("test -s $D/good.cpp"), fits);
    if (!fits) return;
    ck_assert_int_eq(
        shell_says(
            "sed -i '/___ico_sequent__TOP__0(.*{$/,/^}/s@^    // Body$@    VL_NEW_THING(1);@' $D/cpp/*__[0-9].cpp"),
        0);
    ck_assert_int_eq(shell_says(LANES_OF "bad.cpp 2>&1"), 0);
    ck_output_has("lanes: not with Verilator ");
    ck_output_has("(fifo_sync: ico_sequent__TOP__0: not known: VL_NEW_THING(1);); runs without, slower\n");
    ck_assert_int_eq(shell_says("test ! -e $D/bad.cpp"), 0);
}
