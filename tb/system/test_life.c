/* Two NICs while software, the bus, the cable and both hosts switch at random what they can, in full traffic in both
 * directions: software resets, the initiator, cut-through, lengths of packets, interrupts, recording, registers that
 * are read; a memory that refuses, completions that are lost, late or wrong; cables that are pulled out, frames that
 * are damaged, transmitters that slip. One operator for each node and one for each direction of the cable, so that
 * their doings overlap. In all of it no good notification may be of data that are not there and none of a piece that
 * was never sent. When the operators rest, all descriptors are accounted for, losses have been reported, buffer space
 * is whole, and traffic goes on. make life takes SEEDS of each kind; run _i with one seed is run _i % KINDS with the
 * seed _i / KINDS later. */
#include <stdio.h>

#include "nic_2links.h"
#include "nic_2paths.h"
#include "nic_4splits.h"
#include "nic_monitored.h"
#include "nx_samples.h"
#include "nx_trace.h"
#include "system_space.h"

TEST_CASE("life", .timeout = 60);

enum { KINDS = 5, SEEDS = 250, SHORT = 3 /* of them in make test */, SWITCHINGS = 200 /* of each operator */ };
enum { PIECES = 900, TIMER = 4000 /* PCI clocks for a completion */ };
enum { LONGEST_CUT = 20, LONGEST_OFF = 30, LONGEST_PAUSE = 12, LONGEST_REFUSAL = 75 /* [us]: 10,000 clocks */ };

typedef struct actor {
    bench *b;
    int node;       /* its own, or where its direction of the cable begins */
    unsigned armed; /* completions that are to fail */
    unsigned ratio; /* of CUT_THROUGH, by RST# */
    bool forges;
    frame_tap *tap;
    sim_task *task;
} actor;

static unsigned below(actor *o, unsigned n) { return (unsigned)sim_random_below(o->b->s, n); }

static void pause_up_to(actor *o, unsigned us) { bench_wait(o->b, SIM_NS * (1 + below(o, 1000 * us))); }

/* ---- what software of the node does */

static void reset(actor *o) { bench_soft_reset(o->b, o->node); }

static void no_initiator(actor *o)
{
    bench_initiator(o->b, o->node, 0);
    pause_up_to(o, below(o, 8) ? 3 : LONGEST_OFF);
    bench_initiator(o->b, o->node, 1);
}

static void store_and_forward(actor *o)
{
    bench_set(o->b, o->node, NIC_CONTROL, bench_get(o->b, o->node, NIC_CONTROL) ^ NIC_CONTROL_STORE_AND_FORWARD_MASK);
}

/* Up to what RST# has set: a network that is faster than said. */
static void cut_through(actor *o) { bench_set(o->b, o->node, NIC_CUT_THROUGH, below(o, o->ratio + 1)); }

static void payload_limit(actor *o) { bench_set(o->b, o->node, NIC_PAYLOAD_LIMIT, 1 + below(o, 512)); }

static void interrupts(actor *o)
{
    bench_ok(o->b, o->node, nx_use_interrupts(o->b->n[o->node]->dev, (int)below(o, 2)));
}

/* All of them, also those that a read clears. */
static void read_registers(actor *o)
{
    for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++)
        bench_get(o->b, o->node, r->offset + 4 * below(o, r->count));
    bench_status(o->b, o->node);
}

static void record(actor *o)
{
    static nx_trace trace;
    static nx_samples samples;
    nx_device *dev = o->b->n[o->node]->dev;
    if (o->b->n[o->node]->params.nic != &nic_monitored_config) return;
    if (below(o, 2)) bench_ok(o->b, o->node, nx_trace_start(dev, (int)below(o, 2), 0, below(o, 100)));
    else bench_ok(o->b, o->node, nx_samples_start(dev, 1 + below(o, 100), 1 + below(o, 1000)));
    pause_up_to(o, LONGEST_PAUSE);
    if (below(o, 2)) bench_ok(o->b, o->node, nx_trace_take(dev, &trace));
    else bench_ok(o->b, o->node, nx_samples_take(dev, &samples));
}

/* ---- its bus and memory */

