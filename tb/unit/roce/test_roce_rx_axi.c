/* roce_axi_write: pieces of every offset, skip and length to memory, with stalls and errors. */
#include "memory_bench.h"
#include "roce_axi_write.h"
#include "roce_axi_write_64.h"

#include <string.h>

TEST_CASE("axi_write", .timeout = 60);

enum { PIECES = 900, SIZE = 1 << 20 /* of the written area */ };

static const struct kind {
    const sim_config *config;
    unsigned bytes;
} kinds[] = {{&roce_axi_write_config, 8}, {&roce_axi_write_64_config, 64}};

struct piece {
    uint32_t address;
    unsigned length, skip;
    int bad;
};

struct bench {
    sim *s;
    sim_clock *clk;
    const roce_axi_write_ports *p;
    axi_memory *memory;
    axi_memory_params params;
    uint8_t *times; /* [SIZE] how often each byte was written */
    unsigned written, twice;
    uint64_t clocks;
    unsigned bytes, idle_percent;
    struct piece pieces[PIECES];
    unsigned count, asked, fed, done;
    unsigned at;      /* bytes of the piece that is fed, of its first word on */
    uint64_t started; /* clock of the first command */
    char mistake[120];
};

static uint8_t content(unsigned piece, unsigned byte) { return (uint8_t)(piece * 59 + byte * 7 + (byte >> 8) + 1); }

static void sample(void *self)
{
    struct bench *b = self;
    const roce_axi_write_ports *p = b->p;
    b->clocks++;
    if (sim_port_get(&p->rst)) return;
    if (sim_port_get(&p->cmd_valid) && sim_port_get(&p->cmd_ready)) b->asked++;
    if (sim_port_get(&p->data_valid) && sim_port_get(&p->data_ready)) {
        const struct piece *q = &b->pieces[b->fed];
        b->at += b->bytes;
        if (b->at >= q->skip + q->length) b->fed++, b->at = 0;
    }
    if (!sim_port_get(&p->done_valid)) return;
    const struct piece *q = &b->pieces[b->done];
    if (b->done == b->asked) strcpy(b->mistake, "done without a command");
    else if (sim_port_get(&p->done_error) != (unsigned)q->bad)
        snprintf(b->mistake, sizeof b->mistake, "error of piece %u", b->done);
    uint8_t found[4096 + 256];
    memory_read(axi_memory_bytes(b->memory), q->address, found, q->length);
    for (unsigned i = 0; i < q->length && !q->bad && !b->mistake[0]; i++)
        if (found[i] != content(b->done, i))
            snprintf(b->mistake, sizeof b->mistake, "piece %u of %u at %x, skip %u: byte %u", b->done, q->length,
                     q->address, q->skip, i);
    b->done++;
}

static void drive(void *self)
{
    struct bench *b = self;
    const roce_axi_write_ports *p = b->p;
    if (!sim_port_get(&p->rst) && b->asked < b->count &&
        (sim_port_get(&p->cmd_valid) || !sim_chance(b->s, b->idle_percent))) {
        const struct piece *q = &b->pieces[b->asked];
        sim_port_set(&p->cmd_valid, 1);
        sim_port_set(&p->cmd_addr, q->address);
        sim_port_set(&p->cmd_length, q->length);
        sim_port_set(&p->cmd_skip, q->skip);
    } else sim_port_set(&p->cmd_valid, 0);
    int fresh = b->fed < b->count && (b->at || b->fed < b->asked);
    sim_port_set(&p->data_valid, fresh && !sim_chance(b->s, b->idle_percent));
    uint8_t word[64];
    for (unsigned i = 0; i < b->bytes; i++) {
        unsigned byte = b->at + i - b->pieces[b->fed % PIECES].skip;
        word[i] = fresh && byte < b->pieces[b->fed].length ? content(b->fed, byte) : (uint8_t)sim_random(b->s);
    }
    memcpy(p->data.at, word, b->bytes);
}

static void written(void *self, const axi_written *w)
{
    struct bench *b = self;
    ck_must(w->address + w->bytes <= SIZE, "%llx is written", (unsigned long long)w->address);
    if (w->response != AXI_OKAY) return;
    b->written += w->bytes;
    for (unsigned i = 0; i < w->bytes; i++)
        if (b->times[w->address + i]++) b->twice++;
}

static struct bench *bench_new(int kind)
{
    struct bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    b->clk = make_clock(b->s, "clk", 10 * SIM_NS, 5 * SIM_NS);
    b->bytes = kinds[kind].bytes;
    sim_model *m = make_clocked(b->s, b->clk, kinds[kind].config, "dut");
    b->p = PORTS_AS(roce_axi_write, m);
    b->params = axi_memory_defaults();
    b->memory = memory_bench_new(b->s, b->clk, &b->params);
    memory_bench_rules(memory_bench_port(b->memory, b->clk, m, ""));
    b->times = test_memory(SIZE);
    axi_memory_on_written(b->memory, written, b);
    sim_clock_attach(b->clk, sample, drive, b);
    sim_port_set(&b->p->rst, 1);
    run_clocks(b->s, b->clk, 3);
    sim_port_set(&b->p->rst, 0);
    return b;
}

