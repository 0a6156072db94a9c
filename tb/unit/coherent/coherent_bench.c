#include "coherent_bench.h"

#include <string.h>

#include "simulation.h"

enum { PERIOD = 10000, COHERENT = 0x40000000, SETS = 64 };

uint32_t place(unsigned i) { return i / 4 + i % 4 * SETS; }

uint32_t at(unsigned i, unsigned offset) { return COHERENT + place(i) * 32 + offset; }

unsigned below(coherent_bench *b, unsigned n) { return (unsigned)sim_random_below(b->s, n); }

static uint64_t peek(void *memory, uint64_t word) { return ((uint64_t *)memory)[word % MEMORY_WORDS]; }

/* ---- memory: accesses take effect in order when they are taken, answers come later ---- */

static void memory_sample(coherent_bench *b)
{
    coherent_memory_4 *p = b->p;
    if (!*p->mem_valid || !*p->mem_ready) return;
    uint64_t *word = &b->words[*p->mem_addr % MEMORY_WORDS];
    ck_must(*p->mem_addr < MEMORY_WORDS, "memory word %x", *p->mem_addr);
    if (*p->mem_we) {
        b->memory_writes++;
        uint64_t data = p->mem_wdata[0] | (uint64_t)p->mem_wdata[1] << 32;
        for (unsigned i = 0; i < 8; i++)
            if (*p->mem_be >> i & 1) ((uint8_t *)word)[i] = (uint8_t)(data >> 8 * i);
        return;
    }
    b->memory_reads++;
    ck_must(b->read_count < 16, "more than 16 reads of memory outstanding");
    unsigned n = (b->first_read + b->read_count++) % 16;
    b->reads[n].data = *word;
    b->reads[n].at = b->now + (b->fixed ? b->latency : 1 + below(b, b->latency));
}

static void memory_drive(coherent_bench *b)
{
    coherent_memory_4 *p = b->p;
    *p->mem_ready = below(b, 100) < b->ready_percent;
    *p->mem_rvalid = b->read_count && b->reads[b->first_read].at <= b->now;
    if (!*p->mem_rvalid) return;
    p->mem_rdata[0] = (uint32_t)b->reads[b->first_read].data;
    p->mem_rdata[1] = (uint32_t)(b->reads[b->first_read].data >> 32);
    b->first_read = (b->first_read + 1) % 16;
    b->read_count--;
}

/* ---- processors ---- */

static void put_bit(uint8_t *port, unsigned c, int value)
{
    *port = (uint8_t)((*port & ~(1u << c)) | (unsigned)!!value << c);
}

static void ends(coherent_bench *b, unsigned c)
{
    b->clocks[c] = b->now - b->cpu[c].from;
    b->cpu[c].waits = 0;
    b->accesses++;
    if (b->done) b->done(b, c, &b->cpu[c].access, b->cpu[c].loaded);
}

static void cpu_sample(coherent_bench *b, unsigned c)
{
    coherent_memory_4 *p = b->p;
    const plb_access *a = &b->cpu[c].access;
    int addrack = *p->addrack >> c & 1, cancelled = *p->cancel >> c & 1;
    if (b->cpu[c].waits) {
        if (!a->write && *p->rddack >> c & 1) {
            unsigned at = a->line ? *p->rdwdaddr >> (3 * c + 1) & 3 : 0;
            b->cpu[c].loaded[at] = p->rddbus[2 * c] | (uint64_t)p->rddbus[2 * c + 1] << 32;
            if (!a->line || ++b->cpu[c].word == 4) ends(b, c);
        } else if (a->write && *p->wrdack >> c & 1) b->cpu[c].word++;
        else if (a->write && !(*p->busy >> c & 1)) ends(b, c);
    }
    if (!b->cpu[c].shown) return;
    b->cpu[c].age++;
    if (cancelled) b->cpu[c].shown = 0;
    else if (addrack) {
        if (b->cpu[c].waits) {
            ck_must(a->write, "processor %u: an access is acknowledged before the load is done", c);
            ends(b, c);
        }
        b->cpu[c].access = b->cpu[c].asks;
        b->cpu[c].from = b->cpu[c].asked;
        b->cpu[c].shown = 0;
        b->cpu[c].waits = 1;
        b->cpu[c].word = a->write && *p->wrdack >> c & 1 ? 1 : 0;
    }
}

