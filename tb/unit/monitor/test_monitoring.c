/* Sampling facility and tracing memories, against a log of the pins: samples match the words that passed, to the clock;
 * traces match the words that passed, without a gap; and it ends where it must. */
#include "monitoring_bench.h"
#include "test.h"

TEST_CASE("samples", .timeout = 60);

static const uint32_t intervals[] = {0, 1, 2, 7, 100};

/* Sample k counts what passed from the first clock with a DMA transfer on, up to the end of interval k. `armed`: the
 * first clock that can be that. */
static void expect_samples(monitoring_bench *b, uint64_t armed, uint32_t interval, unsigned count)
{
    unsigned links = b->kind->links;
    uint64_t first = armed;
    while (!b->clock[first].dma) first++;
    for (unsigned k = count > ENTRIES ? count - ENTRIES : 0; k < count; k++) {
        uint64_t last = first + (uint64_t)(k + 1) * (interval ? interval : 1) - 1;
        unsigned chosen = links > 1 ? k % (1u << links) : 0; /* 0: all */
        monitoring_bench_write(b, NIC_SAMPLE_INDEX, k % ENTRIES | chosen << NIC_SAMPLE_INDEX_LINKS_SHIFT);
        monitoring_bench_step(b, 2);
        uint32_t out = 0, in = 0,
                 stalled = b->kind->columns == 3 ? (uint32_t)(b->clock[last].stalled - b->clock[first - 1].stalled) : 0;
        for (unsigned l = 0; l < links; l++)
            if (!chosen || chosen >> l & 1) {
                out += (uint32_t)(b->clock[last].out[l] - b->clock[first - 1].out[l]);
                in += (uint32_t)(b->clock[last].in[l] - b->clock[first - 1].in[l]);
            }
        ck_assert_msg(monitoring_bench_read(b, NIC_SAMPLE_DATA) == out &&
                          monitoring_bench_read(b, NIC_SAMPLE_DATA_IN) == in &&
                          monitoring_bench_read(b, NIC_SAMPLE_STALLED) == stalled,
                      "interval %u, sample %u: %u out, %u in, %u stalled, expected %u, %u, %u", interval, k,
                      monitoring_bench_read(b, NIC_SAMPLE_DATA), monitoring_bench_read(b, NIC_SAMPLE_DATA_IN),
                      monitoring_bench_read(b, NIC_SAMPLE_STALLED), out, in, stalled);
    }
}

TEST(samples_are_what_passed_to_the_clock, .to = KINDS * COUNT(intervals))
{
    const monitoring_kind *kind = &monitoring_kinds[_i % KINDS];
    uint32_t interval = intervals[_i / KINDS];
    monitoring_bench *b = monitoring_bench_new(kind);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_MONITORING),
                      NIC_MONITORING_BUILT_MASK | (kind->columns == 3 ? NIC_MONITORING_STALLED_MASK : 0) |
                          (kind->bundle > 1 ? NIC_MONITORING_RAW_MASK : 0) |
                          (kind->links > 1 ? NIC_MONITORING_EACH_MASK : 0));
    monitoring_bench_write(b, NIC_SAMPLE_INTERVAL, interval);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_INTERVAL), interval);
    uint64_t armed = monitoring_bench_write(b, NIC_SAMPLE_COUNT, 60);
    while (monitoring_bench_read(b, NIC_SAMPLE_COUNT)) {
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_COUNT) + monitoring_bench_read(b, NIC_SAMPLE_TAKEN), 60);
        monitoring_bench_step(b, 1);
    }
    ck_assert_uint_eq(*b->m->pci_busy, 0);
    monitoring_bench_step(b, 500);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_TAKEN), 60);
    expect_samples(b, armed, interval, 60);
}

TEST(the_last_2048_samples_stay)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[ONE]);
    monitoring_bench_write(b, NIC_SAMPLE_INTERVAL, 3);
    uint64_t armed = monitoring_bench_write(b, NIC_SAMPLE_COUNT, ENTRIES + 100);
    monitoring_bench_step(b, 3 * (ENTRIES + 100) + 500);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_TAKEN), ENTRIES + 100);
    expect_samples(b, armed, 3, ENTRIES + 100);
}

