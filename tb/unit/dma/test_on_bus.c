/* The DMA engine with the real bus interface on a simulated host: how full it keeps the bus. The output queues hold
 * 1024 words each, or have room without end, so that only the engine, the bus interface and the bridge decide. */
#include <stdio.h>
#include <string.h>

#include "engine_on_bus.h"
#include "engine_on_bus_4.h"
#include "sim/model/host/host.h"
#include "simulation.h"
#include "tb/unit/host/core_user.h"

enum { REGISTERS = 0xd0000000u, SOURCE = 0x100000, DESTINATION = 0x800000 };

struct bench {
    sim *s;
    sim_clock *clk;
    host *h;
    engine_on_bus m;
    unsigned words, splits_allowed; /* of a transfer; configuration space: outstanding reads */
    int incoming;                   /* packets come from the network at link rate */
    int endless;                    /* room in the output queues */
    unsigned used[8], there[8];     /* words in each, reserved ones included; of them of pieces that have ended */
    unsigned pieces[16], piece_words[16], piece_in, piece_out, leaving;
    double credit, link_credit;
    unsigned arrived, popped; /* words of packets of 62 words and a header */
    uint64_t sent, received, underflows, clocks;
    unsigned posted[8];
};
static struct bench b;

static void sample(void *self)
{
    (void)self;
    if (++b.clocks < 100) /* in reset */
        return;
    if (*b.m.trouble)
        sim_fail(b.s, "clock %llu: a read or a write failed, or an internal overflow", (unsigned long long)b.clocks);
    b.sent += *b.m.transfer_left;
    b.received += *b.m.packet_written;
    b.underflows += *b.m.underflow;
    b.popped += *b.m.n2h_pop;
    if (*b.m.voq_reserve) {
        unsigned q = *b.m.voq_reserve_queue;
        b.used[q] += *b.m.voq_reserve_words;
        b.pieces[b.piece_in % 16] = q;
        b.piece_words[b.piece_in++ % 16] = *b.m.voq_reserve_words;
    }
    if (*b.m.voq_piece_end) {
        unsigned n = b.piece_out++ % 16;
        b.there[b.pieces[n]] += b.piece_words[n] - 1; /* the place of the abort mark is given back */
        b.used[b.pieces[n]]--;
    }
}

/* The link takes a packet after the other, queue by queue: 63 words in 166.4 clocks, as they come in. */
static void drive_voqs(void)
{
    b.link_credit += 63 / 166.4;
    for (; b.link_credit >= 1; b.link_credit -= 1) {
        for (unsigned i = 0; i < 8 && !b.there[b.leaving]; i++) b.leaving = (b.leaving + 1) % 8;
        if (b.there[b.leaving]) {
            b.there[b.leaving]--;
            b.used[b.leaving]--;
            if (b.there[b.leaving] % 63 == 0) b.leaving = (b.leaving + 1) % 8;
        }
    }
    memset(b.m.voq_room, 0, 12);
    for (unsigned i = 0; i < 88; i++) {
        unsigned room = b.endless ? 2047 : b.used[i / 11] < 1024 ? 1024 - b.used[i / 11] : 0;
        b.m.voq_room[i / 32] |= (room >> i % 11 & 1) << i % 32;
    }
}

/* A packet of 496 bytes takes 130 clocks of the link, SOP and one credit word included: 1664 ns. */
static void drive(void *self)
{
    (void)self;
    drive_voqs();
    b.credit += 63 / 166.4;
    for (; b.credit >= 1; b.credit -= 1)
        if (b.incoming && b.arrived - b.popped < 1000) b.arrived++;
    unsigned there = b.arrived - b.popped, word = b.popped % 63, packet = b.popped / 63;
    uint64_t header = 1ull << 51 | 62ull << 32 | (DESTINATION + packet % 64 * 512);
    uint64_t data = word ? b.popped : header;
    *b.m.n2h_valid = there != 0;
    *b.m.n2h_count = (uint16_t)there;
    b.m.n2h_data[0] = (uint32_t)data;
    b.m.n2h_data[1] = (uint32_t)(data >> 32);
    b.m.n2h_data[2] = word == 0 ? 1 : word == 62 ? 2 : 0;
}

