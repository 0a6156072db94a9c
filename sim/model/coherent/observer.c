#include "sim/model/coherent/observer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NI = 2, NOBODY = -1, BUCKETS = 1 << 12, ANSWERS_AFTER = 2 /* clocks after snoop_valid */ };

/* Of one line: its words by the order of the interconnect, who may hold it, who has it in M. */
typedef struct line {
    struct line *next;
    uint32_t number;
    uint64_t words[OBSERVER_WORDS];
    uint8_t may_hold;        /* a bit for each agent */
    int8_t dirty;            /* cache, or NOBODY */
    uint8_t was_here, taken; /* a bit for each cache: had it once; a snoop has taken it away since */
} line;

/* An access of a processor to coherent memory. */
typedef struct access {
    int active, write, lines, atomic, broadcast, updated;
    uint32_t address, stored;
    uint8_t be;
    uint64_t data, requested, since; /* clock of the request; from which on this word could be served */
    unsigned word;
    int pending; /* a word of a store that has been taken and not performed yet */
} access;

struct observer {
    sim *s;
    sim_clock *clock;
    observer_pins p;
    uint64_t (*peek)(void *, uint64_t);
    void *memory;
    line *bucket[BUCKETS];
    access of[2];
    uint64_t shown[2]; /* clock in which the request appeared, + 1 */
    uint64_t ended[2]; /* of the last word of a processor */
    /* the broadcast under way */
    int age; /* clocks since snoop_valid; -1: over */
    int moving;
    unsigned kind, source, allocate, cache;
    line *at;
    uint64_t since;
    uint8_t merging; /* caches that merge */
    uint8_t moved;   /* words of an UPDATE that are new */
    /* words of the network interface */
    int ni_takes;
    unsigned ni_word;
    line *ni_reads[2];
    uint64_t now, bound;
    int quiet;
    observer_rule rule;
    char text[256];
    observer_stats stats;
};

const char *observer_kind_name(observer_kind k)
{
    static const char *const names[OBSERVER_KINDS] = {"READ",   "READ_EXCLUSIVE",   "UPGRADE",  "WRITEBACK",
                                                      "UPDATE", "INVALIDATE_WRITE", "READ_ONCE"};
    return (unsigned)k < OBSERVER_KINDS ? names[k] : "?";
}

static __attribute__((format(printf, 3, 4))) void violation(observer *o, observer_rule rule, const char *format, ...)
{
    static const char *const names[] = {"", "value", "owner", "lost", "half", "truth", "waits"};
    if (o->rule) return;
    o->rule = rule;
    int n =
        snprintf(o->text, sizeof o->text, "coherence, rule %s, clock %llu: ", names[rule], (unsigned long long)o->now);
    va_list list;
    va_start(list, format);
    vsnprintf(o->text + n, sizeof o->text - (size_t)n, format, list);
    va_end(list);
    if (!o->quiet) sim_fail(o->s, "%s", o->text);
}

static line *find(observer *o, uint32_t number, int make)
{
    line **at = &o->bucket[(number * 2654435761u) >> 20 & (BUCKETS - 1)];
    for (line *l = *at; l; l = l->next)
        if (l->number == number) return l;
    if (!make) return NULL;
    line *l = calloc(1, sizeof *l);
    if (!l) {
        sim_fail(o->s, "observer: no memory is left");
        return NULL;
    }
    l->number = number;
    l->dirty = NOBODY;
    for (unsigned w = 0; w < OBSERVER_WORDS; w++) l->words[w] = o->peek(o->memory, number * 4ull + w);
    l->next = *at;
    return *at = l;
}

/* Bit i of a mask stands for [8i+7:8i]. */
static uint64_t bits_of(uint8_t mask)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1) bits |= 0xffull << 8 * i;
    return bits;
}

static void put(uint64_t *word, uint64_t data, uint64_t bits) { *word = (*word & ~bits) | (data & bits); }

static uint64_t wide(const uint32_t *at, unsigned i) { return at[2 * i] | (uint64_t)at[2 * i + 1] << 32; }

static uint32_t line_of(const access *a) { return a->address >> 5 & 0x7fffff; }

static unsigned word_of(const access *a) { return a->lines ? a->word & 3 : a->address >> 3 & 3; }

/* While an UPDATE is merged, words that it has not moved yet are not to be seen: the others may be new already. Its
 * words move from the third clock of the broadcast on. */
static void not_half(observer *o, unsigned c, const line *l, unsigned word)
{
    if (o->age >= ANSWERS_AFTER && o->moving && o->at == l && o->kind == OBSERVER_UPDATE && o->merging >> c & 1 &&
        !(o->moved >> word & 1))
        violation(o, OBSERVER_HALF, "processor %u, line %x word %u: a load ends amid an UPDATE", c, l->number, word);
}

