/* Fairness rule for the flows of one sender: none that has packets to send starves while others send.
 *
 *     fairness *t = fairness_new(8, fairness_bound(8));
 *     fairness_posted(t, flow);                                   an item may go: a transfer, a packet (may be called
 * late) const char *wrong = fairness_gone(t, flow, words, last);    a packet of its oldest item has gone, or its last
 * one
 *
 * A flow with an item is passed by each packet of another flow whose item was posted later. Between two packets of its
 * own it may be passed by at most `bound` words of payload, for any sizes of items. Packets, not clocks, are counted,
 * so a stopped sender or receiver is no breach. The flows must share their path: a stop must stop all of them.
 *
 * A packet in the FIFO of a link that is down waits for it, while others go by another link: fairness_hold.
 *
 * The bound (fairness_bound), when the flow may be read again:
 *   each other flow   a ring full of words (1023), and one transfer read before it (512 words); with another block in a
 * slot 32 of them, as contracts allow (`patience`) 8 x 512           pieces on their way 4224              words that
 * come back from external memory, a segment (128) for each one of the staging (at most 4096 words) that is written out
 * before the flow's (rtl/nic/voq/voq_turns) 5152              words that come back wait for the write port of the rings
 * (head of voq_rings.v) each other link   578 by packet: while a packet waits for its link, they carry what that link
 * has in its FIFO before it, 66 words and a packet (rtl/nic/voq/voq_departure, START)
 */
#ifndef SIM_TRAFFIC_SCENARIO_FAIRNESS_H
#define SIM_TRAFFIC_SCENARIO_FAIRNESS_H

#include <stdint.h>

#include "sim/core/kernel/model.h"

enum { FAIRNESS_FLOWS = 16 };

typedef struct fairness fairness;

/* Words. patience: transfers of each other flow that may be read first; links: that have packets of their own. */
uint64_t fairness_bound(unsigned flows, unsigned patience, unsigned links);
/* 1 with the blocks that ship as default, 32 if another one is in a slot of the model (NULL: there is none). */
unsigned fairness_patience(const sim_config *chip);
/* NULL: no memory. */
fairness *fairness_new(unsigned flows, uint64_t bound);
void fairness_free(fairness *t);

/* 0, or -1: no memory. */
int fairness_posted(fairness *t, unsigned flow);
/* 1: words of others do not count from now on, 0: they do. */
void fairness_hold(fairness *t, int held);
/* NULL, or a text that names the starving flow and the packets sent instead. */
const char *fairness_gone(fairness *t, unsigned flow, unsigned words, int last);
/* Most words by which a flow was passed so far. */
uint64_t fairness_most(const fairness *t);

#endif