TEST(a_new_count_restarts_and_0_stops)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[ONE]);
    monitoring_bench_write(b, NIC_SAMPLE_INTERVAL, 5);
    monitoring_bench_write(b, NIC_SAMPLE_COUNT, 1000);
    monitoring_bench_step(b, 333);
    uint64_t armed = monitoring_bench_write(b, NIC_SAMPLE_COUNT, 1000);
    monitoring_bench_step(b, 333);
    monitoring_bench_write(b, NIC_SAMPLE_COUNT, 0);
    uint32_t taken = monitoring_bench_read(b, NIC_SAMPLE_TAKEN);
    monitoring_bench_step(b, 333);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_TAKEN), taken);
    ck_assert_uint_gt(taken, 20);
    expect_samples(b, armed, 5, taken);
}

TEST(sampling_at_the_ends_of_its_registers)
{
    static const uint32_t ends[] = {0xfffffffe, 0xffffffff};
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[ONE]);
    for (unsigned i = 0; i < COUNT(ends); i++) {
        monitoring_bench_write(b, NIC_SAMPLE_INTERVAL, ends[i]);
        monitoring_bench_write(b, NIC_SAMPLE_COUNT, 3);
        monitoring_bench_step(b, 1000);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_TAKEN), 0);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_COUNT), 3);
        monitoring_bench_write(b, NIC_SAMPLE_INTERVAL, 1);
        uint64_t armed = monitoring_bench_write(b, NIC_SAMPLE_COUNT, ends[i]);
        monitoring_bench_step(b, 500);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_COUNT) + monitoring_bench_read(b, NIC_SAMPLE_TAKEN),
                          ends[i]);
        monitoring_bench_write(b, NIC_SAMPLE_COUNT, 0);
        expect_samples(b, armed, 1, monitoring_bench_read(b, NIC_SAMPLE_TAKEN));
        armed = monitoring_bench_write(b, NIC_SAMPLE_COUNT, 1);
        monitoring_bench_step(b, 500);
        expect_samples(b, armed, 1, monitoring_bench_read(b, NIC_SAMPLE_TAKEN));
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_TAKEN), 1);
        monitoring_bench_write(b, NIC_SAMPLE_INDEX, ends[i]);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_SAMPLE_INDEX), ends[i] % ENTRIES);
        monitoring_bench_write(b, NIC_TRACE_INDEX, ends[i]);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_INDEX), ends[i] % (8 * ENTRIES));
    }
}

TEST_CASE("trace", .timeout = 60);

/* In the data of an event: one before it has not been written. */
#define LOST 0x80000000u

/* Content of the points, oldest first. */
typedef struct trace {
    seen entry[POINTS][ENTRIES];
    unsigned entries[POINTS];
    int frozen_at[POINTS]; /* entry with that mark, -1: none */
} trace;

static unsigned all_points(const monitoring_bench *b) { return (1u << b->points) - 1; }

/* The last link is chosen, if there are several. */
static void start(monitoring_bench *b, int circular)
{
    unsigned links = b->kind->links * b->kind->bundle;
    uint32_t start_bits = NIC_TRACE_CONTROL_START_MASK | (circular ? NIC_TRACE_CONTROL_CIRCULAR_MASK : 0) |
                          (links - 1) << NIC_TRACE_CONTROL_LINK_SHIFT;
    monitoring_bench_write(b, NIC_TRACE_CONTROL, start_bits | NIC_TRACE_CONTROL_LINK_MASK);
    monitoring_bench_step(b, 10);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_CONTROL), start_bits | all_points(b)
                                                                                    << NIC_TRACE_CONTROL_RUNNING_SHIFT);
    for (unsigned p = H2N_OUT; p < b->points; p++) { /* nothing of a recording before */
        if (p == N2H_OUT) continue;
        monitoring_bench_write(b, NIC_TRACE_INDEX, p << NIC_TRACE_INDEX_POINT_SHIFT);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_LEVEL), 0);
    }
}

