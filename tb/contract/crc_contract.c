#include "crc_contract.h"

#include <inttypes.h>
#include <string.h>

#include "crc_reference.h"

#define CHECK(...) CONTRACT_CHECK(crc_bench, __VA_ARGS__)
/* The first eight bytes of "123456789"; the check values are those of all nine. */
#define NINE_LESS_ONE 0x3132333435363738ull

static uint64_t reference(const crc_bench *b, uint64_t crc, uint64_t word, unsigned bits)
{
    return b->crc->bits == 16 ? reference_crc16((uint16_t)crc, word, bits) : reference_crc32((uint32_t)crc, word, bits);
}

static uint64_t initial(const crc_bench *b) { return b->crc->bits == 16 ? CRC16_START : CRC32_START; }

static const sim_port *port(const crc_bench *b, const char *name)
{
    size_t count;
    const sim_port *p = sim_model_ports(b->c.model, &count);
    while (count && strcmp(p->name, name)) p++, count--;
    return count ? p : NULL;
}

/* The word as it comes in one step, or in two. */
static uint64_t masked(const crc_bench *b, uint64_t word) { return b->bits == 64 ? word : word & 0xffffffff; }

/* Inputs of a clock; `start` is first or clear. */
struct crc_inputs {
    bool rst, start, step, due;
    uint64_t data;
};

static void crc_clock(crc_bench *b, struct crc_inputs in)
{
    if (b->c.rule) return;
    uint64_t word = masked(b, in.data),
             next = reference(b, b->first && in.start ? initial(b) : b->expected, word, b->bits);
    if (b->rst) sim_port_set(b->rst, in.rst);
    sim_port_set(b->first ? b->first : b->clear, in.start);
    sim_port_set(b->step, in.step);
    sim_port_set(b->data, word);
    if (b->due) sim_port_set(b->due, in.due);
    sim_model_eval(b->c.model);
    if (sim_port_get(b->crc) != b->expected)
        contract_complain(b, STANDS, "crc is %" PRIx64 " before the edge, expected %" PRIx64 " as before",
                          sim_port_get(b->crc), b->expected);
    if (b->crc_next && sim_port_get(b->crc_next) != (in.due ? reference(b, b->expected, word, b->bits) : 0))
        contract_complain(b, NEXT, "crc_next is %" PRIx64 " with %" PRIx64 " after %" PRIx64 ", due is %d",
                          sim_port_get(b->crc_next), word, b->expected, in.due);
    contract_clocks(b, 1);
    b->c.turns += in.step;
    if (b->first ? in.rst : in.start) b->expected = initial(b);
    else if (in.step) b->expected = next;
    if (sim_port_get(b->crc) != b->expected)
        contract_complain(b, in.rst ? CONTRACT_RESET : TAKEN,
                          "crc is %" PRIx64 ", expected %" PRIx64 ": data %" PRIx64 ", step %d, %s %d",
                          sim_port_get(b->crc), b->expected, word, in.step, b->first ? "first" : "clear", in.start);
}

static void *bench_new(const sim_config *config, unsigned fault)
{
    crc_bench *b = contract_bench_new(sizeof *b, 12800, config, fault);
    b->rst = port(b, "rst");
    b->first = port(b, "first");
    b->clear = port(b, "clear");
    b->due = port(b, "due");
    b->crc_next = port(b, "crc_next");
    b->step = sim_model_port(b->c.model, "step");
    b->data = sim_model_port(b->c.model, "data");
    b->crc = sim_model_port(b->c.model, "crc");
    b->bits = b->data->bits;
    sim_port_set(b->rst ? b->rst : b->clear, 1);
    contract_clocks(b, 2);
    sim_port_set(b->rst ? b->rst : b->clear, 0);
    contract_clocks(b, 1);
    b->expected = initial(b);
    return b;
}

/* A new CRC over this word. */
static void begin(crc_bench *b, uint64_t word)
{
    if (b->bits == 64) {
        crc_clock(b, (struct crc_inputs){.start = true, .step = true, .data = word});
        return;
    }
    crc_clock(b, (struct crc_inputs){.start = true});
    crc_clock(b, (struct crc_inputs){.step = true, .data = word >> 32});
    crc_clock(b, (struct crc_inputs){.step = true, .data = word});
}

