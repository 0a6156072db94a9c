/* Monitored NICs with several links in random traffic with faults by plan, against the pins: each word of a trace is
 * one of the cable's, of the link that the entry names; samples of each link and in sum are the words that it has
 * carried; each time stamp is the time of its SOP. make test has two runs of each kind; the long form (make soak,
 * LONG_FORM=1) has more than 10^5 packets. */
#include <stdlib.h>
#include <string.h>

#include "nic_monitored_2links.h"
#include "nic_monitored_2paths.h"
#include "nic_monitored_4links.h"
#include "nic_monitored_4paths.h"
#include "nic_register_map.h"
#include "nx_samples.h"
#include "nx_trace.h"
#include "scenario_bench.h"
#include "sim/model/cable/sniffer.h"
#include "sim/traffic/faults/faults.h"
#include "test.h"
#include "trace_sender.h"

enum { WORDS = 40000, SETTLE_US = 300, TIMEOUT = 20000 /* of a missing number */ };

static const struct kind {
    const sim_config *config;
    unsigned links;
    int by_packet;
    const char *faults;
} kinds[] = {
    {&nic_monitored_4paths_config, 4, 1,
     "word node0 drop random 6000; word node0 repeat random 6000; word node0 stale random 6000; packet node0 body "
     "random "
     "40; packet node0 bodycrc random 60; packet node0 header random 60; packet node0 truncate random 60; packet node0 "
     "drop random 60; credit node0 parity random 30; credit node0 drop random 20; record node0 headercrc random 5; "
     "retry "
     "host0 read 5%; retry host1 write 5%"},
    {&nic_monitored_4links_config, 4, 0,
     "word node0.link2 drop random 3000; word node0.link1 stale random 3000; packet node0 body random 60; packet node0 "
     "header random 80; credit node0 parity random 30; retry host0 read 5%"},
    {&nic_monitored_2paths_config, 2, 1, ""},
    {&nic_monitored_2links_config, 2, 0, "word node0.link0 repeat random 3000; packet node0 drop random 60"},
};

/* Words of packets one after the other, with SOP and EOP. */
typedef struct view {
    uint64_t word[WORDS];
    uint8_t flags[WORDS];
    unsigned count;
} view;

static struct side {
    view sent[4]; /* by link; by byte all are of link 0 */
    struct ear {
        unsigned link;
    } ear[4];
    nx_trace trace;
    nx_samples samples;
    double earliest, latest; /* of its stamps: how much later than the SOP they are [PCI clocks] */
    sim *s;
    sim_clock *pci;
    unsigned stamps;
} side[2];
static const struct kind *kind;

static void on_frame(void *self, const sniffer_frame *f)
{
    const struct ear *ear = self;
    struct side *s = &side[f->from];
    view *v = &s->sent[ear->link];
    if (!f->has_header || f->is_check) return;
    ck_assert_uint_lt(v->count + f->length, WORDS - 1);
    v->word[v->count] = f->header;
    v->flags[v->count++] = NX_TRACE_SOP;
    for (unsigned i = 0; i < f->length; i++) {
        v->word[v->count] = (uint64_t)f->payload[2 * i] << 32 | f->payload[2 * i + 1];
        v->flags[v->count++] = i + 1 == f->length ? NX_TRACE_EOP : 0;
    }
    ck_assert_int_eq(f->body_crc_ok, 1);
    ck_assert_int_eq(f->stamps, f->length > 2);
    if (!f->stamps) return;
    ck_assert_uint_eq(v->word[v->count - f->length + 1], 0); /* a switch writes its times there */
    /* the period is rounded: only the time since the SOP is reckoned with it */
    double sop =
        (double)sim_clock_cycles(s->pci) - (double)(sim_now(s->s) - f->time) / (double)sim_clock_period(s->pci);
    double later = f->payload[1] - sop;
    if (!s->stamps++) s->earliest = s->latest = later;
    if (later < s->earliest) s->earliest = later;
    if (later > s->latest) s->latest = later;
}

/* ---- the comparison */

/* Words of a point that passed, of one link by packet (by byte: all), without CRCs. */
static unsigned passed(const nx_trace *t, unsigned point, unsigned link, unsigned *at)
{
    unsigned n = 0;
    for (unsigned i = 0; i < t->entries[point]; i++) {
        unsigned flags = t->entry[point][i].flags, crc = point == NX_H2N_OUT ? NX_TRACE_CRC_OUT : NX_TRACE_CRC_IN;
        int is_crc = kind->by_packet && (point == NX_H2N_OUT || point == NX_N2H_IN) && !(flags & NX_TRACE_SOP);
        if (!(flags & NX_TRACE_VALID) || (is_crc && flags & crc)) continue;
        if (!kind->by_packet || NX_TRACE_LINK_OF(flags) == link) at[n++] = i;
    }
    return n;
}