/* Words of an acknowledged store are still to be taken. */
static int unwritten(const coherent_bench *b, unsigned c)
{
    const plb_access *a = &b->cpu[c].access;
    return b->cpu[c].waits && a->write && b->cpu[c].word < (a->line ? 4 : 1);
}

static void cpu_drive(coherent_bench *b, unsigned c)
{
    coherent_memory_4 *p = b->p;
    plb_access *a = &b->cpu[c].asks;
    if (b->cpu[c].pause) b->cpu[c].pause--;
    else if (!b->cpu[c].shown && !unwritten(b, c)) {
        memset(a, 0, sizeof *a);
        if (b->next && b->next(b, c, a)) {
            b->cpu[c].shown = 1;
            b->cpu[c].age = 0;
            b->cpu[c].asked = b->now;
        }
    } else if (b->cpu[c].shown && a->cancel && b->cpu[c].age >= (unsigned)a->cancel) put_bit(p->cancel, c, 1);
    put_bit(p->cancel, c, b->cpu[c].shown && a->cancel && b->cpu[c].age + 1 >= (unsigned)a->cancel);
    put_bit(p->request, c, b->cpu[c].shown);
    put_bit(p->rnw, c, !a->write);
    put_bit(p->size2, c, a->line);
    /* what is written stays on the bus until its last word is taken */
    uint64_t data = unwritten(b, c) ? b->cpu[c].access.data[b->cpu[c].word] : a->data[0];
    ((uint32_t *)p->abus)[c] = a->address;
    ((uint8_t *)p->be)[c] = a->be;
    p->wrdbus[2 * c] = (uint32_t)data;
    p->wrdbus[2 * c + 1] = (uint32_t)(data >> 32);
}

/* ---- what is behind the ports for registers and the private PLB ---- */

static void slaves_sample(coherent_bench *b, unsigned c)
{
    coherent_memory_4 *p = b->p;
    b->slave[c].accepted |= *p->private_request >> c & 1 && *p->private_addrack >> c & 1;
    uint32_t address = (uint32_t)(*p->private_abus >> 32 * c);
    if (*p->private_rddack >> c & 1 || *p->private_wrdack >> c & 1) {
        uint64_t *word = &b->private_words[c][((address >> 3) + b->slave[c].word) & 63];
        if (*p->private_wrdack >> c & 1)
            for (unsigned i = 0; i < 8; i++)
                if (*p->private_size2 >> c & 1 || *p->private_be >> (8 * c + i) & 1)
                    ((uint8_t *)word)[i] = (uint8_t)(p->private_wrdbus[2 * c + i / 4] >> 8 * (i % 4));
        b->slave[c].word++;
        if (!(*p->private_size2 >> c & 1) || b->slave[c].word == 4) b->slave[c].accepted = 0, b->slave[c].word = 0;
    }
    if (*p->reg_valid >> c & 1 && *p->reg_done >> c & 1) {
        uint32_t at = (uint32_t)(*p->reg_address >> 18 * c) & 0x3ffff, *r = &b->registers[at & 63];
        uint32_t data = (uint32_t)(*p->reg_wdata >> 32 * c);
        for (unsigned i = 0; i < 4 && *p->reg_write >> c & 1 && at < 64; i++)
            if (*p->reg_be >> (4 * c + i) & 1) *r = (*r & ~(0xffu << 8 * i)) | (data & 0xffu << 8 * i);
        b->slave[c].age = 0;
    }
    b->errors += *p->err >> c & 1;
    if (!(*p->error_event >> c & 1)) return;
    b->error_address = (uint32_t)(*p->error_address >> 32 * c);
    b->error_write = *p->error_write >> c & 1;
}

