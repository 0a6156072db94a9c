/* Samples and traces of NICs in a system, against the cable: a trace shows the words on the wire around an error, and
 * samples sum up the words on it. Recording changes no clock of anything else. */
#include <stdlib.h>

#include "nic_monitored.h"
#include "nx_samples.h"
#include "nx_trace.h"
#include "system_bench.h"

static nx_trace t;
static nx_samples samples;

static void monitored(pair_params *p, int variation)
{
    (void)variation;
    p->node[0].nic = p->node[1].nic = &nic_monitored_config;
}

/* Words of the data frames that have left node 0, as the cable shows them. */
static uint64_t wire[20000];
static unsigned wired;
static uint32_t upper;

static void note(void *arg, frame_word *w)
{
    (void)arg;
    if (w->index < w->header || w->index >= w->words) return;
    unsigned i = w->index - w->header; /* header, header CRC, payload, body CRC */
    if (i == 2 || w->index + 1 == w->words) return;
    if (i > 2) i--;
    if (i % 2 == 0) upper = *w->data;
    else if (wired < COUNT(wire)) wire[wired++] = (uint64_t)upper << 32 | *w->data;
}

static int each(void *arg, const frame_word *w)
{
    (void)arg;
    (void)w;
    return 1;
}

/* Random pieces; then the words on the cable must equal the trace of node 0 behind its FIFO, without a finding. */
SOFTWARE_TEST_ON(monitored, the_trace_of_a_sender_is_what_was_on_the_cable)
{
    wired = 0;
    ck_assert_int_eq(frame_tap_add(tap_on(b->wire), 0, 0, FRAME_DATA, each, note, NULL), 0);
    bench_ok(b, 0, nx_trace_start(b->n[0]->dev, 1, 0, 0));
    bench_ok(b, 0, nx_samples_start(b->n[0]->dev, 50, 0xffffffff));
    for (unsigned i = 0; i < 60; i++) bench_good(b, 0, 1 + (unsigned)sim_random_below(b->s, 62));
    bench_ok(b, 0, nx_samples_take(b->n[0]->dev, &samples));
    bench_ok(b, 0, nx_trace_take(b->n[0]->dev, &t));
    ck_assert_uint_eq(nx_trace_check(&t, stderr), 0);
    unsigned words = 0, at = 0;
    for (unsigned i = 0; i < t.entries[NX_H2N_OUT]; i++) words += (t.entry[NX_H2N_OUT][i].flags & NX_TRACE_VALID) != 0;
    ck_assert_uint_gt(words, 1000);
    ck_assert_uint_ge(wired, words);
    for (unsigned i = 0; i < t.entries[NX_H2N_OUT]; i++) {
        const nx_trace_entry *e = &t.entry[NX_H2N_OUT][i];
        uint64_t flow =
            e->flags & NX_TRACE_SOP ? 0x7full << 56 : 0; /* NIC to NIC: the link puts the own node ID there */
        if (!(e->flags & NX_TRACE_VALID)) continue;
        uint64_t on_wire = wire[wired - words + at++];
        ck_assert_msg((e->data & ~flow) == (on_wire & ~flow), "entry %u is %016llx, on the cable %016llx", i,
                      (unsigned long long)e->data, (unsigned long long)on_wire);
    }
    ck_assert_uint_eq(samples.sample[samples.count - 1].out, wired);
}

static void bad_body(bench *b, frame_tap *tap)
{
    (void)b;
    frame_tap_arm(tap, 0, FRAME_DATA, 0, 1, frame_bad_body, NULL);
}
static void bad_header(bench *b, frame_tap *tap)
{
    (void)b;
    frame_tap_arm(tap, 0, FRAME_DATA, 0, 1, frame_bad_header, NULL);
}
static void lost(bench *b, frame_tap *tap)
{
    (void)b;
    frame_tap_arm(tap, 0, FRAME_DATA, 0, 1, frame_lose, NULL);
}
static unsigned both = 3;
static void credit(bench *b, frame_tap *tap)
{
    (void)b;
    frame_tap_arm(tap, 0, FRAME_CREDIT, 0, 1, frame_credit_parity, &both);
}

static const struct {
    const char *name;
    void (*damage)(bench *b, frame_tap *tap);
    uint32_t cause;
    unsigned point;   /* where it shows */
    const char *said; /* by nx_trace_check of that point */
} faults[] = {
    {"body", bad_body, NIC_STATUS_BODY_CRC_MASK, NX_N2H_IN, "bad body: the packet of entry"},
    {"header", bad_header, NIC_TRACE_FREEZE_HEADER_CRC_MASK, NX_N2H_IN, ""},
    {"gap", lost, NIC_STATUS_SEQUENCE_GAP_MASK, NX_N2H_IN, "1 packets missing"},
    {"credit", credit, NIC_STATUS_CREDIT_REJECTED_MASK, NX_H2N_OUT, "credit rejected: lane 0"},
};

