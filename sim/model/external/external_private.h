/* Between the port (external.c) and the kinds of memory. */
#ifndef SIM_MODEL_EXTERNAL_EXTERNAL_PRIVATE_H
#define SIM_MODEL_EXTERNAL_EXTERNAL_PRIVATE_H

#include "sim/model/external/external.h"

typedef struct external_request {
    uint64_t word;
    uint64_t data;
    uint8_t tag;
    uint16_t enables; /* of a write: bytes, bit 8 = tag */
    uint8_t write;
} external_request;

/* Does what the request says to word `word` of the part, now; a read is answered `delay` clocks after the clock that
 * begins, 0 = in it. */
void external_access(external *m, const external_request *r, uint64_t word, unsigned delay);

/* Functions of a kind of memory. All run after an edge, before the clock `clock` that begins with it. */
typedef struct external_ops {
    /* one clock; `taken` is the request taken at the edge, or NULL: then it is called if `every_clock` is set */
    void (*clock)(void *self, uint64_t clock, const external_request *taken);
    int every_clock;
    /* after that: whether the request of this clock could be taken; NULL = always */
    int (*room)(const void *self);
    void (*free)(void *self);
} external_ops;

void *zbt_new(external *m, const zbt_params *p);
extern const external_ops zbt_ops;
sdram *sdram_new(sim *s, external *m, const sdram_params *p);
extern const external_ops sdram_ops;
sdram_chip *sdram_get_chip(sdram *d);
void sdram_set_on_command(sdram *d, sdram_on_command fn, void *arg);

#endif
