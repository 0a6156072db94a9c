/* See axi_cpu.h. */
#include "sim/model/axi/axi_cpu.h"

#include <stdlib.h>

struct axi_cpu {
    sim *s;
    sim_clock *clock;
    axi_pins p;
    axi_cpu_params params;
    uint64_t turn, next_turn; /* of the task that may go, and of the next one that comes */
    bool busy, writing;
    uint64_t address_from, data_from; /* clock from which it is shown */
    uint64_t address;
    uint32_t value;
    unsigned strobes;
    bool address_gone, data_gone, answered;
    unsigned response;
    uint64_t now, accesses;
};

axi_cpu_params axi_cpu_defaults(void) { return (axi_cpu_params){.latency = 10}; }

static bool taken(const axi_cpu *c, axi_signal valid)
{
    return axi_bit(&c->p.pin[valid]) && axi_bit(&c->p.pin[valid + 1]); /* READY stands behind VALID in the list */
}

static void sample(void *self)
{
    axi_cpu *c = self;
    if (!c->busy) return;
    if (taken(c, c->writing ? AXI_AWVALID : AXI_ARVALID)) c->address_gone = true;
    if (c->writing && taken(c, AXI_WVALID)) c->data_gone = true;
    if (!taken(c, c->writing ? AXI_BVALID : AXI_RVALID)) return;
    c->response = (unsigned)axi_get(&c->p, c->writing ? AXI_BRESP : AXI_RRESP, AXI_OKAY);
    if (!c->writing) c->value = (uint32_t)axi_get(&c->p, AXI_RDATA, 0);
    c->answered = true;
}

static void drive(void *self)
{
    axi_cpu *c = self;
    const axi_pins *p = &c->p;
    c->now++;
    bool open = c->busy && !c->answered, ready = !sim_chance(c->s, c->params.stall);
    bool address = open && !c->address_gone && c->now >= c->address_from,
         data = open && !c->data_gone && c->now >= c->data_from;
    axi_set(p, AXI_AWVALID, address && c->writing);
    axi_set(p, AXI_WVALID, data && c->writing);
    axi_set(p, AXI_ARVALID, address && !c->writing);
    axi_set(p, AXI_BREADY, ready);
    axi_set(p, AXI_RREADY, ready);
    if (!address && !data) return;
    axi_set(p, c->writing ? AXI_AWADDR : AXI_ARADDR, c->address);
    axi_set(p, AXI_WDATA, c->value);
    axi_set(p, AXI_WSTRB, c->strobes);
}

axi_cpu *axi_cpu_new(sim *s, sim_clock *clock, const axi_pins *pins, const axi_cpu_params *params, const char *name)
{
    axi_cpu_params q = params ? *params : axi_cpu_defaults();
    const char *wrong = pins->master || !pins->lite || pins->bytes != 4 || !pins->reads || !pins->writes
                            ? "expected the pins of an AXI4-Lite slave with 32 bits, reads and writes"
                        : q.stall > 99 ? "stall must be 0..99 percent"
                                       : NULL;
    axi_cpu *c = wrong ? NULL : calloc(1, sizeof *c);
    if (!c) {
        sim_fail(s, "%s: %s", name, wrong ? wrong : "no memory left");
        return NULL;
    }
    c->s = s;
    c->clock = clock;
    c->p = *pins;
    c->params = q;
    for (int i = 0; i < AXI_SIGNALS; i++)
        if (c->p.pin[i].at && !c->p.pin[i].output) axi_set(&c->p, (axi_signal)i, 0);
    sim_clock_attach(clock, sample, drive, c);
    return c;
}

void axi_cpu_free(axi_cpu *c)
{
    if (c) sim_clock_detach(c->clock, c);
    free(c);
}

struct ticket {
    axi_cpu *c;
    uint64_t number;
};

static int my_turn(void *arg)
{
    const struct ticket *t = arg;
    return t->c->turn == t->number && !t->c->busy;
}

static int is_answered(void *arg) { return ((axi_cpu *)arg)->answered; }

static int result_of(unsigned response)
{
    return response == AXI_OKAY ? 0 : response == AXI_DECERR ? AXI_CPU_DECERR : AXI_CPU_SLVERR;
}

static uint64_t up_to(axi_cpu *c, unsigned most) { return most ? sim_random_below(c->s, most + 1) : 0; }

static int perform(axi_cpu *c, bool writing, uint64_t address, uint32_t *value, unsigned strobes)
{
    unsigned bits = c->p.pin[AXI_AWADDR].bits;
    if (!sim_task_current(c->s) || address % 4 || (bits < 64 && address >> bits)) return AXI_CPU_BAD_ARGUMENT;
    struct ticket t = {c, c->next_turn++};
    sim_wait_until(c->clock, my_turn, &t);
    c->writing = writing;
    c->address = address;
    c->value = *value;
    c->strobes = strobes;
    c->address_gone = c->data_gone = c->answered = false;
    c->address_from = c->data_from = c->now + c->params.latency + up_to(c, c->params.spread);
    *(sim_random_below(c->s, 2) ? &c->address_from : &c->data_from) += up_to(c, c->params.skew);
    c->busy = true;
    sim_wait_until(c->clock, is_answered, c);
    int result = result_of(c->response);
    *value = result ? UINT32_MAX : c->value;
    c->busy = false;
    c->turn++;
    c->accesses++;
    return result;
}

int axi_cpu_read32(axi_cpu *c, uint64_t address, uint32_t *value)
{
    *value = UINT32_MAX;
    return perform(c, false, address, value, 0);
}

int axi_cpu_write_bytes(axi_cpu *c, uint64_t address, uint32_t value, unsigned strobes)
{
    return strobes > 15 ? AXI_CPU_BAD_ARGUMENT : perform(c, true, address, &value, strobes);
}

int axi_cpu_write32(axi_cpu *c, uint64_t address, uint32_t value) { return axi_cpu_write_bytes(c, address, value, 15); }

uint64_t axi_cpu_accesses(const axi_cpu *c) { return c->accesses; }

int axi_cpu_busy(const axi_cpu *c)
{
    return c->busy && !c->answered && (c->now >= c->address_from || (c->writing && c->now >= c->data_from));
}
