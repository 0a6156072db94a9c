/* nxlatency: all hosts send each other packets with time stamps (S2 5.3) at random; each receiver shows, per source and stage, the
 * distribution of what the stamps in its memory say.
 *
 *   nxlatency [--packets N] [--words FIRST..LAST] [--zeros]
 *
 * N packets from each host to each other one (100), of 3 to 62 words at random, one a descriptor. --zeros: the senders' memory is not read.
 * In the NIC: from the descriptor to the SOP on its port, PCI clocks of the sender. In the switch: from SOP to SOP, its network clocks, if
 * it was told to stamp. A NIC without time stamps is refused: NIC=monitored.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "nx_host.h"

enum { MOST_WORDS = 62, SLOT = 8 * MOST_WORDS };

static int failed(nx_host *host, const char *what)
{
    nx_print(host, "%s: %s", what, nx_last_error(host->device));
    return 1;
}

static int earlier(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void show(nx_host *host, unsigned source, const char *stage, uint32_t *clocks, unsigned packets)
{
    char name[64];
    qsort(clocks, packets, sizeof *clocks, earlier);
    nx_print(host, "from host %u, %-10s %6u packets, clocks: least %u, median %u, 99 %% %u, most %u", source, stage, packets, clocks[0],
             clocks[packets / 2], clocks[(packets - 1) * 99 / 100], clocks[packets - 1]);
    snprintf(name, sizeof name, "from host %u, %s, median", source, stage);
    host->figure(host, name, clocks[packets / 2], "clocks");
}

/* The packets of a source, where it has put them. */
static int judge(nx_host *host, unsigned source, unsigned packets, uint32_t *clocks)
{
    const struct nx_platform *p = host->platform;
    uint64_t area = host->shared + (uint64_t)source * packets * SLOT;
    for (int in_switch = 0; in_switch < 2; in_switch++) {
        unsigned stamped = 0;
        for (unsigned i = 0; i < packets; i++) {
            uint64_t words[2];
            p->mem_read(p->self, area + (uint64_t)i * SLOT, words, sizeof words);
            nx_stamps s = nx_stamps_read(words);
            clocks[i] = in_switch ? s.left - s.arrived : s.departed - s.created;
            stamped += in_switch ? s.left != 0 : s.departed != 0;
        }
        if (in_switch && !stamped) return 0;
        if (stamped != packets) {
            nx_print(host, "%u of %u packets of host %u have stamps of the %s", stamped, packets, source, in_switch ? "switch" : "NIC");
            return 1;
        }
        show(host, source, in_switch ? "in switch" : "in NIC", clocks, packets);
    }
    return 0;
}

static int send(nx_host *host, unsigned packets, unsigned first, unsigned last, uint64_t from)
{
    uint32_t seed = host->rank * 2654435761u + 1;
    for (unsigned i = 0; i < packets; i++)
        for (unsigned to = 0; to < host->hosts; to++) {
            seed = seed * 1664525u + 1013904223u;
            nx_descriptor d = {.source = from,
                               .destination = (uint32_t)(host->shared + ((uint64_t)host->rank * packets + i) * SLOT),
                               .words = first + (seed >> 8) % (last - first + 1),
                               .flow = to,
                               .flags = NX_START | (i + 1 < packets ? 0 : NX_REMOTE | NX_LOCAL)};
            if (to != host->rank && nx_post(host->device, &d, NULL)) return failed(host, "not sent");
        }
    return 0;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {
        {"packets", required_argument, NULL, 'p'}, {"words", required_argument, NULL, 'w'}, {"zeros", no_argument, NULL, 'z'}, {0}};
    unsigned packets = 100, first = NX_STAMPED_WORDS, last = MOST_WORDS, mode = NX_TIME_STAMPS;
    char end;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'p' && sscanf(optarg, "%u%c", &packets, &end) == 1 && packets &&
            (uint64_t)packets * SLOT * host->hosts <= host->shared_bytes)
            continue;
        if (c == 'w' && sscanf(optarg, "%u..%u%c", &first, &last, &end) == 2 && first >= NX_STAMPED_WORDS && first <= last &&
            last <= MOST_WORDS)
            continue;
        if (c == 'z') {
            mode |= NX_ZEROS;
            continue;
        }
        nx_print(host, "expected [--packets N], [--words FIRST..LAST] within 3..62, [--zeros]");
        return 2;
    }
    uint64_t from = host->platform->alloc(host->platform->self, SLOT, 8);
    uint32_t *clocks = malloc(packets * sizeof *clocks);
    int result = !from || !clocks;
    if (result) nx_print(host, "no memory for %u packets", packets);
    else if (nx_benchmark_mode(host->device, mode)) result = failed(host, "no time stamps");
    if (!result) result = send(host, packets, first, last, from);
    for (unsigned source = 0; !result && source < host->hosts; source++) {
        nx_notification n;
        if (source == host->rank) continue;
        result = nx_notification_wait(host->device, host->node_id[source], &n) ? failed(host, "not received")
                                                                               : judge(host, source, packets, clocks);
    }
    for (unsigned to = 0; !result && to < host->hosts; to++)
        if (to != host->rank && nx_drain(host->device, to)) result = failed(host, "not sent");
    if (!result && nx_benchmark_mode(host->device, 0)) result = failed(host, "time stamps stay on");
    free(clocks);
    if (from) host->platform->release(host->platform->self, from, SLOT);
    return result;
}
