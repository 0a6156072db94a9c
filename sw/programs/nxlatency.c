/* nxlatency: all hosts send each other packets with time stamps (S2 5.3) at random; each receiver shows, per source and
 * stage, the distribution of what the stamps in its memory say.
 *
 *   nxlatency [--packets N] [--words FIRST..LAST] [--zeros] [--histogram] [--save NAME]
 *
 * N packets from each host to each other one (100), of 3 to 62 words at random, one a descriptor. --zeros: the senders'
 * memory is not read. In the NIC: from the descriptor to the SOP on its port, PCI clocks of the sender. In the switch:
 * from SOP to SOP, its network clocks, if it stamps (SWITCH_MONITOR='stamps 1'). --histogram: how many packets took how
 * long. --save: NAME.0, NAME.1 ... are for the tool nxlatency. A NIC without time stamps is refused: NIC=monitored.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nx_host.h"
#include "nx_latency.h"
#include "nx_number.h"
#include "nx_save.h"

enum { MOST_WORDS = 62, SLOT = 8 * MOST_WORDS };

static int failed(nx_host *host, const char *what)
{
    nx_print(host, "%s: %s", what, nx_last_error(host->device));
    return 1;
}

/* The words of each packet of a sender, in the order in which it posts them; a receiver knows them, too. */
static uint32_t seed_of(unsigned sender) { return sender * 2654435761u + 1; }

static unsigned next_words(uint32_t *seed, unsigned first, unsigned last)
{
    *seed = *seed * 1664525u + 1013904223u;
    return first + (*seed >> 8) % (last - first + 1);
}

static void figure(nx_host *host, unsigned source, const char *stage, const uint32_t *clocks, unsigned count)
{
    char name[64];
    snprintf(name, sizeof name, "from host %u, %s, median", source, stage);
    if (count) host->figure(host, name, nx_latency_percentile(clocks, count, 50), "clocks");
}

/* The packets of a source, where it has put them. `clocks`: room for them. */
static int collect(nx_host *host, unsigned source, unsigned packets, unsigned first, unsigned last, nx_latency *l,
                   uint32_t *clocks)
{
    const struct nx_platform *p = host->platform;
    nx_latency from = {0};
    uint32_t seed = seed_of(source);
    unsigned stamped = 0, in_switch, bad = 0;
    for (unsigned i = 0; i < packets; i++)
        for (unsigned to = 0; to < host->hosts; to++) {
            unsigned words = next_words(&seed, first, last);
            uint64_t payload[2];
            if (to != host->rank) continue;
            p->mem_read(p->self, host->shared + ((uint64_t)source * packets + i) * SLOT, payload, sizeof payload);
            nx_stamps s = nx_stamps_read(payload);
            stamped += s.departed != 0;
            bad |= nx_latency_add(&from, source, words, s) | nx_latency_add(l, host->node_id[source], words, s);
        }
    figure(host, source, "in NIC", clocks, bad ? 0 : nx_latency_stage(&from, source, NX_IN_NIC, clocks));
    figure(host, source, "in switch", clocks,
           in_switch = bad ? 0 : nx_latency_stage(&from, source, NX_IN_SWITCH, clocks));
    nx_latency_clear(&from);
    if (bad) return nx_print(host, "no memory for %u packets", packets), 1;
    if (stamped == packets && (!in_switch || in_switch == packets)) return 0;
    nx_print(host, "host %u: of %u packets %u have stamps of the NIC and %u of the switch", source, packets, stamped,
             in_switch);
    return 1;
}

static int send(nx_host *host, unsigned packets, unsigned first, unsigned last, uint64_t from)
{
    uint32_t seed = seed_of(host->rank);
    for (unsigned i = 0; i < packets; i++)
        for (unsigned to = 0; to < host->hosts; to++) {
            nx_descriptor d = {.source = from,
                               .destination = (uint32_t)(host->shared + ((uint64_t)host->rank * packets + i) * SLOT),
                               .words = next_words(&seed, first, last),
                               .flow = to,
                               .flags = NX_START | (i + 1 < packets ? 0 : NX_REMOTE | NX_LOCAL)};
            if (to != host->rank && nx_post(host->device, &d, NULL)) return failed(host, "not sent");
        }
    return 0;
}

static void report(nx_host *host, const nx_latency *l, int histograms)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    nx_latency_print(l, histograms, out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) nx_print(host, "%s", line);
    free(text);
}

static int save(nx_host *host, const nx_latency *l, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s.%u", name, host->rank);
    FILE *file = nx_save_open(path);
    if (file && !nx_save_close(file, path, nx_latency_save(l, file))) return 0;
    return nx_print(host, "%s: %s", path, strerror(errno)), 1;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {
        {"packets", required_argument, NULL, 'p'}, {"words", required_argument, NULL, 'w'},
        {"zeros", no_argument, NULL, 'z'},         {"histogram", no_argument, NULL, 'h'},
        {"save", required_argument, NULL, 'f'},    {0}};
    unsigned packets = 100, first = NX_STAMPED_WORDS, last = MOST_WORDS, mode = NX_TIME_STAMPS;
    int histograms = 0, c;
    const char *name = NULL;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'p' && nx_number(optarg, 1, UINT32_MAX, &packets) &&
            (uint64_t)packets * SLOT * host->hosts <= host->shared_bytes)
            continue;
        const char *at = optarg;
        if (c == 'w') {
            first = (unsigned)nx_number_behind(&at, "", 10, MOST_WORDS);
            last = (unsigned)nx_number_behind(&at, "..", 10, MOST_WORDS);
            if (at && !*at && first >= NX_STAMPED_WORDS && first <= last) continue;
        }
        if (c == 'z') {
            mode |= NX_ZEROS;
            continue;
        }
        if (c == 'h' && (histograms = 1)) continue;
        if (c == 'f' && (name = optarg)) continue;
        nx_print(host,
                 "expected [--packets N], [--words FIRST..LAST] within 3..62, [--zeros] [--histogram] [--save NAME]");
        return 2;
    }
    uint64_t from = host->platform->alloc(host->platform->self, SLOT, 8);
    uint32_t *clocks = malloc(packets * sizeof *clocks);
    nx_latency l = {.node = host->node_id[host->rank]};
    int result = !from || !clocks;
    if (result) nx_print(host, "no memory for %u packets", packets);
    else if (nx_benchmark_mode(host->device, mode)) result = failed(host, "no time stamps");
    if (!result) result = send(host, packets, first, last, from);
    for (unsigned source = 0; !result && source < host->hosts; source++) {
        nx_notification n;
        if (source == host->rank) continue;
        result = nx_notification_wait(host->device, host->node_id[source], &n)
                     ? failed(host, "not received")
                     : collect(host, source, packets, first, last, &l, clocks);
    }
    for (unsigned to = 0; !result && to < host->hosts; to++)
        if (to != host->rank && nx_drain(host->device, to)) result = failed(host, "not sent");
    if (!result && nx_benchmark_mode(host->device, 0)) result = failed(host, "time stamps stay on");
    if (!result) report(host, &l, histograms);
    if (!result && name) result = save(host, &l, name);
    nx_latency_clear(&l);
    free(clocks);
    if (from) host->platform->release(host->platform->self, from, SLOT);
    return result;
}
