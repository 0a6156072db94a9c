#include "sx_print.h"

#include <ctype.h>
#include <string.h>

#include "nx_number.h"
#include "switch_register_map.h"
#include "sx_trace.h"

/* ---- dumps ---- */

int sx_register_next(unsigned ports, sx_register *at)
{
    if (at->row == SWITCH_REGISTER_TABLE_COUNT) return 0;
    const struct switch_register *r = at->map = &switch_registers[at->row];
    int page = r->offset >= 0x4000;
    at->offset = r->offset + 0x400 * at->port + 4 * at->index;
    int used = snprintf(at->name, sizeof at->name, "%s", r->name);
    if (r->count > 1) used += snprintf(at->name + used, sizeof at->name - (size_t)used, "[%u]", at->index);
    if (page) snprintf(at->name + used, sizeof at->name - (size_t)used, " of port %u", at->port);
    if (++at->index < (r->count > 1 ? ports : 1)) return 1;
    at->index = 0;
    if (++at->port < (page ? ports : 1)) return 1;
    at->port = 0;
    at->row++;
    return 1;
}

int sx_take(sx_switch *sw, sx_dump_image *image)
{
    memset(image, 0, sizeof *image);
    for (sx_register at = {0}; sx_register_next(sw->ports, &at);) {
        image->known[at.offset / 4] = 1;
        if (!sw->platform->read32(sw->platform->self, at.offset, &image->value[at.offset / 4])) continue;
        snprintf(sw->error, sizeof sw->error, "no answer to a read of register 0x%04x", at.offset);
        return -1;
    }
    return 0;
}

int sx_dump(sx_switch *sw, FILE *file)
{
    static sx_dump_image image;
    if (sx_take(sw, &image)) return -1;
    for (sx_register at = {0}; sx_register_next(sw->ports, &at);)
        fprintf(file, "%04x %08x %s\n", at.offset, image.value[at.offset / 4], at.name);
    if (!ferror(file)) return 0;
    snprintf(sw->error, sizeof sw->error, "the dump cannot be written");
    return -1;
}

int sx_dump_read(sx_dump_image *image, FILE *file, unsigned *line)
{
    char text[256];
    memset(image, 0, sizeof *image);
    for (*line = 1;; ++*line) {
        int whole = nx_line(file, text, sizeof text);
        const char *at = text;
        if (!whole && !*text && (feof(file) || ferror(file))) break;
        if (text[0] == '#' || (whole && !text[0])) continue;
        unsigned offset = (unsigned)nx_number_behind(&at, "", 16, sizeof image->value - 1);
        uint32_t value = (uint32_t)nx_number_behind(&at, " ", 16, UINT32_MAX);
        if (!whole || !at || (*at && !isspace((unsigned char)*at)) || offset % 4) return -1;
        image->value[offset / 4] = value;
        image->known[offset / 4] = 1;
    }
    *line = 0;
    return ferror(file) ? -1 : 0;
}

static int read_image(void *self, unsigned offset, uint32_t *value)
{
    sx_dump_image *image = self;
    *value = offset / 4 < sizeof image->value / sizeof image->value[0] ? image->value[offset / 4] : 0;
    return 0;
}

struct sx_platform sx_dump_platform(sx_dump_image *image)
{
    return (struct sx_platform){.self = image, .read32 = read_image};
}

/* ---- tables ---- */

typedef struct {
    sx_port port[SX_PORTS];
    sx_flow flow[SX_PORTS][SX_PORTS]; /* [output][input] */
} state;

static int read_all(sx_switch *sw, state *s)
{
    for (unsigned o = 0; o < sw->ports; o++) {
        if (sx_port_get(sw, o, &s->port[o])) return -1;
        for (unsigned i = 0; i < sw->ports; i++)
            if (sx_flow_get(sw, o, i, &s->flow[o][i])) return -1;
    }
    return 0;
}

static void heading(const sx_switch *sw, const char *title, int width, FILE *f)
{
    fprintf(f, "\n%s\nfrom \\ to", title);
    for (unsigned o = 0; o < sw->ports; o++) fprintf(f, " %*u", width, o);
    fputc('\n', f);
}

/* A table of one number per flow. */
static void number_table(const sx_switch *sw, const state *s, const char *title,
                         uint32_t (*number)(const state *, unsigned o, unsigned i), FILE *f)
{
    heading(sw, title, 10, f);
    for (unsigned i = 0; i < sw->ports; i++) {
        fprintf(f, "%9u", i);
        for (unsigned o = 0; o < sw->ports; o++) fprintf(f, " %10u", number(s, o, i));
        fputc('\n', f);
    }
}

static uint32_t packets(const state *s, unsigned o, unsigned i) { return s->flow[o][i].packets; }
static uint32_t words(const state *s, unsigned o, unsigned i) { return s->flow[o][i].words; }
static uint32_t weight(const state *s, unsigned o, unsigned i) { return s->port[o].weight[i]; }

