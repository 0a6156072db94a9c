/* The memory behind AXI4 ports, driven by a master in C on pins of the bench; monitors check both sides. */
#include <stdlib.h>
#include <string.h>

#include "axi_bench.h"
#include "memory_bench.h"

enum { REQUESTS = 4096, IDS = 4, WIDE = 64 };

struct request {
    axi_burst at;
    bool write, begun, done;
    uint64_t from;         /* clock in which its address may be shown */
    uint64_t taken, first; /* clocks: its address was taken, its first response was seen */
    unsigned beats;        /* seen of a read, or data gone of a write */
    unsigned response;     /* the worst */
    uint64_t errors;       /* of the beats of a read, a bit for each of the first 64 */
    uint8_t data[1024];    /* from the first byte of its first word on */
    uint64_t strobes;      /* of each beat of a write, all that the beat may have if 0 */
};

/* A master: one request's address after the other, data as soon as they can go, READY at random. */
typedef struct master {
    axi_bench *b;
    struct request *at;
    unsigned count, shown[2], data_of, data_beat; /* next address of writes and reads; the write whose data go */
    unsigned stall;                               /* [percent] */
    unsigned order[REQUESTS], ended;              /* which request ended when */
    bool data_first;                              /* data of a write are shown before its address */
} master;

static axi_memory *mem;

static struct request *add(master *m, bool write, uint64_t address, unsigned beats, unsigned id)
{
    ck_assert_uint_lt(m->count, REQUESTS);
    struct request *r = &m->at[m->count++];
    r->at = (axi_burst){address, id, beats, m->b->pins.bytes, AXI_INCR};
    r->write = write;
    return r;
}

static unsigned next_of(const master *m, unsigned i, bool write)
{
    while (i < m->count && m->at[i].write != write) i++;
    return i;
}

static bool taken(const axi_pins *p, axi_signal valid) { return axi_get(p, valid, 0) && axi_get(p, valid + 1, 0); }

static struct request *answered(master *m, bool write, unsigned id)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->at[i].write == write && m->at[i].begun && !m->at[i].done && m->at[i].at.id == id) return &m->at[i];
    ck_abort_msg("clock %llu: a %s response to ID %u, which has nothing outstanding", (unsigned long long)m->b->now,
                 write ? "write" : "read", id);
}

static void end(master *m, struct request *r)
{
    r->done = true;
    m->order[m->ended++] = (unsigned)(r - m->at);
}

static void sample(void *self)
{
    master *m = self;
    const axi_pins *p = &m->b->pins;
    uint64_t now = m->b->now;
    for (int write = 0; write < 2; write++)
        if (taken(p, write ? AXI_AWVALID : AXI_ARVALID)) {
            struct request *r = &m->at[m->shown[write]];
            r->begun = true;
            r->taken = now;
            m->shown[write] = next_of(m, m->shown[write] + 1, write);
        }
    if (taken(p, AXI_WVALID) && ++m->data_beat == m->at[m->data_of].at.beats) {
        m->data_beat = 0;
        m->data_of = next_of(m, m->data_of + 1, true);
    }
    if (taken(p, AXI_BVALID)) {
        struct request *r = answered(m, true, (unsigned)axi_get(p, AXI_BID, 0));
        r->response = (unsigned)axi_get(p, AXI_BRESP, 0);
        r->first = now;
        end(m, r);
    }
    if (taken(p, AXI_RVALID)) {
        struct request *r = answered(m, false, (unsigned)axi_get(p, AXI_RID, 0));
        unsigned response = (unsigned)axi_get(p, AXI_RRESP, 0);
        if (r->beats == 0) r->first = now;
        if (response > r->response) r->response = response;
        if (response && r->beats < 64) r->errors |= UINT64_C(1) << r->beats;
        if ((r->beats + 1) * p->bytes <= sizeof r->data)
            memcpy(r->data + r->beats * p->bytes, p->pin[AXI_RDATA].at, p->bytes);
        if (++r->beats == r->at.beats) end(m, r);
    }
}

