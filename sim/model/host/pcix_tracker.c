/* See pcix_tracker.h. One state machine over the resolved wires. */
#include "sim/model/host/pcix_tracker.h"

#include <stdlib.h>

enum { LISTENERS = 8 };

struct pcix_tracker {
    pcix_transaction t;
    int phase;
    unsigned width;       /* bytes per data phase */
    unsigned count_index; /* last data phase by byte count */
    unsigned stop_index;  /* by target disconnect; the same if none */
    unsigned frame_index; /* by FRAME# going high; ~0 if still low */
    bool stop_seen, frame_high, cut_by_target;
    uint64_t req_since[PCIX_AGENTS];
    uint16_t req_n;
    uint64_t data_clocks, busy_clocks;
    struct listeners {
        pcix_on_transaction fn[LISTENERS];
        void *self[LISTENERS];
        int count;
    } data, over;
};

pcix_tracker *pcix_tracker_new(void)
{
    pcix_tracker *k = calloc(1, sizeof *k);
    if (k != NULL) {
        k->req_n = 0xffff;
        k->t.target = k->t.initiator = -1;
    }
    return k;
}

void pcix_tracker_free(pcix_tracker *k) { free(k); }

static int listen(struct listeners *l, pcix_on_transaction fn, void *self)
{
    if (l->count == LISTENERS) return -1;
    l->fn[l->count] = fn;
    l->self[l->count++] = self;
    return 0;
}

static void call(const struct listeners *l, const pcix_transaction *t)
{
    for (int i = 0; i < l->count; i++) l->fn[i](l->self[i], t);
}

int pcix_tracker_on_transaction(pcix_tracker *k, pcix_on_transaction fn, void *self)
{
    return listen(&k->over, fn, self);
}

int pcix_tracker_on_data(pcix_tracker *k, pcix_on_transaction fn, void *self) { return listen(&k->data, fn, self); }

const pcix_transaction *pcix_tracker_now(const pcix_tracker *k) { return &k->t; }
uint64_t pcix_tracker_data_clocks(const pcix_tracker *k) { return k->data_clocks; }
uint64_t pcix_tracker_busy_clocks(const pcix_tracker *k) { return k->busy_clocks; }
unsigned pcix_tracker_planned_index(const pcix_tracker *k) { return k->stop_index; }
unsigned pcix_tracker_last_index(const pcix_tracker *k)
{
    return k->frame_index < k->stop_index ? k->frame_index : k->stop_index;
}

static void take_requests(pcix_tracker *k, const pcix_sample *s)
{
    unsigned changed = (unsigned)(k->req_n ^ s->req_n);
    for (int i = 0; i < PCIX_AGENTS; i++)
        if (changed >> i & 1) k->req_since[i] = s->req_n >> i & 1 ? 0 : s->clock;
    k->req_n = s->req_n;
}

static int start(pcix_tracker *k, const pcix_sample *s)
{
    int who = pcix_driver(s, PCIX_FRAME);
    k->t = (pcix_transaction){
        .number = k->t.number + 1,
        .initiator = who,
        .target = -1,
        .command = s->cbe & 15,
        .dac = (s->cbe & 15) == PCIX_DUAL_ADDRESS,
        .req64 = pcix_low(s, PCIX_REQ64),
        .address = s->ad & 0xffffffffu,
        .start = s->clock,
        .address_clock = s->clock,
        .request = who >= 0 ? k->req_since[who] : 0,
        .end = PCIX_END_MASTER_ABORT,
    };
    k->frame_index = ~0u;
    k->stop_index = k->count_index = 0;
    k->stop_seen = k->frame_high = k->cut_by_target = false;
    return PCIX_PH_ADDRESS;
}

static void data_begins(pcix_tracker *k)
{
    pcix_transaction *t = &k->t;
    k->width = t->req64 && t->ack64 ? 8 : 4;
    k->count_index = pcix_is_dword(t->command) ? 0 : pcix_phases(t->address, t->byte_count, k->width) - 1;
    k->stop_index = k->count_index;
}

static void note_frame(pcix_tracker *k, const pcix_sample *s)
{
    if (k->frame_high || pcix_low(s, PCIX_FRAME) || k->t.response == 0) return;
    k->frame_high = true;
    k->frame_index = (unsigned)(s->clock - k->t.response) + 1;
}

static int word_moves(pcix_tracker *k, pcix_sample *s)
{
    s->index = (uint16_t)k->t.data_phases++;
    k->t.last_data = s->clock;
    return PCIX_PH_DATA;
}

/* In the middle of a burst both sides go on, and nothing says that it is to end. */
static bool goes_on(const pcix_tracker *k, const pcix_sample *s)
{
    const unsigned look = PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_DEVSEL) | PCIX_BIT(PCIX_TRDY) | PCIX_BIT(PCIX_STOP);
    return k->phase == PCIX_PH_DATA && (s->level & look) == PCIX_BIT(PCIX_STOP) &&
           k->t.data_phases <= pcix_tracker_last_index(k) && k->t.end != PCIX_END_SINGLE && s->rst_n;
}

