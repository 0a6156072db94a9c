#include "monitoring_bench.h"

#include <string.h>

#include "monitoring_2byte.h"
#include "monitoring_2columns.h"
#include "monitoring_2packet.h"
#include "monitoring_4byte.h"
#include "monitoring_4packet.h"
#include "simulation.h"

enum { PCI_PERIOD = 10 * SIM_NS, NET_PERIOD = 12800, EOP = 2, BAD_BODY = 0x10, DESKEW = 5 };

const monitoring_kind monitoring_kinds[KINDS] = {
    {&monitoring_config, 3, 1, 1},         {&monitoring_2columns_config, 2, 1, 1},
    {&monitoring_2packet_config, 3, 2, 1}, {&monitoring_4packet_config, 3, 4, 1},
    {&monitoring_2byte_config, 3, 1, 2},   {&monitoring_4byte_config, 3, 1, 4}};
/* Vectors over links or words. */
#define OF_LINKS "h2n_out_valid h2n_out_pop h2n_out_data n2h_in_valid n2h_in_data raw stored sop"
#define GET(port) ((unsigned)sim_port_field(&b->ports->port, 0, b->words))
#define SET(port, value) sim_port_set_field(&b->ports->port, 0, b->words, value)

static int rarely(monitoring_bench *b, unsigned one_in) { return !sim_random_below(b->s, one_in); }

static void log_entry(point_log *p, uint64_t clock, uint64_t data, unsigned flags)
{
    ck_must(p->words < LOG, "the log is full");
    p->word[p->words++] = (seen){clock, data, (uint8_t)(flags | (unsigned)p->held << 3)};
    p->held = 0;
}

/* Word `at` of the port, of that link. */
static void log_word(point_log *p, uint64_t clock, const sim_port *data, unsigned at, unsigned link, int passed,
                     int refused)
{
    unsigned marks = (unsigned)sim_port_field(data, 68 * at + 66, 2),
             ends = (unsigned)sim_port_field(data, 68 * at + 64, 2);
    if (passed || refused)
        log_entry(p, clock, sim_port_field(data, 68 * at, 64),
                  link << 6 | marks << 4 | (unsigned)refused << 3 | (unsigned)passed << 2 | ends);
}

static void log_event(point_log *p, uint64_t clock, unsigned kind, uint32_t data)
{
    ck_must(p->events < LOG, "the log is full");
    p->event[p->events++] = (seen){clock, data, (uint8_t)(kind << 4)};
}

static void look_at_pci(void *self)
{
    monitoring_bench *b = self;
    uint64_t n = sim_clock_cycles(b->pci);
    int in = *b->m->h2n_in_valid, full = *b->m->h2n_in_full, there = *b->m->n2h_out_valid, pop = *b->m->n2h_out_pop;
    if (*b->m->pci_rst) return;
    ck_must(n < LOG, "the log of clocks is full");
    unsigned to = *b->m->h2n_in_link, from = *b->m->n2h_out_link;
    point_log *p = &b->point[N2H_OUT];
    log_word(&b->point[H2N_IN], n, &b->ports->h2n_in_data, 0, to, in && !full, in && full);
    if (*b->m->stalled || full) b->point[H2N_IN].held = 1;
    /* a bad body is known two clocks behind its last word: of the words since then at most two were logged */
    if (b->kind->links > 1 && *b->m->n2h_out_bad && b->body_ends & 2)
        for (unsigned i = p->words; i--;)
            if (p->word[i].clock + 2 == n) {
                p->word[i].flags |= BAD_BODY;
                break;
            }
    log_word(p, n, &b->ports->n2h_out_data, 0, from, there && pop, !there && pop);
    if (there && !pop) p->held = 1;
    b->body_ends = b->body_ends << 1 | (pop && sim_port_field(&b->ports->n2h_out_data, 65, 1));
    b->now.out[to] += (unsigned)in;
    b->now.in[from] += (unsigned)(there && pop);
    b->now.stalled += *b->m->stalled;
    b->now.dma = *b->m->dma;
    b->clock[n] = b->now;
}

