#include "stamp_traffic.h"

#include <stdlib.h>
#include <string.h>

#include "sim/system/nodes/switch_access.h"
#include "test.h"

enum { LONGEST = 1500 /* [words] of a transfer */, AREA = 0x40000 /* bytes that a node writes to at another */ };

/* [ps] of a clock, with its crystal's deviation. */
static double period(const sim_clock *c, double ppm) { return (double)sim_clock_period(c) / (1 + ppm * 1e-6); }

/* Clocks that fit between two times, and those that a counter says; they may differ by this much. */
static void agree(const char *what, uint32_t counted, sim_time from, sim_time to, double one, double least, double most)
{
    double off = (double)(int32_t)counted - (double)((int64_t)to - (int64_t)from) / one;
    ck_assert_msg(off >= least && off <= most, "%s: %d clocks by the stamps, %.2f by the pins", what, (int32_t)counted,
                  (double)((int64_t)to - (int64_t)from) / one);
}

static void verify(void *self, const stages_packet *p)
{
    stamp_traffic *t = self;
    fabric *f = t->b->f;
    struct stamp_node *n = &t->node[p->from], *sw = &t->node[0];
    const sniffer_frame *frame = p->frame;
    int stamped = frame->length >= NX_STAMPED_WORDS && t->mode & NX_TIME_STAMPS;
    t->packets++;
    ck_assert_int_eq(frame->stamps, stamped && !t->switch_off);
    if (!stamped) return;
    const uint64_t payload[] = {(uint64_t)frame->payload[0] << 32 | frame->payload[1],
                                (uint64_t)frame->payload[2] << 32 | frame->payload[3]};
    nx_stamps s = nx_stamps_read(payload);
    double pci = period(f->node[p->from]->pci_clock, f->params.node[p->from].pci_ppm);
    if (!n->known) {
        n->known = 1;
        n->count = s.created;
        n->clock = p->created_clock;
    }
    /* both in the same clock: exact */
    ck_assert_msg(s.created - n->count == (uint32_t)(p->created_clock - n->clock),
                  "created %u clocks after the first one, %u on the bus", s.created - n->count,
                  (unsigned)(p->created_clock - n->clock));
    /* The slot is written 4 clocks after the data phase begins. The SOP comes in another clock: its phase is up to one
     * clock. */
    agree("departed", s.departed - s.created + 4, p->at[STAGE_CREATED], p->at[STAGE_DEPARTED], pci, -1, 1);
    t->stamped++;
    if (!f->chip.model || t->switch_off) {
        ck_assert_uint_eq(s.arrived | s.left, 0);
        return;
    }
    double net = period(f->clock[0], f->params.switch_ppm[0]);
    /* the byte of the SOP may be the last one of its word, and it may come in the other clock */
    agree("in the switch", s.left - s.arrived, p->at[STAGE_ARRIVED], p->at[STAGE_LEFT], net, -1.05, 1.05);
    if (!sw->switch_known) {
        sw->switch_known = 1;
        sw->switch_count = s.left;
        sw->switch_at = p->at[STAGE_LEFT];
    }
    agree("left", s.left - sw->switch_count, sw->switch_at, p->at[STAGE_LEFT], net, -1.05, 1.05);
    t->crossed_clocks += p->from / 2 != p->to / 2;
}

/* ---- damage: a random word of some packets to the switch, or one of the two that it replaces */

static void damage(void *self, int from, uint64_t word_index, uint32_t *data, uint8_t *k, uint64_t *flip)
{
    struct stamp_node *n = self;
    stamp_traffic *t = n->t;
    (void)word_index, (void)flip;
    if (from) return;
    if (frame_is_sop(*data, *k)) {
        frame_reader_begin(&n->reader);
        n->place = UINT32_MAX;
        return;
    }
    if (*k || frame_reader_word(&n->reader, *data) != FRAME_PAYLOAD) return;
    unsigned words = 2 * frame_length((uint32_t)(n->reader.header >> 32)), at = words - 1 - n->reader.left;
    if (at == 0 && !sim_random_below(t->b->f->s, 10)) {
        n->place = (uint32_t)sim_random_below(t->b->f->s, t->damage_stamps ? 2 : words > 6 ? words - 2 : 2);
        if (t->damage_stamps ? words < 2 * NX_STAMPED_WORDS : 0) n->place = UINT32_MAX;
        else if (t->damage_stamps || n->place > 1) n->place += 2; /* words 2 and 3 are the switch's */
    }
    if (at != n->place) return;
    *data ^= 1u << sim_random_below(t->b->f->s, 32);
    t->damaged++;
    t->replaced += at == 2;
}

