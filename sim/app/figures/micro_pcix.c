/* Bus cycles of stores, descriptors and messages. Clocks are those of the bus, and counted inclusively where something
 * is counted from its first clock to its last: address phase 0, last data phase 591 are 592 clocks (pcix.md 13.5). */
#include <math.h>
#include <string.h>

#include "sim/app/figures/micro.h"

enum { SIZES = 64, LARGEST = 4096, QUEUES = 0x4000 /* in BAR1 */ };

/* Messages of one size on the pins: the worst of them, and the mean, compared with that of the counters. Later messages
 * of that size, after a counter was read, belong to another measurement. */
enum { ACTIVE, SPLIT, WRITE, COUNTERS };
static const char *const counters[COUNTERS] = {"H2N_ACTIVE", "SPLIT_DURATION", "N2H_ACTIVE"};
struct message {
    unsigned bytes;
    double first, total;             /* read: address phase to first data, to last data */
    double active, split;            /* read: REQ# to last data; waiting, from Split Response to first data */
    double write_first, write_total; /* write: REQ# to first data, to last data */
    double sum[COUNTERS];            /* of active, split, write_total */
    unsigned reads, writes;
    double counted[COUNTERS];
};

struct seen {
    const node *n[2];
    uint64_t registers, shared;
    /* the previous write: its kind, and its number on the bus */
    pcix_transaction before, descriptor; /* descriptor: its first store */
    double store, by_stores, line[5];    /* clocks from address to address; index: descriptors in the line */
    struct message message[SIZES];
    unsigned messages;
    struct message *now;
    pcix_transaction read;
    unsigned read_bytes, write_bytes;
    uint64_t write_start, read_first;
};

static void most(double *value, uint64_t clocks)
{
    if (!(*value >= (double)clocks)) *value = (double)clocks;
}

/* A write of the processor to the NIC. The distance to the one behind it counts if nothing was on the bus between them.
 */
static void on_store(struct seen *s, const pcix_transaction *t)
{
    uint64_t offset = t->address - s->registers, before = s->before.address - s->registers;
    int queue = offset >= QUEUES, follows = s->before.number && s->before.number + 1 == t->number;
    if (follows && !queue && t->bytes == 4 && before == offset) most(&s->store, t->start - s->before.start);
    if (queue && t->bytes == 4 && offset % 16 == 0) {
        if (s->descriptor.number && s->descriptor.number + 4 == t->number)
            most(&s->by_stores, t->start - s->descriptor.start);
        s->descriptor = *t;
    }
    if (queue && follows && t->bytes >= 16 && t->bytes == s->before.bytes)
        most(&s->line[t->bytes / 16], t->start - s->before.start);
    s->before = *t;
}

static struct message *of_size(struct seen *s, unsigned bytes)
{
    for (unsigned i = 0; i < s->messages; i++)
        if (s->message[i].bytes == bytes) return &s->message[i];
    if (s->messages == SIZES) return NULL;
    struct message *g = &s->message[s->messages++];
    *g = (struct message){bytes, NAN, NAN, NAN, NAN, NAN, NAN, {0}, 0, 0, {NAN, NAN, NAN}};
    return g;
}

static void at_sender(void *self, const pcix_transaction *t)
{
    struct seen *s = self;
    const node *n = s->n[0];
    if (t->command == PCIX_MEMORY_WRITE && t->target == n->nic_agent) on_store(s, t);
    if (t->command == PCIX_READ_BLOCK && t->initiator == n->nic_agent) {
        s->read = *t;
        s->read_bytes = s->write_bytes = 0;
        s->now = of_size(s, t->byte_count);
        if (s->now && !isnan(s->now->counted[0])) s->now = NULL;
    }
    if (t->command != PCIX_SPLIT_COMPLETION || t->target != n->nic_agent || !s->now) return;
    if (!s->read_bytes) s->read_first = t->first_data;
    s->read_bytes += t->bytes;
    if (s->read_bytes < s->now->bytes) return;
    uint64_t active = t->last_data - (s->read.request ? s->read.request : s->read.start) + 1,
             split = s->read_first - s->read.response - 1;
    most(&s->now->first, s->read_first - s->read.start);
    most(&s->now->split, split);
    most(&s->now->total, t->last_data - s->read.start + 1);
    most(&s->now->active, active);
    s->now->sum[ACTIVE] += (double)active;
    s->now->sum[SPLIT] += (double)split;
    s->now->reads++;
}

