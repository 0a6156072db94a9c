#include "sim/app/roce/linux/roce_rping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 8 };

struct roce_rping {
    roce_linux *linux_;
    sim *sim;
    rn_verbs device;
    rn_rping *server;
    char said[SAID][128]; /* by the server */
    unsigned lines;
    unsigned round, rounds; /* of the row */
};

roce_rping_params roce_rping_defaults(void) { return (roce_rping_params){.timeout = 8}; }

/* ---- the row */

static int refuse(char *error, const char *format, unsigned value)
{
    snprintf(error, OPTION_ERROR, format, value);
    return -1;
}

unsigned roce_rping_longest_pmtu(unsigned mtu)
{
    unsigned pmtu = 256;
    while (pmtu < 4096 && roce_linux_mtu_for(2 * pmtu) <= mtu) pmtu *= 2;
    return pmtu;
}

int roce_rping_check(const roce_rping_row *r, unsigned mtu, char error[OPTION_ERROR])
{
    if (r->at_once < 1 || r->at_once > ROCE_RPING_CLIENTS)
        return refuse(error, "qps %u: expected 1 to 16 with peer rxe", r->at_once);
    if (r->shortest < ROCE_RPING_SHORTEST || r->longest > ROCE_RPING_LONGEST || r->shortest > r->longest)
        return refuse(error, "longest %u: expected 64 to 65535 with peer rxe, the size of a ping", r->longest);
    if (r->pmtu < 256 || r->pmtu > 4096 || (r->pmtu & (r->pmtu - 1)))
        return refuse(error, "pmtu %u: expected 256, 512, 1024, 2048 or 4096", r->pmtu);
    if (r->pmtu > roce_rping_longest_pmtu(mtu)) {
        snprintf(error, OPTION_ERROR, "pmtu %u: expected at most %u with this guest, whose MTU is at most %u", r->pmtu,
                 roce_rping_longest_pmtu(mtu), mtu);
        return -1;
    }
    if (r->ip == 6 && r->pmtu < 1024)
        return refuse(error, "pmtu %u: expected 1024 or more with IPv6, whose MTU is at least 1280", r->pmtu);
    return 0;
}

/* From 0 to 1. */
static unsigned size_at(const roce_rping_row *row, double part)
{
    return (unsigned)lround(row->shortest * pow((double)row->longest / row->shortest, part));
}

/* The clients of a round also differ in their sizes. */
static void commands(char text[ROCE_LINUX_COMMANDS], const roce_rping_row *row, unsigned time)
{
    unsigned all = row->times * row->at_once;
    size_t n = 0;
    for (unsigned i = 0; i < row->at_once; i++)
        n += (size_t)snprintf(text + n, ROCE_LINUX_COMMANDS - n, "%srping -c -a %s -V -C %u -S %u", i ? ";" : "",
                              row->ip == 6 ? "fd00::1" : "10.0.0.1", row->pings,
                              size_at(row, all > 1 ? (double)(time * row->at_once + i) / (all - 1) : 1));
}

/* Increase of a sum from `was` to `now`. */
static void differ(roce_rping_result *result, const rn_rping_stats *was, const rn_rping_stats *now)
{
    result->connections = now->connections - was->connections;
    result->pings = now->pings - was->pings;
    result->unacknowledged = now->unacknowledged - was->unacknowledged;
    result->bytes = now->bytes - was->bytes;
    result->failures = now->failures - was->failures;
}

int roce_rping_run(roce_rping *r, const roce_rping_row *row, roce_rping_result *result)
{
    char text[ROCE_LINUX_COMMANDS];
    const roce_linux_result *programs = roce_linux_get_result(r->linux_);
    const unsigned good = programs->good, bad = programs->bad;
    const rn_rping_stats was = *rn_rping_get_stats(r->server);
    const double from = sim_wall();
    *result = (roce_rping_result){.pmtu_least = UINT32_MAX};
    r->rounds = row->times;
    int code = roce_linux_mtu(r->linux_, row->pmtu);
    for (r->round = 0; !code && r->round < row->times; r->round++) {
        commands(text, row, r->round);
        code = roce_linux_run(r->linux_, text);
        unsigned pmtu = rn_rping_get_stats(r->server)->pmtu;
        if (pmtu < result->pmtu_least) result->pmtu_least = pmtu;
        if (pmtu > result->pmtu_most) result->pmtu_most = pmtu;
    }
    differ(result, &was, rn_rping_get_stats(r->server));
    result->good = programs->good - good;
    result->bad = programs->bad - bad;
    result->seconds = sim_wall() - from;
    return code;
}

int roce_rping_well(const roce_rping_row *row, const roce_rping_result *result)
{
    const unsigned clients = row->times * row->at_once;
    return result->good == clients && !result->bad && result->connections == clients && !result->failures &&
           result->pings + result->unacknowledged == (uint64_t)clients * row->pings &&
           result->pmtu_least == row->pmtu && result->pmtu_most == row->pmtu;
}

/* ---- life */

static void log_line(void *self, const char *line)
{
    roce_rping *r = self;
    snprintf(r->said[r->lines++ % SAID], sizeof r->said[0], "%s", line);
}

static int serve(void *self)
{
    roce_rping *r = self;
    int result = rn_rping_poll(r->server);
    if (result < 0) sim_fail(r->sim, "the server of rping: %s", r->device.error(r->device.self));
    return result;
}

roce_rping *roce_rping_new(roce_linux *l, sim *s, const rn_verbs *device, const roce_rping_params *params)
{
    roce_rping *r = calloc(1, sizeof *r);
    rn_rping_params p = rn_rping_params_default();
    p.log = log_line;
    p.self = r;
    p.timeout = params->timeout;
    p.handshake = params->handshake;
    p.seed = (uint32_t)sim_seed(s);
    if (!r || rn_rping_new(device, &p, &r->server)) {
        sim_fail(s, "no memory for the server of rping");
        free(r);
        return NULL;
    }
    r->linux_ = l;
    r->sim = s;
    r->device = *device;
    roce_linux_on_wait(l, serve, r);
    return r;
}

void roce_rping_free(roce_rping *r)
{
    if (!r) return;
    roce_linux_on_wait(r->linux_, NULL, NULL);
    rn_rping_free(r->server);
    free(r);
}

void roce_rping_print_progress(const roce_rping *r, FILE *out)
{
    if (r) fprintf(out, ", %u of %u times, %lu pings", r->round, r->rounds, rn_rping_get_stats(r->server)->pings);
}

void roce_rping_print(const roce_rping *r, FILE *out)
{
    if (!r) return;
    for (unsigned i = r->lines > SAID ? r->lines - SAID : 0; i < r->lines; i++)
        fprintf(out, "server: %s\n", r->said[i % SAID]);
}