static unsigned running(monitoring_bench *b)
{
    return (monitoring_bench_read(b, NIC_TRACE_CONTROL) & NIC_TRACE_CONTROL_RUNNING_MASK) >>
           NIC_TRACE_CONTROL_RUNNING_SHIFT;
}

static trace *take(monitoring_bench *b)
{
    trace *t = test_memory(sizeof *t);
    monitoring_bench_step(b, 20);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_CONTROL) & NIC_TRACE_CONTROL_START_MASK, 0);
    for (unsigned p = 0; p < b->points; p++) {
        monitoring_bench_entry(b, p, 0);
        uint32_t level = monitoring_bench_read(b, NIC_TRACE_LEVEL), next = level & NIC_TRACE_LEVEL_NEXT_MASK;
        int wrapped = (level & NIC_TRACE_LEVEL_WRAPPED_MASK) != 0;
        t->entries[p] = wrapped ? ENTRIES : next;
        t->frozen_at[p] = -1;
        for (unsigned i = 0; i < t->entries[p]; i++) {
            t->entry[p][i] = monitoring_bench_entry(b, p, wrapped ? (next + i) % ENTRIES : i);
            if (t->entry[p][i].flags == 0xf0) {
                ck_assert_int_eq(t->frozen_at[p], -1);
                t->frozen_at[p] = (int)i;
            }
        }
    }
    return t;
}

/* Place of the entries of one kind in the log: the place of the first; all others must follow without a gap. */
static unsigned place(const trace *t, unsigned point, const seen *log, unsigned logged, int events)
{
    unsigned first = logged, at = 0, n = 0;
    for (unsigned i = 0; i < t->entries[point]; i++) {
        const seen *e = &t->entry[point][i];
        int event = !(e->flags & 0x0c);
        if (event != events || e->flags == 0xf0) continue;
        if (point == RAW && !event && first == logged && !(e->flags & 1)) continue; /* the rest of a frame */
        uint64_t data = event ? e->data & 0xffffffff : e->data;
        if (event && e->data & LOST && first != logged) { /* it has replaced one that waited */
            data &= ~(uint64_t)LOST;
            at++;
        }
        if (first == logged) {
            data &= event ? ~(uint64_t)LOST : ~0ull;
            for (at = 0; at < logged && (log[at].data != data || (log[at].flags | 8) != (e->flags | 8)); at++)
                ;
            first = at;
        }
        ck_assert_msg(at < logged && log[at].data == data, "point %u, entry %u is not the next event", point, i);
        ck_assert_msg(log[at].flags == e->flags || (n == 0 && (log[at].flags | 8) == (e->flags | 8)),
                      "point %u, entry %u: flags %02x, expected %02x", point, i, e->flags, log[at].flags);
        at++;
        n++;
    }
    ck_assert_uint_gt(n, 0);
    return first;
}

/* Checks that no entry between the first and the last is missing; returns the clock of the first word. */
static uint64_t expect_no_gap(const monitoring_bench *b, const trace *t, unsigned point)
{
    const point_log *log = &b->point[point];
    unsigned word = place(t, point, log->word, log->words, 0);
    if (!log->events) return log->word[word].clock;
    unsigned event = place(t, point, log->event, log->events, 1);
    /* the time of an event: that of the log, from the start on, and some clocks for words that go first */
    uint64_t base = 0, waits = b->words == 2 ? 8 : 3;
    for (unsigned i = 0, e = event; i < t->entries[point]; i++) {
        const seen *entry = &t->entry[point][i];
        if (entry->flags & 0x0c || entry->flags == 0xf0) continue;
        if (e > event && entry->data & LOST) e++;
        uint64_t since = log->event[e++].clock, stamp = entry->data >> 32;
        if (!base) base = since - stamp;
        ck_assert_msg(stamp + base + waits >= since && stamp + base <= since + waits,
                      "point %u, entry %u: clock %llu, expected %llu", point, i, (unsigned long long)stamp,
                      (unsigned long long)(since - base));
    }
    return log->word[word].clock;
}

