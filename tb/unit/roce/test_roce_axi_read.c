/* roce_axi_read: every byte of every piece, in order, at any address, with stalls on all sides; bursts as AXI4 wants
 * them; full rate. */
#include "memory_bench.h"
#include "roce_axi_read.h"
#include "roce_axi_read_64.h"
#include "roce_axi_read_few.h"

#include <string.h>

TEST_CASE("roce_axi_read", .timeout = 60);

static const struct {
    const sim_config *config;
    unsigned bytes, longest; /* bytes of a word, beats of the longest burst */
} kinds[] = {
    {&roce_axi_read_config, 8, 256},
    {&roce_axi_read_64_config, 64, 64},
    {&roce_axi_read_few_config, 8, 4},
};

enum { PIECES = 20000 };

static sim *s;
static sim_clock *clk;
static sim_model *m;
static const roce_axi_read_ports *p;
static axi_memory *ram;
static axi_memory_params params; /* of it, from read_all on */
static memory_port *port;
static unsigned bytes, beats_most; /* of a word; beats of the longest burst */
static uint32_t salt, error_from, error_to;
static struct {
    uint32_t address;
    unsigned length;
} piece[PIECES];
static int taken;                    /* the command at the port */
static unsigned pieces, asked, seen; /* listed, taken by the block, come out of it */
static unsigned at;                  /* bytes of piece[seen] that have come */
static unsigned wrong, errors;       /* words that are not as in memory; pieces that came with an error */
static unsigned idle, stall;         /* [%] of the clocks without a command, without out_ready */
static uint64_t clocks, first_word, last_word, first_command, first_address;

