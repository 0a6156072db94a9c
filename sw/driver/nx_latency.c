// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Latency by time stamps: files, distribution, table; see nx_latency.h. */
#include "nx_latency.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nx_number.h"

enum { VERSION = 1, ROWS = 10 /* of a histogram */, BAR = 50, SOURCES = 128 };

int nx_latency_add(nx_latency *l, unsigned source, unsigned words, nx_stamps stamps)
{
    if ((l->count & (l->count - 1)) == 0) { /* doubled */
        void *more = realloc(l->packet, (l->count ? 2 * (size_t)l->count : 1) * sizeof *l->packet);
        if (!more) return -1;
        l->packet = more;
    }
    l->packet[l->count++] = (nx_latency_packet){source, words, stamps};
    return 0;
}

void nx_latency_clear(nx_latency *l)
{
    free(l->packet);
    *l = (nx_latency){.node = l->node};
}

int nx_latency_save(const nx_latency *l, FILE *file)
{
    fprintf(file, "nxlatency %d node %u packets %u\n", VERSION, l->node, l->count);
    for (unsigned i = 0; i < l->count; i++) {
        const nx_latency_packet *p = &l->packet[i];
        fprintf(file, "%u %u %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", p->source, p->words, p->stamps.created,
                p->stamps.departed, p->stamps.arrived, p->stamps.left);
    }
    fprintf(file, "end\n");
    return fflush(file) || ferror(file) ? -1 : 0;
}

int nx_latency_load(nx_latency *l, FILE *file, char *why, size_t size)
{
    char line[160] = "";
    const char *at = line;
    memset(l, 0, sizeof *l);
    int whole = nx_line(file, line, sizeof line);
    unsigned version = (unsigned)nx_number_behind(&at, "nxlatency ", 10, UINT32_MAX);
    if (!at) return snprintf(why, size, "line 1: no time stamps, expected 'nxlatency %d' at its start", VERSION), -1;
    if (version != VERSION)
        return snprintf(why, size, "line 1: time stamps of version %u, expected version %d", version, VERSION), -1;
    l->node = (unsigned)nx_number_behind(&at, " node ", 10, UINT32_MAX);
    unsigned count = (unsigned)nx_number_behind(&at, " packets ", 10, 999999999);
    if (!whole || !at || *at) return snprintf(why, size, "line 1: '%.100s', expected node and packets", line), -1;
    for (unsigned i = 0; i < count; i++) {
        if (!nx_line(file, line, sizeof line))
            return snprintf(why, size, "line %u: cut off, expected %u packets, there are %u", i + 2, count, i), -1;
        at = line;
        unsigned source = (unsigned)nx_number_behind(&at, "", 10, SOURCES - 1);
        unsigned words = (unsigned)nx_number_behind(&at, " ", 10, 999999999);
        uint32_t stamp[4];
        for (unsigned k = 0; k < 4; k++) stamp[k] = (uint32_t)nx_number_behind(&at, " ", 10, UINT32_MAX);
        if (!at || *at || words < NX_STAMPED_WORDS)
            return snprintf(why, size, "line %u: '%.100s', expected a packet: source, words and four stamps", i + 2,
                            line),
                   -1;
        if (nx_latency_add(l, source, words, (nx_stamps){stamp[0], stamp[1], stamp[2], stamp[3]}))
            return snprintf(why, size, "no memory for %u packets", count), -1;
    }
    if (!nx_line(file, line, sizeof line) || strcmp(line, "end"))
        return snprintf(why, size, "line %u: cut off or damaged, expected end", count + 2), -1;
    return 0;
}

