#include "spans.h"

#include <stdlib.h>

#include "test.h"

void *grown(void *array, size_t count, size_t *room, size_t each)
{
    if (count < *room) return array;
    *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * each);
    ck_assert_ptr_nonnull(array);
    return array;
}

void span_add(spans *s, uint64_t from, uint64_t to)
{
    s->at = grown(s->at, s->count, &s->room, sizeof *s->at);
    s->at[s->count++] = (struct span){from, to};
}

static int by_from(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

uint64_t span_clocks(spans *s)
{
    uint64_t sum = 0, done = 0;
    if (s->count) qsort(s->at, s->count, sizeof *s->at, by_from);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t from = s->at[i].from > done ? s->at[i].from : done + 1;
        if (s->at[i].to < from) continue;
        sum += s->at[i].to - from + 1;
        done = s->at[i].to;
    }
    return sum;
}