static void slaves_drive(coherent_bench *b, unsigned c)
{
    coherent_memory_4 *p = b->p;
    int request = *p->private_request >> c & 1, rnw = *p->private_rnw >> c & 1, reg = *p->reg_valid >> c & 1;
    uint32_t address = (uint32_t)(*p->private_abus >> 32 * c), at = (uint32_t)(*p->reg_address >> 18 * c) & 0x3ffff;
    b->slave[c].age = request || b->slave[c].accepted || reg ? b->slave[c].age + 1 : 0;
    int ready = b->slave[c].age > b->delay;
    put_bit(p->private_addrack, c, request && ready);
    put_bit(p->private_rddack, c, b->slave[c].accepted && rnw);
    put_bit(p->private_wrdack, c, b->slave[c].accepted && !rnw);
    put_bit(p->private_busy, c, b->slave[c].accepted);
    put_bit(p->private_err, c, b->slave[c].accepted && address >= 0x1000 && address < 0x2000);
    uint64_t word = b->private_words[c][((address >> 3) + b->slave[c].word) & 63];
    p->private_rddbus[2 * c] = (uint32_t)word;
    p->private_rddbus[2 * c + 1] = (uint32_t)(word >> 32);
    *p->private_rdwdaddr = (uint8_t)((*p->private_rdwdaddr & ~(7u << 3 * c)) | (b->slave[c].word & 3) << (3 * c + 1));
    put_bit(p->reg_done, c, reg && ready);
    put_bit(p->reg_error, c, reg && at >= 64);
    *p->reg_rdata = (*p->reg_rdata & ~(0xffffffffull << 32 * c)) | (uint64_t)b->registers[at & 63] << 32 * c;
}

/* ---- network interface ---- */

static void ni_sample(coherent_bench *b)
{
    coherent_memory_4 *p = b->p;
    b->out_take = *p->ni_out_take;
    b->out_word = *p->ni_out_word;
    if (*p->ni_in_valid) {
        unsigned t = *p->ni_in_tag & 1;
        ck_must(b->open[t], "a word of a read that is not open");
        b->read_data[t][*p->ni_in_word & 3] = *p->ni_in_data;
        if (++b->read_words[t] == 4) {
            ck_must(*p->ni_in_last, "the last word is not marked");
            b->open[t] = 0;
            b->reads_open--;
            if (b->read_done) b->read_done(b, b->read_line[t], b->read_data[t]);
        }
    }
    if (*p->ni_taken) {
        ck_must(b->shown, "a request is taken that is not shown");
        if (b->now - b->ni_shown_at > b->ni_worst) b->ni_worst = b->now - b->ni_shown_at;
        b->shown = 0;
        b->requests++;
        b->moving = b->request;
        if (b->request.kind == OBSERVER_READ || b->request.kind == OBSERVER_READ_ONCE) {
            ck_must(b->reads_open < 2 && !b->open[b->tag], "a third read");
            b->open[b->tag] = 1;
            b->read_line[b->tag] = b->request.line;
            b->read_words[b->tag] = 0;
            b->reads_open++;
            b->tag ^= 1;
        }
    }
    /* a snoop: looked up in the next clock, answered in the one after it */
    b->answers = 0;
    if (b->look) {
        for (unsigned i = 0; i < 2; i++) b->answers |= b->shares[i] == (int)b->looked;
        if (b->snooped == OBSERVER_READ_EXCLUSIVE || b->snooped == OBSERVER_UPGRADE ||
            b->snooped == OBSERVER_INVALIDATE_WRITE)
            for (unsigned i = 0; i < 2; i++)
                if (b->shares[i] == (int)b->looked) b->shares[i] = -1;
        if (b->source == 2 && b->snooped == OBSERVER_READ) b->shares[below(b, 2)] = (int)b->looked;
    }
    b->look = *p->snoop_valid;
    b->looked = *p->snoop_line;
}

