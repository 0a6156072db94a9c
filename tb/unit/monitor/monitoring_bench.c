#include "monitoring_bench.h"

#include <string.h>

#include "monitoring_2columns.h"
#include "simulation.h"

enum { PCI_PERIOD = 10 * SIM_NS, NET_PERIOD = 12800 };

static int rarely(monitoring_bench *b, unsigned one_in) { return !sim_random_below(b->s, one_in); }

static void log_word(point_log *p, uint64_t clock, const sim_port *data, int passed, int refused, int held)
{
    if (passed || refused) {
        ck_must(p->words < LOG, "the log is full");
        unsigned marks = (unsigned)sim_port_field(data, 66, 2), ends = (unsigned)sim_port_field(data, 64, 2);
        p->word[p->words++] =
            (seen){clock, sim_port_field(data, 0, 64),
                   (uint8_t)(marks << 4 | (unsigned)(refused || p->held) << 3 | (unsigned)passed << 2 | ends)};
        p->held = 0;
    }
    if (held) p->held = 1;
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
    log_word(&b->point[H2N_IN], n, &b->ports->h2n_in_data, in && !full, in && full, *b->m->stalled || full);
    log_word(&b->point[N2H_OUT], n, &b->ports->n2h_out_data, there && pop, !there && pop, there && !pop);
    b->out += (unsigned)in;
    b->in += (unsigned)(there && pop);
    b->stalled += *b->m->stalled;
    b->clock[n].out = b->out;
    b->clock[n].in = b->in;
    b->clock[n].stalled = b->stalled;
    b->clock[n].dma = *b->m->dma;
}

static void look_at_net(void *self)
{
    monitoring_bench *b = self;
    monitoring *m = b->m;
    uint64_t n = sim_clock_cycles(b->net);
    if (*m->net_rst) return;
    log_word(&b->point[H2N_OUT], n, &b->ports->h2n_out_data, *m->h2n_out_valid && *m->h2n_out_pop,
             !*m->h2n_out_valid && *m->h2n_out_pop, *m->h2n_out_held);
    log_word(&b->point[N2H_IN], n, &b->ports->n2h_in_data, *m->n2h_in_valid && !*m->n2h_in_full,
             *m->n2h_in_valid && *m->n2h_in_full, *m->n2h_in_full);
    if (*m->credit_accepted || *m->credit_rejected)
        log_event(&b->point[H2N_OUT], n, *m->credit_rejected ? 2 : 1,
                  (uint32_t)*m->credit_lane << 24 | (uint32_t)*m->credit_value << 16 | *m->credit_units);
    if (*m->credit_sent) log_event(&b->point[N2H_IN], n, 3, (uint32_t)*m->rx_units << 16 | *m->rx_forwarded);
}

static void random_word(monitoring_bench *b, const sim_port *data)
{
    sim_port_set_field(data, 0, 64, sim_random(b->s));
    sim_port_set_field(data, 64, 4, sim_random_below(b->s, 16));
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
    random_word(b, &b->ports->h2n_in_data);
    random_word(b, &b->ports->n2h_out_data);
}

/* As on a link: a word every other clock at most, and a credit word, two credits, every fourth. */
static void drive_net(void *self)
{
    monitoring_bench *b = self;
    monitoring *m = b->m;
    uint64_t n = sim_clock_cycles(b->net);
    *m->h2n_out_valid = n % 2 && sim_random_below(b->s, 8) < b->busy;
    *m->h2n_out_pop = *m->h2n_out_valid ? sim_random_below(b->s, 8) < 6 : rarely(b, 100);
    *m->h2n_out_held = (uint8_t)rarely(b, 5);
    *m->n2h_in_valid = n % 2 && sim_random_below(b->s, 8) < b->busy;
    *m->n2h_in_full = (uint8_t)rarely(b, 50);
    *m->credit_accepted = n % 8 < 2 && rarely(b, 2);
    *m->credit_rejected = !*m->credit_accepted && n % 8 < 2 && rarely(b, 8);
    *m->credit_sent = n % 8 == 4 && rarely(b, 2);
    *m->credit_lane = (uint8_t)sim_random_below(b->s, 128);
    *m->credit_value = (uint8_t)sim_random_below(b->s, 128);
    *m->credit_units = (uint16_t)sim_random_below(b->s, 4096);
    *m->rx_units = (uint16_t)sim_random_below(b->s, 4096);
    *m->rx_forwarded = (uint16_t)sim_random_below(b->s, 4096);
    random_word(b, &b->ports->h2n_out_data);
    random_word(b, &b->ports->n2h_in_data);
}

monitoring_bench *monitoring_bench_new(int columns)
{
    monitoring_bench *b = test_memory(sizeof *b);
    b->s = loud_sim(0);
    b->pci = make_clock(b->s, "pci", PCI_PERIOD, -1);
    b->net = make_clock(b->s, "net", NET_PERIOD, -1);
    b->busy = 4;
    sim_model *model = make_model(b->s, columns == 3 ? &monitoring_config : &monitoring_2columns_config, "monitoring");
    b->m = MODEL_AS(monitoring, model, NULL);
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