CHECK(it_has_the_published_check_value)
{
    begin(b, NINE_LESS_ONE);
    uint64_t all = reference(b, sim_port_get(b->crc), '9', 8), published = b->crc->bits == 16 ? 0x29b1 : 0x0376e6e7;
    if (all != published)
        contract_complain(b, TAKEN, "\"123456789\" gives %" PRIx64 ", expected %" PRIx64, all, published);
}

/* The CRC is linear: each bit of the data and of the old CRC has its own column. */
CHECK(each_bit_counts)
{
    for (unsigned i = 0; i < b->bits && !b->c.rule; i++) {
        begin(b, 1ull << i);
        crc_clock(b, (struct crc_inputs){.step = true, .due = true, .data = 1ull << i});
        crc_clock(b, (struct crc_inputs){.step = true, .data = ~(1ull << i)});
    }
}

CHECK(nothing_happens_without_a_step)
{
    begin(b, sim_random(b->c.s));
    for (unsigned n = 0; n < 2000 && !b->c.rule; n++) {
        bool step = contract_below(b, 8) == 0;
        crc_clock(b, (struct crc_inputs){.start = b->first && !step && contract_below(b, 2),
                                         .step = step,
                                         .due = contract_below(b, 2),
                                         .data = sim_random(b->c.s)});
    }
}

CHECK(a_new_one_begins_at_any_time)
{
    for (unsigned n = 0; n < 2000 && !b->c.rule; n++)
        crc_clock(b, (struct crc_inputs){.start = contract_below(b, 3) == 0,
                                         .step = contract_below(b, 4) != 0,
                                         .due = contract_below(b, 2),
                                         .data = sim_random(b->c.s)});
}

CHECK(reset_begins_anew)
{
    if (!b->rst) return;
    for (unsigned n = 0; n < 500 && !b->c.rule; n++)
        crc_clock(b, (struct crc_inputs){.rst = contract_below(b, 10) == 0,
                                         .start = contract_below(b, 20) == 0,
                                         .step = contract_below(b, 2),
                                         .data = sim_random(b->c.s)});
}

/* ---- the long run ---- */

/* Anything, one clock after the other. */
static void bustle(crc_bench *b, unsigned steps, bool starts)
{
    for (uint64_t end = b->c.turns + steps; b->c.turns < end && !b->c.rule;)
        crc_clock(b, (struct crc_inputs){.start = starts && contract_below(b, 30) == 0,
                                         .step = contract_below(b, 4) != 0,
                                         .due = contract_below(b, 3) == 0,
                                         .data = sim_random(b->c.s)});
}

/* A CRC over more words than any packet has, and short ones. */
static void part(void *bench)
{
    crc_bench *b = bench;
    begin(b, sim_random(b->c.s));
    bustle(b, 9000, false);
    bustle(b, 1000, true);
}

static void reset(void *bench)
{
    crc_bench *b = bench;
    crc_clock(b, (struct crc_inputs){
                     .rst = true, .start = !b->first, .step = contract_below(b, 2), .data = sim_random(b->c.s)});
}

static const char *const rules_64[] = {
    [CONTRACT_STARVES] = "",
    [TAKEN] = "crc is that of all that was taken",
    [STANDS] = "crc changes with the clock only",
};
static const char *const rules_32[] = {
    [CONTRACT_STARVES] = "",
    [CONTRACT_RESET] = "",
    [TAKEN] = "crc is that of all that was taken",
    [STANDS] = "crc changes with the clock only",
    [NEXT] = "crc_next has the data of its clock while due, and is else 0",
};

const contract_slot crc16_word64_slot = {
    "rtl/common/crc16_word64.v", "words", rules_64, COUNT(rules_64), bench_new, part, reset, NULL, false};
const contract_slot crc32_word64_slot = {
    "rtl/common/crc32_word64.v", "words", rules_64, COUNT(rules_64), bench_new, part, reset, NULL, false};
const contract_slot crc16_word32_slot = {
    "rtl/switch/crc16_word32.v", "words", rules_32, COUNT(rules_32), bench_new, part, reset, NULL, false};
const contract_slot crc32_word32_slot = {
    "rtl/switch/crc32_word32.v", "words", rules_32, COUNT(rules_32), bench_new, part, reset, NULL, false};
