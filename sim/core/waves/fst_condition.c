/* Where recording begins and ends: conditions on signals, evaluated at each time at which one of them changes. */
#include "sim/core/waves/fst_file.h"

#include <stdlib.h>

void fst_wait(fst_file *f, const fst_condition *from, uint64_t before, const fst_condition *to, uint64_t not_before)
{
    const fst_condition *both[] = {from, to};
    f->before = before;
    f->not_before = not_before;
    if (from) f->from = *from;
    if (to) f->to = *to;
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; both[i] && k < both[i]->count; k++) {
            wave *s = &f->signals.at[f->numbers.at[both[i]->signals[k]] - 1];
            if (s->watched) continue;
            *list_add(&f->watched) = (watched){both[i]->signals[k], new_zeroed((words_of(s) + 1) * sizeof(uint32_t))};
            s->watched = (uint16_t)f->watched.count;
        }
}

uint64_t fst_bits(const fst_file *f, uint32_t signal, unsigned lsb, unsigned bits)
{
    const watched *w = f->watched.at;
    uint64_t value = 0;
    while (w->signal != signal) w++;
    for (unsigned i = 0; i < bits; i++) value |= (uint64_t)(w->words[(lsb + i) / 32] >> (lsb + i) % 32 & 1) << i;
    return value;
}

static int by_time(const void *a, const void *b)
{
    const seen *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Changes of the signals of conditions, in the order of time. */
static void look(fst_file *f, uint64_t until)
{
    f->seen.count = 0;
    for (size_t i = 0; i < f->logs.count; i++) {
        fst_log *l = f->logs.at[i];
        entry e;
        while (entry_next(l, &l->look, &e)) {
            if (!e.number) {
                if (l->taken.times.at[l->look.next] < until) {
                    l->looked = l->taken.times.at[l->look.next++];
                    continue;
                }
                entry_back(&l->look);
                break;
            }
            const wave *s = &f->signals.at[e.number - 1];
            if (!s->watched) continue;
            seen *x = list_add(&f->seen);
            *x = (seen){.time = l->looked, .value = e.value, .order = f->seen.count, .which = s->watched - 1u};
            x->size = words_of(s) * (uint32_t)sizeof(uint32_t);
            x->words = e.words;
        }
    }
    qsort(f->seen.at, f->seen.count, sizeof f->seen.at[0], by_time);
}

/* Evaluates the conditions at this time. Returns 1 if recording ends with it. */
static int condition_at(fst_file *f, uint64_t time)
{
    if (time < f->not_before) return 0;
    f->not_before = 0; /* it has been asked */
    if (f->state == WAITING && f->from.holds(f->from.self)) {
        uint64_t begin = time > f->begin + f->before ? time - f->before : f->begin;
        f->state = RECORDING;
        fst_log_skip(f, begin + 1);
        fst_file_begin(f, begin);
        return 0;
    }
    return f->state == RECORDING && f->to.holds && f->to.holds(f->to.self);
}

uint64_t fst_conditions(fst_file *f, uint64_t until)
{
    look(f, until);
    for (size_t i = 0; i <= f->seen.count; i++) {
        const seen *x = i < f->seen.count ? &f->seen.at[i] : NULL;
        const uint64_t first = f->not_before;
        if (first && first < (x ? x->time : until) && condition_at(f, first))
            return first + 1; /* nothing changes there */
        if (!x) break;
        memcpy(f->watched.at[x->which].words, x->words ? x->words : (const uint8_t *)&x->value, x->size);
        if (i + 1 < f->seen.count && f->seen.at[i + 1].time == x->time) continue;
        if (condition_at(f, x->time)) return x->time + 1;
    }
    return until;
}