static void at_receiver(void *self, const pcix_transaction *t)
{
    struct seen *s = self;
    if (t->command != PCIX_WRITE_BLOCK || t->initiator != s->n[1]->nic_agent || !s->now || t->address < s->shared ||
        t->address >= s->shared + s->now->bytes)
        return;
    if (!s->write_bytes) {
        s->write_start = t->request && t->request < t->start ? t->request : t->start;
        most(&s->now->write_first, t->first_data - s->write_start);
    }
    s->write_bytes += t->bytes;
    if (s->write_bytes < s->now->bytes) return;
    most(&s->now->write_total, t->last_data - s->write_start + 1);
    s->now->sum[WRITE] += (double)(t->last_data - s->write_start + 1);
    s->now->writes++;
}

static void began(micro_run *r)
{
    struct seen *s = r->arg;
    for (int i = 0; i < 2; i++) s->n[i] = r->f->node[i];
    s->registers = nx_bus_find(s->n[0]->bus, NX_VENDOR_ID, NX_DEVICE_ID, 0)->bar[1].address;
    s->shared = r->shared;
    host_on_transaction(s->n[0]->host, at_sender, s);
    host_on_transaction(s->n[1]->host, at_receiver, s);
}

static void on_figure(micro_run *r, unsigned rank, const char *name, double value)
{
    unsigned bytes;
    char counter[32];
    struct message *g = sscanf(name, "%u bytes, %31s", &bytes, counter) == 2 ? of_size(r->arg, bytes) : NULL;
    (void)rank;
    for (unsigned i = 0; g && i < COUNTERS; i++)
        if (!strcmp(counter, counters[i])) g->counted[i] = value;
}

/* ---- rows */

static double mib(double bytes, double clocks) { return bytes / (clocks * 10e-9) / (1 << 20); }

/* The counters run from REQ# to two clocks after the last data phase, from the Split Response itself, and from REQ# to
 * the last data. */
static double disagreement(const struct message *g)
{
    static const double longer[COUNTERS] = {2, 1, 0};
    double worst = 0;
    for (unsigned i = 0; i < COUNTERS; i++)
        worst = fmax(worst, fabs(g->counted[i] - longer[i] - g->sum[i] / (i == WRITE ? g->writes : g->reads)));
    return worst;
}

static const micro_row posted[] = {
    {"one 32-bit store", "clocks", "10", '<', 10, "address phase to the address phase of the next"},
    {"one descriptor by four of them", "clocks", "40", '<', 40,
     "address phase of its first store to that of the next descriptor"},
    {"1 descriptor combined", "clocks", "9 (90 ns)", '<', 9,
     "address phase of its burst to that of the next, which follows as soon as it may"},
    {"2 descriptors combined", "clocks", "11 (110 ns)", '<', 11, NULL},
    {"4 descriptors combined", "clocks", "24", '<', 24, NULL},
    {"... as 16 single stores, against that", "times", "6", '>', 6, NULL},
};
static const micro_row moved[] = {
    {"DMA read, to its first word, the longest of all sizes", "clocks", "50", '<', 60,
     "address phase of the read to the first data phase of a completion"},
    {"... shortest to longest of all sizes", "clocks", "15 (45..60)", '<', 15, NULL},
    {"DMA read of 4 KB", "clocks", "592 (577)", '<', 592,
     "address phase of the read to the last data phase, both included"},
    {"... from REQ# on", "clocks", "577 (S4)", 0, 0, NULL},
    {"... split: waiting for the first of 8 bytes", "clocks", "46 (S4)", 0, 0,
     "clocks between Split Response and first data phase"},
    {"... split: waiting for the first of 4 KB", "clocks", "57 (S4)", 0, 0, NULL},
    {"... rate", "MiB/s", "662", '>', 659, NULL},
    {"... clocks that move data", "%", "87 (89)", 0, 0, NULL},
    {"DMA write of 4 KB", "clocks", "570", '<', 570, "REQ# to the last data phase, both included"},
    {"... rate", "MiB/s", "685", '>', 685, NULL},
    {"... clocks that move data", "%", "90", 0, 0, NULL},
    {"NIC's counters against pins, all sizes, at most", "clocks", NULL, '<', 1,
     "H2N_ACTIVE, SPLIT_DURATION and N2H_ACTIVE per message against the same from the pins"},
};
enum { POSTED = sizeof posted / sizeof *posted, MOVED = sizeof moved / sizeof *moved };

