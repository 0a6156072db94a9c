/* A crossbar between NICs in C; the manual is in the header. */
#include "switch_bench.h"
#include "simulation.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

unsigned switch_domain(const struct switch_bench *b, unsigned port)
{
    return b->setup.domain ? b->setup.domain >> port & 1 : port >= b->setup.ports / 2;
}

static void delivered(void *self, unsigned from, unsigned to, uint32_t number, unsigned length)
{
    struct switch_bench *b = self;
    sim_time at = b->stamp[from][to][number % PACKET_STAMPS].at, sop = b->group.nic[to]->sop_time;

    (void)length;
    if (b->only_alone && !b->group.nic[to]->sop_was_alone) return;
    if (!at || b->stamp[from][to][number % PACKET_STAMPS].number != number || sop < at) return;
    if (!b->measured || sop - at < b->shortest) b->shortest = sop - at;
    if (!b->measured || sop - at > b->longest) b->longest = sop - at;
    b->measured++;
}

static void drive_port(struct switch_bench *b, unsigned p, sim_time now)
{
    struct nic_side *n = b->group.nic[p];
    struct nic_character c[4];
    uint32_t data = 0;
    unsigned k = 0, not_in_table = 0;

    if (nic_transmit(n, c)) {
        unsigned to = n->next_flow;
        uint32_t number = n->out[to].sent - 1;
        b->stamp[p][to][number % PACKET_STAMPS].at = now;
        b->stamp[p][to][number % PACKET_STAMPS].number = number;
    }
    for (int i = 0; i < 4; i++) {
        data = data << 8 | c[i].byte;
        k = k << 1 | c[i].k;
        not_in_table = not_in_table << 1 | c[i].not_in_table;
    }
    if (b->unplugged[p]) {
        data = (uint32_t)sim_random(b->s);
        k = (unsigned)sim_random_below(b->s, 16);
        not_in_table = (unsigned)sim_random_below(b->s, 16);
    }
    sim_port_set_field(&b->p->gt_rx_data, 32 * p, 32, data);
    sim_port_set_field(&b->p->gt_rx_k, 4 * p, 4, k);
    sim_port_set_field(&b->p->gt_rx_notintable, 4 * p, 4, not_in_table);
    sim_port_set_field(&b->p->gt_rx_disperr, 4 * p, 4, 0);
    sim_port_set_field(&b->p->gt_rx_loss_of_sync, p, 1, b->unplugged[p] != 0);
    sim_port_set_field(&b->p->gt_rx_buf_status, 2 * p, 2, b->buffer_error[p] ? 2 : 0);
    sim_port_set_field(&b->p->gt_tx_buf_err, p, 1, 0);
    if (b->buffer_error[p]) b->buffer_error[p]--;
}

static void sample(void *self)
{
    struct switch_bench *b = ((struct switch_bench **)self)[0];
    unsigned domain = (unsigned)(self == (void *)&b->side[1]);

    /* the pins have had their values since the last edge */
    for (unsigned p = 0; p < b->setup.ports; p++)
        if (switch_domain(b, p) == domain && *b->m->rst_n)
            nic_receive(b->group.nic[p], b->side[domain].edge, (uint32_t)sim_port_field(&b->p->gt_tx_data, 32 * p, 32),
                        (uint8_t)sim_port_field(&b->p->gt_tx_k, 4 * p, 4));
}

static void drive(void *self)
{
    struct switch_bench *b = ((struct switch_bench **)self)[0];
    unsigned domain = (unsigned)(self == (void *)&b->side[1]);

    b->side[domain].edge = sim_now(b->s);
    for (unsigned p = 0; p < b->setup.ports; p++)
        if (switch_domain(b, p) == domain) drive_port(b, p, b->side[domain].edge);
}

static void no_complaint(const struct switch_bench *b)
{
    ck_assert_msg(b->expects_complaint || !b->group.complaints, "%u complaints, the first: %s", b->group.complaints,
                  b->group.first_complaint);
}

static void end_check(void *bench)
{
    struct switch_bench *b = bench;
    no_complaint(b);
    ck_assert_msg(!b->expects_complaint || b->group.complaints, "no complaint, but one was expected");
}

struct switch_bench *switch_bench_new(const struct switch_setup *setup)
{
    struct switch_bench *b = test_memory(sizeof *b);

