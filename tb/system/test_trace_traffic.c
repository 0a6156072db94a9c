/* Traces of two NICs in random traffic with faults by plan, word by word against the pins: frames of a sniffer at each
 * transmitter, and frames whole, damaged or lost by a receiver in C at the pins of each NIC's receiver. Twice, or with
 * make test TEST=tb/system/test_trace_traffic TRACES=100 that many times, each with the next seed. */
#include <stdlib.h>
#include <string.h>

#include "nic_monitored.h"
#include "nic_register_map.h"
#include "nx_trace.h"
#include "scenario_bench.h"
#include "sim/model/cable/sniffer.h"
#include "sim/model/far_end/far_end.h"
#include "sim/traffic/faults/faults.h"
#include "test.h"
#include "trace_sender.h"

enum { WORDS = 40000, SETTLE_US = 200 };

static const char plan_text[] = "word node0 drop random 6000; word node0 repeat random 6000; word node0 stale random "
                                "6000; packet node0 body random 40; "
                                "packet node0 bodycrc random 60; packet node0 header random 60; packet node0 truncate "
                                "random 60; packet node0 drop random 60; "
                                "packet node0 sop random 60; credit node0 parity random 30; credit node0 drop random "
                                "20; record node0 headercrc random 5; "
                                "retry host0 read 5%; retry host1 write 5%";

/* Packets one after the other, as a trace shows them: words, and SOP, EOP, BAD_BODY. */
typedef struct view {
    uint64_t word[WORDS];
    uint8_t flags[WORDS];
    unsigned count;
} view;

static struct side {
    view sent, stored;
    far_end *checker;
    const gt_pins *pins;
    nx_trace trace;
} side[2];

static void add(view *v, uint64_t word, unsigned flags)
{
    ck_assert_uint_lt(v->count, WORDS);
    v->word[v->count] = word;
    v->flags[v->count++] = (uint8_t)flags;
}

static void on_frame(void *self, const sniffer_frame *f)
{
    view *v = &side[f->from].sent;
    (void)self;
    if (!f->has_header || f->is_check) return;
    add(v, f->header, NX_TRACE_SOP);
    for (unsigned i = 0; i < f->length; i++)
        add(v, (uint64_t)f->payload[2 * i] << 32 | f->payload[2 * i + 1], i + 1 == f->length ? NX_TRACE_EOP : 0);
}

/* Where a packet breaks off within a word of 64 bits the receiver here keeps the half that came; the NIC also fills
 * that word up. */
static void on_packet(void *self, const far_end_packet *p)
{
    view *v = &((struct side *)self)->stored;
    unsigned whole = p->words;
    while (p->damaged && whole && !p->payload[whole - 1]) whole--;
    if (p->damaged && whole && !(uint32_t)p->payload[whole - 1]) whole--;
    add(v, p->header, NX_TRACE_SOP);
    for (unsigned i = 0; i < p->words; i++)
        add(v, i < whole ? p->payload[i] : 0,
            i + 1 < p->words ? 0
            : p->damaged     ? NX_TRACE_EOP | NX_TRACE_BAD_BODY
                             : NX_TRACE_EOP);
}

static void look_at_pins(void *self)
{
    const struct side *s = self;
    far_end_look(s->checker, s->pins);
}

/* ---- the comparison */

/* A header's bits that are not those of the wire: the flow that leaves is the node's ID; the mark of many lost is the
 * receiver's. */
static uint64_t same_bits(unsigned flags, int arrives)
{
    return !(flags & NX_TRACE_SOP) ? ~0ull : arrives ? ~(1ull << 63) : ~(0x7full << 56);
}

/* Words of the point that were compared; -1: entry *at does not match the pins. The NIC may have dropped so many
 * packets that the pins show as whole: one that follows a broken one before that is filled up has no room. */
static int compare(const nx_trace *t, unsigned point, const view *v, unsigned drops, unsigned *at)
{
    int arrives = point == NX_N2H_IN || point == NX_N2H_OUT;
    unsigned seen = NX_TRACE_SOP | NX_TRACE_EOP | (arrives ? NX_TRACE_BAD_BODY : 0), j = 0;
    int words = 0;
    for (unsigned i = 0; i < t->entries[point]; i++) {
        const nx_trace_entry *e = &t->entry[point][i];
        if (!(e->flags & NX_TRACE_VALID)) continue;
        if (!words && !(e->flags & NX_TRACE_SOP)) continue; /* of a packet whose header is overwritten */
        uint64_t bits = same_bits(e->flags, arrives);
        *at = i;
        if (e->flags & NX_TRACE_SOP)
            while (j < v->count && (!(v->flags[j] & NX_TRACE_SOP) || (v->word[j] ^ e->data) & bits)) {
                if (words && v->flags[j] & NX_TRACE_SOP && !drops--) return -1;
                j++;
            }
        if (j == v->count || (v->word[j] ^ e->data) & bits) return -1;
        if ((v->flags[j] ^ e->flags) & seen & ~(e->flags & NX_TRACE_EOP ? 0u : (unsigned)NX_TRACE_BAD_BODY)) return -1;
        j++;
        words++;
    }
    return words;
}

