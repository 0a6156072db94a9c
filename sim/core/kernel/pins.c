/* Records the pins of models, so that another simulator can be driven with the same inputs and compared (make
 * fourstate).
 *
 * A file INSTANCE.pins starts with lines of names,
 *
 *     module crossbar PORTS=2               its name, parameters that were set
 *     clock clk_a                           clock inputs, in the order of their bits below
 *     input rst_n 1                         the others, with their bits
 *     output gt_tx_data 64
 *     edges
 *
 * and goes on with one line for each step in which a clock of the model rises: all in hexadecimal, with a space
 * between,
 *
 *     time [ps]   clocks that rise, bit 0 the first   value of each input   value of each output
 *
 * as they stand before the edge, with all clocks low and inputs passed through. */
#include "sim/core/kernel/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Bit of the port among the model's clocks, or -1. */
static int clock_bit(const sim_model *m, const void *at)
{
    for (size_t i = 0; i < m->clocks.count; i++)
        if (m->clocks.at[i].port == at) return (int)i;
    return -1;
}

static void pins_open(sim_model *m)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.pins", m->s->params.pins, m->name);
    m->pins = n > 0 && (size_t)n < sizeof path ? fopen(path, "w") : NULL;
    if (!m->pins) {
        sim_fail(m->s, "pins: cannot write %s: %s", path, strerror(errno));
        m->pins_ended = true;
        return;
    }
    fprintf(m->pins, "module %s %s\n", m->config->module, m->config->parameters);
    for (size_t c = 0; c < m->clocks.count; c++)
        for (size_t i = 0; i < m->ports.count; i++)
            if (m->ports.at[i].at == m->clocks.at[c].port) fprintf(m->pins, "clock %s\n", m->ports.at[i].name);
    for (int output = 0; output < 2; output++)
        for (size_t i = 0; i < m->ports.count; i++) {
            const sim_port *p = &m->ports.at[i];
            if (p->output == output && clock_bit(m, p->at) < 0)
                fprintf(m->pins, "%sput %s %u\n", output ? "out" : "in", p->name, p->bits);
        }
    fprintf(m->pins, "edges\n");
}

static void write_port(FILE *f, const sim_port *p)
{
    if (p->bits > 64) {
        const uint32_t *words = p->at;
        fputc(' ', f);
        for (unsigned i = (p->bits + 31) / 32; i--;) fprintf(f, "%08" PRIx32, words[i]);
    } else {
        uint64_t value = p->bits <= 8    ? *(const uint8_t *)p->at
                         : p->bits <= 16 ? *(const uint16_t *)p->at
                         : p->bits <= 32 ? *(const uint32_t *)p->at
                                         : *(const uint64_t *)p->at;
        fprintf(f, " %" PRIx64, value);
    }
}

void pins_record(sim_model *m)
{
    const sim *s = m->s;
    if (m->pins && s->now > s->params.pins_to) pins_close(m);
    if (m->pins_ended) return;
    if (!m->pins) pins_open(m);
    if (!m->pins) return;
    unsigned rising = 0;
    for (size_t i = 0; i < m->clocks.count; i++)
        for (size_t r = 0; r < s->rising.count; r++)
            if (s->rising.at[r] == m->clocks.at[i].clock && *m->clocks.at[i].enable) rising |= 1u << i;
    fprintf(m->pins, "%" PRIx64 " %x", s->now, rising);
    for (int output = 0; output < 2; output++)
        for (size_t i = 0; i < m->ports.count; i++) {
            const sim_port *p = &m->ports.at[i];
            if (p->output == output && clock_bit(m, p->at) < 0) write_port(m->pins, p);
        }
    fputc('\n', m->pins);
}

void pins_close(sim_model *m)
{
    m->pins_ended = true;
    if (!m->pins) return;
    bool lost = ferror(m->pins);
    if (fclose(m->pins) || lost)
        sim_fail(m->s, "pins: %s/%s.pins could not be written to its end", m->s->params.pins, m->name);
    m->pins = NULL;
}
