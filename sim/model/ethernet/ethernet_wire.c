/* The line between two Ethernet ends; the manual is in the header. */
#include "sim/model/ethernet/ethernet_wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/splitmix64.h"

enum { OBSERVERS = 8 };

/* Frames that are struck, or with `cut` a time in which everything is lost. */
typedef struct strike {
    int from;
    uint64_t first, last; /* numbers of frames, or [ps] with ETHERNET_CUT; both included */
    ethernet_fault fault;
} strike;

typedef struct flying {
    struct flying *next;
    sim_time time;  /* it comes to the middle or to the end */
    sim_time until; /* held at most so long */
    uint64_t later; /* frames it is held for */
    int bad_fcs;
    size_t length;
    uint8_t bytes[];
} flying;

typedef struct line {
    uint64_t busy; /* [1 / rate s], in bits from time 0: when the next frame can start */
    flying *leaving, **leaving_end;
    flying *arriving, **arriving_end;
    flying *held;
    uint64_t number, random;
    int cut;
    double chance[ETHERNET_FAULTS];
    ethernet_wire_stats stats;
    ethernet_deliver deliver;
    void *deliver_self;
} line;

struct ethernet_wire {
    ethernet_wire_params params;
    line line[2]; /* by the end that they come from; deliver: of that end */
    strike *strikes;
    size_t strike_count;
    ethernet_tap tap;
    void *tap_self;
    unsigned observers;
    struct {
        ethernet_place place;
        ethernet_observer call;
        void *self;
    } observer[OBSERVERS];
    int calm;
    const char *error;
};

static const char *const fault_names[ETHERNET_FAULTS] = {"none", "lose", "duplicate", "delay", "flip", "spoil", "cut"};

void ethernet_wire_params_default(ethernet_wire_params *params)
{
    *params = (ethernet_wire_params){.rate = 10000000000u,
                                     .latency = 500 * SIM_NS,
                                     .delay_most = 16,
                                     .hold = 10 * SIM_US,
                                     .pad = 1,
                                     .seed = 1,
                                     .name = {"a", "b"}};
}

static const char *complaint(const ethernet_wire_params *p)
{
    const double probabilities[] = {p->lose, p->duplicate, p->delay, p->flip, p->spoil};

    if (p->rate < 100000000u || p->rate > 400000000000u) return "rate: expected 10^8 .. 4 x 10^11 bit/s";
    for (size_t i = 0; i < sizeof probabilities / sizeof *probabilities; i++)
        if (!(probabilities[i] >= 0 && probabilities[i] <= 1))
            return "lose, duplicate, delay, flip, spoil: expected 0 .. 1";
    if (p->delay_most < 1 || p->delay_most > 1000) return "delay_most: expected 1 .. 1000 frames";
    if (!p->name[0] || !p->name[1] || !strcmp(p->name[0], p->name[1])) return "name: expected two different ones";
    return NULL;
}

ethernet_wire *ethernet_wire_new(const ethernet_wire_params *params, char error[ETHERNET_ERROR])
{
    const char *wrong = complaint(params);
    ethernet_wire *w = wrong ? NULL : calloc(1, sizeof *w);

    if (!w) {
        snprintf(error, ETHERNET_ERROR, "wire: %s", wrong ? wrong : "out of memory");
        return NULL;
    }
    w->params = *params;
    for (int from = 0; from < 2; from++) {
        line *l = &w->line[from];

        l->leaving_end = &l->leaving;
        l->arriving_end = &l->arriving;
        l->random = splitmix64_mix(params->seed * 2 + (unsigned)from);
        l->chance[ETHERNET_LOSE] = params->lose;
        l->chance[ETHERNET_DUPLICATE] = params->duplicate;
        l->chance[ETHERNET_DELAY] = params->delay;
        l->chance[ETHERNET_FLIP] = params->flip;
        l->chance[ETHERNET_SPOIL] = params->spoil;
    }
    return w;
}

static void free_all(flying *f)
{
    for (flying *next; f; f = next) {
        next = f->next;
        free(f);
    }
}

void ethernet_wire_free(ethernet_wire *w)
{
    if (!w) return;
    for (int from = 0; from < 2; from++) {
        free_all(w->line[from].leaving);
        free_all(w->line[from].arriving);
        free_all(w->line[from].held);
    }
    free(w->strikes);
    free(w);
}