/* A response clock: DEVSEL# was low before. `first`: nothing but wait states came before. */
static int respond(pcix_tracker *k, pcix_sample *s, bool first)
{
    pcix_transaction *t = &k->t;
    bool devsel = pcix_low(s, PCIX_DEVSEL), trdy = pcix_low(s, PCIX_TRDY), stop = pcix_low(s, PCIX_STOP);
    if (first && devsel && !trdy && !stop) return PCIX_PH_WAIT;
    if (first) t->response = s->clock;
    if (trdy && (devsel || stop)) { /* a word moves */
        if (first) {
            data_begins(k);
            t->first_data = s->clock;
            t->first_word = (uint32_t)s->ad;
            t->end = PCIX_END_COUNT;
            call(&k->data, t);
        }
        note_frame(k, s);
        word_moves(k, s);
        if (!devsel) {
            t->end = PCIX_END_SINGLE;
            k->stop_index = s->index;
        } else if (stop && !k->stop_seen) {
            unsigned least = s->index == 0 ? 1 : (unsigned)s->index + 4;
            unsigned adb = pcix_phases_to_adb(t->address, k->width, least) - 1;
            k->stop_seen = true;
            if (adb < k->stop_index) {
                k->stop_index = adb;
                k->cut_by_target = true;
            }
        }
        return PCIX_PH_DATA;
    }
    t->end = trdy ? PCIX_END_SPLIT : devsel && stop ? PCIX_END_RETRY : stop ? PCIX_END_TARGET_ABORT : t->end;
    return PCIX_PH_TERMINATE;
}

static int finish(pcix_tracker *k, const pcix_sample *s)
{
    pcix_transaction *t = &k->t;
    t->over = s->clock;
    if (t->data_phases > 0) {
        t->bytes = pcix_is_dword(t->command) ? 4 : pcix_bytes(t->address, t->byte_count, k->width, t->data_phases);
        if (t->end == PCIX_END_SINGLE && t->bytes == t->byte_count) t->end = PCIX_END_COUNT;
        if (t->end == PCIX_END_COUNT && t->data_phases <= k->count_index)
            t->end = k->cut_by_target && t->data_phases == k->stop_index + 1 ? PCIX_END_TARGET : PCIX_END_INITIATOR;
    }
    call(&k->over, t);
    return PCIX_PH_IDLE;
}

void pcix_tracker_clock(pcix_tracker *k, pcix_sample *s, const pcix_sample *before)
{
    pcix_transaction *t = &k->t;
    int phase = k->phase;

    if (k->req_n != s->req_n) take_requests(k, s);
    if (goes_on(k, s)) {
        phase = word_moves(k, s);
    } else if (!s->rst_n) {
        phase = PCIX_PH_IDLE;
    } else if (phase == PCIX_PH_IDLE) {
        if (pcix_low(s, PCIX_FRAME) && pcix_idle(before)) phase = start(k, s);
    } else if (phase == PCIX_PH_ADDRESS && t->dac) {
        phase = PCIX_PH_ADDRESS2;
        t->command = s->cbe & 15;
        t->address |= s->ad << 32;
        t->address_clock = s->clock;
    } else if (phase == PCIX_PH_ADDRESS || phase == PCIX_PH_ADDRESS2) {
        phase = PCIX_PH_ATTRIBUTE;
        t->attribute = (uint32_t)s->ad;
        t->attribute_cbe = s->cbe & 15;
        t->byte_count = pcix_is_dword(t->command) ? 4 : pcix_byte_count(t->attribute, t->attribute_cbe);
    } else if (pcix_idle(s) && phase != PCIX_PH_ATTRIBUTE) {
        phase = finish(k, s);
    } else if (phase == PCIX_PH_ATTRIBUTE || phase == PCIX_PH_RESPONSE) {
        phase = PCIX_PH_RESPONSE;
        if (t->devsel != 0) {
            phase = respond(k, s, true);
        } else if (pcix_low(s, PCIX_DEVSEL)) {
            t->devsel = s->clock;
            t->target = pcix_driver(s, PCIX_DEVSEL);
            t->ack64 = pcix_low(s, PCIX_ACK64);
        }
    } else if (phase == PCIX_PH_WAIT) {
        phase = respond(k, s, true);
    } else if (phase == PCIX_PH_DATA) {
        note_frame(k, s);
        if (t->data_phases > pcix_tracker_last_index(k) || t->end == PCIX_END_SINGLE) phase = PCIX_PH_OVER;
        else phase = respond(k, s, false);
    } else if (phase == PCIX_PH_TERMINATE) {
        phase = PCIX_PH_OVER;
    }
    k->phase = phase;
    k->data_clocks += phase == PCIX_PH_DATA;
    k->busy_clocks += phase != PCIX_PH_IDLE;
    s->phase = (uint8_t)phase;
}
