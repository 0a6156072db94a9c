#include "roce_bench.h"

#include <stdlib.h>

#include "roce_64_all.h"
#include "roce_8.h"
#include "roce_register_map.h"
#include "sim/app/roce/board/roce_header.h"

enum {
    COMMANDS = 64 /* of the chip's transmit path */,
    OVERHEAD = 118 /* [bytes] Ethernet with preamble, FCS and gap, IPv6, UDP, BTH, RETH, ICRC */,
    SLOW = 10 * SIM_US,
    SETTLE = 2048 /* [clocks] */,
    LIMIT = 200 /* [ms] */
};

const sim_config *const roce_chips[ROCE_CHIPS] = {&roce_8_config, &roce_64_all_config};
const int roce_starts[ROCE_STARTS] = {0, 0xfffff0, 0x7ffff8};

int roce_see(int from, const uint8_t *frame, size_t length, roce_seen *seen)
{
    roce_header h;
    unsigned first = from ? ROCE_FIRST_QP : ROCE_FIRST_PEER_QP;
    if (!roce_header_of(frame, length, &h) || h.qp < first || h.qp - first >= ROCE_CONNECTIONS) return 0;
    *seen =
        (roce_seen){.from = from, .connection = h.qp - first, .opcode = h.opcode, .syndrome = h.syndrome, .psn = h.psn};
    return 1;
}

void roce_bench_watch(roce_bench *b, const roce_traffic_params *m)
{
    b->checker = roce_checker_new(b->sim, b->system->wire);
    b->connections = m->connections;
    unsigned pmtu = m->pmtu ? m->pmtu : 4096;
    roce_checker_set_queue(b->checker, 0,
                           ethernet_wire_time(b->system->wire, (COMMANDS + m->connections) * pmtu) + SLOW);
    /* The peer grants its QPs round robin, and a QP sends responses and requests alternately: two packets of each come
     * first. */
    roce_checker_set_queue(b->checker, 1,
                           ethernet_wire_time(b->system->wire, 2 * m->connections * (pmtu + OVERHEAD)) + SLOW);
    for (unsigned i = 0; i < m->connections; i++)
        roce_checker_expect(b->checker, i, m->pmtu ? m->pmtu : roce_pmtus[i % 5], m->timeout, b->disturbed[i]);
}

uint32_t roce_bench_register(roce_bench *b, unsigned offset)
{
    uint32_t value = 0;
    if (rn_register_read(b->system->device, offset, &value)) sim_fail(b->sim, "%s", rn_last_error(b->system->device));
    return value;
}

static uint64_t frames_of(const roce_bench *b)
{
    return ethernet_wire_get_stats(b->system->wire, 0).frames + ethernet_wire_get_stats(b->system->wire, 1).frames;
}

/* The end of a run: the chip's counters. */
static void ending(void *self)
{
    roce_bench *b = self;
    while (!roce_traffic_complete(b->traffic) && !*sim_error(b->sim)) sim_wait_cycles(b->system->board->clock, 64);
    if (*sim_error(b->sim)) return;
    for (unsigned i = 0; i < b->connections; i++)
        while (roce_checker_busy(b->checker, i) && !*sim_error(b->sim)) sim_wait_cycles(b->system->board->clock, 64);
    /* packets that TX had before their ACK still leave: the end is a silent line */
    for (uint64_t before = 0; frames_of(b) != before;) {
        before = frames_of(b);
        sim_wait_cycles(b->system->board->clock, SETTLE);
    }
    b->retries = roce_bench_register(b, ROCE_RETRYCNTSTS);
    for (unsigned i = 0; i < b->connections; i++) roce_checker_at_rest(b->checker, i);
}

static void end_bench(void *self)
{
    roce_bench *b = self;
    roce_traffic_free(b->traffic);
    roce_system_free(b->system);
    free(b);
}

roce_bench *roce_bench_new(const roce_system_params *params, const roce_traffic_params *messages)
{
    char error[ROCE_SYSTEM_ERROR];
    roce_bench *b = calloc(1, sizeof *b);
    ck_must(b, "no memory left");
    b->sim = quiet_sim(0);
    b->system = roce_system_new(b->sim, params, error);
    after_test(end_bench, b);
    ck_must(b->system, "%s", error);
    if (!messages) return b;
    b->traffic = roce_traffic_new(b->system, messages, error);
    ck_must(b->traffic, "%s", error);
    ck_must(sim_task_new(b->sim, "ending", ending, b), "no memory left");
    return b;
}

void roce_bench_run(roce_bench *b)
{
    int result = sim_run(b->sim, LIMIT * SIM_MS);
    uint64_t taken = 0, all = 0;
    if (b->traffic) roce_traffic_progress(b->traffic, &taken, &all);
    if (b->traffic && taken < all) roce_traffic_print_missing(b->traffic, stderr, 8);
    ck_must(result == SIM_OK && taken == all, "%s: %s; %lu of %lu messages", sim_result_name(result), sim_error(b->sim),
            taken, all);
}
