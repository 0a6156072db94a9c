/* The trace of a port of the switch against what its NIC has put on the wire and taken off it: every word, in order,
 * without a gap, with its flags; and it is frozen by each of the port's events, and by the host, the requested number
 * of entries behind it. */
#include <string.h>

#include "crossbar2_traced.h"
#include "crossbar_4.h"
#include "switch_bench.h"
#include "switch_register_map.h"
#include "sx_trace.h"
#include "test.h"

enum { PORTS = 2, DOWN_CLOCKS = 4000 /* see models */, POINTS = 2, ENTRIES = 1024, LOG = 1 << 16 };
enum { SOP = 1, EOP = 2, VALID = 4, STALL = 8, HALF = 0x10, ERROR = 0x20, EVENTS = 0x40, FROZEN = 0xf0 };

static struct switch_bench *b;
static unsigned port; /* traced */

typedef struct seen {
    uint64_t data;
    unsigned flags;
} seen;

/* Words seen by the port's NIC, and those that wait for the next word. */
static struct wire {
    seen log[LOG];
    unsigned logged, words, first, error;
    uint32_t word[2];
} wires[POINTS];
static int code_error; /* the next word to the switch that is data gets one */

static void put(struct wire *w, int ends)
{
    if (w->words) {
        unsigned flags =
            VALID | (w->first ? SOP : 0) | (ends ? EOP : 0) | (w->words == 1 ? HALF : 0) | (w->error ? ERROR : 0);
        ck_assert_uint_lt(w->logged, LOG);
        w->log[w->logged++] = (seen){(uint64_t)w->word[0] << 32 | (w->words == 2 ? w->word[1] : 0), flags};
        w->first = w->error = w->words = 0;
    }
}

static void log_word(struct wire *w, uint32_t data, uint8_t k, int error)
{
    if (k) {
        put(w, 1);
        w->first = data == SOP_WORD && k == SOP_K;
        return;
    }
    if (w->words == 2) put(w, 0);
    w->word[w->words++] = data;
    w->error |= error != 0;
}

static void tap_out(struct nic_side *n, uint32_t *data, uint8_t *k, uint8_t *not_in_table)
{
    if (n->number != port) return;
    if (code_error && !*k) *not_in_table = 1, code_error = 0;
    log_word(&wires[0], *data, *k, *not_in_table);
}

static void tap_in(struct nic_side *n, uint32_t *data, uint8_t *k)
{
    if (n->number == port) log_word(&wires[1], *data, *k, 0);
}

static uint32_t get(unsigned offset) { return switch_bench_read(b, port, offset); }

static void set(unsigned offset, uint32_t value)
{
    *b->m->mon_we = 1;
    *b->m->mon_addr = (uint16_t)((offset + 0x400 * port) >> 2);
    *b->m->mon_wdata = value;
    *b->m->mon_valid = 1;
    for (int i = 0; !*b->m->mon_ready && i < 1000; i++) switch_bench_run(b, 1);
    switch_bench_run(b, 1);
    *b->m->mon_valid = *b->m->mon_we = 0;
}

static void bench(unsigned traced)
{
    port = traced;
    memset(wires, 0, sizeof wires);
    code_error = 0;
    b = switch_bench_new(
        &(struct switch_setup){.model = &crossbar2_traced_config, .ports = PORTS, .ppm_b = -100, .phase_b = -1});
    for (unsigned p = 0; p < PORTS; p++) {
        b->group.nic[p]->tap_out = tap_out;
        b->group.nic[p]->tap_in = tap_in;
        b->group.nic[p]->corrections = 30;
    }
    ck_assert_uint_eq(switch_bench_read(b, 0, SWITCH_BUILD) & SWITCH_BUILD_TRACE_MASK, SWITCH_BUILD_TRACE_MASK);
}