static void refusal(actor *o)
{
    bench_range(o->b, o->node, below(o, 2) ? BENCH_SOURCES : BENCH_DESTINATIONS, 0x10000000, HOST_RANGE_RETRY,
                1 + below(o, below(o, 4) ? 20 : 1500));
    pause_up_to(o, below(o, 8) ? 5 : LONGEST_REFUSAL);
    host_clear_ranges(o->b->n[o->node]->host);
}

static void completions(actor *o)
{
    static const int kinds[] = {PCIX_COMPLETION_DROPPED, PCIX_COMPLETION_LATE,  PCIX_COMPLETION_LATE,
                                PCIX_COMPLETION_COUNT,   PCIX_COMPLETION_LOWER, PCIX_COMPLETION_MESSAGE};
    const int kind = kinds[below(o, COUNT(kinds))];
    pcix_completion_fault f = {.kind = kind, .skip = below(o, 4), .times = 1, .pieces = below(o, 2)};
    f.value = kind == PCIX_COMPLETION_LATE    ? 1 + below(o, 2 * TIMER)
              : kind == PCIX_COMPLETION_COUNT ? 0x40
              : kind == PCIX_COMPLETION_LOWER ? 0x08
                                              : 0x101;
    o->armed += pcix_bridge_fail_completion(host_bridge(o->b->n[o->node]->host), &f);
}

/* ---- the cable from it */

static void cut(actor *o)
{
    const int directions = below(o, 3) ? o->node ? CABLE_B_TO_A : CABLE_A_TO_B : CABLE_BOTH;
    cable_cut(o->b->wire, directions);
    pause_up_to(o, below(o, 8) ? 2 : LONGEST_CUT);
    cable_reconnect(o->b->wire, directions);
}

static void damage(actor *o)
{
    static const struct {
        int kinds;
        frame_damage damage;
    } all[] = {{FRAME_DATA, frame_lose},           {FRAME_ANY, frame_lose},
               {FRAME_DATA, frame_lose_sop},       {FRAME_DATA, frame_bad_header},
               {FRAME_DATA, frame_bad_header_crc}, {FRAME_DATA, frame_bad_body},
               {FRAME_DATA, frame_bad_body_crc},   {FRAME_DATA, frame_truncate},
               {FRAME_DATA, frame_surplus},        {FRAME_ANY, frame_lose_credit},
               {FRAME_ANY, frame_credit_parity},   {FRAME_RECORD, frame_lose},
               {FRAME_ANY, frame_code_error}};
    static unsigned argument[2];
    const unsigned which = below(o, COUNT(all));
    argument[o->node] = 1 + below(o, 3);
    frame_tap_arm(o->tap, o->node, all[which].kinds, below(o, 8), 1 + below(o, 3), all[which].damage,
                  &argument[o->node]);
    pause_up_to(o, 10);
    frame_tap_arm(o->tap, o->node, 0, 0, 0, NULL, NULL);
}

static void slip(actor *o) { cable_tx_buffer_error(o->b->wire, o->node, 1 + below(o, 4)); }

static void (*const of_node[])(actor *) = {reset,       reset,         no_initiator, store_and_forward,
                                           cut_through, payload_limit, interrupts,   read_registers,
                                           record,      refusal,       completions},
                                     (*const of_cable[])(actor *) = {cut, damage, damage, damage, slip};

/* A fault of this test: what a piece was sent from changes behind its back, which looks like wrong data at the other
 * end. */
static void forge(actor *o)
{
    const flow *f = &o->b->flow[o->node];
    const unsigned number = f->notified + below(o, 4);
    if (number >= f->posted) return;
    memory *m = host_memory(f->from->host);
    const uint64_t at = f->piece[number].source;
    memory_put64(m, at, ~memory_get64(m, at), 0xff);
}

static void operate(void *arg)
{
    actor *o = arg;
    for (unsigned i = 0; i < SWITCHINGS; i++) {
        pause_up_to(o, below(o, 2) ? 2 : LONGEST_PAUSE);
        if (o->forges) forge(o);
        else if (o->tap) of_cable[below(o, COUNT(of_cable))](o);
        else of_node[below(o, COUNT(of_node))](o);
    }
}

/* ---- traffic, and what must hold */