static void ni_drive(coherent_bench *b)
{
    coherent_memory_4 *p = b->p;
    if (!b->shown && b->next_request && !b->open[b->tag]) {
        memset(&b->request, 0, sizeof b->request);
        b->shown = b->next_request(b, &b->request);
        b->ni_shown_at = b->now;
    }
    const ni_request *r = &b->request;
    int full = r->last == 3;
    for (unsigned w = 0; w < 4; w++) full &= r->mask[w] == 0xff;
    *p->ni_valid = (uint8_t)b->shown;
    *p->ni_kind = (uint8_t)r->kind;
    *p->ni_line = r->line;
    *p->ni_word = (uint8_t)r->word;
    *p->ni_last = (uint8_t)r->last;
    *p->ni_tag = (uint8_t)b->tag;
    *p->ni_full = (uint8_t)full;
    *p->ni_allocate = (uint8_t)r->allocate;
    *p->ni_cache = (uint8_t)r->cache;
    *p->ni_has = (uint8_t)b->answers;
    *p->ni_out_data = b->out_take ? b->moving.data[b->out_word] : 0x5a5a5a5a5a5a5a5a;
    *p->ni_out_mask = b->out_take ? b->moving.mask[b->out_word] : 0xff;
}

/* ---- state x request x own request under way ---- */

static void table_sample(coherent_bench *b)
{
    coherent_memory_4 *p = b->p;
    if (b->age && !--b->age)
        for (unsigned c = 0; c < 2; c++) {
            if (b->source == c) continue;
            unsigned state =
                !(*p->answer_has >> c & 1) ? 0 : 1 + (*p->answer_supplies >> c & 1) + (*p->answer_dirty >> c & 1);
            b->ticked[c][state][b->snooped][b->under_way[c]]++;
        }
    if (!*p->snoop_valid) return;
    b->age = 2;
    b->source = *p->snoop_source;
    b->snooped = *p->snoop_kind;
    for (unsigned c = 0; c < 2; c++) {
        uint32_t line = (uint32_t)(*p->req_line >> 23 * c) & 0x7fffff;
        b->under_way[c] = *p->req_valid >> c & 1 && line == *p->snoop_line ? 1 + (*p->req_kind >> 3 * c & 7) : 0;
        if (*p->snoop_allocate && *p->snoop_cache == c && b->source == 2 && *p->snoop_kind == OBSERVER_UPDATE)
            b->snooped = ALLOCATE_HERE;
    }
}

static void sample(void *self)
{
    coherent_bench *b = self;
    if (*b->p->rst) return;
    memory_sample(b);
    for (unsigned c = 0; c < 2; c++) cpu_sample(b, c), slaves_sample(b, c);
    ni_sample(b);
    table_sample(b);
    ck_must(!*b->p->overflow && !*b->p->underflow, "a queue of the memory: overflow %u underflow %u", *b->p->overflow,
            *b->p->underflow);
}

static void drive(void *self)
{
    coherent_bench *b = self;
    b->now++;
    memory_drive(b);
    for (unsigned c = 0; c < 2; c++) cpu_drive(b, c), slaves_drive(b, c);
    ni_drive(b);
    *b->p->rst = b->now < 4;
}

CLEANUP(observer_free);

coherent_bench *coherent_bench_new(const sim_config *config, uint64_t seed)
{
    coherent_bench *b = test_memory(sizeof *b);
    b->s = quiet_sim(seed);
    b->clock = make_clock(b->s, "clk", PERIOD, 0);
    b->p = MODEL_AS(coherent_memory_4, make_clocked(b->s, b->clock, config, "memory"), "");
    *b->p->rst = 1;
    b->latency = 12;
    b->ready_percent = 90;
    b->shares[0] = b->shares[1] = -1;
    for (unsigned i = 0; i < MEMORY_WORDS; i++) b->words[i] = sim_random(b->s);
    observer_pins pins = OBSERVER_PINS(b->p);
    b->o = observer_new(b->s, b->clock, &pins, peek, b->words);
    after_test(observer_free_cleanup, b->o);
    observer_quiet(b->o);
    sim_clock_attach(b->clock, sample, drive, b);
    coherent_bench_clocks(b, 80); /* reset and the sweep */
    return b;
}

