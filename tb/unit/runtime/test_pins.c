/* Pins of models as sim_params.pins records them: against what a C block sees in its sample phase. */
#include "simulation.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fifo_async_w100.h"
#include "shell.h"

struct seen {
    sim *s;
    fifo_async_w100 *f;
    FILE *out;
    sim_time last;
};

static void line(struct seen *b, unsigned clocks)
{
    const fifo_async_w100 *f = b->f;
    if (sim_now(b->s) == b->last) return;
    b->last = sim_now(b->s);
    fprintf(b->out, "%" PRIx64 " %x %x %x %08x%08x%08x%08x %x %x %x %x %x %x %x %x %08x%08x%08x%08x %x %x %x\n",
            sim_now(b->s), sim_now(b->s) % 30000 ? clocks : 7, *f->wr_rst, *f->wr_valid, f->wr_data[3], f->wr_data[2],
            f->wr_data[1], f->wr_data[0], *f->wr_commit, *f->wr_rollback, *f->rd_rst, *f->rd_pop, *f->wr_count,
            *f->wr_full, *f->wr_overflow, *f->rd_wake, f->rd_data[3], f->rd_data[2], f->rd_data[1], f->rd_data[0],
            *f->rd_valid, *f->rd_count, *f->rd_underflow);
}

static void sample_wr(void *self) { line(self, 1); }

static void sample_rd(void *self) { line(self, 6); }

static void drive_wr(void *self)
{
    struct seen *b = self;
    *b->f->wr_rst = sim_now(b->s) < 100000;
    *b->f->wr_valid = sim_random_below(b->s, 2);
    for (int i = 0; i < 4; i++) b->f->wr_data[i] = (uint32_t)sim_random(b->s) & (i == 3 ? 15 : ~0u);
    *b->f->wr_commit = *b->f->wr_valid;
    *b->f->wr_rollback = !sim_random_below(b->s, 8);
}

static void drive_rd(void *self)
{
    struct seen *b = self;
    *b->f->rd_rst = sim_now(b->s) < 100000;
    *b->f->rd_pop = sim_random_below(b->s, 2);
}

/* A fifo with clocks of 10 and 15 ns that coincide every 30 ns, for 3 us; recorded until `to`. The recording is then in
 * shell_output. What the blocks saw until then is returned, to be freed. */
static char *recorded(sim_time to)
{
    char *seen;
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.watchdog = 0;
    p.pins = shell_folder();
    p.pins_to = to;
    sim *s = sim_of(&p);
    size_t size;
    struct seen b = {s, fifo_async_w100_new(s, "dut"), open_memstream(&seen, &size), SIM_FOREVER};
    sim_clock *wr = make_clock(s, "wr", 10000, 10000), *rd = make_clock(s, "rd", 15000, 15000);
    sim_model_clock(b.f->model, wr, b.f->wr_clk);
    sim_model_clock(b.f->model, rd, b.f->rd_clk);
    sim_model_clock(b.f->model, rd, b.f->rd_run_clk);
    *b.f->wr_valid = *b.f->wr_commit = *b.f->wr_rollback = *b.f->rd_pop = 0;
    *b.f->wr_rst = *b.f->rd_rst = 1;
    memset(b.f->wr_data, 0, 16);
    sim_clock_attach(wr, sample_wr, drive_wr, &b);
    sim_clock_attach(rd, sample_rd, drive_rd, &b);
    ck_assert_int_eq(sim_run(s, to < 3 * SIM_US ? to : 3 * SIM_US), SIM_TIME_LIMIT);
    fflush(b.out);
    sim_clock_detach(wr, &b);
    sim_clock_detach(rd, &b);
    if (to < 3 * SIM_US) ck_assert_int_eq(sim_run(s, 3 * SIM_US), SIM_TIME_LIMIT);
    fclose(b.out);
    clean_up();
    ck_assert_int_eq(shell_says("cat $D/dut.pins"), 0);
    return seen;
}

static const char head[] =
    "module fifo_async WIDTH=100 LOG2_DEPTH=4\nclock wr_clk\nclock rd_clk\nclock rd_run_clk\n"
    "input wr_rst 1\ninput wr_valid 1\ninput wr_data 100\ninput wr_commit 1\ninput wr_rollback 1\n"
    "input rd_rst 1\ninput rd_pop 1\n"
    "output wr_count 5\noutput wr_full 1\noutput wr_overflow 1\noutput rd_wake 1\noutput rd_data 100\noutput rd_valid "
    "1\n"
    "output rd_count 5\noutput rd_underflow 1\nedges\n";

TEST_CASE("pins", .teardown = shell_clean);

TEST(pins_are_recorded_as_they_stand_before_each_edge)
{
    char *seen = recorded(SIM_FOREVER);
    ck_assert_int_eq(strncmp(shell_output, head, sizeof head - 1), 0);
    ck_assert_str_eq(shell_output + sizeof head - 1, seen);
    ck_assert_ptr_nonnull(strstr(seen, "\nea60 7 ")); /* 60 ns: both clocks */
    free(seen);
}

TEST(recording_of_pins_stops_at_its_time)
{
    char *seen = recorded(SIM_US);
    ck_assert_str_eq(shell_output + sizeof head - 1, seen);
    free(seen);
}

TEST(a_folder_for_pins_that_does_not_exist_fails_the_run)
{
    sim_params p;
    sim_params_default(&p);
    p.quiet = 1;
    p.pins = "build/no such folder";
    sim *s = sim_of(&p);
    fifo_async_w100 *f = fifo_async_w100_new(s, "dut");
    sim_model_clock(f->model, make_clock(s, "wr", 10000, -1), f->wr_clk);
    ck_assert_int_eq(sim_run(s, SIM_US), SIM_FAILED);
    ck_assert_str_eq(sim_error(s), "pins: cannot write build/no such folder/dut.pins: No such file or directory");
}