TEST(all_points_keep_all_words_and_end_when_full, .to = KINDS)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[_i]);
    start(b, 0);
    uint64_t pci = sim_clock_cycles(b->pci), net = sim_clock_cycles(b->net);
    for (unsigned n = 0; running(b) && n < 1000; n++) monitoring_bench_step(b, 20);
    trace *t = take(b);
    for (unsigned p = 0; p < b->points; p++) {
        ck_assert_uint_eq(t->entries[p], ENTRIES);
        ck_assert_int_eq(t->frozen_at[p], -1);
        uint64_t first = expect_no_gap(b, t, p), now = p == H2N_IN || p == N2H_OUT ? pci : net;
        ck_assert_msg(first <= now + 10 + (p == RAW ? 100 : 0) && first + 20 >= now,
                      "point %u starts at clock %llu, expected about %llu", p, (unsigned long long)first,
                      (unsigned long long)now);
    }
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_CAUSE), 0);
}

/* Causes of a freeze: bit n of STATUS, HEADER_CRC (31), the host (32); all of STATUS but one, and all. */
TEST(each_cause_freezes_and_the_words_around_it_stay, .to = 35)
{
    static const unsigned kept[] = {0, 2047, 1, 2046, 100, 5, 2000};
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[_i % KINDS]);
    unsigned after = kept[_i % COUNT(kept)];
    uint32_t mask = _i < 32 ? 1u << _i : _i == 32 ? 0 : _i == 33 ? 0xfffffffe : 0xffffffff;
    monitoring_bench_write(b, NIC_TRACE_AFTER, after);
    monitoring_bench_write(b, NIC_TRACE_FREEZE, mask);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_FREEZE), mask);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_AFTER), after);
    *b->m->status_set = mask; /* too early */
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_START_MASK | NIC_TRACE_CONTROL_CIRCULAR_MASK);
    *b->m->status_set = 0;
    monitoring_bench_step(b, 10000);
    ck_assert_uint_eq(running(b), all_points(b));
    *b->m->status_set = ~mask & 0x7fffffff; /* others */
    *b->m->header_crc_error = !(mask >> 31);
    monitoring_bench_step(b, 10);
    *b->m->header_crc_error = 0;
    *b->m->status_set = 0;
    monitoring_bench_step(b, 10);
    ck_assert_uint_eq(running(b), all_points(b));
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_CONTROL) & NIC_TRACE_CONTROL_FREEZE_MASK, 0);
    uint64_t pci = sim_clock_cycles(b->pci), net = sim_clock_cycles(b->net);
    if (_i != 31) *b->m->status_set = mask & 0x7fffffff;
    if (_i == 31) *b->m->header_crc_error = 1;
    if (_i == 32) monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_FREEZE_MASK);
    monitoring_bench_step(b, 2);
    *b->m->status_set = 0;
    *b->m->header_crc_error = 0;
    monitoring_bench_step(b, 10);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_CONTROL) & NIC_TRACE_CONTROL_FREEZE_MASK,
                      NIC_TRACE_CONTROL_FREEZE_MASK);
    for (unsigned n = 0; running(b) && n < 1000; n++) monitoring_bench_step(b, 20);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_CAUSE), _i == 31 ? mask : mask & 0x7fffffff);
    if (_i % 4 && _i < 31) return; /* what stays does not depend on the bit; to read it takes most of the time */
    trace *t = take(b);
    for (unsigned p = 0; p < b->points; p++) {
        const point_log *log = &b->point[p];
        uint64_t now = p == H2N_IN || p == N2H_OUT ? pci : net;
        ck_assert_uint_eq(t->entries[p], ENTRIES);
        expect_no_gap(b, t, p);
        ck_assert_int_eq(t->frozen_at[p], (int)(ENTRIES - 1 - after));
        if (p == RAW) continue;
        /* the word behind the mark is the first one some clocks after the cause */
        unsigned at = place(t, p, log->word, log->words, 0);
        for (int i = 0; i < t->frozen_at[p]; i++) at += (t->entry[p][i].flags & 0x0c) != 0;
        ck_assert_msg(log->word[at - 1].clock <= now + 16 && (after == 0 || log->word[at].clock >= now),
                      "point %u froze at clock %llu, expected %llu", p, (unsigned long long)log->word[at - 1].clock,
                      (unsigned long long)now);
    }
}