static void show(master *m, bool write)
{
    const axi_pins *p = &m->b->pins;
    axi_signal valid = write ? AXI_AWVALID : AXI_ARVALID;
    struct request *r = &m->at[m->shown[write]];
    bool behind = write && m->data_first && m->data_of == m->shown[write] && m->data_beat < r->at.beats - 1;
    bool is = m->shown[write] < m->count && m->b->now >= r->from && !behind;
    axi_set(p, valid, is);
    if (!is) return;
    unsigned log2 = 0;
    while (1u << log2 < r->at.size) log2++;
    axi_set(p, valid + AXI_AWADDR, r->at.address);
    axi_set(p, valid + AXI_AWLEN, r->at.beats - 1);
    axi_set(p, valid + AXI_AWSIZE, log2);
    axi_set(p, valid + AXI_AWBURST, r->at.kind);
    axi_set(p, valid + AXI_AWID, r->at.id);
}

static void drive(void *self)
{
    master *m = self;
    const axi_pins *p = &m->b->pins;
    for (int write = 0; write < 2; write++) { /* requests may have been added */
        m->shown[write] = next_of(m, m->shown[write], write);
        show(m, write);
    }
    m->data_of = next_of(m, m->data_of, true);
    struct request *w = &m->at[m->data_of];
    bool data = m->data_of < m->count && m->b->now >= w->from &&
                (m->data_first || m->shown[1] > m->data_of || axi_get(p, AXI_AWVALID, 0));
    axi_set(p, AXI_WVALID, data);
    if (data) {
        uint64_t lanes = axi_beat_lanes(&w->at, m->data_beat, p->bytes);
        memcpy(p->pin[AXI_WDATA].at, w->data + m->data_beat * p->bytes, p->bytes);
        axi_set(p, AXI_WSTRB, w->strobes ? lanes & w->strobes : lanes);
        axi_set(p, AXI_WLAST, m->data_beat + 1 == w->at.beats);
    }
    axi_set(p, AXI_BREADY, !sim_chance(m->b->s, m->stall));
    axi_set(p, AXI_RREADY, !sim_chance(m->b->s, m->stall));
}

/* A master with its monitor, at the memory. */
static master *plug(axi_bench *b, const char *name)
{
    master *m = test_memory(sizeof *m);
    m->b = b;
    m->at = test_memory(REQUESTS * sizeof *m->at);
    memory_bench_pins(mem, b->s, b->clock, &b->pins, name);
    return m;
}

static void begin(master *m)
{
    m->shown[0] = next_of(m, 0, false);
    m->shown[1] = m->data_of = next_of(m, 0, true);
    sim_clock_attach(m->b->clock, sample, drive, m);
}

static master *bench(unsigned bytes, const axi_memory_params *params)
{
    axi_bench *b = axi_bench_new(BENCH_AXI, bytes, NULL);
    mem = memory_bench_new(b->s, b->clock, params);
    return plug(b, "port");
}

static void run(master *m, uint64_t clocks)
{
    begin(m);
    run_clocks(m->b->s, m->b->clock, clocks);
}

static void fill(uint64_t address, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        memory_write(axi_memory_bytes(mem), address + i, &(uint8_t){(uint8_t)(seed + 7 * i)}, 1);
}

static uint8_t byte_at(uint64_t address)
{
    uint8_t value;
    memory_read(axi_memory_bytes(mem), address, &value, 1);
    return value;
}

/* ---- */

TEST(an_answer_comes_the_latency_after_the_address_and_the_last_data)
{
    axi_memory_params p = axi_memory_defaults();
    p.latency = 7;
    master *m = bench(8, &p);
    fill(0x1000, 64, 3);
    add(m, false, 0x1000, 4, 0)->from = 10;
    struct request *w = add(m, true, 0x2000, 3, 1);
    w->from = 20;
    run(m, 60);
    /* shown in clock 10, taken by the edge that ends it; the answer is on the pins 7 clocks later, a beat in each */
    ck_assert_uint_eq(m->at[0].taken, 10);
    ck_assert_uint_eq(m->at[0].first, 17);
    ck_assert_int_eq(memcmp(m->at[0].data, (uint8_t[]){3, 10, 17, 24, 31, 38, 45, 52, 59}, 9), 0);
    /* data in clocks 20, 21, 22 */
    ck_assert_uint_eq(w->first, 29);
    ck_assert_int_eq(axi_memory_idle(mem), 1);
}