static void alone(observer *o, unsigned c, line *l)
{
    if (l->dirty == (int)c) return;
    if (l->may_hold & ~(1u << c))
        violation(o, OBSERVER_OWNER, "processor %u stores to line %x, which agents %x may hold", c, l->number,
                  l->may_hold & ~(1u << c));
    if (!(l->may_hold >> c & 1))
        violation(o, OBSERVER_OWNER, "processor %u stores to line %x, which its cache cannot hold", c, l->number);
    l->dirty = (int8_t)c;
}

/* A word has been served: this long after its request, or after the one before it. */
static void served(observer *o, unsigned c, access *a)
{
    observer_cache_stats *t = &o->stats.cache[c];
    uint64_t wait = o->now - (a->since > o->ended[c] ? a->since : o->ended[c]);
    if (wait > t->worst_wait) t->worst_wait = wait;
    if (o->bound && wait > o->bound)
        violation(o, OBSERVER_WAITS, "processor %u, address %08x: %llu clocks", c, a->address,
                  (unsigned long long)wait);
    o->ended[c] = o->now;
}

static void ends(observer *o, unsigned c, access *a, uint64_t *count)
{
    observer_cache_stats *t = &o->stats.cache[c];
    uint64_t clocks = o->now - a->requested;
    (*count)++;
    t->hits += !a->broadcast;
    if (!a->write) t->load_clocks += clocks;
    if (!a->write && !a->broadcast && !a->lines && clocks > t->worst_hit) t->worst_hit = clocks;
    a->active = 0;
}

/* The store whose word was taken has been performed, in the last clock at the latest. */
static void performed(observer *o, unsigned c)
{
    access *a = &o->of[c];
    if (!a->pending) return;
    a->pending = 0;
    served(o, c, a);
    line *l = find(o, line_of(a), 0);
    if (!l) {
        violation(o, OBSERVER_OWNER, "processor %u stores to line %x without a broadcast", c, line_of(a));
        return;
    }
    if (!a->updated) alone(o, c, l);
    put(&l->words[a->stored], a->data, bits_of(a->be));
}

static void load(observer *o, unsigned c)
{
    access *a = &o->of[c];
    line *l = find(o, line_of(a), 0);
    unsigned w = word_of(a);
    uint64_t bits = bits_of(a->be), got = wide(o->p.rddbus, c);
    if (!l || !(l->may_hold >> c & 1)) {
        violation(o, OBSERVER_OWNER, "processor %u loads line %x, which its cache cannot hold", c, line_of(a));
        return;
    }
    not_half(o, c, l, w);
    if ((got ^ l->words[w]) & bits)
        violation(o, OBSERVER_VALUE, "processor %u, address %08x: loads %016llx, newest is %016llx (bytes %02x)", c,
                  a->address, (unsigned long long)got, (unsigned long long)l->words[w], a->be);
    if (!a->atomic) return;
    alone(o, c, l);
    unsigned high = a->be >> 7;
    uint64_t half = high ? l->words[w] >> 32 : l->words[w] & 0xffffffff;
    uint64_t now = a->atomic == 1 ? 0xffffffff : (half + 1) & 0xffffffff;
    put(&l->words[w], now | now << 32, bits);
}

static void store_ends(observer *o, unsigned c)
{
    access *a = &o->of[c];
    performed(o, c);
    ends(o, c, a, &o->stats.cache[c].stores);
}

static void processor(observer *o, unsigned c)
{
    const observer_pins *p = &o->p;
    access *a = &o->of[c];
    int request = *p->request >> c & 1, rddack = *p->rddack >> c & 1;
    int accepted = request && *p->addrack >> c & 1 && !(*p->cancel >> c & 1);
    uint32_t address = (uint32_t)(*p->abus >> 32 * c);
    if (request && !o->shown[c]) o->shown[c] = o->now + 1;
    if (a->active && !a->write && rddack) {
        load(o, c);
        served(o, c, a);
        a->word++;
        if (!a->lines || a->word == 4) ends(o, c, a, a->atomic ? &o->stats.cache[c].atomics : &o->stats.cache[c].loads);
    } else if (a->active && a->write && accepted) {
        store_ends(o, c); /* in this clock */
    } else if (a->active && a->lines && a->write && *p->wrdack >> c & 1) {
        performed(o, c);
        a->updated = 0;
        a->stored = a->word++ & 3;
        a->data = wide(p->wrdbus, c);
        a->pending = 1;
    }
    if (accepted && address >> 30 == 1 && (address >> 28 & 3) != 3) {
        int write = !(*p->rnw >> c & 1), lines = *p->size2 >> c & 1;
        *a = (access){.active = 1,
                      .write = write,
                      .lines = lines,
                      .atomic = write || lines ? 0 : address >> 28 & 3,
                      .address = address,
                      .stored = address >> 3 & 3,
                      .be = lines ? 0xff : (uint8_t)(*p->be >> 8 * c),
                      .data = wide(p->wrdbus, c),
                      .requested = o->shown[c] - 1,
                      .since = o->shown[c] - 1,
                      .pending = write && !lines};
    }
    if (!request || accepted) o->shown[c] = 0;
}

