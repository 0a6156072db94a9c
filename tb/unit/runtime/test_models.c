/* The binding generator and model evaluation, on modules of rtl/common. */
#include "simulation.h"
#include "test.h"

#include "fifo_async.h"
#include "fifo_async_w100.h"

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
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(w->f->rd_data[i], i == 3 ? w->got & 15 : w->got * 0x9e3779b9u + (uint32_t)i);
}

TEST(a_port_wider_than_64_bits_is_an_array_of_words)
{
    sim *s = quiet_sim(0);
    sim_clock *a = make_clock(s, "a", 10000, -1), *b = make_clock(s, "b", 12800, -1);
    struct wide w = {fifo_async_w100_new(s, "wide"), 0, 0};
    fifo_async *other = fifo_async_new(s, "other"); /* another configuration of the same module in the same program */
    ck_assert_ptr_nonnull(w.f);
    ck_assert_ptr_nonnull(other);
    sim_model_clock(w.f->model, a, w.f->wr_clk);
    sim_model_clock(w.f->model, b, w.f->rd_clk);
    sim_model_clock(w.f->model, b, w.f->rd_run_clk);
    *w.f->wr_commit = 1;
    *w.f->rd_pop = 1;
    *w.f->wr_rst = *w.f->rd_rst = 1;
    ck_assert_int_eq(sim_run(s, 100000), SIM_TIME_LIMIT);
    *w.f->wr_rst = *w.f->rd_rst = 0;
    sim_clock_attach(a, NULL, wide_drive, &w);
    sim_clock_attach(b, wide_sample, NULL, &w);
    ck_assert_int_eq(sim_run(s, 20 * SIM_US), SIM_TIME_LIMIT);
    ck_assert_uint_eq(w.got, 1000);
}

TEST(a_model_lists_its_ports_and_parameters)
{
    static const struct {
        const char *name;
        unsigned bits;
        int output;
    } expected[] = {{"wr_clk", 1, 0},      {"wr_rst", 1, 0},      {"wr_valid", 1, 0},   {"wr_data", 100, 0},
                    {"wr_commit", 1, 0},   {"wr_rollback", 1, 0}, {"wr_count", 5, 1},   {"wr_full", 1, 1},
                    {"wr_overflow", 1, 1}, {"rd_clk", 1, 0},      {"rd_run_clk", 1, 0}, {"rd_wake", 1, 1},
                    {"rd_rst", 1, 0},      {"rd_data", 100, 1},   {"rd_valid", 1, 1},   {"rd_pop", 1, 0},
                    {"rd_count", 5, 1},    {"rd_underflow", 1, 1}};
    sim *s = quiet_sim(0);
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
    ck_assert_str_eq(sim_model_config(f->model)->parameters, "WIDTH=100 LOG2_DEPTH=4");
}

TEST(one_binding_serves_every_configuration_by_the_names_of_its_ports)
{
    sim *s = quiet_sim(0);
    sim_model *m = fifo_async_w100_config.make(s, "dut");
    const fifo_async_w100 *own = sim_model_binding(m);
    fifo_async *f = sim_model_as(m, &fifo_async_config, "wr_count rd_count");
    ck_assert_msg(f != NULL, "%s", sim_error(s));
    ck_assert_ptr_eq(f->model, m);
    ck_assert_ptr_eq(f->wr_clk, own->wr_clk);
    ck_assert_ptr_eq(f->rd_underflow, own->rd_underflow);
    ck_assert_ptr_eq(f->wr_data, own->wr_data);
    ck_assert_ptr_null(f->wr_count);
    const fifo_async_w100_ports *p = sim_model_ports_as(m, &fifo_async_config);
    ck_assert_ptr_eq(p->wr_count.at, own->wr_count);
    ck_assert_uint_eq(p->wr_count.bits, 5);
    ck_assert_ptr_eq(sim_model_port(m, "rd_data")->at, own->rd_data);
    ck_assert_str_eq(sim_error(s), "");
}

