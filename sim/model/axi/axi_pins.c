/* See axi_pins.h. */
#include "sim/model/axi/axi_pins.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    axi_channel_name channel;
    int needed;
} signals[AXI_SIGNALS] = {
#define SIGNAL(name, channel, needed) {#name, AXI_##channel, needed},
    AXI_SIGNAL_LIST(SIGNAL)
#undef SIGNAL
};

/* A port by the two parts of its name, the second one in any case. Zeros: there is none. */
static sim_port find(sim_model *m, const char *prefix, const char *name)
{
    size_t count, length = strlen(prefix);
    const sim_port *p = sim_model_ports(m, &count);
    for (; count--; p++)
        if (!strncmp(p->name, prefix, length) && !strcasecmp(p->name + length, name)) return *p;
    return (sim_port){0};
}

const char *axi_pins_check(axi_pins *p)
{
    static char text[160];
    p->writes = p->pin[AXI_AWVALID].at || p->pin[AXI_WVALID].at;
    p->reads = p->pin[AXI_ARVALID].at || p->pin[AXI_RVALID].at;
    p->lite = !p->pin[AXI_AWLEN].at && !p->pin[AXI_ARLEN].at;
    if (!p->writes && !p->reads) return "there is neither awvalid nor arvalid";
    for (int i = 0; i < AXI_SIGNALS; i++) {
        bool write = signals[i].channel <= AXI_B;
        if (p->pin[i].at || !(write ? p->writes : p->reads) || !signals[i].needed ||
            (signals[i].needed == 2 && p->lite))
            continue;
        snprintf(text, sizeof text, "there is no %s", signals[i].name);
        return text;
    }
    static const axi_signal bits[] = {AXI_AWVALID, AXI_AWREADY, AXI_WVALID,  AXI_WREADY, AXI_WLAST,  AXI_BVALID,
                                      AXI_BREADY,  AXI_ARVALID, AXI_ARREADY, AXI_RVALID, AXI_RREADY, AXI_RLAST};
    for (unsigned i = 0; i < sizeof bits / sizeof bits[0]; i++)
        if (p->pin[bits[i]].at && p->pin[bits[i]].bits != 1) {
            snprintf(text, sizeof text, "%s has %u bits, expected 1", signals[bits[i]].name, p->pin[bits[i]].bits);
            return text;
        }
    const sim_port *w = &p->pin[AXI_WDATA], *r = &p->pin[AXI_RDATA], *data = p->writes ? w : r;
    p->bytes = data->bits / 8;
    p->master = p->pin[p->writes ? AXI_AWVALID : AXI_ARVALID].output;
    if (data->bits < 32 || data->bits > 8 * 64 || (data->bits & (data->bits - 1)))
        snprintf(text, sizeof text, "data has %u bits, expected 32, 64, 128, 256 or 512", data->bits);
    else if (p->lite && data->bits > 64)
        snprintf(text, sizeof text, "data of AXI4-Lite has %u bits, expected 32 or 64", data->bits);
    else if (p->writes && p->pin[AXI_WSTRB].bits != p->bytes)
        snprintf(text, sizeof text, "wstrb has %u bits, expected %u as data has bytes", p->pin[AXI_WSTRB].bits,
                 p->bytes);
    else if (p->writes && p->reads && w->bits != r->bits)
        snprintf(text, sizeof text, "wdata has %u bits and rdata %u, expected the same", w->bits, r->bits);
    else return NULL;
    return text;
}

int axi_pins_of(sim_model *m, const char *prefix, axi_pins *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < AXI_SIGNALS; i++) p->pin[i] = find(m, prefix, signals[i].name);
    p->rst = find(m, "rst", "");
    const char *wrong = axi_pins_check(p);
    if (wrong) sim_fail(sim_model_sim(m), "model %s: AXI port %s*: %s", sim_model_name(m), prefix, wrong);
    return wrong ? -1 : 0;
}

axi_burst axi_burst_at(const axi_pins *p, axi_channel_name channel)
{
    int at = channel == AXI_AW ? AXI_AWVALID : AXI_ARVALID; /* both have the same signals in the same order */
    axi_burst b = {.address = axi_get(p, at + AXI_AWADDR, 0),
                   .id = (unsigned)axi_get(p, at + AXI_AWID, 0),
                   .beats = (unsigned)axi_get(p, at + AXI_AWLEN, 0) + 1,
                   .kind = (unsigned)axi_get(p, at + AXI_AWBURST, AXI_INCR)};
    b.size = p->pin[at + AXI_AWSIZE].at ? 1u << axi_get(p, at + AXI_AWSIZE, 0) : p->bytes;
    return b;
}

uint64_t axi_beat_address(const axi_burst *b, unsigned beat)
{
    uint64_t aligned = b->address & ~(uint64_t)(b->size - 1), whole = (uint64_t)b->size * b->beats;
    if (beat == 0 || b->kind == AXI_FIXED) return b->address;
    if (b->kind == AXI_WRAP) return (aligned & ~(whole - 1)) | ((aligned + (uint64_t)beat * b->size) & (whole - 1));
    return aligned + (uint64_t)beat * b->size;
}

uint64_t axi_beat_lanes(const axi_burst *b, unsigned beat, unsigned bus_bytes)
{
    uint64_t address = axi_beat_address(b, beat);
    unsigned first = (unsigned)(address & (bus_bytes - 1));
    unsigned end = (first & ~(b->size - 1)) + b->size; /* lanes first .. end - 1 */
    uint64_t below_end = end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below_end & ~((UINT64_C(1) << first) - 1);
}

int axi_stream_pins_of(sim_model *m, const char *prefix, axi_stream_pins *p)
{
    *p = (axi_stream_pins){
        find(m, prefix, "tvalid"), find(m, prefix, "tready"), find(m, prefix, "tdata"), find(m, prefix, "tkeep"),
        find(m, prefix, "tlast"),  find(m, prefix, "tuser"),  find(m, "rst", ""),       0};
    p->bytes = p->tdata.bits / 8;
    const sim_port *const bits[] = {&p->tvalid, &p->tready, &p->tlast};
    for (int i = 0; i < 3; i++)
        if (bits[i]->at && bits[i]->bits != 1) {
            sim_fail(sim_model_sim(m), "model %s: AXI4-Stream port %s has %u bits, expected 1", sim_model_name(m),
                     bits[i]->name, bits[i]->bits);
            return -1;
        }
    const char *missing = !p->tvalid.at ? "tvalid" : !p->tdata.at ? "tdata" : !p->tlast.at ? "tlast" : NULL;
    if (missing)
        sim_fail(sim_model_sim(m), "model %s: AXI4-Stream port %s*: there is no %s", sim_model_name(m), prefix,
                 missing);
    else if (p->tkeep.at && p->tkeep.bits != p->bytes)
        sim_fail(sim_model_sim(m), "model %s: AXI4-Stream port %s*: tkeep has %u bits, expected %u as tdata has bytes",
                 sim_model_name(m), prefix, p->tkeep.bits, p->bytes);
    else return 0;
    return -1;
}
