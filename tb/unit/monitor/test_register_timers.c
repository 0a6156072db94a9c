/* Registers of the NIC: set-up at its outputs, and the timers. */
#include "map_bench.h"

static uint32_t switches(void)
{
    return sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_INITIATOR_ENABLE, 1) << 2 |
           sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_DIRECT, 1) << 1 |
           sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_SEQUENCE_ZERO, 1);
}

/* ---- tests ---- */

TEST_CASE("map", .timeout = 60, .setup = make_bench);

TEST(set_up_reaches_its_outputs)
{
    static const struct {
        uint32_t written, limit;
    } limits[] = {{1, 1}, {62, 62}, {512, 512}, {513, 512}, {1023, 512}, {0, 512}};
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        register_bench_write(b, NIC_PAYLOAD_LIMIT, limits[i].written, 15);
        ck_assert_uint_eq(*b->m->cfg_payload_limit, limits[i].limit);
        ck_assert_uint_eq(register_bench_read(b, NIC_PAYLOAD_LIMIT), limits[i].written);
    }
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_INITIATOR_ENABLE_MASK, 15);
    ck_assert_uint_eq(switches(), 4);
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_DIRECT_MASK | 2u << NIC_CONTROL_LOOPBACK_SHIFT, 15);
    ck_assert_uint_eq(switches(), 2);
    ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_LOOPBACK, 2), 2);
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_SEQUENCE_ZERO_MASK, 15);
    ck_assert_uint_eq(switches(), 1);
    ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_LOOPBACK, 2), 0);
    register_bench_write(b, NIC_CUT_THROUGH, 0x1a5, 15);
    ck_assert_uint_eq(*b->m->cfg_cut_through, 0x1a5);
    register_bench_write(b, NIC_CONTROL, NIC_CONTROL_STORE_AND_FORWARD_MASK, 15);
    ck_assert_uint_eq(*b->m->cfg_cut_through, 0);
    register_bench_write(b, NIC_NODE_ID, 0x55, 15);
    for (unsigned units = 4062; units <= 4095; units++) { /* the most that counters of 12 bits express in steps of 32 */
        register_bench_write(b, NIC_TX_CAPACITY, units, 15);
        ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_TX_CAPACITY_UNITS, 12),
                          units < 4064 ? units : 4064);
    }
    register_bench_write(b, NIC_TX_CAPACITY, 0xabc, 15);
    register_bench_write(b, NIC_VIEW_FLOW, 6, 15);
    ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_NODE_ID_ID, 7), 0x55);
    ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_TX_CAPACITY_UNITS, 12), 0xabc);
    ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_VIEW_FLOW_FLOW, 4), 6);
}

/* ---- timers, against sequences worked by hand: one character per clock ---- */

TEST_CASE("timers", .setup = make_bench);

/* w: a write of 0 takes effect; r, n: REQ# for a read, for a write; o, p: end of a read, of a write; x: r and o in one
 * clock */
