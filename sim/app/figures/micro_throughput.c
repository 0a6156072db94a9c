/* Throughput between two NICs over sizes of messages (S4, figure 3; S1, figure 13), and over what the sender believes
 * the receiver to hold (S4 4.3).
 *
 * One way counts from the pins: payload from the first SOP on the cable to the last word in the receiver's memory.
 * Ping-pong is the program's own: size over half a round trip, as host 0 sees it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/figures/micro.h"

enum { MOST_SIZES = 64, SEGMENT = 4096, WHOLE_PACKETS = 3968 /* 8 of 496 bytes */ };
enum { ONE_WAY, PING_PONG, TESTS };
static const unsigned payloads[2] = {512, 62};
static const enum nx_posting postings[2] = {NX_POST_STORES32, NX_POST_COMBINED};
static const char *const posting_names[2] = {"stores", "combined"};

/* Rates by size [MiB/s]. */
struct curve {
    unsigned count, size[MOST_SIZES];
    double rate[MOST_SIZES], counted[MOST_SIZES]; /* counted: by the NIC's counters; NAN: not */
    pair *pair;
    meter *meter;
};

static void put(struct curve *c, unsigned bytes, double rate)
{
    if (c->count == MOST_SIZES) return;
    c->size[c->count] = bytes;
    c->counted[c->count] = NAN;
    c->rate[c->count++] = rate;
}

static void one_way_began(micro_run *r)
{
    struct curve *c = r->arg;
    c->pair = pair_in(r->f, 0, 1);
    c->meter = c->pair ? meter_new(c->pair) : NULL;
}

/* Host 0 posts its results of a size when all its messages have arrived: the meter's results up to then belong to it as
 * well. */
static void one_way_figure(micro_run *r, unsigned rank, const char *name, double value)
{
    struct curve *c = r->arg;
    unsigned bytes;
    char end;
    meter_direction d;
    if (rank || !c->meter) return;
    if (sscanf(name, "to host 1, %u byte%c", &bytes, &end) != 2) return;
    if (strstr(name, "counters")) {
        if (c->count) c->counted[c->count - 1] = value * 100e6 / (1 << 20);
        return;
    }
    meter_get(c->meter, 0, &d);
    meter_clear(c->meter);
    put(c, bytes, d.mib_per_second);
}

static void ping_pong_figure(micro_run *r, unsigned rank, const char *name, double value)
{
    unsigned bytes;
    if (!rank && sscanf(name, "half round trip, %u bytes", &bytes) == 1)
        put(r->arg, bytes, bytes / value * 1e9 / (1 << 20));
}

static int measure(const micro *m, unsigned test, unsigned host, enum nx_posting posting, unsigned payload,
                   unsigned capacity, const char *sizes, struct curve *c)
{
    char arguments[320];
    if (test == ONE_WAY)
        snprintf(arguments, sizeof arguments, "--together 0 --messages 512 --bytes 524288 --sizes %s", sizes);
    else snprintf(arguments, sizeof arguments, "--rounds 4 --sizes %s", sizes);
    *c = (struct curve){.count = 0};
    micro_run r = {.program = test == ONE_WAY ? "throughput" : "pingpong",
                   .arguments = arguments,
                   .host = host,
                   .posting = posting,
                   .payload = payload,
                   .tx_capacity = capacity,
                   .began = test == ONE_WAY ? one_way_began : NULL,
                   .figure = test == ONE_WAY ? one_way_figure : ping_pong_figure,
                   .arg = c};
    int result = micro_run_program(m, test == ONE_WAY ? "one way" : "ping-pong", &r);
    meter_free(c->meter);
    pair_free(c->pair);
    c->meter = NULL;
    c->pair = NULL;
    return result;
}

/* ---- throughput ---- */

/* [test][host][payload][posting] */
typedef struct curve curves[TESTS][MICRO_HOSTS][2][2];

static double rate_of(const struct curve *c, unsigned bytes)
{
    for (unsigned i = 0; i < c->count; i++)
        if (c->size[i] == bytes) return c->rate[i];
    return NAN;
}

/* The least rate from 4 KB up, or of sizes that are multiples of whole packets. */
static double least_of(const struct curve *c, unsigned multiple)
{
    double least = NAN;
    for (unsigned i = 0; i < c->count; i++)
        if (multiple ? c->size[i] % multiple == 0 : c->size[i] >= SEGMENT) least = fmin(least, c->rate[i]);
    return least;
}

/* By how much [%] `a` is below `b` at the worst size. */
static double worst_below(const struct curve *a, const struct curve *b)
{
    double worst = NAN;
    for (unsigned i = 0; i < a->count; i++) worst = fmax(worst, 100 * (1 - a->rate[i] / rate_of(b, a->size[i])));
    return worst;
}

/* By how much [%] a size up to 4 KB is below the next smaller one, at the worst. */
static double worst_fall(const struct curve *c)
{
    double worst = NAN;
    for (unsigned i = 1; i < c->count; i++)
        if (c->size[i] <= SEGMENT && c->size[i] > c->size[i - 1])
            worst = fmax(worst, 100 * (1 - c->rate[i] / c->rate[i - 1]));
    return worst;
}