/* Content of memory: the eight bytes from a multiple of 8 on, and one of them. */
static uint64_t word_at(uint32_t address)
{
    uint64_t x = (address / 8 ^ salt) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static uint8_t byte_at(uint32_t address) { return (uint8_t)(word_at(address) >> 8 * (address % 8)); }

static int has_error(unsigned n)
{
    uint32_t from = piece[n].address & ~(bytes - 1), to = piece[n].address + piece[n].length;
    return from < error_to && to > error_from;
}

static void sample(void *self)
{
    (void)self;
    clocks++;
    if (sim_port_get(&p->arvalid)) {
        unsigned beats = (unsigned)sim_port_get(&p->arlen) + 1;
        if (beats > beats_most) beats_most = beats;
        if (!first_address) first_address = clocks;
    }
    if (sim_port_get(&p->cmd_valid) && sim_port_get(&p->cmd_ready)) {
        if (!first_command) first_command = clocks;
        asked++;
        taken = 1;
    }
    if (!sim_port_get(&p->out_valid) || !sim_port_get(&p->out_ready)) return;
    ck_must(seen < asked, "a word of nothing");
    if (!first_word) first_word = clocks;
    last_word = clocks;
    const uint8_t *word = p->out_data.at; /* the models are built on machines whose byte 0 is the lowest */
    int bad = has_error(seen);
    for (unsigned i = 0; i < bytes && !bad; i++) {
        uint8_t expected = at + i < piece[seen].length ? byte_at(piece[seen].address + at + i) : 0;
        if (word[i] == expected) continue;
        wrong++;
        break;
    }
    at += bytes;
    ck_must(sim_port_get(&p->out_last) == (at >= piece[seen].length),
            "piece %u of %u bytes at %x: out_last in the word that ends at %u", seen, piece[seen].length,
            piece[seen].address, at);
    ck_must((int)sim_port_get(&p->out_error) == (bad && at >= piece[seen].length), "piece %u: out_error", seen);
    errors += (unsigned)sim_port_get(&p->out_error);
    if (at < piece[seen].length) return;
    seen++;
    at = 0;
}

static void drive(void *self)
{
    (void)self;
    sim_port_set(&p->out_ready, !sim_chance(s, stall));
    if (sim_port_get(&p->cmd_valid) && !taken) return;
    taken = 0;
    sim_port_set(&p->cmd_valid, 0);
    if (asked == pieces || sim_chance(s, idle)) return;
    sim_port_set(&p->cmd_valid, 1);
    sim_port_set(&p->cmd_addr, piece[asked].address);
    sim_port_set(&p->cmd_length, piece[asked].length);
}

static void bench_new(int kind)
{
    bytes = kinds[kind].bytes;
    s = loud_sim(0);
    clk = make_clock(s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    m = make_clocked(s, clk, kinds[kind].config, "dut");
    p = PORTS_AS(roce_axi_read, m);
    params = axi_memory_defaults();
    params.latency = 1;
    params.outstanding = 256;
    ram = memory_bench_new(s, clk, &params);
    port = memory_bench_port(ram, clk, m, "");
    memory_bench_rules(port);
    sim_port_set(&p->rst, 1);
    run_clocks(s, clk, 3);
    sim_port_set(&p->rst, 0);
    sim_clock_attach(clk, sample, drive, NULL);
    pieces = asked = seen = at = wrong = errors = idle = stall = beats_most = 0;
    salt = error_from = error_to = 0;
    taken = 0;
    clocks = first_word = first_command = first_address = 0;
}

/* A piece, and its words in memory. */
static void add(uint32_t address, unsigned length)
{
    ck_assert_uint_lt(pieces, PIECES);
    piece[pieces].address = address;
    piece[pieces++].length = length;
    uint32_t from = address & ~(bytes - 1), count = (address - from + length + bytes - 1) & ~(bytes - 1);
    for (uint32_t i = 0; i < count; i += 8) memory_put64(axi_memory_bytes(ram), from + i, word_at(from + i), 0xff);
}

/* All that is listed. */
static void read_all(void)
{
    ck_assert_ptr_null(axi_memory_set(ram, &params));
    for (unsigned n = 0; seen < pieces; n++) {
        ck_assert_msg(n < 20000, "seed %llu: piece %u of %u bytes at %x does not come", (unsigned long long)sim_seed(s),
                      seen, piece[seen].length, piece[seen].address);
        run_clocks(s, clk, 50);
    }
    run_clocks(s, clk, 20);
    ck_assert_uint_eq(sim_port_get(&p->busy), 0);
    ck_assert_uint_eq(axi_monitor_get_stats(port->monitor)->waits[AXI_R],
                      0); /* it asks for no more than it has room for */
}

TEST(every_offset_and_length, .to = COUNT(kinds))
{
    bench_new(_i);
    unsigned longest = bytes == 8 ? 40 : 140, step = bytes == 8 ? 1 : 3;
    for (unsigned offset = 0; offset < bytes; offset++)
        for (unsigned length = 1; length <= longest; length += step) add(0x1000u * (length % 16 + 1) + offset, length);
    read_all();
    ck_assert_uint_eq(wrong, 0);
}

TEST(long_pieces_are_cut_at_4_kb_and_256_beats, .to = COUNT(kinds))
{
    bench_new(_i);
    for (unsigned offset = 0; offset < bytes; offset += bytes == 8 ? 1 : 5) {
        for (unsigned length = 4093; length <= 4096; length++) add(0x40000 + offset, length);
        for (unsigned before = 1; before < 3 * bytes; before += 5) add(0x7000 - before, 200);
    }
    add(0xffffff00, 0x100); /* the end of memory */
    read_all();
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(beats_most, kinds[_i].longest);
}

TEST(stalls_on_all_sides_change_nothing, .to = 3 * COUNT(kinds))
{
    static const unsigned share[] = {30, 90, 5};
    bench_new(_i / 3);
    idle = share[_i % 3];
    stall = share[(_i + 1) % 3];
    params.stall[AXI_R] = share[(_i + 2) % 3];
    params.stall[AXI_AR] = 50;
    params.latency = 37;
    for (unsigned n = 0; n < 300; n++)
        add((uint32_t)sim_random(s), 1 + (unsigned)sim_random_below(s, n % 10 ? 130 : 4096));
    read_all();
    ck_assert_uint_eq(wrong, 0);
}

TEST(full_rate_at_a_latency_of_200_clocks, .to = 4)
{
    bench_new(_i / 2);
    unsigned length = _i % 2 ? 4096 : 1024, words = length / bytes;
    params.latency = 200;
    for (unsigned n = 0; n < 64; n++) add(n * 4096, length);
    read_all();
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(last_word - first_word + 1, 64 * words);
}

TEST(an_unaligned_piece_takes_a_clock_for_each_beat, .to = 2)
{
    bench_new(_i);
    params.latency = 200;
    for (unsigned n = 0; n < 64; n++) add(n * 4096 + 3, 1024);
    read_all();
    ck_assert_uint_le(last_word - first_word + 1, 64 * (1024 / bytes + 1));
    ck_assert_uint_eq(first_address - first_command, 2);
    ck_assert_uint_eq(first_word - first_address, 200 + 4);
}

TEST(errors_are_reported_with_their_piece_only, .to = COUNT(kinds))
{
    bench_new(_i);
    error_from = 0x10080;
    error_to = 0x100c0;
    axi_memory_add_range(ram, error_from, error_to - error_from, AXI_SLVERR);
    for (unsigned n = 0; n < 300; n++)
        add(0x10000 + (unsigned)sim_random_below(s, 0x100), 1 + (unsigned)sim_random_below(s, 256));
    unsigned expected = 0;
    for (unsigned n = 0; n < pieces; n++) expected += (unsigned)has_error(n);
    read_all();
    ck_assert_uint_eq(wrong, 0);
    ck_assert_uint_eq(errors, expected);
    ck_assert_uint_gt(expected, 50);
    ck_assert_uint_lt(expected, 250);
}

TEST(a_reset_in_mid_piece, .to = COUNT(kinds))
{
    bench_new(_i);
    params.latency = 1000;
    axi_memory_set(ram, &params);
    for (unsigned n = 0; n < 6; n++) add(n * 4096 + 3, 4096);
    run_clocks(s, clk, 40);
    sim_port_set(&p->rst, 1);
    pieces = asked;
    sim_port_set(&p->cmd_valid, 0);
    run_clocks(s, clk, 2);
    sim_port_set(&p->rst, 0);
    pieces = asked = seen = at = 0;
    params.latency = 5;
    for (unsigned n = 0; n < 6; n++) add(n * 4096 + 3, 4096);
    read_all();
    ck_assert_uint_eq(wrong, 0);
}

TEST(the_bench_notices_other_data)
{
    bench_new(0);
    add(0x100, 32);
    salt = 0x1000; /* other data than those in memory */
    read_all();
    ck_assert_uint_gt(wrong, 0);
}