/* Bits of word n of a packet (0: header) that the link, or the other side of it, makes: the flow of a header that
 * leaves, the mark of stamps there and the time; the mark of losses of one that has arrived. */
static uint64_t same_bits(unsigned n, int arrives, uint64_t header)
{
    if (n == 0) return arrives ? ~(1ull << 63) : ~(0x7full << 56 | 1ull << 55);
    if (!arrives && n == 1 && (header >> 32 & 0x3ff) > 2) return ~0xffffffffull;
    if (!arrives && n == 2 && (header >> 32 & 0x3ff) > 2) return 0;
    return ~0ull;
}

/* Packets compared; -1: entry *where differs. Of those that have arrived the ones that are lost are skipped, and the
 * words of bad ones are not looked at. */
static int compare(const nx_trace *t, unsigned point, unsigned link, const view *v, unsigned *where)
{
    static unsigned at[NX_TRACE_ENTRIES];
    int arrives = point >= NX_N2H_IN, packets = 0;
    unsigned n = passed(t, point, link, at), i = 0, j = 0;
    const nx_trace_entry *e = t->entry[point];
    while (i < n && !(e[at[i]].flags & NX_TRACE_SOP)) i++; /* of a packet whose header is overwritten */
    while (i < n) {
        uint64_t header = e[at[i]].data, bits = same_bits(0, arrives, header);
        unsigned length = (unsigned)(header >> 32) & 0x3ff;
        *where = at[i];
        if (i + length >= n) return packets; /* it ends behind the trace */
        while (j < v->count && (!(v->flags[j] & NX_TRACE_SOP) || (v->word[j] ^ header) & bits)) {
            if (packets && !arrives && v->flags[j] & NX_TRACE_SOP) return -1;
            j++;
        }
        if (j == v->count) return -1;
        unsigned last = at[i + length], flags = e[last].flags;
        int bad =
            arrives && (kind->by_packet && point == NX_N2H_IN ? 1 /* its CRC is behind it: nx_trace_check looks at it */
                                                              : (flags & NX_TRACE_BAD_BODY) != 0);
        if (!(flags & NX_TRACE_EOP)) return -1;
        for (unsigned k = 1; k <= length; k++) {
            *where = at[i + k];
            if (e[at[i + k]].flags & NX_TRACE_SOP) return -1;
            if (!bad && (e[at[i + k]].data ^ v->word[j + k]) & same_bits(k, arrives, header)) return -1;
        }
        i += length + 1;
        j += length + 1;
        packets++;
    }
    return packets;
}

static void expect_point(int node, unsigned point, unsigned link)
{
    struct side *s = &side[node];
    const view *v = &side[point >= NX_N2H_IN ? !node : node].sent[kind->by_packet ? link : 0];
    unsigned at = 0;
    int packets = compare(&s->trace, point, link, v, &at);
    ck_assert_msg(packets >= 0, "node %d, point %u, link %u: entry %u, %016llx flags %02x, differs from the pins", node,
                  point, link, at, (unsigned long long)s->trace.entry[point][at].data, s->trace.entry[point][at].flags);
    ck_assert_msg(packets > 3, "node %d, point %u, link %u: %d packets", node, point, link, packets);
    /* the comparison itself: a wrong bit of a header */
    nx_trace_entry *e = &s->trace.entry[point][at];
    while (!((e->flags & (NX_TRACE_SOP | NX_TRACE_VALID)) == (NX_TRACE_SOP | NX_TRACE_VALID) &&
             (!kind->by_packet || NX_TRACE_LINK_OF(e->flags) == link)))
        e--;
    e->data ^= 1ull << 20;
    int other = compare(&s->trace, point, link, v, &at);
    ck_assert_msg(other == -1 || other < packets, "node %d, point %u, link %u: a wrong bit is not seen", node, point,
                  link);
    e->data ^= 1ull << 20;
}

/* ---- the traffic */