/* By how much [%] the rate falls behind a multiple of 4 KB, by one word more; and how much of that is not explained by
 * the clocks that the link takes, with SOP, header and CRCs, for packets of 512 words, and for one more with the word
 * behind them: a link word per clock, or with a pair of links a word of 64 bits (rtl/nic/link/bundle.md). */
static double step_behind(const struct curve *c, unsigned segments)
{
    return 100 * (1 - rate_of(c, segments * SEGMENT + 8) / rate_of(c, segments * SEGMENT));
}

static double unexplained(const struct curve *c, int pair)
{
    double whole = pair ? 515 : 1029, more = pair ? 4 : 7;
    double worst = NAN;
    for (unsigned n = 1; n <= 3; n++) {
        double words = (512.0 * n + 1) / (whole * n + more) / (512.0 / whole);
        worst = fmax(worst, fabs(step_behind(c, n) - 100 * (1 - words)));
    }
    return worst;
}

static double worst_counted(const struct curve *c)
{
    double worst = NAN;
    for (unsigned i = 0; i < c->count; i++) worst = fmax(worst, 100 * fabs(1 - c->counted[i] / c->rate[i]));
    return worst;
}

static void worst_of_all(curves x, unsigned host, double *below, double *above, double *fall)
{
    *below = *above = *fall = NAN;
    for (unsigned p = 0; p < 2; p++)
        for (unsigned k = 0; k < 2; k++) {
            *above = fmax(*above, worst_below(&x[ONE_WAY][host][p][k], &x[PING_PONG][host][p][k]));
            for (unsigned t = 0; t < TESTS; t++) {
                *below = fmax(*below, worst_below(&x[t][host][p][1], &x[t][host][p][0]));
                *fall = fmax(*fall, worst_fall(&x[t][host][p][k]));
            }
        }
}

static void table(micro *m, curves x, unsigned host)
{
    static const char *const tests[TESTS] = {"one way", "ping-pong"};
    const struct curve *sizes = &x[ONE_WAY][host][0][0];
    printf("\n%s [MiB/s]\n", micro_hosts[host]);
    FILE *out = text_table(stdout, 0,
                           "<message\t4096-byte packets\none way\tcombined\tping-pong\tcombined"
                           "\t496-byte packets\none way\tcombined\tping-pong\tcombined");
    for (unsigned i = 0; i < sizes->count; i++) {
        fprintf(out, "%u", sizes->size[i]);
        for (unsigned p = 0; p < 2; p++)
            for (unsigned t = 0; t < TESTS; t++)
                for (unsigned k = 0; k < 2; k++) fprintf(out, "\t%.1f", rate_of(&x[t][host][p][k], sizes->size[i]));
        fputs("\n", out);
    }
    fclose(out);
    for (unsigned t = 0; t < TESTS; t++)
        for (unsigned p = 0; p < 2; p++)
            for (unsigned k = 0; k < 2; k++)
                for (unsigned i = 0; i < x[t][host][p][k].count; i++) {
                    char curve[96];
                    snprintf(curve, sizeof curve, "%s, %s, %u-byte packets, %s", tests[t], posting_names[k],
                             8 * payloads[p], micro_hosts[host]);
                    micro_point(m, "throughput", curve, x[t][host][p][k].size[i], x[t][host][p][k].rate[i]);
                }
}

