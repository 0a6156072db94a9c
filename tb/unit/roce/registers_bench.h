/* Bench for the registers of the RoCE chip: the software's port, and the modules behind the registers. */
#ifndef TB_REGISTERS_BENCH_H
#define TB_REGISTERS_BENCH_H

#include <string.h>

#include "roce_register_map.h"
#include "roce_registers_128.h"
#include "roce_registers_8.h"
#include "simulation.h"

enum { BUSY = 1 << 12 /* of STATQP */, PERIOD = 10 * SIM_NS, QP_BYTES = 0x100, FIRST_QP = 0x200 };

static const struct {
    const sim_config *config;
    unsigned qps;
} kinds[] = {{&roce_registers_8_config, 8}, {&roce_registers_128_config, 128}};

static sim *s;
static sim_clock *clk;
static roce_registers_8 *m;
static unsigned qps;

/* ---- behind the module: registers of two other modules, and the writes sent to them */
static uint32_t kept[2][128][64];
static unsigned starts[2][128], answer_after;
static struct {
    unsigned qp, index;
} doorbell[64];
static unsigned doorbells, countdown;
static uint8_t switched[128]; /* on, by qp_switch */

static inline void owner(int who, uint8_t valid, uint8_t *ready, uint32_t *rdata)
{
    int answer = valid && !countdown && !*ready;
    *ready = (uint8_t)answer;
    if (!answer) return;
    if (*m->own_start) starts[who][*m->own_qp]++;
    else if (*m->own_write) kept[who][*m->own_qp][*m->own_word] = *m->own_wdata;
    *rdata = kept[who][*m->own_qp][*m->own_word];
}

static inline void look(void *self)
{
    (void)self;
    if (*m->sq_valid && doorbells < COUNT(doorbell)) {
        doorbell[doorbells].qp = *m->sq_qp;
        doorbell[doorbells++].index = *m->sq_pi;
    }
    if (*m->qp_switch >> 8) switched[*m->qp_switch & 127] = *m->qp_switch >> 7 & 1;
}

/* The first 64 QPs that are enabled, a bit each. */
static inline uint64_t enabled(void)
{
    uint64_t on = 0;
    for (unsigned qp = 0; qp < 64 && qp < *m->qp_limit; qp++) on |= (uint64_t)switched[qp] << qp;
    return on;
}

static inline void drive(void *self)
{
    (void)self;
    static int asked; /* TX may have packets of a QP's former life: to it the QP is off until the start is done */
    if (*m->own_start && asked)
        ck_must(!(*m->tx_cfg_data & 1), "QP %u is enabled for TX before it has started", *m->own_qp);
    if ((asked = *m->own_start)) *m->tx_cfg_addr = (uint16_t)(*m->own_qp << 4);
    if (!*m->rx_own_valid && !*m->rq_own_valid) countdown = answer_after;
    else if (countdown) countdown--;
    if (*m->own_start && *m->rq_own_valid)
        ck_must(starts[0][*m->own_qp] > starts[1][*m->own_qp],
                "QP %u starts in the requester before it has in the receiver", *m->own_qp);
    owner(0, *m->rx_own_valid, m->rx_own_ready, m->rx_own_rdata);
    owner(1, *m->rq_own_valid, m->rq_own_ready, m->rq_own_rdata);
}

static inline void bench_new(int kind)
{
    qps = kinds[kind].qps;
    memset(kept, 0, sizeof kept);
    memset(starts, 0, sizeof starts);
    memset(switched, 1, sizeof switched); /* the reset switches each one off */
    doorbells = 0;
    answer_after = 3;
    s = loud_sim(0);
    clk = make_clock(s, "clk", PERIOD, PERIOD / 2);
    sim_model *model = make_clocked(s, clk, kinds[kind].config, "dut");
    m = MODEL_AS(roce_registers_8, model, NULL);
    sim_clock_attach(clk, look, drive, NULL);
    *m->rst = 1;
    run_clocks(s, clk, 3);
    *m->rst = 0;
    *m->lite_bready = *m->lite_rready = 1;
}

static inline void clock_once(void) { run_clocks(s, clk, 1); }

/* Runs until *pin is 1 at an edge, which takes the value. */
static inline void until(const uint8_t *pin)
{
    for (int i = 0; i < 5000; i++) {
        sim_model_eval(m->model);
        int now = *pin;
        clock_once();
        if (now) return;
    }
    ck_abort_msg("nothing came in 5000 clocks");
}

static inline void write_bytes(uint32_t addr, uint32_t data, unsigned strobes)
{
    *m->lite_awaddr = (uint16_t)addr;
    *m->lite_wdata = data;
    *m->lite_wstrb = (uint8_t)strobes;
    *m->lite_awvalid = *m->lite_wvalid = 1;
    until(m->lite_awready);
    *m->lite_awvalid = *m->lite_wvalid = 0;
    until(m->lite_bvalid);
}

static inline void write32(uint32_t addr, uint32_t data) { write_bytes(addr, data, 15); }

static inline uint32_t read32(uint32_t addr)
{
    *m->lite_araddr = (uint16_t)addr;
    *m->lite_arvalid = 1;
    until(m->lite_arready);
    *m->lite_arvalid = 0;
    for (int i = 0; !*m->lite_rvalid; i++) {
        ck_assert_int_lt(i, 100);
        clock_once();
    }
    uint32_t data = *m->lite_rdata;
    clock_once();
    return data;
}

static inline uint32_t qp_register(unsigned qp, uint32_t offset) { return offset + QP_BYTES * (qp - 1); }

static inline void enable(unsigned qp)
{
    write32(qp_register(qp, ROCE_QDEPTH), 8u << 16 | 16);
    write32(qp_register(qp, ROCE_QPCONF), 1);
}

/* ... and it has started. */
static inline void enable_all_the_way(unsigned qp)
{
    enable(qp);
    for (int i = 0; !switched[qp - 1]; i++) {
        ck_must(i < 500, "QP %u does not start", qp);
        clock_once();
    }
    run_clocks(s, clk, 4);
}

static inline unsigned errors(int doorbells_too)
{
    uint32_t count = read32(ROCE_ACCESSERRCNT);
    return doorbells_too ? count >> 16 : count & 0xffff;
}

#endif