void ethernet_wire_connect(ethernet_wire *w, int end, ethernet_deliver deliver, void *self)
{
    w->line[end].deliver = deliver;
    w->line[end].deliver_self = self;
}

/* ---- time on the line: kept in bits, so that it does not drift whatever the rate ---- */

#define PS_PER_SECOND 1000000000000u

static sim_time at_bit(const ethernet_wire *w, uint64_t bit)
{
    return (sim_time)((unsigned __int128)bit * PS_PER_SECOND / w->params.rate);
}

/* The first bit that starts at this time or later. */
static uint64_t bit_at(const ethernet_wire *w, sim_time time)
{
    return (uint64_t)(((unsigned __int128)time * w->params.rate + PS_PER_SECOND - 1) / PS_PER_SECOND);
}

sim_time ethernet_wire_time(const ethernet_wire *w, uint64_t bytes) { return at_bit(w, 8 * bytes); }

sim_time ethernet_wire_idle_at(const ethernet_wire *w, int from) { return at_bit(w, w->line[from].busy); }

/* ---- frames on their way ---- */

/* With zeros behind it up to `whole` bytes. */
static flying *frame_of(ethernet_wire *w, const uint8_t *bytes, size_t length, size_t whole, int bad_fcs)
{
    flying *f = malloc(sizeof *f + whole);

    if (!f) {
        w->error = "out of memory: a frame is lost";
        return NULL;
    }
    *f = (flying){.length = whole, .bad_fcs = bad_fcs};
    if (length) memcpy(f->bytes, bytes, length);
    memset(f->bytes + length, 0, whole - length);
    return f;
}

static void append(flying ***end, flying *f)
{
    f->next = NULL;
    **end = f;
    *end = &f->next;
}

static flying *take_first(flying **first, flying ***end)
{
    flying *f = *first;

    *first = f->next;
    if (!*first) *end = first;
    return f;
}

int ethernet_wire_send(ethernet_wire *w, int from, const uint8_t *frame, size_t length, int bad_fcs, sim_time time)
{
    line *l = &w->line[from];
    size_t sent = w->params.pad && length < ETHERNET_SHORTEST ? ETHERNET_SHORTEST : length;
    uint64_t start = bit_at(w, time), bits;
    flying *f;

    if (length > ETHERNET_LONGEST) {
        w->error = "a frame is longer than 9216 bytes";
        return -1;
    }
    f = frame_of(w, frame, length, sent, bad_fcs);
    if (!f) return -1;
    if (start < l->busy) start = l->busy;
    bits = 8 * (ETHERNET_PREAMBLE + (uint64_t)(sent < ETHERNET_SHORTEST ? ETHERNET_SHORTEST : sent) + ETHERNET_FCS);
    f->time = at_bit(w, start + bits);
    l->busy = start + bits + 8 * ETHERNET_GAP;
    append(&l->leaving_end, f);
    return 0;
}

/* On to the other end. */
static void forward(ethernet_wire *w, line *l, flying *f, sim_time now)
{
    f->time = now + w->params.latency;
    append(&l->arriving_end, f);
}

/* Held frames that have waited for long enough; passed: one more has gone by. */
static void release(ethernet_wire *w, line *l, int passed, sim_time now)
{
    for (flying **at = &l->held, *f; (f = *at) != NULL;) {
        f->later -= passed && f->later;
        if (f->later && f->until > now) at = &f->next;
        else {
            *at = f->next;
            forward(w, l, f, now);
        }
    }
}

static void hold(ethernet_wire *w, line *l, flying *f, uint64_t later, sim_time now)
{
    flying **at = &l->held;

    f->later = later;
    f->until = now + w->params.hold;
    while (*at) at = &(*at)->next;
    f->next = NULL;
    *at = f;
}

/* ---- faults ---- */

const char *ethernet_fault_name(ethernet_fault_kind kind) { return kind < ETHERNET_FAULTS ? fault_names[kind] : "?"; }

const char *ethernet_wire_name(const ethernet_wire *w, int end) { return w->params.name[end]; }