static int run(micro *m)
{
    static curves x;
    const char *sizes = micro_sizes(m, "8..2048,3968,4096,4104,6144,7936,8192,8200,12288,12296,16384..1048576");
    /* The bus, at 659 MiB/s, has no time left for a pair's short rests of messages, each a read: no limits there. */
    int pair = micro_links(m) == 2;
    const char *below_line = !pair ? "below 298" : "below 596";
    for (unsigned t = 0; t < TESTS; t++)
        for (unsigned h = 0; h < MICRO_HOSTS; h++)
            for (unsigned p = 0; p < 2; p++)
                for (unsigned k = 0; k < 2; k++)
                    if (measure(m, t, h, postings[k], payloads[p], 0, sizes, &x[t][h][p][k])) return -1;
    double long_packets[MICRO_HOSTS], short_packets[2][MICRO_HOSTS], left[MICRO_HOSTS], below[MICRO_HOSTS],
        above[MICRO_HOSTS], fall[MICRO_HOSTS], step[3][MICRO_HOSTS], counted[MICRO_HOSTS];
    for (unsigned h = 0; h < MICRO_HOSTS; h++) {
        const struct curve *best = &x[ONE_WAY][h][0][1];
        long_packets[h] = least_of(best, 0);
        short_packets[0][h] = least_of(&x[ONE_WAY][h][1][1], WHOLE_PACKETS);
        short_packets[1][h] = least_of(&x[ONE_WAY][h][1][1], 0);
        left[h] = unexplained(best, pair);
        worst_of_all(x, h, &below[h], &above[h], &fall[h]);
        for (unsigned i = 0; i < 3; i++) step[i][h] = step_behind(best, i + 1);
        counted[h] = worst_counted(best);
    }
    micro_put(m,
              &(micro_row){"one way, 4096-byte packets, from 4 KB up, least", "MiB/s", below_line, '>',
                           pair ? 580 : 293,
                           "payload from the first SOP on the cable to the last word in memory; ping-pong: over half a "
                           "round trip of host 0"},
              long_packets);
    micro_put(m,
              &(micro_row){"one way, 496-byte packets, whole ones, least", "MiB/s", below_line, '>', pair ? 555 : 285,
                           "messages of 3968 and 7936 bytes"},
              short_packets[0]);
    micro_put_beyond(m,
                     &(micro_row){"one way, 496-byte packets, from 4 KB up, least", "MiB/s", below_line, '>',
                                  pair ? 555 : 285, NULL},
                     short_packets[1],
                     pair ? "4096 bytes are 8 packets of 496 and one of 128: 512 words in 539 clocks, 566.1 MiB/s"
                          : "4096 bytes are 8 packets of 496 and one of 128: 1024 of 1069 link words, 285.5 "
                            "MiB/s, of which check records, credits on their timer and idle words take 0.3 %");
    micro_put(m,
              &(micro_row){"combining below stores, at most", "%", NULL, '<', 1,
                           "the worst size of all curves, as the next two"},
              below);
    micro_put(m, &(micro_row){"ping-pong above one way, at most", "%", NULL, '<', 0, NULL}, above);
    micro_put(m, &(micro_row){"up to 4 KB: below the next smaller size, at most", "%", NULL, pair ? 0 : '<', 2, NULL},
              fall);
    for (unsigned i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "step behind %u KB", 4 * (i + 1));
        micro_put(m,
                  &(micro_row){name, "%", NULL, 0, 0,
                               i ? NULL : "one way, combined, 4096-byte packets: the rate of one word more than that"},
                  step[i]);
    }
    micro_put(
        m,
        &(micro_row){"... not explained by one packet more on the link", "%", NULL, pair ? 0 : '<', 0.1,
                     "(512 n + 1) words in the clocks of n + 1 packets, against 512 in those of one; of all three"},
        left);
    micro_put(m,
              &(micro_row){"NIC's counters against pins, at most", "%", NULL, 0, 0,
                           "H2N_WORDS over CUMULATIVE_TIMER of the sender: from its first REQ# to the last "
                           "notification in its own memory"},
              counted);
    for (unsigned h = 0; h < MICRO_HOSTS; h++) table(m, x, h);
    return 0;
}

const micro_benchmark micro_throughput = {
    "throughput", "payload between two NICs over the size of messages (S4, figure 3; S1, figure 13)", run};

/* ---- capacity ---- */

/* Link words that the sender takes the receiver's buffer for; it holds 2046. A packet must fit (2 n + 4), and
 * 31 words more: credits count in steps of 32. */
static const unsigned capacities[2][12] = {{1060, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2046},
                                           {160, 176, 192, 224, 256, 288, 320, 384, 512, 1024, 2046}};

static int run_capacity(micro *m)
{
    static double rate[2][MICRO_HOSTS][12];
    for (unsigned p = 0; p < 2; p++)
        for (unsigned h = 0; h < MICRO_HOSTS; h++)
            for (unsigned i = 0; capacities[p][i]; i++) {
                static struct curve c;
                char curve[64];
                if (measure(m, ONE_WAY, h, NX_POST_COMBINED, payloads[p], capacities[p][i], p ? "3968" : "4096", &c) ||
                    !c.count)
                    return -1;
                rate[p][h][i] = c.rate[0];
                snprintf(curve, sizeof curve, "%u-byte packets, %s", 8 * payloads[p], micro_hosts[h]);
                micro_point(m, "capacity", curve, capacities[p][i], c.rate[0]);
            }
    for (unsigned p = 0; p < 2; p++)
        for (unsigned i = 0; capacities[p][i]; i++) {
            char name[80];
            snprintf(name, sizeof name, "%u-byte packets, receiver taken for %u link words", 8 * payloads[p],
                     capacities[p][i]);
            micro_put(m,
                      &(micro_row){name, "MiB/s", NULL, 0, 0,
                                   p || i ? NULL : "as one way in throughput, messages of 4096 or 3968 bytes"},
                      (double[]){rate[p][0][i], rate[p][1][i]});
        }
    for (unsigned p = 0; p < 2; p++) {
        char name[80];
        double cost[MICRO_HOSTS];
        for (unsigned h = 0; h < MICRO_HOSTS; h++) cost[h] = 100 * (1 - rate[p][h][0] / rate[p][h][10]);
        snprintf(name, sizeof name, "%u-byte packets, the first less than the last", 8 * payloads[p]);
        micro_put(m, &(micro_row){name, "%", p ? NULL : "10..15", 0, 0, NULL}, cost);
    }
    return 0;
}

const micro_benchmark micro_capacity = {
    "capacity", "cost of a conservative estimate of the receiver's buffer (S4 4.3: 10 to 15 %)", run_capacity};
