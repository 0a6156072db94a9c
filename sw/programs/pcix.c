/* pcix: what crosses the bus for one store, for one descriptor and several, and for messages of each size (S2 5.2,
 * S4 2.6). Host 0 sends to host 1, one message at a time.
 *
 *   pcix [--sizes FIRST..LAST] [--rounds N]
 *
 * N messages (4) of each size (8..4096): the counters of both NICs say for how many clocks of the bus they read and
 * wrote. Then, if descriptors are posted by stores: 16 single stores, and four descriptors; with write combining one
 * descriptor, two, and four, twice each in immediate succession. These are for an observer of the bus: nothing in the
 * NIC counts them.
 */
#include <getopt.h>
#include <stdlib.h>

#include "nx_host.h"
#include "nx_number.h"
#include "nx_sizes.h"

enum { STORES = 16 };

typedef struct ends {
    nx_host *host;
    unsigned peer, rounds, posted;
    uint64_t out;
    nx_ticket ticket; /* of the last post */
} ends;

static int failed(const ends *e, const char *what)
{
    nx_print(e->host, "%s: %s", what, nx_last_error(e->host->device));
    return 1;
}

/* A descriptor for a message of 8 bytes. */
static int post(ends *e, unsigned flags)
{
    nx_descriptor d = {
        .source = e->out, .destination = (uint32_t)e->host->shared, .words = 1, .flow = e->peer, .flags = flags};
    e->posted++;
    return nx_post(e->host->device, &d, &e->ticket);
}

static int left(ends *e) { return nx_wait(e->host->device, &e->ticket); }

/* So many descriptors to a line, and two lines one behind the other. */
static int lines(ends *e, unsigned descriptors)
{
    while (e->posted % 4)
        if (post(e, NX_START | NX_LOCAL) || left(e)) return failed(e, "line not filled");
    for (unsigned line = 0; line < 2; line++)
        for (unsigned i = 1; i <= descriptors; i++)
            if (post(e, i == descriptors && (descriptors < 4 || line) ? NX_START | NX_LOCAL : 0))
                return failed(e, "not posted");
    return left(e) ? failed(e, "not sent") : 0;
}

static int stores(ends *e)
{
    int view = nx_register_offset("VIEW_FLOW");
    for (unsigned i = 0; i < STORES; i++)
        if (nx_register_write(e->host->device, (unsigned)view, 0)) return failed(e, "not stored");
    uint32_t value;
    if (nx_register_read(e->host->device, (unsigned)view, &value)) return failed(e, "not read");
    for (unsigned i = 0; i < 4; i++)
        if (post(e, i < 3 ? 0 : NX_START | NX_LOCAL)) return failed(e, "not posted");
    return left(e) ? failed(e, "not sent") : 0;
}

static int post_all(ends *e)
{
    if (nx_parameters(e->host->device)->posting == NX_POST_COMBINED) return lines(e, 1) || lines(e, 2) || lines(e, 4);
    return stores(e);
}

/* ---- messages */

static const char *const counters[2][3] = {{"H2N_ACTIVE", "H2N_GRANTED", "SPLIT_DURATION"},
                                           {"N2H_ACTIVE", "N2H_GRANTED", "N2H_WORDS"}};

static int count(const ends *e, uint32_t value[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (nx_register_read(e->host->device, (unsigned)nx_register_offset(counters[e->host->rank][i]), &value[i]))
            return failed(e, "counters not read");
    return 0;
}

/* The last word of message `number`, which says that all of it is there. */
static uint64_t last_word(unsigned bytes, unsigned number) { return (uint64_t)bytes << 32 | (number + 1); }

static int receive(const ends *e, unsigned bytes, unsigned number)
{
    const struct nx_platform *p = e->host->platform;
    uint64_t want = last_word(bytes, number), have = 0, began = p->now(p->self);
    for (;;) {
        p->mem_read(p->self, e->host->shared + bytes - 8, &have, 8);
        if (have == want) return 0;
        if (p->now(p->self) - began > 10000000) {
            nx_print(e->host, "message %u of %u bytes has not come within 10 ms", number, bytes);
            return 1;
        }
        p->wait(p->self);
    }
}

static int messages(ends *e, unsigned bytes)
{
    const struct nx_platform *p = e->host->platform;
    nx_notification note;
    uint32_t before[3], after[3];
    double sum[3] = {0};
    char name[80];
    for (unsigned n = 0; n < e->rounds; n++) {
        uint64_t word = last_word(bytes, n);
        if (count(e, before)) return 1;
        if (!e->host->rank) {
            p->mem_write(p->self, e->out + bytes - 8, &word, 8);
            if (nx_transfer(e->host->device, e->peer, e->out, (uint32_t)e->host->shared, bytes, NX_LOCAL, &e->ticket) ||
                left(e))
                return failed(e, "not sent");
            e->posted += (bytes - 1) / nx_parameters(e->host->device)->transfer_bytes + 1;
        } else if (receive(e, bytes, n)) {
            return 1;
        }
        if (count(e, after)) return 1;
        for (unsigned i = 0; i < 3; i++) sum[i] += after[i] - before[i];
        /* the notification to host 1 itself is over, too, when it counts again */
        int bad = e->host->rank ? nx_transfer(e->host->device, e->peer, e->out, (uint32_t)e->host->shared, 8,
                                              NX_REMOTE | NX_LOCAL, &e->ticket) ||
                                      left(e)
                                : nx_notification_wait(e->host->device, e->host->node_id[e->peer], &note);
        if (bad) return failed(e, "not answered");
    }
    for (unsigned i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%u bytes, %s", bytes, counters[e->host->rank][i]);
        e->host->figure(e->host, name, sum[i] / e->rounds, i == 2 && e->host->rank ? "words" : "clocks");
    }
    return 0;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {
        {"sizes", required_argument, NULL, 's'}, {"rounds", required_argument, NULL, 'r'}, {0}};
    unsigned size[NX_SIZES], sizes = nx_sizes_read("8..4096", 4096, size);
    ends e = {.host = host, .peer = host->rank ^ 1, .rounds = 4};
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 's' && (sizes = nx_sizes_read(optarg, 4096, size))) continue;
        if (c == 'r' && nx_number(optarg, 1, UINT32_MAX, &e.rounds)) continue;
        nx_print(host, "expected %s up to 4096, and [--rounds N]", NX_SIZES_EXPECTED);
        return 2;
    }
    if (host->rank > 1) return 0;
    e.out = host->platform->alloc(host->platform->self, 4096, 4096);
    if (!e.out) {
        nx_print(host, "no memory for messages of 4096 bytes");
        return 1;
    }
    int result = 0;
    for (unsigned i = 0; i < sizes && !result; i++) result = messages(&e, size[i]);
    if (!result && !host->rank) result = post_all(&e);
    host->platform->release(host->platform->self, e.out, 4096);
    return result;
}