static void start(uint32_t freeze, unsigned after, int circular)
{
    uint32_t flags = circular ? SWITCH_TRACE_CONTROL_CIRCULAR_MASK : 0;
    set(SWITCH_TRACE_FREEZE, freeze);
    set(SWITCH_TRACE_AFTER, after);
    set(SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_START_MASK | flags);
    ck_assert_uint_eq(get(SWITCH_TRACE_FREEZE), freeze);
    ck_assert_uint_eq(get(SWITCH_TRACE_AFTER), after);
    switch_bench_run(b, 50);
    set(SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_START_MASK); /* it records: this does nothing */
    ck_assert_uint_eq(get(SWITCH_TRACE_CONTROL), SWITCH_TRACE_CONTROL_START_MASK | SWITCH_TRACE_CONTROL_RUNNING_MASK |
                                                     flags | port << SWITCH_TRACE_CONTROL_PORT_SHIFT);
}

static int running(void) { return (get(SWITCH_TRACE_CONTROL) & SWITCH_TRACE_CONTROL_START_MASK) != 0; }

static struct points {
    seen entry[POINTS][ENTRIES];
    unsigned entries[POINTS];
    int frozen[POINTS];      /* entry with that mark, -1: none */
    uint32_t events[POINTS]; /* that there are entries of */
} t;

static void take(void)
{
    set(SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_STOP_MASK);
    switch_bench_run(b, 50);
    ck_assert(!running());
    memset(&t, 0, sizeof t);
    for (unsigned p = 0; p < POINTS; p++) {
        uint32_t clock = 0;
        set(SWITCH_TRACE_INDEX, p << SWITCH_TRACE_INDEX_POINT_SHIFT);
        uint32_t level = get(SWITCH_TRACE_LEVEL), next = level & SWITCH_TRACE_LEVEL_NEXT_MASK;
        int wrapped = (level & SWITCH_TRACE_LEVEL_WRAPPED_MASK) != 0;
        t.entries[p] = wrapped ? ENTRIES : next;
        t.frozen[p] = -1;
        for (unsigned i = 0; i < t.entries[p]; i++) {
            seen *e = &t.entry[p][i];
            set(SWITCH_TRACE_INDEX, p << SWITCH_TRACE_INDEX_POINT_SHIFT | (wrapped ? (next + i) % ENTRIES : i));
            e->flags = get(SWITCH_TRACE_FLAGS);
            e->data = (uint64_t)get(SWITCH_TRACE_DATA_HIGH) << 32 | get(SWITCH_TRACE_DATA_LOW);
            if (e->flags & VALID) continue;
            ck_assert_msg(e->flags == EVENTS || e->flags == FROZEN, "point %u, entry %u: flags %02x", p, i, e->flags);
            ck_assert_uint_gt(e->data >> 32, clock);
            clock = (uint32_t)(e->data >> 32);
            if (e->flags == EVENTS) {
                t.events[p] |= (uint32_t)e->data;
                continue;
            }
            ck_assert_int_eq(t.frozen[p], -1);
            t.frozen[p] = (int)i;
        }
    }
}

/* The words of a point from its first SOP on are in the log, one behind the other. Returns how many entries. */
static unsigned expect_words(unsigned p)
{
    static seen words[ENTRIES];
    const struct wire *w = &wires[p];
    unsigned n = 0, most = 0;
    for (unsigned i = 0; i < t.entries[p]; i++)
        if (t.entry[p][i].flags & VALID && (n || t.entry[p][i].flags & SOP)) words[n++] = t.entry[p][i];
    for (unsigned at = 0; at + n <= w->logged; at++) {
        unsigned same = 0;
        while (same < n && w->log[at + same].data == words[same].data &&
               w->log[at + same].flags == (words[same].flags & ~(unsigned)STALL))
            same++;
        if (same == n) return n;
        if (same > most) most = same;
    }
    ck_abort_msg("point %u: of %u entries %u follow each other in the log of %u", p, n, most, w->logged);
    return 0;
}

/* Number of findings of the software in the trace; also prints them. */
static unsigned findings(FILE *out)
{
    static nx_trace trace;
    trace = (nx_trace){.device = NX_TRACE_SWITCH, .number = port, .capacity = get(SWITCH_CAPACITY)};
    for (unsigned p = 0; p < POINTS; p++)
        for (unsigned i = 0; i < t.entries[p]; i++)
            trace.entry[p][trace.entries[p]++] = (nx_trace_entry){t.entry[p][i].data, (uint8_t)t.entry[p][i].flags};
    return sx_trace_check(&trace, out);
}