TEST(cumulative_timer_counts_from_the_first_request_to_the_last_end)
{
    static const struct {
        const char *clocks;
        unsigned shown;
    } cases[] = {
        {"rr..o..", 0},             /* not started by a write */
        {".w..rrr..o....", 5},      /* 3 -> 8 */
        {".w.n..p...", 3},          /* 2 -> 5 */
        {".w.r..o...n...p..", 11},  /* 2 -> 13: the last end */
        {".w.r..o...r....", 3},     /* the second has not ended */
        {".w..x...", 0},            /* begun and over in one clock */
        {".w..o.r...p..", 4},       /* an end before the first request does not count */
        {".w.r..o.w......r.o.", 2}, /* a second write restarts */
        {"rwr.o...", 2},            /* a request before the write does not count */
        {".w.r..o.w.......", 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (const char *c = cases[i].clocks; *c; c++) {
            register_bench_event(b, NIC_EVENT_H2N_ACTIVE, *c == 'r' || *c == 'x');
            register_bench_event(b, NIC_EVENT_N2H_ACTIVE, *c == 'n');
            register_bench_event(b, NIC_EVENT_H2N_OP, *c == 'o' || *c == 'x');
            register_bench_event(b, NIC_EVENT_N2H_OP, *c == 'p');
            *b->m->wr_valid = c[1] == 'w'; /* one clock ahead of its effect */
            *b->m->wr_addr = NIC_CUMULATIVE_TIMER / 8;
            *b->m->wr_data = 0;
            *b->m->wr_be = 0x0f;
            register_bench_step(b, 1);
        }
        *b->m->wr_valid = 0;
        ck_assert_msg(register_bench_read(b, NIC_CUMULATIVE_TIMER) == cases[i].shown, "%s: %u clocks, expected %u",
                      cases[i].clocks, register_bench_read(b, NIC_CUMULATIVE_TIMER), cases[i].shown);
    }
}

TEST(cumulative_timer_goes_on_from_the_written_value)
{
    register_bench_write(b, NIC_CUMULATIVE_TIMER, 100, 15);
    ck_assert_uint_eq(register_bench_read(b, NIC_CUMULATIVE_TIMER), 100);
    register_bench_pulse(b, NIC_EVENT_H2N_ACTIVE, 7);
    register_bench_pulse(b, NIC_EVENT_H2N_OP, 1);
    register_bench_step(b, 10);
    ck_assert_uint_eq(register_bench_read(b, NIC_CUMULATIVE_TIMER), 107);
    register_bench_write(b, NIC_CUMULATIVE_TIMER, 5, 7); /* not whole: no write */
    ck_assert_uint_eq(register_bench_read(b, NIC_CUMULATIVE_TIMER), 107);
}

/* Writes of CONTROL as they come one after the other: DIRECT held or not, and whether the write is refused for it. All
 * else is taken. */
TEST(direct_keeps_its_value_while_it_is_held)
{
    static const struct {
        int held, direct, bytes, refused;
    } writes[] = {{0, 1, 15, 0}, {1, 0, 15, 1}, {1, 1, 15, 0}, {1, 0, 14, 0},
                  {0, 0, 15, 0}, {1, 1, 1, 1},  {1, 0, 1, 0},  {0, 1, 1, 0}};
    int direct = 0;
    for (unsigned i = 0; i < sizeof writes / sizeof *writes; i++) {
        uint32_t mode = (i & 1 ? NIC_CONTROL_SEQUENCE_ZERO_MASK : 0) | NIC_CONTROL_INITIATOR_ENABLE_MASK;
        *b->m->direct_held = (uint8_t)writes[i].held;
        register_bench_put(b, NIC_CONTROL, mode | (writes[i].direct ? NIC_CONTROL_DIRECT_MASK : 0),
                           (unsigned)writes[i].bytes);
        ck_assert_int_eq(*b->m->direct_refused, writes[i].refused);
        register_bench_step(b, 1);
        ck_assert_int_eq(*b->m->direct_refused, 0);
        if (writes[i].bytes & 1 && !writes[i].refused) direct = writes[i].direct;
        ck_assert_uint_eq(sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_DIRECT, 1), direct);
        if (writes[i].bytes & 1)
            ck_assert_uint_eq(register_bench_read(b, NIC_CONTROL), mode | (direct ? NIC_CONTROL_DIRECT_MASK : 0));
    }
    /* the same bit of other registers is not looked at */
    *b->m->direct_held = 1;
    register_bench_write(b, NIC_NODE_ID, 2, 15);
    ck_assert_uint_eq(register_bench_read(b, NIC_NODE_ID), 2);
    register_bench_write(b, NIC_NODE_ID, 0, 15);
    ck_assert_uint_eq(register_bench_read(b, NIC_NODE_ID), 0);
}

/* The same of TIME_STAMPS, which is in the second byte and is held by itself. */
TEST(time_stamps_keep_their_value_while_they_are_held)
{
    static const struct {
        int held, stamps, bytes, refused;
    } writes[] = {{0, 1, 15, 0}, {1, 0, 15, 1}, {1, 1, 15, 0}, {1, 0, 13, 0},
                  {0, 0, 15, 0}, {1, 1, 2, 1},  {1, 0, 2, 0},  {0, 1, 2, 0}};
    int stamps = 0;
    *b->m->direct_held = 1;
    for (unsigned i = 0; i < sizeof writes / sizeof *writes; i++) {
        *b->m->stamps_held = (uint8_t)writes[i].held;
        register_bench_put(b, NIC_CONTROL, writes[i].stamps ? NIC_CONTROL_TIME_STAMPS_MASK : 0,
                           (unsigned)writes[i].bytes);
        ck_assert_int_eq(*b->m->stamps_refused, writes[i].refused);
        ck_assert_int_eq(*b->m->direct_refused, 0);
        register_bench_step(b, 1);
        ck_assert_int_eq(*b->m->stamps_refused, 0);
        if (writes[i].bytes & 2 && !writes[i].refused) stamps = writes[i].stamps;
        ck_assert_int_eq(sim_port_field(&b->ports->settings, NIC_SETTING_CONTROL_TIME_STAMPS, 1), stamps);
        ck_assert_uint_eq(register_bench_read(b, NIC_CONTROL), stamps ? NIC_CONTROL_TIME_STAMPS_MASK : 0);
    }
}
