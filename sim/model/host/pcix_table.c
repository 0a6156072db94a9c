/* See pcix_table.h. */
#include "sim/model/host/pcix_table.h"

#include <inttypes.h>
#include <string.h>

enum { NAME = 9, COLUMN = 10 };

static void cell(FILE *f, const char *text) { fprintf(f, "%-*s", COLUMN, text); }

/* One row: `make` writes the cell of one clock into a buffer of 24 characters. */
typedef void (*make_cell)(char *to, const pcix_sample *s, int which, uint64_t zero);

static void row(FILE *f, const pcix_bus *bus, uint64_t from, uint64_t to, const char *name, make_cell make, int which,
                uint64_t zero)
{
    fprintf(f, "%-*s", NAME, name);
    for (uint64_t c = from; c <= to; c++) {
        char text[24];
        make(text, pcix_bus_at(bus, c), which, zero);
        cell(f, text);
    }
    fputc('\n', f);
}

static void clock_cell(char *to, const pcix_sample *s, int which, uint64_t zero)
{
    (void)which;
    snprintf(to, 24, "%" PRId64, (int64_t)(s->clock - zero));
}

static void phase_cell(char *to, const pcix_sample *s, int which, uint64_t zero)
{
    (void)which, (void)zero;
    if (s->phase == PCIX_PH_DATA) snprintf(to, 24, "data%u", s->index);
    else snprintf(to, 24, "%s", s->rst_n ? pcix_phase_name(s->phase) : "reset");
}

static void level_cell(char *to, const pcix_sample *s, int signal, uint64_t zero)
{
    (void)zero;
    strcpy(to, !(s->driven & PCIX_BIT(signal)) ? "z" : pcix_low(s, signal) ? "0" : "1");
}

static void ad_cell(char *to, const pcix_sample *s, int upper, uint64_t zero)
{
    (void)zero;
    if (s->driven & PCIX_BIT(upper ? PCIX_AD64 : PCIX_AD))
        snprintf(to, 24, "%08x", (unsigned)(upper ? s->ad >> 32 : s->ad));
    else strcpy(to, "z");
}

static void cbe_cell(char *to, const pcix_sample *s, int which, uint64_t zero)
{
    (void)which, (void)zero;
    char low = "0123456789ABCDEF"[s->cbe & 15], high = "0123456789ABCDEF"[s->cbe >> 4];
    to[0] = s->driven & PCIX_BIT(PCIX_CBE64) ? high : 'z';
    to[1] = s->driven & PCIX_BIT(PCIX_CBE) ? low : 'z';
    to[2] = 0;
}

static void owner_cell(char *to, const pcix_sample *s, int which, uint64_t zero)
{
    (void)which, (void)zero;
    char *p = to;
    for (int i = 0; i < PCIX_AGENTS; i++)
        if (s->oe[i] & PCIX_BIT(PCIX_AD)) *p++ = (char)('0' + i);
    if (p == to) *p++ = 'z';
    *p = 0;
}

static void req_cell(char *to, const pcix_sample *s, int agent, uint64_t zero)
{
    (void)zero;
    strcpy(to, s->req_n >> agent & 1 ? "1" : "0");
}

static void gnt_cell(char *to, const pcix_sample *s, int agent, uint64_t zero)
{
    (void)zero;
    strcpy(to, s->gnt_n >> agent & 1 ? "1" : "0");
}

void pcix_table_print(FILE *f, const pcix_bus *bus, uint64_t from, uint64_t to, uint64_t zero)
{
    static const int order[] = {PCIX_DEVSEL, PCIX_ACK64, PCIX_TRDY, PCIX_STOP,
                                PCIX_PAR,    PCIX_PAR64, PCIX_PERR, PCIX_SERR};
    if (to > pcix_bus_clock(bus)) to = pcix_bus_clock(bus);
    if (from < 1) from = 1;
    if (to + 1 > from + PCIX_HISTORY) from = to + 1 - PCIX_HISTORY;
    row(f, bus, from, to, "clock", clock_cell, 0, zero);
    row(f, bus, from, to, "phase", phase_cell, 0, zero);
    for (int i = 0; i < pcix_bus_agents(bus); i++) {
        char name[16];
        snprintf(name, sizeof name, "REQ#%d", i);
        row(f, bus, from, to, name, req_cell, i, zero);
        snprintf(name, sizeof name, "GNT#%d", i);
        row(f, bus, from, to, name, gnt_cell, i, zero);
    }
    row(f, bus, from, to, "FRAME#", level_cell, PCIX_FRAME, zero);
    row(f, bus, from, to, "REQ64#", level_cell, PCIX_REQ64, zero);
    row(f, bus, from, to, "IRDY#", level_cell, PCIX_IRDY, zero);
    row(f, bus, from, to, "AD", ad_cell, 0, zero);
    row(f, bus, from, to, "AD64", ad_cell, 1, zero);
    row(f, bus, from, to, "AD by", owner_cell, 0, zero);
    row(f, bus, from, to, "C/BE#", cbe_cell, 0, zero);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        row(f, bus, from, to, pcix_signal_name(order[i]), level_cell, order[i], zero);
}