/* ---- the monitor's software on the same switch */

static int read32(void *self, unsigned offset, uint32_t *value)
{
    return (void)self, *value = switch_bench_read(b, 0, offset), 0;
}
static int write32(void *self, unsigned offset, uint32_t value)
{
    return (void)self, set(offset - 0x400 * port, value), 0;
}
static const struct sx_platform platform = {NULL, read32, write32};

static unsigned stalled(unsigned p)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t.entries[p]; i++) n += (t.entry[p][i].flags & (VALID | STALL)) == (VALID | STALL);
    return n;
}

TEST_CASE("trace", .timeout = 60);

TEST(what_stands_there_is_what_passed_on_the_wire, .to = 4)
{
    bench((unsigned)_i % 2);
    switch_bench_run_loaded(b, 500);
    start(0, 0, _i / 2);
    switch_bench_run_loaded(b, 6000);
    ck_assert_int_eq(running(), _i / 2);
    take();
    for (unsigned p = 0; p < POINTS; p++) {
        ck_assert_uint_eq(t.entries[p], ENTRIES);
        ck_assert_int_eq(t.frozen[p], -1);
        ck_assert_uint_gt(expect_words(p), ENTRIES / 2);
    }
    ck_assert_uint_eq(get(SWITCH_TRACE_CAUSE), 0);
    ck_assert_uint_eq(findings(stdout), 0);
    switch_bench_drain(b);
}

TEST(software_reads_the_same_entries_and_finds_nothing_wrong, .to = 2)
{
    static nx_trace trace;
    sx_trace_state state;
    sx_switch sw;
    bench((unsigned)_i);
    ck_assert_int_eq(sx_open(&sw, &platform), 0);
    ck_assert_int_eq(sx_trace_start(&sw, port, 1, SX_TRACE_ANY, 77), 0);
    switch_bench_run_loaded(b, 3000);
    ck_assert_int_eq(sx_trace_state_get(&sw, port, &state), 0);
    ck_assert(state.port == port && state.running == 3 && !state.frozen && state.circular &&
              state.events == SX_TRACE_ANY);
    ck_assert_int_eq(sx_trace_freeze(&sw, port), 0);
    switch_bench_run_loaded(b, 1000);
    ck_assert_int_eq(sx_trace_state_get(&sw, port, &state), 0);
    ck_assert(!state.running && state.frozen && !state.cause && state.after == 77);
    ck_assert_int_eq(sx_trace_take(&sw, port, &trace), 0);
    ck_assert_uint_eq(sx_trace_check(&trace, stdout), 0);
    take();
    for (unsigned p = 0; p < POINTS; p++) {
        ck_assert_uint_eq(trace.entries[p], t.entries[p]);
        for (unsigned i = 0; i < t.entries[p]; i++)
            ck_assert(trace.entry[p][i].data == t.entry[p][i].data && trace.entry[p][i].flags == t.entry[p][i].flags);
        ck_assert_int_eq(t.frozen[p], ENTRIES - 78);
        expect_words(p);
    }
    switch_bench_drain(b);
    ck_assert_int_eq(sx_trace_clear(&sw, port), 0);
    ck_assert_int_eq(sx_trace_take(&sw, port, &trace), 0);
    ck_assert_uint_lt(trace.entries[NX_PORT_IN] + trace.entries[NX_PORT_OUT], 20); /* credits and records alone */
    ck_assert(!trace.frozen && trace.number == port);
}