/* Pieces that do not touch each other, at all offsets and skips; lengths around words, beats and 4 KB. */
static void pieces(struct bench *b, unsigned count)
{
    uint32_t next = 100;
    b->count = count;
    for (unsigned i = 0; i < count; i++) {
        struct piece *q = &b->pieces[i];
        unsigned kind = (unsigned)sim_random_below(b->s, 16), w = b->bytes;
        q->skip = (unsigned)sim_random_below(b->s, w);
        q->length = kind < 10   ? 1 + (unsigned)sim_random_below(b->s, 3 * w)
                    : kind < 15 ? 1 + (unsigned)sim_random_below(b->s, 600)
                                : 4096 + (unsigned)sim_random_below(b->s, 257);
        q->address = next + (unsigned)sim_random_below(b->s, w);
        if (sim_random_below(b->s, 10) == 0)
            q->address = (q->address + 4095) / 4096 * 4096 - 1 - (unsigned)sim_random_below(b->s, w);
        if (q->address < next) q->address = next;
        next = q->address + q->length;
        ck_assert_uint_lt(next, SIZE);
    }
}

static void run(struct bench *b, uint64_t clocks)
{
    ck_assert_ptr_null(axi_memory_set(b->memory, &b->params));
    for (uint64_t n = 0; n < clocks && b->done < b->count && !b->mistake[0]; n += 100) run_clocks(b->s, b->clk, 100);
    if (!b->mistake[0] && b->done < b->count)
        snprintf(b->mistake, sizeof b->mistake, "%u of %u done", b->done, b->count);
    if (b->mistake[0]) return;
    unsigned expected = 0;
    for (unsigned i = 0; i < b->count; i++) expected += b->pieces[i].bad ? 0 : b->pieces[i].length;
    if (b->twice) snprintf(b->mistake, sizeof b->mistake, "%u bytes are written twice", b->twice);
    else if (b->written != expected)
        snprintf(b->mistake, sizeof b->mistake, "%u bytes written, %u expected", b->written, expected);
}

static void holds(struct bench *b)
{
    run(b, 200000);
    ck_assert_msg(!b->mistake[0], "%s", b->mistake);
}

/* Share of clocks without a word, and in which the memory takes no address, no data. */
static const struct {
    unsigned idle, address, data;
} shares[] = {{0, 0, 0}, {0, 70, 0}, {30, 0, 70}, {70, 30, 30}};

TEST(every_byte_goes_where_it_should, .to = 2 * COUNT(shares))
{
    struct bench *b = bench_new(_i % 2);
    b->idle_percent = shares[_i / 2].idle;
    b->params.stall[AXI_AW] = shares[_i / 2].address;
    b->params.stall[AXI_W] = shares[_i / 2].data;
    pieces(b, 700);
    holds(b);
}

/* All skips with all offsets, lengths of one byte to three words. */
TEST(all_offsets_with_all_skips, .to = 2)
{
    struct bench *b = bench_new(_i);
    unsigned w = b->bytes, n = 0;
    for (unsigned round = 0; round < (w == 8 ? 12 : 1); round++)
        for (unsigned k = 0; k < 64; k++, n++) {
            unsigned offset = k % w, skip = w == 8 ? k / 8 : (k * 29 + 17) % 64;
            b->pieces[n] = (struct piece){
                .address = 4096 + 256 * n + offset, .skip = skip, .length = 1 + (k * 5 + round * 2) % (3 * w)};
        }
    b->count = n;
    holds(b);
}

/* A burst that is answered SLVERR makes its command fail, whichever of its bursts it is, and no other one. */
TEST(an_error_is_reported_with_its_command, .to = 2)
{
    struct bench *b = bench_new(_i);
    pieces(b, 300);
    const struct piece *hit = NULL;
    for (unsigned i = 100; !hit; i++)
        if (b->pieces[i].length > 4096) hit = &b->pieces[i];
    axi_memory_add_range(b->memory, hit->address + hit->length - 1, 1, AXI_SLVERR);
    b->pieces[hit - b->pieces].bad = 1;
    run(b, 200000);
    /* what its other beats have written remains: more bytes than those of good commands */
    ck_assert_uint_eq(b->done, 300);
    ck_assert_ptr_nonnull(strstr(b->mistake, "bytes written"));
}

/* Pieces of 1024 bytes behind a header of 54: with 8 bytes each takes its data words or a clock more, although memory
 * answers after 200. */
TEST(nothing_waits_for_answers, .to = 2)
{
    struct bench *b = bench_new(_i);
    b->params.latency = 200;
    axi_memory_set(b->memory, &b->params);
    b->count = 200;
    for (unsigned i = 0; i < b->count; i++)
        b->pieces[i] = (struct piece){.address = 4096 + 1024 * i, .length = 1024, .skip = 54 % b->bytes};
    run_clocks(b->s, b->clk, 20);
    uint64_t from = b->clocks;
    while (b->done < b->count) {
        run_clocks(b->s, b->clk, 10);
        ck_assert_uint_lt(b->clocks, 100000);
    }
    uint64_t each = (b->clocks - from - 200) / b->count;
    ck_assert_uint_le(each, b->bytes == 8 ? 129 : 17);
}

TEST(checker_sees_a_wrong_byte, .to = 2)
{
    struct bench *b = bench_new(_i);
    pieces(b, 50);
    run_clocks(b->s, b->clk, 30);
    b->pieces[b->asked + 10].address++;
    struct piece *q = &b->pieces[b->asked + 10];
    for (unsigned n = 0; n < 20000 && b->asked <= (unsigned)(q - b->pieces); n++) run_clocks(b->s, b->clk, 1);
    q->address--;
    run(b, 20000);
    ck_assert_msg(strstr(b->mistake, "piece") == b->mistake, "%s", b->mistake);
}