/* A table of a short text per flow. */
static void text_table(const sx_switch *sw, const state *s, const char *title, int width,
                       void (*text)(const sx_flow *, char *out, size_t size), FILE *f)
{
    char cell[48];
    heading(sw, title, width, f);
    for (unsigned i = 0; i < sw->ports; i++) {
        fprintf(f, "%9u", i);
        for (unsigned o = 0; o < sw->ports; o++) {
            text(&s->flow[o][i], cell, sizeof cell);
            fprintf(f, " %*s", width, cell);
        }
        fputc('\n', f);
    }
}

static void occupancy(const sx_flow *flow, char *out, size_t size)
{
    snprintf(out, size, "%u/%u", flow->occupancy, flow->occupancy_most);
}

static void times(const sx_flow *flow, char *out, size_t size)
{
    if (flow->measured) snprintf(out, size, "%u..%u (%u)", flow->time_least, flow->time_most, flow->time_last);
    else snprintf(out, size, "-");
}

static void port_table(const sx_switch *sw, const state *s, FILE *f)
{
    fputs("\nports\nport clock enabled  sync  state     capacity transmitted  credited  inputs served\n", f);
    for (unsigned p = 0; p < sw->ports; p++) {
        const sx_port *port = &s->port[p];
        char credit[12], node[20] = "";
        if (port->node != p) snprintf(node, sizeof node, "  node %u", port->node);
        snprintf(credit, sizeof credit, "%u", port->credit);
        fprintf(f, "%4u     %c %7s %5s  %-8s %9u %11u %9s  0x%04x%s\n", p, sw->clock_b >> p & 1 ? 'b' : 'a',
                port->enabled ? "yes" : "no", port->sync ? "yes" : "no",
                port->draining ? "draining"
                : port->down   ? "down"
                               : "up",
                port->capacity, port->transmitted, port->credits ? credit : "none", port->inputs, node);
    }
}

static void error_table(const sx_switch *sw, const state *s, FILE *f)
{
    int any = 0;
    fputs("\nevents by port\n", f);
    for (unsigned e = 0; e < SX_EVENTS; e++) {
        uint32_t sum = 0;
        for (unsigned p = 0; p < sw->ports; p++) sum |= s->port[p].event[e];
        if (!sum) continue;
        if (!any++) {
            fprintf(f, "%-21s", "");
            for (unsigned p = 0; p < sw->ports; p++) fprintf(f, " %10u", p);
            fputc('\n', f);
        }
        fprintf(f, "%-21s", sx_event_name(e));
        for (unsigned p = 0; p < sw->ports; p++) fprintf(f, " %10u", s->port[p].event[e]);
        fputc('\n', f);
    }
    if (!any) fputs("none\n", f);
}

/* A line for each clock: those of its ports are the same. */
static int trace_table(sx_switch *sw, FILE *f)
{
    fputs("\ntraces\nclock  port  state      frozen by\n", f);
    for (unsigned b = 0; b < 2; b++) {
        unsigned p = 0;
        sx_trace_state t;
        char names[256];
        while (p < sw->ports && (sw->clock_b >> p & 1) != b) p++;
        if (p == sw->ports) continue;
        if (sx_trace_state_get(sw, p, &t)) return -1;
        sx_trace_names(t.frozen ? t.cause : t.events, names, sizeof names);
        fprintf(f, "%5c %5u  %-9s  %s%s", b ? 'b' : 'a', t.port,
                t.running  ? t.frozen ? "freezing" : "running"
                : t.frozen ? "frozen"
                           : "stopped",
                t.frozen   ? ""
                : t.events ? "to be: "
                           : "-",
                *names     ? names
                : t.frozen ? "the host"
                           : "");
        fprintf(f, t.frozen || t.events ? ", %u entries behind it\n" : "\n", t.after);
    }
    return 0;
}

int sx_print(sx_switch *sw, unsigned tables, FILE *f)
{
    static state s;
    uint32_t down_time = 0;
    if (read_all(sw, &s) || sx_down_time_get(sw, &down_time)) return -1;
    fprintf(f, "switch: %u ports, %s%s; a port is down after %u clocks without synchronisation\n", sw->ports,
            sw->counters ? "with counters" : "without counters", sw->traces ? " and traces" : "", down_time);
    if (tables & SX_PORT_TABLE) port_table(sw, &s, f);
    if (tables & SX_FLOW_TABLE && sw->counters) {
        number_table(sw, &s, "packets forwarded", packets, f);
        number_table(sw, &s, "words forwarded", words, f);
    }
    if (tables & SX_OCCUPANCY_TABLE && sw->counters)
        text_table(sw, &s, "words in the crosspoints: now/most", 10, occupancy, f);
    if (tables & SX_TIME_TABLE && sw->counters)
        text_table(sw, &s, "forwarding time [clocks]: shortest..longest (last)", 18, times, f);
    if (tables & SX_ERROR_TABLE && sw->counters) error_table(sw, &s, f);
    if (tables & SX_WEIGHT_TABLE) number_table(sw, &s, "weights", weight, f);
    if (tables & SX_TRACE_TABLE && sw->traces && trace_table(sw, f)) return -1;
    if (!ferror(f)) return 0;
    snprintf(sw->error, sizeof sw->error, "the tables cannot be written");
    return -1;
}