static struct {
    unsigned calls;
    uint8_t before[64], now;
    axi_written last;
} seen;

static void look(void *self)
{
    master *m = self;
    if (m->b->now < 64) seen.before[m->b->now] = byte_at(0x2000);
}

static void written(void *arg, const axi_written *w)
{
    (void)arg;
    seen.calls++;
    seen.last = *w;
    seen.now = byte_at(0x2000);
}

/* A master that does not wait for the response of its data is detected. */
TEST(what_is_written_is_in_memory_with_its_response_and_not_before)
{
    axi_memory_params p = axi_memory_defaults();
    p.latency = 9;
    master *m = bench(8, &p);
    memset(&seen, 0, sizeof seen);
    axi_memory_on_written(mem, written, NULL);
    struct request *w = add(m, true, 0x2000, 2, 0);
    memset(w->data, 0x5a, 16);
    w->from = 10;
    sim_clock_attach(m->b->clock, look, NULL, m);
    run(m, 60);
    ck_assert_uint_eq(w->first, 20); /* the second beat in clock 11 */
    for (int i = 1; i < 20; i++) ck_assert_uint_eq(seen.before[i], 0);
    ck_assert_uint_eq(seen.before[20], 0x5a);
    ck_assert_uint_eq(seen.calls, 1);
    ck_assert_uint_eq(seen.now, 0x5a);
    ck_assert_uint_eq(seen.last.address, 0x2000);
    ck_assert_uint_eq(seen.last.bytes, 16);
    ck_assert_uint_eq(seen.last.strobes, 16);
    ck_assert_int_eq(seen.last.response, AXI_OKAY);
}

/* Hand-worked: which bytes bursts of all kinds touch, and what listeners get. Bytes of the bus count from 1 in the data
 * of the beats. */
TEST(bursts_of_all_kinds_touch_their_bytes)
{
    static const struct {
        uint64_t address;
        unsigned beats, size, kind;
        uint64_t strobes;
        const char *memory; /* from 0x1000 on, 32 bytes in hex, .. = not touched */
    } bursts[] = {
        {0x1000, 2, 8, AXI_INCR, 0, "0102030405060708090a0b0c0d0e0f10................................"},
        {0x1003, 2, 8, AXI_INCR, 0, "......0405060708090a0b0c0d0e0f10................................"},
        {0x1000, 1, 8, AXI_INCR, 0x81, "01............08................................................"},
        {0x1002, 4, 2, AXI_INCR, 0, "....03040d0e1718191a............................................"},
        {0x1005, 2, 4, AXI_INCR, 0, "..........060708090a0b0c........................................"},
        {0x1010, 4, 8, AXI_WRAP, 0, "1112131415161718191a1b1c1d1e1f200102030405060708090a0b0c0d0e0f10"},
        {0x1004, 3, 4, AXI_FIXED, 0, "........15161718................................................"},
        {0x1000, 1, 8, AXI_INCR, 0x100 /* none of its own */,
         "................................................................"},
    };
    axi_memory_params p = axi_memory_defaults();
    for (int i = 0; i < COUNT(bursts); i++) {
        master *m = bench(8, &p);
        memset(&seen, 0, sizeof seen);
        axi_memory_on_written(mem, written, NULL);
        struct request *w = add(m, true, bursts[i].address, bursts[i].beats, 0), *r;
        w->at.size = bursts[i].size;
        w->at.kind = bursts[i].kind;
        w->strobes = bursts[i].strobes;
        for (unsigned k = 0; k < 64; k++) w->data[k] = (uint8_t)(k + 1);
        r = add(m, false, bursts[i].address, bursts[i].beats, 0);
        r->at = w->at;
        r->from = 200;
        run(m, 300);
        unsigned first = 32, end = 0, count = 0;
        for (unsigned k = 0; k < 32; k++) {
            char digits[3] = {bursts[i].memory[2 * k], bursts[i].memory[2 * k + 1], 0};
            unsigned expected = digits[0] == '.' ? 0 : (unsigned)strtoul(digits, NULL, 16);
            ck_assert_msg(byte_at(0x1000 + k) == expected, "burst %d: byte 0x%x is %02x, expected %02x", i, 0x1000 + k,
                          byte_at(0x1000 + k), expected);
            if (digits[0] == '.') continue;
            if (first > k) first = k;
            end = k + 1;
            count++;
        }
        ck_assert_uint_eq(seen.calls, 1);
        ck_assert_uint_eq(seen.last.strobes, bursts[i].kind == AXI_FIXED ? 3 * count : count);
        ck_assert_uint_eq(seen.last.bytes, count ? end - first : 0);
        if (count) ck_assert_uint_eq(seen.last.address, 0x1000 + first);
        for (unsigned beat = 0; beat < w->at.beats; beat++) { /* expected bytes in the lanes of each beat */
            uint64_t lanes = axi_beat_lanes(&r->at, beat, 8), base = axi_beat_address(&r->at, beat) & ~(uint64_t)7;
            for (unsigned k = 0; k < 8; k++)
                if (lanes >> k & 1) ck_assert_uint_eq(r->data[8 * beat + k], byte_at(base + k));
        }
        clean_up();
    }
}