/* ---- the interconnect ---- */

static void miss(observer *o, line *l, unsigned c)
{
    observer_cache_stats *t = &o->stats.cache[c];
    uint8_t bit = (uint8_t)(1 << c);
    if (!(l->was_here & bit)) t->cold++;
    else if (l->taken & bit) t->coherence++;
    else t->capacity++;
    l->was_here |= bit;
    l->taken &= (uint8_t)~bit;
}

static void resolve(observer *o)
{
    const observer_pins *p = &o->p;
    line *l = o->at;
    unsigned has = *p->answer_has | (unsigned)(*p->ni_has & 1) << NI, me = 1u << o->source;
    const char *kind = observer_kind_name(o->kind);
    for (unsigned c = 0; c < 2; c++) {
        unsigned bit = 1u << c;
        int supplies = *p->answer_supplies & bit ? 1 : 0, dirty = *p->answer_dirty & bit ? 1 : 0;
        if (has & bit && !(l->may_hold & bit))
            violation(o, OBSERVER_OWNER, "%s of line %x: cache %u has it and cannot", kind, l->number, c);
        if (supplies && has & ~bit)
            violation(o, OBSERVER_OWNER, "%s of line %x: cache %u owns it, agents %x have it", kind, l->number, c,
                      has & ~bit);
        if (dirty && !supplies)
            violation(o, OBSERVER_OWNER, "%s of line %x: cache %u has it in M and does not own it", kind, l->number, c);
        if (dirty != (l->dirty == (int)c))
            violation(o, OBSERVER_LOST, "%s of line %x: cache %u %s", kind, l->number, c,
                      dirty ? "has it in M, but never stored" : "has lost what was stored");
        if (c != o->source) {
            o->stats.cache[c].snoops++;
            o->stats.cache[c].snoops_found += has & bit ? 1 : 0;
        }
    }
    l->may_hold = (uint8_t)has;
    if (o->source < NI && (o->kind == OBSERVER_READ || o->kind == OBSERVER_READ_EXCLUSIVE ||
                           (o->kind == OBSERVER_UPGRADE && !(has & me))))
        miss(o, l, o->source);
    else if (o->kind == OBSERVER_UPGRADE) o->stats.cache[o->source].upgrades++;
    o->merging = o->moved = 0;
    switch (o->kind) {
    case OBSERVER_READ:
        l->may_hold |= (uint8_t)me;
        l->dirty = NOBODY;
        break;
    case OBSERVER_READ_EXCLUSIVE:
    case OBSERVER_UPGRADE:
        l->taken |= (uint8_t)(has & ~me & 3);
        l->may_hold = (uint8_t)me;
        l->dirty = (int8_t)o->source;
        break;
    case OBSERVER_WRITEBACK:
        l->may_hold &= (uint8_t)~me;
        l->dirty = l->dirty == (int)o->source ? NOBODY : l->dirty;
        break;
    case OBSERVER_UPDATE:
        o->merging = has & 3;
        for (unsigned c = 0; c < 2; c++) {
            if (c == o->source) continue;
            if (has >> c & 1) o->stats.cache[c].updates_merged++;
            else o->stats.cache[c].updates_missed++;
        }
        if (o->allocate && !has && *p->answer_takes >> o->cache & 1) {
            o->merging = (uint8_t)(1 << o->cache);
            l->may_hold = o->merging;
            l->was_here |= o->merging;
            l->taken &= (uint8_t)~o->merging;
            o->stats.cache[o->cache].allocated++;
        }
        break;
    case OBSERVER_INVALIDATE_WRITE:
        l->taken |= (uint8_t)(has & 3);
        l->may_hold = 0;
        l->dirty = NOBODY;
        break;
    default:;
    }
}