/* Two words of a frame are an entry, which waits for what follows. */
static void look_at_raw(monitoring_bench *b, uint64_t n)
{
    monitoring *m = b->m;
    point_log *p = &b->point[RAW];
    unsigned link = *m->net_link, lsb = 36 * link, kinds = (unsigned)sim_port_field(&b->ports->raw, lsb + 32, 4);
    int valid = kinds & 1, sop = (kinds & 2) != 0, k = (kinds & 4) != 0, word = valid && !sop && !k,
        ends = sop || !valid || (k && !sop);
    uint32_t data = (uint32_t)sim_port_field(&b->ports->raw, lsb, 32);
    if (b->raw.count && (ends || (word && b->raw.count == 2))) {
        log_entry(p, n, b->raw.pair,
                  link << 6 | b->raw.error << 5 | (b->raw.count == 1) << 4 | 4u | (unsigned)ends << 1 | b->raw.first);
        b->raw.first = b->raw.error = b->raw.count = 0;
    }
    if (ends) b->raw.count = b->raw.error = 0;
    if (sop) b->raw.first = 1;
    if (word) {
        b->raw.pair = b->raw.count++ ? b->raw.pair | data : (uint64_t)data << 32;
        b->raw.error |= kinds >> 3;
    }
    uint32_t news = (uint32_t)sim_port_field(&b->ports->raw, 36 * b->kind->bundle, 2) << 16 | *m->waits;
    if (news >> 17 || (news ^ b->raw.news) & 0x1ffff) log_event(p, n, DESKEW, news);
    b->raw.news = news;
}

static void look_at_net(void *self)
{
    monitoring_bench *b = self;
    monitoring *m = b->m;
    uint64_t n = sim_clock_cycles(b->net);
    if (*m->net_rst) return;
    unsigned link = b->kind->links > 1 ? *m->net_link : 0;
    for (unsigned i = 0; i < b->words; i++) {
        int there = GET(h2n_out_valid) >> i & 1, pop = GET(h2n_out_pop) >> i & 1, comes = GET(n2h_in_valid) >> i & 1;
        log_word(&b->point[H2N_OUT], n, &b->ports->h2n_out_data, i, link, there && pop, !there && pop);
        log_word(&b->point[N2H_IN], n, &b->ports->n2h_in_data, i, link, comes && !*m->n2h_in_full,
                 comes && *m->n2h_in_full);
    }
    if (*m->h2n_out_held) b->point[H2N_OUT].held = 1;
    if (*m->n2h_in_full) b->point[N2H_IN].held = 1;
    if (b->kind->bundle > 1) look_at_raw(b, n);
    /* by byte a credit comes once from each link: copies in a row are one */
    int came = *m->credit_accepted || *m->credit_rejected;
    uint32_t credit = (uint32_t)*m->credit_rejected << 14 | (uint32_t)*m->credit_lane << 7 | *m->credit_value;
    int copy = b->kind->bundle > 1 && b->credit_before == (credit | 1u << 31);
    b->credit_before = came ? credit | 1u << 31 : 0;
    if (came && !copy)
        log_event(&b->point[H2N_OUT], n, *m->credit_rejected ? 2 : 1,
                  (uint32_t)*m->credit_lane << 24 | (uint32_t)*m->credit_value << 16 | *m->credit_units);
    if (*m->credit_sent) log_event(&b->point[N2H_IN], n, 3, (uint32_t)*m->rx_units << 16 | *m->rx_forwarded);
}

static void random_word(monitoring_bench *b, const sim_port *data, unsigned at)
{
    sim_port_set_field(data, 68 * at, 64, sim_random(b->s));
    sim_port_set_field(data, 68 * at + 64, 4, sim_random_below(b->s, 16));
}