TEST(stop_ends_what_waits_for_words_and_a_start_waits_for_the_end, .to = KINDS)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[_i]);
    monitoring_bench_write(b, NIC_TRACE_AFTER, 100);
    start(b, 1);
    monitoring_bench_step(b, 200);
    b->busy = 0;
    monitoring_bench_step(b, 10);
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_FREEZE_MASK);
    monitoring_bench_write(b, NIC_TRACE_AFTER, 7); /* not taken: it records */
    monitoring_bench_step(b, 30);
    ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_AFTER), 100);
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_START_MASK); /* refused */
    monitoring_bench_step(b, 30);
    ck_assert_uint_ne(running(b), 0);
    ck_assert_uint_ne(monitoring_bench_read(b, NIC_TRACE_CONTROL) & NIC_TRACE_CONTROL_CIRCULAR_MASK, 0);
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_STOP_MASK);
    trace *t = take(b);
    for (unsigned p = 0; p < b->points; p++) {
        ck_assert_uint_lt(t->entries[p], 400);
        ck_assert_int_gt(t->frozen_at[p], 10);
        expect_no_gap(b, t, p);
    }
    b->busy = 4;
    start(b, 0);
    monitoring_bench_step(b, 100);
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_STOP_MASK);
    t = take(b);
    for (unsigned p = 0; p < b->points; p++) {
        ck_assert_int_eq(t->frozen_at[p], -1);
        expect_no_gap(b, t, p);
    }
}

/* The levels of the network points come with the end of a recording, and go with the start of the next. */
TEST(levels_are_those_of_this_recording)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[ONE]);
    for (unsigned n = 0; n < 3; n++) {
        start(b, 0);
        monitoring_bench_step(b, 200);
        monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_STOP_MASK);
        monitoring_bench_step(b, 30);
        monitoring_bench_write(b, NIC_TRACE_INDEX, H2N_OUT << NIC_TRACE_INDEX_POINT_SHIFT);
        ck_assert_uint_gt(monitoring_bench_read(b, NIC_TRACE_LEVEL), 10);
    }
}

/* A START in each of the clocks around the end of a recording: one that is taken shows nothing of the recording before.
 */
TEST(a_start_at_the_end_shows_no_old_level, .to = 16)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[ONE]);
    start(b, 0);
    monitoring_bench_step(b, 200);
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_STOP_MASK);
    monitoring_bench_step(b, (unsigned)_i);
    monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_START_MASK);
    monitoring_bench_step(b, 20);
    int taken = running(b) != 0;
    if (!_i || _i == 15) ck_assert_int_eq(taken, _i == 15);
    for (unsigned p = H2N_OUT; p <= N2H_IN; p++) {
        monitoring_bench_write(b, NIC_TRACE_INDEX, p << NIC_TRACE_INDEX_POINT_SHIFT);
        ck_assert_int_eq(monitoring_bench_read(b, NIC_TRACE_LEVEL) == 0, taken);
    }
}

/* The words of a bus write that are not whole do nothing. */
TEST(registers_take_whole_words_only)
{
    monitoring_bench *b = monitoring_bench_new(&monitoring_kinds[ONE]);
    for (unsigned be = 0; be < 256; be++) {
        *b->m->wr_valid = 1;
        *b->m->wr_addr = NIC_TRACE_CONTROL / 8;
        *b->m->wr_data = 0xffffffff00000000 | NIC_TRACE_CONTROL_START_MASK;
        *b->m->wr_be = (uint8_t)be;
        monitoring_bench_step(b, 1);
        *b->m->wr_valid = 0;
        monitoring_bench_step(b, 12);
        ck_assert_uint_eq(running(b), be % 16 == 15 ? all_points(b) : 0);
        ck_assert_uint_eq(monitoring_bench_read(b, NIC_TRACE_FREEZE), be / 16 == 15 ? 0xffffffff : 0);
        monitoring_bench_write(b, NIC_TRACE_CONTROL, NIC_TRACE_CONTROL_STOP_MASK);
        monitoring_bench_write(b, NIC_TRACE_FREEZE, 0);
        monitoring_bench_step(b, 12);
    }
}
