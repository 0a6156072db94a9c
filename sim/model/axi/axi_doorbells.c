/* See axi_doorbells.h. */
#include "sim/model/axi/axi_doorbells.h"

#include <stdlib.h>

/* Doorbells of the chip, and those of the application: VALID, READY, address, value. */
static const char *const shown_names[2][4] = {{"rx_pkt_hndler_o_rq_db_data_valid", "rx_pkt_hndler_i_rq_db_rdy",
                                               "rx_pkt_hndler_o_rq_db_addr", "rx_pkt_hndler_o_rq_db_data"},
                                              {"resp_hndler_o_send_cq_db_cnt_valid", "resp_hndler_i_send_cq_db_rdy",
                                               "resp_hndler_o_send_cq_db_addr", "resp_hndler_o_send_cq_db_cnt"}};
static const char *const posted_names[2][4] = {
    {"i_qp_sq_pidb_wr_valid_hndshk", "o_qp_sq_pidb_wr_rdy", "i_qp_sq_pidb_wr_addr_hndshk", "i_qp_sq_pidb_hndshk"},
    {"i_qp_rq_cidb_wr_valid_hndshk", "o_qp_rq_cidb_wr_rdy", "i_qp_rq_cidb_wr_addr_hndshk", "i_qp_rq_cidb_hndshk"}};
enum { VALID, READY, ADDRESS, VALUE, PINS };

static const axi_rule held[2] = {
    {"RQ_DOORBELL_HELD", "chip", "table 2-5", "a doorbell of a receive queue goes or changes before it is taken"},
    {"CQ_DOORBELL_HELD", "chip", "table 2-5", "a doorbell of a completion queue goes or changes before it is taken"}};
static const axi_rule in_reset = {"DOORBELL_RESET", "chip", "table 2-5",
                                  "a doorbell in reset, or in the first clock after it"};
static const axi_rule bad_address = {"DOORBELL_ADDRESS", "chip", "table 2-5",
                                     "the address of a doorbell is not 4 times a QP number less 1"};

/* Where SQPI and RQCI of a QP stand (rtl/roce/registers.map). */
static uint32_t register_of(axi_doorbell kind, unsigned qp)
{
    return (kind == AXI_SQPI ? 0x238u : 0x234u) + 0x100u * (qp - 1);
}

struct posted {
    const sim_port *pin[PINS];
    struct {
        uint8_t qp;
        uint16_t index;
    } waiting[AXI_DOORBELLS_WAITING];
    unsigned first, count;
    bool taken;
    uint64_t from; /* clock from which the next one may be shown */
};

struct axi_doorbells {
    axi_checker checker;
    axi_doorbells_params params;
    const sim_port *rst;
    struct {
        const sim_port *pin[PINS];
        axi_channel channel;
        bool taken;
        unsigned qp;
        uint32_t index;
    } shown[2];
    struct posted posted[2];
    const axi_cpu *cpu; /* NULL: none that shares the thread */
    axi_on_doorbell listener[2];
    void *self;
    uint64_t now;
    axi_doorbells_stats stats;
};

static void sample(void *self)
{
    axi_doorbells *d = self;
    bool reset = d->rst && sim_port_get(d->rst);
    for (int i = 0; i < 2; i++) {
        const sim_port *const *pin = d->shown[i].pin;
        unsigned happens = axi_channel_look(&d->shown[i].channel, &d->checker, reset, &held[i], &in_reset);
        d->shown[i].taken = (happens & AXI_TAKEN) != 0;
        if (happens) {
            uint64_t address = sim_port_get(pin[ADDRESS]);
            d->shown[i].qp = (unsigned)(address / 4 + 1);
            d->shown[i].index = (uint32_t)sim_port_get(pin[VALUE]);
            if ((happens & AXI_SHOWN) && address % 4)
                axi_break(&d->checker, &bad_address, "0x%llx", (unsigned long long)address);
        }
        d->posted[i].taken = !reset && axi_bit(d->posted[i].pin[VALID]) && axi_bit(d->posted[i].pin[READY]);
    }
}