static void drive_pci(void *self)
{
    monitoring_bench *b = self;
    monitoring *m = b->m;
    *m->h2n_in_valid = sim_random_below(b->s, 8) < b->busy;
    *m->h2n_in_full = (uint8_t)rarely(b, 30);
    *m->n2h_out_valid = sim_random_below(b->s, 8) < b->busy;
    *m->n2h_out_pop = *m->n2h_out_valid ? sim_random_below(b->s, 8) < 6 : rarely(b, 100);
    *m->stalled = (uint8_t)rarely(b, 3);
    *m->dma = (uint8_t)rarely(b, 20);
    *m->h2n_in_link = (uint8_t)sim_random_below(b->s, b->kind->links);
    *m->n2h_out_link = (uint8_t)sim_random_below(b->s, b->kind->links);
    *m->n2h_out_bad = (uint8_t)rarely(b, 3);
    random_word(b, &b->ports->h2n_in_data, 0);
    random_word(b, &b->ports->n2h_out_data, 0);
}

/* 0, 1 or 2 words in a clock; one link has one every other clock. */
static uint8_t some_words(monitoring_bench *b)
{
    if (b->words == 1) return sim_random_below(b->s, 8) < b->busy;
    return (uint8_t)(sim_random_below(b->s, 8) < b->busy ? 1 + 2 * sim_random_below(b->s, 2) : 0);
}

/* Frames of up to 40 words, idle words between them, a clock without data now and then; other links have others. */
static void drive_raw(monitoring_bench *b)
{
    monitoring *m = b->m;
    for (unsigned l = 0; l < b->kind->bundle; l++) {
        unsigned lsb = 36 * l, kinds = 5; /* idle */
        if (l == *m->net_link) {
            if (b->raw.left) kinds = rarely(b, 50) ? 0 : 1u | (unsigned)rarely(b, 20) << 3;
            else if (sim_random_below(b->s, 8) < b->busy) kinds = 7;
            if (kinds == 7) b->raw.left = 1 + (unsigned)sim_random_below(b->s, 40);
            else if (kinds & 1 && b->raw.left) b->raw.left--;
        } else {
            kinds = (unsigned)sim_random_below(b->s, 16);
        }
        sim_port_set_field(&b->ports->raw, lsb, 32, sim_random(b->s) & 0xffffffff);
        sim_port_set_field(&b->ports->raw, lsb + 32, 4, kinds);
    }
    int changes = rarely(b, 30);
    if (changes) *m->waits = (uint16_t)sim_random(b->s);
    if (changes) sim_port_set_field(&b->ports->raw, 36 * b->kind->bundle, 1, rarely(b, 2));
    sim_port_set_field(&b->ports->raw, 36 * b->kind->bundle + 1, 1, changes && rarely(b, 2));
}

/* As on a link: a word every other clock at most, and a credit word, two credits, every fourth. */
static void drive_net(void *self)
{
    monitoring_bench *b = self;
    monitoring *m = b->m;
    uint64_t n = sim_clock_cycles(b->net);
    int due = n % 2 || b->kind->bundle > 1;
    unsigned there = due ? some_words(b) : 0, pop = sim_random_below(b->s, 8) < 6 ? there : there >> 1;
    if (rarely(b, 100)) pop = b->words == 2 && rarely(b, 2) ? 3 : 1; /* also of an empty FIFO */
    SET(h2n_out_valid, there);
    SET(h2n_out_pop, pop);
    *m->h2n_out_held = (uint8_t)rarely(b, 5);
    SET(n2h_in_valid, due ? some_words(b) : 0);
    *m->n2h_in_full = (uint8_t)rarely(b, 50);
    *m->credit_accepted = n % 8 < 2 && rarely(b, 2);
    *m->credit_rejected = !*m->credit_accepted && n % 8 < 2 && rarely(b, 8);
    *m->credit_sent = n % 8 == 4 && rarely(b, 2);
    if (b->kind->bundle == 1 || !rarely(b, 3)) *m->credit_lane = (uint8_t)sim_random_below(b->s, 128);
    if (b->kind->bundle == 1 || !rarely(b, 3)) *m->credit_value = (uint8_t)sim_random_below(b->s, 128);
    *m->credit_units = (uint16_t)sim_random_below(b->s, 4096);
    *m->rx_units = (uint16_t)sim_random_below(b->s, 4096);
    *m->rx_forwarded = (uint16_t)sim_random_below(b->s, 4096);
    for (unsigned i = 0; i < b->words; i++) {
        random_word(b, &b->ports->h2n_out_data, i);
        random_word(b, &b->ports->n2h_in_data, i);
    }
    if (b->kind->bundle > 1) drive_raw(b);
}

