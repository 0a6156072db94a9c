#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/linux/roce_verbs_rows_internal.h"

const uint32_t verbs_starts[STARTS] = {0, 0xfffff0, 0x7ffff8};

roce_verbs_rows_params roce_verbs_rows_defaults(void) { return (roce_verbs_rows_params){.timeout = 8}; }

/* ---- one row */

int verbs_row(roce_verbs_rows *i, const char *detail, const char *format, ...)
{
    va_list args;
    int n = snprintf(i->row, sizeof i->row, "%s-", i->params.name);
    va_start(args, format);
    vsnprintf(i->row + n, sizeof i->row - (size_t)n, format, args);
    va_end(args);
    if (i->params.only && !strstr(i->row, i->params.only)) return 0;
    i->rows++;
    if (i->list) fprintf(i->list, "%s\n", i->row);
    if (i->listing) return 0;
    i->detail = detail;
    i->overlooked = 0;
    *i->x.why = 0;
    memset(i->connections, 0, sizeof i->connections);
    memset(i->strikes, 0, sizeof i->strikes);
    i->connections_open = 0;
    return 1;
}

int verbs_connections_open(roce_verbs_rows *i, unsigned count)
{
    for (; i->connections_open < count; i->connections_open++)
        if (roce_connection_open(&i->x, &i->connections[i->connections_open])) {
            i->connections_open++;
            return -1;
        }
    return verbs_count_from_here(i);
}

void verbs_connections_close(roce_verbs_rows *i)
{
    ethernet_wire_set_tap(i->wire, NULL, NULL);
    verbs_flows_free(i);
    while (i->connections_open) roce_connection_close(&i->x, &i->connections[--i->connections_open]);
}

void verbs_row_end(roce_verbs_rows *i, int result)
{
    if (*sim_error(i->x.sim)) return;
    verbs_connections_close(i);
    if (result && !*i->x.why) roce_exchange_fails(&i->x, "it failed without a reason");
    i->bad += *i->x.why != 0;
    char text[ROCE_EXCHANGE_WHY];
    int n = snprintf(text, sizeof text, "%s", *i->x.why ? i->x.why : i->detail);
    if (i->overlooked)
        snprintf(text + n, sizeof text - (size_t)n, "; %u NAK-sequence came when Linux went back anyway",
                 i->overlooked);
    if (i->params.verdict) i->params.verdict(i->params.self, i->row, !*i->x.why, text);
}

/* Packets of all kinds; with a path MTU of 1024 the numbers of both sides wrap in the middle. */
#define SOME_OF_ALL                                                                                                    \
    {ROCE_SEND_IN, 3500}, {ROCE_SEND_IN, 100}, {ROCE_WRITE, 3499}, {ROCE_WRITE, 50}, {ROCE_READ, 3501},                \
        {ROCE_READ, 77}, {ROCE_SEND_OUT, 3503},                                                                        \
    {                                                                                                                  \
        ROCE_SEND_OUT, 90                                                                                              \
    }
static const roce_message some[] = {SOME_OF_ALL, SOME_OF_ALL, SOME_OF_ALL, SOME_OF_ALL};

void verbs_some_connections(roce_verbs_rows *i, unsigned count, uint32_t start)
{
    for (unsigned k = 0; k < count; k++)
        i->connections[k] =
            (roce_connection){.ipv6 = (int)(k & 1), .psn = start, .pmtu = 1024, .messages = some, .count = COUNT(some)};
}

/* ---- all of them */

static void all_rows(roce_verbs_rows *i)
{
    static void (*const parts[])(roce_verbs_rows *) = {verbs_data_rows, verbs_fault_rows, verbs_cut_rows,
                                                       verbs_bit_rows,  verbs_rnr_rows,   verbs_refused_rows};
    if (i->params.record) verbs_recorded_rows(i);
    for (unsigned k = 0; !i->params.record && k < COUNT(parts) && (i->listing || !*sim_error(i->x.sim)); k++)
        parts[k](i);
    *i->row = 0;
}

int roce_verbs_rows_run(roce_verbs_rows *i)
{
    if (!roce_exchange_region(&i->x)) all_rows(i);
    else sim_fail(i->x.sim, "%s", i->x.why);
    return *sim_error(i->x.sim) ? -1 : 0;
}

unsigned roce_verbs_rows_list(const roce_verbs_rows_params *params, FILE *out)
{
    roce_verbs_rows *i = calloc(1, sizeof *i);
    if (!i) return 0;
    i->params = *params;
    i->listing = 1;
    i->list = out;
    all_rows(i);
    unsigned rows = i->rows;
    free(i);
    return rows;
}

roce_verbs_rows *roce_verbs_rows_new(roce_end *end, roce_verbs *verbs, sim *s, sim_clock *clock, ethernet_wire *wire,
                                     const roce_verbs_rows_params *params)
{
    roce_verbs_rows *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    i->x = (roce_exchange){.end = end, .verbs = verbs, .sim = s, .clock = clock, .timeout = params->timeout};
    i->params = *params;
    i->wire = wire;
    if (!verbs_watch_line(i)) return i;
    free(i);
    return NULL;
}

void roce_verbs_rows_free(roce_verbs_rows *i) { free(i); }

void roce_verbs_rows_count(const roce_verbs_rows *i, unsigned *rows, unsigned *bad)
{
    *rows = i->rows;
    *bad = i->bad;
}

const char *roce_verbs_rows_row(const roce_verbs_rows *i) { return *i->row ? i->row : NULL; }
