/* latency: host 0 sends host 1 messages of 8 bytes, which host 1 finds by looking at its memory, as in S4 2.6; host 1
 * answers with one.
 *
 *   latency [--messages N] [--rounds N] [--stamps]
 *
 * N messages (1) are posted together, so that with write combining their descriptors leave in one burst (up to 4). The
 * answer comes when the last one is there. The figures: half a round trip by the host's clock, and per message the
 * clocks that the NICs count for the read at host 0 and for the write at host 1. 12 rounds: the number of messages that
 * the driver sends without a local notification. --stamps: 24 bytes, with time stamps (S2 5.3); host 1 says how many
 * clocks of host 0's bus they were in its NIC, from the descriptor to the link, and how many of its own bus in its own
 * NIC, from the link to REQ#.
 */
#include <getopt.h>
#include <stdlib.h>

#include "nx_host.h"
#include "nx_number.h"

enum { MOST = 4 };

typedef struct ends {
    nx_host *host;
    unsigned peer, messages;
    uint64_t out;
    unsigned words;  /* of a message; the last one is its number */
    uint64_t in_nic; /* clocks, of all messages; with time stamps */
} ends;

/* Waits for the message that is `number` to be at this place. */
static int found(const ends *e, unsigned place, uint64_t number)
{
    const struct nx_platform *p = e->host->platform;
    uint64_t have = 0, began = p->now(p->self);
    for (;;) {
        p->mem_read(p->self, e->host->shared + 8 * (place + e->words - 1), &have, 8);
        if (have == number) return 0;
        if (p->now(p->self) - began > 10000000) {
            nx_print(e->host, "message %llu has not come within 10 ms", (unsigned long long)number);
            return 1;
        }
        p->wait(p->self);
    }
}

static int send(const ends *e, unsigned messages, uint64_t number)
{
    const struct nx_platform *p = e->host->platform;
    for (unsigned i = 0; i < messages; i++) p->mem_write(p->self, e->out + 8 * (i + e->words - 1), &number, 8);
    for (unsigned i = 0; i < messages; i++)
        if (nx_transfer(e->host->device, e->peer, e->out + 8 * i, (uint32_t)e->host->shared + 8 * i, 8 * e->words,
                        i + 1 < messages ? NX_HOLD : 0, NULL)) {
            nx_print(e->host, "message %llu not sent: %s", (unsigned long long)number, nx_last_error(e->host->device));
            return 1;
        }
    return 0;
}

enum { COUNTERS = 2, TIMED = 2 };
static const char *const counters[2][COUNTERS + TIMED] = {
    {"SPLIT_DURATION", "H2N_ACTIVE", "RECEIVE_CLOCKS", "RECEIVE_PACKETS"},
    {"N2H_ACTIVE", "N2H_GRANTED", "RECEIVE_CLOCKS", "RECEIVE_PACKETS"}};

static int count(const ends *e, uint32_t value[COUNTERS + TIMED])
{
    for (unsigned i = 0; i < COUNTERS + TIMED; i++)
        if (nx_register_read(e->host->device, (unsigned)nx_register_offset(counters[e->host->rank][i]), &value[i])) {
            nx_print(e->host, "counters not read: %s", nx_last_error(e->host->device));
            return 1;
        }
    return 0;
}

static void read_stamps(ends *e)
{
    uint64_t payload[2];
    e->host->platform->mem_read(e->host->platform->self, e->host->shared, payload, sizeof payload);
    nx_stamps s = nx_stamps_read(payload);
    e->in_nic += s.departed - s.created;
}

static int play(ends *e, unsigned rounds)
{
    const struct nx_platform *p = e->host->platform;
    uint32_t before[COUNTERS + TIMED], after[COUNTERS + TIMED];
    uint64_t spent = 0;
    if (count(e, before)) return 1;
    for (unsigned n = 1; n <= rounds; n++) {
        uint64_t began = p->now(p->self);
        int bad =
            e->host->rank ? found(e, e->messages - 1, n) || send(e, 1, n) : send(e, e->messages, n) || found(e, 0, n);
        if (bad) return 1;
        spent += p->now(p->self) - began;
        if (e->words > 1 && e->host->rank) read_stamps(e);
        for (unsigned i = 0; i < 10; i++) p->wait(p->self); /* the system is idle when the next one is posted */
    }
    if (count(e, after)) return 1;
    if (!e->host->rank) e->host->figure(e->host, "half round trip", (double)spent / (2.0 * rounds), "ns");
    if (e->words > 1 && e->host->rank) {
        uint32_t packets = after[3] - before[3];
        if (packets != rounds) {
            nx_print(e->host, "the NIC has measured %u packets, expected %u", packets, rounds);
            return 1;
        }
        e->host->figure(e->host, "in the sender's NIC", (double)e->in_nic / rounds, "clocks");
        e->host->figure(e->host, "recv-NIC", (double)(after[2] - before[2]) / packets, "clocks");
    }
    for (unsigned i = 0; i < COUNTERS; i++)
        e->host->figure(e->host, counters[e->host->rank][i], (double)(after[i] - before[i]) / (rounds * e->messages),
                        "clocks");
    return 0;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {{"messages", required_argument, NULL, 'm'},
                                            {"rounds", required_argument, NULL, 'r'},
                                            {"stamps", no_argument, NULL, 's'},
                                            {0}};
    unsigned rounds = 12;
    ends e = {.host = host, .peer = host->rank ^ 1, .messages = 1, .words = 1};
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'm' && nx_number(optarg, 1, MOST, &e.messages)) continue;
        if (c == 'r' && nx_number(optarg, 1, UINT32_MAX, &rounds)) continue;
        if (c == 's' && (e.words = NX_STAMPED_WORDS)) continue;
        nx_print(host, "expected [--messages N], 1..%d, [--rounds N] and [--stamps]", MOST);
        return 2;
    }
    if (e.words > 1 && e.messages > 1) {
        nx_print(host, "--messages %u: expected 1 with --stamps", e.messages);
        return 2;
    }
    if (host->rank > 1) return 0;
    if (e.words > 1 && nx_benchmark_mode(host->device, NX_TIME_STAMPS)) {
        nx_print(host, "no time stamps: %s", nx_last_error(host->device));
        return 1;
    }
    e.out = host->platform->alloc(host->platform->self, 8 * MOST, 8);
    if (!e.out) {
        nx_print(host, "no memory for messages of %u bytes", 8 * e.words);
        return 1;
    }
    int result = play(&e, rounds);
    host->platform->release(host->platform->self, e.out, 8 * MOST);
    return result;
}