static unsigned any_piece(bench *b, unsigned flow, piece *p)
{
    *p = bench_make(b, flow, 1 + (unsigned)sim_random_below(b->s, sim_random_below(b->s, 2) ? 8 : 512));
    return sim_random_below(b->s, 4) ? NX_REMOTE : 0;
}

static void kind(pair_params *p, int variation)
{
    static const sim_config *const nics[KINDS][2] = {{&nic_config, &nic_config},
                                                     {&nic_monitored_config, &nic_4splits_config},
                                                     {&nic_2links_config, &nic_2links_config},
                                                     {&nic_4splits_config, &nic_monitored_config},
                                                     {&nic_2paths_config, &nic_2paths_config}};
    const uint64_t seed = p->sim.seed += (uint64_t)(variation / KINDS);
    for (int i = 0; i < 2; i++) {
        p->node[i].nic = nics[variation % KINDS][i];
        p->node[i].pci_mhz = (const unsigned[]){66, 100, 133}[seed % 3];
        if (seed / 3 % 2) p->node[i].host = host_params_ideal();
    }
}

/* Nothing is switched any more, and no fault waits for its time. */
static void calm(bench *b, const actor *o)
{
    bench_join(b);
    for (unsigned i = 0; i < 2; i++) {
        bench_set(b, (int)i, NIC_PAYLOAD_LIMIT, nx_parameters(b->n[i]->dev)->payload_words);
        while (pcix_bridge_completion_faults(host_bridge(b->n[i]->host)) < o[i].armed) {
            bench_stream(b, i, 1, any_piece, 1);
            bench_join(b);
        }
    }
}

static void rest(bench *b)
{
    bench_wait(b, 300 * SIM_US); /* completions that are late, credits that are repaired */
    for (int i = 0; i < 2; i++) bench_agree(b, i, 8);
    for (int i = 0; i < 2; i++) {
        const uint32_t skipped = bench_accounted(b, i);
        const unsigned lost = bench_missing(b, b->flow[i].piece, b->flow[i].posted);
        bench_sound(b, (unsigned)i);
        while (bench_take(b, (unsigned)i)) bench_wait(b, SIM_US);
        piece next = bench_send(b, (unsigned)i, 9, NX_REMOTE);
        bench_wait(b, 80 * SIM_US); /* a number that is missing, too */
        bench_must_arrive(b, &next);
        if (lost > skipped)
            ck_assert_msg(bench_risen(b, !i, NIC_FLAGGED_NOTIFICATIONS) > 0,
                          "node %d: %u pieces lost, %u reported, no notification flagged", i, lost, skipped);
    }
    for (unsigned i = 0; i < 2; i++) bench_take(b, i);
    bench_forgive(b, ALL);
    if (cable_by_packet(b->wire)) /* each link has an account of its own: more goes through than the space of both */
        for (unsigned i = 0; i < 40; i++) bench_good(b, i & 1, 512);
    else bench_prove(b);
}

static void live(bench *b, bool forges)
{
    actor o[4];
    frame_tap *tap = tap_on(b->wire);
    for (unsigned i = 0; i < 2; i++) {
        b->flow[i].sender_reports = 1;
        bench_set(b, (int)i, NIC_COMPLETION_TIMER, TIMER);
        if (cable_by_packet(b->wire)) bench_set(b, (int)i, NIC_RESEQ_TIMEOUT, TIMER);
        bench_stream(b, i, PIECES, any_piece, 1);
    }
    for (int i = 0; i < COUNT(o); i++) {
        o[i] = (actor){b, i & 1, 0, bench_get(b, i & 1, NIC_CUT_THROUGH), forges, i < 2 ? NULL : tap, NULL};
        o[i].task = sim_task_new(b->s, "operator", operate, &o[i]);
    }
    for (int i = 0; i < COUNT(o); i++) sim_join(o[i].task);
    calm(b, o);
    rest(b);
}

SOFTWARE_TEST_ON(kind, what_is_switched_in_full_traffic_goes_on, .to = KINDS * long_runs(SHORT, SEEDS))
{
    live(b, false);
}

SOFTWARE_TEST(wrong_data_are_noticed, .exit = 1) { live(b, true); }