void coherent_bench_clocks(coherent_bench *b, uint64_t clocks)
{
    const char *text;
    run_clocks(b->s, b->clock, clocks);
    if (observer_violation(b->o, &text)) ck_abort_msg("seed %llu: %s", (unsigned long long)sim_seed(b->s), text);
}

static int idle(const coherent_bench *b)
{
    return !b->shown && !b->reads_open && !b->cpu[0].shown && !b->cpu[0].waits && !b->cpu[1].shown && !b->cpu[1].waits;
}

void coherent_bench_run(coherent_bench *b, uint64_t accesses, uint64_t limit)
{
    uint64_t end = b->now + limit;
    while (b->accesses < accesses) {
        ck_assert_msg(b->now < end, "seed %llu: %llu accesses, expected %llu", (unsigned long long)sim_seed(b->s),
                      (unsigned long long)b->accesses, (unsigned long long)accesses);
        coherent_bench_clocks(b, 20);
    }
    b->next = NULL;
    b->next_request = NULL;
    for (end = b->now + 2000; !idle(b); coherent_bench_clocks(b, 1))
        ck_assert_msg(b->now < end, "seed %llu: not idle", (unsigned long long)sim_seed(b->s));
    coherent_bench_clocks(b, 100);
}

void coherent_bench_check(coherent_bench *b)
{
    const char *text;
    observer_check_memory(b->o);
    if (observer_violation(b->o, &text)) ck_abort_msg("%s", text);
}

/* ---- scripts ---- */

static plb_access script[2];
static int scripted[2];
static uint64_t script_loaded[2][4];

static int next_of_script(coherent_bench *b, unsigned c, plb_access *a)
{
    (void)b;
    if (!scripted[c]) return 0;
    scripted[c] = 0;
    *a = script[c];
    return 1;
}

static void script_done(coherent_bench *b, unsigned c, const plb_access *a, const uint64_t *loaded)
{
    (void)b, (void)a;
    memcpy(script_loaded[c], loaded, sizeof script_loaded[c]);
}

static void one(coherent_bench *b, unsigned c)
{
    uint64_t before = b->accesses, end = b->now + 2000;
    scripted[c] = 1;
    b->next = next_of_script;
    b->done = script_done;
    while (b->accesses == before) {
        ck_assert_msg(b->now < end, "processor %u, address %08x: no end", c, script[c].address);
        coherent_bench_clocks(b, 1);
    }
}

void make_access(coherent_bench *b, unsigned c, plb_access *a)
{
    script[c] = *a;
    one(b, c);
    memcpy(a->data, script_loaded[c], sizeof a->data);
}

uint32_t load(coherent_bench *b, unsigned c, uint32_t address)
{
    script[c] = (plb_access){.address = address, .be = address & 4 ? 0x0f : 0xf0};
    one(b, c);
    return (uint32_t)(address & 4 ? script_loaded[c][0] : script_loaded[c][0] >> 32);
}

void store(coherent_bench *b, unsigned c, uint32_t address, uint32_t value)
{
    script[c] = (plb_access){
        .address = address, .write = 1, .be = address & 4 ? 0x0f : 0xf0, .data = {value | (uint64_t)value << 32}};
    one(b, c);
}

static ni_request wanted;
static int wants;

static int next_wanted(coherent_bench *b, ni_request *r)
{
    (void)b;
    if (!wants) return 0;
    wants = 0;
    *r = wanted;
    return 1;
}

void request(coherent_bench *b, ni_request r)
{
    uint64_t before = b->requests, end = b->now + 2000;
    wanted = r;
    wants = 1;
    b->next_request = next_wanted;
    while (b->requests == before || b->reads_open) {
        ck_assert_msg(b->now < end, "%s of line %x: no end", observer_kind_name(r.kind), r.line);
        coherent_bench_clocks(b, 1);
    }
    coherent_bench_clocks(b, 16);
}