static void interconnect(observer *o)
{
    const observer_pins *p = &o->p;
    if (o->ni_takes) {
        put(&o->at->words[o->ni_word], *p->ni_out_data, bits_of(*p->ni_out_mask));
        o->moved |= (uint8_t)(1 << o->ni_word);
    }
    o->ni_takes = *p->ni_out_take && o->at;
    o->ni_word = *p->ni_out_word;
    if (*p->ni_in_valid) {
        const line *l = o->ni_reads[*p->ni_in_tag & 1];
        if (!l) violation(o, OBSERVER_VALUE, "a word comes to the network interface, which has asked for none");
        else if (*p->ni_in_data != l->words[*p->ni_in_word & 3])
            violation(o, OBSERVER_VALUE, "network interface, line %x word %u: reads %016llx, newest is %016llx",
                      l->number, *p->ni_in_word & 3, (unsigned long long)*p->ni_in_data,
                      (unsigned long long)l->words[*p->ni_in_word & 3]);
    }
    o->stats.busy += o->moving;
    if (*p->snoop_done && o->age >= ANSWERS_AFTER) {
        if (o->bound && o->now - o->since > o->bound)
            violation(o, OBSERVER_WAITS, "words of line %x: %llu clocks", o->at->number,
                      (unsigned long long)(o->now - o->since));
        o->moving = 0;
    }
    if (!*p->snoop_valid) return;
    o->age = 0;
    o->moving = 1;
    o->since = o->now;
    o->kind = *p->snoop_kind;
    o->source = *p->snoop_source & 3;
    o->allocate = *p->snoop_allocate;
    o->cache = *p->snoop_cache & 1;
    o->at = find(o, *p->snoop_line, 1);
    if (o->kind < OBSERVER_KINDS) o->stats.broadcasts[o->source % 3][o->kind]++;
    if (o->source == NI && (o->kind == OBSERVER_READ || o->kind == OBSERVER_READ_ONCE))
        o->ni_reads[*p->ni_tag & 1] = o->at;
    if (o->source < NI) {
        access *a = &o->of[o->source];
        if (a->active && line_of(a) == o->at->number) {
            a->broadcast = 1;
            a->updated |= o->kind == OBSERVER_UPDATE;
        }
    }
}

static void sample(void *self)
{
    observer *o = self;
    if (o->rule) return;
    if (*o->p.rst) {
        observer_forget(o);
        return;
    }
    /* stores of the clock before, the snoops of that clock, accesses that end in this one */
    for (unsigned c = 0; c < 2; c++)
        if (o->of[c].active && o->of[c].write && !(*o->p.busy >> c & 1)) store_ends(o, c);
    if (o->age >= 0 && ++o->age == ANSWERS_AFTER) resolve(o);
    for (unsigned c = 0; c < 2; c++) processor(o, c);
    interconnect(o);
    o->now++;
    o->stats.clocks++;
}

observer *observer_new(sim *s, sim_clock *clock, const observer_pins *pins,
                       uint64_t (*peek)(void *memory, uint64_t word), void *memory)
{
    observer *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->s = s;
    o->clock = clock;
    o->p = *pins;
    o->peek = peek;
    o->memory = memory;
    o->age = -1;
    sim_clock_attach(clock, sample, NULL, o);
    return o;
}

void observer_forget(observer *o)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        while (o->bucket[i]) {
            line *l = o->bucket[i];
            o->bucket[i] = l->next;
            free(l);
        }
    memset(o->of, 0, sizeof o->of);
    memset(o->shown, 0, sizeof o->shown);
    o->age = -1;
    o->moving = o->ni_takes = 0;
    o->at = o->ni_reads[0] = o->ni_reads[1] = NULL;
}

void observer_free(observer *o)
{
    if (!o) return;
    sim_clock_detach(o->clock, o);
    observer_forget(o);
    free(o);
}

void observer_quiet(observer *o) { o->quiet = 1; }

void observer_bound(observer *o, uint64_t clocks) { o->bound = clocks; }

observer_rule observer_violation(const observer *o, const char **text)
{
    if (text) *text = o->text;
    return o->rule;
}

void observer_check_memory(observer *o)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        for (line *l = o->bucket[i]; l; l = l->next)
            for (unsigned w = 0; w < OBSERVER_WORDS && l->dirty == NOBODY; w++) {
                uint64_t has = o->peek(o->memory, l->number * 4ull + w);
                if (has != l->words[w])
                    violation(o, OBSERVER_TRUTH, "line %x word %u: memory has %016llx, written was %016llx", l->number,
                              w, (unsigned long long)has, (unsigned long long)l->words[w]);
            }
}

uint64_t observer_word(observer *o, uint64_t word)
{
    const line *l = find(o, (uint32_t)(word >> 2), 0);
    return l ? l->words[word & 3] : o->peek(o->memory, word);
}

observer_stats observer_get_stats(const observer *o) { return o->stats; }
