#include "sram.h"

#include <stdlib.h>

struct sram {
    sram_pins pins;
    memory *contents;
    unsigned latency, left; /* clocks until the acknowledge, 0: idle */
    int request;            /* sampled: a new access starts */
    int acknowledged;       /* mem_ack is high in this clock: the request on the pins is the served one */
};

static void sram_sample(void *self)
{
    sram *m = self;
    m->request = *m->pins.mem_req && !m->acknowledged && m->left == 0;
}

static void sram_access(sram *m)
{
    uint64_t address = (uint64_t)*m->pins.mem_addr << 3;
    if (!*m->pins.mem_we) {
        memory_read(m->contents, address, m->pins.mem_rdata, 8);
        return;
    }
    for (unsigned lane = 0; lane < 8; lane++)
        if (*m->pins.mem_be >> lane & 1) {
            uint8_t byte = (uint8_t)(*m->pins.mem_wdata >> 8 * lane);
            memory_write(m->contents, address + lane, &byte, 1);
        }
}

static void sram_drive(void *self)
{
    sram *m = self;
    m->acknowledged = 0;
    *m->pins.mem_ack = 0;
    if (m->request) m->left = m->latency;
    if (m->left && --m->left == 0) {
        sram_access(m);
        *m->pins.mem_ack = 1;
        m->acknowledged = 1;
    }
}

sram *sram_new(sim_clock *clock, const sram_pins *pins, unsigned latency)
{
    sram *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->pins = *pins;
    m->latency = latency ? latency : 1;
    m->contents = memory_new();
    sim_clock_attach(clock, sram_sample, sram_drive, m);
    return m;
}

void sram_free(sram *m)
{
    if (!m) return;
    memory_free(m->contents);
    free(m);
}

memory *sram_contents(sram *m)
{
    return m->contents;
}