static void software(scenario_bench *b, int variation)
{
    sim_task *task[2];
    trace_senders_done = 0;
    for (int i = 0; i < 2; i++) {
        nx_device *dev = b->f->node[i]->dev;
        if (kind->by_packet) ck_assert_int_eq(nx_register_write(dev, NIC_RESEQ_TIMEOUT, TIMEOUT), NX_OK);
        ck_assert_int_eq(nx_benchmark_mode(dev, NX_TIME_STAMPS), NX_OK);
        ck_assert_int_eq(nx_samples_start(dev, 500, UINT32_MAX), NX_OK);
        ck_assert_int_eq(nx_trace_start(dev, 1 | NX_TRACE_LINK((unsigned)variation % kind->links), 0, 0), NX_OK);
    }
    if (b->p.faults) ck_assert_int_eq(faults_begin(b->p.faults), 0);
    for (int i = 0; i < 2; i++) task[i] = sim_task_new(b->f->s, "sender", trace_sender, b->f->node[i]);
    for (int i = 0; i < 2; i++) sim_join(task[i]);
    sim_wait_time(b->f->s, SETTLE_US * SIM_US);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(nx_samples_take(b->f->node[i]->dev, &side[i].samples), NX_OK);
        ck_assert_int_eq(nx_trace_take(b->f->node[i]->dev, &side[i].trace), NX_OK);
    }
    if (b->p.faults) ck_assert_int_eq(faults_end(b->p.faults), 0);
}

CLEANUP(faults_free);

static void run(unsigned which, int number)
{
    fabric_params p;
    fault_plan plan;
    char error[FAULT_ERROR];
    kind = &kinds[which];
    fabric_params_default(&p, 2, NULL);
    p.sim.quiet = 1;
    p.sim.seed += (uint64_t)number;
    p.sim.watchdog = 10 * SIM_MS;
    p.driver.timeout_ns = 2000000;
    for (int i = 0; i < 2; i++) p.node[i].nic = kind->config;
    scenario_bench *b = scenario_bench_new(&p);
    if (*kind->faults) {
        ck_assert_msg(!fault_plan_read(kind->faults, 2, 0, &plan, error), "%s", error);
        b->p.faults = faults_new(&plan, b->f);
        ck_assert_ptr_nonnull(b->p.faults);
        after_test(faults_free_cleanup, b->p.faults);
    }
    for (int i = 0; i < 2; i++) {
        memset(side[i].sent, 0, sizeof side[i].sent);
        side[i].stamps = 0;
        side[i].s = b->f->s;
        side[i].pci = b->f->node[i]->pci_clock;
    }
    for (unsigned l = 0; l < (kind->by_packet ? kind->links : 1); l++) {
        side[0].ear[l].link = l;
        ck_assert_int_eq(sniffer_attach(sniffer_new(on_frame, &side[0].ear[l]), b->f->wire[0], l), 0);
    }
    fabric_good(b, software, number);
    uint64_t struck = 0;
    for (unsigned i = 0; b->p.faults && i < faults_count(b->p.faults); i++) struck += faults_get(b->p.faults, i).struck;
    ck_assert_uint_ge(struck, *kind->faults ? 5 : 0);
    for (int i = 0; i < 2; i++) {
        const struct side *s = &side[i];
        const nx_sample *sums = &s->samples.sample[s->samples.count - 1];
        uint32_t in_all = 0;
        for (unsigned l = 0; l < kind->links; l++) {
            int all = !kind->by_packet;
            if (all && l) break;
            expect_point(i, NX_H2N_IN, l);
            expect_point(i, NX_N2H_OUT, l);
            in_all += s->sent[l].count;
            if (!all) ck_assert_uint_eq(sums->link_out[l], s->sent[l].count);
            if (!all) ck_assert_uint_le(sums->link_in[l], side[!i].sent[l].count);
            if (!all && !*kind->faults) ck_assert_uint_eq(sums->link_in[l], side[!i].sent[l].count);
        }
        expect_point(i, NX_H2N_OUT, s->trace.link);
        expect_point(i, NX_N2H_IN, s->trace.link);
        ck_assert_uint_eq(sums->out, in_all);
        /* a count of one clock shows in another one a count sooner or later; by byte it is rounded, too */
        ck_assert_uint_gt(s->stamps, 100);
        ck_assert_msg(s->latest - s->earliest < (kind->by_packet ? 2.3 : 3.3),
                      "node %d: %u stamps are %.2f to %.2f clocks behind their SOP", i, s->stamps, s->earliest,
                      s->latest);
    }
}

TEST_CASE("trace_links", .timeout = 3600);

TEST(words_samples_and_stamps_are_those_of_the_pins, .to = COUNT(kinds))
{
    int runs = long_runs(1 + !_i, _i ? 20 : 180);
    for (int i = 0; i < runs; i++) {
        run((unsigned)_i, 3 * i + 2);
        clean_up();
    }
}