/* Keeps all queues filled, four descriptors in one burst. */
static void software(void *arg)
{
    (void)arg;
    host_reset(b.h);
    ck_assert_int_eq(host_config_write(b.h, 1, 0x14, 4, REGISTERS), PCIX_OK);
    ck_assert_int_eq(host_config_write(b.h, 1, 0x04, 2, 0x146), PCIX_OK);
    ck_assert_int_eq(host_config_write(b.h, 1, 0x4a, 2, 0x0c | (b.splits_allowed - 1) << 4), PCIX_OK);
    sim_wait_cycles(b.clk, 1100); /* the queues are being swept */
    for (unsigned q = 0;; q = (q + 1) % 8) {
        unsigned head = (unsigned)(*b.m.heads >> 7 * q) & 127;
        if ((b.posted[q] - head) % 128 > 24) {
            sim_wait_cycles(b.clk, 20);
            continue;
        }
        uint64_t line[8];
        for (unsigned i = 0; i < 4; i++) {
            line[2 * i] = SOURCE + 4096 * q;
            line[2 * i + 1] = 1ull << 59 | (uint64_t)q << 52 | (uint64_t)b.words << 32;
        }
        host_write_combined(b.h, REGISTERS + 0x4000 + 16 * (128 * q + b.posted[q] % 128), line, 64);
        b.posted[q] += 4;
    }
}

static void run(unsigned splits, const host_params *p, unsigned words, int incoming, int endless)
{
    memset(&b, 0, sizeof b);
    b.s = loud_sim(0);
    b.clk = make_clock(b.s, "pci", 10 * SIM_NS, 0);
    b.h = host_new(b.s, b.clk, p, "host");
    b.words = words;
    b.splits_allowed = splits;
    b.incoming = incoming;
    b.endless = endless;
    b.m =
        *MODEL_AS(engine_on_bus,
                  make_clocked(b.s, b.clk, splits == 1 ? &engine_on_bus_config : &engine_on_bus_4_config, "dut"), NULL);
    pcix_pins pins = CORE_PINS(&b.m);
    host_plug(b.h, 1, &pins);
    sim_clock_attach(b.clk, sample, drive, &b);
    sim_task_new(b.s, "software", software, NULL);
    run_clocks(b.s, b.clk, 60000);
    host_stats_clear(b.h);
    b.sent = b.received = 0;
    run_clocks(b.s, b.clk, 40000);
    ck_assert_uint_eq(b.underflows, 0);
    ck_assert_uint_eq(pcix_monitor_violations(host_monitor(b.h)), 0);
}

static double share(void)
{
    const host_stats *t = host_get_stats(b.h);
    return 100.0 * (double)t->data_clocks / (double)t->clocks;
}

TEST_CASE("bus", .timeout = 120);

TEST(four_reads_keep_the_bus_full)
{
    const struct {
        const char *name;
        host_params params;
        double least; /* [%] */
    } hosts[] = {{"ideal", host_params_ideal(), 95}, {"server2004", host_params_server2004(), 93}};
    for (int i = 0; i < COUNT(hosts); i++) {
        run(4, &hosts[i].params, 512, 0, 1);
        printf("four reads of 4096 bytes, %-34s %5.1f %% of clocks with data\n", hosts[i].name, share());
        ck_assert_msg(share() >= hosts[i].least, "%.1f %%", share());
    }
}

static const struct {
    unsigned reads;
    int room_without_end;
} loads[] = {{1, 0}, {4, 0}, {1, 1}, {4, 1}};

/* Both ways at once, packets of 496 bytes: packets received at link rate are written as fast as they arrive, and the
 * reads keep up with the link. */
TEST(both_ways, .to = COUNT(loads))
{
    host_params p = host_params_server2004();
    run(loads[_i].reads, &p, 62, 1, loads[_i].room_without_end);
    double out = (double)b.sent * 496 / 400e-6 / 1048576, in = (double)b.received * 496 / 400e-6 / 1048576;
    printf("both ways, %u read(s), server2004, room %s: out %.1f in %.1f MiB/s, %.1f %% of clocks with data\n",
           loads[_i].reads, loads[_i].room_without_end ? "without end" : "1024 words", out, in, share());
    ck_assert_msg(in >= 282, "in %.1f MiB/s", in);
    ck_assert_msg(out >= 282, "out %.1f MiB/s", out);
}