static int earlier(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Both are 0 where no switch has put in its own. */
static int passed_switch(const nx_stamps *s) { return s->arrived || s->left; }

unsigned nx_latency_stage(const nx_latency *l, unsigned source, unsigned stage, uint32_t *clocks)
{
    unsigned count = 0;
    for (unsigned i = 0; i < l->count; i++) {
        const nx_stamps *s = &l->packet[i].stamps;
        if (l->packet[i].source != source || (stage == NX_IN_SWITCH && !passed_switch(s))) continue;
        clocks[count++] = stage == NX_IN_SWITCH ? s->left - s->arrived : s->departed - s->created;
    }
    if (count) qsort(clocks, count, sizeof *clocks, earlier);
    return count;
}

uint32_t nx_latency_percentile(const uint32_t *clocks, unsigned count, unsigned percent)
{
    return count ? clocks[(uint64_t)(count - 1) * percent / 100] : 0;
}

/* The first and the last one to leave the switch, in clocks after one of them all: stamps wrap around. NULL: none has.
 */
static const nx_latency_packet *ends(const nx_latency *l, int32_t *first, int32_t *last)
{
    const nx_latency_packet *latest = NULL;
    uint32_t zero = 0;
    *first = *last = 0;
    for (unsigned i = 0; i < l->count; i++) {
        const nx_stamps *s = &l->packet[i].stamps;
        if (!passed_switch(s)) continue;
        if (!latest) zero = s->left;
        int32_t at = (int32_t)(s->left - zero);
        if (at < *first) *first = at;
        if (!latest || at > *last) *last = at, latest = &l->packet[i];
    }
    return latest;
}

uint32_t nx_latency_span(const nx_latency *l)
{
    int32_t first, last;
    ends(l, &first, &last);
    return (uint32_t)last - (uint32_t)first;
}

double nx_latency_rate(const nx_latency *l, unsigned source)
{
    int32_t first, last;
    uint64_t words = 0;
    const nx_latency_packet *latest = ends(l, &first, &last);
    for (unsigned i = 0; i < l->count; i++)
        if (l->packet[i].source == source && &l->packet[i] != latest) words += l->packet[i].words;
    return first == last ? 0 : 8.0 * (double)words * NX_LINK_KHZ * 1e3 / (1 << 20) / ((double)last - first);
}

static void print_histogram(const uint32_t *clocks, unsigned count, FILE *file)
{
    uint64_t least = clocks[0], width = (clocks[count - 1] - least) / ROWS + 1;
    unsigned row[ROWS] = {0}, most = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned *r = &row[(clocks[i] - least) / width];
        if (++*r > most) most = *r;
    }
    for (unsigned i = 0; i < ROWS && least + i * width <= clocks[count - 1]; i++)
        fprintf(file, "%20" PRIu64 "..%-10" PRIu64 "%6u  %.*s\n", least + i * width, least + (i + 1) * width - 1,
                row[i], (int)((row[i] * BAR + most - 1) / most), "##################################################");
}

void nx_latency_print(const nx_latency *l, int histograms, FILE *file)
{
    static const char *const names[NX_LATENCY_STAGES] = {"in NIC", "in switch"};
    uint32_t span = nx_latency_span(l), *clocks = malloc((l->count + 1) * sizeof *clocks);
    double rate, sum = 0;
    fprintf(file, "node %u: %u packets with time stamps\n", l->node, l->count);
    if (!clocks) {
        fprintf(file, "no memory to sort them\n");
        return;
    }
    fprintf(file, "source  stage      packets     least    median      99 %%      most  [clocks]\n");
    for (unsigned source = 0; source < SOURCES; source++)
        for (unsigned stage = 0; stage < NX_LATENCY_STAGES; stage++) {
            unsigned count = nx_latency_stage(l, source, stage, clocks);
            if (!count) continue;
            fprintf(file, "%6u  %-9s %8u", source, names[stage], count);
            for (unsigned i = 0; i < 4; i++)
                fprintf(file, "%10" PRIu32,
                        nx_latency_percentile(clocks, count, (const unsigned[]){0, 50, 99, 100}[i]));
            fprintf(file, "\n");
            if (histograms) print_histogram(clocks, count, file);
        }
    for (unsigned source = 0; span && source < SOURCES; source++) {
        if (!nx_latency_stage(l, source, NX_IN_SWITCH, clocks)) continue;
        sum += rate = nx_latency_rate(l, source);
        fprintf(file, "%6u  %-9s %8.1f MiB/s\n", source, "payload", rate);
    }
    if (span) fprintf(file, "   all  %-9s %8.1f MiB/s\n", "payload", sum);
    free(clocks);
}
