/* pingpong: host 0 sends a message to host 1, which sends it back; half of the round trip is the figure of each size.
 *
 *   pingpong [--sizes FIRST..LAST] [--rounds N]
 *
 * Sizes in bytes as nx_sizes.h reads them (8..65536); N round trips of each (10), after one that does not count. A
 * message is one RDMA write with a notification behind its last packet. Every word of every message is compared. Hosts
 * beyond the second only look on.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nx_host.h"
#include "nx_number.h"
#include "nx_sizes.h"

/* Word `i` of message `number` of `bytes` bytes from `rank`. */
static uint64_t word(unsigned rank, unsigned bytes, unsigned number, unsigned i)
{
    return ((uint64_t)rank << 63 | (uint64_t)number << 32 | bytes) * 0x9e3779b97f4a7c15u + i;
}

typedef struct ends {
    nx_host *host;
    unsigned peer;
    uint64_t out; /* where messages are made; they arrive in host->shared */
    uint64_t *words;
} ends;

static int failed(const ends *e, const char *what, unsigned bytes, unsigned number)
{
    nx_print(e->host, "%s, message %u of %u bytes: %s", what, number, bytes, nx_last_error(e->host->device));
    return -1;
}

static int send(const ends *e, unsigned bytes, unsigned number)
{
    nx_ticket ticket;
    for (unsigned i = 0; i < bytes / 8; i++) e->words[i] = word(e->host->rank, bytes, number, i);
    e->host->platform->mem_write(e->host->platform->self, e->out, e->words, bytes);
    if (nx_transfer(e->host->device, e->peer, e->out, (uint32_t)e->host->shared, bytes, NX_REMOTE | NX_LOCAL, &ticket))
        return failed(e, "not sent", bytes, number);
    return 0;
}

static int receive(const ends *e, unsigned bytes, unsigned number)
{
    nx_notification n;
    if (nx_notification_wait(e->host->device, e->host->node_id[e->peer], &n))
        return failed(e, "not received", bytes, number);
    e->host->platform->mem_read(e->host->platform->self, e->host->shared, e->words, bytes);
    for (unsigned i = 0; i < bytes / 8; i++)
        if (e->words[i] != word(e->peer, bytes, number, i)) {
            nx_print(e->host, "message %u of %u bytes: word %u is %016" PRIx64 ", expected %016" PRIx64, number, bytes,
                     i, e->words[i], word(e->peer, bytes, number, i));
            return -1;
        }
    return 0;
}

static int play(const ends *e, unsigned bytes, unsigned rounds)
{
    char name[64];
    uint64_t began = 0;
    for (unsigned n = 0; n <= rounds; n++) {
        if (n == 1) began = e->host->platform->now(e->host->platform->self);
        if (e->host->rank ? receive(e, bytes, n) || send(e, bytes, n) : send(e, bytes, n) || receive(e, bytes, n))
            return 1;
    }
    if (e->host->rank) return 0;
    double half = (double)(e->host->platform->now(e->host->platform->self) - began) / (2.0 * rounds);
    snprintf(name, sizeof name, "half round trip, %u bytes", bytes);
    e->host->figure(e->host, name, half, "ns");
    return 0;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {
        {"sizes", required_argument, NULL, 's'}, {"rounds", required_argument, NULL, 'r'}, {0}};
    unsigned size[NX_SIZES], sizes = nx_sizes_read("8..65536", host->shared_bytes, size), rounds = 10;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 's' && (sizes = nx_sizes_read(optarg, host->shared_bytes, size))) continue;
        if (c == 'r' && nx_number(optarg, 1, UINT32_MAX, &rounds)) continue;
        nx_print(host, "expected %s, and [--rounds N]", NX_SIZES_EXPECTED);
        return 2;
    }
    if (host->rank > 1) return 0;
    unsigned last = nx_sizes_largest(size, sizes);
    ends e = {.host = host,
              .peer = !host->rank,
              .words = malloc(last),
              .out = host->platform->alloc(host->platform->self, last, 8)};
    int result = !e.words || !e.out;
    if (result) nx_print(host, "no memory for messages of %u bytes", last);
    for (unsigned i = 0; i < sizes && !result; i++) result = play(&e, size[i], rounds);
    free(e.words);
    if (e.out) host->platform->release(host->platform->self, e.out, last);
    return result;
}
