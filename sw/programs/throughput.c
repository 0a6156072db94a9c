/* throughput: hosts 0, 2, 4 ... send to hosts 1, 3, 5 ..., all at once, one message size after the other.
 *
 *   throughput [--sizes FIRST..LAST] [--messages N] [--together N]
 *
 * Sizes in bytes, multiples of 8, doubled from FIRST (8) to LAST (65536); N messages of each (32). So many messages are posted before the
 * sender looks whether the first of them has left (16). The receiver answers the last message of a size with a word of 8 bytes; the time
 * runs from the first post to this answer, as in S4 2.2 where the sender alone measures. The words of the last message are compared.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nx_host.h"

enum { MOST_TOGETHER = 1024 };

typedef struct ends {
    nx_host *host;
    unsigned peer, messages, together;
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
    nx_ticket ticket[MOST_TOGETHER];
    char name[64];
    for (unsigned i = 0; i < bytes / 8; i++) e->words[i] = word(e->host->rank, bytes, i);
    p->mem_write(p->self, e->out, e->words, bytes);
    uint64_t began = p->now(p->self);
    for (unsigned n = 0; n < e->messages; n++) {
        unsigned flags = n + 1 < e->messages ? 0 : NX_REMOTE;
        if (n >= e->together && nx_wait(e->host->device, &ticket[n % e->together])) return failed(e, "not sent", bytes);
        if (nx_transfer(e->host->device, e->peer, e->out, (uint32_t)e->host->shared, bytes, flags | NX_LOCAL, &ticket[n % e->together]))
            return failed(e, "not sent", bytes);
    }
    if (notified(e)) return failed(e, "no answer", bytes);
    double ns = (double)(p->now(p->self) - began), rate = (double)bytes * e->messages / ns * 1e9 / (1 << 20);
    snprintf(name, sizeof name, "to host %u, %u bytes", e->peer, bytes);
    e->host->figure(e->host, name, rate, "MiB/s");
    return 0;
}

static int receive(const ends *e, unsigned bytes)
{
    const struct nx_platform *p = e->host->platform;
    if (notified(e)) return failed(e, "not received", bytes);
    p->mem_read(p->self, e->host->shared, e->words, bytes);
    for (unsigned i = 0; i < bytes / 8; i++)
        if (e->words[i] != word(e->peer, bytes, i)) {
            nx_print(e->host, "%u bytes: word %u is %016" PRIx64 ", expected %016" PRIx64, bytes, i, e->words[i], word(e->peer, bytes, i));
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
                                            {"together", required_argument, NULL, 't'},
                                            {0}};
    unsigned first = 8, last = 65536;
    ends e = {.host = host, .peer = host->rank ^ 1, .messages = 32, .together = 16};
    char end;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 's' && sscanf(optarg, "%u..%u%c", &first, &last, &end) == 2 && first && first % 8 == 0 && first <= last &&
            last <= host->shared_bytes)
            continue;
        if (c == 'm' && sscanf(optarg, "%u%c", &e.messages, &end) == 1 && e.messages) continue;
        if (c == 't' && sscanf(optarg, "%u%c", &e.together, &end) == 1 && e.together && e.together <= MOST_TOGETHER) continue;
        nx_print(host, "expected [--sizes FIRST..LAST], multiples of 8 from 8 on, [--messages N] and [--together N], 1..%d", MOST_TOGETHER);
        return 2;
    }
    if (e.peer >= host->hosts) return 0;
    e.words = malloc(last);
    e.out = host->platform->alloc(host->platform->self, last, 8);
    int result = !e.words || !e.out;
    if (result) nx_print(host, "no memory for messages of %u bytes", last);
    for (unsigned bytes = first; !result && bytes <= last; bytes *= 2) result = host->rank & 1 ? receive(&e, bytes) : send(&e, bytes);
    free(e.words);
    if (e.out) host->platform->release(host->platform->self, e.out, last);
    return result;
}