/* ---- the traffic */

static void software(scenario_bench *b, int variation)
{
    /* to the end of all, or up to some words behind an error */
    uint32_t freeze = variation % 2 ? NIC_STATUS_BODY_CRC_MASK | NIC_STATUS_CREDIT_REJECTED_MASK : 0;
    sim_task *task[2];
    trace_senders_done = 0;
    ck_assert_int_eq(faults_begin(b->p.faults), 0);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(nx_trace_start(b->f->node[i]->dev, 1, freeze, 1500), NX_OK);
    for (int i = 0; i < 2; i++) task[i] = sim_task_new(b->f->s, "sender", trace_sender, b->f->node[i]);
    for (int i = 0; i < 2; i++) sim_join(task[i]);
    sim_wait_time(b->f->s, SETTLE_US * SIM_US);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(nx_trace_take(b->f->node[i]->dev, &side[i].trace), NX_OK);
    ck_assert_int_eq(faults_end(b->p.faults), 0);
}

CLEANUP(faults_free);
CLEANUP(far_end_free);

static void run(int number)
{
    fabric_params p;
    fault_plan plan;
    char error[FAULT_ERROR];
    fabric_params_default(&p, 2, NULL);
    p.sim.quiet = 1;
    p.sim.seed += (uint64_t)number;
    p.sim.watchdog = 10 * SIM_MS;
    p.driver.timeout_ns = 2000000;
    for (int i = 0; i < 2; i++) p.node[i].nic = &nic_monitored_config;
    ck_assert_msg(!fault_plan_read(plan_text, 2, 0, &plan, error), "%s", error);
    scenario_bench *b = scenario_bench_new(&p);
    b->p.faults = faults_new(&plan, b->f);
    ck_assert_ptr_nonnull(b->p.faults);
    after_test(faults_free_cleanup, b->p.faults);
    sniffer *wire = sniffer_new(on_frame, NULL);
    ck_assert_int_eq(sniffer_attach(wire, b->f->wire[0], 0), 0);
    for (int i = 0; i < 2; i++) {
        far_end_params fe = far_end_params_default();
        fe.units = 4064;
        side[i].sent.count = side[i].stored.count = 0;
        side[i].checker = far_end_new(&fe, on_packet, &side[i]);
        after_test(far_end_free_cleanup, side[i].checker);
        side[i].pins = &b->f->node[i]->nic.gt;
        sim_clock_attach(b->f->node[i]->net_clock, look_at_pins, NULL, &side[i]);
    }
    fabric_good(b, software, number);
    uint64_t struck = 0;
    for (unsigned i = 0; i < faults_count(b->p.faults); i++) struck += faults_get(b->p.faults, i).struck;
    ck_assert_uint_gt(struck, 30);
    for (int i = 0; i < 2; i++)
        for (unsigned point = 0; point < 4; point++) {
            const view *v = point < NX_N2H_IN ? &side[i].sent : &side[i].stored;
            nx_trace_entry *e = side[i].trace.entry[point];
            unsigned at = 0;
            int words = compare(&side[i].trace, point, v, 2, &at);
            ck_assert_msg(words >= 0, "seed %d, node %d, point %u: entry %u, %016llx flags %02x, differs from the pins",
                          number, i, point, at, (unsigned long long)e[at].data, e[at].flags);
            ck_assert_msg(words > 1200, "seed %d, node %d, point %u: %d words", number, i, point, words);
            /* the comparison itself: another bit, another flag */
            unsigned other = 300 + (unsigned)(rand() % 800);
            while (!(e[other].flags & NX_TRACE_VALID)) other++;
            e[other].data ^= 1ull << 32;
            ck_assert_int_eq(compare(&side[i].trace, point, v, 2, &at), -1);
            e[other].data ^= 1ull << 32;
            e[other].flags ^= NX_TRACE_EOP;
            ck_assert_int_eq(compare(&side[i].trace, point, v, 2, &at), -1);
        }
}

static int runs(void)
{
    const char *text = getenv("TRACES");
    return text && atoi(text) > 0 ? atoi(text) : 2;
}

TEST_CASE("trace_traffic", .timeout = 36000);

TEST(each_word_of_a_trace_is_one_of_the_pins_in_random_traffic_with_faults)
{
    for (int i = 0; i < runs(); i++) {
        run(i);
        clean_up();
    }
}