TEST(stall_is_a_packet_without_credit_and_a_gap_in_a_frame)
{
    bench(1);
    start(0, 0, 0);
    switch_bench_send_all(b, 8);
    switch_bench_drain(b);
    take();
    ck_assert_uint_eq(stalled(0), 0);
    ck_assert_uint_eq(stalled(1), 0);
    start(0, 0, 0);
    b->group.nic[1]->pop_percent = 0;
    for (unsigned i = 0; i < 30; i++) nic_send(b->group.nic[0], 1, 62);
    switch_bench_run(b, 6000);
    b->group.nic[1]->pop_percent = 100;
    switch_bench_run(b, 1000);
    take();
    ck_assert_uint_gt(stalled(1), 0);
    expect_words(1);
    b->group.losses_allowed = 1;
    start(0, 0, 0);
    for (unsigned i = 0; i < 4; i++) nic_send(b->group.nic[1], 0, 62);
    switch_bench_run(b, 150);
    b->buffer_error[1] = 3; /* three clocks bring nothing */
    switch_bench_run(b, 1000);
    take();
    ck_assert_uint_eq(stalled(0), 1);
}

/* A packet made by hand, or the first `words` words of it. */
static void frame_of(unsigned flow, unsigned length, unsigned wrong_word, unsigned words)
{
    static const uint64_t payload[512];
    struct frame f;
    frame_start(&f);
    frame_packet(&f, header_of(flow, 5, 77, length, 0x12345678), payload);
    if (wrong_word) f.data[wrong_word] ^= 0x100;
    nic_script_frame(b->group.nic[port], &f, 0, words ? words : f.words);
    nic_script(b->group.nic[port], IDLE_WORD, IDLE_K);
}

static void bad_header(void) { frame_of(0, 5, 3, 0); }
static void bad_length(void) { frame_of(0, 100, 0, 0); }
static void bad_flow(void) { frame_of(9, 5, 0, 0); }
static void no_space(void)
{
    b->group.nic[0]->pop_percent = 0;
    b->group.nic[port]->obeys_credits = 0;
    for (unsigned i = 0; i < 60; i++) nic_send(b->group.nic[port], 0, 62);
}
static void bad_alignment(void) { frame_of(0, 5, 0, 3); }
static void broken_off(void) { frame_of(0, 20, 0, 12); }
static void bad_credit(void)
{
    struct frame f;
    frame_start(&f);
    frame_credits(&f, credit_of(0, 0) ^ 0x4000, credit_of(0, 0) ^ 0x4000);
    nic_script_frame(b->group.nic[port], &f, 0, f.words);
    nic_script(b->group.nic[port], IDLE_WORD, IDLE_K);
}
static void nothing(void) {}
static void unknown_record(void)
{
    struct frame f;
    frame_start(&f);
    frame_record(&f, 7, 1);
    nic_script_frame(b->group.nic[port], &f, 0, f.words);
    nic_script(b->group.nic[port], IDLE_WORD, IDLE_K);
}
static void unplug(void)
{
    b->unplugged[port] = 1;
    switch_bench_run(b, 100);
    b->unplugged[port] = 0;
}
static void disable(void) { set(SWITCH_PORT_CONTROL, 0); }
static void error_of_code(void) { code_error = 1; }

/* Faults that make one event each, bit n of TRACE_FREEZE; `noise`: words change on the line. The three others do not
 * come from a wire: a crosspoint or a count that is full, and one that runs dry. */
static const struct {
    const char *name;
    unsigned bit;
    void (*make)(void);
    int noise;
} causes[] = {
    {"HEADER_ERRORS", 0, bad_header, 0},
    {"DROPPED_LENGTH", 1, bad_length, 0},
    {"DROPPED_FLOW", 2, bad_flow, 0},
    {"DROPPED_SPACE", 3, no_space, 0},
    {"ALIGNMENT_ERRORS", 4, bad_alignment, 0},
    {"PADDED", 5, broken_off, 0},
    {"CREDITS_REJECTED", 6, bad_credit, 0},
    {"RECORDS", 7, nothing, 0},
    {"RECORDS_UNKNOWN", 8, unknown_record, 0},
    {"SYNC_LOST", 9, unplug, 1},
    {"WENT_DOWN", 10, disable, 0},
    {"DRAINED", 11, disable, 0},
    {"CODE_ERRORS", 15, error_of_code, 0},
};