static void count_bad(void *arg, const sniffer_frame *frame)
{
    stamp_traffic *t = arg;
    if (frame->from == 1 && frame->has_header && !frame->is_check && !frame->body_crc_ok) t->bad++;
}

/* ---- software of the hosts */

static void sender(void *arg)
{
    struct stamp_node *n = arg;
    stamp_traffic *t = n->t;
    fabric *f = t->b->f;
    node *me = f->node[n->node];
    uint64_t source = me->platform.alloc(me, LONGEST * 8, 8);
    uint32_t before, after;
    ck_assert_int_eq(nx_benchmark_mode(me->dev, t->mode), NX_OK);
    ck_assert_int_eq(nx_time(me->dev, &before), NX_OK);
    if (t->mode & NX_TIME_STAMPS) { /* no room for the high half of an address */
        nx_descriptor high = {.source = UINT32_MAX - 7, .words = 2, .flow = !n->node, .flags = NX_START};
        ck_assert_int_eq(nx_post(me->dev, &high, NULL), NX_ERROR_ARGUMENT);
        ck_assert_int_eq(nx_transfer(me->dev, !n->node, (uint64_t)1 << 32, 0, 8, 0, NULL), NX_ERROR_ARGUMENT);
        ck_assert_msg(strstr(nx_last_error(me->dev), "at or below 4 GB with time stamps") != NULL, "%s",
                      nx_last_error(me->dev));
    }
    for (unsigned i = 0; i < t->transfers; i++) {
        unsigned to = f->chip.model ? (unsigned)sim_random_below(f->s, f->nodes) : !n->node;
        unsigned words = 1 + (unsigned)sim_random_below(f->s, sim_random_below(f->s, 8) ? 70 : LONGEST);
        uint32_t destination =
            (uint32_t)(t->node[to].destination + AREA * n->node + sim_random_below(f->s, AREA - LONGEST * 8) / 8 * 8);
        unsigned flags = sim_random_below(f->s, 4) ? 0 : NX_LOCAL | NX_REMOTE;
        ck_assert_int_eq(nx_transfer(me->dev, to, source, destination, 8 * words, flags, NULL), NX_OK);
        if (!sim_random_below(f->s, 4)) sim_wait_time(f->s, (sim_time)sim_random_below(f->s, 20) * SIM_US);
    }
    for (unsigned to = 0; to < f->nodes; to++) ck_assert_int_eq(nx_drain(me->dev, to), NX_OK);
    ck_assert_int_eq(nx_time(me->dev, &after), NX_OK);
    if (n->known)
        ck_assert_msg((int32_t)(n->count - before) > 0 && (int32_t)(after - n->count) > 0,
                      "TIME is not that of the stamps");
    ck_assert_int_eq(nx_benchmark_mode(me->dev, 0), NX_OK);
    n->done = 1;
}

static int all_done(void *arg)
{
    stamp_traffic *t = arg;
    for (unsigned i = 0; i < t->b->f->nodes; i++)
        if (!t->node[i].done) return 0;
    return 1;
}

CLEANUP(stages_free);
CLEANUP(sniffer_free);

void stamp_traffic_run(stamp_traffic *t)
{
    fabric *f = t->b->f;
    char error[SWITCH_ERROR];
    t->view = stages_new(f, verify, t);
    ck_assert_ptr_nonnull(t->view);
    after_test(stages_free_cleanup, t->view);
    if (f->chip.model && !t->switch_off) ck_assert_msg(!switch_settings(f, "stamps 1", error), "%s", error);
    for (unsigned i = 0; i < f->nodes; i++) {
        t->node[i].t = t;
        t->node[i].node = i;
        t->node[i].destination = f->node[i]->platform.alloc(f->node[i], AREA * f->nodes, 4096);
        if (!t->damage) continue;
        sniffer *last = sniffer_new(count_bad, t);
        ck_assert(last && !sniffer_attach(last, f->wire[i], 0));
        cable_set_tap(f->wire[i], damage, &t->node[i]);
        after_test(sniffer_free_cleanup, last);
    }
    for (unsigned i = 0; i < f->nodes; i++) sim_task_new(f->s, "sender", sender, &t->node[i]);
    sim_wait_until(f->node[0]->pci_clock, all_done, t);
    sim_wait_time(f->s, 20 * SIM_US); /* the last ones are on their way */
}