TEST(chosen_addresses_answer_with_errors, .to = 2)
{
    axi_memory_params p = axi_memory_defaults();
    master *m = bench(_i ? 64 : 8, &p);
    unsigned bytes = m->b->pins.bytes;
    fill(0x1000, 4 * bytes, 1);
    axi_memory_add_range(mem, 0x1000 + 2 * bytes + 3, 1, AXI_SLVERR);
    axi_memory_add_range(mem, 0x8000, 0x100, AXI_DECERR);
    struct request *r = add(m, false, 0x1000, 4, 0), *w = add(m, true, 0x1000, 4, 0), *d = add(m, true, 0x8000, 1, 0);
    w->from = d->from = 100;
    memset(w->data, 0x77, 4 * bytes);
    run(m, 300);
    ck_assert_uint_eq(r->errors, 4);
    ck_assert_uint_eq(r->response, AXI_SLVERR);
    ck_assert_uint_eq(w->response, AXI_SLVERR);
    ck_assert_uint_eq(d->response, AXI_DECERR);
    ck_assert_uint_eq(byte_at(0x1000 + 2 * bytes - 1), 0x77);
    ck_assert_uint_eq(byte_at(0x1000 + 2 * bytes), (uint8_t)(1 + 7 * 2 * bytes)); /* the beat at fault is left out */
    ck_assert_uint_eq(byte_at(0x1000 + 3 * bytes), 0x77);
    ck_assert_uint_eq(axi_memory_get_stats(mem, 0)->errors, 3);
    axi_memory_clear_ranges(mem);
    struct request *again = add(m, false, 0x1000, 4, 0);
    run_clocks(m->b->s, m->b->clock, 100);
    ck_assert(again->done && again->response == AXI_OKAY);
    axi_memory_add_range(mem, 0x1003, 1, AXI_SLVERR); /* to the left and the right of it */
    for (unsigned i = 0; i < 3; i++) {
        w = add(m, true, 0x1000, 1, 0);
        w->strobes = i == 0 ? 0x7 : i == 1 ? 0xf0 : 0x18;
        memset(w->data, 0x88, bytes);
        run_clocks(m->b->s, m->b->clock, 100);
        ck_assert(w->done && w->response == (i == 2 ? AXI_SLVERR : AXI_OKAY));
        ck_assert_uint_eq(byte_at(0x1003), 0x77);
        ck_assert_uint_eq(byte_at(0x1002), 0x88);
        ck_assert_uint_eq(byte_at(0x1004), i ? 0x88 : 0x77);
    }
}

TEST(only_so_many_requests_are_taken_before_their_answers)
{
    axi_memory_params p = axi_memory_defaults();
    p.latency = 100;
    p.outstanding = 3;
    master *m = bench(8, &p);
    for (unsigned i = 0; i < 5; i++) add(m, false, 0x1000 + 8 * i, 1, 0)->from = 10;
    run(m, 400);
    ck_assert_uint_eq(m->at[2].taken, 12);
    ck_assert_uint_eq(m->at[0].first, 110);
    ck_assert_uint_ge(m->at[3].taken, 110);
    ck_assert_uint_eq(axi_memory_get_stats(mem, 0)->most_reads, 3);
}