static void values(struct seen *s, double v[POSTED], double w[MOVED])
{
    double longest = NAN, shortest = NAN, deviation = NAN;
    for (unsigned i = 0; i < s->messages; i++) {
        if (isnan(s->message[i].counted[0])) continue;
        longest = fmax(longest, s->message[i].first);
        shortest = fmin(shortest, s->message[i].first);
        deviation = fmax(deviation, disagreement(&s->message[i]));
    }
    const struct message *g = of_size(s, LARGEST), *small = of_size(s, 8);
    memcpy(v, (double[]){s->store, s->by_stores, s->line[1], s->line[2], s->line[4], 16 * s->store / s->line[4]},
           POSTED * sizeof *v);
    memcpy(w,
           (double[]){longest, longest - shortest, g->total, g->active, small->split, g->split, mib(LARGEST, g->total),
                      100 * LARGEST / 8 / g->total, g->write_total, mib(LARGEST, g->write_total),
                      100 * LARGEST / 8 / g->write_total, deviation},
           MOVED * sizeof *w);
}

/* All sizes, of both hosts. */
static void table(micro *m, struct seen *s)
{
    static const char *const curves[2] = {"DMA read", "DMA write"};
    FILE *t = text_table(stdout, 0,
                         "<message\n[bytes]\t<host\tDMA read [clocks]\nfirst\tin all\tMiB/s\tdata"
                         "\tDMA write [clocks]\nfirst\tin all\tMiB/s\tdata");
    for (unsigned i = 0; i < s->messages; i++)
        for (unsigned h = 0; h < MICRO_HOSTS; h++) {
            const struct message *g = of_size(&s[h], s->message[i].bytes);
            if (isnan(g->counted[0])) continue;
            double total[2] = {g->total, g->write_total};
            fprintf(t, "%u\t%s", g->bytes, micro_hosts[h]);
            for (int w = 0; w < 2; w++) {
                char curve[64];
                fprintf(t, "\t%.0f\t%.0f\t%.1f\t%.1f%%%s", w ? g->write_first : g->first, total[w],
                        mib(g->bytes, total[w]), 100.0 * g->bytes / 8 / total[w], w ? "\n" : "");
                snprintf(curve, sizeof curve, "%s, %s", curves[w], micro_hosts[h]);
                micro_point(m, "pcix", curve, g->bytes, mib(g->bytes, total[w]));
            }
        }
    fclose(t);
}

static int run(micro *m)
{
    static struct seen s[MICRO_HOSTS];
    double v[MICRO_HOSTS][POSTED], w[MICRO_HOSTS][MOVED], row[MICRO_HOSTS];
    char arguments[256];
    snprintf(arguments, sizeof arguments, "--sizes %s", micro_sizes(m, "8..4096"));
    for (unsigned h = 0; h < MICRO_HOSTS; h++) {
        s[h] = (struct seen){.store = NAN, .by_stores = NAN, .line = {NAN, NAN, NAN, NAN, NAN}};
        micro_run combined = {.program = "pcix",
                              .arguments = arguments,
                              .host = h,
                              .posting = NX_POST_COMBINED,
                              .payload = 512,
                              .began = began,
                              .figure = on_figure,
                              .arg = &s[h]};
        micro_run stores = combined;
        stores.arguments = "--sizes 8 --rounds 1";
        stores.posting = NX_POST_STORES32;
        stores.figure = NULL;
        if (micro_run_program(m, "write combining", &combined)) return -1;
        s[h].before.number = s[h].descriptor.number = 0; /* another bus */
        if (micro_run_program(m, "stores", &stores)) return -1;
        values(&s[h], v[h], w[h]);
    }
    for (unsigned i = 0; i < POSTED + MOVED; i++) {
        for (unsigned h = 0; h < MICRO_HOSTS; h++) row[h] = i < POSTED ? v[h][i] : w[h][i - POSTED];
        micro_put(m, i < POSTED ? &posted[i] : &moved[i - POSTED], row);
    }
    table(m, s);
    return 0;
}

const micro_benchmark micro_pcix = {"pcix", "what stores, descriptors and messages take on the bus (S2 5.2, S4 2.6)",
                                    run};
