/* The binding generator and model evaluation, on modules of rtl/common. */
#include "bench.h"

#include "fifo_async.h"
#include "fifo_async_w100.h"
#include "model.h"

struct wide {
    fifo_async_w100 *f;
    uint32_t next, got;
};

static void wide_drive(void *self)
{
    struct wide *w = self;
    *w->f->wr_valid = 0;
    if (*w->f->wr_rst || *w->f->wr_full || w->next == 1000) return;
    w->next++;
    for (int i = 0; i < 4; i++) w->f->wr_data[i] = i == 3 ? w->next & 15 : w->next * 0x9e3779b9u + (uint32_t)i;
    *w->f->wr_valid = 1;
}

static void wide_sample(void *self)
{
    struct wide *w = self;
    if (!*w->f->rd_valid || !*w->f->rd_pop) return;
    w->got++;
    for (int i = 0; i < 4; i++) ck_assert_uint_eq(w->f->rd_data[i], i == 3 ? w->got & 15 : w->got * 0x9e3779b9u + (uint32_t)i);
}

TEST(a_port_wider_than_64_bits_is_an_array_of_words)
{
    sim *s = quiet_sim();
    sim_clock *a = make_clock(s, "a", 10000, -1), *b = make_clock(s, "b", 12800, -1);
    struct wide w = {fifo_async_w100_new(s, "wide"), 0, 0};
    fifo_async *other = fifo_async_new(s, "other"); /* another configuration of the same module in the same program */
    ck_assert_ptr_nonnull(w.f);
    ck_assert_ptr_nonnull(other);
    sim_model_clock(w.f->model, a, w.f->wr_clk);
    sim_model_clock(w.f->model, b, w.f->rd_clk);
    *w.f->wr_commit = 1;
    *w.f->rd_pop = 1;
    *w.f->wr_rst = *w.f->rd_rst = 1;
    ck_assert_int_eq(sim_run(s, 100000), SIM_TIME_LIMIT);
    *w.f->wr_rst = *w.f->rd_rst = 0;
    sim_clock_attach(a, NULL, wide_drive, &w);
    sim_clock_attach(b, wide_sample, NULL, &w);
    ck_assert_int_eq(sim_run(s, 20 * SIM_US), SIM_TIME_LIMIT);
    ck_assert_uint_eq(w.got, 1000);
    fifo_async_free(other);
    fifo_async_w100_free(w.f);
    sim_free(s);
}

TEST(a_model_lists_its_ports_and_parameters)
{
    static const struct {
        const char *name;
        unsigned bits;
        int output;
    } expected[] = {{"wr_clk", 1, 0},      {"wr_rst", 1, 0},      {"wr_valid", 1, 0}, {"wr_data", 100, 0},
                    {"wr_commit", 1, 0},   {"wr_rollback", 1, 0}, {"wr_count", 5, 1}, {"wr_full", 1, 1},
                    {"wr_overflow", 1, 1}, {"rd_clk", 1, 0},      {"rd_rst", 1, 0},   {"rd_data", 100, 1},
                    {"rd_valid", 1, 1},    {"rd_pop", 1, 0},      {"rd_count", 5, 1}, {"rd_underflow", 1, 1}};
    sim *s = quiet_sim();
    fifo_async_w100 *f = fifo_async_w100_new(s, "wide");
    size_t count;
    const sim_port *ports = sim_model_ports(f->model, &count);
    ck_assert_uint_eq(count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < count; i++) {
        ck_assert_str_eq(ports[i].name, expected[i].name);
        ck_assert_uint_eq(ports[i].bits, expected[i].bits);
        ck_assert_int_eq(ports[i].output, expected[i].output);
    }
    ck_assert_ptr_eq(ports[3].at, f->wr_data);
    ck_assert_str_eq(sim_model_kind(f->model)->parameters, "WIDTH=100 LOG2_DEPTH=4");
    fifo_async_w100_free(f);
    sim_free(s);
}