int ethernet_wire_strike(ethernet_wire *w, int from, uint64_t first, uint64_t count, ethernet_fault fault)
{
    strike *all = count ? realloc(w->strikes, (w->strike_count + 1) * sizeof *all) : NULL;

    if (!all) return count ? -1 : 0;
    w->strikes = all;
    all[w->strike_count++] = (strike){from, first, count > UINT64_MAX - first ? UINT64_MAX : first + count - 1, fault};
    return 0;
}

void ethernet_wire_chance(ethernet_wire *w, int from, ethernet_fault_kind kind, double probability)
{
    w->line[from].chance[kind] = probability;
}

void ethernet_wire_set_tap(ethernet_wire *w, ethernet_tap tap, void *self)
{
    w->tap = tap;
    w->tap_self = self;
}

void ethernet_wire_cut(ethernet_wire *w, int from) { w->line[from].cut = 1; }

void ethernet_wire_reconnect(ethernet_wire *w, int from) { w->line[from].cut = 0; }

void ethernet_wire_calm(ethernet_wire *w) { w->calm = 1; }

static int is_cut(const ethernet_wire *w, int from, sim_time now)
{
    for (size_t i = 0; i < w->strike_count; i++) {
        const strike *s = &w->strikes[i];

        if (s->fault.kind == ETHERNET_CUT && s->from == from && now >= s->first && now <= s->last) return 1;
    }
    return w->line[from].cut;
}

static int happens(uint64_t *random, double probability)
{
    return probability > 0 && (double)(splitmix64(random) >> 11) < probability * 0x1p53;
}

static ethernet_fault draw(line *l, size_t length, unsigned delay_most)
{
    uint64_t *r = &l->random, bits = 8 * (uint64_t)length;

    if (happens(r, l->chance[ETHERNET_LOSE])) return (ethernet_fault){ETHERNET_LOSE, 0};
    if (happens(r, l->chance[ETHERNET_DUPLICATE])) return (ethernet_fault){ETHERNET_DUPLICATE, 0};
    if (happens(r, l->chance[ETHERNET_DELAY]))
        return (ethernet_fault){ETHERNET_DELAY, 1 + splitmix64_below(r, delay_most)};
    if (bits && happens(r, l->chance[ETHERNET_FLIP])) return (ethernet_fault){ETHERNET_FLIP, splitmix64_below(r, bits)};
    if (bits && happens(r, l->chance[ETHERNET_SPOIL]))
        return (ethernet_fault){ETHERNET_SPOIL, splitmix64_below(r, bits)};
    return (ethernet_fault){ETHERNET_NO_FAULT, 0};
}

static ethernet_fault fault_of(ethernet_wire *w, int from, const flying *f, sim_time now)
{
    line *l = &w->line[from];
    uint64_t number = l->number++;
    ethernet_fault fault = {ETHERNET_NO_FAULT, 0};

    if (is_cut(w, from, now)) return (ethernet_fault){ETHERNET_CUT, 0};
    for (size_t i = 0; i < w->strike_count; i++) {
        const strike *s = &w->strikes[i];

        if (s->from == from && s->fault.kind != ETHERNET_CUT && number >= s->first && number <= s->last)
            return s->fault;
    }
    if (w->tap) fault = w->tap(w->tap_self, from, number, f->bytes, f->length);
    return fault.kind == ETHERNET_NO_FAULT && !w->calm ? draw(l, f->length, w->params.delay_most) : fault;
}

/* ---- what happens ---- */

static void observe(ethernet_wire *w, ethernet_place place, int from, const flying *f)
{
    for (unsigned i = 0; i < w->observers; i++)
        if (w->observer[i].place == place)
            w->observer[i].call(w->observer[i].self, from, f->time, f->bytes, f->length, f->bad_fcs);
}

/* A frame has left its sender, and is in the middle. */
static void leave(ethernet_wire *w, int from)
{
    line *l = &w->line[from];
    flying *f = take_first(&l->leaving, &l->leaving_end), *twin;
    sim_time now = f->time;
    ethernet_fault fault;

    l->stats.frames++;
    l->stats.bytes += f->length;
    observe(w, ETHERNET_SENT, from, f);
    fault = fault_of(w, from, f, now);
    l->stats.struck[fault.kind]++;
    if (fault.kind == ETHERNET_LOSE || fault.kind == ETHERNET_CUT) {
        free(f);
        return;
    }
    if (fault.kind == ETHERNET_DELAY && fault.argument) {
        hold(w, l, f, fault.argument, now);
        return;
    }
    if ((fault.kind == ETHERNET_FLIP || fault.kind == ETHERNET_SPOIL) && f->length) {
        uint64_t bit = fault.argument % (8 * f->length);

        f->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        f->bad_fcs |= fault.kind == ETHERNET_SPOIL;
    }
    twin = fault.kind == ETHERNET_DUPLICATE ? frame_of(w, f->bytes, f->length, f->length, f->bad_fcs) : NULL;
    forward(w, l, f, now);
    if (twin) forward(w, l, twin, now);
    release(w, l, 1, now);
}

