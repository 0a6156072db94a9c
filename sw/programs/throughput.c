/* throughput: hosts 0, 2, 4 ... send to hosts 1, 3, 5 ..., all at once, one message size after the other.
 *
 *   throughput [--sizes FIRST..LAST] [--messages N] [--bytes N] [--together N]
 *
 * Sizes in bytes as nx_sizes.h reads them (8..65536); N messages of each (32), or fewer, but 2 at least, where those
 * are more than --bytes. They are posted one behind the other, four descriptors to a line if the driver combines
 * writes, up to --together (16) before the sender looks whether the first of them has left, or with 0 until the request
 * queue is full. The receiver answers the last message of a size with a word of 8 bytes; the time runs from the first
 * post to this answer, as in S4 2.2 where the sender alone measures. The words of the last message are compared. The
 * second figure is what the NIC of the sender counts: words read, and bus clocks from its first REQ# on.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nx_host.h"
#include "nx_number.h"
#include "nx_sizes.h"

enum { MOST_TOGETHER = 1024, LEAST_MESSAGES = 2 };

typedef struct ends {
    nx_host *host;
    unsigned peer, messages, together;
    uint64_t bytes; /* of a size, at most; 0: any number */
    uint64_t out;
    uint64_t *words;
} ends;

static uint64_t word(unsigned rank, unsigned bytes, unsigned i)
{
    return ((uint64_t)rank << 56 | (uint64_t)bytes << 32 | i) * 0x9e3779b97f4a7c15u;
}

static int failed(const ends *e, const char *what, unsigned bytes)
{
    nx_print(e->host, "%s, messages of %u bytes: %s", what, bytes, nx_last_error(e->host->device));
    return 1;
}

static int notified(const ends *e)
{
    nx_notification n;
    return nx_notification_wait(e->host->device, e->host->node_id[e->peer], &n);
}

/* All messages of a size go to the same place: only the notification of the last one is asked for. */
static int send(const ends *e, unsigned bytes)
{
    const struct nx_platform *p = e->host->platform;
    unsigned messages = e->messages,
             fit = e->bytes / bytes < LEAST_MESSAGES ? LEAST_MESSAGES : (unsigned)(e->bytes / bytes);
    if (e->bytes && fit < messages) messages = fit;
    unsigned words = (unsigned)nx_register_offset("H2N_WORDS"),
             timer = (unsigned)nx_register_offset("CUMULATIVE_TIMER");
    uint32_t before, after, clocks;
    nx_ticket ticket[MOST_TOGETHER], last;
    char name[64];
    for (unsigned i = 0; i < bytes / 8; i++) e->words[i] = word(e->host->rank, bytes, i);
    p->mem_write(p->self, e->out, e->words, bytes);
    if (nx_register_read(e->host->device, words, &before) || nx_register_write(e->host->device, timer, 0))
        return failed(e, "counters not read", bytes);
    uint64_t began = p->now(p->self);
    for (unsigned n = 0; n < messages; n++) {
        unsigned flags = n + 1 < messages ? (e->together ? NX_LOCAL : 0) | NX_HOLD : NX_LOCAL | NX_REMOTE;
        if (e->together && n >= e->together && nx_wait(e->host->device, &ticket[n % e->together]))
            return failed(e, "not sent", bytes);
        if (nx_transfer(e->host->device, e->peer, e->out, (uint32_t)e->host->shared, bytes, flags, &last))
            return failed(e, "not sent", bytes);
        if (e->together) ticket[n % e->together] = last;
    }
    if (nx_wait(e->host->device, &last)) return failed(e, "not sent", bytes);
    if (nx_register_read(e->host->device, timer, &clocks) || nx_register_read(e->host->device, words, &after))
        return failed(e, "counters not read", bytes);
    if (notified(e)) return failed(e, "no answer", bytes);
    double ns = (double)(p->now(p->self) - began), rate = (double)bytes * messages / ns * 1e9 / (1 << 20);
    snprintf(name, sizeof name, "to host %u, %u bytes", e->peer, bytes);
    e->host->figure(e->host, name, rate, "MiB/s");
    snprintf(name, sizeof name, "to host %u, %u bytes, by the counters", e->peer, bytes);
    e->host->figure(e->host, name, clocks ? 8.0 * (after - before) / clocks : 0, "bytes/clock");
    return 0;
}

static int receive(const ends *e, unsigned bytes)
{
    const struct nx_platform *p = e->host->platform;
    if (notified(e)) return failed(e, "not received", bytes);
    p->mem_read(p->self, e->host->shared, e->words, bytes);
    for (unsigned i = 0; i < bytes / 8; i++)
        if (e->words[i] != word(e->peer, bytes, i)) {
            nx_print(e->host, "%u bytes: word %u is %016" PRIx64 ", expected %016" PRIx64, bytes, i, e->words[i],
                     word(e->peer, bytes, i));
            return 1;
        }
    if (nx_transfer(e->host->device, e->peer, e->out, (uint32_t)e->host->shared, 8, NX_REMOTE | NX_LOCAL, NULL))
        return failed(e, "not answered", bytes);
    return 0;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {{"sizes", required_argument, NULL, 's'},
                                            {"messages", required_argument, NULL, 'm'},
                                            {"bytes", required_argument, NULL, 'b'},
                                            {"together", required_argument, NULL, 't'},
                                            {0}};
    unsigned size[NX_SIZES], sizes = nx_sizes_read("8..65536", host->shared_bytes, size);
    unsigned bytes;
    ends e = {.host = host, .peer = host->rank ^ 1, .messages = 32, .together = 16};
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 's' && (sizes = nx_sizes_read(optarg, host->shared_bytes, size))) continue;
        if (c == 'm' && nx_number(optarg, 1, UINT32_MAX, &e.messages)) continue;
        if (c == 'b' && nx_number(optarg, 0, UINT32_MAX, &bytes)) {
            e.bytes = bytes;
            continue;
        };
        if (c == 't' && nx_number(optarg, 0, MOST_TOGETHER, &e.together)) continue;
        nx_print(host, "expected %s, [--messages N], [--bytes N] and [--together N], 0..%d", NX_SIZES_EXPECTED,
                 MOST_TOGETHER);
        return 2;
    }
    if (e.peer >= host->hosts) return 0;
    unsigned last = nx_sizes_largest(size, sizes);
    e.words = malloc(last);
    e.out = host->platform->alloc(host->platform->self, last, 8);
    int result = !e.words || !e.out;
    if (result) nx_print(host, "no memory for messages of %u bytes", last);
    for (unsigned i = 0; i < sizes && !result; i++) result = host->rank & 1 ? receive(&e, size[i]) : send(&e, size[i]);
    free(e.words);
    if (e.out) host->platform->release(host->platform->self, e.out, last);
    return result;
}