    after_test(end_check, b);
    b->setup = *setup;
    if (!b->setup.longest) b->setup.longest = LONGEST_WORDS;
    b->s = loud_sim(0);
    sim_clock_params ca = {
        .name = "clk_a", .period = SWITCH_PERIOD, .ppm = setup->ppm_a, .jitter = setup->jitter, .phase = 0};
    sim_clock_params cb = {.name = "clk_b",
                           .period = SWITCH_PERIOD,
                           .ppm = setup->ppm_b,
                           .jitter = setup->jitter,
                           .phase = setup->phase_b};
    b->clk[0] = sim_clock_new(b->s, &ca);
    b->clk[1] = sim_clock_new(b->s, &cb);
    ck_assert(b->clk[0] && b->clk[1]);
    sim_model *model = make_model(b->s, setup->model, "crossbar");
    b->p = PORTS_AS(crossbar2, model);
    b->m = MODEL_AS(
        crossbar2, model,
        "gt_tx_data gt_tx_k gt_rx_data gt_rx_k gt_rx_notintable gt_rx_disperr gt_rx_loss_of_sync gt_rx_buf_status "
        "gt_tx_buf_err gt_loopback");
    sim_model_clock(model, b->clk[0], b->m->clk_a);
    sim_model_clock_buffered(model, b->clk[0], b->m->run_clk_a, b->m->run_a);
    sim_model_clock(model, b->clk[1], b->m->clk_b);
    sim_model_clock_buffered(model, b->clk[1], b->m->run_clk_b, b->m->run_b);
    b->group.s = b->s;
    b->group.delivered = delivered;
    b->group.self = b;
    b->group.nics = setup->ports;
    for (unsigned i = 0; i < setup->ports; i++) b->group.nic[i] = nic_side_new(&b->group, i);
    *b->m->rst_n = 0;
    *b->m->mon_valid = *b->m->mon_we = 0;
    *b->m->mon_addr = 0;
    *b->m->mon_wdata = 0;
    for (unsigned d = 0; d < 2; d++) {
        b->side[d].bench = b;
        b->side[d].domain = d;
        sim_clock_attach(b->clk[d], sample, drive, &b->side[d]);
    }
    for (unsigned i = 0; i < setup->ports; i++) b->unplugged[i] = setup->away >> i & 1;
    b->group.losses_allowed = setup->away != 0;
    switch_bench_run(b, 10);
    *b->m->rst_n = 1;
    switch_bench_run(b, 1200 + 40 * setup->ports);
    for (unsigned i = 0; i < setup->ports; i++)
        for (unsigned j = 0; j < setup->ports; j++)
            ck_assert_msg(b->unplugged[i] || b->group.nic[i]->out[j].credit_seen, "NIC %u has no credit for output %u",
                          i, j);
    return b;
}

void switch_bench_run(struct switch_bench *b, unsigned clocks)
{
    int result = sim_run(b->s, sim_now(b->s) + (sim_time)clocks * SWITCH_PERIOD);

    ck_assert_msg(result == SIM_TIME_LIMIT, "the run ended with %s: %s", sim_result_name(result), sim_error(b->s));
    no_complaint(b);
}

void switch_bench_run_loaded(struct switch_bench *b, unsigned clocks)
{
    for (unsigned done = 0; done < clocks; done += 500) {
        for (unsigned p = 0; p < b->setup.ports; p++)
            while (nic_waiting(b->group.nic[p]) < 40)
                nic_send(b->group.nic[p], (unsigned)sim_random_below(b->s, b->setup.ports),
                         1 + (unsigned)sim_random_below(b->s, sim_random_below(b->s, 2) ? 8 : b->setup.longest));
        switch_bench_run(b, 500);
    }
}

void switch_bench_send_all(struct switch_bench *b, unsigned count)
{
    for (unsigned p = 0; p < b->setup.ports; p++)
        for (unsigned i = 0; i < count; i++) nic_send(b->group.nic[p], i % b->setup.ports, 1 + i % b->setup.longest);
}

void switch_bench_sent(struct switch_bench *b)
{
    unsigned waiting = 1;

    for (int i = 0; i < 10000 && waiting; i++) {
        waiting = 0;
        switch_bench_run(b, 100);
        for (unsigned p = 0; p < b->setup.ports; p++) waiting += b->unplugged[p] ? 0 : nic_waiting(b->group.nic[p]);
    }
    ck_assert_uint_eq(waiting, 0);
}

void switch_bench_drain(struct switch_bench *b)
{
    switch_bench_sent(b);
    switch_bench_run(b, 3000 + (b->group.losses_allowed ? 2200 * (b->setup.ports + 2) : 600 * b->setup.ports));
    for (unsigned n = 0; n < b->setup.ports; n++)
        if (!b->unplugged[n]) nic_check_settled(b->group.nic[n]);
    switch_bench_run(b, 1);
}

uint64_t switch_bench_good(const struct switch_bench *b)
{
    uint64_t good = 0;

    for (unsigned i = 0; i < b->setup.ports; i++)
        for (unsigned j = 0; j < b->setup.ports; j++) good += b->group.nic[i]->in[j].good;
    return good;
}

void switch_bench_write(struct switch_bench *b, unsigned p, unsigned address, uint32_t value)
{
    *b->m->mon_valid = *b->m->mon_we = 1;
    *b->m->mon_addr = (uint16_t)((address + 0x400 * p) >> 2);
    *b->m->mon_wdata = value;
    switch_bench_run(b, 1);
    for (int i = 0; !*b->m->mon_ready && i < 1000; i++) switch_bench_run(b, 1);
    *b->m->mon_valid = *b->m->mon_we = 0;
    switch_bench_run(b, 200);
}

uint32_t switch_bench_read(struct switch_bench *b, unsigned p, unsigned address)
{
    *b->m->mon_valid = 1;
    *b->m->mon_we = 0;
    *b->m->mon_addr = (uint16_t)((address + 0x400 * p) >> 2);
    for (int i = 0; !*b->m->mon_ready && i < 1000; i++) switch_bench_run(b, 1);
    switch_bench_run(b, 1);
    *b->m->mon_valid = 0;
    for (int i = 0; !*b->m->mon_rvalid && i < 1000; i++) switch_bench_run(b, 1);
    return *b->m->mon_rdata;
}