static void drive_posted(axi_doorbells *d, axi_doorbell kind)
{
    struct posted *p = &d->posted[kind];
    if (p->taken) {
        p->first = (p->first + 1) % AXI_DOORBELLS_WAITING;
        p->count--;
        p->from = d->now + (d->params.gap ? sim_random_below(d->checker.s, d->params.gap + 1) : 0);
        d->stats.posted[kind]++;
    }
    bool show = p->count && d->now >= p->from && !(d->rst && sim_port_get(d->rst));
    axi_set_bit(p->pin[VALID], show);
    if (!show) return;
    sim_port_set(p->pin[ADDRESS], register_of(kind, p->waiting[p->first].qp));
    sim_port_set(p->pin[VALUE], p->waiting[p->first].index);
}

/* A single thread does something else. */
static bool occupied(const axi_doorbells *d)
{
    return d->params.serial && (!axi_doorbells_idle(d) || (d->cpu && axi_cpu_busy(d->cpu)));
}

static void drive(void *self)
{
    axi_doorbells *d = self;
    d->now++;
    for (int i = 0; i < 2; i++) {
        if (d->shown[i].taken) {
            (*(i ? &d->stats.completed : &d->stats.received))++;
            if (d->listener[i]) d->listener[i](d->self, d->shown[i].qp, d->shown[i].index);
        }
        axi_set_bit(d->shown[i].pin[READY], !sim_chance(d->checker.s, d->params.stall) && !occupied(d));
        drive_posted(d, (axi_doorbell)i);
    }
}

static int find(sim_model *chip, const char *const names[PINS], const sim_port *pin[PINS])
{
    for (int i = 0; i < PINS; i++)
        if (!(pin[i] = sim_model_port(chip, names[i]))) return -1;
    return 0;
}

axi_doorbells *axi_doorbells_new(sim *s, sim_clock *clock, sim_model *chip, const axi_doorbells_params *params,
                                 const char *name)
{
    axi_doorbells *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    axi_checker_init(&d->checker, s, clock, name);
    if (params) d->params = *params;
    if (d->params.stall > 99) sim_fail(s, "%s: stall must be 0..99 percent", name);
    for (int i = 0; i < 2; i++)
        if (d->params.stall > 99 || find(chip, shown_names[i], d->shown[i].pin) ||
            find(chip, posted_names[i], d->posted[i].pin)) {
            free(d);
            return NULL;
        }
    size_t count;
    const sim_port *ports = sim_model_ports(chip, &count);
    for (; count--; ports++)
        if (ports->name[0] == 'r' && ports->name[1] == 's' && ports->name[2] == 't' && !ports->name[3]) d->rst = ports;
    for (int i = 0; i < 2; i++) {
        d->shown[i].channel.valid = d->shown[i].pin[VALID];
        d->shown[i].channel.ready = d->shown[i].pin[READY];
        axi_channel_add(&d->shown[i].channel, d->shown[i].pin[ADDRESS]);
        axi_channel_add(&d->shown[i].channel, d->shown[i].pin[VALUE]);
        sim_port_set(d->shown[i].pin[READY], 0);
        sim_port_set(d->posted[i].pin[VALID], 0);
    }
    sim_clock_attach(clock, sample, drive, d);
    return d;
}

void axi_doorbells_free(axi_doorbells *d)
{
    if (d) sim_clock_detach(d->checker.clock, d);
    free(d);
}

void axi_doorbells_listen(axi_doorbells *d, axi_on_doorbell receive, axi_on_doorbell completion, void *self)
{
    d->listener[0] = receive;
    d->listener[1] = completion;
    d->self = self;
}

void axi_doorbells_serial(axi_doorbells *d, const axi_cpu *cpu) { d->cpu = cpu; }

int axi_doorbells_post(axi_doorbells *d, axi_doorbell kind, unsigned qp, uint16_t index)
{
    struct posted *p = &d->posted[kind];
    if (qp < 1 || qp > 254 || p->count == AXI_DOORBELLS_WAITING) return -1;
    unsigned place = (p->first + p->count++) % AXI_DOORBELLS_WAITING;
    p->waiting[place].qp = (uint8_t)qp;
    p->waiting[place].index = index;
    return 0;
}

int axi_doorbells_idle(const axi_doorbells *d) { return d->posted[0].count == 0 && d->posted[1].count == 0; }

void axi_doorbells_on_violation(axi_doorbells *d, axi_on_violation fn, void *arg)
{
    d->checker.report = fn;
    d->checker.arg = arg;
}

const axi_doorbells_stats *axi_doorbells_get_stats(const axi_doorbells *d) { return &d->stats; }
