/* See axi_source.h. */
#include "axi_source.h"

#include <string.h>

uint8_t axi_source_byte(const axi_source *a, uint32_t address)
{
    uint32_t x = (address ^ a->salt) * 0x9e3779b1u;
    return (uint8_t)(x >> 24 ^ x >> 11);
}

const char *axi_burst_violation(uint32_t address, unsigned beats, unsigned bytes)
{
    if (address % bytes) return "a burst begins within a word";
    if (beats > 256) return "a burst of more than 256 beats";
    if (address / 4096 != (address + beats * bytes - 1) / 4096) return "a burst crosses 4 KB";
    return NULL;
}

static void notice(axi_source *a, const char *wrong)
{
    if (!a->wrong) a->wrong = wrong;
}

static void sample(void *self)
{
    axi_source *a = self;
    a->clock++;
    if (a->held && (!sim_port_get(a->arvalid) || sim_port_get(a->araddr) != a->held_address || sim_port_get(a->arlen) != a->held_length))
        notice(a, "ARVALID or its address changed before it was taken");
    a->held = sim_port_get(a->arvalid) && !sim_port_get(a->arready);
    a->held_address = (uint32_t)sim_port_get(a->araddr);
    a->held_length = sim_port_get(a->arlen);
    if (sim_port_get(a->arvalid) && sim_port_get(a->arready)) {
        unsigned beats = (unsigned)a->held_length + 1;
        notice(a, axi_burst_violation(a->held_address, beats, a->bytes));
        ck_assert_uint_lt(a->count, AXI_SOURCE_BURSTS);
        unsigned last = (a->first + a->count++) % AXI_SOURCE_BURSTS;
        a->burst[last].address = a->held_address;
        a->burst[last].beats = beats;
        a->burst[last].due = a->clock + a->latency;
        if (beats > a->beats_most) a->beats_most = beats;
        a->bursts++;
    }
    if (sim_port_get(a->rvalid) && !sim_port_get(a->rready)) a->waited++;
    if (sim_port_get(a->rvalid) && sim_port_get(a->rready)) {
        a->beats++;
        a->burst[a->first].address += a->bytes;
        if (--a->burst[a->first].beats == 0) {
            a->first = (a->first + 1) % AXI_SOURCE_BURSTS;
            a->count--;
        }
        a->taken = 1;
    }
}

static void drive(void *self)
{
    axi_source *a = self;
    sim_port_set(a->arready, sim_random_below(a->s, 100) >= a->address_stall);
    if (sim_port_get(a->rvalid) && !a->taken) return;
    a->taken = 0;
    sim_port_set(a->rvalid, 0);
    if (!a->count || a->clock + 1 < a->burst[a->first].due || sim_random_below(a->s, 100) < a->stall) return;
    uint32_t address = a->burst[a->first].address;
    for (unsigned i = 0; i < a->bytes; i += 8) {
        uint64_t part = 0;
        for (unsigned k = 0; k < 8; k++) part |= (uint64_t)axi_source_byte(a, address + i + k) << 8 * k;
        sim_port_set_field(a->rdata, 8 * i, 64, part);
    }
    sim_port_set(a->rvalid, 1);
    sim_port_set(a->rresp, address >= a->error_from && address < a->error_to ? 2 : 0);
    if (a->rlast) sim_port_set(a->rlast, a->burst[a->first].beats == 1);
}

void axi_source_attach(axi_source *a, sim *s, sim_clock *clk)
{
    a->s = s;
    sim_clock_attach(clk, sample, drive, a);
}