TEST(each_event_freezes_it_and_so_many_entries_follow, .to = COUNT(causes))
{
    unsigned n = (unsigned)_i;
    bench(n % 2);
    unsigned after = (unsigned)sim_random_below(b->s, 400);
    b->group.losses_allowed = b->group.foreign_packets = 1;
    start(1u << causes[n].bit, after, 1);
    switch_bench_run_loaded(b, 1500);
    if (causes[n].make != nothing) ck_assert_uint_eq(get(SWITCH_TRACE_CAUSE), 0);
    causes[n].make();
    for (unsigned i = 0; i < 40 && running(); i++) switch_bench_run_loaded(b, 500);
    ck_assert_msg(!running(), "%s does not freeze it", causes[n].name);
    ck_assert_uint_eq(get(SWITCH_TRACE_CAUSE), 1u << causes[n].bit);
    ck_assert_uint_eq(get(SWITCH_TRACE_CONTROL) & SWITCH_TRACE_CONTROL_FREEZE_MASK, SWITCH_TRACE_CONTROL_FREEZE_MASK);
    take();
    for (unsigned p = 0; p < POINTS; p++) {
        ck_assert_int_eq(t.frozen[p], (int)(t.entries[p] - after - 1));
        uint32_t events = t.events[p]; /* noise makes several, and the last one of them stays */
        ck_assert_msg(after < 20 || events >> causes[n].bit & 1 || (causes[n].noise && events >> 31),
                      "no entry of %s at point %u", causes[n].name, p);
        if (!causes[n].noise || p) expect_words(p);
    }
    unsigned found = findings(NULL); /* its entry may be gone where only few follow it */
    ck_assert_msg(after < 20 || (found != 0) == (causes[n].bit != 7 && causes[n].bit != 8), "%s: %u findings",
                  causes[n].name, found);
}

TEST(the_host_freezes_it_and_stops_it)
{
    bench(0);
    start(0xffff & ~(1u << 7), 33, 1); /* no event comes but check records */
    switch_bench_run_loaded(b, 3000);
    ck_assert(running());
    set(SWITCH_TRACE_CONTROL, SWITCH_TRACE_CONTROL_FREEZE_MASK);
    switch_bench_run_loaded(b, 1000);
    ck_assert(!running());
    ck_assert_uint_eq(get(SWITCH_TRACE_CAUSE), 0);
    take();
    for (unsigned p = 0; p < POINTS; p++) {
        ck_assert_uint_eq(t.entries[p], ENTRIES);
        ck_assert_int_eq(t.frozen[p], ENTRIES - 34);
        expect_words(p);
    }
    switch_bench_drain(b);
}

/* Two memories: one port of each clock at a time. */
TEST(ports_of_both_clocks_are_traced_at_the_same_time)
{
    bench(0);
    start(0, 0, 0);
    port = 1;
    start(0, 0, 0);
    memset(wires, 0, sizeof wires);
    switch_bench_run_loaded(b, 1500);
    switch_bench_drain(b);
    take();
    for (unsigned p = 0; p < POINTS; p++) ck_assert_uint_gt(expect_words(p), 100);
    port = 0;
    ck_assert(running() || (get(SWITCH_TRACE_CONTROL) & SWITCH_TRACE_CONTROL_PORT_MASK) == 0);
    take();
    ck_assert_uint_gt(t.entries[0], 100);
}

TEST(a_switch_without_it_reads_0)
{
    port = 1;
    b = switch_bench_new(&(struct switch_setup){.model = &crossbar_4_config, .ports = 4, .phase_b = -1});
    ck_assert_uint_eq(switch_bench_read(b, 0, SWITCH_BUILD) & SWITCH_BUILD_TRACE_MASK, 0);
    for (unsigned offset = SWITCH_TRACE_CONTROL; offset <= SWITCH_TRACE_LEVEL; offset += 4) {
        switch_bench_write(b, port, offset, offset == SWITCH_TRACE_CONTROL ? SWITCH_TRACE_CONTROL_START_MASK : 0x155);
        ck_assert_uint_eq(get(offset), 0);
    }
}