monitoring_bench *monitoring_bench_new(const monitoring_kind *kind)
{
    monitoring_bench *b = test_memory(sizeof *b);
    b->kind = kind;
    b->points = kind->bundle > 1 ? POINTS : POINTS - 1;
    b->words = kind->bundle == 4 ? 2 : 1;
    b->s = loud_sim(0);
    b->pci = make_clock(b->s, "pci", PCI_PERIOD, -1);
    b->net = make_clock(b->s, "net", NET_PERIOD, -1);
    b->busy = 4;
    sim_model *model = make_model(b->s, kind->config, "monitoring");
    b->m = MODEL_AS(monitoring, model, OF_LINKS);
    b->ports = PORTS_AS(monitoring, model);
    clear_inputs(model);
    sim_model_clock(model, b->pci, b->m->pci_clk);
    sim_model_clock(model, b->pci, b->m->pci_run_clk);
    sim_model_clock(model, b->net, b->m->net_clk);
    sim_model_clock(model, b->net, b->m->net_run_clk);
    *b->m->pci_rst = *b->m->net_rst = 1;
    sim_clock_attach(b->pci, look_at_pci, drive_pci, b);
    sim_clock_attach(b->net, look_at_net, drive_net, b);
    monitoring_bench_step(b, 8);
    *b->m->pci_rst = *b->m->net_rst = 0;
    monitoring_bench_step(b, 8);
    return b;
}

void monitoring_bench_step(monitoring_bench *b, unsigned pci_clocks) { run_clocks(b->s, b->pci, pci_clocks); }

uint64_t monitoring_bench_write(monitoring_bench *b, unsigned offset, uint32_t value)
{
    int high = offset % 8 != 0;
    *b->m->wr_valid = 1;
    *b->m->wr_addr = (uint16_t)(offset / 8);
    *b->m->wr_data = high ? (uint64_t)value << 32 | ~value : (uint64_t)~value << 32 | value;
    *b->m->wr_be = high ? 0xf0 : 0x0f;
    monitoring_bench_step(b, 1);
    *b->m->wr_valid = 0;
    *b->m->wr_data = sim_random(b->s);
    monitoring_bench_step(b, 1);
    return sim_clock_cycles(b->pci);
}

/* The registers are in the vector in the order of the map, their fields one after the other. */
uint32_t monitoring_bench_read(monitoring_bench *b, unsigned offset)
{
    uint32_t value = 0;
    unsigned lsb = 0;
    for (unsigned i = 0; i < NIC_REGISTER_TABLE_COUNT; i++) {
        const struct nic_register *r = &nic_registers[i];
        unsigned fields = 0;
        if (r->offset < NIC_SAMPLE_INTERVAL || r->offset > NIC_MONITORING) continue;
        for (unsigned f = 0; f < NIC_FIELD_TABLE_COUNT; f++) {
            const struct nic_field *at = &nic_fields[f];
            if (at->offset != r->offset) continue;
            fields++;
            if (r->offset == offset)
                value |= (uint32_t)sim_port_field(&b->ports->shown, lsb, at->msb - at->lsb + 1) << at->lsb;
            lsb += at->msb - at->lsb + 1;
        }
        if (!fields && r->offset == offset) value = (uint32_t)sim_port_field(&b->ports->shown, lsb, 32);
        if (!fields) lsb += 32;
    }
    ck_assert_uint_eq(lsb, NIC_MONITORING_BITS);
    return value;
}

seen monitoring_bench_entry(monitoring_bench *b, unsigned point, unsigned entry)
{
    monitoring_bench_write(b, NIC_TRACE_INDEX, point << NIC_TRACE_INDEX_POINT_SHIFT | entry);
    monitoring_bench_step(b, 1);
    return (seen){.data = (uint64_t)monitoring_bench_read(b, NIC_TRACE_DATA_HIGH) << 32 |
                          monitoring_bench_read(b, NIC_TRACE_DATA_LOW),
                  .flags = (uint8_t)monitoring_bench_read(b, NIC_TRACE_FLAGS)};
}