/* Parameters that a bench may ask for, and the answers of a FIFO of 100 bits. */
static const struct {
    sim_config_port wanted;
    const char *varying, *message, *message_of_ports;
} misfits[] = {
    {{"wr_valid", 8, 0, 8}, NULL, "", ""},
    {{"rd_data", 65, 1, 8}, NULL, "", ""},
    {{"wr_dat", 100, 0, 8},
     NULL,
     "no port wr_dat, expected input of 100 bits as in wanted",
     "no port wr_dat, expected input of 100 bits as in wanted"},
    {{"wr_full", 1, 0, 8},
     NULL,
     "port wr_full is an output, expected an input as in wanted",
     "port wr_full is an output, expected an input as in wanted"},
    {{"wr_count", 9, 1, 8}, NULL, "port wr_count has 5 bits, expected 9 as in wanted, or any of 9 .. 16", ""},
    {{"wr_count", 9, 1, 8}, "wr_full wr_count", "", ""},
    {{"wr_count", 9, 1, 8},
     "wr_counter full_wr_count",
     "port wr_count has 5 bits, expected 9 as in wanted, or any of 9 .. 16",
     ""},
    {{"wr_data", 3, 0, 8}, NULL, "port wr_data has 100 bits, expected 3 as in wanted, or any of 1 .. 8", ""},
    {{"wr_commit", 72, 0, 8}, NULL, "port wr_commit has 1 bits, expected 72 as in wanted, or any above 64", ""},
};

TEST(a_port_that_does_not_fit_is_refused_by_model_port_and_width, .to = 2 * COUNT(misfits))
{
    int i = _i / 2, as_ports = _i % 2;
    const sim_config wanted = {.name = "wanted", .ports = &misfits[i].wanted, .port_count = 1, .binding_size = 16};
    const char *message = as_ports ? misfits[i].message_of_ports : misfits[i].message;
    sim *s = quiet_sim(0);
    sim_model *m = fifo_async_w100_config.make(s, "dut");
    const void *view = as_ports ? sim_model_ports_as(m, &wanted) : sim_model_as(m, &wanted, misfits[i].varying);
    char expected[200] = "";
    if (*message) snprintf(expected, sizeof expected, "model dut (fifo_async_w100): %s", message);
    ck_assert_str_eq(sim_error(s), expected);
    ck_assert_int_eq(view == NULL, *message != 0);
}

TEST(a_port_that_is_not_there_is_named)
{
    sim *s = quiet_sim(0);
    sim_model *m = fifo_async_w100_config.make(s, "dut");
    ck_assert_ptr_null(sim_model_port(m, "rd_dat"));
    ck_assert_str_eq(sim_error(s), "model dut (fifo_async_w100): no port rd_dat");
}

/* Against a plain array of bits: fields of all places and widths of a port of 100 bits, of 48 and of 5. */
TEST(fields_of_ports_are_where_their_bits_are)
{
    uint64_t small = 0, store[2] = {0};
    uint8_t tiny = 0;
    sim_port port[] = {{"array", 100, 0, store}, {"whole", 48, 0, &small}, {"tiny", 5, 0, &tiny}};
    sim *s = quiet_sim(0);
    for (int i = 0; i < COUNT(port); i++) {
        uint8_t bit[100] = {0};
        for (unsigned n = 0; n < 5000; n++) {
            unsigned lsb = (unsigned)sim_random_below(s, port[i].bits),
                     most = port[i].bits - lsb < 64 ? port[i].bits - lsb : 64;
            unsigned bits = 1 + (unsigned)sim_random_below(s, most);
            uint64_t value = sim_random(s), want = 0;
            sim_port_set_field(&port[i], lsb, bits, value);
            for (unsigned k = 0; k < bits; k++) bit[lsb + k] = value >> k & 1;
            lsb = (unsigned)sim_random_below(s, port[i].bits);
            bits = 1 + (unsigned)sim_random_below(s, port[i].bits - lsb < 64 ? port[i].bits - lsb : 64);
            for (unsigned k = 0; k < bits; k++) want |= (uint64_t)bit[lsb + k] << k;
            ck_assert_uint_eq(sim_port_field(&port[i], lsb, bits), want);
        }
    }
    sim_port_set(&port[1], UINT64_MAX);
    ck_assert_uint_eq(sim_port_get(&port[1]), 0xffffffffffff);
    sim_port_set(&port[2], 0xff);
    ck_assert_uint_eq(tiny, 31);
}