/* Each error freezes the trace of the receiver: the trace has the words before and behind it, and names it. */
SOFTWARE_TEST_ON(monitored, each_error_freezes_the_trace_around_it, .to = COUNT(faults))
{
    frame_tap *tap = tap_on(b->wire);
    char *text;
    size_t size;
    for (unsigned i = 0; i < 5; i++) bench_good(b, 0, 20);
    bench_ok(b, 1, nx_trace_start(b->n[1]->dev, 1, faults[_i].cause, 30));
    for (unsigned i = 0; i < 5; i++) bench_good(b, 0, 20);
    faults[_i].damage(b, tap);
    for (unsigned i = 0; i < 8; i++) bench_send(b, i % 2, 20, i % 2 ? 0 : NX_REMOTE);
    bench_wait(b, 400 * SIM_US);
    ck_assert_int_eq(frame_tap_finished(tap, 0), 1);
    bench_ok(b, 1, nx_trace_take(b->n[1]->dev, &t));
    ck_assert_int_eq(t.frozen, 1);
    ck_assert_uint_eq(t.cause, faults[_i].cause);
    int at = -1, behind = 0;
    for (unsigned i = 0; i < t.entries[faults[_i].point]; i++) {
        if (at >= 0) behind++;
        if (t.entry[faults[_i].point][i].flags == NX_TRACE_FROZEN << 4) at = (int)i;
    }
    ck_assert_int_gt(at, 20);
    ck_assert_int_le(behind, 30);
    ck_assert_int_gt(behind, 0);
    FILE *out = open_memstream(&text, &size);
    nx_trace_check(&t, out);
    fclose(out);
    ck_assert_msg(strstr(text, faults[_i].said) != NULL, "%s: expected '%s' in: %s", faults[_i].name, faults[_i].said,
                  text);
    free(text);
    for (int node = 0; node < 2; node++) bench_forgive(b, node);
}

/* The host freezes it when it likes; and the clock of the trace has gone on, though no word passed and the NIC was
 * idle. */
SOFTWARE_TEST_ON(monitored, a_write_by_the_host_freezes_and_tells_the_time_since_the_start)
{
    enum { CROSSING = 20 };
    uint64_t clocks[2];
    sim_clock *clock[2] = {b->n[0]->pci_clock, b->n[0]->net_clock};
    bench_ok(b, 0, nx_trace_start(b->n[0]->dev, 1, 0, 10));
    for (int i = 0; i < 2; i++) clocks[i] = sim_clock_cycles(clock[i]);
    for (unsigned i = 0; i < 4; i++) bench_good(b, i % 2, 30);
    bench_wait(b, 300 * SIM_US);
    bench_ok(b, 0, nx_trace_freeze(b->n[0]->dev));
    for (int i = 0; i < 2; i++) clocks[i] = sim_clock_cycles(clock[i]) - clocks[i];
    for (unsigned i = 0; i < 4; i++) bench_good(b, i % 2, 30);
    bench_ok(b, 0, nx_trace_take(b->n[0]->dev, &t));
    ck_assert_int_eq(t.frozen, 1);
    ck_assert_uint_eq(t.cause, 0);
    for (unsigned p = 0; p < NX_RAW; p++) {
        unsigned at = 0, in_net = p == NX_H2N_OUT || p == NX_N2H_IN;
        while (at < t.entries[p] && t.entry[p][at].flags != NX_TRACE_FROZEN << 4) at++;
        ck_assert_uint_ge(at, 60);
        ck_assert_uint_eq(t.entries[p] - 1 - at, 10);
        uint64_t stamp = t.entry[p][at].data >> 32;
        ck_assert_msg(stamp + CROSSING >= clocks[in_net] && stamp <= clocks[in_net] + CROSSING,
                      "%s: frozen in clock %u of %u", nx_trace_point_get(t.device, p)->name, (unsigned)stamp,
                      (unsigned)clocks[in_net]);
    }
    ck_assert_uint_eq(nx_trace_check(&t, stderr), 0);
}

/* The same stores and the same traffic; a NIC without MONITORING does not know the registers. The last piece has
 * arrived in the same clock.
 */
static sim_time ended;

static void recording(bench *b, int variation)
{
    (void)variation;
    for (int node = 0; node < 2; node++) {
        bench_put(b, node, NIC_SAMPLE_INTERVAL, 10);
        bench_put(b, node, NIC_SAMPLE_COUNT, 0xffffffff);
        bench_put(b, node, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_START_MASK | NIC_TRACE_CONTROL_CIRCULAR_MASK);
    }
    for (unsigned i = 0; i < 40; i++) bench_good(b, i % 2, 1 + i);
    ended = sim_now(b->s);
}

TEST(recording_changes_no_clock)
{
    bench_run(NULL, recording, 0);
    sim_time without = ended;
    clean_up();
    bench_run(monitored, recording, 0);
    ck_assert_uint_eq(ended, without);
}
