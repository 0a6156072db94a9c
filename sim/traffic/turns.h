/* Rule for the flows of one sender: one that has something to send goes on while others do.
 *
 *     turns *t = turns_new(8, turns_bound(8));
 *     turns_posted(t, flow);                                   an item may go: a transfer, a packet (it may also be told late)
 *     const char *wrong = turns_gone(t, flow, words, last);    a packet of its oldest item has gone, or its last one
 *
 * A flow with an item is passed by each packet of another flow whose item was posted later. Between two packets of its own it may be
 * passed by so many words of payload, whatever sizes items have: the bound. Packets, not clocks, are counted, so a sender or receiver
 * that stands still is no breach. The flows must have the same path: what stops one of them must stop all.
 *
 * The bound (turns_bound): when the flow may be read again, each other one has a ring full of words (1023) and is read once before it (512
 * words), 8 pieces are on their way, and words that come back from external memory wait for 5152 clocks (rtl/voq/README.md). With another
 * block in a slot each other flow may be read 32 times, as contracts allow (`patience`).
 */
#ifndef SIM_TRAFFIC_TURNS_H
#define SIM_TRAFFIC_TURNS_H

#include <stdint.h>

#include "model.h"

enum { TURNS_FLOWS = 16 };

typedef struct turns turns;

/* Words. patience: transfers of each other flow that may be read first. */
uint64_t turns_bound(unsigned flows, unsigned patience);
/* 1 with the blocks that ship as default, 32 if another one is in a slot of the model (NULL: there is none). */
unsigned turns_patience(const sim_config *chip);
/* NULL: no memory. */
turns *turns_new(unsigned flows, uint64_t bound);
void turns_free(turns *t);

/* 0, or -1: no memory. */
int turns_posted(turns *t, unsigned flow);
/* NULL, or which flow stands still and what went instead. */
const char *turns_gone(turns *t, unsigned flow, unsigned words, int last);
/* Most words by which a flow was passed so far. */
uint64_t turns_most(const turns *t);

#endif