static void arrive(ethernet_wire *w, int from)
{
    line *l = &w->line[from], *end = &w->line[!from];
    flying *f = take_first(&l->arriving, &l->arriving_end);

    if (is_cut(w, from, f->time)) l->stats.struck[ETHERNET_CUT]++;
    else {
        l->stats.arrived++;
        l->stats.arrived_bytes += f->length;
        observe(w, ETHERNET_ARRIVED, from, f);
        if (end->deliver) end->deliver(end->deliver_self, f->bytes, f->length, f->bad_fcs, f->time);
    }
    free(f);
}

static sim_time release_time(const line *l)
{
    sim_time first = SIM_FOREVER;

    for (const flying *f = l->held; f; f = f->next)
        if (f->until < first) first = f->until;
    return first;
}

enum { NOTHING, LEAVE, RELEASE, ARRIVE };

/* The next event, and its time. */
static int next_event(const ethernet_wire *w, int *from, sim_time *time)
{
    int what = NOTHING;

    *time = SIM_FOREVER;
    for (int d = 0; d < 2; d++) {
        const line *l = &w->line[d];
        const sim_time times[] = {SIM_FOREVER, l->leaving ? l->leaving->time : SIM_FOREVER,
                                  l->held ? release_time(l) : SIM_FOREVER,
                                  l->arriving ? l->arriving->time : SIM_FOREVER};

        for (int i = LEAVE; i <= ARRIVE; i++)
            if (times[i] < *time) {
                *time = times[i];
                *from = d;
                what = i;
            }
    }
    return what;
}

sim_time ethernet_wire_next(const ethernet_wire *w)
{
    sim_time time;
    int from;

    next_event(w, &from, &time);
    return time;
}

void ethernet_wire_run(ethernet_wire *w, sim_time now)
{
    for (;;) {
        sim_time time;
        int from = 0, what = next_event(w, &from, &time);

        if (what == NOTHING || time > now) return;
        if (what == LEAVE) leave(w, from);
        else if (what == ARRIVE) arrive(w, from);
        else release(w, &w->line[from], 0, time);
    }
}

/* ---- what passes ---- */

int ethernet_wire_observe(ethernet_wire *w, ethernet_place place, ethernet_observer observer, void *self)
{
    if (w->observers == OBSERVERS) return -1;
    w->observer[w->observers].place = place;
    w->observer[w->observers].call = observer;
    w->observer[w->observers++].self = self;
    return 0;
}

ethernet_wire_stats ethernet_wire_get_stats(const ethernet_wire *w, int from)
{
    ethernet_wire_stats stats = w->line[from].stats;

    for (size_t i = 0; i < w->strike_count; i++) {
        const strike *s = &w->strikes[i];

        if (s->from != from || s->fault.kind == ETHERNET_CUT || s->last < stats.frames) continue;
        stats.unplanned += s->last - (s->first > stats.frames ? s->first : stats.frames) + 1;
    }
    return stats;
}

void ethernet_wire_print(const ethernet_wire *w, FILE *out)
{
    for (int from = 0; from < 2; from++) {
        ethernet_wire_stats s = ethernet_wire_get_stats(w, from);

        fprintf(out, "%s>%s: %" PRIu64 " frames, %" PRIu64 " bytes sent; %" PRIu64 " frames arrived",
                w->params.name[from], w->params.name[!from], s.frames, s.bytes, s.arrived);
        for (int kind = ETHERNET_LOSE; kind < ETHERNET_FAULTS; kind++)
            if (s.struck[kind]) fprintf(out, ", %s %" PRIu64, fault_names[kind], s.struck[kind]);
        fputc('\n', out);
    }
}

const char *ethernet_wire_error(const ethernet_wire *w) { return w->error ? w->error : ""; }