TEST(a_stalled_memory_does_nothing_for_so_many_clocks)
{
    axi_memory_params p = axi_memory_defaults();
    master *m = bench(8, &p);
    for (unsigned i = 0; i < 10; i++) add(m, i & 1, 0x1000, 2, 0)->from = 50;
    begin(m);
    run_clocks(m->b->s, m->b->clock, 48);
    axi_memory_stall(mem, 2000); /* from the next clock on, one before the first request */
    run_clocks(m->b->s, m->b->clock, 2000);
    ck_assert_uint_eq(m->ended, 0);
    ck_assert(!m->at[0].begun && !m->at[1].begun);
    run_clocks(m->b->s, m->b->clock, 200);
    ck_assert_uint_eq(m->ended, 10);
}

/* 64 bursts of 16 beats by one port, or 32 by each of two: 8192 bytes at 4 per clock, less the budget saved before. */
TEST(bandwidth_is_that_of_the_memory_for_all_ports_together, .to = 2)
{
    axi_memory_params p = axi_memory_defaults();
    p.bandwidth = 4;
    master *m = bench(8, &p), *other = NULL;
    if (_i) {
        axi_bench *b = test_memory(sizeof *b), *first = m->b;
        *b = *first;
        for (int i = 0; i < AXI_SIGNALS; i++) b->pins.pin[i].at = b->value[i];
        other = plug(b, "other");
        other->b->now = 0;
    }
    for (unsigned i = 0; i < 64; i++) add(_i && i & 1 ? other : m, i & 2, 0x10000 + 128 * i, 16, 0);
    if (_i) begin(other);
    begin(m);
    uint64_t clocks = 0;
    while (m->ended + (other ? other->ended : 0) < 64) {
        ck_assert_uint_lt(clocks, 4000);
        if (other) other->b->now++;
        run_clocks(m->b->s, m->b->clock, 1);
        clocks++;
    }
    /* 64 clocks of unused bandwidth are kept, so at least (8192 - 256) / 4 */
    ck_assert_uint_ge(clocks, 1984);
    ck_assert_uint_le(clocks, 2120);
}

TEST(data_may_come_before_their_address)
{
    axi_memory_params p = axi_memory_defaults();
    p.early_beats = 8;
    master *m = bench(8, &p);
    m->data_first = true;
    for (unsigned i = 0; i < 4; i++) memset(add(m, true, 0x1000 + 64 * i, 4, 0)->data, 0x10 + (int)i, 32);
    run(m, 200);
    ck_assert_uint_eq(m->ended, 4);
    for (unsigned i = 0; i < 4; i++) ck_assert_uint_eq(byte_at(0x1000 + 64 * i + 31), 0x10 + i);
}

/* Requests with four IDs, each in a region of its own: a write, then a read of its data when the write has ended. */
TEST(responses_of_one_id_stay_in_order_and_of_several_do_not, .to = 4)
{
    axi_memory_params p = axi_memory_defaults();
    p.reorder = _i > 0;
    p.interleave = _i > 1;
    p.ready_after_valid = _i > 2;
    p.spread = 30;
    p.outstanding = 12;
    for (int c = 0; c < AXI_CHANNELS; c++) p.stall[c] = _i > 1 ? 30 : 0;
    master *m = bench(_i & 1 ? WIDE : 8, &p);
    unsigned bytes = m->b->pins.bytes;
    m->stall = _i > 1 ? 30 : 0;
    for (unsigned i = 0; i < 400; i++) {
        struct request *w = add(m, true, 0x100000 * (i % IDS) + 16 * bytes * (i / IDS), 1 + i % 13, i % IDS);
        for (unsigned k = 0; k < 13 * bytes; k++) w->data[k] = (uint8_t)(i * 31 + k * 5 + (k >> 8));
    }
    begin(m);
    for (int i = 0; i < 200 && m->ended < 400; i++) run_clocks(m->b->s, m->b->clock, 200);
    ck_assert_uint_eq(m->ended, 400);
    for (unsigned i = 0; i < 400; i++) {
        const struct request *w = &m->at[i];
        add(m, false, w->at.address, w->at.beats, w->at.id);
    }
    for (int i = 0; i < 200 && m->ended < 800; i++) run_clocks(m->b->s, m->b->clock, 200);
    ck_assert_uint_eq(m->ended, 800);
    for (unsigned i = 0; i < 400; i++)
        ck_assert_msg(!memcmp(m->at[i].data, m->at[400 + i].data, m->at[i].at.beats * bytes), "request %u: other data",
                      i);
    unsigned overtaken = 0, last[IDS] = {0};
    for (unsigned i = 0; i < 800; i++) {
        unsigned id = m->at[m->order[i]].at.id;
        ck_assert_uint_ge(m->order[i], last[id]); /* in order within an ID */
        last[id] = m->order[i];
        overtaken += i > 0 && m->order[i] < m->order[i - 1];
    }
    if (p.reorder) ck_assert_uint_gt(overtaken, 20);
    else ck_assert_uint_eq(overtaken, 0);
}

