/* Intervals of clocks of which those that overlap count once. They come in the order of their ends, or those of several
 * kinds mixed. free(s->at) at the end. */
#ifndef TB_SYSTEM_SPANS_H
#define TB_SYSTEM_SPANS_H

#include <stddef.h>
#include <stdint.h>

typedef struct spans {
    struct span {
        uint64_t from, to;
    } * at;
    size_t count, room;
} spans;

/* An array with room for one more element than `count`. */
void *grown(void *array, size_t count, size_t *room, size_t each);

void span_add(spans *s, uint64_t from, uint64_t to);
/* Clocks in any of them, both ends included. */
uint64_t span_clocks(spans *s);

#endif
