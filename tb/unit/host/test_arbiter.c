/* The arbiter alone: REQ# in, GNT# out (pcix.md section 9). Agent 0 is the bridge, 1 and 2 are devices. */
#include <stdlib.h>
#include <string.h>

#include "sim/model/host/pcix_arbiter.h"
#include "test.h"

enum { AGENTS = 3, LENGTH = 400 };

static pcix_arbiter x;
static pcix_sample samples[LENGTH + 2];
static uint64_t clk; /* the clock made next */

static void start(bool hidden, int park)
{
    memset(&x, 0, sizeof x);
    memset(samples, 0, sizeof samples);
    x.hidden = hidden;
    x.park = park;
    pcix_arbiter_reset(&x);
    for (clk = 0; clk < LENGTH + 2; clk++) {
        samples[clk].clock = clk;
        samples[clk].level = PCIX_PULLED_UP;
        samples[clk].req_n = 0xffff;
        samples[clk].rst_n = 1;
    }
    clk = 2;
}

/* In clocks from .. to: this agent's REQ# is low. */
static void request(int agent, unsigned from, unsigned to)
{
    for (unsigned c = from; c <= to; c++) samples[c].req_n = (uint16_t)(samples[c].req_n & ~(1u << agent));
}

/* A transaction: FRAME# low from .. to, IRDY# up to one clock later. */
static void transaction(int agent, unsigned from, unsigned to)
{
    for (unsigned c = from; c <= to + 1; c++) {
        samples[c].level = (uint16_t)(samples[c].level & ~PCIX_BIT(PCIX_IRDY) & ~(c <= to ? PCIX_BIT(PCIX_FRAME) : 0));
        samples[c].oe[agent] = PCIX_BIT(PCIX_FRAME);
    }
    samples[from].level |= PCIX_BIT(PCIX_IRDY);
}

/* Makes clocks up to `to`; the bridge's own wish is the REQ# it shows. Checks what always holds. */
static void run(unsigned to)
{
    for (; clk <= to; clk++) {
        pcix_drive out = {.gnt_n = 0xffff};
        bool bridge = !(samples[clk].req_n & 1);
        pcix_arbiter_step(&x, &samples[clk - 2], bridge, AGENTS, &out);
        samples[clk].gnt_n = out.gnt_n;
        unsigned low = ~(unsigned)out.gnt_n & 0xffff, before = clk > 2 ? ~(unsigned)samples[clk - 1].gnt_n & 0xffff : 0;
        ck_assert_msg((low & (low - 1)) == 0, "clock %u: two GNT# low", (unsigned)clk);
        ck_assert_msg(low == before || low == 0 || before == 0, "clock %u: no clock between two owners", (unsigned)clk);
    }
}

static int owner(unsigned c)
{
    unsigned low = ~(unsigned)samples[c].gnt_n & 0xffff;
    return low == 0 ? -1 : __builtin_ctz(low);
}
static unsigned granted(int agent, unsigned from)
{
    for (unsigned c = from; c < clk; c++)
        if (owner(c) == agent) return c;
    return 0;
}

TEST(idle_request_is_granted_after_two_clocks)
{
    start(true, PCIX_PARK_NOBODY);
    request(1, 50, 60);
    run(60);
    ck_assert_uint_eq(granted(1, 10), 52);
}

TEST(grant_delay_adds_to_it)
{
    start(false, PCIX_PARK_NOBODY);
    x.grant_delay = 3;
    request(1, 50, 70);
    run(70);
    ck_assert_uint_eq(granted(1, 10), 55);
}

TEST(parked_device_keeps_gnt_until_somebody_wants_the_bus)
{
    start(true, PCIX_PARK_DEVICE);
    request(2, 50, 60);
    run(60);
    ck_assert_int_eq(owner(40), 1);
    ck_assert_int_eq(owner(51), 1);
    ck_assert_int_eq(owner(52), -1);
    ck_assert_int_eq(owner(53), 2);
}

TEST(parking_follows_the_last_user)
{
    start(true, PCIX_PARK_DEVICE);
    request(2, 50, 57);
    transaction(2, 56, 60);
    run(100);
    ck_assert_int_eq(owner(99), 2);
}

TEST(bridge_is_parked_if_so_asked)
{
    start(false, PCIX_PARK_BRIDGE);
    run(40);
    ck_assert_int_eq(owner(39), 0);
}

TEST(hidden_arbitration_moves_gnt_during_a_transaction)
{
    start(true, PCIX_PARK_NOBODY);
    request(1, 50, 57);
    transaction(1, 56, 90);
    request(2, 60, 120);
    run(120);
    ck_assert_uint_le(granted(2, 10), 66);
}

TEST(without_it_a_device_waits_for_the_idle_bus_and_loses_gnt_at_frame)
{
    start(false, PCIX_PARK_NOBODY);
    request(1, 50, 120);
    transaction(1, 56, 90); /* FRAME# low 56..90, IRDY# up to 91 */
    run(120);
    ck_assert_int_eq(owner(57), 1);
    ck_assert_int_eq(owner(58), -1);       /* FRAME# seen at 56 */
    ck_assert_uint_eq(granted(1, 60), 94); /* idle seen at 92 */
}

TEST(everybody_gets_a_turn)
{
    int used[AGENTS] = {0};
    start(true, PCIX_PARK_NOBODY);
    for (int i = 0; i < AGENTS; i++) request(i, 50, LENGTH - 1);
    /* each owner starts two clocks after its GNT# and keeps the bus for 8 clocks */
    unsigned busy = 0;
    for (unsigned c = 3; c < LENGTH - 12; c++) {
        run(c);
        if (owner(c) >= 0 && c >= busy && pcix_idle(&samples[c])) {
            transaction(owner(c), c + 2, c + 8);
            used[owner(c)]++;
            busy = c + 11;
        }
    }
    for (int i = 1; i < AGENTS; i++) ck_assert_int_le(abs(used[i] - used[0]), 1);
    ck_assert_int_gt(used[0], 5);
}

TEST(owner_is_left_alone_until_it_has_started)
{
    start(true, PCIX_PARK_NOBODY);
    request(1, 50, 70);
    request(2, 51, 70);
    run(60);
    ck_assert_int_eq(owner(52), 1);
    ck_assert_int_eq(owner(60), 1); /* it has not started yet */
    run(75);
    ck_assert_int_eq(owner(70), 2); /* a broken agent does not stop the bus */
}