TEST(stalls_take_the_share_of_clocks_that_they_are_given)
{
    axi_memory_params p = axi_memory_defaults();
    p.stall[AXI_AR] = 75;
    p.outstanding = 256;
    p.latency = 1;
    master *m = bench(8, &p);
    for (unsigned i = 0; i < 1000; i++) add(m, false, 0x1000, 1, 0);
    run(m, 2000);
    ck_assert_uint_ge(m->ended, 420); /* 500 +- 4 standard deviations of 19 */
    ck_assert_uint_le(m->ended, 580);
}

TEST(reset_forgets_what_is_under_way)
{
    axi_memory_params p = axi_memory_defaults();
    p.latency = 40;
    master *m = bench(8, &p);
    for (unsigned i = 0; i < 4; i++) add(m, i & 1, 0x1000, 4, 0)->from = 10;
    run(m, 30);
    ck_assert_int_eq(axi_memory_idle(mem), 0);
    sim_clock_detach(m->b->clock, m);
    for (int i = 0; i < AXI_SIGNALS; i++)
        if (m->b->pins.pin[i].output) axi_set(&m->b->pins, (axi_signal)i, 0);
    m->b->rst = 1;
    run_clocks(m->b->s, m->b->clock, 5);
    m->b->rst = 0;
    ck_assert_int_eq(axi_memory_idle(mem), 1);
    axi_set(&m->b->pins, AXI_BREADY, 1);
    run_clocks(m->b->s, m->b->clock, 100); /* nothing comes: the monitor would say so */
    ck_assert_uint_eq(m->ended, 0);
}

TEST(wrong_parameters_and_pins_are_refused)
{
    axi_memory_params good = axi_memory_defaults(), p;
    ck_assert_ptr_eq(axi_memory_params_check(&good), NULL);
    p = good, p.latency = 0;
    ck_assert_str_eq(axi_memory_params_check(&p), "latency must be 1 clock or more");
    p = good, p.outstanding = 257;
    ck_assert_str_eq(axi_memory_params_check(&p), "outstanding must be 1..256");
    p = good, p.early_beats = 0;
    ck_assert_str_eq(axi_memory_params_check(&p), "early_beats must be 1..256");
    p = good, p.stall[AXI_R] = 100;
    ck_assert_str_eq(axi_memory_params_check(&p), "stall must be 0..99 percent");
    p = good, p.interleave = 1;
    ck_assert_str_eq(axi_memory_params_check(&p), "interleave needs reorder");
    axi_bench *b = axi_bench_new(BENCH_LITE, 4, NULL);
    ck_assert_ptr_eq(axi_memory_new(b->s, b->clock, &p, "memory"), NULL);
    ck_assert_str_eq(sim_error(b->s), "memory: interleave needs reorder");
    master *m = bench(8, &good);
    ck_assert_int_eq(axi_memory_plug(mem, &b->pins, "wrong"), -1);
    ck_assert_str_eq(sim_error(m->b->s), "memory: port wrong: the pins are those of AXI4-Lite, expected AXI4");
}
